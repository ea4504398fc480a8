/* SPDX-License-Identifier: MIT */
/* What a random script observes, and what it does between two runs. */
#include "programs.h"

#include <inttypes.h>

/* ---- observation --------------------------------------------------------------------------- */

void program_peek(struct program *program, unsigned dom, const char *name)
{
    fprintf(program->out, "peek %u %s\n", dom, name);
}

/* Names that a poke also accepts come first. */
static const char *const peek_names[] =
    {
        "cycles",     "event",    "start",    "pre",    "stop",    /* all */
        "sh_cycles",  "sh_event", "sh_start", "sh_pre", "sh_stop", /* nv30..gf100 */
        "rec_cycles", "rec_stop", "rec0",     "rec1",   "rec2",
        "rec3",       "rec4",     "rec5", /* g84..gt215 */
        "rec6",       "rec7",     "rec8",     "rec9",   "rec10",
        "rec11",      "valid",    "busy",     "wedged",
};

enum { NAMES_SINGLE = 5, NAMES_QUAD = 10, NAMES_POKE = 24, NAMES_RECORD = 27 };

static unsigned peek_count(const struct program *program)
{
    if (program_has_record(program))
        return NAMES_RECORD;
    return program->chipset >= REF_NV30 ? NAMES_QUAD : NAMES_SINGLE;
}

void program_read_sig_status(struct program *program, unsigned dom)
{
    for (unsigned i = 0; i < 8; i++) {
        uint64_t address = 0xa800 + dom * 0x20 + i * 4;
        if (program->chipset <= REF_NV30)
            address = 0xa430 + dom * 0x100 + i / 4 * 0x200 + i % 4 * 4;
        else if (program->chipset == REF_GF100)
            address = program->domain[dom].block + i * 4;
        program_rd(program, address);
    }
}

void program_read_src_status(struct program *program, unsigned dom)
{
    program_rd(program, program->chipset == REF_GF100 ? program->domain[dom].block + 0x68
                                                      : 0xa540 + dom * 4); /* absent before nv40 */
}

/* Compares a register or a state with a value near to what it may have. */
static void expect(struct program *program, unsigned dom, uint64_t address, const char *name)
{
    static const char *const operators[] = {"=", "!=", "<", "<=", ">", ">="};
    uint64_t value = PROGRAM_PICK(program, 0, 0, 1, 2, 16, 0x1000000);
    uint64_t far = program_some_word(program);
    if (program_chance(program, 50))
        fprintf(program->out, "expect 0x%" PRIx64 " ", address);
    else
        fprintf(program->out, "expect peek %u %s ", dom, name);
    if (program_chance(program, 30))
        fprintf(program->out, "& 0x%" PRIx64 " ", PROGRAM_PICK(program, 1, 3, 0x40, 0xfffff));
    fprintf(program->out, "%s ", operators[program_below(program, 6)]);
    fprintf(program->out, "%" PRIu64 "\n", program_chance(program, 80) ? value : far);
}

void program_observe(struct program *program, unsigned dom)
{
    static const unsigned nv10[] = {0x600, 0x604, 0x608, 0x610, 0x614, 0x618, 0x61c, 0x620, 0x624};
    static const unsigned nv40[] = {0x600, 0x640, 0x680, 0x6c0, 0x700, 0x740, 0x6e0};
    static const unsigned gf100[] = {0x70, 0x78, 0x80, 0x88, 0x8c, 0x90,
                                     0xe4, 0xa4, 0xa8, 0xac, 0xb0, 0xbc};
    unsigned names = peek_count(program);
    program_peek(program, dom, "flag");
    if (program_chance(program, 50))
        program_read_sig_status(program, dom);
    if (program_chance(program, 50))
        program_read_src_status(program, dom);
    program_rd(program, program_ctrl(program, dom));
    if (program->chipset <= REF_NV30) {
        for (size_t i = 0; i < sizeof nv10 / sizeof *nv10; i++)
            program_rd(program, 0xa000 + nv10[i] + dom * 0x100);
    } else if (program->chipset == REF_GF100) {
        for (size_t i = 0; i < sizeof gf100 / sizeof *gf100; i++)
            program_rd(program, program->domain[dom].block + gf100[i]);
    } else {
        for (size_t i = 0; i < sizeof nv40 / sizeof *nv40; i++)
            program_rd(program, 0xa000 + nv40[i] + dom * 4);
    }
    for (unsigned i = NAMES_SINGLE; i < names; i++)
        if (program_chance(program, 50))
            program_peek(program, dom, peek_names[i]);
    if (program_chance(program, 30))
        expect(program, dom, program_ctrl(program, dom), peek_names[program_below(program, names)]);
}

void program_read_memory(struct program *program)
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

