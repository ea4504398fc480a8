/* SPDX-License-Identifier: MIT */
/* Determines the kind of an input and the layout of its reports before the first one is read. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/ratio.h"
#include "recording/device.h"
#include "recording/pcounter_layouts.h"
#include "recording/reader.h"

#define GT_MAX_HZ_UNKNOWN UINT64_C(2500000000)

static int take_device_info(struct tally_recording *recording, uint64_t offset, uint32_t size,
                            struct tally_error *error)
{
    uint8_t payload[DEVICE_INFO_BYTES];
    if (size != TALLY_RECORD_HEADER_BYTES + DEVICE_INFO_BYTES)
        return fail(error, -EBADMSG,
                    "DEVICE_INFO record at offset 0x%" PRIx64 " has size %u, expected %d", offset,
                    size, TALLY_RECORD_HEADER_BYTES + DEVICE_INFO_BYTES);
    if (recording_peek(recording, offset + TALLY_RECORD_HEADER_BYTES, payload, sizeof payload) !=
        sizeof payload)
        return fail(error, -EBADMSG, "DEVICE_INFO record at offset 0x%" PRIx64 " is cut short",
                    offset);
    device_info_load(payload, &recording->info.recorded);
    return 0;
}

/* Finds the device: the chipset of a CHIPSET record, else the PCI id of DEVICE_INFO. */
static int find_device(struct tally_recording *recording, uint64_t offset,
                       struct tally_error *error)
{
    struct tally_recording_info *info = &recording->info;
    struct chipset_records *nvidia = &recording->nvidia;
    if (nvidia->found) {
        info->device = device_of_chipset(nvidia->found, nvidia->chipset.device_id);
        info->chipset = &nvidia->chipset;
        info->signals = &nvidia->signals;
        return 0;
    }
    if (tally_device_find(info->recorded.device_id, &info->device) < 0)
        return fail(error, -EBADMSG,
                    "DEVICE_INFO record at offset 0x%" PRIx64
                    ": unknown PCI device 0x%04x, expected a GPU of tally list platforms",
                    offset, info->recorded.device_id);
    return 0;
}

/* Returns the payload of a record, NUL terminated, which the caller frees; NULL if it is incomplete
 * or there is no memory. */
static uint8_t *peek_payload(struct tally_recording *recording, uint64_t offset,
                             uint32_t record_size)
{
    size_t size = record_size - TALLY_RECORD_HEADER_BYTES;
    uint8_t *payload = malloc(size + 1);
    if (payload &&
        recording_peek(recording, offset + TALLY_RECORD_HEADER_BYTES, payload, size) != size) {
        free(payload);
        return NULL;
    }
    if (payload)
        payload[size] = 0;
    return payload;
}

static int check_version(const struct headers *at, struct tally_error *error)
{
    const uint32_t size = TALLY_RECORD_HEADER_BYTES + VERSION_BYTES;
    if (at->header.size != size)
        return fail(error, -EBADMSG,
                    "VERSION record at offset 0x%" PRIx64 " has size %u, expected %u", at->offset,
                    at->header.size, size);
    if (at->available < size)
        return 0; /* the input ends inside the record */
    uint32_t version = load_le32(at->record + TALLY_RECORD_HEADER_BYTES);
    if (version != RECORDING_VERSION)
        return fail(error, -EBADMSG,
                    "recording version %" PRIu32 " at offset 0x%" PRIx64 ", expected %d", version,
                    at->offset, RECORDING_VERSION);
    return 0;
}

/* Takes from a STREAM record what is needed before the first report. The walk reports an invalid
 * one. */
static void take_stream_head(struct tally_recording *recording, const struct headers *at)
{
    struct tally_recording_info *info = &recording->info;
    const uint8_t *payload = at->record + TALLY_RECORD_HEADER_BYTES;
    if (at->header.size != TALLY_RECORD_HEADER_BYTES + STREAM_BYTES ||
        at->available < at->header.size)
        return;
    info->period_ticks = load_le64(payload + STREAM_TIMER);
    info->modelled = load_le32(payload + STREAM_FLAGS) & STREAM_MODELLED;
    recording->may_have_marks = load_le32(payload + STREAM_FLAGS) & STREAM_MARKS;
}

static int take_phases(struct tally_recording *recording, const struct headers *at,
                       struct tally_error *error)
{
    uint8_t *payload = peek_payload(recording, at->offset, at->header.size);
    bool loaded = payload && phases_record_load(&recording->phases, payload,
                                                at->header.size - TALLY_RECORD_HEADER_BYTES);
    free(payload);
    if (!loaded)
        return fail(error, -EBADMSG,
                    "PHASES record at offset 0x%" PRIx64 " is malformed, expected 1 to %d phases "
                    "that last",
                    at->offset, PHASES_MAX);
    recording->info.phases = &recording->phases.public;
    return 0;
}

