/* SPDX-License-Identifier: MIT */
#include "sink/tests.h"

#define TIMER  (1u << 19)
#define SWITCH (1u << 22)
#define VALID  (1u << 16)

/* One report of the buffer; an id of 0 is a slot that did not land. */
static const struct {
    uint32_t id, time, context, ticks;
    uint64_t a1;
} reports[] = {
    {TIMER | VALID, 1000, 0x1000, 0, 0},
    {SWITCH | VALID, 2000, 0xbeef000, 500, 10},
    {TIMER, 3500, 0x1000, 900, 25}, /* no context: idle */
    {0, 0, 0, 0, 0},
    {TIMER | VALID, 9000, 0x1000, 4000, 125},
    {TIMER | VALID, 10000, 0x1000, 4100, UINT64_C(0x10000000080)}, /* 40 bits: 80h */
};

static void fill(struct results *results)
{
    const struct tally_layout *layout = tally_layout_find("skl/101");
    for (size_t i = 0; i < COUNT(reports); i++) {
        uint64_t slots[TALLY_SLOT_COUNT] = {0};
        slots[TALLY_SLOT_ID] = reports[i].id;
        slots[TALLY_SLOT_TIMESTAMP] = reports[i].time;
        slots[TALLY_SLOT_CONTEXT] = reports[i].context;
        slots[TALLY_SLOT_TICKS] = reports[i].ticks;
        slots[TALLY_SLOT_A + 1] = reports[i].a1;
        tally_report_pack(layout, slots, results->bytes + i * layout->size_bytes);
    }
}

struct results *results_new(const char *counters)
{
    static const char head[] = "<metrics><set name=\"The &quot;set&quot;\" symbol_name=\"Set\" "
                               "chipset=\"SKLGT2\" hw_config_guid=\"G\">";
    struct results *results = calloc(1, sizeof *results);
    size_t size = sizeof head + strlen(counters) + 40;
    char *text = malloc(size);
    const struct tally_metric_set *set;
    struct tally_environment environment;
    struct tally_error error = {0};
    const struct tally_platform *skl = tally_platform_find("skl");
    const struct tally_recording_options options = {.kind = TALLY_KIND_RAW,
                                                    .platform = skl,
                                                    .layout = tally_layout_find("skl/101"),
                                                    .timestamp_hz = 1000000000};
    assert_true(results && text);
    snprintf(text, size, "%s%s</set></metrics>", head, counters);
    if (tally_metric_file_load_memory(text, strlen(text), "set.xml", &results->file, &error) < 0)
        print_error("%s\n", error.message);
    free(text);
    assert_non_null(results->file);
    assert_int_equal(tally_metric_file_sets(results->file, &set), 1);
    fill(results);
    int result = tally_recording_open_memory(results->bytes, COUNT(reports) * 256, "raw \"file\"",
                                             &options, &results->recording, &error);
    if (result < 0)
        print_error("%s\n", error.message);
    assert_int_equal(result, 0);
    results->batch = tally_batch_new();
    assert_non_null(results->batch);
    assert_int_equal(tally_recording_read(results->recording, results->batch, &error), 1);
    assert_int_equal(results->batch->count, 5);
    tally_environment_default(skl, &environment);
    assert_int_equal(
        tally_program_new(set, &environment, options.layout, &results->program, &error), 0);
    assert_true(set->counter_count <= COUNT(results->counters));
    for (size_t i = 0; i < set->counter_count; i++)
        results->counters[i] = i;
    results->keys = calloc(set->counter_count + 1, sizeof *results->keys);
    assert_non_null(results->keys);
    results->context = (struct sink_context){
        .recording = results->recording,
        .info = tally_recording_info(results->recording),
        .program = results->program,
        .set = set,
        .counters = results->counters,
        .counter_count = set->counter_count,
        .origin_ticks = 1000,
        .keys = results->keys,
    };
    return results;
}

void results_free(struct results *results)
{
    for (size_t i = 0; i < results->context.counter_count; i++)
        buffer_fini(&results->keys[i]);
    free(results->keys);
    tally_program_free(results->program);
    tally_batch_free(results->batch);
    tally_recording_close(results->recording);
    tally_metric_file_free(results->file);
    free(results);
}

char *written_deltas(struct results *results, const struct sink *sink)
{
    struct buffer text = {0};
    struct output *output = output_to_memory(&text);
    assert_non_null(output);
    sink->begin_deltas(output, &results->context);
    tally_program_run(results->program, results->batch->reports, results->batch->count - 1);
    sink->deltas(output, &results->context, results->batch, 0, results->batch->count - 1);
    if (sink->end)
        sink->end(output, &results->context);
    assert_int_equal(output_close(output, NULL), 0);
    buffer_char(&text, '\0');
    return text.bytes;
}

struct writing {
    struct output *output;
    const struct sink *sink;
    const struct sink_context *context;
};

static void write_group(void *closure, const struct tally_group *group,
                        const struct tally_statistic *statistics)
{
    const struct writing *writing = closure;
    writing->sink->group(writing->output, writing->context, group, statistics);
}

char *written_groups(struct results *results, const struct sink *sink, enum tally_group_by by)
{
    struct buffer text = {0};
    struct output *output = output_to_memory(&text);
    struct writing writing = {output, sink, &results->context};
    struct tally_summary *summary =
        tally_summary_new(results->program, by, 2000, write_group, &writing);
    assert_true(output && summary);
    assert_int_equal(tally_summary_add_percentiles(summary), 0);
    sink->begin_groups(output, &results->context);
    tally_program_run(results->program, results->batch->reports, results->batch->count - 1);
    assert_int_equal(tally_summary_add(summary, results->batch, 0, results->batch->count - 1), 0);
    tally_summary_finish(summary);
    tally_summary_free(summary);
    if (sink->end)
        sink->end(output, &results->context);
    assert_int_equal(output_close(output, NULL), 0);
    buffer_char(&text, '\0');
    return text.bytes;
}
