/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VIEW_FIGURES_H
#define TALLY_VIEW_FIGURES_H

#include "view/history.h"

/* The values of a view: those of single counters, and the key figures at its top, which are made of
 * the counters that the metric set has. */

/* A counter of a device. */
struct counter_ref {
    const struct view_device_info *info;
    size_t index;
};

/* Returns the value of a counter as it is shown: of events, the rate per second. A
 * history_value. */
double counter_value(const void *counter_ref, const struct view_sample *sample);

/* Formats a value of a counter with its unit, "-" if it is not defined; rates with "/s". */
void counter_text(char *text, size_t size, const struct view_counter *counter, double value);

/* Returns the value at which the bar of a counter is full: 100 percent, or the maximum of the
 * minute. */
double counter_scale(const struct counter_ref *counter, const struct history *history);

/* Formats a sample's value of a counter: also "lost". */
void counter_sample_text(char *text, size_t size, const struct counter_ref *counter,
                         const struct view_sample *sample);

enum figure {
    FIGURE_BUSY,
    FIGURE_EUS,
    FIGURE_MEMORY,
    FIGURE_FREQUENCY,
    FIGURE_RC6,
    FIGURES /* their number */
};

/* A key figure of a device. */
struct figure_ref {
    const struct view_device_info *info;
    enum figure figure;
};

/* Returns "GPU busy", or of NVIDIA's shaders "Shaders", ... */
const char *figure_label(const struct figure_ref *figure);

/* Returns the value; NaN: not defined, or the set does not count it. A history_value. */
double figure_value(const void *figure_ref, const struct view_sample *sample);

/* Returns the value of the second part of the bar, EU stall; NaN: it has none. */
double figure_second(const struct figure_ref *figure, const struct view_sample *sample);

/* Returns the value at which the bar is full. */
double figure_scale(const struct figure_ref *figure, const struct history *history);

/* Formats the value of a sample (NULL: none yet): also "lost", and why there is none. */
void figure_text(char *text, size_t size, const struct figure_ref *figure,
                 const struct view_sample *sample);

#endif
