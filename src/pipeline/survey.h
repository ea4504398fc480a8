/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PIPELINE_SURVEY_H
#define TALLY_PIPELINE_SURVEY_H

#include <tally/recording.h>

/* What a recording's reports show without a metric set: contexts and reasons. */

#define SURVEY_REASONS 128

struct survey_context {
    uint32_t context;
    uint64_t reports;
    uint64_t switches; /* runs of reports of this context */
};

struct survey {
    uint64_t reasons[SURVEY_REASONS]; /* reports by their reason bits */
    struct survey_context *contexts;  /* at most 1,024, in the order of their first reports */
    size_t context_count, context_capacity;
    size_t latest;          /* of the report before */
    uint64_t other_reports; /* of further contexts */
};

/* Adds a batch, in the order of the recording. Returns 0 or -ENOMEM. {0} is an empty survey. */
int survey_add(struct survey *survey, const struct tally_batch *batch);
void survey_fini(struct survey *survey);

#endif
