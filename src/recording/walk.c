/* SPDX-License-Identifier: MIT */
/*
 * The hot loop of reading: turns records into reports with time, context, reason and state. Also
 * walks over the headers only, to find what must be known before the first report.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/ratio.h"
#include "recording/reader.h"

void walk_losses(struct tally_recording *recording, struct tally_loss *loss)
{
    loss->before_index = recording->totals.reports;
    loss->gpu_start = recording->last_ticks;
    ledger_add(&recording->ledger, loss);
    if (ledger_is_loss(loss->kind)) {
        recording->totals.losses = add_losses(recording->totals.losses, loss->records);
        recording->loss_pending = true;
    }
}

void walk_loss(struct tally_recording *recording, enum tally_loss_kind kind, uint64_t offset)
{
    walk_losses(recording, &(struct tally_loss){.kind = kind, .records = 1, .offset = offset});
}

/* ---- gaps ------------------------------------------------------------------------------------ */

/* A REPORT_LOST record is at the position where the kernel was read, so its gap may come later in
 * the file, by at most this time. */
#define UNRESOLVED_NS NS_PER_SECOND

/* Returns the ledger entry that a gap at `ticks` may belong to, or NULL. */
static struct tally_loss *find_unresolved(struct tally_recording *recording, uint64_t ticks)
{
    struct tally_loss *unresolved =
        recording->unresolved ? &recording->ledger.entries[recording->unresolved - 1] : NULL;
    uint64_t max = scale_u64(UNRESOLVED_NS, recording->clock.timestamp_hz, NS_PER_SECOND);
    return unresolved && ticks - unresolved->gpu_start <= max ? unresolved : NULL;
}

/* Handles `missing` strobes of the timer without a report before the report at `ticks`. Returns
 * true if this is a loss that no record has reported. */
static bool note_gap(struct tally_recording *recording, uint64_t missing, uint64_t ticks,
                     uint64_t offset)
{
    if (!missing || recording->ledger.has_lost || !timer_is_sure(&recording->timer))
        return false;
    struct tally_loss *unresolved = find_unresolved(recording, ticks);
    recording->unresolved = 0;
    if (!unresolved) {
        walk_loss(recording, TALLY_LOSS_MISSING, offset);
        return true;
    }
    /* Now the place of the loss is known. */
    unresolved->estimated = add_losses(unresolved->estimated, missing);
    unresolved->before_index = recording->totals.reports;
    unresolved->gpu_start = recording->last_ticks;
    unresolved->gpu_end = ticks;
    return true;
}

/* Ends the gap before the report at `ticks`. */
static void close_gap(struct tally_recording *recording, uint64_t missing, uint64_t ticks)
{
    struct ledger *ledger = &recording->ledger;
    size_t first = ledger->closed;
    if (first == ledger->count)
        return;
    ledger_close(ledger, ticks, missing);
    for (size_t i = first; i < ledger->count; i++)
        if (ledger->entries[i].kind == TALLY_LOSS_REPORT && !ledger->entries[i].estimated)
            recording->unresolved = i + 1;
}

/* ---- reports --------------------------------------------------------------------------------- */

static void note_pause(struct tally_recording *recording, uint64_t ticks)
{
    const struct tally_pause pause = {recording->totals.reports, recording->last_ticks, ticks,
                                      recording->appended};
    ledger_add_pause(&recording->ledger, &pause);
    recording->totals.pauses++;
    recording->totals.paused_ticks += ticks - recording->last_ticks;
}

