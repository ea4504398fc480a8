/* SPDX-License-Identifier: MIT */
#ifndef TALLY_RECORDING_H
#define TALLY_RECORDING_H

/*
 * Recordings: files of the records that an i915-perf stream delivers, with the metadata needed to
 * read them. The format is that of i915-perf-recorder in IGT GPU Tools; docs/recording-format.md
 * specifies it. Three kinds of input are supported:
 *
 *   container  VERSION, DEVICE_INFO, DEVICE_TOPOLOGY, TIMESTAMP_CORRELATION records among the
 *              kernel's records, as i915-perf-recorder and `tally record` write it
 *   stream     the kernel's records alone
 *   raw        reports back to back, as the unit wrote them to memory
 *
 *     struct tally_recording *recording;
 *     struct tally_batch *batch = tally_batch_new();
 *     if (tally_recording_open("hsw.i915-perf", NULL, &recording, &error) == 0) {
 *         const struct tally_layout *layout = tally_recording_info(recording)->layout;
 *         while (tally_recording_read(recording, batch, &error) > 0)
 *             for (size_t i = batch->first_index ? 1 : 0; i < batch->count; i++)
 *                 tally_report_unpack(layout, batch->reports[i], slots);    // <tally/report.h>
 *         tally_recording_close(recording);
 *     }
 *     tally_batch_free(batch);
 *
 * A reader returns reports in batches, and uses constant memory for any size of input. It unwraps
 * timestamps, decodes contexts and reasons, converts GPU time to CPU time, and keeps the loss
 * ledger, which has an entry with interval and reason for all missing reports. <tally/pipeline.h>
 * evaluates the metrics of a recording without this interface.
 *
 * All reports before a malformed part of the input are delivered before the error is returned.
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

/* Record types. 1 to 3 are written by the kernel, those from 65536 on by i915-perf-recorder, those
 * from 0x54000000 on by Tally. */
enum tally_record_type {
    TALLY_RECORD_SAMPLE = 1,                    /* one report */
    TALLY_RECORD_REPORT_LOST = 2,               /* the OA unit dropped one or more reports */
    TALLY_RECORD_BUFFER_LOST = 3,               /* the report buffer overflowed and was wiped */
    TALLY_RECORD_VERSION = 65536,               /* u32 version (1), u32 0 */
    TALLY_RECORD_DEVICE_INFO = 65537,           /* struct tally_device_info, packed: 336 bytes */
    TALLY_RECORD_DEVICE_TOPOLOGY = 65538,       /* the kernel's topology reply */
    TALLY_RECORD_TIMESTAMP_CORRELATION = 65539, /* u64 CPU ns, u64 GPU ticks */
    TALLY_RECORD_PROVENANCE = 0x54000000,       /* UTF-8 text: what wrote the file, and how */
    TALLY_RECORD_LEDGER = 0x54000001,           /* losses reported by the writer of the file */
    TALLY_RECORD_STREAM = 0x54000002,           /* period of the timer, and the context of the
                                                 * reports */
    TALLY_RECORD_CHIPSET = 0x54000003,          /* an NVIDIA GPU */
    TALLY_RECORD_SIGNALS = 0x54000004,          /* what the counters of its reports count */
    TALLY_RECORD_PACKETS = 0x54000005,          /* packets of PCOUNTER's record mode */
    TALLY_RECORD_PHASES = 0x54000006,           /* phases of a modelled GPU's workload */
    TALLY_RECORD_MARKS = 0x54000007,            /* what the program was doing when */
    TALLY_RECORD_SEGMENT = 0x54000008           /* recording was paused, or continued later */
};

/* Bytes of the record header: u32 type, u16 pad, u16 size of the whole record. */
#define TALLY_RECORD_HEADER_BYTES 8

enum tally_recording_kind {
    TALLY_KIND_AUTO, /* decide by the first record */
    TALLY_KIND_CONTAINER,
    TALLY_KIND_STREAM,
    TALLY_KIND_RAW
};

