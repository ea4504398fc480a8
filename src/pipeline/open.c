/* SPDX-License-Identifier: MIT */
/* Opening a pipeline: recording, metric set, counters, program. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/expected.h"
#include "base/options.h"
#include "base/uuid.h"
#include "metrics/program.h"
#include "metrics/recorded_set.h"
#include "pipeline/pipeline.h"
#include "recording/reader.h"

/* The metric set of a bare stream, which does not name one; every platform has this set. */
#define DEFAULT_SET "RenderBasic"

#define PATTERN_MAX 256

/* Takes the next pattern of a list that is separated by commas. Returns false at its end. */
static bool next_pattern(const char **list, char pattern[PATTERN_MAX])
{
    size_t size = strcspn(*list, ",");
    if (!**list)
        return false;
    snprintf(pattern, PATTERN_MAX, "%.*s", (int)size, *list);
    *list += size + ((*list)[size] == ',');
    return true;
}

static bool matches(const char *pattern, const char *symbol)
{
    return !fnmatch(pattern, symbol, FNM_CASEFOLD);
}

static int fail_unmatched(const struct tally_pipeline *pipeline, const char *pattern,
                          struct tally_error *error)
{
    const struct tally_metric_set *set = pipeline->set;
    char expected[EXPECTED_BYTES], place[80];
    const char **symbols = calloc(set->counter_count + 1, sizeof *symbols);
    if (!symbols)
        return fail_memory(error, "counters");
    for (size_t i = 0; i < set->counter_count; i++)
        symbols[i] = set->counters[i].symbol;
    snprintf(place, sizeof place, "tally list counters %.40s", set->symbol);
    fail(error, -ENOENT, "no counter of %s matches \"%s\"%s", set->symbol, pattern,
         expected_word(expected, pattern, symbols, set->counter_count, place));
    free(symbols);
    return -ENOENT;
}

/* Picks the counters that match a pattern. Fails if none of the set does, or if these reports have
 * none of those that do. */
static int pick(const struct tally_pipeline *pipeline, const char *pattern, bool *picked,
                struct tally_error *error)
{
    const struct tally_metric_set *set = pipeline->set;
    size_t known = set->counter_count, count = 0;
    for (size_t i = 0; i < set->counter_count; i++) {
        if (!matches(pattern, set->counters[i].symbol))
            continue;
        known = i;
        if (tally_program_state(pipeline->program, i) == TALLY_COUNTER_OK) {
            picked[i] = true;
            count++;
        }
    }
    if (known == set->counter_count)
        return fail_unmatched(pipeline, pattern, error);
    if (!count)
        return fail(error, -ENOENT, "no counter of %s in these reports matches \"%s\": %s is %s",
                    set->symbol, pattern, set->counters[known].symbol,
                    tally_counter_state_name(tally_program_state(pipeline->program, known)));
    return 0;
}

/* Selects the counters that match the patterns and exist on this GPU and layout, in the order of
 * the set. */
static int pick_counters(struct tally_pipeline *pipeline, struct tally_error *error)
{
    const struct tally_metric_set *set = pipeline->set;
    const struct tally_pipeline_options *options = &pipeline->options;
    char pattern[PATTERN_MAX];
    int result = 0;
    bool *picked = calloc(set->counter_count + 1, sizeof *picked);
    pipeline->counters = calloc(set->counter_count + 1, sizeof *pipeline->counters);
    if (!pipeline->counters || !picked) {
        free(picked);
        return fail_memory(error, "counters");
    }
    for (size_t p = 0; p < options->counter_count; p++)
        for (const char *list = options->counters[p]; !result && next_pattern(&list, pattern);)
            result = pick(pipeline, pattern, picked, error);
    for (size_t i = 0; i < set->counter_count; i++)
        if (options->counter_count ? picked[i]
                                   : tally_program_state(pipeline->program, i) == TALLY_COUNTER_OK)
            pipeline->counters[pipeline->counter_count++] = i;
    free(picked);
    if (!result && !pipeline->counter_count)
        result = fail(error, -ENOENT,
                      "no counter of %s in these reports matches; see tally list counters %s",
                      set->symbol, set->symbol);
    return result;
}

