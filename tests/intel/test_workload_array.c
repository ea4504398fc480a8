/* SPDX-License-Identifier: MIT */
/*
 * How a workload's stages and instructions are distributed among the EUs (docs/workloads.md, "The
 * EU array from Gen8 on"): random phases, compared with a plain distribution and with the shares.
 */
#include "intel/tests.h"
#include "intel/workload/workload.h"

#define DISPATCHERS 7 /* none, VS, HS, DS, GS, PS, CS */
#define KINDS       6 /* other, hybrid, ternary, binary, mov, send start */

static const unsigned sizes[] = {1, 3, 6, 8, 10, 12, 16, 18, 24, 40, 48, 72, 80, 96};

/* ---- the plain distribution ------------------------------------------------------------------ */

struct shares {
    uint64_t active[DISPATCHERS], stalled[DISPATCHERS], kinds[KINDS], pipes[3], threads;
    bool has_pipes;
};

static unsigned count_of(const unsigned *of, unsigned count, unsigned group)
{
    unsigned found = 0;
    for (unsigned i = 0; i < count; i++)
        found += of[i] == group;
    return found;
}

/* Each member goes to the group that lacks most of its share of the members so far, the first of
 * equals. A group that got none takes the last member of the largest group, if that has two. */
static void deal(const uint64_t *shares, unsigned groups, unsigned count, unsigned *of)
{
    uint64_t sum = 0;
    for (unsigned g = 0; g < groups; g++)
        sum += shares[g];
    for (unsigned n = 0; n < count; n++) {
        long double largest = 0;
        bool any = false;
        of[n] = 0;
        for (unsigned g = 0; g < groups && sum; g++) {
            long double lacks =
                (long double)shares[g] * (n + 1) - (long double)sum * count_of(of, n, g);
            if (shares[g] && (!any || lacks > largest)) {
                of[n] = g;
                largest = lacks;
                any = true;
            }
        }
    }
    for (unsigned g = 0; g < groups; g++) {
        unsigned largest = 0, last = count;
        if (!shares[g] || count_of(of, count, g))
            continue;
        for (unsigned other = 0; other < groups; other++)
            if (count_of(of, count, other) > count_of(of, count, largest))
                largest = other;
        for (unsigned n = 0; n < count; n++)
            last = of[n] == largest ? n : last;
        if (count_of(of, count, largest) > 1)
            of[last] = g;
    }
}

/* The part of an amount that the n-th of `count` gets, if the first n get the floor of theirs. */
static unsigned part(uint64_t amount, unsigned n, unsigned count)
{
    return (unsigned)(amount * (n + 1) / count - amount * n / count);
}

static unsigned chances(uint64_t share, unsigned eus, unsigned n, unsigned count)
{
    uint64_t all = (uint64_t)((long double)share * eus * 256 / 1e9L + 0.5L);
    unsigned own = part(all, n, count);
    return own < 256 ? own : 256;
}

static void plan_plainly(const struct shares *shares, unsigned eus, struct eu_plan *out)
{
    uint64_t both[DISPATCHERS];
    unsigned distinct = eus % 16 == 0 ? 16 : eus % 8 == 0 ? 8 : eus;
    unsigned stage[TALLY_OA_EUS] = {0}, kind[TALLY_OA_EUS] = {0};
    for (unsigned g = 0; g < DISPATCHERS; g++)
        both[g] = shares->active[g] + shares->stalled[g];
    deal(both, DISPATCHERS, distinct, stage);
    for (unsigned eu = 0; eu < eus; eu++) {
        unsigned own = eu % distinct, group = stage[own], before = count_of(stage, own, group);
        unsigned count = count_of(stage, distinct, group);
        struct eu_plan *plan = &out[eu];
        deal(shares->kinds, KINDS, count, kind);
        plan->active = (uint16_t)chances(shares->active[group], distinct, before, count);
        plan->loaded = (uint16_t)chances(both[group], distinct, before, count);
        if (plan->loaded < plan->active)
            plan->loaded = plan->active;
        plan->threads = (uint8_t)(shares->threads * (own + 1) / ONE - shares->threads * own / ONE);
        if (!plan->threads)
            plan->threads = 1;
        plan->dispatcher = (uint8_t)group;
        plan->kind = (uint8_t)kind[before];
        for (unsigned i = 0; i < 3; i++)
            plan->pipes[i] =
                !shares->has_pipes
                    ? (i == 0 ? plan->active : 0)
                    : (uint16_t)((long double)plan->active * shares->pipes[i] / 1e9L + 0.5L);
    }
}

/* ---- random phases --------------------------------------------------------------------------- */

/* Returns a share of what is left: often none, sometimes all, sometimes tiny. */
static uint64_t some_of(struct random *rng, uint64_t left)
{
    switch (random_below(rng, 7)) {
    case 0:
    case 1:
        return 0;
    case 2:
        return left < 1000 ? 0 : 1 + random_below(rng, 1000);
    case 3: /* a few 256ths of an EU */
        return left < ONE / 256 ? 0 : (1 + random_below(rng, 4)) * (ONE / 4096);
    case 4:
        return random_below(rng, 20) ? left / 2 : left;
    default:
        return left / 100 * random_below(rng, 60);
    }
}

struct made {
    struct phase phase;
    struct activity activities[UNITS];
};

static void does(struct made *made, unsigned unit, uint64_t value)
{
    made->activities[made->phase.activity_count++] =
        (struct activity){.unit = (uint8_t)unit, .kind = DOES_SHARE, .value = value, .times = 1};
}

