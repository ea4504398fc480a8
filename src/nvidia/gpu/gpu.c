/* SPDX-License-Identifier: MIT */
/* An assembled NVIDIA GPU: the parts behind BAR 0, and time. */
#include "nvidia/gpu/gpu.h"

#include <errno.h>
#include <stdatomic.h>
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

static uint32_t read_pmc(void *closure, const struct reg_request *request)
{
    const struct nvidia_gpu *gpu = closure;
    switch ((enum pmc_register_id)request->row->reg->id) {
    case PMC_REG_BOOT_0:
        return boot_value(gpu, request->row->reg);
    case PMC_REG_INTR_HOST:
        return nvidia_interrupts(gpu);
    case PMC_REG_INTR_EN_HOST:
        return gpu->intr_enable;
    default:
        return gpu->enable;
    }
}

static void write_pmc(void *closure, const struct reg_request *request, uint32_t value)
{
    struct nvidia_gpu *gpu = closure;
    if (request->row->reg->id == PMC_REG_ENABLE) {
        write_enable(gpu, value);
        return;
    }
    gpu->intr_enable = value & request->row->stored;
    nvidia_interrupts_update(gpu);
}

/* ---- PTIMER and configuration space ---------------------------------------------------------- */

static uint32_t read_timer(void *gpu, const struct reg_request *request)
{
    return nvidia_timer_read(gpu, request->row->reg->id);
}

static void write_timer(void *gpu, const struct reg_request *request, uint32_t value)
{
    nvidia_timer_write(gpu, request->row->reg->id, value);
}

static uint32_t read_pci(void *gpu, const struct reg_request *request)
{
    return nvidia_pci_read(gpu, request->row->reg->offset, sizeof(uint32_t));
}

static void write_pci(void *gpu, const struct reg_request *request, uint32_t value)
{
    nvidia_pci_write(gpu, request->row->reg->offset, sizeof(uint32_t), value);
}

/* ---- registers that are stored --------------------------------------------------------------- */

static uint32_t read_stored(void *gpu, const struct reg_request *request)
{
    return ((const struct nvidia_gpu *)gpu)->stored[request->row->reg->id];
}

static void write_stored(void *closure, const struct reg_request *request, uint32_t value)
{
    struct nvidia_gpu *gpu = closure;
    const struct reg *reg = request->row->reg;
    gpu->stored[reg->id] = value & request->row->stored;
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
    uint64_t left = address < gpu->first_selector ? 0 : gpu->selectors;
    for (; left; left &= left - 1) {
        unsigned index = (unsigned)__builtin_ctzll(left);
        const struct nvidia_selector *selector = nvidia_selector_at(index);
        uint32_t stride = selector->stride, apart = address - selector->address;
        unsigned unit = stride && apart % stride == 0 ? apart / stride : 0;
        if (apart == unit * stride && unit < NVIDIA_UNITS && (!unit || unit < units))
            return (struct selector_place){selector, index, unit};
    }
    return (struct selector_place){0};
}

