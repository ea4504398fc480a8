/* SPDX-License-Identifier: MIT */
/* What a page contains: columns of numbers as base64, and a JSON object that describes them. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/minmax.h"
#include "base/ratio.h"
#include "metrics/program.h"
#include "sink/html.h"
#include "sink/json.h"

/* Bytes of all columns, before base64 makes four of three. */
#define COLUMNS_BYTES_MAX (16u << 20)

/* Contexts whose statistics are in the page: the longest ones. */
#define CONTEXTS_MAX 32

/* A source of a column: returns the number of a bucket. */
struct column_source {
    double (*number)(const struct column_source *source, size_t bucket);
    const struct sink_context *context;
    const struct page *page;
    size_t index;     /* of a counter or slot of the timeline */
    bool only_values; /* buckets without deltas that are OK have no number: the page knows them */
};

static const struct timeline_bucket *bucket_of(const struct column_source *source, size_t b)
{
    return &source->page->timeline->buckets[b];
}

double html_ns(const struct sink_context *context, uint64_t ticks)
{
    return (double)(ticks - context->origin_ticks) * (double)NS_PER_SECOND /
           (double)context->info->recorded.timestamp_hz;
}

static double start_of(const struct column_source *source, size_t b)
{
    return html_ns(source->context, bucket_of(source, b)->start_ticks);
}

static double end_of(const struct column_source *source, size_t b)
{
    return html_ns(source->context, bucket_of(source, b)->end_ticks);
}

static double lost_of(const struct column_source *source, size_t b)
{
    return bucket_of(source, b)->lost;
}

/* Returns the index among the page's contexts; NaN if no delta of the bucket has values. */
static double context_of(const struct column_source *source, size_t b)
{
    const struct timeline_bucket *bucket = bucket_of(source, b);
    const struct page *page = source->page;
    size_t others = 0;
    if (!bucket->deltas)
        return (double)NAN;
    for (size_t i = 0; i + 1 < page->groups.count; i++) { /* the last one is the total */
        uint64_t key = page->groups.groups[i].group.key;
        if (key == bucket->context)
            return (double)i;
        if (key == TALLY_KEY_OTHERS)
            others = i;
    }
    return (double)others;
}

static double mixed_of(const struct column_source *source, size_t b)
{
    return bucket_of(source, b)->mixed;
}

static const struct timeline_value *value_of(const struct column_source *source, size_t b)
{
    const struct timeline *timeline = source->page->timeline;
    return &timeline->values[source->index * timeline->capacity + b];
}

static double mean_of(const struct column_source *source, size_t b)
{
    return value_of(source, b)->mean;
}

static double minimum_of(const struct column_source *source, size_t b)
{
    return value_of(source, b)->minimum;
}

static double maximum_of(const struct column_source *source, size_t b)
{
    return value_of(source, b)->maximum;
}

static double sum_of(const struct column_source *source, size_t b)
{
    const struct timeline *timeline = source->page->timeline;
    return (double)timeline->sums[source->index * timeline->capacity + b];
}

static bool is_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Returns whether all numbers of a column are equal, and their value. */
static bool is_constant(const struct column_source *source, double *value)
{
    size_t count = source->page->timeline->count;
    bool found = false;
    *value = (double)NAN;
    for (size_t b = 0; b < count; b++) {
        if (source->only_values && !bucket_of(source, b)->deltas)
            continue;
        double number = source->number(source, b);
        if (found && !is_same(number, *value))
            return false;
        *value = number;
        found = true;
    }
    return true;
}

/* ---- base64 ---------------------------------------------------------------------------------- */

static void put_triple(char to[4], const uint8_t *bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 8 | bytes[2];
    for (int i = 0; i < 4; i++)
        to[i] = digits[bits >> (18 - 6 * i) & 63];
}

#define NUMBERS_AT_ONCE 384 /* bytes are a multiple of 3 */

