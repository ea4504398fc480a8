/* SPDX-License-Identifier: MIT */
/* The setup of the domains of a random script, and record buffers. */
#include "programs.h"

#include <inttypes.h>

bool program_has_record(const struct program *program)
{
    return program->chipset >= REF_G84 && program->chipset <= REF_GT215;
}

bool program_has_periodic(const struct program *program)
{
    return program->chipset >= REF_G84;
}

/* ---- values -------------------------------------------------------------------------------- */

/* Returns a 32-bit value that is as often small as near an end. */
uint64_t program_some_word(struct program *program)
{
    switch (program_below(program, 6)) {
    case 0:
        return program_below(program, 4);
    case 1:
        return program_below(program, 100);
    case 2:
        return 0xffffffff - program_below(program, 64);
    case 3:
        return UINT64_C(1) << program_below(program, 32);
    default:
        return (uint32_t)program_random(program);
    }
}

void program_write_ctrl(struct program *program, unsigned dom, enum program_profile profile)
{
    uint32_t value;
    if (program->chipset <= REF_NV30) {
        uint32_t quad = 1u << (16 + 2 * dom), all = 1u << (8 + dom);
        value = program->shared_ctrl & ~quad;
        if (profile == PROFILE_QUAD || (profile == PROFILE_KNOT && program_chance(program, 60)))
            value |= quad;
        if (program_chance(program, 40))
            value ^= all;
        if (program_chance(program, 30))
            value ^= 4;
        if (program_chance(program, 10))
            value ^= (uint32_t)program_random(program) & 0xfafafcfb;
        program->shared_ctrl = value;
    } else {
        static const unsigned modes[] = {[PROFILE_SINGLE] = MODE_SINGLE,
                                         [PROFILE_QUAD] = MODE_QUAD,
                                         [PROFILE_RECORD] = MODE_RECORD};
        value = profile <= PROFILE_RECORD ? modes[profile] : (uint32_t)program_below(program, 4);
        if (profile == PROFILE_KNOT && program_chance(program, 60))
            value = MODE_QUAD;
        value |= (uint32_t)(program_chance(program, 8) ? program_below(program, 8)
                                                       : program_below(program, 5))
                 << 4;
        for (unsigned i = 8; i <= 20; i++) /* period, import modes, unknown, format */
            if (program_chance(program, 45))
                value |= 1u << i;
        value |= (uint32_t)(program_chance(program, 60) ? program_below(program, 3)
                                                        : program_below(program, 8))
                 << 21;
        if (program_chance(program, 10))
            value |= (uint32_t)program_random(program) & 0xff00f68c;
        value = (uint32_t)program_ctrl_value(program, value);
    }
    program_wr(program, program_ctrl(program, dom), value);
}

void program_write_src(struct program *program, unsigned dom, enum reference_input input,
                       enum program_flavor flavor)
{
    if (program_has_src(program, input))
        program_wr(program, program_src(program, dom, input),
                   program_src_value(program, dom, flavor));
}

void program_write_op(struct program *program, unsigned dom, enum reference_input input)
{
    program_wr(program, program_op(program, dom, input), program_op_value(program));
}

void program_write_input(struct program *program, unsigned dom, enum reference_input input,
                         enum program_flavor flavor)
{
    program_write_src(program, dom, input, flavor);
    if (flavor == FLAVOR_SPARSE && program_chance(program, 50))
        program_wr(program, program_op(program, dom, input), /* the signal, its rising edge */
                   PROGRAM_PICK(program, 0xaaaa, 0xaaaa, 0x1aaaa, 0x4aaaa));
    else
        program_write_op(program, dom, input);
}

void program_write_threshold(struct program *program, unsigned dom)
{
    program_wr(
        program, program_register(program, dom, 0x628, 0x780),
        program_chance(program, 80) ? program_below(program, 60) : program_some_word(program));
    if (program->chipset <= REF_NV30 && program_chance(program, 15))
        program_wr(program, program_register(program, dom, 0x62c, 0),
                   PROGRAM_PICK(program, 0, 1, 0x80, 0xff, 0x100));
}

static void write_initial(struct program *program, unsigned dom, unsigned nv10, unsigned nv40)
{
    program_wr(
        program, program_register(program, dom, nv10, nv40),
        program_chance(program, 90) ? program_below(program, 6) : program_some_word(program));
}

