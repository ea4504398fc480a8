/* SPDX-License-Identifier: MIT */
/* Plans: passes, and registers that count what was requested. */
#include "testing.h"

#include <errno.h>

#include "base/bits.h"
#include "driver/perfmon/perfmon.h"
#include "perfmon/exhaustive.h"
#include "perfmon/tests.h"

/* ---- rows ------------------------------------------------------------------------------------ */

#define REQUESTS_MAX 12

static const struct {
    unsigned line;
    const char *chipset;
    const char *expressions[REQUESTS_MAX];
    unsigned passes; /* 0: an error */
    const char *message;
} pass_rows[] = {
    {__LINE__, "g92", {"PGRAPH.IDLE"}, 1, NULL},
    {__LINE__, "g92", {"1:0x1", "1:0x2", "1:0x3", "1:0x4"}, 1, NULL},
    {__LINE__, "g92", {"1:0x1", "1:0x2", "1:0x3", "1:0x4", "1:0x5"}, 2, NULL},
    {__LINE__, "g92", {"1:0x1", "1:0x2", "1:0x3", "1:0x4", "1:0x4 & 1"}, 1, NULL}, /* the same */
    {__LINE__, "g92", {"1:0x1 & 0x2", "1:0x3", "1:0x2 && 0x1", "1:0x4", "1:0x5"}, 1, NULL},
    {__LINE__,
     "g92",
     {"0:0x1", "1:0x1", "2:0x1", "3:0x1", "4:0x1", "5:0x1", "6:0x1", "7:0x1"},
     1,
     NULL},
    /* Beside an integer, which takes START_SRC, two more. */
    {__LINE__, "g92", {"1:sum(0x1, 0x2, 0x3) if 0x4", "1:0x5", "1:0x6"}, 1, NULL},
    {__LINE__, "g92", {"1:sum(0x1, 0x2, 0x3) if 0x4", "1:0x5", "1:0x6", "1:0x7"}, 2, NULL},
    /* CTR_START counts what uses the integer's own signals. */
    {__LINE__, "g92", {"1:sum(0x1, 0x2, 0x3) if 0x4", "1:0x5", "1:0x6", "1:0x2 ^ 0x3"}, 1, NULL},
    /* EXTRA_B4: an integer at every clock leaves EVENT free, but not on GF100. */
    {__LINE__, "g92", {"1:sum(0x1, 0x2, 0x3)", "1:0x5", "1:0x6", "1:0x7"}, 1, NULL},
    {__LINE__, "gf100", {"GPC0:sum(0x1, 0x2, 0x3)", "GPC0:0x5", "GPC0:0x6", "GPC0:0x7"}, 2, NULL},
    /* EXTRA_B6_EVENT_B2: two integers. */
    {__LINE__,
     "g92",
     {"1:sum(0x1, 0x2, 0x3, 0x4, 0x5, 0x6)", "1:sum(0x7, 0x8)", "1:0x9", "1:0xa"},
     1,
     NULL},
    {__LINE__, "g92", {"1:sum(0x1, 0x2) if 0x3", "1:sum(0x7, 0x8)"}, 2, NULL},
    {__LINE__, "g92", {"1:sum(0x1, 0x2, 0x3)", "1:sum(0x7, 0x8, 0x9)"}, 2, NULL},
    {__LINE__, "g92", {"2:sum(0x0, 0x1, 0x2, 0x3, 0x4, 0x5) if 0x7"}, 1, NULL},
    {__LINE__, "g92", {"2:sum(0x0, 0x1, 0x2, 0x3, 0x4, 0x5) if 0x7 & 0x8 & 0x5 & 0x4"}, 1, NULL},
    {__LINE__,
     "g92",
     {"2:sum(0x0, 0x1, 0x2, 0x3, 0x4, 0x5) if 0x7 & 0x8 & 0x9"},
     0,
     "expression \"2:sum(0x0, 0x1, 0x2, 0x3, 0x4, 0x5) if 0x7 & 0x8 & 0x9\": a sum of 5 or 6 "
     "signals, whose condition may use 2 others"},
    /* NV10 to NV30 have two counter modes, the same for both domains; before NV30 one counter. */
    {__LINE__, "nv34", {"0:0x1", "0:0x2", "0:0x3", "0:0x4", "1:0x5"}, 1, NULL},
    {__LINE__, "nv34", {"0:sum(0x1, 0x2, 0x3, 0x4)", "1:0x1", "1:0x2", "1:0x3"}, 1, NULL},
    {__LINE__, "nv34", {"0:sum(0x1, 0x2, 0x3, 0x4)", "1:0x1", "1:0x2", "1:0x3", "1:0x4"}, 2, NULL},
    {__LINE__,
     "nv34",
     {"0:sum(0x1, 0x2, 0x3, 0x4, 0x5)"},
     0,
     "a sum of 5 signals, nv34 adds at most 4"},
    {__LINE__, "nv10", {"0x1", "0x2"}, 2, NULL},
    {__LINE__, "nv20", {"0:0x1", "1:0x2"}, 1, NULL},
    {__LINE__, "nv20", {"0:sum(0x1, 0x2)", "1:0x2"}, 2, NULL},
    {__LINE__, "nv20", {"0:sum(0x1, 0x2)", "1:sum(0x2, 0x3)"}, 1, NULL},
    /* Nobody has published which signals of NV40 are always 0. */
    {__LINE__, "nv40", {"0:sum(0x1, 0x2, 0x3, 0x4)"}, 1, NULL},
    {__LINE__, "nv40", {"0:sum(0x1, 0x2)"}, 1, NULL},
    {__LINE__,
     "nv40",
     {"0:sum(0x1, 0x2, 0x3)"},
     0,
     "no signal of domain 0 of nv40 is known to be 0, which a sum of other than 2, 4 or 6 signals"},
    /* Instances. */
    {__LINE__,
     "gf100",
     {"GPC0:0x1", "GPC0:0x2", "GPC0:0x3", "GPC0[0]:0x4", "GPC0[1]:0x5"},
     1,
     NULL},
    {__LINE__,
     "gf100",
     {"GPC0:0x1", "GPC0:0x2", "GPC0:0x3", "GPC0[0]:0x4", "GPC0[0]:0x5"},
     2,
     NULL},
    {__LINE__,
     "gf100",
     {"GPC0[0]:0x1", "GPC0[0]:0x2", "GPC0:0x3", "GPC0:0x2", "GPC0[0]:0x5"},
     1,
     NULL},
    {__LINE__, "nv17", {"0x1"}, 0, "NV17 has no PCOUNTER"},
    {__LINE__, "g92", {"1:0x1", "1:"}, 0, "expression \"1:\", at 3: the end, expected a signal"},
};

