/* SPDX-License-Identifier: MIT */
#include "recording/marks.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/escape.h"
#include "base/minmax.h"
#include "base/ratio.h"
#include "recording/format.h"

/* ---- the record ------------------------------------------------------------------------------ */

enum {
    MARK_CPU_NS = 0,
    MARK_UNCERTAINTY = 8, /* ns by which the mark may have been earlier */
    MARK_KIND = 12,       /* enum tally_mark_kind */
    MARK_NAME_SIZE = 13,  /* bytes of the name, which follows, padded to 8 */
    MARK_BYTES = 16,
};

/* Maximum payload of a record, so that it fits into the chunk of a recorder. */
#define PAYLOAD_MAX 32768

static size_t padded(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

void marks_record_put(struct buffer *to, const struct tally_mark *marks, size_t count)
{
    struct buffer payload = {0};
    for (size_t i = 0; i < count; i++) {
        const char *name = marks[i].name ? marks[i].name : "";
        uint8_t entry[MARK_BYTES + TALLY_MARK_NAME_MAX + 8] = {0};
        size_t size = strnlen(name, TALLY_MARK_NAME_MAX);
        store_le64(entry + MARK_CPU_NS, marks[i].cpu_ns);
        store_le32(entry + MARK_UNCERTAINTY,
                   (uint32_t)min_u64(marks[i].uncertainty_ns, UINT32_MAX));
        entry[MARK_KIND] = (uint8_t)marks[i].kind;
        entry[MARK_NAME_SIZE] = (uint8_t)size;
        memcpy(entry + MARK_BYTES, name, size);
        if (payload.size + MARK_BYTES + padded(size) > PAYLOAD_MAX) {
            record_put(to, TALLY_RECORD_MARKS, payload.bytes, payload.size);
            payload.size = 0;
        }
        buffer_append(&payload, entry, MARK_BYTES + padded(size));
    }
    if (payload.size && !payload.broken)
        record_put(to, TALLY_RECORD_MARKS, payload.bytes, payload.size);
    to->broken |= payload.broken;
    buffer_fini(&payload);
}

/* Returns the bytes of the entry at the beginning of a payload; 0: malformed. */
static size_t entry_size(const uint8_t *payload, size_t size)
{
    if (size < MARK_BYTES || payload[MARK_NAME_SIZE] > TALLY_MARK_NAME_MAX)
        return 0;
    size_t whole = MARK_BYTES + padded(payload[MARK_NAME_SIZE]);
    return whole <= size ? whole : 0;
}

bool marks_record_check(const uint8_t *payload, size_t size)
{
    size_t at = 0;
    for (size_t whole; at < size && (whole = entry_size(payload + at, size - at));)
        at += whole;
    return at == size;
}

/* ---- names ----------------------------------------------------------------------------------- */

static size_t bucket_of(const struct marks *marks, const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (const char *c = name; *c; c++)
        hash = (hash ^ (uint8_t)*c) * UINT64_C(0x100000001b3);
    size_t at = (hash ^ hash >> 32) & (marks->bucket_count - 1);
    while (marks->buckets[at] && strcmp(marks->names[marks->buckets[at] - 1], name) != 0)
        at = (at + 1) & (marks->bucket_count - 1);
    return at;
}

static bool grow_buckets(struct marks *marks)
{
    size_t count = marks->bucket_count ? marks->bucket_count * 2 : 64;
    uint32_t *buckets = calloc(count, sizeof *buckets);
    if (!buckets)
        return false;
    free(marks->buckets);
    marks->buckets = buckets;
    marks->bucket_count = count;
    for (size_t i = 0; i < marks->name_count; i++)
        buckets[bucket_of(marks, marks->names[i])] = (uint32_t)i + 1;
    return true;
}

/* Returns the index of a name, which is added if it is new; MARK_OTHERS: there are too many, or no
 * memory. */
static uint32_t find_name(struct marks *marks, const char *name)
{
    if (marks->name_count * 2 >= marks->bucket_count && !grow_buckets(marks)) {
        marks->broken = true;
        return MARK_OTHERS;
    }
    size_t bucket = bucket_of(marks, name);
    if (marks->buckets[bucket])
        return marks->buckets[bucket] - 1;
    if (marks->name_count == MARK_NAMES_MAX)
        return MARK_OTHERS;
    char **names =
        array_grow(marks->names, &marks->name_capacity, marks->name_count, sizeof *names);
    char *copy = names ? strdup(name) : NULL;
    if (names)
        marks->names = names;
    if (!copy) {
        marks->broken = true;
        return MARK_OTHERS;
    }
    names[marks->name_count++] = copy;
    marks->buckets[bucket] = (uint32_t)marks->name_count;
    return (uint32_t)marks->name_count - 1;
}

/* ---- collecting ------------------------------------------------------------------------------ */

static void add_entry(struct marks *marks, const uint8_t *entry)
{
    char name[TALLY_MARK_NAME_MAX + 1] = "";
    if (marks->count == MARKS_MAX) {
        marks->full = true;
        return;
    }
    struct tally_recorded_mark *entries =
        array_grow(marks->entries, &marks->capacity, marks->count, sizeof *entries);
    marks->broken |= !entries;
    if (!entries)
        return;
    marks->entries = entries;
    memcpy(name, entry + MARK_BYTES, entry[MARK_NAME_SIZE]);
    escape_in_place(name, sizeof name);
    entries[marks->count++] = (struct tally_recorded_mark){
        .gpu_ticks = load_le64(entry + MARK_CPU_NS),
        .uncertainty_ns = load_le32(entry + MARK_UNCERTAINTY),
        .name = find_name(marks, name),
        .kind = (enum tally_mark_kind)entry[MARK_KIND],
    };
}

void marks_add(struct marks *marks, const uint8_t *payload, size_t size)
{
    if (!marks->name_count)
        find_name(marks, "");
    for (size_t at = 0, whole; at < size && (whole = entry_size(payload + at, size - at));
         at += whole)
        if (payload[at + MARK_KIND] <= TALLY_MARK_FRAME && !marks->broken)
            add_entry(marks, payload + at);
}

/* ---- order ----------------------------------------------------------------------------------- */

static void merge(const struct tally_recorded_mark *from, size_t start, size_t middle, size_t end,
                  struct tally_recorded_mark *to)
{
    for (size_t i = start, j = middle, k = start; k < end; k++) {
        bool left = i < middle && (j == end || from[i].gpu_ticks <= from[j].gpu_ticks);
        to[k] = left ? from[i++] : from[j++];
    }
}

/* Sorts by time; marks of the same time keep their order. Returns false if out of memory. */
static bool sort(struct marks *marks)
{
    size_t count = marks->count, sorted = 1;
    struct tally_recorded_mark *from = marks->entries, *to;
    while (sorted < count && from[sorted - 1].gpu_ticks <= from[sorted].gpu_ticks)
        sorted++;
    if (sorted >= count)
        return true;
    to = malloc(count * sizeof *to);
    if (!to)
        return false;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t start = 0; start < count; start += 2 * width)
            merge(from, start, min_size(start + width, count), min_size(start + 2 * width, count),
                  to);
        marks->entries = to;
        to = from;
        from = marks->entries;
    }
    marks->capacity = count;
    free(to);
    return true;
}

