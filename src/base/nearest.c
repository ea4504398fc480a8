/* SPDX-License-Identifier: MIT */
#include "base/nearest.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "base/minmax.h"

#define WORD_MAX   64 /* longer words are cut to this length */
#define PREFIX_MIN 3  /* a shorter word is not taken for the beginning of another one */

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

/* Returns the shortest word that begins with an incomplete one, or NULL. */
static const char *complete_word(const char *word, size_t size, const char *const *words,
                                 size_t count)
{
    const char *found = NULL;
    for (size_t i = 0; i < count && size >= PREFIX_MIN; i++)
        if (common_prefix(word, words[i]) == size && (!found || strlen(words[i]) < strlen(found)))
            found = words[i];
    return found;
}

const char *nearest_word(const char *word, const char *const *words, size_t count)
{
    size_t size = strnlen(word, WORD_MAX), best = SIZE_MAX, longest = 0;
    const char *found = complete_word(word, size, words, count);
    if (found)
        return found;
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

const char *similar_word(const char *word, const char *const *words, size_t count)
{
    const char *nearest = nearest_word(word, words, count);
    if (!nearest)
        return NULL;
    size_t size = strnlen(word, WORD_MAX), other = strnlen(nearest, WORD_MAX);
    return 2 * edit_distance(word, size, nearest, other) <= max_size(size, other) ? nearest : NULL;
}
