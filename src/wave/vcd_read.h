/* SPDX-License-Identifier: MIT */
#ifndef TALLY_WAVE_VCD_READ_H
#define TALLY_WAVE_VCD_READ_H

#include <tally/vcd.h>

#include "wave/vcd_text.h"

/* tally_vcd_read() and tally_vcd_list() on any text. */

int vcd_read_text(struct vcd_text *text, const char *name, struct tally_vcd_signal *out);
int vcd_list_text(struct vcd_text *text,
                  int (*each)(void *closure, const struct tally_vcd_variable *variable),
                  void *closure);

#endif
