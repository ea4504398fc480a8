/* SPDX-License-Identifier: MIT */
/* The recorder's parts by themselves: ring, queue, file, filter, counting. */
#include "capture/tests.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tally/packets.h>
#include <tally/recording.h>

#include "base/bits.h"
#include "capture/append.h"
#include "capture/stats.h"
#include "capture/fake.h"
#include "capture/file.h"
#include "capture/filter.h"
#include "capture/losses.h"
#include "capture/queue.h"
#include "capture/ring.h"
#include "nvidia/pcounter/packet.h"
#include "recording/device.h"
#include "recording/format.h"

/* ---- records --------------------------------------------------------------------------------- */

/* A record whose payload repeats its number. */
static size_t put_record(uint8_t *to, uint32_t type, size_t size, uint32_t number)
{
    store_le32(to, type);
    store_le16(to + 4, 0);
    store_le16(to + 6, (uint16_t)size);
    for (size_t at = 8; at < size; at += 4)
        store_le32(to + at, number);
    return size;
}

/* ---- the ring -------------------------------------------------------------------------------- */

/* A ring of any size holds as many of the latest whole records as fit. */
static void test_a_ring_keeps_the_latest(void **state)
{
    (void)state;
    enum { RECORDS = 400, MOST = 272 };
    for (uint64_t seed = 0; seed < random_cases(200); seed++) {
        struct random rng = random_start(seed);
        size_t size = MOST + random_below(&rng, 6000), starts[RECORDS + 1] = {0};
        uint8_t *all = malloc(RECORDS * MOST);
        struct ring ring;
        assert_int_equal(ring_init(&ring, size), 0);
        for (uint32_t i = 0; i < RECORDS; i++) {
            uint32_t type =
                random_below(&rng, 8) ? TALLY_RECORD_SAMPLE : TALLY_RECORD_TIMESTAMP_CORRELATION;
            size_t record = type == TALLY_RECORD_SAMPLE ? 8 + 8 * random_below(&rng, 33) : 24;
            starts[i + 1] = starts[i] + put_record(all + starts[i], type, record, i);
        }
        /* Several per call. */
        for (size_t i = 0; i < RECORDS;) {
            size_t count = 1 + random_below(&rng, 9),
                   end = i + count < RECORDS ? i + count : RECORDS;
            ring_put(&ring, all + starts[i], starts[end] - starts[i]);
            i = end;
        }
        size_t first = RECORDS, latest_gone = RECORDS;
        uint64_t reports = 0;
        while (first && starts[RECORDS] - starts[first - 1] <= ring.size) {
            first--;
            reports += load_le32(all + starts[first]) == TALLY_RECORD_SAMPLE;
        }
        for (size_t i = 0; i < first; i++)
            if (load_le32(all + starts[i]) == TALLY_RECORD_TIMESTAMP_CORRELATION)
                latest_gone = i;
        size_t got, before = latest_gone < RECORDS ? 24 : 0;
        uint8_t *copy = ring_copy(&ring, &got);
        assert_non_null(copy);
        ROW(__LINE__, ring.reports == reports, "seed %llu: %llu reports, expected %llu",
            (unsigned long long)seed, (unsigned long long)ring.reports,
            (unsigned long long)reports);
        ROW(__LINE__,
            got == before + starts[RECORDS] - starts[first] &&
                !memcmp(copy + before, all + starts[first], got - before),
            "seed %llu: other records", (unsigned long long)seed);
        ROW(__LINE__, !before || !memcmp(copy, all + starts[latest_gone], 24),
            "seed %llu: another point in time in front", (unsigned long long)seed);
        free(copy);
        ring_fini(&ring);
        free(all);
    }
    ROWS_DONE();
}

/* ---- the queue ------------------------------------------------------------------------------- */

