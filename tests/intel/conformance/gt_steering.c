/* SPDX-License-Identifier: MIT */
/* Steering, fuses, force wake registers, and the ranges outside the GT, of the Lakefield PRM. */
#include "intel/conformance/gpu_check.h"
#include "intel/conformance/lakefield.h"

#include "intel/gt/routing.h"
#include "intel/parts.h"
#include "intel/registers.h"

static struct gt_routing routing; /* 32 KiB */
static struct gt_forcewake wake;

enum { SLICE = 0x7000, SUBSLICE = 0xe400, L3BANK = 0xb100, PLAIN = 0x2b00 };

static void all_awake(void)
{
    gt_forcewake_init(&wake, INTEL_LKF, 0);
    gt_forcewake_hold(&wake, GT_DOMAINS, true);
    gt_routing_init(&routing, 8);
}

static void steer(enum gt_agent agent, uint32_t value)
{
    gt_routing_write32(&routing, agent == GT_AGENT_CS ? 0x20cc : 0xfdc, value);
}

static struct gt_route write_to(uint32_t address)
{
    return gt_routing_write(&routing, &wake, GT_AGENT_HOST, address);
}

static struct gt_route read_from(uint32_t address)
{
    return gt_routing_read(&routing, &wake, GT_AGENT_HOST, address);
}

/* ---- steering -------------------------------------------------------------------------------- */

static bool access_points(struct conformance_fault *fault)
{
    all_awake();
    steer(GT_AGENT_HOST, 0x02000000);
    steer(GT_AGENT_CS, 0x05000000);
    HOLDS(gt_routing_write(&routing, &wake, GT_AGENT_HOST, SUBSLICE).instances == 1 << 2,
          "FDCh is for accesses from outside");
    HOLDS(gt_routing_write(&routing, &wake, GT_AGENT_CS, SUBSLICE).instances == 1 << 5,
          "20CCh is for those of the command streamer");
    HOLDS(gt_routing_read32(&routing, 0xfdc) == 0x02000000, "FDCh");
    HOLDS(gt_routing_read32(&routing, 0x20cc) == 0x05000000, "20CCh");
    return true;
}

static bool steering_defaults(struct conformance_fault *fault)
{
    static const uint32_t at[] = {0xfdc, 0x20cc};
    for (size_t i = 0; i < COUNT(at); i++) {
        all_awake();
        HOLDS(gt_routing_read32(&routing, at[i]) == 0x80000000, "default");
        gt_routing_write32(&routing, at[i], 0xffffffff);
        HOLDS(gt_routing_read32(&routing, at[i]) == 0xff000000, "fields");
        gt_routing_reset(&routing);
        HOLDS(gt_routing_read32(&routing, at[i]) == 0x80000000, "after reset");
    }
    all_awake();
    HOLDS(write_to(SUBSLICE).instances == 0xff, "the default does not write all");
    HOLDS(read_from(SUBSLICE).instance == 0, "the default does not read subslice 0");
    return true;
}

static bool multicast_writes(struct conformance_fault *fault)
{
    all_awake();
    for (unsigned slice = 0; slice < 16; slice++)
        for (unsigned subslice = 0; subslice < 8; subslice++) {
            steer(GT_AGENT_HOST, 0x80000000 | slice << 27 | subslice << 24);
            HOLDS(write_to(SUBSLICE).instances == 0xff, "%u, %u", slice, subslice);
            HOLDS(write_to(L3BANK).instances == 0xff, "%u, %u", slice, subslice);
            HOLDS(write_to(SLICE).instances == 1, "%u, %u", slice, subslice);
        }
    return true;
}

/* Reads, with and without multicast, return the value of the selected instance. */
static bool reads(struct conformance_fault *fault)
{
    all_awake();
    for (unsigned i = 0; i < 16; i++) {
        steer(GT_AGENT_HOST, (i & 8u) << 28 | (i & 7) << 24);
        HOLDS(read_from(SUBSLICE).instances == 1u << (i & 7), "subslice %u", i & 7);
        HOLDS(read_from(L3BANK).instance == (i & 7), "bank %u", i & 7);
    }
    return true;
}

