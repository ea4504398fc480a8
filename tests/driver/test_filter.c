/* SPDX-License-Identifier: MIT */
/*
 * The reports that a stream forwards, and their contents (PERF-2.6, step 4; PERF-2.11). A test
 * saves the raw ring before a read and applies the rules to the copy.
 */
#include "driver/i915/perf.h"
#include "driver/rig.h"
#include "driver/tests.h"

#define TICK    UINT64_C(5000000)
#define INVALID 0xffffffffu

static uint32_t dword(const uint8_t *report, unsigned n)
{
    uint32_t value;
    memcpy(&value, report + 4 * n, sizeof value);
    return value;
}

static void set_dword(uint8_t *report, unsigned n, uint32_t value)
{
    memcpy(report + 4 * n, &value, sizeof value);
}

/* ---- the rules ------------------------------------------------------------------------------- */

struct rules {
    bool filters;
    uint32_t own, mask, valid_bit;
    uint32_t latest;
};

/* Returns whether a report is forwarded, and modifies it as for the client. */
static bool forward(struct rules *rules, uint8_t *report)
{
    bool valid = dword(report, 0) & rules->valid_bit, is_switch = dword(report, 0) >> 22 & 1;
    uint32_t context = valid ? dword(report, 2) & rules->mask : INVALID;
    if (!valid)
        set_dword(report, 2, INVALID);
    if (!rules->filters)
        return true;
    if (context != rules->own && rules->latest != rules->own && !is_switch)
        return false;
    if (context != rules->own)
        set_dword(report, 2, INVALID);
    rules->latest = context;
    return true;
}

/* ---- running contexts ------------------------------------------------------------------------ */

#define LONG 16384 /* clocks of a batch */

static const struct i915_stream *look_inside(const struct rig *rig)
{
    return rig->device->perf.stream;
}

static void check_stream(struct rig *rig, const char *name, int fd, struct rules *rules)
{
    const struct i915_stream *stream = look_inside(rig);
    uint32_t batch = rig_long_batch(rig, LONG), other = rig_context(rig);
    uint8_t *raw = malloc(OA_BUFFER_BYTES);
    assert_non_null(raw);
    unsigned forwarded = 0, own = 0, left_out = 0;
    for (unsigned round = 0; round < 4; round++) {
        for (unsigned i = 0; i < 6; i++) {
            assert_int_equal(rig_exec(rig, i % 2 ? other : 0, &batch, 1), 0);
            if (i == 3)
                rig_run_ns(rig, 30000); /* idle time */
        }
        rig_run_ns(rig, TICK);
        memcpy(raw, stream->buffer->bytes, OA_BUFFER_BYTES);
        uint32_t head = stream->head, tail = stream->tail;
        int64_t got = rig_read(rig, fd, USER_BYTES, false);
        const uint8_t *at = rig->user;
        for (; head != tail; head = (head + 256) % OA_BUFFER_BYTES) {
            uint8_t *report = raw + head;
            if (!forward(rules, report)) {
                left_out++;
                continue;
            }
            forwarded++;
            own += dword(report, 2) == rules->own;
            if (at + 264 > rig->user + got || memcmp(at + 8, report, 256))
                fail_msg("%s: round %u, report %u is another", name, round, forwarded);
            at += 264;
        }
        assert_ptr_equal(at, rig->user + got);
        /* Reports that were read or skipped are cleared in the ring (PERF-Q11). */
        assert_int_equal(dword(stream->buffer->bytes + (tail - 256) % OA_BUFFER_BYTES, 0), 0);
    }
    ROW(__LINE__, forwarded > 40, "%s: %u reports", name, forwarded);
    ROW(__LINE__, !rules->filters || (left_out > 40 && own > 40), "%s: %u of its own, %u left out",
        name, own, left_out);
    free(raw);
}