/* The contents of a DEVICE_INFO record. Plain data. */
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
 * Options of opening a recording. All zero: determine everything from the input. `size` is
 * sizeof(struct tally_recording_options) in the caller's header; members that only the library has
 * are zero, and members that only the caller has must be zero, or -E2BIG is returned. A size of 0
 * stands for the members up to `keep_unsorted`.
 */
struct tally_recording_options {
    size_t size;
    enum tally_recording_kind kind;
    const struct tally_platform *platform; /* streams and raw buffers: platform of the reports */
    const struct tally_layout *layout;     /* streams and raw buffers; overrides a container's */
    uint64_t timestamp_hz;                 /* streams and raw buffers; 0: the platform's default */
    bool map;           /* map the file instead of reading it: no copy, same results */
    bool keep_unsorted; /* accept timestamps that decrease (raw rings) */
    bool live;          /* pipes and streams: read what has arrived, do not wait for a full batch */
};

/* ---- NVIDIA GPUs --------------------------------------------------------------------------- */

/* A domain of PCOUNTER and the frequency of its clock when the recording began. */
struct tally_recorded_domain {
    uint16_t domain;   /* TALLY_DOMAIN() of <tally/chipset.h> */
    uint16_t instance; /* number of the GPC or partition; otherwise 0 */
    uint64_t hz;       /* 0: unknown */
};

/* The contents of a CHIPSET record. `domains` belongs to the recording. */
struct tally_recorded_chipset {
    uint32_t boot0;     /* PMC's boot register, 000000h */
    uint32_t device_id; /* PCI device id, vendor 10deh; 0: unknown, or not a PCI device */
    const struct tally_recorded_domain *domains;
    size_t domain_count;
};

/*
 * A signal or expression that was counted. The count of signal n is counter A n, and the clocks of
 * its domain in its pass are counter PEC n. Texts are never NULL.
 */
struct tally_recorded_signal {
    const char *symbol;     /* unique in the recording: "GR_IDLE" */
    const char *expression; /* over signals of the chipset: "PGRAPH.IDLE" */
    uint8_t bits;           /* 0: clocks in which the expression is true; else the sum of numbers of
                             * this many bits */
    uint8_t slot;           /* counter of the domain: 0 PRE, 1 START, 2 EVENT, 3 STOP */
    uint8_t clock;          /* index among the clocks */
};

#define TALLY_ALL_INSTANCES UINT16_C(0xffff)

/* The clocks of a domain in a pass. */
struct tally_recorded_clock {
    uint8_t pass;      /* from 0 */
    uint8_t domain;    /* TALLY_DOMAIN() */
    uint16_t instance; /* number of the GPC or partition, or TALLY_ALL_INSTANCES: the sum over all;
                        * otherwise 0 */
};

/*
 * The contents of a SIGNALS record. The counters of reports are cumulative. With several passes,
 * the domains count one pass after the other, and a report follows when each has counted once: a
 * count and the clocks of its own signal belong together, and both cover a part of the time.
 */
struct tally_recorded_signals {
    const struct tally_recorded_signal *signals;
    size_t count; /* 1 to 64 */
    const struct tally_recorded_clock *clocks;
    size_t clock_count; /* 1 to 64 */
    unsigned passes;    /* 1 to 64 */
};

/*
 * The contents of a PHASES record: the workload of a modelled GPU runs its phases in order, and
 * repeats them. One repetition is a frame.
 */
struct tally_recorded_phases {
    const char *workload; /* its name */
    uint64_t start_ticks; /* unwrapped GPU time at which the first phase began */
    const uint64_t *durations_ns;
    size_t count; /* 1 to 256 */
};

/* ---- marks --------------------------------------------------------------------------------- */

enum tally_mark_kind {
    TALLY_MARK_POINT, /* a section begins, which lasts until the next one in the same region */
    TALLY_MARK_BEGIN, /* a region begins, */
    TALLY_MARK_END,   /* and the latest region with this name ends */
    TALLY_MARK_FRAME  /* a frame ends, and the next one begins */
};

/* Returns "mark", "begin", "end" or "frame", the words of docs/marks.md. Static text. */
TALLY_API const char *tally_mark_kind_name(enum tally_mark_kind kind);

