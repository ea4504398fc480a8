/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_OA_UNIT_H
#define TALLY_INTEL_OA_UNIT_H

/*
 * State of the OA unit, and how it advances. A run is divided into blocks of up to BLOCK_WORDS
 * words. For each block, cec.c computes the custom events and triggers.c the trigger networks, as
 * words of one bit per clock. run.c then steps from one request to the next (to write a line, or a
 * report), and counters.c adds the counts between them.
 */

#include <tally/oa.h>
#include <tally/report.h>

#include "base/bits.h"
#include "intel/oa/registers.h"
#include "intel/oa/spread.h"
#include "intel/oa/work.h"
#include "intel/platforms.h"
#include "intel/topology.h"
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
#define ROWS_EUS     8                /* EUs of the two rows of a subslice (OA-2.12) */
#define SUBSLICES    9                /* maximum, on SKL GT4; on TGL 6 dual subslices of 16 EUs */
#define REPORT_MAX   256
#define NEVER        UINT64_MAX

/* A start or report trigger block. */
struct trigger_block {
    uint16_t count;
    bool previous; /* trigger at the previous enabled clock */
    bool fired;    /* start blocks */
};

struct in_flight {
    uint8_t bytes[REPORT_MAX];
    const struct tally_layout *layout;
    uint8_t lines, line; /* number of lines, and the next one */
    uint8_t blocks;      /* report trigger blocks among the reasons, a bit each */
    bool active;
    uint64_t number;    /* as passed to tally_oa_bus.sample */
    uint32_t line_time; /* clocks per line when the report was sampled */
    uint32_t due;       /* clocks until the next line is written */
};

struct driven_wave {
    struct tally_wave wave;
    uint64_t origin;
};

struct driven_number {
    struct tally_number number;
    uint64_t origin;
};

/* OAR, the counters of the running render context (PERF-5.4). All of it is saved and restored with
 * the context. */
#define OAR_A_COUNTERS 36

struct oar {
    uint32_t control, ctxcontrol, context_control;
    uint32_t flags; /* OASTATUS 2:0 */
    uint64_t a[OAR_A_COUNTERS], b[B_COUNTERS], c[B_COUNTERS];
};

/* A flexible event: what one counter counts of an EU (OA-2.12). */
struct eu_slot {
    uint8_t increment, coarse, fine;
};

enum { EU_LEVELS = TALLY_OA_THREADS + 1 };

/*
 * An EU whose pipes and loaded threads are levels of one generator, and whose other signals are
 * constant: eus_levels.c. A level is the number out of 256 below which the generator's number is at
 * the clocks in which the signal is active.
 */
struct eu_levels {
    bool hold;
    uint64_t until;              /* clock at which it must be looked at again */
    struct tally_wave generator; /* of kind PRNG or SCATTER; CONSTANT: no level needs it */
    uint64_t origin;
    uint16_t below[EU_LEVELS];
    uint16_t chances[EU_LEVELS]; /* the different levels from 1 to 255, kind_of[] of each signal */
    uint8_t kinds, kind_of[EU_LEVELS];
    uint8_t threads, ff, kind; /* values: threads, if there are any; the constant signals */
};

/* EUs that count the same: they have equal inputs, flexible events and occupancy, and the same
 * place among the eight of their subslice. */
struct eu_group {
    uint8_t first, members;
    struct eu_slot slots[FLEX_COUNT]; /* after the filters by place */
    struct eu_levels levels;
    uint8_t events[FLEX_COUNT]; /* if the levels hold: the increment event that each slot counts */
};

struct tally_oa {
    const struct intel_sku *sku;
    const struct intel_platform *platform;
    const struct oa_variant *variant; /* variant of the platform */
    const struct reg_index *index;    /* index of the registers */
    uint64_t clock;
    struct tally_oa_bus bus;
    const struct tally_layout *layouts[8]; /* by Counter Select; NULL: header only (OA-D29) */

    /* ---- not changed by a reset */
    struct driven_wave noa[NOA_BITS];
    struct driven_number a_input[A_COUNTERS];
    struct spread a_work[A_COUNTERS], noa_work[NOA_BITS]; /* in addition to the inputs: work.h */
    struct spread eu_work[EU_WORK_QUANTITIES], flexible_work[FLEX_COUNT];
    uint32_t gated;  /* A counters that clock gating stops, a bit each; set by the whole GPU */
    bool unfiltered; /* the context filter does not work (OA-14.6); set by the whole GPU */
    bool busy; /* the busy counter counts each clock, whatever its input; set by the whole GPU */
    struct driven_number eu_input[TALLY_OA_EUS][TALLY_OA_EU_SIGNALS];
    struct eu_group groups[TALLY_OA_EUS]; /* group_count; see eus.c */
    uint8_t group_count, group_of[TALLY_OA_EUS];
    bool groups_stale, array_idle; /* array_idle: all inputs of all EUs are 0 */
    unsigned eus;
    struct eu_place places[TALLY_OA_EUS]; /* of the EUs */
    bool options[TALLY_OA_OPTIONS];
    bool tapped[C_COUNTERS];
    uint64_t timestamp, previous_timestamp; /* at this clock, at the previous one */
    uint32_t ticks_per, tick_clocks;        /* the timestamp ticks ticks_per times in tick_clocks */
    uint64_t tick_phase; /* advances by ticks_per per clock, modulo tick_clocks */
    bool context_valid, go;
    uint32_t context;
    uint16_t slice_ratio, unslice_ratio;
    uint32_t instruction, line_time;
    uint32_t spacing; /* clocks per line that requests are apart */
    struct tally_oa_reports stats;

