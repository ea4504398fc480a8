/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VM_TERMINAL_H
#define TALLY_VM_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

/* The terminal of this process as the console of a guest: every key is passed on. */
struct terminal {
    bool is_raw;
    struct termios before;
    unsigned escapes; /* Ctrl-] in a row */
    uint64_t first_escape_ns;
};

/* Whether standard input and output are both a terminal. */
bool terminal_is_there(void);

/* Gets the terminal's size in characters; 24 by 80 if it is unknown. */
void terminal_size(unsigned *rows, unsigned *columns);

void terminal_make_raw(struct terminal *terminal);
void terminal_restore(struct terminal *terminal);

/* Whether these keys complete three times Ctrl-] within a second, which ends the machine. */
bool terminal_wants_end(struct terminal *terminal, const char *keys, size_t count, uint64_t now_ns);

#endif
