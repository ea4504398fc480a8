/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_JSON_H
#define TALLY_SINK_JSON_H

#include "sink/output.h"

/* A JSON string (RFC 8259), quotes included. Bytes that are not UTF-8 become U+FFFD. */
void json_text(struct output *output, const char *text);

/* A member of an object behind others: a comma, the key, a colon, and the text as a string. */
void json_member(struct output *output, const char *key, const char *text);

#endif
