/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_SINK_H
#define TALLY_SINK_SINK_H

#include <tally/summary.h>

#include "base/buffer.h"
#include "sink/output.h"

/*
 * To whom results go. A sink gets a header, then each block of evaluated deltas or each group of a
 * summary, then the loss ledger, and the totals at the end. A sink that is not interested in one of
 * them leaves the member NULL.
 */
struct sink_context {
    struct tally_recording *recording;
    const struct tally_recording_info *info;
    const struct tally_program *program;
    const struct tally_metric_set *set;
    const size_t *counters; /* indices of the counters to show, in order */
    size_t counter_count;
    uint64_t origin_ticks; /* unwrapped time of the first report */
    struct buffer *keys;   /* one a counter: its symbol, as the sink writes it in every line */
    const char *fault;     /* at the end: why the input could not be read on, or NULL */
};

struct sink {
    const char *name; /* "table", "csv", "jsonl" */
    const char *group_name;
    void (*begin_deltas)(struct output *output, const struct sink_context *context);
    void (*deltas)(struct output *output, const struct sink_context *context,
                   const struct tally_batch *batch, size_t start, size_t count);
    void (*begin_groups)(struct output *output, const struct sink_context *context);
    void (*group)(struct output *output, const struct sink_context *context,
                  const struct tally_group *group, const struct tally_statistic *statistics);
    void (*end)(struct output *output, const struct sink_context *context);
};

/* The values of a block, looked up once: column c is counter c of the context, NULL if it has none.
 */
#define COLUMNS_AT_ONCE 128
struct columns {
    const union tally_value *values[COLUMNS_AT_ONCE];
    enum tally_data_type types[COLUMNS_AT_ONCE];
    size_t count;
};
void columns_get(const struct sink_context *context, size_t first, struct columns *columns);

extern const struct sink sink_table, sink_csv, sink_jsonl;

/* The sink of a name, or NULL. */
const struct sink *sink_find(const char *name);

/* "0x1000", "idle", or "none" where reports carry no context. For machines and people alike. */
void context_text(char text[16], const struct tally_recording_info *info, uint32_t context);

/* "total", "context", "reason" or "interval". */
const char *group_by_name(enum tally_group_by by);

/* A group's key in words: a context, a reason (or several: "timer+trigger1"), the number of an
 * interval, "others" or "total". */
#define GROUP_TEXT_BYTES 96
void reasons_text(char text[GROUP_TEXT_BYTES], unsigned reasons);
void group_text(char text[GROUP_TEXT_BYTES], const struct tally_recording_info *info,
                const struct tally_group *group);

/* GPU ticks as nanoseconds. */
uint64_t ticks_to_ns(const struct tally_recording_info *info, uint64_t ticks);

/* CPU times of both ends of a delta. Returns false if the recording has no correlation. */
bool delta_cpu_ns(const struct sink_context *context, const struct tally_batch *batch, size_t i,
                  uint64_t *start_ns, uint64_t *end_ns);

#endif
