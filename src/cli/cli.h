/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_CLI_H
#define TALLY_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include <tally/error.h>

#include "sink/output.h"

/*
 * The command line, described by a table of options and a table of commands. Parsing, help, manual
 * pages and shell completion are generated from them.
 */

/* Exit codes (docs/architecture.md). */
enum {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_MALFORMED = 3,
    EXIT_NO_DEVICE = 4,
    EXIT_LOST = 5,
    EXIT_UNSENT = 6,
};

enum option_id {
    OPTION_HELP,
    OPTION_OUTPUT,
    OPTION_FORMAT,
    OPTION_CSV_SAFE,
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
    OPTION_EMULATED_CLOCK,
    OPTION_WAY,
    OPTION_DRIVER,
    OPTION_RING,
    OPTION_CONTEXT,
    OPTION_EMULATED_DEVICE, /* --device of emulate */
    OPTION_SERVED_DEVICE,   /* --device of pci and vm */
    OPTION_PERF_REVISION,
    OPTION_LOG,
    OPTION_FAULT,
    OPTION_ROOT,
    OPTION_TRACE,
    OPTION_COST,
    OPTION_FUSES,
    OPTION_TAP,
    OPTION_SOCKET,
    OPTION_QTEST,
    OPTION_QMP,
    OPTION_SIGNALS,
    OPTION_UNKNOWN,
    OPTION_KERNEL,
    OPTION_MODULES,
    OPTION_ADD,
    OPTION_APPEND,
    OPTION_QEMU,
    OPTION_DMESG,
    OPTION_NO_DRIVER,
    OPTION_TIMEOUT,
    OPTION_MEMORY,
    OPTION_ALLOW_MMIO,
    OPTION_FORCE,
    OPTION_WAKE,
    OPTION_INTERVAL,
    OPTION_RESTORE,
    OPTION_SLOW,
    OPTION_EXPRESSION,
    OPTION_PACKETS,
    OPTION_STOP,
    OPTION_PACKET_MEMORY,
    OPTION_SPLIT_RATIOS,
    OPTION_ALL,
    OPTION_ADVISE,
    OPTION_FROM,
    OPTION_TO,
    OPTION_SORT,
    OPTION_TOP,
    OPTION_UNITS,
    OPTION_LIVE_FORMAT, /* --format of top */
    OPTION_SPEED,
    OPTION_ONCE,
    OPTION_LISTEN,
    OPTION_TOKEN,
    OPTION_DATE,
    OPTION_BASELINE,
    OPTION_THRESHOLD,
    OPTION_ALPHA,
    OPTION_BUDGET,
    OPTION_ALLOW_LOST,
    OPTION_SAMPLE, /* --interval of compare */
    OPTION_REPEAT,
    OPTION_DELAY,
    OPTION_CONTROL,
    OPTION_MARK_FD,
    OPTION_CONTINUE, /* --append of record */
    OPTION_CONFIG,
    OPTION_SPOOL,
    OPTION_SPOOL_MAX,
    OPTION_ANSWER_TIMEOUT, /* --timeout of store and query */
    OPTION_COUNT
};

struct option_row {
    const char *name;
    char letter;          /* short option, or 0 */
    const char *argument; /* name of its argument, or NULL for a flag */
    const char *help;     /* option_of() replaces "<models>" and "<served>" by the names of GPUs */
    const char *values;   /* for completion: words, or "<file>", "<platform>", ... (complete.h) */
};

extern const struct option_row option_rows[OPTION_COUNT];

/* Buffers for the texts that option_of() generates. */
struct option_text {
    char help[256];
    char values[256];
};

#define REPEATS_MAX 64
#define INPUTS_MAX  64 /* recordings that a command reads */

/* A parsed command line. The strings point into argv. */
struct arguments {
    const char *values[OPTION_COUNT]; /* last value given; "" for a flag, NULL if absent */
    bool former_name;                 /* an option was given by its former name, as --gpu */
    const char *counters[REPEATS_MAX];
    size_t counter_count;
    const char *added[REPEATS_MAX]; /* values of --add */
    size_t added_count;
    const char *expressions[REPEATS_MAX]; /* of --expression */
    size_t expression_count;
    const char *devices[REPEATS_MAX]; /* of --device */
    size_t device_count;
    const char *baselines[REPEATS_MAX]; /* of --baseline */
    size_t baseline_count;
    const char *thresholds[REPEATS_MAX]; /* of --threshold */
    size_t threshold_count;
    char **operands;
    size_t operand_count;
};

