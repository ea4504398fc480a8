/* SPDX-License-Identifier: MIT */
/*
 * The reference: a simple engine of PCOUNTER, one clock at a time, and an interpreter of testbench
 * scripts. Faster engines are compared with it. It was written only from the hardware document and
 * the testbench text; (PC-D12) in a comment is a decision of the latter.
 */
#ifndef TESTS_NVIDIA_REFERENCE_H
#define TESTS_NVIDIA_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Ordered by age, so that "NV30-" is `>= REF_NV30`. */
enum reference_chipset {
    REF_NV10,
    REF_NV15,
    REF_NV20,
    REF_NV30,
    REF_NV40,
    REF_G84,
    REF_G92,
    REF_GT215,
    REF_GF100,
    REF_CHIPSETS,
};

enum reference_limit {
    REF_DOMAINS = 64,    /* of all sets */
    REF_SET_DOMAINS = 8, /* of one set */
    REF_SETS = 49,       /* 32 GPCs, 16 partitions, the hub */
    REF_SIGNALS = 256,
    REF_RECORD_COUNTERS = 12,
    REF_PACKET_BYTES = 32,
};

/* ---- signals ------------------------------------------------------------------------------- */

enum reference_wave_kind { WAVE_CONST, WAVE_PATTERN, WAVE_ONCE, WAVE_EVERY, WAVE_PRNG, WAVE_USER };

struct reference_wave {
    enum reference_wave_kind kind;
    uint64_t start;     /* n0: edges of the domain before the command */
    uint64_t a, b;      /* const: value; every: n, o; prng: seed, p; user: u */
    const char *bits;   /* pattern, once: characters '0' and '1', kept alive by the caller */
    uint64_t bit_count; /* number of bits */
};

/* ---- state --------------------------------------------------------------------------------- */

enum reference_input { IN_PRE, IN_START, IN_EVENT, IN_STOP, IN_SETFLAG, IN_CLRFLAG, IN_COUNT };

enum reference_counter { CTR_CYCLES, CTR_EVENT, CTR_START, CTR_PRE, CTR_STOP, CTR_COUNT };

enum reference_mode { MODE_SINGLE, MODE_QUAD, MODE_RECORD, MODE_NONE };

enum reference_single { INACTIVE, WAIT_FOR_PRE, WAIT_FOR_START, COUNTING };

enum reference_quad { EMPTY = 0, VALID = 1, OVERFLOW = 3 };

/* Signals that a domain imports, one bit per source. [0] is the sample of the latest clock, [1]
 * that of the previous one. */
struct reference_import {
    uint8_t level[2];
    uint8_t pulse[2];
    uint8_t rising; /* transitions since the latest sample */
};

struct reference_packet {
    bool busy;
    uint32_t timer;
    unsigned length;
    uint8_t bytes[REF_PACKET_BYTES];
};

/* The state of a domain that a reset clears; it is zero at power-on (PC-D34). */
struct reference_state {
    /* Registers. SRC of SETFLAG and CLRFLAG exist on nv10..nv20 only. */
    uint32_t src[IN_COUNT], op[IN_COUNT];
    uint32_t ctrl; /* nv40..gf100; the shared one of nv10..nv30 is in struct reference_shared */
    uint32_t spec_src, swap_src, filter;
    uint64_t threshold;
    uint32_t pre_initial, stop_initial;
    uint32_t record_start, record_limit, record_address_high;

    /* Since the previous clock (PC-D1): a config register was written, PRE_OP was written; gf100:
     * SINGLE_ABORT_TRIGGER, SINGLE_BEGIN_TRIGGER (PC-D39). */
    bool abort, begin;

    /* USER bits, their pulse mode bits, clocks since the latest write (at most 2). */
    uint8_t user, user_pulse, user_clocks;

    uint8_t signals[REF_SIGNALS]; /* at the latest clock (PC-D2) */
    uint8_t delayed[IN_COUNT][2]; /* flip-flops behind SRC[0] and SRC[1] (PC-D3) */
    bool event;                   /* EVENT input of the latest clock */
    bool event_toggle;            /* inverted by each 0-to-1 transition of it */
    bool inputs[IN_COUNT];        /* of the latest clock */
    bool flag_signal;             /* FLAG signal of the latest clock */
    bool flag, flag_before;       /* FLAG after the latest clock and after the one before (PC-D5) */
    struct reference_import events, flags;

    uint16_t periodic;

    enum reference_single single;
    enum reference_quad quad;
    uint64_t visible[CTR_COUNT], shadow[CTR_COUNT];

