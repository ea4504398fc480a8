/* SPDX-License-Identifier: MIT */
/* tally sim --tap: the Test Anything Protocol (testanything.org). */
#include "cli/tap.h"

#include <string.h>

void tap_begin(struct tap *tap)
{
    output_text(tap->output, "TAP version 13\n");
}

void tap_comment(struct tap *tap, const char *text, size_t size)
{
    while (size) {
        const char *newline = memchr(text, '\n', size);
        size_t length = newline ? (size_t)(newline - text) : size;
        output_printf(tap->output, "# %.*s\n", (int)length, text);
        text += length + (newline != NULL);
        size -= length + (newline != NULL);
    }
}

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

/* Writes text in which `#` and the backslash do not start a directive. */
static void put_description(struct output *output, const char *text)
{
    put_text(output, text, "#\\", '\\');
}

/* Writes a YAML entry with a single-quoted text. */
static void put_entry(struct output *output, const char *key, const char *text)
{
    output_printf(output, "  %s: '", key);
    put_text(output, text, "'", '\'');
    output_text(output, "'\n");
}

void tap_test(struct tap *tap, const char *file, unsigned long line,
              const struct script_expectation *expectation)
{
    struct output *output = tap->output;
    char expected[512];
    snprintf(expected, sizeof expected, "%s %s", expectation->command, expectation->expected);
    output_printf(output, "%sok %lu - ", expectation->met ? "" : "not ", ++tap->count);
    put_description(output, *expectation->description ? expectation->description : expected);
    output_text(output, "\n");
    if (expectation->met)
        return;
    tap->failed++;
    output_text(output, "  ---\n");
    put_entry(output, "command", expectation->command);
    put_entry(output, "expected", expectation->expected);
    put_entry(output, "got", expectation->got);
    put_entry(output, "file", file);
    output_printf(output, "  line: %lu\n", line);
    output_text(output, "  ...\n");
}

void tap_bail_out(struct tap *tap, const char *message)
{
    output_printf(tap->output, "Bail out! %s\n", message);
}

void tap_end(struct tap *tap)
{
    output_printf(tap->output, "1..%lu%s\n", tap->count,
                  tap->count ? "" : " # SKIP no expect command");
}
