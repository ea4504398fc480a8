/* SPDX-License-Identifier: MIT */
/* Force wake: OA-4.1 and OA-4.2. */
#include "intel/gt/forcewake.h"

#include <limits.h>
#include <string.h>

/* ---- registers ------------------------------------------------------------------------------- */

/* reg.id: what it is, and the (first) domain it is about. */
enum kind { REQUEST, PLAIN_REQUEST, ACK, FIRMWARE_RENDER, FIRMWARE_MEDIA, STATUS };

#define ID(kind, domain) ((kind) << 8 | (domain))
#define KIND(id)         ((enum kind)((id) >> 8))
#define DOMAIN(id)       ((unsigned)(id)&0xff)

#define RW         REG_READ_WRITE
#define RO         REG_READ
#define ANY        UINT32_MAX
#define SNB        INTEL_BIT(INTEL_SNB)
#define IVB        INTEL_BIT(INTEL_IVB)
#define LOW_POWER  (INTEL_BIT(INTEL_VLV) | INTEL_BIT(INTEL_CHV))
#define SKL        INTEL_BIT(INTEL_SKL)
#define HSW_BDW    (INTEL_BIT(INTEL_HSW) | INTEL_BIT(INTEL_BDW))
#define A188       (IVB | HSW_BDW | SKL | GT_GEN11_UP)
#define ACK_130044 (HSW_BDW | SKL | GT_GEN11_UP)
#define SKL_UP     (SKL | GT_GEN11_UP)

// clang-format off

static const struct reg_field request_fields[] = {
    {"MASK", 16, 31, REG_WRITE, 0, ANY, NULL, "which of bits 15:0 the write changes"},
    {"FALLBACK", 15, 15, RW, 0, ANY, NULL, "kernel, when an acknowledge was missed"},
    {"OTHER", 2, 14, RW, 0, ANY, NULL, "further requesters"},
    {"USER", 1, 1, RW, 0, ANY, NULL, "user"},
    {"KERNEL", 0, 0, RW, 0, ANY, NULL, "kernel"},
    {0},
};

static const struct reg_field plain_fields[] = {
    {"KERNEL", 0, 0, RW, 0, ANY, NULL, "kernel"},
    {0},
};

static const struct reg_field ack_fields[] = {
    {"FALLBACK", 15, 15, RO, 0, ANY, NULL, "request bit, once awake"},
    {"OTHER", 2, 14, RO, 0, ANY, NULL, "request bits, once awake"},
    {"USER", 1, 1, RO, 0, ANY, NULL, "request bit, once awake"},
    {"KERNEL", 0, 0, RO, 0, ANY, NULL, "request bit, once awake"},
    {0},
};

static const struct reg_field media_fields[] = {
    {"MASK", 16, 31, REG_WRITE, 0, ANY, NULL, "which of bits 15:0 the write changes"},
    {"VEBOX", 8, 11, RW, 0, ANY, NULL, "a bit for each VEBOX"},
    {"VDBOX", 0, 7, RW, 0, ANY, NULL, "a bit for each VDBOX"},
    {0},
};

static const struct reg_field status_fields[] = {
    {"MEDIA3", 4, 4, RO, 0, ANY, NULL, "VDBOX6, VDBOX7 or VEBOX3 is awake"},
    {"MEDIA2", 3, 3, RO, 0, ANY, NULL, "VDBOX4, VDBOX5 or VEBOX2 is awake"},
    {"MEDIA1", 2, 2, RO, 0, ANY, NULL, "VDBOX2, VDBOX3 or VEBOX1 is awake"},
    {"RENDER", 1, 1, RO, 0, ANY, NULL, "render is awake"},
    {"MEDIA0", 0, 0, RO, 0, ANY, NULL, "VDBOX0, VDBOX1 or VEBOX0 is awake"},
    {0},
};

#define ONE {{0}}
#define REQ(name, at, dims, revisions, domain) \
    {name, at, dims, revisions, ID(REQUEST, domain), RW, 0, 0, request_fields, "asks for the domain", "OA-4.1, OA-4.2"}
#define ACKNOWLEDGE(name, at, dims, revisions, domain) \
    {name, at, dims, revisions, ID(ACK, domain), RO, 0, 0, ack_fields, "the requests that are met", "OA-4.1, OA-4.2"}
