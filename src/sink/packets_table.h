/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_PACKETS_TABLE_H
#define TALLY_SINK_PACKETS_TABLE_H

#include <tally/packets.h>

#include "sink/output.h"

/* The table of packet_sink_find(). */
void table_packets_begin(struct output *output, const struct tally_packets *packets);
void table_packets_put(struct output *output, enum tally_packet_format format,
                       const struct tally_packet *packets, size_t count);
void table_packets_end(struct output *output, const struct tally_packets *packets,
                       const char *fault);

#endif
