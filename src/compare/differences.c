/* SPDX-License-Identifier: MIT */
#include "compare/differences.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/ratio.h"
#include "metrics/phases.h"
#include "pipeline/pipeline.h"

/* Recordings whose lengths differ by less have the same one. */
#define DURATION_TOLERANCE 0.02

int differences_check(const struct comparison *comparison, enum tally_group_by by,
                      struct tally_error *error)
{
    for (int side = 0; side < TALLY_SIDE_COUNT; side++)
        for (size_t i = 0; i < comparison->run_count[side]; i++) {
            const struct tally_recording_info *info = comparison->runs[side][i].info;
            const char *lacks = grouping_lacks(info, by);
            if (lacks) /* "phases": by phase */
                return fail(error, -ENOENT, "--by %.*s: %s carries no %s; expected a recording %s",
                            (int)strlen(lacks) - 1, lacks, info->path, lacks, grouping_source(by));
        }
    return 0;
}

static int add_difference(struct comparison *comparison, const char *name, const char *a,
                          const char *b)
{
    struct compare_difference *grown =
        array_grow(comparison->differences, &comparison->difference_capacity,
                   comparison->difference_count, sizeof *grown);
    if (!grown)
        return -ENOMEM;
    comparison->differences = grown;
    grown += comparison->difference_count++;
    *grown = (struct compare_difference){name, {strdup(a), strdup(b)}};
    return grown->texts[0] && grown->texts[1] ? 0 : -ENOMEM;
}

/* ---- texts of a recording -------------------------------------------------------------------- */

#define TEXT_BYTES 160

static double ns_of(const struct compare_run *run, uint64_t ticks)
{
    return (double)ticks * (double)NS_PER_SECOND / (double)run->info->recorded.timestamp_hz;
}

static void put_time(char text[TEXT_BYTES], double ns)
{
    static const struct {
        double ns;
        const char *unit;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {0, "ns"}};
    size_t i = 0;
    while (ns < units[i].ns)
        i++;
    snprintf(text, TEXT_BYTES, "%.4g %s", ns / (units[i].ns > 0 ? units[i].ns : 1), units[i].unit);
}

static void device_text(const struct compare_run *run, char text[TEXT_BYTES])
{
    const struct tally_sku *sku =
        run->info->device.platform ? tally_sku_of_device(run->info->recorded.device_id) : NULL;
    int used = snprintf(text, TEXT_BYTES, "%s%s", run->info->modelled ? "modelled " : "",
                        sku ? sku->title : tally_device_title(&run->info->device));
    if (run->info->recorded.device_id)
        snprintf(text + used, TEXT_BYTES - (size_t)used, " (0x%04x, revision %u)",
                 run->info->recorded.device_id, run->info->recorded.revision);
}

static void topology_text(const struct compare_run *run, char text[TEXT_BYTES])
{
    const struct tally_topology *topology = &run->info->topology;
    snprintf(text, TEXT_BYTES, "slices %" PRIu32 ", subslices %" PRIu32 ", EUs %" PRIu32,
             topology->slices, topology->subslices, topology->eus);
}

static void set_text(const struct compare_run *run, char text[TEXT_BYTES])
{
    const struct tally_metric_set *set = run->pipeline->set;
    snprintf(text, TEXT_BYTES, "%.60s%s%.60s", set->symbol, *set->uuid ? " " : "", set->uuid);
}

static void layout_text(const struct compare_run *run, char text[TEXT_BYTES])
{
    snprintf(text, TEXT_BYTES, "%s/%s", run->info->layout->family, run->info->layout->name);
}

static void period_text(const struct compare_run *run, char text[TEXT_BYTES])
{
    if (run->info->period_ticks)
        put_time(text, ns_of(run, run->info->period_ticks));
    else
        strcpy(text, "unknown");
}

static void limits_text(const struct compare_run *run, char text[TEXT_BYTES])
{
    snprintf(text, TEXT_BYTES, "%.0f to %.0f MHz", run->info->recorded.gt_min_hz / 1e6,
             run->info->recorded.gt_max_hz / 1e6);
}

static void workload_text(const struct compare_run *run, char text[TEXT_BYTES])
{
    const struct tally_recorded_phases *phases = run->info->phases;
    if (phases)
        snprintf(text, TEXT_BYTES, "%.80s (%zu phases)", phases->workload, phases->count);
    else
        strcpy(text, "unknown");
}

typedef void text_function(const struct compare_run *run, char text[TEXT_BYTES]);

/* Appends the different texts of a side to `joined`. */
static void join_texts(const struct comparison *comparison, int side, text_function *text_of,
                       struct buffer *joined)
{
    char text[TEXT_BYTES], other[TEXT_BYTES];
    for (size_t i = 0; i < comparison->run_count[side]; i++) {
        bool seen = false;
        text_of(&comparison->runs[side][i], text);
        for (size_t k = 0; k < i && !seen; k++) {
            text_of(&comparison->runs[side][k], other);
            seen = !strcmp(text, other);
        }
        if (!seen)
            buffer_printf(joined, "%s%s", i ? "; " : "", text);
    }
    buffer_char(joined, '\0');
}

/* Adds a property if its texts are not the same on both sides, or differ within one. */
static int add_if_different(struct comparison *comparison, const char *name, text_function *text_of)
{
    struct buffer a = {0}, b = {0};
    join_texts(comparison, TALLY_SIDE_A, text_of, &a);
    join_texts(comparison, TALLY_SIDE_B, text_of, &b);
    int result = a.broken || b.broken ? -ENOMEM : 0;
    if (!result && (strcmp(a.bytes, b.bytes) != 0 || strchr(a.bytes, ';')))
        result = add_difference(comparison, name, a.bytes, b.bytes);
    buffer_fini(&a);
    buffer_fini(&b);
    return result;
}

