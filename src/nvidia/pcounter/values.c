/* SPDX-License-Identifier: MIT */
/* Looking inside: what no register shows. */
#include <errno.h>

#include "base/bits.h"
#include "nvidia/pcounter/engine.h"

#define NV10_ON 0, TALLY_PCOUNTER_REVISIONS
#define COUNTED TALLY_PCOUNTER_NV10, TALLY_PCOUNTER_GF100
#define SHADOW  TALLY_PCOUNTER_NV30, TALLY_PCOUNTER_GF100
#define RECORDS TALLY_PCOUNTER_G84, TALLY_PCOUNTER_GF100

// clang-format off
static const struct {
    const char *name;
    uint8_t first, end; /* revisions */
    uint8_t width;
} values[TALLY_PCOUNTER_VALUES] = {
    [TALLY_PCOUNTER_CYCLES] = {"cycles", COUNTED, 32}, /* 40 before NV30 */
    [TALLY_PCOUNTER_EVENT] = {"event", COUNTED, 32},   /* likewise */
    [TALLY_PCOUNTER_START] = {"start", COUNTED, 32},   /* likewise */
    [TALLY_PCOUNTER_PRE] = {"pre", COUNTED, 32},
    [TALLY_PCOUNTER_STOP] = {"stop", COUNTED, 32},
    [TALLY_PCOUNTER_SH_CYCLES] = {"sh_cycles", SHADOW, 32},
    [TALLY_PCOUNTER_SH_EVENT] = {"sh_event", SHADOW, 32},
    [TALLY_PCOUNTER_SH_START] = {"sh_start", SHADOW, 32},
    [TALLY_PCOUNTER_SH_PRE] = {"sh_pre", SHADOW, 32},
    [TALLY_PCOUNTER_SH_STOP] = {"sh_stop", SHADOW, 32},
    [TALLY_PCOUNTER_REC_CYCLES] = {"rec_cycles", RECORDS, 48},
    [TALLY_PCOUNTER_REC_STOP] = {"rec_stop", RECORDS, 12},
    [TALLY_PCOUNTER_REC0] = {"rec0", RECORDS, 16},
    [TALLY_PCOUNTER_REC0 + 1] = {"rec1", RECORDS, 16},
    [TALLY_PCOUNTER_REC0 + 2] = {"rec2", RECORDS, 16},
    [TALLY_PCOUNTER_REC0 + 3] = {"rec3", RECORDS, 16},
    [TALLY_PCOUNTER_REC0 + 4] = {"rec4", RECORDS, 16},
    [TALLY_PCOUNTER_REC0 + 5] = {"rec5", RECORDS, 16},
    [TALLY_PCOUNTER_REC0 + 6] = {"rec6", RECORDS, 16},
    [TALLY_PCOUNTER_REC0 + 7] = {"rec7", RECORDS, 16},
    [TALLY_PCOUNTER_REC0 + 8] = {"rec8", RECORDS, 16},
    [TALLY_PCOUNTER_REC0 + 9] = {"rec9", RECORDS, 16},
    [TALLY_PCOUNTER_REC0 + 10] = {"rec10", RECORDS, 16},
    [TALLY_PCOUNTER_REC0 + 11] = {"rec11", RECORDS, 16},
    [TALLY_PCOUNTER_FLAG] = {"flag", NV10_ON, 1},
    [TALLY_PCOUNTER_VALID] = {"valid", RECORDS, 1},
    [TALLY_PCOUNTER_BUSY] = {"busy", RECORDS, 1},
    [TALLY_PCOUNTER_WEDGED] = {"wedged", RECORDS, 1},
    [TALLY_PCOUNTER_IN_SETFLAG] = {"in_setflag", NV10_ON, 1},
    [TALLY_PCOUNTER_IN_CLRFLAG] = {"in_clrflag", NV10_ON, 1},
    [TALLY_PCOUNTER_IN_PRE] = {"in_pre", NV10_ON, 1},
    [TALLY_PCOUNTER_IN_START] = {"in_start", NV10_ON, 1},
    [TALLY_PCOUNTER_IN_EVENT] = {"in_event", NV10_ON, 1},
    [TALLY_PCOUNTER_IN_STOP] = {"in_stop", NV10_ON, 1},
    [TALLY_PCOUNTER_IN_SWAP] = {"in_swap", SHADOW, 1},
    [TALLY_PCOUNTER_SINGLE_STATE] = {"single_state", COUNTED, 2},
    [TALLY_PCOUNTER_QUAD_STATE] = {"quad_state", SHADOW, 2},
    [TALLY_PCOUNTER_POSITION] = {"position", RECORDS, 32},
};
// clang-format on

