/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GPU_GPU_H
#define TALLY_INTEL_GPU_GPU_H

/*
 * The GPU of <tally/gpu.h>: one struct with the models of oa/, gt/, cs/ and workload/. gpu.c
 * creates and resets it, mmio.c dispatches register accesses, engines.c has the engines,
 * work.c what commands count, callbacks.c connects their command streamers and the OA unit,
 * execlists.c switches contexts, image.c loads and saves them, status.c reports the switches,
 * reset.c has the reset register, loop.c skips loops of commands, power.c implements RC6 and power
 * wells, rc6.c decides when they power down, rps.c has the frequency and the evaluation of load,
 * gating.c clock gating, pci.c the PCI device, faults.c injects faults, run.c advances time.
 */

#include <tally/gpu.h>
#include <tally/platform.h>

#include "intel/gpu/engines.h"
#include "intel/gpu/loop.h"
#include "intel/gpu/rc6.h"
#include "intel/gpu/rps.h"
#include "intel/gpu/work.h"
#include "intel/gt/fuses.h"
#include "intel/gt/host.h"
#include "intel/gt/pci.h"
#include "intel/gt/power.h"
#include "intel/gt/routing.h"
#include "intel/gt/sideband.h"
#include "intel/gt/steering.h"
#include "intel/gt/units.h"
#include "intel/oa/noa.h"
#include "intel/oa/unit.h"
#include "intel/topology.h"
#include "intel/workload/workload.h"

struct gpu_batch {
    const struct tally_gpu_register *registers; /* owned by the caller */
    size_t count;
};

/* A foreign context that a fault switched to, and the context before it. */
struct gpu_intruder {
    bool active, previous_valid;
    uint32_t id, previous;
};

/* Why the GT has no power regardless of requests for it. */
enum gpu_powerless { GPU_WAKE_LOST = 1, GPU_IN_D3 = 2 };

struct tally_gpu {
    /* ---- properties, which a reset does not change */
    const struct intel_sku *sku;
    const struct cs_engine *missing; /* that the product lacks, although `index` has it; or NULL */
    const struct intel_platform *platform;
    const struct reg_index *index; /* index of all registers, shared with other GPUs */
    struct intel_topology topology;
    unsigned eus;
    uint32_t timestamp_hz, full_clock_hz; /* full_clock_hz: render clock without a workload */
    uint32_t rc6_after_clocks, rc6_blind_clocks;
    bool always_awake;
    bool clock_gating; /* clocks are gated unless software disables it: gating.c */
    uint8_t wells;     /* mask of the wells other than the GT's: 1 << enum gt_well */
    uint8_t oa_well;   /* enum gt_well: of the OA unit's counters */

    /* ---- connections */
    struct tally_gpu_bus bus;
    struct tally_gpu_faults faults;
    struct gpu_batch batches[TALLY_GPU_BATCHES];
    struct tally_workload_cursor cursor; /* .program NULL: no workload */

    /* ---- parts */
    struct tally_oa *oa;
    uint64_t oa_lag;   /* clocks that the OA unit lags behind: see gpu_settle() */
    uint64_t oa_quiet; /* clocks that it may lag: it writes nothing during them */
    struct gt_forcewake wake;
    struct gt_routing routing;       /* if has_steering() */
    struct gt_steering steering;     /* else */
    struct gt_interrupts interrupts; /* if has_interrupt_tree() */
    struct gt_flat flat;             /* else */
    struct gt_pci pci;
    uint32_t io_index; /* of the index and data ports of IOBAR */
    struct gt_power power;
    struct noa noa;
    struct gt_units units;
    struct gt_fuses fuses;
    struct gt_host host;
    struct gpu_rc6 rc6;
    struct gpu_rps rps;
    struct gt_sideband sideband;
    struct gpu_pipeline pipeline;
    const struct tally_cost *cost; /* of the user, who owns it; NULL: the built-in one */

