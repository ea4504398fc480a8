/* SPDX-License-Identifier: MIT */
/*
 * The state of the GPU at a hang, as text: registers of the engine, its ring, the batch, and the
 * objects that the client listed with EXEC_OBJECT_CAPTURE. The first one is kept until it is
 * cleared, as in the kernel. Contents are uncompressed ASCII85.
 */
#include <stdlib.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "driver/i915/device.h"

#define MAX_DUMP (64u << 10) /* bytes of a batch */

/* ---- contents -------------------------------------------------------------------------------- */

/* Appends a dword as the kernel's ascii85_encode() does. */
static void put_dword(struct buffer *out, uint32_t value)
{
    char digits[5];
    if (!value) {
        buffer_char(out, 'z');
        return;
    }
    for (unsigned i = 5; i-- > 0; value /= 85)
        digits[i] = (char)('!' + value % 85);
    buffer_append(out, digits, sizeof digits);
}

static void put_dwords(struct buffer *out, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i + 4 <= size; i += 4)
        put_dword(out, load_le32(bytes + i));
}

static void put_name(struct buffer *out, const struct i915_engine *engine, const char *what,
                     uint64_t address)
{
    buffer_printf(out, "%s --- %s = 0x%08x %08x\n~", engine->name, what, (uint32_t)(address >> 32),
                  (uint32_t)address);
}

static void put_contents(struct buffer *out, const struct i915_engine *engine, const char *what,
                         uint64_t address, const uint8_t *bytes, size_t size)
{
    while (size >= 4 && !load_le32(bytes + size - 4))
        size -= 4; /* nothing follows */
    put_name(out, engine, what, address);
    put_dwords(out, bytes, size);
    buffer_char(out, '\n');
}

/* The batch of a request, from its start to the end of the object. */
static void put_batch(struct buffer *out, const struct i915_engine *engine)
{
    const struct i915_request *request = i915_engine_active(engine);
    struct i915_space *space = i915_context_space(request->state->context);
    uint64_t start = request->batch_address & low_bits(48); /* which is canonical */
    const struct i915_object *object = i915_space_overlap(space, start, 4);
    const struct mapping *mapping = object ? i915_space_find(space, object) : NULL;
    if (!mapping)
        return;
    uint64_t left = mapping->address + object->size - start;
    size_t size = (size_t)min_u64(left, MAX_DUMP);
    uint8_t *bytes = malloc(size);
    if (bytes && i915_space_read(space, start, bytes, size))
        put_contents(out, engine, "batch", start, bytes, size);
    free(bytes);
}

/* The whole object. What the memory of a process no longer has is 0. */
static void put_object(struct buffer *out, const struct i915_engine *engine,
                       struct i915_object *object)
{
    struct i915_space *space = i915_context_space(i915_engine_active(engine)->state->context);
    const struct mapping *mapping = i915_space_find(space, object);
    if (!mapping)
        return;
    put_name(out, engine, "user", mapping->address);
    for (uint64_t at = 0; at < object->size && !out->broken; at += PAGE_BYTES) {
        uint8_t page[PAGE_BYTES] = {0};
        i915_object_copy(object, at, page, sizeof page, false);
        put_dwords(out, page, sizeof page);
    }
    buffer_char(out, '\n');
}

static void put_objects(struct buffer *out, const struct i915_engine *engine)
{
    const struct i915_request *request = i915_engine_active(engine);
    for (size_t i = 0; i < request->object_count; i++)
        if (i915_object_is_captured(request->objects[i], request->fence))
            put_object(out, engine, request->objects[i]);
}

/* ---- registers ------------------------------------------------------------------------------- */

