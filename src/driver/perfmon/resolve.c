/* SPDX-License-Identifier: MIT */
/* Looks up the signals of an expression in a chipset's domains. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/nearest.h"
#include "driver/perfmon/chips.h"
#include "driver/perfmon/expression.h"

struct lookup {
    const struct expression *expression;
    const struct tally_chipset *chipset;
    struct tally_error *error;
};

/* Fails with the expression, and the position of a name in it. */
#define FAIL_AT(lookup, name, code, ...)                                                           \
    (fail((lookup)->error, (code), __VA_ARGS__), fail_at(lookup, (name)->position, (code)))
#define FAIL(lookup, code, ...)                                                                    \
    (fail((lookup)->error, (code), __VA_ARGS__), fail_at(lookup, 0, (code)))
static int fail_at(const struct lookup *lookup, size_t position, int code)
{
    char shown[EXPRESSION_SHOWN], place[32] = "";
    if (position)
        snprintf(place, sizeof place, ", at %zu", position);
    fail_in(lookup->error, "expression \"%s\"%s", expression_shown(lookup->expression->text, shown),
            place);
    return code;
}

static int find(const struct lookup *lookup, const struct expression_name *name, unsigned domain)
{
    return name->index >= 0 ? name->index : tally_signal_find(lookup->chipset, domain, name->text);
}

static bool has_all(const struct lookup *lookup, unsigned domain)
{
    for (unsigned i = 0; i < lookup->expression->name_count; i++)
        if (find(lookup, &lookup->expression->names[i], domain) < 0)
            return false;
    return true;
}

/* ---- messages -------------------------------------------------------------------------------- */

/* The nearest name of the signals of a domain, or of any; elements of groups with their number. */
#define CANDIDATES_MAX 1024
static void name_nearest(const struct lookup *lookup, const char *word, int domain,
                         char text[EXPRESSION_NAME])
{
    const char **words = calloc(CANDIDATES_MAX, sizeof *words);
    const char *near, *bracket = strrchr(word, '[');
    struct tally_signal signal;
    size_t count = 0;
    *text = '\0';
    for (size_t i = 0;
         words && count + 2 <= CANDIDATES_MAX && tally_signal_at(lookup->chipset, i, &signal) == 0;
         i++) {
        if ((domain >= 0 && signal.domain != domain) || signal.index != signal.group_first)
            continue;
        if (!strstr(signal.name, "???"))
            words[count++] = signal.name;
        if (*signal.alias)
            words[count++] = signal.alias;
    }
    near = count ? nearest_word(word, words, count) : NULL;
    for (size_t i = 0; near && tally_signal_at(lookup->chipset, i, &signal) == 0; i++) {
        if (strcmp(signal.name, near) != 0 || (domain >= 0 && signal.domain != domain))
            continue;
        if (signal.group_last > signal.group_first) {
            unsigned long number = bracket ? strtoul(bracket + 1, NULL, 10) : 0;
            unsigned long last = (unsigned long)(signal.group_last - signal.group_first);
            snprintf(text, EXPRESSION_NAME, "%.70s[%lu]", near, number > last ? last : number);
            near = NULL;
        }
        break;
    }
    if (near)
        snprintf(text, EXPRESSION_NAME, "%s", near);
    free(words);
}

static int fail_unknown(const struct lookup *lookup, const struct expression_name *name, int domain)
{
    const char *title = lookup->chipset->name;
    char near[EXPRESSION_NAME], where[48] = "";
    if (domain >= 0)
        snprintf(where, sizeof where, " of domain %s", tally_domain_name((unsigned)domain));
    if (strstr(name->text, "???"))
        return FAIL_AT(lookup, name, -ENOENT,
                       "the meaning of \"%s\" is unknown, expected an index such as 0x07 "
                       "(see tally list signals --chipset %s)",
                       name->text, title);
    name_nearest(lookup, name->text, domain, near);
    if (*near)
        return FAIL_AT(lookup, name, -ENOENT,
                       "unknown signal \"%s\"%s, expected %s (see tally list signals "
                       "--chipset %s)",
                       name->text, where, near, title);
    return FAIL_AT(lookup, name, -ENOENT,
                   "unknown signal \"%s\"%s: none of %s is published, expected an index such "
                   "as 0x07",
                   name->text, where, title);
}

/* Why a domain does not have a signal. */
static int fail_in_domain(const struct lookup *lookup, const struct expression_name *name,
                          unsigned domain)
{
    struct tally_signal signal;
    int result = find(lookup, name, domain);
    if (result == -ENODATA)
        return FAIL_AT(lookup, name, -ENOENT,
                       "the index of \"%s\" in domain %s of %s is not published, expected an "
                       "index such as 0x8f",
                       name->text, tally_domain_name(domain), lookup->chipset->name);
    for (size_t i = 0; result == -ENOTUNIQ && !tally_signal_at(lookup->chipset, i, &signal); i++)
        if (signal.domain == domain && signal.group_last > signal.group_first &&
            !strcasecmp(signal.name, name->text))
            return FAIL_AT(lookup, name, -ENOENT, "\"%s\" is a group, expected %s[0] to %s[%d]",
                           name->text, signal.name, signal.name,
                           signal.group_last - signal.group_first);
    if (result == -ENOTUNIQ)
        return FAIL_AT(lookup, name, -ENOENT,
                       "\"%s\" is several signals of domain %s, expected an index", name->text,
                       tally_domain_name(domain));
    return fail_unknown(lookup, name, (int)domain);
}

