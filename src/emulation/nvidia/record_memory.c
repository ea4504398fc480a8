/* SPDX-License-Identifier: MIT */
#include "emulation/nvidia/record_memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Where it is in the address space of a channel; any would do. */
#define ADDRESS UINT64_C(0x20000000)
#define CHANNEL 1
#define OBJECT  0x10

static int faults(void *context, uint64_t address, size_t bytes)
{
    const struct record_memory *memory = context;
    return address < ADDRESS || address - ADDRESS > memory->size ||
           bytes > memory->size - (address - ADDRESS);
}

static void write_bytes(void *context, uint64_t address, const uint8_t *data, size_t bytes)
{
    struct record_memory *memory = context;
    memcpy(memory->bytes + (address - ADDRESS), data, bytes);
}

static int read_bytes(void *closure, uint32_t offset, void *to, size_t bytes)
{
    const struct record_memory *memory = closure;
    memcpy(to, memory->bytes + offset, bytes);
    return 0;
}

int record_memory_new(struct nvidia_emulation *emulation, uint32_t size,
                      struct record_memory *memory, struct perfmon_memory *out,
                      struct tally_error *error)
{
    const struct tally_pcounter_memory calls = {faults, write_bytes, memory};
    *memory = (struct record_memory){.bytes = calloc(1, size), .size = size};
    if (!memory->bytes)
        return fail_memory(error, "the memory of packets");
    *out = (struct perfmon_memory){.address = ADDRESS,
                                   .bytes = size,
                                   .channel = CHANNEL,
                                   .object = OBJECT,
                                   .read = read_bytes,
                                   .closure = memory};
    tally_pcounter_set_memory(emulation->driven.gpu->pcounter, &calls);
    return 0;
}

void record_memory_free(struct nvidia_emulation *emulation, struct record_memory *memory)
{
    if (!memory->bytes)
        return;
    tally_pcounter_set_memory(emulation->driven.gpu->pcounter, NULL);
    free(memory->bytes);
    *memory = (struct record_memory){0};
}
