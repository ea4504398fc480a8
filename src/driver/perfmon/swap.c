/* SPDX-License-Identifier: MIT */
/* What ends a period of quad event mode (PC-D.3, PC-D.7). */
#include <errno.h>

#include "base/error.h"
#include "driver/perfmon/session.h"
#include "nvidia/gpu/registers.h"

#define TRIGGER_NAME "PGRAPH.PM_TRIGGER"
#define USER_NAME    "PCOUNTER.USER_0"

/* Toggles of USER_0 that a signal must follow to be taken for it. */
#define PROBES 24

int swap_choose(struct perfmon_session *session, struct tally_error *error)
{
    const struct pcounter_features *features = session->features;
    bool no_trigger = session->flags & PERFMON_NO_PGRAPH;
    if (features->users_in_trailer)
        session->swap_method = SWAP_BY_USER;
    else if (features->pre_op_swaps && no_trigger)
        session->swap_method = SWAP_BY_PRE_OP;
    else
        session->swap_method = SWAP_BY_TRIGGER;
    if (session->swap_method == SWAP_BY_TRIGGER && features->quad && no_trigger)
        return fail(error, -EOPNOTSUPP,
                    "%s: only PGRAPH.PM_TRIGGER ends a period, and writing PGRAPH is not allowed",
                    session->chipset->title);
    return 0;
}

/* ---- finding USER_0 -------------------------------------------------------------------------- */

/* USER_0 is at the same position of a word in all domains: 7 (trailer base + 27h). */
static const struct tally_trailer *user_trailer(const struct perfmon_session *session)
{
    const struct trailer *trailer = session->features->trailer;
    for (size_t i = 0; i < trailer->count; i++)
        if (trailer->signals[i].source == TRAILER_USER && !trailer->signals[i].number)
            return &trailer->signals[i].published;
    return NULL;
}

static void set_user(const struct perfmon_session *session, struct session_unit *unit, bool level,
                     bool pulse)
{
    uint32_t users = unit_read(session, unit, REG_USER_TRIGGER);
    uint32_t first = REG_PUT(GF100_USER_TRIGGER, USER, 1);
    uint32_t first_pulse = REG_PUT(GF100_USER_TRIGGER, USER_PULSE, 1);
    users &= ~(first | first_pulse);
    unit_write(session, unit, REG_USER_TRIGGER,
               users | (level ? first : 0) | (pulse ? first_pulse : 0));
}

/* Finds the signal that follows USER_0 in SIG_STATUS, where the trailer base is not published. */
static int probe_user(const struct perfmon_session *session, struct session_unit *unit)
{
    unsigned offset = user_trailer(session)->offset,
             highest = pcounter_highest_trailer(session->features);
    uint32_t pattern = 0xb38f5a6d; /* 24 levels, as many ones as zeros */
    int found = -1;
    bool alive[TALLY_PCOUNTER_DOMAINS + 1] = {false};
    unsigned count = highest / 32 + 1; /* possible bases */
    for (unsigned i = 0; i < count; i++)
        alive[i] = true;
    for (unsigned probe = 0; probe < PROBES; probe++) {
        bool level = pattern >> probe & 1;
        set_user(session, unit, level, false);
        driver_sleep_ns(&session->io, WAIT_STEP_NS, false);
        for (unsigned i = 0; i < count; i++) {
            unsigned index = 32 * i + offset;
            uint32_t word = driver_read32(&session->io, unit->addresses[REG_SIG_STATUS] +
                                                            index / 32 * GF100_SIG_STATUS__STRIDE);
            alive[i] = alive[i] && (word >> index % 32 & 1) == level;
        }
    }
    set_user(session, unit, false, false);
    for (unsigned i = 0; i < count; i++)
        if (alive[i])
            found = found < 0 ? (int)(32 * i + offset) : -2;
    return found;
}

int swap_select(const struct perfmon_session *session, struct session_unit *unit,
                struct tally_error *error)
{
    const char *name = session->swap_method == SWAP_BY_USER ? USER_NAME : TRIGGER_NAME;
    char text[UNIT_TEXT];
    if (session->features->swap != SWAP_SELECTED)
        return 0;
    if (unit->swap_signal < 0 && session->swap_method == SWAP_BY_PRE_OP)
        unit->swap_signal = perfmon_zero_signal(session->chipset, unit->unit.domain);
    else if (unit->swap_signal < 0)
        unit->swap_signal = tally_signal_find(session->chipset, unit->unit.domain, name);
    if (unit->swap_signal < 0 && session->swap_method == SWAP_BY_USER)
        unit->swap_signal = probe_user(session, unit);
    if (unit->swap_signal < 0)
        return fail(error, -EIO, "%s: the signal %s, which ends a period, was not found",
                    unit_text(unit, text), name);
    unit_write(session, unit, REG_SPEC_SRC, REG_PUT(PCOUNTER_SPEC_SRC, SWAP, unit->swap_signal));
    return 0;
}

void swap_all(struct perfmon_session *session)
{
    if (session->swap_method == SWAP_BY_TRIGGER) {
        uint32_t debug = driver_read32(&session->io, PGRAPH_DEBUG_1);
        driver_write32(&session->io, PGRAPH_DEBUG_1, debug | REG_MASK(PGRAPH_DEBUG_1, PM_TRIGGER));
        return;
    }
    for (unsigned i = 0; i < session->unit_count; i++) {
        struct session_unit *unit = &session->units[i];
        if (!unit->setup)
            continue;
        if (session->swap_method == SWAP_BY_USER)
            set_user(session, unit, true, true);
        else
            unit_write(session, unit, REG_PRE_OP, unit->setup->operations[SLOT_PRE]);
    }
}
