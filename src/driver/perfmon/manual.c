/* SPDX-License-Identifier: MIT */
#include "driver/perfmon/manual.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "driver/perfmon/session.h"

static void clear(struct session_unit *unit)
{
    memset(unit->counts, 0, sizeof unit->counts);
    unit->cycles = 0;
    unit->flags = unit->saturated = 0;
}

int perfmon_manual_start(struct perfmon_session *session, const struct perfmon_setup *setup,
                         struct tally_error *error)
{
    struct session_unit *unit = perfmon_has_domain(session->chipset, setup->domain)
                                    ? session_unit(session, setup->domain, setup->instance)
                                    : NULL;
    if (!unit)
        return fail(error, -ENODEV, "%s has no domain %s[%u]", session->chipset->title,
                    tally_domain_name(setup->domain), setup->instance);
    unit->setup = setup;
    int result = quad_counting.program(session, unit, error);
    if (result) {
        unit->setup = NULL;
        return result;
    }
    /* The flip-flops of delayed signals take a clock to hold those that were selected. The swap
     * that begins the domain's period ends one in the others; its counts are added to what follows.
     */
    driver_sleep_ns(&session->io, WAIT_STEP_NS, false);
    quad_counting.sample(session);
    clear(unit);
    unit->has_ended = false;
    return 0;
}

void perfmon_manual_sample(struct perfmon_session *session)
{
    quad_counting.sample(session);
    for (unsigned i = 0; i < session->unit_count; i++) {
        struct session_unit *unit = &session->units[i];
        if (!unit->setup)
            continue;
        memcpy(unit->ended.counts, unit->counts, sizeof unit->counts);
        unit->ended.clocks = unit->cycles;
        unit->ended.flags = unit->flags;
        unit->ended.saturated = unit->saturated;
        unit->has_ended = true;
        clear(unit);
    }
}

void perfmon_manual_forget(struct perfmon_session *session, const struct perfmon_setup *setup)
{
    for (unsigned i = 0; i < session->unit_count; i++)
        if (session->units[i].setup == setup)
            session->units[i].setup = NULL;
}

bool perfmon_manual_read(const struct perfmon_session *session, uint8_t domain, uint8_t instance,
                         struct perfmon_manual_counts *counts)
{
    for (unsigned i = 0; i < session->unit_count; i++) {
        const struct session_unit *unit = &session->units[i];
        if (unit->unit.domain != domain || unit->unit.instance != instance)
            continue;
        if (unit->has_ended)
            *counts = unit->ended;
        return unit->has_ended;
    }
    return false;
}
