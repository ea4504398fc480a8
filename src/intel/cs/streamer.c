/* SPDX-License-Identifier: MIT */
/* Fetches commands from submissions, rings and batches, and runs them. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/minmax.h"
#include "intel/cs/registers.h"
#include "intel/cs/step.h"
#include "intel/platforms.h"
#include "intel/skus.h"

#define RING_ENABLE     REG_MASK(RING_CTL, RING_ENABLE)
#define HEAD_OFFSET     REG_MASK(RING_HEAD, HEAD_OFFSET)
#define HEAD_WRAP       REG_PUT(RING_HEAD, WRAP_COUNT, 1) /* increment of the wrap count */
#define PAGE_BYTES      4096u
#define RING_SIZE_MAX   (512 * PAGE_BYTES)
#define SWITCH_CLOCKS   64 /* duration of a context switch */
#define COMPLETE_CLOCKS 8

int streamer_init(struct streamer *streamer, const struct tally_platform *platform,
                  enum cs_engine_id engine)
{
    const struct intel_platform *row = cs_supports(platform) ? intel_platform_of(platform) : NULL;
    if (!row || !cs_engine(row->revision, engine))
        return -ENODEV;
    memset(streamer, 0, sizeof *streamer);
    streamer->platform = row;
    streamer->engine = cs_engine(row->revision, engine);
    streamer->version = platform->version;
    streamer->slices = intel_sku_common(platform)->info.slices;
    streamer->arbitration = true;
    cs_registers_init(streamer);
    return 0;
}

void streamer_reset(struct streamer *streamer)
{
    struct streamer fresh = {
        .platform = streamer->platform,
        .engine = streamer->engine,
        .version = streamer->version,
        .slices = streamer->slices,
        .id_quirk = streamer->id_quirk,
        .arbitration = true,
    };
    memcpy(fresh.own, streamer->own, sizeof fresh.own);
    *streamer = fresh;
}

static enum cs_class class_of(const struct streamer *streamer)
{
    return (enum cs_class)streamer->engine->engine_class;
}

/* ---- the ring -------------------------------------------------------------------------------- */

static uint32_t ring_size(const struct streamer *streamer)
{
    return (REG_GET(RING_CTL, PAGES, streamer->ring_ctl) + 1) * PAGE_BYTES;
}

static uint32_t ring_offset(const struct streamer *streamer)
{
    return (streamer->ring_head & HEAD_OFFSET) % ring_size(streamer);
}

static bool ring_empty(const struct streamer *streamer)
{
    return ring_offset(streamer) == streamer->ring_tail % ring_size(streamer);
}

static void ring_advance(struct streamer *streamer, uint32_t dwords)
{
    uint64_t offset = ring_offset(streamer) + UINT64_C(4) * dwords;
    uint32_t wraps = (uint32_t)(offset / ring_size(streamer));
    streamer->ring_head = ((streamer->ring_head & ~(HEAD_WRAP - 1)) + wraps * HEAD_WRAP) |
                          (uint32_t)(offset % ring_size(streamer));
}

/* ---- one command ----------------------------------------------------------------------------- */

uint64_t step_mask(const struct streamer *streamer)
{
    return low_bits(streamer->platform->wide_addresses ? 48 : 32);
}

uint64_t step_address(const struct step *step, uint32_t n)
{
    const struct streamer *streamer = step->streamer;
    if (streamer->level == STREAMER_RING) /* addresses of the GGTT have 32 bits */
        return streamer->ring_start + (ring_offset(streamer) + 4 * n) % ring_size(streamer);
    return (step->place.address + UINT64_C(4) * n) & step_mask(streamer);
}

bool step_dword(struct step *step, uint32_t n, uint32_t *out)
{
    if (n < step->count) {
        *out = step->dwords[n];
        return true;
    }
    return step_read(step, step->place.space, step_address(step, n), out);
}

