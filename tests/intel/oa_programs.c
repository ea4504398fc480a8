/* SPDX-License-Identifier: MIT */
/*
 * A random script: a set-up that does something sensible, disturbed at random, observed often, and
 * all that can be read at the end.
 */
#include "oa_programs.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

/* ---- random numbers ------------------------------------------------------------------------ */

uint64_t oa_program_random(struct oa_program *program)
{
    program->state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = program->state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t oa_program_below(struct oa_program *program, uint64_t limit)
{
    return oa_program_random(program) % limit;
}

uint64_t oa_program_between(struct oa_program *program, uint64_t low, uint64_t high)
{
    return low + oa_program_below(program, high - low + 1);
}

uint64_t oa_program_magnitude(struct oa_program *program, unsigned bits)
{
    uint64_t shift = 63 - oa_program_below(program, bits);
    return oa_program_random(program) >> shift;
}

bool oa_program_chance(struct oa_program *program, unsigned percent)
{
    return oa_program_below(program, 100) < percent;
}

uint64_t oa_program_pick(struct oa_program *program, const uint64_t *values, size_t count)
{
    return values[oa_program_below(program, count)];
}

/* ---- commands that everybody needs ---------------------------------------------------------- */

/* Where Gen12 has what map C has at an address. */
static uint32_t there(const struct oa_program *program, uint32_t address)
{
    static const struct {
        uint32_t first, last, there;
    } moved[] = {{0x2360, 0x2360, 0x2b28}, {0x2710, 0x272c, 0xd900}, {0x2740, 0x275c, 0xd920},
                 {0x2770, 0x27ac, 0xd940}, {0x2800, 0x2910, 0xd980}, {0x2920, 0x293c, 0xda94},
                 {0x2940, 0x295c, 0xdab4}, {0x2b00, 0x2b14, 0xdaf4}};
    for (size_t i = 0; program->platform >= OA_REF_TGL && i < sizeof moved / sizeof *moved; i++)
        if (address >= moved[i].first && address <= moved[i].last)
            return address - moved[i].first + moved[i].there;
    return address;
}

void oa_program_wr_at(struct oa_program *program, uint32_t address, uint64_t value)
{
    fprintf(program->out, "wr 0x%" PRIx32 " 0x%" PRIx32 "\n", address, (uint32_t)value);
}

void oa_program_rd_at(struct oa_program *program, uint32_t address)
{
    fprintf(program->out, "rd 0x%" PRIx32 "\n", address);
}

void oa_program_wr(struct oa_program *program, uint32_t address, uint64_t value)
{
    oa_program_wr_at(program, there(program, address), value);
}

void oa_program_rd(struct oa_program *program, uint32_t address)
{
    oa_program_rd_at(program, there(program, address));
}

void oa_program_peek(struct oa_program *program, const char *name)
{
    fprintf(program->out, "peek %s\n", name);
}

void oa_program_clocks(struct oa_program *program, uint64_t clocks)
{
    if (program->budget <= 0)
        clocks = clocks < 4 ? clocks : 4;
    else if (clocks > (uint64_t)program->budget)
        clocks = (uint64_t)program->budget;
    program->budget -= (int64_t)clocks;
    fprintf(program->out, "run %" PRIu64 "\n", clocks);
}

/* Short runs, runs around the 64 clocks that a fast engine processes at once, and long ones. */
void oa_program_run(struct oa_program *program)
{
    uint64_t r = oa_program_below(program, 1000);
    uint64_t clocks;
    if (r < 20)
        clocks = 0;
    else if (r < 240)
        clocks = 1;
    else if (r < 350)
        clocks = oa_program_between(program, 2, 3);
    else if (r < 500)
        clocks = oa_program_between(program, 4, 20);
    else if (r < 620)
        clocks = OA_PROGRAM_PICK(program, 32, 62, 63, 64, 64, 65, 66, 127, 128, 129, 192);
    else if (r < 740)
        clocks = oa_program_between(program, 20, 130);
    else if (r < 900)
        clocks = oa_program_between(program, 100, 700);
    else if (r < 985 || !program->quiet)
        clocks = oa_program_between(program, 500, 3000);
    else
        clocks = OA_PROGRAM_PICK(program, 4096, 8191, 10000, 20000);
    if (program->quiet && clocks && oa_program_chance(program, 30))
        clocks += oa_program_between(program, 300, 4000);
    oa_program_clocks(program, clocks);
}

/* ---- complete scripts ---------------------------------------------------------------------- */

static void choose_platform(struct oa_program *program)
{
    static const char *const names[OA_REF_PLATFORMS] = {"snb", "ivb", "vlv", "hsw", "bdw",
                                                        "chv", "skl", "icl", "lkf", "tgl"};
    program->platform = (enum oa_reference_platform)oa_program_below(program, OA_REF_PLATFORMS);
    if (oa_program_chance(program, 30))
        program->platform = (enum oa_reference_platform)OA_PROGRAM_PICK(
            program, OA_REF_SNB, OA_REF_IVB, OA_REF_HSW, OA_REF_HSW, OA_REF_SKL, OA_REF_SKL,
            OA_REF_LKF, OA_REF_LKF, OA_REF_TGL, OA_REF_TGL);
    program->map = program->platform < OA_REF_HSW    ? OA_REF_MAP_A
                   : program->platform == OA_REF_HSW ? OA_REF_MAP_B
                                                     : OA_REF_MAP_C;
    bool map_a = program->map == OA_REF_MAP_A;
    program->a_count = program->platform == OA_REF_SNB ? 29
                       : program->map == OA_REF_MAP_C  ? 36
                                                       : 45;
    program->b_count = map_a ? 4 : 8;
    program->c_count = map_a ? 12 : 8;
    program->cec_count = map_a ? 4 : 8;
    program->blocks = map_a ? 1 : 2;
    /* Products whose counters differ; some have subslices of 6 EUs. */
    static const char *const skus[OA_REF_PLATFORMS][3] = {
        [OA_REF_IVB] = {"ivb", "ivb/gt1", "ivb/gt2"},
        [OA_REF_BDW] = {"bdw", "bdw/gt1", "bdw"},
        [OA_REF_CHV] = {"chv", "chv/2x6", "chv"},
        [OA_REF_SKL] = {"skl", "skl/gt1", "skl/gt1.5"},
    };
    const char *sku = names[program->platform];
    if (skus[program->platform][0])
        sku = skus[program->platform][oa_program_below(program, 3)];
    if (program->platform == OA_REF_IVB)
        program->reserved_a = strcmp(sku, "ivb/gt1") ? 33 : 0;
    /* GT1 and 2x6 have two subslices of six EUs. */
    program->max_eus = !strcmp(sku, "bdw/gt1") || !strcmp(sku, "chv/2x6") || !strcmp(sku, "skl/gt1")
                           ? 12
                           : UINT_MAX;
    fprintf(program->out, "platform %s\n", sku);
}

static void choose_profile(struct oa_program *program)
{
    if (program->platform == OA_REF_LKF && oa_program_chance(program, 30)) {
        program->profile = OA_PROGRAM_IRQ;
        return;
    }
    do
        program->profile = (enum oa_program_profile)oa_program_below(program, OA_PROGRAM_PROFILES);
    while ((program->profile == OA_PROGRAM_EUS && program->map != OA_REF_MAP_C) ||
           (program->profile == OA_PROGRAM_IRQ && program->platform != OA_REF_LKF));
}

static void first_commands(struct oa_program *program)
{
    program->period = 1;
    if (oa_program_chance(program, 60)) {
        uint64_t r = oa_program_below(program, 100);
        if (r < 60)
            program->period = oa_program_between(program, 1, 12);
        else if (r < 85)
            program->period = OA_PROGRAM_PICK(program, 63, 64, 65, 100, 127, 128, 200);
        else if (r < 95)
            program->period = oa_program_between(program, 1, 3000);
        else
            program->period = 0xffffffff;
        fprintf(program->out, "timestamp %" PRIu64, program->period);
        if (oa_program_chance(program, 60)) {
            uint64_t start = oa_program_magnitude(program, 36);
            if (oa_program_chance(program, 30))
                start = 0xfffffffff - oa_program_below(program, 40);
            else if (oa_program_chance(program, 30))
                start = 0xffffffff - oa_program_below(program, 40);
            fprintf(program->out, " 0x%" PRIx64, start);
        }
        fputc('\n', program->out);
    }
    if (program->map == OA_REF_MAP_C &&
        (program->profile == OA_PROGRAM_EUS || oa_program_chance(program, 45))) {
        program->eus =
            (unsigned)OA_PROGRAM_PICK(program, 0, 1, 2, 3, 4, 5, 8, 8, 9, 12, 13, 16, 16);
        if (program->eus > program->max_eus)
            program->eus = program->max_eus;
        fprintf(program->out, "eus %u\n", program->eus);
    }
}

/* Clocks for a script: a few thousand mostly. */
static int64_t some_budget(struct oa_program *program)
{
    if (program->quiet) {
        uint64_t most = oa_program_chance(program, 35) ? 55000 : 14000;
        return 4000 + (int64_t)oa_program_below(program, most);
    }
    int64_t budget = (int64_t)(250u << oa_program_below(program, 6));
    return budget + (int64_t)oa_program_below(program, 1500);
}

static void reset(struct oa_program *program)
{
    while (oa_program_chance(program, 65)) /* pending when it comes */
        oa_program_event(program);
    fputs("reset\n", program->out);
    program->enabled = false;
    program->high = 0;
    program->base = 0;
    program->size_code = 0;
    program->oabuffer_low = 0;
    if (oa_program_chance(program, 30))
        oa_program_observe(program);
    if (oa_program_chance(program, 30))
        oa_program_clocks(program, 1 + oa_program_below(program, 5));
    oa_program_setup(program);
    if (program->platform >= OA_REF_SKL && oa_program_chance(program, 50))
        oa_program_wr(program, 0x2b04, 0x00400040); /* the ratios are kept */
    if (program->map == OA_REF_MAP_C && oa_program_chance(program, 50))
        fputs("go 0\n", program->out);
    if (oa_program_chance(program, 50))
        oa_program_run(program);
}

void oa_program_write(uint64_t seed, FILE *out)
{
    struct oa_program program = {.out = out, .state = seed};
    program.quiet = oa_program_chance(&program, 20);
    program.budget = some_budget(&program);
    choose_platform(&program);
    choose_profile(&program);
    first_commands(&program);
    if (oa_program_chance(&program, 15))
        oa_program_clocks(&program, oa_program_below(&program, 100));
    oa_program_inputs(&program);
    oa_program_setup(&program);

    uint64_t steps = 20 + oa_program_below(&program, 60);
    for (; steps && program.budget > 0; steps--) {
        uint64_t r = oa_program_below(&program, 1000);
        if (r % 50 == 7) /* everything that separates words and lines */
            fprintf(program.out, "\n \t# step %" PRIu64 "\n\trun  \t0 # no clock\n", steps);
        if (r < 400) {
            oa_program_run(&program);
            if (oa_program_chance(&program, 40))
                oa_program_observe(&program);
        } else if (r < 510) {
            oa_program_observe(&program);
        } else if (r < 790) {
            oa_program_act(&program);
        } else if (r < 840) {
            oa_program_noise_write(&program);
        } else if (r < 992) {
            oa_program_scene(&program);
        } else {
            reset(&program);
        }
        if (!program.enabled && oa_program_chance(&program, 50))
            oa_program_control(&program);
    }
    oa_program_dump(&program);
}
