/* SPDX-License-Identifier: MIT */
#ifndef TALLY_WAVE_VCD_HEADER_H
#define TALLY_WAVE_VCD_HEADER_H

#include <tally/vcd.h>

#include "wave/vcd_text.h"

/* The declarations of a dump: everything up to $enddefinitions. */

/*
 * Reads the declarations and calls `each` for every variable; a nonzero value from it ends the walk
 * and is returned. *timescale_fs is set to 0 if the dump has no timescale. Returns 0 after
 * $enddefinitions.
 */
int vcd_header_read(struct vcd_text *text,
                    int (*each)(void *closure, const struct tally_vcd_variable *variable),
                    void *closure, uint64_t *timescale_fs);

/* Skips to the $end of a command that began in line `line`. Returns 0 or an error. */
int vcd_skip_command(struct vcd_text *text, const char *command, uint64_t line);

/* Reports that the dump ends within a command that began in line `line`. Returns the error. */
int vcd_truncated(const struct vcd_text *text, const char *command, uint64_t line);

#endif
