/* SPDX-License-Identifier: MIT */
/* The OA units (OA-1.0, OA-2.6 to OA-2.10, OAT-8). Tiger Lake's is that of Ice Lake with another
 * register map, and OAR (PERF-5.3, PERF-5.4). */
#include "intel/oa/variants.h"

/* C counters that can count h(0), h(1) of report trigger blocks 1 and 2 (OA-D5). */
#define TAPS_HSW .taps = {[4] = 1, [5] = 2, [6] = 3, [7] = 4}
#define TAPS_ICL .taps = {[1] = 1, [2] = 2, [3] = 3, [4] = 4}

#define SUBSLICES(count) .subslices = (count)

/* NOA bit 10 carries the render clock. The NOA network is undocumented and not modelled, but HSW's
 * reports have no clock counter, and metric sets read the clock from C2 (IGT-1.5, IGT-3.1). */
#define CLOCK_ON_C2 .noa_clock = 1u << 10

/* Document 000 describes clock gating. On SNB the workaround "EU clock gating must be disabled"
 * applies: the counters of stalled, loaded and ready EUs are A1, A3, A4, A6, A8, A9, A11, A13, A14
 * and A16. */
#define GATES    .gates = true
#define EU_GATED 0x16b5au

// clang-format off
/*                                     map      A   B  C  CEC blocks shift */
const struct oa_variant oa_snb = {OA_MAP_A, 29, 4, 12, 4, 1, 3, .samples_late = true, .half_overflows = true, .has_report_lost = true, .busy = 26, .busy_while_stalled = true, GATES, .eu_gated = EU_GATED};
const struct oa_variant oa_ivb = {OA_MAP_A, 45, 4, 12, 4, 1, 0, .stop_resume = true, .freezes = true, .half_overflows = true, .has_report_lost = true, .busy = 41, GATES};
const struct oa_variant oa_vlv = {OA_MAP_A, 45, 4, 12, 4, 1, 0, .stop_resume = true, .busy = 41, GATES};
const struct oa_variant oa_hsw = {OA_MAP_B, 45, 8, 8,  8, 2, 0, .stop_resume = true, .has_report_lost = true, .wraps_in_status2 = true, .overrun_in_buffer = true, .large_buffers = true, .always_ggtt = true, CLOCK_ON_C2, TAPS_HSW, .busy = 41, GATES};
const struct oa_variant oa_bdw = {OA_MAP_C, 36, 8, 8,  8, 2, 0, .has_report_lost = true, SUBSLICES(6), TAPS_HSW};
const struct oa_variant oa_skl = {OA_MAP_C, 36, 8, 8,  8, 2, 0, .has_report_lost = true, SUBSLICES(9), TAPS_HSW, .ratio_reports = true, .free_copies = true, .ratio_beats_overrun = true};
const struct oa_variant oa_icl = {OA_MAP_C, 36, 8, 8,  8, 2, 0, .has_report_lost = true, SUBSLICES(8), TAPS_ICL, .ratio_reports = true, .free_copies = true, .busy_while_stalled = true, .busy_with_any = true};
const struct oa_variant oa_tgl = {OA_MAP_D, 36, 8, 8,  8, 2, 0, .has_report_lost = true, SUBSLICES(6), TAPS_ICL, .ratio_reports = true, .busy_while_stalled = true, .busy_with_any = true};
// clang-format on
