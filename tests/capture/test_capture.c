/* SPDX-License-Identifier: MIT */
/* <tally/capture.h>: devices, options of older and newer programs, callbacks, stops, errors. */
#include "capture/tests.h"

#include <errno.h>
#include <pthread.h>
#include <sys/eventfd.h>

#include <tally/capture.h>
#include <tally/chipset.h>

#include "base/bits.h"
#include "base/options.h"
#include "capture/emulated.h"

#define MS UINT64_C(1000000)

/* The records passed to a callback. */
struct taken {
    uint8_t *bytes;
    size_t size, calls, samples, sample_size;
    size_t fail_at;             /* number of the call, from 1, that fails; 0: none */
    struct tally_capture *stop; /* to be stopped at the first report; or NULL */
};

static int take(void *closure, const void *records, size_t size)
{
    struct taken *taken = closure;
    if (++taken->calls == taken->fail_at)
        return -EDOM;
    taken->bytes = realloc(taken->bytes, taken->size + size);
    assert_non_null(taken->bytes);
    memcpy(taken->bytes + taken->size, records, size);
    for (size_t at = 0; at < size;) { /* whole records only */
        const uint8_t *record = (const uint8_t *)records + at;
        size_t length = load_le16(record + 6);
        assert_true(length >= 8 && length <= size - at);
        if (load_le32(record) == TALLY_RECORD_SAMPLE) {
            taken->samples++;
            taken->sample_size = length;
        }
        at += length;
    }
    taken->size += size;
    if (taken->stop && taken->samples)
        tally_capture_stop(taken->stop);
    return 0;
}

static const char *source(const char *path)
{
    static char whole[512];
    snprintf(whole, sizeof whole, "%s/%s", getenv("TALLY_SOURCE"), path);
    return whole;
}

static struct tally_capture *open_model(const char *name, enum tally_capture_clock clock)
{
    struct tally_capture_device_options options = TALLY_CAPTURE_DEVICE_OPTIONS_INIT;
    struct tally_capture *capture = NULL;
    struct tally_error error = {0};
    options.workload = source("data/workloads/triangle.yaml");
    options.clock = clock;
    if (tally_capture_open(name, &options, &capture, &error) < 0)
        fail_msg("%s", error.message);
    return capture;
}

static struct tally_capture_options options_of(struct taken *taken, uint64_t duration_ns)
{
    static char metrics[512];
    struct tally_capture_options options = TALLY_CAPTURE_OPTIONS_INIT;
    snprintf(metrics, sizeof metrics, "%s", source("data/metrics"));
    options.metrics = metrics;
    options.duration_ns = duration_ns;
    options.records = taken ? take : NULL;
    options.closure = taken;
    return options;
}

/* ---- devices --------------------------------------------------------------------------------- */

static void count_device(void *closure, const struct tally_capture_device *device)
{
    size_t *models = closure;
    if (!device->modelled)
        return;
    char name[32];
    snprintf(name, sizeof name, "sim:%s", emulation_platform(*models, false));
    assert_non_null(device->title);
    assert_null(device->problem);
    if (tally_chipset_find(device->name + 4)) /* NVIDIA's follow */
        return;
    assert_string_equal(device->name, name);
    ++*models;
}

static void test_the_list(void **state)
{
    (void)state;
    size_t models = 0;
    tally_capture_list(count_device, &models);
    assert_true(models >= 7);
    assert_null(emulation_platform(models, false));
}

