/* SPDX-License-Identifier: MIT */
/* MMIO routing: OA-4.3 to OA-4.5, and the golden vectors of OA-8. */
#include "intel/tests.h"

#include <errno.h>

#include "intel/parts.h"

static struct gt_routing routing; /* 32 KiB */

/* ---- the table ------------------------------------------------------------------------------- */

static void test_ranges_ascend(void **state)
{
    (void)state;
    for (size_t i = 0; i < gt_range_count; i++) {
        const struct gt_range *r = &gt_ranges[i];
        ROW(__LINE__, r->first <= r->last && r->first % 16 == 0 && r->last % 16 == 15, "%06" PRIx32,
            r->first);
        ROW(__LINE__, i == 0 || r->first > r[-1].last, "%06" PRIx32 " overlaps", r->first);
        ROW(__LINE__, gt_range_find(r->first) == r, "%06" PRIx32, r->first);
        ROW(__LINE__, gt_range_find(r->last) == r, "%06" PRIx32, r->last);
        ROW(__LINE__, *r->unit && r->section && r->note, "%06" PRIx32, r->first);
        ROW(__LINE__, r->wake != GT_WAKE_NONE || r->group == GT_GROUP_NONE, "%06" PRIx32, r->first);
        uint32_t next = i + 1 < gt_range_count ? r[1].first : 0x240000;
        if (next == r->last + 1)
            continue;
        ROW(__LINE__, r->last == 0xbfff || r->last == 0x3ffff, "gap after %06" PRIx32, r->last);
        ROW(__LINE__, !gt_range_find(r->last + 1) && !gt_range_find(next - 1), "%06" PRIx32,
            r->last);
    }
    assert_int_equal(gt_range_count, 170);
    assert_null(gt_range_find(0x240000));
    assert_null(gt_range_find(UINT32_MAX));
    ROWS_DONE();
}

/* Splits a line into its fields, in place. */
static unsigned split(char *line, char *fields[], unsigned max)
{
    unsigned count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    while (count < max) {
        fields[count++] = line;
        line = strchr(line, ',');
        if (!line)
            break;
        *line++ = '\0';
    }
    return count;
}

/* Every row of the document's table. */
static void test_ranges_are_the_documents(void **state)
{
    (void)state;
    static const char *const wakes[] = {"", "INF/COH", "GTI", "RENDER", "MEDIA0", "MEDIA2"};
    static const char *const groups[] = {"", "SLICE", "SUBSLICE", "L3BANK"};
    char path[512], line[512], *f[11];
    size_t i = 0;
    NEEDS_SHARED(path, "data/lkf-mmio-ranges.csv");
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file)); /* header */
    for (; fgets(line, sizeof line, file) && i < gt_range_count; i++) {
        const struct gt_range *r = &gt_ranges[i];
        assert_int_equal(split(line, f, COUNT(f)), COUNT(f));
        ROW(__LINE__, r->first == strtoul(f[0], NULL, 16) && r->last == strtoul(f[1], NULL, 16),
            "%s-%s", f[0], f[1]);
        ROW(__LINE__, r->last - r->first + 1 == strtoul(f[2], NULL, 10), "%s: %s bytes", f[0],
            f[2]);
        ROW(__LINE__, !strcmp(r->section, f[3]) && !strcmp(r->unit, f[4]), "%s: %s, %s", f[0], f[3],
            f[4]);
        /* TSG1 is printed without a wake target; our table has the decision of OA-4.4. */
        ROW(__LINE__, !strcmp(r->first == 0x5400 ? "" : wakes[r->wake], f[6]), "%s: wake %s", f[0],
            f[6]);
        ROW(__LINE__, !strcmp(groups[r->group], f[8]) && (*f[7] == 'Y') == (r->group != 0),
            "%s: group %s", f[0], f[8]);
        ROW(__LINE__, r->count == strtoul(f[9], NULL, 10), "%s: %s instances", f[0], f[9]);
    }
    ROW(__LINE__, i == gt_range_count && !fgets(line, sizeof line, file), "%zu rows", i);
    fclose(file);
    ROWS_DONE();
}

