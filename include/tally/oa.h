/* SPDX-License-Identifier: MIT */
#ifndef TALLY_OA_H
#define TALLY_OA_H

/*
 * A clock-exact model of Intel's Observation Architecture (OA): the counter unit of Sandy Bridge,
 * Ivy Bridge, Valleyview, Haswell, Broadwell, Cherryview, Skylake, Ice Lake, Lakefield and Tiger
 * Lake.
 *
 *     struct tally_oa *unit;
 *     tally_oa_new("hsw", &unit, &error);
 *     struct tally_number busy = tally_number_rate(7, 10);
 *     tally_oa_drive_a(unit, 0, &busy);              // what the GPU does
 *     tally_oa_write32(unit, 0x2360, 0x15);          // OACONTROL, as a driver would
 *     ...
 *     tally_oa_run(unit, 1000000);
 *
 * The unit is programmed like the hardware, by 32-bit reads and writes at documented offsets in
 * GTTMMADR. These take no time; tally_oa_run() and tally_oa_pause() advance the unit's clock.
 * docs/reference/intel-oa-hardware.md describes the hardware; docs/reference/oa-testbench.md
 * decides what the documents leave open (OA-D1 to OA-D46). Force wake, steering and interrupts are
 * part of <tally/gpu.h>: in this model every register is always accessible.
 *
 * The model has no global state, does not read the system's clock, and allocates memory in
 * tally_oa_new() only.
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

/* ---- creating a unit ------------------------------------------------------------------------- */

/*
 * Creates the unit of a GPU, by a name for tally_sku_find() ("hsw/gt3", or "hsw" for the common
 * SKU), in its power-on state: all inputs are 0, the timestamp ticks at every clock, no EUs.
 * Returns 0; -EINVAL and a message if the platform has no model or the SKU is unknown; -ENOMEM. The
 * caller frees *out.
 */
TALLY_API int tally_oa_new(const char *platform, struct tally_oa **out, struct tally_error *error);

/* Frees a unit; NULL is allowed. */
TALLY_API void tally_oa_free(struct tally_oa *unit);

/* Snapshots. tally_oa_size() returns the size of a unit in bytes; a unit may be saved and restored
 * with memcpy(). tally_oa_copy() copies the state of another unit of the same platform, and returns
 * 0 or -EINVAL. Both are shallow: data of waves and the bus belong to the caller. */
TALLY_API size_t tally_oa_size(const struct tally_oa *unit);
TALLY_API int tally_oa_copy(struct tally_oa *to, const struct tally_oa *from);

/* GT global reset (OA-D46): resets registers, counters, and a report being written; time and inputs
 * are kept. */
TALLY_API void tally_oa_reset(struct tally_oa *unit);

/* ---- inputs ---------------------------------------------------------------------------------- */

/* Drives NOA bus bit 0 to 15 from the next clock on, which is clock 0 of the wave. Returns 0 or
 * -EINVAL. */
TALLY_API int tally_oa_drive_noa(struct tally_oa *unit, unsigned bit,
                                 const struct tally_wave *wave);

/* Sets the number of events that an A counter counts at each clock, from the next clock on, which
 * is clock 0 of the number. Returns 0; -EINVAL if the platform does not have the counter, or it is
 * flexible (A7 to A20 from Gen8 on), which is driven by EU signals. Nothing is connected to a
 * counter that the SKU reserves (A33 of Ivy Bridge GT2): its events are ignored, it stays 0, and
 * tally_oa_poke() refuses it. */
TALLY_API int tally_oa_drive_a(struct tally_oa *unit, unsigned counter,
                               const struct tally_number *number);

/* Signals of an EU (OAT-5). */
enum tally_oa_eu_signal {
    TALLY_OA_FPU0,    /* 0 or 1: the pipe is active */
    TALLY_OA_FPU1,    /* 0 or 1 */
    TALLY_OA_SEND,    /* 0 or 1 */
    TALLY_OA_THREADS, /* 0 to 8: threads loaded */
    TALLY_OA_FF,      /* dispatcher of the thread: 0 none, 1 VS, 2 HS, 3 DS, 4 GS, 5 PS, 6 TS */
    TALLY_OA_KIND,    /* kind of instruction: 0 other, 1 hybrid, 2 ternary, 3 binary, 4 mov, 5 send
                         start */
    TALLY_OA_EU_SIGNALS
};

/* Maximum number of EUs, on Tiger Lake. */
#define TALLY_OA_EUS 96

