/* SPDX-License-Identifier: MIT */
/* Runs the input as a .pct script (scripts.h). */
#include "scripts.h"

#include "lengthen.h"
#include "testbench/pct.h"

#define CLOCKS_MAX 100000 /* clocks of the fastest domain per script */

/* A pct_runner that limits the clocks of the script and may divide a run into pieces. */
static int run_some(void *context, struct tally_pcounter *engine, uint64_t ticks,
                    struct tally_error *error)
{
    struct trial *trial = context;
    uint64_t period = UINT64_MAX;
    (void)error;
    for (unsigned i = 0; i < tally_pcounter_domains(engine); i++) {
        struct tally_pcounter_domain domain;
        CHECK(tally_pcounter_domain(engine, i, &domain) == 0);
        period = domain.period < period ? domain.period : period;
    }
    uint64_t max = trial->clocks_left * period;
    ticks = ticks < max ? ticks : max;
    trial->clocks_left -= (ticks + period - 1) / period;
    uint64_t end = tally_pcounter_now(engine) + ticks;
    do {
        uint64_t piece = next_piece(trial, ticks, period);
        tally_pcounter_run(engine, piece);
        ticks -= piece;
    } while (ticks);
    CHECK(tally_pcounter_now(engine) == end);
    return 0;
}

static int take_line(void *script, const char *line, size_t size, struct tally_error *error)
{
    return pct_line(script, line, size, error);
}

static void run_once(struct trial *trial, const uint8_t *data, size_t size)
{
    struct tally_error error;
    struct pct *pct;
    CHECK(pct_new(trial_output, trial, &pct, &error) == 0);
    pct_set_expected(pct, trial_expected, trial);
    pct_set_runner(pct, run_some, trial);
    run_lines(trial, take_line, pct, data, size);
    pct_free(pct);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    run_twice(run_once, CLOCKS_MAX, data, size);
    return 0;
}
