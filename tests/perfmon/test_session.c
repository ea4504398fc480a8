/* SPDX-License-Identifier: MIT */
/* Sessions on the engine: counts equal those of the waves. */
#include "testing.h"

#include <errno.h>

#include "base/bits.h"
#include "driver/perfmon/perfmon.h"
#include "perfmon/rig.h"
#include "perfmon/tests.h"

/* ---- counts of random requests --------------------------------------------------------------- */

#define REQUESTS_MAX 8

struct trial {
    struct rig rig;
    unsigned count;
    struct tree trees[REQUESTS_MAX];
    struct perfmon_request requests[REQUESTS_MAX];
    struct perfmon_plan *plan;
    struct perfmon_session *session;
    unsigned flags;
};

static bool has_quad(const struct tally_chipset *chipset)
{
    return chipset->revision >= TALLY_PCOUNTER_NV30;
}

/* A random domain of the chipset. */
static unsigned random_domain(const struct rig *rig, uint64_t *seed)
{
    const struct tally_pcounter_domain *about =
        &rig->domains[tree_below(seed, rig->domain_count)].about;
    return TALLY_DOMAIN(about->set, about->number);
}

static void make_requests(struct trial *trial, uint64_t *seed)
{
    const struct tally_chipset *chipset = trial->rig.chipset;
    bool one_domain = tree_below(seed, 2);
    unsigned domain = random_domain(&trial->rig, seed);
    trial->count = 1 + tree_below(seed, REQUESTS_MAX);
    for (unsigned i = 0; i < trial->count; i++) {
        if (!one_domain)
            domain = random_domain(&trial->rig, seed);
        /* The same signals in all instances. */
        const struct tree_options options = {
            .signals = trial->rig.domains[rig_find(&trial->rig, domain, 0)].signals,
            .signal_count = RIG_SIGNALS,
            .max_bits = chipset->revision < TALLY_PCOUNTER_NV40 ? 4 : 6,
            .zero = perfmon_zero_signal(chipset, domain) >= 0,
            .delays = true,
            .max_gate = 2,
            .domain = -1};
        tree_random(&trial->trees[i], &options, seed);
        trial->requests[i] = (struct perfmon_request){
            .expression = trial->trees[i].text, .domain = (int)domain, .instance = ALL_INSTANCES};
        unsigned instances = perfmon_instances(chipset, domain);
        if (instances > 1 && !tree_below(seed, 3))
            trial->requests[i].instance = (int)tree_below(seed, instances);
    }
}

/* GPCs have different waves on the same signals. */
static void share_signals(struct rig *rig)
{
    for (unsigned i = 0; i < rig->domain_count; i++) {
        struct rig_domain *domain = &rig->domains[i];
        unsigned first = rig_find(rig, TALLY_DOMAIN(domain->about.set, domain->about.number), 0);
        for (unsigned k = 0; k < RIG_SIGNALS; k++) {
            const struct tally_wave none = tally_wave_constant(false);
            tally_pcounter_attach(rig->engine, i, domain->signals[k], &none);
        }
        for (unsigned k = 0; k < RIG_SIGNALS; k++) {
            const struct tally_wave wave = tally_wave_prng(domain->seeds[k], domain->chances[k]);
            domain->signals[k] = rig->domains[first].signals[k];
            tally_pcounter_attach(rig->engine, i, domain->signals[k], &wave);
        }
    }
}

/* The clocks that a sample counts: between two swaps, or from the third clock after the start on.
 */
static void counted_clocks(const struct rig_domain *domain, bool quad, uint64_t before_swap,
                           uint64_t before_start, uint64_t *from, uint64_t *to)
{
    *from = quad ? before_swap : before_start + 3;
    *to = quad ? domain->swapped : domain->aborted;
}