/* Writes the numbers of a column as base64. Returns the number of characters. */
static size_t put_base64(struct output *output, const struct column_source *source)
{
    size_t count = source->page->timeline->count, written = 0;
    for (size_t from = 0; from < count; from += NUMBERS_AT_ONCE) {
        uint8_t bytes[NUMBERS_AT_ONCE * 8 + 2];
        size_t numbers = min_size(count - from, NUMBERS_AT_ONCE), size = 8 * numbers;
        for (size_t i = 0; i < numbers; i++) {
            double number = source->number(source, from + i);
            uint64_t bits;
            memcpy(&bits, &number, sizeof bits);
            for (unsigned j = 0; j < 8; j++)
                bytes[8 * i + j] = (uint8_t)(bits >> 8 * j);
        }
        memset(bytes + size, 0, 2);
        size_t triples = (size + 2) / 3, padding = 3 * triples - size;
        char *to = output_reserve(output, 4 * triples);
        for (size_t i = 0; i < triples; i++, to += 4)
            put_triple(to, bytes + 3 * i);
        memset(to - padding, '=', padding);
        output_keep(output, to);
        written += 4 * triples;
    }
    return written;
}

/* Writes a column and, to the header, what it is: a number if all are equal (null: all are
 * undefined), else its place in the data. */
static void put_column(struct output *output, struct output *header, struct page *page,
                       const struct column_source *source)
{
    double value;
    if (is_constant(source, &value)) {
        json_number(header, value);
        return;
    }
    size_t length = put_base64(output, source);
    output_text(output, "\n");
    output_printf(header, "[%zu,%zu]", page->data_size, length);
    page->data_size += length + 1;
}

/* The columns of a counter: of single deltas, the mean is the value. */
static const struct {
    const char *name;
    double (*number)(const struct column_source *source, size_t bucket);
} value_columns[] = {{"mean", mean_of}, {"minimum", minimum_of}, {"maximum", maximum_of}};

static size_t value_column_count(const struct timeline *timeline)
{
    return timeline->shift ? ARRAY_COUNT(value_columns) : 1;
}

/* Returns whether the equations read a slot of the timeline. */
static bool is_read(const struct sink_context *context, const struct timeline *timeline, size_t s)
{
    for (size_t i = 0; i < context->program->read_count; i++)
        if (context->program->reads[i].slot == timeline->slots[s])
            return true;
    return false;
}

/* Reduces the timeline until its columns have at most COLUMNS_BYTES_MAX. */
static void fit_columns(const struct sink_context *context, struct page *page)
{
    struct timeline *timeline = page->timeline;
    for (;;) {
        size_t columns = 6;
        double value;
        struct column_source source = {NULL, context, page, 0, true};
        for (source.index = 0; source.index < timeline->counter_count; source.index++)
            for (size_t i = 0; i < value_column_count(timeline); i++) {
                source.number = value_columns[i].number;
                columns += !is_constant(&source, &value);
            }
        source.number = sum_of;
        source.only_values = false;
        for (source.index = 0; source.index < timeline->slot_count; source.index++)
            columns += is_read(context, timeline, source.index) && !is_constant(&source, &value);
        size_t max = max_size(COLUMNS_BYTES_MAX / (columns * sizeof(double)), 1);
        if (timeline->count <= max)
            return; /* one at least, so this ends */
        timeline_reduce(timeline, (timeline->count + 1) / 2);
    }
}

/* ---- the header ------------------------------------------------------------------------------ */

static void put_device(struct output *header, const struct sink_context *context)
{
    const struct tally_recording_info *info = context->info;
    char device[DEVICE_TEXT_BYTES];
    output_text(header, "{\"version\":1,\"tally\":");
    json_text(header, tally_version());
    json_member(header, "file", info->path);
    json_member(header, "device", sink_device_title(device, info));
    output_printf(header, ",\"modelled\":%s", sink_modelled(info));
    json_member(header, "chipset", info->device.chipset);
    if (info->recorded.device_id)
        output_printf(header, ",\"device_id\":\"0x%04" PRIx32 "\"", info->recorded.device_id);
    if (!info->chipset)
        output_printf(header, ",\"slices\":%" PRIu32 ",\"subslices\":%" PRIu32 ",\"eus\":%" PRIu32,
                      info->topology.slices, info->topology.subslices, info->topology.eus);
    output_printf(header, ",\"layout\":\"%s/%s\",\"timestamp_hz\":%" PRIu64, info->layout->family,
                  info->layout->name, info->recorded.timestamp_hz);
    output_text(header, ",\"set\":{\"symbol\":");
    json_text(header, context->set->symbol);
    json_member(header, "name", context->set->name);
    json_member(header, "uuid", context->set->uuid);
    json_member(header, "file", context->set->file);
    output_text(header, "}");
    if (*info->recorded.set_uuid)
        json_member(header, "recorded_uuid", info->recorded.set_uuid);
    if (info->signals)
        output_printf(header, ",\"passes\":%u", info->signals->passes);
    if (info->provenance)
        json_member(header, "provenance", info->provenance);
}

