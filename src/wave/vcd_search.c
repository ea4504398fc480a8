/* SPDX-License-Identifier: MIT */
#include "wave/vcd_search.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

/*
 * Copies a name without the backslashes of escaped identifiers, which are not part of the
 * identifier (IEEE 1364-2005, 3.7.1). A backslash is removed wherever a component of the name can
 * begin. The result is NUL terminated; the size does not include the NUL.
 */
static int make_plain(struct buffer *plain, const char *name)
{
    plain->size = 0;
    for (const char *at = name; *at; at++)
        if (*at != '\\' || (at != name && at[-1] != '.'))
            buffer_char(plain, *at);
    if (!buffer_reserve(plain, 1))
        return -ENOMEM;
    plain->bytes[plain->size] = '\0';
    return 0;
}

int vcd_search_init(struct vcd_search *search, const char *wanted)
{
    *search = (struct vcd_search){.wanted = wanted};
    search->index = vcd_range_at_end(wanted, strlen(wanted));
    return make_plain(&search->plain, wanted);
}

void vcd_search_fini(struct vcd_search *search)
{
    buffer_fini(&search->plain);
    buffer_fini(&search->code);
}

/* Returns how the wanted name, without its last `cut` characters, matches a variable. */
static enum vcd_match match_of(const struct vcd_search *search, size_t cut, const char *spelled,
                               const struct buffer *plain)
{
    size_t size = search->plain.size - cut;
    if (!size || plain->size < size ||
        memcmp(plain->bytes + plain->size - size, search->plain.bytes, size) != 0)
        return VCD_MATCH_NONE;
    if (plain->size > size)
        return plain->bytes[plain->size - size - 1] == '.' ? VCD_MATCH_END : VCD_MATCH_NONE;
    size = strlen(search->wanted) - cut;
    return strlen(spelled) == size && !memcmp(spelled, search->wanted, size) ? VCD_MATCH_EXACT
                                                                             : VCD_MATCH_WHOLE;
}

/* Formats a variable for messages: the end of its name, which is more informative than the
 * beginning, and the range. */
static void describe(const struct tally_vcd_variable *variable, char to[128])
{
    const size_t max = sizeof((struct vcd_shown *)0)->text - 4;
    size_t size = strlen(variable->name), skipped = size > max ? size - max : 0;
    struct vcd_shown shown = vcd_show(variable->name + skipped, size - skipped);
    int used = snprintf(to, 128, "%s%s", skipped ? "..." : "", shown.text);
    if (variable->ranged && variable->width > 1)
        snprintf(to + used, 128 - (size_t)used, "[%" PRId64 ":%" PRId64 "]", variable->msb,
                 variable->lsb);
    else if (variable->ranged)
        snprintf(to + used, 128 - (size_t)used, "[%" PRId64 "]", variable->msb);
}

static int keep(struct vcd_search *search, const struct tally_vcd_variable *variable,
                enum vcd_match match, bool indexed, uint64_t bit, uint64_t line)
{
    bool same = search->match && !strcmp(search->code.bytes, variable->code) &&
                search->indexed == indexed && search->bit == bit &&
                search->width == variable->width;
    if (match < search->match || (match == search->match && (same || search->twice)))
        return 0;
    if (match == search->match) {
        search->twice = true;
        search->other_line = line;
        describe(variable, search->other);
        return 0;
    }
    search->match = match;
    search->twice = false;
    search->indexed = indexed;
    search->has_bits = variable->has_bits;
    search->width = variable->width;
    search->bit = bit;
    search->line = line;
    describe(variable, search->name);
    snprintf(search->type, sizeof search->type, "%s", variable->type);
    search->code.size = 0;
    buffer_append(&search->code, variable->code, strlen(variable->code) + 1);
    return search->code.broken ? -ENOMEM : 0;
}

static int try_plain(struct vcd_search *search, const struct tally_vcd_variable *variable,
                     const struct buffer *plain, uint64_t line)
{
    enum vcd_match match = match_of(search, 0, variable->name, plain);
    if (match)
        return keep(search, variable, match, false, 0, line);
    if (!search->index.size)
        return 0;
    match = match_of(search, search->index.size, variable->name, plain);
    if (!match)
        return 0;
    int64_t index = search->index.msb, msb = variable->msb, lsb = variable->lsb;
    if (search->index.pair)
        return variable->ranged && index == msb && search->index.lsb == lsb
                   ? keep(search, variable, match, false, 0, line)
                   : 0;
    bool falls = msb >= lsb;
    if (index > (falls ? msb : lsb) || index < (falls ? lsb : msb)) {
        if (!search->near[0])
            describe(variable, search->near);
        return 0;
    }
    return keep(search, variable, match, true, (uint64_t)(falls ? index - lsb : lsb - index), line);
}

int vcd_search_try(struct vcd_search *search, const struct tally_vcd_variable *variable,
                   uint64_t line)
{
    struct buffer plain = {0};
    int result = make_plain(&plain, variable->name);
    if (!result)
        result = try_plain(search, variable, &plain, line);
    buffer_fini(&plain);
    return result;
}

int vcd_search_result(const struct vcd_search *search, const char *label, struct tally_error *error)
{
    struct vcd_shown type = vcd_show(search->type, strlen(search->type));
    if (!search->match && search->near[0])
        return fail(error, -ENOENT, "%s: no bit %" PRId64 " in %s", label, search->index.msb,
                    search->near);
    if (!search->match)
        return fail(error, -ENOENT,
                    "%s: unknown signal \"%s\", expected one that the dump declares", label,
                    search->wanted);
    if (search->twice)
        return fail(error, -ENOTUNIQ,
                    "%s: more than one \"%s\": %s (line %" PRIu64 "), %s (line %" PRIu64 ")", label,
                    search->wanted, search->name, search->line, search->other, search->other_line);
    if (!search->has_bits)
        return fail(error, -EINVAL, "%s: %s is a %s, expected a signal of bits", label,
                    search->name, type.text);
    if (!search->width || (search->width > 1 && !search->indexed))
        return fail(error, -EINVAL, "%s: %s is %" PRIu64 " bits wide, expected one, as in %s[0]",
                    label, search->name, search->width, search->wanted);
    return 0;
}