/* Checks one sample against the waves. */
static void check_sample(const struct trial *trial, const struct perfmon_sample *sample,
                         const uint64_t *swapped, const uint64_t *started, const char *what)
{
    const struct rig *rig = &trial->rig;
    for (unsigned i = 0; i < trial->count; i++) {
        const struct perfmon_placement *placement = &trial->plan->placements[i];
        const struct perfmon_count *clocks = &sample->clocks[placement->clock];
        uint64_t right = 0, right_clocks = 0, from, to;
        if (placement->pass != sample->pass) {
            assert_int_equal(sample->counts[i].flags, PERFMON_NOT_COUNTED);
            continue;
        }
        for (unsigned k = 0; k < perfmon_instances(rig->chipset, placement->domain); k++) {
            if (placement->instance != ALL_INSTANCES && placement->instance != (int)k)
                continue;
            unsigned number = rig_find(rig, placement->domain, k);
            counted_clocks(&rig->domains[number], has_quad(rig->chipset), swapped[number],
                           started[number], &from, &to);
            right += rig_count(rig, number, &trial->trees[i], from, to);
            right_clocks += to - from;
        }
        if (sample->counts[i].value != right || sample->counts[i].flags || clocks->flags ||
            clocks->value != right_clocks)
            fail_msg("%s: %s, \"%s\" of domain %s: %llu of %llu clocks, flags %x, expected %llu of "
                     "%llu",
                     what, rig->chipset->name, trial->trees[i].text,
                     tally_domain_name(placement->domain),
                     (unsigned long long)sample->counts[i].value, (unsigned long long)clocks->value,
                     sample->counts[i].flags, (unsigned long long)right,
                     (unsigned long long)right_clocks);
    }
}

static void note_clocks(const struct rig *rig, uint64_t *swapped, uint64_t *started)
{
    for (unsigned i = 0; i < rig->domain_count; i++) {
        swapped[i] = rig->domains[i].swapped;
        started[i] = rig->domains[i].started;
    }
}

static void open_trial(struct trial *trial, const struct tally_chipset *chipset, unsigned flags,
                       uint64_t *seed)
{
    struct tally_error error = {0};
    trial->flags = flags;
    rig_open(&trial->rig, chipset, seed);
    share_signals(&trial->rig);
    make_requests(trial, seed);
    trial->rig.access_ns = tree_below(seed, 3) * tree_below(seed, 30); /* often 0 */
    if (perfmon_plan_new(chipset, trial->requests, trial->count, 0, &trial->plan, &error) ||
        perfmon_session_new(chipset, &trial->rig.io, flags, &trial->session, &error))
        fail_msg("%s: %s", chipset->name, error.message);
}

static void close_trial(struct trial *trial)
{
    perfmon_session_free(trial->session);
    perfmon_plan_free(trial->plan);
    rig_close(&trial->rig);
}

static void run_trial(struct trial *trial, uint64_t *seed)
{
    uint64_t swapped[RIG_DOMAINS], started[RIG_DOMAINS];
    struct perfmon_sample sample;
    struct tally_error error = {0};
    for (uint32_t pass = 0; pass < trial->plan->passes; pass++) {
        rig_run(&trial->rig, tree_below(seed, 50));
        if (perfmon_session_start(trial->session, trial->plan, pass, &error))
            fail_msg("%s: %s", trial->rig.chipset->name, error.message);
        for (unsigned i = 0; i < 2; i++) {
            uint64_t start_ns = tally_pcounter_now(trial->rig.engine);
            note_clocks(&trial->rig, swapped, started);
            rig_run(&trial->rig, 30 + tree_below(seed, 600));
            assert_int_equal(perfmon_session_sample(trial->session, &sample, &error), 0);
            check_sample(trial, &sample, swapped, started, i ? "second sample" : "first sample");
            assert_int_equal(sample.flags, 0);
            assert_int_equal(sample.pass, pass);
            assert_true(sample.end_ns > sample.start_ns && sample.start_ns <= start_ns);
        }
    }
}

static bool is_tesla(const struct tally_chipset *chipset)
{
    return chipset->revision >= TALLY_PCOUNTER_G84 && chipset->revision < TALLY_PCOUNTER_GF100;
}

