/* SPDX-License-Identifier: MIT */
/* Any bytes as a .pct script: scripts.h. */
#include "scripts.h"

#include "testbench/pct.h"

#define CLOCKS_MAX 100000 /* of a domain, in one script */

/* Lets at most as much time pass as the script has left: by the quickest clock. */
static int run_some(void *context, struct tally_pcounter *engine, uint64_t ticks,
                    struct tally_error *error)
{
    struct play *play = context;
    uint64_t period = UINT64_MAX;
    (void)error;
    for (unsigned i = 0; i < tally_pcounter_domains(engine); i++) {
        struct tally_pcounter_domain domain;
        PROMISE(tally_pcounter_domain(engine, i, &domain) == 0);
        period = domain.period < period ? domain.period : period;
    }
    uint64_t most = play->clocks_left * period;
    ticks = ticks < most ? ticks : most;
    play->clocks_left -= (ticks + period - 1) / period;
    uint64_t end = tally_pcounter_now(engine) + ticks;
    do {
        uint64_t piece = play_piece(play, ticks, period);
        tally_pcounter_run(engine, piece);
        ticks -= piece;
    } while (ticks);
    PROMISE(tally_pcounter_now(engine) == end);
    return 0;
}

static int take_line(void *script, const char *line, size_t size, struct tally_error *error)
{
    return pct_line(script, line, size, error);
}

static void play_once(struct play *play, const uint8_t *data, size_t size)
{
    struct tally_error error;
    struct pct *pct;
    PROMISE(pct_new(play_output, play, &pct, &error) == 0);
    pct_set_runner(pct, run_some, play);
    play_lines(play, take_line, pct, data, size);
    pct_free(pct);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    play_twice(play_once, CLOCKS_MAX, data, size);
    return 0;
}
