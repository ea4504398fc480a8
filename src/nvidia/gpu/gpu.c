/* SPDX-License-Identifier: MIT */
/* An assembled NVIDIA GPU: the parts behind BAR 0, and time. */
#include "nvidia/gpu/gpu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/minmax.h"
#include "nvidia/gpu/registers.h"
#include "nvidia/pcounter/engine.h"
#include "nvidia/selectors.h"

/* The stepping of all chipsets: A1 (decided; PC-F.2 has A0h to BFh). */
#define FIRST_STEPPING REG_GET(PPCI_CLASS, REVISION, REG_RESET(PPCI_CLASS))

/* What reads return of registers that do not exist, and of a part that PMC.ENABLE holds in reset
 * (PC-F.4), by layout; up to GT215 both read 0 (decided). */
static const struct {
    uint32_t absent, disabled;
} error_words[] = {
    [LAYOUT_GF100] = {REGISTER_ABSENT, ENGINE_DISABLED},
};

static enum tally_pcounter_revision revision_of(const struct nvidia_gpu *gpu)
{
    return (enum tally_pcounter_revision)gpu->chipset->revision;
}

/* ---- PMC ------------------------------------------------------------------------------------- */

/* Returns the field with the low bits of the PCI device id. */
static const struct reg_field *device_field(const struct reg *boot, uint32_t revision)
{
    const struct reg_field *field = boot->fields;
    while (strncmp(field->name, "DEVICE", strlen("DEVICE")) != 0 ||
           !reg_field_exists(field, revision, 1))
        field++;
    return field;
}

static uint32_t boot_value(const struct nvidia_gpu *gpu, const struct reg *boot)
{
    const struct reg_field *field = device_field(boot, pcounter_revision_bit(gpu->pcounter));
    uint32_t mask = UINT32_MAX >> (31 - (field->high - field->low));
    return REG_PUT(PMC_BOOT_0, STEPPING, FIRST_STEPPING) |
           REG_PUT(PMC_BOOT_0, ID, gpu->chipset->id) |
           (nvidia_pci_id(gpu->chipset) & mask) << field->low;
}

/* PCOUNTER looks at its own bit, on chipsets where it has one. */
static void write_enable(struct nvidia_gpu *gpu, uint32_t value)
{
    bool was = !gpu->timer.disabled, is = REG_GET(PMC_ENABLE, PTIMER, value);
    gpu->enable = value;
    if (is != was)
        nvidia_timer_reset(gpu, is);
    tally_pcounter_write32(gpu->pcounter, PMC_ENABLE, value);
}

static uint32_t read_pmc(const struct nvidia_gpu *gpu, const struct reg *reg)
{
    switch ((enum pmc_register_id)reg->id) {
    case PMC_REG_BOOT_0:
        return boot_value(gpu, reg);
    case PMC_REG_INTR_HOST:
        return nvidia_interrupts(gpu);
    case PMC_REG_INTR_EN_HOST:
        return gpu->intr_enable;
    default:
        return gpu->enable;
    }
}

static void write_pmc(struct nvidia_gpu *gpu, const struct reg *reg, uint32_t value)
{
    if (reg->id == PMC_REG_ENABLE) {
        write_enable(gpu, value);
        return;
    }
    gpu->intr_enable = value & reg_storage(reg, pcounter_revision_bit(gpu->pcounter), 1);
    nvidia_interrupts_update(gpu);
}

/* ---- PTIMER and configuration space ---------------------------------------------------------- */

static uint32_t read_timer(const struct nvidia_gpu *gpu, const struct reg *reg)
{
    return nvidia_timer_read(gpu, reg->id);
}

static void write_timer(struct nvidia_gpu *gpu, const struct reg *reg, uint32_t value)
{
    nvidia_timer_write(gpu, reg->id, value);
}

static uint32_t read_pci(const struct nvidia_gpu *gpu, const struct reg *reg)
{
    return nvidia_pci_read(gpu, reg->offset, sizeof(uint32_t));
}

static void write_pci(struct nvidia_gpu *gpu, const struct reg *reg, uint32_t value)
{
    nvidia_pci_write(gpu, reg->offset, sizeof(uint32_t), value);
}

/* ---- registers that are stored --------------------------------------------------------------- */

static uint32_t read_stored(const struct nvidia_gpu *gpu, const struct reg *reg)
{
    return gpu->stored[reg->id];
}

