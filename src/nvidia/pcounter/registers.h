/* SPDX-License-Identifier: MIT */
#ifndef TALLY_NVIDIA_PCOUNTER_REGISTERS_H
#define TALLY_NVIDIA_PCOUNTER_REGISTERS_H

#include <tally/chipset.h>

#include "regs/regs.h"

/* PCOUNTER's registers, the same names in all three layouts. */
enum register_id {
    REG_PRE_SRC,
    REG_START_SRC,
    REG_EVENT_SRC,
    REG_STOP_SRC,
    REG_SETFLAG_SRC,
    REG_CLRFLAG_SRC,
    REG_PRE_OP,
    REG_START_OP,
    REG_EVENT_OP,
    REG_STOP_OP,
    REG_SETFLAG_OP,
    REG_CLRFLAG_OP,
    REG_SPEC_SRC, /* SWAP_SRC on GF100 */
    REG_CTR_PRE,
    REG_CTR_STOP,
    REG_THRESHOLD,
    REG_THRESHOLD_HI,
    REG_CTRL,
    REG_USER_TRIGGER,
    REG_RECORD_ADDRESS_HIGH,
    REG_RECORD_LIMIT,
    REG_RECORD_START,
    REGS_OF_A_DOMAIN, /* the ones above have storage in each domain */

    REG_CTR_CYCLES = REGS_OF_A_DOMAIN, /* and CTR_CYCLES_ALT */
    REG_CTR_CYCLES_HI,
    REG_CTR_EVENT,
    REG_CTR_EVENT_HI,
    REG_CTR_START,
    REG_CTR_START_HI,
    REG_SIG_STATUS,
    REG_SRC_STATUS,
    REG_RECORD_STATUS,
    REG_QUAD_ACK_TRIGGER,
    REG_RECORD_CHAN,
    REG_RECORD_DMA,
    REG_GCTRL
};

/* Writing it in single event mode resets the state to INACTIVE (PC-D9). */
#define REG_ABORTS 1u

/* Bits of CTRL. The nv10 layout has them in pairs, a bit up for each domain. */
#define CTRL_NV10_CTR_MODE     (1u << 2)
#define CTRL_NV10_PERIOD(dom)  (1u << (8 + (dom)))
#define CTRL_NV10_QUAD(dom)    (1u << (16 + 2 * (dom)))
#define CTRL_MODE              0x3u
#define CTRL_CTR_MODE_SHIFT    4
#define CTRL_EVENT_CTR_PERIOD  (1u << 8)
#define CTRL_EVENT_IMPORT_MODE (1u << 11)
#define CTRL_FLAG_IMPORT_MODE  (1u << 13)
#define CTRL_RECORD_FORMAT     (1u << 20)
#define CTRL_PERIODIC_SHIFT    21
#define CTRL_FAULT_CLEAR       (1u << 27)

#define GCTRL_RECORD_RESET   (1u << 0)
#define GCTRL_PERIODIC_RESET (1u << 4)

#define PMC_ENABLE          0x200u
#define PMC_ENABLE_PCOUNTER (1u << 28)

/*
 * The layout of a revision: nv10-pcounter, nv40-pcounter, or gf100-pcounter-domain, whose base is
 * that of the first domain (each domain of the GF100 layout has 0x200 bytes of its own).
 */
const struct reg_map *pcounter_registers(enum tally_pcounter_revision revision);

#define GF100_DOMAIN_BYTES 0x200u

/* PMC.ENABLE, which has PCOUNTER's bit on GF100. */
extern const struct reg_map pmc_map;

#endif
