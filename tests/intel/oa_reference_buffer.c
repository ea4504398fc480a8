/* SPDX-License-Identifier: MIT */
/* The report in flight, the report buffer and memory (OA-2.10; OA-D30 to OA-D36). */
#include "oa_reference.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 64, PAGE = 4096 };

/* ---- memory -------------------------------------------------------------------------------- */

struct oa_reference_page {
    struct oa_reference_page *next;
    uint64_t number;
    uint8_t bytes[PAGE];
};

static struct oa_reference_page *find_page(const struct oa_reference *ref, uint64_t number)
{
    struct oa_reference_page *page = ref->pages[number % 256];
    while (page && page->number != number)
        page = page->next;
    return page;
}

static void store_byte(struct oa_reference *ref, uint64_t address, uint8_t byte)
{
    uint64_t number = address / PAGE;
    struct oa_reference_page *page = find_page(ref, number);
    if (!page) {
        page = calloc(1, sizeof *page);
        if (!page) {
            ref->out_of_memory = true;
            return;
        }
        page->number = number;
        page->next = ref->pages[number % 256];
        ref->pages[number % 256] = page;
    }
    page->bytes[address % PAGE] = byte;
}

void oa_reference_store(struct oa_reference *ref, uint64_t address, const uint8_t *bytes,
                        unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        store_byte(ref, address + i, bytes[i]);
}

uint8_t oa_reference_memory_byte(const struct oa_reference *ref, uint64_t address)
{
    const struct oa_reference_page *page = find_page(ref, address / PAGE);
    return page ? page->bytes[address % PAGE] : 0;
}

void oa_reference_memory_free(struct oa_reference *ref)
{
    for (unsigned i = 0; i < 256; i++)
        for (struct oa_reference_page *page = ref->pages[i], *next; page; page = next) {
            next = page->next;
            free(page);
        }
}

/* ---- the buffer ---------------------------------------------------------------------------- */

static uint32_t buffer_base(const struct oa_reference *ref)
{
    return ref->state.oabuffer & ~UINT32_C(63);
}

static uint64_t buffer_size(const struct oa_reference *ref)
{
    if (ref->map == OA_REF_MAP_A)
        return UINT64_C(0x4000) * (ref->state.buffer_size + 1);
    if (ref->map == OA_REF_MAP_B)
        return UINT64_C(0x20000) << ref->state.buffer_size;
    return UINT64_C(0x20000) << oa_reference_bits(ref->state.oabuffer, 5, 3);
}

/* OA-D32; the difference of the pointers may be negative. */
uint64_t oa_reference_used(const struct oa_reference *ref)
{
    int64_t size = (int64_t)buffer_size(ref);
    int64_t used = ((int64_t)ref->state.tail - (int64_t)ref->state.head) % size;
    if (used < 0)
        used += size;
    if (used == 0 && ref->state.head_wrap != ref->state.tail_wrap)
        used = size;
    return (uint64_t)used;
}

/* OA-D30. */
static void write_line(struct oa_reference *ref, const uint8_t *bytes)
{
    struct oa_reference_state *state = &ref->state;
    uint64_t address = state->tail;
    if (ref->map == OA_REF_MAP_C)
        address |= (uint64_t)state->oabuffer_high << 32;
    oa_reference_store(ref, address, bytes, LINE);

    uint64_t next = (uint64_t)state->tail + LINE;
    if (next >= buffer_base(ref) + buffer_size(ref)) {
        state->tail = buffer_base(ref);
        state->tail_wrap = !state->tail_wrap;
    } else {
        state->tail = (uint32_t)next;
    }
}

/* ---- the writer (OA-D30)
 * ---------------------------------------------------------------------- */

bool oa_reference_in_flight(const struct oa_reference *ref)
{
    return ref->state.writer.written < ref->state.writer.lines;
}

void oa_reference_writer(struct oa_reference *ref)
{
    struct oa_reference_writer *writer = &ref->state.writer;
    if (!oa_reference_in_flight(ref) || --writer->timer)
        return;
    if (ref->incoherent) { /* all but the first three dwords are of now */
        uint8_t now[OA_REF_REPORT_BYTES];
        unsigned from = writer->written ? LINE * writer->written : 12;
        uint32_t control = ref->state.oacontrol;
        ref->state.oacontrol = writer->control; /* the format of the request */
        oa_reference_pack(ref, 0, now);
        ref->state.oacontrol = control;
        memcpy(writer->bytes + from, now + from, LINE * (writer->written + 1) - from);
    }
    write_line(ref, writer->bytes + LINE * writer->written);
    writer->written++;
    writer->timer = writer->line_time;
}

static void start_writer(struct oa_reference *ref, unsigned reasons, const uint8_t *bytes,
                         unsigned length)
{
    struct oa_reference_writer *writer = &ref->state.writer;
    ref->state.next_report = ref->n + (uint64_t)ref->spacing * (length / LINE);
    if (ref->linetime == 0) {
        for (unsigned offset = 0; offset < length; offset += LINE)
            write_line(ref, bytes + offset);
        return;
    }
    writer->lines = length / LINE;
    writer->written = 0;
    writer->line_time = ref->linetime;
    writer->timer = ref->linetime;
    writer->reasons = reasons;
    writer->control = ref->state.oacontrol;
    memcpy(writer->bytes, bytes, length);
}

/* OA-D33. */
static bool overrun_disabled(const struct oa_reference *ref, unsigned reasons)
{
    if (ref->map == OA_REF_MAP_A)
        return false;
    if (ref->platform == OA_REF_SKL && reasons & OA_REASON_RATIO)
        return false;
    return oa_reference_bit(ref->state.oabuffer, ref->map == OA_REF_MAP_B ? 3 : 1);
}

void oa_reference_buffer_report(struct oa_reference *ref, unsigned reasons, const uint8_t *bytes,
                                unsigned length)
{
    uint64_t size = buffer_size(ref);
    uint64_t used = oa_reference_used(ref);
    bool fits = size - used >= length;
    ref->state.overrun = !fits;
    if (!fits) {
        if (overrun_disabled(ref, reasons))
            return;
        ref->state.buffer_overflow = true;
    }
    /* OA-D34: half full. */
    bool crossed = used < size / 2 && used + length >= size / 2;
    if (crossed && ref->platform == OA_REF_LKF && !oa_reference_bit(ref->state.oa_imr, 28))
        oa_reference_message(ref, 4, 2, 0x1000);
    start_writer(ref, reasons, bytes, length);
}
