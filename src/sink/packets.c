/* SPDX-License-Identifier: MIT */
/* Record buffers as CSV and JSON Lines. */
#include "sink/packets.h"

#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "sink/json.h"
#include "sink/number.h"

static char *put_bytes(char *to, const char *text, size_t size)
{
    memcpy(to, text, size);
    return to + size;
}

#define PUT(to, literal) put_bytes(to, literal, sizeof(literal) - 1)

static char *put_text(char *to, const char *text)
{
    return put_bytes(to, text, strlen(text));
}

static bool has_delta(const struct tally_packet *packet)
{
    return packet->state == TALLY_PACKET_OK || packet->state == TALLY_PACKET_LOST;
}

char *put_saturated(char *to, unsigned saturated, const char *separator)
{
    const char *before = "";
    for (unsigned i = 0; i < TALLY_PACKET_COUNTS; i++) {
        if (saturated >> i & 1) {
            to = put_text(to, before);
            to = put_text(to, tally_packet_count_name(i));
            before = separator;
        }
    }
    if (saturated & TALLY_PACKET_STOP_SATURATED) {
        to = put_text(to, before);
        to = PUT(to, "STOP");
    }
    return to;
}

/* Maximum size of a line, with all its numbers and names. */
#define LINE_MAX_BYTES 2048

/* ---- CSV ----------------------------------------------------------------------------------- */

static void csv_begin(struct output *output, const struct tally_packets *packets)
{
    size_t counts = tally_packet_counts(tally_packets_format(packets));
    output_text(output, "index,offset,run,cycles,delta,cause,state,saturated,STOP");
    for (size_t i = 0; i < counts; i++)
        output_printf(output, ",%s", tally_packet_count_name(i));
    output_text(output, "\r\n");
}

static void csv_put(struct output *output, enum tally_packet_format format,
                    const struct tally_packet *packets, size_t count)
{
    const size_t counts = tally_packet_counts(format);
    for (size_t p = 0; p < count; p++) {
        const struct tally_packet *packet = &packets[p];
        char *to = output_reserve(output, LINE_MAX_BYTES);
        to = put_u64(to, packet->index);
        *to++ = ',';
        to = put_u64(to, packet->offset);
        *to++ = ',';
        to = put_u64(to, packet->run);
        *to++ = ',';
        to = put_u64(to, packet->cycles);
        *to++ = ',';
        if (has_delta(packet))
            to = put_u64(to, packet->delta);
        *to++ = ',';
        to = put_text(to, tally_packet_cause_name((enum tally_packet_cause)packet->cause));
        *to++ = ',';
        to = put_text(to, tally_packet_state_name((enum tally_packet_state)packet->state));
        *to++ = ',';
        if (packet->saturated)
            to = put_saturated(to, packet->saturated, " ");
        *to++ = ',';
        to = put_u64(to, packet->stop);
        for (size_t i = 0; i < counts; i++) {
            *to++ = ',';
            to = put_u64(to, packet->counts[i]);
        }
        *to++ = '\r';
        *to++ = '\n';
        output_keep(output, to);
    }
}

/* ---- JSON Lines ---------------------------------------------------------------------------- */

static void jsonl_begin(struct output *output, const struct tally_packets *packets)
{
    enum tally_packet_format format = tally_packets_format(packets);
    size_t counts = tally_packet_counts(format);
    output_text(output, "{\"type\":\"header\",\"file\":");
    json_text(output, tally_packets_path(packets));
    output_printf(output, ",\"layout\":\"%s\",\"bytes\":%zu,\"counts\":[",
                  tally_packet_format_name(format), tally_packet_size(format));
    for (size_t i = 0; i < counts; i++)
        output_printf(output, "%s\"%s\"", i ? "," : "", tally_packet_count_name(i));
    output_text(output, "]}\n");
}

static void jsonl_put(struct output *output, enum tally_packet_format format,
                      const struct tally_packet *packets, size_t count)
{
    const size_t counts = tally_packet_counts(format);
    for (size_t p = 0; p < count; p++) {
        const struct tally_packet *packet = &packets[p];
        char *to = output_reserve(output, LINE_MAX_BYTES);
        to = PUT(to, "{\"type\":\"packet\",\"index\":");
        to = put_u64(to, packet->index);
        to = PUT(to, ",\"offset\":");
        to = put_u64(to, packet->offset);
        to = PUT(to, ",\"run\":");
        to = put_u64(to, packet->run);
        to = PUT(to, ",\"cycles\":");
        to = put_u64(to, packet->cycles);
        to = PUT(to, ",\"delta\":");
        to = has_delta(packet) ? put_u64(to, packet->delta) : PUT(to, "null");
        to = PUT(to, ",\"cause\":\"");
        to = put_text(to, tally_packet_cause_name((enum tally_packet_cause)packet->cause));
        to = PUT(to, "\",\"state\":\"");
        to = put_text(to, tally_packet_state_name((enum tally_packet_state)packet->state));
        to = PUT(to, "\",\"saturated\":[");
        if (packet->saturated) {
            *to++ = '"';
            to = put_saturated(to, packet->saturated, "\",\"");
            *to++ = '"';
        }
        to = PUT(to, "],\"stop\":");
        to = put_u64(to, packet->stop);
        to = PUT(to, ",\"counts\":{");
        for (size_t i = 0; i < counts; i++) {
            if (i)
                *to++ = ',';
            *to++ = '"';
            to = put_text(to, tally_packet_count_name(i));
            to = PUT(to, "\":");
            to = put_u64(to, packet->counts[i]);
        }
        output_keep(output, PUT(to, "}}\n"));
    }
}

