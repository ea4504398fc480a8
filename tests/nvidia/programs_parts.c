/* SPDX-License-Identifier: MIT */
/* The parts of a random script: numbers, addresses, waveforms, signals, operations, runs. */
#include "programs.h"

#include <inttypes.h>

/* ---- random numbers ------------------------------------------------------------------------ */

/* splitmix64 */
uint64_t program_random(struct program *program)
{
    uint64_t z = program->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint64_t program_below(struct program *program, uint64_t limit)
{
    return program_random(program) % limit;
}

bool program_chance(struct program *program, unsigned percent)
{
    return program_below(program, 100) < percent;
}

uint64_t program_magnitude(struct program *program)
{
    uint64_t value = program_random(program);
    return value >> program_below(program, 64);
}

uint64_t program_pick(struct program *program, const uint64_t *values, size_t count)
{
    return values[program_below(program, count)];
}

/* ---- registers ----------------------------------------------------------------------------- */

bool program_has_src(const struct program *program, enum reference_input input)
{
    return input < IN_SETFLAG || program->chipset < REF_NV30;
}

uint64_t program_src(const struct program *program, unsigned dom, enum reference_input input)
{
    if (program->chipset <= REF_NV30)
        return 0xa400 + dom * 0x100 + input * 8u;
    if (program->chipset <= REF_GT215)
        return 0xa400 + dom * 4 + input * 0x40u;
    return program->domain[dom].block + 0x40 + input * 8u;
}

uint64_t program_op(const struct program *program, unsigned dom, enum reference_input input)
{
    if (program->chipset <= REF_NV30)
        return 0xa404 + dom * 0x100 + input * 8u;
    if (input >= IN_SETFLAG) {
        unsigned late = input - IN_SETFLAG;
        if (program->chipset <= REF_GT215)
            return 0xa500 + dom * 4 + late * 0x20;
        return program->domain[dom].block + 0x60 + late * 4;
    }
    return program_src(program, dom, input) + (program->chipset <= REF_GT215 ? 0x20 : 4);
}

uint64_t program_register(const struct program *program, unsigned dom, unsigned nv10, unsigned nv40)
{
    static const struct {
        unsigned nv40, gf100;
    } rows[] = {
        {0x400, 0x40}, {0x420, 0x44}, {0x440, 0x48}, {0x460, 0x4c},  {0x480, 0x50}, {0x4a0, 0x54},
        {0x4c0, 0x58}, {0x4e0, 0x5c}, {0x500, 0x60}, {0x520, 0x64},  {0x540, 0x68}, {0x560, 0x6c},
        {0x580, 0xec}, {0x600, 0x70}, {0x640, 0x78}, {0x680, 0x80},  {0x6a0, 0xa4}, {0x6c0, 0x88},
        {0x6e0, 0xe4}, {0x700, 0x8c}, {0x720, 0xa8}, {0x740, 0x90},  {0x760, 0xac}, {0x780, 0x98},
        {0x7c0, 0x9c}, {0x7e0, 0xa0}, {0x620, 0xb0}, {0x660, 0x100}, {0x5a0, 0xbc},
    };
    if (program->chipset <= REF_NV30)
        return 0xa000 + nv10 + dom * 0x100;
    if (program->chipset <= REF_GT215)
        return 0xa000 + nv40 + dom * 4;
    size_t i = 0;
    while (rows[i].nv40 != nv40) /* records are not there: any register */
        i++;
    return program->domain[dom].block + rows[i].gf100;
}

uint64_t program_ctrl(const struct program *program, unsigned dom)
{
    return program->chipset <= REF_NV30 ? 0xa73c : program_register(program, dom, 0, 0x7c0);
}

uint64_t program_ctrl_value(struct program *program, uint64_t nv40)
{
    uint64_t mode = nv40 & 3, value = nv40 & 0xf0e00000;
    if (program->chipset != REF_GF100)
        return nv40;
    if (mode >= MODE_RECORD)
        mode = program_chance(program, 50) ? 7 : program_below(program, 6) + 2; /* mostly none */
    value |= (mode + 1) % 8 | (nv40 >> 4 & 7) << 3 | (nv40 >> 8 & 1) << 6;
    value |= (nv40 >> 11 & 1) << 7 | (nv40 >> 13 & 1) << 8;
    if (program_chance(program, 20)) /* bits without effect */
        value |= program_random(program) & 0xff1ffe00;
    return value;
}

void program_wr(struct program *program, uint64_t address, uint64_t value)
{
    const char *comment = program_chance(program, 1) ? "  # as it comes" : "";
    if (program_chance(program, 8))
        fprintf(program->out, "wr %" PRIu64 "\t%" PRIu64 "%s\n", address, value, comment);
    else
        fprintf(program->out, "wr 0x%" PRIx64 " 0x%" PRIx64 "%s\n", address, value, comment);
}

void program_rd(struct program *program, uint64_t address)
{
    fprintf(program->out, "rd 0x%" PRIx64 "\n", address);
}

/* ---- waveforms ----------------------------------------------------------------------------- */

/* Writes a string whose characters are 1 in `density` of 256 cases, with leading zeros if `late`.
 */
static void put_bits(struct program *program, unsigned density, bool late)
{
    uint64_t length = PROGRAM_PICK(program, 1, 2, 3, 5, 7, 8, 9, 31, 32, 63, 64, 65, 100, 127, 128,
                                   129, 1 + program_below(program, 300));
    uint64_t quiet = late ? program_below(program, 400) : 0;
    for (uint64_t i = 0; i < quiet; i++)
        fputc('0', program->out);
    for (uint64_t i = 0; i < length; i++)
        fputc(program_below(program, 256) < density ? '1' : '0', program->out);
}

static void put_every(struct program *program, bool sparse)
{
    uint64_t n = sparse ? PROGRAM_PICK(program, 16, 63, 64, 65, 100, 127, 128, 129, 500, 1000, 1024,
                                       4096, 5000, 1 + program_below(program, 3000))
                        : PROGRAM_PICK(program, 1, 2, 3, 4, 5, 7, 8, 10, 13, 64);
    uint64_t o = program_below(program, n);
    if (program_chance(program, 3)) { /* beyond 32 bits: once, soon */
        n = (UINT64_C(1) << 33) + program_below(program, UINT64_C(1) << 60);
        o = program_below(program, 500);
    } else if (program_chance(program, 2)) {
        n = UINT64_MAX;
        o = PROGRAM_PICK(program, 0, 70, UINT64_MAX - 1);
    }
    fprintf(program->out, "every %" PRIu64 " %" PRIu64, n, o);
}

static void put_prng(struct program *program, bool sparse)
{
    uint64_t seed = program_chance(program, 90) ? program_magnitude(program)
                                                : UINT64_MAX - program_below(program, 4);
    uint64_t p = sparse ? PROGRAM_PICK(program, 1, 2, 4, 8, 16)
                        : PROGRAM_PICK(program, 0, 32, 64, 100, 128, 128, 128, 200, 240, 255, 256);
    fprintf(program->out, "prng 0x%" PRIx64 " %" PRIu64, seed, p);
}

static void put_wave(struct program *program, bool sparse)
{
    switch (program_below(program, 12)) {
    case 0:
        fprintf(program->out, "const %u", !sparse && program_chance(program, 70));
        break;
    case 1:
    case 2:
    case 3:
        fputs("pattern ", program->out);
        if (sparse)
            put_bits(program, 8, program_chance(program, 50));
        else
            put_bits(program, (unsigned)PROGRAM_PICK(program, 64, 128, 128, 230, 256), false);
        break;
    case 4:
        fputs("once ", program->out);
        put_bits(program, sparse ? 20 : 128, program_chance(program, 60));
        break;
    case 5:
    case 6:
    case 7:
        put_every(program, sparse);
        break;
    case 8:
        if (program->chipset == REF_GT215) {
            fprintf(program->out, "user %u", (unsigned)program_below(program, 2));
            break;
        }
        /* fall through */
    default:
        put_prng(program, sparse);
        break;
    }
}

static void put_sig(struct program *program, unsigned dom, unsigned first, unsigned last,
                    bool sparse)
{
    fprintf(program->out, "sig %u %u", dom, first);
    if (last != first || program_chance(program, 2))
        fprintf(program->out, "-0x%x", last);
    fputc(' ', program->out);
    put_wave(program, sparse);
    fputc('\n', program->out);
}

/* In the trailer the script drives PM_TRIGGER and WRCACHE_FLUSH; the engine must override a
 * waveform at any other place. */
static unsigned trailer_place(struct program *program, unsigned dom)
{
    uint64_t offset;
    if (program->chipset <= REF_NV30)
        offset = PROGRAM_PICK(program, 0x1d, 0x1d, 0x1d, 0x1e, 0x1f, program_below(program, 0x20));
    else if (program->chipset <= REF_GT215)
        offset = PROGRAM_PICK(program, 0x0f, 0x0f, 0x0f, 0x0f, 0x0c, 0x0d, 0x0e,
                              program_below(program, 0x20));
    else
        offset = PROGRAM_PICK(program, 0x2b, 0x2c, 0x2d, 0x2d, 0x2d, 0x2e, 0x2f,
                              program_below(program, 0x40));
    return program->domain[dom].trailer + (unsigned)offset;
}

/* Adds a waveform to a signal, or replaces one. */
void program_sig(struct program *program, unsigned dom)
{
    struct program_domain *domain = &program->domain[dom];
    bool sparse = program->quiet || program_chance(program, 40);
    unsigned first = (unsigned)program_below(program, REF_SIGNALS), last = first;
    if (program_chance(program, 60) && domain->live_count)
        first = last = domain->live[program_below(program, domain->live_count)];
    else if (program_chance(program, 50))
        first = last = trailer_place(program, dom);
    else if (program_chance(program, 30))
        last = first + (unsigned)program_below(program, 16);
    if (last >= REF_SIGNALS)
        last = REF_SIGNALS - 1;
    if (program_chance(program, 1)) {
        first = 0;
        last = REF_SIGNALS - 1;
    }
    put_sig(program, dom, first, last, sparse);
    for (unsigned i = first; i <= last && i < first + 3; i++) {
        if (domain->live_count < PROGRAM_LIVE)
            domain->live[domain->live_count++] = (uint8_t)i;
        if (sparse && domain->sparse_count < PROGRAM_LIVE)
            domain->sparse[domain->sparse_count++] = (uint8_t)i;
    }
}

/* A domain starts with a few active signals, at least one of them sparse. */
void program_first_signals(struct program *program, unsigned dom)
{
    struct program_domain *domain = &program->domain[dom];
    uint64_t count = 3 + program_below(program, 8);
    for (uint64_t i = 0; i < count; i++) {
        bool sparse = program->quiet || i == 0 || program_chance(program, 40);
        unsigned index = (unsigned)program_below(program, REF_SIGNALS);
        if (i == 1 || program_chance(program, 10))
            index = trailer_place(program, dom);
        put_sig(program, dom, index, index, sparse);
        domain->live[domain->live_count++] = (uint8_t)index;
        if (sparse)
            domain->sparse[domain->sparse_count++] = (uint8_t)index;
    }
    if (program_chance(program, 15))
        program_sig(program, dom);
}

/* ---- selected signals ---------------------------------------------------------------------- */

/* Selects a signal that the engine drives; random sources include absent domains. */
static unsigned driven(struct program *program, unsigned dom)
{
    unsigned base = program->domain[dom].trailer;
    unsigned source = program->domain[dom].index;
    if (program_chance(program, 55))
        source = (unsigned)program_below(program, program->domain[dom].set_count);
    else if (program_chance(program, 4))
        source = (unsigned)program_below(program, 8);
    if (program->chipset <= REF_NV15)
        return base + 0x1f;
    if (program->chipset <= REF_NV30)
        return base + 0x1f - source % 2;
    unsigned events = program->chipset == REF_GF100 ? 0x30 : 0x10;
    if (program_chance(program, 8)) /* USER, PAUSED, PERIODIC; ZERO, PERIODIC, WRCACHE, PM */
        return base + (program->chipset == REF_GF100 ? 0x27 + (unsigned)program_below(program, 8)
                                                     : 0x0c + (unsigned)program_below(program, 4));
    if (program_has_periodic(program) && program_chance(program, 8))
        return base + (program->chipset == REF_GF100 ? 0x2e : 0x0d);
    return base + events + (program_chance(program, 50) ? 7 : 15) - source;
}

unsigned program_signal(struct program *program, unsigned dom, enum program_flavor flavor)
{
    const struct program_domain *domain = &program->domain[dom];
    if (program_chance(program, 6))
        return (unsigned)program_below(program, REF_SIGNALS);
    if (flavor == FLAVOR_DRIVEN ? program_chance(program, 75) : program_chance(program, 15))
        return driven(program, dom);
    if (domain->sparse_count && program_chance(program, flavor == FLAVOR_SPARSE ? 80 : 20))
        return domain->sparse[program_below(program, domain->sparse_count)];
    return domain->live[program_below(program, domain->live_count)];
}

uint32_t program_src_value(struct program *program, unsigned dom, enum program_flavor flavor)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < 4; i++)
        value |= (uint32_t)program_signal(program, dom, i ? FLAVOR_ANY : flavor) << (8 * i);
    if (program_chance(program, 10)) /* all four the same */
        value = (value & 0xff) * 0x01010101u;
    return value;
}

