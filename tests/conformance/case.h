/* SPDX-License-Identifier: MIT */
/*
 * Conformance suites. A case is a statement of a hardware document, and fails if a model behaves
 * differently. Most cases are scripts with their expected output; README.md in a suite's folder
 * describes their lines.
 */
#ifndef TESTS_CONFORMANCE_CASE_H
#define TESTS_CONFORMANCE_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Why a case in C failed; a later message replaces an earlier one. */
struct conformance_fault {
    char text[256];
};

__attribute__((format(printf, 2, 3))) void conformance_fail(struct conformance_fault *fault,
                                                            const char *format, ...);

/* Returns the condition; if it is false, sets the message of the fault. */
#define CONFORMS(fault, condition, ...) ((condition) || (conformance_fail(fault, __VA_ARGS__), 0))

/* In a function with a `fault`: returns false, with the message, if the condition is false. */
#define HOLDS(condition, ...)                                                                      \
    do {                                                                                           \
        if (!CONFORMS(fault, condition, __VA_ARGS__))                                              \
            return false;                                                                          \
    } while (0)

/* What a test shows: columns of the lists. */
enum conformance_where {
    WHERE_UNKNOWN,
    WHERE_MACHINE, /* that the assembled machine behaves so */
    WHERE_PART,    /* that a part does, alone */
    WHERE_STORED,  /* that a register keeps what is written; it does nothing else */
};

struct conformance_case {
    const char *id;
    const char *document; /* its number if a suite has several; selects the table of the row */
    const char *section;  /* of the document */
    const char *says;     /* the statement, in our words */
    const char *variants; /* "all", "nv10", "nv30..g84", or several of these separated by commas */
    const char *file;     /* source file, relative to the suite's folder */
    unsigned line;
    const char *body; /* its lines; NULL if they are generated */
    /* For a case that is known to fail: "model" or "reference", and why; else NULL. */
    const char *differs;
    void (*generate)(FILE *body, unsigned variant);
    bool (*check)(struct conformance_fault *fault); /* no script; `variants` is only printed */
    const char *reading;                            /* of an erratum: our interpretation */
    const char *tested_by;  /* of an erratum: ids of the cases that test the reading */
    const char *untestable; /* why there is no test; NULL if there is one */
    const char *tested_in;  /* "FILE FUNCTION" in tests/: a test of another program */
    unsigned where;         /* enum conformance_where; found by conformance_where() */
    /* Like generate and check, for rows that share a function and differ in `params`. */
    const void *params;
    void (*generate_row)(FILE *body, unsigned variant, const struct conformance_case *row);
    bool (*check_row)(struct conformance_fault *fault, const struct conformance_case *row);
};

/* Rows of a file that defines DOCUMENT and FILE_NAME. */
#define GENERATED(id_, section_, says_, variants_, generate_)                                      \
    {                                                                                              \
        .id = (id_), .document = DOCUMENT, .section = (section_), .says = (says_),                 \
        .variants = (variants_), .file = FILE_NAME, .line = __LINE__, .generate = (generate_)      \
    }
#define CHECKED(id_, section_, says_, variants_, check_)                                           \
    {                                                                                              \
        .id = (id_), .document = DOCUMENT, .section = (section_), .says = (says_),                 \
        .variants = (variants_), .file = FILE_NAME, .line = __LINE__, .check = (check_)            \
    }
#define GENERATED_ROW(id_, section_, says_, variants_, generate_, params_)                         \
    {                                                                                              \
        .id = (id_), .document = DOCUMENT, .section = (section_), .says = (says_),                 \
        .variants = (variants_), .file = FILE_NAME, .line = __LINE__, .generate_row = (generate_), \
        .params = (params_)                                                                        \
    }
#define CHECKED_ROW(id_, section_, says_, variants_, check_, params_)                              \
    {                                                                                              \
        .id = (id_), .document = DOCUMENT, .section = (section_), .says = (says_),                 \
        .variants = (variants_), .file = FILE_NAME, .line = __LINE__, .check_row = (check_),       \
        .params = (params_)                                                                        \
    }

#endif
