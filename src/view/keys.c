/* SPDX-License-Identifier: MIT */
#include "view/keys.h"

#include <string.h>

#include "base/bits.h"

enum action {
    ACT_NONE,
    ACT_QUIT,
    ACT_HELP,
    ACT_UP,
    ACT_DOWN,
    ACT_PAGE_UP,
    ACT_PAGE_DOWN,
    ACT_HOME,
    ACT_END,
    ACT_SEARCH,
    ACT_NEXT,
    ACT_PREVIOUS,
    ACT_CHOOSE,
    ACT_ALL,
    ACT_SETS,
    ACT_SORT,
    ACT_REVERSE,
    ACT_PAUSE,
    ACT_SLOWER,
    ACT_FASTER,
    ACT_LONGER,
    ACT_SHORTER,
    ACT_SAVE,
    ACT_NEXT_DEVICE,
    ACT_PREVIOUS_DEVICE,
    ACT_SIDE_BY_SIDE,
    ACT_BACK,
};

/* The codes of a row are zero-terminated. Rows without a text are not in the help. */
static const struct row {
    uint32_t codes[4];
    enum action action;
    const char *keys, *text;
} rows[] = {
    {{KEYS_UP, 'k'}, ACT_UP, "Up Down k j", "select a counter; its description is at the bottom"},
    {{KEYS_DOWN, 'j'}, ACT_DOWN, NULL, NULL},
    {{KEYS_PAGE_UP}, ACT_PAGE_UP, "PgUp PgDn", "a page up or down; Home End: the first, the last"},
    {{KEYS_PAGE_DOWN}, ACT_PAGE_DOWN, NULL, NULL},
    {{KEYS_HOME, 'g'}, ACT_HOME, NULL, NULL},
    {{KEYS_END, 'G'}, ACT_END, NULL, NULL},
    {{'/'}, ACT_SEARCH, "/ n N", "search a counter by symbol, name or group; next, previous"},
    {{'n'}, ACT_NEXT, NULL, NULL},
    {{'N'}, ACT_PREVIOUS, NULL, NULL},
    {{'c'}, ACT_CHOOSE, "c", "choose the counters to show: Space one, a all or none, Enter"},
    {{'a'}, ACT_ALL, NULL, NULL},
    {{'m'}, ACT_SETS, "m", "choose the metric set to count: type to search, Up Down, Enter"},
    {{'o'}, ACT_SORT, "o r", "sort by order of the set, name or load; reverse"},
    {{'r'}, ACT_REVERSE, NULL, NULL},
    {{' '}, ACT_PAUSE, "Space", "pause the display, and the replay of a recording"},
    {{'+', '='}, ACT_SLOWER, "+ -", "a longer or shorter interval between two samples"},
    {{'-'}, ACT_FASTER, NULL, NULL},
    {{'>', '.'}, ACT_LONGER, "> <", "a longer or shorter period of the GPU's reports"},
    {{'<', ','}, ACT_SHORTER, NULL, NULL},
    {{'s'}, ACT_SAVE, "s", "save the latest reports as a recording"},
    {{KEYS_TAB}, ACT_NEXT_DEVICE, "Tab v", "the next device; all devices side by side"},
    {{KEYS_BACK_TAB}, ACT_PREVIOUS_DEVICE, NULL, NULL},
    {{'v'}, ACT_SIDE_BY_SIDE, NULL, NULL},
    {{'h', '?', KEYS_F1}, ACT_HELP, "h ? F1", "this help"},
    {{'q', 'Q'}, ACT_QUIT, "q Ctrl-C", "quit"},
    {{KEYS_ESCAPE, KEYS_ENTER}, ACT_BACK, NULL, NULL},
};

bool keys_help(size_t n, const char **keys, const char **text)
{
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        if (!rows[i].text || n--)
            continue;
        *keys = rows[i].keys;
        *text = rows[i].text;
        return true;
    }
    return false;
}

static enum action action_of(uint32_t key)
{
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        for (size_t k = 0; k < ARRAY_COUNT(rows[i].codes) && rows[i].codes[k]; k++)
            if (rows[i].codes[k] == key)
                return rows[i].action;
    return ACT_NONE;
}

static void report_search(struct model *model, bool found)
{
    if (found || !*model->search)
        model_message(model, false, "%s", "");
    else
        model_message(model, true, "no counter has \"%s\"", model->search);
}

/* Changes a text of `size` bytes as a typed key says. Returns whether the key is one that does so.
 */
static bool type_key(char *text, size_t size, uint32_t key)
{
    size_t length = strlen(text);
    bool is_character = key >= ' ' && key < 127;
    if (key == KEYS_BACKSPACE && length)
        text[length - 1] = '\0';
    else if (is_character && length + 1 < size)
        memcpy(text + length, (const char[]){(char)key, '\0'}, 2);
    return is_character || key == KEYS_BACKSPACE;
}

