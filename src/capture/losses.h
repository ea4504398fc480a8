/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_LOSSES_H
#define TALLY_CAPTURE_LOSSES_H

#include "base/buffer.h"
#include "capture/file.h"

/*
 * Counts the reports that are missing from a stream, with the reader of recordings, so that the
 * recorder states the number that the loss ledger of its file adds up to: a jump of the GPU's clock
 * is not taken for lost reports, and a loss record is counted with the gap that it belongs to.
 */
struct losses {
    struct buffer bytes; /* that the reader has not taken */
    size_t taken;
    struct tally_recording *recording; /* NULL before the first report */
    struct tally_batch *batch;
    bool ended; /* the records cannot be read: the count stays as it is, and `error` says why */
    struct tally_error error;
};

/* Begins with the head of a recording, as if it had the reports of all contexts. Returns 0 or
 * -ENOMEM. losses_fini() follows in either case. */
int losses_start(struct losses *losses, const struct record_head *head);

/* Takes the next records of the recording. */
void losses_take(struct losses *losses, const void *records, size_t size);

/* Returns the number of missing reports so far; if `error` is set, it may be too small. */
uint64_t losses_missing(const struct losses *losses);

void losses_fini(struct losses *losses);

#endif
