/* SPDX-License-Identifier: MIT */
#ifndef TESTS_INTEL_TESTS_H
#define TESTS_INTEL_TESTS_H

#include "testing.h"

#include <errno.h>

#include <inttypes.h>

#include <tally/platform.h>
#include <tally/report.h>

/* Each file's group of tests; returns how many failed. */
int test_layouts(void);
int test_offsets(void);
int test_accumulate(void);
int test_identity(void);
int test_platforms(void);
int test_topology(void);
int test_cs_commands(void);
int test_cs_streamer(void);
int test_cs_batches(void);
int test_cs_random(void);
int test_gt_interrupts(void);
int test_gt_forcewake(void);
int test_gt_routing(void);
int test_gt_pci(void);
int test_gt_power(void);
int test_conformance(void);
int test_gpu_commands(void);
int test_gpu_mmio(void);
int test_gpu_power(void);
int test_gpu_time(void);
int test_gpu_faults(void);
int test_oa(void);
int test_oa_options(void);
int test_noa(void);
int test_metric_sets(void);
int test_testoa(void);
int test_workload(void);
int test_workload_files(void);
int test_workload_units(void);

/* Slots by the documents' names. */
#define ID         TALLY_SLOT_ID
#define TIME       TALLY_SLOT_TIMESTAMP
#define TIME_UPPER TALLY_SLOT_TIMESTAMP_UPPER
#define CONTEXT    TALLY_SLOT_CONTEXT
#define TICKS      TALLY_SLOT_TICKS
#define INST_ADD   TALLY_SLOT_INSTRUCTION
#define A(n)       (TALLY_SLOT_A + (n))
#define B(n)       (TALLY_SLOT_B + (n))
#define C(n)       (TALLY_SLOT_C + (n))
#define PEC(n)     (TALLY_SLOT_PEC + (n))

/* Larger than the report of any layout. */
#define REPORT_ROOM 1024

#endif
