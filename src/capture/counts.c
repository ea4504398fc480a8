/* SPDX-License-Identifier: MIT */
#include "capture/counts.h"

#include <errno.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/minmax.h"
#include "base/ratio.h"
#include "recording/format.h"
#include "recording/pcounter_layouts.h"

/* How long clocks are measured: PTIMER, with steps of 32 ns, gives their frequency to 10 ppm. */
#define MEASURE_NS UINT64_C(3000000)

/* A report that counts less than this at the end of a recording says nothing. */
#define LAST_MIN_NS 1000u

/* The largest distance between two samples: half of the time in which a counter of 32 bits
 * saturates at 2 GHz. */
#define MAX_SAMPLE_NS NS_PER_SECOND

#define REPORT_BYTES_MAX 1088u

/* ---- losses ---------------------------------------------------------------------------------- */

/* What the flags of a sample mean for the ledger. */
static const struct {
    uint32_t flags;
    enum tally_loss_kind kind;
} loss_rows[] = {
    {PERFMON_SATURATED, TALLY_LOSS_OVERFLOW},
    {PERFMON_LOST | PERFMON_CHANGED, TALLY_LOSS_PERIOD},
    {PERFMON_STUCK | PERFMON_DISABLED, TALLY_LOSS_WEDGED},
};

static void note_losses(struct counts *counts, const struct perfmon_sample *sample)
{
    const struct perfmon_plan *plan = counts->counting->plan;
    for (size_t clock = 0; clock < plan->clock_count; clock++) {
        uint32_t flags = sample->clocks[clock].flags;
        /* Of a saturated signal, whose clocks need not be. */
        for (size_t i = 0; i < plan->placement_count; i++)
            if (plan->placements[i].clock == clock)
                flags |= sample->counts[i].flags;
        for (size_t row = 0; row < ARRAY_COUNT(loss_rows); row++)
            counts->lost[row][clock] += (flags & loss_rows[row].flags) != 0;
    }
}

/* Makes LEDGER records of the losses since the latest report. */
static void put_losses(struct counts *counts)
{
    for (size_t row = 0; row < ARRAY_COUNT(loss_rows); row++)
        for (size_t clock = 0; clock < counts->counting->recorded.clock_count; clock++)
            if (counts->lost[row][clock])
                ledger_put(&counts->stream.records,
                           &(struct tally_loss){.kind = loss_rows[row].kind,
                                                .records = counts->lost[row][clock],
                                                .clock = (uint32_t)clock + 1});
    memset(counts->lost, 0, sizeof counts->lost);
}

/* ---- reports --------------------------------------------------------------------------------- */

static void put_report(struct counts *counts, uint64_t ticks)
{
    uint8_t report[REPORT_BYTES_MAX];
    put_losses(counts);
    counts->ticks = ticks > counts->ticks ? ticks : counts->ticks;
    pcounter_report_store(counts->layout, report, TALLY_REASON_TIMER, counts->ticks, counts->values,
                          counts->clocks, counts->counting->recorded.count);
    record_put(&counts->stream.records, TALLY_RECORD_SAMPLE, report, counts->layout->size_bytes);
}

static void add_sample(struct counts *counts, const struct perfmon_sample *sample)
{
    const struct perfmon_plan *plan = counts->counting->plan;
    for (size_t i = 0; i < plan->placement_count; i++) {
        if (plan->placements[i].pass != sample->pass)
            continue;
        counts->values[i] += sample->counts[i].value;
        counts->clocks[i] += sample->clocks[plan->placements[i].clock].value;
    }
    note_losses(counts, sample);
}

/* ---- sampling -------------------------------------------------------------------------------- */

/* Returns the time of a pass: its part of the period. */
static uint64_t pass_ns(const struct counts *counts)
{
    uint64_t ns = counts->period_ns / counts->counting->plan->passes;
    return ns ? ns : 1;
}

/* Sets the end of the pass that begins. Ends that have passed already are left out. */
static void set_end(struct counts *counts)
{
    uint64_t now = driver_now_ns(counts->source.io), step = pass_ns(counts);
    counts->end_ns += step;
    if (counts->end_ns <= now)
        counts->end_ns += ((now - counts->end_ns) / step + 1) * step;
}

/* Sets the time of the next sample, which is not later than the end of the pass. */
static void set_due(struct counts *counts)
{
    counts->stream.due_ns =
        min_u64(counts->end_ns, driver_now_ns(counts->source.io) + MAX_SAMPLE_NS);
}

static int start_pass(struct counts *counts)
{
    const struct counts_source *source = &counts->source;
    return source->calls->start(source->self, counts->counting->plan, counts->pass,
                                &counts->stream.error);
}

/* Ends the pass with its last sample: makes a report after the last one of a rotation, and starts
 * the next. */
static int end_pass(struct counts *counts, uint64_t ticks)
{
    unsigned passes = counts->counting->plan->passes;
    counts->pass = (counts->pass + 1) % passes;
    if (!counts->pass)
        put_report(counts, ticks);
    return passes > 1 ? start_pass(counts) : 0;
}

static int take_sample(struct counts *counts, struct perfmon_sample *sample)
{
    const struct counts_source *source = &counts->source;
    return source->calls->sample(source->self, sample, &counts->stream.error);
}

static uint64_t time_ns(const struct counts *counts)
{
    return counts->source.calls->time_ns(counts->source.self);
}