int pipeline_program_new(const struct tally_pipeline *pipeline, struct tally_program **out,
                         struct tally_error *error)
{
    struct tally_environment environment;
    tally_environment_of(pipeline->info, &environment);
    return program_new_for(pipeline->set, &environment, pipeline->info->layout, pipeline->counters,
                           pipeline->counter_count, out, error);
}

/* Makes the set of what an NVIDIA GPU's recording has counted. */
static int use_recorded_set(struct tally_pipeline *pipeline, struct tally_error *error)
{
    const struct tally_metric_set *sets;
    int result = recorded_set_new(pipeline->info, &pipeline->own_set, error);
    if (result == 0 && tally_metric_file_sets(pipeline->own_set, &sets))
        pipeline->set = sets;
    return result;
}

static int find_set(struct tally_pipeline *pipeline, struct tally_error *error)
{
    const char *set_name = pipeline->options.set;
    const struct tally_recording_info *info = pipeline->info;
    const char *symbol = set_name ? set_name : info->recorded.set_name;
    const char *uuid = info->recorded.set_uuid;
    if (set_name)
        uuid = is_uuid(set_name, strlen(set_name)) ? set_name : NULL;
    if (info->signals && (!*symbol || !strcmp(symbol, RECORDED_SET)))
        return use_recorded_set(pipeline, error);
    if (!pipeline->catalog && !(pipeline->catalog = tally_catalog_new(pipeline->options.metrics)))
        return fail_memory(error, "metric sets");
    if (!*symbol && !(uuid && *uuid))
        symbol = DEFAULT_SET;
    int result = tally_catalog_find(pipeline->catalog, info->device.chipset, uuid, symbol,
                                    &pipeline->set, error);
    if (result == -ENOENT && !set_name) {
        /* The recording names a set that is not installed. */
        fail_in(error, "%s", info->path);
        if (error)
            error->code = -EBADMSG;
        return -EBADMSG;
    }
    if (!result && info->signals)
        result = recorded_set_check(info, pipeline->set, error);
    return result;
}

static int open_set(struct tally_pipeline *pipeline, struct tally_error *error)
{
    int result = find_set(pipeline, error);
    if (!result)
        result = pipeline_program_new(pipeline, &pipeline->program, error);
    if (!result)
        result = pick_counters(pipeline, error);
    if (!result && pipeline->options.counter_count) { /* compile only these */
        tally_program_free(pipeline->program);
        pipeline->program = NULL;
        result = pipeline_program_new(pipeline, &pipeline->program, error);
    }
    return result;
}

int pipeline_open_rest(struct tally_pipeline *pipeline, int result, struct tally_error *error)
{
    if (result < 0)
        return result;
    pipeline->info = tally_recording_info(pipeline->recording);
    return open_set(pipeline, error);
}

int pipeline_new(const struct tally_pipeline_options *options, struct tally_pipeline **out,
                 struct tally_error *error)
{
    struct tally_pipeline *pipeline = calloc(1, sizeof *pipeline);
    if (!pipeline)
        return fail_memory(error, "a pipeline");
    int result = options_copy(&pipeline->options, sizeof pipeline->options, options,
                              "tally_pipeline_options", error);
    if (!result && pipeline->options.threads > PIPELINE_WORKERS_MAX)
        result = fail(error, -EINVAL, "pipeline options: %u threads, expected at most %d",
                      pipeline->options.threads, PIPELINE_WORKERS_MAX);
    if (result < 0)
        free(pipeline);
    else
        *out = pipeline;
    return result;
}

int pipeline_finish_open(struct tally_pipeline *pipeline, int result, struct tally_pipeline **out)
{
    if (result < 0)
        tally_pipeline_close(pipeline);
    else
        *out = pipeline;
    return result;
}

int tally_pipeline_open(const char *path, const struct tally_pipeline_options *options,
                        struct tally_pipeline **out, struct tally_error *error)
{
    return pipeline_open_with(path, options, NULL, out, error);
}

