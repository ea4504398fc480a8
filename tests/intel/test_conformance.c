/* SPDX-License-Identifier: MIT */
/* The statements of the hardware documents, tested on the model and on the reference; and
 * docs/oa-conformance.md, which lists them. */
#include "intel/tests.h"

#include "intel/conformance/gpu_check.h"
#include "intel/conformance/language.h"
#include "intel/conformance/rows.h"

/* Sections of the documents, in the order of the documents and of the list. */
static const char *const sections_000[] = {
    "Observability Overview",
    "Performance Event Counting",
    "Performance Counter Reporting",
    "Performance Counter Report Formats",
    "Aggregating Counters",
    "MI_REPORT_PERF_COUNT",
    "Performance Statistics Registers",
    "OACONTROL",
    "OASTATUS1",
    "OASTATUS2",
    "OABUFFER",
    "CEC0-0 to CEC7-1",
    "OAPERF_A0 to OAPERF_B7",
};
static const char *const sections_002[] = {
    "Performance Visibility",     "Performance Counter Registers",  "Performance Counter Reporting",
    "MI_REPORT_PERF_COUNT",       "Aggregating Counters",           "Flexible EU Event Counters",
    "Supported Increment Events", "Supported Coarse Event Filters", "Fine Event Filters",
};

static const char *const sections_003[] = {
    "Records",
    "I915_OA_FORMAT_A45_B8_C8",
    "I915_OA_FORMAT_A32u40_A4u32_B8_C8",
    "Reason field",
};
static const char *const sections_004[] = {
    "Overview",
    "GT Engine Interrupts",
    "Hardware Scheduler/MinIA SW Interface",
    "Host SW Interface",
    "Interrupt Aggregating Logic",
    "First Level Interrupt Bits",
    "Second Level Interrupt Bits",
    "Shared IIR, Selector",
    "Enable and Mask Registers",
    "Uncore Registers",
    "PCI Device Registers",
    "Force Wake and Steering Table",
    "Multicast Steering and Die Recovery",
    "SW Virtualization Reserved MMIO range",
    "DFD Configuration Restore",
    "Performance Event Counting",
    "OA Programming Guidelines",
    "Performance Counter Registers",
    "OA Interrupt Control Registers",
    "Performance Counter Report Formats",
    "Performance Counter Reporting",
    "Details of Start Trigger Behavior",
    "Configuration of Trigger Logic",
    "Context Switch Triggered Reports",
    "Frequency Change Triggered Reports",
    "Aggregating Counters",
    "Supported Increment Events",
    "Supported Coarse Event Filters",
    "Fine Event Filters",
    "Flexible EU Event Config Registers",
    "Custom Event Counters",
    "MI_REPORT_PERF_COUNT",
};

/* conformance/README.md describes them. */
static const struct conformance_document documents[] = {
    {.name = "000", .sections = sections_000, .section_count = COUNT(sections_000)},
    {.name = "002", .sections = sections_002, .section_count = COUNT(sections_002)},
    {.name = "003", .sections = sections_003, .section_count = COUNT(sections_003)},
    {.name = "004", .sections = sections_004, .section_count = COUNT(sections_004)},
    {.name = "vectors"},
    {.name = "decisions"},
    {.name = "unconfirmed", .errata = true},
    {.name = "errata", .errata = true},
};

static const struct conformance_rows generated[] = {
    {generated_register_cases_000, &generated_register_case_count_000},
    {generated_register_cases_002, &generated_register_case_count_002},
    {generated_format_cases_000, &generated_format_case_count_000},
    {generated_format_cases_002, &generated_format_case_count_002},
    {generated_counter_cases_000, &generated_counter_case_count_000},
    {generated_counter_cases_002, &generated_counter_case_count_002},
    {generated_counter_cases_decisions, &generated_counter_case_count_decisions},
    {generated_flexible_cases_002, &generated_flexible_case_count_002},
    {generated_logic_cases, &generated_logic_case_count},
    {command_cases_000, &command_case_count_000},
    {gt_range_cases, &gt_range_case_count},
    {gt_steering_cases, &gt_steering_case_count},
    {gt_pci_cases, &gt_pci_case_count},
    {gt_interrupt_cases, &gt_interrupt_case_count},
    {generated_report_cases_003, &generated_report_case_count_003},
    {generated_report_cases_004, &generated_report_case_count_004},
    {generated_event_cases, &generated_event_case_count},
    {stream_cases, &stream_case_count},
    {aggregate_cases, &aggregate_case_count},
    {gpu_power_cases, &gpu_power_case_count},
    {gpu_world_cases, &gpu_world_case_count},
    {command_cases_002, &command_case_count_002},
    {command_cases_vectors, &command_case_count_vectors},
    {vector_cases, &vector_case_count},
    {event_cases_000, &event_case_count_000},
    {event_cases_002, &event_case_count_002},
    {work_cases_000, &work_case_count_000},
    {work_cases_002, &work_case_count_002},
    {work_cases_004, &work_case_count_004},
    {gpu_gating_cases, &gpu_gating_case_count},
    {whole_cases_000, &whole_case_count_000},
    {whole_cases_002, &whole_case_count_002},
    {check_cases_000, &check_case_count_000},
    {check_cases_002, &check_case_count_002},
    {check_cases_decisions, &check_case_count_decisions},
};

static bool uses_gpu(const struct conformance_case *row)
{
    return row->check_row == on_gpu || row->check_row == event_counts;
}

static const char *const stored[] = {"004-PCI-12", NULL};

static const struct conformance_suite suite = {
    .language = &oa_language,
    .folder = "tests/intel/conformance",
    .list = "docs/oa-conformance.md",
    .heading = "platforms",
    .documents = documents,
    .document_count = COUNT(documents),
    .generated = generated,
    .generated_count = COUNT(generated),
    .in_machine = uses_gpu,
    .stored = stored,
};

int test_conformance(void)
{
    return conformance_test(&suite);
}
