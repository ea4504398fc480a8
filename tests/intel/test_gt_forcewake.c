/* SPDX-License-Identifier: MIT */
/* Force wake: OA-4.1, OA-4.2, and the golden vectors of OA-8. */
#include "intel/tests.h"

#include "intel/gt/forcewake.h"
#include "intel/parts.h"

enum act { RD, WR, RUN, AWAKE, ASLEEP };

struct step {
    unsigned line;
    enum act act;
    uint32_t address, value; /* RUN: clocks, -; AWAKE, ASLEEP: domain, - */
};

static void run_steps(struct gt_forcewake *wake, const struct step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct step *s = &steps[i];
        uint32_t value;
        switch (s->act) {
        case RD:
            value = gt_forcewake_read32(wake, s->address);
            ROW(s->line, value == s->value, "%06" PRIx32 " reads %08" PRIx32, s->address, value);
            break;
        case WR:
            gt_forcewake_write32(wake, s->address, s->value);
            break;
        case RUN:
            gt_forcewake_run(wake, s->address);
            break;
        case AWAKE:
        case ASLEEP:
            ROW(s->line, gt_forcewake_awake(wake, (enum gt_domain)s->address) == (s->act == AWAKE),
                "domain %" PRIu32, s->address);
        }
    }
}

/* Section 8: after A278h = 00010001h D84h reads 1 after the latency; writes without mask bits have
 * no effect. */
static void test_requests(void **state)
{
    (void)state;
    static const struct step steps[] = {
        {__LINE__, WR, 0xa278, 0x00000001},
        {__LINE__, RD, 0xa278, 0},
        {__LINE__, RUN, 100, 0},
        {__LINE__, RD, 0x0d84, 0},
        {__LINE__, WR, 0xa278, 0x00010001},
        {__LINE__, RD, 0xa278, 1},
        {__LINE__, RD, 0x0d84, 0},
        {__LINE__, ASLEEP, GT_DOMAIN_RENDER, 0},
        {__LINE__, RUN, 9, 0},
        {__LINE__, RD, 0x0d84, 0},
        {__LINE__, RD, 0xa2a0, 0},
        {__LINE__, RUN, 1, 0},
        {__LINE__, RD, 0x0d84, 1},
        {__LINE__, RD, 0xa2a0, 2},
        {__LINE__, AWAKE, GT_DOMAIN_RENDER, 0},
        {__LINE__, ASLEEP, GT_DOMAIN_GT, 0},
        {__LINE__, WR, 0xa278, 0x80008000}, /* fallback: granted at once, the domain is awake */
        {__LINE__, RD, 0x0d84, 0x8001},
        {__LINE__, WR, 0xa278, 0x00010000},
        {__LINE__, RD, 0x0d84, 0x8000},
        {__LINE__, AWAKE, GT_DOMAIN_RENDER, 0},
        {__LINE__, WR, 0xa278, 0xffff0000}, /* reset of the register */
        {__LINE__, RD, 0x0d84, 0},
        {__LINE__, ASLEEP, GT_DOMAIN_RENDER, 0},
        {__LINE__, WR, 0xa278, 0x00020002},
        {__LINE__, RUN, 5, 0},
        {__LINE__, WR, 0xa278, 0x00010001}, /* while waking: does not start again */
        {__LINE__, RUN, 5, 0},
        {__LINE__, RD, 0x0d84, 3},
        {__LINE__, WR, 0xa278, 0x00030000},
        {__LINE__, WR, 0xa278, 0x00010001},
        {__LINE__, WR, 0xa278, 0x00010000}, /* withdrawn before it woke */
        {__LINE__, RUN, 10, 0},
        {__LINE__, ASLEEP, GT_DOMAIN_RENDER, 0},
        /* Firmware's requests wake, and are not acknowledged to the driver. */
        {__LINE__, WR, 0xa27c, 0x00010001},
        {__LINE__, RUN, 10, 0},
        {__LINE__, AWAKE, GT_DOMAIN_RENDER, 0},
        {__LINE__, RD, 0x0d84, 0},
        {__LINE__, RD, 0xa27c, 1},
        {__LINE__, WR, 0xa274, 0x01050105}, /* VDBOX0, VDBOX2, VEBOX0 */
        {__LINE__, RD, 0xa274, 0x0105},
        {__LINE__, RUN, 10, 0},
        {__LINE__, RD, 0xa2a0, 7},
        {__LINE__, WR, 0xa274, 0x0fff0efa}, /* the other domains do not exist */
        {__LINE__, RD, 0xa274, 0},
        {__LINE__, RD, 0xa2a0, 2},
        /* Their requests do not exist either. */
        {__LINE__, WR, 0xa544, 0x00010001},
        {__LINE__, RUN, 10, 0},
        {__LINE__, RD, 0xa544, 0},
        {__LINE__, RD, 0x0d54, 0},
        {__LINE__, WR, 0x0d84, 0xffffffff}, /* read only */
        {__LINE__, WR, 0xa2a0, 0xffffffff},
        {__LINE__, RD, 0x0d84, 0},
        {__LINE__, RD, 0xa2a0, 2},
    };
    struct gt_forcewake wake;
    gt_forcewake_init(&wake, INTEL_LKF, 10);
    run_steps(&wake, steps, COUNT(steps));
    ROWS_DONE();
}

