/* SPDX-License-Identifier: MIT */
/* Contents of a recording for `tally info`, as a table and as JSON Lines. */
#include "sink/info.h"

#include <inttypes.h>

#include <tally/chipset.h>

#include "base/ratio.h"
#include "nvidia/pcounter/packet.h"
#include "sink/json.h"
#include "sink/number.h"

#define CONTEXTS_SHOWN 20

static const char *kind_name(enum tally_recording_kind kind)
{
    static const char *const names[] = {"unknown", "container", "stream", "raw"};
    return names[kind];
}

static void put_duration(struct output *output, const struct tally_recording_info *info,
                         uint64_t ticks)
{
    char text[64];
    format_quantity(text, sizeof text, (double)ticks_to_ns(info, ticks), "ns");
    output_text(output, text);
}

static void put_row(struct output *output, const char *name)
{
    output_style(output, "2");
    output_printf(output, "%-14s", name);
    output_style(output, "0");
}

static void put_topology(struct output *output, const struct tally_recording_info *info)
{
    const struct tally_device_info *device = &info->recorded;
    put_row(output, "topology");
    output_printf(output, "%" PRIu32 " slice%s, %" PRIu32 " subslice%s, %" PRIu32 " EUs%s\n",
                  info->topology.slices, info->topology.slices == 1 ? "" : "s",
                  info->topology.subslices, info->topology.subslices == 1 ? "" : "s",
                  info->topology.eus, info->has_topology ? "" : " (assumed, not recorded)");
    put_row(output, "clocks");
    output_printf(output, "timestamp %.6g MHz, GT %.6g to %.6g MHz\n",
                  (double)device->timestamp_hz / 1e6, device->gt_min_hz / 1e6,
                  device->gt_max_hz / 1e6);
}

/* The domains of an NVIDIA GPU and their clocks when the recording began. */
static void put_domains(struct output *output, const struct tally_recording_info *info)
{
    const struct tally_recorded_chipset *chipset = info->chipset;
    for (size_t i = 0; i < chipset->domain_count; i++) {
        const struct tally_recorded_domain *domain = &chipset->domains[i];
        put_row(output, i ? "" : "domains");
        output_text(output, tally_domain_name(domain->domain));
        if (domain->domain >= TALLY_PCOUNTER_DOMAINS)
            output_printf(output, "[%u]", domain->instance);
        if (domain->hz)
            output_printf(output, ", %.6g MHz\n", (double)domain->hz / 1e6);
        else
            output_text(output, ", unknown frequency\n");
    }
}

/* Returns the part of the time in which the clocks of a domain were counted, by the frequency that
 * it had when the recording began; negative: unknown. */
static double share_of(const struct sink_context *context, const struct survey *survey,
                       size_t signal)
{
    const struct tally_recorded_signals *signals = context->info->signals;
    const struct tally_recorded_clock *clock = &signals->clocks[signals->signals[signal].clock];
    const struct tally_recorded_chipset *chipset = context->info->chipset;
    struct tally_recording_totals totals = tally_recording_totals(context->recording);
    double seconds = (double)(totals.last_ticks - totals.first_ticks) / 1e9, clocks = 0;
    for (size_t i = 0; i < chipset->domain_count; i++)
        if (chipset->domains[i].domain == clock->domain &&
            (clock->instance == TALLY_ALL_INSTANCES ||
             clock->instance == chipset->domains[i].instance))
            clocks += (double)chipset->domains[i].hz * seconds;
    return clocks > 0 ? (double)survey_delta(survey, TALLY_SLOT_PEC + (unsigned)signal) / clocks
                      : -1;
}

/* What was counted, and of several passes for how much of the time. */
static void put_signals(struct output *output, const struct sink_context *context,
                        const struct survey *survey)
{
    const struct tally_recorded_signals *signals = context->info->signals;
    if (signals->passes > 1) {
        put_row(output, "passes");
        output_printf(output, "%u, in turn\n", signals->passes);
    }
    for (size_t i = 0; i < signals->count; i++) {
        const struct tally_recorded_signal *signal = &signals->signals[i];
        const struct tally_recorded_clock *clock = &signals->clocks[signal->clock];
        double share = share_of(context, survey, i);
        put_row(output, i ? "" : "signals");
        output_printf(output, "%s = %s, domain %s", signal->symbol, signal->expression,
                      tally_domain_name(clock->domain));
        if (signals->passes > 1)
            output_printf(output, ", pass %u", clock->pass + 1u);
        if (share >= 0)
            output_printf(output, ", counted %.1f %% of the time", 100 * share);
        output_text(output, "\n");
    }
}