static void test_devices_that_do_not_open(void **state)
{
    (void)state;
    static const struct tally_capture_device_options wall = TALLY_CAPTURE_DEVICE_OPTIONS_INIT;
    struct tally_capture_device_options work = wall, clock = wall, faults = wall, mmio = wall;
    struct tally_capture_device_options fuses = wall, driver = wall;
    fuses.workload = driver.workload = source("data/workloads/triangle.yaml");
    fuses.fuses = "slice=1";
    driver.driver = TALLY_CAPTURE_DRIVER_MMIO;
    work.workload = "no-such-workload";
    clock.clock = (enum tally_capture_clock)7;
    faults.faults = "no-such-faults";
    mmio.mmio = stderr;
    const struct {
        unsigned line;
        const char *device;
        const struct tally_capture_device_options *options;
        int result;
        const char *message;
    } rows[] = {
        {__LINE__, "sim:nv41x", NULL, -ENODEV, "sim:nv41x"},
        {__LINE__, "sim:c51", NULL, -ENODEV, "C51"},
        {__LINE__, "sim:g92", &work, -ENOENT, "no-such-workload"},
        {__LINE__, "sim:g92", &fuses, -EINVAL, "Intel"},
        {__LINE__, "sim:g92", &driver, -EINVAL, "Intel"},
        {__LINE__, "skl", NULL, -EINVAL, "sim:hsw"},
        {__LINE__, "/no/such/node", NULL, -ENODEV, "/no/such/node"},
        {__LINE__, "/dev/null", NULL, -ENODEV, "/dev/null"},
        {__LINE__, "sim:skl", &work, -ENOENT, "no-such-workload"},
        {__LINE__, "sim:skl", &clock, -EINVAL, "clock 7"},
        {__LINE__, "sim:skl", &faults, -ENOENT, "no-such-faults"},
        {__LINE__, "/dev/null", &work, -EINVAL, "modelled"},
        {__LINE__, NULL, &faults, -EINVAL, "modelled"},
        {__LINE__, "/dev/null", &mmio, -EINVAL, "mmio"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tally_capture *capture = NULL;
        struct tally_error error = {0};
        int result = tally_capture_open(rows[i].device, rows[i].options, &capture, &error);
        ROW(rows[i].line,
            result == rows[i].result && !capture && strstr(error.message, rows[i].message),
            "gave %d: %s", result, error.message);
    }
    tally_capture_close(NULL);
    ROWS_DONE();
}

/* ---- options --------------------------------------------------------------------------------- */

struct thing {
    size_t size;
    uint32_t first, second;
    uint64_t third;
};

/* Programs older and newer than the library. */
static void test_options_of_every_age(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        size_t size;
        int tail; /* value of the byte after the struct, where size covers it */
        int result;
        struct thing expected;
    } rows[] = {
        {__LINE__, sizeof(struct thing), 0, 0, {sizeof(struct thing), 1, 2, 3}},
        {__LINE__, offsetof(struct thing, third), 9, 0, {sizeof(struct thing), 1, 2, 0}},
        {__LINE__, offsetof(struct thing, second), 9, 0, {sizeof(struct thing), 1, 0, 0}},
        {__LINE__, sizeof(size_t), 9, 0, {sizeof(struct thing), 0, 0, 0}},
        {__LINE__, sizeof(struct thing) + 1, 0, 0, {sizeof(struct thing), 1, 2, 3}},
        {__LINE__, sizeof(struct thing) + 1, 9, -E2BIG, {0, 0, 0, 0}},
        {__LINE__, sizeof(size_t) - 1, 0, -EINVAL, {0, 0, 0, 0}},
        {__LINE__, 0, 0, -EINVAL, {0, 0, 0, 0}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        unsigned char from[sizeof(struct thing) + 1];
        struct thing given = {rows[i].size, 1, 2, 3}, got;
        struct tally_error error = {0};
        memcpy(from, &given, sizeof given);
        from[sizeof given] = (unsigned char)rows[i].tail;
        int result = options_copy(&got, sizeof got, from, "thing", &error);
        ROW(rows[i].line, result == rows[i].result, "gave %d: %s", result, error.message);
        if (result == 0)
            ROW(rows[i].line, !memcmp(&got, &rows[i].expected, sizeof got), "other options");
        else
            ROW(rows[i].line, !strncmp(error.message, "thing", 5), "%s", error.message);
    }
    struct thing none;
    assert_int_equal(options_copy(&none, sizeof none, NULL, "thing", NULL), 0);
    assert_int_equal(none.size, sizeof none);
    assert_int_equal(none.first + none.second + none.third, 0);
    ROWS_DONE();
}

static void test_recordings_that_do_not_start(void **state)
{
    (void)state;
    struct taken taken = {0};
    const struct tally_capture_options good = options_of(&taken, MS);
    struct tally_capture_options none = good, both = good, ring = good, small = good, format = good,
                                 set = good, context = good, old = good, standard = good;
    none.records = NULL;
    both.output = "/dev/null";
    ring.ring_bytes = 1 << 20;
    small.records = NULL;
    small.output = "/dev/null";
    small.ring_bytes = 65535;
    standard = small;
    standard.output = "-";
    standard.ring_bytes = 65536;
    format.oa_format = 99;
    set.metric_set = "NoSuchSet";
    context.one_context = true;
    old.size = 4;
    const struct {
        unsigned line;
        const struct tally_capture_options *options;
        int result;
        const char *message;
    } rows[] = {
        {__LINE__, &none, -EINVAL, "neither"},  {__LINE__, &both, -EINVAL, "either"},
        {__LINE__, &ring, -EINVAL, "path"},     {__LINE__, &small, -EINVAL, "65536"},
        {__LINE__, &standard, -EINVAL, "path"}, {__LINE__, &format, -EINVAL, "oa_format 99"},
        {__LINE__, &set, -ENOENT, "NoSuchSet"}, {__LINE__, &context, -EINVAL, "one_context"},
        {__LINE__, &old, -EINVAL, "size is 4"}, {__LINE__, NULL, -EINVAL, "neither"},
    };
    struct tally_capture *capture = open_model("sim:hsw", TALLY_CAPTURE_FREE);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tally_error error = {0};
        int result = tally_capture_start(capture, rows[i].options, &error);
        ROW(rows[i].line, result == rows[i].result && strstr(error.message, rows[i].message),
            "gave %d: %s", result, error.message);
    }
    assert_int_equal(taken.calls, 0);
    assert_int_equal(tally_capture_step(capture, 0, NULL), -EINVAL);
    assert_int_equal(tally_capture_dump(capture, NULL), -EINVAL);
    assert_int_equal(tally_capture_finish(capture, NULL), 0);
    /* After these failures a valid one starts, and a second one does not. */
    assert_int_equal(tally_capture_start(capture, &good, NULL), 0);
    assert_int_equal(tally_capture_start(capture, &good, NULL), -EALREADY);
    assert_int_equal(tally_capture_dump(capture, NULL), -EINVAL);
    tally_capture_close(capture); /* finishes it, with the remaining records */
    assert_true(taken.samples > 0 && taken.size > 300);
    free(taken.bytes);
    ROWS_DONE();
}

