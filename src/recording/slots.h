/* SPDX-License-Identifier: MIT */
#ifndef TALLY_RECORDING_SLOTS_H
#define TALLY_RECORDING_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvidia/pcounter/packet.h"

/* Examines one slot of a PCOUNTER record buffer, alone and relative to the previous packet. */

enum slot_kind { SLOT_PACKET, SLOT_UNWRITTEN, SLOT_MALFORMED };

/* Why a slot cannot hold a packet. */
enum slot_fault {
    FAULT_NONE,
    FAULT_STOP_WORD, /* bits 12-15 of the STOP word are not 0 */
    FAULT_NO_CAUSE,  /* STOP is 0, and no count has reached 0xf000 */
    FAULT_TOO_SOON,  /* STOP is 0, and there were too few cycles for a count to reach 0xf000 */
    FAULT_STOPS,     /* more STOP pulses than cycles */
    FAULT_COUNTS     /* more events than cycles */
};

struct slot {
    enum slot_kind kind;
    enum slot_fault fault;
    bool restart;       /* the cycle counter decreased, or did not change */
    bool has_delta;     /* there is a previous packet, and no restart since then */
    uint64_t delta;     /* cycles since the previous packet; valid if has_delta */
    uint16_t stop_high; /* bits 12-15 of the STOP word */
    uint16_t largest;   /* largest event count */
    struct pcounter_packet packet;
};

/* Examines the slot at `bytes`. `before` is the 48-bit cycle count of the previous packet, or
 * NULL. */
void slot_examine(const uint8_t *bytes, bool long_format, const uint64_t *before, struct slot *out);

/* Describes the fault of a malformed slot: what was found and what was expected. */
void slot_fault_text(const struct slot *slot, bool long_format, char *text, size_t size);

#endif
