/* SPDX-License-Identifier: MIT */
/* Builds reports and writes them to the report buffer (OA-2.8 to OA-2.10; OA-D25 to OA-D34). */
#include <string.h>

#include "base/bits.h"
#include "intel/oa/unit.h"

#define LINE 64u

static unsigned counter_select(const struct tally_oa *unit)
{
    return REG_GET(GEN8_OACONTROL, COUNTER_SELECT, unit->regs[OA_CONTROL]); /* in all maps */
}

/* ---- contents -------------------------------------------------------------------------------- */

static unsigned report_bytes(const struct tally_oa *unit)
{
    const struct tally_layout *layout = unit->layouts[counter_select(unit)];
    return layout ? layout->size_bytes : LINE;
}

static void put_header(const struct tally_oa *unit, uint32_t id, uint8_t bytes[REPORT_MAX])
{
    memset(bytes, 0, LINE);
    store_le32(bytes, id);
    store_le32(bytes + 4, (uint32_t)unit->timestamp);
    store_le32(bytes + 8, is_map_c(unit) ? (unit->context_valid ? unit->context : 0)
                                         : (uint32_t)(unit->timestamp >> 32));
    if (is_map_c(unit))
        store_le32(bytes + 12, unit->ticks);
}

/* Clears the slots and fills in those of the header. */
static void fill_header(const struct tally_oa *unit, uint32_t id, uint64_t slots[TALLY_SLOT_COUNT])
{
    memset(slots, 0, TALLY_SLOT_COUNT * sizeof *slots);
    slots[TALLY_SLOT_ID] = id;
    slots[TALLY_SLOT_TIMESTAMP] = (uint32_t)unit->timestamp;
    slots[TALLY_SLOT_TIMESTAMP_UPPER] = unit->timestamp >> 32;
    slots[TALLY_SLOT_CONTEXT] = unit->context_valid ? unit->context : 0;
    slots[TALLY_SLOT_TICKS] = unit->ticks;
    slots[TALLY_SLOT_INSTRUCTION] = unit->instruction;
}

/* Builds a report of a layout; NULL: of a format that is not listed. */
static void build_in(const struct tally_oa *unit, const struct tally_layout *layout, uint32_t id,
                     uint8_t bytes[REPORT_MAX])
{
    uint64_t slots[TALLY_SLOT_COUNT];
    if (!layout) { /* formats that are not listed (OA-D29) */
        put_header(unit, id, bytes);
        return;
    }
    fill_header(unit, id, slots);
    memcpy(&slots[TALLY_SLOT_A], unit->a, sizeof unit->a);
    memcpy(&slots[TALLY_SLOT_B], unit->b, sizeof unit->b);
    memcpy(&slots[TALLY_SLOT_C], unit->c, sizeof unit->c);
    tally_report_pack(layout, slots, bytes);
}

#define FULL_SELECT 5u /* the layout of 256 bytes, with all counters */

void build_report(const struct tally_oa *unit, uint32_t id, uint8_t bytes[REPORT_MAX])
{
    build_in(unit, unit->layouts[counter_select(unit)], id, bytes);
}

/* Builds a report of the running context's counters, in the format that the context has selected.
 * All counters are 0 if it does not have OAR (IGT-3.4). */
static unsigned build_oar_report(const struct tally_oa *unit, uint32_t id,
                                 uint8_t bytes[REPORT_MAX])
{
    const struct oar *oar = &unit->oar;
    unsigned select =
        has_oar(unit) ? REG_GET(GEN12_OAR_OACONTROL, COUNTER_SELECT, oar->control) : FULL_SELECT;
    const struct tally_layout *layout = unit->layouts[select];
    uint64_t slots[TALLY_SLOT_COUNT];
    if (!layout) {
        put_header(unit, id, bytes);
        return LINE;
    }
    fill_header(unit, id, slots);
    if (has_oar(unit)) {
        memcpy(&slots[TALLY_SLOT_A], oar->a, sizeof oar->a);
        memcpy(&slots[TALLY_SLOT_B], oar->b, sizeof oar->b);
        memcpy(&slots[TALLY_SLOT_C], oar->c, sizeof oar->c);
    }
    tally_report_pack(layout, slots, bytes);
    return layout->size_bytes;
}

