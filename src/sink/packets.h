/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_PACKETS_H
#define TALLY_SINK_PACKETS_H

#include <tally/packets.h>

#include "sink/output.h"

/*
 * Packets of a record buffer as a table, CSV or JSON Lines: what precedes them, the packets, and
 * what is known at the end. CSV has no end.
 */
struct packet_sink {
    const char *name; /* "table", "csv", "jsonl" */
    void (*begin)(struct output *output, const struct tally_packets *packets);
    void (*put)(struct output *output, enum tally_packet_format format,
                const struct tally_packet *packets, size_t count);
    void (*end)(struct output *output, const struct tally_packets *packets, const char *fault);
};

/* The sink of a name, or NULL. */
const struct packet_sink *packet_sink_find(const char *name);

/* What all packets together show: period, signals, times. For people. */
void put_packets_survey(struct output *output, const struct tally_packets *packets);

/* Names of the saturated counters, STOP last, with `separator` between them. Returns the end. */
char *put_saturated(char *to, unsigned saturated, const char *separator);

#endif
