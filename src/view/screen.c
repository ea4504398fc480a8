/* SPDX-License-Identifier: MIT */
/* The terminal, by ncurses. */
#include "view/screen.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "base/bits.h"
#include "base/error.h"
#include "view/keys.h"

static struct {
    SCREEN *curses;
    struct termios terminal; /* as it was */
    char end[128];           /* what restores the terminal's screen */
    size_t end_size;
    bool ascii, colors;
    volatile sig_atomic_t is_open;
} screen;

/* ---- crashes --------------------------------------------------------------------------------- */

/* Calls only what a signal handler may call. */
static void restore_and_die(int number)
{
    if (screen.is_open) {
        ssize_t written = write(STDOUT_FILENO, screen.end, screen.end_size);
        (void)written;
        tcsetattr(STDIN_FILENO, TCSANOW, &screen.terminal);
    }
    raise(number); /* SA_RESETHAND: with its default action */
}

static void catch_crashes(bool on)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT};
    struct sigaction action = {.sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
    action.sa_handler = on ? restore_and_die : SIG_DFL;
    for (size_t i = 0; i < ARRAY_COUNT(numbers); i++)
        sigaction(numbers[i], &action, NULL);
}

/* Adds a capability of the terminal to what restores its screen. */
static void add_capability(const char *name)
{
    const char *text = tigetstr(name);
    size_t size = text && text != (const char *)-1 ? strlen(text) : 0;
    if (screen.end_size + size < sizeof screen.end) {
        memcpy(screen.end + screen.end_size, text ? text : "", size);
        screen.end_size += size;
    }
}

/* ---- open and close -------------------------------------------------------------------------- */

static void choose_colors(void)
{
    const char *no_color = getenv("NO_COLOR");
    screen.colors = !(no_color && *no_color) && has_colors() && start_color() == OK;
    if (!screen.colors)
        return;
    use_default_colors();
    init_pair(STYLE_GOOD, COLOR_GREEN, -1);
    init_pair(STYLE_SECOND, COLOR_YELLOW, -1);
    init_pair(STYLE_GRAPH, COLOR_CYAN, -1);
    init_pair(STYLE_WARNING, COLOR_RED, -1);
}

int screen_open(struct tally_error *error)
{
    const char *name = getenv("TERM");
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return fail(error, -ENOTTY,
                    "standard %s is not a terminal, expected one, --once or --format jsonl",
                    isatty(STDIN_FILENO) ? "output" : "input");
    setlocale(LC_CTYPE, "");
    screen.ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
    tcgetattr(STDIN_FILENO, &screen.terminal);
    screen.curses = name && *name ? newterm(NULL, stdout, stdin) : NULL;
    if (!screen.curses)
        return fail(error, -ENOTTY,
                    "unknown terminal TERM=%s, expected one of terminfo, --once or --format jsonl",
                    name ? name : "");
    const char *cup = tigetstr("cup");
    if (!cup || cup == (const char *)-1) {
        endwin();
        delscreen(screen.curses);
        return fail(error, -ENOTTY,
                    "the terminal TERM=%s cannot move its cursor, expected another one, --once or "
                    "--format jsonl",
                    name);
    }
    add_capability("sgr0");
    add_capability("cnorm");
    add_capability("rmcup");
    add_capability("rmkx");
    screen.is_open = true;
    catch_crashes(true);
    choose_colors();
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    set_escdelay(25);
    curs_set(0);
    return 0;
}

void screen_close(void)
{
    if (!screen.is_open)
        return;
    screen.is_open = false;
    catch_crashes(false);
    endwin();
    delscreen(screen.curses);
}

/* ---- output ---------------------------------------------------------------------------------- */

void screen_size(size_t *rows, size_t *columns, bool *ascii)
{
    *rows = LINES > 0 ? (size_t)LINES : 0;
    *columns = COLS > 0 ? (size_t)COLS : 0;
    *ascii = screen.ascii;
}

static attr_t attributes_of(enum style style)
{
    static const attr_t attributes[STYLES] = {
        [STYLE_BOLD] = A_BOLD,        [STYLE_DIM] = A_DIM,      [STYLE_TITLE] = A_REVERSE,
        [STYLE_SELECTED] = A_REVERSE, [STYLE_WARNING] = A_BOLD,
    };
    return attributes[style];
}

void screen_show(const struct canvas *canvas)
{
    erase();
    for (size_t row = 0; row < canvas->rows; row++) {
        for (size_t column = 0; column < canvas->columns; column++) {
            const struct cell *cell = &canvas->cells[row * canvas->columns + column];
            enum style style = (enum style)cell->style;
            if (cell->character == ' ' && style != STYLE_TITLE && style != STYLE_SELECTED)
                continue;
            const wchar_t text[] = {(wchar_t)cell->character, L'\0'};
            bool colored = screen.colors && style >= STYLE_GOOD;
            cchar_t shown;
            setcchar(&shown, text, attributes_of(style), colored ? (short)style : 0, NULL);
            mvadd_wch((int)row, (int)column, &shown);
        }
    }
    refresh();
}

/* ---- keys ------------------------------------------------------------------------------------ */

uint32_t screen_key(void)
{
    static const struct {
        wint_t code;
        uint32_t key;
    } keys[] = {
        {KEY_UP, KEYS_UP},         {KEY_DOWN, KEYS_DOWN},
        {KEY_PPAGE, KEYS_PAGE_UP}, {KEY_NPAGE, KEYS_PAGE_DOWN},
        {KEY_HOME, KEYS_HOME},     {KEY_END, KEYS_END},
        {KEY_ENTER, KEYS_ENTER},   {KEY_BACKSPACE, KEYS_BACKSPACE},
        {KEY_BTAB, KEYS_BACK_TAB}, {KEY_F(1), KEYS_F1},
        {KEY_F(10), 'q'},
    };
    wint_t code;
    for (;;) {
        int result = get_wch(&code);
        if (result == ERR)
            return 0;
        if (result != KEY_CODE_YES)
            break;
        for (size_t i = 0; i < ARRAY_COUNT(keys); i++)
            if (keys[i].code == code)
                return keys[i].key;
    }
    switch (code) {
    case '\r':
    case '\n':
        return KEYS_ENTER;
    case '\t':
        return KEYS_TAB;
    case 27:
        return KEYS_ESCAPE;
    case 127:
    case '\b':
        return KEYS_BACKSPACE;
    default:
        return code ? (uint32_t)code : UINT32_MAX;
    }
}
