/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_REPORT_LAYOUTS_H
#define TALLY_INTEL_REPORT_LAYOUTS_H

#include <tally/report.h>

/* The largest report of any layout, in bytes (1088: a64_c64 of NVIDIA GPUs), and in dwords. */
#define REPORT_BYTES_MAX  1088
#define REPORT_DWORDS_MAX (REPORT_BYTES_MAX / 4)

extern const struct tally_layout report_layouts[];
extern const size_t report_layout_count;

#endif