/* ---- asleep and awake ------------------------------------------------------------------------ */

/* Returns the domain that wakes a range; GT_DOMAINS if none does or none is needed. */
static unsigned waker(const struct gt_range *range)
{
    switch (range->wake) {
    case GT_WAKE_GTI:
        return GT_DOMAIN_GT;
    case GT_WAKE_RENDER:
        return GT_DOMAIN_RENDER;
    case GT_WAKE_MEDIA0:
        return GT_DOMAIN_VDBOX0;
    case GT_WAKE_MEDIA2:
        return GT_DOMAIN_VDBOX0 + 2;
    default:
        return GT_DOMAINS;
    }
}

static void test_every_range_asleep_and_awake(void **state)
{
    (void)state;
    gt_routing_init(&routing, 8);
    for (size_t i = 0; i < gt_range_count; i++) {
        const struct gt_range *r = &gt_ranges[i];
        uint32_t at = r->last - 3; /* no shadowed register is the last of a range */
        for (unsigned d = 0; d <= GT_DOMAINS; d++) {
            struct gt_forcewake wake;
            gt_forcewake_init(&wake, INTEL_LKF, 0);
            if (d < GT_DOMAINS)
                gt_forcewake_hold(&wake, (enum gt_domain)d, true);
            bool awake = r->wake == GT_WAKE_AON || (d < GT_DOMAINS && d == waker(r)) ||
                         (d == GT_DOMAIN_VEBOX0 && r->first >= 0x1c8000 && r->first <= 0x1cbfff);
            enum gt_outcome expected = r->wake == GT_WAKE_NONE ? GT_UNIMPLEMENTED
                                       : awake                 ? GT_REACHED
                                                               : GT_ASLEEP;
            for (unsigned agent = 0; agent < GT_AGENTS; agent++) {
                struct gt_route read = gt_routing_read(&routing, &wake, (enum gt_agent)agent, at);
                struct gt_route write = gt_routing_write(&routing, &wake, (enum gt_agent)agent, at);
                ROW(__LINE__, read.outcome == expected && read.range == r,
                    "read of %06" PRIx32 " with domain %u: %s", at, d,
                    gt_outcome_name(read.outcome));
                ROW(__LINE__, write.outcome == expected && write.range == r && !write.shadowed,
                    "write of %06" PRIx32 ": %s", at, gt_outcome_name(write.outcome));
                ROW(__LINE__, (read.instances != 0) == (expected == GT_REACHED), "%06" PRIx32, at);
            }
        }
    }
    ROWS_DONE();
}

