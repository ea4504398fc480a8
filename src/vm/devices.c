/* SPDX-License-Identifier: MIT */
/* The kinds of devices, and what they share: requests, the guest's memory, messages. */
#include <errno.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/expected.h"
#include "vm/device.h"

static const struct vm_device_calls *const kinds[] = {&vm_intel, &vm_nvidia};

#define NAMES_MAX 256

/* Reports an unknown GPU, with the nearest name. */
static int fail_unknown(const char *gpu, struct tally_error *error)
{
    const char *names[NAMES_MAX], *name;
    char expected[EXPECTED_BYTES];
    size_t count = 0;
    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
        for (size_t j = 0; count < NAMES_MAX && (name = kinds[i]->name_at(j)); j++)
            names[count++] = name;
    return fail(error, -EINVAL, "unknown GPU \"%s\"%s", gpu,
                expected_word(expected, gpu, names, count, "tally list platforms, chipsets"));
}

int vm_device_new(const struct vm_device_settings *settings, struct vm_device **out,
                  struct tally_error *error)
{
    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
        if (kinds[i]->has(settings->gpu))
            return kinds[i]->create(settings, out, error);
    return fail_unknown(settings->gpu, error);
}

void vm_device_free(struct vm_device *device)
{
    if (!device)
        return;
    vm_memory_unmap(&device->memory);
    vm_unknown_free(&device->unknown);
    device->calls->destroy(device);
}

int vm_device_serve(struct vm_device *device, const struct vm_request *request, uint64_t *value,
                    struct tally_error *error)
{
    const struct vm_device_calls *calls = device->calls;
    uint64_t address = request->address;
    unsigned bytes = request->bytes;
    *value = 0;
    switch (request->kind) {
    case VM_CONFIG_READ:
        *value = address < VM_CONFIG_BYTES ? calls->read_config(device, (unsigned)address, bytes)
                                           : UINT32_MAX;
        break;
    case VM_CONFIG_WRITE:
        if (address < VM_CONFIG_BYTES)
            calls->write_config(device, (unsigned)address, bytes, (uint32_t)request->value);
        break;
    case VM_MEMORY_READ:
        *value = calls->read_memory(device, address, bytes);
        break;
    case VM_MEMORY_WRITE:
        calls->write_memory(device, address, bytes, request->value);
        break;
    case VM_PORT_READ:
        *value = calls->read_port(device, (uint32_t)address, bytes);
        break;
    case VM_PORT_WRITE:
        calls->write_port(device, (uint32_t)address, bytes, (uint32_t)request->value);
        break;
    case VM_MAP_MEMORY:
        return vm_memory_map(&device->memory, request, error);
    case VM_SET_INTERRUPTS:
        break;
    case VM_RESET:
        calls->reset(device);
        break;
    }
    return 0;
}

void vm_device_message(struct vm_device *device, uint64_t address, uint32_t data)
{
    device->messages++;
    device->settings.message(device->settings.closure, address, data);
}

void vm_device_note(const struct vm_device *device, const char *text)
{
    if (device->settings.note)
        device->settings.note(device->settings.closure, text);
}
