/* SPDX-License-Identifier: MIT */
#ifndef TALLY_NVIDIA_GPU_GPU_H
#define TALLY_NVIDIA_GPU_GPU_H

/*
 * An assembled NVIDIA GPU, as far as counter software needs one: PMC, PTIMER and PCOUNTER behind
 * BAR 0, and the PCI device; from G84 to before GT215 also VRAM, the virtual memory of its BARs,
 * the ROM, interrupts and PGRAPH's trigger, which nouveau needs. gpu.c has BAR 0 and time, timer.c
 * PTIMER, pci.c configuration space, interrupts.c interrupts, memory.c VRAM and the other BARs,
 * vbios.c the ROM, trigger.c the trigger.
 *
 * The domains' signals are waves that the caller attaches to PCOUNTER; which of a unit's signals
 * are on the MUX signals is stored in the selectors, whose changes the caller hears of. The GPU
 * itself drives PTIMER_TIME_B12, where the chipset has it. Decisions: docs/vm.md, "NVIDIA GPUs".
 * Thread rule: one thread at a time.
 */

#include <tally/pcounter.h>

#include "nvidia/gpu/registers.h"
#include "regs/index.h"
#include "regs/trace.h"

/* The period of PCOUNTER's domains until a caller sets others, in ticks, of which there is one in a
 * nanosecond: 500 MHz. nvidia_gpu_set_clocks() makes ticks shorter, so that the ratios of clocks
 * can be those of boards. */
#define NVIDIA_CLOCK_TICKS   2u
#define NVIDIA_FINE_TICKS    54u /* in a nanosecond: a multiple of the crystal's 27 MHz */
#define NVIDIA_BAR0_BYTES    0x1000000u
#define NVIDIA_CONFIG_DWORDS 64u
#define NVIDIA_ROM_BYTES     1024u
#define NVIDIA_SELECTORS     64u /* maximum, of all chipsets */
#define NVIDIA_UNITS         8u  /* maximum of GPCs or partitions with a selector each */

/* The BARs; BAR 1 and BAR 3 show memory. */
enum nvidia_bar { NVIDIA_BAR0, NVIDIA_BAR1, NVIDIA_BAR3, NVIDIA_BARS };

/* An access to a register of BAR 0. */
struct nvidia_access {
    uint64_t ns;
    uint32_t address, value;
    bool write;
    enum tally_pcounter_access_outcome outcome;
    struct reg_place place; /* reg NULL: unknown */
};

/* Called for every access to BAR 0: before a write takes effect, after a read. */
typedef void nvidia_listener(void *closure, const struct nvidia_access *access);

/* PTIMER: its counter at a time, from which it counts. */
struct nvidia_timer {
    uint64_t base_ns, counter, remainder;
    uint32_t div, mul, source; /* CLOCK_SOURCE */
    uint32_t intr, intr_en, alarm;
    bool disabled; /* by PMC.ENABLE */
};

/* The memory of the machine, for a GPU that is a bus master. False: not all of it is there. */
struct nvidia_host {
    bool (*read)(void *closure, uint64_t address, void *data, size_t bytes);
    bool (*write)(void *closure, uint64_t address, const void *data, size_t bytes);

    /* An interrupt message. */
    void (*message)(void *closure, uint64_t address, uint32_t data);
};

struct nvidia_gpu {
    const struct tally_chipset *chipset;
    struct tally_pcounter *pcounter;
    const struct reg_index *index; /* the registers outside of PCOUNTER */
    uint64_t ns;                   /* time since creation */
    uint32_t ticks_per_ns;         /* of PCOUNTER */
    struct nvidia_timer timer;
    int16_t trigger_signals[TALLY_PCOUNTER_DOMAINS_TOTAL]; /* PM_TRIGGER; negative: none */
    int timer_signal;      /* of domain 0: PTIMER_TIME_B12; negative: none */
    uint64_t timer_origin; /* clock of domain 0 at which its wave starts */
    uint32_t enable;       /* PMC.ENABLE */
    uint32_t intr_enable;  /* PMC.INTR_ENABLE_HOST */
    bool disarmed;         /* no message until software allows the next one */
    uint32_t config[NVIDIA_CONFIG_DWORDS];
    uint32_t stored[NVIDIA_STORED];

    /* The registers of nvidia/selectors.def, by index and GPC or partition; a mask of those that
     * the chipset has, and their first address. */
    uint32_t selected[NVIDIA_SELECTORS][NVIDIA_UNITS];
    uint64_t selectors;
    uint32_t first_selector;
    uint8_t *vram; /* NULL: none, nor BARs other than BAR 0 */
    uint32_t vram_bytes;
    uint32_t bar_channel; /* the channel of the BARs, as CHAN has it */
    uint8_t rom[NVIDIA_ROM_BYTES];

    nvidia_listener *listener; /* set by nvidia_gpu_listen() */
    void *listener_closure;
    const struct nvidia_host *host; /* NULL: no memory, no messages */
    void *closure;                  /* of the host */

    /* Called after a selector has changed, for what drives the units' signals. NULL: nothing. */
    void (*select)(void *closure);
    void *select_closure;
};

/* Makes the GPU of a chipset in its power-on state. Returns 0; -ENODEV and an error: the chipset
 * has no PCOUNTER, or is not a PCI device; -ENOMEM. The caller frees it. */
int nvidia_gpu_new(const struct tally_chipset *chipset, struct nvidia_gpu **out,
                   struct tally_error *error);
void nvidia_gpu_free(struct nvidia_gpu *gpu);

/* Resets registers and configuration space. Time and the waves of signals go on. */
void nvidia_gpu_reset(struct nvidia_gpu *gpu);

