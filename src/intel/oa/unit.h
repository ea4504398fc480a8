/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_OA_UNIT_H
#define TALLY_INTEL_OA_UNIT_H

/*
 * The OA unit's state, and how it moves. A run is cut into blocks of up to BLOCK_WORDS words. For a
 * block the custom events (cec.c) and the trigger networks (triggers.c) are made as words; then
 * run.c walks from one thing that happens to the next (a line written, a report asked for), and
 * counters.c adds up what lies between.
 */

#include <tally/oa.h>
#include <tally/report.h>

#include "base/bits.h"
#include "intel/oa/registers.h"
#include "intel/platforms.h"
#include "wave/kernels.h"

#define BLOCK_WORDS  128
#define BLOCK_CLOCKS (64u * BLOCK_WORDS)
#define NOA_BITS     16
#define CECS         8
#define A_COUNTERS   45
#define B_COUNTERS   8
#define FREE_COPIES  4
#define FLEX_FIRST   7 /* A7 to A20 are flexible from Gen8 on */
#define FLEX_COUNT   14
#define FLEX_REGS    (FLEX_COUNT / 2) /* EU_PERF_CNT_CTL0 to 6 */
#define SUBSLICE_EUS 8                /* two rows of four (OA-2.12) */
#define SUBSLICES    8                /* at most; dual ones of two times eight EUs on TGL */
#define REPORT_MAX   256
#define NEVER        UINT64_MAX

/* A start or report trigger block. */
struct trigger_block {
    uint16_t count;
    bool previous; /* its trigger at the previous enabled clock */
    bool fired;    /* start blocks */
};

struct in_flight {
    uint8_t bytes[REPORT_MAX];
    uint8_t lines, line; /* how many there are, the next one */
    uint8_t blocks;      /* report blocks among its reasons */
    bool active;
    uint64_t number;    /* as of tally_oa_bus.sample */
    uint32_t line_time; /* clocks a line, as of the sampling */
    uint32_t due;       /* clocks to the next line's write */
};

struct driven_wave {
    struct tally_wave wave;
    uint64_t origin;
};

struct driven_number {
    struct tally_number number;
    uint64_t origin;
};

struct spread { /* so many events, evenly over so many clocks */
    uint64_t origin, clocks, count;
};

/* OAR: what the running render context counts for itself (PERF-5.4). A context brings and
 * takes all of it. */
#define OAR_A_COUNTERS 36

struct oar {
    uint32_t control, ctxcontrol, context_control;
    uint32_t flags; /* OASTATUS 2:0 */
    uint64_t a[OAR_A_COUNTERS], b[B_COUNTERS], c[B_COUNTERS];
};

struct tally_oa {
    const struct intel_platform *platform;
    const struct oa_variant *variant; /* the platform's */
    const struct reg_index *index;    /* of its registers */
    uint64_t clock;
    struct tally_oa_bus bus;
    const struct tally_layout *layouts[8]; /* by Counter Select; NULL: a header only (OA-D29) */

    /* Kept by a reset. */
    struct driven_wave noa[NOA_BITS];
    struct driven_number a_input[A_COUNTERS];
    struct spread a_work[A_COUNTERS]; /* beside it; see tally_oa_work() */
    struct driven_number eu_input[TALLY_OA_EUS][TALLY_OA_EU_SIGNALS];
    uint8_t twins[TALLY_OA_EUS];  /* the first EU in its place of a subslice that is driven alike */
    bool twins_stale, array_idle; /* no EU is driven by anything but 0 */
    unsigned eus;
    bool options[TALLY_OA_OPTIONS];
    bool tapped[C_COUNTERS];
    uint64_t timestamp, previous_timestamp; /* of this clock, of the one before */
    uint32_t ticks_per, tick_clocks;        /* so many ticks in so many clocks */
    uint64_t tick_phase;                    /* ticks_per a clock; below tick_clocks */
    bool context_valid, go;
    uint32_t context;
    uint16_t slice_ratio, unslice_ratio;
    uint32_t instruction, line_time;
    struct tally_oa_reports stats;

    /* ---- power-on values from here on (OA-D46)
     * ------------------------------------------------------ */
    uint32_t regs[OA_STORED];
    uint32_t flex[SUBSLICES][FLEX_REGS];
    uint32_t flags;     /* OASTATUS: 2:0, and 3 Overrun */
    uint32_t size_code; /* OASTATUS1[5:3] */
    uint32_t ggtt;      /* OASTATUS2[0] */
    uint32_t head, tail;
    bool head_wrap, tail_wrap;
    bool context_event, go_event, ratio_event; /* since the latest clock */