/* 200 random choices of signals on each chipset; some without PGRAPH where that is possible. */
static void test_random(void **state)
{
    uint64_t seed = 5;
    unsigned cases = random_cases(200);
    (void)state;
    for (size_t i = 0; i < tally_chipset_count(); i++) {
        const struct tally_chipset *chipset = tally_chipset_at(i);
        for (unsigned k = 0; chipset->presence != TALLY_ABSENT && k < cases; k++) {
            struct trial trial;
            bool no_trigger = is_tesla(chipset) && k % 4 == 0;
            open_trial(&trial, chipset, no_trigger ? PERFMON_NO_PGRAPH : 0, &seed);
            run_trial(&trial, &seed);
            if (no_trigger)
                assert_int_equal(trial.rig.pgraph_writes, 0);
            close_trial(&trial);
        }
    }
}

/* ---- registers afterwards -------------------------------------------------------------------- */

/* Writes random values to the registers that keep them, as an earlier user may have left them. */
static void scribble(struct rig *rig, uint64_t *seed)
{
    static const uint16_t nv10[] = {0x400, 0x408, 0x40c, 0x410, 0x414,
                                    0x418, 0x41c, 0x424, 0x42c, 0x628},
                          nv40[] = {0x400, 0x440, 0x460, 0x480, 0x4a0, 0x4c0,
                                    0x4e0, 0x500, 0x520, 0x560, 0x780},
                          gf100[] = {0x40, 0x44, 0x48, 0x4c, 0x50, 0x54, 0x58,
                                     0x5c, 0x60, 0x64, 0x6c, 0x98, 0x100};
    enum tally_pcounter_revision revision = tally_pcounter_revision(rig->engine);
    for (unsigned i = 0; i < rig->domain_count; i++) {
        uint32_t base = 0xa000 + 0x100 * i;
        const uint16_t *offsets = nv10;
        size_t count = ARRAY_COUNT(nv10);
        if (revision >= TALLY_PCOUNTER_GF100) {
            base = rig->domains[i].about.address;
            offsets = gf100;
            count = ARRAY_COUNT(gf100);
        } else if (revision >= TALLY_PCOUNTER_NV40) {
            base = 0xa000 + 4 * i;
            offsets = nv40;
            count = ARRAY_COUNT(nv40);
        }
        for (size_t k = 0; k < count; k++)
            tally_pcounter_write32(rig->engine, base + offsets[k], tree_below(seed, UINT32_MAX));
        if (revision >= TALLY_PCOUNTER_GF100)
            tally_pcounter_write32(rig->engine, base + 0x9c, 0x80000180 | tree_below(seed, 5));
        else if (revision >= TALLY_PCOUNTER_NV40)
            tally_pcounter_write32(rig->engine, base + 0x7c0, 0x12900 + tree_below(seed, 3));
    }
    if (revision < TALLY_PCOUNTER_NV40)
        tally_pcounter_write32(rig->engine, 0xa73c, 0x50300 | tree_below(seed, 8));
}

/* Whether a register's value belongs to the user: not counters, states or present signals. */
static bool is_kept(const struct rig *rig, uint32_t at)
{
    enum tally_pcounter_revision revision = tally_pcounter_revision(rig->engine);
    if (revision >= TALLY_PCOUNTER_GF100) {
        uint32_t offset = at % 0x200;
        return at >= 0x38000 || (offset >= 0x40 && offset < 0x68) || offset == 0x6c ||
               offset == 0x98 || offset == 0x9c || offset == 0x100;
    }
    if (revision >= TALLY_PCOUNTER_NV40)
        return (at >= 0x400 && at < 0x540) || (at >= 0x560 && at < 0x580) ||
               (at >= 0x780 && at < 0x7e0);
    return (at >= 0x400 && at < 0x600 && at % 0x100 < 0x30) || at % 0x100 == 0x28 ||
           at % 0x100 == 0x2c || at == 0x73c;
}

static uint32_t without_state(const struct rig *rig, uint32_t at, uint32_t value)
{
    enum tally_pcounter_revision revision = tally_pcounter_revision(rig->engine);
    if (revision >= TALLY_PCOUNTER_GF100)
        return at % 0x200 == 0x9c ? value & ~0x33000000u : value;
    if (revision >= TALLY_PCOUNTER_NV40)
        return at >= 0x7c0 ? value & ~0x33000000u : value;
    return at == 0x73c ? value & ~0x0f000078u : value;
}

