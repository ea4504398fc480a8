/* SPDX-License-Identifier: MIT */
/* The recorder on a scripted machine: contents of the file, their order, and the stats. */
#include "capture/tests.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <tally/recording.h>

#include "base/bits.h"
#include "capture/fake.h"
#include "driver/i915/uapi.h"

#define HSW 0x0416
#define SKL 0x1912

#define MS UINT64_C(1000000)

/* A recording to a temporary file, and its results. */
struct run {
    struct fake fake;
    struct gpu gpu;
    struct recorder_settings settings;
    struct tally_capture_stats totals;
    struct tally_error error;
    char path[64];
    int result;
    enum order { NOTHING, STOP, DUMP } order; /* command given after the recorder is woken */
    uint64_t wake_at_ns;                      /* elapsed time at which it is woken */
    size_t given, dumps, dumps_failed;
    char dump_path[80];
    uint8_t *bytes; /* contents of the file */
    size_t size;
};

/* Wakes the recorder at wake_at_ns; gives the order after the step that was woken. */
static void give_order(struct run *run, struct recorder *recorder)
{
    uint64_t count = 1;
    if (run->settings.wake < 0)
        return;
    if (read(run->settings.wake, &count, sizeof count) == sizeof count) {
        run->given++;
        if (run->order == STOP)
            recorder_stop(recorder);
        else
            assert_int_equal(recorder_dump(recorder, &run->error), 0);
    } else if (!run->given && run->totals.elapsed_ns >= run->wake_at_ns) {
        assert_int_equal(write(run->settings.wake, &count, sizeof count), sizeof count);
    }
}

static void dumped(void *closure, const char *path, uint64_t reports,
                   const struct tally_error *error)
{
    struct run *run = closure;
    (void)reports;
    run->dumps_failed += error != NULL;
    snprintf(run->dump_path, sizeof run->dump_path, "%s", path);
    run->dumps++;
}

static void run_init(struct run *run, uint32_t pci_id)
{
    memset(run, 0, sizeof *run);
    fake_init(&run->fake, pci_id);
    snprintf(run->path, sizeof run->path, "/tmp/tally-test-XXXXXX");
    int fd = mkstemp(run->path);
    assert_true(fd >= 0);
    close(fd);
    run->settings = (struct recorder_settings){.set = &fake_set,
                                               .exponent = run->fake.exponent,
                                               .duration_ns = 100 * MS,
                                               .output = run->path,
                                               .provenance = "by a test",
                                               .wake = -1,
                                               .dumped = dumped,
                                               .closure = run};
}

static void load(struct run *run, const char *path)
{
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    free(run->bytes);
    run->bytes = malloc(1 << 24);
    run->size = fread(run->bytes, 1, 1 << 24, file);
    fclose(file);
}

static void go(struct run *run)
{
    fake_gpu(&run->fake, &run->gpu);
    run->settings.gpu = &run->gpu;
    struct recorder *recorder;
    struct tally_error second = {0};
    run->result = recorder_start(&run->settings, &run->totals, &recorder, &run->error);
    if (run->result == 0) {
        do
            give_order(run, recorder);
        while ((run->result = recorder_step(recorder, UINT64_MAX, &run->error)) > 0);
        int finished = recorder_finish(recorder, &second);
        if (run->result == 0 && finished < 0) {
            run->result = finished;
            run->error = second;
        }
    }
    gpu_close(&run->gpu);
    assert_int_equal(run->fake.open_files, 0);
    assert_false(run->fake.stream_open);
    load(run, run->path);
}

static void run_fini(struct run *run)
{
    unlink(run->path);
    if (run->settings.wake >= 0)
        close(run->settings.wake);
    free(run->bytes);
}

