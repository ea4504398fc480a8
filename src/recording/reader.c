/* SPDX-License-Identifier: MIT */
#include "recording/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/minmax.h"
#include "base/options.h"
#include "base/ratio.h"

struct tally_batch *tally_batch_new(void)
{
    struct batch *batch = malloc(sizeof *batch);
    if (!batch)
        return NULL;
    batch->made = NULL;
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
    if (batch)
        free(((struct batch *)batch)->made); /* the public part is the first member */
    free(batch);
}

void tally_recording_close(struct tally_recording *recording)
{
    if (!recording)
        return;
    source_close(&recording->source);
    points_fini(&recording->points);
    ledger_fini(&recording->ledger);
    marks_fini(&recording->marks);
    chipset_records_fini(&recording->nvidia);
    free(recording->pending);
    free(recording->provenance);
    free(recording->path);
    free(recording);
}

const struct tally_recording_info *tally_recording_info(const struct tally_recording *recording)
{
    return &recording->info;
}

/* Appends one chunk of input to the pending bytes. Returns the number of bytes, 0 at the end, or a
 * negative errno. */
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
    ptrdiff_t n =
        source_read(&recording->source, recording->pending + recording->pending_size, wanted);
    if (n > 0)
        recording->pending_size += (size_t)n;
    return n;
}

size_t recording_peek(struct tally_recording *recording, uint64_t offset, void *to, size_t size)
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

/* Copies the caller's options. Size 0: the caller was built with a header without the size. */
static int take_options(struct tally_recording_options *to,
                        const struct tally_recording_options *from, struct tally_error *error)
{
    struct tally_recording_options first = {0};
    if (from && !from->size) {
        size_t end = offsetof(struct tally_recording_options, live);
        memcpy(&first, from, end);
        first.size = end;
        from = &first;
    }
    return options_copy(to, sizeof *to, from, "tally_recording_options", error);
}

/* Reads the first bytes, which determine the kind of the recording; they stay pending for the
 * walk. */
static int read_first(struct tally_recording *recording,
                      const struct tally_recording_options *options, struct tally_error *error)
{
    while (!recording->at_end && recording->pending_size < BATCH_BYTES) {
        ptrdiff_t n = read_pending(recording, BATCH_BYTES - recording->pending_size);
        recording->at_end = n == 0;
        if (n < 0)
            return fail(error, (int)n, "%s: cannot read: %s", recording->path,
                        source_reason(&recording->source, (int)-n));
        recording->fresh = recording->live && recording_can_describe(recording, options);
        if (recording->fresh)
            break;
    }
    return 0;
}

