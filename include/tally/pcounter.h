/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PCOUNTER_H
#define TALLY_PCOUNTER_H

/*
 * NVIDIA's PCOUNTER (NV10 to GF100) as a clock-exact model to embed: in an emulator, a driver's
 * tests, a simulator.
 *
 *     struct tally_pcounter *engine;
 *     tally_pcounter_new(tally_chipset_find("g92"), &engine, &error);
 *     struct tally_wave busy = tally_wave_prng(1, 128);
 *     tally_pcounter_attach(engine, 1, 0xc8, &busy);        // what the GPU does
 *     tally_pcounter_write32(engine, 0xa484, 0x000000c8);   // EVENT_SRC[1]: count it
 *     ...                                                   // the rest as a driver would
 *     tally_pcounter_run(engine, 1000000);
 *     cycles = tally_pcounter_read32(engine, 0xa604);
 *
 * The engine is programmed like hardware, by 32-bit reads and writes at documented addresses.
 * Accesses take no time: the unit of time is the tick, and only tally_pcounter_run() advances it.
 * Each domain has its own clock, with an edge every `period` ticks.
 *
 * The behaviour is that of the PCOUNTER document (document 001); what it leaves open is decided in
 * docs/reference/pcounter-testbench.md (PC-D1 to PC-D34), with reasons in
 * docs/reference/pcounter.md (from PC-AMB-01 on).
 *
 * The model is pure: it has no globals and no wall clock, allocates nothing after _new, and never
 * prints. A copy is a snapshot. It evaluates up to 64 clocks with one machine operation, and many
 * such words in a row, but every register reads as if the clocks had passed one by one.
 *
 * Thread rule: an engine is used by one thread at a time; different engines are independent.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/chipset.h>
#include <tally/error.h>
#include <tally/version.h>
#include <tally/wave.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tally_pcounter;

/* ---- making one ------------------------------------------------------------------------------ */

/*
 * Creates the engine of a chipset at power-on: its domains with their published trailer bases (if
 * unpublished E0h, on GF100 C0h), all signals 0, all domains on the same clock.
 *
 * From GF100 on there is a set of domains for each GPC (one domain each), each partition (two) and
 * the hub (eight), at the addresses of PC-B.2, behind bit 28 of PMC.ENABLE (000200h): it is set at
 * power-on (PC-D36), clearing it resets the engine and holds it there, and its registers then read
 * BAD0DA00h (PC-F.4).
 *
 * Returns 0 and *out, to be freed with tally_pcounter_free(); -ENODEV and a message if the chipset
 * has no PCOUNTER; -EINVAL if it is NULL or not a row of the table; -ENOMEM.
 */
TALLY_API int tally_pcounter_new(const struct tally_chipset *chipset, struct tally_pcounter **out,
                                 struct tally_error *error);

/*
 * Creates the bare engine of a revision: one set of `domains` domains (1 for NV10 and NV15, up to 2
 * for NV20 and NV30, up to 8 for the others), trailer bases E0h (GF100: C0h). .pct scripts use such
 * an engine. Returns 0; -EINVAL and a message; -ENOMEM.
 */
TALLY_API int tally_pcounter_new_bare(enum tally_pcounter_revision revision, unsigned domains,
                                      struct tally_pcounter **out, struct tally_error *error);

/* Frees an engine; accepts NULL. */
TALLY_API void tally_pcounter_free(struct tally_pcounter *engine);

/*
 * Snapshots. tally_pcounter_size() returns the size of an engine in bytes. It can be copied with
 * memcpy() and copied back, while everything it points to (the memory of waves, callbacks and their
 * context) is still valid. tally_pcounter_copy() copies between two engines of the same shape and
 * returns -EINVAL if they differ. Pointers are copied, not what they point to.
 */
TALLY_API size_t tally_pcounter_size(const struct tally_pcounter *engine);
TALLY_API int tally_pcounter_copy(struct tally_pcounter *to, const struct tally_pcounter *from);

