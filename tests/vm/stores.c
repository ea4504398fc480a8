/* SPDX-License-Identifier: MIT */
/* Runs in a guest: for each engine that is named (rcs0 bcs0 vcs0 vcs1 vecs0), submits a batch that
 * stores a number in an object, and prints the engine and the number that the object then has. */
#include <errno.h>
#include <fcntl.h>
#include <i915_drm.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#define PAGE_BYTES          4096
#define MI_STORE_DATA_IMM   (0x20u << 23 | 2)
#define MI_BATCH_BUFFER_END (0x0au << 23)

static int fd;

/* Makes a call; ends the program if it fails. */
static void call(const char *name, unsigned long request, void *args)
{
    int result;
    do
        result = ioctl(fd, request, args);
    while (result < 0 && errno == EINTR);
    if (result == 0)
        return;
    printf("%s: %s\n", name, strerror(errno));
    exit(1);
}

static uint32_t new_object(void)
{
    struct drm_i915_gem_create args = {.size = PAGE_BYTES};
    call("GEM_CREATE", DRM_IOCTL_I915_GEM_CREATE, &args);
    return args.handle;
}

static int find_engine(const char *name, uint64_t *flags)
{
    static const struct {
        const char *name;
        uint64_t flags;
    } engines[] = {
        {"rcs0", I915_EXEC_RENDER},
        {"bcs0", I915_EXEC_BLT},
        {"vcs0", I915_EXEC_BSD | I915_EXEC_BSD_RING1},
        {"vcs1", I915_EXEC_BSD | I915_EXEC_BSD_RING2},
        {"vecs0", I915_EXEC_VEBOX},
    };
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
        if (!strcmp(engines[i].name, name)) {
            *flags = engines[i].flags;
            return 1;
        }
    return 0;
}

/* Maps an object: a way that all platforms have. */
static volatile uint32_t *map(uint32_t handle)
{
    struct drm_i915_gem_mmap_offset args = {.handle = handle, .flags = I915_MMAP_OFFSET_WC};
    call("GEM_MMAP_OFFSET", DRM_IOCTL_I915_GEM_MMAP_OFFSET, &args);
    void *at = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)args.offset);
    if (at != MAP_FAILED)
        return at;
    printf("mmap: %s\n", strerror(errno));
    exit(1);
}

/* Before Gen8 the command has its address in dword 2, and the driver chooses it; from Gen8 on the
 * address is in dwords 1 and 2, and chosen here, above 1 GB. */
static uint32_t run(uint64_t engine, unsigned generation, uint32_t number)
{
    uint32_t target = new_object(), batch = new_object();
    bool chooses = generation >= 8;
    uint64_t pinned = chooses ? EXEC_OBJECT_PINNED : 0;
    uint32_t place = chooses ? (1u << 30) + 16 * PAGE_BYTES * number : 0;
    const uint32_t commands[] = {
        MI_STORE_DATA_IMM, chooses ? place : 0, 0, number, MI_BATCH_BUFFER_END, 0};
    struct drm_i915_gem_relocation_entry address = {
        .target_handle = target,
        .offset = 8,
        .read_domains = I915_GEM_DOMAIN_RENDER,
        .write_domain = I915_GEM_DOMAIN_RENDER,
        .presumed_offset = UINT64_MAX,
    };
    struct drm_i915_gem_exec_object2 objects[] = {
        {.handle = target, .offset = place, .flags = pinned | EXEC_OBJECT_WRITE},
        {.handle = batch,
         .offset = chooses ? place + PAGE_BYTES : 0,
         .flags = pinned,
         .relocation_count = !chooses,
         .relocs_ptr = (uintptr_t)&address},
    };
    struct drm_i915_gem_execbuffer2 execute = {
        .buffers_ptr = (uintptr_t)objects, .buffer_count = 2, .flags = engine};
    struct drm_i915_gem_wait wait = {.bo_handle = target, .timeout_ns = -1};
    volatile uint32_t *to = map(batch), *from = map(target);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        to[i] = commands[i];
    call("GEM_EXECBUFFER2", DRM_IOCTL_I915_GEM_EXECBUFFER2, &execute);
    call("GEM_WAIT", DRM_IOCTL_I915_GEM_WAIT, &wait);
    return *from;
}

int main(int argc, char **argv)
{
    fd = open("/dev/dri/card0", O_RDWR);
    if (fd < 0 || argc < 3) {
        printf("stores GENERATION ENGINE...: %s\n", strerror(errno));
        return 1;
    }
    for (int i = 2; i < argc; i++) {
        uint64_t engine;
        if (!find_engine(argv[i], &engine)) {
            printf("%s: unknown engine\n", argv[i]);
            return 1;
        }
        printf("%s %u\n", argv[i], run(engine, (unsigned)atoi(argv[1]), 1000u + (unsigned)i));
    }
    return 0;
}