static int open_source(struct tally_recording *recording, const char *path,
                       const struct tally_recording_options *given, struct tally_recording **out,
                       struct tally_error *error)
{
    struct tally_recording_options taken, *options = &taken;
    int result = take_options(options, given, error);
    recording->path = strdup(path);
    recording->info.path = recording->path;
    recording->keep_unsorted = options->keep_unsorted;
    recording->live = (options->live || recording->source.read) && !recording->source.seekable;
    if (!result && !recording->path)
        result = fail_memory(error, "a path");
    if (!result && !recording->source.bytes)
        result = read_first(recording, options, error);
    if (!result) {
        result = recording_describe(recording, options, error);
        if (result < 0)
            fail_in(error, "%s", path);
    }
    if (result < 0) {
        tally_recording_close(recording);
        return result;
    }
    if (recording->may_have_marks)
        tally_recording_index(recording);
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

int recording_open_file(int fd, const char *name, const struct tally_recording_options *options,
                        struct tally_recording **out, struct tally_error *error)
{
    struct tally_recording *recording = calloc(1, sizeof *recording);
    if (!recording) {
        close(fd);
        return fail_memory(error, "a recording");
    }
    int result = source_open_file(&recording->source, fd, name, options && options->map, error);
    if (result < 0) {
        free(recording);
        return result;
    }
    return open_source(recording, name, options, out, error);
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

int tally_recording_open_stream(tally_read_function *read, void *closure, const char *name,
                                const struct tally_recording_options *options,
                                struct tally_recording **out, struct tally_error *error)
{
    struct tally_recording *recording = calloc(1, sizeof *recording);
    if (!recording)
        return fail_memory(error, "a recording");
    source_open_stream(&recording->source, read, closure);
    return open_source(recording, name, options, out, error);
}

/* Notes once in the ledger that the rest of the input is unreadable. */
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

/* Returns the result of reading at the end of the input. */
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

/* Sets the fault of an input that ends within a record or report. */
static void note_truncated(struct tally_recording *recording, size_t left)
{
    const struct tally_layout *layout = recording->info.layout;
    fail(&recording->fault, -EBADMSG,
         "%s: truncated: %zu bytes at offset 0x%" PRIx64 " are not a whole %s", recording->path,
         left, recording->offset, recording->info.kind == TALLY_KIND_RAW ? layout->name : "record");
}

/* Returns the number of bytes to walk next, and points *bytes at them: the rest of a memory source,
 * or as many as fit into the batch. */
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
    size_t have = min_size(recording->pending_size, BATCH_BYTES);
    memcpy(batch->bytes, recording->pending, have);
    memmove(recording->pending, recording->pending + have, recording->pending_size - have);
    recording->pending_size -= have;
    bool enough = recording->fresh;
    recording->fresh = false;
    while (!enough && !recording->at_end && have < BATCH_BYTES) {
        ptrdiff_t n = source_read(source, batch->bytes + have, BATCH_BYTES - have);
        recording->again = n == -EAGAIN;
        if (recording->again)
            break;
        recording->at_end = n <= 0;
        enough = recording->live;
        if (n < 0)
            fail(&recording->fault, (int)n, "%s: cannot read at offset 0x%" PRIx64 ": %s",
                 recording->path, source->position, source_reason(&recording->source, (int)-n));
        have += n > 0 ? (size_t)n : 0;
    }
    *bytes = batch->bytes;
    return have;
}

/* Keeps the bytes that were not walked. */
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

/* Returns the period of the timer, which is decided when the first batch has been read. */
static uint64_t period_of(struct tally_recording *recording)
{
    if (!recording->period_known) {
        recording->period_ticks = recording->info.period_ticks;
        if (!recording->period_ticks && timer_is_sure(&recording->timer))
            recording->period_ticks = recording->timer.period;
        recording->period_known = true;
    }
    return recording->period_ticks;
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
    recording->again = false;
    while (!ended && !recording->again && !recording->fault.code && public->count == start) {
        const uint8_t *bytes;
        size_t size = next_bytes(recording, batch, &bytes);
        size_t left = size - walk(recording, batch, bytes, size);
        bool last = recording->at_end && !recording->pending_size;
        ended = last && public->count == start;
        if (ended && left && !recording->fault.code)
            note_truncated(recording, left);
        else if (!recording->source.bytes && !keep_rest(recording, bytes + size - left, left))
            fail(&recording->fault, -ENOMEM, "%s: out of memory for a record", recording->path);
    }
    if (public->count == start && recording->again && !recording->fault.code)
        return -EAGAIN;
    if (public->count == start)
        return finish(recording, error);
    memcpy(recording->last_report, batch->report_pointers[public->count - 1],
           recording->info.layout->size_bytes);
    public->period_ticks = period_of(recording);
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

size_t tally_recording_pauses(const struct tally_recording *recording,
                              const struct tally_pause **out)
{
    *out = recording->ledger.pauses;
    return recording->ledger.pause_count;
}

struct tally_recording_totals tally_recording_totals(const struct tally_recording *recording)
{
    struct tally_recording_totals totals = recording->totals;
    totals.missing = ledger_missing(&recording->ledger);
    return totals;
}

struct tally_recorded_packets tally_recording_packets(const struct tally_recording *recording)
{
    return recording->runs.totals;
}
