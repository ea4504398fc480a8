/* SPDX-License-Identifier: MIT */
/* The numbers of the cost model, and files of them. */
#include "intel/cost/table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/expected.h"
#include "intel/skus.h"
#include "intel/workload/values.h"

const struct cost_number_info cost_numbers[COST_NUMBERS] = {
#define NUMBER(symbol, name, unit, min, max, meaning) {name, unit, meaning, min, max},
#include "intel/cost/numbers.def"
};

const struct tally_cost *cost_table_default(const struct intel_platform *platform)
{
    unsigned version = (unsigned)platform->info.version;
    size_t i = 0;
    while (i + 1 < cost_builtin_count &&
           (version < cost_builtins[i].first || version > cost_builtins[i].last))
        i++;
    return &cost_builtins[i].table;
}

/* ---- files ----------------------------------------------------------------------------------- */

struct raw_number {
    char *number, *value, *source;
};

struct raw_table {
    char *name, *description;
    struct raw_number *numbers;
    unsigned numbers_count;
};

// clang-format off
static const cyaml_schema_field_t number_fields[] = {
    YAML_TEXT("number", raw_number, number, 40),
    YAML_TEXT("value", raw_number, value, 40),
    YAML_TEXT("source", raw_number, source, 200),
    CYAML_FIELD_END
};

static const cyaml_schema_value_t number_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_number, number_fields),
};

static const cyaml_schema_field_t table_fields[] = {
    YAML_TEXT("name", raw_table, name, 40),
    YAML_TEXT("description", raw_table, description, 200),
    CYAML_FIELD_SEQUENCE("numbers", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct raw_table,
                         numbers, &number_schema, 0, 1000),
    CYAML_FIELD_END
};

static const cyaml_schema_value_t table_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct raw_table, table_fields),
};
// clang-format on

static unsigned find_number(const char *name)
{
    unsigned number = 0;
    while (number < COST_NUMBERS && strcmp(cost_numbers[number].name, name) != 0)
        number++;
    return number;
}

static void read_number(struct yaml *yaml, const struct raw_number *raw, bool given[COST_NUMBERS],
                        struct tally_cost *out)
{
    uint64_t value = 0;
    if (!raw->number) {
        yaml_mistake(yaml, NULL, "number is missing");
        return;
    }
    unsigned number = find_number(raw->number);
    if (number == COST_NUMBERS) {
        static const char *const names[COST_NUMBERS] = {
#define NUMBER(symbol, name, ...) name,
#include "intel/cost/numbers.def"
        };
        char expected[EXPECTED_BYTES];
        yaml_mistake(
            yaml, "number", "unknown number \"%s\"%s", raw->number,
            expected_word(expected, raw->number, names, COST_NUMBERS, "docs/cost-model.md"));
        return;
    }
    const struct cost_number_info *info = &cost_numbers[number];
    if (given[number])
        yaml_mistake(yaml, "number", "%s is given twice", raw->number);
    given[number] = true;
    if (!raw->value)
        yaml_mistake(yaml, NULL, "value of %s is missing", raw->number);
    else if (read_whole(raw->value, UINT32_MAX, &value) || value < info->min || value > info->max)
        yaml_mistake(yaml, "value", "%s \"%s\": expected %u to %u %s", raw->number, raw->value,
                     info->min, info->max, info->unit);
    if (!raw->source || !*raw->source)
        yaml_mistake(yaml, NULL, "source of %s is missing, expected a document, or assumed",
                     raw->number);
    out->numbers[number] = (uint32_t)value;
}

static bool read_table(struct yaml *yaml, const void *structs, void *table)
{
    static const struct raw_table empty;
    const struct raw_table *raw = structs ? structs : &empty;
    bool given[COST_NUMBERS] = {false};
    if (!raw->name || !*raw->name)
        yaml_mistake(yaml, NULL, "name is missing");
    if (!raw->numbers_count)
        yaml_mistake(yaml, "numbers", "numbers are missing");
    for (unsigned i = 0; i < raw->numbers_count; i++) {
        yaml->place[0] = (ptrdiff_t)i;
        read_number(yaml, &raw->numbers[i], given, table);
    }
    yaml->place[0] = -1;
    return true;
}

int cost_table_read(struct yaml_source source, const struct tally_cost *base,
                    struct tally_cost *out, findings_visit *found, void *closure,
                    struct tally_error *error)
{
    static const struct yaml_kind kind = {
        "costs", &table_schema, {"numbers", NULL}, read_table, false};
    *out = *base;
    return yaml_read(&kind, &source, out, found, closure, error);
}

bool cost_table_is(const char *path)
{
    return yaml_has(path, "numbers", "phases");
}

int tally_cost_load(const char *path, const char *platform, struct tally_cost **out,
                    struct tally_error *error)
{
    const struct intel_sku *sku = intel_sku_modelled(platform, "GPU", error);
    if (!sku)
        return -EINVAL;
    struct tally_cost *cost = malloc(sizeof *cost);
    if (!cost)
        return fail_memory(error, "costs");
    int result =
        cost_table_read((struct yaml_source){.name = path},
                        cost_table_default(intel_sku_platform(sku)), cost, NULL, NULL, error);
    if (result < 0) {
        free(cost);
        return result;
    }
    *out = cost;
    return 0;
}

void tally_cost_free(struct tally_cost *cost)
{
    free(cost);
}
