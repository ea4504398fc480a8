/* SPDX-License-Identifier: MIT */
/* GETPARAM: every parameter of i915_drm.h, on a GPU without execution lists and on one with them.
 */
#include "driver/i915/device.h"
#include "driver/rig.h"
#include "driver/tests.h"

enum { SOME = 1000000 }; /* any value but 0 */

static int get(struct rig *rig, int number, int *value)
{
    int32_t nothing = -1;
    uint64_t at = rig_put(rig, &nothing, sizeof nothing);
    struct drm_i915_getparam args = {.param = number, .value = (int *)(uintptr_t)at};
    int result = rig_call(rig, DRM_IOCTL_I915_GETPARAM, &args, sizeof args);
    memcpy(value, rig_at(rig, at), sizeof *value);
    return result;
}

/* The values of an emulated GPU: of the features of execution that clients look for, it has those
 * that docs/i915-driver.md lists. Negative: an errno. */
static void test_parameters(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        int number, hsw, skl;
    } rows[] = {
        {__LINE__, 1, -ENODEV, -ENODEV},      /* IRQ_ACTIVE */
        {__LINE__, 2, -ENODEV, -ENODEV},      /* ALLOW_BATCHBUFFER */
        {__LINE__, 3, -ENODEV, -ENODEV},      /* LAST_DISPATCH */
        {__LINE__, 4, SOME, SOME},            /* CHIPSET_ID */
        {__LINE__, 5, 1, 1},                  /* HAS_GEM */
        {__LINE__, 6, 0, 0},                  /* NUM_FENCES_AVAIL */
        {__LINE__, 7, 0, 0},                  /* HAS_OVERLAY */
        {__LINE__, 8, 1, 1},                  /* HAS_PAGEFLIPPING */
        {__LINE__, 9, 1, 1},                  /* HAS_EXECBUF2 */
        {__LINE__, 10, 1, 1},                 /* HAS_BSD */
        {__LINE__, 11, 1, 1},                 /* HAS_BLT */
        {__LINE__, 12, 1, 1},                 /* HAS_RELAXED_FENCING */
        {__LINE__, 13, 1, 1},                 /* HAS_COHERENT_RINGS */
        {__LINE__, 14, -ENODEV, -ENODEV},     /* HAS_EXEC_CONSTANTS */
        {__LINE__, 15, 1, 1},                 /* HAS_RELAXED_DELTA */
        {__LINE__, 16, 1, 1},                 /* HAS_GEN7_SOL_RESET */
        {__LINE__, 17, 1, 1},                 /* HAS_LLC */
        {__LINE__, 18, 1, 2},                 /* HAS_ALIASING_PPGTT: aliasing, full */
        {__LINE__, 19, 1, 1},                 /* HAS_WAIT_TIMEOUT */
        {__LINE__, 20, 0, 1},                 /* HAS_SEMAPHORES */
        {__LINE__, 21, 1, 1},                 /* HAS_PRIME_VMAP_FLUSH */
        {__LINE__, 22, 1, 1},                 /* HAS_VEBOX */
        {__LINE__, 23, 0, 0},                 /* HAS_SECURE_BATCHES */
        {__LINE__, 24, 1, 1},                 /* HAS_PINNED_BATCHES */
        {__LINE__, 25, 1, 1},                 /* HAS_EXEC_NO_RELOC */
        {__LINE__, 26, 1, 1},                 /* HAS_EXEC_HANDLE_LUT */
        {__LINE__, 27, 0, 0},                 /* HAS_WT */
        {__LINE__, 28, 10, 10},               /* CMD_PARSER_VERSION */
        {__LINE__, 29, 1, 1},                 /* HAS_COHERENT_PHYS_GTT */
        {__LINE__, 30, 1, 1},                 /* MMAP_VERSION */
        {__LINE__, 31, 0, 0},                 /* HAS_BSD2 */
        {__LINE__, 33, SOME, SOME},           /* SUBSLICE_TOTAL */
        {__LINE__, 34, SOME, SOME},           /* EU_TOTAL */
        {__LINE__, 35, 2, 2},                 /* HAS_GPU_RESET */
        {__LINE__, 36, 0, 0},                 /* HAS_RESOURCE_STREAMER */
        {__LINE__, 37, 1, 1},                 /* HAS_EXEC_SOFTPIN */
        {__LINE__, 38, 0, 0},                 /* HAS_POOLED_EU */
        {__LINE__, 39, 0, 0},                 /* MIN_EU_IN_POOL */
        {__LINE__, 40, 4, 4},                 /* MMAP_GTT_VERSION */
        {__LINE__, 41, 0, 31},                /* HAS_SCHEDULER */
        {__LINE__, 42, -ENODEV, -EOPNOTSUPP}, /* HUC_STATUS */
        {__LINE__, 43, 1, 1},                 /* HAS_EXEC_ASYNC */
        {__LINE__, 44, 1, 1},                 /* HAS_EXEC_FENCE */
        {__LINE__, 45, 1, 1},                 /* HAS_EXEC_CAPTURE */
        {__LINE__, 46, SOME, SOME},           /* SLICE_MASK */
        {__LINE__, 47, SOME, SOME},           /* SUBSLICE_MASK */
        {__LINE__, 48, 1, 1},                 /* HAS_EXEC_BATCH_FIRST */
        {__LINE__, 49, 1, 1},                 /* HAS_EXEC_FENCE_ARRAY */
        {__LINE__, 50, 1, 15},                /* HAS_CONTEXT_ISOLATION */
        {__LINE__, 51, 12500000, 12000000},   /* CS_TIMESTAMP_FREQUENCY */
        {__LINE__, 52, 1, 1},                 /* MMAP_GTT_COHERENT */
        {__LINE__, 53, 1, 1},                 /* HAS_EXEC_SUBMIT_FENCE */
        {__LINE__, 54, SOME, SOME},           /* PERF_REVISION */
        {__LINE__, 55, 1, 1},                 /* HAS_EXEC_TIMELINE_FENCES */
        {__LINE__, 56, 1, 1},                 /* HAS_USERPTR_PROBE */
        {__LINE__, 57, 12500000, 12000000},   /* OA_TIMESTAMP_FREQUENCY */
        {__LINE__, 0, -EINVAL, -EINVAL},
        {__LINE__, 58, -EINVAL, -EINVAL},
    };
    for (unsigned p = 0; p < 2; p++) {
        struct rig *rig = rig_new(p ? "skl" : "hsw", NULL);
        for (size_t i = 0; i < COUNT(rows); i++) {
            int value, expected = p ? rows[i].skl : rows[i].hsw;
            int result = get(rig, rows[i].number, &value);
            bool good = expected < 0       ? result == expected && value == -1
                        : expected == SOME ? !result && value > 0
                                           : !result && value == expected;
            ROW(rows[i].line, good, "%s: parameter %d is %d (%d), expected %d", p ? "skl" : "hsw",
                rows[i].number, value, result, expected);
        }
        rig_free(rig);
    }
    ROWS_DONE();
}

