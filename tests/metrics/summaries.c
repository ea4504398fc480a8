/* SPDX-License-Identifier: MIT */
#include "metrics/summaries.h"

#include <float.h>
#include <math.h>

#include "metrics/reference.h"

/* ---- a set --------------------------------------------------------------------------------- */

static const char summary_text[] = SET_OPEN("SKLGT2") U64_COUNTER("Clocks", "GPU_CLOCK 0 READ", "")
    U64_COUNTER("Sum", "A 1 READ A 2 READ UADD", "")
        U64_COUNTER("Wraps", "B 0 READ B 1 READ USUB", "") /* near 2^64 about half of the time */
    U64_COUNTER("Constant", "18446744073709551614", "")
        DOUBLE_COUNTER("Share", "A 7 READ 100 UMUL $Clocks FDIV", "")
            DOUBLE_COUNTER("Signed", "A 32 READ 1.0 FMUL A 33 READ FSUB 7 FDIV", "")
                DOUBLE_COUNTER("Tiny", "B 2 READ 1e-9 FMUL", "")
                    DOUBLE_COUNTER("Large", "A 3 READ 1.5 FMUL", "") /* beyond 2^31 */
    DOUBLE_COUNTER("Huge", "C 0 READ 16 &gt;&gt; 1e20 FMUL", "")     /* beyond 2^64 */
    DOUBLE_COUNTER("Third", "1 3 FDIV", "")
        U64_COUNTER("Gone", "A 4 READ", "availability=\"false\"")
            U64_COUNTER("Missing", "A 36 READ", "") DOUBLE_COUNTER("OfGone", "$Gone 2 FDIV", "")
                SET_CLOSE;

struct tally_metric_file *summary_set(const struct tally_metric_set **set)
{
    struct tally_metric_file *file = load_text(summary_text, set);
    assert_true((*set)->counter_count <= SUMMARY_COUNTERS_MAX);
    return file;
}

struct tally_program *summary_program(const struct tally_metric_set *set,
                                      struct tally_environment *environment)
{
    struct tally_program *program = NULL;
    tally_environment_default(tally_platform_find("skl"), environment);
    assert_int_equal(
        tally_program_new(set, environment, tally_layout_find("skl/101"), &program, NULL), 0);
    return program;
}

/* ---- a section of a recording -------------------------------------------------------------- */

struct stretch *stretch_new(struct random *rng, const struct stretch_plan *plan)
{
    const struct tally_layout *layout = tally_layout_find("skl/101");
    struct stretch *stretch = calloc(1, sizeof *stretch);
    uint64_t slots[TALLY_SLOT_COUNT], ticks = random_below(rng, UINT64_C(1) << 40);
    uint64_t tick_step = 0, steps = 0;
    uint32_t context = 0, left = 0;
    assert_non_null(stretch);
    assert_true(plan->deltas <= DELTAS_MAX);
    random_bytes(rng, slots, sizeof slots);
    for (size_t i = 0; i <= plan->deltas; i++) {
        if (!left--) {
            left = (uint32_t)random_below(rng, plan->run);
            context = (uint32_t)random_below(rng, plan->contexts) * 0x01000193u;
        }
        slots[TALLY_SLOT_TIMESTAMP] = ticks;
        tally_report_pack(layout, slots, stretch->bytes + i * 256);
        stretch->reports[i] = stretch->bytes + i * 256;
        stretch->gpu_ticks[i] = ticks;
        stretch->contexts[i] = context;
        stretch->reasons[i] =
            (uint8_t)(1u << random_below(rng, 6) | (random_below(rng, 8) ? 0 : 1));
        stretch->states[i] = random_below(rng, 100) < plan->lost
                                 ? (uint8_t)(1 + random_below(rng, 2)) /* lost or ambiguous */
                                 : TALLY_STATE_OK;
        if (!steps--) { /* deltas of the same length, or each of another one; some of length 0 */
            steps = random_below(rng, 2) ? random_below(rng, 50) : 0;
            tick_step = random_below(rng, 20) ? 1 + random_below(rng, 1000) : 0;
        }
        ticks += tick_step;
        for (unsigned slot = 0; slot < TALLY_SLOT_COUNT; slot++) {
            uint64_t step =
                random_below(rng, 3) ? random_below(rng, 1000000) : random_magnitude(rng);
            unsigned width = tally_layout_width(layout, slot);
            slots[slot] += step;
            if (width && i < plan->deltas)
                stretch->deltas[i][slot] =
                    (slot == TALLY_SLOT_TIMESTAMP ? tick_step : step) & ones(width);
        }
    }
    stretch->batch = (struct tally_batch){
        .count = plan->deltas + 1,
        .reports = stretch->reports,
        .gpu_ticks = stretch->gpu_ticks,
        .contexts = stretch->contexts,
        .reasons = stretch->reasons,
        .states = stretch->states,
    };
    return stretch;
}

