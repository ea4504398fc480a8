/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PIPELINE_SURVEY_H
#define TALLY_PIPELINE_SURVEY_H

#include <tally/recording.h>

/* Counts the reports of a recording by context and by reason; needs no metric set. */

#define SURVEY_REASONS      128
#define SURVEY_REPORT_BYTES 1088 /* of the largest PCOUNTER layout */

struct survey_context {
    uint32_t context;
    uint64_t reports;
    uint64_t switches; /* number of runs of consecutive reports of this context */
};

struct survey {
    uint64_t reasons[SURVEY_REASONS]; /* reports by reason bits */
    struct survey_context *contexts;  /* at most 1,024, in the order of their first reports */
    size_t context_count, context_capacity;
    size_t latest;          /* index of the context of the previous report */
    uint64_t other_reports; /* reports of contexts beyond the limit */

    /* Copies of the first and the latest report, of an NVIDIA GPU: `layout` is set before. */
    const struct tally_layout *layout; /* or NULL */
    uint8_t first[SURVEY_REPORT_BYTES], last[SURVEY_REPORT_BYTES];
    bool begun;
};

/* Returns the difference of a counter between the first and the latest report; 0 without them. */
uint64_t survey_delta(const struct survey *survey, unsigned slot);

/* Adds a batch, in the order of the recording. Returns 0 or -ENOMEM. {0} is an empty survey. */
int survey_add(struct survey *survey, const struct tally_batch *batch);
void survey_fini(struct survey *survey);

#endif
