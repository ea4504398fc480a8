/* SPDX-License-Identifier: MIT */
/* Reason and context of a report id (PERF-4.6, OA-2.9,
 * decision OA-U10). */
#include "intel/tests.h"

#define TIMER     TALLY_REASON_TIMER
#define TRIGGER_1 TALLY_REASON_TRIGGER_1
#define TRIGGER_2 TALLY_REASON_TRIGGER_2
#define SWITCH    TALLY_REASON_CONTEXT_SWITCH
#define GO        TALLY_REASON_GO_TRANSITION
#define RATIO     TALLY_REASON_CLOCK_RATIO_CHANGE
#define MMIO      TALLY_REASON_MMIO_TRIGGER

static void test_reasons(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platforms;
        uint64_t id;
        unsigned expected;
    } rows[] = {
        /* Maps A and B, OA-U10: bit 10 timer, 11 and 12 the triggers; anything else is the
         * timer. */
        {__LINE__, "snb ivb vlv hsw", 0, TIMER},
        {__LINE__, "snb ivb vlv hsw", 1u << 10, TIMER},
        {__LINE__, "snb ivb vlv hsw", 1u << 11, TRIGGER_1},
        {__LINE__, "snb ivb vlv hsw", 1u << 12, TRIGGER_2},
        {__LINE__, "snb ivb vlv hsw", 3u << 10, TIMER | TRIGGER_1}, /* OA-U11: merged */
        {__LINE__, "snb ivb vlv hsw", 7u << 10, TIMER | TRIGGER_1 | TRIGGER_2},
        {__LINE__, "snb ivb vlv hsw", 0xffffe3ff, TIMER}, /* all other bits */
        {__LINE__, "snb ivb vlv hsw", 1u << 22, TIMER},
        {__LINE__, "snb ivb vlv hsw", (1u << 22) | (1u << 12), TRIGGER_2},

        /* Gen8 to Gen11: bits 24:19. */
        {__LINE__, "bdw chv skl kbl cfl bxt glk cnl icl lkf ehl", 1u << 19, TIMER},
        {__LINE__, "bdw chv skl kbl cfl bxt glk cnl icl lkf ehl", 1u << 20, TRIGGER_1},
        {__LINE__, "bdw chv skl kbl cfl bxt glk cnl icl lkf ehl", 1u << 21, TRIGGER_2},
        {__LINE__, "bdw chv skl kbl cfl bxt glk cnl icl lkf ehl", 1u << 22, SWITCH},
        {__LINE__, "bdw chv skl kbl cfl bxt glk cnl icl lkf ehl", 1u << 23, GO},
        {__LINE__, "bdw chv skl kbl cfl bxt glk cnl icl lkf ehl", 1u << 24, RATIO},
        {__LINE__, "bdw chv skl kbl cfl bxt glk cnl icl lkf ehl", 0, 0},
        {__LINE__, "bdw chv skl kbl cfl bxt glk cnl icl lkf ehl", 0x3fu << 19, 0x3f},
        {__LINE__, "bdw chv skl kbl cfl bxt glk cnl icl lkf ehl", 0xfe07ffff, 0},
        {__LINE__, "bdw chv skl kbl cfl bxt glk cnl icl lkf ehl", 9u << 19, TIMER | SWITCH},
        {__LINE__, "bdw chv skl kbl cfl bxt glk cnl icl lkf ehl", 1u << 25, 0}, /* PERF-Q30 */

        /* Gen12 on: bits 25:19, bit 25 the MMIO trigger. */
        {__LINE__, "tgl rkl dg1 adl dg2 mtl", 1u << 19, TIMER},
        {__LINE__, "tgl rkl dg1 adl dg2 mtl", 1u << 22, SWITCH},
        {__LINE__, "tgl rkl dg1 adl dg2 mtl", 1u << 24, RATIO},
        {__LINE__, "tgl rkl dg1 adl dg2 mtl", 1u << 25, MMIO},
        {__LINE__, "tgl rkl dg1 adl dg2 mtl", 0x7fu << 19, 0x7f},
        {__LINE__, "tgl rkl dg1 adl dg2 mtl", 0xfc07ffff, 0},
        /* 64-bit ids: the upper dword has no reason. */
        {__LINE__, "dg2 mtl", UINT64_C(0xffffffff00000000), 0},
        {__LINE__, "dg2 mtl", UINT64_C(0x0000000100080000), TIMER},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[128], *at = NULL;
        snprintf(text, sizeof text, "%s", rows[i].platforms);
        for (char *name = strtok_r(text, " ", &at); name; name = strtok_r(NULL, " ", &at)) {
            const struct tally_platform *platform = tally_platform_find(name);
            if (!ROW(rows[i].line, platform != NULL, "no platform %s", name))
                continue;
            unsigned reason = tally_report_reason(platform, rows[i].id);
            ROW(rows[i].line, reason == rows[i].expected, "%s: id 0x%" PRIx64 " gives 0x%x", name,
                rows[i].id, reason);
        }
    }
    ROWS_DONE();
}

