/* SPDX-License-Identifier: MIT */
#ifndef TALLY_TESTBENCH_OAT_STATE_H
#define TALLY_TESTBENCH_OAT_STATE_H

/* The state of an `.oat` script. oat.c has the commands for the OA unit, oat_gpu.c and oat_access.c
 * those for a whole GPU. */

#include "intel/gpu/trace.h"
#include "intel/gt/interrupts.h"
#include "intel/platforms.h"
#include "testbench/memory.h"
#include "testbench/oat.h"
#include "testbench/oat_wave.h"
#include "testbench/results.h"
#include "testbench/words.h"

struct oat {
    struct results results;
    struct tally_oa *unit; /* part of the GPU, if there is one */
    bool running;          /* the setup is complete */
    struct gt_interrupts interrupts;
    struct memory memory; /* the GGTT */
    struct wave_store waves;
    struct oat_gpu *gpu;
    struct gpu_trace trace;            /* file NULL: no trace */
    struct tally_gpu_mmio_stats stats; /* of a unit without a GPU */
    const char *cost;                  /* file of costs, or NULL */
    oat_runner *runner;                /* may be NULL */
    void *runner_context;
    struct pace pace;
};

#define OAT_MEM_MAX (1 << 20)

/* Capabilities that a command needs. */
enum oat_need {
    OAT_TAPS = 1 << 0,           /* C counters that count report triggers' inputs */
    OAT_EUS = 1 << 1,            /* EUs one by one */
    OAT_GO = 1 << 2,             /* reports when GO falls */
    OAT_RATIOS = 1 << 3,         /* clock ratios */
    OAT_OA_INTERRUPT = 1 << 4,   /* interrupt of the OA unit, without a whole GPU */
    OAT_INTERRUPT_TREE = 1 << 5, /* interrupt tree of a whole GPU */
    OAT_STEERING = 1 << 6
};

struct oat_command {
    const char *name, *usage;
    uint8_t min, max; /* number of words after the name */
    bool setup;
    uint8_t needs; /* enum oat_need bits */
    int (*run)(struct oat *oat, const struct words *words, struct tally_error *error);
};

/* Prints a line. Returns 0 or a negative errno. */
__attribute__((format(printf, 2, 3))) int oat_put(struct oat *oat, const char *format, ...);

/* Advances time by `clocks`, through the runner if there is one. */
int oat_pass(struct oat *oat, oat_advance *advance, void *target, uint64_t clocks,
             struct tally_error *error);

/* Parse the address of a register, and its value. */
int oat_take_address(const struct word *word, uint32_t *address, struct tally_error *error);
int oat_take_value(const struct word *word, uint32_t *value, struct tally_error *error);

int oat_print_memory(struct oat *oat, const struct memory *memory, uint64_t address,
                     uint64_t length);

/* Executes `save`: the words are address, length, ..., file. */
int oat_save_memory(const struct oat *oat, const struct memory *memory, const struct words *words,
                    struct tally_error *error);

/* ---- oat_inputs.c ---------------------------------------------------------------------------- */

extern const struct oat_command oat_input_commands[];
extern const size_t oat_input_command_count;

/* ---- oat_gpu.c, oat_engines.c, oat_access.c, oat_pci.c: a whole GPU ----------------------- */

/* Creates a GPU that contains the unit. */
int oat_command_gpu(struct oat *oat, const struct words *words, struct tally_error *error);
void oat_gpu_free(struct oat_gpu *gpu);
struct tally_gpu *oat_gpu_model(const struct oat *oat);

/* Parses an address space: "ggtt" or a number. */
int oat_take_space(const struct word *word, uint32_t *space, struct tally_error *error);

/* Commands for a whole GPU; they take precedence over those of the unit. */
extern const struct oat_command oat_gpu_commands[];
extern const size_t oat_gpu_command_count;
extern const struct oat_command oat_engine_commands[];
extern const size_t oat_engine_command_count;
extern const struct oat_command oat_access_commands[];
extern const size_t oat_access_command_count;
extern const struct oat_command oat_pci_commands[];
extern const size_t oat_pci_command_count;

#endif
