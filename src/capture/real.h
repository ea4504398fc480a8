/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_REAL_H
#define TALLY_CAPTURE_REAL_H

#include <stdbool.h>

#include "capture/device.h"

/*
 * Makes the device for this machine. `root` is prepended to paths in /dev, /sys and /proc: "", or
 * in tests a directory that mimics a machine. Returns 0 or -ENOMEM.
 */
int real_device_new(const char *root, struct device *out, struct tally_error *error);

/* Visits the render nodes, from "/dev/dri/renderD128" on, by number. Returns their number. */
int real_device_nodes(const char *root, void (*visit)(void *closure, const char *path),
                      void *closure);

/* Returns whether the device nodes are those of a modelled GPU: this process runs under `tally
 * emulate`. */
bool real_device_is_modelled(void);

#endif
