/* SPDX-License-Identifier: MIT */
/* Parquet: a row for each delta, columns as those of CSV (docs/parquet.md). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/escape.h"
#include "base/minmax.h"
#include "base/ratio.h"
#include "recording/reader.h"
#include "sink/jsonl.h"
#include "sink/parquet_file.h"

/* The columns before those of the counters. */
enum column {
    INDEX,
    START_NS,
    END_NS,
    GPU_START,
    GPU_END,
    CONTEXT,
    REASON,
    END_REASON,
    STATE,
    MODELLED,
    SET_GUID,
    CLOCK_UNCERTAINTY_NS,
    FIXED_COUNT
};

struct parquet {
    struct parquet_file file;
    bool has_cpu_ns;
    uint64_t uncertainty_ns; /* of the CPU times of the group */
};

/* ---- texts ----------------------------------------------------------------------------------- */

static const char *context_of(const void *info, uint64_t value, char buffer[PARQUET_TEXT_BYTES])
{
    context_text(buffer, info, (uint32_t)value);
    return buffer;
}

static const char *reasons_of(const void *info, uint64_t value, char buffer[PARQUET_TEXT_BYTES])
{
    (void)info;
    reasons_text(buffer, (unsigned)value);
    return buffer;
}

static const char *state_of(const void *info, uint64_t value, char buffer[PARQUET_TEXT_BYTES])
{
    (void)info;
    (void)buffer;
    return tally_state_name((enum tally_state)value);
}

static const char *guid_of(const void *set, uint64_t value, char buffer[PARQUET_TEXT_BYTES])
{
    (void)value;
    (void)buffer;
    return ((const struct tally_metric_set *)set)->uuid;
}

static const struct {
    const char *name;
    struct parquet_column column;
} fixed[FIXED_COUNT] = {
    [INDEX] = {"index", {.type = PARQUET_UINT64}},
    [START_NS] = {"start_ns", {.type = PARQUET_UINT64, .optional = true}},
    [END_NS] = {"end_ns", {.type = PARQUET_UINT64, .optional = true}},
    [GPU_START] = {"gpu_start", {.type = PARQUET_UINT64}},
    [GPU_END] = {"gpu_end", {.type = PARQUET_UINT64}},
    [CONTEXT] = {"context", {.type = PARQUET_TEXT, .text = context_of}},
    [REASON] = {"reason", {.type = PARQUET_TEXT, .text = reasons_of}},
    [END_REASON] = {"end_reason", {.type = PARQUET_TEXT, .text = reasons_of}},
    [STATE] = {"state", {.type = PARQUET_TEXT, .text = state_of}},
    [MODELLED] = {"modelled", {.type = PARQUET_BOOLEAN}},
    [SET_GUID] = {"set_guid", {.type = PARQUET_TEXT, .text = guid_of}},
    [CLOCK_UNCERTAINTY_NS] = {"clock_uncertainty_ns", {.type = PARQUET_UINT64, .optional = true}},
};

/* ---- columns --------------------------------------------------------------------------------- */

static void add_counter(struct parquet_file *file, const struct sink_context *context,
                        const struct tally_counter *counter)
{
    struct buffer name = {0};
    struct parquet_column column = {
        .type = counter->type == TALLY_DOUBLE ? PARQUET_DOUBLE : PARQUET_UINT64,
        .optional = true,
    };
    escape_put(&name, counter->symbol, strlen(counter->symbol));
    if (context->units && *counter->units) {
        buffer_text(&name, " [");
        escape_put(&name, counter->units, strlen(counter->units));
        buffer_text(&name, "]");
    }
    buffer_append(&name, "", 1);
    if (name.broken)
        file->broken = true;
    else
        parquet_add(file, column, name.bytes);
    buffer_fini(&name);
}

static void close_file(void *state)
{
    struct parquet *parquet = state;
    if (parquet)
        parquet_fini(&parquet->file);
    free(parquet);
}

