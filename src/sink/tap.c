/* SPDX-License-Identifier: MIT */
#include "sink/tap.h"

#include <string.h>

/* Writes an escaped text, with `before` before each of these characters. */
static void put_text(struct output *output, const char *text, const char *characters, char before)
{
    for (size_t plain; *text; text += plain) {
        plain = strcspn(text, characters);
        if (!plain) {
            output_append(output, &before, 1);
            plain = 1 + strcspn(text + 1, characters);
        }
        output_printf(output, "%.*s", (int)plain, text);
    }
}

void tap_description(struct output *output, const char *text)
{
    put_text(output, text, "#\\", '\\');
}

void tap_entry(struct output *output, const char *key, const char *text)
{
    output_printf(output, "  %s: '", key);
    put_text(output, text, "'", '\'');
    output_text(output, "'\n");
}
