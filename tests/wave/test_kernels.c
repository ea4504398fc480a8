/* SPDX-License-Identifier: MIT */
/* The loops over words, for each instruction set, compared with simple loops over bits. */
#include "wave/tests.h"

#include <tally/wave.h>

#include "wave/kernels.h"

#define WORDS  160
#define POISON UINT64_C(0x0123456789abcdef)

static const struct {
    const char *name;
    const struct wave_kernels *kernels;
} sets[] = {
    {"portable", &wave_kernels_portable},
#if defined(TALLY_X86_KERNELS)
    {"avx2", &wave_kernels_avx2},
    {"avx512", &wave_kernels_avx512},
#endif
};

/* Runs a check with the kernels of each instruction set that this processor has. */
static void each_set(void (*check)(const char *name, const struct wave_kernels *kernels))
{
    for (size_t i = 0; i < COUNT(sets); i++)
        if (simd_use(sets[i].name))
            check(sets[i].name, sets[i].kernels);
    simd_best();
    ROWS_DONE();
}

static bool bit(const uint64_t *words, uint64_t i)
{
    return words[i / 64] >> i % 64 & 1;
}

/* Words of any density: even, sparse, full. */
static void some_words(struct random *rng, uint64_t *words, size_t count)
{
    uint64_t kind = random_below(rng, 5);
    for (size_t i = 0; i < count; i++) {
        uint64_t a = random_next(rng), b = random_next(rng), c = random_next(rng);
        words[i] = kind == 0   ? a & b & c & random_next(rng)
                   : kind == 1 ? a | b | c
                   : kind == 2 ? UINT64_MAX
                   : kind == 3 ? 0
                               : a;
    }
}

/* ---- prng ----------------------------------------------------------------------------------- */

static void check_prng(const char *name, const struct wave_kernels *kernels)
{
    struct random rng = random_start(11);
    for (unsigned chance = 1; chance <= 256; chance++)
        for (unsigned i = 0; i < 3; i++) {
            uint64_t out[WORDS], seed = random_magnitude(&rng), index = random_magnitude(&rng);
            size_t count = 1 + random_below(&rng, 20);
            if (i == 2)
                index = UINT64_MAX - random_below(&rng, 40);
            out[count] = POISON;
            kernels->prng(seed, chance, index, count, out);
            bool right = out[count] == POISON;
            for (uint64_t k = 0; k < 64 * count; k++) {
                uint64_t value = tally_splitmix64(seed, index + k / 8);
                right &= bit(out, k) == ((value >> (8 * (k % 8)) & 0xff) < chance);
            }
            ROW(__LINE__, right, "%s: prng(%llx, %u, %llx, %zu)", name, (unsigned long long)seed,
                chance, (unsigned long long)index, count);
        }
}

static void test_prng(void **state)
{
    (void)state;
    each_set(check_prng);
}

/* ---- sums of one generator ------------------------------------------------------------------ */

static void check_prng_sums(const char *name, const struct wave_kernels *kernels)
{
    struct random rng = random_start(15);
    for (unsigned i = 0; i < random_cases(3000); i++) {
        uint64_t sums[5] = {0, 0, 0, 0, 0}, expected[4] = {0, 0, 0, 0};
        unsigned kinds = 1 + i % 4;
        uint16_t chances[4];
        uint64_t seed = random_magnitude(&rng), first = random_magnitude(&rng);
        uint64_t clocks = random_below(&rng, i % 10 ? 300 : 64 * 600); /* more than 255 words */
        for (unsigned k = 0; k < kinds; k++)
            chances[k] = (uint16_t)(i % 7 ? 1 + random_below(&rng, 256) : 256 - k * 255 / 3);
        sums[kinds] = POISON;
        kernels->prng_sums(seed, chances, kinds, first, clocks, sums);
        for (uint64_t clock = first; clock < first + clocks; clock++)
            for (unsigned k = 0; k < kinds; k++)
                expected[k] +=
                    (tally_splitmix64(seed, clock / 8) >> (8 * (clock % 8)) & 0xff) < chances[k];
        for (unsigned k = 0; k < kinds; k++)
            ROW(__LINE__, sums[k] == expected[k] && sums[kinds] == POISON,
                "%s: prng_sums(%llx, %u: %u, %llx, %llu) is %llu, not %llu", name,
                (unsigned long long)seed, k, chances[k], (unsigned long long)first,
                (unsigned long long)clocks, (unsigned long long)sums[k],
                (unsigned long long)expected[k]);
    }
}

