/* SPDX-License-Identifier: MIT */
/*
 * Compiled once for each instruction set; KERNELS is the name of the resulting table. The loops are
 * plain C with a fixed number of iterations, which compilers vectorize; only the transposition uses
 * intrinsics. Floating-point operations are never reassociated or contracted, so that every build
 * gives the same bits.
 */
#include "metrics/kernels.h"

#include <string.h>

#include "base/bits.h"
#include "metrics/distribution.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define N       TALLY_BLOCK
#define EACH(i) for (size_t i = 0; i < N; i++)

/* ---- columns ------------------------------------------------------------------------------ */

#if defined(__AVX2__)

/* Transposes eight dwords of eight reports: row d of `to` gets dword `dword` + d of all eight. */
static inline void transpose_8x8(const uint8_t *const *reports, size_t dword, uint32_t *to)
{
    __m256i r[8], t[8];
    for (int i = 0; i < 8; i++)
        r[i] = _mm256_loadu_si256((const __m256i *)(const void *)(reports[i] + 4 * dword));
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm256_unpacklo_epi32(r[i], r[i + 1]);
        t[i + 1] = _mm256_unpackhi_epi32(r[i], r[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        r[i] = _mm256_unpacklo_epi64(t[i], t[i + 2]);
        r[i + 1] = _mm256_unpackhi_epi64(t[i], t[i + 2]);
        r[i + 2] = _mm256_unpacklo_epi64(t[i + 1], t[i + 3]);
        r[i + 3] = _mm256_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    for (int i = 0; i < 4; i++) {
        __m256i low = _mm256_permute2x128_si256(r[i], r[i + 4], 0x20);
        __m256i high = _mm256_permute2x128_si256(r[i], r[i + 4], 0x31);
        _mm256_storeu_si256((__m256i *)(void *)(to + (size_t)i * COLUMN_STRIDE), low);
        _mm256_storeu_si256((__m256i *)(void *)(to + (size_t)(i + 4) * COLUMN_STRIDE), high);
    }
}

#else

static inline void transpose_8x8(const uint8_t *const *reports, size_t dword, uint32_t *to)
{
    for (size_t r = 0; r < 8; r++)
        for (size_t d = 0; d < 8; d++)
            to[d * COLUMN_STRIDE + r] = load_le32(reports[r] + 4 * (dword + d));
}

#endif

static void load_columns(const uint8_t *const *reports, size_t count, size_t dwords,
                         uint32_t *columns)
{
    for (size_t d = 0; d < dwords; d++)
        columns[d * COLUMN_STRIDE + COLUMN_FIRST - 1] = load_le32(reports[0] + 4 * d);
    for (size_t r = 0; r < count; r += 8) {
        const uint8_t *group[8];
        for (size_t i = 0; i < 8; i++) /* past the end, repeats the last report */
            group[i] = reports[1 + (r + i < count ? r + i : count - 1)];
        for (size_t d = 0; d < dwords; d += 8)
            transpose_8x8(group, d, columns + d * COLUMN_STRIDE + COLUMN_FIRST + r);
    }
}

/* ---- conversions -------------------------------------------------------------------------- */

static inline double bits_to_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t double_to_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#define TWO_52_BITS UINT64_C(0x4330000000000000)
#define TWO_84_BITS UINT64_C(0x4530000000000000)
#define NAN_BITS    UINT64_C(0x7ff8000000000000)

static inline double u64_to_double(uint64_t value)
{
#if defined(__AVX512DQ__)
    return (double)value;
#else
    /* Both halves are converted exactly, and the sum is rounded once, as the conversion would be.
     */
    double high = bits_to_double(TWO_84_BITS | value >> 32) - (0x1p84 + 0x1p52);
    double low = bits_to_double(TWO_52_BITS | (value & 0xffffffff));
    return high + low;
#endif
}

/* Converts a value below 2^52, which is the mantissa of 2^52 + value. */
static inline double small_to_double(uint64_t value)
{
    return bits_to_double(TWO_52_BITS | value) - 0x1p52;
}

/* As double_to_u64(). */
static inline uint64_t to_u64(double value)
{
    if (value < 0x1p63)
        return value > -0x1p63 ? (uint64_t)(int64_t)value : 0;
    if (value < 0x1p64)
        return (uint64_t)(int64_t)(value - 0x1p63) + (UINT64_C(1) << 63);
    return value >= 0x1p64 ? UINT64_MAX : 0;
}

/* ---- division of integers ----------------------------------------------------------------- */

/* Returns whether all values are below 2^52. */
static inline bool all_small(const uint64_t *a)
{
    uint64_t any = 0;
    EACH(i) any |= a[i];
    return any < UINT64_C(1) << 52;
}

/*
 * Returns a / b for integers below 2^52, given the quotient as a double. Rounded to an integer,
 * this differs from the result by at most one, which the remainder corrects.
 */
static inline uint64_t correct_quotient(uint64_t a, uint64_t b, double quotient)
{
    uint64_t q = double_to_bits(quotient + 0x1p52) & ((UINT64_C(1) << 52) - 1);
    uint64_t rest = a - q * b;
    return q - (rest >> 63) + (uint64_t)((int64_t)rest >= (int64_t)b);
}

static void divide(uint64_t *restrict to, const uint64_t *restrict a, const uint64_t *restrict b)
{
    if (all_small(a) && all_small(b)) {
        EACH(i)
        {
            uint64_t by = b[i] ? b[i] : 1;
            uint64_t q = correct_quotient(a[i], by, small_to_double(a[i]) / small_to_double(by));
            to[i] = b[i] ? q : 0;
        }
    } else {
        EACH(i) to[i] = b[i] ? a[i] / b[i] : 0;
    }
}

static void divide_by(uint64_t *restrict to, const uint64_t *restrict a, uint64_t by)
{
    if (by < UINT64_C(1) << 52 && all_small(a)) {
        double inverse = 1.0 / (double)by;
        EACH(i) to[i] = correct_quotient(a[i], by, small_to_double(a[i]) * inverse);
    } else {
        EACH(i) to[i] = a[i] / by;
    }
}

/* ---- steps -------------------------------------------------------------------------------- */

static void read_32(uint64_t *restrict to, const uint32_t *restrict column)
{
    const uint32_t *after = column + COLUMN_FIRST, *before = after - 1;
    EACH(i) to[i] = (uint32_t)(after[i] - before[i]);
}

static void read_40(uint64_t *restrict to, const uint32_t *restrict low_column,
                    const uint32_t *restrict high_column, unsigned shift)
{
    const uint32_t *low = low_column + COLUMN_FIRST, *high = high_column + COLUMN_FIRST;
    EACH(i)
    {
        uint64_t after = low[i] | (uint64_t)(high[i] >> shift & 0xff) << 32;
        uint64_t before = (low - 1)[i] | (uint64_t)((high - 1)[i] >> shift & 0xff) << 32;
        to[i] = (after - before) & UINT64_C(0xffffffffff);
    }
}

static void read_64(uint64_t *restrict to, const uint32_t *restrict low_column,
                    const uint32_t *restrict high_column)
{
    const uint32_t *low = low_column + COLUMN_FIRST, *high = high_column + COLUMN_FIRST;
    EACH(i)
    {
        uint64_t after = low[i] | (uint64_t)high[i] << 32;
        uint64_t before = (low - 1)[i] | (uint64_t)(high - 1)[i] << 32;
        to[i] = after - before;
    }
}

#define LINE_BYTES   64
#define LINES_A_STEP 3

static inline void prefetch_lines(struct prefetch *prefetch)
{
    for (size_t i = 0; i < LINES_A_STEP; i++) {
        __builtin_prefetch(*prefetch->reports + prefetch->at);
        prefetch->at += LINE_BYTES;
        if (prefetch->at < prefetch->bytes)
            continue;
        prefetch->at = 0;
        prefetch->reports++;
        if (!--prefetch->count)
            return;
    }
}

static void run(const struct step *steps, size_t count, uint64_t *registers,
                const uint32_t *columns, struct prefetch *prefetch)
{
    for (const struct step *step = steps; step < steps + count; step++) {
        if (prefetch->count)
            prefetch_lines(prefetch);
        uint64_t *restrict to = registers + (size_t)step->to * N;
        const uint64_t *a = registers + (size_t)step->a * N;
        const uint64_t *b = registers + (size_t)step->b * N;
        double *fto = (double *)(void *)to;
        const double *fa = (const double *)(const void *)a;
        const double *fb = (const double *)(const void *)b;
        switch ((enum kernel)step->kernel) {
        case KERNEL_READ_32:
            read_32(to, columns + (size_t)step->a * COLUMN_STRIDE);
            break;
        case KERNEL_READ_40:
            read_40(to, columns + (size_t)step->a * COLUMN_STRIDE,
                    columns + (size_t)step->b * COLUMN_STRIDE, (unsigned)step->imm.u);
            break;
        case KERNEL_READ_64:
            read_64(to, columns + (size_t)step->a * COLUMN_STRIDE,
                    columns + (size_t)step->b * COLUMN_STRIDE);
            break;
        case KERNEL_CONSTANT:
            EACH(i) to[i] = step->imm.u;
            break;
        case KERNEL_ADD:
            EACH(i) to[i] = a[i] + b[i];
            break;
        case KERNEL_SUB:
            EACH(i) to[i] = a[i] - b[i];
            break;
        case KERNEL_MUL:
            EACH(i) to[i] = a[i] * b[i];
            break;
        case KERNEL_DIV:
            divide(to, a, b);
            break;
        case KERNEL_DIV_CONSTANT:
            divide_by(to, a, step->imm.u);
            break;
        case KERNEL_MIN:
            EACH(i) to[i] = a[i] < b[i] ? a[i] : b[i];
            break;
        case KERNEL_AND:
            EACH(i) to[i] = a[i] & b[i];
            break;
        case KERNEL_SHL:
            EACH(i) to[i] = b[i] < 64 ? a[i] << (b[i] & 63) : 0;
            break;
        case KERNEL_SHR:
            EACH(i) to[i] = b[i] < 64 ? a[i] >> (b[i] & 63) : 0;
            break;
        case KERNEL_GT:
            EACH(i) to[i] = a[i] > b[i];
            break;
        case KERNEL_GTE:
            EACH(i) to[i] = a[i] >= b[i];
            break;
        case KERNEL_LAND:
            EACH(i) to[i] = (a[i] != 0) & (b[i] != 0);
            break;
        case KERNEL_FADD:
            EACH(i) fto[i] = fa[i] + fb[i];
            break;
        case KERNEL_FSUB:
            EACH(i) fto[i] = fa[i] - fb[i];
            break;
        case KERNEL_FMUL:
            EACH(i) fto[i] = fa[i] * fb[i];
            break;
        case KERNEL_FDIV:
            EACH(i)
            {
                double quotient = fa[i] / (fb[i] != 0 ? fb[i] : 1.0);
                fto[i] = fb[i] != 0 ? quotient : 0.0;
            }
            break;
        case KERNEL_RATIO:
            EACH(i)
            {
                double quotient = fa[i] / (fb[i] != 0 ? fb[i] : 1.0);
                fto[i] = fb[i] != 0 ? quotient : bits_to_double(NAN_BITS);
            }
            break;
        case KERNEL_FMIN:
            EACH(i) fto[i] = fa[i] < fb[i] ? fa[i] : fb[i];
            break;
        case KERNEL_FMAX:
            EACH(i) fto[i] = fa[i] > fb[i] ? fa[i] : fb[i];
            break;
        case KERNEL_FGT:
            EACH(i) to[i] = fa[i] > fb[i];
            break;
        case KERNEL_FGTE:
            EACH(i) to[i] = fa[i] >= fb[i];
            break;
        case KERNEL_FLAND:
            EACH(i) to[i] = (fa[i] != 0) & (fb[i] != 0);
            break;
        case KERNEL_TO_DOUBLE:
            EACH(i) fto[i] = u64_to_double(a[i]);
            break;
        case KERNEL_TO_U64:
            EACH(i) to[i] = to_u64(fa[i]);
            break;
        case KERNEL_DEFINED:
            EACH(i) to[i] = b[i] ? a[i] : step->imm.u;
            break;
        }
    }
}

/* ---- reductions --------------------------------------------------------------------------- */

static inline void add_u64(struct lanes *into, size_t lane, uint64_t value)
{
    if (value == TALLY_UNDEFINED) {
        into->u.undefined[lane]++;
        return;
    }
    uint64_t sum = into->u.sum[lane] + value;
    into->u.carry[lane] += sum < value;
    into->u.sum[lane] = sum;
    into->u.minimum[lane] = value < into->u.minimum[lane] ? value : into->u.minimum[lane];
    into->u.maximum[lane] = value > into->u.maximum[lane] ? value : into->u.maximum[lane];
}

/* A value for each lane. Compilers split these vectors to the width of the machine's. */
typedef uint64_t u64_lanes __attribute__((vector_size(8 * LANES)));
typedef int64_t mask_lanes __attribute__((vector_size(8 * LANES)));
typedef double f64_lanes __attribute__((vector_size(8 * LANES)));

/* Minimum and maximum of each lane; `best` where `value` is NaN. */
#if defined(__AVX512F__)
#define MIN_U64(value, best) ((u64_lanes)_mm512_min_epu64((__m512i)(value), (__m512i)(best)))
#define MAX_U64(value, best) ((u64_lanes)_mm512_max_epu64((__m512i)(value), (__m512i)(best)))
#define MIN_F64(value, best) ((f64_lanes)_mm512_min_pd((__m512d)(value), (__m512d)(best)))
#define MAX_F64(value, best) ((f64_lanes)_mm512_max_pd((__m512d)(value), (__m512d)(best)))
#else
#define CHOOSE(mask, yes, no)                                                                      \
    (((u64_lanes)(yes) & (u64_lanes)(mask)) | ((u64_lanes)(no) & ~(u64_lanes)(mask)))
#define MIN_U64(value, best) CHOOSE((value) < (best), value, best)
#define MAX_U64(value, best) CHOOSE((value) > (best), value, best)
#define MIN_F64(value, best) ((f64_lanes)CHOOSE((value) < (best), value, best))
#define MAX_F64(value, best) ((f64_lanes)CHOOSE((value) > (best), value, best))
#endif

static uint64_t sum_u64(const uint64_t *values, size_t start, size_t end)
{
    u64_lanes sums = {0}, value;
    uint64_t sum = 0;
    for (; end - start >= LANES; start += LANES) {
        memcpy(&value, values + start, sizeof value);
        sums += value;
    }
    for (size_t l = 0; l < LANES; l++)
        sum += sums[l];
    for (; start < end; start++)
        sum += values[start];
    return sum;
}

static void reduce_u64(struct lanes *restrict into, const uint64_t *restrict values, size_t start,
                       size_t end)
{
    if (end - start >= LANES) {
        u64_lanes minimum, maximum, sum, carry, undefined, value;
        memcpy(&minimum, into->u.minimum, sizeof minimum);
        memcpy(&maximum, into->u.maximum, sizeof maximum);
        memcpy(&sum, into->u.sum, sizeof sum);
        memcpy(&carry, into->u.carry, sizeof carry);
        memcpy(&undefined, into->u.undefined, sizeof undefined);
        for (; end - start >= LANES; start += LANES) {
            memcpy(&value, values + start, sizeof value);
            u64_lanes no_value = (u64_lanes)(value == TALLY_UNDEFINED); /* true is -1 */
            undefined -= no_value;
            minimum = MIN_U64(value, minimum); /* TALLY_UNDEFINED is the highest integer */
            value &= ~no_value;
            sum += value;
            carry -= (u64_lanes)(sum < value);
            maximum = MAX_U64(value, maximum);
        }
        memcpy(into->u.minimum, &minimum, sizeof minimum);
        memcpy(into->u.maximum, &maximum, sizeof maximum);
        memcpy(into->u.sum, &sum, sizeof sum);
        memcpy(into->u.carry, &carry, sizeof carry);
        memcpy(into->u.undefined, &undefined, sizeof undefined);
    }
    for (; start < end; start++)
        add_u64(into, start % LANES, values[start]);
}

/* Adding 1.5 * 2^52 to a double below 2^51 rounds it to an integer, which is then in the low bits.
 */
#define ROUND      0x1.8p52
#define ROUND_BITS INT64_C(0x4338000000000000)

static inline void add_double(struct lanes *into, size_t lane, double value)
{
    into->f.minimum[lane] = value < into->f.minimum[lane] ? value : into->f.minimum[lane];
    into->f.maximum[lane] = value > into->f.maximum[lane] ? value : into->f.maximum[lane];
    if (!(value > -LANE_DOUBLE_MAX && value < LANE_DOUBLE_MAX)) {
        lanes_add_large(into, value);
        return;
    }
    double scaled = value * (1 << FRACTION_BITS), rounded = scaled + ROUND;
    double rest = (scaled - (rounded - ROUND)) * (1 << FRACTION_BITS) + ROUND;
    into->f.whole[lane] += (int64_t)double_to_bits(rounded) - ROUND_BITS;
    into->f.fraction[lane] += (int64_t)double_to_bits(rest) - ROUND_BITS;
}

/* Adds LANES values at a time; end - start is a multiple of LANES. Returns false without adding any
 * if a value is not below LANE_DOUBLE_MAX. */
static bool add_doubles(struct lanes *restrict into, const double *restrict values, size_t start,
                        size_t end)
{
    f64_lanes minimum, maximum, value;
    mask_lanes small = {0};
    u64_lanes whole, fraction; /* overflow if a value is large, and are then discarded */
    small = ~small;
    memcpy(&minimum, into->f.minimum, sizeof minimum);
    memcpy(&maximum, into->f.maximum, sizeof maximum);
    memcpy(&whole, into->f.whole, sizeof whole);
    memcpy(&fraction, into->f.fraction, sizeof fraction);
    for (; start < end; start += LANES) {
        memcpy(&value, values + start, sizeof value);
        minimum = MIN_F64(value, minimum);
        maximum = MAX_F64(value, maximum);
        small &= (value > -LANE_DOUBLE_MAX) & (value < LANE_DOUBLE_MAX);
        f64_lanes scaled = value * (1 << FRACTION_BITS), rounded = scaled + ROUND;
        f64_lanes rest = (scaled - (rounded - ROUND)) * (1 << FRACTION_BITS) + ROUND;
        whole += (u64_lanes)rounded - (uint64_t)ROUND_BITS;
        fraction += (u64_lanes)rest - (uint64_t)ROUND_BITS;
    }
    int64_t all = -1;
    for (size_t l = 0; l < LANES; l++)
        all &= small[l];
    if (!all)
        return false;
    memcpy(into->f.minimum, &minimum, sizeof minimum);
    memcpy(into->f.maximum, &maximum, sizeof maximum);
    memcpy(into->f.whole, &whole, sizeof whole);
    memcpy(into->f.fraction, &fraction, sizeof fraction);
    return true;
}

static void reduce_double(struct lanes *into, const double *values, size_t start, size_t end)
{
    size_t lanes_end = end - (end - start) % LANES;
    if (add_doubles(into, values, start, lanes_end))
        start = lanes_end;
    for (; start < end; start++)
        add_double(into, start % LANES, values[start]);
}

/* ---- places ------------------------------------------------------------------------------- */

#define PLACE_ENTRY_SHIFT (POSITION_DROPPED + PLACE_BITS)

/* Entry and place of a double in the lanes of a distribution; NO_PLACE if it is not in them. */
static inline uint32_t place_of(double value)
{
    uint64_t bits = double_to_bits(value), first = (uint64_t)LANE_FIRST_KEY << PLACE_ENTRY_SHIFT;
    uint64_t place = ((bits - first) >> POSITION_DROPPED) + (UINT64_C(1) << PLACE_BITS);
    place = bits - first < (uint64_t)LANE_KEYS << PLACE_ENTRY_SHIFT ? place : NO_PLACE;
    return (uint32_t)(bits << 1 ? place : 0); /* entry 0 has the zeros of either sign */
}

static void places_u64(const uint64_t *restrict values, size_t start, size_t end,
                       uint32_t *restrict to)
{
    for (size_t i = 0; i < end - start; i++) /* TALLY_UNDEFINED is beyond the lanes */
        to[i] = place_of(u64_to_double(values[start + i]));
}

static void places_double(const double *restrict values, size_t start, size_t end,
                          uint32_t *restrict to)
{
    for (size_t i = 0; i < end - start; i++)
        to[i] = place_of(values[start + i]);
}

const struct kernels KERNELS = {
    .load_columns = load_columns,
    .run = run,
    .sum_u64 = sum_u64,
    .reduce_u64 = reduce_u64,
    .reduce_double = reduce_double,
    .places_u64 = places_u64,
    .places_double = places_double,
};