/* Describes the file: one letter per record, with the number of repetitions. */
static const char *story(const struct run *run)
{
    static char text[4096];
    static const struct {
        uint32_t type;
        char letter;
    } letters[] = {{65536, 'V'},      {65537, 'I'}, {65538, 'T'}, {65539, 'C'}, {0x54000000, 'P'},
                   {0x54000002, 'S'}, {1, 's'},     {2, 'r'},     {3, 'b'}};
    size_t used = 0, count = 0;
    char latest = 0;
    for (size_t at = 0; at < run->size;) {
        uint32_t type = load_le32(run->bytes + at);
        size_t size = load_le16(run->bytes + at + 6);
        char letter = '?';
        assert_true(size >= 8 && size <= run->size - at);
        for (size_t i = 0; i < COUNT(letters); i++)
            if (letters[i].type == type)
                letter = letters[i].letter;
        count = letter == latest ? count + 1 : 1;
        if (count == 1)
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%s%c", used ? " " : "", letter);
        at += size;
        bool last = at >= run->size || load_le32(run->bytes + at) != type;
        if (last && count > 1)
            used += (size_t)snprintf(text + used, sizeof text - used, "%zu", count);
        latest = letter;
    }
    return text;
}

/* ---- files ----------------------------------------------------------------------------------- */

static void test_a_recording(void **state)
{
    (void)state;
    struct run run;
    run_init(&run, HSW);
    run.fake.steps[0] = (struct fake_step){5 * MS, FAKE_REPORTS, 7, NULL};
    run.fake.steps[1] = (struct fake_step){10 * MS, FAKE_REPORTS, 8, NULL};
    run.fake.steps[2] = (struct fake_step){105 * MS, FAKE_REPORTS, 3, NULL}; /* the last tick */
    run.fake.steps[3] = (struct fake_step){200 * MS, FAKE_REPORTS, 3, NULL};
    go(&run);
    assert_int_equal(run.result, 0);
    assert_string_equal(story(&run), "V I T P S C s18 C");
    assert_string_equal(run.fake.calls, "open ADD OPEN close-stream REMOVE close");
    assert_int_equal(run.totals.reports, 18);
    assert_int_equal(run.totals.written, 18);
    assert_int_equal(run.totals.missing, 0);
    assert_int_equal(run.totals.bytes, run.size);
    /* Correlations surround the reports: at 5 s, and 105 ms later. */
    const uint8_t *last = run.bytes + run.size - 24;
    assert_int_equal(load_le64(last + 8), 5105 * MS);
    assert_int_equal(load_le64(last + 16), 5105 * MS / 80);
    run_fini(&run);
}

/* The reader reports the same contents. */
static void test_the_reader_reads_it(void **state)
{
    (void)state;
    struct run run;
    struct tally_recording *recording;
    struct tally_batch *batch = tally_batch_new();
    run_init(&run, SKL);
    run.fake.steps[0] = (struct fake_step){5 * MS, FAKE_REPORTS, 7, NULL};
    run.fake.steps[1] = (struct fake_step){10 * MS, FAKE_BUFFER_LOST, 0, NULL};
    run.fake.steps[2] = (struct fake_step){10 * MS, FAKE_GAP, 40, NULL};
    run.fake.steps[3] = (struct fake_step){15 * MS, FAKE_REPORTS, 5, NULL};
    run.fake.steps[4] = (struct fake_step){20 * MS, FAKE_REPORT_LOST, 0, NULL};
    run.fake.steps[5] = (struct fake_step){20 * MS, FAKE_GAP, 1, NULL};
    run.fake.steps[6] = (struct fake_step){20 * MS, FAKE_REPORTS, 4, NULL};
    run.fake.steps[7] = (struct fake_step){25 * MS, FAKE_GAP, 3, NULL}; /* without a loss record */
    run.fake.steps[8] = (struct fake_step){25 * MS, FAKE_REPORTS, 2, NULL};
    go(&run);
    assert_int_equal(run.result, 0);
    assert_string_equal(story(&run), "V I T P S C s7 b s5 r s6 C");
    assert_int_equal(run.totals.missing, 44);
    assert_int_equal(run.totals.buffer_lost, 1);
    assert_int_equal(run.totals.report_lost, 1);

    assert_int_equal(tally_recording_open(run.path, NULL, &recording, &run.error), 0);
    const struct tally_recording_info *info = tally_recording_info(recording);
    assert_string_equal(info->device.platform->name, "skl");
    assert_string_equal(info->recorded.set_name, "RenderBasic");
    assert_string_equal(info->recorded.set_uuid, fake_set.uuid);
    assert_int_equal(info->recorded.timestamp_hz, 12500000);
    assert_int_equal(info->topology.eus, 24);
    assert_string_equal(info->provenance, "by a test");
    while (tally_recording_read(recording, batch, &run.error) > 0)
        ;
    const struct tally_loss *losses;
    assert_int_equal(tally_recording_totals(recording).reports, 18);
    assert_int_equal(tally_recording_losses(recording, &losses), 3);
    assert_int_equal(losses[0].kind, TALLY_LOSS_BUFFER);
    assert_int_equal(losses[0].estimated, 40);
    assert_int_equal(losses[1].kind, TALLY_LOSS_REPORT);
    assert_int_equal(losses[1].estimated, 1);
    assert_int_equal(losses[2].kind, TALLY_LOSS_MISSING);
    assert_int_equal(losses[2].estimated, 3);
    tally_recording_close(recording);
    tally_batch_free(batch);
    run_fini(&run);
}

