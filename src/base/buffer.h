/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_BUFFER_H
#define TALLY_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>

/*
 * A growing run of bytes. An allocation that fails marks the buffer as broken and later appends do
 * nothing, so that a sequence of appends is checked once, at its end. {0} is an empty buffer.
 */
struct buffer {
    char *bytes;
    size_t size;
    size_t capacity;
    bool broken;
};

void buffer_fini(struct buffer *buffer);

/* Room for `size` more bytes at the end; NULL if there is no memory. Does not change the size. */
char *buffer_reserve(struct buffer *buffer, size_t size);

void buffer_append(struct buffer *buffer, const void *bytes, size_t size);
void buffer_text(struct buffer *buffer, const char *text);
void buffer_char(struct buffer *buffer, char c);
__attribute__((format(printf, 2, 3))) void buffer_printf(struct buffer *buffer, const char *format,
                                                         ...);

/* Appends a file; one of more than `most` bytes only so far that it shows. Returns 0, or an errno
 * with a message. */
int buffer_load(struct buffer *buffer, const char *path, size_t most, struct tally_error *error);

/*
 * Makes room for one more element at the end of an array: doubles *capacity when `count` has
 * reached it. Returns the array, perhaps moved, or NULL (the old one stays valid).
 */
void *array_grow(void *array, size_t *capacity, size_t count, size_t element_size);

#endif
