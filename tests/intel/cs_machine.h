/* SPDX-License-Identifier: MIT */
#ifndef TESTS_INTEL_CS_MACHINE_H
#define TESTS_INTEL_CS_MACHINE_H

/* A GPU around a command streamer that only remembers: memory, registers, and a log of what the
 * streamer did to it. */

#include "intel/tests.h"

#include "intel/cs/streamer.h"

#define MACHINE_SPACES 3      /* the GGTT and two PPGTTs */
#define MACHINE_BYTES  0x8000 /* mapped in each, from address 0 on */
#define MACHINE_CODE   0x1000 /* where machine_load() puts a batch */
#define MACHINE_ID     7      /* the context of machine_run_batch() */

struct machine {
    struct streamer streamer;
    struct streamer_callbacks callbacks;
    const struct tally_platform *platform;
    uint32_t memory[MACHINE_SPACES][MACHINE_BYTES / 4];
    struct {
        uint32_t address, value;
    } registers[64];
    unsigned register_count;
    uint64_t timestamp;
    uint64_t clocks;     /* that steps have taken */
    bool ticking;        /* the timestamp advances with them */
    uint64_t busy_until; /* in clocks */
    uint64_t work_clocks;
    bool may_write_all;     /* batches without privilege write any register */
    bool quiet_contexts;    /* do not log switches and ends */
    unsigned interrupts[2]; /* by enum streamer_interrupt */
    uint64_t trace;         /* hash of what the log does not have: see machine_trace() */
    char log[4096];
    size_t log_size;
};

/* At reset, with nothing in memory. platform: "icl" for its render engine, or "icl/bcs0". */
void machine_init(struct machine *machine, const char *platform);

/* One on the heap. */
struct machine *machine_new(const char *platform);

/* Puts dwords into a space. */
void machine_load(struct machine *machine, uint32_t space, uint32_t address, const uint32_t *dwords,
                  size_t count);

/* Steps until the streamer is idle, stops, or `steps` are done. Returns the last status. */
enum streamer_status machine_run(struct machine *machine, unsigned steps);

/* Submits a batch in `space` at MACHINE_CODE and runs it. */
enum streamer_status machine_run_batch(struct machine *machine, uint32_t space, bool privileged);

__attribute__((format(printf, 2, 3))) void machine_log(struct machine *machine, const char *format,
                                                       ...);

/* Adds to the trace: accesses to the streamer's registers, commands of work and flushes. */
void machine_trace(struct machine *machine, uint64_t value);

/* Checks the log, and empties it. */
void machine_expect(struct machine *machine, unsigned line, const char *log);

#define LOAD(machine, space, address, ...)                                                         \
    machine_load(machine, space, address, (const uint32_t[]){__VA_ARGS__},                         \
                 COUNT(((const uint32_t[]){__VA_ARGS__})))

#endif
