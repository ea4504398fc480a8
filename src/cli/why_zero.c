/* SPDX-License-Identifier: MIT */
/* Raw counters that counted nothing, and why. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tally/workload.h>

#include "base/bits.h"
#include "cli/why.h"
#include "intel/oa/registers.h"
#include "intel/platforms.h"
#include "intel/workload/units.h"

/* ---- the workload of a modelled GPU ---------------------------------------------------------- */

/* Finds the workload in the text that tally record writes about itself. */
static bool find_workload(const struct evidence *evidence, char *name, size_t size)
{
    static const char option[] = " --workload ";
    const char *text = evidence->info->provenance, *at = text ? strstr(text, option) : NULL;
    if (!evidence->info->modelled || !at)
        return false;
    at += strlen(option);
    size_t length = strcspn(at, " ,");
    if (!length || length >= size)
        return false;
    snprintf(name, size, "%.*s", (int)length, at);
    return true;
}

/* Gets the flexible events of EU counters that the set selects. */
static void find_flexible(const struct evidence *evidence, uint32_t values[7])
{
    static const uint32_t addresses[7] = {EU_PERF_CNT_CTL0, EU_PERF_CNT_CTL1, EU_PERF_CNT_CTL2,
                                          EU_PERF_CNT_CTL3, EU_PERF_CNT_CTL4, EU_PERF_CNT_CTL5,
                                          EU_PERF_CNT_CTL6};
    struct tally_error error = {0};
    struct tally_register_write *writes = NULL;
    memset(values, 0, 7 * sizeof *values);
    ptrdiff_t count =
        tally_metric_set_writes(evidence->set, "FLEX", &evidence->environment, &writes, &error);
    for (ptrdiff_t i = 0; i < count; i++)
        for (size_t k = 0; k < ARRAY_COUNT(addresses); k++)
            if (writes[i].address == addresses[k])
                values[k] = writes[i].value;
    free(writes);
}

/* The expected counts of a workload over the GPU clocks of the recording. */
struct driven {
    char name[128];
    struct tally_workload_counts counts;
    bool known;
};

static void expect(struct driven *driven, const struct evidence *evidence)
{
    const struct tally_device *device = &evidence->info->device;
    const struct tally_workload_target target = {.platform = tally_device_name(device)};
    struct tally_error error = {0};
    struct tally_workload *workload;
    struct tally_workload_program *program;
    struct tally_workload_cursor cursor;
    uint32_t flexible[7];
    driven->known = false;
    if (!device->platform || !find_workload(evidence, driven->name, sizeof driven->name) ||
        tally_workload_load(driven->name, &workload, &error) < 0)
        return;
    if (tally_workload_bind(workload, &target, NULL, NULL, &program, &error) == 0) {
        find_flexible(evidence, flexible);
        tally_workload_start(program, &cursor);
        tally_workload_expect(&cursor, evidence->deltas[TALLY_SLOT_TICKS], flexible,
                              &driven->counts);
        driven->known = true;
        tally_workload_unbind(program);
    }
    tally_workload_free(workload);
}

/* Writes the units that a raw counter counts on the GPU: "ps.threads, gs.threads". */
static void describe_units(const struct evidence *evidence, enum unit_place place, unsigned index,
                           char *text, size_t size)
{
    const struct tally_sku *sku = tally_sku_find(tally_device_name(&evidence->info->device));
    size_t used = 0;
    text[0] = '\0';
    if (!sku)
        return;
    enum intel_revision revision = intel_sku_platform(intel_sku_of(sku))->revision;
    for (size_t i = 0; i < unit_row_count && used < size; i++)
        if (unit_rows[i].place == place && unit_rows[i].index == index &&
            unit_row_is_of(&unit_rows[i], intel_sku_of(sku), revision))
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                     unit_info(unit_rows[i].unit)->name);
}

