/* SPDX-License-Identifier: MIT */
/* Executes commands. */
#include "base/bits.h"
#include "intel/cs/step.h"
#include "intel/platforms.h"

#define STATUS_HEAD 0x10u /* byte of the status page */

#define CCID_ADDRESS CS_MASK(MI_SET_CONTEXT, LOGICAL_CONTEXT_ADDRESS)
#define CCID_VALID   1u

/* ---- batches --------------------------------------------------------------------------------- */

/*
 * Returns the level of the batch that a command starts (OA-11.11).
 *
 * A batch started from the ring is a first level batch. From a batch, a start with 2nd Level set
 * is a call: the second level batch returns to the next command. Without 2nd Level it is a jump
 * (chaining). The hardware has one head pointer per level and no stack [P13], so a call from the
 * second level is a jump too, and a first level batch started from the second level ends both.
 *
 * Gen12 can enable nesting: then the bit is relative to the level of the command, and there are
 * three levels.
 */
static unsigned level_of_start(const struct step *step)
{
    const struct streamer *streamer = step->streamer;
    bool next = step_operand(step, CS_SECOND_LEVEL);
    if (!REG_GET(RING_MI_MODE, NESTED_BATCH_BUFFER_ENABLE, streamer->mi_mode))
        return next ? STREAMER_SECOND : STREAMER_BATCH;
    return streamer->level == STREAMER_RING ? STREAMER_BATCH : streamer->level + next;
}

static enum step_result batch_start(struct step *step)
{
    struct streamer *streamer = step->streamer;
    struct streamer_place to;
    bool ppgtt = step_operand(step, CS_PPGTT);
    /* HSW has a bit for privilege; elsewhere batches in the PPGTT are unprivileged. */
    bool has_bit = cs_field_find(step->command->fields, streamer->version, CS_NON_PRIVILEGED);
    bool user = has_bit ? step_operand(step, CS_NON_PRIVILEGED) : ppgtt;
    unsigned level = level_of_start(step);
    if (step_operand(step, CS_PREDICATED) && !(streamer->predicate_result_1 & 1))
        return STEP_DONE;
    if (level > STREAMER_THIRD)
        return step_fault(step, STREAMER_RESERVED, step->dwords[0]);
    to.address = step_operand(step, CS_ADDRESS);
    if (step_operand(step, CS_ADD_OFFSET))
        to.address += streamer->bb_offset;
    to.address &= step_mask(streamer);
    to.space = ppgtt ? streamer->ppgtt : STREAMER_GGTT;
    to.privileged = step->place.privileged && !user;

    step_advance(step);
    step->jumped = true;
    if (level == STREAMER_BATCH)
        streamer->has_batch = true;
    streamer->batch[level - STREAMER_BATCH] = to;
    streamer->level = (uint8_t)level;
    return STEP_DONE;
}

static enum step_result batch_end(struct step *step)
{
    struct streamer *streamer = step->streamer;
    if (streamer->level == STREAMER_RING)
        return step_fault(step, STREAMER_NO_BATCH, step->dwords[0]);
    step->jumped = true;
    if (streamer->level == STREAMER_THIRD ||
        (streamer->level == STREAMER_SECOND && streamer->has_batch)) {
        streamer->level--;
    } else {
        streamer->has_batch = false;
        streamer->level = STREAMER_RING;
    }
    return STEP_DONE;
}

/* Ends all batches, or only the current one if the command says so. */
static enum step_result end_levels(struct step *step)
{
    struct streamer *streamer = step->streamer;
    if (step_operand(step, CS_LEVEL))
        return batch_end(step);
    step->jumped = true;
    streamer->has_batch = false;
    streamer->level = STREAMER_RING;
    return STEP_DONE;
}

/* Ends the batch unless the comparison holds; before Gen12, unless the dword in memory is greater
 * than the data (OA-11.3). */
