/* SPDX-License-Identifier: MIT */
/* The commands that only the .cases files of this suite have. */
#include "intel/conformance/language.h"

#include <inttypes.h>
#include <string.h>

#include "intel/conformance/document.h"
#include "intel/oa_reference.h"

/* ---- values -------------------------------------------------------------------------------- */

/* FIELD=n */
static bool parse_term(unsigned platform, char *text, uint64_t *value)
{
    char *equals = strchr(text, '=');
    if (!equals)
        return false;
    *equals = '\0';
    int shift = oa_document_field(text, platform);
    if (shift < 0 || !case_number(equals + 1, value))
        return false;
    *value <<= shift;
    return true;
}

static bool parse_register(unsigned platform, const char *text, uint32_t *address)
{
    return oa_document_find(text, platform, address) != NULL;
}

/* ---- commands ------------------------------------------------------------------------------ */

static bool write_number(struct translation *t, const char *name, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "0x%" PRIx64, value);
    return case_write(t, name, text);
}

/* enable SELECT [VALUE]: enables counting with a report format; VALUE is added to OACONTROL, from
 * Gen8 on to OACTXCONTROL. */
static bool do_enable(struct translation *t, char **words, unsigned count)
{
    uint64_t select, more = 0;
    if (count < 2 || count > 3 || !case_value(t, words[1], &select) || select > 7 ||
        (count == 3 && !case_value(t, words[2], &more)))
        return case_wrong(t, "enable SELECT [VALUE]");
    if (t->variant <= HSW)
        return write_number(t, "OACONTROL", more | select << 2 | 1);
    return write_number(t, "OACTXCONTROL", more | 1) &&
           write_number(t, "OACONTROL", select << 2 | 1);
}

static bool do_disable(struct translation *t, char **words, unsigned count)
{
    (void)words;
    return count == 1 ? write_number(t, "OACONTROL", 0) : case_wrong(t, "disable");
}

/* start: B and C counters start at the first clock: threshold 0 with Threshold Enable. */
static bool do_start(struct translation *t, char **words, unsigned count)
{
    (void)words;
    if (count != 1)
        return case_wrong(t, "start");
    return case_write(t, "OASTARTTRIG1", "0") &&
           case_write(t, "OASTARTTRIG2", "THRESHOLD_ENABLE=1");
}

/* buffer ADDRESS [SIZE]: an empty report buffer, set up in the documents' order. */
static bool do_buffer(struct translation *t, char **words, unsigned count)
{
    uint64_t address, size = 0;
    if (count < 2 || count > 3 || !case_value(t, words[1], &address) ||
        (count == 3 && !case_value(t, words[2], &size)))
        return case_wrong(t, "buffer ADDRESS [SIZE]");
    if (t->variant <= HSW)
        return write_number(t, "OASTATUS2", address) && write_number(t, "OABUFFER", address) &&
               write_number(t, "OASTATUS1", address | size << 3);
    return write_number(t, "OASTATUS", 0) && write_number(t, "OAHEADPTR", address & UINT32_MAX) &&
           write_number(t, "OABUFFER_UDW", address >> 32) &&
           write_number(t, "OABUFFER", (address & UINT32_MAX) | size << 3) &&
           write_number(t, "OATAILPTR", address & UINT32_MAX);
}

/* always: block 1 triggers a report at every clock. */
static bool do_always(struct translation *t, char **words, unsigned count)
{
    (void)words;
    if (count != 1)
        return case_wrong(t, "always");
    return case_write(t, "OAREPORTTRIG1", "0") &&
           case_write(t, "OAREPORTTRIG2", "TRIGGER_ENABLE=1|THRESHOLD_ENABLE=1");
}

/* clang-format off */
static const struct conformance_command commands[] = {
    {"enable", do_enable}, {"disable", do_disable}, {"start", do_start},
    {"buffer", do_buffer}, {"always", do_always},
};
/* clang-format on */

/* ---- the whole GPU --------------------------------------------------------------------------- */

/* Adds a GPU that is always awake, with the script's ratio of clocks and start of TIMESTAMP, a
 * whole number of subslices, and memory and reports that take no time, as the unit alone has them.
 */
static void assemble(const char *script, FILE *out)
{
    enum { HZ = 12000000, SUBSLICE_EUS = 8 };
    unsigned eus = 0, ticks = 1;
    char start[32] = "0";
    const char *line = script + strcspn(script, "\n") + 1;
    for (const char *at = line; *at; at += strcspn(at, "\n") + 1) {
        sscanf(at, "eus %u", &eus);
        sscanf(at, "timestamp %u%*[ ]%31[0-9a-fx]", &ticks, start);
    }
    fprintf(out, "%.*sgpu awake eus %u clock %u timestamp %u\nlinetime 0\nspacing 0\n",
            (int)(line - script), script, (eus + SUBSLICE_EUS - 1) / SUBSLICE_EUS * SUBSLICE_EUS,
            HZ * ticks, HZ);
    fprintf(out, "poke timestamp %s\n", start);
    for (const char *at = line; *at; at += strcspn(at, "\n") + 1)
        if (strncmp(at, "eus ", 4) != 0 && strncmp(at, "timestamp ", 10) != 0)
            fprintf(out, "%.*s\n", (int)strcspn(at, "\n"), at);
}

const struct conformance_language oa_language = {
    .variants = oa_platform_names,
    .variant_count = OA_PLATFORMS,
    .first = "platform",
    .named = oa_sku_names,
    .peek_names = 1,
    .peek_digits = 10,
    .memory_digits = 16,
    .memory_mask = UINT64_MAX,
    .term = parse_term,
    .address = parse_register,
    .commands = commands,
    .command_count = sizeof commands / sizeof *commands,
    .assemble = assemble,
    .reference = oa_reference_run,
};
