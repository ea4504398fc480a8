/* SPDX-License-Identifier: MIT */
/* Scripts of faults: errors with their lines, and when faults are due. */
#include "emulation/tests.h"

#include <errno.h>

#include "base/yaml.h"
#include "driver/i915/uapi.h"
#include "emulation/faults/script.h"
#include "mistakes.h"

#define HEAD        "seed: 3\nfaults:\n" /* two lines */
#define FAULT(text) HEAD "  - {" text "}\n"

static const struct mistake mistakes[] = {
    // clang-format off
    {__LINE__, "", 0, "s:1: empty, expected a script of faults"},
    {__LINE__, "faults: [\n", 0, "s:2: "},
    {__LINE__, "faults: []\n---\n1\n", 0, "a second document"},
    {__LINE__, "- 1\n", 1, "a script of faults: expected a mapping"},
    {__LINE__, "seed: 1\n", 1, "faults are missing"},
    {__LINE__, "seed: 1\nfaults: []\n", 2, "faults are missing"},
    {__LINE__, "seed: x\nfaults: []\n", 1, "seed \"x\": expected a whole number"},
    {__LINE__, HEAD "  - drop\n", 3, "faults: expected a mapping"},
    {__LINE__, HEAD "  - {at: 1 ms,\n     do: drop, colour: red}\n", 4, "unknown key \"colour\""},
    /* keys of each kind */
    {__LINE__, FAULT("at: 1 ms"), 3, "do is missing"},
    {__LINE__, FAULT("at: 1 ms, do: explode"), 3, "do \"explode\": expected one of overflow, drop, zero, wrap, switch, skew, rc6, fail, disk-full"},
    {__LINE__, FAULT("do: overflow"), 3, "overflow: no trigger, expected at"},
    {__LINE__, FAULT("do: drop"), 3, "drop: no trigger, expected at or report"},
    {__LINE__, FAULT("do: fail, errno: EIO"), 3, "fail: no trigger, expected call"},
    {__LINE__, FAULT("do: disk-full"), 3, "disk-full: no trigger, expected bytes"},
    {__LINE__, FAULT("do: drop, at: 1 ms, report: 7"), 3, "drop: both at and report"},
    {__LINE__, FAULT("do: overflow, report: 7"), 3, "overflow does not take report"},
    {__LINE__, FAULT("do: overflow, at: 1 ms, for: 1 ms"), 3, "overflow does not take for"},
    {__LINE__, FAULT("do: disk-full, bytes: 1 MB, every: 3"), 3, "disk-full does not take every"},
    {__LINE__, FAULT("do: wrap, at: 1 ms"), 3, "wrap: counter is missing"},
    {__LINE__, FAULT("do: switch, at: 1 ms, for: 1 us"), 3, "switch: context is missing"},
    {__LINE__, FAULT("do: switch, at: 1 ms, context: 1"), 3, "switch: for is missing"},
    {__LINE__, FAULT("do: skew, at: 1 ms"), 3, "skew: ticks is missing"},
    {__LINE__, FAULT("do: rc6, at: 1 ms"), 3, "rc6: for is missing"},
    {__LINE__, FAULT("do: fail, call: I915_QUERY"), 3, "fail: errno is missing"},
    {__LINE__, FAULT("do: drop, report: 1, times: 2"), 3, "times without every"},
    /* values */
    {__LINE__, FAULT("do: overflow, at: 5"), 3, "at \"5\": expected a time such as"},
    {__LINE__, FAULT("do: overflow, at: 0 ms"), 3, "at \"0 ms\": expected more than zero"},
    {__LINE__, FAULT("do: drop, report: 0"), 3, "report \"0\": expected 1 or more"},
    {__LINE__, FAULT("do: drop, report: -1"), 3, "report \"-1\": expected a whole number"},
    {__LINE__, FAULT("do: drop, report: 1, every: 5 ms"), 3, "every \"5 ms\": expected a whole number"},
    {__LINE__, FAULT("do: drop, at: 1 ms, every: 5"), 3, "every \"5\": expected a time"},
    {__LINE__, FAULT("do: drop, at: 1 ms, every: 999 ns"), 3, "every \"999 ns\": expected 1 us or more"},
    {__LINE__, FAULT("do: drop, at: 1 ms, jitter: 5"), 3, "jitter \"5\": expected a time"},
    {__LINE__, FAULT("do: drop, report: 1, every: 5, times: 0"), 3, "times \"0\": expected 1 or more"},
    {__LINE__, FAULT("do: zero, report: 1, for: ever"), 3, "for \"ever\": expected a time"},
    {__LINE__, FAULT("do: wrap, at: 1 ms, counter: d1"), 3, "counter \"d1\": expected a counter such as a7"},
    {__LINE__, FAULT("do: wrap, at: 1 ms, counter: a"), 3, "expected a counter such as a7"},
    {__LINE__, FAULT("do: wrap, at: 1 ms, counter: a111"), 3, "expected a counter such as a7"},
    {__LINE__, FAULT("do: wrap, at: 1 ms, counter: ''"), 3, "expected a counter such as a7"},
    {__LINE__, FAULT("do: wrap, at: 1 ms, counter: a1, margin: 4294967296"), 3, "margin \"4294967296\": expected a smaller number"},
    {__LINE__, FAULT("do: switch, at: 1 ms, for: 1 us, context: 0xffffffff"), 3, "context \"0xffffffff\": expected a smaller number"},
    {__LINE__, FAULT("do: skew, at: 1 ms, ticks: 1073741825"), 3, "ticks \"1073741825\": expected a smaller number"},
    {__LINE__, FAULT("do: fail, call: OPEN, errno: EIO"), 3, "unknown call \"OPEN\""},
    {__LINE__, FAULT("do: fail, call: I915_QUERY, errno: EIEIO"), 3, "unknown errno \"EIEIO\""},
    {__LINE__, FAULT("do: fail, call: I915_QUERY, errno: EIO, nth: 0"), 3, "nth \"0\": expected 1 or more"},
    {__LINE__, FAULT("do: disk-full, bytes: 1 Mb"), 3, "bytes \"1 Mb\": expected a size such as 1 MB"},
    {__LINE__, FAULT("do: disk-full, bytes: 0"), 3, "bytes \"0\": expected 1 or more"},
    {__LINE__, FAULT("do: disk-full, bytes: 99999 GB"), 3, "expected a smaller number"},
    {__LINE__, FAULT("do: disk-full, bytes: 99999999999999999999999999"), 3, "a size such as"},
    // clang-format on
};

