/* SPDX-License-Identifier: MIT */
/* tally mmio: reads, writes and dumps registers. */
#include "cli/mmio.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <tally/sink.h>

#include "base/bits.h"
#include "base/expected.h"
#include "cli/input.h"
#include "cli/list.h"
#include "driver/domains.h"
#include "nvidia/gpu/errors.h"
#include "nvidia/gpu/registers.h"
#include "sink/json.h"

#define ALL_ONES UINT32_MAX

/* ---- access ---------------------------------------------------------------------------------- */

void mmio_select(struct mmio *mmio, const struct mmio_item *at)
{
    mmio->found.map = at->map;
    mmio->found.place = at->place;
    mmio->found.domain = at->domain;
    mmio->found.address = at->address;
}

const char *mmio_name(struct mmio *mmio, const struct mmio_item *at, char *text, size_t size)
{
    if (!at->known)
        return "-";
    mmio_select(mmio, at);
    return found_name(&mmio->found, text, size);
}

bool mmio_is_readable(const struct mmio_item *at)
{
    return !at->known || (at->place.reg->access & REG_READ);
}

uint32_t mmio_read(struct mmio *mmio, const struct mmio_item *at)
{
    mmio_wake(mmio, at->address);
    return driver_read32(&mmio->io, at->address);
}

/* Whether bits 31:16 of a register are write enables for the others. */
static bool has_enables(const struct mmio *mmio, const struct reg *reg)
{
    const struct chip *chip = &mmio->found.chip;
    for (const struct reg_field *field = reg->fields; field && field->name; field++)
        if (!strcmp(field->name, "MASK") && field->access == REG_WRITE && field->low == 16 &&
            reg_field_exists(field, chip->revision, chip->domains))
            return true;
    return false;
}

/* ---- notes ----------------------------------------------------------------------------------- */

/* Whether a register is in a domain that nothing keeps awake. */
static bool may_sleep(struct mmio *mmio, const struct mmio_item *at, char *text, size_t size)
{
    const struct intel_platform *platform = mmio->found.chip.platform;
    uint32_t domains = platform ? wake_domains_at(platform, at->address) : 0;
    char name[80] = "";
    if (!domains)
        return false;
    for (unsigned i = 0; i < WAKE_DOMAINS; i++)
        if ((domains >> i & 1) && wake_domain_is_awake(&wake_domains[i], &mmio->io))
            return false;
    if (find_by_address(&mmio->found, wake_domains[__builtin_ctz(domains)].acknowledge))
        found_name(&mmio->found, name, sizeof name);
    snprintf(text, size, "%s is 0: the power domain may sleep, --wake keeps it awake", name);
    return true;
}

/* Whether all ones cannot be the value of the register. */
static bool is_absent(struct mmio *mmio, const struct mmio_item *at)
{
    const struct chip *chip = &mmio->found.chip;
    return !at->known || reg_documented(at->place.reg, chip->revision, chip->domains) != ALL_ONES;
}

const char *mmio_note(struct mmio *mmio, const struct mmio_item *at, uint32_t value, char *text,
                      size_t size)
{
    const char *word = mmio->error_words ? nvidia_error_word(value) : NULL;
    text[0] = '\0';
    if (word)
        snprintf(text, size, "%s", word);
    else if (value == ALL_ONES && is_absent(mmio, at))
        snprintf(text, size,
                 "all ones: nothing responds; the card is asleep, or gone from the bus");
    else if (!value) /* as registers of a sleeping domain read */
        may_sleep(mmio, at, text, size);
    return text;
}

