/* SPDX-License-Identifier: MIT */
#include "store/load.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/ratio.h"
#include "metrics/phases.h"
#include "metrics/program.h"
#include "recording/source.h"
#include "store/import_write.h"

/* Read at once: what is packed then is still in the processor's cache. */
#define READ_BYTES (256u << 10)

/* Intervals of at most this number, with at least as many reports each on average, so that they
 * take little space beside the reports. */
#define INTERVALS_MAX        200
#define REPORTS_PER_INTERVAL 64

/* ---- what a thread keeps --------------------------------------------------------------------- */

int loader_init(struct loader *loader, const struct store_add_options *options)
{
    *loader = (struct loader){
        .options = options,
        .catalog = tally_catalog_new(options->metrics),
        .packer = packer_new(),
        .bytes = malloc(READ_BYTES),
    };
    if (loader->catalog && loader->packer && loader->bytes)
        return 0;
    loader_fini(loader);
    return -ENOMEM;
}

void loader_fini(struct loader *loader)
{
    tally_catalog_free(loader->catalog);
    packer_free(loader->packer);
    free(loader->bytes);
    *loader = (struct loader){0};
}

void loaded_fini(struct loaded *loaded)
{
    for (size_t g = 0; g < loaded->grouping_count; g++) {
        for (size_t i = 0; i < loaded->groups[g].count; i++)
            free(loaded->groups[g].groups[i].statistics);
        free(loaded->groups[g].groups);
    }
    if (loaded->pipeline)
        tally_pipeline_close(loaded->pipeline);
    else
        tally_recording_close(loaded->recording);
    *loaded = (struct loaded){0};
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Opens the recording with its metric set, or without it if there is none that can be used. */
static int open_input(struct loader *loader, const char *path, struct loaded *loaded)
{
    const struct store_add_options *options = loader->options;
    const struct tally_pipeline_options evaluation = {
        .size = sizeof evaluation,
        .set = options->set,
        .recording = options->recording,
        .threads = 1, /* the other processors have recordings of their own */
    };
    int result =
        pipeline_open_with(path, &evaluation, loader->catalog, &loaded->pipeline, &loaded->error);
    if (!result) {
        loaded->recording = tally_pipeline_recording(loaded->pipeline);
        return 0;
    }
    struct tally_error without;
    loaded->pipeline = NULL;
    if (tally_recording_open(path, options->recording, &loaded->recording, &without) < 0) {
        loaded->recording = NULL;
        return result; /* the error of a pipeline that cannot open the recording */
    }
    loaded->incomplete = loaded->error;
    loaded->error = (struct tally_error){0};
    return 0;
}

static void take_date(struct loader *loader, const char *path, struct loaded *loaded)
{
    if (loader->options->date)
        snprintf(loaded->date, sizeof loaded->date, "%s", loader->options->date);
    else
        store_file_date(path, loaded->date);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Packs the bytes of the recording. Returns 0, or an error in loaded->error. */
static int pack(struct loader *loader, const char *path, block_function *put, void *closure,
                struct loaded *loaded)
{
    const struct tally_recording_info *info = tally_recording_info(loaded->recording);
    struct source source;
    ptrdiff_t n = 0;
    int result = source_open(&source, path, false, &loaded->error);
    if (result < 0)
        return result;
    packer_begin(loader->packer, info->kind, info->layout->size_bytes, put, closure);
    while (!result && (n = source_read(&source, loader->bytes, READ_BYTES)) > 0)
        result = packer_add(loader->packer, loader->bytes, (size_t)n);
    if (n < 0)
        result = fail(&loaded->error, (int)n, "%s: cannot read at offset 0x%" PRIx64 ": %s", path,
                      source.position, source_reason(&source, (int)-n));
    if (!result)
        result = packer_end(loader->packer);
    if (result == -ENOMEM)
        fail_memory(&loaded->error, "a block");
    loaded->size_bytes = source.position;
    packer_hash(loader->packer, loaded->hash);
    source_close(&source);
    if (result && !loaded->error.code)
        loaded->error.code = result;
    return result;
}

/* ---- values ---------------------------------------------------------------------------------- */

static void take_group(void *closure, const struct tally_group *group,
                       const struct tally_statistic *statistics)
{
    struct loaded_groups *groups = closure;
    /* Intervals have a total, too: that of the recording. */
    if (group->by != groups->by && groups->by != TALLY_BY_CONTEXT)
        return;
    struct loaded_group *grown =
        array_grow(groups->groups, &groups->capacity, groups->count, sizeof *grown);
    size_t size = groups->counter_count * sizeof *statistics;
    struct tally_statistic *copy = malloc(size + 1);
    groups->groups = grown ? grown : groups->groups;
    if (!grown || !copy) {
        free(copy);
        groups->failed = true;
        return;
    }
    memcpy(copy, statistics, size);
    grown[groups->count++] = (struct loaded_group){*group, copy};
}

static struct loaded_groups *add_grouping(struct loaded *loaded, enum tally_group_by by,
                                          uint64_t width_ns)
{
    struct loaded_groups *groups = &loaded->groups[loaded->grouping_count++];
    *groups = (struct loaded_groups){
        .by = by,
        .width_ns = width_ns,
        .counter_count = tally_pipeline_set(loaded->pipeline)->counter_count,
    };
    return groups;
}

/* Returns how long the recording probably is, before its reports have been read; 0: unknown. */
static uint64_t expected_ns(struct loaded *loaded, uint64_t reports)
{
    const struct tally_recording_info *info = tally_recording_info(loaded->recording);
    const struct tally_correlation *points;
    uint64_t hz = info->recorded.timestamp_hz;
    uint64_t period_ns = scale_u64(info->period_ticks, NS_PER_SECOND, hz);
    if (period_ns)
        return reports < UINT64_MAX / period_ns ? reports * period_ns : 0;
    tally_recording_index(loaded->recording); /* which reads the whole file */
    size_t count = tally_recording_correlations(loaded->recording, &points);
    if (count > 1 && points[count - 1].gpu_ticks > points[0].gpu_ticks)
        return scale_u64(points[count - 1].gpu_ticks - points[0].gpu_ticks, NS_PER_SECOND, hz);
    return 0;
}

/* Adds the intervals, the shortest ones first, each ten times as long as those before. */
static void choose_intervals(struct loaded *loaded, uint64_t reports)
{
    uint64_t duration_ns = expected_ns(loaded, reports), width_ns = 1000;
    uint64_t hz = tally_recording_info(loaded->recording)->recorded.timestamp_hz;
    uint64_t max = reports / REPORTS_PER_INTERVAL;
    max = max > INTERVALS_MAX ? INTERVALS_MAX : max;
    while (width_ns < UINT64_MAX / 100 &&
           (duration_ns / width_ns > max || !scale_u64(width_ns, hz, NS_PER_SECOND)))
        width_ns *= 10;
    for (size_t i = 0; i < LOAD_WIDTHS_MAX && duration_ns / width_ns > 1; i++, width_ns *= 10)
        add_grouping(loaded, TALLY_BY_INTERVAL, width_ns);
}

static void evaluate(struct loaded *loaded, uint64_t reports)
{
    const struct tally_recording_info *info = tally_recording_info(loaded->recording);
    struct pipeline_groups groupings[ARRAY_COUNT(loaded->groups)];
    add_grouping(loaded, TALLY_BY_CONTEXT, 0);
    if (info->phases)
        add_grouping(loaded, TALLY_BY_PHASE, 0);
    if (!grouping_lacks(info, TALLY_BY_MARK))
        add_grouping(loaded, TALLY_BY_MARK, 0);
    choose_intervals(loaded, reports);
    for (size_t i = 0; i < loaded->grouping_count; i++)
        groupings[i] = (struct pipeline_groups){
            .by = loaded->groups[i].by,
            .interval_ticks =
                scale_u64(loaded->groups[i].width_ns, info->recorded.timestamp_hz, NS_PER_SECOND),
            .percentiles = loaded->groups[i].by != TALLY_BY_INTERVAL,
            .group = take_group,
            .closure = &loaded->groups[i],
        };
    int result = pipeline_summarize_all(loaded->pipeline, groupings, loaded->grouping_count,
                                        &loaded->incomplete);
    for (size_t i = 0; i < loaded->grouping_count; i++)
        if (loaded->groups[i].failed || result == -ENOMEM)
            fail_memory(&loaded->error, "the values of a recording");
}

/* Reads a recording without values to its end, for its losses. */
static void survey(struct loaded *loaded)
{
    struct tally_batch *batch = tally_batch_new();
    struct tally_error error = {0};
    if (!batch)
        fail_memory(&loaded->error, "a recording");
    while (batch && tally_recording_read(loaded->recording, batch, &error) > 0)
        continue;
    tally_batch_free(batch);
}

/* Counts the reports of blocks on their way. */
struct counting {
    block_function *put;
    void *closure;
    uint64_t rows;
};

static int count_block(void *closure, struct packed_block *block)
{
    struct counting *counting = closure;
    counting->rows += block->rows;
    return counting->put(counting->closure, block);
}

/* Whether the files are bare streams or raw buffers. */
static bool states_layout(const struct store_add_options *options)
{
    return options->recording && (options->recording->layout || options->recording->platform);
}

void load_recording(struct loader *loader, const char *path, block_function *put, void *closure,
                    struct loaded *loaded)
{
    struct counting counting = {put, closure, 0};
    *loaded = (struct loaded){0};
    if (!states_layout(loader->options) && (loaded->import = import_format_of(path))) {
        take_date(loader, path, loaded);
        return;
    }
    if (open_input(loader, path, loaded) < 0)
        return;
    take_date(loader, path, loaded);
    if (pack(loader, path, count_block, &counting, loaded) < 0)
        return;
    if (loaded->pipeline)
        evaluate(loaded, counting.rows);
    else
        survey(loaded);
}
