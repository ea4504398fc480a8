/* SPDX-License-Identifier: MIT */
#ifndef TESTS_CAPTURE_FAKE_H
#define TESTS_CAPTURE_FAKE_H

#include "testing.h"

#include <tally/report.h>

#include "capture/device.h"
#include "capture/recorder.h"

/*
 * A scripted machine: the script sets the results of calls, and when the stream has which records.
 * The machine logs the calls made to it; its time passes only during poll().
 */

#define FAKE_NODE  "/dev/dri/renderD128"
#define FAKE_CARD  "/sys/class/drm/card0"
#define FAKE_FILES 8
#define FAKE_STEPS 64

/* What the stream delivers, at a time after it was opened. */
enum fake_kind {
    FAKE_END,         /* end of the script */
    FAKE_REPORTS,     /* `count` reports, one period apart, in the layout of the GPU */
    FAKE_GAP,         /* `count` periods without a report */
    FAKE_REPORT_LOST, /* records */
    FAKE_BUFFER_LOST,
    FAKE_BYTES,  /* `count` bytes of `bytes` */
    FAKE_ERRNO,  /* read() fails with `count` */
    FAKE_SWITCH, /* the next reports are of context `count`; the first one has the switch reason */
};

struct fake_step {
    uint64_t at_ns;
    enum fake_kind kind;
    uint32_t count;
    const void *bytes;
};

/* Replaces the default result of an ioctl; for GETPARAM, of one parameter. */
struct fake_answer {
    uint32_t request;
    int parameter;
    int result;
    int value; /* GETPARAM: with result 0 */
};

struct fake_file {
    const char *path, *text; /* text NULL: permission denied; "EIO": that error */
};

struct fake {
    struct device device;
    uint32_t pci_id;
    int open_result; /* negative: errno of open() */
    const char *driver;
    struct fake_answer answers[8];
    struct fake_file files[FAKE_FILES];
    struct fake_step steps[FAKE_STEPS];
    unsigned exponent; /* period of its reports */

    /* Log and state. */
    char calls[4096]; /* "open ADD OPEN read close ..." */
    uint64_t now_ns, opened_ns;
    uint64_t properties[10][2];
    uint32_t open_flags, property_count;
    char added_uuid[37];
    uint32_t added[3][8][2], added_count[3]; /* mux, boolean, flex */
    uint64_t removed_id;
    int open_files;
    bool stream_open;
    size_t step, step_done; /* position in the script */
    uint64_t strobe;        /* number of the next timer period */
    uint32_t context;
    bool switched;
    const struct tally_platform *platform;
    const struct tally_layout *layout;
};

/* Makes a machine with a GPU of this PCI id, on which every call succeeds; the test fills in steps
 * and answers. */
void fake_init(struct fake *fake, uint32_t pci_id);

/* Opens its GPU. Fails the test on error. */
void fake_gpu(struct fake *fake, struct gpu *gpu);

/* A metric set with two registers. */
extern const struct set fake_set;

#endif
