/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_CSV_H
#define TALLY_SINK_CSV_H

#include "sink/output.h"

/* Writes a field (RFC 4180), quoted if necessary; texts from files may contain any character. */
void csv_text(struct output *output, const char *text);

#endif
