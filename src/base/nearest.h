/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_NEAREST_H
#define TALLY_BASE_NEAREST_H

#include <stddef.h>

/*
 * The word that a misspelt one most likely stands for: the one with the least edit distance
 * (insertions, deletions, substitutions; case does not count), the first of equals. NULL if none
 * has anything in common with it.
 */
const char *nearest_word(const char *word, const char *const *words, size_t count);

#endif
