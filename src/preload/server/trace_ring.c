/* SPDX-License-Identifier: MIT */
#include "preload/server/trace_ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

/* An event's first word: what follows in its lowest 5 bits, and the time since the event before.
 */
#define TYPE_BITS   5u
#define DELTA_BITS  27u
#define TYPE_EXTEND 30u /* the upper bits of a time, for the next event */
#define SMALL_WORDS 28u /* records of up to this size have it in place of a type; 0: in a word */

#define WORD 4u

/* Flags in the commit field. */
#define MISSED        (UINT64_C(1) << 31) /* events before the page were lost */
#define MISSED_STORED (UINT64_C(1) << 30) /* their number follows the events */

struct trace_page {
    uint64_t ns;      /* of the first event */
    uint64_t read_ns; /* of the latest event that was read */
    size_t bytes, read;
    uint64_t entries, read_entries;
    uint8_t data[TRACE_PAGE_DATA];
};

/* ---- pages ----------------------------------------------------------------------------------- */

static struct trace_page *page_at(const struct trace_ring *ring, size_t index)
{
    return ring->pages[(ring->first + index) % ring->capacity];
}

static void rewind_page(struct trace_page *page, uint64_t ns)
{
    page->ns = page->read_ns = ns;
    page->bytes = page->read = 0;
    page->entries = page->read_entries = 0;
}

void trace_ring_clear(struct trace_ring *ring)
{
    ring->first = ring->count = 0;
    ring->missed = 0;
    ring->written = ring->read = ring->overrun = ring->dropped = ring->bytes = 0;
}

void trace_ring_fini(struct trace_ring *ring)
{
    for (size_t i = 0; ring->pages && i < ring->capacity; i++)
        free(ring->pages[i]);
    free(ring->pages);
    ring->pages = NULL;
    trace_ring_clear(ring);
}

uint64_t trace_ring_kib(const struct trace_ring *ring)
{
    return ring->kib ? ring->kib : TRACE_RING_KIB;
}

int trace_ring_resize(struct trace_ring *ring, uint64_t kib)
{
    if (!kib)
        return -EINVAL;
    if (kib > TRACE_RING_MAX_KIB)
        return -ENOMEM;
    trace_ring_fini(ring);
    ring->kib = kib;
    return 0;
}

/* Makes the list of pages, of which there are at least two. */
static bool make_pages(struct trace_ring *ring)
{
    if (ring->pages)
        return true;
    size_t bytes = (size_t)trace_ring_kib(ring) * 1024;
    ring->capacity = (bytes + TRACE_PAGE_DATA - 1) / TRACE_PAGE_DATA;
    if (ring->capacity < 2)
        ring->capacity = 2;
    ring->pages = calloc(ring->capacity, sizeof *ring->pages);
    return ring->pages != NULL;
}

static void drop_oldest(struct trace_ring *ring)
{
    const struct trace_page *page = page_at(ring, 0);
    uint64_t unread = page->entries - page->read_entries;
    ring->overrun += unread;
    ring->missed += unread;
    ring->bytes -= page->bytes - page->read;
    ring->first = (ring->first + 1) % ring->capacity;
    ring->count--;
}

