/* SPDX-License-Identifier: MIT */
/* Files with mistakes, each of which must be reported with its line. */
#ifndef TALLY_TESTS_MISTAKES_H
#define TALLY_TESTS_MISTAKES_H

#include <errno.h>

#include <tally/error.h>

struct mistake {
    unsigned line; /* line of the row */
    const char *text;
    unsigned at; /* line of the mistake; 0: not YAML */
    const char *message;
};

struct hearing {
    const struct mistake *row;
    unsigned line;
    bool matched;
};

static void hear(void *closure, unsigned line, const char *message)
{
    struct hearing *hearing = closure;
    ROW(hearing->row->line, line >= hearing->line, "line %u after %u", line, hearing->line);
    hearing->line = line;
    hearing->matched |= line == hearing->row->at && mentions(message, hearing->row->message);
}

/* The results of a row: those of lint, and those of loading, whose message begins with the name of
 * the loaded file. */
static void check_linted(const struct hearing *hearing, int result, const struct tally_error *error)
{
    const struct mistake *row = hearing->row;
    if (row->at)
        ROW(row->line, result > 0 && hearing->matched, "%d mistakes, last in line %u; expected %s",
            result, hearing->line, row->message);
    else
        ROW(row->line, result == -EBADMSG && mentions(error->message, row->message), "%d, %s",
            result, error->message);
}

static void check_loaded(const struct mistake *row, int result, const char *name,
                         const struct tally_error *error)
{
    size_t length = strlen(name);
    ROW(row->line,
        result == -EBADMSG && !strncmp(error->message, name, length) &&
            error->message[length] == ':',
        "load: %d, %s", result, error->message);
}

#endif
