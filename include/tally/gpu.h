/* SPDX-License-Identifier: MIT */
#ifndef TALLY_GPU_H
#define TALLY_GPU_H

/*
 * A model of the parts of an Intel GPU that performance counters depend on: the OA unit of
 * <tally/oa.h>, MMIO with force wake and steering, interrupts, PCI configuration, the render
 * command streamer with rings and execution lists, power, and a workload. Sandy Bridge to Tiger
 * Lake.
 *
 *     struct tally_gpu *gpu;
 *     tally_gpu_new(&(struct tally_gpu_config){.platform = "lkf"}, &gpu, &error);
 *     tally_gpu_set_bus(gpu, &(struct tally_gpu_bus){.read = ..., .write = ..., .context = ...});
 *     tally_gpu_set_workload(gpu, program);            // <tally/workload.h>; or drive the unit
 *     tally_gpu_write32(gpu, 0xa188, 0x00010001);      // wake the domain of OACONTROL
 *     tally_gpu_write32(gpu, 0x2b00, 0x15);            // OACONTROL
 *     tally_gpu_run(gpu, 1000000);
 *
 * It is programmed like the hardware: by MMIO, and by commands in memory that the caller owns. MMIO
 * and most other calls take no time; tally_gpu_run() and tally_gpu_run_ns() advance the render
 * clock. Documents: docs/reference/intel-oa-hardware.md (decisions OA-U1 to OA-U28) and
 * docs/reference/oa-testbench.md (OA-D1 to OA-D46).
 *
 * The model has no global state, does not read the system's clock, and allocates memory in
 * tally_gpu_new() only; a copy is a snapshot.
 * Thread rule: a GPU is used by one thread at a time; different GPUs are independent.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>
#include <tally/oa.h>
#include <tally/platform.h>
#include <tally/version.h>
#include <tally/workload.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tally_gpu;

/* ---- creating a GPU -------------------------------------------------------------------------- */

/* Configuration of a modelled GPU. All members except `platform` may be zero. */
struct tally_gpu_config {
    const char *platform;  /* a name for tally_sku_find(): "hsw/gt3", or "hsw" for the common SKU */
    unsigned eus;          /* 0: all that `fuses` leave; from Gen8 on also fewer, a multiple of the
                              SKU's EUs per subslice. Not with fuses */
    uint32_t clock_hz;     /* 0: the maximum of the SKU; workload phases may have another */
    uint32_t timestamp_hz; /* frequency of TIMESTAMP; 0: the platform's */
    uint16_t device_id;    /* PCI device id; 0: that of the SKU */
    bool always_awake;     /* every domain is always awake, without force wake; no RC6 */
    uint32_t wake_clocks;  /* from a force wake request to its acknowledge */
    /* enter RC6 after this many clocks without work while no driver has enabled RC6 in RC_CONTROL
     * (OA-16.12); 0: only a driver enables it */
    uint32_t rc6_after_clocks;
    /* from the save of counters at RC6 entry until clocks stop (OA-2.14) */
    uint32_t rc6_blind_clocks;
    /* the PCI device is as a reset leaves it: no BAR is assigned, memory, I/O and bus master are
     * off. False: as firmware leaves it, all of this done */
    bool no_firmware;
    /* Gate clocks as document 000 describes, unless software disables it: the OA unit then misses
     * events (Sandy Bridge to Haswell; docs/reference, OA-14.6). No effect on later platforms */
    bool clock_gating;
    /* Fuses (Gen11 on; OA-4.5), each a mask, in which 1 disables: pairs of L3 banks, bank n and n +
     * 4 by bit n (9118h[3:0]; not all); video engines 0 and 2 (9140h[7:0]); video enhancement
     * engine 0 (9140h[19:16]). A disabled engine does not exist; accesses to it or to a disabled
     * bank read 0 or are ignored. */
    uint32_t l3_disable, vdbox_disable, vebox_disable;
    /* Fuses of slices, subslices and EUs (Haswell: of EUs; and from Gen8 on; OA-14.9). The fuse
     * registers, the array of EUs, steering, costs and what drivers report follow from them. */
    struct tally_fuses fuses;
};

