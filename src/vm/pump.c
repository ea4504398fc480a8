/* SPDX-License-Identifier: MIT */
#include "vm/pump.h"

#include <errno.h>
#include <unistd.h>

void pump_open(struct pump *pump, int from, int to)
{
    *pump = (struct pump){.from = from, .to = to, .ended = from < 0 || to < 0};
}

bool pump_is_full(const struct pump *pump)
{
    return pump->size > 0;
}

struct pollfd pump_poll(const struct pump *pump)
{
    if (pump->error)
        return (struct pollfd){.fd = -1};
    if (pump->size)
        return (struct pollfd){.fd = pump->to, .events = POLLOUT};
    return (struct pollfd){.fd = pump->ended ? -1 : pump->from, .events = POLLIN};
}

static bool is_temporary(int code)
{
    return code == EINTR || code == EAGAIN;
}

void pump_move(struct pump *pump)
{
    if (!pump->size) {
        ssize_t n = read(pump->from, pump->bytes, sizeof pump->bytes);
        if (n > 0)
            pump->size = (size_t)n;
        else if (n == 0 || !is_temporary(errno))
            pump->ended = true;
        pump->written = 0;
        return;
    }
    ssize_t n = write(pump->to, pump->bytes + pump->written, pump->size - pump->written);
    if (n < 0 && !is_temporary(errno)) {
        pump->error = errno;
        pump->size = 0;
    } else if (n > 0) {
        pump->written += (size_t)n;
    }
    if (pump->written == pump->size)
        pump->size = pump->written = 0;
}
