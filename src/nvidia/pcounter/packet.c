/* SPDX-License-Identifier: MIT */
#include "nvidia/pcounter/packet.h"

#include "base/bits.h"

/*
 * The fields of a packet: offset, width, member, name, in two parts, of which the short format has
 * the first. Packing, unpacking and the public table are expansions of this list, so that the field
 * widths are compile-time constants.
 */
/* clang-format off */
#define FIELDS_SHORT(FIELD)                                         \
    FIELD(0x00, PACKET_CYCLES_WIDTH, cycles,     "CYCLES")          \
    FIELD(0x06, PACKET_STOP_WIDTH,   stop,       "STOP")            \
    FIELD(0x08, PACKET_COUNT_WIDTH,  counts[0],  "PRE_SRC[0]")      \
    FIELD(0x0a, PACKET_COUNT_WIDTH,  counts[1],  "PRE_SRC[1]")      \
    FIELD(0x0c, PACKET_COUNT_WIDTH,  counts[2],  "PRE_SRC[2]")      \
    FIELD(0x0e, PACKET_COUNT_WIDTH,  counts[3],  "PRE_SRC[3]")
#define FIELDS_LONG(FIELD)                                          \
    FIELD(0x10, PACKET_COUNT_WIDTH,  counts[4],  "START_SRC[0]")    \
    FIELD(0x12, PACKET_COUNT_WIDTH,  counts[5],  "START_SRC[1]")    \
    FIELD(0x14, PACKET_COUNT_WIDTH,  counts[6],  "START_SRC[2]")    \
    FIELD(0x16, PACKET_COUNT_WIDTH,  counts[7],  "START_SRC[3]")    \
    FIELD(0x18, PACKET_COUNT_WIDTH,  counts[8],  "EVENT_SRC[0]")    \
    FIELD(0x1a, PACKET_COUNT_WIDTH,  counts[9],  "EVENT_SRC[1]")    \
    FIELD(0x1c, PACKET_COUNT_WIDTH,  counts[10], "EVENT_SRC[2]")    \
    FIELD(0x1e, PACKET_COUNT_WIDTH,  counts[11], "EVENT_SRC[3]")

#define DESCRIBE(offset, width, member, name) {offset, width, name},
const struct packet_field packet_fields[PACKET_FIELDS] = {
    FIELDS_SHORT(DESCRIBE)
    FIELDS_LONG(DESCRIBE)
};
/* clang-format on */

#define WORD_BITS  16
#define WORD_BYTES 2

static inline void store(uint8_t *bytes, unsigned offset, unsigned width, uint64_t value)
{
    value &= low_bits(width);
    for (unsigned bit = 0; bit < width; bit += WORD_BITS, offset += WORD_BYTES)
        store_le16(bytes + offset, (uint16_t)(value >> bit));
}

static inline uint64_t load(const uint8_t *bytes, unsigned offset, unsigned width)
{
    uint64_t value = 0;
    for (unsigned bit = 0; bit < width; bit += WORD_BITS, offset += WORD_BYTES)
        value |= (uint64_t)load_le16(bytes + offset) << bit;
    return value & low_bits(width);
}

#define STORE(offset, width, member, name) store(bytes, offset, width, packet->member);
#define LOAD(offset, width, member, name)  LOAD_AS(packet->member, load(bytes, offset, width))
#define LOAD_AS(to, value)                 to = (__typeof__(to))(value);
#define CLEAR(offset, width, member, name) packet->member = 0;

void packet_pack(const struct pcounter_packet *packet, bool long_format,
                 uint8_t bytes[PACKET_LONG_BYTES])
{
    FIELDS_SHORT(STORE)
    if (long_format) {
        FIELDS_LONG(STORE)
    }
}

uint16_t packet_unpack(const uint8_t *bytes, bool long_format, struct pcounter_packet *packet)
{
    FIELDS_SHORT(LOAD)
    if (long_format) {
        FIELDS_LONG(LOAD)
    } else {
        FIELDS_LONG(CLEAR)
    }
    const struct packet_field *stop = &packet_fields[PACKET_FIELD_STOP];
    return (uint16_t)(load_le16(bytes + stop->offset) & ~low_bits(stop->width));
}

bool packet_is_saturated(const struct pcounter_packet *packet)
{
    bool saturated = packet->stop == PACKET_STOP_MAX;
    for (size_t i = 0; i < PACKET_COUNTS; i++)
        saturated |= packet->counts[i] == PACKET_COUNT_MAX;
    return saturated;
}