static void test_mistakes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(mistakes); i++) {
        const struct mistake *row = &mistakes[i];
        struct hearing hearing = {.row = row};
        struct tally_error error = {0};
        struct faults_script *script;
        struct yaml_source source = yaml_in(row->text, strlen(row->text), "s");
        check_linted(&hearing, faults_read(&source, NULL, hear, &hearing, &error), &error);
        error = (struct tally_error){0};
        check_loaded(row, faults_read(&source, &script, NULL, NULL, &error), "s", &error);
    }
    ROWS_DONE();
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

static void test_values(void **state)
{
    (void)state;
    struct faults_script *script =
        load(HEAD "  - {at: 1.5 ms, do: zero, for: 2 us, every: 3 ms, times: 4, jitter: 5 ns}\n"
                  "  - {report: 0x11, do: drop, every: 7}\n"
                  "  - {at: 1 s, do: wrap, counter: b3}\n"
                  "  - {call: I915_PERF_OPEN, do: fail, errno: EBUSY, nth: 2}\n"
                  "  - {bytes: 3 KiB, do: disk-full}\n"
                  "  - {bytes: 2 kB, do: disk-full}\n");
    const struct fault *f = script->faults;
    assert_int_equal(faults_describe(script).faults, 6);
    assert_int_equal(script->seed, 3);
    assert_int_equal(f[0].kind, FAULT_ZERO);
    assert_int_equal(f[0].trigger, ON_TIME);
    assert_int_equal(f[0].first, 1500000);
    assert_int_equal(f[0].every, 3000000);
    assert_int_equal(f[0].times, 4);
    assert_int_equal(f[0].jitter, 5);
    assert_int_equal(f[0].duration_ns, 2000);
    assert_int_equal(f[0].line, 3);
    assert_int_equal(f[1].trigger, ON_REPORT);
    assert_int_equal(f[1].first, 17);
    assert_int_equal(f[1].times, 0); /* endless */
    assert_string_equal(f[2].counter, "b3");
    assert_int_equal(f[2].margin, 1000);
    assert_int_equal(f[2].times, 1);
    assert_int_equal(f[3].request, DRM_IOCTL_I915_PERF_OPEN);
    assert_int_equal(f[3].code, EBUSY);
    assert_int_equal(f[3].first, 2);
    assert_int_equal(faults_disk_bytes(script), 2000);
    assert_int_equal(faults_disk_bytes(NULL), UINT64_MAX);
    faults_script_free(script);
}

