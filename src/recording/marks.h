/* SPDX-License-Identifier: MIT */
#ifndef TALLY_RECORDING_MARKS_H
#define TALLY_RECORDING_MARKS_H

#include <tally/recording.h>

#include "base/buffer.h"
#include "recording/clock.h"

/* The record MARKS (docs/recording-format.md), and the sections and frames that marks divide a
 * recording into. */

/* Names that are distinguished, with names[0], which is no mark; later ones are one name, "others".
 * Marks that are kept; the time after the last of them belongs to "others", too. */
#define MARK_NAMES_MAX 65536u
#define MARKS_MAX      (UINT32_C(1) << 24)

/* Maximum number of regions that are open at the same time; further ones are only shown. */
#define MARK_REGIONS_MAX 256

/* Where a section begins. */
struct mark_change {
    uint64_t gpu_ticks;
    uint64_t earliest; /* time before which neither this section nor a later one can begin */
    uint32_t section;  /* index of its name; MARK_OTHERS */
};

#define MARK_OTHERS UINT32_MAX

/* The marks of a recording. */
struct marks {
    struct tally_recorded_marks public;
    struct tally_recorded_mark *entries; /* gpu_ticks is the CPU time until marks_finish() */
    size_t count, capacity;
    char **names;
    size_t name_count, name_capacity;
    uint32_t *buckets; /* hash table of the names: index + 1; 0: empty */
    size_t bucket_count;
    struct mark_change *changes;
    size_t change_count, change_capacity;
    uint64_t *frames; /* when each frame ends */
    size_t frame_count, frame_capacity;
    bool full;   /* marks beyond MARKS_MAX were left out */
    bool broken; /* no memory for all marks */
};

/* Appends marks as records, as many as needed. Names are cut at TALLY_MARK_NAME_MAX bytes. */
void marks_record_put(struct buffer *to, const struct tally_mark *marks, size_t count);

/* Returns whether the payload of a record is well-formed. */
bool marks_record_check(const uint8_t *payload, size_t size);

/* Adds the marks of a well-formed record. */
void marks_add(struct marks *marks, const uint8_t *payload, size_t size);

/* Converts the times by the correlation points, sorts the marks, and finds sections and frames.
 * Returns whether there are any marks with a time. */
bool marks_finish(struct marks *marks, const struct point_list *points, uint64_t timestamp_hz);

void marks_fini(struct marks *marks);

/* Returns the number of frames that end at or before a time. */
uint64_t marks_frame(const struct tally_recorded_marks *marks, uint64_t gpu_ticks);

/* Returns the sections in order of time, and their number; of frames, when each one ends. */
size_t marks_changes(const struct tally_recorded_marks *marks, const struct mark_change **out);
size_t marks_frames(const struct tally_recorded_marks *marks, const uint64_t **out);

/* Gets the section of the time from `from` to `to`: the index of its name or MARK_OTHERS. Returns
 * false if another may begin within it. */
bool marks_section(const struct tally_recorded_marks *marks, uint64_t from, uint64_t to,
                   uint32_t *section);

#endif
