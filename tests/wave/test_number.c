/* SPDX-License-Identifier: MIT */
/* Numbers, compared clock by clock with their definitions in <tally/wave.h>. */
#include "wave/tests.h"

#include <tally/wave.h>

#define ITEMS 24
#define WORDS 4

/* Checks sums, bit planes and steady() of a number against its values clock by clock. */
static void check(unsigned line, struct random *rng, const struct tally_number *number)
{
    uint64_t rooms[32][WORDS + 1], *room[32], sum = 0;
    const uint64_t *planes[32];
    uint64_t first = random_magnitude(rng) >> random_below(rng, 2), clocks = 64 * WORDS;
    unsigned bits = 1 + (unsigned)random_below(rng, 32);
    first = first < UINT64_MAX - clocks ? first : first - clocks;
    uint64_t part = random_below(rng, clocks + 1);
    for (uint64_t i = 0; i < part; i++)
        sum += tally_number_at(number, first + i);
    ROW(line, tally_number_sum(number, first, part) == sum, "kind %d: %llu clocks from %llx",
        number->kind, (unsigned long long)part, (unsigned long long)first);

    for (unsigned b = 0; b < 32; b++)
        room[b] = rooms[b];
    tally_number_planes(number, first, WORDS, bits, room, planes);
    bool right = true;
    for (uint64_t i = 0; i < clocks; i++)
        for (unsigned b = 0; b < bits; b++)
            right &= (planes[b][i / 64] >> (i % 64) & 1) ==
                     (tally_number_at(number, first + i) >> b & 1);
    ROW(line, right, "kind %d: %u planes from %llx", number->kind, bits, (unsigned long long)first);

    uint64_t steady = tally_number_steady(number, first);
    ROW(line, steady >= 1, "kind %d: steady for no clock", number->kind);
    for (uint64_t i = 0; i < clocks && i < steady; i++)
        ROW(line, tally_number_at(number, first + i) == tally_number_at(number, first),
            "kind %d: not steady for %llu clocks", number->kind, (unsigned long long)i);
}

static void test_times(void **state)
{
    (void)state;
    struct random rng = random_start(31);
    for (unsigned i = 0; i < random_cases(500); i++) {
        uint64_t seed = random_next(&rng), period = 1 + random_below(&rng, 200);
        const struct tally_wave waves[] = {
            tally_wave_constant(i % 2),
            tally_wave_every(period, seed % period),
            tally_wave_prng(seed, (unsigned)random_below(&rng, 257)),
            tally_wave_bursts(seed, period, random_below(&rng, period + 1)),
            tally_wave_rate(random_below(&rng, 2 * period), period),
        };
        uint32_t value = (uint32_t)random_magnitude(&rng);
        for (size_t k = 0; k < COUNT(waves); k++) {
            struct tally_number number = tally_number_times(value, &waves[k]);
            uint64_t clock = random_magnitude(&rng);
            ROW(__LINE__,
                tally_number_at(&number, clock) == (tally_wave_at(&waves[k], clock) ? value : 0),
                "times, clock %llx", (unsigned long long)clock);
            check(__LINE__, &rng, &number);
        }
    }
    ROWS_DONE();
}

static void test_sequence(void **state)
{
    (void)state;
    struct random rng = random_start(32);
    for (unsigned i = 0; i < random_cases(500); i++) {
        uint32_t items[ITEMS];
        size_t count = 1 + random_below(&rng, ITEMS);
        for (size_t k = 0; k < count; k++)
            items[k] = (uint32_t)random_magnitude(&rng);
        struct tally_number number = tally_number_sequence(items, count);
        uint64_t clock = random_magnitude(&rng);
        ROW(__LINE__, tally_number_at(&number, clock) == items[clock % count], "%zu items", count);
        check(__LINE__, &rng, &number);
    }
    ROWS_DONE();
}

static void test_uniform(void **state)
{
    (void)state;
    struct random rng = random_start(33);
    for (unsigned i = 0; i < random_cases(500); i++) {
        uint64_t seed = random_next(&rng), clock = random_magnitude(&rng);
        uint32_t most = i % 50 ? (uint32_t)random_magnitude(&rng) : i % 100 ? UINT32_MAX : 0;
        struct tally_number number = tally_number_uniform(seed, most);
        uint64_t value = (tally_splitmix64(seed, clock) >> 32) % ((uint64_t)most + 1);
        ROW(__LINE__, tally_number_at(&number, clock) == value, "uniform to %u", most);
        check(__LINE__, &rng, &number);
    }
    ROWS_DONE();
}

static void test_rate(void **state)
{
    (void)state;
    struct random rng = random_start(34);
    for (unsigned i = 0; i < random_cases(2000); i++) {
        uint64_t denominator = 1 + random_below(&rng, UINT64_C(1) << (1 + i % 32));
        uint64_t numerator = random_below(&rng, denominator << random_below(&rng, 32));
        struct tally_number number = tally_number_rate(numerator, denominator);
        uint64_t clock = random_below(&rng, 1000);
        /* clock * (numerator / denominator) in two parts, neither of which overflows */
        uint64_t whole = numerator / denominator, rest = numerator % denominator;
        uint64_t value = whole + (clock + 1) * rest / denominator - clock * rest / denominator;
        ROW(__LINE__, tally_number_at(&number, clock) == value, "%llu of %llu, clock %llu",
            (unsigned long long)numerator, (unsigned long long)denominator,
            (unsigned long long)clock);
        check(__LINE__, &rng, &number);
    }
    ROWS_DONE();
}

int test_number(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_sequence),
        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_rate),
    };
    return cmocka_run_group_tests_name("numbers", tests, NULL, NULL);
}
