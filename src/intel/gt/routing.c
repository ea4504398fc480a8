/* SPDX-License-Identifier: MIT */
/* MMIO routing from Gen11 on (OA-4.3 to OA-4.5). Ranges: data/lkf/mmio-ranges.csv; of Gen12:
 * PERF-5.6. */
#include "intel/gt/routing.h"

#include <errno.h>
#include <string.h>

#include "base/bits.h"
#include "intel/platforms.h"
#include "intel/symbols.h"
#include "intel/topology.h"

#define MEDIA_FUSES REG_RESET(FUSE_GT_VDBOX_VEBOX_DIS)
#define MULTICAST   REG_MASK(MGSR_STEERING, MULTICAST)
/* The implemented bits. */
#define STEERING                                                                                   \
    (MULTICAST | REG_MASK(MGSR_STEERING, SLICE_ID) | REG_MASK(MGSR_STEERING, SUBSLICE_ID))
#define MCHBAR_ZERO 0x148000u /* the alias ends here; the rest reads 0 (OA-E25) */
#define MCHBAR_END  0x150000u

/* ---- registers ------------------------------------------------------------------------------- */

enum {
    STEERING_HOST,
    STEERING_CS,
    FUSE_L3,
    FUSE_EU,
    FUSE_SLICE,
    FUSE_SUBSLICE,
    FUSE_DSS,
    FUSE_MEDIA
};

#define ALL   GT_GEN11_UP
#define GEN12 INTEL_BIT(INTEL_TGL)
#define GEN11 (ALL & ~GEN12)

#include "regs/pass/fields.h"
#include "intel/gt/routing.def"
#include "regs/pass/end.h"

#include "regs/pass/rows.h"
static const struct reg registers[] = {
#include "intel/gt/routing.def"
};
#include "regs/pass/end.h"

const struct reg_map gt_routing_map = {
    .name = "lkf-steering-fuses",
    .document = "docs/reference/intel-oa-hardware.md",
    .base = 0,
    .size = 0x10000,
    .regs = registers,
    .count = sizeof registers / sizeof *registers,
};

static uint32_t read_register(void *context, const struct reg_request *request)
{
    const struct gt_routing *routing = context;
    switch (request->row->reg->id) {
    case STEERING_HOST:
        return routing->steering[GT_AGENT_HOST];
    case STEERING_CS:
        return routing->steering[GT_AGENT_CS];
    case FUSE_L3:
        return (routing->l3_disable & 0xfu) * 0x11;
    case FUSE_EU:
        return routing->eu_disable;
    case FUSE_SLICE:
        return routing->slice_enable;
    case FUSE_SUBSLICE:
        return routing->subslice_disable;
    case FUSE_DSS:
        return REG_PUT(GEN12_GT_GEOMETRY_DSS_ENABLE, DSS_ENABLE,
                       ~(uint32_t)routing->subslice_disable);
    default:
        return routing->vdbox_disable |
               REG_PUT(FUSE_GT_VDBOX_VEBOX_DIS, VEBOX_DISABLE, routing->vebox_disable);
    }
}

/* Writes a steering register; fuses are read-only. */
static void write_register(void *context, const struct reg_request *request, uint32_t value)
{
    struct gt_routing *routing = context;
    bool host = request->row->reg->id == STEERING_HOST;
    routing->steering[host ? GT_AGENT_HOST : GT_AGENT_CS] = value & STEERING;
}

const struct reg_block gt_routing_block = {
    .map = &gt_routing_map,
    .common = {read_register, write_register},
};

void gt_routing_reset(struct gt_routing *routing)
{
    for (unsigned i = 0; i < GT_AGENTS; i++)
        routing->steering[i] = MULTICAST;
}

