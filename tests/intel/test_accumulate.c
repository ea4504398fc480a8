/* SPDX-License-Identifier: MIT */
/* Sums of deltas over many reports, compared with one delta at a time, on every vector path. */
#include "intel/tests.h"

#include <tally/metrics.h>

#define REPORTS_MAX 1001

/* A walk: reports of one layout with independently changing counters. */
struct walk {
    uint8_t bytes[REPORTS_MAX * REPORT_ROOM];
    const uint8_t *reports[REPORTS_MAX];
    size_t count;
};

enum pace {
    PACE_STANDING, /* all deltas 0 */
    PACE_SLOW,     /* few wraps */
    PACE_ANY,      /* steps of any magnitude */
    PACE_WRAPPING, /* every step is more than half of the range */
    PACE_DOWN,     /* each step decreases by one: the largest possible delta */
    PACE_COUNT
};

static uint64_t step(struct random *rng, enum pace pace)
{
    switch (pace) {
    case PACE_SLOW:
        return random_below(rng, 1 << 20);
    case PACE_ANY:
        return random_magnitude(rng);
    case PACE_WRAPPING:
        return random_next(rng) | UINT64_C(0x8000008080000000);
    case PACE_DOWN:
        return UINT64_MAX;
    default:
        return 0;
    }
}

static void make_walk(struct walk *walk, const struct tally_layout *layout, size_t count,
                      enum pace pace, struct random *rng)
{
    uint64_t slots[TALLY_SLOT_COUNT];
    random_bytes(rng, slots, sizeof slots);
    walk->count = count;
    for (size_t r = 0; r < count; r++) {
        uint8_t *report = walk->bytes + r * REPORT_ROOM + r % 13; /* at any alignment */
        for (unsigned slot = 0; r && slot < TALLY_SLOT_COUNT; slot++)
            slots[slot] += step(rng, pace);
        tally_report_pack(layout, slots, report);
        walk->reports[r] = report;
    }
}

/* PERF-4.8: timestamp, ticks and counters are accumulated. */
static bool counts(unsigned slot)
{
    return slot == TIME || slot == TICKS || (slot >= A(0) && slot <= A(63)) ||
           (slot >= B(0) && slot <= B(7)) || (slot >= C(0) && slot <= C(15)) ||
           (slot >= PEC(0) && slot <= PEC(63));
}

static void plain_sums(const struct tally_layout *layout, const struct walk *walk, uint64_t *sums)
{
    uint64_t before[TALLY_SLOT_COUNT] = {0}, after[TALLY_SLOT_COUNT] = {0};
    for (size_t r = 0; r + 1 < walk->count; r++) {
        tally_report_unpack(layout, walk->reports[r], before);
        tally_report_unpack(layout, walk->reports[r + 1], after);
        for (unsigned slot = 0; slot < TALLY_SLOT_COUNT; slot++) {
            unsigned width = tally_layout_width(layout, slot);
            if (counts(slot) && width)
                sums[slot] += (after[slot] - before[slot]) & ones(width);
        }
    }
}

static void check_walk(const struct tally_layout *layout, const struct walk *walk, enum pace pace,
                       struct random *rng)
{
    uint64_t start[TALLY_SLOT_COUNT], expected[TALLY_SLOT_COUNT];
    random_bytes(rng, start, sizeof start); /* sums are added to, not set */
    memcpy(expected, start, sizeof expected);
    plain_sums(layout, walk, expected);
    for (size_t path = 0; path < COUNT(simd_paths); path++) {
        uint64_t sums[TALLY_SLOT_COUNT];
        if (!simd_use(simd_paths[path]))
            continue;
        memcpy(sums, start, sizeof sums);
        tally_accumulate(layout, walk->reports, walk->count - 1, sums);
        for (unsigned slot = 0; slot < TALLY_SLOT_COUNT; slot++)
            ROW(__LINE__, sums[slot] == expected[slot],
                "%s/%s, %zu deltas, pace %d, %s: slot %u advanced by 0x%" PRIx64
                ", expected 0x%" PRIx64,
                layout->family, layout->name, walk->count - 1, pace, simd_paths[path], slot,
                sums[slot] - start[slot], expected[slot] - start[slot]);
    }
    simd_best();
}

static void test_walks(void **state)
{
    (void)state;
    static const size_t counts_of[] = {1, 2, 3, 64, 1000};
    struct random rng = {5};
    struct walk *walk = malloc(sizeof *walk);
    assert_non_null(walk);
    const struct tally_layout *layout;
    for (size_t l = 0; (layout = tally_layout_at(l)); l++)
        for (size_t c = 0; c < COUNT(counts_of); c++)
            for (enum pace pace = 0; pace < PACE_COUNT; pace++) {
                make_walk(walk, layout, counts_of[c] + 1, pace, &rng);
                check_walk(layout, walk, pace, &rng);
            }
    free(walk);
    ROWS_DONE();
}

/* The sums of two parts of a walk add up to the sum of the walk. */
static void test_parts_add_up(void **state)
{
    (void)state;
    struct random rng = {6};
    struct walk *walk = malloc(sizeof *walk);
    assert_non_null(walk);
    const struct tally_layout *layout;
    for (size_t l = 0; (layout = tally_layout_at(l)); l++) {
        make_walk(walk, layout, 101, PACE_ANY, &rng);
        uint64_t whole[TALLY_SLOT_COUNT] = {0}, parts[TALLY_SLOT_COUNT] = {0};
        tally_accumulate(layout, walk->reports, 100, whole);
        for (size_t at = 0, size; at < 100; at += size) {
            size = 1 + random_below(&rng, 100 - at);
            tally_accumulate(layout, walk->reports + at, size, parts);
        }
        assert_memory_equal(whole, parts, sizeof whole);
    }
    free(walk);
}

static void test_no_deltas_change_nothing(void **state)
{
    (void)state;
    struct random rng = {7};
    uint64_t sums[TALLY_SLOT_COUNT], before[TALLY_SLOT_COUNT];
    uint8_t report[REPORT_ROOM];
    const uint8_t *reports[] = {report};
    random_bytes(&rng, sums, sizeof sums);
    random_bytes(&rng, report, sizeof report);
    memcpy(before, sums, sizeof sums);
    for (size_t l = 0; l < tally_layout_count(); l++) {
        tally_accumulate(tally_layout_at(l), reports, 0, sums);
        assert_memory_equal(sums, before, sizeof sums);
    }
}

int test_accumulate(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walks),
        cmocka_unit_test(test_parts_add_up),
        cmocka_unit_test(test_no_deltas_change_nothing),
    };
    return cmocka_run_group_tests_name("accumulate", tests, NULL, NULL);
}
