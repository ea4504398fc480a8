/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_MARK_LINES_H
#define TALLY_CAPTURE_MARK_LINES_H

#include <stdbool.h>

#include <tally/recording.h>

/* Lines by which a program makes marks, and by which a recording is controlled (docs/marks.md). */

/* The environment of the recorded program: the descriptor, and "DEVICE:INODE" of its file. */
#define MARK_FD_VARIABLE "TALLY_MARK_FD"
#define MARK_ID_VARIABLE "TALLY_MARK_ID"

enum mark_word {
    MARK_WORD_MARK, /* the first ones are enum tally_mark_kind */
    MARK_WORD_BEGIN,
    MARK_WORD_END,
    MARK_WORD_FRAME,
    MARK_WORD_ENABLE,
    MARK_WORD_DISABLE,
    MARK_WORD_SNAPSHOT,
    MARK_WORD_STOP,
    MARK_WORD_PING,
};

struct mark_line {
    enum mark_word word;
    uint64_t cpu_ns; /* 0: not given */
    char name[TALLY_MARK_NAME_MAX + 1];
};

#define MARKS_EXPECTED "mark NAME, begin NAME, end NAME or frame"
#define CONTROL_EXPECTED                                                                           \
    "enable, disable, snapshot, stop, ping, mark NAME, begin NAME, end NAME or frame"

/* Parses a line without its newline: "[@NS] WORD [NAME]". Returns whether it is one; of marks only
 * unless `control`. A name that is too long is cut between two characters. */
bool mark_line_parse(const char *line, bool control, struct mark_line *out);

/* Returns how many bytes of a name are kept: at most TALLY_MARK_NAME_MAX, and whole characters. */
size_t mark_name_size(const char *name, size_t size);

/* Longer lines are not understood. */
#define MARK_LINE_MAX 4096

/* Cuts bytes into lines. */
struct mark_lines {
    char line[MARK_LINE_MAX];
    size_t used;
    bool skipping; /* the rest of a line that was too long */
    bool control;
    uint64_t wrong;  /* lines that were not understood */
    char first[128]; /* the beginning of the first one, escaped */
    void (*take)(void *closure, const struct mark_line *line); /* called for each line; */
    void (*refuse)(void *closure);                             /* NULL: not called */
    void *closure;
};

void mark_lines_take(struct mark_lines *lines, const char *bytes, size_t size);

/* Ends the input: a line without its end is not understood. Another input may follow. */
void mark_lines_end(struct mark_lines *lines);

#endif
