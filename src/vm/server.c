/* SPDX-License-Identifier: MIT */
#include "vm/server.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/minmax.h"
#include "vm/device.h"
#include "vm/monitor.h"
#include "vm/transport.h"

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)

/* Beyond this lag the guest is stopped. */
#define STOP_LAG_NS (2 * MS)
/* Waiting for a request: with work in progress, and without. */
#define BUSY_WAIT_NS (20 * US)
#define IDLE_WAIT_NS (1 * MS)
/* The longest slice of a fast model, in those of a slow one (struct vm_pace). */
#define MAX_SLICE 32
/* The guest's timer: how long its answer is waited for, and beyond which difference it is not that
 * of the guest's time: its firmware has not set it up, or has reset it. */
#define MAX_ANSWER_NS     (100 * MS)
#define MAX_CORRECTION_NS INT64_C(1000000000)
/* A driver accesses registers in bursts: after a request the next one is waited for without
 * sleeping, if there is another processor. */
#define SPIN_NS (50 * US)

/* The guest's ACPI timer, which is read while the guest is stopped: what it has counted says how
 * long the guest has run, more exactly than the monitor's events. */
struct guest_timer {
    unsigned requests; /* without an answer so far */
    bool known;
    uint32_t value;
    uint64_t total;    /* ticks since it was read first */
    int64_t origin_ns; /* how long the guest had run then, without the time that the GPU lost */
    uint64_t requested_at_ns;
    struct vm_line line; /* of the test protocol */
};

struct vm_server {
    struct vm_server_config config;
    struct vm_device *device;
    struct vm_link link;
    struct vm_monitor monitor;
    int qtest, stop;
    bool connected;         /* QEMU's sockets are */
    int own_qtest, own_qmp; /* connected by the server; -1: none */
    bool spins;
    uint64_t start_ns;                     /* wall clock when the guest's time was 0 */
    uint64_t stopped_at_ns, resumed_at_ns; /* latest */
    struct guest_timer timer;
    uint64_t slice_ns;        /* of the GPU: run before requests are looked at again */
    uint64_t served_at_ns;    /* wall clock at the latest request */
    uint64_t caught_up_at_ns; /* wall clock when the GPU last caught up before a request */
    int64_t spare_ns;         /* for how long it might have gone on then; below 0: it took longer */
    struct vm_server_stats stats;
};

static void note(const struct vm_server *server, const char *text)
{
    if (server->config.note)
        server->config.note(server->config.closure, text);
}

/* ---- events of the device -------------------------------------------------------------------- */

static void message(void *closure, uint64_t address, uint32_t data)
{
    struct vm_server *server = closure;
    if (server->qtest >= 0 && vm_qtest_write(server->qtest, address, data) == 0)
        return;
    if (!server->stats.lost_messages++)
        note(server, "an interrupt is lost: no connection to QEMU's -qtest socket");
}

static void hear_note(void *closure, const char *text)
{
    note(closure, text);
}

/* ---- time ------------------------------------------------------------------------------------ */

static uint64_t gpu_ns(const struct vm_server *server)
{
    return server->device->calls->now(server->device);
}

/* Whether the guest is stopped, and no command to continue has been sent. */
static bool stands_still(enum vm_machine machine)
{
    return machine == VM_STOPPED || machine == VM_HELD;
}

static bool is_stopped(enum vm_machine machine)
{
    return stands_still(machine) || machine == VM_CONTINUING;
}

/* Returns the time of the guest: the wall clock, slowed down, without the time that it was stopped.
 */
static uint64_t guest_ns(const struct vm_server *server, uint64_t wall)
{
    if (is_stopped(server->monitor.machine))
        wall = server->stopped_at_ns;
    return (wall - server->start_ns) / server->config.slow;
}

static uint64_t lag_ns(const struct vm_server *server, uint64_t wall)
{
    uint64_t guest = guest_ns(server, wall), now = gpu_ns(server);
    return guest > now ? guest - now : 0;
}

/* Runs the GPU for one slice, or for `lag` if that is shorter. A slice becomes longer while the
 * model is fast, and shorter again when it is not: many short ones would cost more than the model
 * itself.
 */
static void run_slice(struct vm_server *server, uint64_t lag)
{
    const struct vm_device_calls *calls = server->device->calls;
    uint64_t slice = min_u64(lag, server->slice_ns), limit = calls->pace.slice_ns;
    uint64_t begin = clock_ns(CLOCK_MONOTONIC);
    calls->run(server->device, slice);
    uint64_t took = clock_ns(CLOCK_MONOTONIC) - begin;
    if (took > limit)
        server->slice_ns = max_u64(server->slice_ns / 2, limit);
    else if (took < limit / 2 && slice == server->slice_ns)
        server->slice_ns = min_u64(2 * slice, MAX_SLICE * limit);
}

