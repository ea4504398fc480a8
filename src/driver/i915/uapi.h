/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_I915_UAPI_H
#define TALLY_DRIVER_I915_UAPI_H

/*
 * The numbers and structs of the kernel's interface (PERF-1; IGT-2.1),
 * written down here so that the driver builds without the kernel's headers. Where those are on the
 * machine, tests/driver/test_uapi.c compares the two. Structs have the caller's byte order.
 */

#include <stdint.h>

/* ---- numbers of calls ------------------------------------------------------------------------ */

#define UAPI_DIRECTION_IN  0x40000000u /* the caller's struct goes in */
#define UAPI_DIRECTION_OUT 0x80000000u
#define UAPI_SIZE(request) ((request) >> 16 & 0x3fffu)
#define UAPI_TYPE(request) ((request) >> 8 & 0xffu)
#define UAPI_NR(request)   ((request)&0xffu)

#define UAPI_COMMANDS 0x40u /* the driver's own numbers begin here */

#define UAPI_DRM_TYPE  'd'
#define UAPI_PERF_TYPE 'i'

#define UAPI_VERSION                0xc0406400u
#define UAPI_GET_UNIQUE             0xc0106401u
#define UAPI_GEM_CLOSE              0x40086409u
#define UAPI_GET_CAP                0xc010640cu
#define UAPI_SET_CLIENT_CAP         0x4010640du
#define UAPI_GETPARAM               0xc0106446u
#define UAPI_GEM_BUSY               0xc0086457u
#define UAPI_GEM_THROTTLE           0x00006458u
#define UAPI_GEM_CREATE             0xc010645bu
#define UAPI_GEM_PREAD              0x4020645cu
#define UAPI_GEM_PWRITE             0x4020645du
#define UAPI_GEM_MMAP               0xc028645eu
#define UAPI_GEM_SET_DOMAIN         0x400c645fu
#define UAPI_GEM_SW_FINISH          0x40046460u
#define UAPI_GEM_SET_TILING         0xc0106461u
#define UAPI_GEM_GET_TILING         0xc0106462u
#define UAPI_GEM_GET_APERTURE       0x80106463u
#define UAPI_GEM_MMAP_GTT           0xc0106464u
#define UAPI_GEM_MMAP_OFFSET        0xc0206464u
#define UAPI_GEM_MADVISE            0xc00c6466u
#define UAPI_GEM_EXECBUFFER2        0x40406469u
#define UAPI_GEM_EXECBUFFER2_WR     0xc0406469u
#define UAPI_GEM_WAIT               0xc010646cu
#define UAPI_GEM_CONTEXT_CREATE     0xc008646du
#define UAPI_GEM_CONTEXT_CREATE_EXT 0xc010646du
#define UAPI_GEM_CONTEXT_DESTROY    0x4008646eu
#define UAPI_GEM_SET_CACHING        0x4008646fu
#define UAPI_GEM_GET_CACHING        0xc0086470u
#define UAPI_REG_READ               0xc0106471u
#define UAPI_GET_RESET_STATS        0xc0186472u
#define UAPI_GEM_CONTEXT_GETPARAM   0xc0186474u
#define UAPI_GEM_CONTEXT_SETPARAM   0xc0186475u
#define UAPI_PERF_OPEN              0x40106476u
#define UAPI_PERF_ADD_CONFIG        0x40486477u
#define UAPI_PERF_REMOVE_CONFIG     0x40086478u
#define UAPI_QUERY                  0xc0106479u
#define UAPI_GEM_VM_CREATE          0xc010647au
#define UAPI_GEM_VM_DESTROY         0x4010647bu
#define UAPI_GEM_CREATE_EXT         0xc018647cu

#define UAPI_STREAM_ENABLE  0x00006900u
#define UAPI_STREAM_DISABLE 0x00006901u
#define UAPI_STREAM_CONFIG  0x00006902u

/* The kernel's own errno for "not supported", which strerror() does not know (PERF-Q3). */
#define UAPI_ENOTSUPP 524

/* ---- perf ------------------------------------------------------------------------------------ */

