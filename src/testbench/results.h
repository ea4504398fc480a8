/* SPDX-License-Identifier: MIT */
#ifndef TALLY_TESTBENCH_RESULTS_H
#define TALLY_TESTBENCH_RESULTS_H

#include "testbench/script.h"
#include "testbench/words.h"

/*
 * The values that the commands of a script print as lines "COMMAND = VALUE": written to the output
 * of the script or, below `expect`, compared. Both languages have the command
 *
 *     expect COMMAND [& MASK] OPERATOR VALUE...
 *
 * COMMAND is any command that prints one value, or a number, which stands for `rd NUMBER`. OPERATOR
 * is = or !=, for numbers also < <= > or >=. The values of `mem` are little-endian dwords; their
 * number replaces its length.
 */
#define CAPTURE_BYTES 1024
#define RESULT_NAMES  16

struct results {
    script_output *output;
    void *output_context;
    script_expected *expected; /* receives the results of `expect`; may be NULL */
    void *expected_context;
    const char *names[RESULT_NAMES]; /* texts that the command can print; none: any text */
    size_t name_count;
    bool capturing; /* lines are kept in `text` instead */
    size_t size;    /* bytes that were captured; more than CAPTURE_BYTES: too many */
    char text[CAPTURE_BYTES + 1];
};

/* Writes or captures whole lines. Returns 0 or a negative errno of the output. */
int results_put(struct results *results, const char *text, size_t size);

/* Adds a text that the running command can print, with which `expect` may compare its value. name:
 * a constant. */
static inline void results_allow(struct results *results, const char *name)
{
    if (results->name_count < RESULT_NAMES)
        results->names[results->name_count++] = name;
}

/* Executes the words of a command. Returns 0 or a negative errno, as oat_line() does. */
typedef int results_command(void *language, const struct words *words, struct tally_error *error);

/*
 * Executes `expect`. words: the words of `line`, of which the first is `expect`. A failed
 * expectation is not an error. Returns 0; -EINVAL with a message if the line is wrong or its
 * command prints no value; another negative errno of the command.
 */
int results_expect(struct results *results, const struct words *words, const char *line,
                   size_t size, results_command *run, void *language, struct tally_error *error);

#endif