/*
 * Creates a GPU in its power-on state. Returns 0; -EINVAL and a message if the platform has no
 * model, the SKU is unknown, or a number is out of range; -ENOMEM. The caller frees *out.
 */
TALLY_API int tally_gpu_new(const struct tally_gpu_config *config, struct tally_gpu **out,
                            struct tally_error *error);

/* Frees a GPU; NULL is allowed. */
TALLY_API void tally_gpu_free(struct tally_gpu *gpu);

/*
 * Copies the state of `from` to `to`, a GPU of the same SKU and configuration. `to` keeps its
 * bus; the caller copies memory. Returns 0 or -EINVAL.
 */
TALLY_API int tally_gpu_copy(struct tally_gpu *to, const struct tally_gpu *from);

/*
 * Returns the OA unit of a GPU, which belongs to it. Use it to drive signals, set options, peek and
 * poke; not to run, reset or copy it, to access registers, or to set its bus.
 */
TALLY_API struct tally_oa *tally_gpu_oa(struct tally_gpu *gpu);

/* ---- callbacks ------------------------------------------------------------------------------- */

/* Address spaces: 0 is the GGTT. The PPGTT of a context has the number of its LRCA, bits 31:12
 * (execution lists), or that of tally_gpu_set_ppgtt() (rings). */
#define TALLY_GPU_GGTT 0u

enum tally_gpu_work_kind {
    TALLY_GPU_WORK_PRIMITIVE, /* 3DPRIMITIVE */
    TALLY_GPU_WORK_GPGPU,     /* GPGPU_WALKER */
    TALLY_GPU_WORK_MEDIA,     /* MEDIA_OBJECT and its like */
    TALLY_GPU_WORK_BLIT,      /* a command of the blitter */
    TALLY_GPU_WORK_VIDEO      /* a command of a video engine */
};

/* A command that starts work or sets pipeline state. Valid during the callback. */
struct tally_gpu_command {
    const char *name;       /* "3DPRIMITIVE" */
    const uint32_t *dwords; /* its first `count` dwords */
    uint32_t count, length; /* `length` is the length of the whole command in dwords */
    uint32_t space;         /* address space of `address` */
    uint64_t address;       /* where the command is in memory */
    uint32_t data_space;    /* address space of the state, vertices and surfaces that it uses: the
                             * PPGTT of the context, also if the batch is in the GGTT */
};

/*
 * Callbacks for memory accesses and events. Each may be NULL: then no memory is mapped, and events
 * are ignored. The GPU accesses memory with bus master enabled only; else as if nothing were
 * mapped. They are called in order of time, on the thread that uses the GPU, and must not use it,
 * except for tally_oa_count() and tally_oa_work() in `work`.
 */
struct tally_gpu_bus {
    /* Read and write `bytes` bytes, a multiple of 4. Return false if the address is not mapped:
     * then the command streamer stops with a fault, and a line of a report is lost. */
    bool (*read)(void *context, uint32_t space, uint64_t address, void *data, size_t bytes);
    bool (*write)(void *context, uint32_t space, uint64_t address, const void *data, size_t bytes);

    /* INTA# has changed its level. It stays low while MSI is enabled, or INTx is disabled. */
    void (*interrupt)(void *context, bool level);

    /* An interrupt of the hardware scheduler, vector 0 or 1 (Gen11 on). */
    void (*scheduler)(void *context, unsigned vector);

    /* A command starts work. Returns 0 if the cost model (docs/cost-model.md) decides how long the
     * engine is busy, and what counters count; events of tally_oa_work() are added. Otherwise
     * returns the clocks, and counters have only the caller's events; the cost model still counts
     * the pipeline's statistics. */
    uint64_t (*work)(void *context, enum tally_gpu_work_kind kind,
                     const struct tally_gpu_command *command);

    /* A command sets pipeline state. */
    void (*state)(void *context, const struct tally_gpu_command *command);

