/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_DECODE_DECODE_H
#define TALLY_PRELOAD_DECODE_DECODE_H

/*
 * libtally-decode.so: what an x86-64 instruction does with memory, by Zydis. The preloaded library
 * opens it when a program maps the registers of the device, so that other programs need neither.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DECODE_LIBRARY "libtally-decode.so"

/* Longest instruction, and longest operand. */
#define DECODE_CODE_MAX 15
#define DECODE_DATA_MAX 64

/* A memory operand. Registers have their numbers in encodings, RAX 0 to R15 15; -1: none. */
struct decode_operand {
    unsigned bytes;
    bool reads, writes;
    int base, index;
    unsigned scale;
    int64_t displacement;
    bool base_is_result; /* the instruction replaces all of the base register */
};

struct decode_access {
    size_t count; /* of operands */
    struct decode_operand operands[2];
};

/* Decodes the instruction at `code`. Returns NULL, or what was expected instead. */
typedef const char *decode_function(const uint8_t *code, size_t bytes, struct decode_access *out);
__attribute__((visibility("default"))) decode_function tally_decode_access;

#endif
