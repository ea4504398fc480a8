/* SPDX-License-Identifier: MIT */
#ifndef TALLY_WAVE_VCD_SEARCH_H
#define TALLY_WAVE_VCD_SEARCH_H

#include <tally/vcd.h>

#include "base/buffer.h"
#include "wave/vcd_text.h"

/* Which bit of a dump a person means. */

/* A variable that the name fits. Higher is better; the same twice is ambiguous. */
enum vcd_fit { VCD_FIT_NONE, VCD_FIT_END, VCD_FIT_WHOLE, VCD_FIT_SPELLED };

struct vcd_search {
    const char *wanted;
    struct buffer plain;    /* it without the backslashes of escaped identifiers */
    struct vcd_range index; /* at its end */

    /* The best so far. */
    enum vcd_fit fit;
    bool twice;   /* another one fits as well; its name is in `other` */
    bool indexed; /* the name has the index of the bit */
    bool has_bits;
    uint64_t width;
    uint64_t bit; /* its place, counted from the right end of a value */
    struct buffer code;
    char type[32];

    /* For messages. `near`: of which the index is out of range, or empty. */
    uint64_t line, other_line;
    char name[128], other[128], near[128];
};

/* Returns 0 or -ENOMEM. `wanted` stays the caller's. */
int vcd_search_init(struct vcd_search *search, const char *wanted);
void vcd_search_fini(struct vcd_search *search);

/* Looks at one more variable, declared in line `line`. Returns 0 or -ENOMEM. */
int vcd_search_try(struct vcd_search *search, const struct tally_vcd_variable *variable,
                   uint64_t line);

/* 0 if it is one bit; else an error that says what it is. */
int vcd_search_result(const struct vcd_search *search, const char *label,
                      struct tally_error *error);

#endif
