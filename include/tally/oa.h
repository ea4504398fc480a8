/* SPDX-License-Identifier: MIT */
#ifndef TALLY_OA_H
#define TALLY_OA_H

/*
 * Intel's Observation Architecture (OA) as a clock-exact model to embed: the counter unit of Sandy
 * Bridge, Ivy Bridge, Valleyview, Haswell, Broadwell, Cherryview, Skylake, Ice Lake, Lakefield and
 * Tiger Lake.
 *
 *     struct tally_oa *unit;
 *     tally_oa_new("hsw", &unit, &error);
 *     struct tally_number busy = tally_number_rate(7, 10);
 *     tally_oa_drive_a(unit, 0, &busy);              // what the GPU does
 *     tally_oa_write32(unit, 0x2360, 0x15);          // OACONTROL, as a driver would
 *     ...
 *     tally_oa_run(unit, 1000000);
 *
 * The unit is programmed like hardware, by 32-bit reads and writes at documented offsets in
 * GTTMMADR. They take no time; only tally_oa_run() moves the one clock that everything runs on.
 * docs/reference/intel-oa-hardware.md says what the hardware does, oa-testbench.md beside it
 * decides what that leaves open (OA-D1 to OA-D46). Force wake, steering and interrupts are not
 * here: the unit always answers.
 *
 * The model is pure: no globals, no wall clock, nothing allocated after _new; a copy is a snapshot.
 * Thread rule: a unit is used by one thread at a time; different units are independent.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>
#include <tally/version.h>
#include <tally/wave.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tally_oa;

/* ---- making one ------------------------------------------------------------------------------ */

/*
 * The unit of a platform ("snb", "ivb", "vlv", "hsw", "bdw", "chv", "skl", "icl", "lkf",
 * "tgl") at power-on: all inputs 0, a timestamp tick at every clock, no EUs. Returns 0; -EINVAL and
 * a message if the platform has no model; -ENOMEM. *out is the caller's, to be freed.
 */
TALLY_API int tally_oa_new(const char *platform, struct tally_oa **out, struct tally_error *error);

/* Frees it; NULL is allowed. */
TALLY_API void tally_oa_free(struct tally_oa *unit);

/* Snapshots: bytes of a unit, which can be copied and copied back, and a copy between two units of
 * one platform (-EINVAL if they differ). What the unit points to is not copied. */
TALLY_API size_t tally_oa_size(const struct tally_oa *unit);
TALLY_API int tally_oa_copy(struct tally_oa *to, const struct tally_oa *from);

/* GT global reset (OA-D46): registers, counters and everything under way; time and inputs stay. */
TALLY_API void tally_oa_reset(struct tally_oa *unit);

/* ---- what drives it -------------------------------------------------------------------------- */

/* NOA bus bit 0 to 15, from the next clock on, which is the wave's clock 0. 0, or -EINVAL. */
TALLY_API int tally_oa_drive_noa(struct tally_oa *unit, unsigned bit,
                                 const struct tally_wave *wave);

/* What an A counter counts at each clock. counter: as many as the platform has, from Gen8 on
 * without the flexible ones, A7 to A20. 0, or -EINVAL. */
TALLY_API int tally_oa_drive_a(struct tally_oa *unit, unsigned counter,
                               const struct tally_number *number);

/* Signals of an EU (OAT-5). */
enum tally_oa_eu_signal {
    TALLY_OA_FPU0,    /* 0 or 1: the pipe is active */
    TALLY_OA_FPU1,    /* 0 or 1 */
    TALLY_OA_SEND,    /* 0 or 1 */
    TALLY_OA_THREADS, /* 0 to 8: threads loaded */
    TALLY_OA_FF,      /* 0 none, 1 VS, 2 HS, 3 DS, 4 GS, 5 PS, 6 TS: who dispatched the thread */
    TALLY_OA_KIND,    /* 0 other, 1 hybrid, 2 ternary, 3 binary, 4 mov, 5 send start */
    TALLY_OA_EU_SIGNALS
};

#define TALLY_OA_EUS 96

