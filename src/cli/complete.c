/* SPDX-License-Identifier: MIT */
/* What can follow on a command line, for the completion of shells. */
#include "cli/complete.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void offer(struct completion *completion, const char *candidate, const char *about)
{
    struct output *output = completion->output;
    if (strncasecmp(candidate, completion->typed, strlen(completion->typed)) != 0)
        return;
    output_escaped(output, candidate);
    if (about && *about) {
        output_text(output, "\t");
        output_escaped(output, about);
    }
    output_text(output, "\n");
}

/* ---- the words before ------------------------------------------------------------------------ */

/* Finds an option of a command by the `size` first characters of its name, or by an abbreviation
 * that only one option has. */
static bool find_long(const struct command *command, const char *name, size_t size,
                      enum option_id *found)
{
    unsigned matches = 0;
    for (size_t i = 0; command->options[i]; i++) {
        enum option_id id = (enum option_id)command->options[i];
        if (strncmp(option_rows[id].name, name, size) != 0)
            continue;
        *found = id;
        if (!option_rows[id].name[size])
            return true;
        matches++;
    }
    return matches == 1;
}

static bool find_short(const struct command *command, char letter, enum option_id *found)
{
    for (size_t i = 0; command->options[i]; i++) {
        *found = (enum option_id)command->options[i];
        if (letter && option_rows[*found].letter == letter)
            return true;
    }
    return false;
}

/* How the words before the last one end. */
struct before {
    bool only_operands; /* after "--" */
    bool wants_value;   /* of `option` */
    enum option_id option;
    size_t first_operand; /* index of the word */
};

static void take_short(const struct command *command, const char *word, struct before *before,
                       struct arguments *arguments)
{
    for (const char *at = word + 1; *at; at++) {
        enum option_id id;
        if (!find_short(command, *at, &id))
            return;
        before->wants_value = option_rows[id].argument && !at[1];
        before->option = id;
        arguments->values[id] = at + 1;
        if (option_rows[id].argument)
            return;
    }
}

static void take_word(const struct command *command, char **words, size_t i, struct before *before,
                      struct arguments *arguments)
{
    char *word = words[i];
    size_t size = strcspn(word, "=");
    enum option_id id;
    if (before->wants_value) {
        arguments->values[before->option] = word;
        before->wants_value = false;
    } else if (before->only_operands || word[0] != '-' || !word[1]) {
        if (!arguments->operand_count)
            before->first_operand = i;
        arguments->operands[arguments->operand_count++] = word;
        before->only_operands |= command->wraps_command;
    } else if (!strcmp(word, "--")) {
        before->only_operands = true;
    } else if (word[1] != '-') {
        take_short(command, word, before, arguments);
    } else if (find_long(command, word + 2, size - 2, &id)) {
        before->wants_value = option_rows[id].argument && !word[size];
        before->option = id;
        arguments->values[id] = word[size] ? word + size + 1 : "";
    }
}

/* ---- the last word --------------------------------------------------------------------------- */

static bool may_repeat(enum option_id id)
{
    return id == OPTION_COUNTERS || id == OPTION_ADD || id == OPTION_EXPRESSION ||
           id == OPTION_DEVICE;
}

static void offer_options(struct completion *completion)
{
    const struct command *command = completion->command;
    struct option_text text;
    char name[64] = "--";
    for (size_t i = 0;; i++) {
        enum option_id id = (enum option_id)command->options[i];
        struct option_row row = option_of(command, id, &text);
        if (!completion->arguments.values[id] || may_repeat(id)) {
            snprintf(name + 2, sizeof name - 2, "%s", row.name);
            offer(completion, name, row.help);
        }
        if (id == OPTION_HELP)
            return;
    }
}

/* The value of an option. In a list separated by commas, only the last element is completed. */
static void offer_value(struct completion *completion, enum option_id id, const char *typed)
{
    struct option_text text;
    struct option_row row = option_of(completion->command, id, &text);
    const char *comma = id == OPTION_COUNTERS || id == OPTION_FUSES ? strrchr(typed, ',') : NULL;
    completion->typed = comma ? comma + 1 : typed;
    offer_values(completion, row.values);
}

static void complete_last(struct completion *completion, const struct before *before, size_t last)
{
    const struct command *command = completion->command;
    const char *word = completion->word, *equals = strchr(word, '=');
    bool is_option = word[0] == '-' && !before->only_operands;
    bool runs = command->operand_values && !strcmp(command->operand_values, "<program>");
    enum option_id id;
    if (before->wants_value)
        offer_value(completion, before->option, word);
    else if (is_option && word[1] == '-' && equals &&
             find_long(command, word + 2, (size_t)(equals - word) - 2, &id))
        offer_value(completion, id, equals + 1);
    else if (is_option && word[1] && word[1] != '-' && find_short(command, word[1], &id) &&
             option_rows[id].argument)
        offer_value(completion, id, word + 2);
    else if (is_option)
        offer_options(completion);
    else if (runs && (command->wraps_command || before->only_operands))
        output_printf(completion->output, ":command %zu\n",
                      completion->arguments.operand_count ? before->first_operand : last);
    else if (!runs)
        offer_values(completion, command->operand_values);
}

static void offer_commands(struct completion *completion)
{
    for (size_t i = 0; i < command_count; i++)
        offer(completion, commands[i].name, commands[i].summary);
    if (*completion->word == '-') {
        offer(completion, "--help", "Show help.");
        offer(completion, "--version", "Print the version.");
    }
}

static void put_directives(const struct completion *completion)
{
    size_t prefix = (size_t)(completion->typed - completion->word);
    if (prefix)
        output_printf(completion->output, ":prefix %zu\n", prefix);
    if (completion->no_space)
        output_text(completion->output, ":nospace\n");
    if (completion->files)
        output_text(completion->output, ":files\n");
    if (completion->directories)
        output_text(completion->output, ":directories\n");
}

int complete_words(size_t count, char **words)
{
    struct before before = {0};
    int code = EXIT_DONE;
    if (count && !strcmp(words[0], "--")) {
        words++;
        count--;
    }
    if (!count)
        return usage_error("__complete: expects -- WORD...");
    struct completion completion = {.word = words[count - 1], .typed = words[count - 1]};
    completion.arguments.operands = calloc(count, sizeof *completion.arguments.operands);
    if (!completion.arguments.operands)
        return report_memory();
    completion.output = open_output(&completion.arguments, &code);
    if (!completion.output) {
        free(completion.arguments.operands);
        return code;
    }
    completion.command = count > 1 ? find_command(words[0]) : NULL;
    for (size_t i = 1; i + 1 < count && completion.command; i++)
        take_word(completion.command, words, i, &before, &completion.arguments);
    if (count == 1)
        offer_commands(&completion);
    else if (completion.command)
        complete_last(&completion, &before, count - 1);
    put_directives(&completion);
    free(completion.arguments.operands);
    return close_output(completion.output, EXIT_DONE);
}