static enum step_result conditional_end(struct step *step)
{
    uint32_t space = step_space(step, CS_GGTT), value, mask = UINT32_MAX;
    uint64_t address = step_operand(step, CS_ADDRESS);
    unsigned compare = (unsigned)step_operand(step, CS_COMPARE_OPERATION);
    if (step->streamer->level == STREAMER_RING)
        return step_fault(step, STREAMER_NO_BATCH, step->dwords[0]);
    if (!step_operand(step, CS_COMPARE))
        return STEP_DONE;
    if (compare > MI_SEMAPHORE_COMPARE__SAD_NOT_EQUAL_SDD)
        return step_fault(step, STREAMER_RESERVED, step->dwords[0]);
    if (!step_read(step, space, address, &value) ||
        (step_operand(step, CS_COMPARE_MASK) && !step_read(step, space, address + 4, &mask)))
        return STEP_FAULT;
    bool holds = step_compare(compare, value & mask, (uint32_t)step_operand(step, CS_DATA));
    return holds ? STEP_DONE : end_levels(step);
}

/* ---- reports --------------------------------------------------------------------------------- */

static enum step_result report(struct step *step)
{
    struct streamer *streamer = step->streamer;
    const struct streamer_callbacks *callbacks = step->callbacks;
    struct streamer_report report = {
        .address = step_operand(step, CS_ADDRESS),
        .space = step_space(step, CS_GGTT),
        .id = (uint32_t)step_operand(step, CS_ID),
        .core_mode = step_operand(step, CS_CORE_MODE),
        .id_corrupt = streamer->id_quirk && streamer->next_id_corrupt,
    };
    if (report.id_corrupt)
        report.id = streamer->corrupt_id;
    streamer->next_id_corrupt = false;
    if (callbacks->report)
        callbacks->report(callbacks->closure, &report);
    return STEP_DONE;
}

/* ---- registers ------------------------------------------------------------------------------- */

static uint32_t register_of(const struct step *step, enum cs_operand offset, enum cs_operand base)
{
    uint32_t start = step_operand(step, base) ? step->streamer->engine->map.base : 0;
    return start + (uint32_t)step_operand(step, offset);
}

static bool predicated_off(const struct step *step)
{
    return step_operand(step, CS_PREDICATED) && !(step->streamer->predicate_result & 1);
}

/* Stores a register. An unprivileged batch reads the register, but a write to the GGTT is dropped.
 */
static enum step_result store_register(struct step *step)
{
    uint32_t space = step_space(step, CS_GGTT);
    if (predicated_off(step))
        return STEP_DONE;
    uint32_t value = step_read_register(step, register_of(step, CS_REGISTER, CS_REGISTER_BASE));
    if (step_operand(step, CS_GGTT) && !step->place.privileged) {
        step->streamer->illegal++;
        return STEP_DONE;
    }
    return step_write(step, space, step_operand(step, CS_ADDRESS), value) ? STEP_DONE : STEP_FAULT;
}

static enum step_result load_immediate(struct step *step)
{
    const struct cs_field *group = step->command->group;
    unsigned version = step->streamer->version;
    const struct cs_field *offset = cs_field_find(group, version, CS_REGISTER);
    const struct cs_field *data = cs_field_find(group, version, CS_DATA);
    unsigned disabled = (unsigned)step_operand(step, CS_BYTES_DISABLED);
    uint32_t base = step_operand(step, CS_REGISTER_BASE) ? step->streamer->engine->map.base : 0;
    uint32_t keep = 0;
    for (unsigned byte = 0; byte < 4; byte++)
        if (disabled >> byte & 1)
            keep |= UINT32_C(0xff) << byte * 8;
    for (uint32_t at = step->command->group_at; at + 1 < step->length; at += 2) {
        uint32_t address = cs_field_get32(offset, step->dwords + at) + base;
        uint32_t value = cs_field_get32(data, step->dwords + at);
        if (keep == UINT32_MAX)
            continue;
        if (keep)
            value = (value & ~keep) | (step_read_register(step, address) & keep);
        step_write_register(step, address, value);
    }
    return STEP_DONE;
}

static enum step_result load_memory(struct step *step)
{
    uint32_t value;
    if (!step_read(step, step_space(step, CS_GGTT), step_operand(step, CS_ADDRESS), &value))
        return STEP_FAULT;
    step_write_register(step, register_of(step, CS_REGISTER, CS_REGISTER_BASE), value);
    return STEP_DONE;
}

