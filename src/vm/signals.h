/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VM_SIGNALS_H
#define TALLY_VM_SIGNALS_H

/*
 * A script that drives the signals of a PCOUNTER while a guest programs it. Its language is that of
 * .pct scripts (docs/reference/pcounter-testbench.md) without the commands for registers and
 * memory:
 *
 *     clock 1 2                      # domain 1 runs at 500 MHz: a clock every two ticks of 1 ns
 *     sig 1 PGRAPH.IDLE every 4 0    # idle at every fourth clock
 *     run 1000000                    # and after a millisecond
 *     sig 1 PGRAPH.IDLE const 1      # always, from then on
 *
 * Lines up to the first `run` take effect at time 0. The signals keep their waves after the end.
 */

#include <tally/error.h>

#include "emulation/nvidia/driven.h"

struct vm_signals;

/*
 * Loads a script for a GPU whose time has not advanced, checks all of its lines, executes those of
 * time 0, and makes the others actions of the GPU. `note` receives remarks, such as about unknown
 * values in a dump, and the error that ends the script later: out of memory, a dump that has
 * changed. Returns 0; -EINVAL and an error with file and line; another negative errno and an error.
 * The caller frees it, after which the GPU must not run.
 */
int vm_signals_new(const char *path, struct driven_gpu *driven,
                   void (*note)(void *closure, const char *text), void *closure,
                   struct vm_signals **out, struct tally_error *error);
void vm_signals_free(struct vm_signals *signals);

#endif
