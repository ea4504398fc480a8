/* SPDX-License-Identifier: MIT */
#ifndef TALLY_STORE_WRITE_H
#define TALLY_STORE_WRITE_H

#include "store/database.h"
#include "store/load.h"

/* Writes recordings into a store, one at a time, each in a transaction. */
struct writer;

int writer_new(struct store *store, struct writer **out, struct tally_error *error);
void writer_free(struct writer *writer);

/*
 * writer_begin() begins a transaction; writer_block() adds a block of the recording; writer_end()
 * adds everything else, and commits. If the store has a recording with the same bytes, it keeps
 * that one only, and *is_new is false. writer_cancel() ends the transaction without a change, also
 * after an error of the others.
 */
int writer_begin(struct writer *writer, struct tally_error *error);
int writer_block(struct writer *writer, const struct packed_block *block,
                 struct tally_error *error);
int writer_end(struct writer *writer, const char *path, const struct loaded *loaded, int64_t *id,
               bool *is_new, struct tally_error *error);
void writer_cancel(struct writer *writer);

/* Imports the output of another program in place of writer_block() and writer_end(): see
 * import_write(). */
int writer_import(struct writer *writer, const struct loaded *loaded, struct store_added *added,
                  struct tally_error *error);

#endif
