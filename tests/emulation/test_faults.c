/* SPDX-License-Identifier: MIT */
/*
 * Injected faults: how each kind shows in a recording, that the ledger covers it, and that every
 * report requested from the model was delivered, lost, or left in the kernel's buffer.
 */
#include "emulation/tests.h"

#include <errno.h>

#include "base/yaml.h"
#include "capture/recorded.h"
#include "emulation/faults/faults.h"

#define EXPONENT 12 /* 655 us at 12.5 MHz, 683 us at 12 */
#define MS       UINT64_C(1000000)
#define FOREIGN  0x55u

/* One context that never ends: from Gen8 on only the timer and faults cause reports. */
static const char workload[] = "name: steady\ndescription: busy all the time\nphases:\n"
                               "  - duration: 10 ms\n    context: 0x1000\n    does:\n"
                               "      - {unit: gpu.busy, share: 1}\n";

/* The results of a recording with faults. */
struct outcome {
    int result;
    struct tally_error error;
    struct tally_capture_stats totals;
    struct tally_oa_reports stats; /* of the model */
    uint64_t left;                 /* reports still in the kernel's buffer */
    uint64_t happened;
    char ledger[600]; /* "report-lost:1 missing:3": kind, reports */
    uint64_t delivered, estimated;
    uint64_t wraps;           /* of gpu.busy's counter, in deltas that have values */
    uint64_t jumps;           /* such deltas larger than possible */
    uint64_t foreign, sorted; /* reports of FOREIGN; reports with a later time than the previous */
    bool cut;                 /* the file could not be read to its end */
};

