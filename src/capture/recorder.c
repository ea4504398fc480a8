/* SPDX-License-Identifier: MIT */
#include "capture/recorder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/minmax.h"
#include "base/ratio.h"
#include "capture/counting.h"
#include "capture/dump.h"
#include "capture/filter.h"
#include "capture/losses.h"
#include "capture/stats.h"
#include "capture/writer.h"
#include "recording/format.h"
#include "recording/marks.h"

#define CORRELATION_NS     NS_PER_SECOND
#define CORRELATION_RECORD (TALLY_RECORD_HEADER_BYTES + CORRELATION_BYTES)

/* Minimum size of a read; a chunk with less free space is passed on. */
#define MIN_READ_BYTES (64u << 10)

/* Maximum age of a chunk that is not full, so that a kill -9 loses little. */
#define MAX_CHUNK_AGE_NS UINT64_C(250000000)

/* The same for outputs that are read during the recording. */
#define MAX_LIVE_AGE_NS UINT64_C(10000000)

/* The kernel checks its buffer every 5 ms; so the last reports are readable within this time. */
#define LAST_REPORTS_NS UINT64_C(10000000)

#define DEFAULT_QUEUE_BYTES (64u << 20)
#define CHUNK_WAIT_MS       100

struct recorder {
    const struct recorder_settings *settings;
    const struct device *machine;
    struct tally_capture_stats *stats;
    struct tally_device_info info;
    struct record_head head;
    struct set_in_driver set;
    int stream;

    struct stream_stats counted;
    struct losses losses; /* of an Intel GPU */
    struct filter filter;
    struct queue queue;
    struct writer writer;
    struct chunk *chunk; /* being filled; with a flight recorder, a buffer for reads */
    uint64_t chunk_since_ns;
    struct ring ring;
    struct buffer marks; /* records that have not been added to a chunk */
    size_t marks_used;
    bool paused; /* reports are discarded */
    uint64_t resume_ns;
    struct dump dump;
    bool dump_wanted;

    bool live;           /* the output is read during the recording: pass on records at once */
    int callback_result; /* 0, or the first errno returned by the callback */
    bool stopping, done;
    int result; /* valid if done */
    struct tally_error error;

    uint64_t start_ns, end_ns; /* end 0: no limit */
    uint64_t correlate_ns;     /* time of the next TIMESTAMP_CORRELATION */
};

/* ---- chunks ---------------------------------------------------------------------------------- */

/* Passes the chunk to the callback, unless that has failed, and empties it. */
static void call_back(struct recorder *recorder)
{
    const struct recorder_settings *settings = recorder->settings;
    struct chunk *chunk = recorder->chunk;
    if (chunk->used && !recorder->callback_result) {
        recorder->callback_result = settings->records(settings->closure, chunk->bytes, chunk->used);
        if (!recorder->callback_result)
            recorder->stats->bytes += chunk->used;
    }
    chunk->used = 0;
}

static int check_callback(const struct recorder *recorder, struct tally_error *error)
{
    return recorder->callback_result < 0
               ? fail(error, recorder->callback_result, "the records callback failed: %s",
                      strerror(-recorder->callback_result))
               : 0;
}

/* Passes the chunk to the callback or to the writer. */
static void pass_on(struct recorder *recorder)
{
    if (!recorder->chunk)
        return;
    if (recorder->settings->records) {
        call_back(recorder);
        return;
    }
    if (recorder->chunk->used)
        queue_put(&recorder->queue, recorder->chunk);
    else
        queue_return(&recorder->queue, recorder->chunk);
    recorder->chunk = NULL;
}

/* Passes on the chunk: for a callback at once; for a live output as soon as the writer is idle, so
 * that a slow reader gets fewer and larger pieces; else after MAX_CHUNK_AGE_NS. */
static void pass_on_if_due(struct recorder *recorder, uint64_t now)
{
    if (recorder->ring.size || !recorder->chunk || !recorder->chunk->used)
        return;
    bool due = recorder->settings->records != NULL ||
               (recorder->live && queue_is_idle(&recorder->queue)) ||
               now - recorder->chunk_since_ns > MAX_CHUNK_AGE_NS;
    if (due)
        pass_on(recorder);
}

