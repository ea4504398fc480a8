/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VM_GUEST_INITRAMFS_H
#define TALLY_VM_GUEST_INITRAMFS_H

#include <stdbool.h>
#include <stddef.h>

#include <tally/error.h>

#include "base/buffer.h"

/* What a guest's root file system is to have. */
struct initramfs_settings {
    const char *modules;        /* the kernel's directory of modules; "": all are built in */
    const char *const *drivers; /* modules to load before the command runs */
    size_t driver_count;
    const char
        *driver_row;          /* for a GPU that the driver's table lacks: the symbol of the device
                                 description that the script i915-new-id gives the driver; NULL: none */
    const char *const *files; /* files and programs of this machine to copy */
    size_t file_count;
    char *const *command;   /* ends with NULL; at least one word */
    const char *directory;  /* of this machine; mounted at the same path */
    bool console;           /* the command has a terminal */
    unsigned rows, columns; /* of the terminal */
};

/*
 * Makes the root file system, a cpio archive, in `out`: busybox, the command with what it needs to
 * run, the files, modules, and the init script. Returns 0, or a negative errno with a message that
 * names what is missing and the package that has it.
 */
int initramfs_make(const struct initramfs_settings *settings, struct buffer *out,
                   struct tally_error *error);

#endif
