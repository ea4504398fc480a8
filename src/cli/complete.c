/* SPDX-License-Identifier: MIT */
/* Completion scripts, generated from the option and command tables. */
#include <stdio.h>
#include <string.h>

#include <tally/chipset.h>
#include <tally/packets.h>
#include <tally/platform.h>
#include <tally/report.h>
#include <tally/workload.h>

#include "cli/cli.h"
#include "emulation/emulation.h"
#include "emulation/faults/faults.h"

/* Prints the base name of a file in a search path, without its suffix. */
static void put_name(void *closure, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    output_printf(closure, "%.*s ", (int)strcspn(name, "."), name);
}

/* Prints the names of modelled GPUs, platforms and then SKUs; `perf`: of those with i915 perf. */
static void put_models(struct output *output, const char *prefix, bool perf)
{
    const char *platform;
    const struct tally_sku *sku;
    for (size_t i = 0; (platform = emulation_platform(i, perf)); i++)
        output_printf(output, "%s%s ", prefix, platform);
    for (size_t i = 0; (platform = emulation_platform(i, perf)); i++)
        for (size_t k = 0; (sku = tally_sku_at(k)); k++)
            if (!strcmp(sku->platform, platform))
                output_printf(output, "%s%s/%s ", prefix, platform, sku->name);
}

static void put_chipsets(struct output *output)
{
    for (size_t i = 0; i < tally_chipset_count(); i++)
        output_printf(output, "sim:%s ", tally_chipset_at(i)->name);
}

/* Prints the words to complete, with a "<...>" placeholder expanded where its values are known. */
static void put_words(struct output *output, const char *values)
{
    if (!values)
        return;
    if (values[0] != '<') {
        output_text(output, values);
    } else if (!strcmp(values, "<platform>")) {
        for (size_t i = 0; i < tally_platform_count(); i++)
            output_printf(output, "%s%s", i ? " " : "", tally_platform_at(i)->name);
    } else if (!strcmp(values, "<emulated>")) {
        put_models(output, "", true);
        put_words(output, "<chipset>");
    } else if (!strcmp(values, "<served>")) {
        put_models(output, "", false);
        put_words(output, "<chipset>");
    } else if (!strcmp(values, "<chipset>")) {
        for (size_t i = 0; i < tally_chipset_count(); i++)
            output_printf(output, "%s%s", i ? " " : "", tally_chipset_at(i)->name);
    } else if (!strcmp(values, "<domain>")) {
        for (unsigned i = 0; i < TALLY_DOMAINS; i++)
            output_printf(output, "%s%s", i ? " " : "", tally_domain_name(i));
    } else if (!strcmp(values, "<device>")) {
        put_models(output, "sim:", false);
        put_chipsets(output);
        output_text(output, "/dev/dri/renderD128 list");
    } else if (!strcmp(values, "<mmio>")) {
        output_text(output, "read write dump watch histogram pci: ");
        put_models(output, "sim:", false);
        put_chipsets(output);
    } else if (!strcmp(values, "<workload>")) {
        tally_workload_list(put_name, output);
    } else if (!strcmp(values, "<faults>")) {
        faults_list(put_name, output);
    } else if (!strcmp(values, "<layout>")) {
        for (size_t i = 0; i < tally_layout_count(); i++)
            output_printf(output, "%s%s/%s", i ? " " : "", tally_layout_at(i)->family,
                          tally_layout_at(i)->name);
        for (unsigned i = TALLY_PACKET_LONG; i <= TALLY_PACKET_SHORT; i++)
            output_printf(output, " %s", tally_packet_format_name((enum tally_packet_format)i));
    } else if (!strcmp(values, "<command>")) {
        for (size_t i = 0; i < command_count; i++)
            output_printf(output, "%s%s", i ? " " : "", commands[i].name);
    }
}

static bool is_file(const char *values)
{
    return values && (!strcmp(values, "<file>") || !strcmp(values, "<directory>"));
}

