/* SPDX-License-Identifier: MIT */
/* Random programs of MI commands on the command streamer and on the plain reference: the same
 * clocks, memory, registers, log and fault. */
#include "intel/cs_reference.h"

#define STEPS  300
#define BATCH  0x1000u /* bytes of code at MACHINE_CODE and at SECOND */
#define SECOND 0x4000u
#define DATA   0x6000u /* where most operands lie */

enum { MI_ATOMIC_NUMBER = 0x2f, MI_MATH_NUMBER = 0x1a };

struct program {
    struct random rng;
    unsigned version;
    uint32_t starts[400]; /* of commands, to jump to */
    unsigned start_count;
};

static uint32_t below(struct program *p, uint32_t limit)
{
    return (uint32_t)random_below(&p->rng, limit);
}

/* One in n. */
static bool seldom(struct program *p, uint32_t n)
{
    return !below(p, n);
}

static uint32_t any_data(struct program *p)
{
    return below(p, 4) ? below(p, 8) : (uint32_t)random_magnitude(&p->rng);
}

static uint32_t any_address(struct program *p)
{
    if (seldom(p, 200))
        return (uint32_t)random_next(&p->rng);
    return DATA + below(p, 0x40) * 4;
}

static uint32_t any_register(struct program *p)
{
    static const uint32_t others[] = {0x2418, 0x241c, 0x2214, 0x23bc, 0x2028, 0x2040, 0x2044,
                                      0x2048, 0x2158, 0x2080, 0x4080, 0x2340, 0x2364, 0x2358,
                                      0x235c, 0x2094, 0x2068, 0x2074, 0x9888, 0x2360};
    uint32_t relative = p->version >= 110 && below(p, 2) ? 0x2000 : 0;
    if (below(p, 2))
        return 0x2600 + 4 * below(p, 12) - relative;
    if (below(p, 3) == 0)
        return 0x2400 + 4 * below(p, 6) - relative;
    return others[below(p, COUNT(others))] - relative;
}

static uint32_t any_instruction(struct program *p)
{
    static const uint32_t operations[] = {0, 0x100, 0x101, 0x102, 0x103, 0x104};
    uint32_t kind = below(p, 3);
    if (seldom(p, 300))
        return (uint32_t)random_next(&p->rng);
    if (kind == 0)
        return (below(p, 2) << 10 | 0x080 | below(p, 2)) << 20 | (0x20 + below(p, 2)) << 10 |
               below(p, 6);
    if (kind == 1)
        return operations[below(p, COUNT(operations))] << 20;
    return (below(p, 2) << 10 | 0x180) << 20 | below(p, 6) << 10 | (0x31 + below(p, 3));
}

static uint32_t any_target(struct program *p)
{
    return p->starts[below(p, p->start_count)];
}

/* The dwords behind the first, as a pattern: a address, d data, r register, i instruction, t target
 * of a jump, 0 zero, f flags of PIPE_CONTROL; the last one repeats. */
static const struct {
    uint32_t number;
    const char *old, *wide; /* before Gen8, and from it on */
} patterns[] = {
    {0x16, "dx", ""},
    {0x18, "d", ""},
    {0x1a, "i", "i"},
    {0x1c, "", "da0d"},
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
    {0xf4, "fadd", "fa0dd"},
};

static uint32_t operand(struct program *p, char kind)
{
    switch (kind) {
    case 'a':
        return any_address(p) | (below(p, 4) ? 0 : below(p, 8));
    case 'r':
        return any_register(p);
    case 'i':
        return any_instruction(p);
    case 't':
        return any_target(p);
    case 'x':
        return below(p, 2) ? any_address(p) : any_register(p);
    case 'f':
        return below(p, 2) << 14 | below(p, 4) << 14 | below(p, 2) << 20 |
               (seldom(p, 6) ? (uint32_t)random_next(&p->rng) & 0x01a00100 : 0);
    case '0':
        return 0;
    default:
        return any_data(p);
    }
}

