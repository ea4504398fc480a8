/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VM_GUEST_KERNEL_H
#define TALLY_VM_GUEST_KERNEL_H

#include <limits.h>
#include <stdbool.h>

#include <tally/error.h>

#include "base/buffer.h"

/* A kernel to boot, and where its modules are. */
struct kernel {
    char path[PATH_MAX];
    char release[128];      /* "6.1.0-56-amd64"; "": unknown */
    char modules[PATH_MAX]; /* the directory with modules.dep; "": everything is built in */
    struct buffer image;    /* what QEMU loads */
    bool is_packed;         /* the image unpacks itself in the guest, which takes seconds */
    struct tally_error why; /* why it is packed, if it could have been unpacked */
};

/*
 * Finds a kernel: `image` (a bzImage or vmlinux), or if that is NULL the newest one that has its
 * modules, of those that `make deps-vm` unpacked, else of the installed ones. Finds its modules:
 * `modules` (a directory with modules.dep, or a root directory that has it in lib/modules/RELEASE),
 * or if that is NULL those beside the kernel or installed. Unpacks the image if it can then be
 * booted. Returns 0 or a negative errno with a message; kernel_fini() frees it in either case.
 */
int kernel_find(const char *image, const char *modules, struct kernel *kernel,
                struct tally_error *error);

void kernel_fini(struct kernel *kernel);

#endif
