/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PCOUNTER_H
#define TALLY_PCOUNTER_H

/*
 * A clock-exact model of NVIDIA's PCOUNTER (NV10 to GF100), to be embedded in emulators, simulators
 * and the tests of drivers.
 *
 *     struct tally_pcounter *engine;
 *     tally_pcounter_new(tally_chipset_find("g92"), &engine, &error);
 *     struct tally_wave busy = tally_wave_prng(1, 128);
 *     tally_pcounter_attach(engine, 1, 0xc8, &busy);        // what the GPU does
 *     tally_pcounter_write32(engine, 0xa484, 0x000000c8);   // EVENT_SRC[1]: count it
 *     ...                                                   // and so on, as a driver would
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
 * The model has no global state, does not read the system's clock, and allocates memory in the two
 * _new functions only; a copy is a snapshot. It evaluates 64 clocks at once, but all registers read
 * as if it had run clock by clock.
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

/* ---- creating an engine ---------------------------------------------------------------------- */

/*
 * Creates the engine of a chipset in its power-on state: its domains have their published trailer
 * bases (E0h if not published, C0h on GF100) and the same clock, and all signals are 0.
 *
 * From GF100 on there is a set of domains for each GPC (one domain each), each partition (two) and
 * the hub (eight), at the addresses of PC-B.2. Bit 28 of PMC.ENABLE (000200h) enables the engine;
 * it is set at power-on (PC-D36). While it is cleared, the engine is held in reset, and its
 * registers read BAD0DA00h (PC-F.4).
 *
 * Returns 0 and *out, to be freed with tally_pcounter_free(); -ENODEV and a message if the chipset
 * has no PCOUNTER; -EINVAL if it is NULL or not a row of the table; -ENOMEM.
 */
TALLY_API int tally_pcounter_new(const struct tally_chipset *chipset, struct tally_pcounter **out,
                                 struct tally_error *error);

/* A set of domains, which import EVENT and FLAG from each other only. */
struct tally_pcounter_set {
    enum tally_domain_set set; /* TALLY_SET_ONLY before GF100, another kind from then on */
    unsigned instance;         /* GPC 0 to 31, partition 0 to 15; otherwise 0 */
    unsigned domains;          /* 1 for NV10 and NV15, 1 or 2 for NV20 and NV30, otherwise 1 to 8 */
};

/* Maximum number of domains of an engine that tally_pcounter_new_sets() creates. */
#define TALLY_PCOUNTER_DOMAINS_TOTAL 64

/*
 * Creates an engine of a revision without a chipset, as .pct scripts use it (PC-D35): with `count`
 * sets of domains (1 before GF100), numbered in the order of the sets, and the trailer base E0h
 * (GF100: C0h). Returns 0 and *out, to be freed with tally_pcounter_free(); -EINVAL and a message
 * if a set does not exist, is given twice or has a wrong number of domains, or if there are more
 * than TALLY_PCOUNTER_DOMAINS_TOTAL in all; -ENOMEM.
 */
TALLY_API int tally_pcounter_new_sets(enum tally_pcounter_revision revision,
                                      const struct tally_pcounter_set *sets, size_t count,
                                      struct tally_pcounter **out, struct tally_error *error);

/*
 * As tally_pcounter_new_sets(), with one set of `domains` domains; on GF100 that of GPC 0.
 */
TALLY_API int tally_pcounter_new_bare(enum tally_pcounter_revision revision, unsigned domains,
                                      struct tally_pcounter **out, struct tally_error *error);

/* Frees an engine; accepts NULL. */
TALLY_API void tally_pcounter_free(struct tally_pcounter *engine);

/*
 * Snapshots. tally_pcounter_size() returns the size of an engine in bytes; an engine may be saved
 * and restored with memcpy(). tally_pcounter_copy() copies the state of another engine with the
 * same revision, domain sets and domains, and returns 0 or -EINVAL. Both are shallow: the memory of
 * waves, and callbacks with their context, belong to the caller and must still be valid.
 */
TALLY_API size_t tally_pcounter_size(const struct tally_pcounter *engine);
TALLY_API int tally_pcounter_copy(struct tally_pcounter *to, const struct tally_pcounter *from);

/* Returns the revision of an engine. */
TALLY_API enum tally_pcounter_revision tally_pcounter_revision(const struct tally_pcounter *engine);

