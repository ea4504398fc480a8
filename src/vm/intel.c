/* SPDX-License-Identifier: MIT */
/* An Intel GPU as the device of a virtual machine: emulation/ with the guest as its driver. */
#include <errno.h>
#include <linux/pci_regs.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/minmax.h"
#include "emulation/emulation.h"
#include "intel/gpu/gpu.h"
#include "intel/gpu/image.h"
#include "intel/gpu/trace.h"
#include "intel/gt/pages.h"
#include "intel/gt/pci.h"
#include "intel/platforms.h"
#include "intel/topology.h"
#include "vm/device.h"
#include "vm/server.h"

#define BARS     6u
#define IO_UPPER 0xffff0000u

struct intel_device {
    struct vm_device base;
    struct emulation *emulation;
    struct tally_gpu *gpu; /* of the emulation */
    struct gt_pages pages;
    uint8_t *page_table; /* of the GGTT */
    size_t page_table_bytes;
    bool sizing[BARS]; /* the BAR has been written with ones: it shows its size */
    struct gpu_trace trace;
};

/* The longest page table: 8 MiB, of 32 bits of addresses with entries of 8 bytes. */
#define PAGE_TABLE_BYTES (8u << 20)

/* In a context's image: the dwords with PDP0, and how far those of the next PDP precede them
 * (public driver; gpu/image.def). */
#define IMAGE_PDP0_UPPER 0x31u
#define IMAGE_PDP0_LOWER 0x33u
#define IMAGE_PDP_DWORDS 4u

static struct intel_device *intel_device_of(struct vm_device *device)
{
    return (struct intel_device *)device;
}

/* ---- memory of the guest --------------------------------------------------------------------- */

static struct intel_device *owner_of(const void *emulation)
{
    return ((const struct emulation *)emulation)->owner;
}

/* Returns bytes of the GGTT's page table, NULL beyond its end. */
static uint8_t *entries_at(const struct intel_device *device, uint64_t offset, size_t bytes)
{
    if (offset > device->page_table_bytes || bytes > device->page_table_bytes - offset)
        return NULL;
    return device->page_table + offset;
}

static bool read_page_table(void *context, uint64_t offset, void *data, size_t bytes)
{
    const uint8_t *entries = entries_at(owner_of(context), offset, bytes);
    if (entries)
        memcpy(data, entries, bytes);
    return entries != NULL;
}

static bool write_page_table(void *context, uint64_t offset, const void *data, size_t bytes)
{
    uint8_t *entries = entries_at(owner_of(context), offset, bytes);
    if (entries)
        memcpy(entries, data, bytes);
    return entries != NULL;
}

static bool read_physical(void *context, uint64_t address, void *data, size_t bytes)
{
    return vm_memory_read(&owner_of(context)->base.memory, address, data, bytes);
}

static bool read_ggtt_dword(const struct intel_device *device, uint64_t address, uint32_t *out)
{
    struct gt_page_place place;
    uint8_t data[4];
    if (!gt_pages_ggtt(&device->pages, address, &place) ||
        !vm_memory_read(&device->base.memory, place.physical, data, sizeof data))
        return false;
    *out = load_le32(data);
    return true;
}

/* Finds the root of the page tables for an address of a space other than the GGTT: of execution
 * lists, its context's image has it; of a ring, the space is PP_DIR_BASE. */
static bool find_root(const struct intel_device *device, uint32_t space, uint64_t address,
                      uint64_t *root)
{
    const struct intel_platform *platform = intel_platform_of(device->emulation->platform);
    uint32_t lower, upper;
    unsigned index;
    *root = space;
    if (!gt_pages_root(device->pages.format, address, &index))
        return false;
    if (!intel_has_execlists(platform))
        return true;
    uint64_t image = image_address(space) - sizeof lower * IMAGE_PDP_DWORDS * index;
    if (!read_ggtt_dword(device, image + sizeof lower * IMAGE_PDP0_LOWER, &lower) ||
        !read_ggtt_dword(device, image + sizeof upper * IMAGE_PDP0_UPPER, &upper))
        return false;
    *root = (uint64_t)upper << 32 | lower;
    return true;
}