/* Single addresses, all domains asleep. */
static void test_addresses(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t address;
        enum gt_outcome read, write;
    } rows[] = {
        {__LINE__, 0x002030, GT_ASLEEP, GT_REACHED}, /* shadowed: ring tail */
        {__LINE__, 0x002031, GT_ASLEEP, GT_REACHED}, /* one of its bytes */
        {__LINE__, 0x002034, GT_ASLEEP, GT_ASLEEP},
        {__LINE__, 0x00250c, GT_ASLEEP, GT_ASLEEP},
        {__LINE__, 0x002510, GT_ASLEEP, GT_REACHED}, /* the submission queue */
        {__LINE__, 0x00251c, GT_ASLEEP, GT_REACHED},
        {__LINE__, 0x002550, GT_ASLEEP, GT_REACHED},
        {__LINE__, 0x002554, GT_ASLEEP, GT_ASLEEP},
        {__LINE__, 0x00a004, GT_ASLEEP, GT_ASLEEP},
        {__LINE__, 0x00a008, GT_ASLEEP, GT_REACHED},
        {__LINE__, 0x00a00c, GT_ASLEEP, GT_REACHED},
        {__LINE__, 0x00a010, GT_ASLEEP, GT_ASLEEP},
        {__LINE__, 0x022030, GT_ASLEEP, GT_REACHED},
        {__LINE__, 0x022230, GT_ASLEEP, GT_REACHED},
        {__LINE__, 0x02250c, GT_ASLEEP, GT_ASLEEP},
        {__LINE__, 0x022510, GT_ASLEEP, GT_REACHED},
        {__LINE__, 0x022550, GT_ASLEEP, GT_REACHED},
        {__LINE__, 0x022554, GT_ASLEEP, GT_ASLEEP},
        {__LINE__, 0x1c0030, GT_ASLEEP, GT_REACHED},
        {__LINE__, 0x1c0230, GT_ASLEEP, GT_REACHED},
        {__LINE__, 0x1c0510, GT_ASLEEP, GT_REACHED},
        {__LINE__, 0x1c0550, GT_ASLEEP, GT_REACHED},
        {__LINE__, 0x1c0554, GT_ASLEEP, GT_ASLEEP},
        {__LINE__, 0x1c8030, GT_ASLEEP, GT_REACHED},
        {__LINE__, 0x1d0030, GT_ASLEEP, GT_REACHED},
        {__LINE__, 0x1c4030, GT_UNIMPLEMENTED, GT_UNIMPLEMENTED}, /* VDBOX1 is reserved */
        {__LINE__, 0x1d8030, GT_UNIMPLEMENTED, GT_UNIMPLEMENTED},
        {__LINE__, 0x00a188, GT_REACHED, GT_REACHED}, /* force wake itself */
        {__LINE__, 0x00a278, GT_REACHED, GT_REACHED},
        {__LINE__, 0x00a2a0, GT_REACHED, GT_REACHED},
        {__LINE__, 0x000d84, GT_REACHED, GT_REACHED},
        {__LINE__, 0x000fdc, GT_REACHED, GT_REACHED}, /* MGSR is always on */
        {__LINE__, 0x0020cc, GT_ASLEEP, GT_ASLEEP},
        {__LINE__, 0x009118, GT_ASLEEP, GT_ASLEEP},
        {__LINE__, 0x002b00, GT_ASLEEP, GT_ASLEEP}, /* OACONTROL: GTI */
        {__LINE__, 0x000000, GT_UNIMPLEMENTED, GT_UNIMPLEMENTED},
        {__LINE__, 0x200000, GT_UNIMPLEMENTED, GT_UNIMPLEMENTED},
        {__LINE__, 0x00c000, GT_ELSEWHERE, GT_ELSEWHERE},
        {__LINE__, 0x044200, GT_ELSEWHERE, GT_ELSEWHERE}, /* display */
        {__LINE__, 0x130044, GT_ELSEWHERE, GT_ELSEWHERE},
        {__LINE__, 0x13fffc, GT_ELSEWHERE, GT_ELSEWHERE},
        {__LINE__, 0x140000, GT_MCHBAR, GT_MCHBAR},
        {__LINE__, 0x147fff, GT_MCHBAR, GT_MCHBAR},
        {__LINE__, 0x148000, GT_UNIMPLEMENTED, GT_UNIMPLEMENTED}, /* OA-E25 */
        {__LINE__, 0x14ffff, GT_UNIMPLEMENTED, GT_UNIMPLEMENTED},
        {__LINE__, 0x150000, GT_ELSEWHERE, GT_ELSEWHERE},
        {__LINE__, 0x177ffc, GT_ELSEWHERE, GT_ELSEWHERE},
        {__LINE__, 0x178000, GT_HYPERVISOR, GT_HYPERVISOR},
        {__LINE__, 0x178fff, GT_HYPERVISOR, GT_HYPERVISOR},
        {__LINE__, 0x179000, GT_ELSEWHERE, GT_ELSEWHERE},
        {__LINE__, 0x190010, GT_ELSEWHERE, GT_ELSEWHERE}, /* interrupts */
        {__LINE__, 0x240000, GT_ELSEWHERE, GT_ELSEWHERE},
        {__LINE__, 0xffffffff, GT_ELSEWHERE, GT_ELSEWHERE},
    };
    struct gt_forcewake wake;
    gt_forcewake_init(&wake, INTEL_LKF, 0);
    gt_routing_init(&routing, 8);
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint32_t at = rows[i].address;
        struct gt_route read = gt_routing_read(&routing, &wake, GT_AGENT_HOST, at);
        struct gt_route write = gt_routing_write(&routing, &wake, GT_AGENT_HOST, at);
        ROW(rows[i].line, read.outcome == rows[i].read, "read: %s", gt_outcome_name(read.outcome));
        ROW(rows[i].line, write.outcome == rows[i].write, "write: %s",
            gt_outcome_name(write.outcome));
        ROW(rows[i].line,
            write.shadowed == (rows[i].read == GT_ASLEEP && rows[i].write == GT_REACHED),
            "shadowed");
    }
    assert_null(gt_outcome_name((enum gt_outcome)(GT_ELSEWHERE + 1)));
    ROWS_DONE();
}

