/* SPDX-License-Identifier: MIT */
/*
 * Keeps the render engine busy for a number of milliseconds, or until SIGTERM, for test_gpu.py:
 * submits a batch that jumps to itself, sleeps, ends the batch and waits for it. It prints the
 * milliseconds of RC6 of sysfs after the batch has started and before it ends. It uses the kernel's
 * interface only.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <i915_drm.h>

#define NODE      "/dev/dri/renderD128"
#define RESIDENCY "/sys/class/drm/card0/gt/gt0/rc6_residency_ms"
#define BYTES     4096

/* Commands, from Intel's reference manuals. */
#define MI_BATCH_BUFFER_END    0x05000000u
#define MI_BATCH_BUFFER_START  0x18800101u /* in the PPGTT; an address of 48 bits */
#define HSW_BATCH_BUFFER_START 0x18802100u /* in the PPGTT, without privilege; of 32 bits */

static void need(int holds, const char *what)
{
    if (holds)
        return;
    perror(what);
    exit(1);
}

/* Interrupts the sleep. */
static void on_signal(int number)
{
    (void)number;
}

static long residency_ms(void)
{
    long ms = -1;
    FILE *file = fopen(RESIDENCY, "r");
    need(file && fscanf(file, "%ld", &ms) == 1, RESIDENCY);
    fclose(file);
    return ms;
}

int main(int count, char **args)
{
    useconds_t us = count > 2 ? (useconds_t)atoi(args[2]) * 1000 : 0;
    need(count == 3, "usage: spin GENERATION MS");
    struct sigaction interrupt = {.sa_handler = on_signal};
    need(!sigaction(SIGTERM, &interrupt, NULL), "sigaction");
    int fd = open(NODE, O_RDWR), wide = atoi(args[1]) >= 8;
    need(fd >= 0, NODE);
    struct drm_i915_gem_create create = {.size = BYTES};
    need(!ioctl(fd, DRM_IOCTL_I915_GEM_CREATE, &create), "GEM_CREATE");
    struct drm_i915_gem_mmap_offset map = {.handle = create.handle, .flags = I915_MMAP_OFFSET_WB};
    need(!ioctl(fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &map), "GEM_MMAP_OFFSET");
    volatile uint32_t *batch =
        mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)map.offset);
    need(batch != MAP_FAILED, "mmap");
    batch[0] = wide ? MI_BATCH_BUFFER_START : HSW_BATCH_BUFFER_START;
    struct drm_i915_gem_relocation_entry self = {.target_handle = create.handle,
                                                 .offset = 4,
                                                 .presumed_offset = UINT64_MAX,
                                                 .read_domains = I915_GEM_DOMAIN_COMMAND};
    struct drm_i915_gem_exec_object2 object = {
        .handle = create.handle, .relocation_count = 1, .relocs_ptr = (uintptr_t)&self};
    struct drm_i915_gem_execbuffer2 execute = {
        .buffers_ptr = (uintptr_t)&object, .buffer_count = 1, .flags = I915_EXEC_RENDER};
    need(!ioctl(fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &execute), "GEM_EXECBUFFER2");
    usleep(5000);
    long before = residency_ms();
    usleep(us);
    printf("%ld %ld\n", before, residency_ms());
    batch[0] = MI_BATCH_BUFFER_END;
    struct drm_i915_gem_wait wait = {.bo_handle = create.handle, .timeout_ns = 5000000000};
    need(!ioctl(fd, DRM_IOCTL_I915_GEM_WAIT, &wait), "GEM_WAIT");
    return 0;
}
