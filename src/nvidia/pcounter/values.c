/* SPDX-License-Identifier: MIT */
/* Internal values by name, including those that no register shows. */
#include <errno.h>

#include "base/bits.h"
#include "nvidia/pcounter/engine.h"

/* The revisions that have a value: all, or those with certain modes modelled. */
enum owner { OF_ALL, OF_COUNTERS, OF_QUAD, OF_RECORD };

// clang-format off
static const struct {
    const char *name;
    uint8_t of; /* enum owner */
    uint8_t width;
} values[TALLY_PCOUNTER_VALUES] = {
    [TALLY_PCOUNTER_CYCLES] = {"cycles", OF_COUNTERS, 32}, /* or features->counter_width */
    [TALLY_PCOUNTER_EVENT] = {"event", OF_COUNTERS, 32},   /* likewise */
    [TALLY_PCOUNTER_START] = {"start", OF_COUNTERS, 32},   /* likewise */
    [TALLY_PCOUNTER_PRE] = {"pre", OF_COUNTERS, 32},
    [TALLY_PCOUNTER_STOP] = {"stop", OF_COUNTERS, 32},
    [TALLY_PCOUNTER_SH_CYCLES] = {"sh_cycles", OF_QUAD, 32},
    [TALLY_PCOUNTER_SH_EVENT] = {"sh_event", OF_QUAD, 32},
    [TALLY_PCOUNTER_SH_START] = {"sh_start", OF_QUAD, 32},
    [TALLY_PCOUNTER_SH_PRE] = {"sh_pre", OF_QUAD, 32},
    [TALLY_PCOUNTER_SH_STOP] = {"sh_stop", OF_QUAD, 32},
    [TALLY_PCOUNTER_REC_CYCLES] = {"rec_cycles", OF_RECORD, 48},
    [TALLY_PCOUNTER_REC_STOP] = {"rec_stop", OF_RECORD, 12},
    [TALLY_PCOUNTER_REC0] = {"rec0", OF_RECORD, 16},
    [TALLY_PCOUNTER_REC0 + 1] = {"rec1", OF_RECORD, 16},
    [TALLY_PCOUNTER_REC0 + 2] = {"rec2", OF_RECORD, 16},
    [TALLY_PCOUNTER_REC0 + 3] = {"rec3", OF_RECORD, 16},
    [TALLY_PCOUNTER_REC0 + 4] = {"rec4", OF_RECORD, 16},
    [TALLY_PCOUNTER_REC0 + 5] = {"rec5", OF_RECORD, 16},
    [TALLY_PCOUNTER_REC0 + 6] = {"rec6", OF_RECORD, 16},
    [TALLY_PCOUNTER_REC0 + 7] = {"rec7", OF_RECORD, 16},
    [TALLY_PCOUNTER_REC0 + 8] = {"rec8", OF_RECORD, 16},
    [TALLY_PCOUNTER_REC0 + 9] = {"rec9", OF_RECORD, 16},
    [TALLY_PCOUNTER_REC0 + 10] = {"rec10", OF_RECORD, 16},
    [TALLY_PCOUNTER_REC0 + 11] = {"rec11", OF_RECORD, 16},
    [TALLY_PCOUNTER_FLAG] = {"flag", OF_ALL, 1},
    [TALLY_PCOUNTER_VALID] = {"valid", OF_RECORD, 1},
    [TALLY_PCOUNTER_BUSY] = {"busy", OF_RECORD, 1},
    [TALLY_PCOUNTER_WEDGED] = {"wedged", OF_RECORD, 1},
    [TALLY_PCOUNTER_IN_SETFLAG] = {"in_setflag", OF_ALL, 1},
    [TALLY_PCOUNTER_IN_CLRFLAG] = {"in_clrflag", OF_ALL, 1},
    [TALLY_PCOUNTER_IN_PRE] = {"in_pre", OF_ALL, 1},
    [TALLY_PCOUNTER_IN_START] = {"in_start", OF_ALL, 1},
    [TALLY_PCOUNTER_IN_EVENT] = {"in_event", OF_ALL, 1},
    [TALLY_PCOUNTER_IN_STOP] = {"in_stop", OF_ALL, 1},
    [TALLY_PCOUNTER_IN_SWAP] = {"in_swap", OF_QUAD, 1},
    [TALLY_PCOUNTER_SINGLE_STATE] = {"single_state", OF_COUNTERS, 2},
    [TALLY_PCOUNTER_QUAD_STATE] = {"quad_state", OF_QUAD, 2},
    [TALLY_PCOUNTER_POSITION] = {"position", OF_RECORD, 32},
};
// clang-format on

const char *tally_pcounter_value_name(enum tally_pcounter_value value)
{
    return (unsigned)value < TALLY_PCOUNTER_VALUES ? values[value].name : NULL;
}

unsigned tally_pcounter_value_width(enum tally_pcounter_revision revision,
                                    enum tally_pcounter_value value)
{
    if ((unsigned)value >= TALLY_PCOUNTER_VALUES || (unsigned)revision >= TALLY_PCOUNTER_REVISIONS)
        return 0;
    const struct pcounter_features *features = &pcounter_features[revision];
    const bool has[] = {
        [OF_ALL] = true,
        [OF_COUNTERS] = features->single || features->quad,
        [OF_QUAD] = features->quad,
        [OF_RECORD] = features->record,
    };
    if (!has[values[value].of])
        return 0;
    if (value <= TALLY_PCOUNTER_START)
        return features->counter_width;
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
    if (value >= TALLY_PCOUNTER_IN_SETFLAG && value <= TALLY_PCOUNTER_IN_SWAP)
        leap_settle((struct tally_pcounter *)engine); /* allocated, never const */
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
