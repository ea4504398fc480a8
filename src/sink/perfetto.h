/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_PERFETTO_H
#define TALLY_SINK_PERFETTO_H

#include "sink/protobuf.h"
#include "sink/tracks.h"

/* The tags of all fields, PACKET_TIMESTAMP, and the values, VALUE_CLOCK_GPU. */
#define PROTO_WIRE_MESSAGE PROTO_WIRE_TEXT
#define PROTO_WIRE_NUMBER  PROTO_WIRE_U64
enum perfetto_tag {
#define FIELD(message, name, number, kind) message##_##name = (number) << 3 | PROTO_WIRE_##kind,
#include "sink/perfetto.def"
};
enum perfetto_value {
#define VALUE(enumeration, name, number) VALUE_##enumeration##_##name = (number),
#include "sink/perfetto.def"
};

/* Interned ids: of the descriptor of the counters; of the hardware queues, which the viewer shows
 * as tracks; and of what happens in them. */
#define PERFETTO_DESCRIPTOR_IID 1
enum perfetto_queue {
    PERFETTO_CONTEXTS = 1,
    PERFETTO_EVENTS,
    PERFETTO_LOSSES,
    PERFETTO_PAUSES,
    PERFETTO_MARKS,
    PERFETTO_FRAMES,
};
#define PERFETTO_REASON_IID(bit)     (16u + (bit))
#define PERFETTO_LOSS_IID(kind)      (64u + (kind))
#define PERFETTO_PAUSE_IID(appended) (96u + (appended))
#define PERFETTO_FRAME_IID           98u
#define PERFETTO_CONTEXT_IID(id)     (UINT64_C(1) << 32 | (id))
#define PERFETTO_MARK_IID(name)      (UINT64_C(2) << 32 | (name))

/* Returns the packet sequence of an input. Each has its own interned ids. */
uint64_t perfetto_sequence(const struct sink_context *context);

/* Append the GPUs of all inputs; what an input's later packets refer to (perfetto_head.c). */
void perfetto_add_gpus(struct buffer *to, const struct sink_context *contexts, size_t count);
void perfetto_add_descriptions(struct buffer *to, const struct sink_context *context);

#endif