/* Makes sure that the chunk has space for a read; waits for an empty one if needed. Returns false
 * on timeout. */
static bool get_space(struct recorder *recorder, unsigned timeout_ms)
{
    if (recorder->chunk && CHUNK_BYTES - recorder->chunk->used >= MIN_READ_BYTES)
        return true;
    pass_on(recorder);
    if (recorder->chunk) /* emptied by the callback */
        return true;
    uint64_t before = device_now_ns(recorder->machine);
    recorder->chunk = queue_get_empty(&recorder->queue, timeout_ms);
    recorder->chunk_since_ns = device_now_ns(recorder->machine);
    recorder->stats->stalled_ns += recorder->chunk_since_ns - before;
    return recorder->chunk != NULL;
}

/* Adds `size` bytes of whole records, which are in the free space of the chunk, to the chunk or to
 * the ring. */
static void keep(struct recorder *recorder, size_t size)
{
    uint8_t *records = recorder->chunk->bytes + recorder->chunk->used;
    if (recorder->ring.size)
        ring_put(&recorder->ring, records, size);
    else
        recorder->chunk->used += size;
}

/* Counts the reports that are missing from the stream with these records. The counts of NVIDIA's
 * GPUs are complete, however late they are read. */
static void count_losses(struct recorder *recorder, const void *records, size_t size)
{
    if (recorder->settings->gpu->chipset)
        return;
    losses_take(&recorder->losses, records, size);
    recorder->stats->missing = losses_missing(&recorder->losses);
}

/* Adds the records of marks, as far as there is space. */
static void keep_marks(struct recorder *recorder)
{
    struct buffer *marks = &recorder->marks;
    while (recorder->marks_used < marks->size && get_space(recorder, 0)) {
        const uint8_t *record = (const uint8_t *)marks->bytes + recorder->marks_used;
        size_t size = record_header_load(record).size;
        if (!recorder->chunk->used)
            recorder->chunk_since_ns = device_now_ns(recorder->machine);
        memcpy(recorder->chunk->bytes + recorder->chunk->used, record, size);
        keep(recorder, size);
        recorder->marks_used += size;
    }
    if (recorder->marks_used == marks->size)
        marks->size = recorder->marks_used = 0;
}

/* Notes that no reports were recorded since the latest one. The chunk has space for it. */
static void keep_segment(struct recorder *recorder, enum segment_kind kind)
{
    uint8_t *record = recorder->chunk->bytes + recorder->chunk->used;
    size_t size = TALLY_RECORD_HEADER_BYTES + SEGMENT_BYTES;
    memset(record, 0, size);
    record_header_store(record, TALLY_RECORD_SEGMENT, size);
    store_le32(record + TALLY_RECORD_HEADER_BYTES + SEGMENT_KIND, kind);
    count_losses(recorder, record, size);
    keep(recorder, size);
}

static int correlate(struct recorder *recorder, struct tally_error *error)
{
    uint64_t cpu_ns, gpu_ticks;
    const struct gpu *gpu = recorder->settings->gpu;
    int result = gpu->driver->correlate(gpu, &cpu_ns, &gpu_ticks);
    if (result < 0)
        return fail(error, result, "%s: cannot read the GPU's time: %s", gpu->path,
                    strerror(-result));
    uint8_t *record = recorder->chunk->bytes + recorder->chunk->used;
    record_header_store(record, TALLY_RECORD_TIMESTAMP_CORRELATION, CORRELATION_RECORD);
    store_le64(record + TALLY_RECORD_HEADER_BYTES + CORRELATION_CPU_NS, cpu_ns);
    store_le64(record + TALLY_RECORD_HEADER_BYTES + CORRELATION_GPU_TICKS, gpu_ticks);
    count_losses(recorder, record, CORRELATION_RECORD);
    keep(recorder, CORRELATION_RECORD);
    return 0;
}

/* ---- the stream ------------------------------------------------------------------------------ */

