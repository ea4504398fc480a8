/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PACKETS_H
#define TALLY_PACKETS_H

/*
 * Record buffers of NVIDIA's PCOUNTER (G84 to GT21x): the packets that a domain in record mode
 * wrote to memory, one after the other. docs/recording-format.md specifies the format.
 *
 *     struct tally_packets *packets;
 *     struct tally_packet packet;
 *     if (tally_packets_open("busy.bin", TALLY_PACKET_LONG, false, &packets, &error) == 0) {
 *         while (tally_packets_read(packets, &packet, 1, &error) > 0)
 *             printf("%llu: %u\n", (unsigned long long)packet.cycles, packet.counts[0]);
 *         tally_packets_close(packets);
 *     }
 *
 * A packet has a 48-bit cycle count, the number of STOP pulses, and for each of 12 signals (4 in
 * the short format) the number of cycles in which it was 1 since the previous packet. It is written
 * when STOP was 1, or when a count has reached 0xf000 ("overflow").
 *
 * The unit leaves no trace of a missing packet. A reader infers losses from the cycle counter, if
 * STOP has a steady period; from the count of a signal that is always 1, which must equal the
 * elapsed cycles; and from saturated counters. Each loss is added to the loss ledger
 * (tally/recording.h) with its position.
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

/* Returns "pcounter/long" or "pcounter/short". Static text. */
TALLY_API const char *tally_packet_format_name(enum tally_packet_format format);

/* Finds a format by its name. Returns 0 with *out, or -ENOENT. */
TALLY_API int tally_packet_format_find(const char *name, enum tally_packet_format *out);

/* Returns the size of a packet in bytes: 32 or 16. */
TALLY_API size_t tally_packet_size(enum tally_packet_format format);

/* Returns the number of event counts of a packet: 12 or 4. */
TALLY_API size_t tally_packet_counts(enum tally_packet_format format);

/* Returns the documented name of an event count, 0 to 11: "PRE_SRC[0]" to "EVENT_SRC[3]". Static
 * text. */
TALLY_API const char *tally_packet_count_name(size_t count);

/* Why a packet was written. */
enum tally_packet_cause {
    TALLY_PACKET_STOP,    /* STOP was 1 */
    TALLY_PACKET_OVERFLOW /* an event count had reached 0xf000 */
};

/* Returns "stop" or "overflow". Static text. */
TALLY_API const char *tally_packet_cause_name(enum tally_packet_cause cause);

/* Whether the delta of a packet can be trusted. */
enum tally_packet_state {
    TALLY_PACKET_OK,     /* the counts are those of the `delta` cycles before `cycles` */
    TALLY_PACKET_LOST,   /* packets or cycles are missing since the previous packet */
    TALLY_PACKET_FIRST,  /* the first packet read: no delta */
    TALLY_PACKET_RESTART /* the cycle counter was restarted before this packet: no delta */
};

/* Returns "ok", "lost", "first" or "restart". Static text. */
TALLY_API const char *tally_packet_state_name(enum tally_packet_state state);

/* Bit of `saturated` for the STOP counter. */
#define TALLY_PACKET_STOP_SATURATED 0x8000

/* One packet. */
struct tally_packet {
    uint64_t index;     /* index among the packets read, from 0 */
    uint64_t offset;    /* offset in the input, in bytes */
    uint64_t run;       /* number of restarts before this packet */
    uint64_t cycles;    /* cycles of the domain's clock, unwrapped to 64 bits within the run */
    uint64_t delta;     /* cycles since the previous packet; 0 if there is no delta */
    uint16_t stop;      /* number of STOP pulses; more than 1: the outgoing slot was busy, and
                         * several pulses share this packet */
    uint16_t saturated; /* bit i: counts[i] stopped at 0xffff; the real count may be larger */
    uint16_t cause;     /* enum tally_packet_cause */
    uint16_t state;     /* enum tally_packet_state */
    uint16_t counts[TALLY_PACKET_COUNTS]; /* 0 if the format does not have it */
};

struct tally_packets;

/*
 * Opens a record buffer: a file, a pipe, or "-" for standard input. The caller must know the
 * format, which is not stored in the buffer. `map`: map a file instead of reading it. Returns 0 and
 * *out, which the caller closes with tally_packets_close(). Memory use does not depend on the size
 * of the input. Errors: -ENOENT, -EACCES, -EISDIR and other errors of open(2) and read(2); -ENOMEM.
 */
TALLY_API int tally_packets_open(const char *path, enum tally_packet_format format, bool map,
                                 struct tally_packets **out, struct tally_error *error);