/* What record mode has written. */
static void put_packets(struct output *output, const struct tally_recording *recording)
{
    struct tally_recorded_packets packets = tally_recording_packets(recording);
    if (!packets.packets)
        return;
    put_row(output, "packets");
    output_printf(output, "%" PRIu64 " of %d bytes, in %" PRIu64 " run%s of the cycle counter\n",
                  packets.packets, packets.is_short ? PACKET_SHORT_BYTES : PACKET_LONG_BYTES,
                  packets.runs, packets.runs == 1 ? "" : "s");
    put_row(output, "");
    output_printf(output,
                  "%" PRIu64 " as a count was full; %" PRIu64
                  " STOPs without a packet of their own\n",
                  packets.overflows, packets.merged);
}

static void put_device(struct output *output, const struct tally_recording_info *info)
{
    const struct tally_device_info *device = &info->recorded;
    char title[DEVICE_TEXT_BYTES];
    put_row(output, "file");
    output_printf(output, "%s, %s", info->path, kind_name(info->kind));
    if (info->size_bytes)
        output_printf(output, ", %" PRIu64 " bytes", info->size_bytes);
    output_text(output, "\n");
    if (info->provenance) {
        put_row(output, "written by");
        output_printf(output, "%s\n", info->provenance);
    }
    put_row(output, "device");
    output_printf(output, "%s (%s)", sink_device_title(title, info), info->device.chipset);
    if (device->device_id)
        output_printf(output, ", PCI %s:%04" PRIx32 " revision %" PRIu32,
                      info->chipset ? "10de" : "8086", device->device_id, device->revision);
    output_text(output, "\n");
    if (info->chipset)
        put_domains(output, info);
    else
        put_topology(output, info);
    put_row(output, "layout");
    output_printf(output, "%s/%s, %u bytes (%s)\n", info->layout->family, info->layout->name,
                  info->layout->size_bytes, info->layout->source);
    if (*device->set_name) {
        put_row(output, "metric set");
        output_printf(output, "%s %s\n", device->set_name, device->set_uuid);
    }
}

/* What a modelled GPU did. */
static void put_workload(struct output *output, const struct tally_recorded_phases *phases)
{
    char text[64];
    uint64_t frame_ns = 0;
    for (size_t i = 0; i < phases->count; i++)
        frame_ns += phases->durations_ns[i];
    format_quantity(text, sizeof text, (double)frame_ns, "ns");
    put_row(output, "workload");
    output_printf(output, "%s, %zu phase%s, repeated every %s\n", phases->workload, phases->count,
                  phases->count == 1 ? "" : "s", text);
}

/* What the recorded program has marked. */
static void put_marks(struct output *output, const struct tally_recording_info *info)
{
    const struct tally_recorded_marks *marks = info->marks;
    size_t names = marks->name_count - 1; /* without that of no mark */
    put_row(output, "marks");
    output_printf(output, "%zu of %zu name%s: %zu section%s, %zu frame%s; uncertain by ",
                  marks->count, names, names == 1 ? "" : "s", marks->sections,
                  marks->sections == 1 ? "" : "s", marks->frames, marks->frames == 1 ? "" : "s");
    put_duration(output, info, marks->clock_ticks);
    output_text(output, "\n");
    if (marks->unmatched) {
        put_row(output, "");
        output_printf(output, "%zu region%s without a beginning or an end\n", marks->unmatched,
                      marks->unmatched == 1 ? "" : "s");
    }
}

