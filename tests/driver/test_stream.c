/* SPDX-License-Identifier: MIT */
/* Streams: enabling, reading, polling (i915-perf.md 2.5 to 2.9). */
#include "driver/rig.h"
#include "driver/tests.h"

static const char *const platforms[] = {"hsw", "bdw", "chv", "skl", "icl", "lkf"};

static void test_reports_come(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(platforms); i++) {
        struct rig *rig = rig_new(platforms[i], NULL);
        int fd = rig_open_usual(rig, UAPI_PERF_NONBLOCK, 8, NULL, 0);
        ROW(__LINE__, fd >= 0, "%s: open: %d", platforms[i], fd);
        if (fd < 0) {
            rig_free(rig);
            continue;
        }
        uint64_t ns = 50 * rig_period_ns(rig, 8);
        rig_run_ns(rig, ns < 12000000 ? 12000000 : ns);
        int64_t got = rig_read(rig, fd, USER_BYTES, false);
        struct records records = rig_records(rig, got);
        printf("%s: %ld bytes, %u samples, lost %u %u\n", platforms[i], (long)got, records.samples,
               records.report_lost, records.buffer_lost);
        rig_close(rig, fd);
        rig_free(rig);
    }
    ROWS_DONE();
}

int run_stream_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reports_come),
    };
    return cmocka_run_group_tests_name("streams", tests, NULL, NULL);
}