    /* ---- time */
    uint32_t clock_hz;
    uint64_t ns, ns_phase; /* time: ns + ns_phase / clock_hz; ns_phase is below clock_hz */

    /* ---- the engines, by enum cs_engine_id */
    struct gpu_engine engines[CS_ENGINES];
    uint32_t used;         /* mask of render and of the engines accessed since the last reset */
    uint8_t stepping;      /* the engine that executes a command; CS_ENGINES: none */
    bool writing_report;   /* during an MI_REPORT_PERF_COUNT */
    uint32_t report_space; /* address space of that report */
    struct gpu_loops loops;

    /* ---- power */
    uint8_t powerless; /* mask of enum gpu_powerless */
    bool in_rc6;
    uint64_t rc6_ns;  /* time spent in RC6 */
    uint64_t busy_ns; /* time in which the render engine had work */
    uint64_t awake_clocks;
    uint32_t blind_clocks_left;   /* clocks until the clock stops in RC6 */
    uint32_t ticks;               /* GPU_TICKS at RC6 entry; it stops immediately */
    uint64_t idle_clocks;         /* clocks since the last request for power */
    uint64_t well_idle[GT_WELLS]; /* the same, for each well */
    uint32_t held;                /* domains that work in progress keeps awake */
    bool context_lost; /* RC6 lost OACTXCONTROL, until a context is loaded; not from Gen12 on */
    uint32_t saved_oactxcontrol; /* OACTXCONTROL of the workload's contexts */

    struct gpu_intruder intruder;

    /* ---- accesses: see access.c */
    uint64_t accesses[2][TALLY_GPU_OUTCOMES]; /* by [write][outcome] */
    void (*listener)(void *context, const struct tally_gpu_access *access); /* or NULL */
    void *listener_context;
    bool listener_of_unknown; /* it gets accesses to unknown registers only */
    void (*fault_listener)(void *context, const struct tally_error *error); /* or NULL */
    void *fault_context;

    /* ---- state last reported to the listeners */
    bool line;          /* interrupt of the device */
    bool intx;          /* INTA# */
    uint32_t events[2]; /* events of the scheduler's vectors */
};

static inline bool has_steering(const struct tally_gpu *gpu)
{
    return gpu->platform->steering;
}

static inline bool has_interrupt_tree(const struct tally_gpu *gpu)
{
    return gpu->platform->interrupts == INTERRUPTS_TREE;
}

/* Whether a register is EU_PERF_CNT_CTL0 to 6; each subslice has its own copy of these. */
static inline bool is_flexible(uint32_t address)
{
    return address >= EU_PERF_CNT_CTL0 && address <= EU_PERF_CNT_CTL3 + 4;
}

static inline bool has_execlists(const struct tally_gpu *gpu)
{
    return intel_has_execlists(gpu->platform);
}

static inline struct gpu_engine *gpu_render(struct tally_gpu *gpu)
{
    return &gpu->engines[CS_RCS0];
}

/* ---- mmio.c ---------------------------------------------------------------------------------- */

/* Read or write a register on behalf of an agent, subject to routing and force wake. */
uint32_t gpu_read32(struct tally_gpu *gpu, enum gt_agent agent, uint32_t address);
void gpu_write32(struct tally_gpu *gpu, enum gt_agent agent, uint32_t address, uint32_t value);

/* The same for the CPU, whether or not memory space is enabled. */
uint32_t gpu_cpu_read32(struct tally_gpu *gpu, uint32_t address);
void gpu_cpu_write32(struct tally_gpu *gpu, uint32_t address, uint32_t value);

/* access.c: calls the listener, which must be set. */
void gpu_report_access(const struct tally_gpu *gpu, enum tally_gpu_agent agent, bool write,
                       uint32_t address, uint32_t value, enum tally_gpu_access_outcome outcome);

/* Sets a listener that gets accesses to unknown registers only. No loop that is skipped has those.
 */
