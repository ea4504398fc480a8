/* SPDX-License-Identifier: MIT */
/* Help and manual pages, from the option and command tables. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <tally/version.h>

#include "cli/cli.h"
#include "cli/unknown.h"

#define WRAP_COLUMNS 78

/* Prints a text wrapped at WRAP_COLUMNS, with every line indented. */
static void put_wrapped(struct output *output, const char *text, int indent)
{
    int column = 0;
    while (*text) {
        if (*text == '\n') {
            output_text(output, column ? "\n" : "");
            if (text[1] == '\n')
                output_text(output, "\n");
            column = 0;
            text++;
            continue;
        }
        int size = (int)strcspn(text, " \n");
        if (column && indent + column + 1 + size > WRAP_COLUMNS) {
            output_text(output, "\n");
            column = 0;
        }
        output_printf(output, "%*s%.*s", column ? 1 : indent, "", size, text);
        column += size + (column != 0);
        text += size;
        text += *text == ' ';
    }
    output_text(output, column ? "\n" : "");
}

static void put_option(struct output *output, const struct command *command, enum option_id id)
{
    struct option_text text;
    const struct option_row made = option_of(command, id, &text), *row = &made;
    char left[64];
    snprintf(left, sizeof left, "  %c%c%s--%s%s%s", row->letter ? '-' : ' ',
             row->letter ? row->letter : ' ', row->letter ? ", " : "  ", row->name,
             row->argument ? "=" : "", row->argument ? row->argument : "");
    output_printf(output, "%-28s", left);
    output_printf(output, "%s%s\n", strlen(left) >= 28 ? " " : "", row->help);
}

static void put_commands(struct output *output)
{
    output_text(output, "tally - GPU hardware performance counters\n\n"
                        "Usage: tally COMMAND [OPTION...] [ARGUMENT...]\n\n");
    for (size_t i = 0; i < command_count; i++) {
        output_style(output, "1");
        output_printf(output, "  %-11s", commands[i].name);
        output_style(output, "0");
        output_printf(output, " %s\n", commands[i].summary);
    }
    output_text(output,
                "\nSee tally help COMMAND for details.\n\n"
                "Exit codes: 0 success, 1 failure or problems found, 2 usage error, 3 malformed "
                "input,\n4 no device or no permission, 5 data lost (with --fail-on-loss), 6 "
                "recordings wait in a "
                "spool.\n");
}

void write_help(struct output *output, const struct command *command)
{
    if (!command) {
        put_commands(output);
        return;
    }
    output_printf(output, "Usage: tally %s [OPTION...] %s\n\n", command->name, command->operands);
    put_wrapped(output, command->summary, 0);
    if (command->description) {
        output_text(output, "\n");
        put_wrapped(output, command->description, 0);
    }
    output_text(output, "\nOptions:\n");
    for (size_t i = 0; command->options[i]; i++)
        put_option(output, command, (enum option_id)command->options[i]);
    put_option(output, command, OPTION_HELP);
    if (command->examples) {
        output_text(output, "\nExamples:\n");
        for (const char *at = command->examples; *at;) {
            int size = (int)strcspn(at, "\n");
            output_printf(output, "  %.*s\n", size, at);
            at += size + (at[size] == '\n');
        }
    }
}

int command_help(const struct arguments *arguments)
{
    const struct command *command = NULL;
    int code = EXIT_DONE;
    if (arguments->operand_count && !(command = find_command(arguments->operands[0])))
        return unknown_command(arguments->operands[0]);
    struct output *output = open_output(arguments, &code);
    if (!output)
        return code;
    if (arguments->values[OPTION_MAN])
        write_manual(output, command);
    else
        write_help(output, command);
    return close_output(output, EXIT_DONE);
}

int command_version(const struct arguments *arguments)
{
    printf("tally %s\n", tally_version());
    if (arguments->values[OPTION_BUILD_OPTIONS])
        printf("%svector path: %s\n", tally_build_options(), tally_simd());
    return EXIT_DONE;
}
