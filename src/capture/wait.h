/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_WAIT_H
#define TALLY_CAPTURE_WAIT_H

#include "capture/device.h"

/* The poll() of devices that are used by registers, or emulated: time passes while it waits. */

struct waiting_calls {
    uint64_t (*now_ns)(void *closure);
    uint64_t (*next_ns)(void *closure); /* when the driver has to act next; UINT64_MAX: never */

    /* A model: by how much it is behind the wall clock, and letting its time pass. NULL: real. */
    uint64_t (*lag_ns)(void *closure);
    void (*run_ns)(void *closure, uint64_t ns);
};

struct waiting {
    const struct waiting_calls *calls;
    void *closure;
    bool wall;                         /* time is CLOCK_MONOTONIC */
    bool (*has_records)(void *stream); /* NULL: never */
    void *stream;
};

/* Waits until has_records() returns true, `wake` is readable, or the timeout has passed. Returns
 * DEVICE_... bits. */
int device_wait(const struct waiting *waiting, int wake, uint64_t timeout_ns);

#endif
