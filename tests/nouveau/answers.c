/* SPDX-License-Identifier: MIT */
/*
 * Prints how nouveau answers: a line for each call, with its name, its result and what it returned.
 * It runs in a guest with the kernel's own nouveau, and under `tally emulate`; the answers must be
 * equal (answers.py). What differs between two runs of the same driver is not printed: times, and
 * numbers that the driver chooses freely.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <drm.h>
#include <nouveau_drm.h>

#include "nvif.h"

#define CARD   "/dev/dri/card0"
#define RENDER "/dev/dri/renderD128"

#define SIZE_OF_SWEEP 128

/* The ioctl of a number of the driver. */
#define CALL_OF(name, type) _IOWR('d', 0x40 + DRM_NOUVEAU_##name, type)

static int node;

/* Returns the result of a call as text: the name of its errno, or its value. */
static const char *result_text(int result)
{
    static char text[16];
    snprintf(text, sizeof text, "%d", result);
    return result < 0 ? strerrorname_np(errno) : text;
}

/* Prints a line with the bytes that are not 0 at the end of the answer left out. */
static void show(const char *name, int result, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    printf("%s: %s", name, result_text(result));
    while (size && !at[size - 1])
        size--;
    for (size_t i = 0; i < size; i++)
        printf("%s%02x", i % 8 ? "" : " ", at[i]);
    printf("\n");
}

static void open_node(const char *path)
{
    if (node > 0)
        close(node);
    node = open(path, O_RDWR | O_CLOEXEC);
    if (node < 0) {
        perror(path);
        exit(1);
    }
}

/* ---- the DRM core ---------------------------------------------------------------------------- */

static void show_version(void)
{
    char name[32] = "", date[32] = "", description[64] = "";
    struct drm_version version = {.name = name,
                                  .name_len = sizeof name,
                                  .date = date,
                                  .date_len = sizeof date,
                                  .desc = description,
                                  .desc_len = sizeof description};
    int result = ioctl(node, DRM_IOCTL_VERSION, &version);
    printf("VERSION: %s %d.%d.%d \"%s\" \"%s\" \"%s\"\n", result_text(result),
           version.version_major, version.version_minor, version.version_patchlevel, name, date,
           description);
}

static void show_unique(const char *name)
{
    char text[64] = "";
    struct drm_unique unique = {.unique = text, .unique_len = sizeof text};
    int result = ioctl(node, DRM_IOCTL_GET_UNIQUE, &unique);
    printf("%s: %s \"%s\" %zu\n", name, result_text(result), text, (size_t)unique.unique_len);
}

static void show_caps(void)
{
    char name[32];
    for (uint64_t cap = 0; cap <= DRM_CAP_SYNCOBJ_TIMELINE + 1; cap++) {
        struct drm_get_cap args = {.capability = cap};
        int result = ioctl(node, DRM_IOCTL_GET_CAP, &args);
        snprintf(name, sizeof name, "GET_CAP %" PRIu64, cap);
        show(name, result, &args.value, sizeof args.value);
    }
    for (uint64_t cap = 0; cap <= DRM_CLIENT_CAP_WRITEBACK_CONNECTORS + 1; cap++) {
        struct drm_set_client_cap args = {.capability = cap, .value = 1};
        int result = ioctl(node, DRM_IOCTL_SET_CLIENT_CAP, &args);
        snprintf(name, sizeof name, "SET_CLIENT_CAP %" PRIu64, cap);
        show(name, result, NULL, 0);
    }
}

/* Every number, with an argument of zeros, on a new file. */
static void sweep(const char *path)
{
    for (unsigned number = 0; number < 256; number++) {
        uint64_t argument[SIZE_OF_SWEEP / 8] = {0};
        open_node(path);
        int result =
            ioctl(node, _IOC(_IOC_READ | _IOC_WRITE, 'd', number, SIZE_OF_SWEEP), argument);
        printf("%s %02x: %s\n", path, number, result_text(result));
    }
    printf("%s another type: %s\n", path, result_text(ioctl(node, _IO('e', 0))));
}

/* ---- parameters, channels -------------------------------------------------------------------- */

