/* SPDX-License-Identifier: MIT */
/* The GPU as a PCI device: configuration space, power states, interrupts, and the CPU's accesses by
 * physical address (OA-13). */
#include "base/bits.h"
#include "intel/gpu/gpu.h"

/* In the registers of the memory controller: GFXVTBAR, as public datasheets name it. */
#define GFXVTBAR (GT_MCHBAR_FIRST + 0x5400u)

/* IOBAR: MMIO_INDEX and MMIO_DATA of public PRMs. The two low bits of the index select the target.
 */
enum { PORT_INDEX = 0, PORT_DATA = 4, PORT_BYTES = 4 };
enum { TARGET_REGISTERS = 0, TARGET_PAGE_TABLE = 1, TARGETS = 4 };

/* ---- interrupts ------------------------------------------------------------------------------ */

static void send(struct tally_gpu *gpu, unsigned function, const struct gt_pci_message *message)
{
    if (gpu->bus.message)
        gpu->bus.message(gpu->bus.context, function, message->address, message->data);
}

static void update_intx(struct tally_gpu *gpu)
{
    bool level = gt_pci_intx(&gpu->pci);
    if (level == gpu->intx)
        return;
    gpu->intx = level;
    if (gpu->bus.interrupt)
        gpu->bus.interrupt(gpu->bus.context, level);
}

void gpu_pci_interrupt(struct tally_gpu *gpu, unsigned function, bool level)
{
    struct gt_pci_message message;
    if (gt_pci_set_level(&gpu->pci, function, level, &message))
        send(gpu, function, &message);
    if (function == 0)
        update_intx(gpu);
}

/* ---- power and resets ------------------------------------------------------------------------ */

void gpu_set_powerless(struct tally_gpu *gpu, enum gpu_powerless reason, bool on)
{
    bool before = gpu->powerless;
    gpu->powerless = (uint8_t)(on ? gpu->powerless | reason : gpu->powerless & ~reason);
    if (before != (gpu->powerless != 0))
        gpu_lose_wake(gpu, !before);
}

/* The GT loses its state when the power ends, and is reset when it is back. */
static void sleep_or_wake(struct tally_gpu *gpu, bool sleeps)
{
    if (sleeps)
        tally_gpu_reset(gpu, TALLY_GPU_RESET_CHIP);
    gpu_set_powerless(gpu, GPU_IN_D3, sleeps);
    if (!sleeps)
        tally_gpu_reset(gpu, TALLY_GPU_RESET_CHIP);
}

/* Resets what a virtual function has of its own: a copy of the interrupt registers. */
static void reset_virtual(struct tally_gpu *gpu, unsigned function)
{
    gt_interrupt_copy_reset(&gpu->interrupts.host[function]);
}

static void reset_virtual_functions(struct tally_gpu *gpu)
{
    for (unsigned function = 1; function < GT_PCI_FUNCTIONS; function++) {
        reset_virtual(gpu, function);
        gpu_pci_interrupt(gpu, function, false);
    }
}

void gpu_pci_reset(struct tally_gpu *gpu)
{
    uint64_t id = gt_pci_value(&gpu->pci, GT_PCI_GRAPHICS, GT_PCI_DEVICE_ID);
    uint64_t revision = gt_pci_value(&gpu->pci, GT_PCI_GRAPHICS, GT_PCI_REVISION);
    gt_pci_init(&gpu->pci, (enum intel_pci_layout)gpu->platform->pci, (uint16_t)id,
                (uint8_t)revision);
    gpu_mirror_mchbar(gpu);
    gpu_set_powerless(gpu, GPU_IN_D3, false);
    tally_gpu_reset(gpu, TALLY_GPU_RESET_CHIP);
    update_intx(gpu);
}

/* ---- configuration space --------------------------------------------------------------------- */

uint32_t tally_gpu_pci_function_read(const struct tally_gpu *gpu, unsigned device,
                                     unsigned function, unsigned offset, unsigned bytes)
{
    return gt_pci_read(&gpu->pci, device, function, offset, bytes);
}

uint32_t tally_gpu_pci_read(const struct tally_gpu *gpu, unsigned device, unsigned offset,
                            unsigned bytes)
{
    return gt_pci_read(&gpu->pci, device, 0, offset, bytes);
}

/* Does what a write to the configuration space of a function demands. */
static void act(struct tally_gpu *gpu, unsigned function, unsigned actions)
{
    unsigned virtual = gt_pci_virtual(&gpu->pci, function);
    if ((actions & GT_PCI_RESETS) && virtual)
        reset_virtual(gpu, virtual);
    if (actions & GT_PCI_FUNCTIONS_CHANGE)
        reset_virtual_functions(gpu);
    if (actions & GT_PCI_SLEEPS)
        sleep_or_wake(gpu, true);
    if (actions & GT_PCI_WAKES)
        sleep_or_wake(gpu, false);
    if ((actions & GT_PCI_RESETS) && function == 0) {
        gpu_set_powerless(gpu, GPU_IN_D3, false);
        tally_gpu_reset(gpu, TALLY_GPU_RESET_CHIP);
    }
    if ((actions & (GT_PCI_SMI | GT_PCI_SCI)) && gpu->bus.firmware)
        gpu->bus.firmware(gpu->bus.context, actions & GT_PCI_SCI);
}

