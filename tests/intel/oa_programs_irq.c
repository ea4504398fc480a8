/* SPDX-License-Identifier: MIT */
/* The interrupt tree of lkf: messages, masks, service in order and out of order. */
#include "oa_programs.h"

#include <inttypes.h>

static const struct {
    uint8_t class, instance, dw, bit;
    uint32_t mask; /* register */
} engines[] = {
    {0, 0, 0, 0, 0x190090},  {1, 0, 1, 0, 0x1900a8},  {1, 1, 1, 1, 0x1900a8},
    {1, 2, 1, 2, 0x1900ac},  {1, 3, 1, 3, 0x1900ac},  {2, 0, 1, 31, 0x1900d0},
    {2, 1, 1, 30, 0x1900d0}, {3, 0, 0, 15, 0x1900a0}, {4, 0, 0, 25, 0x1900e8},
    {4, 1, 0, 16, 0x1900ec}, {4, 2, 0, 20, 0x1900ec}, {4, 3, 0, 21, 0x1900e8},
    {4, 4, 0, 19, 0x1900f0}, {4, 5, 0, 28, 0x1900f4}, {4, 6, 0, 31, 0x1900f4},
};
enum { ENGINES = sizeof engines / sizeof *engines };

/* Mostly the engine that the script is about just now. */
static unsigned some_engine(struct oa_program *program)
{
    if (oa_program_chance(program, 50))
        return program->engine;
    return (unsigned)oa_program_below(program, ENGINES);
}

static const uint32_t enables[] = {0x190030, 0x190034, 0x190038, 0x19003c, 0x190040, 0x190044};
static const uint32_t masks[] = {0x190090, 0x1900a0, 0x1900a8, 0x1900ac, 0x1900d0,
                                 0x1900e8, 0x1900ec, 0x1900f0, 0x1900f4};

/* Mostly complete halves, as the driver writes them. */
static uint32_t some_halves(struct oa_program *program)
{
    if (oa_program_chance(program, 35))
        return (uint32_t)oa_program_random(program);
    return (uint32_t)OA_PROGRAM_PICK(program, 0, 0xffff, 0xffff0000, 0xffffffff);
}

static void message(struct oa_program *program)
{
    unsigned i = some_engine(program);
    uint64_t data = oa_program_random(program) & 0xffff;
    if (oa_program_chance(program, 60))
        data = UINT64_C(1) << oa_program_below(program, 16);
    if (oa_program_chance(program, 5))
        data = 0;
    fprintf(program->out, "irq %u %u 0x%" PRIx64 "\n", engines[i].class, engines[i].instance, data);
}

static void write_enable(struct oa_program *program)
{
    uint32_t address = enables[oa_program_below(program, 6)];
    uint32_t value = some_halves(program);
    oa_program_wr(program, address, value | (oa_program_chance(program, 50) ? 0xffffffff : 0));
}

static void write_mask(struct oa_program *program)
{
    uint32_t address = masks[oa_program_below(program, 9)];
    uint32_t value = some_halves(program);
    if (oa_program_chance(program, 60))
        address = engines[program->engine].mask;
    oa_program_wr(program, address, oa_program_chance(program, 30) ? 0 : value);
}

void oa_program_irq_setup(struct oa_program *program)
{
    uint32_t imr = oa_program_some_word(program);
    if (oa_program_chance(program, 75))
        imr = 0xefffffff;
    oa_program_wr(program, 0x2b20, imr);
    for (unsigned i = 0; i < 6; i++)
        if (oa_program_chance(program, 85))
            oa_program_wr(program, enables[i], 0xffffffff);
    for (unsigned i = 0; i < 9; i++)
        if (oa_program_chance(program, 80))
            oa_program_wr(program, masks[i], 0);
    for (unsigned i = 0; i < 2; i++) {
        write_enable(program);
        write_mask(program);
    }
    if (oa_program_chance(program, 80))
        oa_program_wr(program, 0x190010, 0x80000000);
}

static void select_engine(struct oa_program *program)
{
    unsigned i = some_engine(program);
    uint32_t value = UINT32_C(1) << engines[i].bit;
    unsigned dw = engines[i].dw;
    if (oa_program_chance(program, 8))
        value = oa_program_some_word(program);
    if (oa_program_chance(program, 8))
        dw = !dw;
    oa_program_wr(program, 0x190070 + 4 * dw, value);
    if (oa_program_chance(program, 80))
        oa_program_rd(program, 0x190060 + 4 * dw);
    if (oa_program_chance(program, 30))
        oa_program_rd(program, 0x190070 + 4 * dw);
    if (oa_program_chance(program, 60)) {
        uint32_t release = oa_program_chance(program, 85) ? 0x80000000 : 0x7fffffff;
        oa_program_wr(program, 0x190060 + 4 * dw, release);
        if (oa_program_chance(program, 30))
            oa_program_rd(program, 0x190060 + 4 * dw);
    }
}

