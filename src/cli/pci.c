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

/* Waits for QEMU. Returns 0 and in *link the connection, -1 if a signal has ended the wait; or a
 * negative errno and an error. */
static int accept_at(int listener, int stop, int *link, struct tally_error *error)
{
    struct pollfd polled[] = {{listener, POLLIN, 0}, {stop, POLLIN, 0}};
    while (poll(polled, 2, -1) < 0 && errno == EINTR)
        ;
    if (polled[1].revents)
        return 0;
    *link = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    return *link < 0 ? fail(error, -errno, "accept: %s", strerror(errno)) : 0;
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

static void print_stats(const struct vm_server_stats *stats)
{
    uint64_t requests = stats->requests ? stats->requests : 1;
    warn("pci: %" PRIu64 " accesses in %" PRIu64 " ns each, %" PRIu64 " interrupts; %" PRIu64
         " ms of GPU time, the guest was stopped for %" PRIu64 " ms",
         stats->requests, stats->served_ns / requests, stats->messages, stats->gpu_ns / 1000000,
         stats->stopped_ns / 1000000);
    if (stats->unknown)
        warn("pci: %zu registers that the guest accessed are not modelled, of which it "
             "read %zu; see --unknown",
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
        result = accept_at(listener, fds.stop, &fds.link, &error);
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
        int reported = served_report("pci", arguments, server);
        code = code == EXIT_DONE ? reported : code;
    }
    vm_server_free(server);
    if (fds.link >= 0)
        close(fds.link);
    close(fds.stop);
    return code;
}

int command_pci(const struct arguments *arguments)
{
    const char *path = arguments->values[OPTION_SOCKET];
    struct served served;
    if (!path)
        return usage_error("pci: expects --socket PATH; see tally help pci");
    int code = served_open(&served, "pci", arguments, VM_CLOCK_WALL);
    if (code != EXIT_DONE)
        return code;
    if (served.config.clock == VM_CLOCK_GUEST && !served.config.qmp)
        code = usage_error("pci: --clock guest expects --qmp PATH, the monitor that stops the "
                           "guest");
    else
        code = run(&served.config, arguments, path);
    return served_close(&served, arguments, code);
}