/* Reads all available records, while there is space for them. */
static int read_stream(struct recorder *recorder, struct tally_error *error)
{
    const struct gpu *gpu = recorder->settings->gpu;
    while (get_space(recorder, 0)) {
        struct chunk *chunk = recorder->chunk;
        uint8_t *to = chunk->bytes + chunk->used;
        /* Reserve space for a TIMESTAMP_CORRELATION at the end. */
        size_t space = CHUNK_BYTES - CORRELATION_RECORD - chunk->used;
        int64_t got =
            recorder->machine->calls->read(recorder->machine->self, recorder->stream, to, space);
        if (got == -EAGAIN || got == 0)
            break;
        if (got < 0)
            return fail(error, (int)got, "%s: reading the stream: %s", gpu->path,
                        strerror((int)-got));
        size_t kept = (size_t)got;
        if (recorder->paused)
            continue;
        int result = stream_stats_count(&recorder->counted, to, kept, error);
        if (result < 0)
            return fail_in(error, "%s", gpu->path);
        count_losses(recorder, to, kept);
        if (recorder->settings->one_context)
            kept = filter_records(&recorder->filter, to, kept);
        keep(recorder, kept);
    }
    return 0;
}

static void wait_for_duration(struct recorder *recorder, uint64_t now)
{
    uint64_t ns = recorder->settings->duration_ns;
    recorder->end_ns = ns ? now + ns : 0;
}

int recorder_resume(struct recorder *recorder, struct tally_error *error)
{
    if (!recorder->paused || recorder->done)
        return 0;
    int result = read_stream(recorder, error); /* discards what was before */
    recorder->paused = false;
    while (result == 0 && !get_space(recorder, CHUNK_WAIT_MS))
        if (queue_failed(&recorder->queue))
            return 0; /* the next step reports it */
    if (result < 0)
        return result;
    if (recorder->stats->reports)
        keep_segment(recorder, SEGMENT_PAUSED);
    if (!recorder->end_ns)
        wait_for_duration(recorder, device_now_ns(recorder->machine));
    return correlate(recorder, error);
}

int recorder_pause(struct recorder *recorder, struct tally_error *error)
{
    recorder->resume_ns = UINT64_MAX; /* the end of a delay does not resume it */
    if (recorder->paused || recorder->done)
        return 0;
    int result = read_stream(recorder, error);
    recorder->paused = true;
    return result;
}

int recorder_mark(struct recorder *recorder, const struct tally_mark *marks, size_t count)
{
    marks_record_put(&recorder->marks, marks, count);
    if (recorder->marks.broken)
        return -ENOMEM;
    keep_marks(recorder);
    return 0;
}

/* ---- dumps ----------------------------------------------------------------------------------- */

static void report_dump(struct recorder *recorder)
{
    const struct recorder_settings *settings = recorder->settings;
    int result = dump_finish(&recorder->dump);
    if (settings->dumped)
        settings->dumped(settings->closure, recorder->dump.path, recorder->dump.reports,
                         result < 0 ? &recorder->dump.error : NULL);
}

/* Reports a finished dump, and starts the next one if requested: to FILE.1, FILE.2 and so on. */
static int step_dumps(struct recorder *recorder, struct tally_error *error)
{
    char path[4096];
    if (recorder->dump.running && atomic_load(&recorder->dump.done))
        report_dump(recorder);
    if (!recorder->dump_wanted || recorder->dump.running || !get_space(recorder, 0))
        return 0;
    recorder->dump_wanted = false;
    int result = correlate(recorder, error);
    if (result < 0)
        return result;
    const struct recorder_settings *settings = recorder->settings;
    struct tally_error reason = {0};
    snprintf(path, sizeof path, "%s.%u", settings->output, ++recorder->stats->dumps);
    if (dump_start(&recorder->dump, &recorder->ring, path, &recorder->head, &reason) < 0 &&
        settings->dumped)
        settings->dumped(settings->closure, path, 0, &reason);
    return 0;
}