static void test_the_queue_is_bounded(void **state)
{
    (void)state;
    struct queue queue;
    struct chunk *chunks[4];
    assert_int_equal(queue_init(&queue, 3 * CHUNK_BYTES), 0);
    for (size_t i = 0; i < 3; i++) {
        chunks[i] = queue_get_empty(&queue, 0);
        assert_non_null(chunks[i]);
        chunks[i]->used = i;
        queue_put(&queue, chunks[i]);
    }
    assert_null(queue_get_empty(&queue, 0));
    assert_null(queue_get_empty(&queue, 10));
    assert_ptr_equal(queue_take(&queue), chunks[0]); /* in order */
    assert_ptr_equal(queue_take(&queue), chunks[1]);
    queue_return(&queue, chunks[1]);
    struct chunk *again = queue_get_empty(&queue, 0);
    assert_ptr_equal(again, chunks[1]);
    assert_int_equal(again->used, 0);
    queue_end(&queue);
    assert_ptr_equal(queue_take(&queue), chunks[2]);
    assert_null(queue_take(&queue)); /* the end, after the last one */
    queue_fail(&queue);
    assert_true(queue_failed(&queue));
    assert_null(queue_get_empty(&queue, 100000)); /* the writer has failed: no wait */
    queue_return(&queue, chunks[0]);
    queue_return(&queue, chunks[2]);
    queue_return(&queue, again);
    queue_fini(&queue);
}

/* ---- the file -------------------------------------------------------------------------------- */

/* On a full disk a file ends with its last whole record, at any limit; a LEDGER record that counts
 * the missing reports replaces it. */
static void test_a_full_disk(void **state)
{
    (void)state;
    struct tally_device_info info = {.timestamp_hz = 12500000, .device_id = 0x0416, .oa_format = 5};
    struct record_head head = {.info = &info};
    struct rlimit before, limit;
    uint8_t records[64 * 264];
    size_t size = 0;
    const size_t head_bytes = 16 + 344;
    const size_t ledger_bytes = TALLY_RECORD_HEADER_BYTES + LEDGER_BYTES;
    for (uint32_t i = 0; i < 64; i++)
        size += put_record(records + size, TALLY_RECORD_SAMPLE, 264, i);
    getrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_IGN);
    for (size_t space = 0; space < 3 * 264; space += 37) {
        char path[] = "/tmp/tally-test-XXXXXX";
        int fd = mkstemp(path);
        struct record_file file;
        struct tally_error error = {0};
        struct stat status;
        assert_true(fd >= 0);
        close(fd);
        assert_int_equal(record_file_open(&file, path, &error), 0);
        assert_int_equal(record_file_begin(&file, &head, &error), 0);
        assert_int_equal(record_file_append(&file, records, 10 * 264, &error), 0);
        limit = (struct rlimit){head_bytes + 10 * 264 + space, before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
        int result = record_file_append(&file, records, size, &error);
        setrlimit(RLIMIT_FSIZE, &before);
        ROW(__LINE__, result == -EFBIG, "space %zu: %d", space, result);
        ROW(__LINE__, mentions(error.message, path), "\"%s\"", error.message);
        ROW(__LINE__, file.reports == 10 + space / 264, "space %zu: %llu reports", space,
            (unsigned long long)file.reports);
        assert_int_equal(record_file_close(&file, &error), 0);
        assert_int_equal(stat(path, &status), 0);
        ROW(__LINE__, (size_t)status.st_size == head_bytes + (9 + space / 264) * 264 + ledger_bytes,
            "space %zu: %lld bytes", space, (long long)status.st_size);
        unlink(path);
    }
    signal(SIGXFSZ, SIG_DFL);
    ROWS_DONE();
}

