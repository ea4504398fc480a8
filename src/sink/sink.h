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

struct sink_reports;
struct sink_packets;
struct sink_info;

struct sink {
    const char *name;  /* "table", "csv", "jsonl" */
    const char *title; /* what it is, where the name does not tell: "for people"; or NULL */
    /* Deltas, and groups of a summary. */
    void (*begin_deltas)(struct output *output, const struct sink_context *context);
    void (*deltas)(struct output *output, const struct sink_context *context,
                   const struct tally_batch *batch, size_t start, size_t count);
    void (*begin_groups)(struct output *output, const struct sink_context *context);
    void (*group)(struct output *output, const struct sink_context *context,
                  const struct tally_group *group, const struct tally_statistic *statistics);
    void (*end)(struct output *output, const struct sink_context *context);
    const struct sink_reports *reports; /* raw fields of reports; NULL: it does not render them */
    const struct sink_packets *packets; /* packets of record buffers */
    const struct sink_info *info;       /* what a recording or record buffer holds */
    bool lists;                         /* tables of facts, by their columns or as objects */
    bool objects;                       /* lists: an object a line, with keys */
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

/* The registry of formats: every command and message takes its formats from here (formats.c). */
extern const struct sink sink_table, sink_csv, sink_jsonl;

/* A row of the registry; NULL past the end. */
const struct sink *sink_at(size_t index);

/* The sink of a name, or NULL. */
const struct sink *sink_find(const char *name);

/* What a format can render: enum tally_render bits of <tally/sink.h>. */
unsigned sink_renders(const struct sink *sink);

/*
 * The names of the formats that render all of `renders`: "table, csv or jsonl", or with their
 * titles "table (for people), csv or jsonl (JSON Lines)". Returns `text`.
 */
#define FORMATS_TEXT_BYTES 256
char *sink_names(char text[FORMATS_TEXT_BYTES], unsigned renders, bool titles);

/*
 * Finds the format of a name that renders all of `renders`. Returns NULL with *error (-ENOENT)
 * naming those that do, and the nearest name.
 */
const struct sink *sink_choose(const char *name, unsigned renders, struct tally_error *error);

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