static void write_text(char path[], const char *text)
{
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

/* ---- evaluation ------------------------------------------------------------------------------ */

static void look_at(struct outcome *outcome, const struct tally_recording_info *info,
                    const struct tally_batch *batch)
{
    uint64_t slots[2][TALLY_SLOT_COUNT];
    const bool newer = info->device.platform->version >= 80;
    const uint64_t wrap = newer ? UINT64_C(1) << 40 : UINT64_C(1) << 32;
    const unsigned busy = TALLY_SLOT_A + (newer ? 0 : 41);
    for (size_t i = 0; i < batch->count; i++) {
        bool first = i == 0 && outcome->sorted;
        tally_report_unpack(info->layout, batch->reports[i], slots[i % 2]);
        outcome->sorted += !first && (!i || batch->gpu_ticks[i] > batch->gpu_ticks[i - 1]);
        outcome->foreign += !first && batch->contexts[i] == FOREIGN;
        if (!i || batch->states[i - 1] != TALLY_STATE_OK)
            continue;
        uint64_t before = slots[(i - 1) % 2][busy], now = slots[i % 2][busy];
        uint64_t delta = (now - before) & (wrap - 1);
        outcome->wraps += now < before;
        outcome->jumps += delta > wrap / 4;
    }
}

static void read_file(struct outcome *outcome, const char *path)
{
    struct tally_recording *recording;
    struct tally_error error = {0};
    struct tally_batch *batch = tally_batch_new();
    const struct tally_loss *losses;
    size_t used = 0;
    outcome->cut = tally_recording_open(path, NULL, &recording, &error) < 0;
    if (outcome->cut) {
        tally_batch_free(batch);
        return;
    }
    while (tally_recording_read(recording, batch, &error) > 0)
        look_at(outcome, tally_recording_info(recording), batch);
    outcome->cut = error.code != 0;
    outcome->delivered = tally_recording_totals(recording).reports;
    size_t count = tally_recording_losses(recording, &losses);
    for (size_t i = 0; i < count; i++) {
        used += (size_t)snprintf(outcome->ledger + used, sizeof outcome->ledger - used, "%s%s:%llu",
                                 i ? " " : "", tally_loss_kind_name(losses[i].kind),
                                 (unsigned long long)losses[i].estimated);
        outcome->estimated += losses[i].estimated;
    }
    tally_recording_close(recording);
    tally_batch_free(batch);
}

static void run(const char *platform, const struct faults_script *script, uint64_t duration_ns,
                struct outcome *outcome)
{
    char work[] = "/tmp/tally-test-XXXXXX", path[] = "/tmp/tally-test-XXXXXX";
    struct tally_error error = {0};
    struct device machine;
    struct gpu gpu;
    uint64_t used = 0;
    *outcome = (struct outcome){0};
    write_text(work, workload);
    write_text(path, "");
    char named[sizeof work + 8];
    snprintf(named, sizeof named, "%s.yaml", work);
    assert_int_equal(rename(work, named), 0);
    struct emulated_settings settings = {
        .device = {.gpu.platform = platform, .workload = named, .faults = script}};
    if (emulated_device_new(&settings, &machine, &error) < 0 ||
        gpu_open(&machine, EMULATED_NODE, &gpu, &error) < 0)
        fail_msg("%s", error.message);
    struct set set = recorded_set(gpu.device.platform);
    struct recorder_settings recorder = {.gpu = &gpu,
                                         .set = &set,
                                         .exponent = EXPONENT,
                                         .duration_ns = duration_ns,
                                         .output = path,
                                         .disk_bytes = faults_disk_bytes(script),
                                         .wake = -1};
    outcome->result = recorder_run(&recorder, &outcome->totals, &outcome->error);
    tally_oa_peek(tally_gpu_oa(emulated_device(&machine)->gpu), "used", &used);
    outcome->stats = tally_oa_reports(tally_gpu_oa(emulated_device(&machine)->gpu));
    outcome->left = used / 256;
    for (unsigned kind = 0; faults_kind_name(kind); kind++)
        outcome->happened += faults_happened(emulated_device(&machine)->faults, kind);
    gpu_close(&gpu);
    device_free(&machine);
    read_file(outcome, path);
    unlink(named);
    unlink(path);
}

static struct faults_script *load(const char *text)
{
    struct faults_script *script = NULL;
    struct tally_error error = {0};
    struct yaml_source source = yaml_in(text, strlen(text), "s");
    if (faults_read(&source, &script, NULL, NULL, &error) < 0)
        fail_msg("%s", error.message);
    return script;
}

static void check_loss(unsigned line, const char *platform, const struct outcome *o)
{
    uint64_t due = o->stats.requested + o->stats.in_rc6;
    ROW(line, due == o->delivered + o->estimated + o->left,
        "%s: %llu and %llu asleep were due, %llu delivered, %llu lost, %llu left (%s)", platform,
        (unsigned long long)o->stats.requested, (unsigned long long)o->stats.in_rc6,
        (unsigned long long)o->delivered, (unsigned long long)o->estimated,
        (unsigned long long)o->left, o->ledger);
    ROW(line, o->delivered > 100, "%llu delivered", (unsigned long long)o->delivered);
    ROW(line, o->sorted == o->delivered, "%s: times that do not rise", platform);
    ROW(line, !o->jumps, "%s: %llu deltas with values that cannot be", platform,
        (unsigned long long)o->jumps);
}

/* ---- faults of reports ----------------------------------------------------------------------- */

static const struct {
    unsigned line;
    const char *platform, *fault;
    unsigned happens;
    const char *ledger;
} kinds[] = {
    // clang-format off
    {__LINE__, "hsw", "{at: 500 ms, do: drop}", 0, ""}, /* after the end */
    {__LINE__, "hsw", "{report: 17, do: drop}", 1, "report-lost:1"},
    {__LINE__, "skl", "{report: 17, do: drop}", 1, "report-lost:1"},
    {__LINE__, "bdw", "{at: 50 ms, do: drop}", 1, "report-lost:1"},
    {__LINE__, "lkf", "{report: 17, every: 40, times: 3, do: drop}", 3, "report-lost:1 report-lost:1 report-lost:1"},
    /* Haswell's kernel reports a loss once (PERF-2.10); gaps show the rest. */
    {__LINE__, "hsw", "{report: 17, every: 40, times: 3, do: drop}", 3, "report-lost:1 missing:1 missing:1"},
    {__LINE__, "hsw", "{at: 50 ms, do: overflow}", 1, "buffer-lost:@"},
    {__LINE__, "skl", "{at: 50 ms, do: overflow}", 1, "buffer-lost:@"},
    {__LINE__, "icl", "{at: 50 ms, every: 50 ms, times: 2, do: overflow}", 2, "buffer-lost:@ buffer-lost:@"},
    /* The delta with the jump has no values. */
    {__LINE__, "hsw", "{at: 50 ms, do: wrap, counter: a41, margin: 3000000}", 1, "report-lost:1"},
    {__LINE__, "skl", "{at: 50 ms, do: wrap, counter: a0, margin: 3000000}", 1, "report-lost:1"},
    /* Another context is not a loss; Haswell's reports have no context id. */
    {__LINE__, "hsw", "{at: 50 ms, do: switch, context: 0x55, for: 100 us}", 1, ""},
    {__LINE__, "skl", "{at: 50 ms, do: switch, context: 0x55, for: 100 us}", 1, ""},
    {__LINE__, "bdw", "{at: 50 ms, do: switch, context: 0x55, for: 3 ms}", 1, ""},
    /* A clock jump is found between two correlations, unless it is within their error. */
    {__LINE__, "hsw", "{at: 50 ms, do: skew, ticks: 3500}", 1, "clock-jump:0"},
    {__LINE__, "skl", "{at: 50 ms, do: skew, ticks: 3500}", 1, "clock-jump:0"},
    {__LINE__, "chv", "{at: 50 ms, do: skew, ticks: 1000000}", 1, "clock-jump:0"}, /* many strobes' worth */
    {__LINE__, "hsw", "{at: 50 ms, do: skew, ticks: 100}", 1, ""},
    /* Without power the timer writes no reports. */
    {__LINE__, "hsw", "{at: 50 ms, do: rc6, for: 3 ms}", 1, "missing:@"},
    {__LINE__, "bdw", "{at: 50 ms, do: rc6, for: 3 ms}", 1, "missing:@"},
    {__LINE__, "skl", "{at: 50 ms, do: rc6, for: 10 ms}", 1, "missing:@"},
    {__LINE__, "lkf", "{at: 50 ms, do: rc6, for: 3 ms}", 1, "missing:@"},
    /* The kernel waits for a late report at the tail, but not for one before it. */
    {__LINE__, "hsw", "{report: 100, do: zero, for: 20 ns}", 1, ""},
    {__LINE__, "skl", "{report: 100, do: zero, for: 20 ns}", 1, ""},
    {__LINE__, "hsw", "{report: 100, do: zero, for: 20 ms}", 1, "missing:1"},
    {__LINE__, "skl", "{report: 100, do: zero, for: 20 ms}", 1, "not-landed:1"},
    {__LINE__, "hsw", "{at: 50 ms, do: zero}", 1, "missing:1"},
    {__LINE__, "bdw", "{at: 50 ms, do: zero}", 1, "not-landed:1"},
    // clang-format on
};

/* True if a ledger matches; "@" stands for any number of reports except 0. */
static bool has_form(const char *ledger, const char *form)
{
    for (; *form; form++) {
        if (*form != '@') {
            if (*ledger++ != *form)
                return false;
            continue;
        }
        size_t digits = strspn(ledger, "0123456789");
        if (!digits || *ledger == '0')
            return false;
        ledger += digits;
    }
    return !*ledger;
}

static void test_kinds(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        char text[200];
        struct outcome outcome;
        snprintf(text, sizeof text, "faults:\n  - %s\n", kinds[i].fault);
        struct faults_script *script = load(text);
        run(kinds[i].platform, script, 200 * MS, &outcome);
        ROW(kinds[i].line, outcome.result == 0, "%s", outcome.error.message);
        ROW(kinds[i].line, outcome.happened == kinds[i].happens, "%llu happened",
            (unsigned long long)outcome.happened);
        ROW(kinds[i].line, has_form(outcome.ledger, kinds[i].ledger), "%s, expected %s",
            outcome.ledger, kinds[i].ledger);
        check_loss(kinds[i].line, kinds[i].platform, &outcome);
        bool wraps = strstr(kinds[i].fault, "wrap") != NULL;
        ROW(kinds[i].line, outcome.wraps == wraps, "%llu wraps", (unsigned long long)outcome.wraps);
        bool names = strstr(kinds[i].fault, "switch") && strcmp(kinds[i].platform, "hsw") != 0;
        ROW(kinds[i].line, (outcome.foreign != 0) == names, "%llu reports of another context",
            (unsigned long long)outcome.foreign);
        faults_script_free(script);
    }
    ROWS_DONE();
}