/* First dwords of commands that random bits would seldom make valid. */
static uint32_t header(struct program *p, const struct cs_command *c, uint32_t flags)
{
    uint32_t number = c->opcode >> 23;
    if (number == MI_ATOMIC_NUMBER && !seldom(p, 10)) {
        uint32_t size = below(p, 5) % 3, operation = size == 2 ? 14 : 1 + below(p, 15);
        flags =
            (flags & (1u << 22 | 1u << 18 | 1u << 16)) | size << 19 | size << 13 | operation << 8;
        flags |= seldom(p, 4) && size < 2 ? 1u << 21 | 1u << 18 : 0;
    }
    if (number == 0x31 && !seldom(p, 10))
        flags |= 1u << 8;
    if (number == 0x0c)
        flags &= ~(1u << 6) | (seldom(p, 10) << 6);
    if (number == 0x01 && !seldom(p, 4))
        flags &= ~0xfu;
    return flags;
}

static uint32_t put_command(struct program *p, uint32_t *to, const struct cs_command *c)
{
    uint32_t span = c->max_dwords - c->min_dwords;
    uint32_t length = c->min_dwords + below(p, (span > 8 ? 8 : span) + 1);
    uint32_t any = (uint32_t)(random_next(&p->rng) & random_next(&p->rng)),
             number = c->opcode >> 23;
    const char *pattern = "";
    for (size_t i = 0; i < COUNT(patterns); i++)
        if (patterns[i].number == number)
            pattern = p->version >= 80 ? patterns[i].wide : patterns[i].old;
    uint32_t field = c->length_bits ? (1u << c->length_bits) - 1 : 0;
    to[0] = c->opcode | (header(p, c, any) & ~c->mask & ~field) | (field ? length - 2 : 0);
    for (uint32_t i = 1; i < length; i++) {
        to[i] = operand(p, *pattern ? *pattern : 'd');
        pattern += *pattern && pattern[1];
    }
    if (seldom(p, 400)) /* of the same type still: the reference has only these */
        to[0] ^= 1u << below(p, c->opcode >> 29 ? 16 : 29);
    return length;
}

/* MI commands, PIPE_CONTROL and 3DPRIMITIVE of the version. */
static const struct cs_command *any_command(struct program *p)
{
    for (;;) {
        const struct cs_command *c = &cs_commands[below(p, (uint32_t)cs_command_count)];
        uint32_t type = c->opcode >> 16;
        bool covered = c->opcode >> 29 == 0 || type == 0x7a00 || type == 0x7b00;
        bool ends = c->opcode >> 23 == 0x0a || c->opcode >> 23 == 0x36;
        if (covered && p->version >= c->first && p->version <= c->last && (!ends || seldom(p, 3)))
            return c;
    }
}

static void put_batch(struct program *p, uint32_t *memory, uint32_t at)
{
    for (uint32_t end = at + BATCH / 2; at < end;) {
        p->starts[p->start_count++ % COUNT(p->starts)] = at;
        if (p->start_count > COUNT(p->starts))
            p->start_count = COUNT(p->starts);
        at += 4 * put_command(p, memory + at / 4, any_command(p));
    }
    memory[at / 4] = 0x05000000;
}

static void make_program(struct program *p, struct machine *machine)
{
    p->version = machine->platform->version;
    p->start_count = 0;
    p->starts[p->start_count++] = SECOND;
    for (unsigned space = 0; space < MACHINE_SPACES; space++) {
        for (uint32_t at = DATA; at < MACHINE_BYTES; at += 4)
            machine->memory[space][at / 4] = any_data(p);
        put_batch(p, machine->memory[space], SECOND);
        put_batch(p, machine->memory[space], MACHINE_CODE);
    }
    machine->ticking = below(p, 2);
    machine->work_clocks = below(p, 100);
}

static bool same_registers(const struct streamer *s, const struct cs_reference *r)
{
    return !memcmp(s->gpr, r->gpr, sizeof r->gpr) &&
           !memcmp(s->predicate_source, r->source, sizeof r->source) &&
           s->predicate_data == r->difference && s->predicate_result == r->result &&
           s->predicate_result_1 == r->result_1 && s->predicate_result_2 == r->result_2 &&
           s->excc == r->excc && s->bb_offset == r->bb_offset && s->nopid == r->nopid &&
           s->hws_pga == r->status_page && s->acthd == r->acthd && s->ipehr == r->ipehr &&
           s->sync[0] == r->mailbox[0] && s->sync[2] == r->mailbox[1] &&
           s->sync[1] == r->mailbox[2] && s->predicated == r->noop;
}

