/* SPDX-License-Identifier: MIT */
/*
 * A random script: domains that each do something sensible, disturbed at random, observed often,
 * and all that can be read at the end.
 */
#include "programs.h"

#include <inttypes.h>
#include <string.h>

static bool has_record(const struct program *program)
{
    return program->chipset >= REF_G84 && program->chipset <= REF_GT215;
}

static bool has_counters(const struct program *program)
{
    return program->chipset != REF_GF100;
}

/* ---- values -------------------------------------------------------------------------------- */

/* A 32-bit value that is as likely small as near an end. */
static uint64_t some_word(struct program *program)
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

/* The counters have ends at these; the engine drops bits that a counter does not have. */
static uint64_t some_count(struct program *program)
{
    uint64_t end =
        PROGRAM_PICK(program, 0, 3, 0x1000, 0xf000, 0xf000, 0x10000, UINT64_C(1) << 32,
                     UINT64_C(1) << 32, UINT64_C(1) << 39, UINT64_C(1) << 40, UINT64_C(1) << 48);
    uint64_t near = end - program_below(program, PROGRAM_PICK(program, 2, 4, 20, 70, 500));
    if (program_chance(program, 10))
        return near + program_below(program, 4);
    if (program_chance(program, 15))
        return program_random(program);
    return program_chance(program, 10) ? program_below(program, 1000) : near;
}

static void write_ctrl(struct program *program, unsigned dom, enum program_profile profile)
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
    }
    program_wr(program, program_ctrl(program, dom), value);
}

static void write_src(struct program *program, unsigned dom, enum reference_input input,
                      enum program_flavor flavor)
{
    if (program_has_src(program, input))
        program_wr(program, program_src(program, dom, input),
                   program_src_value(program, dom, flavor));
}

static void write_op(struct program *program, unsigned dom, enum reference_input input)
{
    program_wr(program, program_op(program, dom, input), program_op_value(program));
}

static void write_input(struct program *program, unsigned dom, enum reference_input input,
                        enum program_flavor flavor)
{
    write_src(program, dom, input, flavor);
    if (flavor == FLAVOR_SPARSE && program_chance(program, 50))
        program_wr(program, program_op(program, dom, input), /* the signal, its rising edge */
                   PROGRAM_PICK(program, 0xaaaa, 0xaaaa, 0x1aaaa, 0x4aaaa));
    else
        write_op(program, dom, input);
}

static void write_threshold(struct program *program, unsigned dom)
{
    program_wr(program, program_register(program, dom, 0x628, 0x780),
               program_chance(program, 80) ? program_below(program, 60) : some_word(program));
    if (program->chipset <= REF_NV30 && program_chance(program, 15))
        program_wr(program, program_register(program, dom, 0x62c, 0),
                   PROGRAM_PICK(program, 0, 1, 0x80, 0xff, 0x100));
}

static void write_initial(struct program *program, unsigned dom, unsigned nv10, unsigned nv40)
{
    program_wr(program, program_register(program, dom, nv10, nv40),
               program_chance(program, 90) ? program_below(program, 6) : some_word(program));
}

static void write_user(struct program *program, unsigned dom)
{
    if (program->chipset == REF_GT215)
        program_wr(program, 0xa580 + dom * 4,
                   program_below(program, program_chance(program, 90) ? 16 : 256));
    else if (program->chipset == REF_GF100)
        program_wr(program, 0x1800ec + dom * 0x200,
                   program_chance(program, 90) ? program_below(program, 256) : some_word(program));
}

static void write_spec(struct program *program, unsigned dom)
{
    if (program->chipset >= REF_NV40 && program->chipset <= REF_GT215) {
        enum program_flavor flavor = (enum program_flavor)program_below(program, 3);
        uint64_t swap = program_signal(program, dom, flavor);
        program_wr(program, 0xa560 + dom * 4,
                   swap | program_below(program, program_chance(program, 20) ? 1u << 24 : 256)
                              << 8);
    } else if (program->chipset == REF_GF100) {
        program_wr(program, 0x18006c + dom * 0x200, some_word(program));
    }
}

