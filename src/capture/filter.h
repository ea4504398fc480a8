/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_FILTER_H
#define TALLY_CAPTURE_FILTER_H

#include <stdbool.h>

#include <tally/platform.h>
#include <tally/report.h>

/*
 * One context's reports out of a stream of the whole GPU, by the kernel's own rule (PERF-2.6): the
 * context's, the one behind each run of them, and those of context switches; others' names are
 * hidden. So the deltas of what is left are the context's, or nobody's.
 */
struct filter {
    const struct tally_platform *platform;
    const struct tally_layout *layout;
    uint32_t context;
    uint32_t latest;  /* of the report that was passed on last */
    uint64_t skipped; /* reports */
};

/* Can it be? Reports before Gen8 say nothing of contexts. */
bool filter_possible(const struct tally_platform *platform);

struct filter filter_start(const struct tally_platform *platform, const struct tally_layout *layout,
                           uint32_t context);

/* Takes whole records; what is passed on is moved together. Returns its size. */
size_t filter_records(struct filter *filter, uint8_t *records, size_t size);

#endif