static bool unicast_writes(struct conformance_fault *fault)
{
    all_awake();
    for (unsigned i = 0; i < 8; i++) {
        steer(GT_AGENT_HOST, i << 24);
        HOLDS(write_to(SUBSLICE).instances == 1u << i, "subslice %u", i);
        HOLDS(write_to(L3BANK).instances == 1u << i, "bank %u", i);
        HOLDS(write_to(SLICE).instances == 1, "slice 0");
    }
    return true;
}

static bool not_replicated(struct conformance_fault *fault)
{
    all_awake();
    for (uint32_t i = 0; i < 256; i++) {
        steer(GT_AGENT_HOST, i << 24);
        HOLDS(write_to(PLAIN).instances == 1 && read_from(PLAIN).instances == 1,
              "%02" PRIx32 "000000", i);
    }
    return true;
}

static bool own_addresses(struct conformance_fault *fault)
{
    static const uint32_t at[] = {0x2080, 0x22080, 0x1c0080, 0x1c8080, 0x1d0080};
    all_awake();
    for (size_t i = 0; i < COUNT(at); i++)
        for (uint32_t k = 0; k < 256; k++) {
            steer(GT_AGENT_HOST, k << 24);
            HOLDS(write_to(at[i]).outcome == GT_REACHED && write_to(at[i]).instances == 1,
                  "%06" PRIx32, at[i]);
        }
    return true;
}

static bool one_slice(struct conformance_fault *fault)
{
    all_awake();
    HOLDS(gt_routing_read32(&routing, 0x9138) == 1, "slice fuses");
    steer(GT_AGENT_HOST, 0x08000000); /* slice 1 */
    HOLDS(write_to(SLICE).outcome == GT_FUSED_OFF, "write to slice 1");
    HOLDS(read_from(SLICE).outcome == GT_FUSED_OFF, "read of slice 1");
    steer(GT_AGENT_HOST, 0);
    HOLDS(write_to(SLICE).instances == 1, "slice 0");
    return true;
}

/* ---- fuses ----------------------------------------------------------------------------------- */

static bool subslice_fuses(struct conformance_fault *fault)
{
    for (unsigned off = 0; off < 8; off++) {
        all_awake();
        routing.subslice_disable = (uint8_t)(1u << off);
        HOLDS(write_to(SUBSLICE).instances == (0xffu & ~(1u << off)), "multicast, %u", off);
        for (unsigned i = 0; i < 8; i++) {
            enum gt_outcome outcome = i == off ? GT_FUSED_OFF : GT_REACHED;
            steer(GT_AGENT_HOST, i << 24);
            HOLDS(write_to(SUBSLICE).outcome == outcome, "write of %u, %u off", i, off);
            HOLDS(read_from(SUBSLICE).outcome == outcome, "read of %u, %u off", i, off);
            steer(GT_AGENT_HOST, 0x80000000 | i << 24);
            HOLDS(read_from(SUBSLICE).outcome == outcome, "read of %u, %u off", i, off);
        }
    }
    return true;
}

/* fuse_gt_l3_disable[3:0] is in [3:0] and in [7:4]. */
static bool l3_fuses(struct conformance_fault *fault)
{
    for (unsigned fuse = 0; fuse < 16; fuse++) {
        all_awake();
        routing.l3_disable = (uint8_t)fuse;
        uint32_t off = fuse | fuse << 4;
        HOLDS(gt_routing_read32(&routing, 0x9118) == off, "9118h of %x", fuse);
        HOLDS(fuse == 15 || write_to(L3BANK).instances == (0xff & ~off), "%x", fuse);
        HOLDS(fuse != 15 || write_to(L3BANK).outcome == GT_FUSED_OFF, "%x", fuse);
        for (unsigned bank = 0; bank < 8; bank++) {
            steer(GT_AGENT_HOST, bank << 24);
            enum gt_outcome outcome = off >> bank & 1 ? GT_FUSED_OFF : GT_REACHED;
            HOLDS(read_from(L3BANK).outcome == outcome, "bank %u with %x", bank, fuse);
        }
        HOLDS(write_to(SUBSLICE).outcome == GT_REACHED, "no bank");
    }
    return true;
}

