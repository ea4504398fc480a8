/* SPDX-License-Identifier: MIT */
#ifndef TALLY_EMULATION_EMULATION_H
#define TALLY_EMULATION_EMULATION_H

/*
 * An emulated GPU: a modelled GPU of <tally/gpu.h>, a workload that keeps it busy, a driver on it
 * (that of the i915 interface, or the one that only uses registers), faults, and a clock; or an
 * NVIDIA GPU of nvidia/gpu/ with that of the nouveau interface. Used by
 * tally record, tally emulate, the benchmarks and the tests.
 *
 *     emulation_new(&settings, &emulation, &error);
 *     i915_file_open(emulation->device, false, &file);    // open("/dev/dri/card0")
 *     i915_ioctl(file, request, pointer, &caller);        // ioctl(fd, request, pointer)
 *     emulation_run_ns(emulation, 5000000);               // time
 *     emulation_free(emulation);
 *
 * hardware.c connects the i915 driver and the GPU, hardware_mmio.c the one that only uses
 * registers, nvidia/nouveau.c nouveau, copy.c draws for
 * batches, blit.c fills and copies, clock.c lets time pass, faults/ injects faults. Thread rule:
 * one thread at a time.
 */

#include <tally/gpu.h>
#include <tally/platform.h>
#include <tally/workload.h>

#include "driver/i915/i915.h"
#include "driver/mmio/mmio.h"
#include "driver/nouveau/nouveau.h"
#include "emulation/copy.h"
#include "intel/gpu/trace.h"

struct emulation;
struct nvidia_model; /* nvidia/nouveau.c */
struct faults;
struct faults_script;

enum emulation_clock {
    EMULATION_FREE, /* GPU time passes in emulation_run_ns() and while the driver sleeps; the same
                       calls give the same bytes */
    EMULATION_WALL, /* GPU time follows CLOCK_MONOTONIC; the driver sleeps by it */
};

/* How an emulated device uses one of the drivers. */
struct emulation_driver {
    /* Makes the driver and connects it to the GPU. */
    int (*connect)(struct emulation *emulation, const struct i915_settings *settings,
                   struct tally_error *error);
    void (*disconnect)(struct emulation *emulation);

    /* The driver's timers, by the GPU's time. */
    uint64_t (*next_ns)(const struct emulation *emulation);
    void (*tick)(struct emulation *emulation);

    /* A write to memory as the GPU does it. False: not mapped. */
    bool (*write)(struct emulation *emulation, uint32_t space, uint64_t address, const void *data,
                  size_t bytes);
};
extern const struct emulation_driver emulation_i915; /* hardware.c */
extern const struct emulation_driver emulation_mmio; /* hardware_mmio.c */

/* The modelled GPU, of whatever vendor. */
struct emulation_model {
    uint64_t (*now_ns)(const struct emulation *emulation);
    void (*run_ns)(struct emulation *emulation, uint64_t ns);
    void (*free)(struct emulation *emulation);
    uint32_t (*pci_read)(const struct emulation *emulation, unsigned offset, unsigned bytes);
    void (*pci_write)(struct emulation *emulation, unsigned offset, unsigned bytes, uint32_t value);
    struct tally_gpu_mmio_stats (*mmio_stats)(const struct emulation *emulation);
    uint64_t (*bar_read)(struct emulation *emulation, uint32_t offset, unsigned bytes);
    void (*bar_write)(struct emulation *emulation, uint32_t offset, unsigned bytes, uint64_t value);
};
extern const struct emulation_model emulation_nvidia_model;

/* Idle clocks after which a GPU with a driver enters RC6, and those whose counts that loses. */
#define EMULATION_RC6_AFTER_CLOCKS 200000
#define EMULATION_RC6_BLIND_CLOCKS 100

struct emulation_settings {
    struct tally_gpu_config
        gpu; /* its platform may be a chipset of NVIDIA; the rest is for Intel */
    const struct emulation_driver *interface; /* NULL: emulation_i915; not for NVIDIA */
    void *owner;                              /* what `interface` is for, if it is another */
    struct i915_settings driver; /* of emulation_i915; platform, topology and timestamp are taken
                                    from the GPU */
    const char *workload;        /* name or file for tally_workload_load(); NULL: idle */
    const char *cost;            /* file for tally_cost_load(); NULL: the built-in costs */
    const struct faults_script *faults; /* must outlive the device; NULL: none */
    enum emulation_clock clock;
    uint64_t max_lag_ns; /* EMULATION_WALL: maximum lag; beyond it the GPU clock pauses instead of
                            catching up; 0: no limit */
    uint64_t max_run_ns; /* EMULATION_WALL: time that catching up takes at most, if the model is
                            slower than the clock; the lag is then not 0. 0: no limit */

    FILE *mmio; /* trace with a line for each register access (regs/trace.h); NULL: none */

    /* Called for each activity of the workload that no counter of the platform counts. May be NULL.
     */
    tally_workload_found *note;
    void *closure;
};

struct emulation {
    struct tally_gpu *gpu;          /* NULL: an NVIDIA GPU */
    struct i915_device *device;     /* of emulation_i915, else NULL */
    struct mmio_device *mmio;       /* of emulation_mmio, else NULL */
    struct nouveau_device *nouveau; /* of an NVIDIA GPU, else NULL */
    struct nvidia_model *nvidia;    /* NULL: one of Intel's */
    const struct emulation_model *model;
    const struct tally_platform *platform; /* NULL for NVIDIA */
    const struct tally_sku *sku;
    struct faults *faults; /* or NULL */

