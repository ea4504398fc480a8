/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_CSV_H
#define TALLY_SINK_CSV_H

#include "sink/output.h"

/* Writes a field (RFC 4180), escaped (base/escape.h) and quoted if necessary. With the output's
 * `csv_safe`, a text that begins with = + - or @ gets a single quote before it. */
void csv_text(struct output *output, const char *text);

/* Writes a number as a cell; one that is not finite is empty. */
void csv_number(struct output *output, double value);

#endif
