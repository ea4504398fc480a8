/* SPDX-License-Identifier: MIT */
/* "i915 perf stream format": records as the driver delivers them, built byte by byte, then read. */
#include "intel/conformance/lakefield.h"

#include <tally/platform.h>
#include <tally/recording.h>

#include "base/bits.h"

/* ---- a stream -------------------------------------------------------------------------------- */

enum { SAMPLE = 1, REPORT_LOST = 2, BUFFER_LOST = 3, HEADER = 8 };

struct stream {
    const char *platform, *layout;
    uint8_t bytes[0x8000];
    size_t size;
};

/* Results of reading a stream. */
struct outcome {
    int ended; /* the result of the last read */
    size_t count, losses;
    uint32_t ticks[64], contexts[64];
    uint8_t reasons[64], states[64];
    struct tally_loss loss; /* the first loss */
    struct tally_recording_totals totals;
};

static struct stream stream;
static struct outcome outcome;

static void begin(const char *platform, const char *layout)
{
    stream = (struct stream){.platform = platform, .layout = layout};
}

static void add_header(uint32_t type, uint16_t pad, size_t size)
{
    uint8_t *at = stream.bytes + stream.size;
    store_le32(at, type);
    store_le32(at + 4, pad | (uint32_t)size << 16);
    stream.size += HEADER;
}

static void add_record(uint32_t type, const void *payload, size_t size)
{
    add_header(type, 0, HEADER + size);
    if (size)
        memcpy(stream.bytes + stream.size, payload, size);
    stream.size += size;
}

/* Builds a report of the layout; from Gen8 on its third dword is the context. */
static void add_report(uint32_t id, uint32_t ticks, uint32_t context)
{
    uint8_t report[256] = {0};
    store_le32(report, id);
    store_le32(report + 4, ticks);
    store_le32(report + 8, context);
    add_record(SAMPLE, report, tally_layout_find(stream.layout)->size_bytes);
}

enum { TIMER_HSW = 1 << 10, TIMER_GEN8 = 1 << 19, VALID_GEN9 = 1 << 16 };

static void take(const struct tally_batch *batch)
{
    for (size_t i = batch->first_index < outcome.count; i < batch->count; i++) {
        size_t at = outcome.count++;
        if (at >= COUNT(outcome.ticks))
            continue;
        outcome.ticks[at] = (uint32_t)batch->gpu_ticks[i];
        outcome.contexts[at] = batch->contexts[i];
        outcome.reasons[at] = batch->reasons[i];
    }
    for (size_t i = 0; i + 1 < batch->count; i++)
        if (batch->first_index + i < COUNT(outcome.states))
            outcome.states[batch->first_index + i] = batch->states[i];
}

static void read_stream(void)
{
    struct tally_recording_options options = {.kind = TALLY_KIND_STREAM,
                                              .platform = tally_platform_find(stream.platform),
                                              .layout = tally_layout_find(stream.layout)};
    struct tally_recording *recording = NULL;
    struct tally_batch *batch = tally_batch_new();
    const struct tally_loss *losses;
    struct tally_error error;
    memset(&outcome, 0, sizeof outcome);
    outcome.ended = tally_recording_open_memory(stream.bytes, stream.size, "stream", &options,
                                                &recording, &error);
    if (outcome.ended == 0) {
        while ((outcome.ended = tally_recording_read(recording, batch, &error)) > 0)
            take(batch);
        outcome.losses = tally_recording_losses(recording, &losses);
        if (outcome.losses)
            outcome.loss = losses[0];
        outcome.totals = tally_recording_totals(recording);
    }
    tally_recording_close(recording);
    tally_batch_free(batch);
}

/* ---- records --------------------------------------------------------------------------------- */

