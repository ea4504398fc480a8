/* SPDX-License-Identifier: MIT */
/* What writing to the files of tracefs sets. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "preload/server/server.h"
#include "preload/server/trace_files.h"

const char *const trace_clocks[TRACE_CLOCKS] = {
    "local", "global", "counter", "uptime", "perf", "mono", "mono_raw", "boot", "tai", "x86-tsc"};
const char *const trace_options[] = {[TRACE_OVERWRITE] = "overwrite",
                                     [TRACE_MARKERS] = "markers",
                                     [TRACE_RECORD_NAMES] = "record-cmd"};

/* Copies a text without the spaces around. Returns false if it is too long. */
static bool strip(const char *text, size_t size, char out[TRACE_FILES_MAX + 1])
{
    while (size && isspace((unsigned char)text[size - 1]))
        size--;
    while (size && isspace((unsigned char)*text)) {
        text++;
        size--;
    }
    if (size > TRACE_FILES_MAX)
        return false;
    memcpy(out, text, size);
    out[size] = '\0';
    return true;
}

static int find_word(const char *word, const char *const *list, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!strcmp(word, list[i]))
            return (int)i;
    return -EINVAL;
}

/* ---- events ---------------------------------------------------------------------------------- */

int64_t trace_set_enable(const struct trace_target *target, const char *text, size_t size)
{
    uint64_t value;
    int result = control_number(text, 10, 1, &value);
    if (result < 0)
        return result;
    for (unsigned i = 0; i < I915_TRACEPOINTS; i++)
        if (target->tracepoint == I915_TRACEPOINTS || target->tracepoint == i)
            target->server->trace_log.enabled[i] = value;
    return (int64_t)size;
}

/* One for all tracepoints is set for those that have its fields, and for none without an error. */
int64_t trace_set_filter(const struct trace_target *target, const char *text, size_t size)
{
    struct trace_log *log = &target->server->trace_log;
    char filter[TRACE_FILES_MAX + 1];
    if (!strip(text, size, filter))
        return -EINVAL;
    if (target->tracepoint < I915_TRACEPOINTS) {
        int result = trace_log_filter(log, target->tracepoint, filter);
        return result < 0 ? result : (int64_t)size;
    }
    for (unsigned i = 0; i < I915_TRACEPOINTS; i++)
        trace_log_filter(log, (enum i915_tracepoint)i, filter);
    return (int64_t)size;
}

/* Whether a part of a word of set_event matches: it is empty, "*" or the name. */
static bool matches(const char *part, const char *name)
{
    return !*part || !strcmp(part, "*") || !strcmp(part, name);
}

/* Enables or disables events by a word: "!", then SYSTEM:EVENT, or the name of either. */
static int set_events(struct trace_log *log, char *word)
{
    bool enable = *word != '!', found = false;
    char *colon = strchr(word += !enable, ':');
    if (colon)
        *colon = '\0';
    if (!*word && !colon)
        return -EINVAL;
    for (unsigned i = 0; i < I915_TRACEPOINTS; i++) {
        const char *name = i915_tracepoint_info((enum i915_tracepoint)i)->name;
        if (colon ? !matches(word, "i915") || !matches(colon + 1, name)
                  : strcmp(word, "i915") && strcmp(word, name))
            continue;
        log->enabled[i] = enable;
        found = true;
    }
    return found ? 0 : -EINVAL;
}

/* Returns the bytes up to the first word, and of that word. */
static size_t find_words(const char *text, size_t size, size_t *start)
{
    size_t used = 0;
    while (used < size && isspace((unsigned char)text[used]))
        used++;
    *start = used;
    while (used < size && !isspace((unsigned char)text[used]))
        used++;
    return used;
}

/* Takes one word of each call, with the spaces that follow, as the kernel does. */
int64_t trace_set_events(const struct trace_target *target, const char *text, size_t size)
{
    char word[256];
    size_t start, used = find_words(text, size, &start), length = used - start;
    if (!length)
        return (int64_t)size;
    if (length >= sizeof word)
        return -EINVAL;
    memcpy(word, text + start, length);
    word[length] = '\0';
    int result = set_events(&target->server->trace_log, word);
    return result < 0 ? result : (int64_t)(used + (used < size));
}

