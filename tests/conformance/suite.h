/* SPDX-License-Identifier: MIT */
/* A suite: its language, its tables, and the cases in its folder and in C. */
#ifndef TESTS_CONFORMANCE_SUITE_H
#define TESTS_CONFORMANCE_SUITE_H

#include "conformance/case.h"

/* ---- the language of scripts --------------------------------------------------------------- */

struct translation;

/* A command of the cases; words[0] is its name. False, and t->why, if the line is wrong. */
struct conformance_words {
    const char *name;
    bool (*run)(struct translation *t, char **words, unsigned count);
};

struct conformance_language {
    const char *const *variants; /* revisions, platforms: in the order that ranges mean */
    unsigned variant_count;
    const char *first;      /* the command that names the variant */
    unsigned peek_names;    /* words of `peek` before -> */
    unsigned peek_digits;   /* it prints */
    unsigned memory_digits; /* of the address that `mem` prints */
    uint64_t memory_mask;   /* of that address */
    /* A term that is no number: a name, FIELD=n. Text may be written to. */
    bool (*term)(unsigned variant, char *text, uint64_t *value);
    /* A register by name. */
    bool (*address)(unsigned variant, const char *text, uint32_t *address);
    /* Commands of the cases, besides wr, rd, peek, mem, run. Any other goes as it is. */
    const struct conformance_words *commands;
    unsigned command_count;
    /* The plain model. Returns 0, or the line that it does not understand. */
    int (*reference)(const char *script, size_t size, FILE *out);
};

struct translation {
    const struct conformance_language *language;
    unsigned variant;
    bool step; /* `run 1` n times in place of `run n` */
    FILE *script, *expected;
    const char *why;
};

/* Is the variant one of the list? */
bool case_covers(const struct conformance_language *language, const char *list, unsigned variant);

/*
 * Turns the lines of a case into a script for a variant, and into what it must print. Returns 0; or
 * the number of the line (from 1) that is wrong, and t->why.
 */
unsigned case_translate(struct translation *t, const char *body);

/* For commands: says why a line is wrong, and returns false. */
bool case_wrong(struct translation *t, const char *why);
bool case_number(const char *text, uint64_t *value);
/* Terms joined by | */
bool case_value(const struct translation *t, const char *text, uint64_t *value);
/* wr: registers and values as they stand in a case. */
bool case_write(struct translation *t, const char *name, const char *value);

/* ---- suites -------------------------------------------------------------------------------- */

/* A document: the table of this name in the list. */
struct conformance_document {
    const char *name;
    const char *const *sections; /* in its order; NULL: any, in the order of ids */
    unsigned section_count;
    bool errata;
};

struct conformance_rows {
    const struct conformance_case *rows;
    const size_t *count;
};

struct conformance_suite {
    const struct conformance_language *language;
    const char *folder;  /* the .cases files */
    const char *list;    /* the document with the tables */
    const char *heading; /* of the column of variants */
    const struct conformance_document *documents;
    unsigned document_count;
    const struct conformance_rows *generated; /* cases in C */
    unsigned generated_count;
};

/*
 * The group of a suite's tests: every case, and that the tables in suite->list are those of the
 * cases; with TALLY_REWRITE they become so. Returns how many failed.
 */
int conformance_test(const struct conformance_suite *suite);

#endif