uint32_t program_op_value(struct program *program)
{
    uint64_t op = program_chance(program, 75)
                      ? PROGRAM_PICK(program, 0xaaaa, 0xaaaa, 0xaaaa, 0xaaaa, 0xcccc, 0xf0f0,
                                     0xff00, 0x8888, 0xeeee, 0x6666, 0x2222, 0x4444, 0x6996, 0xffff,
                                     0x0000, 0x5555, 0x0001, 0x8000, 0xfffe)
                      : program_random(program) & 0xffff;
    for (unsigned bit = 16; bit <= 20; bit++)
        if (program_chance(program, 22))
            op |= 1u << bit;
    if (program_chance(program, 5))
        op |= program_random(program) & 0xffff0000;
    return (uint32_t)op;
}

/* ---- runs ---------------------------------------------------------------------------------- */

static uint64_t run_length(struct program *program)
{
    uint64_t r = program_below(program, 100);
    if (program->quiet && r < 60)
        return 500 + program_below(program, 4000);
    if (r < 3)
        return 0;
    if (r < 24)
        return 1;
    if (r < 38)
        return 2 + program_below(program, 3);
    if (r < 54)
        return 4 + program_below(program, 20);
    if (r < 66)
        return 62 + program_below(program, 5);
    if (r < 74)
        return 126 + program_below(program, 5);
    if (r < 82)
        return 180 + program_below(program, 90);
    if (r < 94)
        return 300 + program_below(program, 900);
    if (r < 99)
        return 1000 + program_below(program, 4000);
    return 5000 + program_below(program, 15000);
}