/*
 * Opens a record buffer in memory. The caller owns `bytes`, which must outlive the reader. `name`
 * is for messages. Returns 0 and *out, or -ENOMEM.
 */
TALLY_API int tally_packets_open_memory(const void *bytes, size_t size, const char *name,
                                        enum tally_packet_format format, struct tally_packets **out,
                                        struct tally_error *error);

/* Closes a reader; accepts NULL. */
TALLY_API void tally_packets_close(struct tally_packets *packets);

/*
 * Reads the next packets into the caller's array `out` of `capacity` elements (0 reads none).
 * Returns their number, 0 at the end of the input, or a negative errno when all packets have been
 * delivered: -EBADMSG with a message about the first malformed or incomplete packet, its offset and
 * what was expected; -EIO and others of read(2). Later calls return the same.
 *
 * Slots of zeros and malformed packets are counted and skipped.
 */
TALLY_API ptrdiff_t tally_packets_read(struct tally_packets *packets, struct tally_packet *out,
                                       size_t capacity, struct tally_error *error);

/* Return the path, valid until the reader is closed, and the format, as given when opening. */
TALLY_API const char *tally_packets_path(const struct tally_packets *packets);
TALLY_API enum tally_packet_format tally_packets_format(const struct tally_packets *packets);

/* Return the size of the input in bytes (0: unknown, a pipe), and the bytes consumed so far. */
TALLY_API uint64_t tally_packets_size_bytes(const struct tally_packets *packets);
TALLY_API uint64_t tally_packets_position(const struct tally_packets *packets);

/*
 * Returns the number of entries of the ledger so far and points *out at them (valid until the next
 * read). Entries are as in tally_recording_losses(), except that indices are those of packets,
 * times are cycles, and `estimated` counts packets (TALLY_LOSS_CYCLES: cycles).
 */
TALLY_API size_t tally_packets_losses(const struct tally_packets *packets,
                                      const struct tally_loss **out);

/* A slot without a valid packet. */
struct tally_packet_fault {
    uint64_t offset;
    char message[160]; /* what was found and what was expected */
};

/* Returns the number of stored faults, at most the first 64, and points *out at them (valid until
 * the reader is closed). The ledger and the totals include all faults. */
TALLY_API size_t tally_packets_faults(const struct tally_packets *packets,
                                      const struct tally_packet_fault **out);

/*
 * Totals so far. The bytes consumed are always (packets + unwritten + malformed) * size of a packet
 * + torn_bytes.
 */
struct tally_packets_totals {
    uint64_t packets;    /* delivered */
    uint64_t unwritten;  /* slots of zeros */
    uint64_t malformed;  /* slots without a valid packet */
    uint64_t torn_bytes; /* bytes of an incomplete packet at the end */

    uint64_t overflows; /* packets written because of an overflow */
    uint64_t stops;     /* STOP pulses */
    uint64_t merged;    /* STOP pulses without a packet of their own: the slot was busy */
    uint64_t restarts;
    uint64_t wraps;       /* wraps of the 48-bit cycle counter */
    uint64_t missing;     /* missing packets, estimated from the period */
    uint64_t lost_cycles; /* cycles in no packet, found by a signal that is always 1 */
    uint64_t saturated;   /* packets with a saturated counter */
    uint64_t lost_deltas; /* packets whose state is TALLY_PACKET_LOST or TALLY_PACKET_RESTART */

    uint64_t first_cycles;                /* unwrapped cycle count of the first packet */
    uint64_t last_cycles;                 /* unwrapped cycle count of the last packet, in its run */
    uint64_t counted_cycles;              /* sum of the deltas of packets in state
                                           * TALLY_PACKET_OK */
    uint64_t sums[TALLY_PACKET_COUNTS];   /* sums of their counts */
    uint64_t maxima[TALLY_PACKET_COUNTS]; /* maximum of each count over all packets */
    uint64_t saturated_counts[TALLY_PACKET_COUNTS]; /* number of packets in which the count is
                                                     * saturated */

    /* The steady period of STOP, as last determined. */
    uint64_t period_cycles;    /* in cycles; 0: none was found */
    uint64_t period_votes;     /* number of distances between STOPs that agree with it */
    uint64_t period_distances; /* number of distances examined */
    uint64_t period_changes;   /* number of times that the period changed */
    uint16_t always_on;        /* bit i: signal i was 1 in every cycle of at least one run */
};

/* Returns the totals so far. */
TALLY_API struct tally_packets_totals tally_packets_totals(const struct tally_packets *packets);

#ifdef __cplusplus
}
#endif

#endif
