/* SPDX-License-Identifier: MIT */
/* Record mode: counts twelve signals into packets, which are written to memory one at a time. */
#include <string.h>

#include "base/bits.h"
#include "nvidia/pcounter/engine.h"

#define CYCLES_MASK ((UINT64_C(1) << PACKET_CYCLES_WIDTH) - 1)

/* ---- memory ---------------------------------------------------------------------------------- */

/*
 * Writes the outgoing packet to memory, at the address that is current at this time (PC-D26) and
 * wraps at 4 GiB (PC-D27). A fault hangs the domain (PC-D29). The limit is compared with the
 * packet's first byte (PC-E14).
 */
void complete_packet(const struct tally_pcounter *engine, struct domain *domain)
{
    const struct tally_pcounter_memory *memory = &engine->memory;
    struct outgoing *outgoing = &domain->outgoing;
    uint64_t high = (uint64_t)domain->regs[REG_RECORD_ADDRESS_HIGH] << 32;
    uint32_t start = domain->position;
    /* Addresses have 32 bits: the packet may wrap around to 0. */
    uint64_t space = (UINT64_C(1) << 32) - start;
    size_t first = outgoing->bytes < space ? outgoing->bytes : (size_t)space;
    size_t second = outgoing->bytes - first;
    bool faults = !engine->bound;
    if (!faults && memory->faults)
        faults = memory->faults(memory->context, high | start, first) ||
                 (second && memory->faults(memory->context, high, second));
    if (faults) {
        domain->fault = domain->hung = true;
        return;
    }
    if (memory->write) {
        memory->write(memory->context, high | start, outgoing->data, first);
        if (second)
            memory->write(memory->context, high, outgoing->data + first, second);
    }
    domain->position = start + outgoing->bytes;
    if (start >= domain->regs[REG_RECORD_LIMIT])
        domain->valid = false;
    outgoing->busy = false;
}

static void send_packet(const struct tally_pcounter *engine, struct domain *domain)
{
    bool long_format =
        REG_GET(NV40_CTRL, RECORD_FORMAT, domain->regs[REG_CTRL]) == PCOUNTER_RECORD_FORMAT__LONG;
    struct outgoing *outgoing = &domain->outgoing;
    packet_pack(&domain->record, long_format, outgoing->data);
    outgoing->bytes = (uint8_t)packet_size(long_format);
    outgoing->busy = true;
    outgoing->due = engine->latency - 1; /* seen from the next clock */
    /* The cycle counter is not reset (PC-D24, PC-E16). */
    domain->record.stop = 0;
    memset(domain->record.counts, 0, sizeof domain->record.counts);
}

/* ---- counting -------------------------------------------------------------------------------- */

static const uint64_t *counted(const struct domain *domain, const struct workspace *w,
                               unsigned counter)
{
    return w->signals[domain->plan.source_use[counter / 4][counter % 4]];
}

static uint16_t add(uint16_t value, uint64_t count, uint16_t max)
{
    return count >= (uint64_t)(max - value) ? max : (uint16_t)(value + count);
}

static void count_into_packet(struct domain *domain, const struct workspace *w, uint64_t from,
                              uint64_t to)
{
    struct pcounter_packet *record = &domain->record;
    record->cycles = (record->cycles + (to - from)) & CYCLES_MASK;
    record->stop = add(record->stop, w->kernels->count(w->inputs[STOP], from, to), PACKET_STOP_MAX);
    for (unsigned i = 0; i < PACKET_COUNTS; i++)
        record->counts[i] =
            add(record->counts[i], w->kernels->count(counted(domain, w, i), from, to),
                PACKET_COUNT_MAX);
}

/* Returns the first clock of [from, to) after which a packet is due (PC-D24), or `to`. */
static uint64_t next_trigger(const struct domain *domain, const struct workspace *w, uint64_t from,
                             uint64_t to)
{
    const struct pcounter_packet *record = &domain->record;
    if (record->stop)
        return from;
    uint64_t at = next_one(w->inputs[STOP], from, to);
    for (unsigned i = 0; i < PACKET_COUNTS; i++) {
        if (record->counts[i] >= PACKET_COUNT_FULL)
            return from;
        uint64_t missing = (uint64_t)(PACKET_COUNT_FULL - record->counts[i]);
        if (missing <= at - from)
            at = nth_one(counted(domain, w, i), missing, from, at);
    }
    return at;
}

static void clear_counters(struct domain *domain)
{
    memset(&domain->record, 0, sizeof domain->record);
}

uint64_t count_record(const struct tally_pcounter *engine, struct domain *domain,
                      struct workspace *w)
{
    struct outgoing *outgoing = &domain->outgoing;
    bool reset = REG_GET(PCOUNTER_GCTRL, RECORD_RESET, engine->gctrl);
    uint64_t at = 0;
    while (at < w->clocks) {
        if (outgoing->busy && !outgoing->due) {
            complete_packet(engine, domain);
            if (domain->hung)
                return at;
        }
        uint64_t end = w->clocks;
        if (outgoing->busy && outgoing->due < end - at)
            end = at + outgoing->due;
        if (reset) {
            clear_counters(domain);
        } else {
            uint64_t trigger = end;
            if (domain->valid && !outgoing->busy)
                trigger = next_trigger(domain, w, at, end);
            if (trigger < end) { /* this clock still counts into the packet (PC-D23) */
                count_into_packet(domain, w, at, trigger + 1);
                send_packet(engine, domain);
                at = trigger + 1;
                continue;
            }
            count_into_packet(domain, w, at, end);
        }
        if (outgoing->busy)
            outgoing->due -= (uint32_t)(end - at);
        at = end;
    }
    return at;
}
