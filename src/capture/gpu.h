/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_GPU_H
#define TALLY_CAPTURE_GPU_H

#include <tally/platform.h>
#include <tally/recording.h>

#include "capture/device.h"

/* The kernel's topology reply at its largest that a recording's readers take. */
#define GPU_TOPOLOGY_BYTES 256

/* An open GPU, and what a recording says of it. */
struct gpu {
    struct device *machine;
    const char *path; /* of its node; the caller's */
    int fd;
    struct tally_device device;
    struct tally_device_info info; /* all but the metric set */
    uint8_t topology_reply[GPU_TOPOLOGY_BYTES];
    size_t topology_bytes;
    struct tally_topology topology;
    unsigned perf_revision; /* 1 and up (PERF-1.5) */
    char card[256];         /* its directory in sysfs */
};

/*
 * Opens a node and asks the driver what it is. Returns 0; -ENOENT: there is no such node; -EACCES:
 * no permission; -ENODEV: it is no GPU that i915 perf serves, or not one that we know. The message
 * says which. gpu_close() is right after success and failure.
 */
int gpu_open(struct device *machine, const char *path, struct gpu *gpu, struct tally_error *error);
void gpu_close(struct gpu *gpu);

/* May this process open streams of the whole system, as far as files tell? 0, or -EACCES. */
int gpu_permitted(struct device *machine, struct tally_error *error);

/* GETPARAM. 0 or an errno. */
int gpu_parameter(const struct gpu *gpu, int parameter, int *out);

/*
 * The period of an OA exponent (PERF-2.3), and the exponent, 0 to 31, whose period is the
 * nearest to one that is asked for; of two the shorter.
 */
uint64_t gpu_period_ns(const struct gpu *gpu, unsigned exponent);
unsigned gpu_nearest_exponent(const struct gpu *gpu, uint64_t period_ns);

/* Takes CPU and GPU time together: of three tries the one that took least (IGT-1.4). */
int gpu_correlate(const struct gpu *gpu, uint64_t *cpu_ns, uint64_t *gpu_ticks);

#endif