uint64_t step_operand(const struct step *step, enum cs_operand operand)
{
    const struct cs_field *field =
        cs_field_find(step->command->fields, step->streamer->version, operand);
    return field ? cs_field_get(field, step->dwords, step->count) : 0;
}

enum step_result step_fault(struct step *step, enum streamer_fault fault, uint32_t dword)
{
    struct streamer *streamer = step->streamer;
    streamer->fault = (uint8_t)fault;
    streamer->fault_place = step->place;
    streamer->fault_dword = dword;
    streamer->fault_length = step->length;
    return STEP_FAULT;
}

void step_advance(struct step *step)
{
    struct streamer *streamer = step->streamer;
    if (streamer->level == STREAMER_RING)
        ring_advance(streamer, step->length);
    else
        streamer->batch[streamer->level - STREAMER_BATCH].address =
            step_address(step, step->length);
}

static struct streamer_place next_place(const struct streamer *streamer)
{
    if (streamer->level != STREAMER_RING)
        return streamer_batch(streamer, streamer->level);
    return (struct streamer_place){streamer->ring_start + ring_offset(streamer), STREAMER_GGTT,
                                   true};
}

/* Fetches the dwords behind the first one, all at once if they are consecutive. */
static bool fetch_rest(struct step *step)
{
    const struct streamer_callbacks *callbacks = step->callbacks;
    uint32_t end = (uint32_t)min_u64(step->length, STEP_DWORDS), rest = end - step->count;
    uint64_t at = step_address(step, step->count);
    if (rest > 1 && callbacks->read &&
        step_address(step, end - 1) == at + UINT64_C(4) * (rest - 1) &&
        callbacks->read(callbacks->closure, step->place.space, at & ~UINT64_C(3),
                        step->dwords + step->count, rest))
        step->count = end;
    for (; step->count < end; step->count++)
        if (!step_dword(step, step->count, &step->dwords[step->count]))
            return false;
    return true;
}

static bool fetch(struct step *step)
{
    struct streamer *streamer = step->streamer;
    streamer->acthd = step->place.address;
    if (!step_dword(step, 0, &step->dwords[0]))
        return false;
    streamer->ipehr = step->dwords[0];
    step->count = step->length = 1;
    step->command = cs_find(streamer->version, class_of(streamer), step->dwords[0]);
    if (!step->command) {
        step_fault(step, STREAMER_UNKNOWN, step->dwords[0]);
        return false;
    }
    step->length = cs_length(step->command, step->dwords[0]);
    if (step->length < step->command->min_dwords || step->length > step->command->max_dwords) {
        step_fault(step, STREAMER_LENGTH, step->dwords[0]);
        return false;
    }
    return fetch_rest(step);
}

/* Whether a command in an unprivileged batch is illegal and executed as a NOOP. */
static bool is_illegal(const struct step *step)
{
    if (step->place.privileged)
        return false;
    switch (step->command->privilege) {
    case CS_PRIVILEGED:
        return true;
    case CS_PPGTT_ONLY:
        return step_operand(step, CS_GGTT) || step_operand(step, CS_GGTT_SOURCE) ||
               (step->command->action == CS_BATCH_START && !step_operand(step, CS_PPGTT));
    default:
        return false;
    }
}

static enum step_result run_command(struct step *step)
{
    struct streamer *streamer = step->streamer;
    if (streamer->predicated && step->command->action != CS_SET_PREDICATE) {
        streamer->noops++;
        return STEP_DONE;
    }
    if (!is_illegal(step))
        return step_execute(step);
    streamer->illegal++;
    if (step->command->action == CS_REPORT && streamer->platform->corrupts_report_id) {
        streamer->next_id_corrupt = true;
        streamer->corrupt_id = (uint32_t)step_operand(step, CS_ID);
    }
    return STEP_DONE;
}

static uint32_t cost(const struct step *step)
{
    const struct cs_command *command = step->command;
    uint32_t groups =
        command->group_size ? (step->length - command->group_at) / command->group_size : 0;
    return command->clocks + groups * command->group_clocks;
}

