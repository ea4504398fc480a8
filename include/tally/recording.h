/* SPDX-License-Identifier: MIT */
#ifndef TALLY_RECORDING_H
#define TALLY_RECORDING_H

/*
 * Recordings: the records that the kernel's i915 perf stream delivers, with what is needed to
 * read them, in one file. The format is the field's own; docs/recording-format.md is its
 * normative text. Three kinds of input are read:
 *
 *   container  VERSION, DEVICE_INFO, DEVICE_TOPOLOGY, TIMESTAMP_CORRELATION records among the
 *              kernel's records, as i915-perf-recorder and `tally record` write it
 *   stream     the kernel's records alone
 *   raw        reports back to back, as the unit wrote them to memory
 *
 * A reader hands out reports in batches, in constant memory whatever the size of the input. It
 * unwraps timestamps, names contexts and reasons, maps GPU time to CPU time, and keeps the loss
 * ledger: every report that is missing is in it, with the interval and the reason.
 *
 * What was readable before a fault is delivered before the fault is reported.
 *
 * Threads: a reader and the batches that it is filling belong to one thread at a time. A filled
 * batch does not refer to its reader and may be used by another thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>
#include <tally/platform.h>
#include <tally/report.h>
#include <tally/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Record types. 1 to 3 are the kernel's, 65536 on the recorder's, 0x54000000 on Tally's own. */
enum tally_record_type {
    TALLY_RECORD_SAMPLE = 1,                    /* one report */
    TALLY_RECORD_REPORT_LOST = 2,               /* the unit dropped one or more reports */
    TALLY_RECORD_BUFFER_LOST = 3,               /* the report buffer overflowed and was wiped */
    TALLY_RECORD_VERSION = 65536,               /* u32 version (1), u32 0 */
    TALLY_RECORD_DEVICE_INFO = 65537,           /* struct tally_device_info, packed: 336 bytes */
    TALLY_RECORD_DEVICE_TOPOLOGY = 65538,       /* the kernel's topology reply */
    TALLY_RECORD_TIMESTAMP_CORRELATION = 65539, /* u64 CPU ns, u64 GPU ticks */
    TALLY_RECORD_PROVENANCE = 0x54000000,       /* UTF-8 text: what wrote the file, and how */
    TALLY_RECORD_LEDGER = 0x54000001,           /* losses that the writer itself knows of */
    TALLY_RECORD_STREAM = 0x54000002            /* the timer's period; whose reports follow */
};

/* Bytes of the record header: u32 type, u16 pad, u16 size of the whole record. */
#define TALLY_RECORD_HEADER_BYTES 8

enum tally_recording_kind {
    TALLY_KIND_AUTO, /* decide by the first record */
    TALLY_KIND_CONTAINER,
    TALLY_KIND_STREAM,
    TALLY_KIND_RAW
};

/* What a DEVICE_INFO record says. Plain data. */
struct tally_device_info {
    uint64_t timestamp_hz; /* OA timestamp frequency */
    uint32_t device_id;    /* PCI device id */
    uint32_t revision;
    uint32_t gt_min_hz;
    uint32_t gt_max_hz;
    uint32_t engine_class; /* 0: render */
    uint32_t engine_instance;
    uint32_t oa_format; /* enum drm_i915_oa_format */
    char set_name[257]; /* symbol name of the metric set: "RenderBasic" */
    char set_uuid[41];  /* 36 characters, or empty */
};

/*
 * How to open. All zero: find out from the input. `size` is sizeof(struct tally_recording_options)
 * of the caller's header: a library that knows more members takes zero for those; one that knows
 * fewer returns -E2BIG unless the others are zero. 0 stands for the members up to `keep_unsorted`.
 */
struct tally_recording_options {
    size_t size;
    enum tally_recording_kind kind;
    const struct tally_platform *platform; /* streams and raw buffers: whose reports */
    const struct tally_layout *layout;     /* streams and raw buffers; overrides a container's */
    uint64_t timestamp_hz;                 /* streams and raw buffers; 0: the platform's usual */
    bool map;           /* map the file instead of reading it: no copy, same results */
    bool keep_unsorted; /* a timestamp that goes back is kept, not a fault (raw rings) */
    bool live;          /* pipes and streams: read what has arrived, do not wait for a full batch */
};

/* What is known of an open recording. Pointers live as long as the recording. */
struct tally_recording_info {
    enum tally_recording_kind kind;
    const char *path;           /* as opened; "-" is standard input */
    uint64_t size_bytes;        /* 0 if not known (a pipe) */
    struct tally_device device; /* device.id is 0 where only a platform is known */
    struct tally_device_info recorded;
    const struct tally_layout *layout;
    struct tally_topology topology; /* the platform's default where none was recorded */
    bool has_topology;
    const char *provenance; /* text of the PROVENANCE record, or NULL */
};

/* What a delta is worth. */
enum tally_state {
    TALLY_STATE_OK,
    TALLY_STATE_LOST,     /* reports between the two are missing */
    TALLY_STATE_AMBIGUOUS /* so long that a 32-bit counter may have wrapped more than once */
};

