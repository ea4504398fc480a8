/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <errno.h>

#include "preload/client/client.h"

void *next_function(void **cache, const char *name)
{
    void *function = __atomic_load_n(cache, __ATOMIC_RELAXED);
    if (function)
        return function;
    int saved = errno;
    function = dlsym(RTLD_NEXT, name);
    errno = saved;
    __atomic_store_n(cache, function, __ATOMIC_RELAXED);
    return function;
}