void program_write_user(struct program *program, unsigned dom)
{
    if (program->chipset == REF_GT215)
        program_wr(program, 0xa580 + dom * 4,
                   program_below(program, program_chance(program, 90) ? 16 : 256));
    else if (program->chipset == REF_GF100)
        program_wr(
            program, program_register(program, dom, 0, 0x580),
            program_chance(program, 90) ? program_below(program, 256) : program_some_word(program));
}

void program_write_spec(struct program *program, unsigned dom)
{
    if (program->chipset >= REF_NV40 && program->chipset <= REF_GT215) {
        enum program_flavor flavor = (enum program_flavor)program_below(program, 3);
        uint64_t swap = program_signal(program, dom, flavor);
        program_wr(program, 0xa560 + dom * 4,
                   swap | program_below(program, program_chance(program, 20) ? 1u << 24 : 256)
                              << 8);
    } else if (program->chipset == REF_GF100) {
        enum program_flavor flavor = (enum program_flavor)program_below(program, 3);
        uint64_t swap = program_signal(program, dom, flavor);
        if (program_chance(program, 10))
            swap |= (uint32_t)program_random(program) & 0xffffff00;
        program_wr(program, program_register(program, dom, 0, 0x560), swap);
    }
}

/* ---- record buffers ------------------------------------------------------------------------ */

void program_note_place(struct program *program, uint64_t base)
{
    uint64_t place = (uint64_t)program->high << 32 | base;
    for (unsigned i = 0; i < program->place_count; i++)
        if (program->places[i] == place)
            return;
    if (program->place_count < PROGRAM_PLACES)
        program->places[program->place_count++] = place;
}

/* A few addresses, so that domains share them, including the ends of a page and of the 4 GB. */
uint64_t program_some_place(struct program *program)
{
    if (program->place_count && program_chance(program, 50))
        return (uint32_t)program->places[program_below(program, program->place_count)];
    uint64_t base = PROGRAM_PICK(program, 0, 0x1000, 0x1000, 0x2ff0, 0x2fe0, 0x3fd0, 0xffffffe0,
                                 0xfffffff0, 0xffffff80, 0x80000000);
    if (program_chance(program, 10))
        base = program_random(program) & 0xfffffff0;
    program_note_place(program, base);
    return base;
}

void program_write_record_start(struct program *program, unsigned dom)
{
    uint64_t base = program_some_place(program);
    if (program_chance(program, 80)) {
        uint64_t limit = base + PROGRAM_PICK(program, 0, 0x10, 0x20, 0x30, 0x40, 0x100, 0x200);
        if (program_chance(program, 10))
            limit = program_random(program);
        program_wr(program, 0xa720 + dom * 4, (uint32_t)limit);
    }
    if (program_chance(program, 10))
        base += program_below(program, 16); /* bits that do not exist */
    program_wr(program, 0xa760 + dom * 4, base);
}

void program_write_address_high(struct program *program, unsigned dom)
{
    uint64_t high = PROGRAM_PICK(program, 0, 0, 1, 0x12, 0xff);
    program_wr(program, 0xa6a0 + dom * 4, high | (program_chance(program, 10) ? 0xf00 : 0));
    if (program->chipset >= REF_G92)
        program->high = (uint8_t)high;
}

void program_bind(struct program *program)
{
    if (program_chance(program, 97))
        program_wr(program, 0xa7a4, program_below(program, 0x20000));
    uint64_t valid = program_chance(program, 97) ? 0x80000000 : 0;
    program_wr(program, 0xa7a0, valid | program_below(program, 0x80000000));
}

void program_latency(struct program *program)
{
    uint64_t n = program_chance(program, 85) ? 1 + program_below(program, 100)
                                             : PROGRAM_PICK(program, 1, 1, 500, 3000, 0xffffffff);
    if (program_chance(program, 40))
        n = 1 + program_below(program, 4);
    fprintf(program->out, "latency %" PRIu64 "\n", n);
}

void program_fault(struct program *program, unsigned percent)
{
    uint64_t place = program_some_place(program) | (uint64_t)program->high << 32;
    if (program_chance(program, 20))
        place = (place + program_below(program, 0x2000)) & 0xffffffffff;
    fprintf(program->out, "%s 0x%" PRIx64 "\n",
            program_chance(program, percent) ? "fault" : "unfault", place);
}

void program_write_gctrl(struct program *program, unsigned dom, uint64_t value)
{
    program_wr(program, program->chipset == REF_GF100 ? program->domain[dom].set_block : 0xa7a8,
               value);
}

