/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_SERVER_H
#define TALLY_PRELOAD_SERVER_H

/*
 * The server's parts: tree.c makes the virtual files; descriptors.c manages the descriptors that
 * programs hold, events.c those of perf_event_open(); session.c serves a connection and its calls;
 * caller.c accesses the calling program for the driver; time.c advances time; server.c has the
 * event loop and starts the program.
 */

#include <limits.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#include "base/buffer.h"
#include "preload/protocol.h"
#include "preload/server/emulate.h"

struct server;

/* ---- sources of epoll events ----------------------------------------------------------------- */

enum source_kind { SOURCE_LISTENER, SOURCE_SIGNAL, SOURCE_SESSION, SOURCE_DESCRIPTOR };

struct source {
    enum source_kind kind;
    int fd;
    void *owner; /* the session or descriptor that contains the source */
};

int server_watch(struct server *server, struct source *source);

/* ---- descriptors.c --------------------------------------------------------------------------- */

enum descriptor_of { OF_DEVICE, OF_STREAM, OF_FENCE, OF_EVENT, OF_FILE };

/* A counter of perf_event_open(). */
struct event {
    uint64_t config, format;
    uint64_t id;                /* unique */
    uint32_t leader;            /* number of the group leader, which is open; 0: none */
    bool enabled, counts;       /* counts: it and its leader are enabled */
    uint64_t count, enabled_ns; /* totals until it last began to count */
    uint64_t base, counts_from; /* counter and time when it began; base: also at a reset */
};

/* The server's end of a socket pair, whose other end programs hold. */
struct descriptor {
    struct source source;
    struct descriptor *next;
    enum descriptor_of of;
    uint32_t number;
    void *file;                 /* OF_DEVICE: as node.h has it */
    struct i915_stream *stream; /* OF_STREAM */
    uint64_t fence;             /* OF_FENCE */
    struct event event;         /* OF_EVENT */
    bool readable;              /* the socket contains a byte */
    unsigned control;           /* OF_FILE: of controls.c, and the path */
    char *path;
};

/* Makes a descriptor; *client_end is the other end. The caller then sets its file, stream, fence or
 * event, which it owns. Returns 0, -ENOMEM, or an errno of sockets. */
int descriptor_new(struct server *server, enum descriptor_of of, unsigned minor,
                   struct descriptor **out, int *client_end);
struct descriptor *descriptor_find(struct server *server, enum descriptor_of of, uint32_t number);

/* Frees a descriptor, and closes its file or stream. */
void descriptor_free(struct server *server, struct descriptor *descriptor);

/* Updates what programs see: sends a byte to those that have become readable, and marks empty
 * streams in EMULATE_EMPTY. */
void descriptors_update(struct server *server);

/* Frees descriptors whose copies are all closed, so that a close() before a call takes effect
 * before it. */
void descriptors_reap(struct server *server);

/* Must be called after a read. Returns true if the stream is not readable any more, so that the
 * program must take the byte. */
bool descriptor_drained(struct descriptor *descriptor);

/* ---- events.c -------------------------------------------------------------------------------- */

/* True if the platform has an event for the actual frequency; the kernel has none on Cherryview. */
bool event_has_actual_frequency(const struct server *server);

/* Returns the config of a counter of an engine; `sample` is enum drm_i915_pmu_engine_sample. */
uint32_t event_config(const struct i915_engine_name *engine, unsigned sample);

/* Makes an event. Returns 0; -EACCES; -EINVAL; -ENOENT: unknown event; -ENODEV: not supported by
 * the GPU. */
int event_new(struct server *server, const struct emulate_header *call, struct descriptor **out,
              int *client_end);

/* Puts the result of a read into *out. Returns its size; -ENOSPC: more than `bytes`. */
int event_read(struct server *server, struct descriptor *descriptor, uint64_t bytes,
               struct buffer *out);

/* An ioctl of an event. *out: the bytes to write to where the argument points. */
int event_ioctl(struct server *server, struct descriptor *descriptor, uint32_t request,
                uint64_t argument, struct buffer *out);

/* Must be called before an event is freed: the other events of its group leave it. */
void event_end(struct server *server, struct descriptor *descriptor);

/* ---- session.c ------------------------------------------------------------------------------- */

struct session {
    struct source source;
    struct session *next;
    struct server *server;
    bool broken;