/* STREAM gets the flag of marks; a record of another size is left alone. */
static void test_marks_are_allowed_by_the_stream(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        size_t bytes; /* of the payload of STREAM; 0: there is none */
        int result;
        const char *message;
    } rows[] = {
        {__LINE__, STREAM_BYTES, 0, NULL},
        {__LINE__, 0, -EINVAL, "it has no STREAM record"},
        {__LINE__, 8, -EINVAL, "it has no STREAM record"},
        {__LINE__, STREAM_BYTES + 8, -EINVAL, "it has no STREAM record"},
    };
    struct tally_device_info info = {.timestamp_hz = 12500000, .device_id = 0x0416, .oa_format = 5};
    const struct record_head head = {.info = &info};
    const uint8_t payload[STREAM_BYTES + 8] = {0};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char path[] = "/tmp/tally-test-XXXXXX";
        struct buffer bytes = {0};
        struct tally_error error = {0};
        uint8_t after[1024];
        int fd = mkstemp(path);
        assert_true(fd >= 0);
        record_head_put(&bytes, &head);
        size_t at = bytes.size + TALLY_RECORD_HEADER_BYTES + STREAM_FLAGS;
        if (rows[i].bytes)
            record_put(&bytes, TALLY_RECORD_STREAM, payload, rows[i].bytes);
        assert_int_equal(write(fd, bytes.bytes, bytes.size), bytes.size);
        int result = append_allow_marks(path, fd, &error);
        ROW(rows[i].line, result == rows[i].result, "%d", result);
        ROW(rows[i].line, mentions(error.message, rows[i].message), "\"%s\"", error.message);
        assert_int_equal(pread(fd, after, sizeof after, 0), bytes.size);
        if (result == 0)
            bytes.bytes[at] |= STREAM_MARKS;
        ROW(rows[i].line, !memcmp(after, bytes.bytes, bytes.size), "the file has changed");
        buffer_fini(&bytes);
        close(fd);
        unlink(path);
    }
    ROWS_DONE();
}

static void test_files_that_cannot_be_written(void **state)
{
    (void)state;
    struct tally_device_info info = {.timestamp_hz = 12500000, .device_id = 0x0416, .oa_format = 5};
    struct record_head head = {.info = &info, .provenance = "words"};
    static const struct {
        unsigned line;
        const char *path;
        int result;
    } rows[] = {
        {__LINE__, "/nonexistent/x", -ENOENT},
        {__LINE__, "/tmp", -EISDIR},
        {__LINE__, "/dev/full", -ENOSPC},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct record_file file;
        struct tally_error error = {0};
        int result = record_file_open(&file, rows[i].path, &error);
        if (result == 0)
            result = record_file_begin(&file, &head, &error);
        ROW(rows[i].line, result == rows[i].result, "%d", result);
        ROW(rows[i].line, mentions(error.message, rows[i].path), "\"%s\"", error.message);
        record_file_close(&file, NULL);
    }
    ROWS_DONE();
}

/* Returns whether a file has these contents. */
static bool has_text(const char *path, const char *text)
{
    char got[16] = "";
    int fd = open(path, O_RDONLY);
    ssize_t size = fd < 0 ? -1 : read(fd, got, sizeof got - 1);
    if (fd >= 0)
        close(fd);
    return size == (ssize_t)strlen(text) && !strcmp(got, text);
}

static void put_text(const char *path, const char *text, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, mode);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

/* Beginning a recording in a file that is not empty keeps that as FILE.old; a symbolic link stays
 * one. The lock of the new file holds. */