/* u32 type, u16 pad, u16 size; pad is ignored. */
static bool header(struct conformance_fault *fault)
{
    static const uint16_t pads[] = {0, 1, 0xffff};
    for (size_t i = 0; i < COUNT(pads); i++) {
        begin("hsw", "hsw/a45_b8_c8");
        for (uint32_t k = 0; k < 2; k++) {
            add_header(SAMPLE, pads[i], HEADER + 256);
            store_le32(stream.bytes + stream.size, TIMER_HSW);
            store_le32(stream.bytes + stream.size + 4, 1000 + k);
            stream.size += 256;
        }
        read_stream();
        HOLDS(outcome.ended == 0 && outcome.count == 2, "%zu reports with pad %04x", outcome.count,
              pads[i]);
        HOLDS(outcome.ticks[0] == 1000 && outcome.ticks[1] == 1001, "ticks");
    }
    return true;
}

static bool samples(struct conformance_fault *fault)
{
    static const char *const streams[][2] = {{"hsw", "hsw/a45_b8_c8"},
                                             {"bdw", "bdw/a32u40_a4u32_b8_c8"},
                                             {"skl", "skl/a32u40_a4u32_b8_c8"},
                                             {"lkf", "lkf/a32u40_a4u32_b8_c8"}};
    for (size_t i = 0; i < COUNT(streams); i++) {
        begin(streams[i][0], streams[i][1]);
        for (uint32_t k = 0; k < 50; k++)
            add_report(i ? TIMER_GEN8 : TIMER_HSW, 1000 + 100 * k, 0);
        read_stream();
        HOLDS(outcome.count == 50 && !outcome.losses, "%s: %zu reports", streams[i][0],
              outcome.count);
        for (uint32_t k = 0; k < 50; k++)
            HOLDS(outcome.ticks[k] == 1000 + 100 * k && outcome.reasons[k] == TALLY_REASON_TIMER,
                  "%s: report %" PRIu32, streams[i][0], k);
    }
    return true;
}

/* Only the delta between the two samples around the record is lost. */
static bool loses(struct conformance_fault *fault, uint32_t type, enum tally_loss_kind kind)
{
    begin("hsw", "hsw/a45_b8_c8");
    for (uint32_t k = 0; k < 3; k++)
        add_report(TIMER_HSW, 1000 + k, 0);
    add_record(type, NULL, 0);
    add_record(type, NULL, 0);
    for (uint32_t k = 0; k < 2; k++)
        add_report(TIMER_HSW, 2000 + k, 0);
    read_stream();
    HOLDS(outcome.count == 5 && outcome.totals.losses == 2, "losses");
    HOLDS(outcome.losses == 1 && outcome.loss.kind == kind, "kind");
    HOLDS(outcome.loss.records == 2 && outcome.loss.before_index == 3, "place");
    for (size_t i = 0; i < 4; i++)
        HOLDS(outcome.states[i] == (i == 2 ? TALLY_STATE_LOST : TALLY_STATE_OK), "delta %zu", i);
    return true;
}

static bool report_lost(struct conformance_fault *fault)
{
    return loses(fault, REPORT_LOST, TALLY_LOSS_REPORT);
}

static bool buffer_lost(struct conformance_fault *fault)
{
    return loses(fault, BUFFER_LOST, TALLY_LOSS_BUFFER);
}

/* The size of an unknown record includes its header. */
static bool whole_size(struct conformance_fault *fault)
{
    uint8_t payload[512];
    memset(payload, 1, sizeof payload);
    for (size_t size = 0; size <= sizeof payload; size += 8) {
        begin("hsw", "hsw/a45_b8_c8");
        add_report(TIMER_HSW, 1000, 0);
        add_record(77, payload, size);
        add_report(TIMER_HSW, 2000, 0);
        read_stream();
        HOLDS(outcome.count == 2 && outcome.ticks[1] == 2000, "%zu bytes of payload", size);
        HOLDS(outcome.totals.unknown_records == 1 && outcome.loss.kind == TALLY_LOSS_SKIPPED,
              "the unknown record is not reported");
    }
    return true;
}

