/* SPDX-License-Identifier: MIT */
/* Parses conditions. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "compare/check.h"

const char *const check_statistics[CHECK_STATISTICS] = {"overall", "min", "mean", "p50",
                                                        "p95",     "p99", "max",  "sum"};

static const struct check_unit units[] = {
    {"", 1, NULL},
    {"%", 1, "percent"},
    {"ns", 1, "ns"},
    {"us", 1e3, "ns"},
    {"ms", 1e6, "ns"},
    {"s", 1e9, "ns"},
    {"Hz", 1, "hz"},
    {"kHz", 1e3, "hz"},
    {"MHz", 1e6, "hz"},
    {"GHz", 1e9, "hz"},
    {"B", 1, "bytes"},
    {"kB", 1e3, "bytes"},
    {"MB", 1e6, "bytes"},
    {"GB", 1e9, "bytes"},
    {"KiB", 1024, "bytes"},
    {"MiB", 1048576, "bytes"},
    {"GiB", 1073741824, "bytes"},
    {"k", 1e3, NULL},
    {"M", 1e6, NULL},
    {"G", 1e9, NULL},
};

static const struct {
    const char *text;
    enum check_kind kind;
} comparisons[] = {/* the longer ones first */
                   {">=", CHECK_NOT_BELOW},
                   {"<=", CHECK_NOT_ABOVE},
                   {">", CHECK_ABOVE},
                   {"<", CHECK_BELOW}};

static const struct {
    const char *name;
    enum tally_group_by by;
} places[] = {{"phase", TALLY_BY_PHASE},
              {"context", TALLY_BY_CONTEXT},
              {"frame", TALLY_BY_FRAME},
              {"mark", TALLY_BY_MARK}};

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* Reads a word of letters, digits and underscores. Returns its end. */
static const char *word_end(const char *at)
{
    while (isalnum((unsigned char)*at) || *at == '_')
        at++;
    return at;
}

/* Copies a word. Returns whether it is one and fits. */
static bool copy_word(char to[CHECK_TEXT], const char *from, const char *end)
{
    size_t size = (size_t)(end - from);
    if (!size || size >= CHECK_TEXT || isdigit((unsigned char)*from))
        return false;
    memcpy(to, from, size);
    to[size] = '\0';
    return true;
}

const char *check_parse_statistic(const char *text, struct check *check)
{
    for (size_t i = 0; i < CHECK_STATISTICS; i++)
        if (!strcmp(text, check_statistics[i])) {
            check->statistic = (enum check_statistic)i;
            return NULL;
        }
    return "overall, min, mean, p50, p95, p99, max or sum";
}

/* Reads "EuActive" or "p95(EuActive)". */
static const char *read_value(const char **at, struct check *check)
{
    char statistic[CHECK_TEXT];
    const char *start = skip_blanks(*at), *end = word_end(start), *next = skip_blanks(end);
    check->statistic = CHECK_MEAN;
    if (*next == '(') {
        if (!copy_word(statistic, start, end))
            return "a statistic before (";
        const char *expected = check_parse_statistic(statistic, check);
        if (expected)
            return expected;
        start = skip_blanks(next + 1);
        end = word_end(start);
        next = skip_blanks(end);
        if (*next != ')')
            return "a counter and )";
        next++;
    }
    if (!copy_word(check->counter, start, end))
        return "a counter, such as EuActive or p95(EuActive)";
    *at = next;
    return NULL;
}

static const char *read_unit(const char **at, struct check *check)
{
    const char *start = skip_blanks(*at), *end = start;
    if (*end == '%')
        end++;
    else
        while (isalpha((unsigned char)*end))
            end++;
    size_t size = (size_t)(end - start);
    check->unit = &units[0];
    if (size == 2 && !strncmp(start, "in", 2)) /* the place begins */
        size = 0;
    for (size_t i = 0; i < ARRAY_COUNT(units); i++)
        if (strlen(units[i].name) == size && !strncmp(start, units[i].name, size)) {
            check->unit = &units[i];
            *at = start + size;
            check->per_second = !strncmp(*at, "/s", 2);
            *at += check->per_second ? 2 : 0;
            return NULL;
        }
    return "a unit: %, ns, us, ms, s, Hz, kHz, MHz, GHz, B, kB, MB, GB, KiB, MiB, GiB, k, M or G";
}

/* Reads "> 60 %". */
static const char *read_bound(const char **at, struct check *check)
{
    const char *from = skip_blanks(*at);
    char *end;
    size_t i = 0;
    while (i < ARRAY_COUNT(comparisons) &&
           strncmp(from, comparisons[i].text, strlen(comparisons[i].text)) != 0)
        i++;
    if (i == ARRAY_COUNT(comparisons))
        return ">, >=, <, <= or within";
    check->kind = comparisons[i].kind;
    from = skip_blanks(from + strlen(comparisons[i].text));
    if (!isdigit((unsigned char)from[*from == '-']))
        return "a number";
    check->bound = strtod(from, &end);
    if (!isfinite(check->bound))
        return "a number";
    *at = end;
    return read_unit(at, check);
}

