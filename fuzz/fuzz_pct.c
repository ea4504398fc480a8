/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a .pct script, whose wrong lines are passed over: what is wrong is told, and a
 * second run of the same script, which moves time in small pieces, prints the same bytes.
 */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include "testbench/pct.h"

#define CLOCKS_MAX 100000 /* of a domain, in one script */
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

/* Lets at most as much time pass as the script has left: by the quickest clock. */
static int run_some(void *context, struct tally_pcounter *engine, uint64_t ticks,
                    struct tally_error *error)
{
    struct play *play = context;
    uint64_t period = UINT64_MAX, most, before = tally_pcounter_now(engine);
    (void)error;
    for (unsigned i = 0; i < tally_pcounter_domains(engine); i++) {
        struct tally_pcounter_domain domain;
        PROMISE(tally_pcounter_domain(engine, i, &domain) == 0);
        period = domain.period < period ? domain.period : period;
    }
    most = play->clocks_left * period;
    ticks = ticks < most ? ticks : most;
    play->clocks_left -= (ticks + period - 1) / period;
    while (play->pieces && ticks) {
        uint64_t scale = next_number(&play->pieces) % 4;
        uint64_t piece = next_number(&play->pieces) % (scale ? period << (3 * scale) : ticks) + 1;
        piece = piece < ticks ? piece : ticks;
        tally_pcounter_run(engine, piece);
        ticks -= piece;
        before += piece;
    }
    tally_pcounter_run(engine, ticks);
    PROMISE(tally_pcounter_now(engine) == before + ticks);
    return 0;
}

static struct play play_script(const uint8_t *data, size_t size, uint64_t pieces)
{
    struct play play = {.clocks_left = CLOCKS_MAX, .pieces = pieces};
    struct tally_error error;
    struct pct *pct;
    PROMISE(pct_new(put_hash, &play, &pct, &error) == 0);
    pct_set_runner(pct, run_some, &play);
    while (size && !play.full) {
        const uint8_t *newline = memchr(data, '\n', size);
        size_t length = newline ? (size_t)(newline - data) + 1 : size;
        uint64_t printed = play.printed;
        memset(&error, 0, sizeof error);
        int result = pct_line(pct, (const char *)data, length, &error);
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
    pct_free(pct);
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
