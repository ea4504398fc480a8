/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VM_GUEST_LIBRARY_CACHE_H
#define TALLY_VM_GUEST_LIBRARY_CACHE_H

#include <stddef.h>

/*
 * Returns the path of a 64-bit x86 library by its name, from the bytes of ld.so.cache, which
 * ldconfig writes; NULL if it is not in there or the cache is malformed. The path points into
 * `bytes`. Variants for special processors are not used. Source: glibc's dl-cache.h. Thread-safe.
 */
const char *library_cache_find(const void *bytes, size_t size, const char *name);

#endif
