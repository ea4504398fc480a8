/* SPDX-License-Identifier: MIT */
#ifndef TESTS_CAPTURE_FAKE_H
#define TESTS_CAPTURE_FAKE_H

#include "testing.h"

#include <tally/report.h>

#include "capture/device.h"
#include "capture/recorder.h"

/*
 * A machine by script: what its calls answer, and when its stream has what to read. It keeps what
 * was asked of it, and its time moves only while somebody waits.
 */

#define FAKE_NODE  "/dev/dri/renderD128"
#define FAKE_CARD  "/sys/class/drm/card0"
#define FAKE_FILES 8
#define FAKE_STEPS 64

/* What is to come through the stream, at a time after it was opened. */
enum fake_kind {
    FAKE_END,         /* nothing more */
    FAKE_REPORTS,     /* `count` of them, a strobe apart, in the layout of the GPU */
    FAKE_GAP,         /* `count` strobes that leave nothing */
    FAKE_REPORT_LOST, /* records */
    FAKE_BUFFER_LOST,
    FAKE_BYTES,  /* `count` bytes of `bytes` */
    FAKE_ERRNO,  /* read() fails with `count` */
    FAKE_SWITCH, /* from here on reports are of context `count`; the first says that it switched */
};

struct fake_step {
    uint64_t at_ns;
    enum fake_kind kind;
    uint32_t count;
    const void *bytes;
};

/* An answer in place of the usual one. For GETPARAM the parameter too. */
struct fake_answer {
    uint32_t request;
    int parameter;
    int result;
    int value; /* GETPARAM: with result 0 */
};

struct fake_file {
    const char *path, *text; /* text NULL: permission denied */
};

struct fake {
    struct device device;
    uint32_t pci_id;
    int open_result; /* negative: of open() */
    const char *driver;
    struct fake_answer answers[8];
    struct fake_file files[FAKE_FILES];
    struct fake_step steps[FAKE_STEPS];
    unsigned exponent; /* of the reports that it makes */

    /* What happened. */
    char calls[4096]; /* "open ADD OPEN read close ..." */
    uint64_t now_ns, opened_ns;
    uint64_t properties[10][2];
    uint32_t open_flags, property_count;
    char added_uuid[37];
    uint32_t added[3][8][2], added_count[3]; /* mux, boolean, flex */
    uint64_t removed_id;
    int open_files;
    bool stream_open;
    size_t step, step_done; /* where the script is */
    uint64_t strobe;        /* of the next report */
    uint32_t context;
    bool switched;
    const struct tally_platform *platform;
    const struct tally_layout *layout;
};

/* A Haswell, which grants everything; steps and answers are to be filled in. */
void fake_init(struct fake *fake, uint32_t pci_id);

/* Opens it. Fails the test if that cannot be. */
void fake_gpu(struct fake *fake, struct gpu *gpu);

/* A set with two registers. */
extern const struct set fake_set;

#endif
