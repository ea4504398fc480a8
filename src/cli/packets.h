/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_PACKETS_H
#define TALLY_CLI_PACKETS_H

#include <tally/packets.h>

#include "cli/cli.h"

/* PCOUNTER record buffers as inputs of decode and info. */

/* Does --layout name a record buffer? */
bool packets_wanted(const struct arguments *arguments, enum tally_packet_format *format);

/* Opens the operand, if the options that are given can be meant for a record buffer. Tells what is
 * wrong; returns EXIT_... */
int open_packets(const struct arguments *arguments, enum tally_packet_format format,
                 struct tally_packets **out);

#endif
