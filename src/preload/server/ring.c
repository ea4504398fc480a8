/* SPDX-License-Identifier: MIT */
#include "preload/server/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/minmax.h"

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

static struct perf_event_mmap_page *page_of(const struct ring *ring)
{
    return (struct perf_event_mmap_page *)(void *)ring->memory;
}

size_t ring_mapping(const struct ring *ring)
{
    return RING_PAGE + ring->bytes;
}

static int make_memory(struct ring *ring)
{
    ring->fd = memfd_create("perf_event", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (ring->fd < 0)
        return -ENOMEM;
    void *memory = MAP_FAILED;
    if (ftruncate(ring->fd, (off_t)ring_mapping(ring)) == 0 &&
        fcntl(ring->fd, F_ADD_SEALS, SEALS) == 0)
        memory = mmap(NULL, ring_mapping(ring), PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
    if (memory == MAP_FAILED) {
        close(ring->fd);
        return -ENOMEM;
    }
    ring->memory = memory;
    return 0;
}

int ring_new(uint64_t bytes, bool overwrites, uint32_t watermark, struct ring **out)
{
    uint64_t data = bytes - RING_PAGE;
    if (bytes < RING_PAGE || bytes % RING_PAGE || (data / RING_PAGE & (data / RING_PAGE - 1)))
        return -EINVAL;
    if (data > RING_MAX_BYTES)
        return -ENOMEM;
    struct ring *ring = calloc(1, sizeof *ring);
    if (!ring)
        return -ENOMEM;
    ring->references = 1;
    ring->bytes = (size_t)data;
    ring->overwrites = overwrites;
    ring->watermark = min_u64(watermark, data);
    if (!ring->watermark)
        ring->watermark = data / 2;
    int result = make_memory(ring);
    if (result < 0) {
        free(ring);
        return result;
    }
    struct perf_event_mmap_page *page = page_of(ring);
    page->cap_bit0_is_deprecated = 1;
    page->size = sizeof *page;
    page->data_offset = RING_PAGE;
    page->data_size = data;
    *out = ring;
    return 0;
}

struct ring *ring_hold(struct ring *ring)
{
    ring->references++;
    return ring;
}

void ring_drop(struct ring *ring)
{
    if (!ring || --ring->references)
        return;
    munmap(ring->memory, ring_mapping(ring));
    close(ring->fd);
    free(ring);
}

/* A position beyond the head is wrong: the ring counts as full. */
bool ring_has_space(const struct ring *ring, size_t bytes)
{
    if (bytes > ring->bytes)
        return false;
    if (ring->overwrites)
        return true;
    uint64_t tail = __atomic_load_n(&page_of(ring)->data_tail, __ATOMIC_ACQUIRE);
    uint64_t used = ring->head - tail;
    return used <= ring->bytes && bytes <= ring->bytes - used;
}

bool ring_append(struct ring *ring, const void *record, size_t bytes)
{
    uint8_t *data = ring->memory + RING_PAGE;
    size_t at = (size_t)(ring->head & (ring->bytes - 1)), first = min_size(bytes, ring->bytes - at);
    memcpy(data + at, record, first);
    memcpy(data, (const uint8_t *)record + first, bytes - first);
    ring->head += bytes;
    __atomic_store_n(&page_of(ring)->data_head, ring->head, __ATOMIC_RELEASE);
    if (ring->head - ring->wakeup <= ring->watermark)
        return false;
    ring->wakeup += ring->watermark;
    return true;
}

bool ring_names(struct ring *ring, long thread)
{
    unsigned kept = ring->named_count < RING_THREADS ? ring->named_count : RING_THREADS;
    for (unsigned i = 0; i < kept; i++)
        if (ring->named[i] == thread)
            return true;
    ring->named[ring->named_count++ % RING_THREADS] = thread;
    return false;
}

void ring_forget_name(struct ring *ring, long thread)
{
    for (unsigned i = 0; i < RING_THREADS; i++)
        if (ring->named[i] == thread)
            ring->named[i] = 0;
}
