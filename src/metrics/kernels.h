/* SPDX-License-Identifier: MIT */
#ifndef TALLY_METRICS_KERNELS_H
#define TALLY_METRICS_KERNELS_H

#include <tally/metrics.h>

#include "base/ratio.h"

/*
 * The inner loops of evaluation, each over a block of TALLY_BLOCK deltas. kernels.c is compiled
 * once for each instruction set; all give the same bits.
 *
 * Raw reports are turned into columns first: column d holds dword d of each report. Element
 * COLUMN_FIRST - 1 is the report before the block, COLUMN_FIRST + i the i-th report in it, so that
 * delta i is the difference of two neighbours.
 */
#define COLUMN_FIRST  8
#define COLUMN_STRIDE (COLUMN_FIRST + TALLY_BLOCK)

enum kernel {
    KERNEL_READ_32,  /* delta of the dword column a */
    KERNEL_READ_40,  /* low dword column a; column b, shifted right by `imm`, has bits 39:32 */
    KERNEL_READ_64,  /* low dword column a, high dword column b */
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
    KERNEL_FMIN,
    KERNEL_FMAX,
    KERNEL_FGT,
    KERNEL_FGTE,
    KERNEL_FLAND,
    KERNEL_TO_DOUBLE,
    KERNEL_TO_U64
};

/* One step: register `to` := kernel(register a, register b). A register is a block of values. */
struct step {
    uint16_t kernel;
    uint16_t to;
    uint16_t a;
    uint16_t b;
    union tally_value imm;
};

/*
 * Minimum, maximum and sum of a stream of values. Sums are exact integers, of doubles in units of
 * 2^-40, so the result does not depend on the order of the values, on how the stream is cut, or on
 * who adds up which part. The loops keep LANES partial results, which reduction_fold() joins.
 */
#define LANES 8

/* Doubles up to here are summed in the lanes, larger ones (which subtractions that wrapped give)
 * one by one. */
#define LANE_DOUBLE_MAX 0x1p31
#define FRACTION_BITS   20

/* A lane holds so many values before the sum of doubles could overflow: 2^11 * 2^31 * 2^20. */
#define LANE_VALUES 2048

struct lanes {
    union {
        struct {
            uint64_t minimum[LANES], maximum[LANES];
            uint64_t sum[LANES];   /* modulo 2^64 */
            uint64_t carry[LANES]; /* how often it wrapped */
        } u;
        struct {
            double minimum[LANES], maximum[LANES];
            int64_t whole[LANES];    /* in units of 2^-20 */
            int64_t fraction[LANES]; /* what is left, in units of 2^-40 */
            int128 fine;             /* of values below 2^60, in units of 2^-40 */
            int128 large;            /* of larger values, in units of 1 */
            bool not_finite;         /* there were values that have no sum */
        } f;
    };
};

struct reduction {
    union tally_value minimum;
    union tally_value maximum;
    uint128 sum;     /* integers; doubles: two's complement, in units of 2^-40 */
    int128 large;    /* doubles */
    bool not_finite; /* doubles */
};

void lanes_clear(struct lanes *lanes, enum tally_data_type type);
void reduction_clear(struct reduction *reduction, enum tally_data_type type);

/* Adds what the lanes hold, or another reduction, to a reduction. */
void reduction_fold(struct reduction *into, const struct lanes *lanes, enum tally_data_type type);
void reduction_merge(struct reduction *into, const struct reduction *from,
                     enum tally_data_type type);

/* The mean of `count` values. */
double reduction_mean(const struct reduction *reduction, enum tally_data_type type, uint64_t count);

/* Adds one large or non-finite value. */
void lanes_add_large(struct lanes *lanes, double value);

/* Reports that come next: steps, which wait for no memory, fetch a few of their lines each. */
struct ahead {
    const uint8_t *const *reports;
    size_t count;
    size_t bytes; /* of a report */
    size_t at;    /* of the next line to fetch in the first report */
};

struct kernels {
    void (*load_columns)(const uint8_t *const *reports, size_t count, size_t dwords,
                         uint32_t *columns);
    void (*run)(const struct step *steps, size_t count, uint64_t *registers,
                const uint32_t *columns, struct ahead *ahead);
    /* Elements from `start` up to `end` of a block. */
    uint64_t (*sum_u64)(const uint64_t *values, size_t start, size_t end); /* modulo 2^64 */
    void (*reduce_u64)(struct lanes *into, const uint64_t *values, size_t start, size_t end);
    void (*reduce_double)(struct lanes *into, const double *values, size_t start, size_t end);
};

extern const struct kernels kernels_portable, kernels_avx2, kernels_avx512;

const struct kernels *choose_kernels(void);

#endif