/* The engines that fuses leave, by class. */
static void test_fuses(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        uint32_t vdbox_disable, vebox_disable;
        int values[4]; /* HAS_BSD, HAS_BLT, HAS_VEBOX, HAS_BSD2 */
    } rows[] = {
        {__LINE__, "tgl", 0, 0, {1, 1, 1, 1}}, {__LINE__, "tgl", 1, 0, {1, 1, 1, 0}},
        {__LINE__, "icl", 4, 0, {1, 1, 1, 0}}, {__LINE__, "lkf", 5, 0, {0, 1, 1, 0}},
        {__LINE__, "adl", 0, 1, {1, 1, 0, 1}}, {__LINE__, "icl", 5, 1, {0, 1, 0, 0}},
        {__LINE__, "ivb", 0, 0, {1, 1, 0, 0}},
    };
    static const int numbers[] = {10, 11, 22, 31};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig =
            rig_new_gpu(&(struct tally_gpu_config){.platform = rows[i].platform,
                                                   .vdbox_disable = rows[i].vdbox_disable,
                                                   .vebox_disable = rows[i].vebox_disable},
                        NULL);
        for (size_t n = 0; n < COUNT(numbers); n++) {
            int value, result = get(rig, numbers[n], &value);
            ROW(rows[i].line, !result && value == rows[i].values[n], "parameter %d is %d (%d)",
                numbers[n], value, result);
        }
        rig_free(rig);
    }
    ROWS_DONE();
}

int run_param_tests(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parameters),
                                       cmocka_unit_test(test_fuses)};
    return cmocka_run_group_tests_name("params", tests, NULL, NULL);
}