unsigned build_command_report(const struct tally_oa *unit, uint32_t id, uint8_t bytes[REPORT_MAX])
{
    if (is_map_d(unit))
        return build_oar_report(unit, id, bytes);
    if (!is_enabled(unit)) /* the command does nothing (OA-D29) */
        return 0;
    build_report(unit, id, bytes);
    return report_bytes(unit);
}

/* Returns the fields of RPT_ID with the clock ratios: the slices' in two parts, and the unslice's.
 */
static uint32_t ratios_in_id(const struct tally_oa *unit)
{
    uint32_t slice = unit->slice_ratio;
    uint32_t high = REG_GET(CLOCK_RATIO, BITS_8_7, slice);
    if (is_map_d(unit))
        return REG_PUT(GEN12_RPT_ID, SLICE_RATIO_LOW, REG_GET(CLOCK_RATIO, BITS_6_1, slice)) |
               REG_PUT(GEN12_RPT_ID, SLICE_RATIO_HIGH, high) |
               REG_PUT(GEN12_RPT_ID, UNSLICE_RATIO, unit->unslice_ratio);
    return REG_PUT(GEN9_RPT_ID, SLICE_RATIO_LOW, REG_GET(CLOCK_RATIO, BITS_6_0, slice)) |
           REG_PUT(GEN9_RPT_ID, SLICE_RATIO_HIGH, high) |
           REG_PUT(GEN9_RPT_ID, UNSLICE_RATIO, unit->unslice_ratio);
}

/* Returns the RPT_ID of a report that is not requested by MI_REPORT_PERF_COUNT (OA-D28). */
static uint32_t report_id(const struct tally_oa *unit, unsigned reasons)
{
    if (!is_map_c(unit))
        return REG_PUT(GEN6_RPT_ID, REASON, reasons);
    unsigned block = (reasons & TALLY_REASON_TRIGGER_2) && !(reasons & TALLY_REASON_TRIGGER_1);
    uint32_t inverts = unit->regs[OA_REPORT_TRIG + 4 * block + 1];
    /* in all layouts */
    uint32_t id = REG_PUT(GEN8_RPT_ID, STARTED, unit->start[block].fired) |
                  REG_PUT(GEN8_RPT_ID, THRESHOLD_ENABLE,
                          REG_GET(OAREPORTTRIG_INVERTS, THRESHOLD_ENABLE, inverts));
    bool ratios =
        unit->variant->ratio_reports && REG_GET(GEN9_OA_DEBUG, RATIOS_IN_ID, unit->regs[OA_DEBUG]);
    if (is_map_d(unit))
        return id | REG_PUT(GEN12_RPT_ID, REASON, reasons) |
               REG_PUT(GEN12_RPT_ID, CONTEXT_VALID, unit->context_valid) |
               (ratios ? ratios_in_id(unit) : 0);
    if (ratios)
        return id | REG_PUT(GEN9_RPT_ID, REASON, reasons) |
               REG_PUT(GEN9_RPT_ID, CONTEXT_VALID, unit->context_valid) | ratios_in_id(unit);
    return id | REG_PUT(GEN8_RPT_ID, REASON, reasons & ~(unsigned)TALLY_REASON_CLOCK_RATIO_CHANGE) |
           REG_PUT(GEN8_RPT_ID, CONTEXT_VALID, unit->context_valid) |
           REG_PUT(GEN8_RPT_ID, TIMER_ENABLE,
                   REG_GET(GEN8_OACTXCONTROL, TIMER_ENABLE, unit->regs[OA_CTXCONTROL]));
}

/* ---- the buffer ------------------------------------------------------------------------------ */

uint32_t buffer_size(const struct tally_oa *unit)
{
    if (is_map_c(unit))
        return UINT32_C(131072) << REG_GET(GEN8_OABUFFER, SIZE, unit->regs[OA_BUFFER]);
    return unit->variant->large_buffers ? UINT32_C(131072) << unit->size_code
                                        : UINT32_C(16384) * (unit->size_code + 1);
}

uint32_t buffer_used(const struct tally_oa *unit)
{
    int64_t size = buffer_size(unit), used = ((int64_t)unit->tail - unit->head) % size;
    if (used < 0)
        used += size;
    if (!used && unit->head_wrap != unit->tail_wrap)
        used = size;
    return (uint32_t)used;
}

