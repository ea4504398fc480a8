/* SPDX-License-Identifier: MIT */
/* tally list registers. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/minmax.h"
#include "cli/chip.h"
#include "cli/registers.h"
#include "nvidia/pcounter/engine.h"
#include "sink/json.h"

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

/* A register in a list. */
struct listed {
    const struct chip *chip;
    const struct reg *reg;
};

static void put_dimensions_json(struct output *output, const void *item)
{
    const struct listed *listed = item;
    const struct chip *chip = listed->chip;
    const struct reg *reg = listed->reg;
    const char *comma = "";
    output_text(output, "[");
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

static void put_fields_json(struct output *output, const void *item)
{
    const struct listed *listed = item;
    const struct chip *chip = listed->chip;
    const char *comma = "";
    output_text(output, "[");
    for (const struct reg_field *field = listed->reg->fields; field && field->name; field++) {
        if (!reg_field_exists(field, chip->revision, chip->domains))
            continue;
        output_text(output, comma);
        put_field_json(output, field);
        comma = ",";
    }
    output_text(output, "]");
}

enum {
    REGISTER_CHIP,
    REGISTER_MAP,
    REGISTER_NAME,
    REGISTER_ADDRESS,
    REGISTER_DIMENSIONS,
    REGISTER_ACCESS,
    REGISTER_RESET,
    REGISTER_WRITABLE,
    REGISTER_ABORTS,
    REGISTER_MEANING,
    REGISTER_SOURCE,
    REGISTER_BASIS,
    REGISTER_FIELDS,
    REGISTER_COLUMNS
};

/* A list of registers: its names and widths depend on the chip. */
struct register_list {
    struct list_column columns[REGISTER_COLUMNS];
    struct list_kind kind;
};

static const struct list_column register_columns[REGISTER_COLUMNS] = {
    [REGISTER_CHIP] = {"platform", LIST_TEXT, 0, 0, 0, NULL},
    [REGISTER_MAP] = {"map", LIST_TEXT, 0, 0, 0, NULL},
    [REGISTER_NAME] = {"name", LIST_TEXT, 2, 2, 0, "register"},
    [REGISTER_ADDRESS] = {"address", LIST_NUMBER, 1, 0, 0, "address"},
    [REGISTER_DIMENSIONS] = {"dimensions", LIST_NESTED, 0, 0, 0, NULL},
    [REGISTER_ACCESS] = {"access", LIST_TEXT, 3, 2, -2, ""},
    [REGISTER_RESET] = {"reset", LIST_NUMBER, 0, 0, 0, NULL},
    [REGISTER_WRITABLE] = {"writable", LIST_NUMBER, 4, 2, -10, "writable"},
    [REGISTER_ABORTS] = {NULL, LIST_BOOL, 0, 0, 0, NULL},
    [REGISTER_MEANING] = {"meaning", LIST_TEXT, 5, 2, 0, "meaning"},
    [REGISTER_SOURCE] = {"source", LIST_TEXT, 0, 0, 0, NULL},
    [REGISTER_BASIS] = {"basis", LIST_TEXT, 6, 2, 0, "basis"},
    [REGISTER_FIELDS] = {"fields", LIST_NESTED, 0, 0, 0, NULL},
};

/* Widens a left-aligned column to the size of a text. */
static void widen(struct list_column *column, const char *text)
{
    int width = -(int)strlen(text);
    column->width = width < column->width ? width : column->width;
}

static void widen_columns(struct register_list *list, const struct chip *chip,
                          const struct reg_map *map, const char *wanted)
{
    for (size_t i = 0; i < map->count; i++) {
        char name[64], address[64];
        if (!is_listed(chip, &map->regs[i], wanted))
            continue;
        describe_array(chip, map, &map->regs[i], name, address, sizeof name);
        widen(&list->columns[REGISTER_ADDRESS], address);
        widen(&list->columns[REGISTER_NAME], name);
    }
}

static void make_register_list(struct register_list *list, const struct chip *chip,
                               const char *wanted)
{
    memcpy(list->columns, register_columns, sizeof register_columns);
    list->kind = (struct list_kind)LIST_KIND("register", list->columns);
    if (chip->chipset) {
        list->columns[REGISTER_CHIP].name = "chipset";
        list->columns[REGISTER_ABORTS].name = "aborts";
    }
    widen(&list->columns[REGISTER_ADDRESS], list->columns[REGISTER_ADDRESS].title);
    widen(&list->columns[REGISTER_NAME], list->columns[REGISTER_NAME].title);
    for (unsigned i = 0; i < chip->map_count; i++)
        widen_columns(list, chip, chip->maps[i], wanted);
}

/* Returns on what a register's row is based. */
static const char *basis_of(const struct reg_map *map, const struct reg *reg)
{
    static const char *const names[REG_BASES] = {
        [REG_DOCUMENTED] = "documented", [REG_OBSERVED] = "observed", [REG_ASSUMED] = "assumed"};
    if (map->has_basis && REG_BASIS(reg->flags))
        return names[REG_BASIS(reg->flags)];
    bool of_driver = strstr(reg->source, "i915") || strstr(reg->source, "public driver");
    return names[of_driver ? REG_OBSERVED : REG_DOCUMENTED];
}

static void put_register(struct listing *listing, const struct chip *chip,
                         const struct reg_map *map, const struct reg *reg)
{
    const struct listed listed = {chip, reg};
    uint32_t writable = reg_mask(reg, chip->revision, chip->domains, REG_WRITE);
    char name[64], address[64], mask[16];
    describe_array(chip, map, reg, name, address, sizeof name);
    snprintf(mask, sizeof mask, "0x%08" PRIx32, writable);
    const struct list_cell cells[REGISTER_COLUMNS] = {
        [REGISTER_CHIP] = {.text = chip->name},
        [REGISTER_MAP] = {.text = map->name},
        [REGISTER_NAME] = {.text = reg->name, .shown = name},
        [REGISTER_ADDRESS] = {.number = map->base + reg->offset, .shown = address},
        [REGISTER_DIMENSIONS] = {.nested = put_dimensions_json, .item = &listed},
        [REGISTER_ACCESS] = {.text = access_name(reg->access)},
        [REGISTER_RESET] = {.number = reg->reset},
        [REGISTER_WRITABLE] = {.number = writable, .shown = mask},
        [REGISTER_ABORTS] = {.number = (reg->flags & REG_ABORTS) != 0},
        [REGISTER_MEANING] = {.text = reg->meaning},
        [REGISTER_SOURCE] = {.text = reg->source},
        [REGISTER_BASIS] = {.text = basis_of(map, reg)},
        [REGISTER_FIELDS] = {.nested = put_fields_json, .item = &listed},
    };
    list_row(&listing->list, cells);
}

static void list_map(struct listing *listing, const struct chip *chip, const struct reg_map *map,
                     const char *wanted)
{
    struct output *remarks = wanted ? list_remarks(&listing->list) : NULL;
    for (size_t i = 0; i < map->count; i++) {
        const struct reg *reg = &map->regs[i];
        if (!is_listed(chip, reg, wanted))
            continue;
        put_register(listing, chip, map, reg);
        for (const struct reg_field *field = reg->fields; remarks && field && field->name; field++)
            if (reg_field_exists(field, chip->revision, chip->domains))
                put_field_line(remarks, field);
    }
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
    output_printf(output, "set: 0x%x + gpc*0x%x, 0x%x + part*0x%x, 0x%x (hub)\n", gpc->control,
                  GF100_SET_BYTES, part->control, GF100_SET_BYTES,
                  gf100_set_spaces[TALLY_SET_HUB].control);
}

static bool has_register(const struct chip *chip, const char *name)
{
    for (unsigned m = 0; m < chip->map_count; m++)
        for (size_t i = 0; i < chip->maps[m]->count; i++)
            if (is_listed(chip, &chip->maps[m]->regs[i], name))
                return true;
    return false;
}

int list_registers(struct listing *listing)
{
    const struct arguments *arguments = listing->arguments;
    const char *wanted = arguments->operand_count > 1 ? arguments->operands[1] : NULL;
    const struct tally_chipset *chipset = listing->chipset;
    struct register_list list;
    char names[INTEL_NAMES_MAX];
    struct chip chip;
    if (chipset && chipset->presence == TALLY_ABSENT) {
        warn("%s has no PCOUNTER", chipset->title);
        return EXIT_FAILED;
    }
    if (chipset)
        chip = chip_of_chipset(chipset);
    else if (!chip_of_platform(listing->platform->name, &chip))
        return usage_error("list: no register map for %s, expected %s", listing->platform->title,
                           intel_modelled_names(false, ", ", " or ", names));
    if (wanted && !has_register(&chip, wanted))
        return unknown_register("list", &chip, wanted);
    make_register_list(&list, &chip, wanted);
    begin_list(listing, &list.kind);
    for (unsigned i = 0; i < chip.map_count; i++)
        list_map(listing, &chip, chip.maps[i], wanted);
    struct output *remarks = list_remarks(&listing->list);
    if (chipset && chipset->gpcs && remarks && !wanted)
        put_set_spaces(remarks, chipset);
    return EXIT_DONE;
}
