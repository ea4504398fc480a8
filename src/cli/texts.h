/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_TEXTS_H
#define TALLY_CLI_TEXTS_H

/* Texts of commands.c: those that several commands share, and the longest descriptions. */

// clang-format off
#define INPUT_TEXT \
    "FILE is a recording of i915-perf-recorder or tally record, a bare i915-perf stream, or a raw " \
    "report buffer; - is standard input. A bare stream needs --platform or --layout; a raw " \
    "buffer needs --layout."
#define PACKETS_TEXT \
    "With --layout pcounter/long or pcounter/short, FILE is a memory dump of a record buffer " \
    "written by NVIDIA's PCOUNTER (G84 to GT21x). "

#define RECORD_TEXT \
    "Records system-wide OA reports to a file (-o, default tally.i915-perf) until --time " \
    "has passed, COMMAND exits, or Ctrl-C is pressed. Exits with the exit status of " \
    "COMMAND. The default device is the first GPU whose counters can be opened; if there " \
    "is none, exits with 4. An existing output file is kept as FILE.old. If the kernel " \
    "lacks the configuration of the metric set, it is added for the " \
    "duration of the recording. --device list and --set list print the available devices " \
    "and metric sets.\n\n" \
    "An emulated GPU executes --workload (default triangle). Its clock runs free if only " \
    "--time ends the recording, and follows the wall clock otherwise. With the free clock, " \
    "a workload always gives the same recording, byte for byte. sim:snb, sim:ivb and " \
    "sim:vlv, " \
    "for which the kernel has no counter interface, are recorded by their registers alone; " \
    "with --driver mmio so are the others.\n\n" \
    "GPUs of NVIDIA (sim:nv10 to sim:gf119) are recorded by the registers of PCOUNTER, " \
    "which " \
    "are read once a period: a metric set, or expressions over signals (-e). What does not " \
    "fit the counters is counted in several passes, in turn within each period; terms of a " \
    "ratio are not split unless --split-ratios is given. A real card is named by its PCI " \
    "address (pci:0000:01:00.0); --allow-mmio allows writes to its registers, which are put " \
    "back at the end (docs/real-cards.md).\n\n" \
    "With --packets, an emulated GPU from G84 to GT21x records by itself: up to 12 signals " \
    "of one domain (-e), a packet once a --period or at each clock at which --stop is " \
    "true, to memory that is read while it is filled. Each packet is a report. Where the " \
    "memory began anew, or was full before it was read, the recording says so.\n\n" \
    "With --ring, the latest reports are kept in memory and written when the recording " \
    "ends. SIGUSR1 writes the current contents to FILE.1, FILE.2, ... and continues.\n\n" \
    "COMMAND can state what it is doing: lines such as \"mark NAME\", \"begin NAME\", " \
    "\"end NAME\" and \"frame\" on the descriptor that TALLY_MARK_FD names, or the functions " \
    "of <tally/mark.h>, are kept in the recording with their times, for --by mark and --by frame " \
    "(docs/marks.md).\n\n" \
    "With --delay, nothing is recorded at first. --control reads commands: enable and disable " \
    "resume and pause the recording, snapshot does what SIGUSR1 does, stop ends it, ping does " \
    "nothing; each is acknowledged by \"ack\" or \"error: REASON\". --repeat N makes N " \
    "recordings: of -o run.i915-perf run-1.i915-perf and so on, numbered with equally many " \
    "digits, or of -o DIR/ DIR/tally-1.i915-perf. It ends after a COMMAND that fails, with its exit " \
    "status, and after Ctrl-C with 130. --append continues a recording; the time in between has " \
    "no values, and is not a loss.\n\n" \
    "Missing reports are counted, and marked in the recording at the place where the " \
    "kernel lost them. Reports are buffered in memory while the disk is slow.\n\n" \
    "--fuses disables parts of an emulated GPU, as fuses do: slice=MASK, " \
    "subslice=[SLICE:]MASK, eu=[SLICE:[SUBSLICE:]]MASK, l3=MASK, vdbox=MASK and " \
    "vebox=MASK, " \
    "separated by commas; a 1 disables. Without SLICE or SUBSLICE, all of them.\n\n" \
    "With --trace mmio, each access to a register of an emulated GPU, by the driver or by " \
    "GPU commands, is printed as a line, in the format of tally sim. A warning at the end " \
    "counts accesses that had no effect."

