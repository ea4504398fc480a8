/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

/* Whoever starts us without standard output or error would find in its files what is printed there:
 * their numbers are taken, and cannot be read or written. Programs that we start are without, too.
 */
static void hold_numbers(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", O_CLOEXEC | (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

int tally_main(int argc, char **argv)
{
    struct arguments arguments = {0};
    hold_numbers();
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
