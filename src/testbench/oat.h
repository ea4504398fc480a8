/* SPDX-License-Identifier: MIT */
#ifndef TALLY_TESTBENCH_OAT_H
#define TALLY_TESTBENCH_OAT_H

#include <tally/error.h>
#include <tally/oa.h>

#include "testbench/script.h"

/*
 * The `.oat` language (oa-testbench.md): scripts that drive an OA unit, on Lakefield with its
 * interrupt tree, and print what they observe.
 */
struct oat;

int oat_new(script_output *output, void *context, struct oat **out, struct tally_error *error);
void oat_free(struct oat *oat);

/* Executes one line; as pct_line(). */
int oat_line(struct oat *oat, const char *line, size_t size, struct tally_error *error);

#endif
