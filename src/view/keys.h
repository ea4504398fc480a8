/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VIEW_KEYS_H
#define TALLY_VIEW_KEYS_H

#include "view/model.h"

/* The keys of `tally top`: one table, from which the help is made. */

/* Keys that are not characters; terminals have several codes for them. */
enum {
    KEYS_UP = 0x110000,
    KEYS_DOWN,
    KEYS_PAGE_UP,
    KEYS_PAGE_DOWN,
    KEYS_HOME,
    KEYS_END,
    KEYS_BACKSPACE,
    KEYS_ENTER,
    KEYS_ESCAPE,
    KEYS_TAB,
    KEYS_BACK_TAB,
    KEYS_F1,
};

/* What the caller has to do after a key. */
enum keys_request {
    KEYS_NOTHING,
    KEYS_QUIT,
    KEYS_SAVE,          /* the latest records of the current device */
    KEYS_PAUSE,         /* the model was paused or continued: also replays */
    KEYS_SLOWER,        /* a longer interval */
    KEYS_FASTER,        /* a shorter one */
    KEYS_LONGER_PERIOD, /* of the reports */
    KEYS_SHORTER_PERIOD,
    KEYS_LIST_SETS,  /* model_list_sets() with those of the current device */
    KEYS_CHANGE_SET, /* to model_selected_set() */
};

/* Changes the model as a key says. `page`: lines of a page. */
enum keys_request keys_press(struct model *model, uint32_t key, size_t page);

/* Returns the n-th line of the help: the keys, and what they do; false: there is none. */
bool keys_help(size_t n, const char **keys, const char **text);

#endif
