/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_CS_STEP_H
#define TALLY_INTEL_CS_STEP_H

/* One command on its way through the streamer. */

#include "intel/cs/commands.h"
#include "intel/cs/streamer.h"
#include "intel/cs/symbols.h"

/* The longest command whose operands are registers: MI_LOAD_REGISTER_IMM. Of longer ones, the rest
 * is read when it is needed. */
#define STEP_DWORDS 257

/* Bits of an MMIO offset in a command. */
#define REGISTER_OFFSET CS_MASK(MI_LOAD_REGISTER_IMM_PAIR, REGISTER_OFFSET)

struct step {
    struct streamer *streamer;
    const struct streamer_world *world;
    const struct cs_command *command;
    struct streamer_place place; /* of the command's first dword */
    uint32_t length;             /* dwords of the command */
    uint32_t count;              /* of them, in `dwords` */
    bool jumped;                 /* the next command is not the one behind this one */
    uint32_t dwords[STEP_DWORDS];
};

enum step_result { STEP_DONE, STEP_WAITS, STEP_FAULT };

/* ---- streamer.c ------------------------------------------------------------------------------ */

/* Addresses that the version's commands can name. */
uint64_t step_mask(const struct streamer *streamer);

/* The address of the command's n-th dword, and the dword itself; false after a fault. */
uint64_t step_address(const struct step *step, uint32_t n);
bool step_dword(struct step *step, uint32_t n, uint32_t *out);

/* An operand of the command, 0 if it has none; and of the group of fields that begins at dword
 * `at`. */
uint64_t step_operand(const struct step *step, enum cs_operand operand);

/* Notes a fault at the command, about `dword`. */
enum step_result step_fault(struct step *step, enum streamer_fault fault, uint32_t dword);

/* Moves to the command behind this one. */
void step_advance(struct step *step);

/* ---- memory.c -------------------------------------------------------------------------------- */

/* Dwords of memory; false after a fault. */
bool step_read(struct step *step, uint32_t space, uint64_t address, uint32_t *out);
bool step_write(struct step *step, uint32_t space, uint64_t address, uint32_t value);

/* The address space that the command's GGTT operand chooses. */
uint32_t step_space(const struct step *step, enum cs_operand ggtt);

/* Registers, the streamer's own and others. A write is dropped where the batch may not. */
uint32_t step_read_register(struct step *step, uint32_t address);
void step_write_register(struct step *step, uint32_t address, uint32_t value);

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