/* ---- record buffers ------------------------------------------------------------------------ */

static void note_place(struct program *program, uint64_t base)
{
    uint64_t place = (uint64_t)program->high << 32 | base;
    for (unsigned i = 0; i < program->place_count; i++)
        if (program->places[i] == place)
            return;
    if (program->place_count < PROGRAM_PLACES)
        program->places[program->place_count++] = place;
}

/* Few places, so that domains meet there; ends of a page and of the 4 GB among them. */
static uint64_t some_place(struct program *program)
{
    if (program->place_count && program_chance(program, 50))
        return (uint32_t)program->places[program_below(program, program->place_count)];
    uint64_t base = PROGRAM_PICK(program, 0, 0x1000, 0x1000, 0x2ff0, 0x2fe0, 0x3fd0, 0xffffffe0,
                                 0xfffffff0, 0xffffff80, 0x80000000);
    if (program_chance(program, 10))
        base = program_random(program) & 0xfffffff0;
    note_place(program, base);
    return base;
}

static void write_record_start(struct program *program, unsigned dom)
{
    uint64_t base = some_place(program);
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

static void write_address_high(struct program *program, unsigned dom)
{
    uint64_t high = PROGRAM_PICK(program, 0, 0, 1, 0x12, 0xff);
    program_wr(program, 0xa6a0 + dom * 4, high | (program_chance(program, 10) ? 0xf00 : 0));
    if (program->chipset >= REF_G92)
        program->high = (uint8_t)high;
}

static void bind(struct program *program)
{
    if (program_chance(program, 97))
        program_wr(program, 0xa7a4, program_below(program, 0x20000));
    program_wr(program, 0xa7a0,
               (program_chance(program, 97) ? 0x80000000 : 0) | program_below(program, 0x80000000));
}

static void latency(struct program *program)
{
    uint64_t n = program_chance(program, 85) ? 1 + program_below(program, 100)
                                             : PROGRAM_PICK(program, 1, 1, 500, 3000, 0xffffffff);
    if (program_chance(program, 40))
        n = 1 + program_below(program, 4);
    fprintf(program->out, "latency %" PRIu64 "\n", n);
}

static void fault(struct program *program, unsigned percent)
{
    uint64_t place = some_place(program) | (uint64_t)program->high << 32;
    if (program_chance(program, 20))
        place = (place + program_below(program, 0x2000)) & 0xffffffffff;
    fprintf(program->out, "%s 0x%" PRIx64 "\n",
            program_chance(program, percent) ? "fault" : "unfault", place);
}

static void gctrl(struct program *program)
{
    uint64_t value = PROGRAM_PICK(program, 1, 0x10, 0x11, 0xffffffff, 0);
    program_wr(program, 0xa7a8, value);
    if (program_chance(program, 80))
        program_run(program);
    if (program_chance(program, 90))
        program_wr(program, 0xa7a8, 0);
}

/* ---- set-ups ------------------------------------------------------------------------------- */

static void set_single(struct program *program, unsigned dom)
{
    write_ctrl(program, dom, PROFILE_SINGLE);
    write_threshold(program, dom);
    write_initial(program, dom, 0x620, 0x700);
    write_initial(program, dom, 0x624, 0x740);
    write_input(program, dom, IN_START, FLAVOR_ANY);
    write_input(program, dom, IN_EVENT, FLAVOR_ANY);
    write_input(program, dom, IN_STOP, FLAVOR_SPARSE);
    write_src(program, dom, IN_PRE, FLAVOR_ANY);
    program_wr(program, program_op(program, dom, IN_PRE),
               program_chance(program, 30) ? 0xffff : program_op_value(program));
}

static void set_quad(struct program *program, unsigned dom)
{
    for (unsigned input = IN_PRE; input <= IN_STOP; input++)
        if (program_chance(program, 80))
            write_input(program, dom, (enum reference_input)input, FLAVOR_ANY);
    if (program_chance(program, 80))
        write_spec(program, dom);
    write_ctrl(program, dom, PROFILE_QUAD);
}

static void set_record(struct program *program, unsigned dom)
{
    for (unsigned input = IN_PRE; input <= IN_EVENT; input++)
        write_src(program, dom, (enum reference_input)input, FLAVOR_ANY);
    write_input(program, dom, IN_STOP, program_chance(program, 80) ? FLAVOR_SPARSE : FLAVOR_ANY);
    if (program_chance(program, 60))
        latency(program);
    if (program_chance(program, 40))
        write_address_high(program, dom);
    if (program_chance(program, 85))
        bind(program);
    bool early = program_chance(program, 20); /* before the mode: a stale packet may go out */
    if (early)
        write_record_start(program, dom);
    write_ctrl(program, dom, PROFILE_RECORD);
    if (!early)
        write_record_start(program, dom);
}

/* Inputs made of the engine's own outputs. */
static void set_knot(struct program *program, unsigned dom)
{
    for (unsigned input = IN_PRE; input < IN_COUNT; input++)
        if (program_chance(program, 85))
            write_input(program, dom, (enum reference_input)input,
                        program_chance(program, 70) ? FLAVOR_DRIVEN : FLAVOR_ANY);
    write_spec(program, dom);
    if (has_counters(program))
        write_ctrl(program, dom, PROFILE_KNOT);
    if (program_chance(program, 60))
        write_op(program, dom, IN_PRE); /* in single event mode FLAG lives only then */
}

static void set_flag(struct program *program, unsigned dom)
{
    write_input(program, dom, IN_SETFLAG, FLAVOR_SPARSE);
    write_input(program, dom, IN_CLRFLAG, FLAVOR_SPARSE);
}

static void set_domain(struct program *program, unsigned dom)
{
    struct program_domain *domain = &program->domain[dom];
    domain->profile = (enum program_profile)program_below(program, PROFILE_NOISE + 1);
    if (domain->profile == PROFILE_RECORD && !has_record(program))
        domain->profile = PROFILE_SINGLE;
    if (domain->profile == PROFILE_QUAD && program->chipset < REF_NV30)
        domain->profile = PROFILE_SINGLE;
    if (!has_counters(program))
        domain->profile = PROFILE_KNOT;
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
        set_record(program, dom);
        break;
    case PROFILE_KNOT:
        set_knot(program, dom);
        break;
    case PROFILE_NOISE:
        break;
    }
}

