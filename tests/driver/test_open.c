/* SPDX-License-Identifier: MIT */
/* PERF_OPEN: every check of PERF-2.1 and PERF-2.2, and their order. */
#include "driver/rig.h"
#include "driver/tests.h"

/* Placeholders for values that the test determines: a set's id, a context, a struct in the client's
 * memory. */
#define SET           UINT64_C(0xfff0000000000001)
#define CONTEXT       UINT64_C(0xfff0000000000002)
#define SSEU          UINT64_C(0xfff0000000000003) /* everything powered */
#define SSEU_LESS     UINT64_C(0xfff0000000000004) /* half of the subslices */
#define SSEU_CLASS    UINT64_C(0xfff0000000000005) /* of another class */
#define SSEU_INSTANCE UINT64_C(0xfff0000000000006)
#define SSEU_ZERO     UINT64_C(0xfff0000000000007)
#define SSEU_LARGE    UINT64_C(0xfff0000000000008)
#define SET_WIDE      UINT64_C(0xfff0000000000009) /* with upper bits, which are ignored */

#define SAMPLE                                                                                     \
    {                                                                                              \
        DRM_I915_PERF_PROP_SAMPLE_OA, 1                                                            \
    }
#define THE_SET                                                                                    \
    {                                                                                              \
        DRM_I915_PERF_PROP_OA_METRICS_SET, SET                                                     \
    }
#define FORMAT(n)                                                                                  \
    {                                                                                              \
        DRM_I915_PERF_PROP_OA_FORMAT, n                                                            \
    }
#define EXPONENT(n)                                                                                \
    {                                                                                              \
        DRM_I915_PERF_PROP_OA_EXPONENT, n                                                          \
    }
#define FILTER(n)                                                                                  \
    {                                                                                              \
        DRM_I915_PERF_PROP_CTX_HANDLE, n                                                           \
    }
#define HOLD(n)                                                                                    \
    {                                                                                              \
        DRM_I915_PERF_PROP_HOLD_PREEMPTION, n                                                      \
    }
#define POWER(n)                                                                                   \
    {                                                                                              \
        DRM_I915_PERF_PROP_GLOBAL_SSEU, n                                                          \
    }
#define POLL(n)                                                                                    \
    {                                                                                              \
        DRM_I915_PERF_PROP_POLL_OA_PERIOD, n                                                       \
    }
#define ENGINE(c, i)                                                                               \
    {DRM_I915_PERF_PROP_OA_ENGINE_CLASS, c},                                                       \
    {                                                                                              \
        DRM_I915_PERF_PROP_OA_ENGINE_INSTANCE, i                                                   \
    }
#define GEN8 SAMPLE, THE_SET, FORMAT(10)
#define GEN7 SAMPLE, THE_SET, FORMAT(5)

enum {
    BUSY = 1,     /* another stream owns the unit */
    PLAIN = 2,    /* the caller has no capability */
    FREE = 4,     /* perf_stream_paranoid is 0 */
    NO_ARRAY = 8, /* the array of properties faults */
    NO_FD = 16,   /* there are no descriptors left */
    SHORT = 32,   /* the last value of the array faults */
};

