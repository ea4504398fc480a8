/* SPDX-License-Identifier: MIT */
#include "recording/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/ratio.h"

#define GT_MAX_HZ_UNKNOWN UINT64_C(2500000000)

struct tally_batch *tally_batch_new(void)
{
    struct batch *batch = malloc(sizeof *batch);
    if (!batch)
        return NULL;
    batch->public = (struct tally_batch){
        .reports = batch->report_pointers,
        .gpu_ticks = batch->gpu_ticks,
        .contexts = batch->contexts,
        .reasons = batch->reasons,
        .states = batch->states,
    };
    return &batch->public;
}

void tally_batch_free(struct tally_batch *batch)
{
    free(batch); /* the public part is the first member */
}

void tally_recording_close(struct tally_recording *recording)
{
    if (!recording)
        return;
    source_close(&recording->source);
    points_fini(&recording->points);
    ledger_fini(&recording->ledger);
    free(recording->pending);
    free(recording->provenance);
    free(recording->path);
    free(recording);
}

const struct tally_recording_info *tally_recording_info(const struct tally_recording *recording)
{
    return &recording->info;
}

/* Appends one chunk of input to the pending bytes. Returns bytes, 0 at the end, or errno. */
static ptrdiff_t read_pending(struct tally_recording *recording, size_t wanted)
{
    if (recording->pending_capacity < recording->pending_size + wanted) {
        size_t capacity = recording->pending_size + wanted;
        uint8_t *pending = realloc(recording->pending, capacity);
        if (!pending)
            return -ENOMEM;
        recording->pending = pending;
        recording->pending_capacity = capacity;
    }
    ptrdiff_t n = source_read(&recording->source, recording->pending + recording->pending_size,
                              wanted);
    if (n > 0)
        recording->pending_size += (size_t)n;
    return n;
}

size_t recording_peek(const struct tally_recording *recording, uint64_t offset, void *to,
                      size_t size)
{
    if (recording->source.seekable)
        return source_peek_at(&recording->source, offset, to, size);
    if (offset >= recording->pending_size)
        return 0;
    if (size > recording->pending_size - offset)
        size = recording->pending_size - (size_t)offset;
    memcpy(to, recording->pending + offset, size);
    return size;
}

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
    struct tally_device_info *info = &recording->info.recorded;
    device_info_load(payload, info);
    int result = tally_device_find(info->device_id, &recording->info.device);
    if (result < 0)
        return fail(error, -EBADMSG,
                    "DEVICE_INFO record at offset 0x%" PRIx64 ": PCI device 0x%04x is not known",
                    offset, info->device_id);
    return 0;
}

/* Reads a record's payload whole; the caller frees it. */
static uint8_t *peek_payload(const struct tally_recording *recording, uint64_t offset,
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
    if (at->room < size)
        return 0; /* the input ends here */
    uint32_t version = load_le32(at->record + TALLY_RECORD_HEADER_BYTES);
    if (version != RECORDING_VERSION)
        return fail(error, -EBADMSG,
                    "recording version %" PRIu32 " at offset 0x%" PRIx64 ", expected %d", version,
                    at->offset, RECORDING_VERSION);
    return 0;
}

/*
 * Finds VERSION, DEVICE_INFO, DEVICE_TOPOLOGY and PROVENANCE. They stand in front of the first
 * report; the search goes past it only if they do not, and only in a file. A size that cannot be
 * ends it, and is told with its offset when the walk comes there.
 */
