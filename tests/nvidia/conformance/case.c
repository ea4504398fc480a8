/* SPDX-License-Identifier: MIT */
#include "nvidia/conformance/case.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LINE = 2048, MAX_WORDS = 64, MAX_STEPS = 1000 };

struct translation {
    enum revision revision;
    bool step;
    FILE *script, *expected;
    const char *why;
};

bool case_covers(const char *revisions, enum revision revision)
{
    char list[128], *save, *part;
    if (!strcmp(revisions, "all"))
        return true;
    snprintf(list, sizeof list, "%s", revisions);
    for (part = strtok_r(list, ",", &save); part; part = strtok_r(NULL, ",", &save)) {
        char *dots = strstr(part, "..");
        const char *last = dots ? dots + 2 : part;
        int from = -1, to = -1;
        if (dots)
            *dots = '\0';
        for (int i = 0; i < REVISIONS; i++) {
            from = strcmp(part, revision_names[i]) ? from : i;
            to = strcmp(last, revision_names[i]) ? to : i;
        }
        if (from >= 0 && (int)revision >= from && (int)revision <= to)
            return true;
    }
    return false;
}

/* ---- values -------------------------------------------------------------------------------- */

static bool parse_number(const char *text, uint64_t *value)
{
    char *end;
    if (!isdigit((unsigned char)*text))
        return false;
    *value = strtoull(text, &end, 0);
    return !*end;
}

/* A signal: its number, or the name of a trailer signal at the default base. */
static bool parse_signal(const struct translation *t, const char *text, uint64_t *value)
{
    int place = document_signal(text, t->revision);
    if (place >= 0)
        *value = (uint64_t)place;
    return place >= 0 || parse_number(text, value);
}

/* "1:2:FLAG0": signals 0, 1, 2 of a SRC register. */
static bool parse_signals(const struct translation *t, char *text, uint64_t *value)
{
    char *save, *part;
    unsigned shift = 0;
    *value = 0;
    for (part = strtok_r(text, ":", &save); part; part = strtok_r(NULL, ":", &save)) {
        uint64_t number;
        if (!parse_signal(t, part, &number) || number > 255 || shift > 24)
            return false;
        *value |= number << shift;
        shift += 8;
    }
    return true;
}

static bool parse_term(const struct translation *t, char *text, uint64_t *value)
{
    /* Truth tables: ARG[i] alone, and constant 1. */
    static const struct {
        const char *name;
        uint64_t value;
    } names[] = {{"A0", 0xaaaa}, {"A1", 0xcccc}, {"A2", 0xf0f0}, {"A3", 0xff00}, {"ONE", 0xffff}};
    char *equals = strchr(text, '=');
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(text, names[i].name)) {
            *value = names[i].value;
            return true;
        }
    if (text[0] == '@') { /* a signal's bit in its word of SIG_STATUS */
        bool good = parse_signal(t, text + 1, value);
        *value = UINT64_C(1) << (*value & 31);
        return good;
    }
    if (equals) {
        *equals = '\0';
        int shift = document_field(text, t->revision);
        if (shift < 0 || !parse_number(equals + 1, value))
            return false;
        *value <<= shift;
        return true;
    }
    if (strchr(text, ':'))
        return parse_signals(t, text, value);
    return parse_signal(t, text, value);
}

/* Terms joined by | */
static bool parse_value(const struct translation *t, const char *text, uint64_t *value)
{
    char copy[256], *save, *part;
    snprintf(copy, sizeof copy, "%s", text);
    *value = 0;
    for (part = strtok_r(copy, "|", &save); part; part = strtok_r(NULL, "|", &save)) {
        uint64_t term;
        if (!parse_term(t, part, &term))
            return false;
        *value |= term;
    }
    return *text != '\0';
}

/* "NAME", "NAME[dom]", "NAME[dom][word]" or a number. */
static bool parse_register(const struct translation *t, const char *text, uint32_t *address)
{
    char name[32];
    unsigned domain = 0, word = 0;
    uint64_t number;
    if (parse_number(text, &number)) {
        *address = (uint32_t)number;
        return true;
    }
    if (sscanf(text, "%31[A-Z0-9_][%u][%u]", name, &domain, &word) < 1)
        return false;
    const struct document_register *row = document_find(name, t->revision);
    if (!row || word >= row->words)
        return false;
    *address = document_address(row, t->revision, domain, word);
    return true;
}

