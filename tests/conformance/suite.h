/* SPDX-License-Identifier: MIT */
/* A suite: its script language, its tables, and its cases, in files and in C. */
#ifndef TESTS_CONFORMANCE_SUITE_H
#define TESTS_CONFORMANCE_SUITE_H

#include "conformance/case.h"

/* ---- the language of scripts --------------------------------------------------------------- */

struct translation;

/* A command of the cases; words[0] is its name. If the line is invalid, run() sets t->why and
 * returns false. */
struct conformance_command {
    const char *name;
    bool (*run)(struct translation *t, char **words, unsigned count);
};

struct conformance_language {
    const char *const *variants; /* revisions or platforms, in the order of ranges */
    unsigned variant_count;
    const char *first;        /* the command that selects the variant */
    const char *const *named; /* names of the variants in that command; NULL: `variants` */
    unsigned peek_names;      /* number of words of `peek` before -> */
    unsigned peek_digits;     /* digits that `peek` prints */
    unsigned memory_digits;   /* digits of the address that `mem` prints */
    uint64_t memory_mask;     /* mask of that address */
    /* Parses a term that is not a number: a name, or FIELD=n. May modify text. */
    bool (*term)(unsigned variant, char *text, uint64_t *value);
    /* Finds a register by name. */
    bool (*address)(unsigned variant, const char *text, uint32_t *address);
    /* Commands besides wr, rd, peek, mem and run; other lines are copied to the script. */
    const struct conformance_command *commands;
    unsigned command_count;
    /* Writes a script as one that runs in the assembled machine; NULL: scripts do so anyway. */
    void (*assemble)(const char *script, FILE *out);
    /* Runs the script on the reference. Returns 0, or the number of the first invalid line. */
    int (*reference)(const char *script, size_t size, FILE *out);
};

struct translation {
    const struct conformance_language *language;
    unsigned variant;
    bool step; /* `run 1` n times instead of `run n` */
    FILE *script, *expected;
    const char *why;
};

/* Returns whether the list contains the variant. */
bool case_covers(const struct conformance_language *language, const char *list, unsigned variant);

/*
 * Translates the lines of a case to a script for a variant and its expected output. Returns 0; or
 * the number, from 1, of the first invalid line, and sets t->why.
 */
unsigned case_translate(struct translation *t, const char *body);

/* For commands: sets t->why and returns false. */
bool case_wrong(struct translation *t, const char *why);
bool case_number(const char *text, uint64_t *value);
/* Parses terms that are joined by | */
bool case_value(const struct translation *t, const char *text, uint64_t *value);
/* Adds a register write; name and value are as in a case. */
bool case_write(struct translation *t, const char *name, const char *value);

/* ---- suites -------------------------------------------------------------------------------- */

/* A document, which has a table of this name in the list. */
struct conformance_document {
    const char *name;
    const char *const *sections; /* in document order; NULL: any, in the order of ids */
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
    const char *list;    /* the Markdown file with the tables */
    const char *heading; /* heading of the column of variants */
    const struct conformance_document *documents;
    unsigned document_count;
    const struct conformance_rows *generated; /* cases in C */
    /* Whether a check in C uses the assembled machine; and the ids of statements that a register
     * keeps what is written and does nothing else, ending with NULL. */
    bool (*in_machine)(const struct conformance_case *row);
    const char *const *stored;
    unsigned generated_count;
};

/*
 * Runs every case of a suite, and compares the tables in suite->list with the cases; with
 * TALLY_REWRITE it writes the tables. Returns the number of failed tests.
 */
int conformance_test(const struct conformance_suite *suite);

#endif
