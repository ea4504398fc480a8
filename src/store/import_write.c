/* SPDX-License-Identifier: MIT */
#include "store/import_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/escape.h"
#include "store/block.h"
#include "store/hash.h"

/* Intervals of a width, as of recordings (load.c), of samples with times. */
#define INTERVALS_MAX        200
#define SAMPLES_PER_INTERVAL 4
#define WIDTHS_MAX           3

const struct import_format *import_format_of(const char *path)
{
    char head[IMPORT_HEAD_BYTES];
    struct stat status;
    if (stat(path, &status) < 0 || !S_ISREG(status.st_mode))
        return NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, head, sizeof head);
    if (fd >= 0)
        close(fd);
    return n > 0 ? import_detect(head, (size_t)n) : NULL;
}

/* ---- statements ------------------------------------------------------------------------------ */

struct import_writer {
    struct store *store;
    int64_t id;
    sqlite3_stmt *add_sample, *add_value;
    int64_t set;
    int64_t *counters; /* ids of the import's counters */
    size_t counter_count, counter_capacity;
    uint64_t size_bytes;
    uint64_t samples;
    int64_t end_ns; /* of the last sample with a time */
    bool timed;     /* all samples have a start and a duration */
    int failed;     /* error of the store, as opposed to one of the file */
};

/*
 * Runs a statement with these parameters, a letter each: i int64_t, t a text, which is escaped, n
 * the same or null if it is empty. Returns 1 with the first column of a row in *value, 0, or an
 * error.
 */
static int run(struct import_writer *writer, struct tally_error *error, int64_t *value,
               const char *sql, const char *letters, ...)
{
    sqlite3_stmt *statement;
    va_list arguments;
    int result = store_prepare(writer->store, sql, &statement, error);
    if (result < 0) {
        writer->failed = result;
        return result;
    }
    va_start(arguments, letters);
    for (int i = 0; letters[i]; i++) {
        if (letters[i] == 'i') {
            sqlite3_bind_int64(statement, i + 1, va_arg(arguments, int64_t));
            continue;
        }
        const char *text = va_arg(arguments, const char *);
        struct buffer escaped = {0};
        escape_put(&escaped, text ? text : "", text ? strlen(text) : 0);
        if (letters[i] == 'n' && !escaped.size)
            sqlite3_bind_null(statement, i + 1);
        else
            sqlite3_bind_text(statement, i + 1, escaped.bytes ? escaped.bytes : "",
                              (int)escaped.size, SQLITE_TRANSIENT);
        buffer_fini(&escaped);
    }
    va_end(arguments);
    int step = sqlite3_step(statement);
    if (step == SQLITE_ROW && value)
        *value = sqlite3_column_int64(statement, 0);
    if (step != SQLITE_ROW && step != SQLITE_DONE)
        result = writer->failed = store_fail(writer->store, error);
    sqlite3_finalize(statement);
    return result < 0 ? result : step == SQLITE_ROW;
}

static int add_set(struct import_writer *writer, const struct import_format *format,
                   struct tally_error *error)
{
    int result = run(writer, error, NULL,
                     "INSERT OR IGNORE INTO sets(symbol, name, uuid, chipset) VALUES(?1, ?1, '', "
                     "'')",
                     "t", format->name);
    if (result >= 0)
        result = run(writer, error, &writer->set,
                     "SELECT id FROM sets WHERE symbol = ?1 AND name = ?1 AND uuid = '' AND "
                     "chipset = ''",
                     "t", format->name);
    return result < 0 ? result : 0;
}

/* Adds a counter, whose units may become known later. */
static int add_counter(struct import_writer *writer, const struct import_name *counter,
                       struct tally_error *error)
{
    const char *units = counter->units ? counter->units : "";
    const char *description = counter->description ? counter->description : "";
    int64_t *grown = array_grow(writer->counters, &writer->counter_capacity, writer->counter_count,
                                sizeof *grown);
    if (!grown)
        return fail_memory(error, "counters");
    writer->counters = grown;
    int result = run(writer, error, NULL,
                     "INSERT OR IGNORE INTO counters(metric_set, symbol, name, units, description) "
                     "VALUES(?, ?, ?, ?, ?)",
                     "itttt", writer->set, counter->name, counter->name, units, description);
    if (result >= 0)
        result = run(writer, error, &grown[writer->counter_count],
                     "SELECT id FROM counters WHERE metric_set = ? AND symbol = ? AND name = ? "
                     "AND units = ? AND description = ?",
                     "itttt", writer->set, counter->name, counter->name, units, description);
    writer->counter_count++;
    return result < 0 ? result : 0;
}

static int step(struct import_writer *writer, sqlite3_stmt *statement, struct tally_error *error)
{
    if (sqlite3_step(statement) != SQLITE_DONE)
        writer->failed = store_fail(writer->store, error);
    sqlite3_reset(statement);
    return writer->failed;
}

static void bind_time(sqlite3_stmt *statement, int at, int64_t ns)
{
    if (ns == IMPORT_UNKNOWN)
        sqlite3_bind_null(statement, at);
    else
        sqlite3_bind_int64(statement, at, ns);
}