/* Begins a page. NULL: there is no space. */
static struct trace_page *begin_page(struct trace_ring *ring, uint64_t ns, bool overwrite)
{
    if (ring->count == ring->capacity && !overwrite)
        return NULL;
    if (ring->count == ring->capacity)
        drop_oldest(ring);
    struct trace_page **page = &ring->pages[(ring->first + ring->count) % ring->capacity];
    if (!*page)
        *page = malloc(sizeof **page);
    if (!*page)
        return NULL;
    rewind_page(*page, ns);
    ring->count++;
    return *page;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void put_word(struct trace_page *page, uint32_t word)
{
    store_le32(page->data + page->bytes, word);
    page->bytes += WORD;
}

static uint32_t first_word(uint32_t type, uint64_t delta)
{
    return type | (uint32_t)(delta << TYPE_BITS);
}

bool trace_ring_write(struct trace_ring *ring, uint64_t ns, const void *record, size_t bytes,
                      bool overwrite)
{
    size_t words = bytes ? (bytes + WORD - 1) / WORD : 1;
    bool small = words <= SMALL_WORDS;
    size_t needed = (words + (small ? 1u : 2u)) * WORD;
    if (needed > TRACE_PAGE_DATA || !make_pages(ring))
        return false;
    struct trace_page *page = ring->count ? page_at(ring, ring->count - 1) : NULL;
    bool extends = page && page->bytes && (ns - ring->latest_ns) >> DELTA_BITS;
    if (!page || page->bytes + needed + (extends ? 2u * WORD : 0) > TRACE_PAGE_DATA) {
        page = begin_page(ring, ns, overwrite);
        extends = false;
    }
    if (!page) {
        ring->dropped++;
        return false;
    }
    size_t before = page->bytes;
    uint64_t delta = before ? ns - ring->latest_ns : 0;
    if (extends) {
        put_word(page, first_word(TYPE_EXTEND, delta));
        put_word(page, (uint32_t)(delta >> DELTA_BITS));
        delta = 0;
    }
    put_word(page, first_word(small ? (uint32_t)words : 0, delta));
    if (!small)
        put_word(page, (uint32_t)((1 + words) * WORD));
    memset(page->data + page->bytes, 0, words * WORD);
    memcpy(page->data + page->bytes, record, bytes);
    page->bytes += words * WORD;
    page->entries++;
    ring->written++;
    ring->bytes += page->bytes - before;
    ring->latest_ns = ns;
    return true;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Reads the event at *at, which is below page->bytes, and advances *at and *ns. */
static void read_event(const struct trace_page *page, size_t *at, uint64_t *ns,
                       struct trace_item *out)
{
    uint32_t word = load_le32(page->data + *at), type = word & ((1u << TYPE_BITS) - 1);
    uint64_t delta = word >> TYPE_BITS;
    *at += WORD;
    if (type == TYPE_EXTEND) {
        delta |= (uint64_t)load_le32(page->data + *at) << DELTA_BITS;
        *at += WORD;
        word = load_le32(page->data + *at);
        type = word & ((1u << TYPE_BITS) - 1);
        delta += word >> TYPE_BITS;
        *at += WORD;
    }
    size_t bytes = type * WORD;
    if (!type) {
        bytes = load_le32(page->data + *at) - WORD;
        *at += WORD;
    }
    *ns += delta;
    *out = (struct trace_item){*ns, page->data + *at, bytes};
    *at += bytes;
}

bool trace_ring_next(const struct trace_ring *ring, struct trace_place *place,
                     struct trace_item *out)
{
    while (place->page < ring->count) {
        const struct trace_page *page = page_at(ring, place->page);
        if (!place->begun) {
            place->at = page->read;
            place->ns = page->read_ns;
            place->begun = true;
        }
        if (place->at < page->bytes) {
            read_event(page, &place->at, &place->ns, out);
            return true;
        }
        place->page++;
        place->begun = false;
    }
    return false;
}

/* Removes pages that were read and will not be written any more. */
static void skip_pages(struct trace_ring *ring)
{
    while (ring->count > 1 && page_at(ring, 0)->read == page_at(ring, 0)->bytes) {
        ring->first = (ring->first + 1) % ring->capacity;
        ring->count--;
    }
}

static void note_read(struct trace_ring *ring, struct trace_page *page, size_t at, uint64_t entries)
{
    ring->bytes -= at - page->read;
    ring->read += entries;
    page->read = at;
    page->read_entries += entries;
}

static uint64_t take_missed(struct trace_ring *ring)
{
    uint64_t missed = ring->missed;
    ring->missed = 0;
    return missed;
}

bool trace_ring_is_empty(const struct trace_ring *ring)
{
    return !trace_ring_entries(ring);
}

uint64_t trace_ring_entries(const struct trace_ring *ring)
{
    return ring->written - ring->overrun - ring->read;
}

bool trace_ring_has_page(const struct trace_ring *ring)
{
    return ring->count > 1 && (ring->count > 2 || page_at(ring, 0)->read < page_at(ring, 0)->bytes);
}

bool trace_ring_is_filled(const struct trace_ring *ring, unsigned percent)
{
    return percent ? ring->count * 100 > percent * ring->capacity : !trace_ring_is_empty(ring);
}

bool trace_ring_take(struct trace_ring *ring, struct trace_item *out, uint64_t *missed)
{
    if (trace_ring_is_empty(ring))
        return false;
    skip_pages(ring);
    struct trace_page *page = page_at(ring, 0);
    size_t at = page->read;
    *missed = take_missed(ring);
    read_event(page, &at, &page->read_ns, out);
    note_read(ring, page, at, 1);
    return true;
}

bool trace_ring_take_page(struct trace_ring *ring, bool full, uint8_t out[TRACE_PAGE_BYTES])
{
    if (trace_ring_is_empty(ring))
        return false;
    skip_pages(ring);
    struct trace_page *page = page_at(ring, 0);
    if (full && ring->count == 1)
        return false;
    size_t bytes = page->bytes - page->read;
    uint64_t missed = take_missed(ring), commit = bytes;
    memset(out, 0, TRACE_PAGE_BYTES);
    store_le64(out, page->read_ns);
    memcpy(out + TRACE_PAGE_HEAD, page->data + page->read, bytes);
    if (missed && bytes + sizeof missed <= TRACE_PAGE_DATA) {
        store_le64(out + TRACE_PAGE_HEAD + bytes, missed);
        commit |= MISSED_STORED;
    }
    store_le64(out + 8, commit | (missed ? MISSED : 0));
    note_read(ring, page, page->bytes, page->entries - page->read_entries);
    page->read_ns = ring->latest_ns; /* if this is the page that is written */
    skip_pages(ring);
    return true;
}