void tally_gpu_pci_function_write(struct tally_gpu *gpu, unsigned device, unsigned function,
                                  unsigned offset, unsigned bytes, uint32_t value)
{
    struct gt_pci_message message;
    unsigned actions = gt_pci_write(&gpu->pci, device, function, offset, bytes, value);
    if (actions)
        act(gpu, function, actions);
    for (unsigned i = 0; i <= gpu->pci.state.functions; i++)
        if (gt_pci_release(&gpu->pci, i, &message))
            send(gpu, i, &message);
    gpu_notify(gpu);
    update_intx(gpu);
}

void tally_gpu_pci_write(struct tally_gpu *gpu, unsigned device, unsigned offset, unsigned bytes,
                         uint32_t value)
{
    tally_gpu_pci_function_write(gpu, device, 0, offset, bytes, value);
}

void gpu_mirror_mchbar(struct tally_gpu *gpu)
{
    uint64_t value;
    if (gt_routing_read_mchbar(&gpu->routing, GFXVTBAR, sizeof value, &value) < 0)
        return;
    gt_pci_set(&gpu->pci, GT_PCI_GRAPHICS, GT_PCI_VTDBAR, value & UINT32_MAX);
    gt_pci_set(&gpu->pci, GT_PCI_GRAPHICS, GT_PCI_VTDBAR_UPPER, value >> 32);
}

/* ---- registers by byte ----------------------------------------------------------------------- */

/* Returns `bytes` bytes of a dword, from a byte address on. */
static uint32_t part_of(uint32_t dword, uint64_t address, unsigned bytes)
{
    return dword >> 8 * (address % 4) & (uint32_t)low_bits(8 * bytes);
}

/* Returns a dword of which a write replaces `bytes` bytes. */
static uint32_t merge(uint32_t dword, uint64_t address, unsigned bytes, uint32_t value)
{
    uint32_t mask = (uint32_t)low_bits(8 * bytes) << 8 * (address % 4);
    return (dword & ~mask) | (value << 8 * (address % 4) & mask);
}

static uint64_t read_registers(struct tally_gpu *gpu, uint32_t address, unsigned bytes)
{
    uint64_t value = 0;
    if (bytes > 1 && tally_gpu_read(gpu, address, bytes, &value) == 0)
        return value;
    return part_of(tally_gpu_read32(gpu, address & ~3u), address, bytes);
}

static void write_registers(struct tally_gpu *gpu, uint32_t address, unsigned bytes, uint64_t value)
{
    if (bytes < 4) {
        uint32_t dword = tally_gpu_read32(gpu, address & ~3u);
        tally_gpu_write32(gpu, address & ~3u, merge(dword, address, bytes, (uint32_t)value));
        return;
    }
    tally_gpu_write32(gpu, address, (uint32_t)value);
    if (bytes == 8)
        tally_gpu_write32(gpu, address + 4, (uint32_t)(value >> 32));
}

/* Access the registers of a virtual function: those of its interrupts. */
static uint64_t read_function(struct tally_gpu *gpu, const struct gt_pci_place *place,
                              unsigned bytes)
{
    uint32_t address = (uint32_t)place->offset & ~3u;
    uint64_t value = tally_gpu_function_read32(gpu, place->function, address);
    if (bytes == 8)
        return value | (uint64_t)tally_gpu_function_read32(gpu, place->function, address + 4) << 32;
    return part_of((uint32_t)value, place->offset, bytes);
}

static void write_function(struct tally_gpu *gpu, const struct gt_pci_place *place, unsigned bytes,
                           uint64_t value)
{
    uint32_t address = (uint32_t)place->offset & ~3u;
    uint32_t low = (uint32_t)value;
    if (bytes < 4)
        low = merge(tally_gpu_function_read32(gpu, place->function, address), place->offset, bytes,
                    low);
    tally_gpu_function_write32(gpu, place->function, address, low);
    if (bytes == 8)
        tally_gpu_function_write32(gpu, place->function, address + 4, (uint32_t)(value >> 32));
}

/* ---- memory behind the device ---------------------------------------------------------------- */

static uint64_t read_page_table(struct tally_gpu *gpu, uint64_t offset, unsigned bytes)
{
    uint8_t data[8];
    bool found =
        gpu->bus.read_page_table && gpu->bus.read_page_table(gpu->bus.context, offset, data, bytes);
    return found ? load_le(data, bytes) : low_bits(8 * bytes);
}

static void write_page_table(struct tally_gpu *gpu, uint64_t offset, unsigned bytes, uint64_t value)
{
    uint8_t data[8];
    store_le(data, bytes, value);
    if (gpu->bus.write_page_table)
        gpu->bus.write_page_table(gpu->bus.context, offset, data, bytes);
}