static size_t take_requests(const char *const *expressions, struct perfmon_request *requests)
{
    size_t count = 0;
    for (; count < REQUESTS_MAX && expressions[count]; count++)
        requests[count] = (struct perfmon_request){
            .expression = expressions[count], .domain = ANY_DOMAIN, .instance = ALL_INSTANCES};
    return count;
}

static void test_passes(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(pass_rows); i++) {
        struct perfmon_request requests[REQUESTS_MAX];
        struct perfmon_plan *plan = NULL;
        struct tally_error error = {0};
        size_t count = take_requests(pass_rows[i].expressions, requests);
        int result = perfmon_plan_new(tally_chipset_find(pass_rows[i].chipset), requests, count, 0,
                                      &plan, &error);
        if (!pass_rows[i].passes)
            ROW(pass_rows[i].line,
                result < 0 && error.code == result && strstr(error.message, pass_rows[i].message),
                "%d \"%s\"", result, error.message);
        else
            ROW(pass_rows[i].line, !result && plan->passes == pass_rows[i].passes && plan->minimal,
                "%d \"%s\", %u passes", result, error.message, plan ? plan->passes : 0);
        perfmon_plan_free(plan);
    }
    ROWS_DONE();
}

/* ---- groups and selectors -------------------------------------------------------------------- */

static const struct perfmon_selector one = {0x400c0c, 0x3, 0x1, 0}, two = {0x400c0c, 0x3, 0x2, 0},
                                     high = {0x400c0c, 0x70, 0x50, 0},
                                     per_gpc = {0x5044a8, 0x8000003f, 0x80000001, 0x8000};

static const struct perfmon_selector both[] = {{0x400c0c, 0x3, 0x1, 0}, {0x400c0c, 0x3, 0x2, 0}};

