/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_PACKETS_H
#define TALLY_CLI_PACKETS_H

#include <tally/packets.h>

#include "cli/cli.h"

/* PCOUNTER record buffers as inputs of decode and info. */

/* Whether --layout selects a record buffer; if so, sets *format. */
bool packets_wanted(const struct arguments *arguments, enum tally_packet_format *format);

/* Opens the operand as a record buffer. Rejects options for Intel reports. Prints errors; returns
 * an exit code. */
int open_packets(const struct arguments *arguments, enum tally_packet_format format,
                 struct tally_packets **out);

#endif