/* ---- sections and frames --------------------------------------------------------------------- */

/* Regions that are open, and the sections that marks have begun in them. */
struct open_sections {
    struct {
        uint32_t name;
        bool is_region;
    } open[2 * MARK_REGIONS_MAX + 1];
    size_t count, regions;
};

static void remove_open(struct open_sections *sections, size_t at)
{
    sections->regions -= sections->open[at].is_region;
    sections->count--;
    memmove(&sections->open[at], &sections->open[at + 1],
            (sections->count - at) * sizeof sections->open[0]);
}

static void begin_region(struct marks *marks, struct open_sections *sections, uint32_t name)
{
    if (sections->regions == MARK_REGIONS_MAX) {
        marks->public.unmatched++;
        return;
    }
    sections->open[sections->count].name = name;
    sections->open[sections->count++].is_region = true;
    sections->regions++;
}

/* Ends the latest region with a name, and the section of a mark in it. */
static void end_region(struct marks *marks, struct open_sections *sections, uint32_t name)
{
    size_t at = sections->count;
    while (at && !(sections->open[at - 1].is_region && sections->open[at - 1].name == name))
        at--;
    if (!at) {
        marks->public.unmatched++;
        return;
    }
    if (at < sections->count && !sections->open[at].is_region)
        remove_open(sections, at);
    remove_open(sections, at - 1);
}

/* A mark begins a section, which ends the section of the mark before in the same region. */
static void begin_section(struct open_sections *sections, uint32_t name)
{
    if (sections->count && !sections->open[sections->count - 1].is_region)
        sections->count--;
    sections->open[sections->count].name = name;
    sections->open[sections->count++].is_region = false;
}

static bool add_frame(struct marks *marks, uint64_t gpu_ticks)
{
    uint64_t *frames =
        array_grow(marks->frames, &marks->frame_capacity, marks->frame_count, sizeof *frames);
    if (!frames)
        return false;
    marks->frames = frames;
    frames[marks->frame_count++] = gpu_ticks;
    return true;
}

