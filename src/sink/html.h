/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_HTML_H
#define TALLY_SINK_HTML_H

#include "sink/sink.h"
#include "sink/timeline.h"

/* A page of the format html (docs/page.md): while it is made, and its parts. */

/* A group of the summary, with the statistics of all counters of the set. */
struct page_group {
    struct tally_group group;
    struct tally_statistic *statistics;
};

struct page_groups {
    struct page_group *groups;
    size_t count, capacity;
};

struct page {
    struct timeline *timeline;
    struct tally_summary *summary;
    struct tally_summary *by_phase; /* NULL: the recording has no phases */
    struct page_groups groups;      /* contexts in ascending order, the total last */
    struct page_groups phases;      /* and the total again */
    size_t data_size;               /* characters of data written so far */
};

/* The text of the page around its title, its data and its header: html_page.c, which the build
 * makes of data/page. `library` is the name and version of the library for charts; NULL: it was not
 * there when Tally was built, and there are no pages. */
struct page_text {
    const char *library;
    const char *parts[4]; /* the title, the data and the header are between them */
};
extern const struct page_text html_page_text;

/* Writes the page's data: columns, as base64; and then its header, a JSON object that says where
 * each of them is. */
void html_put_contents(struct output *output, const struct sink_context *context,
                       struct page *page);

/* Appends the member "advice" of the header: what limits the GPU, by phase and in total. */
void html_put_advice(struct output *header, const struct sink_context *context,
                     const struct page *page);

/* Append the members "pauses" and, if the recording has marks, "marks". */
void html_put_pauses(struct output *header, const struct sink_context *context);
void html_put_marks(struct output *header, const struct sink_context *context);

/* Returns the time since the first report in nanoseconds. It is not rounded to them, since means
 * are weighted by the lengths of deltas. */
double html_ns(const struct sink_context *context, uint64_t ticks);

/* Appends a text with the characters that HTML and JSON in HTML reserve replaced. */
void html_text(struct output *output, const char *text);

#endif