static const struct row {
    unsigned line;
    const char *platform;
    unsigned how, revision;
    uint32_t flags;
    struct property properties[11]; /* up to one with id 0 and value 0 */
    int expected;                   /* 0: succeeds */
} rows[] = {
    /* 1: no perf; checked before the flags. */
    {__LINE__, "snb", 0, 0, 0, {GEN7}, -524},
    {__LINE__, "ivb", 0, 0, 0, {GEN7}, -524},
    {__LINE__, "vlv", 0, 0, 0xffffffff, {GEN7}, -524},
    /* 2: flags; checked before the properties. */
    {__LINE__, "skl", 0, 0, 8, {GEN8}, -EINVAL},
    {__LINE__, "skl", 0, 0, 0xffffffff, {GEN8}, -EINVAL},
    {__LINE__, "skl", NO_ARRAY, 0, 8, {GEN8}, -EINVAL},
    {__LINE__, "skl", 0, 0, 0, {GEN8}, 0},
    {__LINE__, "skl", 0, 0, 1, {GEN8}, 0},
    {__LINE__, "skl", 0, 0, 7, {GEN8}, 0},
    /* 3: the number of properties. */
    {__LINE__, "skl", 0, 0, 0, {{0}}, -EINVAL},
    {__LINE__, "skl", NO_ARRAY, 0, 0, {{0}}, -EINVAL},
    {__LINE__, "skl", 0, 1, 0, {GEN8, EXPONENT(8), SAMPLE}, 0},
    {__LINE__, "skl", 0, 1, 0, {GEN8, EXPONENT(8), SAMPLE, SAMPLE}, -EINVAL},
    {__LINE__, "skl", 0, 3, 0, {GEN8, EXPONENT(8), SAMPLE, SAMPLE}, 0},
    {__LINE__, "skl", 0, 3, 0, {GEN8, SAMPLE, SAMPLE, SAMPLE, SAMPLE}, -EINVAL},
    {__LINE__, "skl", 0, 4, 0, {GEN8, SAMPLE, SAMPLE, SAMPLE, SAMPLE}, 0},
    {__LINE__, "skl", 0, 7, 0, {GEN8, SAMPLE, SAMPLE, SAMPLE, SAMPLE, SAMPLE, SAMPLE, SAMPLE}, 0},
    /* 4: the array faults, at its start or its end. */
    {__LINE__, "skl", NO_ARRAY, 0, 0, {GEN8}, -EFAULT},
    {__LINE__, "skl", SHORT, 0, 0, {GEN8}, -EFAULT},
    {__LINE__, "skl", SHORT, 0, 0, {FORMAT(0), GEN8}, -EINVAL},
    /* 5: ids, by revision. */
    {__LINE__, "skl", 0, 0, 0, {GEN8, {11, 1}}, -EINVAL},
    {__LINE__, "skl", 0, 0, 0, {GEN8, {0, 1}}, -EINVAL},
    {__LINE__, "skl", 0, 0, 0, {GEN8, {UINT64_MAX, 1}}, -EINVAL},
    {__LINE__, "skl", 0, 2, 0, {GEN8, HOLD(0)}, -EINVAL},
    {__LINE__, "skl", 0, 3, 0, {GEN8, HOLD(0)}, 0},
    {__LINE__, "skl", 0, 3, 0, {GEN8, POWER(SSEU)}, -EINVAL},
    {__LINE__, "skl", 0, 4, 0, {GEN8, POWER(SSEU)}, 0},
    {__LINE__, "skl", 0, 4, 0, {GEN8, POLL(100000)}, -EINVAL},
    {__LINE__, "skl", 0, 5, 0, {GEN8, POLL(100000)}, 0},
    {__LINE__, "skl", 0, 5, 0, {GEN8, ENGINE(0, 0)}, -EINVAL},
    {__LINE__, "skl", 0, 6, 0, {GEN8, ENGINE(0, 0)}, 0},
    {__LINE__, "skl", 0, 7, 0, {GEN8, ENGINE(0, 0)}, 0},
    /* 5a: the set is 0. */
    {__LINE__,
     "skl",
     0,
     0,
     0,
     {SAMPLE, {DRM_I915_PERF_PROP_OA_METRICS_SET, 0}, FORMAT(10)},
     -EINVAL},
    /* 5b: formats by platform. */
    {__LINE__, "skl", 0, 0, 0, {SAMPLE, THE_SET, FORMAT(0)}, -EINVAL},
    {__LINE__, "skl", 0, 0, 0, {SAMPLE, THE_SET, FORMAT(5)}, -EINVAL},
    {__LINE__, "skl", 0, 0, 0, {SAMPLE, THE_SET, FORMAT(6)}, -EINVAL},
    {__LINE__, "skl", 0, 0, 0, {SAMPLE, THE_SET, FORMAT(7)}, 0},
    {__LINE__, "bdw", 0, 0, 0, {SAMPLE, THE_SET, FORMAT(8)}, 0},
    {__LINE__, "chv", 0, 0, 0, {SAMPLE, THE_SET, FORMAT(9)}, 0},
    {__LINE__, "icl", 0, 0, 0, {SAMPLE, THE_SET, FORMAT(10)}, 0},
    {__LINE__, "lkf", 0, 0, 0, {SAMPLE, THE_SET, FORMAT(11)}, -EINVAL},
    {__LINE__, "tgl", 0, 0, 0, {SAMPLE, THE_SET, FORMAT(7)}, 0},
    {__LINE__, "tgl", 0, 0, 0, {SAMPLE, THE_SET, FORMAT(11)}, -EINVAL},
    {__LINE__, "skl", 0, 0, 0, {SAMPLE, THE_SET, FORMAT(14)}, -EINVAL},
    {__LINE__, "skl", 0, 0, 0, {SAMPLE, THE_SET, FORMAT(15)}, -EINVAL},
    {__LINE__, "skl", 0, 0, 0, {SAMPLE, THE_SET, FORMAT(64 + 10)}, -EINVAL},
    {__LINE__, "skl", 0, 0, 0, {SAMPLE, THE_SET, FORMAT(UINT64_MAX)}, -EINVAL},
    {__LINE__, "hsw", 0, 0, 0, {SAMPLE, THE_SET, FORMAT(1)}, 0},
    {__LINE__, "hsw", 0, 0, 0, {SAMPLE, THE_SET, FORMAT(7)}, 0},
    {__LINE__, "hsw", 0, 0, 0, {SAMPLE, THE_SET, FORMAT(8)}, -EINVAL},
    {__LINE__, "hsw", 0, 0, 0, {SAMPLE, THE_SET, FORMAT(10)}, -EINVAL},
    /* 5c, 5d: the exponent, and the maximum rate without the capability, 100 kHz. */
    {__LINE__, "skl", 0, 0, 0, {GEN8, EXPONENT(31)}, 0},
    {__LINE__, "skl", 0, 0, 0, {GEN8, EXPONENT(32)}, -EINVAL},
    {__LINE__, "skl", 0, 0, 0, {GEN8, EXPONENT(UINT64_C(1) << 32)}, -EINVAL},
    {__LINE__, "skl", 0, 0, 0, {GEN8, EXPONENT(0)}, 0},
    {__LINE__, "skl", PLAIN | FREE, 0, 0, {GEN8, EXPONENT(5)}, -EACCES},
    {__LINE__, "skl", PLAIN | FREE, 0, 0, {GEN8, EXPONENT(6)}, 0},
    {__LINE__, "hsw", PLAIN | FREE, 0, 0, {GEN7, EXPONENT(5)}, -EACCES},
    {__LINE__, "hsw", PLAIN | FREE, 0, 0, {GEN7, EXPONENT(6)}, 0},
    {__LINE__, "lkf", PLAIN | FREE, 0, 0, {GEN8, EXPONENT(6)}, -EACCES},
    {__LINE__, "lkf", PLAIN | FREE, 0, 0, {GEN8, EXPONENT(7)}, 0},
    /* Properties are checked in the order of the array: later ones are not read. */
    {__LINE__, "skl", PLAIN | FREE, 0, 0, {EXPONENT(5), FORMAT(0)}, -EACCES},
    {__LINE__, "skl", PLAIN | FREE, 0, 0, {FORMAT(0), EXPONENT(5)}, -EINVAL},
    {__LINE__, "skl", PLAIN | FREE, 0, 0, {EXPONENT(5), {99, 0}}, -EACCES},
    /* 5f: the pointer; 5g: the poll period. */
    {__LINE__, "skl", 0, 0, 0, {GEN8, POWER(FAULTY)}, -EFAULT},
    {__LINE__, "skl", 0, 0, 0, {POWER(FAULTY), FORMAT(0)}, -EFAULT},
    {__LINE__, "skl", 0, 0, 0, {GEN8, POLL(99999)}, -EINVAL},
    {__LINE__, "skl", 0, 0, 0, {GEN8, POLL(0)}, -EINVAL},
    {__LINE__, "skl", 0, 0, 0, {GEN8, POLL(UINT64_MAX)}, 0},
    /* 6 to 8: engines; a class or an instance alone, an absent engine. */
    {__LINE__, "skl", 0, 0, 0, {GEN8, {DRM_I915_PERF_PROP_OA_ENGINE_CLASS, 0}}, -EINVAL},
    {__LINE__, "skl", 0, 0, 0, {GEN8, {DRM_I915_PERF_PROP_OA_ENGINE_INSTANCE, 0}}, -EINVAL},
    {__LINE__, "skl", 0, 0, 0, {GEN8, ENGINE(1, 0)}, -EINVAL},
    {__LINE__, "skl", 0, 0, 0, {GEN8, ENGINE(10, 0)}, -EINVAL},
    {__LINE__, "skl", 0, 0, 0, {GEN8, ENGINE(0, 1)}, -EINVAL},
    {__LINE__, "skl", 0, 0, 0, {GEN8, ENGINE(0, 248)}, -EINVAL},
    {__LINE__, "skl", PLAIN, 0, 0, {GEN8, ENGINE(0, 1)}, -EINVAL},
    /* 11: the requested power configuration. */
    {__LINE__, "skl", 0, 0, 0, {GEN8, POWER(SSEU_LESS)}, 0},
    {__LINE__, "skl", 0, 0, 0, {GEN8, POWER(SSEU_CLASS)}, -EINVAL},
    {__LINE__, "skl", 0, 0, 0, {GEN8, POWER(SSEU_INSTANCE)}, -EINVAL},
    {__LINE__, "skl", 0, 0, 0, {GEN8, POWER(SSEU_ZERO)}, -EINVAL},
    {__LINE__, "skl", 0, 0, 0, {GEN8, POWER(SSEU_LARGE)}, -EINVAL},
    {__LINE__, "icl", 0, 0, 0, {GEN8, POWER(SSEU_LESS)}, 0},
    {__LINE__, "hsw", 0, 0, 0, {GEN7, POWER(SSEU)}, 0},
    {__LINE__, "skl", PLAIN, 0, 0, {GEN8, POWER(SSEU_ZERO), FILTER(99)}, -EINVAL},
    /* 12: the context; before 13, 14. */
    {__LINE__, "skl", 0, 0, 0, {GEN8, FILTER(0)}, 0},
    {__LINE__, "skl", 0, 0, 0, {GEN8, FILTER(CONTEXT)}, 0},
    {__LINE__, "skl", 0, 0, 0, {GEN8, FILTER(99)}, -ENOENT},
    {__LINE__, "skl", PLAIN, 0, 0, {GEN8, FILTER(99)}, -ENOENT},
    {__LINE__, "skl", BUSY, 0, 0, {FILTER(99)}, -ENOENT},
    {__LINE__, "skl", 0, 0, 0, {GEN8, FILTER(UINT64_C(1) << 32)}, 0}, /* truncated to 32 bits: 0 */
    /* 13: preemption requires a context; before 14. */
    {__LINE__, "skl", 0, 0, 0, {GEN8, HOLD(1)}, -EINVAL},
    {__LINE__, "skl", PLAIN, 0, 0, {GEN8, HOLD(1)}, -EINVAL},
    {__LINE__, "skl", 0, 0, 0, {GEN8, HOLD(1), FILTER(0)}, 0},
    {__LINE__, "skl", 0, 0, 0, {GEN8, HOLD(1), HOLD(0)}, 0}, /* the last one takes effect */
    /* 14: permission; before 17, 19, 20, 24. */
    {__LINE__, "skl", PLAIN, 0, 0, {GEN8}, -EACCES},
    {__LINE__, "skl", PLAIN | FREE, 0, 0, {GEN8}, 0},
    {__LINE__, "skl", PLAIN, 0, 0, {GEN8, FILTER(0)}, -EACCES},
    {__LINE__, "hsw", PLAIN, 0, 0, {GEN7}, -EACCES},
    {__LINE__, "hsw", PLAIN, 0, 0, {GEN7, FILTER(0)}, 0},
    {__LINE__, "hsw", PLAIN, 0, 0, {GEN7, FILTER(CONTEXT)}, 0},
    {__LINE__, "hsw", PLAIN, 0, 0, {GEN7, FILTER(0), HOLD(1)}, -EACCES},
    {__LINE__, "hsw", PLAIN, 0, 0, {GEN7, FILTER(0), HOLD(0)}, 0},
    {__LINE__, "hsw", PLAIN, 0, 0, {GEN7, FILTER(0), POWER(SSEU)}, -EACCES},
    {__LINE__, "skl", PLAIN | FREE, 0, 0, {GEN8, FILTER(0), POWER(SSEU), HOLD(1)}, 0},
    {__LINE__, "skl", PLAIN, 0, 0, {THE_SET}, -EACCES},
    {__LINE__, "skl", PLAIN | BUSY, 0, 0, {GEN8}, -EACCES},
    /* 17: no sample property; before 19. A sample property that was 1 stays 1. */
    {__LINE__, "skl", 0, 0, 0, {THE_SET, FORMAT(10)}, -EINVAL},
    {__LINE__, "skl", BUSY, 0, 0, {THE_SET, FORMAT(10)}, -EINVAL},
    {__LINE__, "skl", 0, 0, 0, {{DRM_I915_PERF_PROP_SAMPLE_OA, 0}, THE_SET, FORMAT(10)}, -EINVAL},
    {__LINE__, "skl", 0, 0, 0, {GEN8, {DRM_I915_PERF_PROP_SAMPLE_OA, 0}}, 0},
    {__LINE__, "hsw", 0, 0, 0, {THE_SET, FORMAT(5), FILTER(0)}, -EINVAL},
    /* 19: one stream; before 20, 24. */
    {__LINE__, "skl", BUSY, 0, 0, {GEN8}, -EBUSY},
    {__LINE__, "hsw", BUSY, 0, 0, {GEN7}, -EBUSY},
    {__LINE__, "skl", BUSY, 0, 0, {SAMPLE, THE_SET}, -EBUSY},
    {__LINE__,
     "skl",
     BUSY,
     0,
     0,
     {SAMPLE, FORMAT(10), {DRM_I915_PERF_PROP_OA_METRICS_SET, 999}},
     -EBUSY},
    /* 20: no format. 24: no set, an unknown set; the id is an int, its upper bits are ignored. */
    {__LINE__, "skl", 0, 0, 0, {SAMPLE, THE_SET}, -EINVAL},
    {__LINE__, "skl", 0, 0, 0, {SAMPLE, FORMAT(10)}, -EINVAL},
    {__LINE__,
     "skl",
     0,
     0,
     0,
     {SAMPLE, FORMAT(10), {DRM_I915_PERF_PROP_OA_METRICS_SET, 1}},
     -EINVAL},
    {__LINE__,
     "skl",
     0,
     0,
     0,
     {SAMPLE, FORMAT(10), {DRM_I915_PERF_PROP_OA_METRICS_SET, 999}},
     -EINVAL},
    {__LINE__,
     "skl",
     0,
     0,
     0,
     {SAMPLE, FORMAT(10), {DRM_I915_PERF_PROP_OA_METRICS_SET, UINT64_MAX}},
     -EINVAL},
    {__LINE__,
     "skl",
     0,
     0,
     0,
     {SAMPLE, FORMAT(10), {DRM_I915_PERF_PROP_OA_METRICS_SET, SET_WIDE}},
     0},
    /* 27: the descriptor, the last check. */
    {__LINE__, "skl", NO_FD, 0, 0, {GEN8}, -EMFILE},
    {__LINE__, "skl", NO_FD, 0, 0, {SAMPLE, THE_SET}, -EINVAL},
};

