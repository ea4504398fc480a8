/* SPDX-License-Identifier: MIT */
#ifndef TALLY_RECORDING_READER_H
#define TALLY_RECORDING_READER_H

#include <tally/recording.h>

#include "intel/report/layouts.h"
#include "recording/clock.h"
#include "recording/format.h"
#include "recording/ledger.h"
#include "recording/source.h"
#include "recording/timer.h"

/* An open recording. reader.c opens and reads it, describe.c finds out what it is, walk.c turns its
 * bytes into batches. */
struct tally_recording {
    struct source source;
    char *path;
    struct tally_recording_info info;
    bool keep_unsorted;
    bool live; /* a batch is what has arrived */
    char *provenance;

    /* What the reports look like. */
    const struct tally_platform *platform;
    unsigned timestamp_width;
    unsigned timestamp_at;
    unsigned context_at;
    bool has_context;
    uint64_t ambiguous_after_ticks; /* longer deltas may hide a wrap; UINT64_MAX: none does */

    /* Bytes read but not yet walked (read sources); the rest of a record cut by a batch's end. */
    uint8_t *pending;
    size_t pending_size;
    size_t pending_capacity;
    bool at_end;
    bool fresh;      /* live: what opening has read has not been walked */
    bool again;      /* the stream had nothing at present */
    uint64_t offset; /* of the first byte not yet walked */

    struct clock_line clock;
    struct point_list points;
    bool indexed; /* the points are all known; the walk adds none */

    struct ledger ledger;
    bool unreadable_noted;
    bool loss_pending; /* a loss since the latest report */
    struct timer timer;
    uint64_t
        owed; /* entry of the ledger, from 1, whose lost reports have not been found; 0: none */
    struct tally_recording_totals totals;

    /* The latest report, which starts the next batch. */
    uint8_t last_report[REPORT_BYTES_MAX];
    uint64_t last_ticks;
    uint32_t last_context;
    uint8_t last_reason;

    struct tally_error fault;    /* ends the reading */
    struct tally_error deferred; /* reported at the end of the input */
};

/* Copies `size` bytes at `offset` without consuming them; for a pipe only what is pending. */
size_t recording_peek(const struct tally_recording *recording, uint64_t offset, void *to,
                      size_t size);

/* Steps from record to record without consuming any. */
struct headers {
    const struct tally_recording *recording;
    uint64_t offset; /* of the present record */
    struct record_header header;
    const uint8_t *record; /* its first bytes: HEADERS_BYTES, or `room` at the end of the input */
    size_t room;
    uint64_t base; /* offset of the window */
    size_t have;
    uint8_t window[64 * 1024];
};

/* What is sure to be at hand of each record: its header, and a correlation or a timestamp. */
#define HEADERS_BYTES (TALLY_RECORD_HEADER_BYTES + CORRELATION_BYTES)

/* headers_next() goes to the first, then the next record. False: no header, or a bad size. */
void headers_start(struct headers *headers, const struct tally_recording *recording);
bool headers_next(struct headers *headers);

/* The timestamp of a report as it stands there. */
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
    uint8_t bytes[BATCH_BYTES];
};

/* Does what is pending, of an input that cannot be peeked at, suffice for recording_describe()? */
bool recording_can_describe(const struct tally_recording *recording,
                            const struct tally_recording_options *options);

/*
 * Fills in recording->info and what follows from it (describe.c). Errors as of
 * tally_recording_open(), without the path.
 */
int recording_describe(struct tally_recording *recording,
                       const struct tally_recording_options *options, struct tally_error *error);

/*
 * Walks records from `bytes` into the batch until it is full, the bytes end inside a record, or a
 * fault (recording->fault is then set). Returns the bytes walked.
 */
size_t walk_records(struct tally_recording *recording, struct batch *batch, const uint8_t *bytes,
                    size_t size);

/* The same for raw buffers. */
size_t walk_raw(struct tally_recording *recording, struct batch *batch, const uint8_t *bytes,
                size_t size);

#endif
