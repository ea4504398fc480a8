/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_STORE_FLEET_H
#define TALLY_CLI_STORE_FLEET_H

#include "cli/cli.h"
#include "store/store.h"

/* The operations of tally store, and tally query, on a store in ClickHouse. Each prints errors, and
 * returns an exit code. */

int fleet_add(const struct arguments *arguments, const struct store_add_options *options);
int fleet_flush(const struct arguments *arguments);

/* Runs a query of the store with this URL, and writes its rows. */
int fleet_query(const struct arguments *arguments, const char *url, const char *sql);

#endif
