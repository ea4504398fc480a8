/* SPDX-License-Identifier: MIT */
/*
 * Loads the input as a metric-set file, checks it with lint, compiles it for a platform, and runs
 * it on reports of zeros.
 */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include <tally/metrics.h>

#include "base/bits.h"
#include "lengthen.h"

/* Returns the platform of the set's chipset; Skylake if it is unknown. */
static const struct tally_platform *platform_of(const struct tally_metric_set *set)
{
    char name[4] = "";
    for (size_t i = 0; i < 3 && set->chipset[i]; i++)
        name[i] = set->chipset[i];
    const struct tally_platform *platform = tally_platform_find(name);
    return platform ? platform : tally_platform_find("skl");
}

static const struct tally_layout *layout_of(const struct tally_platform *platform)
{
    const struct tally_layout *layout = tally_layout_for_kernel(platform, platform->default_format);
    for (size_t i = 0; !layout; i++)
        if (!strcmp(tally_layout_at(i)->family, platform->layout_family))
            layout = tally_layout_at(i);
    return layout;
}

static void found(void *closure, enum tally_lint_severity severity, unsigned line,
                  const char *message)
{
    int *errors = closure;
    CHECK(severity <= TALLY_LINT_NOTE);
    CHECK(line > 0);
    CHECK(*message && !strchr(message, '\n'));
    *errors += severity == TALLY_LINT_ERROR;
}

static void write_nothing(void *closure, const char *text)
{
    *(size_t *)closure += strlen(text);
}

static void run(struct tally_program *program, const struct tally_metric_set *set)
{
    static const uint8_t zeros[1024];
    static const uint64_t deltas[TALLY_SLOT_COUNT];
    const uint8_t *reports[TALLY_BLOCK + 1];
    union tally_value *values = calloc(set->counter_count + 1, sizeof *values), maximum;
    for (size_t i = 0; i <= TALLY_BLOCK; i++)
        reports[i] = zeros;
    tally_program_run(program, reports, TALLY_BLOCK);
    tally_program_evaluate(program, deltas, values);
    for (size_t i = 0; i < set->counter_count; i++) {
        const union tally_value *block = tally_program_values(program, i);
        enum tally_counter_state state = tally_program_state(program, i);
        size_t written = 0;
        CHECK(*tally_counter_state_name(state));
        CHECK((block != NULL) == (state == TALLY_COUNTER_OK));
        for (size_t d = 0; block && d < TALLY_BLOCK; d++)
            CHECK(block[d].u == values[i].u);
        int result = tally_program_maximum(program, i, deltas, &maximum);
        CHECK(result == 0 || result == -ENODATA);
        if (i < 4 && strlen(set->counters[i].equation) < 400) {
            struct tally_error error = {0};
            result = tally_program_explain(program, i, i % 2 ? deltas : NULL, write_nothing,
                                           &written, &error);
            CHECK(result == 0 ? written > 0 : error.code == result);
        }
    }
    free(values);
}

static void check_set(const struct tally_metric_set *set)
{
    const struct tally_platform *platform = platform_of(set);
    struct tally_environment environment;
    struct tally_error error = {0};
    struct tally_program *program;
    int errors = 0;
    CHECK(set->symbol && set->name && set->chipset && set->uuid && set->oa_format && set->file);
    int result = tally_lint(set, found, &errors);
    CHECK(result == errors);
    tally_environment_default(platform, &environment);
    result = tally_program_new(set, &environment, layout_of(platform), &program, &error);
    CHECK(result == error.code);
    if (result < 0) {
        /* Lint must report an error, too. */
        CHECK(result == -EBADMSG && errors > 0);
        return;
    }
    run(program, set);
    tally_program_free(program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tally_metric_file *file;
    struct tally_error error = {0};
    int result = tally_metric_file_load_memory(data, size, "fuzz.xml", &file, &error);
    CHECK(result == error.code);
    CHECK(result == 0 || result == -EBADMSG);
    if (result < 0)
        return 0;
    const struct tally_metric_set *sets;
    size_t count = tally_metric_file_sets(file, &sets);
    for (size_t i = 0; i < count; i++)
        check_set(&sets[i]);
    tally_metric_file_free(file);
    return 0;
}