static bool overrun_disabled(const struct tally_oa *unit)
{
    if (is_map_c(unit))
        return REG_GET(GEN8_OABUFFER, OVERRUN_DISABLE, unit->regs[OA_BUFFER]);
    return unit->variant->overrun_in_buffer &&
           REG_GET(GEN7_OABUFFER, OVERRUN_DISABLE, unit->regs[OA_BUFFER]);
}

#define HEADER_BYTES 12 /* RPT_ID and TIME_STAMP, which belong to the request */

/* Updates the current line with the current counters: they are not frozen (OA-2.7, SNB). The format
 * is that of the request. */
static void sample_late(struct tally_oa *unit)
{
    struct in_flight *flight = &unit->flight;
    uint8_t now[REPORT_MAX];
    unsigned from = flight->line ? LINE * flight->line : HEADER_BYTES;
    build_in(unit, flight->layout, 0, now);
    memcpy(flight->bytes + from, now + from, LINE * (flight->line + 1u) - from);
}

/* Writes a line at the tail and advances it (OA-D30). */
void write_line(struct tally_oa *unit)
{
    struct in_flight *flight = &unit->flight;
    uint64_t high = is_map_c(unit) ? (uint64_t)unit->regs[OA_BUFFER_UDW] << 32 : 0;
    uint32_t base = unit->regs[OA_BUFFER] & ~(LINE - 1);
    if (unit->options[TALLY_OA_INCOHERENT] && flight->line_time)
        sample_late(unit);
    if (unit->bus.write)
        unit->bus.write(unit->bus.context, high | unit->tail, flight->bytes + LINE * flight->line,
                        LINE);
    if ((uint64_t)unit->tail + LINE >= (uint64_t)base + buffer_size(unit)) {
        unit->tail = base;
        unit->tail_wrap = !unit->tail_wrap;
    } else {
        unit->tail += LINE;
    }
    if (++flight->line == flight->lines) {
        flight->active = false;
        flight->blocks = 0;
    }
}

/* Checks for free bytes in the buffer: updates Overrun and Buffer Overflow, and notifies of a
 * buffer that becomes half full (OA-D33, OA-D34). Returns false if the report is skipped. */
static bool check_space(struct tally_oa *unit, unsigned reasons, uint32_t bytes)
{
    uint32_t size = buffer_size(unit), used = buffer_used(unit);
    bool fits = size - used >= bytes;
    unit->flags = fits ? unit->flags & ~FLAG_OVERRUN : unit->flags | FLAG_OVERRUN;
    if (!fits) {
        bool written_anyway =
            unit->variant->ratio_beats_overrun && (reasons & TALLY_REASON_CLOCK_RATIO_CHANGE);
        if (overrun_disabled(unit) && !written_anyway)
            return false;
        unit->flags |= FLAG_BUFFER_OVERFLOW;
    }
    bool masked = is_map_c(unit) && REG_GET(GEN8_OA_IMR, HALF_FULL, unit->regs[OA_IMR]);
    if (used < size / 2 && used + bytes >= size / 2 && !masked && unit->bus.half_full)
        unit->bus.half_full(unit->bus.context);
    return true;
}

void sample_report(struct tally_oa *unit, uint64_t clock, unsigned reasons)
{
    struct in_flight *flight = &unit->flight;
    uint32_t bytes = report_bytes(unit);
    uint64_t number = ++unit->stats.requested;
    bool accepted = !unit->bus.sample ||
                    unit->bus.sample(unit->bus.context, number, reasons & TALLY_REASON_TIMER);
    /* A request is lost while a report is in flight (OA-D26), or if `sample` returns false. */
    if (flight->active || !accepted) {
        unit->stats.lost++;
        if (unit->variant->has_report_lost)
            unit->flags |= FLAG_LOST;
        return;
    }
    if (!check_space(unit, reasons, bytes)) {
        unit->stats.refused++;
        return;
    }
    unit->stats.written++;
    flight->number = number;
    build_report(unit, report_id(unit, reasons), flight->bytes);
    flight->active = true;
    flight->layout = unit->layouts[counter_select(unit)];
    flight->line = 0;
    flight->lines = (uint8_t)(bytes / LINE);
    flight->blocks = (uint8_t)(reasons / TALLY_REASON_TRIGGER_1 & 3);
    flight->line_time = unit->line_time;
    unit->next_report = clock + (uint64_t)unit->spacing * flight->lines;
    if (unit->line_time) {
        flight->due = unit->line_time - 1; /* seen from the next clock */
        return;
    }
    while (flight->active)
        write_line(unit);
}