int64_t trace_set_pids(const struct trace_target *target, const char *text, size_t size)
{
    struct trace_log *log = &target->server->trace_log;
    for (size_t done = 0, start, used; done < size; done += used) {
        char word[24];
        uint64_t pid;
        used = find_words(text + done, size - done, &start);
        if (used == start)
            break;
        if (used - start >= sizeof word)
            return -EINVAL;
        memcpy(word, text + done + start, used - start);
        word[used - start] = '\0';
        if (control_number(word, 0, TRACE_MAX_PID - 1, &pid) < 0)
            return -EINVAL;
        int result = trace_log_add_pid(log, (uint32_t)pid);
        if (result < 0)
            return result;
    }
    return (int64_t)size;
}

/* ---- the buffer ------------------------------------------------------------------------------ */

int64_t trace_set_on(const struct trace_target *target, const char *text, size_t size)
{
    uint64_t value;
    int result = control_number(text, 10, UINT64_MAX, &value);
    if (result == 0)
        target->server->trace_log.stopped = !value;
    return result < 0 ? result : (int64_t)size;
}

int64_t trace_set_size(const struct trace_target *target, const char *text, size_t size)
{
    struct trace_log *log = &target->server->trace_log;
    uint64_t kib = 0;
    int result = control_number(text, 10, UINT64_MAX, &kib);
    if (result == 0 && target->processor <= 0)
        result = trace_ring_resize(&log->ring, kib);
    else if (result == 0 && (!kib || kib > TRACE_RING_MAX_KIB))
        result = kib ? -ENOMEM : -EINVAL;
    for (unsigned i = 1; i < log->processors && result == 0; i++)
        if (target->processor < 0 || (unsigned)target->processor == i)
            log->other_kib[i] = kib;
    return result < 0 ? result : (int64_t)size;
}

int64_t trace_set_percent(const struct trace_target *target, const char *text, size_t size)
{
    uint64_t value;
    int result = control_number(text, 10, 100, &value);
    if (result == 0)
        target->server->trace_log.percent = (unsigned)value;
    return result < 0 ? result : (int64_t)size;
}

int64_t trace_set_names(const struct trace_target *target, const char *text, size_t size)
{
    uint64_t count;
    int result = control_number(text, 10, UINT64_MAX, &count);
    if (result == 0)
        result = trace_log_resize_names(&target->server->trace_log, count);
    return result < 0 ? result : (int64_t)size;
}

/* All clocks are the program's CLOCK_MONOTONIC. A change clears the log. */
int64_t trace_set_clock(const struct trace_target *target, const char *text, size_t size)
{
    struct trace_log *log = &target->server->trace_log;
    char name[TRACE_FILES_MAX + 1];
    int clock = strip(text, size, name) ? find_word(name, trace_clocks, TRACE_CLOCKS) : -EINVAL;
    if (clock < 0)
        return clock;
    log->clock = (unsigned)clock;
    trace_ring_clear(&log->ring);
    return (int64_t)size;
}

int64_t trace_set_tracer(const struct trace_target *target, const char *text, size_t size)
{
    char name[TRACE_FILES_MAX + 1];
    (void)target;
    return strip(text, size, name) && !strcmp(name, "nop") ? (int64_t)size : -EINVAL;
}

/* ---- options --------------------------------------------------------------------------------- */

int64_t trace_set_option(const struct trace_target *target, const char *text, size_t size)
{
    uint64_t value;
    int result = control_number(text, 10, 1, &value);
    if (result == 0)
        target->server->trace_log.options[target->index] = value;
    return result < 0 ? result : (int64_t)size;
}

int64_t trace_set_options(const struct trace_target *target, const char *text, size_t size)
{
    char name[TRACE_FILES_MAX + 1];
    if (!strip(text, size, name))
        return -EINVAL;
    bool on = strncmp(name, "no", 2) != 0;
    int option = find_word(name + (on ? 0 : 2), trace_options, TRACE_OPTIONS);
    if (option < 0)
        return option;
    target->server->trace_log.options[option] = on;
    return (int64_t)size;
}

/* What is written to `trace` is ignored. */
int64_t trace_set_nothing(const struct trace_target *target, const char *text, size_t size)
{
    (void)target;
    (void)text;
    return (int64_t)size;
}
