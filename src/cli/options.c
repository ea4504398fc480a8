/* SPDX-License-Identifier: MIT */
/* The option table, and reading argv by it. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "cli/cli.h"
#include "intel/platforms.h"
#include "sink/sink.h"

// clang-format off
const struct option_row option_rows[OPTION_COUNT] = {
    [OPTION_HELP]          = { "help",          'h', NULL,        "Show help on the command.", NULL },
    [OPTION_OUTPUT]        = { "output",        'o', "FILE",      "Write to FILE; - is standard output.", "<file>" },
    [OPTION_FORMAT]        = { "format",        'f', "FORMAT",    "<formats>", "<format>" }, /* option_of() */
    [OPTION_COUNTERS]      = { "counters",      'c', "GLOB",      "Only counters whose symbol matches, such as 'Eu*'. May be repeated.", "<counter>" },
    [OPTION_BY]            = { "by",            'b', "GROUP",     "Group by context, reason, none, or interval=TIME (10ms, 1s, 500us).", "context reason none interval=10ms interval=1s" },
    [OPTION_PER_REPORT]    = { "per-report",    'r', NULL,        "Every pair of consecutive reports instead of summaries.", NULL },
    [OPTION_METRICS]       = { "metrics",       'M', "DIR",       "Look for metric-set files in DIR first.", "<directory>" },
    [OPTION_SET]           = { "set",           'm', "SET",       "The metric set (symbol or UUID) in place of the usual one, or of the one recorded.", "<set>" },
    [OPTION_PLATFORM]      = { "platform",      'p', "PLATFORM",  "The platform: hsw, skl, ... (tally list platforms).", "<platform>" },
    [OPTION_LAYOUT]        = { "layout",        'l', "LAYOUT",    "The layout: hsw/a45_b8_c8, ivb/101, pcounter/long, ... (tally list layouts).", "<layout>" },
    [OPTION_TIMESTAMP_HZ]  = { "timestamp-hz",  0,   "HZ",        "OA timestamp frequency of an input that does not state it.", NULL },
    [OPTION_MAP]           = { "map",           0,   NULL,        "Map the file into memory instead of reading it.", NULL },
    [OPTION_FAIL_ON_LOSS]  = { "fail-on-loss",  0,   NULL,        "Exit with 5 if anything is in the loss ledger.", NULL },
    [OPTION_QUIET]         = { "quiet",         'q', NULL,        "No progress and no remarks; with lint, errors only.", NULL },
    [OPTION_BUILD_OPTIONS] = { "build-options", 0,   NULL,        "Also tell what the program was built with.", NULL },
    [OPTION_MAN]           = { "man",           0,   NULL,        "As a manual page (roff).", NULL },
    [OPTION_CHIPSET]       = { "chipset",       0,   "CHIPSET",   "The chipset: nv20, g92, gf100, ... (tally list chipsets).", "<chipset>" },
    [OPTION_VCD]           = { "vcd",           0,   "FILE",      "Write the engine's values, clock by clock, as a value change dump.", "<file>" },
    [OPTION_DOMAIN]        = { "domain",        0,   "DOMAIN",    "Only this domain: 0 to 7; from GF100 on GPC0, PART1, HUB6, ...", "<domain>" },
    [OPTION_DEVICE]        = { "device",        'd', "DEVICE",    "The GPU: sim:hsw and so on are modelled, /dev/dri/renderD128 is real; list tells which there are.", "<device>" },
    [OPTION_PERIOD]        = { "period",        'p', "TIME",      "A report every TIME (80us, 1ms); the hardware has powers of two, and the nearest is taken.", "80us 1ms 10ms" },
    [OPTION_TIME]          = { "time",          't', "TIME",      "Record for so long (500ms, 10s, 2m).", "1s 10s 1m" },
    [OPTION_WORKLOAD]      = { "workload",      0,   "NAME|FILE", "What a modelled GPU does (tally list workloads).", "<workload>" },
    [OPTION_CLOCK]         = { "clock",         0,   "CLOCK",     "Of a modelled GPU: wall follows the wall clock, free goes as fast as the model.", "wall free" },
    [OPTION_RING]          = { "ring",          0,   "SIZE",      "A flight recorder: keep the latest SIZE bytes (512K, 8M, 1G).", "8M 64M" },
    [OPTION_CONTEXT]       = { "context",       0,   "ID",        "Only the reports of this hardware context.", NULL },
    [OPTION_GPU]           = { "gpu",           0,   "PLATFORM",  "The GPU to emulate: <models>.", "<models>" },
    [OPTION_PERF_REVISION] = { "perf-revision", 0,   "N",         "The revision of the kernel's perf interface, 1 to 7.", "1 2 3 4 5 6 7" },
    [OPTION_LOG]           = { "log",           0,   "FILE",      "Append every intercepted call, with arguments and result, to FILE.", "<file>" },
    [OPTION_FAULT]         = { "fault",         0,   "NAME|FILE", "Let go wrong what a script of faults says (tally list faults).", "<faults>" },
    [OPTION_ROOT]          = { "root",          0,   NULL,        "Let the program believe that it is root; it can drop that.", NULL },
    [OPTION_TRACE]         = { "trace",         0,   "mmio[=FILE]", "Write a line for each register access to FILE, or to standard error.", "mmio mmio=trace.txt" },
};
// clang-format on

