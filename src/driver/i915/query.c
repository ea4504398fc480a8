/* SPDX-License-Identifier: MIT */
/* QUERY (PERF-1.7): an error of one item is stored in its length. */
#include <string.h>

#include "base/bits.h"
#include "driver/i915/perf.h"

/* ---- items in general ------------------------------------------------------------------------ */

struct answer {
    const struct i915_device *device;
    const struct i915_caller *caller;
    const struct drm_i915_query_item *item;
};

/* Returns 0 if the answer fits, otherwise the item's new length. Lengths are compared as unsigned,
 * so that negative lengths are accepted. */
static int32_t check_length(const struct answer *answer, size_t size)
{
    if (!answer->item->length)
        return (int32_t)size;
    return (uint32_t)answer->item->length < size ? -EINVAL : 0;
}

static int32_t give(const struct answer *answer, const void *bytes, size_t size)
{
    int result = copy_out(answer->caller, answer->item->data_ptr, bytes, size);
    return result < 0 ? result : (int32_t)size;
}

/* Reads the header of the caller's struct. */
static int32_t read_header(const struct answer *answer, void *header, size_t size)
{
    return copy_in(answer->caller, header, answer->item->data_ptr, size);
}

#define LIST_HEADER sizeof(struct drm_i915_query_engine_info) /* same as for regions */

/* ---- topology, engines, memory --------------------------------------------------------------- */

static int32_t answer_topology(const struct answer *answer)
{
    const struct i915_device *device = answer->device;
    if (answer->item->flags)
        return -EINVAL;
    int32_t result = check_length(answer, device->topology_size);
    if (result)
        return result;
    uint8_t header[16]; /* the kernel reads it and only checks for faults */
    result = read_header(answer, header, sizeof header);
    return result < 0 ? result : give(answer, device->topology_bytes, device->topology_size);
}

static bool all_zero(const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    while (size && !*at)
        at++, size--;
    return !size;
}

/* Answers with a list, whose header the caller must have zeroed. */
static int32_t give_list(const struct answer *answer, const void *list, size_t size)
{
    uint8_t header[LIST_HEADER];
    if (answer->item->flags)
        return -EINVAL;
    int32_t result = check_length(answer, size);
    if (result == 0)
        result = read_header(answer, header, sizeof header);
    if (result)
        return result;
    return all_zero(header, sizeof header) ? give(answer, list, size) : -EINVAL;
}

static int32_t answer_engines(const struct answer *answer)
{
    union {
        uint8_t bytes[LIST_HEADER + CS_ENGINES * sizeof(struct drm_i915_engine_info)];
        struct drm_i915_query_engine_info info;
    } reply = {{0}};
    uint32_t count = 0;
    FOR_ENGINES(const struct i915_engine, engine, answer->device)
    reply.info.engines[count++] =
        (struct drm_i915_engine_info){.engine = engine->named,
                                      .flags = I915_ENGINE_INFO_HAS_LOGICAL_INSTANCE,
                                      .capabilities = engine->capabilities,
                                      .logical_instance = engine->named.engine_instance};
    reply.info.num_engines = count;
    return give_list(answer, &reply, LIST_HEADER + count * sizeof(struct drm_i915_engine_info));
}

static int32_t answer_regions(const struct answer *answer)
{
    uint64_t all = answer->device->settings.memory_bytes;
    union {
        uint8_t bytes[LIST_HEADER + sizeof(struct drm_i915_memory_region_info)];
        struct drm_i915_query_memory_regions info;
    } reply = {{0}};
    reply.info.num_regions = 1;
    reply.info.regions[0].probed_size = all; /* of class 0: system memory */
    reply.info.regions[0].unallocated_size = all;
    reply.info.regions[0].rsvd1[0] = all; /* probed_cpu_visible_size */
    reply.info.regions[0].rsvd1[1] = all; /* unallocated_cpu_visible_size */
    return give_list(answer, &reply, sizeof reply);
}

/* ---- configurations -------------------------------------------------------------------------- */

/* The first id is always 1, even if that configuration does not exist (PERF-Q7). */
static int32_t answer_list(const struct answer *answer)
{
    const struct i915_device *device = answer->device;
    struct drm_i915_query_perf_config head;
    uint64_t ids = 1;
    for (const struct i915_config *c = device->perf.configs; c; c = c->next)
        ids++;
    size_t size = sizeof head + (size_t)ids * 8;
    if (!answer->item->length)
        return (int32_t)size;
    int32_t result = read_header(answer, &head, sizeof head);
    if (result == 0 && head.flags)
        result = -EINVAL;
    if (result == 0)
        result = check_length(answer, size);
    if (result)
        return result;
    uint64_t to = answer->item->data_ptr, id = 1;
    result = copy_out(answer->caller, to, &ids, sizeof ids);
    to += sizeof head;
    const struct i915_config *config = device->perf.configs;
    for (uint64_t i = 0; i < ids && result == 0; i++, to += 8) {
        if (i) {
            id = config->id;
            config = config->next;
        }
        result = copy_out(answer->caller, to, &id, sizeof id);
    }
    return result < 0 ? result : (int32_t)size;
}

