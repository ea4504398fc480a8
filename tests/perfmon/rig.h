/* SPDX-License-Identifier: MIT */
#ifndef TESTS_PERFMON_RIG_H
#define TESTS_PERFMON_RIG_H

/*
 * A driver_io made of the PCOUNTER engine, with PTIMER, PGRAPH's trigger, PTOP, and memory for
 * selectors beside it. A tick is a nanosecond. Signals are pseudo-random waves whose values the
 * tests compute by themselves.
 */

#include <tally/pcounter.h>

#include "driver/io.h"
#include "perfmon/trees.h"

#define RIG_DOMAINS   64
#define RIG_SIGNALS   8 /* driven ones of each domain */
#define RIG_SELECTORS 64
#define RIG_MEMORY    8192
#define RIG_RUNS      128

struct rig_domain {
    struct tally_pcounter_domain about;
    uint8_t signals[RIG_SIGNALS];
    uint64_t seeds[RIG_SIGNALS];
    unsigned chances[RIG_SIGNALS]; /* of 256 */

    /* The domain's clocks at the latest swap, and the latest start and abort of single event mode.
     */
    uint64_t swapped, started, aborted;
    uint64_t starts[2];          /* the first two; UINT64_MAX: not yet */
    uint64_t recorded[RIG_RUNS]; /* at the writes of RECORD_START */
    unsigned recorded_count;
};

struct rig {
    const struct tally_chipset *chipset;
    struct tally_pcounter *engine;
    struct driver_io io;
    unsigned access_ns; /* that an access takes */
    unsigned domain_count;
    struct rig_domain domains[RIG_DOMAINS];

    uint32_t gpcs_disabled, partitions_disabled;
    bool no_top;     /* PTOP reads as an error word */
    bool no_trigger; /* the trigger does nothing */
    uint32_t selector_addresses[RIG_SELECTORS], selectors[RIG_SELECTORS];
    unsigned selector_count;
    unsigned reads, writes, pgraph_writes;

    /* Memory of record mode; the pages outside of it fault. */
    uint64_t memory_address;
    uint8_t memory[RIG_MEMORY];
    uint32_t memory_bytes;

    /* Called before each access, if not NULL. */
    void (*hook)(struct rig *rig, uint32_t address, bool write);
};

/* Makes a rig whose domains have random clocks and signals. */
void rig_open(struct rig *rig, const struct tally_chipset *chipset, uint64_t *seed);
void rig_close(struct rig *rig);

void rig_run(struct rig *rig, uint64_t ns);

/* Returns how many clocks a domain has had. */
uint64_t rig_clocks(const struct rig *rig, unsigned domain);

/* Finds the engine's domain. */
unsigned rig_find(const struct rig *rig, unsigned domain, unsigned instance);

/* A pulse of PGRAPH.PM_TRIGGER in all domains. */
void rig_trigger(struct rig *rig);

/* Gives the engine memory at an address, and a perfmon_memory's read callback for it. */
void rig_set_memory(struct rig *rig, uint64_t address, uint32_t bytes);
int rig_read_memory(void *closure, uint32_t offset, void *to, size_t bytes);

/* Returns the value of a domain's i-th signal at a clock. */
bool rig_value(const struct rig *rig, unsigned domain, unsigned i, uint64_t clock);

/* Returns what a tree counts from clock `from` to clock `to` - 1 of a domain. */
uint64_t rig_count(const struct rig *rig, unsigned domain, const struct tree *tree, uint64_t from,
                   uint64_t to);

/* Reads all registers of the engine, and the selectors, into `values`; returns their number. */
#define RIG_REGISTERS 65536
size_t rig_registers(const struct rig *rig, uint32_t *values);

#endif
