/* SPDX-License-Identifier: MIT */
/*
 * The reference: a simple engine of the Observation Architecture unit, one clock at a time, and an
 * interpreter of testbench scripts: the measure of every faster engine. Written from the hardware
 * document and the testbench text alone; (OA-D12) in a comment names a decision of the latter,
 * "text" is the former.
 */
#ifndef TESTS_INTEL_OA_REFERENCE_H
#define TESTS_INTEL_OA_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Runs an .oat script (size bytes of text); appends everything it prints to out. Returns 0, or the
 * number of the first line that it does not understand. */
int oa_reference_run(const char *script, size_t size, FILE *out);

/* ---- for oa_reference*.c only: platforms --------------------------------------------------- */

/* In the order of their age, so that "Gen9+" is `>= OA_REF_SKL`. */
enum oa_reference_platform {
    OA_REF_SNB,
    OA_REF_IVB,
    OA_REF_VLV,
    OA_REF_HSW,
    OA_REF_BDW,
    OA_REF_CHV,
    OA_REF_SKL,
    OA_REF_ICL,
    OA_REF_LKF,
    OA_REF_TGL,
    OA_REF_PLATFORMS,
};

/* Map C is that of Gen8 on; from Gen12 on its registers lie elsewhere (oa_reference_gen12.c). */
enum oa_reference_map { OA_REF_MAP_A, OA_REF_MAP_B, OA_REF_MAP_C };

enum oa_reference_limit {
    OA_REF_A = 45,
    OA_REF_B = 8,
    OA_REF_C = 12,
    OA_REF_FREE = 4,
    OA_REF_NOA = 16,
    OA_REF_CEC = 8,
    OA_REF_TAPS = 4,
    OA_REF_EUS = 16,
    OA_REF_SLOTS = 14, /* flexible events: A7..A20 */
    OA_REF_OAR_A = 36,
    OA_REF_ENGINES = 15,
    OA_REF_REPORT_BYTES = 256,
};

/* ---- inputs -------------------------------------------------------------------------------- */

enum oa_reference_wave_kind {
    OA_WAVE_CONST,
    OA_WAVE_PATTERN,
    OA_WAVE_ONCE,
    OA_WAVE_EVERY,
    OA_WAVE_PRNG,
    OA_WAVE_SCATTER,
    OA_WAVE_SEQ,
    OA_WAVE_UNI,
};

/* A bit waveform has `value` where its bit is 1: 1, or the v of `times`. */
struct oa_reference_wave {
    enum oa_reference_wave_kind kind;
    uint64_t start;         /* n0 */
    uint64_t value;         /* also that of const, and the m of uni */
    uint64_t p, q;          /* every: n, o; prng: seed, p; uni: seed */
    const char *bits;       /* pattern, once: characters '0' and '1', kept alive by the caller */
    const uint32_t *values; /* seq: the items, kept alive by the caller */
    uint64_t count;         /* characters or items */
};

enum oa_reference_eu_signal { EU_FPU0, EU_FPU1, EU_SEND, EU_THREADS, EU_FF, EU_KIND, EU_SIGNALS };

/* ---- state --------------------------------------------------------------------------------- */

/* Bits of the reason field of a report; shifted by 19 they are those of RPT_ID on map C. */
enum oa_reference_reason {
    OA_REASON_TIMER = 1 << 0,
    OA_REASON_TRIGGER1 = 1 << 1,
    OA_REASON_TRIGGER2 = 1 << 2,
    OA_REASON_CONTEXT = 1 << 3,
    OA_REASON_GO = 1 << 4,
    OA_REASON_RATIO = 1 << 5,
};

struct oa_reference_start_block {
    uint16_t count;
    bool fired;
};

struct oa_reference_report_block {
    uint16_t count;
    bool previous; /* trigger of the previous enabled clock (OA-D14) */
};

/* The report in flight; lines == written when there is none. */
struct oa_reference_writer {
    unsigned lines, written;
    uint64_t line_time, timer;
    unsigned reasons;
    uint32_t control; /* OACONTROL at the request */
    uint8_t bytes[OA_REF_REPORT_BYTES];
};

/* One interrupt DW and the shared IIR that belongs to it (OA-3.5). */
struct oa_reference_dw {
    uint32_t iir, cr;
    bool locked;
    uint32_t selector, identity;
};

enum oa_reference_irq_words { OA_IRQ_ENABLES = 6, OA_IRQ_MASKS = 9 };

struct oa_reference_interrupts {
    bool master;
    uint32_t enables[OA_IRQ_ENABLES], masks[OA_IRQ_MASKS];
    uint16_t inst_cr[OA_REF_ENGINES];
    struct oa_reference_dw dw[2];
};

/* Gen12: what the running context counts for itself. */
struct oa_reference_oar {
    uint32_t control, resume, context_control;
    uint32_t status; /* 2:0 */
    uint64_t a[OA_REF_OAR_A], b[OA_REF_B], c[OA_REF_B];
};

