/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GPU_GPU_H
#define TALLY_INTEL_GPU_GPU_H

/*
 * The whole GPU of <tally/gpu.h>: the parts of oa/, gt/, cs/ and workload/ side by side in one
 * struct, and what connects them. gpu.c makes and resets it, mmio.c says which part an access
 * reaches, world.c is what the command streamer sees, execlists.c its contexts, power.c RC6,
 * faults.c faults on demand, run.c time.
 */

#include <tally/gpu.h>
#include <tally/platform.h>

#include "intel/cs/streamer.h"
#include "intel/gt/forcewake.h"
#include "intel/gt/interrupts.h"
#include "intel/gt/interrupts_flat.h"
#include "intel/gt/pci.h"
#include "intel/gt/power.h"
#include "intel/gt/routing.h"
#include "intel/oa/noa.h"
#include "intel/oa/unit.h"
#include "intel/workload/workload.h"

/* Registers that contexts bring along. Of Gen12 all are OAR's. */

/* Submission ports: what has been written of an element's descriptors. */
struct execlists {
    uint32_t written[4]; /* ELSP: in order of writing; ELSQ: by register */
    uint8_t count;       /* ELSP: how many of them */
};

struct gpu_batch {
    const struct tally_gpu_register *registers; /* the caller's */
    size_t count;
};

/* A context that does not belong there, and the one before it. */
struct gpu_intruder {
    bool runs, before_valid;
    uint32_t id, before;
};

/* The search for loops of commands: see loop.c. */
struct gpu_loop {
    bool off;
    bool marked;              /* nothing since then keeps a loop from being skipped */
    uint32_t steps, patience; /* since then, and after which another state is kept */
    uint64_t at;              /* clock */
    uint64_t accesses[2][TALLY_GPU_OUTCOMES];
    struct streamer streamer;
};

struct tally_gpu {
    /* ---- what it is; a reset changes nothing of it */
    const struct intel_platform *platform;
    const struct reg_index *index; /* of all its registers, shared with other GPUs */
    unsigned eus;
    uint32_t timestamp_hz, full_clock_hz; /* clock: where no workload says another */
    uint32_t rc6_after_clocks, rc6_blind_clocks;
    bool always_awake;

    /* ---- what it is connected to */
    struct tally_gpu_bus bus;
    struct tally_gpu_faults faults;
    struct gpu_batch batches[TALLY_GPU_BATCHES];
    struct tally_workload_cursor cursor; /* .program NULL: no workload */

    /* ---- the parts */
    struct tally_oa *oa;
    uint64_t oa_lag; /* clocks by which the OA unit lags: see gpu_settle() */
    struct gt_forcewake wake;
    struct gt_routing routing;       /* with steering */
    struct gt_interrupts interrupts; /* a tree of them */
    struct gt_flat flat;             /* or else */
    struct gt_pci pci;               /* if it is modelled */
    struct gt_power power;
    struct noa noa;
    struct streamer streamer;
    struct execlists execlists;

    /* ---- time */
    uint32_t clock_hz;
    uint64_t ns, ns_phase; /* and billionths of a nanosecond times the clock: below clock_hz */

    /* ---- the command streamer */
    uint32_t wait;       /* clocks until its next step */
    uint64_t busy_until; /* the end of the work that it has begun */
    bool waits_for_work; /* its latest step has to wait for work that is in progress */
    uint32_t space;      /* of the report that it is writing; see write_report() of world.c */
    bool reports;        /* it is writing one */
    bool loaded;         /* it has loaded a context, which it has not left */
    struct gpu_loop loop;

    /* ---- power */
    bool in_rc6;
    uint64_t rc6_ns;  /* spent there */
    uint64_t busy_ns; /* in which the engine had work */
    uint64_t awake_clocks;
    uint32_t blind_left;   /* clocks until clocks stop */
    uint32_t ticks;        /* GPU_TICKS, which RC6 stops at once */
    uint64_t quiet_clocks; /* since anything kept it from RC6 */
    bool held;             /* what works keeps its domains awake */
    bool context_lost;     /* OACTXCONTROL is, until a context is loaded; not from Gen12 on */
    uint32_t own_control;  /* which of the workload's contexts brings this one */

    struct gpu_intruder intruder;

    /* ---- accesses, see access.c: [write][outcome] */
    uint64_t accesses[2][TALLY_GPU_OUTCOMES];
    void (*listener)(void *context, const struct tally_gpu_access *access); /* or NULL */
    void *listener_context;

    /* ---- what listeners know */
    bool line;
    uint32_t events[2]; /* of the scheduler's vectors */
    uint32_t function_resets;
};

static inline bool has_steering(const struct tally_gpu *gpu)
{
    return gpu->platform->steering;
}

static inline bool has_interrupt_tree(const struct tally_gpu *gpu)
{
    return gpu->platform->interrupts == INTERRUPTS_TREE;
}

