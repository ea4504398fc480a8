/* SPDX-License-Identifier: MIT */
/* Tables of PCOUNTER's registers in its three layouts, from the .def files. */
#include "nvidia/pcounter/registers.h"

#include "base/bits.h"
#include "nvidia/revisions.h"

#define FROM(revision) (ALL & ~(BIT(revision) - 1))
#define BIT(revision)  (1u << TALLY_PCOUNTER_##revision)
#define ALL            ((1u << TALLY_PCOUNTER_REVISIONS) - 1)
#define NV10_NV30      (BIT(NV10) | BIT(NV15) | BIT(NV20))
#define NV10_LAYOUT    (NV10_NV30 | BIT(NV30))
#define NV40_LAYOUT    (BIT(NV40) | BIT(G84) | BIT(G92) | BIT(GT215))
#define NV30_UP        FROM(NV30)
#define G84_LAYOUT     (BIT(G84) | BIT(G92) | BIT(GT215))
#define G92_UP         FROM(G92)
#define G92_GF100      (BIT(G92) | BIT(GT215))
#define NV10_G92       (NV10_LAYOUT | BIT(NV40) | BIT(G84))
#define NV10_GF100     (NV10_LAYOUT | NV40_LAYOUT)

#include "regs/pass/fields.h"
#include "nvidia/pcounter/registers/fields.def"
#include "nvidia/pcounter/registers/pmc.def"
#include "regs/pass/end.h"

#define REG_BASE PCOUNTER_BASE
#include "regs/pass/rows.h"
static const struct reg nv10_registers[] = {
#include "nvidia/pcounter/registers/nv10.def"
};

static const struct reg nv40_registers[] = {
#include "nvidia/pcounter/registers/nv40.def"
};
#include "regs/pass/end.h"

#define REG_BASE GF100_PCOUNTER_BASE
#include "regs/pass/rows.h"
static const struct reg gf100_registers[] = {
#include "nvidia/pcounter/registers/gf100.def"
};
#include "regs/pass/end.h"

#define REG_BASE DSET_CTRL
#include "regs/pass/rows.h"
static const struct reg set_registers[] = {
#include "nvidia/pcounter/registers/gf100_set.def"
};
#include "regs/pass/end.h"

#include "regs/pass/rows.h"
static const struct reg pmc_registers[] = {
#include "nvidia/pcounter/registers/pmc.def"
};
#include "regs/pass/end.h"

static const struct reg_map maps[] = {
    {"nv10-pcounter", "NVIDIA PCOUNTER, \"NV10\"", PCOUNTER_BASE, PCOUNTER_SIZE, nv10_registers,
     ARRAY_COUNT(nv10_registers), false},
    {"nv40-pcounter", "NVIDIA PCOUNTER, \"NV40\"", PCOUNTER_BASE, PCOUNTER_SIZE, nv40_registers,
     ARRAY_COUNT(nv40_registers), false},
    {"gf100-pcounter-domain", "NVIDIA PCOUNTER, \"GF100\"", GF100_PCOUNTER_BASE, GF100_DOMAIN_BYTES,
     gf100_registers, ARRAY_COUNT(gf100_registers), false},
};

const struct reg_map pcounter_set_map = {"gf100-pcounter-set",
                                         "NVIDIA PCOUNTER, \"GF100\", domain set",
                                         DSET_CTRL,
                                         GF100_SET_BYTES,
                                         set_registers,
                                         ARRAY_COUNT(set_registers),
                                         false};

const struct reg_map pmc_map = {
    "pmc", "NVIDIA PMC", 0, 0x1000, pmc_registers, ARRAY_COUNT(pmc_registers), false};

const struct reg_map *pcounter_registers(enum tally_pcounter_revision revision)
{
    return &maps[pcounter_features[revision].layout];
}
