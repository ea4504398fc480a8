/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_NOUVEAU_DEVICE_H
#define TALLY_DRIVER_NOUVEAU_DEVICE_H

/* The driver's internal interface: device.c (device, files, parameters), gem.c (buffers), nvif.c
 * (requests to objects), objects.c (clients and devices), perfmon.c, perfdom.c, lists.c (what
 * perfmon lists). */

#include "driver/nouveau/nouveau.h"
#include "driver/nouveau/uapi.h"
#include "driver/perfmon/manual.h"

/* ---- lists.c --------------------------------------------------------------------------------- */

#define SIGNAL_NAME    32
#define SIGNAL_SOURCES 8
#define DOMAIN_NAME    32

struct nouveau_signal {
    char name[SIGNAL_NAME];          /* "": not listed */
    uint8_t sources[SIGNAL_SOURCES]; /* numbers, from 1; then 0 */
};

struct nouveau_domain {
    char name[DOMAIN_NAME];
    uint8_t domain, instance; /* TALLY_DOMAIN() */
    uint16_t signal_count;    /* numbers below it; most have no name */
    struct nouveau_signal *signals;
};

struct nouveau_lists {
    struct nouveau_domain *domains;
    size_t domain_count, domain_capacity;
    struct nouveau_source *sources; /* number - 1 */
    size_t source_count, source_capacity;
};

/* Returns whether nouveau has perfmon for a chipset. */
bool nouveau_has_perfmon(const struct tally_chipset *chipset);

/* Makes the lists of a chipset, whose GPCs and partitions `session` has found. Returns 0 or
 * -ENOMEM. */
int nouveau_lists_make(struct nouveau_lists *lists, const struct tally_chipset *chipset,
                       const struct perfmon_session *session);
void nouveau_lists_free(struct nouveau_lists *lists);

/* ---- device.c -------------------------------------------------------------------------------- */

struct nouveau_device {
    struct nouveau_settings settings; /* with defaults filled in */
    struct driver_io io;
    struct drm_device drm;
    struct nouveau_file *files;
    uint8_t family; /* enum nv_device_family */

    struct perfmon_session *session; /* NULL: no perfmon */
    struct nouveau_lists lists;
    const struct nouveau_object *perfmon; /* the only one; NULL: none */

    uint64_t memory_used, vram_used;
    uint64_t map_offset; /* of the next buffer */
    struct nouveau_buffer **named;
    size_t named_count, named_capacity;
};

struct nouveau_file {
    struct drm_file drm; /* must be first */
    struct nouveau_file *next;
    struct nouveau_device *device;
    struct nouveau_object *objects;
    struct nouveau_handle *handles;
    size_t handle_count, handle_capacity;
    uint64_t address; /* of its next buffer */
};

/* Returns PTIMER's time. */
uint64_t nouveau_time_ns(const struct nouveau_device *device);

/* Returns whether the memory of the GPU is that of the machine. */
bool nouveau_is_igp(const struct nouveau_device *device);

/* ---- nvif.c, objects.c, perfmon.c, perfdom.c ------------------------------------------------- */

/* What a request gives, and where its answer is written. */
struct nvif_bytes {
    uint8_t *bytes;
    uint32_t size;
};

/* An object that a client has made. */
struct nouveau_object {
    struct nouveau_object *next; /* in the file's list */
    struct nouveau_file *file;
    struct nouveau_object *parent; /* NULL: the client, or its device */
    uint64_t number, token;
    uint8_t route;
    int32_t class;
    struct nouveau_perfdom *perfdom; /* of class NVIF_CLASS_PERFDOM */
};

/*
 * Unpacks a struct at the start of a request's bytes, as the kernel does: its first byte is the
 * version. exact: nothing may follow. Returns 0, and *rest is what follows; -ENOSYS: too short, or
 * another version; -E2BIG.
 */
int nvif_unpack(const struct nvif_bytes *bytes, size_t size, uint8_t version, bool exact,
                struct nvif_bytes *rest);

/* Copies a struct of version 0 from the start of a request's bytes; rest NULL: nothing may follow.
 * Returns as above. */
int nvif_take(const struct nvif_bytes *bytes, void *args, size_t size, struct nvif_bytes *rest);

/* What an object can do; `object` NULL: the client, or its device. */
struct nouveau_class {
    int32_t class;
    bool is_known; /* to be made by clients */

    /* Returns the class of the index-th child; NULL past the end. */
    const struct nvif_ioctl_sclass_oclass_v0 *(*child)(const struct nouveau_device *device,
                                                       size_t index);
    int (*method)(struct nouveau_file *file, struct nouveau_object *object, uint8_t method,
                  struct nvif_bytes *arguments);

    /* Makes an object with its arguments. NULL: it has none. */
    int (*make)(struct nouveau_object *object, struct nvif_bytes *arguments);
    void (*free)(struct nouveau_object *object);
};
const struct nouveau_class *nouveau_class_find(int32_t class);

/* The ioctl; size: of the request. */
int nouveau_nvif(struct nouveau_file *file, uint64_t argument, uint32_t size,
                 const struct drm_caller *caller);
void nouveau_objects_free(struct nouveau_file *file);

int nouveau_perfmon_make(struct nouveau_object *object, struct nvif_bytes *arguments);
void nouveau_perfmon_free(struct nouveau_object *object);
int nouveau_perfmon_method(struct nouveau_file *file, struct nouveau_object *object, uint8_t method,
                           struct nvif_bytes *arguments);

/* Finds a listed signal; NULL: unknown. */
const struct nouveau_signal *nouveau_signal_find(const struct nouveau_device *device,
                                                 uint8_t domain, uint8_t signal);

/* Finds a source of a signal by its number; NULL: it is none of the signal's. */
const struct nouveau_source *nouveau_source_find(const struct nouveau_device *device,
                                                 const struct nouveau_signal *signal,
                                                 uint32_t number);

int nouveau_perfdom_make(struct nouveau_object *object, struct nvif_bytes *arguments);
void nouveau_perfdom_free(struct nouveau_object *object);
int nouveau_perfdom_method(struct nouveau_file *file, struct nouveau_object *object, uint8_t method,
                           struct nvif_bytes *arguments);

/* ---- ioctl.c, gem.c -------------------------------------------------------------------------- */

typedef int nouveau_call(struct nouveau_file *file, void *argument,
                         const struct drm_caller *caller);

extern const struct drm_driver nouveau_driver; /* ioctl.c */

nouveau_call nouveau_getparam;
nouveau_call nouveau_gem_new, nouveau_gem_info, nouveau_gem_cpu_prep, nouveau_gem_cpu_fini;
nouveau_call nouveau_gem_close, nouveau_gem_flink, nouveau_gem_open;
nouveau_call nouveau_create_dumb, nouveau_map_dumb, nouveau_export;
void nouveau_handles_free(struct nouveau_file *file);

#endif
