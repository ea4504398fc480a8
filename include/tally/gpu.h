/* SPDX-License-Identifier: MIT */
#ifndef TALLY_GPU_H
#define TALLY_GPU_H

/*
 * A modelled Intel GPU, as far as counters go: the OA unit of <tally/oa.h> with what it lives in.
 * MMIO with force wake and steering, the interrupts, PCI configuration, the render command streamer
 * with rings and execution lists, power, and a workload that keeps it busy. Sandy Bridge to Tiger
 * Lake.
 *
 *     struct tally_gpu *gpu;
 *     tally_gpu_new(&(struct tally_gpu_config){.platform = "lkf"}, &gpu, &error);
 *     tally_gpu_set_bus(gpu, &(struct tally_gpu_bus){.read = ..., .write = ..., .context = ...});
 *     tally_gpu_set_workload(gpu, program);            // <tally/workload.h>; or drive the unit
 *     tally_gpu_write32(gpu, 0xa278, 0x00010001);      // wake the render domain
 *     tally_gpu_write32(gpu, 0x2b00, 0x15);            // OACONTROL
 *     tally_gpu_run(gpu, 1000000);
 *
 * Everything is done as on hardware: by MMIO, in memory that the caller owns, and by time. MMIO and
 * all other calls take no time; only tally_gpu_run() moves the clock, which is the render clock.
 * Documents: docs/reference/intel-oa-hardware.md (decisions OA-U1 to OA-U28) and oa-testbench.md
 * beside it (OA-D1 to OA-D46).
 *
 * The model is pure: no globals, no wall clock, nothing allocated after _new; a copy is a snapshot.
 * Thread rule: a GPU is used by one thread at a time; different GPUs are independent.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>
#include <tally/oa.h>
#include <tally/version.h>
#include <tally/workload.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tally_gpu;

/* ---- making one ------------------------------------------------------------------------------ */

struct tally_gpu_config {
    const char *platform; /* "snb", "ivb", "vlv", "hsw", "bdw", "chv", "skl", "icl", "lkf", "tgl" */
    unsigned eus;         /* 0: the common configuration; from Gen8 on 8 to 64, a multiple of 8, or
                             on Tiger Lake 16 to 96, a multiple of 16. OA-7 */
    uint32_t clock_hz;    /* 0: the highest of the platform; workload phases may say another */
    uint32_t timestamp_hz;     /* 0: the platform's */
    uint16_t device_id;        /* 0: an example of the platform's */
    bool always_awake;         /* force wake is out of the way: every domain is awake, no RC6 */
    uint32_t wake_clocks;      /* from a force wake request to the acknowledge */
    uint32_t rc6_after_clocks; /* enter RC6 by itself after so long without work; 0: never */
    /* from the save of counters at RC6 entry until clocks stop (OA-2.14) */
    uint32_t rc6_blind_clocks;
};

/*
 * A GPU at power-on. Returns 0; -EINVAL and a message if the platform has no model or a number is
 * out of range; -ENOMEM. *out is the caller's, to be freed.
 */
TALLY_API int tally_gpu_new(const struct tally_gpu_config *config, struct tally_gpu **out,
                            struct tally_error *error);

/* Frees it; NULL is allowed. */
TALLY_API void tally_gpu_free(struct tally_gpu *gpu);

/*
 * Makes `to`, a GPU of the same platform and configuration, what `from` is now. Its bus stays its
 * own; memory is the caller's to copy. Returns 0 or -EINVAL.
 */
TALLY_API int tally_gpu_copy(struct tally_gpu *to, const struct tally_gpu *from);

/*
 * Its OA unit, which lives as long: to drive signals, set options, peek and poke. Time and
 * registers belong to the GPU: do not run, reset, copy or connect the unit by itself.
 */
TALLY_API struct tally_oa *tally_gpu_oa(struct tally_gpu *gpu);

/* ---- what it is connected to ----------------------------------------------------------------- */

/* Address spaces: 0 is the GGTT. A context's PPGTT is its LRCA, bits 31:12 (execution lists), or
 * what was told to tally_gpu_set_ppgtt() (rings). */
#define TALLY_GPU_GGTT 0u

