/* SPDX-License-Identifier: MIT */
#include "driver/perfmon/histogram.h"

#include <errno.h>

#include "base/bits.h"
#include "base/error.h"
#include "driver/perfmon/session.h"

#define ALWAYS "1"
#define NEVER  0u /* a logic operation */

struct run {
    struct perfmon_session *session;
    struct session_unit *unit;
    const struct perfmon_histogram_options *options;
    uint32_t sources[SLOTS], operations[SLOTS];
};

/* ---- expressions ----------------------------------------------------------------------------- */

/* Finds the registers of the four inputs, all of one domain. Those that name signals decide on it.
 */
static int compile(struct run *run, int *domain, int *instance, struct tally_error *error)
{
    const struct perfmon_histogram_options *options = run->options;
    const char *texts[SLOTS] = {[SLOT_PRE] = options->pre ? options->pre : ALWAYS,
                                [SLOT_START] = options->start,
                                [SLOT_EVENT] = options->event,
                                [SLOT_STOP] = options->stop};
    static const unsigned order[SLOTS] = {SLOT_START, SLOT_STOP, SLOT_EVENT, SLOT_PRE};
    int result = 0;
    for (unsigned i = 0; !result && i < SLOTS; i++)
        result = session_compile(run->session, texts[order[i]], order[i], domain, instance,
                                 &run->sources[order[i]], &run->operations[order[i]], error);
    return result;
}

