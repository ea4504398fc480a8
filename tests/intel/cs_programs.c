/* SPDX-License-Identifier: MIT */
#include "intel/cs_programs.h"

/* In the GGTT and in PPGTT 1: code in three places, and data; in the GGTT a ring as well. */
#define RING       0x2000u
#define RING_BYTES 0x1000u
#define DATA       0x6000u
#define DATA_BYTES 0x400u
#define PAGE       0x7000u /* the hardware status page */

static const struct {
    uint32_t at, bytes;
} places[] = {{MACHINE_CODE, 0x500}, {0x4000, 0x500}, {0x5000, 0x300}};

enum {
    SET_PREDICATE = 0x01,
    BATCH_END = 0x0a,
    PREDICATE = 0x0c,
    ATOMIC = 0x2f,
    BATCH_START = 0x31,
    CONDITIONAL_END = 0x36,
};

uint32_t program_below(struct program *p, uint32_t limit)
{
    return (uint32_t)random_below(&p->rng, limit);
}

/* One in n. */
static bool seldom(struct program *p, uint32_t n)
{
    return !program_below(p, n);
}

uint32_t program_data(struct program *p)
{
    static const uint32_t masked[] = {0x10001000, 0x10000000, 0x001f0001, 0x001f0000, PAGE, DATA};
    if (p->bits && !seldom(p, 20))
        return program_below(p, 2);
    if (seldom(p, 12))
        return masked[program_below(p, COUNT(masked))];
    return program_below(p, 4) ? program_below(p, 8) : (uint32_t)random_magnitude(&p->rng);
}

static uint32_t any_address(struct program *p)
{
    if (seldom(p, 200))
        return (uint32_t)random_next(&p->rng);
    return DATA + program_below(p, 0x40) * 4;
}

/* Registers of the streamer, by their offset or, as commands without the flag of Gen11 need them,
 * by their address; sometimes those of other units and engines. */
static uint32_t any_register(struct program *p)
{
    static const uint32_t own[] = {0x028, 0x040, 0x044, 0x048, 0x05c, 0x068, 0x074, 0x080,
                                   0x094, 0x09c, 0x158, 0x180, 0x214, 0x3bc, 0x340, 0x350,
                                   0x358, 0x35c, 0x360, 0x364, 0x418, 0x41c, 0x2080};
    static const uint32_t others[] = {0x2600, 0x2418, 0x22600, 0x9888, 0x4080, 0x4180};
    uint32_t base = p->version >= 110 && program_below(p, 2) ? 0 : p->base;
    if (seldom(p, 20))
        return others[program_below(p, COUNT(others))];
    if (seldom(p, 20)) /* the ring's */
        return base + 0x030 + 4 * program_below(p, 4);
    if (program_below(p, 2))
        return base + 0x600 + 4 * program_below(p, 12);
    if (program_below(p, 3) == 0)
        return base + 0x400 + 4 * program_below(p, 6);
    return base + own[program_below(p, COUNT(own))];
}

static uint32_t any_instruction(struct program *p)
{
    static const uint32_t operations[] = {0, 0x100, 0x101, 0x102, 0x103, 0x104};
    uint32_t kind = program_below(p, 3);
    if (seldom(p, 300))
        return (uint32_t)random_next(&p->rng);
    if (kind == 0)
        return (program_below(p, 2) << 10 | 0x080 | program_below(p, 2)) << 20 |
               (0x20 + program_below(p, 2)) << 10 | program_below(p, 6);
    if (kind == 1)
        return operations[program_below(p, COUNT(operations))] << 20;
    return (program_below(p, 2) << 10 | 0x180) << 20 | program_below(p, 6) << 10 |
           (0x31 + program_below(p, 3));
}

static uint32_t any_target(struct program *p)
{
    if (!p->start_count || seldom(p, 8))
        return places[program_below(p, COUNT(places))].at;
    return p->starts[program_below(p, p->start_count)];
}

/* The dwords behind the first, as a pattern: a address, d data, r register, i instruction, t target
 * of a jump, 0 zero, x address or register, f flags of PIPE_CONTROL; the last one repeats. */
