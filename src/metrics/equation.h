/* SPDX-License-Identifier: MIT */
#ifndef TALLY_METRICS_EQUATION_H
#define TALLY_METRICS_EQUATION_H

#include <tally/metrics.h>

/*
 * An equation as nodes in the order of its tokens: operands come before the operation that uses
 * them, the last node is the result. So walking the array once evaluates it, without recursion.
 */
enum op {
    /* leaves */
    OP_NUMBER_U,
    OP_NUMBER_F,
    OP_READ,     /* source, index */
    OP_VARIABLE, /* name */
    OP_COUNTER,  /* index of another counter of the set */
    /* two operands */
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
    OP_COUNT
};

/* What READ reads. */
enum source_kind {
    SOURCE_A,
    SOURCE_B,
    SOURCE_C,
    SOURCE_GPU_TIME,
    SOURCE_GPU_CLOCK,
    SOURCE_PERFCNT, /* registers OA_PERFCNT, read around queries only */
    SOURCE_COUNT
};

struct node {
    uint8_t op;
    uint8_t type;   /* enum tally_data_type of the result */
    uint8_t source; /* OP_READ */
    uint16_t left;  /* operands: node indices */
    uint16_t right;
    uint32_t index; /* OP_READ: counter number; OP_COUNTER: counter of the set */
    union tally_value number;
    char variable[32]; /* OP_VARIABLE */
};

struct equation {
    struct node *nodes;
    uint16_t count; /* 0: there is none */
};

#define EQUATION_NODES_MAX 4096

extern const char *const op_names[OP_COUNT];
extern const char *const source_names[SOURCE_COUNT];

/* Which type the operation works in, given its operands' types, and which its result has. */
enum tally_data_type op_result_type(enum op op);
enum tally_data_type op_operand_type(enum op op, enum tally_data_type left,
                                     enum tally_data_type right);

/* C's conversion from double, defined for all values (see tally/metrics.h). */
uint64_t double_to_u64(double value);

/* A value converted as C converts it between the two types. */
union tally_value as_type(union tally_value value, enum tally_data_type from,
                          enum tally_data_type to);

/* One operation with C's conversions: the definition that every faster path must match. */
union tally_value op_apply(enum op op, union tally_value left, enum tally_data_type left_type,
                           union tally_value right, enum tally_data_type right_type);

/*
 * Parses `text`. Counters are looked up in `set` (may be NULL: then there are none). Returns 0, or
 * -EBADMSG with *error naming the token.
 */
int equation_parse(const char *text, const struct tally_metric_set *set, struct equation *out,
                   struct tally_error *error);
void equation_fini(struct equation *equation);

/* True if `name` (with its $) is a variable that some environment can give. */
bool variable_known(const char *name);

#endif