static int check_options(const struct perfmon_session *session,
                         const struct perfmon_histogram_options *options,
                         const uint64_t *thresholds, size_t count, struct tally_error *error)
{
    unsigned width = session->features->counter_width;
    if (!options->periods)
        return fail(error, -EINVAL, "0 periods, expected at least 1");
    for (size_t i = 0; i < count; i++)
        if (thresholds[i] > low_bits(width))
            return fail(error, -EINVAL, "threshold %llu, expected at most %u bits on %s",
                        (unsigned long long)thresholds[i], width, session->chipset->title);
    return 0;
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* Programs the counting process and starts it. Every write but the last ends an earlier one. */
static void program(const struct run *run, uint64_t threshold, uint32_t start_operation)
{
    const struct perfmon_session *session = run->session;
    struct session_unit *unit = run->unit;
    unit_set_mode(session, unit, unit->control->single, PCOUNTER_CTR_MODE__SIMPLE,
                  unit->control->event_period,
                  perfmon_put(unit->control->event_period, PCOUNTER_EVENT_CTR_PERIOD__ONE));
    unit_write(session, unit, REG_SINGLE_ABORT_TRIGGER,
               REG_MASK(GF100_SINGLE_ABORT_TRIGGER, ABORT));
    unit_write(session, unit, REG_THRESHOLD, (uint32_t)threshold);
    unit_write(session, unit, REG_THRESHOLD_HI, (uint32_t)(threshold >> 32));
    unit_write(session, unit, REG_CTR_PRE, run->options->pre ? run->options->pre_count : 0);
    unit_write(session, unit, REG_CTR_STOP, run->options->periods - 1);
    /* Delayed signals take a clock to be those that are selected; so does the abort. Writing PRE_OP
     * starts, up to GT21x. */
    for (unsigned slot = 0; slot < SLOTS; slot++)
        unit_write(session, unit, perfmon_source(slot), run->sources[slot]);
    for (unsigned slot = SLOTS; slot-- > SLOT_START;)
        unit_write(session, unit, perfmon_operation(slot),
                   slot == SLOT_START ? start_operation : run->operations[slot]);
    driver_sleep_ns(&session->io, WAIT_STEP_NS, false);
    unit_write(session, unit, REG_PRE_OP, run->operations[SLOT_PRE]);
    unit_write(session, unit, REG_SINGLE_BEGIN_TRIGGER,
               REG_MASK(GF100_SINGLE_BEGIN_TRIGGER, BEGIN));
}

/* Whether the process is inactive, or something is wrong with the domain, as its flags say. */
static bool is_inactive(const struct run *run)
{
    uint32_t ctrl = unit_check(run->session, run->unit);
    uint32_t state = perfmon_get(run->unit->control->single_state, ctrl);
    return run->unit->flags || state == PCOUNTER_SINGLE_STATE__INACTIVE;
}

/* Whether the domain starts a process at all: one that has no period and so does not end. A short
 * one may have ended before its state is read, and looks as if it had not begun. */
static bool can_start(const struct run *run)
{
    program(run, 0, NEVER);
    for (unsigned i = 0; i < WAIT_STEPS; i++) {
        driver_sleep_ns(&run->session->io, WAIT_STEP_NS, false);
        if (!is_inactive(run))
            return true;
        if (run->unit->flags)
            return false;
    }
    run->unit->flags |= PERFMON_STUCK;
    return false;
}

/* Waits for the end. Returns whether it has come. A signal ends the wait. */
static bool wait_end(const struct run *run)
{
    const struct perfmon_session *session = run->session;
    uint64_t start = driver_now_ns(&session->io), step = WAIT_STEP_NS;
    driver_sleep_ns(&session->io, WAIT_STEP_NS, false); /* it has begun */
    for (;;) {
        if (is_inactive(run))
            return !run->unit->flags;
        if (driver_now_ns(&session->io) - start >= run->options->timeout_ns)
            return false;
        if (driver_sleep_ns(&session->io, step, true) < 0)
            return false;
        step = step < run->options->timeout_ns / 64 ? 2 * step : step;
    }
}

static uint64_t read_counter(const struct run *run, enum register_id low, enum register_id high)
{
    uint64_t value = unit_read(run->session, run->unit, low);
    if (run->unit->addresses[high])
        value |= (uint64_t)unit_read(run->session, run->unit, high) << 32;
    return value;
}

/* Ends the process if it is still running; the counters keep their values. */
static void finish(const struct run *run)
{
    unit_write(run->session, run->unit, REG_SINGLE_ABORT_TRIGGER,
               REG_MASK(GF100_SINGLE_ABORT_TRIGGER, ABORT));
    if (!run->unit->addresses[REG_SINGLE_ABORT_TRIGGER])
        unit_write(run->session, run->unit, REG_START_OP, run->operations[SLOT_START]);
    driver_sleep_ns(&run->session->io, WAIT_STEP_NS, false);
}

static void take_bin(const struct run *run, uint64_t threshold, struct perfmon_bin *bin)
{
    *bin = (struct perfmon_bin){.threshold = threshold};
    run->unit->flags = 0;
    if (!can_start(run)) {
        bin->flags = run->unit->flags;
        return;
    }
    program(run, threshold, run->operations[SLOT_START]);
    bool ended = wait_end(run);
    finish(run);
    if (run->unit->flags) {
        bin->flags = run->unit->flags;
        return;
    }
    /* Counts down to 0 in the last period, and stays there when that ends. */
    uint32_t left = unit_read(run->session, run->unit, REG_CTR_STOP);
    if (ended && left)
        bin->flags = PERFMON_CHANGED; /* something else ended it */
    else if (!ended)
        bin->flags = PERFMON_STUCK;
    bin->periods = (uint64_t)run->options->periods - (bin->flags ? left + UINT64_C(1) : 0);
    bin->reached = read_counter(run, REG_CTR_START, REG_CTR_START_HI);
    bin->last_events = read_counter(run, REG_CTR_EVENT, REG_CTR_EVENT_HI);
    bin->last_cycles = read_counter(run, REG_CTR_CYCLES, REG_CTR_CYCLES_HI);
}

int perfmon_histogram(struct perfmon_session *session,
                      const struct perfmon_histogram_options *options, const uint64_t *thresholds,
                      size_t count, struct perfmon_bin *bins, struct tally_error *error)
{
    struct run run = {.session = session, .options = options};
    int domain = options->domain, instance = options->instance;
    int result = check_options(session, options, thresholds, count, error);
    if (!result)
        result = compile(&run, &domain, &instance, error);
    if (!result)
        result = session_take_unit(session, domain, instance, options->selectors,
                                   options->selector_count, &run.unit, error);
    if (result)
        return result;
    for (size_t i = 0; i < count; i++)
        take_bin(&run, thresholds[i], &bins[i]);
    perfmon_session_stop(session);
    return 0;
}
