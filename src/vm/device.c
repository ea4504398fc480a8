/* SPDX-License-Identifier: MIT */
#include "vm/device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/minmax.h"
#include "intel/gpu/image.h"
#include "intel/gt/pci.h"
#include "intel/platforms.h"

/* Configuration space, as the PCI specification has it. */
enum {
    DEVICE = 2, /* of the GPU on bus 0 */
    COMMAND = 0x4,
    FIRST_BAR = 0x10,
    BARS = 6,
    CONFIG_BYTES = 256,
};
#define BAR_IO      1u
#define BAR_TYPE    6u
#define BAR_64_BITS 4u
#define IO_UPPER    0xffff0000u

/* The longest page table: 8 MiB, of 32 bits of addresses with entries of 8 bytes. */
#define PAGE_TABLE_BYTES (8u << 20)

/* In a context's image: the dwords with PDP0 (public driver; gpu/image.def). */
#define IMAGE_PDP0_UPPER 0x31u
#define IMAGE_PDP0_LOWER 0x33u

/* ---- memory of the guest --------------------------------------------------------------------- */

static bool read_entry(void *closure, uint64_t offset, void *data, size_t bytes)
{
    const struct vm_device *device = closure;
    if (offset > device->page_table_bytes || bytes > device->page_table_bytes - offset)
        return false;
    memcpy(data, device->page_table + offset, bytes);
    return true;
}

static bool write_entry(void *closure, uint64_t offset, const void *data, size_t bytes)
{
    struct vm_device *device = closure;
    if (offset > device->page_table_bytes || bytes > device->page_table_bytes - offset)
        return false;
    memcpy(device->page_table + offset, data, bytes);
    return true;
}

static bool read_physical(void *closure, uint64_t address, void *data, size_t bytes)
{
    return vm_memory_read(&((struct vm_device *)closure)->memory, address, data, bytes);
}

static bool read_ggtt_dword(const struct vm_device *device, uint64_t address, uint32_t *out)
{
    struct gt_page_place place;
    uint8_t data[4];
    if (!gt_pages_ggtt(&device->pages, address, &place) ||
        !vm_memory_read(&device->memory, place.physical, data, sizeof data))
        return false;
    *out = load_le32(data);
    return true;
}

/* Returns the root of the page tables of an address space: of execution lists, its context's image
 * has it; of a ring, the space is PP_DIR_BASE. */
static bool find_root(const struct vm_device *device, uint32_t space, uint64_t *root)
{
    const struct intel_platform *platform = intel_platform_of(device->emulation->platform);
    uint32_t lower, upper;
    *root = space;
    if (!intel_has_execlists(platform))
        return true;
    uint64_t image = image_address(space);
    if (!read_ggtt_dword(device, image + sizeof lower * IMAGE_PDP0_LOWER, &lower) ||
        !read_ggtt_dword(device, image + sizeof upper * IMAGE_PDP0_UPPER, &upper))
        return false;
    *root = (uint64_t)upper << 32 | lower;
    return true;
}

static bool translate(const struct vm_device *device, uint32_t space, uint64_t address,
                      struct gt_page_place *place)
{
    uint64_t root;
    if (space == TALLY_GPU_GGTT)
        return gt_pages_ggtt(&device->pages, address, place);
    return find_root(device, space, &root) && gt_pages_ppgtt(&device->pages, root, address, place);
}

static bool read_memory(void *context, uint32_t space, uint64_t address, void *data, size_t bytes)
{
    const struct vm_device *device = ((struct emulation *)context)->owner;
    struct gt_page_place place;
    for (uint8_t *to = data; bytes;) {
        if (!translate(device, space, address, &place))
            return false;
        size_t part = (size_t)min_u64(bytes, place.bytes);
        if (!vm_memory_read(&device->memory, place.physical, to, part))
            return false;
        address += part;
        to += part;
        bytes -= part;
    }
    return true;
}

static bool write_memory(void *context, uint32_t space, uint64_t address, const void *data,
                         size_t bytes)
{
    const struct vm_device *device = ((struct emulation *)context)->owner;
    struct gt_page_place place;
    for (const uint8_t *from = data; bytes;) {
        if (!translate(device, space, address, &place))
            return false;
        size_t part = (size_t)min_u64(bytes, place.bytes);
        if (!vm_memory_write(&device->memory, place.physical, from, part))
            return false;
        address += part;
        from += part;
        bytes -= part;
    }
    return true;
}

