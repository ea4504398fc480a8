/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_DUMP_H
#define TALLY_CAPTURE_DUMP_H

#include <pthread.h>
#include <stdatomic.h>

#include "capture/file.h"
#include "capture/ring.h"

/*
 * Writes the contents of a flight recorder to a file in a separate thread, so that recording
 * continues; without one, if no thread can be created. One dump at a time.
 */
struct dump {
    pthread_t thread;
    bool running, threaded;
    const struct record_head *head;
    char path[4096];
    uint8_t *records; /* a copy of the ring's */
    size_t size;
    _Atomic bool done;
    uint64_t reports, bytes; /* in the file */
    int result;
    struct tally_error error;
};

/* Starts a dump. Returns 0, or -ENAMETOOLONG or -ENOMEM with a message. */
int dump_start(struct dump *dump, const struct ring *ring, const char *path,
               const struct record_head *head, struct tally_error *error);

/* Waits until the dump is done. Returns its result; the message is in dump->error. */
int dump_finish(struct dump *dump);

#endif