void gt_routing_init(struct gt_routing *routing, unsigned subslices)
{
    memset(routing, 0, sizeof *routing);
    routing->revision = INTEL_LKF;
    routing->slice_enable = 0x01;
    routing->subslice_disable = (uint8_t)(0xffu << subslices);
    routing->vdbox_disable = REG_GET(FUSE_GT_VDBOX_VEBOX_DIS, VDBOX_DISABLE, MEDIA_FUSES);
    routing->vebox_disable = REG_GET(FUSE_GT_VDBOX_VEBOX_DIS, VEBOX_DISABLE, MEDIA_FUSES);
    gt_routing_reset(routing);
}

void gt_routing_fuse(struct gt_routing *routing, enum intel_revision revision,
                     const struct intel_topology *topology)
{
    uint32_t present = topology->subslices[0]; /* they are all in slice 0 */
    uint16_t eus = topology->eus[0][present ? __builtin_ctz(present) : 0];
    /* Eight bits for the EUs of a subslice, or for the pairs of a dual subslice. */
    unsigned together = intel_sku_platform(topology->sku)->info.max_eus / 8;
    routing->revision = (uint8_t)revision;
    routing->slice_enable = topology->slices;
    routing->subslice_disable = (uint8_t)~present;
    routing->eu_disable = 0;
    for (unsigned bit = 0; bit < 8; bit++)
        if (!(eus >> bit * together & 1))
            routing->eu_disable |= (uint8_t)(1u << bit);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

/* Ranges of Gen12 that differ from Lakefield's (PERF-5.6). Ranges that are the same, or that the
 * document describes in less detail, are not listed. */
static const struct gt_range gen12_ranges[] = {
    {GEN12_OAR_OAPERF_A, 0x2aff, "", "OAR", GT_WAKE_RENDER, GT_GROUP_NONE, 1, ""},
    {0xd800, 0xd8ff, "", "", GT_WAKE_RENDER, GT_GROUP_NONE, 1, ""},
    {GEN12_OAG_OASTARTTRIG1, 0xdbff, "", "OAG", GT_WAKE_GTI, GT_GROUP_NONE, 1, ""},
    {GEN12_OAG_SCEC_0, 0xdeff, "", "OAG", GT_WAKE_RENDER, GT_GROUP_NONE, 1, ""},
    {0xe900, 0xefff, "", "", GT_WAKE_RENDER, GT_GROUP_NONE, 1, ""},
};

const struct gt_range *gt_range_on(enum intel_revision revision, uint32_t address)
{
    bool gen12 = INTEL_BIT(revision) & GEN12;
    for (size_t i = 0; gen12 && i < sizeof gen12_ranges / sizeof *gen12_ranges; i++)
        if (address >= gen12_ranges[i].first && address <= gen12_ranges[i].last)
            return &gen12_ranges[i];
    return gt_range_find(address);
}

const struct gt_range *gt_range_find(uint32_t address)
{
    size_t from = 0, to = gt_range_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (gt_ranges[middle].last < address)
            from = middle + 1;
        else
            to = middle;
    }
    return from < gt_range_count && gt_ranges[from].first <= address ? &gt_ranges[from] : NULL;
}

/* Returns the number after `name` in a section such as "gtyvdbox2"; -1 for other sections. */
static int engine_number(const struct gt_range *range, const char *name)
{
    size_t size = strlen(name);
    if (strncmp(range->section, name, size) != 0)
        return -1;
    return range->section[size] - '0';
}

/* Returns whether the domain of a range is awake. Reserved ranges need none. */
static bool is_awake(const struct gt_forcewake *wake, const struct gt_range *range)
{
    switch ((enum gt_wake)range->wake) {
    case GT_WAKE_NONE:
    case GT_WAKE_AON:
        break;
    case GT_WAKE_GTI:
        return gt_forcewake_awake(wake, GT_DOMAIN_GT);
    case GT_WAKE_RENDER:
        return gt_forcewake_awake(wake, GT_DOMAIN_RENDER);
    case GT_WAKE_MEDIA0:
        return gt_forcewake_awake(wake, GT_DOMAIN_VDBOX0) ||
               (engine_number(range, "gtyvebox") == 0 &&
                gt_forcewake_awake(wake, GT_DOMAIN_VEBOX0));
    case GT_WAKE_MEDIA2:
        return gt_forcewake_awake(wake, (enum gt_domain)(GT_DOMAIN_VDBOX0 + 2));
    }
    return true;
}

