/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_COMPLETE_H
#define TALLY_CLI_COMPLETE_H

#include "cli/cli.h"

/*
 * tally __complete -- WORD...: the words after "tally" on a command line, of which the last one is
 * to be completed. The completion scripts (completion.c) call it for each press of the key.
 *
 * It prints a line for each candidate, with a description after a tab, then directives, which start
 * with a colon:
 *
 *     :prefix N     the candidates replace the word from character N on
 *     :nospace      more follows a candidate
 *     :files        also files, from character N of :prefix on
 *     :directories  the same for directories
 *     :command N    the words from word N on are a command line of their own
 */
int complete_words(size_t count, char **words);

/* The word to complete, and what the words before it say. */
struct completion {
    struct output *output;
    const struct command *command;
    struct arguments arguments; /* before the word; the strings are those of the words */
    const char *word;           /* the word to complete */
    const char *typed;          /* the part of it that candidates replace */
    bool no_space;              /* print :nospace */
    bool files, directories;    /* print :files, :directories */
};

/* Prints a candidate if it starts with what was typed, in any case. `about` may be NULL. */
void offer(struct completion *completion, const char *candidate, const char *about);

/* Prints the candidates of a kind: words separated by blanks, or "<file>", "<set>", ... */
void offer_values(struct completion *completion, const char *values);

#endif
