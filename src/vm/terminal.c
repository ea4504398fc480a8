/* SPDX-License-Identifier: MIT */
#include "vm/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#define ESCAPE       0x1d /* Ctrl-] */
#define ESCAPES      3
#define ESCAPE_IN_NS 1000000000u

bool terminal_is_there(void)
{
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

void terminal_size(unsigned *rows, unsigned *columns)
{
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_row || !size.ws_col)
        size = (struct winsize){.ws_row = 24, .ws_col = 80};
    *rows = size.ws_row;
    *columns = size.ws_col;
}

void terminal_make_raw(struct terminal *terminal)
{
    struct termios raw;
    if (tcgetattr(STDIN_FILENO, &terminal->before) < 0)
        return;
    raw = terminal->before;
    cfmakeraw(&raw);
    terminal->is_raw = tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
}

void terminal_restore(struct terminal *terminal)
{
    if (terminal->is_raw)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal->before);
    terminal->is_raw = false;
}

bool terminal_wants_end(struct terminal *terminal, const char *keys, size_t count, uint64_t now_ns)
{
    for (size_t i = 0; i < count; i++) {
        bool in_time = now_ns - terminal->first_escape_ns < ESCAPE_IN_NS;
        if (keys[i] != ESCAPE) {
            terminal->escapes = 0;
        } else if (!terminal->escapes || !in_time) {
            terminal->escapes = 1;
            terminal->first_escape_ns = now_ns;
        } else {
            terminal->escapes++;
        }
    }
    return terminal->escapes >= ESCAPES;
}
