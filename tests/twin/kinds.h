/* SPDX-License-Identifier: MIT */
#ifndef TESTS_TWIN_KINDS_H
#define TESTS_TWIN_KINDS_H

/* Ioctls that several groups call: the type of the struct, by the name that rows use, and its kind.
 */

#include "twin.h"

#define SHARED_KIND(type, name)                                                                    \
    typedef type name;                                                                             \
    extern const struct kind name##_kind

SHARED_KIND(struct drm_i915_getparam, getparam);
SHARED_KIND(struct drm_i915_gem_create, gem_create);
SHARED_KIND(struct drm_gem_close, gem_close);
SHARED_KIND(struct drm_i915_gem_pread, pread_);
SHARED_KIND(struct drm_i915_gem_pwrite, pwrite_);
SHARED_KIND(struct drm_i915_gem_wait, wait_);
SHARED_KIND(struct drm_i915_gem_busy, busy);
SHARED_KIND(struct drm_i915_gem_context_create_ext, create);
SHARED_KIND(struct drm_i915_gem_context_destroy, destroy);
SHARED_KIND(struct drm_i915_gem_context_param, get);
SHARED_KIND(struct drm_i915_gem_context_param, set);
SHARED_KIND(struct drm_i915_reset_stats, reset_stats);
SHARED_KIND(struct drm_i915_gem_execbuffer2, exec);
SHARED_KIND(struct drm_i915_perf_oa_config, add);
SHARED_KIND(uint64_t, remove_);
SHARED_KIND(struct drm_i915_perf_open_param, open_);

/* A call whose argument does not matter. */
typedef struct {
    uint64_t words[96];
} any;
extern const struct kind any_kind;

/* An ioctl whose argument is a value: .a, and in the upper half .b; or the value of a slot: .keep.
 * poll() for .a ms, for the events .b. The descriptor is the stream, or .fd. */
extern const struct kind value_kind, poll_kind;

/* Reads the file .path: .a says how its contents are printed. Writes .text to it. */
enum show {
    TEXT,
    LINE,   /* the first line */
    NUMBER, /* differs from run to run: whether it is one */
    EXISTS
};
extern const struct kind file_kind, write_kind;
#define READ_FILE(name, path_, ...)                                                                \
    {                                                                                              \
        "file/" name, &file_kind, .path = path_, ##__VA_ARGS__                                     \
    }
#define WRITE_FILE(name, path_, ...)                                                               \
    {                                                                                              \
        "file/write/" name, &write_kind, .path = path_, .text = __VA_ARGS__                        \
    }

/* Writes a batch to the object BATCH, or .keep: .a = NOTHING an end; STORES a store of .b to an
 * address that a relocation fills in, at word 1, or on Gen7 at word 2; SPINS a jump to the address
 * in word 1; LASTS commands that do nothing, LASTING_BYTES of them: longer than the kernel polls
 * for a request's end. */
enum batch { NOTHING, STORES, SPINS, LASTS };
#define LASTING_BYTES 0x20000
extern const struct kind batch_kind;

/* The objects of an EXECBUFFER2, as data of a row. */
struct list {
    struct drm_i915_gem_exec_object2 objects[3];
    struct drm_i915_gem_relocation_entry relocs[2];
    uint32_t words[4];
};
#define OBJECTS      DATA(offsetof(struct list, objects))
#define RELOCS       DATA(offsetof(struct list, relocs))
#define EXEC(n, ...) WITH(.buffers_ptr = OBJECTS, .buffer_count = n, ##__VA_ARGS__)

/* The properties of a PERF_OPEN, as data of a row. */
struct pairs {
    uint64_t pairs[14][2];
    struct drm_i915_gem_context_param_sseu sseu;
};

#endif