void gpu_set_unknown_listener(struct tally_gpu *gpu,
                              void (*listener)(void *context,
                                               const struct tally_gpu_access *access),
                              void *context);

/* Counts an access, and reports it to the listener if there is one. */
static inline void gpu_count_access(struct tally_gpu *gpu, enum tally_gpu_agent agent, bool write,
                                    uint32_t address, uint32_t value,
                                    enum tally_gpu_access_outcome outcome)
{
    gpu->accesses[write][outcome]++;
    if (gpu->listener && (!gpu->listener_of_unknown || outcome == TALLY_GPU_UNKNOWN_REGISTER))
        gpu_report_access(gpu, agent, write, address, value, outcome);
}

/* Counts an access by a command that is not routed: to a register of the command streamer itself,
 * or a write that is denied. */
void gpu_count_own_access(struct tally_gpu *gpu, bool write, uint32_t address, uint32_t value,
                          bool denied);

/* Writes a register on behalf of the hardware: to all instances, without force wake. */
void gpu_write_inside(struct tally_gpu *gpu, uint32_t address, uint32_t value);

/* Drives the NOA bits that carry the render clock (oa_variant.noa_clock) with 1, except those that
 * the workload drives. */
void gpu_drive_clock(struct tally_gpu *gpu);

/* Raises the interrupt of the OA unit whose report buffer is half full. */
void gpu_raise_half_full(struct tally_gpu *gpu);

/* Notifies the interrupt listeners of changes. */
void gpu_notify(struct tally_gpu *gpu);

/* ---- pci.c ----------------------------------------------------------------------------------- */

/* The interrupt of function 0 to 7 changes its level: sends a message, or changes INTA#. */
void gpu_pci_interrupt(struct tally_gpu *gpu, unsigned function, bool level);

/* Takes or returns the power of the GT for a reason. */
void gpu_set_powerless(struct tally_gpu *gpu, enum gpu_powerless reason, bool on);

/* Resets the device with the whole machine, as power-on does: also what function level resets keep,
 * and locks. Firmware has not run yet. */
void gpu_pci_reset(struct tally_gpu *gpu);

/* Copies the registers of the memory controller that configuration space mirrors. */
void gpu_mirror_mchbar(struct tally_gpu *gpu);

/* faults.c: powers the GT off or on. */
void gpu_lose_wake(struct tally_gpu *gpu, bool lost);

/* ---- callbacks.c, execlists.c ---------------------------------------------------------------- */

/* Read or write memory on the bus; false if nothing is mapped, or bus master is not enabled. */
bool gpu_read_bytes(const struct tally_gpu *gpu, uint32_t space, uint64_t address, void *data,
                    size_t bytes);
bool gpu_write_bytes(const struct tally_gpu *gpu, uint32_t space, uint64_t address,
                     const void *data, size_t bytes);

/* The same for a dword. */
bool gpu_read_memory(const struct tally_gpu *gpu, uint32_t space, uint64_t address, uint32_t *out);
bool gpu_write_memory(const struct tally_gpu *gpu, uint32_t space, uint64_t address,
                      uint32_t value);

/* Reads consecutive dwords; false if one of them is not mapped. */
bool gpu_read_dwords(const struct tally_gpu *gpu, uint32_t space, uint64_t address, uint32_t *out,
                     uint32_t count);

/* Sets the callbacks of the OA unit. */
void gpu_connect_oa(struct tally_gpu *gpu);

/* Executes one command. Sets `wait` to the clocks that it takes; 0: nothing to do. */
void gpu_step_engine(struct tally_gpu *gpu, struct gpu_engine *engine);

/* Notes the address of an engine's latest command for the OA unit. */
void gpu_note_instruction(struct tally_gpu *gpu, const struct gpu_engine *engine);

/* Writes a register of a submission port. */
void execlists_write(struct tally_gpu *gpu, struct gpu_engine *engine,
                     const struct reg_request *request, uint32_t value);

