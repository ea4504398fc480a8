/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VM_GUEST_ELF_H
#define TALLY_VM_GUEST_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>

/*
 * What an ELF file needs to run: its dynamic loader and its shared libraries. Read from the file's
 * headers only; nothing is executed (sources: System V ABI, its AMD64 supplement).
 */

#define ELF_NEEDED_MAX 128

struct elf_needs {
    const char *interpreter; /* path of the dynamic loader; NULL: static, or a library */
    const char *rpath;       /* directories to search first, separated by colons; or NULL */
    const char *runpath;     /* the same, for this file only, searched later; or NULL */
    const char *needed[ELF_NEEDED_MAX];
    size_t count;
};

/* Whether a file begins as an ELF file does. */
bool elf_is(const void *bytes, size_t size);

/*
 * Reads the needs of a 64-bit x86 program or library. The strings point into `bytes`. Returns 0;
 * -EBADMSG: the file is malformed; -EINVAL: it is for another processor. The message begins with
 * `path`. Thread-safe.
 */
int elf_read(const char *path, const void *bytes, size_t size, struct elf_needs *needs,
             struct tally_error *error);

/* Whether a program of this machine has no dynamic loader. size: of the file, or of a beginning of
 * it; false if the program headers are not in it. Thread-safe. */
bool elf_is_static(const void *bytes, size_t size);

/* Whether the file has a note of this owner and type, in a segment of notes. False if the file is
 * malformed. Thread-safe. */
bool elf_has_note(const void *bytes, size_t size, const char *owner, uint32_t type);

#endif
