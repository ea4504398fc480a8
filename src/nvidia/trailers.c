/* SPDX-License-Identifier: MIT */
/* The trailer signals of each revision: PCOUNTER, "Trailer signals"; PC-AMB-14 to PC-AMB-18. */
#include "base/bits.h"
#include "nvidia/revisions.h"

// clang-format off
#define EVENT(offset, domain) { { offset, "PCOUNTER.DOM[" #domain "].EVENT", "", "" }, TRAILER_EVENT, domain }
#define FLAG(offset, domain)  { { offset, "PCOUNTER.DOM[" #domain "].FLAG", "", "" }, TRAILER_FLAG, domain }
#define USER(offset, user)    { { offset, "PCOUNTER.USER_" #user, "", "" }, TRAILER_USER, user }
#define SIGNAL(source, offset, name, alias, note) { { offset, name, alias, note }, TRAILER_##source, 0 }
#define EVENTS_AND_FLAGS(at) \
    EVENT(at + 0x0, 7), EVENT(at + 0x1, 6), EVENT(at + 0x2, 5), EVENT(at + 0x3, 4), \
    EVENT(at + 0x4, 3), EVENT(at + 0x5, 2), EVENT(at + 0x6, 1), EVENT(at + 0x7, 0), \
    FLAG(at + 0x8, 7), FLAG(at + 0x9, 6), FLAG(at + 0xa, 5), FLAG(at + 0xb, 4), \
    FLAG(at + 0xc, 3), FLAG(at + 0xd, 2), FLAG(at + 0xe, 1), FLAG(at + 0xf, 0)

static const struct trailer_signal nv10_signals[] = {
    { { 0x1f, "PCOUNTER.FLAG", "", "" }, TRAILER_FLAG, 0 },
};

static const struct trailer_signal nv20_signals[] = {
    SIGNAL(PM_TRIGGER, 0x1d, "PGRAPH.PM_TRIGGER",        "", "swaps in quad mode (NV30:NV40)"),
    FLAG(0x1e, 1),
    FLAG(0x1f, 0),
};

static const struct trailer_signal nv40_signals[] = {
    SIGNAL(ZERO,       0x0e, "ZERO",                     "", "always 0"),
    SIGNAL(PM_TRIGGER, 0x0f, "PGRAPH.PM_TRIGGER",        "", "swaps in quad mode"),
    EVENTS_AND_FLAGS(0x10),
};

static const struct trailer_signal g84_signals[] = {
    SIGNAL(ZERO,       0x0c, "ZERO",                     "", "always 0"),
    SIGNAL(PERIODIC,   0x0d, "PCOUNTER.PERIODIC",        "", ""),
    SIGNAL(OUTSIDE,    0x0e, "PGRAPH.WRCACHE_FLUSH",     "", ""),
    SIGNAL(PM_TRIGGER, 0x0f, "PGRAPH.PM_TRIGGER",        "", "usual source of SWAP"),
    EVENTS_AND_FLAGS(0x10),
};

static const struct trailer_signal gf100_signals[] = {
    SIGNAL(OUTSIDE,    0x1f, "PCOUNTER.MAIN.???",        "", ""),
    SIGNAL(OUTSIDE,    0x20, "PCOUNTER.MAIN.???",        "", ""),
    SIGNAL(OUTSIDE,    0x21, "PCOUNTER.MAIN.???",        "", ""),
    SIGNAL(OUTSIDE,    0x22, "PCOUNTER.MAIN.???",        "", ""),
    SIGNAL(OUTSIDE,    0x23, "PCOUNTER.MAIN.???",        "", ""),
    SIGNAL(OUTSIDE,    0x24, "PCOUNTER.MAIN.???",        "", ""),
    SIGNAL(OUTSIDE,    0x25, "PCOUNTER.MAIN.???",        "", ""),
    SIGNAL(OUTSIDE,    0x26, "PCOUNTER.MAIN.???",        "", ""),
    USER(0x27, 0),
    USER(0x28, 1),
    USER(0x29, 2),
    USER(0x2a, 3),
    SIGNAL(OUTSIDE,    0x2b, "PGRAPH.CTXCTL.UNK86C.UNK4", "", ""),
    SIGNAL(ZERO,       0x2c, "PCOUNTER.PAUSED",          "", ""), /* undocumented (PC-D32,
                                                                   * PC-E26) */
    SIGNAL(OUTSIDE,    0x2d, "???",                      "PGRAPH.PM_TRIGGER", "alias probable: vendor's source of SWAP"),
    SIGNAL(PERIODIC,   0x2e, "PCOUNTER.PERIODIC",        "", ""),
    SIGNAL(OUTSIDE,    0x2f, "???",                      "ZERO", "alias probable: vendor's filler"),
    EVENTS_AND_FLAGS(0x30),
};

// clang-format on

#define TRAILER(table)                                                                             \
    {                                                                                              \
        table, ARRAY_COUNT(table)                                                                  \
    }
const struct trailer nv10_trailer = TRAILER(nv10_signals);
const struct trailer nv20_trailer = TRAILER(nv20_signals);
const struct trailer nv40_trailer = TRAILER(nv40_signals);
const struct trailer g84_trailer = TRAILER(g84_signals);
const struct trailer gf100_trailer = TRAILER(gf100_signals);

const struct tally_trailer *tally_trailer_at(enum tally_pcounter_revision revision, size_t position)
{
    if ((unsigned)revision >= TALLY_PCOUNTER_REVISIONS)
        return NULL;
    const struct trailer *trailer = pcounter_features[revision].trailer;
    return position < trailer->count ? &trailer->signals[position].published : NULL;
}