/* Returns the index of the registers of a revision outside of PCOUNTER, by enum nvidia_part; NULL:
 * out of memory. */
const struct reg_index *nvidia_register_index(enum tally_pcounter_revision revision);

/* Lets time pass. */
void nvidia_gpu_run(struct nvidia_gpu *gpu, uint64_t ns);

/* clocks.c: gives each domain the clock of the chipset's row in clocks.def; before time advances.
 */
void nvidia_gpu_set_clocks(struct nvidia_gpu *gpu);

/* Read and write a register of BAR 0; address: in bytes, a multiple of 4. */
uint32_t nvidia_gpu_read32(struct nvidia_gpu *gpu, uint32_t address);
void nvidia_gpu_write32(struct nvidia_gpu *gpu, uint32_t address, uint32_t value);

/* Same for accesses of 1, 2, 4 or 8 bytes: a narrow read returns a part of a register, 8 bytes are
 * two of them. A narrow or unaligned write is ignored (PC-AMB-11), and returns false. */
uint64_t nvidia_registers_read(struct nvidia_gpu *gpu, uint32_t offset, unsigned bytes);
bool nvidia_registers_write(struct nvidia_gpu *gpu, uint32_t offset, unsigned bytes,
                            uint64_t value);

/* Notifies a listener of every access; NULL: none. */
void nvidia_gpu_listen(struct nvidia_gpu *gpu, nvidia_listener *listener, void *closure);

/* Writes the line of an MMIO trace for an access. Returns `text`. */
const char *nvidia_trace_line(const struct nvidia_gpu *gpu, const struct nvidia_access *access,
                              char text[REG_TRACE_LINE]);

/* ---- pci.c ----------------------------------------------------------------------------------- */

/* Returns the PCI device id of a chipset; 0: it is not a PCI device. */
uint16_t nvidia_pci_id(const struct tally_chipset *chipset);

/* Returns the product of that id: "GeForce 8800 GT"; NULL: it is not a PCI device. */
const char *nvidia_product(const struct tally_chipset *chipset);

/* Sets configuration space to its values after a reset. */
void nvidia_pci_reset(struct nvidia_gpu *gpu);

/* Access configuration space; bytes: 1, 2 or 4, offset: a multiple of it. Other accesses read ones,
 * and ignore writes. */
uint32_t nvidia_pci_read(const struct nvidia_gpu *gpu, unsigned offset, unsigned bytes);
void nvidia_pci_write(struct nvidia_gpu *gpu, unsigned offset, unsigned bytes, uint32_t value);

/* Returns whether a physical address is in a BAR and the device responds; sets *bar and *offset. */
bool nvidia_pci_decode(const struct nvidia_gpu *gpu, uint64_t address, enum nvidia_bar *bar,
                       uint32_t *offset);

/* Returns whether the device may access memory. */
bool nvidia_pci_is_master(const struct nvidia_gpu *gpu);

/* ---- timer.c --------------------------------------------------------------------------------- */

/* Finds the signal, before time advances. */
void nvidia_timer_init(struct nvidia_gpu *gpu);

/* Resets PTIMER; enable: as PMC.ENABLE has it. */
void nvidia_timer_reset(struct nvidia_gpu *gpu, bool enable);

/* The handlers of its registers; `id` is that of gpu/registers.h. */
uint32_t nvidia_timer_read(const struct nvidia_gpu *gpu, unsigned id);
void nvidia_timer_write(struct nvidia_gpu *gpu, unsigned id, uint32_t value);

/* Raises the alarm if the time has passed it since `before_ns`. */
void nvidia_timer_alarm(struct nvidia_gpu *gpu, uint64_t before_ns);

/* ---- interrupts.c ---------------------------------------------------------------------------- */

/* Returns PMC.INTR_HOST. */
uint32_t nvidia_interrupts(const struct nvidia_gpu *gpu);

/* Sends a message if an interrupt is pending, and messages are enabled and allowed. Called after
 * every change of these. */
void nvidia_interrupts_update(struct nvidia_gpu *gpu);

/* Allows the next message. */
void nvidia_interrupts_rearm(struct nvidia_gpu *gpu);

/* ---- memory.c -------------------------------------------------------------------------------- */

/* Makes VRAM, of the size that PFB shows. Returns 0 or -ENOMEM. */
int nvidia_memory_init(struct nvidia_gpu *gpu);
void nvidia_memory_free(struct nvidia_gpu *gpu);

/* Access bytes of BAR 1 or BAR 3. A read without memory behind it returns 0, a write is lost. */
void nvidia_bar_read(const struct nvidia_gpu *gpu, enum nvidia_bar bar, uint32_t offset, void *data,
                     size_t bytes);
void nvidia_bar_write(struct nvidia_gpu *gpu, enum nvidia_bar bar, uint32_t offset,
                      const void *data, size_t bytes);

/* Access 32 bits of the window of BAR 0; offset: in bytes, a multiple of 4. */
uint32_t nvidia_window_read(const struct nvidia_gpu *gpu, uint32_t offset);
void nvidia_window_write(struct nvidia_gpu *gpu, uint32_t offset, uint32_t value);

/* ---- trigger.c ------------------------------------------------------------------------------- */

/* Finds the signal PGRAPH.PM_TRIGGER of each domain. */
void nvidia_trigger_init(struct nvidia_gpu *gpu);

/* Makes a pulse of PGRAPH.PM_TRIGGER at the next clock of each domain. */
void nvidia_trigger(struct nvidia_gpu *gpu);

/* ---- vbios.c --------------------------------------------------------------------------------- */

/* Writes the image of the ROM. */
void nvidia_vbios_make(const struct nvidia_gpu *gpu, uint8_t rom[NVIDIA_ROM_BYTES]);

#endif
