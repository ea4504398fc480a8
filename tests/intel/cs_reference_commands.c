/* SPDX-License-Identifier: MIT */
/* What the commands do, one function each. */
#include "intel/cs_reference.h"

enum outcome reference_stop(struct cs_reference *r, enum streamer_fault fault, uint32_t dword)
{
    r->fault = fault;
    r->fault_at = r->at;
    r->fault_dword = dword;
    return STOP;
}

static void interrupt(struct cs_reference *r, enum streamer_interrupt which)
{
    r->machine.callbacks.interrupt(&r->machine, which);
}

bool reference_busy(const struct cs_reference *r)
{
    return r->machine.clocks < r->machine.busy_until;
}

static uint32_t offset_at(const struct cs_reference *r, unsigned n, unsigned flag)
{
    return (r->dword[n] & 0x7ffffc) + (r->version >= 110 && bit(r->dword[0], flag) ? r->base : 0);
}

/* ---- batches --------------------------------------------------------------------------------- */

/* The level of the batch that MI_BATCH_BUFFER_START starts; 4: none (OA-11.11). */
static unsigned level_to(const struct cs_reference *r, bool bit_22)
{
    if (bit(r->mi_mode, 12)) /* nested: next or same */
        return r->level == 0 ? 1 : bit_22 ? r->level + 1 : r->level;
    return bit_22 ? 2 : 1;
}

static enum outcome batch_start(struct cs_reference *r)
{
    uint32_t d = r->dword[0];
    bool ppgtt = bit(d, 8), hsw = r->version >= 75;
    unsigned level = level_to(r, hsw && bit(d, 22));
    if (hsw && bit(d, 15) && !(r->result_1 & 1))
        return DONE;
    if (level > 3)
        return reference_stop(r, STREAMER_RESERVED, d);
    struct reference_place to = {
        .address =
            (address_at(r, 1, 2) + (hsw && bit(d, 16) ? r->bb_offset : 0)) & reference_reach(r),
        .space = space_by(r, !ppgtt),
        .privileged = r->at.privileged && !(r->version == 75 ? bit(d, 13) : ppgtt),
    };
    reference_pass(r);
    r->jumped = true;
    if (level == 1 || r->level == 0)
        r->has_first = level == 1;
    r->level = level;
    r->place[level] = to;
    return DONE;
}

static void to_ring(struct cs_reference *r)
{
    r->jumped = true;
    r->level = 0;
    r->has_first = false;
}

static enum outcome batch_end(struct cs_reference *r)
{
    if (r->level == 0)
        return reference_stop(r, STREAMER_NO_BATCH, r->dword[0]);
    if (r->level == 1 || (r->level == 2 && !r->has_first)) {
        to_ring(r);
    } else {
        r->jumped = true;
        r->level--;
    }
    return DONE;
}

static bool compares(unsigned operation, uint32_t memory, uint32_t data)
{
    const bool holds[] = {memory > data,  memory >= data, memory < data,
                          memory <= data, memory == data, memory != data};
    return holds[operation];
}

static enum outcome conditional_end(struct cs_reference *r)
{
    uint32_t d = r->dword[0], *memory;
    uint64_t address = address_at(r, 2, 3);
    unsigned operation = r->version >= 120 ? bits(d, 12, 14) : 0;
    if (r->level == 0)
        return reference_stop(r, STREAMER_NO_BATCH, d);
    if (!bit(d, 21))
        return DONE;
    if (operation > 5)
        return reference_stop(r, STREAMER_RESERVED, r->dword[0]);
    if (!(memory = reference_find(r, space_by(r, bit(d, 22)), address)))
        return STOP;
    uint32_t value = *memory;
    if (r->version >= 90 && bit(d, 19)) {
        if (!(memory = reference_find(r, space_by(r, bit(d, 22)), address + 4)))
            return STOP;
        value &= *memory;
    }
    if (compares(operation, value, r->dword[1]))
        return DONE;
    if (r->version >= 120 && bit(d, 18))
        return batch_end(r);
    to_ring(r);
    return DONE;
}

/* ---- registers and memory -------------------------------------------------------------------- */

static enum outcome load_immediate(struct cs_reference *r)
{
    unsigned off = bits(r->dword[0], 8, 11);
    for (unsigned i = 1; i + 1 < r->length; i += 2) {
        uint32_t address = offset_at(r, i, 19), value = 0, old = 0;
        if (off == 15)
            continue;
        if (off)
            old = reference_get(r, address);
        for (unsigned byte = 0; byte < 4; byte++)
            value |= (off >> byte & 1 ? old : r->dword[i + 1]) & 0xffu << 8 * byte;
        reference_set(r, address, value);
    }
    return DONE;
}

