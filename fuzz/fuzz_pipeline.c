/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a recording that is evaluated while it arrives: fed in pieces, read from a function
 * in pieces with pauses, and read from a pipe. The samples are the same, to the bit, as if all
 * bytes had come at once, and so are the ledger and the error. The first byte picks the interval,
 * the second the sizes of the pieces and the ways, the third the platform of a stream without
 * metadata.
 */
#include "fuzz.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tally/pipeline.h>

#include "base/bits.h"
#include "platforms.h"

#define OPTION_BYTES 3
#define INPUT_MAX    60000 /* bytes; fits into a pipe */

/* What a pipeline delivered. */
struct outcome {
    int opened, ended;
    uint64_t samples;
    uint64_t hash; /* of every delivered number, and of the ledger */
    char message[252];
};

/* The bytes of a stream that are delivered in pieces. */
struct pieces {
    const uint8_t *bytes;
    size_t size, at;
    uint64_t random; /* state of the sizes; 0: one piece */
    bool pauses;     /* after opening: -EAGAIN before each piece */
    bool paused;
    int result; /* at the end */
};

/* ---- metric sets ----------------------------------------------------------------------------- */

static const char *const chipsets[] = {"HSW", "SKL", "TGL"};
static char directory[] = "/tmp/fuzz-XXXXXX";

static const char set_format[] =
    "<metrics version=\"1\"><set name=\"Fuzz\" symbol_name=\"Fuzz\" chipset=\"%s\""
    " hw_config_guid=\"76543210-89ab-4def-8123-456789abcdef\">"
    "<counter name=\"Time\" symbol_name=\"GpuTime\" data_type=\"uint64\" units=\"ns\""
    " semantic_type=\"duration\""
    " equation=\"GPU_TIME 0 READ 1000000000 UMUL $GpuTimestampFrequency UDIV\"/>"
    "<counter name=\"A7\" symbol_name=\"A7\" data_type=\"uint64\" units=\"events\""
    " semantic_type=\"event\" equation=\"A 7 READ\"/>"
    "<counter name=\"Rate\" symbol_name=\"Rate\" data_type=\"float\" units=\"percent\""
    " semantic_type=\"duration\" equation=\"A 7 READ 100 UMUL $GpuTime FDIV\"/>"
    "</set></metrics>\n";

static void set_path(char (*path)[64], const char *chipset)
{
    snprintf(*path, sizeof *path, "%s/%s.xml", directory, chipset);
}

static void remove_sets(void)
{
    char path[64];
    for (size_t i = 0; i < ARRAY_COUNT(chipsets); i++) {
        set_path(&path, chipsets[i]);
        unlink(path);
    }
    rmdir(directory);
}

static void write_sets(void)
{
    char path[64];
    CHECK(mkdtemp(directory));
    atexit(remove_sets);
    for (size_t i = 0; i < ARRAY_COUNT(chipsets); i++) {
        set_path(&path, chipsets[i]);
        FILE *file = fopen(path, "w");
        CHECK(file && fprintf(file, set_format, chipsets[i]) > 0);
        CHECK(fclose(file) == 0);
    }
}

/* ---- samples --------------------------------------------------------------------------------- */

static void mix(uint64_t *hash, const void *bytes, size_t size)
{
    *hash = *hash * UINT64_C(0x100000001b3) ^ hash_bytes(bytes, size);
}

static void mix_statistic(uint64_t *hash, const struct tally_statistic *statistic)
{
    mix(hash, &statistic->type, sizeof statistic->type);
    mix(hash, &statistic->overall, sizeof statistic->overall);
    mix(hash, &statistic->minimum, sizeof statistic->minimum);
    mix(hash, &statistic->maximum, sizeof statistic->maximum);
    mix(hash, &statistic->mean, sizeof statistic->mean);
}

/* CPU times are left out: they depend on the correlation points that have arrived. */
static void take_sample(struct outcome *outcome, const struct tally_pipeline *pipeline,
                        const struct tally_sample *sample)
{
    const size_t *counters;
    size_t count = tally_pipeline_counters(pipeline, &counters);
    const uint64_t numbers[] = {sample->index,   sample->state,      sample->has_values,
                                sample->deltas,  sample->lost,       sample->gpu_start,
                                sample->gpu_end, sample->start_ns,   sample->context,
                                sample->reasons, sample->duration_ns};
    CHECK(sample->gpu_start <= sample->gpu_end);
    CHECK(sample->has_values == (sample->deltas != 0));
    CHECK(sample->state <= TALLY_STATE_PAUSED);
    mix(&outcome->hash, numbers, sizeof numbers);
    for (size_t i = 0; i < count; i++) {
        struct tally_statistic statistic;
        int result = tally_sample_statistic(sample, counters[i], &statistic);
        CHECK(result == (sample->has_values ? 0 : -ENODATA));
        if (!result)
            mix_statistic(&outcome->hash, &statistic);
    }
    outcome->samples++;
}

