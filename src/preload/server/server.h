/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_SERVER_H
#define TALLY_PRELOAD_SERVER_H

/*
 * The server's parts: directory.c makes its directory, tree.c the virtual files, files.c opens
 * those that are not plain; descriptors.c manages the descriptors that programs hold, events.c
 * those of perf_event_open(), of which samples.c has tracepoints, ring.c their buffers; trace.c has
 * the tracepoints of the driver, trace_filter.c their filters, trace_files.c and trace_settings.c
 * their files, trace_log.c what these record, in the ring of trace_ring.c, trace_text.c and
 * trace_pipe.c give it; session.c serves a connection and its calls, messages.c transfers them,
 * peer.c checks who makes them, log.c logs them; lease.c lets a thread read the virtual clock
 * without calls; caller.c accesses the calling program for the driver, process.c its memory at any
 * time; shared.c has the ioctls of sync files and dma-bufs, software.c those of sync/sw_sync;
 * time.c advances time, virtual.c that of the virtual clock, timers.c has the timers of programs;
 * signals.c serves signals; server.c has the event loop and starts the program.
 */

#include <limits.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#include "base/buffer.h"
#include "preload/protocol.h"
#include "preload/server/emulate.h"
#include "preload/server/trace_log.h"
#include "preload/signals.h"

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

enum descriptor_of {
    OF_DEVICE,
    OF_STREAM,
    OF_FENCE,
    OF_SYNCOBJ,
    OF_BUFFER,
    OF_EVENT,
    OF_FILE,
    OF_TIMER
};

/* A counter of perf_event_open(). */
struct event {
    uint64_t config, format;
    uint64_t id;                /* unique */
    uint32_t leader;            /* number of the group leader, which is open; 0: none */
    bool enabled, counts;       /* counts: it and its leader are enabled */
    uint64_t count, enabled_ns; /* totals until it last began to count */
    uint64_t base, counts_from; /* counter and time when it began; base: also at a reset */
    struct sampling *sampling;  /* of a tracepoint: samples.h; NULL: a counter of the GPU */
};

/* The server's end of a socket pair, whose other end programs hold. */
struct descriptor {
    struct source source;
    struct descriptor *next;
    enum descriptor_of of;
    uint32_t number;
    uint64_t inode;             /* of the programs' end */
    unsigned detail;            /* as of descriptor_new() */
    void *file;                 /* OF_DEVICE: as node.h has it */
    struct i915_stream *stream; /* OF_STREAM */
    uint64_t fence;             /* of a stream that is closing: what that waits for */
    struct i915_fences fences;  /* OF_FENCE, and its name of SYNC_IOC_MERGE, */
    char name[32];
    struct i915_fences *parts;    /* one for each fence that was not signalled when it was made; */
    uint32_t part_count;          /* if all were, one with all of them */
    struct i915_syncobj *syncobj; /* OF_SYNCOBJ; held */
    struct i915_object *object;   /* OF_BUFFER; held */
    struct event event;           /* OF_EVENT */
    bool readable;                /* the socket contains a byte, */
    uint64_t readable_ns;         /* since this time of the program's CLOCK_MONOTONIC */
    unsigned control;             /* OF_FILE: of controls.c, and the path, */
    char *path;
    int flags; /* those of open(), and the position */
    uint64_t position;
    struct trace_pipe *pipe;        /* NULL: another file */
    struct i915_timeline *timeline; /* of sync/sw_sync; NULL: another file */
};

/* Makes a descriptor; *client_end is the other end. `detail`: the minor number of a device, the
 * pages of a buffer, whether a timer's clock is CLOCK_REALTIME. The caller then sets its file,
 * stream, fences, object or event, which it owns. Returns 0, -ENOMEM, or an errno of sockets. */
int descriptor_new(struct server *server, enum descriptor_of of, unsigned detail,
                   struct descriptor **out, int *client_end);
struct descriptor *descriptor_find(struct server *server, enum descriptor_of of, uint32_t number);