static void test_existing_files_are_kept(void **state)
{
    (void)state;
    struct tally_device_info info = {.timestamp_hz = 12500000, .device_id = 0x0416, .oa_format = 5};
    struct record_head head = {.info = &info};
    struct tally_error error = {0};
    char directory[] = "/tmp/tally-test-XXXXXX", path[64], old[64], link_path[64];
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/file", directory);
    snprintf(old, sizeof old, "%s/file.old", directory);
    snprintf(link_path, sizeof link_path, "%s/link", directory);
    assert_int_equal(symlink("file", link_path), 0);
    static const struct {
        unsigned line;
        bool by_link;
        const char *before, *kept; /* the file, and FILE.old afterwards; NULL: none */
    } rows[] = {
        {__LINE__, false, NULL, NULL},        {__LINE__, true, NULL, NULL},
        {__LINE__, false, "", NULL},          {__LINE__, false, "first", "first"},
        {__LINE__, true, "second", "second"}, {__LINE__, false, "", "second"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *name = rows[i].by_link ? link_path : path;
        struct record_file file, other;
        struct stat status;
        unlink(path);
        if (rows[i].before)
            put_text(path, rows[i].before, 0600);
        assert_int_equal(record_file_open(&file, name, &error), 0);
        assert_int_equal(record_file_begin(&file, &head, &error), 0);
        assert_int_equal(record_file_open(&other, path, &error), -ETXTBSY);
        record_file_close(&other, NULL);
        assert_int_equal(record_file_close(&file, &error), 0);
        ROW(rows[i].line, rows[i].kept ? has_text(old, rows[i].kept) : access(old, F_OK) < 0,
            "another FILE.old");
        ROW(rows[i].line, stat(path, &status) == 0 && status.st_size == 16 + 344, "%lld bytes",
            (long long)status.st_size);
        ROW(rows[i].line, !rows[i].before || (status.st_mode & 0777) == 0600, "mode %o",
            status.st_mode);
        ROW(rows[i].line, lstat(link_path, &status) == 0 && S_ISLNK(status.st_mode), "no link");
    }
    /* What cannot be kept is not overwritten. */
    struct record_file file;
    unlink(old);
    unlink(path);
    assert_int_equal(mkdir(old, 0700), 0);
    put_text(path, "third", 0600);
    assert_int_equal(record_file_open(&file, path, &error), 0);
    assert_int_equal(record_file_begin(&file, &head, &error), -EISDIR);
    ROW(__LINE__, mentions(error.message, "cannot keep the existing file as"), "\"%s\"",
        error.message);
    assert_int_equal(record_file_close(&file, &error), 0);
    assert_true(has_text(path, "third"));
    rmdir(old);
    unlink(path);
    unlink(link_path);
    rmdir(directory);
    ROWS_DONE();
}

/* Opening a file does not change it before record_file_begin(). */
static void test_files_that_are_not_begun(void **state)
{
    (void)state;
    struct record_file file;
    struct tally_error error = {0};
    char path[] = "/tmp/tally-test-XXXXXX", text[8] = "";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "old", 3), 3);
    assert_int_equal(record_file_open(&file, path, &error), 0);
    assert_int_equal(record_file_close(&file, &error), 0);
    assert_int_equal(pread(fd, text, sizeof text, 0), 3);
    assert_string_equal(text, "old");
    close(fd);
    unlink(path);
    assert_int_equal(record_file_open(&file, path, &error), 0); /* creates the file */
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(record_file_close(&file, &error), 0);
    assert_int_equal(access(path, F_OK), -1);
}

/* A second recording to a file is refused until the first one is closed; other files have no lock.
 */
static void test_files_that_are_being_written(void **state)
{
    (void)state;
    struct record_file first, second;
    struct tally_error error = {0};
    char path[] = "/tmp/tally-test-XXXXXX", link_path[40];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    unlink(path);
    snprintf(link_path, sizeof link_path, "%s.link", path);
    assert_int_equal(record_file_open(&first, path, &error), 0);
    assert_int_equal(link(path, link_path), 0);
    const char *const names[] = {path, link_path};
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_int_equal(record_file_open(&second, names[i], &error), -ETXTBSY);
        ROW(__LINE__, mentions(error.message, names[i]), "\"%s\"", error.message);
        assert_int_equal(record_file_close(&second, NULL), 0);
        assert_int_equal(access(path, F_OK), 0);
    }
    assert_int_equal(record_file_close(&first, &error), 0);
    assert_int_equal(record_file_open(&first, link_path, &error), 0);
    assert_int_equal(record_file_close(&first, &error), 0);
    unlink(link_path);
    assert_int_equal(record_file_open(&first, "/dev/null", &error), 0);
    assert_int_equal(record_file_open(&second, "/dev/null", &error), 0);
    assert_int_equal(record_file_close(&first, &error), 0);
    assert_int_equal(record_file_close(&second, &error), 0);
    ROWS_DONE();
}

/* ---- the filter ------------------------------------------------------------------------------ */

#define OWN   0x1000u
#define OTHER 0x2000u
#define IDLE  TALLY_CONTEXT_IDLE

/*
 * PERF-2.6: a report is kept if it or the previously kept one is of the selected context, or if its
 * reason is a context switch; ids of other contexts are hidden.
 */