static enum outcome store_register(struct cs_reference *r)
{
    uint32_t d = r->dword[0];
    if (r->version >= 75 && bit(d, 21) && !(r->result & 1))
        return DONE;
    uint32_t value = reference_get(r, offset_at(r, 1, 19));
    if (bit(d, 22) && !r->at.privileged) {
        r->illegal++;
        return DONE;
    }
    return reference_put(r, space_by(r, bit(d, 22)), address_at(r, 2, 2), value) ? DONE : STOP;
}

static enum outcome load_memory(struct cs_reference *r)
{
    const uint32_t *memory =
        reference_find(r, space_by(r, bit(r->dword[0], 22)), address_at(r, 2, 2));
    if (!memory)
        return STOP;
    reference_set(r, offset_at(r, 1, 19), *memory);
    return DONE;
}

static enum outcome load_register(struct cs_reference *r)
{
    reference_set(r, offset_at(r, 2, 19), reference_get(r, offset_at(r, 1, 18)));
    return DONE;
}

/* A long command is read while it stores, from its 258th dword on. */
static enum outcome store_data(struct cs_reference *r, bool ggtt)
{
    uint64_t to = r->version >= 80 ? address_at(r, 1, 2) : r->dword[2] & ~3u;
    for (unsigned i = 3; i < r->length; i++, to += 4) {
        const uint32_t *from = i < COUNT(r->dword)
                                   ? &r->dword[i]
                                   : reference_find(r, r->at.space, reference_address(r, i));
        if (!from || !reference_put(r, space_by(r, ggtt), to, *from))
            return STOP;
    }
    return DONE;
}

/* The running context's page is the first of its pages. */
static uint64_t in_status_page(const struct cs_reference *r, uint64_t offset, bool of_context)
{
    bool context = of_context && r->version >= 80 && r->running && r->ppgtt;
    uint32_t page = context ? r->ppgtt << 12 : r->status_page;
    return (page & 0xfffff000) + (offset & 0xffc);
}

static enum outcome store_index(struct cs_reference *r)
{
    for (unsigned i = 2; i < r->length; i++)
        if (!reference_put(r, 0, in_status_page(r, r->dword[1], bit(r->dword[0], 21)) + 4 * (i - 2),
                           r->dword[i]))
            return STOP;
    return DONE;
}

static enum outcome copy(struct cs_reference *r)
{
    const uint32_t *from =
        reference_find(r, space_by(r, bit(r->dword[0], 22)), address_at(r, 3, 2));
    return from && reference_put(r, space_by(r, bit(r->dword[0], 21)), address_at(r, 1, 2), *from)
               ? DONE
               : STOP;
}

/* ---- waits ----------------------------------------------------------------------------------- */

static enum outcome stall(struct cs_reference *r)
{
    r->activity = STREAMER_STALLS;
    return WAIT;
}

static enum outcome semaphore_wait(struct cs_reference *r)
{
    uint32_t d = r->dword[0];
    uint64_t address = address_at(r, 2, 2);
    if (bits(d, 12, 14) > 5)
        return reference_stop(r, STREAMER_RESERVED, r->dword[0]);
    uint32_t value;
    if (r->version >= 90 && bit(d, 16)) {
        value = reference_get(r, (uint32_t)address & 0x7ffffc);
    } else {
        const uint32_t *memory = reference_find(r, space_by(r, bit(d, 22)), address);
        if (!memory)
            return STOP;
        value = *memory;
    }
    return compares(bits(d, 12, 14), value, r->dword[1]) ? DONE : stall(r);
}

static enum outcome mailbox(struct cs_reference *r)
{
    uint32_t d = r->dword[0], value;
    bool hsw = r->version == 75, by_register = hsw || bit(d, 18);
    unsigned select = bits(d, 16, 17);
    if (!hsw && bit(d, 21) && bit(d, 18))
        reference_set(r, r->dword[2] & 0x7ffffc, r->dword[1]);
    else if (!hsw && bit(d, 21) &&
             !reference_put(r, space_by(r, bit(d, 22)), r->dword[2], r->dword[1]))
        return STOP;
    if (!hsw && !bit(d, 20))
        return DONE;
    if (by_register) {
        if (select == 3 || (select == 1 && !hsw))
            return reference_stop(r, STREAMER_RESERVED, r->dword[0]);
        value = r->mailbox[select];
    } else {
        const uint32_t *memory = reference_find(r, space_by(r, bit(d, 22)), r->dword[2]);
        if (!memory)
            return STOP;
        value = *memory;
    }
    return value > r->dword[1] ? DONE : stall(r);
}

