/* SPDX-License-Identifier: MIT */
/* Checks and loads the input as a budget, and parses it as a condition; what is valid is read the
 * same from its text. */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include "base/yaml.h"
#include "compare/check.h"
#include "lengthen.h"
#include "mistakes.h"

static void check_again(const struct check *check)
{
    struct buffer text = {0};
    struct check again;
    check_text(&text, check);
    buffer_char(&text, '\0');
    CHECK(!text.broken && strlen(check->counter) < CHECK_TEXT);
    CHECK(check_parse(text.bytes, &again) == NULL);
    CHECK(!strcmp(check->counter, again.counter) && check->statistic == again.statistic &&
          check->kind == again.kind && check->unit == again.unit &&
          check->per_second == again.per_second);
    buffer_fini(&text);
}

static void read_condition(const uint8_t *data, size_t size)
{
    struct check check;
    char *text = malloc(size + 1);
    CHECK(text);
    memcpy(text, data, size);
    text[size] = '\0';
    if (!check_parse(text, &check))
        check_again(&check);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct budget *budget;
    struct tally_error error = {0};
    struct lint_findings findings = {0};
    struct yaml_source source = yaml_in(data, size, "fuzz.yaml");
    read_condition(data, size);
    int mistakes = budget_read(&source, NULL, add_finding, &findings, &error);
    check_lint(mistakes, &findings, &error);
    error = (struct tally_error){0};
    int result = budget_read(&source, &budget, NULL, NULL, &error);
    check_load(result, mistakes, &error);
    if (result < 0)
        return 0;
    CHECK(budget->count && budget->title);
    for (size_t i = 0; i < budget->count; i++)
        check_again(&budget->checks[i]);
    budget_free(budget);
    return 0;
}