bool walk_report(struct tally_recording *recording, struct batch *batch, const uint8_t *report,
                 uint64_t offset)
{
    struct tally_batch *out = &batch->public;
    bool wide = recording->timestamp_width == 64;
    uint64_t id = wide ? load_le64(report) : load_le32(report);
    uint64_t stamp = report_stamp(recording, report);
    uint32_t context = TALLY_CONTEXT_IDLE;
    if (recording->has_context)
        context = tally_report_context(recording->platform, id,
                                       load_le32(report + recording->context_at));

    bool first = recording->totals.reports == 0;
    uint64_t before = recording->last_ticks, ticks;
    if (first && wide) {
        uint64_t moved = clock_align(&recording->clock, stamp);
        if (!recording->indexed)
            points_move(&recording->points, moved);
    }
    bool sorted = clock_unwrap(&recording->clock, stamp, recording->timestamp_width, &ticks);
    if (!sorted && !recording->keep_unsorted) {
        fail(&recording->fault, -EBADMSG,
             "%s: report %" PRIu64 " at offset 0x%" PRIx64 ": timestamp 0x%" PRIx64
             " decreases, expected at least 0x%" PRIx64,
             recording->path, recording->totals.reports, offset, ticks, before);
        return false;
    }

    uint8_t reason = (uint8_t)tally_report_reason(recording->platform, id);
    bool own = reason & TALLY_REASON_TIMER;
    uint64_t missing = timer_pass(&recording->timer, own, ticks);
    if (!first) {
        enum tally_state state = TALLY_STATE_OK;
        if (recording->paused &&
            sorted) { /* how many reports are missing beside the pause is not known */
            state = recording->loss_pending ? TALLY_STATE_LOST : TALLY_STATE_PAUSED;
            missing = 0;
            note_pause(recording, ticks);
        } else if (note_gap(recording, missing, ticks, offset) || recording->loss_pending) {
            state = TALLY_STATE_LOST;
        } else if (!sorted || ticks - before > recording->ambiguous_after_ticks) {
            state = TALLY_STATE_AMBIGUOUS;
            walk_loss(recording, TALLY_LOSS_AMBIGUOUS, offset);
        } else {
            timer_learn(&recording->timer, own && recording->last_reason & TALLY_REASON_TIMER,
                        ticks - before);
        }
        recording->totals.lost_deltas += state_is_lost(state);
        batch->states[out->count - 1] = (uint8_t)state;
    } else {
        recording->totals.first_ticks = ticks;
    }
    close_gap(recording, missing, ticks);
    recording->loss_pending = recording->paused = recording->appended = false;

    batch->report_pointers[out->count] = report;
    batch->gpu_ticks[out->count] = ticks;
    batch->contexts[out->count] = context;
    batch->reasons[out->count] = reason;
    batch->states[out->count] = TALLY_STATE_OK;
    out->count++;
    recording->totals.reports++;
    recording->totals.last_ticks = ticks;
    recording->last_ticks = ticks;
    recording->last_context = context;
    recording->last_reason = reason;
    return true;
}

/* Returns the gap after the time `since` whose length is that of the latest jump, if there is
 * exactly one. */
static struct tally_loss *find_jump(struct tally_recording *recording, uint64_t since)
{
    struct ledger *ledger = &recording->ledger;
    uint64_t period = recording->timer.period, jump = recording->clock.jump;
    struct tally_loss *found = NULL;
    if (!period || jump < period / 2)
        return NULL;
    for (size_t i = ledger->closed; i-- && ledger->entries[i].gpu_end >= since;) {
        struct tally_loss *gap = &ledger->entries[i];
        if (gap->kind != TALLY_LOSS_MISSING || gap->estimated < jump / period ||
            gap->estimated > jump / period + 1)
            continue;
        if (found)
            return NULL;
        found = gap;
    }
    return found;
}

/* Notes that the GPU's clock has jumped since the previous correlation point. If there is a gap of
 * the same length, the jump explains it, and no reports are missing. */
static void note_jump(struct tally_recording *recording, uint64_t since, uint64_t offset)
{
    struct tally_loss *gap = find_jump(recording, since);
    if (gap) {
        uint64_t *losses = &recording->totals.losses;
        gap->kind = TALLY_LOSS_CLOCK;
        gap->estimated = 0;
        *losses = *losses < UINT64_MAX && *losses >= gap->records
                      ? *losses - gap->records
                      : ledger_losses(&recording->ledger);
        return;
    }
    ledger_add(&recording->ledger, &(struct tally_loss){.kind = TALLY_LOSS_CLOCK,
                                                        .records = 1,
                                                        .before_index = recording->totals.reports,
                                                        .offset = offset,
                                                        .gpu_start = since});
}

