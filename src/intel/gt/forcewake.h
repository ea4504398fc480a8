/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GT_FORCEWAKE_H
#define TALLY_INTEL_GT_FORCEWAKE_H

/*
 * Force wake: requests that keep parts of the GT powered (document: "Force Wake and Steering
 * Table", last table; OA-4.1, OA-4.2).
 *
 * A domain is awake while there is a request for it: from the driver (bits 0 kernel, 1 user, 15
 * kernel fallback), from firmware, or from the hardware itself (a loaded context; see
 * gt_forcewake_hold()). Waking takes `latency` clocks, which only gt_forcewake_run() advances.
 * Once the domain is awake, the acknowledge register mirrors the driver's request bits.
 *
 * Requests take masked writes: bit k changes only if bit k + 16 of the value is 1 (OA-4.2); SNB's
 * request is bit 0, without a mask. Status and acknowledge are read-only. Registers of missing
 * domains read 0 and ignore writes. The registers can be accessed while all domains sleep: see
 * routing.h. Domains are independent.
 */

#include "intel/gt/gt.h"

enum gt_domain {
    GT_DOMAIN_GT, /* the only domain before SKL, except on VLV and CHV */
    GT_DOMAIN_RENDER,
    GT_DOMAIN_MEDIA, /* VLV, CHV, SKL */
    GT_DOMAIN_VDBOX0,
    GT_DOMAIN_VDBOX7 = GT_DOMAIN_VDBOX0 + 7,
    GT_DOMAIN_VEBOX0,
    GT_DOMAIN_VEBOX3 = GT_DOMAIN_VEBOX0 + 3,
    GT_DOMAINS
};

#define GT_DOMAIN_BIT(domain) (1u << (domain))

struct gt_forcewake_domain {
    uint16_t driver; /* request bits */
    bool hold;       /* request of the hardware */
    bool awake;
    uint32_t waking; /* clocks until the domain is awake; 0 unless requested and asleep */
};

struct gt_forcewake {
    uint8_t revision;         /* enum intel_revision */
    uint32_t present;         /* mask of existing domains: GT_DOMAIN_BIT() */
    uint32_t latency;         /* clocks from the request until the domain is awake */
    uint16_t firmware_render; /* FORCEWAKE_REQ_RENDER; any bit is a request */
    uint16_t firmware_media;  /* FORCEWAKE_REQ_MEDIA: one bit per VDBOX, then per VEBOX */
    uint8_t streamer;         /* MI_FORCE_WAKEUP: bits as in FORCEWAKE_STATUS */
    bool lost;                /* see gt_forcewake_lose() */
    struct gt_forcewake_domain domains[GT_DOMAINS];
};

/*
 * Initializes all domains as asleep, without requests. revision: below INTEL_REVISIONS. latency: in
 * clocks; 0: domains wake immediately. The domains are those that have registers; on Gen11: GT,
 * render, VDBOX0, VDBOX2 and VEBOX0 (other media engines are reserved ranges). Change `present` for
 * other configurations ("As available per config"; gt_routing_present() reads it from fuses).
 */
void gt_forcewake_init(struct gt_forcewake *wake, enum intel_revision revision, uint32_t latency);

/* GT global reset: clears all registers (OA-D46), and so the requests of driver and firmware. Keeps
 * the hardware's requests and the parameters. */
void gt_forcewake_reset(struct gt_forcewake *wake);

/* Whether the address is a request, acknowledge, firmware request or status register of the
 * platform. */
bool gt_forcewake_owns(const struct gt_forcewake *wake, uint32_t address);

/*
 * Sets or clears the hardware's request for a domain: a context is active in it (document: "OA
 * Programming Guidelines"). GT_DOMAINS: all domains, which disables force wake. A held domain wakes
 * immediately, without latency.
 */
void gt_forcewake_hold(struct gt_forcewake *wake, enum gt_domain domain, bool hold);

/* Sets the requests of MI_FORCE_WAKEUP: bits 15:0, in the order of FORCEWAKE_STATUS, where bits
 * 31:16 are 1 (OA-11.8). */
void gt_forcewake_streamer(struct gt_forcewake *wake, uint32_t request);

/* Starts or ends a fault: while `lost`, all domains are asleep and requests have no effect.
 * Afterwards the requests in the registers apply again. */
void gt_forcewake_lose(struct gt_forcewake *wake, bool lost);

/* Whether the domain is awake; false for domains that the platform does not have. */
bool gt_forcewake_awake(const struct gt_forcewake *wake, enum gt_domain domain);

/* Whether the domain is requested, awake or not. RC6 is possible when no domain is requested. */
bool gt_forcewake_requested(const struct gt_forcewake *wake, enum gt_domain domain);

/* Advances time. Returns whether a domain has woken up. */
bool gt_forcewake_run(struct gt_forcewake *wake, uint64_t clocks);

/* Returns the clocks until a domain wakes up; UINT64_MAX: none is waking up. */
uint64_t gt_forcewake_horizon(const struct gt_forcewake *wake);

/* The registers of all platforms; revisions are INTEL_BIT(revision). */
extern const struct reg_map gt_forcewake_map;

/* The map with its handlers, whose context is a struct gt_forcewake. */
extern const struct reg_block gt_forcewake_block;

#endif