static int find_metadata(struct tally_recording *recording, struct tally_error *error)
{
    bool has_device = false;
    uint64_t topology_at = 0;
    uint32_t topology_size = 0;
    int result = 0;
    struct headers at;

    for (headers_start(&at, recording); headers_next(&at);) {
        bool complete = has_device && topology_size;
        if (at.header.type == TALLY_RECORD_SAMPLE && (complete || !recording->source.seekable))
            break;
        if (at.header.type == TALLY_RECORD_VERSION)
            result = check_version(&at, error);
        if (at.header.type == TALLY_RECORD_DEVICE_INFO && !has_device) {
            result = take_device_info(recording, at.offset, at.header.size, error);
            has_device = true;
        }
        if (result < 0)
            return result;
        if (at.header.type == TALLY_RECORD_DEVICE_TOPOLOGY) {
            topology_at = at.offset;
            topology_size = at.header.size;
        }
        if (at.header.type == TALLY_RECORD_PROVENANCE && !recording->provenance)
            recording->provenance = (char *)peek_payload(recording, at.offset, at.header.size);
    }
    if (!has_device)
        return fail(error, -EBADMSG, "no DEVICE_INFO record, expected one before the first report");
    if (topology_size) {
        uint8_t *payload = peek_payload(recording, topology_at, topology_size);
        if (!payload)
            return fail(error, -EBADMSG,
                        "DEVICE_TOPOLOGY record at offset 0x%" PRIx64 " is cut short",
                        topology_at);
        result = tally_topology_parse(recording->info.device.platform, payload,
                                      topology_size - TALLY_RECORD_HEADER_BYTES,
                                      &recording->info.topology, error);
        free(payload);
        if (result < 0) {
            fail_in(error, "DEVICE_TOPOLOGY record at offset 0x%" PRIx64, topology_at);
            if (error)
                error->code = -EBADMSG;
            return -EBADMSG;
        }
        recording->info.has_topology = true;
    }
    recording->info.provenance = recording->provenance;
    return 0;
}

/* AUTO: what the first record's header says. */
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
                    "no platform has the layouts of %s by itself: name the platform",
                    options->layout->family);
    if (!platform)
        return fail(error, -ENODEV, "no DEVICE_INFO record: name the platform or the layout");
    info->layout = options->layout;
    if (!info->layout)
        info->layout = tally_layout_for_kernel(platform, platform->default_format);
    if (!info->layout)
        return fail(error, -ENODEV, "platform %s has no usual report format: name the layout",
                    platform->name);
    info->device.platform = platform;
    for (size_t i = 0; platform->name[i] && i < sizeof info->device.chipset - 1; i++)
        info->device.chipset[i] = (char)(platform->name[i] - 'a' + 'A');
    info->recorded.timestamp_hz =
        options->timestamp_hz ? options->timestamp_hz : platform->timestamp_hz;
    info->recorded.gt_min_hz = platform->gt_min_mhz * 1000000u;
    info->recorded.gt_max_hz = platform->gt_max_mhz * 1000000u;
    info->recorded.oa_format = info->layout->kernel_format;
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
        info->layout = tally_layout_for_kernel(info->device.platform, info->recorded.oa_format);
    if (!info->layout)
        return fail(error, -EBADMSG, "DEVICE_INFO record: OA format %u is not one of %s",
                    info->recorded.oa_format, info->device.platform->title);
    if (!info->recorded.timestamp_hz)
        return fail(error, -EBADMSG, "DEVICE_INFO record: timestamp frequency is 0");
    return 0;
}

/* Does a layout hold a counter of 32 bits? */
static bool has_narrow_counter(const struct tally_layout *layout)
{
    for (size_t f = 0; f < layout->field_count; f++) {
        unsigned slot = layout->fields[f].slot;
        bool counts = slot == TALLY_SLOT_TICKS ||
                      (slot >= TALLY_SLOT_A && slot < TALLY_SLOT_RESERVED);
        if (counts && layout->fields[f].width == 32)
            return true;
    }
    return false;
}