/* Finds the descriptor whose programs' end has an inode number. NULL: none. */
struct descriptor *descriptor_at(struct server *server, enum descriptor_of of, uint64_t inode);

/* Frees a descriptor, and closes its file or stream; a stream whose closing would wait for requests
 * is closed when they are complete. */
void descriptor_free(struct server *server, struct descriptor *descriptor);

/* At the end: frees all descriptors without waiting. */
void descriptors_end(struct server *server);

/* Updates what programs see: sends a byte to those that have become readable, and marks empty
 * streams in the notice. */
void descriptors_update(struct server *server);

/* Makes fences and buffers readable whose requests are complete. */
void descriptors_signal(const struct server *server);

/* Frees descriptors whose copies are all closed, so that a close() before a call takes effect
 * before it. */
void descriptors_reap(struct server *server);

/* Whether the GPU can make a descriptor readable that is not; *fences: a fence is among them. */
bool descriptors_may_wake(const struct server *server, bool *fences);

/* Whether descriptors_update() would make a descriptor readable. */
bool descriptors_have_news(const struct server *server);

/* Must be called after a read. Returns true if the descriptor is not readable any more, so that the
 * program must take the byte. */
bool descriptor_drained(const struct server *server, struct descriptor *descriptor);

/* ---- events.c -------------------------------------------------------------------------------- */

/* True if the platform has an event for the actual frequency; the kernel has none on Cherryview. */
bool event_has_actual_frequency(const struct server *server);

/* Returns the config of a counter of an engine; `sample` is enum drm_i915_pmu_engine_sample. */
uint32_t event_config(const struct i915_engine_name *engine, unsigned sample);

struct session;

/* Makes an event. Returns 0; -EACCES; -EINVAL; -ENOENT: unknown event; -ENODEV: not supported by
 * the GPU. */
int event_new(struct session *session, const struct emulate_header *call, struct descriptor **out,
              int *client_end);

/* Makes an event of a tracepoint; `sampling` is taken over. Returns likewise. */
int event_new_tracepoint(struct session *session, const struct emulate_header *call,
                         struct descriptor **out, int *client_end);

/* Puts the result of a read into *out. Returns its size; -ENOSPC: more than `bytes`. */
int event_read(struct server *server, struct descriptor *descriptor, uint64_t bytes,
               struct buffer *out);

/* An ioctl of an event. *out: the bytes to write to where the argument points. */
int event_ioctl(struct session *session, struct descriptor *descriptor,
                const struct emulate_header *call, struct buffer *out);

/* Appends what a read gives. */
void event_put_values(struct server *server, struct descriptor *descriptor, struct buffer *out);

/* Enable and disable an event. */
void event_enable(struct server *server, struct descriptor *descriptor);
void event_disable(struct server *server, struct descriptor *descriptor);

/* Must be called before an event is freed: the other events of its group leave it, and what it has
 * is freed. */
void event_end(struct server *server, struct descriptor *descriptor);

/* Whether a request of a client is not complete. */
bool server_is_busy(const struct server *server);

/* ---- session.c ------------------------------------------------------------------------------- */

#define SESSION_ANCESTORS 32

struct session {
    struct source source;
    struct session *next;
    struct server *server;
    bool broken;

    /* The program, from the kernel. */
    pid_t pid;
    int process;                        /* its directory of /proc, or -1 */
    long thread;                        /* latest thread in the log, or 0 */
    long caller;                        /* thread that makes the calls, verified; 0: unknown */
    long caller_given;                  /* what the program says */
    bool shares_users;                  /* known to be in the server's user namespace */
    pid_t ancestors[SESSION_ANCESTORS]; /* the process and those above; 0: the end, or unknown */
    bool supervises; /* the connection is the supervisor's, and pid is that of a thread */

    /* The call that arrives, and the bytes that have arrived of its header or text. */
    struct emulate_header incoming;
    bool has_header;
    size_t got;
    uint64_t patience_ns; /* time left to wait for the program during a call */
    uint64_t limit_ns;    /* the same, with the time in which it has no processor */
    bool was_runnable;    /* at the latest look at the program, when it had run for: */
    uint64_t ran_ns;