/* Whether a value is either a name in a search path or a file. */
static bool is_name_or_file(const char *values)
{
    return values && (!strcmp(values, "<workload>") || !strcmp(values, "<faults>"));
}

/* ---- bash ---------------------------------------------------------------------------------- */

/* Options are matched together with the command, since two commands may use one letter or name for
 * different options. */
static void put_bash_pattern(struct output *output, enum option_id id)
{
    const struct option_row *row = &option_rows[id];
    const char *separator = "    ";
    for (size_t i = 0; i < command_count; i++)
        for (size_t o = 0; commands[i].options[o]; o++) {
            if (commands[i].options[o] != id)
                continue;
            output_printf(output, "%s%s:--%s", separator, commands[i].name, row->name);
            if (row->letter)
                output_printf(output, "|%s:-%c", commands[i].name, row->letter);
            separator = "|";
        }
}

static void put_bash(struct output *output)
{
    output_text(output, "# bash completion for tally\n"
                        "_tally()\n{\n"
                        "    local current=${COMP_WORDS[COMP_CWORD]}"
                        " previous=${COMP_WORDS[COMP_CWORD-1]}\n"
                        "    local words=\n"
                        "    COMPREPLY=()\n"
                        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words=\"");
    put_words(output, "<command>");
    output_text(output, "\"\n        COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
                        "        return\n    fi\n    case ${COMP_WORDS[1]}:$previous in\n");
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        struct option_text text;
        const struct option_row made = option_of(NULL, (enum option_id)i, &text), *row = &made;
        if (!row->argument)
            continue;
        put_bash_pattern(output, (enum option_id)i);
        if (is_file(row->values)) {
            output_printf(output, ") COMPREPLY=($(compgen -%c -- \"$current\")); return ;;\n",
                          !strcmp(row->values, "<file>") ? 'f' : 'd');
            continue;
        }
        output_printf(output, ") COMPREPLY=($(compgen %s-W \"",
                      is_name_or_file(row->values) ? "-f " : "");
        put_words(output, row->values);
        output_text(output, "\" -- \"$current\")); return ;;\n");
    }
    output_text(output, "    esac\n    case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; i < command_count; i++) {
        const struct command *command = &commands[i];
        output_printf(output, "    %s) words=\"", command->name);
        for (size_t o = 0; command->options[o]; o++)
            output_printf(output, "--%s ", option_rows[command->options[o]].name);
        output_text(output, "--help ");
        if (!is_file(command->operand_values))
            put_words(output, command->operand_values);
        output_text(output, "\" ;;\n");
    }
    output_text(output, "    esac\n"
                        "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
                        "    case $current in\n    -*) ;;\n"
                        "    *) COMPREPLY+=($(compgen -f -- \"$current\")) ;;\n    esac\n}\n"
                        "complete -o filenames -F _tally tally\n");
}

/* ---- zsh ----------------------------------------------------------------------------------- */

/* Prints a description, escaped for zsh's single-quoted [...]. */
static void put_zsh_text(struct output *output, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            output_text(output, "'\\''");
        else if (strchr("[]:\\", *text))
            output_printf(output, "\\%c", *text);
        else
            output_printf(output, "%c", *text);
    }
}

static void put_zsh_action(struct output *output, const char *values)
{
    if (is_file(values)) {
        output_text(output, !strcmp(values, "<file>") ? "_files" : "_files -/");
        return;
    }
    output_text(output, is_name_or_file(values) ? "{_files; compadd " : "(");
    put_words(output, values);
    output_text(output, is_name_or_file(values) ? "}" : ")");
}

static void put_zsh_option(struct output *output, const struct command *command, enum option_id id)
{
    struct option_text text;
    const struct option_row made = option_of(command, id, &text), *row = &made;
    output_text(output, "        '");
    if (row->letter)
        output_printf(output, "(-%c --%s)'{-%c%s,--%s%s}'", row->letter, row->name, row->letter,
                      row->argument ? "+" : "", row->name, row->argument ? "=" : "");
    else
        output_printf(output, "--%s%s", row->name, row->argument ? "=" : "");
    output_text(output, "[");
    put_zsh_text(output, row->help);
    output_text(output, "]");
    if (row->argument) {
        output_printf(output, ":%s:", row->argument);
        put_zsh_action(output, row->values);
    }
    output_text(output, "' \\\n");
}

