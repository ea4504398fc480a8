/* SPDX-License-Identifier: MIT */
/* tally record --append: continues a recording. */
#include "capture/append.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "recording/reader.h"

/* An emulated GPU that is behind may gain this part of a second when it catches up. */
#define MAX_JUMP_DIVISOR 10

/* The recording of an open file, and that which a head begins. */
struct appending {
    const char *path;
    struct tally_recording *old, *new;
    uint64_t old_context, new_context; /* of a recording of one context */
};

static int differs(const struct appending *appending, const char *what, const char *of,
                   const char *expected, struct tally_error *error)
{
    return fail(error, -EINVAL, "%s: cannot append: its %s is %s, and now it is %s",
                appending->path, what, *of ? of : "unknown", *expected ? expected : "unknown");
}

static int check_numbers(const struct appending *appending, const char *what, uint64_t of,
                         uint64_t expected, struct tally_error *error)
{
    char texts[2][32];
    if (of == expected)
        return 0;
    snprintf(texts[0], sizeof texts[0], "%" PRIu64, of);
    snprintf(texts[1], sizeof texts[1], "%" PRIu64, expected);
    return differs(appending, what, texts[0], texts[1], error);
}

static int check_signals(const struct appending *appending,
                         const struct tally_recorded_signals *old,
                         const struct tally_recorded_signals *new, struct tally_error *error)
{
    int result = check_numbers(appending, "number of signals", old ? old->count : 0,
                               new ? new->count : 0, error);
    if (!result && old)
        result = check_numbers(appending, "number of passes", old->passes, new->passes, error);
    for (size_t i = 0; old && !result && i < old->count; i++)
        if (strcmp(old->signals[i].expression, new->signals[i].expression) != 0 ||
            old->signals[i].clock != new->signals[i].clock ||
            old->signals[i].slot != new->signals[i].slot ||
            old->signals[i].bits != new->signals[i].bits)
            result = differs(appending, "signal", old->signals[i].expression,
                             new->signals[i].expression, error);
    return result;
}

/* Checks everything that a reader takes from the head of a recording. */
static int check_heads(const struct appending *appending, struct tally_error *error)
{
    const struct tally_recording_info *old = &appending->old->info, *new = &appending->new->info;
    const struct tally_device_info *a = &old->recorded, *b = &new->recorded;
    if (old->kind != TALLY_KIND_CONTAINER)
        return fail(error, -EINVAL, "%s: cannot append: it has no description of its device",
                    appending->path);
    if (strcmp(tally_device_name(&old->device), tally_device_name(&new->device)) != 0)
        return differs(appending, "device", tally_device_title(&old->device),
                       tally_device_title(&new->device), error);
    if (strcmp(a->set_name, b->set_name) != 0)
        return differs(appending, "metric set", a->set_name, b->set_name, error);
    if (strcmp(a->set_uuid, b->set_uuid) != 0)
        return differs(appending, "metric set's UUID", a->set_uuid, b->set_uuid, error);
    const struct {
        const char *what;
        uint64_t old, new;
    } rows[] = {
        {"PCI device id", a->device_id, b->device_id},
        {"revision", a->revision, b->revision},
        {"timestamp frequency", a->timestamp_hz, b->timestamp_hz},
        {"lowest frequency", a->gt_min_hz, b->gt_min_hz},
        {"highest frequency", a->gt_max_hz, b->gt_max_hz},
        {"engine", a->engine_class, b->engine_class},
        {"report format", a->oa_format, b->oa_format},
        {"period in ticks", old->period_ticks, new->period_ticks},
        {"choice of a context", appending->old->timer.gaps, appending->new->timer.gaps},
        {"context", appending->old_context, appending->new_context},
        {"number of EUs", old->topology.eus, new->topology.eus},
        {"statement of a model", old->modelled, new->modelled},
    };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        int result = check_numbers(appending, rows[i].what, rows[i].old, rows[i].new, error);
        if (result < 0)
            return result;
    }
    return check_signals(appending, old->signals, new->signals, error);
}

