/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_SAMPLED_H
#define TALLY_CAPTURE_SAMPLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>

#include "base/buffer.h"

/*
 * A stream whose records software makes, at times that it sets: counts (counts.h) or packets
 * (packets.h) of PCOUNTER. The struct is the first member of theirs.
 *
 *     if (now >= stream->due_ns)
 *         stream->calls->act(stream);   // adds records
 *     sampled_read(stream, to, size);
 *     stream->calls->end(stream);       // adds what was counted since the last sample
 *     sampled_stop(stream);
 */

struct sampled;

struct sampled_calls {
    void (*act)(struct sampled *stream);
    void (*end)(struct sampled *stream);
    void (*stop)(struct sampled *stream); /* stops counting */
};

struct sampled {
    const struct sampled_calls *calls; /* NULL: not open */
    uint64_t due_ns;          /* of the next act(), by the driver's clock; UINT64_MAX: ended */
    struct buffer records;    /* whole records that were not read */
    size_t read;              /* bytes of them that were */
    struct tally_error error; /* that ended the stream; code 0: none */
};

/* Returns whether a read returns records or an error. */
bool sampled_has_records(const struct sampled *stream);

/* Copies whole records. Returns their bytes, 0: none at present, or the errno that ended the
 * stream. */
int64_t sampled_read(struct sampled *stream, void *to, size_t size);

/* Stops counting, and frees the records. Nothing to do if the stream is not open, or NULL. */
void sampled_stop(struct sampled *stream);

#endif