enum tally_gpu_work_kind {
    TALLY_GPU_WORK_PRIMITIVE, /* 3DPRIMITIVE */
    TALLY_GPU_WORK_GPGPU,     /* GPGPU_WALKER */
    TALLY_GPU_WORK_MEDIA,     /* MEDIA_OBJECT and its like */
    TALLY_GPU_WORK_BLIT
};

/* A command that starts work, or pipeline state that such work needs. */
struct tally_gpu_command {
    const char *name;
    const uint32_t *dwords; /* the first `count` of its `length` */
    uint32_t count, length;
    uint32_t space; /* where it lies */
    uint64_t address;
};

/*
 * Memory and lines. Functions may be NULL: nothing is mapped, nobody listens. They are called in
 * order of time, on the thread that called in, and must not use the GPU, apart from
 * tally_oa_count() and tally_oa_work() in `work`.
 */
struct tally_gpu_bus {
    /* `bytes` of memory at an address, a multiple of 4. False: not mapped, which stops the command
     * streamer with a fault, and loses a report's line. */
    bool (*read)(void *context, uint32_t space, uint64_t address, void *data, size_t bytes);
    bool (*write)(void *context, uint32_t space, uint64_t address, const void *data, size_t bytes);

    /* The CPU's interrupt line has another level. */
    void (*interrupt)(void *context, bool level);

    /* An event on one of the hardware scheduler's two vectors (Gen11 on). */
    void (*scheduler)(void *context, unsigned vector);

    /* Work begins. Returns the clocks that it keeps the GPU busy; it may count what it does. */
    uint64_t (*work)(void *context, enum tally_gpu_work_kind kind,
                     const struct tally_gpu_command *command);

    /* Pipeline state passes by. */
    void (*state)(void *context, const struct tally_gpu_command *command);

    /* The command streamer is done with a submission: the context's id, and where its ring's head
     * stands. */
    void (*complete)(void *context, uint32_t id, uint32_t head);

    void *context;
};

TALLY_API void tally_gpu_set_bus(struct tally_gpu *gpu, const struct tally_gpu_bus *bus);

/*
 * What the GPU does of itself, from now on: inputs of its OA unit, contexts and the clock; NULL: it
 * idles, and signals that others drive stay. The program, which the caller keeps, is bound to the
 * platform with tally_gpu_eus() EUs. Returns 0, or -EINVAL if it is another's.
 */
TALLY_API int tally_gpu_set_workload(struct tally_gpu *gpu,
                                     const struct tally_workload_program *program);
TALLY_API unsigned tally_gpu_eus(const struct tally_gpu *gpu);

/* ---- registers ------------------------------------------------------------------------------- */

/*
 * MMIO of the CPU at a 4-byte aligned offset in GTTMMADR. On Gen11 it goes through the routing of
 * the Lakefield PRM: a read of a sleeping domain or a fused-off instance gives 0 and a write is
 * dropped, replicated units are steered by FDCh (OA-4.3 to OA-4.5). On older platforms what
 * lies below 40000h needs any domain awake. Reads have the side effects of hardware (OA-D43).
 */
TALLY_API uint32_t tally_gpu_read32(struct tally_gpu *gpu, uint32_t address);
TALLY_API void tally_gpu_write32(struct tally_gpu *gpu, uint32_t address, uint32_t value);

/* What would become of an access: "reached", "asleep", "fused off", "unimplemented", ... */
TALLY_API const char *tally_gpu_outcome(const struct tally_gpu *gpu, uint32_t address, bool write);

/* Who accesses a register. */
enum tally_gpu_agent {
    TALLY_GPU_CPU,       /* the host: tally_gpu_read32(), tally_gpu_write32(), tally_gpu_read() */
    TALLY_GPU_STREAMER,  /* commands of the render command streamer */
    TALLY_GPU_SCHEDULER, /* the hardware scheduler: tally_gpu_scheduler_read32() and _write32() */
    TALLY_GPU_FUNCTION   /* a virtual function: tally_gpu_function_read32() and _write32() */
};

