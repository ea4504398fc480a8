/* SPDX-License-Identifier: MIT */
/* EXECBUFFER2: batches that store a word, and wrong arguments. */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

#include "kinds.h"

/* ---- kinds and data -------------------------------------------------------------------------- */

/* Where an object is: its address is not the same in both runs. */
static void show_offsets(const struct call *call, const void *args, const uint8_t *data)
{
    const exec *with = args;
    const struct list *list = (const void *)data;
    if (!call->data)
        return;
    for (uint32_t i = 0; i < with->buffer_count && i < COUNT(list->objects); i++) {
        const struct drm_i915_gem_exec_object2 *object = &list->objects[i];
        if (object->flags & EXEC_OBJECT_PINNED)
            print_field("at", object->offset, HEX);
        else
            print_field("page", object->offset % 4096 == 0, PLAIN);
    }
    if (with->flags & I915_EXEC_FENCE_OUT)
        print_field("in", with->rsvd2 & UINT32_MAX, HIDDEN);
}

const struct kind exec_kind = {DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, sizeof(exec),
                               .show = show_offsets};

typedef struct drm_i915_gem_execbuffer2 exec_fence;

/* Makes an EXECBUFFER2 whose output fence is kept as FENCE. */
static void keep_fence(const struct call *call, const void *args, const uint8_t *data)
{
    const struct drm_i915_gem_execbuffer2 *with = args;
    show_offsets(call, args, data);
    slots[FENCE] = (uint32_t)(with->rsvd2 >> 32);
    print_field("out", with->rsvd2 >> 32, HIDDEN);
}
static const struct kind exec_fence_kind = {DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, sizeof(exec),
                                            .show = keep_fence};

#define STORE 0x10000002u
#define END   0x05000000u
#define START 0x18802100u /* with one dword less before Gen8 */
static void write_batch(const struct call *call)
{
    static const uint32_t lasting[LASTING_BYTES / 4] = {[LASTING_BYTES / 4 - 2] = END};
    uint32_t start = START | !is_gen7();
    uint32_t batches[][8] = {
        [NOTHING] = {END},
        [STORES] = {STORE, 0, 0, (uint32_t)call->b, END},
        [SPINS] = {start, 0, 0, END},
    };
    struct drm_i915_gem_pwrite args = {.handle = slots[call->keep ? call->keep : BATCH],
                                       .size = sizeof batches[0],
                                       .data_ptr = (uintptr_t)batches[call->a % LASTS]};
    if (call->a == LASTS)
        args.size = sizeof lasting, args.data_ptr = (uintptr_t)lasting;
    errno = 0;
    print_result(call,
                 ioctl((int)slots[call->fd ? call->fd : CARD], DRM_IOCTL_I915_GEM_PWRITE, &args),
                 PLAIN);
    print_end();
}
const struct kind batch_kind = {.make = write_batch};

/* Makes an EXECBUFFER2 with the relocation of the storing batch. */
static void make_store(const struct call *call)
{
    struct call one = *call;
    struct list list;
    memcpy(&list, call->data, sizeof list);
    list.relocs[0].offset = is_gen7() ? 8 : 4;
    one.kind = &exec_kind;
    one.data = &list;
    make_ioctl(&one, "");
}
static const struct kind store_kind = {.make = make_store};

#define ONE         PAYLOAD(struct list, .objects[0].handle = SLOT(BATCH))
#define OBJECT(...) PAYLOAD(struct list, .objects[0] = {.handle = SLOT(BATCH), __VA_ARGS__})
/* A list of the target and the batch with a relocation to it. */
#define RELOCATED(...)                                                                             \
    PAYLOAD(struct list,                                                                           \
            .objects = {{.handle = SLOT(TARGET)},                                                  \
                        {.handle = SLOT(BATCH), .relocation_count = 1, .relocs_ptr = RELOCS}},     \
            .relocs[0] = {__VA_ARGS__})
