/* SPDX-License-Identifier: MIT */
/* tally decode: the raw fields of every report. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/input.h"
#include "cli/packets.h"
#include "sink/number.h"
#include "sink/sink.h"

struct decode {
    struct output *output;
    const struct tally_recording_info *info;
    enum { TABLE, CSV, JSONL } format;
    unsigned slots[TALLY_SLOT_COUNT]; /* of the layout's counters, in order */
    size_t slot_count;
};

/* Everything that a layout holds but its header, reserved dwords last. */
static void list_slots(struct decode *decode)
{
    for (unsigned slot = TALLY_SLOT_INSTRUCTION; slot < TALLY_SLOT_COUNT; slot++)
        if (tally_layout_width(decode->info->layout, slot))
            decode->slots[decode->slot_count++] = slot;
}

static void put_header(struct decode *decode)
{
    char name[24];
    struct output *output = decode->output;
    const struct tally_layout *layout = decode->info->layout;
    if (decode->format == JSONL) {
        output_printf(output,
                      "{\"type\":\"header\",\"platform\":\"%s\",\"layout\":\"%s/%s\",\"bytes\":%u,"
                      "\"timestamp_hz\":%" PRIu64 "}\n",
                      decode->info->device.platform->name, layout->family, layout->name,
                      layout->size_bytes, decode->info->recorded.timestamp_hz);
        return;
    }
    if (decode->format == TABLE) {
        output_style(output, "1");
        output_printf(output, "%s/%s", layout->family, layout->name);
        output_style(output, "0");
        output_printf(output, "  %u bytes, %s\n", layout->size_bytes, layout->source);
        return;
    }
    output_text(output, "index,id,reason,time,timestamp,context,ticks");
    for (size_t i = 0; i < decode->slot_count; i++)
        output_printf(output, ",%s", tally_slot_name(decode->slots[i], name, sizeof name));
    output_text(output, "\r\n");
}

static void put_report_json(struct decode *decode, uint64_t index, uint64_t time, uint8_t reason,
                            const char *context, const uint64_t *slots)
{
    char name[24];
    struct output *output = decode->output;
    bool has_ticks = tally_layout_width(decode->info->layout, TALLY_SLOT_TICKS) != 0;
    output_printf(output, "{\"type\":\"report\",\"index\":%" PRIu64 ",\"id\":%" PRIu64, index,
                  slots[TALLY_SLOT_ID]);
    output_printf(output, ",\"reason\":\"%s\",\"time\":%" PRIu64 ",\"timestamp\":%" PRIu64,
                  tally_reason_name(reason), time, slots[TALLY_SLOT_TIMESTAMP]);
    output_printf(output, ",\"context\":\"%s\",\"ticks\":", context);
    if (has_ticks)
        output_printf(output, "%" PRIu64, slots[TALLY_SLOT_TICKS]);
    else
        output_text(output, "null");
    output_text(output, ",\"counters\":{");
    for (size_t i = 0; i < decode->slot_count; i++)
        output_printf(output, "%s\"%s\":%" PRIu64, i ? "," : "",
                      tally_slot_name(decode->slots[i], name, sizeof name),
                      slots[decode->slots[i]]);
    output_text(output, "}}\n");
}

static void put_report_csv(struct decode *decode, uint64_t index, uint64_t time, uint8_t reason,
                           const char *context, const uint64_t *slots)
{
    struct output *output = decode->output;
    output_printf(output, "%" PRIu64 ",0x%" PRIx64 ",%s,%" PRIu64 ",%" PRIu64 ",%s,", index,
                  slots[TALLY_SLOT_ID], tally_reason_name(reason), time,
                  slots[TALLY_SLOT_TIMESTAMP], context);
    char *to = output_room(output, (decode->slot_count + 1) * 24);
    if (tally_layout_width(decode->info->layout, TALLY_SLOT_TICKS))
        to = put_u64(to, slots[TALLY_SLOT_TICKS]);
    for (size_t i = 0; i < decode->slot_count; i++) {
        *to++ = ',';
        to = put_u64(to, slots[decode->slots[i]]);
    }
    *to++ = '\r';
    *to++ = '\n';
    output_keep(output, to);
}