static void put_totals(struct output *header, const struct sink_context *context,
                       const struct timeline *timeline)
{
    struct tally_recording_totals totals = tally_recording_totals(context->recording);
    uint64_t cpu_ns;
    output_printf(header,
                  ",\"reports\":%" PRIu64 ",\"lost\":%" PRIu64 ",\"missing_reports\":%" PRIu64
                  ",\"lost_deltas\":%" PRIu64,
                  totals.reports, totals.losses, totals.missing, totals.lost_deltas);
    output_text(header, ",\"duration_ns\":");
    json_number(header, html_ns(context, totals.last_ticks));
    output_text(header, ",\"from_ns\":");
    json_number(header, html_ns(context, context->from_ticks));
    output_text(header, ",\"to_ns\":");
    json_number(header, html_ns(context, context->to_ticks));
    if (totals.reports && !tally_recording_cpu_ns(context->recording, totals.first_ticks, &cpu_ns))
        output_printf(header, ",\"cpu_start_ns\":\"%" PRIu64 "\"", cpu_ns);
    if (timeline->period_ticks)
        output_printf(header, ",\"period_ns\":%" PRIu64,
                      ticks_to_ns(context->info, timeline->period_ticks));
    output_printf(header,
                  ",\"buckets\":%zu,\"deltas_per_bucket\":%" PRIu64 ",\"first_delta\":%" PRIu64
                  ",\"error\":",
                  timeline->count, UINT64_C(1) << timeline->shift, timeline->first_index);
    if (context->fault)
        json_text(header, context->fault);
    else
        output_text(header, "null");
}

static void put_losses(struct output *header, const struct sink_context *context)
{
    const struct tally_loss *losses;
    size_t count = tally_recording_losses(context->recording, &losses);
    const char *separator = "";
    output_text(header, ",\"losses\":[");
    for (size_t i = 0; i < count; i++) {
        const struct tally_loss *loss = &losses[i];
        uint64_t start, end;
        if (!sink_loss_range(context, loss, &start, &end))
            continue;
        output_printf(header, "%s\n{\"reason\":\"%s\",\"records\":%" PRIu64, separator,
                      tally_loss_kind_name(loss->kind), loss->records);
        separator = ",";
        if (loss->gpu_start) {
            output_text(header, ",\"start_ns\":");
            json_number(header, html_ns(context, loss->gpu_start));
        }
        if (loss->gpu_end) {
            output_text(header, ",\"end_ns\":");
            json_number(header, html_ns(context, loss->gpu_end));
        }
        if (loss->estimated)
            output_printf(header, ",\"reports\":%" PRIu64 ",\"exact\":%s", loss->estimated,
                          loss->exact ? "true" : "false");
        output_text(header, "}");
    }
    output_text(header, "]");
}

/* The workload of a modelled GPU: when its first phase began, which may be before the first report,
 * and how long each one takes. */
static void put_workload(struct output *header, const struct sink_context *context)
{
    const struct tally_recorded_phases *phases = context->info->phases;
    uint64_t origin = context->origin_ticks;
    if (!phases)
        return;
    output_text(header, ",\"workload\":{\"name\":");
    json_text(header, phases->workload);
    output_text(header, ",\"start_ns\":");
    json_number(header, phases->start_ticks >= origin
                            ? (double)ticks_to_ns(context->info, phases->start_ticks - origin)
                            : -(double)ticks_to_ns(context->info, origin - phases->start_ticks));
    output_text(header, ",\"phases_ns\":[");
    for (size_t i = 0; i < phases->count; i++)
        output_printf(header, "%s%" PRIu64, i ? "," : "", phases->durations_ns[i]);
    output_text(header, "]}");
}

static int compare_keys(const void *a, const void *b)
{
    const struct page_group *const *left = a, *const *right = b;
    uint64_t x = (*left)->group.ticks, y = (*right)->group.ticks;
    return x > y ? -1 : x < y;
}

/* The statistics of a counter in a page, in this order. */
static const char *const statistic_names[STATISTIC_COUNT] = {"overall", "minimum", "mean",   "p50",
                                                             "p95",     "p99",     "maximum"};