/* Returns by how many lines an action moves the selection; 0: it does not. */
static long lines_of(enum action action, long page)
{
    const long end = 1000000;
    switch (action) {
    case ACT_UP:
    case ACT_DOWN:
        return action == ACT_UP ? -1 : 1;
    case ACT_PAGE_UP:
    case ACT_PAGE_DOWN:
        return action == ACT_PAGE_UP ? -page : page;
    case ACT_HOME:
    case ACT_END:
        return action == ACT_HOME ? -end : end;
    default:
        return 0;
    }
}

/* A key while a search text is typed. */
static void type_search(struct model *model, uint32_t key)
{
    if (key == KEYS_ENTER || key == KEYS_ESCAPE) {
        model->mode = MODE_NORMAL;
        return;
    }
    type_key(model->search, sizeof model->search, key);
    report_search(model, model_find(model, 1, true));
}

/* A key while a metric set is chosen: characters are searched. */
static enum keys_request choose_set(struct model *model, uint32_t key, enum action action,
                                    long page)
{
    model_message(model, false, "%s", "");
    if (key == KEYS_ESCAPE) {
        model->mode = MODE_NORMAL;
    } else if (key == KEYS_ENTER) {
        if (model_selected_set(model)) {
            model->mode = MODE_NORMAL;
            return KEYS_CHANGE_SET;
        }
    } else if (type_key(model->set_filter, sizeof model->set_filter, key)) {
        model_move_set(model, 0);
        if (!model_selected_set(model))
            model_message(model, true, "no metric set has \"%s\"", model->set_filter);
    } else if (lines_of(action, page)) {
        model_move_set(model, lines_of(action, page));
    }
    return KEYS_NOTHING;
}

static void switch_device(struct model *model, size_t steps)
{
    if (model->device_count)
        model->current = (model->current + steps) % model->device_count;
    if (model->device_count < 2)
        model_message(model, false, "there is one device; -d may be repeated");
}

static void start_search(struct model *model)
{
    model->mode = MODE_SEARCH;
    model->search[0] = '\0';
    model_message(model, false, "%s", "");
}

static enum keys_request pause_model(struct model *model)
{
    if (model_pause(model, !model->paused) < 0)
        model_message(model, true, "cannot pause: out of memory");
    return KEYS_PAUSE;
}

static void next_sort(struct model *model)
{
    static const char *const names[SORTS] = {"the order of the set", "name", "load"};
    model->sort = (enum model_sort)((model->sort + 1) % SORTS);
    model_message(model, false, "sorted by %s", names[model->sort]);
}

enum keys_request keys_press(struct model *model, uint32_t key, size_t page)
{
    static const enum keys_request requests[] = {
        [ACT_QUIT] = KEYS_QUIT,
        [ACT_SLOWER] = KEYS_SLOWER,
        [ACT_FASTER] = KEYS_FASTER,
        [ACT_LONGER] = KEYS_LONGER_PERIOD,
        [ACT_SHORTER] = KEYS_SHORTER_PERIOD,
        [ACT_SAVE] = KEYS_SAVE,
        [ACT_SETS] = KEYS_LIST_SETS,
        [ACT_BACK] = KEYS_NOTHING,
    };
    enum action action = action_of(key);
    if (model->mode == MODE_SEARCH) {
        type_search(model, key);
        return KEYS_NOTHING;
    }
    if (model->mode == MODE_SETS)
        return choose_set(model, key, action, (long)page);
    if (model->mode == MODE_HELP && action != ACT_QUIT) {
        model->mode = MODE_NORMAL;
        return KEYS_NOTHING;
    }
    switch (action) {
    case ACT_HELP:
        model->mode = MODE_HELP;
        break;
    case ACT_UP:
    case ACT_DOWN:
    case ACT_PAGE_UP:
    case ACT_PAGE_DOWN:
    case ACT_HOME:
    case ACT_END:
        model_move(model, lines_of(action, (long)page));
        break;
    case ACT_SEARCH:
        start_search(model);
        break;
    case ACT_NEXT:
    case ACT_PREVIOUS:
        report_search(model, model_find(model, action == ACT_NEXT ? 1 : -1, false));
        break;
    case ACT_CHOOSE:
    case ACT_BACK:
        model->mode =
            action == ACT_CHOOSE && model->mode != MODE_CHOOSE ? MODE_CHOOSE : MODE_NORMAL;
        break;
    case ACT_ALL:
        if (model->mode == MODE_CHOOSE)
            model_toggle(model, true);
        break;
    case ACT_SORT:
        next_sort(model);
        break;
    case ACT_REVERSE:
        model->reversed = !model->reversed;
        break;
    case ACT_PAUSE:
        if (model->mode != MODE_CHOOSE)
            return pause_model(model);
        model_toggle(model, false);
        model_move(model, 1);
        break;
    case ACT_NEXT_DEVICE:
    case ACT_PREVIOUS_DEVICE:
        switch_device(model, action == ACT_NEXT_DEVICE ? 1 : model->device_count - 1);
        break;
    case ACT_SIDE_BY_SIDE:
        model->side_by_side = !model->side_by_side && model->device_count > 1;
        if (model->device_count < 2)
            switch_device(model, 0);
        break;
    default:
        return requests[action];
    }
    return KEYS_NOTHING;
}
