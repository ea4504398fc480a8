/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_CHECKS_H
#define TALLY_SINK_CHECKS_H

#include "base/buffer.h"
#include "compare/check.h"
#include "sink/output.h"
#include "sink/sink.h"

/* The results of tally check. */
struct shown_checks {
    const struct check_report *report;
    const char *title; /* of the budget, or NULL */
    bool all;          /* tables: also the checks that passed */
};

/* Writes results in one format: the `checks` of a sink. */
typedef void put_checks(struct output *output, const struct shown_checks *shown);
put_checks table_checks, csv_checks, jsonl_checks;

/* Formats the name of a result's group without its kind. */
void result_group_name(char text[GROUP_TEXT_BYTES], const struct check_report *report,
                       const struct check_result *result);

/* Append texts of a result, with a NUL at the end: its name or condition, and where, "busy shaders
 * in phase 2"; the units of its value; what the value is and what was expected. */
void put_result_name(struct buffer *text, const struct check_report *report,
                     const struct check_result *result);
void put_result_units(struct buffer *text, const struct check_result *result);
void put_result_message(struct buffer *text, const struct check_report *report,
                        const struct check_result *result);

#endif