/* ---- results of a summary ------------------------------------------------------------------ */

void take_group(void *closure, const struct tally_group *group,
                const struct tally_statistic *statistics)
{
    struct telling *telling = closure;
    if (telling->count == telling->capacity) {
        telling->capacity = telling->capacity ? 2 * telling->capacity : 64;
        telling->groups = realloc(telling->groups, telling->capacity * sizeof *telling->groups);
        assert_non_null(telling->groups);
    }
    struct told *told = &telling->groups[telling->count++];
    told->group = *group;
    memcpy(told->statistics, statistics, telling->counters * sizeof *statistics);
}

void telling_fini(struct telling *telling)
{
    free(telling->groups);
    *telling = (struct telling){0};
}

void add_stretch(struct random *rng, struct tally_program *program, struct tally_summary *summary,
                 const struct stretch *stretch, size_t from, size_t to)
{
    for (size_t size; from < to; from += size) {
        size = 1 + random_below(rng, TALLY_BLOCK);
        if (size > to - from)
            size = to - from;
        tally_program_run(program, stretch->batch.reports + from, size);
        assert_int_equal(tally_summary_add(summary, &stretch->batch, from, size), 0);
    }
}

/* Phases for the groupings by them; a tick is a nanosecond. */
static const uint64_t durations_ns[] = {7000, 300, 1, 52000};
static const struct tally_recorded_phases phases = {"plain", 0, durations_ns, COUNT(durations_ns)};

struct telling tell_stretch(struct random *rng, struct tally_program *program,
                            const struct stretch *stretch, enum tally_group_by by,
                            uint64_t interval_ticks)
{
    struct telling telling = {.counters = tally_program_set(program)->counter_count};
    struct tally_summary *summary =
        tally_summary_new(program, by, interval_ticks, take_group, &telling);
    assert_non_null(summary);
    assert_int_equal(tally_summary_add_percentiles(summary), 0);
    tally_summary_set_phases(summary, &phases, 1000000000);
    add_stretch(rng, program, summary, stretch, 0, stretch->batch.count - 1);
    tally_summary_finish(summary);
    tally_summary_free(summary);
    return telling;
}

bool same_telling(const struct telling *a, const struct telling *b,
                  const struct tally_program *program)
{
    if (a->count != b->count)
        return false;
    for (size_t g = 0; g < a->count; g++) {
        const struct told *x = &a->groups[g], *y = &b->groups[g];
        if (x->group.by != y->group.by || x->group.key != y->group.key ||
            x->group.deltas != y->group.deltas || x->group.lost != y->group.lost ||
            x->group.ticks != y->group.ticks || x->group.first_ticks != y->group.first_ticks ||
            x->group.last_ticks != y->group.last_ticks)
            return false;
        for (size_t c = 0; c < a->counters && x->group.deltas; c++) {
            const struct tally_statistic *s = &x->statistics[c], *t = &y->statistics[c];
            if (tally_program_state(program, c) == TALLY_COUNTER_OK &&
                (s->type != t->type || s->minimum.u != t->minimum.u ||
                 s->maximum.u != t->maximum.u || s->overall.u != t->overall.u ||
                 s->p50.u != t->p50.u || s->p95.u != t->p95.u || s->p99.u != t->p99.u ||
                 memcmp(&s->mean, &t->mean, sizeof s->mean) != 0))
                return false;
        }
    }
    return true;
}

