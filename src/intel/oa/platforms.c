/* SPDX-License-Identifier: MIT */
/* What sets the OA units apart (OA-1.0, OA-2.6 to OA-2.10; OAT-8).
 * Tiger Lake's is Ice Lake's behind another map, and OAR beside it (PERF-5.3, PERF-5.4).
 */
#include "intel/oa/unit.h"

/* C counters that can count h(0), h(1) of report block 1 and 2 (OA-D5). */
#define TAPS_HSW                                                                                   \
    {                                                                                              \
        [4] = 1, [5] = 2, [6] = 3, [7] = 4                                                         \
    }
#define TAPS_ICL                                                                                   \
    {                                                                                              \
        [1] = 1, [2] = 2, [3] = 3, [4] = 4                                                         \
    }

#define EUS(count, eus) .subslices = (count), .subslice_eus = (eus)

// clang-format off
static const struct oa_platform platforms[INTEL_MODELS] = {
    /*             layouts map   A   B  C  CEC blk shift */
    [INTEL_SNB] = {"snb",  'A', 29, 4, 12, 4, 1, 3, .half_overflows = true, .tells_lost = true},
    [INTEL_IVB] = {"ivb",  'A', 45, 4, 12, 4, 1, 0, .freezes = true, .half_overflows = true, .tells_lost = true},
    [INTEL_VLV] = {"ivb",  'A', 45, 4, 12, 4, 1, 0, .tells_lost = false},
    [INTEL_HSW] = {"hsw",  'B', 45, 8, 8,  8, 2, 0, .tells_lost = true, .taps = TAPS_HSW},
    [INTEL_BDW] = {"gen8", 'C', 36, 8, 8,  8, 2, 0, .tells_lost = true, EUS(8, 8), .taps = TAPS_HSW},
    [INTEL_CHV] = {"gen8", 'C', 36, 8, 8,  8, 2, 0, .tells_lost = true, EUS(8, 8), .taps = TAPS_HSW},
    [INTEL_SKL] = {"gen8", 'C', 36, 8, 8,  8, 2, 0, .tells_lost = true, EUS(8, 8), .taps = TAPS_HSW, .ratio_reports = true, .free_copies = true, .ratio_beats_overrun = true},
    [INTEL_ICL] = {"gen8", 'C', 36, 8, 8,  8, 2, 0, .tells_lost = true, EUS(8, 8), .taps = TAPS_ICL, .ratio_reports = true, .free_copies = true},
    [INTEL_LKF] = {"gen8", 'C', 36, 8, 8,  8, 2, 0, .tells_lost = true, EUS(8, 8), .taps = TAPS_ICL, .ratio_reports = true, .free_copies = true},
    [INTEL_TGL] = {"gen8", 'D', 36, 8, 8,  8, 2, 0, .tells_lost = true, EUS(6, 16), .taps = TAPS_ICL, .ratio_reports = true},
};
// clang-format on

const struct oa_platform *oa_platform(enum intel_model id)
{
    return &platforms[id];
}
