/* SPDX-License-Identifier: MIT */
#ifndef TALLY_NVIDIA_PCOUNTER_ENGINE_H
#define TALLY_NVIDIA_PCOUNTER_ENGINE_H

/*
 * The engine's state, and the steps that advance it.
 *
 * A run is split into chunks (run.c), and a chunk of one domain into blocks of up to BLOCK_WORDS
 * words. For a block, signals.c fetches the words of the signals that the plan (plan.c) needs,
 * evaluate.c computes the inputs PRE, START, EVENT, STOP, SETFLAG, CLRFLAG from them, with
 * feedback.c if FLAG or EVENT depend on themselves, and one of single.c, quad.c, record.c counts. A
 * mode may end a block early (the process has ended, the domain hangs); only the clocks up to there
 * are committed.
 */

#include <tally/pcounter.h>

#include "nvidia/pcounter/leap.h"
#include "nvidia/pcounter/packet.h"
#include "nvidia/pcounter/registers.h"
#include "nvidia/revisions.h"
#include "regs/index.h"
#include "regs/trace.h"
#include "wave/kernels.h"

#define DOMAINS      TALLY_PCOUNTER_DOMAINS /* maximum in a set */
#define SIGNALS      256
#define BLOCK_WORDS  128
#define BLOCK_CLOCKS (64u * BLOCK_WORDS)
#define NO_USE       0xff

/* The inputs of the counting process, in the order of their SRC and OP registers. */
enum input { PRE, START, EVENT, STOP, SETFLAG, CLRFLAG, INPUTS };

enum mode {
    MODE_SINGLE = PCOUNTER_MODE__SINGLE,
    MODE_QUAD = PCOUNTER_MODE__QUAD,
    MODE_RECORD = PCOUNTER_MODE__RECORD,
    MODE_NONE,
    MODES
};

enum single_state {
    INACTIVE = PCOUNTER_SINGLE_STATE__INACTIVE,
    WAIT_FOR_PRE = PCOUNTER_SINGLE_STATE__WAIT_PRE,
    WAIT_FOR_START = PCOUNTER_SINGLE_STATE__WAIT_START,
    COUNTING = PCOUNTER_SINGLE_STATE__COUNTING
};

enum quad_state {
    EMPTY = PCOUNTER_QUAD_STATE__EMPTY,
    VALID = PCOUNTER_QUAD_STATE__VALID,
    OVERFLOW = PCOUNTER_QUAD_STATE__OVERFLOW
};

enum counter_mode {
    SIMPLE = PCOUNTER_CTR_MODE__SIMPLE,
    EVENT_B4 = PCOUNTER_CTR_MODE__EVENT_B4,
    EVENT_B6 = PCOUNTER_CTR_MODE__EVENT_B6,
    EXTRA_B4 = PCOUNTER_CTR_MODE__EXTRA_B4,
    EXTRA_B6_EVENT_B2 = PCOUNTER_CTR_MODE__EXTRA_B6_EVENT_B2
};

/* Signals that domains import from each other. */
enum import_kind { IMPORT_EVENT, IMPORT_FLAG, IMPORT_KINDS };

/* What drives a signal. */
enum driver {
    DRIVER_WAVE,
    DRIVER_ZERO,
    DRIVER_PERIODIC,
    DRIVER_USER, /* + number, 0 to 3 */
    DRIVER_OWN_EVENT = DRIVER_USER + 4,
    DRIVER_OWN_FLAG,
    DRIVER_IMPORT /* + DOMAINS * enum import_kind + domain: imported from another domain */
};

enum counter { CYCLES, CTR_EVENT, CTR_START, CTR_PRE, CTR_STOP, COUNTERS };

/* ---- the plan: the registers decoded, updated after they change ------------------------------ */

enum argument_kind { ARGUMENT_SIGNAL, ARGUMENT_DELAYED, ARGUMENT_SETFLAG };

