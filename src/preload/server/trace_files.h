/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_TRACE_FILES_H
#define TALLY_PRELOAD_TRACE_FILES_H

struct server;

/* Makes the files of tracefs in the tree. Returns 0 or an errno. */
int trace_files_make(const struct server *server);

/* Rewrites `trace`, by what was recorded. */
void trace_files_update(const struct server *server);

/* Writes to a file of tracefs: its name below TRACING, and a text without spaces around. Returns 0
 * or the errno of the kernel. */
int trace_files_write(struct server *server, const char *path, const char *text);

/* A file of tracefs is opened for writing with O_TRUNC. */
void trace_files_truncated(struct server *server, const char *path);

/* Maximum number of bytes that are written at once. */
#define TRACE_FILES_MAX 4095u

#endif