    /* ---- cleared by a reset, from here on (OA-D46) */
    uint32_t regs[OA_STORED];
    uint32_t flex[SUBSLICES][FLEX_REGS];
    uint32_t flags;     /* FLAG_LOST ... */
    uint32_t size_code; /* OASTATUS1[5:3] */
    uint32_t ggtt;      /* OASTATUS2[0] */
    uint32_t head, tail;
    bool head_wrap, tail_wrap;
    bool context_event, go_event, ratio_event; /* since the last clock */

    uint16_t previous_noa;
    uint16_t previous_in[CECS], out_q[CECS];
    uint8_t ev_q;

    struct trigger_block start[2], report[2];
    uint64_t a[A_COUNTERS], b[B_COUNTERS], c[C_COUNTERS], free[FREE_COPIES];
    uint32_t ticks;
    uint8_t occupancy[TALLY_OA_EUS];
    struct in_flight flight;
    uint64_t next_report; /* clock before which a request waits (OA-D47) */
    unsigned waiting;     /* reasons of the requests that wait */
    struct oar oar;       /* map D */
};

/* Bits of OASTATUS */
#define FLAG_LOST             1u
#define FLAG_BUFFER_OVERFLOW  2u
#define FLAG_COUNTER_OVERFLOW 4u
#define FLAG_OVERRUN          8u

/* Map C, or map D, which has the registers of map C at other addresses. */
static inline bool is_map_c(const struct tally_oa *unit)
{
    return unit->variant->map == OA_MAP_C || unit->variant->map == OA_MAP_D;
}

static inline bool is_map_d(const struct tally_oa *unit)
{
    return unit->variant->map == OA_MAP_D;
}

/* Converts the timer's fields of OACONTROL (maps A and B) to those of OACTXCONTROL. */
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

/* Whether the running context has OAR. Always false before Gen12. */
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

/* What a B or C counter counts: words of the block, or a wave of which only the sum is needed. */
struct count_source {
    const uint64_t *words;
    const struct driven_wave *wave; /* NULL: `words` */
    const struct spread *work;      /* counted in addition; may be NULL */
};

struct block {
    const struct wave_kernels *kernels;
    uint64_t first; /* number of the first clock */
    uint64_t clocks;
    size_t words;
    bool quiet; /* watched NOA bits are constant: one word stands for all clocks */
    unsigned
        period; /* of a quiet block: period of its events, in the first bits of the word; 0: none */
    uint16_t watched; /* of a quiet block: the watched NOA bits */
    bool last;        /* the flops of the CEC blocks are needed after the block */
    const uint64_t *noa[NOA_BITS];
    struct count_source b_sources[B_COUNTERS], c_sources[C_COUNTERS];
    uint64_t start_at[2]; /* first clock at which a start block has fired, or NEVER */
    uint64_t started;     /* minimum of them: B and C may count from here on */
    uint64_t zeros[BLOCK_WORDS], ones[BLOCK_WORDS]; /* identified by their address (fold.c) */
    uint64_t noa_buffers[NOA_BITS][BLOCK_WORDS + 1];
    uint64_t rising[NOA_BITS][BLOCK_WORDS]; /* occurrences (OA-D3) */
    const uint64_t *events[CECS], *start_d[2], *report_d[2];
    const uint64_t *taps[2][2]; /* h(0), h(1) of each report trigger block */
    uint64_t event_buffers[CECS][BLOCK_WORDS], network_buffers[4][BLOCK_WORDS];
    uint64_t tap_buffers[2][2][BLOCK_WORDS];
};

/* Returns a signal of a block at a clock. */
static inline bool block_bit(const struct block *block, const uint64_t *words, uint64_t clock)
{
    if (block->quiet)
        return words[0] >> (block->period ? clock % block->period : 0) & 1;
    return words[clock / 64] >> (clock % 64) & 1;
}

