/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VM_GUEST_BZIMAGE_H
#define TALLY_VM_GUEST_BZIMAGE_H

#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>

/* The parts of a bzImage, the form of Linux that boot loaders start (source: "The Linux/x86 Boot
 * Protocol"). They point into its bytes. */
struct bzimage {
    const char *release;    /* "6.1.0-56-amd64 (...) ...": the release ends at the first space */
    size_t release_size;    /* without what follows the space */
    const uint8_t *payload; /* the packed kernel; NULL: its place is not stated */
    size_t payload_size;
};

/* Reads the header. Returns 0; -EBADMSG: not a bzImage. The message begins with `path`. */
int bzimage_read(const char *path, const void *bytes, size_t size, struct bzimage *image,
                 struct tally_error *error);

#endif
