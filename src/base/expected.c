/* SPDX-License-Identifier: MIT */
#include "base/expected.h"

#include <stdio.h>

#include "base/nearest.h"

const char *expected_word(char text[EXPECTED_BYTES], const char *word, const char *const *words,
                          size_t count, const char *place)
{
    const char *nearest = nearest_word(word, words, count);
    if (nearest)
        snprintf(text, EXPECTED_BYTES, ", expected %.64s (see %s)", nearest, place);
    else
        snprintf(text, EXPECTED_BYTES, "; see %s", place);
    return text;
}
