/* SPDX-License-Identifier: MIT */
#include "store/write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tally/chipset.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/ratio.h"
#include "sink/sink.h"
#include "store/import_write.h"
#include "store/same.h"

/* The statements of a writer. */
enum statement {
    ADD_DEVICE,
    FIND_DEVICE,
    ADD_SET,
    FIND_SET,
    ADD_COUNTER,
    FIND_COUNTER,
    NEXT_ID,
    ADD_BLOCK,
    FIND_HASH,
    ADD_RECORDING,
    ADD_VALUE,
    ADD_CONTEXT,
    ADD_CONTEXT_VALUE,
    ADD_PHASE,
    ADD_PHASE_VALUE,
    ADD_INTERVAL,
    ADD_INTERVAL_VALUE,
    ADD_MARK,
    ADD_SECTION,
    ADD_SECTION_VALUE,
    ADD_LOSS,
    STATEMENT_COUNT
};

static const char *const statement_sql[STATEMENT_COUNT] = {
    [ADD_DEVICE] = "INSERT OR IGNORE INTO devices VALUES(NULL, ?, ?, ?, ?, ?, ?, ?)",
    [FIND_DEVICE] = "SELECT id FROM devices WHERE name = ? AND vendor = ? AND platform = ? AND "
                    "pci_device = ? AND revision = ? AND eus = ? AND modelled = ?",
    [ADD_SET] = "INSERT OR IGNORE INTO sets VALUES(NULL, ?, ?, ?, ?)",
    [FIND_SET] = "SELECT id FROM sets WHERE symbol = ? AND name = ? AND uuid = ? AND chipset = ?",
    [ADD_COUNTER] = "INSERT OR IGNORE INTO counters VALUES(NULL, ?, ?, ?, ?, ?)",
    [FIND_COUNTER] = "SELECT id FROM counters WHERE metric_set = ? AND symbol = ? AND name = ? AND "
                     "units = ? AND description = ?",
    [NEXT_ID] =
        "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'recordings'), 0) + 1",
    [ADD_BLOCK] = "INSERT INTO blocks VALUES(?, ?, ?, ?, ?, ?)",
    [FIND_HASH] = "SELECT id FROM recordings WHERE hash = ?",
    [ADD_RECORDING] = "INSERT INTO recordings "
                      "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [ADD_VALUE] = "INSERT INTO recording_values VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [ADD_CONTEXT] = "INSERT INTO contexts VALUES(?, ?, ?, ?, ?)",
    [ADD_CONTEXT_VALUE] = "INSERT INTO context_values VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [ADD_PHASE] = "INSERT INTO phases VALUES(?, ?, ?, ?, ?, ?)",
    [ADD_PHASE_VALUE] = "INSERT INTO phase_values VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [ADD_INTERVAL] = "INSERT INTO intervals VALUES(?, ?, ?, ?, ?, ?)",
    [ADD_INTERVAL_VALUE] = "INSERT INTO interval_values VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
    [ADD_MARK] = "INSERT INTO marks VALUES(?, ?, ?, ?, ?, ?, ?)",
    [ADD_SECTION] = "INSERT INTO sections VALUES(?, ?, ?, ?, ?, ?)",
    [ADD_SECTION_VALUE] = "INSERT INTO section_values VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [ADD_LOSS] = "INSERT INTO losses VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
};

struct writer {
    struct store *store;
    sqlite3_stmt *statements[STATEMENT_COUNT];
    int64_t id; /* of the recording that is being written */
    int64_t blocks;
    /* The ids of the counters of `set`, which stays the same over many recordings. */
    const struct tally_metric_set *set;
    int64_t *counters;
    int64_t set_id;
};

int writer_new(struct store *store, struct writer **out, struct tally_error *error)
{
    struct writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return fail_memory(error, "a store");
    writer->store = store;
    int result = 0;
    for (size_t i = 0; !result && i < STATEMENT_COUNT; i++)
        result = store_prepare(store, statement_sql[i], &writer->statements[i], error);
    if (result < 0)
        writer_free(writer);
    else
        *out = writer;
    return result;
}