TALLY_API enum tally_pcounter_revision tally_pcounter_revision(const struct tally_pcounter *engine);

/* ---- domains --------------------------------------------------------------------------------- */

/* Returns the number of domains. They are numbered from 0; on a GF100 chip: GPC 0 first, then the
 * other GPCs, the partitions, and the hub. */
TALLY_API unsigned tally_pcounter_domains(const struct tally_pcounter *engine);

struct tally_pcounter_domain {
    enum tally_domain_set set;
    unsigned instance;     /* number of the GPC or partition */
    unsigned number;       /* number within the set */
    uint32_t address;      /* address of its registers, from GF100 on; 0 before */
    uint32_t trailer_base; /* index of the first trailer signal, a multiple of 20h */
    uint32_t period;       /* ticks */
    uint32_t phase;        /* tick of the first clock */
};

/* Describes a domain. Returns 0, or -EINVAL for an unknown domain. */
TALLY_API int tally_pcounter_domain(const struct tally_pcounter *engine, unsigned domain,
                                    struct tally_pcounter_domain *out);

/*
 * Sets a domain's clock: an edge at every tick t with t mod `period` = `phase`. period: 1 or more;
 * phase: below period. Returns 0; -EINVAL; -EBUSY once time has advanced.
 */
TALLY_API int tally_pcounter_set_clock(struct tally_pcounter *engine, unsigned domain,
                                       uint32_t period, uint32_t phase);

/*
 * Sets a domain's trailer base: a multiple of 20h, at most E0h (GF100: C0h). Comes before signals
 * are attached: what was attached at a position that the engine drives is not kept. Returns 0;
 * -EINVAL; -EBUSY once time has advanced.
 */
TALLY_API int tally_pcounter_set_trailer(struct tally_pcounter *engine, unsigned domain,
                                         unsigned base);

/* ---- signals --------------------------------------------------------------------------------- */

/*
 * Lets a wave drive a signal from the domain's next clock on, which is the wave's clock 0. signal:
 * 0 to 255, the number that SRC registers take; see tally_signal_find() for names. The wave is
 * copied; what it points to is the caller's. At positions that the engine drives itself (FLAG,
 * EVENT, PERIODIC, ...: "Trailer signals") the wave has no effect.
 *
 * PGRAPH.PM_TRIGGER and PGRAPH.WRCACHE_FLUSH come from outside: attach them like any other.
 *
 * Returns 0, or -EINVAL.
 */
TALLY_API int tally_pcounter_attach(struct tally_pcounter *engine, unsigned domain, unsigned signal,
                                    const struct tally_wave *wave);

/* Lets the domain's USER_`user` (0 or 1) drive a signal; GT215 only, where its index is not fixed
 * (PC-D22). Returns 0, or -EINVAL. */
TALLY_API int tally_pcounter_attach_user(struct tally_pcounter *engine, unsigned domain,
                                         unsigned signal, unsigned user);

/* Returns a signal's value at the domain's latest clock; 0 before the first (PC-D2). */
TALLY_API bool tally_pcounter_signal(const struct tally_pcounter *engine, unsigned domain,
                                     unsigned signal);

/* ---- registers ------------------------------------------------------------------------------- */

/*
 * MMIO, 32 bits at a 4-byte aligned absolute address: 00A000h to 00AFFFh, on GF100 180000h to
 * 1BFFFFh and 000200h. Reads change only the counts of tally_pcounter_mmio_stats(). Unknown
 * registers read as 0 and ignore writes. (Registers: PC-D1, PC-D9, PC-D20, PCT-6.)
 */
TALLY_API uint32_t tally_pcounter_read32(const struct tally_pcounter *engine, uint32_t address);
TALLY_API void tally_pcounter_write32(struct tally_pcounter *engine, uint32_t address,
                                      uint32_t value);