/* A late report at the tail is read later, whole. Of many late reports some are at the tail when
 * the kernel checks its buffer, every 5 ms. */
static void test_the_tail(void **state)
{
    (void)state;
    static const char *const platforms[] = {"hsw", "skl"};
    struct faults_script *script =
        load("faults:\n  - {report: 10, every: 3, do: zero, for: 500 us}\n");
    for (size_t i = 0; i < COUNT(platforms); i++) {
        struct outcome outcome;
        run(platforms[i], script, 200 * MS, &outcome);
        /* Half a millisecond is less than a period, so only the report at the tail is late. */
        assert_int_equal(outcome.result, 0);
        ROW(__LINE__, outcome.happened > 80, "%llu", (unsigned long long)outcome.happened);
        ROW(__LINE__, !*outcome.ledger, "%s", outcome.ledger);
        check_loss(__LINE__, platforms[i], &outcome);
    }
    faults_script_free(script);
    ROWS_DONE();
}

/* ---- calls and disks ------------------------------------------------------------------------- */

static const struct {
    unsigned line;
    const char *fault;
    int result;
    const char *message;
    bool whole; /* the file has reports */
} calls[] = {
    {__LINE__, "{call: I915_PERF_OPEN, do: fail, errno: EINTR}", 0, "", true},
    {__LINE__, "{call: I915_PERF_OPEN, do: fail, errno: EAGAIN, every: 1, times: 3}", 0, "", true},
    {__LINE__, "{call: I915_PERF_OPEN, nth: 2, do: fail, errno: EIO}", 0, "", true},
    {__LINE__, "{call: I915_PERF_OPEN, do: fail, errno: EBUSY}", -EBUSY, "another program", false},
    {__LINE__, "{call: I915_PERF_OPEN, do: fail, errno: EACCES}", -EACCES, "", false},
    {__LINE__, "{call: I915_PERF_ADD_CONFIG, do: fail, errno: ENOMEM}", -ENOMEM, "", false},
    /* Three calls at the start, three a second later: reports read until then are in the file. */
    {__LINE__, "{call: I915_REG_READ, nth: 5, do: fail, errno: EIO}", -EIO,
     "cannot read the GPU's time: Input/output error", true},
};