/* ---- observation --------------------------------------------------------------------------- */

static void peek(struct program *program, unsigned dom, const char *name)
{
    fprintf(program->out, "peek %u %s\n", dom, name);
}

/* The names that a poke takes too come first. */
static const char *const peek_names[] =
    {
        "cycles",     "event",    "start",    "pre",    "stop",    /* nv10..gt215 */
        "sh_cycles",  "sh_event", "sh_start", "sh_pre", "sh_stop", /* nv30..gt215 */
        "rec_cycles", "rec_stop", "rec0",     "rec1",   "rec2",
        "rec3",       "rec4",     "rec5", /* g84..gt215 */
        "rec6",       "rec7",     "rec8",     "rec9",   "rec10",
        "rec11",      "valid",    "busy",     "wedged",
};

enum { NAMES_SINGLE = 5, NAMES_QUAD = 10, NAMES_POKE = 24, NAMES_RECORD = 27 };

static unsigned peek_count(const struct program *program)
{
    if (!has_counters(program))
        return 0;
    if (has_record(program))
        return NAMES_RECORD;
    return program->chipset >= REF_NV30 ? NAMES_QUAD : NAMES_SINGLE;
}

static void read_sig_status(struct program *program, unsigned dom)
{
    for (unsigned i = 0; i < 8; i++) {
        uint64_t address = 0xa800 + dom * 0x20 + i * 4;
        if (program->chipset <= REF_NV30)
            address = 0xa430 + dom * 0x100 + i / 4 * 0x200 + i % 4 * 4;
        else if (!has_counters(program))
            address = 0x180000 + dom * 0x200 + i * 4;
        program_rd(program, address);
    }
}