static void put_times(struct output *output, struct tally_recording *recording)
{
    const struct tally_recording_info *info = tally_recording_info(recording);
    struct tally_recording_totals totals = tally_recording_totals(recording);
    const struct tally_correlation *points;
    size_t count = tally_recording_correlations(recording, &points);
    put_row(output, "reports");
    output_printf(output, "%" PRIu64, totals.reports);
    if (totals.reports > 1) {
        output_text(output, " over ");
        put_duration(output, info, totals.last_ticks - totals.first_ticks);
        output_printf(output, ", GPU 0x%" PRIx64 " to 0x%" PRIx64, totals.first_ticks,
                      totals.last_ticks);
    }
    output_text(output, "\n");
    put_row(output, "correlation");
    output_printf(output, "%zu point%s", count, count == 1 ? "" : "s");
    uint64_t from, to;
    if (totals.reports && !tally_recording_cpu_ns(recording, totals.first_ticks, &from) &&
        !tally_recording_cpu_ns(recording, totals.last_ticks, &to))
        output_printf(output, ", CPU %" PRIu64 ".%09" PRIu64 " to %" PRIu64 ".%09" PRIu64 " s",
                      from / NS_PER_SECOND, from % NS_PER_SECOND, to / NS_PER_SECOND,
                      to % NS_PER_SECOND);
    output_text(output, "\n");
}

static void put_survey(struct output *output, const struct tally_recording_info *info,
                       const struct survey *survey)
{
    char name[GROUP_TEXT_BYTES];
    put_row(output, "reasons");
    bool first = true;
    for (unsigned i = 0; i < SURVEY_REASONS; i++) {
        if (!survey->reasons[i])
            continue;
        reasons_text(name, i);
        output_printf(output, "%s%s %" PRIu64, first ? "" : ", ", name, survey->reasons[i]);
        first = false;
    }
    output_text(output, "\n");
    if (!tally_layout_width(info->layout, TALLY_SLOT_CONTEXT)) {
        put_row(output, "contexts");
        output_text(output, "none (not part of this layout)\n");
        return;
    }
    for (size_t i = 0; i < survey->context_count && i < CONTEXTS_SHOWN; i++) {
        char context[16];
        context_text(context, info, survey->contexts[i].context);
        put_row(output, i ? "" : "contexts");
        output_printf(output, "%-10s %8" PRIu64 " reports in %" PRIu64 " run%s\n", context,
                      survey->contexts[i].reports, survey->contexts[i].switches,
                      survey->contexts[i].switches == 1 ? "" : "s");
    }
    if (survey->context_count > CONTEXTS_SHOWN) {
        put_row(output, "");
        output_printf(output, "and %s%zu more\n", survey->other_reports ? "at least " : "",
                      survey->context_count - CONTEXTS_SHOWN);
    }
}

static void table_put(struct output *output, const struct sink_context *context,
                      const struct survey *survey)
{
    put_device(output, context->info);
    if (context->info->signals)
        put_signals(output, context, survey);
    put_packets(output, context->recording);
    if (context->info->phases)
        put_workload(output, context->info->phases);
    if (context->info->marks)
        put_marks(output, context->info);
    put_times(output, context->recording);
    put_survey(output, context->info, survey);
    sink_table.end(output, context);
}

const struct sink_info table_info = {table_put};

static void jsonl_signals(struct output *output, const struct sink_context *context,
                          const struct survey *survey)
{
    const struct tally_recorded_chipset *chipset = context->info->chipset;
    const struct tally_recorded_signals *signals = context->info->signals;
    output_text(output, ",\"domains\":[");
    for (size_t i = 0; i < chipset->domain_count; i++) {
        const struct tally_recorded_domain *domain = &chipset->domains[i];
        output_printf(output, "%s{\"domain\":\"%s\",\"instance\":%u,\"hz\":", i ? "," : "",
                      tally_domain_name(domain->domain), domain->instance);
        if (domain->hz)
            output_printf(output, "%" PRIu64 "}", domain->hz);
        else
            output_text(output, "null}");
    }
    output_printf(output, "],\"passes\":%u,\"signals\":[", signals->passes);
    for (size_t i = 0; i < signals->count; i++) {
        const struct tally_recorded_clock *clock = &signals->clocks[signals->signals[i].clock];
        double share = share_of(context, survey, i);
        output_text(output, i ? ",{\"symbol\":" : "{\"symbol\":");
        json_text(output, signals->signals[i].symbol);
        json_member(output, "expression", signals->signals[i].expression);
        output_printf(output, ",\"domain\":\"%s\",\"pass\":%u,\"counted\":",
                      tally_domain_name(clock->domain), clock->pass);
        if (share >= 0)
            output_printf(output, "%.6f}", share);
        else
            output_text(output, "null}");
    }
    output_text(output, "]");
    struct tally_recorded_packets packets = tally_recording_packets(context->recording);
    if (packets.packets)
        output_printf(output,
                      ",\"packets\":{\"packets\":%" PRIu64 ",\"bytes\":%d,\"runs\":%" PRIu64
                      ",\"overflows\":%" PRIu64 ",\"merged_stops\":%" PRIu64 "}",
                      packets.packets, packets.is_short ? PACKET_SHORT_BYTES : PACKET_LONG_BYTES,
                      packets.runs, packets.overflows, packets.merged);
}