    /* The rest is private to src/emulation, except the hooks at the end. */
    struct gpu_trace trace;
    struct tally_workload *workload;
    struct tally_workload_program *program;
    struct tally_cost *cost; /* or NULL */
    const struct emulation_driver *driver;
    void *owner;                   /* as in the settings */
    struct i915_hardware hardware; /* of emulation_i915 */
    struct tally_gpu_bus bus;      /* set by emulation_set_bus() */
    struct emulation_copy copy;

    enum emulation_clock clock;
    uint64_t origin_ns;            /* value of the clock when the GPU's time was 0 */
    uint64_t max_lag_ns;           /* UINT64_MAX: no limit */
    uint64_t max_run_ns;           /* 0: no limit */
    uint64_t stops;                /* faults at which the command streamer stopped */
    struct tally_error first_stop; /* the first one's message */
    uint64_t paused_ns;            /* EMULATION_WALL: total time that the GPU's clock has paused */

    /* Replaces the driver's sleep, as driver_io.sleep_ns. NULL: sleep by the clock. */
    int (*sleep_ns)(void *closure, uint64_t ns, bool interruptible);
    void *sleep_closure;

    /* Actions at times of the GPU's clock, used by faults: next_ns() returns when the next one is
     * due (UINT64_MAX: never), act() performs the due ones. NULL: none. */
    uint64_t (*next_ns)(void *closure);
    void (*act)(void *closure);
    void *act_closure;
};

/*
 * Makes an emulated GPU. Returns 0; -EINVAL: a setting is out of range, a fault names an unknown
 * counter, or the platform does not support the workload; errors of tally_workload_load() and
 * tally_cost_load(); -ENOMEM. The caller owns *out.
 */
int emulation_new(const struct emulation_settings *settings, struct emulation **out,
                  struct tally_error *error);

/* Frees an emulated GPU, with the driver's files and streams; accepts NULL. */
void emulation_free(struct emulation *emulation);

/* Returns the name of the index-th platform that has a model, NULL past the end; `perf`: only of
 * those with i915 perf. */
const char *emulation_platform(size_t index, bool perf);

/* ---- time (clock.c) -------------------------------------------------------------------------- */

/* Returns CLOCK_MONOTONIC as clients see it. */
uint64_t emulation_now_ns(const struct emulation *emulation);

/* Returns for how long the GPU does nothing that a client could wait for; 0: not known. */
uint64_t emulation_quiet_ns(const struct emulation *emulation);

/* Returns the time of the driver's next timer, by emulation_now_ns(); UINT64_MAX: none. */
uint64_t emulation_next_ns(const struct emulation *emulation);

/* Lets GPU time pass, and runs the driver's timers. */
void emulation_run_ns(struct emulation *emulation, uint64_t ns);

/* EMULATION_WALL: returns by how much GPU time is behind the wall clock; 0 for EMULATION_FREE. */
uint64_t emulation_lag_ns(const struct emulation *emulation);

/* EMULATION_WALL: runs the GPU until the lag is 0, or for max_run_ns; a lag beyond max_lag_ns
 * becomes a pause. */
void emulation_catch_up(struct emulation *emulation);

/* EMULATION_WALL: sets the lag to 0, so that the time since emulation_new() does not count. */
void emulation_start_clock(struct emulation *emulation);

/* ---- parts ----------------------------------------------------------------------------------- */

/* hardware.c: connects the GPU to memory, with `context` the emulation, so that copies and blits
 * are executed there; notes a fault of a command streamer; and registers and time for a driver. */
void emulation_set_bus(struct emulation *emulation, const struct tally_gpu_bus *bus);
void emulation_hear_fault(void *emulation, const struct tally_error *error);
uint32_t emulation_read32(void *emulation, uint32_t address);
void emulation_write32(void *emulation, uint32_t address, uint32_t value);
uint64_t emulation_gpu_ns(void *emulation);

/* The configuration space of the GPU's PCI device; bytes: 1, 2 or 4. */
uint32_t emulation_pci_read(const struct emulation *emulation, unsigned offset, unsigned bytes);
void emulation_pci_write(struct emulation *emulation, unsigned offset, unsigned bytes,
                         uint32_t value);

/* Access BAR 0, the registers, as the CPU does; bytes: 1, 2, 4 or 8. Where nothing decodes an
 * access, all ones are read, and a write is ignored. */
uint64_t emulation_bar_read(struct emulation *emulation, uint32_t offset, unsigned bytes);
void emulation_bar_write(struct emulation *emulation, uint32_t offset, unsigned bytes,
                         uint64_t value);

/* Returns the accesses that the model does not have, or that had no effect. */
struct tally_gpu_mmio_stats emulation_mmio_stats(const struct emulation *emulation);

/* nvidia/nouveau.c: builds the GPU of a chipset. */
int emulation_nvidia_build(struct emulation *emulation, const struct emulation_settings *settings,
                           const struct tally_chipset *chipset, struct tally_error *error);

/* clock.c: the sleep of driver_io, and the one without `sleep_ns`, for the hook to call. */
void emulation_sleep_by_clock(struct emulation *emulation, uint64_t ns);
int emulation_sleep_ns(void *emulation, uint64_t ns, bool interruptible);

#endif
