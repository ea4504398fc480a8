/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_DOMAINS_H
#define TALLY_DRIVER_DOMAINS_H

/* The power domains of the GT and their force wake registers (OA-4.1), and the engines that fuses
 * disable (OA-14.7), which both drivers use. */

#include <stdbool.h>
#include <stdint.h>

#include "intel/platforms.h"
#include "intel/symbols.h"

struct wake_domain {
    uint32_t revisions; /* bits of enum intel_revision */
    uint32_t request, acknowledge;
    uint8_t engines; /* those that need the domain, bits of enum cs_engine_id */
};

#define WAKE_DOMAINS 11
extern const struct wake_domain wake_domains[WAKE_DOMAINS];

#define WAKE_REQUEST REG_MASKED(FORCEWAKE_REQUEST, KERNEL, 1)
#define WAKE_RELEASE REG_MASKED(FORCEWAKE_REQUEST, KERNEL, 0)

/* How often, and how long apart, a driver reads the acknowledgement of a domain. */
#define WAKE_TRIES   50
#define WAKE_STEP_NS 1000u

/* Whether the platform has the domain and one of the engines, bits of enum cs_engine_id, needs it.
 */
bool wake_domain_serves(const struct wake_domain *domain, const struct intel_platform *platform,
                        uint32_t engines);

/* Returns the engines that fuses disable, bits of enum cs_engine_id, from the value of
 * FUSE_GT_VDBOX_VEBOX_DIS. The force wake of a disabled engine is never acknowledged. */
uint32_t fused_off_engines(const struct intel_platform *platform, uint32_t fuses);

#endif
