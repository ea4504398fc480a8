/* SPDX-License-Identifier: MIT */
/* The register maps of a chip, for tally list registers and tally explain. */
#include "cli/chip.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/expected.h"
#include "cli/cli.h"
#include "intel/registers.h"
#include "nvidia/gpu/registers.h"
#include "nvidia/pcounter/engine.h"

struct chip chip_of_chipset(const struct tally_chipset *chipset)
{
    enum tally_pcounter_revision revision = (enum tally_pcounter_revision)chipset->revision;
    struct chip chip = {.name = chipset->name,
                        .title = chipset->title,
                        .chipset = chipset,
                        .maps = {pcounter_registers(revision)},
                        .map_count = 1,
                        .revision = 1u << revision,
                        .domains = chipset->domain_count ? chipset->domain_count : 1};
    if (pcounter_features[revision].sets)
        chip.maps[chip.map_count++] = &pcounter_set_map;
    for (enum nvidia_part part = 0; part < NVIDIA_PARTS; part++)
        chip.maps[chip.map_count++] = nvidia_registers(revision, part);
    return chip;
}

bool chip_of_platform(const char *name, struct chip *out)
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
    while (out->map_count < CHIP_MAPS_MAX &&
           (map = intel_register_map(platform->revision, out->map_count)))
        out->maps[out->map_count++] = map;
    return true;
}

bool chip_of_name(const char *name, struct chip *out)
{
    const struct tally_chipset *chipset = tally_chipset_find(name);
    const struct tally_sku *sku = chipset ? NULL : tally_sku_find(name);
    if (chipset)
        *out = chip_of_chipset(chipset);
    return chipset || (sku && chip_of_platform(sku->platform, out));
}

const char *access_name(unsigned access)
{
    static const char *const names[] = {"-", "ro", "wo", "rw"};
    return names[access & REG_READ_WRITE];
}

bool is_relative(const struct chip *chip, const struct reg_map *map)
{
    return chip->chipset && pcounter_features[chip->chipset->revision].sets &&
           (map == chip->maps[0] || map == &pcounter_set_map);
}

void describe_array(const struct chip *chip, const struct reg_map *map, const struct reg *reg,
                    char *name, char *address, size_t size)
{
    bool relative = is_relative(chip, map);
    snprintf(name, size, "%s", reg->name);
    if (relative)
        snprintf(address, size, "%s + 0x%02" PRIx32, map == &pcounter_set_map ? "set" : "base",
                 reg->offset);
    else
        snprintf(address, size, "0x%06" PRIx32, map->base + reg->offset);
    for (unsigned d = 0; d < REG_DIMENSIONS && reg->dimensions[d].count; d++) {
        size_t used = strlen(name);
        snprintf(name + used, size - used, "[%s]", reg->dimensions[d].letter);
        used = strlen(address);
        snprintf(address + used, size - used, " + %s*0x%" PRIx32, reg->dimensions[d].letter,
                 reg->dimensions[d].stride);
    }
}

bool is_listed(const struct chip *chip, const struct reg *reg, const char *wanted)
{
    return (reg->revisions & chip->revision) && (!wanted || !strcasecmp(wanted, reg->name));
}

void describe_bits(char *text, size_t size, const struct reg_field *field)
{
    if (field->low == field->high)
        snprintf(text, size, "%u", field->low);
    else
        snprintf(text, size, "%u:%u", field->high, field->low);
}

void put_field_line(struct output *output, const struct reg_field *field)
{
    char bits[12];
    describe_bits(bits, sizeof bits, field);
    output_printf(output, "    %-6s %-22s %s%s%s", bits, field->name, access_name(field->access),
                  field->meaning ? "  " : "", field->meaning ? field->meaning : "");
    const char *before = field->meaning ? ": " : "  ";
    for (const struct reg_value *value = field->values; value && value->name; value++) {
        output_printf(output, "%s%" PRIu32 " %s", before, value->value, value->name);
        before = ", ";
    }
    output_text(output, "\n");
}

#define REGISTERS_MAX 2048

int unknown_register(const char *command, const struct chip *chip, const char *name)
{
    const char *names[REGISTERS_MAX];
    char place[64], expected[EXPECTED_BYTES];
    size_t count = 0;
    for (unsigned m = 0; m < chip->map_count; m++)
        for (size_t i = 0; i < chip->maps[m]->count && count < REGISTERS_MAX; i++)
            if (is_listed(chip, &chip->maps[m]->regs[i], NULL))
                names[count++] = chip->maps[m]->regs[i].name;
    snprintf(place, sizeof place, "tally list registers --%s %s",
             chip->chipset ? "chipset" : "platform", chip->name);
    return usage_error("%s: unknown register \"%s\" of %s%s", command, name, chip->title,
                       expected_word(expected, name, names, count, place));
}
