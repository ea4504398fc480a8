/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/installed.h"

static bool find(const char *name, char *out, size_t size)
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

int installed_library(const char *name, char *out, size_t size, struct tally_error *error)
{
    if (!find(name, out, size))
        return fail(error, -ENOENT, "%s: not found, expected it next to the program or installed",
                    out);
    if (out[strcspn(out, " :")])
        return fail(error, -ENOTSUP,
                    "%s: cannot be preloaded, expected a path without spaces and colons", out);
    return 0;
}
