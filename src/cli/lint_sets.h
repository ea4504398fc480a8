/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_LINT_SETS_H
#define TALLY_CLI_LINT_SETS_H

#include <tally/metrics.h>

/* What a file of NVIDIA's metric sets contains: different sets and counters, not for each chipset.
 */
struct lint_totals {
    size_t sets, counters, chipsets;
};

/*
 * Checks the sets of all chipsets of a YAML file. A finding about several chipsets is passed to
 * `found` once, and names them unless it is about all that have the set. Returns 0, or a negative
 * errno with a message.
 */
int lint_sets(const char *path,
              void (*found)(void *closure, enum tally_lint_severity severity, unsigned line,
                            const char *message),
              void *closure, struct lint_totals *totals, struct tally_error *error);

#endif
