/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_PROTOCOL_H
#define TALLY_PRELOAD_PROTOCOL_H

/*
 * What a program under `tally emulate` and the process that owns the modelled GPU say to each other
 * (docs/emulate.md).
 *
 * EMULATE_ENVIRONMENT names the server's directory. `socket` in it takes channels: connections, one
 * a thread, that carry one call at a time. `root` in it is the tree of the virtual files.
 *
 * A descriptor of the device or of a stream, as the program holds it, is one end of a socket pair
 * whose other end the server has bound to a name: "<mark>device/<number>/<minor>" or
 * "<mark>stream/<number>", or "<mark>event/<number>" of perf_event_open(), in the abstract
 * namespace. So any copy of it, in any process, can be asked who it is by getpeername(), and the
 * server sees when the last copy is closed. A byte lies in a stream's socket while it is readable:
 * poll() needs no help.
 */

#include <stdint.h>

#define EMULATE_ENVIRONMENT "TALLY_EMULATE"
#define EMULATE_LOG         "TALLY_EMULATE_LOG" /* set if there is one */
#define EMULATE_IDS         "TALLY_EMULATE_IDS" /* "uid:gid": those that the program is to see */
/* Set while the program's clocks follow the GPU's: CLOCK_REALTIME less CLOCK_MONOTONIC, in ns. */
#define EMULATE_CLOCK "TALLY_EMULATE_CLOCK"
#define EMULATE_MARK  "tally-emulate/" /* then the server's process id and "/" */

/*
 * A byte for each stream's number: 1 while a read that does not block would find nothing, so that
 * the program need not ask. The server writes it, and programs map it.
 */
#define EMULATE_DRY     "dry"
#define EMULATE_STREAMS 4096u

#define EMULATE_SOCKET "socket"
#define EMULATE_ROOT   "root"

/* The longest line of the log. */
#define EMULATE_LINE_MOST 4608u

/* A call's buffers are cut to this; also the most that one read() of a stream returns. */
#define EMULATE_MOST (64u << 20)

enum emulate_kind {
    /* From the program: calls, each answered by EMULATE_RESULT. */
    EMULATE_OPEN = 1,     /* a: minor, b: O_... flags. The descriptor comes before the result */
    EMULATE_IOCTL,        /* target: device; a: request, b: argument; its bytes follow if flagged */
    EMULATE_READ,         /* target: stream; a: bytes, b: how many of them can be reached surely */
    EMULATE_STREAM_IOCTL, /* target: stream; a: request, b: argument */
    EMULATE_MAP,          /* target: device; a: offset, b: bytes. EMULATE_MEMORY comes first */
    EMULATE_CONTENT,      /* a: enum emulate_content: made anew in the tree */
    EMULATE_CANCEL,     /* ends an EMULATE_READ or EMULATE_SLEEP that waits. Has no answer itself */
    EMULATE_LINE,       /* bytes: a line of the log. Has no answer */
    EMULATE_EVENT,      /* a: config, b: read_format, c: enum emulate_event and a leader's number.
                           The descriptor comes before the result */
    EMULATE_EVENT_READ, /* target: event; a: bytes */
    EMULATE_EVENT_IOCTL, /* target: event; a: request, b: argument */
    EMULATE_NOW,         /* the result is the program's CLOCK_MONOTONIC in ns (EMULATE_CLOCK) */
    EMULATE_SLEEP,       /* a: until when, in ns as EMULATE_NOW; UINT64_MAX: until a cancel */

    /* From the server, while it works on a call; each answered by EMULATE_ANSWER but RESULT. */
    EMULATE_COPY_IN = 32, /* a: address, b: bytes, which the answer carries */
    EMULATE_COPY_OUT,     /* a: address; the bytes follow */
    EMULATE_DESCRIPTOR,   /* a: O_CLOEXEC, O_NONBLOCK; the answer is its number */
    EMULATE_MEMORY,       /* a: offset, b: bytes, c: of a mmap() call or not. The answer: where */
    EMULATE_REACH,  /* of an EMULATE_READ: the answer is how many bytes can be reached at all */
    EMULATE_RESULT, /* a: as a system call's, negative errno. Bytes: of the argument, or read */

    EMULATE_ANSWER = 64 /* a: 0, a number, or a negative errno */
};

enum {
    EMULATE_HAS_ARGUMENT = 1,
    EMULATE_BLOCKING = 2,
    EMULATE_PRIVILEGED = 4,
    EMULATE_DRAINED = 8, /* of a result: the stream's socket is to lose a byte */
    EMULATE_MORE = 16    /* of a read: more of its buffer may be within reach */
};

/* The type of the GPU's events, as /sys/bus/event_source/devices/i915/type says. */
#define EMULATE_EVENT_TYPE 1915

enum emulate_event {
    EMULATE_EVENT_DISABLED = 1, /* until it is enabled */
    EMULATE_EVENT_CLOEXEC = 2,
    EMULATE_EVENT_LEADER_SHIFT = 32 /* the leader of its group; 0: none */
};

enum emulate_content { EMULATE_MODULES, EMULATE_RESIDENCY };

/* In front of each message's bytes. */
struct emulate_header {
    uint32_t bytes;
    uint16_t kind, flags;
    uint32_t target, pad;
    uint64_t a, b, c;
};

#endif
