/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_GPU_H
#define TALLY_CAPTURE_GPU_H

#include <stdbool.h>

#include <tally/platform.h>
#include <tally/recording.h>

#include "capture/device.h"

/* Maximum size of the kernel's topology reply that readers of recordings accept. */
#define GPU_TOPOLOGY_BYTES 256

struct counting;
struct gpu;
struct set;
struct set_in_driver;

/* How a GPU is recorded by one driver. Each returns 0 or an errno; all but the first with a
 * message. */
struct gpu_driver {
    const char *name;
    bool in_kernel;   /* else nothing but registers is used */
    bool all_layouts; /* also those that the kernel does not offer */

    /* Reads CPU and GPU time at the same moment. */
    int (*correlate)(const struct gpu *gpu, uint64_t *cpu_ns, uint64_t *gpu_ticks);

    /* Prepares record mode: chooses the period of packets (counting.h), and sets gpu->period_ns to
     * it, 0 without one. NULL: the driver has no record mode. */
    int (*prepare_packets)(struct gpu *gpu, struct counting *counting, struct tally_error *error);

    /* Tries whether it can count what is planned. -EINVAL: not all of it. NULL: it can count all.
     */
    int (*try_counting)(const struct gpu *gpu, const struct counting *counting,
                        struct tally_error *error);

    /* Adds a metric set to the driver, and removes it. NULL: open_stream() programs it. */
    int (*add_set)(const struct gpu *gpu, const struct set *set, struct set_in_driver *out,
                   struct tally_error *error);
    void (*remove_set)(const struct gpu *gpu, struct set_in_driver *set);

    /* Opens a periodic non-blocking stream of the whole GPU with a set, in the format
     * gpu->info.oa_format. Returns the descriptor for the calls of the device. */
    int (*open_stream)(const struct gpu *gpu, const struct set_in_driver *set, unsigned exponent,
                       struct tally_error *error);

    /* Makes the last reports available, if the recorder has to do that. May be NULL. */
    void (*end_stream)(const struct gpu *gpu);
};

/* An open GPU, and its description for a recording. */
struct gpu {
    struct device *machine;
    const struct gpu_driver *driver;
    const char *path; /* of the device node; owned by the caller */
    int fd;
    struct tally_device device;
    struct tally_device_info info; /* without the metric set */
    uint8_t topology_reply[GPU_TOPOLOGY_BYTES];
    size_t topology_bytes;
    struct tally_topology topology;
    unsigned perf_revision; /* 1 or more (PERF-1.5) */
    char card[256];         /* sysfs directory of the card; "": unknown */

    /* An NVIDIA GPU, else NULL: its CHIPSET record, whose domains are known once a stream is open;
     * and the period of its reports, which software makes, for a device that has no exponents. */
    const struct tally_recorded_chipset *chipset;
    uint64_t period_ns;
};

extern const struct gpu_driver gpu_i915; /* stream.c */

/*
 * Opens a device node and queries its description from the driver. Returns 0; -ENODEV: the node
 * does not exist, is not an i915 GPU, or is a GPU that i915 perf does not support or that is
 * unknown; -EACCES: no permission; or another errno, always with a message. Call gpu_close() after
 * success and after failure.
 */
int gpu_open(struct device *machine, const char *path, struct gpu *gpu, struct tally_error *error);
void gpu_close(struct gpu *gpu);

/* Checks by sysctl and capabilities whether this process may open system-wide streams. Returns 0,
 * or -EACCES with a message. */
int gpu_permitted(struct device *machine, struct tally_error *error);

/* Returns the period of an OA exponent, or of an NVIDIA GPU, in ticks of the timestamp. */
uint64_t gpu_period_ticks(const struct gpu *gpu, unsigned exponent);

/*
 * Returns the period of an OA exponent in ns (PERF-2.3); and the exponent, 0 to 31, whose period is
 * nearest to period_ns, the shorter one of two equally near.
 */
uint64_t gpu_period_ns(const struct gpu *gpu, unsigned exponent);
unsigned gpu_nearest_exponent(const struct gpu *gpu, uint64_t period_ns);

/* Reads CPU and GPU time at the same moment: of three attempts, the result of the shortest
 * (IGT-1.4). Returns 0 or an errno. */
int gpu_correlate(const struct gpu *gpu, uint64_t *cpu_ns, uint64_t *gpu_ticks);

/* The same by one read of a register, whose time is the mean of those before and after. Returns 0.
 */
int gpu_correlate_by(const struct gpu *gpu, uint64_t (*read_ticks)(const struct gpu *gpu),
                     uint64_t *cpu_ns, uint64_t *gpu_ticks);

#endif
