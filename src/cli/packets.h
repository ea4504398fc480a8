/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_PACKETS_H
#define TALLY_CLI_PACKETS_H

#include <tally/packets.h>

#include "cli/cli.h"

/* PCOUNTER record buffers: what decode and info do where --layout names one. */

/* Does --layout name a record buffer? */
bool packets_wanted(const struct arguments *arguments, enum tally_packet_format *format);

/* Return exit codes, having told what is wrong. */
int decode_packets(const struct arguments *arguments, enum tally_packet_format format);
int info_packets(const struct arguments *arguments, enum tally_packet_format format);

/* What is done with the packets of each read. Returns 0, or something else to stop. */
typedef int packet_work(void *closure, const struct tally_packet *packets, size_t count);

/*
 * Reads a whole record buffer, showing progress (read.c). Returns the result of the read that ended
 * it (0, or a negative errno with *error), or what `work` returned if that was not 0.
 */
int read_packets(struct tally_packets *packets, bool quiet, packet_work *work, void *closure,
                 struct tally_error *error);

#endif