static void put_registers(struct buffer *out, const struct i915_engine *engine)
{
    static const struct {
        const char *name;
        uint32_t address;
        uint32_t high; /* 0: 32 bits */
        bool lists;    /* since Gen8 */
    } rows[] = {
        {"START: ", RING_START, 0, false},
        {"HEAD:  ", RING_HEAD, 0, false},
        {"TAIL:  ", RING_TAIL, 0, false},
        {"CTL:   ", RING_CTL, 0, false},
        {"ACTHD: ", RING_ACTHD, RING_ACTHD_UDW, false},
        {"IPEHR: ", RING_IPEHR, 0, false},
        {"INSTDONE: ", RING_INSTDONE, 0, false},
        {"BBADDR: ", RING_BBADDR, RING_BBADDR_UDW, true},
        {"BB_STATE: ", RING_BBSTATE, 0, true},
    };
    struct i915_device *device = engine->device;
    buffer_printf(out, "%s command stream:\n", engine->name);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        if (rows[i].lists && !has_execlists(device))
            continue;
        uint32_t low = read32(device, register_of(engine, rows[i].address));
        if (rows[i].high && has_execlists(device))
            buffer_printf(out, "  %s0x%08x %08x\n", rows[i].name,
                          read32(device, register_of(engine, rows[i].high)), low);
        else
            buffer_printf(out, "  %s0x%08x\n", rows[i].name, low);
    }
    buffer_printf(out, "  hung: %d\n  engine reset count: %u\n", 1, engine->resets);
}

/* The process of a context and its name, which the kernel has until its file is closed. */
static void put_context(struct buffer *out, const struct i915_context *context)
{
    if (context->file)
        buffer_printf(out, "  Active context: %s[%d] prio %d, guilty %u active %u\n",
                      context->file->drm.opener_name, context->file->drm.opener, context->priority,
                      context->hangs, context->innocent);
}

static void put_engine(struct buffer *out, const struct i915_engine *engine)
{
    const struct i915_state *state = i915_engine_active(engine)->state;
    bool lists = has_execlists(engine->device);
    const struct i915_object *ring = lists ? state->ring : engine->ring;
    put_registers(out, engine);
    put_context(out, state->context);
    put_batch(out, engine);
    put_objects(out, engine);
    put_contents(out, engine, "ringbuffer", lists ? state->ring_address : engine->ring_address,
                 ring->bytes, ring->size);
}

/* ---- capturing ------------------------------------------------------------------------------- */

static void put_head(struct buffer *out, struct i915_device *device, unsigned engines)
{
    const struct i915_engine *first = NULL;
    uint64_t us = now_ns(device) / 1000;
    FOR_ENGINES(const struct i915_engine, engine, device)
    if (engines >> engine->hardware->id & 1 && !first)
        first = engine;
    uint32_t code = read32(device, register_of(first, RING_IPEHR)) ^
                    read32(device, register_of(first, RING_INSTDONE));
    const struct i915_file *file = i915_engine_active(first)->state->context->file;
    buffer_printf(out, "GPU HANG: ecode %u:%x:%08x", device->platform->info.version / 10, engines,
                  code);
    if (file)
        buffer_printf(out, ", in %s [%d]", file->drm.opener_name, file->drm.opener);
    buffer_char(out, '\n');
    buffer_printf(out, "Driver: %s, of the emulated GPU\n", i915_driver.date);
    buffer_printf(out, "Uptime: %llu s %llu us\n", (unsigned long long)(us / 1000000),
                  (unsigned long long)(us % 1000000));
    buffer_printf(out, "Reset count: %u\nSuspend count: 0\nPCI ID: 0x%04x\nPCI Revision: 0x%02x\n",
                  device->full_resets, device->settings.device_id, device->settings.pci_revision);
}

void i915_error_capture(struct i915_device *device, unsigned engines)
{
    unsigned hung = 0;
    bool wanted = !device->captures_no_errors;
    FOR_ENGINES(const struct i915_engine, engine, device)
    {
        if (!(engines >> engine->hardware->id & 1) || !i915_engine_active(engine))
            continue;
        hung |= 1u << engine->hardware->id;
        wanted = wanted && !i915_engine_active(engine)->state->context->no_error_capture;
    }
    if (!hung || !wanted || device->error.size)
        return;
    i915_wake_get(device);
    put_head(&device->error, device, hung);
    FOR_ENGINES(const struct i915_engine, engine, device)
    if (hung >> engine->hardware->id & 1)
        put_engine(&device->error, engine);
    i915_wake_put(device);
    if (device->error.broken)
        i915_device_clear_error(device);
}

const char *i915_device_error(const struct i915_device *device, size_t *size)
{
    *size = device->error.size;
    return device->error.bytes;
}

void i915_device_clear_error(struct i915_device *device)
{
    buffer_fini(&device->error);
}

void i915_device_capture_errors(struct i915_device *device, bool captures)
{
    device->captures_no_errors = !captures;
}