/* MI_FORCE_WAKEUP: masked requests in the bits of FORCEWAKE_STATUS (OA-11.8). */
static void test_streamer_requests(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t request, status;
    } rows[] = {
        {__LINE__, 0x00000002, 0},    {__LINE__, 0x00020002, 0x02}, {__LINE__, 0x00050005, 0x07},
        {__LINE__, 0x00020000, 0x05}, {__LINE__, 0xffff0000, 0},    {__LINE__, 0x03000300, 0},
        {__LINE__, 0xffffffff, 0x1f},
    };
    struct gt_forcewake wake;
    gt_forcewake_init(&wake, INTEL_LKF, 0);
    wake.present = UINT32_MAX;
    for (size_t i = 0; i < COUNT(rows); i++) {
        gt_forcewake_streamer(&wake, rows[i].request);
        ROW(rows[i].line, gt_forcewake_read32(&wake, 0xa2a0) == rows[i].status, "%02" PRIx32,
            gt_forcewake_read32(&wake, 0xa2a0));
        ROW(rows[i].line, !gt_forcewake_awake(&wake, GT_DOMAIN_GT), "GT");
    }
    gt_forcewake_reset(&wake);
    ROW(__LINE__, gt_forcewake_read32(&wake, 0xa2a0) == 0, "reset");
    ROWS_DONE();
}

/* Every domain of OA-4.1. */
static void test_domains(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        enum intel_revision platform;
        unsigned domain;
        uint32_t request, ack, status, on;
    } rows[] = {
        {__LINE__, INTEL_LKF, GT_DOMAIN_GT, 0xa188, 0x130044, 0, 0x00010001},
        {__LINE__, INTEL_LKF, GT_DOMAIN_RENDER, 0xa278, 0xd84, 0x02, 0x00010001},
        {__LINE__, INTEL_LKF, GT_DOMAIN_VDBOX0 + 0, 0xa540, 0xd50, 0x01, 0x00010001},
        {__LINE__, INTEL_LKF, GT_DOMAIN_VDBOX0 + 1, 0xa544, 0xd54, 0x01, 0x00010001},
        {__LINE__, INTEL_LKF, GT_DOMAIN_VDBOX0 + 2, 0xa548, 0xd58, 0x04, 0x00010001},
        {__LINE__, INTEL_LKF, GT_DOMAIN_VDBOX0 + 3, 0xa54c, 0xd5c, 0x04, 0x00010001},
        {__LINE__, INTEL_LKF, GT_DOMAIN_VDBOX0 + 4, 0xa550, 0xd60, 0x08, 0x00010001},
        {__LINE__, INTEL_LKF, GT_DOMAIN_VDBOX0 + 5, 0xa554, 0xd64, 0x08, 0x00010001},
        {__LINE__, INTEL_LKF, GT_DOMAIN_VDBOX0 + 6, 0xa558, 0xd68, 0x10, 0x00010001},
        {__LINE__, INTEL_LKF, GT_DOMAIN_VDBOX0 + 7, 0xa55c, 0xd6c, 0x10, 0x00010001},
        {__LINE__, INTEL_LKF, GT_DOMAIN_VEBOX0 + 0, 0xa560, 0xd70, 0x01, 0x00010001},
        {__LINE__, INTEL_LKF, GT_DOMAIN_VEBOX0 + 1, 0xa564, 0xd74, 0x04, 0x00010001},
        {__LINE__, INTEL_LKF, GT_DOMAIN_VEBOX0 + 2, 0xa568, 0xd78, 0x08, 0x00010001},
        {__LINE__, INTEL_LKF, GT_DOMAIN_VEBOX0 + 3, 0xa56c, 0xd7c, 0x10, 0x00010001},
        {__LINE__, INTEL_SNB, GT_DOMAIN_GT, 0xa18c, 0x130090, 0, 1},
        {__LINE__, INTEL_IVB, GT_DOMAIN_GT, 0xa188, 0x130040, 0, 0x00010001},
        {__LINE__, INTEL_HSW, GT_DOMAIN_GT, 0xa188, 0x130044, 0, 0x00010001},
        {__LINE__, INTEL_BDW, GT_DOMAIN_GT, 0xa188, 0x130044, 0, 0x00010001},
        {__LINE__, INTEL_VLV, GT_DOMAIN_RENDER, 0x1300b0, 0x1300b4, 0, 0x00010001},
        {__LINE__, INTEL_VLV, GT_DOMAIN_MEDIA, 0x1300b8, 0x1300bc, 0, 0x00010001},
        {__LINE__, INTEL_CHV, GT_DOMAIN_RENDER, 0x1300b0, 0x1300b4, 0, 0x00010001},
        {__LINE__, INTEL_CHV, GT_DOMAIN_MEDIA, 0x1300b8, 0x1300bc, 0, 0x00010001},
        {__LINE__, INTEL_SKL, GT_DOMAIN_GT, 0xa188, 0x130044, 0, 0x00010001},
        {__LINE__, INTEL_SKL, GT_DOMAIN_RENDER, 0xa278, 0xd84, 0, 0x00010001},
        {__LINE__, INTEL_SKL, GT_DOMAIN_MEDIA, 0xa270, 0xd88, 0, 0x00010001},
        {__LINE__, INTEL_ICL, GT_DOMAIN_RENDER, 0xa278, 0xd84, 0x02, 0x00010001},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gt_forcewake wake;
        unsigned line = rows[i].line;
        gt_forcewake_init(&wake, rows[i].platform, 0);
        wake.present |= GT_DOMAIN_BIT(rows[i].domain);
        ROW(line, gt_forcewake_owns(&wake, rows[i].request), "owns %06" PRIx32, rows[i].request);
        ROW(line, gt_forcewake_owns(&wake, rows[i].ack), "owns %06" PRIx32, rows[i].ack);
        gt_forcewake_write32(&wake, rows[i].request, rows[i].on);
        ROW(line, gt_forcewake_read32(&wake, rows[i].ack) == 1, "acknowledge");
        ROW(line, gt_forcewake_read32(&wake, 0xa2a0) == rows[i].status, "status");
        for (unsigned d = 0; d < GT_DOMAINS; d++)
            ROW(line, gt_forcewake_awake(&wake, (enum gt_domain)d) == (d == rows[i].domain),
                "domain %u", d);
        gt_forcewake_write32(&wake, rows[i].request, rows[i].on & 0xffff0000);
        ROW(line, gt_forcewake_read32(&wake, rows[i].ack) == 0, "acknowledge");
        if (rows[i].domain < GT_DOMAIN_VDBOX0 || rows[i].platform != INTEL_LKF)
            continue;
        gt_forcewake_write32(&wake, 0xa274, 0x10001u << (rows[i].domain - GT_DOMAIN_VDBOX0));
        ROW(line, gt_forcewake_awake(&wake, (enum gt_domain)rows[i].domain), "firmware");
    }
    ROWS_DONE();
}

