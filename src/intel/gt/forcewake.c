/* SPDX-License-Identifier: MIT */
/* Force wake (OA-4.1, OA-4.2). */
#include "intel/gt/forcewake.h"

#include <limits.h>
#include <string.h>

#include "intel/symbols.h"

/* ---- registers ------------------------------------------------------------------------------- */

/* reg.id: the kind of the register, and its (first) domain. */
enum kind { REQUEST, UNMASKED_REQUEST, ACK, FIRMWARE_RENDER, FIRMWARE_MEDIA, STATUS };

#define ID(kind, domain) ((kind) << 8 | (domain))
#define KIND(id)         ((enum kind)((id) >> 8))
#define DOMAIN(id)       ((unsigned)(id)&0xff)

#define ANY        UINT32_MAX
#define SNB        INTEL_BIT(INTEL_SNB)
#define IVB        INTEL_BIT(INTEL_IVB)
#define LOW_POWER  (INTEL_BIT(INTEL_VLV) | INTEL_BIT(INTEL_CHV))
#define SKL        INTEL_BIT(INTEL_SKL)
#define HSW_BDW    (INTEL_BIT(INTEL_HSW) | INTEL_BIT(INTEL_BDW))
#define A188       (IVB | HSW_BDW | SKL | GT_GEN11_UP)
#define ACK_130044 (HSW_BDW | SKL | GT_GEN11_UP)
#define SKL_UP     (SKL | GT_GEN11_UP)

#include "regs/pass/fields.h"
#include "intel/gt/forcewake.def"
#include "regs/pass/end.h"

#include "regs/pass/rows.h"
static const struct reg registers[] = {
#include "intel/gt/forcewake.def"
};
#include "regs/pass/end.h"

const struct reg_map gt_forcewake_map = {
    .name = "forcewake",
    .document = "docs/reference/intel-oa-hardware.md",
    .base = 0,
    .size = 0x131000,
    .regs = registers,
    .count = sizeof registers / sizeof *registers,
};

/* ---- domains --------------------------------------------------------------------------------- */

/* Returns a mask of the domains of a revision. The media engines are Lakefield's. */
static uint32_t default_domains(uint32_t revision)
{
    uint32_t present = 0;
    if (revision & GT_GEN11_UP)
        return GT_DOMAIN_BIT(GT_DOMAIN_GT) | GT_DOMAIN_BIT(GT_DOMAIN_RENDER) |
               GT_DOMAIN_BIT(GT_DOMAIN_VDBOX0) | GT_DOMAIN_BIT(GT_DOMAIN_VDBOX0 + 2) |
               GT_DOMAIN_BIT(GT_DOMAIN_VEBOX0);
    for (size_t i = gt_forcewake_map.count; i-- > 0;)
        if ((registers[i].revisions & revision) && KIND(registers[i].id) == ACK)
            present |= GT_DOMAIN_BIT(DOMAIN(registers[i].id));
    return present;
}

void gt_forcewake_init(struct gt_forcewake *wake, enum intel_revision revision, uint32_t latency)
{
    memset(wake, 0, sizeof *wake);
    wake->revision = (uint8_t)revision;
    wake->latency = latency;
    wake->present = default_domains(INTEL_BIT(revision));
}

/* Bit of FORCEWAKE_STATUS: two VDBOXes and a VEBOX share one, and bit 1 is render's. Platforms with
 * this register have no media domain. */
static unsigned status_bit(unsigned domain)
{
    if (domain < GT_DOMAIN_VDBOX0)
        return 1;
    unsigned group =
        domain >= GT_DOMAIN_VEBOX0 ? domain - GT_DOMAIN_VEBOX0 : (domain - GT_DOMAIN_VDBOX0) / 2;
    return group ? group + 1 : 0;
}

static bool streamer_requests(const struct gt_forcewake *wake, unsigned domain)
{
    return (domain == GT_DOMAIN_RENDER || domain >= GT_DOMAIN_VDBOX0) &&
           wake->streamer >> status_bit(domain) & 1;
}

static bool firmware_requests(const struct gt_forcewake *wake, unsigned domain)
{
    if (domain == GT_DOMAIN_RENDER)
        return wake->firmware_render;
    return domain >= GT_DOMAIN_VDBOX0 && wake->firmware_media >> (domain - GT_DOMAIN_VDBOX0) & 1;
}

bool gt_forcewake_requested(const struct gt_forcewake *wake, enum gt_domain domain)
{
    if (wake->lost || (unsigned)domain >= GT_DOMAINS || !(wake->present >> domain & 1))
        return false;
    const struct gt_forcewake_domain *d = &wake->domains[domain];
    return d->driver || d->hold || firmware_requests(wake, domain) ||
           streamer_requests(wake, domain);
}

bool gt_forcewake_awake(const struct gt_forcewake *wake, enum gt_domain domain)
{
    return (unsigned)domain < GT_DOMAINS && (wake->present >> domain & 1) &&
           wake->domains[domain].awake;
}

