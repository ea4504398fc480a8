/* SPDX-License-Identifier: MIT */
/* What clients ask about the device: VERSION, capabilities, GETPARAM, REG_READ. */
#include <string.h>

#include "base/bits.h"
#include "driver/i915/device.h"
#include "intel/symbols.h"

/* ---- VERSION, GET_UNIQUE --------------------------------------------------------------------- */

/* As much as there is room for; the size becomes that of the whole. */
static int copy_text(const struct i915_caller *caller, const char *text, uint64_t to,
                     uint64_t *size)
{
    uint64_t whole = strlen(text), now = *size < whole ? *size : whole;
    *size = whole;
    return now && to ? copy_out(caller, to, text, (size_t)now) : 0;
}

int i915_version(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct uapi_version *version = argument;
    (void)file;
    version->major = 1;
    version->minor = 6;
    version->patch = 0;
    int result = copy_text(caller, "i915", version->name, &version->name_size);
    if (result == 0)
        result = copy_text(caller, "0", version->date, &version->date_size);
    if (result == 0)
        result =
            copy_text(caller, "Intel Graphics", version->description, &version->description_size);
    return result;
}

int i915_get_unique(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    static const char name[] = "0000:00:02.0";
    struct uapi_unique *unique = argument;
    (void)file;
    int result = 0;
    if (unique->size >= strlen(name))
        result = copy_out(caller, unique->text, name, strlen(name));
    unique->size = strlen(name);
    return result;
}

/* ---- capabilities ---------------------------------------------------------------------------- */

#define CAP_PRIME               0x5
#define CAP_TIMESTAMP_MONOTONIC 0x6
#define CAP_SYNCOBJ             0x13
#define CAP_SYNCOBJ_TIMELINE    0x14

/* There is no display, nor are there objects to synchronise by. */
int i915_get_cap(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct uapi_cap *cap = argument;
    (void)file;
    (void)caller;
    switch (cap->capability) {
    case CAP_TIMESTAMP_MONOTONIC:
        cap->value = 1;
        return 0;
    case CAP_PRIME:
    case CAP_SYNCOBJ:
    case CAP_SYNCOBJ_TIMELINE:
        cap->value = 0;
        return 0;
    default:
        return -EOPNOTSUPP;
    }
}

int i915_set_client_cap(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    (void)file;
    (void)argument;
    (void)caller;
    return -EOPNOTSUPP;
}

/* ---- GETPARAM -------------------------------------------------------------------------------- */

enum how {
    FIXED,       /* `value` */
    REFUSED,     /* -ENODEV: it was for the old interface */
    SIZE,        /* of the device, below; 0: -ENODEV */
    REVISION_54, /* the perf revision; not before there was the number */
    OA_CLOCK,    /* since revision 6 */
    LLC,
    PPGTT,
    WITHOUT_LISTS, /* 0 with execution lists */
    WITH_LISTS,    /* 0 without */
};

enum size { DEVICE_ID, PCI_REVISION, SUBSLICES, EUS, SLICE_MASK, SUBSLICE_MASK, CS_CLOCK };