const char *tally_pcounter_value_name(enum tally_pcounter_value value)
{
    return (unsigned)value < TALLY_PCOUNTER_VALUES ? values[value].name : NULL;
}

unsigned tally_pcounter_value_width(enum tally_pcounter_revision revision,
                                    enum tally_pcounter_value value)
{
    if ((unsigned)value >= TALLY_PCOUNTER_VALUES || (unsigned)revision < values[value].first ||
        (unsigned)revision >= values[value].end)
        return 0;
    if (value <= TALLY_PCOUNTER_START && revision < TALLY_PCOUNTER_NV30)
        return 40;
    return values[value].width;
}

static uint64_t peek(const struct domain *domain, enum tally_pcounter_value value)
{
    if (value <= TALLY_PCOUNTER_STOP)
        return domain->counters[value - TALLY_PCOUNTER_CYCLES];
    if (value <= TALLY_PCOUNTER_SH_STOP)
        return domain->shadow[value - TALLY_PCOUNTER_SH_CYCLES];
    if (value >= TALLY_PCOUNTER_REC0 && value < TALLY_PCOUNTER_FLAG)
        return domain->record.counts[value - TALLY_PCOUNTER_REC0];
    switch (value) {
    case TALLY_PCOUNTER_REC_CYCLES:
        return domain->record.cycles;
    case TALLY_PCOUNTER_REC_STOP:
        return domain->record.stop;
    case TALLY_PCOUNTER_FLAG:
        return domain->flag_history & 1;
    case TALLY_PCOUNTER_VALID:
        return domain->valid;
    case TALLY_PCOUNTER_BUSY:
        return domain->outgoing.busy;
    case TALLY_PCOUNTER_WEDGED:
        return domain->hung;
    case TALLY_PCOUNTER_IN_SETFLAG:
        return domain->inputs >> SETFLAG & 1;
    case TALLY_PCOUNTER_IN_CLRFLAG:
        return domain->inputs >> CLRFLAG & 1;
    case TALLY_PCOUNTER_IN_PRE:
        return domain->inputs >> PRE & 1;
    case TALLY_PCOUNTER_IN_START:
        return domain->inputs >> START & 1;
    case TALLY_PCOUNTER_IN_EVENT:
        return domain->inputs >> EVENT & 1;
    case TALLY_PCOUNTER_IN_STOP:
        return domain->inputs >> STOP & 1;
    case TALLY_PCOUNTER_IN_SWAP:
        return domain->inputs >> INPUTS & 1;
    case TALLY_PCOUNTER_SINGLE_STATE:
        return domain->single_state;
    case TALLY_PCOUNTER_QUAD_STATE:
        return domain->quad_state;
    case TALLY_PCOUNTER_POSITION:
        return domain->position;
    default:
        return 0;
    }
}

int tally_pcounter_peek(const struct tally_pcounter *engine, unsigned number,
                        enum tally_pcounter_value value, uint64_t *out)
{
    if (number >= engine->domain_count || !tally_pcounter_value_width(engine->revision, value))
        return -EINVAL;
    *out = peek(&engine->domains[number], value);
    return 0;
}

int tally_pcounter_poke(struct tally_pcounter *engine, unsigned number,
                        enum tally_pcounter_value value, uint64_t bits)
{
    unsigned width = tally_pcounter_value_width(engine->revision, value);
    if (number >= engine->domain_count || !width || value >= TALLY_PCOUNTER_FLAG)
        return -EINVAL;
    struct domain *domain = &engine->domains[number];
    bits &= low_bits(width);
    if (value <= TALLY_PCOUNTER_STOP)
        domain->counters[value - TALLY_PCOUNTER_CYCLES] = bits;
    else if (value <= TALLY_PCOUNTER_SH_STOP)
        domain->shadow[value - TALLY_PCOUNTER_SH_CYCLES] = (uint32_t)bits;
    else if (value == TALLY_PCOUNTER_REC_CYCLES)
        domain->record.cycles = bits;
    else if (value == TALLY_PCOUNTER_REC_STOP)
        domain->record.stop = (uint16_t)bits;
    else
        domain->record.counts[value - TALLY_PCOUNTER_REC0] = (uint16_t)bits;
    return 0;
}
