/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/installed.h"

bool installed_library(const char *name, char *out, size_t size)
{
    static const char *const places[] = {"src", "../lib/tally"};
    char program[1024];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    char *slash = length > 0 ? memrchr(program, '/', (size_t)length) : NULL;
    if (slash) {
        slash[1] = '\0';
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            snprintf(out, size, "%s%s/%s", program, places[i], name);
            if (access(out, R_OK) == 0)
                return true;
        }
        snprintf(out, size, "%s../%s/tally/%s", program, installed_libdir, name);
        if (access(out, R_OK) == 0)
            return true;
    }
    snprintf(out, size, "%s/%s/tally/%s", installed_prefix, installed_libdir, name);
    return access(out, R_OK) == 0;
}
