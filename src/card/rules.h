/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CARD_RULES_H
#define TALLY_CARD_RULES_H

/* How a register is put back, by the register tables. */

#include "card/state.h"
#include "intel/platforms.h"

struct tally_pcounter;

/* What is known of a card's registers; both NULL: nothing, each is put back as it was read. */
struct card_rules {
    const struct intel_platform *platform;
    struct tally_pcounter *engine; /* of the chipset */
};

/*
 * Makes the entry that puts a register back before it is written with a value: the bits that can be
 * written and read back, or of a register with write enables those that the value enables. The
 * value of the entry is not yet filled in. Returns false for a register that cannot be read: a
 * trigger.
 */
bool card_rule(const struct card_rules *rules, uint32_t address, uint32_t value,
               struct state_entry *entry);

#endif