/* ---- the reference ------------------------------------------------------------------------- */

__extension__ typedef unsigned __int128 wide;

/* A value and the length of its delta. */
struct weighted {
    long double value;
    uint64_t ticks;
};

struct plain {
    struct tally_group group;
    bool used;
    uint64_t sums[TALLY_SLOT_COUNT];
    struct {
        union tally_value minimum, maximum;
        bool has_extremes;
        uint64_t ticks;          /* of the deltas whose values are defined */
        wide whole;              /* sum of integers, each times the length of its delta */
        long double real;        /* sum of doubles, likewise */
        struct weighted *values; /* all that are defined */
        size_t count, capacity;
    } counters[SUMMARY_COUNTERS_MAX];
};

static uint64_t frame_ns(void)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < phases.count; i++)
        sum += durations_ns[i];
    return sum;
}

/* The phase in which a delta lies; CHANGE if it goes on after the end of the phase. */
static uint64_t phase_of(uint64_t from, uint64_t to)
{
    uint64_t end = from - from % frame_ns();
    for (size_t i = 0;; i++) {
        end += durations_ns[i];
        if (from < end)
            return to > end ? TALLY_KEY_CHANGE : i;
    }
}

static uint64_t key_of(const struct stretch *stretch, size_t i, enum tally_group_by by,
                       uint64_t interval_ticks)
{
    switch (by) {
    case TALLY_BY_CONTEXT:
        return stretch->contexts[i];
    case TALLY_BY_REASON:
        return stretch->reasons[i];
    case TALLY_BY_INTERVAL:
        return (stretch->gpu_ticks[i] - stretch->gpu_ticks[0]) / interval_ticks;
    case TALLY_BY_PHASE:
        return phase_of(stretch->gpu_ticks[i], stretch->gpu_ticks[i + 1]);
    case TALLY_BY_FRAME:
        return (stretch->gpu_ticks[i] - phases.start_ticks) / frame_ns();
    case TALLY_BY_MARK: /* tests/e2e/test_marks.py */
    case TALLY_BY_NOTHING:
        break;
    }
    return 0;
}

static void keep_value(struct plain *plain, size_t c, long double value, uint64_t ticks)
{
    struct weighted **values = &plain->counters[c].values;
    if (plain->counters[c].count == plain->counters[c].capacity) {
        plain->counters[c].capacity =
            plain->counters[c].capacity ? 2 * plain->counters[c].capacity : 4;
        *values = realloc(*values, plain->counters[c].capacity * sizeof **values);
        assert_non_null(*values);
    }
    (*values)[plain->counters[c].count++] = (struct weighted){value, ticks};
}