struct argument {
    uint8_t kind; /* enum argument_kind */
    uint8_t slot; /* field of SRC: 0 to 3; if delayed, 0 or 1 */
    uint8_t use;
};

/* A logic operation, reduced to the arguments that can change its result. */
struct operation {
    uint16_t table;
    uint8_t arity;
    struct argument arguments[4];
};

#define USES_MAX 25 /* six inputs of four signals, and SWAP */

struct plan {
    uint8_t use_count;
    uint8_t uses[USES_MAX];        /* signals whose words are needed */
    uint8_t source_use[INPUTS][4]; /* the uses for the fields of SRC registers; NO_USE: not
                                    * needed */
    uint8_t swap_use;
    uint8_t own_flag_use, own_event_use; /* NO_USE: not used */
    uint8_t imports[IMPORT_KINDS];       /* mask of the domains whose signals are used */
    struct operation operations[INPUTS];
    bool needs[INPUTS];     /* the mode or another input uses this input */
    bool flag_idle;         /* neither SETFLAG nor CLRFLAG can be 1 */
    bool flag_fixed;        /* SETFLAG and CLRFLAG are constant */
    bool setflag_in_event;  /* EVENT's argument 3 is SETFLAG */
    bool event_loop;        /* EVENT depends on itself */
    bool flag_loop;         /* SETFLAG or CLRFLAG depend on FLAG */
    bool event_before_flag; /* SETFLAG or CLRFLAG use the own EVENT */
    bool swap_only;         /* no input uses the SWAP signal */
    bool delays;            /* an input uses a delay flip-flop */
    bool users;             /* an input uses a USER signal */
    bool leaps;             /* the domain may leap */
    uint8_t unknowns;       /* mask of enum unknown: values that the loops depend on */
    /* CTRL */
    enum mode mode;
    enum counter_mode counter_mode;
    bool all_periods;          /* CTR_EVENT counts over all periods */
    bool pulses[IMPORT_KINDS]; /* imports are pulses, not levels */
    uint8_t periodic;          /* PERIODIC_PERIOD */
    struct tally_wave periodic_wave;

    uint64_t used[SIGNALS / 64];            /* mask of signals of inputs and counters */
    struct leap_function functions[INPUTS]; /* what inputs are in leaps */
    uint8_t kept;                           /* mask of those that later leaps can use */
};

/* Values that a clock of a loop needs from the previous clocks. */
enum unknown {
    UNKNOWN_FLAG = 1,         /* the FLAG signal, F(n - 2) */
    UNKNOWN_FLAG_DELAYED = 2, /* the FLAG signal one clock ago */
    UNKNOWN_EVENT = 4,        /* EVENT one clock ago */
    UNKNOWN_COMBINATIONS = 8
};

/* ---- a domain -------------------------------------------------------------------------------- */

struct attached {
    struct tally_wave wave;
    uint64_t origin; /* number of the domain's edges before the wave's clock 0 */
};

/* Synchronizers of a domain for the EVENT or FLAG of the others (PC-D7, PC-D8); one bit per source.
 */
struct synchronizer {
    uint8_t level[2], pulse[2]; /* samples of the latest clock and of the previous one */
    uint8_t risen;              /* sources that rose since the latest clock */
    uint8_t now;                /* outputs at the domain's latest clock */
};

struct outgoing {
    bool busy;
    uint8_t bytes; /* size of the packet */
    uint32_t due;  /* clocks until it completes: at the start of that clock */
    uint8_t data[PACKET_LONG_BYTES];
};

struct domain {
    /* Fixed before time advances. */
    uint8_t set;    /* domains of the same set import from each other */
    uint8_t number; /* number in the set */
    uint8_t trailer;
    uint32_t period, phase;
    uint32_t address;         /* GF100: address of its registers */
    uint8_t kind, instance;   /* GF100: enum tally_domain_set, and its number */
    uint64_t edges;           /* clock edges so far, including those while it hangs */
    uint8_t drivers[SIGNALS]; /* enum driver */
    struct attached waves[SIGNALS];