    /* An engine has completed a submission: id of the context, and head of its ring. */
    void (*complete)(void *context, uint32_t id, uint32_t head);

    void *context;

    /* Read and write 1, 2, 4 or 8 aligned bytes of the page table of the GGTT, little-endian, on
     * behalf of the CPU: in the upper half of GTTMMADR, at `offset`. The page table belongs to the
     * memory behind the GPU. Returning false, or NULL: reads return all ones. */
    bool (*read_page_table)(void *context, uint64_t offset, void *data, size_t bytes);
    bool (*write_page_table)(void *context, uint64_t offset, const void *data, size_t bytes);

    /* An interrupt message (MSI) of the device, function 0, or of a virtual function, 1 to 7: a
     * write of `data`, 32 bits, to a physical address. */
    void (*message)(void *context, unsigned function, uint64_t address, uint32_t data);

    /* Software has called firmware through SWSCI or SWSMI, by an SCI or an SMI. */
    void (*firmware)(void *context, bool sci);
};

/* Sets the callbacks. The struct is copied; its `context` belongs to the caller. */
TALLY_API void tally_gpu_set_bus(struct tally_gpu *gpu, const struct tally_gpu_bus *bus);

/*
 * The numbers of the cost model: what commands cost (docs/cost-model.md).
 *
 * tally_cost_load() reads the YAML file `path` for a platform with a GPU model; numbers that it
 * does not give are the built-in ones of the platform's generation. Returns 0; -EINVAL (platform);
 * -EBADMSG (the file's first mistake, with its line); -ENOMEM; another negative errno if the file
 * cannot be read. The caller frees the result, which any thread may use.
 */
struct tally_cost;
TALLY_API int tally_cost_load(const char *path, const char *platform, struct tally_cost **out,
                              struct tally_error *error);
TALLY_API void tally_cost_free(struct tally_cost *cost);

/* Sets the numbers for commands from now on; NULL: the built-in ones, as initially. They belong to
 * the caller, who keeps them until the GPU is freed or has others. */
TALLY_API void tally_gpu_set_cost(struct tally_gpu *gpu, const struct tally_cost *cost);

/*
 * Sets the workload that runs from now on: it drives the inputs of the OA unit, contexts and the
 * clock. NULL: none; signals that the caller drives are kept. The program belongs to the caller and
 * must be bound to the GPU's SKU with tally_gpu_eus() EUs, else -EINVAL. Returns 0.
 */
TALLY_API int tally_gpu_set_workload(struct tally_gpu *gpu,
                                     const struct tally_workload_program *program);

/* Returns the number of EUs of the GPU. */
TALLY_API unsigned tally_gpu_eus(const struct tally_gpu *gpu);

/* Returns the slices, subslices and EUs of the GPU. */
TALLY_API struct tally_topology tally_gpu_topology(const struct tally_gpu *gpu);

/* ---- registers ------------------------------------------------------------------------------- */

/*
 * Read or write a register as the CPU does, at a 4-byte aligned offset in GTTMMADR. From Gen11 on
 * accesses are routed as in the Lakefield PRM: those to a sleeping domain or a fused-off instance
 * read 0, or are ignored; FDCh steers accesses to replicated units (OA-4.3 to OA-4.5). On older
 * platforms accesses below 40000h need an awake domain. Reads have the side effects of the hardware
 * (OA-D43). Without memory space enabled in PCI Command, and in D3hot, reads return all ones and
 * writes are ignored.
 */
TALLY_API uint32_t tally_gpu_read32(struct tally_gpu *gpu, uint32_t address);
TALLY_API void tally_gpu_write32(struct tally_gpu *gpu, uint32_t address, uint32_t value);

/* Returns the outcome that an access would have: "reached", "asleep", "fused off", ... Static
 * text. */
TALLY_API const char *tally_gpu_outcome(const struct tally_gpu *gpu, uint32_t address, bool write);

