/* SPDX-License-Identifier: MIT */
/* Injects faults. Those at times are injected between two runs of the GPU, those at reports during
 * a run. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/minmax.h"
#include "base/ratio.h"
#include "emulation/emulation.h"
#include "emulation/faults/script.h"

#define LINE_BYTES      64
#define TIMESTAMP_AT    4 /* in a report's first line, 32 bits of it */
#define TIMESTAMP_TICKS (UINT64_C(1) << 36)

/* The progress of a fault. */
struct progress {
    uint64_t done; /* number of times that it has happened */
    uint64_t due;  /* when it happens next, from fault_when() */
    uint64_t seen; /* number of matching calls */
};

/* A cache line of a late report, not yet written to memory. */
struct late {
    uint64_t report;
    uint32_t space, stamp; /* of the report, ticks */
    uint64_t address, duration_ns;
    uint64_t due_ns; /* 0: not computed yet */
    uint8_t bytes[LINE_BYTES];
};

struct faults {
    const struct faults_script *script;
    struct tally_gpu *gpu;
    struct emulation *emulation;
    struct progress *progress;
    uint64_t happened[FAULT_KINDS];

    bool begun;
    uint64_t origin_ns;
    uint64_t next_ns;     /* when the next action is due; invalid if stale */
    uint64_t next_report; /* number of the first report that a fault waits for */
    bool stale;

    /* Faults in progress. */
    uint64_t awake_ns, switch_back_ns; /* end of rc6 and switch; 0: not active */
    uint64_t lose_next;                /* number of next reports to lose */
    bool lose_to_timer;                /* lose reports up to and including the next timer report */
    bool hold_next, holds;
    uint64_t held_report, hold_ns; /* number and delay of the late report; 0: it never lands */
    struct late *late;
    size_t late_count, late_capacity;
};

static void advance(struct faults *faults, size_t index)
{
    struct progress *progress = &faults->progress[index];
    progress->due = fault_when(faults->script, index, ++progress->done);
    faults->happened[faults->script->faults[index].kind]++;
    faults->stale = true;
}

/* ---- late reports ---------------------------------------------------------------------------- */

static void land(struct faults *faults, const struct late *late)
{
    /* The write fails if the buffer was freed meanwhile; then the line is lost. */
    faults->emulation->driver->write(faults->emulation, late->space, late->address, late->bytes,
                                     LINE_BYTES);
}

/* Returns the time at which a late line lands. During a run, the GPU's clock has the time at which
 * the run started; so this is computed after the run, from the report's timestamp. */
static uint64_t landing_ns(const struct faults *faults, const struct late *late)
{
    uint64_t ticks = 0, now = tally_gpu_now_ns(faults->gpu);
    tally_oa_peek(tally_gpu_oa(faults->gpu), "timestamp", &ticks);
    uint64_t age = scale_u64((uint32_t)(ticks - late->stamp), NS_PER_SECOND,
                             tally_gpu_timestamp_hz(faults->gpu));
    return age < late->duration_ns ? now + (late->duration_ns - age) : now;
}

static void land_due(struct faults *faults)
{
    uint64_t now = tally_gpu_now_ns(faults->gpu);
    size_t kept = 0;
    for (size_t i = 0; i < faults->late_count; i++) {
        if (faults->late[i].due_ns <= now)
            land(faults, &faults->late[i]);
        else
            faults->late[kept++] = faults->late[i];
    }
    faults->late_count = kept;
}

static bool hold(void *closure, uint64_t report, uint32_t space, uint64_t address,
                 const uint8_t *line, size_t bytes)
{
    struct faults *faults = closure;
    if (!faults->holds || report != faults->held_report || bytes != LINE_BYTES)
        return false;
    if (!faults->hold_ns)
        return true;
    struct late *late =
        array_grow(faults->late, &faults->late_capacity, faults->late_count, sizeof *late);
    if (!late)
        return false;
    faults->late = late;
    late += faults->late_count++;
    bool first = faults->late_count == 1 || late[-1].report != report;
    *late = (struct late){.report = report,
                          .space = space,
                          .stamp = first ? load_le32(line + TIMESTAMP_AT) : late[-1].stamp,
                          .address = address,
                          .duration_ns = faults->hold_ns};
    memcpy(late->bytes, line, bytes);
    faults->stale = true;
    return true;
}

/* ---- reports --------------------------------------------------------------------------------- */

static void hold_report(struct faults *faults, const struct fault *fault, uint64_t report)
{
    faults->holds = true;
    faults->held_report = report;
    faults->hold_ns = fault->duration_ns;
}

