/* SPDX-License-Identifier: MIT */
/* Histograms by THRESHOLD: how often something lasted long enough. */
#include "testing.h"

#include <errno.h>

#include "base/bits.h"
#include "driver/perfmon/histogram.h"
#include "perfmon/rig.h"
#include "perfmon/tests.h"

/* ---- random processes ------------------------------------------------------------------------ */

/* The counting process over the waves, from the clock that starts it (PCOUNTER, "Single event
 * mode"). */
struct process {
    uint64_t reached, events, cycles;
    uint32_t periods;
};

static struct process run_process(const struct rig *rig, unsigned domain,
                                  const struct tree trees[4], uint32_t pre_count, uint32_t periods,
                                  uint64_t threshold, uint64_t from, uint64_t end)
{
    struct process process = {0};
    uint64_t clock = from + 1;
    for (uint32_t left = pre_count + 1; left && clock < end; clock++)
        left -= (uint32_t)rig_count(rig, domain, &trees[0], clock, clock + 1);
    while (process.periods < periods && clock < end) {
        bool begins = rig_count(rig, domain, &trees[1], clock, clock + 1);
        clock++;
        if (!begins)
            continue;
        process.events = process.cycles = 0;
        for (bool stop = false; !stop && clock < end; clock++) {
            process.cycles++;
            process.events += rig_count(rig, domain, &trees[2], clock, clock + 1);
            stop = rig_count(rig, domain, &trees[3], clock, clock + 1);
            process.periods += stop;
            process.reached += stop && process.events >= threshold;
        }
    }
    return process;
}

static unsigned test_case(const struct tally_chipset *chipset, uint64_t *seed)
{
    struct perfmon_session *session;
    struct tally_error error = {0};
    struct tree trees[4];
    struct perfmon_bin bin;
    struct rig rig;
    rig_open(&rig, chipset, seed);
    rig.access_ns = tree_below(seed, 2) * tree_below(seed, 9);
    unsigned number = tree_below(seed, rig.domain_count);
    const struct rig_domain *domain = &rig.domains[number];
    for (unsigned i = 0; i < 4; i++) {
        const struct tree_options options = {domain->signals, RIG_SIGNALS, 0, true, true, 4, -1};
        tree_random(&trees[i], &options, seed);
    }
    const uint64_t threshold = tree_below(seed, 40);
    const struct perfmon_histogram_options options = {
        .pre = trees[0].text,
        .start = trees[1].text,
        .event = trees[2].text,
        .stop = trees[3].text,
        .pre_count = tree_below(seed, 20),
        .domain = (int)TALLY_DOMAIN(domain->about.set, domain->about.number),
        .instance = (int)domain->about.instance,
        .periods = 1 + tree_below(seed, 30),
        .timeout_ns = 20000};
    assert_int_equal(perfmon_session_new(chipset, &rig.io, 0, &session, &error), 0);
    if (perfmon_histogram(session, &options, &threshold, 1, &bin, &error))
        fail_msg("%s: %s", chipset->name, error.message);
    bool timeout = bin.flags == PERFMON_STUCK;
    uint64_t started = domain->starts[1]; /* after the trial */
    struct process right = run_process(&rig, number, trees, options.pre_count, options.periods,
                                       threshold, started, timeout ? started + 40000 : UINT64_MAX);
    /* After a timeout, only what had ended is known. */
    if ((bin.flags && !timeout) || bin.threshold != threshold ||
        (!timeout && (bin.periods != options.periods || bin.reached != right.reached ||
                      bin.last_events != right.events || bin.last_cycles != right.cycles)) ||
        (timeout && (bin.periods > right.periods || bin.reached > right.reached)))
        fail_msg(
            "%s: flags %x, %llu of %llu periods reached %llu, expected %llu; the last had %llu "
            "events in %llu clocks, expected %llu in %llu",
            chipset->name, bin.flags, (unsigned long long)bin.reached,
            (unsigned long long)bin.periods, (unsigned long long)threshold,
            (unsigned long long)right.reached, (unsigned long long)bin.last_events,
            (unsigned long long)bin.last_cycles, (unsigned long long)right.events,
            (unsigned long long)right.cycles);
    perfmon_session_free(session);
    rig_close(&rig);
    return !timeout;
}

static void test_random(void **state)
{
    unsigned ended = 0, cases = random_cases(60), total = 0;
    uint64_t seed = 31;
    (void)state;
    for (size_t i = 0; i < tally_chipset_count(); i++)
        for (unsigned k = 0; tally_chipset_at(i)->presence != TALLY_ABSENT && k < cases; k++) {
            ended += test_case(tally_chipset_at(i), &seed);
            total++;
        }
    if (ended < total / 4)
        fail_msg("%u of %u processes ended", ended, total);
}

