/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_JSON_H
#define TALLY_SINK_JSON_H

#include "sink/output.h"

/* Writes a JSON string (RFC 8259) with its quotes, control characters (base/escape.h) as \uNNNN.
 * Bytes that are not UTF-8 become U+FFFD. */
void json_text(struct output *output, const char *text);

/* Writes a further member of an object: a comma, the key, a colon, and the text as a string. */
void json_member(struct output *output, const char *key, const char *text);

/* Writes a number, or as json_member() a further member; one that is not finite is null. */
void json_number(struct output *output, double value);
void json_number_member(struct output *output, const char *key, double value);

#endif
