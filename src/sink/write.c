/* SPDX-License-Identifier: MIT */
/* Writes the results of a pipeline to an output. */
#include "sink/write.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/minmax.h"
#include "base/ratio.h"
#include "sink/info.h"
#include "sink/packets.h"
#include "sink/reports.h"
#include "sink/tracks.h"

/* Returns the context of a pipeline's results. The caller frees `keys`. */
static struct sink_context context_of(const struct writing *writing,
                                      const struct tally_pipeline *pipeline)
{
    return (struct sink_context){
        .recording = pipeline->recording,
        .info = pipeline->info,
        .program = pipeline->program,
        .set = pipeline->set,
        .counters = pipeline->counters,
        .counter_count = pipeline->counter_count,
        .fold_zeros = writing->fold_zeros,
        .units = writing->units,
        .input_count = 1,
        .keys = calloc(pipeline->counter_count + 1, sizeof(struct buffer)),
    };
}

static void free_keys(struct sink_context *context)
{
    for (size_t i = 0; context->keys && i < context->counter_count; i++)
        buffer_fini(&context->keys[i]);
    free(context->keys);
}

/* Sets the origin and the range of what is written. */
static void set_range(const struct writing *writing, struct sink_context *context)
{
    struct tally_recording_totals totals = tally_recording_totals(context->recording);
    uint64_t hz = context->info->recorded.timestamp_hz;
    uint64_t to_ticks = scale_up_u64(writing->to_ns, hz, NS_PER_SECOND);
    uint64_t length = totals.last_ticks - totals.first_ticks;
    context->origin_ticks = totals.first_ticks;
    context->from_ticks =
        totals.first_ticks + min_u64(scale_up_u64(writing->from_ns, hz, NS_PER_SECOND), length);
    context->to_ticks = totals.first_ticks + (to_ticks ? min_u64(to_ticks, length) : length);
}

/* Writes the ledger and totals. `result` is that of reading. */
static int finish(const struct writing *writing, struct sink_context *context, int result,
                  const struct tally_error *error)
{
    struct output *output = writing->output;
    if (output->error.code)
        return output->error.code;
    set_range(writing, context);
    context->fault = result < 0 ? error->message : NULL;
    if (writing->sink->end)
        writing->sink->end(output, context);
    output_flush(output);
    output->complete = !output->error.code;
    return result;
}

/* ---- groups ---------------------------------------------------------------------------------- */

struct sorted_counter;

struct grouped {
    const struct writing *writing;
    struct sink_context context;
    uint64_t count;         /* of groups so far */
    const size_t *counters; /* all of them, in the order of the set */
    size_t *sorted;         /* in the order of --sort; NULL: none */
    struct sorted_counter *order;
};

/* A counter and the value that it is sorted by. */
struct sorted_counter {
    size_t index;
    const char *units, *symbol;
    double value; /* NaN: last */
};

/* By unit, since values of different units cannot be compared; then by value, the highest first. */
static int compare_counters(const void *x, const void *y)
{
    const struct sorted_counter *a = x, *b = y;
    int order = strcmp(a->units, b->units);
    if (!order && isnan(a->value) != isnan(b->value))
        order = isnan(a->value) ? 1 : -1;
    if (!order && a->value != b->value)
        order = a->value > b->value ? -1 : 1;
    return order ? order : strcmp(a->symbol, b->symbol);
}

/* Sorts the counters of a group by --sort, and drops those beyond --top. */
static void sort_counters(struct grouped *grouped, const struct tally_statistic *statistics)
{
    const struct writing *writing = grouped->writing;
    struct sink_context *context = &grouped->context;
    size_t all = context->counter_count + context->hidden, shown = 0, of_unit = 0;
    const size_t *counters = grouped->counters;
    for (size_t i = 0; i < all; i++) {
        const struct tally_counter *counter = &context->set->counters[counters[i]];
        double values[STATISTIC_COUNT] = {0};
        if (writing->sort != SORT_BY_NAME)
            statistic_values(&statistics[counters[i]], values);
        grouped->order[i] =
            (struct sorted_counter){counters[i], counter->units, counter->symbol,
                                    writing->sort == SORT_BY_NAME ? 0 : values[writing->sort - 1]};
    }
    qsort(grouped->order, all, sizeof *grouped->order, compare_counters);
    for (size_t i = 0; i < all; i++) {
        bool same = i && !strcmp(grouped->order[i].units, grouped->order[i - 1].units);
        of_unit = same ? of_unit + 1 : 1;
        if (!writing->top || of_unit <= writing->top)
            grouped->sorted[shown++] = grouped->order[i].index;
    }
    context->counters = grouped->sorted;
    context->counter_count = shown;
    context->hidden = all - shown;
}

