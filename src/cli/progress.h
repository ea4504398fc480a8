/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_PROGRESS_H
#define TALLY_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool on, shown;
    uint64_t started_ns;
    uint64_t next_ns; /* time of the next update */
    unsigned columns;
};

void progress_start(struct progress *progress, bool quiet);

/* A tally_progress_function for a struct progress. */
void progress_step(void *closure, uint64_t done, uint64_t total);

/* Returns whether the line has to be shown again, at most ten times a second. */
bool progress_due(struct progress *progress);

/* Shows a text. */
void progress_show(struct progress *progress, const char *line);

/* Clears the line. */
void progress_end(struct progress *progress);

#endif
