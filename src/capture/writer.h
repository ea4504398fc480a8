/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_WRITER_H
#define TALLY_CAPTURE_WRITER_H

#include "capture/file.h"
#include "capture/queue.h"

/* The thread that takes chunks from a queue and writes them to a file. */
struct writer {
    struct record_file file;
    struct queue *queue;
    pthread_t thread;
    bool open, running;
    int result;
    struct tally_error error;
};

/* Opens the file. Its contents do not change before writer_start(). */
int writer_open(struct writer *writer, const char *path, struct tally_error *error);

/* Writes the head, and starts the thread that writes the chunks of the queue. */
int writer_start(struct writer *writer, struct queue *queue, const struct record_head *head,
                 struct tally_error *error);

/* Waits until the queue is written, and closes the file. Returns the first error of either. A
 * zeroed writer is allowed. */
int writer_finish(struct writer *writer, struct tally_error *error);

#endif