typedef int record_loader(struct chipset_records *records, const uint8_t *payload, size_t size,
                          struct tally_error *error);

/* A record of NVIDIA GPUs, of which there is at most one. */
struct nvidia_record {
    const char *name;
    record_loader *load;
    uint64_t at;
    uint32_t size; /* 0: none */
};

static int take_nvidia(struct tally_recording *recording, const struct nvidia_record *record,
                       struct tally_error *error)
{
    if (!record->size)
        return 0;
    uint8_t *payload = peek_payload(recording, record->at, record->size);
    if (!payload)
        return fail(error, -EBADMSG, "%s record at offset 0x%" PRIx64 " is cut short", record->name,
                    record->at);
    int result =
        record->load(&recording->nvidia, payload, record->size - TALLY_RECORD_HEADER_BYTES, error);
    free(payload);
    if (result < 0)
        fail_in(error, "%s record at offset 0x%" PRIx64, record->name, record->at);
    return result;
}

enum { RECORD_CHIPSET, RECORD_SIGNALS, NVIDIA_RECORDS };

/* Loads both records, or none if it is a recording of an Intel GPU. */
static int take_chipset(struct tally_recording *recording, const struct nvidia_record *records,
                        struct tally_error *error)
{
    bool has_chipset = records[RECORD_CHIPSET].size, has_signals = records[RECORD_SIGNALS].size;
    if (has_chipset != has_signals)
        return fail(error, -EBADMSG, "a %s record without a %s record",
                    records[has_chipset ? RECORD_CHIPSET : RECORD_SIGNALS].name,
                    records[has_chipset ? RECORD_SIGNALS : RECORD_CHIPSET].name);
    int result = take_nvidia(recording, &records[RECORD_CHIPSET], error);
    return result < 0 ? result : take_nvidia(recording, &records[RECORD_SIGNALS], error);
}

static int take_topology(struct tally_recording *recording, uint64_t offset, uint32_t size,
                         struct tally_error *error)
{
    struct tally_recording_info *info = &recording->info;
    if (!size)
        return 0;
    if (info->device.nvidia)
        return fail(error, -EBADMSG,
                    "DEVICE_TOPOLOGY record at offset 0x%" PRIx64 " in a recording of %s", offset,
                    info->device.nvidia->title);
    uint8_t *payload = peek_payload(recording, offset, size);
    if (!payload)
        return fail(error, -EBADMSG, "DEVICE_TOPOLOGY record at offset 0x%" PRIx64 " is cut short",
                    offset);
    int result = tally_topology_parse(info->device.platform, payload,
                                      size - TALLY_RECORD_HEADER_BYTES, &info->topology, error);
    free(payload);
    if (result < 0) {
        fail_in(error, "DEVICE_TOPOLOGY record at offset 0x%" PRIx64, offset);
        if (error)
            error->code = -EBADMSG;
        return -EBADMSG;
    }
    info->has_topology = true;
    return 0;
}

/*
 * Finds VERSION, DEVICE_INFO, DEVICE_TOPOLOGY, CHIPSET, SIGNALS, PROVENANCE and STREAM. They
 * usually come before the first report; otherwise the search continues after it, in files only. An
 * invalid record size ends the search; the walk reports it later with its offset.
 */
static int find_metadata(struct tally_recording *recording, struct tally_error *error)
{
    struct nvidia_record nvidia[NVIDIA_RECORDS] = {
        [RECORD_CHIPSET] = {.name = "CHIPSET", .load = chipset_record_load},
        [RECORD_SIGNALS] = {.name = "SIGNALS", .load = signals_record_load},
    };
    bool has_device = false;
    uint64_t device_at = 0, topology_at = 0;
    uint32_t topology_size = 0;
    int result = 0;
    struct headers at;

    for (headers_start(&at, recording); headers_next(&at);) {
        uint32_t type = at.header.type;
        bool complete =
            has_device &&
            (topology_size || (nvidia[RECORD_CHIPSET].size && nvidia[RECORD_SIGNALS].size));
        if (record_has_reports(type) && (complete || !recording->source.seekable))
            break;
        if (type == TALLY_RECORD_VERSION)
            result = check_version(&at, error);
        if (type == TALLY_RECORD_DEVICE_INFO && !has_device) {
            result = take_device_info(recording, at.offset, at.header.size, error);
            has_device = true;
            device_at = at.offset;
        }
        if (result < 0)
            return result;
        if (type == TALLY_RECORD_DEVICE_TOPOLOGY) {
            topology_at = at.offset;
            topology_size = at.header.size;
        }
        if (type == TALLY_RECORD_CHIPSET || type == TALLY_RECORD_SIGNALS) {
            struct nvidia_record *record = &nvidia[type - TALLY_RECORD_CHIPSET];
            if (record->size)
                return fail(error, -EBADMSG, "a second %s record at offset 0x%" PRIx64,
                            record->name, at.offset);
            record->at = at.offset;
            record->size = at.header.size;
        }
        if (type == TALLY_RECORD_PROVENANCE && !recording->provenance)
            recording->provenance = (char *)peek_payload(recording, at.offset, at.header.size);
        if (type == TALLY_RECORD_STREAM)
            take_stream_head(recording, &at);
        if (type == TALLY_RECORD_PHASES && !recording->info.phases)
            result = take_phases(recording, &at, error);
        if (result < 0)
            return result;
    }
    if (!has_device)
        return fail(error, -EBADMSG, "no DEVICE_INFO record, expected one before the first report");
    result = take_chipset(recording, nvidia, error);
    if (!result)
        result = find_device(recording, device_at, error);
    if (!result)
        result = take_topology(recording, topology_at, topology_size, error);
    recording->info.provenance = recording->provenance;
    return result;
}