static uint64_t put_sseu(struct rig *rig, uint64_t which)
{
    bool hsw = !strcmp(rig->platform->name, "hsw");
    uint16_t eus = rig->platform->max_eus;
    /* Subslices of the first slice of each platform's example. */
    uint64_t subslices = hsw ? 3 : !strcmp(rig->platform->name, "icl") ? 0xff : 7;
    struct drm_i915_gem_context_param_sseu sseu = {{0, 0}, 0, 1, subslices, eus, eus, 0};
    if (which == SSEU_LESS)
        sseu.subslice_mask = subslices == 0xff ? 0xf : 1;
    if (which == SSEU_CLASS)
        sseu.engine.engine_class = 1;
    if (which == SSEU_INSTANCE)
        sseu.engine.engine_instance = 1;
    if (which == SSEU_ZERO)
        sseu.slice_mask = 0;
    if (which == SSEU_LARGE)
        sseu.subslice_mask = 0x1ff;
    return rig_put(rig, &sseu, sizeof sseu);
}

static uint64_t resolve(struct rig *rig, uint64_t value, uint64_t set)
{
    switch (value) {
    case SET:
        return set;
    case SET_WIDE:
        return set | UINT64_C(1) << 32;
    case CONTEXT:
        return rig_context(rig);
    case SSEU:
    case SSEU_LESS:
    case SSEU_CLASS:
    case SSEU_INSTANCE:
    case SSEU_ZERO:
    case SSEU_LARGE:
        return put_sseu(rig, value);
    default:
        return value;
    }
}