static void put_zsh(struct output *output)
{
    output_text(output, "#compdef tally\n# zsh completion for tally\n_tally()\n{\n"
                        "    local -a commands\n    commands=(\n");
    for (size_t i = 0; i < command_count; i++) {
        output_printf(output, "        '%s:", commands[i].name);
        put_zsh_text(output, commands[i].summary);
        output_text(output, "'\n");
    }
    output_text(output, "    )\n    if (( CURRENT == 2 )); then\n"
                        "        _describe command commands\n        return\n    fi\n"
                        "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n"
                        "    case $command in\n");
    for (size_t i = 0; i < command_count; i++) {
        const struct command *command = &commands[i];
        output_printf(output, "    %s) _arguments \\\n", command->name);
        for (size_t o = 0; command->options[o]; o++)
            put_zsh_option(output, command, (enum option_id)command->options[o]);
        put_zsh_option(output, command, OPTION_HELP);
        output_text(output, "        '*::argument:");
        put_zsh_action(output, command->operand_values);
        output_text(output, "' ;;\n");
    }
    output_text(output, "    esac\n}\n_tally \"$@\"\n");
}

/* ---- fish ---------------------------------------------------------------------------------- */

static void put_fish_text(struct output *output, const char *text)
{
    output_text(output, "'");
    for (; *text; text++)
        output_printf(output, *text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
    output_text(output, "'");
}

static void put_fish_option(struct output *output, const struct command *command, enum option_id id)
{
    struct option_text text;
    const struct option_row made = option_of(command, id, &text), *row = &made;
    output_printf(output, "complete -c tally -n '__fish_seen_subcommand_from %s' -l %s",
                  command->name, row->name);
    if (row->letter)
        output_printf(output, " -s %c", row->letter);
    if (row->argument && is_file(row->values))
        output_text(output, " -r -F");
    else if (row->argument) {
        output_printf(output, " %s -a '", is_name_or_file(row->values) ? "-r -F" : "-x");
        put_words(output, row->values);
        output_text(output, "'");
    }
    output_text(output, " -d ");
    put_fish_text(output, row->help);
    output_text(output, "\n");
}

static void put_fish(struct output *output)
{
    output_text(output, "# fish completion for tally\n");
    for (size_t i = 0; i < command_count; i++) {
        const struct command *command = &commands[i];
        output_printf(output, "complete -c tally -f -n __fish_use_subcommand -a %s -d ",
                      command->name);
        put_fish_text(output, command->summary);
        output_text(output, "\n");
        for (size_t o = 0; command->options[o]; o++)
            put_fish_option(output, command, (enum option_id)command->options[o]);
        put_fish_option(output, command, OPTION_HELP);
        output_printf(output, "complete -c tally -n '__fish_seen_subcommand_from %s' ",
                      command->name);
        if (is_file(command->operand_values)) {
            output_text(output, "-F\n");
        } else {
            output_text(output, "-f -a '");
            put_words(output, command->operand_values);
            output_text(output, "'\n");
        }
    }
}

int command_completion(const struct arguments *arguments)
{
    static const struct {
        const char *shell;
        void (*put)(struct output *output);
    } shells[] = {{"bash", put_bash}, {"zsh", put_zsh}, {"fish", put_fish}};
    int code = EXIT_DONE;
    for (size_t i = 0; i < 3; i++) {
        if (strcmp(shells[i].shell, arguments->operands[0]) != 0)
            continue;
        struct output *output = open_output(arguments, &code);
        if (!output)
            return code;
        shells[i].put(output);
        return close_output(output, EXIT_DONE);
    }
    return usage_error("completion: unknown shell \"%s\", expected bash, zsh or fish",
                       arguments->operands[0]);
}
