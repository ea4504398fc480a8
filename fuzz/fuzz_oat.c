/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as an .oat script, whose wrong lines are passed over: what is wrong is told, and a
 * second run of the same script, which moves time in small pieces, prints the same bytes.
 */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "testbench/oat.h"

#define CLOCKS_MAX 20000  /* in one script */
#define OUTPUT_MAX 100000 /* bytes, after which the output fails */

struct play {
    uint64_t clocks_left;
    uint64_t printed, hash; /* bytes printed, and what they were */
    uint64_t pieces;        /* not 0: cut each run, by these random numbers */
    bool full;
};

static int put_hash(void *context, const char *text, size_t size)
{
    struct play *play = context;
    PROMISE(size && text[size - 1] == '\n');
    if (play->printed + size > OUTPUT_MAX) {
        play->full = true;
        return -ENOSPC;
    }
    play->hash = play->hash * UINT64_C(0x100000001b3) + hash_bytes((const uint8_t *)text, size);
    play->printed += size;
    return 0;
}

/* Lets at most as much time pass as the script has left. */
static int run_some(void *context, const struct tally_oa *unit, oat_mover *move, void *moved,
                    uint64_t clocks, struct tally_error *error)
{
    struct play *play = context;
    bool enough = clocks <= play->clocks_left;
    uint64_t now = enough ? clocks : play->clocks_left, end = tally_oa_now(unit) + now;
    play->clocks_left -= now;
    while (play->pieces && now) {
        uint64_t scale = next_number(&play->pieces) % 4;
        uint64_t piece = next_number(&play->pieces) % (scale ? 1u << (3 * scale) : now) + 1;
        piece = piece < now ? piece : now;
        move(moved, piece);
        now -= piece;
    }
    move(moved, now);
    PROMISE(tally_oa_now(unit) == end);
    return enough ? 0 : fail(error, -ETIME, "no clocks are left");
}

static struct play play_script(const uint8_t *data, size_t size, uint64_t pieces)
{
    struct play play = {.clocks_left = CLOCKS_MAX, .pieces = pieces};
    struct tally_error error;
    struct oat *oat;
    PROMISE(oat_new(put_hash, &play, &oat, &error) == 0);
    oat_set_runner(oat, run_some, &play);
    while (size && !play.full) {
        const uint8_t *newline = memchr(data, '\n', size);
        size_t length = newline ? (size_t)(newline - data) + 1 : size;
        uint64_t printed = play.printed;
        memset(&error, 0, sizeof error);
        int result = oat_line(oat, (const char *)data, length, &error);
        PROMISE(result <= 0);
        if (play.full) {
            PROMISE(result == -ENOSPC);
        } else if (result < 0) {
            PROMISE(result == error.code && *error.message && play.printed == printed);
            PROMISE(memchr(error.message, 0, sizeof error.message));
        }
        data += length;
        size -= length;
    }
    oat_free(oat);
    return play;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct play first = play_script(data, size, 0);
    struct play second = play_script(data, size, hash_bytes(data, size) | 1);
    PROMISE(first.printed == second.printed && first.hash == second.hash);
    PROMISE(first.full == second.full);
    return 0;
}
