/* SPDX-License-Identifier: MIT */
#ifndef TESTS_INTEL_CS_REFERENCE_H
#define TESTS_INTEL_CS_REFERENCE_H

/*
 * A command streamer once more, plainly and without the model's tables: bit numbers as the
 * documents print them, one function a command, a row for each register. It has all MI commands of
 * all engines, and of the pipelines PIPE_CONTROL and one command of each kind that starts work. It
 * runs one ring or batch on a struct machine of its own, whose streamer is not used.
 */

#include "intel/cs_machine.h"

enum reference_engine { REFERENCE_RCS, REFERENCE_BCS, REFERENCE_VCS, REFERENCE_VECS };

struct reference_place {
    uint64_t address;
    uint32_t space;
    bool privileged;
};

/* A command of some versions: its lengths and its time. */
struct reference_shape {
    unsigned number; /* bits 28:23 of an MI command, or one of enum reference_number */
    const char *name;
    unsigned first, last;
    unsigned field;    /* bits of the length field; 0: one dword */
    unsigned min, max; /* dwords */
    unsigned clocks;
    unsigned group_clocks, group_at, group_size; /* of each group of dwords, from one on */
};

enum reference_number {
    NUMBER_PIPE_CONTROL = 64,
    NUMBER_3DPRIMITIVE,
    NUMBER_COLOR_BLT,
    NUMBER_VIDEO,
    NUMBER_NONE = 255,
};

struct cs_reference {
    struct machine machine; /* memory, other registers, the log, clocks */
    const char *engine;     /* its name */
    enum reference_engine kind;
    uint32_t base; /* of its registers */
    unsigned version, slices;

    unsigned level; /* 0: the ring; 1 to 3: batches */
    bool waiting, running, has_ring, has_first;
    uint32_t id;
    struct reference_place place[4]; /* of the next command; [0] is not used */
    uint32_t ppgtt;

    uint64_t gpr[16], source[2], difference;
    uint32_t result, result_1, result_2, excc, mailbox[3];
    uint32_t ring_tail, ring_head, ring_start, ring_ctl;
    uint32_t bb_offset, ccid, nopid, ipehr, status_page, mi_mode;
    uint64_t acthd;
    bool noop, arbitration, suspend_flush, flushing;
    bool id_quirk, id_corrupt; /* BDW and CHV */
    uint32_t corrupt_id;

    /* The command. */
    const struct reference_shape *shape;
    uint32_t dword[257], length;
    struct reference_place at;
    bool jumped;
    bool foreign; /* a pipeline or blitter command that is not here: do not go on */

    enum streamer_fault fault;
    struct reference_place fault_at;
    uint32_t fault_dword, fault_space;
    uint64_t fault_target;

    enum streamer_activity activity; /* of the latest step */
    uint64_t executed, noops, illegal, illegal_writes, worked;
};

/* Names the n-th engine of all platforms: "icl/bcs0". Returns false past the last. */
#define REFERENCE_NAME 24
bool cs_reference_name(size_t n, char name[REFERENCE_NAME]);
size_t cs_reference_engines(void);

/* At reset, with nothing in memory. platform: "icl/bcs0". */
void cs_reference_init(struct cs_reference *r, const char *platform);

/* Submits a ring or a batch; once. */
void cs_reference_begin(struct cs_reference *r, const struct streamer_submission *submission);

/* Whether there is nothing to do. */
bool cs_reference_is_idle(const struct cs_reference *r);

/* One command. */
enum streamer_status cs_reference_step(struct cs_reference *r);

/* Writes what streamer_explain() should say; empty without a fault. */
void cs_reference_explain(const struct cs_reference *r, char *text, size_t size);

/* ---- cs_reference_shapes.c ------------------------------------------------------------------- */

/* Finds a command; NULL: the version, or the engine, does not have it. */
const struct reference_shape *reference_shape_of(unsigned version, unsigned number);
const struct reference_shape *reference_shape_on(unsigned version, enum reference_engine engine,
                                                 unsigned number);

/* Returns the number of a first dword on an engine; NUMBER_NONE: it is not of a command here. */
unsigned reference_number_of(enum reference_engine engine, uint32_t dword);

/* ---- cs_reference_commands.c ----------------------------------------------------------------- */

enum outcome { DONE, WAIT, STOP };

enum outcome reference_stop(struct cs_reference *r, enum streamer_fault fault, uint32_t dword);
enum outcome reference_execute(struct cs_reference *r);
bool reference_busy(const struct cs_reference *r);

/* ---- cs_reference_arithmetic.c --------------------------------------------------------------- */

enum outcome reference_atomic(struct cs_reference *r);
enum outcome reference_math(struct cs_reference *r);
enum outcome reference_predicate(struct cs_reference *r);
enum outcome reference_set_predicate(struct cs_reference *r);

/* ---- cs_reference_registers.c ---------------------------------------------------------------- */

/* Returns the mask of an address. */
uint64_t reference_reach(const struct cs_reference *r);

/* Moves the level's position behind the command. */
void reference_pass(struct cs_reference *r);

/* Returns the address of the command's n-th dword. */
uint64_t reference_address(const struct cs_reference *r, uint32_t n);

uint32_t reference_ring_size(const struct cs_reference *r);
uint32_t reference_ring_offset(const struct cs_reference *r);

/* Finds a dword of memory; NULL after a fault. */
uint32_t *reference_find(struct cs_reference *r, uint32_t space, uint64_t address);

/* Stores a dword; false after a fault. */
bool reference_put(struct cs_reference *r, uint32_t space, uint64_t address, uint32_t value);

uint32_t reference_get(struct cs_reference *r, uint32_t address);
void reference_set(struct cs_reference *r, uint32_t address, uint32_t value);

/* ---- operands -------------------------------------------------------------------------------- */

static inline uint32_t bits(uint32_t dword, unsigned low, unsigned high)
{
    return (uint32_t)(dword >> low & ((UINT64_C(1) << (high - low + 1)) - 1));
}

static inline bool bit(uint32_t dword, unsigned n)
{
    return dword >> n & 1;
}

/* An address in dwords n and, from Gen8 on, n + 1. */
static inline uint64_t address_at(const struct cs_reference *r, unsigned n, unsigned low)
{
    uint64_t address = r->dword[n];
    if (r->version >= 80)
        address |= (uint64_t)(r->dword[n + 1] & 0xffff) << 32;
    return address >> low << low;
}

static inline uint32_t space_by(const struct cs_reference *r, bool ggtt)
{
    return ggtt ? 0 : r->ppgtt;
}

#endif
