/* SPDX-License-Identifier: MIT */
/* Reading reports: formats, periods, reasons; and reads that fail. */
#include <string.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "client.h"

/* ---- formats --------------------------------------------------------------------------------- */

static void formats(struct device *device)
{
    unsigned exponent = exponent_of(device, 1000000);
    const struct format *format;
    for (size_t i = 0; (format = format_at(i)); i++) {
        uint8_t reports[2 * 256];
        if (!(format->platforms & BIT(device->platform)))
            continue;
        int stream = open_stream(device, 0, sampling_every(device, format->number, exponent));
        read_reports(device, stream, format, exponent, false, reports, 2);
        check_pair(device, format, reports, reports + format->size);
        close(stream);
    }
}

/* ---- exponents ------------------------------------------------------------------------------- */

#define SERIES 30

/* Timer reports are one period apart, except those that a busy GPU delays. */
static void check_series(const struct device *device, int stream, unsigned exponent, unsigned count)
{
    static uint8_t reports[SERIES * 256];
    const struct format *format = format_of_all(device);
    uint32_t period = 2u << exponent, slack = device->platform >= ICL ? 3 : 0;
    unsigned within = 0;
    read_reports(device, stream, format, exponent, true, reports, count);
    for (unsigned i = 1; i < count; i++) {
        const uint8_t *from = reports + (size_t)format->size * (i - 1), *to = from + format->size;
        within += dword(to, 1) - dword(from, 1) <= period + slack;
    }
    CHECK(within >= count / 2, "exponent %u: %u of %u deltas are within %u ticks", exponent, within,
          count - 1, period);
}

static void exponents(struct device *device)
{
    pid_t load = load_start(device);
    for (unsigned exponent = 5; exponent < 20; exponent++) {
        int stream = open_stream(device, 0, sampling_every(device, 0, exponent));
        bool slow = exponent > 14 && !at_full_length();
        check_series(device, stream, exponent, slow ? 4 : SERIES);
        close(stream);
    }
    load_stop(load);
}

/* ---- reasons --------------------------------------------------------------------------------- */

static void reasons(struct device *device)
{
    unsigned exponent = exponent_of(device, 20000), wanted = (at_full_length() ? 3 : 1) * 65536;
    const struct format *format = format_of_all(device);
    uint8_t before[256], *bytes = read_memory();
    pid_t load = load_start(device);
    int stream = open_stream(device, 0, sampling_every(device, 0, exponent));
    for (unsigned seen = 0; seen < wanted;) {
        ssize_t size = read(stream, bytes, MAX_READ_BYTES);
        CHECK(size > 0 || errno == EINTR, "%s", strerror(errno));
        size_t at = 0;
        const struct drm_i915_perf_record_header *header;
        while (size > 0 && (header = next_record(bytes, (size_t)size, &at))) {
            const uint8_t *report = (const uint8_t *)(header + 1);
            CHECK(header->type != DRM_I915_PERF_RECORD_OA_BUFFER_LOST, "the buffer was lost");
            if (header->type != DRM_I915_PERF_RECORD_SAMPLE)
                continue;
            CHECK(reason_of(report), "%s", describe(device, report));
            if (seen++)
                check_pair(device, format, before, report);
            memcpy(before, report, format->size);
        }
    }
    close(stream);
    load_stop(load);
}

/* ---- reads that fail ------------------------------------------------------------------------- */

static void read_disabled(struct device *device)
{
    unsigned exponent = exponent_of(device, 1000000);
    const struct format *format = format_of_all(device);
    struct properties p = sampling_every(device, 0, exponent);
    uint8_t reports[2 * 256];
    int stream = open_stream(device, I915_PERF_FLAG_DISABLED, p);
    FAILS(read(stream, reports, sizeof reports), EIO);
    close(stream);
    stream = open_stream(device, 0, p);
    read_reports(device, stream, format, exponent, false, reports, 2);
    WORKS(call(stream, I915_PERF_IOCTL_DISABLE, NULL));
    FAILS(read(stream, reports, sizeof reports), EIO);
    WORKS(call(stream, I915_PERF_IOCTL_ENABLE, NULL));
    uint32_t last = dword(reports + format->size, 1);
    read_reports(device, stream, format, exponent, false, reports, 2);
    CHECK(dword(reports, 1) - last < UINT32_MAX / 2, "an old report");
    check_pair(device, format, reports, reports + format->size);
    close(stream);
}

static void read_without_timer(struct device *device)
{
    uint8_t report[512];
    int stream = open_stream(device, 0, sampling(device, 0));
    FAILS(read(stream, report, sizeof report), EIO);
    close(stream);
}

/* Space for one record, followed by a page that cannot be written. */
static void short_reads(struct device *device)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), record = 8u + format_of_all(device)->size;
    uint8_t *pages =
        mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED, "%s", strerror(errno));
    struct drm_i915_perf_record_header *header = (void *)(pages + page - record);
    int stream = open_stream(device, 0, sampling_every(device, 0, exponent_of(device, 5000)));
    ssize_t size;
    do { /* until a record is available, so that the following reads have data */
        header->type = 0;
        size = read(stream, header, record);
        CHECK(size > 0, "%s", strerror(errno));
    } while (header->type == DRM_I915_PERF_RECORD_OA_REPORT_LOST);
    WORKS(mprotect(pages + page, page, PROT_NONE));
    sleep_ns(10000000);
    memset(pages, 0, page);
    size = read(stream, header, page);
    CHECK(size == (ssize_t)record, "%zd bytes, record %u, %s", size, header->type, strerror(errno));
    CHECK(header->type == DRM_I915_PERF_RECORD_SAMPLE && header->size == record,
          "record %u of %u bytes", header->type, header->size);
    CHECK(dword((uint8_t *)(header + 1), 1), "an empty report");
    FAILS(read(stream, pages + page - 16, page), EFAULT);
    FAILS(read(stream, pages, record / 2), ENOSPC);
    size = read(stream, header, record); /* the failed reads lost nothing */
    CHECK(size == (ssize_t)record, "%zd bytes", size);
    close(stream);
}

static const struct subtest rows[] = {
    {"oa-formats", ALL, 0, NULL,
     "two reports at 1 ms of each format of the platform satisfy the rules: no counter exceeds "
     "clocks times EUs, and the B counters of TestOa are their fractions of the clock",
     formats, true, false},
    {"oa-exponents", ALL, 0, "with a load",
     "with exponents 5 to 19 at least half of thirty timer reports are one period after the "
     "previous "
     "one, and no buffer is lost",
     exponents, true, true},
    {"non-zero-reason", GEN8_UP, 0, "with a load",
     "in three buffers of reports at 20 us or less each report has a reason, each pair satisfies "
     "the "
     "rules, no buffer is lost",
     reasons, true, true},
    {"disabled-read-error", ALL, 0, NULL,
     "reads of a stream that is not enabled: EIO; after enabling, reports; after disabling, EIO; "
     "after enabling again, new reports",
     read_disabled, false, false},
    {"non-sampling-read-error", ALL, 0, NULL, "a stream without a timer: EIO", read_without_timer,
     false, false},
    {"short-reads", ALL, 0, NULL,
     "a read with space for one record before a page that is not writable returns it; with space "
     "for 16 bytes: "
     "EFAULT; with half a record's length: ENOSPC; the next read returns the next record",
     short_reads, false, false},
};
GROUP(reading_group, rows);
