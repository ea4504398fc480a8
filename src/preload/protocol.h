/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_PROTOCOL_H
#define TALLY_PRELOAD_PROTOCOL_H

/*
 * The protocol between a program under `tally emulate` and the server, the process that owns the
 * modelled GPU (docs/emulate.md).
 *
 * EMULATE_ENVIRONMENT names the server's directory, which no other user can guess (directory.c). It
 * contains `socket`, which accepts channels:
 * connections, one per thread, that carry one call at a time; and `root`, the tree of virtual
 * files.
 *
 * The program's descriptor of the device, of a stream or of an event is one end of a socket pair.
 * The server has bound the other end to a name in the abstract namespace:
 * "<mark>device/<number>/<minor>", "<mark>stream/<number>", "<mark>fence/<number>" (a sync file),
 * "<mark>syncobj/<number>", "<mark>buffer/<number>/<pages>" (a dma-buf), "<mark>event/<number>"
 * (for perf_event_open()), "<mark>timer/<number>/<realtime>" (for timerfd_create() with a virtual
 * clock) or "<mark>file/<number>" (a virtual file that is written). So
 * getpeername() identifies any copy of the descriptor in any process, SO_PEERCRED shows whether its
 * other end is the server's, and the server sees when the last copy is closed. While a stream is
 * readable its socket contains a byte, so that poll() works without interposition.
 */

#include <stdint.h>

#define EMULATE_ENVIRONMENT "TALLY_EMULATE"
#define EMULATE_LOG         "TALLY_EMULATE_LOG" /* set if calls are logged */
#define EMULATE_IDS         "TALLY_EMULATE_IDS" /* "uid:gid": the ids that the program sees */
/* Set with a virtual clock, where the program's clocks follow the GPU's: CLOCK_REALTIME minus
 * CLOCK_MONOTONIC, in ns. */
#define EMULATE_CLOCK  "TALLY_EMULATE_CLOCK"
#define EMULATE_MARK   "tally-emulate/" /* then random digits and "/" */
#define EMULATE_RANDOM 16               /* their number */

/*
 * EMULATE_NOTICE gives a memory file of this struct, which saves programs calls of the server. Only
 * the server can write it, and it is sealed.
 */
#define EMULATE_STREAMS 4096u
#define EMULATE_DEVICES 1024u

struct emulate_notice {
    uint8_t empty[EMULATE_STREAMS]; /* of each stream: 1 while a non-blocking read gives EAGAIN */
    /* Inodes of the descriptors of devices that are open, or that the server does not know to be
     * closed yet; 0: none. slots: up to where there may be some; beyond EMULATE_DEVICES: there are
     * others, too. */
    uint64_t devices[EMULATE_DEVICES];
    uint32_t slots;
};

/* What LD_PRELOAD has after the library: in a sanitized build, the sanitizer's library and another.
 */
#ifdef EMULATE_SANITIZER
#define EMULATE_ALSO ":" EMULATE_SANITIZER
#else
#define EMULATE_ALSO ""
#endif

#define EMULATE_SOCKET "socket"
#define EMULATE_ROOT   "root"

/* Maximum length of a line of the log. */
#define EMULATE_MAX_LINE 4608u

/* Maximum size of a call's buffers, and so of the result of one read() of a stream. */
#define EMULATE_MAX_BYTES (64u << 20)

