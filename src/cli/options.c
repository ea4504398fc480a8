/* SPDX-License-Identifier: MIT */
/* The option table, and parsing of argv. */
#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <tally/chipset.h>

#include "base/bits.h"
#include "base/expected.h"
#include "cli/cli.h"
#include "intel/platforms.h"
#include "sink/sink.h"

// clang-format off
const struct option_row option_rows[OPTION_COUNT] = {
    [OPTION_HELP]          = { "help",          'h', NULL,        "Show help for the command.", NULL },
    [OPTION_OUTPUT]        = { "output",        'o', "FILE",      "Write to FILE; - is standard output.", "<file>" },
    [OPTION_FORMAT]        = { "format",        'f', "FORMAT",    "<formats>", "<format>" }, /* option_of() */
    [OPTION_CSV_SAFE]      = { "csv-safe",      0,   NULL,        "In CSV, put ' before texts that begin with = + - or @, which spreadsheets take for formulas.", NULL },
    [OPTION_COUNTERS]      = { "counters",      'c', "GLOB",      "Only counters whose symbol matches GLOB, such as 'eu*', in any case. Several are separated by commas, or the option is repeated.", "<counter>" },
    [OPTION_BY]            = { "by",            'b', "GROUP",     "Group by context, reason, none, interval=TIME (10ms, 1s, 500us), mark or frame of the program (docs/marks.md), or phase or frame of a modelled GPU's workload.", "context reason none phase frame mark interval=" },
    [OPTION_PER_REPORT]    = { "per-report",    'r', NULL,        "Print every delta (pair of consecutive reports) instead of summaries.", NULL },
    [OPTION_METRICS]       = { "metrics",       'M', "DIR",       "Search DIR first for metric-set files.", "<directory>" },
    [OPTION_SET]           = { "set",           'm', "SET",       "The metric set, by symbol or UUID; default: that of the recording; for record RenderBasic, of NVIDIA Overview.", "<set>" },
    [OPTION_PLATFORM]      = { "platform",      0,   "PLATFORM",  "The platform: hsw, skl, ... (tally list platforms).", "<platform>" },
    [OPTION_LAYOUT]        = { "layout",        'l', "LAYOUT",    "The layout: hsw/a45_b8_c8, ivb/101, pcounter/long, ... (tally list layouts).", "<layout>" },
    [OPTION_TIMESTAMP_HZ]  = { "timestamp-hz",  0,   "HZ",        "OA timestamp frequency, for an input without it.", NULL },
    [OPTION_MAP]           = { "map",           0,   NULL,        "Map the file into memory instead of reading it.", NULL },
    [OPTION_FAIL_ON_LOSS]  = { "fail-on-loss",  0,   NULL,        "Exit with 5 if the loss ledger is not empty.", NULL },
    [OPTION_QUIET]         = { "quiet",         'q', NULL,        "Do not print progress and remarks; with lint, print errors only.", NULL },
    [OPTION_BUILD_OPTIONS] = { "build-options", 0,   NULL,        "Also print the build options.", NULL },
    [OPTION_MAN]           = { "man",           0,   NULL,        "Print a manual page (roff).", NULL },
    [OPTION_CHIPSET]       = { "chipset",       0,   "CHIPSET",   "The chipset: nv20, g92, gf100, ... (tally list chipsets).", "<chipset>" },
    [OPTION_VCD]           = { "vcd",           0,   "FILE",      "Write the signals of the model, clock by clock, as a value change dump.", "<file>" },
    [OPTION_DOMAIN]        = { "domain",        0,   "DOMAIN",    "Only this domain: 0 to 7, or GPC0, PART1, HUB6, ... on GF100 and later.", "<domain>" },
    [OPTION_DEVICE]        = { "device",        'd', "DEVICE",    "The GPU: sim:hsw, sim:g92, ... (emulated), or a device node such as /dev/dri/renderD128; list prints all.", "<device>" },
    [OPTION_PERIOD]        = { "period",        'p', "TIME",      "Sampling period (80us, 1ms), rounded to the nearest period of the hardware (powers of two).", "80us 1ms 10ms" },
    [OPTION_TIME]          = { "time",          't', "TIME",      "Duration of the recording, of top, of mmio watch, or of a run of mmio histogram (500ms, 10s, 2m).", "1s 10s 1m" },
    [OPTION_WORKLOAD]      = { "workload",      0,   "NAME|FILE", "Workload of the emulated GPU (tally list workloads).", "<workload>" },
    [OPTION_DRIVER]        = { "driver",        0,   "DRIVER",    "Driver of the emulated GPU: i915 (the kernel's interface; default if there is one), or mmio (registers alone).", "i915 mmio" },
    [OPTION_CLOCK]         = { "clock",         0,   "CLOCK",     "Clock of the emulated GPU: wall (real time), free (as fast as the model runs) or, of pci and vm, guest (the guest waits for the model).", "wall free guest" },
    [OPTION_EMULATED_CLOCK] = { "clock",        0,   "CLOCK",     "Clock of the program and the GPU: wall (default, real time) or virtual (time passes only while the program waits).", "wall virtual" },
    [OPTION_WAY]           = { "by",            0,   "WAY",       "How the program gets to the emulated GPU: preload (default, by a library in front of libc) or namespace (by the kernel; also static programs).", "preload namespace" },
    [OPTION_RING]          = { "ring",          0,   "SIZE",      "Keep the latest SIZE bytes in memory (512K, 8M, 1G): the flight recorder of record, and what top can save (default 32M).", "8M 64M" },
    [OPTION_CONTEXT]       = { "context",       0,   "ID",        "Record only the reports of this hardware context.", NULL },
    [OPTION_EMULATED_DEVICE] = { "device",      'd', "DEVICE",    "The GPU to emulate: sim:hsw (default), or sim: and another of <emulated>. sim:hsw/gt3 is a SKU (tally list skus).", "<emulated>" },
    [OPTION_SERVED_DEVICE] = { "device",        'd', "DEVICE",    "The GPU: sim:icl (default), or sim: and another of <served> (tally list skus, chipsets); of vm also none.", "<served>" },
    [OPTION_PERF_REVISION] = { "perf-revision", 0,   "N",         "Revision of the i915-perf interface, 1 to 7.", "1 2 3 4 5 6 7" },
    [OPTION_LOG]           = { "log",           0,   "FILE",      "Append the intercepted calls with their arguments and results, or the guest's kernel messages, to FILE.", "<file>" },
    [OPTION_FAULT]         = { "fault",         0,   "NAME|FILE", "Inject the faults described in a script (tally list faults).", "<faults>" },
    [OPTION_ROOT]          = { "root",          0,   NULL,        "Run the program as root of the emulated machine; it can drop the privilege.", NULL },
    [OPTION_TRACE]         = { "trace",         0,   "mmio[=FILE]", "Write a line for each register access to FILE (default: standard error).", "<trace>" },
    [OPTION_COST]          = { "cost",          0,   "FILE",      "Costs of commands on the emulated GPU (data/cost); default: those of its generation.", "<file>" },
    [OPTION_FUSES]         = { "fuses",         0,   "FUSES",     "What is disabled of the emulated GPU: masks of slices, subslices, EUs and media engines, such as slice=0x4,subslice=0:0x2,eu=0:1:0xc0.", "slice= subslice= eu= l3= vdbox= vebox=" },
    [OPTION_TAP]           = { "tap",           0,   NULL,        "Print the results of expect commands in the Test Anything Protocol.", NULL },
    [OPTION_SOCKET]        = { "socket",        0,   "PATH",      "Socket on which QEMU's x-pci-proxy-dev connects.", "<file>" },
    [OPTION_QTEST]         = { "qtest",         0,   "PATH",      "Socket of QEMU's -qtest, through which the guest gets interrupts.", "<file>" },
    [OPTION_QMP]           = { "qmp",           0,   "PATH",      "Socket of QEMU's -qmp, which stops the guest for --clock guest.", "<file>" },
    [OPTION_SIGNALS]       = { "signals",       0,   "FILE",      "Script that drives the signals of an NVIDIA GPU: sig, clock and run of .pct scripts.", "<file>" },
    [OPTION_UNKNOWN]       = { "unknown",       0,   "FILE",      "Write the registers that the guest accessed and the model does not have to FILE.", "<file>" },
    [OPTION_KERNEL]        = { "kernel",        0,   "FILE",      "The guest's Linux kernel: bzImage or vmlinux (default: the newest that make deps-vm unpacked or that is installed).", "<file>" },
    [OPTION_MODULES]       = { "modules",       0,   "DIR",       "The kernel's modules: a directory with modules.dep, or with lib/modules/RELEASE.", "<directory>" },
    [OPTION_ADD]           = { "add",           0,   "FILE",      "Also copy FILE into the guest: a program of $PATH with its libraries, a file or a directory. May be repeated.", "<file>" },
    [OPTION_APPEND]        = { "append",        0,   "TEXT",      "Append TEXT to the kernel's command line.", NULL },
    [OPTION_QEMU]          = { "qemu",          0,   "ARGS",      "Append ARGS, separated by spaces, to QEMU's command line: -s -S waits for gdb.", NULL },
    [OPTION_NO_DRIVER]     = { "no-driver",     0,   NULL,        "Do not load the GPU's driver.", NULL },
    [OPTION_DMESG]         = { "dmesg",         0,   NULL,        "Print the kernel's messages to standard error at the end.", NULL },
    [OPTION_TIMEOUT]       = { "timeout",       0,   "TIME",      "End the machine after TIME (90s, 5m), with the exit status 124.", "30s 2m" },
    [OPTION_MEMORY]        = { "memory",        0,   "SIZE",      "Memory of the guest (512M, 2G; default 1G), or for the objects of an emulated Intel GPU (default 2G).", "512M 1G 2G" },
    [OPTION_ALLOW_MMIO]    = { "allow-mmio",    0,   NULL,        "Allow writes to the registers of a real card (docs/real-cards.md).", NULL },
    [OPTION_FORCE]         = { "force",         0,   NULL,        "Write to a real card although a kernel driver uses it.", NULL },
    [OPTION_WAKE]          = { "wake",          0,   NULL,        "Keep power domains awake by force wake, and a real card out of D3hot, until the end.", NULL },
    [OPTION_INTERVAL]      = { "interval",      0,   "TIME",      "Time between two reads of mmio watch (default 100ms), or two samples of top (default 500ms).", "1ms 100ms 1s" },
    [OPTION_RESTORE]       = { "restore",       0,   NULL,        "Put back what a process that was killed has left changed on real cards.", NULL },
    [OPTION_SLOW]          = { "slow",          0,   "N",         "Let the time of guest and GPU pass N times slower, 1 to 16, so that registers and the guest's processor are that much faster in it.", "2 4 6" },
    [OPTION_EXPRESSION]    = { "expression",    'e', "EXPR",      "Count this expression over signals of an NVIDIA GPU in place of a metric set, such as 'busy=!PGRAPH.IDLE' or 1:0xc8 (docs/perfmon.md). May be repeated.", NULL },
    [OPTION_PACKETS]       = { "packets",       0,   NULL,        "Record mode (G84 to GT21x): the GPU writes packets of up to 12 signals of one domain to memory, once a --period of 2^10 to 2^16 clocks.", NULL },
    [OPTION_STOP]          = { "stop",          0,   "EXPR",      "With --packets: a packet at each clock at which this expression is true, in place of a period.", NULL },
    [OPTION_PACKET_MEMORY] = { "packet-memory", 0,   "SIZE",      "With --packets: memory that the GPU writes them to (4K to 256M); default 1M.", "64K 1M 16M" },
    [OPTION_ALL]           = { "all",           'a', NULL,        "In a table, also show counters that stayed 0, which are otherwise counted in one line.", NULL },
    [OPTION_ADVISE]        = { "advise",        0,   NULL,        "Print what limits the GPU in each group, by the rules of data/advice (docs/advice.md), instead of the counters.", NULL },
    [OPTION_FROM]          = { "from",          0,   "TIME",      "Only deltas that start at TIME (250us, 5ms, 1.5s) after the first report, or later.", "1ms 100ms 1s" },
    [OPTION_TO]            = { "to",            0,   "TIME",      "Only deltas that start before TIME after the first report.", "1ms 100ms 1s" },
    [OPTION_SORT]          = { "sort",          0,   "COLUMN",    "Sort counters by overall, min, mean, p50, p95, p99, max (the highest first) or name, by unit, since values of different units cannot be compared.", "overall min mean p50 p95 p99 max name" },
    [OPTION_TOP]           = { "top",           0,   "N",         "Only the first N counters of each unit, by --sort (default: overall).", "3 5 10" },
    [OPTION_UNITS]         = { "units",         0,   NULL,        "In CSV, add the units to the names of counters: GpuBusy [percent].", NULL },
    [OPTION_LIVE_FORMAT]   = { "format",        'f', "FORMAT",    "jsonl: write each sample as an object of JSON Lines, without a screen.", "jsonl" },
    [OPTION_SPEED]         = { "speed",         0,   "N",         "Replay a recording N times faster (0.25, 4); default 1, and without a screen as fast as possible.", "0.5 1 4 16" },
    [OPTION_ONCE]          = { "once",          0,   NULL,        "Print one sample as text, without a screen.", NULL },
    [OPTION_LISTEN]        = { "listen",        0,   "ADDR:PORT", "Address and port of the server; default 127.0.0.1:9477. An address that other machines can reach needs --token.", "127.0.0.1:9477 [::1]:9477" },
    [OPTION_TOKEN]         = { "token",         0,   "TEXT|@FILE", "Requests must have this token, of 16 characters or more; @FILE reads it from a file.", NULL },
    [OPTION_DATE]          = { "date",          0,   "DATE",      "Date of the recordings in UTC, such as 2026-11-27 or 2026-11-27T18:30:00; default: when each file was modified.", NULL },
    [OPTION_BASELINE]      = { "baseline",      0,   "FILE|DIR",  "Compare with this recording, or with all of a directory. May be repeated.", "<file>" },
    [OPTION_THRESHOLD]     = { "threshold",     0,   "[COUNTER=]SHARE", "Exit with 1 if a significant change is at least SHARE: 5%, of increases only +5%, of decreases -5%; of one counter EuActive=5%. May be repeated.", "1% 5% +5% -5% 10%" },
    [OPTION_BUDGET]        = { "budget",        0,   "FILE",      "Check the conditions of a budget, a YAML file (docs/compare.md).", "<file>" },
    [OPTION_ALLOW_LOST]    = { "allow-lost",    0,   "SHARE",     "Let checks pass if at most SHARE of the recording was lost (0.1%); default 0.", "0.1% 1%" },
    [OPTION_ALPHA]         = { "alpha",         0,   "P",         "Probability of a false finding among all counters; default 0.01.", "0.001 0.01 0.05" },
    [OPTION_SAMPLE]        = { "interval",      0,   "TIME",      "Length of a sample (1ms, 16.7ms); default: 1/128 of the shortest recording, or whole frames.", "1ms 10ms 100ms" },
    [OPTION_REPEAT]        = { "repeat",        0,   "N",         "Record N times (1 to 1000), each into a file of its own: FILE-1, FILE-2, ...", "3 5 10" },
    [OPTION_DELAY]         = { "delay",         'D', "MS",        "Record no reports in the first MS milliseconds, or another time (2s); -1: until --control enables it.", "-1 100 1s" },
    [OPTION_CONTROL]       = { "control",       0,   "fifo:CTL[,ACK]", "Read commands from the FIFO CTL, or from a descriptor (fd:CTL[,ACK]): enable, disable, snapshot, stop, ping, and marks; acknowledge each with a line in ACK.", "fifo: fd:" },
    [OPTION_MARK_FD]       = { "mark-fd",       0,   "FD",        "Number of the descriptor on which COMMAND writes marks (default: the first free one, in TALLY_MARK_FD); without COMMAND, one that is open, to read them from.", "3" },
    [OPTION_CONTINUE]      = { "append",        0,   NULL,        "Continue the recording in --output, which must be of the same device, metric set and period.", NULL },
    [OPTION_CONFIG]        = { "config",        0,   "FILE",      "What the agent does: a YAML file (docs/fleet.md).", "<file>" },
    [OPTION_SPOOL]         = { "spool",         0,   "DIR",       "Keep recordings for a store in ClickHouse in DIR until they are sent; default $XDG_STATE_HOME/tally/spool, for root /var/lib/tally/spool.", "<directory>" },
    [OPTION_SPOOL_MAX]     = { "spool-max",     0,   "SIZE",      "Maximum bytes in the spool (512M, 4G; default 1G); recordings beyond it are not added.", "256M 1G 4G" },
    [OPTION_ANSWER_TIMEOUT] = { "timeout",      0,   "TIME",      "Wait at most TIME (30s, 10m; default 5m) for an answer of ClickHouse.", "30s 2m 10m" },
    [OPTION_SPLIT_RATIOS]  = { "split-ratios",  0,   NULL,        "Count the terms of a ratio in different passes if one pass is not enough.", NULL },
};
// clang-format on