static void test_the_filter(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t context; /* IDLE: not valid */
        bool switched;
        uint32_t passed; /* context id in the output; 0: removed */
    } rows[] =
        {
            {__LINE__, OTHER, false, 0},    {__LINE__, IDLE, false, 0},
            {__LINE__, OWN, false, OWN},    {__LINE__, OWN, false, OWN},
            {__LINE__, OTHER, false, IDLE}, /* the end of the last delta */
            {__LINE__, OTHER, false, 0},    {__LINE__, OWN, true, OWN},
            {__LINE__, IDLE, true, IDLE},   {__LINE__, OTHER, true, IDLE},
            {__LINE__, OTHER, false, 0},    {__LINE__, OWN, false, OWN},
            {__LINE__, IDLE, false, IDLE},  {__LINE__, IDLE, false, 0},
        };
    static const struct {
        const char *platform;
        uint32_t valid;
    } platforms[] = {{"bdw", 1u << 25}, {"skl", 1u << 16}, {"icl", 1u << 16}};
    for (size_t p = 0; p < COUNT(platforms); p++) {
        const struct tally_platform *platform = tally_platform_find(platforms[p].platform);
        const struct tally_layout *layout = tally_layout_for_kernel(platform, 10);
        struct filter filter = filter_start(platform, layout, OWN);
        uint64_t skipped = 0;
        assert_true(filter_supported(platform));
        for (size_t i = 0; i < COUNT(rows); i++) {
            uint8_t records[264 + 8];
            put_record(records, TALLY_RECORD_SAMPLE, 264, 0x55);
            put_record(records + 264, TALLY_RECORD_REPORT_LOST, 8, 0); /* always kept */
            store_le32(records + 8, 1u << 19 | (rows[i].switched ? 1u << 22 : 0) |
                                        (rows[i].context != IDLE ? platforms[p].valid : 0));
            store_le32(records + 16, rows[i].context);
            size_t size = filter_records(&filter, records, sizeof records);
            skipped += !rows[i].passed;
            ROW(rows[i].line, size == (rows[i].passed ? 272 : 8), "%s: %zu bytes",
                platforms[p].platform, size);
            ROW(rows[i].line, load_le32(records + size - 8) == TALLY_RECORD_REPORT_LOST,
                "%s: the loss is gone", platforms[p].platform);
            ROW(rows[i].line, size != 272 || load_le32(records + 16) == rows[i].passed,
                "%s: context 0x%x", platforms[p].platform, load_le32(records + 16));
        }
        assert_int_equal(filter.skipped, skipped);
    }
    assert_false(filter_supported(tally_platform_find("hsw")));
    ROWS_DONE();
}

