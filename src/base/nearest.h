/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_NEAREST_H
#define TALLY_BASE_NEAREST_H

#include <stddef.h>

/*
 * Returns the most likely correction of a misspelt word: the word with the smallest edit distance
 * (insertions, deletions, substitutions); among these the one with the longest common prefix, and
 * the first of several. Case does not matter. Returns NULL if no word has a character in common
 * with it.
 */
const char *nearest_word(const char *word, const char *const *words, size_t count);

#endif
