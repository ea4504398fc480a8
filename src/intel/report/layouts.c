/* SPDX-License-Identifier: MIT */
/*
 * Tables of all report layouts. A row of a field table is a run of equal fields; a new format needs
 * a new field table and a row in report_layouts[]. A test checks that each byte of a report belongs
 * to exactly one field.
 *
 * Documents: [O13] HD Graphics PRM, Observability (SNB to HSW); [C15] CHV/BSW PRM Volume 14;
 * [L21] Lakefield PRM Volume 13; [K] the i915 and Xe uAPI and drivers. Errata: OA-6.
 */
#include "intel/report/layouts.h"

#include "base/bits.h"

// clang-format off

/* slot, first index, count, byte offset; for 40 bits also the byte offset of bits 39:32. */
#define U32(slot, index, count, at)        { TALLY_SLOT_##slot + (index), count, 32, 4, at, 0 }
#define U32_DOWN(slot, index, count, at)   { TALLY_SLOT_##slot + (index), count, 32, -4, at, 0 }
#define U40(slot, index, count, at, high)  { TALLY_SLOT_##slot + (index), count, 40, 4, at, high }
#define U64(slot, index, count, at)        { TALLY_SLOT_##slot + (index), count, 64, 8, at, 0 }

/* SNB to HSW: TIME_STAMP has two dwords; only the lower one is a clock. */
#define HEADER_GEN6   U32(ID, 0, 1, 0), U32(TIMESTAMP, 0, 1, 4), U32(TIMESTAMP_UPPER, 0, 1, 8)
#define HEADER_GEN8   U32(ID, 0, 1, 0), U32(TIMESTAMP, 0, 1, 4), U32(CONTEXT, 0, 1, 8), \
                      U32(TICKS, 0, 1, 12)
#define HEADER_OAM    U64(ID, 0, 1, 0), U64(TIMESTAMP, 0, 1, 8), U32(CONTEXT, 0, 1, 16), \
                      U32(RESERVED, 0, 1, 20), U64(TICKS, 0, 1, 24)
#define HEADER_PEC    U64(ID, 0, 1, 0), U64(TIMESTAMP, 0, 1, 8), U64(CONTEXT, 0, 1, 16), \
                      U64(TICKS, 0, 1, 24)

/* SNB stores each row of A counters in descending order (OA-E12); B and C as IVB (OA-E2). */
#define SNB_A0_12     U32_DOWN(A, 0, 5, 28), U32_DOWN(A, 5, 8, 60)
#define SNB_A13_28    U32_DOWN(A, 13, 8, 92), U32_DOWN(A, 21, 8, 124)
#define B4_C12(at)    U32(B, 0, 4, at), U32(C, 0, 12, (at) + 16)
#define B8_C8(at)     U32(B, 0, 8, at), U32(C, 0, 8, (at) + 32)

static const struct tally_field snb_000[] = { HEADER_GEN6, SNB_A0_12 };
static const struct tally_field snb_001[] = { HEADER_GEN6, SNB_A0_12, SNB_A13_28 };
static const struct tally_field snb_010[] = { HEADER_GEN6, SNB_A0_12, B4_C12(64) };
static const struct tally_field snb_011[] = { HEADER_GEN6, SNB_A0_12, SNB_A13_28, B4_C12(128) };

static const struct tally_field snb_100[] = { HEADER_GEN6, U32(INSTRUCTION, 0, 1, 12), U32(C, 0, 12, 16) };

static const struct tally_field a13[]     = { HEADER_GEN6, U32(A, 0, 13, 12) };
static const struct tally_field a29[]     = { HEADER_GEN6, U32(A, 0, 29, 12) };
static const struct tally_field ivb_010[] = { HEADER_GEN6, U32(A, 0, 13, 12), B4_C12(64) };
static const struct tally_field ivb_011[] = { HEADER_GEN6, U32(A, 0, 29, 12), B4_C12(128) };
static const struct tally_field ivb_101[] = { HEADER_GEN6, U32(A, 0, 45, 12), B4_C12(192) };
static const struct tally_field ivb_110[] = { HEADER_GEN6, U32(RESERVED, 0, 13, 12),
                                              U32(A, 29, 16, 64) };

