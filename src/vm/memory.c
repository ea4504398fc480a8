/* SPDX-License-Identifier: MIT */
#include "vm/memory.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/minmax.h"

/* ---- mapping --------------------------------------------------------------------------------- */

/* Whether a region lies in its file; an access behind the end of a file is a SIGBUS. */
static bool is_in_file(const struct vm_region *region)
{
    struct stat status;
    return fstat(region->fd, &status) == 0 && status.st_size >= 0 &&
           region->offset <= (uint64_t)status.st_size &&
           region->bytes <= (uint64_t)status.st_size - region->offset;
}

static int map_region(struct vm_memory *memory, const struct vm_region *region,
                      struct tally_error *error)
{
    uint64_t skip = region->offset % (uint64_t)sysconf(_SC_PAGESIZE);
    if (!region->bytes || region->bytes > UINT64_MAX - region->address || !is_in_file(region))
        return fail(error, -EBADMSG,
                    "QEMU shares %#llx bytes of guest memory at %#llx, expected a part of a file",
                    (unsigned long long)region->bytes, (unsigned long long)region->address);
    size_t bytes = (size_t)(region->bytes + skip);
    void *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, region->fd,
                        (off_t)(region->offset - skip));
    if (mapped == MAP_FAILED)
        return fail(error, -errno, "mapping guest memory at %#llx: %s",
                    (unsigned long long)region->address, strerror(errno));
    memory->regions[memory->count].address = region->address;
    memory->regions[memory->count].bytes = region->bytes;
    memory->regions[memory->count].data = (uint8_t *)mapped + skip;
    memory->regions[memory->count].mapped = mapped;
    memory->regions[memory->count].mapped_bytes = bytes;
    memory->count++;
    return 0;
}

int vm_memory_map(struct vm_memory *memory, const struct vm_request *request,
                  struct tally_error *error)
{
    vm_memory_unmap(memory);
    for (unsigned i = 0; i < request->count; i++) {
        int result = map_region(memory, &request->regions[i], error);
        if (result < 0) {
            vm_memory_unmap(memory);
            return result;
        }
    }
    return 0;
}

void vm_memory_unmap(struct vm_memory *memory)
{
    for (unsigned i = 0; i < memory->count; i++)
        munmap(memory->regions[i].mapped, memory->regions[i].mapped_bytes);
    memory->count = 0;
}

/* ---- accesses -------------------------------------------------------------------------------- */

/* Finds the memory at an address. Sets *bytes to those that follow it in its region, at most the
 * value it has. */
static uint8_t *find(const struct vm_memory *memory, uint64_t address, size_t *bytes)
{
    for (unsigned i = 0; i < memory->count; i++) {
        uint64_t offset = address - memory->regions[i].address;
        if (offset >= memory->regions[i].bytes)
            continue;
        *bytes = (size_t)min_u64(*bytes, memory->regions[i].bytes - offset);
        return memory->regions[i].data + offset;
    }
    return NULL;
}

bool vm_memory_has(const struct vm_memory *memory, uint64_t address, size_t bytes)
{
    while (bytes) {
        size_t part = bytes;
        if (!find(memory, address, &part))
            return false;
        address += part;
        bytes -= part;
    }
    return true;
}

bool vm_memory_read(const struct vm_memory *memory, uint64_t address, void *data, size_t bytes)
{
    uint8_t *to = data;
    while (bytes) {
        size_t part = bytes;
        const uint8_t *from = find(memory, address, &part);
        if (!from)
            return false;
        memcpy(to, from, part);
        address += part;
        to += part;
        bytes -= part;
    }
    return true;
}

bool vm_memory_write(const struct vm_memory *memory, uint64_t address, const void *data,
                     size_t bytes)
{
    const uint8_t *from = data;
    if (!vm_memory_has(memory, address, bytes))
        return false;
    while (bytes) {
        size_t part = bytes;
        memcpy(find(memory, address, &part), from, part);
        address += part;
        from += part;
        bytes -= part;
    }
    return true;
}