    uint16_t previous_noa;
    uint16_t previous_in[CECS], out_q[CECS];
    uint8_t ev_q;

    struct trigger_block start[2], report[2];
    uint64_t a[A_COUNTERS], b[B_COUNTERS], c[C_COUNTERS], free[FREE_COPIES];
    uint32_t ticks;
    uint8_t occupancy[TALLY_OA_EUS];
    struct in_flight flight;
    struct oar oar; /* map D */
};

#define FLAG_LOST             1u
#define FLAG_BUFFER_OVERFLOW  2u
#define FLAG_COUNTER_OVERFLOW 4u
#define FLAG_OVERRUN          8u

/* Are the registers those of map C, or of map D, which has the same at other addresses? */
static inline bool is_map_c(const struct tally_oa *unit)
{
    return unit->variant->map == OA_MAP_C || unit->variant->map == OA_MAP_D;
}

static inline bool is_map_d(const struct tally_oa *unit)
{
    return unit->variant->map == OA_MAP_D;
}

/* The timer's fields of OACONTROL, maps A and B, as OACTXCONTROL has them. */
static inline uint32_t timer_of_oacontrol(uint32_t control)
{
    uint32_t enable = REG_GET(GEN7_OACONTROL, TIMER_ENABLE, control);
    return REG_PUT(GEN8_OACTXCONTROL, TIMER_ENABLE, enable) |
           REG_PUT(GEN8_OACTXCONTROL, TIMER_PERIOD, REG_GET(GEN7_OACONTROL, TIMER_PERIOD, control));
}

static inline bool is_enabled(const struct tally_oa *unit)
{
    return REG_GET(GEN8_OACONTROL, ENABLE, unit->regs[OA_CONTROL]); /* in all maps */
}

/* Has the context that runs counters of its own, and do they count? Not before Gen12. */
static inline bool has_oar(const struct tally_oa *unit)
{
    return REG_GET(GEN12_OAR_OACONTROL, ENABLE, unit->oar.control) &&
           REG_GET(RING_CONTEXT_CONTROL, OAR_CONTEXT_ENABLE, unit->oar.context_control);
}

static inline bool is_oar_counting(const struct tally_oa *unit)
{
    return has_oar(unit) && REG_GET(GEN12_OACTXCONTROL, RUN, unit->oar.ctxcontrol) &&
           unit->context_valid;
}

static inline bool is_any_counting(const struct tally_oa *unit)
{
    return is_enabled(unit) || is_oar_counting(unit);
}

/* ---- a block --------------------------------------------------------------------------------- */

/* What a B or C counter counts: words of the block, or a wave of which only the sum is asked for.
 */
struct count_source {
    const uint64_t *words;
    const struct driven_wave *wave; /* else NULL */
};

struct block {
    const struct wave_kernels *kernels;
    uint64_t first; /* number of the first clock */
    uint64_t clocks;
    size_t words;
    bool quiet; /* no NOA bit moves that is watched: one word stands for any number of clocks */
    unsigned period;  /* of a quiet block's events, which go round; else 0. The word has one */
    uint16_t watched; /* of a quiet block, a bit each */
    bool last;        /* the flops of the CEC blocks are looked at after it */
    const uint64_t *noa[NOA_BITS];
    struct count_source b_sources[B_COUNTERS], c_sources[C_COUNTERS];
    uint64_t start_at[2]; /* the first clock at which a start block has fired, or NEVER */
    uint64_t started;     /* the first of them: from here B and C may count */
    uint64_t zeros[BLOCK_WORDS], ones[BLOCK_WORDS]; /* known by their place (fold.c) */
    uint64_t noa_buffers[NOA_BITS][BLOCK_WORDS + 1];
    uint64_t rising[NOA_BITS][BLOCK_WORDS]; /* occurrences (OA-D3) */
    const uint64_t *events[CECS], *start_d[2], *report_d[2];
    const uint64_t *taps[2][2]; /* h(0), h(1) of each report block */
    uint64_t event_buffers[CECS][BLOCK_WORDS], network_buffers[4][BLOCK_WORDS];
    uint64_t tap_buffers[2][2][BLOCK_WORDS];
};

/* A signal of a block at one clock; its ones in [from, to); the place of its n-th one there, or
 * NEVER. */
static inline bool block_bit(const struct block *block, const uint64_t *words, uint64_t clock)
{
    if (block->quiet)
        return words[0] >> (block->period ? clock % block->period : 0) & 1;
    return words[clock / 64] >> (clock % 64) & 1;
}