static void write_stored(struct nvidia_gpu *gpu, const struct reg *reg, uint32_t value)
{
    gpu->stored[reg->id] = value & reg_storage(reg, pcounter_revision_bit(gpu->pcounter), 1);
    if (reg->id == GPU_CHAN && REG_GET(PBUS_CHAN, WHICH, value))
        gpu->bar_channel = value;
    else if (reg->id == GPU_DEBUG_1 && REG_GET(PGRAPH_DEBUG_1, PM_TRIGGER, value))
        nvidia_trigger(gpu);
}

static void reset_stored(struct nvidia_gpu *gpu)
{
    uint32_t revision = pcounter_revision_bit(gpu->pcounter);
    memset(gpu->stored, 0, sizeof gpu->stored);
    gpu->bar_channel = 0;
    for (enum nvidia_part part = NVIDIA_PBUS; part < NVIDIA_PARTS; part++) {
        const struct reg_map *map = nvidia_registers(revision_of(gpu), part);
        for (size_t i = 0; i < map->count; i++)
            if (map->regs[i].revisions & revision)
                gpu->stored[map->regs[i].id] = map->regs[i].reset;
    }
    gpu->stored[GPU_GPC_COUNT] = gpu->chipset->gpcs;
    gpu->stored[GPU_PART_COUNT] = gpu->chipset->partitions;
}

/* ---- the windows on the ROM and on memory ---------------------------------------------------- */

static bool is_in(uint32_t address, uint32_t base, uint32_t bytes)
{
    return address >= base && address - base < bytes;
}

/* Reads beyond the image of the ROM return ones. */
static bool read_window(const struct nvidia_gpu *gpu, struct nvidia_access *access)
{
    uint32_t in_rom = access->address - PROM_BASE;
    if (!gpu->vram)
        return false;
    if (is_in(access->address, PMEM_BASE, PMEM_BYTES))
        access->value = nvidia_window_read(gpu, access->address - PMEM_BASE);
    else if (is_in(access->address, PROM_BASE, PROM_BYTES))
        access->value = in_rom < NVIDIA_ROM_BYTES ? load_le32(gpu->rom + in_rom) : UINT32_MAX;
    else
        return false;
    access->outcome = TALLY_PCOUNTER_DONE;
    return true;
}

/* The ROM cannot be written. */
static bool write_window(struct nvidia_gpu *gpu, struct nvidia_access *access)
{
    if (!gpu->vram || !is_in(access->address, PMEM_BASE, PMEM_BYTES))
        return false;
    nvidia_window_write(gpu, access->address - PMEM_BASE, access->value);
    access->outcome = TALLY_PCOUNTER_DONE;
    return true;
}

/* ---- selectors ------------------------------------------------------------------------------- */

struct selector_place {
    const struct nvidia_selector *selector; /* NULL: none */
    size_t index;
    unsigned unit; /* GPC or partition */
};

/* Finds the selector at an address. */
static struct selector_place find_selector(const struct nvidia_gpu *gpu, uint32_t address)
{
    unsigned units = max_u32(gpu->chipset->gpcs, gpu->chipset->partitions);
    struct selector_place place = {0};
    for (; (place.selector = nvidia_selector_at(place.index)); place.index++) {
        uint32_t stride = place.selector->stride, apart = address - place.selector->address;
        place.unit = stride && apart % stride == 0 ? apart / stride : 0;
        if (apart == place.unit * stride && place.unit < NVIDIA_UNITS &&
            (!place.unit || place.unit < units) &&
            nvidia_selector_has(place.selector, gpu->chipset))
            break;
    }
    return place;
}

static uint32_t selector_fields(const struct nvidia_selector *selector)
{
    return selector->mask | selector->enable;
}

static bool read_selector(const struct nvidia_gpu *gpu, struct nvidia_access *access)
{
    struct selector_place place = find_selector(gpu, access->address);
    if (!place.selector)
        return false;
    access->value = gpu->selected[place.index][place.unit];
    access->outcome = TALLY_PCOUNTER_DONE;
    return true;
}

static void write_selector(struct nvidia_gpu *gpu, const struct selector_place *place,
                           uint32_t value)
{
    gpu->selected[place->index][place->unit] = value & selector_fields(place->selector);
    if (gpu->select)
        gpu->select(gpu->select_closure);
}

