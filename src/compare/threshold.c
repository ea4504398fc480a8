/* SPDX-License-Identifier: MIT */
/* Limits for changes. */
#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare.h"

const char *threshold_parse(char *text, struct compare_threshold *out)
{
    char *equals = strchr(text, '='), *at = equals ? equals + 1 : text, *end;
    *out = (struct compare_threshold){0};
    if (equals == text)
        return "a counter before =";
    out->direction = *at == '+' ? 1 : *at == '-' ? -1 : 0;
    at += out->direction != 0;
    if (!isdigit((unsigned char)*at))
        return "a share such as 5%, +5%, -5% or EuActive=5%";
    out->share = strtod(at, &end) / 100;
    if (strcmp(end, "%") != 0 || !isfinite(out->share))
        return "a share such as 5%, +5%, -5% or EuActive=5%";
    if (equals) {
        *equals = '\0';
        out->counter = text;
    }
    return NULL;
}

const struct compare_threshold *threshold_passed(const struct comparison *comparison,
                                                 const struct compare_change *change,
                                                 const struct compare_threshold *thresholds,
                                                 size_t count)
{
    const struct compare_threshold *found = NULL;
    const char *symbol = comparison->counters[change->counter].symbol;
    double by = change->result.change;
    for (size_t i = 0; i < count; i++) {
        bool named = thresholds[i].counter != NULL;
        if (named ? !fnmatch(thresholds[i].counter, symbol, FNM_CASEFOLD)
                  : !found || !found->counter)
            found = &thresholds[i];
    }
    if (!found || !change->significant || (found->direction && by * found->direction <= 0))
        return NULL;
    return fabs(by) >= found->share ? found : NULL;
}
