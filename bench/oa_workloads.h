/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BENCH_OA_WORKLOADS_H
#define TALLY_BENCH_OA_WORKLOADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An OA unit that is driven by a workload. */
struct workload_case {
    const char *name;
    const char *workload; /* the file */
    const char *platform;
    const char *setup; /* the unit's registers: `wr` commands of an .oat script, a line each */
    unsigned eus;
    bool whole;  /* with the phases in which the GPU is idle; else those are passed over */
    double goal; /* G clocks/s */
    uint64_t clocks;
    size_t reference_phase; /* the reference runs the beginning of that phase */
    uint64_t reference_clocks;
};

/* Times the cases whose names contain `only` (NULL: all), and prints a row for each and which
 * counters have changed. */
void workload_bench(const struct workload_case *cases, size_t count, const char *only);

#endif
