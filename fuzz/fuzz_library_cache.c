/* SPDX-License-Identifier: MIT */
/* Reads the input as ld.so.cache. Checks that a path that is found is in the file. */
#include "fuzz.h"

#include <string.h>

#include "vm/guest/library_cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"libc.so.6", "liba.so", ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = library_cache_find(data, size, names[i]);
        const uint8_t *at = (const uint8_t *)path;
        CHECK(!path || (at >= data && at < data + size));
        CHECK(!path || memchr(path, '\0', size - (size_t)(at - data)));
        CHECK(!path || memmem(data, size, names[i], strlen(names[i]) + 1));
    }
    return 0;
}
