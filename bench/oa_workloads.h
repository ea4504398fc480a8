/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BENCH_OA_WORKLOADS_H
#define TALLY_BENCH_OA_WORKLOADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An OA unit that is driven by a workload. */
struct workload_case {
    const char *name;
    const char *workload; /* workload file */
    const char *platform;
    const char *setup; /* setup of the unit: `wr` commands of an .oat script, one per line */
    unsigned eus;
    bool whole;  /* run idle phases, too; else they are skipped */
    double goal; /* G clocks/s */
    uint64_t clocks;
    size_t reference_phase; /* the reference runs the start of this phase */
    uint64_t reference_clocks;
};

/* Times the cases whose names contain `only` (NULL: all). Prints a row for each, and the counters
 * that changed. */
void workload_bench(const struct workload_case *cases, size_t count, const char *only);

#endif
