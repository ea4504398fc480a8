/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VM_GUEST_KERNEL_CONFIG_H
#define TALLY_VM_GUEST_KERNEL_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "vm/guest/kernel.h"

/*
 * Searches the configuration of a kernel that was given: config-RELEASE or .config beside the
 * image, or .config at the top of the source tree that has it as arch/x86/boot/bzImage. Returns
 * false if there is none, or if it has all options that a guest needs. `driver`: of the
 * GPU, "i915", or NULL. Otherwise writes a remark that names the file and the options that are
 * missing.
 */
bool kernel_config_lacks(const struct kernel *kernel, const char *driver, char *remark,
                         size_t size);

/* Appends the options that the text of a configuration lacks: "CONFIG_A, CONFIG_B". */
void kernel_config_missing(const char *text, size_t size, const char *driver, struct buffer *out);

#endif
