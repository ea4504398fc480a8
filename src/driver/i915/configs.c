/* SPDX-License-Identifier: MIT */
/* Metric-set configurations: ADD_CONFIG, REMOVE_CONFIG (PERF-3). They belong to the device, and
 * survive the file that added them. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/uuid.h"
#include "driver/i915/perf.h"

#define FIRST_ID   2u
#define LIST_BYTES (4u << 20) /* maximum allocation in the kernel */

/* ---- lookup ---------------------------------------------------------------------------------- */

static struct i915_config *find(const struct i915_device *device, uint64_t id)
{
    for (struct i915_config *c = device->perf.configs; c; c = c->next)
        if (c->id == id)
            return c;
    return NULL;
}

struct i915_config *i915_config_get(const struct i915_device *device, uint64_t id)
{
    int32_t number = (int32_t)(uint32_t)id;
    return number > 0 ? find(device, (uint64_t)number) : NULL;
}

struct i915_config *i915_config_find_uuid(const struct i915_device *device, const char *uuid)
{
    for (struct i915_config *c = device->perf.configs; c; c = c->next)
        if (!memcmp(c->uuid, uuid, UUID_STRING_LEN))
            return c;
    return NULL;
}

struct i915_config *i915_config_hold(struct i915_config *config)
{
    config->references++;
    return config;
}

void i915_config_drop(struct i915_config *config)
{
    if (!config || --config->references)
        return;
    for (unsigned i = 0; i < REGISTER_GROUPS; i++)
        free(config->groups[i].values);
    free(config);
}

size_t i915_metrics_list(const struct i915_device *device, struct i915_metric *out, size_t capacity)
{
    size_t count = 0;
    for (const struct i915_config *c = device->perf.configs; c; c = c->next, count++) {
        if (count >= capacity)
            continue;
        memcpy(out[count].uuid, c->uuid, UUID_STRING_LEN);
        out[count].uuid[UUID_STRING_LEN] = '\0';
        out[count].id = c->id;
    }
    return count;
}

/* ---- validation ------------------------------------------------------------------------------ */

static bool may_change(const struct i915_device *device, const struct i915_caller *caller)
{
    return !device->perf.paranoid || caller->drm.privileged;
}

/* ---- adding ---------------------------------------------------------------------------------- */

static int read_pair(const struct i915_device *device, const struct i915_caller *caller,
                     enum register_group group, uint64_t from, struct register_value *out)
{
    int result = copy_in(caller, &out->address, from, 4);
    if (result < 0)
        return result;
    if (!i915_register_allowed(device, group, out->address))
        return -EINVAL;
    result = copy_in(caller, &out->value, from + 4, 4);
    out->value = i915_register_masked(out->address, out->value);
    return result;
}

static int read_group(const struct i915_device *device, const struct i915_caller *caller,
                      struct i915_config *config, enum register_group group, uint32_t count,
                      uint64_t from)
{
    struct register_list *list = &config->groups[group];
    if (!count)
        return 0;
    if (group == GROUP_FLEX && !has_execlists(device))
        return -EINVAL;
    if (count > LIST_BYTES / sizeof *list->values)
        return -ENOMEM;
    list->values = calloc(count, sizeof *list->values);
    if (!list->values)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        int result = read_pair(device, caller, group, from + UINT64_C(8) * i, &list->values[i]);
        if (result < 0)
            return result;
    }
    list->count = count;
    return 0;
}

static int read_config(const struct i915_device *device, const struct i915_caller *caller,
                       const struct drm_i915_perf_oa_config *from, struct i915_config *config)
{
    if (!is_uuid(from->uuid, sizeof from->uuid))
        return -EINVAL;
    memcpy(config->uuid, from->uuid, UUID_STRING_LEN);
    int result =
        read_group(device, caller, config, GROUP_MUX, from->n_mux_regs, from->mux_regs_ptr);
    if (result == 0)
        result = read_group(device, caller, config, GROUP_BOOLEAN, from->n_boolean_regs,
                            from->boolean_regs_ptr);
    if (result == 0)
        result =
            read_group(device, caller, config, GROUP_FLEX, from->n_flex_regs, from->flex_regs_ptr);
    return result;
}

/* Inserts a configuration with the lowest free id. */
static void insert(struct i915_device *device, struct i915_config *config)
{
    struct i915_config **link = &device->perf.configs;
    uint64_t id = FIRST_ID;
    for (; *link && (*link)->id == id; id++)
        link = &(*link)->next;
    config->id = id;
    config->next = *link;
    *link = config;
}