static void read_src_status(struct program *program, unsigned dom)
{
    if (has_counters(program))
        program_rd(program, 0xa540 + dom * 4); /* nothing before nv40 */
    else
        program_rd(program, 0x180068 + dom * 0x200);
}

static void observe(struct program *program, unsigned dom)
{
    static const unsigned nv10[] = {0x600, 0x604, 0x608, 0x610, 0x614, 0x618, 0x61c, 0x620, 0x624};
    static const unsigned nv40[] = {0x600, 0x640, 0x680, 0x6c0, 0x700, 0x740, 0x6e0};
    unsigned names = peek_count(program);
    peek(program, dom, "flag");
    if (program_chance(program, 50))
        read_sig_status(program, dom);
    if (program_chance(program, 50))
        read_src_status(program, dom);
    if (!names)
        return;
    program_rd(program, program_ctrl(program, dom));
    if (program->chipset <= REF_NV30) {
        for (size_t i = 0; i < sizeof nv10 / sizeof *nv10; i++)
            program_rd(program, 0xa000 + nv10[i] + dom * 0x100);
    } else {
        for (size_t i = 0; i < sizeof nv40 / sizeof *nv40; i++)
            program_rd(program, 0xa000 + nv40[i] + dom * 4);
    }
    for (unsigned i = NAMES_SINGLE; i < names; i++)
        if (program_chance(program, 50))
            peek(program, dom, peek_names[i]);
}

static void read_memory(struct program *program)
{
    for (unsigned i = 0; i < program->place_count; i++) {
        uint64_t length = PROGRAM_PICK(program, 33, 64, 100, 0x110, 0x230);
        uint64_t from = (program->places[i] - PROGRAM_PICK(program, 0, 0, 16, 7)) & 0xffffffffff;
        fprintf(program->out, "mem 0x%" PRIx64 " %" PRIu64 "\n", from, length);
        /* A packet that wraps continues at the start of its 4 GB block. */
        if ((uint32_t)program->places[i] >= 0xffffff00)
            fprintf(program->out, "mem 0x%" PRIx64 " 80\n", program->places[i] & 0xff00000000);
    }
}

/* Everything that can be read. */
static void dump(struct program *program)
{
    uint64_t first = has_counters(program) ? 0xa400 : 0x180000;
    uint64_t last = program->chipset <= REF_NV30 ? 0xa7fc : has_counters(program) ? 0xa8fc : 0;
    for (uint64_t address = first; address <= last; address += 4)
        program_rd(program, address);
    for (unsigned dom = 0; dom < program->domains; dom++) {
        if (!has_counters(program)) {
            for (unsigned offset = 0; offset <= 0x70; offset += 4)
                program_rd(program, first + dom * 0x200 + offset);
            program_rd(program, first + dom * 0x200 + 0xa0);
            program_rd(program, first + dom * 0x200 + 0xec);
        }
        peek(program, dom, "flag");
        for (unsigned i = 0; i < peek_count(program); i++)
            peek(program, dom, peek_names[i]);
    }
    if (has_record(program))
        read_memory(program);
}

/* ---- disturbances -------------------------------------------------------------------------- */

static void poke(struct program *program, unsigned dom)
{
    unsigned names = peek_count(program);
    if (names > NAMES_POKE)
        names = NAMES_POKE;
    if (!names)
        return;
    /* Those of the profile mostly. */
    unsigned first = 0, last = names;
    if (program_chance(program, 80) && program->domain[dom].profile == PROFILE_RECORD)
        first = NAMES_QUAD;
    else if (program_chance(program, 80) && program->domain[dom].profile == PROFILE_QUAD)
        first = NAMES_SINGLE, last = NAMES_QUAD;
    else if (program_chance(program, 50))
        last = NAMES_SINGLE;
    unsigned name = first + (unsigned)program_below(program, last - first);
    fprintf(program->out, "poke %u %s 0x%" PRIx64 "\n", dom, peek_names[name], some_count(program));
}