/* Starts the faults that wait for this report. Returns true if it is lost. */
static bool start_at_report(struct faults *faults, uint64_t report)
{
    bool lost = false;
    faults->next_report = UINT64_MAX;
    for (size_t i = 0; i < faults->script->count; i++) {
        const struct fault *fault = &faults->script->faults[i];
        if (fault->trigger != ON_REPORT)
            continue;
        if (faults->progress[i].due <= report) {
            if (fault->kind == FAULT_DROP)
                lost = true;
            else
                hold_report(faults, fault, report);
            advance(faults, i);
        }
        faults->next_report = min_u64(faults->next_report, faults->progress[i].due);
    }
    return lost;
}

static bool sample(void *closure, uint64_t report, bool timer)
{
    struct faults *faults = closure;
    bool lost = report >= faults->next_report && start_at_report(faults, report);
    if (faults->lose_to_timer) {
        faults->lose_to_timer = !timer;
        lost = true;
    } else if (!lost && faults->lose_next) {
        faults->lose_next--;
        lost = true;
    }
    if (!lost && faults->hold_next) {
        faults->hold_next = false;
        faults->held_report = report;
        faults->holds = true;
    }
    return !lost;
}

/* ---- times ----------------------------------------------------------------------------------- */

/* Sets a counter so that it wraps after `margin` more counts. Loses the next timer report, so that
 * no delta in state OK contains the change. */
static void wrap(struct faults *faults, const struct fault *fault)
{
    struct tally_oa *unit = tally_gpu_oa(faults->gpu);
    uint64_t max = 0;
    tally_oa_poke(unit, fault->counter, UINT64_MAX);
    tally_oa_peek(unit, fault->counter, &max);
    tally_oa_poke(unit, fault->counter, max - (fault->margin - 1));
    faults->lose_to_timer = true;
}

static void skew(struct faults *faults, uint64_t ticks)
{
    struct tally_oa *unit = tally_gpu_oa(faults->gpu);
    uint64_t now = 0;
    tally_oa_peek(unit, "timestamp", &now);
    tally_oa_poke(unit, "timestamp", (now + ticks) % TIMESTAMP_TICKS);
}

static void start(struct faults *faults, const struct fault *fault, uint64_t now)
{
    switch ((enum fault_kind)fault->kind) {
    case FAULT_OVERFLOW:
        tally_gpu_overflow(faults->gpu);
        break;
    case FAULT_DROP:
        faults->lose_next++;
        break;
    case FAULT_ZERO:
        faults->hold_next = true;
        faults->hold_ns = fault->duration_ns;
        break;
    case FAULT_WRAP:
        wrap(faults, fault);
        break;
    case FAULT_SWITCH:
        tally_gpu_intrude(faults->gpu, fault->context);
        faults->switch_back_ns = now + fault->duration_ns;
        break;
    case FAULT_SKEW:
        skew(faults, fault->ticks);
        break;
    case FAULT_RC6:
        tally_gpu_lose_wake(faults->gpu, true);
        if (faults->awake_ns < now + fault->duration_ns)
            faults->awake_ns = now + fault->duration_ns;
        break;
    case FAULT_FAIL:
    case FAULT_DISK_FULL:
    case FAULT_SWAP: /* checked by check() */
    case FAULT_WEDGE:
    case FAULT_STALL:
    case FAULT_KINDS:
        break;
    }
}

static void end_due(struct faults *faults, uint64_t now)
{
    if (faults->awake_ns && faults->awake_ns <= now) {
        faults->awake_ns = 0;
        tally_gpu_lose_wake(faults->gpu, false);
    }
    if (faults->switch_back_ns && faults->switch_back_ns <= now) {
        faults->switch_back_ns = 0;
        tally_gpu_end_intrusion(faults->gpu);
    }
}

/* Performs everything that is due at the GPU's current time. */
static void act(void *closure)
{
    struct faults *faults = closure;
    uint64_t now = tally_gpu_now_ns(faults->gpu);
    faults->stale = true;
    land_due(faults);
    end_due(faults, now);
    for (size_t i = 0; faults->begun && i < faults->script->count; i++) {
        const struct fault *fault = &faults->script->faults[i];
        while (fault->trigger == ON_TIME && faults->progress[i].due <= now - faults->origin_ns) {
            start(faults, fault, now);
            advance(faults, i);
        }
    }
}

