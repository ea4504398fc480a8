/* SPDX-License-Identifier: MIT */
#ifndef TALLY_TESTBENCH_PCT_STATE_H
#define TALLY_TESTBENCH_PCT_STATE_H

/* The state of a `.pct` script. pct.c has the setup, pct_access.c the commands for signals and
 * registers, pct_memory.c those for time and memory. */

#include "nvidia/pcounter/engine.h"
#include "testbench/memory.h"
#include "testbench/pct.h"
#include "testbench/pct_wave.h"
#include "testbench/results.h"
#include "testbench/words.h"

struct pct {
    struct results results;
    FILE *mmio; /* file for a line per register access; NULL: none */
    pct_runner *runner;
    void *runner_context;
    struct pace pace;
    enum { SETUP_CHIPSET, SETUP_DOMAINS, SETUP_CLOCKS, RUNNING } stage;
    enum tally_pcounter_revision revision;
    const struct tally_chipset *chipset;
    struct tally_pcounter_set sets[TALLY_PCOUNTER_DOMAINS_TOTAL]; /* until the engine is made */
    unsigned set_count, domain_count;
    struct tally_pcounter *engine;
    bool driven; /* the engine belongs to the caller: pct_drive() */
    struct memory memory;
    struct wave_store waves;
};

struct pct_command {
    const char *name;
    const char *usage;
    uint8_t min, max; /* words after the name */
    bool setup;
    bool drives; /* also of a script that only drives signals: pct_drive() */
    int (*run)(struct pct *pct, const struct words *words, struct tally_error *error);
};

/* Prints a line. Returns 0 or a negative errno. */
__attribute__((format(printf, 2, 3))) int pct_put(struct pct *pct, const char *format, ...);

/* Parses the number of a domain. */
int pct_take_domain(struct pct *pct, const struct word *word, unsigned *domain,
                    struct tally_error *error);

/* ---- pct_access.c, pct_memory.c -------------------------------------------------------------- */

extern const struct pct_command pct_access_commands[];
extern const size_t pct_access_command_count;
extern const struct pct_command pct_memory_commands[];
extern const size_t pct_memory_command_count;

#endif
