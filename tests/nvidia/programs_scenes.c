/* SPDX-License-Identifier: MIT */
/* Short deliberate sequences for events that are rare by chance. */
#include "programs.h"

#include <inttypes.h>

static void put_ctrl(struct program *program, unsigned dom, uint64_t value)
{
    program_wr(program, program_ctrl(program, dom), program_ctrl_value(program, value));
}

static void read_status(struct program *program, unsigned dom)
{
    program_rd(program, 0xa6e0 + dom * 4);
    program_peek(program, dom, "valid");
    program_peek(program, dom, "busy");
    program_peek(program, dom, "wedged");
}

/* Reaches COUNTING after three clocks and stays there: PRE and START are always 1, STOP rarely. */
static void start_counting(struct program *program, unsigned dom)
{
    program_write_ctrl(program, dom, PROFILE_SINGLE);
    program_wr(program, program_register(program, dom, 0x620, 0x700), 0);
    program_wr(program, program_register(program, dom, 0x624, 0x740), program_below(program, 4));
    program_write_src(program, dom, IN_START, FLAVOR_ANY);
    program_wr(program, program_op(program, dom, IN_START), 0xffff);
    program_write_input(program, dom, IN_EVENT, FLAVOR_ANY);
    program_write_input(program, dom, IN_STOP, FLAVOR_SPARSE);
    program_begin_single(program, dom, 0xffff);
    program_run_clocks(program, dom, 3);
}

/* Event counters, STOP counter and cycles of record mode near their ends; half the time without a
 * buffer, so that they continue. */
static void record_ends(struct program *program, unsigned dom)
{
    if (!program_has_record(program))
        return;
    if (program_chance(program, 50)) {
        for (unsigned input = IN_PRE; input <= IN_EVENT; input++)
            program_write_src(program, dom, (enum reference_input)input, FLAVOR_ANY);
        program_write_input(program, dom, IN_STOP, FLAVOR_ANY);
        put_ctrl(program, dom, 2);
    } else {
        program_set_record(program, dom);
    }
    for (unsigned i = 0; i < 4; i++) {
        if (i < 2) {
            program_poke_name(program, dom, 10);
            program_poke_name(program, dom, 11);
            for (unsigned name = 12; name < 24; name++)
                if (program_chance(program, 30))
                    program_poke_name(program, dom, name);
        }
        program_run_clocks(program, dom, PROGRAM_PICK(program, 1, 2, 5, 20, 62, 64, 130, 500));
        program_observe(program, dom);
    }
    program_read_memory(program);
}

/* Counters of the other modes reach their ends while they count. */
static void ends(struct program *program, unsigned dom)
{
    bool quad = program->chipset >= REF_NV30 && program_chance(program, 45);
    bool forty = program->chipset <= REF_NV20 && program_chance(program, 50);
    uint64_t high = PROGRAM_PICK(program, 0, 1, 0x7f, 0x80, 0xff);
    if (quad) {
        program_write_input(program, dom, IN_EVENT, FLAVOR_ANY);
        program_write_input(program, dom, IN_START, FLAVOR_ANY);
        program_write_ctrl(program, dom, PROFILE_QUAD);
    } else {
        if (forty) {
            program_wr(program, program_register(program, dom, 0x628, 0), 0xfffffff0);
            program_wr(program, program_register(program, dom, 0x62c, 0), high);
        }
        start_counting(program, dom);
    }
    for (unsigned name = 0; name < (quad ? 5 : 3); name++)
        if (program_chance(program, 70))
            program_poke_name(program, dom, (quad ? 5 : 0) + name);
    if (forty)
        fprintf(program->out, "poke %u event 0x%" PRIx64 "\n", dom,
                high << 32 | (0xffffffff - program_below(program, 40)));
    for (unsigned i = 0; i < 3; i++) {
        program_run_clocks(program, dom, PROGRAM_PICK(program, 1, 2, 5, 20, 62, 64, 130, 500));
        program_observe(program, dom);
    }
}

