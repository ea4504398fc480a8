/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_CLIENT_CLIENT_H
#define TALLY_PRELOAD_CLIENT_CLIENT_H

/*
 * The preloaded library: interposes the libc functions through which a program can access the
 * virtual device. It does not use libtally or allocate memory, and must not interfere with the
 * program: no output, no signals, and no visible descriptors except one channel per thread.
 *
 * next.c finds the real functions; paths.c decides which files are virtual, by the table of rows.c,
 * and descriptors.c which descriptors, by identify.c; channel.c calls the server, in
 * conversation.c's messages; user.c accesses the program's memory without faulting; opening.c,
 * requests.c and events.c make calls of the server of the program's calls; proc.c handles
 * descriptors in /proc; lease.c reads the virtual clock without a call; ids.c implements simulated
 * user ids; log.c logs calls; registers.c makes loads and stores of mapped registers calls, with
 * handlers of two signals. calls_*.c are the interposed functions; those of calls_time.c read a
 * clock or sleep, calls_polls.c wait for descriptors, calls_signals.c have signals, calls_waits.c
 * for other threads, and calls_timers.c have timers.
 */

#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>

#include "preload/protocol.h"

/* The supervisor of namespace/ makes calls for programs without the library: conversation.c,
 * events.c, identify.c, log.c, opening.c, proc.c, requests.c, rows.c and user.c are a part of it,
 * too. */

#define EXPORT __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))

#define TREE_PATH_SIZE 4608 /* size of a path in the tree */

/* ---- next.c ---------------------------------------------------------------------------------- */

