/* SPDX-License-Identifier: MIT */
/* tally explain CHIP:REGISTER[=VALUE]. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/chip.h"
#include "cli/registers.h"
#include "intel/gt/power.h"
#include "intel/oa/options.h"
#include "nvidia/pcounter/engine.h"
#include "nvidia/pcounter/logic.h"

/* Parses the chip of "g92:0xa7c0". Returns false if there is none. */
static bool parse_chip(const char *text, struct chip *out)
{
    const char *colon = strchr(text, ':');
    char name[16];
    if (!colon || colon == text || (size_t)(colon - text) >= sizeof name)
        return false;
    snprintf(name, sizeof name, "%.*s", (int)(colon - text), text);
    const struct tally_chipset *chipset = tally_chipset_find(name);
    if (chipset)
        *out = chip_of_chipset(chipset);
    return chipset || chip_of_platform(name, out);
}

bool is_register(const char *text)
{
    struct chip chip;
    return parse_chip(text, &chip);
}

/* A register of a chip that was found by address or name. */
struct found {
    struct chip chip;
    const struct reg_map *map;
    struct reg_place place;
    struct tally_pcounter *engine; /* locates NVIDIA registers; NULL for Intel */
    unsigned domain;
    uint32_t address;
};

/* Finds the PCOUNTER register of a map at an address. */
static bool locate(struct found *found, uint32_t address, enum reg_access access)
{
    struct pcounter_target target = pcounter_locate(found->engine, address, access);
    const struct reg *reg = target.place.reg;
    if (!reg || reg < found->map->regs || reg >= found->map->regs + found->map->count)
        return false;
    found->place = target.place;
    found->domain = target.domain;
    return true;
}

/* Finds the register of a map at an address. If reads and writes access different registers, the
 * one that is written is meant (PC-D20). */
static bool find_in_map(struct found *found, const struct reg_map *map, uint32_t address)
{
    const struct chip *chip = &found->chip;
    struct reg_place *place = &found->place;
    found->map = map;
    if (is_relative(chip, map) || (found->engine && map == chip->maps[0]))
        return (locate(found, address, REG_WRITE) && (place->reg->access & REG_WRITE)) ||
               locate(found, address, REG_READ);
    return (reg_find(map, chip->revision, chip->domains, address, REG_WRITE, place) &&
            (place->reg->access & REG_WRITE)) ||
           reg_find(map, chip->revision, chip->domains, address, REG_READ, place);
}

static bool find_by_address(struct found *found, uint32_t address)
{
    found->address = address;
    for (unsigned i = 0; i < found->chip.map_count; i++)
        if (find_in_map(found, found->chip.maps[i], address))
            return true;
    return false;
}

/* Finds a register element such as "CTRL[0]" or "SIG_STATUS[1][0][2]" by comparing the names of all
 * elements. */
static bool find_by_name(struct found *found, const char *name)
{
    struct tally_pcounter_domain domain = {0};
    char text[64];
    if (found->engine)
        tally_pcounter_domain(found->engine, 0, &domain);
    for (unsigned i = 0; i < found->chip.map_count; i++) {
        const struct reg_map *map = found->chip.maps[i];
        uint32_t base = map->base;
        if (map == &pcounter_set_map)
            base = gf100_set_spaces[domain.set].control + domain.instance * GF100_SET_BYTES;
        else if (is_relative(&found->chip, map))
            base = domain.address;
        for (uint32_t at = 0; at < map->size; at += 4) {
            uint32_t address = base + at;
            if (find_in_map(found, map, address) &&
                !strcasecmp(reg_element_name(&found->place, text, sizeof text), name)) {
                found->address = address;
                return true;
            }
        }
    }
    return false;
}

/* Returns the published name of a signal of the domain, or "". */
static const char *signal_name(const struct found *found, unsigned index, char *text, size_t size)
{
    struct tally_pcounter_domain domain;
    struct tally_signal signal;
    text[0] = '\0';
    if (tally_pcounter_domain(found->engine, found->domain, &domain) < 0)
        return text;
    for (size_t i = 0; tally_signal_at(found->chip.chipset, i, &signal) == 0; i++) {
        if (signal.index != index || signal.domain != TALLY_DOMAIN(domain.set, domain.number))
            continue;
        if (signal.group_last > signal.group_first)
            snprintf(text, size, "%s[%u]", signal.name, index - signal.group_first);
        else
            snprintf(text, size, "%s", signal.name);
        return text;
    }
    return text;
}

