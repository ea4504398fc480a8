/* SPDX-License-Identifier: MIT */
/* Random but valid .pct scripts that reach every part of the engine. */
#ifndef TESTS_NVIDIA_PROGRAMS_H
#define TESTS_NVIDIA_PROGRAMS_H

#include <stdint.h>
#include <stdio.h>

#include "reference.h"

/* Writes a random but valid script; the same seed gives the same script. */
void program_write(uint64_t seed, FILE *out);

/* ---- for programs*.c only: the script that is being written, and its parts ----------------- */

enum { PROGRAM_LIVE = 24, PROGRAM_PLACES = 8 };

/* The main purpose of a domain; noise is added to all of them. */
enum program_profile { PROFILE_SINGLE, PROFILE_QUAD, PROFILE_RECORD, PROFILE_KNOT, PROFILE_NOISE };

struct program_domain {
    unsigned trailer;
    /* gf100: its own number within its domain set, the first domain and the number of domains of
     * the set, the addresses of its own block and of the set's. */
    unsigned index, set_first, set_count;
    uint64_t block, set_block;
    uint64_t period;
    /* Signals with a waveform, and those that are rarely 1. */
    uint8_t live[PROGRAM_LIVE], sparse[PROGRAM_LIVE];
    unsigned live_count, sparse_count;
    enum program_profile profile;
};

struct program {
    FILE *out;
    uint64_t state; /* state of the random numbers */
    enum reference_chipset chipset;
    unsigned domains;
    struct program_domain domain[REF_DOMAINS];
    uint32_t shared_ctrl; /* nv10..nv30: the last value written */
    bool quiet;           /* signals are rarely 1 and runs are long */
    int64_t budget;       /* domain clocks left */
    /* The record buffers used, for the final dump. */
    uint64_t places[PROGRAM_PLACES];
    unsigned place_count;
    uint8_t high; /* the last RECORD_ADDRESS_HIGH written */
    bool unbound; /* nothing may be bound since the latest reset */
};

/* No expression may draw two random numbers: the compiler would choose their order. */
uint64_t program_random(struct program *program);
uint64_t program_below(struct program *program, uint64_t limit);
uint64_t program_magnitude(struct program *program); /* of any number of bits */
bool program_chance(struct program *program, unsigned percent);
uint64_t program_pick(struct program *program, const uint64_t *values, size_t count);
#define PROGRAM_PICK(program, ...)                                                                 \
    program_pick((program), (const uint64_t[]){__VA_ARGS__},                                       \
                 sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

bool program_has_src(const struct program *program, enum reference_input input);
uint64_t program_src(const struct program *program, unsigned dom, enum reference_input input);
uint64_t program_op(const struct program *program, unsigned dom, enum reference_input input);
/* A register of the nv10 (stride 0x100) or the nv40 layout (stride 4), or the one of gf100 with the
 * purpose of the latter. */
uint64_t program_register(const struct program *program, unsigned dom, unsigned nv10,
                          unsigned nv40);
uint64_t program_ctrl(const struct program *program, unsigned dom);
/* Returns a value for CTRL of nv40..gf100 with the fields of one of nv40. */
uint64_t program_ctrl_value(struct program *program, uint64_t nv40);
void program_wr(struct program *program, uint64_t address, uint64_t value);
void program_rd(struct program *program, uint64_t address);

void program_sig(struct program *program, unsigned dom);
void program_first_signals(struct program *program, unsigned dom);

/* Select a signal of any kind, one that is rarely 1, or one that the engine drives. */
enum program_flavor { FLAVOR_ANY, FLAVOR_SPARSE, FLAVOR_DRIVEN };
unsigned program_signal(struct program *program, unsigned dom, enum program_flavor flavor);
uint32_t program_src_value(struct program *program, unsigned dom, enum program_flavor flavor);
uint32_t program_op_value(struct program *program);

void program_run(struct program *program);
/* Runs this many clocks of a domain, as far as the budget allows. */
void program_run_clocks(struct program *program, unsigned dom, uint64_t clocks);

/* programs_setup.c: registers, record buffers, complete setups. */
bool program_has_record(const struct program *program);
bool program_has_periodic(const struct program *program);
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
/* Writes GCTRL, or the DSET_CTRL of the domain's set. */
void program_write_gctrl(struct program *program, unsigned dom, uint64_t value);
void program_gctrl(struct program *program, unsigned dom);
/* Starts single event mode. */
void program_begin_single(struct program *program, unsigned dom, uint64_t pre_op);
void program_set_record(struct program *program, unsigned dom);
void program_set_domain(struct program *program, unsigned dom);

/* programs_acts.c: observations and disturbances. */
void program_peek(struct program *program, unsigned dom, const char *name);
void program_read_sig_status(struct program *program, unsigned dom);
void program_read_src_status(struct program *program, unsigned dom);
void program_read_memory(struct program *program);
void program_observe(struct program *program, unsigned dom);
void program_dump(struct program *program);
/* Pokes a value near an end of the counter; names are numbered as in the testbench's table. */
void program_poke_name(struct program *program, unsigned dom, unsigned name);
/* Writes a CTR_x_NEXT of gf100. */
void program_write_next(struct program *program, unsigned dom);
/* Writes a register that aborts single event mode (PC-D9), or a similar one. */
void program_abort_single(struct program *program, unsigned dom);
void program_acknowledge(struct program *program, unsigned dom);
void program_act(struct program *program, unsigned dom);
void program_disturb(struct program *program, unsigned dom);
void program_reset(struct program *program);

/* programs_scenes.c: one deliberate sequence. */
void program_scene(struct program *program, unsigned dom);

/* programs_leaps.c: a scene of long runs. */
void program_leaps(struct program *program, unsigned dom);

#endif
