/* SPDX-License-Identifier: MIT */
/*
 * Reads the input as a recording of any kind. Checks that reading ends, that the totals and the
 * ledger are consistent, and that the results are the same from memory, with an index, and from a
 * file.
 */
#include "fuzz.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <tally/recording.h>

#include "base/bits.h"
#include "base/escape.h"
#include "recording/ledger.h"

/* The results of reading a recording. */
struct outcome {
    int opened, ended;
    uint64_t reports;
    uint64_t hash; /* hash of all numbers and bytes returned */
    uint64_t losses, unknown_records, lost_deltas, records;
    uint64_t position;
    char message[252]; /* error message without the path */
};

static void mix(uint64_t *hash, const void *bytes, size_t size)
{
    *hash = *hash * UINT64_C(0x100000001b3) ^ hash_bytes(bytes, size);
}

static void take_batch(struct outcome *outcome, const struct tally_batch *batch, size_t size)
{
    size_t start = outcome->reports ? 1 : 0;
    CHECK(batch->count > start);
    CHECK(batch->first_index + start == outcome->reports);
    for (size_t i = 0; i + 1 < batch->count; i++) {
        CHECK(batch->states[i] <= TALLY_STATE_PAUSED);
        CHECK(batch->gpu_ticks[i] <= batch->gpu_ticks[i + 1]);
        mix(&outcome->hash, &batch->states[i], 1);
        outcome->lost_deltas +=
            batch->states[i] == TALLY_STATE_LOST || batch->states[i] == TALLY_STATE_AMBIGUOUS;
    }
    for (size_t i = start; i < batch->count; i++) {
        mix(&outcome->hash, &batch->gpu_ticks[i], sizeof *batch->gpu_ticks);
        mix(&outcome->hash, &batch->contexts[i], sizeof *batch->contexts);
        mix(&outcome->hash, &batch->reasons[i], 1);
        mix(&outcome->hash, batch->reports[i], size);
        outcome->reports++;
    }
}

static void check_ledger(struct outcome *outcome, const struct tally_recording *recording)
{
    const struct tally_loss *losses;
    struct tally_recording_totals totals = tally_recording_totals(recording);
    size_t count = tally_recording_losses(recording, &losses);
    uint64_t lost = 0, skipped = 0, unreadable = 0, before = 0;
    for (size_t i = 0; i < count; i++) {
        const struct tally_loss *loss = &losses[i];
        CHECK(loss->before_index >= before && loss->before_index <= outcome->reports);
        CHECK(*tally_loss_kind_name(loss->kind));
        before = loss->before_index;
        lost = add_losses(lost, ledger_is_loss(loss->kind) ? loss->records : 0);
        skipped += loss->kind == TALLY_LOSS_SKIPPED;
        unreadable += loss->kind == TALLY_LOSS_UNREADABLE;
        outcome->records += loss->records;
        mix(&outcome->hash, &loss->estimated, sizeof loss->estimated);
        mix(&outcome->hash, &loss->gpu_end, sizeof loss->gpu_end);
    }
    CHECK(lost == totals.losses || count == LEDGER_ENTRIES_MAX);
    CHECK(totals.reports == outcome->reports);
    CHECK(totals.lost_deltas == outcome->lost_deltas);
    CHECK(!totals.unknown_records || skipped);
    CHECK(outcome->ended == 0 || skipped || unreadable);
    outcome->losses = totals.losses;
    outcome->unknown_records = totals.unknown_records;
}

/* Checks that interpolated CPU times are between those of the correlation points. */
static void check_cpu_times(const struct tally_recording *recording)
{
    const struct tally_correlation *points;
    size_t count = tally_recording_correlations(recording, &points);
    struct tally_recording_totals totals = tally_recording_totals(recording);
    uint64_t first, last;
    int result = tally_recording_cpu_ns(recording, totals.first_ticks, &first);
    CHECK(result == (count ? 0 : -ENODATA));
    CHECK(tally_recording_cpu_ns(recording, totals.last_ticks, &last) == result);
    for (size_t i = 0; i + 1 < count; i++) {
        uint64_t at, middle, step = points[i + 1].gpu_ticks - points[i].gpu_ticks;
        CHECK(points[i].cpu_ns <= points[i + 1].cpu_ns);
        if (points[i + 1].gpu_ticks <= points[i].gpu_ticks || count != 2)
            continue;
        CHECK(tally_recording_cpu_ns(recording, points[i].gpu_ticks, &at) == 0);
        CHECK(at == points[i].cpu_ns);
        CHECK(tally_recording_cpu_ns(recording, points[i].gpu_ticks + step / 2, &middle) == 0);
        CHECK(middle >= at && middle <= points[i + 1].cpu_ns);
    }
}