static void test_calls(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(calls); i++) {
        char text[200];
        struct outcome outcome;
        snprintf(text, sizeof text, "faults:\n  - %s\n", calls[i].fault);
        struct faults_script *script = load(text);
        run("hsw", script, 1100 * MS, &outcome);
        ROW(calls[i].line, outcome.result == calls[i].result, "%d", outcome.result);
        ROW(calls[i].line, mentions(outcome.error.message, calls[i].message), "\"%s\"",
            outcome.error.message);
        ROW(calls[i].line, (outcome.delivered > 1000) == calls[i].whole, "%llu reports",
            (unsigned long long)outcome.delivered);
        ROW(calls[i].line, !*outcome.ledger && (!outcome.cut || !calls[i].whole), "%s",
            outcome.ledger);
        faults_script_free(script);
    }
    ROWS_DONE();
}

static void test_a_full_disk(void **state)
{
    (void)state;
    static const unsigned sizes[] = {20000, 50000, 50001, 50100, 50263, 50264};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        char text[100];
        struct outcome outcome;
        snprintf(text, sizeof text, "faults:\n  - {bytes: %u, do: disk-full}\n", sizes[i]);
        struct faults_script *script = load(text);
        run("skl", script, 2000 * MS, &outcome);
        ROW(__LINE__, outcome.result == -ENOSPC, "%d", outcome.result);
        ROW(__LINE__, mentions(outcome.error.message, "No space left"), "%s",
            outcome.error.message);
        ROW(__LINE__, outcome.totals.bytes <= sizes[i] && outcome.totals.bytes + 528 > sizes[i],
            "%u: %llu bytes", sizes[i], (unsigned long long)outcome.totals.bytes);
        /* Everything that was read is in the file or in the ledger. */
        ROW(__LINE__, has_form(outcome.ledger, "unwritten:@") && !outcome.cut, "%s",
            outcome.ledger);
        ROW(__LINE__, outcome.totals.reports == outcome.delivered + outcome.estimated,
            "%llu read, %llu there, %llu told", (unsigned long long)outcome.totals.reports,
            (unsigned long long)outcome.delivered, (unsigned long long)outcome.estimated);
        ROW(__LINE__, outcome.totals.written == outcome.delivered, "%llu",
            (unsigned long long)outcome.totals.written);
        faults_script_free(script);
    }
    ROWS_DONE();
}

