/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "metrics/set.h"

struct arena_chunk {
    struct arena_chunk *next;
    max_align_t bytes[];
};

#define CHUNK_BYTES (64u * 1024) /* minimum size of a chunk */

/* Returns `size` uninitialized bytes, or NULL if out of memory. */
static void *arena_alloc(struct arena *arena, size_t size)
{
    size = (size + sizeof(void *) - 1) & ~(sizeof(void *) - 1);
    if (arena->left < size) {
        size_t capacity = size > CHUNK_BYTES ? size : CHUNK_BYTES;
        struct arena_chunk *chunk = malloc(sizeof *chunk + capacity);
        if (!chunk)
            return NULL;
        chunk->next = arena->chunks;
        arena->chunks = chunk;
        arena->free = (char *)chunk->bytes;
        arena->left = capacity;
    }
    void *taken = arena->free;
    arena->free += size;
    arena->left -= size;
    return taken;
}

void *arena_copy(struct arena *arena, const void *bytes, size_t size)
{
    void *copy = arena_alloc(arena, size);
    if (copy && size)
        memcpy(copy, bytes, size);
    return copy;
}

const char *arena_text(struct arena *arena, const char *text)
{
    return *text ? arena_copy(arena, text, strlen(text) + 1) : "";
}

void arena_fini(struct arena *arena)
{
    while (arena->chunks) {
        struct arena_chunk *next = arena->chunks->next;
        free(arena->chunks);
        arena->chunks = next;
    }
    *arena = (struct arena){0};
}
