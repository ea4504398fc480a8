/* SPDX-License-Identifier: MIT */
/* Tables for terminals. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <tally/chipset.h>

#include "base/bits.h"
#include "base/error.h"
#include "sink/checks.h"
#include "sink/comparison.h"
#include "sink/info.h"
#include "sink/lists.h"
#include "sink/number.h"
#include "sink/packets.h"
#include "sink/reports.h"
#include "sink/sink.h"

#define NAME_WIDTH  30
#define VALUE_WIDTH 12
#define LINE_WIDTH  80
/* A row of a summary has at most 80 columns, 8 of them for the unit. */
#define STATISTIC_NAME  20
#define STATISTIC_WIDTH 7
#define COLUMNS_MAX     6 /* with more counters, each delta is a block of lines */

static void put_styled(struct output *output, const char *sgr, const char *text)
{
    output_style(output, sgr);
    output_escaped(output, text);
    output_style(output, "0");
}

static bool put_quantity(struct output *output, double value, const char *units, int width)
{
    char text[64];
    bool named = format_quantity(text, sizeof text, value, units);
    output_right(output, isnan(value) ? "-" : text, width); /* "-": not defined */
    return named;
}

static void put_missing(struct output *output, const struct sink_context *context);

/* Prints the path of the recording: after `used` columns if it fits, else on a line of its own, of
 * which the beginning is left out if that is too long. */
static void put_path(struct output *output, const char *path, int used)
{
    int width = shown_width(path);
    if (used + 2 + width <= LINE_WIDTH) {
        output_printf(output, ", %s\n", path);
        return;
    }
    for (; width > LINE_WIDTH - 5; path++)
        width -= ((unsigned char)path[1] & 0xc0) != 0x80;
    output_printf(output, "\n  %s%s\n", width == LINE_WIDTH - 5 ? "..." : "", path);
}

static void put_title(struct output *output, const struct sink_context *context)
{
    const struct tally_recording_info *info = context->info;
    char device[DEVICE_TEXT_BYTES], text[DEVICE_TEXT_BYTES + 80];
    int used = snprintf(text, sizeof text, "%s", sink_device_title(device, info));
    if (info->recorded.device_id)
        used += snprintf(text + used, sizeof text - (size_t)used, " (%s, device 0x%04x)",
                         info->device.chipset, info->recorded.device_id);
    if (!info->chipset)
        used += snprintf(text + used, sizeof text - (size_t)used, ", %" PRIu32 " EUs",
                         info->topology.eus);
    output_style(output, "1");
    output_printf(output, "%s", context->set->name);
    output_style(output, "0");
    bool fits = shown_width(context->set->name) + 2 + used <= LINE_WIDTH;
    output_printf(output, "%s%s", fits ? "  " : "\n  ", text);
    put_path(output, info->path, fits ? shown_width(context->set->name) + 2 + used : 2 + used);
    if (*info->recorded.set_uuid && strcasecmp(info->recorded.set_uuid, context->set->uuid) != 0) {
        output_printf(output, "Recorded with metric set %s,\nevaluated with %s",
                      info->recorded.set_uuid, context->set->uuid);
        put_path(output, context->set->file, 15 + shown_width(context->set->uuid));
        output_text(output, "Counters of programmed events may differ.\n");
    }
    if (info->signals && info->signals->passes > 1)
        output_printf(output,
                      "Counted in %u passes, in turn: each counter covers a part of the time "
                      "(tally info).\n",
                      info->signals->passes);
    put_missing(output, context);
}

/* Prints how many counters of the set these reports do not have. */
static void put_missing(struct output *output, const struct sink_context *context)
{
    size_t counts[3] = {0};
    for (size_t i = 0; i < context->set->counter_count; i++)
        counts[tally_program_state(context->program, i)]++;
    for (unsigned state = TALLY_COUNTER_UNAVAILABLE; state <= TALLY_COUNTER_UNSUPPORTED; state++)
        if (counts[state])
            output_printf(output, "%zu of its %zu counters are %s on this GPU and layout.\n",
                          counts[state], context->set->counter_count,
                          tally_counter_state_name((enum tally_counter_state)state));
}

/* ---- deltas: a row or a block of lines each ------------------------------------------------ */

static void begin_deltas(struct output *output, const struct sink_context *context)
{
    put_title(output, context);
    if (context->counter_count > COLUMNS_MAX)
        return;
    output_style(output, "1");
    output_printf(output, "\n%8s %14s %12s %10s %-15s", "report", "start", "length", "context",
                  "reason");
    for (size_t i = 0; i < context->counter_count; i++)
        output_printf(output, " %20s", context->set->counters[context->counters[i]].symbol);
    output_style(output, "0");
    output_text(output, "\n");
}