static bool fuse_reflections(struct conformance_fault *fault)
{
    static const uint8_t fuses[] = {0x00, 0x01, 0x1f, 0x80, 0xc0, 0xff};
    for (size_t i = 0; i < COUNT(fuses); i++) {
        all_awake();
        routing.subslice_disable = fuses[i];
        HOLDS(gt_routing_read32(&routing, 0x913c) == fuses[i], "913Ch of %x", fuses[i]);
        gt_routing_write32(&routing, 0x913c, ~(uint32_t)fuses[i]);
        HOLDS(gt_routing_read32(&routing, 0x913c) == fuses[i], "913Ch is no fuse");
    }
    gt_routing_init(&routing, 6); /* GT1.5: subslices 6 and 7 are off, past fuse bit 4 */
    HOLDS(gt_routing_read32(&routing, 0x913c) == 0xc0, "913Ch of GT1.5");
    return true;
}

static bool default_may_be_off(struct conformance_fault *fault)
{
    all_awake();
    routing.subslice_disable = 0x03;
    HOLDS(read_from(SUBSLICE).outcome == GT_FUSED_OFF, "the default reads a dummy 0");
    unsigned first = gt_routing_first(&routing, GT_GROUP_SUBSLICE);
    HOLDS(first == 2, "the first enabled is %u", first);
    steer(GT_AGENT_HOST, 0x80000000 | first << 24);
    HOLDS(read_from(SUBSLICE).instance == 2, "steered");
    HOLDS(write_to(SUBSLICE).instances == 0xfc, "writes go to the others anyway");
    return true;
}

static bool context_save(struct conformance_fault *fault)
{
    for (unsigned disabled = 0; disabled < 255; disabled++) {
        unsigned first = 0;
        while (disabled >> first & 1)
            first++;
        all_awake();
        routing.subslice_disable = (uint8_t)disabled;
        steer(GT_AGENT_HOST, 0x07000000); /* regardless of the steering */
        HOLDS(gt_routing_first(&routing, GT_GROUP_SUBSLICE) == first, "%02x", disabled);
    }
    return true;
}

/* The wells of a GPU: registers of each replication group and of a media slice keep their values
 * or lose them, but answer only while their well is requested. */
static bool powered_down(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const struct {
        uint32_t at, request, after;
    } rows[] = {{0x7014, 0xa278, 0x5a}, {0xb118, 0xa278, 0x5a}, {0xe18c, 0xa278, 0x5a},
                {0x9524, 0xa278, 0x5a}, {0x1c3f18, 0xa540, 0},  {0x1d3f18, 0xa548, 0}};
    wr(rig, 0xa188, 0x00010001);
    wr(rig, 0xa210, 3);
    for (size_t i = 0; i < COUNT(rows); i++) {
        wr(rig, rows[i].request, 0x00010001);
        wr(rig, rows[i].at, 0x00ff005a);
        uint32_t value = rd(rig, rows[i].at);
        HOLDS((value & 0xff) == 0x5a, "%06" PRIx32 " is %" PRIx32, rows[i].at, value);
        wr(rig, rows[i].request, 0x00010000);
        HOLDS(rd(rig, rows[i].at) == 0, "%06" PRIx32 " answers", rows[i].at);
        HOLDS(!strcmp(tally_gpu_outcome(rig->gpu, rows[i].at, true), "asleep"), "a write");
        wr(rig, rows[i].at, 0x00ff0077);
        wr(rig, rows[i].request, 0x00010001);
        HOLDS((rd(rig, rows[i].at) & 0xff) == rows[i].after, "%06" PRIx32 " is %" PRIx32,
              rows[i].at, rd(rig, rows[i].at));
    }
    return true;
}

/* ---- force wake ------------------------------------------------------------------------------ */

