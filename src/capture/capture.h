/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_CAPTURE_H
#define TALLY_CAPTURE_CAPTURE_H

#include <stdatomic.h>

#include <tally/capture.h>

#include "base/buffer.h"
#include "capture/choice.h"
#include "capture/recorder.h"
#include "emulation/faults/faults.h"

/* The parts of <tally/capture.h>: open.c opens and lists devices, capture.c records. */

struct tally_capture {
    struct device machine;
    struct gpu gpu;
    struct faults_script *faults; /* of a modelled one, or NULL */
    char *name, *workload, *faults_name;
    struct tally_capture_info info;

    int stop_fd; /* readable once it is to stop */
    atomic_bool stop;

    /* The recording; recorder NULL: none is under way. */
    struct recorder *recorder;
    struct recorder_settings settings;
    struct set_choice choice;
    struct buffer provenance;
    char *output;
    int wake; /* stop_fd, or an epoll of it and the caller's descriptor */
    struct tally_capture_stats stats;
};

#endif
