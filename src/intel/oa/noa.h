/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_OA_NOA_H
#define TALLY_INTEL_OA_NOA_H

/*
 * Registers around the OA unit that metric sets and drivers write: the NOA multiplexing, which
 * selects the signals of the NOA bus, and the clock and power controls that counting needs (OA-1.3
 * and OA-1.5, PERF-3.4 and PERF-5).
 *
 * The meaning of the multiplexing values is not documented. The model stores them; writes to the
 * ports NOA_WRITE and NOA_WRITE_HIGH are commands to the network, and are counted. Scripts and
 * workloads drive the bus.
 *
 * struct noa is plain data: a copy is a snapshot.
 */

#include <stdbool.h>
#include <stdint.h>

#include "intel/revision.h"
#include "intel/symbols.h"
#include "regs/index.h"

/* The table. Pass INTEL_BIT(revision) as revision and UINT_MAX as instances to regs/regs.h. `id` of
 * a row is enum noa_register, `flags` enum noa_flag. */
extern const struct reg_map noa_map;

/* The table with its handlers, whose context is a struct noa. */
extern const struct reg_block noa_block;

enum noa_register {
    NOA_RPM_CONFIG,                   /* RPM_CONFIG0, RPM_CONFIG1, RCP_CONFIG */
    NOA_CONFIG = NOA_RPM_CONFIG + 3,  /* 0 to 8 */
    NOA_POWER_STATE = NOA_CONFIG + 9, /* R_PWR_CLK_STATE */
    NOA_WAIT_FOR_RC6_EXIT,
    NOA_PERFCNT, /* 91b8h to 91dch */
    NOA_UCGCTL1 = NOA_PERFCNT + 10,
    NOA_UCGCTL3,
    NOA_MISCCPCTL,
    NOA_MICRO_BP, /* 9800h to 983ch */
    NOA_GDT_CHICKEN_BITS = NOA_MICRO_BP + 16,
    NOA_DATA,
    NOA_MBVID2, /* MBVID2_NOA 0 to 9, MBVID2_MISR0 */
    NOA_RC_CONTROL = NOA_MBVID2 + 11,
    NOA_RC_STATE,
    NOA_PG_ENABLE,
    NOA_CTC_MODE,
    NOA_HALF_SLICE_CHICKEN2,
    NOA_RPSTAT1,
    NOA_SQCNT1,
    NOA_TLB_INVALIDATE,
    NOA_STORED, /* number of stored words: the ids above */

    NOA_WRITE = NOA_STORED, /* ports */
    NOA_WRITE_HIGH,
    NOA_MUX
};

enum noa_flag {
    NOA_PORT = 1 << 0,         /* write-only; each write is a command */
    NOA_MASKED = 1 << 1,       /* bits 31:16 are write enables for bits 15:0 */
    NOA_SELF_CLEARING = 1 << 2 /* bit 0 starts an operation that is done immediately; reads 0 */
};

#define NOA_PORTS     2
#define NOA_MUX_WORDS HSW_NOA_MUX__COUNT /* 44 KiB; CHV has fewer */

struct noa_port {
    uint64_t writes; /* number of writes since reset */
    uint32_t last;   /* value of the last write */
};

struct noa {
    uint8_t revision; /* enum intel_revision */
    uint32_t regs[NOA_STORED];
    uint32_t mux[NOA_MUX_WORDS];
    struct noa_port ports[NOA_PORTS]; /* NOA_WRITE, NOA_WRITE_HIGH */
};

/* Initializes all registers with their reset values. revision: below INTEL_REVISIONS. */
void noa_init(struct noa *noa, enum intel_revision revision);

/* GT global reset (OA-D46): the same. Set the clocks again afterwards. */
void noa_reset(struct noa *noa);

/*
 * Sets the clocks that registers report: the current frequency in RPSTAT1 (in units of 50 MHz, from
 * Gen9 on 50/3 MHz), and that of TIMESTAMP in CTC_MODE (SKL) or RPM_CONFIG0 (from Gen11 on).
 */
void noa_set_clocks(struct noa *noa, uint32_t clock_hz, uint32_t timestamp_hz);

/* Returns the current frequency that a value of RPSTAT1 shows, in MHz. */
uint32_t noa_status_mhz(enum intel_revision revision, uint32_t rpstat1);

/* Whether the GT may enter RC6: not while RC_CONTROL[31] is 1 and RC_STATE is 0 (OA-1.5). */
bool noa_allows_rc6(const struct noa *noa);

/* Whether render's trunk clock may be gated: not with RC_CONTROL[31] 1 and RC_STATE 0, and not with
 * MISCCPCTL[0] 0 where that register exists (OA-14.6). */
bool noa_gates_trunk(const struct noa *noa);

/* Whether the table has a register at a byte address. */
bool noa_owns(const struct noa *noa, uint32_t address);

/* Reads a 32-bit register. Returns false if the table has no register at the address. Write-only
 * registers read 0. */
bool noa_read(const struct noa *noa, uint32_t address, uint32_t *out);

/* Sets a register from the hardware's side, even if it is read-only. Ports are ignored. */
void noa_set32(struct noa *noa, uint32_t address, uint32_t value);

#endif