/* Copies bytes from an address space of the GPU to `to`, or from `from` to it, page by page. */
static bool copy(const struct intel_device *device, uint32_t space, uint64_t address, uint8_t *to,
                 const uint8_t *from, size_t bytes)
{
    const struct vm_memory *memory = &device->base.memory;
    for (size_t done = 0, part; done < bytes; done += part) {
        struct gt_page_place place;
        uint64_t root, at = address + done;
        if (!(space == TALLY_GPU_GGTT ? gt_pages_ggtt(&device->pages, at, &place)
                                      : find_root(device, space, at, &root) &&
                                            gt_pages_ppgtt(&device->pages, root, at, &place)))
            return false;
        part = (size_t)min_u64(bytes - done, place.bytes);
        if (!(to ? vm_memory_read(memory, place.physical, to + done, part)
                 : vm_memory_write(memory, place.physical, from + done, part)))
            return false;
    }
    return true;
}

static bool read_memory(void *context, uint32_t space, uint64_t address, void *data, size_t bytes)
{
    return copy(owner_of(context), space, address, data, NULL, bytes);
}

static bool write_memory(void *context, uint32_t space, uint64_t address, const void *data,
                         size_t bytes)
{
    return copy(owner_of(context), space, address, NULL, data, bytes);
}

/* ---- events ---------------------------------------------------------------------------------- */

static void message(void *context, unsigned function, uint64_t address, uint32_t data)
{
    struct intel_device *device = owner_of(context);
    (void)function;
    vm_device_message(&device->base, address, data);
}

static void hear_fault(void *context, const struct tally_error *error)
{
    struct intel_device *device = context;
    emulation_hear_fault(device->emulation, error);
    device->base.stops++;
    vm_device_note(&device->base, error->message);
}

static void hear_unknown(void *context, const struct tally_gpu_access *access)
{
    struct intel_device *device = context;
    vm_unknown_add(&device->base.unknown, access->address, access->write);
}

static void hear_access(void *context, const struct tally_gpu_access *access)
{
    struct intel_device *device = context;
    if (access->outcome == TALLY_GPU_UNKNOWN_REGISTER)
        hear_unknown(context, access);
    gpu_trace_access(&device->trace, access);
}

/* Loops of commands are not skipped while a listener gets each access. */
static void listen(struct intel_device *device)
{
    if (!device->base.settings.mmio) {
        gpu_set_unknown_listener(device->gpu, hear_unknown, device);
        return;
    }
    gpu_trace_start(&device->trace, device->base.settings.mmio, device->gpu);
    tally_gpu_set_mmio_listener(device->gpu, hear_access, device);
}

/* ---- the guest as a driver of the emulated GPU ----------------------------------------------- */

static int connect(struct emulation *emulation, const struct i915_settings *settings,
                   struct tally_error *error)
{
    struct intel_device *device = emulation->owner;
    (void)settings;
    (void)error;
    device->emulation = emulation;
    device->gpu = emulation->gpu;
    listen(device);
    tally_gpu_set_fault_listener(device->gpu, hear_fault, device);
    emulation_set_bus(emulation, &(struct tally_gpu_bus){
                                     .read = read_memory,
                                     .write = write_memory,
                                     .read_page_table = read_page_table,
                                     .write_page_table = write_page_table,
                                     .message = message,
                                 });
    return 0;
}

static void disconnect(struct emulation *emulation)
{
    (void)emulation;
}

static uint64_t next_ns(const struct emulation *emulation)
{
    (void)emulation;
    return UINT64_MAX;
}

static void tick(struct emulation *emulation)
{
    (void)emulation;
}

static bool write_for_faults(struct emulation *emulation, uint32_t space, uint64_t address,
                             const void *data, size_t bytes)
{
    return write_memory(emulation, space, address, data, bytes);
}

static const struct emulation_driver guest = {connect, disconnect, next_ns, tick, write_for_faults};

/* ---- BARs ------------------------------------------------------------------------------------ */

static unsigned offset_of(unsigned bar)
{
    return PCI_BASE_ADDRESS_0 + 4 * bar;
}

static uint32_t read_config(const struct intel_device *device, unsigned offset)
{
    return tally_gpu_pci_read(device->gpu, GT_PCI_GRAPHICS_DEVICE, offset, 4);
}

/* Whether a dword is the upper half of the BAR before it. */
static bool is_upper(const struct intel_device *device, unsigned bar)
{
    for (unsigned i = 0; i < bar; i++) {
        uint32_t value = read_config(device, offset_of(i));
        if (!(value & PCI_BASE_ADDRESS_SPACE_IO) &&
            (value & PCI_BASE_ADDRESS_MEM_TYPE_MASK) == PCI_BASE_ADDRESS_MEM_TYPE_64 && ++i == bar)
            return true;
    }
    return false;
}

