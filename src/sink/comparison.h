/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_COMPARISON_H
#define TALLY_SINK_COMPARISON_H

#include "compare/compare.h"
#include "sink/output.h"
#include "sink/sink.h"

/* A comparison as tally compare writes it. */
struct shown_comparison {
    const struct comparison *comparison;
    const struct compare_options *options; /* with which it was made */
    const struct compare_threshold *thresholds;
    size_t threshold_count;
    bool all; /* tables: also the counters that have not changed */
};

/* Writes a comparison in one format: the `comparison` of a sink. */
typedef void put_comparison(struct output *output, const struct shown_comparison *shown);
put_comparison table_comparison, csv_comparison, jsonl_comparison, html_comparison;

/* Writes timelines of the counters of the total that come first, those of A above those of B. Reads
 * the first recording of each side once more: errors are those of the output. */
void html_strips(struct output *output, const struct shown_comparison *shown);

/* Returns how many changes pass a limit. */
size_t comparison_passed(const struct shown_comparison *shown);

/* Formats a change as "+10.2%", "-3.00%", "0%"; "new" from 0. Returns `text`. */
#define CHANGE_BYTES 24
char *change_text(char text[CHANGE_BYTES], double change);

/* Formats the name of a group without its kind. */
void compared_group_name(char text[GROUP_TEXT_BYTES], const struct comparison *comparison,
                         const struct compare_group *group);

/* Formats a group as "total" or "phase 2". Returns `text`. */
#define COMPARED_GROUP_BYTES 160
char *compared_group_text(char text[COMPARED_GROUP_BYTES], const struct comparison *comparison,
                          const struct compare_group *group);

#endif
