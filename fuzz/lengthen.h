/* SPDX-License-Identifier: MIT */
/*
 * A mutator for the targets of text parsers, which each include it once. libFuzzer alone seldom
 * makes a name or number longer than the array that it is copied to: this one repeats a character
 * now and then. Without libFuzzer (replay.c) there is none.
 */
#ifndef TALLY_FUZZ_LENGTHEN_H
#define TALLY_FUZZ_LENGTHEN_H

#ifdef TALLY_LIBFUZZER
#include "fuzz.h"

#include <string.h>

#define LENGTHEN_OFTEN 8  /* one mutation in this many */
#define LENGTHEN_MAX   64 /* bytes inserted at a time */

/* libFuzzer's own mutations. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* Called by libFuzzer; returns the new size. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    uint64_t state = seed;
    size_t count = 1 + next_number(&state) % LENGTHEN_MAX;
    if (!size || size + count > max_size || next_number(&state) % LENGTHEN_OFTEN)
        return LLVMFuzzerMutate(data, size, max_size);
    size_t at = next_number(&state) % size;
    memmove(data + at + count, data + at, size - at);
    memset(data + at, data[at], count);
    return size + count;
}
#endif

#endif