/* How long a delta may be before the fastest 32-bit counter could have wrapped twice. */
static uint64_t ambiguous_after(const struct tally_recording_info *info)
{
    uint64_t hz = info->recorded.gt_max_hz ? info->recorded.gt_max_hz : GT_MAX_HZ_UNKNOWN;
    uint64_t per_clock = 1;
    if (!has_narrow_counter(info->layout))
        return UINT64_MAX;
    /* A7 sums over all EUs wherever it is; before Gen8 and in A12 layouts it has 32 bits too. */
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

static int describe(struct tally_recording *recording,
                    const struct tally_recording_options *options, struct tally_error *error)
{
    struct tally_recording_info *info = &recording->info;
    info->kind = options->kind;
    info->size_bytes = recording->source.size;
    int result = 0;
    if (info->kind == TALLY_KIND_AUTO)
        result = decide_kind(recording, &info->kind, options->layout != NULL, error);
    if (!result)
        result = info->kind == TALLY_KIND_CONTAINER
                     ? describe_container(recording, options, error)
                     : describe_bare(recording, options, error);
    if (result < 0)
        return result;

    const struct tally_layout *layout = info->layout;
    recording->platform = info->device.platform;
    if (!info->has_topology)
        tally_topology_default(recording->platform, &info->topology);
    recording->timestamp_width = layout->header_bits;
    recording->timestamp_at = slot_offset(layout, TALLY_SLOT_TIMESTAMP);
    recording->context_at = slot_offset(layout, TALLY_SLOT_CONTEXT);
    recording->has_context = tally_layout_width(layout, TALLY_SLOT_CONTEXT) != 0;
    recording->ambiguous_after_ticks = ambiguous_after(info);
    recording->clock.timestamp_hz = info->recorded.timestamp_hz;
    recording->clock.shift = recording->platform->oa_timestamp_shift;
    return 0;
}

static int open_source(struct tally_recording *recording, const char *path,
                       const struct tally_recording_options *options,
                       struct tally_recording **out, struct tally_error *error)
{
    static const struct tally_recording_options defaults;
    if (!options)
        options = &defaults;
    int result = 0;
    recording->path = strdup(path);
    recording->info.path = recording->path;
    recording->keep_unsorted = options->keep_unsorted;
    if (!recording->path)
        result = fail_memory(error, "a path");
    if (!result && !recording->source.bytes) {
        /* The first bytes decide what this is; they stay pending for the walk. */
        while (!recording->at_end && recording->pending_size < BATCH_BYTES && !result) {
            ptrdiff_t n = read_pending(recording, BATCH_BYTES - recording->pending_size);
            recording->at_end = n == 0;
            if (n < 0)
                result = fail(error, (int)n, "%s: cannot read: %s", path, strerror((int)-n));
        }
    }
    if (!result) {
        result = describe(recording, options, error);
        if (result < 0)
            fail_in(error, "%s", path);
    }
    if (result < 0) {
        tally_recording_close(recording);
        return result;
    }
    *out = recording;
    return 0;
}

int tally_recording_open(const char *path, const struct tally_recording_options *options,
                         struct tally_recording **out, struct tally_error *error)
{
    struct tally_recording *recording = calloc(1, sizeof *recording);
    if (!recording)
        return fail_memory(error, "a recording");
    int result = source_open(&recording->source, path, options && options->map, error);
    if (result < 0) {
        free(recording);
        return result;
    }
    return open_source(recording, path, options, out, error);
}

int tally_recording_open_memory(const void *bytes, size_t size, const char *name,
                                const struct tally_recording_options *options,
                                struct tally_recording **out, struct tally_error *error)
{
    struct tally_recording *recording = calloc(1, sizeof *recording);
    if (!recording)
        return fail_memory(error, "a recording");
    source_open_memory(&recording->source, size ? bytes : "", size);
    return open_source(recording, name, options, out, error);
}

/* The input is damaged: what follows is lost, and the ledger says so once. */
static void note_unreadable(struct tally_recording *recording)
{
    if (recording->unreadable_noted)
        return;
    recording->unreadable_noted = true;
    ledger_add(&recording->ledger, &(struct tally_loss){
                                       .kind = TALLY_LOSS_UNREADABLE,
                                       .records = 1,
                                       .before_index = recording->totals.reports,
                                       .offset = recording->offset,
                                       .gpu_start = recording->last_ticks,
                                   });
}

/* The result of reading at the end of the input. */
static int finish(struct tally_recording *recording, struct tally_error *error)
{
    const struct tally_error *reason = &recording->deferred;
    if (recording->fault.code) {
        note_unreadable(recording);
        reason = &recording->fault;
    }
    if (reason->code && error)
        *error = *reason;
    return reason->code;
}

static void note_cut(struct tally_recording *recording, size_t left)
{
    const struct tally_layout *layout = recording->info.layout;
    fail(&recording->fault, -EBADMSG,
         "%s: truncated: %zu bytes at offset 0x%" PRIx64 " are not a whole %s", recording->path,
         left, recording->offset,
         recording->info.kind == TALLY_KIND_RAW ? layout->name : "record");
}

/* The bytes to walk next: all that is left of a memory source, or what fits into the batch. */
static size_t next_bytes(struct tally_recording *recording, struct batch *batch,
                         const uint8_t **bytes)
{
    struct source *source = &recording->source;
    if (source->bytes) {
        source->position = recording->offset;
        source_drop(source);
        recording->at_end = true;
        *bytes = source->bytes + source->position;
        return (size_t)(source->size - source->position);
    }
    size_t have = recording->pending_size < BATCH_BYTES ? recording->pending_size : BATCH_BYTES;
    memcpy(batch->bytes, recording->pending, have);
    memmove(recording->pending, recording->pending + have, recording->pending_size - have);
    recording->pending_size -= have;
    while (!recording->at_end && have < BATCH_BYTES) {
        ptrdiff_t n = source_read(source, batch->bytes + have, BATCH_BYTES - have);
        recording->at_end = n <= 0;
        if (n < 0)
            fail(&recording->fault, (int)n, "%s: cannot read at offset 0x%" PRIx64 ": %s",
                 recording->path, source->position, strerror((int)-n));
        have += n > 0 ? (size_t)n : 0;
    }
    *bytes = batch->bytes;
    return have;
}

/* Puts back what the walk did not take. */
static bool keep_rest(struct tally_recording *recording, const uint8_t *rest, size_t size)
{
    if (!size)
        return true;
    size_t whole = recording->pending_size + size;
    if (recording->pending_capacity < whole) {
        uint8_t *pending = realloc(recording->pending, whole);
        if (!pending)
            return false;
        recording->pending = pending;
        recording->pending_capacity = whole;
    }
    memmove(recording->pending + size, recording->pending, recording->pending_size);
    memcpy(recording->pending, rest, size);
    recording->pending_size = whole;
    return true;
}

static size_t walk(struct tally_recording *recording, struct batch *batch, const uint8_t *bytes,
                   size_t size)
{
    size_t used = recording->info.kind == TALLY_KIND_RAW
                      ? walk_raw(recording, batch, bytes, size)
                      : walk_records(recording, batch, bytes, size);
    recording->offset += used;
    return used;
}

int tally_recording_read(struct tally_recording *recording, struct tally_batch *public,
                         struct tally_error *error)
{
    struct batch *batch = (struct batch *)public;
    size_t start = 0;
    public->count = 0;
    public->first_index = 0;
    if (recording->totals.reports) {
        memcpy(batch->previous, recording->last_report, recording->info.layout->size_bytes);
        batch->report_pointers[0] = batch->previous;
        batch->gpu_ticks[0] = recording->last_ticks;
        batch->contexts[0] = recording->last_context;
        batch->reasons[0] = recording->last_reason;
        batch->states[0] = TALLY_STATE_OK;
        public->first_index = recording->totals.reports - 1;
        public->count = start = 1;
    }

    bool ended = false;
    while (!ended && !recording->fault.code && public->count == start) {
        const uint8_t *bytes;
        size_t size = next_bytes(recording, batch, &bytes);
        size_t left = size - walk(recording, batch, bytes, size);
        bool last = recording->at_end && !recording->pending_size;
        ended = last && public->count == start;
        if (ended && left && !recording->fault.code)
            note_cut(recording, left);
        else if (!recording->source.bytes && !keep_rest(recording, bytes + size - left, left))
            fail(&recording->fault, -ENOMEM, "%s: out of memory for a record", recording->path);
    }
    if (public->count == start)
        return finish(recording, error);
    memcpy(recording->last_report, batch->report_pointers[public->count - 1],
           recording->info.layout->size_bytes);
    return 1;
}

uint64_t tally_recording_position(const struct tally_recording *recording)
{
    return recording->offset;
}

int tally_recording_cpu_ns(const struct tally_recording *recording, uint64_t gpu_ticks,
                           uint64_t *out)
{
    return points_cpu_ns(&recording->points, recording->info.recorded.timestamp_hz, gpu_ticks, out);
}

size_t tally_recording_correlations(const struct tally_recording *recording,
                                    const struct tally_correlation **out)
{
    *out = recording->points.points;
    return recording->points.count;
}

size_t tally_recording_losses(const struct tally_recording *recording,
                              const struct tally_loss **out)
{
    *out = recording->ledger.entries;
    return recording->ledger.count;
}

struct tally_recording_totals tally_recording_totals(const struct tally_recording *recording)
{
    return recording->totals;
}