static const struct tally_field hsw_010[] = { HEADER_GEN6, U32(A, 0, 13, 12), B8_C8(64) };
static const struct tally_field hsw_011[] = { HEADER_GEN6, U32(A, 0, 29, 12), B8_C8(128) };
static const struct tally_field hsw_100[] = { HEADER_GEN6, U32(INSTRUCTION, 0, 1, 12),
                                              U32(B, 0, 4, 16), U32(C, 0, 8, 32) };
static const struct tally_field hsw_101[] = { HEADER_GEN6, U32(A, 0, 45, 12), B8_C8(192) };
static const struct tally_field hsw_110[] = { HEADER_GEN6, U32(INSTRUCTION, 0, 1, 12),
                                              U32(B, 0, 4, 16), U32(C, 0, 8, 32),
                                              U32(A, 29, 16, 64) };
static const struct tally_field hsw_111[] = { HEADER_GEN6, U32(INSTRUCTION, 0, 1, 12),
                                              U32(C, 0, 4, 16), U32(B, 0, 8, 32) };

static const struct tally_field gen8_a12[]       = { HEADER_GEN8, U32(A, 7, 12, 16) };
static const struct tally_field gen8_a12_b8_c8[] = { HEADER_GEN8, U32(A, 7, 12, 16), B8_C8(64) };
static const struct tally_field gen8_a36_b8_c8[] = { HEADER_GEN8, U40(A, 0, 32, 16, 160),
                                                     U32(A, 32, 4, 144), B8_C8(192) };
static const struct tally_field gen8_c4_b8[]     = { HEADER_GEN8, U32(C, 0, 4, 16),
                                                     U32(B, 0, 8, 32) };

/* A36 and A37 fill the byte slots that A0 to A3 and A24 to A27 no longer need. */
static const struct tally_field xehp_a38[] = { HEADER_GEN8,
    U32(A, 0, 4, 16), U40(A, 4, 20, 32, 164), U32(A, 24, 4, 112), U40(A, 28, 4, 128, 188),
    U32(A, 32, 4, 144), U32(A, 36, 1, 160), U32(A, 37, 1, 184), B8_C8(192) };

static const struct tally_field oam_mpec8u64[] = { HEADER_OAM, U64(PEC, 0, 8, 32), B8_C8(96),
                                                   U32(RESERVED, 1, 8, 160) };
static const struct tally_field oam_mpec8u32[] = { HEADER_OAM, U32(PEC, 0, 8, 32), B8_C8(64) };

static const struct tally_field xe_pec64u64[]       = { HEADER_PEC, U64(PEC, 0, 64, 32),
                                                        U32(RESERVED, 0, 8, 544) };
static const struct tally_field xe_pec64u64_b8_c8[] = { HEADER_PEC, U64(PEC, 0, 64, 32),
                                                        B8_C8(544), U32(RESERVED, 0, 8, 608) };
static const struct tally_field xe_pec64u32[]       = { HEADER_PEC, U32(PEC, 0, 64, 32),
                                                        U32(RESERVED, 0, 8, 288) };
static const struct tally_field xe_pec32u64[]       = { HEADER_PEC, U64(PEC, 0, 32, 32),
                                                        U32(RESERVED, 0, 8, 288) };
static const struct tally_field xe_pec32u32[]       = { HEADER_PEC, U32(PEC, 0, 32, 32),
                                                        U32(RESERVED, 0, 8, 160) };
static const struct tally_field xe_pec36u64[]       = { HEADER_PEC, U64(PEC, 0, 36, 32) };
static const struct tally_field xe_oac_a24u64[]     = { HEADER_PEC, U64(A, 0, 16, 32),
                                                        U64(A, 28, 8, 160), B8_C8(224),
                                                        U32(RESERVED, 0, 8, 288) };
static const struct tally_field xe_oac_a22u32[]     = { HEADER_PEC, U32(A, 0, 22, 32),
                                                        U32(RESERVED, 0, 2, 120), B8_C8(128) };