/* Many records in one call give the same result as one per call. */
static void test_the_filter_on_many(void **state)
{
    (void)state;
    const struct tally_platform *platform = tally_platform_find("skl");
    const struct tally_layout *layout = tally_layout_for_kernel(platform, 10);
    enum { MANY = 500 };
    uint8_t *all = malloc(MANY * 264), *single = malloc(MANY * 264);
    struct random rng = random_start(5);
    struct filter one = filter_start(platform, layout, OWN), whole = one;
    size_t kept = 0;
    for (uint32_t i = 0; i < MANY; i++) {
        static const uint32_t contexts[] = {OWN, OTHER, 0x3000};
        uint8_t *record = all + i * 264;
        put_record(record, TALLY_RECORD_SAMPLE, 264, i);
        store_le32(record + 8, 1u << 19 | 1u << 16);
        store_le32(record + 16, contexts[random_below(&rng, 3)]);
        memcpy(single + kept, record, 264);
        kept += filter_records(&one, single + kept, 264);
    }
    assert_int_equal(filter_records(&whole, all, MANY * 264), kept);
    assert_memory_equal(all, single, kept);
    assert_int_equal(whole.skipped, one.skipped);
    assert_true(one.skipped > 50 && kept > 50 * 264);
    free(all);
    free(single);
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Consecutive reports with their reasons, and the number of timer reports missing between them. */
static void test_missing_reports(void **state)
{
    (void)state;
    const uint32_t timer = 1u << 19, change = 1u << 22; /* of contexts */
    const struct {
        unsigned line;
        unsigned exponent;
        uint32_t times[3], reasons[3];
        uint64_t missing;
    } rows[] = {
        {__LINE__, 3, {8, 24, 40}, {timer, timer, timer}, 0},
        {__LINE__, 3, {8, 24, 56}, {timer, timer, timer}, 1},
        {__LINE__, 3, {8, 8 + 16 * 1000, 8 + 16 * 1002}, {timer, timer, timer}, 1000},
        /* Other reports do not count, unless the timer is one of their reasons. */
        {__LINE__, 3, {8, 10, 24}, {timer, change, timer}, 0},
        {__LINE__, 3, {8, 30, 40}, {timer, change, timer}, 1},
        {__LINE__, 3, {8, 24, 40}, {timer, change | timer, timer}, 0},
        {__LINE__, 3, {8, 10, 100}, {change, change, timer}, 0},      /* the first is not missed */
        {__LINE__, 3, {0xfffffff8, 8, 24}, {timer, timer, timer}, 0}, /* over the wrap */
        {__LINE__, 3, {0xfffffff8, 40, 56}, {timer, timer, timer}, 2},
        {__LINE__, 31, {0x80000000, 0x80000000, 0x80000000}, {timer, change, timer}, 0},
        {__LINE__, 0, {1, 3, 9}, {timer, timer, timer}, 2},
        {__LINE__, 3, {8, 25, 41}, {timer, timer, timer}, 0}, /* a tick late */
    };
    const struct tally_device_info info = {
        .timestamp_hz = 12000000, .device_id = 0x1912, .oa_format = 10};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct record_head head = {
            .info = &info, .timer_ticks = UINT64_C(2) << rows[i].exponent, .one_context = true};
        for (size_t piece = 8; piece <= 3 * 264; piece *= 3) {
            struct losses losses;
            uint8_t records[3 * 264];
            for (size_t k = 0; k < 3; k++) {
                put_record(records + k * 264, TALLY_RECORD_SAMPLE, 264, 0);
                store_le32(records + k * 264 + 8, rows[i].reasons[k]);
                store_le32(records + k * 264 + 12, rows[i].times[k]);
            }
            assert_int_equal(losses_start(&losses, &head), 0);
            assert_int_equal(losses_missing(&losses), 0);
            for (size_t at = 0; at < sizeof records; at += piece)
                losses_take(&losses, records + at,
                            piece < sizeof records - at ? piece : sizeof records - at);
            ROW(rows[i].line, losses_missing(&losses) == rows[i].missing, "%llu missing",
                (unsigned long long)losses_missing(&losses));
            losses_fini(&losses);
        }
    }
    ROWS_DONE();
}

/* Records that a reader refuses end the count, and what was counted stays. */
static void test_losses_of_damaged_records(void **state)
{
    (void)state;
    const struct tally_device_info info = {
        .timestamp_hz = 12000000, .device_id = 0x1912, .oa_format = 10};
    const struct record_head head = {.info = &info, .timer_ticks = 16};
    static const uint32_t times[] = {8, 40, 24, 400};
    struct losses losses;
    uint8_t record[264];
    assert_int_equal(losses_start(&losses, &head), 0);
    for (size_t i = 0; i < COUNT(times); i++) {
        put_record(record, TALLY_RECORD_SAMPLE, 264, 0);
        store_le32(record + 8, 1u << 19);
        store_le32(record + 12, times[i]);
        losses_take(&losses, record, sizeof record);
        assert_int_equal(losses_missing(&losses), i ? 1 : 0);
        assert_int_equal(losses.error.code, i < 2 ? 0 : -EBADMSG);
    }
    losses_fini(&losses);
    losses_fini(&losses); /* may be repeated */
}