static uint32_t read_bar(const struct intel_device *device, unsigned bar)
{
    uint32_t value = read_config(device, offset_of(bar));
    if (is_upper(device, bar))
        return 0;
    if (value & PCI_BASE_ADDRESS_SPACE_IO)
        return device->sizing[bar] ? value | IO_UPPER : value; /* QEMU expects 32 bits */
    return value & ~(uint32_t)PCI_BASE_ADDRESS_MEM_TYPE_MASK;
}

static bool find_bar(unsigned offset, unsigned *bar)
{
    *bar = (offset - PCI_BASE_ADDRESS_0) / 4;
    return offset >= PCI_BASE_ADDRESS_0 && *bar < BARS;
}

static uint32_t serve_config_read(struct vm_device *base, unsigned offset, unsigned bytes)
{
    const struct intel_device *device = intel_device_of(base);
    unsigned bar;
    if (!find_bar(offset, &bar) || !read_config(device, offset_of(bar)))
        return tally_gpu_pci_read(device->gpu, GT_PCI_GRAPHICS_DEVICE, offset, bytes);
    if ((bytes != 1 && bytes != 2 && bytes != 4) || offset % bytes)
        return UINT32_MAX;
    return read_bar(device, bar) >> 8 * (offset % 4) & (uint32_t)low_bits(8 * bytes);
}

static void serve_config_write(struct vm_device *base, unsigned offset, unsigned bytes,
                               uint32_t value)
{
    struct intel_device *device = intel_device_of(base);
    unsigned bar;
    if (find_bar(offset, &bar)) {
        if (is_upper(device, bar))
            return;
        device->sizing[bar] = value == UINT32_MAX;
    }
    tally_gpu_pci_write(device->gpu, GT_PCI_GRAPHICS_DEVICE, offset, bytes, value);
}

static uint64_t read_bar_memory(struct vm_device *device, uint64_t address, unsigned bytes)
{
    return tally_gpu_physical_read(intel_device_of(device)->gpu, address, bytes);
}

static void write_bar_memory(struct vm_device *device, uint64_t address, unsigned bytes,
                             uint64_t value)
{
    tally_gpu_physical_write(intel_device_of(device)->gpu, address, bytes, value);
}

static uint32_t read_port(struct vm_device *device, uint32_t port, unsigned bytes)
{
    return tally_gpu_port_read(intel_device_of(device)->gpu, port, bytes);
}

static void write_port(struct vm_device *device, uint32_t port, unsigned bytes, uint32_t value)
{
    tally_gpu_port_write(intel_device_of(device)->gpu, port, bytes, value);
}

/* ---- firmware -------------------------------------------------------------------------------- */

/* GGC: the size of stolen memory, in the two forms that the register has. */
#define STOLEN_5_BITS 0x00f8u
#define STOLEN_8_BITS 0xff00u
#define TABLE_OF_2_MB 0x0200u /* beside the former */
#define TABLE_OF_1_MB 0x0100u

static const struct gt_pci_register *find_ggc(enum intel_pci_layout layout, enum gt_pci_space space)
{
    return gt_pci_with(layout, space, GT_PCI_GGC);
}

/* What the firmware of this machine does before it assigns BARs: the subsystem is the device
 * itself, and the GPU gets a page table, but no memory of the guest. */
static void init_firmware(struct intel_device *device)
{
    const struct intel_platform *platform = intel_platform_of(device->emulation->platform);
    enum intel_pci_layout layout = (enum intel_pci_layout)platform->pci;
    const struct gt_pci_register *host = find_ggc(layout, GT_PCI_HOST);
    const struct gt_pci_register *ggc = host ? host : find_ggc(layout, GT_PCI_GRAPHICS);
    tally_gpu_pci_write(device->gpu, GT_PCI_GRAPHICS_DEVICE, PCI_SUBSYSTEM_VENDOR_ID, 4,
                        read_config(device, PCI_VENDOR_ID));
    if (!ggc)
        return;
    bool is_wide = (ggc->writable & STOLEN_8_BITS) == STOLEN_8_BITS;
    uint64_t value = ggc->firmware & ~(uint64_t)(is_wide ? STOLEN_8_BITS : STOLEN_5_BITS);
    if (!is_wide) /* the driver writes all entries, an access each */
        value = (value & ~(uint64_t)TABLE_OF_2_MB) | TABLE_OF_1_MB;
    tally_gpu_pci_write(device->gpu, host ? GT_PCI_HOST_DEVICE : GT_PCI_GRAPHICS_DEVICE,
                        ggc->offset, 2, (uint32_t)value);
}