/* Agents that access registers. */
enum tally_gpu_agent {
    TALLY_GPU_CPU,       /* the host: tally_gpu_read32(), tally_gpu_write32(), tally_gpu_read() */
    TALLY_GPU_STREAMER,  /* commands of the command streamers */
    TALLY_GPU_SCHEDULER, /* the hardware scheduler: tally_gpu_scheduler_read32() and _write32() */
    TALLY_GPU_FUNCTION   /* a virtual function: tally_gpu_function_read32() and _write32() */
};

/* Outcomes of an access. */
enum tally_gpu_access_outcome {
    TALLY_GPU_DONE,
    TALLY_GPU_UNKNOWN_REGISTER, /* no register at the address: reads return 0, writes are ignored */
    TALLY_GPU_READ_ONLY,        /* a write that is ignored */
    TALLY_GPU_WRITE_ONLY,       /* a read that returns 0 */
    TALLY_GPU_RESERVED_BITS,    /* a write that takes effect, but sets bits outside of all fields */
    TALLY_GPU_ASLEEP,           /* its power domain sleeps: reads return 0, writes are ignored */
    TALLY_GPU_FUSED_OFF,   /* the accessed or steered unit is fused off: as for TALLY_GPU_ASLEEP */
    TALLY_GPU_DENIED,      /* a write by an unprivileged batch that is ignored */
    TALLY_GPU_NOT_DECODED, /* memory space is off, the device in D3hot, or the virtual function does
                              not exist: reads return all ones, writes are ignored */
    TALLY_GPU_OUTCOMES
};

/* Returns "done", "unknown register", "read-only", "write-only", "reserved bits", "asleep", "fused
 * off", "denied" or "not decoded"; NULL for other values. */
TALLY_API const char *tally_gpu_access_outcome_name(enum tally_gpu_access_outcome outcome);

/*
 * A 32-bit register access. Registers that the hardware itself saves, restores or loads with a
 * context do not count as accesses. Later versions may add members at the end.
 */
struct tally_gpu_access {
    uint64_t clock;    /* as tally_gpu_now() counts; also while the GPU runs */
    uint64_t ns;       /* as tally_gpu_now_ns() counts */
    const char *name;  /* of the register: "OACONTROL", "CEC_0[3]"; NULL: unknown. Valid during
                          the call */
    uint32_t address;  /* byte offset in GTTMMADR */
    uint32_t value;    /* read or written */
    uint32_t reserved; /* bits that a write sets outside of all fields; 0 for reads */
    enum tally_gpu_agent agent;
    bool write;
    enum tally_gpu_access_outcome outcome;
};

/*
 * Calls `listener` for every access from now on, in order: before a write takes effect, after a
 * read. NULL (the default): no listener; an access then only increments a counter. The listener is
 * called on the thread that accesses or runs the GPU, and must not use it. `context` is passed to
 * the listener and belongs to the caller. tally_gpu_copy() does not copy the listener.
 */
TALLY_API void tally_gpu_set_mmio_listener(struct tally_gpu *gpu,
                                           void (*listener)(void *context,
                                                            const struct tally_gpu_access *access),
                                           void *context);

/* Numbers of accesses by all agents since the GPU was created: in total, then by outcome, except
 * for TALLY_GPU_DONE. Resets do not clear them. */
struct tally_gpu_mmio_stats {
    uint64_t reads, writes;
    uint64_t unknown_register, read_only, write_only, reserved_bits, asleep, fused_off, denied;
    uint64_t not_decoded;
};

/* Returns the numbers of accesses so far. */
TALLY_API struct tally_gpu_mmio_stats tally_gpu_mmio_stats(const struct tally_gpu *gpu);

/* Reads 2, 4 or 8 aligned bytes as the CPU does. This is one access in the memory controller's
 * alias, 140000h to 147FFFh (Gen11 on), and one access per dword elsewhere. Returns 0, or -EINVAL
 * for another size or alignment. */
TALLY_API int tally_gpu_read(struct tally_gpu *gpu, uint32_t address, unsigned bytes,
                             uint64_t *out);

