/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_INFO_H
#define TALLY_SINK_INFO_H

#include "pipeline/survey.h"
#include "sink/sink.h"

/* Writes the contents of a recording: device, clocks, contexts, reasons, times, loss ledger. */
struct sink_info {
    void (*put)(struct output *output, const struct sink_context *context,
                const struct survey *survey);
};

extern const struct sink_info table_info, jsonl_info;

#endif