/* Checks that the file consists of whole records, and that both clocks have gone on since. */
static int check_end(const struct appending *appending, struct tally_correlation now,
                     struct tally_error *error)
{
    struct tally_recording *old = appending->old;
    struct clock_line clock = old->clock;
    struct headers at;
    bool sorted = true;
    headers_start(&at, old);
    while (headers_next(&at)) {
        const uint8_t *payload = at.record + TALLY_RECORD_HEADER_BYTES;
        if (at.header.type == TALLY_RECORD_TIMESTAMP_CORRELATION &&
            at.header.size == TALLY_RECORD_HEADER_BYTES + CORRELATION_BYTES &&
            at.available >= at.header.size)
            sorted &= clock_correlate(&clock, load_le64(payload + CORRELATION_CPU_NS),
                                      load_le64(payload + CORRELATION_GPU_TICKS));
    }
    if (at.offset != old->info.size_bytes || !sorted)
        return fail(error, -EBADMSG,
                    "%s: cannot append: it is damaged at offset 0x%" PRIx64 " of %" PRIu64
                    " (see tally info)",
                    appending->path, at.offset, old->info.size_bytes);
    if (clock.has_point && now.cpu_ns < clock.point.cpu_ns)
        return fail(error, -EINVAL,
                    "%s: cannot append: it ends at %" PRIu64 " ns of the machine's clock, and now "
                    "it is %" PRIu64 ": the machine, or a modelled GPU, was started again",
                    appending->path, clock.point.cpu_ns, now.cpu_ns);
    uint64_t since = clock.point.cpu_ns, max = clock.timestamp_hz / MAX_JUMP_DIVISOR;
    if (clock.has_point &&
        (!clock_correlate(&clock, now.cpu_ns, now.gpu_ticks) || clock.jump > max))
        return fail(error, -EINVAL,
                    "%s: cannot append: the GPU's clock was set %.3f s after its end: the GPU was "
                    "reset, or is a model that was started again",
                    appending->path, (double)(now.cpu_ns - since) / 1e9);
    return 0;
}

static int open_head(const struct record_head *head, struct buffer *bytes,
                     struct tally_recording **out, struct tally_error *error)
{
    record_head_put(bytes, head);
    if (bytes->broken)
        return fail_memory(error, "the head of a recording");
    return tally_recording_open_memory(bytes->bytes, bytes->size, "the new recording", NULL, out,
                                       error);
}

/* Moves to the next STREAM record before the first report. Returns false if there is none. */
static bool next_stream(struct headers *at)
{
    while (headers_next(at) && !record_has_reports(at->header.type))
        if (at->header.type == TALLY_RECORD_STREAM && at->available >= at->header.size &&
            at->header.size == TALLY_RECORD_HEADER_BYTES + STREAM_BYTES)
            return true;
    return false;
}

/* Reads what the walk takes from STREAM, and the context. */
static void take_stream(struct tally_recording *recording, uint64_t *context)
{
    struct headers at;
    headers_start(&at, recording);
    while (next_stream(&at)) {
        const uint8_t *payload = at.record + TALLY_RECORD_HEADER_BYTES;
        recording->timer.gaps = load_le32(payload + STREAM_FLAGS) & STREAM_ONE_CONTEXT;
        *context = load_le32(payload + STREAM_CONTEXT);
    }
}

int append_check(const char *path, const struct record_head *head, struct tally_correlation now,
                 struct tally_error *error)
{
    struct appending appending = {.path = path};
    struct buffer bytes = {0};
    struct stat status;
    if (stat(path, &status) < 0)
        return fail(error, -errno, "%s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return fail(error, -EINVAL, "%s: cannot append, expected a file", path);
    if (!status.st_size)
        return 0;
    int result = tally_recording_open(path, NULL, &appending.old, error);
    if (result == 0)
        result = open_head(head, &bytes, &appending.new, error);
    if (result == 0) {
        take_stream(appending.old, &appending.old_context);
        take_stream(appending.new, &appending.new_context);
        result = check_heads(&appending, error);
    }
    if (result == 0)
        result = check_end(&appending, now, error);
    tally_recording_close(appending.old);
    tally_recording_close(appending.new);
    buffer_fini(&bytes);
    return result < 0 ? result : 1;
}

int append_allow_marks(const char *path, int fd, struct tally_error *error)
{
    struct tally_recording *recording;
    int result = tally_recording_open(path, NULL, &recording, error);
    struct headers at;
    if (result < 0)
        return result;
    headers_start(&at, recording);
    if (!next_stream(&at))
        result = fail(error, -EINVAL,
                      "%s: cannot append marks: it has no STREAM record to state them, expected a "
                      "recording with a command or --mark-fd",
                      path);
    else {
        uint8_t flags[4];
        const uint8_t *payload = at.record + TALLY_RECORD_HEADER_BYTES;
        store_le32(flags, load_le32(payload + STREAM_FLAGS) | STREAM_MARKS);
        if (pwrite(fd, flags, sizeof flags,
                   (off_t)at.offset + TALLY_RECORD_HEADER_BYTES + STREAM_FLAGS) != sizeof flags)
            result = fail(error, -errno, "%s: %s", path, strerror(errno));
    }
    tally_recording_close(recording);
    return result;
}