/* EU_PERF_CNT_CTL0 to 6, of which each subslice has its own. */
static inline bool is_flexible(uint32_t address)
{
    return address >= EU_PERF_CNT_CTL0 && address <= EU_PERF_CNT_CTL3 + 4;
}

static inline bool has_execlists(const struct tally_gpu *gpu)
{
    return intel_has_execlists(gpu->platform);
}

/* ---- mmio.c ---------------------------------------------------------------------------------- */

/* Accesses as an agent makes them, through routing and wake. */
uint32_t gpu_read32(struct tally_gpu *gpu, enum gt_agent agent, uint32_t address);
void gpu_write32(struct tally_gpu *gpu, enum gt_agent agent, uint32_t address, uint32_t value);

/* access.c: calls the listener, which there is. */
void gpu_report_access(const struct tally_gpu *gpu, enum tally_gpu_agent agent, bool write,
                       uint32_t address, uint32_t value, enum tally_gpu_access_outcome outcome);

/* Every access is counted, and reported to a listener. */
static inline void gpu_count_access(struct tally_gpu *gpu, enum tally_gpu_agent agent, bool write,
                                    uint32_t address, uint32_t value,
                                    enum tally_gpu_access_outcome outcome)
{
    gpu->accesses[write][outcome]++;
    if (gpu->listener)
        gpu_report_access(gpu, agent, write, address, value, outcome);
}

/* An access of a command that needs no routing: to a register of the streamer itself, or a write
 * that is denied. */
void gpu_count_own_access(struct tally_gpu *gpu, bool write, uint32_t address, uint32_t value,
                          bool denied);

/* NOA bits that carry the render clock (noa_clock of the OA variant) are 1, unless the workload
 * says what they are. */
void gpu_drive_clock(struct tally_gpu *gpu);

/* An event of the render engine, or of the OA unit. */
void gpu_raise(struct tally_gpu *gpu, enum gt_flat_source source);

/* Notifies the listeners of interrupts of changes. */
void gpu_notify(struct tally_gpu *gpu);

/* ---- world.c, execlists.c -------------------------------------------------------------------- */

/* Memory on the bus; false: there is none. */
bool gpu_read_memory(const struct tally_gpu *gpu, uint32_t space, uint64_t address, uint32_t *out);
bool gpu_write_memory(const struct tally_gpu *gpu, uint32_t space, uint64_t address,
                      uint32_t value);

/* What the OA unit reaches. */
void gpu_connect_oa(struct tally_gpu *gpu);

/* One command. What it takes is in `wait`; 0: there is nothing to do. */
void gpu_step_streamer(struct tally_gpu *gpu);

/* Submission ports: is there one at the address? Their handlers take a struct tally_gpu. */
bool execlists_own(const struct tally_gpu *gpu, uint32_t address);
extern const struct reg_block execlists_block;

/* A context's registers come from its image, and go back to it. */
void execlists_load(struct tally_gpu *gpu, uint32_t space);
void execlists_save(struct tally_gpu *gpu, uint32_t space, uint32_t head);

/* ---- loop.c ---------------------------------------------------------------------------------- */

/* Call before a command is executed. Returns how many of the next `clocks` pass in whole turns of a
 * loop, which then need not be executed. */
uint64_t gpu_loop_clocks(struct tally_gpu *gpu, uint64_t clocks);

/* Something happened that the streamer's state does not show. */
static inline void gpu_loop_break(struct tally_gpu *gpu)
{
    gpu->loop.marked = false;
}

/* ---- power.c --------------------------------------------------------------------------------- */

/* Call after anything that can request power has changed: leaves RC6 if power is requested. */
void power_follow(struct tally_gpu *gpu);

/* Enters RC6 unconditionally. */
void power_enter(struct tally_gpu *gpu);

/* Clocks until power does something by itself; UINT64_MAX: never. */
uint64_t power_horizon(const struct tally_gpu *gpu);

/* Lets clocks pass, at most up to the horizon, for power and, if it is awake, the OA unit. */
void power_pass(struct tally_gpu *gpu, uint64_t clocks);

/* Runs a workaround batch. */
void power_run_batch(struct tally_gpu *gpu, enum tally_gpu_batch batch);

/* ---- run.c ----------------------------------------------------------------------------------- */

/*
 * Commands take few clocks each. While the OA unit is off its state is not visible, so it lags
 * behind and catches up in one step: gpu_settle() is called before its state is read or changed,
 * and at the end of a run.
 */
void gpu_pass_oa(struct tally_gpu *gpu, uint64_t clocks);
void gpu_settle(struct tally_gpu *gpu);

/* Clocks since the GPU was created, including the lag of the OA unit. */
uint64_t gpu_now(const struct tally_gpu *gpu);

/* The workload's present phase is not idle. */
bool gpu_own_work(const struct tally_gpu *gpu);

/* The workload's context, or none, is what runs: the command streamer runs nothing. */
void gpu_own_context(struct tally_gpu *gpu);

/* The render clock has another frequency. */
void gpu_set_clock(struct tally_gpu *gpu, uint32_t clock_hz);

#endif