/* ---- commands ------------------------------------------------------------------------------ */

static bool wrong(struct translation *t, const char *why)
{
    t->why = why;
    return false;
}

static bool write_register(struct translation *t, const char *name, const char *text)
{
    uint32_t address;
    uint64_t value;
    if (!parse_register(t, name, &address))
        return wrong(t, "no such register");
    if (!parse_value(t, text, &value) || value > UINT32_MAX)
        return wrong(t, "no such value");
    fprintf(t->script, "wr 0x%06" PRIx32 " 0x%" PRIx64 "\n", address, value);
    return true;
}

static bool do_wr(struct translation *t, char **words, unsigned count)
{
    return count == 3 ? write_register(t, words[1], words[2]) : wrong(t, "wr REGISTER VALUE");
}

static bool do_rd(struct translation *t, char **words, unsigned count)
{
    uint32_t address;
    uint64_t value;
    if (count != 4 || strcmp(words[2], "->") != 0)
        return wrong(t, "rd REGISTER -> VALUE");
    if (!parse_register(t, words[1], &address))
        return wrong(t, "no such register");
    if (!parse_value(t, words[3], &value))
        return wrong(t, "no such value");
    fprintf(t->script, "rd 0x%06" PRIx32 "\n", address);
    fprintf(t->expected, "rd 0x%06" PRIx32 " = 0x%08" PRIx64 "\n", address, value);
    return true;
}

static bool do_peek(struct translation *t, char **words, unsigned count)
{
    uint64_t value;
    if (count != 5 || strcmp(words[3], "->") != 0 || !parse_value(t, words[4], &value))
        return wrong(t, "peek DOMAIN NAME -> VALUE");
    fprintf(t->script, "peek %s %s\n", words[1], words[2]);
    fprintf(t->expected, "peek %s %s = 0x%012" PRIx64 "\n", words[1], words[2], value);
    return true;
}

/* mem ADDRESS LENGTH -> words N...: 16-bit little-endian words, the rest 0; or -> bytes HH... */
static bool do_mem(struct translation *t, char **words, unsigned count)
{
    uint64_t address, length, value;
    uint8_t bytes[256] = {0};
    if (count < 5 || strcmp(words[3], "->") != 0 || !parse_number(words[1], &address) ||
        !parse_number(words[2], &length) || length > sizeof bytes)
        return wrong(t, "mem ADDRESS LENGTH -> words|bytes N...");
    bool wide = !strcmp(words[4], "words");
    for (unsigned i = 5, at = 0; i < count && at < length; i++) {
        if (wide ? !parse_number(words[i], &value) : sscanf(words[i], "%2" SCNx64, &value) != 1)
            return wrong(t, "no such value");
        bytes[at++] = (uint8_t)value;
        if (wide)
            bytes[at++] = (uint8_t)(value >> 8);
    }
    fprintf(t->script, "mem 0x%" PRIx64 " %" PRIu64 "\n", address, length);
    for (uint64_t at = 0; at < length; at++) {
        if (at % 16 == 0)
            fprintf(t->expected, "mem 0x%010" PRIx64 " = ", (address + at) & 0xffffffffff);
        fprintf(t->expected, "%02x%s", bytes[at], at % 16 == 15 || at == length - 1 ? "\n" : "");
    }
    return true;
}

/* sig DOMAIN SIGNAL[-SIGNAL] WAVEFORM... */
static bool do_sig(struct translation *t, char **words, unsigned count)
{
    uint64_t signal;
    if (count < 4)
        return wrong(t, "sig DOMAIN SIGNAL WAVEFORM");
    fprintf(t->script, "sig %s ", words[1]);
    if (strchr(words[2], '-'))
        fprintf(t->script, "%s", words[2]);
    else if (parse_signal(t, words[2], &signal))
        fprintf(t->script, "0x%" PRIx64, signal);
    else
        return wrong(t, "no such signal");
    for (unsigned i = 3; i < count; i++)
        fprintf(t->script, " %s", words[i]);
    fputc('\n', t->script);
    return true;
}

