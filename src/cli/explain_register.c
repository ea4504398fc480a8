/* SPDX-License-Identifier: MIT */
/* tally explain CHIP:REGISTER[=VALUE]. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/find.h"
#include "cli/registers.h"
#include "intel/gt/power.h"
#include "intel/oa/options.h"
#include "nvidia/pcounter/engine.h"

/* Parses the chip of "g92:0xa7c0". Returns false if there is none. */
static bool parse_chip(const char *text, struct chip *out)
{
    const char *colon = strchr(text, ':');
    char name[16];
    if (!colon || colon == text || (size_t)(colon - text) >= sizeof name)
        return false;
    snprintf(name, sizeof name, "%.*s", (int)(colon - text), text);
    return chip_of_name(name, out);
}

bool is_register(const char *text)
{
    struct chip chip;
    return parse_chip(text, &chip);
}

static void put_place(struct output *output, const struct found *found)
{
    static const char *const sets[] = {"", "GPC", "partition", "hub"};
    struct tally_pcounter_domain domain;
    const struct reg *reg = found->place.reg;
    char name[64];
    output_style(output, "1");
    output_printf(output, "%s 0x%06" PRIx32 " %s", found->chip.name, found->address,
                  reg_element_name(&found->place, name, sizeof name));
    output_style(output, "0");
    if (is_relative(&found->chip, found->map)) {
        tally_pcounter_domain(found->engine, found->domain, &domain);
        output_printf(output, " of %s %u", sets[domain.set], domain.instance);
        if (found->map != &pcounter_set_map)
            output_printf(output, " domain %u", domain.number);
    }
    output_printf(output, ": %s  [%s, %s]\n", reg->meaning ? reg->meaning : "",
                  access_name(reg->access), reg->source ? reg->source : found->map->name);
}

/* Prints what power loss and resets do to a register, where that is documented. */
static void put_fates(struct output *output, const struct found *found)
{
    const struct intel_platform *platform = found->chip.platform;
    if (!platform || !platform->documented_power ||
        !gt_power_find(platform->revision, found->address))
        return;
    for (unsigned event = 0; event < GT_EVENTS; event++)
        output_printf(output, "%s %s %s",
                      event ? "," : "  power:", gt_event_name((enum gt_event)event),
                      gt_retention_name(gt_power_retention(platform->revision, (enum gt_event)event,
                                                           found->address)));
    output_text(output, "\n");
}

static void put_explanation(struct output *output, const struct found *found, bool has_value,
                            uint32_t value)
{
    const struct reg *reg = found->place.reg;
    const struct chip *chip = &found->chip;
    put_place(output, found);
    if (has_value)
        output_printf(output, "  value 0x%08" PRIx32 " (%" PRIu32 ")\n", value, value);
    if (has_value)
        put_value_lines(output, found, value, NULL);
    else
        for (const struct reg_field *field = reg->fields; field && field->name; field++)
            if (reg_field_exists(field, chip->revision, chip->domains))
                put_field_line(output, field);
    put_fates(output, found);
}

/* Prints an option of the OA unit's model. */
static int explain_option(const struct arguments *arguments, const struct chip *chip,
                          const struct oa_option_row *option)
{
    int code = EXIT_DONE;
    if (!chip->platform->oa || !option->exists(chip->platform->oa))
        return usage_error("explain: %s does not have the option %s; see tally list options "
                           "--platform %s",
                           chip->title, option->name, chip->name);
    struct output *output = open_output(arguments, &code);
    if (!output)
        return code;
    output_printf(output, "%s option %s: %s\n  off by default: %s\n  in scripts: option %s on\n",
                  chip->name, option->name, option->meaning, option->reason, option->name);
    return close_output(output, EXIT_DONE);
}

static int explain_found(const struct arguments *arguments, struct found *found, const char *what,
                         bool has_value, uint32_t value)
{
    int code = EXIT_DONE;
    char *end;
    const struct oa_option_row *option = found->chip.platform ? oa_option_find(what) : NULL;
    if (option && !has_value)
        return explain_option(arguments, &found->chip, option);
    errno = 0;
    unsigned long address = strtoul(what, &end, 0);
    bool numeric = isdigit((unsigned char)*what);
    if (numeric && (*end || errno || address > UINT32_MAX))
        return usage_error("explain: \"%s\", expected an address or a name", what);
    if (numeric ? !find_by_address(found, (uint32_t)address) : !find_by_name(found, what))
        return register_not_found("explain", found, what);
    struct output *output = open_output(arguments, &code);
    if (!output)
        return code;
    put_explanation(output, found, has_value, value);
    return close_output(output, EXIT_DONE);
}

int explain_register(const struct arguments *arguments)
{
    char text[160], *colon, *equals, *end;
    struct found found = {0};
    struct chip chip;
    struct tally_error error = {0};
    unsigned long value = 0;
    if (snprintf(text, sizeof text, "%s", arguments->operands[0]) >= (int)sizeof text)
        return usage_error("explain: \"%.32s...\" is too long", text);
    parse_chip(text, &chip);
    colon = strchr(text, ':');
    equals = strchr(text, '=');
    if (equals) {
        *equals = '\0';
        errno = 0;
        value = strtoul(equals + 1, &end, 0);
        if (!isdigit((unsigned char)equals[1]) || *end || errno || value > UINT32_MAX)
            return usage_error("explain: value \"%s\", expected a 32-bit number", equals + 1);
    }
    int result = found_init(&found, &chip, &error);
    if (result < 0) {
        report_error(&error);
        return result == -ENODEV ? EXIT_FAILED : exit_code_of(result);
    }
    int code = explain_found(arguments, &found, colon + 1, equals != NULL, (uint32_t)value);
    found_fini(&found);
    return code;
}
