/* SPDX-License-Identifier: MIT */
#include "agent/agent.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/clock.h"
#include "base/error.h"

/* Time for sending at the end. */
#define SENDING_NS (10 * NS_PER_SECOND)

void agent_say(const struct agent *agent, const char *format, ...)
{
    struct tally_error text;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text.message, sizeof text.message, format, arguments);
    va_end(arguments);
    agent->say(text.message);
}

void agent_set(struct agent *agent, bool *flag)
{
    pthread_mutex_lock(&agent->lock);
    *flag = true;
    pthread_cond_broadcast(&agent->changed);
    pthread_mutex_unlock(&agent->lock);
}

/* Waits until the flag is set, or the time has passed. */
static void wait_for(struct agent *agent, const bool *flag, uint64_t ns)
{
    uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + ns;
    const struct timespec end = timespec_of_ns(end_ns);
    pthread_mutex_lock(&agent->lock);
    while (!*flag && clock_ns(CLOCK_MONOTONIC) < end_ns)
        pthread_cond_timedwait(&agent->changed, &agent->lock, &end);
    pthread_mutex_unlock(&agent->lock);
}

void agent_sleep(struct agent *agent, uint64_t ns)
{
    wait_for(agent, &agent->stopping, ns);
}

void agent_drop(struct agent *agent, enum agent_dropped reason, uint64_t rings)
{
    pthread_mutex_lock(&agent->lock);
    agent->stats.dropped[reason] += rings;
    pthread_mutex_unlock(&agent->lock);
}

