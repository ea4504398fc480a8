/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_CAPTURE_H
#define TALLY_CAPTURE_CAPTURE_H

#include <stdatomic.h>

#include <tally/capture.h>

#include "base/buffer.h"
#include "capture/choice.h"
#include "capture/recorder.h"
#include "emulation/faults/faults.h"
#include "intel/workload/workload.h"

/* Implements <tally/capture.h>: open.c opens and lists devices, capture.c records. */

struct tally_capture {
    struct device machine;
    struct gpu gpu;
    struct emulation *emulation;         /* of a modelled GPU, else NULL */
    struct faults_script *faults;        /* of a modelled GPU, or NULL */
    const struct tally_workload *played; /* workload of a modelled GPU, or NULL */
    struct tally_recorded_phases phases; /* its phases; count 0: none */
    uint64_t phase_durations_ns[WORKLOAD_PHASES_MAX];
    char *name, *workload, *faults_name, *fuses;
    struct tally_capture_info info;

    int stop_fd; /* readable after tally_capture_stop() */
    atomic_bool stop;

    /* The recording; recorder is NULL if none is in progress. */
    struct recorder *recorder;
    struct recorder_settings settings;
    struct set_choice choice;
    struct buffer provenance;
    char *output;
    int wake; /* stop_fd, or an epoll descriptor of stop_fd and the caller's wake_fd */
    struct tally_capture_stats stats;
};

#endif