static const struct {
    unsigned line;
    struct {
        const char *expression;
        unsigned group;
        const struct perfmon_selector *selectors;
        size_t count;
    } requests[6];
    unsigned flags, passes;
    int result;
    const char *message;
} group_rows[] = {
    {__LINE__, {{"1:0x1", 0, &one, 1}, {"1:0x2", 0, &one, 1}}, 0, 1, 0, NULL},
    {__LINE__, {{"1:0x1", 0, &one, 1}, {"1:0x2", 0, &high, 1}}, 0, 1, 0, NULL},
    {__LINE__, {{"1:0x1", 0, &one, 1}, {"2:0x2", 0, &two, 1}}, 0, 2, 0, NULL},
    {__LINE__, {{"1:0x1", 0, &one, 1}, {"1:0x1", 0, &two, 1}}, 0, 2, 0, NULL},
    {__LINE__,
     {{"1:0x1", 7, NULL, 0},
      {"1:0x2", 7, NULL, 0},
      {"1:0x3", 7, NULL, 0},
      {"1:0x4", 8, NULL, 0},
      {"1:0x5", 8, NULL, 0}},
     0,
     2,
     0,
     NULL},
    {__LINE__,
     {{"1:0x1", 7, NULL, 0},
      {"1:0x2", 7, NULL, 0},
      {"1:0x3", 7, NULL, 0},
      {"1:0x4", 7, NULL, 0},
      {"1:0x5", 7, NULL, 0}},
     0,
     0,
     -E2BIG,
     "\"1:0x1\" and 4 more expressions cannot be counted at the same time: the counters of domain "
     "1 of g92 cannot count 5 of them"},
    {__LINE__,
     {{"1:0x1", 7, NULL, 0},
      {"1:0x2", 7, NULL, 0},
      {"1:0x3", 7, NULL, 0},
      {"1:0x4", 7, NULL, 0},
      {"1:0x5", 7, NULL, 0}},
     PERFMON_SPLIT_GROUPS,
     2,
     0,
     NULL},
    {__LINE__,
     {{"1:0x1", 3, &one, 1}, {"2:0x2", 3, &two, 1}},
     0,
     0,
     -E2BIG,
     "\"1:0x1\" and 1 more expressions cannot be counted at the same time: selector 0x400c0c would "
     "have to be 0x1 and 0x2 (mask 0x3) at the same time"},
    {__LINE__, {{"1:0x1", 3, &one, 1}, {"2:0x2", 3, &two, 1}}, PERFMON_SPLIT_GROUPS, 2, 0, NULL},
    {__LINE__,
     {{"1:0x1", 0, both, 2}},
     0,
     0,
     -EINVAL,
     "expression \"1:0x1\": selector 0x400c0c would have to be 0x1 and 0x2 (mask 0x3)"},
};

static void test_groups(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(group_rows); i++) {
        struct perfmon_request requests[6];
        struct perfmon_plan *plan = NULL;
        struct tally_error error = {0};
        size_t count = 0;
        for (; count < 6 && group_rows[i].requests[count].expression; count++)
            requests[count] =
                (struct perfmon_request){.expression = group_rows[i].requests[count].expression,
                                         .domain = ANY_DOMAIN,
                                         .instance = ALL_INSTANCES,
                                         .group = group_rows[i].requests[count].group,
                                         .selectors = group_rows[i].requests[count].selectors,
                                         .selector_count = group_rows[i].requests[count].count};
        int result = perfmon_plan_new(tally_chipset_find("g92"), requests, count,
                                      group_rows[i].flags, &plan, &error);
        ROW(group_rows[i].line,
            result == group_rows[i].result && error.code == result &&
                (result ? strstr(error.message, group_rows[i].message) != NULL
                        : plan->passes == group_rows[i].passes && plan->minimal &&
                              plan->placements[0].split == (group_rows[i].flags != 0)),
            "%d \"%s\", %u passes", result, error.message, plan ? plan->passes : 0);
        perfmon_plan_free(plan);
    }
    ROWS_DONE();
}

/* Each in the first pass that it fits would take three: the first and the last of a chain of four,
 * of which neighbours need different values of a selector, are given first. */
