/* SPDX-License-Identifier: MIT */
#ifndef TALLY_WAVE_VCD_TEXT_H
#define TALLY_WAVE_VCD_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>

/*
 * Splits the text of a dump into tokens separated by white space (18.2.1: a dump is free format).
 * The text is in memory or is read by a function through a buffer of fixed size.
 */

/* Maximum size of a token. A longer token is an error. */
#define VCD_TOKEN_BYTES ((size_t)1 << 20)

/* Stores up to `size` bytes at `to`. Returns their number, 0 at the end, or a negative errno. */
typedef ptrdiff_t vcd_read_function(void *closure, void *to, size_t size);

struct vcd_text {
    const char *label;       /* file name for messages; owned by the caller */
    vcd_read_function *read; /* NULL: the whole text is in memory */
    void *closure;
    char *buffer; /* limit + 1 bytes; NULL if `read` is NULL */
    const char *bytes;
    size_t at;
    size_t size;   /* bytes available in `bytes` */
    size_t limit;  /* maximum size of a token */
    uint64_t line; /* line of the last token, from 1 */
    bool ended;    /* `read` has returned 0 */
    struct tally_error *error;
};

/* Valid until the next token is read. Not NUL terminated. */
struct vcd_token {
    const char *text;
    size_t size; /* 1 or more */
};

/* limit: maximum size of a token; 0: VCD_TOKEN_BYTES. */
void vcd_text_from_memory(struct vcd_text *text, const char *label, const void *bytes, size_t size,
                          size_t limit, struct tally_error *error);
int vcd_text_from_function(struct vcd_text *text, const char *label, vcd_read_function *read,
                           void *closure, size_t limit, struct tally_error *error);
void vcd_text_fini(struct vcd_text *text);

/* Returns 1 and the next token, 0 at the end, or an error. */
int vcd_text_next(struct vcd_text *text, struct vcd_token *token);

/* Calls fail() with -EBADMSG; the message starts with the label and the line of the last token. */
__attribute__((format(printf, 2, 3))) int vcd_text_fail(const struct vcd_text *text,
                                                        const char *format, ...);

/* A token or other text in a form suitable for messages: truncated, and without control
 * characters. */
struct vcd_shown {
    char text[52];
};
struct vcd_shown vcd_show(const char *text, size_t size);

/* Parses decimal digits. Returns false if there are other characters or the number exceeds 64
 * bits. */
bool vcd_number(const char *text, size_t size, uint64_t *out);

/* Returns a timescale ("1 ns", "10ps", "100 s") in femtoseconds; 0 if it is not 1, 10 or 100 and a
 * unit (18.2.3.6). */
uint64_t vcd_timescale_fs(const char *text);

/* The index of a reference (18.2.1) at the end of a name: [bit] or [msb:lsb]. */
struct vcd_range {
    size_t size; /* characters at the end of the name, including leading blanks; 0: no range */
    int64_t msb, lsb;
    bool pair; /* [msb:lsb] */
};
struct vcd_range vcd_range_at_end(const char *name, size_t size);

static inline bool vcd_token_is(const struct vcd_token *token, const char *word)
{
    return !__builtin_strncmp(token->text, word, token->size) && !word[token->size];
}

#endif
