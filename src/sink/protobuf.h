/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_PROTOBUF_H
#define TALLY_SINK_PROTOBUF_H

#include <string.h>

#include "base/buffer.h"

/*
 * Writes messages of Protocol Buffers. A field is given by its tag: number << 3 | wire type.
 *
 * The proto_put_...() write at `to`, which must have space, and return the end, like put_u64() of
 * sink/number.h. The proto_add_...() append to a buffer.
 */
enum proto_wire { PROTO_WIRE_U64 = 0, PROTO_WIRE_DOUBLE = 1, PROTO_WIRE_TEXT = 2 };

#define PROTO_VARINT_MAX 10
#define PROTO_TAG_MAX    5

static inline char *proto_put_varint(char *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *to++ = (char)(value | 0x80);
    *to++ = (char)value;
    return to;
}

static inline char *proto_put_u64(char *to, uint32_t tag, uint64_t value)
{
    return proto_put_varint(proto_put_varint(to, tag), value);
}

/* Writes the 8 bytes of a double, without a tag. */
static inline char *proto_put_double(char *to, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (unsigned i = 0; i < 8; i++)
        to[i] = (char)(bits >> 8 * i);
    return to + 8;
}

/* Begin a message within another one, and end it. Its size has PROTO_SIZE_BYTES bytes, whatever it
 * is, so that it can be written at the end. */
#define PROTO_SIZE_BYTES 4
#define PROTO_BYTES_MAX  ((1u << 28) - 1)

static inline char *proto_begin(char *to, uint32_t tag)
{
    return proto_put_varint(to, tag) + PROTO_SIZE_BYTES;
}

static inline void proto_put_size(char *at, size_t size)
{
    for (unsigned i = 0; i < PROTO_SIZE_BYTES; i++)
        at[i] = (char)((size >> 7 * i & 0x7f) | (i + 1 < PROTO_SIZE_BYTES ? 0x80u : 0u));
}

/* `start` is what proto_begin() returned. */
static inline void proto_end(char *start, const char *end)
{
    proto_put_size(start - PROTO_SIZE_BYTES, (size_t)(end - start));
}

void proto_add_u64(struct buffer *to, uint32_t tag, uint64_t value);

/* Appends a text from elsewhere: escaped (base/escape.h), and so UTF-8. */
void proto_add_text(struct buffer *to, uint32_t tag, const char *text);

/* Begin a message and end it. proto_open() returns what proto_close() needs. A message of more than
 * PROTO_BYTES_MAX bytes marks the buffer as broken. */
size_t proto_open(struct buffer *to, uint32_t tag);
void proto_close(struct buffer *to, size_t start);

#endif
