/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PACKETS_H
#define TALLY_PACKETS_H

/*
 * Record buffers of NVIDIA's PCOUNTER (G84 to GT21x): what a domain in record mode has written to
 * memory, packet behind packet. docs/recording-format.md has the bytes.
 *
 * A packet holds a 48-bit count of cycles, how often the STOP input was 1, and for 12 signals (4 in
 * the short format) in how many cycles each was 1 since the packet before. It is written when STOP
 * was 1, or when a count has reached 0xf000 ("overflow").
 *
 * The unit leaves no trace of a packet that is missing. A reader finds out what can be known: by
 * the cycle counter, where STOP comes at a steady period; by a signal that is always 1, whose count
 * must be the cycles that went by; by saturated counters. All of it goes into the loss ledger
 * (tally/recording.h), with the place.
 *
 * Source: envytools, "PCOUNTER", section "Record mode".
 *
 * Threads: a reader belongs to one thread at a time. Functions without a reader are pure.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>
#include <tally/recording.h>
#include <tally/version.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TALLY_PACKET_COUNTS 12 /* event counts of a long packet */

/* RECORD_FORMAT. */
enum tally_packet_format {
    TALLY_PACKET_LONG, /* "pcounter/long": 32 bytes, 12 event counts */
    TALLY_PACKET_SHORT /* "pcounter/short": 16 bytes, the 4 counts of PRE_SRC */
};

/* "pcounter/long" or "pcounter/short". Static text. */
TALLY_API const char *tally_packet_format_name(enum tally_packet_format format);

/* Finds the format of such a name. Returns 0 with *out, or -ENOENT. */
TALLY_API int tally_packet_format_find(const char *name, enum tally_packet_format *out);

/* Bytes of a packet: 32 or 16. */
TALLY_API size_t tally_packet_size(enum tally_packet_format format);

/* Event counts of a packet: 12 or 4. */
TALLY_API size_t tally_packet_count_total(enum tally_packet_format format);

/* The documented name of an event count, 0 to 11: "PRE_SRC[0]" to "EVENT_SRC[3]". Static text. */
TALLY_API const char *tally_packet_count_name(size_t count);

/* Why a packet was written. */
enum tally_packet_cause {
    TALLY_PACKET_STOP,    /* STOP was 1 */
    TALLY_PACKET_OVERFLOW /* an event count had reached 0xf000 */
};

/* "stop" or "overflow". Static text. */
TALLY_API const char *tally_packet_cause_name(enum tally_packet_cause cause);

/* What a packet's delta is worth. */
enum tally_packet_state {
    TALLY_PACKET_OK,     /* the counts are those of the `delta` cycles before `cycles` */
    TALLY_PACKET_LOST,   /* something between the packet before and this one is missing */
    TALLY_PACKET_FIRST,  /* the first packet read: no delta */
    TALLY_PACKET_RESTART /* the cycle counter was restarted before it: no delta */
};

/* "ok", "lost", "first" or "restart". Static text. */
TALLY_API const char *tally_packet_state_name(enum tally_packet_state state);

/* In `saturated`: the STOP counter. */
#define TALLY_PACKET_STOP_SATURATED 0x8000

/* One packet. */
struct tally_packet {
    uint64_t index;     /* among the packets read, from 0 */
    uint64_t offset;    /* bytes from the start of the input */
    uint64_t run;       /* restarts before it */
    uint64_t cycles;    /* of the domain's clock, unwrapped to 64 bits within its run */
    uint64_t delta;     /* cycles since the packet before; 0 where there is no delta */
    uint16_t stop;      /* STOP pulses; more than 1: merged while the outgoing slot was busy */
    uint16_t saturated; /* bit i: counts[i] is at 0xffff, where it stops: at least so many events */
    uint16_t cause;     /* enum tally_packet_cause */
    uint16_t state;     /* enum tally_packet_state */
    uint16_t counts[TALLY_PACKET_COUNTS]; /* 0 where the format has none */
};

struct tally_packets;

/*
 * Opens a record buffer: a file, a pipe, or "-" for standard input; nothing says its format but the
 * caller. `map`: map a file instead of reading it. On success *out is the caller's, to be closed
 * with tally_packets_close(). Memory is the same whatever the size of the input.
 * Errors: -ENOENT, -EACCES, -EISDIR and other errors of open(2) and read(2); -ENOMEM.
 */
