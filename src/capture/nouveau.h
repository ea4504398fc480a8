/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_NOUVEAU_H
#define TALLY_CAPTURE_NOUVEAU_H

#include "capture/gpu.h"

/*
 * A machine with an NVIDIA GPU that the kernel's driver nouveau drives, which is recorded by its
 * perfmon objects (docs/nouveau-driver.md). Its calls are poll, read, close and now_ns; it makes
 * the system calls of the machine below it.
 */

/* Whether a device node has the driver nouveau. */
bool nouveau_is_driver(const struct device *machine, const char *path);

/*
 * Opens a node of nouveau, puts the machine in place of *machine, which it owns then, and describes
 * its GPU. `path` is owned by the caller. Returns 0; -ENODEV with a message: an unknown chipset, or
 * this kernel's nouveau has no counters for programs; -EBUSY: another program has them; -EACCES or
 * another errno. After an error *machine is as it was. Call gpu_close() afterwards.
 */
int nouveau_gpu_open(struct device *machine, const char *path, struct gpu *gpu,
                     struct tally_error *error);

#endif
