/* SPDX-License-Identifier: MIT */
#include "sink/protobuf.h"

#include "base/escape.h"

void proto_add_u64(struct buffer *to, uint32_t tag, uint64_t value)
{
    char bytes[PROTO_TAG_MAX + PROTO_VARINT_MAX];
    buffer_append(to, bytes, (size_t)(proto_put_u64(bytes, tag, value) - bytes));
}

void proto_add_text(struct buffer *to, uint32_t tag, const char *text)
{
    size_t start = proto_open(to, tag);
    escape_put(to, text, SIZE_MAX);
    proto_close(to, start);
}

size_t proto_open(struct buffer *to, uint32_t tag)
{
    char bytes[PROTO_TAG_MAX + PROTO_SIZE_BYTES] = {0};
    buffer_append(to, bytes, (size_t)(proto_begin(bytes, tag) - bytes));
    return to->size;
}

void proto_close(struct buffer *to, size_t start)
{
    if (to->broken)
        return;
    if (to->size - start > PROTO_BYTES_MAX)
        to->broken = true;
    else
        proto_put_size(to->bytes + start - PROTO_SIZE_BYTES, to->size - start);
}
