/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_EMULATE_PROGRAM_H
#define TALLY_CLI_EMULATE_PROGRAM_H

#include <stddef.h>
#include <sys/types.h>

#define MAX_NAMED 16

/* The programs of which emulate_warn_unseen() has warned. */
struct emulate_unseen {
    struct {
        dev_t device;
        ino_t inode;
    } files[MAX_NAMED];
    size_t count;
};

/* Warns, once of each program, if a program sees the real machine with the preloaded library:
 * because it is static, setuid or setgid. A name without a slash is searched in $PATH. */
void emulate_warn_unseen(struct emulate_unseen *named, const char *program);

#endif
