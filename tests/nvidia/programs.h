/* SPDX-License-Identifier: MIT */
/* Random but valid .pct scripts that reach every part of the engine. */
#ifndef TESTS_NVIDIA_PROGRAMS_H
#define TESTS_NVIDIA_PROGRAMS_H

#include <stdint.h>
#include <stdio.h>

#include "reference.h"

/* Writes a random but valid script; the same seed gives the same script. */
void program_write(uint64_t seed, FILE *out);

/* ---- for programs*.c only: the script in the making, and the parts of one ------------------ */

enum { PROGRAM_LIVE = 24, PROGRAM_PLACES = 8 };

/* The main purpose of a domain; noise is added to all of them. */
enum program_profile { PROFILE_SINGLE, PROFILE_QUAD, PROFILE_RECORD, PROFILE_KNOT, PROFILE_NOISE };

struct program_domain {
    unsigned trailer;
    uint64_t period;
    /* Signals with a waveform, and those of them that are seldom 1. */
    uint8_t live[PROGRAM_LIVE], sparse[PROGRAM_LIVE];
    unsigned live_count, sparse_count;
    enum program_profile profile;
};

struct program {
    FILE *out;
    uint64_t state; /* of the random numbers */
    enum reference_chipset chipset;
    unsigned domains;
    struct program_domain domain[REF_DOMAINS];
    uint32_t shared_ctrl; /* nv10..nv30: as last written */
    bool quiet;           /* signals are seldom 1 and runs are long */
    int64_t budget;       /* domain clocks left */
    /* Record buffers so far, for the dump. */
    uint64_t places[PROGRAM_PLACES];
    unsigned place_count;
    uint8_t high; /* a RECORD_ADDRESS_HIGH, as last written */
    bool unbound; /* since the latest reset nothing is to be bound */
};

/* No expression draws two numbers: the order would be the compiler's, and so would the script. */
uint64_t program_random(struct program *program);
uint64_t program_below(struct program *program, uint64_t limit);
uint64_t program_magnitude(struct program *program); /* any number of bits */
bool program_chance(struct program *program, unsigned percent);
uint64_t program_pick(struct program *program, const uint64_t *values, size_t count);
#define PROGRAM_PICK(program, ...)                                                                 \
    program_pick((program), (const uint64_t[]){__VA_ARGS__},                                       \
                 sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

bool program_has_src(const struct program *program, enum reference_input input);
uint64_t program_src(const struct program *program, unsigned dom, enum reference_input input);
uint64_t program_op(const struct program *program, unsigned dom, enum reference_input input);
/* A register of the nv10 (stride 0x100) or the nv40 layout (stride 4). */
uint64_t program_register(const struct program *program, unsigned dom, unsigned nv10,
                          unsigned nv40);
uint64_t program_ctrl(const struct program *program, unsigned dom);
void program_wr(struct program *program, uint64_t address, uint64_t value);
void program_rd(struct program *program, uint64_t address);

void program_sig(struct program *program, unsigned dom);
void program_first_signals(struct program *program, unsigned dom);

/* Which signal to select: any kind, one that is seldom 1, or one that the engine drives. */
enum program_flavor { FLAVOR_ANY, FLAVOR_SPARSE, FLAVOR_DRIVEN };
unsigned program_signal(struct program *program, unsigned dom, enum program_flavor flavor);
uint32_t program_src_value(struct program *program, unsigned dom, enum program_flavor flavor);
uint32_t program_op_value(struct program *program);

void program_run(struct program *program);
/* So many clocks of a domain, as near as the budget allows. */
void program_run_clocks(struct program *program, unsigned dom, uint64_t clocks);

/* programs_setup.c: registers, record buffers, whole set-ups. */
bool program_has_record(const struct program *program);
bool program_has_counters(const struct program *program);
uint64_t program_some_word(struct program *program);
void program_write_ctrl(struct program *program, unsigned dom, enum program_profile profile);
void program_write_src(struct program *program, unsigned dom, enum reference_input input,
                       enum program_flavor flavor);
void program_write_op(struct program *program, unsigned dom, enum reference_input input);
void program_write_input(struct program *program, unsigned dom, enum reference_input input,
                         enum program_flavor flavor);
void program_write_threshold(struct program *program, unsigned dom);
void program_write_user(struct program *program, unsigned dom);
void program_write_spec(struct program *program, unsigned dom);
void program_note_place(struct program *program, uint64_t base);
uint64_t program_some_place(struct program *program);
void program_write_record_start(struct program *program, unsigned dom);
void program_write_address_high(struct program *program, unsigned dom);
void program_bind(struct program *program);
void program_latency(struct program *program);
void program_fault(struct program *program, unsigned percent);
void program_gctrl(struct program *program);
void program_set_record(struct program *program, unsigned dom);
void program_set_domain(struct program *program, unsigned dom);

/* programs_acts.c: looking, and disturbing. */
void program_peek(struct program *program, unsigned dom, const char *name);
void program_read_sig_status(struct program *program, unsigned dom);
void program_read_src_status(struct program *program, unsigned dom);
void program_read_memory(struct program *program);
void program_observe(struct program *program, unsigned dom);
void program_dump(struct program *program);
/* A poke near an end of the counter; names are numbered as in the testbench's table. */
void program_poke_name(struct program *program, unsigned dom, unsigned name);
/* A write to a register that aborts single event mode (PC-D9), or that looks like one. */
void program_abort_single(struct program *program, unsigned dom);
void program_acknowledge(struct program *program, unsigned dom);
void program_act(struct program *program, unsigned dom);
void program_disturb(struct program *program, unsigned dom);
void program_reset(struct program *program);

/* programs_scenes.c: one deliberate sequence. */
void program_scene(struct program *program, unsigned dom);

#endif
