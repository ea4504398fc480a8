/* SPDX-License-Identifier: MIT */
#ifndef TESTS_CAPTURE_RECORDED_H
#define TESTS_CAPTURE_RECORDED_H

#include "testing.h"

#include <tally/recording.h>

#include "capture/emulated.h"
#include "capture/recorder.h"

/* A recording of a modelled GPU, made by the recorder and read back by the reader. */

struct recorded_report {
    uint64_t ticks;
    bool timer; /* of the timer, and not of a switch of contexts */
};

struct recorded {
    struct tally_capture_stats totals;
    struct recorded_report *reports;
    size_t count;
    uint64_t sums[TALLY_SLOT_COUNT]; /* from the first report to the last */
    uint64_t estimated;              /* what the reader's ledger says is lost */
    uint64_t timestamp_hz;
    char path[40];
};

/* EU_PERF_CNT_CTL0 to 6, as recorded_set has them. */
extern const uint32_t recorded_flexible[7];

/* What lets B and C count from the start; from Gen8 on with the flexible counters. */
struct set recorded_set(const struct tally_platform *platform);

/* Records by a machine, which stays the caller's. Fails the test if that is not possible. */
void record(struct device *machine, unsigned exponent, uint64_t duration_ns,
            struct recorded *recorded);
void recorded_free(struct recorded *recorded);

/* A machine with a modelled GPU: free clock, and a workload of the source tree. */
struct device modelled(const char *platform, const char *workload);

#endif
