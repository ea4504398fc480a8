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
#include "mistakes.h"

static const char *const platforms[] = {"snb", "ivb", "vlv", "hsw", "bdw",
                                        "chv", "skl", "icl", "lkf", "tgl"};

static void note(void *closure, unsigned line, const char *message)
{
    CHECK(line > 0 && *message);
    ++*(unsigned *)closure;
}

static void run(const struct tally_workload_program *program, struct tally_oa *unit, bool newer)
{
    struct tally_workload_cursor cursor;
    struct tally_workload_answer answer;
    uint32_t address = newer ? 0x2b00 : 0x2360;
    tally_oa_write32(unit, 0x2360, 1); /* OACTXCONTROL from Gen8 on, OACONTROL before */
    tally_oa_write32(unit, address, 1);
    tally_workload_start(program, &cursor);
    for (unsigned piece = 0; piece < 3; piece++) {
        char name[8];
        uint64_t before[TALLY_WORKLOAD_A], now;
        unsigned clocks = 1 + 700 * piece, count = 0;
        for (; snprintf(name, sizeof name, "a%u", count), tally_oa_peek(unit, name, &now) == 0;)
            before[count++] = now;
        tally_workload_expect(&cursor, clocks, NULL, &answer);
        CHECK(tally_workload_run(&cursor, unit, clocks) == 0);
        for (unsigned i = 0; i < count; i++) {
            snprintf(name, sizeof name, "a%u", i);
            tally_oa_peek(unit, name, &now);
            uint64_t max = newer && i < 32 ? UINT64_C(0xffffffffff) : UINT32_MAX;
            if (answer.a[i].deviation > 0)
                CHECK(!isnan(answer.a[i].mean));
            else
                CHECK(((now - before[i]) & max) == (answer.a[i].exact & max));
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tally_workload *workload;
    struct tally_workload_program *program;
    struct tally_error error = {0};
    struct lint_findings findings = {0};
    unsigned notes = 0, which = size ? data[size - 1] % ARRAY_COUNT(platforms) : 0;
    int mistakes =
        tally_workload_lint_memory(data, size, "fuzz.yaml", add_finding, &findings, &error);
    check_lint(mistakes, &findings, &error);
    error = (struct tally_error){0};
    int result = tally_workload_load_memory(data, size, "fuzz.yaml", &workload, &error);
    check_load(result, mistakes, &error);
    if (result < 0)
        return 0;
    struct tally_workload_target target = {.platform = platforms[which]};
    struct tally_oa *unit;
    CHECK(tally_workload_bind(workload, &target, note, &notes, &program, &error) == 0);
    CHECK(tally_oa_new(platforms[which], &unit, &error) == 0);
    if (which >= 4)
        tally_oa_set_eus(unit, 16);
    run(program, unit, which >= 4);
    tally_oa_free(unit);
    tally_workload_unbind(program);
    tally_workload_free(workload);
    return 0;
}