    /* ---- everything from here on is 0 at power-on (PC-D34) ----------------------------------- */
    uint32_t regs[REGS_OF_A_DOMAIN];

    /* Writes since the previous clock: what they do happens at the next one (PC-D1). */
    bool abort;   /* end the process of single event mode (PC-D9, PC-D39) */
    bool start;   /* start it, or swap (PC-D11, PC-D30, PC-D39) */
    bool planned; /* the plan is up to date */

    /* Values at the latest clock, `latest`; before the first one all signals are 0. */
    bool seen;
    uint64_t latest;       /* number of the latest clock's edge */
    uint64_t held_mask[4]; /* mask of signals whose wave was replaced since then */
    uint64_t held[4];      /* and their values */
    bool event;            /* EVENT */
    bool event_toggle;     /* inverted whenever EVENT rises (PC-D41) */
    bool periodic;
    uint8_t user_now;
    uint8_t flag_history; /* FLAG after this clock (bit 0), the previous one (bit 1), ... */
    uint8_t inputs;       /* a bit per enum input; bit INPUTS: SWAP */

    /* Delay flip-flops of SRC[0] and SRC[1] of each input (PC-D3). Between clocks only those in use
     * are up to date, or all if `latched` is set. */
    uint8_t delays[INPUTS];
    bool latched;

    struct synchronizer synchronizers[IMPORT_KINDS];

    /* Counting. */
    uint8_t single_state, quad_state;
    uint64_t counters[COUNTERS];
    uint32_t shadow[COUNTERS];
    uint32_t initial_pre, initial_stop;

    /* Record mode. */
    struct pcounter_packet record; /* counters of the next packet */
    uint32_t position;
    bool valid, fault, hung;
    struct outgoing outgoing;

    uint16_t periodic_counter;
    bool user_fresh; /* USER_TRIGGER was written after the latest clock */

    struct plan plan;

    /* Waves that drove signals up to the latest clock, and have been replaced since a leap. */
    uint8_t replaced_count;
    struct {
        uint8_t signal;
        struct attached attached;
    } replaced[USES_MAX];
};

#define SETS_MAX 64

/* From GF100 on, the spaces of domains and of the control of sets in PCOUNTER's registers. */
#define SPACES (GF100_PCOUNTER_SIZE / GF100_DOMAIN_BYTES)

struct tally_pcounter {
    enum tally_pcounter_revision revision;
    const struct pcounter_features *features; /* capabilities of the revision */
    const struct reg_index *reads, *writes;   /* which register an access reaches */
    unsigned domain_count, set_count;
    uint64_t tick;
    uint32_t latency;
    struct tally_pcounter_memory memory;
    bool observe;
    uint8_t set_first[SETS_MAX + 1]; /* number of each set's first domain */
    uint8_t spaces[SPACES];          /* number of the domain or set of each space + 1; 0: none */

    /* ---- 0 at power-on ----------------------------------------------------------------------- */
    uint32_t record_chan, record_dma, gctrl;
    uint32_t set_control[SETS_MAX]; /* DSET_CTRL */
    bool dma_written, bound;
    bool disabled;        /* by PMC.ENABLE */
    bool stale[SETS_MAX]; /* leap_settle() is pending for a set */

    /* ---- not changed by a reset -------------------------------------------------------------- */
    struct {
        uint64_t reads, writes, outcomes[TALLY_PCOUNTER_OUTCOMES];
        void (*listener)(void *context, const struct tally_pcounter_access *access);
        void *context;
    } mmio;

    struct domain domains[];
};

/* ---- a block --------------------------------------------------------------------------------- */

/* The outputs of a domain in a chunk, for the domains that import from it: from the first clock of
 * the chunk on, one bit per clock. */
struct history {
    uint64_t words[IMPORT_KINDS][BLOCK_WORDS + 1];
    bool before[IMPORT_KINDS]; /* value at the clock before the chunk */
    uint64_t clocks;           /* recorded clocks */
    uint64_t alive;            /* recorded clocks before the domain hung */
};