/* ---- all faults ------------------------------------------------------------------------------ */

/* A second with every fault: each report is accounted for, and a second run gives the same bytes.
 */
static void test_loss_is_counted_with_every_fault(void **state)
{
    (void)state;
    const char *source = getenv("TALLY_SOURCE");
    char path[512];
    struct faults_script *script;
    struct tally_error error = {0};
    if (!source)
        skip();
    snprintf(path, sizeof path, "%s/data/faults/all.yaml", source);
    if (faults_load(path, &script, &error) < 0)
        fail_msg("%s", error.message);
    for (size_t i = 0; emulation_platform(i, true); i++) {
        struct outcome outcome, again;
        run(emulation_platform(i, true), script, 1000 * MS, &outcome);
        ROW(__LINE__, outcome.result == 0, "%s", outcome.error.message);
        ROW(__LINE__, outcome.happened == 15, "%llu happened",
            (unsigned long long)outcome.happened);
        check_loss(__LINE__, emulation_platform(i, true), &outcome);
        run(emulation_platform(i, true), script, 1000 * MS, &again);
        ROW(__LINE__, !strcmp(outcome.ledger, again.ledger), "%s, then %s", outcome.ledger,
            again.ledger);
    }
    faults_script_free(script);
    ROWS_DONE();
}

/* A counter that the GPU lacks. */
static void test_binding(void **state)
{
    (void)state;
    struct faults_script *script =
        load("faults:\n  - {at: 1 ms, do: drop}\n  - {at: 1 ms, do: wrap, counter: c9}\n");
    struct emulated_settings settings = {.device = {.gpu.platform = "hsw", .faults = script}};
    char path[512];
    struct device machine = {0};
    struct tally_error error = {0};
    if (!getenv("TALLY_SOURCE"))
        skip();
    snprintf(path, sizeof path, "%s/data/workloads/triangle.yaml", getenv("TALLY_SOURCE"));
    settings.device.workload = path;
    assert_int_equal(emulated_device_new(&settings, &machine, &error), -EINVAL);
    assert_true(mentions(error.message, "s:3: this GPU has no counter c9"));
    faults_script_free(script);
}

int run_fault_tests(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_the_tail),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_a_full_disk),
        cmocka_unit_test(test_loss_is_counted_with_every_fault),
        cmocka_unit_test(test_binding),
    };
    return cmocka_run_group_tests_name("faults", tests, NULL, NULL);
}
