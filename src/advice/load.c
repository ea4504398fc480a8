/* SPDX-License-Identifier: MIT */
/* Reads rules: base/yaml fills the structs of a schema; the conditions have a parser of their own.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice/rules.h"
#include "base/error.h"
#include "base/named.h"
#include "base/yaml.h"

#define RULES_MAX 64

struct raw_rule {
    char *name, *limit, *says, *when, *source;
};

struct raw_rules {
    char *platforms;
    struct raw_rule *rules;
    unsigned rules_count;
};

static const cyaml_schema_field_t rule_fields[] = {
    YAML_TEXT("name", raw_rule, name, 40),      YAML_TEXT("limit", raw_rule, limit, 80),
    YAML_TEXT("says", raw_rule, says, 400),     YAML_TEXT("when", raw_rule, when, 300),
    YAML_TEXT("source", raw_rule, source, 300), CYAML_FIELD_END};

static const cyaml_schema_value_t rule_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_rule, rule_fields),
};

static const cyaml_schema_field_t rules_fields[] = {
    YAML_TEXT("platforms", raw_rules, platforms, 200),
    CYAML_FIELD_SEQUENCE("rules", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct raw_rules, rules,
                         &rule_schema, 0, RULES_MAX),
    CYAML_FIELD_END};

static const cyaml_schema_value_t rules_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct raw_rules, rules_fields),
};

/* ---- conditions ------------------------------------------------------------------------------ */

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " ");
}

static bool read_operand(const char **at, struct operand *operand)
{
    operand->count = 0;
    do {
        const char *start = *at = skip_blanks(*at + (operand->count != 0));
        while (isalnum((unsigned char)**at) || **at == '_')
            (*at)++;
        size_t size = (size_t)(*at - start);
        if (!size || size >= SYMBOL_MAX || isdigit((unsigned char)*start) ||
            operand->count == CHOICES_MAX)
            return false;
        memcpy(operand->symbols[operand->count], start, size);
        operand->symbols[operand->count++][size] = '\0';
        *at = skip_blanks(*at);
    } while (**at == '|');
    return true;
}

static const char *read_condition(const char **at, struct condition *condition)
{
    char *end;
    if (!read_operand(at, &condition->value))
        return "a counter";
    condition->divisor.count = 0;
    if (**at == '/') {
        ++*at;
        if (!read_operand(at, &condition->divisor))
            return "a counter after /";
    }
    if (!strncmp(*at, ">=", 2))
        condition->comparison = NOT_BELOW;
    else if (**at == '<' && (*at)[1] != '=')
        condition->comparison = BELOW;
    else
        return ">= or <";
    *at = skip_blanks(*at + (condition->comparison == NOT_BELOW ? 2 : 1));
    if (!isdigit((unsigned char)**at))
        return "a number";
    condition->number = strtod(*at, &end);
    *at = skip_blanks(end);
    return isfinite(condition->number) ? NULL : "a number";
}

const char *conditions_parse(const char *text, struct parsed_rule *rule)
{
    const char *at = text, *expected = NULL;
    rule->condition_count = 0;
    while (!expected) {
        if (rule->condition_count == CONDITIONS_MAX)
            return "at most 8 conditions";
        expected = read_condition(&at, &rule->conditions[rule->condition_count++]);
        if (expected || !*at)
            return expected;
        expected = *at++ == ',' ? NULL : "a comma between conditions";
    }
    return expected;
}

/* ---- files ----------------------------------------------------------------------------------- */

static void rule_free(struct parsed_rule *rule)
{
    free((char *)rule->public.name);
    free((char *)rule->public.limit);
    free((char *)rule->public.says);
    free((char *)rule->public.when);
    free((char *)rule->public.source);
}

void advice_rules_free(struct advice_rules *rules)
{
    if (!rules)
        return;
    for (size_t i = 0; i < rules->count; i++)
        rule_free(&rules->rules[i]);
    free(rules->rules);
    free(rules->platforms);
    free(rules->file);
    free(rules);
}

