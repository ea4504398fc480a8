/* SPDX-License-Identifier: MIT */
/* Records rings on a device. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "base/clock.h"
#include "base/error.h"

static bool is_stopping(struct agent *agent)
{
    pthread_mutex_lock(&agent->lock);
    bool stopping = agent->stopping;
    pthread_mutex_unlock(&agent->lock);
    return stopping;
}

/* Makes a ring, whose path names the machine, the device, the time and the number. */
static struct agent_ring *new_ring(const struct agent_device *device)
{
    char host[64] = "", name[64], path[800];
    const char *slash = strrchr(device->shown->name, '/');
    struct agent_ring *ring = malloc(sizeof *ring + sizeof path);
    gethostname(host, sizeof host - 1);
    snprintf(name, sizeof name, "%s", slash ? slash + 1 : device->shown->name);
    for (char *c = name; *c; c++)
        *c = isalnum((unsigned char)*c) ? *c : '-';
    if (!ring)
        return NULL;
    *ring = (struct agent_ring){.device = device->index, .number = device->number};
    snprintf(ring->path, sizeof path, "%.400s/%s-%s-%" PRIu64 "-%" PRIu64 AGENT_RING_SUFFIX,
             device->agent->config->rings, host, name, clock_ns(CLOCK_REALTIME) / NS_PER_SECOND,
             device->number);
    return ring;
}

/* Records until the ring's time has passed, or recording stops. */
static int record(struct agent_device *device, struct agent_ring *ring, struct tally_error *error)
{
    const struct agent_config *config = device->agent->config;
    struct tally_capture_options options = TALLY_CAPTURE_OPTIONS_INIT;
    struct tally_error second = {0};
    options.metric_set = config->set;
    options.metrics = config->metrics;
    options.period_ns = config->period_ns;
    options.duration_ns = config->ring_ns;
    options.ring_bytes = config->ring_bytes;
    options.output = ring->path;
    int result = tally_capture_start(device->capture, &options, error);
    if (result < 0)
        return result;
    while ((result = tally_capture_step(device->capture, UINT64_MAX, error)) > 0)
        continue;
    if (tally_capture_finish(device->capture, &second) < 0 && !result) {
        *error = second;
        result = second.code;
    }
    const struct tally_capture_stats *stats = tally_capture_stats(device->capture);
    ring->lost = stats->missing || stats->report_lost || stats->buffer_lost || stats->counts_lost;
    return result;
}

/* Hands a ring over to the thread that evaluates. A device has one ring waiting at most. */
static void deliver(struct agent_device *device, struct agent_ring *ring)
{
    struct agent *agent = device->agent;
    pthread_mutex_lock(&agent->lock);
    agent->stats.recorded++;
    bool busy = device->waits && !agent->stopping;
    if (busy) {
        agent->stats.dropped[DROPPED_BUSY]++;
    } else {
        device->waits = true;
        *agent->last = ring;
        agent->last = &ring->next;
    }
    pthread_cond_broadcast(&agent->changed);
    pthread_mutex_unlock(&agent->lock);
    if (!busy)
        return;
    unlink(ring->path);
    free(ring);
}

/* Waits while the agent has used more than its share of a processor since it began. */
static void respect_cpu(struct agent *agent)
{
    const struct agent_config *config = agent->config;
    double used = (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    double wall = (double)(clock_ns(CLOCK_MONOTONIC) - agent->started_ns);
    double wait_ns = used / config->cpu_share - wall;
    if (config->cpu_share >= 1 || wait_ns <= 0)
        return;
    agent_drop(agent, DROPPED_CPU, 1 + (uint64_t)(wait_ns / (double)config->ring_ns));
    agent_sleep(agent, (uint64_t)wait_ns);
}

/* Returns whether another ring has space. */
static bool has_space(struct agent *agent)
{
    uint64_t used = agent_ring_bytes(agent) + agent_spool_bytes(agent);
    return used + agent->config->ring_bytes <= agent->config->disk_bytes;
}

void *agent_record(void *closure)
{
    struct agent_device *device = closure;
    struct agent *agent = device->agent;
    for (; !is_stopping(agent); device->number++) {
        struct tally_error error = {0};
        respect_cpu(agent);
        if (is_stopping(agent))
            break;
        if (!has_space(agent)) {
            agent_drop(agent, DROPPED_DISK, 1);
            agent_sleep(agent, agent->config->ring_ns);
            continue;
        }
        struct agent_ring *ring = new_ring(device);
        int result = ring ? record(device, ring, &error) : fail_memory(&error, "a ring");
        if (!result) {
            device->failed = false;
            deliver(device, ring);
            continue;
        }
        if (!device->failed)
            agent_say(agent, "%s: %s; trying again", device->shown->name, error.message);
        device->failed = true;
        agent_drop(agent, DROPPED_ERROR, 1);
        if (ring)
            unlink(ring->path);
        free(ring);
        agent_sleep(agent, agent->config->ring_ns);
    }
    return NULL;
}