/* Reads everything. */
void program_dump(struct program *program)
{
    uint64_t last = program->chipset <= REF_NV30    ? 0xa7fc
                    : program->chipset <= REF_GT215 ? 0xa8fc
                                                    : 0;
    for (uint64_t address = 0xa400; address <= last; address += 4)
        program_rd(program, address);
    if (program->chipset == REF_GF100)
        program_rd(program, 0x200);
    for (unsigned dom = 0; dom < program->domains; dom++) {
        if (program->chipset == REF_GF100) {
            for (unsigned offset = 0; offset <= 0x108; offset += 4)
                program_rd(program, program->domain[dom].block + offset);
            program_rd(program, program->domain[dom].set_block);
        }
        program_peek(program, dom, "flag");
        for (unsigned i = 0; i < peek_count(program); i++)
            program_peek(program, dom, peek_names[i]);
    }
    if (program_has_record(program))
        program_read_memory(program);
}

/* ---- disturbances -------------------------------------------------------------------------- */

/* Returns a value just below an end of a counter; the engine drops bits beyond its width. */
static uint64_t some_count(struct program *program, unsigned name)
{
    uint64_t end = UINT64_C(1) << 32;
    if (name < NAMES_QUAD) {
        if (name == 3 || name == 4) /* pre and stop count down */
            return PROGRAM_PICK(program, 0, 1, 2, 5, end - 40, end - 1, end);
        if (program->chipset <= REF_NV20)
            end = UINT64_C(1) << PROGRAM_PICK(program, 32, 39, 39, 40, 40, 40);
    } else if (name == 10) {
        end = UINT64_C(1) << PROGRAM_PICK(program, 16, 32, 48, 48);
    } else if (name == 11) {
        end = 0x1000;
    } else {
        end = PROGRAM_PICK(program, 0xf000, 0xf000, 0x10000);
    }
    if (program_chance(program, 10))
        return program_magnitude(program);
    return end - program_below(program, PROGRAM_PICK(program, 2, 4, 20, 70, 500));
}

void program_poke_name(struct program *program, unsigned dom, unsigned name)
{
    fprintf(program->out, "poke %u %s 0x%" PRIx64 "\n", dom, peek_names[name],
            some_count(program, name));
}

/* Selects a counter, mostly one that the profile uses. */
static void poke(struct program *program, unsigned dom)
{
    enum program_profile profile = program->domain[dom].profile;
    unsigned names = peek_count(program), first = 0, last;
    if (names > NAMES_POKE)
        names = NAMES_POKE;
    last = names;
    if (profile == PROFILE_RECORD && program_chance(program, 80)) {
        first = NAMES_QUAD;
    } else if (profile == PROFILE_QUAD && program_chance(program, 80)) {
        first = NAMES_SINGLE;
        last = NAMES_QUAD;
    } else if (program_chance(program, 50)) {
        last = NAMES_SINGLE;
    }
    if (last > first)
        program_poke_name(program, dom, first + (unsigned)program_below(program, last - first));
}

/* Returns an address of the engine, or one outside it. */
static void wild_write(struct program *program)
{
    uint64_t word = program_below(program, program->chipset <= REF_NV30 ? 256 : 320);
    uint64_t address = 0xa400 + 4 * word;
    if (program_chance(program, 5))
        address = PROGRAM_PICK(program, 0, 0x9ffc, 0xa3fc, 0xa000, 0xb000, 0xa73c, 0xaffc, 0x17fffc,
                               0x180040, 0x180444, 0x1bfffc, 0x1c0000, 0xfffffffc, 0x10000a400);
    else if (program->chipset == REF_GF100) { /* 66 words of a domain */
        unsigned dom = (unsigned)program_below(program, program->domains);
        address = program->domain[dom].block + word % 66 * 4;
        if (program_chance(program, 15)) /* of another domain or domain set, also absent ones */
            address = PROGRAM_PICK(program, 0x180000, 0x1a0000, 0x1b0000) + word % 66 * 4 +
                      program_below(program, 16) * 0x200;
        else if (program_chance(program, 10))
            address =
                PROGRAM_PICK(program, 0x1b8000, 0x1b8200, 0x1bc000, 0x1bc004, 0x1be000, 0x200);
    }
    program_wr(program, address, program_some_word(program));
    if (program_chance(program, 30))
        program_rd(program, address);
}

/* Selects a register whose writes abort single event mode (PC-D9), or a similar one. */
void program_abort_single(struct program *program, unsigned dom)
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
    if (program->chipset == REF_GF100 && program_chance(program, 50)) {
        program_wr(program, program->domain[dom].block + 0x94,
                   PROGRAM_PICK(program, 1, 1, 1, 1, 0, 0xffffffff, 0xfffffffe));
        return;
    }
    bool op = program->chipset <= REF_NV30 && nv10[i] < 0x430 && nv10[i] % 8 == 4;
    op |= program->chipset > REF_NV30 && nv40[i] < 0x540 && nv40[i] & 0x20;
    uint64_t value = op                            ? program_op_value(program)
                     : program_chance(program, 70) ? program_src_value(program, dom, FLAVOR_ANY)
                                                   : program_some_word(program);
    program_wr(program, address, value);
}

