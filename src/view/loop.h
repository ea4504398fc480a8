/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VIEW_LOOP_H
#define TALLY_VIEW_LOOP_H

#include "view/top.h"

/* Shared by the ways to run a view (screen_loop.c, text.c): sources, their events, and signals. */
struct loop {
    const struct top_settings *settings;
    struct top_result *result;
    struct model model;
    struct view_source_settings source_settings[MODEL_DEVICES_MAX];
    struct view_source *sources[MODEL_DEVICES_MAX];
    int events;     /* an eventfd, readable when a source has an event */
    unsigned saved; /* files requested so far */
};

/* Starts the sources, and catches SIGINT, SIGTERM and SIGHUP. Returns 0 or an errno with a message.
 * Call loop_end() in either case. */
int loop_start(struct loop *loop, const struct top_settings *settings, struct top_result *result,
               struct tally_error *error);

/* Stops the sources, takes their last events, and frees everything. */
void loop_end(struct loop *loop);

/*
 * Waits for an event of a source, a signal or, if `keyboard`, a key, for at most `timeout_ms` (-1:
 * no limit), and applies the events to the model. `on_sample` (may be NULL) is called with each
 * sample before the model takes it, and returns false to end. Returns false if the view ends: by a
 * signal, because the terminal is gone, or since all sources have ended, one of them a device.
 */
typedef bool loop_sample(void *closure, size_t device, const struct view_sample *sample);
bool loop_wait(struct loop *loop, bool keyboard, int timeout_ms, loop_sample *on_sample,
               void *closure);

#endif