/* Returns the next definition of a function after ours, with a cache. NULL: libc lacks it. */
void *next_function(void **cache, const char *name);
#define NEXT(name)                                                                                 \
    __extension__({                                                                                \
        static void *next_cache;                                                                   \
        void *next_known = __atomic_load_n(&next_cache, __ATOMIC_RELAXED);                         \
        if (!next_known)                                                                           \
            next_known = next_function(&next_cache, #name);                                        \
        __extension__(__typeof__(&name)) next_known;                                               \
    })

/* ---- paths.c --------------------------------------------------------------------------------- */

/* Returns the server's directory. NULL: the program does not run under `tally emulate`. */
const char *tree_directory(void);

enum path_kind {
    PATH_REAL,       /* a file of the machine */
    PATH_VIRTUAL,    /* a file of the tree */
    PATH_DEVICE,     /* a node of the device, represented by a plain file in the tree */
    PATH_LINK,       /* a link in the tree to such a node */
    PATH_DESCRIPTOR, /* /proc/self/fd/N of a device */
    PATH_CONTENT,    /* a file of the tree that the server rewrites before it is opened */
    PATH_STATUS,     /* /proc/self/status with simulated ids */
    PATH_FDINFO,     /* /proc/PID/fdinfo/N of a device */
    PATH_MOUNTS      /* /proc/mounts, or that of a process */
};

struct path {
    enum path_kind kind;
    unsigned minor;               /* PATH_DEVICE, PATH_LINK, PATH_DESCRIPTOR */
    enum emulate_content content; /* PATH_CONTENT */
    bool root_writes, root_only;  /* only root may write it; open it */
    bool served; /* for reading, too: what is read is gone, it has ioctls, or is held open */
    char real[TREE_PATH_SIZE]; /* the name of the file to use; unset for PATH_REAL */
};

/* Determines the file of a call. directory: the call's descriptor, or AT_FDCWD. Preserves errno. */
enum path_kind path_of(int directory, const char *name, struct path *out);

/* Quick check: returns true only if the file is PATH_REAL, or the name is NULL or "". */
bool path_is_real(int directory, const char *name);

/* As path_of(), for calls that do not follow a link in the last component. */
enum path_kind path_of_link(int directory, const char *name, struct path *out);

/* Returns the name to open for a name: for that of a descriptor, as /proc/self/fd/3, of a file of
 * the tree the name of the file, in `out`; for others the name itself. */
const char *path_reopened(const char *name, char out[TREE_PATH_SIZE]);

/* True if the path leads to a node of the device, also through a link. */
bool path_is_node(const struct path *path);

/* Returns the name that the program sees for a file in the tree, a part of `path`. NULL: not in the
 * tree. */
const char *path_outside(const char *path);

/* Must be called after the working directory has changed. */
void path_moved(void);

/* Returns the target of /proc/self/fd/N, or an equivalent name, of a stream or event; NULL: another
 * file. */
const char *path_link_text(const char *name);

/* Gets the path of a descriptor's file from the kernel. Returns false without one. Preserves errno.
 */
bool path_of_descriptor(int fd, char out[TREE_PATH_SIZE]);

/* Gets the directory of the tree whose entries belong to a real directory: its part of the listing.
 * Returns false if there is none. */
bool path_tree_part(const char *real, char out[TREE_PATH_SIZE]);

/* Gets the path in the tree of a node of the device. */
void path_of_minor(unsigned minor, char out[TREE_PATH_SIZE]);

/* ---- rows.c ---------------------------------------------------------------------------------- */

#define TREE_A_LINK 1 /* link inside the tree */

/* A virtual file, or a directory of such files. */
struct tree_row {
    const char *name;
    uint8_t kind;   /* enum path_kind */
    uint8_t detail; /* minor; enum emulate_content; TREE_A_LINK or 0 */
};
extern HIDDEN const struct tree_row tree_rows[]; /* the last one has no name */

/* Finds an absolute name, without "." and "..", in the table. PATH_REAL: it is not there. */
enum path_kind rows_find(const char *name, struct path *out);

/* Gets the path in the tree of a name. Returns false if it is too long. */
bool path_in_tree(const char *name, char out[TREE_PATH_SIZE]);

/* ---- opening.c ------------------------------------------------------------------------------- */

/* Opens a device, or a file for which writing has an effect, or refuses a file that may not be
 * opened. Returns true if the call is complete, with its result in *fd or errno; else *use is the
 * name to open. */
bool open_special(const char *name, int flags, const struct path *path, const char **use, int *fd);

int open_device(const char *name, unsigned minor, int flags);

/* Opens a virtual file that the server reads and writes. -ENOENT: it is plain, so that the file in
 * the tree is opened. */
int64_t open_served(const struct path *path, int flags);

/* Whether the process has opened such a file, which it may close. */
bool open_has_served(void);

/* Requests that the server rewrites a PATH_CONTENT. */
void open_update(const struct path *path);

bool open_is_denied(const struct path *path, bool writes);

/* Whether opening a file would make one where programs cannot. */
bool open_would_make(const struct path *path);
void open_log(int64_t result, const char *name, int flags);

/* ---- descriptors.c --------------------------------------------------------------------------- */

enum descriptor_kind {
    DESCRIPTOR_OTHER,
    DESCRIPTOR_DEVICE,
    DESCRIPTOR_STREAM,
    DESCRIPTOR_EVENT,
    DESCRIPTOR_FENCE,   /* a sync file */
    DESCRIPTOR_SYNCOBJ, /* a sync object */
    DESCRIPTOR_BUFFER,  /* a dma-buf */
    DESCRIPTOR_FILE,    /* a virtual file that is not plain */
    DESCRIPTOR_TIMER    /* of timerfd_create(), with a virtual clock */
};

struct descriptor {
    enum descriptor_kind kind;
    uint32_t number; /* number in the server */
    unsigned minor;  /* minor number of a device; pages of a buffer; of a timer: its clock is
                        CLOCK_REALTIME */
};

/* What is known about descriptors that are none of ours: 0: nothing. */
enum { DESCRIPTOR_REAL = 1, DESCRIPTOR_TREE /* a file of the tree */ };
#define DESCRIPTORS 65536
extern HIDDEN uint8_t descriptor_others[DESCRIPTORS];

static inline bool descriptor_is_other(int fd)
{
    return (unsigned)fd < DESCRIPTORS && __atomic_load_n(&descriptor_others[fd], __ATOMIC_RELAXED);
}

/* Whether it is a DESCRIPTOR_FILE. */
bool descriptor_is_file(int fd, struct descriptor *out);

/* Names relative to it need not be looked up. */
static inline bool descriptor_is_real(int fd)
{
    return (unsigned)fd < DESCRIPTORS &&
           __atomic_load_n(&descriptor_others[fd], __ATOMIC_RELAXED) == DESCRIPTOR_REAL;
}

/* It is a file of the tree. */
static inline bool descriptor_is_of_tree(int fd)
{
    return (unsigned)fd < DESCRIPTORS &&
           __atomic_load_n(&descriptor_others[fd], __ATOMIC_RELAXED) == DESCRIPTOR_TREE;
}

/* Mark a newly opened descriptor as not belonging to the device: of a real file, or one of the
 * tree. Return fd; -1 is allowed. */
int descriptor_opened(int fd);
int descriptor_of_tree(int fd);

/* Identifies a descriptor. Returns whether it belongs to the virtual device; fast for others.
 * Preserves errno. */
bool descriptor_is_ours(int fd, struct descriptor *out);

/* identify.c: identifies a descriptor by the name of its other end. */
bool descriptor_identify(int fd, struct descriptor *out);

/* True if the program has a descriptor of this number. */
bool descriptor_is_open(int fd);

/* Returns what /proc/self/fd/N shows of a descriptor of this kind; NULL: the name of the device. */
const char *descriptor_link_text(enum descriptor_kind kind);

/* Returns the mode that fstat() shows of a descriptor that is a socket here and not one of a
 * device: the kernel's anonymous inodes have no type. Its size is *size. */
mode_t descriptor_mode(const struct descriptor *descriptor, off_t *size);

/* True for streams and fences, which the GPU can make readable. */
bool descriptor_follows_gpu(int fd);

/* The program maps the buffer of an event. Then polls of events that are readable must be followed
 * by descriptor_polled(), which makes them wait for the next wakeup, as the kernel's do. */
void descriptor_has_ring(void);
void descriptor_polled(int fd);

/* Notes what epoll_ctl() sets for a descriptor; and that epoll_wait() gave this. */
void descriptor_watched(int epoll, int operation, int fd, uint64_t data);
void descriptor_reported(int epoll, uint64_t data);

/* Unmarks a descriptor. Must be called when its number may have become one of the device. */
void descriptor_forget(int fd);

/* Unmarks what syscall() has returned, if that is a descriptor that may be one of the device. a:
 * the call's first arguments. */
void descriptor_returned(long number, const long a[2], long result);

/* Must be called before a descriptor is closed. */
void descriptor_closed(int fd);
void descriptor_copied(int from, int to);

/* True if a non-blocking read of a stream would return EAGAIN. */
bool descriptor_is_empty(const struct descriptor *descriptor);

/* Returns the server's notice, mapped; NULL: there is none. */
const struct emulate_notice *notice_read(void);

/* ---- proc.c ---------------------------------------------------------------------------------- */

/* Finds what /proc/PID/fd/N and /proc/PID/fdinfo/N are, of any process: PATH_DESCRIPTOR and its
 * minor number; PATH_FDINFO; PATH_REAL. */
enum path_kind proc_find(const char *name, unsigned *minor);

/* Whether a name relative to an unknown directory may be one of these. */
bool proc_may_have(const char *name);

/* Opens the fdinfo of a device. Returns a descriptor, or -1 with errno. */
int proc_fdinfo(const char *name);

/* proc_mounts.c: whether a name is that of a list of mounts; opens it. Returns likewise. */
bool proc_lists_mounts(const char *name);
int proc_mounts(const char *name);

/* ---- channel.c ------------------------------------------------------------------------------- */

struct call {
    struct emulate_header header;
    const void *bytes; /* data to send; their number is in the header */
    uint64_t argument; /* address in the program's memory for the bytes of the result; */
    void *into;        /* or where they are put here */
    size_t direct;  /* of them, bytes that are received there; only for EMULATE_READ, during which
                       the server sends no other bytes */
    bool unwritten; /* the bytes of the result could not be written there */
    uint16_t flags; /* flags of the result */
    int descriptor; /* received before the result, or -1 */
    int64_t mapped; /* address mapped by EMULATE_MEMORY */
    void *map_hint; /* arguments of mmap() */
    int map_protection, map_flags;
};

/* Calls the server. Returns the result, or a negative errno; -ENODEV: the server is gone. */
int64_t channel_call(struct call *call);

/*
 * poll() by the program's clock: waits until one of `count` entries is ready, or its
 * CLOCK_MONOTONIC is `deadline_ns` (UINT64_MAX: no deadline). The list has space for one more
 * entry, which is overwritten. mask: signals blocked during the wait; NULL: the current ones.
 * Returns the number of entries that are ready, 0, or a negative errno; -ENODEV when the server is
 * gone.
 */
int64_t channel_poll(struct pollfd *entries, size_t count, uint64_t deadline_ns,
                     const sigset_t *mask);

/*
 * Sleeps until CLOCK_MONOTONIC of the program is `deadline_ns`, or until channel_wake() with the
 * same number, which is not 0, was called for the thread, also if that was before. Returns 0; 1: it
 * was woken; -EINTR; -ENODEV.
 */
int64_t channel_sleep(uint64_t deadline_ns, uint64_t number);
void channel_wake(long thread, uint64_t number);

/* Returns the number of the thread. */
long channel_thread(void);

/* Whether a call is being made: this is a signal's handler. */
bool channel_is_busy(void);

/* Whether the other end of a socket is a server that may access the program: of the same user, or
 * of root. */
bool channel_is_trusted(int fd);

/* Notifies the server that the thread executes a program, or starts one in a new process. path: its
 * absolute path, or "" if it is unknown. */
void channel_executes(const char *path, bool starts);

/* Sends a line for the log, without "[thread] " and newline. */
void channel_log(const char *line, size_t bytes);

/* ---- conversation.c -------------------------------------------------------------------------- */

/* Makes a call on a connection; and again, when it has waited for requests of the GPU. Returns as
 * channel_call(). signals: the mask during a wait that a signal may end. */
int64_t conversation_of(int fd, struct call *call, const sigset_t *signals);

/* Sends a message. Returns false if the server is gone. */
bool conversation_put(int fd, const struct emulate_header *header, const void *bytes);

/* Receives exactly `bytes`, and a descriptor if one is attached. Returns 1; 0: the server is gone.
 */
int conversation_get(int fd, void *to, size_t bytes, int *descriptor);

/* Whether the server checks the privileges of a call's thread. */
bool call_needs_privileges(uint16_t kind);

/* What follows is of channel.c, for a call of the program itself, or of namespace/target.c, for one
 * of another process. */

/* Gives the program a descriptor, with O_CLOEXEC or O_NONBLOCK of `flags`. Returns its number, or
 * an errno. */
int64_t call_take_descriptor(struct call *call, unsigned flags, int received);

/* Maps memory, for a mmap() call with its arguments, or for GEM_MMAP. Returns the address. */
int64_t call_map_memory(struct call *call, const struct emulate_header *request, int received);

/* Begins a wait for the server that a signal may end. Returns 0, or -EINTR: one has, and the wait
 * does not begin. */
int call_begin_wait(int fd, const sigset_t *signals, sigset_t *before);
void call_end_wait(const sigset_t *before);

/* Lets pending signals be delivered between two attempts of a call. Returns 0, or -EINTR: the call
 * must end. */
int call_let_signals(const sigset_t *signals);

/* Returns the process whose memory user.c accesses. */
pid_t user_process(void);

/* Whether it is this process. */
bool user_is_own(void);

/* ---- requests.c ------------------------------------------------------------------------------ */

/* Make calls of a descriptor of the device. Each returns a result or a negative errno. fd: the
 * descriptor here; addresses are the program's. */
int64_t request_ioctl(int fd, const struct descriptor *descriptor, uint32_t request,
                      uint64_t argument);
int64_t request_read(int fd, const struct descriptor *descriptor, uint64_t address, size_t bytes);

/* moves: the position, by what was written. */
int64_t request_write(const struct descriptor *descriptor, uint64_t address, size_t bytes,
                      bool moves);

/* Waits for the GPU if it may use memory that the program unmaps (GEM_USERPTR). */
void request_unmap(uint64_t address, size_t bytes);

/* Reads a DESCRIPTOR_FILE at an offset; its position stays. */
int64_t request_read_at(int fd, const struct descriptor *descriptor, uint64_t address, size_t bytes,
                        int64_t offset);

/* splice.c: likewise, of pages of a virtual file to a pipe. */
int64_t request_splice(int from, const struct descriptor *descriptor, int to, size_t bytes,
                       unsigned flags);

struct mapping {
    void *hint;
    size_t bytes;
    int protection, flags;
    int64_t offset;
};
bool request_can_map(const struct descriptor *descriptor);
int64_t request_map(const struct descriptor *descriptor, const struct mapping *mapping);
int64_t request_seek(const struct descriptor *descriptor, int64_t offset, int whence);

/* Reads the byte that makes a stream's socket readable, if the call requires it. */
void request_drain(int fd, const struct call *call);

/* ---- events.c -------------------------------------------------------------------------------- */

#define EVENT_MAX_SIZE 4096u

/* The struct of perf_event_open(); newer and older ones are larger and smaller. */
union event_attributes {
    struct perf_event_attr attr;
    char bytes[EVENT_MAX_SIZE];
};

/* Gets the struct at an address of the program. Returns true if the event is the GPU's. */
bool event_is_gpu(uint64_t address, union event_attributes *out);

/* Opens an event. Returns its descriptor, or a negative errno. */
int64_t event_open(const struct perf_event_attr *attr, int pid, int cpu, int group,
                   unsigned long flags);

/* ---- calls_time.c ---------------------------------------------------------------------------- */

/* True if the program's clocks follow the GPU's (EMULATE_CLOCK). */
bool time_is_virtual(void);

/* The server, which had the clock, is gone: the clock is the machine's from now on. */
void time_end(void);

#define SECOND 1000000000

/* Returns CLOCK_MONOTONIC of the program. Negative: the clock is not virtual, or the server is
 * gone: use the machine's clocks. */
int64_t time_now_ns(void);

/* Gets the offset of a clock from CLOCK_MONOTONIC. False for CPU clocks and unknown clocks, and if
 * the clock is not virtual. */
bool time_offset(clockid_t clock, int64_t *out);

/* Whether the struct is valid. */
bool time_is_valid(const struct timespec *time);
struct timespec time_of(int64_t ns);

/* Returns a time plus another, and the CLOCK_MONOTONIC of an absolute time; both saturate. */
uint64_t time_after(uint64_t from_ns, const struct timespec *time);
uint64_t time_deadline(const struct timespec *time, int64_t offset_ns);

/* Returns EMULATE_CLOCK "=value" for the environment of executed programs. NULL: unset. */
const char *time_variable(void);

/* ---- lease.c --------------------------------------------------------------------------------- */

/* Reads the clock by the thread's lease. Returns as time_now_ns(); negative: a call is needed. */
int64_t lease_now_ns(void);

/* Must be called after a call that has read the clock; before a thread or a process is made; at the
 * end of the thread. */
void lease_called(void);
void lease_end(void);
void lease_forget(void);

/* ---- calls_waits.c --------------------------------------------------------------------------- */

/* Makes a call of syscall() that reads the clock or waits. False: it is another. */
bool time_syscall(long number, const long arguments[6], long *result);

/* ---- calls_timers.c -------------------------------------------------------------------------- */

/* Reads a timer. Returns as read(). */
int64_t timer_read(int fd, const struct descriptor *descriptor, void *to, size_t bytes);

/* ---- registers.c ----------------------------------------------------------------------------- */

/* Makes a mmap() call if the descriptor is that of the registers' file. *out: MAP_FAILED with
 * errno, or the mapping. */
bool registers_map(void *hint, size_t bytes, int protection, int flags, int fd, int64_t offset,
                   void **out);

/* Must be called before memory is unmapped. */
void registers_unmap(void *memory, size_t bytes);

/* Makes a call of sigaction(), for a signal that has a handler of registers.c. Returns false if it
 * is another one. */
bool registers_take_action(int signal, const struct sigaction *new, struct sigaction *old);

/* True if these signals must not be blocked. */
bool registers_need_signals(void);

/* ---- written.c ------------------------------------------------------------------------------- */

/* Makes the stream of a virtual file that the server reads and writes, by its descriptor, which it
 * owns. NULL with errno. */
FILE *written_open(int control, const char *mode);

/* Likewise, of a descriptor that the caller keeps if this fails. */
FILE *written_stream(int control, const char *mode);

/* Must be called when stdout has become a copy of a descriptor. The lines of bash's commands are
 * written by fflush() then, so that an error is theirs. */
void written_to_stdout(int fd);

/* ---- user.c ---------------------------------------------------------------------------------- */

/* Copy from and to the program's memory. Return false where a memcpy() would fault. */
bool user_read(void *to, uint64_t from, size_t bytes);
bool user_write(uint64_t to, const void *from, size_t bytes);

/* Returns how many of these bytes are mapped, from the first on. */
size_t user_mapped(uint64_t address, size_t bytes);

/* ---- ids.c ----------------------------------------------------------------------------------- */

/* True with CAP_PERFMON or CAP_SYS_ADMIN; with simulated ids, if the effective one is root. */
bool ids_privileged(void);

/* Whether a user, by its real id, may access the program. */
bool ids_trusts(unsigned user);

/* True if ids are simulated (EMULATE_IDS). */
bool ids_simulated(void);

/* Opens /proc/self/status with simulated ids. Returns a descriptor, or -1 with errno. */
int ids_status(void);

/* Returns EMULATE_IDS "=value" for the environment of executed programs. NULL: ids are real. */
const char *ids_variable(void);

/* ---- log.c ----------------------------------------------------------------------------------- */

/* Logs a call and its result, a number or a negative errno. Keeps errno. */
__attribute__((format(printf, 2, 3))) void log_call(int64_t result, const char *format, ...);
bool log_is_on(void);

/* Must be called when EMULATE_LOG has changed. */
void log_again(void);

/* Formats the flags of open(): "O_RDWR|O_CLOEXEC". Returns `out`. */
#define FLAGS_SIZE 192
const char *log_flags(int flags, char out[FLAGS_SIZE]);

/* Logs an ioctl with the fields of its argument, after the call. */
void log_ioctl(int64_t result, int fd, uint32_t request, uint64_t argument);

#endif
