/* SPDX-License-Identifier: MIT */
/*
 * libigt of IGT GPU Tools 1.27, where it is installed, opens the device as IGT's tests do, queries
 * its engines, and copies a surface with its own batches (IGT-2.3, IGT-3.4).
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "client.h"

#define LIBRARY "libigt.so.0"
#define INTEL   1 /* libigt's number for the driver */
#define WIDTH   800u
#define HEIGHT  600u
#define COPIES  3u

/* The functions of libigt that are called. */
struct peer {
    int (*drm_open_driver)(int kind);
    int (*perf_i915_open)(int fd, uint64_t config);
    const void *(*intel_ctx_create_all_physical)(int fd);
    void *(*buf_ops_create)(int fd);
    void *(*intel_buf_create)(void *ops, int width, int height, int bits, int alignment,
                              uint32_t tiling, uint32_t compression);
    void (*linear_to_intel_buf)(void *ops, void *buffer, uint32_t *from);
    void (*intel_buf_to_linear)(void *ops, void *buffer, uint32_t *to);
    void *(*intel_bb_create)(int fd, uint32_t size);
    void (*intel_bb_sync)(void *batch);
    void (*intel_bb_destroy)(void *batch);
    void *(*igt_get_render_copyfunc)(int chipset);
    void (*copy)(void *batch, void *from, unsigned from_x, unsigned from_y, unsigned width,
                 unsigned height, void *to, unsigned to_x, unsigned to_y);
    void *ops;
    int fd;
};

static void find(void *library, const char *name, void *out)
{
    void *symbol = dlsym(library, name);
    CHECK(symbol, "%s has no %s", LIBRARY, name);
    memcpy(out, &symbol, sizeof symbol);
}
#define FIND(library, peer, name) find(library, #name, &(peer)->name)

static void open_peer(struct peer *peer, const struct device *device)
{
    void *library = dlopen(LIBRARY, RTLD_LAZY);
    if (!library)
        skip("%s is not installed", LIBRARY);
    FIND(library, peer, drm_open_driver);
    FIND(library, peer, perf_i915_open);
    FIND(library, peer, intel_ctx_create_all_physical);
    FIND(library, peer, buf_ops_create);
    FIND(library, peer, intel_buf_create);
    FIND(library, peer, linear_to_intel_buf);
    FIND(library, peer, intel_buf_to_linear);
    FIND(library, peer, intel_bb_create);
    FIND(library, peer, intel_bb_sync);
    FIND(library, peer, intel_bb_destroy);
    FIND(library, peer, igt_get_render_copyfunc);
    peer->fd = peer->drm_open_driver(INTEL);
    CHECK(peer->fd >= 0, "libigt cannot open the device");
    CHECK(peer->intel_ctx_create_all_physical(peer->fd),
          "libigt cannot create a context with all engines");
    CHECK(peer->perf_i915_open(peer->fd, 0) >= 0, "libigt does not find the render engine");
    void *copy = peer->igt_get_render_copyfunc(device->chipset);
    CHECK(copy, "libigt has no render copy for %04x", (unsigned)device->chipset);
    memcpy(&peer->copy, &copy, sizeof copy);
    peer->ops = peer->buf_ops_create(peer->fd);
}

/* ---- a copy ---------------------------------------------------------------------------------- */

static void *new_buffer(const struct peer *peer, uint32_t *pixels, uint32_t seed)
{
    void *buffer = peer->intel_buf_create(peer->ops, WIDTH, HEIGHT, 32, 64, 0, 0);
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
        pixels[i] = seed = seed * 1664525 + 1013904223;
    peer->linear_to_intel_buf(peer->ops, buffer, pixels);
    return buffer;
}

static void copy_by_peer(const struct peer *peer, uint32_t seed)
{
    static uint32_t from[WIDTH * HEIGHT], to[WIDTH * HEIGHT];
    void *target = new_buffer(peer, to, ~seed), *source = new_buffer(peer, from, seed);
    void *batch = peer->intel_bb_create(peer->fd, 16384);
    peer->copy(batch, source, 0, 0, WIDTH, HEIGHT, target, 0, 0);
    peer->intel_bb_sync(batch);
    peer->intel_bb_destroy(batch);
    peer->intel_buf_to_linear(peer->ops, target, to);
    CHECK(!memcmp(from, to, sizeof from), "the copy differs from its source");
}

/* ---- counters -------------------------------------------------------------------------------- */

static uint64_t pixels_of(const struct device *device, const uint8_t *report)
{
    enum { HSW_A40 = 43, A26 = 4 + 26, A26_HIGH = 160 + 26 };
    if (device->platform == HSW)
        return dword(report, HSW_A40);
    return dword(report, A26) | (uint64_t)report[A26_HIGH] << 32;
}

/* Returns the pixels of the first report at or after a time. */
static uint64_t pixels_from(const struct device *device, int stream, uint64_t time)
{
    static uint8_t bytes[1 << 16];
    for (;;) {
        ssize_t size = read(stream, bytes, sizeof bytes);
        const struct drm_i915_perf_record_header *header;
        CHECK(size > 0, "%s", strerror(errno));
        for (size_t at = 0; (header = next_record(bytes, (size_t)size, &at));) {
            const uint8_t *report = (const uint8_t *)(header + 1);
            CHECK(header->type == DRM_I915_PERF_RECORD_SAMPLE, "reports were lost");
            if ((int32_t)(dword(report, 1) - (uint32_t)time) >= 0)
                return pixels_of(device, report);
        }
    }
}

static void copies(struct device *device)
{
    static struct peer peer;
    open_peer(&peer, device);
    int stream = open_stream(device, 0, sampling_every(device, 0, exponent_of(device, 1000000)));
    uint64_t before = pixels_from(device, stream, read_timestamp(device->fd));
    for (uint32_t i = 0; i < COPIES; i++)
        copy_by_peer(&peer, i);
    uint64_t after = pixels_from(device, stream, read_timestamp(device->fd));
    close(stream);
    CHECK(after - before == COPIES * WIDTH * HEIGHT, "%llu pixels of %u",
          (unsigned long long)(after - before), COPIES * WIDTH * HEIGHT);
}

static const struct subtest rows[] = {
    {"igt-render-copy", ALL & ~BIT(LKF), 0, LIBRARY,
     "libigt opens the device, creates a context with a map of all engines, finds render by its "
     "event, and copies 800 by 600 pixels three times: the copies equal their source, and the "
     "reports before and after count each pixel once",
     copies, false, false},
};
GROUP(peer_group, rows);