static void reset_selectors(struct nvidia_gpu *gpu)
{
    memset(gpu->selected, 0, sizeof gpu->selected);
    if (gpu->select)
        gpu->select(gpu->select_closure);
}

/* ---- BAR 0 ----------------------------------------------------------------------------------- */

static const struct {
    uint32_t (*read)(const struct nvidia_gpu *gpu, const struct reg *reg);
    void (*write)(struct nvidia_gpu *gpu, const struct reg *reg, uint32_t value);
} parts[NVIDIA_PARTS] = {
    [NVIDIA_PMC] = {read_pmc, write_pmc},          [NVIDIA_PTIMER] = {read_timer, write_timer},
    [NVIDIA_PPCI] = {read_pci, write_pci},         [NVIDIA_PBUS] = {read_stored, write_stored},
    [NVIDIA_PFLUSH] = {read_stored, write_stored}, [NVIDIA_PFB] = {read_stored, write_stored},
    [NVIDIA_PGRAPH] = {read_stored, write_stored}, [NVIDIA_PTOP] = {read_stored, write_stored},
};

static bool is_pcounter(const struct nvidia_gpu *gpu, uint32_t address)
{
    bool sets = gpu->pcounter->features->sets;
    uint32_t base = sets ? GF100_PCOUNTER_BASE : PCOUNTER_BASE;
    return address >= base && address - base < (sets ? GF100_PCOUNTER_SIZE : PCOUNTER_SIZE);
}

/* Finds the part and the register at an address. Returns NVIDIA_PARTS if there is none. */
static enum nvidia_part find(const struct nvidia_gpu *gpu, struct nvidia_access *access)
{
    uint32_t revision = pcounter_revision_bit(gpu->pcounter);
    for (enum nvidia_part part = 0; part < NVIDIA_PARTS; part++)
        if (reg_find(nvidia_registers(revision_of(gpu), part), revision, 1, access->address,
                     access->write ? REG_WRITE : REG_READ, &access->place))
            return part;
    access->place.reg = NULL;
    return NVIDIA_PARTS;
}

static enum tally_pcounter_access_outcome
judge(const struct nvidia_gpu *gpu, const struct nvidia_access *access, enum nvidia_part part)
{
    const struct reg *reg = access->place.reg;
    if (!reg)
        return TALLY_PCOUNTER_UNKNOWN_REGISTER;
    if (part == NVIDIA_PTIMER && gpu->timer.disabled)
        return TALLY_PCOUNTER_DISABLED;
    if (access->write && !(reg->access & REG_WRITE))
        return TALLY_PCOUNTER_READ_ONLY;
    if (access->write &&
        (access->value & ~reg_documented(reg, pcounter_revision_bit(gpu->pcounter), 1)))
        return TALLY_PCOUNTER_RESERVED_BITS;
    return TALLY_PCOUNTER_DONE;
}

static void report(const struct nvidia_gpu *gpu, const struct nvidia_access *access)
{
    if (gpu->listener)
        gpu->listener(gpu->closure, access);
}

const char *nvidia_trace_line(const struct nvidia_gpu *gpu, const struct nvidia_access *access,
                              char text[REG_TRACE_LINE])
{
    const struct tally_pcounter_access here = {
        .tick = access->ns,
        .address = access->address,
        .value = access->value,
        .write = access->write,
        .outcome = access->outcome,
    };
    return pcounter_trace_line(gpu->pcounter, &here, &access->place, text);
}

/* The listener of PCOUNTER. PMC reports its own register. */
static void hear_pcounter(void *context, const struct tally_pcounter_access *access)
{
    const struct nvidia_gpu *gpu = context;
    if (access->address == PMC_ENABLE)
        return;
    struct pcounter_target target =
        pcounter_locate(gpu->pcounter, access->address, access->write ? REG_WRITE : REG_READ);
    report(gpu, &(struct nvidia_access){gpu->ns, access->address, access->value, access->write,
                                        access->outcome, target.place});
}

uint32_t nvidia_gpu_read32(struct nvidia_gpu *gpu, uint32_t address)
{
    struct nvidia_access access = {.ns = gpu->ns, .address = address};
    if (is_pcounter(gpu, address))
        return tally_pcounter_read32(gpu->pcounter, address);
    if (read_window(gpu, &access)) {
        report(gpu, &access);
        return access.value;
    }
    enum nvidia_part part = find(gpu, &access);
    if (read_selector(gpu, &access)) {
        report(gpu, &access);
        return access.value;
    }
    access.outcome = judge(gpu, &access, part);
    if (access.outcome == TALLY_PCOUNTER_UNKNOWN_REGISTER)
        access.value = error_words[gpu->pcounter->features->layout].absent;
    else if (access.outcome == TALLY_PCOUNTER_DISABLED)
        access.value = error_words[gpu->pcounter->features->layout].disabled;
    else
        access.value = parts[part].read(gpu, access.place.reg);
    report(gpu, &access);
    return access.value;
}

