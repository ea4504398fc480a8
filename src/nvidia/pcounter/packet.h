/* SPDX-License-Identifier: MIT */
#ifndef TALLY_NVIDIA_PCOUNTER_PACKET_H
#define TALLY_NVIDIA_PCOUNTER_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The packet that PCOUNTER writes to memory in record mode (envytools, "PCOUNTER", section "Record
 * mode"): sixteen little-endian words. The short format is the first eight of them.
 */

#define PACKET_LONG_BYTES   32
#define PACKET_SHORT_BYTES  16
#define PACKET_COUNTS       12 /* event counters of a long packet */
#define PACKET_SHORT_COUNTS 4

/* Widths of the packet's fields in bits. Event and STOP counters saturate at their maximum. */
enum { PACKET_CYCLES_WIDTH = 48, PACKET_STOP_WIDTH = 12, PACKET_COUNT_WIDTH = 16 };
#define PACKET_STOP_MAX   ((1u << PACKET_STOP_WIDTH) - 1)
#define PACKET_COUNT_MAX  ((1u << PACKET_COUNT_WIDTH) - 1)
#define PACKET_COUNT_FULL 0xf000u /* an event counter that reaches this causes a packet */

/* One packet's values. Counts are in the order of the bytes: PRE_SRC, START_SRC, EVENT_SRC. */
struct pcounter_packet {
    uint64_t cycles; /* PACKET_CYCLES_WIDTH bits */
    uint16_t stop;   /* PACKET_STOP_WIDTH bits */
    uint16_t counts[PACKET_COUNTS];
};

/* A field: `width` bits from bit 0 of the word at `offset` on. */
struct packet_field {
    uint8_t offset; /* bytes */
    uint8_t width;  /* bits */
    const char *name;
};

/* The cycle counter, the STOP counter, and the event counters. */
#define PACKET_FIELD_CYCLES 0
#define PACKET_FIELD_STOP   1
#define PACKET_FIELD_COUNT  2 /* of the first event counter */
#define PACKET_FIELDS       (PACKET_FIELD_COUNT + PACKET_COUNTS)
extern const struct packet_field packet_fields[PACKET_FIELDS];

static inline size_t packet_size(bool long_format)
{
    return long_format ? PACKET_LONG_BYTES : PACKET_SHORT_BYTES;
}

/* Writes packet_size() bytes. Values are truncated to the width of their field. */
void packet_pack(const struct pcounter_packet *packet, bool long_format,
                 uint8_t bytes[PACKET_LONG_BYTES]);

/*
 * Reads packet_size() bytes; counts missing in a short packet become 0. Returns the bits above the
 * STOP counter (bits 12-15 of its word), which are 0 in valid packets.
 */
uint16_t packet_unpack(const uint8_t *bytes, bool long_format, struct pcounter_packet *packet);

/* Whether a counter stopped at its maximum, so that its count is a lower bound. */
bool packet_is_saturated(const struct pcounter_packet *packet);

#endif