/* Maximum length of a mark's name in bytes; a longer one is cut. */
#define TALLY_MARK_NAME_MAX 127

/* A mark as it is recorded: see tally_capture_mark() of <tally/capture.h>, and <tally/mark.h> for
 * programs that make marks. */
struct tally_mark {
    enum tally_mark_kind kind;
    const char *name;        /* of UTF-8; NULL: none, as of frames */
    uint64_t cpu_ns;         /* CLOCK_MONOTONIC */
    uint64_t uncertainty_ns; /* it was made at cpu_ns or at most this time before */
};

/* A mark of a recording. */
struct tally_recorded_mark {
    uint64_t gpu_ticks;      /* unwrapped, by the correlation points */
    uint32_t uncertainty_ns; /* it was made at this time or at most this before */
    uint32_t name;           /* index in `names`; UINT32_MAX: of too many names */
    enum tally_mark_kind kind;
};

/*
 * The marks of a recording in order of time. They divide it into sections, each with the name of
 * the latest mark, or of the region that has begun last and not ended yet, and into frames. Names
 * are printable UTF-8; names[0] is "", of the time without a mark.
 */
struct tally_recorded_marks {
    const struct tally_recorded_mark *marks;
    size_t count;
    const char *const *names;
    size_t name_count;
    size_t sections;      /* changes from one section to another */
    size_t frames;        /* marks that end a frame */
    size_t unmatched;     /* ends without a beginning, and regions that did not end */
    uint64_t clock_ticks; /* uncertainty of gpu_ticks by the correlation of both clocks */
};

/* Properties of an open recording. Pointers are valid until it is closed. */
struct tally_recording_info {
    enum tally_recording_kind kind;
    const char *path;           /* as opened; "-" is standard input */
    uint64_t size_bytes;        /* 0 if unknown (a pipe) */
    struct tally_device device; /* device.id is 0 if only the platform is known */
    struct tally_device_info recorded;
    const struct tally_layout *layout;
    struct tally_topology topology; /* the platform's default if none was recorded */
    bool has_topology;
    const char *provenance; /* text of the PROVENANCE record, or NULL */

    /* Of an NVIDIA GPU, whose topology is empty; NULL of an Intel one. */
    const struct tally_recorded_chipset *chipset;
    const struct tally_recorded_signals *signals;

    /* Of the STREAM record: the period of the reports in ticks of the timestamp, 0: unknown; and
     * whether the recording states that its GPU is a model. */
    uint64_t period_ticks;
    bool modelled;

    const struct tally_recorded_phases *phases; /* NULL: the recording does not state any */

    /* NULL: the recording has none, or it is a pipe. Known from opening on if the recording states
     * that it may have marks, else from tally_recording_index() on. */
    const struct tally_recorded_marks *marks;
};

/* Whether a delta can be trusted. */
enum tally_state {
    TALLY_STATE_OK,
    TALLY_STATE_LOST,      /* reports are missing between the two */
    TALLY_STATE_AMBIGUOUS, /* a 32-bit counter may have wrapped more than once */
    TALLY_STATE_PAUSED     /* the recording was paused between the two: nothing is lost */
};

/* Returns "ok", "lost", "ambiguous" or "paused". Static text. */
TALLY_API const char *tally_state_name(enum tally_state state);

/*
 * Consecutive reports. Element 0 is the last report of the previous batch, so that there is a delta
 * from element i to i + 1 for every i < count - 1, and each delta of a recording is in exactly one
 * batch. Only the first batch starts with a new report.
 */
struct tally_batch {
    size_t count;            /* elements in each array: 0, 2 or more; 1 if the first batch has
                              * only one report */
    uint64_t first_index;    /* index in the recording of element 0, counted from 0 */
    const uint8_t **reports; /* raw bytes of each report */
    uint64_t *gpu_ticks;     /* unwrapped OA timestamps */
    uint32_t *contexts;      /* TALLY_CONTEXT_IDLE: none */
    uint8_t *reasons;        /* enum tally_reason bits */
    uint8_t *states;         /* enum tally_state of the delta from element i to i + 1 */
    uint64_t period_ticks;   /* of the timer: the stated one, or else the most frequent distance
                              * between timer reports of the first batch; 0: unknown */
};

