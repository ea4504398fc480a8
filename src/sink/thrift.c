/* SPDX-License-Identifier: MIT */
#include "sink/thrift.h"

#include <string.h>

#include "sink/protobuf.h"

void thrift_varint(struct buffer *to, uint64_t value)
{
    char bytes[PROTO_VARINT_MAX]; /* Protocol Buffers have the same */
    buffer_append(to, bytes, (size_t)(proto_put_varint(bytes, value) - bytes));
}

void thrift_zigzag(struct buffer *to, int64_t value)
{
    thrift_varint(to, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

/* Writes the head of a field: the distance of its id to the one before, and its type. */
static void put_field(struct thrift *thrift, unsigned id, enum thrift_type type)
{
    unsigned *last = &thrift->last[thrift->depth - 1], distance = id - *last;
    if (distance <= 15) {
        buffer_char(thrift->to, (char)(distance << 4 | (unsigned)type));
    } else {
        buffer_char(thrift->to, (char)type);
        thrift_zigzag(thrift->to, (int64_t)id);
    }
    *last = id;
}

void thrift_begin(struct thrift *thrift)
{
    thrift->last[thrift->depth++] = 0;
}

void thrift_begin_field(struct thrift *thrift, unsigned id)
{
    put_field(thrift, id, THRIFT_STRUCT);
    thrift_begin(thrift);
}

void thrift_end(struct thrift *thrift)
{
    buffer_char(thrift->to, 0);
    thrift->depth--;
}

void thrift_byte(struct thrift *thrift, unsigned id, int value)
{
    put_field(thrift, id, THRIFT_BYTE);
    buffer_char(thrift->to, (char)value);
}

void thrift_i32(struct thrift *thrift, unsigned id, int32_t value)
{
    put_field(thrift, id, THRIFT_I32);
    thrift_zigzag(thrift->to, value);
}

void thrift_i64(struct thrift *thrift, unsigned id, int64_t value)
{
    put_field(thrift, id, THRIFT_I64);
    thrift_zigzag(thrift->to, value);
}

void thrift_bool(struct thrift *thrift, unsigned id, bool value)
{
    put_field(thrift, id, value ? THRIFT_TRUE : THRIFT_FALSE);
}

static void put_binary(struct thrift *thrift, const void *bytes, size_t size)
{
    thrift_varint(thrift->to, size);
    buffer_append(thrift->to, bytes, size);
}

void thrift_binary(struct thrift *thrift, unsigned id, const void *bytes, size_t size)
{
    put_field(thrift, id, THRIFT_BINARY);
    put_binary(thrift, bytes, size);
}

void thrift_text(struct thrift *thrift, unsigned id, const char *text)
{
    thrift_binary(thrift, id, text, strlen(text));
}

void thrift_list(struct thrift *thrift, unsigned id, enum thrift_type type, size_t count)
{
    put_field(thrift, id, THRIFT_LIST);
    if (count < 15) {
        buffer_char(thrift->to, (char)(count << 4 | (size_t)type));
    } else {
        buffer_char(thrift->to, (char)(0xf0 | (unsigned)type));
        thrift_varint(thrift->to, count);
    }
}

void thrift_element_i32(struct thrift *thrift, int32_t value)
{
    thrift_zigzag(thrift->to, value);
}

void thrift_element_text(struct thrift *thrift, const char *text)
{
    put_binary(thrift, text, strlen(text));
}