/* Sets 1, 2, 4 or 8 aligned bytes of the memory controller's registers, which the GPU can only
 * read, through the alias at 140000h to 147FFFh. At first they are 0, except the SKU's range of
 * clocks in RP_STATE_CAP (145998h) and FREQ_INFO_REC (145EF0h). Returns 0, or -EINVAL for another
 * address, size or alignment. */
TALLY_API int tally_gpu_set_mchbar(struct tally_gpu *gpu, uint32_t address, unsigned bytes,
                                   uint64_t value);

/* Sets the callback that supplies the values of reads from 178000h to 178FFFh, as a hypervisor does
 * (Gen11 on). NULL: they return 0. */
TALLY_API void tally_gpu_set_hypervisor(struct tally_gpu *gpu,
                                        uint32_t (*read)(void *context, uint32_t address),
                                        void *context);

/* ---- PCI ------------------------------------------------------------------------------------- */

/*
 * Read or write 1, 2 or 4 aligned bytes of PCI configuration space at offsets below 1000h: device 2
 * is the graphics device, device 0 the host bridge, of which only the registers exist that device 2
 * mirrors. The functions 1 to 7 of device 2 are virtual functions, which exist while SR-IOV enables
 * them (Lakefield, Tiger Lake, Alder Lake). tally_gpu_pci_read() and _write() access function 0.
 * Reads of anything else return all ones, writes are ignored. Registers: data/pci/registers.csv;
 * their effects: docs/reference, OA-13.
 *
 * A function level reset resets the chip. D3hot takes the power of the GT, which loses its state.
 */
TALLY_API uint32_t tally_gpu_pci_read(const struct tally_gpu *gpu, unsigned device, unsigned offset,
                                      unsigned bytes);
TALLY_API void tally_gpu_pci_write(struct tally_gpu *gpu, unsigned device, unsigned offset,
                                   unsigned bytes, uint32_t value);
TALLY_API uint32_t tally_gpu_pci_function_read(const struct tally_gpu *gpu, unsigned device,
                                               unsigned function, unsigned offset, unsigned bytes);
TALLY_API void tally_gpu_pci_function_write(struct tally_gpu *gpu, unsigned device,
                                            unsigned function, unsigned offset, unsigned bytes,
                                            uint32_t value);

/*
 * Read or write 1, 2, 4 or 8 aligned bytes at a physical address, as the CPU does. The BARs, PCI
 * Command and the power state decide what is accessed: registers and page table (GTTMMADR), the
 * GGTT's address space (GMADR), the registers of a virtual function (VF BAR0: its interrupts,
 * 190000h to 1900FFh). Where nothing decodes the address, and for other sizes and alignments, reads
 * return all ones (in `bytes` bytes, or 64 bits), and writes are ignored. Fewer than 4 bytes of a
 * register are written by reading the dword, and writing all of it.
 */
TALLY_API uint64_t tally_gpu_physical_read(struct tally_gpu *gpu, uint64_t address, unsigned bytes);
TALLY_API void tally_gpu_physical_write(struct tally_gpu *gpu, uint64_t address, unsigned bytes,
                                        uint64_t value);

/*
 * Read or write 1, 2 or 4 aligned bytes of an I/O port. IOBAR decodes MMIO_INDEX at 0 and MMIO_DATA
 * at 4: the index is the offset of a register (bits 1:0 are 0) or of the page table (1), which the
 * data port accesses, with memory space on or off. Writes of other than 4 bytes have no effect. All
 * other ports read all ones.
 */
TALLY_API uint32_t tally_gpu_port_read(struct tally_gpu *gpu, uint32_t port, unsigned bytes);
TALLY_API void tally_gpu_port_write(struct tally_gpu *gpu, uint32_t port, unsigned bytes,
                                    uint32_t value);

/* ---- interrupts ------------------------------------------------------------------------------ */

/*
 * Sends an interrupt message of an engine (Gen11 on; OA-3.4): class 0 to 7, instance 0 to 63,
 * virtual function 0 to 7, 16 bits of data. Returns 0, or -EINVAL for an unknown engine.
 */
TALLY_API int tally_gpu_interrupt(struct tally_gpu *gpu, unsigned engine_class, unsigned instance,
                                  unsigned function, uint16_t data);