static void jsonl_put(struct output *output, const struct sink_context *context,
                      const struct survey *survey)
{
    const struct tally_recording_info *info = context->info;
    const struct tally_device_info *device = &info->recorded;
    const struct tally_correlation *points;
    size_t count = tally_recording_correlations(context->recording, &points);
    output_text(output, "{\"type\":\"info\",\"file\":");
    json_text(output, info->path);
    output_printf(output, ",\"kind\":\"%s\",\"bytes\":%" PRIu64, kind_name(info->kind),
                  info->size_bytes);
    output_printf(output, ",\"platform\":\"%s\",\"chipset\":\"%s\",\"device\":\"0x%04" PRIx32 "\"",
                  tally_device_name(&info->device), info->device.chipset, device->device_id);
    output_printf(output, ",\"modelled\":%s", sink_modelled(info));
    output_printf(output, ",\"slices\":%" PRIu32 ",\"subslices\":%" PRIu32 ",\"eus\":%" PRIu32,
                  info->topology.slices, info->topology.subslices, info->topology.eus);
    output_printf(output, ",\"timestamp_hz\":%" PRIu64 ",\"gt_min_hz\":%" PRIu32,
                  device->timestamp_hz, device->gt_min_hz);
    output_printf(output,
                  ",\"gt_max_hz\":%" PRIu32 ",\"layout\":\"%s/%s\",\"set\":", device->gt_max_hz,
                  info->layout->family, info->layout->name);
    json_text(output, device->set_name);
    json_member(output, "uuid", device->set_uuid);
    if (info->signals)
        jsonl_signals(output, context, survey);
    if (info->phases) {
        json_member(output, "workload", info->phases->workload);
        output_text(output, ",\"phases_ns\":[");
        for (size_t i = 0; i < info->phases->count; i++)
            output_printf(output, "%s%" PRIu64, i ? "," : "", info->phases->durations_ns[i]);
        output_text(output, "]");
    }
    if (info->marks) {
        output_printf(output, ",\"marks\":%zu,\"mark_names\":%zu,\"sections\":%zu,\"frames\":%zu",
                      info->marks->count, info->marks->name_count - 1, info->marks->sections,
                      info->marks->frames);
        output_printf(output, ",\"unmatched_regions\":%zu,\"marks_uncertain_ns\":%" PRIu64,
                      info->marks->unmatched, ticks_to_ns(info, info->marks->clock_ticks));
    }
    output_printf(output, ",\"correlation_points\":%zu,\"reasons\":{", count);
    bool first = true;
    for (unsigned i = 0; i < SURVEY_REASONS; i++) {
        if (survey->reasons[i]) {
            char name[GROUP_TEXT_BYTES];
            reasons_text(name, i);
            output_printf(output, "%s\"%s\":%" PRIu64, first ? "" : ",", name, survey->reasons[i]);
            first = false;
        }
    }
    output_text(output, "},\"contexts\":[");
    for (size_t i = 0; i < survey->context_count; i++) {
        char name[16];
        context_text(name, info, survey->contexts[i].context);
        output_printf(output, "%s{\"context\":\"%s\",\"reports\":%" PRIu64 ",\"runs\":%" PRIu64 "}",
                      i ? "," : "", name, survey->contexts[i].reports,
                      survey->contexts[i].switches);
    }
    output_printf(output, "],\"reports_of_other_contexts\":%" PRIu64 "}\n", survey->other_reports);
    sink_jsonl.end(output, context);
}

const struct sink_info jsonl_info = {jsonl_put};