/* ---- instances ------------------------------------------------------------------------------- */

uint32_t gt_routing_instances(const struct gt_routing *routing, enum gt_group group)
{
    switch (group) {
    case GT_GROUP_SLICE:
        return routing->slice_enable;
    case GT_GROUP_SUBSLICE: /* all of them are in slice 0 */
        return routing->slice_enable & 1 ? ~(uint32_t)routing->subslice_disable & 0xff : 0;
    case GT_GROUP_L3BANK:
        return ~((routing->l3_disable & 0xfu) * 0x11u) & 0xff;
    default:
        return 1;
    }
}

unsigned gt_routing_steered(const struct gt_routing *routing, enum gt_agent agent,
                            enum gt_group group)
{
    uint32_t steering = routing->steering[agent];
    if (group == GT_GROUP_NONE)
        return 0;
    return group == GT_GROUP_SLICE ? REG_GET(MGSR_STEERING, SLICE_ID, steering)
                                   : REG_GET(MGSR_STEERING, SUBSLICE_ID, steering);
}

unsigned gt_routing_first(const struct gt_routing *routing, enum gt_group group)
{
    uint32_t instances = gt_routing_instances(routing, group);
    return instances ? (unsigned)__builtin_ctz(instances) : 0;
}

uint32_t gt_routing_present(const struct gt_routing *routing)
{
    return GT_DOMAIN_BIT(GT_DOMAIN_GT) | GT_DOMAIN_BIT(GT_DOMAIN_RENDER) |
           (~(uint32_t)routing->vdbox_disable & 0xff) << GT_DOMAIN_VDBOX0 |
           (~(uint32_t)routing->vebox_disable & 0xf) << GT_DOMAIN_VEBOX0;
}

static bool media_is_off(const struct gt_routing *routing, const struct gt_range *range)
{
    if (range->section[0] != 'g' || strncmp(range->section, "gtyv", 4) != 0) /* not media */
        return false;
    int vdbox = engine_number(range, "gtyvdbox"), vebox = engine_number(range, "gtyvebox");
    return (vdbox >= 0 && (routing->vdbox_disable >> vdbox & 1)) ||
           (vebox >= 0 && (routing->vebox_disable >> vebox & 1));
}

/* ---- routes ---------------------------------------------------------------------------------- */

#define IN_RING(reg) ((reg)-RENDER_RING_BASE) /* offset from the base of any engine */

/* Shadowed registers: tails and submission ports, which can be written without force wake (OA-4.3),
 * including the queue of the render engine (OA-10.2). */
static const struct {
    uint32_t first, last;
} shadowed[] = {{RING_TAIL, RING_TAIL},
                {RING_ELSQ, RING_ELSQ_CONTROL},
                {GEN9_RPNSWREQ, GEN6_RC_VIDEO_FREQ},
                {BLT_RING_BASE + IN_RING(RING_TAIL), BLT_RING_BASE + IN_RING(RING_TAIL)},
                {BLT_RING_BASE + IN_RING(RING_ELSP), BLT_RING_BASE + IN_RING(RING_ELSP)},
                {BLT_RING_BASE + IN_RING(RING_ELSQ), BLT_RING_BASE + IN_RING(RING_ELSQ_CONTROL)}},
  media_shadowed[] = {{IN_RING(RING_TAIL), IN_RING(RING_TAIL)},
                      {IN_RING(RING_ELSP), IN_RING(RING_ELSP)},
                      {IN_RING(RING_ELSQ), IN_RING(RING_ELSQ_CONTROL)}};

static const uint32_t media_bases[] = {0x1c0000, 0x1c4000, 0x1c8000, 0x1d0000, 0x1d4000, 0x1d8000};