    /* A blocking read. */
    bool waits;
    struct emulate_header waiting;

    /* A call that waits for requests, and then is made again. */
    bool suspended, interrupted;
    struct i915_wait wait;
    struct i915_attempt attempt;

    /* With a virtual clock: a call whose turn has not come; since when the thread waits; a sleep,
     * the program's time at which it ends, its number, and the latest EMULATE_WAKE's. */
    bool held;
    struct emulate_header held_call;
    uint64_t since_ns;
    bool sleeps;
    uint64_t wake_ns, sleep_number, woken_number;
    bool passed;                 /* virtual.c: was tried */
    struct emulate_lease *lease; /* NULL: none; its times while it is server.leased */
    uint64_t lease_from_ns, lease_end_ns;

    /* The call that is being served. */
    const struct emulate_header *call;
    struct buffer argument; /* its struct, in and out */
    bool argument_written;
    struct buffer reply;
    size_t mapped;      /* mapped bytes of a read's buffer */
    bool mapped_is_min; /* more bytes may be mapped */
};

/* Makes a session of a connection, which it owns. -EACCES: of a user who may not use the device. */
int session_new(struct server *server, int fd);
void session_free(struct session *session);

/* Receives what has arrived, and serves complete messages; called when the connection is readable.
 */
void session_serve(struct session *session);

/* Whether a turn of the session has come: a waiting read whose stream has data, a sleep that is
 * over, a call whose requests are complete, or a call that is held. */
bool session_is_ready(const struct session *session);

/* Continues the call of a ready session. Returns false if it still waits. */
bool session_continue(struct session *session);

/* Continues all that are ready; with a virtual clock, virtual.c continues one at a time. */
void sessions_retry(struct server *server);

/* Whether what a suspended call waits for is over. */
bool session_wait_is_over(const struct session *session);

/* ---- lease.c --------------------------------------------------------------------------------- */

/* Makes the memory of a session's lease. Returns a descriptor of it, which the caller closes, or an
 * errno. */
int lease_new(struct session *session);
void lease_free(struct session *session);

/* Must be called before the result of a session's turn is sent: begins its lease, up to `max_ns` of
 * CLOCK_MONOTONIC, if its thread is the only one and no other session waits. */
void lease_begin(struct session *session, uint64_t max_ns);

/* Ends the lease that has begun, if there is one: the clock is where it was read last. */
void lease_end(struct server *server);

/* ---- files.c --------------------------------------------------------------------------------- */

/* Opens a virtual file that is not plain. Returns 0 or an errno. */
int file_open(struct session *session, const struct emulate_header *call, struct descriptor **out,
              int *client_end);

/* Calls of it. A read's bytes are appended to `reply`; -EAGAIN: it may wait. */
int64_t file_read(struct session *session, const struct emulate_header *call, struct buffer *reply);
int64_t file_write(struct session *session, const struct emulate_header *call,
                   struct i915_wait *wait);
int64_t file_seek(struct session *session, const struct emulate_header *call);
int file_ioctl(struct session *session, const struct descriptor *file, uint32_t request);

/* Whether poll() finds it readable; whether a blocking read of an empty pipe returns 0; whether a
 * read that waits continues. */
bool file_is_readable(const struct server *server, const struct descriptor *descriptor);
bool file_ends(const struct server *server, const struct descriptor *descriptor,
               const struct emulate_header *call);
bool file_continues(struct server *server, const struct emulate_header *call);

/* ---- messages.c ------------------------------------------------------------------------------ */

/* Must be called before messages of a call are sent: renews the server's patience. */
void session_begin(struct session *session);

/* Receives the next call into `incoming` and `argument`. False: it is not complete yet, or the
 * connection is broken. */
bool session_receive(struct session *session);

/* Sends a message, with a descriptor unless it is -1. */
void session_put(struct session *session, const struct emulate_header *header, const void *bytes,
                 int descriptor);

/* Sends a message likewise, and waits for the answer. Returns its value; -EPIPE: the connection is
 * broken. */