static enum step_result load_register(struct step *step)
{
    uint32_t from = register_of(step, CS_REGISTER_SOURCE, CS_REGISTER_SOURCE_BASE);
    uint32_t to = register_of(step, CS_REGISTER, CS_REGISTER_BASE);
    step_write_register(step, to, step_read_register(step, from));
    return STEP_DONE;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Stores the data, one dword per group; a qword is two groups. */
static enum step_result store_data(struct step *step)
{
    uint32_t space = step_space(step, CS_GGTT), value;
    uint64_t address = step_operand(step, CS_ADDRESS);
    for (uint32_t at = step->command->group_at; at < step->length; at++, address += 4)
        if (!step_dword(step, at, &value) || !step_write(step, space, address, value))
            return STEP_FAULT;
    return STEP_DONE;
}

/* Returns an address in a hardware status page, which is in the GGTT: the engine's or, if
 * per_process, the first page of the running context (OA-11.13). */
static uint64_t status_page(const struct step *step, uint64_t offset, bool per_process)
{
    const struct streamer *streamer = step->streamer;
    uint64_t page = streamer->hws_pga & REG_MASK(RING_PAGE, ADDRESS);
    if (per_process && intel_has_execlists(streamer->platform) && streamer->running &&
        streamer->ppgtt != STREAMER_GGTT)
        page = streamer_context_page(streamer->ppgtt);
    return page + (offset & CS_MASK(MI_STORE_DATA_INDEX, OFFSET));
}

static enum step_result store_index(struct step *step)
{
    uint64_t address =
        status_page(step, step_operand(step, CS_ADDRESS), step_operand(step, CS_PER_PROCESS));
    for (uint32_t at = 2; at < step->length; at++, address += 4)
        if (!step_write(step, STREAMER_GGTT, address, step->dwords[at]))
            return STEP_FAULT;
    return STEP_DONE;
}

/* Writes the ring's head to its place in the status page (OA-11.7). */
static enum step_result report_head(struct step *step)
{
    return step_write(step, STREAMER_GGTT, status_page(step, STATUS_HEAD, false),
                      step->streamer->ring_head)
               ? STEP_DONE
               : STEP_FAULT;
}

static enum step_result copy_memory(struct step *step)
{
    uint32_t value;
    return step_read(step, step_space(step, CS_GGTT_SOURCE), step_operand(step, CS_ADDRESS_SOURCE),
                     &value) &&
                   step_write(step, step_space(step, CS_GGTT), step_operand(step, CS_ADDRESS),
                              value)
               ? STEP_DONE
               : STEP_FAULT;
}

static struct streamer_work describe_work(const struct step *step)
{
    return (struct streamer_work){.command = step->command,
                                  .dwords = step->dwords,
                                  .count = step->count,
                                  .length = step->length,
                                  .space = step->place.space,
                                  .address = step->place.address,
                                  .ppgtt = step->streamer->ppgtt};
}

/* ---- flushes --------------------------------------------------------------------------------- */

static uint64_t post_sync_value(struct step *step, uint64_t operation)
{
    const struct streamer_callbacks *callbacks = step->callbacks;
    if (operation == CS_POST_SYNC_OPERATION__WRITE_IMMEDIATE_DATA)
        return step_operand(step, CS_DATA);
    if (operation == CS_POST_SYNC_OPERATION__WRITE_TIMESTAMP)
        return callbacks->timestamp ? callbacks->timestamp(callbacks->closure) : 0;
    uint64_t low = step_read_register(step, PS_DEPTH_COUNT);
    return low | (uint64_t)step_read_register(step, PS_DEPTH_COUNT + 4) << 32;
}

/* Returns the dwords of immediate data, given by the command's length: 2, or 1 in the short form.
 */
static unsigned immediate_dwords(const struct step *step)
{
    const struct cs_field *data =
        cs_field_find(step->command->fields, step->streamer->version, CS_DATA);
    return step->length - data->low / 32u >= 2 ? 2 : 1;
}

static enum step_result post_sync(struct step *step, uint64_t operation)
{
    bool indexed = step_operand(step, CS_INDEXED);
    uint64_t address = step_operand(step, CS_ADDRESS);
    uint64_t value = post_sync_value(step, operation);
    uint32_t space = indexed ? STREAMER_GGTT : step_space(step, CS_GGTT);
    unsigned dwords =
        operation == CS_POST_SYNC_OPERATION__WRITE_IMMEDIATE_DATA ? immediate_dwords(step) : 2;
    if ((indexed || step_operand(step, CS_GGTT)) && !step->place.privileged) {
        step->streamer->illegal++;
        return STEP_DONE;
    }
    if (indexed)
        address = status_page(step, address, !step_operand(step, CS_GGTT));
    for (unsigned i = 0; i < dwords; i++)
        if (!step_write(step, space, address + 4 * i, (uint32_t)(value >> 32 * i)))
            return STEP_FAULT;
    return STEP_DONE;
}

static void interrupt(const struct step *step, enum streamer_interrupt which)
{
    if (step->callbacks->interrupt)
        step->callbacks->interrupt(step->callbacks->closure, which);
}

/*
 * On hardware a post-sync operation does not stall the streamer. Here it waits for the work before
 * it, so that it writes correct values; the following commands start later than on hardware.
 */
static void start_flush(struct step *step)
{
    struct streamer_work work = describe_work(step);
    if (!step->streamer->flushing && step->callbacks->flush)
        step->callbacks->flush(step->callbacks->closure, &work);
    step->streamer->flushing = true;
}

static enum step_result pipe_control(struct step *step)
{
    uint64_t operation = step_operand(step, CS_POST_SYNC);
    bool notify = step_operand(step, CS_NOTIFY), stall = step_operand(step, CS_STALL);
    bool to_register = step_operand(step, CS_REGISTER_WRITE);
    start_flush(step);
    if ((operation || notify || stall || to_register) && step_busy(step))
        return STEP_WAITS;
    step->streamer->flushing = false;
    if (to_register)
        step_write_register(step, (uint32_t)step_operand(step, CS_ADDRESS) & REGISTER_OFFSET,
                            (uint32_t)step_operand(step, CS_DATA));
    else if (operation && post_sync(step, operation) != STEP_DONE)
        return STEP_FAULT;
    if (notify)
        interrupt(step, STREAMER_NOTIFY);
    return STEP_DONE;
}

static enum step_result flush_dw(struct step *step)
{
    uint64_t operation = step_operand(step, CS_POST_SYNC);
    if (operation == CS_POST_SYNC_OPERATION__WRITE_PS_DEPTH_COUNT) /* reserved in this command */
        return step_fault(step, STREAMER_RESERVED, step->dwords[0]);
    if (step_busy(step))
        return STEP_WAITS;
    if (operation && post_sync(step, operation) != STEP_DONE)
        return STEP_FAULT;
    if (step_operand(step, CS_NOTIFY))
        interrupt(step, STREAMER_NOTIFY);
    return STEP_DONE;
}

/* ---- contexts and work ----------------------------------------------------------------------- */

/* Switches to a context. A switch to the running context is ignored unless it is forced [P11]. */
static enum step_result set_context(struct step *step)
{
    struct streamer *streamer = step->streamer;
    const struct streamer_callbacks *callbacks = step->callbacks;
    uint32_t address = (uint32_t)step_operand(step, CS_ADDRESS);
    bool same = streamer->ccid & CCID_VALID && (streamer->ccid & CCID_ADDRESS) == address;
    if (same && !step_operand(step, CS_RESTORE))
        return STEP_DONE;
    if (step_busy(step))
        return STEP_WAITS;
    struct streamer_contexts contexts = {
        .has_old = streamer->ccid & CCID_VALID,
        .inhibited = step_operand(step, CS_RESTORE_INHIBIT),
        .old_address = streamer->ccid & CCID_ADDRESS,
        .new_address = address,
    };
    if (callbacks->set_context)
        callbacks->set_context(callbacks->closure, &contexts);
    streamer->ccid = address | CCID_VALID;
    streamer->activity = STREAMER_SWITCHES;
    if (callbacks->context_switch)
        callbacks->context_switch(callbacks->closure, true, address);
    return STEP_DONE;
}

bool streamer_set_context(const struct streamer *streamer, uint32_t *address)
{
    *address = streamer->ccid & CCID_ADDRESS;
    return streamer->ccid & CCID_VALID;
}

static enum step_result force_wakeup(struct step *step)
{
    const struct streamer_callbacks *callbacks = step->callbacks;
    if (callbacks->force_wakeup)
        callbacks->force_wakeup(callbacks->closure, (uint32_t)step_operand(step, CS_DATA));
    return STEP_DONE;
}

static enum step_result report_state(struct step *step)
{
    struct streamer_work work = describe_work(step);
    step->streamer->skipped++;
    if (step->callbacks->state)
        step->callbacks->state(step->callbacks->closure, &work);
    return STEP_DONE;
}

static enum step_result report_work(struct step *step)
{
    struct streamer_work work = describe_work(step);
    if (predicated_off(step))
        return STEP_DONE;
    step->streamer->worked++;
    if (step->callbacks->work)
        step->callbacks->work(step->callbacks->closure, &work);
    return STEP_DONE;
}

enum step_result step_execute(struct step *step)
{
    struct streamer *streamer = step->streamer;
    switch ((enum cs_action)step->command->action) {
    case CS_NOOP:
        if (step_operand(step, CS_ID_WRITE))
            streamer->nopid = (uint32_t)step_operand(step, CS_ID);
        return STEP_DONE;
    case CS_NO_EFFECT:
    case CS_ARBITRATION_CHECK:
        return STEP_DONE;
    case CS_BATCH_START:
        return batch_start(step);
    case CS_BATCH_END:
        return batch_end(step);
    case CS_CONDITIONAL_END:
        return conditional_end(step);
    case CS_REPORT:
        return report(step);
    case CS_STORE_REGISTER:
        return store_register(step);
    case CS_LOAD_IMMEDIATE:
        return load_immediate(step);
    case CS_LOAD_MEMORY:
        return load_memory(step);
    case CS_LOAD_REGISTER:
        return load_register(step);
    case CS_STORE_DATA:
        return store_data(step);
    case CS_STORE_INDEX:
        return store_index(step);
    case CS_COPY_MEMORY:
        return copy_memory(step);
    case CS_PIPE_CONTROL:
        return pipe_control(step);
    case CS_SET_CONTEXT:
        return set_context(step);
    case CS_ARBITRATION:
        streamer->arbitration = step_operand(step, CS_ENABLE);
        return STEP_DONE;
    case CS_INTERRUPT:
        interrupt(step, STREAMER_USER_INTERRUPT);
        return STEP_DONE;
    case CS_FLUSH:
        return step_busy(step) ? STEP_WAITS : STEP_DONE;
    case CS_FLUSH_DW:
        return flush_dw(step);
    case CS_SUSPEND_FLUSH:
        streamer->suspend_flush = step_operand(step, CS_ENABLE);
        return STEP_DONE;
    case CS_SEMAPHORE_WAIT:
        return step_semaphore_wait(step);
    case CS_SEMAPHORE_SIGNAL:
        return step_semaphore_signal(step);
    case CS_SEMAPHORE_MBOX:
        return step_semaphore_mbox(step);
    case CS_WAIT_FOR_EVENT:
        return step_wait_for_event(step);
    case CS_PREDICATE:
        return step_predicate(step);
    case CS_SET_PREDICATE:
        return step_set_predicate(step);
    case CS_ATOMIC:
        return step_atomic(step);
    case CS_REPORT_HEAD:
        return report_head(step);
    case CS_FORCE_WAKEUP:
        return force_wakeup(step);
    case CS_MATH:
        return step_math(step);
    case CS_STATE:
        return report_state(step);
    case CS_PRIMITIVE:
    case CS_GPGPU:
    case CS_MEDIA:
    case CS_BLIT:
    case CS_VIDEO_WORK:
        return report_work(step);
    }
    return step_fault(step, STREAMER_UNKNOWN, step->dwords[0]);
}
