/* SPDX-License-Identifier: MIT */
/* tally store: recordings in one file. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/expected.h"
#include "cli/input.h"
#include "cli/rows.h"
#include "cli/store_fleet.h"
#include "cli/unknown.h"
#include "store/clickhouse.h"

/* ---- add ------------------------------------------------------------------------------------- */

struct adding {
    const struct arguments *arguments;
    struct output *output;
    int code; /* the first that is not EXIT_DONE */
};

static void note(struct adding *adding, int code)
{
    adding->code = adding->code == EXIT_DONE ? code : adding->code;
}

static void on_added(void *closure, const struct store_added *added)
{
    struct adding *adding = closure;
    const char *db = adding->arguments->operands[1];
    if (added->error.code) {
        output_flush(adding->output);
        int code = report_file_error(&added->error, added->path);
        note(adding, added->error.code == -ENODEV ? EXIT_USAGE : code);
        return;
    }
    if (!added->is_new)
        output_printf(adding->output, "%s#%" PRId64 "  %s: the store has it already\n", db,
                      added->id, added->path);
    else if (added->imported)
        output_printf(adding->output, "%s#%" PRId64 "  %s: %" PRIu64 " sample%s of %s\n", db,
                      added->id, added->path, added->reports, added->reports == 1 ? "" : "s",
                      added->imported);
    else
        output_printf(adding->output,
                      "%s#%" PRId64 "  %s: %" PRIu64 " reports, %" PRIu64 " bytes in %" PRIu64 "\n",
                      db, added->id, added->path, added->reports, added->size_bytes,
                      added->stored_bytes);
    output_flush(adding->output);
    if (added->incomplete.code && added->is_new && !adding->arguments->values[OPTION_QUIET])
        warn("%s#%" PRId64 ": added, but %s: %s", db, added->id,
             added->incomplete.code == -EBADMSG || added->incomplete.code == -ENOENT
                 ? "values are missing"
                 : "it was not read to its end",
             added->incomplete.message);
}

static int store_add_files(const struct arguments *arguments)
{
    struct adding adding = {.arguments = arguments};
    struct tally_error error = {0};
    struct store *store;
    struct tally_recording_options recording = {.size = sizeof recording};
    char date[STORE_DATE_BYTES];
    struct store_add_options options = {
        .metrics = arguments->values[OPTION_METRICS],
        .set = arguments->values[OPTION_SET],
        .recording = &recording,
    };
    const char *wanted = arguments->values[OPTION_DATE], *db = arguments->operands[1];
    int code = parse_recording_options(arguments, &recording);
    if (code != EXIT_DONE)
        return code;
    if (arguments->operand_count < 3)
        return usage_error("store: add expects DB and FILE...; see tally help store");
    for (size_t i = 1; i < arguments->operand_count; i++)
        if (!strcmp(arguments->operands[i], "-"))
            return usage_error("store: add reads a recording twice; expected a file, not -");
    if (wanted && !store_parse_date(wanted, date))
        return usage_error("store: --date \"%s\", expected a date such as 2026-11-27 or "
                           "2026-11-27T18:30:00",
                           wanted);
    options.date = wanted ? date : NULL;
    if (clickhouse_is_url(db))
        return fleet_add(arguments, &options);
    if (store_open(db, STORE_CREATE, &store, &error) < 0)
        return report_file_error(&error, db);
    if ((adding.output = open_output(arguments, &code))) {
        if (store_add(store, (const char *const *)arguments->operands + 2,
                      arguments->operand_count - 2, &options, on_added, &adding, &error) < 0)
            note(&adding, report_error(&error));
        code = close_output(adding.output, adding.code);
    }
    store_close(store);
    return code;
}

/* ---- list, remove ---------------------------------------------------------------------------- */

static int store_list(const struct arguments *arguments)
{
    struct tally_error error = {0};
    struct store *store;
    if (arguments->operand_count > 2)
        return usage_error("store: unexpected argument \"%s\"; see tally help store",
                           arguments->operands[2]);
    const char *sql = "SELECT recording AS id, date, device, metric_set, workload, reports, "
                      "lost_deltas, seconds, size_bytes, stored_bytes, name FROM recording_list "
                      "ORDER BY recording";
    if (clickhouse_is_url(arguments->operands[1]))
        return fleet_query(arguments, arguments->operands[1], sql);
    if (store_open(arguments->operands[1], STORE_READ, &store, &error) < 0)
        return report_file_error(&error, arguments->operands[1]);
    int code = write_store_query(arguments, store, sql);
    store_close(store);
    return code;
}

static int parse_id(const char *text, int64_t *id)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || errno)
        return usage_error("store: recording \"%s\", expected a number of tally store list", text);
    *id = value;
    return EXIT_DONE;
}

static int store_remove_recordings(const struct arguments *arguments)
{
    struct tally_error error = {0};
    struct store *store;
    int64_t id;
    int code = EXIT_DONE;
    if (clickhouse_is_url(arguments->operands[1]))
        return usage_error("store: remove expects a store that is a file; for ClickHouse see "
                           "docs/fleet.md");
    if (arguments->operand_count < 3)
        return usage_error("store: remove expects DB and ID...; see tally help store");
    for (size_t i = 2; code == EXIT_DONE && i < arguments->operand_count; i++)
        code = parse_id(arguments->operands[i], &id);
    if (code != EXIT_DONE)
        return code;
    if (store_open(arguments->operands[1], STORE_WRITE, &store, &error) < 0)
        return report_file_error(&error, arguments->operands[1]);
    for (size_t i = 2; i < arguments->operand_count; i++) {
        parse_id(arguments->operands[i], &id);
        if (store_remove(store, id, &error) < 0)
            code = report_error(&error);
    }
    store_close(store);
    return code;
}

/* ---- flush ----------------------------------------------------------------------------------- */

static int store_flush(const struct arguments *arguments)
{
    if (!clickhouse_is_url(arguments->operands[1]))
        return usage_error("store: flush expects the URL of a store in ClickHouse, such as "
                           "clickhouse://HOST/DATABASE, not \"%s\"",
                           arguments->operands[1]);
    return fleet_flush(arguments);
}

/* ---- the command ----------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int (*run)(const struct arguments *arguments);
} operations[] = {{"add", store_add_files},
                  {"list", store_list},
                  {"remove", store_remove_recordings},
                  {"flush", store_flush}};

const char *store_operation_at(size_t index)
{
    return index < ARRAY_COUNT(operations) ? operations[index].name : NULL;
}

int command_store(const struct arguments *arguments)
{
    const char *names[ARRAY_COUNT(operations)], *wanted = arguments->operands[0];
    char expected[EXPECTED_BYTES];
    for (size_t i = 0; i < ARRAY_COUNT(operations); i++) {
        names[i] = operations[i].name;
        if (strcmp(wanted, names[i]) != 0)
            continue;
        return store_missing() ? usage_error("store: %s", store_missing())
                               : operations[i].run(arguments);
    }
    return usage_error(
        "store: unknown operation \"%s\"%s", wanted,
        expected_word(expected, wanted, names, ARRAY_COUNT(operations), "tally help store"));
}