static void test_restored(void **state)
{
    static uint32_t before[RIG_REGISTERS], after[RIG_REGISTERS];
    static const struct perfmon_selector selectors[] = {{0x400c0c, 0x3, 0x1, 0},
                                                        {0x402ca4, 0xff, 0x42, 0}};
    uint64_t seed = 9;
    (void)state;
    for (size_t i = 0; i < tally_chipset_count(); i++) {
        struct trial trial;
        if (tally_chipset_at(i)->presence == TALLY_ABSENT)
            continue;
        open_trial(&trial, tally_chipset_at(i), 0, &seed);
        perfmon_session_free(trial.session);
        perfmon_plan_free(trial.plan);
        struct tally_error error = {0};
        trial.requests[0].selectors = selectors;
        trial.requests[0].selector_count = 2;
        assert_int_equal(perfmon_plan_new(trial.rig.chipset, trial.requests, trial.count, 0,
                                          &trial.plan, &error),
                         0);
        scribble(&trial.rig, &seed);
        rig_run(&trial.rig, 100);
        size_t count = rig_registers(&trial.rig, before);
        assert_int_equal(
            perfmon_session_new(trial.rig.chipset, &trial.rig.io, 0, &trial.session, &error), 0);
        assert_int_equal(trial.rig.writes, 0);
        run_trial(&trial, &seed);
        assert_true(trial.rig.writes > 0 && trial.rig.selector_count >= 2);
        perfmon_session_stop(trial.session);
        rig_run(&trial.rig, 100);
        rig_registers(&trial.rig, after);
        for (size_t k = 0; k < count; k++) {
            uint32_t at = (uint32_t)(4 * k);
            if (is_kept(&trial.rig, at) &&
                without_state(&trial.rig, at, before[k]) != without_state(&trial.rig, at, after[k]))
                fail_msg("%s: register +0x%x is 0x%08x, was 0x%08x", trial.rig.chipset->name, at,
                         after[k], before[k]);
        }
        for (unsigned k = 0; k < trial.rig.selector_count; k++)
            assert_int_equal(trial.rig.selectors[k], 0x5a5a5a5a);
        unsigned writes = trial.rig.writes;
        perfmon_session_stop(trial.session);
        assert_int_equal(trial.rig.writes, writes);
        close_trial(&trial);
    }
}

/* Selectors of a pass are set while it runs, and only then. */
static void test_selectors(void **state)
{
    static const struct perfmon_selector one = {0x400c0c, 0x3, 0x1, 0},
                                         two = {0x400c0c, 0x30003, 0x10003, 0},
                                         other = {0x407008, 0x8000000f, 0x80000005, 0};
    const struct perfmon_request requests[] = {
        {"1:0x1", ANY_DOMAIN, ALL_INSTANCES, 0, &one, 1, 0},
        {"1:0x2", ANY_DOMAIN, ALL_INSTANCES, 0, &two, 1, 0},
        {"2:0x2", ANY_DOMAIN, ALL_INSTANCES, 0, &other, 1, 0},
    };
    struct perfmon_session *session;
    struct perfmon_plan *plan;
    struct tally_error error = {0};
    struct rig rig;
    uint64_t seed = 2;
    (void)state;
    rig_open(&rig, tally_chipset_find("g92"), &seed);
    assert_int_equal(perfmon_plan_new(rig.chipset, requests, 3, 0, &plan, &error), 0);
    assert_int_equal(plan->passes, 2);
    assert_int_equal(plan->placements[2].pass, 0);
    assert_int_equal(perfmon_session_new(rig.chipset, &rig.io, 0, &session, &error), 0);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(perfmon_session_start(session, plan, i % 2, &error), 0);
        assert_int_equal(rig.io.read32(&rig, 0x400c0c), i % 2 ? 0x5a595a5b : 0x5a5a5a59);
        assert_int_equal(rig.io.read32(&rig, 0x407008), i % 2 ? 0x5a5a5a5a : 0xda5a5a55);
    }
    perfmon_session_free(session);
    assert_int_equal(rig.io.read32(&rig, 0x400c0c), 0x5a5a5a5a);
    assert_int_equal(rig.io.read32(&rig, 0x407008), 0x5a5a5a5a);
    perfmon_plan_free(plan);
    rig_close(&rig);
}

