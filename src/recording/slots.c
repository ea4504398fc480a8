/* SPDX-License-Identifier: MIT */
#include "recording/slots.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/bits.h"

static bool is_zero(const uint8_t *bytes, bool long_format)
{
    uint64_t any = load_le64(bytes) | load_le64(bytes + 8);
    if (long_format)
        any |= load_le64(bytes + 16) | load_le64(bytes + 24);
    return !any;
}

/*
 * Checks the rules for all packets: each counter counts at most once per cycle, and the packet
 * has a cause, STOP or a count of 0xf000 (PC-D23, PC-D24). A short packet may not include the count
 * that caused it; but no count can reach 0xf000 in fewer cycles.
 */
static enum slot_fault find_fault(const struct slot *slot, bool long_format)
{
    const struct pcounter_packet *packet = &slot->packet;
    if (slot->stop_high)
        return FAULT_STOP_WORD;
    if (!packet->stop && slot->largest < PACKET_COUNT_FULL) {
        if (long_format)
            return FAULT_NO_CAUSE;
        if (slot->has_delta && slot->delta < PACKET_COUNT_FULL)
            return FAULT_TOO_SOON;
    }
    if (slot->has_delta && packet->stop > slot->delta)
        return FAULT_STOPS;
    if (slot->has_delta && slot->largest > slot->delta)
        return FAULT_COUNTS;
    return FAULT_NONE;
}

void slot_examine(const uint8_t *bytes, bool long_format, const uint64_t *before, struct slot *out)
{
    out->fault = FAULT_NONE;
    out->restart = out->has_delta = false;
    if (is_zero(bytes, long_format)) {
        out->kind = SLOT_UNWRITTEN;
        return;
    }
    out->stop_high = packet_unpack(bytes, long_format, &out->packet);
    uint16_t largest = 0;
    for (size_t i = 0; i < PACKET_COUNTS; i++)
        largest = out->packet.counts[i] > largest ? out->packet.counts[i] : largest;
    out->largest = largest;
    if (before) {
        /* Two packets of a run are at least one cycle apart, and less than 2^47 cycles, which take
         * days. */
        out->delta = (out->packet.cycles - *before) & low_bits(PACKET_CYCLES_WIDTH);
        out->restart = !out->delta || out->delta >> (PACKET_CYCLES_WIDTH - 1);
        out->has_delta = !out->restart;
    }
    out->fault = find_fault(out, long_format);
    out->kind = out->fault ? SLOT_MALFORMED : SLOT_PACKET;
}

void slot_fault_text(const struct slot *slot, bool long_format, char *text, size_t size)
{
    const struct pcounter_packet *packet = &slot->packet;
    switch (slot->fault) {
    case FAULT_NONE:
        snprintf(text, size, "no fault");
        break;
    case FAULT_STOP_WORD:
        snprintf(text, size, "bits 12-15 of the STOP word are 0x%x, expected 0",
                 slot->stop_high >> packet_fields[PACKET_FIELD_STOP].width);
        break;
    case FAULT_NO_CAUSE:
        snprintf(text, size, "STOP is 0 and the largest count 0x%x, expected one of 0x%x or more",
                 slot->largest, PACKET_COUNT_FULL);
        break;
    case FAULT_TOO_SOON:
        snprintf(text, size, "STOP is 0 after %" PRIu64 " cycles, in which no count can reach 0x%x",
                 slot->delta, PACKET_COUNT_FULL);
        break;
    case FAULT_STOPS:
        snprintf(text, size, "STOP is %u after %" PRIu64 " cycles, expected at most one per cycle",
                 packet->stop, slot->delta);
        break;
    case FAULT_COUNTS: {
        size_t i = 0, counts = long_format ? PACKET_COUNTS : PACKET_SHORT_COUNTS;
        while (i + 1 < counts && packet->counts[i] <= slot->delta)
            i++;
        snprintf(text, size, "%s is %u after %" PRIu64 " cycles, expected at most one per cycle",
                 packet_fields[PACKET_FIELD_COUNT + i].name, packet->counts[i], slot->delta);
        break;
    }
    }
}