static void show_parameters(void)
{
    char name[32];
    for (uint64_t param = 0; param < 24; param++) {
        struct drm_nouveau_getparam args = {.param = param};
        int result = ioctl(node, CALL_OF(GETPARAM, args), &args);
        snprintf(name, sizeof name, "GETPARAM %" PRIu64, param);
        if (param == NOUVEAU_GETPARAM_PTIMER_TIME) {
            struct drm_nouveau_getparam later = {.param = param};
            result |= ioctl(node, CALL_OF(GETPARAM, later), &later);
            args.value = later.value > args.value;
        }
        show(name, result, &args.value, sizeof args.value);
    }
}

static void show_channels(void)
{
    struct drm_nouveau_channel_alloc channel = {.fb_ctxdma_handle = 1, .tt_ctxdma_handle = 2};
    show("CHANNEL_ALLOC", ioctl(node, CALL_OF(CHANNEL_ALLOC, channel), &channel), &channel,
         sizeof channel);
    struct drm_nouveau_channel_alloc invalid = {.fb_ctxdma_handle = UINT32_MAX};
    show("CHANNEL_ALLOC, invalid", ioctl(node, CALL_OF(CHANNEL_ALLOC, invalid), &invalid), &invalid,
         sizeof invalid);
    struct drm_nouveau_channel_free gone = {.channel = 1};
    show("CHANNEL_FREE", ioctl(node, CALL_OF(CHANNEL_FREE, gone), &gone), NULL, 0);
    struct drm_nouveau_grobj_alloc object = {.channel = 1, .handle = 7, .class = 0x5097};
    show("GROBJ_ALLOC", ioctl(node, CALL_OF(GROBJ_ALLOC, object), &object), NULL, 0);
    object.handle = UINT32_MAX;
    show("GROBJ_ALLOC, invalid", ioctl(node, CALL_OF(GROBJ_ALLOC, object), &object), NULL, 0);
    struct drm_nouveau_notifierobj_alloc notifier = {.channel = 1, .handle = 7, .size = 32};
    show("NOTIFIEROBJ_ALLOC", ioctl(node, CALL_OF(NOTIFIEROBJ_ALLOC, notifier), &notifier), NULL,
         0);
    struct drm_nouveau_gpuobj_free free_object = {.channel = 1, .handle = 7};
    show("GPUOBJ_FREE", ioctl(node, CALL_OF(GPUOBJ_FREE, free_object), &free_object), NULL, 0);
    struct drm_nouveau_gem_pushbuf push = {.channel = 1};
    show("GEM_PUSHBUF", ioctl(node, CALL_OF(GEM_PUSHBUF, push), &push), &push, sizeof push);
}

/* ---- buffers --------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    uint32_t domain;
    uint64_t size;
    uint32_t tile_mode, tile_flags, align;
} buffers[] = {
    {"no size", NOUVEAU_GEM_DOMAIN_GART, 0, 0, 0, 0},
    {"GART", NOUVEAU_GEM_DOMAIN_GART | NOUVEAU_GEM_DOMAIN_MAPPABLE, 1, 0, 0, 0},
    {"GART, 5000 bytes", NOUVEAU_GEM_DOMAIN_GART, 5000, 0, 0, 4096},
    {"VRAM", NOUVEAU_GEM_DOMAIN_VRAM, 4096, 0, 0, 0},
    {"VRAM, mappable", NOUVEAU_GEM_DOMAIN_VRAM | NOUVEAU_GEM_DOMAIN_MAPPABLE, 70000, 0, 0, 0},
    {"VRAM or GART", NOUVEAU_GEM_DOMAIN_VRAM | NOUVEAU_GEM_DOMAIN_GART, 4096, 0, 0, 0},
    {"CPU", NOUVEAU_GEM_DOMAIN_CPU, 4096, 0, 0, 0},
    {"tiled", NOUVEAU_GEM_DOMAIN_VRAM, 65536, 4, 0x7000 | NOUVEAU_GEM_TILE_NONCONTIG, 0},
};

/* Prints what a buffer is. Addresses are the driver's choice. */
static void show_buffer(const char *what, int result, const struct drm_nouveau_gem_info *info)
{
    printf("%s: %s", what, result_text(result));
    if (result == 0)
        printf(" handle %u domain %x size %" PRIu64 " tile %x %x address %d map %d", info->handle,
               info->domain, (uint64_t)info->size, info->tile_mode, info->tile_flags,
               info->offset != 0, info->map_handle != 0);
    printf("\n");
}

