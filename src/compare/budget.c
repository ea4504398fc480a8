/* SPDX-License-Identifier: MIT */
/* Reads budgets: base/yaml fills the structs of a schema, condition.c parses the texts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "compare/check.h"

#define CHECKS_MAX 256

struct raw_check {
    char *name, *counter, *statistic, *bound, *within, *in;
};

struct raw_budget {
    char *budget, *baseline, *allow_lost;
    struct raw_check *checks;
    unsigned checks_count;
};

static const cyaml_schema_field_t check_fields[] = {
    YAML_TEXT("name", raw_check, name, 79),
    YAML_TEXT("counter", raw_check, counter, 200),
    YAML_TEXT("statistic", raw_check, statistic, 40),
    YAML_TEXT("bound", raw_check, bound, 80),
    YAML_TEXT("within", raw_check, within, 40),
    YAML_TEXT("in", raw_check, in, 80),
    CYAML_FIELD_END};

static const cyaml_schema_value_t check_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_check, check_fields),
};

static const cyaml_schema_field_t budget_fields[] = {
    YAML_TEXT("budget", raw_budget, budget, 200), YAML_TEXT("baseline", raw_budget, baseline, 1000),
    YAML_TEXT("allow-lost", raw_budget, allow_lost, 40),
    CYAML_FIELD_SEQUENCE("checks", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct raw_budget,
                         checks, &check_schema, 0, CHECKS_MAX),
    CYAML_FIELD_END};

static const cyaml_schema_value_t budget_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct raw_budget, budget_fields),
};

/* Returns the length of the counter's name, or 0 if it is none. */
static size_t counter_length(const char *text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    size_t length = strlen(text);
    bool valid = strspn(text, letters) != 0 && length < CHECK_TEXT;
    for (size_t i = 0; i < length; i++)
        valid &= strchr(letters, text[i]) || strchr("0123456789", text[i]);
    return valid ? length : 0;
}

static void read_check(struct yaml *yaml, const struct raw_check *raw, struct check *check)
{
    *check = (struct check){.statistic = CHECK_MEAN, .line = yaml_line(yaml, NULL)};
    check_parse_within("0%", check); /* the unit, if the bound is missing */
    size_t length = raw->counter ? counter_length(raw->counter) : 0;
    if (raw->name)
        memcpy(check->name, raw->name, strlen(raw->name) + 1);
    if (!raw->counter)
        yaml_mistake(yaml, NULL, "counter is missing");
    else if (yaml_expect(yaml, "counter", raw->counter, length ? NULL : "the symbol of a counter"))
        memcpy(check->counter, raw->counter, length + 1);
    if (raw->statistic)
        yaml_expect(yaml, "statistic", raw->statistic,
                    check_parse_statistic(raw->statistic, check));
    if ((raw->bound != NULL) == (raw->within != NULL))
        yaml_mistake(yaml, NULL, "expected one of bound and within");
    else if (raw->bound)
        yaml_expect(yaml, "bound", raw->bound, check_parse_bound(raw->bound, check));
    else
        yaml_expect(yaml, "within", raw->within, check_parse_within(raw->within, check));
    if (raw->in)
        yaml_expect(yaml, "in", raw->in, check_parse_place(raw->in, check));
}

static bool read_budget(struct yaml *yaml, const void *structs, void *out)
{
    static const struct raw_budget nothing;
    const struct raw_budget *raw = structs ? structs : &nothing;
    struct budget *budget = out;
    budget->allowed_lost = -1;
    if (!raw->budget)
        yaml_mistake(yaml, "budget", "budget, a title, is missing");
    if (!raw->checks_count)
        yaml_mistake(yaml, "checks", "checks are missing");
    if (raw->allow_lost)
        yaml_expect(yaml, "allow-lost", raw->allow_lost,
                    share_parse(raw->allow_lost, &budget->allowed_lost));
    budget->title = strdup(raw->budget ? raw->budget : "");
    budget->baseline = raw->baseline ? strdup(raw->baseline) : NULL;
    budget->checks = calloc(raw->checks_count + 1, sizeof *budget->checks);
    if (!budget->title || (raw->baseline && !budget->baseline) || !budget->checks)
        return false;
    while (budget->count < raw->checks_count) {
        yaml->place[0] = (ptrdiff_t)budget->count;
        read_check(yaml, &raw->checks[budget->count], &budget->checks[budget->count]);
        budget->count++;
    }
    return true;
}

/* Makes the path of the baseline. */
static int find_baseline(struct budget *budget, const struct yaml_source *source,
                         struct tally_error *error)
{
    if (!budget->baseline)
        return 0;
    char *path = yaml_path(source, budget->baseline);
    free(budget->baseline);
    budget->baseline = path;
    return path ? 0 : fail_memory(error, "a path");
}

int budget_read(const struct yaml_source *source, struct budget **out, findings_visit *found,
                void *closure, struct tally_error *error)
{
    static const struct yaml_kind kind = {
        "a budget", &budget_schema, {"checks"}, read_budget, false};
    struct budget *budget = calloc(1, sizeof *budget);
    int result = budget ? yaml_read(&kind, source, budget, found, closure, error)
                        : fail_memory(error, kind.what);
    if (result == 0)
        result = find_baseline(budget, source, error);
    if (result == 0 && out)
        *out = budget;
    else
        budget_free(budget);
    return result;
}

struct budget *budget_new(void)
{
    struct budget *budget = calloc(1, sizeof *budget);
    if (budget)
        budget->allowed_lost = -1;
    return budget;
}

int budget_add(struct budget *budget, const char *condition, const char **expected)
{
    struct check *grown = realloc(budget->checks, (budget->count + 1) * sizeof *grown);
    if (!grown)
        return -ENOMEM;
    budget->checks = grown;
    *expected = check_parse(condition, &grown[budget->count]);
    if (*expected)
        return -EINVAL;
    budget->count++;
    return 0;
}

void budget_set_options(const struct budget *budget, struct check_options *options)
{
    if (budget->allowed_lost >= 0)
        options->allowed_lost = budget->allowed_lost;
    options->baseline = budget->baseline;
}

bool budget_is(const char *path)
{
    return yaml_has(path, "checks", "phases");
}

void budget_free(struct budget *budget)
{
    if (!budget)
        return;
    free(budget->title);
    free(budget->baseline);
    free(budget->checks);
    free(budget);
}
