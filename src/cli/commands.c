/* SPDX-License-Identifier: MIT */
/* The command table. */
#include <limits.h>
#include <string.h>

#include <tally/sink.h>

#include "base/bits.h"
#include "cli/cli.h"
#include "cli/compare_text.h"
#include "cli/texts.h"

#define INPUT_OPTIONS  OPTION_PLATFORM, OPTION_LAYOUT, OPTION_TIMESTAMP_HZ, OPTION_MAP, OPTION_QUIET
#define METRIC_OPTIONS OPTION_METRICS, OPTION_SET, OPTION_COUNTERS, OPTION_FAIL_ON_LOSS

const struct command commands[] = {
    {
        .name = "record",
        .operands = "[--] [COMMAND...]",
        .operand_values = "<program>",
        .operands_max = 100000,
        .wraps_command = true,
        .summary = "Record the counters of a real or emulated GPU.",
        .description = RECORD_TEXT,
        .examples =
            "tally record -d sim:hsw --workload triangle -t 1s -o hsw.i915-perf\n"
            "tally record -d sim:skl -m RenderBasic -p 80us -t 100ms -o - | tally report -\n"
            "tally record -p 1ms -- glxgears\n"
            "tally record -d sim:skl/gt4 --fuses slice=0x4,eu=0xc0 -t 100ms\n"
            "tally record --ring 64M -o flight.i915-perf -- make test\n"
            "tally record -d sim:g92 -m Texture -t 1s -o g92.i915-perf\n"
            "tally record -d sim:nv40 -e busy=1:0x00 -e '1:(0x00 && !0x01)' -t 1s\n"
            "tally record -d sim:g92 --packets -e PGRAPH.IDLE -p 10us -t 100ms\n"
            "tally record -d sim:skl -- sh -c 'echo mark sleep >&$TALLY_MARK_FD; sleep 0.1'\n"
            "tally record -d sim:skl --repeat 3 -t 100ms -o before.i915-perf\n",
        .run = command_record,
        .options = {OPTION_DEVICE,   OPTION_SET,     OPTION_EXPRESSION,    OPTION_SPLIT_RATIOS,
                    OPTION_PACKETS,  OPTION_STOP,    OPTION_PACKET_MEMORY, OPTION_ALLOW_MMIO,
                    OPTION_FORCE,    OPTION_PERIOD,  OPTION_TIME,          OPTION_OUTPUT,
                    OPTION_WORKLOAD, OPTION_CLOCK,   OPTION_DRIVER,        OPTION_FAULT,
                    OPTION_FUSES,    OPTION_TRACE,   OPTION_RING,          OPTION_CONTEXT,
                    OPTION_REPEAT,   OPTION_DELAY,   OPTION_CONTROL,       OPTION_MARK_FD,
                    OPTION_CONTINUE, OPTION_METRICS, OPTION_FAIL_ON_LOSS,  OPTION_QUIET},
    },
    {
        .name = "top",
        .operands = "[FILE]",
        .operand_values = "<file>",
        .operands_max = 1,
        .summary = "Show counters live in the terminal.",
        .description =
            "Records GPUs, or replays the recording FILE, and shows the busy time of the GPU and "
            "its "
            "EUs, memory traffic, frequency, RC6 residency, the contexts, losses, and every "
            "counter "
            "of the metric set as a bar with a sparkline of the last minute. The key h lists the "
            "keys. --device may be repeated: Tab switches between the devices, v shows them side "
            "by "
            "side; m chooses another metric set. A number of events is shown as a rate per second. "
            "A value that is lost is shown "
            "as lost, one that is not defined as -, never as 0.\n\n"
            "The key s saves the latest reports of the device as a recording, in -o "
            "(default tally-top.i915-perf), then in FILE.1, FILE.2, ...; --ring is the size of "
            "what "
            "is kept. The period of the reports is --period, that of the samples on the screen "
            "--interval.\n\n"
            "--once prints one sample as text, and --format jsonl each sample as an object, with "
            "the "
            "values of report --by interval; both need no terminal, write to -o, and allow --clock "
            "free. The screen uses no colours if NO_COLOR is set or the terminal has none, and "
            "only "
            "ASCII unless the locale is UTF-8. docs/top.md describes the screen.",
        .examples = "tally top -d sim:skl\n"
                    "tally top -d sim:skl -d sim:g92 --workload contexts --interval 100ms\n"
                    "tally top --speed 4 data/samples/hsw.i915-perf\n"
                    "tally top --once -d sim:hsw -c 'eu*,GpuBusy'\n"
                    "tally top -f jsonl -t 2s -d sim:icl\n",
        .run = command_top,
        .options = {OPTION_DEVICE,   OPTION_SET,          OPTION_EXPRESSION,  OPTION_SPLIT_RATIOS,
                    OPTION_COUNTERS, OPTION_INTERVAL,     OPTION_PERIOD,      OPTION_TIME,
                    OPTION_SPEED,    OPTION_ONCE,         OPTION_LIVE_FORMAT, OPTION_OUTPUT,
                    OPTION_RING,     OPTION_WORKLOAD,     OPTION_CLOCK,       OPTION_DRIVER,
                    OPTION_FAULT,    OPTION_FUSES,        OPTION_ALLOW_MMIO,  OPTION_FORCE,
                    OPTION_METRICS,  OPTION_FAIL_ON_LOSS, OPTION_QUIET},
    },
    {
        .name = "pci",
        .operands = "",
        .summary = "Serve a modelled GPU as a PCI device to QEMU.",
        .description =
            "Waits on --socket for QEMU, whose option -device x-pci-proxy-dev,...,fd=N has a "
            "connected socket, and then is the GPU of the guest: its configuration space, BARs, "
            "interrupts (MSI, with --qtest) and accesses to memory, until QEMU ends. The guest "
            "runs "
            "an unmodified driver. docs/vm.md has QEMU's arguments.\n\n"
            "With --clock wall, the GPU's time is that of the machine, and is lost where the model "
            "is too slow. With --clock guest, the guest is stopped while the model is behind; this "
            "needs --qmp.\n\n"
            "--device also takes an NVIDIA chipset, such as sim:g92 or sim:gf100: PCOUNTER, PMC, "
            "PTIMER and "
            "the "
            "PCI device. --signals has what its counters count.\n\n"
            "A summary at the end counts accesses, interrupts and registers that the model does "
            "not have. SIGTERM and Ctrl-C end the server with it.",
        .examples =
            "tally pci -d sim:icl --socket gpu.sock --qtest qtest.sock\n"
            "tally pci -d sim:skl --socket gpu.sock --qtest qtest.sock --qmp qmp.sock --clock "
            "guest --unknown unknown.txt\n"
            "tally pci -d sim:g92 --socket gpu.sock --signals busy.pct --trace mmio\n",
        .run = command_pci,
        .options = {OPTION_SERVED_DEVICE, OPTION_SOCKET, OPTION_QTEST, OPTION_QMP, OPTION_CLOCK,
                    OPTION_WORKLOAD, OPTION_FAULT, OPTION_FUSES, OPTION_COST, OPTION_SIGNALS,
                    OPTION_TRACE, OPTION_UNKNOWN, OPTION_QUIET},
    },
    {
        .name = "report",
        .operands = "FILE",
        .operand_values = "<file>",
        .operands_min = 1,
        .operands_max = 1,
        .summary = "Compute metrics from a recording.",
        .description =
            "Evaluates every counter of the recorded metric set for every pair of consecutive "
            "reports, and prints minimum, mean, percentiles and maximum for each group and in "
            "total. "
            "\"overall\" is the equation evaluated over the group's accumulated counters. The mean "
            "is weighted by time, and minimum and maximum are those of deltas that last at least "
            "half of the recording's period. Percentiles are weighted by time too: half of the "
            "time, "
            "the value was at most p50; they are within 1/64 of the value. A value that is not "
            "defined, such as the frequency of "
            "a delta of no length, is - in a table, empty in CSV and null in JSON Lines. Losses "
            "are listed at the end and excluded from all values. A file of more than 100,000 "
            "intervals or frames is refused before anything is written; for a pipe there is no "
            "limit.\n\n"
            "Phases and frames are those of the workload that a modelled GPU ran: the phases of "
            "its file, from 1, and their repetitions. Deltas in which one phase ends and another "
            "begins are a group of their own. With --by mark the groups are the sections that the "
            "recorded program has marked, by name, and with --by frame the frames that it has "
            "(docs/marks.md); a pipe has neither.\n\n"
            "--advise states what limits the GPU: in each section of marks or phase if the "
            "recording has "
            "any, else "
            "in each context, or by --by; for the total, the share of the time. A statement has "
            "the "
            "numbers, and the rule with its source. Rules whose counters the metric set does not "
            "have are listed as not checked.\n\n" INPUT_TEXT,
        .examples =
            "tally report data/samples/hsw.i915-perf\n"
            "tally report -c 'eu*,GpuBusy' --by reason data/samples/chv.i915-perf\n"
            "tally report --advise data/samples/icl.i915-perf\n"
            "tally report --from 5ms --to 20ms --sort p95 --top 5 data/samples/icl.i915-perf\n"
            "tally report --by interval=5ms -f csv -o hsw.csv data/samples/hsw.i915-perf\n",
        .run = command_report,
        .renders = TALLY_RENDER_GROUPS | TALLY_RENDER_DELTAS,
        .options = {METRIC_OPTIONS, OPTION_ALL, OPTION_ADVISE, OPTION_BY, OPTION_FROM, OPTION_TO,
                    OPTION_SORT, OPTION_TOP, OPTION_PER_REPORT, OPTION_FORMAT, OPTION_UNITS,
                    OPTION_CSV_SAFE, OPTION_OUTPUT, INPUT_OPTIONS},
    },
    {
        .name = "compare",
        .operands = "[A] B...",
        .operand_values = "<file>",
        .operands_min = 1,
        .operands_max = INPUTS_MAX,
        .summary = "Show what has changed between recordings.",
        .description = COMPARE_TEXT,
        .examples = "tally compare data/samples/icl.i915-perf data/samples/icl.i915-perf\n"
                    "tally compare --threshold 5% --threshold GpuBusy=+1% before.i915-perf "
                    "after.i915-perf\n"
                    "tally compare --by context -f jsonl before.i915-perf after.i915-perf\n"
                    "tally compare -f html -o compare.html before.i915-perf after.i915-perf\n"
                    "tally compare --all -c 'eu*' --baseline recordings after.i915-perf\n",
        .run = command_compare,
        .renders = TALLY_RENDER_COMPARISON,
        .options = {OPTION_BASELINE, OPTION_THRESHOLD, OPTION_ALPHA, OPTION_SAMPLE, OPTION_BY,
                    METRIC_OPTIONS, OPTION_ALL, OPTION_FROM, OPTION_TO, OPTION_FORMAT,
                    OPTION_CSV_SAFE, OPTION_OUTPUT, INPUT_OPTIONS},
    },
    {
        .name = "check",
        .operands = "FILE [CONDITION...]",
        .operand_values = "<file>",
        .operands_min = 1,
        .operands_max = 1 + INPUTS_MAX,
        .summary = "Check that a recording meets conditions.",
        .description = CHECK_TEXT INPUT_TEXT,
        .examples =
            "tally check --allow-lost 5% data/samples/icl.i915-perf 'p50(GpuBusy) > 10%'\n"
            "tally check -f junit -o junit.xml --budget data/budgets/example.yaml "
            "data/samples/icl.i915-perf\n"
            "tally check --allow-lost 5% --baseline before.i915-perf after.i915-perf 'EuActive "
            "within 5%'\n"
            "tally check -f tap --allow-lost 5% --by context data/samples/icl.i915-perf "
            "'max(EuStall) "
            "<= 100%'\n",
        .run = command_check,
        .renders = TALLY_RENDER_CHECKS,
        .options = {OPTION_BUDGET, OPTION_BASELINE, OPTION_ALLOW_LOST, OPTION_BY, OPTION_METRICS,
                    OPTION_SET, OPTION_ALL, OPTION_FORMAT, OPTION_CSV_SAFE, OPTION_OUTPUT,
                    INPUT_OPTIONS},
    },
    {
        .name = "export",
        .operands = "FILE...",
        .operand_values = "<file>",
        .operands_min = 1,
        .operands_max = INPUTS_MAX,
        .summary = "Write every report's metrics for other programs.",
        .description =
            "Writes the values of report --per-report for programs: a header, one row or object "
            "for each pair of consecutive reports and, in JSON Lines, the loss ledger and totals. "
            "A delta that spans a loss has a state but no values. Numbers are the shortest that "
            "read back as the same double.\n\n"
            "-f html writes one page that needs no network: timelines with zoom and search, "
            "losses, "
            "contexts, a summary, and the equation and numbers behind each point (docs/page.md). "
            "-f svg draws up to 12 counters (-c) for a document. Recordings with more reports than "
            "fit are drawn with minimum, mean and maximum.\n\n"
            "-f perfetto writes a trace for ui.perfetto.dev, -f chrome trace events in JSON for "
            "other viewers: counters with their units and groups, contexts as slices, losses as "
            "gaps with their reason, triggers and RC6 as events. Both take several recordings, "
            "of several GPUs, at the times of their CPU clock (docs/traces.md).\n\n"
            "-f parquet writes columns for DuckDB, pandas or Spark: those of CSV, with the state "
            "of "
            "each delta, the GUID of the metric set and the uncertainty of the CPU times "
            "(docs/parquet.md). With -o DIR/, each FILE becomes "
            "DIR/gpu=GPU/set=SET/date=DATE/NAME.parquet.\n\n" INPUT_TEXT,
        .examples = "tally export -f jsonl data/samples/hsw.i915-perf\n"
                    "tally export -f perfetto -o icl.pftrace data/samples/icl.i915-perf\n"
                    "tally export -f csv -c GpuBusy -o busy.csv data/samples/icl.i915-perf\n"
                    "tally export -f html -o chv.html data/samples/chv.i915-perf\n"
                    "tally export -f svg -c 'GpuBusy,EuActive' -o chv.svg "
                    "data/samples/chv.i915-perf\n"
                    "tally export -f parquet -o runs/ data/samples/icl.i915-perf "
                    "data/samples/hsw.i915-perf\n",
        .run = command_export,
        .renders = TALLY_RENDER_DELTAS,
        .options = {METRIC_OPTIONS, OPTION_FROM, OPTION_TO, OPTION_FORMAT, OPTION_UNITS,
                    OPTION_CSV_SAFE, OPTION_DATE, OPTION_OUTPUT, INPUT_OPTIONS},
    },
    {
        .name = "info",
        .operands = "FILE",
        .operand_values = "<file>",
        .operands_min = 1,
        .operands_max = 1,
        .summary = "Show what a recording contains.",
        .description = "Prints device, topology, metric set, clocks, contexts, reasons, time range "
                       "and the loss ledger.\n\n" INPUT_TEXT "\n\n" PACKETS_TEXT
                       "Prints the number of packets, the range of cycles, the period of STOP, the "
                       "count of each signal, and losses.",
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
            "Unpacks each report by its layout: report id, timestamps, context, and every raw "
            "counter, without deltas and without a metric set. Slots of a raw buffer that the "
            "hardware has not written (id and timestamp both 0) are counted and "
            "skipped.\n\n" INPUT_TEXT "\n\n" PACKETS_TEXT
            "Prints the cycles, cause, STOP pulses and event counts of each packet. A count of "
            "65535 is saturated (marked with + in a table). Missing packets are detected by the "
            "cycle counter if STOP is periodic, and by signals that are always 1.",
        .examples = "tally decode -f jsonl data/samples/hsw.i915-perf\n"
                    "tally decode --layout ivb/101 oabuffer.bin\n"
                    "tally decode --layout pcounter/long -f csv record.bin\n",
        .run = command_decode,
        .renders = TALLY_RENDER_REPORTS | TALLY_RENDER_PACKETS,
        .options = {OPTION_FORMAT, OPTION_OUTPUT, OPTION_FAIL_ON_LOSS, INPUT_OPTIONS},
    },
    {
        .name = "explain",
        .operands = "[SET.]COUNTER [FILE@REPORT] | CHIPSET EXPRESSION... | CHIP:REGISTER[=VALUE] | "
                    "PLATFORM:OPTION",
        .operand_values = "<explain>",
        .operands_min = 1,
        .operands_max = 100000,
        .summary =
            "Explain the equation of a counter, the fields of a register, or how signals are "
            "counted.",
        .description =
            "Describes a counter and prints its equation as a tree, down to the raw counters. With "
            "FILE@REPORT, each node is shown with its value for the delta that starts at that "
            "report (counted from 0); without it, --platform or --chipset is required. Of a "
            "counter of an NVIDIA chipset, prints how each of its signals is counted: domain, "
            "selectors, and the signals and truth table in the registers.\n\n"
            "With CHIPSET EXPRESSION..., prints how PCOUNTER counts expressions over signals such "
            "as 'A && !B' (tally list signals): the domain, the counter, the signals and truth "
            "table in its registers, and the pass, if they cannot all be counted at once.\n\n"
            "With CHIP:REGISTER, prints the fields of a register of an NVIDIA chipset's PCOUNTER "
            "or an Intel platform's OA unit, given by address or name, and decodes VALUE. "
            "PLATFORM:OPTION "
            "describes an option of the modelled OA unit (tally list options).",
        .examples = "tally explain RenderBasic.EuActive --platform hsw\n"
                    "tally explain RenderBasic.EuActive data/samples/hsw.i915-perf@12\n"
                    "tally explain Texture.TextureCacheHitRate --chipset g92\n"
                    "tally explain g92 'PGRAPH.IDLE && !PGRAPH.INTR'\n"
                    "tally explain g92:0xa7c0=0x00310002\n"
                    "tally explain hsw:0x2360=0x00000275\n"
                    "tally explain snb:incoherent\n",
        .run = command_explain,
        .options = {OPTION_METRICS, OPTION_PLATFORM, OPTION_CHIPSET, OPTION_LAYOUT, OPTION_OUTPUT},
    },
    {
        .name = "why",
        .operands = "COUNTER FILE",
        .operand_values = "<why>",
        .operands_min = 2,
        .operands_max = 2,
        .summary = "Explain why a counter of a recording is zero or has no value.",
        .description =
            "Reads the whole recording, and prints which of these reasons hold, with the numbers: "
            "the recorded set does not have the counter, or no set of the GPU; the GPU does not "
            "have it, by its availability; the report layout lacks what its equation reads; "
            "reports were lost; the equation divides by 0; the GPU's clock stood still, as in RC6; "
            "or the "
            "raw counters that its equation reads counted nothing. Of those, it prints the units "
            "that they count on a modelled GPU, and whether the recorded workload drives them, or "
            "how many registers the set writes.\n\n" INPUT_TEXT,
        .examples = "tally why PsThreads data/samples/hsw.i915-perf\n"
                    "tally why GsThreads data/samples/chv.i915-perf\n",
        .run = command_why,
        .options = {OPTION_SET, OPTION_METRICS, OPTION_OUTPUT, INPUT_OPTIONS},
    },
    {
        .name = "list",
        .operands = "platforms|skus|layouts|sets|counters|chipsets|signals|registers|workloads|"
                    "faults|options|units "
                    "[NAME]",
        .operand_values = "<list>",
        .operands_min = 1,
        .operands_max = 2,
        .summary =
            "List platforms, SKUs, layouts, metric sets, counters, chipsets, signals, registers, "
            "workloads, faults, options, units.",
        .description =
            "skus lists the products of --platform or of all platforms. A modelled GPU is named by "
            "its platform, as hsw, which is the platform's common SKU, or by its SKU, as "
            "hsw/gt3.\n\n"
            "layouts (or formats) lists the layouts of reports and record buffers. sets and "
            "counters list the metric sets in the search path, for --platform, for --chipset or "
            "for all; with NAME, only that set.\n\n"
            "chipsets lists NVIDIA chipsets and the domains of their PCOUNTER. signals lists the "
            "signals that the domains of --chipset can count, by index. registers lists the "
            "registers of the PCOUNTER of --chipset, or of the OA unit and GT of --platform; with "
            "a name, only that register with its fields.\n\n"
            "workloads lists the workloads that an emulated Intel GPU can execute, and faults the "
            "fault scripts. options lists the options of a modelled OA unit, which scripts of "
            "tally "
            "sim switch, for --platform or for all platforms. units lists the units that workloads "
            "drive, with the counters, bits of the NOA bus and EU signals that count them.\n\n"
            "CSV has a column for each key of JSON Lines; arrays and objects are JSON in one "
            "field.",
        .examples = "tally list platforms\n"
                    "tally list formats --platform hsw\n"
                    "tally list counters RenderBasic --platform chv\n"
                    "tally list counters Texture --chipset g92\n"
                    "tally list signals --chipset g92 --domain 1\n"
                    "tally list registers CTRL --chipset nv30\n"
                    "tally list chipsets -f csv -o chipsets.csv\n"
                    "tally list units --platform hsw\n"
                    "tally list workloads\n",
        .run = command_list,
        .renders = TALLY_RENDER_LISTS,
        .options = {OPTION_PLATFORM, OPTION_METRICS, OPTION_CHIPSET, OPTION_DOMAIN, OPTION_FORMAT,
                    OPTION_CSV_SAFE, OPTION_OUTPUT},
    },
    {
        .name = "find",
        .operands = "WORD...",
        .operands_min = 1,
        .operands_max = 16,
        .summary = "Find metric sets, counters, registers, fields, signals and units by words.",
        .description =
            "Searches names and descriptions of all platforms and chipsets, or of --platform or "
            "--chipset, for entries that contain each WORD, in any case: the metric sets in the "
            "search path and their counters, registers and their fields, signals of PCOUNTER, and "
            "units of workloads. Entries that are the same on several GPUs are one line, with the "
            "GPUs. CSV and JSON Lines have a command for each entry that shows more of it; a table "
            "has one for each kind.\n\n"
            "Exits with 1 if nothing was found.",
        .examples = "tally find busy\n"
                    "tally find sampler texel --platform hsw\n"
                    "tally find -f jsonl PGRAPH idle --chipset g92\n",
        .run = command_find,
        .renders = TALLY_RENDER_LISTS,
        .options = {OPTION_PLATFORM, OPTION_CHIPSET, OPTION_METRICS, OPTION_FORMAT, OPTION_CSV_SAFE,
                    OPTION_OUTPUT},
    },
    {
        .name = "lint",
        .operands = "FILE...",
        .operand_values = "<file>",
        .operands_min = 1,
        .operands_max = 100000,
        .summary =
            "Check metric sets, workloads, fault scripts, costs, rules of advice and budgets.",
        .description =
            "Metric sets (XML): checks the syntax and stack of every equation, unknown variables, "
            "cycles, duplicates, units, raw counters that the platform does not have, possible "
            "division by zero, percentages that can exceed 100 and, for emulated platforms, "
            "writes to unknown registers.\n\n"
            "Metric sets of NVIDIA's chipsets (FILE.yaml with \"chipsets\"): plans the signals of "
            "each set on each chipset, and checks for unknown signals, symbols and selectors, "
            "expressions with too many signals, cycles, and ratios whose terms cannot be counted "
            "at the same time; warns of counts that cover a part of the time.\n\n"
            "Workloads (FILE.yaml): checks for unknown units and keys, missing keys, values out of "
            "range, and shares whose sum exceeds 1. With --platform, also notes activities that no "
            "counter of the platform can count.\n\n"
            "Fault scripts (FILE.yaml with a list \"faults\"): checks for unknown and missing "
            "keys, values out of range, and faults that exclude each other.\n\n"
            "Costs of commands (FILE.yaml with a list \"numbers\"): checks for unknown numbers, "
            "values out of range, and missing sources.\n\n"
            "Rules of advice (FILE.yaml with a list \"rules\"): checks for unknown and missing "
            "keys, and the syntax of conditions.\n\n"
            "Budgets of tally check (FILE.yaml with a list \"checks\"): checks for unknown and "
            "missing keys, and the syntax of bounds, shares and places.\n\n"
            "Exits with 1 if there are errors, but not for warnings and notes.",
        .examples = "tally lint data/metrics/oa-hsw.xml\n"
                    "tally lint --platform snb data/workloads/triangle.yaml\n"
                    "tally lint data/budgets/example.yaml\n",
        .run = command_lint,
        .options = {OPTION_PLATFORM, OPTION_OUTPUT, OPTION_QUIET},
    },
    {
        .name = "store",
        .operands = "add DB FILE... | list DB | remove DB ID... | flush URL",
        .operand_values = "<store>",
        .operands_min = 2,
        .operands_max = UINT_MAX,
        .summary = "Keep recordings in one file, or in ClickHouse, and query them.",
        .description = STORE_TEXT,
        .examples = "tally store add fleet.db data/samples/hsw.i915-perf\n"
                    "tally store add --date 2026-11-27 fleet.db data/samples/icl.i915-perf\n"
                    "tally store list fleet.db\n"
                    "tally report 'fleet.db#1'\n"
                    "tally store remove fleet.db 2\n",
        .run = command_store,
        .renders = TALLY_RENDER_LISTS,
        .options = {OPTION_DATE, OPTION_SPOOL, OPTION_SPOOL_MAX, OPTION_ANSWER_TIMEOUT, OPTION_SET,
                    OPTION_METRICS, OPTION_FORMAT, OPTION_CSV_SAFE, OPTION_OUTPUT, INPUT_OPTIONS},
    },
    {
        .name = "query",
        .operands = "DB SQL",
        .operand_values = "<file>",
        .operands_min = 2,
        .operands_max = 2,
        .summary = "Query a store with SQL.",
        .description = QUERY_TEXT,
        .examples =
            "tally query fleet.db \"SELECT recording, name, overall FROM counter_values WHERE "
            "counter = 'EuActive' ORDER BY overall DESC LIMIT 10\"\n"
            "tally query -f csv fleet.db \"SELECT * FROM worst_contexts WHERE rank <= 3\"\n",
        .run = command_query,
        .renders = TALLY_RENDER_LISTS,
        .options = {OPTION_ANSWER_TIMEOUT, OPTION_FORMAT, OPTION_CSV_SAFE, OPTION_OUTPUT},
    },
    {
        .name = "agent",
        .operands = "",
        .summary = "Record a machine's GPUs in rings, and keep what rules want.",
        .description = AGENT_TEXT,
        .examples = "tally lint data/agent/example.yaml\n",
        .run = command_agent,
        .options = {OPTION_CONFIG},
    },
    {
        .name = "serve",
        .operands = "[FOLDER]",
        .operand_values = "<directory>",
        .operands_max = 1,
        .summary = "Serve live counters: a page, an API, time series.",
        .description =
            "Counts each --device and serves what it counts: a page at / with values of the last "
            "minute, an API in JSON below /api/, and time series for Prometheus at /metrics "
            "(docs/serve.md). From the page, recordings to FOLDER are started and stopped, and "
            "those in it are downloaded; nothing else can be read or written.\n\n"
            "Listens on 127.0.0.1 only. --listen takes another address; other machines then need "
            "the token of --token. Ends at Ctrl-C or SIGTERM, and completes recordings.",
        .examples = "tally serve -d sim:icl\n"
                    "tally serve -d sim:icl -d sim:g92 recordings\n"
                    "tally serve --listen 0.0.0.0:9477 --token @token.txt recordings\n",
        .run = command_serve,
        .options = {OPTION_DEVICE, OPTION_LISTEN, OPTION_TOKEN, OPTION_SET, OPTION_COUNTERS,
                    OPTION_PERIOD, OPTION_WORKLOAD, OPTION_FAULT, OPTION_METRICS},
    },
    {
        .name = "sim",
        .operands = "SCRIPT...",
        .operand_values = "<file>",
        .operands_min = 1,
        .operands_max = UINT_MAX,
        .summary = "Run scripts on a model of the counter hardware.",
        .description =
            "SCRIPT (- is standard input) selects an NVIDIA chipset (the .pct language) or an "
            "Intel platform (.oat), drives the signals, writes and reads the registers of PCOUNTER "
            "or the OA unit, and advances the clock. Values read are printed, one per line. An "
            "error in the script stops it at that line. Each of several scripts has a model of its "
            "own.\n\n"
            "The command expect of both languages compares a value with what it should be. If one "
            "differs, a line says where, the script continues, and the exit code is 1 at the end. "
            "With --tap, each expect is a test of the Test Anything Protocol (version 13), named "
            "by "
            "the comment of its line; a failed one has a YAML block. Values that the scripts print "
            "become comments, and an error in a script ends the tests with Bail out!.\n\n"
            "With --trace mmio, each register access is printed as a line: clock, agent, rd or wr, "
            "address, register, value, nonzero fields and, after !, the problem with the access. A "
            "warning at the end counts accesses that had no effect or set reserved bits.\n\n"
            "With --cost FILE, the draws, walkers and blits of a script that drives a whole GPU "
            "cost what the file says; numbers that it does not give are the built-in ones.\n\n"
            "A signal such as Ctrl-C ends a script within a line that runs long; what was printed "
            "stays, and the exit code is 128 plus the number of the signal.",
        .examples = "tally sim data/scripts/quad.pct\n"
                    "tally sim --trace mmio data/scripts/eus.oat\n"
                    "tally sim --vcd quad.vcd data/scripts/quad.pct\n"
                    "tally sim --vcd eus.vcd data/scripts/eus.oat\n"
                    "tally sim --cost data/cost/gen11.yaml data/scripts/gpu-draw.oat\n"
                    "prove --exec 'tally sim --tap' data/scripts/driver-hsw.oat\n",
        .run = command_sim,
        .options = {OPTION_TAP, OPTION_VCD, OPTION_COST, OPTION_TRACE, OPTION_OUTPUT},
    },
    {
        .name = "mmio",
        .operands = "read|write|dump|watch DEVICE REGISTER[=VALUE]... | "
                    "histogram DEVICE START STOP EVENT THRESHOLD...",
        .operand_values = "<mmio>",
        .operands_min = 2,
        .operands_max = UINT_MAX,
        .summary = "Read, write, dump and watch registers of a modelled or real GPU.",
        .description = MMIO_TEXT,
        .examples =
            "tally mmio read sim:g92 'CTRL[1]' 0x200\n"
            "tally mmio dump sim:gf100 pmc ptimer\n"
            "tally mmio watch sim:skl --wake -t 1s --interval 100ms TIMESTAMP\n"
            "tally mmio histogram sim:g92 -t 100ms 'fall(PGRAPH.IDLE)' 'rise(PGRAPH.IDLE)' 1 10 "
            "1000 100000\n"
            "tally mmio read pci:0000:01:00.0 BOOT_0\n"
            "tally mmio write pci:01:00.0 --allow-mmio 'EVENT_SRC[1]=0x10'\n"
            "tally mmio watch pci:01:00.0 --allow-mmio 'EVENT_SRC[1]=0x10' 'CTR_EVENT[1]'\n",
        .run = command_mmio,
        .renders = TALLY_RENDER_LISTS,
        .options = {OPTION_ALLOW_MMIO, OPTION_FORCE, OPTION_WAKE, OPTION_TIME, OPTION_INTERVAL,
                    OPTION_WORKLOAD, OPTION_SIGNALS, OPTION_CLOCK, OPTION_TRACE, OPTION_FORMAT,
                    OPTION_OUTPUT},
    },
    {
        .name = "emulate",
        .operands = "[--] PROGRAM [ARGUMENT...]",
        .operand_values = "<program>",
        .operands_min = 1,
        .operands_max = UINT_MAX,
        .wraps_command = true,
        .summary = "Run a program on an emulated GPU.",
        .description =
            "PROGRAM and its descendants run unmodified, and see /dev/dri/card0, "
            "/dev/dri/renderD128 and their sysfs and procfs files. They share one emulated GPU "
            "with i915-perf, GEM objects, contexts and batches. All other files are those of the "
            "machine. Programs must be dynamically linked with libc.\n\n"
            "With a chipset of NVIDIA the device is nouveau's, with its performance counters "
            "(NVIF objects perfmon and perfdom), and without acceleration. --fault, --fuses, "
            "--cost, --memory and --perf-revision are for GPUs of Intel.\n\n"
            "With --clock virtual, the program's clocks, sleeps, timeouts and timers follow the "
            "GPU's clock: time advances only while all threads wait, and by 1 us for each call. So "
            "a sleep takes no time, and the same run gives the same bytes on any machine, busy or "
            "not. The time starts at SOURCE_DATE_EPOCH, or on 2020-01-01.\n\n"
            "With --by namespace, PROGRAM gets no library: the kernel hands its calls over, so "
            "that "
            "static programs see the GPU, too.\n\n"
            "--fuses disables parts of the GPU, as fuses do: slice=MASK, subslice=[SLICE:]MASK, "
            "eu=[SLICE:[SUBSLICE:]]MASK, l3=MASK, vdbox=MASK and vebox=MASK, separated by commas; "
            "a 1 "
            "disables. Without SLICE or SUBSLICE, all of them.\n\n"
            "With --trace mmio, each register access by the driver or by GPU commands is printed "
            "as a line, in the format of tally sim.\n\n"
            "With --cost FILE, the draws, walkers and blits of the program cost what the file "
            "says: clocks, events of the counters and memory traffic. Numbers that it does not "
            "give are the built-in ones.\n\n"
            "Exits with the exit status of PROGRAM, or 128 plus the number of the signal that "
            "killed it.",
        .examples = "tally emulate -d sim:skl --workload triangle -- i915-perf-recorder -d 0\n"
                    "tally emulate --log calls.txt -- intel_gpu_top -l\n"
                    "tally emulate --clock virtual -- timeout 10 ./program\n"
                    "tally emulate --by namespace -- ./static-program\n"
                    "tally emulate -d sim:icl --cost slow-shaders.yaml -- ./program\n"
                    "tally emulate -d sim:g92 --workload triangle -- nv_perfmon\n",
        .run = command_emulate,
        .options = {OPTION_EMULATED_DEVICE, OPTION_WORKLOAD, OPTION_EMULATED_CLOCK, OPTION_WAY,
                    OPTION_PERF_REVISION, OPTION_FAULT, OPTION_FUSES, OPTION_COST, OPTION_MEMORY,
                    OPTION_LOG, OPTION_TRACE, OPTION_ROOT, OPTION_QUIET},
    },
    {
        .name = "vm",
        .operands = "[--] [COMMAND...]",
        .operand_values = "<program>",
        .operands_max = UINT_MAX,
        .wraps_command = true,
        .summary = "Run a command on Linux with a modelled GPU in a virtual machine.",
        .description =
            "Boots a Linux kernel in QEMU, with a modelled GPU (default icl) that the kernel's own "
            "i915 drives; -d none is a machine without one. Runs COMMAND (default sh) as root "
            "in "
            "the current directory, which the guest shares, and exits with its exit status. "
            "Standard input, "
            "output and error are those of this process; on a terminal, so is the guest's "
            "console, and pressing Ctrl-] three times within a second ends the machine.\n\n"
            "The guest has busybox, COMMAND with its shared libraries or interpreter, and what "
            "--add names, at the same paths as on this machine. Other files that a program opens "
            "must be added, or be in the current directory. A name that is neither a path nor in "
            "$PATH is a command of busybox, as is sh.\n\n"
            "The kernel's messages are written to --log FILE, or at the end to standard error "
            "with --dmesg. Warnings and errors among them are reported at the end.\n\n"
            "SIGINT, SIGTERM, SIGHUP and SIGQUIT are passed to COMMAND; a second one, or ten "
            "seconds, end the machine. No file and no process is left in any case.",
        .examples = "tally vm -d sim:skl -- i915-perf-recorder -m RenderBasic -p 0.001 -o out\n"
                    "tally vm -d none -- uname -a\n"
                    "tally vm --kernel arch/x86/boot/bzImage --modules staging -- sh\n"
                    "tally vm --add lspci --add /usr/share/misc -- sh -c 'lspci -v >pci.txt'\n",
        .run = command_vm,
        .options = {OPTION_SERVED_DEVICE, OPTION_CLOCK,  OPTION_WORKLOAD,  OPTION_FAULT,
                    OPTION_FUSES,         OPTION_COST,   OPTION_SIGNALS,   OPTION_TRACE,
                    OPTION_UNKNOWN,       OPTION_KERNEL, OPTION_MODULES,   OPTION_ADD,
                    OPTION_APPEND,        OPTION_QEMU,   OPTION_MEMORY,    OPTION_TIMEOUT,
                    OPTION_LOG,           OPTION_DMESG,  OPTION_NO_DRIVER, OPTION_SLOW,
                    OPTION_QUIET},
    },
    {
        .name = "doctor",
        .operands = "",
        .summary = "Check this machine's GPUs, permissions and metric sets.",
        .description =
            "Exits with 4 if there is no Intel GPU whose counters can be opened. All "
            "commands except recording a real GPU work without one.\n\n"
            "Cards are the GPUs of Intel and NVIDIA that tally mmio can use as pci:ADDRESS: which "
            "one it is, which kernel driver is bound, and what keeps its registers from being read "
            "or written. Nothing is written.\n\n"
            "--restore puts back what a tally that was killed has left changed on cards, with "
            "--force also while a kernel driver is bound.",
        .run = command_doctor,
        .options = {OPTION_RESTORE, OPTION_FORCE, OPTION_METRICS, OPTION_OUTPUT},
    },
    {
        .name = "completion",
        .operands = "bash|zsh|fish",
        .operand_values = "bash zsh fish",
        .operands_min = 1,
        .operands_max = 1,
        .summary = "Print a completion script for a shell.",
        .description = "Generated from the same tables as this help.",
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
