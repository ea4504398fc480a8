/* SPDX-License-Identifier: MIT */
/* The i915 driver's calls, and batches: see client.h. */
#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define NODE    "/dev/dri/renderD128"
#define SYSFS   "/sys/class/drm/card0/engine"
#define DEBUGFS "/sys/kernel/debug/dri/0/i915_engine_info"

#define FENCE_MS 10000

/* Commands, from Intel's reference manuals. */
#define MI_ARB_CHECK          0x02800000u
#define MI_BATCH_BUFFER_END   0x05000000u
#define MI_SEMAPHORE_WAIT     0x0e008000u /* polls */
#define MI_SEMAPHORE_EQUAL    0x00004000u
#define MI_STORE_DATA_IMM     0x10000002u
#define MI_REPORT_PERF_COUNT  0x14000000u
#define MI_BATCH_BUFFER_START 0x18800100u /* in the PPGTT */
#define HSW_NON_PRIVILEGED    0x00002000u

static unsigned failed;

void check(bool holds, const char *format, ...)
{
    va_list args;
    if (holds)
        return;
    failed++;
    printf("failed ");
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
    fflush(stdout);
}

unsigned failures(void)
{
    return failed;
}

void stop(const char *what)
{
    printf("failed %s: %s\n", what, strerror(errno));
    exit(2);
}

/* ---- the device ---- */

int gpu_call(const struct gpu *gpu, unsigned long request, void *args)
{
    int result;
    do
        result = ioctl(gpu->fd, request, args);
    while (result < 0 && (errno == EINTR || errno == EAGAIN));
    return result < 0 ? -errno : 0;
}

static void must_call(const struct gpu *gpu, unsigned long request, void *args, const char *what)
{
    if (gpu_call(gpu, request, args) < 0)
        stop(what);
}

/* The products of tally list skus, by the upper bits of their PCI ids. */
static unsigned generation_of(unsigned device)
{
    static const struct {
        uint16_t id, generation;
    } rows[] = {{0x0400, 7}, {0x0a00, 7},  {0x0c00, 7},  {0x0d00, 7}, {0x1600, 8},
                {0x1900, 9}, {0x8a00, 11}, {0x9800, 11}, {0x9a00, 12}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].id == (device & 0xff00))
            return rows[i].generation;
    stop("the device's generation");
}

static void list_engines(struct gpu *gpu)
{
    static const char *const classes[] = {"rcs", "bcs", "vcs", "vecs"};
    uint64_t buffer[512] = {0};
    struct drm_i915_query_item item = {.query_id = DRM_I915_QUERY_ENGINE_INFO,
                                       .length = sizeof buffer,
                                       .data_ptr = (uintptr_t)buffer};
    struct drm_i915_query query = {.num_items = 1, .items_ptr = (uintptr_t)&item};
    must_call(gpu, DRM_IOCTL_I915_QUERY, &query, "DRM_IOCTL_I915_QUERY");
    const struct drm_i915_query_engine_info *info = (const void *)buffer;
    if (item.length < 0 || info->num_engines > ENGINES || !info->num_engines)
        stop("DRM_I915_QUERY_ENGINE_INFO");
    for (unsigned i = 0; i < info->num_engines; i++) {
        struct engine *engine = &gpu->engines[i];
        engine->engine_class = info->engines[i].engine.engine_class;
        engine->instance = info->engines[i].engine.engine_instance;
        snprintf(engine->name, sizeof engine->name, "%s%u", classes[engine->engine_class & 3],
                 engine->instance % 10u);
    }
    gpu->engine_count = info->num_engines;
}

int gpu_parameter(const struct gpu *gpu, int parameter)
{
    int value = 0;
    struct drm_i915_getparam args = {.param = parameter, .value = &value};
    must_call(gpu, DRM_IOCTL_I915_GETPARAM, &args, "DRM_IOCTL_I915_GETPARAM");
    return value;
}

void gpu_open(struct gpu *gpu)
{
    *gpu = (struct gpu){.fd = open(NODE, O_RDWR | O_CLOEXEC)};
    if (gpu->fd < 0)
        stop(NODE);
    gpu->generation = generation_of((unsigned)gpu_parameter(gpu, I915_PARAM_CHIPSET_ID));
    list_engines(gpu);
}

void gpu_close(struct gpu *gpu)
{
    close(gpu->fd);
    gpu->fd = -1;
}

