/* SPDX-License-Identifier: MIT */
/* Record mode: its counters, the outgoing packet, and the memory that it is written to. */
#include "reference.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory -------------------------------------------------------------------------------- */

enum { PAGE_BYTES = 4096 };

struct reference_page {
    struct reference_page *next;
    uint64_t number;
    bool faulting;
    uint8_t bytes[PAGE_BYTES];
};

/* The page of an address of 40 bits, NULL if nothing was ever done to it. */
static struct reference_page *find_page(const struct reference *ref, uint64_t address)
{
    uint64_t number = (address & ((UINT64_C(1) << 40) - 1)) / PAGE_BYTES;
    struct reference_page *page = ref->pages[number % 256];
    while (page && page->number != number)
        page = page->next;
    return page;
}

static struct reference_page *make_page(struct reference *ref, uint64_t address)
{
    struct reference_page *page = find_page(ref, address);
    if (page)
        return page;
    page = calloc(1, sizeof *page);
    if (!page)
        return NULL;
    page->number = (address & ((UINT64_C(1) << 40) - 1)) / PAGE_BYTES;
    page->next = ref->pages[page->number % 256];
    ref->pages[page->number % 256] = page;
    return page;
}

void reference_memory_free(struct reference *ref)
{
    for (unsigned i = 0; i < 256; i++) {
        struct reference_page *next;
        for (struct reference_page *page = ref->pages[i]; page; page = next) {
            next = page->next;
            free(page);
        }
        ref->pages[i] = NULL;
    }
}

uint8_t reference_memory_byte(const struct reference *ref, uint64_t address)
{
    const struct reference_page *page = find_page(ref, address);
    return page ? page->bytes[address % PAGE_BYTES] : 0;
}

bool reference_memory_fault(struct reference *ref, uint64_t address, bool faulting)
{
    struct reference_page *page = make_page(ref, address);
    if (page)
        page->faulting = faulting;
    return page;
}

/* ---- the outgoing packet ------------------------------------------------------------------- */

/* The address of byte i of a packet written now (PC-D27). */
static uint64_t byte_address(const struct reference_state *state, unsigned i)
{
    return (uint64_t)state->record_address_high << 32 | (uint32_t)(state->record_position + i);
}

static bool packet_faults(const struct reference *ref, const struct reference_state *state)
{
    if (!ref->shared.bound)
        return true;
    for (unsigned i = 0; i < state->packet.length; i++) {
        const struct reference_page *page = find_page(ref, byte_address(state, i));
        if (page && page->faulting)
            return true;
    }
    return false;
}

/* PC-D26; PC-D29 if it faults. */
static void complete_packet(struct reference *ref, struct reference_state *state)
{
    struct reference_packet *packet = &state->packet;
    uint32_t first = state->record_position;
    if (packet_faults(ref, state)) {
        state->record_fault = state->hung = true;
        return;
    }
    for (unsigned i = 0; i < packet->length; i++) {
        uint64_t address = byte_address(state, i);
        struct reference_page *page = make_page(ref, address);
        if (!page)
            abort(); /* a result without it would be wrong */
        page->bytes[address % PAGE_BYTES] = packet->bytes[i];
    }
    state->record_position += packet->length;
    if (first >= state->record_limit)
        state->record_valid = false;
    packet->busy = false;
}

bool reference_packet_clock(struct reference *ref, unsigned dom)
{
    struct reference_state *state = &ref->domain[dom].state;
    if (state->packet.busy && --state->packet.timer == 0)
        complete_packet(ref, state);
    return !state->hung;
}

static void put_word(uint8_t *bytes, unsigned word, uint64_t value)
{
    bytes[2 * word] = (uint8_t)value;
    bytes[2 * word + 1] = (uint8_t)(value >> 8);
}

static void send_packet(const struct reference *ref, struct reference_state *state)
{
    struct reference_packet *packet = &state->packet;
    put_word(packet->bytes, 0, state->record_cycles);
    put_word(packet->bytes, 1, state->record_cycles >> 16);
    put_word(packet->bytes, 2, state->record_cycles >> 32);
    put_word(packet->bytes, 3, state->record_stop);
    for (unsigned i = 0; i < REF_RECORD_COUNTERS; i++)
        put_word(packet->bytes, 4 + i, state->record_events[i]);
    packet->length = state->ctrl >> 20 & 1 ? 16 : 32; /* RECORD_FORMAT */
    packet->timer = ref->latency;
    packet->busy = true;
    memset(state->record_events, 0, sizeof state->record_events);
    state->record_stop = 0;
}

/* ---- counters ------------------------------------------------------------------------------ */

void reference_clear_record_counters(struct reference_state *state)
{
    state->record_cycles = 0;
    state->record_stop = 0;
    memset(state->record_events, 0, sizeof state->record_events);
}

/* PC-D23, PC-D24: count, then trigger. */
void reference_record_step(struct reference *ref, unsigned dom, const struct reference_clock *clock)
{
    struct reference_state *state = &ref->domain[dom].state;
    if (ref->shared.gctrl & 1)
        return; /* RECORD_RESET: the caller cleared the counters */

    state->record_cycles = (state->record_cycles + 1) & ((UINT64_C(1) << 48) - 1);
    if (clock->inputs[IN_STOP] && state->record_stop < 0xfff)
        state->record_stop++;
    bool trigger = state->record_stop != 0;
    for (unsigned i = 0; i < REF_RECORD_COUNTERS; i++) {
        /* PRE_SRC[0..3], START_SRC[0..3], EVENT_SRC[0..3] */
        if (clock->sources[i / 4][i % 4] && state->record_events[i] < 0xffff)
            state->record_events[i]++;
        trigger |= state->record_events[i] >= 0xf000;
    }
    if (trigger && state->record_valid && !state->packet.busy)
        send_packet(ref, state);
}