/*
 * The same with the 32 bits of the message (Gen11 on; document 004, "Format of interrupt message"):
 * data in bits 15:0, class in 18:16, instance in 25:20, virtual function in 29:27. Reserved bits
 * are ignored. Returns 0, or -EINVAL for an unknown engine.
 */
TALLY_API int tally_gpu_interrupt_message(struct tally_gpu *gpu, uint32_t message);

/* Sets the level of another interrupt source: bit 30 (PCU), 29 (GU_MISC) or 16 (display) of the
 * master control (Gen11 on; OA-3.2). Returns 0; -EINVAL for other bits. */
TALLY_API int tally_gpu_set_level(struct tally_gpu *gpu, unsigned bit, bool level);

/* Access the copy of the interrupt registers, 190000h to 1900FFh, of a virtual function 1 to 7 that
 * exists and whose memory space VF MSE enables; else reads return all ones, and writes are ignored.
 * tally_gpu_read32() accesses that of function 0. */
TALLY_API uint32_t tally_gpu_function_read32(struct tally_gpu *gpu, unsigned function,
                                             uint32_t address);
TALLY_API void tally_gpu_function_write32(struct tally_gpu *gpu, unsigned function,
                                          uint32_t address, uint32_t value);

/* Access the hardware scheduler's copy of the interrupt registers, 190000h to 1900FFh (Gen11 on).
 */
TALLY_API uint32_t tally_gpu_scheduler_read32(struct tally_gpu *gpu, uint32_t address);
TALLY_API void tally_gpu_scheduler_write32(struct tally_gpu *gpu, uint32_t address, uint32_t value);

/* ---- commands -------------------------------------------------------------------------------- */

/*
 * Batches run as on hardware. Gen6 to Gen7.5: a ring, through RING_TAIL to RING_CTL (2030h to
 * 203Ch). From Gen8 on: execution lists, through 2230h (four writes: element 1 high and low, then
 * element 0; the last one submits), or from Gen11 on through 2510h to 251Ch and a 1 written to
 * 2550h. The image of a context is at LRCA + 1000h: MI_LOAD_REGISTER_IMM commands up to
 * MI_BATCH_BUFFER_END, which load the ring's registers and those of the streamer, the pipeline and
 * the OA unit. A save lays the image down at the hardware's places, and writes up to 4000h bytes
 * from LRCA on. The context id in reports is the upper dword of the descriptor. A list starts when
 * the running context has completed or can be preempted (docs/reference, OA-12).
 *
 * tally_gpu_submit() needs neither ring nor list: it submits the batch at `address` in the address
 * space `space` as a separate context with the id `id`, which starts when earlier submissions have
 * completed. privileged: the batch may write all registers. Returns 0, or -EBUSY if two batches are
 * waiting.
 */
TALLY_API int tally_gpu_submit(struct tally_gpu *gpu, uint32_t id, uint32_t space, uint64_t address,
                               bool privileged);

/* Sets the number of the address space that the contexts of a ring use as PPGTT. */
TALLY_API void tally_gpu_set_ppgtt(struct tally_gpu *gpu, uint32_t space);

/*
 * The engines: "rcs0" (render), "bcs0" (copy), "vcs0", "vcs1", "vcs2" (video), "vecs0" (video
 * enhancement), as the GPU has them. Each has its ring or ports at the same offsets from its base.
 * Engines other than render run MI commands; blits and video commands take time.
 *
 * tally_gpu_engine() returns the name of the index-th engine, the first being "rcs0"; NULL past the
 * end. tally_gpu_engine_submit() is tally_gpu_submit() for any engine; -EINVAL if the GPU does not
 * have it. tally_gpu_engine_reset() resets one engine; 0, or -EINVAL. tally_gpu_engine_busy_ns()
 * returns the time in which the engine had work; 0 if the GPU does not have it.
 */