/* Formats that render what the command prints. */
static void put_formats(struct option_text *text, unsigned renders)
{
    char names[FORMATS_TEXT_BYTES];
    size_t used = 0;
    snprintf(text->help, sizeof text->help, "%.200s.", sink_names(names, renders, true));
    text->values[0] = '\0';
    for (size_t i = 0; sink_at(i) && used < sizeof text->values; i++)
        if ((sink_renders(sink_at(i)) & renders) == renders)
            used += (size_t)snprintf(text->values + used, sizeof text->values - used, "%s%s",
                                     used ? " " : "", sink_at(i)->name);
}

struct option_row option_of(const struct command *command, enum option_id id,
                            struct option_text *text)
{
    static const char placeholder[] = "<models>";
    struct option_row row = option_rows[id];
    if (id == OPTION_FORMAT) {
        put_formats(text, command ? command->renders : 0);
        row.help = text->help;
        row.values = text->values;
        return row;
    }
    const char *at = strstr(row.help, placeholder);
    if (at) {
        char names[INTEL_NAMES_MAX];
        snprintf(text->help, sizeof text->help, "%.*s%s%s", (int)(at - row.help), row.help,
                 intel_modelled_names(true, ", ", ", ", names), at + strlen(placeholder));
        row.help = text->help;
    }
    return row;
}

/* Tables for getopt_long(), made from the command's rows. */
struct getopt_tables {
    struct option longs[OPTION_COUNT + 2];
    char shorts[2 * OPTION_COUNT + 5];
    enum option_id by_letter[256];
};

static void add_option(struct getopt_tables *tables, size_t *count, char **shorts,
                       enum option_id id)
{
    const struct option_row *row = &option_rows[id];
    tables->longs[(*count)++] = (struct option){
        row->name, row->argument ? required_argument : no_argument, NULL, 256 + (int)id};
    if (row->letter) {
        *(*shorts)++ = row->letter;
        if (row->argument)
            *(*shorts)++ = ':';
        tables->by_letter[(unsigned char)row->letter] = id;
    }
}

static void make_tables(const struct command *command, struct getopt_tables *tables)
{
    size_t count = 0;
    char *shorts = tables->shorts;
    memset(tables, 0, sizeof *tables);
    if (command->runs_another)
        *shorts++ = '+';
    *shorts++ = ':'; /* missing arguments are told apart, and nothing is printed */
    add_option(tables, &count, &shorts, OPTION_HELP);
    for (size_t i = 0; command->options[i]; i++)
        add_option(tables, &count, &shorts, (enum option_id)command->options[i]);
}

int parse_arguments(const struct command *command, int argc, char **argv,
                    struct arguments *arguments)
{
    struct getopt_tables tables;
    make_tables(command, &tables);
    *arguments = (struct arguments){0};
    optind = 0; /* start afresh: tests parse more than once */
    for (int c; (c = getopt_long(argc, argv, tables.shorts, tables.longs, NULL)) != -1;) {
        if (c == ':' || c == '?') {
            const char *given = argv[optind - 1];
            return tell_usage("%s: option %s %s; see tally help %s", command->name, given,
                              c == ':' ? "expects an argument" : "is not known", command->name);
        }
        enum option_id id =
            c >= 256 ? (enum option_id)(c - 256) : tables.by_letter[(unsigned char)c];
        arguments->values[id] = optarg ? optarg : "";
        if (id == OPTION_COUNTERS) {
            if (arguments->counter_count == REPEATS_MAX)
                return tell_usage("%s: --counters given more than %d times", command->name,
                                  REPEATS_MAX);
            arguments->counters[arguments->counter_count++] = optarg;
        }
    }
    arguments->operands = argv + optind;
    arguments->operand_count = (size_t)(argc - optind);
    if (arguments->values[OPTION_HELP])
        return EXIT_DONE;
    if (arguments->operand_count < command->operands_min)
        return tell_usage("%s: expects %s; see tally help %s", command->name, command->operands,
                          command->name);
    if (arguments->operand_count > command->operands_max)
        return tell_usage("%s: \"%s\" is one argument too many; see tally help %s", command->name,
                          arguments->operands[command->operands_max], command->name);
    return EXIT_DONE;
}
