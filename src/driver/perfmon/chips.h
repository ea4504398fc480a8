/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_PERFMON_CHIPS_H
#define TALLY_DRIVER_PERFMON_CHIPS_H

/* What a chipset has for sessions: domains, their instances, counters and counter modes. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/chipset.h>

#include "nvidia/revisions.h"

/* The four inputs that count, in the order of nouveau's counter slots (PC-D.2). */
enum perfmon_slot { SLOT_PRE, SLOT_START, SLOT_EVENT, SLOT_STOP, SLOTS };

static inline const struct pcounter_features *perfmon_features(const struct tally_chipset *chipset)
{
    return &pcounter_features[chipset->revision];
}

/* Whether a chipset has a domain, a TALLY_DOMAIN() number, in each of its sets of that kind. */
bool perfmon_has_domain(const struct tally_chipset *chipset, unsigned domain);

/* Returns the number of a domain's instances: GPCs or partitions; otherwise 1. */
unsigned perfmon_instances(const struct tally_chipset *chipset, unsigned domain);

/* Writes which domains a chipset has, for messages: "0 to 7". */
void perfmon_describe_domains(const struct tally_chipset *chipset, char *text, size_t size);

/* Returns the mask of the slots that count at the same time: one in single event mode (PC-D.4). */
uint8_t perfmon_slots(const struct tally_chipset *chipset);

/* Returns the mask of the counter modes, bits of PCOUNTER_CTR_MODE's values. */
uint8_t perfmon_counter_modes(const struct tally_chipset *chipset);

/* Returns a signal of a domain that is always 0 while SETFLAG is, or -1 if none is known. */
int perfmon_zero_signal(const struct tally_chipset *chipset, unsigned domain);

#endif
