/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VIEW_MODEL_H
#define TALLY_VIEW_MODEL_H

#include <tally/error.h>

#include "view/figures.h"

/* What `tally top` shows: devices with their histories, and which of them and of their counters, in
 * which order. It knows neither the terminal nor where samples come from. */

#define MODEL_DEVICES_MAX 16
#define MODEL_SEARCH_MAX  32

/* Orders of counters. */
enum model_sort {
    SORT_SET,  /* that of the metric set */
    SORT_NAME, /* by name */
    SORT_LOAD, /* by the filled part of the bar, the largest first */
    SORTS      /* their number */
};

enum model_mode {
    MODE_NORMAL,
    MODE_SEARCH, /* a text to search is being typed */
    MODE_CHOOSE, /* all counters, to choose which are shown */
    MODE_SETS,   /* the metric sets of the current device, to choose the one that is counted */
    MODE_HELP
};

struct model_device {
    char *name;
    struct view_device_info *info; /* NULL: nothing has arrived yet */
    bool *chosen;                  /* one for each counter: whether it is shown */
    struct history history;
    struct history frozen;    /* what is shown while paused */
    uint64_t arrived_ns;      /* CLOCK_MONOTONIC of the latest sample; 0: none */
    bool ended;               /* the source has ended */
    struct tally_error error; /* why, if code is not 0 */
    char selected[64];        /* symbol of the selected counter */
    size_t scroll;            /* first line of counters that is shown */
};

/* A metric set that can be chosen. */
struct model_set {
    char *symbol, *name;
};

struct model {
    struct model_device devices[MODEL_DEVICES_MAX];
    size_t device_count, current;
    bool side_by_side, paused;
    enum model_sort sort;
    bool reversed;
    enum model_mode mode;
    char search[MODEL_SEARCH_MAX];
    struct model_set *sets; /* of MODE_SETS */
    size_t set_count, set_selected, set_scroll;
    char set_filter[MODEL_SEARCH_MAX];
    char message[300]; /* of the last action or problem */
    bool is_warning;
};

/* Adds a device before its info has arrived. Returns 0, -E2BIG or -ENOMEM. */
int model_add_device(struct model *model, const char *name);
void model_fini(struct model *model);

/* Take an info, which the model then owns, after which samples of its counters follow; and a sample
 * that arrived at `now_ns`. */
void model_info(struct model *model, size_t device, struct view_device_info *info);
void model_sample(struct model *model, size_t device, struct view_sample *sample, uint64_t now_ns);

/* Shows a message until the next one. */
__attribute__((format(printf, 3, 4))) void model_message(struct model *model, bool is_warning,
                                                         const char *format, ...);

/* Returns the history to show: while paused, that of the moment of the pause. */
const struct history *model_history(const struct model *model, const struct model_device *device);

/* Pauses or continues. Returns 0 or -ENOMEM. */
int model_pause(struct model *model, bool paused);

/* Lists the counters to show, as indices, in their order. Free *out. Returns their number; 0 also
 * if there is no memory. */
size_t model_counters(const struct model *model, const struct model_device *device, size_t **out);

/* Moves the selection by lines, and to the next (1) or previous (-1) counter whose symbol, name or
 * group contains the search text, in any case: from the selected one on, which counts itself if
 * `stay`. Returns whether there is one. */
void model_move(struct model *model, long lines);
bool model_find(struct model *model, int direction, bool stay);

/* Lists metric sets to choose from, which the model then owns; `current` is selected. */
void model_list_sets(struct model *model, struct model_set *sets, size_t count,
                     const char *current);
void model_free_sets(struct model_set *sets, size_t count);

/* Returns whether a set is shown: its symbol or name contains the text typed, in any case. */
bool model_shows_set(const struct model *model, size_t set);

/* Moves the selection by sets that are shown; 0: to the nearest one of them. */
void model_move_set(struct model *model, long lines);

/* Returns the selected set; NULL: none is shown. */
const struct model_set *model_selected_set(const struct model *model);

/* Toggles whether the selected counter, or with `all` each one, is shown. */
void model_toggle(struct model *model, bool all);

#endif
