/* SPDX-License-Identifier: MIT */
#ifndef TALLY_METRICS_SUMMARY_H
#define TALLY_METRICS_SUMMARY_H

#include <tally/summary.h>

/*
 * Makes a summary of intervals pass each one, when it is over, to a summary of wider intervals, to
 * which the caller then adds no deltas: the result is the same, since sums are exact. Returns
 * false, and changes nothing, if the summaries do not fit: the wider intervals must be a multiple
 * of the others, and both without percentiles. Must be called before the first tally_summary_add();
 * tally_summary_finish() must be called for the narrower one first.
 */
bool summary_feed(struct tally_summary *summary, struct tally_summary *wider);

#endif
