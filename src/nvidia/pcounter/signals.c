/* SPDX-License-Identifier: MIT */
/* Signals: the drivers of a domain's 256 signals, their current values, and their words for a
 * block.
 */
#include <string.h>

#include "base/bits.h"
#include "nvidia/pcounter/engine.h"

/* ---- drivers --------------------------------------------------------------------------------- */

static uint8_t import_driver(enum import_kind kind, unsigned domain)
{
    return (uint8_t)(DRIVER_IMPORT + DOMAINS * kind + domain);
}

static uint8_t driver_of(const struct trailer_signal *signal, unsigned own)
{
    switch ((enum trailer_source)signal->source) {
    case TRAILER_ZERO:
        return DRIVER_ZERO;
    case TRAILER_PERIODIC:
        return DRIVER_PERIODIC;
    case TRAILER_EVENT:
        return signal->number == own ? DRIVER_OWN_EVENT
                                     : import_driver(IMPORT_EVENT, signal->number);
    case TRAILER_FLAG:
        return signal->number == own ? DRIVER_OWN_FLAG : import_driver(IMPORT_FLAG, signal->number);
    case TRAILER_USER:
        return (uint8_t)(DRIVER_USER + signal->number);
    case TRAILER_PM_TRIGGER:
    case TRAILER_OUTSIDE:
        break;
    }
    return DRIVER_WAVE;
}

/* Sets the drivers of the trailer signals, which the engine drives (PCT-5). */
void signals_init(const struct tally_pcounter *engine, struct domain *domain)
{
    const struct trailer *trailer = engine->features->trailer;
    uint8_t *drivers = domain->drivers;
    for (unsigned i = 0; i < SIGNALS; i++) /* waves, and USER signals attached by a script */
        if (drivers[i] < DRIVER_USER || drivers[i] >= DRIVER_OWN_EVENT ||
            engine->features->users_in_trailer)
            drivers[i] = DRIVER_WAVE;
    for (size_t i = 0; i < trailer->count; i++) {
        const struct trailer_signal *signal = &trailer->signals[i];
        uint8_t driver = driver_of(signal, domain->number);
        if (driver != DRIVER_WAVE)
            drivers[domain->trailer + signal->published.offset] = driver;
    }
}

/* ---- present values -------------------------------------------------------------------------- */

bool domain_holds(const struct domain *domain)
{
    return domain->held_mask[0] | domain->held_mask[1] | domain->held_mask[2] |
           domain->held_mask[3];
}

bool signal_now(const struct domain *domain, unsigned signal)
{
    uint8_t driver = domain->drivers[signal];
    if (!domain->seen)
        return false;
    if (domain->held_mask[signal / 64] >> (signal % 64) & 1)
        return domain->held[signal / 64] >> (signal % 64) & 1;
    if (driver >= DRIVER_IMPORT)
        return domain->synchronizers[(driver - DRIVER_IMPORT) / DOMAINS].now >>
                   (driver - DRIVER_IMPORT) % DOMAINS &
               1;
    if (driver >= DRIVER_USER && driver < DRIVER_OWN_EVENT)
        return domain->user_now >> (driver - DRIVER_USER) & 1;
    switch (driver) {
    case DRIVER_WAVE:
        return tally_wave_at(&domain->waves[signal].wave,
                             domain->latest - domain->waves[signal].origin);
    case DRIVER_PERIODIC:
        return domain->periodic;
    case DRIVER_OWN_EVENT:
        return domain->event;
    case DRIVER_OWN_FLAG:
        return domain->flag_history >> 2 & 1; /* two clocks late (PC-D5, PC-E12) */
    default:
        return false;
    }
}

void latch_delays(const struct tally_pcounter *engine, struct domain *domain)
{
    if (domain->latched)
        return;
    for (unsigned input = 0; input < INPUTS; input++) {
        bool first = signal_now(domain, source_signal(engine, domain, (enum input)input, 0));
        bool second = signal_now(domain, source_signal(engine, domain, (enum input)input, 1));
        domain->delays[input] = (uint8_t)(first | second << 1);
    }
    domain->latched = true;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* PERIODIC is 1 when the counter is X - 1 modulo X (PC-D21). */
const struct tally_wave *periodic_wave(const struct tally_pcounter *engine,
                                       const struct domain *domain)
{
    static const struct tally_wave off = {.kind = TALLY_WAVE_CONSTANT};
    return domain->plan.periodic && !periodic_reset(engine, domain) ? &domain->plan.periodic_wave
                                                                    : &off;
}

bool user_level(const struct tally_pcounter *engine, const struct domain *domain, unsigned user)
{
    uint32_t trigger = domain->regs[REG_USER_TRIGGER];
    return (user_values(engine->features, trigger) & ~user_pulses(engine->features, trigger)) >>
               user &
           1;
}

/* Computes a USER signal. In pulse mode it is 1 only at the first clock after the write (PC-D22).
 */
static void user_words(const struct tally_pcounter *engine, const struct domain *domain,
                       unsigned user, size_t words, uint64_t *buffer)
{
    uint32_t trigger = domain->regs[REG_USER_TRIGGER];
    uint32_t pulses =
        user_values(engine->features, trigger) & user_pulses(engine->features, trigger);
    memset(buffer, user_level(engine, domain, user) ? 0xff : 0, words * sizeof *buffer);
    if ((pulses >> user & 1) && domain->user_fresh)
        buffer[0] = 1;
}

void fetch_signals(const struct tally_pcounter *engine, const struct domain *domain,
                   struct workspace *w)
{
    const struct plan *plan = &domain->plan;
    uint64_t clock = w->first_edge;
    for (unsigned use = 0; use < plan->use_count; use++) {
        unsigned signal = plan->uses[use];
        uint8_t driver = domain->drivers[signal];
        uint64_t *buffer = w->signal_buffers[use];
        w->signals[use] = buffer;
        if (driver == DRIVER_WAVE) {
            const struct attached *attached = &domain->waves[signal];
            w->signals[use] =
                tally_wave_words(&attached->wave, clock - attached->origin, w->words, buffer);
        } else if (driver >= DRIVER_IMPORT) {
            unsigned number = (unsigned)(driver - DRIVER_IMPORT);
            w->signals[use] = w->imports[number / DOMAINS][number % DOMAINS];
        } else if (driver == DRIVER_PERIODIC) {
            tally_wave_words(periodic_wave(engine, domain), domain->periodic_counter, w->words,
                             buffer);
        } else if (driver >= DRIVER_USER && driver < DRIVER_OWN_EVENT) {
            user_words(engine, domain, driver - DRIVER_USER, w->words, buffer);
        } else if (driver == DRIVER_ZERO) {
            memset(buffer, 0, w->words * sizeof *buffer);
        } else {
            w->signals[use] = NULL; /* FLAG and EVENT of this domain: set by evaluate.c */
        }
    }
}