TALLY_API int tally_packets_open(const char *path, enum tally_packet_format format, bool map,
                                 struct tally_packets **out, struct tally_error *error);

/*
 * Opens a record buffer that lies in memory. `bytes` stays the caller's and must outlive the
 * reader. `name` is for messages. Errors: -ENOMEM.
 */
TALLY_API int tally_packets_open_memory(const void *bytes, size_t size, const char *name,
                                        enum tally_packet_format format, struct tally_packets **out,
                                        struct tally_error *error);

/* Closes; accepts NULL. */
TALLY_API void tally_packets_close(struct tally_packets *packets);

/*
 * Reads the next packets, at most `room` (0 reads none), into `out`, which is the caller's. Returns
 * how many, 0 at the end of the input, or a negative errno when all packets have been delivered:
 * -EBADMSG with *error naming the first packet that cannot be one or the torn last one, with its
 * offset and what was expected; -EIO and others of read(2). Later calls return the same.
 *
 * Slots of zeros are counted and skipped, and so are malformed packets.
 */
TALLY_API ptrdiff_t tally_packets_read(struct tally_packets *packets, struct tally_packet *out,
                                       size_t room, struct tally_error *error);

/* As opened; valid until the reader is closed. */
TALLY_API const char *tally_packets_path(const struct tally_packets *packets);
TALLY_API enum tally_packet_format tally_packets_format(const struct tally_packets *packets);

/* Bytes of the input (0: not known, a pipe), and bytes taken so far. */
TALLY_API uint64_t tally_packets_size_bytes(const struct tally_packets *packets);
TALLY_API uint64_t tally_packets_position(const struct tally_packets *packets);

/*
 * The ledger so far, as tally_recording_losses() has it: indices are those of packets, times are
 * cycles, and what is estimated are packets (TALLY_LOSS_CYCLES: cycles). Returns the number of
 * entries; *out is valid until the next read.
 */
TALLY_API size_t tally_packets_losses(const struct tally_packets *packets,
                                      const struct tally_loss **out);

/* A slot that holds no packet. */
struct tally_packet_fault {
    uint64_t offset;
    char message[160]; /* what was found and what was expected */
};

/* The first faults, at most 64; all are in the ledger and counted. *out lives as the reader. */
TALLY_API size_t tally_packets_faults(const struct tally_packets *packets,
                                      const struct tally_packet_fault **out);

/*
 * Sums so far. Always: (packets + unwritten + malformed) * size of a packet + torn_bytes is what
 * has been taken of the input.
 */
struct tally_packets_totals {
    uint64_t packets;    /* delivered */
    uint64_t unwritten;  /* slots of zeros */
    uint64_t malformed;  /* slots that hold no packet */
    uint64_t torn_bytes; /* at the end, fewer than a packet */

    uint64_t overflows; /* packets whose cause is overflow */
    uint64_t stops;     /* STOP pulses */
    uint64_t merged;    /* of them such that wrote no packet of their own: the slot was busy */
    uint64_t restarts;
    uint64_t wraps;       /* of the 48-bit cycle counter */
    uint64_t missing;     /* packets, estimated by the period */
    uint64_t lost_cycles; /* cycles in no packet, by a signal that is always 1 */
    uint64_t saturated;   /* packets with a saturated counter */
    uint64_t lost_deltas; /* packets whose state is not TALLY_PACKET_OK, but the first */

    uint64_t first_cycles;                /* unwrapped, of the first packet */
    uint64_t last_cycles;                 /* unwrapped in its run, of the last packet */
    uint64_t counted_cycles;              /* the deltas of the packets whose state is ok, */
    uint64_t sums[TALLY_PACKET_COUNTS];   /* and their counts */
    uint64_t maxima[TALLY_PACKET_COUNTS]; /* of all packets */
    uint64_t saturated_counts[TALLY_PACKET_COUNTS]; /* packets in which this count is saturated */

    /* The steady period of STOP, as found last. */
    uint64_t period_cycles;    /* 0: none was found */
    uint64_t period_votes;     /* distances of STOP to STOP that agree, */
    uint64_t period_distances; /* of so many looked at */
    uint64_t period_changes;   /* how often another period was found later */
    uint16_t always_on;        /* bit i: signal i was 1 in every cycle, of a run at least */
};

/* The sums so far. */
TALLY_API struct tally_packets_totals tally_packets_totals(const struct tally_packets *packets);

#ifdef __cplusplus
}
#endif

#endif