/* Takes the samples that are complete. Returns the result that is not a sample. */
static int take_samples(struct outcome *outcome, struct tally_pipeline *pipeline)
{
    const struct tally_sample *sample;
    struct tally_error error = {0};
    int result;
    while ((result = tally_pipeline_next(pipeline, &sample, &error)) > 0)
        take_sample(outcome, pipeline, sample);
    if (result < 0 && result != -EAGAIN) {
        CHECK(result == error.code);
        snprintf(outcome->message, sizeof outcome->message, "%s", error.message);
    }
    return result;
}

static void take_ledger(struct outcome *outcome, const struct tally_pipeline *pipeline)
{
    const struct tally_loss *losses;
    const struct tally_recording *recording = tally_pipeline_recording(pipeline);
    struct tally_recording_totals totals = tally_recording_totals(recording);
    size_t count = tally_recording_losses(recording, &losses);
    for (size_t i = 0; i < count; i++) {
        const uint64_t numbers[] = {losses[i].kind,   losses[i].records,      losses[i].estimated,
                                    losses[i].offset, losses[i].before_index, losses[i].gpu_start,
                                    losses[i].gpu_end};
        mix(&outcome->hash, numbers, sizeof numbers);
    }
    mix(&outcome->hash, &totals.reports, sizeof totals.reports);
    mix(&outcome->hash, &totals.lost_deltas, sizeof totals.lost_deltas);
}

/* Takes what is left of an open pipeline, and closes it. */
static void take_rest(struct outcome *outcome, struct tally_pipeline *pipeline)
{
    while ((outcome->ended = take_samples(outcome, pipeline)) == -EAGAIN)
        continue;
    CHECK(outcome->ended <= 0);
    uint64_t samples = outcome->samples;
    CHECK(take_samples(outcome, pipeline) == outcome->ended && outcome->samples == samples);
    if (tally_pipeline_recording(pipeline))
        take_ledger(outcome, pipeline);
    tally_pipeline_close(pipeline);
}

/* ---- ways to read ---------------------------------------------------------------------------- */

static size_t next_piece(struct pieces *pieces)
{
    size_t left = pieces->size - pieces->at;
    if (!pieces->random)
        return left;
    unsigned scale = next_number(&pieces->random) % 4;
    size_t piece = next_number(&pieces->random) % (UINT64_C(4) << 3 * scale) + 1;
    return piece < left ? piece : left;
}

static ptrdiff_t read_piece(void *closure, void *to, size_t size)
{
    struct pieces *pieces = closure;
    pieces->paused = pieces->pauses && !pieces->paused;
    if (pieces->paused)
        return -EAGAIN;
    size_t piece = next_piece(pieces);
    if (!piece)
        return pieces->result;
    if (piece > size)
        piece = size;
    memcpy(to, pieces->bytes + pieces->at, piece);
    pieces->at += piece;
    return (ptrdiff_t)piece;
}

static void note_opened(struct outcome *outcome, int result, const struct tally_error *error)
{
    CHECK(result == error->code);
    outcome->opened = result;
    snprintf(outcome->message, sizeof outcome->message, "%s", error->message);
}

static struct outcome by_reading(struct pieces pieces, bool pauses,
                                 const struct tally_pipeline_options *options)
{
    struct outcome outcome = {0};
    struct tally_error error = {0};
    struct tally_pipeline *pipeline;
    int result =
        tally_pipeline_open_stream(read_piece, &pieces, "live", options, &pipeline, &error);
    note_opened(&outcome, result, &error);
    pieces.pauses = pauses;
    if (!result)
        take_rest(&outcome, pipeline);
    return outcome;
}

/* Feeds the bytes; opening and its errors come with the first sample. With `cut` not NULL, sets
 * *cut to what was delivered before the stream ended. */
static struct outcome by_feeding(struct pieces pieces, const struct tally_pipeline_options *options,
                                 struct outcome *cut)
{
    struct outcome outcome = {0};
    struct tally_error error = {0};
    struct tally_pipeline *pipeline;
    CHECK(tally_pipeline_open_fed("live", options, &pipeline, &error) == 0);
    for (size_t piece; (piece = next_piece(&pieces)); pieces.at += piece) {
        /* Exactly as large as the piece, so that a sanitizer sees a byte that is not its. */
        uint8_t *bytes = malloc(piece);
        CHECK(bytes);
        memcpy(bytes, pieces.bytes + pieces.at, piece);
        CHECK(tally_pipeline_feed(pipeline, bytes, piece) == 0);
        free(bytes);
        outcome.ended = take_samples(&outcome, pipeline);
        CHECK(outcome.ended < 0); /* the end is not known yet */
    }
    if (cut)
        *cut = outcome;
    CHECK(tally_pipeline_feed(pipeline, NULL, 0) == 0);
    CHECK(tally_pipeline_feed(pipeline, "x", 1) == -EINVAL);
    take_rest(&outcome, pipeline);
    return outcome;
}

