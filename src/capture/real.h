/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_REAL_H
#define TALLY_CAPTURE_REAL_H

#include "capture/device.h"

/*
 * The machine that we run on. `root` is put in front of paths in /dev, /sys and /proc; "" unless a
 * test has a directory that looks like a machine. -ENOMEM.
 */
int real_device_new(const char *root, struct device *out, struct tally_error *error);

/* Visits the render nodes, "/dev/dri/renderD128" and on, by number. Returns how many there are. */
int real_device_nodes(const char *root, void (*visit)(void *closure, const char *path),
                      void *closure);

#endif