/* Updates a domain after a change of its requests. */
static void update_domain(struct gt_forcewake *wake, unsigned domain)
{
    struct gt_forcewake_domain *d = &wake->domains[domain];
    if (!gt_forcewake_requested(wake, (enum gt_domain)domain)) {
        d->awake = false;
        d->waking = 0;
    } else if (!d->awake && !d->waking) {
        d->waking = wake->latency;
        d->awake = !d->waking;
    }
}

uint64_t gt_forcewake_horizon(const struct gt_forcewake *wake)
{
    uint64_t clocks = UINT64_MAX;
    for (unsigned i = 0; i < GT_DOMAINS; i++)
        if (wake->domains[i].waking && wake->domains[i].waking < clocks)
            clocks = wake->domains[i].waking;
    return clocks;
}

bool gt_forcewake_run(struct gt_forcewake *wake, uint64_t clocks)
{
    bool woken = false;
    for (unsigned i = 0; i < GT_DOMAINS; i++) {
        struct gt_forcewake_domain *d = &wake->domains[i];
        if (!d->waking)
            continue;
        d->awake = clocks >= d->waking;
        d->waking = d->awake ? 0 : d->waking - (uint32_t)clocks;
        woken |= d->awake;
    }
    return woken;
}

static void hold_one(struct gt_forcewake *wake, unsigned domain, bool hold)
{
    struct gt_forcewake_domain *d = &wake->domains[domain];
    if (!(wake->present >> domain & 1))
        return;
    d->hold = hold;
    if (hold) {
        d->awake = true;
        d->waking = 0;
    }
    update_domain(wake, domain);
}

void gt_forcewake_hold(struct gt_forcewake *wake, enum gt_domain domain, bool hold)
{
    for (unsigned i = 0; i < GT_DOMAINS; i++)
        if (domain == GT_DOMAINS || domain == (enum gt_domain)i)
            hold_one(wake, i, hold);
}

void gt_forcewake_lose(struct gt_forcewake *wake, bool lost)
{
    wake->lost = lost;
    for (unsigned i = 0; i < GT_DOMAINS; i++)
        update_domain(wake, i);
}

void gt_forcewake_streamer(struct gt_forcewake *wake, uint32_t request)
{
    wake->streamer = (uint8_t)reg_write_masked(wake->streamer, request);
    for (unsigned i = 0; i < GT_DOMAINS; i++)
        update_domain(wake, i);
}

void gt_forcewake_reset(struct gt_forcewake *wake)
{
    wake->firmware_render = 0;
    wake->firmware_media = 0;
    wake->streamer = 0;
    for (unsigned i = 0; i < GT_DOMAINS; i++) {
        wake->domains[i].driver = 0;
        update_domain(wake, i);
    }
}

/* ---- MMIO ------------------------------------------------------------------------------------ */

static bool find(const struct gt_forcewake *wake, uint32_t address, struct reg_place *place)
{
    return reg_find(&gt_forcewake_map, INTEL_BIT(wake->revision), UINT_MAX, address, REG_READ,
                    place);
}

bool gt_forcewake_owns(const struct gt_forcewake *wake, uint32_t address)
{
    struct reg_place place;
    return find(wake, address, &place);
}

static uint32_t read_register(void *context, const struct reg_request *request)
{
    const struct gt_forcewake *wake = context;
    unsigned id = request->row->reg->id, domain = DOMAIN(id) + request->element;
    uint32_t status = 0;
    switch (KIND(id)) {
    case REQUEST:
    case UNMASKED_REQUEST:
        return wake->domains[domain].driver;
    case ACK:
        return wake->domains[domain].awake ? wake->domains[domain].driver : 0;
    case FIRMWARE_RENDER:
        return wake->firmware_render;
    case FIRMWARE_MEDIA:
        return wake->firmware_media;
    case STATUS:
        for (unsigned i = GT_DOMAIN_RENDER; i < GT_DOMAINS; i++)
            if (gt_forcewake_awake(wake, (enum gt_domain)i))
                status |= 1u << status_bit(i);
        break;
    }
    return status;
}

static uint16_t masked(uint16_t old, uint32_t value)
{
    return (uint16_t)reg_write_masked(old, value);
}

static void write_register(void *context, const struct reg_request *request, uint32_t value)
{
    struct gt_forcewake *wake = context;
    unsigned id = request->row->reg->id, domain = DOMAIN(id) + request->element;
    uint16_t *driver = &wake->domains[domain].driver;
    switch (KIND(id)) {
    case REQUEST:
        if (wake->present >> domain & 1)
            *driver = masked(*driver, value);
        break;
    case UNMASKED_REQUEST:
        *driver = value & 1;
        break;
    case FIRMWARE_RENDER:
        wake->firmware_render = masked(wake->firmware_render, value);
        break;
    case FIRMWARE_MEDIA:
        wake->firmware_media =
            masked(wake->firmware_media, value) & (uint16_t)(wake->present >> GT_DOMAIN_VDBOX0);
        break;
    case ACK:
    case STATUS:
        return;
    }
    for (unsigned i = 0; i < GT_DOMAINS; i++)
        update_domain(wake, i);
}

const struct reg_block gt_forcewake_block = {
    .map = &gt_forcewake_map,
    .common = {read_register, write_register},
};
