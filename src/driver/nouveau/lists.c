/* SPDX-License-Identifier: MIT */
/* The domains, signals and sources of perfmon, from signals.def. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "driver/nouveau/device.h"

enum list { NV40, G80, G84, G200, GT215, GF100, GF108, GF117 };

enum sources {
    NO_SOURCES,
    G80_VFETCH,
    G84_VFETCH,
    G80_ZCULL,
    GT215_ZCULL,
    G80_ZROP,
    G80_CROP,
    G84_CROP,
    G200_CROP,
    G80_PROP,
    G84_PROP,
    G200_PROP,
    G80_TEX,
    G84_TEX,
    G200_TEX,
    GF100_L1,
    GF100_TEX,
    GF100_UNK400,
    GF100_PBFB,
    GF100_PMFB,
    GF117_PMFB
};

#define NONE 0xff /* a name without a number */

static const struct {
    uint8_t list;
    const char *first, *last;
} engines[] = {
#define ENGINE(list, first, last) {list, first, last},
#include "driver/nouveau/signals.def"
#undef ENGINE
};

static const struct domain_row {
    uint8_t list, domain;
    uint16_t signals;
} domain_rows[] = {
#define DOMAIN(list, set, number, signals) {list, TALLY_DOMAIN(TALLY_SET_##set, number), signals},
#include "driver/nouveau/signals.def"
#undef DOMAIN
};

static const struct signal_row {
    uint8_t list, domain, first, last;
    const char *name;
    uint8_t number, sources;
} signal_rows[] = {
#define SIGNALS(list, set, domain, first, last, name, number, sources)                             \
    {list, TALLY_DOMAIN(TALLY_SET_##set, domain), first, last, name, number, sources},
#include "driver/nouveau/signals.def"
#undef SIGNALS
};

static const struct source_row {
    uint8_t sources;
    struct nouveau_source source;
} source_rows[] = {
#define SOURCE(sources, address, shift, mask, enable, name)                                        \
    {sources, {address, mask, shift, enable, name}},
#include "driver/nouveau/signals.def"
#undef SOURCE
};

/* Returns the list of a chipset, or -1. */
static int list_of(const struct tally_chipset *chipset)
{
    for (size_t i = 0; i < ARRAY_COUNT(engines); i++)
        if (chipset->order >= tally_chipset_find(engines[i].first)->order &&
            chipset->order <= tally_chipset_find(engines[i].last)->order)
            return engines[i].list;
    return -1;
}

bool nouveau_has_perfmon(const struct tally_chipset *chipset)
{
    return chipset->presence != TALLY_ABSENT && list_of(chipset) >= 0;
}

/* ---- sources --------------------------------------------------------------------------------- */

const struct nouveau_source *nouveau_source_at(uint32_t address, size_t index)
{
    for (size_t i = 0; i < ARRAY_COUNT(source_rows); i++)
        if (source_rows[i].source.address == address && index-- == 0)
            return &source_rows[i].source;
    return NULL;
}

/* Returns the number of a source, which is added if it is new; 0: out of memory. */
static uint8_t number_source(struct nouveau_lists *lists, const struct nouveau_source *source)
{
    size_t i = 0;
    while (i < lists->source_count && (lists->sources[i].address != source->address ||
                                       lists->sources[i].shift != source->shift))
        i++;
    if (i < lists->source_count)
        return (uint8_t)(i + 1);
    struct nouveau_source *grown = array_grow(lists->sources, &lists->source_capacity,
                                              lists->source_count, sizeof *lists->sources);
    if (!grown)
        return 0;
    lists->sources = grown;
    lists->sources[lists->source_count++] = *source;
    return (uint8_t)lists->source_count;
}

static int add_sources(struct nouveau_lists *lists, uint8_t sources, struct nouveau_signal *signal)
{
    unsigned count = 0;
    for (size_t i = 0; i < ARRAY_COUNT(source_rows); i++) {
        if (source_rows[i].sources != sources)
            continue;
        signal->sources[count] = number_source(lists, &source_rows[i].source);
        if (!signal->sources[count++])
            return -ENOMEM;
    }
    return 0;
}

/* ---- domains --------------------------------------------------------------------------------- */

static int add_signals(struct nouveau_lists *lists, const struct domain_row *row,
                       struct nouveau_domain *domain)
{
    int result = 0;
    for (size_t i = 0; i < ARRAY_COUNT(signal_rows); i++) {
        const struct signal_row *range = &signal_rows[i];
        if (range->list != row->list || range->domain != row->domain)
            continue;
        for (unsigned k = range->first; k <= range->last && !result; k++) {
            struct nouveau_signal *signal = &domain->signals[k];
            if (range->number == NONE)
                snprintf(signal->name, sizeof signal->name, "%s", range->name);
            else
                snprintf(signal->name, sizeof signal->name, "%s%02x", range->name,
                         range->number + k - range->first);
            result = add_sources(lists, range->sources, signal);
        }
    }
    return result;
}

/* Adds a domain. The kernel numbers those of a set from 0. */
static int add_domain(struct nouveau_lists *lists, const struct domain_row *row, unsigned instance)
{
    static const char *const names[] = {
        [TALLY_SET_ONLY] = "pc", [TALLY_SET_GPC] = "gpc", [TALLY_SET_PART] = "part"};
    unsigned set = row->domain / TALLY_PCOUNTER_DOMAINS,
             number = row->domain % TALLY_PCOUNTER_DOMAINS;
    struct nouveau_domain *grown = array_grow(lists->domains, &lists->domain_capacity,
                                              lists->domain_count, sizeof *lists->domains);
    if (!grown)
        return -ENOMEM;
    lists->domains = grown;
    struct nouveau_domain *domain = &grown[lists->domain_count];
    *domain = (struct nouveau_domain){
        .domain = row->domain, .instance = (uint8_t)instance, .signal_count = row->signals};
    if (set == TALLY_SET_ONLY)
        snprintf(domain->name, sizeof domain->name, "%s/%02x", names[set], number);
    else
        snprintf(domain->name, sizeof domain->name, "%s/%02x/%02x", names[set], instance, number);
    domain->signals = calloc(row->signals, sizeof *domain->signals);
    if (!domain->signals)
        return -ENOMEM;
    lists->domain_count++;
    return add_signals(lists, row, domain);
}

/* The kernel lists the first GPC and partition even if it is disabled. */
int nouveau_lists_make(struct nouveau_lists *lists, const struct tally_chipset *chipset,
                       const struct perfmon_session *session)
{
    int list = list_of(chipset), result = 0;
    for (size_t i = 0; i < ARRAY_COUNT(domain_rows); i++) {
        const struct domain_row *row = &domain_rows[i];
        if (row->list != list)
            continue;
        unsigned count = perfmon_instances(chipset, row->domain);
        for (unsigned k = 0; k < count && !result; k++)
            if (!k || perfmon_session_has(session, row->domain, k))
                result = add_domain(lists, row, k);
    }
    return result;
}

void nouveau_lists_free(struct nouveau_lists *lists)
{
    for (size_t i = 0; i < lists->domain_count; i++)
        free(lists->domains[i].signals);
    free(lists->domains);
    free(lists->sources);
    *lists = (struct nouveau_lists){0};
}