static void put_delta_value(struct output *output, const struct sink_context *context,
                            size_t counter, size_t i, uint8_t state, int width)
{
    const union tally_value *values = tally_program_values(context->program, counter);
    const struct tally_counter *info = &context->set->counters[counter];
    if (state != TALLY_STATE_OK)
        output_right(output, tally_state_name((enum tally_state)state), width);
    else if (values)
        put_quantity(output, tally_value_double(values[i], info->type), info->units, width);
}

static void deltas(struct output *output, const struct sink_context *context,
                   const struct tally_batch *batch, size_t start, size_t count)
{
    uint64_t origin = context->origin_ticks;
    for (size_t i = 0; i < count; i++) {
        size_t at = start + i;
        char name[16], reasons[GROUP_TEXT_BYTES];
        uint64_t from = ticks_to_ns(context->info, batch->gpu_ticks[at] - origin);
        uint64_t length =
            ticks_to_ns(context->info, batch->gpu_ticks[at + 1] - batch->gpu_ticks[at]);
        context_text(name, context->info, batch->contexts[at]);
        reasons_text(reasons, batch->reasons[at]);
        bool rows = context->counter_count <= COLUMNS_MAX;
        output_printf(output, rows ? "%8" PRIu64 " " : "\nreport %" PRIu64 "  ",
                      batch->first_index + at);
        put_quantity(output, (double)from, "ns", rows ? 14 : 0);
        output_text(output, rows ? " " : " + ");
        put_quantity(output, (double)length, "ns", rows ? VALUE_WIDTH : 0);
        output_printf(output, rows ? " %10s %-15s" : "  context %s  %s", name, reasons);
        for (size_t c = 0; rows && c < context->counter_count; c++) {
            output_text(output, " ");
            put_delta_value(output, context, context->counters[c], i, batch->states[at], 20);
        }
        output_text(output, "\n");
        for (size_t c = 0; !rows && c < context->counter_count; c++) {
            output_printf(output, "  %-*s", NAME_WIDTH,
                          context->set->counters[context->counters[c]].symbol);
            put_delta_value(output, context, context->counters[c], i, batch->states[at],
                            VALUE_WIDTH);
            output_text(output, "\n");
        }
    }
}

/* ---- summaries ----------------------------------------------------------------------------- */

static void put_group_title(struct output *output, const struct sink_context *context,
                            const struct tally_group *group)
{
    char key[GROUP_TEXT_BYTES], text[64];
    group_text(key, context->info, group);
    output_style(output, "1;36");
    if (group->by == TALLY_BY_CONTEXT)
        output_printf(output, "\ncontext %s", key);
    else if (group->by == TALLY_BY_REASON)
        output_printf(output, "\nreason %s", key);
    else if (group->by == TALLY_BY_NOTHING)
        output_text(output, "\ntotal");
    else if (group->by == TALLY_BY_PHASE && group->key == TALLY_KEY_CHANGE)
        output_text(output, "\nbetween phases");
    else if (group->by == TALLY_BY_PHASE)
        output_printf(output, "\nphase %s of %s", key, context->info->phases->workload);
    else if (group->by == TALLY_BY_FRAME && context->info->marks && context->info->marks->frames)
        output_printf(output, "\nframe %s", key);
    else if (group->by == TALLY_BY_FRAME)
        output_printf(output, "\nframe %s of %s", key, context->info->phases->workload);
    else if (group->by == TALLY_BY_MARK && group->key == TALLY_KEY_CHANGE)
        output_text(output, "\nbetween marks");
    else if (group->by == TALLY_BY_MARK && !group->key)
        output_text(output, "\nwithout a mark");
    else if (group->by == TALLY_BY_MARK)
        output_printf(output, "\nmark %s", key);
    else {
        uint64_t since = group->first_ticks - context->origin_ticks;
        format_quantity(text, sizeof text, (double)ticks_to_ns(context->info, since), "ns");
        output_printf(output, "\nfrom %s", text);
    }
    output_style(output, "0");
    format_quantity(text, sizeof text, (double)ticks_to_ns(context->info, group->ticks), "ns");
    output_printf(output, "  %" PRIu64 " deltas, %s", group->deltas, text);
    if (group->lost) {
        output_style(output, "31");
        output_printf(output, ", %" PRIu64 " lost", group->lost);
        output_style(output, "0");
    }
    output_text(output, "\n");
}

/* What a group says about a counter. */
enum content { HAS_VALUES, STAYED_ZERO, NOT_DEFINED };

static enum content content_of(const struct tally_statistic *statistic)
{
    double values[STATISTIC_COUNT];
    bool defined = false, zero = true;
    statistic_values(statistic, values);
    for (size_t i = 0; i < STATISTIC_COUNT; i++) {
        defined |= !isnan(values[i]);
        zero &= isnan(values[i]) || values[i] == 0;
    }
    return !defined ? NOT_DEFINED : zero ? STAYED_ZERO : HAS_VALUES;
}