uint32_t context_create(const struct gpu *gpu, bool persistent)
{
    struct drm_i915_gem_context_create create = {0};
    struct {
        uint64_t extensions;
        struct i915_engine_class_instance engines[ENGINES];
    } map = {0};
    for (unsigned i = 0; i < gpu->engine_count; i++)
        map.engines[i] = (struct i915_engine_class_instance){gpu->engines[i].engine_class,
                                                             gpu->engines[i].instance};
    must_call(gpu, DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &create, "DRM_IOCTL_I915_GEM_CONTEXT_CREATE");
    struct drm_i915_gem_context_param param = {
        .ctx_id = create.ctx_id,
        .param = I915_CONTEXT_PARAM_ENGINES,
        .size = (uint32_t)(sizeof map.extensions + gpu->engine_count * sizeof *map.engines),
        .value = (uintptr_t)&map};
    must_call(gpu, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &param, "I915_CONTEXT_PARAM_ENGINES");
    if (!persistent) {
        param = (struct drm_i915_gem_context_param){.ctx_id = create.ctx_id,
                                                    .param = I915_CONTEXT_PARAM_PERSISTENCE};
        must_call(gpu, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &param,
                  "I915_CONTEXT_PARAM_PERSISTENCE");
    }
    return create.ctx_id;
}

void context_destroy(const struct gpu *gpu, uint32_t context)
{
    struct drm_i915_gem_context_destroy args = {.ctx_id = context};
    must_call(gpu, DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &args, "DRM_IOCTL_I915_GEM_CONTEXT_DESTROY");
}

struct drm_i915_reset_stats context_stats(const struct gpu *gpu, uint32_t context)
{
    struct drm_i915_reset_stats stats = {.ctx_id = context};
    must_call(gpu, DRM_IOCTL_I915_GET_RESET_STATS, &stats, "DRM_IOCTL_I915_GET_RESET_STATS");
    return stats;
}

static FILE *open_setting(const struct engine *engine, const char *name, const char *mode)
{
    char path[128];
    snprintf(path, sizeof path, SYSFS "/%s/%s", engine->name, name);
    FILE *file = fopen(path, mode);
    if (!file)
        stop(path);
    return file;
}

unsigned engine_setting(const struct engine *engine, const char *name)
{
    unsigned value;
    FILE *file = open_setting(engine, name, "r");
    if (fscanf(file, "%u", &value) != 1)
        stop(name);
    fclose(file);
    return value;
}

void engine_set(const struct engine *engine, const char *name, unsigned value)
{
    FILE *file = open_setting(engine, name, "w");
    if (fprintf(file, "%u", value) < 0 || fclose(file))
        stop(name);
}

unsigned reset_count(const struct engine *engine)
{
    char line[256];
    bool mine = false, found = false;
    unsigned own = 0, all = 0;
    FILE *file = fopen(DEBUGFS, "r");
    if (!file)
        stop(DEBUGFS);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '\t' && line[0] != ' ') /* rcs0 (submission: execlists) */
            mine = !engine || !strncmp(line, engine->name, strcspn(line, " "));
        else if (mine && sscanf(line, "%*[ \t]Reset count: %u (global %u)", &own, &all) == 2)
            found = true;
    }
    fclose(file);
    if (!found) {
        errno = ENODATA;
        stop(DEBUGFS);
    }
    return engine ? own : all;
}

/* ---- memory ---- */

void object_create(const struct gpu *gpu, struct object *object, uint32_t bytes)
{
    struct drm_i915_gem_create create = {.size = bytes};
    must_call(gpu, DRM_IOCTL_I915_GEM_CREATE, &create, "DRM_IOCTL_I915_GEM_CREATE");
    struct drm_i915_gem_mmap map = {.handle = create.handle, .size = bytes};
    must_call(gpu, DRM_IOCTL_I915_GEM_MMAP, &map, "DRM_IOCTL_I915_GEM_MMAP");
    *object = (struct object){.handle = create.handle,
                              .bytes = bytes,
                              .map = (volatile uint32_t *)(uintptr_t)map.addr_ptr};
}

void object_free(const struct gpu *gpu, struct object *object)
{
    struct drm_gem_close args = {.handle = object->handle};
    munmap((void *)(uintptr_t)object->map, object->bytes);
    must_call(gpu, DRM_IOCTL_GEM_CLOSE, &args, "DRM_IOCTL_GEM_CLOSE");
}

