/* SPDX-License-Identifier: MIT */
#include "capture/sampled.h"

#include <errno.h>
#include <string.h>

#include "recording/format.h"

bool sampled_has_records(const struct sampled *stream)
{
    return stream->read < stream->records.size || stream->error.code;
}

int64_t sampled_read(struct sampled *stream, void *to, size_t size)
{
    size_t used = 0;
    while (stream->read + used < stream->records.size) {
        size_t next =
            record_header_load((uint8_t *)stream->records.bytes + stream->read + used).size;
        if (used + next > size)
            break;
        used += next;
    }
    if (used)
        memcpy(to, stream->records.bytes + stream->read, used);
    stream->read += used;
    if (stream->read == stream->records.size)
        stream->read = stream->records.size = 0;
    if (!used && stream->records.broken)
        return -ENOMEM;
    return !used && stream->error.code ? stream->error.code : (int64_t)used;
}

void sampled_stop(struct sampled *stream)
{
    if (!stream || !stream->calls)
        return;
    stream->calls->stop(stream);
    buffer_fini(&stream->records);
    *stream = (struct sampled){0};
}