/* ---- domains --------------------------------------------------------------------------------- */

/* Returns the number of domains. They are numbered from 0; on a GF100 chip: GPC 0 first, then the
 * other GPCs, the partitions, and the hub; otherwise in the order of the sets. */
TALLY_API unsigned tally_pcounter_domains(const struct tally_pcounter *engine);

/* Description of a domain. */
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
 * Sets a domain's trailer base: a multiple of 20h, at most E0h (GF100: C0h). Call it before signals
 * are attached: waves at positions that the engine now drives are detached. Returns 0; -EINVAL;
 * -EBUSY once time has advanced.
 */
TALLY_API int tally_pcounter_set_trailer(struct tally_pcounter *engine, unsigned domain,
                                         unsigned base);

/* ---- signals --------------------------------------------------------------------------------- */

/*
 * Drives a signal with a wave from the domain's next clock on, which is clock 0 of the wave.
 * signal: 0 to 255, as in SRC registers; tally_signal_find() finds it by name. The wave is copied;
 * the memory that it points to belongs to the caller. The wave has no effect at positions that the
 * engine drives itself (FLAG, EVENT, PERIODIC and others: "Trailer signals").
 *
 * PGRAPH.PM_TRIGGER and PGRAPH.WRCACHE_FLUSH are not driven by the engine: attach waves to them as
 * to other signals.
 *
 * Returns 0, or -EINVAL.
 */
TALLY_API int tally_pcounter_attach(struct tally_pcounter *engine, unsigned domain, unsigned signal,
                                    const struct tally_wave *wave);

/* Drives a signal with the domain's signal USER_0 or USER_1 (user: 0 or 1), whose indices are not
 * published (PC-D22). GT215 only. Returns 0, or -EINVAL. */
TALLY_API int tally_pcounter_attach_user(struct tally_pcounter *engine, unsigned domain,
                                         unsigned signal, unsigned user);

/* Returns a signal's value at the domain's latest clock; false before the first one (PC-D2). */
TALLY_API bool tally_pcounter_signal(const struct tally_pcounter *engine, unsigned domain,
                                     unsigned signal);

/* ---- registers ------------------------------------------------------------------------------- */

/*
 * Read or write a 32-bit register at a 4-byte aligned absolute address: 00A000h to 00AFFFh; on
 * GF100 180000h to 1BFFFFh and 000200h. Reads have no side effects except on
 * tally_pcounter_mmio_stats(). Unknown registers read as 0 and ignore writes. (Registers: PC-D1,
 * PC-D9, PC-D20, PCT-6.)
 */
TALLY_API uint32_t tally_pcounter_read32(const struct tally_pcounter *engine, uint32_t address);
TALLY_API void tally_pcounter_write32(struct tally_pcounter *engine, uint32_t address,
                                      uint32_t value);

/* The outcome of an access. */
enum tally_pcounter_access_outcome {
    TALLY_PCOUNTER_DONE,
    TALLY_PCOUNTER_UNKNOWN_REGISTER, /* no register at the address: reads return 0, writes are
                                        ignored */
    TALLY_PCOUNTER_READ_ONLY,     /* a write that stores nothing; a write to a counter can still end
                                     the counting process (PC-D9) */
    TALLY_PCOUNTER_WRITE_ONLY,    /* a read that returns 0 */
    TALLY_PCOUNTER_RESERVED_BITS, /* a write that takes effect, but sets bits outside of all
                                   * fields */
    TALLY_PCOUNTER_DISABLED,      /* PMC.ENABLE holds the engine in reset */
    TALLY_PCOUNTER_OUTCOMES
};

/* Returns "done", "unknown register", "read-only", "write-only", "reserved bits" or "disabled";
 * NULL for other values. Static text. */
TALLY_API const char *
tally_pcounter_access_outcome_name(enum tally_pcounter_access_outcome outcome);

/* One access. Later versions may add members at the end. */
struct tally_pcounter_access {
    uint64_t tick;     /* as tally_pcounter_now() counts */
    const char *name;  /* of the register: "CTRL[1]"; NULL: unknown. Valid during the call */
    uint32_t address;  /* absolute, in bytes */
    uint32_t value;    /* read or written */
    uint32_t reserved; /* bits that a write sets outside of all fields; 0 for reads */
    bool write;
    enum tally_pcounter_access_outcome outcome;
};