int i915_perf_add_config(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct i915_device *device = file->device;
    const struct drm_i915_perf_oa_config *from = argument;
    if (!has_perf(device))
        return -ENOTSUPP;
    if (!may_change(device, caller))
        return -EACCES;
    if ((!from->mux_regs_ptr || !from->n_mux_regs) &&
        (!from->boolean_regs_ptr || !from->n_boolean_regs) &&
        (!from->flex_regs_ptr || !from->n_flex_regs))
        return -EINVAL;
    struct i915_config *config = calloc(1, sizeof *config);
    if (!config)
        return -ENOMEM;
    config->references = 1;
    int result = read_config(device, caller, from, config);
    if (result == 0 && i915_config_find_uuid(device, config->uuid))
        result = -EADDRINUSE;
    if (result < 0) {
        i915_config_drop(config);
        return result;
    }
    insert(device, config);
    return (int)config->id;
}

/* ---- removing -------------------------------------------------------------------------------- */

static void unlink_config(struct i915_device *device, struct i915_config *config)
{
    struct i915_config **link = &device->perf.configs;
    while (*link != config)
        link = &(*link)->next;
    *link = config->next;
    config->next = NULL;
    i915_config_drop(config);
}

int i915_perf_remove_config(struct i915_file *file, void *argument,
                            const struct i915_caller *caller)
{
    struct i915_device *device = file->device;
    const uint64_t *id = argument;
    if (!has_perf(device))
        return -ENOTSUPP;
    if (!may_change(device, caller))
        return -EACCES;
    struct i915_config *config = find(device, *id);
    if (!config)
        return -ENOENT;
    unlink_config(device, config);
    return 0;
}

/* ---- per device ------------------------------------------------------------------------------ */

uint32_t i915_sysctl_get(const struct i915_device *device, enum i915_sysctl which)
{
    return which == I915_PARANOID ? device->perf.paranoid : device->perf.max_sample_rate;
}

int i915_sysctl_set(struct i915_device *device, enum i915_sysctl which, uint32_t value)
{
    if (value > (which == I915_PARANOID ? 1 : device->settings.timestamp_hz / 2))
        return -EINVAL;
    *(which == I915_PARANOID ? &device->perf.paranoid : &device->perf.max_sample_rate) = value;
    return 0;
}

/* Writes the batch that waits for a configuration to settle. */
static int write_wait(struct i915_device *device)
{
    struct i915_perf *perf = &device->perf;
    struct batch batch = {.wide = has_execlists(device)};
    uint64_t ns = device->settings.noa_delay_ns;
    uint64_t ticks = (ns * device->settings.timestamp_hz + 999999999) / 1000000000;
    batch_wait(&batch, perf->wait_address, perf->wait_address + PAGE_BYTES, (uint32_t)ticks);
    int result = batch.bytes.broken || batch.bytes.size > PAGE_BYTES ? -ENOMEM : 0;
    if (result == 0)
        memcpy(perf->wait->bytes, batch.bytes.bytes, batch.bytes.size);
    buffer_fini(&batch.bytes);
    return result;
}

int i915_device_set_noa_delay(struct i915_device *device, uint64_t ns)
{
    if (ns / 1000 * device->settings.timestamp_hz / 1000000 > UINT32_MAX)
        return -EINVAL;
    device->settings.noa_delay_ns = ns;
    return device->perf.wait ? write_wait(device) : 0;
}

uint64_t i915_device_noa_delay(const struct i915_device *device)
{
    return device->settings.noa_delay_ns;
}

/* One page for the waiting batch, one for the registers that it saves. */
int i915_perf_init(struct i915_device *device)
{
    struct i915_perf *perf = &device->perf;
    uint64_t address;
    int result = i915_object_new(device, 2 * PAGE_BYTES, &perf->wait);
    if (result == 0)
        result = i915_space_insert(&device->ggtt, perf->wait, PAGE_BYTES, UINT64_MAX, &address);
    if (result < 0)
        return result;
    perf->wait_address = (uint32_t)address;
    return write_wait(device);
}

void i915_perf_fini(struct i915_device *device)
{
    if (device->perf.stream)
        i915_stream_close(device->perf.stream);
    while (device->perf.configs)
        unlink_config(device, device->perf.configs);
    i915_object_drop(device->perf.wait);
    device->perf.wait = NULL;
}
