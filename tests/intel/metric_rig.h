/* SPDX-License-Identifier: MIT */
#ifndef TESTS_INTEL_METRIC_RIG_H
#define TESTS_INTEL_METRIC_RIG_H

/* An OA unit with the NOA registers, into which metric sets are programmed. */

#include "intel/tests.h"

#include <tally/metrics.h>
#include <tally/oa.h>

#include "intel/oa/noa.h"
#include "intel/registers.h"

/* The register that a write of a metric set reached. */
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

/* Writes a register and returns where the value landed: nowhere, too, if it does not read back or a
 * port did not receive it. GT registers are only looked up, not written. */
enum landing rig_write(struct metric_rig *rig, const struct tally_register_write *write);

/* Returns whether the network is enabled (OA-1.3): bit 7 of GDT_CHICKEN_BITS from HSW to SKL, bit 9
 * of RPM_CONFIG1 on Gen11. Before HSW no such bit is known. */
bool noa_is_on(const struct noa *noa);

#endif
