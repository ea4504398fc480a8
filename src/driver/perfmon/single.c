/* SPDX-License-Identifier: MIT */
/*
 * Single event mode before NV30, whose counters cannot be swapped: one period without an end counts
 * EVENT (PC-D.4). A sample aborts the counting process, reads it, and starts it again.
 */
#include <errno.h>

#include "base/error.h"
#include "driver/perfmon/session.h"

/* Logic operations. */
#define ALWAYS REG_PUT(PCOUNTER_OP, LOGIC, UINT16_MAX)
#define NEVER  0u

static int program(struct perfmon_session *session, struct session_unit *unit,
                   struct tally_error *error)
{
    const struct perfmon_setup *setup = unit->setup;
    (void)error;
    unit_set_mode(session, unit, unit->control->single, setup->counter_mode, 0, 0);
    unit_write(session, unit, REG_THRESHOLD, 0);
    unit_write(session, unit, REG_THRESHOLD_HI, 0);
    unit_write(session, unit, REG_CTR_PRE, 0);
    unit_write(session, unit, REG_CTR_STOP, 0);
    for (unsigned slot = 0; slot < SLOTS; slot++)
        unit_write(session, unit, perfmon_source(slot), setup->sources[slot]);
    unit_write(session, unit, REG_STOP_OP, NEVER);
    unit_write(session, unit, REG_EVENT_OP, setup->operations[SLOT_EVENT]);
    unit_write(session, unit, REG_START_OP, ALWAYS);
    return 0;
}

/* Starts the counting process: a write to PRE_OP. */
static void start(const struct perfmon_session *session, struct session_unit *unit)
{
    unit_write(session, unit, REG_PRE_OP, ALWAYS);
}

/* Ends it: a write to any other register of the process. */
static void end(const struct perfmon_session *session, struct session_unit *unit)
{
    unit_write(session, unit, REG_CTR_STOP, 0);
}

/* Waits until a unit counts. */
static bool wait_counting(const struct perfmon_session *session, struct session_unit *unit)
{
    for (unsigned i = 0; i < WAIT_STEPS; i++) {
        uint32_t ctrl = unit_check(session, unit);
        if (unit->flags & (PERFMON_DISABLED | PERFMON_CHANGED))
            return false;
        if (perfmon_get(unit->control->single_state, ctrl) == PCOUNTER_SINGLE_STATE__COUNTING)
            return true;
        driver_sleep_ns(&session->io, WAIT_STEP_NS, false);
    }
    unit->flags |= PERFMON_STUCK;
    return false;
}

static int begin(struct perfmon_session *session, struct tally_error *error)
{
    char text[UNIT_TEXT], flags[PERFMON_FLAGS_TEXT];
    for (unsigned i = 0; i < session->unit_count; i++)
        if (session->units[i].setup)
            start(session, &session->units[i]);
    for (unsigned i = 0; i < session->unit_count; i++) {
        struct session_unit *unit = &session->units[i];
        unit->flags = 0;
        if (unit->setup && !wait_counting(session, unit) && !(session->flags & PERFMON_TOLERATE))
            return fail(error, -EIO, "%s of %s cannot be counted: %s", unit_text(unit, text),
                        session->chipset->title, perfmon_flags_text(unit->flags, flags));
    }
    session->start_ns = perfmon_session_time_ns(session);
    return 0;
}

/* The counters' top bit stays set once it is: they have passed their range. */
static bool is_over(const struct perfmon_session *session, uint64_t value)
{
    return value >> (session->features->counter_width - 1);
}

/* CTR_CYCLES_ALT shows the cycles at any time, CTR_CYCLES perhaps not (PC-AMB-55). */
static void collect(const struct perfmon_session *session, struct session_unit *unit)
{
    uint64_t count = session_read_wide(session, unit->addresses[REG_CTR_EVENT],
                                       unit->addresses[REG_CTR_EVENT_HI]);
    uint64_t cycles =
        session_read_wide(session, REG_ELEMENT(NV10_CTR_CYCLES_ALT, unit->unit.domain),
                          REG_ELEMENT(NV10_CTR_CYCLES_ALT_HI, unit->unit.domain));
    unit->counts[SLOT_EVENT] = count;
    unit->cycles = cycles;
    if (is_over(session, cycles) || is_over(session, count))
        unit->saturated = UINT8_MAX;
}

static void sample(struct perfmon_session *session)
{
    for (unsigned i = 0; i < session->unit_count; i++) {
        struct session_unit *unit = &session->units[i];
        if (!unit->setup)
            continue;
        uint32_t ctrl = unit_check(session, unit);
        if (perfmon_get(unit->control->single_state, ctrl) == PCOUNTER_SINGLE_STATE__INACTIVE)
            unit->flags |= PERFMON_CHANGED; /* something else wrote a register */
        else
            wait_counting(session, unit); /* the previous sample may be some clocks ago */
        end(session, unit);
    }
    session->end_ns = perfmon_session_time_ns(session);
    for (unsigned i = 0; i < session->unit_count; i++) {
        struct session_unit *unit = &session->units[i];
        if (unit->setup && !unit->flags)
            collect(session, unit);
        if (unit->setup)
            start(session, unit);
    }
    session->next_ns = perfmon_session_time_ns(session);
}

const struct counting single_counting = {program, begin, sample};