static bool selects_signals(const struct found *found)
{
    unsigned id = found->place.reg->id;
    return found->engine && found->map == found->chip.maps[0] &&
           (id <= REG_CLRFLAG_SRC || id == REG_SPEC_SRC);
}

static void put_value_line(struct output *output, const struct found *found,
                           const struct reg_field *field, uint32_t value)
{
    char bits[12], number[REG_NUMBER], text[192] = "";
    uint32_t field_value = reg_field_get(field, value);
    const char *name = reg_value_name(field, field_value);
    describe_bits(bits, sizeof bits, field);
    reg_field_number(field, field_value, number);
    if (selects_signals(found))
        signal_name(found, field_value, text, sizeof text);
    else if (found->engine && !strcmp(field->name, "LOGIC"))
        logic_formula((uint16_t)field_value, text, sizeof text);
    else if (name)
        snprintf(text, sizeof text, "%s", name);
    else if (field->values)
        snprintf(text, sizeof text, "(not defined)");
    const char *meaning = field->meaning ? field->meaning : "";
    const char *access = field->access == REG_WRITE  ? " (write-only)"
                         : field->access == REG_READ ? " (read-only)"
                                                     : "";
    bool more = *meaning || *access, any = *text || more; /* avoids trailing spaces */
    output_printf(output, "  %-6s %-22s %-*s", bits, field->name, any ? 8 : 0, number);
    if (any)
        output_printf(output, " %-*s", more ? 20 : 0, text);
    if (more) {
        output_style(output, "2");
        output_printf(output, " %s%s", meaning, access);
        output_style(output, "0");
    }
    output_text(output, "\n");
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
    for (const struct reg_field *field = reg->fields; field && field->name; field++) {
        if (!reg_field_exists(field, chip->revision, chip->domains))
            continue;
        if (has_value)
            put_value_line(output, found, field, value);
        else
            put_field_line(output, field);
    }
    uint32_t known = reg_documented(reg, chip->revision, chip->domains);
    if (has_value && (value & ~known))
        output_printf(output, "  0x%08" PRIx32 ": bits that are not defined on %s\n",
                      value & ~known, chip->title);
    put_fates(output, found);
}

/* Prints the error for a register that was not found: an array needs indices. */
static int not_found(const struct found *found, const char *what, bool numeric)
{
    const struct chip *chip = &found->chip;
    char name[64], address[64];
    for (unsigned m = 0; m < chip->map_count; m++)
        for (size_t i = 0; i < chip->maps[m]->count; i++) {
            const struct reg *reg = &chip->maps[m]->regs[i];
            if (!is_listed(chip, reg, what) || !reg->dimensions[0].count)
                continue;
            describe_array(chip, chip->maps[m], reg, name, address, sizeof name);
            return usage_error("explain: %s of %s is an array, expected %s with numbers as indices",
                               reg->name, chip->title, name);
        }
    if (!numeric)
        return unknown_register("explain", chip, what);
    return usage_error("explain: unknown address %s of %s; see tally list registers --%s %s", what,
                       chip->title, chip->chipset ? "chipset" : "platform", chip->name);
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
        return not_found(found, what, numeric);
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
    struct tally_error error = {0};
    unsigned long value = 0;
    int result = 0;
    if (snprintf(text, sizeof text, "%s", arguments->operands[0]) >= (int)sizeof text)
        return usage_error("explain: \"%.32s...\" is too long", text);
    parse_chip(text, &found.chip);
    colon = strchr(text, ':');
    equals = strchr(text, '=');
    if (equals) {
        *equals = '\0';
        errno = 0;
        value = strtoul(equals + 1, &end, 0);
        if (!isdigit((unsigned char)equals[1]) || *end || errno || value > UINT32_MAX)
            return usage_error("explain: value \"%s\", expected a 32-bit number", equals + 1);
    }
    if (found.chip.chipset)
        result = tally_pcounter_new(found.chip.chipset, &found.engine, &error);
    if (result < 0) {
        report_error(&error);
        return result == -ENODEV ? EXIT_FAILED : exit_code_of(result);
    }
    int code = explain_found(arguments, &found, colon + 1, equals != NULL, (uint32_t)value);
    tally_pcounter_free(found.engine);
    return code;
}
