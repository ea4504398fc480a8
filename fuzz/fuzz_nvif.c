/* SPDX-License-Identifier: MIT */
/*
 * Runs the input as a client of the nouveau interface: requests, and the passing of time. Checks
 * that errors are errnos, and that closing everything frees all memory.
 *
 * Input: chipset, options; steps of four bytes (kind, a 16-bit offset, a size); the rest is the
 * client's memory, which steps read and write.
 */
#include "fuzz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "emulation/emulation.h"
#include "driver/nouveau/uapi.h"

#define USER_BYTES 0x2000u
#define MAX_STEPS  48

enum { RENDER_NODE = 1, UNPRIVILEGED = 2 };
enum { NVIF, CALL, RUN, MAP, REOPEN, STEPS };

static uint8_t memory[USER_BYTES];

static bool is_mapped(uint64_t address, size_t bytes)
{
    return address <= USER_BYTES && bytes <= USER_BYTES - address;
}

static bool user_in(void *closure, void *to, uint64_t from, size_t bytes)
{
    (void)closure;
    if (is_mapped(from, bytes))
        memcpy(to, memory + from, bytes);
    return is_mapped(from, bytes);
}

static bool user_out(void *closure, uint64_t to, const void *from, size_t bytes)
{
    (void)closure;
    if (is_mapped(to, bytes))
        memcpy(memory + to, from, bytes);
    return is_mapped(to, bytes);
}

static size_t allocated;

static void *allocate(void *closure, size_t bytes, uint64_t *cookie)
{
    (void)closure;
    *cookie = 7;
    if (bytes > 1u << 20)
        return NULL;
    allocated += bytes;
    return calloc(1, bytes);
}

static void release(void *closure, void *bytes, size_t size, uint64_t cookie)
{
    (void)closure;
    CHECK(cookie == 7);
    allocated -= size;
    free(bytes);
}

static const struct drm_caller callers[] = {{true, user_in, user_out, NULL, 0},
                                            {false, user_in, user_out, NULL, 0}};

static void step(struct emulation *emulation, struct nouveau_file **file, uint8_t options,
                 const uint8_t bytes[4])
{
    uint32_t offset = load_le16(bytes + 1) % USER_BYTES, size = 8u * bytes[3];
    const struct drm_caller *caller = &callers[options & UNPRIVILEGED ? 1 : 0];
    uint64_t cookie;
    int result = 0;
    switch (bytes[0] % STEPS) {
    case NVIF:
        result =
            nouveau_ioctl(*file, _IOC(_IOC_READ | _IOC_WRITE, 'd', 0x47, size), offset, caller);
        break;
    case CALL: /* any number */
        result =
            nouveau_ioctl(*file, _IOC(_IOC_READ | _IOC_WRITE, 'd', bytes[3], 128), offset, caller);
        break;
    case RUN:
        emulation_run_ns(emulation, offset * UINT64_C(8) + 1);
        break;
    case MAP:
        result = nouveau_file_mapping(*file, load_le64(memory + min_u32(offset, USER_BYTES - 8)),
                                      size, &cookie);
        CHECK(result || cookie == 7);
        break;
    default:
        nouveau_file_close(*file);
        CHECK(nouveau_file_open(emulation->nouveau, options & RENDER_NODE, file) == 0);
        break;
    }
    CHECK(result >= -ERANGE * 8 && result <= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const chipsets[] = {"g92", "gf100", "nv40", "gt215", "nv10", "g80", "mcp79"};
    struct emulation *emulation;
    struct nouveau_file *file;
    if (size < 3)
        return 0;
    struct emulation_settings settings = {.gpu.platform = chipsets[data[0] % ARRAY_COUNT(chipsets)],
                                          .driver = {.allocate = allocate, .release = release}};
    size_t steps = min_size(data[2] % MAX_STEPS, (size - 3) / 4), at = 3 + 4 * steps;
    memset(memory, 0, sizeof memory);
    memcpy(memory, data + at, min_size(size - at, USER_BYTES));
    CHECK(emulation_new(&settings, &emulation, NULL) == 0);
    CHECK(nouveau_file_open(emulation->nouveau, data[1] & RENDER_NODE, &file) == 0);
    for (size_t i = 0; i < steps; i++)
        step(emulation, &file, data[1], data + 3 + 4 * i);
    nouveau_file_close(file);
    CHECK(!allocated);
    emulation_free(emulation);
    return 0;
}