static enum outcome wait_for_event(struct cs_reference *r)
{
    unsigned code = r->version <= 75 ? bits(r->dword[0], 16, 19) : 0;
    if (code > 5)
        return reference_stop(r, STREAMER_RESERVED, r->dword[0]);
    return code && bit(r->excc, code - 1) ? stall(r) : DONE;
}

static enum outcome set_context(struct cs_reference *r)
{
    uint32_t address = r->dword[1] & 0xfffff000;
    bool same = bit(r->ccid, 0) && (r->ccid & 0xfffff000) == address; /* valid, and there */
    if (same && !bit(r->dword[1], 1))
        return DONE;
    if (reference_busy(r))
        return WAIT;
    r->ccid = address | 1;
    r->activity = STREAMER_SWITCHES;
    r->machine.callbacks.context_switch(&r->machine, true, address);
    return DONE;
}

/* ---- flushes and work ------------------------------------------------------------------------ */

/* What a flush writes behind the work. `n`: dword of the data. */
static bool post_sync(struct cs_reference *r, unsigned operation, bool indexed, bool ggtt,
                      uint64_t to, unsigned n)
{
    uint32_t value[2] = {0, 0};
    unsigned count = 2;
    if (operation == 1) {
        count = r->length - n >= 2 ? 2 : 1;
        value[0] = n < r->length ? r->dword[n] : 0;
        value[1] = n + 1 < r->length ? r->dword[n + 1] : 0;
    } else {
        value[0] = operation == 3 ? (uint32_t)r->machine.timestamp : reference_get(r, 0x2350);
        value[1] =
            operation == 3 ? (uint32_t)(r->machine.timestamp >> 32) : reference_get(r, 0x2354);
    }
    if ((indexed || ggtt) && !r->at.privileged) {
        r->illegal++;
        return true;
    }
    if (indexed)
        to = in_status_page(r, to, !ggtt);
    for (unsigned i = 0; i < count; i++)
        if (!reference_put(r, indexed ? 0 : space_by(r, ggtt), to + 4 * i, value[i]))
            return false;
    return true;
}

static enum outcome flush_dw(struct cs_reference *r)
{
    uint32_t d = r->dword[0];
    unsigned operation = bits(d, 14, 15);
    if (operation == 2)
        return reference_stop(r, STREAMER_RESERVED, r->dword[0]);
    if (reference_busy(r))
        return WAIT;
    if (operation && !post_sync(r, operation, bit(d, 21), bit(r->dword[1], 2), address_at(r, 1, 3),
                                r->version >= 80 ? 3 : 2))
        return STOP;
    if (bit(d, 8))
        interrupt(r, STREAMER_NOTIFY);
    return DONE;
}

static void trace_command(struct cs_reference *r)
{
    uint32_t count = r->length < COUNT(r->dword) ? r->length : COUNT(r->dword);
    machine_trace(&r->machine, r->at.address);
    machine_trace(&r->machine, r->at.space);
    machine_trace(&r->machine, count);
    machine_trace(&r->machine, r->dword[count - 1]);
}

static enum outcome pipe_control(struct cs_reference *r)
{
    uint32_t d = r->dword[1];
    unsigned operation = bits(d, 14, 15), data = r->version >= 80 ? 4 : 3;
    bool to_register = r->version >= 70 && bit(d, 23);
    bool ggtt = r->version == 60 ? bit(r->dword[2], 2) : bit(d, 24);
    uint64_t address = address_at(r, 2, r->version == 60 ? 3 : 2);
    if (!r->flushing)
        trace_command(r);
    r->flushing = (operation || to_register || bit(d, 8) || bit(d, 20)) && reference_busy(r);
    if (r->flushing)
        return WAIT;
    if (to_register)
        reference_set(r, (uint32_t)address & 0x7ffffc, r->dword[data]);
    else if (operation && !post_sync(r, operation, bit(d, 21), ggtt, address, data))
        return STOP;
    if (bit(d, 8))
        interrupt(r, STREAMER_NOTIFY);
    return DONE;
}

/* Primitives, blits, video. */
static enum outcome work(struct cs_reference *r)
{
    bool predicated = r->shape->number == NUMBER_3DPRIMITIVE && r->version >= 70;
    if (predicated && bit(r->dword[0], 8) && !(r->result & 1))
        return DONE;
    r->machine.busy_until = r->machine.clocks + r->machine.work_clocks;
    machine_log(&r->machine, "work %s %u", r->shape->name, r->length);
    trace_command(r);
    r->worked++;
    return DONE;
}

