/* SPDX-License-Identifier: MIT */
#ifndef TESTS_WAVE_DUMPS_H
#define TESTS_WAVE_DUMPS_H

#include "wave/tests.h"

#include <tally/vcd.h>

#include "wave/vcd_read.h"

/* Reads a dump from memory, or in pieces through the buffer. */
struct dump {
    int result;
    struct tally_vcd_signal signal;
    struct tally_error error;
};

/* `piece`: bytes per read; 0: from memory. `limit`: longest word; 0: the default. */
struct dump dump_read(const char *bytes, size_t size, const char *name, size_t piece, size_t limit);
void dump_fini(struct dump *dump);

/* Format the toggles: "0 10 25"; and with further results: "0 10 25, end 30, x 1". */
void dump_toggles(const struct tally_vcd_signal *signal, char to[512]);
void dump_text(const struct tally_vcd_signal *signal, char to[640]);

/* Reads in several ways, which must agree, and returns the result. */
struct dump dump_read_all(unsigned line, const char *bytes, size_t size, const char *name);

/* A file in a separate directory, which test_path() names. */
const char *test_path(const char *name);

#endif
