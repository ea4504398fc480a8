/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_PLATFORMS_H
#define TALLY_INTEL_PLATFORMS_H

#include <tally/platform.h>

/* A run of PCI device ids that share a platform and a metric-set chipset name. */
struct device_row {
    const char *platform;
    const char *chipset;
    uint16_t ids[32]; /* ends at the first 0 */
};

extern const struct device_row device_rows[];
extern const size_t device_row_count;

#endif
