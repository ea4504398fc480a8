/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_CHOICE_H
#define TALLY_CAPTURE_CHOICE_H

#include <tally/metrics.h>

#include "capture/counting.h"
#include "capture/set.h"

/* A metric set loaded from the metric-set files, with its register writes for one GPU, or the plan
 * of its signals. */
struct set_choice {
    struct tally_catalog *catalog;
    const struct tally_metric_set *metrics;
    struct set set;
    struct set_write *writes[SET_LISTS];
    struct counting counting; /* of an NVIDIA GPU */
};

/* What to record. */
struct set_wanted {
    const char *name;               /* symbol name or UUID; NULL: the default */
    const char *directory;          /* of tally_catalog_new() */
    const char *const *expressions; /* of an NVIDIA GPU, in place of a set */
    size_t expression_count;
    bool split_ratios;
    const struct packet_options *packets; /* by record mode; NULL: no */
    bool modelled;                        /* the GPU is a model: sets for models only are allowed */
};

/*
 * Finds a set by its symbol name or UUID, or plans expressions. The default set is "RenderBasic",
 * which every platform of Intel has; of NVIDIA, "Overview", or the first set that the driver can
 * count.
 * Returns 0; -ENOENT: unknown on this GPU, or a set for
 * modelled GPUs only; -EINVAL: expressions or split_ratios with an Intel GPU;
 * errors of loading, of perfmon_plan_new() and of counting_of_packets(); -ENOMEM. The expressions
 * must outlive the choice. Call set_choice_fini() after success and after failure.
 */
int set_choice_init(struct set_choice *choice, const struct gpu *gpu,
                    const struct set_wanted *wanted, struct tally_error *error);
void set_choice_fini(struct set_choice *choice);

#endif
