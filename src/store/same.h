/* SPDX-License-Identifier: MIT */
#ifndef TALLY_STORE_SAME_H
#define TALLY_STORE_SAME_H

#include "store/block.h"
#include "store/database.h"

/* Returns 1 if the bytes of a recording of the store are those of a file, 0 if they are not, or an
 * error. */
int store_is_same(struct store *store, int64_t id, const char *path, struct tally_error *error);

/* Changes a hash to the next one. */
void hash_next(char hash[BLOCK_HASH_BYTES]);

#endif
