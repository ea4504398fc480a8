/* SPDX-License-Identifier: MIT */
/* Creates, copies and resets the engine; domains and signals; peek and poke. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "nvidia/pcounter/engine.h"

/* ---- creation -------------------------------------------------------------------------------- */

static struct tally_pcounter *allocate(enum tally_pcounter_revision revision, unsigned domains)
{
    struct tally_pcounter *engine = calloc(1, sizeof *engine + domains * sizeof engine->domains[0]);
    if (!engine)
        return NULL;
    engine->revision = revision;
    engine->features = &pcounter_features[revision];
    if (pcounter_index(engine, domains) < 0) {
        free(engine);
        return NULL;
    }
    engine->latency = 8; /* default; clocks from a packet's trigger to its write (PC-D25) */
    return engine;
}

/* Adds a set of `count` domains. address: of the first domain's registers (GF100). */
static void add_set(struct tally_pcounter *engine, unsigned kind, unsigned instance, unsigned count,
                    uint32_t address)
{
    for (unsigned i = 0; i < count; i++) {
        struct domain *domain = &engine->domains[engine->domain_count++];
        domain->set = (uint8_t)engine->set_count;
        domain->number = (uint8_t)i;
        domain->kind = (uint8_t)kind;
        domain->instance = (uint8_t)instance;
        domain->address = address ? address + i * GF100_DOMAIN_BYTES : 0;
        domain->trailer = (uint8_t)pcounter_highest_trailer(engine->features);
        domain->period = 1;
        signals_init(engine, domain);
        if (address)
            pcounter_add_space(engine, domain->address, engine->domain_count - 1);
    }
    if (address)
        pcounter_add_space(engine, gf100_set_spaces[kind].control + instance * GF100_SET_BYTES,
                           engine->set_count);
    engine->set_first[++engine->set_count] = (uint8_t)engine->domain_count;
}

const struct pcounter_set_space gf100_set_spaces[TALLY_SET_HUB + 1] = {
    [TALLY_SET_GPC] = {"gpc", 32, GF100_PCOUNTER_BASE, 0x1000, GF100_PCOUNTER_BASE + 0x38000},
    [TALLY_SET_PART] = {"part", 16, GF100_PCOUNTER_BASE + 0x20000, 0x1000,
                        GF100_PCOUNTER_BASE + 0x3c000},
    [TALLY_SET_HUB] = {"hub", 1, GF100_PCOUNTER_BASE + 0x30000, 0, GF100_PCOUNTER_BASE + 0x3e000},
};

/* Checks a set that a caller describes, and its place among the others. */
static int check_set(const struct pcounter_features *features,
                     const struct tally_pcounter_set *sets, size_t number,
                     struct tally_error *error)
{
    const struct tally_pcounter_set *set = &sets[number];
    if (!set->domains || set->domains > features->domains)
        return fail(error, -EINVAL, "%u domains; %s has 1 to %u", set->domains, features->range,
                    features->domains);
    if (!features->sets)
        return set->set == TALLY_SET_ONLY && !set->instance && !number
                   ? 0
                   : fail(error, -EINVAL, "%s has one set of domains", features->range);
    if (set->set < TALLY_SET_GPC || set->set > TALLY_SET_HUB)
        return fail(error, -EINVAL, "%s has sets of GPCs, partitions and the hub", features->range);
    const struct pcounter_set_space *space = &gf100_set_spaces[set->set];
    if (set->instance >= space->count)
        return fail(error, -EINVAL, "%s%u does not exist, the last one is %s%u", space->name,
                    set->instance, space->name, space->count - 1);
    for (size_t i = 0; i < number; i++)
        if (sets[i].set == set->set && sets[i].instance == set->instance)
            return fail(error, -EINVAL, "the set is given twice");
    return 0;
}

static uint32_t domains_address(enum tally_domain_set kind, unsigned instance)
{
    return gf100_set_spaces[kind].address + instance * gf100_set_spaces[kind].stride;
}

