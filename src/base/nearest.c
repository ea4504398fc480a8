/* SPDX-License-Identifier: MIT */
#include "base/nearest.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "base/minmax.h"

#define WORD_MAX 64 /* longer words are cut to this length */

static size_t edit_distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t row[WORD_MAX + 1]; /* distances of a's first i characters to each prefix of b */
    for (size_t j = 0; j <= b_size; j++)
        row[j] = j;
    for (size_t i = 0; i < a_size; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < b_size; j++) {
            int differ = tolower((unsigned char)a[i]) != tolower((unsigned char)b[j]);
            size_t here = min_size(row[j + 1], row[j]) + 1;
            here = min_size(here, diagonal + (size_t)differ);
            diagonal = row[j + 1];
            row[j + 1] = here;
        }
    }
    return row[b_size];
}

static size_t common_prefix(const char *a, const char *b)
{
    size_t size = 0;
    while (a[size] && tolower((unsigned char)a[size]) == tolower((unsigned char)b[size]))
        size++;
    return size;
}

const char *nearest_word(const char *word, const char *const *words, size_t count)
{
    const char *found = NULL;
    size_t size = strnlen(word, WORD_MAX), best = SIZE_MAX, longest = 0;
    for (size_t i = 0; i < count; i++) {
        size_t other = strnlen(words[i], WORD_MAX), common = common_prefix(word, words[i]);
        size_t distance = edit_distance(word, size, words[i], other);
        if (distance == max_size(size, other) || distance > best ||
            (distance == best && common <= longest))
            continue;
        best = distance;
        longest = common;
        found = words[i];
    }
    return found;
}