#define VDBOXES {{"n", 8, 4}}
#define VEBOXES {{"n", 4, 4}}

static const struct reg registers[] = {
    {"FORCEWAKE", 0xa18c, ONE, SNB, ID(PLAIN_REQUEST, GT_DOMAIN_GT), RW, 0, 0, plain_fields, "asks for the domain", "OA-4.1"},
    ACKNOWLEDGE("FORCEWAKE_ACK", 0x130090, ONE, SNB, GT_DOMAIN_GT),
    REQ("FORCEWAKE_GT", 0xa188, ONE, A188, GT_DOMAIN_GT),
    ACKNOWLEDGE("FORCEWAKE_ACK_GT", 0x130040, ONE, IVB, GT_DOMAIN_GT),
    ACKNOWLEDGE("FORCEWAKE_ACK_GT", 0x130044, ONE, ACK_130044, GT_DOMAIN_GT),
    REQ("FORCEWAKE_RENDER", 0x1300b0, ONE, LOW_POWER, GT_DOMAIN_RENDER),
    ACKNOWLEDGE("FORCEWAKE_ACK_RENDER", 0x1300b4, ONE, LOW_POWER, GT_DOMAIN_RENDER),
    REQ("FORCEWAKE_MEDIA", 0x1300b8, ONE, LOW_POWER, GT_DOMAIN_MEDIA),
    ACKNOWLEDGE("FORCEWAKE_ACK_MEDIA", 0x1300bc, ONE, LOW_POWER, GT_DOMAIN_MEDIA),
    REQ("FORCEWAKE_RENDER", 0xa278, ONE, SKL_UP, GT_DOMAIN_RENDER),
    ACKNOWLEDGE("FORCEWAKE_ACK_RENDER", 0xd84, ONE, SKL_UP, GT_DOMAIN_RENDER),
    REQ("FORCEWAKE_MEDIA", 0xa270, ONE, SKL, GT_DOMAIN_MEDIA),
    ACKNOWLEDGE("FORCEWAKE_ACK_MEDIA", 0xd88, ONE, SKL, GT_DOMAIN_MEDIA),
    REQ("FORCEWAKE_VDBOX", 0xa540, VDBOXES, GT_GEN11_UP, GT_DOMAIN_VDBOX0),
    ACKNOWLEDGE("FORCEWAKE_ACK_VDBOX", 0xd50, VDBOXES, GT_GEN11_UP, GT_DOMAIN_VDBOX0),
    REQ("FORCEWAKE_VEBOX", 0xa560, VEBOXES, GT_GEN11_UP, GT_DOMAIN_VEBOX0),
    ACKNOWLEDGE("FORCEWAKE_ACK_VEBOX", 0xd70, VEBOXES, GT_GEN11_UP, GT_DOMAIN_VEBOX0),
    {"FORCEWAKE_REQ_MEDIA", 0xa274, ONE, GT_GEN11_UP, ID(FIRMWARE_MEDIA, GT_DOMAIN_VDBOX0), RW, 0, 0, media_fields, "firmware asks for media engines", "OA-4.1"},
    {"FORCEWAKE_REQ_RENDER", 0xa27c, ONE, GT_GEN11_UP, ID(FIRMWARE_RENDER, GT_DOMAIN_RENDER), RW, 0, 0, request_fields, "firmware asks for render", "OA-4.1"},
    {"FORCEWAKE_STATUS", 0xa2a0, ONE, GT_GEN11_UP, ID(STATUS, 0), RO, 0, 0, status_fields, "what is awake", "OA-4.1"},
};

// clang-format on

const struct reg_map gt_forcewake_map = {
    .name = "forcewake",
    .document = "docs/reference/intel-oa-hardware.md",
    .base = 0,
    .size = 0x131000,
    .regs = registers,
    .count = sizeof registers / sizeof *registers,
};

/* ---- domains --------------------------------------------------------------------------------- */

