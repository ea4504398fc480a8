/* SPDX-License-Identifier: MIT */
#include "vm/monitor.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"

int vm_socket_address(const char *path, struct sockaddr_un *address, struct tally_error *error)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address->sun_path)
        return fail(error, -ENAMETOOLONG, "%s: longer than the %zu bytes of a socket's path", path,
                    sizeof address->sun_path - 1);
    strcpy(address->sun_path, path);
    return 0;
}

int vm_connect(const char *path, const char *what, struct tally_error *error)
{
    struct sockaddr_un address;
    int result = vm_socket_address(path, &address, error);
    if (result < 0)
        return result;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    int code = -errno;
    if (fd >= 0)
        close(fd);
    return fail(error, code, "%s: %s, expected QEMU's %s", path, strerror(-code), what);
}

/* Sends a short text. It fits the socket's buffer unless QEMU does not read. */
static int send_text(int fd, const char *text)
{
    size_t bytes = strlen(text);
    ssize_t sent = send(fd, text, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0)
        return -errno;
    return (size_t)sent == bytes ? 0 : -EAGAIN;
}

/* ---- the test protocol ----------------------------------------------------------------------- */

int vm_qtest_write(int fd, uint64_t address, uint32_t data)
{
    char text[64];
    snprintf(text, sizeof text, "writel 0x%llx 0x%x\n", (unsigned long long)address, data);
    return send_text(fd, text);
}

/* The ACPI timer's port, where SeaBIOS puts it. */
#define TIMER_PORT 0x608u

int vm_qtest_request_timer(int fd)
{
    char text[32];
    snprintf(text, sizeof text, "inl %#x\n", TIMER_PORT);
    return send_text(fd, text);
}

int vm_qtest_read(int fd, struct vm_line *line, uint32_t *timer)
{
    char text[512];
    ssize_t got;
    int found = 0;
    while ((got = recv(fd, text, sizeof text, MSG_DONTWAIT)) > 0)
        for (ssize_t i = 0; i < got; i++)
            if (vm_line_add(line, text[i]) && sscanf(line->text, "OK 0x%" SCNx32, timer) == 1)
                found++;
    return got < 0 && (errno == EAGAIN || errno == EINTR) ? found : -EPIPE;
}

/* ---- the monitor ----------------------------------------------------------------------------- */

void vm_monitor_open(struct vm_monitor *monitor, int fd)
{
    monitor->fd = fd;
    monitor->machine = VM_NEGOTIATING;
    monitor->line.used = 0;
}

static int command(struct vm_monitor *monitor, const char *name, enum vm_machine machine,
                   struct tally_error *error)
{
    char text[64];
    snprintf(text, sizeof text, "{\"execute\":\"%s\"}\r\n", name);
    int result = send_text(monitor->fd, text);
    if (result < 0)
        return fail(error, result, "QEMU's monitor: %s: %s", name, strerror(-result));
    monitor->machine = machine;
    return 0;
}

int vm_monitor_stop(struct vm_monitor *monitor, struct tally_error *error)
{
    return command(monitor, "stop", VM_STOPPING, error);
}

int vm_monitor_continue(struct vm_monitor *monitor, struct tally_error *error)
{
    return command(monitor, "cont", VM_CONTINUING, error);
}

/* Returns CLOCK_MONOTONIC of an event, which QEMU dates by CLOCK_REALTIME; at most the present. */
static uint64_t time_of_event(const char *line)
{
    unsigned long long seconds, us;
    uint64_t now = clock_ns(CLOCK_MONOTONIC), real = clock_ns(CLOCK_REALTIME);
    if (sscanf(line, "{\"timestamp\": {\"seconds\": %llu, \"microseconds\": %llu}", &seconds, &us) <
        2)
        return now;
    uint64_t age = real - (seconds * NS_PER_SECOND + us * 1000);
    return age < now ? now - age : now;
}

/* Hears an event: a machine that stops without a command is held, until it resumes. */
static void hear_event(struct vm_monitor *monitor)
{
    const char *line = monitor->line.text;
    if (strstr(line, "\"event\": \"STOP\"")) {
        monitor->stop_ns = time_of_event(line);
        if (monitor->machine == VM_RUNNING)
            monitor->machine = VM_HELD;
    } else if (strstr(line, "\"event\": \"RESUME\"")) {
        monitor->resume_ns = time_of_event(line);
        if (monitor->machine == VM_HELD)
            monitor->machine = VM_RUNNING;
    }
}

void vm_monitor_forget(struct vm_monitor *monitor)
{
    monitor->stop_ns = monitor->resume_ns = 0;
}

/* The monitor greets, and answers each command by "return" or "error"; the rest are events. Strings
 * of answers are not searched: the commands used here have none. */
static int hear(struct vm_monitor *monitor, struct tally_error *error)
{
    const char *line = monitor->line.text;
    if (!strncmp(line, "{\"QMP\"", 6))
        return command(monitor, "qmp_capabilities", VM_NEGOTIATING, error);
    if (!strncmp(line, "{\"error\"", 8))
        return fail(error, -EPROTO, "QEMU's monitor: %.200s", line);
    if (strncmp(line, "{\"return\"", 9) != 0) {
        hear_event(monitor);
        return 0;
    }
    monitor->machine = monitor->machine == VM_STOPPING ? VM_STOPPED : VM_RUNNING;
    return 0;
}

int vm_monitor_read(struct vm_monitor *monitor, struct tally_error *error)
{
    char text[512];
    ssize_t got;
    while ((got = recv(monitor->fd, text, sizeof text, MSG_DONTWAIT)) > 0) {
        for (ssize_t i = 0; i < got; i++) {
            int result = vm_line_add(&monitor->line, text[i]) ? hear(monitor, error) : 0;
            if (result < 0)
                return result;
        }
    }
    return got < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -EPIPE;
}
