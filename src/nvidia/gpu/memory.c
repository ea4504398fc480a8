/* SPDX-License-Identifier: MIT */
/*
 * VRAM, the window of BAR 0 on it, and BAR 1 and BAR 3, which show memory through a DMA object of a
 * channel and its page tables (public envytools documentation, "Tesla virtual memory"). There is no
 * TLB: every access walks the tables. Storage types and compression are not modelled.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "nvidia/gpu/gpu.h"

/* A place in memory: where a DMA object, a page table or a page is. */
enum target { IN_VRAM = 0, IN_SYSTEM_SNOOPED = 2, IN_SYSTEM = 3 };
struct place {
    enum target target;
    uint64_t address;
};

enum dma_target { DMA_PAGED, DMA_VRAM, DMA_SYSTEM_SNOOPED, DMA_SYSTEM };

#define DIRECTORY_OFFSET 0x200u /* of the page directory, in a channel */
#define ENTRY_BYTES      8u
#define PAGE_BYTES       4096u
#define LARGE_PAGE_BYTES 65536u
#define TABLE_SPAN       0x20000000u /* bytes of virtual memory for which an entry of it is */
#define INSTANCE_BYTES   16u

int nvidia_memory_init(struct nvidia_gpu *gpu)
{
    gpu->vram_bytes = gpu->stored[GPU_MEM_AMOUNT] & REG_MASK(PFB_MEM_AMOUNT, LOW);
    if (!gpu->vram_bytes)
        return 0;
    void *vram = mmap(NULL, gpu->vram_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (vram == MAP_FAILED)
        return -ENOMEM;
    gpu->vram = vram;
    return 0;
}

void nvidia_memory_free(struct nvidia_gpu *gpu)
{
    if (gpu->vram)
        munmap(gpu->vram, gpu->vram_bytes);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static bool is_in_vram(const struct nvidia_gpu *gpu, uint64_t address, size_t bytes)
{
    return address < gpu->vram_bytes && bytes <= gpu->vram_bytes - address;
}

static bool reaches_host(const struct nvidia_gpu *gpu)
{
    return gpu->host && nvidia_pci_is_master(gpu);
}

static bool read_place(const struct nvidia_gpu *gpu, struct place place, void *data, size_t bytes)
{
    if (place.target != IN_VRAM)
        return reaches_host(gpu) && gpu->host->read(gpu->closure, place.address, data, bytes);
    if (!is_in_vram(gpu, place.address, bytes))
        return false;
    memcpy(data, gpu->vram + place.address, bytes);
    return true;
}

static void write_place(struct nvidia_gpu *gpu, struct place place, const void *data, size_t bytes)
{
    if (place.target == IN_VRAM && is_in_vram(gpu, place.address, bytes))
        memcpy(gpu->vram + place.address, data, bytes);
    else if (place.target != IN_VRAM && reaches_host(gpu))
        gpu->host->write(gpu->closure, place.address, data, bytes);
}

/* Reads consecutive words, which are little-endian. */
static bool read_words(const struct nvidia_gpu *gpu, struct place place, uint32_t *words,
                       size_t count)
{
    uint8_t bytes[4 * sizeof *words];
    if (!read_place(gpu, place, bytes, count * sizeof *words))
        return false;
    for (size_t i = 0; i < count; i++)
        words[i] = load_le32(bytes + i * sizeof *words);
    return true;
}

/* ---- translation ----------------------------------------------------------------------------- */

static struct place moved(struct place place, uint64_t offset)
{
    place.address += offset;
    return place;
}

static struct place channel_of(const struct nvidia_gpu *gpu)
{
    uint64_t page = REG_GET(PBUS_CHAN, ADDRESS, gpu->bar_channel);
    return (struct place){(enum target)REG_GET(PBUS_CHAN, TARGET, gpu->bar_channel),
                          page * PAGE_BYTES};
}

/* The kinds of page tables, by PDE.PAGES. */
static const struct {
    uint32_t page_bytes; /* 0: not present */
    uint32_t entries;
} tables[] = {{0, 0}, {LARGE_PAGE_BYTES, 0x2000}, {0, 0}, {PAGE_BYTES, 0x20000}};

/* Numbers of entries of a table of small pages, by PDE.SIZE. */
static const uint32_t small_entries[] = {0x20000, 0x8000, 0x4000, 0x2000};

/* Translates a virtual address by the page tables of a channel. */
static bool translate_page(const struct nvidia_gpu *gpu, struct place channel, uint64_t address,
                           bool write, struct place *out)
{
    uint32_t entry[2], in_table = REG_GET(G80_VIRTUAL, IN_TABLE, address);
    uint64_t number = address / TABLE_SPAN;
    if (!read_words(gpu, moved(channel, DIRECTORY_OFFSET + number * ENTRY_BYTES), entry, 2))
        return false;
    unsigned pages = REG_GET(G80_PDE, PAGES, entry[0]);
    uint32_t page_bytes = tables[pages].page_bytes, entries = tables[pages].entries;
    if (!page_bytes)
        return false;
    if (page_bytes == PAGE_BYTES)
        entries = small_entries[REG_GET(G80_PDE, SIZE, entry[0])];
    uint32_t index = in_table / page_bytes;
    struct place table = {(enum target)REG_GET(G80_PDE, TARGET, entry[0]),
                          (uint64_t)REG_GET(G80_ENTRY_HIGH, ADDRESS, entry[1]) << 32 |
                              (entry[0] & REG_MASK(G80_PDE, ADDRESS))};
    if (index >= entries ||
        !read_words(gpu, moved(table, (uint64_t)index * ENTRY_BYTES), entry, 2) ||
        !REG_GET(G80_PTE, PRESENT, entry[0]) || (write && REG_GET(G80_PTE, READ_ONLY, entry[0])))
        return false;
    uint32_t block = page_bytes << REG_GET(G80_PTE, BLOCK, entry[0]);
    out->target = (enum target)REG_GET(G80_PTE, TARGET, entry[0]);
    out->address = ((uint64_t)REG_GET(G80_ENTRY_HIGH, ADDRESS, entry[1]) << 32 |
                    (entry[0] & REG_MASK(G80_PTE, ADDRESS))) +
                   in_table % block;
    return true;
}

/* Translates an offset in a BAR. */
static bool translate(const struct nvidia_gpu *gpu, enum nvidia_bar bar, uint32_t offset,
                      bool write, struct place *out)
{
    static const struct place vram = {IN_VRAM, 0};
    uint32_t setting = gpu->stored[bar == NVIDIA_BAR1 ? GPU_BAR1 : GPU_BAR3], object[4];
    *out = moved(vram, offset);
    if (!REG_GET(PBUS_BAR, MODE, setting))
        return true;
    struct place channel = channel_of(gpu);
    uint32_t instance = REG_GET(PBUS_BAR, INST, setting) * INSTANCE_BYTES;
    if (!read_words(gpu, moved(channel, instance), object, 4))
        return false;
    uint64_t limit = (uint64_t)REG_GET(G80_DMAOBJ_3, LIMIT_HIGH, object[3]) << 32 | object[1];
    uint64_t base = (uint64_t)REG_GET(G80_DMAOBJ_3, BASE_HIGH, object[3]) << 32 | object[2];
    enum dma_target target = (enum dma_target)REG_GET(G80_DMAOBJ_0, TARGET, object[0]);
    if (base + offset > limit)
        return false;
    if (target == DMA_PAGED)
        return translate_page(gpu, channel, base + offset, write, out);
    out->address = base + offset;
    out->target = target == DMA_VRAM ? IN_VRAM : IN_SYSTEM;
    return true;
}

/* ---- BARs and the window --------------------------------------------------------------------- */

/* Returns how many bytes are on the same page. */
static size_t on_page(uint32_t offset, size_t bytes)
{
    return min_size(bytes, PAGE_BYTES - offset % PAGE_BYTES);
}

void nvidia_bar_read(const struct nvidia_gpu *gpu, enum nvidia_bar bar, uint32_t offset, void *data,
                     size_t bytes)
{
    uint8_t *out = data;
    struct place place;
    for (size_t part; bytes; bytes -= part, out += part, offset += (uint32_t)part) {
        part = on_page(offset, bytes);
        if (!translate(gpu, bar, offset, false, &place) || !read_place(gpu, place, out, part))
            memset(out, 0, part);
    }
}

void nvidia_bar_write(struct nvidia_gpu *gpu, enum nvidia_bar bar, uint32_t offset,
                      const void *data, size_t bytes)
{
    const uint8_t *in = data;
    struct place place;
    for (size_t part; bytes; bytes -= part, in += part, offset += (uint32_t)part) {
        part = on_page(offset, bytes);
        if (translate(gpu, bar, offset, true, &place))
            write_place(gpu, place, in, part);
    }
}

static struct place window(const struct nvidia_gpu *gpu, uint32_t offset)
{
    uint32_t setting = gpu->stored[GPU_PMEM];
    return (struct place){
        (enum target)REG_GET(PBUS_PMEM, TARGET, setting),
        (uint64_t)REG_GET(PBUS_PMEM, OFFSET, setting) * LARGE_PAGE_BYTES + offset};
}

uint32_t nvidia_window_read(const struct nvidia_gpu *gpu, uint32_t offset)
{
    uint32_t word;
    return read_words(gpu, window(gpu, offset), &word, 1) ? word : 0;
}

void nvidia_window_write(struct nvidia_gpu *gpu, uint32_t offset, uint32_t value)
{
    uint8_t bytes[sizeof value];
    store_le32(bytes, value);
    write_place(gpu, window(gpu, offset), bytes, sizeof bytes);
}
