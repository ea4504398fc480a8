/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SERVE_FOLDER_H
#define TALLY_SERVE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>

/*
 * The folder of recordings. Files are named by a single component and opened below the folder's
 * descriptor without following symbolic links, so nothing outside can be read or written.
 */
#define SERVE_FILE_MAX 200

struct serve_folder {
    int fd; /* -1: there is no folder */
    const char *path;
};

/* Opens a folder; NULL: none. Returns 0 or a negative errno. */
int folder_open(struct serve_folder *folder, const char *path, struct tally_error *error);
void folder_close(struct serve_folder *folder);

/* Returns whether a name is that of a file of the folder: no slash, no dot in front, no control
 * characters. */
bool folder_is_name(const char *name);

/* Creates a file for writing, which must not exist; opens a regular file for reading. Return a
 * descriptor or a negative errno with *error. */
int folder_create(const struct serve_folder *folder, const char *name, struct tally_error *error);
int folder_read(const struct serve_folder *folder, const char *name, struct tally_error *error);

/* Calls `visit` for each regular file, in no order. */
struct folder_entry {
    const char *name;
    uint64_t size_bytes;
    uint64_t modified_ms; /* since 1970 */
};
void folder_list(const struct serve_folder *folder,
                 void (*visit)(void *closure, const struct folder_entry *entry), void *closure);

#endif
