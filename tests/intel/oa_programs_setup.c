/* SPDX-License-Identifier: MIT */
/* Random contents of the CEC, trigger, EU and control registers; complete setups. */
#include "oa_programs.h"

#include <inttypes.h>

/* Index 0 is ...TRIG1; on map A the numbers run against the addresses. */
uint32_t oa_program_trigger_address(const struct oa_program *program, bool start, unsigned index)
{
    if (program->map == OA_REF_MAP_A)
        return (start ? 0x238cu : 0x237cu) - 4 * (index % 4);
    return (start ? 0x2710u : 0x2740u) + 4 * index;
}

uint32_t oa_program_cec_address(const struct oa_program *program, unsigned block, unsigned half)
{
    return (program->map == OA_REF_MAP_A ? 0x2390u : 0x2770u) + 8 * block + 4 * half;
}

uint32_t oa_program_some_word(struct oa_program *program)
{
    uint64_t r = oa_program_below(program, 100);
    if (r < 15)
        return 0;
    if (r < 25)
        return 0xffffffff;
    if (r < 60)
        return (uint32_t)oa_program_random(program);
    if (r < 80)
        return UINT32_C(1) << oa_program_below(program, 32);
    return (uint32_t)oa_program_magnitude(program, 32);
}

/* ---- CEC ----------------------------------------------------------------------------------- */

static uint32_t some_mask(struct oa_program *program)
{
    uint32_t bits = (uint32_t)oa_program_random(program) & 0xffff;
    uint32_t more = (uint32_t)oa_program_random(program) & 0xffff;
    switch (oa_program_below(program, 8)) {
    case 0:
        return 0;
    case 1:
        return 0xffff;
    case 2: /* two bits are left */
        return 0xffff ^ (3u << (bits % 15));
    case 3: /* one bit is left */
        return 0xffff ^ (1u << (bits % 16));
    case 4:
        return bits;
    case 5:
        return 0xff00;
    default:
        return bits | more;
    }
}

void oa_program_cec(struct oa_program *program, unsigned block)
{
    uint32_t function = (uint32_t)oa_program_below(program, 8);
    uint32_t source = (uint32_t)OA_PROGRAM_PICK(program, 0, 0, 0, 1, 1, 2, 2, 2, 3);
    uint32_t mask = some_mask(program);
    uint32_t value = (uint32_t)oa_program_random(program) & 0xffff;
    if (oa_program_chance(program, 35))
        value = (uint32_t)OA_PROGRAM_PICK(program, 0, 0xffff, 1, 2, 0xff, 0x100, 0x8000);
    if (oa_program_chance(program, 25))
        value &= ~mask;
    uint32_t considerations = some_mask(program);
    uint64_t which = oa_program_below(program, 9);
    if (which < 5)
        considerations = 0;
    else if (which < 7) /* all unmasked bits, as public sets have it */
        considerations = ~mask & 0xffff;
    uint32_t negate = 0;
    if (oa_program_chance(program, 45))
        negate = (uint32_t)oa_program_random(program) & 0x7ff;
    uint32_t control = negate << 21 | source << 19 | value << 3 | function;
    oa_program_wr(program, oa_program_cec_address(program, block, 0), control);
    if (oa_program_chance(program, 92))
        oa_program_wr(program, oa_program_cec_address(program, block, 1),
                      considerations << 16 | mask);
}

/* The public test set: feedback through EV_Q (OA-8). */
static void feedback_set(struct oa_program *program)
{
    static const uint32_t words[8][2] = {
        {0x00000004, 0},          {0x00000003, 0},          {0x00000007, 0},
        {0x00100002, 0x0000fff7}, {0x00100002, 0x0000ffcf}, {0x00100082, 0x0000ffef},
        {0x001000c2, 0x0000ffe7}, {0x00100001, 0x0000ffe7},
    };
    for (unsigned block = 0; block < program->cec_count; block++)
        for (unsigned half = 0; half < 2; half++)
            oa_program_wr(program, oa_program_cec_address(program, block, half),
                          words[block][half]);
}

/* ---- trigger blocks ------------------------------------------------------------------------- */

/* Selects of eight inputs: all different, all the same, a few bits. */
static uint32_t some_selects(struct oa_program *program)
{
    uint32_t r = (uint32_t)oa_program_random(program);
    switch (oa_program_below(program, 5)) {
    case 0:
        return 0x76543210;
    case 1:
        return 0xfedcba98;
    case 2:
    case 3:
        return 0x11111111 * (r & 15);
    default:
        return r;
    }
}

/* Inverts of a block. With random ones nearly every network is constant, so most are built from
 * the end: which groups are constantly 1 and which of them look at their inputs. */
