/* SPDX-License-Identifier: MIT */
/* Finds and identifies the device as clients do: by its node, GETPARAM, QUERY, and files. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "client.h"

static const struct {
    const char *name;
    int chipset;
} platforms[PLATFORMS] = {
    [HSW] = {"hsw", 0x0416}, [BDW] = {"bdw", 0x1616}, [CHV] = {"chv", 0x22b1},
    [SKL] = {"skl", 0x1912}, [ICL] = {"icl", 0x8a52}, [LKF] = {"lkf", 0x9840},
    [TGL] = {"tgl", 0x9a49},
};

/* Devices that clients treat as another platform. */
static const struct {
    int chipset;
    enum platform like;
} alike[] = {{0x4c8a, TGL}, {0x4905, TGL}, {0x46a6, TGL}, /* RKL, DG1, ADL */
             {0x0d26, HSW}, {0x1606, BDW}, {0x193b, SKL}, /* GT3, GT1, GT4 */
             {0x1626, BDW}, {0x1926, SKL}};               /* GT3 */

const char *platform_name(enum platform platform)
{
    return platforms[platform].name;
}

/* ---- calls ----------------------------------------------------------------------------------- */

int call(int fd, unsigned long request, void *argument)
{
    int result;
    do
        result = ioctl(fd, request, argument);
    while (result < 0 && (errno == EINTR || errno == EAGAIN));
    return result;
}

int getparam(int fd, int number, int *value)
{
    struct drm_i915_getparam args = {.param = number, .value = value};
    return call(fd, DRM_IOCTL_I915_GETPARAM, &args);
}

uint64_t read_timestamp(int fd)
{
    struct drm_i915_reg_read args = {.offset =
                                         0x2359}; /* with I915_REG_READ_8B_WA, as recorders use */
    WORKS(call(fd, DRM_IOCTL_I915_REG_READ, &args));
    return args.val;
}

/* ---- files ----------------------------------------------------------------------------------- */

ssize_t read_text(const char *path, char *text, size_t capacity)
{
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return -1;
    ssize_t size = read(fd, text, capacity - 1);
    close(fd);
    if (size >= 0)
        text[size] = '\0';
    return size;
}

unsigned long read_number(const char *path)
{
    char text[64], *last;
    CHECK(read_text(path, text, sizeof text) > 0, "%s: %s", path, strerror(errno));
    unsigned long value = strtoul(text, &last, 0);
    CHECK(last > text && *last == '\n', "%s: %s", path, text);
    return value;
}

unsigned long sysctl_read(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "/proc/sys/dev/i915/%s", name);
    return read_number(path);
}

/* With stdio, as IGT GPU Tools does. */
void sysctl_write(const char *name, unsigned long value)
{
    char path[128];
    snprintf(path, sizeof path, "/proc/sys/dev/i915/%s", name);
    FILE *file = fopen(path, "w");
    CHECK(file, "%s: %s", path, strerror(errno));
    CHECK(fprintf(file, "%lu", value) > 0, "%s: not writable", path);
    CHECK(fclose(file) == 0, "%s: %s", path, strerror(errno));
}

/* ---- the device ------------------------------------------------------------------------------ */

int open_card(void)
{
    return open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
}

static unsigned bits_of(const uint8_t *bytes, size_t count)
{
    unsigned bits = 0;
    for (size_t i = 0; i < count; i++)
        bits += (unsigned)__builtin_popcount(bytes[i]);
    return bits;
}

/* Counts the available slices, subslices and EUs in the topology's masks. */
static void find_topology(struct device *device)
{
    uint16_t reply[256] = {0};
    struct drm_i915_query_item item = {.query_id = DRM_I915_QUERY_TOPOLOGY_INFO};
    struct drm_i915_query query = {.num_items = 1, .items_ptr = (uintptr_t)&item};
    WORKS(call(device->fd, DRM_IOCTL_I915_QUERY, &query));
    CHECK(item.length > 16 && (size_t)item.length <= sizeof reply, "%d bytes", item.length);
    item.data_ptr = (uintptr_t)reply;
    WORKS(call(device->fd, DRM_IOCTL_I915_QUERY, &query));
    const uint8_t *data = (const uint8_t *)(reply + 8);
    size_t end = (size_t)item.length - 16;
    CHECK(reply[4] < reply[6] && reply[6] < end, "offsets %u, %u of %zu", reply[4], reply[6], end);
    device->slices = bits_of(data, reply[4]);
    device->subslices = bits_of(data + reply[4], (size_t)(reply[6] - reply[4]));
    device->eus = bits_of(data + reply[6], end - reply[6]);
}

/* Returns the frequency of report timestamps: a separate parameter since revision 6, before that
 * the command streamer's. */
static uint32_t find_clock(int fd)
{
    int hz;
    if (getparam(fd, 57, &hz) < 0)
        WORKS(getparam(fd, 51, &hz));
    return (uint32_t)hz;
}

void find_device(struct device *device)
{
    *device = (struct device){.fd = open_card(), .platform = PLATFORMS, .revision = 1};
    CHECK(device->fd >= 0, "/dev/dri/card0: %s", strerror(errno));
    WORKS(getparam(device->fd, 4, &device->chipset));
    for (unsigned i = 0; i < PLATFORMS; i++)
        if (platforms[i].chipset == device->chipset)
            device->platform = i;
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++)
        if (alike[i].chipset == device->chipset)
            device->platform = alike[i].like;
    CHECK(device->platform < PLATFORMS, "unknown device %04x", (unsigned)device->chipset);
    if (getparam(device->fd, 54, &device->revision) < 0)
        device->revision = 1;
    device->timestamp_hz = find_clock(device->fd);
    find_topology(device);
    device->set = find_test_set(device);
}