/* Fills in the formats that can render everything in `renders`. */
static void expand_formats(struct option_text *text, unsigned renders)
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

/* The GPUs of NVIDIA are those from the first chipset to the last. */
static void write_with_nvidia(const char *intel, char *text, size_t size)
{
    snprintf(text, size, "%s; of NVIDIA %s to %s", intel, tally_chipset_at(0)->name,
             tally_chipset_at(tally_chipset_count() - 1)->name);
}

static void write_emulated(char *text, size_t size)
{
    char names[INTEL_NAMES_MAX];
    write_with_nvidia(intel_modelled_names(true, ", ", ", ", names), text, size);
}

static void write_served(char *text, size_t size)
{
    char names[INTEL_NAMES_MAX];
    write_with_nvidia(intel_modelled_names(false, ", ", ", ", names), text, size);
}

#define NAMES_TEXT_BYTES (INTEL_NAMES_MAX + 40)

/* Replaces a placeholder in a help text. Returns whether there was one. */
static bool expand_names(struct option_text *text, const char *help)
{
    static const struct {
        const char *placeholder;
        void (*write)(char *text, size_t size);
    } rows[] = {{"<emulated>", write_emulated}, {"<served>", write_served}};
    char names[NAMES_TEXT_BYTES];
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const char *at = strstr(help, rows[i].placeholder);
        if (!at)
            continue;
        rows[i].write(names, sizeof names);
        snprintf(text->help, sizeof text->help, "%.*s%s%s", (int)(at - help), help, names,
                 at + strlen(rows[i].placeholder));
        return true;
    }
    return false;
}