static int open_row(struct rig *rig, const struct row *row)
{
    struct property properties[11];
    size_t count = 0;
    uint64_t set = has_perf_platform(row->platform) ? (uint64_t)rig_add_set(rig) : 2;
    for (; count < COUNT(row->properties); count++) {
        const struct property *p = &row->properties[count];
        if (!p->id && !p->value)
            break;
        properties[count] = (struct property){p->id, resolve(rig, p->value, set)};
    }
    if (row->how & BUSY)
        ROW(row->line, rig_open_usual(rig, I915_PERF_FLAG_DISABLED, 8, NULL, 0) >= 0, "first open");
    rig->caller.drm.privileged = !(row->how & PLAIN);
    rig->refuse_stream = row->how & NO_FD ? -EMFILE : 0;
    assert_int_equal(i915_sysctl_set(rig->device, I915_PARANOID, !(row->how & FREE)), 0);
    uint64_t ask_at = rig_put(rig, NULL, sizeof(struct drm_i915_perf_open_param));
    uint64_t at = rig_put(rig, properties, count * sizeof *properties);
    struct drm_i915_perf_open_param args = {row->flags, (uint32_t)count,
                                            row->how & NO_ARRAY ? FAULTY : at};
    memcpy(rig_at(rig, ask_at), &args, sizeof args);
    if (row->how & SHORT)
        rig->readable_end = at + count * sizeof *properties - 8;
    return i915_ioctl(rig->file, DRM_IOCTL_I915_PERF_OPEN, ask_at, &rig->caller);
}

