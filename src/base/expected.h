/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_EXPECTED_H
#define TALLY_BASE_EXPECTED_H

#include <stddef.h>

/*
 * The end of a message about an unknown word: ", expected WORD (see PLACE)" with the nearest valid
 * word (nearest.h), or "; see PLACE" if none is near. `place` is a command or document that lists
 * the valid words. Returns `text`.
 *
 *     fail(error, -ENOENT, "unknown unit \"%s\"%s", name,
 *          expected_word(text, name, names, count, "docs/workloads.md"));
 */
#define EXPECTED_BYTES 160
const char *expected_word(char text[EXPECTED_BYTES], const char *word, const char *const *words,
                          size_t count, const char *place);

#endif
