/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_SERVER_H
#define TALLY_PRELOAD_SERVER_H

/*
 * The server's parts: tree.c has the virtual files, descriptors.c those that programs hold,
 * events.c those of perf_event_open(), session.c a connection and its calls, caller.c what the
 * driver asks of a program meanwhile, server.c the loop, time and the program's life.
 */

#include <sys/epoll.h>
#include <sys/resource.h>

#include "base/buffer.h"
#include "preload/protocol.h"
#include "preload/server/emulate.h"

struct server;

/* ---- what epoll watches ---------------------------------------------------------------------- */

enum source_kind { SOURCE_LISTENER, SOURCE_SIGNAL, SOURCE_SESSION, SOURCE_DESCRIPTOR };

struct source {
    enum source_kind kind;
    int fd;
    void *owner; /* the session or descriptor that it is part of */
};

int server_watch(struct server *server, struct source *source);

/* ---- descriptors.c --------------------------------------------------------------------------- */

enum descriptor_of { OF_DEVICE, OF_STREAM, OF_FENCE, OF_EVENT };

/* A counter of perf_event_open(). */
struct event {
    uint64_t config, format;
    uint64_t born;              /* its id, which no other gets */
    uint32_t leader;            /* its group's, which is there; 0: none but itself */
    bool enabled, counts;       /* by its own; as its leader is, too */
    uint64_t count, enabled_ns; /* until it began to count last */
    uint64_t base, counts_from; /* since then; base: also of a reset */
};

/* Our end of a socket pair, whose other end programs have. */
struct descriptor {
    struct source source;
    struct descriptor *next;
    enum descriptor_of of;
    uint32_t number;
    struct i915_file *file;     /* OF_DEVICE */
    struct i915_stream *stream; /* OF_STREAM */
    uint64_t fence;             /* OF_FENCE */
    struct event event;         /* OF_EVENT */
    bool readable;              /* a byte lies in it */
};

/* Makes one; *theirs is the other end. What it stands for is its own from now on. -ENOMEM and
 * those of sockets. */
int descriptor_new(struct server *server, enum descriptor_of of, unsigned minor,
                   struct descriptor **out, int *theirs);
struct descriptor *descriptor_find(struct server *server, enum descriptor_of of, uint32_t number);

/* Closes what it stands for: all copies are gone. */
void descriptor_free(struct server *server, struct descriptor *descriptor);

/* What programs see of them: a byte lies in those that have become readable; streams are dry. */
void descriptors_show(struct server *server);

/* Closes those that no program has any more: a close() takes effect at once, and not when the loop
 * comes to it. */
void descriptors_reap(struct server *server);

/* It is not readable any more: true if the program has to take the byte. */
bool descriptor_drained(struct descriptor *descriptor);

/* ---- events.c -------------------------------------------------------------------------------- */

/* Is the frequency told that the GPU really has? Of Cherryview the kernel does not count it. */
bool event_has_actual_frequency(const struct server *server);

/* Makes one: 0; -ENOENT, -ENODEV: there is no such event. */
int event_new(struct server *server, const struct emulate_header *call, struct descriptor **out,
              int *theirs);

/* What a read of it gives: -ENOSPC if there is no room. */
int event_read(struct server *server, struct descriptor *descriptor, uint64_t bytes,
               struct buffer *out);

/* *out: what goes to where the argument points. */
int event_ioctl(struct server *server, struct descriptor *descriptor, uint32_t request,
                uint64_t argument, struct buffer *out);

/* All copies of it are gone: those that it led are on their own. */
void event_end(struct server *server, struct descriptor *descriptor);

/* ---- session.c ------------------------------------------------------------------------------- */

struct session {
    struct source source;
    struct session *next;
    struct server *server;
    bool broken;

    /* A read that waits. */
    bool waits;
    struct emulate_header waiting;

    /* With a free clock: a sleep, and the program's time at which it ends. */
    bool sleeps;
    uint64_t wake_ns;

    /* The call that is being answered. */
    const struct emulate_header *call;
    struct buffer argument; /* its struct, in and out */
    bool argument_written;
    struct buffer reply;
    size_t reach; /* of a read's buffer */
    bool reach_is_least;
};

int session_new(struct server *server, int fd);
void session_free(struct session *session);

/* There is something to read. */
void session_serve(struct session *session);

/* Answers reads that waited for data which is there, and sleeps that are over. */
void sessions_retry(struct server *server);

/* A message, perhaps with a descriptor; and the answer to it: -EPIPE if there is none. */
void session_put(struct session *session, const struct emulate_header *header, const void *bytes,
                 int descriptor);
int64_t session_ask(struct session *session, const struct emulate_header *header, const void *bytes,
                    int descriptor, struct buffer *answer);

/* ---- caller.c -------------------------------------------------------------------------------- */

struct i915_caller caller_of(struct session *session);
struct i915_caller reader_of(struct session *session);

/* ---- tree.c ---------------------------------------------------------------------------------- */

int tree_make(struct server *server, struct tally_error *error);
void tree_remove(struct server *server);

/* After configurations have come or gone; before what depends on the sysctls; what is asked for. */
void tree_show_metrics(struct server *server);
void tree_read_sysctls(struct server *server);
void tree_show(struct server *server, enum emulate_content content);

/* ---- server.c -------------------------------------------------------------------------------- */

struct server {
    const struct emulate_settings *settings;
    struct emulate_outcome *outcome;
    struct emulation *emulation; /* the device */

    char directory[64];
    struct source listener, signals;
    int log;             /* a file, or -1 */
    struct rlimit files; /* the program's */
    int epoll;
    struct session *sessions;
    struct descriptor *descriptors;
    uint64_t events; /* that there have been */
    uint8_t *dry;    /* EMULATE_DRY */

    int child;     /* process id; 0: it has ended */
    bool stopping; /* a signal told us to */

    /* With a free clock: */
    uint64_t origin_ns;   /* CLOCK_MONOTONIC of the program when emulation_now_ns() was 0 */
    uint64_t program_ns;  /* CLOCK_MONOTONIC of the program, unless the device is ahead of it */
    uint64_t seen_cpu_ns; /* CPU time of the program when its latest call came; 0: not known yet */

    struct i915_metric *metrics; /* as they are in the tree */
    size_t metric_count;
};

/* ---- time.c ---------------------------------------------------------------------------------- */

/* Do the program's clocks follow the GPU's? */
static inline bool is_free(const struct server *server)
{
    return server->settings->device.clock == EMULATION_FREE;
}

/* The program's time and the GPU's are one from now on. */
void server_start_clock(struct server *server);

/* With a free clock: CLOCK_MONOTONIC of the program. */
uint64_t server_now_ns(const struct server *server);

/* Before a call is served: the GPU catches up with the program's clock, unless it is at most
 * `max_ns` behind. With a free clock a call takes CALL_NS. */
void server_begin_call(struct server *server, uint64_t max_ns);

/* Waits for an event, and lets time pass. Returns 1 with an event, else 0 or -1. */
int server_wait(struct server *server, struct epoll_event *event);

#endif
