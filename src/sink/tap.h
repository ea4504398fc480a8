/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_TAP_H
#define TALLY_SINK_TAP_H

#include "sink/output.h"

/* Parts of the Test Anything Protocol, version 13 (testanything.org). */

/* Writes text in which `#` and the backslash do not start a directive. */
void tap_description(struct output *output, const char *text);

/* Writes a YAML entry with a single-quoted text. */
void tap_entry(struct output *output, const char *key, const char *text);

#endif