static bool take_correlation(struct tally_recording *recording, const uint8_t *payload,
                             uint32_t size, uint64_t offset)
{
    if (size != TALLY_RECORD_HEADER_BYTES + CORRELATION_BYTES) {
        fail(&recording->fault, -EBADMSG,
             "%s: TIMESTAMP_CORRELATION record at offset 0x%" PRIx64 " has size %u, expected %d",
             recording->path, offset, size, TALLY_RECORD_HEADER_BYTES + CORRELATION_BYTES);
        return false;
    }
    uint64_t cpu_ns = load_le64(payload + CORRELATION_CPU_NS);
    struct tally_correlation before = recording->clock.point;
    if (!clock_correlate(&recording->clock, cpu_ns, load_le64(payload + CORRELATION_GPU_TICKS))) {
        fail(&recording->fault, -EBADMSG,
             "%s: TIMESTAMP_CORRELATION record at offset 0x%" PRIx64 ": CPU time %" PRIu64
             " ns decreases, expected at least %" PRIu64,
             recording->path, offset, cpu_ns, recording->clock.point.cpu_ns);
        return false;
    }
    if (!recording->indexed)
        points_add(&recording->points, recording->clock.point);
    if (recording->clock.jump)
        note_jump(recording, before.gpu_ticks, offset);
    return true;
}

/* Handles a LEDGER record: a loss reported by the writer, at the position that a loss record of the
 * kernel would have. */
static bool take_ledger(struct tally_recording *recording, const uint8_t *payload, uint32_t size,
                        uint64_t offset)
{
    uint32_t kind = size == TALLY_RECORD_HEADER_BYTES + LEDGER_BYTES
                        ? load_le32(payload + LEDGER_KIND)
                        : UINT32_MAX;
    if (!ledger_is_recorded(kind)) {
        fail(&recording->fault, -EBADMSG,
             "%s: LEDGER record at offset 0x%" PRIx64 " of size %u and kind %" PRIu32
             ", expected size %d and kind 0 to %d, %d or %d to %d",
             recording->path, offset, size, kind, TALLY_RECORD_HEADER_BYTES + LEDGER_BYTES,
             TALLY_LOSS_SKIPPED, TALLY_LOSS_RESTART, TALLY_LOSS_UNWRITTEN, TALLY_LOSS_PACKETS);
        return false;
    }
    uint64_t records = load_le64(payload + LEDGER_RECORDS);
    uint64_t estimated = load_le64(payload + LEDGER_ESTIMATED);
    /* The number of packets in a gap is computed from its length. */
    bool counted = kind != TALLY_LOSS_RESTART && kind != TALLY_LOSS_PACKETS;
    walk_losses(recording, &(struct tally_loss){
                               .kind = (enum tally_loss_kind)kind,
                               .records = records ? records : 1,
                               .offset = offset,
                               .estimated = estimated,
                               .exact = counted && estimated,
                               .clock = load_le32(payload + LEDGER_CLOCK),
                           });
    return true;
}

static bool take_stream(struct tally_recording *recording, const uint8_t *payload, uint32_t size,
                        uint64_t offset)
{
    if (size != TALLY_RECORD_HEADER_BYTES + STREAM_BYTES) {
        fail(&recording->fault, -EBADMSG,
             "%s: STREAM record at offset 0x%" PRIx64 " has size %u, expected %d", recording->path,
             offset, size, TALLY_RECORD_HEADER_BYTES + STREAM_BYTES);
        return false;
    }
    recording->info.period_ticks = load_le64(payload + STREAM_TIMER);
    timer_set_period(&recording->timer, recording->info.period_ticks,
                     load_le32(payload + STREAM_FLAGS) & STREAM_ONE_CONTEXT);
    return true;
}

static bool take_marks(struct tally_recording *recording, const uint8_t *payload, uint32_t size,
                       uint64_t offset)
{
    if (marks_record_check(payload, size - TALLY_RECORD_HEADER_BYTES))
        return true; /* read by the index */
    fail(&recording->fault, -EBADMSG,
         "%s: MARKS record at offset 0x%" PRIx64
         " is malformed, expected marks with names of at most %d bytes",
         recording->path, offset, TALLY_MARK_NAME_MAX);
    return false;
}