/* Maps a buffer, writes to it and reads what a second mapping shows. */
static void show_mapping(const struct drm_nouveau_gem_info *info)
{
    uint32_t *maps[2];
    for (unsigned i = 0; i < 2; i++) {
        maps[i] = mmap(NULL, info->size, PROT_READ | PROT_WRITE, MAP_SHARED, node,
                       (off_t)info->map_handle);
        if (maps[i] == MAP_FAILED) {
            printf("  mmap: %s\n", result_text(-1));
            return;
        }
    }
    maps[0][1] = 0x12345678;
    printf("  mmap: 0 %x\n", maps[1][1]);
    munmap(maps[0], info->size);
    munmap(maps[1], info->size);
}

static void show_object(uint32_t handle)
{
    struct drm_nouveau_gem_info info = {.handle = handle};
    show_buffer("  GEM_INFO", ioctl(node, CALL_OF(GEM_INFO, info), &info), &info);
    for (uint32_t flags = 0; flags < 6; flags += 5) {
        struct drm_nouveau_gem_cpu_prep prepare = {.handle = handle, .flags = flags};
        int result = ioctl(node, CALL_OF(GEM_CPU_PREP, prepare), &prepare);
        printf("  GEM_CPU_PREP %u: %s\n", flags, result_text(result));
    }
    struct drm_nouveau_gem_cpu_fini finish = {.handle = handle};
    printf("  GEM_CPU_FINI: %s\n",
           result_text(ioctl(node, CALL_OF(GEM_CPU_FINI, finish), &finish)));
    struct drm_gem_close close_args = {.handle = handle};
    printf("  GEM_CLOSE: %s\n", result_text(ioctl(node, DRM_IOCTL_GEM_CLOSE, &close_args)));
    printf("  GEM_CLOSE again: %s\n", result_text(ioctl(node, DRM_IOCTL_GEM_CLOSE, &close_args)));
}

/* Makes a buffer that stays until the program ends, in VRAM with a mapping that has been used. */
static void show_kept(uint32_t domain)
{
    struct drm_nouveau_gem_new args = {.info = {.domain = domain, .size = 4096}};
    show_buffer("kept", ioctl(node, CALL_OF(GEM_NEW, args), &args), &args.info);
    if (domain != NOUVEAU_GEM_DOMAIN_VRAM)
        return;
    uint32_t *map = mmap(NULL, args.info.size, PROT_READ | PROT_WRITE, MAP_SHARED, node,
                         (off_t)args.info.map_handle);
    if (map == MAP_FAILED)
        printf("  mmap: %s\n", result_text(-1));
    else
        *map = 1;
}

/* The kept buffers hold the driver's page tables for buffers and for BAR 1. It would make them anew
   for each buffer, writing a megabyte byte by byte. */
static void show_buffers(void)
{
    char name[64];
    show_kept(NOUVEAU_GEM_DOMAIN_GART);
    show_kept(NOUVEAU_GEM_DOMAIN_VRAM);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        struct drm_nouveau_gem_new args = {.info = {.domain = buffers[i].domain,
                                                    .size = buffers[i].size,
                                                    .tile_mode = buffers[i].tile_mode,
                                                    .tile_flags = buffers[i].tile_flags},
                                           .align = buffers[i].align};
        int result = ioctl(node, CALL_OF(GEM_NEW, args), &args);
        snprintf(name, sizeof name, "GEM_NEW, %s", buffers[i].name);
        show_buffer(name, result, &args.info);
        if (result == 0) {
            show_mapping(&args.info);
            show_object(args.info.handle);
        }
    }
    printf("no object\n");
    show_object(77);
}

/* ---- NVIF ------------------------------------------------------------------------------------ */

/* Prints the answer to a request. The token of an object that was not made is the driver's. */
static void show_request(const char *name, struct nvif_header request, const void *payload,
                         size_t size)
{
    uint64_t bytes[NVIF_BYTES / 8 + 1] = {0};
    if (size)
        memcpy(bytes, payload, size);
    int result = nvif_send(node, &request, NULL, 0, bytes, size);
    printf("%s: %s owner %02x route %02x token %" PRIx64, name, result_text(result), request.owner,
           request.route, (uint64_t)request.token);
    bool driver_token = request.type == NVIF_NEW && result < 0;
    const uint8_t *at = (const uint8_t *)bytes;
    for (size_t i = 0; i < size; i++)
        printf("%s%02x", i % 8 ? "" : " ", driver_token && i >= 7 && i < 16 ? 0 : at[i]);
    printf("\n");
}

