/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VIEW_SCREEN_H
#define TALLY_VIEW_SCREEN_H

#include <tally/error.h>

#include "view/canvas.h"

/* The terminal: screen.c with ncurses, no_screen.c without. One at a time, on the thread that opens
 * it. */

/* Takes the terminal. Returns 0; or -ENOTTY: standard input or output is not a terminal, or the
 * terminal cannot show a screen; -ENOSYS: built without ncurses; with a message. */
int screen_open(struct tally_error *error);

/* Gives the terminal back as it was, once; also called by handlers of signals that end the
 * process. */
void screen_close(void);

/* Returns the size of the terminal, and whether it shows ASCII only. */
void screen_size(size_t *rows, size_t *columns, bool *ascii);

/* Shows a canvas. */
void screen_show(const struct canvas *canvas);

/* Returns the next key that was pressed, as keys_press() expects it; 0: none at present. */
uint32_t screen_key(void);

#endif
