/* SPDX-License-Identifier: MIT */
/*
 * Parses the input as an equation. If it is valid, compiles it for several layouts and all vector
 * paths of this machine, and checks that the values are bit-identical to those of the portable
 * evaluation of each report.
 */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include <tally/metrics.h>

#include "base/bits.h"
#include "base/cpu.h"
#include "lengthen.h"
#include "metrics/equation.h"
#include "metrics/program.h"
#include "platforms.h"

#define LAYOUTS 2 /* evenly spread over the table; the input determines which */

/* Makes reports whose counters advance by small or large numbers, by 0, or by edge cases. */
static void make_reports(const struct tally_layout *layout, uint64_t seed,
                         uint8_t bytes[TALLY_BLOCK + 1][1152], size_t count)
{
    static const uint64_t edges[] = {0,
                                     1,
                                     UINT64_C(1) << 31,
                                     UINT32_MAX,
                                     UINT64_C(1) << 52,
                                     (UINT64_C(1) << 53) + 1,
                                     UINT64_C(1) << 63,
                                     UINT64_MAX};
    uint64_t slots[TALLY_SLOT_COUNT];
    for (unsigned slot = 0; slot < TALLY_SLOT_COUNT; slot++)
        slots[slot] = next_number(&seed);
    for (size_t i = 0; i <= count; i++) {
        tally_report_pack(layout, slots, bytes[i]);
        for (unsigned slot = 0; slot < TALLY_SLOT_COUNT; slot++) {
            uint64_t number = next_number(&seed);
            uint64_t step = number >> 8;
            if (number % 4 == 1)
                step = step % 1000;
            else if (number % 4 == 2)
                step = edges[step % ARRAY_COUNT(edges)];
            else if (number % 4 == 3)
                step = step % UINT32_MAX;
            slots[slot] += step;
        }
    }
}

static void compare(struct tally_program *program, uint8_t bytes[TALLY_BLOCK + 1][1152],
                    size_t count)
{
    static const struct kernels *const kernels[] = {
        [SIMD_PORTABLE] = &kernels_portable,
#if defined(TALLY_X86_KERNELS)
        [SIMD_AVX2] = &kernels_avx2,
        [SIMD_AVX512] = &kernels_avx512,
#endif
    };
    const uint8_t *reports[TALLY_BLOCK + 1];
    union tally_value expected[TALLY_BLOCK] = {0};
    for (size_t i = 0; i <= count; i++)
        reports[i] = bytes[i];
    for (size_t i = 0; i < count; i++) {
        uint64_t deltas[TALLY_SLOT_COUNT] = {0};
        tally_accumulate(program->layout, reports + i, 1, deltas);
        tally_program_evaluate(program, deltas, &expected[i]);
    }
    for (size_t k = 0; k <= (size_t)cpu_simd(); k++) {
        program->kernels = kernels[k];
        tally_program_run(program, reports, count);
        const union tally_value *values = tally_program_values(program, 0);
        for (size_t i = 0; i < count; i++) {
            if (values[i].u != expected[i].u)
                fprintf(stderr, "kernels %zu, delta %zu: 0x%016llx, expected 0x%016llx\n", k, i,
                        (unsigned long long)values[i].u, (unsigned long long)expected[i].u);
            CHECK(values[i].u == expected[i].u);
        }
    }
}

static void check_set(const struct tally_metric_set *set, uint64_t seed)
{
    static uint8_t bytes[TALLY_BLOCK + 1][1152];
    size_t all = tally_layout_count();
    for (size_t l = 0; l < LAYOUTS; l++) {
        const struct tally_layout *layout = tally_layout_at((seed % all + l * all / LAYOUTS) % all);
        struct tally_environment environment;
        struct tally_program *program;
        struct tally_error error = {0};
        const struct tally_platform *platform = family_platform(layout->family);
        tally_environment_default(platform ? platform : newest_platform(), &environment);
        int result = tally_program_new(set, &environment, layout, &program, &error);
        CHECK(result == 0);
        if (tally_program_state(program, 0) == TALLY_COUNTER_OK) {
            size_t count = 1 + seed % (seed >> 32 & 3 ? 16 : TALLY_BLOCK);
            make_reports(layout, seed + l, bytes, count);
            compare(program, bytes, count);
        } else {
            CHECK(!tally_program_values(program, 0));
        }
        tally_program_free(program);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct equation equation;
    struct tally_error error = {0};
    char *text = malloc(size + 1);
    CHECK(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    int result = equation_parse(text, NULL, &equation, &error);
    CHECK(result == error.code);
    CHECK(result == 0 || result == -EBADMSG);
    if (!result) {
        CHECK(equation.count > 0);
        equation_fini(&equation);
        for (int type = TALLY_UINT64; type <= TALLY_DOUBLE; type++) {
            struct tally_counter counter = {
                .symbol = "X",
                .name = "",
                .description = "",
                .units = "",
                .semantic = "",
                .group = "",
                .equation = text,
                .max_equation = "",
                .availability = "",
                .type = (enum tally_data_type)type,
                .line = 1,
            };
            struct tally_metric_set set = {
                .symbol = "Fuzz",
                .name = "",
                .chipset = "",
                .uuid = "",
                .oa_format = "",
                .file = "fuzz",
                .counters = &counter,
                .counter_count = 1,
            };
            check_set(&set, hash_bytes(data, size));
        }
    }
    free(text);
    return 0;
}
