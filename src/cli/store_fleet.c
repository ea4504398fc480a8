/* SPDX-License-Identifier: MIT */
/* tally store and tally query, on a store in ClickHouse. */
#include "cli/store_fleet.h"

#include <errno.h>
#include <inttypes.h>

#include "base/ratio.h"
#include "cli/input.h"
#include "cli/rows.h"
#include "store/spool.h"

/* ---- opening --------------------------------------------------------------------------------- */

static int open_server(const struct arguments *arguments, const char *text,
                       struct clickhouse_url *url, struct clickhouse **out)
{
    struct tally_error error = {0};
    const char *timeout = arguments->values[OPTION_ANSWER_TIMEOUT];
    uint64_t time_ns = timeout ? parse_time_ns(timeout) : 0;
    struct clickhouse_limits limits = {.request_s = (unsigned)(time_ns / NS_PER_SECOND)};
    if (timeout && (time_ns < NS_PER_SECOND || time_ns > 86400 * NS_PER_SECOND))
        return usage_error("store: --timeout \"%s\", expected a time from 1s to a day", timeout);
    if (clickhouse_missing())
        return usage_error("store: %s", clickhouse_missing());
    if (clickhouse_parse_url(text, url, &error) < 0 ||
        clickhouse_open(url, &limits, out, &error) < 0)
        return report_error(&error);
    return EXIT_DONE;
}

static int open_spool(const struct arguments *arguments, const struct clickhouse_url *url,
                      struct spool **out)
{
    const char *text = arguments->values[OPTION_SPOOL_MAX];
    uint64_t max = text ? parse_size(text) : 0;
    struct tally_error error = {0};
    if (text && !max)
        return usage_error("store: --spool-max \"%s\", expected a size such as 512M or 4G", text);
    if (spool_open(arguments->values[OPTION_SPOOL], url, max, out, &error) < 0)
        return report_error(&error);
    return EXIT_DONE;
}

static int query_server(void *database, const char *sql, const struct store_query *query,
                        struct tally_error *error)
{
    return clickhouse_query(database, sql, query, error);
}

int fleet_query(const struct arguments *arguments, const char *text, const char *sql)
{
    struct clickhouse_url url;
    struct clickhouse *clickhouse = NULL;
    int code = open_server(arguments, text, &url, &clickhouse);
    if (code == EXIT_DONE)
        code = write_query(arguments, query_server, clickhouse, sql);
    clickhouse_close(clickhouse);
    return code;
}

/* ---- sending --------------------------------------------------------------------------------- */

struct sending {
    const struct arguments *arguments;
    struct output *output;
    const struct clickhouse_url *url;
    struct spool *spool;
    int code; /* the first that is not EXIT_DONE */
};

static void note(struct sending *sending, int code)
{
    sending->code = sending->code == EXIT_DONE ? code : sending->code;
}

static void on_sent(void *closure, const struct spool_sent *sent)
{
    struct sending *sending = closure;
    output_flush(sending->output);
    if (sent->error.code) {
        warn("%s; it is kept as %s/%s.damaged", sent->error.message, spool_path(sending->spool),
             sent->hash);
        note(sending, EXIT_MALFORMED);
        return;
    }
    output_printf(sending->output, "%s#%" PRId64 "  ", sending->url->shown, sent->id);
    output_text(sending->output, sent->name);
    output_text(sending->output, sent->is_new ? ": sent\n" : ": the store has it already\n");
    output_flush(sending->output);
}

static void on_wait(void *closure)
{
    const struct sending *sending = closure;
    if (!sending->arguments->values[OPTION_QUIET])
        warn("%s: waiting for another process that sends", spool_path(sending->spool));
}

/* Sends everything in the spool. What cannot be sent is kept: EXIT_UNSENT. */
static void send_all(struct sending *sending, struct clickhouse *clickhouse)
{
    struct tally_error error = {0};
    size_t left = 0;
    if (spool_send(sending->spool, clickhouse, on_sent, on_wait, sending, &left, &error) == 0)
        return;
    output_flush(sending->output);
    if (!left) {
        note(sending, report_error(&error));
        return;
    }
    warn("%s", error.message);
    uint64_t bytes = 0;
    struct tally_error ignored;
    spool_usage(sending->spool, &left, &bytes, &ignored);
    warn("%zu recording%s kept in %s (%" PRIu64 " bytes), for the next tally store add or flush",
         left, left == 1 ? " is" : "s are", spool_path(sending->spool), bytes);
    note(sending, EXIT_UNSENT);
}

/* Keeps a file in the spool. Returns whether to go on. */
static bool keep_file(struct sending *sending, const char *path,
                      const struct store_add_options *options)
{
    struct store_added added;
    struct tally_error error = {0};
    char hash[64];
    if (spool_add(sending->spool, path, options, &added, hash, &error) < 0) {
        output_flush(sending->output);
        warn("%s: not added: %s", path, error.message);
        note(sending, exit_code_of(error.code));
        return error.code == -EDQUOT;
    }
    if (added.error.code) {
        output_flush(sending->output);
        warn("%s", added.error.message);
        note(sending, added.error.code == -ENODEV ? EXIT_USAGE : exit_code_of(added.error.code));
    } else if (added.incomplete.code && !sending->arguments->values[OPTION_QUIET]) {
        warn("%s: added, but values are missing: %s", path, added.incomplete.message);
    }
    return true;
}

/* Opens everything, keeps files, and sends. */
static int run(const struct arguments *arguments, const struct store_add_options *options,
               size_t first)
{
    struct clickhouse_url url;
    struct clickhouse *clickhouse = NULL;
    struct sending sending = {.arguments = arguments, .url = &url};
    int code = open_server(arguments, arguments->operands[1], &url, &clickhouse);
    if (code == EXIT_DONE)
        code = open_spool(arguments, &url, &sending.spool);
    if (code == EXIT_DONE && (sending.output = open_output(arguments, &code))) {
        bool more = true;
        for (size_t i = first; more && i < arguments->operand_count; i++) {
            more = keep_file(&sending, arguments->operands[i], options);
            /* One at a time, so that the spool is small while the server is there. */
            if (more)
                send_all(&sending, clickhouse);
        }
        if (first >= arguments->operand_count)
            send_all(&sending, clickhouse);
        code = close_output(sending.output, sending.code);
    }
    spool_close(sending.spool);
    clickhouse_close(clickhouse);
    return code;
}

int fleet_add(const struct arguments *arguments, const struct store_add_options *options)
{
    return run(arguments, options, 2);
}

int fleet_flush(const struct arguments *arguments)
{
    if (arguments->operand_count > 2)
        return usage_error("store: unexpected argument \"%s\"; see tally help store",
                           arguments->operands[2]);
    return run(arguments, NULL, arguments->operand_count);
}