/* ---- records --------------------------------------------------------------------------------- */

/* A callback gets the bytes of a file; info and stats describe them. */
static void test_a_callback_gets_the_bytes_of_a_file(void **state)
{
    (void)state;
    static const char *const names[] = {"sim:hsw", "sim:skl", "sim:tgl"};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct taken taken = {0};
        char path[] = "/tmp/tally-test-XXXXXX";
        int fd = mkstemp(path);
        assert_true(fd >= 0);
        struct tally_error error = {0};
        for (unsigned to_file = 0; to_file < 2; to_file++) {
            struct tally_capture *capture = open_model(names[i], TALLY_CAPTURE_FREE);
            struct tally_capture_options options = options_of(to_file ? NULL : &taken, 1200 * MS);
            options.output = to_file ? path : NULL;
            options.period_ns = 500000;
            options.comment = ", for a test";
            if (tally_capture_run(capture, &options, &error) < 0)
                fail_msg("%s", error.message);
            const struct tally_capture_stats *stats = tally_capture_stats(capture);
            const struct tally_capture_info *info = tally_capture_info(capture);
            assert_string_equal(info->name, names[i]);
            assert_true(info->modelled && info->clock == TALLY_CAPTURE_FREE);
            assert_string_equal(info->recorded.set_name, "RenderBasic");
            assert_int_equal(info->period_ns, tally_capture_nearest_period_ns(capture, 500000));
            assert_int_equal(stats->reports, taken.samples);
            assert_int_equal(stats->written, taken.samples);
            assert_int_equal(stats->bytes, taken.size);
            assert_int_equal(stats->missing + stats->report_lost + stats->buffer_lost, 0);
            assert_true(stats->elapsed_ns >= 1200 * MS && stats->reports > 1500);
            assert_int_equal(taken.sample_size, 8u + info->layout->size_bytes);
            tally_capture_close(capture);
        }
        uint8_t *bytes = malloc(taken.size + 1);
        assert_non_null(bytes);
        assert_int_equal(read(fd, bytes, taken.size + 1), taken.size);
        assert_memory_equal(bytes, taken.bytes, taken.size);
        assert_non_null(memmem(bytes, 1000, ", for a test", 12));
        free(bytes);
        free(taken.bytes);
        close(fd);
        unlink(path);
    }
}

