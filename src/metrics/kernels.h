/* SPDX-License-Identifier: MIT */
#ifndef TALLY_METRICS_KERNELS_H
#define TALLY_METRICS_KERNELS_H

#include <tally/metrics.h>

#include "base/ratio.h"

/*
 * Kernels: the inner loops of evaluation, each over a block of TALLY_BLOCK deltas. kernels.c is
 * compiled once for each instruction set; all variants give the same bits.
 *
 * Raw reports are first transposed into columns: column d contains dword d of each report. Element
 * COLUMN_FIRST - 1 belongs to the first report and element COLUMN_FIRST + i to report i + 1, so
 * delta i is the difference between elements COLUMN_FIRST + i and COLUMN_FIRST + i - 1.
 */
#define COLUMN_FIRST  8
#define COLUMN_STRIDE (COLUMN_FIRST + TALLY_BLOCK)

enum kernel {
    KERNEL_READ_32,  /* delta of column a */
    KERNEL_READ_40,  /* delta of 40 bits: 31:0 in column a, 39:32 in column b at bit `imm` */
    KERNEL_READ_64,  /* delta of 64 bits: 31:0 in column a, 63:32 in column b */
    KERNEL_CONSTANT, /* imm.u */
    KERNEL_ADD,
    KERNEL_SUB,
    KERNEL_MUL,
    KERNEL_DIV,
    KERNEL_DIV_CONSTANT, /* by imm.u, which is not 0 */
    KERNEL_MIN,
    KERNEL_AND,
    KERNEL_SHL,
    KERNEL_SHR,
    KERNEL_GT,
    KERNEL_GTE,
    KERNEL_LAND,
    KERNEL_FADD,
    KERNEL_FSUB,
    KERNEL_FMUL,
    KERNEL_FDIV,
    KERNEL_RATIO,
    KERNEL_FMIN,
    KERNEL_FMAX,
    KERNEL_FGT,
    KERNEL_FGTE,
    KERNEL_FLAND,
    KERNEL_TO_DOUBLE,
    KERNEL_TO_U64,
    KERNEL_DEFINED /* a, or the bits of imm where b is 0 */
};

/* A step of a program: register `to` = kernel(register a, register b). A register has TALLY_BLOCK
 * values. */
struct step {
    uint16_t kernel;
    uint16_t to;
    uint16_t a;
    uint16_t b;
    union tally_value imm;
};

/*
 * Reductions: minimum, maximum and sum of many values, each multiplied by the length of its delta.
 * Sums are exact integers; doubles are summed in units of 2^-40. So the result depends neither on
 * the order of the values nor on how they are divided among batches and threads. The loops keep
 * LANES partial results of deltas with the same length, which reduction_fold() multiplies by it and
 * adds up; single values are added by reduction_add(), with the same result.
 */
#define LANES 8

/* Doubles below this magnitude are summed in the lanes; larger ones, which occur when a subtraction
 * has wrapped around, are summed one by one. */
#define LANE_DOUBLE_MAX 0x1p31
#define FRACTION_BITS   20

/* Number of values after which the sum of doubles in a lane could overflow: 2^11 * 2^31 * 2^20 =
 * 2^62. */
#define LANE_VALUES 2048

/*
 * A sum of values of any magnitude, which no integer of fixed size can hold: the part within the 96
 * bits below the highest bit of all values. The grid of parts is fixed, so the sum does not depend
 * on the order. Below, each value loses less than 2^-64 of the largest.
 */
struct huge {
    int top; /* parts[i] is in units of 2^(32 * (top - i)) */
    int128 parts[3];
};

struct lanes {
    union {
        struct {
            uint64_t minimum[LANES], maximum[LANES];
            uint64_t sum[LANES];       /* modulo 2^64 */
            uint64_t carry[LANES];     /* number of times that the sum wrapped around */
            uint64_t undefined[LANES]; /* number of TALLY_UNDEFINED, which are no values */
        } u;
        struct {
            double minimum[LANES], maximum[LANES];
            int64_t whole[LANES];    /* in units of 2^-20 */
            int64_t fraction[LANES]; /* the remainders, in units of 2^-40 */
            int128 large;            /* sum of other values below 2^60, in units of 2^-20 */
            uint64_t undefined;      /* number of NaN, which are no values */
            bool not_finite;         /* a value was infinite */
            struct huge huge;        /* sum of values from 2^60 on */
        } f;
    };
};

struct reduction {
    union tally_value minimum;
    union tally_value maximum;
    uint128 sum;    /* integers; doubles: two's complement, in units of 2^-40 */
    uint64_t ticks; /* length of the deltas whose values are defined */
    /* doubles: as in struct lanes */
    int128 large;
    bool not_finite;
    struct huge huge;
};

/* Set to the state without values. */
void lanes_clear(struct lanes *lanes, enum tally_data_type type);
void reduction_clear(struct reduction *reduction, enum tally_data_type type);

/* Adds `count` values in lanes, of deltas that are `ticks` long, to a reduction. */
void reduction_fold(struct reduction *into, const struct lanes *lanes, enum tally_data_type type,
                    size_t count, uint64_t ticks);

/* Adds the value of a delta; if it is `brief`, minimum and maximum do not change. */
void reduction_add(struct reduction *into, union tally_value value, enum tally_data_type type,
                   uint64_t ticks, bool brief);

/* Adds another reduction. */
void reduction_merge(struct reduction *into, const struct reduction *from,
                     enum tally_data_type type);

/* Returns the mean of the values of a reduction, weighted by the lengths of their deltas; NaN if
 * there is none, all deltas have the length 0, or a value was not finite. `bounded`: all values are
 * between minimum and maximum, and so is the mean. */
double reduction_mean(const struct reduction *reduction, enum tally_data_type type, bool bounded);

/* Returns the minimum or maximum; an undefined value if there was none. */
union tally_value reduction_minimum(const struct reduction *reduction, enum tally_data_type type);
union tally_value reduction_maximum(const struct reduction *reduction, enum tally_data_type type);

/* Adds a double that is not below LANE_DOUBLE_MAX, or not finite, to the sum. */
void lanes_add_large(struct lanes *lanes, double value);

/* Reports to prefetch during a run. Each step prefetches a few cache lines, since the steps
 * themselves do not wait for memory. */
struct prefetch {
    const uint8_t *const *reports;
    size_t count; /* remaining reports */
    size_t bytes; /* size of a report */
    size_t at;    /* offset of the next cache line in the first report */
};

struct kernels {
    /* Transposes the first `dwords` dwords of `count` + 1 reports. */
    void (*load_columns)(const uint8_t *const *reports, size_t count, size_t dwords,
                         uint32_t *columns);
    void (*run)(const struct step *steps, size_t count, uint64_t *registers,
                const uint32_t *columns, struct prefetch *prefetch);
    /* Reduce the elements `start` to `end` - 1 of a block. */
    uint64_t (*sum_u64)(const uint64_t *values, size_t start, size_t end); /* modulo 2^64 */
    void (*reduce_u64)(struct lanes *into, const uint64_t *values, size_t start, size_t end);
    void (*reduce_double)(struct lanes *into, const double *values, size_t start, size_t end);
    /* Set `to` from element 0 on to the places in lanes (distribution.h) of the same elements. */
    void (*places_u64)(const uint64_t *values, size_t start, size_t end, uint32_t *to);
    void (*places_double)(const double *values, size_t start, size_t end, uint32_t *to);
};

extern const struct kernels kernels_portable, kernels_avx2, kernels_avx512;

#endif
