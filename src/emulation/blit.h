/* SPDX-License-Identifier: MIT */
#ifndef TALLY_EMULATION_BLIT_H
#define TALLY_EMULATION_BLIT_H

/*
 * Executes the commands of the blitter that fill and copy rectangles: COLOR_BLT, SRC_COPY_BLT,
 * XY_COLOR_BLT, XY_SRC_COPY_BLT and XY_FAST_COPY_BLT, in all depths and raster operations of color,
 * source and destination. Surfaces are linear, X-tiled or, of XY_FAST_COPY_BLT, Y-tiled. Other
 * commands and tilings, and clipped rectangles, leave all pixels alone.
 */

#include <tally/gpu.h>
#include <tally/platform.h>

/* Executes a command of the blitter, with the bus's reads and writes of memory. The time that it
 * takes is the cost model's. */
void emulation_blit(const struct tally_gpu_bus *bus, const struct tally_platform *platform,
                    const struct tally_gpu_command *command);

#endif