static void put_statistic(struct output *output, const struct tally_counter *counter,
                          const struct tally_statistic *statistic)
{
    const char *unit = "";
    double values[STATISTIC_COUNT];
    statistic_values(statistic, values);
    if (shown_width(counter->symbol) > STATISTIC_NAME) /* on a line of its own */
        output_printf(output, "  %s\n%*s", counter->symbol, STATISTIC_NAME + 2, "");
    else
        output_printf(output, "  %-*s", STATISTIC_NAME, counter->symbol);
    for (size_t v = 0; v < STATISTIC_COUNT; v++) {
        char text[64];
        unit = format_compact(text, sizeof text, values[v], counter->units);
        output_right(output, isnan(values[v]) ? "-" : text, STATISTIC_WIDTH); /* "-": not defined */
    }
    output_printf(output, " %s\n", unit);
}

/* Prints how many counters are not in the table, and why. */
static void put_folded(struct output *output, size_t zero, size_t undefined)
{
    if (!zero && !undefined)
        return;
    output_text(output, "  ");
    if (zero)
        output_printf(output, "%zu counter%s stayed 0", zero, zero == 1 ? "" : "s");
    if (undefined)
        output_printf(output, zero ? ", %zu had no value" : "%zu counters had no value", undefined);
    output_text(output, " (--all shows them)\n");
}

/* Returns the section of a counter. */
static const char *section_of(const struct sink_context *context, size_t i)
{
    const struct tally_counter *counter = &context->set->counters[context->counters[i]];
    return context->by_unit ? counter->units : counter->group;
}

/* Returns whether a counter before element `i` is in the same section. */
static bool is_in_earlier_section(const struct sink_context *context, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (!strcmp(section_of(context, k), section_of(context, i)))
            return true;
    return false;
}

/* Prints the counters from element `first` on that are in its section. */
static void put_section(struct output *output, const struct sink_context *context, size_t first,
                        const struct tally_statistic *statistics, size_t folded[3])
{
    const char *section = section_of(context, first);
    bool titled = !*section;
    for (size_t i = first; i < context->counter_count; i++) {
        const struct tally_counter *counter = &context->set->counters[context->counters[i]];
        const struct tally_statistic *statistic = &statistics[context->counters[i]];
        enum content content = content_of(statistic);
        if (strcmp(section_of(context, i), section) != 0)
            continue;
        if (context->fold_zeros && content != HAS_VALUES) {
            folded[content]++;
            continue;
        }
        if (!titled) {
            output_text(output, " ");
            put_styled(output, "2", section);
            output_text(output, "\n");
            titled = true;
        }
        put_statistic(output, counter, statistic);
    }
}

static void group(struct output *output, const struct sink_context *context,
                  const struct tally_group *group, const struct tally_statistic *statistics)
{
    size_t folded[3] = {0}; /* by enum content */
    if (group->by == TALLY_BY_CONTEXT &&
        !tally_layout_width(context->info->layout, TALLY_SLOT_CONTEXT))
        return; /* reports without contexts: the only group equals the total */
    put_group_title(output, context, group);
    if (!group->deltas) {
        output_text(output, "  nothing was counted\n");
        return;
    }
    output_style(output, "2");
    output_printf(output, "  %-*s", STATISTIC_NAME, "");
    for (size_t i = 0; i < STATISTIC_COUNT; i++)
        output_right(output, statistic_columns[i], STATISTIC_WIDTH);
    output_text(output, "\n");
    output_style(output, "0");
    for (size_t i = 0; i < context->counter_count; i++)
        if (!is_in_earlier_section(context, i))
            put_section(output, context, i, statistics, folded);
    put_folded(output, folded[STAYED_ZERO], folded[NOT_DEFINED]);
    if (context->hidden)
        output_printf(output, "  %zu counters are not among the top\n", context->hidden);
}

/* ---- the ledger ---------------------------------------------------------------------------- */

/* The domain of an NVIDIA GPU that a loss is of. */
static void put_loss_domain(struct output *output, const struct tally_recorded_signals *signals,
                            const struct tally_loss *loss)
{
    if (!signals || !loss->clock || loss->clock > signals->clock_count)
        return;
    const struct tally_recorded_clock *clock = &signals->clocks[loss->clock - 1];
    output_printf(output, ", domain %s", tally_domain_name(clock->domain));
    if (clock->domain >= TALLY_PCOUNTER_DOMAINS && clock->instance != TALLY_ALL_INSTANCES)
        output_printf(output, "[%u]", clock->instance);
    if (signals->passes > 1)
        output_printf(output, " in pass %u", clock->pass + 1u);
}