/* Writes one register after the other in COUNTING, to see which ones abort (PC-D9). */
static void aborts(struct program *program, unsigned dom)
{
    for (unsigned i = 0; i < 6; i++) {
        start_counting(program, dom);
        program_rd(program, program_ctrl(program, dom));
        if (program_chance(program, 85))
            program_abort_single(program, dom);
        if (program_chance(program, 15))
            program_begin_single(program, dom, program_op_value(program));
        if (program_chance(program, 30))
            program_rd(program, program_ctrl(program, dom));
        program_run_clocks(program, dom, PROGRAM_PICK(program, 0, 1, 1, 1, 2));
        program_rd(program, program_ctrl(program, dom));
        program_rd(program, program_register(program, dom, 0x620, 0x700));
    }
}

/* Writes PRE_OP before every clock, including those that end a process (PC-D11). */
static void restarts(struct program *program, unsigned dom)
{
    start_counting(program, dom);
    if (program_chance(program, 70)) {
        program_wr(program, program_op(program, dom, IN_STOP),
                   PROGRAM_PICK(program, 0xffff, 0xaaaa, 0x6666));
        program_wr(program, program_register(program, dom, 0x624, 0x740),
                   program_below(program, 2));
    }
    for (uint64_t i = 10 + program_below(program, 20); i; i--) {
        if (program_chance(program, 85))
            program_begin_single(program, dom, 0xffff);
        program_run_clocks(program, dom, program_chance(program, 90) ? 1 : 2);
        program_rd(program, program_ctrl(program, dom));
    }
}

/* Holds and releases PERIODIC, or changes its period, around the clock of a pulse. */
static void periodic(struct program *program, unsigned dom)
{
    unsigned code = 1 + (unsigned)program_below(program, 2);
    uint64_t period = 0x200u << code;
    uint64_t place = program->domain[dom].trailer + (program->chipset == REF_GF100 ? 0x2e : 0x0d);
    if (!program_has_periodic(program) || program->budget < 3000)
        return;
    program_wr(program, program_register(program, dom, 0, 0x560), place);
    program_wr(program, program_src(program, dom, IN_STOP), place);
    program_wr(program, program_op(program, dom, IN_STOP), 0xaaaa);
    put_ctrl(program, dom, program_below(program, 3) | code << 21);
    unsigned other = (unsigned)program_below(program, program->domains);
    if (program->chipset == REF_GF100 && program_chance(program, 50)) /* perhaps another set's */
        program_write_gctrl(program, other, PROGRAM_PICK(program, 0x10, 0x10, 0x30, 0xffffffef));
    program_write_gctrl(program, dom, 0x10);
    program_run_clocks(program, dom, 1 + program_below(program, 3));
    program_write_gctrl(program, dom, 0);
    program_run_clocks(program, dom, period - PROGRAM_PICK(program, 0, 1, 1, 1, 2, 3));
    program_observe(program, dom);
    if (program_chance(program, 60))
        program_write_gctrl(program, dom, 0x10);
    else
        put_ctrl(program, dom, PROGRAM_PICK(program, 0, 1, 2) | (uint64_t)(code ^ 3) << 21);
    for (unsigned i = 0; i < 3; i++) {
        program_run_clocks(program, dom, 1);
        program_read_sig_status(program, dom);
    }
    program_write_gctrl(program, dom, 0);
    if (program_chance(program, 50))
        program_run_clocks(program, dom, period - 1);
    program_observe(program, dom);
}

