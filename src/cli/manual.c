/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <string.h>

#include <tally/version.h>

#include "cli/cli.h"

/* Text with roff's own characters made plain. */
static void put_roff(struct output *output, const char *text)
{
    bool line_start = true;
    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\''))
            output_text(output, "\\&");
        if (*text == '\\')
            output_text(output, "\\e");
        else if (*text == '-')
            output_text(output, "\\-");
        else
            output_printf(output, "%c", *text);
        line_start = *text == '\n';
    }
}

static void put_paragraphs(struct output *output, const char *text)
{
    while (*text) {
        const char *end = strstr(text, "\n\n");
        size_t size = end ? (size_t)(end - text) : strlen(text);
        output_text(output, ".PP\n");
        for (size_t i = 0; i < size; i++) {
            char one[2] = {text[i], '\0'};
            put_roff(output, one);
        }
        output_text(output, "\n");
        text += size + (end ? 2 : 0);
    }
}

static void put_option(struct output *output, const struct command *command, enum option_id id)
{
    struct option_text text;
    const struct option_row made = option_of(command, id, &text), *row = &made;
    output_text(output, ".TP\n");
    if (row->letter)
        output_printf(output, "\\fB\\-%c\\fR, ", row->letter);
    output_text(output, "\\fB\\-\\-");
    put_roff(output, row->name);
    output_text(output, "\\fR");
    if (row->argument)
        output_printf(output, "=\\fI%s\\fR", row->argument);
    output_text(output, "\n");
    put_roff(output, row->help);
    output_text(output, "\n");
}

static void put_title(struct output *output, const char *command, const char *summary)
{
    output_text(output, ".\\\" Made by tally help \\-\\-man.\n.TH TALLY");
    for (const char *at = command ? command : ""; *at; at++)
        output_printf(output, "%s%c", at == command ? "\\-" : "", toupper((unsigned char)*at));
    output_printf(output, " 1 \"\" \"tally %s\"\n.SH NAME\ntally%s%s \\- ", tally_version(),
                  command ? "\\-" : "", command ? command : "");
    put_roff(output, summary);
    output_text(output, "\n.SH SYNOPSIS\n");
}

static void put_environment(struct output *output)
{
    output_text(output, ".SH ENVIRONMENT\n"
                        ".TP\nTALLY_METRICS_PATH\n"
                        "Directories of metric\\-set files, separated by colons.\n"
                        ".TP\nTALLY_WORKLOADS_PATH\n"
                        "Directories of workload files, likewise.\n"
                        ".TP\nTALLY_FAULTS_PATH\n"
                        "Directories of scripts of faults, likewise.\n"
                        ".TP\nTALLY_SIMD\n"
                        "portable, avx2 or avx512: take no better vector path than this.\n"
                        ".TP\nNO_COLOR\nNo color in tables.\n");
}

static void put_exit_codes(struct output *output)
{
    output_text(output, ".SH EXIT STATUS\n"
                        "0 done; 1 the answer is no; 2 usage; 3 malformed input; 4 no device or no "
                        "permission; 5 data were lost and \\-\\-fail\\-on\\-loss was given.\n");
}

void write_manual(struct output *output, const struct command *command)
{
    if (!command) {
        put_title(output, NULL, "GPU hardware performance counters");
        output_text(output, ".B tally\n.I COMMAND\n[\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]\n"
                            ".SH COMMANDS\n");
        for (size_t i = 0; i < command_count; i++) {
            output_printf(output, ".TP\n\\fBtally\\-%s\\fR(1)\n", commands[i].name);
            put_roff(output, commands[i].summary);
            output_text(output, "\n");
        }
        put_environment(output);
        put_exit_codes(output);
        return;
    }
    put_title(output, command->name, command->summary);
    output_printf(output, ".B tally %s\n[\\fIOPTION\\fR...] ", command->name);
    put_roff(output, command->operands);
    output_text(output, "\n.SH DESCRIPTION\n");
    put_paragraphs(output, command->description ? command->description : command->summary);
    output_text(output, ".SH OPTIONS\n");
    for (size_t i = 0; command->options[i]; i++)
        put_option(output, command, (enum option_id)command->options[i]);
    put_option(output, command, OPTION_HELP);
    if (command->examples) {
        output_text(output, ".SH EXAMPLES\n.nf\n");
        put_roff(output, command->examples);
        output_text(output, ".fi\n");
    }
    put_environment(output);
    put_exit_codes(output);
    output_text(output, ".SH SEE ALSO\n\\fBtally\\fR(1)\n");
}
