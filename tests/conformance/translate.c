/* SPDX-License-Identifier: MIT */
/* Translates the lines of cases to scripts and their expected output. */
#include "conformance/suite.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LINE = 2048, MAX_WORDS = 128, MAX_STEPS = 1000 };

void conformance_fail(struct conformance_fault *fault, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault->text, sizeof fault->text, format, arguments);
    va_end(arguments);
}

bool case_covers(const struct conformance_language *language, const char *list, unsigned variant)
{
    char copy[128], *save, *part;
    if (!strcmp(list, "all"))
        return true;
    snprintf(copy, sizeof copy, "%s", list);
    for (part = strtok_r(copy, ",", &save); part; part = strtok_r(NULL, ",", &save)) {
        char *dots = strstr(part, "..");
        const char *last = dots ? dots + 2 : part;
        unsigned none = language->variant_count, from = none, to = none;
        if (dots)
            *dots = '\0';
        for (unsigned i = 0; i < language->variant_count; i++) {
            from = strcmp(part, language->variants[i]) ? from : i;
            to = strcmp(last, language->variants[i]) ? to : i;
        }
        if (from != none && to != none && variant >= from && variant <= to)
            return true;
    }
    return false;
}

bool case_wrong(struct translation *t, const char *why)
{
    t->why = why;
    return false;
}

/* ---- values -------------------------------------------------------------------------------- */

bool case_number(const char *text, uint64_t *value)
{
    char *end;
    if (!isdigit((unsigned char)*text))
        return false;
    *value = strtoull(text, &end, 0);
    return !*end;
}

bool case_value(const struct translation *t, const char *text, uint64_t *value)
{
    char copy[256], *save, *part;
    snprintf(copy, sizeof copy, "%s", text);
    *value = 0;
    for (part = strtok_r(copy, "|", &save); part; part = strtok_r(NULL, "|", &save)) {
        uint64_t term;
        if (!case_number(part, &term) && !t->language->term(t->variant, part, &term))
            return false;
        *value |= term;
    }
    return *text != '\0';
}

static bool parse_address(const struct translation *t, const char *text, uint32_t *address)
{
    uint64_t number;
    if (!case_number(text, &number))
        return t->language->address(t->variant, text, address);
    *address = (uint32_t)number;
    return true;
}

/* ---- commands ------------------------------------------------------------------------------ */

bool case_write(struct translation *t, const char *name, const char *text)
{
    uint32_t address;
    uint64_t value;
    if (!parse_address(t, name, &address))
        return case_wrong(t, "unknown register");
    if (!case_value(t, text, &value) || value > UINT32_MAX)
        return case_wrong(t, "invalid value");
    fprintf(t->script, "wr 0x%06" PRIx32 " 0x%" PRIx64 "\n", address, value);
    return true;
}

static bool do_wr(struct translation *t, char **words, unsigned count)
{
    return count == 3 ? case_write(t, words[1], words[2]) : case_wrong(t, "wr REGISTER VALUE");
}

static bool do_rd(struct translation *t, char **words, unsigned count)
{
    uint32_t address;
    uint64_t value;
    if (count != 4 || strcmp(words[2], "->") != 0)
        return case_wrong(t, "rd REGISTER -> VALUE");
    if (!parse_address(t, words[1], &address))
        return case_wrong(t, "unknown register");
    if (!case_value(t, words[3], &value))
        return case_wrong(t, "invalid value");
    fprintf(t->script, "rd 0x%06" PRIx32 "\n", address);
    fprintf(t->expected, "rd 0x%06" PRIx32 " = 0x%08" PRIx64 "\n", address, value);
    return true;
}

static bool do_peek(struct translation *t, char **words, unsigned count)
{
    unsigned names = t->language->peek_names;
    uint64_t value;
    if (count != names + 3 || strcmp(words[names + 1], "->") != 0 ||
        !case_value(t, words[names + 2], &value))
        return case_wrong(t, names > 1 ? "peek DOMAIN NAME -> VALUE" : "peek NAME -> VALUE");
    FILE *const both[] = {t->script, t->expected};
    for (int i = 0; i < 2; i++) {
        fputs("peek", both[i]);
        for (unsigned w = 1; w <= names; w++)
            fprintf(both[i], " %s", words[w]);
    }
    fputc('\n', t->script);
    fprintf(t->expected, " = 0x%0*" PRIx64 "\n", (int)t->language->peek_digits, value);
    return true;
}