/* ---- batches ---- */

void batch_begin(const struct gpu *gpu, struct batch *batch, struct object *target)
{
    *batch = (struct batch){.target = target};
    object_create(gpu, &batch->object, BATCH_BYTES);
}

void batch_free(const struct gpu *gpu, struct batch *batch)
{
    object_free(gpu, &batch->object);
}

void batch_add(struct batch *batch, uint32_t dword)
{
    if (batch->count == BATCH_BYTES / 4)
        stop("a batch that is too long");
    batch->object.map[batch->count++] = dword;
}

void batch_address(const struct gpu *gpu, struct batch *batch, bool own, uint32_t offset)
{
    if (batch->relocation_count == sizeof batch->relocations / sizeof *batch->relocations)
        stop("too many addresses in a batch");
    batch->relocations[batch->relocation_count++] = (struct drm_i915_gem_relocation_entry){
        .target_handle = own ? batch->object.handle : batch->target->handle,
        .delta = offset,
        .offset = 4ull * batch->count,
        .presumed_offset = UINT64_MAX,
        .read_domains = own ? I915_GEM_DOMAIN_COMMAND : I915_GEM_DOMAIN_INSTRUCTION,
        .write_domain = own ? 0 : I915_GEM_DOMAIN_INSTRUCTION,
    };
    batch_add(batch, 0);
    if (gpu->generation >= 8)
        batch_add(batch, 0);
}

void batch_store(const struct gpu *gpu, struct batch *batch, uint32_t offset, uint32_t value)
{
    batch_add(batch, MI_STORE_DATA_IMM);
    if (gpu->generation < 8)
        batch_add(batch, 0);
    batch_address(gpu, batch, false, offset);
    batch_add(batch, value);
}

void batch_report(const struct gpu *gpu, struct batch *batch, uint32_t offset, uint32_t id)
{
    batch_add(batch, MI_REPORT_PERF_COUNT | (gpu->generation < 8 ? 1 : 2));
    batch_address(gpu, batch, false, offset);
    batch_add(batch, id);
}

void batch_jump(const struct gpu *gpu, struct batch *batch, unsigned dword)
{
    batch_add(batch, MI_BATCH_BUFFER_START | (gpu->generation < 8 ? HSW_NON_PRIVILEGED : 1));
    batch_address(gpu, batch, true, 4 * dword);
}

void batch_wait(const struct gpu *gpu, struct batch *batch, uint32_t offset, uint32_t value)
{
    batch_add(batch, MI_SEMAPHORE_WAIT | MI_SEMAPHORE_EQUAL | (gpu->generation < 12 ? 2 : 3));
    batch_add(batch, value);
    batch_address(gpu, batch, false, offset);
    if (gpu->generation >= 12)
        batch_add(batch, 0);
}

void batch_end(struct batch *batch)
{
    batch_add(batch, MI_BATCH_BUFFER_END);
}

int batch_submit(const struct gpu *gpu, struct batch *batch, uint32_t context, unsigned engine,
                 int fence_in)
{
    struct drm_i915_gem_exec_object2 objects[] = {
        {.handle = batch->target->handle, .flags = EXEC_OBJECT_ASYNC | EXEC_OBJECT_WRITE},
        {.handle = batch->object.handle,
         .flags = EXEC_OBJECT_ASYNC,
         .relocation_count = batch->relocation_count,
         .relocs_ptr = (uintptr_t)batch->relocations},
    };
    struct drm_i915_gem_execbuffer2 args = {
        .buffers_ptr = (uintptr_t)objects,
        .buffer_count = 2,
        .flags = engine | I915_EXEC_FENCE_OUT | (fence_in < 0 ? 0 : I915_EXEC_FENCE_IN),
        .rsvd1 = context,
        .rsvd2 = fence_in < 0 ? 0 : (uint32_t)fence_in,
    };
    int result = gpu_call(gpu, DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, &args);
    return result < 0 ? result : (int)(args.rsvd2 >> 32);
}

int fence_wait(int fence)
{
    struct pollfd poller = {.fd = fence, .events = POLLIN};
    struct sync_file_info info = {0};
    if (poll(&poller, 1, FENCE_MS) < 0 || ioctl(fence, SYNC_IOC_FILE_INFO, &info) < 0)
        stop("a fence");
    close(fence);
    return info.status;
}
