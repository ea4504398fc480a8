/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_PERFMON_REGISTERS_H
#define TALLY_DRIVER_PERFMON_REGISTERS_H

/* PCOUNTER's registers of a domain, by the names that all layouts share. */

#include "driver/perfmon/chips.h"
#include "nvidia/pcounter/registers.h"

/* A domain of one GPC or partition. */
struct perfmon_unit {
    const struct tally_chipset *chipset;
    uint8_t domain; /* TALLY_DOMAIN() */
    uint8_t instance;
};

/* Finds the register of a unit. If there are several with the id, as CTR_CYCLES and CTR_CYCLES_ALT,
 * the first of the table. Returns its address, or 0 if the chipset has none. place may be NULL. */
uint32_t perfmon_register(const struct perfmon_unit *unit, enum register_id id,
                          struct reg_place *place);

/* The SRC and OP registers of a slot. */
enum register_id perfmon_source(unsigned slot);
enum register_id perfmon_operation(unsigned slot);

#endif