/* ---- losses, length, frequency --------------------------------------------------------------- */

/* Writes the losses of a side. Returns whether there are any. */
static bool losses_text(const struct comparison *comparison, int side, char text[TEXT_BYTES])
{
    uint64_t missing = 0, reports = 0;
    size_t ledger = 0;
    double share = 0, ns = 0;
    for (size_t i = 0; i < comparison->run_count[side]; i++) {
        const struct compare_run *run = &comparison->runs[side][i];
        double length = ns_of(run, run->totals.last_ticks - run->totals.first_ticks);
        missing += run->totals.missing;
        reports += run->totals.reports;
        ledger += run->ledger;
        share += run->lost_share * length;
        ns += length;
    }
    if (!ledger) {
        strcpy(text, "none");
        return false;
    }
    snprintf(text, TEXT_BYTES,
             "%zu entr%s, %" PRIu64 " of %" PRIu64 " reports, %.3g %% of the time", ledger,
             ledger == 1 ? "y" : "ies", missing, missing + reports, ns > 0 ? 100 * share / ns : 0);
    return true;
}

static double mean_duration(const struct comparison *comparison, int side)
{
    double ns = 0;
    for (size_t i = 0; i < comparison->run_count[side]; i++) {
        const struct compare_run *run = &comparison->runs[side][i];
        ns += ns_of(run, run->totals.last_ticks - run->totals.first_ticks);
    }
    return ns / (double)comparison->run_count[side];
}

static int add_losses(struct comparison *comparison)
{
    char a[TEXT_BYTES], b[TEXT_BYTES];
    bool any = losses_text(comparison, TALLY_SIDE_A, a);
    any |= losses_text(comparison, TALLY_SIDE_B, b);
    return any ? add_difference(comparison, "losses", a, b) : 0;
}

static int add_duration(struct comparison *comparison)
{
    char texts[TALLY_SIDE_COUNT][TEXT_BYTES];
    double a = mean_duration(comparison, TALLY_SIDE_A), b = mean_duration(comparison, TALLY_SIDE_B);
    if (fabs(a - b) <= DURATION_TOLERANCE * fmax(a, b))
        return 0;
    put_time(texts[TALLY_SIDE_A], a);
    put_time(texts[TALLY_SIDE_B], b);
    return add_difference(comparison, "duration", texts[TALLY_SIDE_A], texts[TALLY_SIDE_B]);
}

/* The frequency of the GPU is a counter: it differs if that has changed in total. */
static int add_frequency(struct comparison *comparison)
{
    char texts[TALLY_SIDE_COUNT][TEXT_BYTES];
    const struct compare_group *total = &comparison->groups[comparison->group_count - 1];
    for (size_t i = 0; i < total->count; i++) {
        const struct compare_change *change = &comparison->changes[total->first + i];
        if (strcmp(comparison->counters[change->counter].symbol, "AvgGpuCoreFrequency") != 0 ||
            !change->changed)
            continue;
        for (int side = 0; side < TALLY_SIDE_COUNT; side++)
            snprintf(texts[side], TEXT_BYTES, "%.4g MHz", change->result.means[side] / 1e6);
        return add_difference(comparison, "frequency", texts[TALLY_SIDE_A], texts[TALLY_SIDE_B]);
    }
    return 0;
}

/* Too few samples: no change could be significant. */
static int add_too_few(struct comparison *comparison)
{
    char texts[TALLY_SIDE_COUNT][TEXT_BYTES];
    const struct compare_change *largest = NULL;
    for (size_t i = 0; i < comparison->change_count; i++) {
        const struct compare_change *change = &comparison->changes[i];
        if (!change->result.constant &&
            (!largest || change->result.blocks[0] + change->result.blocks[1] >
                             largest->result.blocks[0] + largest->result.blocks[1]))
            largest = change;
    }
    if (!largest || stat_p_min(largest->result.blocks[0], largest->result.blocks[1]) *
                            (double)comparison->tests <
                        comparison->alpha)
        return 0;
    for (int side = 0; side < TALLY_SIDE_COUNT; side++)
        snprintf(texts[side], TEXT_BYTES, "%zu, too few for any change to be significant",
                 largest->result.blocks[side]);
    return add_difference(comparison, "samples", texts[TALLY_SIDE_A], texts[TALLY_SIDE_B]);
}

static int add_counters(struct comparison *comparison)
{
    char texts[TALLY_SIDE_COUNT][TEXT_BYTES];
    if (!comparison->only[TALLY_SIDE_A] && !comparison->only[TALLY_SIDE_B])
        return 0;
    for (int side = 0; side < TALLY_SIDE_COUNT; side++)
        snprintf(texts[side], TEXT_BYTES, "%zu that the other does not have",
                 comparison->only[side]);
    return add_difference(comparison, "counters", texts[TALLY_SIDE_A], texts[TALLY_SIDE_B]);
}

int differences_find(struct comparison *comparison, struct tally_error *error)
{
    static const struct {
        const char *name;
        text_function *text_of;
    } rows[] = {
        {"device", device_text},     {"topology", topology_text}, {"set", set_text},
        {"layout", layout_text},     {"period", period_text},     {"frequency limits", limits_text},
        {"workload", workload_text},
    };
    int result = add_losses(comparison);
    for (size_t i = 0; !result && i < ARRAY_COUNT(rows); i++)
        result = add_if_different(comparison, rows[i].name, rows[i].text_of);
    if (!result)
        result = add_counters(comparison);
    if (!result)
        result = add_duration(comparison);
    if (!result)
        result = add_too_few(comparison);
    if (!result)
        result = add_frequency(comparison);
    return result < 0 ? fail_memory(error, "differences") : 0;
}
