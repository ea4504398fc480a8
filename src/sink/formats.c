/* SPDX-License-Identifier: MIT */
/* The registry of output formats. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <tally/sink.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/nearest.h"
#include "sink/packets.h"
#include "sink/sink.h"

/* To add a format, add a row here; its members determine what it supports. */
static const struct sink *const sinks[] = {&sink_table,  &sink_csv,  &sink_jsonl, &sink_perfetto,
                                           &sink_chrome, &sink_html, &sink_svg,   &sink_parquet,
                                           &sink_junit,  &sink_tap};

const struct sink *sink_at(size_t index)
{
    return index < ARRAY_COUNT(sinks) ? sinks[index] : NULL;
}

const struct sink *sink_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_COUNT(sinks); i++)
        if (!strcmp(sinks[i]->name, name))
            return sinks[i];
    return NULL;
}

unsigned sink_renders(const struct sink *sink)
{
    bool missing = sink->missing && sink->missing();
    return (sink->group ? TALLY_RENDER_GROUPS : 0u) |
           (sink->deltas && !missing ? TALLY_RENDER_DELTAS : 0u) |
           (sink->reports ? TALLY_RENDER_REPORTS : 0u) |
           (sink->packets ? TALLY_RENDER_PACKETS : 0u) | (sink->info ? TALLY_RENDER_INFO : 0u) |
           (sink->lists ? TALLY_RENDER_LISTS : 0u) |
           (sink->comparison ? TALLY_RENDER_COMPARISON : 0u) |
           (sink->checks ? TALLY_RENDER_CHECKS : 0u);
}

static size_t choose_all(unsigned renders, const char *names[ARRAY_COUNT(sinks)],
                         const struct sink *chosen[ARRAY_COUNT(sinks)])
{
    size_t count = 0;
    for (size_t i = 0; i < ARRAY_COUNT(sinks); i++) {
        if (!sink_renders(sinks[i]) || (sink_renders(sinks[i]) & renders) != renders)
            continue;
        names[count] = sinks[i]->name;
        chosen[count++] = sinks[i];
    }
    return count;
}

char *sink_names(char text[FORMATS_TEXT_BYTES], unsigned renders, bool titles)
{
    const char *names[ARRAY_COUNT(sinks)];
    const struct sink *chosen[ARRAY_COUNT(sinks)];
    size_t count = choose_all(renders, names, chosen), used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count && used < FORMATS_TEXT_BYTES; i++) {
        const char *before = !i ? "" : i + 1 < count ? ", " : " or ";
        const char *title = titles ? chosen[i]->title : NULL;
        used += (size_t)snprintf(text + used, FORMATS_TEXT_BYTES - used, "%s%s%s%s%s", before,
                                 names[i], title ? " (" : "", title ? title : "", title ? ")" : "");
    }
    return text;
}

const struct sink *sink_choose(const char *name, unsigned renders, struct tally_error *error)
{
    char expected[FORMATS_TEXT_BYTES];
    const char *names[ARRAY_COUNT(sinks)];
    const struct sink *chosen[ARRAY_COUNT(sinks)], *sink = sink_find(name);
    if (sink && sink_renders(sink) && (sink_renders(sink) & renders) == renders)
        return sink;
    if (sink && (renders & TALLY_RENDER_DELTAS) && sink->missing && sink->missing()) {
        fail(error, -ENOENT, "format \"%s\": %s", name, sink->missing());
        return NULL;
    }
    sink_names(expected, renders, false);
    const char *nearest = nearest_word(name, names, choose_all(renders, names, chosen));
    if (sink || !nearest) /* a format of this name exists: not a typo */
        fail(error, -ENOENT, "format \"%s\", expected %s", name, expected);
    else
        fail(error, -ENOENT, "format \"%s\", expected %s; did you mean %s?", name, expected,
             nearest);
    return NULL;
}

const char *tally_format_name(size_t index)
{
    return index < ARRAY_COUNT(sinks) ? sinks[index]->name : NULL;
}

unsigned tally_format_renders(const char *name)
{
    const struct sink *sink = sink_find(name);
    return sink ? sink_renders(sink) : 0;
}
