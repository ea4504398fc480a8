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
/* The guest's timer: how long its answer is waited for, and beyond which difference it is not that
 * of the guest's time: its firmware has not set it up, or has reset it. */
#define MAX_ANSWER_NS     (100 * MS)
#define MAX_CORRECTION_NS (1000 * MS)
/* A driver accesses registers in bursts: after a request the next one is waited for without
 * sleeping, if there is another processor. */
#define SPIN_NS (50 * US)

/* The guest's ACPI timer, which is read while the guest is stopped: what it has counted says how
 * long the guest has run, more exactly than the monitor's events. */
struct guest_timer {
    unsigned requests; /* without an answer so far */
    bool known;
    uint32_t value;
    uint64_t total;     /* ticks since it was read first */
    uint64_t origin_ns; /* how long the guest had run then */
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
    uint64_t served_at_ns; /* wall clock at the latest request */
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

static bool is_stopped(enum vm_machine machine)
{
    return machine == VM_STOPPED || machine == VM_CONTINUING || machine == VM_HELD;
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

/* Runs the GPU for one slice, or less if it is not behind as much. Returns its lag. */
static uint64_t run_slice(struct vm_server *server)
{
    const struct vm_device_calls *calls = server->device->calls;
    uint64_t lag = lag_ns(server, clock_ns(CLOCK_MONOTONIC));
    if (lag)
        calls->run(server->device, min_u64(lag, calls->pace.slice_ns));
    return lag > calls->pace.slice_ns ? lag_ns(server, clock_ns(CLOCK_MONOTONIC)) : 0;
}

/* Runs the GPU up to the present, if that does not take too long. */
static void catch_up(struct vm_server *server)
{
    const struct vm_device_calls *calls = server->device->calls;
    uint64_t begin = clock_ns(CLOCK_MONOTONIC), lag;
    while ((lag = lag_ns(server, begin)) &&
           clock_ns(CLOCK_MONOTONIC) - begin < calls->pace.catch_up_ns * server->config.slow)
        calls->run(server->device, min_u64(lag, calls->pace.slice_ns));
}

/* The clock of the guest cannot be stopped: the GPU loses the time. */
static void lose_time(struct vm_server *server, uint64_t lag)
{
    uint64_t lost = lag - server->device->calls->pace.max_lag_ns;
    server->start_ns += lost * server->config.slow;
    server->stats.lost_ns += lost;
}

/* Corrects the guest's time by its timer. */
static void read_timer(struct vm_server *server, uint32_t value)
{
    struct guest_timer *timer = &server->timer;
    uint64_t ran = server->stopped_at_ns - server->start_ns; /* by the monitor's events */
    bool exists = !(value >> VM_TIMER_BITS);
    uint64_t second = NS_PER_SECOND * server->config.slow; /* of the timer, by the wall clock */
    if (exists && timer->known) {
        uint64_t before = timer->origin_ns + scale_u64(timer->total, second, VM_TIMER_HZ);
        uint64_t ticks = scale_u64(ran > before ? ran - before : 0, VM_TIMER_HZ, second);
        /* It wraps: what it has counted is the nearest to the estimate. */
        uint64_t error = (ticks - (value - timer->value)) & low_bits(VM_TIMER_BITS);
        timer->total += ticks - error + (error >> (VM_TIMER_BITS - 1) << VM_TIMER_BITS);
        uint64_t exact = timer->origin_ns + scale_u64(timer->total, second, VM_TIMER_HZ);
        exists = (exact > ran ? exact - ran : ran - exact) < MAX_CORRECTION_NS;
        server->start_ns += exists ? ran - exact : 0;
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
    if (!stopped || monitor->machine != VM_RUNNING)
        return;
    server->resumed_at_ns =
        max_u64(monitor->resume_ns ? monitor->resume_ns : now, server->stopped_at_ns);
    server->start_ns += server->resumed_at_ns - server->stopped_at_ns;
    server->stats.stopped_ns += server->resumed_at_ns - server->stopped_at_ns;
    vm_monitor_forget(monitor);
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
        if (!server->timer.requests && is_stopped(server->monitor.machine))
            read_timer(server, timer);
    }
    if (server->monitor.fd < 0)
        return 0;
    enum vm_machine before = server->monitor.machine;
    int result = vm_monitor_read(&server->monitor, error);
    note_stops(server, before);
    if (!is_stopped(before) && is_stopped(server->monitor.machine))
        request_timer(server);
    if (result == -EPIPE) { /* QEMU ends; the link is closed, too */
        server->monitor.fd = -1;
        server->monitor.machine = VM_NEGOTIATING;
        return 0;
    }
    return result;
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
    uint64_t lag = run_slice(server);
    result = steer(server, error);
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
