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
 * A mark is a line that is written to the descriptor that the environment variable TALLY_MARK_FD
 * names, with the time of CLOCK_MONOTONIC (docs/marks.md). Without it, or when it was closed or is
 * used for something else, nothing happens. A call waits while the recorder is behind.
 *
 * Names are UTF-8 of at most 127 bytes; longer ones are cut, and control characters become blanks.
 *
 * Threads: all functions may be called from any thread, but not from signal handlers. They keep
 * errno, and raise no signal.
 */

#include <stdbool.h>

#include <tally/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns whether marks are recorded, to save the effort of making a name. */
TALLY_API bool tally_mark_enabled(void);

/* Begins a section, which lasts until the next tally_mark() or the end of the region that it is
 * in. */
TALLY_API void tally_mark(const char *name);

/* Begin a region, and end the latest one with this name. Regions may be nested and overlap; the
 * time belongs to the one that began last. */
TALLY_API void tally_mark_begin(const char *name);
TALLY_API void tally_mark_end(const char *name);

/* Ends a frame, and begins the next one. */
TALLY_API void tally_mark_frame(void);

#ifdef __cplusplus
}
#endif

#endif