/* The document's table; status is the bit of A2A0h. */
static const struct {
    const char *name;
    unsigned domain;
    uint32_t request, ack, firmware;
    int firmware_bit, status;
} domains[] = {
    {"GT", GT_DOMAIN_GT, 0xa188, 0x130044, 0, -1, -1},
    {"Render", GT_DOMAIN_RENDER, 0xa278, 0x0d84, 0xa27c, 0, 1},
    {"VDBOX0", GT_DOMAIN_VDBOX0 + 0, 0xa540, 0x0d50, 0xa274, 0, 0},
    {"VDBOX1", GT_DOMAIN_VDBOX0 + 1, 0xa544, 0x0d54, 0xa274, 1, 0},
    {"VDBOX2", GT_DOMAIN_VDBOX0 + 2, 0xa548, 0x0d58, 0xa274, 2, 2},
    {"VDBOX3", GT_DOMAIN_VDBOX0 + 3, 0xa54c, 0x0d5c, 0xa274, 3, 2},
    {"VDBOX4", GT_DOMAIN_VDBOX0 + 4, 0xa550, 0x0d60, 0xa274, 4, 3},
    {"VDBOX5", GT_DOMAIN_VDBOX0 + 5, 0xa554, 0x0d64, 0xa274, 5, 3},
    {"VDBOX6", GT_DOMAIN_VDBOX0 + 6, 0xa558, 0x0d68, 0xa274, 6, 4},
    {"VDBOX7", GT_DOMAIN_VDBOX0 + 7, 0xa55c, 0x0d6c, 0xa274, 7, 4},
    {"VEBOX0", GT_DOMAIN_VEBOX0 + 0, 0xa560, 0x0d70, 0xa274, 8, 0},
    {"VEBOX1", GT_DOMAIN_VEBOX0 + 1, 0xa564, 0x0d74, 0xa274, 9, 2},
    {"VEBOX2", GT_DOMAIN_VEBOX0 + 2, 0xa568, 0x0d78, 0xa274, 10, 3},
    {"VEBOX3", GT_DOMAIN_VEBOX0 + 3, 0xa56c, 0x0d7c, 0xa274, 11, 4},
};

static void one_domain(size_t i, uint32_t latency)
{
    gt_forcewake_init(&wake, INTEL_LKF, latency);
    wake.present |= GT_DOMAIN_BIT(domains[i].domain);
}

static bool requests_and_acks(struct conformance_fault *fault)
{
    for (size_t i = 0; i < COUNT(domains); i++) {
        one_domain(i, 10);
        gt_forcewake_write32(&wake, domains[i].request, 0x00010001);
        HOLDS(gt_forcewake_read32(&wake, domains[i].request) == 1, "request");
        HOLDS(gt_forcewake_read32(&wake, domains[i].ack) == 0, "acknowledged at once");
        gt_forcewake_run(&wake, 10);
        HOLDS(gt_forcewake_read32(&wake, domains[i].ack) == 1, "not acknowledged");
        for (unsigned d = 0; d < GT_DOMAINS; d++)
            HOLDS(gt_forcewake_awake(&wake, (enum gt_domain)d) == (d == domains[i].domain),
                  "%s: domain %u", domains[i].name, d);
        for (size_t k = 0; k < COUNT(domains); k++)
            HOLDS(k == i || gt_forcewake_read32(&wake, domains[k].ack) == 0, "%s", domains[k].name);
        gt_forcewake_write32(&wake, domains[i].request, 0x00010000);
        HOLDS(gt_forcewake_read32(&wake, domains[i].ack) == 0, "not released");
        HOLDS(!gt_forcewake_awake(&wake, (enum gt_domain)domains[i].domain), "awake");
    }
    return true;
}

static bool firmware_requests(struct conformance_fault *fault)
{
    for (size_t i = 0; i < COUNT(domains); i++) {
        if (domains[i].firmware_bit < 0)
            continue;
        uint32_t bit = 1u << domains[i].firmware_bit;
        one_domain(i, 0);
        gt_forcewake_write32(&wake, domains[i].firmware, bit << 16 | bit);
        HOLDS(gt_forcewake_awake(&wake, (enum gt_domain)domains[i].domain), "%s", domains[i].name);
        HOLDS(gt_forcewake_read32(&wake, domains[i].ack) == 0,
              "%s: acknowledged without a driver request", domains[i].name);
        gt_forcewake_write32(&wake, domains[i].firmware, bit << 16);
        HOLDS(!gt_forcewake_awake(&wake, (enum gt_domain)domains[i].domain), "%s", domains[i].name);
    }
    return true;
}

