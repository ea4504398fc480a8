/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_EMULATED_H
#define TALLY_CAPTURE_EMULATED_H

#include "capture/device.h"
#include "capture/faults/faults.h"

/*
 * A machine with one modelled GPU: a GPU of <tally/gpu.h> that a workload keeps busy, the i915
 * driver on it, and the files of sysfs and procfs that a recorder reads.
 */

#define EMULATED_NODE "/dev/dri/renderD128"

enum emulated_clock {
    EMULATED_FREE, /* GPU time passes while somebody waits, as fast as the model goes */
    EMULATED_WALL, /* GPU time follows the wall clock */
};

struct emulated_settings {
    const char *platform; /* "hsw" */
    const char *workload; /* a name or a file, as <tally/workload.h> loads it */
    enum emulated_clock clock;
    unsigned perf_revision;             /* 0: the newest */
    bool unprivileged;                  /* the caller has no capability */
    const struct faults_script *faults; /* what goes wrong; NULL: nothing */
};

/*
 * Makes one. `note` (may be NULL) hears which units of the workload the platform lacks. Returns 0;
 * -ENODEV: the platform has no model with a kernel interface; what tally_workload_load() and
 * _bind() return; -ENOMEM.
 */
int emulated_device_new(const struct emulated_settings *settings,
                        void (*note)(void *closure, unsigned line, const char *message),
                        void *closure, struct device *out, struct tally_error *error);

/* The platforms that it has, in order; NULL past the end. */
const char *emulated_platform(size_t index);

/* Of a device that emulated_device_new() made: lets time pass that nobody reads in. */
void emulated_run_ns(struct device *device, uint64_t ns);

/* Its GPU, to be looked at. */
struct tally_gpu *emulated_gpu(struct device *device);

/* What has gone wrong; NULL: it has no script. */
const struct faults *emulated_faults(const struct device *device);

#endif