/* Runs the GPU for one slice if it is behind. Returns its lag. */
static uint64_t advance(struct vm_server *server)
{
    uint64_t lag = lag_ns(server, clock_ns(CLOCK_MONOTONIC)), slice = server->slice_ns;
    if (lag)
        run_slice(server, lag);
    return lag > slice ? lag_ns(server, clock_ns(CLOCK_MONOTONIC)) : 0;
}

/* Returns for how long to catch up before a request. A model that falls behind does so for half of
 * the time, so that its guest can run. */
static int64_t catch_up_limit(struct vm_server *server, uint64_t now)
{
    const struct vm_pace *pace = &server->device->calls->pace;
    int64_t limit = (int64_t)(pace->catch_up_ns * server->config.slow);
    server->spare_ns += (int64_t)(now - server->caught_up_at_ns);
    if (!pace->falls_behind || server->spare_ns > limit)
        server->spare_ns = limit;
    return server->spare_ns;
}

/* Runs the GPU up to the present, if that does not take too long. */
static void catch_up(struct vm_server *server)
{
    uint64_t begin = clock_ns(CLOCK_MONOTONIC), now = begin, lag;
    int64_t limit = catch_up_limit(server, begin);
    while ((lag = lag_ns(server, begin)) && (int64_t)(now - begin) < limit) {
        run_slice(server, lag);
        now = clock_ns(CLOCK_MONOTONIC);
    }
    server->spare_ns -= (int64_t)(now - begin);
    server->caught_up_at_ns = now;
}

/* The clock of the guest cannot be stopped: the GPU loses the time. */
static void lose_time(struct vm_server *server, uint64_t lag)
{
    uint64_t lost = lag - server->device->calls->pace.max_lag_ns;
    server->start_ns += lost * server->config.slow;
    server->timer.origin_ns -= (int64_t)lost;
    server->stats.lost_ns += lost;
}

/* Returns how long the guest has run by its timer, when that was read. */
static int64_t timer_ns(const struct guest_timer *timer)
{
    return timer->origin_ns + (int64_t)scale_u64(timer->total, NS_PER_SECOND, VM_TIMER_HZ);
}

/* Corrects the guest's time by its timer. */
static void read_timer(struct vm_server *server, uint32_t value)
{
    struct guest_timer *timer = &server->timer;
    int64_t ran = (int64_t)guest_ns(server, server->stopped_at_ns); /* by the monitor's events */
    bool exists = !(value >> VM_TIMER_BITS);
    if (exists && timer->known) {
        int64_t passed = ran - timer_ns(timer);
        uint64_t ticks = scale_u64(passed > 0 ? (uint64_t)passed : 0, VM_TIMER_HZ, NS_PER_SECOND);
        /* It wraps: what it has counted is the nearest to the estimate. */
        uint64_t error = (ticks - (value - timer->value)) & low_bits(VM_TIMER_BITS);
        timer->total += ticks - error + (error >> (VM_TIMER_BITS - 1) << VM_TIMER_BITS);
        int64_t excess = ran - timer_ns(timer);
        exists = excess > -MAX_CORRECTION_NS && excess < MAX_CORRECTION_NS;
        server->start_ns += exists ? (uint64_t)(excess * (int64_t)server->config.slow) : 0;
    }
    if (!timer->known || !exists) {
        timer->total = 0;
        timer->origin_ns = ran;
    }
    timer->known = !(value >> VM_TIMER_BITS);
    timer->value = value;
}

/* Requests the timer of a guest that has stopped. The guest does not wait for long: an answer that
 * comes later is not that of a guest that stands still. */
static void request_timer(struct vm_server *server)
{
    struct guest_timer *timer = &server->timer;
    timer->requests += server->qtest >= 0 && vm_qtest_request_timer(server->qtest) == 0;
    timer->requested_at_ns = clock_ns(CLOCK_MONOTONIC);
}

/* Whether the guest can continue: its timer has been read, or there is none. */
static bool is_timer_read(const struct vm_server *server, uint64_t wall)
{
    return !server->timer.requests || wall - server->timer.requested_at_ns > MAX_ANSWER_NS;
}

/* Stops the guest when the model is behind, and lets it continue when it is not. */
static int steer(struct vm_server *server, struct tally_error *error)
{
    uint64_t wall = clock_ns(CLOCK_MONOTONIC), lag = lag_ns(server, wall);
    bool can_stop = server->config.clock == VM_CLOCK_GUEST && server->monitor.fd >= 0;
    if (!can_stop || server->monitor.machine == VM_NEGOTIATING) {
        if (lag > server->device->calls->pace.max_lag_ns)
            lose_time(server, lag);
        return 0;
    }
    if (server->monitor.machine == VM_RUNNING && lag > STOP_LAG_NS)
        return vm_monitor_stop(&server->monitor, error);
    if (server->monitor.machine == VM_STOPPED && !lag && is_timer_read(server, wall))
        return vm_monitor_continue(&server->monitor, error);
    return 0;
}

