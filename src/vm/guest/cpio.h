/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VM_GUEST_CPIO_H
#define TALLY_VM_GUEST_CPIO_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/*
 * Writes a cpio archive of the "newc" format, which Linux unpacks as its first root file system
 * (source: the kernel's documentation of the initramfs buffer format). Paths are relative to the
 * root and have no leading slash. A directory must precede its contents. All files belong to root
 * and are dated 1970, so the same contents give the same bytes.
 *
 * The archive is `bytes`; check bytes.broken after cpio_end(). {0} is an empty archive.
 */
struct cpio {
    struct buffer bytes;
    uint32_t entries;
};

/* The largest file that the format can hold. */
#define CPIO_FILE_MAX UINT32_MAX

/* `mode` has the permissions only, such as 0755. */
void cpio_directory(struct cpio *cpio, const char *path, unsigned mode);
void cpio_file(struct cpio *cpio, const char *path, unsigned mode, const void *bytes, size_t size);
void cpio_symlink(struct cpio *cpio, const char *path, const char *target);
void cpio_character_device(struct cpio *cpio, const char *path, unsigned mode, unsigned major,
                           unsigned minor);

/* Writes the trailer. */
void cpio_end(struct cpio *cpio);

#endif