static void put_loss_text(struct output *output, const struct sink_context *context,
                          const struct tally_loss *loss)
{
    uint64_t origin = context->origin_ticks;
    output_printf(output, "  %-12s %4" PRIu64 " ", tally_loss_kind_name(loss->kind), loss->records);
    if (!loss->before_index)
        output_text(output, "before the first report");
    else if (!loss->gpu_end)
        output_printf(output, "after report %" PRIu64, loss->before_index - 1);
    else {
        char from[64], length[64];
        /* A jump of the clock may lie between correlation points around the first report. */
        double after = loss->gpu_start < origin
                           ? -(double)ticks_to_ns(context->info, origin - loss->gpu_start)
                           : (double)ticks_to_ns(context->info, loss->gpu_start - origin);
        format_quantity(from, sizeof from, after, "ns");
        format_quantity(length, sizeof length,
                        (double)ticks_to_ns(context->info, loss->gpu_end - loss->gpu_start), "ns");
        output_printf(output, "after report %" PRIu64 ", at %s for %s", loss->before_index - 1,
                      from, length);
    }
    put_loss_domain(output, context->info->signals, loss);
    if (loss->estimated)
        output_printf(output, ", %s%" PRIu64 " report%s", loss->exact ? "" : "about ",
                      loss->estimated, loss->estimated == 1 ? "" : "s");
    output_text(output, "\n");
}
#define LEDGER_INDENT 20

/* Prints a line; what is beyond 80 columns follows, from a comma on, in further lines. */
static void put_wrapped(struct output *output, const char *text, size_t size)
{
    size_t start = 0, comma = 0;
    int column = 0;
    for (size_t i = 0; i < size; i++) {
        column += ((unsigned char)text[i] & 0xc0) != 0x80;
        if (i && text[i - 1] == ',' && text[i] == ' ')
            comma = i;
        if (column <= LINE_WIDTH || !comma || text[i] == '\n')
            continue;
        output_append(output, text + start, comma - start);
        output_printf(output, "\n%*s", LEDGER_INDENT, "");
        start = i = comma + 1;
        column = LEDGER_INDENT + 1;
        comma = 0;
    }
    output_append(output, text + start, size - start);
}

static void put_loss(struct output *output, const struct sink_context *context,
                     const struct tally_loss *loss)
{
    struct buffer text = {0};
    struct output *line = output_to_memory(&text);
    if (!line) {
        fail_memory(&output->error, "a line");
        return;
    }
    put_loss_text(line, context, loss);
    output_close(line, &output->error);
    put_wrapped(output, text.bytes, text.size);
    buffer_fini(&text);
}

/* Pauses are no losses. */
static void put_pauses(struct output *output, const struct sink_context *context,
                       const struct tally_recording_totals *totals)
{
    char time[64];
    if (!totals->pauses)
        return;
    format_quantity(time, sizeof time, (double)ticks_to_ns(context->info, totals->paused_ticks),
                    "ns");
    output_printf(output, "  paused %" PRIu64 " time%s, for %s, which is no loss\n", totals->pauses,
                  totals->pauses == 1 ? "" : "s", time);
}

static void end(struct output *output, const struct sink_context *context)
{
    const struct tally_loss *losses;
    size_t count = tally_recording_losses(context->recording, &losses);
    struct tally_recording_totals totals = tally_recording_totals(context->recording);
    output_style(output, "1");
    output_text(output, "\nLoss ledger\n");
    output_style(output, "0");
    for (size_t i = 0; i < count && i < 20; i++)
        put_loss(output, context, &losses[i]);
    if (count > 20)
        output_printf(output, "  and %zu more (all of them with --format jsonl)\n", count - 20);
    output_printf(output, "  %" PRIu64 " reports read, %" PRIu64 " losses", totals.reports,
                  totals.losses);
    if (totals.missing)
        output_printf(output, " of %" PRIu64 " report%s", totals.missing,
                      totals.missing == 1 ? "" : "s");
    output_printf(output, ", %" PRIu64 " deltas without values\n", totals.lost_deltas);
    put_pauses(output, context, &totals);
    if (context->fault) {
        output_style(output, "31");
        output_printf(output, "  %s\n", context->fault);
        output_style(output, "0");
    }
}

const struct sink sink_table = {
    .name = "table",
    .title = "for people",
    .one_worker = true, /* times count from the first report */
    .begin_deltas = begin_deltas,
    .deltas = deltas,
    .begin_groups = put_title,
    .group = group,
    .end = end,
    .reports = &table_reports,
    .packets = &table_packets,
    .info = &table_info,
    .lists = &table_lists,
    .comparison = table_comparison,
    .checks = table_checks,
};
