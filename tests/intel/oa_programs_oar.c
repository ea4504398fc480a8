/* SPDX-License-Identifier: MIT */
/* Gen12: the counters of the running context. */
#include "oa_programs.h"

#include <inttypes.h>

static void control(struct oa_program *program)
{
    uint32_t select = (uint32_t)OA_PROGRAM_PICK(program, 5, 5, 5, 5, 7, 0, 2, 3);
    uint32_t enable = oa_program_chance(program, 88);
    uint32_t beyond = oa_program_chance(program, 5) ? 0xfffffff0 : 0;
    oa_program_wr_at(program, 0x2960, beyond | select << 1 | enable);
}

static void context_control(struct oa_program *program)
{
    uint32_t value = (uint32_t)OA_PROGRAM_PICK(program, 0x01000100, 0x01000100, 0x01000100,
                                               0x01800180, 0x01000000, 0x00800080);
    if (oa_program_chance(program, 10))
        value = (uint32_t)oa_program_random(program);
    oa_program_wr_at(program, 0x2244, value);
}

static void resume(struct oa_program *program)
{
    uint32_t more = oa_program_chance(program, 10) ? 0xfffffffe : 0;
    uint32_t run = oa_program_chance(program, 88);
    oa_program_wr_at(program, 0x2360, more | run);
}

static void status(struct oa_program *program)
{
    oa_program_rd_at(program, 0x2968);
    oa_program_wr_at(program, 0x2968, oa_program_chance(program, 70) ? 0 : 0xffffffff);
}

static void live(struct oa_program *program)
{
    uint32_t address = 0x2800 + 4 * (uint32_t)oa_program_below(program, 0x160 / 4);
    uint32_t value = 0xffffffff - (uint32_t)oa_program_below(program, 300);
    if (oa_program_chance(program, 50))
        oa_program_wr_at(program, address ^ 4, oa_program_random(program));
    oa_program_wr_at(program, address, value);
    oa_program_rd_at(program, address ^ 4);
}

static void counter(struct oa_program *program)
{
    uint64_t r = oa_program_below(program, 3);
    unsigned i = (unsigned)oa_program_below(program, r ? OA_REF_B : OA_REF_OAR_A);
    bool poked = oa_program_chance(program, 30);
    uint64_t value = OA_PROGRAM_PICK(program, 0x100000000, 0x10000000000, 0) - 1 -
                     oa_program_below(program, 200);
    if (poked)
        fprintf(program->out, "poke oar_%c%u 0x%" PRIx64 "\n", "abc"[r], i, value);
    else
        fprintf(program->out, "peek oar_%c%u\n", "abc"[r], i);
}

void oa_program_oar(struct oa_program *program)
{
    static void (*const acts[])(struct oa_program *) = {
        control, context_control, resume,  status,           live,
        counter, counter,         counter, oa_program_mirpc, oa_program_event,
    };
    if (program->platform < OA_REF_TGL)
        return;
    acts[oa_program_below(program, sizeof acts / sizeof *acts)](program);
}

void oa_program_oar_setup(struct oa_program *program)
{
    if (program->platform < OA_REF_TGL || oa_program_chance(program, 20))
        return;
    control(program);
    context_control(program);
    resume(program);
    if (oa_program_chance(program, 80))
        fprintf(program->out, "context 0x%" PRIx32 "\n", oa_program_some_word(program));
}

/* A context that counts, with the global unit on or off, and another one. */
void oa_program_oar_scene(struct oa_program *program)
{
    if (program->platform < OA_REF_TGL) {
        oa_program_observe(program);
        return;
    }
    program->enabled = oa_program_chance(program, 50);
    oa_program_write_control(program);
    oa_program_oar_setup(program);
    for (uint64_t i = oa_program_between(program, 2, 6); i; i--) {
        oa_program_run(program);
        if (oa_program_chance(program, 60))
            oa_program_mirpc(program);
        if (oa_program_chance(program, 50))
            oa_program_oar(program);
        if (oa_program_chance(program, 30))
            fputs("context none\n", program->out);
        else if (oa_program_chance(program, 30))
            fprintf(program->out, "context %u\n", (unsigned)oa_program_below(program, 3));
    }
    program->enabled = true;
    oa_program_write_control(program);
}