/* Allocates a batch for the reports of one read. Returns NULL if out of memory. Free it with
 * tally_batch_free(), which accepts NULL. */
TALLY_API struct tally_batch *tally_batch_new(void);
TALLY_API void tally_batch_free(struct tally_batch *batch);

struct tally_recording;

/*
 * Opens a recording. `path` "-" is standard input. `options` may be NULL. On success returns 0 and
 * *out, which the caller closes with tally_recording_close(). Errors: -ENOENT, -EACCES, -EISDIR and
 * other errors of open(2); -EBADMSG: malformed input; -ENODEV: unknown device or platform; -ENOMEM.
 */
TALLY_API int tally_recording_open(const char *path, const struct tally_recording_options *options,
                                   struct tally_recording **out, struct tally_error *error);

/*
 * Opens a recording in memory. The caller owns `bytes`, which must outlive the recording and its
 * batches. `name` is for messages.
 */
TALLY_API int tally_recording_open_memory(const void *bytes, size_t size, const char *name,
                                          const struct tally_recording_options *options,
                                          struct tally_recording **out, struct tally_error *error);

/*
 * Reads the next bytes of a stream: stores up to `size` (at least 1) bytes at `to` and returns
 * their number; 0 at the end of the stream; -EAGAIN if there are none at present; another negative
 * errno on an error. Called by the thread that opens or reads the recording.
 */
typedef ptrdiff_t tally_read_function(void *closure, void *to, size_t size);

/*
 * Opens a recording whose bytes the function `read` delivers, in pieces of any size, for example
 * while a recorder writes it. `name` is for messages. Opening reads up to the header of the first
 * report. If `read` returns -EAGAIN, so does this function (nothing is opened, and the bytes read
 * so far are lost), and so does tally_recording_read() (which can be called again). Errors: those
 * of tally_recording_open() and of `read`.
 */
TALLY_API int tally_recording_open_stream(tally_read_function *read, void *closure,
                                          const char *name,
                                          const struct tally_recording_options *options,
                                          struct tally_recording **out, struct tally_error *error);

/* Closes a recording; accepts NULL. Invalidates batches of a recording in memory or a mapped
 * file. */
TALLY_API void tally_recording_close(struct tally_recording *recording);

/* Returns the properties of a recording, which owns them. */
TALLY_API const struct tally_recording_info *
tally_recording_info(const struct tally_recording *recording);

/*
 * Walks the record headers of the whole file once, to collect all correlation points before the
 * first report is read. Without this call, CPU times are computed from the points read so far. Does
 * nothing on a pipe. Never fails: faults are reported when the records are read.
 */
TALLY_API void tally_recording_index(struct tally_recording *recording);

/*
 * Fills a batch with the next reports. Returns 1 if it holds reports, 0 at the end of the input,
 * -EAGAIN if a stream has none at present, or a negative errno: -EBADMSG if the input is malformed,
 * with the offset in *error (everything before it has been delivered; later calls return the same
 * error), -EIO and others of read(2).
 */
TALLY_API int tally_recording_read(struct tally_recording *recording, struct tally_batch *batch,
                                   struct tally_error *error);

/* Returns the bytes of input consumed so far, for progress displays. */
TALLY_API uint64_t tally_recording_position(const struct tally_recording *recording);

/*
 * Converts an unwrapped GPU time to CPU time (CLOCK_MONOTONIC, ns) by interpolation between the two
 * correlation points around it. Before the first and after the last point the nearest interval is
 * extrapolated; with a single point the timestamp frequency is used. Returns 0, or -ENODATA if the
 * recording has no correlation point.
 */
TALLY_API int tally_recording_cpu_ns(const struct tally_recording *recording, uint64_t gpu_ticks,
                                     uint64_t *out);

/* CPU and GPU time, read at the same moment. */
struct tally_correlation {
    uint64_t cpu_ns;
    uint64_t gpu_ticks; /* unwrapped, OA ticks */
};