/* Writes the registers of a group if the caller requested them, and always their number. */
static int give_group(const struct i915_caller *caller, const struct register_list *list,
                      uint32_t *count, uint64_t to)
{
    for (uint32_t i = 0; *count && i < list->count; i++, to += 8) {
        uint32_t pair[2] = {list->values[i].address, list->values[i].value};
        int result = copy_out(caller, to, pair, sizeof pair);
        if (result < 0)
            return result;
    }
    *count = list->count;
    return 0;
}

/* Whether a list is too short for the registers of a group; 0 requests only their number. */
static bool is_short(const struct register_list *list, uint32_t count)
{
    return count && count < list->count;
}

static int give_groups(const struct i915_caller *caller, const struct i915_config *config,
                       struct drm_i915_perf_oa_config *reply)
{
    const struct register_list *groups = config->groups;
    if (is_short(&groups[GROUP_BOOLEAN], reply->n_boolean_regs) ||
        is_short(&groups[GROUP_FLEX], reply->n_flex_regs) ||
        is_short(&groups[GROUP_MUX], reply->n_mux_regs))
        return -EINVAL;
    int result =
        give_group(caller, &groups[GROUP_BOOLEAN], &reply->n_boolean_regs, reply->boolean_regs_ptr);
    if (result == 0)
        result = give_group(caller, &groups[GROUP_FLEX], &reply->n_flex_regs, reply->flex_regs_ptr);
    if (result == 0)
        result = give_group(caller, &groups[GROUP_MUX], &reply->n_mux_regs, reply->mux_regs_ptr);
    return result;
}

static int32_t answer_config(const struct answer *answer, bool by_uuid)
{
    struct drm_i915_query_perf_config head;
    struct drm_i915_perf_oa_config reply;
    size_t size = sizeof head + sizeof reply;
    uint64_t at = answer->item->data_ptr;
    int32_t result = check_length(answer, size);
    if (result == 0)
        result = read_header(answer, &head, sizeof head);
    if (result)
        return result;
    if (head.flags)
        return -EINVAL;
    const struct i915_config *config = by_uuid ? i915_config_find_uuid(answer->device, head.uuid)
                                               : i915_config_get(answer->device, head.config);
    if (!config)
        return -ENOENT;
    result = copy_in(answer->caller, &reply, at + sizeof head, sizeof reply);
    if (result == 0)
        result = give_groups(answer->caller, config, &reply);
    if (result < 0)
        return result;
    memcpy(reply.uuid, config->uuid, sizeof reply.uuid);
    result = copy_out(answer->caller, at + sizeof head, &reply, sizeof reply);
    return result < 0 ? result : (int32_t)size;
}

static int32_t answer_configs(const struct answer *answer)
{
    if (!has_perf(answer->device))
        return -ENODEV;
    switch (answer->item->flags) {
    case DRM_I915_QUERY_PERF_CONFIG_LIST:
        return answer_list(answer);
    case DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_UUID:
    case DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_ID:
        return answer_config(answer,
                             answer->item->flags == DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_UUID);
    default:
        return -EINVAL;
    }
}

/* ---- items ----------------------------------------------------------------------------------- */

static int32_t answer_item(const struct answer *answer)
{
    unsigned revision = answer->device->settings.perf_revision;
    switch (answer->item->query_id) {
    case DRM_I915_QUERY_TOPOLOGY_INFO:
        return answer_topology(answer);
    case DRM_I915_QUERY_ENGINE_INFO:
        return answer_engines(answer);
    case DRM_I915_QUERY_PERF_CONFIG: /* since revision 2 */
        return revision >= 2 ? answer_configs(answer) : -EINVAL;
    case DRM_I915_QUERY_MEMORY_REGIONS:
        return answer_regions(answer);
    case DRM_I915_QUERY_HWCONFIG_BLOB:
    case DRM_I915_QUERY_GEOMETRY_SUBSLICES:
    case DRM_I915_QUERY_GUC_SUBMISSION_VERSION:
        return -ENODEV; /* for newer hardware */
    default:
        return -EINVAL;
    }
}

int i915_query(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    const struct drm_i915_query *query = argument;
    if (query->flags)
        return -EINVAL;
    for (uint32_t i = 0; i < query->num_items; i++) {
        struct drm_i915_query_item item;
        uint64_t at = query->items_ptr + (uint64_t)i * sizeof item;
        int result = copy_in(caller, &item, at, sizeof item);
        if (result < 0)
            return result;
        if (!item.query_id)
            return -EINVAL;
        int32_t length = answer_item(&(struct answer){file->device, caller, &item});
        if (length != item.length &&
            copy_out(caller, at + offsetof(struct drm_i915_query_item, length), &length, 4) < 0)
            return -EFAULT;
    }
    return 0;
}
