/* SPDX-License-Identifier: MIT */
/*
 * Runs the input as a client of the i915 interface: calls, reads, the passing of time, and the
 * client's memory. Checks that errors are errnos, that records are complete, and that closing
 * everything frees all memory.
 *
 * Input: platform, options, number of steps; steps of four bytes (kind, selector, a 16-bit number;
 * of a call, its number and the address of its struct); the rest is the client's memory, from USER
 * on.
 */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "driver/i915/device.h"
#include "emulation/emulation.h"
#include "platforms.h"

#define USER       0x10000u
#define USER_BYTES 0x4000u
#define STREAMS    2
#define FIRST_FD   50
#define SLEEPS     100 /* sleeps of up to SLEEP_NS before a signal arrives */
#define SLEEP_NS   200000

enum { REVISION = 7, UNPRIVILEGED = 8, FREE = 16, RENDER_NODE = 32, NO_FDS = 64, FENCES = 128 };

enum { CALL, CALL_NUMBER, RUN, READ, STREAM_CALL, CLOSE_STREAM, STORE_RESULT, REOPEN, STEPS };

#define SOFTWARE 0xff /* instead of the step REOPEN */

struct client {
    struct emulation *emulation;
    struct i915_file *file;
    struct i915_caller caller;
    struct i915_stream *streams[STREAMS];
    uint8_t options;
    unsigned sleeps;
    int64_t result;
    struct i915_fences fences;    /* the latest */
    struct i915_syncobj *syncobj; /* exported last, held; NULL: none */
    struct i915_timeline *timeline;
    struct i915_object *object;
    struct i915_process process; /* `memory` */
    uint8_t memory[USER_BYTES];
};

/* ---- callbacks of the driver ----------------------------------------------------------------- */

static bool is_mapped(uint64_t address, size_t bytes)
{
    return address >= USER && address <= USER + USER_BYTES && bytes <= USER + USER_BYTES - address;
}

static bool user_in(void *closure, void *to, uint64_t from, size_t bytes)
{
    const struct client *client = closure;
    if (!is_mapped(from, bytes))
        return false;
    memcpy(to, client->memory + (from - USER), bytes);
    return true;
}

static bool user_out(void *closure, uint64_t to, const void *from, size_t bytes)
{
    struct client *client = closure;
    if (!is_mapped(to, bytes))
        return false;
    memcpy(client->memory + (to - USER), from, bytes);
    return true;
}

static int open_stream(void *closure, struct i915_stream *stream, unsigned flags)
{
    struct client *client = closure;
    CHECK(flags < 2 * I915_PERF_FLAG_DISABLED);
    for (int i = 0; i < STREAMS && !(client->options & NO_FDS); i++) {
        if (client->streams[i])
            continue;
        client->streams[i] = stream;
        return FIRST_FD + i;
    }
    return -EMFILE;
}

static int open_fence(void *closure, const struct i915_fences *fences)
{
    struct client *client = closure;
    const struct i915_device *device = client->emulation->device;
    for (unsigned id = 0; id < I915_SOURCES; id++)
        CHECK(fence_number(fences->of[id]) <= device->requests);
    int status = i915_fences_status(device, fences);
    CHECK((status != 0) == i915_fences_done(device, fences));
    client->fences = *fences;
    return 99;
}

/* Every descriptor is the latest fence, the latest sync object or the latest dma-buf. */
static int find_fence(void *closure, int descriptor, struct i915_fences *fences)
{
    const struct client *client = closure;
    (void)descriptor;
    *fences = client->fences;
    return 0;
}

static int open_syncobj(void *closure, struct i915_syncobj *syncobj)
{
    struct client *client = closure;
    i915_syncobj_drop(client->syncobj);
    client->syncobj = i915_syncobj_hold(syncobj);
    return 98;
}

static int find_syncobj(void *closure, int descriptor, struct i915_syncobj **out)
{
    const struct client *client = closure;
    (void)descriptor;
    *out = client->syncobj;
    return client->syncobj ? 0 : -EINVAL;
}

static int open_object(void *closure, struct i915_object *object, unsigned flags)
{
    struct client *client = closure;
    (void)flags;
    i915_object_drop(client->object);
    client->object = i915_object_hold(object);
    return 97;
}

static int find_object(void *closure, int descriptor, struct i915_object **out)
{
    const struct client *client = closure;
    (void)descriptor;
    *out = client->object;
    return client->object ? 0 : -EBADF;
}

static struct client *client_of(struct i915_process *process)
{
    return (struct client *)(void *)((char *)process - offsetof(struct client, process));
}