/*
 * How many EUs there are, 0 to 64, eight a subslice, or on Tiger Lake 0 to 96, sixteen a dual
 * subslice; before any other call but those about clocks.
 * From Gen8 on. Subslices that are driven alike cost as much as one.
 */
TALLY_API int tally_oa_set_eus(struct tally_oa *unit, unsigned count);

/* One signal of an EU. Values past the signal's largest are cut to its bits. 0, or -EINVAL. */
TALLY_API int tally_oa_drive_eu(struct tally_oa *unit, unsigned eu, enum tally_oa_eu_signal signal,
                                const struct tally_number *number);

/* Lets a C counter count a trigger tap in place of its NOA bit (OA-D5). 0, or -EINVAL: no tap
 * there.
 */
TALLY_API int tally_oa_select_tap(struct tally_oa *unit, unsigned counter, bool tap);

/* A render context switch (OA-D24). `valid` false: the GPU goes idle. On Tiger Lake the
 * context's own counters and their registers (OAR, docs/tiger-lake.md) are to be saved and
 * loaded by who switches: this leaves them as they are. */
TALLY_API void tally_oa_switch_context(struct tally_oa *unit, bool valid, uint32_t id);

/* The level of GO (Gen8 on); falling asks for a report. */
TALLY_API void tally_oa_set_go(struct tally_oa *unit, bool level);

/* Clock ratios of slice and unslice, 0 to 511 (Gen9 on); asks for a report. */
TALLY_API void tally_oa_set_ratios(struct tally_oa *unit, unsigned slice, unsigned unslice);

/* The command parser's address, for formats that hold it (HSW). */
TALLY_API void tally_oa_set_instruction(struct tally_oa *unit, uint32_t address);

/* Clocks that a line of 64 bytes of a report takes to memory, 0 at first: at once (OA-D30). */
TALLY_API void tally_oa_set_line_time(struct tally_oa *unit, uint32_t clocks);

/*
 * Events of an A counter that happen at once, between two clocks: it gets `count` more if it counts
 * now. A counter that the platform has not counts nothing.
 */
TALLY_API void tally_oa_count(struct tally_oa *unit, unsigned counter, uint64_t count);

/*
 * Events of an A counter that are spread evenly over the next `clocks` clocks, beside those of
 * tally_oa_drive_a(); each counts if the counter counts then. Work that is not done goes on, and
 * both end when both are done. A counter that the platform has not, or that is flexible, counts
 * nothing.
 */
TALLY_API void tally_oa_work(struct tally_oa *unit, unsigned counter, uint64_t count,
                             uint64_t clocks);

/* TIMESTAMP ticks once every `clocks` clocks and reads `start` now (36 bits). clocks: 1 or more;
 * -EINVAL; -EBUSY once time has moved. */
TALLY_API int tally_oa_set_timestamp(struct tally_oa *unit, uint32_t clocks, uint64_t start);

/*
 * The clock has another frequency from now on: TIMESTAMP keeps its own, timestamp_hz ticks in
 * clock_hz clocks, and what has passed of a tick. 1 <= timestamp_hz <= clock_hz, or -EINVAL.
 */
TALLY_API int tally_oa_set_clock(struct tally_oa *unit, uint32_t clock_hz, uint32_t timestamp_hz);

/* Where documents leave a choice, or chips differ. All false at first. */
enum tally_oa_option {
    TALLY_OA_START_HOLDS_A, /* A counters wait for the start trigger, too (OA-2.4, OA-U1) */
    TALLY_OA_START_HALVES,  /* HSW on: block 1 starts B0 to B3, block 2 B4 to B7 (OA-U2) */
    TALLY_OA_NO_EU_EVENTS,  /* EU_PERF_CNT_CTL are all ones after a reset: no event (OA-U23) */
    TALLY_OA_INCOHERENT,    /* each line of a report is sampled when it is written, as on SNB while
                               memory is busy (OA-2.7); differs with a line time only */
    TALLY_OA_OPTIONS
};

