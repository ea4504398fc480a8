/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_AXIS_H
#define TALLY_SINK_AXIS_H

#include <stddef.h>

/* Axes of pictures. */

/* Returns the smallest of 1, 2 and 5 times a power of ten that is not below a number. */
double axis_step(double rough);

/* Formats a mark of an axis: a quantity without zeros at the end. */
void axis_mark(char *text, size_t size, double value, const char *units);

#endif
