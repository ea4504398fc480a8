/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/complete.h"
#include "cli/unknown.h"
#include "recording/source.h"
#include "store/store.h"

/* Opens /dev/null for each closed standard descriptor, so that a file opened later does not get its
 * number and receive output meant for the terminal. The access mode makes reads and writes fail as
 * on a closed descriptor, and child processes do not inherit it. */
static void reserve_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", O_CLOEXEC | (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

int tally_main(int argc, char **argv)
{
    struct arguments arguments = {0};
    reserve_standard_descriptors();
    signal(SIGPIPE, SIG_IGN); /* write(2) returns EPIPE instead */
    if (argc < 2) {
        command_help(&arguments);
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    source_set_opener(store_open_input); /* DB#ID is an input like any other */
    if (!strcmp(name, "--help") || !strcmp(name, "-h"))
        name = "help";
    if (!strcmp(name, "--version"))
        name = "version";
    if (!strcmp(name, "__complete"))
        return complete_words((size_t)argc - 2, argv + 2);
    const struct command *command = find_command(name);
    if (!command)
        return unknown_command(name);
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
