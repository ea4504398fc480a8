/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <string.h>

#include "cli/cli.h"

int tally_main(int argc, char **argv)
{
    struct arguments arguments = {0};
    signal(SIGPIPE, SIG_IGN); /* told by write(2) instead */
    if (argc < 2) {
        command_help(&arguments);
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    if (!strcmp(name, "--help") || !strcmp(name, "-h"))
        name = "help";
    if (!strcmp(name, "--version"))
        name = "version";
    const struct command *command = find_command(name);
    if (!command)
        return tell_usage("\"%s\" is not a command; see tally help", name);
    int result = parse_arguments(command, argc - 1, argv + 1, &arguments);
    if (result != EXIT_DONE)
        return result;
    if (arguments.values[OPTION_HELP]) {
        struct output *output = open_output(&(struct arguments){0}, &result);
        if (!output)
            return result;
        write_help(output, command);
        return close_output(output, EXIT_DONE);
    }
    return command->run(&arguments);
}
