/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_DUMP_H
#define TALLY_CAPTURE_DUMP_H

#include <pthread.h>
#include <stdatomic.h>

#include "capture/file.h"
#include "capture/ring.h"

/*
 * Writing what a flight recorder holds to a file, in a thread of its own: the recorder goes on. One
 * at a time.
 */
struct dump {
    pthread_t thread;
    bool running;
    const struct record_head *head;
    char path[4096];
    uint8_t *records; /* a copy */
    size_t size;
    _Atomic bool done;
    uint64_t reports, bytes; /* in the file */
    int result;
    struct tally_error error;
};

/* Starts one. 0, or -ENOMEM or -EAGAIN with a message. */
int dump_start(struct dump *dump, const struct ring *ring, const char *path,
               const struct record_head *head, struct tally_error *error);

/* Waits for its end. Its result. */
int dump_finish(struct dump *dump);

#endif
