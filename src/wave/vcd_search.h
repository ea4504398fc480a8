/* SPDX-License-Identifier: MIT */
#ifndef TALLY_WAVE_VCD_SEARCH_H
#define TALLY_WAVE_VCD_SEARCH_H

#include <tally/vcd.h>

#include "base/buffer.h"
#include "wave/vcd_text.h"

/* Finds the bit of a dump that a name refers to. */

/* How a name matches a variable, in ascending order of preference: the end of its name, the whole
 * name without backslashes, or exactly. Two equal matches are ambiguous. */
enum vcd_match { VCD_MATCH_NONE, VCD_MATCH_END, VCD_MATCH_WHOLE, VCD_MATCH_EXACT };

struct vcd_search {
    const char *wanted;
    struct buffer plain;    /* `wanted` without the backslashes of escaped identifiers */
    struct vcd_range index; /* index at the end of `wanted` */

    /* The best match so far. */
    enum vcd_match match;
    bool twice;   /* another variable matches equally well; its name is in `other` */
    bool indexed; /* the name includes the index of the bit */
    bool has_bits;
    uint64_t width;
    uint64_t bit; /* position of the bit, counted from the right end of a value */
    struct buffer code;
    char type[32];

    /* For messages. `near`: a variable that matches except that the index is out of range, or
     * empty. */
    uint64_t line, other_line;
    char name[128], other[128], near[128];
};

/* Returns 0 or -ENOMEM. The caller keeps `wanted`, which must outlive the search. */
int vcd_search_init(struct vcd_search *search, const char *wanted);
void vcd_search_fini(struct vcd_search *search);

/* Considers one more variable, declared in line `line`. Returns 0 or -ENOMEM. */
int vcd_search_try(struct vcd_search *search, const struct tally_vcd_variable *variable,
                   uint64_t line);

/* Returns 0 if the name refers to one bit, otherwise an error with a message. */
int vcd_search_result(const struct vcd_search *search, const char *label,
                      struct tally_error *error);

#endif
