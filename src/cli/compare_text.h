/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_COMPARE_TEXT_H
#define TALLY_CLI_COMPARE_TEXT_H

/* Descriptions of the commands compare and check. */

// clang-format off
#define COMPARE_TEXT \
    "Compares the recording B with A, or with --baseline one recording or several with " \
    "those of the baseline. A directory stands for all recordings in it.\n\n" \
    "First come differences of the recordings: losses, the device, the metric set, the " \
    "period, the length, the frequency of the GPU. Then, in total and for each group of " \
    "--by, the counters that have changed, those that have changed most first: the mean of " \
    "each side, half of the interquartile range of its samples, the change, Cliff's delta " \
    "(1: all of B is above A), and the probability of such a difference by chance. A " \
    "number of events is compared as a rate per second, and a time as a share of it.\n\n" \
    "A change is significant if its probability is below --alpha, by a Mann-Whitney test " \
    "of samples of both sides, merged until neighbours do not depend on each other, and " \
    "corrected for the number of counters by Holm's method " \
    "(docs/compare.md). A change below 0.5 % is not listed.\n\n" \
    "Exits with 1 if a significant change passes a --threshold."

#define CHECK_TEXT \
    "A CONDITION is a counter, a comparison and a bound: 'EuActive > 60%', with a " \
    "statistic 'p95(GpuBusy) <= 99%' (overall, min, mean, p50, p95, p99, max, sum; default " \
    "mean), as a rate 'SamplerTexels < 2 G/s', of a phase, context or frame 'EuStall < 20% " \
    "in every phase', or 'in phase 2'. 'EuActive within 5%' is within 5 % of the recording " \
    "of --baseline, +5% at most 5 % more, -5% at most 5 % less. --budget reads conditions " \
    "from a file. --by is the place of conditions without one.\n\n" \
    "A line states each condition that is not met: the number, the bound and where. A " \
    "value that is missing is a failure. If data were lost, a condition that would be met " \
    "is inconclusive, which is a failure too, unless no more than --allow-lost was lost.\n" \
    "\n" \
    "Exits with 1 if a condition is not met. -f junit and -f tap are for CI. Unknown " \
    "counters are errors.\n\n"
// clang-format on

#endif
