/* SPDX-License-Identifier: MIT */
#ifndef TALLY_METRICS_SET_H
#define TALLY_METRICS_SET_H

#include <tally/metrics.h>

/* Memory for the texts and tables of one file: freed all at once. */
struct arena {
    struct arena_chunk *chunks;
    char *free;
    size_t left;
};

struct tally_metric_file {
    struct arena arena;
    const char *path;
    struct tally_metric_set *sets;
    size_t set_count;
    size_t set_capacity;
};

/* Returns the chipset of a file's first set, or an empty text if it cannot be determined. */
void sniff_chipset(const char *path, char *chipset, size_t size);

void *arena_take(struct arena *arena, size_t size);
void *arena_copy(struct arena *arena, const void *bytes, size_t size);
const char *arena_text(struct arena *arena, const char *text);
void arena_fini(struct arena *arena);

#endif
