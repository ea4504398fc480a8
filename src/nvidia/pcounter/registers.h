/* SPDX-License-Identifier: MIT */
#ifndef TALLY_NVIDIA_PCOUNTER_REGISTERS_H
#define TALLY_NVIDIA_PCOUNTER_REGISTERS_H

#include <tally/chipset.h>

#include "regs/regs.h"
#include "regs/symbols.h"

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
    REG_FILTER,
    REGS_OF_A_DOMAIN, /* the registers above are stored in each domain */

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
    REG_GCTRL,
    REG_CTR_CYCLES_NEXT,
    REG_CTR_EVENT_NEXT,
    REG_CTR_START_NEXT,
    REG_CTR_PRE_NEXT,
    REG_CTR_STOP_NEXT,
    REG_SINGLE_BEGIN_TRIGGER,
    REG_SINGLE_ABORT_TRIGGER,
    REG_STATE,
    REG_DSET_CTRL
};

/* Registers of PMC. */
enum pmc_register_id {
    PMC_REG_BOOT_0,
    PMC_REG_INTR_HOST,
    PMC_REG_INTR_EN_HOST,
    PMC_REG_ENABLE,
    PMC_REGS
};

/* What a write does to the process of single event mode at the next clock. From GF100 on only
 * the two triggers act (PC-D39). */
#define REG_ABORTS                                                                                 \
    1u                /* resets it: every SRC, every OP except PRE_OP, every counter, THRESHOLD,   \
                       * CTRL (PC-D9, PC-E10) */
#define REG_STARTS 2u /* starts it: PRE_OP */

/* Bases of the nv10 and nv40 layouts, and of GF100's, where each domain has its own registers,
 * starting with those of GPC 0. */
#define PCOUNTER_BASE       0xa000u
#define PCOUNTER_SIZE       0x1000u
#define GF100_PCOUNTER_BASE 0x180000u
#define GF100_PCOUNTER_SIZE 0x40000u
#define GF100_DOMAIN_BYTES  0x200u
#define GF100_SET_BYTES     0x200u

/* Reads of a register that does not exist, outside of PCOUNTER, and of an engine that is held in
 * reset (PC-D36, PC-F.4), from GF100 on. */
#define REGISTER_ABSENT 0xbad00100u
#define ENGINE_DISABLED 0xbad0da00u

/* The sets of domains from GF100 on (PC-B.2), by enum tally_domain_set: how many there can be, byte
 * address of the first set's domains, the distance between two sets, and address of the control
 * registers of the first set; those of the next ones follow. */
struct pcounter_set_space {
    const char *name; /* in .pct scripts, before the number of a GPC or partition */
    unsigned count;
    uint32_t address, stride, control;
};
extern const struct pcounter_set_space gf100_set_spaces[TALLY_SET_HUB + 1];

/* Addresses, fields and named values: NV10_CTRL, NV40_CTRL__MODE_LOW, PCOUNTER_MODE__QUAD, ... */
enum {
#include "regs/pass/symbols.h"
#include "nvidia/pcounter/registers/fields.def"
#include "nvidia/pcounter/registers/gf100.def"
#include "nvidia/pcounter/registers/gf100_set.def"
#include "nvidia/pcounter/registers/nv10.def"
#include "nvidia/pcounter/registers/nv40.def"
#include "nvidia/pcounter/registers/pmc.def"
#include "regs/pass/end.h"
};

/* Masks of a field of CTRL that the nv10 layout has once per domain. */
#define NV10_CTRL_MASKS(field)                                                                     \
    {                                                                                              \
        REG_MASK(NV10_CTRL, DOM0_##field), REG_MASK(NV10_CTRL, DOM1_##field)                       \
    }

/* Clocks between two pulses of PERIODIC. code: value of PERIODIC_PERIOD, not 0. */
#define PERIODIC_CLOCKS(code) (0x200u << (code))

/*
 * Returns the register map of a revision: nv10-pcounter, nv40-pcounter, or gf100-pcounter-domain,
 * whose base is that of the first domain.
 */
const struct reg_map *pcounter_registers(enum tally_pcounter_revision revision);

/* The control registers of a set of domains from GF100 on; the base is that of GPC 0's. */
extern const struct reg_map pcounter_set_map;

/* PMC, whose ENABLE has PCOUNTER's bit on GF100. */
extern const struct reg_map pmc_map;

#endif