/* No domain has all signals: says which one is unknown, or which two are apart. */
static int fail_apart(const struct lookup *lookup)
{
    const struct expression_name *first = NULL;
    unsigned first_domain = 0;
    for (unsigned i = 0; i < lookup->expression->name_count; i++) {
        const struct expression_name *name = &lookup->expression->names[i];
        int hidden = -1, home = -1;
        if (name->index >= 0)
            continue;
        for (unsigned domain = TALLY_DOMAINS; domain-- > 0;) {
            if (!perfmon_has_domain(lookup->chipset, domain))
                continue;
            int result = find(lookup, name, domain);
            home = result >= 0 ? (int)domain : home;
            hidden = result == -ENOTUNIQ || result == -ENODATA ? (int)domain : hidden;
        }
        if (home < 0)
            return hidden < 0 ? fail_unknown(lookup, name, ANY_DOMAIN)
                              : fail_in_domain(lookup, name, (unsigned)hidden);
        if (first && find(lookup, name, first_domain) < 0)
            return FAIL_AT(lookup, name, -ENOENT,
                           "\"%s\" is in domain %s, \"%s\" in domain %s: a counter counts "
                           "signals of one domain",
                           name->text, tally_domain_name((unsigned)home), first->text,
                           tally_domain_name(first_domain));
        if (!first) {
            first = name;
            first_domain = (unsigned)home;
        }
    }
    return FAIL(lookup, -ENOENT, "no domain of %s has all signals", lookup->chipset->name);
}

static int fail_ambiguous(const struct lookup *lookup, unsigned first, unsigned second)
{
    const struct expression_name *name = NULL;
    for (unsigned i = lookup->expression->name_count; i-- > 0;)
        if (lookup->expression->names[i].index < 0)
            name = &lookup->expression->names[i];
    if (!name)
        return FAIL(lookup, -ENOTUNIQ, "the domain is missing, expected one such as %s: in front",
                    tally_domain_name(first));
    return FAIL_AT(lookup, name, -ENOTUNIQ,
                   "\"%s\" is in domains %s and %s, expected %s: or %s: in front of it", name->text,
                   tally_domain_name(first), tally_domain_name(second), tally_domain_name(first),
                   tally_domain_name(second));
}

/* ---- the domain ------------------------------------------------------------------------------ */

static int fail_domain(const struct lookup *lookup, unsigned domain)
{
    char expected[64];
    perfmon_describe_domains(lookup->chipset, expected, sizeof expected);
    return FAIL(lookup, -ENOENT, "domain %s, expected %s (%s)", tally_domain_name(domain), expected,
                lookup->chipset->name);
}

/* Finds the only domain that has all signals. */
static int find_domain(const struct lookup *lookup)
{
    int found = -1;
    for (unsigned domain = 0; domain < TALLY_DOMAINS; domain++) {
        if (!perfmon_has_domain(lookup->chipset, domain) || !has_all(lookup, domain))
            continue;
        if (found >= 0)
            return fail_ambiguous(lookup, (unsigned)found, domain);
        found = (int)domain;
    }
    return found < 0 ? fail_apart(lookup) : found;
}

static int choose_domain(const struct lookup *lookup, int wanted)
{
    int prefix = lookup->expression->domain;
    int domain = wanted == ANY_DOMAIN ? prefix : wanted;
    if (wanted != ANY_DOMAIN && prefix != ANY_DOMAIN && wanted != prefix)
        return FAIL(lookup, -ENOENT, "domain %s, expected %s as requested",
                    tally_domain_name((unsigned)prefix), tally_domain_name((unsigned)wanted));
    if (domain == ANY_DOMAIN)
        return find_domain(lookup);
    if (!perfmon_has_domain(lookup->chipset, (unsigned)domain))
        return fail_domain(lookup, (unsigned)domain);
    for (unsigned i = 0; i < lookup->expression->name_count; i++)
        if (find(lookup, &lookup->expression->names[i], (unsigned)domain) < 0)
            return fail_in_domain(lookup, &lookup->expression->names[i], (unsigned)domain);
    return domain;
}

int expression_resolve(const struct expression *expression, const struct tally_chipset *chipset,
                       int *domain, int *instance, struct perfmon_function *function,
                       struct tally_error *error)
{
    const struct lookup lookup = {expression, chipset, error};
    int chosen = choose_domain(&lookup, *domain);
    if (chosen < 0)
        return chosen;
    if (*instance == ALL_INSTANCES)
        *instance = expression->instance;
    unsigned instances = perfmon_instances(chipset, (unsigned)chosen);
    if (*instance != ALL_INSTANCES && (unsigned)*instance >= instances)
        return FAIL(&lookup, -ENOENT, "%s[%d], expected 0 to %u (%s)",
                    tally_domain_name((unsigned)chosen), *instance, instances - 1, chipset->name);
    if (instances == 1)
        *instance = ALL_INSTANCES;
    *domain = chosen;
    *function = (struct perfmon_function){
        .bit_count = (uint8_t)expression->bit_count,
        .logic = {.count = (uint8_t)expression->leaf_count, .table = expression->table}};
    for (unsigned i = 0; i < expression->bit_count; i++)
        function->bits[i] =
            (uint8_t)find(&lookup, &expression->names[expression->bits[i]], (unsigned)chosen);
    for (unsigned i = 0; i < expression->leaf_count; i++) {
        function->logic.signals[i] =
            (uint8_t)find(&lookup, &expression->names[expression->leaves[i]], (unsigned)chosen);
        function->logic.delayed[i] = expression->delayed[i];
    }
    perfmon_logic_reduce(&function->logic);
    return 0;
}
