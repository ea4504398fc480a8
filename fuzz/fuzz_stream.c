/* SPDX-License-Identifier: MIT */
/*
 * Passes the input to the recorder as data of the kernel's stream. The first byte selects the GPU,
 * the second the exponent, the third the size of the reads. Checks that accepted data are complete
 * records, that they are counted, and that the filter and the ring output complete records.
 */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include "capture/filter.h"
#include "capture/ring.h"
#include "capture/stats.h"
#include "platforms.h"
#include "recording/format.h"

/* Checks that all records are complete. Returns the number of reports. */
static uint64_t walk(const uint8_t *records, size_t size)
{
    uint64_t reports = 0;
    struct record_header header;
    for (size_t at = 0; at < size; at += header.size) {
        CHECK(size - at >= TALLY_RECORD_HEADER_BYTES);
        header = record_header_load(records + at);
        CHECK(header.size >= TALLY_RECORD_HEADER_BYTES && header.size <= size - at);
        reports += record_reports(records + at);
    }
    return reports;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3 || size > 60000)
        return 0;
    const struct tally_platform *platform = kernel_platform(data[0]);
    struct gpu gpu = {.device.platform = platform, .info.oa_format = platform->default_format};
    struct tally_capture_stats totals = {0};
    struct stream_stats counted = stream_stats_start(&gpu, &totals);
    struct filter filter = filter_start(platform, counted.layout, 0x1000);
    struct ring ring;
    uint64_t reports = 0, kept = 0;
    CHECK(ring_init(&ring, 65536) == 0);
    const size_t piece = data[2] ? data[2] * 64u : SIZE_MAX;
    for (size_t at = 3; at < size;) {
        size_t got = size - at < piece ? size - at : piece;
        struct tally_error error = {0};
        /* Exactly as large as the read, so that a sanitizer detects reads past its end. */
        uint8_t *records = malloc(got);
        CHECK(records);
        memcpy(records, data + at, got);
        at += got;
        int result = stream_stats_count(&counted, records, got, &error);
        CHECK(result == 0 || (result == -EBADMSG && *error.message));
        if (result < 0) {
            free(records);
            break;
        }
        reports += walk(records, got);
        CHECK(totals.reports == reports);
        CHECK(totals.not_landed <= reports);
        got = filter_records(&filter, records, got);
        kept += walk(records, got);
        ring_put(&ring, records, got);
        free(records);
        CHECK(ring.used <= ring.size);
    }
    if (totals.reports == reports) /* no malformed record in the middle of a read */
        CHECK(kept + filter.skipped == reports);
    uint8_t *copy = ring_copy(&ring, &size);
    CHECK(copy && walk(copy, size) == ring.reports && ring.reports <= kept);
    free(copy);
    ring_fini(&ring);
    return 0;
}