    /* A blocking read. */
    bool waits;
    struct emulate_header waiting;

    /* With a free clock: a sleep, and the program's time at which it ends. */
    bool sleeps;
    uint64_t wake_ns;

    /* The call that is being served. */
    const struct emulate_header *call;
    struct buffer argument; /* its struct, in and out */
    bool argument_written;
    struct buffer reply;
    size_t mapped;      /* mapped bytes of a read's buffer */
    bool mapped_is_min; /* more bytes may be mapped */
};

int session_new(struct server *server, int fd);
void session_free(struct session *session);

/* Receives and serves a message; called when the connection is readable. */
void session_serve(struct session *session);

/* Completes waiting reads whose streams have data, and sleeps that are over. */
void sessions_retry(struct server *server);

/* Sends a message, with a descriptor unless it is -1, and waits for the answer. Returns its value;
 * -EPIPE: the connection is broken. */
int64_t session_request(struct session *session, const struct emulate_header *header,
                        const void *bytes, int descriptor, struct buffer *answer);

/* ---- caller.c -------------------------------------------------------------------------------- */

/* Return the caller of the driver for a session's call; reader_of() is for reads of streams. */
struct drm_caller drm_caller_of(struct session *session);
struct i915_caller caller_of(struct session *session);
struct i915_caller reader_of(struct session *session);

/* ---- controls.c ------------------------------------------------------------------------------ */

/* Finds what writing to a file of the tree does: its index; `real` is the file without links.
 * -ENOENT: nothing; -EACCES: it cannot be written. */
int control_find(const struct server *server, const char *path, char real[PATH_MAX]);

/* Writes to it. Returns the number of bytes, or an errno. */
int control_write(struct server *server, unsigned control, const char *path, const char *bytes,
                  size_t size);

/* Rewrites the files whose contents show what was written. */
void controls_update(struct server *server);

/* ---- tree.c ---------------------------------------------------------------------------------- */

int tree_make(struct server *server, struct tally_error *error);
void tree_remove(struct server *server);

/* Updates the metrics directory, after configurations were added or removed. */
void tree_update_metrics(struct server *server);

/* Applies the sysctls that programs have written. Called before a call that depends on them. */
void tree_read_sysctls(struct server *server);

/* Rewrites the files that show frequencies. */
void tree_show_frequencies(struct server *server);

/* Rewrites files whose contents change. */
void tree_update(struct server *server, enum emulate_content content);

/* ---- server.c -------------------------------------------------------------------------------- */

struct server {
    const struct emulate_settings *settings;
    struct emulate_outcome *outcome;
    struct emulation *emulation; /* the device */

    char directory[64];
    struct source listener, signals;
    int log;             /* a descriptor, or -1 */
    struct rlimit files; /* the program's RLIMIT_NOFILE */
    int epoll;
    struct session *sessions;
    struct descriptor *descriptors;
    uint64_t events; /* number of events made so far */
    uint8_t *empty;  /* EMULATE_EMPTY */

    int child;     /* process id of the program; 0: it has ended */
    bool stopping; /* by a signal */

    /* With a free clock: */
    uint64_t origin_ns;   /* CLOCK_MONOTONIC of the program when emulation_now_ns() was 0 */
    uint64_t program_ns;  /* CLOCK_MONOTONIC of the program, unless the device is ahead of it */
    uint64_t seen_cpu_ns; /* CPU time of the program at its latest call; 0: unknown */

    struct i915_metric *metrics; /* those in the tree */
    size_t metric_count;
};

/* ---- time.c ---------------------------------------------------------------------------------- */

/* True if the program's clocks follow the GPU's. */
static inline bool is_free(const struct server *server)
{
    return server->settings->device.clock == EMULATION_FREE;
}

/* Synchronizes the program's time and the GPU's. */
void server_start_clock(struct server *server);

/* With a free clock: returns CLOCK_MONOTONIC of the program. */
uint64_t server_now_ns(const struct server *server);

/* Before a call is served: the GPU catches up with the program's clock, unless it is at most
 * `max_ns` behind. With a free clock a call takes CALL_NS. */
void server_begin_call(struct server *server, uint64_t max_ns);

/* Waits for an event while time advances. Returns 1 with an event, else 0 or -1. */
int server_wait(struct server *server, struct epoll_event *event);

#endif
