/* SPDX-License-Identifier: MIT */
/* Objects in the program's memory, and inaccessible memory. */
#include <linux/sync_file.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

#define SIZE 65536u
#define PAGE 4096u

static uint64_t offset_of(const struct device *device, uint32_t handle, uint64_t mode)
{
    struct drm_i915_gem_mmap_offset args = {.handle = handle, .flags = mode};
    WORKS(call(device->fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &args));
    return args.offset;
}

static void *map_at(const struct device *device, uint64_t offset, size_t size, int protection)
{
    void *map = mmap(NULL, size, protection, MAP_SHARED, device->fd, (off_t)offset);
    CHECK(map != MAP_FAILED, "%s", strerror(errno));
    return map;
}

/* Each kind of mapping of an object shows the same bytes. */
static void mappings(struct device *device)
{
    struct object object = new_object(device, SIZE, false);
    uint32_t *first =
                 map_at(device, offset_of(device, object.handle, 1), SIZE, PROT_READ | PROT_WRITE),
             *second = map_at(device, offset_of(device, object.handle, 2), SIZE, PROT_READ), got;
    struct drm_i915_gem_mmap old = {.handle = object.handle, .size = SIZE};
    WORKS(call(device->fd, DRM_IOCTL_I915_GEM_MMAP, &old));
    uint32_t *third = (void *)(uintptr_t)old.addr_ptr;
    for (unsigned i = 0; i < SIZE / 4; i++)
        CHECK(!first[i], "dword %u is not 0 at first", i);
    for (unsigned i = 0; i < SIZE / 4; i += 1023) {
        first[i] = ~i;
        CHECK(second[i] == ~i && third[i] == ~i, "dword %u differs", i);
        struct drm_i915_gem_pread io = {
            .handle = object.handle, .offset = 4 * i, .size = 4, .data_ptr = (uintptr_t)&got};
        WORKS(call(device->fd, DRM_IOCTL_I915_GEM_PREAD, &io));
        CHECK(got == ~i, "dword %u reads as 0x%x", i, got);
        got = i;
        WORKS(call(device->fd, DRM_IOCTL_I915_GEM_PWRITE, &io));
        CHECK(second[i] == i, "dword %u was written, but is 0x%x", i, second[i]);
    }
    free_object(device, &object); /* the mappings remain */
    first[7] = 7;
    CHECK(second[7] == 7 && third[7] == 7, "closing the handle removed a mapping");
    WORKS(munmap(first, SIZE));
    CHECK(second[7] == 7, "unmapping one mapping removed another");
}

/* A range outside the object: EINVAL; part of an object can be mapped. */
static void wrong_mappings(struct device *device)
{
    struct object object = new_object(device, SIZE, false);
    uint64_t offset = offset_of(device, object.handle, 2);
    CHECK(mmap(NULL, 2 * SIZE, PROT_READ, MAP_SHARED, device->fd, (off_t)offset) == MAP_FAILED &&
              errno == EINVAL,
          "more than the object: %s", strerror(errno));
    CHECK(mmap(NULL, SIZE, PROT_READ, MAP_SHARED, device->fd, (off_t)(offset + (1u << 30))) ==
                  MAP_FAILED &&
              errno == EINVAL,
          "nothing's offset: %s", strerror(errno));
    struct drm_i915_gem_mmap_offset args = {.handle = 99, .flags = 2};
    FAILS(call(device->fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &args), ENOENT);
    uint8_t *half = map_at(device, offset, SIZE / 2, PROT_READ | PROT_WRITE);
    half[SIZE / 2 - 1] = 1;
    int other = open_card(); /* another file cannot map it */
    CHECK(mmap(NULL, SIZE, PROT_READ, MAP_SHARED, other, (off_t)offset) == MAP_FAILED, "no error");
    close(other);
    free_object(device, &object);
}

static struct object shared;

static void write_shared(struct device *device)
{
    (void)device;
    shared.map[1] = 0x12345678;
}

static void shared_memory(struct device *device)
{
    shared = new_object(device, SIZE, true);
    in_child(device, false, write_shared);
    CHECK(shared.map[1] == 0x12345678, "a child's write is not visible");
}

/* ---- faults ---------------------------------------------------------------------------------- */

