/* SPDX-License-Identifier: MIT */
/* Commands that wait for something other than work, and MI_SEMAPHORE_SIGNAL. */
#include "base/bits.h"
#include "intel/cs/step.h"

bool step_compare(unsigned compare, uint32_t memory, uint32_t data)
{
    switch (compare) {
    case MI_SEMAPHORE_COMPARE__SAD_GREATER_THAN_SDD:
        return memory > data;
    case MI_SEMAPHORE_COMPARE__SAD_GREATER_THAN_OR_EQUAL_SDD:
        return memory >= data;
    case MI_SEMAPHORE_COMPARE__SAD_LESS_THAN_SDD:
        return memory < data;
    case MI_SEMAPHORE_COMPARE__SAD_LESS_THAN_OR_EQUAL_SDD:
        return memory <= data;
    case MI_SEMAPHORE_COMPARE__SAD_EQUAL_SDD:
        return memory == data;
    default:
        return memory != data;
    }
}

static enum step_result stall_unless(struct step *step, bool done)
{
    if (!done)
        step->streamer->activity = STREAMER_STALLS;
    return done ? STEP_DONE : STEP_WAITS;
}

/* The signal mode looks at memory just as polling does: it only says when to look again. */
enum step_result step_semaphore_wait(struct step *step)
{
    unsigned compare = (unsigned)step_operand(step, CS_COMPARE);
    uint32_t memory;
    if (compare > MI_SEMAPHORE_COMPARE__SAD_NOT_EQUAL_SDD)
        return step_fault(step, STREAMER_RESERVED, step->dwords[0]);
    if (step_operand(step, CS_REGISTER_POLL))
        memory =
            step_read_register(step, (uint32_t)step_operand(step, CS_ADDRESS) & REGISTER_OFFSET);
    else if (!step_read(step, step_space(step, CS_GGTT), step_operand(step, CS_ADDRESS), &memory))
        return STEP_FAULT;
    return stall_unless(step, step_compare(compare, memory, (uint32_t)step_operand(step, CS_DATA)));
}

/* Signal mode looks at memory all the time, so the signal itself changes nothing (OA-11.6). After a
 * flush it waits for the work before it. */
enum step_result step_semaphore_signal(struct step *step)
{
    return step_operand(step, CS_AFTER_WORK) && step_busy(step) ? STEP_WAITS : STEP_DONE;
}

/* ---- mailboxes (OA-11.4) --------------------------------------------------------------------- */

/* Reads the mailbox register that another engine writes; false: the command selects none. */
static bool read_mailbox(const struct step *step, uint32_t *out)
{
    static const uint32_t mailboxes[] = {GEN6_SYNC_0, HSW_SYNC_2, GEN6_SYNC_1};
    unsigned select = (unsigned)step_operand(step, CS_SELECT);
    uint32_t base = step->streamer->engine->map.base;
    return select < ARRAY_COUNT(mailboxes) &&
           streamer_read(step->streamer, step->callbacks,
                         mailboxes[select] - RENDER_RING_BASE + base, out);
}

static bool update_mailbox(struct step *step, uint32_t data)
{
    uint64_t address = step_operand(step, CS_ADDRESS);
    if (!step_operand(step, CS_REGISTER_POLL))
        return step_write(step, step_space(step, CS_GGTT), address, data);
    step_write_register(step, (uint32_t)address & REGISTER_OFFSET, data);
    return true;
}

/* HSW only compares, and only registers. */
enum step_result step_semaphore_mbox(struct step *step)
{
    const struct cs_field *fields = step->command->fields;
    bool registers = !cs_field_find(fields, step->streamer->version, CS_UPDATE);
    uint32_t data = (uint32_t)step_operand(step, CS_DATA), value;
    if (step_operand(step, CS_UPDATE) && !update_mailbox(step, data))
        return STEP_FAULT;
    if (!registers && !step_operand(step, CS_COMPARE))
        return STEP_DONE;
    if (registers || step_operand(step, CS_REGISTER_POLL)) {
        if (!read_mailbox(step, &value))
            return step_fault(step, STREAMER_RESERVED, step->dwords[0]);
    } else if (!step_read(step, step_space(step, CS_GGTT), step_operand(step, CS_ADDRESS),
                          &value)) {
        return STEP_FAULT;
    }
    return stall_unless(step, value > data);
}

/* ---- events (OA-11.5) ------------------------------------------------------------------------ */

/* There is no display whose events could be waited for. A condition code of EXCC is waited for
 * while it is set. */
enum step_result step_wait_for_event(struct step *step)
{
    unsigned select = (unsigned)step_operand(step, CS_SELECT);
    if (!select)
        return STEP_DONE;
    if (!(REG_MASK(GEN6_EXCC, CODES) >> (select - 1) & 1))
        return step_fault(step, STREAMER_RESERVED, step->dwords[0]);
    return stall_unless(step, !(step->streamer->excc >> (select - 1) & 1));
}