/* ---- requests -------------------------------------------------------------------------------- */

/* Connects to QEMU's sockets, which exist when it has sent its first message. */
static int connect_sockets(struct vm_server *server, struct tally_error *error)
{
    const struct vm_server_config *config = &server->config;
    server->connected = true;
    if (server->qtest < 0 && config->qtest) {
        server->own_qtest = vm_connect(config->qtest, "-qtest socket", error);
        if (server->own_qtest < 0)
            return server->own_qtest;
        server->qtest = server->own_qtest;
    }
    if (server->monitor.fd < 0 && config->qmp) {
        server->own_qmp = vm_connect(config->qmp, "-qmp socket", error);
        if (server->own_qmp < 0)
            return server->own_qmp;
        vm_monitor_open(&server->monitor, server->own_qmp);
    }
    return 0;
}

static int serve(struct vm_server *server, struct vm_request *request, struct tally_error *error)
{
    uint64_t begin = clock_ns(CLOCK_MONOTONIC), value = 0;
    int result = server->connected ? 0 : connect_sockets(server, error);
    if (server->device->calls->depends_on_time(server->device, request))
        catch_up(server);
    if (result == 0)
        result = vm_device_serve(server->device, request, &value, error);
    if (result == 0)
        result = server->link.transport->answer(&server->link, request, value, error);
    vm_request_close(request);
    server->served_at_ns = clock_ns(CLOCK_MONOTONIC);
    server->stats.requests++;
    server->stats.served_ns += server->served_at_ns - begin;
    return result;
}

/* Serves the requests that have arrived. Returns an outcome of receive(), VM_LINK_PENDING when none
 * is left, or a negative errno. */
