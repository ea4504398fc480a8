/* SPDX-License-Identifier: MIT */
#include "capture/fake.h"

#include <errno.h>
#include <poll.h>

#include <tally/recording.h>

#include "base/bits.h"
#include "driver/i915/uapi.h"

#define FILE_FD   10
#define STREAM_FD 20
#define HZ        12500000u

static const struct set_write fake_writes[] = {{0x2710, 0}, {0x2714, 0x00800000}};

const struct set fake_set = {
    .symbol = "RenderBasic",
    .uuid = "403d8832-1a27-4aa6-a64e-f5389ce7b212",
    .lists[SET_BOOLEAN] = {fake_writes, 2},
};

static void note(struct fake *fake, const char *call)
{
    size_t used = strlen(fake->calls);
    snprintf(fake->calls + used, sizeof fake->calls - used, "%s%s", used ? " " : "", call);
}

/* ---- the stream ------------------------------------------------------------------------------ */

static const struct fake_step *due(const struct fake *fake)
{
    const struct fake_step *step = &fake->steps[fake->step];
    bool is_due = step->kind != FAKE_END && fake->opened_ns + step->at_ns <= fake->now_ns;
    return is_due ? step : NULL;
}

static void next(struct fake *fake)
{
    fake->step++;
    fake->step_done = 0;
}

/* The timer fires when bit `exponent` of the timestamp rises: first after half a period. */
static size_t put_report(struct fake *fake, uint8_t *to)
{
    uint64_t slots[TALLY_SLOT_COUNT] = {0};
    uint64_t ticks = (UINT64_C(2) * fake->strobe + 1) << fake->exponent;
    bool gen8 = fake->platform->version >= 80;
    slots[TALLY_SLOT_ID] =
        gen8 ? 1u << 19 | (fake->platform->version >= 90 ? 1u << 16 : 1u << 25) : 0x40;
    if (fake->switched)
        slots[TALLY_SLOT_ID] |= 1u << 22;
    fake->switched = false;
    slots[TALLY_SLOT_TIMESTAMP] = ticks;
    slots[TALLY_SLOT_CONTEXT] = fake->context;
    slots[TALLY_SLOT_A] = fake->strobe;
    store_le32(to, TALLY_RECORD_SAMPLE);
    store_le16(to + 4, 0);
    store_le16(to + 6, (uint16_t)(8 + fake->layout->size_bytes));
    tally_report_pack(fake->layout, slots, to + 8);
    fake->strobe++;
    return 8 + (size_t)fake->layout->size_bytes;
}

static int64_t fake_read(void *self, int fd, void *to, size_t bytes)
{
    struct fake *fake = self;
    uint8_t *at = to;
    size_t used = 0;
    assert_int_equal(fd, STREAM_FD);
    for (const struct fake_step *step; (step = due(fake));) {
        size_t size = 8;
        switch (step->kind) {
        case FAKE_REPORTS:
            size += fake->layout->size_bytes;
            if (bytes - used < size)
                return (int64_t)used;
            used += put_report(fake, at + used);
            if (++fake->step_done == step->count)
                next(fake);
            continue;
        case FAKE_REPORT_LOST:
        case FAKE_BUFFER_LOST:
            if (bytes - used < size)
                return (int64_t)used;
            store_le64(at + used, 0);
            store_le32(at + used, step->kind == FAKE_REPORT_LOST ? 2 : 3);
            store_le16(at + used + 6, 8);
            used += size;
            break;
        case FAKE_BYTES:
            memcpy(at + used, step->bytes, step->count);
            used += step->count;
            break;
        case FAKE_GAP:
            fake->strobe += step->count;
            break;
        case FAKE_SWITCH:
            fake->context = step->count;
            fake->switched = true;
            break;
        case FAKE_ERRNO:
            if (used)
                return (int64_t)used;
            next(fake);
            return -(int64_t)step->count;
        case FAKE_END:
            break;
        }
        next(fake);
    }
    return used ? (int64_t)used : -EAGAIN;
}

