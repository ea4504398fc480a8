/* SPDX-License-Identifier: MIT */
#ifndef TALLY_TESTBENCH_PCT_H
#define TALLY_TESTBENCH_PCT_H

#include <tally/error.h>
#include <tally/pcounter.h>

#include "testbench/script.h"

/*
 * The `.pct` language (docs/reference/pcounter-testbench.md): scripts that drive a PCOUNTER and
 * print values. A script is passed line by line, so it may have any length. Extensions:
 *
 * - Signal names instead of numbers: `sig 1 HOST_MEM_WR const 1`, and in values written to SRC
 *   registers, from signal 0 on: `wr 0xa484 HOST_MEM_WR,ZERO,0x12`.
 *
 * - All chipsets of `tally list chipsets`, with their domains and trailer bases.
 *
 * - `save <addr> <len> <file>` writes memory to a file, in the format of tally decode.
 *
 * - The waveforms `bursts <seed> <frame> <length>` and `vcd <file> <signal> [<step>]`.
 */

struct pct;

int pct_new(script_output *output, void *context, struct pct **out, struct tally_error *error);
void pct_free(struct pct *pct);

/*
 * Executes one line, with or without its newline. Returns 0; -EINVAL with a message (without the
 * line number); another negative errno if memory is short or the output fails.
 */
int pct_line(struct pct *pct, const char *line, size_t size, struct tally_error *error);

/*
 * Makes the script one that only drives the signals of an engine, whose registers belong to someone
 * else: the commands are chipset, domains (which name what the engine is), clock, trailer, sig,
 * latency and run. The engine belongs to the caller and must outlive the script. Call it before the
 * first line.
 */
void pct_drive(struct pct *pct, const struct tally_chipset *chipset, struct tally_pcounter *engine);

/* Sets the receiver of the results of `expect` commands; NULL: none. */
void pct_set_expected(struct pct *pct, script_expected *expected, void *context);

/*
 * Allows the script to access files (`vcd`, `save`). Disabled by default, because scripts may be
 * untrusted. note: receives notes for the user, such as about unknown values in a dump; may be
 * NULL.
 */
void pct_allow_files(struct pct *pct, script_note *note, void *context);

/* Writes a line (regs/trace.h) to `file` for each register access from now on. */
void pct_set_mmio_trace(struct pct *pct, FILE *file);

/* Returns the engine, or NULL before the setup of `chipset` is complete. Owned by the script. */
struct tally_pcounter *pct_engine(struct pct *pct);

/* If set, called for each `run` command: must run the engine for `ticks` ticks. */
typedef int pct_runner(void *context, struct tally_pcounter *engine, uint64_t ticks,
                       struct tally_error *error);
void pct_set_runner(struct pct *pct, pct_runner *runner, void *context);

/* Cuts runs into pieces. */
void pct_set_pace(struct pct *pct, const struct pace *pace);

#endif
