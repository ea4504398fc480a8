/* SPDX-License-Identifier: MIT */
#include "preload/program.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool program_find(const char *list, const char *name, char out[PATH_MAX])
{
    if (strchr(name, '/'))
        return snprintf(out, PATH_MAX, "%s", name) < PATH_MAX;
    for (list = list ? list : "/bin:/usr/bin"; *list;) {
        int length = (int)strcspn(list, ":");
        snprintf(out, PATH_MAX, "%.*s%s%s", length, list, length ? "/" : "", name);
        if (access(out, X_OK) == 0)
            return true;
        list += length;
        list += *list == ':';
    }
    return false;
}