static bool wake_status(struct conformance_fault *fault)
{
    for (size_t i = 0; i < COUNT(domains); i++) {
        uint32_t status = domains[i].status < 0 ? 0 : 1u << domains[i].status;
        one_domain(i, 0);
        HOLDS(gt_forcewake_read32(&wake, 0xa2a0) == 0, "%s", domains[i].name);
        gt_forcewake_write32(&wake, domains[i].request, 0x00010001);
        HOLDS(gt_forcewake_read32(&wake, 0xa2a0) == status, "%s", domains[i].name);
        gt_forcewake_write32(&wake, 0xa2a0, 0xffffffff);
        HOLDS(gt_forcewake_read32(&wake, 0xa2a0) == status, "%s: written", domains[i].name);
    }
    return true;
}

static bool as_configured(struct conformance_fault *fault)
{
    gt_forcewake_init(&wake, INTEL_LKF, 0);
    for (size_t i = 0; i < COUNT(domains); i++) {
        bool there =
            domains[i].domain < GT_DOMAIN_VDBOX0 || domains[i].domain == GT_DOMAIN_VDBOX0 ||
            domains[i].domain == GT_DOMAIN_VDBOX0 + 2 || domains[i].domain == GT_DOMAIN_VEBOX0;
        gt_forcewake_write32(&wake, domains[i].request, 0x00010001);
        HOLDS(gt_forcewake_read32(&wake, domains[i].ack) == there, "%s", domains[i].name);
    }
    return true;
}

static bool no_wake_needed(struct conformance_fault *fault)
{
    static const uint32_t at[] = {0xfdc, 0xd84, 0x24040};
    gt_forcewake_init(&wake, INTEL_LKF, 0);
    gt_routing_init(&routing, 8);
    for (size_t i = 0; i < COUNT(at); i++)
        HOLDS(read_from(at[i]).outcome == GT_REACHED, "%05" PRIx32, at[i]);
    for (size_t i = 0; i < COUNT(domains); i++)
        HOLDS(write_to(domains[i].request).outcome == GT_REACHED, "the request of %s",
              domains[i].name);
    return true;
}

static bool shadow_registers(struct conformance_fault *fault)
{
    static const uint32_t at[] = {0x2030,   0x2510,   0x251c,   0x2550,  0xa008,   0xa00c,
                                  0x22030,  0x22230,  0x22510,  0x22550, 0x1c0030, 0x1c0230,
                                  0x1c0510, 0x1c8030, 0x1d0030, 0x1d0550};
    gt_forcewake_init(&wake, INTEL_LKF, 0);
    gt_routing_init(&routing, 8);
    for (size_t i = 0; i < COUNT(at); i++) {
        struct gt_route write = write_to(at[i]);
        HOLDS(write.outcome == GT_REACHED && write.shadowed, "write of %06" PRIx32, at[i]);
        HOLDS(read_from(at[i]).outcome == GT_ASLEEP, "read of %06" PRIx32, at[i]);
        HOLDS(write_to(at[i] + 0x100).outcome == GT_ASLEEP, "%06" PRIx32, at[i] + 0x100);
    }
    return true;
}

/* ---- ranges outside the GT ------------------------------------------------------------------- */

static bool mchbar_reads(struct conformance_fault *fault)
{
    gt_routing_init(&routing, 8);
    gt_forcewake_init(&wake, INTEL_LKF, 0);
    for (uint32_t at = 0x140000; at < 0x148000; at += 8)
        gt_routing_set_mchbar(&routing, at, 8, UINT64_C(0x1111111100000000) * (at >> 12 & 7) + at);
    for (uint32_t at = 0x140000; at < 0x148000; at += 8) {
        uint64_t value = 0, whole = UINT64_C(0x1111111100000000) * (at >> 12 & 7) + at;
        HOLDS(read_from(at).outcome == GT_MCHBAR, "%06" PRIx32, at);
        for (unsigned bytes = 2; bytes <= 8; bytes *= 2)
            for (unsigned k = 0; k < 8; k += bytes)
                HOLDS(!gt_routing_read_mchbar(&routing, at + k, bytes, &value) &&
                          value == (whole >> 8 * k & (bytes == 8   ? UINT64_MAX
                                                      : bytes == 4 ? 0xffffffff
                                                                   : 0xffff)),
                      "%u bytes at %06" PRIx32, bytes, at + k);
    }
    return true;
}

