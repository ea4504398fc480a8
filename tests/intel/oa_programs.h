/* SPDX-License-Identifier: MIT */
/* Random but valid .oat scripts that reach every part of the engine. */
#ifndef TESTS_INTEL_OA_PROGRAMS_H
#define TESTS_INTEL_OA_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "oa_reference.h"

/* Writes a random but valid script; the same seed gives the same script, whatever the compiler. */
void oa_program_write(uint64_t seed, FILE *out);

/* ---- for oa_programs*.c only: the script in the making, and the parts of one ---------------- */

/* The main subject of a script; noise is added to all of them. */
enum oa_program_profile {
    OA_PROGRAM_CEC,
    OA_PROGRAM_TRIGGERS,
    OA_PROGRAM_TIMER,
    OA_PROGRAM_BUFFER,
    OA_PROGRAM_COUNTERS,
    OA_PROGRAM_EUS,
    OA_PROGRAM_EVENTS,
    OA_PROGRAM_IRQ,
    OA_PROGRAM_NOISE,
    OA_PROGRAM_PROFILES,
};

enum { OA_PROGRAM_PLACES = 10 };

struct oa_program {
    FILE *out;
    uint64_t state; /* of the random numbers */
    enum oa_reference_platform platform;
    enum oa_reference_map map;
    enum oa_program_profile profile;
    unsigned reserved_a; /* a counter that cannot be set; 0: none */
    unsigned max_eus;    /* of the product */
    unsigned a_count, b_count, c_count, cec_count, blocks, eus;
    bool quiet;      /* signals are seldom 1 and runs are long */
    int64_t budget;  /* clocks left */
    uint64_t period; /* of the timestamp */

    /* OACONTROL and OACTXCONTROL, in parts. */
    bool enabled, specific, timer, resume;
    unsigned select, tp;
    uint32_t filter; /* the context that is counted */

    uint32_t base, size_code, high; /* of the report buffer */
    uint32_t oabuffer_low;          /* its control bits */
    unsigned engine;                /* which interrupts are about just now */
    /* Memory to be dumped. */
    uint64_t places[OA_PROGRAM_PLACES];
    unsigned place_count;
};

/* No expression draws two numbers: the order would be the compiler's, and so would the script. */
uint64_t oa_program_random(struct oa_program *program);
uint64_t oa_program_below(struct oa_program *program, uint64_t limit);
/* From low to high, both included. */
uint64_t oa_program_between(struct oa_program *program, uint64_t low, uint64_t high);
uint64_t oa_program_magnitude(struct oa_program *program, unsigned bits); /* any number of bits */
bool oa_program_chance(struct oa_program *program, unsigned percent);
uint64_t oa_program_pick(struct oa_program *program, const uint64_t *values, size_t count);
#define OA_PROGRAM_PICK(program, ...)                                                              \
    oa_program_pick((program), (const uint64_t[]){__VA_ARGS__},                                    \
                    sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

/* An address of map C is that of the same register where the platform has it elsewhere; _at: no. */
void oa_program_wr(struct oa_program *program, uint32_t address, uint64_t value);
void oa_program_rd(struct oa_program *program, uint32_t address);
void oa_program_wr_at(struct oa_program *program, uint32_t address, uint64_t value);
void oa_program_rd_at(struct oa_program *program, uint32_t address);
void oa_program_peek(struct oa_program *program, const char *name);
void oa_program_run(struct oa_program *program);
/* Runs this many clocks, or what is left of the budget. */
void oa_program_clocks(struct oa_program *program, uint64_t clocks);

/* oa_programs_waves.c */
void oa_program_noa(struct oa_program *program);
void oa_program_noa_range(struct oa_program *program, unsigned first, unsigned last);
void oa_program_a(struct oa_program *program);
void oa_program_eu(struct oa_program *program);
void oa_program_inputs(struct oa_program *program);
/* All NOA bits constant but one, which is 1 once, after some clocks; returns its number. */
unsigned oa_program_single_event(struct oa_program *program, uint64_t after);

/* oa_programs_setup.c */
uint32_t oa_program_trigger_address(const struct oa_program *program, bool start, unsigned index);
uint32_t oa_program_cec_address(const struct oa_program *program, unsigned block, unsigned half);
uint32_t oa_program_some_word(struct oa_program *program);
void oa_program_cec(struct oa_program *program, unsigned block);
void oa_program_start_block(struct oa_program *program, unsigned block);
void oa_program_report_block(struct oa_program *program, unsigned block);
/* A report in every clock, or as good as. */
void oa_program_report_always(struct oa_program *program, unsigned block);
void oa_program_csource(struct oa_program *program);
void oa_program_eu_control(struct oa_program *program);
void oa_program_control(struct oa_program *program);
void oa_program_write_control(struct oa_program *program);
void oa_program_timer(struct oa_program *program);
void oa_program_setup(struct oa_program *program);

/* oa_programs_buffer.c */
uint64_t oa_program_buffer_size(const struct oa_program *program);
void oa_program_write_oabuffer(struct oa_program *program);
void oa_program_write_head(struct oa_program *program, uint32_t value);
void oa_program_write_tail(struct oa_program *program, uint32_t value);
void oa_program_buffer(struct oa_program *program);
void oa_program_status(struct oa_program *program);
void oa_program_linetime(struct oa_program *program);
void oa_program_mirpc(struct oa_program *program);
void oa_program_note_place(struct oa_program *program, uint64_t address);

/* oa_programs_acts.c */
void oa_program_observe(struct oa_program *program);
void oa_program_event(struct oa_program *program);
void oa_program_oa_debug(struct oa_program *program);
void oa_program_poke_counter(struct oa_program *program);
void oa_program_poke_timestamp(struct oa_program *program);
void oa_program_poke_block(struct oa_program *program);
void oa_program_live_write(struct oa_program *program);
void oa_program_act(struct oa_program *program);

/* oa_programs_oar.c: of Gen12; elsewhere nothing. */
void oa_program_oar(struct oa_program *program);
void oa_program_oar_setup(struct oa_program *program);
void oa_program_oar_scene(struct oa_program *program);

/* oa_programs_dump.c: all registers and names */
uint32_t oa_program_some_register(struct oa_program *program);
void oa_program_noise_write(struct oa_program *program);
void oa_program_dump(struct oa_program *program);

/* oa_programs_irq.c */
void oa_program_irq(struct oa_program *program);
void oa_program_irq_setup(struct oa_program *program);
void oa_program_irq_scene(struct oa_program *program);

/* oa_programs_scenes.c: one deliberate sequence. */
void oa_program_scene(struct oa_program *program);

#endif
