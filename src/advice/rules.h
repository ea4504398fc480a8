/* SPDX-License-Identifier: MIT */
#ifndef TALLY_ADVICE_RULES_H
#define TALLY_ADVICE_RULES_H

#include "advice/advice.h"

/* The parsed form of rules, shared by load.c and judge.c. */

#define CONDITIONS_MAX 8
#define CHOICES_MAX    4
#define SYMBOL_MAX     48

enum comparison { NOT_BELOW, BELOW };

/* The overall value of a counter: the first of several that the set has. */
struct operand {
    char symbols[CHOICES_MAX][SYMBOL_MAX];
    size_t count;
};

/* COUNTER|COUNTER >= NUMBER, or a quotient: COUNTER / COUNTER < NUMBER. */
struct condition {
    struct operand value, divisor; /* divisor.count 0: none */
    enum comparison comparison;
    double number;
};

struct parsed_rule {
    struct advice_rule public;
    struct condition conditions[CONDITIONS_MAX];
    size_t condition_count;
};

struct advice_rules {
    char *file;
    char *platforms; /* names, separated by blanks */
    struct parsed_rule *rules;
    size_t count;
};

/* Parses the conditions of a rule, separated by commas. Returns NULL, or what was expected. */
const char *conditions_parse(const char *text, struct parsed_rule *rule);

#endif