/* ---- submissions ----------------------------------------------------------------------------- */

static void load_submission(struct streamer *streamer, const struct streamer_callbacks *callbacks)
{
    struct streamer_submission next = streamer->pending[0];
    streamer->pending_count--;
    memmove(streamer->pending, streamer->pending + 1,
            streamer->pending_count * sizeof streamer->pending[0]);
    streamer->running = true;
    streamer->context_id = next.id;
    streamer->ppgtt = next.ppgtt;
    streamer->predicated = false; /* each context has its own */
    streamer->mi_mode = 0;
    streamer->at_point = streamer->at_noop = false;
    streamer->has_ring = next.ring_size != 0;
    streamer->has_batch = !streamer->has_ring;
    streamer->level = streamer->has_ring ? STREAMER_RING : STREAMER_BATCH;
    if (streamer->has_ring) {
        streamer->ring_start = next.ring_start;
        streamer->ring_head = next.ring_head;
        streamer->ring_tail = next.ring_tail;
        streamer->ring_ctl = (next.ring_size - PAGE_BYTES) | RING_ENABLE;
    } else {
        streamer->batch[0] = next.batch;
        streamer->batch[0].address &= step_mask(streamer) & ~UINT64_C(3);
    }
    if (callbacks->context_switch)
        callbacks->context_switch(callbacks->closure, true, next.id);
}

static void end_submission(struct streamer *streamer, const struct streamer_callbacks *callbacks)
{
    streamer->running = false;
    if (streamer->has_ring)
        streamer->ring_ctl &= ~RING_ENABLE;
    if (callbacks->complete)
        callbacks->complete(callbacks->closure, streamer->context_id,
                            streamer->has_ring ? ring_offset(streamer) : 0);
    if (!streamer->pending_count && callbacks->context_switch)
        callbacks->context_switch(callbacks->closure, false, streamer->context_id);
}

bool streamer_can_suspend(const struct streamer *streamer)
{
    return streamer->running && streamer->has_ring && !streamer->fault && streamer->arbitration &&
           streamer->at_point && streamer->level != STREAMER_THIRD &&
           !(streamer->level == STREAMER_RING && ring_empty(streamer));
}

void streamer_suspend(struct streamer *streamer)
{
    streamer->running = false;
    streamer->ring_ctl &= ~RING_ENABLE;
    streamer->pending_count = 0;
    streamer->level = STREAMER_RING;
    streamer->has_batch = false;
    streamer->flushing = false;
    streamer->at_point = streamer->at_noop = false;
}

uint32_t streamer_head(const struct streamer *streamer)
{
    return ring_offset(streamer);
}

static bool same_ring(const struct streamer_submission *a, const struct streamer_submission *b)
{
    return a->id == b->id && a->ppgtt == b->ppgtt && a->ring_start == b->ring_start &&
           a->ring_size == b->ring_size;
}

int streamer_submit(struct streamer *streamer, const struct streamer_submission *submission)
{
    uint32_t size = submission->ring_size;
    if (size % PAGE_BYTES || size > RING_SIZE_MAX ||
        (size && (submission->ring_head >= size || submission->ring_tail >= size ||
                  submission->ring_head % 4 || submission->ring_tail % 8 ||
                  submission->ring_start % PAGE_BYTES)))
        return -EINVAL;
    if (!streamer->running && streamer->ring_ctl & RING_ENABLE)
        return -EBUSY; /* a ring enabled through registers is in use */
    struct streamer_submission running = {
        .id = streamer->context_id,
        .ppgtt = streamer->ppgtt,
        .ring_start = streamer->ring_start,
        .ring_size = streamer->has_ring ? ring_size(streamer) : 0,
    };
    struct streamer_submission *last =
        streamer->pending_count ? &streamer->pending[streamer->pending_count - 1] : NULL;
    if (last && size && same_ring(last, submission)) {
        last->ring_tail = submission->ring_tail;
        return 0;
    }
    if (!last && size && streamer->running && same_ring(&running, submission)) {
        streamer->ring_tail = submission->ring_tail;
        return 0;
    }
    if (streamer->pending_count == STREAMER_PORTS)
        return -EBUSY;
    streamer->pending[streamer->pending_count++] = *submission;
    return 0;
}