static void put_statistics(struct output *header, const struct sink_context *context,
                           const struct page_group *group)
{
    output_text(header, ",\"statistics\":[");
    for (size_t c = 0; c < context->counter_count; c++) {
        const struct tally_statistic *statistic = &group->statistics[context->counters[c]];
        double values[STATISTIC_COUNT];
        statistic_values(statistic, values);
        for (size_t i = 0; i < STATISTIC_COUNT; i++) {
            output_text(header, i ? "," : c ? ",[" : "[");
            json_number(header, values[i]);
        }
        output_text(header, "]");
    }
    output_text(header, "]");
}

static void put_group(struct output *header, const struct sink_context *context,
                      const struct page_group *group, bool with_statistics)
{
    char key[GROUP_TEXT_BYTES];
    group_text(key, context->info, &group->group);
    output_printf(header, "\n{\"by\":\"%s\",\"key\":", group_by_name(group->group.by));
    json_text(header, key);
    output_printf(header, ",\"deltas\":%" PRIu64 ",\"lost\":%" PRIu64 ",\"ns\":%" PRIu64,
                  group->group.deltas, group->group.lost,
                  ticks_to_ns(context->info, group->group.ticks));
    if (with_statistics && group->group.deltas)
        put_statistics(header, context, group);
    output_text(header, "}");
}

static void put_groups(struct output *header, const struct sink_context *context,
                       const struct page *page)
{
    const struct page_groups *groups = &page->groups;
    const struct page_group **longest = malloc((groups->count + 1) * sizeof *longest);
    if (!longest) {
        fail_memory(&header->error, "the contexts of a page");
        return;
    }
    for (size_t i = 0; i < groups->count; i++)
        longest[i] = &groups->groups[i];
    qsort(longest, groups->count, sizeof *longest, compare_keys);
    output_text(header, ",\"statistic_names\":");
    for (size_t i = 0; i < STATISTIC_COUNT; i++)
        output_printf(header, "%s\"%s\"", i ? "," : "[", statistic_names[i]);
    output_text(header, "],\"groups\":[");
    for (size_t i = 0; i < groups->count; i++) {
        bool shown = false;
        for (size_t l = 0; l < groups->count && l <= CONTEXTS_MAX; l++)
            shown |= longest[l] == &groups->groups[i];
        output_text(header, i ? "," : "");
        put_group(header, context, &groups->groups[i], shown);
    }
    for (size_t i = 0; i + 1 < page->phases.count; i++) {
        output_text(header, ",");
        put_group(header, context, &page->phases.groups[i], i < CONTEXTS_MAX);
    }
    output_text(header, "]");
    free(longest);
}

/* Lists the properties of the GPU that equations refer to. */
static void put_variables(struct output *header, const struct sink_context *context)
{
    bool first = true;
    char seen[4096] = " ";
    output_text(header, ",\"variables\":{");
    for (size_t i = 0; i < context->set->counter_count; i++) {
        const struct equation *equation = &context->program->equations[i].value;
        for (size_t n = 0; n < equation->count; n++) {
            char word[48];
            uint64_t value;
            if (equation->nodes[n].op != OP_VARIABLE)
                continue;
            snprintf(word, sizeof word, " %s ", equation->nodes[n].variable);
            if (strstr(seen, word) || strlen(seen) + sizeof word > sizeof seen ||
                tally_environment_get(&context->program->environment, equation->nodes[n].variable,
                                      &value) < 0)
                continue;
            strcat(seen, word + 1);
            output_text(header, first ? "" : ",");
            json_text(header, equation->nodes[n].variable);
            output_printf(header, ":\"%" PRIu64 "\"", value);
            first = false;
        }
    }
    output_text(header, "}");
}

static void put_counter(struct output *header, const struct sink_context *context, size_t index)
{
    const struct tally_counter *counter = &context->set->counters[index];
    output_text(header, "\n{\"symbol\":");
    json_text(header, counter->symbol);
    json_member(header, "name", counter->name);
    json_member(header, "description", counter->description);
    json_member(header, "units", counter->units);
    json_member(header, "group", counter->group);
    json_member(header, "equation", counter->equation);
    if (*counter->formula)
        json_member(header, "formula", counter->formula);
    output_printf(header, ",\"type\":\"%s\",\"state\":\"%s\"",
                  counter->type == TALLY_DOUBLE ? "float" : "uint64",
                  tally_counter_state_name(tally_program_state(context->program, index)));
}

