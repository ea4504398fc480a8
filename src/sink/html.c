/* SPDX-License-Identifier: MIT */
/* A recording as one self-contained page: data/page has its sources, docs/page.md its format. */
#include "sink/html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Memory for the buckets of a timeline. */
#define TIMELINE_BYTES_MAX (56u << 20)

static int collect_group(struct page *page, const struct tally_group *group,
                         const struct tally_statistic *statistics, size_t counter_count)
{
    struct page_group *grown =
        array_grow(page->groups, &page->group_capacity, page->group_count, sizeof *page->groups);
    if (!grown)
        return -ENOMEM;
    page->groups = grown;
    struct tally_statistic *copy = malloc((counter_count + 1) * sizeof *copy);
    if (!copy)
        return -ENOMEM;
    memcpy(copy, statistics, counter_count * sizeof *copy);
    page->groups[page->group_count++] = (struct page_group){*group, copy};
    return 0;
}

struct page_closure {
    struct page *page;
    size_t counter_count;
};

static void on_group(void *closure, const struct tally_group *group,
                     const struct tally_statistic *statistics)
{
    struct page_closure *to = closure;
    if (collect_group(to->page, group, statistics, to->counter_count) < 0)
        to->page->broken = true;
}

/* What tally_summary_new() keeps must live as long as the page. */
struct html_state {
    struct page page;
    struct page_closure closure;
};

static void html_close(void *state)
{
    struct html_state *html = state;
    if (!html)
        return;
    for (size_t i = 0; i < html->page.group_count; i++)
        free(html->page.groups[i].statistics);
    free(html->page.groups);
    tally_summary_free(html->page.summary);
    timeline_free(html->page.timeline);
    free(html);
}

static void *html_open(const struct sink_context *context, struct tally_error *error)
{
    struct html_state *html = calloc(1, sizeof *html);
    if (html) {
        html->closure = (struct page_closure){&html->page, context->set->counter_count};
        html->page.timeline =
            timeline_new(context->info->layout, context->counter_count, TIMELINE_BYTES_MAX);
        /* The program is only used while deltas are added. */
        html->page.summary = tally_summary_new((struct tally_program *)(uintptr_t)context->program,
                                               TALLY_BY_CONTEXT, 0, on_group, &html->closure);
    }
    if (html && html->page.timeline && html->page.summary &&
        tally_summary_add_percentiles(html->page.summary) == 0)
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
    if (tally_summary_add(html->page.summary, batch, start, count) < 0 || html->page.broken)
        fail_memory(&output->error, "the summary of a page");
}

static void end(struct output *output, const struct sink_context *context)
{
    struct html_state *html = context->state;
    tally_summary_finish(html->page.summary);
    if (html->page.broken)
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
};