static void clear(struct oa_program *program)
{
    unsigned dw = (unsigned)oa_program_below(program, 2);
    uint32_t ones = oa_program_some_word(program);
    if (oa_program_chance(program, 50))
        ones = 0xffffffff;
    if (oa_program_chance(program, 25)) {
        unsigned i = some_engine(program);
        ones = UINT32_C(1) << engines[i].bit;
        dw = engines[i].dw;
    }
    oa_program_wr(program, 0x190018 + 4 * dw, ones);
}

void oa_program_irq(struct oa_program *program)
{
    if (program->platform != OA_REF_LKF)
        return;
    uint64_t r = oa_program_below(program, 100);
    if (r < 35)
        message(program);
    else if (r < 45)
        oa_program_rd(program, oa_program_chance(program, 50) ? 0x190018 : 0x19001c);
    else if (r < 65)
        select_engine(program);
    else if (r < 75)
        clear(program);
    else if (r < 80)
        write_enable(program);
    else if (r < 88)
        write_mask(program);
    else if (r < 92)
        oa_program_wr(program, 0x190010, oa_program_some_word(program));
    else if (r < 96)
        oa_program_rd(program, 0x190010);
    else
        oa_program_peek(program, "irq");
}

/* The service sequence of OA-3.6, with more work coming in between. */
static void service(struct oa_program *program)
{
    oa_program_wr(program, 0x190010, 0);
    oa_program_rd(program, 0x190010);
    unsigned dw = (unsigned)oa_program_below(program, 2);
    oa_program_rd(program, 0x190018 + 4 * dw);
    for (unsigned i = 0; i < ENGINES; i++) {
        if (engines[i].dw != dw || oa_program_chance(program, 12))
            continue;
        oa_program_wr(program, 0x190070 + 4 * dw, UINT32_C(1) << engines[i].bit);
        oa_program_rd(program, 0x190060 + 4 * dw);
        if (oa_program_chance(program, 15))
            message(program);
        if (oa_program_chance(program, 90))
            oa_program_wr(program, 0x190060 + 4 * dw, 0x80000000);
    }
    if (oa_program_chance(program, 30))
        oa_program_run(program);
    oa_program_wr(program, 0x190018 + 4 * dw, 0xffffffff);
    oa_program_rd(program, 0x190010);
    oa_program_wr(program, 0x190010, 0x80000000);
    oa_program_peek(program, "irq");
}

/* Messages that are not enabled store nothing, and enables post nothing. */
static void disabled_messages(struct oa_program *program)
{
    uint32_t kept = some_halves(program);
    if (oa_program_chance(program, 60))
        kept = 0;
    for (unsigned i = 0; i < 6; i++)
        oa_program_wr(program, enables[i], kept);
    for (uint64_t count = oa_program_below(program, 3); count; count--)
        message(program);
    for (unsigned i = 0; i < 6; i++)
        oa_program_wr(program, enables[i], 0xffffffff);
}

/* Some bits of an engine masked while it is served, and unmasked after that. */
static void partly_masked(struct oa_program *program)
{
    unsigned i = program->engine;
    uint32_t bits = (uint32_t)oa_program_random(program);
    uint64_t data = oa_program_random(program) & 0xffff;
    oa_program_wr(program, engines[i].mask, bits);
    fprintf(program->out, "irq %u %u 0x%" PRIx64 "\n", engines[i].class, engines[i].instance, data);
    if (oa_program_chance(program, 60))
        oa_program_rd(program, 0x190018 + 4u * engines[i].dw);
    if (oa_program_chance(program, 40)) { /* serviced completely, so that DW_CR matters */
        disabled_messages(program);
        oa_program_wr(program, 0x190070 + 4u * engines[i].dw, UINT32_C(1) << engines[i].bit);
        oa_program_wr(program, 0x190060 + 4u * engines[i].dw, 0x80000000);
        oa_program_wr(program, 0x190018 + 4u * engines[i].dw, 0xffffffff);
        oa_program_rd(program, 0x190010);
    }
    for (unsigned times = 0; times < 3; times++) {
        if (oa_program_chance(program, 40))
            disabled_messages(program);
        select_engine(program);
        if (oa_program_chance(program, 50))
            message(program);
        if (oa_program_chance(program, 60))
            clear(program);
        if (oa_program_chance(program, 60))
            oa_program_wr(program, engines[i].mask, times == 1 ? 0 : bits << 16 | bits >> 16);
        oa_program_rd(program, 0x190010);
        if (oa_program_chance(program, 50))
            oa_program_rd(program, 0x190018 + 4u * engines[i].dw);
    }
}

void oa_program_irq_scene(struct oa_program *program)
{
    if (program->platform != OA_REF_LKF)
        return;
    program->engine = (unsigned)oa_program_below(program, ENGINES);
    if (oa_program_chance(program, 60))
        oa_program_irq_setup(program);
    for (uint64_t count = oa_program_between(program, 1, 8); count; count--)
        message(program);
    if (oa_program_chance(program, 40)) {
        service(program);
        return;
    }
    if (oa_program_chance(program, 50)) {
        partly_masked(program);
        return;
    }
    for (uint64_t count = oa_program_between(program, 8, 30); count; count--)
        oa_program_irq(program);
}
