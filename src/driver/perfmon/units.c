/* SPDX-License-Identifier: MIT */
/* The registers of the domains that a session uses: found, saved, programmed and restored. */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "driver/perfmon/session.h"
#include "nvidia/gpu/errors.h"
#include "nvidia/gpu/registers.h"

/* A logic operation that is always 1. */
#define ALWAYS UINT16_MAX

static bool is_error(const struct perfmon_session *session, uint32_t value)
{
    return session->features->sets && nvidia_error_word(value);
}

const char *unit_text(const struct session_unit *unit, char text[UNIT_TEXT])
{
    const char *name = tally_domain_name(unit->unit.domain);
    if (perfmon_instances(unit->unit.chipset, unit->unit.domain) > 1)
        snprintf(text, UNIT_TEXT, "domain %s[%u]", name, unit->unit.instance);
    else
        snprintf(text, UNIT_TEXT, "domain %s", name);
    return text;
}

/* ---- which exist ----------------------------------------------------------------------------- */

/* Returns the mask of the units that exist: those below the count, unless disabled. A chip that
 * does not show the registers has all units of its chipset. */
static uint32_t find_mask(const struct perfmon_session *session, uint32_t count_address,
                          const uint32_t disabled_addresses[2], unsigned max)
{
    uint32_t count = driver_read32(&session->io, count_address);
    uint32_t mask = (uint32_t)low_bits(max ? max : 1);
    if (is_error(session, count) || !count)
        return mask;
    mask &= (uint32_t)low_bits(count < max ? count : max);
    for (unsigned i = 0; i < 2; i++) {
        uint32_t disabled = driver_read32(&session->io, disabled_addresses[i]);
        mask &= is_error(session, disabled) ? mask : ~disabled;
    }
    return mask;
}

void session_find_units(struct perfmon_session *session)
{
    static const uint32_t gpcs[] = {PTOP_GPC_DISABLE_0, PTOP_GPC_DISABLE_1};
    static const uint32_t partitions[] = {PTOP_PART_DISABLE_0, PTOP_PART_DISABLE_1};
    if (!session->features->sets)
        return;
    session->gpcs = find_mask(session, PTOP_GPC_COUNT, gpcs, session->chipset->gpcs);
    session->partitions =
        find_mask(session, PTOP_PART_COUNT, partitions, session->chipset->partitions);
}

bool perfmon_session_has(const struct perfmon_session *session, unsigned domain, unsigned instance)
{
    const uint32_t masks[] = {[TALLY_SET_ONLY] = 1,
                              [TALLY_SET_GPC] = session->gpcs,
                              [TALLY_SET_PART] = session->partitions,
                              [TALLY_SET_HUB] = 1};
    return masks[domain / TALLY_PCOUNTER_DOMAINS] >> instance & 1;
}

/* ---- saving and restoring -------------------------------------------------------------------- */

/* In the order in which they are restored: CTRL last, which ends single event mode (PC-F.3). */
static const enum register_id kept[] = {
    REG_PRE_SRC,    REG_START_SRC,    REG_EVENT_SRC,
    REG_STOP_SRC,   REG_SETFLAG_SRC,  REG_CLRFLAG_SRC,
    REG_SETFLAG_OP, REG_CLRFLAG_OP,   REG_START_OP,
    REG_EVENT_OP,   REG_STOP_OP,      REG_PRE_OP,
    REG_SPEC_SRC,   REG_THRESHOLD,    REG_THRESHOLD_HI,
    REG_FILTER,     REG_RECORD_LIMIT, REG_RECORD_ADDRESS_HIGH,
};

static void save(const struct perfmon_session *session, struct session_unit *unit)
{
    for (size_t i = 0; i < ARRAY_COUNT(kept); i++)
        if (unit->addresses[kept[i]])
            unit->saved[kept[i]] = unit_read(session, unit, kept[i]);
    unit->saved[REG_CTRL] = unit_read(session, unit, REG_CTRL);
    /* Domains that share CTRL: the session may have written it already. */
    for (unsigned i = 0; i < session->unit_count; i++)
        if (session->units[i].present &&
            session->units[i].addresses[REG_CTRL] == unit->addresses[REG_CTRL])
            unit->saved[REG_CTRL] = session->units[i].saved[REG_CTRL];
}

/* Ends what the unit does. In record mode, STOP and RECORD_LIMIT of an earlier user could write
 * packets to memory that is not there, or not meant. */
static void end_processes(const struct perfmon_session *session, struct session_unit *unit)
{
    const struct perfmon_control *control = unit->control;
    unit_write(session, unit, REG_SINGLE_ABORT_TRIGGER,
               REG_MASK(GF100_SINGLE_ABORT_TRIGGER, ABORT));
    if (control->record && (unit->ctrl & control->mode) == control->record)
        unit_write(session, unit, REG_CTRL, (unit->ctrl & ~control->mode) | control->quad);
}

