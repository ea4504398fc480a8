/* SPDX-License-Identifier: MIT */
/* Registers for people: tally list registers, and tally explain CHIP:REGISTER=VALUE. */
#include "cli/registers.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/bits.h"
#include "nvidia/pcounter/engine.h"
#include "nvidia/pcounter/logic.h"
#include "sink/json.h"

/* ---- what a chipset has ---------------------------------------------------------------------- */

/* The registers of a chipset: a map, its revision's bit, and how many domains there are. */
struct block_of {
    const struct tally_chipset *chipset;
    const struct reg_map *map;
    uint32_t revision;
    unsigned domains;
};

static struct block_of block_of(const struct tally_chipset *chipset)
{
    enum tally_pcounter_revision revision = (enum tally_pcounter_revision)chipset->revision;
    return (struct block_of){chipset, pcounter_registers(revision), 1u << revision,
                             chipset->domain_count ? chipset->domain_count : 1};
}

static const char *access_name(unsigned access)
{
    static const char *const names[] = {"-", "ro", "wo", "rw"};
    return names[access & REG_READ_WRITE];
}

/* "PRE_SRC[dom]", and where: "0x00a400 + dom*0x4". */
static void describe_array(const struct block_of *block, const struct reg *reg, char *name,
                           char *address, size_t size)
{
    bool relative = block->chipset->revision == TALLY_PCOUNTER_GF100 && block->map != &pmc_map;
    snprintf(name, size, "%s", reg->name);
    snprintf(address, size, relative ? "base + 0x%02" PRIx32 : "0x%06" PRIx32,
             reg->offset + (relative ? 0 : block->map->base));
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

static void put_register_json(struct output *output, const struct block_of *block,
                              const struct reg *reg)
{
    const char *comma = "";
    output_text(output, "{\"type\":\"register\",\"chipset\":");
    json_text(output, block->chipset->name);
    json_member(output, "map", block->map->name);
    json_member(output, "name", reg->name);
    output_printf(output, ",\"address\":%" PRIu32 ",\"dimensions\":[",
                  block->map->base + reg->offset);
    for (unsigned d = 0; d < REG_DIMENSIONS && reg->dimensions[d].count; d++) {
        const struct reg_dimension *dimension = &reg->dimensions[d];
        bool domains = !strcmp(dimension->letter, "dom");
        output_printf(
            output, "%s{\"index\":\"%s\",\"count\":%u,\"stride\":%" PRIu32 "}", comma,
            dimension->letter,
            domains && block->domains < dimension->count ? block->domains : dimension->count,
            dimension->stride);
        comma = ",";
    }
    output_printf(
        output, "],\"access\":\"%s\",\"reset\":%" PRIu32 ",\"writable\":%" PRIu32 ",\"aborts\":%s",
        access_name(reg->access), reg->reset,
        reg_mask(reg, block->revision, block->domains, REG_WRITE),
        reg->flags & REG_ABORTS ? "true" : "false");
    json_member(output, "meaning", reg->meaning);
    json_member(output, "source", reg->source);
    output_text(output, ",\"fields\":[");
    comma = "";
    for (const struct reg_field *field = reg->fields; field && field->name; field++) {
        if (!reg_field_exists(field, block->revision, block->domains))
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
    output_printf(output, "    %-6s %-22s %-3s %s", bits, field->name, access_name(field->access),
                  field->meaning ? field->meaning : "");
    const char *before = field->meaning ? ": " : "";
    for (const struct reg_value *value = field->values; value && value->name; value++) {
        output_printf(output, "%s%" PRIu32 " %s", before, value->value, value->name);
        before = ", ";
    }
    output_text(output, "\n");
}

static int list_block(struct listing *listing, const struct block_of *block, const char *wanted)
{
    int listed = 0;
    for (size_t i = 0; i < block->map->count; i++) {
        const struct reg *reg = &block->map->regs[i];
        char name[64], address[64];
        if (!(reg->revisions & block->revision) || (wanted && strcasecmp(wanted, reg->name) != 0))
            continue;
        listed++;
        if (listing->json) {
            put_register_json(listing->output, block, reg);
            continue;
        }
        describe_array(block, reg, name, address, sizeof name);
        output_printf(listing->output, "%-41s %-24s %-3s 0x%08" PRIx32 "  %s\n", address, name,
                      access_name(reg->access),
                      reg_mask(reg, block->revision, block->domains, REG_WRITE), reg->meaning);
        for (const struct reg_field *field = reg->fields; wanted && field && field->name; field++)
            if (reg_field_exists(field, block->revision, block->domains))
                put_field_line(listing->output, field);
    }
    return listed;
}

int list_registers(struct listing *listing)
{
    const struct arguments *arguments = listing->arguments;
    const char *wanted = arguments->operand_count > 1 ? arguments->operands[1] : NULL;
    const struct tally_chipset *chipset = listing->chipset;
    if (chipset->presence == TALLY_ABSENT) {
        fprintf(stderr, "tally: %s has no PCOUNTER\n", chipset->title);
        return EXIT_NO;
    }
    struct block_of block = block_of(chipset);
    put_heading(listing, "%-41s %-24s %-3s %-10s  %s\n", "address", "register", "", "writable",
                "meaning");
    int listed = list_block(listing, &block, wanted);
    if (chipset->revision == TALLY_PCOUNTER_GF100) {
        block.map = &pmc_map;
        listed += list_block(listing, &block, wanted);
        if (!listing->json && !wanted)
            output_printf(listing->output,
                          "base: 0x180000 + gpc*0x1000 (%u), 0x1a0000 + part*0x1000 + dom*0x200 "
                          "(%u of two domains), 0x1b0000 + dom*0x200 (hub, eight domains)\n",
                          chipset->gpcs, chipset->partitions);
    }
    if (listed)
        return EXIT_DONE;
    return tell_usage("list: %s has no register \"%s\"; see tally list registers --chipset %s",
                      chipset->title, wanted, chipset->name);
}

/* ---- explaining ------------------------------------------------------------------------------ */

bool is_register(const char *text)
{
    const char *colon = strchr(text, ':');
    char name[16];
    if (!colon || colon == text || (size_t)(colon - text) >= sizeof name)
        return false;
    snprintf(name, sizeof name, "%.*s", (int)(colon - text), text);
    return tally_chipset_find(name) != NULL;
}

/* A register of a real chip: its place, its domain, and where it was found. */
struct found {
    struct block_of block;
    struct reg_place place;
    struct tally_pcounter *engine; /* knows the sets of GF100 */
    unsigned domain;
    uint32_t address;
};

static bool find_by_address(struct found *found, uint32_t address)
{
    found->address = address;
    if (found->block.chipset->revision == TALLY_PCOUNTER_GF100 &&
        reg_find(&pmc_map, found->block.revision, 1, address, REG_READ, &found->place)) {
        found->block.map = &pmc_map;
        return true;
    }
    /* Where reads and writes lead to different registers (D20), a value is one to write. */
    if (pcounter_locate(found->engine, address, REG_WRITE, &found->place, &found->domain) &&
        (found->place.reg->access & REG_WRITE))
        return true;
    return pcounter_locate(found->engine, address, REG_READ, &found->place, &found->domain);
}

/* "CTRL[0]", "SIG_STATUS[1][0][2]": every element that has this name is tried. */
static bool find_by_name(struct found *found, const char *name)
{
    const struct reg_map *map = found->block.map;
    struct tally_pcounter_domain domain;
    char text[64];
    for (uint32_t at = 0; at < map->size; at += 4)
        for (int access = REG_READ; access <= REG_WRITE; access++) {
            struct reg_place place;
            if (!reg_find(map, found->block.revision, found->block.domains, map->base + at,
                          (enum reg_access)access, &place) ||
                strcasecmp(reg_element_name(&place, text, sizeof text), name) != 0)
                continue;
            tally_pcounter_domain(found->engine, 0, &domain);
            found->place = place;
            found->domain = place.reg->dimensions[0].count ? place.index[0] : 0;
            found->address = domain.address ? domain.address + at : map->base + at;
            return true;
        }
    return false;
}

/* The published name of a signal of the domain, or "". */
static const char *signal_name(const struct found *found, unsigned index, char *text, size_t size)
{
    struct tally_pcounter_domain domain;
    struct tally_signal signal;
    text[0] = '\0';
    if (tally_pcounter_domain(found->engine, found->domain, &domain) < 0)
        return text;
    for (size_t i = 0; tally_signal_at(found->block.chipset, i, &signal) == 0; i++) {
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
    return found->block.map != &pmc_map && (id <= REG_CLRFLAG_SRC || id == REG_SPEC_SRC);
}

static void put_value_line(struct output *output, const struct found *found,
                           const struct reg_field *field, uint32_t value)
{
    char bits[12], number[24], text[192] = "";
    uint32_t field_value = reg_field_get(field, value);
    const char *name = reg_value_name(field, field_value);
    put_bits(bits, sizeof bits, field);
    snprintf(number, sizeof number, field->high - field->low < 4 ? "%" PRIu32 : "0x%" PRIx32,
             field_value);
    if (selects_signals(found))
        signal_name(found, field_value, text, sizeof text);
    else if (!strcmp(field->name, "LOGIC"))
        logic_formula((uint16_t)field_value, text, sizeof text);
    else if (name)
        snprintf(text, sizeof text, "%s", name);
    else if (field->values)
        snprintf(text, sizeof text, "(not defined)");
    output_printf(output, "  %-6s %-22s %-8s %-20s", bits, field->name, number, text);
    output_style(output, "2");
    output_printf(output, " %s%s", field->meaning ? field->meaning : "",
                  field->access == REG_WRITE  ? " (write-only)"
                  : field->access == REG_READ ? " (read-only)"
                                              : "");
    output_style(output, "0");
    output_text(output, "\n");
}

static void put_explanation(struct output *output, const struct found *found, bool has_value,
                            uint32_t value)
{
    char name[64];
    const struct reg *reg = found->place.reg;
    struct tally_pcounter_domain domain;
    uint32_t known = 0;
    output_style(output, "1");
    output_printf(output, "%s 0x%06" PRIx32 " %s", found->block.chipset->name, found->address,
                  reg_element_name(&found->place, name, sizeof name));
    output_style(output, "0");
    if (found->block.map != &pmc_map && found->block.chipset->revision == TALLY_PCOUNTER_GF100) {
        static const char *const sets[] = {"", "GPC", "partition", "hub"};
        tally_pcounter_domain(found->engine, found->domain, &domain);
        output_printf(output, " of %s %u domain %u", sets[domain.set], domain.instance,
                      domain.number);
    }
    output_printf(output, ": %s  [%s, %s]\n", reg->meaning, access_name(reg->access), reg->source);
    if (!has_value) {
        for (const struct reg_field *field = reg->fields; field && field->name; field++)
            if (reg_field_exists(field, found->block.revision, found->block.domains))
                put_field_line(output, field);
        return;
    }
    output_printf(output, "  value 0x%08" PRIx32 " (%" PRIu32 ")\n", value, value);
    for (const struct reg_field *field = reg->fields; field && field->name; field++)
        if (reg_field_exists(field, found->block.revision, found->block.domains))
            put_value_line(output, found, field, value);
    known = reg_mask(reg, found->block.revision, found->block.domains, REG_READ) |
            reg_mask(reg, found->block.revision, found->block.domains, REG_WRITE);
    if (value & ~known)
        output_printf(output, "  0x%08" PRIx32 " are bits that %s has not\n", value & ~known,
                      found->block.chipset->title);
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
        return tell_usage("explain: \"%s\", expected an address or a name", what);
    if (numeric ? !find_by_address(found, (uint32_t)address) : !find_by_name(found, what))
        return tell_usage("explain: %s has no register %s%s; see tally list registers --chipset %s",
                          found->block.chipset->title, numeric ? "at " : "", what,
                          found->block.chipset->name);
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
    if (snprintf(text, sizeof text, "%s", arguments->operands[0]) >= (int)sizeof text)
        return tell_usage("explain: a name that is too long");
    colon = strchr(text, ':');
    equals = strchr(text, '=');
    *colon = '\0';
    if (equals) {
        *equals = '\0';
        errno = 0;
        value = strtoul(equals + 1, &end, 0);
        if (!isdigit((unsigned char)equals[1]) || *end || errno || value > UINT32_MAX)
            return tell_usage("explain: value \"%s\", expected a 32-bit number", equals + 1);
    }
    found.block = block_of(tally_chipset_find(text));
    int result = tally_pcounter_new(found.block.chipset, &found.engine, &error);
    if (result < 0) {
        tell_error(&error);
        return result == -ENODEV ? EXIT_NO : exit_code_of(result);
    }
    int code = explain_found(arguments, &found, colon + 1, equals != NULL, (uint32_t)value);
    tally_pcounter_free(found.engine);
    return code;
}