/* Takes a sample, starts the next pass, and makes a report after the last one. */
static void act(struct sampled *stream)
{
    struct counts *counts = (struct counts *)stream;
    struct perfmon_sample sample;
    bool ends = counts->stream.due_ns == counts->end_ns;
    int result = take_sample(counts, &sample);
    if (result == 0) {
        add_sample(counts, &sample);
        result = ends ? end_pass(counts, sample.end_ns) : 0;
    }
    if (ends)
        set_end(counts);
    set_due(counts);
    if (result < 0)
        counts->stream.due_ns = UINT64_MAX;
}

/* Takes the last sample, early, and makes a report of it if there is only one pass. */
static void end(struct sampled *stream)
{
    struct counts *counts = (struct counts *)stream;
    struct perfmon_sample sample;
    if (counts->stream.due_ns == UINT64_MAX)
        return;
    counts->stream.due_ns = UINT64_MAX;
    if (counts->counting->plan->passes > 1 || time_ns(counts) < counts->ticks + LAST_MIN_NS)
        return;
    if (take_sample(counts, &sample) == 0) {
        add_sample(counts, &sample);
        put_report(counts, sample.end_ns);
    }
}

static void stop(struct sampled *stream)
{
    const struct counts_source *source = &((struct counts *)stream)->source;
    source->calls->stop(source->self);
}

static const struct sampled_calls counts_stream = {act, end, stop};

/* ---- start and end --------------------------------------------------------------------------- */

/* Returns how many instances a clock's count is the sum of. */
static unsigned instances_of(const struct counts_source *source, const struct perfmon_plan *plan,
                             size_t clock)
{
    unsigned count = 0;
    for (size_t i = 0; i < plan->setup_count; i++)
        count += plan->setups[i].pass == plan->clocks[clock].pass &&
                 plan->setups[i].domain == plan->clocks[clock].domain &&
                 source->calls->has(source->self, plan->setups[i].domain, plan->setups[i].instance);
    return plan->clocks[clock].instance == ALL_INSTANCES && count ? count : 1;
}

static int measure_pass(const struct counts_source *source, const struct perfmon_plan *plan,
                        unsigned pass, uint64_t *hz, struct tally_error *error)
{
    struct perfmon_sample sample;
    int result = source->calls->start(source->self, plan, pass, error);
    if (result == 0) {
        driver_sleep_ns(source->io, MEASURE_NS, false);
        result = source->calls->sample(source->self, &sample, error);
    }
    if (result == 0 && sample.end_ns <= sample.start_ns)
        return fail(error, -EIO, "PTIMER of %s does not run, which gives reports their times",
                    plan->chipset->title);
    for (size_t i = 0; result == 0 && i < plan->clock_count; i++) {
        char flags[PERFMON_FLAGS_TEXT];
        uint64_t time_ns = sample.end_ns - sample.start_ns;
        if (plan->clocks[i].pass != pass)
            continue;
        if (sample.clocks[i].flags)
            return fail(error, -EIO, "domain %s of %s cannot be counted: %s",
                        tally_domain_name(plan->clocks[i].domain), plan->chipset->title,
                        perfmon_flags_text(sample.clocks[i].flags, flags));
        if (time_ns && time_ns < NS_PER_SECOND)
            hz[i] = (uint64_t)((uint128)sample.clocks[i].value * NS_PER_SECOND / time_ns) /
                    instances_of(source, plan, i);
    }
    return result;
}

int counts_measure(const struct counts_source *source, const struct perfmon_plan *plan,
                   uint64_t *hz, struct tally_error *error)
{
    int result = 0;
    for (unsigned pass = 0; pass < plan->passes && result == 0; pass++)
        result = measure_pass(source, plan, pass, hz, error);
    return result;
}

int counts_start(struct counts *counts, const struct counts_source *source,
                 const struct counting *counting, uint64_t period_ns, struct tally_error *error)
{
    *counts = (struct counts){.stream.calls = &counts_stream,
                              .source = *source,
                              .counting = counting,
                              .layout = counting_layout(counting),
                              .period_ns = period_ns};
    int result = start_pass(counts);
    if (result < 0) {
        *error = counts->stream.error;
        return result;
    }
    put_report(counts, time_ns(counts));
    counts->end_ns = driver_now_ns(source->io);
    set_end(counts);
    set_due(counts);
    return 0;
}

/* ---- sessions -------------------------------------------------------------------------------- */

static int session_start(void *self, const struct perfmon_plan *plan, unsigned pass,
                         struct tally_error *error)
{
    return perfmon_session_start(self, plan, pass, error);
}

static int session_sample(void *self, struct perfmon_sample *sample, struct tally_error *error)
{
    return perfmon_session_sample(self, sample, error);
}

static void session_stop(void *self)
{
    perfmon_session_stop(self);
}

static uint64_t session_time_ns(void *self)
{
    return perfmon_session_time_ns(self);
}

static bool session_has(void *self, unsigned domain, unsigned instance)
{
    return perfmon_session_has(self, domain, instance);
}

struct counts_source counts_of_session(struct perfmon_session *session, const struct driver_io *io)
{
    static const struct counts_calls calls = {session_start, session_sample, session_stop,
                                              session_time_ns, session_has};
    return (struct counts_source){&calls, session, io};
}
