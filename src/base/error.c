/* SPDX-License-Identifier: MIT */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"

int fail(struct tally_error *error, int code, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
        escape_in_place(error->message, sizeof error->message);
        error->code = code;
    }
    return code;
}

int fail_in(struct tally_error *error, const char *format, ...)
{
    if (!error)
        return -EINVAL;
    char inner[sizeof error->message];
    memcpy(inner, error->message, sizeof inner);
    va_list arguments;
    va_start(arguments, format);
    int used = vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    if (used >= 0 && (size_t)used < sizeof error->message)
        snprintf(error->message + used, sizeof error->message - (size_t)used, ": %s", inner);
    escape_in_place(error->message, sizeof error->message);
    return error->code;
}

bool is_absent(int error)
{
    return error == ENOENT || error == ENOTDIR || error == EACCES || error == EISDIR ||
           error == ELOOP || error == ENAMETOOLONG;
}

int fail_memory(struct tally_error *error, const char *what)
{
    return fail(error, -ENOMEM, "out of memory for %s", what);
}
