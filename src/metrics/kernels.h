/* SPDX-License-Identifier: MIT */
#ifndef TALLY_METRICS_KERNELS_H
#define TALLY_METRICS_KERNELS_H

#include <tally/metrics.h>

/*
 * The inner loops of evaluation, each over a block of TALLY_BLOCK deltas. kernels.c is compiled
 * once for each instruction set; all give the same bits.
 *
 * Raw reports are turned into columns first: column d holds dword d of each report. Element
 * COLUMN_FIRST - 1 is the report before the block, COLUMN_FIRST + i the i-th report in it, so that
 * delta i is the difference of two neighbours.
 */
#define COLUMN_FIRST 8
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

/* Minimum, maximum and sum of a stream of values. Sums are kept in lanes (element number modulo
 * LANES), so that they come out the same whatever the width of the machine's vectors. */
#define LANES 8

struct reduction {
    union tally_value minimum;
    union tally_value maximum;
    uint64_t low[LANES];  /* integers: sums of bits 31:0, and of bits 63:32 */
    uint64_t high[LANES];
    double sum[LANES];    /* doubles */
};

struct kernels {
    void (*load_columns)(const uint8_t *const *reports, size_t count, size_t dwords,
                         uint32_t *columns);
    void (*run)(const struct step *steps, size_t count, uint64_t *registers,
                const uint32_t *columns);
    /* Elements from `start` up to `end` of a block, whose element 0 belongs to lane `phase`. */
    void (*reduce_u64)(struct reduction *into, const uint64_t *values, size_t start, size_t end,
                       size_t phase);
    void (*reduce_double)(struct reduction *into, const double *values, size_t start, size_t end,
                          size_t phase);
};

extern const struct kernels kernels_portable, kernels_avx2, kernels_avx512;

const struct kernels *choose_kernels(void);

#endif