static void put_optional(struct output *output, const char *key, uint64_t value)
{
    if (value)
        output_printf(output, ",\"%s\":%" PRIu64, key, value);
    else
        output_printf(output, ",\"%s\":null", key);
}

static void put_loss(struct output *output, const struct tally_loss *loss)
{
    output_printf(output, "{\"type\":\"loss\",\"reason\":\"%s\",\"records\":%" PRIu64,
                  tally_loss_kind_name(loss->kind), loss->records);
    if (loss->before_index)
        output_printf(output, ",\"after_packet\":%" PRIu64, loss->before_index - 1);
    else
        output_text(output, ",\"after_packet\":null");
    output_printf(output, ",\"offset\":%" PRIu64, loss->offset);
    put_optional(output, "cycles_start", loss->gpu_start);
    put_optional(output, "cycles_end", loss->gpu_end);
    bool cycles = loss->kind == TALLY_LOSS_CYCLES;
    put_optional(output, "estimated_packets", cycles ? 0 : loss->estimated);
    put_optional(output, "lost_cycles", cycles ? loss->estimated : 0);
    output_text(output, "}\n");
}

static void put_numbers(struct output *output, const char *key, const uint64_t *numbers,
                        size_t count)
{
    output_printf(output, ",\"%s\":{", key);
    for (size_t i = 0; i < count; i++)
        output_printf(output, "%s\"%s\":%" PRIu64, i ? "," : "", tally_packet_count_name(i),
                      numbers[i]);
    output_text(output, "}");
}

static void put_period(struct output *output, const struct tally_packets_totals *totals)
{
    put_optional(output, "period_cycles", totals->period_cycles);
    output_printf(output, ",\"period_votes\":%" PRIu64 ",\"period_distances\":%" PRIu64,
                  totals->period_votes, totals->period_distances);
    output_printf(output, ",\"period_changes\":%" PRIu64 ",\"always_on\":[",
                  totals->period_changes);
    char *to = output_reserve(output, LINE_MAX_BYTES);
    if (totals->always_on) {
        *to++ = '"';
        to = put_saturated(to, totals->always_on, "\",\"");
        *to++ = '"';
    }
    output_keep(output, PUT(to, "]"));
}

static void put_totals(struct output *output, const struct tally_packets *packets,
                       const char *fault)
{
    struct tally_packets_totals totals = tally_packets_totals(packets);
    size_t counts = tally_packet_counts(tally_packets_format(packets));
    const struct {
        const char *key;
        uint64_t value;
    } numbers[] = {
        {"packets", totals.packets},
        {"unwritten", totals.unwritten},
        {"malformed", totals.malformed},
        {"torn_bytes", totals.torn_bytes},
        {"overflows", totals.overflows},
        {"stops", totals.stops},
        {"merged_stops", totals.merged},
        {"restarts", totals.restarts},
        {"wraps", totals.wraps},
        {"missing_packets", totals.missing},
        {"lost_cycles", totals.lost_cycles},
        {"saturated_packets", totals.saturated},
        {"lost_deltas", totals.lost_deltas},
        {"first_cycles", totals.first_cycles},
        {"last_cycles", totals.last_cycles},
        {"counted_cycles", totals.counted_cycles},
    };
    output_text(output, "{\"type\":\"totals\"");
    for (size_t i = 0; i < ARRAY_COUNT(numbers); i++)
        output_printf(output, ",\"%s\":%" PRIu64, numbers[i].key, numbers[i].value);
    put_period(output, &totals);
    put_numbers(output, "sums", totals.sums, counts);
    put_numbers(output, "maxima", totals.maxima, counts);
    put_numbers(output, "saturated_counts", totals.saturated_counts, counts);
    output_text(output, ",\"error\":");
    if (fault)
        json_text(output, fault);
    else
        output_text(output, "null");
    output_text(output, "}\n");
}

static void jsonl_end(struct output *output, const struct tally_packets *packets, const char *fault)
{
    const struct tally_loss *losses;
    const struct tally_packet_fault *faults;
    size_t loss_count = tally_packets_losses(packets, &losses);
    size_t fault_count = tally_packets_faults(packets, &faults);
    for (size_t i = 0; i < loss_count; i++)
        put_loss(output, &losses[i]);
    for (size_t i = 0; i < fault_count; i++) {
        output_printf(output, "{\"type\":\"fault\",\"offset\":%" PRIu64, faults[i].offset);
        json_member(output, "message", faults[i].message);
        output_text(output, "}\n");
    }
    put_totals(output, packets, fault);
}

const struct sink_packets csv_packets = {csv_begin, csv_put, NULL, NULL};
const struct sink_packets jsonl_packets = {jsonl_begin, jsonl_put, jsonl_end, jsonl_begin};