static void test_prng_sums(void **state)
{
    (void)state;
    each_set(check_prng_sums);
}

/* ---- even flows ----------------------------------------------------------------------------- */

static void check_rate(const char *name, const struct wave_kernels *kernels)
{
    struct random rng = random_start(16);
    const uint64_t most = UINT64_C(1) << 32;
    for (unsigned i = 0; i < random_cases(3000); i++) {
        uint64_t denominator = 2 + random_magnitude(&rng) % (most - 1), out[WORDS];
        denominator = i % 9 ? denominator : most;
        uint64_t numerator = 1 + random_below(&rng, denominator - 1);
        numerator = i % 8 ? numerator : denominator - 1;
        uint64_t start = i % 5 ? random_below(&rng, denominator) : denominator - 1, rest = start;
        size_t count = 1 + random_below(&rng, 12);
        bool right = true;
        out[count] = POISON;
        kernels->rate(start, numerator, denominator, count, out);
        for (uint64_t k = 0; k < 64 * count; k++) {
            right &= bit(out, k) == (rest + numerator >= denominator);
            rest = (rest + numerator) % denominator;
        }
        ROW(__LINE__, right && out[count] == POISON, "%s: rate(%llx, %llx, %llx, %zu)", name,
            (unsigned long long)start, (unsigned long long)numerator,
            (unsigned long long)denominator, count);
    }
}

static void test_rate(void **state)
{
    (void)state;
    each_set(check_rate);
}

/* ---- shifts --------------------------------------------------------------------------------- */

static void check_shifts(const char *name, const struct wave_kernels *kernels)
{
    struct random rng = random_start(12);
    for (size_t count = 1; count <= 130; count++)
        for (unsigned by = 1; by < 64; by += count < 20 ? 1 : 7) {
            uint64_t words[WORDS], out[WORDS], carry = random_next(&rng) & ones(by);
            some_words(&rng, words, count + 1);
            bool right = true;
            out[count] = POISON;
            kernels->align(words, by, count, out);
            for (uint64_t k = 0; k < 64 * count; k++)
                right &= bit(out, k) == bit(words, k + by);
            ROW(__LINE__, right && out[count] == POISON, "%s: align(%u, %zu)", name, by, count);

            kernels->delay(words, by, carry, count, out);
            right = true;
            for (uint64_t k = 0; k < 64 * count; k++)
                right &= bit(out, k) == (k < by ? carry >> k & 1 : bit(words, k - by));
            ROW(__LINE__, right && out[count] == POISON, "%s: delay(%u, %zu)", name, by, count);

            uint64_t before[WORDS];
            memcpy(before, words, sizeof before);
            kernels->align(words, by, count, words); /* in place */
            right = words[count] == before[count];
            for (uint64_t k = 0; k < 64 * count; k++)
                right &= bit(words, k) == bit(before, k + by);
            ROW(__LINE__, right, "%s: align(%u, %zu) in place", name, by, count);
        }
}

static void test_shifts(void **state)
{
    (void)state;
    each_set(check_shifts);
}

/* ---- logic ---------------------------------------------------------------------------------- */