struct option_row option_of(const struct command *command, enum option_id id,
                            struct option_text *text)
{
    struct option_row row = option_rows[id];
    if (id == OPTION_FORMAT) {
        expand_formats(text, command ? command->renders : 0);
        row.help = text->help;
        row.values = text->values;
        return row;
    }
    if (expand_names(text, row.help))
        row.help = text->help;
    return row;
}

/* Names that options had before, which are still understood. */
static const struct {
    const char *name;
    enum option_id id;
} former_names[] = {{"gpu", OPTION_EMULATED_DEVICE}, {"gpu", OPTION_SERVED_DEVICE}};

/* Tables for getopt_long(), generated from the command's rows. */
struct getopt_tables {
    struct option longs[OPTION_COUNT + ARRAY_COUNT(former_names) + 2];
    char shorts[2 * OPTION_COUNT + 5];
    enum option_id by_letter[256];
};

/* What getopt_long() returns for the first long option, and for the first former name. */
enum { FIRST_LONG = 256, FIRST_FORMER = FIRST_LONG + OPTION_COUNT };

static void add_option(struct getopt_tables *tables, size_t *count, char **shorts,
                       enum option_id id)
{
    const struct option_row *row = &option_rows[id];
    tables->longs[(*count)++] = (struct option){
        row->name, row->argument ? required_argument : no_argument, NULL, FIRST_LONG + (int)id};
    if (row->letter) {
        *(*shorts)++ = row->letter;
        if (row->argument)
            *(*shorts)++ = ':';
        tables->by_letter[(unsigned char)row->letter] = id;
    }
    for (size_t i = 0; i < ARRAY_COUNT(former_names); i++)
        if (former_names[i].id == id)
            tables->longs[(*count)++] = (struct option){former_names[i].name, required_argument,
                                                        NULL, FIRST_FORMER + (int)id};
}

