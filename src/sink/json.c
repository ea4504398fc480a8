/* SPDX-License-Identifier: MIT */
#include "sink/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "sink/number.h"

void json_text(struct output *output, const char *text)
{
    char *to = output_reserve(output, 8);
    *to++ = '"';
    output_keep(output, to);
    while (*text) {
        uint32_t character;
        to = output_reserve(output, 16);
        size_t size = utf8_decode(text, &character);
        if (size == 0) {
            to += sprintf(to, "\\ufffd");
            size = 1;
        } else if (*text == '"' || *text == '\\') {
            *to++ = '\\';
            *to++ = *text;
        } else if (is_control(character)) {
            to += sprintf(to, "\\u%04" PRIx32, character);
        } else {
            memcpy(to, text, size);
            to += size;
        }
        text += size;
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

void json_number(struct output *output, double value)
{
    if (isfinite(value))
        output_keep(output, put_double(output_reserve(output, NUMBER_MAX), value));
    else
        output_text(output, "null");
}

void json_number_member(struct output *output, const char *key, double value)
{
    output_printf(output, ",\"%s\":", key);
    json_number(output, value);
}