/* TALLY_KIND_AUTO: decides by the header of the first record. */
static int decide_kind(struct tally_recording *recording, enum tally_recording_kind *kind,
                       bool has_layout, struct tally_error *error)
{
    uint8_t bytes[TALLY_RECORD_HEADER_BYTES];
    size_t got = recording_peek(recording, 0, bytes, sizeof bytes);
    if (got == 0)
        return fail(error, -EBADMSG, "empty, expected a recording");
    if (got < sizeof bytes)
        return fail(error, -EBADMSG, "%zu bytes, expected a record header of %d at offset 0", got,
                    TALLY_RECORD_HEADER_BYTES);
    struct record_header header = record_header_load(bytes);
    bool plausible = header.size >= TALLY_RECORD_HEADER_BYTES && load_le16(bytes + RECORD_PAD) == 0;
    if (plausible && header.type >= TALLY_RECORD_VERSION &&
        (header.type <= TALLY_RECORD_TIMESTAMP_CORRELATION || header.type >> 16 == 0x5400))
        *kind = TALLY_KIND_CONTAINER;
    else if (plausible && header.type >= TALLY_RECORD_SAMPLE &&
             header.type <= TALLY_RECORD_BUFFER_LOST)
        *kind = TALLY_KIND_STREAM;
    else if (has_layout)
        *kind = TALLY_KIND_RAW;
    else
        return fail(error, -EBADMSG,
                    "not a recording: record type %" PRIu32 ", size %" PRIu32
                    " at offset 0x0, expected VERSION (65536)",
                    header.type, header.size);
    return 0;
}

bool recording_can_describe(struct tally_recording *recording,
                            const struct tally_recording_options *options)
{
    enum tally_recording_kind kind = options->kind;
    struct headers at;
    if (recording->pending_size < TALLY_RECORD_HEADER_BYTES)
        return false;
    if (kind == TALLY_KIND_AUTO && decide_kind(recording, &kind, options->layout != NULL, NULL) < 0)
        return true; /* recording_describe() reports the error */
    if (kind != TALLY_KIND_CONTAINER)
        return true;
    headers_start(&at, recording);
    while (headers_next(&at))
        if (record_has_reports(at.header.type))
            return true;
    return at.available >= TALLY_RECORD_HEADER_BYTES; /* invalid size */
}

static int describe_bare(struct tally_recording *recording,
                         const struct tally_recording_options *options, struct tally_error *error)
{
    struct tally_recording_info *info = &recording->info;
    const struct tally_platform *platform = options->platform;
    for (size_t i = 0; !platform && options->layout && tally_platform_at(i); i++)
        if (!strcmp(tally_platform_at(i)->layout_family, options->layout->family))
            platform = tally_platform_at(i);
    if (!platform && options->layout)
        return fail(error, -ENODEV,
                    "no platform uses only the layouts of %s, expected the name of a platform",
                    options->layout->family);
    if (!platform)
        return fail(error, -ENODEV,
                    "no DEVICE_INFO record, expected the name of a platform or layout");
    info->layout = options->layout;
    if (!info->layout)
        info->layout = tally_layout_default(platform);
    /* The exact device is unknown: use a common one, which selects the metric sets. */
    if (tally_device_find(platform->example_device, &info->device) < 0)
        return fail(error, -ENODEV, "platform %s has no device in the table", platform->name);
    info->device.id = 0;
    info->recorded.timestamp_hz =
        options->timestamp_hz ? options->timestamp_hz : platform->timestamp_hz;
    info->recorded.gt_min_hz = platform->gt_min_mhz * 1000000u;
    info->recorded.gt_max_hz = platform->gt_max_mhz * 1000000u;
    info->recorded.oa_format = tally_layout_format(info->layout);
    return 0;
}