/* Scratch memory for one block of one domain. */
struct workspace {
    const struct wave_kernels *kernels;
    uint64_t first_edge; /* number of the block's first clock */
    uint64_t clocks;
    size_t words;
    bool swap_now;      /* a write swaps at the first clock (PC-D30) */
    bool has_importers; /* other domains may import EVENT and FLAG */
    bool replays;       /* the clocks have been counted; only inputs and outputs are computed */
    const uint64_t *signals[USES_MAX];
    const uint64_t *delayed[INPUTS][2];
    uint64_t inputs[INPUTS][BLOCK_WORDS];
    uint64_t flag[BLOCK_WORDS]; /* the FLAG after each clock */
    uint64_t zeros[BLOCK_WORDS], ones[BLOCK_WORDS];
    uint64_t signal_buffers[USES_MAX][BLOCK_WORDS + 1];
    uint64_t delay_buffers[INPUTS][2][BLOCK_WORDS];
    uint64_t flag_signal[BLOCK_WORDS];
    uint64_t event_before; /* EVENT of the previous clock, for a block of one clock */
    uint64_t loop[UNKNOWN_COMBINATIONS][3][BLOCK_WORDS];
    uint64_t imports[IMPORT_KINDS][DOMAINS][BLOCK_WORDS];
};

/* Fields of USER_TRIGGER: the values of the USER signals, and a mask of those that are pulses. */
static inline uint32_t user_values(const struct pcounter_features *features, uint32_t trigger)
{
    return features->layout == LAYOUT_GF100 ? REG_GET(GF100_USER_TRIGGER, USER, trigger)
                                            : trigger & (REG_MASK(GT215_USER_TRIGGER, USER_0) |
                                                         REG_MASK(GT215_USER_TRIGGER, USER_1));
}

static inline uint32_t user_pulses(const struct pcounter_features *features, uint32_t trigger)
{
    return features->layout == LAYOUT_GF100
               ? REG_GET(GF100_USER_TRIGGER, USER_PULSE, trigger)
               : (trigger & (REG_MASK(GT215_USER_TRIGGER, USER_0_PULSE) |
                             REG_MASK(GT215_USER_TRIGGER, USER_1_PULSE))) >>
                     GT215_USER_TRIGGER__USER_0_PULSE_LOW;
}

/* Whether the PERIODIC generator of a domain is held at its start (PC-D21, PC-D42). */
static inline bool periodic_reset(const struct tally_pcounter *engine, const struct domain *domain)
{
    return engine->features->sets
               ? REG_GET(GF100_DSET_CTRL, PERIODIC_RESET, engine->set_control[domain->set])
               : REG_GET(PCOUNTER_GCTRL, PERIODIC_RESET, engine->gctrl);
}

static inline bool bit_at(const uint64_t *words, uint64_t clock)
{
    return words[clock / 64] >> (clock % 64) & 1;
}

static inline size_t words_of(uint64_t clocks)
{
    return (size_t)((clocks + 63) / 64);
}

/* ---- the steps ------------------------------------------------------------------------------- */

/* Returns the bit of the engine's revision in the register tables. */
static inline uint32_t pcounter_revision_bit(const struct tally_pcounter *engine)
{
    return 1u << engine->revision;
}

/* pcounter.c: drives a signal with a wave from the domain's next clock on, whose clock 0 was the
 * domain's clock `origin`: at most the next one. The memory to which the wave points must remain
 * valid when the wave is replaced, until time has advanced. */
void pcounter_attach_from(struct tally_pcounter *engine, unsigned domain, unsigned signal,
                          const struct tally_wave *wave, uint64_t origin);

/* ---- index.c: registers by address ----------------------------------------------------------- */

/* What the rows of the index belong to. */
enum pcounter_part { PCOUNTER_PART_DOMAIN, PCOUNTER_PART_SET, PCOUNTER_PART_PMC };

