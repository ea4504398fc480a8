/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_CHOICE_H
#define TALLY_CAPTURE_CHOICE_H

#include <tally/metrics.h>

#include "capture/set.h"

/* A metric set loaded from the metric-set files, with its register writes for one GPU. */
struct set_choice {
    struct tally_catalog *catalog;
    const struct tally_metric_set *metrics;
    struct set set;
    struct set_write *writes[SET_LISTS];
};

/*
 * Finds a set by its symbol name or UUID (NULL: "RenderBasic", which every platform has) in the
 * search path of tally_catalog_new(directory). Returns 0; -ENOENT: unknown on this GPU; errors
 * of loading; -ENOMEM. Call set_choice_fini() after success and after failure.
 */
int set_choice_init(struct set_choice *choice, const struct gpu *gpu, const char *name,
                    const char *directory, struct tally_error *error);
void set_choice_fini(struct set_choice *choice);

#endif
