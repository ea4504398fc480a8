/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VIEW_DRAW_H
#define TALLY_VIEW_DRAW_H

#include "view/canvas.h"
#include "view/model.h"

/* Draws what the model shows on the whole canvas. now_ns: CLOCK_MONOTONIC. Returns the number of
 * lines of counters, which is that of a page. */
size_t draw_model(struct model *model, struct canvas *canvas, uint64_t now_ns);

/* Writes the contexts of a sample that were on the GPU: "0x1000 25.9 %, idle 74.1 %"; as many as
 * fit. */
void draw_contexts_text(char *text, size_t size, const struct view_sample *sample);

/* Writes the processes of a sample: "glxgears [123] 25.9 %, Xorg [98] 1.0 %". */
void draw_sections_text(char *text, size_t size, const struct view_sample *sample);
void draw_clients_text(char *text, size_t size, const struct view_sample *sample);

#endif