static uint32_t report_id(const struct cs_reference *r)
{
    return r->dword[r->version >= 80 ? 3 : 2];
}

/* BDW and CHV, if the erratum is on: the first report after a refused one has the other's id. */
static enum outcome report(struct cs_reference *r)
{
    bool corrupt = r->id_quirk && r->id_corrupt;
    machine_log(&r->machine, "report %u:%" PRIx64 " %x%s%s", space_by(r, bit(r->dword[1], 0)),
                address_at(r, 1, 6), corrupt ? r->corrupt_id : report_id(r),
                r->version >= 75 && bit(r->dword[1], 4) ? " core" : "", corrupt ? " corrupt" : "");
    r->id_corrupt = false;
    return DONE;
}

/* ---- the commands by number ------------------------------------------------------------------ */

/* What a batch without privilege must not do. */
static bool is_denied(const struct cs_reference *r, unsigned number)
{
    uint32_t d = r->dword[0];
    switch (number) {
    case 0x08:
    case 0x0b:
    case 0x14:
    case 0x18:
    case 0x21:
    case 0x23:
        return true;
    case 0x16:
        return r->version < 75 && bit(d, 22);
    case 0x1c:
    case 0x20:
    case 0x27:
    case 0x29:
    case 0x2f:
    case 0x36:
        return bit(d, 22);
    case 0x28:
        return bit(r->dword[1], 0);
    case 0x2e:
        return bit(d, 22) || bit(d, 21);
    case 0x31:
        return !bit(d, 8);
    default:
        return false;
    }
}

static enum outcome execute(struct cs_reference *r)
{
    uint32_t d = r->dword[0];
    switch (r->shape->number) {
    case 0x00:
        if (bit(d, 22))
            r->nopid = d & 0x3fffff;
        return DONE;
    case 0x01:
        return reference_set_predicate(r);
    case 0x02:
        interrupt(r, STREAMER_USER_INTERRUPT);
        return DONE;
    case 0x03:
        return wait_for_event(r);
    case 0x04: /* MI_FLUSH, then MI_WAIT_FOR_EVENT_2 */
        return r->version <= 75 && reference_busy(r) ? WAIT : DONE;
    case 0x07:
        return reference_put(r, 0, in_status_page(r, 0x10, false), r->ring_head) ? DONE : STOP;
    case 0x08:
        r->arbitration = bit(d, 0);
        return DONE;
    case 0x0a:
        return batch_end(r);
    case 0x0b:
        r->suspend_flush = bit(d, 0);
        return DONE;
    case 0x0c:
        return reference_predicate(r);
    case 0x16:
        return mailbox(r);
    case 0x18:
        return set_context(r);
    case 0x1a:
        return reference_math(r);
    case 0x1b:
        return bit(d, 21) && reference_busy(r) ? WAIT : DONE;
    case 0x1c:
        return semaphore_wait(r);
    case 0x1d:
        machine_log(&r->machine, "force wakeup %x", r->dword[1]);
        return DONE;
    case 0x20:
        return store_data(r, bit(d, 22));
    case 0x21:
        return store_index(r);
    case 0x22:
        return load_immediate(r);
    case 0x24:
        return store_register(r);
    case 0x26:
        return flush_dw(r);
    case 0x28:
        return report(r);
    case 0x29:
        return load_memory(r);
    case 0x2a:
        return load_register(r);
    case 0x2b:
        return store_data(r, false);
    case 0x2e:
        return copy(r);
    case 0x2f:
        return reference_atomic(r);
    case 0x31:
        return batch_start(r);
    case 0x36:
        return conditional_end(r);
    case NUMBER_PIPE_CONTROL:
        return pipe_control(r);
    case NUMBER_3DPRIMITIVE:
    case NUMBER_COLOR_BLT:
    case NUMBER_VIDEO:
        return work(r);
    default: /* costs time only */
        return DONE;
    }
}

enum outcome reference_execute(struct cs_reference *r)
{
    if (r->noop && r->shape->number != 0x01) {
        r->noops++;
        return DONE;
    }
    if (r->at.privileged || !is_denied(r, r->shape->number))
        return execute(r);
    r->illegal++;
    if (r->shape->number == 0x28 && r->version == 80) {
        r->id_corrupt = true;
        r->corrupt_id = report_id(r);
    }
    return DONE;
}