static void plain_add(struct plain *plain, const struct tally_metric_set *set,
                      const struct stretch *stretch, size_t i, const union tally_value *values)
{
    struct tally_group *group = &plain->group;
    if (!plain->used)
        group->first_ticks = stretch->gpu_ticks[i];
    group->last_ticks = stretch->gpu_ticks[i + 1];
    plain->used = true;
    if (stretch->states[i] != TALLY_STATE_OK) {
        group->lost++;
        return;
    }
    for (unsigned slot = 0; slot < TALLY_SLOT_COUNT; slot++)
        plain->sums[slot] += stretch->deltas[i][slot];
    for (size_t c = 0; c < set->counter_count; c++) {
        union tally_value *low = &plain->counters[c].minimum, *high = &plain->counters[c].maximum;
        bool real = set->counters[c].type == TALLY_DOUBLE;
        bool first = !plain->counters[c].has_extremes;
        uint64_t ticks = stretch->gpu_ticks[i + 1] - stretch->gpu_ticks[i];
        if (real ? isnan(values[c].f) : values[c].u == UINT64_MAX)
            continue;
        plain->counters[c].ticks += ticks;
        keep_value(plain, c, real ? (long double)values[c].f : (long double)values[c].u, ticks);
        if (real)
            plain->counters[c].real += (long double)values[c].f * (long double)ticks;
        else
            plain->counters[c].whole += (wide)values[c].u * ticks;
        if (2 * ticks < stretch->batch.period_ticks)
            continue;
        if (first || (real ? values[c].f < low->f : values[c].u < low->u))
            *low = values[c];
        if (first || (real ? values[c].f > high->f : values[c].u > high->u))
            *high = values[c];
        plain->counters[c].has_extremes = true;
    }
    group->deltas++;
    group->ticks += stretch->gpu_ticks[i + 1] - stretch->gpu_ticks[i];
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Lists the keys that have their own group in ascending order. Returns their number. */
static size_t lowest_keys(const struct stretch *stretch, enum tally_group_by by,
                          uint64_t interval_ticks, uint64_t *keys)
{
    size_t deltas = stretch->batch.count - 1, count = 0;
    for (size_t i = 0; i < deltas; i++)
        keys[i] = key_of(stretch, i, by, interval_ticks);
    qsort(keys, deltas, sizeof *keys, compare_keys);
    for (size_t i = 0; i < deltas; i++)
        if (!count || keys[i] != keys[count - 1])
            keys[count++] = keys[i];
    return by != TALLY_BY_INTERVAL && by != TALLY_BY_FRAME && count > 1024 ? 1024 : count;
}

static size_t place(const uint64_t *keys, size_t count, uint64_t key)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && keys[low] == key ? low : count; /* the last group has all others */
}

static void check_mean(unsigned line, const struct told *told, const struct plain *plain, size_t c,
                       const struct tally_counter *counter)
{
    long double count = (long double)plain->counters[c].ticks;
    bool real = counter->type == TALLY_DOUBLE;
    long double mean =
        (real ? plain->counters[c].real : (long double)plain->counters[c].whole) / count;
    if (!plain->counters[c].ticks) {
        ROW(line, isnan(told->statistics[c].mean), "key %" PRIu64 " %s: mean %g, expected none",
            told->group.key, counter->symbol, told->statistics[c].mean);
        return;
    }
    /* Doubles are summed in units of 2^-40. */
    long double slack = fabsl(mean) * 4 * DBL_EPSILON + (real ? 0x1p-40L : 0);
    long double off = fabsl((long double)told->statistics[c].mean - mean);
    ROW(line, off <= slack, "key %" PRIu64 " %s: mean %.17g, expected %.17Lg", told->group.key,
        counter->symbol, told->statistics[c].mean, mean);
}

static int compare_weighted(const void *x, const void *y)
{
    const struct weighted *a = x, *b = y;
    return (a->value > b->value) - (a->value < b->value);
}

/* Returns the number of the bucket of a value, by the header: 64 from each power of two on. */
static long long bucket_of(long double value)
{
    int exponent;
    long double mantissa = frexpl(fabsl(value), &exponent);
    long long bucket = value == 0 ? 0 : (exponent + 2000) * 64LL + (long long)(mantissa * 128 - 64);
    return value < 0 ? -bucket : bucket;
}

/* Returns how often buckets were merged: until sorted values need at most `limit` of them. */
static unsigned level_of(const struct weighted *values, size_t count, size_t limit)
{
    for (unsigned level = 0;; level++) {
        size_t buckets = 0;
        long long last = 0;
        for (size_t i = 0; i < count; i++) {
            long long bucket = bucket_of(values[i].value) >> level;
            buckets += values[i].ticks && (!buckets || bucket != last);
            last = values[i].ticks ? bucket : last;
        }
        if (buckets <= limit)
            return level;
    }
}

