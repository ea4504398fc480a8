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

static unsigned some_domains(struct program *program)
{
    unsigned most = program->chipset <= REF_NV15 ? 1 : program->chipset <= REF_NV30 ? 2 : 8;
    if (!program_chance(program, 65))
        return 1;
    return 1 + (unsigned)program_below(program, program_chance(program, 60) && most > 3 ? 3 : most);
}

/* `unit` is a GPC, partition (from 32 on) or the hub (48). */
static void add_domains(struct program *program, unsigned domains, unsigned unit)
{
    uint64_t block = 0x180000 + unit * 0x1000, set_block = 0x1b8000 + unit * 0x200;
    unsigned first = program->domains;
    if (unit == 48)
        set_block = 0x1be000;
    for (unsigned i = 0; i < domains; i++) {
        struct program_domain *domain = &program->domain[program->domains++];
        domain->index = i;
        domain->set_first = first;
        domain->set_count = domains;
        domain->block = block + i * 0x200;
        domain->set_block = set_block;
    }
}

static void set_domains(struct program *program)
{
    unsigned domains = some_domains(program);
    add_domains(program, domains, 0);
    if (domains > 1 || program_chance(program, 20))
        fprintf(program->out, "domains %u\n", domains);
}

/* Several domain sets (PC-D35), rarely as many domains as a script may have. */
static void set_sets(struct program *program)
{
    unsigned limit =
        program_below(program, 150) == 0 ? 49 : 1 + (unsigned)program_below(program, 4);
    bool used[49] = {false};
    for (unsigned i = 0; i < limit; i++) {
        unsigned unit =
            (unsigned)PROGRAM_PICK(program, 0, 1, 32, 33, 48, program_below(program, 49));
        unsigned domains =
            limit == 49 ? 1 + (unsigned)program_below(program, 8) : some_domains(program);
        if (used[unit])
            continue;
        if (program->domains + domains > REF_DOMAINS)
            domains = REF_DOMAINS - program->domains;
        if (!domains)
            break;
        used[unit] = true;
        fprintf(program->out, "domains %u", domains);
        if (unit == 48)
            fputs(" hub\n", program->out);
        else if (unit || program_chance(program, 50))
            fprintf(program->out, " %s%u\n", unit < 32 ? "gpc" : "part", unit % 32);
        else
            fputc('\n', program->out);
        add_domains(program, domains, unit);
    }
}

static void set_up(struct program *program)
{
    static const char *const names[REF_CHIPSETS] = {"nv10", "nv15", "nv20",  "nv30", "nv40",
                                                    "g84",  "g92",  "gt215", "gf100"};
    program->chipset = (enum reference_chipset)program_below(program, REF_CHIPSETS);
    if (program_chance(program, 25))
        program->chipset =
            (enum reference_chipset)PROGRAM_PICK(program, REF_NV30, REF_NV40, REF_G84, REF_G92,
                                                 REF_GT215, REF_GT215, REF_GF100, REF_GF100);
    fprintf(program->out, "chipset %s\n", names[program->chipset]);
    if (program->chipset != REF_GF100 || program_chance(program, 40))
        set_domains(program);
    else
        set_sets(program);
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
    unsigned place = program->domain[0].trailer + (program->chipset == REF_GF100 ? 0x2e : 0x0d);
    program->budget = 140000;
    program_write_input(program, 0, IN_STOP, FLAVOR_SPARSE);
    program_wr(program, program_src(program, 0, IN_PRE), 0x01010101 * place);
    program_wr(program, program_src(program, 0, IN_START), 0x01010101 * place);
    program_wr(program, program_register(program, 0, 0, 0x560), place);
    program_wr(program, program_op(program, 0, IN_PRE), 0xaaaa);
    program_wr(program, program_op(program, 0, IN_SETFLAG), 0xaaaa);
    uint64_t mode = PROGRAM_PICK(program, 0, 1, 1, 2);
    uint64_t ctrl = mode | PROGRAM_PICK(program, 5, 6, 7, 7, 7) << 21;
    program_wr(program, program_ctrl(program, 0), program_ctrl_value(program, ctrl));
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
    if (program_has_periodic(&program) && program.domains == 1 && program_below(&program, 80) == 0)
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