TALLY_API const char *tally_gpu_engine(const struct tally_gpu *gpu, size_t index);
TALLY_API int tally_gpu_engine_submit(struct tally_gpu *gpu, const char *engine, uint32_t id,
                                      uint32_t space, uint64_t address, bool privileged);
TALLY_API int tally_gpu_engine_reset(struct tally_gpu *gpu, const char *engine);
TALLY_API uint64_t tally_gpu_engine_busy_ns(const struct tally_gpu *gpu, const char *engine);

/* Returns whether no engine has work. After a fault an engine is not idle. */
TALLY_API bool tally_gpu_is_idle(const struct tally_gpu *gpu);

/* Returns -EIO and a message with engine, address and dword if a command streamer has stopped with
 * a fault, else 0. A reset of the engine clears the fault. */
TALLY_API int tally_gpu_fault(const struct tally_gpu *gpu, struct tally_error *error);

/*
 * Sets the listener for such faults, NULL for none. It is called once each time that the command
 * streamer stops, with the error of tally_gpu_fault(), which is valid during the call. It must not
 * access the GPU. tally_gpu_copy() does not copy it.
 */
TALLY_API void tally_gpu_set_fault_listener(struct tally_gpu *gpu,
                                            void (*listener)(void *context,
                                                             const struct tally_error *error),
                                            void *context);

/* ---- power and resets ------------------------------------------------------------------------ */

/*
 * Enter, leave and query RC6, in which the GT is powered off. On entry, counters and the rest of
 * the power context are saved; the clocks stop rc6_blind_clocks later, and what is counted in
 * between is lost, since the saved values are restored on exit. Registers outside of the power
 * context (OA_DEBUG and the NOA configuration) then have their reset values (OA-2.14). A force wake
 * request or a submission also ends RC6. tally_gpu_enter_rc6() returns 0; -EBUSY while a domain is
 * requested, the command streamer has work, or A094h/A090h forbid RC6; -EALREADY in RC6.
 */
TALLY_API int tally_gpu_enter_rc6(struct tally_gpu *gpu);
TALLY_API void tally_gpu_exit_rc6(struct tally_gpu *gpu);
TALLY_API bool tally_gpu_in_rc6(const struct tally_gpu *gpu);

/* Return, since the GPU was created: ns in RC6; render clocks outside of RC6; ns in which the
 * render engine had work, of commands or of a workload. */
TALLY_API uint64_t tally_gpu_rc6_ns(const struct tally_gpu *gpu);
TALLY_API uint64_t tally_gpu_awake_clocks(const struct tally_gpu *gpu);
TALLY_API uint64_t tally_gpu_busy_ns(const struct tally_gpu *gpu);

/* Returns by how much a counter had advanced between the save and the stop of clocks at the latest
 * RC6 entry: the counts that were lost. `name` is as in tally_oa_peek(): "a7", "b0", "c2", "free4";
 * 0 for other names. */
TALLY_API uint64_t tally_gpu_blind(const struct tally_gpu *gpu, const char *name);

/*
 * Power wells of render ("render") and of each media slice ("media0": VDBOX0, VDBOX1 and VEBOX0;
 * "media1": VDBOX2, VDBOX3 and VEBOX1), on platforms that have separate wells: Valleyview,
 * Cherryview, Skylake and from Gen11 on (docs/reference, OA-14.1). A well powers down when no
 * domain of it is requested and no engine of it has work: from Skylake on at once, if PG_ENABLE
 * (A210h) enables it; before, after rc6_after_clocks. It loses or saves its registers, which read 0
 * until it is requested again. In RC6 all wells are down, and so is the GT's own, "gt".
 *
 * Return whether the GPU has a well with this name, and whether it is down; false for other names.
 */
TALLY_API bool tally_gpu_has_well(const struct tally_gpu *gpu, const char *name);
TALLY_API bool tally_gpu_well_is_down(const struct tally_gpu *gpu, const char *name);

/* Extents of a reset. */
enum tally_gpu_reset {
    TALLY_GPU_RESET_ENGINE, /* the render engine; OA is not reset (OA-2.7) */
    TALLY_GPU_RESET_GT,     /* the GT (OA-D46) */
    TALLY_GPU_RESET_CHIP    /* the GT and TIMESTAMP (OA-1.6) */
};

