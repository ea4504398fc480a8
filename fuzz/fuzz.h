/* SPDX-License-Identifier: MIT */
#ifndef TALLY_FUZZ_H
#define TALLY_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* What every target defines: libFuzzer calls it with its inputs, replay.c with a corpus. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A promise of the library, kept whatever the input is. */
#define PROMISE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* The next of a row of numbers that look random (splitmix64). */
static inline uint64_t next_number(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* A number that follows from the bytes (FNV-1a). */
static inline uint64_t hash_bytes(const uint8_t *data, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ data[i]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