#define TO_CLIENT(which)                                                                           \
    (struct nvif_header)                                                                           \
    {                                                                                              \
        .type = (which), .token = 5                                                                \
    }
#define TO_DEVICE(which)                                                                           \
    (struct nvif_header)                                                                           \
    {                                                                                              \
        .type = (which), .route = ROUTE_DEVICE, .token = UINT64_MAX                                \
    }
#define TO(which, number)                                                                          \
    (struct nvif_header)                                                                           \
    {                                                                                              \
        .type = (which), .object = (number)                                                        \
    }
#define SHOW(name, request, payload) show_request(name, request, &(payload), sizeof(payload))

struct new_device {
    struct nvif_new header;
    struct device_new device;
};

struct new_perfdom {
    struct nvif_new header;
    struct perfdom perfdom;
};

static struct new_device new_device(uint64_t object)
{
    return (struct new_device){
        {.route = 9, .token = 6, .object = object, .handle = 3, .class = DEVICE},
        {.device = UINT64_MAX}};
}

static void show_client(void)
{
    uint64_t version = 0;
    struct nvif_classes classes = {.count = 8};
    struct {
        struct nvif_call call;
        uint8_t version, count, padding[6];
        uint64_t devices[2];
    } list = {.count = 2};
    SHOW("client NOP", TO_CLIENT(NVIF_NOP), version);
    version = 1;
    SHOW("client NOP, version 1", TO_CLIENT(NVIF_NOP), version);
    show_request("client NOP, empty", TO_CLIENT(NVIF_NOP), NULL, 0);
    SHOW("client NOP, longer", TO_CLIENT(NVIF_NOP), classes);
    SHOW("client classes", TO_CLIENT(NVIF_CLASSES), classes);
    classes.count = 1;
    SHOW("client classes, wrong size", TO_CLIENT(NVIF_CLASSES), classes);
    show_request("client classes, one", TO_CLIENT(NVIF_CLASSES), &classes, 16);
    SHOW("client list", TO_CLIENT(NVIF_CALL), list);
    list.call.method = 1;
    SHOW("client method", TO_CLIENT(NVIF_CALL), list);
    for (unsigned type = NVIF_DELETE; type < NVIF_REQUESTS + 2; type++) {
        char name[32];
        snprintf(name, sizeof name, "client request %u", type);
        if (type != NVIF_CALL)
            SHOW(name, TO_CLIENT((uint8_t)type), list);
    }
    struct nvif_header other = TO_CLIENT(NVIF_NOP);
    version = 0;
    other.version = 1;
    SHOW("version 1", other, version);
    other.version = 0;
    other.route = 1;
    SHOW("route 1", other, version);
    other.route = ROUTE_DEVICE;
    SHOW("route 255, NOP", other, version);
    SHOW("route 255, another token",
         ((struct nvif_header){.type = NVIF_CLASSES, .route = ROUTE_DEVICE, .token = 5}), classes);
    SHOW("no object", TO(NVIF_NOP, 99), version);
    show_request("owner 0", (struct nvif_header){.owner = 17}, &version, sizeof version);
    char bytes[16] = {0};
    printf("short: %s\n", result_text(ioctl(node, DRM_NVIF(16), bytes)));
}