/* ---- steering -------------------------------------------------------------------------------- */

/* Section 8's steering values; `fuses`: 9138h << 16 | 913Ch << 8 | 9118h[3:0]. */
static void test_steering(void **state)
{
    (void)state;
    enum { SUBSLICE = 0xe400, SLICE = 0x5500, L3BANK = 0xb100, PLAIN = 0x2b00, SSM = 0x9520 };
    static const struct {
        unsigned line;
        uint32_t steering, fuses, address, writes;
        int reads; /* the instance, or -1: fused off */
    } rows[] = {
        {__LINE__, 0x80000000, 0x010000, SUBSLICE, 0xff, 0},
        {__LINE__, 0x83000000, 0x010000, SUBSLICE, 0xff, 3},
        {__LINE__, 0x03000000, 0x010000, SUBSLICE, 0x08, 3},
        {__LINE__, 0x0f000000, 0x010000, SUBSLICE, 0x80, 7}, /* the slice id is ignored */
        {__LINE__, 0x0f000000, 0x010000, SLICE, 0, -1},
        {__LINE__, 0x80000000, 0x010100, SUBSLICE, 0xfe, -1}, /* the default reads subslice 0 */
        {__LINE__, 0x81000000, 0x010100, SUBSLICE, 0xfe, 1},
        {__LINE__, 0x00000000, 0x010100, SUBSLICE, 0, -1},
        {__LINE__, 0x86000000, 0x01c000, SUBSLICE, 0x3f, -1}, /* GT1.5: six subslices */
        {__LINE__, 0x85000000, 0x01c000, SSM, 0x3f, 5},
        {__LINE__, 0x80000000, 0x000000, SUBSLICE, 0, -1},
        {__LINE__, 0x80000000, 0x010000, SLICE, 0x01, 0},
        {__LINE__, 0x88000000, 0x010000, SLICE, 0x01, -1},
        {__LINE__, 0x88000000, 0x030000, SLICE, 0x03, 1},
        {__LINE__, 0x08000000, 0x030000, SLICE, 0x02, 1},
        {__LINE__, 0x78000000, 0xff0000, SLICE, 0, -1}, /* slice 15 */
        {__LINE__, 0x80000000, 0x010000, L3BANK, 0xff, 0},
        {__LINE__, 0x85000000, 0x010002, L3BANK, 0xdd, -1}, /* bank 5 follows bit 1 */
        {__LINE__, 0x06000000, 0x010002, L3BANK, 0x40, 6},
        {__LINE__, 0x0f000000, 0x010000, PLAIN, 0x01, 0}, /* not replicated */
    };
    struct gt_forcewake wake;
    gt_forcewake_init(&wake, INTEL_LKF, 0);
    gt_forcewake_hold(&wake, GT_DOMAINS, true);
    for (size_t i = 0; i < COUNT(rows) * GT_AGENTS; i++) {
        size_t k = i / GT_AGENTS;
        enum gt_agent agent = (enum gt_agent)(i % GT_AGENTS);
        unsigned line = rows[k].line;
        gt_routing_init(&routing, 8);
        routing.slice_enable = (uint8_t)(rows[k].fuses >> 16);
        routing.subslice_disable = (uint8_t)(rows[k].fuses >> 8);
        routing.l3_disable = (uint8_t)rows[k].fuses;
        gt_routing_write32(&routing, agent == GT_AGENT_CS ? 0x20cc : 0xfdc, rows[k].steering);
        struct gt_route write = gt_routing_write(&routing, &wake, agent, rows[k].address);
        struct gt_route read = gt_routing_read(&routing, &wake, agent, rows[k].address);
        ROW(line, write.instances == rows[k].writes, "writes reach %" PRIx32, write.instances);
        ROW(line, write.outcome == (rows[k].writes ? GT_REACHED : GT_FUSED_OFF), "write: %s",
            gt_outcome_name(write.outcome));
        ROW(line, read.outcome == (rows[k].reads >= 0 ? GT_REACHED : GT_FUSED_OFF), "read: %s",
            gt_outcome_name(read.outcome));
        if (rows[k].reads >= 0)
            ROW(line, (int)read.instance == rows[k].reads && read.instances == 1u << rows[k].reads,
                "reads %u", read.instance);
    }
    ROWS_DONE();
}

