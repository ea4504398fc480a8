/* SPDX-License-Identifier: MIT */
/* Outputs, error messages and exit codes. */
#include <errno.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/whole.h"
#include "cli/cli.h"

int exit_code_of(int code)
{
    switch (-code) {
    case 0:
        return EXIT_DONE;
    case EBADMSG:
    case EINVAL:
        return EXIT_MALFORMED;
    case EACCES:
    case EPERM:
    case ENODEV:
    case EBUSY:
        return EXIT_NO_DEVICE;
    case ENOENT:
    case EISDIR:
    case ENOTDIR:
    case ENOTUNIQ: /* an ambiguous name */
    case E2BIG:    /* more counters than a format takes */
        return EXIT_USAGE;
    default:
        return EXIT_FAILED;
    }
}

void print_error_text(struct buffer *text)
{
    size_t done;
    (void)write_whole(STDERR_FILENO, text->bytes, text->size, &done); /* nowhere to report it */
    buffer_fini(text);
}

/* Prints a message as one line. */
static void put_message(const char *format, va_list arguments)
{
    struct buffer text = {0};
    buffer_text(&text, "tally: ");
    escape_format(&text, format, arguments);
    buffer_char(&text, '\n');
    print_error_text(&text);
}

void warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_message(format, arguments);
    va_end(arguments);
}

void add_error_text(struct buffer *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    escape_format(text, format, arguments);
    va_end(arguments);
}

int report_error(const struct tally_error *error)
{
    warn("%s", error->message);
    return exit_code_of(error->code);
}

int report_memory(void)
{
    return report_error(&(struct tally_error){-ENOMEM, "out of memory"});
}

int usage_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_message(format, arguments);
    va_end(arguments);
    return EXIT_USAGE;
}

/* Whether `path` is one of the input files, which must not be overwritten. */
static bool is_input(const struct arguments *arguments, const char *path)
{
    struct stat output, input;
    if (!path || stat(path, &output) < 0 || !S_ISREG(output.st_mode))
        return false;
    for (size_t i = 0; i < arguments->operand_count; i++)
        if (!stat(arguments->operands[i], &input) && input.st_dev == output.st_dev &&
            input.st_ino == output.st_ino)
            return true;
    return false;
}

struct output *open_output(const struct arguments *arguments, int *exit_code)
{
    return open_output_file(arguments, arguments->values[OPTION_OUTPUT], false, exit_code);
}

struct output *open_output_file(const struct arguments *arguments, const char *path, bool whole,
                                int *exit_code)
{
    struct tally_error error = {0};
    if (is_input(arguments, path)) {
        *exit_code = usage_error("%s is the input; expected another output file", path);
        return NULL;
    }
    struct output *output = whole ? output_open_whole(path, &error) : output_open(path, &error);
    if (output)
        output->csv_safe = arguments->values[OPTION_CSV_SAFE] != NULL;
    else
        *exit_code = report_error(&error);
    return output;
}

int close_output(struct output *output, int code)
{
    struct tally_error error = {0};
    int result = output_close(output, &error);
    if (result == -EPIPE) /* the reader closed the pipe, which is not an error */
        return code;
    if (result < 0)
        return report_error(&error);
    return code;
}