static void test_chain(void **state)
{
    static const struct perfmon_selector first[] = {{0x400000, 1, 0, 0}},
                                         second[] = {{0x400000, 1, 1, 0}, {0x400004, 1, 0, 0}},
                                         third[] = {{0x400004, 1, 1, 0}, {0x400008, 1, 0, 0}},
                                         last[] = {{0x400008, 1, 1, 0}};
    const struct perfmon_request requests[] = {
        {"1:0x11", ANY_DOMAIN, ALL_INSTANCES, 0, first, 1, 1},
        {"1:0x12", ANY_DOMAIN, ALL_INSTANCES, 0, first, 1, 1},
        {"1:0x41", ANY_DOMAIN, ALL_INSTANCES, 0, last, 1, 2},
        {"1:0x42", ANY_DOMAIN, ALL_INSTANCES, 0, last, 1, 2},
        {"1:0x21", ANY_DOMAIN, ALL_INSTANCES, 0, second, 2, 3},
        {"1:0x22", ANY_DOMAIN, ALL_INSTANCES, 0, second, 2, 3},
        {"1:0x31", ANY_DOMAIN, ALL_INSTANCES, 0, third, 2, 4},
        {"1:0x32", ANY_DOMAIN, ALL_INSTANCES, 0, third, 2, 4},
    };
    struct perfmon_plan *plan;
    struct tally_error error = {0};
    (void)state;
    assert_int_equal(perfmon_plan_new(tally_chipset_find("g92"), requests, 8, 0, &plan, &error), 0);
    assert_int_equal(plan->passes, 2);
    assert_true(plan->minimal);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(plan->placements[i].pass, i < 2 || i >= 6 ? 0 : 1);
    perfmon_plan_free(plan);
}

/* A request can need a counter mode, as the vendor's tools program one. */
static void test_modes(void **state)
{
    struct perfmon_request request = {"1:sum(0x1, 0x2)", ANY_DOMAIN, ALL_INSTANCES, 0, NULL, 0, 0};
    struct perfmon_plan *plan;
    struct tally_error error = {0};
    (void)state;
    for (unsigned mode = PERFMON_SIMPLE; mode < PERFMON_MODES; mode++) {
        request.mode = (enum perfmon_mode)mode;
        int result = perfmon_plan_new(tally_chipset_find("g92"), &request, 1, 0, &plan, &error);
        assert_int_equal(result, mode == PERFMON_SIMPLE ? -EINVAL : 0);
        if (result)
            continue;
        assert_int_equal(plan->setups[0].counter_mode, mode - 1);
        perfmon_plan_free(plan);
    }
    assert_string_equal(error.message, "expression \"1:sum(0x1, 0x2)\": the requested counter mode "
                                       "of g92 does not count it");
}

/* A selector with a stride is set for each GPC of the request, and different fields of a register
 * are set together. */
static void test_settings(void **state)
{
    (void)state;
    const struct perfmon_selector fields[] = {{0x5044a8, 0x3, 0x1, 0x8000},
                                              {0x5044a8, 0x70, 0x50, 0x8000}};
    const struct perfmon_request requests[] = {
        {"GPC0:0x1", ANY_DOMAIN, ALL_INSTANCES, PERFMON_ANY_MODE, fields, 2, 0},
        {"GPC0[2]:0x2", ANY_DOMAIN, ALL_INSTANCES, PERFMON_ANY_MODE, &per_gpc, 1, 0},
    };
    struct perfmon_plan *plan;
    struct tally_error error = {0};
    const struct tally_chipset *chipset = tally_chipset_find("gf100");
    assert_int_equal(perfmon_plan_new(chipset, requests, 1, 0, &plan, &error), 0);
    assert_int_equal(plan->setting_count, 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(plan->settings[i].address, 0x5044a8 + i * 0x8000);
        assert_int_equal(plan->settings[i].mask, 0x73);
        assert_int_equal(plan->settings[i].value, 0x51);
    }
    perfmon_plan_free(plan);
    /* 0x3f and 0x73 contradict each other in bits 4 and 5. */
    assert_int_equal(perfmon_plan_new(chipset, requests, 2, 0, &plan, &error), 0);
    assert_int_equal(plan->passes, 2);
    assert_int_equal(plan->setting_count, 5);
    assert_int_equal(plan->settings[4].address, 0x5144a8);
    assert_int_equal(plan->settings[4].pass, 1);
    perfmon_plan_free(plan);
}

/* ---- random plans ---------------------------------------------------------------------------- */