/* Everything that `reset` brings to its power-on value: 0, but for some registers (OA-D46). */
struct oa_reference_state {
    /* Registers without side effects; [0] of a trigger group is ...TRIG1. */
    uint32_t oacontrol, oactxcontrol, oactxid, oanoaselect;
    uint32_t oabuffer, oabuffer_high, oa_debug, oa_imr;
    uint32_t start_trigger[8], report_trigger[8];
    uint32_t cec[OA_REF_CEC][2], eu_control[7];
    uint32_t buffer_size; /* OASTATUS1[5:3] of maps A and B */
    bool memory_select;   /* OASTATUS2[0] of map A */

    /* Report buffer and status. */
    uint32_t head, tail;
    bool head_wrap, tail_wrap;
    bool overrun, counter_overflow, buffer_overflow, report_lost;

    /* Counters. */
    uint64_t a[OA_REF_A], b[OA_REF_B], c[OA_REF_C], ticks, free[OA_REF_FREE];
    uint8_t occupancy[OA_REF_EUS];

    /* Flops of the CEC blocks and of the NOA bus. */
    uint8_t ev_q;
    uint16_t out_q[OA_REF_CEC], previous_in[OA_REF_CEC], previous_noa;

    struct oa_reference_start_block start[2];
    struct oa_reference_report_block report[2];

    bool context_event, go_event, ratio_event; /* for the next clock (OA-D24) */
    struct oa_reference_writer writer;
    uint64_t next_report; /* clock of the first report that is allowed (OA-D47) */
    unsigned waiting;     /* reasons of the requests that came too early */
    struct oa_reference_interrupts interrupts;

    /* Gen12. */
    struct oa_reference_oar oar;
    uint32_t pess, scec[OA_REF_CEC][2], spctr, aggregate_debug;
};

/* What one clock computes on its way through the steps (OAT-4). */
struct oa_reference_clock {
    bool busy;             /* a report is in flight after step 1 */
    unsigned busy_reasons; /* of that report */
    uint16_t noa;          /* step 2 */
    uint32_t a[OA_REF_A];  /* step 2; map C: 7..20 in step 5 */
    uint8_t eu[OA_REF_EUS][EU_SIGNALS];
    uint8_t events;         /* step 3: EVENT(n) is bit n */
    bool taps[OA_REF_TAPS]; /* step 4: h(0), h(1) of report block 1, then of block 2 */
    unsigned reasons;       /* step 4: OA_REASON_TRIGGER1 and 2 */
};

struct oa_reference_page;

struct oa_reference {
    enum oa_reference_platform platform;
    enum oa_reference_map map;
    unsigned reserved_a; /* an A counter that counts nothing; 0: none */
    unsigned a_count, b_count, c_count, cec_count, blocks;
    struct oa_reference_state state;

    /* Kept by `reset` (OA-D46). */
    uint64_t n; /* clocks so far */
    uint64_t timestamp, previous_timestamp, prescaler, period;
    unsigned eus, subslice_eus;
    struct oa_reference_wave noa[OA_REF_NOA], a[OA_REF_A], eu[OA_REF_EUS][EU_SIGNALS];
    bool c_tap[OA_REF_C]; /* csource */
    bool context_active;
    uint32_t context, slice_ratio, unslice_ratio, instaddr, linetime, spacing;
    bool go;
    bool holds_a, halves, no_eu_events, incoherent; /* option */
    struct oa_reference_page *pages[256];
    bool out_of_memory;
};

/* ---- oa_reference.c: set-up and the clock -------------------------------------------------- */

/* NULL if memory is short. */
struct oa_reference *oa_reference_new(enum oa_reference_platform platform);
void oa_reference_free(struct oa_reference *ref);
void oa_reference_reset(struct oa_reference *ref);
void oa_reference_step(struct oa_reference *ref);

/* ---- oa_reference_wave.c ------------------------------------------------------------------- */

uint32_t oa_reference_wave_value(const struct oa_reference_wave *wave, uint64_t n);

/* ---- oa_reference_cec.c, oa_reference_triggers.c: steps 3 and 4 ----------------------------- */

void oa_reference_cec(struct oa_reference *ref, struct oa_reference_clock *clock);
void oa_reference_triggers(struct oa_reference *ref, struct oa_reference_clock *clock);
/* What a write of ...TRIG1, ...TRIG2 and a disabling write of OACONTROL do (OA-D12, OA-D13,
 * OA-D14). */
void oa_reference_clear_start_block(struct oa_reference *ref, unsigned block);
void oa_reference_clear_report_block(struct oa_reference *ref, unsigned block);
void oa_reference_disable_triggers(struct oa_reference *ref);

/* ---- oa_reference_eus.c, oa_reference_counters.c: step 5 ------------------------------------ */

void oa_reference_eus(struct oa_reference *ref, struct oa_reference_clock *clock);
void oa_reference_counters(struct oa_reference *ref, const struct oa_reference_clock *clock);
/* Largest value of A counter i. */
uint64_t oa_reference_a_limit(const struct oa_reference *ref, unsigned i);
/* May C counter i count a tap (OA-D5)? Then which of struct oa_reference_clock. */
bool oa_reference_tap_of(const struct oa_reference *ref, unsigned i, unsigned *tap);