static bool add_change(struct marks *marks, uint64_t gpu_ticks, uint64_t earliest, uint32_t section)
{
    struct mark_change *changes =
        array_grow(marks->changes, &marks->change_capacity, marks->change_count, sizeof *changes);
    if (!changes)
        return false;
    marks->changes = changes;
    changes[marks->change_count++] = (struct mark_change){gpu_ticks, earliest, section};
    return true;
}

static bool find_sections(struct marks *marks, uint64_t timestamp_hz)
{
    struct open_sections sections = {.count = 0};
    uint32_t section = 0;
    for (size_t i = 0; i < marks->count; i++) {
        const struct tally_recorded_mark *mark = &marks->entries[i];
        uint64_t before = scale_up_u64(mark->uncertainty_ns, timestamp_hz, NS_PER_SECOND);
        switch (mark->kind) {
        case TALLY_MARK_POINT:
            begin_section(&sections, mark->name);
            break;
        case TALLY_MARK_BEGIN:
            begin_region(marks, &sections, mark->name);
            break;
        case TALLY_MARK_END:
            end_region(marks, &sections, mark->name);
            break;
        case TALLY_MARK_FRAME:
            if (!add_frame(marks, mark->gpu_ticks))
                return false;
            continue;
        }
        uint32_t next = sections.count ? sections.open[sections.count - 1].name : 0;
        if (next == section)
            continue;
        section = next;
        before += marks->public.clock_ticks;
        uint64_t earliest = mark->gpu_ticks > before ? mark->gpu_ticks - before : 0;
        if (!add_change(marks, mark->gpu_ticks, earliest, section))
            return false;
    }
    marks->public.unmatched += sections.regions;
    if (marks->full && !add_change(marks, marks->entries[marks->count - 1].gpu_ticks,
                                   marks->entries[marks->count - 1].gpu_ticks, MARK_OTHERS))
        return false;
    for (size_t i = marks->change_count; i-- > 1;)
        marks->changes[i - 1].earliest =
            min_u64(marks->changes[i - 1].earliest, marks->changes[i].earliest);
    return true;
}

bool marks_finish(struct marks *marks, const struct point_list *points, uint64_t timestamp_hz)
{
    struct tally_recorded_marks *public = &marks->public;
    if (!marks->count || !points->count)
        return false;
    marks->broken |= !sort(marks);
    if (marks->broken)
        return false;
    for (size_t i = 0; i < marks->count; i++)
        marks->entries[i].gpu_ticks =
            points_gpu_ticks(points, timestamp_hz, marks->entries[i].gpu_ticks);
    public->clock_ticks = points_uncertainty(points, timestamp_hz);
    marks->broken |= !find_sections(marks, timestamp_hz);
    if (marks->broken)
        return false;
    public->marks = marks->entries;
    public->count = marks->count;
    public->names = (const char *const *)marks->names;
    public->name_count = marks->name_count;
    public->frames = marks->frame_count;
    public->sections = marks->change_count;
    return true;
}

void marks_fini(struct marks *marks)
{
    for (size_t i = 0; i < marks->name_count; i++)
        free(marks->names[i]);
    free(marks->names);
    free(marks->buckets);
    free(marks->entries);
    free(marks->changes);
    free(marks->frames);
    *marks = (struct marks){0};
}

/* ---- lookup ---------------------------------------------------------------------------------- */

/* The public part is the first member. */
static const struct marks *marks_of(const struct tally_recorded_marks *public)
{
    return (const struct marks *)public;
}

const char *tally_mark_kind_name(enum tally_mark_kind kind)
{
    static const char *const names[] = {"mark", "begin", "end", "frame"};
    return names[kind];
}

uint64_t marks_frame(const struct tally_recorded_marks *public, uint64_t gpu_ticks)
{
    const struct marks *marks = marks_of(public);
    size_t low = 0, high = marks->frame_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (marks->frames[middle] <= gpu_ticks)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool marks_section(const struct tally_recorded_marks *public, uint64_t from, uint64_t to,
                   uint32_t *section)
{
    const struct marks *marks = marks_of(public);
    size_t low = 0, high = marks->change_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint64_t ticks = marks->changes[middle].gpu_ticks;
        if (ticks <= from && from - ticks >= public->clock_ticks)
            low = middle + 1;
        else
            high = middle;
    }
    *section = low ? marks->changes[low - 1].section : 0;
    return low == marks->change_count || marks->changes[low].earliest >= to;
}

size_t marks_changes(const struct tally_recorded_marks *public, const struct mark_change **out)
{
    *out = marks_of(public)->changes;
    return marks_of(public)->change_count;
}

size_t marks_frames(const struct tally_recorded_marks *public, const uint64_t **out)
{
    *out = marks_of(public)->frames;
    return marks_of(public)->frame_count;
}