static bool take_segment(struct tally_recording *recording, const uint8_t *payload, uint32_t size,
                         uint64_t offset)
{
    if (size != TALLY_RECORD_HEADER_BYTES + SEGMENT_BYTES ||
        load_le32(payload + SEGMENT_KIND) >= SEGMENT_KINDS) {
        fail(&recording->fault, -EBADMSG,
             "%s: SEGMENT record at offset 0x%" PRIx64 " of size %u, expected size %d and kind "
             "0 or 1",
             recording->path, offset, size, TALLY_RECORD_HEADER_BYTES + SEGMENT_BYTES);
        return false;
    }
    recording->paused = true;
    recording->appended |= load_le32(payload + SEGMENT_KIND) == SEGMENT_APPENDED;
    recording->unresolved = 0;
    timer_restart(&recording->timer);
    return true;
}

static bool same_device(const struct tally_device_info *a, const struct tally_device_info *b)
{
    return a->timestamp_hz == b->timestamp_hz && a->device_id == b->device_id &&
           a->revision == b->revision && a->gt_min_hz == b->gt_min_hz &&
           a->gt_max_hz == b->gt_max_hz && a->engine_class == b->engine_class &&
           a->engine_instance == b->engine_instance && a->oa_format == b->oa_format &&
           !memcmp(a->set_name, b->set_name, sizeof a->set_name) &&
           !memcmp(a->set_uuid, b->set_uuid, sizeof a->set_uuid);
}

/* Handles all records except SAMPLE. Returns false on a fault. */
static bool take_other(struct tally_recording *recording, struct record_header header,
                       const uint8_t *record, uint64_t offset)
{
    const uint8_t *payload = record + TALLY_RECORD_HEADER_BYTES;
    switch (header.type) {
    case TALLY_RECORD_REPORT_LOST:
    case TALLY_RECORD_BUFFER_LOST:
        if (header.size != TALLY_RECORD_HEADER_BYTES) {
            fail(&recording->fault, -EBADMSG,
                 "%s: lost record at offset 0x%" PRIx64 " has size %u, expected %d",
                 recording->path, offset, header.size, TALLY_RECORD_HEADER_BYTES);
            return false;
        }
        walk_loss(recording,
                  header.type == TALLY_RECORD_REPORT_LOST ? TALLY_LOSS_REPORT : TALLY_LOSS_BUFFER,
                  offset);
        return true;
    case TALLY_RECORD_TIMESTAMP_CORRELATION:
        return take_correlation(recording, payload, header.size, offset);
    case TALLY_RECORD_VERSION:
    case TALLY_RECORD_DEVICE_TOPOLOGY:
        return true; /* read when the recording was opened */
    case TALLY_RECORD_DEVICE_INFO: {
        struct tally_device_info again;
        if (header.size != TALLY_RECORD_HEADER_BYTES + DEVICE_INFO_BYTES) {
            fail(&recording->fault, -EBADMSG,
                 "%s: DEVICE_INFO record at offset 0x%" PRIx64 " has size %u, expected %d",
                 recording->path, offset, header.size,
                 TALLY_RECORD_HEADER_BYTES + DEVICE_INFO_BYTES);
            return false;
        }
        device_info_load(payload, &again);
        if (recording->info.kind == TALLY_KIND_CONTAINER &&
            !same_device(&again, &recording->info.recorded)) {
            fail(&recording->fault, -EBADMSG,
                 "%s: a second, different DEVICE_INFO record at offset 0x%" PRIx64
                 ": two recordings in one file",
                 recording->path, offset);
            return false;
        }
        return true;
    }
    case TALLY_RECORD_LEDGER:
        return take_ledger(recording, payload, header.size, offset);
    case TALLY_RECORD_STREAM:
        return take_stream(recording, payload, header.size, offset);
    case TALLY_RECORD_MARKS:
        return take_marks(recording, payload, header.size, offset);
    case TALLY_RECORD_SEGMENT:
        return take_segment(recording, payload, header.size, offset);
    default:
        if (header.type >= TALLY_RECORD_PROVENANCE && header.type >> 16 == 0x5400)
            return true; /* Tally's own; ignore record types of later versions */
        walk_loss(recording, TALLY_LOSS_SKIPPED, offset);
        if (!recording->totals.unknown_records++)
            fail(&recording->deferred, -EBADMSG,
                 "%s: record of unknown type %" PRIu32 " (%u bytes) at offset 0x%" PRIx64
                 " was skipped",
                 recording->path, header.type, header.size, offset);
        return true;
    }
}

