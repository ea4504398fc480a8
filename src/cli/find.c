/* SPDX-License-Identifier: MIT */
/* Registers of a chip by address and by name. */
#include "cli/find.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/cli.h"
#include "nvidia/pcounter/engine.h"
#include "nvidia/pcounter/logic.h"

int found_init(struct found *found, const struct chip *chip, struct tally_error *error)
{
    *found = (struct found){.chip = *chip};
    return chip->chipset ? tally_pcounter_new(chip->chipset, &found->engine, error) : 0;
}

void found_fini(struct found *found)
{
    tally_pcounter_free(found->engine);
    found->engine = NULL;
}

/* ---- by address ------------------------------------------------------------------------------ */

/* Finds the PCOUNTER register of a map at an address. */
static bool locate(struct found *found, uint32_t address, enum reg_access access)
{
    struct reg_place place = pcounter_locate(found->engine, address, access);
    const struct reg *reg = place.reg;
    if (!reg || reg < found->map->regs || reg >= found->map->regs + found->map->count)
        return false;
    found->place = place;
    found->domain = pcounter_find(found->engine, address, access).domain;
    return true;
}

static bool find_in_map(struct found *found, const struct reg_map *map, uint32_t address)
{
    const struct chip *chip = &found->chip;
    struct reg_place *place = &found->place;
    found->map = map;
    found->address = address;
    if (is_relative(chip, map) || (found->engine && map == chip->maps[0]))
        return (locate(found, address, REG_WRITE) && (place->reg->access & REG_WRITE)) ||
               locate(found, address, REG_READ);
    return (reg_find(map, chip->revision, chip->domains, address, REG_WRITE, place) &&
            (place->reg->access & REG_WRITE)) ||
           reg_find(map, chip->revision, chip->domains, address, REG_READ, place);
}

bool find_by_address(struct found *found, uint32_t address)
{
    for (unsigned i = 0; i < found->chip.map_count; i++)
        if (find_in_map(found, found->chip.maps[i], address))
            return true;
    return false;
}

/* ---- by name --------------------------------------------------------------------------------- */

/* A name without its prefix, and what the prefix selects. */
struct wanted {
    const char *name;
    size_t name_size; /* without indices */
    unsigned index[REG_DIMENSIONS];
    unsigned indices;
    const char *map; /* name of the map, or NULL */
    size_t map_size;
    int set;           /* enum tally_domain_set; negative: any */
    unsigned instance; /* of the set */
    int number;        /* of the domain; negative: any */
};

/* Splits "CTRL[1]" into name and indices, which are numbers in brackets at its end. Other brackets
 * are part of the name: "ROP[0].CROP.PM_MUX". */
static void parse_name(struct wanted *wanted, const char *text)
{
    size_t size = strlen(text);
    wanted->name = text;
    wanted->indices = 0;
    while (size && text[size - 1] == ']' && wanted->indices < REG_DIMENSIONS) {
        size_t open = size - 1;
        while (open && isdigit((unsigned char)text[open - 1]))
            open--;
        if (!open || text[open - 1] != '[' || open == size - 1)
            break;
        memmove(wanted->index + 1, wanted->index, sizeof wanted->index - sizeof *wanted->index);
        unsigned long index = strtoul(text + open, NULL, 10);
        wanted->index[0] = index > UINT16_MAX ? UINT16_MAX : (unsigned)index;
        wanted->indices++;
        size = open - 1;
    }
    wanted->name_size = size;
}

static bool is_named(const struct reg *reg, const struct wanted *wanted)
{
    unsigned dimensions = 0;
    while (dimensions < REG_DIMENSIONS && reg->dimensions[dimensions].count)
        dimensions++;
    return wanted->indices == dimensions && strlen(reg->name) == wanted->name_size &&
           !strncasecmp(reg->name, wanted->name, wanted->name_size);
}

static bool is_in_range(const struct reg *reg, const struct wanted *wanted, unsigned domains)
{
    for (unsigned d = 0; d < REG_DIMENSIONS && reg->dimensions[d].count; d++)
        if (wanted->index[d] >= reg_extent(&reg->dimensions[d], domains))
            return false;
    return true;
}