/* ---- oa_reference_reports.c, oa_reference_pack.c: step 6 ------------------------------------ */

void oa_reference_reports(struct oa_reference *ref, const struct oa_reference_clock *clock);
/* Builds a report out of the present values; returns its length in bytes. */
unsigned oa_reference_pack(const struct oa_reference *ref, uint32_t id,
                           uint8_t bytes[OA_REF_REPORT_BYTES]);
void oa_reference_mirpc(struct oa_reference *ref, uint64_t address, uint32_t id);

/* ---- oa_reference_buffer.c: step 1, the report buffer, memory ------------------------------- */

bool oa_reference_in_flight(const struct oa_reference *ref);
void oa_reference_writer(struct oa_reference *ref);
/* Room check, and the start of the writer. */
void oa_reference_buffer_report(struct oa_reference *ref, unsigned reasons, const uint8_t *bytes,
                                unsigned length);
uint64_t oa_reference_used(const struct oa_reference *ref);
void oa_reference_store(struct oa_reference *ref, uint64_t address, const uint8_t *bytes,
                        unsigned count);
uint8_t oa_reference_memory_byte(const struct oa_reference *ref, uint64_t address);
void oa_reference_memory_free(struct oa_reference *ref);

/* ---- oa_reference_interrupts.c -------------------------------------------------------------- */

/* False if no engine has that class and instance (OA-D42). */
bool oa_reference_message(struct oa_reference *ref, unsigned class, unsigned instance,
                          uint16_t data);
bool oa_reference_irq_line(const struct oa_reference *ref);
/* The registers from 190010h on. */
uint32_t oa_reference_interrupt_read(struct oa_reference *ref, uint32_t address);
void oa_reference_interrupt_write(struct oa_reference *ref, uint32_t address, uint32_t value);

/* ---- oa_reference_registers.c, oa_reference_names.c ----------------------------------------- */

uint32_t oa_reference_read(struct oa_reference *ref, uint32_t address);
void oa_reference_write(struct oa_reference *ref, uint32_t address, uint32_t value);
/* False if the platform does not have the name. */
bool oa_reference_peek(struct oa_reference *ref, const char *name, uint64_t *value);
bool oa_reference_poke(struct oa_reference *ref, const char *name, uint64_t value);

/* ---- oa_reference_gen12.c ------------------------------------------------------------------- */

uint32_t oa_reference_gen12_read(struct oa_reference *ref, uint32_t address);
void oa_reference_gen12_write(struct oa_reference *ref, uint32_t address, uint32_t value);
/* Whether the running context counts, and whether its counts are visible. */
bool oa_reference_oar_counts(const struct oa_reference *ref);
bool oa_reference_oar_shows(const struct oa_reference *ref);

/* What a write of OACONTROL, OASTATUS, the pointers and OA_DEBUG does (oa_reference_registers.c).
 */
void oa_reference_write_control(struct oa_reference *ref, uint32_t value);
void oa_reference_write_flags(struct oa_reference *ref, uint32_t value);
uint32_t oa_reference_read_flags(const struct oa_reference *ref);
void oa_reference_write_head(struct oa_reference *ref, uint32_t value);
void oa_reference_write_tail(struct oa_reference *ref, uint32_t value);
void oa_reference_write_debug(struct oa_reference *ref, uint32_t value);

/* ---- oa_reference_script.c, oa_reference_script_wave.c: the interpreter and its words -------- */

enum { OA_SCRIPT_WORDS = 10 };

struct oa_reference_list; /* the items of a `seq` */

struct oa_reference_script {
    struct oa_reference *ref; /* NULL before `platform` */
    FILE *out;
    bool running; /* a command other than set-up came: no more set-up */
    char *words[OA_SCRIPT_WORDS];
    unsigned count;
    struct oa_reference_list *lists;
};

/* An unsigned decimal or hexadecimal number of 64 bits. */
bool oa_reference_number(const char *text, uint64_t *value);
/* Word i as a number up to most. */
bool oa_reference_argument(const struct oa_reference_script *in, unsigned i, uint64_t most,
                           uint64_t *value);

/* The words from i on as a waveform of an input with values up to most; most 0 is a bit input. */
bool oa_reference_parse_wave(struct oa_reference_script *in, unsigned i, uint64_t most,
                             struct oa_reference_wave *wave);
/* Gives a waveform to `count` inputs that are `stride` apart. */
void oa_reference_assign(const struct oa_reference *ref, struct oa_reference_wave *inputs,
                         unsigned count, unsigned stride, struct oa_reference_wave wave);
void oa_reference_free_lists(struct oa_reference_script *in);

/* ---- everywhere ----------------------------------------------------------------------------- */

/* Bits high..low of a word. */
static inline uint32_t oa_reference_bits(uint32_t word, unsigned high, unsigned low)
{
    return (uint32_t)(word >> low & ((UINT64_C(2) << (high - low)) - 1));
}

static inline bool oa_reference_bit(uint32_t word, unsigned bit)
{
    return word >> bit & 1;
}

#endif