/* ---- what is lost is reported ---------------------------------------------------------------- */

struct simple {
    struct rig rig;
    struct perfmon_plan *plan;
    struct perfmon_session *session;
};

/* Counts every clock of domain 1, or 0 if there is no other. */
static void open_simple(struct simple *simple, const char *chipset, uint64_t *seed)
{
    const struct tally_chipset *found = tally_chipset_find(chipset);
    bool sets = found->revision >= TALLY_PCOUNTER_GF100;
    const struct perfmon_request request = {.expression = sets                      ? "GPC0:1"
                                                          : found->domain_count > 1 ? "1:1"
                                                                                    : "0:1",
                                            .domain = ANY_DOMAIN,
                                            .instance = ALL_INSTANCES};
    struct tally_error error = {0};
    rig_open(&simple->rig, found, seed);
    if (perfmon_plan_new(found, &request, 1, 0, &simple->plan, &error) ||
        perfmon_session_new(found, &simple->rig.io, 0, &simple->session, &error) ||
        perfmon_session_start(simple->session, simple->plan, 0, &error))
        fail_msg("%s", error.message);
}

static void close_simple(struct simple *simple)
{
    perfmon_session_free(simple->session);
    perfmon_plan_free(simple->plan);
    rig_close(&simple->rig);
}

static struct perfmon_sample take(struct simple *simple)
{
    struct perfmon_sample sample = {0};
    struct tally_error error = {0};
    assert_int_equal(perfmon_session_sample(simple->session, &sample, &error), 0);
    return sample;
}

/* Something else swaps: once, and the counts are still there; more often, and it is reported. */
static void test_foreign_swaps(void **state)
{
    static const char *const chipsets[] = {"nv34", "nv40", "g80", "g92", "gt215"};
    uint64_t seed = 4;
    (void)state;
    for (size_t i = 0; i < 4 * ARRAY_COUNT(chipsets); i++) {
        unsigned swaps = i % 4;
        struct simple simple;
        open_simple(&simple, chipsets[i / 4], &seed);
        uint64_t begin = simple.rig.domains[1].swapped, last = begin;
        for (unsigned k = 0; k < swaps; k++) {
            rig_run(&simple.rig, 100);
            last = simple.rig.domains[1].swapped;
            rig_trigger(&simple.rig);
        }
        rig_run(&simple.rig, 100);
        struct perfmon_sample sample = take(&simple);
        uint64_t right = simple.rig.domains[1].swapped - (swaps > 1 ? last : begin);
        assert_int_equal(sample.flags, swaps > 1 ? PERFMON_LOST : 0);
        assert_int_equal(sample.counts[0].flags, sample.flags);
        assert_int_equal(sample.clocks[0].flags, sample.flags);
        assert_int_equal(sample.counts[0].value, right);
        assert_int_equal(sample.clocks[0].value, right);
        rig_run(&simple.rig, 100); /* the next sample is right again */
        begin = simple.rig.domains[1].swapped;
        sample = take(&simple);
        assert_int_equal(sample.flags, 0);
        assert_int_equal(sample.clocks[0].value, simple.rig.domains[1].swapped - begin);
        close_simple(&simple);
    }
}

/* A swap while the counters are read, or between the check and the session's own swap. */
static unsigned hook_countdown;
static void trigger_in_between(struct rig *rig, uint32_t address, bool write)
{
    (void)address;
    (void)write;
    if (hook_countdown && !--hook_countdown) {
        rig_run(rig, 20);
        rig_trigger(rig);
        rig_run(rig, 20);
    }
}

