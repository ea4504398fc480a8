/* SPDX-License-Identifier: MIT */
/* Record buffers as a table: one row per packet, statistics, and the loss ledger. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sink/packets.h"

#define LOSSES_SHOWN 20

static void put_bold(struct output *output, const char *text)
{
    output_style(output, "1");
    output_text(output, text);
    output_style(output, "0");
}

static void put_row(struct output *output, const char *name)
{
    output_style(output, "2");
    output_printf(output, "%-14s", name);
    output_style(output, "0");
}

/* Abbreviates "PRE_SRC[0]" to "PRE0" for the heading of a narrow column. */
static void short_name(char text[16], size_t count)
{
    const char *name = tally_packet_count_name(count);
    snprintf(text, 16, "%.*s%c", (int)strcspn(name, "_"), name, name[strcspn(name, "[") + 1]);
}

static void table_begin(struct output *output, const struct tally_packets *packets)
{
    enum tally_packet_format format = tally_packets_format(packets);
    char name[16];
    put_bold(output, tally_packet_format_name(format));
    output_printf(output, "  %zu bytes, envytools \"PCOUNTER\", record mode\n",
                  tally_packet_size(format));
    output_style(output, "1");
    output_printf(output, "%8s %10s %16s %10s %-8s %-7s %5s", "packet", "offset", "cycles", "delta",
                  "cause", "state", "STOP");
    for (size_t i = 0; i < tally_packet_counts(format); i++) {
        short_name(name, i);
        output_printf(output, " %6s", name);
    }
    output_style(output, "0");
    output_text(output, "\n");
}

/* Prints a count, with a plus sign if it is saturated. */
static void put_count(struct output *output, unsigned value, bool saturated, int width)
{
    char text[16];
    snprintf(text, sizeof text, "%u%s", value, saturated ? "+" : "");
    if (saturated)
        output_style(output, "31");
    output_printf(output, " %*s", width, text);
    if (saturated)
        output_style(output, "0");
}

static void table_put(struct output *output, enum tally_packet_format format,
                      const struct tally_packet *packets, size_t count)
{
    const size_t counts = tally_packet_counts(format);
    for (size_t p = 0; p < count; p++) {
        const struct tally_packet *packet = &packets[p];
        char delta[24] = "-";
        if (packet->state == TALLY_PACKET_OK || packet->state == TALLY_PACKET_LOST)
            snprintf(delta, sizeof delta, "%" PRIu64, packet->delta);
        output_printf(output, "%8" PRIu64 " %#10" PRIx64 " %16" PRIu64 " %10s %-8s %-7s",
                      packet->index, packet->offset, packet->cycles, delta,
                      tally_packet_cause_name((enum tally_packet_cause)packet->cause),
                      tally_packet_state_name((enum tally_packet_state)packet->state));
        put_count(output, packet->stop, packet->saturated & TALLY_PACKET_STOP_SATURATED, 5);
        for (size_t i = 0; i < counts; i++)
            put_count(output, packet->counts[i], packet->saturated >> i & 1, 6);
        output_text(output, "\n");
    }
}

/* ---- statistics ---------------------------------------------------------------------------- */

static void put_period(struct output *output, const struct tally_packets_totals *totals)
{
    put_row(output, "STOP period");
    if (totals->period_cycles)
        output_printf(output, "%" PRIu64 " cycles (%" PRIu64 " of %" PRIu64 " distances agree)%s\n",
                      totals->period_cycles, totals->period_votes, totals->period_distances,
                      totals->period_changes ? ", the last of several" : "");
    else
        output_text(output, "not steady: missing packets cannot be detected by it\n");
    put_row(output, "always 1");
    char names[256];
    *put_saturated(names, totals->always_on, ", ") = '\0';
    output_printf(output, "%s\n",
                  totals->always_on ? names : "no signal: missing cycles cannot be detected");
}

static void put_signals(struct output *output, const struct tally_packets_totals *totals,
                        size_t counts)
{
    if (!totals->counted_cycles)
        return;
    output_style(output, "1");
    output_printf(output, "%-14s%20s %9s %8s %10s\n", "signal", "events", "share", "maximum",
                  "saturated");
    output_style(output, "0");
    for (size_t i = 0; i < counts; i++)
        output_printf(output, "%-14s%20" PRIu64 " %7.3f %% %8" PRIu64 " %10" PRIu64 "\n",
                      tally_packet_count_name(i), totals->sums[i],
                      100.0 * (double)totals->sums[i] / (double)totals->counted_cycles,
                      totals->maxima[i], totals->saturated_counts[i]);
    output_printf(output, "over %" PRIu64 " cycles (packets after a loss are excluded)\n",
                  totals->counted_cycles);
}