int mmio_write(struct mmio *mmio, const struct mmio_item *at, uint32_t *written)
{
    const struct reg_field *field = at->field;
    char note[192], name[80];
    *written = at->value;
    mmio_wake(mmio, at->address);
    if (field) {
        uint32_t mask = reg_field_mask(field);
        *written <<= field->low;
        if (field->high < 16 && has_enables(mmio, at->place.reg)) {
            *written |= mask << 16;
        } else if (mmio_is_readable(at)) {
            uint32_t before = driver_read32(&mmio->io, at->address);
            if (*mmio_note(mmio, at, before, note, sizeof note)) {
                mmio_name(mmio, at, name, sizeof name);
                fprintf(stderr,
                        "tally: mmio: %s.%s was not written: the register reads 0x%08" PRIx32
                        " (%s)\n",
                        name, field->name, before, note);
                return EXIT_FAILED;
            }
            *written |=
                before & ~mask &
                reg_storage(at->place.reg, mmio->found.chip.revision, mmio->found.chip.domains);
        }
    }
    driver_write32(&mmio->io, at->address, *written);
    return EXIT_DONE;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* A value of a register, for its fields. */
struct value {
    struct mmio *mmio;
    const struct mmio_item *at;
    uint32_t value;
};

static bool is_shown(const struct value *value, const struct reg_field *field)
{
    const struct chip *chip = &value->mmio->found.chip;
    return reg_field_exists(field, chip->revision, chip->domains) &&
           (!value->at->field || value->at->field == field);
}

static const struct reg_field *fields_of(const struct value *value)
{
    return value->at->known ? value->at->place.reg->fields : NULL;
}

static void put_fields_json(struct output *output, const void *item)
{
    const struct value *value = item;
    const char *comma = "";
    char text[192];
    mmio_select(value->mmio, value->at);
    output_text(output, "[");
    for (const struct reg_field *field = fields_of(value); field && field->name; field++) {
        if (!is_shown(value, field))
            continue;
        uint32_t bits = reg_field_get(field, value->value);
        output_printf(output, "%s{\"name\":", comma);
        json_text(output, field->name);
        output_printf(output, ",\"value\":%" PRIu32, bits);
        found_value_text(&value->mmio->found, field, bits, text, sizeof text);
        if (*text)
            json_member(output, "text", text);
        output_text(output, "}");
        comma = ",";
    }
    output_text(output, "]");
}

/* Writes the fields that are not 0: "MODE=QUAD PERIODIC_PERIOD=2". */
static void write_fields(const struct value *value, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    mmio_select(value->mmio, value->at);
    for (const struct reg_field *field = fields_of(value); field && field->name && used < size;
         field++) {
        uint32_t bits = reg_field_get(field, value->value);
        const char *name = reg_value_name(field, bits);
        char number[REG_NUMBER];
        if (!is_shown(value, field) || !bits)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s=%s", used ? " " : "", field->name,
                                 name ? name : reg_field_number(field, bits, number));
    }
}

enum { READ_ADDRESS, READ_REGISTER, READ_VALUE, READ_FIELDS, READ_NOTE, READ_COLUMNS };

static const struct list_column read_columns[READ_COLUMNS] = {
    [READ_ADDRESS] = {"address", LIST_NUMBER, 1, 0, 8, NULL},
    [READ_REGISTER] = {"register", LIST_TEXT, 2, 2, -26, NULL},
    [READ_VALUE] = {"value", LIST_NUMBER, 3, 2, 10, NULL},
    [READ_FIELDS] = {"fields", LIST_NESTED, 4, 2, 0, NULL},
    [READ_NOTE] = {"note", LIST_TEXT, 5, 2, 0, NULL},
};
static const struct list_kind read_list = LIST_KIND("register", read_columns);