/* What became of an access. */
enum tally_gpu_access_outcome {
    TALLY_GPU_DONE,
    TALLY_GPU_UNKNOWN_REGISTER, /* no register at the address: reads give 0, writes are ignored */
    TALLY_GPU_READ_ONLY,        /* a write that is ignored */
    TALLY_GPU_WRITE_ONLY,       /* a read that gives 0 */
    TALLY_GPU_RESERVED_BITS,    /* a write that is done, but sets bits of no field */
    TALLY_GPU_ASLEEP,           /* its power domain sleeps: reads give 0, writes are ignored */
    TALLY_GPU_FUSED_OFF, /* the unit is disabled, or steering selects one that is: the same */
    TALLY_GPU_DENIED,    /* a write by an unprivileged batch that is ignored */
    TALLY_GPU_OUTCOMES
};

/* "done", "unknown register", "read-only", "write-only", "reserved bits", "asleep", "fused off",
 * "denied"; NULL for other values. */
TALLY_API const char *tally_gpu_access_outcome_name(enum tally_gpu_access_outcome outcome);

/*
 * One access of 32 bits. Registers that the hardware itself saves, restores or loads with a context
 * are not accesses. Later versions may add members at the end.
 */
struct tally_gpu_access {
    uint64_t clock;    /* as tally_gpu_now() counts; also while the GPU runs */
    uint64_t ns;       /* as tally_gpu_now_ns() counts */
    const char *name;  /* of the register: "OACONTROL", "CEC_0[3]"; NULL: none. Valid during the
                          call */
    uint32_t address;  /* byte offset in GTTMMADR */
    uint32_t value;    /* read or written */
    uint32_t reserved; /* of a write to a register: the bits set that are in no field */
    enum tally_gpu_agent agent;
    bool write;
    enum tally_gpu_access_outcome outcome;
};

/*
 * Calls `listener` for every access from now on, in the order they happen: for a write before it
 * takes effect, for a read after. NULL: nobody listens, as at first; then an access costs no more
 * than a counter. The listener is called on the thread that accesses or runs the GPU, and must not
 * use the GPU. `context` is passed on; it belongs to the caller. tally_gpu_copy() does not copy it.
 */
TALLY_API void tally_gpu_set_mmio_listener(struct tally_gpu *gpu,
                                           void (*listener)(void *context,
                                                            const struct tally_gpu_access *access),
                                           void *context);

/* Accesses since the GPU was made, by all agents; all but `reads` and `writes` by outcome. Resets
 * do not clear them. */
struct tally_gpu_mmio_stats {
    uint64_t reads, writes;
    uint64_t unknown_register, read_only, write_only, reserved_bits, asleep, fused_off, denied;
};

TALLY_API struct tally_gpu_mmio_stats tally_gpu_mmio_stats(const struct tally_gpu *gpu);

/* Reads of 2, 4 or 8 bytes, aligned, of the memory controller's alias at 140000h (Gen11 on);
 * elsewhere as dwords. Returns 0, or -EINVAL for another size or alignment. */
TALLY_API int tally_gpu_read(struct tally_gpu *gpu, uint32_t address, unsigned bytes,
                             uint64_t *out);

/* The memory controller's side of that alias: address 140000h to 147FFFh, 1, 2, 4 or 8 bytes. 0, or
 * -EINVAL: not there. */
TALLY_API int tally_gpu_set_mchbar(struct tally_gpu *gpu, uint32_t address, unsigned bytes,
                                   uint64_t value);

/* A virtual machine monitor answers reads of 178000h to 178FFFh; NULL: they give 0 (Gen11 on). */
TALLY_API void tally_gpu_set_hypervisor(struct tally_gpu *gpu,
                                        uint32_t (*read)(void *context, uint32_t address),
                                        void *context);

/* PCI configuration space of 0:2:0 (device 2) and 0:0:0 (device 0), 1, 2 or 4 bytes, aligned, at
 * offsets below 1000h (Gen11 on). Where nobody answers: all ones. A function level reset resets the
 * chip. */
TALLY_API uint32_t tally_gpu_pci_read(const struct tally_gpu *gpu, unsigned device, unsigned offset,
                                      unsigned bytes);
TALLY_API void tally_gpu_pci_write(struct tally_gpu *gpu, unsigned device, unsigned offset,
                                   unsigned bytes, uint32_t value);