/* Whatever the moment of a foreign swap, the clocks of the samples without the flag LOST add up. */
static void test_torn(void **state)
{
    static const char *const chipsets[] = {"nv34", "nv40", "g92"};
    uint64_t seed = 6;
    unsigned lost = 0;
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(chipsets); i++) {
        for (unsigned at = 1; at < 28; at++) {
            struct simple simple;
            open_simple(&simple, chipsets[i], &seed);
            uint64_t begin = simple.rig.domains[1].swapped, sum = 0;
            unsigned flags = 0;
            hook_countdown = at;
            simple.rig.hook = trigger_in_between;
            for (unsigned k = 0; k < 3; k++) {
                rig_run(&simple.rig, 200);
                struct perfmon_sample sample = take(&simple);
                sum += sample.clocks[0].value;
                flags |= sample.flags;
                assert_int_equal(sample.clocks[0].value, sample.counts[0].value);
            }
            uint64_t right = simple.rig.domains[1].swapped - begin;
            lost += flags != 0;
            if (flags & ~(unsigned)PERFMON_LOST || (!flags && sum != right) || sum > right)
                fail_msg("%s, access %u: %llu clocks, flags %x, expected %llu", chipsets[i], at,
                         (unsigned long long)sum, flags, (unsigned long long)right);
            close_simple(&simple);
        }
    }
    if (!lost || lost > 70)
        fail_msg("%u of 81 cases lost counts", lost);
}

static void test_saturated(void **state)
{
    static const char *const chipsets[] = {"nv10", "nv20", "nv34", "nv40", "g92", "gt215", "gf100"};
    uint64_t seed = 8;
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(chipsets); i++) {
        struct simple simple;
        open_simple(&simple, chipsets[i], &seed);
        bool wide = simple.rig.chipset->revision < TALLY_PCOUNTER_NV30;
        unsigned number = simple.rig.domain_count > 1 && !simple.plan->setups[0].instance &&
                                  simple.plan->setups[0].domain == 1
                              ? 1
                              : 0;
        uint64_t max = wide ? (UINT64_C(1) << 39) - 5 : UINT32_MAX - 5;
        tally_pcounter_poke(simple.rig.engine, number,
                            wide ? TALLY_PCOUNTER_CYCLES : TALLY_PCOUNTER_SH_CYCLES, max);
        rig_run(&simple.rig, 1000);
        struct perfmon_sample sample = take(&simple);
        assert_int_equal(sample.clocks[0].flags, PERFMON_SATURATED);
        assert_true(sample.flags & PERFMON_SATURATED);
        rig_run(&simple.rig, 1000);
        sample = take(&simple);
        assert_int_equal(sample.flags, 0);
        /* Half of the range is none of its end; and one counter alone. */
        rig_run(&simple.rig, 100);
        tally_pcounter_poke(simple.rig.engine, number,
                            wide ? TALLY_PCOUNTER_CYCLES : TALLY_PCOUNTER_SH_CYCLES, max / 2 + 9);
        rig_run(&simple.rig, 1000);
        assert_int_equal(take(&simple).flags, 0);
        rig_run(&simple.rig, 100);
        tally_pcounter_poke(simple.rig.engine, number,
                            wide ? TALLY_PCOUNTER_EVENT : TALLY_PCOUNTER_SH_PRE, max);
        rig_run(&simple.rig, 1000);
        sample = take(&simple);
        assert_int_equal(sample.counts[0].flags, PERFMON_SATURATED);
        assert_int_equal(sample.clocks[0].flags, wide ? PERFMON_SATURATED : 0);
        close_simple(&simple);
    }
}