/* "ok", "lost", "ambiguous". */
TALLY_API const char *tally_state_name(enum tally_state state);

/*
 * Consecutive reports. Element 0 is the last report of the batch before, so that the delta from
 * element i to i + 1 exists for every i < count - 1 and each delta of a recording is in exactly
 * one batch. Only the first batch starts with a report of its own.
 */
struct tally_batch {
    size_t count;            /* elements in each array, 0 or 2 and more (1: a lone report) */
    uint64_t first_index;    /* index in the recording of element 0, counted from 0 */
    const uint8_t **reports; /* raw bytes of each report */
    uint64_t *gpu_ticks;     /* unwrapped OA timestamps */
    uint32_t *contexts;      /* TALLY_CONTEXT_IDLE: none */
    uint8_t *reasons;        /* enum tally_reason bits */
    uint8_t *states;         /* enum tally_state of the delta from element i to i + 1 */
};

/* A batch with room for the reports of one read. NULL if there is no memory. Free with _free. */
TALLY_API struct tally_batch *tally_batch_new(void);
TALLY_API void tally_batch_free(struct tally_batch *batch);

struct tally_recording;

/*
 * Opens a recording. `path` "-" is standard input. `options` may be NULL. On success *out is the
 * caller's, to be closed with tally_recording_close().
 * Errors: -ENOENT, -EACCES, -EISDIR and other errors of open(2); -EBADMSG: the input is not what
 * it should be; -ENODEV: the device or platform is not known; -ENOMEM.
 */
TALLY_API int tally_recording_open(const char *path, const struct tally_recording_options *options,
                                   struct tally_recording **out, struct tally_error *error);

/*
 * Opens a recording that lies in memory. `bytes` stays the caller's and must outlive the recording
 * and its batches. `name` is for messages.
 */
TALLY_API int tally_recording_open_memory(const void *bytes, size_t size, const char *name,
                                          const struct tally_recording_options *options,
                                          struct tally_recording **out, struct tally_error *error);

/*
 * Delivers the next bytes of a stream: stores up to `size` (at least 1) bytes at `to` and returns
 * how many; 0 at the end of the stream; -EAGAIN if there are none at present; another negative
 * errno on an error. Called by the thread that opens or reads the recording.
 */
typedef ptrdiff_t tally_read_function(void *closure, void *to, size_t size);

/*
 * Opens a recording whose bytes `read` delivers, in pieces of any size: what a recorder writes,
 * while it writes it. `name` is for messages. Opening reads until the first report's header. While
 * `read` returns -EAGAIN, so do this function (nothing is opened; the bytes read are gone) and
 * tally_recording_read() (which can be called again).
 * Errors: those of tally_recording_open() and of `read`.
 */
TALLY_API int tally_recording_open_stream(tally_read_function *read, void *closure,
                                          const char *name,
                                          const struct tally_recording_options *options,
                                          struct tally_recording **out, struct tally_error *error);

/* Closes; accepts NULL. Batches of an opened memory or mapped recording are invalid from then. */
TALLY_API void tally_recording_close(struct tally_recording *recording);

TALLY_API const struct tally_recording_info *
tally_recording_info(const struct tally_recording *recording);

/*
 * Walks the whole file once, record headers only, to learn all correlation points before the
 * first report is read. Without it, a report is placed in CPU time by the points that precede it
 * and the nearest ones after it. Does nothing on a pipe. Never fails: faults are reported when the
 * records are read.
 */
TALLY_API void tally_recording_index(struct tally_recording *recording);

/*
 * Fills a batch with the next reports. Returns 1 if it holds reports, 0 at the end of the input,
 * -EAGAIN if a stream has none at present, or a negative errno: -EBADMSG with *error saying what is
 * wrong at which offset (everything before it has been delivered; later calls return the same
 * error), -EIO and others of read(2).
 */
TALLY_API int tally_recording_read(struct tally_recording *recording, struct tally_batch *batch,
                                   struct tally_error *error);

/* Bytes of input consumed so far, for progress displays. */
TALLY_API uint64_t tally_recording_position(const struct tally_recording *recording);

/*
 * CPU time (CLOCK_MONOTONIC, ns) of an unwrapped GPU time, by interpolation between the two
 * correlation points around it; beyond the first or last point the nearest interval is extended,
 * and with a single point the timestamp frequency is used.
 * Returns 0, or -ENODATA if the recording has no correlation point.
 */
TALLY_API int tally_recording_cpu_ns(const struct tally_recording *recording, uint64_t gpu_ticks,
                                     uint64_t *out);

/* A pair of times taken together. */
struct tally_correlation {
    uint64_t cpu_ns;
    uint64_t gpu_ticks; /* unwrapped, OA ticks */
};

/* The correlation points read so far (all of them after tally_recording_index()). */
TALLY_API size_t tally_recording_correlations(const struct tally_recording *recording,
                                              const struct tally_correlation **out);

