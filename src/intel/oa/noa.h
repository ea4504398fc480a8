/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_OA_NOA_H
#define TALLY_INTEL_OA_NOA_H

/*
 * The registers around the counter unit that metric sets and drivers write: the NOA multiplexing,
 * which decides what signals reach the unit's bus, and the clock and power controls that counting
 * asks for (OA-1.3 and OA-1.5, PERF-3.4 and PERF-5).
 *
 * What the multiplexing does with the values is not documented. The model takes them as given: a
 * register keeps what is written to it, NOA_WRITE and NOA_WRITE_HIGH are ports of which each write
 * is a command to the network. What reaches the bus, a script or a workload says.
 *
 *     noa_init(&noa, INTEL_HSW);
 *     noa_write32(&noa, GDT_CHICKEN_BITS, REG_PUT(GDT_CHICKEN_BITS, NOA_ENABLE, 1));
 *     noa_read32(&noa, GDT_CHICKEN_BITS);  // 80h
 *
 * One plain struct that allocates nothing and looks at no clock; memcpy of it is a snapshot.
 */

#include <stdbool.h>
#include <stdint.h>

#include "intel/revision.h"
#include "intel/symbols.h"
#include "regs/index.h"

/* The table. Pass INTEL_BIT(revision) as revision and UINT_MAX as instances to regs/regs.h. A row's
 * `id` is one of these, its `flags` enum noa_flag. */
extern const struct reg_map noa_map;

/* The same with its handlers, whose context is a struct noa. */
extern const struct reg_block noa_block;

enum noa_register {
    NOA_RPM_CONFIG,                   /* RPM_CONFIG0, RPM_CONFIG1, RCP_CONFIG */
    NOA_CONFIG = NOA_RPM_CONFIG + 3,  /* 0 to 8 */
    NOA_POWER_STATE = NOA_CONFIG + 9, /* R_PWR_CLK_STATE */
    NOA_WAIT_FOR_RC6_EXIT,
    NOA_PERFCNT, /* 91b8h to 91dch */
    NOA_UCGCTL1 = NOA_PERFCNT + 10,
    NOA_MISCCPCTL,
    NOA_MICRO_BP, /* 9800h to 983ch */
    NOA_GDT_CHICKEN_BITS = NOA_MICRO_BP + 16,
    NOA_DATA,
    NOA_MBVID2, /* MBVID2_NOA 0 to 9, MBVID2_MISR0 */
    NOA_RC_CONTROL = NOA_MBVID2 + 11,
    NOA_RC_STATE,
    NOA_CTC_MODE,
    NOA_HALF_SLICE_CHICKEN2,
    NOA_RPSTAT1,
    NOA_SQCNT1,
    NOA_TLB_INVALIDATE,
    NOA_STORED, /* the ones above have a word each */

    NOA_WRITE = NOA_STORED, /* ports */
    NOA_WRITE_HIGH,
    NOA_MUX
};

enum noa_flag {
    NOA_PORT = 1 << 0,         /* a write is a command, of which nothing can be read back */
    NOA_MASKED = 1 << 1,       /* bits 31:16 of a write say which of 15:0 change */
    NOA_SELF_CLEARING = 1 << 2 /* bit 0 asks for what is done at once: it reads 0 again */
};

#define NOA_PORTS     2
#define NOA_MUX_WORDS HSW_NOA_MUX__COUNT /* 44 KiB; CHV has fewer */

struct noa_port {
    uint64_t writes; /* since reset */
    uint32_t last;   /* the latest value */
};

struct noa {
    uint8_t revision; /* enum intel_revision */
    uint32_t regs[NOA_STORED];
    uint32_t mux[NOA_MUX_WORDS];
    struct noa_port ports[NOA_PORTS]; /* NOA_WRITE, NOA_WRITE_HIGH */
};

/* Everything at its reset value. revision: below INTEL_REVISIONS. */
void noa_init(struct noa *noa, enum intel_revision revision);

/* GT global reset (OA-D46): the same. Clocks are to be set again. */
void noa_reset(struct noa *noa);

/*
 * The clocks that registers show: the present one in RPSTAT1 (in steps of 50 MHz, from Gen9 on of
 * 50/3 MHz), TIMESTAMP's in CTC_MODE (SKL) or RPM_CONFIG0 (from Gen11 on).
 */
void noa_set_clocks(struct noa *noa, uint32_t clock_hz, uint32_t timestamp_hz);

/* May the GT enter RC6? Not while RC_CONTROL[31] is 1 and RC_STATE is 0 (OA-1.5). */
bool noa_allows_rc6(const struct noa *noa);

/* Is there one of these registers at the byte address? */
bool noa_owns(const struct noa *noa, uint32_t address);

/* 32-bit accesses; false: it is none of these registers. What has not the access reads 0, and
 * ignores writes. */
bool noa_read(const struct noa *noa, uint32_t address, uint32_t *out);
bool noa_write32(struct noa *noa, uint32_t address, uint32_t value);

/* The value; elsewhere 0. */
uint32_t noa_read32(const struct noa *noa, uint32_t address);

/* The hardware's own side: what a register holds from now on, whatever software may write. Ports
 * hold nothing. */
void noa_set32(struct noa *noa, uint32_t address, uint32_t value);

#endif