#define FIELDS(table)  table, ARRAY_COUNT(table)
#define UNCONFIRMED    TALLY_LAYOUT_UNCONFIRMED
#define NOT_EXPOSED    TALLY_LAYOUT_NOT_EXPOSED

const struct tally_layout report_layouts[] = {
/*  family  name                            select  source                               fields                     bytes sel fmt bits flags */
  { "snb",  "a13",                          "000", "[O13] DevSNB Counter Select = 000",  FIELDS(snb_000),             64, 0,  0, 32, NOT_EXPOSED },
  { "snb",  "a29",                          "001", "[O13] DevSNB Counter Select = 001",  FIELDS(snb_001),            128, 1,  0, 32, NOT_EXPOSED },
  { "snb",  "a13_b4_c12",                   "010", "[O13] DevSNB Counter Select = 010",  FIELDS(snb_010),            128, 2,  0, 32, NOT_EXPOSED },
  { "snb",  "a29_b4_c12",                   "011", "[O13] DevSNB Counter Select = 011",  FIELDS(snb_011),            192, 3,  0, 32, NOT_EXPOSED },
  { "snb",  "c12",                          "100", "[P10] 4.2",                        FIELDS(snb_100),             64, 4,  0, 32, NOT_EXPOSED },

  { "ivb",  "a13",                          "000", "[O13] DevIVB Counter Select = 000",  FIELDS(a13),                 64, 0,  0, 32, NOT_EXPOSED },
  { "ivb",  "a29",                          "001", "[O13] DevIVB Counter Select = 001",  FIELDS(a29),                128, 1,  0, 32, NOT_EXPOSED },
  { "ivb",  "a13_b4_c12",                   "010", "[O13] DevIVB Counter Select = 010",  FIELDS(ivb_010),            128, 2,  0, 32, NOT_EXPOSED },
  { "ivb",  "a29_b4_c12",                   "011", "[O13] DevIVB Counter Select = 011",  FIELDS(ivb_011),            192, 3,  0, 32, NOT_EXPOSED },
  { "ivb",  "a45_b4_c12",                   "101", "[O13] DevIVB Counter Select = 101",  FIELDS(ivb_101),            256, 5,  0, 32, NOT_EXPOSED },
  { "ivb",  "a16",                          "110", "[O13] DevIVB Counter Select = 110",  FIELDS(ivb_110),            128, 6,  0, 32, NOT_EXPOSED },

  { "hsw",  "a13",                          "000", "[O13] DevHSW Counter Select = 000",  FIELDS(a13),                 64, 0,  1, 32, 0 },
  { "hsw",  "a29",                          "001", "[O13] DevHSW Counter Select = 001",  FIELDS(a29),                128, 1,  2, 32, 0 },
  { "hsw",  "a13_b8_c8",                    "010", "[O13] DevHSW Counter Select = 010",  FIELDS(hsw_010),            128, 2,  3, 32, 0 },
  { "hsw",  "a29_b8_c8",                    "011", "[O13] DevHSW Counter Select = 011",  FIELDS(hsw_011),            192, 3,  0, 32, NOT_EXPOSED },
  { "hsw",  "b4_c8",                        "100", "[O13] DevHSW Counter Select = 100",  FIELDS(hsw_100),             64, 4,  4, 32, 0 },
  { "hsw",  "a45_b8_c8",                    "101", "[O13] DevHSW Counter Select = 101",  FIELDS(hsw_101),            256, 5,  5, 32, 0 },
  { "hsw",  "b4_c8_a16",                    "110", "[O13] DevHSW Counter Select = 110",  FIELDS(hsw_110),            128, 6,  6, 32, 0 },
  { "hsw",  "c4_b8",                        "111", "[O13] DevHSW Counter Select = 111",  FIELDS(hsw_111),             64, 7,  7, 32, 0 },

  { "gen8", "a12",                          "000", "[C15] [L21] Counter Select = 000",   FIELDS(gen8_a12),            64, 0,  8, 32, 0 },
  { "gen8", "a12_b8_c8",                    "010", "[C15] [L21] Counter Select = 010",   FIELDS(gen8_a12_b8_c8),     128, 2,  9, 32, 0 },
  { "gen8", "a32u40_a4u32_b8_c8",           "101", "[C15] [L21] Counter Select = 101",   FIELDS(gen8_a36_b8_c8),     256, 5, 10, 32, 0 },
  { "gen8", "c4_b8",                        "111", "[C15] [L21] Counter Select = 111",   FIELDS(gen8_c4_b8),          64, 7,  7, 32, 0 },

  { "xehp", "oar_a32u40_a4u32_b8_c8",       NULL,  "[K] DG2, MTL: OAR, select 5",        FIELDS(gen8_a36_b8_c8),     256, 5, 11, 32, 0 },
  { "xehp", "a24u40_a14u32_b8_c8",          "101", "[K] DG2, MTL: OAG, select 5",        FIELDS(xehp_a38),           256, 5, 12, 32, 0 },
  { "xehp", "mpec8u64_b8_c8",               "001", "[K] MTL media: OAM, select 1",       FIELDS(oam_mpec8u64),       192, 1, 13, 64, 0 },
  { "xehp", "mpec8u32_b8_c8",               "010", "[K] MTL media: OAM, select 2",       FIELDS(oam_mpec8u32),       128, 2, 14, 64, 0 },

  { "xe",   "pec64u64",                     NULL,  "[K] Xe PEC, select 1, size 1, bc 0", FIELDS(xe_pec64u64),        576, 1,  0, 64, NOT_EXPOSED },
  { "xe",   "pec64u64_b8_c8",               NULL,  "[K] Xe PEC, select 1, size 1, bc 1", FIELDS(xe_pec64u64_b8_c8),  640, 1,  0, 64, NOT_EXPOSED | UNCONFIRMED },
  { "xe",   "pec64u32",                     NULL,  "[K] Xe PEC, select 1, size 0, bc 0", FIELDS(xe_pec64u32),        320, 1,  0, 64, NOT_EXPOSED },
  { "xe",   "pec32u64_g1",                  NULL,  "[K] Xe PEC, select 5, size 1, bc 0", FIELDS(xe_pec32u64),        320, 5,  0, 64, NOT_EXPOSED },
  { "xe",   "pec32u64_g2",                  NULL,  "[K] Xe PEC, select 6, size 1, bc 0", FIELDS(xe_pec32u64),        320, 6,  0, 64, NOT_EXPOSED },
  { "xe",   "pec32u32_g1",                  NULL,  "[K] Xe PEC, select 5, size 0, bc 0", FIELDS(xe_pec32u32),        192, 5,  0, 64, NOT_EXPOSED },
  { "xe",   "pec32u32_g2",                  NULL,  "[K] Xe PEC, select 6, size 0, bc 0", FIELDS(xe_pec32u32),        192, 6,  0, 64, NOT_EXPOSED },
  { "xe",   "pec36u64_g1_32_g2_4",          NULL,  "[K] Xe PEC, select 3, size 1, bc 0", FIELDS(xe_pec36u64),        320, 3,  0, 64, NOT_EXPOSED },
  { "xe",   "pec36u64_g1_4_g2_32",          NULL,  "[K] Xe PEC, select 4, size 1, bc 0", FIELDS(xe_pec36u64),        320, 4,  0, 64, NOT_EXPOSED },
  { "xe",   "oac_a24u64_b8_c8",             NULL,  "[K] Xe OAC, select 1",               FIELDS(xe_oac_a24u64),      320, 1,  0, 64, NOT_EXPOSED | UNCONFIRMED },
  { "xe",   "oac_a22u32_r2u32_b8_c8",       NULL,  "[K] Xe OAC, select 2",               FIELDS(xe_oac_a22u32),      192, 2,  0, 64, NOT_EXPOSED | UNCONFIRMED },
};

// clang-format on

const size_t report_layout_count = ARRAY_COUNT(report_layouts);