uint64_t agent_ring_bytes(const struct agent *agent)
{
    DIR *directory = opendir(agent->config->rings);
    struct dirent *file;
    struct stat status;
    uint64_t bytes = 0;
    while (directory && (file = readdir(directory)))
        if (fstatat(dirfd(directory), file->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(status.st_mode))
            bytes += (uint64_t)status.st_size;
    if (directory)
        closedir(directory);
    return bytes;
}

/* ---- time series ----------------------------------------------------------------------------- */

static void put_series(void *closure, bool open_metrics, struct buffer *to)
{
    static const char *const kept[] = {"loss", "check", "share"};
    static const char *const dropped[] = {"cpu", "disk", "busy", "error"};
    struct agent *agent = closure;
    pthread_mutex_lock(&agent->lock);
    struct agent_stats stats = agent->stats;
    pthread_mutex_unlock(&agent->lock);
    struct serve_series rows[16];
    size_t count = 0;
#define ROW(...) rows[count++] = (struct serve_series){__VA_ARGS__}
    ROW("tally_agent_recorded_rings", "rings recorded", true, NULL, (double)stats.recorded);
    for (size_t i = 0; i < AGENT_KEPT_REASONS; i++)
        ROW("tally_agent_kept_rings", "rings kept, by the first rule that applied", true, kept[i],
            (double)stats.kept[i]);
    ROW("tally_agent_uploaded_rings", "rings that the store has", true, NULL,
        (double)stats.uploaded);
    for (size_t i = 0; i < AGENT_DROPPED_REASONS; i++)
        ROW("tally_agent_dropped_rings", "rings not recorded, or not kept", true, dropped[i],
            (double)stats.dropped[i]);
    ROW("tally_agent_sent_bytes", "bytes sent to the store", true, NULL, (double)stats.sent_bytes);
    ROW("tally_agent_stored_bytes", "bytes of rings and of the spool", false, NULL,
        (double)(agent_ring_bytes(agent) + agent_spool_bytes(agent)));
    ROW("tally_agent_cpu_seconds", "processor time of the agent", true, NULL,
        (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID) * 1e-9);
#undef ROW
    serve_put_series(to, open_metrics, rows, count);
}

/* ---- devices --------------------------------------------------------------------------------- */

static int open_device(struct agent *agent, const char *name, struct tally_error *error)
{
    const struct agent_config *config = agent->config;
    struct agent_device *device = &agent->devices[agent->device_count];
    struct serve_device *shown = &agent->serve->devices[agent->device_count];
    bool is_model = name && !strncmp(name, "sim:", 4);
    struct tally_capture_device_options options = TALLY_CAPTURE_DEVICE_OPTIONS_INIT;
    if (is_model) {
        options.workload = config->workload;
        options.faults = config->faults;
        options.clock = config->free_clock ? TALLY_CAPTURE_FREE : TALLY_CAPTURE_WALL;
    }
    int result = tally_capture_open(name, &options, &device->capture, error);
    if (result < 0)
        return result;
    const struct tally_capture_info *info = tally_capture_info(device->capture);
    device->agent = agent;
    device->index = agent->device_count;
    device->shown = shown;
    shown->name = info->name;
    shown->now.modelled = info->modelled;
    snprintf(shown->now.title, sizeof shown->now.title, "%s", tally_device_title(&info->device));
    pthread_mutex_init(&shown->lock, NULL);
    agent->serve->device_count = ++agent->device_count;
    return 0;
}

static int open_devices(struct agent *agent, struct tally_error *error)
{
    const struct agent_config *config = agent->config;
    int result = config->device_count ? 0 : open_device(agent, NULL, error);
    for (size_t i = 0; !result && i < config->device_count; i++)
        result = open_device(agent, config->devices[i], error);
    return result;
}

static void close_devices(struct agent *agent)
{
    for (size_t i = 0; i < agent->device_count; i++) {
        counters_free(agent->devices[i].shown);
        pthread_mutex_destroy(&agent->devices[i].shown->lock);
        tally_capture_close(agent->devices[i].capture);
    }
}

/* ---- running --------------------------------------------------------------------------------- */

/* Joins the checks of the configuration and those of its budget. */
static int join_checks(struct agent *agent, struct tally_error *error)
{
    const struct agent_config *config = agent->config;
    size_t more = config->budget ? config->budget->count : 0;
    agent->checks = calloc(config->check_count + more + 1, sizeof *agent->checks);
    if (!agent->checks)
        return fail_memory(error, "checks");
    for (size_t i = 0; i < config->check_count; i++)
        agent->checks[agent->check_count++] = config->checks[i];
    for (size_t i = 0; i < more; i++)
        agent->checks[agent->check_count++] = config->budget->checks[i];
    return 0;
}

/* Makes the directory of rings, and locks it: another agent must not take its rings. */
static int lock_rings(struct agent *agent, struct tally_error *error)
{
    const char *path = agent->config->rings;
    if (mkdir(path, 0700) < 0 && errno != EEXIST)
        return fail(error, -errno, "%s: cannot create the directory: %s", path, strerror(errno));
    agent->rings_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (agent->rings_fd < 0)
        return fail(error, -errno, "%s: cannot open the directory: %s", path, strerror(errno));
    if (flock(agent->rings_fd, LOCK_EX | LOCK_NB) < 0)
        return errno == EWOULDBLOCK
                   ? fail(error, -EBUSY, "%s: another agent has its rings here", path)
                   : fail(error, -errno, "%s: cannot lock: %s", path, strerror(errno));
    return 0;
}

/* Makes a ring of a file that an agent has left which was killed. Its number precedes the suffix.
 */
static struct agent_ring *ring_left(const char *directory, const char *name)
{
    size_t size = strlen(directory) + strlen(name) + 2;
    struct agent_ring *ring = malloc(sizeof *ring + size);
    const char *dash = strrchr(name, '-');
    if (ring) {
        *ring = (struct agent_ring){.device = AGENT_DEVICES_MAX};
        while (dash > name && dash[-1] != '-') /* the suffix has one, too */
            dash--;
        ring->number = dash ? strtoull(dash, NULL, 10) : 0;
        snprintf(ring->path, size, "%s/%s", directory, name);
    }
    return ring;
}

/* Evaluates complete rings that an agent has left which was killed, and removes its other files. */
static void take_rings(struct agent *agent)
{
    DIR *directory = opendir(agent->config->rings);
    struct dirent *file;
    while (directory && (file = readdir(directory))) {
        const char *suffix = strstr(file->d_name, AGENT_RING_SUFFIX);
        struct agent_ring *ring = NULL;
        if (suffix && !strcmp(suffix, AGENT_RING_SUFFIX))
            ring = ring_left(agent->config->rings, file->d_name);
        else if (suffix)
            unlinkat(dirfd(directory), file->d_name, 0);
        if (!ring)
            continue;
        *agent->last = ring;
        agent->last = &ring->next;
    }
    if (directory)
        closedir(directory);
}

/* Serves or waits until the signal. */
static int wait_for_end(struct agent *agent, struct tally_error *error)
{
    struct pollfd stop = {.fd = agent->serve->stop_fd, .events = POLLIN};
    if (agent->serve->address)
        return serve_run(agent->serve, error);
    agent->serve->ready(agent->serve);
    while (poll(&stop, 1, -1) < 0 && errno == EINTR)
        continue;
    return 0;
}

/* Lets sending go on for some time; what is left stays in the spool. */
static void end_sending(struct agent *agent)
{
    wait_for(agent, &agent->sent, SENDING_NS);
    atomic_store(&agent->cancelled, true);
}

/* Runs the threads. Each ends when the one before it has nothing more for it. */
static int run_threads(struct agent *agent, struct tally_error *error)
{
    pthread_t evaluator, sender;
    size_t started = 0;
    int result = 0;
    if (pthread_create(&evaluator, NULL, agent_evaluate, agent))
        return fail(error, -EAGAIN, "cannot start a thread");
    bool has_sender = !pthread_create(&sender, NULL, agent_upload, agent);
    while (has_sender && started < agent->device_count &&
           !pthread_create(&agent->devices[started].thread, NULL, agent_record,
                           &agent->devices[started]))
        started++;
    result = started == agent->device_count ? wait_for_end(agent, error)
                                            : fail(error, -EAGAIN, "cannot start a thread");
    agent_set(agent, &agent->stopping);
    for (size_t i = 0; i < started; i++)
        tally_capture_stop(agent->devices[i].capture);
    for (size_t i = 0; i < started; i++)
        pthread_join(agent->devices[i].thread, NULL);
    agent_set(agent, &agent->recorded);
    pthread_join(evaluator, NULL);
    agent_set(agent, &agent->evaluated);
    if (has_sender) {
        end_sending(agent);
        pthread_join(sender, NULL);
    }
    return result;
}

int agent_run(const struct agent_config *config, int stop_fd, void (*say)(const char *message),
              void (*ready)(const struct serve *serve), struct tally_error *error)
{
    pthread_condattr_t monotonic;
    struct agent *agent = calloc(1, sizeof *agent);
    struct serve *serve = calloc(1, sizeof *serve);
    if (!agent || !serve) {
        free(agent);
        free(serve);
        return fail_memory(error, "an agent");
    }
    *agent = (struct agent){
        .config = config, .say = say, .serve = serve, .rings_fd = -1, .last = &agent->first};
    serve->address = config->listen_address;
    serve->port = config->listen_port;
    serve->local = true;
    serve->stop_fd = stop_fd;
    serve->ready = ready;
    serve->folder.fd = -1;
    serve->put_series = put_series;
    serve->closure = agent;
    pthread_mutex_init(&agent->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&agent->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    agent->started_ns = clock_ns(CLOCK_MONOTONIC);
    int result = join_checks(agent, error);
    if (!result)
        result = lock_rings(agent, error);
    if (!result)
        result = open_devices(agent, error);
    if (!result) {
        take_rings(agent);
        result = run_threads(agent, error);
    }
    close_devices(agent);
    if (agent->rings_fd >= 0)
        close(agent->rings_fd);
    pthread_cond_destroy(&agent->changed);
    pthread_mutex_destroy(&agent->lock);
    free(agent->checks);
    free(agent);
    free(serve);
    return result;
}
