/* SPDX-License-Identifier: MIT */
#ifndef TALLY_TESTBENCH_WORDS_H
#define TALLY_TESTBENCH_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>

/* Splits a line of a script into words, separated by blanks and tabs; `#` starts a comment. */

#define WORDS_MAX 16

struct word {
    const char *text; /* points into the line, not NUL terminated */
    size_t size;
};

struct words {
    struct word at[WORDS_MAX];
    unsigned count;
};

/* Splits a line, with or without its newline. Returns 0, or -EINVAL if it is not text or has too
 * many words. */
int words_split(const char *line, size_t size, struct words *words, struct tally_error *error);

bool word_is(const struct word *word, const char *text);
bool word_is_nocase(const struct word *word, const char *text);

/* Copies a word, truncated if necessary, and returns `text`. */
const char *word_text(const struct word *word, char *text, size_t size);

/* Whether the word starts with a digit, as numbers do. */
bool word_is_number(const struct word *word);

/* Parses a decimal or 0x number from min to max. `what` describes it in the message. */
int word_number(const struct word *word, uint64_t min, uint64_t max, const char *what,
                uint64_t *out, struct tally_error *error);

/* Reports that a word is not what was expected. Returns -EINVAL. */
__attribute__((format(printf, 3, 4))) int
word_error(struct tally_error *error, const struct word *word, const char *expected, ...);

/* Reports an unknown command, with the nearest of `names`. some: examples of commands. Returns
 * -EINVAL. */
int word_unknown_command(struct tally_error *error, const struct word *word,
                         const char *const *names, size_t count, const char *some);

#endif