/* Two recordings of one device, and report formats other than the default. */
static void test_formats(void **state)
{
    (void)state;
    struct tally_capture *capture = open_model("sim:skl", TALLY_CAPTURE_FREE);
    const struct tally_platform *platform = tally_capture_info(capture)->device.platform;
    unsigned formats = 0;
    for (uint32_t format = 1; format < 12; format++) {
        const struct tally_layout *layout = tally_layout_for_kernel(platform, format);
        struct taken taken = {0};
        struct tally_error error = {0};
        struct tally_recording *recording;
        struct tally_capture_options options = options_of(&taken, 20 * MS);
        options.oa_format = format;
        int result = tally_capture_run(capture, &options, &error);
        if (!layout) {
            assert_int_equal(result, -EINVAL);
            continue;
        }
        ROW(__LINE__, result == 0, "format %u: %s", format, error.message);
        ROW(__LINE__, taken.samples > 10 && taken.sample_size == 8u + layout->size_bytes,
            "format %u: %zu reports of %zu bytes", format, taken.samples, taken.sample_size);
        assert_int_equal(
            tally_recording_open_memory(taken.bytes, taken.size, "taken", NULL, &recording, &error),
            0);
        assert_ptr_equal(tally_recording_info(recording)->layout, layout);
        tally_recording_close(recording);
        free(taken.bytes);
        formats++;
    }
    assert_true(formats >= 2);
    tally_capture_close(capture);
    ROWS_DONE();
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void test_a_callback_that_fails(void **state)
{
    (void)state;
    struct tally_capture *capture = open_model("sim:hsw", TALLY_CAPTURE_FREE);
    for (size_t at = 1; at <= 3; at++) { /* the head, and later */
        struct taken taken = {.fail_at = at};
        struct tally_capture_options options = options_of(&taken, 100 * MS);
        struct tally_error error = {0};
        assert_int_equal(tally_capture_run(capture, &options, &error), -EDOM);
        assert_int_equal(error.code, -EDOM);
        assert_int_equal(taken.calls, at); /* not called again */
        assert_int_equal(tally_capture_stats(capture)->bytes, taken.size);
        free(taken.bytes);
    }
    tally_capture_close(capture);
}

/* The callback stops the recording, with the wall clock. */
static void test_a_stop_from_the_callback(void **state)
{
    (void)state;
    struct tally_capture *capture = open_model("sim:hsw", TALLY_CAPTURE_WALL);
    struct taken taken = {.stop = capture};
    struct tally_capture_options options = options_of(&taken, 0); /* no duration */
    assert_int_equal(tally_capture_run(capture, &options, NULL), 0);
    assert_true(taken.samples > 0);
    assert_int_equal(tally_capture_stats(capture)->reports, taken.samples);
    free(taken.bytes);
    tally_capture_close(capture);
}

static void *stop(void *capture)
{
    tally_capture_stop(capture);
    return NULL;
}

/* From another thread, while step waits for a report with a period of hours. */
static void test_a_stop_from_another_thread(void **state)
{
    (void)state;
    pthread_t thread;
    struct taken taken = {0};
    struct tally_capture *capture = open_model("sim:hsw", TALLY_CAPTURE_WALL);
    struct tally_capture_options options = options_of(&taken, 0);
    options.period_ns = UINT64_C(3600000000000);
    assert_int_equal(tally_capture_start(capture, &options, NULL), 0);
    assert_int_equal(pthread_create(&thread, NULL, stop, capture), 0);
    while (tally_capture_step(capture, UINT64_MAX, NULL) > 0)
        continue;
    pthread_join(thread, NULL);
    assert_int_equal(tally_capture_step(capture, UINT64_MAX, NULL), 0); /* as before */
    assert_int_equal(tally_capture_finish(capture, NULL), 0);
    assert_int_equal(taken.samples, 0);

    /* A stop before the start ends the next recording only. */
    tally_capture_stop(capture);
    assert_int_equal(tally_capture_run(capture, &options, NULL), 0);
    options.period_ns = 0;
    options.duration_ns = 20 * MS;
    assert_int_equal(tally_capture_run(capture, &options, NULL), 0);
    assert_true(taken.samples > 5);
    free(taken.bytes);
    tally_capture_close(capture);
}

/* A step returns after its timeout, or when the caller's descriptor is readable. */
static void test_events_that_wake_a_step(void **state)
{
    (void)state;
    uint64_t one = 1;
    struct taken taken = {0};
    struct tally_capture *capture = open_model("sim:hsw", TALLY_CAPTURE_FREE);
    struct tally_capture_options options = options_of(&taken, 0);
    const struct tally_capture_stats *stats = tally_capture_stats(capture);
    options.period_ns = UINT64_C(3600000000000);
    options.wake_fd = eventfd(0, EFD_NONBLOCK);
    assert_true(options.wake_fd > 0);
    assert_int_equal(tally_capture_start(capture, &options, NULL), 0);
    /* The first step still passes on the correlation of the head. */
    assert_int_equal(tally_capture_step(capture, UINT64_MAX, NULL), 1);
    uint64_t before = stats->elapsed_ns;
    assert_int_equal(tally_capture_step(capture, 3 * MS, NULL), 1);
    assert_in_range(stats->elapsed_ns - before, 3 * MS, 3 * MS + 1000);
    before = stats->elapsed_ns;
    assert_int_equal(write(options.wake_fd, &one, sizeof one), sizeof one);
    assert_int_equal(tally_capture_step(capture, UINT64_MAX, NULL), 1);
    assert_int_equal(stats->elapsed_ns, before);
    assert_int_equal(read(options.wake_fd, &one, sizeof one), sizeof one); /* still readable */
    assert_int_equal(tally_capture_step(capture, MS, NULL), 1);
    assert_true(stats->elapsed_ns > before);
    tally_capture_close(capture);
    close(options.wake_fd);
    free(taken.bytes);
}

int run_capture_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_list),
        cmocka_unit_test(test_devices_that_do_not_open),
        cmocka_unit_test(test_options_of_every_age),
        cmocka_unit_test(test_recordings_that_do_not_start),
        cmocka_unit_test(test_a_callback_gets_the_bytes_of_a_file),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_a_callback_that_fails),
        cmocka_unit_test(test_a_stop_from_the_callback),
        cmocka_unit_test(test_a_stop_from_another_thread),
        cmocka_unit_test(test_events_that_wake_a_step),
    };
    if (!getenv("TALLY_SOURCE"))
        return 0;
    return cmocka_run_group_tests_name("capture", tests, NULL, NULL);
}
