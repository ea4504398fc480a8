/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GT_FORCEWAKE_H
#define TALLY_INTEL_GT_FORCEWAKE_H

/*
 * Force wake: who keeps which part of the GT powered (document: "Force Wake and Steering Table",
 * last table; OA-4.1, OA-4.2).
 *
 * A domain is awake while any request for it is there: of the driver (bits 0 kernel, 1 user, 15
 * kernel fallback), of firmware, or of the hardware itself (a loaded context; see
 * gt_forcewake_hold). It takes `latency` clocks to wake; only gt_forcewake_run() lets them pass.
 * The acknowledge register mirrors the driver's bits once the domain is awake.
 *
 *     gt_forcewake_init(&wake, INTEL_LKF, 0);
 *     gt_forcewake_write32(&wake, FORCEWAKE_RENDER_GEN9, 0x00010001);   // kernel
 *     gt_forcewake_read32(&wake, FORCEWAKE_ACK_RENDER_GEN9);            // 00000001h
 *
 * The registers themselves need no wake: see routing.h. Domains do not imply one another.
 */

#include "intel/gt/gt.h"

enum gt_domain {
    GT_DOMAIN_GT, /* before SKL the only one, except on VLV and CHV */
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
    bool hold;       /* the hardware's own request */
    bool awake;
    uint32_t waking; /* clocks until it is awake; 0 unless requested and asleep */
};

struct gt_forcewake {
    uint8_t revision;         /* enum intel_revision */
    uint32_t present;         /* GT_DOMAIN_BIT of those that there are */
    uint32_t latency;         /* clocks from request to wake */
    uint16_t firmware_render; /* FORCEWAKE_REQ_RENDER; any bit is a request */
    uint16_t firmware_media;  /* FORCEWAKE_REQ_MEDIA: a bit for each VDBOX, then VEBOX */
    uint8_t streamer;         /* MI_FORCE_WAKEUP: bits as in FORCEWAKE_STATUS */
    bool lost;                /* see gt_forcewake_lose() */
    struct gt_forcewake_domain domains[GT_DOMAINS];
};

/*
 * All domains asleep, nothing requested. revision: below INTEL_REVISIONS. latency: clocks, any; 0:
 * wakes at once. Domains: those of the registers; on Gen11 GT, render, VDBOX0, VDBOX2 and VEBOX0
 * (other media engines are reserved ranges). Change `present` for other configurations
 * ("As available per config"; gt_routing_present() of routing.h reads it from fuses).
 */
void gt_forcewake_init(struct gt_forcewake *wake, enum intel_revision revision, uint32_t latency);

/* GT global reset: all requests of driver and firmware are gone (OA-D46: all registers); the
 * hardware's own and the parameters stay. */
void gt_forcewake_reset(struct gt_forcewake *wake);

/*
 * Is there a register at the address: a request, acknowledge, firmware request or status register
 * of a domain of the platform?
 */
bool gt_forcewake_owns(const struct gt_forcewake *wake, uint32_t address);

/*
 * Registers, 32 bits (OA-4.1). Requests take masked writes: bit k changes only if bit k + 16 of the
 * value is 1 (OA-4.2); SNB's is plain, of bit 0. Status and acknowledge cannot be written. Domains
 * that are not there store nothing and read 0, and so does any other address.
 */
uint32_t gt_forcewake_read32(const struct gt_forcewake *wake, uint32_t address);
void gt_forcewake_write32(struct gt_forcewake *wake, uint32_t address, uint32_t value);

/*
 * The hardware keeps a domain awake, or lets go: a context is active in it (document: "OA
 * Programming Guidelines"). GT_DOMAINS: all that there are; with that held, force wake is out of
 * the way. It works at once, without latency.
 */
void gt_forcewake_hold(struct gt_forcewake *wake, enum gt_domain domain, bool hold);

/* MI_FORCE_WAKEUP: bits 15:0 request domains as FORCEWAKE_STATUS shows them, where bits 31:16 have
 * a 1 (OA-11.8). */
void gt_forcewake_streamer(struct gt_forcewake *wake, uint32_t request);

/* A fault: all domains go to sleep, and requests do nothing until it is over; then they are as they
 * stand in the registers. */
void gt_forcewake_lose(struct gt_forcewake *wake, bool lost);

/* True if the domain is awake; false for domains that the platform lacks. */
bool gt_forcewake_awake(const struct gt_forcewake *wake, enum gt_domain domain);

/* True if the domain is requested, whether it is awake yet or not. RC6 is possible when no domain
 * is requested. */
bool gt_forcewake_requested(const struct gt_forcewake *wake, enum gt_domain domain);

/* Lets clocks pass. */
void gt_forcewake_run(struct gt_forcewake *wake, uint64_t clocks);

/* The registers of all platforms; revisions are INTEL_BIT(revision). */
extern const struct reg_map gt_forcewake_map;

/* The same with its handlers, whose context is a struct gt_forcewake. */
extern const struct reg_block gt_forcewake_block;

#endif
