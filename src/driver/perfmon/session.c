/* SPDX-License-Identifier: MIT */
/* Sessions: passes of a plan on the hardware, and their samples. */
#include "driver/perfmon/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/error.h"
#include "driver/perfmon/place.h"

#define ABSENT UINT32_MAX

static const char *const flag_names[] = {
    "not counted", "lost", "saturated", "stuck", "changed by something else", "disabled",
};

const char *perfmon_flags_text(unsigned flags, char text[PERFMON_FLAGS_TEXT])
{
    size_t used = 0;
    *text = '\0';
    for (unsigned i = 0; i < ARRAY_COUNT(flag_names); i++)
        if (flags >> i & 1)
            used += (size_t)snprintf(text + used, PERFMON_FLAGS_TEXT - used, "%s%s",
                                     used ? ", " : "", flag_names[i]);
    return text;
}

/* ---- making and freeing ---------------------------------------------------------------------- */

/* From GF100 on PCOUNTER is in reset unless a bit of PMC.ENABLE is set. */
static int check_enabled(struct perfmon_session *session, struct tally_error *error)
{
    if (!session->features->sets)
        return 0;
    uint32_t enable = driver_read32(&session->io, PMC_ENABLE);
    if (REG_GET(PMC_ENABLE, PCOUNTER, enable))
        return 0;
    if (!(session->flags & PERFMON_ENABLE))
        return fail(error, -ENODEV,
                    "%s: PCOUNTER is in reset: bit 28 of PMC.ENABLE (0x%06x) is 0 (the register "
                    "is 0x%08x)",
                    session->chipset->title, (unsigned)PMC_ENABLE, enable);
    driver_write32(&session->io, PMC_ENABLE, enable | REG_MASK(PMC_ENABLE, PCOUNTER));
    session->enabled_engine = true;
    return 0;
}

int perfmon_session_new(const struct tally_chipset *chipset, const struct driver_io *io,
                        unsigned flags, struct perfmon_session **out, struct tally_error *error)
{
    if (chipset->presence == TALLY_ABSENT)
        return fail(error, -ENODEV, "%s has no PCOUNTER", chipset->title);
    struct perfmon_session *session = calloc(1, sizeof *session);
    if (!session)
        return fail_memory(error, "a session");
    session->chipset = chipset;
    session->features = perfmon_features(chipset);
    session->io = *io;
    session->flags = flags;
    int result = swap_choose(session, error);
    if (!result)
        result = check_enabled(session, error);
    if (result) {
        free(session);
        return result;
    }
    session_find_units(session);
    *out = session;
    return 0;
}

static const struct counting *counting_of(const struct perfmon_session *session)
{
    return session->features->quad ? &quad_counting : &single_counting;
}

void perfmon_session_stop(struct perfmon_session *session)
{
    session_restore(session);
    session->plan = NULL;
    free(session->setup_units);
    free(session->counts);
    free(session->clocks);
    session->setup_units = NULL;
    session->counts = session->clocks = NULL;
}

void perfmon_session_free(struct perfmon_session *session)
{
    if (!session)
        return;
    perfmon_session_stop(session);
    if (session->enabled_engine)
        driver_write32(&session->io, PMC_ENABLE,
                       driver_read32(&session->io, PMC_ENABLE) & ~REG_MASK(PMC_ENABLE, PCOUNTER));
    free(session->settings);
    free(session);
}

/* ---- a pass ---------------------------------------------------------------------------------- */

/* Finds the units of the setups of the pass. */
static void find_units(struct perfmon_session *session)
{
    for (unsigned i = 0; i < session->unit_count; i++)
        session->units[i].setup = NULL;
    for (size_t i = 0; i < session->plan->setup_count; i++) {
        const struct perfmon_setup *setup = &session->plan->setups[i];
        session->setup_units[i] = ABSENT;
        if (setup->pass != session->pass)
            continue;
        struct session_unit *unit = session_unit(session, setup->domain, setup->instance);
        if (!unit)
            continue;
        unit->setup = setup;
        session->setup_units[i] = (uint32_t)(unit - session->units);
    }
}

/* Checks that each request of the pass is counted somewhere. */
static int check_requests(const struct perfmon_session *session, struct tally_error *error)
{
    const struct perfmon_plan *plan = session->plan;
    for (size_t i = 0; i < plan->placement_count; i++) {
        const struct perfmon_placement *placement = &plan->placements[i];
        bool counted = placement->pass != session->pass;
        for (uint32_t k = 0; k < placement->tap_count; k++)
            counted |= session->setup_units[plan->taps[placement->first_tap + k].setup] != ABSENT;
        if (!counted && placement->instance != ALL_INSTANCES)
            return fail(error, -ENODEV, "%s has no domain %s[%d]: it is disabled",
                        session->chipset->title, tally_domain_name(placement->domain),
                        placement->instance);
        if (!counted)
            return fail(error, -ENODEV, "%s has no domain %s: all of them are disabled",
                        session->chipset->title, tally_domain_name(placement->domain));
    }
    return 0;
}