/* What a counter adds at a clock, by the document's description of SRC, OP and counter modes. */
static unsigned register_value(const struct perfmon_setup *setup, unsigned slot, const bool *now,
                               const bool *before)
{
    uint32_t source = setup->sources[slot], operation = setup->operations[slot];
    uint32_t start = setup->sources[SLOT_START], event = setup->sources[SLOT_EVENT];
    unsigned index = 0, b4 = 0, b2 = 0, upper = 0;
    for (unsigned i = 0; i < 4; i++) {
        bool delayed = i < 2 && (operation >> (16 + i) & 1);
        index |= (unsigned)(delayed ? before : now)[source >> 8 * i & 0xff] << i;
        b4 |= (unsigned)now[start >> 8 * i & 0xff] << i;
        if (i < 2)
            b2 |= (unsigned)now[event >> 8 * i & 0xff] << i;
        else
            upper |= (unsigned)now[event >> 8 * i & 0xff] << (i + 2);
    }
    unsigned logic = operation >> index & 1;
    static const char kinds[5][2] = {/* START, EVENT: logic; b, B: integers of 4, 6; 2; g: gated */
                                     {'l', 'l'},
                                     {'l', 'g'},
                                     {'l', 'G'},
                                     {'b', 'l'},
                                     {'B', '2'}};
    char kind = slot == SLOT_START   ? kinds[setup->counter_mode][0]
                : slot == SLOT_EVENT ? kinds[setup->counter_mode][1]
                                     : 'l';
    return kind == 'l'   ? logic
           : kind == 'g' ? logic * b4
           : kind == 'G' ? logic * (b4 + upper)
           : kind == 'b' ? b4
           : kind == 'B' ? b4 + upper
                         : b2;
}

/* Checks that the registers of a plan count what the trees mean. */
static void check_registers(const struct perfmon_plan *plan, const struct random_requests *random,
                            unsigned number, uint64_t *seed)
{
    for (unsigned i = 0; i < random->count; i++) {
        const struct perfmon_placement *placement = &plan->placements[i];
        int zero = perfmon_zero_signal(plan->chipset, placement->domain);
        assert_true(placement->tap_count > 0);
        for (unsigned k = 0; k < 32 * placement->tap_count; k++) {
            const struct perfmon_tap *tap =
                &plan->taps[placement->first_tap + k % placement->tap_count];
            const struct perfmon_setup *setup = &plan->setups[tap->setup];
            bool now[256], before[256];
            for (unsigned s = 0; s < 256; s++) {
                now[s] = (int)s != zero && tree_below(seed, 2);
                before[s] = (int)s != zero && tree_below(seed, 2);
            }
            unsigned right = tree_value(&random->trees[i], now, before);
            unsigned value = register_value(setup, tap->slot, now, before);
            if (value != right || setup->pass != placement->pass ||
                setup->domain != placement->domain || !(setup->slots >> tap->slot & 1))
                fail_msg("case %u: %s: slot %u of mode %u adds %u, expected %u", number,
                         random->trees[i].text, tap->slot, setup->counter_mode, value, right);
        }
    }
}

static void check_case(const struct tally_chipset *chipset, unsigned number, uint64_t *seed,
                       unsigned histogram[8])
{
    struct random_requests random;
    struct perfmon_plan *plan = NULL;
    struct tally_error error = {0};
    exhaustive_random(chipset, &random, seed);
    unsigned passes = exhaustive_passes(&random);
    int result = perfmon_plan_new(chipset, random.requests, random.count, 0, &plan, &error);
    if (!passes) {
        if (result != -E2BIG && result != -EINVAL)
            fail_msg("case %u of %s: %d, expected an error", number, chipset->name, result);
        perfmon_plan_free(plan);
        histogram[0]++;
        return;
    }
    if (result || plan->passes != passes || !plan->minimal) {
        for (unsigned i = 0; i < random.count; i++)
            print_error("%s  (group %u, mode %d, %zu selectors)\n", random.trees[i].text,
                        random.requests[i].group, random.requests[i].mode,
                        random.requests[i].selector_count);
        fail_msg("case %u of %s: %d \"%s\", %u passes%s, expected %u", number, chipset->name,
                 result, error.message, plan ? plan->passes : 0,
                 plan && plan->minimal ? ", \"minimal\"" : "", passes);
    }
    check_registers(plan, &random, number, seed);
    perfmon_plan_free(plan);
    histogram[passes]++;
}

static void test_random(void **state)
{
    static const char *const chipsets[] = {"nv10", "nv15", "nv20",  "nv34",  "nv40", "g80",
                                           "g84",  "g92",  "gt215", "mcp77", "gf100"};
    unsigned histogram[8] = {0}, cases = random_cases(200);
    uint64_t seed = 3;
    (void)state;
    for (unsigned i = 0; i < cases; i++)
        for (size_t k = 0; k < ARRAY_COUNT(chipsets); k++)
            check_case(tally_chipset_find(chipsets[k]), i, &seed, histogram);
    for (unsigned passes = 0; passes < 5; passes++)
        if (histogram[passes] < cases / 8)
            fail_msg("%u cases of %u passes", histogram[passes], passes);
}