static int put_value(struct import_writer *writer, const struct import *import, uint64_t number,
                     const struct import_value *value, struct tally_error *error)
{
    sqlite3_stmt *statement = writer->add_value;
    struct buffer source = {0};
    const char *name = import->sources.list[value->source]->name;
    escape_put(&source, name, strlen(name));
    sqlite3_bind_int64(statement, 1, writer->id);
    sqlite3_bind_int64(statement, 2, (int64_t)number);
    sqlite3_bind_int64(statement, 3, writer->counters[value->counter]);
    sqlite3_bind_text(statement, 4, source.bytes ? source.bytes : "", (int)source.size,
                      SQLITE_STATIC);
    if (value->is_integer)
        sqlite3_bind_int64(statement, 5, value->integer);
    else
        sqlite3_bind_double(statement, 5, value->real);
    int result = source.broken ? fail_memory(error, "a source") : step(writer, statement, error);
    buffer_fini(&source);
    return result;
}

static int put_sample(void *closure, const struct import *import,
                      const struct import_sample *sample, struct tally_error *error)
{
    struct import_writer *writer = closure;
    int result = 0;
    while (!result && writer->counter_count < import->counters.count)
        result = add_counter(writer, import->counters.list[writer->counter_count], error);
    if (result)
        return result;
    sqlite3_bind_int64(writer->add_sample, 1, writer->id);
    sqlite3_bind_int64(writer->add_sample, 2, (int64_t)sample->number);
    bind_time(writer->add_sample, 3, sample->start_ns);
    bind_time(writer->add_sample, 4, sample->duration_ns);
    result = step(writer, writer->add_sample, error);
    for (size_t i = 0; !result && i < sample->count; i++)
        result = put_value(writer, import, sample->number, &sample->values[i], error);
    writer->samples++;
    writer->timed &= sample->start_ns >= 0 && sample->duration_ns >= 0;
    if (sample->start_ns >= 0)
        writer->end_ns = sample->start_ns + (sample->duration_ns > 0 ? sample->duration_ns : 0);
    return result;
}

/* ---- the file -------------------------------------------------------------------------------- */

static int read_file(struct import_writer *writer, struct import *import, const char *path,
                     char text[HASH_TEXT_BYTES], bool *complete, struct tally_error *error)
{
    static const size_t capacity = 64 * 1024;
    char *bytes = malloc(capacity);
    struct hash hash;
    ssize_t n = 0;
    int result = 0, fd = bytes ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (!bytes)
        return fail_memory(error, "a file");
    hash_init(&hash);
    if (fd < 0)
        result = fail(error, -errno, "cannot open: %s", strerror(errno));
    while (!result && (n = read(fd, bytes, capacity)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            result = fail(error, -errno, "cannot read: %s", strerror(errno));
            break;
        }
        hash_add(&hash, (const uint8_t *)bytes, (size_t)n);
        writer->size_bytes += (uint64_t)n;
        result = import_take(import, bytes, (size_t)n, error);
    }
    if (!result)
        result = import_end(import, complete, error);
    hash_text(&hash, text);
    if (fd >= 0)
        close(fd);
    free(bytes);
    return result;
}

/* ---- what is computed of samples ---------------------------------------------------------------
 */

/* Mean weighted by the length of samples where all are known, else of samples. */
#define WEIGHT "CASE WHEN ?2 THEN s.duration_ns ELSE 1 END"
#define MEAN                                                                                       \
    "coalesce(sum(1.0 * v.value * (" WEIGHT ")) / nullif(sum(" WEIGHT "), 0), avg(v.value))"
#define FROM                                                                                       \
    " FROM sample_values v JOIN samples s ON s.recording = v.recording AND s.number = v.number "   \
    "WHERE v.recording = ?1 "

static const char *const summaries[] = {
    "INSERT INTO recording_values(recording, counter, overall, minimum, mean, maximum) SELECT ?1, "
    "v.counter, " MEAN ", min(v.value), " MEAN ", max(v.value)" FROM "GROUP BY v.counter",
    "INSERT INTO contexts(recording, context, deltas, lost, duration_ns) SELECT ?1, source, "
    "count(*), 0, coalesce(sum(duration_ns), 0) FROM (SELECT DISTINCT v.source AS source, "
    "s.number, s.duration_ns AS duration_ns" FROM "AND v.source <> '') GROUP BY source",
    "INSERT INTO context_values(recording, context, counter, overall, minimum, mean, maximum) "
    "SELECT ?1, v.source, v.counter, " MEAN ", min(v.value), " MEAN ", max(v.value)" FROM
    "AND v.source <> '' GROUP BY v.source, v.counter",
};

