/* SPDX-License-Identifier: MIT */
/* tally query: SQL over a store. */
#include "cli/rows.h"
#include "cli/store_fleet.h"
#include "cli/unknown.h"
#include "store/clickhouse.h"

int command_query(const struct arguments *arguments)
{
    struct tally_error error = {0};
    struct store *store;
    if (clickhouse_is_url(arguments->operands[0]))
        return fleet_query(arguments, arguments->operands[0], arguments->operands[1]);
    if (store_missing())
        return usage_error("query: %s", store_missing());
    if (store_open(arguments->operands[0], STORE_READ, &store, &error) < 0)
        return report_file_error(&error, arguments->operands[0]);
    int code = write_store_query(arguments, store, arguments->operands[1]);
    store_close(store);
    return code;
}
