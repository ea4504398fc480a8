/* SPDX-License-Identifier: MIT */
#ifndef TALLY_EMULATION_NVIDIA_RECORD_MEMORY_H
#define TALLY_EMULATION_NVIDIA_RECORD_MEMORY_H

#include "driver/perfmon/record.h"
#include "emulation/nvidia/device.h"

/* Memory of an emulated GPU for the packets of record mode, as a kernel driver would map it for a
 * channel. The rest of the channel's address space is not mapped: a packet that is written there is
 * a VM fault (PC-D29). */
struct record_memory {
    uint8_t *bytes; /* NULL: none */
    uint32_t size;
};

/* Gives the GPU memory of a size in bytes, and describes it for perfmon_record_start(). Returns 0
 * or -ENOMEM. `memory` must stay where it is until record_memory_free(). */
int record_memory_new(struct nvidia_emulation *emulation, uint32_t size,
                      struct record_memory *memory, struct perfmon_memory *out,
                      struct tally_error *error);

/* Takes the memory away. Nothing to do if there is none. */
void record_memory_free(struct nvidia_emulation *emulation, struct record_memory *memory);

#endif
