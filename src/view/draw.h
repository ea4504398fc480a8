/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VIEW_DRAW_H
#define TALLY_VIEW_DRAW_H

#include "view/canvas.h"
#include "view/model.h"

/* Draws what the model shows on the whole canvas. now_ns: CLOCK_MONOTONIC. Returns the number of
 * lines of counters, which is that of a page. */
size_t draw_model(struct model *model, struct canvas *canvas, uint64_t now_ns);

/* Formats a context: "0x1000", "idle", "others". Returns `name`. */
const char *draw_context_name(char name[16], uint32_t id);

/* Write the contexts of a sample that were on the GPU: "0x1000 25.9 %, idle 74.1 %"; its sections:
 * "render 60.0 %, load 40.0 %"; its processes: "glxgears [123] 25.9 %, Xorg [98] 1.0 %". As many as
 * fit. */
void draw_contexts_text(char *text, size_t size, const struct view_sample *sample);
void draw_sections_text(char *text, size_t size, const struct view_sample *sample);
void draw_clients_text(char *text, size_t size, const struct view_sample *sample);

#endif
