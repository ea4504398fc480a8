/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_PACKETS_H
#define TALLY_SINK_PACKETS_H

#include <tally/packets.h>

#include "sink/output.h"

/*
 * Packets of a record buffer as a table, CSV or JSON Lines: what precedes them, the packets, and
 * what is known at the end. CSV has no end.
 */
struct sink_packets {
    void (*begin)(struct output *output, const struct tally_packets *packets);
    void (*put)(struct output *output, enum tally_packet_format format,
                const struct tally_packet *packets, size_t count);
    void (*end)(struct output *output, const struct tally_packets *packets, const char *fault);
    /* What precedes the end where the packets themselves are not written; NULL: not rendered. */
    void (*info)(struct output *output, const struct tally_packets *packets);
};

extern const struct sink_packets table_packets, csv_packets, jsonl_packets;

/* Names of the saturated counters, STOP last, with `separator` between them. Returns the end. */
char *put_saturated(char *to, unsigned saturated, const char *separator);

#endif