static bool access_user(struct i915_process *process, uint64_t address, void *data, size_t bytes,
                        bool write)
{
    return write ? user_out(client_of(process), address, data, bytes)
                 : user_in(client_of(process), data, address, bytes);
}

static bool reaches_user(struct i915_process *process, uint64_t address, uint64_t bytes,
                         enum i915_reach reach)
{
    (void)process, (void)reach;
    return is_mapped(address, (size_t)bytes);
}

static void release_user(struct i915_process *process)
{
    (void)process;
}

static struct i915_process *open_process(void *closure)
{
    struct client *client = closure;
    return client->options & NO_FDS ? NULL : &client->process;
}

static int64_t map(void *closure, struct i915_object *object, uint64_t offset, uint64_t bytes)
{
    uint64_t size, cookie;
    (void)closure;
    i915_object_bytes(object, &size, &cookie);
    CHECK(offset <= size && bytes <= size - offset);
    return 0x7000;
}

/* Sleeps. After SLEEPS sleeps a signal is pending permanently, so that no call waits forever. */
static int sleep_until_signal(void *closure, uint64_t ns, bool interruptible)
{
    struct client *client = closure;
    tally_gpu_run_ns(client->emulation->gpu, ns < SLEEP_NS ? ns : SLEEP_NS);
    return ++client->sleeps > SLEEPS && interruptible ? -EINTR : 0;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Returns the request of a call by its number: one of the driver has the size of its struct,
 * another one 64 bytes, which fit those of the DRM core. */
static uint32_t request_of(uint8_t number)
{
    const struct drm_row *row = i915_find_call(number);
    return row ? row->request : (uint32_t)_IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, number, 64);
}

static void check_error(int64_t result)
{
    CHECK(result >= -ENOTSUPP);
}

static void check_records(const struct client *client, uint32_t at, int64_t bytes)
{
    for (int64_t done = 0; done < bytes;) {
        struct drm_i915_perf_record_header header;
        CHECK(bytes - done >= (int64_t)sizeof header);
        memcpy(&header, client->memory + at + done, sizeof header);
        CHECK(header.type >= DRM_I915_PERF_RECORD_SAMPLE &&
              header.type <= DRM_I915_PERF_RECORD_OA_BUFFER_LOST);
        CHECK(header.size >= sizeof header && header.size % 8 == 0 && !header.pad);
        CHECK((header.type == DRM_I915_PERF_RECORD_SAMPLE) == (header.size > sizeof header));
        done += header.size;
        CHECK(done <= bytes);
    }
}

static void read_stream(struct client *client, struct i915_stream *stream, bool blocking,
                        uint16_t bytes)
{
    uint32_t at = bytes & 0xff;
    client->result = blocking ? i915_stream_wait(stream, &client->caller, USER + at, bytes)
                              : i915_stream_read(stream, &client->caller, USER + at, bytes, false);
    CHECK(client->result != 0 && client->result <= bytes);
    check_error(client->result);
    check_records(client, at, client->result);
}

static void close_stream(struct client *client, unsigned which)
{
    if (client->streams[which])
        i915_stream_close(client->streams[which]);
    client->streams[which] = NULL;
}

static void use_timeline(struct client *client, uint8_t which, uint16_t number)
{
    struct i915_device *device = client->emulation->device;
    struct i915_fences fences;
    if (!client->timeline)
        client->timeline = i915_timeline_new(device, "fuzz");
    switch (which % 4) {
    case 0:
        CHECK(i915_timeline_fence(client->timeline, number, &client->fences) == 0);
        break;
    case 1:
        CHECK(i915_timeline_fence(client->timeline, number, &fences) == 0);
        i915_fences_merge(device, &client->fences, &fences);
        break;
    case 2:
        i915_timeline_advance(client->timeline, number);
        break;
    default:
        i915_timeline_close(client->timeline);
        client->timeline = NULL;
        CHECK(!i915_device_has_software(device));
        break;
    }
}

