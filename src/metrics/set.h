/* SPDX-License-Identifier: MIT */
#ifndef TALLY_METRICS_SET_H
#define TALLY_METRICS_SET_H

#include <tally/metrics.h>

/* Memory for the texts and tables of a file, which is freed all at once. {0} is an empty arena. */
struct arena {
    struct arena_chunk *chunks;
    char *free;  /* free bytes of the first chunk */
    size_t left; /* number of free bytes */
};

struct tally_metric_file {
    struct arena arena;
    const char *path;
    struct tally_metric_set *sets;
    size_t set_count;
    size_t set_capacity;
};

/* Reads an XML file up to its first <set> and writes the chipset of that set to `chipset`, or an
 * empty text if there is none or it does not fit into `size` bytes. Returns 0, or a negative errno
 * if the file cannot be read. */
int sniff_chipset(const char *path, char *chipset, size_t size, struct tally_error *error);

/* Copies `size` bytes. Returns NULL if out of memory. */
void *arena_copy(struct arena *arena, const void *bytes, size_t size);

/* Copies a text. Returns NULL if out of memory. */
const char *arena_text(struct arena *arena, const char *text);

/* Frees all memory of an arena. */
void arena_fini(struct arena *arena);

#endif