static bool mchbar_alignment(struct conformance_fault *fault)
{
    uint64_t value;
    gt_routing_init(&routing, 8);
    for (unsigned bytes = 1; bytes <= 9; bytes++)
        for (unsigned k = 0; k < 16; k++) {
            bool good = (bytes == 2 || bytes == 4 || bytes == 8) && k % bytes == 0;
            HOLDS((gt_routing_read_mchbar(&routing, 0x145990 + k, bytes, &value) == 0) == good,
                  "%u bytes at +%u", bytes, k);
        }
    return true;
}

/* A write reaches the alias and is dropped, as there is no register to store it. */
static bool mchbar_writes(struct conformance_fault *fault)
{
    uint64_t value = 0;
    gt_forcewake_init(&wake, INTEL_LKF, 0);
    gt_routing_init(&routing, 8);
    gt_routing_set_mchbar(&routing, 0x145998, 4, 0x00120a0c);
    gt_routing_write32(&routing, 0x145998, 0xffffffff);
    HOLDS(write_to(0x145998).outcome == GT_MCHBAR, "outcome");
    gt_routing_read_mchbar(&routing, 0x145998, 4, &value);
    HOLDS(value == 0x00120a0c, "written");
    struct gt_route cs = gt_routing_read(&routing, &wake, GT_AGENT_CS, 0x145998);
    HOLDS(cs.outcome == GT_MCHBAR, "the GT itself reads it too");
    return true;
}

static bool mchbar_size(struct conformance_fault *fault)
{
    uint64_t value;
    gt_forcewake_init(&wake, INTEL_LKF, 0);
    gt_routing_init(&routing, 8);
    HOLDS(read_from(0x147ffc).outcome == GT_MCHBAR, "the last");
    for (uint32_t at = 0x148000; at < 0x150000; at += 4) {
        HOLDS(read_from(at).outcome == GT_UNIMPLEMENTED, "%06" PRIx32, at);
        HOLDS(write_to(at).outcome == GT_UNIMPLEMENTED, "%06" PRIx32, at);
        HOLDS(gt_routing_read_mchbar(&routing, at, 4, &value) < 0, "%06" PRIx32, at);
    }
    return true;
}

static uint32_t vmm(void *context, uint32_t address)
{
    return *(uint32_t *)context ^ address;
}

static bool hypervisor_range(struct conformance_fault *fault)
{
    uint32_t key = 0x5a000000;
    gt_forcewake_init(&wake, INTEL_LKF, 0);
    gt_routing_init(&routing, 8);
    for (uint32_t at = 0x178000; at < 0x179000; at += 4) {
        HOLDS(read_from(at).outcome == GT_HYPERVISOR, "%06" PRIx32, at);
        HOLDS(gt_routing_read_hypervisor(&routing, at) == 0, "%06" PRIx32, at);
    }
    routing.hypervisor_read = vmm;
    routing.hypervisor_context = &key;
    for (uint32_t at = 0x178000; at < 0x179000; at += 4)
        HOLDS(gt_routing_read_hypervisor(&routing, at) == (0x5a000000 ^ at), "%06" PRIx32, at);
    HOLDS(read_from(0x177ffc).outcome == GT_ELSEWHERE, "before it");
    HOLDS(read_from(0x179000).outcome == GT_ELSEWHERE, "after it");
    return true;
}

static bool hypervisor_writes(struct conformance_fault *fault)
{
    struct reg_place place;
    gt_forcewake_init(&wake, INTEL_LKF, 0);
    gt_routing_init(&routing, 8);
    for (uint32_t at = 0x178000; at < 0x179000; at += 4) {
        gt_routing_write32(&routing, at, 0xffffffff);
        HOLDS(write_to(at).outcome == GT_HYPERVISOR, "%06" PRIx32, at);
        HOLDS(gt_routing_read_hypervisor(&routing, at) == 0, "%06" PRIx32, at);
        HOLDS(!intel_register_find(INTEL_LKF, at, REG_READ, &place), "a register is at %06" PRIx32,
              at);
    }
    return true;
}

#define DOCUMENT  "004"
#define FILE_NAME "gt_steering.c"
#define TABLE     "Force Wake and Steering Table"
#define STEERING  "Multicast Steering and Die Recovery"
#define UNCORE    "Uncore Registers"
#define RESERVED  "SW Virtualization Reserved MMIO range"

