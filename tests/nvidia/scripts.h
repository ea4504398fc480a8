/* SPDX-License-Identifier: MIT */
#ifndef TESTS_NVIDIA_SCRIPTS_H
#define TESTS_NVIDIA_SCRIPTS_H

#include "nvidia/tests.h"

#include "testbench/pct.h"

/* Returns the random program of a seed as text, to be freed. */
char *random_script(uint64_t seed);

/* Called after each line of a script has been executed. */
typedef void line_hook(void *context, struct pct *pct, const char *line);

struct player {
    pct_runner *runner; /* NULL: runs are unchanged */
    line_hook *hook;    /* NULL: none */
    void *context;      /* context of both */
};

/* Returns the output of a script, to be freed; player may be NULL. An invalid line fails the test.
 */
char *play(const char *script, const struct player *player);

/* Returns the first tick, from now on, at which a domain has a clock. */
uint64_t next_clock(const struct tally_pcounter *engine);

/* Return whether a domain has a clock at a tick, and the number of its clocks before a tick. */
bool has_clock(const struct tally_pcounter_domain *domain, uint64_t tick);
uint64_t clocks_before(const struct tally_pcounter_domain *domain, uint64_t tick);

/* Returns a new engine with the revision, domains and domain sets of another one. */
struct tally_pcounter *new_like(const struct tally_pcounter *engine);

/* Returns a hash of an engine's visible state: registers, values, signals. */
uint64_t look_at(const struct tally_pcounter *engine);

#endif