void writer_free(struct writer *writer)
{
    if (!writer)
        return;
    for (size_t i = 0; i < STATEMENT_COUNT; i++)
        sqlite3_finalize(writer->statements[i]);
    free(writer->counters);
    free(writer);
}

/* ---- statements ------------------------------------------------------------------------------ */

/* Binds a number exactly if SQLite can hold it. */
static void bind_unsigned(sqlite3_stmt *statement, int at, uint64_t value)
{
    if (value <= INT64_MAX)
        sqlite3_bind_int64(statement, at, (int64_t)value);
    else
        sqlite3_bind_double(statement, at, (double)value);
}

static void bind_value(sqlite3_stmt *statement, int at, union tally_value value,
                       enum tally_data_type type)
{
    if (!tally_value_is_defined(value, type))
        sqlite3_bind_null(statement, at);
    else if (type == TALLY_DOUBLE)
        sqlite3_bind_double(statement, at, value.f);
    else
        bind_unsigned(statement, at, value.u);
}

static int step(struct writer *writer, enum statement id, int64_t *value, struct tally_error *error)
{
    sqlite3_stmt *statement = writer->statements[id];
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW && value)
        *value = sqlite3_column_int64(statement, 0);
    int result = code == SQLITE_ROW    ? 1
                 : code == SQLITE_DONE ? 0
                                       : store_fail(writer->store, error);
    sqlite3_reset(statement);
    return result;
}

/*
 * Runs a statement with these parameters, a letter each: i int64_t, u uint64_t, t a text (NULL or
 * empty: "") and n a text (NULL or empty: null). Returns 1 if there is a row, with its first column
 * in *value, 0, or an error.
 */
static int run(struct writer *writer, struct tally_error *error, enum statement id, int64_t *value,
               const char *letters, ...)
{
    sqlite3_stmt *statement = writer->statements[id];
    va_list arguments;
    va_start(arguments, letters);
    for (int i = 0; letters[i]; i++) {
        const char *text;
        if (letters[i] == 'i') {
            sqlite3_bind_int64(statement, i + 1, va_arg(arguments, int64_t));
        } else if (letters[i] == 'u') {
            bind_unsigned(statement, i + 1, va_arg(arguments, uint64_t));
        } else {
            text = va_arg(arguments, const char *);
            if (letters[i] == 'n' && (!text || !*text))
                sqlite3_bind_null(statement, i + 1);
            else
                sqlite3_bind_text(statement, i + 1, text ? text : "", -1, SQLITE_STATIC);
        }
    }
    va_end(arguments);
    return step(writer, id, value, error);
}

/* ---- devices, sets, counters ----------------------------------------------------------------- */

static int write_device(struct writer *writer, const struct tally_recording_info *info, int64_t *id,
                        struct tally_error *error)
{
    const struct tally_device *device = &info->device;
    const char *vendor = device->nvidia ? "NVIDIA" : "Intel";
    const char *platform = device->nvidia ? device->nvidia->name : device->platform->name;
    int64_t pci = info->chipset ? info->chipset->device_id : info->recorded.device_id;
    int64_t revision = info->recorded.revision, eus = info->topology.eus;
    int64_t modelled = info->modelled;
    const char *letters = "tttiiii", *name = sink_device_name(info);
    int result = 0;
    for (int added = 0; result == 0 && added < 2; added++) {
        if (added)
            result = run(writer, error, ADD_DEVICE, NULL, letters, name, vendor, platform, pci,
                         revision, eus, modelled);
        if (!result)
            result = run(writer, error, FIND_DEVICE, id, letters, name, vendor, platform, pci,
                         revision, eus, modelled);
    }
    return result < 0 ? result : 0;
}