/* A correlation every second. */
static void test_a_long_recording(void **state)
{
    (void)state;
    struct run run;
    run_init(&run, HSW);
    run.settings.duration_ns = 3500 * MS;
    for (unsigned i = 0; i < 35; i++)
        run.fake.steps[i] = (struct fake_step){(100 * i + 50) * MS, FAKE_REPORTS, 10, NULL};
    go(&run);
    assert_string_equal(story(&run), "V I T P S C s100 C s100 C s100 C s50 C");
    run_fini(&run);
}

/* Many more reports than a chunk holds, in one tick. */
static void test_many_reports_at_once(void **state)
{
    (void)state;
    struct run run;
    run_init(&run, HSW);
    run.fake.steps[0] = (struct fake_step){5 * MS, FAKE_REPORTS, 20000, NULL};
    run.fake.steps[1] = (struct fake_step){50 * MS, FAKE_REPORTS, 20000, NULL};
    go(&run);
    assert_int_equal(run.result, 0);
    assert_string_equal(story(&run), "V I T P S C s40000 C");
    assert_int_equal(run.totals.missing, 0);
    run_fini(&run);
}

/* ---- faults ---------------------------------------------------------------------------------- */

static void test_faults_of_the_stream(void **state)
{
    (void)state;
    static const uint8_t torn[] = {1, 0, 0, 0, 0, 0, 8, 1, 0, 0, 0, 0};
    static const struct {
        unsigned line;
        struct fake_step step;
        int result;
        const char *message;
    } rows[] = {
        {__LINE__,
         {20 * MS, FAKE_ERRNO, EIO, NULL},
         -EIO,
         "reading the stream: Input/output error"},
        {__LINE__, {20 * MS, FAKE_ERRNO, ENODEV, NULL}, -ENODEV, "No such device"},
        {__LINE__,
         {20 * MS, FAKE_BYTES, sizeof torn, torn},
         -EBADMSG,
         "renderD128: the stream has a record of type 1 and size 264,"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct run run;
        run_init(&run, HSW);
        run.fake.steps[0] = (struct fake_step){5 * MS, FAKE_REPORTS, 7, NULL};
        run.fake.steps[1] = rows[i].step;
        go(&run);
        ROW(rows[i].line, run.result == rows[i].result, "%d", run.result);
        ROW(rows[i].line, mentions(run.error.message, rows[i].message), "\"%s\"",
            run.error.message);
        /* The records before the error are in the file, and everything is closed. */
        ROW(rows[i].line, !strcmp(story(&run), "V I T P S C s7 C"), "%s", story(&run));
        ROW(rows[i].line, run.totals.written == 7, "%llu", (unsigned long long)run.totals.written);
        ROW(rows[i].line, !strcmp(run.fake.calls, "open ADD OPEN close-stream REMOVE close"), "%s",
            run.fake.calls);
        run_fini(&run);
    }
    ROWS_DONE();
}

static void test_faults_before_it(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        struct fake_answer answer;
        const char *output;
        int result;
        const char *message, *calls;
    } rows[] = {
        {__LINE__,
         {DRM_IOCTL_I915_PERF_ADD_CONFIG, 0, -EINVAL, 0},
         NULL,
         -EINVAL,
         "rejects metric set",
         "open ADD close"},
        {__LINE__,
         {DRM_IOCTL_I915_PERF_OPEN, 0, -EBUSY, 0},
         NULL,
         -EBUSY,
         "another program",
         "open ADD OPEN REMOVE close"},
        {__LINE__,
         {DRM_IOCTL_I915_REG_READ, 0, -EINVAL, 0},
         NULL,
         -EINVAL,
         "cannot read the GPU's time",
         "open ADD REMOVE close"},
        {__LINE__,
         {0},
         "/nonexistent/x",
         -ENOENT,
         "/nonexistent/x: No such file",
         "open ADD REMOVE close"},
        {__LINE__,
         {0},
         "/dev/full",
         -ENOSPC,
         "/dev/full: cannot write",
         "open ADD OPEN close-stream REMOVE close"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct run run;
        run_init(&run, HSW);
        run.fake.answers[0] = rows[i].answer;
        if (rows[i].output)
            run.settings.output = rows[i].output;
        go(&run);
        ROW(rows[i].line, run.result == rows[i].result, "%d", run.result);
        ROW(rows[i].line, mentions(run.error.message, rows[i].message), "\"%s\"",
            run.error.message);
        ROW(rows[i].line, !strcmp(run.fake.calls, rows[i].calls), "%s", run.fake.calls);
        run_fini(&run);
    }
    ROWS_DONE();
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void test_an_end_by_order(void **state)
{
    (void)state;
    struct run run;
    run_init(&run, HSW);
    run.settings.duration_ns = 0; /* until stopped */
    run.settings.wake = eventfd(0, EFD_NONBLOCK);
    run.order = STOP;
    run.fake.steps[0] = (struct fake_step){5 * MS, FAKE_REPORTS, 7, NULL};
    run.fake.steps[1] = (struct fake_step){500 * MS, FAKE_REPORTS, 7, NULL};
    go(&run);
    assert_int_equal(run.result, 0);
    assert_int_equal(run.given, 1);
    assert_string_equal(story(&run), "V I T P S C s7 C"); /* with the last reports */
    run_fini(&run);
}

/* ---- live ------------------------------------------------------------------------------------ */

/* Waits for records in a pipe, and counts the reports among them. */
static size_t take_reports(int fd)
{
    static uint8_t bytes[1 << 16];
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    size_t count = 0, at = 0;
    if (poll(&wait, 1, 1000) <= 0)
        return 0;
    ssize_t got = read(fd, bytes, sizeof bytes);
    for (; at + 8 <= (size_t)got; at += load_le16(bytes + at + 6))
        count += load_le32(bytes + at) == TALLY_RECORD_SAMPLE;
    assert_int_equal(at, got); /* whole records */
    return count;
}

/* Reports are written to a pipe long before a chunk is full, and before the recorder waits for
 * more. The writer thread has one second per step. */
static void test_a_pipe_gets_reports_immediately(void **state)
{
    (void)state;
    struct run run;
    struct recorder *recorder;
    size_t seen = 0;
    int ends[2];
    run_init(&run, HSW);
    unlink(run.path);
    run.fake.steps[0] = (struct fake_step){5 * MS, FAKE_REPORTS, 7, NULL};
    run.fake.steps[1] = (struct fake_step){10 * MS, FAKE_REPORTS, 1, NULL};
    assert_int_equal(pipe(ends), 0);
    snprintf(run.path, sizeof run.path, "/proc/self/fd/%d", ends[1]);
    fake_gpu(&run.fake, &run.gpu);
    run.settings.gpu = &run.gpu;
    assert_int_equal(recorder_start(&run.settings, &run.totals, &recorder, &run.error), 0);
    while (seen < 8) {
        assert_int_equal(recorder_step(recorder, UINT64_MAX, &run.error), 1);
        assert_true(run.fake.now_ns - run.fake.opened_ns < 80 * MS);
        seen += take_reports(ends[0]);
    }
    assert_int_equal(recorder_finish(recorder, &run.error), 0);
    gpu_close(&run.gpu);
    close(ends[0]);
    close(ends[1]);
}

/* ---- the flight recorder --------------------------------------------------------------------- */

static void test_a_flight_recorder(void **state)
{
    (void)state;
    struct run run;
    run_init(&run, HSW);
    run.settings.wake = eventfd(0, EFD_NONBLOCK);
    run.wake_at_ns = 50 * MS;
    run.settings.ring_bytes = 100 * 264;
    run.order = DUMP;
    for (unsigned i = 0; i < 20; i++)
        run.fake.steps[i] = (struct fake_step){(5 * i + 2) * MS, FAKE_REPORTS, 10, NULL};
    go(&run);
    assert_int_equal(run.result, 0);
    assert_int_equal(run.totals.reports, 200);
    assert_int_equal(run.totals.dumps, 1);
    assert_int_equal(run.dumps, 1);
    assert_int_equal(run.dumps_failed, 0);
    /* At the end: the latest reports that fit, correlations around them, and that of the dump. */
    assert_string_equal(story(&run), "V I T P S C s9 C s90 C");
    assert_int_equal(run.totals.written, 99);
    size_t first = 16 + 344 + 8 + 24 + 24 + 24 + 24;
    assert_int_equal(load_le32(run.bytes + first), TALLY_RECORD_SAMPLE);
    /* The script sets A0 of each report to its number. */
    assert_int_equal(load_le32(run.bytes + first + 8 + 12), 101);

    load(&run, run.dump_path);
    assert_string_equal(story(&run), "V I T P S C s99 C");
    assert_true(load_le32(run.bytes + first + 8 + 12) < 15);
    unlink(run.dump_path);
    run_fini(&run);
}

/* A dump that cannot be written is reported; the recording continues. */
static void test_a_dump_that_fails(void **state)
{
    (void)state;
    struct run run;
    char where[80];
    run_init(&run, HSW);
    run.settings.wake = eventfd(0, EFD_NONBLOCK);
    run.wake_at_ns = 50 * MS;
    run.settings.ring_bytes = 100 * 264;
    run.order = DUMP;
    run.fake.steps[0] = (struct fake_step){5 * MS, FAKE_REPORTS, 10, NULL};
    run.fake.steps[1] = (struct fake_step){60 * MS, FAKE_REPORTS, 10, NULL};
    snprintf(where, sizeof where, "%s.1", run.path);
    assert_int_equal(mkdir(where, 0777), 0); /* in place of the dump */
    go(&run);
    assert_int_equal(run.result, 0);
    assert_int_equal(run.dumps_failed, 1);
    assert_int_equal(run.totals.written, 20);
    rmdir(where);
    run_fini(&run);
}

/* ---- one context ----------------------------------------------------------------------------- */

static void test_one_context(void **state)
{
    (void)state;
    struct run run;
    run_init(&run, SKL);
    run.settings.one_context = true;
    run.settings.context = 0x1000;
    run.fake.steps[0] = (struct fake_step){5 * MS, FAKE_REPORTS, 7, NULL};
    run.fake.steps[1] = (struct fake_step){5 * MS, FAKE_SWITCH, 0x2000, NULL};
    run.fake.steps[2] = (struct fake_step){10 * MS, FAKE_REPORTS, 6, NULL};
    run.fake.steps[3] = (struct fake_step){15 * MS, FAKE_SWITCH, 0x1000, NULL};
    run.fake.steps[4] = (struct fake_step){15 * MS, FAKE_REPORTS, 5, NULL};
    go(&run);
    assert_int_equal(run.result, 0);
    assert_int_equal(run.totals.reports, 18);
    assert_int_equal(run.totals.skipped, 5); /* the first of the other one is a boundary */
    assert_int_equal(run.totals.written, 13);
    assert_int_equal(run.totals.missing, 0);
    assert_string_equal(story(&run), "V I T P S C s13 C");
    run_fini(&run);
}

int run_recorder_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_recording),
        cmocka_unit_test(test_the_reader_reads_it),
        cmocka_unit_test(test_a_long_recording),
        cmocka_unit_test(test_many_reports_at_once),
        cmocka_unit_test(test_faults_of_the_stream),
        cmocka_unit_test(test_faults_before_it),
        cmocka_unit_test(test_a_pipe_gets_reports_immediately),
        cmocka_unit_test(test_an_end_by_order),
        cmocka_unit_test(test_a_flight_recorder),
        cmocka_unit_test(test_a_dump_that_fails),
        cmocka_unit_test(test_one_context),
    };
    return cmocka_run_group_tests_name("recorder", tests, NULL, NULL);
}