/* Resets a part of the GPU, at once. */
TALLY_API void tally_gpu_reset(struct tally_gpu *gpu, enum tally_gpu_reset what);

/* Workaround batches ("DFD Configuration Restore"), by when they run. */
enum tally_gpu_batch {
    TALLY_GPU_BATCH_RENDER,  /* when the render well is powered on again */
    TALLY_GPU_BATCH_CONTEXT, /* at each load of a context */
    TALLY_GPU_BATCH_MEDIA,   /* when the well of a media slice is powered on again */
    TALLY_GPU_BATCHES
};

/* A register and the value that is written to it. */
struct tally_gpu_register {
    uint32_t address, value;
};

/*
 * Sets the registers that a workaround batch restores. The list belongs to the caller, who keeps it
 * until it is replaced. Registers that the batch cannot reach are ignored. Returns the number of
 * registers that it restores.
 */
TALLY_API size_t tally_gpu_set_batch(struct tally_gpu *gpu, enum tally_gpu_batch batch,
                                     const struct tally_gpu_register *registers, size_t count);

/* ---- faults ---------------------------------------------------------------------------------- */

/*
 * Faults that occur on real hardware, to be injected when software that reads reports is tested.
 * None by default; unused faults cost nothing.
 */
struct tally_gpu_faults {
    /* As tally_oa_bus.sample: returning false loses a report. NULL: none is lost. */
    bool (*sample)(void *context, uint64_t report, bool timer);

    /* Called when a line of report number `report` is written to memory. Returns true to hold the
     * line back: the tail advances, but the memory is not written; the callee may write the line
     * later. NULL: no line is held back. */
    bool (*hold)(void *context, uint64_t report, uint32_t space, uint64_t address,
                 const uint8_t *line, size_t bytes);
    void *context;
};

/* Sets the faults. The struct is copied. The rules for the callbacks of struct tally_gpu_bus also
 * apply to these. */
TALLY_API void tally_gpu_set_faults(struct tally_gpu *gpu, const struct tally_gpu_faults *faults);

/* Sets the bit Buffer Overflow of OASTATUS, whether or not the report buffer is full. */
TALLY_API void tally_gpu_overflow(struct tally_gpu *gpu);

/* Starts or ends the loss of force wake. While `lost`, the GPU is in RC6 regardless of work and
 * requests, and the command streamer is stopped. When the fault ends, the requests in the registers
 * take effect again, and the running context is reloaded. */
TALLY_API void tally_gpu_lose_wake(struct tally_gpu *gpu, bool lost);

/* Switches to the context `id`, as if another client used the GPU, until tally_gpu_end_intrusion()
 * or the next context switch by the command streamer or the workload. */
TALLY_API void tally_gpu_intrude(struct tally_gpu *gpu, uint32_t id);
TALLY_API void tally_gpu_end_intrusion(struct tally_gpu *gpu);

/* ---- time ------------------------------------------------------------------------------------ */

/* Runs the GPU for a number of render clocks; in RC6, for the time of that many clocks. */
TALLY_API void tally_gpu_run(struct tally_gpu *gpu, uint64_t clocks);

/* Runs the GPU for at least `ns` nanoseconds, at its current frequency. Returns the clocks. */
TALLY_API uint64_t tally_gpu_run_ns(struct tally_gpu *gpu, uint64_t ns);

/* Return the clocks and the nanoseconds since the GPU was created, and the frequencies of the
 * render clock and of TIMESTAMP in Hz. */
TALLY_API uint64_t tally_gpu_now(const struct tally_gpu *gpu);
TALLY_API uint64_t tally_gpu_now_ns(const struct tally_gpu *gpu);
TALLY_API uint32_t tally_gpu_clock_hz(const struct tally_gpu *gpu);
TALLY_API uint32_t tally_gpu_timestamp_hz(const struct tally_gpu *gpu);

#ifdef __cplusplus
}
#endif

#endif
