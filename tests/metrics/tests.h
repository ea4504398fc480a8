/* SPDX-License-Identifier: MIT */
#ifndef TESTS_METRICS_TESTS_H
#define TESTS_METRICS_TESTS_H

#include "testing.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <strings.h>

#include <tally/metrics.h>

/* The group of tests of each file; returns the number of failed tests. */
int test_equation(void);
int test_operations(void);
int test_xml(void);
int test_catalog(void);
int test_environment(void);
int test_states(void);
int test_program(void);
int test_registers(void);
int test_fuzz(void);
int test_explain(void);
int test_lint(void);
int test_summary(void);
int test_groups(void);
int test_infix(void);
int test_signal_sets(void);
int test_undefined(void);
int test_pcounter_sets(void);

#define A(n)   (TALLY_SLOT_A + (n))
#define B(n)   (TALLY_SLOT_B + (n))
#define C(n)   (TALLY_SLOT_C + (n))
#define PEC(n) (TALLY_SLOT_PEC + (n))

/* A layout with A0 to A63 and the clocks of 64 signals, in 64 bits each, for NVIDIA's sets. */
extern const struct tally_layout signal_layout;

#define REPORT_ROOM 1152 /* larger than any report, and a place for any alignment */

/* ---- sets from text (files.c) -------------------------------------------------------------- */

#define UUID "0123abcd-4567-89ef-0123-456789abcdef"
#define SET_OPEN(chipset)                                                                          \
    "<metrics><set name=\"Test\" symbol_name=\"Test\" chipset=\"" chipset                          \
    "\" hw_config_guid=\"" UUID "\">"
#define SET_CLOSE "</set></metrics>"
#define U64_COUNTER(symbol, equation, more)                                                        \
    "<counter name=\"" symbol "\" symbol_name=\"" symbol                                           \
    "\" data_type=\"uint64\" units=\"events\" "                                                    \
    "equation=\"" equation "\" " more "/>\n"
#define DOUBLE_COUNTER(symbol, equation, more)                                                     \
    "<counter name=\"" symbol "\" symbol_name=\"" symbol                                           \
    "\" data_type=\"float\" units=\"percent\" "                                                    \
    "equation=\"" equation "\" " more "/>\n"

/* Loads a file of one set from text, or fails the test. */
struct tally_metric_file *load_text(const char *text, const struct tally_metric_set **set);

/* The platform that a chipset is of: "SKLGT2" is skl. */
const struct tally_platform *chipset_platform(const char *chipset);

/* The layout of a platform's full report. */
const struct tally_layout *full_layout(const struct tally_platform *platform);

/* ---- random GPUs and reports (files.c) ----------------------------------------------------- */

void random_environment(struct random *rng, const struct tally_platform *platform,
                        struct tally_environment *out);

/* A block's reports, at any alignment, and their deltas by slot, each taken by itself. */
struct block {
    uint8_t bytes[(TALLY_BLOCK + 1) * REPORT_ROOM];
    const uint8_t *reports[TALLY_BLOCK + 1];
    uint64_t deltas[TALLY_BLOCK][TALLY_SLOT_COUNT];
    uint64_t sums[TALLY_SLOT_COUNT];
};

void random_block(struct random *rng, const struct tally_layout *layout, struct block *block);

/* Are two values the same, to the bit? Any not-a-number is as good as another. */
bool same_value(union tally_value a, union tally_value b, enum tally_data_type type);

/* A value as text for messages; of four buffers in turn. */
const char *value_text(union tally_value value, enum tally_data_type type);

#endif