/* The lowest value for which the values up to it cover this part of the time. */
static long double plain_percentile(const struct plain *plain, size_t c, unsigned percent)
{
    uint64_t sum = 0;
    size_t i = 0;
    while ((wide)(sum += plain->counters[c].values[i].ticks) * 100 <
           (wide)plain->counters[c].ticks * percent)
        i++;
    return plain->counters[c].values[i].value;
}

/* Percentiles by sorting all values. The total has at least the level of each group: `*level`. */
static void check_percentiles(unsigned line, const struct told *told, const struct plain *plain,
                              size_t c, const struct tally_counter *counter, size_t groups,
                              unsigned *level)
{
    const struct tally_statistic *statistic = &told->statistics[c];
    const union tally_value got[] = {statistic->p50, statistic->p95, statistic->p99};
    static const unsigned percents[] = {50, 95, 99};
    size_t limit = 1024;
    for (size_t with = 32; with < groups && told->group.by != TALLY_BY_NOTHING; with *= 2)
        limit = limit > 32 ? limit / 2 : 32;
    if (plain->counters[c].count)
        qsort(plain->counters[c].values, plain->counters[c].count, sizeof(struct weighted),
              compare_weighted);
    unsigned own = level_of(plain->counters[c].values, plain->counters[c].count, limit);
    *level = own > *level ? own : *level;
    if (told->group.by == TALLY_BY_NOTHING)
        own = *level;
    for (size_t i = 0; i < COUNT(percents); i++) {
        long double value =
            counter->type == TALLY_DOUBLE ? (long double)got[i].f : (long double)got[i].u;
        if (!plain->counters[c].ticks) {
            ROW(line, !tally_value_is_defined(got[i], counter->type),
                "key %" PRIu64 " %s: p%u %Lg, expected none", told->group.key, counter->symbol,
                percents[i], value);
            continue;
        }
        long double expected = plain_percentile(plain, c, percents[i]);
        long double slack = fabsl(expected) * (1u << own) / 64;
        ROW(line, fabsl(value - expected) <= slack,
            "key %" PRIu64 " %s: p%u %.17Lg, expected %.17Lg, level %u", told->group.key,
            counter->symbol, percents[i], value, expected, own);
    }
}

/* Returns a minimum or maximum, which may be undefined. */
static union tally_value extreme(const struct plain *plain, size_t c, union tally_value value,
                                 enum tally_data_type type)
{
    if (plain->counters[c].has_extremes)
        return value;
    return type == TALLY_DOUBLE ? (union tally_value){.f = (double)NAN}
                                : (union tally_value){.u = UINT64_MAX};
}