void streamer_reject(struct streamer *streamer, uint64_t image, uint32_t dword)
{
    streamer->fault = STREAMER_NO_RING;
    streamer->fault_place = (struct streamer_place){image, STREAMER_GGTT, true};
    streamer->fault_dword = dword;
}

/* ---- time ------------------------------------------------------------------------------------ */

/*
 * Handles submissions between two commands of the ring: ends the running one if it is done, starts
 * the next one, or finds the streamer idle. Returns false if there is a command to execute.
 */
static bool switch_submission(struct streamer *streamer, const struct streamer_callbacks *callbacks,
                              enum streamer_status *status, uint32_t *clocks)
{
    bool empty = ring_empty(streamer);
    if (streamer->running && (!streamer->has_ring || empty)) {
        *clocks = COMPLETE_CLOCKS;
        *status = STREAMER_WAITS;
        if (callbacks->busy && callbacks->busy(callbacks->closure))
            return true; /* a context ends when its work is done */
        end_submission(streamer, callbacks);
        *status = STREAMER_ENDED;
        return true;
    }
    if (!streamer->running && streamer->pending_count) {
        load_submission(streamer, callbacks);
        streamer->activity = STREAMER_SWITCHES;
        *clocks = SWITCH_CLOCKS;
        *status = STREAMER_RAN;
        return true;
    }
    *status = STREAMER_IDLE;
    return !streamer->running && (empty || !(streamer->ring_ctl & RING_ENABLE));
}

/* Whether the context may be preempted now (OA-12.8): after MI_ARB_CHECK and commands whose work
 * can be interrupted, and where a command waits for a semaphore, an event, or draws before it. */
static bool is_point(const struct step *step, enum step_result result)
{
    if (result == STEP_WAITS)
        return step->streamer->activity == STREAMER_STALLS ||
               step->command->action == CS_PIPE_CONTROL;
    switch (step->command->action) {
    case CS_ARBITRATION_CHECK:
    case CS_PRIMITIVE:
    case CS_GPGPU:
    case CS_MEDIA:
        return true;
    default:
        return false;
    }
}

enum streamer_status streamer_step(struct streamer *streamer,
                                   const struct streamer_callbacks *callbacks, uint32_t *clocks)
{
    struct step step = {.streamer = streamer, .callbacks = callbacks};
    enum streamer_status status;
    *clocks = 0;
    if (streamer->fault)
        return STREAMER_STOPPED;
    if (streamer->stopped)
        return STREAMER_IDLE;
    streamer->activity = STREAMER_EXECUTES;
    if (streamer->level == STREAMER_RING && switch_submission(streamer, callbacks, &status, clocks))
        return status;
    streamer->at_point = streamer->at_noop = false;
    step.place = next_place(streamer);
    if (!fetch(&step))
        return STREAMER_STOPPED;
    enum step_result result = run_command(&step);
    streamer->at_point = !streamer->predicated && is_point(&step, result);
    switch (result) {
    case STEP_FAULT:
        return STREAMER_STOPPED;
    case STEP_WAITS:
        *clocks = step.command->clocks;
        return STREAMER_WAITS;
    default:
        break;
    }
    if (!step.jumped)
        step_advance(&step);
    streamer->executed++;
    streamer->at_noop =
        step.dwords[0] == MI_NOOP && streamer->level != STREAMER_RING && !streamer->predicated;
    *clocks = cost(&step);
    return STREAMER_RAN;
}