/*
 * Sets the number of EUs: from 0 to those of the SKU. Call it before EUs are driven and before time
 * passes. Returns 0; -EINVAL if there are too many, or before Gen8.
 * Subslices with the same inputs are simulated once.
 */
TALLY_API int tally_oa_set_eus(struct tally_oa *unit, unsigned count);

/* Drives a signal of EU `eu`, below the number of EUs, from the next clock on. Values are truncated
 * to the signal's width. Returns 0 or -EINVAL. */
TALLY_API int tally_oa_drive_eu(struct tally_oa *unit, unsigned eu, enum tally_oa_eu_signal signal,
                                const struct tally_number *number);

/* Selects whether a C counter counts a trigger tap in place of its NOA bit (OA-D5). Returns 0, or
 * -EINVAL if the counter has no tap. */
TALLY_API int tally_oa_select_tap(struct tally_oa *unit, unsigned counter, bool tap);

/* Switches the render context (OA-D24). `valid` false: the GPU becomes idle. On Tiger Lake the
 * caller saves and restores the context's counters and registers (OAR, docs/tiger-lake.md). */
TALLY_API void tally_oa_switch_context(struct tally_oa *unit, bool valid, uint32_t id);

/* Sets the level of GO (Gen8 on); a falling edge requests a report. */
TALLY_API void tally_oa_set_go(struct tally_oa *unit, bool level);

/* Sets the clock ratios of slice and unslice, 0 to 511 (Gen9 on), and requests a report. */
TALLY_API void tally_oa_set_ratios(struct tally_oa *unit, unsigned slice, unsigned unslice);

/* Sets the address of the current command, for the report formats that contain it (HSW). */
TALLY_API void tally_oa_set_instruction(struct tally_oa *unit, uint32_t address);

/* Sets how many clocks the unit takes to write a line of 64 bytes to memory (OA-D30). Initially 0:
 * a report is written at once. */
TALLY_API void tally_oa_set_line_time(struct tally_oa *unit, uint32_t clocks);

/* Sets how many clocks each line of a report keeps the unit busy. A request within this time after
 * a report waits for its end; those that wait become one report (OA-D47). Initially 0, in a whole
 * GPU 2. */
TALLY_API void tally_oa_set_spacing(struct tally_oa *unit, uint32_t clocks);

/*
 * Adds `count` events to an A counter between two clocks, if it is counting. Does nothing if the
 * platform does not have the counter.
 */
TALLY_API void tally_oa_count(struct tally_oa *unit, unsigned counter, uint64_t count);

/*
 * Spreads `count` events of an A counter evenly over the next `clocks` clocks, in addition to those
 * of tally_oa_drive_a(). Events are lost while the counter is not counting. The remaining events
 * and clocks of an earlier call are added to the new ones. Does nothing if the platform does not
 * have the counter; a flexible counter ignores the events.
 */
TALLY_API void tally_oa_work(struct tally_oa *unit, unsigned counter, uint64_t count,
                             uint64_t clocks);

/* Sets TIMESTAMP to `start` (36 bits), and its period to `clocks` clocks, 1 or more. Returns 0;
 * -EINVAL; -EBUSY if time has passed already. */
TALLY_API int tally_oa_set_timestamp(struct tally_oa *unit, uint32_t clocks, uint64_t start);

/*
 * Changes the frequency of the clock: from now on TIMESTAMP advances timestamp_hz ticks in clock_hz
 * clocks. The elapsed part of the current tick is kept. Returns 0; -EINVAL unless
 * 1 <= timestamp_hz <= clock_hz.
 */
TALLY_API int tally_oa_set_clock(struct tally_oa *unit, uint32_t clock_hz, uint32_t timestamp_hz);

/* Behaviour that the documents leave open, or that differs between chips. Initially all false. */
enum tally_oa_option {
    TALLY_OA_START_HOLDS_A, /* A counters wait for the start trigger as well (OA-2.4, OA-U1) */
    TALLY_OA_START_HALVES,  /* HSW on: block 1 starts B0 to B3, block 2 B4 to B7 (OA-U2) */
    TALLY_OA_NO_EU_EVENTS,  /* Gen8 on: a reset sets EU_PERF_CNT_CTL to all ones: no event (OA-U23)
                             */
    TALLY_OA_INCOHERENT,    /* SNB: each line of a report is sampled when it is written, as happens
                               while memory is busy (OA-2.7); no effect if the line time is 0 */
    TALLY_OA_OPTIONS
};