static void test_power_and_media_fuses(void **state)
{
    (void)state;
    struct gt_forcewake wake;
    gt_forcewake_init(&wake, INTEL_LKF, 0);
    gt_routing_init(&routing, 6);
    wake.present = gt_routing_present(&routing);
    gt_forcewake_hold(&wake, GT_DOMAINS, true);
    ROW(__LINE__, gt_routing_instances(&routing, GT_GROUP_SUBSLICE) == 0x3f, "six subslices");
    routing.subslice_disable = 0xf3;
    ROW(__LINE__, gt_routing_write(&routing, &wake, GT_AGENT_HOST, 0xe458).instances == 0x0c,
        "only the enabled ones");
    ROW(__LINE__, gt_routing_first(&routing, GT_GROUP_SUBSLICE) == 2, "context save");
    ROW(__LINE__, gt_routing_first(&routing, GT_GROUP_NONE) == 0, "not replicated");

    struct gt_forcewake defaults;
    gt_forcewake_init(&defaults, INTEL_LKF, 0);
    ROW(__LINE__, wake.present == defaults.present, "domains by fuses %" PRIx32, wake.present);
    ROW(__LINE__, gt_routing_read(&routing, &wake, GT_AGENT_HOST, 0x1d0000).outcome == GT_REACHED,
        "VDBOX2");
    routing.vdbox_disable = 0xff;
    ROW(__LINE__, gt_routing_read(&routing, &wake, GT_AGENT_HOST, 0x1d0000).outcome == GT_FUSED_OFF,
        "VDBOX2");
    ROW(__LINE__,
        gt_routing_write(&routing, &wake, GT_AGENT_HOST, 0x1d0030).outcome == GT_FUSED_OFF,
        "VDBOX2, shadowed");
    ROW(__LINE__, gt_routing_read(&routing, &wake, GT_AGENT_HOST, 0x1c8000).outcome == GT_REACHED,
        "VEBOX0");
    routing.vebox_disable = 0x0f;
    ROW(__LINE__, gt_routing_read(&routing, &wake, GT_AGENT_HOST, 0x1c8000).outcome == GT_FUSED_OFF,
        "VEBOX0");
    ROWS_DONE();
}

/* ---- contents -------------------------------------------------------------------------------- */