/* inputs DOMAIN: PRE, START, EVENT, STOP are signals 1, 2, 3, 4. PRE_OP comes with `start`. */
static bool do_inputs(struct translation *t, char **words, unsigned count)
{
    static const char *const names[] = {"PRE", "START", "EVENT", "STOP"};
    for (unsigned i = 0; count == 2 && i < 4; i++) {
        char name[32], value[8];
        snprintf(name, sizeof name, "%s_SRC[%s]", names[i], words[1]);
        snprintf(value, sizeof value, "%u", i + 1);
        if (!write_register(t, name, value))
            return false;
        snprintf(name, sizeof name, "%s_OP[%s]", names[i], words[1]);
        if (i > 0 && !write_register(t, name, "A0"))
            return false;
    }
    return count == 2 || wrong(t, "inputs DOMAIN");
}

static bool do_start(struct translation *t, char **words, unsigned count)
{
    char name[32];
    if (count != 2)
        return wrong(t, "start DOMAIN");
    snprintf(name, sizeof name, "PRE_OP[%s]", words[1]);
    return write_register(t, name, "A0");
}

static bool do_bind(struct translation *t, char **words, unsigned count)
{
    (void)words;
    if (count != 1)
        return wrong(t, "bind");
    return write_register(t, "RECORD_DMA", "1") && write_register(t, "RECORD_CHAN", "VALID=1");
}

/* pm_swap DOMAIN: SWAP is PM_TRIGGER. It is hardwired to that before G84. */
static bool do_pm_swap(struct translation *t, char **words, unsigned count)
{
    char name[32];
    if (count != 2)
        return wrong(t, "pm_swap DOMAIN");
    snprintf(name, sizeof name, "SPEC_SRC[%s]", words[1]);
    return t->revision < G84 || write_register(t, name, "PM_TRIGGER");
}

/* ack DOMAIN: one acknowledgement, in the register of all domains (NV30:NV40) or the domain's. */
static bool do_ack(struct translation *t, char **words, unsigned count)
{
    char name[32];
    if (count != 2)
        return wrong(t, "ack DOMAIN");
    if (t->revision == NV30)
        return write_register(t, "QUAD_ACK_TRIGGER", strcmp(words[1], "1") ? "0x1" : "0x100");
    snprintf(name, sizeof name, "QUAD_ACK_TRIGGER[%s]", words[1]);
    return write_register(t, name, "1");
}

static bool do_run(struct translation *t, char **words, unsigned count)
{
    uint64_t ticks;
    if (count != 2 || !parse_number(words[1], &ticks))
        return wrong(t, "run TICKS");
    bool step = t->step && ticks <= MAX_STEPS;
    if (!step)
        fprintf(t->script, "run %" PRIu64 "\n", ticks);
    for (uint64_t i = 0; step && i < ticks; i++)
        fputs("run 1\n", t->script);
    return true;
}

static bool do_line(struct translation *t, char *line)
{
    static const struct {
        const char *name;
        bool (*run)(struct translation *t, char **words, unsigned count);
    } commands[] = {{"wr", do_wr},       {"rd", do_rd},     {"peek", do_peek},
                    {"mem", do_mem},     {"sig", do_sig},   {"inputs", do_inputs},
                    {"start", do_start}, {"bind", do_bind}, {"pm_swap", do_pm_swap},
                    {"ack", do_ack},     {"run", do_run}};
    char copy[MAX_LINE], *words[MAX_WORDS], *save, *word;
    unsigned count = 0;
    line[strcspn(line, "#")] = '\0';
    snprintf(copy, sizeof copy, "%s", line);
    for (word = strtok_r(copy, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
        if (count == MAX_WORDS)
            return wrong(t, "too many words");
        words[count++] = word;
    }
    for (size_t i = 0; count && i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(words[0], commands[i].name))
            return commands[i].run(t, words, count);
    if (count)
        fprintf(t->script, "%s\n", line); /* domains, clock, trailer, run, poke, fault, ... */
    return true;
}

unsigned case_translate(const char *body, enum revision revision, bool step, FILE *script,
                        FILE *expected, const char **why)
{
    struct translation t = {revision, step, script, expected, ""};
    fprintf(script, "chipset %s\n", revision_names[revision]);
    for (unsigned line = 1; *body; line++) {
        char copy[MAX_LINE];
        size_t length = strcspn(body, "\n");
        snprintf(copy, sizeof copy, "%.*s", (int)length, body);
        if (!do_line(&t, copy)) {
            *why = t.why;
            return line;
        }
        body += length + (body[length] == '\n');
    }
    return 0;
}
