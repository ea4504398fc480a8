/* SPDX-License-Identifier: MIT */
/* Waves against their definitions in <tally/wave.h>, taken one clock at a time. */
#include "wave/tests.h"

#include <tally/wave.h>

/* ---- the definitions, a bit at a time ------------------------------------------------------- */

struct naive {
    enum tally_wave_kind kind;
    uint64_t a, b, c;
    const uint64_t *list;
    bool inverse;
};

/* PCT-3, "prng". */
static uint64_t naive_splitmix64(uint64_t seed, uint64_t m)
{
    uint64_t z = seed;
    z += (m + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static bool naive_bit(const uint64_t *bits, uint64_t i)
{
    return bits[i / 64] >> i % 64 & 1;
}

static bool naive_burst(const struct naive *n, uint64_t k)
{
    uint64_t frame = n->b, length = n->c, into = k % frame;
    if (!length)
        return false;
    uint64_t start = naive_splitmix64(n->a, k / frame) % (frame - length + 1);
    return into >= start && into - start < length;
}

/* Ones before a clock: k * a / b without the whole turns, which bring equally many. */
static uint64_t naive_flow(const struct naive *n, uint64_t k)
{
    return k / n->b * n->a + k % n->b * n->a / n->b;
}

static bool naive_value(const struct naive *n, uint64_t k)
{
    uint64_t inversions = 0;
    switch (n->kind) {
    case TALLY_WAVE_CONSTANT:
        return n->a;
    case TALLY_WAVE_PATTERN:
        return naive_bit(n->list, k % n->a);
    case TALLY_WAVE_ONCE:
        return k < n->a && naive_bit(n->list, k);
    case TALLY_WAVE_EVERY:
        return k % n->a == n->b;
    case TALLY_WAVE_PRNG:
        return (naive_splitmix64(n->a, k / 8) >> (8 * (k % 8)) & 0xff) < n->b;
    case TALLY_WAVE_BURSTS:
        return naive_burst(n, k);
    case TALLY_WAVE_EDGES:
        for (uint64_t i = 0; i < n->a && n->list[i] <= k; i++)
            inversions++;
        return inversions % 2;
    case TALLY_WAVE_RATE:
        return naive_flow(n, k + 1) != naive_flow(n, k);
    case TALLY_WAVE_SCATTER:
        return 157 * (k % 256 + naive_splitmix64(n->a, k / 256) % 256) % 256 < n->b;
    case TALLY_WAVE_INVERSE:
    case TALLY_WAVE_SOURCE:
        break;
    }
    return false;
}

static bool naive_at(const struct naive *n, uint64_t k)
{
    return naive_value(n, k) != n->inverse;
}

/* ---- comparing ------------------------------------------------------------------------------ */

#define COUNT_MAX 130
#define POISON    UINT64_C(0xa5c3f00dfeedbeef)

/* Counts the ones of ranges with arbitrary ends, against words that were checked before. */
static void check_count(unsigned line, const struct tally_wave *wave, const struct naive *naive,
                        const uint64_t *words, uint64_t first, uint64_t clocks)
{
    uint64_t from = first % 97 % (clocks + 1), to = clocks - first % 89 % (clocks - from + 1);
    uint64_t ones = 0;
    for (uint64_t i = from; i < to; i++)
        ones += naive_bit(words, i);
    uint64_t count = tally_wave_count(wave, first + from, to - from);
    ROW(line, count == ones,
        "kind %d (%llx %llx %llx): %llu ones in %llu clocks from %llx, not %llu", naive->kind,
        (unsigned long long)naive->a, (unsigned long long)naive->b, (unsigned long long)naive->c,
        (unsigned long long)count, (unsigned long long)(to - from),
        (unsigned long long)(first + from), (unsigned long long)ones);
}

/* Words of a wave and what the header says about them. Clocks past 2^64 - 1 do not exist. */
static void check(unsigned line, const struct tally_wave *wave, const struct naive *naive,
                  uint64_t first, size_t count)
{
    uint64_t room[COUNT_MAX + 2], kept[COUNT_MAX];
    for (size_t i = 0; i < COUNT_MAX + 2; i++)
        room[i] = POISON;
    const uint64_t *words = tally_wave_words(wave, first, count, room);
    ROW(line, room[count + 1] == POISON, "kind %d, first %llx: wrote past %zu + 1 words",
        naive->kind, (unsigned long long)first, count);
    uint64_t clocks = 64 * (uint64_t)count;
    if (UINT64_MAX - first < clocks)
        clocks = UINT64_MAX - first;
    for (uint64_t i = 0; i < clocks; i++)
        if (naive_bit(words, i) != naive_at(naive, first + i)) {
            row_failed(
                __FILE__, line,
                "kind %d (%llx %llx %llx): clock %llx, word %llu of %zu from %llx, is not %d",
                naive->kind, (unsigned long long)naive->a, (unsigned long long)naive->b,
                (unsigned long long)naive->c, (unsigned long long)(first + i),
                (unsigned long long)i / 64, count, (unsigned long long)first,
                naive_at(naive, first + i));
            return;
        }
    ROW(line, tally_wave_at(wave, first) == naive_at(naive, first), "tally_wave_at(%llx)",
        (unsigned long long)first);
    memcpy(kept, words, count * sizeof *kept); /* the wave may be read again */
    check_count(line, wave, naive, kept, first, clocks);
}

static uint64_t some_first(struct random *rng)
{
    switch (random_below(rng, 4)) {
    case 0:
        return random_below(rng, 300);
    case 1:
        return 64 * random_below(rng, 20);
    case 2: /* near the end of time */
        return UINT64_MAX - random_below(rng, 64 * COUNT_MAX);
    default:
        return random_magnitude(rng);
    }
}

static void check_often(unsigned line, struct random *rng, const struct tally_wave *wave,
                        const struct naive *naive, unsigned times)
{
    static const size_t counts[] = {1, 2, 3, 8, 64, 65, 127, 128, 129, 130};
    for (unsigned i = 0; i < times; i++) {
        size_t count = random_below(rng, 3) ? 1 + random_below(rng, 12)
                                            : counts[random_below(rng, COUNT(counts))];
        check(line, wave, naive, some_first(rng), count);
        struct tally_wave inverse = tally_wave_inverse(wave);
        struct naive other = *naive;
        other.inverse = true;
        check(line, &inverse, &other, some_first(rng), count);
    }
}

/* ---- each kind ------------------------------------------------------------------------------ */

static void test_constants(void **state)
{
    (void)state;
    struct random rng = random_start(1);
    struct tally_wave zero = {0};
    for (unsigned value = 0; value < 2; value++) {
        struct naive naive = {.kind = TALLY_WAVE_CONSTANT, .a = value};
        struct tally_wave wave = tally_wave_constant(value);
        check_often(__LINE__, &rng, &wave, &naive, 20);
        for (size_t count = 1; count <= COUNT_MAX; count++)
            check(__LINE__, &wave, &naive, some_first(&rng), count);
    }
    check(__LINE__, &zero, &(struct naive){.kind = TALLY_WAVE_CONSTANT}, 7, 3);
    assert_int_equal(sizeof zero, 40); /* the header says so, and copies are cheap */
    ROWS_DONE();
}

/* Bits in a block that ends with its last word, so that a sanitizer sees a read of the next. */
static uint64_t *some_bits(struct random *rng, uint64_t length)
{
    size_t words = (size_t)((length + 63) / 64);
    uint64_t *bits = malloc(words ? words * sizeof *bits : 1);
    assert_non_null(bits);
    random_bytes(rng, bits, words * sizeof *bits); /* bits past the length too */
    return bits;
}

static void check_bits(unsigned line, struct random *rng, uint64_t length, unsigned times)
{
    uint64_t *bits = some_bits(rng, length);
    struct naive naive = {.a = length, .list = bits};
    struct tally_wave wave;
    if (length) {
        naive.kind = TALLY_WAVE_PATTERN;
        wave = tally_wave_pattern(bits, length);
        check_often(line, rng, &wave, &naive, times);
        check(line, &wave, &naive, length - 1, 3); /* over the seam */
        check(line, &wave, &naive, UINT64_MAX / length * length, 2);
    }
    naive.kind = TALLY_WAVE_ONCE;
    wave = tally_wave_once(bits, length);
    check_often(line, rng, &wave, &naive, times);
    for (unsigned i = 0; i < times; i++) /* most firsts are past its end */
        check(line, &wave, &naive, random_below(rng, length + 70), 1 + random_below(rng, 12));
    free(bits);
}

static void test_bits(void **state)
{
    (void)state;
    struct random rng = random_start(2);
    for (uint64_t length = 0; length <= 200; length++)
        check_bits(__LINE__, &rng, length, 12);
    static const uint64_t large[] = {4095, 4096, 8191, 8192, 8193, 64 * 130, 65537, 1000003};
    for (size_t i = 0; i < COUNT(large); i++)
        check_bits(__LINE__, &rng, large[i], 12);
    ROWS_DONE();
}

/* "Its words are used where they lie." */
static void test_zero_copy(void **state)
{
    (void)state;
    struct random rng = random_start(3);
    uint64_t room[COUNT_MAX + 1], *bits = some_bits(&rng, 64 * 40);
    for (unsigned words = 1; words <= 40; words++) {
        struct tally_wave wave = tally_wave_pattern(bits, 64 * words);
        for (unsigned at = 0; at < words; at++)
            for (unsigned count = 1; count <= words; count++) {
                uint64_t lap = random_below(&rng, 1u << 20);
                uint64_t first = 64 * (lap * words + at);
                const uint64_t *got = tally_wave_words(&wave, first, count, room);
                if (at + count <= words)
                    ROW(__LINE__, got == bits + at, "%u words of %u from %u copied", count, words,
                        at);
                else
                    ROW(__LINE__, got == room, "%u words of %u from %u not in room", count, words,
                        at);
            }
    }
    free(bits);
    ROWS_DONE();
}

static void test_every(void **state)
{
    (void)state;
    struct random rng = random_start(4);
    struct naive naive = {.kind = TALLY_WAVE_EVERY};
    for (naive.a = 1; naive.a <= 200; naive.a++) {
        const uint64_t phases[] = {0, naive.a - 1, random_below(&rng, naive.a)};
        for (size_t i = 0; i < COUNT(phases); i++) {
            naive.b = phases[i];
            struct tally_wave wave = tally_wave_every(naive.a, naive.b);
            check_often(__LINE__, &rng, &wave, &naive, 6);
        }
    }
    for (unsigned i = 0; i < random_cases(2000); i++) {
        naive.a = i ? 1 + random_magnitude(&rng) : UINT64_MAX;
        naive.a += naive.a == 0;
        naive.b = random_below(&rng, 2) ? naive.a - 1 : random_next(&rng) % naive.a;
        struct tally_wave wave = tally_wave_every(naive.a, naive.b);
        check_often(__LINE__, &rng, &wave, &naive, 1);
        /* Random clocks miss the ones of a long period. */
        check(__LINE__, &wave, &naive, naive.b - (naive.b ? random_below(&rng, naive.b) % 130 : 0),
              3);
    }
    ROWS_DONE();
}

static void test_prng(void **state)
{
    (void)state;
    struct random rng = random_start(5);
    struct naive naive = {.kind = TALLY_WAVE_PRNG};
    static const uint64_t seeds[] = {0, 1, UINT64_MAX, UINT64_MAX - 1, UINT64_C(1) << 63};
    for (naive.b = 0; naive.b <= 256; naive.b++) {
        naive.a = naive.b < COUNT(seeds) ? seeds[naive.b] : random_next(&rng);
        struct tally_wave wave = tally_wave_prng(naive.a, (unsigned)naive.b);
        check_often(__LINE__, &rng, &wave, &naive, 6);
        check(__LINE__, &wave, &naive, 8 * random_below(&rng, 1000), 9); /* no shift needed */
    }
    ROWS_DONE();
}

static void test_scatter(void **state)
{
    (void)state;
    struct random rng = random_start(12);
    struct naive naive = {.kind = TALLY_WAVE_SCATTER};
    for (naive.b = 0; naive.b <= 256; naive.b++) {
        naive.a = random_next(&rng);
        struct tally_wave wave = tally_wave_scatter(naive.a, (unsigned)naive.b);
        check_often(__LINE__, &rng, &wave, &naive, 6);
        check(__LINE__, &wave, &naive, 64 * random_below(&rng, 1000), 9); /* no shift needed */
        for (unsigned i = 0; i < 20; i++) { /* ranges that are longer than words can show */
            uint64_t first = random_magnitude(&rng) & ~UINT64_C(255),
                     blocks = random_magnitude(&rng) >> 8;
            uint64_t count = tally_wave_count(&wave, first, 256 * blocks);
            ROW(__LINE__, count == blocks * naive.b, "%llu ones in %llu blocks of %llu",
                (unsigned long long)count, (unsigned long long)blocks, (unsigned long long)naive.b);
        }
    }
    ROWS_DONE();
}

static void test_bursts(void **state)
{
    (void)state;
    struct random rng = random_start(6);
    struct naive naive = {.kind = TALLY_WAVE_BURSTS};
    for (naive.b = 1; naive.b <= 200; naive.b++) {
        const uint64_t lengths[] = {0, 1, naive.b - 1, naive.b, random_below(&rng, naive.b)};
        for (size_t i = 0; i < COUNT(lengths); i++) {
            naive.a = random_next(&rng), naive.c = lengths[i];
            struct tally_wave wave = tally_wave_bursts(naive.a, naive.b, naive.c);
            check_often(__LINE__, &rng, &wave, &naive, 3);
        }
    }
    for (unsigned i = 0; i < random_cases(2000); i++) {
        naive.a = random_next(&rng);
        naive.b = i % 10 ? random_magnitude(&rng) : UINT64_MAX;
        naive.b += naive.b == 0;
        naive.c = i % 3 ? random_next(&rng) % naive.b : naive.b - i % 5 % naive.b;
        if (i % 7 == 0)
            naive.c = 0;
        struct tally_wave wave = tally_wave_bursts(naive.a, naive.b, naive.c);
        check_often(__LINE__, &rng, &wave, &naive, 1);
    }
    ROWS_DONE();
}

static void test_rate(void **state)
{
    (void)state;
    struct random rng = random_start(8);
    const uint64_t most = UINT64_C(1) << 32;
    struct naive naive = {.kind = TALLY_WAVE_RATE};
    for (unsigned i = 0; i < random_cases(3000); i++) {
        naive.b = i < 600 ? 1 + i / 3 : 1 + random_below(&rng, most);
        naive.b = i % 11 ? naive.b : most - i % 3;
        naive.a = i % 5 ? random_below(&rng, naive.b + 1) : i % 2 ? 1 : naive.b - 1;
        struct tally_wave wave = tally_wave_rate(naive.a, naive.b);
        check_often(__LINE__, &rng, &wave, &naive, 2);
    }
    struct tally_wave always = tally_wave_rate(7, 5); /* more than one a clock: always 1 */
    assert_true(tally_wave_at(&always, 3) && tally_wave_count(&always, 9, 1000) == 1000);
    ROWS_DONE();
}

static void test_edges(void **state)
{
    (void)state;
    struct random rng = random_start(7);
    for (unsigned i = 0; i < random_cases(400); i++) {
        struct naive naive = {.kind = TALLY_WAVE_EDGES, .a = random_below(&rng, i < 50 ? 5 : 60)};
        uint64_t *edges = malloc(naive.a ? naive.a * sizeof *edges : 1);
        uint64_t at = random_below(&rng, 2) ? random_below(&rng, 70) : random_magnitude(&rng);
        uint64_t gap = 1 + random_below(&rng, i % 2 ? 8 : 300);
        uint64_t most = UINT64_MAX - naive.a * gap;
        at = at < most ? at : most;
        uint64_t begin = at;
        for (uint64_t e = 0; e < naive.a; e++) {
            edges[e] = at;
            at += 1 + random_below(&rng, gap);
        }
        if (naive.a && i % 8 == 0)
            edges[naive.a - 1] = UINT64_MAX;
        naive.list = edges;
        struct tally_wave wave = tally_wave_edges(edges, naive.a);
        check_often(__LINE__, &rng, &wave, &naive, 3);
        for (unsigned k = 0; k < 6; k++)
            check(__LINE__, &wave, &naive, begin - begin % 3 + random_below(&rng, 200),
                  1 + random_below(&rng, COUNT_MAX));
        free(edges);
    }
    ROWS_DONE();
}

/* ---- sources -------------------------------------------------------------------------------- */

struct own {
    uint64_t words[3];
    const uint64_t *answer; /* NULL: into the buffer */
    uint64_t first;
    size_t count;
};

static const uint64_t *own_source(void *context, uint64_t first, size_t count, uint64_t *room)
{
    struct own *own = context;
    own->first = first, own->count = count;
    if (own->answer)
        return own->answer;
    for (size_t i = 0; i < count; i++)
        room[i] = first + i;
    return room;
}

static void test_source(void **state)
{
    (void)state;
    uint64_t room[4];
    struct own own = {.words = {1, 2, 3}};
    struct tally_wave wave = tally_wave_custom(own_source, &own), copy = wave;
    assert_ptr_equal(tally_wave_words(&wave, UINT64_MAX - 3, 3, room), room);
    assert_true(own.first == UINT64_MAX - 3 && own.count == 3);
    assert_true(room[2] == UINT64_MAX - 1);
    own.answer = own.words;
    assert_ptr_equal(tally_wave_words(&copy, 5, 3, room), own.words);
    assert_true(tally_wave_at(&copy, 77));
    assert_true(own.first == 77 && own.count == 1);
}

/* ---- worked numbers (PCT-3, "prng") -------------------------------------------
 */

static void test_worked_numbers(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint64_t seed, m, value;
    } rows[] = {
        {__LINE__, 0, 0, UINT64_C(0xe220a8397b1dcdaf)},
        {__LINE__, 0, 1, UINT64_C(0x6e789e6aa1b965f4)},
        {__LINE__, 0, 2, UINT64_C(0x06c45d188009454f)},
        {__LINE__, 1, 0, UINT64_C(0x910a2dec89025cc1)},
        {__LINE__, UINT64_C(0x123456789abcdef), 0, UINT64_C(0x157a3807a48faa9d)},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        ROW(rows[i].line, tally_splitmix64(rows[i].seed, rows[i].m) == rows[i].value, "%llx",
            (unsigned long long)tally_splitmix64(rows[i].seed, rows[i].m));
    static const char first[] = "0011101001001011", second[] = "00100110";
    struct tally_wave wave = tally_wave_prng(0, 128);
    for (unsigned k = 0; first[k]; k++)
        ROW(__LINE__, tally_wave_at(&wave, k) == (first[k] == '1'), "prng 0 128 at %u", k);
    wave = tally_wave_prng(1, 64);
    for (unsigned k = 0; second[k]; k++)
        ROW(__LINE__, tally_wave_at(&wave, k) == (second[k] == '1'), "prng 1 64 at %u", k);
    ROWS_DONE();
}

int test_wave(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constants),      cmocka_unit_test(test_bits),
        cmocka_unit_test(test_zero_copy),      cmocka_unit_test(test_every),
        cmocka_unit_test(test_prng),           cmocka_unit_test(test_scatter),
        cmocka_unit_test(test_bursts),         cmocka_unit_test(test_rate),
        cmocka_unit_test(test_edges),          cmocka_unit_test(test_source),
        cmocka_unit_test(test_worked_numbers),
    };
    return cmocka_run_group_tests_name("wave", tests, NULL, NULL);
}
