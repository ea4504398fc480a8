/* SPDX-License-Identifier: MIT */
#ifndef TALLY_WAVE_VCD_TEXT_H
#define TALLY_WAVE_VCD_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>

/*
 * The text of a dump as tokens: runs of characters between white space (18.2.1: a dump is free
 * format). It comes from memory or, through a buffer of fixed size, from a function.
 */

/* The longest token. A token that is longer is an error, not more memory. */
#define VCD_TOKEN_BYTES ((size_t)1 << 20)

/* Up to `size` bytes, 1 or more; 0 at the end; a negative errno. */
typedef ptrdiff_t vcd_read_function(void *closure, void *to, size_t size);

struct vcd_text {
    const char *label;       /* for messages; the caller's */
    vcd_read_function *read; /* NULL: all is in memory */
    void *closure;
    char *buffer; /* limit + 1 bytes, if read */
    const char *bytes;
    size_t at;
    size_t size;   /* of what is in `bytes` */
    size_t limit;  /* longest token */
    uint64_t line; /* of the last token, from 1 */
    bool ended;    /* read() has said so */
    struct tally_error *error;
};

/* Valid until the next one is read. Not terminated. */
struct vcd_token {
    const char *text;
    size_t size; /* 1 or more */
};

/* `limit` is the longest token, 0 for the usual. */
void vcd_text_from_memory(struct vcd_text *text, const char *label, const void *bytes, size_t size,
                          size_t limit, struct tally_error *error);
int vcd_text_from_function(struct vcd_text *text, const char *label, vcd_read_function *read,
                           void *closure, size_t limit, struct tally_error *error);
void vcd_text_fini(struct vcd_text *text);

/* 1 and the next token, 0 at the end, or an error. */
int vcd_text_next(struct vcd_text *text, struct vcd_token *token);

/* fail() with -EBADMSG and the line of the last token. */
__attribute__((format(printf, 2, 3))) int vcd_text_fail(const struct vcd_text *text,
                                                        const char *format, ...);

/* A token, or any other text, as a message can show it: the end cut off, on one line. */
struct vcd_shown {
    char text[52];
};
struct vcd_shown vcd_show(const char *text, size_t size);

/* Decimal digits; false if there is anything else or the number is beyond 64 bits. */
bool vcd_number(const char *text, size_t size, uint64_t *out);

/* Femtoseconds of "1 ns", "10ps", "100  s"; 0 if it is not 1, 10 or 100 and a unit (18.2.3.6). */
uint64_t vcd_timescale_fs(const char *text);

/* 18.2.1, reference: what stands behind the identifier, [bit] or [msb:lsb]. */
struct vcd_range {
    size_t size; /* characters at the end of the name, with blanks in front; 0: there is no range */
    int64_t msb, lsb;
    bool pair; /* [msb:lsb] */
};
struct vcd_range vcd_range_at_end(const char *name, size_t size);

static inline bool vcd_token_is(const struct vcd_token *token, const char *word)
{
    return !__builtin_strncmp(token->text, word, token->size) && !word[token->size];
}

#endif