/* ---- reset ----------------------------------------------------------------------------------- */

static void reset(struct intel_device *device)
{
    gpu_pci_reset(device->gpu);
    init_firmware(device);
    memset(device->sizing, 0, sizeof device->sizing);
}

static void reset_machine(struct vm_device *device)
{
    reset(intel_device_of(device));
}

/* ---- time ------------------------------------------------------------------------------------ */

static void run(struct vm_device *device, uint64_t ns)
{
    emulation_run_ns(intel_device_of(device)->emulation, ns);
}

static uint64_t now(const struct vm_device *device)
{
    return tally_gpu_now_ns(((const struct intel_device *)device)->gpu);
}

static bool is_idle(const struct vm_device *device)
{
    return tally_gpu_is_idle(((const struct intel_device *)device)->gpu);
}

/* ---- use ------------------------------------------------------------------------------------- */

static bool has(const char *gpu)
{
    return intel_modelled(gpu) != NULL || tally_sku_find(gpu) != NULL;
}

static const char *name_at(size_t index)
{
    return emulation_platform(index, false);
}

static void destroy(struct vm_device *base)
{
    struct intel_device *device = intel_device_of(base);
    emulation_free(device->emulation);
    free(device->page_table);
    free(device);
}

static int create_emulation(struct intel_device *device, struct tally_error *error)
{
    const struct vm_device_settings *settings = &device->base.settings;
    struct emulation_settings emulation = {
        .gpu = {.platform = settings->gpu,
                .rc6_blind_clocks = EMULATION_RC6_BLIND_CLOCKS,
                .no_firmware = true},
        .interface = &guest,
        .owner = device,
        .workload = settings->workload,
        .cost = settings->cost,
        .faults = settings->faults,
        .clock = EMULATION_FREE,
    };
    int result = settings->fuses ? intel_fuses_parse(settings->fuses, &emulation.gpu, error) : 0;
    if (result == 0)
        result = emulation_new(&emulation, &device->emulation, error);
    if (result < 0)
        device->emulation = NULL;
    return result;
}

static int create(const struct vm_device_settings *settings, struct vm_device **out,
                  struct tally_error *error)
{
    if (settings->signals)
        return fail(error, -EINVAL, "%s: signals are for NVIDIA's chipsets, expected a workload",
                    settings->gpu);
    struct intel_device *device = calloc(1, sizeof *device);
    if (!device)
        return fail_memory(error, "a device");
    device->base.calls = &vm_intel;
    device->base.settings = *settings;
    device->page_table_bytes = PAGE_TABLE_BYTES;
    device->page_table = calloc(1, PAGE_TABLE_BYTES);
    int result =
        device->page_table ? create_emulation(device, error) : fail_memory(error, "a page table");
    if (result < 0) {
        destroy(&device->base);
        return result;
    }
    const struct intel_platform *platform = intel_platform_of(device->emulation->platform);
    device->pages = (struct gt_pages){gt_page_format((enum intel_page_tables)platform->pages),
                                      read_page_table, read_physical, device->emulation};
    device->base.driver_row = platform->driver_row;
    reset(device);
    *out = &device->base;
    return 0;
}

/* Any PCI id, but neither outputs nor firmware, which the model does not have. */
static const struct vm_driver *driver(const struct vm_device *device)
{
    static const struct vm_driver i915 = {
        "i915", "i915.force_probe=* i915.disable_display=1 i915.enable_guc=0 i915.error_capture=0"};
    (void)device;
    return &i915;
}

const struct vm_device_calls vm_intel = {
    .has = has,
    .name_at = name_at,
    .create = create,
    .destroy = destroy,
    .driver = driver,
    .read_config = serve_config_read,
    .write_config = serve_config_write,
    .read_memory = read_bar_memory,
    .write_memory = write_bar_memory,
    .read_port = read_port,
    .write_port = write_port,
    .reset = reset_machine,
    .run = run,
    .now = now,
    /* A slice takes about as long to run, if the GPU is busy. */
    .pace = {.slice_ns = 20000, .catch_up_ns = 10000000, .max_lag_ns = 20000000},
    .is_idle = is_idle,
};
