/* SPDX-License-Identifier: MIT */
#include "pipeline/source.h"

#include <errno.h>
#include <stdlib.h>

/* ---- recordings ------------------------------------------------------------------------------ */

static int reports_init(struct pipeline_batch *batch)
{
    *batch = (struct pipeline_batch){.reports = tally_batch_new()};
    return batch->reports ? 0 : -ENOMEM;
}

static void reports_fini(struct pipeline_batch *batch)
{
    tally_batch_free(batch->reports);
}

static int reports_read(void *self, struct pipeline_batch *batch, struct tally_error *error)
{
    return tally_recording_read(self, batch->reports, error);
}

static uint64_t reports_position(const void *self)
{
    return tally_recording_position(self);
}

static uint64_t reports_size(const void *self)
{
    return tally_recording_info(self)->size_bytes;
}

static size_t reports_losses(const void *self, const struct tally_loss **out)
{
    return tally_recording_losses(self, out);
}

static const char *reports_path(const void *self)
{
    return tally_recording_info(self)->path;
}

static const struct pipeline_source_calls recording_calls = {
    .batch_init = reports_init,
    .batch_fini = reports_fini,
    .read = reports_read,
    .position = reports_position,
    .size_bytes = reports_size,
    .losses = reports_losses,
    .path = reports_path,
};

struct pipeline_source source_of_recording(struct tally_recording *recording)
{
    return (struct pipeline_source){&recording_calls, recording};
}

/* ---- record buffers -------------------------------------------------------------------------- */

#define PACKETS_A_BATCH 1024

static int packets_init(struct pipeline_batch *batch)
{
    *batch =
        (struct pipeline_batch){.packets = malloc(PACKETS_A_BATCH * sizeof(struct tally_packet))};
    return batch->packets ? 0 : -ENOMEM;
}

static void packets_fini(struct pipeline_batch *batch)
{
    free(batch->packets);
}

static int packets_read(void *self, struct pipeline_batch *batch, struct tally_error *error)
{
    ptrdiff_t n = tally_packets_read(self, batch->packets, PACKETS_A_BATCH, error);
    batch->packet_count = n > 0 ? (size_t)n : 0;
    return n > 0 ? 1 : (int)n;
}

static uint64_t packets_position(const void *self)
{
    return tally_packets_position(self);
}

static uint64_t packets_size(const void *self)
{
    return tally_packets_size_bytes(self);
}

static size_t packets_losses(const void *self, const struct tally_loss **out)
{
    return tally_packets_losses(self, out);
}

static const char *packets_path(const void *self)
{
    return tally_packets_path(self);
}

static const struct pipeline_source_calls packets_calls = {
    .batch_init = packets_init,
    .batch_fini = packets_fini,
    .read = packets_read,
    .position = packets_position,
    .size_bytes = packets_size,
    .losses = packets_losses,
    .path = packets_path,
};

struct pipeline_source source_of_packets(struct tally_packets *packets)
{
    return (struct pipeline_source){&packets_calls, packets};
}

size_t source_loss_count(const struct pipeline_source *source)
{
    const struct tally_loss *losses;
    return source->calls->losses(source->self, &losses);
}