/* Copies a text that a rule must have. Returns false if out of memory. */
static bool take_text(struct yaml *yaml, const char *key, const char *raw, const char **to)
{
    if (!raw || !*raw)
        yaml_mistake(yaml, NULL, "%s is missing", key);
    return (*to = strdup(raw ? raw : "")) != NULL;
}

static bool read_rule(struct yaml *yaml, const struct raw_rule *raw, struct parsed_rule *out)
{
    out->public.line = yaml_line(yaml, NULL);
    bool done = take_text(yaml, "name", raw->name, &out->public.name);
    done &= take_text(yaml, "limit", raw->limit, &out->public.limit);
    done &= take_text(yaml, "says", raw->says, &out->public.says);
    done &= take_text(yaml, "when", raw->when, &out->public.when);
    done &= take_text(yaml, "source", raw->source, &out->public.source);
    if (done && raw->when && *raw->when)
        yaml_expect(yaml, "when", raw->when, conditions_parse(raw->when, out));
    return done;
}

static bool read_rules(struct yaml *yaml, const void *structs, void *rules)
{
    static const struct raw_rules nothing;
    const struct raw_rules *raw = structs ? structs : &nothing;
    struct advice_rules *out = rules;
    if (!raw->platforms)
        yaml_mistake(yaml, "platforms", "platforms are missing");
    if (!raw->rules_count)
        yaml_mistake(yaml, "rules", "rules are missing");
    out->platforms = strdup(raw->platforms ? raw->platforms : "");
    out->rules = calloc(raw->rules_count + 1, sizeof *out->rules);
    if (!out->platforms || !out->rules)
        return false;
    while (out->count < raw->rules_count) {
        yaml->place[0] = (ptrdiff_t)out->count;
        out->count++;
        if (!read_rule(yaml, &raw->rules[out->count - 1], &out->rules[out->count - 1]))
            return false;
    }
    return true;
}

int advice_read(const struct yaml_source *source, struct advice_rules **out, findings_visit *found,
                void *closure, struct tally_error *error)
{
    static const struct yaml_kind kind = {
        "rules of advice", &rules_schema, {"rules"}, read_rules, false};
    struct advice_rules *rules = calloc(1, sizeof *rules);
    int result = rules && (rules->file = strdup(source->name))
                     ? yaml_read(&kind, source, rules, found, closure, error)
                     : fail_memory(error, kind.what);
    if (result == 0 && out)
        *out = rules;
    else
        advice_rules_free(rules);
    return result;
}

bool advice_is(const char *path)
{
    return yaml_has(path, "rules", "phases");
}

/* ---- by platform ----------------------------------------------------------------------------- */

struct search {
    const char *platform;
    struct advice_rules *found;
    struct tally_error error; /* of the first file that cannot be read */
};

static bool lists(const char *names, const char *name)
{
    for (size_t size; *names; names += size + (names[size] == ' ')) {
        size = strcspn(names, " ");
        if (size == strlen(name) && !strncmp(names, name, size))
            return true;
    }
    return false;
}

static void try_file(void *closure, const char *path)
{
    struct search *search = closure;
    struct advice_rules *rules;
    struct tally_error error = {0};
    if (search->found || search->error.code)
        return;
    if (advice_read(&(struct yaml_source){.name = path}, &rules, NULL, NULL, &error) < 0) {
        search->error = error;
        return;
    }
    if (lists(rules->platforms, search->platform))
        search->found = rules;
    else
        advice_rules_free(rules);
}

int advice_load(const char *platform, struct advice_rules **out, struct tally_error *error)
{
    static const struct named_files files = {"rules of advice", "advice", "TALLY_ADVICE_PATH"};
    struct search search = {.platform = platform};
    int result = named_list(&files, try_file, &search);
    if (search.error.code) {
        if (error)
            *error = search.error;
        return search.error.code;
    }
    if (result < 0)
        return fail(error, result, "rules of advice: %s", strerror(-result));
    if (!search.found)
        return fail(error, -ENOENT, "no rules of advice for %s in the search path", platform);
    *out = search.found;
    return 0;
}
