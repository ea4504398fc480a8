/* SPDX-License-Identifier: MIT */
#ifndef TALLY_STORE_IMPORT_WRITE_H
#define TALLY_STORE_IMPORT_WRITE_H

#include "store/database.h"
#include "store/import.h"

/* Returns the format of a file, or NULL: it is to be read as a recording. */
const struct import_format *import_format_of(const char *path);

/*
 * Writes an import within the transaction that the caller has begun: added->id, is_new, reports and
 * size_bytes. The caller ends the transaction: rolls back if the file cannot be added, as
 * added->error says, or is not new. Returns 0, or an error of the store.
 */
int import_write(struct store *store, int64_t id, const char *path,
                 const struct import_format *format, const char *date, struct store_added *added,
                 struct tally_error *error);

#endif