/* Many requests: every one is planned, and no place counts more than it can. */
static void test_many(void **state)
{
    const struct tally_chipset *chipset = tally_chipset_find("g92");
    static char texts[1000][32];
    static struct perfmon_request requests[1000];
    struct perfmon_plan *plan;
    struct tally_error error = {0};
    (void)state;
    for (unsigned i = 0; i < 1000; i++) {
        snprintf(texts[i], sizeof texts[i], "%u:0x%02x & !0x%02x", i % 8, i / 8, 255 - i % 7);
        requests[i] = (struct perfmon_request){texts[i], ANY_DOMAIN, ALL_INSTANCES, 0, NULL, 0, 0};
    }
    assert_int_equal(perfmon_plan_new(chipset, requests, 1000, 0, &plan, &error), 0);
    assert_int_equal(plan->passes, 32); /* 125 in each domain, four at a time */
    assert_true(plan->minimal);
    assert_int_equal(plan->setup_count, 8 * 32);
    assert_int_equal(plan->clock_count, 8 * 32);
    perfmon_plan_free(plan);
}

/* Too many requests to try all divisions, and a plan that is nevertheless known to be minimal:
 * three values of a selector, which need 20 passes each. */
static void test_many_selectors(void **state)
{
    static const struct perfmon_selector selectors[] = {
        {0x400c0c, 0x3, 0x0, 0}, {0x400c0c, 0x3, 0x1, 0}, {0x400c0c, 0x3, 0x2, 0}};
    static char texts[240][32];
    static struct perfmon_request requests[240];
    struct perfmon_plan *plan;
    struct tally_error error = {0};
    (void)state;
    for (unsigned i = 0; i < 240; i++) {
        snprintf(texts[i], sizeof texts[i], "1:0x%02x & 0x%02x", i / 3, 128 + i % 3);
        requests[i] = (struct perfmon_request){
            texts[i], ANY_DOMAIN, ALL_INSTANCES, 0, &selectors[i % 3], 1, 0};
    }
    assert_int_equal(perfmon_plan_new(tally_chipset_find("g92"), requests, 240, 0, &plan, &error),
                     0);
    assert_int_equal(plan->passes, 60);
    assert_true(plan->minimal);
    assert_int_equal(plan->setting_count, 60);
    for (unsigned i = 0; i < 240; i++)
        assert_int_equal(plan->settings[plan->placements[i].pass].value, i % 3);
    perfmon_plan_free(plan);
    /* Pairs in groups of three leave a counter free in each pass; that is not proven here. */
    for (unsigned i = 0; i < 240; i++) {
        requests[i].selector_count = 0;
        requests[i].group = 1 + i / 3;
    }
    assert_int_equal(perfmon_plan_new(tally_chipset_find("g92"), requests, 240, 0, &plan, &error),
                     0);
    assert_int_equal(plan->passes, 80);
    perfmon_plan_free(plan);
    assert_int_equal(perfmon_plan_new(tally_chipset_find("g92"), requests, 12, 0, &plan, &error),
                     0);
    assert_int_equal(plan->passes, 4);
    assert_true(plan->minimal);
    perfmon_plan_free(plan);
}

/* NV20 has one counter for each domain, and one counter mode for both: integers and other functions
 * take turns, which is known however many there are. */
static void test_many_turns(void **state)
{
    static char texts[210][32];
    static struct perfmon_request requests[210];
    struct perfmon_plan *plan;
    struct tally_error error = {0};
    (void)state;
    for (unsigned i = 0; i < 210; i++) {
        snprintf(texts[i], sizeof texts[i], i < 110 ? "1:sum(0x%02x, 0x%02x)" : "0:0x%02x & 0x%02x",
                 i % 110, 128 + i % 3);
        requests[i] = (struct perfmon_request){texts[i], ANY_DOMAIN, ALL_INSTANCES, 0, NULL, 0, 0};
    }
    assert_int_equal(perfmon_plan_new(tally_chipset_find("nv20"), requests, 210, 0, &plan, &error),
                     0);
    assert_int_equal(plan->passes, 210);
    assert_true(plan->minimal);
    perfmon_plan_free(plan);
}

int run_plan_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_passes),   cmocka_unit_test(test_groups),
        cmocka_unit_test(test_settings), cmocka_unit_test(test_random),
        cmocka_unit_test(test_many),     cmocka_unit_test(test_many_selectors),
        cmocka_unit_test(test_chain),    cmocka_unit_test(test_many_turns),
        cmocka_unit_test(test_modes),
    };
    return cmocka_run_group_tests_name("plans", tests, NULL, NULL);
}