int64_t session_request(struct session *session, const struct emulate_header *header,
                        const void *bytes, int descriptor, struct buffer *answer);

/* ---- peer.c ---------------------------------------------------------------------------------- */

/* Finds who made the connection. Returns 0; -EACCES: who may not use the device. */
int peer_accept(struct session *session);

/* Whether a call may do what only root may. */
bool peer_is_privileged(struct session *session, const struct emulate_header *call);

/* Notes in a file which process has opened it, and its name. */
void peer_opens(const struct session *session, struct drm_file *file);

/* Whether a thread is one of the session's process. */
bool peer_has_thread(const struct session *session, long thread);

/* Makes the session, of a supervisor, that of a thread. */
void peer_change(struct session *session, long thread);

/* Returns the process of a session. */
pid_t peer_process(const struct session *session);

/* Whether the process is another one, or descends from it, as it was at the first question. */
bool peer_descends(struct session *session, long pid);

/* Gets the name of a thread of the process; "" if it is gone. */
void peer_name(const struct session *session, long thread, char *out, size_t size);

/* Returns the number that a client gives for its thread, or that of its process if it is wrong. */
long peer_thread(struct session *session, long claimed);

/* ---- log.c ----------------------------------------------------------------------------------- */

int log_open(struct server *server, struct tally_error *error);
void log_close(struct server *server);
void log_line(struct session *session, const char *text, size_t size);

/* ---- caller.c -------------------------------------------------------------------------------- */

/* Copy the struct of an ioctl from the program, and to it. Return 0 or -EFAULT. */
int caller_copy_in(struct session *session, void *to, size_t bytes);
int caller_copy_out(struct session *session, const void *from, size_t bytes);

/* Makes a sync file for the program. Returns its number there, or an errno. */
int caller_open_fence(struct session *session, const struct i915_fences *fences, const char *name);

/* Return the caller of the driver for a session's call; reader_of() is for reads of streams. */
struct drm_caller drm_caller_of(struct session *session);
struct i915_caller caller_of(struct session *session);
struct i915_caller reader_of(struct session *session);

/* ---- process.c ------------------------------------------------------------------------------- */

/* The name of the files of objects, and what /proc/PID/maps shows of their mappings. */
#define OBJECT_NAME "i915"
#define OBJECT_PATH "/memfd:" OBJECT_NAME " (deleted)"

/* Returns the memory of a session's process; NULL with errno: it may not be accessed. */
struct i915_process *process_open(const struct session *session);

/* ---- software.c ------------------------------------------------------------------------------ */

/* Makes the timeline of an open sync/sw_sync, and performs its ioctls. */
int software_open(const struct session *session, struct descriptor *descriptor);
int software_ioctl(struct session *session, struct i915_timeline *timeline, uint32_t request);

/* ---- shared.c -------------------------------------------------------------------------------- */

/* Gives a sync file its fences. Returns 0 or -ENOMEM. */
int fence_set(const struct server *server, struct descriptor *descriptor,
              const struct i915_fences *fences);

/* Perform ioctls of a sync file and of a dma-buf. buffer_ioctl() returns -EINPROGRESS if the call
 * must be made again after *wait. */
int fence_ioctl(struct session *session, struct descriptor *descriptor, uint32_t request);
int buffer_ioctl(struct session *session, struct descriptor *descriptor, uint32_t request,
                 struct i915_wait *wait);

/* Finds the memory file that mmap() of a dma-buf maps. Returns its descriptor, or an errno. */
int buffer_mapping(struct descriptor *descriptor, uint64_t offset, uint64_t bytes);

/* ---- controls.c ------------------------------------------------------------------------------ */

/* Finds what writing to a file of the tree does: its index; `real` is the file without links.
 * -ENOENT: nothing; -EACCES: it cannot be written. */
int control_find(const struct server *server, const char *path, char real[PATH_MAX]);

/* Parses a number as the kernel's kstrtoull(), with at most a newline; base 0: decimal, hexadecimal
 * or octal. Returns 0; -EINVAL: it is none, or more than max; -ERANGE: it has more than 64 bits. */
