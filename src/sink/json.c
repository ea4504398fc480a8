/* SPDX-License-Identifier: MIT */
#include "sink/json.h"

#include <stdio.h>
#include <string.h>

/* Returns the length of the well-formed UTF-8 sequence at `text`, or 0. */
static size_t sequence_size(const unsigned char *text)
{
    unsigned char lead = text[0];
    size_t size = lead < 0x80   ? 1
                  : lead < 0xc2 ? 0
                  : lead < 0xe0 ? 2
                  : lead < 0xf0 ? 3
                  : lead < 0xf5 ? 4
                                : 0;
    for (size_t i = 1; i < size; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    if (size == 3 && ((lead == 0xe0 && text[1] < 0xa0) || (lead == 0xed && text[1] >= 0xa0)))
        return 0;
    if (size == 4 && ((lead == 0xf0 && text[1] < 0x90) || (lead == 0xf4 && text[1] >= 0x90)))
        return 0;
    return size;
}

void json_text(struct output *output, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    char *to = output_reserve(output, 8);
    *to++ = '"';
    output_keep(output, to);
    while (*at) {
        to = output_reserve(output, 16);
        size_t size = sequence_size(at);
        if (size == 0) {
            to += sprintf(to, "\\ufffd");
            size = 1;
        } else if (*at == '"' || *at == '\\') {
            *to++ = '\\';
            *to++ = (char)*at;
        } else if (*at < 0x20) {
            to += sprintf(to, "\\u%04x", *at);
        } else {
            memcpy(to, at, size);
            to += size;
        }
        at += size;
        output_keep(output, to);
    }
    to = output_reserve(output, 8);
    *to++ = '"';
    output_keep(output, to);
}

void json_member(struct output *output, const char *key, const char *text)
{
    output_printf(output, ",\"%s\":", key);
    json_text(output, text);
}