/* Ones in the first clocks of a word that comes again and again. */
static inline uint64_t period_count(uint64_t word, unsigned period, uint64_t clocks)
{
    return clocks / period * count_bits(word & low_bits(period)) +
           count_bits(word & ((UINT64_C(1) << clocks % period) - 1));
}

static inline uint64_t block_count(const struct block *block, const uint64_t *words, uint64_t from,
                                   uint64_t to)
{
    if (block->quiet && block->period && to > from)
        return period_count(words[0], block->period, to) -
               period_count(words[0], block->period, from);
    if (block->quiet)
        return words[0] & 1 && to > from ? to - from : 0;
    return block->kernels->count(words, from, to);
}

/* fold.c: a truth table over words of the block, as the kernel has it. The result is in `room`,
 * which is no argument, or is an argument, zeros or ones if it is no more than that. */
const uint64_t *block_combine(const struct block *block, uint16_t table, unsigned arity,
                              const uint64_t *const arguments[4], uint64_t *buffer);

/* What shall outlive the arguments of the one that made it: zeros, ones, or copied into `room`. */
const uint64_t *block_keep(const struct block *block, const uint64_t *words, uint64_t *buffer);

uint64_t block_find(const struct block *block, const uint64_t *words, uint64_t n, uint64_t from);

/* cec.c: the events of a block's clocks that somebody counts (a bit each of `wanted`), and the
 * flops after them. */
void make_events(struct tally_oa *unit, struct block *block, uint8_t wanted);

/* Do the events come to rest when the NOA bus does, and after how many clocks? 0: never surely. */
unsigned events_settle_clocks(const struct tally_oa *unit);

/* Events that never rest go round while the bus does: the clocks after which all is as it is now,
 * 64 at the most; 0: that is not so, or not yet. */
unsigned events_period(struct tally_oa *unit);

/* triggers.c */
void make_triggers(const struct tally_oa *unit, struct block *block);
void find_start(const struct tally_oa *unit, struct block *block);
uint64_t next_fire(const struct tally_oa *unit, const struct block *block, unsigned report_block,
                   uint64_t from);
void advance_triggers(struct tally_oa *unit, const struct block *block, uint64_t from, uint64_t to);

/* watched.c: the NOA bits, a bit each, of which somebody needs every clock. The others' ones are
 * counted at most. */
uint16_t watched_bits(const struct tally_oa *unit);

/* run.c: what TIMESTAMP will read after so many clocks. */
uint64_t timestamp_after(const struct tally_oa *unit, uint64_t clocks);

/* counters.c: what B and C count, and everything that counts in [from, to). */
uint8_t events_counted(const struct tally_oa *unit);
void select_sources(const struct tally_oa *unit, struct block *block);
void count_clocks(struct tally_oa *unit, const struct block *block, uint64_t from, uint64_t to);

/* eus.c: sums of the flexible events over [from, to), and the integrators after them. */
void sum_flexible(struct tally_oa *unit, uint64_t first_clock, uint64_t clocks,
                  uint64_t sums[FLEX_COUNT]);

/* eus_prng.c: sums of an EU whose pipes and threads are levels of one generator and whose other
 * signals stand still. False: it is not such a one. */
struct level_sums {
    uint64_t pipes[3], both, any, loaded; /* clocks; loaded: and no pipe */
    uint64_t threads;
};
bool sum_prng_levels(const struct driven_number inputs[TALLY_OA_EU_SIGNALS], uint64_t first,
                     uint64_t clocks, struct level_sums *out);

/* run.c: strobes of a timer, of which `control` is OACTXCONTROL or has its fields, in so many
 * clocks from now on. */
uint64_t count_strobes(const struct tally_oa *unit, uint32_t control, uint64_t clocks);

/* reports.c. Reasons are enum tally_reason. */
unsigned report_bytes(const struct tally_oa *unit);
void build_report(const struct tally_oa *unit, uint32_t id, uint8_t bytes[REPORT_MAX]);

/* MI_REPORT_PERF_COUNT's: of Gen12 OAR's. Returns the bytes; 0: there is none (OA-D29). */
unsigned build_command_report(const struct tally_oa *unit, uint32_t id, uint8_t bytes[REPORT_MAX]);
void sample_report(struct tally_oa *unit, unsigned reasons);
void write_line(struct tally_oa *unit);
uint32_t buffer_size(const struct tally_oa *unit);
uint32_t buffer_used(const struct tally_oa *unit);

#endif
