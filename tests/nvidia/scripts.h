/* SPDX-License-Identifier: MIT */
#ifndef TESTS_NVIDIA_SCRIPTS_H
#define TESTS_NVIDIA_SCRIPTS_H

#include "nvidia/tests.h"

#include "testbench/pct.h"

/* The random program of a seed, as text. Free it. */
char *random_script(uint64_t seed);

/* Called after each line of a script has been executed. */
typedef void line_hook(void *context, struct pct *pct, const char *line);

struct player {
    pct_runner *runner; /* NULL: runs as they are */
    line_hook *hook;    /* NULL: none */
    void *context;      /* of both */
};

/* What a script prints, played so (player may be NULL). A line that is wrong fails the test. Free
 * it. */
char *play(const char *script, const struct player *player);

/* The first tick at which one of the domains has a clock, now or later. */
uint64_t next_clock(const struct tally_pcounter *engine);

/* Has this domain a clock at a tick? Clocks that it had before one. */
bool has_clock(const struct tally_pcounter_domain *domain, uint64_t tick);
uint64_t clocks_before(const struct tally_pcounter_domain *domain, uint64_t tick);

/* Everything that can be seen of an engine, as one number: registers, values, signals. */
uint64_t look_at(const struct tally_pcounter *engine);

#endif
