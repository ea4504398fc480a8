/* SPDX-License-Identifier: MIT */
#ifndef TALLY_TESTBENCH_WORDS_H
#define TALLY_TESTBENCH_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>

/* A line of a script as words: separated by blanks and tabs, `#` starts a comment. */

#define WORDS_MAX 16

struct word {
    const char *text; /* in the line, not terminated */
    size_t size;
};

struct words {
    struct word at[WORDS_MAX];
    unsigned count;
};

/* Splits a line, with or without its newline. 0, or -EINVAL if it is no line of text. */
int words_split(const char *line, size_t size, struct words *words, struct tally_error *error);

bool word_is(const struct word *word, const char *text);
bool word_is_nocase(const struct word *word, const char *text);

/* Copies a word, cut if need be; returns text. */
const char *word_text(const struct word *word, char *text, size_t size);

/* Does it start as a number does? */
bool word_is_number(const struct word *word);

/* Takes a decimal or 0x number from least to most. `what` it is, for the message. */
int word_number(const struct word *word, uint64_t least, uint64_t most, const char *what,
                uint64_t *out, struct tally_error *error);

/* -EINVAL: this word is not what was expected. */
__attribute__((format(printf, 3, 4))) int
word_error(struct tally_error *error, const struct word *word, const char *expected, ...);

#endif