/* Any address of the engine, or one that is none of its. */
static void wild_write(struct program *program)
{
    uint64_t address;
    if (program_chance(program, 5))
        address = PROGRAM_PICK(program, 0, 0x9ffc, 0xa3fc, 0xa000, 0xb000, 0xa73c, 0xaffc, 0x17fffc,
                               0x180040, 0x180444, 0x1bfffc, 0x1c0000, 0xfffffffc, 0x10000a400);
    else if (has_counters(program))
        address = 0xa400 + 4 * program_below(program, program->chipset <= REF_NV30 ? 256 : 320);
    else
        address = 0x180000 + 0x200 * program_below(program, 8) + 4 * program_below(program, 64);
    program_wr(program, address, some_word(program));
    if (program_chance(program, 30))
        program_rd(program, address);
}

/* One of the registers whose writes abort single event mode (D9), or that look like one. */
static void abort_single(struct program *program, unsigned dom)
{
    static const unsigned nv10[] = {0x400, 0x408, 0x40c, 0x410, 0x414, 0x418, 0x41c, 0x420, 0x424,
                                    0x428, 0x42c, 0x600, 0x604, 0x608, 0x60c, 0x610, 0x614, 0x618,
                                    0x61c, 0x620, 0x624, 0x628, 0x62c, 0x430, 0x638, 0x640};
    static const unsigned nv40[] = {0x400, 0x440, 0x460, 0x480, 0x4a0, 0x4c0, 0x4e0, 0x500, 0x520,
                                    0x540, 0x560, 0x580, 0x600, 0x640, 0x680, 0x6a0, 0x6c0, 0x6e0,
                                    0x700, 0x720, 0x740, 0x780, 0x7e0, 0x620, 0x660, 0x5a0};
    size_t count = sizeof nv10 / sizeof *nv10;
    unsigned i = (unsigned)program_below(program, count);
    uint64_t address = program_register(program, dom, nv10[i], nv40[i]);
    bool op = program->chipset <= REF_NV30 && nv10[i] < 0x430 && nv10[i] % 8 == 4;
    op |= program->chipset > REF_NV30 && nv40[i] < 0x540 && nv40[i] & 0x20;
    uint64_t value = op                            ? program_op_value(program)
                     : program_chance(program, 70) ? program_src_value(program, dom, FLAVOR_ANY)
                                                   : some_word(program);
    program_wr(program, address, value);
}

/* Several writes between two clocks, in any order: what belongs together, and what does not. */
static void burst(struct program *program, unsigned dom)
{
    uint64_t count = 1 + program_below(program, 4);
    for (uint64_t i = 0; i < count; i++)
        switch (program_below(program, 6)) {
        case 0:
            write_ctrl(program, dom,
                       (enum program_profile)program_below(program, PROFILE_NOISE + 1));
            break;
        case 1:
            abort_single(program, dom);
            break;
        case 2:
            write_spec(program, dom);
            break;
        case 3:
            write_threshold(program, dom);
            break;
        default:
            write_op(program, dom, IN_PRE);
            break;
        }
    program_rd(program, program_ctrl(program, dom));
    fprintf(program->out, "run %u\n", (unsigned)program_below(program, 3));
    program_rd(program, program_ctrl(program, dom));
}

static void change_signals(struct program *program, unsigned dom)
{
    program_sig(program, dom);
    if (program_chance(program, 30))
        write_src(program, dom, (enum reference_input)program_below(program, IN_COUNT), FLAVOR_ANY);
    read_sig_status(program, dom);
    read_src_status(program, dom);
}

static void acknowledge(struct program *program, unsigned dom)
{
    if (program->chipset <= REF_NV30)
        program_wr(program, 0xa738, PROGRAM_PICK(program, 1, 0x100, 0x101, 0, 0xfffffefe));
    else if (has_counters(program))
        program_wr(program, 0xa7e0 + dom * 4,
                   PROGRAM_PICK(program, 1, 1, 1, 0, 0xffffffff, 0xfffffffe));
    else
        program_wr(program, 0x1800a0 + dom * 0x200, 1);
    if (has_counters(program))
        program_rd(program, program_ctrl(program, dom));
}

