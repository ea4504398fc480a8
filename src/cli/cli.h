/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_CLI_H
#define TALLY_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include <tally/error.h>

#include "sink/output.h"

/*
 * The command line as data: one table of options, one of commands. Parsing, help, manual pages and
 * shell completion all read these two tables.
 */

/* Exit codes (docs/architecture.md). */
enum {
    EXIT_DONE = 0,
    EXIT_NO = 1,
    EXIT_USAGE = 2,
    EXIT_MALFORMED = 3,
    EXIT_NO_DEVICE = 4,
    EXIT_LOST = 5,
};

enum option_id {
    OPTION_HELP,
    OPTION_OUTPUT,
    OPTION_FORMAT,
    OPTION_COUNTERS,
    OPTION_BY,
    OPTION_PER_REPORT,
    OPTION_METRICS,
    OPTION_SET,
    OPTION_PLATFORM,
    OPTION_LAYOUT,
    OPTION_TIMESTAMP_HZ,
    OPTION_MAP,
    OPTION_FAIL_ON_LOSS,
    OPTION_QUIET,
    OPTION_BUILD_OPTIONS,
    OPTION_MAN,
    OPTION_CHIPSET,
    OPTION_DOMAIN,
    OPTION_VCD,
    OPTION_DEVICE,
    OPTION_PERIOD,
    OPTION_TIME,
    OPTION_WORKLOAD,
    OPTION_CLOCK,
    OPTION_RING,
    OPTION_CONTEXT,
    OPTION_GPU,
    OPTION_PERF_REVISION,
    OPTION_LOG,
    OPTION_FAULT,
    OPTION_ROOT,
    OPTION_TRACE,
    OPTION_COUNT
};

struct option_row {
    const char *name;
    char letter;          /* 0: none */
    const char *argument; /* NULL: none */
    const char *help;     /* with "<models>" for the emulated platforms: see option_of() */
    const char *values;   /* for completion: words, or "<file>", "<directory>", "<platform>", ... */
};

extern const struct option_row option_rows[OPTION_COUNT];

/* Where option_of() puts the texts that it makes. */
struct option_text {
    char help[256];
    char values[256];
};

#define REPEATS_MAX 64

/* A parsed command line. Texts are those of argv. */
struct arguments {
    const char *values[OPTION_COUNT]; /* the last one given; "" for a flag; NULL: not given */
    const char *counters[REPEATS_MAX];
    size_t counter_count;
    char **operands;
    size_t operand_count;
};

struct command {
    const char *name;
    const char *operands;
    const char *summary;
    const char *description;    /* paragraphs, separated by empty lines */
    const char *examples;       /* lines of command and comment, or NULL */
    const char *operand_values; /* for completion: as option_row.values */
    unsigned operands_min, operands_max;
    bool runs_another; /* its operands are a command: what begins with - belongs to that */
    int (*run)(const struct arguments *arguments);
    unsigned renders;                    /* what its --format must render: enum tally_render bits */
    unsigned char options[OPTION_COUNT]; /* OPTION_..., OPTION_HELP (0) ends the list */
};

extern const struct command commands[];
extern const size_t command_count;

const struct command *find_command(const char *name);

/* The row of a command's option (NULL: of any command), with formats from the registry of sinks
 * and other lists filled in. */
struct option_row option_of(const struct command *command, enum option_id id,
                            struct option_text *text);

/* Reads argv (from the command's name on). Returns EXIT_DONE, or EXIT_USAGE having told why. */
int parse_arguments(const struct command *command, int argc, char **argv,
                    struct arguments *arguments);

/* The whole command line; main() without its name, so that tests can call it. */
int tally_main(int argc, char **argv);

/* Prints "tally: ..." to standard error. Returns the exit code that fits the error. */
int tell_error(const struct tally_error *error);
int tell_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The exit code for an errno of the library. */
int exit_code_of(int code);

/* Opens the output that -o names. Tells and returns NULL on failure, with *exit_code set. */
struct output *open_output(const struct arguments *arguments, int *exit_code);

/* Closes it; returns `code`, or the code of a write that failed (told). */
int close_output(struct output *output, int code);

int command_completion(const struct arguments *arguments);
int command_decode(const struct arguments *arguments);
int command_doctor(const struct arguments *arguments);
int command_emulate(const struct arguments *arguments);
int command_explain(const struct arguments *arguments);
int command_export(const struct arguments *arguments);
int command_help(const struct arguments *arguments);
int command_info(const struct arguments *arguments);
int command_lint(const struct arguments *arguments);
int command_list(const struct arguments *arguments);
int command_record(const struct arguments *arguments);
int command_report(const struct arguments *arguments);
int command_sim(const struct arguments *arguments);
int command_version(const struct arguments *arguments);

/* A manual page in roff's man macros: tally(1) if `command` is NULL, else tally-COMMAND(1). */
void write_manual(struct output *output, const struct command *command);

/* Help for a terminal. */
void write_help(struct output *output, const struct command *command);

#endif