static void check_table(const char *name, const struct wave_kernels *kernels, struct random *rng,
                        uint16_t table, unsigned arity, size_t count)
{
    uint64_t words[4][WORDS], out[WORDS];
    const uint64_t *arguments[4] = {NULL}; /* those from arity on are not read */
    for (unsigned i = 0; i < arity; i++) {
        for (size_t k = 0; k < count; k++)
            words[i][k] = random_next(rng);
        arguments[i] = i && random_below(rng, 8) == 0 ? arguments[i - 1] : words[i];
    }
    out[count] = POISON;
    kernels->combine(table, arity, arguments, count, out);
    bool right = out[count] == POISON;
    for (size_t k = 0; k < count; k++) {
        uint64_t expected = 0;
        for (unsigned row = 0; row < 1u << arity; row++) { /* a sum of products */
            uint64_t product = -(uint64_t)(table >> row & 1);
            for (unsigned i = 0; i < arity; i++)
                product &= row >> i & 1 ? arguments[i][k] : ~arguments[i][k];
            expected |= product;
        }
        right &= out[k] == expected;
    }
    ROW(__LINE__, right, "%s: combine(%04x, %u arguments, %zu words)", name, table, arity, count);
}

static void check_combine(const char *name, const struct wave_kernels *kernels)
{
    struct random rng = random_start(13);
    for (unsigned arity = 0; arity < 4; arity++)
        for (unsigned table = 0; table < 1u << (1u << arity); table++)
            for (size_t count = 1; count <= 20; count += 1 + random_below(&rng, 6))
                check_table(name, kernels, &rng, (uint16_t)table, arity, count);
    for (unsigned table = 0; table < 1u << 16; table++)
        check_table(name, kernels, &rng, (uint16_t)table, 4, 1 + table % 3);
    for (size_t count = 1; count <= 130; count++)
        check_table(name, kernels, &rng, (uint16_t)random_next(&rng), 4, count);
}

static void test_combine(void **state)
{
    (void)state;
    each_set(check_combine);
}

/* ---- counting ------------------------------------------------------------------------------- */

static void check_range(const char *name, const struct wave_kernels *kernels, const uint64_t *a,
                        const uint64_t *b, uint64_t from, uint64_t to)
{
    uint64_t count = 0, both = 0;
    for (uint64_t k = from; k < to; k++) {
        count += bit(a, k);
        both += bit(a, k) && bit(b, k);
    }
    ROW(__LINE__, kernels->count(a, from, to) == count, "%s: count [%llu, %llu)", name,
        (unsigned long long)from, (unsigned long long)to);
    ROW(__LINE__, kernels->count_and(a, b, from, to) == both, "%s: count_and [%llu, %llu)", name,
        (unsigned long long)from, (unsigned long long)to);
}

static void check_counts(const char *name, const struct wave_kernels *kernels)
{
    struct random rng = random_start(14);
    for (size_t size = 1; size <= WORDS; size++) {
        /* Blocks end with the last word, so that a sanitizer detects a read past it. */
        uint64_t *a = malloc(size * sizeof *a), *b = malloc(size * sizeof *b);
        assert_true(a && b);
        some_words(&rng, a, size), some_words(&rng, b, size);
        check_range(name, kernels, a, b, 0, 64 * size);
        check_range(name, kernels, a, b, 64 * size, 64 * size);
        check_range(name, kernels, a, a, 1, 64 * size - 1);
        for (unsigned i = 0; i < 30; i++) {
            uint64_t from = random_below(&rng, 64 * size + 1);
            uint64_t to = random_below(&rng, 64 * size + 1);
            if (i % 5 == 0)
                from -= from % 64, to -= to % 64;
            check_range(name, kernels, a, b, from, to); /* empty where from > to */
        }
        free(a), free(b);
    }
}

static void test_counts(void **state)
{
    (void)state;
    each_set(check_counts);
}

int test_kernels(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prng),    cmocka_unit_test(test_prng_sums),
        cmocka_unit_test(test_rate),    cmocka_unit_test(test_shifts),
        cmocka_unit_test(test_combine), cmocka_unit_test(test_counts),
    };
    return cmocka_run_group_tests_name("wave kernels", tests, NULL, NULL);
}