/* Finds the index of the registers of an engine that gets `domains` domains. Returns 0 or -ENOMEM.
 */
int pcounter_index(struct tally_pcounter *engine, unsigned domains);

/* Adds the space of a domain, or of the control registers of a set, which is at an address. */
void pcounter_add_space(struct tally_pcounter *engine, uint32_t address, unsigned number);

/* A register found at an address. */
struct pcounter_target {
    const struct reg_row *row; /* NULL: no register */
    unsigned element;          /* of an array of the domain's */
    unsigned domain;           /* domain of the register; the first one for shared registers */
    unsigned set;              /* of DSET_CTRL */
};

/* From GF100 on: finds the domain or set at an address. Returns its address in the index. */
uint32_t pcounter_find_unit(const struct tally_pcounter *engine, uint32_t address,
                            struct pcounter_target *target);

static inline struct pcounter_target pcounter_find(const struct tally_pcounter *engine,
                                                   uint32_t address, enum reg_access access)
{
    const struct reg_index *index = access == REG_WRITE ? engine->writes : engine->reads;
    struct pcounter_target target = {0};
    bool sets = engine->features->sets;
    if (sets)
        address = pcounter_find_unit(engine, address, &target);
    target.row = reg_index_find(index, address, &target.element);
    if (sets || !target.row || !target.row->inner)
        return target;
    unsigned element = target.element, inner = target.row->inner; /* of a domain */
    target.domain = inner == 1 ? element : element / inner;
    target.element = element - target.domain * inner;
    return target;
}

/* Returns the same as a place in the register tables; its register is NULL if there is none. */
struct reg_place pcounter_locate(const struct tally_pcounter *engine, uint32_t address,
                                 enum reg_access access);

/* Whether the register is PMC.ENABLE. */
static inline bool pcounter_is_pmc(const struct pcounter_target *target)
{
    return target->row && target->row->part == PCOUNTER_PART_PMC;
}

/* ---- access.c -------------------------------------------------------------------------------- */

/* Reports an access to the listener. */
void pcounter_report_access(const struct tally_pcounter *engine,
                            const struct tally_pcounter_access *access);

/* Counts an access, and reports it. The outcomes of regs/index.h come first. */
static inline void pcounter_count_access(struct tally_pcounter *engine,
                                         const struct pcounter_target *target, bool write,
                                         uint32_t address, uint32_t value)
{
    unsigned outcome = write ? reg_check_write(target->row, value) : reg_check_read(target->row);
    if (engine->disabled && target->row && !pcounter_is_pmc(target))
        outcome = TALLY_PCOUNTER_DISABLED;
    engine->mmio.reads += !write;
    engine->mmio.writes += write;
    engine->mmio.outcomes[outcome]++;
    if (engine->mmio.listener)
        pcounter_report_access(
            engine, &(struct tally_pcounter_access){
                        .tick = engine->tick,
                        .address = address,
                        .value = value,
                        .reserved = write && target->row ? value & ~target->row->documented : 0,
                        .write = write,
                        .outcome = (enum tally_pcounter_access_outcome)outcome,
                    });
}

/* Writes the line of an MMIO trace for an access to `place` (reg NULL: no register).
 * Returns `text`. */
const char *pcounter_trace_line(const struct tally_pcounter *engine,
                                const struct tally_pcounter_access *access,
                                const struct reg_place *place, char text[REG_TRACE_LINE]);

/* plan.c */
void plan_domain(const struct tally_pcounter *engine, struct domain *domain);

/* signals.c */
void signals_init(const struct tally_pcounter *engine, struct domain *domain);
bool signal_now(const struct domain *domain, unsigned signal);
void latch_delays(const struct tally_pcounter *engine, struct domain *domain);
void fetch_signals(const struct tally_pcounter *engine, const struct domain *domain,
                   struct workspace *w);
uint8_t source_signal(const struct tally_pcounter *engine, const struct domain *domain,
                      enum input input, unsigned slot);
