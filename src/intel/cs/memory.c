/* SPDX-License-Identifier: MIT */
/* Reads and writes of commands: memory and registers. */
#include "intel/cs/step.h"

static bool unmapped(struct step *step, uint32_t space, uint64_t address)
{
    step->streamer->fault_target = address;
    step->streamer->fault_space = space;
    step_fault(step, STREAMER_UNMAPPED, step->dwords[0]);
    return false;
}

bool step_read(struct step *step, uint32_t space, uint64_t address, uint32_t *out)
{
    const struct streamer_callbacks *callbacks = step->callbacks;
    address &= step_mask(step->streamer) & ~UINT64_C(3);
    *out = 0;
    return (callbacks->read32 && callbacks->read32(callbacks->closure, space, address, out)) ||
           unmapped(step, space, address);
}

bool step_write(struct step *step, uint32_t space, uint64_t address, uint32_t value)
{
    const struct streamer_callbacks *callbacks = step->callbacks;
    address &= step_mask(step->streamer) & ~UINT64_C(3);
    return (callbacks->write32 && callbacks->write32(callbacks->closure, space, address, value)) ||
           unmapped(step, space, address);
}

uint32_t step_space(const struct step *step, enum cs_operand ggtt)
{
    return step_operand(step, ggtt) ? STREAMER_GGTT : step->streamer->ppgtt;
}

static void report_access(const struct step *step, bool write, uint32_t address, uint32_t value,
                          bool denied)
{
    const struct streamer_callbacks *callbacks = step->callbacks;
    if (callbacks->accessed)
        callbacks->accessed(callbacks->closure, write, address, value, denied);
}

uint32_t step_read_register(struct step *step, uint32_t address)
{
    const struct streamer_callbacks *callbacks = step->callbacks;
    uint32_t value;
    if (!streamer_read(step->streamer, callbacks, address, &value))
        return callbacks->mmio_read ? callbacks->mmio_read(callbacks->closure, address) : 0;
    report_access(step, false, address, value, false);
    return value;
}

void step_write_register(struct step *step, uint32_t address, uint32_t value)
{
    const struct streamer_callbacks *callbacks = step->callbacks;
    if (!step->place.privileged && !(callbacks->may_write_register &&
                                     callbacks->may_write_register(callbacks->closure, address))) {
        step->streamer->illegal_writes++;
        report_access(step, true, address, value, true);
    } else if (streamer_write(step->streamer, address, value)) {
        report_access(step, true, address, value, false);
    } else if (callbacks->mmio_write) {
        callbacks->mmio_write(callbacks->closure, address, value);
    }
}

bool step_busy(const struct step *step)
{
    return step->callbacks->busy && step->callbacks->busy(step->callbacks->closure);
}