static bool is_too_many(const struct grouped *grouped)
{
    return grouped->writing->groups_max && grouped->count > grouped->writing->groups_max;
}

static void begin_groups(void *closure, uint64_t origin_ticks)
{
    struct grouped *grouped = closure;
    grouped->context.origin_ticks = origin_ticks;
    grouped->writing->sink->begin_groups(grouped->writing->output, &grouped->context);
}

static void put_group(void *closure, const struct tally_group *group,
                      const struct tally_statistic *statistics)
{
    struct grouped *grouped = closure;
    grouped->count++;
    if (is_too_many(grouped))
        return;
    if (grouped->sorted)
        sort_counters(grouped, statistics);
    grouped->writing->sink->group(grouped->writing->output, &grouped->context, group, statistics);
}

static int end_batch(void *closure)
{
    const struct grouped *grouped = closure;
    if (grouped->writing->flush)
        output_flush(grouped->writing->output);
    return is_too_many(grouped) ? -EFBIG : grouped->writing->output->error.code;
}

int write_groups(const struct writing *writing, struct tally_pipeline *pipeline,
                 enum tally_group_by by, uint64_t interval_ticks, struct tally_error *error)
{
    struct grouped grouped = {.writing = writing, .context = context_of(writing, pipeline)};
    uint64_t hz = pipeline->info->recorded.timestamp_hz;
    const struct pipeline_groups groups = {
        .by = by,
        .interval_ticks = interval_ticks,
        .percentiles = true,
        .from_ticks = scale_up_u64(writing->from_ns, hz, NS_PER_SECOND),
        .to_ticks = scale_up_u64(writing->to_ns, hz, NS_PER_SECOND),
        .begin = begin_groups,
        .group = put_group,
        .end_batch = end_batch,
        .closure = &grouped,
    };
    bool failed = !grouped.context.keys;
    if (writing->sort && !failed) {
        grouped.counters = pipeline->counters;
        grouped.context.by_unit = true;
        grouped.sorted = calloc(pipeline->counter_count + 1, sizeof *grouped.sorted);
        grouped.order = calloc(pipeline->counter_count + 1, sizeof *grouped.order);
        failed = !grouped.sorted || !grouped.order;
    }
    int result =
        failed ? fail_memory(error, "counters") : pipeline_summarize(pipeline, &groups, error);
    if (is_too_many(&grouped))
        result = fail(error, -EFBIG,
                      "%s: more than %" PRIu64 " groups, which end here; expected longer intervals",
                      pipeline->info->path, writing->groups_max);
    result = finish(writing, &grouped.context, result, error);
    grouped.context.counter_count += grouped.context.hidden;
    free_keys(&grouped.context);
    free(grouped.sorted);
    free(grouped.order);
    return result;
}

/* ---- deltas ---------------------------------------------------------------------------------- */

/* A worker that formats batches. */
struct formatter {
    const struct writing *writing;
    struct tally_program *program;
    struct sink_context context;     /* with the formatter's program */
    const struct tally_batch *batch; /* whose text is to be committed */
    struct tally_batch clipped;      /* by the range of --from and --to */
    uint64_t from_ticks, to_ticks;
    bool in_range; /* a delta in it has been written */
    bool begins;   /* calls begin() with its first batch */
    struct buffer text;
    struct output *output; /* to `text` */
};

