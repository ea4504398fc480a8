/* SPDX-License-Identifier: MIT */
/* The raw fields of reports as a table, CSV and JSON Lines. */
#include "sink/reports.h"

#include <inttypes.h>

#include "sink/number.h"
#include "sink/sink.h"

static bool has_ticks(const struct report_fields *fields)
{
    return tally_layout_width(fields->info->layout, TALLY_SLOT_TICKS) != 0;
}

/* ---- table ----------------------------------------------------------------------------------- */

static void table_begin(struct output *output, const struct report_fields *fields)
{
    const struct tally_layout *layout = fields->info->layout;
    output_style(output, "1");
    output_printf(output, "%s/%s", layout->family, layout->name);
    output_style(output, "0");
    output_printf(output, "  %u bytes, %s%s\n", layout->size_bytes, layout->source,
                  fields->info->modelled ? ", modelled GPU" : "");
}

static void table_put(struct output *output, const struct report_fields *fields,
                      const struct raw_report *report)
{
    char name[24];
    const uint64_t *slots = report->slots;
    output_style(output, "1");
    output_printf(output, "\nreport %" PRIu64, report->index);
    output_style(output, "0");
    output_printf(output, "  id 0x%" PRIx64 "  %s  time 0x%" PRIx64 "  context %s",
                  slots[TALLY_SLOT_ID], report->reason, report->time, report->context);
    if (has_ticks(fields))
        output_printf(output, "  ticks %" PRIu64, slots[TALLY_SLOT_TICKS]);
    for (size_t i = 0; i < fields->slot_count; i++) {
        output_text(output, i % 4 ? "" : "\n");
        output_printf(output, "%10s %-14" PRIu64,
                      tally_slot_name(fields->slots[i], name, sizeof name),
                      slots[fields->slots[i]]);
    }
    output_text(output, "\n");
}

const struct sink_reports table_reports = {table_begin, table_put};

/* ---- CSV ------------------------------------------------------------------------------------- */

static void csv_begin(struct output *output, const struct report_fields *fields)
{
    char name[24];
    output_text(output, "index,id,reason,time,timestamp,context,modelled,ticks");
    for (size_t i = 0; i < fields->slot_count; i++)
        output_printf(output, ",%s", tally_slot_name(fields->slots[i], name, sizeof name));
    output_text(output, "\r\n");
}

static void csv_put(struct output *output, const struct report_fields *fields,
                    const struct raw_report *report)
{
    const uint64_t *slots = report->slots;
    output_printf(output, "%" PRIu64 ",0x%" PRIx64 ",%s,%" PRIu64 ",%" PRIu64 ",%s,%s,",
                  report->index, slots[TALLY_SLOT_ID], report->reason, report->time,
                  slots[TALLY_SLOT_TIMESTAMP], report->context, sink_modelled(fields->info));
    char *to = output_reserve(output, (fields->slot_count + 1) * 24);
    if (has_ticks(fields))
        to = put_u64(to, slots[TALLY_SLOT_TICKS]);
    for (size_t i = 0; i < fields->slot_count; i++) {
        *to++ = ',';
        to = put_u64(to, slots[fields->slots[i]]);
    }
    *to++ = '\r';
    *to++ = '\n';
    output_keep(output, to);
}

const struct sink_reports csv_reports = {csv_begin, csv_put};

/* ---- JSON Lines ------------------------------------------------------------------------------ */

static void jsonl_begin(struct output *output, const struct report_fields *fields)
{
    const struct tally_layout *layout = fields->info->layout;
    output_printf(output,
                  "{\"type\":\"header\",\"platform\":\"%s\",\"layout\":\"%s/%s\",\"bytes\":%u,"
                  "\"timestamp_hz\":%" PRIu64 ",\"modelled\":%s}\n",
                  tally_device_name(&fields->info->device), layout->family, layout->name,
                  layout->size_bytes, fields->info->recorded.timestamp_hz,
                  sink_modelled(fields->info));
}

static void jsonl_put(struct output *output, const struct report_fields *fields,
                      const struct raw_report *report)
{
    char name[24];
    const uint64_t *slots = report->slots;
    output_printf(output, "{\"type\":\"report\",\"index\":%" PRIu64 ",\"id\":%" PRIu64,
                  report->index, slots[TALLY_SLOT_ID]);
    output_printf(output, ",\"reason\":\"%s\",\"time\":%" PRIu64 ",\"timestamp\":%" PRIu64,
                  report->reason, report->time, slots[TALLY_SLOT_TIMESTAMP]);
    output_printf(output, ",\"context\":\"%s\",\"ticks\":", report->context);
    if (has_ticks(fields))
        output_printf(output, "%" PRIu64, slots[TALLY_SLOT_TICKS]);
    else
        output_text(output, "null");
    output_text(output, ",\"counters\":{");
    for (size_t i = 0; i < fields->slot_count; i++)
        output_printf(output, "%s\"%s\":%" PRIu64, i ? "," : "",
                      tally_slot_name(fields->slots[i], name, sizeof name),
                      slots[fields->slots[i]]);
    output_text(output, "}}\n");
}

const struct sink_reports jsonl_reports = {jsonl_begin, jsonl_put};