static void disturb_record(struct program *program, unsigned dom)
{
    switch (program_below(program, 9)) {
    case 0:
    case 1:
    case 2:
        write_record_start(program, dom);
        break;
    case 3:
        latency(program);
        break;
    case 4:
        fault(program, 25);
        break;
    case 5:
        write_address_high(program, dom);
        break;
    case 6:
        write_ctrl(program, dom, PROFILE_RECORD);
        break;
    case 7:
        gctrl(program);
        break;
    case 8:
        poke(program, dom);
        break;
    }
}

/* Something that fits what the domain does. */
static void act(struct program *program, unsigned dom)
{
    switch (program->domain[dom].profile) {
    case PROFILE_SINGLE:
        if (program_chance(program, 25))
            abort_single(program, dom);
        if (program_chance(program, 25))
            poke(program, dom);
        if (program_chance(program, 70))
            program_wr(program, program_op(program, dom, IN_PRE), program_op_value(program));
        break;
    case PROFILE_QUAD:
        if (program_chance(program, 60))
            acknowledge(program, dom);
        else if (program_chance(program, 50))
            write_op(program, dom, IN_PRE);
        else
            poke(program, dom);
        break;
    case PROFILE_RECORD:
        disturb_record(program, dom);
        break;
    case PROFILE_KNOT:
    case PROFILE_NOISE:
        write_input(program, dom, (enum reference_input)program_below(program, IN_COUNT),
                    FLAVOR_DRIVEN);
        break;
    }
}

static void disturb(struct program *program, unsigned dom)
{
    switch (program_below(program, 12)) {
    case 0:
        set_domain(program, dom);
        break;
    case 1:
        wild_write(program);
        break;
    case 2:
        if (has_counters(program))
            burst(program, dom);
        break;
    case 3:
    case 4:
        change_signals(program, dom);
        break;
    case 5:
        write_user(program, dom);
        break;
    case 6:
        if (has_counters(program))
            write_ctrl(program, dom, program->domain[dom].profile);
        break;
    case 7:
        poke(program, dom);
        break;
    case 8:
        acknowledge(program, dom);
        break;
    case 9:
        write_spec(program, dom);
        break;
    case 10:
        write_input(program, dom, (enum reference_input)program_below(program, IN_COUNT),
                    FLAVOR_ANY);
        break;
    case 11:
        if (has_record(program) && program_chance(program, 30))
            gctrl(program);
        else if (has_record(program))
            disturb_record(program, dom);
        break;
    }
}

static void reset(struct program *program)
{
    fputs("reset\n", program->out);
    program->shared_ctrl = 0;
    program->high = 0;
    if (program_chance(program, 40))
        observe(program, (unsigned)program_below(program, program->domains));
    if (program_chance(program, 30))
        program_run(program);
    for (unsigned dom = 0; dom < program->domains; dom++)
        set_domain(program, dom);
}

/* ---- whole scripts ------------------------------------------------------------------------- */

static uint64_t some_period(struct program *program)
{
    uint64_t r = program_below(program, 100);
    if (r < 45)
        return 1;
    if (r < 85)
        return 1 + program_below(program, 12);
    if (r < 97)
        return 10 + program_below(program, 200);
    return 1000 + program_below(program, 1000000);
}

static void set_clocks(struct program *program)
{
    bool equal = program_chance(program, 40);
    uint64_t all = program_chance(program, 60) ? 1 : some_period(program);
    if (program_below(program, 300) == 0)
        all = 0xffffffff - program_below(program, 5);
    for (unsigned dom = 0; dom < program->domains; dom++) {
        uint64_t period = equal ? all : some_period(program);
        program->domain[dom].period = period;
        if (period == 1 && program_chance(program, 80))
            continue;
        fprintf(program->out, "clock %u %" PRIu64, dom, period);
        if (program_chance(program, 50))
            fprintf(program->out, " %" PRIu64, program_below(program, period));
        fputc('\n', program->out);
    }
}

