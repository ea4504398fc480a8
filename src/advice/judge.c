/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice/rules.h"

/* Whether a condition holds; UNKNOWN: its counters are missing, or have no value in the group. */
enum truth { FALSE, TRUE, UNKNOWN };

/* Returns the index of the first counter of an operand that the program evaluates, or -ENOENT. */
static ptrdiff_t find(const struct operand *operand, const struct tally_program *program)
{
    for (size_t i = 0; i < operand->count; i++) {
        ptrdiff_t index = tally_metric_set_counter(tally_program_set(program), operand->symbols[i]);
        if (index >= 0 && tally_program_values(program, (size_t)index))
            return index;
    }
    return -ENOENT;
}

static double value_of(const struct tally_statistic *statistics, ptrdiff_t index)
{
    return tally_value_double(statistics[index].overall, statistics[index].type);
}

/* Notes that an operand is missing, or that its counter has no value. */
static void lack(struct buffer *lacks, const struct operand *operand, bool is_missing)
{
    buffer_text(lacks, lacks->size ? ", " : "");
    buffer_printf(lacks, is_missing ? "no %s" : "%s has no value", operand->symbols[0]);
    for (size_t i = 1; is_missing && i < operand->count; i++)
        buffer_printf(lacks, " or %s", operand->symbols[i]);
}

/* Formats a value with more digits where it would be rounded to the other side of the number. */
static void format_near(char *text, size_t size, double value, double number, int digits)
{
    do
        snprintf(text, size, "%.*f", digits++, value);
    while (digits < 12 && (strtod(text, NULL) >= number) != (value >= number));
}

static void put_number(struct buffer *numbers, const struct condition *condition, double value,
                       const char *symbol, const char *divisor, const char *units)
{
    bool percent = !strcmp(units, "percent") && !divisor;
    char text[350]; /* of any double */
    format_near(text, sizeof text, value, condition->number,
                fabs(value) >= 100 ? 0
                : percent          ? 1
                                   : 2);
    buffer_text(numbers, numbers->size ? ", " : "");
    buffer_printf(numbers, "%s%s%s %s%s %s %g%s", symbol, divisor ? " / " : "",
                  divisor ? divisor : "", text, percent ? " %" : "",
                  condition->comparison == NOT_BELOW ? ">=" : "<", condition->number,
                  percent ? " %" : "");
}

static enum truth check(const struct condition *condition, const struct tally_program *program,
                        const struct tally_statistic *statistics, struct buffer *numbers,
                        struct buffer *lacks)
{
    const struct tally_counter *counters = tally_program_set(program)->counters;
    ptrdiff_t value_at = find(&condition->value, program), divisor_at = 0;
    if (value_at < 0)
        lack(lacks, &condition->value, true);
    if (condition->divisor.count && (divisor_at = find(&condition->divisor, program)) < 0)
        lack(lacks, &condition->divisor, true);
    if (value_at < 0 || divisor_at < 0)
        return UNKNOWN;
    double value = value_of(statistics, value_at);
    double divisor = condition->divisor.count ? value_of(statistics, divisor_at) : 1;
    if (divisor == 0) {
        buffer_printf(lacks, "%s%s is 0", lacks->size ? ", " : "", counters[divisor_at].symbol);
        return UNKNOWN;
    }
    value /= divisor;
    if (!isfinite(value)) {
        lack(lacks, &condition->value, false);
        return UNKNOWN;
    }
    put_number(numbers, condition, value, counters[value_at].symbol,
               condition->divisor.count ? counters[divisor_at].symbol : NULL,
               counters[value_at].units);
    bool reached = value >= condition->number;
    return reached == (condition->comparison == NOT_BELOW) ? TRUE : FALSE;
}

/* A rule is false if one of its conditions is, whatever the others lack. */
static enum truth check_rule(const struct parsed_rule *rule, const struct tally_program *program,
                             const struct tally_statistic *statistics, struct buffer *numbers,
                             struct buffer *lacks)
{
    enum truth result = TRUE;
    numbers->size = lacks->size = 0;
    for (size_t i = 0; i < rule->condition_count && result != FALSE; i++) {
        enum truth truth = check(&rule->conditions[i], program, statistics, numbers, lacks);
        result = truth == TRUE ? result : truth;
    }
    return result;
}

int advice_judge(const struct advice_rules *rules, const struct tally_program *program,
                 const struct tally_group *group, const struct tally_statistic *statistics,
                 struct advice_verdict *verdict)
{
    struct buffer lacks = {0};
    verdict->rule = NULL;
    verdict->numbers.size = verdict->unchecked.size = 0;
    for (size_t i = 0; group->deltas && i < rules->count && !verdict->rule; i++) {
        const struct parsed_rule *rule = &rules->rules[i];
        enum truth truth = check_rule(rule, program, statistics, &verdict->numbers, &lacks);
        if (truth == TRUE)
            verdict->rule = &rule->public;
        if (truth != UNKNOWN)
            continue;
        buffer_text(&verdict->unchecked, verdict->unchecked.size ? "; " : "");
        buffer_printf(&verdict->unchecked, "%s (%.*s)", rule->public.name, (int)lacks.size,
                      lacks.bytes);
    }
    if (!verdict->rule)
        verdict->numbers.size = 0;
    bool broken = lacks.broken || verdict->numbers.broken || verdict->unchecked.broken;
    buffer_fini(&lacks);
    return broken ? -ENOMEM : 0;
}

void advice_verdict_fini(struct advice_verdict *verdict)
{
    buffer_fini(&verdict->numbers);
    buffer_fini(&verdict->unchecked);
    *verdict = (struct advice_verdict){0};
}