/* Writes the contents of the flight recorder at the end of the recording. */
static int dump_last(struct recorder *recorder, struct tally_error *error)
{
    if (recorder->dump.running)
        report_dump(recorder);
    int result = dump_start(&recorder->dump, &recorder->ring, recorder->settings->output,
                            &recorder->head, error);
    if (result < 0)
        return result;
    result = dump_finish(&recorder->dump);
    if (result < 0)
        *error = recorder->dump.error;
    recorder->stats->written = recorder->dump.reports;
    recorder->stats->bytes = recorder->dump.bytes;
    return result;
}

/* ---- the loop -------------------------------------------------------------------------------- */

static uint64_t time_left(const struct recorder *recorder, uint64_t now, uint64_t timeout_ns)
{
    uint64_t until = recorder->correlate_ns;
    if (recorder->end_ns)
        until = min_u64(until, recorder->end_ns);
    if (recorder->paused)
        until = min_u64(until, recorder->resume_ns);
    if (recorder->live && recorder->chunk && recorder->chunk->used)
        timeout_ns = min_u64(timeout_ns, MAX_LIVE_AGE_NS);
    return until > now ? min_u64(until - now, timeout_ns) : 0;
}

/* One iteration: waits, reads, and performs due actions. Returns 1 at the end of the recording. */
static int run_iteration(struct recorder *recorder, uint64_t timeout_ns, struct tally_error *error)
{
    const struct recorder_settings *settings = recorder->settings;
    uint64_t now = device_now_ns(recorder->machine);
    int result = 0;
    if (recorder->stopping || (recorder->end_ns && now >= recorder->end_ns) ||
        queue_failed(&recorder->queue))
        return 1;
    bool space = get_space(recorder, CHUNK_WAIT_MS);
    if (space && now >= recorder->correlate_ns) {
        result = correlate(recorder, error);
        recorder->correlate_ns = now + CORRELATION_NS;
    }
    if (result == 0 && space && recorder->paused && now >= recorder->resume_ns)
        result = recorder_resume(recorder, error);
    if (result < 0)
        return result;
    keep_marks(recorder);
    int ready = recorder->machine->calls->poll(recorder->machine->self,
                                               space ? recorder->stream : -1, settings->wake,
                                               space ? time_left(recorder, now, timeout_ns) : 0);
    if (ready < 0)
        return fail(error, ready, "%s: waiting for the stream: %s", settings->gpu->path,
                    strerror(-ready));
    if (ready & DEVICE_STREAM)
        result = read_stream(recorder, error);
    int dumps = step_dumps(recorder, error);
    now = device_now_ns(recorder->machine);
    pass_on_if_due(recorder, now);
    recorder->stats->elapsed_ns = now - recorder->start_ns;
    result = result ? result : dumps;
    return result ? result : check_callback(recorder, error);
}

/* Waits for the disk. Returns false if the writer has failed, which reports the error itself. */
static bool wait_for_space(struct recorder *recorder)
{
    while (!get_space(recorder, CHUNK_WAIT_MS))
        if (queue_failed(&recorder->queue))
            return false;
    return true;
}

/* Reads the reports up to the end, and appends a TIMESTAMP_CORRELATION. */
static int drain(struct recorder *recorder, struct tally_error *error)
{
    int result = 0;
    const struct gpu *gpu = recorder->settings->gpu;
    if (gpu->driver->end_stream)
        gpu->driver->end_stream(gpu);
    recorder->machine->calls->poll(recorder->machine->self, recorder->stream, -1, LAST_REPORTS_NS);
    do {
        if (!wait_for_space(recorder))
            return 0;
        result = read_stream(recorder, error);
        keep_marks(recorder);
    } while (result == 0 && (!recorder->chunk || recorder->marks.size)); /* there may be more */
    return result < 0 ? result : correlate(recorder, error);
}

/* ---- start and end --------------------------------------------------------------------------- */

/* True if everything is written to a file as it is recorded. */
static bool is_file(const struct recorder *recorder)
{
    return !recorder->settings->records && !recorder->ring.size;
}

/* Writes the head. Called after the stream was opened, so that a failure to open it leaves an
 * existing file unchanged. */
