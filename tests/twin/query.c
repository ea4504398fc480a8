/* SPDX-License-Identifier: MIT */
/* QUERY: each item with the right length, a shorter and a longer one, without one; headers that
 * are not zero. */
#include <string.h>

#include "twin.h"

/* The argument is followed by two items and the reply. */
struct items {
    struct drm_i915_query_item items[2];
    uint8_t reply[2048];
};
#define ITEM(n)    DATA(offsetof(struct items, items) + (n) * sizeof(struct drm_i915_query_item))
#define REPLY      DATA(offsetof(struct items, reply))
#define REPLY_FROM offsetof(struct items, reply)

static void show_lengths(const struct call *call, const void *args, const uint8_t *data)
{
    const struct items *items = (const void *)data;
    const struct drm_i915_query *query = args;
    if (call->data && query->items_ptr != BAD) {
        print_field("length", (uint64_t)(int64_t)items->items[0].length, PLAIN);
        if (query->num_items > 1)
            print_field("length", (uint64_t)(int64_t)items->items[1].length, PLAIN);
    }
    if (call->a && items->items[0].length > 0) {
        slots[LENGTH] = (uint32_t)items->items[0].length;
        slots[LENGTH_LESS] = slots[LENGTH] - 1;
        slots[LENGTH_MORE] = slots[LENGTH] + 1;
    }
}

typedef struct drm_i915_query query;
static const struct kind query_kind = {DRM_IOCTL_I915_QUERY, sizeof(query), .show = show_lengths};

/* The reply to the query of memory regions, whose sizes differ between machines. */
static void show_regions(const struct call *call, const void *args, const uint8_t *data)
{
    const struct drm_i915_query_memory_regions *reply = (const void *)(data + REPLY_FROM);
    show_lengths(call, args, data);
    print_field("regions", reply->num_regions, PLAIN);
    for (uint32_t i = 0; i < reply->num_regions && i < 4; i++) {
        const struct drm_i915_memory_region_info *info = &reply->regions[i];
        print_field("class", info->region.memory_class, PLAIN);
        print_field("instance", info->region.memory_instance, PLAIN);
        print_field("probed", info->probed_size, HIDDEN);
        print_field("unallocated", info->unallocated_size, HIDDEN);
        print_field("at-most-probed", info->unallocated_size <= info->probed_size, PLAIN);
        print_field("whole-pages", info->probed_size % 4096 == 0, PLAIN);
    }
}
typedef struct drm_i915_query query_regions;
static const struct kind query_regions_kind = {DRM_IOCTL_I915_QUERY, sizeof(query),
                                               .show = show_regions};

/* Keeps what the topology says. */
static void show_topology(const struct call *call, const void *args, const uint8_t *data)
{
    const struct drm_i915_query_topology_info *reply = (const void *)(data + REPLY_FROM);
    const uint8_t *masks = reply->data;
    show_lengths(call, args, data);
    unsigned count = (unsigned)__builtin_popcount(masks[reply->subslice_offset]);
    slots[EUS] = reply->max_eus_per_subslice;
    slots[SLICES] = masks[0];
    slots[SUBSLICES] = masks[reply->subslice_offset];
    slots[HALF_SUBSLICES] = slots[SUBSLICES] & ((1u << count / 2) - 1);
}
typedef struct drm_i915_query query_topology;
static const struct kind query_topology_kind = {DRM_IOCTL_I915_QUERY, sizeof(query),
                                                .show = show_topology};

