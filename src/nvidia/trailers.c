/* SPDX-License-Identifier: MIT */
/* The trailer signals of each revision: PCOUNTER, "Trailer signals"; PC-AMB-14 to PC-AMB-18. */
#include <tally/chipset.h>

#include "base/bits.h"

// clang-format off
#define EVENT(offset, domain) { offset, "PCOUNTER.DOM[" #domain "].EVENT", "", "" }
#define FLAG(offset, domain)  { offset, "PCOUNTER.DOM[" #domain "].FLAG", "", "" }
#define EVENTS_AND_FLAGS(at) \
    EVENT(at + 0x0, 7), EVENT(at + 0x1, 6), EVENT(at + 0x2, 5), EVENT(at + 0x3, 4), \
    EVENT(at + 0x4, 3), EVENT(at + 0x5, 2), EVENT(at + 0x6, 1), EVENT(at + 0x7, 0), \
    FLAG(at + 0x8, 7), FLAG(at + 0x9, 6), FLAG(at + 0xa, 5), FLAG(at + 0xb, 4), \
    FLAG(at + 0xc, 3), FLAG(at + 0xd, 2), FLAG(at + 0xe, 1), FLAG(at + 0xf, 0)

static const struct tally_trailer nv10_trailer[] = {
    { 0x1f, "PCOUNTER.FLAG",         "", "" },
};

static const struct tally_trailer nv20_trailer[] = {
    { 0x1d, "PGRAPH.PM_TRIGGER",     "", "swaps in quad mode (NV30:NV40)" },
    FLAG(0x1e, 1),
    FLAG(0x1f, 0),
};

static const struct tally_trailer nv40_trailer[] = {
    { 0x0e, "ZERO",                  "", "always 0" },
    { 0x0f, "PGRAPH.PM_TRIGGER",     "", "swaps in quad mode" },
    EVENTS_AND_FLAGS(0x10),
};

static const struct tally_trailer g84_trailer[] = {
    { 0x0c, "ZERO",                  "", "always 0" },
    { 0x0d, "PCOUNTER.PERIODIC",     "", "" },
    { 0x0e, "PGRAPH.WRCACHE_FLUSH",  "", "" },
    { 0x0f, "PGRAPH.PM_TRIGGER",     "", "usual source of SWAP" },
    EVENTS_AND_FLAGS(0x10),
};

static const struct tally_trailer gf100_trailer[] = {
    { 0x1f, "PCOUNTER.MAIN.???",     "", "" },
    { 0x20, "PCOUNTER.MAIN.???",     "", "" },
    { 0x21, "PCOUNTER.MAIN.???",     "", "" },
    { 0x22, "PCOUNTER.MAIN.???",     "", "" },
    { 0x23, "PCOUNTER.MAIN.???",     "", "" },
    { 0x24, "PCOUNTER.MAIN.???",     "", "" },
    { 0x25, "PCOUNTER.MAIN.???",     "", "" },
    { 0x26, "PCOUNTER.MAIN.???",     "", "" },
    { 0x27, "PCOUNTER.USER_0",       "", "" },
    { 0x28, "PCOUNTER.USER_1",       "", "" },
    { 0x29, "PCOUNTER.USER_2",       "", "" },
    { 0x2a, "PCOUNTER.USER_3",       "", "" },
    { 0x2b, "PGRAPH.CTXCTL.UNK86C.UNK4", "", "" },
    { 0x2c, "PCOUNTER.PAUSED",       "", "" },
    { 0x2d, "???", "PGRAPH.PM_TRIGGER", "alias probable: vendor's source of SWAP" },
    { 0x2e, "PCOUNTER.PERIODIC",     "", "" },
    { 0x2f, "???", "ZERO",              "alias probable: vendor's filler" },
    EVENTS_AND_FLAGS(0x30),
};

#define TRAILER(table) { table, ARRAY_COUNT(table) }
static const struct {
    const struct tally_trailer *rows;
    size_t count;
} trailers[TALLY_PCOUNTER_REVISIONS] = {
    [TALLY_PCOUNTER_NV10]  = TRAILER(nv10_trailer),
    [TALLY_PCOUNTER_NV15]  = TRAILER(nv10_trailer),
    [TALLY_PCOUNTER_NV20]  = TRAILER(nv20_trailer),
    [TALLY_PCOUNTER_NV30]  = TRAILER(nv20_trailer),
    [TALLY_PCOUNTER_NV40]  = TRAILER(nv40_trailer),
    [TALLY_PCOUNTER_G84]   = TRAILER(g84_trailer),
    [TALLY_PCOUNTER_G92]   = TRAILER(g84_trailer),
    [TALLY_PCOUNTER_GT215] = TRAILER(g84_trailer),
    [TALLY_PCOUNTER_GF100] = TRAILER(gf100_trailer),
};
// clang-format on

const struct tally_trailer *tally_trailer_at(enum tally_pcounter_revision revision, size_t position)
{
    if ((unsigned)revision >= TALLY_PCOUNTER_REVISIONS || position >= trailers[revision].count)
        return NULL;
    return &trailers[revision].rows[position];
}