static int describe_container(struct tally_recording *recording,
                              const struct tally_recording_options *options,
                              struct tally_error *error)
{
    struct tally_recording_info *info = &recording->info;
    int result = find_metadata(recording, error);
    if (result < 0)
        return result;
    info->layout = options->layout;
    if (!info->layout)
        info->layout = layout_of_device(&info->device, info->recorded.oa_format);
    if (!info->layout)
        return fail(error, -EBADMSG, "DEVICE_INFO record: OA format %u is not one of %s",
                    info->recorded.oa_format, tally_device_title(&info->device));
    if (info->signals && !pcounter_layout_holds(info->layout, info->signals->count))
        return fail(error, -EBADMSG, "SIGNALS record: %zu signals are not in reports of %s/%s",
                    info->signals->count, info->layout->family, info->layout->name);
    if (!info->recorded.timestamp_hz)
        return fail(error, -EBADMSG, "DEVICE_INFO record: timestamp frequency is 0");
    return 0;
}

/* True if a layout has a 32-bit counter. */
static bool has_narrow_counter(const struct tally_layout *layout)
{
    for (size_t f = 0; f < layout->field_count; f++) {
        unsigned slot = layout->fields[f].slot;
        bool counts =
            slot == TALLY_SLOT_TICKS || (slot >= TALLY_SLOT_A && slot < TALLY_SLOT_RESERVED);
        if (counts && layout->fields[f].width == 32)
            return true;
    }
    return false;
}

/* Returns the duration in ticks beyond which the fastest 32-bit counter may have wrapped more than
 * once. */
static uint64_t ambiguous_after(const struct tally_recording_info *info)
{
    uint64_t hz = info->recorded.gt_max_hz ? info->recorded.gt_max_hz : GT_MAX_HZ_UNKNOWN;
    uint64_t per_clock = 1;
    if (!has_narrow_counter(info->layout))
        return UINT64_MAX;
    /* A7 sums over all EUs; before Gen8 and in A12 layouts it has 32 bits. */
    if (tally_layout_width(info->layout, TALLY_SLOT_A + 7) == 32 && info->topology.eus)
        per_clock = info->topology.eus;
    return scale_u64(UINT64_C(1) << 32, info->recorded.timestamp_hz, hz * per_clock);
}

static unsigned slot_offset(const struct tally_layout *layout, unsigned slot)
{
    for (size_t f = 0; f < layout->field_count; f++)
        if (layout->fields[f].slot == slot)
            return layout->fields[f].offset;
    return 0;
}

/* Fills in the topology of an Intel GPU without a record. */
static void assume_topology(struct tally_recording_info *info)
{
    const struct tally_sku *sku = tally_sku_of_device(info->device.id);
    if (info->has_topology || info->device.nvidia)
        return;
    if (sku)
        tally_sku_topology(sku, 0, &info->topology);
    else
        tally_topology_default(info->device.platform, &info->topology);
}

int recording_describe(struct tally_recording *recording,
                       const struct tally_recording_options *options, struct tally_error *error)
{
    struct tally_recording_info *info = &recording->info;
    info->kind = options->kind;
    info->size_bytes = recording->source.size;
    int result = 0;
    if (info->kind == TALLY_KIND_AUTO)
        result = decide_kind(recording, &info->kind, options->layout != NULL, error);
    if (!result)
        result = info->kind == TALLY_KIND_CONTAINER ? describe_container(recording, options, error)
                                                    : describe_bare(recording, options, error);
    if (recording->source.peek_error)
        result = fail(error, -recording->source.peek_error, "cannot read: %s",
                      source_reason(&recording->source, recording->source.peek_error));
    if (result < 0)
        return result;

    const struct tally_layout *layout = info->layout;
    recording->platform = info->device.platform;
    assume_topology(info);
    recording->timestamp_width = layout->header_bits;
    recording->timestamp_at = slot_offset(layout, TALLY_SLOT_TIMESTAMP);
    recording->context_at = slot_offset(layout, TALLY_SLOT_CONTEXT);
    recording->has_context = tally_layout_width(layout, TALLY_SLOT_CONTEXT) != 0;
    recording->ambiguous_after_ticks = ambiguous_after(info);
    recording->clock.timestamp_hz = info->recorded.timestamp_hz;
    recording->clock.shift = recording->platform ? recording->platform->oa_timestamp_shift : 0;
    recording->timer.software = info->device.nvidia != NULL;
    return 0;
}