/* Points *out at the correlation points read so far (all of them after tally_recording_index()),
 * valid until the next read, and returns their number. */
TALLY_API size_t tally_recording_correlations(const struct tally_recording *recording,
                                              const struct tally_correlation **out);

/* Kinds of losses. */
enum tally_loss_kind {
    TALLY_LOSS_REPORT,     /* REPORT_LOST: the unit was still writing when the next report was
                            * due */
    TALLY_LOSS_BUFFER,     /* BUFFER_LOST: the buffer overflowed, and its contents are lost */
    TALLY_LOSS_AMBIGUOUS,  /* no report is missing, but counters may have wrapped more than once */
    TALLY_LOSS_NOT_LANDED, /* a report, or slot of a raw buffer, whose id and timestamp are 0 */
    TALLY_LOSS_UNREADABLE, /* the input is damaged from here on */
    TALLY_LOSS_SKIPPED,    /* a record of unknown type */
    TALLY_LOSS_MISSING,    /* timer reports are missing, without a loss record; in PCOUNTER
                            * buffers: packets of a periodic STOP are missing */
    /* Only in PCOUNTER record buffers (tally/packets.h). */
    TALLY_LOSS_CYCLES,    /* a signal that is always 1 has a count below the elapsed cycles */
    TALLY_LOSS_SATURATED, /* a counter of the packet stopped at its maximum */
    TALLY_LOSS_RESTART,   /* the cycle counter decreased: RECORD_START, or an older packet; also in
                           * recordings of record mode */
    TALLY_LOSS_MALFORMED, /* a slot without a valid packet; also in those recordings */
    /* Only in recordings. */
    TALLY_LOSS_CLOCK,     /* the GPU's clock jumped between two correlation points */
    TALLY_LOSS_UNWRITTEN, /* reports were read but not written: the disk was full */
    /* Only in recordings of NVIDIA GPUs. */
    TALLY_LOSS_OVERFLOW, /* a counter of a domain reached its maximum in a period */
    TALLY_LOSS_PERIOD,   /* the counts of a period were overwritten before they were read */
    TALLY_LOSS_WEDGED,   /* a domain does not answer: its counts are missing */
    TALLY_LOSS_PACKETS   /* packets of record mode were dropped */
};

/*
 * Returns "report-lost", "buffer-lost", "ambiguous", "not-landed", "unreadable", "skipped",
 * "missing", "cycles-lost", "saturated", "restart", "malformed", "clock-jump", "unwritten",
 * "counter-overflow", "period-lost", "domain-wedged" or "packets-dropped". Static text.
 */
TALLY_API const char *tally_loss_kind_name(enum tally_loss_kind kind);

/* One entry of the loss ledger. */
struct tally_loss {
    enum tally_loss_kind kind;
    uint64_t records;      /* number of consecutive records of this kind */
    uint64_t before_index; /* number of reports before the loss, which is between the reports
                            * before_index - 1 and before_index */
    uint64_t offset;       /* byte offset of the first record in the input */
    uint64_t gpu_start;    /* unwrapped time of the previous report; 0 if there is none */
    uint64_t gpu_end;      /* unwrapped time of the next report; 0 if there is none */
    uint64_t estimated;    /* number of missing reports; 0: unknown */
    uint32_t clock;        /* of an NVIDIA GPU: index + 1 of the clock of the domain, in struct
                            * tally_recorded_signals; 0: it concerns no domain, or several */
    bool exact;            /* `estimated` was counted by the writer of the recording; otherwise it
                            * is computed from the timer's period, or that of packets */
};

/*
 * Returns the number of entries of the ledger so far and points *out at them (valid until the next
 * read). There are at most 65,536 entries; later losses are added to the last one, so that the sums
 * stay correct in constant memory.
 */
TALLY_API size_t tally_recording_losses(const struct tally_recording *recording,
                                        const struct tally_loss **out);

/* A time between two reports in which the recording was paused, or after which it was continued. */
struct tally_pause {
    uint64_t before_index; /* number of reports before it */
    uint64_t gpu_start;    /* unwrapped times of the reports before and after it */
    uint64_t gpu_end;
    bool appended; /* it was continued by another recorder: tally record --append */
};