#define ONE WITH(.num_items = 1, .items_ptr = ITEM(0))
#define FOR(id, ...)                                                                               \
    PAYLOAD(struct items, .items[0] = {.query_id = (id), .data_ptr = REPLY, ##__VA_ARGS__})
#define FOR_WITH(id, size, ...)                                                                    \
    PAYLOAD(struct items,                                                                          \
            .items[0] = {.query_id = (id), .length = (int)(size), .data_ptr = REPLY},              \
            .reply = {__VA_ARGS__})
#define REPLY_WORDS(n) .from = REPLY_FROM, .words = (n)

#define SIZE(slot) .length = (int)SLOT(slot)

/* The lengths that all items check alike. */
#define ALIKE(id)                                                                                  \
    CALL("query/" #id "/length", query, ONE, FOR(DRM_I915_QUERY_##id), .a = 1),                    \
        CALL("query/" #id "/length-1", query, ONE, FOR(DRM_I915_QUERY_##id, SIZE(LENGTH_LESS))),   \
        CALL("query/" #id "/length-of-1", query, ONE, FOR(DRM_I915_QUERY_##id, .length = 1)),      \
        CALL("query/" #id "/negative-length", query, ONE, FOR(DRM_I915_QUERY_##id, .length = -1)), \
        CALL("query/" #id "/flags", query, ONE,                                                    \
             FOR(DRM_I915_QUERY_##id, SIZE(LENGTH), .flags = 0x100)),                              \
        CALL("query/" #id "/length-with-flags", query, ONE,                                        \
             FOR(DRM_I915_QUERY_##id, .flags = 0x100)),                                            \
        CALL("query/" #id "/fault", query, ONE,                                                    \
             PAYLOAD(                                                                              \
                 struct items,                                                                     \
                 .items[0] = {.query_id = DRM_I915_QUERY_##id, SIZE(LENGTH), .data_ptr = BAD})),   \
        CALL(                                                                                      \
            "query/" #id "/fault-too-short", query, ONE,                                           \
            PAYLOAD(struct items,                                                                  \
                    .items[0] = {.query_id = DRM_I915_QUERY_##id, .length = 1, .data_ptr = BAD})), \
        CALL("query/" #id "/header", query, ONE, FOR_WITH(DRM_I915_QUERY_##id, SLOT(LENGTH), 1)),  \
        CALL("query/" #id "/header-end", query, ONE,                                               \
             FOR_WITH(DRM_I915_QUERY_##id, SLOT(LENGTH), [15] = 1)),                               \
        CALL("query/" #id "/as-user", query, ONE, FOR(DRM_I915_QUERY_##id), .as_user = true),      \
        CALL("query/" #id "/render", query, ONE, FOR(DRM_I915_QUERY_##id), .fd = RENDER)

static const struct call calls[] = {
    /* clang-format off */
    ALIKE(TOPOLOGY_INFO),
    CALL("query/TOPOLOGY_INFO/exact", query_topology, ONE, FOR(DRM_I915_QUERY_TOPOLOGY_INFO, SIZE(LENGTH)),
         REPLY_WORDS(32)),
    CALL("query/TOPOLOGY_INFO/longer", query, ONE, FOR(DRM_I915_QUERY_TOPOLOGY_INFO, SIZE(LENGTH_MORE)),
         REPLY_WORDS(32)),
    ALIKE(ENGINE_INFO),
    CALL("query/ENGINE_INFO/exact", query, ONE, FOR(DRM_I915_QUERY_ENGINE_INFO, SIZE(LENGTH)), REPLY_WORDS(100)),
    CALL("query/ENGINE_INFO/longer", query, ONE, FOR(DRM_I915_QUERY_ENGINE_INFO, SIZE(LENGTH_MORE)), REPLY_WORDS(8)),
    ALIKE(MEMORY_REGIONS),
    CALL("query/MEMORY_REGIONS/exact", query_regions, ONE, FOR(DRM_I915_QUERY_MEMORY_REGIONS, SIZE(LENGTH))),
    CALL("query/MEMORY_REGIONS/exact-as-user", query_regions, ONE,
         FOR(DRM_I915_QUERY_MEMORY_REGIONS, SIZE(LENGTH)), .as_user = true),
    ALIKE(HWCONFIG_BLOB),
    ALIKE(GEOMETRY_SUBSLICES),
    CALL("query/GEOMETRY_SUBSLICES/render-engine", query, ONE, FOR(DRM_I915_QUERY_GEOMETRY_SUBSLICES, .flags = 0)),

    CALL("query/0", query, ONE, FOR(0)),
    CALL("query/7", query, ONE, FOR(7)),
    CALL("query/8", query, ONE, FOR(8)),
    CALL("query/1000", query, ONE, FOR(1000)),
    CALL("query/huge", query, ONE, FOR(UINT64_MAX)),
    CALL("query/second-half", query, ONE, FOR(0x100000001)),
    CALL("query/no-items", query, WITH(.num_items = 0, .items_ptr = BAD)),
    CALL("query/flags", query, WITH(.num_items = 1, .flags = 1, .items_ptr = ITEM(0)), FOR(1)),
    CALL("query/items-fault", query, WITH(.num_items = 1, .items_ptr = BAD)),
    CALL("query/two-items", query, WITH(.num_items = 2, .items_ptr = ITEM(0)),
         PAYLOAD(struct items, .items = {{.query_id = 1}, {.query_id = 2}})),
    CALL("query/second-unknown", query, WITH(.num_items = 2, .items_ptr = ITEM(0)),
         PAYLOAD(struct items, .items = {{.query_id = 1}, {.query_id = 99}})),
    CALL("query/second-0", query, WITH(.num_items = 2, .items_ptr = ITEM(0)),
         PAYLOAD(struct items, .items = {{.query_id = 1}, {.query_id = 0}})),
    CALL("query/first-0", query, WITH(.num_items = 2, .items_ptr = ITEM(0)),
         PAYLOAD(struct items, .items = {{.query_id = 0}, {.query_id = 1}})),
    {"query/no-struct", &query_kind, NULL},
    /* clang-format on */
};

GROUP(query_group, calls);
