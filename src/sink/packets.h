/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_PACKETS_H
#define TALLY_SINK_PACKETS_H

#include <tally/packets.h>

#include "sink/output.h"

/*
 * Writes the packets of a record buffer in one format: a header, the packets, and the losses and
 * totals at the end. CSV has no end.
 */
struct sink_packets {
    void (*begin)(struct output *output, const struct tally_packets *packets);
    void (*put)(struct output *output, enum tally_packet_format format,
                const struct tally_packet *packets, size_t count);
    void (*end)(struct output *output, const struct tally_packets *packets, const char *fault);
    /* Replaces `begin` if only the summary is written; NULL if not supported. */
    void (*info)(struct output *output, const struct tally_packets *packets);
};

extern const struct sink_packets table_packets, csv_packets, jsonl_packets;

/* Writes the names of the saturated counters, STOP last, with `separator` between them. Returns the
 * end. */
char *put_saturated(char *to, unsigned saturated, const char *separator);

#endif
