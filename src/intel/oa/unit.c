/* SPDX-License-Identifier: MIT */
/* The OA unit: creating, copying and resetting it, and its inputs. */
#include "intel/oa/unit.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "intel/report/layouts.h"

/* ---- creating a unit ------------------------------------------------------------------------- */

static void find_layouts(struct tally_oa *unit)
{
    const char *family = unit->platform->info.layout_family;
    for (size_t i = 0; i < report_layout_count; i++) {
        const struct tally_layout *layout = &report_layouts[i];
        if (!strcmp(layout->family, family) && layout->counter_select < 8)
            unit->layouts[layout->counter_select] = layout;
    }
}

int tally_oa_new(const char *platform, struct tally_oa **out, struct tally_error *error)
{
    const struct intel_sku *sku = intel_sku_modelled(platform, "OA", error);
    if (!sku)
        return -EINVAL;
    const struct intel_platform *modelled = intel_sku_platform(sku);
    const struct reg_index *index = oa_index(modelled->revision);
    struct tally_oa *unit = index ? calloc(1, sizeof *unit) : NULL;
    if (!unit)
        return fail_memory(error, "an OA unit");
    unit->sku = sku;
    unit->platform = modelled;
    unit->variant = modelled->oa;
    unit->index = index;
    unit->ticks_per = unit->tick_clocks = 1;
    find_layouts(unit);
    tally_oa_reset(unit);
    *out = unit;
    return 0;
}

void tally_oa_free(struct tally_oa *unit)
{
    free(unit);
}

size_t tally_oa_size(const struct tally_oa *unit)
{
    return sizeof *unit;
}

int tally_oa_copy(struct tally_oa *to, const struct tally_oa *from)
{
    if (to->sku != from->sku)
        return -EINVAL;
    *to = *from;
    return 0;
}

void tally_oa_reset(struct tally_oa *unit)
{
    memset(unit->regs, 0, sizeof *unit - offsetof(struct tally_oa, regs));
    unit->regs[OA_IMR] = UINT32_MAX;
    unit->groups_stale = true;
    if (unit->options[TALLY_OA_NO_EU_EVENTS])
        memset(unit->flex, 0xff, sizeof unit->flex);
}

/* ---- inputs ---------------------------------------------------------------------------------- */

int tally_oa_drive_noa(struct tally_oa *unit, unsigned bit, const struct tally_wave *wave)
{
    if (bit >= NOA_BITS)
        return -EINVAL;
    unit->noa[bit] = (struct driven_wave){*wave, unit->clock};
    return 0;
}

int tally_oa_drive_a(struct tally_oa *unit, unsigned counter, const struct tally_number *number)
{
    bool flexible = is_map_c(unit) && counter >= FLEX_FIRST && counter < FLEX_FIRST + FLEX_COUNT;
    if (counter >= unit->variant->a_count || flexible)
        return -EINVAL;
    if (!intel_sku_reserves(unit->sku, counter))
        unit->a_input[counter] = (struct driven_number){*number, unit->clock};
    return 0;
}

int tally_oa_set_eus(struct tally_oa *unit, unsigned count)
{
    struct intel_topology all;
    if (!unit->variant->subslices || count > sku_eus(&unit->sku->info))
        return count ? -EINVAL : 0;
    intel_topology_of(unit->sku, 0, &all);
    intel_topology_places(&all, unit->places, count);
    unit->eus = count;
    unit->groups_stale = true;
    return 0;
}

void oa_set_topology(struct tally_oa *unit, const struct intel_topology *topology)
{
    unit->eus = intel_topology_places(topology, unit->places, TALLY_OA_EUS);
    unit->groups_stale = true;
}

int tally_oa_drive_eu(struct tally_oa *unit, unsigned eu, enum tally_oa_eu_signal signal,
                      const struct tally_number *number)
{
    if (eu >= unit->eus || (unsigned)signal >= TALLY_OA_EU_SIGNALS)
        return -EINVAL;
    unit->eu_input[eu][signal] = (struct driven_number){*number, unit->clock};
    unit->groups_stale = true;
    return 0;
}

int tally_oa_select_tap(struct tally_oa *unit, unsigned counter, bool tap)
{
    if (counter >= unit->variant->c_count || (tap && !unit->variant->taps[counter]))
        return -EINVAL;
    unit->tapped[counter] = tap;
    return 0;
}

void tally_oa_switch_context(struct tally_oa *unit, bool valid, uint32_t id)
{
    unit->context_valid = valid;
    unit->context = valid ? id : 0;
    unit->context_event = true;
}

void tally_oa_set_go(struct tally_oa *unit, bool level)
{
    if (unit->go && !level)
        unit->go_event = true;
    unit->go = level;
}

void tally_oa_set_ratios(struct tally_oa *unit, unsigned slice, unsigned unslice)
{
    unit->slice_ratio = (uint16_t)(slice & 0x1ff);
    unit->unslice_ratio = (uint16_t)(unslice & 0x1ff);
    unit->ratio_event = true;
}

void tally_oa_set_instruction(struct tally_oa *unit, uint32_t address)
{
    unit->instruction = address;
}

void tally_oa_set_spacing(struct tally_oa *unit, uint32_t clocks)
{
    unit->spacing = clocks;
}

void tally_oa_set_line_time(struct tally_oa *unit, uint32_t clocks)
{
    unit->line_time = clocks;
}

int tally_oa_set_timestamp(struct tally_oa *unit, uint32_t clocks, uint64_t start)
{
    if (!clocks)
        return -EINVAL;
    if (unit->clock)
        return -EBUSY;
    unit->ticks_per = 1;
    unit->tick_clocks = clocks;
    unit->timestamp = unit->previous_timestamp = start & low_bits(36);
    return 0;
}

int tally_oa_set_clock(struct tally_oa *unit, uint32_t clock_hz, uint32_t timestamp_hz)
{
    uint32_t common = clock_hz, rest = timestamp_hz;
    if (!timestamp_hz || timestamp_hz > clock_hz)
        return -EINVAL;
    while (rest) {
        uint32_t next = common % rest;
        common = rest;
        rest = next;
    }
    /* Keep the elapsed part of the current tick. */
    uint32_t clocks = clock_hz / common;
    unit->tick_phase = unit->tick_phase * clocks / unit->tick_clocks;
    unit->tick_clocks = clocks;
    unit->ticks_per = timestamp_hz / common;
    return 0;
}

uint64_t tally_oa_now(const struct tally_oa *unit)
{
    return unit->clock;
}

void tally_oa_set_bus(struct tally_oa *unit, const struct tally_oa_bus *bus)
{
    unit->bus = *bus;
}

struct tally_oa_reports tally_oa_reports(const struct tally_oa *unit)
{
    return unit->stats;
}

void tally_oa_report(struct tally_oa *unit, uint64_t address, uint32_t id)
{
    uint8_t bytes[REPORT_MAX];
    unsigned size = build_command_report(unit, id, bytes);
    if (size && unit->bus.write)
        unit->bus.write(unit->bus.context, address & ~UINT64_C(63), bytes, size);
}