static const char *const intervals[] = {
    "INSERT INTO intervals(recording, width_ns, number, deltas, lost, duration_ns) SELECT ?1, ?3, "
    "start_ns / ?3, count(*), 0, sum(duration_ns) FROM samples s WHERE recording = ?1 AND ?2 "
    "GROUP BY start_ns / ?3",
    "INSERT INTO interval_values(recording, width_ns, number, counter, overall, minimum, mean, "
    "maximum) SELECT ?1, ?3, s.start_ns / ?3, v.counter, " MEAN ", min(v.value), " MEAN
    ", max(v.value)" FROM "GROUP BY s.start_ns / ?3, v.counter",
};

static int summarize(struct import_writer *writer, struct tally_error *error)
{
    int64_t timed = writer->timed, width = 1000000;
    uint64_t max = writer->samples / SAMPLES_PER_INTERVAL;
    int result = 0;
    max = max > INTERVALS_MAX ? INTERVALS_MAX : max;
    for (size_t i = 0; !result && i < ARRAY_COUNT(summaries); i++)
        result = run(writer, error, NULL, summaries[i], "ii", writer->id, timed);
    while (width < INT64_MAX / 100 && (uint64_t)(writer->end_ns / width) > max)
        width *= 10;
    for (size_t i = 0; timed && i < WIDTHS_MAX && writer->end_ns / width > 1; i++, width *= 10)
        for (size_t s = 0; !result && s < ARRAY_COUNT(intervals); s++)
            result = run(writer, error, NULL, intervals[s], "iii", writer->id, timed, width);
    return result;
}

static int add_recording(struct import_writer *writer, const struct import *import,
                         const char *path, const char *date, const char *hash, bool complete,
                         struct tally_error *error)
{
    int64_t device = 0;
    const char *name = *import->device ? import->device : "unknown";
    const char *vendor = import->format->vendor;
    int result = run(writer, error, NULL,
                     "INSERT OR IGNORE INTO devices(name, vendor, platform, pci_device, revision, "
                     "eus, modelled) VALUES(?, ?, '', 0, 0, 0, 0)",
                     "tt", name, vendor);
    if (result >= 0)
        result = run(writer, error, &device,
                     "SELECT id FROM devices WHERE name = ? AND vendor = ? AND platform = '' AND "
                     "pci_device = 0 AND revision = 0 AND eus = 0 AND modelled = 0",
                     "tt", name, vendor);
    if (result >= 0)
        result = run(writer, error, NULL,
                     "INSERT INTO recordings(id, name, date, hash, size_bytes, kind, layout, "
                     "device, metric_set, timestamp_hz, duration_ns, reports, lost_deltas, "
                     "missing_reports, paused_ns, problem) VALUES(?, ?, ?, ?, ?, ?, '', ?, ?, "
                     "1000000000, ?, ?, 0, 0, 0, ?)",
                     "itntitiiiin", writer->id, path, date, hash, (int64_t)writer->size_bytes,
                     import->format->name, device, writer->set, writer->end_ns,
                     (int64_t)writer->samples, complete ? "" : "the last sample is not complete");
    return result < 0 ? result : 0;
}

/* ---- importing ------------------------------------------------------------------------------- */

static int import_rows(struct import_writer *writer, struct import *import, const char *path,
                       const char *date, struct store_added *added, struct tally_error *error)
{
    char hash[HASH_TEXT_BYTES];
    bool complete = true;
    int result = read_file(writer, import, path, hash, &complete, &added->error);
    if (writer->failed) {
        *error = added->error;
        return writer->failed;
    }
    if (result < 0) {
        fail_in(&added->error, "%s", path);
        return 0;
    }
    added->imported = import->format->name;
    added->reports = writer->samples;
    added->size_bytes = writer->size_bytes;
    result = run(writer, error, &added->id,
                 "SELECT id FROM recordings WHERE hash = ? AND size_bytes = ?", "ti", hash,
                 (int64_t)writer->size_bytes);
    if (result)
        return result < 0 ? result : 0;
    added->is_new = true;
    added->id = writer->id;
    if (!complete)
        fail(&added->incomplete, -ENODATA, "%s: the last sample is not complete", path);
    result = add_recording(writer, import, path, date, hash, complete, error);
    return result < 0 ? result : summarize(writer, error);
}

int import_write(struct store *store, int64_t id, const char *path,
                 const struct import_format *format, const char *date, struct store_added *added,
                 struct tally_error *error)
{
    struct import_writer writer = {.store = store, .id = id, .timed = true};
    struct import import;
    int result = import_init(&import, format, error);
    if (result < 0)
        return result;
    import.put = put_sample;
    import.closure = &writer;
    result = add_set(&writer, format, error);
    if (!result)
        result = store_prepare(store, "INSERT INTO samples VALUES(?, ?, ?, ?)", &writer.add_sample,
                               error);
    if (!result)
        result = store_prepare(store, "INSERT INTO sample_values VALUES(?, ?, ?, ?, ?)",
                               &writer.add_value, error);
    if (!result)
        result = import_rows(&writer, &import, path, date, added, error);
    sqlite3_finalize(writer.add_sample);
    sqlite3_finalize(writer.add_value);
    free(writer.counters);
    import_fini(&import);
    return result;
}