enum emulate_kind {
    /* From the program: calls, each answered by EMULATE_RESULT. */
    EMULATE_OPEN = 1,     /* a: minor, b: O_... flags. The descriptor comes before the result */
    EMULATE_IOCTL,        /* target: device; a: request, b: argument; its bytes follow if flagged.
                             c: number, plus 1, of the fence, sync object or buffer whose descriptor
                             the argument contains; 0: another one; EMULATE_CLOSED: none */
    EMULATE_READ,         /* target: stream; a: bytes, b: number of them known to be mapped */
    EMULATE_STREAM_IOCTL, /* target: stream; a: request, b: argument */
    EMULATE_MAP,     /* target: as c, enum emulate_map; a: offset, b: bytes. EMULATE_MEMORY comes
                        first */
    EMULATE_CONTENT, /* a: enum emulate_content: rewrites these files of the tree; bytes: the path
                        of the one that is opened */
    EMULATE_CANCEL,  /* ends a waiting READ, FILE_READ, SLEEP, IOCTL, WRITE or UNMAP. Has no
                        result */
    EMULATE_LINE,    /* a: the thread; bytes: a line of the log, after "[thread] ". Has no result */
    EMULATE_EVENT,   /* a: config, b: read_format, c: enum emulate_event and a leader's number.
                        The descriptor comes before the result */
    EMULATE_TRACEPOINT,   /* a: thread, 0: the caller, -1: all, b: processor, -1: any, c: as of
                             EMULATE_EVENT; bytes: struct perf_event_attr. The descriptor comes
                             before the result */
    EMULATE_EXECUTES,     /* a: thread, which executes a program; 0: starts one in a new process;
                             bytes: its path, or none. Has no result */
    EMULATE_EVENT_READ,   /* target: event; a: bytes */
    EMULATE_EVENT_IOCTL,  /* target: event; a: request, b: argument, c: number, plus 1, of the event
                             that it names; bytes: what it points to, or a string */
    EMULATE_NOW,          /* the result is the program's CLOCK_MONOTONIC in ns (EMULATE_CLOCK) */
    EMULATE_OPEN_FILE,    /* a: O_ACCMODE, O_CLOEXEC, O_NONBLOCK, O_TRUNC; bytes: the path of a
                             virtual file. The descriptor comes before the result; -ENOENT: the file
                             is plain, so that the program opens it itself */
    EMULATE_WRITE,        /* target: file; a: 1: the position stays; bytes: what is written */
    EMULATE_SLEEP,        /* a: end, in ns as EMULATE_NOW; UINT64_MAX: until EMULATE_CANCEL or, with
                             the same b, EMULATE_WAKE. The result is 1 if that ended it */
    EMULATE_NOTICE,       /* EMULATE_MEMORY comes first */
    EMULATE_FENCE_IOCTL,  /* target: fence; else as EMULATE_IOCTL */
    EMULATE_BUFFER_IOCTL, /* target: buffer; else as EMULATE_IOCTL */
    EMULATE_DESCRIBE,   /* a: inode of a descriptor, b: bytes. The result is the minor number of the
                           device that it is, and the lines that fdinfo has of it; -ENOENT: none */
    EMULATE_WAKE,       /* a: a thread of the process, b: not 0: ends its EMULATE_SLEEP with this b,
                           also if it begins later. Has no result */
    EMULATE_TIMER,      /* makes a timer; a: O_CLOEXEC, O_NONBLOCK, b: enum emulate_timer, c: the
                           value of its signal. A descriptor comes before the result; or the result
                           is its number */
    EMULATE_TIMER_SET,  /* target: timer; a: when it expires, as EMULATE_NOW; 0: never; b: period,
                           c: enum emulate_timer. Bytes of the result: struct emulate_timer_state
                           before */
    EMULATE_TIMER_GET,  /* target: timer; c: enum emulate_timer. Bytes of the result likewise */
    EMULATE_TIMER_READ, /* target: timer with a descriptor. Bytes of the result: uint64_t, how often
                           it has expired */
    EMULATE_TIMER_END,  /* target: timer with a signal */
    EMULATE_LOAD,      /* a: offset in BAR 0, b: 1, 2, 4 or 8 bytes. The result is their number, its
                          bytes are the value, little endian */
    EMULATE_STORE,     /* a, b likewise; c: the value */
    EMULATE_FILE_READ, /* target: file; a: bytes, b: 1: whole pages, for splice(), c: an offset,
                          plus 1; 0: at the position, which moves */
    EMULATE_SEEK,      /* target: file; a: offset, b: whence */
    EMULATE_LEASE,     /* the thread reads the clock often. EMULATE_MEMORY comes first: a struct
                          emulate_lease. Takes neither time nor a turn */
    EMULATE_FILE_IOCTL, /* target: file; else as EMULATE_IOCTL */
    EMULATE_REAP,       /* the program has closed a virtual file: what that does is done before the
                           result */
    EMULATE_UNMAP, /* a: address, b: bytes, which the program unmaps: the result comes when the GPU
                      does not use them */

