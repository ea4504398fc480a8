/* SPDX-License-Identifier: MIT */
/* Stores what is kept: in an SQLite store, or in the spool, from which a thread sends it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "base/clock.h"
#include "base/error.h"
#include "store/spool.h"

#define REQUEST_S    30
#define RETRY_MIN_NS NS_PER_SECOND
#define RETRY_MAX_NS (60 * NS_PER_SECOND)

/* Returns how many bytes the spool may have: all but those of rings. */
static uint64_t spool_max(const struct agent_config *config, size_t devices)
{
    return config->disk_bytes - (AGENT_RINGS_PER_DEVICE - 1) * config->ring_bytes * devices;
}

static int open_spool(const struct agent *agent, struct spool **spool, struct clickhouse_url *url,
                      struct tally_error *error)
{
    int result = clickhouse_parse_url(agent->config->store, url, error);
    return result < 0 ? result
                      : spool_open(agent->config->spool, url,
                                   spool_max(agent->config, agent->device_count), spool, error);
}

uint64_t agent_spool_bytes(const struct agent *agent)
{
    struct clickhouse_url url;
    struct tally_error error;
    struct spool *spool = NULL;
    size_t count;
    uint64_t bytes = 0;
    if (!clickhouse_is_url(agent->config->store))
        return 0;
    if (open_spool(agent, &spool, &url, &error) == 0 &&
        spool_usage(spool, &count, &bytes, &error) < 0)
        bytes = 0;
    spool_close(spool);
    return bytes;
}

/* ---- keeping --------------------------------------------------------------------------------- */

static void take_added(void *closure, const struct store_added *added)
{
    *(struct store_added *)closure = *added;
}

static int add_to_file(struct agent *agent, const char *path,
                       const struct store_add_options *options, struct store_added *added,
                       struct tally_error *error)
{
    struct store *store;
    int result = store_open(agent->config->store, STORE_CREATE, &store, error);
    if (result < 0)
        return result;
    result = store_add(store, &path, 1, options, take_added, added, error);
    store_close(store);
    if (!result && !added->error.code) {
        pthread_mutex_lock(&agent->lock);
        agent->stats.uploaded++;
        pthread_mutex_unlock(&agent->lock);
    }
    return result;
}

static int add_to_spool(struct agent *agent, const char *path,
                        const struct store_add_options *options, struct store_added *added,
                        struct tally_error *error)
{
    struct clickhouse_url url;
    struct spool *spool = NULL;
    char hash[64];
    int result = open_spool(agent, &spool, &url, error);
    if (!result)
        result = spool_add(spool, path, options, added, hash, error);
    spool_close(spool);
    agent_set(agent, &agent->waiting);
    return result;
}

int agent_keep(struct agent *agent, const char *path, struct tally_error *error)
{
    struct tally_recording_options recording = {.size = sizeof recording};
    const struct store_add_options options = {
        .metrics = agent->config->metrics, .recording = &recording, .threads = 1};
    struct store_added added = {0};
    int result = clickhouse_is_url(agent->config->store)
                     ? add_to_spool(agent, path, &options, &added, error)
                     : add_to_file(agent, path, &options, &added, error);
    if (!result && added.error.code) {
        *error = added.error;
        result = error->code;
    }
    return result;
}

/* ---- sending --------------------------------------------------------------------------------- */

static void on_sent(void *closure, const struct spool_sent *sent)
{
    struct agent *agent = closure;
    if (sent->error.code) {
        agent_say(agent, "%s; set aside", sent->error.message);
        return;
    }
    pthread_mutex_lock(&agent->lock);
    agent->stats.uploaded++;
    pthread_mutex_unlock(&agent->lock);
}

/* Waits until the spool has something new, the time has passed, or nothing more comes. Returns
 * whether more may come. */
static bool wait_for_work(struct agent *agent, uint64_t ns)
{
    uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + ns;
    const struct timespec end = timespec_of_ns(end_ns);
    pthread_mutex_lock(&agent->lock);
    while (!agent->evaluated && (ns || !agent->waiting) &&
           (!ns || clock_ns(CLOCK_MONOTONIC) < end_ns)) {
        if (ns)
            pthread_cond_timedwait(&agent->changed, &agent->lock, &end);
        else
            pthread_cond_wait(&agent->changed, &agent->lock);
    }
    agent->waiting = false;
    bool more = !agent->evaluated;
    pthread_mutex_unlock(&agent->lock);
    return more;
}

/* Sends until nothing more comes. After the end it tries once more, unless the server is away. */
static void send_all(struct agent *agent, struct spool *spool, struct clickhouse *clickhouse)
{
    uint64_t retry_ns = 0;
    bool more = true;
    do {
        struct tally_error error = {0};
        size_t left;
        int result = spool_send(spool, clickhouse, on_sent, NULL, agent, &left, &error);
        pthread_mutex_lock(&agent->lock);
        agent->stats.sent_bytes = clickhouse_sent_bytes(clickhouse);
        pthread_mutex_unlock(&agent->lock);
        if (result < 0 && result != -ECANCELED && !retry_ns)
            agent_say(agent, "%s; trying again", error.message);
        if (result < 0 && !more)
            break;
        retry_ns = result < 0 ? retry_ns * 2 : 0;
        if (result < 0 && retry_ns < RETRY_MIN_NS)
            retry_ns = RETRY_MIN_NS;
        retry_ns = retry_ns > RETRY_MAX_NS ? RETRY_MAX_NS : retry_ns;
        if (!more)
            break;
        more = wait_for_work(agent, retry_ns);
    } while (more || !retry_ns);
}

void *agent_upload(void *closure)
{
    struct agent *agent = closure;
    struct clickhouse_url url;
    struct clickhouse *clickhouse = NULL;
    struct spool *spool = NULL;
    struct tally_error error = {0};
    const struct clickhouse_limits limits = {.request_s = REQUEST_S,
                                             .bytes_per_s = agent->config->network_bytes,
                                             .cancelled = &agent->cancelled};
    if (!clickhouse_is_url(agent->config->store)) {
        agent_set(agent, &agent->sent);
        return NULL;
    }
    if (open_spool(agent, &spool, &url, &error) == 0 &&
        clickhouse_open(&url, &limits, &clickhouse, &error) == 0)
        send_all(agent, spool, clickhouse);
    else
        agent_say(agent, "%s", error.message);
    clickhouse_close(clickhouse);
    spool_close(spool);
    agent_set(agent, &agent->sent);
    return NULL;
}
