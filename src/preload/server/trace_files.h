/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_TRACE_FILES_H
#define TALLY_PRELOAD_TRACE_FILES_H

struct server;

/* Makes the files of tracefs in the tree. Returns 0 or an errno. */
int trace_files_make(const struct server *server);

#endif