static const struct parameter {
    uint8_t number, how;
    int32_t value;
} parameters[] = {
    {1, REFUSED, 0},           /* IRQ_ACTIVE */
    {2, REFUSED, 0},           /* ALLOW_BATCHBUFFER */
    {3, REFUSED, 0},           /* LAST_DISPATCH */
    {4, SIZE, DEVICE_ID},      /* CHIPSET_ID */
    {5, FIXED, 1},             /* HAS_GEM */
    {6, FIXED, 0},             /* NUM_FENCES_AVAIL: tiling is for clients only */
    {7, FIXED, 0},             /* HAS_OVERLAY */
    {8, FIXED, 1},             /* HAS_PAGEFLIPPING */
    {9, FIXED, 1},             /* HAS_EXECBUF2 */
    {10, FIXED, 0},            /* HAS_BSD: render is the one engine */
    {11, FIXED, 0},            /* HAS_BLT */
    {12, FIXED, 1},            /* HAS_RELAXED_FENCING */
    {13, FIXED, 1},            /* HAS_COHERENT_RINGS */
    {14, REFUSED, 0},          /* HAS_EXEC_CONSTANTS */
    {15, FIXED, 1},            /* HAS_RELAXED_DELTA */
    {16, FIXED, 1},            /* HAS_GEN7_SOL_RESET */
    {17, LLC, 0},              /* HAS_LLC */
    {18, PPGTT, 0},            /* HAS_ALIASING_PPGTT: 1 aliasing, 2 full (3 would be 48 bits) */
    {19, FIXED, 1},            /* HAS_WAIT_TIMEOUT */
    {20, FIXED, 0},            /* HAS_SEMAPHORES */
    {21, FIXED, 1},            /* HAS_PRIME_VMAP_FLUSH */
    {22, FIXED, 0},            /* HAS_VEBOX */
    {23, FIXED, 0},            /* HAS_SECURE_BATCHES */
    {24, FIXED, 1},            /* HAS_PINNED_BATCHES */
    {25, FIXED, 1},            /* HAS_EXEC_NO_RELOC */
    {26, FIXED, 1},            /* HAS_EXEC_HANDLE_LUT */
    {27, FIXED, 0},            /* HAS_WT */
    {28, WITHOUT_LISTS, 10},   /* CMD_PARSER_VERSION */
    {29, FIXED, 1},            /* HAS_COHERENT_PHYS_GTT */
    {30, FIXED, 1},            /* MMAP_VERSION */
    {31, FIXED, 0},            /* HAS_BSD2 */
    {32, SIZE, PCI_REVISION},  /* REVISION; 0 is one, too */
    {33, SIZE, SUBSLICES},     /* SUBSLICE_TOTAL */
    {34, SIZE, EUS},           /* EU_TOTAL */
    {35, FIXED, 2},            /* HAS_GPU_RESET: single engines */
    {36, FIXED, 0},            /* HAS_RESOURCE_STREAMER */
    {37, FIXED, 1},            /* HAS_EXEC_SOFTPIN */
    {38, FIXED, 0},            /* HAS_POOLED_EU */
    {39, FIXED, 0},            /* MIN_EU_IN_POOL */
    {40, FIXED, 4},            /* MMAP_GTT_VERSION: with MMAP_OFFSET */
    {41, WITH_LISTS, 1},       /* HAS_SCHEDULER: it is there, of one level */
    {42, REFUSED, 0},          /* HUC_STATUS */
    {43, FIXED, 1},            /* HAS_EXEC_ASYNC */
    {44, FIXED, 1},            /* HAS_EXEC_FENCE */
    {45, FIXED, 1},            /* HAS_EXEC_CAPTURE: the flag is taken */
    {46, SIZE, SLICE_MASK},    /* SLICE_MASK */
    {47, SIZE, SUBSLICE_MASK}, /* SUBSLICE_MASK, of the first slice */
    {48, FIXED, 1},            /* HAS_EXEC_BATCH_FIRST */
    {49, FIXED, 0},            /* HAS_EXEC_FENCE_ARRAY */
    {50, FIXED, 0},            /* HAS_CONTEXT_ISOLATION */
    {51, SIZE, CS_CLOCK},      /* CS_TIMESTAMP_FREQUENCY */
    {52, FIXED, 1},            /* MMAP_GTT_COHERENT */
    {53, FIXED, 0},            /* HAS_EXEC_SUBMIT_FENCE */
    {54, REVISION_54, 0},      /* PERF_REVISION */
    {55, FIXED, 0},            /* HAS_EXEC_TIMELINE_FENCES */
    {56, FIXED, 0},            /* HAS_USERPTR_PROBE */
    {57, OA_CLOCK, 0},         /* OA_TIMESTAMP_FREQUENCY */
};

static uint32_t size_of(const struct i915_device *device, int32_t which)
{
    switch ((enum size)which) {
    case DEVICE_ID:
        return device->settings.device_id;
    case PCI_REVISION:
        return device->settings.pci_revision;
    case SUBSLICES:
        return device->topology.subslices;
    case EUS:
        return device->topology.eus;
    case SLICE_MASK:
        return device->sseu.slice_mask;
    case SUBSLICE_MASK:
        return device->sseu.subslice_mask;
    case CS_CLOCK:
        break;
    }
    return device->settings.timestamp_hz >> device->platform->info.oa_timestamp_shift;
}

static int evaluate(const struct i915_device *device, const struct parameter *p, int32_t *value)
{
    bool lists = has_execlists(device);
    *value = p->value;
    switch ((enum how)p->how) {
    case FIXED:
        return 0;
    case REFUSED:
        return -ENODEV;
    case SIZE:
        *value = (int32_t)size_of(device, p->value);
        return *value || p->value == PCI_REVISION ? 0 : -ENODEV;
    case REVISION_54:
        *value = (int32_t)device->settings.perf_revision;
        return *value > 1 ? 0 : -EINVAL;
    case OA_CLOCK:
        *value = (int32_t)device->settings.timestamp_hz;
        return device->settings.perf_revision >= 6 ? 0 : -EINVAL;
    case LLC:
        *value = device->platform->llc;
        return 0;
    case PPGTT:
        *value = lists ? 2 : 1;
        return 0;
    case WITHOUT_LISTS:
        *value = lists ? 0 : p->value;
        return 0;
    case WITH_LISTS:
        *value = lists ? p->value : 0;
        return 0;
    }
    return -EINVAL;
}

int i915_getparam(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    const struct uapi_getparam *ask = argument;
    int32_t value;
    for (size_t i = 0; i < ARRAY_COUNT(parameters); i++) {
        if (parameters[i].number != ask->param)
            continue;
        int result = evaluate(file->device, &parameters[i], &value);
        return result < 0 ? result : copy_out(caller, ask->value, &value, sizeof value);
    }
    return -EINVAL;
}

/* ---- REG_READ -------------------------------------------------------------------------------- */

#define READ_AS_TWO 1u /* in bit 0 of the offset */

/* The upper half may change while the lower one is read. */
static uint64_t read_timestamp(struct i915_device *device)
{
    uint32_t high = read32(device, RING_TIMESTAMP_UDW), low, before;
    do {
        before = high;
        low = read32(device, RING_TIMESTAMP);
        high = read32(device, RING_TIMESTAMP_UDW);
    } while (high != before);
    return (uint64_t)high << 32 | low;
}

int i915_reg_read(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct uapi_reg_read *ask = argument;
    (void)caller;
    if ((ask->offset & ~UINT64_C(7)) != RING_TIMESTAMP || (ask->offset & 7) > READ_AS_TWO)
        return -EINVAL;
    i915_wake_get(file->device);
    ask->value = read_timestamp(file->device);
    i915_wake_put(file->device);
    return 0;
}