static void set_up(struct program *program)
{
    static const char *const names[REF_CHIPSETS] = {"nv10", "nv15", "nv20",  "nv30", "nv40",
                                                    "g84",  "g92",  "gt215", "gf100"};
    program->chipset = (enum reference_chipset)program_below(program, REF_CHIPSETS);
    if (program_chance(program, 25))
        program->chipset = (enum reference_chipset)PROGRAM_PICK(
            program, REF_NV30, REF_NV40, REF_G84, REF_G92, REF_GT215, REF_GT215);
    unsigned most = program->chipset <= REF_NV15 ? 1 : program->chipset <= REF_NV30 ? 2 : 8;
    program->domains = 1;
    if (program_chance(program, 65))
        program->domains +=
            (unsigned)program_below(program, program_chance(program, 60) && most > 3 ? 3 : most);
    fprintf(program->out, "chipset %s\n", names[program->chipset]);
    if (program->domains > 1 || program_chance(program, 20))
        fprintf(program->out, "domains %u\n", program->domains);
    set_clocks(program);
    uint64_t places = program->chipset == REF_GF100 ? 7 : 8;
    for (unsigned dom = 0; dom < program->domains; dom++) {
        program->domain[dom].trailer = (unsigned)(places - 1) * 0x20;
        if (program_chance(program, 25)) {
            program->domain[dom].trailer = 0x20 * (unsigned)program_below(program, places);
            fprintf(program->out, "trailer %u 0x%x\n", dom, program->domain[dom].trailer);
        }
    }
}

/* Long enough for the longest PERIODIC, which decides over swap, packets and FLAG. */
static void marathon(struct program *program)
{
    program->budget = 140000;
    write_input(program, 0, IN_STOP, FLAVOR_SPARSE);
    program_wr(program, 0xa400, 0x01010101 * (program->domain[0].trailer + 0x0d));
    program_wr(program, 0xa440, 0x01010101 * (program->domain[0].trailer + 0x0d));
    program_wr(program, 0xa560, program->domain[0].trailer + 0x0d);
    program_wr(program, 0xa420, 0xaaaa);
    program_wr(program, 0xa500, 0xaaaa);
    program_wr(program, 0xa7c0,
               PROGRAM_PICK(program, 0, 1, 1, 2) | PROGRAM_PICK(program, 5, 6, 7, 7, 7) << 21);
    while (program->budget > 0) {
        uint64_t clocks = PROGRAM_PICK(program, 1, 64, 3000, 16384, 20000, 32768);
        program->budget -= (int64_t)clocks;
        fprintf(program->out, "run %" PRIu64 "\n", clocks * program->domain[0].period);
        observe(program, 0);
        if (program_chance(program, 10))
            acknowledge(program, 0);
    }
}

/* Domain clocks for a script: a few thousand mostly. */
static int64_t some_budget(struct program *program)
{
    if (program->quiet || program_chance(program, 4))
        return 5000 + (int64_t)program_below(program, 55000);
    return (int64_t)(400u << program_below(program, 5)) + (int64_t)program_below(program, 2000);
}

void program_write(uint64_t seed, FILE *out)
{
    struct program program = {.out = out, .state = seed};
    program.quiet = program_chance(&program, 8);
    program.budget = some_budget(&program);
    set_up(&program);
    for (unsigned dom = 0; dom < program.domains; dom++)
        program_first_signals(&program, dom);
    for (unsigned dom = 0; dom < program.domains; dom++)
        set_domain(&program, dom);
    if (has_record(&program) && program.domains == 1 && program_below(&program, 80) == 0)
        marathon(&program);

    for (uint64_t step = 20 + program_below(&program, 60); step && program.budget > 0; step--) {
        unsigned dom = (unsigned)program_below(&program, program.domains);
        uint64_t r = program_below(&program, 1000);
        if (r < 480)
            program_run(&program);
        else if (r < 640)
            observe(&program, dom);
        else if (r < 820)
            act(&program, dom);
        else if (r < 990)
            disturb(&program, dom);
        else
            reset(&program);
        if (r < 480 && program_chance(&program, 30))
            observe(&program, dom);
    }
    dump(&program);
}