/* Begins the output of an input. */
static void begin(const struct writing *writing, const struct sink_context *context)
{
    if (context->tracks)
        tracks_begin(context);
    writing->sink->begin_deltas(writing->output, context);
}

static int format_batch(void *worker, const struct pipeline_batch *input)
{
    struct formatter *formatter = worker;
    const struct tally_batch *batch = formatter->batch = input->reports;
    if (formatter->begins)
        begin(formatter->writing, &formatter->context);
    formatter->begins = false;
    if (!batch->first_index)
        formatter->context.origin_ticks =
            batch->gpu_ticks[0]; /* for sinks and ranges with one worker */
    if (formatter->from_ticks || formatter->to_ticks) {
        formatter->clipped = pipeline_clip(batch, formatter->context.origin_ticks,
                                           formatter->from_ticks, formatter->to_ticks);
        batch = formatter->batch = &formatter->clipped;
        if (!formatter->in_range)
            formatter->context.first_index = batch->count > 1 ? batch->first_index : UINT64_MAX;
        formatter->in_range |= batch->count > 1;
    }
    for (size_t start = 0, count;
         (count = pipeline_evaluate_block(formatter->program, batch, start)); start += count)
        formatter->writing->sink->deltas(formatter->output, &formatter->context, batch, start,
                                         count);
    output_flush(formatter->output);
    return formatter->output->error.code;
}

static int commit_text(void *worker)
{
    struct formatter *formatter = worker;
    const struct writing *writing = formatter->writing;
    output_bytes(writing->output, formatter->text.bytes, formatter->text.size);
    formatter->text.size = 0;
    if (writing->sink->in_order)
        writing->sink->in_order(writing->output, &formatter->context, formatter->batch);
    return writing->output->error.code;
}

static int open_formatters(const struct writing *writing, const struct tally_pipeline *pipeline,
                           const struct sink_context *context, struct formatter *formatters,
                           size_t count, struct tally_error *error)
{
    uint64_t hz = pipeline->info->recorded.timestamp_hz;
    for (size_t i = 0; i < count; i++) {
        struct formatter *formatter = &formatters[i];
        *formatter = (struct formatter){
            .writing = writing,
            .program = pipeline->program,
            .from_ticks = scale_up_u64(writing->from_ns, hz, NS_PER_SECOND),
            .to_ticks = scale_up_u64(writing->to_ns, hz, NS_PER_SECOND),
        };
        int result = i ? pipeline_program_new(pipeline, &formatter->program, error) : 0;
        if (result < 0)
            return result;
        formatter->context = *context;
        formatter->context.program = formatter->program;
        if (!(formatter->output = output_to_memory(&formatter->text)))
            return fail_memory(error, "an output");
        formatter->output->color = writing->output->color;
    }
    return 0;
}

static void close_formatters(struct formatter *formatters, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (formatters[i].output)
            output_close(formatters[i].output, NULL);
        buffer_fini(&formatters[i].text);
        if (i)
            tally_program_free(formatters[i].program);
    }
}

/* Evaluates and writes a pipeline whose context is ready. */
static int run_deltas(const struct writing *writing, struct tally_pipeline *pipeline,
                      struct sink_context *context, struct tally_error *error)
{
    struct pipeline_source source = source_of_recording(pipeline->recording);
    struct formatter formatters[PIPELINE_WORKERS_MAX] = {0};
    void *workers[PIPELINE_WORKERS_MAX];
    /* Only one worker for pipes, whose correlation points arrive while reading, and for a range. */
    bool single = !pipeline->info->size_bytes || writing->sink->one_worker || writing->from_ns ||
                  writing->to_ns;
    size_t count = single ? 1 : pipeline_workers(pipeline);
    /* Whether a pipe has correlation points is known when the first batch has arrived. */
    bool late = context->tracks && !pipeline->info->size_bytes;
    tally_recording_index(pipeline->recording);
    if (writing->sink->open && !(context->state = writing->sink->open(context, error)))
        return error->code;
    if (!late)
        begin(writing, context);
    int result = open_formatters(writing, pipeline, context, formatters, count, error);
    formatters[0].begins = late;
    for (size_t i = 0; i < count; i++)
        workers[i] = &formatters[i];
    if (!result) {
        const struct pipeline_run run = {
            .source = &source,
            .work = format_batch,
            .commit = commit_text,
            .workers = workers,
            .worker_count = count,
            .progress = pipeline->options.progress,
            .progress_closure = pipeline->options.progress_closure,
        };
        *error = (struct tally_error){0};
        result = pipeline_run(&run, error);
        if (result == -ENOMEM && !error->code)
            fail(error, -ENOMEM, "out of memory");
    }
    if (formatters[0].begins) /* no batch */
        begin(writing, context);
    result = finish(writing, context, result, error);
    close_formatters(formatters, count);
    if (writing->sink->close)
        writing->sink->close(context->state);
    return result;
}