/* Writes a packet to a faulting page, or only its second half, then continues after the fault. */
static void wedge(struct program *program, unsigned dom)
{
    uint64_t base = PROGRAM_PICK(program, 0x1000, 0x1ff0, 0x1ff0, 0x2fe0, 0xfffffff0);
    if (!program_has_record(program))
        return;
    program_set_record(program, dom);
    if (program_chance(program, 70))
        put_ctrl(program, dom, 2); /* LONG */
    program_wr(program, 0xa760 + dom * 4, base);
    program_note_place(program, base);
    uint64_t page = program_chance(program, 70) ? base + 0x10 : base;
    page = (uint32_t)page | (uint64_t)program->high << 32;
    fprintf(program->out, "fault 0x%" PRIx64 "\n", page);
    if (program_chance(program, 60))
        program_wr(program, program_op(program, dom, IN_STOP), 0xffff);
    program_run_clocks(program, dom, 1 + program_below(program, 150));
    read_status(program, dom);
    for (uint64_t i = program_below(program, 8); i; i--)
        program_disturb(program, dom);
    put_ctrl(program, dom, PROGRAM_PICK(program, 0x08000000, 0x08000002, 0x08000001, 0x2));
    program_acknowledge(program, dom);
    program_write_user(program, dom);
    read_status(program, dom);
    program_run(program);
    program_observe(program, dom);
    if (program_chance(program, 50)) {
        fprintf(program->out, "unfault 0x%" PRIx64 "\n", page);
        program_run(program);
    }
    read_status(program, dom);
    if (program_chance(program, 60))
        program_reset(program);
}

/* Two domains write to one place in the same tick, if their clocks allow. */
static void twins(struct program *program, unsigned dom)
{
    unsigned other = (dom + 1) % program->domains;
    uint64_t base = program_some_place(program);
    if (!program_has_record(program) || other == dom)
        return;
    fprintf(program->out, "latency %u\n", 1 + (unsigned)program_below(program, 6));
    program_bind(program);
    for (unsigned i = 0; i < 2; i++) {
        unsigned twin = i ? other : dom;
        program_write_src(program, twin, IN_PRE, FLAVOR_ANY);
        program_write_src(program, twin, IN_START, FLAVOR_ANY);
        program_wr(program, program_op(program, twin, IN_STOP), 0xffff);
        if (program->chipset >= REF_G92)
            program_wr(program, 0xa6a0 + twin * 4, program->high);
        put_ctrl(program, twin, program_chance(program, 80) ? 2 : 0x100002);
        program_wr(program, 0xa720 + twin * 4, (uint32_t)(base + 0x100));
        program_wr(program, 0xa760 + twin * 4, base);
    }
    program_run_clocks(program, dom, 1 + program_below(program, 60));
    program_read_memory(program);
}

/* Another domain uses EVENT and FLAG of one domain, which change often. */
static void imports(struct program *program, unsigned dom)
{
    const struct program_domain *domain = &program->domain[dom];
    unsigned ahead = 1 + (unsigned)program_below(program, domain->set_count);
    unsigned sink = domain->set_first + (domain->index + ahead) % domain->set_count;
    if (program_chance(program, 5)) /* perhaps of another set, where it imports nothing from dom */
        sink = (unsigned)program_below(program, program->domains);
    uint32_t lively = program->domain[dom].live[0];
    unsigned base = program->domain[sink].trailer + (program->chipset == REF_GF100 ? 0x20 : 0);
    if (sink == dom && program_chance(program, 80))
        return;
    uint64_t seed = program_magnitude(program);
    fprintf(program->out, "sig %u %u prng %" PRIu64 " %u\n", dom, lively, seed,
            (unsigned)PROGRAM_PICK(program, 30, 128, 128, 200));
    for (unsigned input = IN_PRE; input < IN_COUNT; input++) {
        uint32_t src = program_src_value(program, dom, FLAVOR_ANY) & 0xffffff00;
        if (program_has_src(program, (enum reference_input)input))
            program_wr(program, program_src(program, dom, (enum reference_input)input),
                       src | lively);
    }
    /* SETFLAG and CLRFLAG use a signal and its value one clock ago, or anything. */
    bool own = program->chipset < REF_NV30;
    program_wr(program, program_op(program, dom, IN_EVENT), 0xaaaa);
    program_wr(program, program_op(program, dom, IN_SETFLAG), own ? 0xaaaa : 0xf0f0);
    program_wr(program, program_op(program, dom, IN_CLRFLAG),
               program_chance(program, 60) ? (own ? 0x1aaaa : 0x0f0f) : program_op_value(program));
    program_begin_single(program, dom, 0); /* makes FLAG live, in single event mode too */
    uint32_t event = base + 0x17 - domain->index, flag = base + 0x1f - domain->index;
    program_wr(program, program_src(program, sink, IN_PRE), flag * 0x01010101);
    if (program->chipset >= REF_NV40)
        program_wr(program, program_src(program, sink, IN_START), event * 0x01010101);
    program_wr(program, program_op(program, sink, IN_START), 0xaaaa);
    program_wr(program, program_op(program, sink, IN_PRE), 0xaaaa);
    if (program->chipset >= REF_NV40) {
        put_ctrl(program, dom, 1);
        put_ctrl(program, sink, PROGRAM_PICK(program, 1, 0x801, 0x2001, 0x2801, 0x2801));
    } else {
        program_write_ctrl(program, sink, PROFILE_QUAD);
    }
    for (unsigned i = 0; i < 4; i++) {
        unsigned pace = program_chance(program, 50) ? dom : sink;
        program_run_clocks(program, pace, PROGRAM_PICK(program, 1, 2, 3, 20, 64, 100));
        if (program_chance(program, 20) && program->chipset >= REF_NV40)
            put_ctrl(program, sink, PROGRAM_PICK(program, 1, 0x801, 0x2001, 0x2801));
        program_observe(program, sink);
    }
}