    uint64_t record_cycles;
    uint16_t record_events[REF_RECORD_COUNTERS], record_stop;
    uint32_t record_position;
    bool record_valid, record_fault, hung;
    struct reference_packet packet;
};

struct reference_domain {
    uint64_t period;
    uint64_t wait;  /* ticks until the next clock edge; 0: in this tick */
    uint64_t edges; /* clock edges so far */
    unsigned trailer;
    unsigned set; /* number of its domain set, and its own number within the set */
    unsigned index;
    struct reference_wave waves[REF_SIGNALS];
    /* Signals by kind, so that a clock does not evaluate all 256. */
    uint8_t constants[REF_SIGNALS];
    uint8_t varying[REF_SIGNALS];
    unsigned varying_count;
    struct reference_state state;
};

/* Shared state of the domains that a reset clears. */
struct reference_shared {
    uint32_t ctrl; /* nv10..nv30 */
    uint32_t gctrl, record_chan, record_dma;
    bool dma_written, bound;
    bool disabled; /* PMC.ENABLE bit 28 is 0 (PC-D36) */
};

/* A domain set; before gf100 there is one (PC-D35). */
struct reference_set {
    unsigned first, count;          /* domains */
    uint64_t domain_block, address; /* of its first domain, and of DSET_CTRL; gf100 only */
    uint32_t ctrl;                  /* DSET_CTRL, cleared by a reset */
};

struct reference_page;

struct reference {
    enum reference_chipset chipset;
    unsigned domains, set_count;
    uint32_t latency;
    struct reference_shared shared;
    struct reference_set set[REF_SETS];
    struct reference_domain domain[REF_DOMAINS];
    struct reference_page *pages[256];
};

/* ---- the engine (reference.c) -------------------------------------------------------------- */

/* The engine has one domain, in one set: GPC 0. Returns NULL if out of memory. */
struct reference *reference_new(enum reference_chipset chipset);
void reference_free(struct reference *ref);
/* Removes all domains. */
void reference_remove_domains(struct reference *ref);
/* Adds a domain set; the addresses are those of gf100. */
void reference_add_set(struct reference *ref, unsigned domains, uint64_t domain_block,
                       uint64_t address);
void reference_set_clock(struct reference *ref, unsigned dom, uint64_t period, uint64_t phase);
void reference_set_wave(struct reference *ref, unsigned dom, unsigned index,
                        struct reference_wave wave);
void reference_ticks(struct reference *ref, uint64_t ticks);
void reference_reset(struct reference *ref);

/* The fields of a domain's control register (reference_modes.c). */
enum reference_mode reference_mode(const struct reference *ref, unsigned dom);
/* Returns the value of SRC[i] of an input: from nv30 on SETFLAG and CLRFLAG use those of others. */
uint8_t reference_source(const struct reference *ref, const struct reference_state *state,
                         enum reference_input input, unsigned i);
/* Runs one step of the active mode and of FLAG; `inputs` by enum reference_input, `sources` the
 * undelayed SRC values of PRE, START, EVENT. */
struct reference_clock {
    bool inputs[IN_COUNT];
    uint8_t sources[3][4];
    bool swap;
};
void reference_step(struct reference *ref, unsigned dom, const struct reference_clock *clock);

/* ---- registers (reference_registers.c) ----------------------------------------------------- */

uint32_t reference_read(const struct reference *ref, uint64_t address);
void reference_write(struct reference *ref, uint64_t address, uint32_t value);

/* ---- record mode and its memory (reference_record.c) --------------------------------------- */

void reference_record_step(struct reference *ref, unsigned dom,
                           const struct reference_clock *clock);
/* Runs the timer of an outgoing packet. Returns false if the domain hangs. */
bool reference_packet_clock(struct reference *ref, unsigned dom);
void reference_clear_record_counters(struct reference_state *state);
/* Addresses of bytes are taken modulo 2^40. */
uint8_t reference_memory_byte(const struct reference *ref, uint64_t address);
/* Sets whether a page faults. Returns false if out of memory. */
bool reference_memory_fault(struct reference *ref, uint64_t address, bool faulting);
void reference_memory_free(struct reference *ref);

/* ---- scripts (reference_script.c) ---------------------------------------------------------- */

/* Runs a .pct script (size bytes of text); appends everything it prints to out. Returns 0, or the
 * number of the first invalid line. */
int reference_run(const char *script, size_t size, FILE *out);

#endif
