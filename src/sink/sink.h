/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_SINK_H
#define TALLY_SINK_SINK_H

#include <tally/summary.h>

#include "base/buffer.h"
#include "sink/output.h"

/*
 * A sink writes results in one format: a header, then each block of evaluated deltas or each group
 * of a summary, then the loss ledger and the totals. Members that a format does not support are
 * NULL.
 */
struct sink_context {
    struct tally_recording *recording;
    const struct tally_recording_info *info;
    const struct tally_program *program;
    const struct tally_metric_set *set;
    const size_t *counters; /* indices of the counters to show, in order */
    size_t counter_count;
    uint64_t origin_ticks; /* unwrapped time of the first report */
    /* At the end: unwrapped times between which deltas are written, those of the first and last
     * report without --from and --to. */
    uint64_t from_ticks, to_ticks;
    uint64_t first_index; /* of the first report that is written */
    struct buffer *keys;  /* per counter: its symbol as the sink writes it in every line */
    bool by_unit;         /* counters are sorted, in sections by their unit */
    size_t hidden;        /* counters of a group that are left out (--top) */
    bool fold_zeros;      /* tables: one line for all counters of a group that stayed 0 */
    bool units;           /* CSV: the names of counters have their units */
    const char *fault;    /* at the end: the error that ended reading, or NULL */
    void *state;          /* of the sink's `open`, or NULL */
    size_t input;         /* number of the input, from 0, of those written to one output */
    size_t input_count;
    struct tracks *tracks; /* of a sink with in_order(), else NULL */
};

struct sink_reports;
struct sink_packets;
struct sink_info;
struct sink_lists;
struct shown_comparison;
struct shown_checks;
struct tracks;

struct sink {
    const char *name;  /* "table", "csv", "jsonl", ... */
    const char *title; /* explanation of the name for help texts, or NULL */
    /* Returns why this build cannot write timelines in the format, or NULL if it can. */
    const char *(*missing)(void);
    bool one_worker; /* `deltas` is called in the order of the recording, by one thread */
    /* Make what a sink keeps from the first delta to the last, in context->state, and free it,
     * which may be NULL. `open` returns NULL with *error. */
    void *(*open)(const struct sink_context *context, struct tally_error *error);
    void (*close)(void *state);
    /* Deltas, and groups of a summary. */
    void (*begin_deltas)(struct output *output, const struct sink_context *context);
    void (*deltas)(struct output *output, const struct sink_context *context,
                   const struct tally_batch *batch, size_t start, size_t count);
    void (*begin_groups)(struct output *output, const struct sink_context *context);
    void (*group)(struct output *output, const struct sink_context *context,
                  const struct tally_group *group, const struct tally_statistic *statistics);
    void (*end)(struct output *output, const struct sink_context *context);
    /*
     * Of a format that can hold the deltas of several inputs: called before begin_deltas() of the
     * first one with the contexts of all, and after end() of the last one.
     */
    void (*begin_inputs)(struct output *output, const struct sink_context *contexts, size_t count);
    void (*end_inputs)(struct output *output);
    /* Called for each batch in the order of the recording, after deltas(), which threads may call
     * for several batches at a time, with the output to which that has been written. */
    void (*in_order)(struct output *output, const struct sink_context *context,
                     const struct tally_batch *batch);
    bool binary; /* not for terminals */
    /* A part of a file is of no use: it gets its name when it is complete. */
    bool whole;
    bool hides_losses; /* the ledger is where few look, so the command reports losses, too */
    const struct sink_reports *reports; /* raw fields of reports */
    const struct sink_packets *packets; /* packets of record buffers */
    const struct sink_info *info;       /* contents of a recording or record buffer */
    const struct sink_lists *lists;     /* lists of known names */
    /* Writes a comparison. */
    void (*comparison)(struct output *output, const struct shown_comparison *shown);
    /* Writes the results of checks. */
    void (*checks)(struct output *output, const struct shown_checks *shown);
};

/* Formats the keys of all counters by `put_key`, for sinks that write the same in every line. */
void sink_format_keys(struct output *output, const struct sink_context *context,
                      void (*put_key)(struct output *output, const struct sink_context *context,
                                      size_t c));

/* The values of a block, looked up once. Column c holds counter first + c of the context, or NULL
 * if the counter has no values. */