struct command {
    const char *name;
    const char *operands;
    const char *summary;
    const char *description;    /* paragraphs separated by empty lines, or NULL */
    const char *examples;       /* one command per line, or NULL */
    const char *operand_values; /* for completion, as option_row.values */
    unsigned operands_min, operands_max;
    bool wraps_command; /* the operands are a command line; parsing stops at the first one */
    int (*run)(const struct arguments *arguments);
    unsigned renders;                    /* enum tally_render bits that its --format must support */
    unsigned char options[OPTION_COUNT]; /* OPTION_..., terminated by OPTION_HELP (0) */
};

extern const struct command commands[];
extern const size_t command_count;

/* Returns an operation of tally store, NULL past the last one. */
const char *store_operation_at(size_t index);

/* Returns the command with this name, or NULL. */
const struct command *find_command(const char *name);

/* Returns the row of an option with its placeholders expanded: the formats that `command` (or any
 * command, if NULL) supports, and the GPUs. */
struct option_row option_of(const struct command *command, enum option_id id,
                            struct option_text *text);

/* Parses argv, which begins with the command's name. Returns EXIT_DONE, or prints the error and
 * returns EXIT_USAGE. */
int parse_arguments(const struct command *command, int argc, char **argv,
                    struct arguments *arguments);

/* Runs a command line; main() calls only this. Returns the exit code. */
int tally_main(int argc, char **argv);

/* Prints "tally: MESSAGE" to standard error. Returns the exit code for the error. */
int report_error(const struct tally_error *error);

/* The same if memory is exhausted. */
int report_memory(void);

/* Prints "tally: ..." to standard error, with the arguments of %s escaped (base/escape.h). */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Appends a part of a message, with the arguments of %s escaped. */
void add_error_text(struct buffer *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes a text to standard error at once, and frees it. */
void print_error_text(struct buffer *text);

/* Prints "tally: ..." as warn() does. Returns EXIT_USAGE. */
int usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns the exit code for a negative errno of the library. */
int exit_code_of(int code);

/* Opens the file of -o, or standard output. On failure, prints the error, sets *exit_code and
 * returns NULL. */
struct output *open_output(const struct arguments *arguments, int *exit_code);

/* The same for the file `path`, which gets its name only when it is complete if `whole`. */
struct output *open_output_file(const struct arguments *arguments, const char *path, bool whole,
                                int *exit_code);

/* Closes the output. Returns `code`; if a write failed, prints that error and returns its code. */
int close_output(struct output *output, int code);

int command_agent(const struct arguments *arguments);
int command_check(const struct arguments *arguments);
int command_compare(const struct arguments *arguments);
int command_completion(const struct arguments *arguments);
int command_decode(const struct arguments *arguments);
int command_doctor(const struct arguments *arguments);
int command_emulate(const struct arguments *arguments);
int command_explain(const struct arguments *arguments);
int command_export(const struct arguments *arguments);
int command_find(const struct arguments *arguments);
int command_help(const struct arguments *arguments);
int command_info(const struct arguments *arguments);
int command_lint(const struct arguments *arguments);
int command_list(const struct arguments *arguments);
int command_mmio(const struct arguments *arguments);
int command_pci(const struct arguments *arguments);
int command_record(const struct arguments *arguments);
int command_query(const struct arguments *arguments);
int command_report(const struct arguments *arguments);
int command_serve(const struct arguments *arguments);
int command_sim(const struct arguments *arguments);
int command_store(const struct arguments *arguments);
int command_top(const struct arguments *arguments);
int command_version(const struct arguments *arguments);
int command_vm(const struct arguments *arguments);
int command_why(const struct arguments *arguments);

/* Writes a manual page in roff's man macros: tally-COMMAND(1), or tally(1) if `command` is NULL. */
void write_manual(struct output *output, const struct command *command);

/* Writes the help of a command, or the list of commands if `command` is NULL. */
void write_help(struct output *output, const struct command *command);

#endif