static void *open_file(const struct sink_context *context, struct tally_error *error)
{
    struct parquet *parquet = calloc(1, sizeof *parquet);
    if (!parquet) {
        fail_memory(error, "columns");
        return NULL;
    }
    for (size_t i = 0; i < FIXED_COUNT; i++) {
        struct parquet_column column = fixed[i].column;
        column.closure = i == SET_GUID ? (const void *)context->set : context->info;
        parquet_add(&parquet->file, column, fixed[i].name);
    }
    for (size_t i = 0; i < context->counter_count; i++)
        add_counter(&parquet->file, context, &context->set->counters[context->counters[i]]);
    if (parquet->file.broken) {
        fail_memory(error, "columns");
        close_file(parquet);
        return NULL;
    }
    return parquet;
}

static void begin_deltas(struct output *output, const struct sink_context *context)
{
    struct parquet *parquet = context->state;
    parquet_begin(&parquet->file, output);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* A pipe's points arrive while it is read: those of a group are the ones known at its start. */
static void begin_group(struct parquet *parquet, const struct sink_context *context)
{
    const struct point_list *points = &context->recording->points;
    uint64_t hz = context->info->recorded.timestamp_hz;
    parquet->has_cpu_ns = points->count > 0;
    parquet->uncertainty_ns = scale_up_u64(points_uncertainty(points, hz), NS_PER_SECOND, hz);
}

static void put_optional(struct parquet_column *column, size_t row, bool has_value, uint64_t value)
{
    if (has_value)
        parquet_put(column, row, value);
    else
        parquet_skip(column, row);
}

static void put_head(struct parquet *parquet, const struct sink_context *context,
                     const struct tally_batch *batch, size_t i, size_t row)
{
    struct parquet_column *columns = parquet->file.columns;
    uint64_t start_ns = 0, end_ns = 0;
    bool has_cpu_ns = delta_cpu_ns(context, batch, i, &start_ns, &end_ns);
    parquet_put(&columns[INDEX], row, batch->first_index + i);
    put_optional(&columns[START_NS], row, has_cpu_ns, start_ns);
    put_optional(&columns[END_NS], row, has_cpu_ns, end_ns);
    parquet_put(&columns[GPU_START], row, batch->gpu_ticks[i]);
    parquet_put(&columns[GPU_END], row, batch->gpu_ticks[i + 1]);
    parquet_put(&columns[CONTEXT], row, batch->contexts[i]);
    parquet_put(&columns[REASON], row, batch->reasons[i]);
    parquet_put(&columns[END_REASON], row, batch->reasons[i + 1]);
    parquet_put(&columns[STATE], row, batch->states[i]);
    parquet_put(&columns[MODELLED], row, context->info->modelled);
    parquet_put(&columns[SET_GUID], row, 0);
    put_optional(&columns[CLOCK_UNCERTAINTY_NS], row, has_cpu_ns, parquet->uncertainty_ns);
}

/* Stores the values of a counter from delta `first` of the block on. */
static void put_counter(struct parquet_file *file, size_t index, const union tally_value *values,
                        enum tally_data_type type, const uint8_t *states, size_t count)
{
    struct parquet_column *column = &file->columns[FIXED_COUNT + index];
    for (size_t i = 0; i < count; i++) {
        bool has_value =
            values && states[i] == TALLY_STATE_OK && tally_value_is_defined(values[i], type);
        put_optional(column, file->rows + i, has_value, has_value ? values[i].u : 0);
    }
}

static void put_rows(struct parquet *parquet, const struct sink_context *context,
                     const struct tally_batch *batch, size_t start, size_t first, size_t count)
{
    struct parquet_file *file = &parquet->file;
    for (size_t i = 0; i < count; i++)
        put_head(parquet, context, batch, start + first + i, file->rows + i);
    for (size_t c = 0; c < context->counter_count;) {
        struct columns columns;
        columns_get(context, c, &columns);
        for (size_t i = 0; i < columns.count; i++)
            put_counter(file, c + i, columns.values[i] ? columns.values[i] + first : NULL,
                        columns.types[i], batch->states + start + first, count);
        c += columns.count;
    }
    file->rows += count;
}

static void deltas(struct output *output, const struct sink_context *context,
                   const struct tally_batch *batch, size_t start, size_t count)
{
    struct parquet *parquet = context->state;
    struct parquet_file *file = &parquet->file;
    for (size_t first = 0, part; first < count && !file->broken; first += part) {
        if (!file->rows)
            begin_group(parquet, context);
        part = min_size(count - first, file->rows_max - file->rows);
        put_rows(parquet, context, batch, start, first, part);
        if (file->rows == file->rows_max)
            parquet_end_group(file, output);
    }
}

/* ---- metadata -------------------------------------------------------------------------------- */

static void describe_number(struct parquet_file *file, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    parquet_describe(file, key, text);
}

/* Adds lines of JSON Lines as a text. */
static void describe_lines(struct parquet_file *file, const struct sink_context *context,
                           const char *key,
                           void (*put)(struct output *output, const struct sink_context *context))
{
    struct buffer text = {0};
    struct output *lines = output_to_memory(&text);
    file->broken |= !lines;
    if (!lines)
        return;
    put(lines, context);
    file->broken |= output_close(lines, NULL) < 0;
    buffer_append(&text, "", 1);
    file->broken |= text.broken;
    if (!file->broken)
        parquet_describe(file, key, text.bytes);
    buffer_fini(&text);
}

static void describe_escaped(struct parquet_file *file, const char *key, const char *text)
{
    struct buffer escaped = {0};
    escape_put(&escaped, text, strlen(text));
    buffer_append(&escaped, "", 1);
    file->broken |= escaped.broken;
    if (!escaped.broken)
        parquet_describe(file, key, escaped.bytes);
    buffer_fini(&escaped);
}

static void describe(struct parquet *parquet, const struct sink_context *context)
{
    struct parquet_file *file = &parquet->file;
    const struct tally_recording_info *info = context->info;
    struct tally_recording_totals totals = tally_recording_totals(context->recording);
    uint64_t hz = info->recorded.timestamp_hz;
    char device[DEVICE_TEXT_BYTES];
    begin_group(parquet, context);
    parquet_describe(file, "tally.version", tally_version());
    describe_escaped(file, "tally.file", info->path);
    describe_escaped(file, "tally.device", sink_device_title(device, info));
    describe_escaped(file, "tally.set", context->set->symbol);
    describe_escaped(file, "tally.set_guid", context->set->uuid);
    describe_number(file, "tally.timestamp_hz", hz);
    if (info->period_ticks)
        describe_number(file, "tally.period_ns", ticks_to_ns(info, info->period_ticks));
    if (parquet->has_cpu_ns)
        describe_number(file, "tally.clock_uncertainty_ns", parquet->uncertainty_ns);
    describe_number(file, "tally.lost_deltas", totals.lost_deltas);
    describe_number(file, "tally.missing_reports", totals.missing);
    if (context->fault)
        describe_escaped(file, "tally.error", context->fault);
    describe_lines(file, context, "tally.header", jsonl_header);
    describe_lines(file, context, "tally.ledger", jsonl_ledger);
    describe_lines(file, context, "tally.end", jsonl_totals);
}

static void end(struct output *output, const struct sink_context *context)
{
    struct parquet *parquet = context->state;
    describe(parquet, context);
    parquet_end(&parquet->file, output);
}

const struct sink sink_parquet = {
    .name = "parquet",
    .title = "for DuckDB, pandas, Spark",
    .one_worker = true,
    .open = open_file,
    .close = close_file,
    .begin_deltas = begin_deltas,
    .deltas = deltas,
    .end = end,
    .binary = true,
    .whole = true,
    .hides_losses = true,
};
