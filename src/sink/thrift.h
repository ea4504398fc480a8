/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_THRIFT_H
#define TALLY_SINK_THRIFT_H

#include "base/buffer.h"

/*
 * Writes structs in the compact protocol of Apache Thrift, as Parquet's headers and footers use it.
 * The fields of a struct are written in ascending order of their ids.
 */
#define THRIFT_DEPTH_MAX 8

struct thrift {
    struct buffer *to;
    unsigned depth;                  /* of open structs */
    unsigned last[THRIFT_DEPTH_MAX]; /* id of the latest field of each */
};

enum thrift_type {
    THRIFT_TRUE = 1,
    THRIFT_FALSE = 2,
    THRIFT_BYTE = 3,
    THRIFT_I32 = 5,
    THRIFT_I64 = 6,
    THRIFT_BINARY = 8,
    THRIFT_LIST = 9,
    THRIFT_STRUCT = 12,
};

/* Appends a number with 7 bits in each byte, the lowest first. */
void thrift_varint(struct buffer *to, uint64_t value);

/* Appends a number whose sign is in bit 0. */
void thrift_zigzag(struct buffer *to, int64_t value);

/* Begin a struct, which is an element of a list or the whole message, or field `id` of the struct
 * around it; and end it. */
void thrift_begin(struct thrift *thrift);
void thrift_begin_field(struct thrift *thrift, unsigned id);
void thrift_end(struct thrift *thrift);

/* Write a field. */
void thrift_byte(struct thrift *thrift, unsigned id, int value);
void thrift_i32(struct thrift *thrift, unsigned id, int32_t value);
void thrift_i64(struct thrift *thrift, unsigned id, int64_t value);
void thrift_bool(struct thrift *thrift, unsigned id, bool value);
void thrift_binary(struct thrift *thrift, unsigned id, const void *bytes, size_t size);
void thrift_text(struct thrift *thrift, unsigned id, const char *text);

/* Writes the head of a list. Its elements follow: structs, or the functions below. */
void thrift_list(struct thrift *thrift, unsigned id, enum thrift_type type, size_t count);
void thrift_element_i32(struct thrift *thrift, int32_t value);
void thrift_element_text(struct thrift *thrift, const char *text);

#endif