int tally_pcounter_new_sets(enum tally_pcounter_revision revision,
                            const struct tally_pcounter_set *sets, size_t count,
                            struct tally_pcounter **out, struct tally_error *error)
{
    if ((unsigned)revision >= TALLY_PCOUNTER_REVISIONS)
        return fail(error, -EINVAL, "unknown PCOUNTER revision %u", (unsigned)revision);
    const struct pcounter_features *features = &pcounter_features[revision];
    unsigned domains = 0;
    if (!count)
        return fail(error, -EINVAL, "no set of domains");
    for (size_t i = 0; i < count; i++) {
        int result = check_set(features, sets, i, error);
        if (result < 0)
            return result;
        domains += sets[i].domains;
        if (domains > TALLY_PCOUNTER_DOMAINS_TOTAL)
            return fail(error, -EINVAL, "more than %u domains", TALLY_PCOUNTER_DOMAINS_TOTAL);
    }
    struct tally_pcounter *engine = allocate(revision, domains);
    if (!engine)
        return fail_memory(error, "a PCOUNTER");
    for (size_t i = 0; i < count; i++)
        add_set(engine, sets[i].set, sets[i].instance, sets[i].domains,
                features->sets ? domains_address(sets[i].set, sets[i].instance) : 0);
    *out = engine;
    return 0;
}

int tally_pcounter_new_bare(enum tally_pcounter_revision revision, unsigned domains,
                            struct tally_pcounter **out, struct tally_error *error)
{
    bool sets = (unsigned)revision < TALLY_PCOUNTER_REVISIONS && pcounter_features[revision].sets;
    const struct tally_pcounter_set set = {sets ? TALLY_SET_GPC : TALLY_SET_ONLY, 0, domains};
    return tally_pcounter_new_sets(revision, &set, 1, out, error);
}

int tally_pcounter_new(const struct tally_chipset *chipset, struct tally_pcounter **out,
                       struct tally_error *error)
{
    if (!chipset)
        return fail(error, -EINVAL, "no chipset");
    enum tally_pcounter_revision revision = (enum tally_pcounter_revision)chipset->revision;
    if (chipset->revision >= TALLY_PCOUNTER_REVISIONS ||
        chipset->domain_count > pcounter_features[revision].domains ||
        chipset->gpcs > gf100_set_spaces[TALLY_SET_GPC].count ||
        chipset->partitions > gf100_set_spaces[TALLY_SET_PART].count ||
        chipset->gpc_domains > DOMAINS || chipset->partition_domains > DOMAINS ||
        chipset->hub_domains > DOMAINS)
        return fail(error, -EINVAL, "%s is not in the table of chipsets", chipset->title);
    if (chipset->presence == TALLY_ABSENT)
        return fail(error, -ENODEV, "%s has no PCOUNTER", chipset->title);
    const struct {
        unsigned count, domains;
    } sets[] = {
        [TALLY_SET_GPC] = {chipset->gpcs, chipset->gpc_domains},
        [TALLY_SET_PART] = {chipset->partitions, chipset->partition_domains},
        [TALLY_SET_HUB] = {pcounter_features[revision].sets, chipset->hub_domains},
    };
    unsigned domains = chipset->domain_count;
    for (unsigned kind = TALLY_SET_GPC; kind <= TALLY_SET_HUB; kind++)
        domains += sets[kind].count * sets[kind].domains;
    struct tally_pcounter *engine = allocate(revision, domains);
    if (!engine)
        return fail_memory(error, "a PCOUNTER");
    if (chipset->domain_count)
        add_set(engine, TALLY_SET_ONLY, 0, chipset->domain_count, 0);
    for (unsigned kind = TALLY_SET_GPC; kind <= TALLY_SET_HUB; kind++)
        for (unsigned i = 0; i < sets[kind].count; i++)
            add_set(engine, kind, i, sets[kind].domains,
                    domains_address((enum tally_domain_set)kind, i));
    for (unsigned i = 0; i < engine->domain_count; i++) {
        const struct domain *domain = &engine->domains[i];
        int base = tally_chipset_trailer_base(chipset, TALLY_DOMAIN(domain->kind, domain->number));
        if (base >= 0)
            tally_pcounter_set_trailer(engine, i, (unsigned)base);
    }
    *out = engine;
    return 0;
}

void tally_pcounter_free(struct tally_pcounter *engine)
{
    free(engine);
}

size_t tally_pcounter_size(const struct tally_pcounter *engine)
{
    return sizeof *engine + engine->domain_count * sizeof engine->domains[0];
}