/* Writes a register that was read; `brief`: its fields in the same line. */
static void put_read(struct mmio *mmio, struct list *list, const struct mmio_item *at, bool brief)
{
    char address[16], name[80], number[16], fields[512] = "", note[192];
    struct value value = {mmio, at, mmio_read(mmio, at)};
    struct output *remarks = brief ? NULL : list_remarks(list);
    snprintf(address, sizeof address, "0x%06" PRIx32, at->address);
    snprintf(number, sizeof number, "0x%08" PRIx32, value.value);
    if (brief)
        write_fields(&value, fields, sizeof fields);
    mmio_note(mmio, at, value.value, note, sizeof note);
    const struct list_cell cells[READ_COLUMNS] = {
        [READ_ADDRESS] = {.number = at->address, .shown = address},
        [READ_REGISTER] = {.text = mmio_name(mmio, at, name, sizeof name)},
        [READ_VALUE] = {.number = value.value, .shown = number},
        [READ_FIELDS] = {.nested = put_fields_json, .item = &value, .shown = fields},
        [READ_NOTE] = {.text = note, .state = *note ? LIST_PRESENT : LIST_NULL},
    };
    list_row(list, cells);
    if (remarks && at->known) {
        mmio_select(mmio, at);
        put_value_lines(remarks, &mmio->found, value.value, at->field);
    }
}

enum { WRITE_ADDRESS, WRITE_REGISTER, WRITE_BEFORE, WRITE_VALUE, WRITE_AFTER, WRITE_COLUMNS };

static const struct list_column write_columns[WRITE_COLUMNS] = {
    [WRITE_ADDRESS] = {"address", LIST_NUMBER, 1, 0, 8, "address"},
    [WRITE_REGISTER] = {"register", LIST_TEXT, 2, 2, -26, "register"},
    [WRITE_BEFORE] = {"before", LIST_NUMBER, 3, 2, -10, "before"},
    [WRITE_VALUE] = {"written", LIST_NUMBER, 4, 2, -10, "written"},
    [WRITE_AFTER] = {"after", LIST_NUMBER, 5, 2, -10, "after"},
};
static const struct list_kind write_list = LIST_KIND("write", write_columns);

static int put_write(struct mmio *mmio, struct list *list, const struct mmio_item *at)
{
    char address[16], name[80], numbers[3][16];
    bool readable = mmio_is_readable(at);
    uint32_t values[3];
    values[0] = readable ? mmio_read(mmio, at) : 0;
    int code = mmio_write(mmio, at, &values[1]);
    if (code != EXIT_DONE)
        return code;
    values[2] = readable ? mmio_read(mmio, at) : 0;
    snprintf(address, sizeof address, "0x%06" PRIx32, at->address);
    for (size_t i = 0; i < ARRAY_COUNT(values); i++)
        snprintf(numbers[i], sizeof numbers[i], "0x%08" PRIx32, values[i]);
    enum list_state state = readable ? LIST_PRESENT : LIST_NULL;
    const struct list_cell cells[WRITE_COLUMNS] = {
        [WRITE_ADDRESS] = {.number = at->address, .shown = address},
        [WRITE_REGISTER] = {.text = mmio_name(mmio, at, name, sizeof name)},
        [WRITE_BEFORE] = {.number = values[0], .shown = readable ? numbers[0] : "", .state = state},
        [WRITE_VALUE] = {.number = values[1], .shown = numbers[1]},
        [WRITE_AFTER] = {.number = values[2], .shown = readable ? numbers[2] : "", .state = state},
    };
    list_row(list, cells);
    return EXIT_DONE;
}

/* ---- the command ----------------------------------------------------------------------------- */

struct operation {
    const char *name;
    bool writes; /* needs permission, and values */
    bool values; /* operands may have values */
    bool blocks; /* operands may be blocks, or missing */
    const struct list_kind *kind;
    int (*run)(struct mmio *mmio); /* operands are not registers; or NULL */
};

static const struct operation operations[] = {
    {"read", false, false, false, &read_list, NULL},
    {"write", true, true, false, &write_list, NULL},
    {"dump", false, false, true, &read_list, NULL},
    {"watch", false, true, false, &mmio_watch_list, NULL},
    {"histogram", true, false, false, NULL, mmio_histogram},
};

static const struct operation *find_operation(const char *name)
{
    for (size_t i = 0; i < ARRAY_COUNT(operations); i++)
        if (!strcmp(operations[i].name, name))
            return &operations[i];
    return NULL;
}