/* ---- selectors ------------------------------------------------------------------------------- */

static struct session_setting *find_setting(struct perfmon_session *session, uint32_t address)
{
    for (size_t i = 0; i < session->setting_count; i++)
        if (session->settings[i].address == address)
            return &session->settings[i];
    struct session_setting *grown = array_grow(session->settings, &session->setting_capacity,
                                               session->setting_count, sizeof *grown);
    if (!grown)
        return NULL;
    session->settings = grown;
    struct session_setting *setting = &session->settings[session->setting_count++];
    *setting = (struct session_setting){address, driver_read32(&session->io, address), false};
    return setting;
}

/* Sets selectors. Those that are not needed any more get back their values: an enabled one can
 * drive a wire that another unit needs (PC-B.1). */
static int set_selectors(struct perfmon_session *session, const struct perfmon_setting *settings,
                         size_t count, struct tally_error *error)
{
    for (size_t i = 0; i < session->setting_count; i++)
        session->settings[i].needed = false;
    for (size_t i = 0; i < count; i++) {
        struct session_setting *setting = find_setting(session, settings[i].address);
        if (!setting)
            return fail_memory(error, "selectors");
        setting->needed = true;
    }
    for (size_t i = 0; i < session->setting_count; i++)
        if (!session->settings[i].needed)
            driver_write32(&session->io, session->settings[i].address, session->settings[i].before);
    for (size_t i = 0; i < count; i++) {
        const struct session_setting *setting = find_setting(session, settings[i].address);
        driver_write32(&session->io, settings[i].address,
                       (setting->before & ~settings[i].mask) | settings[i].value);
    }
    return 0;
}

int session_write_setting(struct perfmon_session *session, uint32_t address, uint32_t value,
                          struct tally_error *error)
{
    if (!find_setting(session, address))
        return fail_memory(error, "settings");
    driver_write32(&session->io, address, value);
    return 0;
}

/* Sets the selectors of the pass. */
static int set_pass_selectors(struct perfmon_session *session, struct tally_error *error)
{
    const struct perfmon_plan *plan = session->plan;
    size_t first = 0, end;
    while (first < plan->setting_count && plan->settings[first].pass < session->pass)
        first++;
    for (end = first; end < plan->setting_count && plan->settings[end].pass == session->pass;)
        end++;
    return set_selectors(session, first < end ? &plan->settings[first] : NULL, end - first, error);
}

static int program(struct perfmon_session *session, struct tally_error *error)
{
    const struct counting *counting = counting_of(session);
    find_units(session);
    int result = check_requests(session, error);
    if (!result)
        result = set_pass_selectors(session, error);
    for (unsigned i = 0; !result && i < session->unit_count; i++)
        if (session->units[i].setup)
            result = counting->program(session, &session->units[i], error);
    return result ? result : counting->begin(session, error);
}

static int take_plan(struct perfmon_session *session, const struct perfmon_plan *plan,
                     struct tally_error *error)
{
    if (plan == session->plan)
        return 0;
    perfmon_session_stop(session);
    session->setup_units = calloc(plan->setup_count + 1, sizeof *session->setup_units);
    session->counts = calloc(plan->placement_count + 1, sizeof *session->counts);
    session->clocks = calloc(plan->clock_count + 1, sizeof *session->clocks);
    if (!session->setup_units || !session->counts || !session->clocks)
        return fail_memory(error, "a session");
    session->plan = plan;
    return 0;
}

int perfmon_session_start(struct perfmon_session *session, const struct perfmon_plan *plan,
                          uint32_t pass, struct tally_error *error)
{
    if (plan->chipset != session->chipset)
        return fail(error, -EINVAL, "a plan for %s, expected one for %s", plan->chipset->title,
                    session->chipset->title);
    if (pass >= plan->passes)
        return fail(error, -EINVAL, "pass %u of a plan with %u passes", pass + 1, plan->passes);
    int result = take_plan(session, plan, error);
    session->pass = pass;
    if (!result)
        result = program(session, error);
    if (result)
        perfmon_session_stop(session);
    return result;
}

/* ---- without a plan -------------------------------------------------------------------------- */

