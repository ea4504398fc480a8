/* SPDX-License-Identifier: MIT */
#ifndef TESTS_DRIVER_MMIO_RIG_H
#define TESTS_DRIVER_MMIO_RIG_H

/* A modelled GPU with the driver that only uses registers. The test sees each line that the unit
 * writes, and can delay or drop it. */

#include "testing.h"

#include <tally/report.h>

#include "base/bits.h"
#include "emulation/emulation.h"
#include "intel/platforms.h"

#define MS         UINT64_C(1000000)
#define LINE_BYTES 64u

struct mmio_line {
    uint64_t address, due_ns;
    bool landed;
    uint8_t bytes[LINE_BYTES];
};

struct mmio_rig {
    const struct intel_platform *platform;
    struct emulation *emulation;
    struct mmio_stream *stream;
    const struct tally_layout *layout;

    /* All lines that the unit has written, in order; those before `landed` are in memory. */
    struct mmio_line *lines;
    size_t line_count, landed;
    uint64_t delay_ns;       /* from a write to its arrival in memory */
    size_t drop_from, drops; /* lines that never arrive */

    uint8_t records[1 << 20];
    size_t size;
};

/* Makes a rig of a platform with a workload of data/workloads, or NULL, and frees it. */
struct mmio_rig *mmio_rig_new(const char *platform, const char *workload);
struct mmio_rig *mmio_rig_new_gpu(const struct tally_gpu_config *gpu, const char *workload);
void mmio_rig_free(struct mmio_rig *rig);

/* Returns the platform's layout with the most counters. */
const struct tally_layout *mmio_rig_layout(const struct intel_platform *platform);

/* Open a stream, by default in that layout; the second fails the test on an error. */
int mmio_rig_try(struct mmio_rig *rig, const struct mmio_stream_options *options,
                 struct tally_error *error);
void mmio_rig_open(struct mmio_rig *rig, const struct mmio_stream_options *options);

/* Runs the GPU in steps of at most 20 us, so that delayed lines arrive in time. */
void mmio_rig_run(struct mmio_rig *rig, uint64_t ns);

/* What was read; `zero`: samples whose id and timestamp are 0. */
struct mmio_found {
    unsigned samples, report_lost, buffer_lost, zero;
    int64_t result;
};

/* Reads at most `size` bytes, or all, and checks the framing. */
struct mmio_found mmio_rig_read(struct mmio_rig *rig, size_t size);
struct mmio_found mmio_rig_read_all(struct mmio_rig *rig);

/* Compares the samples that were read with the lines that the unit wrote, from report `*next` on.
 * Returns the number of wrong lines. */
unsigned mmio_rig_compare(const struct mmio_rig *rig, size_t *next);

/* Returns the period in ns of an exponent. */
uint64_t mmio_rig_period_ns(const struct mmio_rig *rig, unsigned exponent);

#endif
