/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VIEW_TOP_H
#define TALLY_VIEW_TOP_H

#include "sink/output.h"
#include "view/model.h"
#include "view/source.h"

/* Runs a view: live in the terminal, as a stream of JSON Lines, or one sample as text. */

struct top_settings {
    const struct view_source_settings *sources; /* whose `notify` is the view's */
    size_t source_count;                        /* 1 to MODEL_DEVICES_MAX */
    const char *save;      /* file for the latest reports; others follow as FILE.1, FILE.2, ... */
    struct output *output; /* of JSON Lines and text */
};

#define TOP_NOTES_MAX 32

struct top_note {
    char path[256];
    uint64_t reports;
    struct tally_error error;
};

/* What the caller prints when the terminal is its own again. */
struct top_result {
    struct tally_error errors[MODEL_DEVICES_MAX]; /* that ended devices; or they have no sample */
    size_t error_count;
    struct top_note notes[TOP_NOTES_MAX]; /* of files: saved, or not, by error.code */
    size_t note_count;
    bool lost; /* reports are missing, or values because of that */
};

/* Each runs until the sources end, SIGINT, SIGTERM or SIGHUP, or the key to quit. They return 0, or
 * an errno with a message: the terminal cannot be used, or a source cannot be started. */
int top_run_screen(const struct top_settings *settings, struct top_result *result,
                   struct tally_error *error);
int top_run_lines(const struct top_settings *settings, struct top_result *result,
                  struct tally_error *error);
int top_run_once(const struct top_settings *settings, struct top_result *result,
                 struct tally_error *error);

#endif