struct uapi_perf_open {
    uint32_t flags, num_properties;
    uint64_t properties_ptr;
};

enum {
    UAPI_PERF_CLOEXEC = 1 << 0,
    UAPI_PERF_NONBLOCK = 1 << 1,
    UAPI_PERF_DISABLED = 1 << 2,
    UAPI_PERF_FLAGS = 7
};

enum uapi_property {
    UAPI_PROPERTY_CTX_HANDLE = 1,
    UAPI_PROPERTY_SAMPLE_OA,
    UAPI_PROPERTY_METRICS_SET,
    UAPI_PROPERTY_FORMAT,
    UAPI_PROPERTY_EXPONENT,
    UAPI_PROPERTY_HOLD_PREEMPTION,
    UAPI_PROPERTY_GLOBAL_SSEU,
    UAPI_PROPERTY_POLL_PERIOD,
    UAPI_PROPERTY_ENGINE_CLASS,
    UAPI_PROPERTY_ENGINE_INSTANCE,
};

#define UAPI_FORMAT_MAX 15u

enum uapi_record { UAPI_RECORD_SAMPLE = 1, UAPI_RECORD_REPORT_LOST, UAPI_RECORD_BUFFER_LOST };

struct uapi_record_header {
    uint32_t type;
    uint16_t pad, size;
};

#define UAPI_UUID 36

struct uapi_perf_config {
    char uuid[UAPI_UUID];
    uint32_t n_mux, n_boolean, n_flex;
    uint64_t mux_ptr, boolean_ptr, flex_ptr;
};

/* ---- device ---------------------------------------------------------------------------------- */

struct uapi_version {
    int32_t major, minor, patch, pad;
    uint64_t name_size, name, date_size, date, description_size, description;
};

struct uapi_unique {
    uint64_t size, text;
};

struct uapi_cap {
    uint64_t capability, value;
};

struct uapi_getparam {
    int32_t param, pad;
    uint64_t value;
};

struct uapi_reg_read {
    uint64_t offset, value;
};

struct uapi_query {
    uint32_t num_items, flags;
    uint64_t items_ptr;
};

struct uapi_query_item {
    uint64_t query_id;
    int32_t length;
    uint32_t flags;
    uint64_t data_ptr;
};

enum uapi_query_id {
    UAPI_QUERY_TOPOLOGY = 1,
    UAPI_QUERY_ENGINES,
    UAPI_QUERY_PERF_CONFIG,
    UAPI_QUERY_MEMORY_REGIONS,
    UAPI_QUERY_HWCONFIG,
    UAPI_QUERY_GEOMETRY_SUBSLICES,
    UAPI_QUERY_GUC_VERSION,
};

enum { UAPI_CONFIG_LIST = 1, UAPI_CONFIG_FOR_UUID, UAPI_CONFIG_FOR_ID };

struct uapi_engine {
    uint16_t engine_class, instance;
};

struct uapi_engine_info {
    struct uapi_engine engine;
    uint32_t reserved0;
    uint64_t flags, capabilities;
    uint16_t logical_instance, reserved1[3];
    uint64_t reserved2[3];
};

struct uapi_query_engines {
    uint32_t num_engines, reserved[3];
};

struct uapi_query_config {
    union {
        uint64_t id; /* also the number of them */
        char uuid[UAPI_UUID];
        uint8_t bytes[40];
    } key;
    uint32_t flags, pad; /* what follows is at byte 48 (PERF-Q6) */
};

struct uapi_region {
    struct uapi_engine region; /* class and instance */
    uint32_t reserved0;
    uint64_t probed_size, unallocated_size, reserved1[8];
};

struct uapi_query_regions {
    uint32_t num_regions, reserved[3];
};

/* ---- memory ---------------------------------------------------------------------------------- */

struct uapi_gem_create {
    uint64_t size;
    uint32_t handle, flags;
    uint64_t extensions;
};

struct uapi_extension {
    uint64_t next;
    uint32_t name, flags, reserved[4];
};

struct uapi_create_regions {
    struct uapi_extension base;
    uint32_t pad, num_regions;
    uint64_t regions;
};

