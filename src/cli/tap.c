/* SPDX-License-Identifier: MIT */
/* tally sim --tap: the Test Anything Protocol (testanything.org). */
#include "cli/tap.h"

#include <string.h>

#include "sink/tap.h"

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

void tap_test(struct tap *tap, const char *file, unsigned long line,
              const struct script_expectation *expectation)
{
    struct output *output = tap->output;
    char expected[512];
    snprintf(expected, sizeof expected, "%s %s", expectation->command, expectation->expected);
    output_printf(output, "%sok %lu - ", expectation->met ? "" : "not ", ++tap->count);
    tap_description(output, *expectation->description ? expectation->description : expected);
    output_text(output, "\n");
    if (expectation->met)
        return;
    tap->failed++;
    output_text(output, "  ---\n");
    tap_entry(output, "command", expectation->command);
    tap_entry(output, "expected", expectation->expected);
    tap_entry(output, "got", expectation->got);
    tap_entry(output, "file", file);
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