/* Record counters keep their values in another mode, with and without a reset. */
static void stale(struct program *program, unsigned dom)
{
    if (!program_has_record(program))
        return;
    program_set_record(program, dom);
    program_run_clocks(program, dom, 1 + program_below(program, 40));
    put_ctrl(program, dom, PROGRAM_PICK(program, 0, 1, 3));
    if (program_chance(program, 50))
        program_poke_name(program, dom, 10 + (unsigned)program_below(program, 14));
    program_run_clocks(program, dom, program_below(program, 3));
    if (program_chance(program, 60))
        program_wr(program, 0xa760 + dom * 4, program_some_place(program));
    program_observe(program, dom);
    if (program_chance(program, 40)) {
        program_wr(program, 0xa7a8, 1);
        program_run_clocks(program, dom, program_below(program, 3));
        program_wr(program, 0xa7a8, program_chance(program, 90) ? 0 : 1);
        program_observe(program, dom);
    }
    put_ctrl(program, dom, PROGRAM_PICK(program, 2, 2, 0x100002));
    program_run_clocks(program, dom, 1 + program_below(program, 3));
    program_observe(program, dom);
}

/* Writes USER and observes it clock by clock. */
static void user(struct program *program, unsigned dom)
{
    unsigned index = program->domain[dom].live[0];
    if (program->chipset == REF_GT215)
        fprintf(program->out, "sig %u %u user %u\n", dom, index,
                (unsigned)program_below(program, 2));
    else if (program->chipset == REF_GF100)
        index = program->domain[dom].trailer + 0x27 + (unsigned)program_below(program, 4);
    else
        return;
    program_wr(program, program_src(program, dom, IN_EVENT), index * 0x01010101);
    program_wr(program, program_op(program, dom, IN_EVENT),
               PROGRAM_PICK(program, 0xaaaa, 0x1aaaa, 0x22222));
    for (unsigned i = 0; i < 6; i++) {
        if (program_chance(program, 60))
            program_write_user(program, dom);
        program_run_clocks(program, dom, PROGRAM_PICK(program, 0, 1, 1, 1, 2, 3, 64));
        program_read_src_status(program, dom);
        program_rd(program, program_register(program, dom, 0, 0x580));
    }
}

/* The two addresses that QUAD_ACK_TRIGGER, CTRL and SIG_STATUS[1][1] share (PC-D20). */
static void shared_addresses(struct program *program, unsigned dom)
{
    if (program->chipset > REF_NV30)
        return;
    fprintf(program->out, "sig %u 0xc0-0xdb prng %u 128\n", dom,
            (unsigned)program_below(program, 1000));
    program_write_ctrl(program, dom, PROFILE_QUAD);
    for (unsigned i = 0; i < 4; i++) {
        program_run_clocks(program, dom, program_below(program, 20));
        program_rd(program, 0xa738);
        program_wr(program, 0xa738, program_below(program, 0x200));
        program_rd(program, 0xa73c);
        program_rd(program, 0xa738);
    }
}