struct delta_inputs {
    const struct writing *writing;
    struct tally_pipeline *const *pipelines;
    size_t count;
    struct sink_context *contexts;
    struct tracks *tracks;
};

struct delta_inputs *write_deltas_begin(const struct writing *writing,
                                        struct tally_pipeline *const *pipelines, size_t count,
                                        struct tally_error *error)
{
    struct delta_inputs *inputs = calloc(1, sizeof *inputs);
    bool made = inputs && (inputs->contexts = calloc(count, sizeof *inputs->contexts)) &&
                (inputs->tracks = calloc(count, sizeof *inputs->tracks));
    for (size_t i = 0; made && i < count; i++) {
        inputs->contexts[inputs->count++] = context_of(writing, pipelines[i]);
        inputs->contexts[i].input = i;
        inputs->contexts[i].input_count = count;
        if (writing->sink->in_order)
            inputs->contexts[i].tracks = &inputs->tracks[i];
        made = inputs->contexts[i].keys != NULL;
    }
    if (!made) {
        fail_memory(error, "counters");
        write_deltas_end(inputs);
        return NULL;
    }
    inputs->writing = writing;
    inputs->pipelines = pipelines;
    if (writing->sink->begin_inputs)
        writing->sink->begin_inputs(writing->output, inputs->contexts, count);
    return inputs;
}

int write_deltas_input(struct delta_inputs *inputs, size_t index, struct tally_error *error)
{
    inputs->pipelines[index]->is_read = true;
    return run_deltas(inputs->writing, inputs->pipelines[index], &inputs->contexts[index], error);
}

void write_deltas_end(struct delta_inputs *inputs)
{
    if (!inputs)
        return;
    if (inputs->writing && inputs->writing->sink->end_inputs)
        inputs->writing->sink->end_inputs(inputs->writing->output);
    for (size_t i = 0; i < inputs->count; i++)
        free_keys(&inputs->contexts[i]);
    free(inputs->contexts);
    free(inputs->tracks);
    free(inputs);
}

int write_deltas(const struct writing *writing, struct tally_pipeline *pipeline,
                 struct tally_error *error)
{
    struct delta_inputs *inputs = write_deltas_begin(writing, &pipeline, 1, error);
    int result = inputs ? write_deltas_input(inputs, 0, error) : -ENOMEM;
    write_deltas_end(inputs);
    return result;
}

/* ---- inputs without a metric set ------------------------------------------------------------- */

static int run_plain(const struct plain_input *input,
                     int (*work)(void *, const struct pipeline_batch *), void *worker,
                     struct tally_error *error)
{
    const struct pipeline_run run = {
        .source = &input->source,
        .work = work,
        .workers = &worker,
        .worker_count = 1,
        .ahead = true,
        .progress = input->progress,
        .progress_closure = input->progress_closure,
    };
    *error = (struct tally_error){0};
    int result = pipeline_run(&run, error);
    if (result == -ENOMEM && !error->code)
        fail(error, -ENOMEM, "out of memory");
    return result;
}

static int write_end(const struct writing *writing, const struct plain_input *input, int result,
                     const struct tally_error *error)
{
    struct sink_context context = {
        .recording = input->source.self,
        .info = tally_recording_info(input->source.self),
    };
    return finish(writing, &context, result, error);
}