int session_take_unit(struct perfmon_session *session, int domain, int instance,
                      const struct perfmon_selector *selectors, size_t count,
                      struct session_unit **out, struct tally_error *error)
{
    unsigned number = instance == ALL_INSTANCES ? 0 : (unsigned)instance;
    struct perfmon_setting *settings = calloc(count + 1, sizeof *settings);
    if (!settings)
        return fail_memory(error, "selectors");
    perfmon_session_stop(session);
    for (size_t i = 0; i < count; i++)
        settings[i] =
            (struct perfmon_setting){0, selectors[i].address + number * selectors[i].stride,
                                     selectors[i].mask, selectors[i].value & selectors[i].mask};
    struct session_unit *unit = session_unit(session, (uint8_t)domain, (uint8_t)number);
    int result = unit ? set_selectors(session, settings, count, error)
                      : fail(error, -ENODEV, "%s has no domain %s[%u]: it is disabled",
                             session->chipset->title, tally_domain_name((unsigned)domain), number);
    free(settings);
    *out = unit;
    if (result)
        perfmon_session_stop(session);
    return result;
}

int session_compile(const struct perfmon_session *session, const char *text, unsigned slot,
                    int *domain, int *instance, uint32_t *source, uint32_t *operation,
                    struct tally_error *error)
{
    struct expression expression;
    struct perfmon_function function;
    struct place_result result;
    int code = expression_parse(text, &expression, error);
    if (!code)
        code =
            expression_resolve(&expression, session->chipset, domain, instance, &function, error);
    if (code)
        return code;
    const struct perfmon_function *functions[] = {&function};
    const struct place_limits limits = {(uint8_t)(1u << slot), 1u << PCOUNTER_CTR_MODE__SIMPLE,
                                        perfmon_zero_signal(session->chipset, (unsigned)*domain)};
    if (!place_functions(&limits, UINT8_MAX, functions, 1, &result)) {
        char shown[EXPRESSION_SHOWN];
        return fail(error, -EINVAL, "\"%.60s\", expected an expression without sum()",
                    expression_shown(text, shown));
    }
    *source = result.sources[slot];
    *operation = result.operations[slot];
    return 0;
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Adds a counter of a unit to a count. */
static void add(struct perfmon_count *to, const struct session_unit *unit, uint64_t value,
                bool saturated)
{
    to->value += value;
    to->flags |= unit->flags | (saturated ? (unsigned)PERFMON_SATURATED : 0);
}

static void take_counts(struct perfmon_session *session)
{
    const struct perfmon_plan *plan = session->plan;
    for (size_t i = 0; i < plan->placement_count; i++) {
        const struct perfmon_placement *placement = &plan->placements[i];
        struct perfmon_count *count = &session->counts[i];
        bool counted = placement->pass == session->pass;
        *count = (struct perfmon_count){0, counted ? 0 : PERFMON_NOT_COUNTED};
        for (uint32_t k = 0; counted && k < placement->tap_count; k++) {
            const struct perfmon_tap *tap = &plan->taps[placement->first_tap + k];
            uint32_t number = session->setup_units[tap->setup];
            if (number == ABSENT)
                continue;
            const struct session_unit *unit = &session->units[number];
            add(count, unit, unit->counts[tap->slot], unit->saturated >> tap->slot & 1);
        }
    }
}

static void take_clocks(struct perfmon_session *session)
{
    const struct perfmon_plan *plan = session->plan;
    for (size_t i = 0; i < plan->clock_count; i++) {
        const struct perfmon_clock *clock = &plan->clocks[i];
        bool counted = clock->pass == session->pass;
        session->clocks[i] = (struct perfmon_count){0, counted ? 0 : PERFMON_NOT_COUNTED};
        for (size_t k = 0; counted && k < plan->setup_count; k++) {
            const struct perfmon_setup *setup = &plan->setups[k];
            if (session->setup_units[k] == ABSENT || setup->domain != clock->domain ||
                (clock->instance != ALL_INSTANCES && setup->instance != clock->instance))
                continue;
            const struct session_unit *unit = &session->units[session->setup_units[k]];
            add(&session->clocks[i], unit, unit->cycles, unit->saturated == UINT8_MAX);
        }
    }
}

int perfmon_session_sample(struct perfmon_session *session, struct perfmon_sample *sample,
                           struct tally_error *error)
{
    if (!session->plan)
        return fail(error, -EINVAL, "the session is not started");
    for (unsigned i = 0; i < session->unit_count; i++) {
        struct session_unit *unit = &session->units[i];
        memset(unit->counts, 0, sizeof unit->counts);
        unit->cycles = 0;
        unit->flags = unit->saturated = 0;
    }
    counting_of(session)->sample(session);
    take_counts(session);
    take_clocks(session);
    *sample = (struct perfmon_sample){.pass = session->pass,
                                      .start_ns = session->start_ns,
                                      .end_ns = session->end_ns,
                                      .counts = session->counts,
                                      .clocks = session->clocks};
    for (unsigned i = 0; i < session->unit_count; i++) {
        const struct session_unit *unit = &session->units[i];
        if (unit->setup)
            sample->flags |= unit->flags | (unit->saturated ? (unsigned)PERFMON_SATURATED : 0);
    }
    session->start_ns = session->next_ns;
    return 0;
}