static uint64_t find_next(struct faults *faults)
{
    uint64_t next = UINT64_MAX;
    for (size_t i = 0; faults->begun && i < faults->script->count; i++)
        if (faults->script->faults[i].trigger == ON_TIME &&
            faults->progress[i].due < UINT64_MAX - faults->origin_ns)
            next = min_u64(next, faults->origin_ns + faults->progress[i].due);
    for (size_t i = 0; i < faults->late_count; i++) {
        struct late *late = &faults->late[i];
        if (!late->due_ns)
            late->due_ns = landing_ns(faults, late);
        next = min_u64(next, late->due_ns);
    }
    if (faults->awake_ns)
        next = min_u64(next, faults->awake_ns);
    return faults->switch_back_ns ? min_u64(next, faults->switch_back_ns) : next;
}

static uint64_t next_ns(void *closure)
{
    struct faults *faults = closure;
    if (faults->stale) {
        faults->next_ns = find_next(faults);
        faults->stale = false;
    }
    return faults->next_ns;
}

/* ---- calls ----------------------------------------------------------------------------------- */

int faults_call(struct faults *faults, uint32_t request)
{
    int result = 0;
    for (size_t i = 0; faults && i < faults->script->count; i++) {
        const struct fault *fault = &faults->script->faults[i];
        if (fault->trigger != ON_CALL || !fault_same_call(fault->request, request))
            continue;
        if (++faults->progress[i].seen < faults->progress[i].due)
            continue;
        advance(faults, i);
        result = result ? result : -fault->code;
    }
    return result;
}

void faults_called(struct faults *faults, uint32_t request, int64_t result)
{
    bool opens = fault_same_call(request, DRM_IOCTL_I915_PERF_OPEN) ||
                 fault_same_call(request, I915_PERF_IOCTL_ENABLE);
    if (opens && result >= 0)
        faults_begin(faults);
}

void faults_begin(struct faults *faults)
{
    if (!faults || faults->begun)
        return;
    faults->begun = true;
    faults->origin_ns = tally_gpu_now_ns(faults->gpu);
    faults->stale = true;
}

/* ---- binding --------------------------------------------------------------------------------- */

static int check(const struct faults *faults, struct tally_error *error)
{
    uint64_t value;
    for (size_t i = 0; i < faults->script->count; i++) {
        const struct fault *fault = &faults->script->faults[i];
        if (fault_is_nvidia(fault->kind))
            return fail(error, -EINVAL,
                        "%s:%u: %s is a fault of NVIDIA's GPUs, and this GPU is not one",
                        faults->script->file, fault->line, faults_kind_name(fault->kind));
        if (fault->kind == FAULT_WRAP &&
            tally_oa_peek(tally_gpu_oa(faults->gpu), fault->counter, &value) < 0)
            return fail(error, -EINVAL, "%s:%u: this GPU has no counter %s", faults->script->file,
                        fault->line, fault->counter);
        if (fault->trigger == ON_CALL && !faults->emulation->device)
            return fail(error, -EINVAL,
                        "%s:%u: no call can fail, because this GPU is used without a kernel driver",
                        faults->script->file, fault->line);
    }
    return 0;
}

int faults_bind(const struct faults_script *script, struct emulation *emulation,
                struct faults **out, struct tally_error *error)
{
    struct tally_gpu *gpu = emulation->gpu;
    struct faults *faults = calloc(1, sizeof *faults);
    if (!faults)
        return fail_memory(error, "faults");
    *faults = (struct faults){.script = script, .gpu = gpu, .emulation = emulation, .stale = true};
    faults->progress = calloc(script->count ? script->count : 1, sizeof *faults->progress);
    int result = faults->progress ? check(faults, error) : fail_memory(error, "faults");
    if (result < 0) {
        free(faults->progress);
        free(faults);
        return result;
    }
    for (size_t i = 0; i < script->count; i++)
        faults->progress[i].due = fault_when(script, i, 0);
    tally_gpu_set_faults(gpu, &(struct tally_gpu_faults){sample, hold, faults});
    emulation->next_ns = next_ns;
    emulation->act = act;
    emulation->act_closure = faults;
    *out = faults;
    return 0;
}

void faults_free(struct faults *faults)
{
    if (!faults)
        return;
    end_due(faults, UINT64_MAX);
    tally_gpu_set_faults(faults->gpu, &(struct tally_gpu_faults){0});
    faults->emulation->act = NULL;
    free(faults->late);
    free(faults->progress);
    free(faults);
}

uint64_t faults_happened(const struct faults *faults, unsigned kind)
{
    return kind < FAULT_KINDS ? faults->happened[kind] : 0;
}