static int begin_output(struct recorder *recorder, struct tally_error *error)
{
    const struct recorder_settings *settings = recorder->settings;
    struct buffer head = {0};
    if (is_file(recorder)) {
        recorder->live = !recorder->writer.file.regular;
        return writer_start(&recorder->writer, &recorder->queue, &recorder->head, error);
    }
    if (!settings->records)
        return 0;
    recorder->live = true;
    record_head_put(&head, &recorder->head);
    if (!head.broken)
        recorder->callback_result = settings->records(settings->closure, head.bytes, head.size);
    recorder->stats->bytes = recorder->callback_result ? 0 : head.size;
    buffer_fini(&head);
    return head.broken ? fail_memory(error, "the head of a recording")
                       : check_callback(recorder, error);
}

/* Checks that the output can be continued, and notes where. The chunk has the first correlation
 * point. */
static int continue_recording(struct recorder *recorder, struct tally_error *error)
{
    const uint8_t *point = recorder->chunk->bytes + TALLY_RECORD_HEADER_BYTES;
    const struct tally_correlation now = {load_le64(point + CORRELATION_CPU_NS),
                                          load_le64(point + CORRELATION_GPU_TICKS)};
    int result = record_file_continue(&recorder->writer.file, &recorder->head, now, error);
    if (result == 0 && recorder->writer.file.append)
        keep_segment(recorder, SEGMENT_APPENDED);
    return result;
}

static int start(struct recorder *recorder, struct tally_error *error)
{
    const struct recorder_settings *settings = recorder->settings;
    const struct gpu *gpu = settings->gpu;
    size_t queue_bytes = settings->queue_bytes ? settings->queue_bytes : DEFAULT_QUEUE_BYTES;
    if (queue_init(&recorder->queue, queue_bytes) < 0 ||
        (settings->ring_bytes && ring_init(&recorder->ring, settings->ring_bytes) < 0))
        return fail_memory(error, settings->ring_bytes ? "the ring" : "a recorder");
    if (!gpu->chipset && losses_start(&recorder->losses, &recorder->head) < 0)
        return fail_memory(error, "a recorder");
    recorder->set = (struct set_in_driver){.set = settings->set};
    int result =
        gpu->driver->add_set ? gpu->driver->add_set(gpu, settings->set, &recorder->set, error) : 0;
    if (result == 0 && is_file(recorder))
        result = writer_open(&recorder->writer, settings->output, error);
    if (result == 0 && !get_space(recorder, CHUNK_WAIT_MS))
        result = fail_memory(error, "a recorder");
    if (result == 0)
        result = correlate(recorder, error);
    if (result == 0 && settings->append)
        result = continue_recording(recorder, error);
    if (result < 0)
        return result;
    recorder->stream = gpu->driver->open_stream(gpu, &recorder->set, settings->exponent, error);
    if (recorder->stream < 0)
        return recorder->stream;
    result = begin_output(recorder, error);
    if (result < 0)
        return result;
    recorder->start_ns = device_now_ns(recorder->machine);
    recorder->correlate_ns = recorder->start_ns + CORRELATION_NS;
    recorder->paused = settings->delay_ns != 0;
    recorder->resume_ns = settings->delay_ns < UINT64_MAX - recorder->start_ns
                              ? recorder->start_ns + settings->delay_ns
                              : UINT64_MAX;
    if (!recorder->paused)
        wait_for_duration(recorder, recorder->start_ns);
    return 0;
}

/* Undoes start() and writes what was read. */
static int finish(struct recorder *recorder, bool began, struct tally_error *error)
{
    int result = 0;
    struct tally_capture_stats *stats = recorder->stats;
    if (recorder->stream >= 0)
        recorder->machine->calls->close(recorder->machine->self, recorder->stream);
    if (recorder->settings->gpu->driver->remove_set)
        recorder->settings->gpu->driver->remove_set(recorder->settings->gpu, &recorder->set);
    while (began && recorder->marks.size && wait_for_space(recorder))
        keep_marks(recorder);
    if (recorder->ring.size) {
        if (began)
            result = dump_last(recorder, error);
    } else {
        if (began)
            pass_on(recorder);
        recorder->writer.file.expected = stats->reports - recorder->filter.skipped;
        result = writer_finish(&recorder->writer, error);
        stats->written = recorder->writer.file.reports;
        if (!recorder->settings->records)
            stats->bytes = recorder->writer.file.whole;
    }
    stats->skipped = recorder->filter.skipped;
    if (recorder->settings->records) {
        stats->written = stats->reports - stats->skipped;
        result = check_callback(recorder, error);
    }
    losses_fini(&recorder->losses);
    buffer_fini(&recorder->marks);
    free(recorder->chunk);
    ring_fini(&recorder->ring);
    queue_fini(&recorder->queue);
    free(recorder);
    return result;
}