/* Arguments in memory that is absent or not writable. */
static void faults(struct device *device)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *pages =
        mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *nowhere = (void *)(uintptr_t)16;
    int value;
    CHECK(pages != MAP_FAILED, "%s", strerror(errno));
    WORKS(mprotect(pages + page, page, PROT_NONE));
    FAILS(call(device->fd, DRM_IOCTL_I915_GETPARAM, nowhere), EFAULT);
    FAILS(call(device->fd, DRM_IOCTL_I915_GETPARAM, pages + page - 8),
          EFAULT); /* only the first half is mapped */
    struct drm_i915_getparam param = {.param = 4, .value = (int *)(void *)(pages + page)};
    FAILS(call(device->fd, DRM_IOCTL_I915_GETPARAM, &param), EFAULT);
    struct drm_i915_reg_read *read = (void *)(pages + page - sizeof *read);
    *read = (struct drm_i915_reg_read){.offset = 0x2358};
    WORKS(call(device->fd, DRM_IOCTL_I915_REG_READ, read));
    WORKS(mprotect(pages, page, PROT_READ)); /* readable, but the result cannot be written */
    FAILS(call(device->fd, DRM_IOCTL_I915_REG_READ, read), EFAULT);
    WORKS(mprotect(pages, page, PROT_READ | PROT_WRITE));
    struct drm_i915_perf_open_param open = {.num_properties = 1, .properties_ptr = 16};
    FAILS(call(device->fd, DRM_IOCTL_I915_PERF_OPEN, &open), EFAULT);
    struct drm_i915_query query = {.num_items = 1, .items_ptr = (uintptr_t)(pages + page)};
    FAILS(call(device->fd, DRM_IOCTL_I915_QUERY, &query), EFAULT);
    WORKS(getparam(device->fd, 4, &value)); /* the device still works */
}

/* A read of a stream into absent memory loses no records. */
static void faulting_reads(struct device *device)
{
    unsigned exponent = exponent_of(device, 1000000);
    uint8_t reports[6 * 256], *volatile nowhere = (uint8_t *)16;
    int stream = open_stream(device, 0, sampling_every(device, 0, exponent));
    const struct format *format = format_of_all(device);
    for (unsigned i = 0; i < 6; i++) {
        read_reports(device, stream, format, exponent, true, reports + (size_t)i * format->size, 1);
        sleep_ns(3000000);
        FAILS(read(stream, nowhere, 4096), EFAULT);
        FAILS(read(stream, nowhere, 0), ENOSPC);
    }
    close(stream);
}

/* A large read ends with the last record that fits before the end of memory, however far that is;
 * the next read continues. */
static void far_faults(struct device *device)
{
    const size_t room = 131072, page = (size_t)sysconf(_SC_PAGESIZE);
    const struct format *format = format_of_all(device);
    const size_t record = 8u + format->size, whole = room / record * record;
    unsigned exponent = exponent_of(device, 5000);
    uint8_t next[8 + 256];
    uint8_t *pages =
        mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED, "%s", strerror(errno));
    WORKS(mprotect(pages + room, page, PROT_NONE));
    int stream = open_stream(device, 0, sampling_every(device, 0, exponent));
    sleep_ns(40000000);
    ssize_t size = read(stream, pages, 1 << 20);
    CHECK(size == (ssize_t)whole, "%zd bytes of %zu", size, whole);
    size = read(stream, next, sizeof next);
    CHECK(size == (ssize_t)record, "%zd bytes", size);
    uint32_t apart = dword(next + 8, 1) - dword(pages + whole - record + 8, 1);
    CHECK(apart == 2u << exponent, "%u ticks later", apart);
    close(stream);
}

/* Starts a batch that writes a value to a target. Returns a fence, or an errno. */
static int store(const struct device *device, const struct object *target, uint32_t value)
{
    static struct batch batch;
    batch_begin(&batch, device);
    emit_store(&batch, target, PAGE + 8, value);
    return batch_run_after(&batch, 0, I915_EXEC_RENDER | I915_EXEC_FENCE_OUT, -1);
}

/* Objects in memory that is protected in each way: the GPU needs what it may write. */
static void protected_memory(struct device *device)
{
    static const struct {
        int protection, result;
    } rows[] = {
        {PROT_READ | PROT_WRITE, 0},
        {PROT_WRITE, 0},
        {PROT_READ, -EFAULT},
        {PROT_NONE, -EFAULT},
    };
    for (unsigned i = 0; i < COUNT(rows); i++) {
        uint32_t *pages =
            mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        CHECK(pages != MAP_FAILED, "%s", strerror(errno));
        struct drm_i915_gem_userptr args = {.user_ptr = (uintptr_t)pages, .user_size = SIZE};
        WORKS(call(device->fd, DRM_IOCTL_I915_GEM_USERPTR, &args));
        struct object placed = new_object(device, SIZE, false), object = placed;
        object.handle = args.handle; /* at the same address */
        pages[PAGE / 4 + 2] = 1;
        WORKS(mprotect(pages, SIZE, rows[i].protection));
        int fence = store(device, &object, 0x1234);
        CHECK((fence < 0 ? fence : 0) == rows[i].result, "protection %d: %d", rows[i].protection,
              fence);
        if (fence >= 0) {
            set_domain(device, &object);
            close(fence);
        }
        WORKS(mprotect(pages, SIZE, PROT_READ));
        uint32_t expected = rows[i].result ? 1 : 0x1234;
        CHECK(pages[PAGE / 4 + 2] == expected, "protection %d: 0x%x", rows[i].protection,
              pages[PAGE / 4 + 2]);
        free_object(device, &object);
        free_object(device, &placed);
        WORKS(munmap(pages, SIZE));
    }
}

