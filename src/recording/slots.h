/* SPDX-License-Identifier: MIT */
#ifndef TALLY_RECORDING_SLOTS_H
#define TALLY_RECORDING_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvidia/pcounter/packet.h"

/* One slot of a PCOUNTER record buffer, looked at by itself and next to the packet before it. */

enum slot_kind { SLOT_PACKET, SLOT_UNWRITTEN, SLOT_MALFORMED };

/* Why a slot cannot hold a packet. */
enum slot_fault {
    FAULT_NONE,
    FAULT_STOP_WORD, /* bits 12-15 of it are not 0 */
    FAULT_NO_CAUSE,  /* STOP is 0, and no count has come to 0xf000 */
    FAULT_TOO_SOON,  /* STOP is 0, and none can have: too few cycles */
    FAULT_STOPS,     /* more STOP pulses than cycles */
    FAULT_COUNTS     /* more events than cycles */
};

struct slot {
    enum slot_kind kind;
    enum slot_fault fault;
    bool restart;     /* the cycle counter went back, or did not move */
    bool has_delta;   /* there is a packet before, and no restart between */
    uint64_t delta;   /* cycles since the packet before, where has_delta */
    uint16_t beside;  /* bits 12-15 of the STOP word */
    uint16_t largest; /* event count */
    struct pcounter_packet packet;
};

/* `before` is the 48-bit cycle count of the packet before, or NULL. */
void slot_examine(const uint8_t *bytes, bool long_format, const uint64_t *before, struct slot *out);

/* Writes what was found and what was expected in a slot that is malformed. */
void slot_fault_text(const struct slot *slot, bool long_format, char *text, size_t size);

#endif
