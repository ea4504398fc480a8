/* SPDX-License-Identifier: MIT */
/* The PCI device: configuration space, which is stored as its table of registers says, BARs and
 * power states. */
#include "base/bits.h"
#include "nvidia/gpu/gpu.h"
#include "nvidia/gpu/registers.h"
#include "nvidia/pcounter/engine.h"

static const struct {
    const char *chipset;
    uint16_t id;
    const char *product;
} devices[] = {
#define DEVICE(chipset, id, product) {#chipset, id, product},
#include "nvidia/gpu/devices.def"
#undef DEVICE
};

/* Returns the index of a chipset's device; past the end: it has none. */
static size_t find_device(const struct tally_chipset *chipset)
{
    size_t i = 0;
    while (i < ARRAY_COUNT(devices) && tally_chipset_find(devices[i].chipset) != chipset)
        i++;
    return i;
}

uint16_t nvidia_pci_id(const struct tally_chipset *chipset)
{
    size_t i = find_device(chipset);
    return i < ARRAY_COUNT(devices) ? devices[i].id : 0;
}

const char *nvidia_product(const struct tally_chipset *chipset)
{
    size_t i = find_device(chipset);
    return i < ARRAY_COUNT(devices) ? devices[i].product : NULL;
}

/* ---- registers ------------------------------------------------------------------------------- */

static const struct reg_map *map_of(const struct nvidia_gpu *gpu)
{
    return nvidia_registers((enum tally_pcounter_revision)gpu->chipset->revision, NVIDIA_PPCI);
}

static uint32_t *dword(struct nvidia_gpu *gpu, unsigned offset)
{
    return &gpu->config[offset / sizeof gpu->config[0]];
}

static uint32_t stored(const struct nvidia_gpu *gpu, unsigned offset)
{
    return gpu->config[offset / sizeof gpu->config[0]];
}

void nvidia_pci_reset(struct nvidia_gpu *gpu)
{
    const struct reg_map *map = map_of(gpu);
    uint16_t id = nvidia_pci_id(gpu->chipset);
    for (size_t i = 0; i < map->count; i++)
        if (map->regs[i].revisions & pcounter_revision_bit(gpu->pcounter))
            *dword(gpu, map->regs[i].offset) = map->regs[i].reset;
    *dword(gpu, PPCI_OFFSET(PPCI_ID)) |= REG_PUT(PPCI_ID, DEVICE, id);
    *dword(gpu, PPCI_OFFSET(PPCI_SUBSYSTEM)) = stored(gpu, PPCI_OFFSET(PPCI_ID));
    *dword(gpu, PPCI_OFFSET(PPCI_SUBSYSTEM_SET)) = stored(gpu, PPCI_OFFSET(PPCI_ID));
}

static unsigned power_state(const struct nvidia_gpu *gpu)
{
    return REG_GET(PPCI_PM_CONTROL, STATE, stored(gpu, PPCI_OFFSET(PPCI_PM_CONTROL)));
}

enum { D0 = 0, D3 = 3 };

/* Changes the power state; those that are not supported are ignored. In D3 BAR 0 does not respond;
 * after it the device is as after a reset. */
static void write_power(struct nvidia_gpu *gpu, uint32_t value)
{
    unsigned before = power_state(gpu), after = REG_GET(PPCI_PM_CONTROL, STATE, value);
    if (after == D3)
        *dword(gpu, PPCI_OFFSET(PPCI_PM_CONTROL)) = value;
    else if (after == D0 && before == D3)
        nvidia_gpu_reset(gpu);
}

static void write_dword(struct nvidia_gpu *gpu, unsigned offset, uint32_t value, uint32_t enable)
{
    const struct reg_map *map = map_of(gpu);
    uint32_t revision = pcounter_revision_bit(gpu->pcounter);
    struct reg_place place;
    if (!reg_find(map, revision, 1, map->base + offset, REG_WRITE, &place))
        return;
    uint32_t mask = enable & reg_storage(place.reg, revision, 1);
    value = (stored(gpu, offset) & ~mask) | (value & mask);
    if (place.reg->id == GPU_PCI_PM_CONTROL) {
        write_power(gpu, value);
        return;
    }
    *dword(gpu, offset) = value;
    if (place.reg->id == GPU_PCI_SUBSYSTEM_SET)
        *dword(gpu, PPCI_OFFSET(PPCI_SUBSYSTEM)) = value;
    else if (place.reg->id == GPU_PCI_MSI && (enable & REG_MASK(PPCI_MSI, ID)))
        nvidia_interrupts_rearm(gpu);
    else if (place.reg->id == GPU_PCI_MSI)
        nvidia_interrupts_update(gpu);
}

/* ---- accesses -------------------------------------------------------------------------------- */

static bool is_access(unsigned offset, unsigned bytes)
{
    return (bytes == 1 || bytes == 2 || bytes == 4) && offset % bytes == 0 &&
           offset / sizeof(uint32_t) < NVIDIA_CONFIG_DWORDS;
}

uint32_t nvidia_pci_read(const struct nvidia_gpu *gpu, unsigned offset, unsigned bytes)
{
    if (!is_access(offset, bytes))
        return UINT32_MAX;
    return stored(gpu, offset) >> 8 * (offset % 4) & (uint32_t)low_bits(8 * bytes);
}

void nvidia_pci_write(struct nvidia_gpu *gpu, unsigned offset, unsigned bytes, uint32_t value)
{
    unsigned shift = 8 * (offset % 4);
    if (is_access(offset, bytes))
        write_dword(gpu, offset - offset % 4, value << shift,
                    (uint32_t)low_bits(8 * bytes) << shift);
}

/* The BARs: registers of configuration space, and their sizes. */
static const struct {
    uint32_t offset, address_mask;
} bars[NVIDIA_BARS] = {
    [NVIDIA_BAR0] = {PPCI_OFFSET(PPCI_BAR0), REG_MASK(PPCI_BAR0, ADDRESS)},
    [NVIDIA_BAR1] = {PPCI_OFFSET(PPCI_BAR1), REG_MASK(PPCI_BAR1, ADDRESS)},
    [NVIDIA_BAR3] = {PPCI_OFFSET(PPCI_BAR3), REG_MASK(PPCI_BAR3, ADDRESS)},
};

bool nvidia_pci_decode(const struct nvidia_gpu *gpu, uint64_t address, enum nvidia_bar *bar,
                       uint32_t *offset)
{
    if (!REG_GET(PPCI_COMMAND, MEMORY, stored(gpu, PPCI_OFFSET(PPCI_COMMAND))) ||
        power_state(gpu) != D0)
        return false;
    for (*bar = NVIDIA_BAR0; *bar < (gpu->vram ? NVIDIA_BARS : NVIDIA_BAR1); ++*bar) {
        uint32_t mask = bars[*bar].address_mask, base = stored(gpu, bars[*bar].offset) & mask;
        *offset = (uint32_t)(address - base);
        if (address >= base && address - base <= ~mask)
            return true;
    }
    return false;
}

bool nvidia_pci_is_master(const struct nvidia_gpu *gpu)
{
    return REG_GET(PPCI_COMMAND, MASTER, stored(gpu, PPCI_OFFSET(PPCI_COMMAND)));
}
