/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_ADVISE_H
#define TALLY_CLI_ADVISE_H

#include "cli/cli.h"
#include "pipeline/pipeline.h"
#include "sink/write.h"

/*
 * tally report --advise: judges each group, and writes statements as a table or JSON Lines. The
 * total has the time of each verdict. Prints errors of the rules. Returns an exit code for them, or
 * sets *result to that of reading, with *error.
 */
int advise(const struct writing *writing, struct tally_pipeline *pipeline, enum tally_group_by by,
           uint64_t interval_ticks, int *result, struct tally_error *error);

#endif