/* Reads "5%", "+5%" or "-5%". */
static const char *read_within(const char **at, struct check *check)
{
    const char *from = skip_blanks(*at);
    char *end;
    check->kind = *from == '+'   ? CHECK_WITHIN_ABOVE
                  : *from == '-' ? CHECK_WITHIN_BELOW
                                 : CHECK_WITHIN;
    from += check->kind != CHECK_WITHIN;
    check->unit = &units[0];
    if (!isdigit((unsigned char)*from))
        return "a share such as 5%, +5% or -5%";
    check->bound = strtod(from, &end) / 100;
    from = skip_blanks(end);
    if (*from != '%' || !isfinite(check->bound))
        return "a share such as 5%, +5% or -5%";
    *at = from + 1;
    return NULL;
}

/* Parses the number of a phase or frame, from 1, or the id of a context. */
static bool read_key(const char **at, enum tally_group_by by, uint64_t *key)
{
    char *end;
    if (by == TALLY_BY_CONTEXT && !strncmp(*at, "idle", 4)) {
        *key = TALLY_CONTEXT_IDLE;
        *at += 4;
        return true;
    }
    if (!isdigit((unsigned char)**at))
        return false;
    *key = strtoull(*at, &end, by == TALLY_BY_CONTEXT ? 0 : 10);
    *at = end;
    if (by == TALLY_BY_CONTEXT)
        return *key < TALLY_CONTEXT_IDLE;
    return (*key)-- != 0 && *key < TALLY_KEY_CHANGE;
}

/* Reads the name of a mark, which is everything up to the end. */
static bool read_mark(const char **at, struct check *check)
{
    size_t size = strlen(*at);
    while (size && ((*at)[size - 1] == ' ' || (*at)[size - 1] == '\t'))
        size--;
    if (!size || size >= sizeof check->mark)
        return false;
    memcpy(check->mark, *at, size);
    check->mark[size] = '\0';
    check->key = TALLY_KEY_CHANGE; /* no group has it */
    *at += size;
    return true;
}

static bool read_group(const char **at, struct check *check)
{
    return check->by == TALLY_BY_MARK ? read_mark(at, check) : read_key(at, check->by, &check->key);
}

#define PLACE_EXPECTED                                                                             \
    "total, every phase, phase 2, every context, context 0x1000, frame 3 or mark NAME"

/* Reads "every phase", "phase 2" or "total". */
static const char *read_place(const char **at, struct check *check)
{
    const char *from = skip_blanks(*at);
    check->has_place = true;
    check->every = !strncmp(from, "every", 5);
    if (check->every)
        from = skip_blanks(from + 5);
    const char *end = word_end(from);
    size_t size = (size_t)(end - from);
    if (!check->every && size == 5 && !strncmp(from, "total", 5)) {
        check->by = TALLY_BY_NOTHING;
        *at = end;
        return NULL;
    }
    for (size_t i = 0; i < ARRAY_COUNT(places); i++) {
        if (strlen(places[i].name) != size || strncmp(from, places[i].name, size) != 0)
            continue;
        check->by = places[i].by;
        *at = skip_blanks(end);
        return check->every || read_group(at, check) ? NULL : PLACE_EXPECTED;
    }
    return PLACE_EXPECTED;
}

/* Returns what is expected unless everything was read. */
static const char *at_end(const char *expected, const char *at)
{
    return expected || !*skip_blanks(at) ? expected : "nothing more";
}

const char *check_parse_bound(const char *text, struct check *check)
{
    const char *at = text, *expected = read_bound(&at, check);
    return at_end(expected, at);
}

const char *check_parse_within(const char *text, struct check *check)
{
    const char *at = text, *expected = read_within(&at, check);
    return at_end(expected, at);
}

const char *check_parse_place(const char *text, struct check *check)
{
    const char *at = text, *expected = read_place(&at, check);
    return at_end(expected, at);
}

const char *check_parse(const char *text, struct check *check)
{
    const char *at = text;
    *check = (struct check){.unit = &units[0]};
    const char *expected = read_value(&at, check);
    if (expected)
        return expected;
    at = skip_blanks(at);
    if (!strncmp(at, "within", 6)) {
        at += 6;
        expected = read_within(&at, check);
    } else {
        expected = read_bound(&at, check);
    }
    at = skip_blanks(at);
    if (!expected && !strncmp(at, "in", 2) && (at[2] == ' ' || at[2] == '\t')) {
        at += 3;
        expected = read_place(&at, check);
    } else if (!expected && *at) {
        return "in and a place, such as in every phase";
    }
    return at_end(expected, at);
}

const char *share_parse(const char *text, double *share)
{
    char *end;
    *share = strtod(text, &end);
    bool percent = *end == '%';
    *share /= percent ? 100 : 1;
    if (!isdigit((unsigned char)*text) || end[percent] || !(*share >= 0 && *share <= 1))
        return "a share such as 0.1% or 0.001";
    return NULL;
}

void check_text(struct buffer *text, const struct check *check)
{
    static const char *const signs[] = {">", ">=", "<", "<=", "", "+", "-"};
    buffer_printf(text, "%s(%s)", check_statistics[check->statistic], check->counter);
    if (check->kind >= CHECK_WITHIN)
        buffer_printf(text, " within %s%.6g %%", signs[check->kind], 100 * check->bound);
    else
        buffer_printf(text, " %s %.9g%s%s%s", signs[check->kind], check->bound,
                      *check->unit->name ? " " : "", check->unit->name,
                      check->per_second ? "/s" : "");
}
