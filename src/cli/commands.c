/* SPDX-License-Identifier: MIT */
/* The command table. */
#include <limits.h>
#include <string.h>

#include <tally/sink.h>

#include "base/bits.h"
#include "cli/cli.h"

#define INPUT_OPTIONS  OPTION_PLATFORM, OPTION_LAYOUT, OPTION_TIMESTAMP_HZ, OPTION_MAP, OPTION_QUIET
#define METRIC_OPTIONS OPTION_METRICS, OPTION_SET, OPTION_COUNTERS, OPTION_FAIL_ON_LOSS

// clang-format off
#define INPUT_TEXT \
    "FILE is a recording (as i915-perf-recorder and tally write it), the kernel's stream alone, " \
    "or a raw report buffer; - is standard input. A stream needs --platform or --layout, a raw " \
    "buffer --layout."
#define PACKETS_TEXT \
    "With --layout pcounter/long or pcounter/short FILE is a memory dump of a record buffer that " \
    "NVIDIA's PCOUNTER (G84 to GT21x) wrote: "
// clang-format on

const struct command commands[] = {
    {
        .name = "record",
        .operands = "[--] [COMMAND...]",
        .operand_values = "<file>",
        .operands_max = 100000,
        .runs_another = true,
        .summary = "Record a GPU's counters, or those of a modelled one.",
        .description =
            "Reports of the whole GPU go to a recording (-o, tally.i915-perf without it), until "
            "--time is over, COMMAND has ended, or Ctrl-C. COMMAND's exit status is passed on. "
            "Without --device it is the first GPU whose counters may be read, else sim:hsw. The "
            "set's registers are given to the kernel where it does not have them, and taken back. "
            "--set list and --device list tell what there is.\n\n"
            "A modelled GPU does what its --workload says (triangle, unless it is given), by the "
            "free clock when only --time ends the recording, else by the wall clock. The same "
            "workload with the free clock gives the same bytes.\n\n"
            "With --ring the latest reports are kept in memory, and written when the recording "
            "ends. On SIGUSR1 what is there then goes to FILE.1, FILE.2, ..., and it goes on.\n\n"
            "Reports that are missing are counted, and marked in the recording where the kernel "
            "lost them. A slow disk is waited for in memory.",
        .examples =
            "tally record -d sim:hsw --workload triangle -t 1s -o hsw.i915-perf\n"
            "tally record -d sim:skl -m RenderBasic -p 80us -t 100ms -o - | tally report -\n"
            "tally record -p 1ms -- glxgears\n"
            "tally record --ring 64M -o flight.i915-perf -- make test\n",
        .run = command_record,
        .options = {OPTION_DEVICE, OPTION_SET, OPTION_PERIOD, OPTION_TIME, OPTION_OUTPUT,
                    OPTION_WORKLOAD, OPTION_CLOCK, OPTION_FAULT, OPTION_RING, OPTION_CONTEXT,
                    OPTION_METRICS, OPTION_FAIL_ON_LOSS, OPTION_QUIET},
    },
    {
        .name = "report",
        .operands = "FILE",
        .operand_values = "<file>",
        .operands_min = 1,
        .operands_max = 1,
        .summary = "Turn a recording into metrics.",
        .description =
            "Evaluates every counter of the recorded metric set for every pair of consecutive "
            "reports, and prints minimum, mean and maximum in groups and in total. \"overall\" is "
            "the equation over the whole group's counts. What was lost is listed at the end, and "
            "left out of every value.\n\n" INPUT_TEXT,
        .examples = "tally report data/samples/hsw.i915-perf\n"
                    "tally report -c 'Eu*' --by reason data/samples/chv.i915-perf\n"
                    "tally report --by interval=5ms -f csv -o hsw.csv data/samples/hsw.i915-perf\n",
        .run = command_report,
        .renders = TALLY_RENDER_GROUPS | TALLY_RENDER_DELTAS,
        .options = {METRIC_OPTIONS, OPTION_BY, OPTION_PER_REPORT, OPTION_FORMAT, OPTION_OUTPUT,
                    INPUT_OPTIONS},
    },
    {
        .name = "export",
        .operands = "FILE",
        .operand_values = "<file>",
        .operands_min = 1,
        .operands_max = 1,
        .summary = "Write every report's metrics as CSV or JSON Lines.",
        .description =
            "The same values as report --per-report, for programs: a header, a row or object for "
            "each pair of consecutive reports, then (JSON Lines) the loss ledger and the totals. A "
            "delta that spans a loss has its state and no values. Numbers have six decimals at "
            "most.\n\n" INPUT_TEXT,
        .examples = "tally export -f jsonl data/samples/hsw.i915-perf\n"
                    "tally export -f csv -c GpuBusy -o busy.csv data/samples/icl.i915-perf\n",
        .run = command_export,
        .renders = TALLY_RENDER_DELTAS,
        .options = {METRIC_OPTIONS, OPTION_FORMAT, OPTION_OUTPUT, INPUT_OPTIONS},
    },
    {
        .name = "info",
        .operands = "FILE",
        .operand_values = "<file>",
        .operands_min = 1,
        .operands_max = 1,
        .summary = "Tell what a recording holds.",
        .description = "Device, topology, metric set, clocks, contexts, reasons, time range and "
                       "the loss ledger.\n\n" INPUT_TEXT "\n\n" PACKETS_TEXT
                       "packets, range of cycles, period of STOP, what each signal counted, and "
                       "what is missing.",
        .examples = "tally info data/samples/hsw.i915-perf\n"
                    "tally info --layout pcounter/short record.bin\n",
        .run = command_info,
        .renders = TALLY_RENDER_INFO,
        .options = {OPTION_FORMAT, OPTION_OUTPUT, OPTION_FAIL_ON_LOSS, INPUT_OPTIONS},
    },
    {
        .name = "decode",
        .operands = "FILE",
        .operand_values = "<file>",
        .operands_min = 1,
        .operands_max = 1,
        .summary = "Print the raw fields of every report.",
        .description =
            "Unpacks each report by its layout: report id, timestamps, context, and every counter "
            "as the hardware wrote it, without deltas and without a metric set. Slots of a raw "
            "buffer that the hardware has not written (id and timestamp both 0) are counted and "
            "skipped.\n\n" INPUT_TEXT "\n\n" PACKETS_TEXT
            "each packet's cycles, cause, STOP pulses and event counts. A count at 65535 (in a "
            "table with a plus sign) stopped there. Packets that are missing are found by the "
            "cycle counter where STOP is periodic, and by signals that are always 1.",
        .examples = "tally decode -f jsonl data/samples/hsw.i915-perf\n"
                    "tally decode --layout ivb/101 oabuffer.bin\n"
                    "tally decode --layout pcounter/long -f csv record.bin\n",
        .run = command_decode,
        .renders = TALLY_RENDER_REPORTS | TALLY_RENDER_PACKETS,
        .options = {OPTION_FORMAT, OPTION_OUTPUT, OPTION_FAIL_ON_LOSS, INPUT_OPTIONS},
    },
    {
        .name = "explain",
        .operands = "[SET.]COUNTER [FILE@REPORT] | CHIP:REGISTER[=VALUE]",
        .operand_values = "<counter>",
        .operands_min = 1,
        .operands_max = 2,
        .summary = "Explain a counter's equation, down to the raw counters, or a register's value.",
        .description =
            "Names and describes the counter and draws its equation. With FILE@REPORT every node "
            "carries its value for the delta that starts at that report (counted from 0); without "
            "it, --platform says whose counter is meant.\n\n"
            "A register of an NVIDIA chipset's PCOUNTER or of an Intel platform's OA unit, by "
            "address or name, is taken apart into its fields.",
        .examples = "tally explain RenderBasic.EuActive --platform hsw\n"
                    "tally explain RenderBasic.EuActive data/samples/hsw.i915-perf@12\n"
                    "tally explain g92:0xa7c0=0x00310002\n"
                    "tally explain hsw:0x2360=0x00000275\n",
        .run = command_explain,
        .options = {OPTION_METRICS, OPTION_PLATFORM, OPTION_LAYOUT, OPTION_OUTPUT},
    },
    {
        .name = "list",
        .operands =
            "platforms|layouts|sets|counters|chipsets|signals|registers|workloads|faults [SET]",
        .operand_values =
            "platforms layouts formats sets counters chipsets signals registers workloads faults",
        .operands_min = 1,
        .operands_max = 2,
        .summary = "List platforms, layouts, metric sets, counters, chipsets, signals, registers, "
                   "workloads, faults.",
        .description =
            "Layouts (formats is the same) are those of reports and record buffers. Sets "
            "and counters are those for --platform, from the metric-set search path; "
            "counters of one set only if SET is named.\n\n"
            "Chipsets are NVIDIA's, with the domains of their PCOUNTER; signals are "
            "what the domains of --chipset can count, by index. Registers are those of "
            "--chipset's PCOUNTER, or of --platform's OA unit and the GT around it; with "
            "a name, that register and its fields.\n\n"
            "Workloads are what a modelled Intel GPU can be made to do, scripts of "
            "faults what can go wrong meanwhile.",
        .examples = "tally list platforms\n"
                    "tally list formats --platform hsw\n"
                    "tally list counters RenderBasic --platform chv\n"
                    "tally list signals --chipset g92 --domain 1\n"
                    "tally list registers CTRL --chipset nv30\n"
                    "tally list workloads\n",
        .run = command_list,
        .renders = TALLY_RENDER_LISTS,
        .options = {OPTION_PLATFORM, OPTION_METRICS, OPTION_CHIPSET, OPTION_DOMAIN, OPTION_FORMAT,
                    OPTION_OUTPUT},
    },
    {
        .name = "lint",
        .operands = "FILE...",
        .operand_values = "<file>",
        .operands_min = 1,
        .operands_max = 100000,
        .summary = "Check metric sets, workloads and scripts of faults.",
        .description =
            "Metric sets (XML): syntax and stack of every equation, unknown variables, cycles, "
            "duplicates, units, "
            "reads that the platform cannot serve, possible division by zero, percentages that can "
            "pass 100, and, for the modelled platforms, register writes that nothing takes.\n\n"
            "Workloads (FILE.yaml): unknown units and keys, values out of range, shares that are "
            "more than 1 together, what is missing. With --platform also notes of what nothing "
            "counts there.\n\n"
            "Scripts of faults (FILE.yaml with a list \"faults\"): what is not known, out of "
            "range, "
            "missing, or does not go together.\n\n"
            "Exits with 1 if there are errors; warnings and notes do not count.",
        .examples = "tally lint data/metrics/oa-hsw.xml\n"
                    "tally lint --platform snb data/workloads/triangle.yaml\n",
        .run = command_lint,
        .options = {OPTION_PLATFORM, OPTION_OUTPUT, OPTION_QUIET},
    },
    {
        .name = "sim",
        .operands = "SCRIPT",
        .operand_values = "<file>",
        .operands_min = 1,
        .operands_max = 1,
        .summary = "Run a script that drives a model of counter hardware.",
        .description =
            "SCRIPT (- is standard input) picks an NVIDIA chipset (the .pct language) or an Intel "
            "platform (.oat), says what the signals do, writes and reads the registers of PCOUNTER "
            "or of the OA unit, and lets clocks pass. What it reads is printed, line by line. A "
            "mistake in the script stops it with the line and what was expected; what was printed "
            "before stays.\n\n"
            "With --trace mmio each access to a register is a line: clock, agent, rd "
            "or wr, address, register, value, fields that are not 0, and after ! what is wrong "
            "with "
            "the access. A warning at the end counts accesses that had no effect or set reserved "
            "bits.",
        .examples = "tally sim data/scripts/quad.pct\n"
                    "tally sim --trace mmio data/scripts/eus.oat\n"
                    "tally sim --vcd quad.vcd data/scripts/quad.pct\n"
                    "tally sim --vcd eus.vcd data/scripts/eus.oat\n",
        .run = command_sim,
        .options = {OPTION_VCD, OPTION_TRACE, OPTION_OUTPUT},
    },
    {
        .name = "emulate",
        .operands = "-- PROGRAM [ARGUMENT]...",
        .operand_values = "<file>",
        .operands_min = 1,
        .operands_max = UINT_MAX,
        .summary = "Run a program on an emulated Intel GPU.",
        .description =
            "PROGRAM and its descendants, unmodified, find /dev/dri/card0, renderD128 and their "
            "sysfs and procfs files: one modelled GPU with the i915 perf interface, GEM objects, "
            "contexts and batches, which they share. All other files are the machine's. Programs "
            "must be linked to libc.\n\n"
            "With --clock free the program's clocks follow the GPU's: time passes only while all "
            "its threads wait, so that results do not depend on how busy the machine is.\n\n"
            "With --trace mmio each access of the driver and of commands to a register of the "
            "modelled GPU is a line, as in tally sim.\n\n"
            "Exits with PROGRAM's exit status, or 128 plus the number of the signal that ended "
            "it.",
        .examples = "tally emulate --gpu skl --workload triangle -- i915-perf-recorder -d 0\n"
                    "tally emulate --log calls.txt -- intel_gpu_top -l\n",
        .run = command_emulate,
        .options = {OPTION_GPU, OPTION_WORKLOAD, OPTION_CLOCK, OPTION_PERF_REVISION, OPTION_FAULT,
                    OPTION_LOG, OPTION_TRACE, OPTION_ROOT, OPTION_QUIET},
    },
    {
        .name = "doctor",
        .operands = "",
        .summary = "Tell what this machine has: devices, permissions, optional parts.",
        .description = "Exits with 4 if there is no Intel GPU whose counters can be opened; "
                       "everything else of tally works without one.",
        .run = command_doctor,
        .options = {OPTION_METRICS, OPTION_OUTPUT},
    },
    {
        .name = "completion",
        .operands = "bash|zsh|fish",
        .operand_values = "bash zsh fish",
        .operands_min = 1,
        .operands_max = 1,
        .summary = "Print a completion script for a shell.",
        .description = "Made from the same table as this help.",
        .examples = "source <(tally completion bash)\n",
        .run = command_completion,
        .options = {OPTION_OUTPUT},
    },
    {
        .name = "version",
        .operands = "",
        .summary = "Print the version.",
        .run = command_version,
        .options = {OPTION_BUILD_OPTIONS},
    },
    {
        .name = "help",
        .operands = "[COMMAND]",
        .operand_values = "<command>",
        .operands_max = 1,
        .summary = "Show help.",
        .run = command_help,
        .options = {OPTION_MAN},
    },
};

const size_t command_count = ARRAY_COUNT(commands);

const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < command_count; i++)
        if (!strcmp(commands[i].name, name))
            return &commands[i];
    return NULL;
}