static int write_counters(struct writer *writer, const struct tally_metric_set *set,
                          struct tally_error *error)
{
    int64_t *counters = calloc(set->counter_count + 1, sizeof *counters);
    if (!counters)
        return fail_memory(error, "counters");
    free(writer->counters);
    writer->counters = counters;
    writer->set = NULL;
    int result =
        run(writer, error, ADD_SET, NULL, "tttt", set->symbol, set->name, set->uuid, set->chipset);
    if (result >= 0)
        result = run(writer, error, FIND_SET, &writer->set_id, "tttt", set->symbol, set->name,
                     set->uuid, set->chipset);
    for (size_t i = 0; result >= 0 && i < set->counter_count; i++) {
        const struct tally_counter *counter = &set->counters[i];
        const char *letters = "itttt";
        result = run(writer, error, ADD_COUNTER, NULL, letters, writer->set_id, counter->symbol,
                     counter->name, counter->units, counter->description);
        if (result >= 0)
            result = run(writer, error, FIND_COUNTER, &counters[i], letters, writer->set_id,
                         counter->symbol, counter->name, counter->units, counter->description);
    }
    return result < 0 ? result : 0;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Binds the statistics of a counter from parameter `at` on, with or without percentiles, and runs
 * the statement. */
static int write_statistic(struct writer *writer, enum statement id, int at,
                           const struct tally_statistic *statistic, bool percentiles,
                           struct tally_error *error)
{
    sqlite3_stmt *statement = writer->statements[id];
    enum tally_data_type type = statistic->type;
    bind_value(statement, at++, statistic->overall, type);
    bind_value(statement, at++, statistic->minimum, type);
    if (statistic->mean == statistic->mean)
        sqlite3_bind_double(statement, at++, statistic->mean);
    else
        sqlite3_bind_null(statement, at++);
    if (percentiles) {
        bind_value(statement, at++, statistic->p50, type);
        bind_value(statement, at++, statistic->p95, type);
        bind_value(statement, at++, statistic->p99, type);
    }
    bind_value(statement, at, statistic->maximum, type);
    return step(writer, id, NULL, error);
}

/* A group in the tables of its grouping: what names it follows the recording in each row. */
struct place {
    enum statement group, value;
    const char *text; /* of a context, or NULL: */
    int64_t keys[2];  /* of a phase, interval or section */
    size_t key_count;
    int64_t planned_ns; /* of a phase; -1: none; -2: no phase */
    const char *name;   /* of a section, in the row of the group only; else NULL */
};

static int bind_place(struct writer *writer, enum statement id, const struct place *place)
{
    sqlite3_stmt *statement = writer->statements[id];
    int at = 1;
    sqlite3_bind_int64(statement, at++, writer->id);
    if (place->text)
        sqlite3_bind_text(statement, at++, place->text, -1, SQLITE_STATIC);
    for (size_t i = 0; i < place->key_count; i++)
        sqlite3_bind_int64(statement, at++, place->keys[i]);
    return at;
}

static int write_group_row(struct writer *writer, const struct loaded *loaded,
                           const struct place *place, const struct tally_group *group,
                           struct tally_error *error)
{
    sqlite3_stmt *statement = writer->statements[place->group];
    uint64_t hz = tally_recording_info(loaded->recording)->recorded.timestamp_hz;
    int at = bind_place(writer, place->group, place);
    if (place->planned_ns >= 0)
        sqlite3_bind_int64(statement, at++, place->planned_ns);
    else if (place->planned_ns == -1)
        sqlite3_bind_null(statement, at++);
    if (place->name)
        sqlite3_bind_text(statement, at++, place->name, -1, SQLITE_STATIC);
    bind_unsigned(statement, at++, group->deltas);
    bind_unsigned(statement, at++, group->lost);
    bind_unsigned(statement, at, scale_u64(group->ticks, NS_PER_SECOND, hz));
    return step(writer, place->group, NULL, error);
}

static int write_group_values(struct writer *writer, const struct loaded *loaded,
                              const struct place *place, const struct loaded_group *group,
                              struct tally_error *error)
{
    const size_t *counters;
    size_t count = tally_pipeline_counters(loaded->pipeline, &counters);
    int result = 0;
    for (size_t i = 0; !result && i < count; i++) {
        int at = bind_place(writer, place->value, place);
        sqlite3_bind_int64(writer->statements[place->value], at++, writer->counters[counters[i]]);
        result = write_statistic(writer, place->value, at, &group->statistics[counters[i]],
                                 place->value != ADD_INTERVAL_VALUE, error);
    }
    return result;
}

static int write_phase(struct writer *writer, const struct loaded *loaded,
                       const struct loaded_group *group, struct tally_error *error)
{
    const struct tally_recorded_phases *phases = tally_recording_info(loaded->recording)->phases;
    uint64_t key = group->public.key;
    struct place place = {ADD_PHASE, ADD_PHASE_VALUE, NULL, {0}, 1, -1, NULL};
    if (key < phases->count) { /* else the deltas between two phases, or others */
        place.keys[0] = (int64_t)key + 1;
        place.planned_ns = (int64_t)phases->durations_ns[key];
    }
    int result = write_group_row(writer, loaded, &place, &group->public, error);
    return result ? result : write_group_values(writer, loaded, &place, group, error);
}

/* A section has the number of its name; the time between two sections and the others, which have
 * no name, have negative numbers. */
static int64_t section_number(uint64_t key, size_t names)
{
    return key == TALLY_KEY_CHANGE ? -1 : key >= names ? -2 : (int64_t)key;
}

static int write_section(struct writer *writer, const struct loaded *loaded,
                         const struct loaded_group *group, struct tally_error *error)
{
    const struct tally_recorded_marks *marks = tally_recording_info(loaded->recording)->marks;
    char name[GROUP_TEXT_BYTES];
    mark_group_text(name, marks->names, marks->name_count, group->public.key);
    struct place place = {ADD_SECTION, ADD_SECTION_VALUE, NULL, {0}, 1, -2, name};
    place.keys[0] = section_number(group->public.key, marks->name_count);
    int result = write_group_row(writer, loaded, &place, &group->public, error);
    return result ? result : write_group_values(writer, loaded, &place, group, error);
}

static int write_group(struct writer *writer, const struct loaded *loaded,
                       const struct loaded_groups *groups, const struct loaded_group *group,
                       struct tally_error *error)
{
    char context[GROUP_TEXT_BYTES];
    struct place place = {ADD_INTERVAL, ADD_INTERVAL_VALUE, NULL, {0}, 2, -2, NULL};
    if (group->public.by == TALLY_BY_PHASE)
        return write_phase(writer, loaded, group, error);
    if (group->public.by == TALLY_BY_MARK)
        return write_section(writer, loaded, group, error);
    if (group->public.by == TALLY_BY_NOTHING) {
        place = (struct place){STATEMENT_COUNT, ADD_VALUE, NULL, {0}, 0, -2, NULL};
        return write_group_values(writer, loaded, &place, group, error);
    }
    if (group->public.by == TALLY_BY_CONTEXT) {
        group_text(context, tally_recording_info(loaded->recording), &group->public);
        place = (struct place){ADD_CONTEXT, ADD_CONTEXT_VALUE, context, {0}, 0, -2, NULL};
    } else {
        place.keys[0] = (int64_t)groups->width_ns;
        place.keys[1] = (int64_t)group->public.key;
    }
    int result = write_group_row(writer, loaded, &place, &group->public, error);
    return result ? result : write_group_values(writer, loaded, &place, group, error);
}

static int write_values(struct writer *writer, const struct loaded *loaded,
                        struct tally_error *error)
{
    int result = 0;
    for (size_t g = 0; !result && g < loaded->grouping_count; g++)
        for (size_t i = 0; !result && i < loaded->groups[g].count; i++)
            result = write_group(writer, loaded, &loaded->groups[g], &loaded->groups[g].groups[i],
                                 error);
    return result;
}

/* ---- recordings ------------------------------------------------------------------------------ */

int writer_begin(struct writer *writer, struct tally_error *error)
{
    writer->blocks = 0;
    int result = store_run(writer->store, "BEGIN IMMEDIATE", error);
    return result ? result : run(writer, error, NEXT_ID, &writer->id, "") < 0 ? error->code : 0;
}

void writer_cancel(struct writer *writer)
{
    if (!sqlite3_get_autocommit(writer->store->db))
        store_run(writer->store, "ROLLBACK", NULL);
    writer->set = NULL; /* its rows may be gone */
}

int writer_block(struct writer *writer, const struct packed_block *block, struct tally_error *error)
{
    sqlite3_stmt *statement = writer->statements[ADD_BLOCK];
    sqlite3_bind_int64(statement, 1, writer->id);
    sqlite3_bind_int64(statement, 2, writer->blocks++);
    bind_unsigned(statement, 3, block->start);
    bind_unsigned(statement, 4, block->size);
    sqlite3_bind_int64(statement, 5, block->rows);
    sqlite3_bind_blob64(statement, 6, block->bytes.bytes, block->bytes.size, SQLITE_STATIC);
    return step(writer, ADD_BLOCK, NULL, error);
}

/* Returns the time of a tick since the first report: negative before it. */
static int64_t since_first(const struct loaded *loaded, uint64_t ticks)
{
    uint64_t first = tally_recording_totals(loaded->recording).first_ticks;
    uint64_t hz = tally_recording_info(loaded->recording)->recorded.timestamp_hz;
    uint64_t ns = scale_u64(ticks < first ? first - ticks : ticks - first, NS_PER_SECOND, hz);
    int64_t distance = (int64_t)(ns < INT64_MAX / 2 ? ns : INT64_MAX / 2);
    return ticks < first ? -distance : distance;
}

static int write_marks(struct writer *writer, const struct loaded *loaded,
                       struct tally_error *error)
{
    const struct tally_recording_info *info = tally_recording_info(loaded->recording);
    const struct tally_recorded_marks *marks = info->marks;
    sqlite3_stmt *statement = writer->statements[ADD_MARK];
    int64_t clock_ns =
        marks ? (int64_t)scale_u64(marks->clock_ticks, NS_PER_SECOND, info->recorded.timestamp_hz)
              : 0;
    int result = 0;
    for (size_t i = 0; !result && marks && i < marks->count; i++) {
        const struct tally_recorded_mark *mark = &marks->marks[i];
        const char *kind = tally_mark_kind_name(mark->kind);
        int64_t ns = since_first(loaded, mark->gpu_ticks);
        sqlite3_bind_int64(statement, 1, writer->id);
        sqlite3_bind_int64(statement, 2, (int64_t)i);
        sqlite3_bind_text(statement, 3, kind, -1, SQLITE_STATIC);
        if (mark->kind != TALLY_MARK_FRAME && mark->name < marks->name_count)
            sqlite3_bind_text(statement, 4, marks->names[mark->name], -1, SQLITE_STATIC);
        else
            sqlite3_bind_null(statement, 4);
        sqlite3_bind_int64(statement, 5, ns);
        sqlite3_bind_int64(statement, 6, ns - mark->uncertainty_ns - clock_ns);
        sqlite3_bind_int64(statement, 7, ns + clock_ns);
        result = step(writer, ADD_MARK, NULL, error);
    }
    return result;
}

static int write_losses(struct writer *writer, const struct loaded *loaded,
                        struct tally_error *error)
{
    const struct tally_loss *losses;
    size_t count = tally_recording_losses(loaded->recording, &losses);
    int result = 0;
    for (size_t i = 0; !result && i < count; i++) {
        const struct tally_loss *loss = &losses[i];
        sqlite3_stmt *statement = writer->statements[ADD_LOSS];
        const int64_t times[2] = {loss->gpu_start ? since_first(loaded, loss->gpu_start) : -1,
                                  loss->gpu_end ? since_first(loaded, loss->gpu_end) : -1};
        sqlite3_bind_int64(statement, 1, writer->id);
        sqlite3_bind_int64(statement, 2, (int64_t)i);
        sqlite3_bind_text(statement, 3, tally_loss_kind_name(loss->kind), -1, SQLITE_STATIC);
        bind_unsigned(statement, 4, loss->records);
        if (loss->before_index)
            bind_unsigned(statement, 5, loss->before_index - 1);
        else
            sqlite3_bind_null(statement, 5);
        for (int t = 0; t < 2; t++) {
            if (times[t] >= 0)
                sqlite3_bind_int64(statement, 6 + t, times[t]);
            else
                sqlite3_bind_null(statement, 6 + t);
        }
        if (loss->estimated)
            bind_unsigned(statement, 8, loss->estimated);
        else
            sqlite3_bind_null(statement, 8);
        sqlite3_bind_int64(statement, 9, loss->exact);
        result = step(writer, ADD_LOSS, NULL, error);
    }
    return result;
}

static const char *kind_name(enum tally_recording_kind kind)
{
    static const char *const names[] = {"auto", "container", "stream", "raw"};
    return names[kind];
}

static int write_recording(struct writer *writer, const char *path, const char *hash,
                           const struct loaded *loaded, struct tally_error *error)
{
    const struct tally_recording_info *info = tally_recording_info(loaded->recording);
    struct tally_recording_totals totals = tally_recording_totals(loaded->recording);
    char layout[64], set_id[24] = "", cpu_ns[24] = "", period_ns[24] = "";
    uint64_t first_cpu_ns, hz = info->recorded.timestamp_hz;
    int64_t device = 0;
    int result = write_device(writer, info, &device, error);
    if (!result && loaded->pipeline && writer->set != loaded->pipeline->set)
        result = write_counters(writer, loaded->pipeline->set, error);
    if (result < 0)
        return result;
    /* The sets of catalogs stay, one made of the recording does not. */
    if (loaded->pipeline)
        writer->set = loaded->pipeline->own_set ? NULL : loaded->pipeline->set;
    /* Texts become integers in columns of that type. */
    if (loaded->pipeline)
        snprintf(set_id, sizeof set_id, "%" PRId64, writer->set_id);
    if (totals.reports &&
        tally_recording_cpu_ns(loaded->recording, totals.first_ticks, &first_cpu_ns) == 0)
        snprintf(cpu_ns, sizeof cpu_ns, "%" PRId64, (int64_t)first_cpu_ns);
    if (info->period_ticks)
        snprintf(period_ns, sizeof period_ns, "%" PRIu64,
                 scale_u64(info->period_ticks, NS_PER_SECOND, hz));
    snprintf(layout, sizeof layout, "%s/%s", info->layout->family, info->layout->name);
    result =
        run(writer, error, ADD_RECORDING, NULL, "itntuttinnnunnuuuuun", writer->id, path,
            loaded->date, hash, loaded->size_bytes, kind_name(info->kind), layout, device, set_id,
            info->provenance, info->phases ? info->phases->workload : NULL, hz, period_ns, cpu_ns,
            scale_u64(totals.last_ticks - totals.first_ticks, NS_PER_SECOND, hz), totals.reports,
            totals.lost_deltas, totals.missing, scale_u64(totals.paused_ticks, NS_PER_SECOND, hz),
            loaded->incomplete.message);
    return result;
}

int writer_import(struct writer *writer, const struct loaded *loaded, struct store_added *added,
                  struct tally_error *error)
{
    int result = import_write(writer->store, writer->id, added->path, loaded->import, loaded->date,
                              added, error);
    if (!result && !added->error.code && added->is_new)
        return store_run(writer->store, "COMMIT", error);
    writer_cancel(writer);
    return result;
}

int writer_end(struct writer *writer, const char *path, const struct loaded *loaded, int64_t *id,
               bool *is_new, struct tally_error *error)
{
    char hash[BLOCK_HASH_BYTES];
    int same = 0;
    memcpy(hash, loaded->hash, sizeof hash);
    /* Another recording may have the hash: then this one has the next that is free. */
    int result = run(writer, error, FIND_HASH, id, "t", hash);
    while (result == 1 && (same = store_is_same(writer->store, *id, path, error)) == 0) {
        hash_next(hash);
        result = run(writer, error, FIND_HASH, id, "t", hash);
    }
    *is_new = result == 0;
    if (result < 0 || same < 0)
        return result < 0 ? result : same;
    if (!*is_new) {
        writer_cancel(writer);
        return 0;
    }
    *id = writer->id;
    result = write_recording(writer, path, hash, loaded, error);
    if (!result && loaded->pipeline)
        result = write_values(writer, loaded, error);
    if (!result)
        result = write_marks(writer, loaded, error);
    if (!result)
        result = write_losses(writer, loaded, error);
    return result ? result : store_run(writer->store, "COMMIT", error);
}
