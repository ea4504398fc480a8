/* SPDX-License-Identifier: MIT */
#ifndef TESTS_RECORDING_BUILD_H
#define TESTS_RECORDING_BUILD_H

#include "testing.h"

#include <tally/recording.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/ratio.h"

/* Recordings that are built in memory and read back in every way. */

/* ---- building ------------------------------------------------------------------------------ */

/* A GPU that recordings are built for: one row per report layout. */
struct gpu {
    const char *name;
    const char *layout;
    uint32_t device;
    uint32_t format; /* enum drm_i915_oa_format */
    uint32_t valid;  /* bit of the id dword that marks the context valid; 0: always valid */
    bool has_context;
    uint64_t hz; /* frequency of the OA timestamp */
};

enum gpu_kind { HSW, HSW_SMALL, SKL, TGL, DG2, OAM, OAM_SMALL, GPU_COUNT };
extern const struct gpu gpus[GPU_COUNT];

struct build {
    struct buffer bytes;
    const struct gpu *gpu;
    const struct tally_layout *layout;
    uint64_t reports; /* so far */
};

/* Begin an empty recording, and one with VERSION, DEVICE_INFO and DEVICE_TOPOLOGY. */
struct build build_empty(enum gpu_kind kind);
struct build build_start(enum gpu_kind kind);
void build_fini(struct build *build);

/* Appends a record without padding, as i915-perf-recorder does. */
void build_record(struct build *build, uint32_t type, const void *payload, size_t size);

/* Appends only a record header, whose size field may be wrong. */
void build_header(struct build *build, uint32_t type, unsigned size);

void build_version(struct build *build, uint32_t version);
void build_device(struct build *build);
void build_device_info(struct build *build, const struct tally_device_info *info);
void build_topology(struct build *build);
void build_correlation(struct build *build, uint64_t cpu_ns, uint64_t gpu_ticks);
void build_lost(struct build *build, uint32_t type, unsigned times);

/* The contents of build_device()'s DEVICE_INFO. */
struct tally_device_info build_info(const struct gpu *gpu);

/*
 * Appends a timer report: its counters follow from its number, its context is 0x1000 + number % 3.
 */
void build_report(struct build *build, uint64_t stamp);
void build_report_by(struct build *build, uint64_t stamp, unsigned reason, uint32_t context);
void build_reports(struct build *build, uint64_t stamp, uint64_t period, size_t count);

/* Append to a raw buffer: a report without record header, and a slot that was never written. */
void build_raw(struct build *build, uint64_t stamp);
void build_raw_empty(struct build *build);

/* ---- reading ------------------------------------------------------------------------------- */

/* Everything that was read from a recording. */
struct reading {
    int opened; /* result of opening */
    int ended;  /* result of the last read */
    struct tally_error error;
    size_t count;
    uint64_t *ticks;
    uint32_t *contexts;
    uint8_t *reasons;
    uint8_t *states; /* state of the delta from i to i + 1 */
    struct buffer reports;
    struct tally_loss *losses;
    size_t loss_count;
    struct tally_correlation *points;
    size_t point_count;
    struct tally_recording_totals totals;
    struct tally_recording_info info; /* `path` is not kept */
    char *provenance;
    uint64_t position;
    size_t batches;
};

enum way {
    BY_MEMORY,
    BY_INDEX, /* memory, after tally_recording_index() */
    BY_FILE,
    BY_MAP,
    BY_PIPE,
    BY_COUNT
};

/*
 * Reads everything and checks each batch: indices are consecutive, element 0 is the previous
 * report, and nothing follows the end. `options` may be NULL.
 */
void read_by(enum way way, const struct buffer *bytes,
             const struct tally_recording_options *options, struct reading *out);
void read_memory(const struct build *build, struct reading *out);

/*
 * Reads from a pipe that receives `first` bytes, then `chunk` bytes at a time (at most 4096). A
 * recording of less than 256 KiB is read in exactly these pieces.
 */
void read_pipe(const struct buffer *bytes, size_t first, size_t chunk,
               const struct tally_recording_options *options, struct reading *out);
void reading_fini(struct reading *reading);

/* Returns whether reports, states, losses, points and errors are equal. */
void assert_same_reading(const struct reading *expected, const struct reading *reading);

/* Returns the ledger's number of records of a kind. */
uint64_t records_of(const struct reading *reading, enum tally_loss_kind kind);

/* Writes the bytes to an unlinked file. The returned path is valid until close(*fd). */
void make_file(const struct buffer *bytes, char path[32], int *fd);

/* Fails with the line of the table's row. */
#define ROW_ASSERT(row, condition)                                                                 \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fail_msg("the row of line %u: %s", (row)->line, #condition);                           \
    } while (0)

#endif
