/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as what the kernel's stream gave to the recorder, in reads of any size: what is taken
 * for records is whole records, they are counted, and what a filter and a ring make of them are
 * whole records again. The first byte picks the GPU, the second the exponent, the third the sizes.
 */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include "capture/filter.h"
#include "capture/ring.h"
#include "capture/stats.h"
#include "platforms.h"
#include "recording/format.h"

/* How many reports there are in whole records. */
static uint64_t walk(const uint8_t *records, size_t size)
{
    uint64_t reports = 0;
    struct record_header header;
    for (size_t at = 0; at < size; at += header.size) {
        PROMISE(size - at >= TALLY_RECORD_HEADER_BYTES);
        header = record_header_load(records + at);
        PROMISE(header.size >= TALLY_RECORD_HEADER_BYTES && header.size <= size - at);
        reports += header.type == TALLY_RECORD_SAMPLE;
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
    struct stream_stats counted = stream_stats_start(&gpu, data[1] % 32, &totals);
    struct filter filter = filter_start(platform, counted.layout, 0x1000);
    struct ring ring;
    uint8_t records[65536];
    uint64_t reports = 0, kept = 0;
    PROMISE(ring_init(&ring, 65536) == 0);
    const size_t piece = data[2] ? data[2] * 64u : SIZE_MAX;
    for (size_t at = 3; at < size;) {
        size_t got = size - at < piece ? size - at : piece;
        struct tally_error error = {0};
        memcpy(records, data + at, got);
        at += got;
        int result = stream_stats_count(&counted, records, got, &error);
        PROMISE(result == 0 || (result == -EBADMSG && *error.message));
        if (result < 0)
            break;
        reports += walk(records, got);
        PROMISE(totals.reports == reports);
        PROMISE(totals.not_landed <= reports);
        got = filter_records(&filter, records, got);
        kept += walk(records, got);
        ring_put(&ring, records, got);
        PROMISE(ring.used <= ring.size);
    }
    if (totals.reports == reports) /* no fault in the middle of a read */
        PROMISE(kept + filter.skipped == reports);
    uint8_t *copy = ring_copy(&ring, &size);
    PROMISE(copy && walk(copy, size) == ring.reports && ring.reports <= kept);
    free(copy);
    ring_fini(&ring);
    return 0;
}
