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

/* A column of numbers in the page, one for each bucket: base64 of little-endian numbers at `at` in
 * the text of the page's data, or, if all are equal, their value. */
struct page_column {
    bool constant;
    double value;
    size_t at, length; /* characters */
};

struct page {
    struct timeline *timeline;
    struct tally_summary *summary;
    struct page_group *groups; /* contexts in ascending order, the total last */
    size_t group_count, group_capacity;
    bool broken;      /* out of memory */
    size_t data_size; /* characters of data written so far */
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

/* Appends a text with the characters that HTML and JSON in HTML reserve replaced. */
void html_text(struct output *output, const char *text);

#endif
