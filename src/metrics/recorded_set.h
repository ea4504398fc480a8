/* SPDX-License-Identifier: MIT */
#ifndef TALLY_METRICS_RECORDED_SET_H
#define TALLY_METRICS_RECORDED_SET_H

#include <tally/metrics.h>
#include <tally/recording.h>

/* The symbol of the set that every recording of an NVIDIA GPU has: what its SIGNALS record names.
 */
#define RECORDED_SET "Signals"

/*
 * Makes a metric set of the SIGNALS record, for recordings of expressions: of each signal the share
 * of its domain's clocks and the count; of an integer the sum and the mean; and the clocks of each
 * domain. Returns 0 and a file with this set, which the caller frees; -ENOMEM.
 */
int recorded_set_new(const struct tally_recording_info *info, struct tally_metric_file **out,
                     struct tally_error *error);

/* Checks that the signals of a recording are those of a metric set, in its order. Returns 0, or
 * -EBADMSG with a message. */
int recorded_set_check(const struct tally_recording_info *info, const struct tally_metric_set *set,
                       struct tally_error *error);

#endif
