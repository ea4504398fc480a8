/* SPDX-License-Identifier: MIT */
/* A recording as one self-contained page: data/page has its sources, docs/page.md its format. */
#include "sink/html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sink/comparison.h"

/* Memory for the buckets of a timeline. */
#define TIMELINE_BYTES_MAX (56u << 20)

/* Where the groups of a summary are collected. */
struct collector {
    struct page_groups *groups;
    size_t counter_count;
    bool broken; /* out of memory */
};

static void collect(void *closure, const struct tally_group *group,
                    const struct tally_statistic *statistics)
{
    struct collector *collector = closure;
    struct page_groups *to = collector->groups;
    struct page_group *grown = array_grow(to->groups, &to->capacity, to->count, sizeof *grown);
    if (grown)
        to->groups = grown;
    struct tally_statistic *copy = malloc((collector->counter_count + 1) * sizeof *copy);
    if (!grown || !copy) {
        collector->broken = true;
        free(copy);
        return;
    }
    memcpy(copy, statistics, collector->counter_count * sizeof *copy);
    to->groups[to->count++] = (struct page_group){*group, copy};
}

struct html_state {
    struct page page;
    struct collector by_context, by_phase;
};

static void free_groups(struct page_groups *groups)
{
    for (size_t i = 0; i < groups->count; i++)
        free(groups->groups[i].statistics);
    free(groups->groups);
}

static void html_close(void *state)
{
    struct html_state *html = state;
    if (!html)
        return;
    free_groups(&html->page.groups);
    free_groups(&html->page.phases);
    tally_summary_free(html->page.by_phase);
    tally_summary_free(html->page.summary);
    timeline_free(html->page.timeline);
    free(html);
}

static struct tally_summary *summary_new(const struct sink_context *context,
                                         struct collector *collector, struct page_groups *groups,
                                         enum tally_group_by by)
{
    *collector = (struct collector){groups, context->set->counter_count, false};
    /* The program is only used while deltas are added. */
    struct tally_summary *summary = tally_summary_new(
        (struct tally_program *)(uintptr_t)context->program, by, 0, collect, collector);
    if (summary && tally_summary_add_percentiles(summary) == 0)
        return summary;
    tally_summary_free(summary);
    return NULL;
}

static void *html_open(const struct sink_context *context, struct tally_error *error)
{
    const struct tally_recording_info *info = context->info;
    struct html_state *html = calloc(1, sizeof *html);
    struct page *page = html ? &html->page : NULL;
    if (page) {
        page->timeline = timeline_new(info->layout, context->counter_count, TIMELINE_BYTES_MAX);
        page->summary = summary_new(context, &html->by_context, &page->groups, TALLY_BY_CONTEXT);
    }
    if (page && info->phases) {
        page->by_phase = summary_new(context, &html->by_phase, &page->phases, TALLY_BY_PHASE);
        if (page->by_phase)
            tally_summary_set_phases(page->by_phase, info->phases, info->recorded.timestamp_hz);
    }
    if (page && page->timeline && page->summary && (page->by_phase || !info->phases))
        return html;
    html_close(html);
    fail_memory(error, "a page");
    return NULL;
}

static void begin_deltas(struct output *output, const struct sink_context *context)
{
    char device[DEVICE_TEXT_BYTES];
    output_text(output, html_page_text.parts[0]);
    html_text(output, sink_device_title(device, context->info));
    output_text(output, " – ");
    html_text(output, context->info->path);
    output_text(output, html_page_text.parts[1]);
}

static void deltas(struct output *output, const struct sink_context *context,
                   const struct tally_batch *batch, size_t start, size_t count)
{
    struct html_state *html = context->state;
    timeline_add_results(html->page.timeline, context, batch, start, count);
    if (tally_summary_add(html->page.summary, batch, start, count) < 0 ||
        (html->page.by_phase && tally_summary_add(html->page.by_phase, batch, start, count) < 0))
        fail_memory(&output->error, "the summary of a page");
}

static void end(struct output *output, const struct sink_context *context)
{
    struct html_state *html = context->state;
    tally_summary_finish(html->page.summary);
    if (html->page.by_phase)
        tally_summary_finish(html->page.by_phase);
    if (html->by_context.broken || html->by_phase.broken)
        fail_memory(&output->error, "the summary of a page");
    html_put_contents(output, context, &html->page);
    output_text(output, html_page_text.parts[3]);
}

void html_text(struct output *output, const char *text)
{
    static const struct {
        char character;
        const char *reference;
    } references[] = {
        {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    for (const char *at = text; *at;) {
        size_t plain = strcspn(at, "&<>\"'");
        output_printf(output, "%.*s", (int)plain, at);
        at += plain;
        for (size_t i = 0; *at && i < sizeof references / sizeof *references; i++)
            if (*at == references[i].character)
                output_text(output, references[i].reference);
        at += *at != '\0';
    }
}

static const char *html_missing(void)
{
    return html_page_text.library ? NULL
                                  : "uPlot was not there when this tally was built: run make deps, "
                                    "then make";
}

const struct sink sink_html = {
    .name = "html",
    .title = "a page with timelines",
    .binary = true,
    .one_worker = true,
    .missing = html_missing,
    .open = html_open,
    .close = html_close,
    .begin_deltas = begin_deltas,
    .deltas = deltas,
    .end = end,
    .comparison = html_comparison,
};
