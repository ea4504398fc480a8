/* SPDX-License-Identifier: MIT */
#ifndef TESTS_CAPTURE_RECORDED_H
#define TESTS_CAPTURE_RECORDED_H

#include "testing.h"

#include <tally/recording.h>

#include "capture/emulated.h"
#include "capture/recorder.h"
#include "capture/run.h"

/* A recording of a modelled GPU, made by the recorder and read back by the reader. */

struct recorded_report {
    uint64_t ticks;
    bool timer; /* reason timer, not context switch */
};

struct recorded {
    struct tally_capture_stats totals;
    struct recorded_report *reports;
    size_t count;
    uint64_t sums[TALLY_SLOT_COUNT]; /* from the first report to the last */
    uint64_t estimated;              /* lost reports in the reader's ledger */
    uint64_t timestamp_hz;
    char path[40];
};

/* EU_PERF_CNT_CTL0 to 6, as recorded_set has them. */
extern const uint32_t recorded_flexible[7];

/* A set in which B and C counters count at once; from Gen8 on with flexible counters. */
struct set recorded_set(const struct tally_platform *platform);

/* Records on a machine, which the caller owns. Fails the test on error. */
void record(struct device *machine, unsigned exponent, uint64_t duration_ns,
            struct recorded *recorded);
void recorded_free(struct recorded *recorded);

/* Makes a machine with a modelled GPU, the free clock, and a workload of the source tree. */
struct device modelled(const char *platform, const char *workload);

#endif