static const struct {
    unsigned number;
    const char *old, *wide; /* before Gen8, and from it on */
} patterns[] = {
    {0x16, "dx", ""},
    {0x18, "d", ""},
    {0x1a, "i", "i"},
    {0x1c, "", "dx0d"},
    {0x20, "0ad", "a0d"},
    {0x21, "dd", "dd"},
    {0x22, "rdrdrdrd", "rdrdrdrd"},
    {0x24, "ra", "ra0"},
    {0x26, "add", "a0dd"},
    {0x27, "a0", "a00"},
    {0x28, "ad", "a0d"},
    {0x29, "ra", "ra0"},
    {0x2a, "rr", "rr"},
    {0x2b, "0ad", "a0d"},
    {0x2c, "da", "da0"},
    {0x2d, "da", "da0"},
    {0x2e, "", "a0a0"},
    {0x2f, "", "a0d"},
    {0x31, "t", "t0"},
    {0x36, "da", "da0"},
    {NUMBER_PIPE_CONTROL, "fadd", "fa0dd"},
};

static uint32_t operand(struct program *p, char kind)
{
    switch (kind) {
    case 'a':
        return any_address(p) | (program_below(p, 4) ? 0 : program_below(p, 8));
    case 'r':
        return any_register(p);
    case 'i':
        return any_instruction(p);
    case 't':
        return any_target(p);
    case 'x':
        return program_below(p, 4) ? any_address(p) : any_register(p);
    case 'f':
        return program_below(p, 2) << 14 | program_below(p, 4) << 14 | program_below(p, 2) << 20 |
               (seldom(p, 6) ? (uint32_t)random_next(&p->rng) & 0x01a00100 : 0);
    case '0': /* mostly the upper half of an address */
        return seldom(p, 500) ? (uint32_t)random_magnitude(&p->rng) : 0;
    default:
        return program_data(p);
    }
}

/* Flags of commands that random bits would seldom make valid. */
static uint32_t flags_of(struct program *p, unsigned number, uint32_t flags)
{
    if (number == ATOMIC && !seldom(p, 10)) {
        uint32_t size = program_below(p, 5) % 3,
                 operation = size == 2 ? 14 : 1 + program_below(p, 15);
        flags =
            (flags & (1u << 22 | 1u << 18 | 1u << 16)) | size << 19 | size << 13 | operation << 8;
        flags |= seldom(p, 4) && size < 2 ? 1u << 21 | 1u << 18 : 0;
    }
    if (number == BATCH_START) {
        flags |= seldom(p, 10) ? 0 : 1u << 8;
        flags |= program_below(p, 2) << 22;
        flags &= seldom(p, 3) ? UINT32_MAX : ~(1u << 16 | 1u << 15);
    }
    if (number == PREDICATE)
        flags &= ~(1u << 6) | (seldom(p, 10) << 6);
    if (number == SET_PREDICATE && !seldom(p, 4))
        flags &= ~0xfu;
    if (number == CONDITIONAL_END && program_below(p, 2))
        flags |= 1u << 21;
    return flags;
}

static uint32_t opcode_of(unsigned number)
{
    switch (number) {
    case NUMBER_PIPE_CONTROL:
        return 0x7a000000;
    case NUMBER_3DPRIMITIVE:
        return 0x7b000000;
    case NUMBER_COLOR_BLT:
        return 0x50000000;
    case NUMBER_VIDEO:
        return 0x60000000;
    default:
        return number << 23;
    }
}

/* A command, mostly one that the engine has. */
static unsigned any_number(struct program *p)
{
    for (;;) {
        unsigned number = program_below(p, NUMBER_VIDEO + 1);
        bool ends = number == BATCH_END || number == CONDITIONAL_END;
        if (seldom(p, 2000))
            return number;
        if (reference_shape_on(p->version, p->engine, number) && (!ends || seldom(p, 4)))
            return number;
    }
}