/* A size smaller than the header, or larger than the stream. */
static bool wrong_size(struct conformance_fault *fault)
{
    static const size_t sizes[] = {0, 1, 7, 4096};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        begin("hsw", "hsw/a45_b8_c8");
        add_report(TIMER_HSW, 1000, 0);
        add_report(TIMER_HSW, 2000, 0);
        add_header(SAMPLE, 0, sizes[i]);
        read_stream();
        HOLDS(outcome.count == 2, "records before a size of %zu", sizes[i]);
        HOLDS(outcome.ended < 0, "a size of %zu is accepted", sizes[i]);
    }
    return true;
}

static bool format_sizes(struct conformance_fault *fault)
{
    static const struct {
        const char *platform, *layout;
        size_t bytes;
    } rows[] = {
        {"hsw", "hsw/a13", 64},
        {"hsw", "hsw/a29", 128},
        {"hsw", "hsw/a13_b8_c8", 128},
        {"hsw", "hsw/c4_b8", 64},
        {"hsw", "hsw/a45_b8_c8", 256},
        {"skl", "skl/a12", 64},
        {"skl", "skl/c4_b8", 64},
        {"skl", "skl/a12_b8_c8", 128},
        {"skl", "skl/a32u40_a4u32_b8_c8", 256},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t report[256] = {0};
        HOLDS(tally_layout_find(rows[i].layout), "%s", rows[i].layout);
        for (size_t size = 64; size <= 256; size *= 2) {
            begin(rows[i].platform, rows[i].layout);
            for (uint32_t k = 0; k < 2; k++) {
                store_le32(report, i < 5 ? TIMER_HSW : TIMER_GEN8);
                store_le32(report + 4, 1000 + k);
                add_record(SAMPLE, report, size);
            }
            read_stream();
            bool good = outcome.ended == 0 && outcome.count == 2;
            HOLDS(good == (size == rows[i].bytes), "%s with %zu bytes", rows[i].layout, size);
        }
    }
    return true;
}

static bool reasons(struct conformance_fault *fault)
{
    begin("skl", "skl/a32u40_a4u32_b8_c8");
    for (uint32_t flag = 0; flag < 6; flag++)
        add_report(UINT32_C(1) << (19 + flag) | VALID_GEN9, 1000 + flag, 0x50 + flag);
    read_stream();
    HOLDS(outcome.count == 6, "%zu reports", outcome.count);
    for (uint32_t flag = 0; flag < 6; flag++)
        HOLDS(outcome.reasons[flag] == 1 << flag && outcome.contexts[flag] == 0x50 + flag,
              "flag %" PRIu32, flag);
    return true;
}

#define DOCUMENT  "003"
#define FILE_NAME "stream.c"
#define RECORDS   "Records"

/* clang-format off */
const struct conformance_case stream_cases[] = {
    CHECKED("003-REC-01", RECORDS, "Every record begins with a header of a 32-bit type, a 16-bit pad and a 16-bit size", "hsw", header),
    CHECKED("003-REC-02", RECORDS, "Most records are samples, which hold the metrics", "hsw,bdw,skl,lkf", samples),
    CHECKED("003-REC-03", RECORDS, "An OA_REPORT_LOST record states that the hardware dropped a report", "hsw", report_lost),
    CHECKED("003-REC-04", RECORDS, "An OA_BUFFER_OVERFLOW record states that the circular buffer overflowed", "hsw", buffer_lost),
    CHECKED("003-REC-05", RECORDS, "The size field covers the complete record, header included", "hsw", whole_size),
    CHECKED("003-REC-06", RECORDS, "A record with a size below 8, or that extends beyond the stream, is malformed", "hsw", wrong_size),
    CHECKED("003-REC-07", RECORDS, "Report formats differ in size, and a sample has the size of its format", "hsw,skl", format_sizes),
    CHECKED("003-REASON-07", "Reason field", "The reader translates each of the six flags to its reason", "skl", reasons),
};
/* clang-format on */
const size_t stream_case_count = COUNT(stream_cases);
