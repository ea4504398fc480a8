/* SPDX-License-Identifier: MIT */
#ifndef TALLY_TESTS_VM_CLIENT_H
#define TALLY_TESTS_VM_CLIENT_H

/*
 * A client of the i915 driver for guests: batches of a few commands, submitted to each engine. It
 * uses the kernel's interface only, and nothing of Tally. A check that fails prints a line "failed
 * ..." and is counted; what makes further checks impossible ends the program.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <i915_drm.h>

#define ENGINES     8
#define BATCH_BYTES 0x20000u

struct engine {
    uint16_t engine_class, instance;
    char name[8]; /* as in sysfs */
};

struct gpu {
    int fd;
    unsigned generation; /* 7 (Haswell), 8, 9, 11 or 12 */
    unsigned engine_count;
    struct engine engines[ENGINES];
};

struct object {
    uint32_t handle;
    uint32_t bytes;
    volatile uint32_t *map;
};

/* A batch under construction, with one other object that it may access. */
struct batch {
    struct object object;
    struct object *target;
    unsigned count; /* dwords */
    unsigned relocation_count;
    struct drm_i915_gem_relocation_entry relocations[64];
};

/* ---- results ---- */

/* Counts a failure and prints it, unless `holds`. */
void check(bool holds, const char *format, ...) __attribute__((format(printf, 2, 3)));
unsigned failures(void);
__attribute__((noreturn)) void stop(const char *what);

/* ---- the device ---- */

/* Opens the device once more: another client. */
void gpu_open(struct gpu *gpu);
void gpu_close(struct gpu *gpu);

/* Returns a parameter of the driver. */
int gpu_parameter(const struct gpu *gpu, int parameter);

/* Makes a call, again when interrupted. Returns 0 or -errno. */
int gpu_call(const struct gpu *gpu, unsigned long request, void *args);

/* Creates a context whose engine map is the GPU's list of engines; `persistent`: its requests
 * outlive it. */
uint32_t context_create(const struct gpu *gpu, bool persistent);
void context_destroy(const struct gpu *gpu, uint32_t context);
struct drm_i915_reset_stats context_stats(const struct gpu *gpu, uint32_t context);

/* Returns a number of a file of an engine in sysfs; writes one. */
unsigned engine_setting(const struct engine *engine, const char *name);
void engine_set(const struct engine *engine, const char *name, unsigned value);

/* Returns the sum of the reset counts of debugfs, of one engine, or (NULL) of the whole GPU. */
unsigned reset_count(const struct engine *engine);

/* ---- memory and batches ---- */

void object_create(const struct gpu *gpu, struct object *object, uint32_t bytes);
void object_free(const struct gpu *gpu, struct object *object);

/* Begins a batch whose commands access the target. */
void batch_begin(const struct gpu *gpu, struct batch *batch, struct object *target);
void batch_free(const struct gpu *gpu, struct batch *batch);

/* Add dwords; an address in the target, or (`own`) in the batch itself. */
void batch_add(struct batch *batch, uint32_t dword);
void batch_address(const struct gpu *gpu, struct batch *batch, bool own, uint32_t offset);

/* Add commands. */
void batch_store(const struct gpu *gpu, struct batch *batch, uint32_t offset, uint32_t value);
void batch_report(const struct gpu *gpu, struct batch *batch, uint32_t offset, uint32_t id);
void batch_jump(const struct gpu *gpu, struct batch *batch, unsigned dword);
void batch_wait(const struct gpu *gpu, struct batch *batch, uint32_t offset, uint32_t value);
void batch_end(struct batch *batch);

/* Submits a batch, which has ended, to the engine with an index. fence_in is -1 or a sync file,
 * which stays open. Returns a new sync file, or -errno. */
int batch_submit(const struct gpu *gpu, struct batch *batch, uint32_t context, unsigned engine,
                 int fence_in);

/* Waits for a sync file, for at most ten seconds, and closes it. Returns its status: 1 is success,
 * a negative one the request's error; 0 if the time is over. */
int fence_wait(int fence);

/* ---- parts of the test ---- */

void test_requests(struct gpu *gpu);
void test_hangs(struct gpu *gpu);
void test_hang(struct gpu *gpu); /* one, on the first engine */
void test_reports(struct gpu *gpu);
void test_recorded(struct gpu *gpu);

#endif