bool is_map_name(const struct reg_map *map, const char *name, size_t size)
{
    for (const char *at = map->name; at; at = strchr(at, '-')) {
        at += *at == '-';
        if (!strncasecmp(at, name, size) && (!at[size] || at[size] == '-'))
            return true;
    }
    return false;
}

/* Returns the address of a map's registers in the domain that is wanted. False: no such domain. */
static bool find_base(const struct found *found, const struct reg_map *map,
                      const struct wanted *wanted, uint32_t *base)
{
    struct tally_pcounter_domain domain;
    *base = map->base;
    if (!is_relative(&found->chip, map))
        return wanted->set < 0;
    bool of_set = map == &pcounter_set_map;
    if (of_set && wanted->number >= 0)
        return false;
    for (unsigned i = 0; !tally_pcounter_domain(found->engine, i, &domain); i++) {
        if ((wanted->set >= 0 && (domain.set != (enum tally_domain_set)wanted->set ||
                                  domain.instance != wanted->instance)) ||
            (wanted->number >= 0 && domain.number != (unsigned)wanted->number))
            continue;
        *base = of_set ? gf100_set_spaces[domain.set].control + domain.instance * GF100_SET_BYTES
                       : domain.address;
        return true;
    }
    return false;
}

static bool find_wanted(struct found *found, const struct wanted *wanted)
{
    const struct chip *chip = &found->chip;
    for (unsigned m = 0; m < chip->map_count; m++) {
        const struct reg_map *map = chip->maps[m];
        uint32_t base;
        if ((wanted->map && !is_map_name(map, wanted->map, wanted->map_size)) ||
            !find_base(found, map, wanted, &base))
            continue;
        for (size_t i = 0; i < map->count; i++) {
            const struct reg *reg = &map->regs[i];
            struct reg_place place = {.reg = reg};
            if (!is_listed(chip, reg, NULL) || !is_named(reg, wanted) ||
                !is_in_range(reg, wanted, chip->domains))
                continue;
            memcpy(place.index, wanted->index, sizeof place.index);
            if (find_in_map(found, map, base + (reg_address(map, &place) - map->base)))
                return true;
        }
    }
    return false;
}

/* Parses "part3." or "hub.", and "dom1." after it. Returns the rest, or NULL. */
static const char *parse_domain(struct wanted *wanted, const char *text)
{
    for (int set = TALLY_SET_GPC; set <= TALLY_SET_HUB; set++) {
        const struct pcounter_set_space *space = &gf100_set_spaces[set];
        size_t size = strlen(space->name);
        unsigned instance = 0, number;
        int used = 0;
        if (strncasecmp(text, space->name, size) != 0 ||
            (space->count > 1 && sscanf(text + size, "%3u%n", &instance, &used) < 1) ||
            text[size + (size_t)used] != '.')
            continue;
        text += size + (size_t)used + 1;
        wanted->set = set;
        wanted->instance = instance;
        used = 0;
        if (!strncasecmp(text, "dom", 3) && sscanf(text + 3, "%3u.%n", &number, &used) == 1 &&
            used) {
            wanted->number = (int)number;
            text += 3 + used;
        }
        return text;
    }
    return NULL;
}

bool find_by_name(struct found *found, const char *name)
{
    struct wanted wanted = {.set = -1, .number = -1};
    const char *rest, *dot = strchr(name, '.');
    parse_name(&wanted, name);
    if (find_wanted(found, &wanted))
        return true;
    if (found->engine && (rest = parse_domain(&wanted, name))) {
        parse_name(&wanted, rest);
        return find_wanted(found, &wanted);
    }
    if (!dot)
        return false;
    wanted.map = name;
    wanted.map_size = (size_t)(dot - name);
    parse_name(&wanted, dot + 1);
    return find_wanted(found, &wanted);
}

/* ---- texts ----------------------------------------------------------------------------------- */

