/* SPDX-License-Identifier: MIT */
#ifndef TALLY_STORE_INPUT_H
#define TALLY_STORE_INPUT_H

#include "store/database.h"

/* The bytes of a stored recording. */
struct stored_input;

/* Opens a recording of a store, which must outlive it. Returns -ENOENT if there is none. */
int stored_input_open(struct store *store, int64_t id, struct stored_input **out,
                      struct tally_error *error);
void stored_input_close(struct stored_input *input);
uint64_t stored_input_size(const struct stored_input *input);

/* Copies up to `size` bytes at an offset. Returns their number, 0 at the end, or an error. */
ptrdiff_t stored_input_read(struct stored_input *input, uint64_t offset, void *to, size_t size,
                            struct tally_error *error);

#endif