static void test_reason_names(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        unsigned reason;
        const char *expected;
    } rows[] = {
        {__LINE__, 0, "unknown"},
        {__LINE__, TIMER, "timer"},
        {__LINE__, TRIGGER_1, "trigger1"},
        {__LINE__, TRIGGER_2, "trigger2"},
        {__LINE__, SWITCH, "context-switch"},
        {__LINE__, GO, "go-transition"},
        {__LINE__, RATIO, "clock-ratio-change"},
        {__LINE__, MMIO, "mmio-trigger"},
        {__LINE__, TIMER | SWITCH, "timer"}, /* the lowest bit gives the name */
        {__LINE__, SWITCH | MMIO, "context-switch"},
        {__LINE__, 0x7f, "timer"},
        {__LINE__, 0x80, "unknown"},
        {__LINE__, 1u << 31, "unknown"},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        ROW(rows[i].line, !strcmp(tally_reason_name(rows[i].reason), rows[i].expected),
            "reason 0x%x is \"%s\"", rows[i].reason, tally_reason_name(rows[i].reason));
    ROWS_DONE();
}

#define IDLE TALLY_CONTEXT_IDLE

static void test_contexts(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platforms;
        uint64_t id;
        uint32_t context;
        uint32_t expected;
    } rows[] = {
        /* No context id before Gen8. */
        {__LINE__, "snb ivb vlv hsw", 0, 0x1234, IDLE},
        {__LINE__, "snb ivb vlv hsw", 0xffffffff, 0x1234, IDLE},
        /* Gen8: valid bit 25. */
        {__LINE__, "bdw chv", 1u << 25, 0x1234, 0x1234},
        {__LINE__, "bdw chv", ~(1u << 25), 0x1234, IDLE},
        {__LINE__, "bdw chv", 1u << 16, 0x1234, IDLE},
        {__LINE__, "bdw chv", 0, 0, IDLE},
        {__LINE__, "bdw chv", 1u << 25, 0, 0},
        {__LINE__, "bdw chv", 1u << 25, IDLE, IDLE},
        /* Gen9 to Gen11: valid bit 16; bit 25 is part of the clock ratio (PERF-Q30). */
        {__LINE__, "skl kbl cfl bxt glk cnl icl lkf ehl", 1u << 16, 0x80001000, 0x80001000},
        {__LINE__, "skl kbl cfl bxt glk cnl icl lkf ehl", ~(1u << 16), 0x1234, IDLE},
        {__LINE__, "skl kbl cfl bxt glk cnl icl lkf ehl", 1u << 25, 0x1234, IDLE},
        /* Gen12 on: the id is valid without its valid bit. */
        {__LINE__, "tgl rkl dg1 adl dg2 mtl", 0, 0x1234, 0x1234},
        {__LINE__, "tgl rkl dg1 adl dg2 mtl", 1u << 16, 0x1234, 0x1234},
        {__LINE__, "tgl rkl dg1 adl dg2 mtl", 0xffffffff, 7, 7},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[128], *at = NULL;
        snprintf(text, sizeof text, "%s", rows[i].platforms);
        for (char *name = strtok_r(text, " ", &at); name; name = strtok_r(NULL, " ", &at)) {
            const struct tally_platform *platform = tally_platform_find(name);
            if (!ROW(rows[i].line, platform != NULL, "no platform %s", name))
                continue;
            uint32_t context = tally_report_context(platform, rows[i].id, rows[i].context);
            ROW(rows[i].line, context == rows[i].expected, "%s: id 0x%" PRIx64 " gives 0x%x", name,
                rows[i].id, context);
        }
    }
    ROWS_DONE();
}

int test_report_id(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_reason_names),
        cmocka_unit_test(test_contexts),
    };
    return cmocka_run_group_tests_name("identity", tests, NULL, NULL);
}
