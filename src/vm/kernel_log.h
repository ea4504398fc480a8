/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VM_KERNEL_LOG_H
#define TALLY_VM_KERNEL_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include <tally/error.h>

#include "base/buffer.h"

/* What a guest's kernel prints: kept, and written to a file as it comes. */
struct kernel_log {
    int file; /* -1: none */
    struct buffer text;
    bool full;      /* the beginning is in `text`, and the rest was not kept */
    int file_error; /* errno of a write that failed */
};

/* Opens the file, unless `path` is NULL. Returns 0 or a negative errno with a message. */
int kernel_log_open(struct kernel_log *log, const char *path, struct tally_error *error);
void kernel_log_close(struct kernel_log *log);

/* Adds bytes of the serial port. Its carriage returns are dropped. */
void kernel_log_add(struct kernel_log *log, const char *bytes, size_t size);

/* A line of the log, without the end of line. */
struct log_line {
    const char *at;
    size_t size;
};

/* Counts the lines in which the kernel reports a problem: a warning, an error of a driver, an oops,
 * a hung task. `first` is set to the first one. */
size_t kernel_log_problems(const struct kernel_log *log, struct log_line *first);

/* Returns the line of a panic without its time, and otherwise the last line of the log. */
struct log_line kernel_log_end(const struct kernel_log *log);

#endif
