/* SPDX-License-Identifier: MIT */
/*
 * A random script: each domain has a purpose, is disturbed at random and observed often; at the end
 * everything is read.
 */
#include "programs.h"

#include <inttypes.h>

/* ---- complete scripts ---------------------------------------------------------------------- */

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

/* Long enough for the longest PERIODIC, which swap, packets and FLAG depend on. */
static void marathon(struct program *program)
{
    program->budget = 140000;
    program_write_input(program, 0, IN_STOP, FLAVOR_SPARSE);
    program_wr(program, 0xa400, 0x01010101 * (program->domain[0].trailer + 0x0d));
    program_wr(program, 0xa440, 0x01010101 * (program->domain[0].trailer + 0x0d));
    program_wr(program, 0xa560, program->domain[0].trailer + 0x0d);
    program_wr(program, 0xa420, 0xaaaa);
    program_wr(program, 0xa500, 0xaaaa);
    uint64_t mode = PROGRAM_PICK(program, 0, 1, 1, 2);
    program_wr(program, 0xa7c0, mode | PROGRAM_PICK(program, 5, 6, 7, 7, 7) << 21);
    while (program->budget > 0) {
        uint64_t clocks = PROGRAM_PICK(program, 1, 64, 3000, 16384, 20000, 32768);
        program->budget -= (int64_t)clocks;
        fprintf(program->out, "run %" PRIu64 "\n", clocks * program->domain[0].period);
        program_observe(program, 0);
        if (program_chance(program, 10))
            program_acknowledge(program, 0);
    }
}

/* Returns the domain clocks of a script: mostly a few thousand. */
static int64_t some_budget(struct program *program)
{
    if (program->quiet || program_chance(program, 4))
        return 5000 + (int64_t)program_below(program, 55000);
    int64_t budget = (int64_t)(400u << program_below(program, 5));
    return budget + (int64_t)program_below(program, 2000);
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
        program_set_domain(&program, dom);
    if (program_has_record(&program) && program.domains == 1 && program_below(&program, 80) == 0)
        marathon(&program);

    if (program_chance(&program, 60))
        program_scene(&program, (unsigned)program_below(&program, program.domains));
    for (uint64_t step = 20 + program_below(&program, 60); step && program.budget > 0; step--) {
        unsigned dom = (unsigned)program_below(&program, program.domains);
        uint64_t r = program_below(&program, 1000);
        if (r < 480)
            program_run(&program);
        else if (r < 640)
            program_observe(&program, dom);
        else if (r < 820)
            program_act(&program, dom);
        else if (r < 930)
            program_disturb(&program, dom);
        else if (r < 992)
            program_scene(&program, dom);
        else
            program_reset(&program);
        if (r < 480 && program_chance(&program, 30))
            program_observe(&program, dom);
    }
    program_dump(&program);
}