static void step(struct client *client, const uint8_t bytes[4])
{
    static const uint32_t calls[] = {I915_PERF_IOCTL_ENABLE, I915_PERF_IOCTL_DISABLE,
                                     I915_PERF_IOCTL_CONFIG, 0x6903};
    uint8_t which = bytes[1];
    uint16_t number = load_le16(bytes + 2);
    struct i915_stream *stream = client->streams[which % STREAMS];
    uint64_t address = USER + number;
    switch (bytes[0] % STEPS) {
    case CALL:
        client->result = i915_ioctl(client->file, request_of(which), address, &client->caller);
        check_error(client->result);
        break;
    case CALL_NUMBER: /* any request number, with any size */
        client->result = i915_ioctl(client->file, 0xc0006400u | which | (uint32_t)number << 16,
                                    USER, &client->caller);
        check_error(client->result);
        break;
    case RUN:
        emulation_run_ns(client->emulation, number * UINT64_C(15));
        break;
    case READ:
        if (stream)
            read_stream(client, stream, which & 2, number);
        break;
    case STREAM_CALL:
        if (stream)
            check_error(i915_stream_ioctl(stream, calls[which / 2 % 4], number));
        break;
    case CLOSE_STREAM:
        close_stream(client, which % STREAMS);
        break;
    case STORE_RESULT:
        user_out(client, address, &client->result, sizeof client->result);
        break;
    default:
        if (bytes[0] == SOFTWARE) {
            use_timeline(client, which, number);
            break;
        }
        i915_file_close(client->file);
        CHECK(i915_file_open(client->emulation->device, client->options & RENDER_NODE,
                             &client->file) == 0);
        break;
    }
}

/* ---- a client -------------------------------------------------------------------------------- */

static void start(struct client *client, uint8_t platform, uint8_t options)
{
    struct emulation_settings settings = {
        .gpu = {.platform = modelled_platform(platform & 0x7f, false),
                .wake_clocks = platform & 0x80 ? 500 : 0},
        .driver = {.perf_revision = options & REVISION,
                   .memory_bytes = 40 << 20,
                   .noa_delay_ns = 1000,
                   .hang_ns = 100000}};
    client->options = options;
    client->process = (struct i915_process){access_user, reaches_user, release_user, 0};
    CHECK(emulation_new(&settings, &client->emulation, NULL) == 0);
    client->emulation->sleep_ns = sleep_until_signal;
    client->emulation->sleep_closure = client;
    bool fences = options & FENCES;
    client->caller = (struct i915_caller){
        .drm = {!(options & UNPRIVILEGED), user_in, user_out, client},
        .open_stream = open_stream,
        .open_fence = fences ? open_fence : NULL,
        .find_fence = fences ? find_fence : NULL,
        .open_syncobj = fences ? open_syncobj : NULL,
        .find_syncobj = fences ? find_syncobj : NULL,
        .open_object = fences ? open_object : NULL,
        .find_object = fences ? find_object : NULL,
        .open_process = open_process,
        .map = map,
    };
    CHECK(i915_sysctl_set(client->emulation->device, I915_PARANOID, !(options & FREE)) == 0);
    CHECK(i915_file_open(client->emulation->device, options & RENDER_NODE, &client->file) == 0);
}

static uint64_t memory_of(const struct i915_context *context)
{
    uint64_t bytes = 0;
    if (!context)
        return 0;
    FOR_STATES(const struct i915_state, own, context)
    {
        bytes += (own->image ? own->image->size : 0) + (own->ring ? own->ring->size : 0);
    }
    return bytes;
}

/* Returns the size of the objects of the driver's own contexts. */
static uint64_t kernel_memory(const struct i915_device *device)
{
    return memory_of(device->kernel_context) + memory_of(device->pulse_context);
}

static void finish(struct client *client, uint64_t memory_before)
{
    struct i915_device *device = client->emulation->device;
    for (unsigned i = 0; i < STREAMS; i++)
        close_stream(client, i);
    i915_timeline_close(client->timeline);
    i915_file_close(client->file);
    for (unsigned i = 0; i < 4000 && !i915_device_is_idle(device); i++)
        emulation_run_ns(client->emulation, 100000);
    i915_device_tick(device);
    i915_syncobj_drop(client->syncobj);
    i915_object_drop(client->object);
    CHECK(i915_device_is_idle(device) && !device->perf.stream);
    for (unsigned i = 0; i < WAKE_DOMAINS; i++)
        CHECK(!device->wakes[i]);
    CHECK(device->memory_used == memory_before + kernel_memory(device));
    CHECK(i915_device_next_ns(device) == UINT64_MAX);
    emulation_free(client->emulation);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct client client;
    size_t steps, at = 3;
    if (size < 3)
        return 0;
    memset(&client, 0, sizeof client);
    start(&client, data[0], data[1]);
    uint64_t memory = client.emulation->device->memory_used;
    steps = data[2] % 64;
    if (steps > (size - 3) / 4)
        steps = (size - 3) / 4;
    size_t memory_at = 3 + 4 * steps;
    memcpy(client.memory, data + memory_at, min_size(size - memory_at, USER_BYTES));
    for (size_t i = 0; i < steps; i++, at += 4)
        step(&client, data + at);
    finish(&client, memory);
    return 0;
}
