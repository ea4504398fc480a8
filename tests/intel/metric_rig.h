/* SPDX-License-Identifier: MIT */
#ifndef TESTS_INTEL_METRIC_RIG_H
#define TESTS_INTEL_METRIC_RIG_H

/* A counter unit and the NOA registers beside it, for metric sets to be programmed into. */

#include "intel/tests.h"

#include <tally/metrics.h>
#include <tally/oa.h>

#include "intel/oa/noa.h"
#include "intel/registers.h"

/* Where a write of a metric set landed. */
enum landing {
    LANDED_OA,
    LANDED_FLEX,
    LANDED_NOA,
    LANDED_PORT,
    LANDED_GT,
    LANDED_NOWHERE,
    LANDINGS
};

struct metric_rig {
    enum intel_revision platform;
    struct tally_oa *unit;
    struct noa noa;
};

void rig_open(struct metric_rig *rig, enum intel_revision platform);
void rig_close(struct metric_rig *rig);
void rig_reset(struct metric_rig *rig);

/* Writes a register, and returns where the value landed: also nowhere if the value cannot be read
 * back there, or if a port has not noticed. GT registers are found, not written. */
enum landing rig_write(struct metric_rig *rig, const struct tally_register_write *write);

/* Is the network on (OA-1.3)? Bit 7 of GDT_CHICKEN_BITS from HSW to SKL, bit 9 of RPM_CONFIG1 on
 * Gen11. Before HSW no such bit is known. */
bool noa_is_on(const struct noa *noa);

#endif
