/* SPDX-License-Identifier: MIT */
/*
 * A case of the conformance suite: what the hardware document says somewhere, as a script with what
 * it must print. README.md in this folder describes the language.
 */
#ifndef TESTS_NVIDIA_CONFORMANCE_CASE_H
#define TESTS_NVIDIA_CONFORMANCE_CASE_H

#include <stdio.h>

#include "nvidia/conformance/document.h"

struct conformance_case {
    const char *id;
    const char *section;   /* of the document */
    const char *says;      /* what it says there, in short */
    const char *revisions; /* "all", "nv10", "nv30..g84", or a list of these with commas */
    const char *file;      /* where the case stands, within tests/nvidia/conformance */
    unsigned line;
    const char *body; /* its lines; NULL: they are made by the next */
    const char
        *differs; /* "engine" or "reference", and why, where it is known not to pass; or "" */
    void (*generate)(FILE *body, enum revision revision);
    bool (*check)(const char **which); /* about chips: no script; which chip is wrong */
};

/* A row of a file that defines FILE_NAME. */
#define GENERATED(id_, section_, says_, revisions_, generate_)                                     \
    {                                                                                              \
        .id = (id_), .section = (section_), .says = (says_), .revisions = (revisions_),            \
        .file = FILE_NAME, .line = __LINE__, .differs = "", .generate = (generate_)                \
    }

/* Cases that C makes, because they are loops over registers, domains, bits. */
extern const struct conformance_case generated_register_cases[];
extern const size_t generated_register_case_count;
extern const struct conformance_case generated_input_cases[];
extern const size_t generated_input_case_count;
extern const struct conformance_case generated_signal_cases[];
extern const size_t generated_signal_case_count;

/* What is about chips, on the engine only. */
extern const struct conformance_case chip_cases[];
extern const size_t chip_case_count;

/* Is the revision one of the list? */
bool case_covers(const char *revisions, enum revision revision);

/*
 * Turns the lines of a case into a .pct script for a revision, and into what it must print; `step`:
 * with `run 1` n times instead of `run n`. Returns 0; or the number of the line (from 1) that is
 * wrong, and why.
 */
unsigned case_translate(const char *body, enum revision revision, bool step, FILE *script,
                        FILE *expected, const char **why);

#endif