static void init_selectors(struct nvidia_gpu *gpu)
{
    const struct nvidia_selector *selector;
    gpu->first_selector = UINT32_MAX;
    for (size_t i = 0; (selector = nvidia_selector_at(i)); i++)
        if (nvidia_selector_has(selector, gpu->chipset)) {
            gpu->selectors |= UINT64_C(1) << i;
            gpu->first_selector = min_u32(selector->address, gpu->first_selector);
        }
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

static const struct reg_handler handlers[NVIDIA_PARTS] = {
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

/* Makes the index of the registers outside of PCOUNTER. */
static struct reg_index *build_index(enum tally_pcounter_revision revision)
{
    struct reg_block blocks[NVIDIA_PARTS];
    struct reg_part all[NVIDIA_PARTS];
    for (enum nvidia_part part = 0; part < NVIDIA_PARTS; part++) {
        blocks[part] =
            (struct reg_block){.map = nvidia_registers(revision, part), .common = handlers[part]};
        all[part] = (struct reg_part){&blocks[part], part};
    }
    return reg_index_new(all, NVIDIA_PARTS, 1u << revision, 1);
}

const struct reg_index *nvidia_register_index(enum tally_pcounter_revision revision)
{
    static struct reg_index *_Atomic indexes[TALLY_PCOUNTER_REVISIONS];
    struct reg_index *built = atomic_load_explicit(&indexes[revision], memory_order_acquire);
    return built ? built : reg_index_publish(&indexes[revision], build_index(revision));
}

static struct reg_request request_at(const struct nvidia_gpu *gpu, uint32_t address)
{
    struct reg_request request = {.address = address};
    request.row = reg_index_find(gpu->index, address, &request.element);
    return request;
}

static enum tally_pcounter_access_outcome
judge(const struct nvidia_gpu *gpu, const struct nvidia_access *access, const struct reg_row *row)
{
    if (row && row->part == NVIDIA_PTIMER && gpu->timer.disabled)
        return TALLY_PCOUNTER_DISABLED;
    return (enum tally_pcounter_access_outcome)(access->write ? reg_check_write(row, access->value)
                                                              : reg_check_read(row));
}

/* Notifies the listener of an access outside of PCOUNTER. */
static void report(const struct nvidia_gpu *gpu, struct nvidia_access *access)
{
    if (!gpu->listener)
        return;
    if (!reg_index_place(gpu->index, access->address, &access->place))
        access->place.reg = NULL;
    gpu->listener(gpu->listener_closure, access);
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
    const struct nvidia_access here = {
        gpu->ns,
        access->address,
        access->value,
        access->write,
        access->outcome,
        pcounter_locate(gpu->pcounter, access->address, access->write ? REG_WRITE : REG_READ)};
    gpu->listener(gpu->listener_closure, &here);
}

/* PCOUNTER describes each access to its listener, which takes time. */
void nvidia_gpu_listen(struct nvidia_gpu *gpu, nvidia_listener *listener, void *closure)
{
    gpu->listener = listener;
    gpu->listener_closure = closure;
    tally_pcounter_set_mmio_listener(gpu->pcounter, listener ? hear_pcounter : NULL, gpu);
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
    const struct reg_request request = request_at(gpu, address);
    if (read_selector(gpu, &access)) {
        report(gpu, &access);
        return access.value;
    }
    access.outcome = judge(gpu, &access, request.row);
    if (access.outcome == TALLY_PCOUNTER_UNKNOWN_REGISTER)
        access.value = error_words[gpu->pcounter->features->layout].absent;
    else if (access.outcome == TALLY_PCOUNTER_DISABLED)
        access.value = error_words[gpu->pcounter->features->layout].disabled;
    else
        access.value = request.row->handler.read(gpu, &request);
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
    const struct reg_request request = request_at(gpu, address);
    struct selector_place place = find_selector(gpu, address);
    if (place.selector) {
        access.outcome = value & ~selector_fields(place.selector) ? TALLY_PCOUNTER_RESERVED_BITS
                                                                  : TALLY_PCOUNTER_DONE;
        report(gpu, &access);
        write_selector(gpu, &place, value);
        return;
    }
    access.outcome = judge(gpu, &access, request.row);
    report(gpu, &access);
    if (access.outcome == TALLY_PCOUNTER_DONE || access.outcome == TALLY_PCOUNTER_RESERVED_BITS)
        request.row->handler.write(gpu, &request, value);
}

uint64_t nvidia_registers_read(struct nvidia_gpu *gpu, uint32_t offset, unsigned bytes)
{
    unsigned within = offset % 4;
    uint64_t value = nvidia_gpu_read32(gpu, offset - within);
    if (bytes == 8)
        value |= (uint64_t)nvidia_gpu_read32(gpu, offset + 4) << 32;
    return value >> 8 * within & low_bits(8 * bytes);
}

bool nvidia_registers_write(struct nvidia_gpu *gpu, uint32_t offset, unsigned bytes, uint64_t value)
{
    if ((bytes != 4 && bytes != 8) || offset % bytes)
        return false;
    nvidia_gpu_write32(gpu, offset, (uint32_t)value);
    if (bytes == 8)
        nvidia_gpu_write32(gpu, offset + 4, (uint32_t)(value >> 32));
    return true;
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
    gpu->index = nvidia_register_index(revision_of(gpu));
    if (!gpu->index) {
        nvidia_gpu_free(gpu);
        return fail_memory(error, "a GPU");
    }
    gpu->ticks_per_ns = 1;
    init_selectors(gpu);
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