static void put_report_table(struct decode *decode, uint64_t index, uint64_t time, uint8_t reason,
                             const char *context, const uint64_t *slots)
{
    char name[24];
    struct output *output = decode->output;
    output_style(output, "1");
    output_printf(output, "\nreport %" PRIu64, index);
    output_style(output, "0");
    output_printf(output, "  id 0x%" PRIx64 "  %s  time 0x%" PRIx64 "  context %s",
                  slots[TALLY_SLOT_ID], tally_reason_name(reason), time, context);
    if (tally_layout_width(decode->info->layout, TALLY_SLOT_TICKS))
        output_printf(output, "  ticks %" PRIu64, slots[TALLY_SLOT_TICKS]);
    for (size_t i = 0; i < decode->slot_count; i++)
        output_printf(output, "%s%10s %-14" PRIu64, i % 4 ? "" : "\n",
                      tally_slot_name(decode->slots[i], name, sizeof name),
                      slots[decode->slots[i]]);
    output_text(output, "\n");
}

static int take_batch(void *closure, const struct tally_batch *batch)
{
    struct decode *decode = closure;
    for (size_t i = batch->first_index ? 1 : 0; i < batch->count; i++) {
        uint64_t slots[TALLY_SLOT_COUNT];
        char context[16];
        tally_report_unpack(decode->info->layout, batch->reports[i], slots);
        context_text(context, decode->info, batch->contexts[i]);
        uint64_t index = batch->first_index + i, time = batch->gpu_ticks[i];
        if (decode->format == JSONL)
            put_report_json(decode, index, time, batch->reasons[i], context, slots);
        else if (decode->format == CSV)
            put_report_csv(decode, index, time, batch->reasons[i], context, slots);
        else
            put_report_table(decode, index, time, batch->reasons[i], context, slots);
        if (decode->output->error.code)
            return decode->output->error.code;
    }
    return 0;
}

static int run(struct decode *decode, struct tally_recording *recording,
               const struct arguments *arguments)
{
    struct tally_error error = {0};
    put_header(decode);
    int result = read_all(recording, true, arguments->values[OPTION_QUIET] != NULL, take_batch,
                          decode, &error);
    if (decode->output->error.code)
        return decode->output->error.code == -EPIPE ? EXIT_DONE : EXIT_NO;
    struct sink_context context = {
        .recording = recording,
        .info = decode->info,
        .origin_ticks = tally_recording_totals(recording).first_ticks,
        .fault = result < 0 ? error.message : NULL,
    };
    if (decode->format == JSONL)
        sink_jsonl.end(decode->output, &context);
    else if (decode->format == TABLE)
        sink_table.end(decode->output, &context);
    output_flush(decode->output);
    const struct tally_loss *losses;
    bool lost = tally_recording_losses(recording, &losses) != 0;
    if (result < 0)
        return tell_error(&error);
    return lost && arguments->values[OPTION_FAIL_ON_LOSS] ? EXIT_LOST : EXIT_DONE;
}

int command_decode(const struct arguments *arguments)
{
    static const char *const formats[] = {"table", "csv", "jsonl"};
    const char *format = arguments->values[OPTION_FORMAT];
    struct tally_recording *recording;
    struct decode decode = {.format = TABLE};
    enum tally_packet_format packets;
    if (packets_wanted(arguments, &packets))
        return decode_packets(arguments, packets);
    for (unsigned i = 0; format; i++) {
        if (i == 3)
            return tell_usage("--format \"%s\", expected table, csv or jsonl", format);
        if (!strcmp(format, formats[i])) {
            decode.format = i;
            break;
        }
    }
    int code = open_recording(arguments, arguments->operands[0], true, &recording);
    if (code != EXIT_DONE)
        return code;
    decode.info = tally_recording_info(recording);
    list_slots(&decode);
    if ((decode.output = open_output(arguments, &code)))
        code = close_output(decode.output, run(&decode, recording, arguments));
    tally_recording_close(recording);
    return code;
}
