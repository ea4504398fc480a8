/* SPDX-License-Identifier: MIT */
#include "vm/guest/library_cache.h"

#include <stdint.h>
#include <string.h>

#include "base/bits.h"

/*
 * A header, entries, strings. glibc before 2.32 writes an older table first, of which only the size
 * matters here: the newer one follows it, aligned to 8 bytes. Offsets of strings count from the
 * newer header.
 */
#define OLD_MAGIC       "ld.so-1.7.0"
#define OLD_HEADER_SIZE 16
#define OLD_COUNT       12
#define OLD_ENTRY_SIZE  12
#define MAGIC           "glibc-ld.so.cache1.1"
#define HEADER_SIZE     48
#define COUNT           20
#define ENTRY_SIZE      24
#define ENTRY_FLAGS     0
#define ENTRY_NAME      4
#define ENTRY_PATH      8
#define ENTRY_HWCAP     16
#define FLAGS_X86_64    0x303 /* for libc 6, 64-bit x86 */

struct cache {
    const uint8_t *bytes;
    size_t size;
};

/* Skips the older table. Leaves an empty cache if the newer one is not in the file. */
static struct cache newer_table(struct cache cache)
{
    if (cache.size >= OLD_HEADER_SIZE && !memcmp(cache.bytes, OLD_MAGIC, strlen(OLD_MAGIC))) {
        uint64_t offset =
            OLD_HEADER_SIZE + (uint64_t)load_le32(cache.bytes + OLD_COUNT) * OLD_ENTRY_SIZE;
        offset = (offset + 7) / 8 * 8;
        if (offset > cache.size)
            return (struct cache){0};
        cache.bytes += offset;
        cache.size -= offset;
    }
    if (cache.size < HEADER_SIZE || memcmp(cache.bytes, MAGIC, strlen(MAGIC)))
        return (struct cache){0};
    return cache;
}

static const char *string_at(const struct cache *cache, uint32_t offset)
{
    if (offset >= cache->size || !memchr(cache->bytes + offset, '\0', cache->size - offset))
        return NULL;
    return (const char *)cache->bytes + offset;
}

const char *library_cache_find(const void *bytes, size_t size, const char *name)
{
    struct cache cache = newer_table((struct cache){bytes, size});
    if (!cache.bytes)
        return NULL;
    uint64_t count = load_le32(cache.bytes + COUNT);
    if (count > (cache.size - HEADER_SIZE) / ENTRY_SIZE)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *entry = cache.bytes + HEADER_SIZE + i * ENTRY_SIZE;
        if (load_le32(entry + ENTRY_FLAGS) != FLAGS_X86_64 || load_le64(entry + ENTRY_HWCAP))
            continue;
        const char *key = string_at(&cache, load_le32(entry + ENTRY_NAME));
        if (key && !strcmp(key, name))
            return string_at(&cache, load_le32(entry + ENTRY_PATH));
    }
    return NULL;
}