/* Switches PCOUNTER off and on again; the domains are programmed again, or not (PC-D36). */
static void enable(struct program *program, unsigned dom)
{
    if (program->chipset != REF_GF100)
        return;
    program_wr(program, 0x200, program_chance(program, 80) ? 0 : 0xefffffff);
    for (uint64_t i = program_below(program, 6); i; i--) {
        program_disturb(program, dom);
        if (program_chance(program, 40))
            program_observe(program, (unsigned)program_below(program, program->domains));
        if (program_chance(program, 20)) {
            program_poke_name(program, dom, (unsigned)program_below(program, 10));
            program_wr(program, 0x200, 0); /* it is off already */
        }
    }
    program_run(program);
    program_rd(program, program->domain[dom].set_block);
    program_rd(program, 0x200);
    if (program_chance(program, 10))
        program_reset(program);
    program_wr(program, 0x200, program_chance(program, 80) ? 0x10000000 : 0xffffffff);
    program_observe(program, dom);
    program_run(program);
    if (program_chance(program, 80))
        for (unsigned i = 0; i < program->domains; i++)
            program_set_domain(program, i);
    program_observe(program, dom);
}

/* Changes MODE while a process is under way, aborts and begins in other modes (PC-D39). */
static void halts(struct program *program, unsigned dom)
{
    uint64_t block = program->domain[dom].block;
    if (program->chipset != REF_GF100)
        return;
    start_counting(program, dom);
    for (uint64_t i = 6 + program_below(program, 12); i; i--) {
        if (program_chance(program, 50))
            put_ctrl(program, dom, PROGRAM_PICK(program, 0, 0, 1, 2, 0x40) | 0x30);
        if (program_chance(program, 25))
            program_wr(program, block + 0x94, PROGRAM_PICK(program, 0, 1, 1));
        if (program_chance(program, 35))
            program_wr(program, block + 0xe0, PROGRAM_PICK(program, 0, 1, 1));
        if (program_chance(program, 20))
            program_write_next(program, dom);
        program_run_clocks(program, dom, PROGRAM_PICK(program, 0, 1, 1, 1, 2, 5, 64, 130));
        program_rd(program, block + 0xe4);
        program_rd(program, block + 0x70);
        program_rd(program, block + 0x80);
    }
}

/* Swaps and NEXT writes around the clocks of quad event mode (PC-D40). */
static void shadows(struct program *program, unsigned dom)
{
    if (program->chipset != REF_GF100)
        return;
    for (unsigned input = IN_PRE; input <= IN_STOP; input++)
        program_write_input(program, dom, (enum reference_input)input, FLAVOR_ANY);
    program_wr(program, program_register(program, dom, 0, 0x560),
               program_signal(program, dom, FLAVOR_SPARSE));
    put_ctrl(program, dom, PROGRAM_PICK(program, 1, 1, 1, 0x11, 0x31, 0x41, 3));
    for (unsigned i = 0; i < 8; i++) {
        for (uint64_t writes = program_below(program, 4); writes; writes--)
            program_write_next(program, dom);
        if (program_chance(program, 30))
            program_observe(program, dom);
        program_run_clocks(program, dom, PROGRAM_PICK(program, 0, 1, 2, 3, 63, 64, 65, 200));
        program_observe(program, dom);
    }
}

void program_scene(struct program *program, unsigned dom)
{
    static void (*const scenes[])(struct program * program, unsigned dom) = {
        ends,   record_ends, aborts,  restarts,      periodic,      wedge,
        twins,  imports,     imports, stale,         user,          shared_addresses,
        enable, halts,       shadows, program_leaps, program_leaps,
    };
    size_t count = sizeof scenes / sizeof scenes[0];
    scenes[program_below(program, count)](program, dom);
}