static void test_registers(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t address, reset, ones; /* `ones`: after a write of all ones */
    } rows[] = {
        {__LINE__, 0x00fdc, 0x80000000, 0xff000000},
        {__LINE__, 0x020cc, 0x80000000, 0xff000000},
        {__LINE__, 0x09118, 0x000000aa, 0x000000aa},
        {__LINE__, 0x09134, 0x00000081, 0x00000081},
        {__LINE__, 0x09138, 0x00000001, 0x00000001},
        {__LINE__, 0x0913c, 0x000000c0, 0x000000c0},
        {__LINE__, 0x09140, 0x000e00fa, 0x000e00fa},
        {__LINE__, 0x00fd8, 0, 0},
        {__LINE__, 0x0911c, 0, 0},
    };
    gt_routing_init(&routing, 6);
    routing.l3_disable = 0x0a;
    routing.eu_disable = 0x81;
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint32_t at = rows[i].address;
        uint32_t value;
        ROW(rows[i].line,
            reg_block_read(&gt_routing_block, GT_GEN11_UP, &routing, at, &value) ==
                (rows[i].reset != 0),
            "owns");
        ROW(rows[i].line, gt_routing_read32(&routing, at) == rows[i].reset, "%08" PRIx32,
            gt_routing_read32(&routing, at));
        gt_routing_write32(&routing, at, 0xffffffff);
        ROW(rows[i].line, gt_routing_read32(&routing, at) == rows[i].ones, "%08" PRIx32,
            gt_routing_read32(&routing, at));
    }
    gt_routing_reset(&routing);
    ROW(__LINE__, gt_routing_read32(&routing, 0xfdc) == 0x80000000, "reset");
    ROW(__LINE__, gt_routing_read32(&routing, 0x20cc) == 0x80000000, "reset");
    ROW(__LINE__, gt_routing_read32(&routing, 0x913c) == 0xc0, "fuses stay");
    ROWS_DONE();
}

static uint32_t answer(void *context, uint32_t address)
{
    return *(uint32_t *)context + address;
}

static void test_alias_and_hypervisor(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t address;
        unsigned bytes;
        uint64_t value; /* UINT64_MAX: rejected */
    } rows[] = {
        {__LINE__, 0x145998, 8, 0x1122334455667788},
        {__LINE__, 0x145998, 4, 0x55667788},
        {__LINE__, 0x14599c, 4, 0x11223344},
        {__LINE__, 0x14599a, 2, 0x5566},
        {__LINE__, 0x145990, 8, 0},
        {__LINE__, 0x147ff8, 8, 0},
        {__LINE__, 0x145998, 1, UINT64_MAX},
        {__LINE__, 0x14599a, 4, UINT64_MAX},
        {__LINE__, 0x14599c, 8, UINT64_MAX},
        {__LINE__, 0x145998, 3, UINT64_MAX},
        {__LINE__, 0x13fffe, 2, UINT64_MAX},
        {__LINE__, 0x148000, 2, UINT64_MAX},
        {__LINE__, 0x145998, 0, UINT64_MAX},
        {__LINE__, 0x145998, 16, UINT64_MAX},
    };
    gt_routing_init(&routing, 8);
    ROW(__LINE__, !gt_routing_set_mchbar(&routing, 0x145998, 8, 0x1122334455667788), "set");
    ROW(__LINE__, gt_routing_set_mchbar(&routing, 0x145999, 2, 0) == -EINVAL, "set");
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t value = UINT64_MAX;
        int result = gt_routing_read_mchbar(&routing, rows[i].address, rows[i].bytes, &value);
        ROW(rows[i].line, value == rows[i].value, "%" PRIx64, value);
        ROW(rows[i].line, result == (rows[i].value == UINT64_MAX ? -EINVAL : 0), "%d", result);
    }
    uint32_t base = 0x1000000;
    ROW(__LINE__, gt_routing_read_hypervisor(&routing, 0x178004) == 0, "there is none");
    routing.hypervisor_read = answer;
    routing.hypervisor_context = &base;
    ROW(__LINE__, gt_routing_read_hypervisor(&routing, 0x178004) == 0x1178004, "its answer");
    ROW(__LINE__, gt_routing_read_hypervisor(&routing, 0x179000) == 0, "not its range");
    ROW(__LINE__, gt_routing_read_hypervisor(&routing, 0x177ffc) == 0, "not its range");
    ROWS_DONE();
}

int test_gt_routing(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges_ascend),
        cmocka_unit_test(test_ranges_are_the_documents),
        cmocka_unit_test(test_every_range_asleep_and_awake),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_steering),
        cmocka_unit_test(test_power_and_media_fuses),
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_alias_and_hypervisor),
    };
    return cmocka_run_group_tests_name("gt_routing", tests, NULL, NULL);
}
