/* SPDX-License-Identifier: MIT */
/* Evaluates rings, and keeps what the rules want. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "base/clock.h"
#include "pipeline/pipeline.h"

/* ---- what /metrics shows --------------------------------------------------------------------- */

struct showing {
    struct serve_device *device;
    const struct tally_pipeline *pipeline;
};

/* Takes the values of a whole ring. Those that add up are added to the rings before. */
static void show_values(void *closure, const struct tally_group *group,
                        const struct tally_statistic *statistics)
{
    const struct showing *showing = closure;
    if (group->by != TALLY_BY_NOTHING || !showing->device)
        return;
    for (size_t i = 0; i < showing->device->counter_count; i++) {
        struct serve_counter *counter = &showing->device->counters[i];
        const struct tally_statistic *statistic = &statistics[showing->pipeline->counters[i]];
        bool defined = tally_value_is_defined(statistic->overall, statistic->type);
        double value = !defined                          ? (double)NAN
                       : statistic->type == TALLY_DOUBLE ? statistic->overall.f
                                                         : (double)statistic->overall.u;
        counter->value = value;
        if (defined)
            counter->overall = isnan(counter->overall) ? value : counter->overall + value;
    }
}

static void show_recording(struct serve_device *device, const struct tally_pipeline *pipeline)
{
    const struct tally_recording_info *info = tally_recording_info(pipeline->recording);
    struct tally_recording_totals totals = tally_recording_totals(pipeline->recording);
    const struct tally_loss *losses;
    size_t count = tally_recording_losses(pipeline->recording, &losses);
    struct serve_now *now = &device->now;
    now->state = SERVE_COUNTING;
    snprintf(now->set, sizeof now->set, "%.127s", info->recorded.set_name);
    now->sampled_ns = clock_ns(CLOCK_MONOTONIC);
    now->reports += totals.reports;
    now->missing += totals.missing;
    now->lost_deltas += totals.lost_deltas;
    for (size_t i = 0; i < count; i++)
        now->losses[losses[i].kind] += losses[i].records;
}

/* Shows the values of a ring, unless it is of an agent that was killed, and returns whether its
 * ledger has a loss. */
static int show_ring(struct agent *agent, const struct agent_ring *ring, bool *lost,
                     struct tally_error *error)
{
    bool is_shown = ring->device < agent->device_count;
    struct serve_device *device = is_shown ? agent->devices[ring->device].shown : NULL;
    struct tally_pipeline_options options = TALLY_PIPELINE_OPTIONS_INIT;
    struct tally_pipeline *pipeline;
    const struct tally_loss *losses;
    options.metrics = agent->config->metrics;
    options.threads = 1;
    int result = tally_pipeline_open(ring->path, &options, &pipeline, error);
    if (result < 0)
        return result;
    struct showing showing = {device, pipeline};
    if (is_shown) {
        pthread_mutex_lock(&device->lock);
        if (!counters_are_those(device, pipeline)) {
            counters_free(device);
            counters_copy(device, pipeline);
        }
    }
    result = tally_pipeline_summarize(pipeline, TALLY_BY_NOTHING, 0, show_values, &showing, error);
    *lost |= tally_recording_losses(pipeline->recording, &losses) > 0;
    if (is_shown) {
        show_recording(device, pipeline);
        pthread_mutex_unlock(&device->lock);
    }
    tally_pipeline_close(pipeline);
    return result;
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* Returns whether a condition is not met, or cannot be decided because of losses; or an error. */
static int check_fails(struct agent *agent, const char *path, struct tally_error *error)
{
    struct check_report *report;
    const struct agent_config *config = agent->config;
    struct check_options options = {.by = TALLY_BY_NOTHING};
    options.pipeline = (struct tally_pipeline_options)TALLY_PIPELINE_OPTIONS_INIT;
    options.pipeline.metrics = config->metrics;
    options.pipeline.threads = 1;
    if (config->budget)
        budget_set_options(config->budget, &options);
    if (!agent->check_count)
        return 0;
    int result = check_recording(path, agent->checks, agent->check_count, &options, &report, error);
    if (result < 0)
        return result;
    result = report->outcomes[TALLY_CHECK_PASSED] < report->count;
    check_report_free(report);
    return result;
}

/* Finds the first rule that wants a ring. Returns 1, 0 if there is none, or an error. */
static int judge(struct agent *agent, const struct agent_ring *ring, enum agent_kept *reason,
                 struct tally_error *error)
{
    const struct agent_config *config = agent->config;
    bool lost = ring->lost;
    int result = show_ring(agent, ring, &lost, error);
    if (result < 0)
        return result;
    *reason = KEPT_LOSS;
    if (lost && config->keep_losses)
        return 1;
    *reason = KEPT_CHECK;
    result = check_fails(agent, ring->path, error);
    if (result)
        return result;
    *reason = KEPT_SHARE;
    return config->keep_every && ring->number % config->keep_every == 0;
}

/* ---- the thread ------------------------------------------------------------------------------ */

/* Waits for a ring. Returns NULL if no more come. */
static struct agent_ring *next_ring(struct agent *agent)
{
    pthread_mutex_lock(&agent->lock);
    while (!agent->first && !agent->recorded)
        pthread_cond_wait(&agent->changed, &agent->lock);
    struct agent_ring *ring = agent->first;
    if (ring) {
        agent->first = ring->next;
        if (!agent->first)
            agent->last = &agent->first;
    }
    pthread_mutex_unlock(&agent->lock);
    return ring;
}

static void evaluate(struct agent *agent, const struct agent_ring *ring)
{
    struct tally_error error = {0};
    enum agent_kept reason = KEPT_LOSS;
    int result = judge(agent, ring, &reason, &error);
    if (result > 0)
        result = agent_keep(agent, ring->path, &error) < 0 ? error.code : 1;
    if (result < 0) {
        agent_drop(agent, result == -EDQUOT ? DROPPED_DISK : DROPPED_ERROR, 1);
        agent_say(agent, "%s: not kept: %s", ring->path, error.message);
    }
    pthread_mutex_lock(&agent->lock);
    agent->stats.kept[reason] += result > 0;
    if (ring->device < agent->device_count)
        agent->devices[ring->device].waits = false;
    pthread_cond_broadcast(&agent->changed);
    pthread_mutex_unlock(&agent->lock);
}

void *agent_evaluate(void *closure)
{
    struct agent *agent = closure;
    struct agent_ring *ring;
    while ((ring = next_ring(agent))) {
        evaluate(agent, ring);
        unlink(ring->path);
        free(ring);
    }
    return NULL;
}
