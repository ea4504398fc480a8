/* SPDX-License-Identifier: MIT */
/*
 * Checks and loads the input as a workload file. If it is valid, binds it to a platform that the
 * last byte selects, runs it, and compares the counts with the expected ones.
 */
#include "fuzz.h"

#include <math.h>
#include <stdio.h>

#include <tally/workload.h>

#include "base/bits.h"
#include "intel/skus.h"
#include "intel/symbols.h"
#include "lengthen.h"
#include "mistakes.h"
#include "platforms.h"

/* Registers whose bit 0 lets the counters of a register map count. */
static const uint32_t enables[][2] = {
    [OA_MAP_A] = {GEN7_OACONTROL, GEN7_OACONTROL},
    [OA_MAP_B] = {GEN7_OACONTROL, GEN7_OACONTROL},
    [OA_MAP_C] = {GEN8_OACTXCONTROL, GEN8_OACONTROL},
    [OA_MAP_D] = {GEN12_OAG_OAGLBCTXCTRL, GEN12_OAG_OACONTROL},
};

static void note(void *closure, unsigned line, const char *message)
{
    CHECK(line > 0 && *message);
    ++*(unsigned *)closure;
}

static void run(const struct tally_workload_program *program, struct tally_oa *unit,
                const struct oa_variant *variant)
{
    struct tally_workload_cursor cursor;
    struct tally_workload_counts expected;
    for (unsigned i = 0; i < 2; i++)
        tally_oa_write32(unit, enables[variant->map][i], 1);
    tally_workload_start(program, &cursor);
    for (unsigned piece = 0; piece < 3; piece++) {
        char name[8];
        uint64_t before[TALLY_WORKLOAD_A], now;
        unsigned clocks = 1 + 700 * piece, count = 0;
        for (; snprintf(name, sizeof name, "a%u", count), tally_oa_peek(unit, name, &now) == 0;)
            before[count++] = now;
        tally_workload_expect(&cursor, clocks, NULL, &expected);
        CHECK(tally_workload_run(&cursor, unit, clocks) == 0);
        for (unsigned i = 0; i < count; i++) {
            snprintf(name, sizeof name, "a%u", i);
            tally_oa_peek(unit, name, &now);
            uint64_t mask =
                variant->map >= OA_MAP_C && i < 32 ? UINT64_C(0xffffffffff) : UINT32_MAX;
            if (expected.a[i].deviation > 0)
                CHECK(!isnan(expected.a[i].mean));
            else
                CHECK(((now - before[i]) & mask) == (expected.a[i].exact & mask));
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tally_workload *workload;
    struct tally_workload_program *program;
    struct tally_error error = {0};
    struct lint_findings findings = {0};
    unsigned notes = 0;
    const char *platform = modelled_platform(size ? data[size - 1] : 0, false);
    const struct oa_variant *variant = intel_modelled(platform)->oa;
    int mistakes =
        tally_workload_lint_memory(data, size, "fuzz.yaml", add_finding, &findings, &error);
    check_lint(mistakes, &findings, &error);
    error = (struct tally_error){0};
    int result = tally_workload_load_memory(data, size, "fuzz.yaml", &workload, &error);
    check_load(result, mistakes, &error);
    if (result < 0)
        return 0;
    struct tally_workload_target target = {.platform = platform};
    struct tally_oa *unit;
    CHECK(tally_workload_bind(workload, &target, note, &notes, &program, &error) == 0);
    CHECK(tally_oa_new(platform, &unit, &error) == 0);
    if (variant->subslices)
        CHECK(tally_oa_set_eus(unit, sku_eus(tally_sku_find(platform))) == 0);
    run(program, unit, variant);
    tally_oa_free(unit);
    tally_workload_unbind(program);
    tally_workload_free(workload);
    return 0;
}