int tally_pcounter_copy(struct tally_pcounter *to, const struct tally_pcounter *from)
{
    if (to->revision != from->revision || to->domain_count != from->domain_count)
        return -EINVAL;
    for (unsigned i = 0; i < to->domain_count; i++)
        if (to->domains[i].kind != from->domains[i].kind ||
            to->domains[i].instance != from->domains[i].instance ||
            to->domains[i].number != from->domains[i].number)
            return -EINVAL;
    memcpy(to, from, tally_pcounter_size(from));
    for (unsigned i = 0; i < to->domain_count; i++)
        to->domains[i].plan.kept = 0; /* functions point to waves */
    return 0;
}

enum tally_pcounter_revision tally_pcounter_revision(const struct tally_pcounter *engine)
{
    return engine->revision;
}

void tally_pcounter_reset(struct tally_pcounter *engine)
{
    for (unsigned i = 0; i < engine->domain_count; i++) {
        struct domain *domain = &engine->domains[i];
        memset(&domain->regs, 0, sizeof *domain - offsetof(struct domain, regs));
    }
    engine->record_chan = engine->record_dma = engine->gctrl = 0;
    memset(engine->set_control, 0, sizeof engine->set_control);
    memset(engine->stale, 0, sizeof engine->stale);
    engine->dma_written = engine->bound = engine->disabled = false;
}

/* ---- domains --------------------------------------------------------------------------------- */

unsigned tally_pcounter_domains(const struct tally_pcounter *engine)
{
    return engine->domain_count;
}

int tally_pcounter_domain(const struct tally_pcounter *engine, unsigned number,
                          struct tally_pcounter_domain *out)
{
    if (number >= engine->domain_count)
        return -EINVAL;
    const struct domain *domain = &engine->domains[number];
    *out = (struct tally_pcounter_domain){
        .set = (enum tally_domain_set)domain->kind,
        .instance = domain->instance,
        .number = domain->number,
        .address = domain->address,
        .trailer_base = domain->trailer,
        .period = domain->period,
        .phase = domain->phase,
    };
    return 0;
}

int tally_pcounter_set_clock(struct tally_pcounter *engine, unsigned number, uint32_t period,
                             uint32_t phase)
{
    if (number >= engine->domain_count || !period || phase >= period)
        return -EINVAL;
    if (engine->tick)
        return -EBUSY;
    engine->domains[number].period = period;
    engine->domains[number].phase = phase;
    return 0;
}

int tally_pcounter_set_trailer(struct tally_pcounter *engine, unsigned number, unsigned base)
{
    if (number >= engine->domain_count || base % 0x20 ||
        base > pcounter_highest_trailer(engine->features))
        return -EINVAL;
    if (engine->tick)
        return -EBUSY;
    engine->domains[number].trailer = (uint8_t)base;
    engine->domains[number].planned = false;
    signals_init(engine, &engine->domains[number]);
    return 0;
}

/* ---- signals --------------------------------------------------------------------------------- */

/* Holds the value of a signal until the next clock. Called before its driver changes. */
static void hold(struct domain *domain, unsigned signal)
{
    uint64_t bit = UINT64_C(1) << (signal % 64);
    if (signal_now(domain, signal))
        domain->held[signal / 64] |= bit;
    else
        domain->held[signal / 64] &= ~bit;
    domain->held_mask[signal / 64] |= bit;
}

/* Whether an input, or a counter, of a planned domain uses a signal. */
static bool is_used(const struct domain *domain, unsigned signal)
{
    return domain->plan.used[signal / 64] >> signal % 64 & 1;
}

/* Keeps the wave of a used signal for leap_settle(). */
static void keep_wave(struct tally_pcounter *engine, struct domain *domain, unsigned signal)
{
    if (domain->drivers[signal] != DRIVER_WAVE) {
        leap_settle(engine);
        return;
    }
    for (unsigned i = 0; i < domain->replaced_count; i++)
        if (domain->replaced[i].signal == signal)
            return;
    domain->replaced[domain->replaced_count].signal = (uint8_t)signal;
    domain->replaced[domain->replaced_count++].attached = domain->waves[signal];
}

