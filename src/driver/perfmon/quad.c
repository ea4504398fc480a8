/* SPDX-License-Identifier: MIT */
/* Quad event mode: four counters, whose values a swap makes readable. */
#include <errno.h>

#include "base/error.h"
#include "driver/perfmon/session.h"

/* Attempts to read counters between two swaps by something else. */
#define READ_TRIES 4

static uint32_t state_of(const struct session_unit *unit, uint32_t ctrl)
{
    return perfmon_get(unit->control->quad_state, ctrl);
}

static int program(struct perfmon_session *session, struct session_unit *unit,
                   struct tally_error *error)
{
    unit_set_mode(session, unit, unit->control->quad, unit->setup->counter_mode, 0, 0);
    int result = swap_select(session, unit, error);
    if (!result)
        unit_set_inputs(session, unit, unit->setup->sources, unit->setup->operations);
    return result;
}

/* Acknowledges one set of counters. Before NV40 the register has a bit for each domain. */
static void acknowledge(const struct perfmon_session *session, struct session_unit *unit)
{
    static const uint32_t masks[] = {REG_MASK(NV30_QUAD_ACK_TRIGGER, DOM0),
                                     REG_MASK(NV30_QUAD_ACK_TRIGGER, DOM1)};
    unit_write(session, unit, REG_QUAD_ACK_TRIGGER,
               session->features->layout == LAYOUT_NV10 ? masks[unit->unit.domain]
                                                        : REG_MASK(PCOUNTER_QUAD_ACK_TRIGGER, ACK));
}

/* Acknowledges what a state stands for, and not what is swapped in the meantime. */
static void acknowledge_state(const struct perfmon_session *session, struct session_unit *unit,
                              uint32_t state)
{
    for (; state; state >>= 1)
        acknowledge(session, unit);
}

/* Waits until a unit has swapped, and sets *state. Returns false if it does not. */
static bool wait_swapped(const struct perfmon_session *session, struct session_unit *unit,
                         uint32_t *state)
{
    for (unsigned i = 0; i < WAIT_STEPS; i++) {
        *state = state_of(unit, unit_check(session, unit));
        if (unit->flags & (PERFMON_DISABLED | PERFMON_CHANGED))
            return false;
        if (*state != PCOUNTER_QUAD_STATE__EMPTY)
            return true;
        driver_sleep_ns(&session->io, WAIT_STEP_NS, false);
    }
    unit->flags |= PERFMON_STUCK;
    return false;
}

/* Drops what was counted before. */
static int begin(struct perfmon_session *session, struct tally_error *error)
{
    char text[UNIT_TEXT], flags[PERFMON_FLAGS_TEXT];
    /* The flip-flops of delayed signals take a clock to hold those that were selected, and the swap
     * that writing PRE_OP may have caused. */
    driver_sleep_ns(&session->io, WAIT_STEP_NS, false);
    for (unsigned i = 0; i < session->unit_count; i++)
        if (session->units[i].setup)
            acknowledge_state(session, &session->units[i], PCOUNTER_QUAD_STATE__OVERFLOW);
    swap_all(session);
    session->start_ns = perfmon_session_time_ns(session);
    for (unsigned i = 0; i < session->unit_count; i++) {
        struct session_unit *unit = &session->units[i];
        uint32_t state;
        unit->flags = 0;
        unit->begun = unit->setup && wait_swapped(session, unit, &state);
        if (unit->setup && !unit->begun && !(session->flags & PERFMON_TOLERATE))
            return fail(error, -EIO, "%s of %s cannot be counted: %s", unit_text(unit, text),
                        session->chipset->title, perfmon_flags_text(unit->flags, flags));
        if (unit->begun)
            acknowledge_state(session, unit, state);
    }
    return 0;
}

/* Reads a set of counters; again if something else swaps them meanwhile. */
static uint32_t read_counters(const struct perfmon_session *session,
                              const struct session_unit *unit, uint32_t counts[SLOTS])
{
    uint32_t before = unit_read(session, unit, REG_CTR_CYCLES), after = before;
    for (unsigned i = 0; i < READ_TRIES; i++) {
        before = after;
        for (unsigned slot = 0; slot < SLOTS; slot++)
            counts[slot] = unit->setup->slots >> slot & 1
                               ? unit_read(session, unit, perfmon_counter(slot))
                               : 0;
        after = unit_read(session, unit, REG_CTR_CYCLES);
        if (after == before)
            break;
    }
    return after;
}

/* Adds the counters of a period that has ended. before: the state. */
static void collect(const struct perfmon_session *session, struct session_unit *unit,
                    uint32_t before)
{
    uint32_t counts[SLOTS];
    uint32_t cycles = read_counters(session, unit, counts);
    uint32_t after = state_of(unit, unit_read(session, unit, REG_CTRL));
    if (before == PCOUNTER_QUAD_STATE__OVERFLOW || after != before)
        unit->flags |= PERFMON_LOST;
    acknowledge_state(session, unit, after);
    unit->cycles += cycles;
    unit->saturated |= cycles == UINT32_MAX ? UINT8_MAX : 0;
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        unit->counts[slot] += counts[slot];
        unit->saturated |= (uint8_t)((counts[slot] == UINT32_MAX) << slot);
    }
}

/* A period that something else has ended is not lost: its counts are still there. */
static void collect_earlier(const struct perfmon_session *session, struct session_unit *unit)
{
    uint32_t state = state_of(unit, unit_check(session, unit));
    if (!(unit->flags & (PERFMON_DISABLED | PERFMON_CHANGED)) &&
        state != PCOUNTER_QUAD_STATE__EMPTY)
        collect(session, unit, state);
}

static void sample(struct perfmon_session *session)
{
    for (unsigned i = 0; i < session->unit_count; i++)
        if (session->units[i].setup)
            collect_earlier(session, &session->units[i]);
    swap_all(session);
    session->end_ns = session->next_ns = perfmon_session_time_ns(session);
    for (unsigned i = 0; i < session->unit_count; i++) {
        struct session_unit *unit = &session->units[i];
        uint32_t state;
        if (!unit->setup || !wait_swapped(session, unit, &state))
            continue;
        collect(session, unit, state);
        /* What it counted before it began is not of the period. */
        unit->flags |= unit->begun ? 0 : (unsigned)PERFMON_STUCK;
        unit->begun = true;
    }
}

const struct counting quad_counting = {program, begin, sample};