/* Sets an option. Options about resets take effect at the next one. Returns 0; -EINVAL for an
 * unknown option; -ENOTSUP if the platform cannot have it. */
TALLY_API int tally_oa_set_option(struct tally_oa *unit, enum tally_oa_option option, bool on);

/* ---- registers, time, memory ----------------------------------------------------------------- */

/* MMIO at a 4-byte aligned offset. Without a register there, reads return 0 and writes are ignored.
 * Reads have no side effects. */
TALLY_API uint32_t tally_oa_read32(const struct tally_oa *unit, uint32_t address);
TALLY_API void tally_oa_write32(struct tally_oa *unit, uint32_t address, uint32_t value);

/*
 * Steered accesses. EU_PERF_CNT_CTL0 to 6 are replicated: each subslice has a copy (of n
 * EUs: EUs n * i to n * i + n - 1 are in subslice i; the subslices of slices are numbered in
 * order). tally_oa_write32() writes all copies,
 * tally_oa_read32() reads that of subslice 0. These functions write the copies of some subslices (a
 * bit each), or read that of one. At other addresses reads return 0 and writes are ignored.
 */
TALLY_API void tally_oa_write_subslices(struct tally_oa *unit, uint32_t subslices, uint32_t address,
                                        uint32_t value);
TALLY_API uint32_t tally_oa_read_subslice(const struct tally_oa *unit, unsigned subslice,
                                          uint32_t address);

/* Advances time while the render clock is stopped: TIMESTAMP and the inputs advance by `clocks`;
 * counters do not count, and no reports are written. */
TALLY_API void tally_oa_pause(struct tally_oa *unit, uint64_t clocks);

/* Runs the unit for a number of clocks. */
TALLY_API void tally_oa_run(struct tally_oa *unit, uint64_t clocks);

/* Returns the clocks since the unit was created. */
TALLY_API uint64_t tally_oa_now(const struct tally_oa *unit);

/*
 * Callbacks of the unit. They are called in order of time, on the thread that runs the unit, and
 * must not use it. Each may be NULL.
 */
struct tally_oa_bus {
    /* Writes a line of 64 bytes, or a whole report of tally_oa_report(), to memory. */
    void (*write)(void *context, uint64_t address, const uint8_t *data, size_t bytes);

    /* The report buffer has become half full (OA-D34), and OA_IMR[28] does not mask it (Gen8 on).
     */
    void (*half_full)(void *context);
    void *context;

    /* A report is requested: its number, counted from 1 since the unit was created, and whether the
     * timer is among the reasons. Returns false to lose it, as if the previous report were still
     * being written (OA-D26). */
    bool (*sample)(void *context, uint64_t report, bool timer);
};

/* Sets the callbacks. The struct is copied; its `context` belongs to the caller. */
TALLY_API void tally_oa_set_bus(struct tally_oa *unit, const struct tally_oa_bus *bus);

/* MI_REPORT_PERF_COUNT: writes a report of the current counters at once (OA-D29); on Tiger Lake, of
 * the running context's counters. */
TALLY_API void tally_oa_report(struct tally_oa *unit, uint64_t address, uint32_t id);

/* Statistics of the reports requested since the unit was created, except those of
 * tally_oa_report(): requested = written + lost + refused. */
struct tally_oa_reports {
    uint64_t requested;
    uint64_t written; /* to the report buffer; the last one may not be complete */
    uint64_t lost;    /* the previous one was being written (OA-D26), or `sample` returned false */
    uint64_t refused; /* the buffer was full (OA-D33) */
    uint64_t in_rc6; /* timer reports not requested because the unit's clock was stopped: in RC6, in
                        a power well that is down, or by clock gating */
};

TALLY_API struct tally_oa_reports tally_oa_reports(const struct tally_oa *unit);

/* ---- internal state -------------------------------------------------------------------------- */

/*
 * Reads or sets a value by name (OAT-2): "a7", "b0", "c3", "free4", "ticks", "timestamp", "start1",
 * "report2", "occ3"; on Tiger Lake "oar_a7", "oar_b0", "oar_c3" (of the running context).
 * Read-only: "started", "inflight", "wrap", "overrun", "used", "evq". Returns 0, or -EINVAL if the
 * platform does not have the value or it is read-only.
 */
TALLY_API int tally_oa_peek(const struct tally_oa *unit, const char *name, uint64_t *out);
TALLY_API int tally_oa_poke(struct tally_oa *unit, const char *name, uint64_t value);

#ifdef __cplusplus
}
#endif

#endif