/* Why something is missing. */
enum tally_loss_kind {
    TALLY_LOSS_REPORT,     /* REPORT_LOST: the unit was still writing when the next came due */
    TALLY_LOSS_BUFFER,     /* BUFFER_LOST: the buffer overflowed; all it held is gone */
    TALLY_LOSS_AMBIGUOUS,  /* no report is missing, but counters may have wrapped unseen */
    TALLY_LOSS_NOT_LANDED, /* a report, or slot of a raw buffer, whose id and timestamp are 0 */
    TALLY_LOSS_UNREADABLE, /* the input is damaged from here on */
    TALLY_LOSS_SKIPPED,    /* a record of a type that is not known */
    TALLY_LOSS_MISSING,    /* reports that the timer must have caused are not there, and no record
                              tells why; of PCOUNTER buffers: packets that a steady STOP must have */
    /* PCOUNTER record buffers only (tally/packets.h). */
    TALLY_LOSS_CYCLES,    /* a signal that is always 1 was counted in fewer cycles than went by */
    TALLY_LOSS_SATURATED, /* a counter of the packet stopped at its largest value */
    TALLY_LOSS_RESTART,   /* the cycle counter went back: RECORD_START, or an older packet */
    TALLY_LOSS_MALFORMED, /* a slot that holds no packet */
    /* Recordings again. */
    TALLY_LOSS_CLOCK,    /* the GPU's time has moved on by itself, between two correlation points */
    TALLY_LOSS_UNWRITTEN /* reports were read, and the disk was full */
};

/*
 * "report-lost", "buffer-lost", "ambiguous", "not-landed", "unreadable", "skipped", "missing";
 * "cycles-lost", "saturated", "restart", "malformed"; "clock-jump", "unwritten".
 */
TALLY_API const char *tally_loss_kind_name(enum tally_loss_kind kind);

/* One line of the loss ledger. */
struct tally_loss {
    enum tally_loss_kind kind;
    uint64_t records; /* how many records of this kind stand in a row here */
    uint64_t
        before_index;   /* reports delivered before it: it lies between before_index - 1 and it */
    uint64_t offset;    /* byte offset of the first record in the input */
    uint64_t gpu_start; /* unwrapped time of the report before it; 0 if there is none */
    uint64_t gpu_end;   /* unwrapped time of the report after it; 0 if there is none */
    uint64_t estimated; /* reports that a steady timer would have written there; 0: unknown */
};

/*
 * The ledger so far. Returns the number of entries and points *out at them (valid until the next
 * read). At most 65,536 entries are kept apart; later losses are added to the last one, so that
 * the sums stay right in constant memory.
 */
TALLY_API size_t tally_recording_losses(const struct tally_recording *recording,
                                        const struct tally_loss **out);

/* Sums over a recording so far. */
struct tally_recording_totals {
    uint64_t reports;     /* delivered */
    uint64_t losses;      /* REPORT_LOST and BUFFER_LOST records, slots not landed, gaps without a
                             record, and disks that were full */
    uint64_t lost_deltas; /* deltas whose state is not TALLY_STATE_OK */
    uint64_t unknown_records;
    uint64_t first_ticks; /* unwrapped time of the first and last report */
    uint64_t last_ticks;
};

TALLY_API struct tally_recording_totals
tally_recording_totals(const struct tally_recording *recording);

/*
 * Writing. A writer buffers; every record is whole in the file once it has been flushed, so a
 * reader of an unfinished file sees at most its last record cut.
 */
struct tally_recorder;

/*
 * Starts a recording on `fd` (which stays the caller's): writes VERSION, DEVICE_INFO and, if
 * `topology_size` is not 0, DEVICE_TOPOLOGY with the kernel's reply. Errors: those of write(2).
 */
TALLY_API int tally_recorder_new(int fd, const struct tally_device_info *info, const void *topology,
                                 size_t topology_size, struct tally_recorder **out,
                                 struct tally_error *error);

/* Writes what is buffered. Returns 0 or the negative errno of write(2). */
TALLY_API int tally_recorder_flush(struct tally_recorder *recorder, struct tally_error *error);

/* Frees without flushing; accepts NULL. */
TALLY_API void tally_recorder_free(struct tally_recorder *recorder);

/*
 * Appends one record: `size` bytes of payload (0 to 65,520), zero padded to a multiple of 8.
 * Returns 0, -EMSGSIZE, or an error of write(2).
 */
TALLY_API int tally_recorder_write(struct tally_recorder *recorder, uint32_t type,
                                   const void *payload, size_t size, struct tally_error *error);

/*
 * Appends whole records as they are, headers and all: what read(2) of the kernel's stream gave.
 * `size` is the sum of their sizes. Returns 0 or an error of write(2).
 */
TALLY_API int tally_recorder_append(struct tally_recorder *recorder, const void *records,
                                    size_t size, struct tally_error *error);

/* Appends a TIMESTAMP_CORRELATION record. `gpu_ticks` is the 36-bit register value. */
TALLY_API int tally_recorder_correlate(struct tally_recorder *recorder, uint64_t cpu_ns,
                                       uint64_t gpu_ticks, struct tally_error *error);

#ifdef __cplusplus
}
#endif

#endif