/* What the reader takes for losses of packets: saturated counters, and slots without a packet. */
static void test_packets_that_are_losses(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        struct pcounter_packet packets[2];
        uint64_t counts_lost, not_landed;
    } rows[] = {
        {__LINE__, {{1000, 1, {5}}, {2000, 1, {5}}}, 0, 0},
        {__LINE__, {{70000, 1, {0xffff}}, {71000, 1, {5}}}, 1, 0},
        {__LINE__, {{70000, 1, {0, 0xffff}}, {140000, PACKET_STOP_MAX, {5}}}, 2, 0},
        {__LINE__, {{70000, PACKET_STOP_MAX - 1, {0xfffe}}, {71000, 1, {5}}}, 0, 0},
        {__LINE__, {{0}, {1000, 1, {5}}}, 0, 1},                  /* not written */
        {__LINE__, {{1000, 1, {5}}, {1000, 1, {5}}}, 1, 0},       /* no clock later */
        {__LINE__, {{1000, 1, {1001}}, {2000, 1, {1000}}}, 1, 0}, /* more than clocks */
    };
    struct gpu gpu = {.device = device_of_chipset(tally_chipset_find("g92"), 0)};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tally_capture_stats totals = {0};
        struct stream_stats counted = stream_stats_start(&gpu, &totals);
        uint8_t record[8 + PACKETS_BYTES + 2 * PACKET_LONG_BYTES] = {0};
        put_record(record, TALLY_RECORD_PACKETS, sizeof record, 0);
        memset(record + 8, 0, sizeof record - 8);
        store_le32(record + 8 + PACKETS_FORMAT, TALLY_PACKET_LONG);
        for (size_t k = 0; k < 2; k++)
            packet_pack(&rows[i].packets[k], true,
                        record + 8 + PACKETS_BYTES + k * PACKET_LONG_BYTES);
        int result = stream_stats_count(&counted, record, sizeof record, NULL);
        ROW(rows[i].line, result == 0 && totals.reports == 2, "%d", result);
        ROW(rows[i].line,
            totals.counts_lost == rows[i].counts_lost && totals.not_landed == rows[i].not_landed,
            "%llu lost", (unsigned long long)totals.counts_lost);
    }
    ROWS_DONE();
}

static void test_records_that_cannot_be(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t type;
        unsigned size, there;
        const char *message;
    } rows[] = {
        {__LINE__, 1, 0, 264, "type 1 and size 0,"},
        {__LINE__, 1, 4, 264, "and size 4,"},
        {__LINE__, 1, 264, 256, "with 256 bytes left"},
        {__LINE__, 1, 136, 136, "a report of 128 bytes, expected 256"},
        {__LINE__, 1, 260, 264, "and size 260,"},
        {__LINE__, 0, 264, 264, "type 0"},
        {__LINE__, 2, 8, 4, "with 4 bytes left"},
        {__LINE__, 99, 16, 16, NULL}, /* added by a later kernel */
        {__LINE__, 3, 8, 8, NULL},
        {__LINE__, TALLY_RECORD_PACKETS, 8 + PACKETS_BYTES - 8, 264, "a record of packets of"},
        {__LINE__, TALLY_RECORD_PACKETS, 8 + PACKETS_BYTES, 8 + PACKETS_BYTES, NULL},
    };
    struct gpu gpu = {.device.platform = tally_platform_find("skl"), .info.oa_format = 10};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tally_capture_stats totals = {0};
        struct tally_error error = {0};
        struct stream_stats counted = stream_stats_start(&gpu, &totals);
        uint8_t records[264] = {0};
        store_le32(records, rows[i].type);
        store_le16(records + 6, (uint16_t)rows[i].size);
        int result = stream_stats_count(&counted, records, rows[i].there, &error);
        ROW(rows[i].line, result == (rows[i].message ? -EBADMSG : 0), "%d", result);
        ROW(rows[i].line, mentions(error.message, rows[i].message), "\"%s\"", error.message);
    }
    ROWS_DONE();
}

int run_parts_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_ring_keeps_the_latest),
        cmocka_unit_test(test_the_queue_is_bounded),
        cmocka_unit_test(test_a_full_disk),
        cmocka_unit_test(test_marks_are_allowed_by_the_stream),
        cmocka_unit_test(test_files_that_cannot_be_written),
        cmocka_unit_test(test_existing_files_are_kept),
        cmocka_unit_test(test_files_that_are_not_begun),
        cmocka_unit_test(test_files_that_are_being_written),
        cmocka_unit_test(test_the_filter),
        cmocka_unit_test(test_the_filter_on_many),
        cmocka_unit_test(test_missing_reports),
        cmocka_unit_test(test_losses_of_damaged_records),
        cmocka_unit_test(test_packets_that_are_losses),
        cmocka_unit_test(test_records_that_cannot_be),
    };
    return cmocka_run_group_tests_name("parts", tests, NULL, NULL);
}
