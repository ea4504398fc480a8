/* SPDX-License-Identifier: MIT */
/* tally list registers, and tally explain CHIP:REGISTER=VALUE. */
#include "cli/registers.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/minmax.h"
#include "intel/gt/power.h"
#include "intel/platforms.h"
#include "intel/registers.h"
#include "nvidia/pcounter/engine.h"
#include "nvidia/pcounter/logic.h"
#include "sink/json.h"

/* ---- the registers of a chip ----------------------------------------------------------------- */

#define MAPS_MAX 8

/* The register maps of an NVIDIA chipset or an Intel platform. */
struct chip {
    const char *name, *title;
    const struct tally_chipset *chipset;   /* NVIDIA, or NULL */
    const struct intel_platform *platform; /* Intel, or NULL */
    const struct reg_map *maps[MAPS_MAX];
    unsigned map_count;
    uint32_t revision; /* bit of the revision in reg.revisions */
    unsigned domains;
};

static struct chip chip_of_chipset(const struct tally_chipset *chipset)
{
    enum tally_pcounter_revision revision = (enum tally_pcounter_revision)chipset->revision;
    return (struct chip){.name = chipset->name,
                         .title = chipset->title,
                         .chipset = chipset,
                         .maps = {pcounter_registers(revision), &pmc_map},
                         .map_count = pcounter_features[revision].sets ? 2 : 1,
                         .revision = 1u << revision,
                         .domains = chipset->domain_count ? chipset->domain_count : 1};
}

/* Fills in the registers of the OA unit, of its signal selection and of the GT. */
static bool chip_of_platform(const char *name, struct chip *out)
{
    const struct intel_platform *platform = intel_modelled(name);
    if (!platform)
        return false;
    *out = (struct chip){.name = platform->info.name,
                         .title = platform->info.title,
                         .platform = platform,
                         .revision = INTEL_BIT(platform->revision),
                         .domains = UINT_MAX};
    const struct reg_map *map;
    while (out->map_count < MAPS_MAX &&
           (map = intel_register_map(platform->revision, out->map_count)))
        out->maps[out->map_count++] = map;
    return true;
}

static const char *access_name(unsigned access)
{
    static const char *const names[] = {"-", "ro", "wo", "rw"};
    return names[access & REG_READ_WRITE];
}

/* True for the registers of a set of domains (GF100 and later), which have a base per set. */
static bool is_relative(const struct chip *chip, const struct reg_map *map)
{
    return chip->chipset && pcounter_features[chip->chipset->revision].sets && map != &pmc_map;
}

/* Formats the name of a register and its address: "PRE_SRC[dom]", "0x00a400 + dom*0x4". */
static void describe_array(const struct chip *chip, const struct reg_map *map,
                           const struct reg *reg, char *name, char *address, size_t size)
{
    bool relative = is_relative(chip, map);
    snprintf(name, size, "%s", reg->name);
    snprintf(address, size, relative ? "base + 0x%02" PRIx32 : "0x%06" PRIx32,
             reg->offset + (relative ? 0 : map->base));
    for (unsigned d = 0; d < REG_DIMENSIONS && reg->dimensions[d].count; d++) {
        size_t used = strlen(name);
        snprintf(name + used, size - used, "[%s]", reg->dimensions[d].letter);
        used = strlen(address);
        snprintf(address + used, size - used, " + %s*0x%" PRIx32, reg->dimensions[d].letter,
                 reg->dimensions[d].stride);
    }
}

/* ---- listing --------------------------------------------------------------------------------- */

static void put_field_json(struct output *output, const struct reg_field *field)
{
    output_text(output, "{\"name\":");
    json_text(output, field->name);
    output_printf(output, ",\"low\":%u,\"high\":%u,\"access\":\"%s\"", field->low, field->high,
                  access_name(field->access));
    json_member(output, "meaning", field->meaning ? field->meaning : "");
    output_text(output, ",\"values\":{");
    for (const struct reg_value *value = field->values; value && value->name; value++) {
        output_printf(output, "%s\"%" PRIu32 "\":", value == field->values ? "" : ",",
                      value->value);
        json_text(output, value->name);
    }
    output_text(output, "}}");
}

static void put_dimensions_json(struct output *output, const struct chip *chip,
                                const struct reg *reg)
{
    const char *comma = "";
    output_text(output, ",\"dimensions\":[");
    for (unsigned d = 0; d < REG_DIMENSIONS && reg->dimensions[d].count; d++) {
        const struct reg_dimension *dimension = &reg->dimensions[d];
        bool domains = !strcmp(dimension->letter, "dom");
        output_printf(output, "%s{\"index\":\"%s\",\"count\":%u,\"stride\":%" PRIu32 "}", comma,
                      dimension->letter,
                      domains ? min_u32(chip->domains, dimension->count) : dimension->count,
                      dimension->stride);
        comma = ",";
    }
    output_text(output, "]");
}