/*
 * An interrupt message of an engine (Gen11 on; OA-3.4): class 0 to 7, instance 0 to 63,
 * virtual function 0 to 7, 16 bits of data. Returns 0, or -EINVAL: there is no such engine.
 */
TALLY_API int tally_gpu_interrupt(struct tally_gpu *gpu, unsigned engine_class, unsigned instance,
                                  unsigned function, uint16_t data);

/* The level of what else raises the line: bit 30 PCU, 29 GU_MISC, 16 display of the master control
 * (Gen11 on; OA-3.2). Returns 0; -EINVAL for other bits. */
TALLY_API int tally_gpu_set_level(struct tally_gpu *gpu, unsigned bit, bool level);

/* The copy of the interrupt registers, 190000h to 1900FFh, of a virtual function 1 to 7; that of 0
 * is the one of tally_gpu_read32() (Gen11 on). */
TALLY_API uint32_t tally_gpu_function_read32(struct tally_gpu *gpu, unsigned function,
                                             uint32_t address);
TALLY_API void tally_gpu_function_write32(struct tally_gpu *gpu, unsigned function,
                                          uint32_t address, uint32_t value);

/* The hardware scheduler's own copy of the interrupt registers, 190000h to 1900FFh (Gen11 on). */
TALLY_API uint32_t tally_gpu_scheduler_read32(struct tally_gpu *gpu, uint32_t address);
TALLY_API void tally_gpu_scheduler_write32(struct tally_gpu *gpu, uint32_t address, uint32_t value);

/* ---- commands -------------------------------------------------------------------------------- */

/*
 * Batches run as on hardware. Gen6 to Gen7.5: a ring, through RING_TAIL to RING_CTL (2030h to
 * 203Ch). From Gen8 on: execution lists, through 2230h (four writes: element 1 high and low, then
 * element 0; the last one submits) or on Gen11 2510h to 251Ch and a 1 to 2550h. A context's image
 * lies at LRCA + 1000h: MI_LOAD_REGISTER_IMM commands up to MI_BATCH_BUFFER_END, which load the
 * ring's registers, OACTXCONTROL and the flexible registers, and where the head and the latter are
 * saved. Its id in reports is the descriptor's upper half. A list begins when the running context
 * is done: there is no preemption within one.
 *
 * _submit is a short cut that needs neither: one batch, as a context of its own, started when what
 * is before it is done. id: of the context. space: of the batch, which is not privileged unless
 * `privileged`. Returns 0, or -EBUSY: two wait already.
 */
TALLY_API int tally_gpu_submit(struct tally_gpu *gpu, uint32_t id, uint32_t space, uint64_t address,
                               bool privileged);

/* The address space of a ring's contexts. */
TALLY_API void tally_gpu_set_ppgtt(struct tally_gpu *gpu, uint32_t space);

/* Has the command streamer nothing to do? A fault is not idle. */
TALLY_API bool tally_gpu_is_idle(const struct tally_gpu *gpu);

/* Why the command streamer stopped: the address and the dword. -EIO with a message; 0: it did not.
 * A reset of the engine ends the fault. */
TALLY_API int tally_gpu_fault(const struct tally_gpu *gpu, struct tally_error *error);

/* ---- power and resets ------------------------------------------------------------------------ */

/*
 * RC6: the GT's power goes. Counters and what else is in the power context are saved; clocks stop
 * after rc6_blind_clocks; on exit what was saved is restored, so what was counted in between is
 * lost, and what was not saved has its reset value (OA-2.14; OA_DEBUG and the NOA
 * configuration). It leaves RC6 by itself when a domain is asked for or a context is submitted.
 * _enter returns 0; -EBUSY while a domain is asked for, or the streamer works, or 094h/A090h forbid
 * it; -EALREADY.
 */
TALLY_API int tally_gpu_enter_rc6(struct tally_gpu *gpu);
TALLY_API void tally_gpu_exit_rc6(struct tally_gpu *gpu);
TALLY_API bool tally_gpu_in_rc6(const struct tally_gpu *gpu);

/* Since it was made: nanoseconds that it has spent in RC6; render clocks outside of it; nanoseconds
 * in which the render engine had work, of commands or of a workload. */
