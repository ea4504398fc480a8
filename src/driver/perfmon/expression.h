/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_PERFMON_EXPRESSION_H
#define TALLY_DRIVER_PERFMON_EXPRESSION_H

/* clang-format off */
/*
 * Expressions over the signals of a PCOUNTER domain: what one counter counts.
 *
 *     PGRAPH.IDLE                    clocks at which the signal is 1
 *     A && !B, (A | B) ^ C           of a logic function of at most four signals; C's precedence
 *     rise(A), fall(A), last(A)      A rises, A falls, A as of the previous clock
 *     sum(A, B, C) if D & E          adds the integer A + 2 B + 4 C at the clocks with D & E; two to
 *                                    six signals, lowest bit first; without `if` at every clock
 *     VFETCH.MUX[3]                  an element of a group of signals
 *     1:ENG2D.CG[0], GPC0:L1.MUX[1]  a signal of a domain, as `tally list signals` names them
 *     GPC0[2]:(A | B)                of GPC 2 only
 *     1:0xc8                         a signal by its index
 *     "MPC GROUP 0[1]"               a name with spaces
 *     1, 0                           always, never
 *
 * All signals of an expression belong to one domain. docs/perfmon.md describes the language.
 */
/* clang-format on */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/chipset.h>
#include <tally/error.h>

#define EXPRESSION_LEAVES  4 /* different signals of a logic operation */
#define EXPRESSION_DELAYED 2 /* of them as of the previous clock */
#define EXPRESSION_BITS    6 /* signals of an integer */
#define EXPRESSION_NAMES   (EXPRESSION_LEAVES + EXPRESSION_BITS)
#define EXPRESSION_NAME    96 /* bytes of a signal's name, with the terminator */

#define ANY_DOMAIN    (-1)
#define ALL_INSTANCES (-1)

/* A logic function: bit i of the table is the result for the arguments i = a0 + 2 a1 + 4 a2 + 8 a3.
 * Does not depend on arguments past `count`. */
struct perfmon_logic {
    uint8_t count;
    uint8_t signals[EXPRESSION_LEAVES];
    bool delayed[EXPRESSION_LEAVES]; /* as of the previous clock */
    uint16_t table;
};

/* What a counter counts in a domain. */
struct perfmon_function {
    uint8_t bit_count; /* 0: clocks at which `logic` is 1 */
    uint8_t
        bits[EXPRESSION_BITS];  /* otherwise the integer of these signals, lowest bit first, at */
    struct perfmon_logic logic; /* the clocks at which this is 1 */
};

/* A signal in the text of an expression. */
struct expression_name {
    char text[EXPRESSION_NAME]; /* "" for an index */
    size_t position;            /* in the text, from 1 */
    int index;                  /* or -1 */
};

/* An expression, before its signals are looked up. Plain data. */
struct expression {
    const char *text; /* the caller's */
    struct expression_name names[EXPRESSION_NAMES];
    unsigned name_count;
    unsigned bit_count, leaf_count;
    uint8_t bits[EXPRESSION_BITS];     /* indices of names */
    uint8_t leaves[EXPRESSION_LEAVES]; /* indices of names, in the order of appearance */
    bool delayed[EXPRESSION_LEAVES];
    uint16_t table; /* over the leaves */
    int domain;     /* TALLY_DOMAIN() of a prefix, or ANY_DOMAIN */
    int instance;   /* of a prefix "GPC0[2]", or ALL_INSTANCES */
};

/* Copies the beginning of a text for messages: control and non-ASCII characters become "?". */
#define EXPRESSION_SHOWN 84
const char *expression_shown(const char *text, char shown[EXPRESSION_SHOWN]);

/* Parses a text. Returns 0, or -EBADMSG with a message: position, what was expected. */
int expression_parse(const char *text, struct expression *out, struct tally_error *error);

/*
 * Looks up the signals of a chipset. domain: TALLY_DOMAIN() of the signals, or ANY_DOMAIN: of the
 * prefix, or else the only domain that has them all. Returns 0, sets *function, and *domain and
 * *instance to those that the expression means; -ENOENT with a message: a signal is unknown,
 * ambiguous or in another domain, with the nearest name; -ENOTUNIQ: the domain is needed.
 */
int expression_resolve(const struct expression *expression, const struct tally_chipset *chipset,
                       int *domain, int *instance, struct perfmon_function *function,
                       struct tally_error *error);

/* Rewrites a logic function without the arguments that it does not depend on, and with each signal
 * once. */
void perfmon_logic_reduce(struct perfmon_logic *logic);

/* Returns a truth table whose argument i is argument `order[i]` of `table`. order: `count`
 * different numbers below EXPRESSION_LEAVES; the result does not depend on other arguments. */
uint16_t perfmon_table_reorder(uint16_t table, const uint8_t *order, unsigned count);

/* A function in a unique form: two functions with equal keys count the same, in whatever order the
 * arguments are. */
#define PERFMON_KEY_BYTES (1 + EXPRESSION_BITS + 1 + 2 * EXPRESSION_LEAVES + 2)
struct perfmon_key {
    uint8_t bytes[PERFMON_KEY_BYTES];
};
struct perfmon_key perfmon_function_key(const struct perfmon_function *function);

#endif
