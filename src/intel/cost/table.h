/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_COST_TABLE_H
#define TALLY_INTEL_COST_TABLE_H

/* The numbers of the cost model as a table. */

#include <stdint.h>

#include "base/findings.h"
#include "base/yaml.h"
#include "intel/cost/cost.h"

enum cost_number {
#define NUMBER(symbol, ...) COST_##symbol,
#include "intel/cost/numbers.def"
    COST_NUMBERS
};

struct tally_cost {
    uint32_t numbers[COST_NUMBERS]; /* by enum cost_number */
};

struct cost_number_info {
    const char *name, *unit, *meaning;
    uint32_t min, max;
};

extern const struct cost_number_info cost_numbers[COST_NUMBERS];

/* The built-in tables, made from data/cost/ when the project is built. */
struct cost_builtin {
    uint16_t first, last; /* versions, as in tally_platform.version */
    struct tally_cost table;
};

extern const struct cost_builtin cost_builtins[];
extern const size_t cost_builtin_count;

/* Reads a file: see yaml_read(). Numbers that it does not give are those of `base`. `found` may be
 * NULL. */
int cost_table_read(struct yaml_source source, const struct tally_cost *base,
                    struct tally_cost *out, findings_visit *found, void *closure,
                    struct tally_error *error);

/* Whether a YAML file is a table of costs: it has the list "numbers". */
bool cost_table_is(const char *path);

#endif