/* The same script and seed give the same times, another seed gives others. Jitter delays only. */
static void test_when(void **state)
{
    (void)state;
    static const char text[] = "faults:\n  - {at: 5 ms, do: drop, every: 3 ms, times: 1000, "
                               "jitter: 1 ms}\n  - {report: 10, do: drop, every: 5}\n";
    char seeded[200];
    snprintf(seeded, sizeof seeded, "seed: 9\n%s", text);
    struct faults_script *one = load(seeded), *same = load(seeded), *other = load(text);
    uint64_t sum = 0;
    unsigned alike = 0;
    for (uint64_t n = 0; n < 1000; n++) {
        uint64_t when = fault_when(one, 0, n), plain = 5000000 + 3000000 * n;
        assert_true(when >= plain && when <= plain + 1000000);
        assert_int_equal(when, fault_when(same, 0, n));
        alike += when == fault_when(other, 0, n);
        sum += when - plain;
        assert_int_equal(fault_when(one, 1, n), 10 + 5 * n);
    }
    assert_int_equal(fault_when(one, 0, 1000), UINT64_MAX);
    assert_true(alike < 5);
    assert_true(sum / 1000 > 450000 && sum / 1000 < 550000); /* evenly */
    faults_script_free(one);
    faults_script_free(same);
    faults_script_free(other);
}

/* The scripts of this project have no errors. */
static void test_our_own(void **state)
{
    (void)state;
    static const char *const names[] = {"all",     "lossy",   "late",  "sleepy",
                                        "refused", "swapped", "wedged"};
    const char *source = getenv("TALLY_SOURCE");
    if (!source)
        skip();
    for (size_t i = 0; i < COUNT(names); i++) {
        char path[512];
        struct faults_script *script;
        struct tally_error error = {0};
        snprintf(path, sizeof path, "%s/data/faults/%s.yaml", source, names[i]);
        ROW(__LINE__, faults_load(path, &script, &error) == 0, "%s", error.message);
        ROW(__LINE__, faults_is_script(path), "%s is a script", path);
        uint32_t kinds = 0;
        for (size_t k = 0; k < script->count; k++)
            kinds |= 1u << script->faults[k].kind;
        if (i == 0)
            assert_int_equal(kinds, (1u << FAULT_SWAP) - 1); /* Intel's */
        faults_script_free(script);
        snprintf(path, sizeof path, "%s/data/workloads/triangle.yaml", source);
        assert_false(faults_is_script(path));
    }
    ROWS_DONE();
}

int run_fault_file_tests(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_when),
        cmocka_unit_test(test_our_own),
    };
    return cmocka_run_group_tests_name("fault files", tests, NULL, NULL);
}
