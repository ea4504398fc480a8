/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_BUFFER_H
#define TALLY_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>

/*
 * A growing byte array. A failed allocation marks the buffer as broken, and later appends do
 * nothing, so that a sequence of appends needs only one check, at its end. {0} is an empty buffer.
 */
struct buffer {
    char *bytes;
    size_t size;
    size_t capacity;
    bool broken;
};

void buffer_fini(struct buffer *buffer);

/* Reserves space for `size` more bytes and returns a pointer to it, the end of the data; NULL if
 * out of memory. Does not change the size. */
char *buffer_reserve(struct buffer *buffer, size_t size);

/* Append bytes, a text, a character, or formatted text, without a NUL at the end. */
void buffer_append(struct buffer *buffer, const void *bytes, size_t size);
void buffer_text(struct buffer *buffer, const char *text);
void buffer_char(struct buffer *buffer, char c);
__attribute__((format(printf, 2, 3))) void buffer_printf(struct buffer *buffer, const char *format,
                                                         ...);

/* Appends a file. Stops soon after `max` bytes, so that the caller can detect an oversized file.
 * Returns 0, or a negative errno with a message. */
int buffer_load(struct buffer *buffer, const char *path, size_t max, struct tally_error *error);

/* Reads a small file, such as an attribute in sysfs, up to `size` - 1 bytes, to `text`, without the
 * newlines at its end. Returns 0, or a negative errno. */
int text_load(const char *path, char *text, size_t size);

/*
 * Makes sure that an array of `count` elements can hold one more: doubles *capacity if `count` has
 * reached it. Returns the array, which may have moved, or NULL (the old one stays valid).
 */
void *array_grow(void *array, size_t *capacity, size_t count, size_t element_size);

#endif
