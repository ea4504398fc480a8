/* SPDX-License-Identifier: MIT */
#ifndef TESTS_PERFMON_TREES_H
#define TESTS_PERFMON_TREES_H

/* Random expressions with their meaning, as trees that are evaluated plainly. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TREE_NODES  24
#define TREE_LEAVES 4
#define TREE_BITS   6
#define TREE_TEXT   512

enum tree_kind {
    TREE_SIGNAL,
    TREE_LAST,
    TREE_RISE,
    TREE_FALL,
    TREE_NOT,
    TREE_AND,
    TREE_OR,
    TREE_XOR,
    TREE_ONE
};

struct tree_node {
    enum tree_kind kind;
    uint8_t signal;
    unsigned left, right;
};

/* What a request counts: root of the tree; for a sum, its bits are the signals, lowest first. */
struct tree {
    struct tree_node nodes[TREE_NODES];
    unsigned count, root;
    unsigned bit_count;
    uint8_t bits[TREE_BITS];
    char text[TREE_TEXT];
};

/* What a random tree may have. */
struct tree_options {
    const uint8_t *signals; /* indices to choose from */
    unsigned signal_count;
    unsigned max_bits; /* of a sum; 0: no sums */
    bool zero;         /* sums need not have 4 or 6 bits */
    bool delays;       /* rise(), fall(), last() */
    unsigned max_gate; /* different signals of a condition of a sum of more than four bits */
    int domain;        /* prefix; -1: none */
};

/* Makes a tree of at most TREE_LEAVES different arguments, and its text. */
void tree_random(struct tree *tree, const struct tree_options *options, uint64_t *seed);

/* Returns what a counter adds at a clock, from the signals' values at it and at the one before. */
unsigned tree_value(const struct tree *tree, const bool now[256], const bool before[256]);

/* Returns the next pseudo-random number below `limit`. */
unsigned tree_below(uint64_t *seed, unsigned limit);

#endif
