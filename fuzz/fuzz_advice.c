/* SPDX-License-Identifier: MIT */
/* Checks and loads the input as rules of advice, and judges a group with them. */
#include "fuzz.h"

#include <errno.h>

#include "advice/advice.h"
#include "base/yaml.h"
#include "lengthen.h"
#include "mistakes.h"

static void judge(const struct advice_rules *rules)
{
    static const struct tally_counter counter = {.symbol = "EuActive",
                                                 .equation = "A 7 READ",
                                                 .units = "percent",
                                                 .max_equation = "",
                                                 .availability = ""};
    static const struct tally_metric_set set = {
        .symbol = "One", .file = "one", .counters = &counter, .counter_count = 1};
    struct tally_environment environment;
    struct tally_program *program;
    struct advice_verdict verdict = {0};
    const struct tally_group group = {.deltas = 1, .ticks = 1};
    const struct tally_statistic statistic = {.overall.u = 60};
    tally_environment_default(tally_platform_find("skl"), &environment);
    CHECK(tally_program_new(&set, &environment, tally_layout_find("skl/101"), &program, NULL) == 0);
    CHECK(advice_judge(rules, program, &group, &statistic, &verdict) == 0);
    CHECK(!verdict.rule || verdict.numbers.size);
    advice_verdict_fini(&verdict);
    tally_program_free(program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct advice_rules *rules;
    struct tally_error error = {0};
    struct lint_findings findings = {0};
    struct yaml_source source = yaml_in(data, size, "fuzz.yaml");
    int mistakes = advice_read(&source, NULL, add_finding, &findings, &error);
    check_lint(mistakes, &findings, &error);
    error = (struct tally_error){0};
    int result = advice_read(&source, &rules, NULL, NULL, &error);
    check_load(result, mistakes, &error);
    if (result < 0)
        return 0;
    judge(rules);
    advice_rules_free(rules);
    return 0;
}