/* Every 40th phase has no work, and each pipe and kind is given in some only. */
static void make_phase(struct random *rng, bool empty, struct made *made, struct shares *shares)
{
    static const unsigned first[DISPATCHERS] = {UNIT_EU_ACTIVE, UNIT_VS_ACTIVE, UNIT_HS_ACTIVE,
                                                UNIT_DS_ACTIVE, UNIT_GS_ACTIVE, UNIT_PS_ACTIVE,
                                                UNIT_CS_ACTIVE};
    uint64_t left = ONE, sums[2] = {0, 0}, kinds = ONE;
    memset(made, 0, sizeof *made);
    memset(shares, 0, sizeof *shares);
    made->phase.activities = made->activities;
    for (unsigned g = DISPATCHERS; g-- > 0;) {
        for (unsigned i = 0; i < 2; i++) {
            uint64_t value = empty ? 0 : some_of(rng, left),
                     *of = i ? shares->stalled : shares->active;
            of[g] = value;
            left -= value;
            sums[i] += value;
            if (g && value)
                does(made, first[g] + i, value);
        }
    }
    if (shares->active[0] || random_below(rng, 2))
        does(made, UNIT_EU_ACTIVE, sums[0]);
    if (shares->stalled[0] || random_below(rng, 2))
        does(made, UNIT_EU_STALLED, sums[1]);
    for (unsigned k = 1; k < KINDS; k++) {
        shares->kinds[k] = some_of(rng, kinds);
        kinds -= shares->kinds[k];
        if (shares->kinds[k])
            does(made, UNIT_EU_HYBRID + k - 1, shares->kinds[k]);
    }
    shares->kinds[0] = kinds;
    for (unsigned unit = UNIT_VS_BOTTLENECK; unit <= UNIT_SETUP_ACTIVE; unit++)
        does(made, unit, random_below(rng, ONE)); /* not of the array */
    for (unsigned i = 0; i < 3; i++) {
        if (random_below(rng, 2))
            continue;
        shares->has_pipes = true;
        shares->pipes[i] = random_below(rng, 3) ? random_below(rng, ONE + 1) : ONE;
        does(made, UNIT_EU_FPU0 + i, shares->pipes[i]);
    }
    shares->threads = random_below(rng, 8) * ONE;
    if (random_below(rng, 2)) {
        shares->threads += shares->threads < 7 * ONE ? random_below(rng, ONE) : 0;
        does(made, UNIT_EU_OCCUPANCY, shares->threads);
    } else {
        shares->threads = 7 * ONE;
    }
}

static bool same(const struct eu_plan *a, const struct eu_plan *b)
{
    return a->active == b->active && a->loaded == b->loaded &&
           !memcmp(a->pipes, b->pipes, sizeof a->pipes) && a->threads == b->threads &&
           a->dispatcher == b->dispatcher && a->kind == b->kind;
}

static void test_random_phases(void **state)
{
    (void)state;
    static struct made made;
    struct random rng = random_start(5);
    for (unsigned n = 0; n < random_cases(4000); n++) {
        struct eu_plan plans[TALLY_OA_EUS], expected[TALLY_OA_EUS] = {{0}};
        struct tally_workload workload = {.seed = n, .phases = &made.phase, .phase_count = 1};
        struct shares shares;
        unsigned eus = sizes[n % COUNT(sizes)];
        make_phase(&rng, n % 40 == 0, &made, &shares);
        memset(plans, 0xff, sizeof plans);
        plan_eus(&workload, 0, eus, 7, plans);
        plan_plainly(&shares, eus, expected);
        for (unsigned eu = 0; eu < TALLY_OA_EUS; eu++)
            ROW(__LINE__, same(&plans[eu], &expected[eu]),
                "case %u, EU %u of %u: %u active, %u loaded, %u %u %u, %u threads, stage %u, kind "
                "%u; expected %u, %u, %u %u %u, %u, %u, %u",
                n, eu, eus, plans[eu].active, plans[eu].loaded, plans[eu].pipes[0],
                plans[eu].pipes[1], plans[eu].pipes[2], plans[eu].threads, plans[eu].dispatcher,
                plans[eu].kind, expected[eu].active, expected[eu].loaded, expected[eu].pipes[0],
                expected[eu].pipes[1], expected[eu].pipes[2], expected[eu].threads,
                expected[eu].dispatcher, expected[eu].kind);
    }
    ROWS_DONE();
}

/* EUs have generators of their own, and repeat those of 16 or 8 EUs, which the OA unit then sums
 * once. */
static void test_seeds(void **state)
{
    (void)state;
    static struct made made;
    struct eu_plan plans[TALLY_OA_EUS];
    struct tally_workload workload = {.seed = 3, .phases = &made.phase, .phase_count = 1};
    made.phase.activities = made.activities;
    does(&made, UNIT_EU_ACTIVE, ONE / 2);
    for (unsigned i = 0; i < COUNT(sizes); i++) {
        unsigned eus = sizes[i], distinct = eus % 16 == 0 ? 16 : eus % 8 == 0 ? 8 : eus;
        plan_eus(&workload, 0, eus, 7, plans);
        for (unsigned a = 0; a < eus; a++)
            for (unsigned b = 0; b < eus; b++)
                ROW(__LINE__, (plans[a].seed == plans[b].seed) == (a % distinct == b % distinct),
                    "EUs %u and %u of %u", a, b, eus);
    }
    ROWS_DONE();
}

int test_workload_array(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_phases),
        cmocka_unit_test(test_seeds),
    };
    return cmocka_run_group_tests_name("workload array", tests, NULL, NULL);
}
