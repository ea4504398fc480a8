/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_NEAREST_H
#define TALLY_BASE_NEAREST_H

#include <stddef.h>

/*
 * Returns the most likely correction of a misspelt word: the shortest word that begins with it, if
 * it has three characters or more, else the word with the smallest edit distance
 * (insertions, deletions, substitutions); among these the one with the longest common prefix, and
 * the first of several. Case does not matter. Returns NULL if no word has a character in common
 * with it.
 */
const char *nearest_word(const char *word, const char *const *words, size_t count);

/* The same, but NULL if more than half of the longer word differs: for words that may be meant to
 * be none of these, such as names of files. */
const char *similar_word(const char *word, const char *const *words, size_t count);

#endif
