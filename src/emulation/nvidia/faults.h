/* SPDX-License-Identifier: MIT */
#ifndef TALLY_EMULATION_NVIDIA_FAULTS_H
#define TALLY_EMULATION_NVIDIA_FAULTS_H

/* Faults of an emulated NVIDIA GPU (docs/faults.md): scripts as of Intel's, with other kinds. */

#include "emulation/faults/faults.h"
#include "emulation/nvidia/device.h"

struct nvidia_faults;

/* Binds a script to a GPU; both must outlive the faults. Nothing happens before
 * nvidia_faults_begin(), from which times count. Returns 0; -EINVAL with a message: a fault of
 * another GPU; -ENOMEM. */
int nvidia_faults_bind(const struct faults_script *script, struct nvidia_emulation *emulation,
                       struct nvidia_faults **out, struct tally_error *error);
void nvidia_faults_free(struct nvidia_faults *faults);

/* Begins the script, with the first stream. faults may be NULL. */
void nvidia_faults_begin(struct nvidia_faults *faults);

/* Returns until when, by the GPU's time, the recording program does not run; 0: it does. faults may
 * be NULL. */
uint64_t nvidia_faults_stalled_ns(const struct nvidia_faults *faults);

#endif
