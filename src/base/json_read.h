/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_JSON_READ_H
#define TALLY_BASE_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>

/*
 * Reads JSON in pieces of any size, in constant memory. The input is one value or several, with or
 * without commas between them, since programs that are stopped leave such files. Texts become UTF-8
 * without escapes; bytes that are not UTF-8 are not checked.
 */
#define JSON_DEPTH_MAX 16
#define JSON_TEXT_MAX  1024

enum json_event {
    JSON_OBJECT, /* begins */
    JSON_OBJECT_END,
    JSON_ARRAY,
    JSON_ARRAY_END,
    JSON_KEY,
    JSON_STRING,
    JSON_NUMBER, /* as it is in the input; also nan and inf, with or without a sign, which C prints
                  */
    JSON_WORD,   /* true, false or null */
};

struct json_reader {
    /* Called for each event with its text, which has a NUL at its end and may contain others.
     * Returns 0 or a negative errno with *error, which ends reading. */
    int (*event)(void *closure, enum json_event event, const char *text, size_t size,
                 struct tally_error *error);
    void *closure;
    uint64_t line; /* of the input, from 1; 0: nothing has been read */

    /* Private. */
    int state;
    unsigned depth;
    char stack[JSON_DEPTH_MAX]; /* '{' or '[' */
    char text[JSON_TEXT_MAX + 8];
    size_t size;
    bool is_key;
    unsigned digits;    /* of a \u escape that are missing */
    uint32_t code;      /* of this escape */
    uint32_t surrogate; /* the first of two; 0: none */
};

/* Reads a piece. Returns 0, or a negative errno with *error: -EBADMSG and the line. Nothing may be
 * read after an error. */
int json_read(struct json_reader *reader, const char *bytes, size_t size,
              struct tally_error *error);

/* Returns whether the input may end here: outside of a value, or in an array outside of its
 * elements. */
bool json_is_between(const struct json_reader *reader);

#endif