/* Another program changes CTRL, resets the engine, or the trigger stops working. */
static void test_disturbed(void **state)
{
    uint64_t seed = 8;
    struct simple simple;
    (void)state;
    open_simple(&simple, "g92", &seed);
    tally_pcounter_write32(simple.rig.engine, 0xa7c4, 0);
    rig_run(&simple.rig, 100);
    struct perfmon_sample sample = take(&simple);
    assert_int_equal(sample.flags, PERFMON_CHANGED);
    assert_int_equal(sample.counts[0].flags, PERFMON_CHANGED);
    assert_int_equal(sample.counts[0].value, 0);
    close_simple(&simple);

    open_simple(&simple, "g92", &seed);
    simple.rig.no_trigger = true;
    rig_run(&simple.rig, 100);
    sample = take(&simple);
    assert_int_equal(sample.flags, PERFMON_STUCK);
    close_simple(&simple);

    open_simple(&simple, "nv10", &seed);
    tally_pcounter_write32(simple.rig.engine, 0xa628, 1); /* ends the counting process */
    rig_run(&simple.rig, 100);
    assert_int_equal(take(&simple).flags, PERFMON_CHANGED);
    rig_run(&simple.rig, 100);
    assert_int_equal(take(&simple).flags, 0);
    close_simple(&simple);

    open_simple(&simple, "gf100", &seed);
    tally_pcounter_write32(simple.rig.engine, 0x200, 0);
    rig_run(&simple.rig, 100);
    assert_int_equal(take(&simple).flags, PERFMON_DISABLED);
    close_simple(&simple);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void test_errors(void **state)
{
    struct tally_error error = {0};
    struct perfmon_session *session = NULL;
    struct perfmon_sample sample;
    struct perfmon_plan *plan;
    struct simple simple;
    struct rig rig;
    uint64_t seed = 3;
    (void)state;
    rig_open(&rig, tally_chipset_find("nv40"), &seed);
    assert_int_equal(perfmon_session_new(rig.chipset, &rig.io, PERFMON_NO_PGRAPH, &session, &error),
                     -EOPNOTSUPP);
    assert_string_equal(error.message, "NV40: only PGRAPH.PM_TRIGGER ends a period, and writing "
                                       "PGRAPH is not allowed");
    assert_int_equal(perfmon_session_new(tally_chipset_find("nv17"), &rig.io, 0, &session, &error),
                     -ENODEV);
    assert_int_equal(perfmon_session_new(rig.chipset, &rig.io, 0, &session, &error), 0);
    assert_int_equal(perfmon_session_sample(session, &sample, &error), -EINVAL);
    const struct perfmon_request request = {"1:0x1", ANY_DOMAIN, ALL_INSTANCES, 0, NULL, 0, 0};
    assert_int_equal(perfmon_plan_new(tally_chipset_find("g92"), &request, 1, 0, &plan, &error), 0);
    assert_int_equal(perfmon_session_start(session, plan, 0, &error), -EINVAL);
    assert_string_equal(error.message, "a plan for G92, expected one for NV40");
    perfmon_plan_free(plan);
    assert_int_equal(perfmon_plan_new(rig.chipset, &request, 1, 0, &plan, &error), 0);
    assert_int_equal(perfmon_session_start(session, plan, 1, &error), -EINVAL);
    assert_string_equal(error.message, "pass 2 of a plan with 1 passes");
    rig.no_trigger = true;
    assert_int_equal(perfmon_session_start(session, plan, 0, &error), -EIO);
    assert_string_equal(error.message, "domain 1 of NV40 cannot be counted: stuck");
    assert_int_equal(perfmon_session_sample(session, &sample, &error), -EINVAL);
    perfmon_session_free(session);
    perfmon_plan_free(plan);
    rig_close(&rig);
    perfmon_session_free(NULL);

    open_simple(&simple, "gf100", &seed);
    perfmon_session_free(simple.session);
    simple.session = NULL;
    simple.rig.io.write32(&simple.rig, 0x200, 0);
    assert_int_equal(perfmon_session_new(simple.rig.chipset, &simple.rig.io, 0, &session, &error),
                     -ENODEV);
    assert_non_null(
        strstr(error.message, "bit 28 of PMC.ENABLE (0x000200) is 0 (the register is 0x00000000)"));
    assert_int_equal(
        perfmon_session_new(simple.rig.chipset, &simple.rig.io, PERFMON_ENABLE, &session, &error),
        0);
    assert_int_equal(simple.rig.io.read32(&simple.rig, 0x200), 0x10000000);
    assert_int_equal(perfmon_session_start(session, simple.plan, 0, &error), 0);
    perfmon_session_free(session);
    assert_int_equal(simple.rig.io.read32(&simple.rig, 0x200), 0);
    close_simple(&simple);
}

/* ---- GPCs and partitions --------------------------------------------------------------------- */

/* Disabled GPCs and partitions are neither touched nor counted. */
static void test_disabled_units(void **state)
{
    static const struct {
        unsigned line, gpcs, partitions;
        bool no_top;
        unsigned counted[2]; /* GPCs, partitions */
    } rows[] = {
        {__LINE__, 0, 0, false, {4, 6}},        {__LINE__, 0x2, 0x21, false, {3, 4}},
        {__LINE__, 0xd, 0x1f, false, {1, 1}},   {__LINE__, 0x2, 0x21, true, {4, 6}},
        {__LINE__, 0xf0, 0xfc0, false, {4, 6}},
    };
    const struct perfmon_request requests[] = {
        {"GPC0:1", ANY_DOMAIN, ALL_INSTANCES, 0, NULL, 0, 0},
        {"PART1:1", ANY_DOMAIN, ALL_INSTANCES, 0, NULL, 0, 0},
        {"HUB3:1", ANY_DOMAIN, ALL_INSTANCES, 0, NULL, 0, 0},
    };
    struct tally_error error = {0};
    uint64_t seed = 12;
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct perfmon_session *session;
        struct perfmon_sample sample;
        struct perfmon_plan *plan;
        struct rig rig;
        uint64_t before[RIG_DOMAINS], sums[4] = {0};
        rig_open(&rig, tally_chipset_find("gf100"), &seed);
        rig.gpcs_disabled = rows[i].gpcs;
        rig.partitions_disabled = rows[i].partitions;
        rig.no_top = rows[i].no_top;
        assert_int_equal(perfmon_plan_new(rig.chipset, requests, 3, 0, &plan, &error), 0);
        assert_int_equal(perfmon_session_new(rig.chipset, &rig.io, 0, &session, &error), 0);
        assert_int_equal(perfmon_session_start(session, plan, 0, &error), 0);
        for (unsigned k = 0; k < rig.domain_count; k++)
            before[k] = rig.domains[k].swapped;
        rig_run(&rig, 300);
        assert_int_equal(perfmon_session_sample(session, &sample, &error), 0);
        unsigned counted[4] = {0};
        for (unsigned k = 0; k < rig.domain_count; k++) {
            unsigned set = rig.domains[k].about.set;
            counted[set] += rig.domains[k].swapped != 0;
            sums[set] += rig.domains[k].swapped - before[k];
        }
        ROW(rows[i].line,
            counted[TALLY_SET_GPC] == rows[i].counted[0] &&
                counted[TALLY_SET_PART] == rows[i].counted[1] && counted[TALLY_SET_HUB] == 1 &&
                sample.counts[0].value == sums[TALLY_SET_GPC] &&
                sample.counts[1].value == sums[TALLY_SET_PART] &&
                sample.counts[2].value == sums[TALLY_SET_HUB] && !sample.flags,
            "%u GPCs, %u partitions", counted[TALLY_SET_GPC], counted[TALLY_SET_PART]);
        perfmon_session_free(session);
        perfmon_plan_free(plan);
        rig_close(&rig);
    }
    ROWS_DONE();
}