static void read_all(struct tally_recording *recording, size_t size, struct outcome *outcome)
{
    static struct tally_batch *batch;
    struct tally_error error = {0};
    const struct tally_recording_info *info = tally_recording_info(recording);
    if (!batch)
        batch = tally_batch_new();
    CHECK(batch && info->layout);
    CHECK(!info->device.platform != !info->device.nvidia);
    CHECK(!info->device.nvidia == !info->signals);
    int result;
    while ((result = tally_recording_read(recording, batch, &error)) > 0)
        take_batch(outcome, batch, info->layout->size_bytes);
    outcome->ended = result;
    outcome->position = tally_recording_position(recording);
    CHECK(error.code == result);
    CHECK(outcome->position <= size);
    CHECK(result < 0 || outcome->position == size);
    const char *colon = strstr(error.message, ": ");
    snprintf(outcome->message, sizeof outcome->message, "%s", colon ? colon : error.message);
    check_ledger(outcome, recording);
    check_cpu_times(recording);
}

/* Checks that the marks are in order, and that their names exist and are printable. */
static void check_marks(const struct tally_recorded_marks *marks)
{
    for (size_t i = 0; marks && i < marks->count; i++) {
        const struct tally_recorded_mark *mark = &marks->marks[i];
        CHECK(mark->name < marks->name_count || mark->name == UINT32_MAX);
        CHECK(mark->kind <= TALLY_MARK_FRAME);
    }
    for (size_t i = 0; marks && i < marks->name_count; i++)
        CHECK(is_printable(marks->names[i]) && (*marks->names[i] != 0 || !i));
    CHECK(!marks ||
          (marks->count && marks->sections <= marks->count + 1 && marks->frames <= marks->count));
}

enum method { BY_MEMORY, BY_INDEX, BY_FILE, BY_COUNT };

static struct outcome read_by(enum method method, const uint8_t *data, size_t size,
                              const struct tally_recording_options *options)
{
    struct outcome outcome = {0};
    struct tally_error error = {0};
    struct tally_recording *recording;
    char path[32];
    int fd = -1;
    if (method == BY_FILE) {
        fd = memfd_create("recording", MFD_CLOEXEC);
        CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        outcome.opened = tally_recording_open(path, options, &recording, &error);
    } else {
        outcome.opened =
            tally_recording_open_memory(data, size, "memory", options, &recording, &error);
    }
    CHECK(outcome.opened == error.code);
    if (!outcome.opened) {
        if (method == BY_INDEX)
            tally_recording_index(recording);
        check_marks(tally_recording_info(recording)->marks);
        read_all(recording, size, &outcome);
        tally_recording_close(recording);
    }
    if (fd >= 0)
        close(fd);
    return outcome;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const layouts[] = {"hsw/a45_b8_c8", "skl/a32u40_a4u32_b8_c8",
                                          "mtl/mpec8u64_b8_c8", "hsw/a13"};
    struct tally_recording_options options = {0};
    struct outcome first = read_by(BY_MEMORY, data, size, &options);
    if (first.opened == -ENODEV) { /* a bare stream: choose a layout */
        options.layout = tally_layout_find(layouts[size % ARRAY_COUNT(layouts)]);
        first = read_by(BY_MEMORY, data, size, &options);
    }
    for (enum method method = BY_INDEX; method < BY_COUNT; method++) {
        struct outcome other = read_by(method, data, size, &options);
        CHECK(!memcmp(&first, &other, sizeof first));
    }
    return 0;
}
