/* SPDX-License-Identifier: MIT */
#include "base/options.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/minmax.h"

int options_copy(void *to, size_t known, const void *from, const char *name,
                 struct tally_error *error)
{
    size_t size = sizeof size;
    const unsigned char *bytes = from;
    memset(to, 0, known);
    if (from)
        memcpy(&size, from, sizeof size);
    if (size < sizeof size)
        return fail(error, -EINVAL, "%s.size is %zu, expected sizeof(struct %s), here %zu", name,
                    size, name, known);
    for (size_t i = known; i < size; i++)
        if (bytes[i])
            return fail(error, -E2BIG,
                        "%s has %zu bytes and sets an option beyond the first %zu bytes, "
                        "the options of this version of the library",
                        name, size, known);
    if (from)
        memcpy(to, from, min_size(size, known));
    memcpy(to, &known, sizeof known);
    return 0;
}