static bool drives_itself(const struct domain *domain, unsigned signal)
{
    uint8_t driver = domain->drivers[signal];
    return driver != DRIVER_WAVE && !(driver >= DRIVER_USER && driver < DRIVER_OWN_EVENT);
}

/* Whether a signal is driven by a constant already. */
static bool is_same_constant(const struct domain *domain, unsigned signal,
                             const struct tally_wave *wave)
{
    const struct tally_wave *now = &domain->waves[signal].wave;
    return wave->kind == TALLY_WAVE_CONSTANT && now->kind == TALLY_WAVE_CONSTANT &&
           now->value == wave->value && domain->drivers[signal] == DRIVER_WAVE;
}

void pcounter_attach_from(struct tally_pcounter *engine, unsigned number, unsigned signal,
                          const struct tally_wave *wave, uint64_t origin)
{
    struct domain *domain = &engine->domains[number];
    bool fixed = drives_itself(domain, signal) ||
                 (engine->features->users_in_trailer && domain->drivers[signal] != DRIVER_WAVE);
    if (fixed || is_same_constant(domain, signal, wave)) /* cannot be driven, or changes nothing */
        return;
    if (is_used(domain, signal)) {
        if (engine->stale[domain->set])
            keep_wave(engine, domain, signal);
        domain->plan.kept = 0;
    }
    hold(domain, signal);
    domain->planned &= domain->drivers[signal] == DRIVER_WAVE;
    domain->drivers[signal] = DRIVER_WAVE;
    domain->waves[signal] = (struct attached){*wave, origin};
}

static bool points_to_memory(const struct tally_wave *wave)
{
    return wave->kind == TALLY_WAVE_PATTERN || wave->kind == TALLY_WAVE_ONCE ||
           wave->kind == TALLY_WAVE_EDGES || wave->kind == TALLY_WAVE_SOURCE ||
           wave->kind == TALLY_WAVE_INVERSE;
}

int tally_pcounter_attach(struct tally_pcounter *engine, unsigned number, unsigned signal,
                          const struct tally_wave *wave)
{
    if (number >= engine->domain_count || signal >= SIGNALS)
        return -EINVAL;
    struct domain *domain = &engine->domains[number];
    /* The caller may free what the former wave points to. */
    if (points_to_memory(&domain->waves[signal].wave) && is_used(domain, signal))
        leap_settle(engine);
    pcounter_attach_from(engine, number, signal, wave, domain->edges);
    return 0;
}

int tally_pcounter_attach_user(struct tally_pcounter *engine, unsigned number, unsigned signal,
                               unsigned user)
{
    if (number >= engine->domain_count || signal >= SIGNALS || user >= engine->features->users ||
        !pcounter_attaches_users(engine->features))
        return -EINVAL;
    struct domain *domain = &engine->domains[number];
    if (drives_itself(domain, signal))
        return 0;
    leap_settle(engine);
    hold(domain, signal);
    domain->drivers[signal] = (uint8_t)(DRIVER_USER + user);
    domain->planned = false;
    return 0;
}

bool tally_pcounter_signal(const struct tally_pcounter *engine, unsigned number, unsigned signal)
{
    if (number >= engine->domain_count || signal >= SIGNALS)
        return false;
    leap_settle((struct tally_pcounter *)engine); /* allocated, never const */
    return signal_now(&engine->domains[number], signal);
}

/* ---- memory and time ------------------------------------------------------------------------- */

void tally_pcounter_set_memory(struct tally_pcounter *engine,
                               const struct tally_pcounter_memory *memory)
{
    engine->memory = memory ? *memory : (struct tally_pcounter_memory){0};
}

int tally_pcounter_set_latency(struct tally_pcounter *engine, uint32_t clocks)
{
    if (!clocks)
        return -EINVAL;
    engine->latency = clocks;
    return 0;
}

uint64_t tally_pcounter_now(const struct tally_pcounter *engine)
{
    return engine->tick;
}

void tally_pcounter_observe(struct tally_pcounter *engine, bool all_inputs)
{
    leap_settle(engine);
    engine->observe = all_inputs;
    for (unsigned i = 0; i < engine->domain_count; i++) {
        latch_delays(engine, &engine->domains[i]);
        engine->domains[i].planned = false;
    }
}