/* Counts the ones in the first `clocks` clocks of a signal with a period. */
static inline uint64_t period_count(uint64_t word, unsigned period, uint64_t clocks)
{
    return clocks / period * count_bits(word & low_bits(period)) +
           count_bits(word & ((UINT64_C(1) << clocks % period) - 1));
}

/* Counts the ones of a signal in [from, to). */
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

/* fold.c: applies a truth table to words of the block, as wave_kernels.combine does. Returns
 * `buffer`, which is none of the arguments; or zeros, ones, or the argument that the result is
 * equal to. */
const uint64_t *block_combine(const struct block *block, uint16_t table, unsigned arity,
                              const uint64_t *const arguments[4], uint64_t *buffer);

/* Copies words to `buffer` unless they are zeros or ones, so that they no longer alias the
 * arguments that they were computed from. */
const uint64_t *block_keep(const struct block *block, const uint64_t *words, uint64_t *buffer);

/* cec.c: computes the events in `wanted` (a bit each) for a block, and updates the flops. */
void make_events(struct tally_oa *unit, struct block *block, uint8_t wanted);

/* Returns the clocks after which events no longer depend on the past, if the NOA bus is constant; 0
 * if the blocks form a ring, which may never settle. */
unsigned events_settle_clocks(const struct tally_oa *unit);

/* Whether no event changes while the NOA bus stays as it was at the previous clock. */
bool events_are_settled(struct tally_oa *unit);

/* Returns the period in clocks of the events of a ring while the NOA bus is constant, 1 to 64; 0 if
 * none was found. */
unsigned events_period(struct tally_oa *unit);

/* triggers.c */
void make_triggers(const struct tally_oa *unit, struct block *block);
void find_start(const struct tally_oa *unit, struct block *block);
uint64_t next_fire(const struct tally_oa *unit, const struct block *block, unsigned report_block,
                   uint64_t from);
void advance_triggers(struct tally_oa *unit, const struct block *block, uint64_t from, uint64_t to);

/* watched.c: returns the NOA bits that must be known at every clock, a bit each. Of the others only
 * sums are needed. */
uint16_t watched_bits(const struct tally_oa *unit);

/* run.c: whether work sends events on a NOA bit now. */
bool is_noa_working(const struct tally_oa *unit, unsigned bit);

/* run.c: returns the value of TIMESTAMP after a number of clocks. */
uint64_t timestamp_after(const struct tally_oa *unit, uint64_t clocks);

/* counters.c: returns the events that B counters count, a bit each; selects the sources of B and C
 * counters in a block; and advances all counters by the clocks in [from, to). */
uint8_t events_counted(const struct tally_oa *unit);
void select_sources(const struct tally_oa *unit, struct block *block);
void count_clocks(struct tally_oa *unit, const struct block *block, uint64_t from, uint64_t to);

/* unit.c: sets the EUs to those of a topology. Call it before EUs are driven. */
void oa_set_topology(struct tally_oa *unit, const struct intel_topology *topology);

/* eus.c: computes the sums of the flexible events, and advances the EUs' occupancy integrators. */
void sum_flexible(struct tally_oa *unit, uint64_t first_clock, uint64_t clocks,
                  uint64_t sums[FLEX_COUNT]);

/* eus_levels.c: finds out whether the signals of an EU are levels from a clock on, and for how
 * long; and computes their sums in a range of clocks in which they hold. */
struct level_sums {
    uint64_t pipes[3], both, any, loaded; /* clocks; loaded: threads, but no pipe */
    uint64_t threads;
};
void find_levels(const struct driven_number inputs[TALLY_OA_EU_SIGNALS], uint64_t first,
                 struct eu_levels *out);
void sum_levels(const struct eu_levels *levels, uint64_t first, uint64_t clocks,
                struct level_sums *out);

/* run.c: returns for how many clocks the unit certainly writes no report; NEVER: until it is
 * changed. */
uint64_t tally_oa_quiet_clocks(const struct tally_oa *unit);

/* run.c: returns how often a timer fires in the next `clocks`. `control` has the fields of
 * OACTXCONTROL. */
uint64_t count_strobes(const struct tally_oa *unit, uint32_t control, uint64_t clocks);

/* reports.c. Reasons are enum tally_reason. */
void build_report(const struct tally_oa *unit, uint32_t id, uint8_t bytes[REPORT_MAX]);

/* Builds the report of MI_REPORT_PERF_COUNT, from Gen12 on that of OAR. Returns its size in bytes;
 * 0 if the command writes nothing (OA-D29). */
unsigned build_command_report(const struct tally_oa *unit, uint32_t id, uint8_t bytes[REPORT_MAX]);
void sample_report(struct tally_oa *unit, uint64_t clock, unsigned reasons);
void write_line(struct tally_oa *unit);
uint32_t buffer_size(const struct tally_oa *unit);
uint32_t buffer_used(const struct tally_oa *unit);

#endif
