/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_REPORT_LAYOUTS_H
#define TALLY_INTEL_REPORT_LAYOUTS_H

#include <tally/report.h>

/* The largest report of any layout, in bytes (640: PEC64u64_B8_C8), and in dwords. */
#define REPORT_BYTES_MAX  640
#define REPORT_DWORDS_MAX (REPORT_BYTES_MAX / 4)

extern const struct tally_layout report_layouts[];
extern const size_t report_layout_count;

#endif