/* The outcome of an access. */
enum tally_pcounter_access_outcome {
    TALLY_PCOUNTER_DONE,
    TALLY_PCOUNTER_UNKNOWN_REGISTER, /* no such register: reads as 0, writes are ignored */
    TALLY_PCOUNTER_READ_ONLY,     /* a write that stores nothing (one to a counter may still end the
                                     counting process, PC-D9) */
    TALLY_PCOUNTER_WRITE_ONLY,    /* a read that gives 0 */
    TALLY_PCOUNTER_RESERVED_BITS, /* a write that takes effect, but sets bits outside of all
                                   * fields */
    TALLY_PCOUNTER_DISABLED,      /* PMC.ENABLE holds the engine in reset */
    TALLY_PCOUNTER_OUTCOMES
};

/* "done", "unknown register", "read-only", "write-only", "reserved bits", "disabled"; NULL for
 * other values. */
TALLY_API const char *
tally_pcounter_access_outcome_name(enum tally_pcounter_access_outcome outcome);

/* One access. Later versions may add members at the end. */
struct tally_pcounter_access {
    uint64_t tick;     /* as tally_pcounter_now() */
    const char *name;  /* of the register: "CTRL[1]"; NULL: none. Valid during the call */
    uint32_t address;  /* in bytes */
    uint32_t value;    /* read or written */
    uint32_t reserved; /* of a write to a register: the bits set outside of all fields */
    bool write;
    enum tally_pcounter_access_outcome outcome;
};

/*
 * Calls `listener` for every access from now on, in the order they happen: for a write before it
 * takes effect, for a read after. NULL, the initial value: no listener; then an access costs only a
 * counter. The listener runs on the thread that accesses, and must not use the engine. `context` is
 * passed to it and belongs to the caller. Snapshots and tally_pcounter_copy() copy both pointers.
 */
TALLY_API void tally_pcounter_set_mmio_listener(
    struct tally_pcounter *engine,
    void (*listener)(void *context, const struct tally_pcounter_access *access), void *context);

/* Accesses since the engine was made; all but `reads` and `writes` by outcome. Resets do not clear
 * them. */
struct tally_pcounter_mmio_stats {
    uint64_t reads, writes;
    uint64_t unknown_register, read_only, write_only, reserved_bits, disabled;
};

TALLY_API struct tally_pcounter_mmio_stats
tally_pcounter_mmio_stats(const struct tally_pcounter *engine);

/* GPU reset: the engine returns to its power-on state (PC-D34). Time, clocks, trailer bases, waves,
 * latency and memory are kept. */
TALLY_API void tally_pcounter_reset(struct tally_pcounter *engine);

/* ---- time ------------------------------------------------------------------------------------ */

/*
 * Advances time by `ticks` ticks; time ends at tick 2^64 - 1. Time and waves also advance while
 * PMC.ENABLE holds the engine in reset. Uses about 120 KB of stack.
 */
TALLY_API void tally_pcounter_run(struct tally_pcounter *engine, uint64_t ticks);

/* Returns the ticks since the engine was created. */
TALLY_API uint64_t tally_pcounter_now(const struct tally_pcounter *engine);

/* ---- record mode's memory -------------------------------------------------------------------- */

/*
 * Memory as the engine's record mode sees it: 40-bit virtual addresses. A packet is one span, or
 * two where it crosses 4 GB (PC-D27).
 *
 * faults: not 0 if any byte of the span is not writable: a VM fault, after which the domain hangs
 * until reset (PC-D29). Called before any byte of the packet is written. NULL: nothing faults.
 * write: stores a span. NULL: packets are discarded.
 *
 * Called from tally_pcounter_run(). Packets of one domain come in order of time, and so do those of
 * different domains whose buffers may overlap. The callbacks must not use the engine. The struct is
 * copied; NULL means no memory.
 */
struct tally_pcounter_memory {
    int (*faults)(void *context, uint64_t address, size_t bytes);
    void (*write)(void *context, uint64_t address, const uint8_t *data, size_t bytes);
    void *context;
};