uint8_t swap_signal(const struct tally_pcounter *engine, const struct domain *domain);

/* Returns the wave of PERIODIC, of which domain->periodic_counter is the clock. */
const struct tally_wave *periodic_wave(const struct tally_pcounter *engine,
                                       const struct domain *domain);

/* Returns the value of a USER signal when a pulse has passed. */
bool user_level(const struct tally_pcounter *engine, const struct domain *domain, unsigned user);

/* Whether the wave of a signal has been replaced since the latest clock. */
bool domain_holds(const struct domain *domain);

/* evaluate.c: computes the inputs and FLAG of a block. `frozen`: FLAG keeps its value. */
void evaluate_block(const struct domain *domain, struct workspace *w, bool frozen);
void evaluate_input(const struct domain *domain, struct workspace *w, enum input input,
                    uint64_t *out);

/* feedback.c: computes EVENT and FLAG if they depend on themselves. */
void solve_loops(const struct domain *domain, struct workspace *w, bool frozen);

/* The modes: count up to w->clocks clocks, and return the actual number of clocks of the block. */
uint64_t count_single(const struct tally_pcounter *engine, struct domain *domain,
                      struct workspace *w);
uint64_t count_quad(const struct tally_pcounter *engine, struct domain *domain,
                    struct workspace *w);
uint64_t count_record(const struct tally_pcounter *engine, struct domain *domain,
                      struct workspace *w);

/* record.c: completes the outgoing packet, which may hang the domain. */
void complete_packet(const struct tally_pcounter *engine, struct domain *domain);

/* counting.c */

/* Returns the first clock in [from, to) at which the signal is 1, or `to`. */
uint64_t next_one(const uint64_t *words, uint64_t from, uint64_t to);

/* Returns the clock of the n-th one (n = 1, 2, ...) in [from, to), or `to` if there are fewer. */
uint64_t nth_one(const uint64_t *words, uint64_t n, uint64_t from, uint64_t to);

/* Increments of the counters in the special counter modes (of quad and single event mode). */
struct sums {
    uint64_t event, extra; /* CTR_EVENT, and CTR_START or CTR_PRE */
    bool has_extra;
};

/* Sums the increments of the clocks [from, to). */
struct sums sum_range(const struct domain *domain, const struct workspace *w, uint64_t from,
                      uint64_t to);

/* Computes the increments from the ones of the signals that a mode counts. */
struct source_ones {
    uint64_t of[INPUTS][4]; /* by SRC register and field */
};
struct sums sum_digits(enum counter_mode mode, const struct source_ones *ones);

/* Returns how often a signal rises in the first clocks of a block. before: its value at the clock
 * before. */
uint64_t count_rises(const uint64_t *words, bool before, uint64_t clocks);

/* single.c: counts some clocks of a period. */
void single_add(const struct tally_pcounter *engine, struct domain *domain, uint64_t clocks,
                const struct sums *sums);

/* quad.c: increments of the shadow counters, and SWAP. */
struct quad_counts {
    uint64_t cycles, event, start, pre, stop;
};
void quad_add(struct domain *domain, const struct quad_counts *counts);
void quad_swap(struct domain *domain);

/* run.c: computes what leaps up to the present have left behind: EVENT, the inputs, the delay
 * flip-flops and the synchronizers of all domains. Called before they are read, and before a wave
 * or register changes of which they are made. */
void leap_settle(struct tally_pcounter *engine);

/* imports.c */
uint64_t edges_before(const struct domain *domain, uint64_t tick);
uint64_t tick_of(const struct domain *domain, uint64_t edge);
void imports_prepare(const struct tally_pcounter *engine, const struct domain *domain,
                     const struct history *histories, uint64_t chunk_tick, uint64_t done,
                     uint64_t clocks, struct workspace *w);
void imports_sample(struct tally_pcounter *engine, unsigned set, const struct history *histories,
                    uint64_t from_tick, uint64_t to_tick);

#endif
