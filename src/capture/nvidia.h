/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_NVIDIA_H
#define TALLY_CAPTURE_NVIDIA_H

#include "capture/gpu.h"
#include "card/card.h"
#include "emulation/nvidia/device.h"

/*
 * A machine with an NVIDIA GPU, which is recorded by PCOUNTER's registers alone (driver/perfmon).
 * Its calls are poll, read, close and now_ns.
 */

/* Makes a machine with an emulated GPU. Returns 0, or an errno of nvidia_emulation_new(). */
int nvidia_device_new(const struct nvidia_emulation_settings *settings, struct device *out,
                      struct tally_error *error);

/* Returns the workload of an emulated GPU, which the machine owns; NULL: none. */
const struct tally_workload *nvidia_device_workload(const struct device *machine);

/* Makes a machine of a real card, which it owns then; it is closed after an error, too. Returns 0;
 * -ENODEV: an unknown chipset; -ENOMEM. */
int nvidia_device_of_card(struct card *card, struct device *out, struct tally_error *error);

/* Describes its GPU. `name` is that of messages, and owned by the caller. Returns 0, or an error of
 * perfmon_session_new(). Call gpu_close() afterwards. */
int nvidia_gpu_open(struct device *machine, const char *name, struct gpu *gpu,
                    struct tally_error *error);

#endif