/* Several writes between two clocks, in any order, related or not. */
static void burst(struct program *program, unsigned dom)
{
    uint64_t count = 1 + program_below(program, 4);
    for (uint64_t i = 0; i < count; i++)
        switch (program_below(program, 6)) {
        case 0:
            program_write_ctrl(program, dom,
                               (enum program_profile)program_below(program, PROFILE_NOISE + 1));
            break;
        case 1:
            program_abort_single(program, dom);
            break;
        case 2:
            program_write_spec(program, dom);
            break;
        case 3:
            program_write_threshold(program, dom);
            break;
        default:
            program_begin_single(program, dom, program_op_value(program));
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
        program_write_src(program, dom, (enum reference_input)program_below(program, IN_COUNT),
                          FLAVOR_ANY);
    program_read_sig_status(program, dom);
    program_read_src_status(program, dom);
}

void program_acknowledge(struct program *program, unsigned dom)
{
    if (program->chipset <= REF_NV30)
        program_wr(program, 0xa738, PROGRAM_PICK(program, 1, 0x100, 0x101, 0, 0xfffffefe));
    else
        program_wr(program, program_register(program, dom, 0, 0x7e0),
                   PROGRAM_PICK(program, 1, 1, 1, 0, 0xffffffff, 0xfffffffe));
    program_rd(program, program_ctrl(program, dom));
}

void program_write_next(struct program *program, unsigned dom)
{
    static const unsigned offsets[] = {0xa4, 0xa8, 0xac, 0xb0, 0xbc, 0x78};
    if (program->chipset != REF_GF100)
        return;
    uint64_t value = program_some_word(program);
    unsigned i = (unsigned)program_below(program, sizeof offsets / sizeof *offsets);
    program_wr(program, program->domain[dom].block + offsets[i], value);
}

static void disturb_record(struct program *program, unsigned dom)
{
    switch (program_below(program, 9)) {
    case 0:
    case 1:
    case 2:
        program_write_record_start(program, dom);
        break;
    case 3:
        program_latency(program);
        break;
    case 4:
        program_fault(program, 25);
        break;
    case 5:
        program_write_address_high(program, dom);
        break;
    case 6:
        program_write_ctrl(program, dom, PROFILE_RECORD);
        break;
    case 7:
        program_gctrl(program, dom);
        break;
    case 8:
        poke(program, dom);
        break;
    }
}

/* A disturbance that fits the domain's purpose. */
void program_act(struct program *program, unsigned dom)
{
    switch (program->domain[dom].profile) {
    case PROFILE_SINGLE:
        if (program_chance(program, 25))
            program_abort_single(program, dom);
        if (program_chance(program, 25))
            poke(program, dom);
        if (program_chance(program, 70))
            program_begin_single(program, dom, program_op_value(program));
        break;
    case PROFILE_QUAD:
        if (program_chance(program, 60))
            program_acknowledge(program, dom);
        else if (program_chance(program, 50))
            program_begin_single(program, dom, program_op_value(program));
        else if (program_chance(program, 50))
            program_write_next(program, dom);
        else
            poke(program, dom);
        break;
    case PROFILE_RECORD:
        disturb_record(program, dom);
        break;
    case PROFILE_KNOT:
    case PROFILE_NOISE:
        program_write_input(program, dom, (enum reference_input)program_below(program, IN_COUNT),
                            FLAVOR_DRIVEN);
        break;
    }
}

void program_disturb(struct program *program, unsigned dom)
{
    switch (program_below(program, 12)) {
    case 0:
        program_set_domain(program, dom);
        break;
    case 1:
        wild_write(program);
        break;
    case 2:
        burst(program, dom);
        break;
    case 3:
    case 4:
        change_signals(program, dom);
        break;
    case 5:
        program_write_user(program, dom);
        break;
    case 6:
        program_write_ctrl(program, dom, program->domain[dom].profile);
        break;
    case 7:
        poke(program, dom);
        break;
    case 8:
        program_acknowledge(program, dom);
        break;
    case 9:
        program_write_spec(program, dom);
        break;
    case 10:
        program_write_input(program, dom, (enum reference_input)program_below(program, IN_COUNT),
                            FLAVOR_ANY);
        break;
    case 11:
        if (program_has_periodic(program) && program_chance(program, 30))
            program_gctrl(program, dom);
        else if (program->chipset == REF_GF100)
            program_write_next(program, dom);
        else if (program_has_record(program))
            disturb_record(program, dom);
        break;
    }
}

void program_reset(struct program *program)
{
    fputs("reset\n", program->out);
    program->shared_ctrl = 0;
    program->high = 0;
    program->unbound = program_chance(program, 30);
    if (program_chance(program, 40))
        program_observe(program, (unsigned)program_below(program, program->domains));
    if (program_chance(program, 30))
        program_run(program);
    for (unsigned dom = 0; dom < program->domains; dom++)
        program_set_domain(program, dom);
}
