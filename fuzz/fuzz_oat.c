/* SPDX-License-Identifier: MIT */
/* Any bytes as an .oat script: scripts.h. */
#include "scripts.h"

#include "base/error.h"
#include "testbench/oat.h"

#define CLOCKS_MAX 20000 /* in one script */

/* Lets at most as much time pass as the script has left. */
static int run_some(void *context, const struct tally_oa *unit, oat_advance *advance, void *target,
                    uint64_t clocks, struct tally_error *error)
{
    struct play *play = context;
    bool enough = clocks <= play->clocks_left;
    uint64_t now = enough ? clocks : play->clocks_left, end = tally_oa_now(unit) + now;
    play->clocks_left -= now;
    do {
        uint64_t piece = play_piece(play, now, 1);
        advance(target, piece);
        now -= piece;
    } while (now);
    PROMISE(tally_oa_now(unit) == end);
    return enough ? 0 : fail(error, -ETIME, "no clocks are left");
}

static int take_line(void *script, const char *line, size_t size, struct tally_error *error)
{
    return oat_line(script, line, size, error);
}

static void play_once(struct play *play, const uint8_t *data, size_t size)
{
    struct tally_error error;
    struct oat *oat;
    PROMISE(oat_new(play_output, play, &oat, &error) == 0);
    oat_set_runner(oat, run_some, play);
    play_lines(play, take_line, oat, data, size);
    oat_free(oat);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    play_twice(play_once, CLOCKS_MAX, data, size);
    return 0;
}
