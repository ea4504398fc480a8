/* SPDX-License-Identifier: MIT */
/* Cases in C: loops over registers or bits, and checks that are not scripts. */
#ifndef TESTS_INTEL_CONFORMANCE_ROWS_H
#define TESTS_INTEL_CONFORMANCE_ROWS_H

#include "conformance/case.h"

extern const struct conformance_case generated_register_cases_000[];
extern const size_t generated_register_case_count_000;
extern const struct conformance_case generated_register_cases_002[];
extern const size_t generated_register_case_count_002;

extern const struct conformance_case generated_format_cases_000[];
extern const size_t generated_format_case_count_000;
extern const struct conformance_case generated_format_cases_002[];
extern const size_t generated_format_case_count_002;

extern const struct conformance_case generated_counter_cases_000[];
extern const size_t generated_counter_case_count_000;
extern const struct conformance_case generated_counter_cases_002[];
extern const size_t generated_counter_case_count_002;
extern const struct conformance_case generated_counter_cases_decisions[];
extern const size_t generated_counter_case_count_decisions;

extern const struct conformance_case generated_flexible_cases_002[];
extern const size_t generated_flexible_case_count_002;

extern const struct conformance_case generated_logic_cases[];
extern const size_t generated_logic_case_count;

/* MI_REPORT_PERF_COUNT through the command streamer. */
extern const struct conformance_case command_cases_000[];
extern const size_t command_case_count_000;
extern const struct conformance_case command_cases_002[];
extern const size_t command_case_count_002;

extern const struct conformance_case command_cases_vectors[];
extern const size_t command_case_count_vectors;

/* Golden vectors: timer periods, steering, force wake. */
extern const struct conformance_case vector_cases[];
extern const size_t vector_case_count;

/* A counters and workloads. */
extern const struct conformance_case event_cases_000[];
extern const size_t event_case_count_000;
extern const struct conformance_case event_cases_002[];
extern const size_t event_case_count_002;

/* What commands make the counters count. */
extern const struct conformance_case work_cases_000[];
extern const size_t work_case_count_000;
extern const struct conformance_case work_cases_002[];
extern const size_t work_case_count_002;
extern const struct conformance_case work_cases_004[];
extern const size_t work_case_count_004;

/* The OA unit in its GPU: memory, contexts, RC6. */
extern const struct conformance_case gpu_gating_cases[];
extern const size_t gpu_gating_case_count;
extern const struct conformance_case whole_cases_000[];
extern const size_t whole_case_count_000;
extern const struct conformance_case whole_cases_002[];
extern const size_t whole_case_count_002;

/* Options, clocks, power. */
extern const struct conformance_case check_cases_000[];
extern const size_t check_case_count_000;
extern const struct conformance_case check_cases_002[];
extern const size_t check_case_count_002;
extern const struct conformance_case check_cases_decisions[];
extern const size_t check_case_count_decisions;

/* The GT around the OA unit of Lakefield. */
extern const struct conformance_case gt_range_cases[];
extern const size_t gt_range_case_count;
extern const struct conformance_case gt_steering_cases[];
extern const size_t gt_steering_case_count;
extern const struct conformance_case gt_pci_cases[];
extern const size_t gt_pci_case_count;
extern const struct conformance_case gt_interrupt_cases[];
extern const size_t gt_interrupt_case_count;

/* Report formats, flexible events, registers, records, A counters. */
extern const struct conformance_case generated_report_cases_003[];
extern const size_t generated_report_case_count_003;
extern const struct conformance_case generated_report_cases_004[];
extern const size_t generated_report_case_count_004;
extern const struct conformance_case generated_event_cases[];
extern const size_t generated_event_case_count;
extern const struct conformance_case stream_cases[];
extern const size_t stream_case_count;
extern const struct conformance_case aggregate_cases[];
extern const size_t aggregate_case_count;

/* On the whole GPU. */
extern const struct conformance_case gpu_power_cases[];
extern const size_t gpu_power_case_count;
extern const struct conformance_case gpu_world_cases[];
extern const size_t gpu_world_case_count;

#endif