static uint32_t some_inverts(struct oa_program *program)
{
    if (oa_program_chance(program, 15))
        return (uint32_t)oa_program_random(program) & 0x7fffff;
    uint32_t a = (uint32_t)oa_program_random(program) & 0xffff;
    if (oa_program_chance(program, 70)) { /* equal values in a group */
        uint32_t groups = (uint32_t)oa_program_random(program);
        a = 0;
        for (unsigned j = 0; j < 4; j++)
            if (groups >> j & 1)
                a |= 15u << (4 * j);
    }
    uint32_t b = (uint32_t)OA_PROGRAM_PICK(program, 0, 0, 0xc, 3, 0xe, 0xd, 0xb, 7, 5, 15);
    uint32_t c = (uint32_t)OA_PROGRAM_PICK(program, 0, 0, 0, 1, 2, 3);
    uint32_t d = (uint32_t)OA_PROGRAM_PICK(program, 0, 0, 1);
    return d << 22 | c << 20 | b << 16 | a;
}

static uint32_t some_threshold(struct oa_program *program)
{
    uint64_t r = oa_program_below(program, 100);
    if (r < 25)
        return 0;
    if (r < 65)
        return (uint32_t)oa_program_between(program, 1, 9);
    if (r < 85)
        return (uint32_t)oa_program_between(program, 10, 200);
    if (r < 92)
        return 0xffff - (uint32_t)oa_program_below(program, 3);
    return (uint32_t)oa_program_magnitude(program, 16);
}

void oa_program_start_block(struct oa_program *program, unsigned block)
{
    uint32_t threshold = some_threshold(program);
    uint32_t inverts = some_inverts(program);
    uint32_t selects = some_selects(program);
    uint32_t events = (uint32_t)OA_PROGRAM_PICK(program, 0, 0, 15, 15, 1, 2, 4, 8, 5, 10);
    if (oa_program_chance(program, 60)) { /* at once */
        threshold = 0;
        inverts |= 1u << 23;
    } else if (oa_program_chance(program, 60)) {
        inverts |= 1u << 23;
    }
    oa_program_wr(program, oa_program_trigger_address(program, true, 4 * block), threshold);
    if (oa_program_chance(program, 60)) {
        oa_program_wr(program, oa_program_trigger_address(program, true, 4 * block + 2), selects);
        selects = some_selects(program);
        oa_program_wr(program, oa_program_trigger_address(program, true, 4 * block + 3), selects);
    }
    oa_program_wr(program, oa_program_trigger_address(program, true, 4 * block + 1),
                  events << 28 | inverts);
}

void oa_program_report_block(struct oa_program *program, unsigned block)
{
    uint32_t threshold = some_threshold(program);
    uint32_t occurrence = (uint32_t)oa_program_random(program) & 0xffff;
    if (oa_program_chance(program, 40))
        occurrence = (uint32_t)OA_PROGRAM_PICK(program, 0, 0xffff);
    uint32_t inverts = some_inverts(program);
    if (oa_program_chance(program, 55))
        inverts |= 1u << 23;
    if (oa_program_chance(program, 75))
        inverts |= UINT32_C(1) << 31;
    oa_program_wr(program, oa_program_trigger_address(program, false, 4 * block),
                  occurrence << 16 | threshold);
    for (unsigned i = 2; i < 4; i++) {
        uint32_t selects = some_selects(program);
        if (oa_program_chance(program, 80))
            oa_program_wr(program, oa_program_trigger_address(program, false, 4 * block + i),
                          selects);
    }
    oa_program_wr(program, oa_program_trigger_address(program, false, 4 * block + 1), inverts);
}

void oa_program_report_always(struct oa_program *program, unsigned block)
{
    uint32_t threshold = (uint32_t)OA_PROGRAM_PICK(program, 0, 0, 0, 2, 5);
    oa_program_wr(program, oa_program_trigger_address(program, false, 4 * block), threshold);
    /* Invert D: d is 0 only while all selected NOA bits are 1. */
    bool inverted = threshold || oa_program_chance(program, 30);
    oa_program_wr(program, oa_program_trigger_address(program, false, 4 * block + 1),
                  inverted ? 0x80c00000 : 0x80800000);
}

void oa_program_csource(struct oa_program *program)
{
    if (program->map == OA_REF_MAP_A)
        return;
    unsigned first = program->platform >= OA_REF_ICL ? 1 : 4;
    unsigned i = (unsigned)oa_program_below(program, 8);
    bool has_tap = i >= first && i < first + 4;
    bool tap = oa_program_chance(program, 75);
    fprintf(program->out, "csource %u %s\n", i, tap && has_tap ? "tap" : "noa");
}

/* ---- EUs ----------------------------------------------------------------------------------- */

void oa_program_eu_control(struct oa_program *program)
{
    static const uint32_t addresses[7] = {0xe458, 0xe558, 0xe658, 0xe758, 0xe45c, 0xe55c, 0xe65c};
    if (program->map != OA_REF_MAP_C)
        return;
    uint32_t value = (uint32_t)(oa_program_chance(program, 10) ? 0xff000000 : 0);
    for (unsigned slot = 0; slot < 2; slot++) {
        uint32_t increment = (uint32_t)OA_PROGRAM_PICK(program, 0, 1, 2, 3, 4, 5, 8, 8, 8);
        if (oa_program_chance(program, 25))
            increment = (uint32_t)oa_program_below(program, 16);
        uint32_t coarse = (uint32_t)oa_program_below(program, 16);
        if (oa_program_chance(program, 50))
            coarse = (uint32_t)OA_PROGRAM_PICK(program, 0, 0, 7, 8);
        uint32_t fine = (uint32_t)oa_program_below(program, 16);
        if (oa_program_chance(program, 50))
            fine = (uint32_t)OA_PROGRAM_PICK(program, 0, 0, 0, 7, 8, 9, 10);
        value |= (fine << 8 | coarse << 4 | increment) << (12 * slot);
    }
    unsigned i = (unsigned)oa_program_below(program, 7);
    oa_program_wr(program, addresses[i], value);
}