/* Returns false if id and timestamp are 0: the unit has not written this report yet (PERF-4.8). */
static bool has_landed(const struct tally_recording *recording, const uint8_t *report)
{
    if (recording->timestamp_width == 64)
        return load_le64(report) || load_le64(report + 8);
    return load_le32(report) || load_le32(report + 4);
}

size_t walk_records(struct tally_recording *recording, struct batch *batch, const uint8_t *bytes,
                    size_t size)
{
    const uint32_t sample_size =
        TALLY_RECORD_HEADER_BYTES + (uint32_t)recording->info.layout->size_bytes;
    size_t at = 0;
    while (size - at >= TALLY_RECORD_HEADER_BYTES) {
        const uint8_t *record = bytes + at;
        struct record_header header = record_header_load(record);
        uint64_t offset = recording->offset + at;
        if (header.size < TALLY_RECORD_HEADER_BYTES) {
            fail(&recording->fault, -EBADMSG,
                 "%s: record at offset 0x%" PRIx64 " has size %u, expected at least %d",
                 recording->path, offset, header.size, TALLY_RECORD_HEADER_BYTES);
            break;
        }
        if (header.size > size - at)
            break;
        if (header.type == TALLY_RECORD_SAMPLE) {
            if (recording->runs.begun) {
                fail(&recording->fault, -EBADMSG,
                     "%s: SAMPLE record at offset 0x%" PRIx64 " after PACKETS records",
                     recording->path, offset);
                break;
            }
            if (header.size != sample_size) {
                fail(&recording->fault, -EBADMSG,
                     "%s: SAMPLE record at offset 0x%" PRIx64 " has size %u, expected %u (%s/%s)",
                     recording->path, offset, header.size, sample_size,
                     recording->info.layout->family, recording->info.layout->name);
                break;
            }
            if (batch->public.count > BATCH_REPORTS)
                break;
            if (!has_landed(recording, record + TALLY_RECORD_HEADER_BYTES))
                walk_loss(recording, TALLY_LOSS_NOT_LANDED, offset);
            else if (!walk_report(recording, batch, record + TALLY_RECORD_HEADER_BYTES, offset))
                break;
        } else if (header.type == TALLY_RECORD_PACKETS) {
            if (batch->public.count > BATCH_REPORTS - record_reports(record) - 1 ||
                !walk_packets(recording, batch, record, offset))
                break;
        } else if (!take_other(recording, header, record, offset)) {
            break;
        }
        at += header.size;
    }
    return at;
}

size_t walk_raw(struct tally_recording *recording, struct batch *batch, const uint8_t *bytes,
                size_t size)
{
    const struct tally_layout *layout = recording->info.layout;
    size_t at = 0;
    for (; size - at >= layout->size_bytes; at += layout->size_bytes) {
        const uint8_t *report = bytes + at;
        if (!has_landed(recording, report)) {
            walk_loss(recording, TALLY_LOSS_NOT_LANDED, recording->offset + at);
            continue;
        }
        if (batch->public.count > BATCH_REPORTS)
            break;
        if (!walk_report(recording, batch, report, recording->offset + at))
            break;
    }
    return at;
}

/* ---- headers only -------------------------------------------------------------------------- */

void headers_start(struct headers *headers, struct tally_recording *recording)
{
    headers->recording = recording;
    headers->offset = headers->base = 0;
    headers->header = (struct record_header){0};
    headers->have = 0;
}