static void show_device(void)
{
    struct new_device device = new_device(20);
    struct nvif_classes classes = {.count = 8};
    struct {
        struct nvif_call call;
        struct device_info info;
    } info = {.call = {.method = DEVICE_INFO}};
    struct {
        struct nvif_call call;
        struct device_lists lists;
    } lists = {.call = {.method = DEVICE_INFO}, .lists = {.version = 1, .count = 4}};
    struct {
        struct nvif_call call;
        struct device_time time;
    } times[2] = {{.call = {.method = DEVICE_TIME}}, {.call = {.method = DEVICE_TIME}}};
    struct nvif_access access = {.size = 4, .address = 0};
    show_request("device, no arguments", TO_CLIENT(NVIF_NEW), &device, sizeof device.header);
    device.device.version = 1;
    SHOW("device, version 1", TO_CLIENT(NVIF_NEW), device);
    device.device = (struct device_new){.device = 0x1234};
    SHOW("device, unknown", TO_CLIENT(NVIF_NEW), device);
    device = new_device(20);
    SHOW("device", TO_CLIENT(NVIF_NEW), device);
    SHOW("device again", TO_CLIENT(NVIF_NEW), device);
    SHOW("device in a device", TO(NVIF_NEW, 20), device);
    SHOW("device classes", TO(NVIF_CLASSES, 20), classes);
    SHOW("route 255 classes", TO_DEVICE(NVIF_CLASSES), classes);
    SHOW("device info", TO(NVIF_CALL, 20), info);
    info.info.version = 2;
    SHOW("device info, version 2", TO(NVIF_CALL, 20), info);
    lists.lists.lists[1].what = 1;
    lists.lists.lists[2].what = UINT64_C(1) << 32;
    lists.lists.lists[3].what = 99;
    SHOW("device lists", TO(NVIF_CALL, 20), lists);
    lists.lists.count = 3;
    SHOW("device lists, wrong size", TO(NVIF_CALL, 20), lists);
    for (unsigned i = 0; i < 2; i++) {
        struct nvif_header request = TO(NVIF_CALL, 20);
        printf("device time: %s\n",
               result_text(nvif_send(node, &request, NULL, 0, &times[i], sizeof times[i])));
    }
    printf("device time advances: %d\n", times[1].time.ns > times[0].time.ns);
    memset(&times[0].time, 0, sizeof times[0].time);
    memset(&times[1].time, 0, sizeof times[1].time);
    SHOW("device time, longer", TO(NVIF_CALL, 20), times);
    info.call.method = 2;
    SHOW("device method", TO(NVIF_CALL, 20), info);
    SHOW("device read", TO(NVIF_READ, 20), access);
    SHOW("device write", TO(NVIF_WRITE, 20), access);
    access.size = 3;
    SHOW("device read, 3 bytes", TO(NVIF_READ, 20), access);
    SHOW("device write, 3 bytes", TO(NVIF_WRITE, 20), access);
    SHOW("device map", TO(NVIF_MAP, 20), classes);
    show_request("device unmap", TO(NVIF_UNMAP, 20), NULL, 0);
    SHOW("device notify", TO(NVIF_NOTIFY_NEW, 20), classes);
    show_request("device delete, longer", TO(NVIF_DELETE, 20), &access, sizeof access);
    show_request("device delete", TO(NVIF_DELETE, 20), NULL, 0);
    show_request("device delete again", TO(NVIF_DELETE, 20), NULL, 0);
    SHOW("device of client 0", TO_CLIENT(NVIF_NEW), device);
    show_request("delete the client", TO(NVIF_DELETE, 0), NULL, 0);
    show_request("device delete", TO(NVIF_DELETE, 20), NULL, 0);
    const int32_t others[] = {CLIENT, CONTROL, PERFDOM, 2, 3, 0x3d, 0x506f, 0x5070, 0x9097};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char name[32];
        device = new_device(30 + i);
        device.header.class = others[i];
        snprintf(name, sizeof name, "class %x", (unsigned)others[i]);
        SHOW(name, TO_CLIENT(NVIF_NEW), device);
        device = new_device(50 + i);
        device.header.class = others[i];
        snprintf(name, sizeof name, "device class %x", (unsigned)others[i]);
        show_request(name, TO_DEVICE(NVIF_NEW), &device, sizeof device.header);
    }
}

/* ---- perfmon --------------------------------------------------------------------------------- */

#define PERFMON_OBJECT 1

static void show_domains(void)
{
    struct domain_query query = {0};
    char name[32];
    for (unsigned next = 0; next <= UINT8_MAX; next++) {
        memset(&query, 0xee, sizeof query);
        query.version = 0;
        query.next = (uint8_t)next;
        int result = nvif_method(node, PERFMON_OBJECT, QUERY_DOMAIN, &query, sizeof query);
        snprintf(name, sizeof name, "domain %u", next);
        if (result == 0 || next % 64 == 63)
            show(name, result, &query, sizeof query);
    }
}