static void test_holds_and_reset(void **state)
{
    (void)state;
    struct gt_forcewake wake, copy;
    gt_forcewake_init(&wake, INTEL_LKF, 1000);
    gt_forcewake_hold(&wake, GT_DOMAIN_RENDER, true); /* a context is active */
    ROW(__LINE__, gt_forcewake_awake(&wake, GT_DOMAIN_RENDER), "held, at once");
    ROW(__LINE__, gt_forcewake_read32(&wake, 0xd84) == 0, "the driver has no requests");
    gt_forcewake_write32(&wake, 0xa278, 0x00010001);
    gt_forcewake_write32(&wake, 0xa27c, 0x00010001);
    gt_forcewake_write32(&wake, 0xa274, 0x00010001);
    gt_forcewake_hold(&wake, GT_DOMAIN_RENDER, false);
    ROW(__LINE__, gt_forcewake_awake(&wake, GT_DOMAIN_RENDER), "the driver's request");
    copy = wake; /* a snapshot */
    gt_forcewake_reset(&wake);
    for (unsigned d = 0; d < GT_DOMAINS; d++)
        ROW(__LINE__, !gt_forcewake_requested(&wake, (enum gt_domain)d), "%u", d);
    ROW(__LINE__, wake.latency == 1000 && wake.present == copy.present, "parameters stay");
    ROW(__LINE__, gt_forcewake_requested(&copy, GT_DOMAIN_VDBOX0), "the snapshot");
    ROW(__LINE__, !gt_forcewake_awake(&copy, GT_DOMAIN_VDBOX0), "the snapshot");
    gt_forcewake_run(&copy, UINT64_MAX);
    ROW(__LINE__, gt_forcewake_awake(&copy, GT_DOMAIN_VDBOX0), "the snapshot continues");
    gt_forcewake_hold(&wake, GT_DOMAINS, true);
    for (unsigned d = 0; d < GT_DOMAINS; d++)
        ROW(__LINE__, gt_forcewake_awake(&wake, (enum gt_domain)d) == (wake.present >> d & 1), "%u",
            d);
    ROW(__LINE__, !gt_forcewake_awake(&wake, GT_DOMAINS), "no such domain");
    ROW(__LINE__, gt_forcewake_read32(&wake, 0xa189) == 0, "not aligned");
    ROWS_DONE();
}

int test_gt_forcewake(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests),
        cmocka_unit_test(test_domains),
        cmocka_unit_test(test_streamer_requests),
        cmocka_unit_test(test_holds_and_reset),
    };
    return cmocka_run_group_tests_name("gt_forcewake", tests, NULL, NULL);
}