/* Returns what differs, or NULL. */
static const char *difference(const struct machine *machine, const struct cs_reference *r)
{
    const struct streamer *s = &machine->streamer;
    if (machine->clocks != r->machine.clocks)
        return "clocks";
    if (s->fault != r->fault || (r->fault && s->fault_place.address != r->fault_address))
        return "fault";
    if (!same_registers(s, r))
        return "registers";
    if (memcmp(machine->memory, r->machine.memory, sizeof machine->memory) != 0)
        return "memory";
    if (machine->register_count != r->machine.register_count ||
        memcmp(machine->registers, r->machine.registers, sizeof machine->registers) != 0)
        return "other registers";
    return strcmp(machine->log, r->machine.log) != 0 ? "log" : NULL;
}

struct totals {
    uint64_t steps, stopped, ended, foreign;
};

static void run_both(struct program *p, struct machine *machine, struct cs_reference *r,
                     unsigned round, struct totals *totals)
{
    struct streamer_submission batch = {
        .id = 7,
        .ppgtt = 1,
        .batch = {MACHINE_CODE, below(p, 3) ? 1 : 0, below(p, 2)},
    };
    cs_reference_init(r, machine->platform->name, batch.batch.space, batch.batch.privileged);
    memcpy(r->machine.memory, machine->memory, sizeof machine->memory);
    r->machine.ticking = machine->ticking;
    r->machine.work_clocks = machine->work_clocks;
    r->machine.quiet_contexts = machine->quiet_contexts = true;
    assert_int_equal(streamer_submit(&machine->streamer, &batch), 0);
    for (unsigned i = 0; i < STEPS; i++, totals->steps++) {
        uint32_t clocks;
        enum streamer_status status =
            streamer_step(&machine->streamer, &machine->callbacks, &clocks);
        enum streamer_status expected = cs_reference_step(r);
        machine->clocks += clocks;
        machine->timestamp += machine->ticking ? clocks : 0;
        if (r->foreign) {
            totals->foreign++;
            return;
        }
        bool same = status == expected && machine->clocks == r->machine.clocks;
        if (!same) {
            ROW(__LINE__, same,
                "round %u, %s, step %u: status %d, expected %d; clocks %u, expected %u; command "
                "%08x at %" PRIx64,
                round, machine->platform->name, i, status, expected, (unsigned)machine->clocks,
                (unsigned)r->machine.clocks, r->dword[0], r->at.address);
            return;
        }
        if (status != STREAMER_STOPPED && status != STREAMER_IDLE)
            continue;
        totals->stopped += status == STREAMER_STOPPED;
        totals->ended += status == STREAMER_IDLE;
        break;
    }
    const char *what = difference(machine, r);
    ROW(__LINE__, !what, "round %u, %s: %s differ; last command %08x at %" PRIx64 "\n%s\n%s", round,
        machine->platform->name, what ? what : "", r->dword[0], r->at.address, machine->log,
        r->machine.log);
}

static void test_against_reference(void **state)
{
    (void)state;
    static const char *const platforms[] = {"snb", "ivb", "vlv", "hsw", "bdw", "chv",
                                            "skl", "cnl", "icl", "lkf", "tgl", "dg1"};
    struct machine *machine = malloc(sizeof *machine);
    struct cs_reference *reference = malloc(sizeof *reference);
    struct program *program = malloc(sizeof *program);
    struct totals totals = {0};
    unsigned rounds = random_cases(2000);
    program->rng = random_start(11);
    for (unsigned round = 0; round < rounds; round++) {
        machine_init(machine, platforms[round % COUNT(platforms)]);
        make_program(program, machine);
        run_both(program, machine, reference, round, &totals);
    }
    ROW(__LINE__, totals.steps > 10 * rounds && totals.foreign * 20 <= rounds + 19,
        "%u steps, %u stopped, %u ended, %u foreign", (unsigned)totals.steps,
        (unsigned)totals.stopped, (unsigned)totals.ended, (unsigned)totals.foreign);
    free(machine);
    free(reference);
    free(program);
    ROWS_DONE();
}

int test_cs_compare(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_reference),
    };
    return cmocka_run_group_tests_name("cs compare", tests, NULL, NULL);
}
