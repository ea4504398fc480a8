/* SPDX-License-Identifier: MIT */
#include "base/uuid.h"

static bool is_hexadecimal(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_uuid(const char *text, size_t length)
{
    if (length != UUID_STRING_LEN)
        return false;
    for (size_t i = 0; i < UUID_STRING_LEN; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? text[i] != '-' : !is_hexadecimal(text[i]))
            return false;
    }
    return true;
}