/* ---- known phases ---------------------------------------------------------------------------- */

/* A signal that is 1 for 3, 10 and 40 clocks in turn. */
static void test_lengths(void **state)
{
    static const char *const chipsets[] = {"nv10", "nv15", "nv20", "nv34", "nv40", "g92", "gf100"};
    static const uint64_t thresholds[] = {0, 1, 3, 4, 10, 11, 40, 41};
    static const uint64_t reached[] = {300, 300, 300, 200, 200, 100, 100, 0};
    uint64_t words[2] = {0}, seed = 1;
    (void)state;
    for (unsigned i = 0; i < 100; i++)
        if ((i >= 5 && i < 8) || (i >= 20 && i < 30) || (i >= 40 && i < 80))
            words[i / 64] |= UINT64_C(1) << i % 64;
    for (size_t i = 0; i < ARRAY_COUNT(chipsets); i++) {
        const struct tally_wave wave = tally_wave_pattern(words, 100);
        struct perfmon_bin bins[ARRAY_COUNT(thresholds)];
        struct perfmon_session *session;
        struct tally_error error = {0};
        struct rig rig;
        rig_open(&rig, tally_chipset_find(chipsets[i]), &seed);
        tally_pcounter_attach(rig.engine, 0, 0x11, &wave);
        bool sets = rig.chipset->revision == TALLY_PCOUNTER_GF100;
        const struct perfmon_histogram_options options = {
            .start = sets ? "GPC0[0]:rise(0x11)" : "0:rise(0x11)",
            .stop = "fall(0x11)",
            .event = "1",
            .domain = ANY_DOMAIN,
            .instance = ALL_INSTANCES,
            .periods = 300,
            .timeout_ns = 1000000};
        assert_int_equal(perfmon_session_new(rig.chipset, &rig.io, 0, &session, &error), 0);
        assert_int_equal(
            perfmon_histogram(session, &options, thresholds, ARRAY_COUNT(thresholds), bins, &error),
            0);
        for (size_t k = 0; k < ARRAY_COUNT(thresholds); k++)
            if (bins[k].reached != reached[k] || bins[k].periods != 300 || bins[k].flags ||
                bins[k].last_events != bins[k].last_cycles)
                fail_msg("%s: %llu of %llu reached %llu, flags %x", chipsets[i],
                         (unsigned long long)bins[k].reached, (unsigned long long)bins[k].periods,
                         (unsigned long long)thresholds[k], bins[k].flags);
        perfmon_session_free(session);
        rig_close(&rig);
    }
}

/* A process that does not end: what had ended until then is known. */
static void test_timeout(void **state)
{
    struct perfmon_session *session;
    struct tally_error error = {0};
    struct perfmon_bin bin;
    struct rig rig;
    uint64_t seed = 1, words[16] = {0};
    const uint64_t threshold = 4;
    (void)state;
    rig_open(&rig, tally_chipset_find("g92"), &seed);
    words[9] = UINT64_C(1) << 8 | UINT64_C(1) << 62; /* 584 and 638, after the start */
    const struct tally_wave wave = tally_wave_once(words, 1024);
    tally_pcounter_set_clock(rig.engine, 1, 20, 0);
    tally_pcounter_attach(rig.engine, 1, 0x11, &wave);
    const struct perfmon_histogram_options options = {.start = "1:0x11",
                                                      .stop = "0x11",
                                                      .event = "1",
                                                      .domain = ANY_DOMAIN,
                                                      .instance = ALL_INSTANCES,
                                                      .periods = 10,
                                                      .timeout_ns = 100000};
    assert_int_equal(perfmon_session_new(rig.chipset, &rig.io, 0, &session, &error), 0);
    assert_int_equal(perfmon_histogram(session, &options, &threshold, 1, &bin, &error), 0);
    assert_int_equal(bin.flags, PERFMON_STUCK); /* one period */
    assert_int_equal(bin.periods, 1);
    assert_int_equal(bin.reached, 1);
    assert_int_equal(bin.last_cycles, 54);
    perfmon_session_free(session);
    rig_close(&rig);
}

/* ---- what disturbs a run --------------------------------------------------------------------- */

static void take_endless(struct rig *rig, struct perfmon_bin *bin)
{
    struct perfmon_session *session;
    struct tally_error error = {0};
    const uint64_t threshold = 1;
    const struct perfmon_histogram_options options = {.start = "1:0x11",
                                                      .stop = "0x12",
                                                      .event = "1",
                                                      .domain = ANY_DOMAIN,
                                                      .instance = ALL_INSTANCES,
                                                      .periods = 1000,
                                                      .timeout_ns = 1000000};
    assert_int_equal(perfmon_session_new(rig->chipset, &rig->io, 0, &session, &error), 0);
    assert_int_equal(perfmon_histogram(session, &options, &threshold, 1, bin, &error), 0);
    perfmon_session_free(session);
}