int pipeline_open_with(const char *path, const struct tally_pipeline_options *options,
                       struct tally_catalog *catalog, struct tally_pipeline **out,
                       struct tally_error *error)
{
    struct tally_pipeline *pipeline;
    int result = pipeline_new(options, &pipeline, error);
    if (result < 0)
        return result;
    pipeline->catalog = catalog;
    pipeline->shares_catalog = catalog != NULL;
    result = tally_recording_open(path, pipeline->options.recording, &pipeline->recording, error);
    return pipeline_finish_open(pipeline, pipeline_open_rest(pipeline, result, error), out);
}

int pipeline_open_file(int fd, const char *name, const struct tally_pipeline_options *options,
                       struct tally_pipeline **out, struct tally_error *error)
{
    struct tally_pipeline *pipeline;
    int result = pipeline_new(options, &pipeline, error);
    if (result < 0) {
        close(fd);
        return result;
    }
    result =
        recording_open_file(fd, name, pipeline->options.recording, &pipeline->recording, error);
    return pipeline_finish_open(pipeline, pipeline_open_rest(pipeline, result, error), out);
}

int tally_pipeline_open_memory(const void *bytes, size_t size, const char *name,
                               const struct tally_pipeline_options *options,
                               struct tally_pipeline **out, struct tally_error *error)
{
    struct tally_pipeline *pipeline;
    int result = pipeline_new(options, &pipeline, error);
    if (result < 0)
        return result;
    result = tally_recording_open_memory(bytes, size, name, pipeline->options.recording,
                                         &pipeline->recording, error);
    return pipeline_finish_open(pipeline, pipeline_open_rest(pipeline, result, error), out);
}

int tally_pipeline_open_stream(tally_read_function *read, void *closure, const char *name,
                               const struct tally_pipeline_options *options,
                               struct tally_pipeline **out, struct tally_error *error)
{
    struct tally_pipeline *pipeline;
    int result = pipeline_new(options, &pipeline, error);
    if (result < 0)
        return result;
    pipeline->called = true;
    result = tally_recording_open_stream(read, closure, name, pipeline->options.recording,
                                         &pipeline->recording, error);
    return pipeline_finish_open(pipeline, pipeline_open_rest(pipeline, result, error), out);
}

/* ---- properties ------------------------------------------------------------------------------ */

void tally_pipeline_close(struct tally_pipeline *pipeline)
{
    if (!pipeline)
        return;
    iterator_fini(pipeline);
    tally_program_free(pipeline->program);
    if (!pipeline->shares_catalog)
        tally_catalog_free(pipeline->catalog);
    tally_metric_file_free(pipeline->own_set);
    tally_recording_close(pipeline->recording);
    feed_fini(&pipeline->feed);
    free(pipeline->counters);
    free(pipeline->name);
    free(pipeline);
}

struct tally_recording *tally_pipeline_recording(const struct tally_pipeline *pipeline)
{
    return pipeline->recording;
}

const struct tally_metric_set *tally_pipeline_set(const struct tally_pipeline *pipeline)
{
    return pipeline->set;
}

size_t tally_pipeline_counters(const struct tally_pipeline *pipeline, const size_t **out)
{
    *out = pipeline->counters;
    return pipeline->counter_count;
}

ptrdiff_t tally_pipeline_counter(const struct tally_pipeline *pipeline, const char *symbol)
{
    for (size_t i = 0; i < pipeline->counter_count; i++)
        if (!strcmp(pipeline->set->counters[pipeline->counters[i]].symbol, symbol))
            return (ptrdiff_t)pipeline->counters[i];
    return -ENOENT;
}

size_t pipeline_workers(const struct tally_pipeline *pipeline)
{
    size_t count = pipeline_worker_count(pipeline->info->size_bytes);
    unsigned limit = pipeline->called ? 1 : pipeline->options.threads;
    return limit && limit < count ? limit : count;
}

bool pipeline_may_read_ahead(const struct tally_pipeline *pipeline)
{
    return !pipeline->called && pipeline->options.threads != 1;
}