static void put_register_json(struct output *output, const struct chip *chip,
                              const struct reg_map *map, const struct reg *reg)
{
    const char *comma = "";
    output_printf(output, "{\"type\":\"register\",\"%s\":", chip->chipset ? "chipset" : "platform");
    json_text(output, chip->name);
    json_member(output, "map", map->name);
    json_member(output, "name", reg->name);
    output_printf(output, ",\"address\":%" PRIu32, map->base + reg->offset);
    put_dimensions_json(output, chip, reg);
    output_printf(output, ",\"access\":\"%s\",\"reset\":%" PRIu32 ",\"writable\":%" PRIu32,
                  access_name(reg->access), reg->reset,
                  reg_mask(reg, chip->revision, chip->domains, REG_WRITE));
    if (chip->chipset)
        output_printf(output, ",\"aborts\":%s", reg->flags & REG_ABORTS ? "true" : "false");
    json_member(output, "meaning", reg->meaning ? reg->meaning : "");
    json_member(output, "source", reg->source ? reg->source : "");
    output_text(output, ",\"fields\":[");
    for (const struct reg_field *field = reg->fields; field && field->name; field++) {
        if (!reg_field_exists(field, chip->revision, chip->domains))
            continue;
        output_text(output, comma);
        put_field_json(output, field);
        comma = ",";
    }
    output_text(output, "]}\n");
}

static void put_bits(char *text, size_t size, const struct reg_field *field)
{
    if (field->low == field->high)
        snprintf(text, size, "%u", field->low);
    else
        snprintf(text, size, "%u:%u", field->high, field->low);
}

static void put_field_line(struct output *output, const struct reg_field *field)
{
    char bits[12];
    put_bits(bits, sizeof bits, field);
    output_printf(output, "    %-6s %-22s %s%s%s", bits, field->name, access_name(field->access),
                  field->meaning ? "  " : "", field->meaning ? field->meaning : "");
    const char *before = field->meaning ? ": " : "  ";
    for (const struct reg_value *value = field->values; value && value->name; value++) {
        output_printf(output, "%s%" PRIu32 " %s", before, value->value, value->name);
        before = ", ";
    }
    output_text(output, "\n");
}

/* Widths of the columns that depend on their contents. */
struct columns {
    int address, name;
};

static bool is_listed(const struct chip *chip, const struct reg *reg, const char *wanted)
{
    return (reg->revisions & chip->revision) && (!wanted || !strcasecmp(wanted, reg->name));
}

static void widen(struct columns *columns, const struct chip *chip, const struct reg_map *map,
                  const char *wanted)
{
    for (size_t i = 0; i < map->count; i++) {
        char name[64], address[64];
        if (!is_listed(chip, &map->regs[i], wanted))
            continue;
        describe_array(chip, map, &map->regs[i], name, address, sizeof name);
        int wide = (int)strlen(address), long_name = (int)strlen(name);
        columns->address = wide > columns->address ? wide : columns->address;
        columns->name = long_name > columns->name ? long_name : columns->name;
    }
}

static int list_map(struct listing *listing, const struct chip *chip, const struct reg_map *map,
                    const struct columns *columns, const char *wanted)
{
    int listed = 0;
    for (size_t i = 0; i < map->count; i++) {
        const struct reg *reg = &map->regs[i];
        char name[64], address[64];
        if (!is_listed(chip, reg, wanted))
            continue;
        listed++;
        if (listing->json) {
            put_register_json(listing->output, chip, map, reg);
            continue;
        }
        describe_array(chip, map, reg, name, address, sizeof name);
        output_printf(listing->output, "%-*s  %-*s  %-2s  0x%08" PRIx32 "  %s\n", columns->address,
                      address, columns->name, name, access_name(reg->access),
                      reg_mask(reg, chip->revision, chip->domains, REG_WRITE),
                      reg->meaning ? reg->meaning : "");
        for (const struct reg_field *field = reg->fields; wanted && field && field->name; field++)
            if (reg_field_exists(field, chip->revision, chip->domains))
                put_field_line(listing->output, field);
    }
    return listed;
}

