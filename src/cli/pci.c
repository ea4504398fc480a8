/* SPDX-License-Identifier: MIT */
/* tally pci: serves a modelled GPU as a PCI device to QEMU. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/served.h"
#include "cli/trace.h"
#include "emulation/faults/faults.h"
#include "vm/monitor.h"
#include "vm/server.h"

/* ---- the socket ------------------------------------------------------------------------------ */

/* Listens at a path. Replaces a socket that a killed server has left, but nothing else. */
static int listen_at(const char *path, struct tally_error *error)
{
    struct sockaddr_un address;
    int result = vm_socket_address(path, &address, error);
    if (result < 0)
        return result;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return fail(error, -errno, "%s: %s", path, strerror(errno));
    result = bind(fd, (struct sockaddr *)&address, sizeof address);
    if (result < 0 && errno == EADDRINUSE &&
        connect(fd, (struct sockaddr *)&address, sizeof address) < 0 && errno == ECONNREFUSED &&
        unlink(path) == 0)
        result = bind(fd, (struct sockaddr *)&address, sizeof address);
    if (result < 0 || listen(fd, 1) < 0) {
        result = -errno;
        close(fd);
        return fail(error, result, "%s: %s, expected a path for a new socket", path,
                    strerror(-result));
    }
    return fd;
}

/* Waits for QEMU. Returns the connection; -1: a signal ends the wait; or a negative errno. */
static int accept_at(int listener, int stop, struct tally_error *error)
{
    struct pollfd polled[] = {{listener, POLLIN, 0}, {stop, POLLIN, 0}};
    while (poll(polled, 2, -1) < 0 && errno == EINTR)
        ;
    if (polled[1].revents)
        return -1;
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    return fd < 0 ? fail(error, -errno, "accept: %s", strerror(errno)) : fd;
}

/* Returns a descriptor that is readable when a signal ends the command. */
static int stop_descriptor(void)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    return signalfd(-1, &signals, SFD_CLOEXEC);
}

/* ---- results --------------------------------------------------------------------------------- */

static void print_note(void *closure, const char *text)
{
    (void)closure;
    fprintf(stderr, "tally: pci: %s\n", text);
}

static void print_stats(const struct vm_server_stats *stats)
{
    uint64_t requests = stats->requests ? stats->requests : 1;
    fprintf(stderr,
            "tally: pci: %" PRIu64 " accesses in %" PRIu64 " ns each, %" PRIu64
            " interrupts; %" PRIu64 " ms of GPU time, the guest was stopped for %" PRIu64 " ms\n",
            stats->requests, stats->served_ns / requests, stats->messages, stats->gpu_ns / 1000000,
            stats->stopped_ns / 1000000);
    warn_lost_time("pci", stats);
    if (stats->unknown)
        fprintf(stderr,
                "tally: pci: %zu registers that the guest accessed are not modelled, of which it "
                "read %zu; see --unknown\n",
                stats->unknown, stats->unknown_read);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int run(const struct vm_server_config *config, const struct arguments *arguments,
               const char *path)
{
    struct tally_error error = {0};
    struct vm_server *server = NULL;
    struct vm_server_fds fds = {-1, -1, -1, stop_descriptor()};
    int code = EXIT_DONE, listener = -1;
    int result = vm_server_new(config, &server, &error);
    if (result == 0)
        result = listener = listen_at(path, &error);
    if (result >= 0) {
        fds.link = accept_at(listener, fds.stop, &error);
        result = fds.link < -1 ? fds.link : 0;
        close(listener);
        unlink(path);
    }
    if (result == 0 && fds.link >= 0)
        result = vm_server_run(server, &fds, &error);
    if (result < 0)
        code = report_error(&error);
    if (server && fds.link >= 0) {
        struct vm_server_stats stats = vm_server_stats(server);
        if (!arguments->values[OPTION_QUIET])
            print_stats(&stats);
        if (code == EXIT_DONE)
            code = write_unknown(arguments, server);
    }
    vm_server_free(server);
    if (fds.link >= 0)
        close(fds.link);
    close(fds.stop);
    return code;
}

static int parse_clock(const char *text, struct vm_server_config *config)
{
    int code = parse_server_clock("pci", text, &config->clock);
    if (code == EXIT_DONE && config->clock == VM_CLOCK_GUEST && !config->qmp)
        return usage_error("pci: --clock guest expects --qmp PATH, the monitor that stops the "
                           "guest");
    return code;
}

int command_pci(const struct arguments *arguments)
{
    const char *const *values = arguments->values;
    struct tally_error error = {0};
    struct faults_script *faults = NULL;
    struct vm_server_config config = {
        .gpu = values[OPTION_GPU] ? values[OPTION_GPU] : "icl",
        .workload = values[OPTION_WORKLOAD],
        .cost = values[OPTION_COST],
        .signals = values[OPTION_SIGNALS],
        .qtest = values[OPTION_QTEST],
        .qmp = values[OPTION_QMP],
        .note = values[OPTION_QUIET] ? NULL : print_note,
    };
    if (!values[OPTION_SOCKET])
        return usage_error("pci: expects --socket PATH; see tally help pci");
    int code = parse_clock(values[OPTION_CLOCK], &config);
    if (code == EXIT_DONE && values[OPTION_FAULT] &&
        faults_load(values[OPTION_FAULT], &faults, &error) < 0)
        code = report_error(&error);
    config.faults = faults;
    if (code == EXIT_DONE)
        code = open_trace("pci", arguments, &config.mmio);
    if (code == EXIT_DONE)
        code = close_trace(arguments, config.mmio, run(&config, arguments, values[OPTION_SOCKET]));
    faults_script_free(faults);
    return code;
}