int control_number(const char *text, int base, uint64_t max, uint64_t *out);

/* Whether it is sync/sw_sync. */
bool control_is_timeline(unsigned control);

/* Whether it can be read: not those of which only that they are open counts. */
bool control_is_readable(unsigned control);

/* What opening it does, with O_TRUNC or without, and that its descriptor is closed. */
void control_opened(struct server *server, unsigned control, const char *path, bool truncates);
void control_closed(struct server *server, unsigned control);

/* Whether writing these bytes waits, and for what: the call must be made again after that.
 * since_ns: time of the device at the first attempt. */
bool control_waits(const struct server *server, unsigned control, const char *bytes, size_t size,
                   uint64_t since_ns, struct i915_wait *wait);

/* Writes to it. Returns the number of bytes, or an errno. */
int64_t control_write(struct server *server, unsigned control, const char *path, const char *bytes,
                      size_t size);

/* Before it is read from the start: rewrites it. */
void control_read(struct server *server, unsigned control, const char *path);

/* Rewrites the files whose contents show what was written. */
void controls_update(struct server *server);

/* ---- directory.c ----------------------------------------------------------------------------- */

/* Makes the server's directory, and removes those of servers that were killed. */
int directory_make(struct server *server, struct tally_error *error);
void directory_remove(struct server *server);

/* Removes what is in it. */
void tree_remove(struct server *server);

/* ---- tree.c ---------------------------------------------------------------------------------- */

int tree_make(struct server *server, struct tally_error *error);

/* Opens a regular file, which it empties for writing; -1 with errno, also for other files. */
int tree_open(const char *path, int flags, mode_t mode);

/* Writes a file of the tree, by the name that programs see, with the directories above. Returns 0
 * or an errno. */
int tree_add(const struct server *server, const char *name, const void *bytes, size_t size,
             mode_t mode);

/* Replaces a file of the tree, in a directory that exists: who opens it gets the old or the new
 * one, and who has it open keeps the old one. Returns 0 or an errno. */
int tree_replace(const struct server *server, const char *name, const void *bytes, size_t size,
                 mode_t mode);

/* Sets the mode of a directory. Returns likewise. */
int tree_directory_mode(const struct server *server, const char *name, mode_t mode);

/* Updates the metrics directory, after configurations were added or removed. */
void tree_update_metrics(struct server *server);

/* Applies the sysctls that programs have written. Called before a call that depends on them. */
void tree_read_sysctls(struct server *server);

/* Rewrites the files that show frequencies. */
void tree_show_frequencies(struct server *server);

/* Rewrites files whose contents change. `path`: of a file of tracefs, which alone is. */
void tree_update(struct server *server, enum emulate_content content, const char *path);

/* ---- server.c -------------------------------------------------------------------------------- */

struct server {
    const struct emulate_settings *settings;
    struct emulate_outcome *outcome;
    struct emulation *emulation; /* the device */

    char directory[96], outer[64]; /* directory.c: the private one is in the other */
    int lock;                      /* descriptor of `outer` */
    struct source listener, signals;
    int log;             /* a descriptor, or -1 */
    uint64_t log_credit; /* bytes that may be written to it now, at log_ns */
    uint64_t log_ns;
    bool log_is_stuck;   /* a pipe whose reader does not read */
    struct rlimit files; /* the program's RLIMIT_NOFILE */
    int epoll;           /* all sources; */
    int hangups;         /* descriptors, of which all copies are closed */
    struct session *sessions;
    struct descriptor *descriptors, *closing;
    uint64_t events;               /* number of events made so far */
    struct emulate_notice *notice; /* what programs read without a call, and its descriptor */
    int notice_fd;

    struct session *serving; /* whose call is answered; NULL: none */
    uint64_t traced_ns;      /* time of the latest event of a tracepoint */
    struct trace_log trace_log;
    struct session *calling;  /* its call is in the driver; NULL: none */
    uint64_t calling_from_ns; /* since when */

    int child;     /* process id of the program; 0: it has ended */
    bool stopping; /* by a signal */
    bool ends;     /* after the program, without waiting for processes that it leaves */