#define STORED(name, context, ...)                                                                 \
    {                                                                                              \
        name, &store_kind, &(exec){EXEC(2, .rsvd1 = context, ##__VA_ARGS__)},                      \
            RELOCATED(.target_handle = SLOT(TARGET), .presumed_offset = UINT64_MAX,                \
                      .read_domains = I915_GEM_DOMAIN_RENDER,                                      \
                      .write_domain = I915_GEM_DOMAIN_RENDER)                                      \
    }
#define WAIT_TARGET(name) CALL(name, wait_, WITH(SLOT(TARGET), 0, -1))
#define READ_TARGET(name) CALL(name, pread_, WITH(SLOT(TARGET), 0, 0, 4, DATA(0)), .words = 1)

static const struct call calls[] = {
    /* clang-format off */
    CALL("exec/create-batch", gem_create, WITH(.size = 4096), .keep = BATCH),
    CALL("exec/create-target", gem_create, WITH(.size = 4096), .keep = TARGET),
    {"exec/write-end", &batch_kind, .a = NOTHING},

    CALL("exec/end", exec, EXEC(1), ONE),
    CALL("exec/end-render-node", exec, EXEC(1), ONE, .fd = RENDER),
    CALL("exec/length", exec, EXEC(1, .batch_len = 4096), ONE),
    CALL("exec/length-8", exec, EXEC(1, .batch_len = 8), ONE),
    CALL("exec/length-4", exec, EXEC(1, .batch_len = 4), ONE),
    CALL("exec/length-too-large", exec, EXEC(1, .batch_len = 4104), ONE),
    CALL("exec/start-4", exec, EXEC(1, .batch_start_offset = 4), ONE),
    CALL("exec/start-at-end", exec, EXEC(1, .batch_start_offset = 4096), ONE),
    CALL("exec/start-and-length", exec, EXEC(1, .batch_start_offset = 8, .batch_len = 4096), ONE),
    CALL("exec/no-buffers", exec, EXEC(0), ONE),
    CALL("exec/2^31-buffers", exec, EXEC(1u << 31), ONE),
    CALL("exec/2^32-1-buffers", exec, EXEC(UINT32_MAX), ONE),
    CALL("exec/list-fault", exec, WITH(.buffers_ptr = BAD, .buffer_count = 1)),
    {"exec/no-struct", &exec_kind, NULL},
    CALL("exec/unknown-object", exec, EXEC(1), PAYLOAD(struct list, .objects[0].handle = 999)),
    CALL("exec/twice", exec, EXEC(2), PAYLOAD(struct list, .objects = {{.handle = SLOT(BATCH)}, {.handle = SLOT(BATCH)}})),
    CALL("exec/cliprects", exec, EXEC(1, .num_cliprects = 1), ONE),
    CALL("exec/cliprects-pointer", exec, EXEC(1, .cliprects_ptr = DATA(0)), ONE),
    CALL("exec/dr1", exec, EXEC(1, .DR1 = 1), ONE),
    CALL("exec/dr4", exec, EXEC(1, .DR4 = 1), ONE),
    CALL("exec/dr4-garbage", exec, EXEC(1, .DR4 = UINT32_MAX), ONE),
    CALL("exec/constants", exec, EXEC(1, .flags = I915_EXEC_CONSTANTS_ABSOLUTE), ONE),
    CALL("exec/constants-3", exec, EXEC(1, .flags = 3 << 6), ONE),
    CALL("exec/sol-reset", exec, EXEC(1, .flags = I915_EXEC_GEN7_SOL_RESET), ONE),
    CALL("exec/sol-reset-on-copy", exec, EXEC(1, .flags = I915_EXEC_GEN7_SOL_RESET | I915_EXEC_BLT), ONE),
    CALL("exec/secure", exec, EXEC(1, .flags = I915_EXEC_SECURE), ONE),
    CALL("exec/secure-as-user", exec, EXEC(1, .flags = I915_EXEC_SECURE), ONE, .as_user = true),
    CALL("exec/pinned-batch", exec, EXEC(1, .flags = I915_EXEC_IS_PINNED), ONE),
    CALL("exec/no-reloc", exec, EXEC(1, .flags = I915_EXEC_NO_RELOC), ONE),
    CALL("exec/lut", exec, EXEC(1, .flags = I915_EXEC_HANDLE_LUT), ONE),
    CALL("exec/resource-streamer", exec, EXEC(1, .flags = I915_EXEC_RESOURCE_STREAMER), ONE),
    CALL("exec/fence-array-empty", exec, EXEC(1, .flags = I915_EXEC_FENCE_ARRAY), ONE),
    CALL("exec/fence-array-unknown", exec, EXEC(1, .flags = I915_EXEC_FENCE_ARRAY, .num_cliprects = 1, .cliprects_ptr = DATA(0)), ONE),
    CALL("exec/fence-array-fault", exec, EXEC(1, .flags = I915_EXEC_FENCE_ARRAY, .num_cliprects = 1, .cliprects_ptr = BAD), ONE),
    CALL("exec/extensions-empty", exec, EXEC(1, .flags = I915_EXEC_USE_EXTENSIONS), ONE),
    CALL("exec/extensions-fault", exec, EXEC(1, .flags = I915_EXEC_USE_EXTENSIONS, .cliprects_ptr = BAD), ONE),
    CALL("exec/extensions-and-array", exec, EXEC(1, .flags = I915_EXEC_USE_EXTENSIONS | I915_EXEC_FENCE_ARRAY), ONE),
    CALL("exec/flag-22", exec, EXEC(1, .flags = 1 << 22), ONE),
    CALL("exec/flag-63", exec, EXEC(1, .flags = 1ull << 63), ONE),
    CALL("exec/batch-first", exec, EXEC(2, .flags = I915_EXEC_BATCH_FIRST),
         PAYLOAD(struct list, .objects = {{.handle = SLOT(BATCH)}, {.handle = SLOT(TARGET)}})),

    CALL("exec/ring-render", exec, EXEC(1, .flags = I915_EXEC_RENDER), ONE),
    CALL("exec/ring-bsd", exec, EXEC(1, .flags = I915_EXEC_BSD), ONE),
    CALL("exec/ring-blt", exec, EXEC(1, .flags = I915_EXEC_BLT), ONE),
    CALL("exec/ring-vebox", exec, EXEC(1, .flags = I915_EXEC_VEBOX), ONE),
    CALL("exec/ring-5", exec, EXEC(1, .flags = 5), ONE),
    CALL("exec/ring-63", exec, EXEC(1, .flags = 63), ONE),
    CALL("exec/bsd-1", exec, EXEC(1, .flags = I915_EXEC_BSD | I915_EXEC_BSD_RING1), ONE),
    CALL("exec/bsd-2", exec, EXEC(1, .flags = I915_EXEC_BSD | I915_EXEC_BSD_RING2), ONE),
    CALL("exec/bsd-3", exec, EXEC(1, .flags = I915_EXEC_BSD | 3 << 13), ONE),
    CALL("exec/render-bsd-1", exec, EXEC(1, .flags = I915_EXEC_RENDER | I915_EXEC_BSD_RING1), ONE),

    CALL("exec/context-unknown", exec, EXEC(1, .rsvd1 = 999), ONE),
    CALL("exec/context-upper-half", exec, EXEC(1, .rsvd1 = 1ull << 32), ONE),
    CALL("exec/context", exec, EXEC(1, .rsvd1 = SLOT(CONTEXT)), ONE),
    CALL("exec/context-and-object-unknown", exec, EXEC(1, .rsvd1 = 999), PAYLOAD(struct list, .objects[0].handle = 999)),
    CALL("exec/ring-and-object-unknown", exec, EXEC(1, .flags = 9), PAYLOAD(struct list, .objects[0].handle = 999)),

    CALL("exec/object-write", exec, EXEC(1), OBJECT(.flags = EXEC_OBJECT_WRITE)),
    CALL("exec/object-fence", exec, EXEC(1), OBJECT(.flags = EXEC_OBJECT_NEEDS_FENCE)),
    CALL("exec/object-gtt", exec, EXEC(1), OBJECT(.flags = EXEC_OBJECT_NEEDS_GTT)),
    CALL("exec/object-48b", exec, EXEC(1), OBJECT(.flags = EXEC_OBJECT_SUPPORTS_48B_ADDRESS)),
    CALL("exec/object-async", exec, EXEC(1), OBJECT(.flags = EXEC_OBJECT_ASYNC)),
    CALL("exec/object-capture", exec, EXEC(1), OBJECT(.flags = EXEC_OBJECT_CAPTURE)),
    CALL("exec/object-flag-8", exec, EXEC(1), OBJECT(.flags = 1 << 8)),
    CALL("exec/object-flag-63", exec, EXEC(1), OBJECT(.flags = 1ull << 63)),
    CALL("exec/alignment-64k", exec, EXEC(1), OBJECT(.alignment = 65536)),
    CALL("exec/alignment-3", exec, EXEC(1), OBJECT(.alignment = 3)),
    CALL("exec/alignment-2", exec, EXEC(1), OBJECT(.alignment = 2)),
    CALL("exec/alignment-huge", exec, EXEC(1), OBJECT(.alignment = 1ull << 40)),
    CALL("exec/pin", exec, EXEC(1), OBJECT(.flags = EXEC_OBJECT_PINNED, .offset = 0x4000000)),
    CALL("exec/pin-unaligned", exec, EXEC(1), OBJECT(.flags = EXEC_OBJECT_PINNED, .offset = 0x4000800)),
    CALL("exec/pin-low", exec, EXEC(1), OBJECT(.flags = EXEC_OBJECT_PINNED, .offset = 0x1000)),
    CALL("exec/pin-48b", exec, EXEC(1), OBJECT(.flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS, .offset = 0x200000000)),
    CALL("exec/pin-high-without-48b", exec, EXEC(1), OBJECT(.flags = EXEC_OBJECT_PINNED, .offset = 0x200000000)),
    CALL("exec/pin-noncanonical", exec, EXEC(1), OBJECT(.flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS, .offset = 0x800000000000)),
    CALL("exec/pin-past-end", exec, EXEC(1), OBJECT(.flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS, .offset = 0x1000000000000)),
    CALL("exec/pin-overlap", exec, EXEC(2), PAYLOAD(struct list, .objects = {
         {.handle = SLOT(TARGET), .flags = EXEC_OBJECT_PINNED, .offset = 0x5000000},
         {.handle = SLOT(BATCH), .flags = EXEC_OBJECT_PINNED, .offset = 0x5000000}})),
    CALL("exec/pin-after-overlap", exec, EXEC(2), PAYLOAD(struct list, .objects = {
         {.handle = SLOT(TARGET), .flags = EXEC_OBJECT_PINNED, .offset = 0x6000000},
         {.handle = SLOT(BATCH), .flags = EXEC_OBJECT_PINNED, .offset = 0x6001000}})),
    CALL("exec/pad-to-size", exec, EXEC(1), OBJECT(.flags = EXEC_OBJECT_PAD_TO_SIZE, .pad_to_size = 8192)),
    CALL("exec/pad-to-size-unaligned", exec, EXEC(1), OBJECT(.flags = EXEC_OBJECT_PAD_TO_SIZE, .pad_to_size = 5000)),
    CALL("exec/pad-without-flag", exec, EXEC(1), OBJECT(.pad_to_size = 5000)),

    CALL("exec/fence-in-wrong", exec, EXEC(1, .flags = I915_EXEC_FENCE_IN, .rsvd2 = UINT32_MAX), ONE),
    CALL("exec/fence-in-other-file", exec, EXEC(1, .flags = I915_EXEC_FENCE_IN, .rsvd2 = SLOT(CARD)), ONE),
    CALL("exec/fence-in-0", exec, EXEC(1, .flags = I915_EXEC_FENCE_IN, .rsvd2 = 0), ONE),
    CALL("exec/fence-submit-wrong", exec, EXEC(1, .flags = I915_EXEC_FENCE_SUBMIT, .rsvd2 = UINT32_MAX), ONE),
    CALL("exec/fence-in-and-submit", exec, EXEC(1, .flags = I915_EXEC_FENCE_IN | I915_EXEC_FENCE_SUBMIT, .rsvd2 = UINT32_MAX), ONE),
    CALL("exec/fence-in-before-object", exec, EXEC(1, .flags = I915_EXEC_FENCE_IN, .rsvd1 = 999, .rsvd2 = UINT32_MAX), ONE),
    CALL("exec/fence-out", exec_fence, EXEC(1, .flags = I915_EXEC_FENCE_OUT), ONE),
    CALL("exec/fence-in", exec, EXEC(1, .flags = I915_EXEC_FENCE_IN, .rsvd2 = SLOT(FENCE)), ONE),
    CALL("exec/fence-submit", exec, EXEC(1, .flags = I915_EXEC_FENCE_SUBMIT, .rsvd2 = SLOT(FENCE)), ONE),
    CALL("exec/fence-out-unknown-object", exec_fence, EXEC(1, .flags = I915_EXEC_FENCE_OUT), PAYLOAD(struct list, .objects[0].handle = 999)),
    CALL("exec/old-number", exec, EXEC(1), ONE, .request = DRM_IOCTL_I915_GEM_EXECBUFFER2),

    {"store/write", &batch_kind, .a = STORES, .b = 0x12345678},
    STORED("store/run", 0),
    WAIT_TARGET("store/wait"),
    READ_TARGET("store/read"),
    CALL("store/busy", busy, WITH(SLOT(TARGET), 77)),
    {"store/write-2", &batch_kind, .a = STORES, .b = 0x55},
    STORED("store/run-in-context", SLOT(CONTEXT)),
    WAIT_TARGET("store/wait-2"),
    READ_TARGET("store/read-2"),
    {"store/write-3", &batch_kind, .a = STORES, .b = 0x66},
    STORED("store/run-on-copy", 0, .flags = I915_EXEC_BLT),
    WAIT_TARGET("store/wait-3"),
    READ_TARGET("store/read-3"),
    {"store/write-4", &batch_kind, .a = STORES, .b = 0x77},
    STORED("store/run-on-vebox", 0, .flags = I915_EXEC_VEBOX),
    WAIT_TARGET("store/wait-4"),
    READ_TARGET("store/read-4"),

    {"reloc/write", &batch_kind, .a = NOTHING},
    CALL("reloc/unknown-target", exec, EXEC(2), RELOCATED(.target_handle = 999, .presumed_offset = UINT64_MAX)),
    CALL("reloc/unlisted-target", exec, EXEC(2), RELOCATED(.target_handle = SLOT(PAGE), .presumed_offset = UINT64_MAX)),
    CALL("reloc/unaligned", exec, EXEC(2), RELOCATED(.target_handle = SLOT(TARGET), .offset = 2050, .presumed_offset = UINT64_MAX)),
    CALL("reloc/at-end", exec, EXEC(2), RELOCATED(.target_handle = SLOT(TARGET), .offset = 4096, .presumed_offset = UINT64_MAX)),
    CALL("reloc/last-word", exec, EXEC(2), RELOCATED(.target_handle = SLOT(TARGET), .offset = 4092, .presumed_offset = UINT64_MAX)),
    CALL("reloc/two-write-domains", exec, EXEC(2), RELOCATED(.target_handle = SLOT(TARGET), .offset = 2048, .presumed_offset = UINT64_MAX, .read_domains = 6, .write_domain = 6)),
    CALL("reloc/cpu-domain", exec, EXEC(2), RELOCATED(.target_handle = SLOT(TARGET), .offset = 2048, .presumed_offset = UINT64_MAX, .read_domains = 1)),
    CALL("reloc/wc-domain", exec, EXEC(2), RELOCATED(.target_handle = SLOT(TARGET), .offset = 2048, .presumed_offset = UINT64_MAX, .read_domains = 0x80)),
    CALL("reloc/lut-index", exec, EXEC(2, .flags = I915_EXEC_HANDLE_LUT), RELOCATED(.target_handle = 0, .offset = 2048, .presumed_offset = UINT64_MAX)),
    CALL("reloc/lut-index-2", exec, EXEC(2, .flags = I915_EXEC_HANDLE_LUT), RELOCATED(.target_handle = 2, .offset = 2048, .presumed_offset = UINT64_MAX)),
    CALL("reloc/fault", exec, EXEC(2), PAYLOAD(struct list, .objects = {{.handle = SLOT(TARGET)},
         {.handle = SLOT(BATCH), .relocation_count = 1, .relocs_ptr = BAD}})),
    CALL("reloc/many", exec, EXEC(2), PAYLOAD(struct list, .objects = {{.handle = SLOT(TARGET)},
         {.handle = SLOT(BATCH), .relocation_count = UINT32_MAX, .relocs_ptr = RELOCS}})),
    CALL("reloc/no-reloc-fault", exec, EXEC(2, .flags = I915_EXEC_NO_RELOC), PAYLOAD(struct list, .objects = {{.handle = SLOT(TARGET)},
         {.handle = SLOT(BATCH), .relocation_count = 1, .relocs_ptr = BAD}})),

    /* By index of the engine map. */
    CALL("exec/map/context", create, WITH(0), .keep = CONTEXT_MAP),
    CALL("exec/map/set", set, WITH(.ctx_id = SLOT(CONTEXT_MAP), .param = I915_CONTEXT_PARAM_ENGINES, .size = 20, .value = DATA(0)),
         .data = &(uint32_t[]){0, 0, 0, UINT32_MAX, 1}, .bytes = 20),
    CALL("exec/map/0", exec, EXEC(1, .flags = 0, .rsvd1 = SLOT(CONTEXT_MAP)), ONE),
    CALL("exec/map/1", exec, EXEC(1, .flags = 1, .rsvd1 = SLOT(CONTEXT_MAP)), ONE),
    CALL("exec/map/2", exec, EXEC(1, .flags = 2, .rsvd1 = SLOT(CONTEXT_MAP)), ONE),
    CALL("exec/map/3", exec, EXEC(1, .flags = 3, .rsvd1 = SLOT(CONTEXT_MAP)), ONE),
    CALL("exec/map/63", exec, EXEC(1, .flags = 63, .rsvd1 = SLOT(CONTEXT_MAP)), ONE),
    CALL("exec/map/bsd-flags", exec, EXEC(1, .flags = I915_EXEC_BSD_RING1, .rsvd1 = SLOT(CONTEXT_MAP)), ONE),
    CALL("exec/map/destroy", destroy, WITH(SLOT(CONTEXT_MAP), 0)),
    CALL("exec/map/destroyed", exec, EXEC(1, .rsvd1 = SLOT(CONTEXT_MAP)), ONE),
    WAIT_TARGET("exec/wait"),
    CALL("exec/close-batch", gem_close, WITH(.handle = SLOT(BATCH))),
    CALL("exec/closed-batch", exec, EXEC(1), ONE),
    /* clang-format on */
};

GROUP(exec_group, calls);
