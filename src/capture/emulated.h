/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_EMULATED_H
#define TALLY_CAPTURE_EMULATED_H

#include "capture/device.h"
#include "emulation/emulation.h"

/*
 * A machine with one emulated GPU: the device of emulation.h, its nodes, and the files of sysfs and
 * procfs that a recorder reads. Pointers passed to ioctl and read are in this address space.
 */

#define EMULATED_NODE "/dev/dri/renderD128"

struct emulated_settings {
    struct emulation_settings device;
    bool unprivileged; /* the caller has no capabilities */
};

/* Makes a machine. Returns 0; -ENODEV: the platform has no model with an i915 perf interface;
 * errors of emulation_new(). */
int emulated_device_new(const struct emulated_settings *settings, struct device *out,
                        struct tally_error *error);

/* wait.c: the poll() of a device: runs the GPU until has_records() returns true (NULL: never),
 * `wake` is readable, or the timeout has passed. Returns DEVICE_... bits. */
int emulated_wait(struct emulation *emulation, bool (*has_records)(void *closure), void *closure,
                  int wake, uint64_t timeout_ns);

/* Returns the emulated GPU of a machine that emulated_device_new() made. The machine owns it. */
struct emulation *emulated_device(const struct device *machine);

#endif
