/* SPDX-License-Identifier: MIT */
#ifndef TALLY_RECORDING_READER_H
#define TALLY_RECORDING_READER_H

#include <tally/recording.h>

#include "intel/report/layouts.h"
#include "nvidia/pcounter/packet.h"
#include "recording/chipset.h"
#include "recording/clock.h"
#include "recording/format.h"
#include "recording/ledger.h"
#include "recording/marks.h"
#include "recording/phases.h"
#include "recording/source.h"
#include "recording/timer.h"

/* The packets of record mode so far, from which reports are made (walk_packets.c). */
struct packet_runs {
    bool begun;
    uint32_t run;
    uint64_t start_ns;                    /* of the run */
    uint64_t cycles;                      /* of its latest packet, unwrapped */
    uint64_t counts[PACKET_COUNTS], stop; /* of all packets */
    uint64_t clocks;
    struct tally_recorded_packets totals;
};

/* An open recording. reader.c opens and reads it, describe.c determines its kind and layout, walk.c
 * turns its bytes into batches. */
struct tally_recording {
    struct source source;
    char *path;
    struct tally_recording_info info;
    bool keep_unsorted;
    bool live; /* return a batch of the reports that have arrived */
    char *provenance;
    struct chipset_records nvidia;
    struct phases_record phases;
    struct marks marks;
    bool may_have_marks; /* by STREAM */

    /* Layout of the reports. */
    const struct tally_platform *platform; /* NULL: an NVIDIA GPU */
    unsigned timestamp_width;
    unsigned timestamp_at;
    unsigned context_at;
    bool has_context;
    uint64_t ambiguous_after_ticks; /* longer deltas may hide a wrap; UINT64_MAX: no limit */

    /* Bytes read but not yet walked (read sources), or the rest of a record that was cut by the end
     * of a batch. */
    uint8_t *pending;
    size_t pending_size;
    size_t pending_capacity;
    bool at_end;
    bool fresh;      /* live: the bytes read while opening have not been walked */
    bool again;      /* the stream has no data at present */
    uint64_t offset; /* offset of the first byte not yet walked */

    struct clock_line clock;
    struct point_list points;
    bool indexed; /* all points are known; the walk adds none */

    struct ledger ledger;
    bool unreadable_noted;
    bool loss_pending; /* a loss was noted since the latest report */
    bool paused;       /* a SEGMENT record was read since then, */
    bool appended;     /* of another recorder */
    struct timer timer;
    bool period_known; /* since the first batch */
    uint64_t period_ticks;
    struct packet_runs runs;
    uint64_t unresolved; /* ledger entry, from 1, whose gap has not been seen yet; 0: none */
    struct tally_recording_totals totals;

    /* The latest report, which starts the next batch. */
    uint8_t last_report[REPORT_BYTES_MAX];
    uint64_t last_ticks;
    uint32_t last_context;
    uint8_t last_reason;

    struct tally_error fault;    /* reading stops here */
    struct tally_error deferred; /* reported at the end of the input */
};

/* Copies up to `size` bytes at `offset` without consuming them; of a pipe only pending bytes.
 * Returns the number of bytes. */
size_t recording_peek(struct tally_recording *recording, uint64_t offset, void *to, size_t size);

/* Steps from record to record without consuming any. */
struct headers {
    struct tally_recording *recording;
    uint64_t offset; /* offset of the current record */
    struct record_header header;
    const uint8_t *record; /* its first bytes: HEADERS_BYTES, or `available` if fewer */
    size_t available;
    uint64_t base; /* offset of the window */
    size_t have;
    uint8_t window[64 * 1024];
};

/* Bytes of each record that are available except at the end of the input: its header, and a
 * correlation or a timestamp. */
#define HEADERS_BYTES (TALLY_RECORD_HEADER_BYTES + CORRELATION_BYTES)

/* headers_next() moves to the first record, then to the next one. Returns false if there is no
 * complete header or its size is invalid. */
void headers_start(struct headers *headers, struct tally_recording *recording);
bool headers_next(struct headers *headers);

/* Returns the raw timestamp of a report. */
static inline uint64_t report_stamp(const struct tally_recording *recording, const uint8_t *report)
{
    const uint8_t *at = report + recording->timestamp_at;
    return recording->timestamp_width == 64 ? load_le64(at) : load_le32(at);
}

/* The public batch, and the memory behind its pointers. */
#define BATCH_BYTES   (256u * 1024)
#define BATCH_REPORTS 4096u

struct batch {
    struct tally_batch public;
    const uint8_t *report_pointers[BATCH_REPORTS + 1];
    uint64_t gpu_ticks[BATCH_REPORTS + 1];
    uint32_t contexts[BATCH_REPORTS + 1];
    uint8_t reasons[BATCH_REPORTS + 1];
    uint8_t states[BATCH_REPORTS + 1];
    uint8_t previous[REPORT_BYTES_MAX];
    uint8_t *made; /* reports made of packets, by their index in the batch; NULL: none yet */
    uint8_t bytes[BATCH_BYTES];
};

/* True if the pending bytes of an input that cannot seek suffice for recording_describe(). */
bool recording_can_describe(struct tally_recording *recording,
                            const struct tally_recording_options *options);

/*
 * Fills in recording->info and the members derived from it (describe.c). Errors: as in
 * tally_recording_open(), without the path.
 */
int recording_describe(struct tally_recording *recording,
                       const struct tally_recording_options *options, struct tally_error *error);

/* For walk.c and walk_packets.c: add a report to the batch, which has space for it; returns false
 * on a fault. Note one loss, or several, after the latest report. */
bool walk_report(struct tally_recording *recording, struct batch *batch, const uint8_t *report,
                 uint64_t offset);
void walk_loss(struct tally_recording *recording, enum tally_loss_kind kind, uint64_t offset);
void walk_losses(struct tally_recording *recording, struct tally_loss *loss);

/* Makes reports of the packets of a whole PACKETS record; the batch has space for all of them and
 * one more. Returns false on a fault. */
bool walk_packets(struct tally_recording *recording, struct batch *batch, const uint8_t *record,
                  uint64_t offset);

/*
 * Walks records from `bytes` into the batch until it is full, the bytes end inside a record, or
 * there is a fault (recording->fault is set). Returns the number of bytes walked.
 */
size_t walk_records(struct tally_recording *recording, struct batch *batch, const uint8_t *bytes,
                    size_t size);

/* Same as walk_records(), for raw buffers. */
size_t walk_raw(struct tally_recording *recording, struct batch *batch, const uint8_t *bytes,
                size_t size);

/* Opens a recording by its descriptor, which it takes, also on failure. `name` is what messages
 * call it. */
int recording_open_file(int fd, const char *name, const struct tally_recording_options *options,
                        struct tally_recording **out, struct tally_error *error);

#endif