/* Writes a command of `number` into `to`, of at least 1100 dwords. Returns its length. */
static uint32_t put_command(struct program *p, uint32_t *to, unsigned number)
{
    const struct reference_shape *shape = reference_shape_of(p->version, number);
    uint32_t field = shape && shape->field ? (1u << shape->field) - 1 : 0;
    uint32_t span = shape ? shape->max - shape->min : 0, length = shape ? shape->min : 1;
    uint32_t any = (uint32_t)(random_next(&p->rng) & random_next(&p->rng));
    uint32_t flag_bits = number >= NUMBER_PIPE_CONTROL ? 0x100 : 0x7fffff;
    const char *pattern = "";
    length += program_below(p, (span > 8 && !seldom(p, 400) ? 8 : span) + 1);
    for (size_t i = 0; i < COUNT(patterns); i++)
        if (patterns[i].number == number)
            pattern = p->version >= 80 ? patterns[i].wide : patterns[i].old;
    to[0] = opcode_of(number) | (flags_of(p, number, any) & flag_bits & ~field) |
            (field ? length - 2 : 0);
    for (uint32_t i = 1; i < length; i++) {
        to[i] = operand(p, *pattern ? *pattern : 'd');
        pattern += *pattern && pattern[1];
    }
    if (field && seldom(p, 400)) /* another length, that is often wrong */
        to[0] = (to[0] & ~field) | program_below(p, 6);
    if (seldom(p, 1000)) /* of the same type still: the reference has only these of the others */
        to[0] ^= 1u << program_below(p, number >= NUMBER_PIPE_CONTROL ? 16 : 29);
    return length;
}

static void add_start(struct program *p, uint32_t at)
{
    if (p->start_count < COUNT(p->starts))
        p->starts[p->start_count++] = at;
}

/* Half of Gen12's programs begin with nested batches switched on: MI_MODE. */
static uint32_t put_first(struct program *p, uint32_t *to, bool first)
{
    if (!first || p->version < 120 || program_below(p, 2))
        return 0;
    to[0] = 0x11080001;
    to[1] = 0x9c;
    to[2] = 0x10001000;
    return 3;
}

static void put_batch(struct program *p, uint32_t *memory, uint32_t at, uint32_t bytes)
{
    uint32_t command[1100], start = at, end = at + bytes;
    while (at < end) {
        uint32_t count = put_first(p, command, at == start);
        if (!count)
            count = put_command(p, command, any_number(p));
        add_start(p, at);
        for (uint32_t i = 0; i < count && at < end + 0x100; i++, at += 4)
            memory[at / 4] = command[i];
    }
    memory[at / 4] = 0x05000000;
}

/* A dword of the ring, if it is in memory: it may lie across the end of the GGTT. */
static void put_in_ring(struct program *p, uint32_t *memory, uint32_t at, uint32_t dword)
{
    uint32_t address = p->submission.ring_start + at % p->submission.ring_size;
    if (address < DATA)
        memory[address / 4] = dword;
}

/* In the ring commands go round its end; a third of them start batches. */
static void put_ring(struct program *p, uint32_t *memory)
{
    struct streamer_submission *ring = &p->submission;
    uint32_t command[1100], starts[2 * RING_BYTES / 4], start_count = 0;
    bool across = seldom(p, 12);
    ring->ring_start = across ? 0 - RING_BYTES : RING;
    ring->ring_size = across ? 2 * RING_BYTES : RING_BYTES;
    for (uint32_t at = across ? RING_BYTES : 0; at < ring->ring_size;) {
        unsigned number = seldom(p, 3) ? BATCH_START : any_number(p);
        bool ends = number == BATCH_END || number == CONDITIONAL_END;
        uint32_t count = put_first(p, command, seldom(p, 8));
        if (!count)
            count = put_command(p, command, ends && !seldom(p, 40) ? 0 : number);
        starts[start_count++] = at;
        for (uint32_t i = 0; i < count; i++, at += 4)
            put_in_ring(p, memory, at, command[i]);
    }
    ring->ring_head = starts[program_below(p, start_count)];
    ring->ring_tail = (ring->ring_head + 8 * program_below(p, 60) + 16) % ring->ring_size & ~7u;
}

void make_program(struct program *p, struct cs_reference *r)
{
    p->version = r->version;
    p->engine = r->kind;
    p->base = r->base;
    p->start_count = 0;
    p->bits = seldom(p, 5);
    for (unsigned space = 0; space < 2; space++) {
        uint32_t *memory = r->machine.memory[space];
        for (uint32_t at = DATA; at < DATA + DATA_BYTES; at += 4)
            memory[at / 4] = program_data(p);
        for (size_t i = COUNT(places); i-- > 0;)
            put_batch(p, memory, places[i].at, places[i].bytes);
    }
    p->submission = (struct streamer_submission){
        .id = 7,
        .ppgtt = 1,
        .batch = {MACHINE_CODE, program_below(p, 3) ? 1 : 0, program_below(p, 2)},
    };
    if (seldom(p, 3))
        put_ring(p, r->machine.memory[0]);
}