/* Memory that is no memory of the program: an object's, and none at all. */
static void other_memory(struct device *device)
{
    struct object object = new_object(device, SIZE, true), placed = new_object(device, SIZE, false);
    char *gap = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(gap != MAP_FAILED, "%s", strerror(errno));
    WORKS(munmap(gap + SIZE - PAGE, PAGE));
    const void *const places[] = {object.map, gap};
    for (unsigned i = 0; i < COUNT(places); i++) {
        struct drm_i915_gem_userptr args = {
            .user_ptr = (uintptr_t)places[i], .user_size = SIZE, .flags = I915_USERPTR_PROBE};
        FAILS(call(device->fd, DRM_IOCTL_I915_GEM_USERPTR, &args), EFAULT);
        args.flags = 0;
        WORKS(call(device->fd, DRM_IOCTL_I915_GEM_USERPTR, &args));
        struct object other = placed;
        other.handle = args.handle;
        int result = store(device, &other, 1);
        CHECK(result == -EFAULT, "place %u: %d", i, result);
        free_object(device, &other);
    }
    WORKS(munmap(gap, SIZE - PAGE));
    free_object(device, &placed);
    free_object(device, &object);
}

/* Memory that a batch writes is unmapped only after that. From Gen8 on a child lets the batch run
 * later. */
static void unmapped_memory(struct device *device)
{
    static struct batch batch;
    struct object gate = new_object(device, 4096, true), placed = new_object(device, SIZE, false);
    uint32_t *pages = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED, "%s", strerror(errno));
    struct drm_i915_gem_userptr args = {.user_ptr = (uintptr_t)pages, .user_size = SIZE};
    WORKS(call(device->fd, DRM_IOCTL_I915_GEM_USERPTR, &args));
    struct object object = placed;
    object.handle = args.handle;
    batch_begin(&batch, device);
    emit_gate(&batch, &gate, 0);
    emit_store(&batch, &object, 0, 1);
    struct pollfd entry = {.events = POLLIN};
    entry.fd = batch_run_after(&batch, 0, I915_EXEC_RENDER | I915_EXEC_FENCE_OUT, -1);
    CHECK(entry.fd >= 0, "%s", strerror(-entry.fd));
    pid_t child = (pid_t)WORKS(fork());
    if (!child) {
        sleep_ns(5000000);
        gate.map[0] = 1;
        _exit(0);
    }
    free_object(device, &object); /* as the GPU uses it, it stays */
    WORKS(munmap(pages, SIZE));
    CHECK(poll(&entry, 1, 0) == 1, "the batch still runs");
    struct sync_file_info info = {.num_fences = 0};
    WORKS(ioctl(entry.fd, SYNC_IOC_FILE_INFO, &info));
    CHECK(info.status == 1, "status %d", info.status);
    WORKS(waitpid(child, NULL, 0));
    close(entry.fd);
    free_object(device, &gate);
    free_object(device, &placed);
}

static const struct subtest rows[] = {
    {"unmapped-memory", ALL, 0, NULL,
     "memory of the program that a batch uses is unmapped only when the batch is complete",
     unmapped_memory, false, false},
    {"protected-memory", ALL, 0, NULL,
     "the GPU writes to memory of the program that may only be written; not where it may only be "
     "read, or nothing may be done: EFAULT",
     protected_memory, false, false},
    {"other-memory", ALL, 0, NULL,
     "GEM_USERPTR of a mapped object, or of memory with a gap: EFAULT, of PROBE at once",
     other_memory, false, false},
    {"mappings", ALL, 0, NULL,
     "MMAP_OFFSET in two modes, GEM_MMAP, PREAD and PWRITE show the same bytes, zeroes at first; "
     "mappings outlive the handle and each other",
     mappings, false, false},
    {"wrong-mappings", ALL, 0, NULL,
     "a size larger than the object, or 0: EINVAL; an object of another file is refused; part of "
     "an object works",
     wrong_mappings, false, false},
    {"shared-memory", ALL, 0, NULL, "an object's mapping is shared with children", shared_memory,
     false, false},
    {"faults", ALL, 0, NULL,
     "arguments in memory that is absent or not writable: EFAULT; the device still works", faults,
     false, false},
    {"faulting-reads", ALL, 0, NULL,
     "reads into absent memory: EFAULT, too small a buffer: ENOSPC; reports continue",
     faulting_reads, true, false},
    {"far-faults", ALL, 0, NULL,
     "a large read ends with the last record before absent memory, even far from its start; the "
     "next "
     "read continues with the next report",
     far_faults, true, true},
};
GROUP(memory_group, rows);
