/* SPDX-License-Identifier: MIT */
#ifndef TALLY_AGENT_AGENT_H
#define TALLY_AGENT_AGENT_H

#include <pthread.h>
#include <stdatomic.h>

#include <tally/capture.h>

#include "agent/config.h"
#include "serve/serve.h"

/*
 * tally agent: records rings, one after the other, on each device in a thread of its own. One more
 * thread evaluates them and keeps what the rules want, and one sends what is kept. The caller's
 * thread serves /metrics.
 */

enum agent_kept { KEPT_LOSS, KEPT_CHECK, KEPT_SHARE, AGENT_KEPT_REASONS };
enum agent_dropped {
    DROPPED_CPU,   /* to stay below the limit: not recorded */
    DROPPED_DISK,  /* no space: not recorded, or not kept */
    DROPPED_BUSY,  /* the one before had not been evaluated */
    DROPPED_ERROR, /* of the device, the evaluation or the store */
    AGENT_DROPPED_REASONS
};

struct agent_stats {
    uint64_t recorded, uploaded;
    uint64_t kept[AGENT_KEPT_REASONS], dropped[AGENT_DROPPED_REASONS]; /* rings */
    uint64_t sent_bytes, stored_bytes; /* by the network; in rings and spool */
};

/* A ring that was recorded. */
struct agent_ring {
    struct agent_ring *next;
    size_t device;   /* AGENT_DEVICES_MAX: of an agent that was killed */
    uint64_t number; /* of the device's rings, from 0 */
    bool lost;       /* reports are missing */
    char path[];
};

struct agent_device {
    struct agent *agent;
    size_t index;
    struct tally_capture *capture;
    struct serve_device *shown;
    pthread_t thread;
    uint64_t number; /* of the next ring */
    bool waits;      /* a ring of it is to be evaluated */
    bool failed;     /* the last ring: the reason was printed */
};

struct agent {
    const struct agent_config *config;
    void (*say)(const char *message); /* prints a line, from any thread */
    struct serve *serve;
    struct agent_device devices[AGENT_DEVICES_MAX];
    size_t device_count;
    struct check *checks; /* of the configuration and of the budget */
    size_t check_count;
    uint64_t started_ns;
    int rings_fd;          /* of the directory of rings, which is locked */
    atomic_bool cancelled; /* sending ends at once */

    pthread_mutex_t lock; /* protects all below */
    pthread_cond_t changed;
    bool stopping;  /* record no more */
    bool recorded;  /* no more rings come */
    bool evaluated; /* nothing more is kept */
    bool waiting;   /* the spool may have something */
    bool sent;      /* nothing more is sent */
    struct agent_ring *first, **last;
    struct agent_stats stats;
};

/* Opens the devices, creates the directories, and runs until a signal is readable from stop_fd;
 * then finishes the rings, and keeps what the rules want. Returns 0 or a negative errno. */
int agent_run(const struct agent_config *config, int stop_fd, void (*say)(const char *message),
              void (*ready)(const struct serve *serve), struct tally_error *error);

/* Prints a formatted line. */
__attribute__((format(printf, 2, 3))) void agent_say(const struct agent *agent, const char *format,
                                                     ...);

/* Sets a flag of the agent, and wakes its threads. */
void agent_set(struct agent *agent, bool *flag);

/* Waits until the time has passed (of CLOCK_MONOTONIC), or no more is to be recorded. */
void agent_sleep(struct agent *agent, uint64_t ns);

void agent_drop(struct agent *agent, enum agent_dropped reason, uint64_t rings);

/* Bytes of files in the directory of rings. */
uint64_t agent_ring_bytes(const struct agent *agent);

/* The thread of a device (rings.c): a struct agent_device. */
void *agent_record(void *device);

/* The thread that evaluates (keep.c): a struct agent. */
void *agent_evaluate(void *agent);

/* The thread that sends what is kept (upload.c): a struct agent. It ends at once if the store is a
 * file. */
void *agent_upload(void *agent);

/* Keeps a recording (upload.c): in the store, or in the spool. Returns 0 or a negative errno. */
int agent_keep(struct agent *agent, const char *path, struct tally_error *error);

/* Bytes in the spool. */
uint64_t agent_spool_bytes(const struct agent *agent);

#endif