void streamer_add_noops(struct streamer *streamer, int64_t count)
{
    struct streamer_place *next = &streamer->batch[streamer->level - STREAMER_BATCH];
    uint64_t mask = step_mask(streamer), bytes = UINT64_C(4) * (uint64_t)count;
    next->address = (next->address + bytes) & mask;
    streamer->acthd = (streamer->acthd + bytes) & mask;
    streamer->executed += (uint64_t)count;
}

bool streamer_is_idle(const struct streamer *streamer)
{
    if (streamer->stopped && !streamer->fault)
        return true;
    if (streamer->running || streamer->pending_count || streamer->fault ||
        streamer->level != STREAMER_RING)
        return false;
    return !(streamer->ring_ctl & RING_ENABLE) || ring_empty(streamer);
}

/* ---- faults ---------------------------------------------------------------------------------- */

static const char *describe_length(const struct streamer *streamer, char *text, size_t size)
{
    const struct cs_command *command =
        cs_find(streamer->version, class_of(streamer), streamer->fault_dword);
    int used = snprintf(text, size, "%s of %" PRIu32 " dwords, expected %" PRIu32,
                        command ? command->name : "command", streamer->fault_length,
                        command ? command->min_dwords : 1);
    if (command && command->max_dwords > command->min_dwords && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, " to %" PRIu32, command->max_dwords);
    return text;
}

static const char *describe_space(uint32_t space, char *text, size_t size)
{
    if (space == STREAMER_GGTT)
        return "GGTT";
    snprintf(text, size, "PPGTT %" PRIu32, space);
    return text;
}

static int explain_unknown(const struct streamer *streamer, const char *where,
                           struct tally_error *error)
{
    const struct cs_command *command = cs_find_any(streamer->version, streamer->fault_dword);
    if (command)
        return fail(error, -EIO, "%s: %s, expected a command that %s has", where, command->name,
                    streamer->engine->name);
    return fail(error, -EIO, "%s: expected a command of graphics version %d.%d", where,
                streamer->version / 10, streamer->version % 10);
}

int streamer_explain(const struct streamer *streamer, struct tally_error *error)
{
    const struct streamer_place *place = &streamer->fault_place;
    char where[96], space[32], what[128];
    if (!streamer->fault)
        return 0;
    snprintf(where, sizeof where, "command streamer %s at 0x%08" PRIx64 " (%s), dword 0x%08" PRIx32,
             streamer->engine->name, place->address,
             describe_space(place->space, space, sizeof space), streamer->fault_dword);
    switch (streamer->fault) {
    case STREAMER_UNKNOWN:
        return explain_unknown(streamer, where, error);
    case STREAMER_LENGTH:
        return fail(error, -EIO, "%s: %s", where, describe_length(streamer, what, sizeof what));
    case STREAMER_UNMAPPED:
        return fail(error, -EIO, "%s: expected memory at 0x%08" PRIx64 " (%s), nothing is mapped",
                    where, streamer->fault_target,
                    describe_space(streamer->fault_space, space, sizeof space));
    case STREAMER_NO_MASTER:
        return fail(error, -EIO,
                    "%s: access to memory at 0x%08" PRIx64
                    " (%s), expected bus master enabled (bit 2 of PCI Command, in D0)",
                    where, streamer->fault_target,
                    describe_space(streamer->fault_space, space, sizeof space));
    case STREAMER_RESERVED:
        return fail(error, -EIO, "%s: a reserved value, expected a documented one", where);
    case STREAMER_NO_BATCH:
        return fail(error, -EIO, "%s: the end of a batch in the ring, expected it in a batch",
                    where);
    case STREAMER_NO_RING:
        return fail(error, -EIO,
                    "context image at 0x%08" PRIx64 " (GGTT), descriptor 0x%08" PRIx32
                    ": expected a ring, with its head and tail inside",
                    place->address, streamer->fault_dword);
    default:
        return 0;
    }
}