/* Returns the number of pauses so far and points *out at them (valid until the next read). At most
 * 65,536 are listed; the totals have all. */
TALLY_API size_t tally_recording_pauses(const struct tally_recording *recording,
                                        const struct tally_pause **out);

/* Sums over a recording so far. */
struct tally_recording_totals {
    uint64_t reports;     /* delivered */
    uint64_t losses;      /* REPORT_LOST and BUFFER_LOST records, reports not landed, gaps
                           * without a record, and losses by a full disk */
    uint64_t lost_deltas; /* deltas whose state is LOST or AMBIGUOUS */
    uint64_t missing;     /* reports that the entries of the ledger account for: the sum of their
                           * `estimated` where values are missing */
    uint64_t unknown_records;
    uint64_t first_ticks; /* unwrapped time of the first and last report */
    uint64_t last_ticks;
    uint64_t pauses;       /* times between them in which the recording was paused, */
    uint64_t paused_ticks; /* and their sum */
};

/* Returns the sums so far. */
TALLY_API struct tally_recording_totals
tally_recording_totals(const struct tally_recording *recording);

/* Packets of record mode in a recording so far; each is a report, and a run begins with one more.
 */
struct tally_recorded_packets {
    uint64_t packets;
    uint64_t runs;      /* of the cycle counter */
    uint64_t overflows; /* packets that a full count has caused, not STOP */
    uint64_t merged;    /* clocks of STOP without a packet of their own: one was being sent */
    bool is_short;      /* the packets have 16 bytes, not 32 */
};

/* Returns them; all 0 for other recordings. */
TALLY_API struct tally_recorded_packets
tally_recording_packets(const struct tally_recording *recording);

/*
 * A writer of recordings. It buffers its output and writes whole records, so that only the last
 * record of an unfinished file can be incomplete. A writer belongs to one thread at a time.
 */
struct tally_recorder;

/*
 * Starts a recording on `fd`, which the caller owns: writes VERSION, DEVICE_INFO and, if
 * `topology_size` is not 0, DEVICE_TOPOLOGY with the kernel's topology reply. Returns 0 and *out,
 * to be freed with tally_recorder_free(); -EMSGSIZE, -ENOMEM or an error of write(2).
 */
TALLY_API int tally_recorder_new(int fd, const struct tally_device_info *info, const void *topology,
                                 size_t topology_size, struct tally_recorder **out,
                                 struct tally_error *error);

/* Writes the buffered data. Returns 0 or the negative errno of write(2). */
TALLY_API int tally_recorder_flush(struct tally_recorder *recorder, struct tally_error *error);

/* Frees a writer without flushing; accepts NULL. */
TALLY_API void tally_recorder_free(struct tally_recorder *recorder);

/*
 * Appends one record: `size` bytes of payload (0 to 65,520), zero padded to a multiple of 8.
 * Returns 0, -EMSGSIZE, or an error of write(2).
 */
TALLY_API int tally_recorder_write(struct tally_recorder *recorder, uint32_t type,
                                   const void *payload, size_t size, struct tally_error *error);

/*
 * Appends the records CHIPSET and SIGNALS, which make it a recording of an NVIDIA GPU. `chipset` is
 * its name, "g92"; texts of signals that are too long for the record are cut. Call it once, before
 * the first report. Returns 0, -ENOMEM, or an error of write(2).
 */
TALLY_API int tally_recorder_chipset(struct tally_recorder *recorder, const char *chipset,
                                     const struct tally_recorded_chipset *recorded,
                                     const struct tally_recorded_signals *signals,
                                     struct tally_error *error);

/* Appends a LEDGER record: a loss after the last report, by its kind, records, estimated and clock.
 * Returns 0, -ENOMEM, or an error of write(2). */
TALLY_API int tally_recorder_loss(struct tally_recorder *recorder, const struct tally_loss *loss,
                                  struct tally_error *error);

/*
 * Appends whole records including their headers, as read from an i915-perf stream. `size` is the
 * sum of their sizes. Returns 0 or an error of write(2).
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