bool headers_next(struct headers *headers)
{
    headers->offset += headers->header.size;
    uint64_t at = headers->offset - headers->base;
    if (at + HEADERS_BYTES > headers->have) {
        at = 0;
        headers->base = headers->offset;
        headers->have = recording_peek(headers->recording, headers->base, headers->window,
                                       sizeof headers->window);
    }
    headers->available = headers->have - (size_t)at;
    if (headers->available < TALLY_RECORD_HEADER_BYTES)
        return false;
    headers->record = headers->window + at;
    headers->header = record_header_load(headers->record);
    return headers->header.size >= TALLY_RECORD_HEADER_BYTES;
}

/* Adds the marks of a record. */
static bool index_marks(struct tally_recording *recording, const struct headers *at)
{
    uint8_t peeked[UINT16_MAX];
    size_t size = at->header.size - TALLY_RECORD_HEADER_BYTES;
    const uint8_t *payload = at->record + TALLY_RECORD_HEADER_BYTES;
    if (at->available < at->header.size) {
        payload = peeked;
        if (recording_peek(recording, at->offset + TALLY_RECORD_HEADER_BYTES, peeked, size) < size)
            return false;
    }
    if (!marks_record_check(payload, size))
        return false;
    marks_add(&recording->marks, payload, size);
    return true;
}

/*
 * Indexes a correlation point or marks. Reports before the first point start the time line, and
 * 64-bit timestamps define it, so these are unwrapped too. Returns false where reading would stop.
 */
static bool index_record(struct tally_recording *recording, struct clock_line *clock,
                         const struct headers *at)
{
    const uint32_t sample_size =
        TALLY_RECORD_HEADER_BYTES + (uint32_t)recording->info.layout->size_bytes;
    const uint8_t *payload = at->record + TALLY_RECORD_HEADER_BYTES;
    bool cut = at->available < HEADERS_BYTES && at->available < at->header.size;
    if (at->header.type == TALLY_RECORD_TIMESTAMP_CORRELATION) {
        if (cut || at->header.size != TALLY_RECORD_HEADER_BYTES + CORRELATION_BYTES ||
            !clock_correlate(clock, load_le64(payload + CORRELATION_CPU_NS),
                             load_le64(payload + CORRELATION_GPU_TICKS)))
            return false;
        points_add(&recording->points, clock->point);
    } else if (record_has_reports(at->header.type) && !(clock->has_report && clock->has_point)) {
        bool packets = at->header.type == TALLY_RECORD_PACKETS;
        if (cut ||
            (packets ? at->header.size < RECORD_REPORTS_BYTES : at->header.size != sample_size))
            return false;
        uint64_t stamp =
            packets ? load_le64(payload + PACKETS_READ) : report_stamp(recording, payload);
        uint64_t ticks;
        if (recording->timestamp_width == 64)
            points_move(&recording->points, clock_align(clock, stamp));
        clock_unwrap(clock, stamp, recording->timestamp_width, &ticks);
    } else if (at->header.type == TALLY_RECORD_MARKS) {
        return index_marks(recording, at);
    }
    return true;
}

void tally_recording_index(struct tally_recording *recording)
{
    if (recording->indexed || !recording->source.seekable || recording->offset ||
        recording->info.kind == TALLY_KIND_RAW)
        return;
    struct clock_line clock = recording->clock;
    struct headers at;
    headers_start(&at, recording);
    while (headers_next(&at) && index_record(recording, &clock, &at))
        ;
    if (recording->source.peek_error && !recording->deferred.code)
        fail(&recording->deferred, -recording->source.peek_error, "%s: cannot read: %s",
             recording->path, source_reason(&recording->source, recording->source.peek_error));
    recording->indexed = true;
    if (marks_finish(&recording->marks, &recording->points, recording->info.recorded.timestamp_hz))
        recording->info.marks = &recording->marks.public;
    if (recording->marks.broken && !recording->deferred.code)
        fail(&recording->deferred, -ENOMEM, "%s: out of memory for its marks", recording->path);
}