static void make_tables(const struct command *command, struct getopt_tables *tables)
{
    size_t count = 0;
    char *shorts = tables->shorts;
    memset(tables, 0, sizeof *tables);
    if (command->wraps_command)
        *shorts++ = '+';
    *shorts++ = ':'; /* getopt returns ':' for a missing argument and prints nothing */
    add_option(tables, &count, &shorts, OPTION_HELP);
    for (size_t i = 0; command->options[i]; i++)
        add_option(tables, &count, &shorts, (enum option_id)command->options[i]);
}

/* Keeps the options that begin with a letter. Returns their number. */
static size_t keep_initial(const char **names, size_t count, char letter)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (tolower((unsigned char)names[i][2]) == tolower((unsigned char)letter)) {
            const char *name = names[i];
            names[i] = names[kept];
            names[kept++] = name;
        }
    return kept;
}

static int unknown_option(const struct command *command, const char *given)
{
    char texts[OPTION_COUNT + 1][32], place[64], expected[EXPECTED_BYTES];
    const char *names[OPTION_COUNT + 1];
    size_t count = 0;
    for (bool more = true; more; count++) {
        enum option_id id = (enum option_id)command->options[count];
        snprintf(texts[count], sizeof texts[0], "--%s", option_rows[id].name);
        names[count] = texts[count];
        more = id != OPTION_HELP;
    }
    snprintf(place, sizeof place, "tally help %s", command->name);
    if (given[0] == '-' && given[1] && given[1] != '-')
        count = keep_initial(names, count, given[1]);
    return usage_error("%s: unknown option %s%s", command->name, given,
                       expected_word(expected, given, names, count, place));
}