    /* With a virtual clock: */
    uint64_t origin_ns;      /* CLOCK_MONOTONIC of the program when emulation_now_ns() was 0 */
    uint64_t program_ns;     /* CLOCK_MONOTONIC of the program, unless the device is ahead of it */
    uint64_t seen_cpu_ns;    /* CPU time of the program at its latest call; 0: unknown */
    uint64_t scan_ns;        /* time until the next scan of its threads */
    bool took_turn;          /* a thread continues, and has made no call yet */
    struct session *leased;  /* the one that may read the clock without a call; NULL: none */
    long poller;             /* the thread that made the latest call; 0: time has passed since; */
    uint64_t polls_since_ns; /* since when it does nothing but read the clock */
    long turn;               /* that thread, until its next call; 0: unknown */
    bool computes; /* a thread has used so much CPU time that the others do not wait for it */
    struct timer *timers;
    struct tasks_cache *tasks;

    struct i915_metric *metrics; /* those in the tree */
    size_t metric_count;
};

/* ---- notice.c -------------------------------------------------------------------------------- */

int notice_make(struct server *server, struct tally_error *error);
void notice_free(struct server *server);

/* Adds and removes the descriptor of a device, by the inode of the programs' end; 0: unknown. */
void notice_add_device(struct server *server, uint64_t inode);
void notice_remove_device(struct server *server, uint64_t inode);

/* ---- signals.c ------------------------------------------------------------------------------- */

void server_block_signals(sigset_t *before);
void server_unblock_signals(const sigset_t *before);
int server_listen_signals(struct server *server, struct tally_error *error);

/* Serves the signals that have come. Returns whether there were any. */
bool server_take_signals(struct server *server);

/* Returns the descriptor that is readable when one has come, or -1. */
int server_signals(const struct server *server);

/* ---- time.c ---------------------------------------------------------------------------------- */

/* True if the program's clocks follow the GPU's. */
static inline bool is_virtual(const struct server *server)
{
    return server->settings->device.clock == EMULATION_FREE;
}

/* Returns CLOCK_MONOTONIC of the program, with any clock. */
uint64_t server_monotonic_ns(const struct server *server);

/* Before a call is served: the GPU catches up with the program's clock, unless it is at most
 * `max_ns` behind. With a virtual clock the call takes time. */
void server_begin_call(struct server *server, const struct session *session, uint64_t max_ns);

/* The driver's sleep, as emulation.sleep_ns: suspends calls that wait for long. They begin with
 * server_begin_waits(). */
int server_sleep(void *server, uint64_t ns, bool interruptible);
void server_begin_waits(struct server *server, struct session *session);

/* Waits for an event while time advances. Returns 1 with an event, else 0 or -1. */
int server_wait(struct server *server, struct epoll_event *event);

/* Waits for an event for up to `ns`, less than a second, of the machine's time. Returns likewise.
 */
int server_wait_ns(const struct server *server, uint64_t ns, struct epoll_event *event);

/* Whether a call has waited long enough for requests of the GPU. */
bool sessions_any_wait_is_over(const struct server *server);

/* ---- virtual.c ------------------------------------------------------------------------------- */

/* Begins the virtual clock; the end. */
void virtual_start(struct server *server);
void virtual_end(struct server *server);

/* CLOCK_REALTIME minus CLOCK_MONOTONIC of the program. */
int64_t virtual_offset_ns(const struct server *server);

/* Returns CLOCK_MONOTONIC of the program. */
uint64_t server_now_ns(const struct server *server);

/* Returns the GPU's time by that clock. It is behind while nothing needs it. */
uint64_t server_device_ns(const struct server *server);

/* As server_begin_call() and server_wait(). */
void virtual_begin_call(struct server *server, const struct session *session, uint64_t max_ns);
int virtual_wait(struct server *server, struct epoll_event *event);

/* Whether a thread other than the session's would have its turn before `ns` more have passed. */
bool virtual_is_due(const struct server *server, const struct session *session, uint64_t ns);

#endif
