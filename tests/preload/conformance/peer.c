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
    bool (*buf_ops_set_software_tiling)(void *ops, uint32_t tiling, bool use);
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
    void (*intel_bb_blt_copy)(void *batch, void *from, int from_x, int from_y, int from_pitch,
                              void *to, int to_x, int to_y, int to_pitch, int width, int height,
                              int bits);
    void (*igt_blitter_fast_copy__raw)(int fd, uint64_t allocator, uint32_t context,
                                       const void *engines, uint32_t from, unsigned from_delta,
                                       unsigned from_pitch, unsigned from_tiling, unsigned from_x,
                                       unsigned from_y, uint64_t from_size, unsigned width,
                                       unsigned height, int bits, uint32_t to, unsigned to_delta,
                                       unsigned to_pitch, unsigned to_tiling, unsigned to_x,
                                       unsigned to_y, uint64_t to_size);
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
    FIND(library, peer, buf_ops_set_software_tiling);
    FIND(library, peer, intel_buf_create);
    FIND(library, peer, linear_to_intel_buf);
    FIND(library, peer, intel_buf_to_linear);
    FIND(library, peer, intel_bb_create);
    FIND(library, peer, intel_bb_sync);
    FIND(library, peer, intel_bb_destroy);
    FIND(library, peer, igt_get_render_copyfunc);
    FIND(library, peer, intel_bb_blt_copy);
    FIND(library, peer, igt_blitter_fast_copy__raw);
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

static void *new_buffer(const struct peer *peer, int width, uint32_t *pixels, uint32_t seed,
                        uint32_t tiling)
{
    void *buffer = peer->intel_buf_create(peer->ops, width, HEIGHT, 32, 64, tiling, 0);
    for (uint32_t i = 0; i < (uint32_t)width * HEIGHT; i++)
        pixels[i] = seed = seed * 1664525 + 1013904223;
    peer->linear_to_intel_buf(peer->ops, buffer, pixels);
    return buffer;
}

static void copy_by_peer(const struct peer *peer, uint32_t seed)
{
    static uint32_t from[WIDTH * HEIGHT], to[WIDTH * HEIGHT];
    void *target = new_buffer(peer, WIDTH, to, ~seed, 0);
    void *source = new_buffer(peer, WIDTH, from, seed, 0);
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

/* ---- blits ----------------------------------------------------------------------------------- */

#define BLIT_WIDTH 768 /* whole tiles */
#define BLIT_PITCH (4 * BLIT_WIDTH)
#define BLIT_BYTES (4 * BLIT_WIDTH * HEIGHT)

/* A linear surface is copied into a linear or tiled one, and that into another linear one. */
static void blits(struct device *device)
{
    static uint32_t pixels[3][BLIT_WIDTH * HEIGHT];
    static const uint32_t tilings[] = {I915_TILING_NONE, I915_TILING_X};
    static struct peer peer;
    open_peer(&peer, device);
    peer.buf_ops_set_software_tiling(peer.ops, I915_TILING_X, true); /* the device has no fences */
    for (uint32_t i = 0; i < COUNT(tilings); i++) {
        void *buffers[3], *batch = peer.intel_bb_create(peer.fd, 16384);
        for (uint32_t b = 0; b < 3; b++)
            buffers[b] =
                new_buffer(&peer, BLIT_WIDTH, pixels[b], 3 * i + b, b == 1 ? tilings[i] : 0);
        for (unsigned b = 0; b < 2; b++)
            peer.intel_bb_blt_copy(batch, buffers[b], 0, 0, BLIT_PITCH, buffers[b + 1], 0, 0,
                                   BLIT_PITCH, BLIT_WIDTH, HEIGHT, 32);
        peer.intel_bb_sync(batch);
        peer.intel_bb_destroy(batch);
        for (unsigned b = 1; b < 3; b++) {
            peer.intel_buf_to_linear(peer.ops, buffers[b], pixels[b]);
            CHECK(!memcmp(pixels[0], pixels[b], BLIT_BYTES), "tiling %u: copy %u differs",
                  tilings[i], b);
        }
    }
}

static void fast_blits(struct device *device)
{
    enum { ROW = 4096, ROWS = 128, BYTES = ROW * ROWS };
    static const unsigned tilings[] = {I915_TILING_NONE, I915_TILING_X, I915_TILING_Y};
    static struct peer peer;
    open_peer(&peer, device);
    for (unsigned i = 0; i < COUNT(tilings); i++) {
        struct object from = new_object(device, BYTES, true), to = new_object(device, BYTES, true);
        struct object tiled = new_object(device, BYTES, true);
        for (uint32_t at = 0; at < BYTES / 4; at++)
            from.map[at] = at * 2654435761u;
        peer.igt_blitter_fast_copy__raw(device->fd, 0, 0, NULL, from.handle, 0, ROW, 0, 0, 0, BYTES,
                                        ROW / 4, ROWS, 32, tiled.handle, 0, ROW, tilings[i], 0, 0,
                                        BYTES);
        peer.igt_blitter_fast_copy__raw(device->fd, 0, 0, NULL, tiled.handle, 0, ROW, tilings[i], 0,
                                        0, BYTES, ROW / 4, ROWS, 32, to.handle, 0, ROW, 0, 0, 0,
                                        BYTES);
        set_domain(device, &to);
        CHECK(!memcmp(from.map, to.map, BYTES), "tiling %u: the copy differs", tilings[i]);
        bool same = !memcmp(from.map, tiled.map, BYTES);
        CHECK(same == (tilings[i] == I915_TILING_NONE), "tiling %u is linear: %d", tilings[i],
              same);
        free_object(device, &from);
        free_object(device, &to);
        free_object(device, &tiled);
    }
}

static const struct subtest rows[] = {
    {"igt-render-copy", ALL & ~BIT(LKF), 0, LIBRARY,
     "libigt opens the device, creates a context with a map of all engines, finds render by its "
     "event, and copies 800 by 600 pixels three times: the copies equal their source, and the "
     "reports before and after count each pixel once",
     copies, false, false},
    {"igt-blits", ALL & ~BIT(LKF), 0, LIBRARY,
     "libigt copies 768 by 600 pixels with the copy engine, to a linear and an X-tiled surface and "
     "back",
     blits, false, false},
    {"igt-fast-blits", ALL & ~(BIT(HSW) | BIT(BDW) | BIT(CHV) | BIT(LKF)), 0, LIBRARY,
     "libigt copies 128 rows of 4 KB with the fast copy of the copy engine, to linear, X-tiled and "
     "Y-tiled surfaces and back",
     fast_blits, false, false},
};
GROUP(peer_group, rows);