/*
 * Calls `listener` for every access from now on, in order: before a write takes effect, after a
 * read. NULL (the default): no listener; an access then only increments a counter. The listener is
 * called on the thread that accesses, and must not use the engine. `context` is passed to the
 * listener and belongs to the caller. Snapshots and tally_pcounter_copy() copy both pointers.
 */
TALLY_API void tally_pcounter_set_mmio_listener(
    struct tally_pcounter *engine,
    void (*listener)(void *context, const struct tally_pcounter_access *access), void *context);

/* Numbers of accesses since the engine was created: in total, then by outcome, except for
 * TALLY_PCOUNTER_DONE. Resets do not clear them. */
struct tally_pcounter_mmio_stats {
    uint64_t reads, writes;
    uint64_t unknown_register, read_only, write_only, reserved_bits, disabled;
};

/* Returns the numbers of accesses so far. */
TALLY_API struct tally_pcounter_mmio_stats
tally_pcounter_mmio_stats(const struct tally_pcounter *engine);

/* Resets the engine to its power-on state, as a GPU reset does (PC-D34). Time, clocks, trailer
 * bases, waves, latency and memory are kept. */
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
 * Callbacks for the memory that record mode writes to, at 40-bit virtual addresses. A packet is
 * written as one span, or as two if it crosses 4 GB (PC-D27).
 *
 * faults: returns nonzero if a byte of the span is not writable. This is a VM fault, after which
 * the domain hangs until reset (PC-D29). Called before any byte of the packet is written. NULL: all
 * addresses are writable.
 * write: stores a span. NULL: packets are discarded.
 *
 * Called from tally_pcounter_run(), on its thread; they must not use the engine. Packets of one
 * domain are written in order of time, and so are those of different domains whose buffers may
 * overlap.
 */
struct tally_pcounter_memory {
    int (*faults)(void *context, uint64_t address, size_t bytes);
    void (*write)(void *context, uint64_t address, const uint8_t *data, size_t bytes);
    void *context;
};

/* Sets the callbacks for memory. The struct is copied; its `context` belongs to the caller. NULL:
 * no memory, packets are discarded. */
TALLY_API void tally_pcounter_set_memory(struct tally_pcounter *engine,
                                         const struct tally_pcounter_memory *memory);

/* Sets the time from sending a packet to its write to memory, for packets sent from now on, in
 * clocks of the domain: 1 or more; initially 8 (PC-D25). Returns 0, or -EINVAL. */
TALLY_API int tally_pcounter_set_latency(struct tally_pcounter *engine, uint32_t clocks);

/* ---- internal state -------------------------------------------------------------------------- */

/* Internal values of a domain, some of which cannot be read through registers. .pct scripts use
 * those up to TALLY_PCOUNTER_WEDGED (PCT-2). */
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
    TALLY_PCOUNTER_BUSY,                            /* a packet is being sent */
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

/* Returns the name of a value in scripts and dumps, such as "sh_event"; NULL from
 * TALLY_PCOUNTER_VALUES on. */
TALLY_API const char *tally_pcounter_value_name(enum tally_pcounter_value value);

/* Returns the width of a value on a revision, in bits; 0: the revision does not have it. */
TALLY_API unsigned tally_pcounter_value_width(enum tally_pcounter_revision revision,
                                              enum tally_pcounter_value value);

/* Reads a value. Returns 0, or -EINVAL for an unknown domain or a value that the revision does not
 * have. */
TALLY_API int tally_pcounter_peek(const struct tally_pcounter *engine, unsigned domain,
                                  enum tally_pcounter_value value, uint64_t *out);

/*
 * Sets a counter, TALLY_PCOUNTER_CYCLES to TALLY_PCOUNTER_REC0 + 11, between two clocks. The number
 * is truncated to the counter's width. Has none of the effects of a register write. Returns 0, or
 * -EINVAL.
 */
TALLY_API int tally_pcounter_poke(struct tally_pcounter *engine, unsigned domain,
                                  enum tally_pcounter_value value, uint64_t number);

/*
 * Selects whether every input is evaluated at every clock, including those that the current mode
 * does not use, so that the TALLY_PCOUNTER_IN_... values are valid in any mode. Initially off.
 */
TALLY_API void tally_pcounter_observe(struct tally_pcounter *engine, bool all_inputs);

#ifdef __cplusplus
}
#endif

#endif
