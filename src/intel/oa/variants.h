/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_OA_VARIANTS_H
#define TALLY_INTEL_OA_VARIANTS_H

/* Differences between OA units. Platforms may share a variant. */

#include <stdbool.h>
#include <stdint.h>

#define C_COUNTERS 12

/* Register maps (OA-1.0; map D: PERF-5.3, PERF-5.4). */
enum oa_map {
    OA_MAP_A,
    OA_MAP_B,
    OA_MAP_C,
    OA_MAP_D, /* OAG, which counts for all contexts, and OAR, for the running one */
};

struct oa_variant {
    uint8_t map; /* enum oa_map */
    uint8_t a_count, b_count, c_count, cec_count, block_count;
    uint8_t timer_shift;  /* added to the timer's exponent */
    bool stop_resume;     /* OABUFFER[1:0] stops and resumes all counters (OA-U24) */
    bool freezes;         /* counters stop while a report is written (OA-D22) */
    bool samples_late;    /* option: lines of a report are sampled when they are written (OA-2.7) */
    bool half_overflows;  /* bit 31 of a B counter sets Counter Overflow (OA-D19) */
    bool has_report_lost; /* Report Lost is implemented (OA-D26) */
    bool wraps_in_status2;    /* OASTATUS2 has both wrap flags, and no GGTT bit */
    bool overrun_in_buffer;   /* OABUFFER has control and status bits of overrun mode */
    bool large_buffers;       /* buffer size in OASTATUS1 is 128 KiB << n, else 16 KiB x (n + 1) */
    bool always_ggtt;         /* the report buffer is in the GGTT */
    bool ratio_reports;       /* clock ratios and their reports, OA_DEBUG */
    bool free_copies;         /* free-running copies of A4, A6, A19 and A20 exist */
    bool ratio_beats_overrun; /* clock ratio reports are written even if the buffer is full (OA-D33)
                               */
    uint8_t busy;             /* A counter that counts while the GPU is busy (OA-2.13) */
    bool busy_while_stalled;  /* also during context switches, semaphores and events */
    bool busy_with_any;       /* also while only other engines work */
    uint16_t noa_clock;       /* NOA bits that carry the render clock */
    bool gates;               /* clock gating stops the unit or changes what it counts (OA-14.6) */
    uint32_t eu_gated; /* A counters of EUs that do not execute, which EU clock gating stops */
    uint8_t subslices; /* maximum of all SKUs; 0: no model of single EUs */
    uint8_t taps[C_COUNTERS]; /* tap of each C counter: 1 + 2 * block + h; 0: none (OA-D5) */
};

/* Variants are named after the first platform that has them. */
extern const struct oa_variant oa_snb, oa_ivb, oa_vlv, oa_hsw, oa_bdw, oa_skl, oa_icl, oa_tgl;

#endif