static int serve_all(struct vm_server *server, struct tally_error *error)
{
    struct vm_request request;
    int result;
    while ((result = server->link.transport->receive(&server->link, &request, error)) ==
           VM_LINK_REQUEST) {
        result = serve(server, &request, error);
        if (result < 0)
            return result == -EPIPE ? VM_LINK_CLOSED : result;
    }
    return result;
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* Returns how long to wait for a request. `lag`: of the model. */
static uint64_t wait_ns(const struct vm_server *server, uint64_t lag)
{
    if (lag || (server->spins && clock_ns(CLOCK_MONOTONIC) - server->served_at_ns < SPIN_NS))
        return 0;
    return server->device->calls->is_idle(server->device) ? IDLE_WAIT_NS : BUSY_WAIT_NS;
}

/* The guest has resumed, at the time of the monitor's event, or now if there is none. */
static void end_stop(struct vm_server *server, uint64_t now)
{
    struct vm_monitor *monitor = &server->monitor;
    server->resumed_at_ns =
        max_u64(monitor->resume_ns ? monitor->resume_ns : now, server->stopped_at_ns);
    server->start_ns += server->resumed_at_ns - server->stopped_at_ns;
    server->stats.stopped_ns += server->resumed_at_ns - server->stopped_at_ns;
    vm_monitor_forget(monitor);
}

/* Notes when the guest stopped, and when it resumed. Both are earlier than the monitor's messages
 * are read: without their times the GPU would gain on the guest at each stop. */
static void note_stops(struct vm_server *server, enum vm_machine before)
{
    struct vm_monitor *monitor = &server->monitor;
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    bool stopped = is_stopped(before);
    if (!stopped && (monitor->stop_ns || is_stopped(monitor->machine))) {
        server->stopped_at_ns =
            max_u64(monitor->stop_ns ? monitor->stop_ns : now, server->resumed_at_ns);
        stopped = true;
    }
    if (stopped && monitor->machine == VM_RUNNING)
        end_stop(server, now);
}

/* QEMU has closed its monitor, since it ends; the link is closed, too. */
static void lose_monitor(struct vm_server *server)
{
    if (is_stopped(server->monitor.machine))
        end_stop(server, clock_ns(CLOCK_MONOTONIC));
    server->monitor.fd = -1;
    server->monitor.machine = VM_NEGOTIATING;
}

/* Reads what QEMU's sockets have sent. */
static int read_sockets(struct vm_server *server, struct tally_error *error)
{
    uint32_t timer;
    int answer = server->qtest >= 0 ? vm_qtest_read(server->qtest, &server->timer.line, &timer) : 0;
    if (answer < 0) {
        server->qtest = -1;
        server->timer.requests = 0;
    } else if (answer) {
        server->timer.requests -= min_u32(server->timer.requests, (uint32_t)answer);
        if (!server->timer.requests && stands_still(server->monitor.machine))
            read_timer(server, timer);
    }
    if (server->monitor.fd < 0)
        return 0;
    enum vm_machine before = server->monitor.machine;
    int result = vm_monitor_read(&server->monitor, error);
    note_stops(server, before);
    if (!is_stopped(before) && is_stopped(server->monitor.machine))
        request_timer(server);
    if (result != -EPIPE)
        return result;
    lose_monitor(server);
    return 0;
}

/* Waits for a request and for QEMU's sockets. Returns 0, 1 if the run shall end, or an errno. */
static int wait_for_events(struct vm_server *server, uint64_t ns, struct tally_error *error)
{
    struct pollfd polled[] = {{server->link.fd, POLLIN, 0},
                              {server->stop, POLLIN, 0},
                              {server->qtest, POLLIN, 0},
                              {server->monitor.fd, POLLIN, 0}};
    struct timespec limit = timespec_of_ns(ns);
    int ready = ppoll(polled, ARRAY_COUNT(polled), &limit, NULL);
    if (ready < 0 && errno != EINTR)
        return fail(error, -errno, "poll: %s", strerror(errno));
    if (ready > 0 && polled[1].revents)
        return 1;
    return ready > 0 && (polled[2].revents || polled[3].revents) ? read_sockets(server, error) : 0;
}

/* One turn of the loop. Returns 0, 1 if the run shall end, or a negative errno. */
static int turn(struct vm_server *server, struct tally_error *error)
{
    int result = serve_all(server, error);
    if (result == VM_LINK_CLOSED)
        return 1;
    if (result < 0)
        return result;
    uint64_t lag = advance(server);
    result = steer(server, error);
    if (result == -EPIPE) {
        lose_monitor(server);
        result = 0;
    }
    return result < 0 ? result : wait_for_events(server, wait_ns(server, lag), error);
}

int vm_server_run(struct vm_server *server, const struct vm_server_fds *fds,
                  struct tally_error *error)
{
    int result;
    vm_link_open(&server->link, &vm_mpqemu, fds->link);
    server->qtest = fds->qtest;
    server->stop = fds->stop;
    if (fds->qmp >= 0)
        vm_monitor_open(&server->monitor, fds->qmp);
    server->start_ns = clock_ns(CLOCK_MONOTONIC) - gpu_ns(server) * server->config.slow;
    while ((result = turn(server, error)) == 0)
        ;
    vm_link_close(&server->link);
    return result < 0 ? result : 0;
}

/* ---- creation and results -------------------------------------------------------------------- */

int vm_server_new(const struct vm_server_config *config, struct vm_server **out,
                  struct tally_error *error)
{
    struct vm_server *server = calloc(1, sizeof *server);
    if (!server)
        return fail_memory(error, "a server");
    server->config = *config;
    server->config.slow = max_u32(config->slow, 1);
    server->qtest = server->stop = server->own_qtest = server->own_qmp = -1;
    server->monitor.fd = -1;
    server->spins = sysconf(_SC_NPROCESSORS_ONLN) > 1;
    struct vm_device_settings settings = {
        .gpu = config->gpu,
        .workload = config->workload,
        .fuses = config->fuses,
        .cost = config->cost,
        .faults = config->faults,
        .signals = config->signals,
        .mmio = config->mmio,
        .message = message,
        .note = hear_note,
        .closure = server,
    };
    int result = vm_device_new(&settings, &server->device, error);
    if (result < 0) {
        vm_server_free(server);
        return result;
    }
    server->slice_ns = server->device->calls->pace.slice_ns;
    *out = server;
    return 0;
}

const struct vm_driver *vm_server_driver(const struct vm_server *server)
{
    return server->device->calls->driver(server->device);
}

const char *vm_server_driver_row(const struct vm_server *server)
{
    return server->device->driver_row;
}

struct vm_server_stats vm_server_stats(const struct vm_server *server)
{
    struct vm_server_stats stats = server->stats;
    stats.messages = server->device->messages;
    stats.gpu_ns = gpu_ns(server);
    stats.faults = server->device->stops;
    stats.unknown = server->device->unknown.count;
    stats.unknown_read = vm_unknown_read(&server->device->unknown);
    stats.unknown_lost = server->device->unknown.lost;
    return stats;
}

void vm_server_write_unknown(const struct vm_server *server, FILE *file)
{
    vm_unknown_write(&server->device->unknown, file);
}

void vm_server_free(struct vm_server *server)
{
    if (!server)
        return;
    if (server->own_qtest >= 0)
        close(server->own_qtest);
    if (server->own_qmp >= 0)
        close(server->own_qmp);
    vm_device_free(server->device);
    free(server);
}