/* 0, or -EINVAL: no such option. Those about resets act at the next one. */
TALLY_API int tally_oa_set_option(struct tally_oa *unit, enum tally_oa_option option, bool on);

/* ---- registers, time, memory ----------------------------------------------------------------- */

/* MMIO at a 4-byte aligned offset. Where there is no register, reads give 0 and writes are ignored.
 * Reads change nothing. */
TALLY_API uint32_t tally_oa_read32(const struct tally_oa *unit, uint32_t address);
TALLY_API void tally_oa_write32(struct tally_oa *unit, uint32_t address, uint32_t value);

/*
 * EU_PERF_CNT_CTL0 to 6 are replicated, a copy in each subslice (EUs 8i to 8i + 7 are subslice i):
 * tally_oa_write32() multicasts, tally_oa_read32() reads subslice 0. These reach one or some, as
 * steering does. subslices: a bit each. Other addresses: reads give 0, writes are ignored.
 */
TALLY_API void tally_oa_write_subslices(struct tally_oa *unit, uint32_t subslices, uint32_t address,
                                        uint32_t value);
TALLY_API uint32_t tally_oa_read_subslice(const struct tally_oa *unit, unsigned subslice,
                                          uint32_t address);

/* Time without the render clock: TIMESTAMP goes on, and the inputs' clocks; nothing counts, and
 * there are no reports. */
TALLY_API void tally_oa_pause(struct tally_oa *unit, uint64_t clocks);

/* Lets clocks pass. */
TALLY_API void tally_oa_run(struct tally_oa *unit, uint64_t clocks);

/* Clocks passed since it was made. */
TALLY_API uint64_t tally_oa_now(const struct tally_oa *unit);

/*
 * What the unit reaches. write: 64 bytes, or a whole report of tally_oa_report(), at an address;
 * NULL: they go nowhere. half_full: the report buffer has become half full (OA-D34), unless
 * OA_IMR[28] masks it (Gen8 on); may be NULL. Called in order of time; they must not use the unit.
 */
struct tally_oa_bus {
    void (*write)(void *context, uint64_t address, const uint8_t *data, size_t bytes);
    void (*half_full)(void *context);
    void *context;

    /* A report is asked for, the n-th since the unit was made, from 1; by the timer, perhaps
     * among others. False: the unit loses it, as if the one before were still under way
     * (OA-D26). NULL: it loses no other ones. */
    bool (*sample)(void *context, uint64_t report, bool timer);
};

TALLY_API void tally_oa_set_bus(struct tally_oa *unit, const struct tally_oa_bus *bus);

/* MI_REPORT_PERF_COUNT: writes a report of the present counters at once (OA-D29); on Tiger Lake
 * of the running context's own. */
TALLY_API void tally_oa_report(struct tally_oa *unit, uint64_t address, uint32_t id);

/* What became of the reports that were asked for since the unit was made; those of
 * tally_oa_report() are not among them. */
struct tally_oa_reports {
    uint64_t asked;
    uint64_t written; /* begun to be, into the buffer */
    uint64_t lost;    /* the one before was under way (OA-D26), or the bus's `sample` said so */
    uint64_t refused; /* there was no room (OA-D33) */
    uint64_t slept;   /* not asked for: the timer's, while the unit's clock stood still in RC6 */
};

TALLY_API struct tally_oa_reports tally_oa_reports(const struct tally_oa *unit);

/* ---- looking inside -------------------------------------------------------------------------- */

/*
 * Values by name (OAT-2): "a7", "b0", "c3", "free4", "ticks", "timestamp",
 * "start1", "report2", "occ3", on Tiger Lake "oar_a7", "oar_b0", "oar_c3" (the running context's
 * own), and to read only "started", "inflight", "wrap", "overrun", "used", "evq". Returns 0, or
 * -EINVAL: the platform has no such value, or it cannot be set.
 */
TALLY_API int tally_oa_peek(const struct tally_oa *unit, const char *name, uint64_t *out);
TALLY_API int tally_oa_poke(struct tally_oa *unit, const char *name, uint64_t value);

#ifdef __cplusplus
}
#endif

#endif