#define MMIO_TEXT \
    "DEVICE is a modelled GPU in its power-on state, sim:skl or sim:g92, or a real one of " \
    "Intel or NVIDIA by its PCI address, pci:0000:01:00.0, which tally doctor lists. " \
    "REGISTER is an address, a range of addresses (0xa400..0xa41c), or a name: CTRL[1], " \
    "OACONTROL, CTRL for all elements of an array. A block may be in front, pmc.ENABLE, " \
    "and " \
    "from GF100 on a domain: part3.dom1.CTRL, hub.DSET_CTRL. tally list registers has all " \
    "names.\n\n" \
    "read prints registers with their fields. dump prints a line for each register of a " \
    "block (pcounter, pmc, forcewake), of a range, or of the GPU. watch reads again and " \
    "again, every --interval until --time has passed or Ctrl-C is pressed, and prints the " \
    "fields that have changed.\n\n" \
    "write writes in the order of its operands, and prints each register before and " \
    "afterwards. REGISTER.FIELD=VALUE keeps the other fields; VALUE is a number, or a name " \
    "as in CTRL[1].MODE=QUAD. What write has written stays. What watch writes, with " \
    "operands REGISTER=VALUE, is put back at the end, also by a signal.\n\n" \
    "A real card is mapped for reading only, unless --allow-mmio is given, and nothing is " \
    "written while a kernel driver is bound, unless --force is given, too. If the process " \
    "is killed, tally doctor --restore puts back what watch has changed. Reading can have " \
    "side effects on real hardware.\n\n" \
    "A note says if a value may not be the register's: an error word of NVIDIA's, all " \
    "ones, " \
    "or an Intel power domain that may sleep.\n\n" \
    "histogram counts with NVIDIA's PCOUNTER (docs/perfmon.md): for each THRESHOLD it " \
    "observes 1,000 periods from a clock at which the expression START is true to one at " \
    "which STOP is, and prints how many of them had at least so many clocks at which EVENT " \
    "is true; --time (default 1s) limits each run.\n\n" \
    "A modelled GPU executes --workload (default triangle); --signals FILE drives the " \
    "signals of one of NVIDIA instead. The clock runs free if --time is given, and follows " \
    "the wall clock " \
    "otherwise."

#define STORE_TEXT \
    "A store is an SQLite file (docs/store.md) with the reports of any number of " \
    "recordings, packed without loss, and the values of their counters: of each recording, " \
    "context, phase and interval. Every command that takes a FILE takes DB#ID, a " \
    "recording " \
    "of a store, and prints the same for it.\n\n" \
    "add creates the store if there is none, and prints a line for each FILE. A recording " \
    "that the store has already, byte for byte, is not added again. Each one is added as a " \
    "whole or not at all, also if the process is killed. Without its metric set a " \
    "recording is added without values. The same files, dates and versions give the same " \
    "store, byte for byte.\n\n" \
    "add also takes the JSON of intel_gpu_top -J, the table of dcgmi dmon and the metrics of " \
    "dcgm-exporter, whose samples can be queried beside recordings.\n\n" \
    "list prints the recordings. remove removes some; the space is used for the next " \
    "ones, and their IDs are not used again.\n\n" \
    "DB can be a database of a ClickHouse server, clickhouse://[USER[:PASSWORD]@]HOST[:PORT]/" \
    "DATABASE (clickhouses:// for HTTPS), with the tables of data/clickhouse " \
    "(docs/fleet.md). add then writes each recording to --spool first, and removes it from " \
    "there when the server has it. If the server cannot be reached, recordings stay in the " \
    "spool, and the exit code is 6; the next add, or flush, sends them. A password on the " \
    "command line can be seen by others: set TALLY_CLICKHOUSE_USER and " \
    "TALLY_CLICKHOUSE_PASSWORD, or write it to ~/.netrc (TALLY_CLICKHOUSE_NETRC).\n\n" INPUT_TEXT

#define AGENT_TEXT \
    "Records each device in rings, one after the other, as --config says (docs/fleet.md; " \
    "data/agent/example.yaml is an example, and tally lint checks one). A ring is kept if " \
    "reports were lost, if a condition is not met, or as one of so many; others are removed. " \
    "What is kept is added to an SQLite store, or sent to one in ClickHouse through a spool, " \
    "as tally store add does.\n\n" \
    "The agent stays below its limits of processor time, disk and network, and counts the " \
    "rings that it drops for that; listen serves these and the counters of the latest ring " \
    "at /metrics. At SIGTERM or Ctrl-C it finishes the rings, keeps what the rules want, and " \
    "exits with 0."

#define QUERY_TEXT \
    "Runs one SELECT on a store of tally store add, and prints its rows. Nothing can be " \
    "changed. docs/store.md has the tables and these views: recording_list, counter_values " \
    "(a row for each recording and counter), worst_contexts, phase_list, interval_list, " \
    "and " \
    "changes (from one recording to the next of the same device, set and workload)."
// clang-format on

#endif