static bool read_page_table(void *context, uint64_t offset, void *data, size_t bytes)
{
    return read_entry(((struct emulation *)context)->owner, offset, data, bytes);
}

static bool write_page_table(void *context, uint64_t offset, const void *data, size_t bytes)
{
    return write_entry(((struct emulation *)context)->owner, offset, data, bytes);
}

/* ---- events ---------------------------------------------------------------------------------- */

static void message(void *context, unsigned function, uint64_t address, uint32_t data)
{
    struct vm_device *device = ((struct emulation *)context)->owner;
    (void)function;
    device->messages++;
    device->settings.message(device->settings.closure, address, data);
}

static void hear_fault(void *context, const struct tally_error *error)
{
    struct vm_device *device = context;
    emulation_hear_fault(device->emulation, error);
    if (device->settings.stopped)
        device->settings.stopped(device->settings.closure, error);
}

static void hear_access(void *context, const struct tally_gpu_access *access)
{
    struct vm_device *device = context;
    if (access->outcome == TALLY_GPU_UNKNOWN_REGISTER)
        vm_unknown_add(&device->unknown, access->address, access->write);
    if (device->settings.mmio)
        gpu_trace_access(&device->trace, access);
}

/* ---- the guest as a driver of the emulated GPU ----------------------------------------------- */

