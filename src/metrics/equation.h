/* SPDX-License-Identifier: MIT */
#ifndef TALLY_METRICS_EQUATION_H
#define TALLY_METRICS_EQUATION_H

#include <tally/metrics.h>

/*
 * A parsed equation is an array of nodes in the order of its tokens: operands precede the operation
 * that uses them, and the last node is the result. It is evaluated in one pass, without recursion.
 */
enum op {
    /* operands */
    OP_NUMBER_U,
    OP_NUMBER_F,
    OP_READ,     /* the delta of a raw counter: source, index */
    OP_VARIABLE, /* a $Variable: variable */
    OP_COUNTER,  /* another counter of the set: index */
    /* operations with two operands */
    OP_UADD,
    OP_USUB,
    OP_UMUL,
    OP_UDIV,
    OP_UMIN,
    OP_AND,
    OP_SHL,
    OP_SHR,
    OP_UGT,
    OP_UGTE,
    OP_ULT,
    OP_ULTE,
    OP_LAND,
    OP_FADD,
    OP_FSUB,
    OP_FMUL,
    OP_FDIV,
    OP_FMAX,
    OP_RATIO, /* a quotient, which has no value (NaN) if the divisor is 0 (PC-AMB-109) */
    OP_COUNT
};

/* Sources of READ. */
enum source_kind {
    SOURCE_A,
    SOURCE_B,
    SOURCE_C,
    SOURCE_GPU_TIME,
    SOURCE_GPU_CLOCK,
    SOURCE_PERFCNT, /* the OA_PERFCNT registers, which only queries read; not in reports */
    SOURCE_CLOCKS,  /* the clocks in which PCOUNTER could have counted signal n */
    SOURCE_COUNT
};

struct node {
    uint8_t op;     /* enum op */
    uint8_t type;   /* enum tally_data_type of the result */
    uint8_t source; /* OP_READ: enum source_kind */
    uint16_t left;  /* operations: indices of the operands */
    uint16_t right;
    uint32_t index;           /* OP_READ: number of the raw counter; OP_COUNTER: index in the set */
    union tally_value number; /* OP_NUMBER_U, OP_NUMBER_F */
    char variable[32];        /* OP_VARIABLE: name with $ */
};

struct equation {
    struct node *nodes;
    uint16_t count; /* 0: no equation */
};

#define EQUATION_NODES_MAX 4096

/* Names in equations, by enum op (NULL for operands) and enum source_kind. */
extern const char *const op_names[OP_COUNT];
extern const char *const source_names[SOURCE_COUNT];

/* Return the type of an operation's result, and the type to which its operands are converted. */
enum tally_data_type op_result_type(enum op op);
enum tally_data_type op_operand_type(enum op op, enum tally_data_type left,
                                     enum tally_data_type right);

/* Converts as C does; values for which C leaves that undefined are converted as <tally/metrics.h>
 * specifies. */
uint64_t double_to_u64(double value);

/* Converts a value from one type to another, as C does. */
union tally_value as_type(union tally_value value, enum tally_data_type from,
                          enum tally_data_type to);

/* Returns a value that is not defined. */
union tally_value undefined_value(enum tally_data_type type);

/* Computes an operation with C's conversions. This is the reference for the kernels, which must
 * give the same bits. */
union tally_value op_apply(enum op op, union tally_value left, enum tally_data_type left_type,
                           union tally_value right, enum tally_data_type right_type);

/*
 * Parses an equation. $Symbols are the counters of `set`; NULL: no counters are known. Returns 0,
 * or -EBADMSG with a message that names the token, or -ENOMEM. Call equation_fini() after success.
 */
int equation_parse(const char *text, const struct tally_metric_set *set, struct equation *out,
                   struct tally_error *error);

/* The same with the sorted symbols of the set's counters, which symbols_new() returns: for sets
 * with many references. */
struct name;
int equation_parse_by(const char *text, const struct tally_metric_set *set,
                      const struct name *symbols, struct equation *out, struct tally_error *error);

/* Returns the symbols of a set's counters, sorted; to be freed with free(). NULL: out of memory. */
struct name *symbols_new(const struct tally_metric_set *set);
void equation_fini(struct equation *equation);

/* Returns whether tally_environment_get() knows the variable `name`, which includes the $. */
bool variable_known(const char *name);

#endif
