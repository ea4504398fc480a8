/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_FILTER_H
#define TALLY_CAPTURE_FILTER_H

#include <stdbool.h>

#include <tally/platform.h>
#include <tally/report.h>

/*
 * Selects one context's reports from a stream of the whole GPU, by the kernel's rule (PERF-2.6): it
 * keeps the context's own reports, the first report after each run of them, and the reports of
 * context switches; the ids of other contexts are replaced by "idle". The deltas of the remaining
 * reports belong to the context or to none.
 */
struct filter {
    const struct tally_platform *platform;
    const struct tally_layout *layout;
    uint32_t context;
    uint32_t latest;  /* context id of the latest report that was kept */
    uint64_t skipped; /* number of reports removed */
};

/* Returns false if the reports of the platform have no context id (before Gen8). */
bool filter_supported(const struct tally_platform *platform);

struct filter filter_start(const struct tally_platform *platform, const struct tally_layout *layout,
                           uint32_t context);

/* Removes the other contexts' reports from whole records, in place. Returns the new size. */
size_t filter_records(struct filter *filter, uint8_t *records, size_t size);

#endif
