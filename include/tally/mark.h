/* SPDX-License-Identifier: MIT */
#ifndef TALLY_MARK_H
#define TALLY_MARK_H

/*
 * Marks: a program states what it is doing, and `tally record -- PROGRAM` keeps it with the time in
 * the recording. Reports, comparisons and checks then group counters by it (--by mark, --by frame).
 *
 *     tally_mark("load");              // a section, until the next mark
 *     load();
 *     tally_mark("render");
 *     for (int i = 0; i < 100; i++) {
 *         tally_mark_begin("shadows"); // a region within the section
 *         draw_shadows();
 *         tally_mark_end("shadows");
 *         tally_mark_frame();          // a frame ends here
 *     }
 *
 * A mark is a line with the time of CLOCK_MONOTONIC (docs/marks.md). It is written to the
 * descriptor TALLY_MARK_FD, if that is still the file TALLY_MARK_ID ("DEVICE:INODE"): the recorder
 * sets both environment variables. Without them, or after the program has closed the descriptor or
 * reused its number, the functions do nothing. They report no errors, and wait while the recorder
 * is behind.
 *
 * Names are UTF-8 and neither NULL nor empty, and are copied. Of a name of more than 127 bytes the
 * characters that fit are kept; control characters become blanks.
 *
 * Threads: all functions may be called from any thread, but not from signal handlers. They keep
 * errno, and raise no signal.
 */

#include <stdbool.h>

#include <tally/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns true if marks are recorded. A program can skip the composition of names otherwise. */
TALLY_API bool tally_mark_enabled(void);

/* Begins a section. It lasts until the next tally_mark() in the same region, or until that region
 * ends. */
TALLY_API void tally_mark(const char *name);

/* Begin a region, and end the latest one with this name. Regions may be nested, and may overlap:
 * time belongs to the region that began last. At most 256 may be open at once. */
TALLY_API void tally_mark_begin(const char *name);
TALLY_API void tally_mark_end(const char *name);

/* Ends a frame, and begins the next one. */
TALLY_API void tally_mark_frame(void);

#ifdef __cplusplus
}
#endif

#endif