TALLY_API uint64_t tally_gpu_rc6_ns(const struct tally_gpu *gpu);
TALLY_API uint64_t tally_gpu_awake_clocks(const struct tally_gpu *gpu);
TALLY_API uint64_t tally_gpu_busy_ns(const struct tally_gpu *gpu);

/* How much a value of tally_oa_peek() ("a7", "b0", "c2", "free4") counted in the blind spot of the
 * latest RC6, and lost. 0 for others. */
TALLY_API uint64_t tally_gpu_blind(const struct tally_gpu *gpu, const char *name);

enum tally_gpu_reset {
    TALLY_GPU_RESET_ENGINE, /* the render engine: OA keeps everything (OA-2.7) */
    TALLY_GPU_RESET_GT,     /* all of the GT, OA-D46 */
    TALLY_GPU_RESET_CHIP    /* and TIMESTAMP (OA-1.6) */
};

TALLY_API void tally_gpu_reset(struct tally_gpu *gpu, enum tally_gpu_reset what);

/*
 * What a workaround batch restores ("DFD Configuration Restore"): after the render well had no
 * power, or at each load of a context. The list is the caller's and must stay; registers that the
 * batch cannot reach are left out. Returns how many of them it restores.
 */
enum tally_gpu_batch { TALLY_GPU_BATCH_RENDER, TALLY_GPU_BATCH_CONTEXT, TALLY_GPU_BATCHES };

struct tally_gpu_register {
    uint32_t address, value;
};

TALLY_API size_t tally_gpu_set_batch(struct tally_gpu *gpu, enum tally_gpu_batch batch,
                                     const struct tally_gpu_register *registers, size_t count);

/* ---- faults ---------------------------------------------------------------------------------- */

/*
 * What goes wrong on hardware now and then, for those who test what reads its reports. Nothing of
 * it happens unless it is asked for, and then it costs nothing.
 */
struct tally_gpu_faults {
    /* As tally_oa_bus.sample: false loses a report. NULL: none. */
    bool (*sample)(void *context, uint64_t report, bool timer);

    /* A line of the n-th report is on its way to memory, and the tail moves. True: it does not
     * arrive; whoever asked for that may write it there later. NULL: all arrive. */
    bool (*hold)(void *context, uint64_t report, uint32_t space, uint64_t address,
                 const uint8_t *line, size_t bytes);
    void *context;
};

/* They are called as those of the bus are. */
TALLY_API void tally_gpu_set_faults(struct tally_gpu *gpu, const struct tally_gpu_faults *faults);

/* The OA unit says that its buffer has overflowed (Buffer Overflow of OASTATUS), as full as it may
 * be. */
TALLY_API void tally_gpu_overflow(struct tally_gpu *gpu);

/* Force wake is lost: RC6 at once, whoever works and whatever is asked for; the command streamer
 * stands still. Until it is back: then requests are as they stand in the registers, and the context
 * that was there is loaded again. */
TALLY_API void tally_gpu_lose_wake(struct tally_gpu *gpu, bool lost);

/* Another context runs, until that is over, or the command streamer or the workload switch. */
TALLY_API void tally_gpu_intrude(struct tally_gpu *gpu, uint32_t id);
TALLY_API void tally_gpu_end_intrusion(struct tally_gpu *gpu);

/* ---- time ------------------------------------------------------------------------------------ */

/* Lets render clocks pass; in RC6 they are clocks' worth of time. */
TALLY_API void tally_gpu_run(struct tally_gpu *gpu, uint64_t clocks);

/* Lets at least so many nanoseconds pass, at the clock of each moment. Returns the clocks. */
TALLY_API uint64_t tally_gpu_run_ns(struct tally_gpu *gpu, uint64_t ns);

/* Clocks since it was made; nanoseconds; and the present frequency. */
TALLY_API uint64_t tally_gpu_now(const struct tally_gpu *gpu);
TALLY_API uint64_t tally_gpu_now_ns(const struct tally_gpu *gpu);
TALLY_API uint32_t tally_gpu_clock_hz(const struct tally_gpu *gpu);
TALLY_API uint32_t tally_gpu_timestamp_hz(const struct tally_gpu *gpu);

#ifdef __cplusplus
}
#endif

#endif