static void show_sources(uint8_t domain, uint8_t signal)
{
    struct source_query query = {.domain = domain, .signal = signal};
    char name[48];
    for (unsigned next = 0; next < 10; next++) {
        query.next = (uint8_t)next;
        int result = nvif_method(node, PERFMON_OBJECT, QUERY_SOURCE, &query, sizeof query);
        snprintf(name, sizeof name, "source %u of %u:%02x", next, domain, signal);
        if (result == 0 || next == 9)
            show(name, result, &query, sizeof query);
    }
}

static void show_signals(uint8_t domain)
{
    char name[32];
    for (unsigned next = 0; next <= 300; next++) {
        struct signal_query query = {.domain = domain, .next = (uint16_t)next};
        memset(query.name, 0xee, sizeof query.name);
        int result = nvif_method(node, PERFMON_OBJECT, QUERY_SIGNAL, &query, sizeof query);
        snprintf(name, sizeof name, "signal %u of %u", next, domain);
        if (result == 0 || next == 300)
            show(name, result, &query, sizeof query);
        if (result == 0 && next && query.sources)
            show_sources(domain, query.signal);
    }
}

static void show_perfmon(void)
{
    struct nvif_new new = {.object = PERFMON_OBJECT, .class = PERFMON};
    struct nvif_new second = {.object = 2, .class = PERFMON};
    struct nvif_classes classes = {.count = 8};
    struct {
        struct nvif_call call;
        struct source_query query;
    } long_query = {.call = {.method = QUERY_DOMAIN}};
    struct new_perfdom perfdom = {.header = {.object = 3, .class = PERFDOM}};
    SHOW("perfmon of the client", TO_CLIENT(NVIF_NEW), new);
    SHOW("perfmon", TO_DEVICE(NVIF_NEW), new);
    SHOW("perfmon again", TO_DEVICE(NVIF_NEW), new);
    SHOW("second perfmon", TO_DEVICE(NVIF_NEW), second);
    SHOW("perfmon classes", TO(NVIF_CLASSES, PERFMON_OBJECT), classes);
    SHOW("query, longer", TO(NVIF_CALL, PERFMON_OBJECT), long_query);
    long_query.query.version = 1;
    SHOW("query, version 1", TO(NVIF_CALL, PERFMON_OBJECT), long_query);
    long_query.call.method = 3;
    SHOW("perfmon method", TO(NVIF_CALL, PERFMON_OBJECT), long_query);
    show_domains();
    for (unsigned domain = 0; domain < 12; domain++)
        show_signals((uint8_t)domain);
    show_sources(1, 0x11);
    show_sources(33, 0);
    show_request("perfdom, short", TO(NVIF_NEW, PERFMON_OBJECT), &perfdom, 60);
    SHOW("perfdom", TO(NVIF_NEW, PERFMON_OBJECT), perfdom);
    show_request("perfmon delete", TO(NVIF_DELETE, PERFMON_OBJECT), NULL, 0);
    SHOW("perfmon anew", TO_DEVICE(NVIF_NEW), second);
}

/* Another file cannot use the objects, and has no perfmon while there is one. */
static void show_other_file(void)
{
    int first = node;
    struct nvif_new new = {.object = 7, .class = PERFMON};
    struct nvif_classes classes = {.count = 8};
    node = open(RENDER, O_RDWR | O_CLOEXEC);
    SHOW("other file's perfmon", TO_DEVICE(NVIF_NEW), new);
    SHOW("other file's object", TO(NVIF_CLASSES, 2), classes);
    close(first);
    SHOW("perfmon after a close", TO_DEVICE(NVIF_NEW), new);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    open_node(CARD);
    show_version();
    show_unique("GET_UNIQUE");
    struct drm_set_version version = {1, 4, -1, -1};
    show("SET_VERSION", ioctl(node, DRM_IOCTL_SET_VERSION, &version), &version, sizeof version);
    show_unique("GET_UNIQUE then");
    show_caps();
    sweep(CARD);
    sweep(RENDER);
    open_node(RENDER);
    show_version();
    show_parameters();
    show_channels();
    show_client();
    show_device();
    show_perfmon();
    show_other_file();
    show_buffers();
    return 0;
}