/* Appends a value to the list of its option, if it has one. Returns false if that is full. */
static bool keep_repeated(struct arguments *arguments, enum option_id id, const char *value)
{
    const struct {
        enum option_id id;
        const char **values;
        size_t *count;
    } lists[] = {
        {OPTION_COUNTERS, arguments->counters, &arguments->counter_count},
        {OPTION_ADD, arguments->added, &arguments->added_count},
        {OPTION_EXPRESSION, arguments->expressions, &arguments->expression_count},
        {OPTION_DEVICE, arguments->devices, &arguments->device_count},
        {OPTION_BASELINE, arguments->baselines, &arguments->baseline_count},
        {OPTION_THRESHOLD, arguments->thresholds, &arguments->threshold_count},
    };
    for (size_t i = 0; i < ARRAY_COUNT(lists); i++) {
        if (lists[i].id != id)
            continue;
        if (*lists[i].count == REPEATS_MAX)
            return false;
        lists[i].values[(*lists[i].count)++] = value;
    }
    return true;
}

int parse_arguments(const struct command *command, int argc, char **argv,
                    struct arguments *arguments)
{
    struct getopt_tables tables;
    make_tables(command, &tables);
    *arguments = (struct arguments){0};
    optind = 0; /* reset getopt: tests parse several command lines */
    for (int c; (c = getopt_long(argc, argv, tables.shorts, tables.longs, NULL)) != -1;) {
        if (c == ':' || c == '?') {
            const char *given = argv[optind - 1];
            char letter[] = {'-', (char)optopt, '\0'};
            if (c == '?' && optopt >= FIRST_LONG)
                return usage_error("%s: option %s takes no value, expected --%s", command->name,
                                   given, option_rows[optopt - FIRST_LONG].name);
            if (c == '?')
                return unknown_option(command, optopt ? letter : given);
            return usage_error("%s: option %s expects an argument; see tally help %s",
                               command->name, given, command->name);
        }
        bool former = c >= FIRST_FORMER;
        enum option_id id = former            ? (enum option_id)(c - FIRST_FORMER)
                            : c >= FIRST_LONG ? (enum option_id)(c - FIRST_LONG)
                                              : tables.by_letter[(unsigned char)c];
        arguments->former_name |= former;
        arguments->values[id] = optarg ? optarg : "";
        if (!keep_repeated(arguments, id, optarg))
            return usage_error("%s: --%s given more than %d times", command->name,
                               option_rows[id].name, REPEATS_MAX);
    }
    const char *metrics = arguments->values[OPTION_METRICS];
    struct stat status;
    if (metrics && !arguments->values[OPTION_QUIET] &&
        (stat(metrics, &status) < 0 || !S_ISDIR(status.st_mode)))
        warn("%s: --metrics \"%s\": no such directory, expected one with metric-set files",
             command->name, metrics);
    arguments->operands = argv + optind;
    arguments->operand_count = (size_t)(argc - optind);
    if (arguments->values[OPTION_HELP])
        return EXIT_DONE;
    if (arguments->operand_count < command->operands_min)
        return usage_error("%s: expects %s; see tally help %s", command->name, command->operands,
                           command->name);
    if (arguments->operand_count > command->operands_max)
        return usage_error("%s: unexpected argument \"%s\"; see tally help %s", command->name,
                           arguments->operands[command->operands_max], command->name);
    return EXIT_DONE;
}