static int unknown_operation(const char *name)
{
    const char *names[ARRAY_COUNT(operations)];
    char expected[EXPECTED_BYTES];
    for (size_t i = 0; i < ARRAY_COUNT(operations); i++)
        names[i] = operations[i].name;
    return usage_error(
        "mmio: unknown operation \"%s\"%s", name,
        expected_word(expected, name, names, ARRAY_COUNT(operations), "tally help mmio"));
}

/* Whether an operand is an assignment. */
static bool has_value(const struct arguments *arguments)
{
    for (size_t i = 2; i < arguments->operand_count; i++)
        if (strchr(arguments->operands[i], '='))
            return true;
    return false;
}

/* Writes to a real card need permission, whether by an operand or by --wake. */
static int check_permission(const struct arguments *arguments, const struct operation *operation)
{
    bool real = !strncmp(arguments->operands[1], "pci:", strlen("pci:"));
    bool writes = operation->writes || has_value(arguments);
    if (!real || arguments->values[OPTION_ALLOW_MMIO] ||
        (!writes && !arguments->values[OPTION_WAKE]))
        return EXIT_DONE;
    return usage_error("mmio: %s a real card expects --allow-mmio (docs/real-cards.md)",
                       writes ? "writing to" : "--wake of");
}

static int parse_operands(struct mmio *mmio, const struct operation *operation,
                          struct mmio_items *out)
{
    const struct arguments *arguments = mmio->arguments;
    int code = EXIT_DONE;
    if (operation->blocks && arguments->operand_count == 2)
        return mmio_parse(mmio, NULL, true, false, out);
    for (size_t i = 2; i < arguments->operand_count && code == EXIT_DONE; i++) {
        code = mmio_parse(mmio, arguments->operands[i], operation->blocks, operation->values, out);
        if (code == EXIT_DONE && operation->writes && !out->rows[out->count - 1].assigned)
            code =
                usage_error("mmio: write: \"%s\", expected REGISTER=VALUE", arguments->operands[i]);
    }
    return code;
}

static int perform(struct mmio *mmio, const struct operation *operation,
                   const struct mmio_items *registers)
{
    bool watch = operation->kind == &mmio_watch_list;
    const struct sink *sink = choose_format(mmio->arguments, "table", TALLY_RENDER_LISTS);
    int code = !sink ? EXIT_USAGE : watch ? mmio_watch_times(mmio) : EXIT_DONE;
    struct output *output = code == EXIT_DONE ? open_output(mmio->arguments, &code) : NULL;
    struct list list;
    if (!output)
        return code;
    list_begin(&list, output, sink->lists, operation->kind);
    if (watch)
        code = mmio_watch(mmio, registers, &list);
    for (size_t i = 0; i < registers->count && !watch && code == EXIT_DONE; i++) {
        const struct mmio_item *at = &registers->rows[i];
        if (mmio_is_stopped() || output->error.code)
            break;
        if (operation->writes)
            code = put_write(mmio, &list, at);
        else
            put_read(mmio, &list, at, operation->blocks);
    }
    return close_output(output, code);
}

int command_mmio(const struct arguments *arguments)
{
    const struct operation *operation = find_operation(arguments->operands[0]);
    struct mmio_items registers = {0};
    struct mmio mmio;
    if (!operation)
        return unknown_operation(arguments->operands[0]);
    if (arguments->operand_count < 3 && !operation->blocks)
        return usage_error("mmio: %s expects %s; see tally help mmio", operation->name,
                           operation->run ? "START STOP EVENT THRESHOLD..." : "a register");
    int code = check_permission(arguments, operation);
    if (code == EXIT_DONE)
        code = mmio_open(arguments, operation->writes && !operation->run, &mmio);
    if (code != EXIT_DONE)
        return code;
    if (operation->run)
        return mmio_close(&mmio, operation->run(&mmio));
    code = parse_operands(&mmio, operation, &registers);
    if (code == EXIT_DONE)
        code = perform(&mmio, operation, &registers);
    free(registers.rows);
    return mmio_close(&mmio, code);
}
