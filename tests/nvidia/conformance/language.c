/* SPDX-License-Identifier: MIT */
/* What .cases of this suite have that others have not. */
#include "nvidia/conformance/language.h"

#include <inttypes.h>
#include <string.h>

#include "nvidia/conformance/document.h"
#include "nvidia/reference.h"

/* ---- values -------------------------------------------------------------------------------- */

/* A signal: its number, or the name of a trailer signal at the default base. */
static bool parse_signal(unsigned revision, const char *text, uint64_t *value)
{
    int place = document_signal(text, revision);
    if (place >= 0)
        *value = (uint64_t)place;
    return place >= 0 || case_number(text, value);
}

/* "1:2:FLAG0": signals 0, 1, 2 of a SRC register. */
static bool parse_signals(unsigned revision, char *text, uint64_t *value)
{
    char *save, *part;
    unsigned shift = 0;
    *value = 0;
    for (part = strtok_r(text, ":", &save); part; part = strtok_r(NULL, ":", &save)) {
        uint64_t number;
        if (!parse_signal(revision, part, &number) || number > 255 || shift > 24)
            return false;
        *value |= number << shift;
        shift += 8;
    }
    return true;
}

static bool parse_term(unsigned revision, char *text, uint64_t *value)
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
        bool good = parse_signal(revision, text + 1, value);
        *value = UINT64_C(1) << (*value & 31);
        return good;
    }
    if (equals) {
        *equals = '\0';
        int shift = document_field(text, revision);
        if (!case_number(equals + 1, value))
            return false;
        if (shift < 0)
            return !strcmp(text, "MODE") && *value == 0; /* the only mode before NV30 */
        if (!strcmp(text, "MODE"))
            *value = document_mode(*value, revision);
        *value <<= shift;
        return true;
    }
    if (strchr(text, ':'))
        return parse_signals(revision, text, value);
    return parse_signal(revision, text, value);
}

/* "NAME", "NAME[dom]", "NAME[dom][word]" or a number. */
static bool parse_register(unsigned revision, const char *text, uint32_t *address)
{
    char name[32];
    unsigned domain = 0, word = 0;
    if (sscanf(text, "%31[A-Z0-9_][%u][%u]", name, &domain, &word) < 1)
        return false;
    const struct document_register *row = document_find(name, revision);
    if (!row || word >= row->words)
        return false;
    *address = document_address(row, revision, domain, word);
    return true;
}

/* ---- commands ------------------------------------------------------------------------------ */

/* sig DOMAIN SIGNAL[-SIGNAL] WAVEFORM... */
static bool do_sig(struct translation *t, char **words, unsigned count)
{
    uint64_t signal;
    if (count < 4)
        return case_wrong(t, "sig DOMAIN SIGNAL WAVEFORM");
    fprintf(t->script, "sig %s ", words[1]);
    if (strchr(words[2], '-'))
        fprintf(t->script, "%s", words[2]);
    else if (parse_signal(t->variant, words[2], &signal))
        fprintf(t->script, "0x%" PRIx64, signal);
    else
        return case_wrong(t, "no such signal");
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
        if (!case_write(t, name, value))
            return false;
        snprintf(name, sizeof name, "%s_OP[%s]", names[i], words[1]);
        if (i > 0 && !case_write(t, name, "A0"))
            return false;
    }
    if (count != 2)
        return case_wrong(t, "inputs DOMAIN");
    char name[32];
    snprintf(name, sizeof name, "CTRL[%s]", words[1]);
    return t->variant != GF100 || case_write(t, name, "MODE=0");
}

/* start DOMAIN [OPERATION]: writes PRE_OP, by default argument 0, which starts the process before
 * GF100. */
static bool do_start(struct translation *t, char **words, unsigned count)
{
    char name[32], value[16] = "A0";
    if (count < 2 || count > 3)
        return case_wrong(t, "start DOMAIN [OPERATION]");
    if (count == 3)
        snprintf(value, sizeof value, "%s", words[2]);
    snprintf(name, sizeof name, "PRE_OP[%s]", words[1]);
    if (!case_write(t, name, value))
        return false;
    snprintf(name, sizeof name, "SINGLE_BEGIN_TRIGGER[%s]", words[1]);
    return t->variant != GF100 || case_write(t, name, "1");
}

static bool do_bind(struct translation *t, char **words, unsigned count)
{
    (void)words;
    if (count != 1)
        return case_wrong(t, "bind");
    return case_write(t, "RECORD_DMA", "1") && case_write(t, "RECORD_CHAN", "VALID=1");
}

/* swap DOMAIN SIGNAL: GF100's register has another name. */
static bool do_swap(struct translation *t, char **words, unsigned count)
{
    char name[32], value[32];
    if (count != 3)
        return case_wrong(t, "swap DOMAIN SIGNAL");
    snprintf(name, sizeof name, "%s[%s]", t->variant == GF100 ? "SWAP_SRC" : "SPEC_SRC", words[1]);
    snprintf(value, sizeof value, "%s", words[2]);
    return case_write(t, name, value);
}

/* pm_swap DOMAIN: SWAP is PM_TRIGGER. It is hardwired to that before G84. */
static bool do_pm_swap(struct translation *t, char **words, unsigned count)
{
    char signal[] = "PM_TRIGGER", *swap[] = {words[0], words[1], signal};
    if (count != 2)
        return case_wrong(t, "pm_swap DOMAIN");
    return t->variant < G84 || do_swap(t, swap, 3);
}

/* periodic_reset VALUE: in GCTRL, or on GF100 in the register of the first domain set. */
static bool do_periodic_reset(struct translation *t, char **words, unsigned count)
{
    char value[32];
    if (count != 2)
        return case_wrong(t, "periodic_reset VALUE");
    snprintf(value, sizeof value, "PERIODIC_RESET=%s", words[1]);
    return case_write(t, t->variant == GF100 ? "DSET_CTRL" : "GCTRL", value);
}

/* ack DOMAIN: one acknowledgement, in the register of all domains (NV30:NV40) or the domain's. */
static bool do_ack(struct translation *t, char **words, unsigned count)
{
    char name[32];
    if (count != 2)
        return case_wrong(t, "ack DOMAIN");
    if (t->variant == NV30)
        return case_write(t, "QUAD_ACK_TRIGGER", strcmp(words[1], "1") ? "0x1" : "0x100");
    snprintf(name, sizeof name, "QUAD_ACK_TRIGGER[%s]", words[1]);
    return case_write(t, name, "1");
}

/* clang-format off */
static const struct conformance_command commands[] = {
    {"sig", do_sig}, {"inputs", do_inputs}, {"start", do_start},
    {"bind", do_bind}, {"swap", do_swap}, {"pm_swap", do_pm_swap},
    {"periodic_reset", do_periodic_reset}, {"ack", do_ack},
};
/* clang-format on */

const struct conformance_language pcounter_language = {
    .variants = revision_names,
    .variant_count = REVISIONS,
    .first = "chipset",
    .peek_names = 2,
    .peek_digits = 12,
    .memory_digits = 10,
    .memory_mask = UINT64_C(0xffffffffff),
    .term = parse_term,
    .address = parse_register,
    .commands = commands,
    .command_count = sizeof commands / sizeof *commands,
    .reference = reference_run,
};