static void put_survey(struct output *output, const struct tally_packets *packets)
{
    struct tally_packets_totals totals = tally_packets_totals(packets);
    put_row(output, "packets");
    output_printf(output, "%" PRIu64 " (%" PRIu64 " by STOP, %" PRIu64 " by overflow)",
                  totals.packets, totals.packets - totals.overflows, totals.overflows);
    if (totals.unwritten)
        output_printf(output, ", %" PRIu64 " slot%s not written", totals.unwritten,
                      totals.unwritten == 1 ? "" : "s");
    output_text(output, "\n");
    if (!totals.packets)
        return;
    put_row(output, "cycles");
    output_printf(output, "%" PRIu64 " to %" PRIu64, totals.first_cycles, totals.last_cycles);
    if (totals.restarts)
        output_printf(output, ", in %" PRIu64 " runs", totals.restarts + 1);
    if (totals.wraps)
        output_printf(output, ", the counter wrapped %" PRIu64 " time%s", totals.wraps,
                      totals.wraps == 1 ? "" : "s");
    output_text(output, "\n");
    put_row(output, "STOP pulses");
    output_printf(output, "%" PRIu64, totals.stops);
    if (totals.merged)
        output_printf(output, ", %" PRIu64 " of them merged into the packet of another pulse",
                      totals.merged);
    output_text(output, "\n");
    put_period(output, &totals);
    put_signals(output, &totals, tally_packet_counts(tally_packets_format(packets)));
}

/* ---- the ledger ---------------------------------------------------------------------------- */

static void put_loss(struct output *output, const struct tally_loss *loss)
{
    output_printf(output, "  %-12s %8" PRIu64 "  ", tally_loss_kind_name(loss->kind),
                  loss->records);
    if (loss->kind == TALLY_LOSS_SATURATED && loss->records > 1)
        output_printf(output, "packets %" PRIu64 " to %" PRIu64, loss->before_index,
                      loss->before_index + loss->records - 1);
    else if (loss->kind == TALLY_LOSS_SATURATED)
        output_printf(output, "packet %" PRIu64, loss->before_index);
    else if (!loss->before_index)
        output_text(output, "before the first packet");
    else if (!loss->gpu_end)
        output_printf(output, "after packet %" PRIu64, loss->before_index - 1);
    else
        output_printf(output, "between packets %" PRIu64 " and %" PRIu64, loss->before_index - 1,
                      loss->before_index);
    output_printf(output, ", offset 0x%" PRIx64, loss->offset);
    if (loss->kind == TALLY_LOSS_RESTART)
        output_printf(output, ", from cycle %" PRIu64 " to %" PRIu64, loss->gpu_start,
                      loss->gpu_end);
    if (loss->estimated)
        output_printf(output, ", %s%" PRIu64 " %s%s",
                      loss->kind == TALLY_LOSS_CYCLES ? "" : "about ", loss->estimated,
                      loss->kind == TALLY_LOSS_CYCLES ? "cycle" : "packet",
                      loss->estimated == 1 ? "" : "s");
    output_text(output, "\n");
}

static void put_faults(struct output *output, const struct tally_packets *packets)
{
    const struct tally_packet_fault *faults;
    size_t count = tally_packets_faults(packets, &faults);
    if (!count)
        return;
    put_bold(output, "\nMalformed packets\n");
    for (size_t i = 0; i < count && i < LOSSES_SHOWN; i++)
        output_printf(output, "  offset 0x%" PRIx64 ": %s\n", faults[i].offset, faults[i].message);
    if (count > LOSSES_SHOWN)
        output_text(output, "  and more (with --format jsonl)\n");
}

static void table_end(struct output *output, const struct tally_packets *packets, const char *fault)
{
    const struct tally_loss *losses;
    size_t count = tally_packets_losses(packets, &losses);
    struct tally_packets_totals totals = tally_packets_totals(packets);
    put_faults(output, packets);
    put_bold(output, "\nLoss ledger\n");
    for (size_t i = 0; i < count && i < LOSSES_SHOWN; i++)
        put_loss(output, &losses[i]);
    if (count > LOSSES_SHOWN)
        output_printf(output, "  and %zu more (all of them with --format jsonl)\n",
                      count - LOSSES_SHOWN);
    output_printf(output,
                  "  %" PRIu64 " packets read, about %" PRIu64 " missing, %" PRIu64
                  " with saturated counts",
                  totals.packets, totals.missing, totals.saturated);
    output_printf(output, ", %" PRIu64 " malformed, %" PRIu64 " deltas without values\n",
                  totals.malformed, totals.lost_deltas);
    if (totals.packets > 16 && totals.restarts > totals.packets / 4)
        output_text(output, "  this number of restarts is unlikely; is the layout correct?\n");
    if (fault) {
        output_style(output, "31");
        output_printf(output, "  %s\n", fault);
        output_style(output, "0");
    }
}

static void table_info(struct output *output, const struct tally_packets *packets)
{
    enum tally_packet_format format = tally_packets_format(packets);
    output_printf(output, "%-14s%s", "file", tally_packets_path(packets));
    if (tally_packets_size_bytes(packets))
        output_printf(output, ", %" PRIu64 " bytes", tally_packets_size_bytes(packets));
    output_printf(output, "\n%-14s%s, %zu bytes\n", "layout", tally_packet_format_name(format),
                  tally_packet_size(format));
    put_survey(output, packets);
}

const struct sink_packets table_packets = {table_begin, table_put, table_end, table_info};