static void test_rules(void **state)
{
    (void)state;
    static const struct {
        const char *platform;
        uint32_t valid_bit, own, mask;
    } rows[] = {
        {"bdw", 1u << 25, 0x1fffff, 0x1fffff}, {"chv", 1u << 25, 0x1fffff, 0x1fffff},
        {"skl", 1u << 16, 0x1fffff, 0x1fffff}, {"icl", 1u << 16, 0xffc0, 0xffe0},
        {"lkf", 1u << 16, 0xffc0, 0xffe0},     {"tgl", 1u << 16, 0xffc0, 0xffe0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        /* All reports; those of one context; these without context-switch reports (Gen9 on). */
        for (unsigned filters = 0; filters < 2 + (i >= 2); filters++) {
            struct rig *rig = rig_new(rows[i].platform, NULL);
            struct property filter = {DRM_I915_PERF_PROP_CTX_HANDLE, 0};
            int fd = rig_open_usual(rig, 0, 3, &filter, filters != 0);
            if (filters == 2)
                tally_gpu_write32(rig->gpu, has_oag(rig->device) ? 0xdaf8 : 0x2b04, 0x00020002);
            struct rules rules = {filters, rows[i].own, rows[i].mask, rows[i].valid_bit, INVALID};
            assert_true(fd >= 0);
            check_stream(rig, rows[i].platform, fd, &rules);
            rig_free(rig);
        }
    }
    ROWS_DONE();
}

/* Only the filtered context has its id, and only while the stream is open. */
static void test_tag(void **state)
{
    (void)state;
    struct rig *rig = rig_new("skl", NULL);
    uint32_t batch = rig_long_batch(rig, LONG);
    struct property filter = {DRM_I915_PERF_PROP_CTX_HANDLE, 0};
    int fd = rig_open_usual(rig, 0, 3, &filter, 1);
    rig_close(rig, fd);
    fd = rig_open_usual(rig, 0, 3, NULL, 0);
    rig_exec(rig, 0, &batch, 1);
    rig_run_ns(rig, 2 * TICK);
    int64_t got = rig_read(rig, fd, USER_BYTES, false);
    unsigned valid = 0;
    for (int64_t at = 0; at < got; at += 264) {
        const uint8_t *report = rig->user + at + 8;
        assert_int_not_equal(dword(report, 2), 0x1fffff);
        valid += dword(report, 0) >> 16 & 1;
    }
    assert_true(valid > 3);
    rig_free(rig);
}

/* A stream whose context never runs: its head does not advance, and finally the ring overflows
 * (PERF-Q10). */
static void test_nothing_to_forward(void **state)
{
    (void)state;
    for (size_t p = 1; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        struct property filter = {DRM_I915_PERF_PROP_CTX_HANDLE, rig_context(rig)};
        int fd = rig_open_usual(rig, 0, 2, &filter, 1);
        uint64_t fill = 65536 * rig_period_ns(rig, 2);
        rig_run_ns(rig, TICK + 1000);
        int64_t got = rig_read(rig, fd, USER_BYTES, false); /* reports from before the open */
        assert_true(got == -EAGAIN || got > 0);
        uint32_t head_at = has_oag(rig->device) ? 0xdb00 : 0x2b0c;
        uint32_t head = tally_gpu_read32(rig->gpu, head_at);
        for (unsigned i = 0; i < 3; i++) {
            rig_run_ns(rig, TICK);
            assert_true(i915_stream_poll(rig_stream(rig, fd)));
            assert_int_equal(rig_read(rig, fd, USER_BYTES, false), -EAGAIN);
            assert_int_equal(rig_read(rig, fd, 8, false), -EAGAIN);
            assert_int_equal(tally_gpu_read32(rig->gpu, head_at), head);
        }
        for (uint64_t ran = 0; ran < fill; ran += TICK) {
            rig_run_ns(rig, TICK);
            got = rig_read(rig, fd, USER_BYTES, false);
            if (got > 0)
                break;
        }
        assert_int_equal(got, 8);
        assert_int_equal(rig_records(rig, got).buffer_lost, 1);
        rig_free(rig);
    }
}

/* HSW: the hardware filters, by the context's image. */
static void test_hardware_filter(void **state)
{
    (void)state;
    struct rig *rig = rig_new("hsw", NULL);
    struct property filter = {DRM_I915_PERF_PROP_CTX_HANDLE, 0};
    uint32_t batch = rig_long_batch(rig, LONG), other = rig_context(rig);
    int fd = rig_open_usual(rig, 0, 8, &filter, 1);
    const struct i915_stream *stream = look_inside(rig);
    uint32_t control = tally_gpu_read32(rig->gpu, 0x2360);
    assert_int_equal(control & 3, 3);
    assert_int_equal(control & ~0xfffu, stream->context->states[CS_RCS0].image_address);
    assert_true(stream->context->states[CS_RCS0].image_address != 0);
    rig_exec(rig, other, &batch, 1);
    rig_run_ns(rig, 2 * TICK);
    assert_true(rig_records(rig, rig_read(rig, fd, USER_BYTES, false)).samples > 10);
    rig_free(rig);
}

/* Preemption of the context is disabled while the stream is enabled. */
static void test_hold_preemption(void **state)
{
    (void)state;
    struct rig *rig = rig_new("skl", NULL);
    uint32_t id = rig_context(rig);
    struct property properties[] = {{DRM_I915_PERF_PROP_CTX_HANDLE, id},
                                    {DRM_I915_PERF_PROP_HOLD_PREEMPTION, 1}};
    int fd = rig_open_usual(rig, I915_PERF_FLAG_DISABLED, 8, properties, 2);
    struct i915_stream *stream = rig_stream(rig, fd);
    const struct i915_context *context = i915_context_peek(rig->file, id);
    assert_false(context->not_preemptible);
    i915_stream_ioctl(stream, I915_PERF_IOCTL_ENABLE, 0);
    assert_true(context->not_preemptible);
    i915_stream_ioctl(stream, I915_PERF_IOCTL_DISABLE, 0);
    assert_false(context->not_preemptible);
    i915_stream_ioctl(stream, I915_PERF_IOCTL_ENABLE, 0);
    rig_close(rig, fd);
    assert_false(context->not_preemptible);
    rig_free(rig);
}

int run_filter_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_tag),
        cmocka_unit_test(test_nothing_to_forward),
        cmocka_unit_test(test_hardware_filter),
        cmocka_unit_test(test_hold_preemption),
    };
    return cmocka_run_group_tests_name("filters", tests, NULL, NULL);
}