/* mem ADDRESS LENGTH -> bytes HH..., words N... or dwords N...: little-endian, of 1, 2 or 4 bytes.
 * @I sets the index of the next value. Values that are not listed are 0. */
static bool do_mem(struct translation *t, char **words, unsigned count)
{
    uint64_t address, length, value;
    uint8_t bytes[1024] = {0};
    if (count < 5 || strcmp(words[3], "->") != 0 || !case_value(t, words[1], &address) ||
        !case_number(words[2], &length) || length > sizeof bytes)
        return case_wrong(t, "mem ADDRESS LENGTH -> bytes|words|dwords N...");
    unsigned size = !strcmp(words[4], "dwords") ? 4 : !strcmp(words[4], "words") ? 2 : 1;
    if (size == 1 && strcmp(words[4], "bytes") != 0)
        return case_wrong(t, "expected bytes, words or dwords");
    uint64_t at = 0;
    for (unsigned i = 5; i < count; i++) {
        if (words[i][0] == '@' && case_number(words[i] + 1, &value)) {
            at = value * size;
            continue;
        }
        if (size > 1 ? !case_value(t, words[i], &value)
                     : sscanf(words[i], "%2" SCNx64, &value) != 1)
            return case_wrong(t, "invalid value");
        for (unsigned b = 0; b < size; b++, value >>= 8) {
            if (at >= length)
                return case_wrong(t, "more than LENGTH bytes");
            bytes[at++] = (uint8_t)value;
        }
    }
    fprintf(t->script, "mem 0x%" PRIx64 " %" PRIu64 "\n", address, length);
    for (at = 0; at < length; at++) {
        if (at % 16 == 0)
            fprintf(t->expected, "mem 0x%0*" PRIx64 " = ", (int)t->language->memory_digits,
                    (address + at) & t->language->memory_mask);
        fprintf(t->expected, "%02x%s", bytes[at], at % 16 == 15 || at == length - 1 ? "\n" : "");
    }
    return true;
}

static bool do_run(struct translation *t, char **words, unsigned count)
{
    uint64_t clocks;
    if (count != 2 || !case_number(words[1], &clocks))
        return case_wrong(t, "run CLOCKS");
    bool step = t->step && clocks <= MAX_STEPS;
    if (!step)
        fprintf(t->script, "run %" PRIu64 "\n", clocks);
    for (uint64_t i = 0; step && i < clocks; i++)
        fputs("run 1\n", t->script);
    return true;
}

static bool do_line(struct translation *t, char *line)
{
    static const struct conformance_command common[] = {
        {"wr", do_wr}, {"rd", do_rd}, {"peek", do_peek}, {"mem", do_mem}, {"run", do_run}};
    char copy[MAX_LINE], *words[MAX_WORDS], *save, *word;
    unsigned count = 0;
    line[strcspn(line, "#")] = '\0';
    snprintf(copy, sizeof copy, "%s", line);
    for (word = strtok_r(copy, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
        if (count == MAX_WORDS)
            return case_wrong(t, "too many words");
        words[count++] = word;
    }
    for (size_t i = 0; count && i < sizeof common / sizeof *common; i++)
        if (!strcmp(words[0], common[i].name))
            return common[i].run(t, words, count);
    for (unsigned i = 0; count && i < t->language->command_count; i++)
        if (!strcmp(words[0], t->language->commands[i].name))
            return t->language->commands[i].run(t, words, count);
    if (count)
        fprintf(t->script, "%s\n", line);
    return true;
}

unsigned case_translate(struct translation *t, const char *body)
{
    t->why = "";
    const char *const *names = t->language->named ? t->language->named : t->language->variants;
    fprintf(t->script, "%s %s\n", t->language->first, names[t->variant]);
    for (unsigned line = 1; *body; line++) {
        char copy[MAX_LINE];
        size_t length = strcspn(body, "\n");
        snprintf(copy, sizeof copy, "%.*s", (int)length, body);
        if (length >= sizeof copy)
            return t->why = "line too long", line;
        if (!do_line(t, copy))
            return line;
        body += length + (body[length] == '\n');
    }
    return 0;
}