/* clang-format off */
const struct conformance_case gt_steering_cases[] = {
    CHECKED("004-STEER-01", TABLE, "FDCh steers accesses from outside the GT, 20CCh those of the command streamer, and no other steering register exists (OA-E26)", "lkf", access_points),
    CHECKED("004-STEER-02", TABLE, "Both registers have the fields multicast, sliceid and subsliceid (OA-U19); the default is multicast, slice 0, subslice 0", "lkf", steering_defaults),
    CHECKED("004-STEER-03", TABLE, "A multicast write reaches all instances, regardless of sliceid and subsliceid", "lkf", multicast_writes),
    CHECKED("004-STEER-04", TABLE, "A multicast read, like a unicast read, returns the value of the instance that sliceid and subsliceid select", "lkf", reads),
    CHECKED("004-STEER-05", TABLE, "A unicast write reaches only the selected instance", "lkf", unicast_writes),
    CHECKED("004-STEER-06", TABLE, "The multicast field has no effect on a target that is not replicated", "lkf", not_replicated),
    CHECKED("004-STEER-07", TABLE, "For steering, all actual products have one slice", "lkf", one_slice),
    CHECKED("004-STEER-08", TABLE, "subsliceid selects one of eight subslices; one that is fused off drops writes and reads 0", "lkf", subslice_fuses),
    CHECKED("004-STEER-09", TABLE, "subsliceid selects one of eight L3 banks; fuse_gt_l3_disable disables them, and 9118h[7:0] shows the fuse twice", "lkf", l3_fuses),
    CHECKED("004-STEER-10", TABLE, "913Ch[7:0] shows the subslice fuses, eight and not five (OA-E24)", "lkf", fuse_reflections),
    CHECKED("004-STEER-11", STEERING, "Instances with their own address ranges (VDBOX, VEBOX, command streamers) are not steered", "lkf", own_addresses),
    CHECKED("004-STEER-12", STEERING, "With subslice 0 disabled, the default steering reads 0; steering to an enabled instance reads its value", "lkf", default_may_be_off),
    CHECKED("004-STEER-13", STEERING, "Context save reads the first enabled instance, regardless of the steering", "lkf", context_save),
    CHECKED_ROW("004-STEER-14", STEERING, "Instances and wells that are power gated also read 0 and drop writes", "lkf", on_gpu, ASLEEP(powered_down)),
    CHECKED("004-WAKE-01", TABLE, "Driver ForceWake Req and Ack exist for all 14 domains, and each request wakes its own domain", "lkf", requests_and_acks),
    CHECKED("004-WAKE-02", TABLE, "The firmware's ForceWake Req is A27Ch for render and A274h[11:0] for the media domains", "lkf", firmware_requests),
    CHECKED("004-WAKE-03", TABLE, "ForceWake Status, A2A0h, has a bit for each domain", "lkf", wake_status),
    CHECKED("004-WAKE-04", TABLE, "LKF has VDBOX0, VDBOX2 and VEBOX0; requests for domains outside the configuration are not acknowledged", "lkf", as_configured),
    CHECKED("004-WAKE-05", TABLE, "AON registers, the requests included, need no force wake", "lkf", no_wake_needed),
    CHECKED("004-WAKE-06", TABLE, "Shadow registers need no force wake for writes (OA-4.3)", "lkf", shadow_registers),
    CHECKED("004-MCH-01", UNCORE, "Aligned word, dword and qword reads of 140000h-147FFFh return the memory controller's registers", "lkf", mchbar_reads),
    CHECKED("004-MCH-02", UNCORE, "Accesses of other sizes and alignments do not reach the memory controller", "lkf", mchbar_alignment),
    CHECKED("004-MCH-03", UNCORE, "The CPU and the GT can read the range; writes have no effect", "lkf", mchbar_writes),
    CHECKED("004-MCH-04", UNCORE, "The range, also printed as 140000h-14FFFFh, ends at 147FFFh: from 148000h on it reads 0 (OA-E25)", "lkf", mchbar_size),
    CHECKED("004-VIRT-01", RESERVED, "Reads of 178000h-178FFFh return 0, or what a hypervisor provides", "lkf", hypervisor_range),
    CHECKED("004-VIRT-02", RESERVED, "The range has no register and ignores all writes", "lkf", hypervisor_writes),
};
/* clang-format on */
const size_t gt_steering_case_count = COUNT(gt_steering_cases);