/* Domains that a platform's registers speak of; of media engines only those of Lakefield. */
static uint32_t default_domains(uint32_t platform)
{
    uint32_t present = 0;
    if (platform & GT_GEN11_UP)
        return GT_DOMAIN_BIT(GT_DOMAIN_GT) | GT_DOMAIN_BIT(GT_DOMAIN_RENDER) |
               GT_DOMAIN_BIT(GT_DOMAIN_VDBOX0) | GT_DOMAIN_BIT(GT_DOMAIN_VDBOX0 + 2) |
               GT_DOMAIN_BIT(GT_DOMAIN_VEBOX0);
    for (size_t i = 0; i < gt_forcewake_map.count; i++)
        if ((registers[i].revisions & platform) && KIND(registers[i].id) == ACK)
            present |= GT_DOMAIN_BIT(DOMAIN(registers[i].id));
    return present;
}

void gt_forcewake_init(struct gt_forcewake *wake, enum intel_model platform, uint32_t latency)
{
    memset(wake, 0, sizeof *wake);
    wake->platform = (uint8_t)platform;
    wake->latency = latency;
    wake->present = default_domains(INTEL_BIT(platform));
}

static bool firmware_asks(const struct gt_forcewake *wake, unsigned domain)
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
    return d->driver || d->hold || firmware_asks(wake, domain);
}

bool gt_forcewake_awake(const struct gt_forcewake *wake, enum gt_domain domain)
{
    return (unsigned)domain < GT_DOMAINS && (wake->present >> domain & 1) &&
           wake->domains[domain].awake;
}

/* After requests have changed. */
static void follow(struct gt_forcewake *wake, unsigned domain)
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

void gt_forcewake_run(struct gt_forcewake *wake, uint64_t clocks)
{
    for (unsigned i = 0; i < GT_DOMAINS; i++) {
        struct gt_forcewake_domain *d = &wake->domains[i];
        if (!d->waking)
            continue;
        d->awake = clocks >= d->waking;
        d->waking = d->awake ? 0 : d->waking - (uint32_t)clocks;
    }
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
    follow(wake, domain);
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
        follow(wake, i);
}

void gt_forcewake_reset(struct gt_forcewake *wake)
{
    wake->firmware_render = 0;
    wake->firmware_media = 0;
    for (unsigned i = 0; i < GT_DOMAINS; i++) {
        wake->domains[i].driver = 0;
        follow(wake, i);
    }
}

/* ---- MMIO ------------------------------------------------------------------------------------ */

static bool find(const struct gt_forcewake *wake, uint32_t address, struct reg_place *place)
{
    return reg_find(&gt_forcewake_map, INTEL_BIT(wake->platform), UINT_MAX, address, REG_READ,
                    place);
}

bool gt_forcewake_owns(const struct gt_forcewake *wake, uint32_t address)
{
    struct reg_place place;
    return find(wake, address, &place);
}

/* Bit of FORCEWAKE_STATUS: two VDBOXes and a VEBOX share one, and bit 1 is render's. */
static unsigned status_bit(unsigned domain)
{
    unsigned group =
        domain >= GT_DOMAIN_VEBOX0 ? domain - GT_DOMAIN_VEBOX0 : (domain - GT_DOMAIN_VDBOX0) / 2;
    return domain == GT_DOMAIN_RENDER ? 1 : group ? group + 1 : 0;
}

uint32_t gt_forcewake_read32(const struct gt_forcewake *wake, uint32_t address)
{
    struct reg_place place;
    if (!find(wake, address, &place))
        return 0;
    unsigned domain = DOMAIN(place.reg->id) + place.index[0];
    uint32_t status = 0;
    switch (KIND(place.reg->id)) {
    case REQUEST:
    case PLAIN_REQUEST:
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
    return (uint16_t)((old & ~(value >> 16)) | (value & value >> 16));
}

void gt_forcewake_write32(struct gt_forcewake *wake, uint32_t address, uint32_t value)
{
    struct reg_place place;
    if (!find(wake, address, &place))
        return;
    unsigned domain = DOMAIN(place.reg->id) + place.index[0];
    uint16_t *driver = &wake->domains[domain].driver;
    switch (KIND(place.reg->id)) {
    case REQUEST:
        if (wake->present >> domain & 1)
            *driver = masked(*driver, value);
        break;
    case PLAIN_REQUEST:
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
        follow(wake, i);
}
