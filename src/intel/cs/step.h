/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_CS_STEP_H
#define TALLY_INTEL_CS_STEP_H

/* The execution of one command. */

#include "intel/cs/commands.h"
#include "intel/cs/streamer.h"
#include "intel/cs/symbols.h"

/* Length of the longest command that loads registers, MI_LOAD_REGISTER_IMM. The dwords of longer
 * commands beyond this are read when they are needed. */
#define STEP_DWORDS 257

/* Bits of an MMIO offset in a command. */
#define REGISTER_OFFSET CS_MASK(MI_LOAD_REGISTER_IMM_PAIR, REGISTER_OFFSET)

struct step {
    struct streamer *streamer;
    const struct streamer_callbacks *callbacks;
    const struct cs_command *command;
    struct streamer_place place; /* location of the command's first dword */
    uint32_t length;             /* length of the command in dwords */
    uint32_t count;              /* dwords that are in `dwords` */
    bool jumped;                 /* the command has set the next command's location */
    uint32_t dwords[STEP_DWORDS];
};

enum step_result { STEP_DONE, STEP_WAITS, STEP_FAULT };

/* ---- streamer.c ------------------------------------------------------------------------------ */

/* Returns the mask of valid address bits. */
uint64_t step_mask(const struct streamer *streamer);

/* Return the address of the command's n-th dword, and the dword itself; false after a fault. */
uint64_t step_address(const struct step *step, uint32_t n);
bool step_dword(struct step *step, uint32_t n, uint32_t *out);

/* Returns the value of an operand; 0 if the command does not have it. */
uint64_t step_operand(const struct step *step, enum cs_operand operand);

/* Records a fault of the command. `dword`: the dword to report. */
enum step_result step_fault(struct step *step, enum streamer_fault fault, uint32_t dword);

/* Advances to the next command in memory. */
void step_advance(struct step *step);

/* ---- memory.c -------------------------------------------------------------------------------- */

/* Read or write a dword of memory; false after a fault. */
bool step_read(struct step *step, uint32_t space, uint64_t address, uint32_t *out);
bool step_write(struct step *step, uint32_t space, uint64_t address, uint32_t value);

/* Returns the address space that a GGTT operand selects. */
uint32_t step_space(const struct step *step, enum cs_operand ggtt);

/* Read or write a register of the streamer or of another unit. Writes that the batch is not allowed
 * to make are dropped. */
uint32_t step_read_register(struct step *step, uint32_t address);
void step_write_register(struct step *step, uint32_t address, uint32_t value);

/* Whether started work is still in progress. */
bool step_busy(const struct step *step);

/* ---- execute.c, atomic.c, math.c, predicate.c ------------------------------------------------ */

enum step_result step_execute(struct step *step);
enum step_result step_atomic(struct step *step);
enum step_result step_math(struct step *step);
enum step_result step_predicate(struct step *step);
enum step_result step_set_predicate(struct step *step);

/* ---- wait.c ---------------------------------------------------------------------------------- */

/* Compares as a semaphore's Compare Operation says; reserved ones are SAD_NOT_EQUAL_SDD. */
bool step_compare(unsigned compare, uint32_t memory, uint32_t data);

enum step_result step_semaphore_wait(struct step *step);
enum step_result step_semaphore_signal(struct step *step);
enum step_result step_semaphore_mbox(struct step *step);
enum step_result step_wait_for_event(struct step *step);

#endif