/* Takes a list that waits, between two commands, if it begins with the running context, or if that
 * can be preempted. Returns whether this takes time: `wait` of the engine is set. */
bool execlists_arbitrate(struct tally_gpu *gpu, struct gpu_engine *engine);

/* Returns EXECLIST_STATUS_LO: the state of the lists, before Gen11. */
uint32_t execlists_status(const struct gpu_engine *engine);

/* The engine has no context any more. */
void gpu_leave_context(struct tally_gpu *gpu, struct gpu_engine *engine);

/* Call them when a submission has been loaded, and when it is done and saved: they report the
 * switch, and the latter takes the list that waits. */
void execlists_start(struct tally_gpu *gpu, struct gpu_engine *engine);
void execlists_end(struct tally_gpu *gpu, struct gpu_engine *engine);

/* Calls the listener if the engine's streamer has stopped; faults.c. */
void gpu_report_fault(struct tally_gpu *gpu, const struct gpu_engine *engine);

/* ---- power.c --------------------------------------------------------------------------------- */

/* Leaves RC6 if power is requested. Call it after each change that can request power. */
void power_update(struct tally_gpu *gpu);

/* Enters RC6 unconditionally. */
void power_enter(struct tally_gpu *gpu);

/* Returns the clocks until the power state changes by itself; UINT64_MAX: never. */
uint64_t power_horizon(const struct tally_gpu *gpu);

/* Advances power management and, unless its clock is stopped, the OA unit. clocks: at most
 * power_horizon(). */
void power_advance(struct tally_gpu *gpu, uint64_t clocks);

/* Runs the workaround batch of contexts. */
void power_run_context_batch(struct tally_gpu *gpu);

/* ---- gating.c -------------------------------------------------------------------------------- */

/* Power-on and GT reset: the registers of clock gating as firmware leaves them. */
void gating_init(struct tally_gpu *gpu);

/* Call it after a write of the registers of clock gating. */
void gating_update(struct tally_gpu *gpu);

/* Whether the clock of the OA unit is stopped outside of RC6. */
bool gating_stops_oa(const struct tally_gpu *gpu);

/* ---- reset.c --------------------------------------------------------------------------------- */

/* The reset register. The handlers' context is the struct tally_gpu. */
extern const struct reg_map gpu_reset_map;
extern const struct reg_block gpu_reset_block;

/* ---- run.c ----------------------------------------------------------------------------------- */

/*
 * gpu_advance_oa() advances the OA unit. Until the unit's next write to memory it only adds the
 * clocks to a lag, because commands take few clocks each; gpu_settle() catches up in one step. Call
 * gpu_settle() before reading or changing the unit's state, and at the end of a run.
 */
void gpu_advance_oa(struct tally_gpu *gpu, uint64_t clocks);
void gpu_settle(struct tally_gpu *gpu);

/* Returns for how many clocks the OA unit writes nothing to memory. */
uint64_t gpu_quiet_clocks(const struct tally_gpu *gpu);

/* Returns the clocks since the GPU was created, including the lag of the OA unit. */
uint64_t gpu_now(const struct tally_gpu *gpu);

/* Returns for how long no engine, nor anything else that is known now, acts. */
uint64_t gpu_step_ns(const struct tally_gpu *gpu);

/* Whether the current phase of the workload is not idle. */
bool gpu_is_workload_active(const struct tally_gpu *gpu);

/* Switches the OA unit to the workload's context, or to none. Call it when the command streamer
 * runs nothing. */
void gpu_run_workload_context(struct tally_gpu *gpu);

/* Returns the clocks until `ns` nanoseconds have passed, at the present frequency; at least 1. */
uint64_t gpu_clocks_of(const struct tally_gpu *gpu, uint64_t ns);

/* Changes the frequency of the render clock. */
void gpu_set_clock(struct tally_gpu *gpu, uint32_t clock_hz);

#endif
