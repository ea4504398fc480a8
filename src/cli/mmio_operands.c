/* SPDX-License-Identifier: MIT */
/* The operands of tally mmio: addresses, ranges, names, blocks, assignments. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/expected.h"
#include "cli/mmio.h"
#include "nvidia/pcounter/engine.h"

#define RANGE_MAX  0x100000u /* registers of one operand */
#define FIELDS_MAX 64

/* ---- the list -------------------------------------------------------------------------------- */

static int add(struct mmio_items *out, const struct mmio_item *at)
{
    struct tally_error error;
    struct mmio_item *rows = array_grow(out->rows, &out->capacity, out->count, sizeof *rows);
    if (!rows) {
        fail_memory(&error, "registers");
        return report_error(&error);
    }
    out->rows = rows;
    out->rows[out->count++] = *at;
    return EXIT_DONE;
}

/* The register that was found last. */
static struct mmio_item current(const struct mmio *mmio)
{
    const struct found *found = &mmio->found;
    return (struct mmio_item){.address = found->address,
                              .known = true,
                              .map = found->map,
                              .place = found->place,
                              .domain = found->domain};
}

static struct mmio_item at_address(struct mmio *mmio, uint32_t address)
{
    return find_by_address(&mmio->found, address) ? current(mmio)
                                                  : (struct mmio_item){.address = address};
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Parses a number that ends at `end`; returns false for others. */
static bool parse_number(const char *text, const char *end, uint64_t *out)
{
    char *after;
    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    *out = strtoull(text, &after, 0);
    return after == end && !errno;
}

static int check_address(const struct mmio *mmio, uint64_t address)
{
    if (address >= mmio->bytes)
        return usage_error("mmio: 0x%06" PRIx64 " is outside of the registers of %s, expected at "
                           "most 0x%06" PRIx64,
                           address, mmio->title, mmio->bytes - 4);
    if (address % 4)
        return usage_error("mmio: 0x%06" PRIx64 " is not the address of a register, expected a "
                           "multiple of 4 such as 0x%06" PRIx64,
                           address, address & ~UINT64_C(3));
    return EXIT_DONE;
}

static int add_range(struct mmio *mmio, const char *operand, uint64_t first, const char *last_text,
                     struct mmio_items *out)
{
    uint64_t last;
    if (!parse_number(last_text, last_text + strlen(last_text), &last))
        return usage_error("mmio: range \"%s\", expected two addresses such as 0xa400..0xa41c",
                           operand);
    int code = check_address(mmio, first);
    if (code == EXIT_DONE)
        code = check_address(mmio, last);
    if (code == EXIT_DONE && (last < first || (last - first) / 4 >= RANGE_MAX))
        return usage_error("mmio: range \"%s\", expected an ascending one of at most %u registers",
                           operand, RANGE_MAX);
    for (uint64_t at = first; code == EXIT_DONE && at <= last; at += 4) {
        struct mmio_item one = at_address(mmio, (uint32_t)at);
        code = add(out, &one);
    }
    return code;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Adds all elements of a row, relative to the base of its map. */
static int add_elements(struct mmio *mmio, const struct reg_map *map, const struct reg *reg,
                        uint32_t base, struct mmio_items *out)
{
    struct reg_place place = {.reg = reg};
    for (;;) {
        unsigned d = REG_DIMENSIONS;
        uint32_t address = base + (reg_address(map, &place) - map->base);
        struct mmio_item one = at_address(mmio, address);
        if (one.known && one.place.reg == reg && add(out, &one) != EXIT_DONE)
            return EXIT_FAILED;
        while (d-- &&
               (!reg->dimensions[d].count ||
                ++place.index[d] >= reg_extent(&reg->dimensions[d], mmio->found.chip.domains)))
            place.index[d] = 0;
        if (d == UINT_MAX)
            return EXIT_DONE;
    }
}

/* Adds the registers of a map, or those of one name in it. */
static int add_map(struct mmio *mmio, const struct reg_map *map, uint32_t base, const char *name,
                   struct mmio_items *out)
{
    int code = EXIT_DONE;
    for (size_t i = 0; i < map->count && code == EXIT_DONE; i++)
        if (is_listed(&mmio->found.chip, &map->regs[i], name) &&
            (name || (map->regs[i].access & REG_READ)))
            code = add_elements(mmio, map, &map->regs[i], base, out);
    return code;
}

/* The same in each place where the map is: from GF100 on, each domain or set of domains. */
static int add_places(struct mmio *mmio, const struct reg_map *map, const char *name,
                      struct mmio_items *out)
{
    const struct found *found = &mmio->found;
    struct tally_pcounter_domain domain, before = {.instance = UINT_MAX};
    int code = EXIT_DONE;
    if (!is_relative(&found->chip, map))
        return add_map(mmio, map, map->base, name, out);
    for (unsigned i = 0; code == EXIT_DONE && !tally_pcounter_domain(found->engine, i, &domain);
         i++) {
        bool first = domain.set != before.set || domain.instance != before.instance;
        before = domain;
        if (map == &pcounter_set_map && first)
            code = add_map(mmio, map,
                           gf100_set_spaces[domain.set].control + domain.instance * GF100_SET_BYTES,
                           name, out);
        else if (map != &pcounter_set_map)
            code = add_map(mmio, map, domain.address, name, out);
    }
    return code;
}

/* Adds all elements of an array, and with `blocks` all registers of a map. */
static int add_many(struct mmio *mmio, const char *name, bool blocks, struct mmio_items *out)
{
    const struct chip *chip = &mmio->found.chip;
    int code = EXIT_DONE;
    for (unsigned m = 0; m < chip->map_count && code == EXIT_DONE; m++) {
        bool whole = blocks && (!name || is_map_name(chip->maps[m], name, strlen(name)));
        code = add_places(mmio, chip->maps[m], whole ? NULL : name, out);
    }
    return code;
}

/* ---- fields and values ----------------------------------------------------------------------- */

static const struct reg_field *find_field(const struct mmio *mmio, const struct reg *reg,
                                          const char *name)
{
    const struct chip *chip = &mmio->found.chip;
    for (const struct reg_field *field = reg->fields; field && field->name; field++)
        if (reg_field_exists(field, chip->revision, chip->domains) &&
            !strcasecmp(field->name, name))
            return field;
    return NULL;
}

static int unknown_field(const struct mmio *mmio, const struct reg *reg, const char *name)
{
    const struct chip *chip = &mmio->found.chip;
    const char *names[FIELDS_MAX];
    char place[96], expected[EXPECTED_BYTES];
    size_t count = 0;
    for (const struct reg_field *field = reg->fields; field && field->name; field++)
        if (reg_field_exists(field, chip->revision, chip->domains) && count < FIELDS_MAX)
            names[count++] = field->name;
    snprintf(place, sizeof place, "tally list registers %s --%s %s", reg->name,
             chip->chipset ? "chipset" : "platform", chip->name);
    return usage_error("mmio: unknown field \"%s\" of %s%s", name, reg->name,
                       expected_word(expected, name, names, count, place));
}

/* Finds a named value of a field. */
static bool find_value(const struct reg_field *field, const char *name, uint32_t *out)
{
    for (const struct reg_value *value = field->values; value && value->name; value++)
        if (!strcasecmp(value->name, name)) {
            *out = value->value;
            return true;
        }
    return false;
}

static int unknown_value(const struct reg_field *field, const char *text)
{
    const char *names[FIELDS_MAX];
    char expected[EXPECTED_BYTES];
    size_t count = 0;
    for (const struct reg_value *value = field->values; value && value->name; value++)
        if (count < FIELDS_MAX)
            names[count++] = value->name;
    return usage_error("mmio: value \"%s\" of %s%s", text, field->name,
                       expected_word(expected, text, names, count, "tally list registers"));
}

static int parse_value(struct mmio_item *at, const char *text)
{
    const struct reg_field *field = at->field;
    uint64_t value, max = field ? reg_field_mask(field) >> field->low : UINT32_MAX;
    at->assigned = true;
    if (field && field->values && find_value(field, text, &at->value))
        return EXIT_DONE;
    if (!parse_number(text, text + strlen(text), &value) || value > max) {
        if (field && field->values && !isdigit((unsigned char)*text))
            return unknown_value(field, text);
        return usage_error("mmio: value \"%s\" of %s, expected a number of at most 0x%" PRIx64,
                           text, field ? field->name : "a register", max);
    }
    at->value = (uint32_t)value;
    return EXIT_DONE;
}

static int check_readable(const struct mmio *mmio, const struct mmio_item *at)
{
    if (!mmio_is_readable(at))
        return usage_error("mmio: %s of %s is write-only", at->place.reg->name, mmio->title);
    if (at->field && !(at->field->access & REG_READ))
        return usage_error("mmio: %s of %s is write-only", at->field->name, at->place.reg->name);
    return EXIT_DONE;
}

static int check_writable(const struct mmio *mmio, const struct mmio_item *at)
{
    if (at->known && !(at->place.reg->access & REG_WRITE))
        return usage_error("mmio: %s of %s is read-only", at->place.reg->name, mmio->title);
    if (at->field && !(at->field->access & REG_WRITE))
        return usage_error("mmio: %s of %s is read-only", at->field->name, at->place.reg->name);
    return EXIT_DONE;
}

/* ---- parsing --------------------------------------------------------------------------------- */

/* Parses REGISTER.FIELD. Returns EXIT_DONE with *found false if there is no such register. */
static int parse_field(struct mmio *mmio, char *text, struct mmio_item *at, bool *found)
{
    char *dot = strrchr(text, '.');
    *found = false;
    if (!dot)
        return EXIT_DONE;
    *dot = '\0';
    *found = find_by_name(&mmio->found, text);
    if (*found)
        *at = current(mmio);
    *dot = '.';
    if (!*found || (at->field = find_field(mmio, at->place.reg, dot + 1)))
        return EXIT_DONE;
    return unknown_field(mmio, at->place.reg, dot + 1);
}

/* Prints the error for a name without a register, or for a number in hexadecimal without 0x. */
static int not_found(const struct mmio *mmio, const char *name)
{
    if (isdigit((unsigned char)*name) || name[strspn(name, "0123456789abcdefABCDEF")] == '\0')
        return usage_error("mmio: \"%s\", expected a name or a number such as 0x%s", name,
                           isdigit((unsigned char)*name) ? "a400" : name);
    return register_not_found("mmio", &mmio->found, name);
}

/* Parses a name. `single`: it must be one register. */
static int parse_name(struct mmio *mmio, char *text, bool single, bool blocks,
                      struct mmio_items *out, struct mmio_item *at)
{
    size_t before = out->count;
    bool found;
    if (!mmio->found.chip.map_count)
        return usage_error("mmio: \"%s\": the registers of %s are not known, expected an address",
                           text, mmio->device);
    if (find_by_name(&mmio->found, text)) {
        *at = current(mmio);
        return EXIT_DONE;
    }
    int code = parse_field(mmio, text, at, &found);
    if (code != EXIT_DONE || found)
        return code;
    if (!single)
        code = add_many(mmio, text, blocks, out);
    return code == EXIT_DONE && out->count == before ? not_found(mmio, text) : code;
}

/* Parses an operand without its value. One register is returned in *at, with known or address set;
 * several are added, and *many is set. */
static int parse_where(struct mmio *mmio, char *text, bool single, bool blocks,
                       struct mmio_items *out, struct mmio_item *at, bool *many)
{
    size_t before = out->count;
    char *dots = strstr(text, "..");
    uint64_t address;
    int code;
    if (parse_number(text, text + strlen(text), &address)) {
        code = check_address(mmio, address);
        *at = at_address(mmio, (uint32_t)address);
    } else if (dots && !single && parse_number(text, dots, &address)) {
        code = add_range(mmio, text, address, dots + 2, out);
    } else {
        code = parse_name(mmio, text, single, blocks, out, at);
    }
    *many = out->count > before;
    return code;
}

int mmio_parse(struct mmio *mmio, const char *operand, bool blocks, bool values,
               struct mmio_items *out)
{
    char text[160];
    struct mmio_item at = {0};
    bool many;
    if (!operand)
        return add_many(mmio, NULL, true, out);
    if (snprintf(text, sizeof text, "%s", operand) >= (int)sizeof text)
        return usage_error("mmio: \"%.32s...\" is too long", operand);
    char *equals = strchr(text, '=');
    if (equals && !values)
        return usage_error("mmio: \"%s\", expected a register without a value", operand);
    if (equals)
        *equals = '\0';
    int code = parse_where(mmio, text, equals != NULL, blocks, out, &at, &many);
    if (code != EXIT_DONE || many)
        return code;
    code = equals ? check_writable(mmio, &at) : check_readable(mmio, &at);
    if (equals && code == EXIT_DONE)
        code = parse_value(&at, equals + 1);
    return code == EXIT_DONE ? add(out, &at) : code;
}