static void put_driven_a(struct output *output, const struct evidence *evidence,
                         const struct driven *driven, unsigned a)
{
    char units[256];
    const struct tally_sku *sku = tally_sku_find(tally_device_name(&evidence->info->device));
    describe_units(evidence, PLACE_A, a, units, sizeof units);
    if (!*units && sku && a >= 7 && a <= 20 &&
        intel_sku_platform(intel_sku_of(sku))->aggregates == AGGREGATES_FLEXIBLE)
        snprintf(units, sizeof units, "the event of EUs that EU_PERF_CNT_CTL%u selects",
                 (a - 7) / 2);
    if (!*units || a >= TALLY_WORKLOAD_A)
        output_printf(output, "; no unit of workloads is counted by it (tally list units)");
    else if (!driven->known)
        output_printf(output, "; workloads drive it by %s", units);
    else if (driven->counts.a[a].mean == 0)
        output_printf(output, "; it counts %s, which the workload %s does not drive", units,
                      driven->name);
    else
        output_printf(
            output, "; it counts %s, of which the workload %s drives about %.0f in so many clocks",
            units, driven->name, driven->counts.a[a].mean);
}

static void put_driven_bits(struct output *output, const struct driven *driven)
{
    bool any = false;
    for (unsigned i = 0; i < TALLY_WORKLOAD_NOA; i++) {
        if (driven->counts.noa[i].mean == 0)
            continue;
        if (any)
            output_printf(output, ", %u", i);
        else
            output_printf(output, "; the workload %s drives only the NOA bits %u", driven->name, i);
        any = true;
    }
    if (!any)
        output_printf(output, "; the workload %s drives no bit of the NOA bus", driven->name);
}

/* ---- the registers of the set ---------------------------------------------------------------- */

static size_t count_writes(const struct evidence *evidence, const char *type)
{
    struct tally_error error = {0};
    struct tally_register_write *writes = NULL;
    ptrdiff_t count =
        tally_metric_set_writes(evidence->set, type, &evidence->environment, &writes, &error);
    free(writes);
    return count > 0 ? (size_t)count : 0;
}

static void put_programming(struct output *output, const struct evidence *evidence)
{
    size_t noa = count_writes(evidence, "NOA"), oa = count_writes(evidence, "OA");
    if (!noa && !oa)
        output_printf(output,
                      "; the set %s writes no NOA or OA register on this GPU, so that nothing is "
                      "routed to B and C counters",
                      evidence->set->symbol);
    else
        output_printf(output, "; the set %s routes signals to it by %zu NOA and %zu OA registers",
                      evidence->set->symbol, noa, oa);
}

/* ---- raw counters ---------------------------------------------------------------------------- */

static void put_signal(struct output *output, const struct evidence *evidence, unsigned slot)
{
    unsigned index = slot - TALLY_SLOT_A;
    if (index < evidence->set->signal_count)
        output_printf(output, " (%s: %s)", evidence->set->signals[index].symbol,
                      evidence->set->signals[index].expression);
}

static void put_counter(struct output *output, const struct evidence *evidence,
                        const struct driven *driven, unsigned slot)
{
    char name[16];
    bool is_a = slot >= TALLY_SLOT_A && slot < TALLY_SLOT_B;
    bool is_bc = slot >= TALLY_SLOT_B && slot < TALLY_SLOT_PEC;
    output_printf(output, "    %s", tally_slot_name(slot, name, sizeof name));
    if (is_a && evidence->set->signal_count)
        put_signal(output, evidence, slot);
    output_printf(output, " counted %" PRIu64, evidence->deltas[slot]);
    if (!evidence->deltas[slot] && evidence->info->device.platform) {
        if (is_a && evidence->info->modelled)
            put_driven_a(output, evidence, driven, slot - TALLY_SLOT_A);
        if (is_bc)
            put_programming(output, evidence);
        if (is_bc && driven->known)
            put_driven_bits(output, driven);
    }
    output_text(output, "\n");
}

void explain_zeros(struct output *output, const struct evidence *evidence)
{
    struct driven driven;
    expect(&driven, evidence);
    output_printf(output, "- its equation reads, over the %" PRIu64 " deltas with values:\n",
                  evidence->good);
    for (unsigned slot = 0; slot < TALLY_SLOT_COUNT; slot++)
        if (evidence->used[slot] && slot != TALLY_SLOT_TIMESTAMP)
            put_counter(output, evidence, &driven, slot);
    if (tally_layout_width(evidence->info->layout, TALLY_SLOT_TICKS) &&
        !evidence->used[TALLY_SLOT_TICKS])
        output_printf(output, "  in %" PRIu64 " GPU clocks\n", evidence->deltas[TALLY_SLOT_TICKS]);
}