const char *found_name(const struct found *found, char *text, size_t size)
{
    struct tally_pcounter_domain domain;
    char element[64];
    reg_element_name(&found->place, element, sizeof element);
    if (!is_relative(&found->chip, found->map) ||
        tally_pcounter_domain(found->engine, found->domain, &domain) < 0) {
        snprintf(text, size, "%s", element);
        return text;
    }
    const struct pcounter_set_space *space = &gf100_set_spaces[domain.set];
    char instance[12] = "", number[16] = "";
    if (space->count > 1)
        snprintf(instance, sizeof instance, "%u", domain.instance);
    if (found->map != &pcounter_set_map)
        snprintf(number, sizeof number, "dom%u.", domain.number);
    snprintf(text, size, "%s%s.%s%s", space->name, instance, number, element);
    return text;
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

const char *found_value_text(const struct found *found, const struct reg_field *field,
                             uint32_t bits, char *text, size_t size)
{
    const char *name = reg_value_name(field, bits);
    text[0] = '\0';
    if (selects_signals(found))
        signal_name(found, bits, text, size);
    else if (found->engine && !strcmp(field->name, "LOGIC"))
        logic_formula((uint16_t)bits, text, size);
    else if (name)
        snprintf(text, size, "%s", name);
    else if (field->values)
        snprintf(text, size, "(not defined)");
    return text;
}

static void put_value_line(struct output *output, const struct found *found,
                           const struct reg_field *field, uint32_t value)
{
    char bits[12], number[REG_NUMBER], text[192];
    uint32_t field_value = reg_field_get(field, value);
    describe_bits(bits, sizeof bits, field);
    reg_field_number(field, field_value, number);
    found_value_text(found, field, field_value, text, sizeof text);
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

void put_value_lines(struct output *output, const struct found *found, uint32_t value,
                     const struct reg_field *only)
{
    const struct chip *chip = &found->chip;
    const struct reg *reg = found->place.reg;
    uint32_t unknown = value & ~reg_documented(reg, chip->revision, chip->domains);
    for (const struct reg_field *field = reg->fields; field && field->name; field++)
        if (reg_field_exists(field, chip->revision, chip->domains) && (!only || only == field))
            put_value_line(output, found, field, value);
    if (unknown && !only)
        output_printf(output, "  0x%08" PRIx32 ": bits that are not defined on %s\n", unknown,
                      chip->title);
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* Writes an array with the range of each index: "CTRL[0..7]". */
static void describe_range(const struct chip *chip, const struct reg *reg, char *text, size_t size)
{
    int used = snprintf(text, size, "%s", reg->name);
    for (unsigned d = 0; d < REG_DIMENSIONS && reg->dimensions[d].count; d++)
        used += snprintf(text + used, size - (size_t)used, "[0..%u]",
                         reg_extent(&reg->dimensions[d], chip->domains) - 1);
}

int register_not_found(const char *command, const struct found *found, const char *what)
{
    const struct chip *chip = &found->chip;
    char name[64], address[64], range[96];
    struct wanted wanted;
    parse_name(&wanted, what);
    for (unsigned m = 0; m < chip->map_count; m++)
        for (size_t i = 0; i < chip->maps[m]->count; i++) {
            const struct reg *reg = &chip->maps[m]->regs[i];
            if (!is_listed(chip, reg, NULL) || !reg->dimensions[0].count ||
                strlen(reg->name) != wanted.name_size ||
                strncasecmp(reg->name, what, wanted.name_size) != 0)
                continue;
            describe_range(chip, reg, range, sizeof range);
            if (wanted.indices)
                return usage_error("%s: no register %s of %s, expected %s", command, what,
                                   chip->title, range);
            describe_array(chip, chip->maps[m], reg, name, address, sizeof name);
            return usage_error("%s: %s of %s is an array, expected %s with numbers as indices",
                               command, reg->name, chip->title, name);
        }
    if (!isdigit((unsigned char)*what))
        return unknown_register(command, chip, what);
    return usage_error("%s: unknown address %s of %s; see tally list registers --%s %s", command,
                       what, chip->title, chip->chipset ? "chipset" : "platform", chip->name);
}