void nvidia_gpu_write32(struct nvidia_gpu *gpu, uint32_t address, uint32_t value)
{
    struct nvidia_access access = {
        .ns = gpu->ns, .address = address, .value = value, .write = true};
    if (is_pcounter(gpu, address)) {
        tally_pcounter_write32(gpu->pcounter, address, value);
        return;
    }
    if (write_window(gpu, &access)) {
        report(gpu, &access);
        return;
    }
    enum nvidia_part part = find(gpu, &access);
    struct selector_place place = find_selector(gpu, address);
    if (place.selector) {
        access.outcome = value & ~selector_fields(place.selector) ? TALLY_PCOUNTER_RESERVED_BITS
                                                                  : TALLY_PCOUNTER_DONE;
        report(gpu, &access);
        write_selector(gpu, &place, value);
        return;
    }
    access.outcome = judge(gpu, &access, part);
    report(gpu, &access);
    if (access.outcome == TALLY_PCOUNTER_DONE || access.outcome == TALLY_PCOUNTER_RESERVED_BITS)
        parts[part].write(gpu, access.place.reg, value);
}

/* ---- the GPU --------------------------------------------------------------------------------- */

void nvidia_gpu_reset(struct nvidia_gpu *gpu)
{
    const struct reg_map *pmc = nvidia_registers(revision_of(gpu), NVIDIA_PMC);
    struct reg_place place;
    tally_pcounter_reset(gpu->pcounter);
    nvidia_timer_reset(gpu, true);
    nvidia_pci_reset(gpu);
    reset_stored(gpu);
    reset_selectors(gpu);
    gpu->intr_enable = 0;
    gpu->disarmed = false;
    if (reg_find(pmc, pcounter_revision_bit(gpu->pcounter), 1, PMC_ENABLE, REG_WRITE, &place))
        write_enable(gpu, place.reg->reset);
}

static void init_clocks(struct nvidia_gpu *gpu)
{
    for (unsigned i = 0; i < tally_pcounter_domains(gpu->pcounter); i++)
        tally_pcounter_set_clock(gpu->pcounter, i, NVIDIA_CLOCK_TICKS, 0);
}

int nvidia_gpu_new(const struct tally_chipset *chipset, struct nvidia_gpu **out,
                   struct tally_error *error)
{
    if (!nvidia_pci_id(chipset) && chipset->presence != TALLY_ABSENT)
        return fail(error, -ENODEV, "%s is not a PCI device", chipset->title);
    struct nvidia_gpu *gpu = calloc(1, sizeof *gpu);
    if (!gpu)
        return fail_memory(error, "a GPU");
    int result = tally_pcounter_new(chipset, &gpu->pcounter, error);
    if (result < 0) {
        free(gpu);
        return result;
    }
    gpu->chipset = chipset;
    gpu->ticks_per_ns = 1;
    tally_pcounter_set_mmio_listener(gpu->pcounter, hear_pcounter, gpu);
    init_clocks(gpu);
    nvidia_timer_init(gpu);
    nvidia_trigger_init(gpu);
    nvidia_gpu_reset(gpu);
    if (nvidia_memory_init(gpu) < 0) {
        nvidia_gpu_free(gpu);
        return fail_memory(error, "VRAM");
    }
    if (gpu->vram)
        nvidia_vbios_make(gpu, gpu->rom);
    *out = gpu;
    return 0;
}

void nvidia_gpu_free(struct nvidia_gpu *gpu)
{
    if (!gpu)
        return;
    nvidia_memory_free(gpu);
    tally_pcounter_free(gpu->pcounter);
    free(gpu);
}

void nvidia_gpu_run(struct nvidia_gpu *gpu, uint64_t ns)
{
    uint64_t before = gpu->ns;
    gpu->ns += ns;
    tally_pcounter_run(gpu->pcounter, ns * gpu->ticks_per_ns);
    nvidia_timer_alarm(gpu, before);
}