int recorder_start(const struct recorder_settings *settings, struct tally_capture_stats *stats,
                   struct recorder **out, struct tally_error *error)
{
    const struct gpu *gpu = settings->gpu;
    struct recorder *recorder = calloc(1, sizeof *recorder);
    *stats = (struct tally_capture_stats){0};
    if (!recorder)
        return fail_memory(error, "a recorder");
    *recorder = (struct recorder){.settings = settings,
                                  .machine = gpu->machine,
                                  .stats = stats,
                                  .info = gpu->info,
                                  .stream = -1,
                                  .counted = stream_stats_start(gpu, stats)};
    recorder->filter =
        filter_start(gpu->device.platform, recorder->counted.layout, settings->context);
    snprintf(recorder->info.set_name, sizeof recorder->info.set_name, "%s", settings->set->symbol);
    snprintf(recorder->info.set_uuid, sizeof recorder->info.set_uuid, "%s", settings->set->uuid);
    recorder->head = (struct record_head){.info = &recorder->info,
                                          .topology = gpu->topology_reply,
                                          .topology_bytes = gpu->topology_bytes,
                                          .chipset_name = gpu->device.chipset,
                                          .chipset = gpu->chipset,
                                          .provenance = settings->provenance,
                                          .modelled = settings->modelled,
                                          .phases = settings->phases,
                                          .timer_ticks = gpu_period_ticks(gpu, settings->exponent),
                                          .one_context = settings->one_context,
                                          .marks = settings->marks,
                                          .context = settings->context,
                                          .disk_bytes = settings->disk_bytes};
    if (settings->set->counting)
        recorder->head.signals = &settings->set->counting->recorded;
    int result = start(recorder, error);
    if (result < 0)
        finish(recorder, false, NULL);
    else
        *out = recorder;
    return result;
}

/* Everything is recorded, but if the reader cannot read it, the number of missing reports is not
 * known. */
static int check_losses(const struct recorder *recorder, struct tally_error *error)
{
    if (!recorder->losses.error.code)
        return 0;
    return fail(error, recorder->losses.error.code,
                "%s: how many reports are missing is unknown: %s", recorder->settings->gpu->path,
                recorder->losses.error.message);
}

/* Ends the recording with a result of run_iteration(), and reads the last records. */
static void end(struct recorder *recorder, int result)
{
    recorder->done = true;
    if (result == 1) /* no error */
        result = drain(recorder, &recorder->error);
    else if (get_space(recorder, 0)) /* so that all reports lie between two correlations */
        correlate(recorder, NULL);
    recorder->result = result < 0 ? result : check_losses(recorder, &recorder->error);
    recorder->stats->elapsed_ns = device_now_ns(recorder->machine) - recorder->start_ns;
}

int recorder_step(struct recorder *recorder, uint64_t timeout_ns, struct tally_error *error)
{
    int result = 0;
    if (!recorder->done)
        result = run_iteration(recorder, timeout_ns, &recorder->error);
    if (!recorder->done && result == 0)
        return 1;
    if (!recorder->done)
        end(recorder, result);
    if (recorder->result < 0 && error)
        *error = recorder->error;
    return recorder->result;
}

void recorder_stop(struct recorder *recorder)
{
    recorder->stopping = true;
}

int recorder_dump(struct recorder *recorder, struct tally_error *error)
{
    recorder->dump_wanted = recorder->ring.size != 0;
    return step_dumps(recorder, error);
}

int recorder_finish(struct recorder *recorder, struct tally_error *error)
{
    if (!recorder->done)
        end(recorder, 1);
    return finish(recorder, true, error);
}
