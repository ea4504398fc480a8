/* SPDX-License-Identifier: MIT */
/*
 * Conformance suites: what a hardware document says somewhere, each sentence a case that fails if a
 * model does not do so. Most cases are scripts with what they must print; README.md in a suite's
 * folder describes its lines.
 */
#ifndef TESTS_CONFORMANCE_CASE_H
#define TESTS_CONFORMANCE_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What a case in C found wrong; the last word holds. */
struct conformance_fault {
    char text[256];
};

__attribute__((format(printf, 2, 3))) void conformance_tell(struct conformance_fault *fault,
                                                            const char *format, ...);

/* Tells, if the condition does not hold. Returns whether it does. */
#define CONFORMS(fault, condition, ...) ((condition) || (conformance_tell(fault, __VA_ARGS__), 0))

/* A check that has a `fault` ends, and says why, where something does not hold. */
#define HOLDS(condition, ...)                                                                      \
    do {                                                                                           \
        if (!CONFORMS(fault, condition, __VA_ARGS__))                                              \
            return false;                                                                          \
    } while (0)

struct conformance_case {
    const char *id;
    const char *document; /* its number, where a suite has several; which table the row is in */
    const char *section;  /* of the document */
    const char *says;     /* what it says there, in short */
    const char *variants; /* "all", "nv10", "nv30..g84", or a list of these with commas */
    const char *file;     /* where the case stands, within the suite's folder */
    unsigned line;
    const char *body; /* its lines; NULL: they are made by the next */
    const char
        *differs; /* "model" or "reference", and why, where it is known not to pass; or NULL */
    void (*generate)(FILE *body, unsigned variant);
    bool (*check)(struct conformance_fault *fault); /* no script; `variants` is only shown */
    const char *reading;                            /* of an erratum: how we read it */
    const char *held;       /* of an erratum: ids of the cases that hold us to that */
    const char *untestable; /* why no test can tell; there is none then */
    /* As generate and check, of rows that differ in their facts. */
    const void *facts;
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
#define GENERATED_ROW(id_, section_, says_, variants_, generate_, facts_)                          \
    {                                                                                              \
        .id = (id_), .document = DOCUMENT, .section = (section_), .says = (says_),                 \
        .variants = (variants_), .file = FILE_NAME, .line = __LINE__, .generate_row = (generate_), \
        .facts = (facts_)                                                                          \
    }
#define CHECKED_ROW(id_, section_, says_, variants_, check_, facts_)                               \
    {                                                                                              \
        .id = (id_), .document = DOCUMENT, .section = (section_), .says = (says_),                 \
        .variants = (variants_), .file = FILE_NAME, .line = __LINE__, .check_row = (check_),       \
        .facts = (facts_)                                                                          \
    }

#endif
