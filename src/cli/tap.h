/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_TAP_H
#define TALLY_CLI_TAP_H

#include "sink/output.h"
#include "testbench/script.h"

/* The results of `expect` commands in the Test Anything Protocol, version 13. */
struct tap {
    struct output *output;
    unsigned long count, failed;
};

/* Writes the version line. */
void tap_begin(struct tap *tap);

/* Writes text, which may have several lines, as comments. */
void tap_comment(struct tap *tap, const char *text, size_t size);

/* Writes the result of a test: its description is the comment of the line, or the expectation. If
 * it failed, a YAML block follows. */
void tap_test(struct tap *tap, const char *file, unsigned long line,
              const struct script_expectation *expectation);

/* Writes that the script cannot continue. */
void tap_bail_out(struct tap *tap, const char *message);

/* Writes the plan. */
void tap_end(struct tap *tap);

#endif