static void restore_inputs(const struct perfmon_session *session, struct session_unit *unit)
{
    end_processes(session, unit);
    for (size_t i = 0; i < ARRAY_COUNT(kept); i++)
        if (unit->written >> kept[i] & 1)
            unit_write(session, unit, kept[i], unit->saved[kept[i]]);
}

void session_restore(struct perfmon_session *session)
{
    for (unsigned i = 0; i < session->unit_count; i++)
        if (session->units[i].written)
            restore_inputs(session, &session->units[i]);
    for (size_t i = session->setting_count; i-- > 0;)
        driver_write32(&session->io, session->settings[i].address, session->settings[i].before);
    for (unsigned i = 0; i < session->unit_count; i++) {
        struct session_unit *unit = &session->units[i];
        if (unit->written >> REG_CTRL & 1)
            unit_write(session, unit, REG_CTRL, unit->saved[REG_CTRL] & ~unit->control->read_only);
        unit->written = 0;
    }
    session->setting_count = 0;
    session->unit_count = 0;
}

struct session_unit *session_unit(struct perfmon_session *session, uint8_t domain, uint8_t instance)
{
    for (unsigned i = 0; i < session->unit_count; i++)
        if (session->units[i].unit.domain == domain && session->units[i].unit.instance == instance)
            return session->units[i].present ? &session->units[i] : NULL;
    if (session->unit_count == UNITS_MAX)
        return NULL;
    struct session_unit *unit = &session->units[session->unit_count];
    *unit = (struct session_unit){.unit = {session->chipset, domain, instance}, .swap_signal = -1};
    unit->control = perfmon_control_of(&unit->unit);
    for (unsigned id = 0; id < REGISTER_IDS; id++)
        unit->addresses[id] = perfmon_register(&unit->unit, (enum register_id)id, NULL);
    unit->present = perfmon_session_has(session, domain, instance) &&
                    !is_error(session, unit_read(session, unit, REG_CTRL));
    if (unit->present)
        save(session, unit);
    session->unit_count++;
    return unit->present ? unit : NULL;
}

/* ---- programming ----------------------------------------------------------------------------- */

void unit_set_mode(const struct perfmon_session *session, struct session_unit *unit, uint32_t mode,
                   uint32_t counter_mode, uint32_t mask, uint32_t fields)
{
    const struct perfmon_control *control = unit->control;
    uint32_t changed = control->mode | control->counter_mode | control->read_only | mask;
    unit->ctrl = (unit_read(session, unit, REG_CTRL) & ~changed) | mode | fields |
                 control->written | perfmon_put(control->counter_mode, counter_mode);
    unit_write(session, unit, REG_CTRL, unit->ctrl);
    unit_write(session, unit, REG_FILTER, 0);
    unit_write(session, unit, REG_SETFLAG_OP, 0);
    unit_write(session, unit, REG_CLRFLAG_OP, REG_PUT(PCOUNTER_OP, LOGIC, ALWAYS));
}

void unit_set_inputs(const struct perfmon_session *session, struct session_unit *unit,
                     const uint32_t sources[SLOTS], const uint32_t operations[SLOTS])
{
    for (unsigned slot = 0; slot < SLOTS; slot++)
        unit_write(session, unit, perfmon_source(slot), sources[slot]);
    for (unsigned slot = SLOTS; slot-- > 0;)
        unit_write(session, unit, perfmon_operation(slot), operations[slot]);
}

uint32_t unit_check(const struct perfmon_session *session, struct session_unit *unit)
{
    uint32_t value = unit_read(session, unit, REG_CTRL);
    uint32_t fields = unit->control->mode | unit->control->counter_mode;
    if (is_error(session, value))
        unit->flags |= PERFMON_DISABLED;
    else if ((value ^ unit->ctrl) & fields)
        unit->flags |= PERFMON_CHANGED;
    return value;
}

uint64_t session_read_wide(const struct perfmon_session *session, uint32_t low_address,
                           uint32_t high_address)
{
    uint32_t high = driver_read32(&session->io, high_address), low, again;
    for (;;) {
        low = driver_read32(&session->io, low_address);
        again = driver_read32(&session->io, high_address);
        if (again == high)
            return (uint64_t)high << 32 | low;
        high = again;
    }
}

uint64_t perfmon_session_time_ns(const struct perfmon_session *session)
{
    return session_read_wide(session, PTIMER_TIME_LOW, PTIMER_TIME_HIGH);
}