static void check_group(unsigned line, const struct told *told, const struct plain *plain,
                        struct tally_program *program, struct reference *reference, size_t groups,
                        unsigned levels[SUMMARY_COUNTERS_MAX])
{
    const struct tally_metric_set *set = tally_program_set(program);
    const struct tally_group *got = &told->group, *want = &plain->group;
    ROW(line, got->by == want->by && got->key == want->key,
        "group %d %" PRIu64 ", expected %d %" PRIu64, got->by, got->key, want->by, want->key);
    ROW(line, got->deltas == want->deltas && got->lost == want->lost && got->ticks == want->ticks,
        "key %" PRIu64 ": %" PRIu64 " deltas, %" PRIu64 " lost, %" PRIu64
        " ticks, expected %" PRIu64 ", %" PRIu64 ", %" PRIu64,
        got->key, got->deltas, got->lost, got->ticks, want->deltas, want->lost, want->ticks);
    ROW(line, got->first_ticks == want->first_ticks && got->last_ticks == want->last_ticks,
        "key %" PRIu64 ": from %" PRIu64 " to %" PRIu64 ", expected %" PRIu64 " to %" PRIu64,
        got->key, got->first_ticks, got->last_ticks, want->first_ticks, want->last_ticks);
    reference_take(reference, plain->sums);
    for (size_t c = 0; c < set->counter_count && want->deltas; c++) {
        const struct tally_counter *counter = &set->counters[c];
        const struct tally_statistic *statistic = &told->statistics[c];
        if (tally_program_state(program, c) != TALLY_COUNTER_OK)
            continue;
        union tally_value minimum = extreme(plain, c, plain->counters[c].minimum, counter->type);
        union tally_value maximum = extreme(plain, c, plain->counters[c].maximum, counter->type);
        ROW(line, statistic->type == counter->type, "%s: type", counter->symbol);
        ROW(line, same_value(statistic->minimum, minimum, counter->type),
            "key %" PRIu64 " %s: minimum %s, expected %s", got->key, counter->symbol,
            value_text(statistic->minimum, counter->type), value_text(minimum, counter->type));
        ROW(line, same_value(statistic->maximum, maximum, counter->type),
            "key %" PRIu64 " %s: maximum %s, expected %s", got->key, counter->symbol,
            value_text(statistic->maximum, counter->type), value_text(maximum, counter->type));
        ROW(line, same_value(statistic->overall, reference_counter(reference, c), counter->type),
            "key %" PRIu64 " %s: overall %s, expected %s", got->key, counter->symbol,
            value_text(statistic->overall, counter->type),
            value_text(reference_counter(reference, c), counter->type));
        check_mean(line, told, plain, c, counter);
        check_percentiles(line, told, plain, c, counter, groups, &levels[c]);
    }
}

void check_telling(unsigned line, const struct telling *telling, struct tally_program *program,
                   const struct tally_environment *environment, const struct stretch *stretch,
                   enum tally_group_by by, uint64_t interval_ticks)
{
    const struct tally_metric_set *set = tally_program_set(program);
    size_t deltas = stretch->batch.count - 1, told = 0;
    uint64_t *keys = calloc(deltas + 1, sizeof *keys);
    assert_non_null(keys);
    size_t count = lowest_keys(stretch, by, interval_ticks, keys);
    struct plain *groups = calloc(count + 2, sizeof *groups), *total = &groups[count + 1];
    struct reference reference;
    assert_non_null(groups);
    reference_init(&reference, set, environment, tally_layout_find("skl/101"));
    for (size_t g = 0; g <= count; g++)
        groups[g].group =
            (struct tally_group){.by = by, .key = g < count ? keys[g] : TALLY_KEY_OTHERS};
    for (size_t i = 0; i < deltas; i++) {
        union tally_value values[SUMMARY_COUNTERS_MAX];
        reference_take(&reference, stretch->deltas[i]);
        for (size_t c = 0; c < set->counter_count; c++)
            values[c] = reference_counter(&reference, c);
        plain_add(&groups[place(keys, count, key_of(stretch, i, by, interval_ticks))], set, stretch,
                  i, values);
        plain_add(total, set, stretch, i, values);
    }
    unsigned levels[SUMMARY_COUNTERS_MAX] = {0};
    size_t separate = by == TALLY_BY_INTERVAL || by == TALLY_BY_FRAME ? 1 : count;
    /* Groups in ascending order, then all others, then the total, which always exists. */
    for (size_t g = 0; g <= count + 1; g++) {
        if (g <= count && (!groups[g].used || by == TALLY_BY_NOTHING))
            continue;
        if (ROW(line, told < telling->count, "only %zu groups", telling->count))
            check_group(line, &telling->groups[told++], &groups[g], program, &reference, separate,
                        levels);
    }
    ROW(line, told == telling->count, "%zu groups, expected %zu", telling->count, told);
    reference_fini(&reference);
    for (size_t g = 0; g <= count + 1; g++)
        for (size_t c = 0; c < set->counter_count; c++)
            free(groups[g].counters[c].values);
    free(groups);
    free(keys);
}