/* ---- control ------------------------------------------------------------------------------- */

static void write_oacontrol(struct oa_program *program)
{
    uint32_t value = program->enabled;
    value |= (uint32_t)program->specific << 1 | (uint32_t)program->select << 2;
    if (program->map == OA_REF_MAP_C) {
        if (oa_program_chance(program, 5))
            value |= 0xffffffe0;
        oa_program_wr(program, 0x2b00, value);
        return;
    }
    value |= (uint32_t)program->timer << 5 | (uint32_t)program->tp << 6;
    oa_program_wr(program, 0x2360, value | (program->filter & 0xfffff000));
}

static void write_oactxcontrol(struct oa_program *program)
{
    uint32_t value = program->resume;
    oa_program_wr(program, 0x2360,
                  value | (uint32_t)program->timer << 1 | (uint32_t)program->tp << 2);
}

void oa_program_write_control(struct oa_program *program)
{
    if (program->map == OA_REF_MAP_C)
        write_oactxcontrol(program);
    write_oacontrol(program);
}

void oa_program_timer(struct oa_program *program)
{
    program->timer = oa_program_chance(program, 85);
    uint64_t r = oa_program_below(program, 100);
    if (r < 75)
        program->tp = (unsigned)oa_program_below(program, 9);
    else if (r < 85)
        program->tp = (unsigned)OA_PROGRAM_PICK(program, 31, 32, 33, 34, 35, 36, 37, 63);
    else
        program->tp = (unsigned)oa_program_below(program, 64);
}

/* Any change of OACONTROL, mostly one that enables. */
void oa_program_control(struct oa_program *program)
{
    program->enabled = oa_program_chance(program, 92);
    program->resume = oa_program_chance(program, 92);
    if (oa_program_chance(program, 30))
        program->select = (unsigned)oa_program_below(program, 8);
    if (oa_program_chance(program, 15))
        program->specific = !program->specific;
    if (oa_program_chance(program, program->profile == OA_PROGRAM_TIMER ? 60 : 20))
        oa_program_timer(program);
    if (program->map == OA_REF_MAP_C && oa_program_chance(program, 60))
        write_oactxcontrol(program);
    write_oacontrol(program);
}

/* ---- complete setups ------------------------------------------------------------------------ */

void oa_program_setup(struct oa_program *program)
{
    enum oa_program_profile profile = program->profile;
    bool noise = profile == OA_PROGRAM_NOISE;
    if (profile == OA_PROGRAM_CEC || oa_program_chance(program, noise ? 60 : 40)) {
        if (oa_program_chance(program, 25))
            feedback_set(program);
        for (unsigned block = 0; block < program->cec_count; block++)
            if (oa_program_chance(program, 60))
                oa_program_cec(program, block);
    }
    for (unsigned block = 0; block < program->blocks; block++) {
        if (oa_program_chance(program, 75))
            oa_program_start_block(program, block);
        if (oa_program_chance(program, profile == OA_PROGRAM_TRIGGERS ? 95 : 35))
            oa_program_report_block(program, block);
    }
    if (profile == OA_PROGRAM_BUFFER)
        oa_program_report_always(program, (unsigned)oa_program_below(program, program->blocks));
    for (uint64_t i = oa_program_below(program, 4); i; i--)
        oa_program_csource(program);
    if (program->eus && oa_program_chance(program, 85))
        for (unsigned i = 0; i < 9; i++)
            oa_program_eu_control(program);
    if (oa_program_chance(program, 92))
        oa_program_buffer(program);
    if (program->platform == OA_REF_LKF &&
        (profile == OA_PROGRAM_IRQ || oa_program_chance(program, 50)))
        oa_program_irq_setup(program);
    oa_program_oar_setup(program);
    if (oa_program_chance(program, 40))
        oa_program_linetime(program);
    if (oa_program_chance(program, 50)) {
        program->filter = (uint32_t)oa_program_random(program);
        if (program->map == OA_REF_MAP_C)
            oa_program_wr(program, 0x2364, program->filter);
        oa_program_event(program);
    }
    program->select = (unsigned)oa_program_below(program, 8);
    program->specific = oa_program_chance(program, profile == OA_PROGRAM_COUNTERS ? 30 : 8);
    program->timer = false;
    if (profile == OA_PROGRAM_TIMER || oa_program_chance(program, 40))
        oa_program_timer(program);
    program->resume = oa_program_chance(program, 95);
    program->enabled = true;
    if (program->map == OA_REF_MAP_C)
        write_oactxcontrol(program);
    if (oa_program_chance(program, 10))
        oa_program_run(program);
    write_oacontrol(program);
}