static struct outcome by_pipe(struct pieces pieces, const struct tally_pipeline_options *options)
{
    struct outcome outcome = {0};
    struct tally_error error = {0};
    struct tally_pipeline *pipeline;
    char path[32];
    int ends[2];
    CHECK(pipe(ends) == 0);
    CHECK(write(ends[1], pieces.bytes, pieces.size) == (ssize_t)pieces.size);
    close(ends[1]);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    int result = tally_pipeline_open(path, options, &pipeline, &error);
    close(ends[0]);
    note_opened(&outcome, result, &error);
    if (!result)
        take_rest(&outcome, pipeline);
    return outcome;
}

/* ---- groups ---------------------------------------------------------------------------------- */

struct grouping {
    struct outcome outcome;
    const struct tally_pipeline *pipeline;
    uint64_t key;
};

/* Counts intervals, which come in the order of time. */
static void take_group(void *closure, const struct tally_group *group,
                       const struct tally_statistic *statistics)
{
    struct grouping *grouping = closure;
    (void)statistics;
    if (group->by != TALLY_BY_INTERVAL)
        return;
    CHECK(!grouping->outcome.samples || group->key > grouping->key);
    grouping->key = group->key;
    grouping->outcome.samples++;
}

/* Returns the number of intervals of which a summary of the stream consists. */
static uint64_t count_groups(struct pieces pieces, const struct tally_pipeline_options *options)
{
    struct grouping grouping = {0};
    struct tally_error error = {0};
    struct tally_pipeline *pipeline;
    if (tally_pipeline_open_stream(read_piece, &pieces, "live", options, &pipeline, &error) < 0)
        return 0;
    tally_pipeline_summarize(pipeline, TALLY_BY_INTERVAL, options->interval_ns, take_group,
                             &grouping, &error);
    tally_pipeline_close(pipeline);
    return grouping.outcome.samples;
}

/* ---------------------------------------------------------------------------------------------- */

static void promise_same(const struct outcome *a, const struct outcome *b)
{
    CHECK(a->opened == b->opened && a->ended == b->ended);
    CHECK(a->samples == b->samples && a->hash == b->hash);
    CHECK(!strcmp(a->message, b->message));
}

static void check_reading(const struct outcome *first, struct pieces pieces,
                          const struct tally_pipeline_options *options)
{
    struct outcome other = by_reading(pieces, true, options);
    promise_same(first, &other);
    pieces.result = -EIO;
    other = by_reading(pieces, false, options);
    if (!other.opened) {
        CHECK(!first->opened && other.samples == first->samples);
        CHECK(other.ended == first->ended || other.ended == -EIO);
    }
}

static void check_feeding(const struct outcome *first, struct pieces whole, struct pieces pieces,
                          const struct tally_pipeline_options *options)
{
    struct outcome cut, cut_again;
    struct outcome fed = by_feeding(whole, options, &cut);
    struct outcome other = by_feeding(pieces, options, &cut_again);
    promise_same(&fed, &other);
    CHECK(cut.samples == cut_again.samples && cut.hash == cut_again.hash);
    if (first->opened) /* the first call for a sample reports it */
        CHECK(!fed.samples && fed.ended == first->opened && !strcmp(fed.message, first->message));
    else
        promise_same(first, &fed);
}

/* The path in the messages is another one. */
static void check_pipe(const struct outcome *first, struct pieces whole,
                       const struct tally_pipeline_options *options)
{
    struct outcome other = by_pipe(whole, options);
    memcpy(other.message, first->message, sizeof other.message);
    promise_same(first, &other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tally_recording_options recording = {.size = sizeof recording};
    struct tally_pipeline_options options = TALLY_PIPELINE_OPTIONS_INIT;
    if (size < OPTION_BYTES || size > INPUT_MAX)
        return 0;
    if (!strcmp(directory, "/tmp/fuzz-XXXXXX"))
        write_sets();
    recording.platform = data[2] ? kernel_platform(data[2] - 1) : NULL;
    options.metrics = directory;
    options.set = "Fuzz";
    options.recording = &recording;
    options.interval_ns = data[0] ? UINT64_C(1) << data[0] % 48 : 0;
    const struct pieces whole = {.bytes = data + OPTION_BYTES, .size = size - OPTION_BYTES};
    struct pieces pieces = whole;
    pieces.random = data[1] + UINT64_C(1);
    options.threads = 1 + data[1] % 2;
    const struct outcome first = by_reading(whole, false, &options);
    const unsigned way = data[1] / 64; /* 0: all */
    if (!way || way == 1)
        check_reading(&first, pieces, &options);
    if (!way || way == 2)
        check_feeding(&first, whole, pieces, &options);
    if (!way || way == 3)
        check_pipe(&first, whole, &options);
    recording.live = true;
    if (!way || way == 3)
        check_pipe(&first, whole, &options);
    if (options.interval_ns)
        CHECK(count_groups(pieces, &options) == first.samples);
    return 0;
}