/* A domain without a clock begins nothing, and its process is as inactive as one that has ended. */
static void test_no_clock(void **state)
{
    struct perfmon_bin bin;
    struct rig rig;
    uint64_t seed = 1;
    (void)state;
    rig_open(&rig, tally_chipset_find("g92"), &seed);
    tally_pcounter_set_clock(rig.engine, 1, 1000000000, 999999999);
    take_endless(&rig, &bin);
    assert_int_equal(bin.flags, PERFMON_STUCK);
    assert_int_equal(bin.periods, 0);
    assert_int_equal(bin.reached, 0);
    rig_close(&rig);
}

/* Writes START_OP in the middle of the run, which ends it. */
static void end_run(struct rig *rig, uint32_t address, bool write)
{
    static unsigned reads;
    if (write || address != 0xa7c4)
        return;
    if (++reads == 6)
        tally_pcounter_write32(rig->engine, 0xa464, 0);
}

/* Something else ends the process: the periods that had ended are known, and that it was changed.
 */
static void test_ended_by_something_else(void **state)
{
    const struct tally_wave half = tally_wave_pattern(&(uint64_t){1}, 10);
    struct perfmon_bin bin;
    struct rig rig;
    uint64_t seed = 1;
    (void)state;
    rig_open(&rig, tally_chipset_find("g92"), &seed);
    tally_pcounter_set_clock(rig.engine, 1, 20, 0);
    tally_pcounter_attach(rig.engine, 1, 0x11, &half);
    tally_pcounter_attach(rig.engine, 1, 0x12, &half);
    rig.hook = end_run;
    take_endless(&rig, &bin);
    assert_int_equal(bin.flags, PERFMON_CHANGED);
    assert_in_range(bin.periods, 1, 999);
    assert_int_equal(bin.reached, bin.periods);
    rig_close(&rig);
}

static void test_errors(void **state)
{
    static const struct {
        unsigned line;
        const char *chipset, *start, *stop, *event;
        uint32_t periods;
        uint64_t threshold;
        int result;
        const char *message;
    } rows[] = {
        {__LINE__, "g92", "1:0x1", "0x2", "1", 0, 1, -EINVAL, "0 periods, expected at least 1"},
        {__LINE__, "g92", "1:0x1", "0x2", "1", 1, UINT64_C(1) << 32, -EINVAL,
         "threshold 4294967296, expected at most 32 bits on G92"},
        {__LINE__, "nv20", "1:0x1", "0x2", "1", 1, UINT64_C(1) << 40, -EINVAL, "at most 40 bits"},
        {__LINE__, "g92", "1:0x1", "2:0x2", "1", 1, 1, -ENOENT, "domain 2, expected 1"},
        {__LINE__, "g92", "1:0x1", "0x2", "sum(0x1, 0x2)", 1, 1, -EINVAL, "without sum()"},
        {__LINE__, "g92", "1:0x1", "0x2 |", "1", 1, 1, -EBADMSG, "at 6: the end"},
        {__LINE__, "gf100", "GPC0[3]:0x1", "0x2", "1", 1, 1, -ENODEV,
         "GF100 has no domain GPC0[3]: it is disabled"},
    };
    uint64_t seed = 1;
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const struct perfmon_histogram_options options = {.start = rows[i].start,
                                                          .stop = rows[i].stop,
                                                          .event = rows[i].event,
                                                          .domain = ANY_DOMAIN,
                                                          .instance = ALL_INSTANCES,
                                                          .periods = rows[i].periods,
                                                          .timeout_ns = 1000};
        struct perfmon_session *session;
        struct tally_error error = {0};
        struct perfmon_bin bin;
        struct rig rig;
        rig_open(&rig, tally_chipset_find(rows[i].chipset), &seed);
        rig.gpcs_disabled = 0x8;
        assert_int_equal(perfmon_session_new(rig.chipset, &rig.io, 0, &session, &error), 0);
        int result = perfmon_histogram(session, &options, &rows[i].threshold, 1, &bin, &error);
        ROW(rows[i].line,
            result == rows[i].result && error.code == result &&
                strstr(error.message, rows[i].message) && !rig.writes,
            "%d \"%s\"", result, error.message);
        perfmon_session_free(session);
        rig_close(&rig);
    }
    ROWS_DONE();
}

int run_histogram_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_timeout),
        cmocka_unit_test(test_no_clock),
        cmocka_unit_test(test_ended_by_something_else),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests_name("histograms", tests, NULL, NULL);
}