/* All counters of the set, since equations refer to each other; the chosen ones with columns. */
static void put_counters(struct output *output, struct output *header,
                         const struct sink_context *context, struct page *page)
{
    output_text(header, ",\"counters\":[");
    for (size_t i = 0; i < context->set->counter_count; i++) {
        struct column_source source = {NULL, context, page, 0, true};
        output_text(header, i ? "," : "");
        put_counter(header, context, i);
        while (source.index < context->counter_count && context->counters[source.index] != i)
            source.index++;
        for (size_t v = 0;
             source.index < context->counter_count && v < value_column_count(page->timeline); v++) {
            source.number = value_columns[v].number;
            output_printf(header, ",\"%s\":", value_columns[v].name);
            put_column(output, header, page, &source);
        }
        if (source.index < context->counter_count)
            output_printf(header, ",\"chosen\":%zu", source.index);
        output_text(header, "}");
    }
    output_text(header, "]");
}

/* The raw counters that the equations read, by slot; and the first slot of each source. */
static void put_slots(struct output *output, struct output *header,
                      const struct sink_context *context, struct page *page)
{
    const struct tally_layout *layout = context->info->layout;
    bool has_a = tally_layout_width(layout, TALLY_SLOT_A) != 0;
    bool has_pec = tally_layout_width(layout, TALLY_SLOT_PEC) != 0;
    bool first = true;
    output_printf(header,
                  ",\"sources\":{\"A\":%d,\"B\":%d,\"C\":%d,\"GPU_TIME\":%d,\"GPU_CLOCK\":%d,"
                  "\"CLOCKS\":%d},\"slots\":{",
                  !has_a && has_pec ? TALLY_SLOT_PEC : TALLY_SLOT_A, TALLY_SLOT_B, TALLY_SLOT_C,
                  TALLY_SLOT_TIMESTAMP, TALLY_SLOT_TICKS, TALLY_SLOT_PEC);
    struct column_source source = {sum_of, context, page, 0, false};
    for (; source.index < page->timeline->slot_count; source.index++) {
        if (!is_read(context, page->timeline, source.index))
            continue;
        output_printf(header, "%s\"%u\":", first ? "" : ",", page->timeline->slots[source.index]);
        put_column(output, header, page, &source);
        first = false;
    }
    output_text(header, "}");
}

static void put_header(struct output *output, struct output *header,
                       const struct sink_context *context, struct page *page)
{
    static const struct {
        const char *name;
        double (*number)(const struct column_source *source, size_t bucket);
    } columns[] = {{"start_ns", start_of},
                   {"end_ns", end_of},
                   {"lost", lost_of},
                   {"context", context_of},
                   {"mixed", mixed_of}};
    put_device(header, context);
    put_totals(header, context, page->timeline);
    put_losses(header, context);
    html_put_pauses(header, context);
    html_put_marks(header, context);
    put_workload(header, context);
    put_groups(header, context, page);
    html_put_advice(header, context, page);
    output_text(header, ",\"columns\":{");
    for (size_t i = 0; i < ARRAY_COUNT(columns); i++) {
        const struct column_source source = {columns[i].number, context, page, 0, false};
        output_printf(header, "%s\"%s\":", i ? "," : "", columns[i].name);
        put_column(output, header, page, &source);
    }
    output_text(header, "}");
    put_counters(output, header, context, page);
    put_slots(output, header, context, page);
    put_variables(header, context);
    output_text(header, "}\n");
}

/* Copies JSON into HTML: "<" only occurs in strings, where it may be escaped. */
static void put_json_in_html(struct output *output, const struct buffer *json)
{
    for (size_t at = 0; at < json->size;) {
        const char *from = json->bytes + at;
        const char *next = memchr(from, '<', json->size - at);
        size_t plain = next ? (size_t)(next - from) : json->size - at;
        output_append(output, from, plain);
        if (next)
            output_text(output, "\\u003c");
        at += plain + (next != NULL);
    }
}

void html_put_contents(struct output *output, const struct sink_context *context, struct page *page)
{
    struct buffer json = {0};
    struct output *header = output_to_memory(&json);
    if (!header) {
        fail_memory(&output->error, "the header of a page");
        return;
    }
    fit_columns(context, page);
    put_header(output, header, context, page);
    output_text(output, html_page_text.parts[2]);
    if (output_close(header, &output->error) == 0)
        put_json_in_html(output, &json);
    buffer_fini(&json);
}