struct uapi_handle { /* GEM_CLOSE, SW_FINISH, BUSY, SET_CACHING, GET_CACHING */
    uint32_t handle, value;
};

struct uapi_gem_io {
    uint32_t handle, pad;
    uint64_t offset, size, data_ptr;
};

struct uapi_gem_mmap {
    uint32_t handle, pad;
    uint64_t offset, size, address, flags;
};

struct uapi_gem_mmap_offset {
    uint32_t handle, pad;
    uint64_t offset, flags, extensions;
};

struct uapi_set_domain {
    uint32_t handle, read_domains, write_domain;
};

struct uapi_tiling {
    uint32_t handle, mode, stride, swizzle; /* GET_TILING: swizzle, physical swizzle */
};

struct uapi_aperture {
    uint64_t size, available;
};

struct uapi_madvise {
    uint32_t handle, advice, retained;
};

struct uapi_wait {
    uint32_t handle, flags;
    int64_t timeout_ns;
};

/* ---- contexts -------------------------------------------------------------------------------- */

struct uapi_context_create {
    uint32_t id, flags;
    uint64_t extensions;
};

struct uapi_context_destroy {
    uint32_t id, pad;
};

struct uapi_context_param {
    uint32_t id, size;
    uint64_t param, value;
};

struct uapi_create_setparam {
    struct uapi_extension base;
    struct uapi_context_param param;
};

enum uapi_context_parameter {
    UAPI_CONTEXT_GTT_SIZE = 3,
    UAPI_CONTEXT_NO_ERROR_CAPTURE,
    UAPI_CONTEXT_BANNABLE,
    UAPI_CONTEXT_PRIORITY,
    UAPI_CONTEXT_SSEU,
    UAPI_CONTEXT_RECOVERABLE,
    UAPI_CONTEXT_VM,
    UAPI_CONTEXT_ENGINES,
    UAPI_CONTEXT_PERSISTENCE,
};

struct uapi_sseu {
    struct uapi_engine engine;
    uint32_t flags;
    uint64_t slice_mask, subslice_mask;
    uint16_t min_eus, max_eus; /* per subslice */
    uint32_t reserved;
};

struct uapi_vm {
    uint64_t extensions;
    uint32_t flags, id;
};

struct uapi_reset_stats {
    uint32_t context, flags, reset_count, batch_active, batch_pending, pad;
};

/* ---- execution ------------------------------------------------------------------------------- */

struct uapi_execbuffer {
    uint64_t objects_ptr;
    uint32_t object_count, batch_start, batch_bytes, dr1, dr4, num_cliprects;
    uint64_t cliprects_ptr, flags, context, fences;
};

enum {
    UAPI_EXEC_RING_MASK = 0x3f,
    UAPI_EXEC_RENDER = 1,
    UAPI_EXEC_CONSTANTS = 3 << 6,
    UAPI_EXEC_SECURE = 1 << 9,
    UAPI_EXEC_NO_RELOC = 1 << 11,
    UAPI_EXEC_HANDLE_LUT = 1 << 12,
    UAPI_EXEC_BSD = 3 << 13,
    UAPI_EXEC_RESOURCE_STREAMER = 1 << 15,
    UAPI_EXEC_FENCE_IN = 1 << 16,
    UAPI_EXEC_FENCE_OUT = 1 << 17,
    UAPI_EXEC_BATCH_FIRST = 1 << 18,
    UAPI_EXEC_KNOWN = (1 << 19) - 1, /* fence arrays and later ones are not there */
};

struct uapi_exec_object {
    uint32_t handle, relocation_count;
    uint64_t relocations, alignment, offset, flags, pad_to_size, reserved;
};

enum {
    UAPI_OBJECT_WRITE = 1 << 2,
    UAPI_OBJECT_48BIT = 1 << 3,
    UAPI_OBJECT_PINNED = 1 << 4,
    UAPI_OBJECT_PAD_TO_SIZE = 1 << 5,
    UAPI_OBJECT_KNOWN = (1 << 8) - 1,
};

struct uapi_relocation {
    uint32_t target, delta;
    uint64_t offset, presumed;
    uint32_t read_domains, write_domain;
};

#endif