void program_gctrl(struct program *program, unsigned dom)
{
    uint64_t value = PROGRAM_PICK(program, 1, 0x10, 0x11, 0xffffffff, 0);
    program_write_gctrl(program, dom, value);
    if (program_chance(program, 80))
        program_run(program);
    if (program_chance(program, 90))
        program_write_gctrl(program, dom, 0);
}

void program_begin_single(struct program *program, unsigned dom, uint64_t pre_op)
{
    program_wr(program, program_op(program, dom, IN_PRE), pre_op);
    if (program->chipset == REF_GF100 && program_chance(program, 95))
        program_wr(program, program->domain[dom].block + 0xe0,
                   program_chance(program, 90) ? 1 : (uint32_t)program_random(program));
}

/* ---- set-ups ------------------------------------------------------------------------------- */

static void set_single(struct program *program, unsigned dom)
{
    program_write_ctrl(program, dom, PROFILE_SINGLE);
    program_write_threshold(program, dom);
    write_initial(program, dom, 0x620, 0x700);
    write_initial(program, dom, 0x624, 0x740);
    program_write_input(program, dom, IN_START, FLAVOR_ANY);
    program_write_input(program, dom, IN_EVENT, FLAVOR_ANY);
    program_write_input(program, dom, IN_STOP, FLAVOR_SPARSE);
    program_write_src(program, dom, IN_PRE, FLAVOR_ANY);
    program_begin_single(program, dom,
                         program_chance(program, 30) ? 0xffff : program_op_value(program));
}

static void set_quad(struct program *program, unsigned dom)
{
    for (unsigned input = IN_PRE; input <= IN_STOP; input++)
        if (program_chance(program, 80))
            program_write_input(program, dom, (enum reference_input)input, FLAVOR_ANY);
    if (program_chance(program, 80))
        program_write_spec(program, dom);
    program_write_ctrl(program, dom, PROFILE_QUAD);
}

void program_set_record(struct program *program, unsigned dom)
{
    for (unsigned input = IN_PRE; input <= IN_EVENT; input++)
        program_write_src(program, dom, (enum reference_input)input, FLAVOR_ANY);
    program_write_input(program, dom, IN_STOP,
                        program_chance(program, 80) ? FLAVOR_SPARSE : FLAVOR_ANY);
    if (program_chance(program, 60))
        program_latency(program);
    if (program_chance(program, 40))
        program_write_address_high(program, dom);
    if (!program->unbound && program_chance(program, 90))
        program_bind(program);
    bool early = program_chance(program, 20); /* before the mode: a stale packet may be sent */
    if (early)
        program_write_record_start(program, dom);
    program_write_ctrl(program, dom, PROFILE_RECORD);
    if (!early)
        program_write_record_start(program, dom);
}

/* Selects the engine's outputs as inputs. */
static void set_knot(struct program *program, unsigned dom)
{
    for (unsigned input = IN_PRE; input < IN_COUNT; input++)
        if (program_chance(program, 85))
            program_write_input(program, dom, (enum reference_input)input,
                                program_chance(program, 70) ? FLAVOR_DRIVEN : FLAVOR_ANY);
    program_write_spec(program, dom);
    program_write_ctrl(program, dom, PROFILE_KNOT);
    if (program_chance(program, 60)) /* in single event mode FLAG is live only then */
        program_begin_single(program, dom, program_op_value(program));
}

static void set_flag(struct program *program, unsigned dom)
{
    program_write_input(program, dom, IN_SETFLAG, FLAVOR_SPARSE);
    program_write_input(program, dom, IN_CLRFLAG, FLAVOR_SPARSE);
}

void program_set_domain(struct program *program, unsigned dom)
{
    struct program_domain *domain = &program->domain[dom];
    domain->profile = (enum program_profile)program_below(program, PROFILE_NOISE + 1);
    if (domain->profile == PROFILE_RECORD && !program_has_record(program))
        domain->profile = PROFILE_SINGLE;
    if (domain->profile == PROFILE_QUAD && program->chipset < REF_NV30)
        domain->profile = PROFILE_SINGLE;
    if (program_chance(program, 50))
        set_flag(program, dom);
    switch (domain->profile) {
    case PROFILE_SINGLE:
        set_single(program, dom);
        break;
    case PROFILE_QUAD:
        set_quad(program, dom);
        break;
    case PROFILE_RECORD:
        program_set_record(program, dom);
        break;
    case PROFILE_KNOT:
        set_knot(program, dom);
        break;
    case PROFILE_NOISE:
        break;
    }
}
