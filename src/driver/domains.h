/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_DOMAINS_H
#define TALLY_DRIVER_DOMAINS_H

/* The power domains of the GT and their force wake registers (OA-4.1), and the engines that fuses
 * disable (OA-14.7), which both drivers use. */

#include <stdbool.h>
#include <stdint.h>

#include "driver/io.h"
#include "intel/platforms.h"
#include "intel/symbols.h"

struct wake_domain {
    uint32_t revisions; /* bits of enum intel_revision */
    uint32_t request, acknowledge;
    uint8_t engines; /* those that need the domain, bits of enum cs_engine_id */
    uint8_t domain;  /* enum gt_domain */
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

/* Returns the domains of which one must be awake for an access to an address, bits of indices into
 * wake_domains; 0: none. */
uint32_t wake_domains_at(const struct intel_platform *platform, uint32_t address);

/* Whether a domain acknowledges a request, of any requester. */
bool wake_domain_is_awake(const struct wake_domain *domain, const struct driver_io *io);

/* Requests or releases a domain for a user, with the bit that the kernel does not use, and waits
 * until it is awake. */
void wake_domain_request(const struct wake_domain *domain, const struct driver_io *io, bool wake);

#endif
