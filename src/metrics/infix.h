/* SPDX-License-Identifier: MIT */
#ifndef TALLY_METRICS_INFIX_H
#define TALLY_METRICS_INFIX_H

#include <tally/metrics.h>

#include "base/buffer.h"

/*
 * Translates the equations of NVIDIA's sets to those of struct tally_counter:
 *
 *     100 * (1 - GPU_IDLE / clocks(GPU_IDLE))
 *     100 1 A 0 READ CLOCKS 0 READ FRATIO FSUB FMUL
 *
 * Operands are numbers, the set's signals, clocks(SIGNAL), time() in nanoseconds, and the set's
 * counters. Sums and products of integers are integers; differences, which can be negative, and
 * quotients are doubles.
 */

/* Largest number of nested parentheses and signs. */
#define INFIX_DEPTH_MAX 32

/*
 * Appends the translation of `text` to `rpn`, and sets *type to the type of its result. The symbols
 * are those of `set`, whose counters must have their types. Returns 0; -EBADMSG and a message with
 * the column, from 1; -ENOMEM.
 */
int infix_translate(const char *text, const struct tally_metric_set *set, struct buffer *rpn,
                    enum tally_data_type *type, struct tally_error *error);

/* Returns whether the result of an equation is a double, whatever it refers to. */
bool infix_is_real(const char *text);

/* Copies the next name of an equation that is not a function's, cut to `size` bytes, and moves
 * *text behind it. Returns false at the end. */
bool infix_next_name(const char **text, char *name, size_t size);

/* Finds a signal of a set by its symbol. Returns its index, or -ENOENT. */
ptrdiff_t metric_set_signal(const struct tally_metric_set *set, const char *symbol);

/* Returns whether a text is a symbol: letters, digits and _, not beginning with a digit. */
bool is_symbol(const char *text);

#endif