/* Returns the approximate number of domain clocks in a number of ticks. */
static int64_t cost(const struct program *program, uint64_t ticks)
{
    uint64_t clocks = 1;
    for (unsigned dom = 0; dom < program->domains; dom++)
        clocks += ticks / program->domain[dom].period;
    return (int64_t)clocks;
}

/* Lengths are in clocks of the fastest domain. */
void program_run(struct program *program)
{
    uint64_t unit = UINT64_MAX;
    for (unsigned dom = 0; dom < program->domains; dom++)
        if (program->domain[dom].period < unit)
            unit = program->domain[dom].period;
    uint64_t ticks = run_length(program) * unit;
    if (unit > 1 && program_chance(program, 60))
        ticks += program_below(program, unit);
    if (cost(program, ticks) > program->budget)
        ticks = program_below(program, 4) * unit;
    program->budget -= cost(program, ticks);
    fprintf(program->out, "run %" PRIu64 "\n", ticks);
}

void program_run_clocks(struct program *program, unsigned dom, uint64_t clocks)
{
    uint64_t ticks = clocks * program->domain[dom].period;
    if (cost(program, ticks) > program->budget + 200)
        ticks = clocks < 4 ? clocks : 4;
    program->budget -= cost(program, ticks);
    fprintf(program->out, "run %" PRIu64 "\n", ticks);
}
