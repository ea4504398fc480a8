/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_JSONL_H
#define TALLY_SINK_JSONL_H

#include "sink/sink.h"

/* The lines of -f jsonl around the rows, for formats that include them as texts: the header; the
 * losses and pauses; and the totals. */
void jsonl_header(struct output *output, const struct sink_context *context);
void jsonl_ledger(struct output *output, const struct sink_context *context);
void jsonl_totals(struct output *output, const struct sink_context *context);

#endif