#define COLUMNS_AT_ONCE 128
struct columns {
    const union tally_value *values[COLUMNS_AT_ONCE];
    enum tally_data_type types[COLUMNS_AT_ONCE];
    size_t count;
};
void columns_get(const struct sink_context *context, size_t first, struct columns *columns);

/* The registry of formats (formats.c), used by all commands and messages. */
extern const struct sink sink_table, sink_csv, sink_jsonl, sink_perfetto, sink_chrome, sink_html,
    sink_svg, sink_parquet, sink_junit, sink_tap;

/* Returns row `index` of the registry, NULL past the end. */
const struct sink *sink_at(size_t index);

/* Returns the sink with this name, or NULL. */
const struct sink *sink_find(const char *name);

/* Returns what a format supports: enum tally_render bits of <tally/sink.h>. */
unsigned sink_renders(const struct sink *sink);

/*
 * Formats the names of the formats that support all of `renders`: "table, csv or jsonl", or with
 * their titles "table (for people), csv or jsonl (JSON Lines)". Returns `text`.
 */
#define FORMATS_TEXT_BYTES 320
char *sink_names(char text[FORMATS_TEXT_BYTES], unsigned renders, bool titles);

/*
 * Finds the format with this name if it supports all of `renders`. Otherwise returns NULL with
 * *error (-ENOENT), which names the formats that do and the nearest name.
 */
const struct sink *sink_choose(const char *name, unsigned renders, struct tally_error *error);

/* Formats the title of the recorded device's SKU, "Haswell GT3"; of its platform if the recording
 * has no PCI device id or the SKU is unknown. That of a model is "modelled Haswell GT3". Returns
 * `text`. */
#define DEVICE_TEXT_BYTES 80
char *sink_device_title(char text[DEVICE_TEXT_BYTES], const struct tally_recording_info *info);

/* Returns the same without "modelled". Static text. */
const char *sink_device_name(const struct tally_recording_info *info);

/* Returns "true" if the recording states that its GPU is a model, else "false". */
const char *sink_modelled(const struct tally_recording_info *info);

/* Gets the values of a statistic in the order of its columns: overall, minimum, mean, p50, p95,
 * p99, maximum. NaN: not defined. */
#define STATISTIC_COUNT 7
void statistic_values(const struct tally_statistic *statistic, double values[STATISTIC_COUNT]);

/* Returns whether the mean of integers is the maximum: as a double, that of large ones may be
 * rounded to above it. A mean far above is that of values of brief deltas, which are no extremes.
 */
bool statistic_mean_is_maximum(const struct tally_statistic *statistic);

/* Formats a context id: "0x1000", "idle", or "none" if the reports have no context. */
void context_text(char text[16], const struct tally_recording_info *info, uint32_t context);

/* Returns "total", "context", "reason", "interval", "phase" or "frame". */
const char *group_by_name(enum tally_group_by by);

/* Formats reason bits ("timer+trigger1"), and the key of a group: a context, reasons, the number of
 * an interval, "others" or "total". */
#define GROUP_TEXT_BYTES 136
void reasons_text(char text[GROUP_TEXT_BYTES], unsigned reasons);
void mark_group_text(char text[GROUP_TEXT_BYTES], const char *const *names, size_t count,
                     uint64_t key);
void group_text(char text[GROUP_TEXT_BYTES], const struct tally_recording_info *info,
                const struct tally_group *group);

/* Headings of these columns in tables. */
extern const char *const statistic_columns[STATISTIC_COUNT];

/* At the end: gets the times of a loss within the range that is written. At the ends of a
 * recording, where one of both is missing, the loss extends to the first or last report. Returns
 * false if it is outside of the range. */
bool sink_loss_range(const struct sink_context *context, const struct tally_loss *loss,
                     uint64_t *start, uint64_t *end);

/* Gets the times of a pause within the range that is written. Returns false if it is outside. */
bool sink_pause_range(const struct sink_context *context, const struct tally_pause *pause,
                      uint64_t *start, uint64_t *end);

/* Returns "paused" or "continued": why nothing was recorded. */
const char *pause_name(const struct tally_pause *pause);

/* Converts GPU ticks to nanoseconds. */
uint64_t ticks_to_ns(const struct tally_recording_info *info, uint64_t ticks);

/* Computes the CPU times of both ends of a delta. Returns false if the recording has no correlation
 * points. */
bool delta_cpu_ns(const struct sink_context *context, const struct tally_batch *batch, size_t i,
                  uint64_t *start_ns, uint64_t *end_ns);

#endif