static bool is_shadowed(uint32_t address)
{
    address &= ~3u;
    for (size_t i = 0; i < sizeof shadowed / sizeof *shadowed; i++)
        if (address >= shadowed[i].first && address <= shadowed[i].last)
            return true;
    for (size_t i = 0; i < sizeof media_bases / sizeof *media_bases; i++)
        for (size_t k = 0; k < sizeof media_shadowed / sizeof *media_shadowed; k++)
            if (address >= media_bases[i] + media_shadowed[k].first &&
                address <= media_bases[i] + media_shadowed[k].last)
                return true;
    return false;
}

static struct gt_route route_of(const struct gt_routing *routing, const struct gt_forcewake *wake,
                                enum gt_agent agent, uint32_t address, bool write)
{
    struct gt_route route = {.range = gt_range_on((enum intel_revision)routing->revision, address),
                             .outcome = GT_ELSEWHERE};
    if (!route.range) {
        if (GT_IS_MCHBAR(address))
            route.outcome = GT_MCHBAR;
        else if (address - GT_HYPERVISOR_FIRST < GT_HYPERVISOR_BYTES)
            route.outcome = GT_HYPERVISOR;
        else if (address >= MCHBAR_ZERO && address < MCHBAR_END)
            route.outcome = GT_UNIMPLEMENTED;
        return route;
    }
    if (route.range->wake == GT_WAKE_NONE) {
        route.outcome = GT_UNIMPLEMENTED;
        return route;
    }
    if (media_is_off(routing, route.range)) {
        route.outcome = GT_FUSED_OFF;
        return route;
    }
    if (!is_awake(wake, route.range)) {
        route.shadowed = write && is_shadowed(address);
        if (!route.shadowed && !gt_forcewake_owns(wake, address & ~3u)) {
            route.outcome = GT_ASLEEP;
            return route;
        }
    }
    enum gt_group group = (enum gt_group)route.range->group;
    uint32_t instances = gt_routing_instances(routing, group);
    if (!write || !(routing->steering[agent] & MULTICAST)) {
        route.instance = gt_routing_steered(routing, agent, group);
        instances &= 1u << route.instance;
    }
    route.instances = instances;
    route.outcome = instances ? GT_REACHED : GT_FUSED_OFF;
    return route;
}

struct gt_route gt_routing_read(const struct gt_routing *routing, const struct gt_forcewake *wake,
                                enum gt_agent agent, uint32_t address)
{
    return route_of(routing, wake, agent, address, false);
}

struct gt_route gt_routing_write(const struct gt_routing *routing, const struct gt_forcewake *wake,
                                 enum gt_agent agent, uint32_t address)
{
    return route_of(routing, wake, agent, address, true);
}

const char *gt_outcome_name(enum gt_outcome outcome)
{
    static const char *const names[] = {"reached", "asleep",     "fused off", "unimplemented",
                                        "mchbar",  "hypervisor", "elsewhere"};
    return (unsigned)outcome < sizeof names / sizeof *names ? names[outcome] : NULL;
}

/* ---- alias and virtualization ---------------------------------------------------------------- */

static bool aligned_within(uint32_t address, unsigned bytes)
{
    return GT_IS_MCHBAR(address) && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) &&
           address % bytes == 0;
}

int gt_routing_read_mchbar(const struct gt_routing *routing, uint32_t address, unsigned bytes,
                           uint64_t *out)
{
    if (!aligned_within(address, bytes) || bytes == 1)
        return -EINVAL;
    *out = load_le(routing->mchbar + (address - GT_MCHBAR_FIRST), bytes);
    return 0;
}

int gt_routing_set_mchbar(struct gt_routing *routing, uint32_t address, unsigned bytes,
                          uint64_t value)
{
    if (!aligned_within(address, bytes))
        return -EINVAL;
    store_le(routing->mchbar + (address - GT_MCHBAR_FIRST), bytes, value);
    return 0;
}

uint32_t gt_routing_read_hypervisor(const struct gt_routing *routing, uint32_t address)
{
    if (address - GT_HYPERVISOR_FIRST >= GT_HYPERVISOR_BYTES || !routing->hypervisor_read)
        return 0;
    return routing->hypervisor_read(routing->hypervisor_context, address);
}
