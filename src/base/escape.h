/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_ESCAPE_H
#define TALLY_BASE_ESCAPE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/*
 * Text from files, programs and command lines can contain anything. Printed on a terminal as it is,
 * it could move the cursor, change colors, start new lines that look like Tally's own, or reverse
 * what is shown. These functions replace such characters by visible escapes: control characters and
 * bytes that are not UTF-8 by \xNN, other characters by \uNNNN. A backslash is not escaped, so
 * that escaping a text twice changes nothing.
 */

/* Decodes the first character of a text, which is not empty, to *character. Returns its bytes; 0 if
 * they are not UTF-8. */
size_t utf8_decode(const char *text, uint32_t *character);

/* True of control characters (C0, DEL, C1), line and paragraph separators, marks that change the
 * direction of text, and byte order marks. */
bool is_control(uint32_t character);

/* True if a text has nothing to escape. */
bool is_printable(const char *text);

/* Appends an escaped text of at most `size` bytes, which ends at a NUL before that. */
void escape_put(struct buffer *to, const char *text, size_t size);

#define ESCAPE_IN_PLACE_MAX 512

/* Escapes the text in an array of `size` bytes, at most ESCAPE_IN_PLACE_MAX, in place. A text that
 * becomes longer is cut between two characters; so is one that fills the array and ends within a
 * character. */
void escape_in_place(char *text, size_t size);

/*
 * Appends formatted text, like vprintf(), in which the arguments of %s are escaped; the characters
 * of the format are not. Supports the conversions %c %d %i %u %x %X %o %e %f %g %p %s %% with
 * flags, width, precision and length, but not %Lf and %ls.
 */
__attribute__((format(printf, 2, 0))) void escape_format(struct buffer *to, const char *format,
                                                         va_list arguments);

#endif