TALLY_API void tally_pcounter_set_memory(struct tally_pcounter *engine,
                                         const struct tally_pcounter_memory *memory);

/* Sets the latency of packets sent from now on, in clocks of the domain: 1 or more; initially 8
 * (PC-D25). Returns 0, or -EINVAL. */
TALLY_API int tally_pcounter_set_latency(struct tally_pcounter *engine, uint32_t clocks);

/* ---- looking inside -------------------------------------------------------------------------- */

/* Values that no register shows, in part; the first ones are those of .pct scripts (PCT-2). */
enum tally_pcounter_value {
    TALLY_PCOUNTER_CYCLES, /* visible counters */
    TALLY_PCOUNTER_EVENT,
    TALLY_PCOUNTER_START,
    TALLY_PCOUNTER_PRE,
    TALLY_PCOUNTER_STOP,
    TALLY_PCOUNTER_SH_CYCLES, /* shadow counters of quad event mode */
    TALLY_PCOUNTER_SH_EVENT,
    TALLY_PCOUNTER_SH_START,
    TALLY_PCOUNTER_SH_PRE,
    TALLY_PCOUNTER_SH_STOP,
    TALLY_PCOUNTER_REC_CYCLES, /* record mode */
    TALLY_PCOUNTER_REC_STOP,
    TALLY_PCOUNTER_REC0, /* to REC11: PRE_SRC[0..3], START_SRC[0..3], EVENT_SRC[0..3] */
    TALLY_PCOUNTER_FLAG = TALLY_PCOUNTER_REC0 + 12, /* after the latest clock, not delayed */
    TALLY_PCOUNTER_VALID,                           /* "buffer valid" */
    TALLY_PCOUNTER_BUSY,                            /* a packet is under way */
    TALLY_PCOUNTER_WEDGED,                          /* hung by a VM fault */
    TALLY_PCOUNTER_IN_SETFLAG, /* the inputs at the latest clock; see tally_pcounter_observe() */
    TALLY_PCOUNTER_IN_CLRFLAG,
    TALLY_PCOUNTER_IN_PRE,
    TALLY_PCOUNTER_IN_START,
    TALLY_PCOUNTER_IN_EVENT,
    TALLY_PCOUNTER_IN_STOP,
    TALLY_PCOUNTER_IN_SWAP,
    TALLY_PCOUNTER_SINGLE_STATE,
    TALLY_PCOUNTER_QUAD_STATE,
    TALLY_PCOUNTER_POSITION, /* of the record buffer */
    TALLY_PCOUNTER_VALUES
};

/* Returns the name of a value in scripts and dumps, as "sh_event". NULL from TALLY_PCOUNTER_VALUES
 * on. */
TALLY_API const char *tally_pcounter_value_name(enum tally_pcounter_value value);

/* Returns the width of a value on a revision, in bits; 0: the revision does not have it. */
TALLY_API unsigned tally_pcounter_value_width(enum tally_pcounter_revision revision,
                                              enum tally_pcounter_value value);

/* Reads a value. Returns 0, or -EINVAL for an unknown domain or a value that the revision does not
 * have. */
TALLY_API int tally_pcounter_peek(const struct tally_pcounter *engine, unsigned domain,
                                  enum tally_pcounter_value value, uint64_t *out);

/*
 * Sets a counter, CYCLES to REC11, between clocks; the number is truncated to its width. Nothing
 * else changes; this does not count as a register write. Returns 0, or -EINVAL.
 */
TALLY_API int tally_pcounter_poke(struct tally_pcounter *engine, unsigned domain,
                                  enum tally_pcounter_value value, uint64_t number);

/*
 * If `all_inputs`, evaluates every input at every clock, including those that the current mode does
 * not use, so that IN_... values are valid in any mode; initially off.
 */
TALLY_API void tally_pcounter_observe(struct tally_pcounter *engine, bool all_inputs);

#ifdef __cplusplus
}
#endif

#endif