struct decoding {
    const struct writing *writing;
    struct report_fields fields;
    enum tally_packet_format format;
};

static int put_reports(void *worker, const struct pipeline_batch *input)
{
    struct decoding *decoding = worker;
    const struct report_fields *fields = &decoding->fields;
    const struct tally_batch *batch = input->reports;
    struct output *output = decoding->writing->output;
    for (size_t i = batch->first_index ? 1 : 0; i < batch->count && !output->error.code; i++) {
        uint64_t slots[TALLY_SLOT_COUNT];
        char context[16], reasons[GROUP_TEXT_BYTES];
        tally_report_unpack(fields->info->layout, batch->reports[i], slots);
        context_text(context, fields->info, batch->contexts[i]);
        reasons_text(reasons, batch->reasons[i]);
        const struct raw_report report = {batch->first_index + i, batch->gpu_ticks[i], reasons,
                                          context, slots};
        decoding->writing->sink->reports->put(output, fields, &report);
    }
    return output->error.code;
}

int write_reports(const struct writing *writing, const struct plain_input *input,
                  struct tally_error *error)
{
    struct decoding decoding = {.writing = writing};
    struct report_fields *fields = &decoding.fields;
    fields->info = tally_recording_info(input->source.self);
    for (unsigned slot = TALLY_SLOT_INSTRUCTION; slot < TALLY_SLOT_COUNT; slot++)
        if (tally_layout_width(fields->info->layout, slot))
            fields->slots[fields->slot_count++] = slot;
    writing->sink->reports->begin(writing->output, fields);
    int result = run_plain(input, put_reports, &decoding, error);
    return write_end(writing, input, result, error);
}

static int survey_batch(void *worker, const struct pipeline_batch *input)
{
    return survey_add(worker, input->reports);
}

int write_info(const struct writing *writing, const struct plain_input *input,
               struct tally_error *error)
{
    const struct tally_recording_info *info = tally_recording_info(input->source.self);
    struct survey survey = {.layout = info->signals ? info->layout : NULL};
    int result = run_plain(input, survey_batch, &survey, error);
    const struct sink_context context = {
        .recording = input->source.self,
        .info = info,
        .origin_ticks = tally_recording_totals(input->source.self).first_ticks,
        .fault = result < 0 ? error->message : NULL,
    };
    writing->sink->info->put(writing->output, &context, &survey);
    output_flush(writing->output);
    survey_fini(&survey);
    return writing->output->error.code ? writing->output->error.code : result;
}

/* ---- record buffers -------------------------------------------------------------------------- */

static int put_packets(void *worker, const struct pipeline_batch *input)
{
    const struct decoding *decoding = worker;
    struct output *output = decoding->writing->output;
    decoding->writing->sink->packets->put(output, decoding->format, input->packets,
                                          input->packet_count);
    return output->error.code;
}

static int skip_packets(void *worker, const struct pipeline_batch *input)
{
    (void)worker;
    (void)input;
    return 0;
}

static int end_packets(const struct writing *writing, const struct tally_packets *packets,
                       int result, const struct tally_error *error)
{
    if (writing->output->error.code)
        return writing->output->error.code;
    if (writing->sink->packets->end)
        writing->sink->packets->end(writing->output, packets, result < 0 ? error->message : NULL);
    output_flush(writing->output);
    return result;
}

int write_packets(const struct writing *writing, const struct plain_input *input,
                  struct tally_error *error)
{
    const struct tally_packets *packets = input->source.self;
    struct decoding decoding = {.writing = writing, .format = tally_packets_format(packets)};
    writing->sink->packets->begin(writing->output, packets);
    int result = run_plain(input, put_packets, &decoding, error);
    return end_packets(writing, packets, result, error);
}

int write_packets_info(const struct writing *writing, const struct plain_input *input,
                       struct tally_error *error)
{
    const struct tally_packets *packets = input->source.self;
    int result = run_plain(input, skip_packets, NULL, error);
    writing->sink->packets->info(writing->output, packets);
    return end_packets(writing, packets, result, error);
}