    /* From the server, while it serves a call; each except RESULT and WAITS answered by
     * EMULATE_ANSWER. */
    EMULATE_COPY_IN = 48, /* a: address, b: bytes; the answer contains them */
    EMULATE_COPY_OUT,     /* a: address; the bytes follow */
    EMULATE_DESCRIPTOR,   /* a: O_CLOEXEC, O_NONBLOCK; the answer is its number */
    EMULATE_MEMORY,       /* a: offset, b: bytes, c: 1 for a mmap() call. The answer: the address */
    EMULATE_REACH,  /* during an EMULATE_READ: the answer is how many bytes of its buffer are mapped
                     */
    EMULATE_RESULT, /* a: the system call's result or negative errno. Bytes: argument or data read
                     */
    EMULATE_WAITS, /* during an IOCTL, WRITE or UNMAP: the call waits and can be cancelled; the next
                      message is its result. Has no answer */

    EMULATE_ANSWER = 64 /* a: 0, a number, or a negative errno */
};

#define EMULATE_CLOSED UINT64_MAX

/* What is mapped; RING: an event with PROT_WRITE; PRIVATE: one with MAP_PRIVATE, which is refused.
 */
enum emulate_map {
    EMULATE_MAP_DEVICE,
    EMULATE_MAP_BUFFER,
    EMULATE_MAP_EVENT,
    EMULATE_MAP_RING,
    EMULATE_MAP_PRIVATE
};

enum {
    EMULATE_HAS_ARGUMENT = 1,
    EMULATE_BLOCKING = 2,
    EMULATE_PRIVILEGED = 4,
    EMULATE_DRAINED = 8, /* result: the program must read the byte from the stream's socket */
    EMULATE_MORE = 16,   /* read: more of the buffer than `b` may be mapped */
    EMULATE_REPEAT = 32  /* result: the program must make the call again; call: it is made again */
};

/* The type of the GPU's events: the contents of /sys/bus/event_source/devices/i915/type. */
#define EMULATE_EVENT_TYPE 1915

enum emulate_event {
    EMULATE_EVENT_DISABLED = 1, /* initially disabled */
    EMULATE_EVENT_CLOEXEC = 2,
    EMULATE_EVENT_PROCESS = 4,      /* of a process, which the GPU's cannot be */
    EMULATE_EVENT_LEADER_SHIFT = 32 /* number of the group leader; 0: none */
};

/* A timer: which signal it sends, and to which thread. */
enum emulate_timer {
    EMULATE_TIMER_DESCRIPTOR = 1, /* it has a descriptor instead */
    EMULATE_TIMER_PROCESS = 2,    /* the one of setitimer(); its number is 0 */
    EMULATE_TIMER_SILENT = 4,     /* it does nothing */
    EMULATE_TIMER_RELATIVE = 8,   /* of EMULATE_TIMER_SET: a is from now on */
    EMULATE_TIMER_REALTIME = 16, /* its clock is CLOCK_REALTIME: the minor of the descriptor is 1 */
    EMULATE_TIMER_SIGNAL = 0xff00, /* the signal */
    EMULATE_TIMER_SIGNAL_SHIFT = 8,
    EMULATE_TIMER_THREAD_SHIFT = 32 /* 0: to the process */
};

struct emulate_timer_state {
    uint64_t left_ns; /* 0: disarmed */
    uint64_t period_ns;
};

/*
 * A lease of the clock: while the thread is the program's only one, it may read the clock without a
 * call. A reading adds EMULATE_CALL_NS to now_ns, unless that would exceed end_ns. The server
 * begins a lease with a result, and ends it at the next call; the library, before it makes a thread
 * or a process, by end_ns = 0.
 */
struct emulate_lease {
    uint64_t now_ns, end_ns;
};

#define EMULATE_LEASE_BYTES 4096u /* of its memory */
#define EMULATE_CALL_NS     1000u /* duration of a call */

enum emulate_content {
    EMULATE_MODULES,
    EMULATE_RESIDENCY,
    EMULATE_FREQUENCY,
    EMULATE_DEBUG,
    EMULATE_TRACE,
    EMULATE_ERROR
};

/* Precedes the bytes of each message. */
struct emulate_header {
    uint32_t bytes;
    uint16_t kind, flags;
    uint32_t target;
    uint32_t thread; /* of a call: the number of the calling thread */
    uint64_t a, b, c;
};

#endif
