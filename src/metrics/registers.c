/* SPDX-License-Identifier: MIT */
/* The register writes of a metric set on a GPU. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "metrics/program.h"

/* Returns 1 if a config is available on a GPU, 0 if not, or a negative errno: an availability may
 * only use variables, since registers are programmed before there are reports. */
static int is_available(const struct tally_metric_set *set,
                        const struct tally_register_config *config,
                        const struct tally_environment *environment, struct tally_error *error)
{
    struct equation equation = {0};
    unsigned line = config->write_count ? config->writes[0].line : set->line;
    if (!*config->availability)
        return 1;
    int result = equation_parse(config->availability, NULL, &equation, error);
    for (size_t i = 0; result == 0 && i < equation.count; i++)
        if (equation.nodes[i].op == OP_READ)
            result = fail(error, -EBADMSG, "reads a counter, expected $Variables and numbers");
    if (result == 0)
        result = is_nonzero_or_empty(&equation, environment, NULL);
    else
        fail_in(error, "%s:%u: %s register_config availability", set->file, line, set->symbol);
    equation_fini(&equation);
    return result;
}

static int by_priority(const void *left, const void *right)
{
    const struct tally_register_config *const *a = left, *const *b = right;
    if ((*a)->priority != (*b)->priority)
        return (*a)->priority < (*b)->priority ? -1 : 1;
    return *a < *b ? -1 : *a > *b; /* equal priorities: in the order of the file */
}

ptrdiff_t tally_metric_set_writes(const struct tally_metric_set *set, const char *type,
                                  const struct tally_environment *environment,
                                  struct tally_register_write **out, struct tally_error *error)
{
    const struct tally_register_config **chosen = calloc(set->config_count + 1, sizeof(void *));
    struct tally_register_write *writes = NULL;
    size_t configs = 0, count = 0;
    int result = chosen ? 0 : -ENOMEM;
    for (size_t i = 0; i < set->config_count && result >= 0; i++) {
        const struct tally_register_config *config = &set->configs[i];
        if (strcmp(config->type, type) != 0)
            continue;
        result = is_available(set, config, environment, error);
        if (result > 0) {
            chosen[configs++] = config;
            count += config->write_count;
        }
    }
    if (result >= 0 && count && !(writes = calloc(count, sizeof *writes)))
        result = -ENOMEM;
    if (result >= 0) {
        qsort(chosen, configs, sizeof(void *), by_priority);
        count = 0;
        for (size_t i = 0; i < configs; i++) {
            size_t added = chosen[i]->write_count;
            if (added) /* a config without registers has no list */
                memcpy(writes + count, chosen[i]->writes, added * sizeof *writes);
            count += added;
        }
        *out = writes;
    }
    free(chosen);
    if (result == -ENOMEM)
        return fail_memory(error, "a metric set's registers");
    return result < 0 ? result : (ptrdiff_t)count;
}
