/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_JSON_H
#define TALLY_SINK_JSON_H

#include "sink/output.h"

/* A JSON string (RFC 8259), quotes included. Bytes that are not UTF-8 become U+FFFD. */
void json_text(struct output *output, const char *text);

#endif
