/* SPDX-License-Identifier: MIT */
#ifndef TALLY_TESTBENCH_OAT_H
#define TALLY_TESTBENCH_OAT_H

#include <stdio.h>

#include <tally/error.h>
#include <tally/gpu.h>
#include <tally/oa.h>

#include "testbench/script.h"

/*
 * The `.oat` language (docs/reference/oa-testbench.md): scripts that drive an OA unit (on Lakefield
 * with its interrupt tree) and print values. As extensions, a script may drive a whole GPU
 * (docs/oat.md) and use the waveforms `bursts` and `vcd` of .pct scripts.
 */
struct oat;

int oat_new(script_output *output, void *context, struct oat **out, struct tally_error *error);
void oat_free(struct oat *oat);

/* Executes one line; see pct_line(). */
int oat_line(struct oat *oat, const char *line, size_t size, struct tally_error *error);

/* Sets the receiver of the results of `expect` commands; NULL: none. */
void oat_set_expected(struct oat *oat, script_expected *expected, void *context);

/* Allows the script to read files; see pct_allow_files(). */
void oat_allow_files(struct oat *oat, script_note *note, void *context);

/* Writes a line for each register access to a file, which the caller owns and checks for errors.
 * Must be called before the first line of the script. */
void oat_set_mmio_trace(struct oat *oat, FILE *file);

/* Loads the costs of commands from a file when the script creates a GPU. path: the caller keeps it
 * as long as the script. */
void oat_set_cost(struct oat *oat, const char *path);

/* Returns whether the script drives a whole GPU. */
bool oat_has_gpu(const struct oat *oat);

/* Returns the stats of register accesses so far, of the GPU or of the unit if there is no GPU. */
struct tally_gpu_mmio_stats oat_mmio_stats(const struct oat *oat);

/* Advances the unit, or the GPU that it is part of, by `clocks`. */
typedef void oat_advance(void *target, uint64_t clocks);

/* If set, called in place of advancing time: must call `advance` for `clocks` clocks in total. */
typedef int oat_runner(void *context, const struct tally_oa *unit, oat_advance *advance,
                       void *target, uint64_t clocks, struct tally_error *error);
void oat_set_runner(struct oat *oat, oat_runner *runner, void *context);

/* Cuts runs into pieces. */
void oat_set_pace(struct oat *oat, const struct pace *pace);

#endif
