/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_REGISTERS_H
#define TALLY_CAPTURE_REGISTERS_H

#include "capture/gpu.h"
#include "emulation/emulation.h"

/*
 * A machine whose GPU has no kernel driver: recording programs the OA unit by its registers
 * (driver/mmio). Its calls are poll, read, close and now_ns; there are no nodes, ioctls and files.
 */

/* Makes a machine with an emulated GPU. Returns 0, or an errno of emulation_new(). */
int registers_device_new(const struct emulation_settings *settings, struct device *out,
                         struct tally_error *error);

/* Describes its GPU. `name` is that of messages, and owned by the caller. Call gpu_close()
 * afterwards. */
void registers_gpu_open(struct device *machine, const char *name, struct gpu *gpu);

/* Returns the emulated GPU of a machine. The machine owns it. */
struct emulation *registers_emulation(const struct device *machine);

#endif