static void test_absent_unit(void **state)
{
    const struct perfmon_request request = {"GPC0[1]:1", ANY_DOMAIN, ALL_INSTANCES, 0, NULL, 0, 0};
    struct perfmon_session *session;
    struct perfmon_plan *plan;
    struct tally_error error = {0};
    struct rig rig;
    uint64_t seed = 12;
    (void)state;
    rig_open(&rig, tally_chipset_find("gf100"), &seed);
    rig.gpcs_disabled = 0x2;
    assert_int_equal(perfmon_plan_new(rig.chipset, &request, 1, 0, &plan, &error), 0);
    assert_int_equal(perfmon_session_new(rig.chipset, &rig.io, 0, &session, &error), 0);
    assert_int_equal(perfmon_session_start(session, plan, 0, &error), -ENODEV);
    assert_string_equal(error.message, "GF100 has no domain GPC0[1]: it is disabled");
    assert_int_equal(rig.writes, 0);
    perfmon_session_free(session);
    perfmon_plan_free(plan);
    rig_close(&rig);
}

int run_session_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),         cmocka_unit_test(test_restored),
        cmocka_unit_test(test_selectors),      cmocka_unit_test(test_foreign_swaps),
        cmocka_unit_test(test_torn),           cmocka_unit_test(test_saturated),
        cmocka_unit_test(test_disturbed),      cmocka_unit_test(test_errors),
        cmocka_unit_test(test_disabled_units), cmocka_unit_test(test_absent_unit),
    };
    return cmocka_run_group_tests_name("sessions", tests, NULL, NULL);
}
