/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PIPELINE_SOURCE_H
#define TALLY_PIPELINE_SOURCE_H

#include <tally/packets.h>
#include <tally/recording.h>

/*
 * A source of batches: a recording (file, pipe, memory, live stream) or a PCOUNTER record buffer.
 * Each kind of source is a table of functions.
 */

/* The result of one read: either reports or packets, depending on the source. */
struct pipeline_batch {
    struct tally_batch *reports;  /* or NULL */
    struct tally_packet *packets; /* or NULL */
    size_t packet_count;
};

struct pipeline_source_calls {
    int (*batch_init)(struct pipeline_batch *batch);
    void (*batch_fini)(struct pipeline_batch *batch);
    /* Returns 1, 0 at the end, -EAGAIN if a stream has no data yet, or a negative errno. */
    int (*read)(void *self, struct pipeline_batch *batch, struct tally_error *error);
    uint64_t (*position)(const void *self);                            /* bytes read so far */
    uint64_t (*size_bytes)(const void *self);                          /* 0 if unknown */
    size_t (*losses)(const void *self, const struct tally_loss **out); /* the ledger so far */
    const char *(*path)(const void *self);
};

struct pipeline_source {
    const struct pipeline_source_calls *calls;
    void *self;
};

struct pipeline_source source_of_recording(struct tally_recording *recording);
struct pipeline_source source_of_packets(struct tally_packets *packets);

/* Returns the number of entries in the loss ledger so far. */
size_t source_loss_count(const struct pipeline_source *source);

#endif