/* Where the registers of each set of domains are, from GF100 on. */
static void put_set_spaces(struct output *output, const struct tally_chipset *chipset)
{
    static const char *const counts[] = {"no domains",    "one domain",    "two domains",
                                         "three domains", "four domains",  "five domains",
                                         "six domains",   "seven domains", "eight domains"};
    const struct pcounter_set_space *part = &gf100_set_spaces[TALLY_SET_PART];
    const struct pcounter_set_space *gpc = &gf100_set_spaces[TALLY_SET_GPC];
    output_printf(output,
                  "base: 0x%x + gpc*0x%x (%u), 0x%x + part*0x%x + dom*0x%x (%u of %s), 0x%x + "
                  "dom*0x%x (hub, %s)\n",
                  gpc->address, gpc->stride, chipset->gpcs, part->address, part->stride,
                  GF100_DOMAIN_BYTES, chipset->partitions, counts[chipset->partition_domains],
                  gf100_set_spaces[TALLY_SET_HUB].address, GF100_DOMAIN_BYTES,
                  counts[chipset->hub_domains]);
}

int list_registers(struct listing *listing)
{
    const struct arguments *arguments = listing->arguments;
    const char *wanted = arguments->operand_count > 1 ? arguments->operands[1] : NULL;
    const struct tally_chipset *chipset = listing->chipset;
    struct columns columns = {sizeof "address" - 1, sizeof "register" - 1};
    char names[INTEL_NAMES_MAX];
    struct chip chip;
    int listed = 0;
    if (chipset && chipset->presence == TALLY_ABSENT) {
        fprintf(stderr, "tally: %s has no PCOUNTER\n", chipset->title);
        return EXIT_FAILED;
    }
    if (chipset)
        chip = chip_of_chipset(chipset);
    else if (!chip_of_platform(listing->platform->name, &chip))
        return usage_error("list: no register map for %s, expected %s", listing->platform->title,
                           intel_modelled_names(false, ", ", " or ", names));
    for (unsigned i = 0; i < chip.map_count; i++)
        widen(&columns, &chip, chip.maps[i], wanted);
    put_heading(listing, "%-*s  %-*s  %-2s  %-10s  %s\n", columns.address, "address", columns.name,
                "register", "", "writable", "meaning");
    for (unsigned i = 0; i < chip.map_count; i++)
        listed += list_map(listing, &chip, chip.maps[i], &columns, wanted);
    if (chipset && chipset->gpcs && !listing->json && !wanted)
        put_set_spaces(listing->output, chipset);
    if (listed)
        return EXIT_DONE;
    return usage_error("list: unknown register \"%s\" of %s; see tally list registers", wanted,
                       chip.title);
}

/* ---- explaining ------------------------------------------------------------------------------ */

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

/* Finds the PCOUNTER register at an address. */
static bool locate(struct found *found, uint32_t address, enum reg_access access)
{
    struct pcounter_target target = pcounter_locate(found->engine, address, access);
    if (!target.place.reg || target.pmc)
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
        for (uint32_t at = 0; at < map->size; at += 4) {
            bool relative = is_relative(&found->chip, map);
            uint32_t address = relative ? domain.address + at : map->base + at;
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
    return found->engine && found->map != &pmc_map && (id <= REG_CLRFLAG_SRC || id == REG_SPEC_SRC);
}

static void put_value_line(struct output *output, const struct found *found,
                           const struct reg_field *field, uint32_t value)
{
    char bits[12], number[REG_NUMBER], text[192] = "";
    uint32_t field_value = reg_field_get(field, value);
    const char *name = reg_value_name(field, field_value);
    put_bits(bits, sizeof bits, field);
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
        output_printf(output, " of %s %u domain %u", sets[domain.set], domain.instance,
                      domain.number);
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
        output_printf(
            output, "%s %s %s", event ? "," : "  power:", gt_event_name((enum gt_event)event),
            gt_fate_name(gt_power_fate(platform->revision, (enum gt_event)event, found->address)));
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
static int unknown_register(const struct found *found, const char *what, bool numeric)
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
    return usage_error(numeric
                           ? "explain: no register at %s on %s; see tally list registers --%s %s"
                           : "explain: unknown register %s of %s; see tally list registers --%s %s",
                       what, chip->title, chip->chipset ? "chipset" : "platform", chip->name);
}

static int explain_found(const struct arguments *arguments, struct found *found, const char *what,
                         bool has_value, uint32_t value)
{
    int code = EXIT_DONE;
    char *end;
    errno = 0;
    unsigned long address = strtoul(what, &end, 0);
    bool numeric = isdigit((unsigned char)*what);
    if (numeric && (*end || errno || address > UINT32_MAX))
        return usage_error("explain: \"%s\", expected an address or a name", what);
    if (numeric ? !find_by_address(found, (uint32_t)address) : !find_by_name(found, what))
        return unknown_register(found, what, numeric);
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