static int fake_poll(void *self, int stream, int wake, uint64_t timeout_ns)
{
    struct fake *fake = self;
    struct pollfd pollfd = {.fd = wake, .events = POLLIN};
    const struct fake_step *step = &fake->steps[fake->step];
    bool woken = wake >= 0 && poll(&pollfd, 1, 0) > 0;
    uint64_t end = fake->now_ns + timeout_ns, at = fake->opened_ns + step->at_ns;
    if (!woken && !due(fake))
        fake->now_ns = stream >= 0 && step->kind != FAKE_END && at < end ? at : end;
    return (stream >= 0 && due(fake) ? DEVICE_STREAM : 0) | (woken ? DEVICE_WAKE : 0);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static int fake_open(void *self, const char *path)
{
    struct fake *fake = self;
    note(fake, "open");
    if (fake->open_result < 0)
        return fake->open_result;
    if (strcmp(path, FAKE_NODE) != 0)
        return -ENOENT;
    fake->open_files++;
    return FILE_FD;
}

static int fake_close(void *self, int fd)
{
    struct fake *fake = self;
    note(fake, fd == STREAM_FD ? "close-stream" : "close");
    if (fd == STREAM_FD)
        fake->stream_open = false;
    else
        fake->open_files--;
    return 0;
}

static int get_parameter(const struct fake *fake, const struct drm_i915_getparam *get)
{
    static const struct {
        int parameter, value;
    } known[] = {{32, 6}, {51, HZ}, {54, 7}, {57, HZ}};
    int *out = (int *)(uintptr_t)get->value;
    if (get->param == 4) {
        *out = (int)fake->pci_id;
        return 0;
    }
    for (size_t i = 0; i < ARRAY_COUNT(known); i++)
        if (known[i].parameter == get->param) {
            *out = known[i].value;
            return 0;
        }
    return -EINVAL;
}

static int query(const struct fake *fake, const struct drm_i915_query *query)
{
    struct drm_i915_query_item *item = (struct drm_i915_query_item *)(uintptr_t)query->items_ptr;
    struct tally_topology topology;
    uint8_t reply[256];
    assert_int_equal(item->query_id, DRM_I915_QUERY_TOPOLOGY_INFO);
    tally_topology_default(fake->platform, &topology);
    size_t size = tally_topology_format(&topology, reply, sizeof reply);
    if (item->length)
        memcpy((void *)(uintptr_t)item->data_ptr, reply, size);
    item->length = (int32_t)size;
    return 0;
}

static int add(struct fake *fake, const struct drm_i915_perf_oa_config *config)
{
    const uint32_t counts[] = {config->n_mux_regs, config->n_boolean_regs, config->n_flex_regs};
    const uint64_t lists[] = {config->mux_regs_ptr, config->boolean_regs_ptr,
                              config->flex_regs_ptr};
    memcpy(fake->added_uuid, config->uuid, UUID_STRING_LEN);
    for (size_t list = 0; list < 3; list++) {
        fake->added_count[list] = counts[list];
        assert_true(counts[list] <= 8);
        if (counts[list])
            memcpy(fake->added[list], (const void *)(uintptr_t)lists[list], counts[list] * 8);
    }
    return 7;
}

static int open_stream(struct fake *fake, const struct drm_i915_perf_open_param *args)
{
    fake->open_flags = args->flags;
    fake->property_count = args->num_properties;
    assert_true(args->num_properties <= 10);
    memcpy(fake->properties, (const void *)(uintptr_t)args->properties_ptr,
           args->num_properties * 16);
    fake->stream_open = true;
    fake->opened_ns = fake->now_ns;
    return STREAM_FD;
}

static int fake_ioctl(void *self, int fd, uint32_t request, void *argument)
{
    struct fake *fake = self;
    static const struct {
        uint32_t request;
        const char *name;
    } names[] = {{DRM_IOCTL_I915_PERF_OPEN, "OPEN"},
                 {DRM_IOCTL_I915_PERF_ADD_CONFIG, "ADD"},
                 {DRM_IOCTL_I915_PERF_REMOVE_CONFIG, "REMOVE"}};
    const struct drm_i915_getparam *get = argument;
    assert_int_equal(fd, FILE_FD);
    for (size_t i = 0; i < ARRAY_COUNT(names); i++)
        if (names[i].request == request)
            note(fake, names[i].name);
    for (size_t i = 0; i < ARRAY_COUNT(fake->answers); i++) {
        const struct fake_answer *answer = &fake->answers[i];
        if (answer->request != request ||
            (request == DRM_IOCTL_I915_GETPARAM && answer->parameter != get->param))
            continue;
        if (request == DRM_IOCTL_I915_GETPARAM)
            *(int *)(uintptr_t)get->value = answer->value;
        return answer->result;
    }
    switch (request) {
    case DRM_IOCTL_VERSION: {
        const struct drm_version *version = argument;
        strncpy((char *)(uintptr_t)version->name, fake->driver, version->name_len);
        return 0;
    }
    case DRM_IOCTL_I915_GETPARAM:
        return get_parameter(fake, get);
    case DRM_IOCTL_I915_QUERY:
        return query(fake, argument);
    case DRM_IOCTL_I915_REG_READ:
        assert_int_equal(((struct drm_i915_reg_read *)argument)->offset, 0x2359);
        ((struct drm_i915_reg_read *)argument)->val = fake->now_ns / 80;
        return 0;
    case DRM_IOCTL_I915_PERF_ADD_CONFIG:
        return add(fake, argument);
    case DRM_IOCTL_I915_PERF_REMOVE_CONFIG:
        fake->removed_id = *(uint64_t *)argument;
        return 0;
    case DRM_IOCTL_I915_PERF_OPEN:
        return open_stream(fake, argument);
    default:
        fail_msg("request 0x%x", request);
        return -EINVAL;
    }
}

static int fake_card(void *self, int fd, char *directory, size_t size)
{
    (void)self;
    assert_int_equal(fd, FILE_FD);
    snprintf(directory, size, "%s", FAKE_CARD);
    return 0;
}

static int fake_text(void *self, const char *path, char *text, size_t size)
{
    const struct fake *fake = self;
    for (size_t i = 0; i < FAKE_FILES; i++) {
        const struct fake_file *file = &fake->files[i];
        if (!file->path || strcmp(file->path, path) != 0)
            continue;
        if (!file->text)
            return -EACCES;
        if (!strcmp(file->text, "EIO"))
            return -EIO;
        snprintf(text, size, "%s", file->text);
        return 0;
    }
    return -ENOENT;
}

static uint64_t fake_now_ns(void *self)
{
    return ((struct fake *)self)->now_ns;
}

static void fake_free(void *self)
{
    (void)self;
}

static const struct device_calls fake_calls = {
    .open = fake_open,
    .ioctl = fake_ioctl,
    .poll = fake_poll,
    .read = fake_read,
    .close = fake_close,
    .card = fake_card,
    .text = fake_text,
    .now_ns = fake_now_ns,
    .free = fake_free,
};

void fake_init(struct fake *fake, uint32_t pci_id)
{
    struct tally_device device;
    memset(fake, 0, sizeof *fake);
    fake->device = (struct device){&fake_calls, fake};
    fake->pci_id = pci_id;
    fake->driver = "i915";
    fake->now_ns = 5000000000;
    fake->exponent = 12;
    fake->context = 0x1000;
    assert_int_equal(tally_device_find(pci_id, &device), 0);
    fake->platform = device.platform;
    fake->layout = tally_layout_for_kernel(device.platform, device.platform->default_format);
}

void fake_gpu(struct fake *fake, struct gpu *gpu)
{
    struct tally_error error = {0};
    if (gpu_open(&fake->device, FAKE_NODE, gpu, &error) < 0)
        fail_msg("%s", error.message);
}
