/* SPDX-License-Identifier: MIT */
/* Runs the input as an .oat script (scripts.h). */
#include "scripts.h"

#include "base/error.h"
#include "lengthen.h"
#include "testbench/oat.h"

#define CLOCKS_MAX 20000 /* per script */

/* An oat_runner that limits the clocks of the script and may divide a run into pieces. */
static int run_some(void *context, const struct tally_oa *unit, oat_advance *advance, void *target,
                    uint64_t clocks, struct tally_error *error)
{
    struct trial *trial = context;
    bool enough = clocks <= trial->clocks_left;
    uint64_t now = enough ? clocks : trial->clocks_left, end = tally_oa_now(unit) + now;
    trial->clocks_left -= now;
    do {
        uint64_t piece = next_piece(trial, now, 1);
        advance(target, piece);
        now -= piece;
    } while (now);
    CHECK(tally_oa_now(unit) == end);
    return enough ? 0 : fail(error, -ETIME, "no clocks are left");
}

static int take_line(void *script, const char *line, size_t size, struct tally_error *error)
{
    return oat_line(script, line, size, error);
}

static void run_once(struct trial *trial, const uint8_t *data, size_t size)
{
    struct tally_error error;
    struct oat *oat;
    CHECK(oat_new(trial_output, trial, &oat, &error) == 0);
    oat_set_expected(oat, trial_expected, trial);
    oat_set_runner(oat, run_some, trial);
    run_lines(trial, take_line, oat, data, size);
    oat_free(oat);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    run_twice(run_once, CLOCKS_MAX, data, size);
    return 0;
}