/* The aperture: the CPU's accesses to the GGTT, which the bus has in dwords. */
static bool read_aperture(struct tally_gpu *gpu, uint64_t offset, uint8_t data[8], unsigned bytes)
{
    return gpu->bus.read && gpu->bus.read(gpu->bus.context, TALLY_GPU_GGTT, offset & ~UINT64_C(3),
                                          data, bytes < 4 ? 4 : bytes);
}

static void write_aperture(struct tally_gpu *gpu, uint64_t offset, unsigned bytes, uint64_t value)
{
    uint8_t data[8];
    if (bytes < 4 && !read_aperture(gpu, offset, data, bytes))
        return;
    store_le(bytes < 4 ? data + offset % 4 : data, bytes, value);
    gpu_loop_break(gpu);
    if (gpu->bus.write)
        gpu->bus.write(gpu->bus.context, TALLY_GPU_GGTT, offset & ~UINT64_C(3), data,
                       bytes < 4 ? 4 : bytes);
}

/* ---- addresses ------------------------------------------------------------------------------- */

static bool is_aligned(uint64_t address, unsigned bytes, unsigned max)
{
    return (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) && bytes <= max &&
           address % bytes == 0;
}

uint64_t tally_gpu_physical_read(struct tally_gpu *gpu, uint64_t address, unsigned bytes)
{
    uint8_t data[8];
    if (!is_aligned(address, bytes, 8))
        return UINT64_MAX;
    struct gt_pci_place place = gt_pci_decode(&gpu->pci, false, address);
    switch (place.target) {
    case GT_PCI_REGISTERS:
        return read_registers(gpu, (uint32_t)place.offset, bytes);
    case GT_PCI_PAGE_TABLE:
        return read_page_table(gpu, place.offset, bytes);
    case GT_PCI_FUNCTION_REGISTERS:
        return read_function(gpu, &place, bytes);
    case GT_PCI_APERTURE:
        if (read_aperture(gpu, place.offset, data, bytes))
            return load_le(bytes < 4 ? data + place.offset % 4 : data, bytes);
        break;
    default:
        break;
    }
    return low_bits(8 * bytes);
}

void tally_gpu_physical_write(struct tally_gpu *gpu, uint64_t address, unsigned bytes,
                              uint64_t value)
{
    if (!is_aligned(address, bytes, 8))
        return;
    struct gt_pci_place place = gt_pci_decode(&gpu->pci, false, address);
    switch (place.target) {
    case GT_PCI_REGISTERS:
        write_registers(gpu, (uint32_t)place.offset, bytes, value);
        break;
    case GT_PCI_PAGE_TABLE:
        write_page_table(gpu, place.offset, bytes, value);
        break;
    case GT_PCI_FUNCTION_REGISTERS:
        write_function(gpu, &place, bytes, value);
        break;
    case GT_PCI_APERTURE:
        write_aperture(gpu, place.offset, bytes, value);
        break;
    default:
        break;
    }
}

/* ---- ports ----------------------------------------------------------------------------------- */

/* Whether the index selects a register, not one above the lower half of GTTMMADR. */
static bool selects_register(const struct tally_gpu *gpu)
{
    return gpu->io_index % TARGETS == TARGET_REGISTERS &&
           gpu->io_index < gpu->pci.state.gttmmadr.bytes / 2;
}

static uint32_t read_data_port(struct tally_gpu *gpu)
{
    uint32_t offset = gpu->io_index - gpu->io_index % TARGETS;
    if (selects_register(gpu))
        return gpu_cpu_read32(gpu, offset);
    return gpu->io_index % TARGETS == TARGET_PAGE_TABLE
               ? (uint32_t)read_page_table(gpu, offset, PORT_BYTES)
               : UINT32_MAX;
}

uint32_t tally_gpu_port_read(struct tally_gpu *gpu, uint32_t port, unsigned bytes)
{
    if (!is_aligned(port, bytes, PORT_BYTES))
        return UINT32_MAX;
    struct gt_pci_place place = gt_pci_decode(&gpu->pci, true, port);
    if (place.target == GT_PCI_PORTS && place.offset < PORT_DATA)
        return part_of(gpu->io_index, place.offset, bytes);
    if (place.target == GT_PCI_PORTS && place.offset < PORT_DATA + PORT_BYTES)
        return part_of(read_data_port(gpu), place.offset, bytes);
    return (uint32_t)low_bits(8 * bytes);
}

void tally_gpu_port_write(struct tally_gpu *gpu, uint32_t port, unsigned bytes, uint32_t value)
{
    struct gt_pci_place place = gt_pci_decode(&gpu->pci, true, port);
    if (place.target != GT_PCI_PORTS || bytes != PORT_BYTES)
        return;
    uint32_t offset = gpu->io_index - gpu->io_index % TARGETS;
    if (place.offset == PORT_INDEX)
        gpu->io_index = value;
    else if (place.offset == PORT_DATA && selects_register(gpu))
        gpu_cpu_write32(gpu, offset, value);
    else if (place.offset == PORT_DATA && gpu->io_index % TARGETS == TARGET_PAGE_TABLE)
        write_page_table(gpu, offset, PORT_BYTES, value);
}