static int connect(struct emulation *emulation, const struct i915_settings *settings,
                   struct tally_error *error)
{
    struct vm_device *device = emulation->owner;
    (void)settings;
    (void)error;
    device->emulation = emulation;
    device->gpu = emulation->gpu;
    if (device->settings.mmio)
        gpu_trace_start(&device->trace, device->settings.mmio, device->gpu);
    tally_gpu_set_mmio_listener(device->gpu, hear_access, device);
    tally_gpu_set_fault_listener(device->gpu, hear_fault, device);
    tally_gpu_set_bus(device->gpu, &(struct tally_gpu_bus){
                                       .read = read_memory,
                                       .write = write_memory,
                                       .read_page_table = read_page_table,
                                       .write_page_table = write_page_table,
                                       .message = message,
                                       .context = emulation,
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
    return FIRST_BAR + 4 * bar;
}

static uint32_t read_config(const struct vm_device *device, unsigned offset)
{
    return tally_gpu_pci_read(device->gpu, DEVICE, offset, 4);
}

/* Whether a dword is the upper half of the BAR before it. */
static bool is_upper(const struct vm_device *device, unsigned bar)
{
    for (unsigned i = 0; i < bar; i++) {
        uint32_t value = read_config(device, offset_of(i));
        if (!(value & BAR_IO) && (value & BAR_TYPE) == BAR_64_BITS && ++i == bar)
            return true;
    }
    return false;
}

static uint32_t read_bar(const struct vm_device *device, unsigned bar)
{
    uint32_t value = read_config(device, offset_of(bar));
    if (is_upper(device, bar))
        return 0;
    if (value & BAR_IO)
        return device->sizing[bar] ? value | IO_UPPER : value; /* QEMU expects 32 bits */
    return value & ~BAR_TYPE;
}

static bool find_bar(const struct vm_request *request, unsigned *bar)
{
    *bar = (unsigned)(request->address - FIRST_BAR) / 4;
    return request->address >= FIRST_BAR && *bar < BARS;
}

static uint32_t serve_config_read(const struct vm_device *device, const struct vm_request *request)
{
    unsigned bar, bytes = request->bytes;
    if (request->address >= CONFIG_BYTES)
        return UINT32_MAX;
    if (!find_bar(request, &bar) || !read_config(device, offset_of(bar)))
        return tally_gpu_pci_read(device->gpu, DEVICE, (unsigned)request->address, bytes);
    if ((bytes != 1 && bytes != 2 && bytes != 4) || request->address % bytes)
        return UINT32_MAX;
    return read_bar(device, bar) >> 8 * (request->address % 4) & (uint32_t)low_bits(8 * bytes);
}

static void serve_config_write(struct vm_device *device, const struct vm_request *request)
{
    unsigned bar;
    if (request->address >= CONFIG_BYTES)
        return;
    if (find_bar(request, &bar)) {
        if (is_upper(device, bar))
            return;
        device->sizing[bar] = request->value == UINT32_MAX;
    }
    tally_gpu_pci_write(device->gpu, DEVICE, (unsigned)request->address, request->bytes,
                        (uint32_t)request->value);
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

/* What the firmware of this machine does before it assigns BARs: it gives the GPU a page table, but
 * no memory of the guest. */
static void init_firmware(struct vm_device *device)
{
    const struct intel_platform *platform = intel_platform_of(device->emulation->platform);
    enum intel_pci_layout layout = (enum intel_pci_layout)platform->pci;
    const struct gt_pci_register *host = find_ggc(layout, GT_PCI_HOST);
    const struct gt_pci_register *ggc = host ? host : find_ggc(layout, GT_PCI_GRAPHICS);
    if (!ggc)
        return;
    bool is_wide = (ggc->writable & STOLEN_8_BITS) == STOLEN_8_BITS;
    uint64_t value = ggc->firmware & ~(uint64_t)(is_wide ? STOLEN_8_BITS : STOLEN_5_BITS);
    if (!is_wide) /* the driver writes all entries, an access each */
        value = (value & ~(uint64_t)TABLE_OF_2_MB) | TABLE_OF_1_MB;
    tally_gpu_pci_write(device->gpu, host ? GT_PCI_HOST_DEVICE : DEVICE, ggc->offset, 2,
                        (uint32_t)value);
}

/* ---- reset ----------------------------------------------------------------------------------- */

static void reset(struct vm_device *device)
{
    tally_gpu_pci_write(device->gpu, DEVICE, COMMAND, 2, 0);
    for (unsigned bar = 0; bar < BARS; bar++)
        tally_gpu_pci_write(device->gpu, DEVICE, offset_of(bar), 4, 0);
    memset(device->sizing, 0, sizeof device->sizing);
    tally_gpu_reset(device->gpu, TALLY_GPU_RESET_CHIP);
}

/* ---- use ------------------------------------------------------------------------------------- */

int vm_device_new(const struct vm_device_settings *settings, struct vm_device **out,
                  struct tally_error *error)
{
    struct vm_device *device = calloc(1, sizeof *device);
    if (!device)
        return fail_memory(error, "a device");
    device->settings = *settings;
    device->page_table_bytes = PAGE_TABLE_BYTES;
    device->page_table = calloc(1, PAGE_TABLE_BYTES);
    device->settings.emulation.interface = &guest;
    device->settings.emulation.gpu.no_firmware = true;
    device->settings.emulation.owner = device;
    int result = device->page_table
                     ? emulation_new(&device->settings.emulation, &device->emulation, error)
                     : fail_memory(error, "a page table");
    if (result < 0) {
        device->emulation = NULL;
        vm_device_free(device);
        return result;
    }
    const struct intel_platform *platform = intel_platform_of(device->emulation->platform);
    device->pages = (struct gt_pages){gt_page_format((enum intel_page_tables)platform->pages),
                                      read_entry, read_physical, device};
    init_firmware(device);
    reset(device);
    *out = device;
    return 0;
}

void vm_device_free(struct vm_device *device)
{
    if (!device)
        return;
    emulation_free(device->emulation);
    vm_memory_unmap(&device->memory);
    vm_unknown_free(&device->unknown);
    free(device->page_table);
    free(device);
}

int vm_device_serve(struct vm_device *device, const struct vm_request *request, uint64_t *value,
                    struct tally_error *error)
{
    *value = 0;
    switch (request->kind) {
    case VM_CONFIG_READ:
        *value = serve_config_read(device, request);
        break;
    case VM_CONFIG_WRITE:
        serve_config_write(device, request);
        break;
    case VM_MEMORY_READ:
        *value = tally_gpu_physical_read(device->gpu, request->address, request->bytes);
        break;
    case VM_MEMORY_WRITE:
        tally_gpu_physical_write(device->gpu, request->address, request->bytes, request->value);
        break;
    case VM_PORT_READ:
        *value = tally_gpu_port_read(device->gpu, (uint32_t)request->address, request->bytes);
        break;
    case VM_PORT_WRITE:
        tally_gpu_port_write(device->gpu, (uint32_t)request->address, request->bytes,
                             (uint32_t)request->value);
        break;
    case VM_MAP_MEMORY:
        return vm_memory_map(&device->memory, request, error);
    case VM_SET_INTERRUPTS:
        break;
    case VM_RESET:
        reset(device);
        break;
    }
    return 0;
}
