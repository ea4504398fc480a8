/* SPDX-License-Identifier: MIT */
/* tally mmio watch: what changes in registers. */
#include <inttypes.h>
#include <stdio.h>

#include "base/duration.h"
#include "base/minmax.h"
#include "cli/input.h"
#include "cli/mmio.h"

#define DEFAULT_INTERVAL_NS UINT64_C(100000000)

enum {
    WATCH_TIME,
    WATCH_ADDRESS,
    WATCH_REGISTER,
    WATCH_FIELD,
    WATCH_BEFORE,
    WATCH_VALUE,
    WATCH_TEXT,
    WATCH_NOTE,
    WATCH_COLUMNS
};

static const struct list_column columns[WATCH_COLUMNS] = {
    [WATCH_TIME] = {"time_ns", LIST_NUMBER, 1, 0, 12, "time"},
    [WATCH_ADDRESS] = {"address", LIST_NUMBER, 2, 2, 8, "address"},
    [WATCH_REGISTER] = {"register", LIST_TEXT, 3, 2, -26, "register"},
    [WATCH_FIELD] = {"field", LIST_TEXT, 4, 2, -20, "field"},
    [WATCH_BEFORE] = {"before", LIST_NUMBER, 5, 2, -10, "before"},
    [WATCH_VALUE] = {"value", LIST_NUMBER, 6, 2, -10, "value"},
    [WATCH_TEXT] = {"text", LIST_TEXT, 7, 2, 0, ""},
    [WATCH_NOTE] = {"note", LIST_TEXT, 8, 2, 0, ""},
};
const struct list_kind mmio_watch_list = LIST_KIND("change", columns);

struct watch {
    struct mmio *mmio;
    struct list *list;
    uint64_t start_ns, now_ns;
};

/* Writes a row: of a field, or of a whole register if `field` is NULL. */
static void put_change(struct watch *watch, const struct mmio_item *at,
                       const struct reg_field *field, bool first, uint32_t before, uint32_t value)
{
    char time[32], address[16], name[80], old[16], new[16], text[192] = "", note[192] = "";
    duration_text(watch->now_ns - watch->start_ns, time, sizeof time);
    snprintf(address, sizeof address, "0x%06" PRIx32, at->address);
    if (field) {
        before = reg_field_get(field, before);
        value = reg_field_get(field, value);
        reg_field_number(field, before, old);
        reg_field_number(field, value, new);
        found_value_text(&watch->mmio->found, field, value, text, sizeof text);
    } else {
        snprintf(old, sizeof old, "0x%08" PRIx32, before);
        snprintf(new, sizeof new, "0x%08" PRIx32, value);
        mmio_note(watch->mmio, at, value, note, sizeof note);
    }
    const struct list_cell cells[WATCH_COLUMNS] = {
        [WATCH_TIME] = {.number = watch->now_ns - watch->start_ns, .shown = time},
        [WATCH_ADDRESS] = {.number = at->address, .shown = address},
        [WATCH_REGISTER] = {.text = mmio_name(watch->mmio, at, name, sizeof name)},
        [WATCH_FIELD] = {.text = field ? field->name : "",
                         .state = field ? LIST_PRESENT : LIST_NULL},
        [WATCH_BEFORE] = {.number = before,
                          .shown = first ? "" : old,
                          .state = first ? LIST_NULL : LIST_PRESENT},
        [WATCH_VALUE] = {.number = value, .shown = new},
        [WATCH_TEXT] = {.text = text, .state = *text ? LIST_PRESENT : LIST_NULL},
        [WATCH_NOTE] = {.text = note, .state = *note ? LIST_PRESENT : LIST_NULL},
    };
    list_row(watch->list, cells);
}

/* Writes a row for each field that has changed, and one for bits without a field. */
static void put_changes(struct watch *watch, const struct mmio_item *at, uint32_t value)
{
    const struct chip *chip = &watch->mmio->found.chip;
    uint32_t rest = (at->seen ^ value) & (at->field ? reg_field_mask(at->field) : UINT32_MAX);
    char note[192];
    if (*mmio_note(watch->mmio, at, value, note, sizeof note)) {
        put_change(watch, at, NULL, false, at->seen, value);
        return;
    }
    mmio_select(watch->mmio, at);
    for (const struct reg_field *field = at->known ? at->place.reg->fields : NULL;
         field && field->name; field++) {
        uint32_t mask = reg_field_mask(field);
        if (!reg_field_exists(field, chip->revision, chip->domains) || !(rest & mask))
            continue;
        put_change(watch, at, field, false, at->seen, value);
        rest &= ~mask;
    }
    if (rest)
        put_change(watch, at, NULL, false, at->seen, value);
}

static void look(struct watch *watch, const struct mmio_items *registers, bool first)
{
    watch->now_ns = driver_now_ns(&watch->mmio->io);
    if (first)
        watch->start_ns = watch->now_ns;
    for (size_t i = 0; i < registers->count; i++) {
        struct mmio_item *at = &registers->rows[i];
        if (at->assigned)
            continue;
        uint32_t value = mmio_read(watch->mmio, at);
        if (first) {
            mmio_select(watch->mmio, at);
            put_change(watch, at, at->field, true, 0, value);
        } else if (value != at->seen) {
            put_changes(watch, at, value);
        }
        at->seen = value;
    }
    output_flush(watch->list->output);
}

static int read_time(const struct arguments *arguments, enum option_id option, uint64_t value_ns,
                     uint64_t *out)
{
    const char *text = arguments->values[option];
    *out = text ? parse_time_ns(text) : value_ns;
    if (text && !*out)
        return usage_error("mmio: --%s \"%s\", expected a time such as 80us, 10ms or 2s",
                           option_rows[option].name, text);
    return EXIT_DONE;
}

int mmio_watch_times(struct mmio *mmio)
{
    int code = read_time(mmio->arguments, OPTION_INTERVAL, DEFAULT_INTERVAL_NS, &mmio->interval_ns);
    return code == EXIT_DONE ? read_time(mmio->arguments, OPTION_TIME, UINT64_MAX, &mmio->time_ns)
                             : code;
}

int mmio_watch(struct mmio *mmio, const struct mmio_items *registers, struct list *list)
{
    struct watch watch = {.mmio = mmio, .list = list};
    uint32_t written;
    for (size_t i = 0; i < registers->count; i++) {
        int code = registers->rows[i].assigned ? mmio_write(mmio, &registers->rows[i], &written)
                                               : EXIT_DONE;
        if (code != EXIT_DONE)
            return code;
    }
    look(&watch, registers, true);
    while (!mmio_is_stopped() && !list->output->error.code) {
        uint64_t passed = watch.now_ns - watch.start_ns;
        if (passed >= mmio->time_ns)
            break;
        driver_sleep_ns(&mmio->io, min_u64(mmio->interval_ns, mmio->time_ns - passed), true);
        if (!mmio_is_stopped())
            look(&watch, registers, false);
    }
    return EXIT_DONE;
}
