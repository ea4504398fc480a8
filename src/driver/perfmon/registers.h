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

/* The SRC and OP registers and the counter of a slot. */
enum register_id perfmon_source(unsigned slot);
enum register_id perfmon_operation(unsigned slot);
enum register_id perfmon_counter(unsigned slot);

/* The fields of CTRL for a domain: masks; 0: the revision has none. */
struct perfmon_control {
    uint32_t mode, counter_mode, event_period, quad_state, single_state;
    uint32_t periodic, short_format;
    uint32_t written; /* value of the bits that drivers set (PC-AMB-91) */
    uint32_t read_only;
    uint32_t single, quad, record; /* values of `mode`, in place */
};
const struct perfmon_control *perfmon_control_of(const struct perfmon_unit *unit);

/* Returns the value of a field from that of its register, and the reverse. */
uint32_t perfmon_get(uint32_t mask, uint32_t value);
uint32_t perfmon_put(uint32_t mask, uint32_t bits);

#endif