static void test_checks(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct row *row = &rows[i];
        struct i915_settings settings = {.perf_revision = row->revision};
        struct rig *rig = rig_new(row->platform, &settings);
        int result = open_row(rig, row);
        ROW(row->line, row->expected ? result == row->expected : result >= 0,
            "%s: PERF_OPEN gave %d, expected %d", row->platform, result, row->expected);
        if (result >= 0)
            ROW(row->line, rig->stream_flags == row->flags, "flags %x", rig->stream_flags);
        if (result < 0 && !(row->how & BUSY) && has_perf_platform(row->platform)) {
            /* A failed open leaves no state that affects the next. */
            rig->readable_end = 0;
            rig->refuse_stream = 0;
            int again = rig_open_usual(rig, 0, 8, NULL, 0);
            rig->caller.drm.privileged = true;
            if (row->how & PLAIN && again == -EACCES)
                again = rig_open_usual(rig, 0, 8, NULL, 0);
            ROW(row->line, again >= 0, "%s: then it gave %d", row->platform, again);
        }
        rig_free(rig);
    }
    ROWS_DONE();
}

/* Gen11's rules about subslices (check 11), on the 8 of an ICL. */
static void test_gen11_power(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint64_t slices, subslices;
        uint16_t min, max;
        int expected;
    } rows11[] = {
        {__LINE__, 1, 0xff, 8, 8, 0},        {__LINE__, 1, 0x0f, 8, 8, 0},
        {__LINE__, 1, 0xf0, 8, 8, 0},        {__LINE__, 1, 0x55, 8, 8, 0},
        {__LINE__, 1, 0x1f, 8, 8, -EINVAL},  {__LINE__, 1, 0x07, 8, 8, -EINVAL},
        {__LINE__, 1, 0x3f, 8, 8, -EINVAL},  {__LINE__, 1, 0xff, 4, 8, -EINVAL},
        {__LINE__, 1, 0xff, 4, 4, -EINVAL},  {__LINE__, 3, 0xff, 8, 8, -EINVAL},
        {__LINE__, 1, 0x1ff, 8, 8, -EINVAL}, {__LINE__, 0, 0xff, 8, 8, -EINVAL},
        {__LINE__, 1, 0, 8, 8, -EINVAL},     {__LINE__, 1, 0xff, 0, 8, -EINVAL},
        {__LINE__, 1, 0xff, 8, 0, -EINVAL},  {__LINE__, 1, 0xff, 8, 9, -EINVAL},
    };
    for (size_t i = 0; i < COUNT(rows11); i++) {
        struct rig *rig = rig_new("icl", NULL);
        struct drm_i915_gem_context_param_sseu sseu = {
            {0, 0}, 0, rows11[i].slices, rows11[i].subslices, rows11[i].min, rows11[i].max, 0};
        struct property power = {DRM_I915_PERF_PROP_GLOBAL_SSEU, rig_put(rig, &sseu, sizeof sseu)};
        int result = rig_open_usual(rig, 0, 8, &power, 1);
        ROW(rows11[i].line, rows11[i].expected ? result == rows11[i].expected : result >= 0,
            "gave %d", result);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* The sysctl sets the limit. */
static void test_sample_rate(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t limit;
        uint64_t exponent;
        bool opens;
    } limits[] = {
        /* SKL: 12 MHz; exponent 6 is 93747 Hz, 7 is 46873 Hz. */
        {__LINE__, 93747, 6, true}, {__LINE__, 93746, 6, false},  {__LINE__, 46874, 6, false},
        {__LINE__, 46874, 7, true}, {__LINE__, 6000000, 0, true}, {__LINE__, 0, 10, false},
        {__LINE__, 0, 24, true}, /* longer than a second: 0 Hz */
    };
    for (size_t i = 0; i < COUNT(limits); i++) {
        struct rig *rig = rig_new("skl", NULL);
        assert_int_equal(i915_sysctl_set(rig->device, I915_PARANOID, 0), 0);
        assert_int_equal(i915_sysctl_set(rig->device, I915_MAX_SAMPLE_RATE, limits[i].limit), 0);
        rig->caller.drm.privileged = false;
        int result = rig_open_usual(rig, 0, (int)limits[i].exponent, NULL, 0);
        ROW(limits[i].line, limits[i].opens ? result >= 0 : result == -EACCES, "gave %d", result);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* The registers that an open writes: PERF-6.1 to PERF-6.3. */
static void test_registers(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        int exponent;
        uint32_t address, mask, value;
    } registers[] = {
        {__LINE__, "hsw", 16, 0x2360, 0xfff, 0x435},
        {__LINE__, "hsw", -1, 0x2360, 0xfff, 0x015},
        {__LINE__, "hsw", 16, 0x2364, 0x0000003f, 0x38},
        {__LINE__, "hsw", 16, 0x9400, 1u << 7, 1u << 7},
        {__LINE__, "hsw", 16, 0x9424, 1, 0},
        {__LINE__, "skl", 13, 0x2b00, UINT32_MAX, 0x15},
        {__LINE__, "skl", 13, 0x2360, UINT32_MAX, 0x37},
        {__LINE__, "skl", -1, 0x2360, UINT32_MAX, 0x01},
        {__LINE__, "skl", 13, 0x2b04, 0xffff, 0x60},
        {__LINE__, "skl", 13, 0x2b14, 0x3f, 0x39},
        {__LINE__, "bdw", 13, 0x2b00, UINT32_MAX, 0x15},
        {__LINE__, "chv", 31, 0x2360, UINT32_MAX, 0x7f},
        {__LINE__, "icl", 13, 0x2360, UINT32_MAX, 0x37},
        {__LINE__, "lkf", 13, 0x2b04, 0xffff, 0x60},
        {__LINE__, "lkf", 13, 0x2b14, 0x00ffffff, 0x39}, /* 16 MiB aligned */
        {__LINE__, "tgl", 13, 0x2b28, UINT32_MAX, 0x37},
        {__LINE__, "tgl", -1, 0x2b28, UINT32_MAX, 0x00}, /* PERF-Q26 */
        {__LINE__, "tgl", 13, 0xdaf4, UINT32_MAX, 0x15},
        {__LINE__, "tgl", 13, 0xdaf8, 0xffff, 0x60},
        {__LINE__, "tgl", 13, 0xdb08, 0x00ffffff, 0x39},
        {__LINE__, "tgl", 13, 0x8718, 1u << 30, 1u << 30},
    };
    for (size_t i = 0; i < COUNT(registers); i++) {
        struct rig *rig = rig_new(registers[i].platform, NULL);
        int fd = rig_open_usual(rig, 0, registers[i].exponent, NULL, 0);
        assert_true(fd >= 0);
        uint32_t value = tally_gpu_read32(rig->gpu, registers[i].address) & registers[i].mask;
        ROW(registers[i].line, value == registers[i].value, "%s %x: %08x, expected %08x",
            registers[i].platform, registers[i].address, value, registers[i].value);
        rig_close(rig, fd);
        i915_device_tick(rig->device);
        tally_gpu_write32(rig->gpu, 0xa188, 0x00020002); /* another user of force wake */
        tally_gpu_write32(rig->gpu, 0xa278, 0x00020002);
        tally_gpu_write32(rig->gpu, 0x1300b0, 0x00020002);
        uint32_t control = rig->platform->version >= 120  ? 0xdaf4
                           : rig->platform->version >= 80 ? 0x2b00
                                                          : 0x2360;
        ROW(registers[i].line, tally_gpu_read32(rig->gpu, control) == 0, "%s is still on",
            registers[i].platform);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* Opening takes the kernel's half millisecond. */
static void test_settling(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rig_platforms); i++) {
        struct i915_settings settings = {.noa_delay_ns = 500000};
        struct rig *rig = rig_new(rig_platforms[i], &settings);
        uint64_t before = tally_gpu_now_ns(rig->gpu);
        assert_true(rig_open_usual(rig, 0, 8, NULL, 0) >= 0);
        uint64_t took = tally_gpu_now_ns(rig->gpu) - before;
        ROW(__LINE__, took >= 500000 && took < 600000, "%s: %lu ns", rig_platforms[i],
            (unsigned long)took);
        rig_free(rig);
    }
    ROWS_DONE();
}

int run_open_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_checks),      cmocka_unit_test(test_gen11_power),
        cmocka_unit_test(test_sample_rate), cmocka_unit_test(test_registers),
        cmocka_unit_test(test_settling),
    };
    return cmocka_run_group_tests_name("open", tests, NULL, NULL);
}
