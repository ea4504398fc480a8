/* SPDX-License-Identifier: MIT */
/* What a command reads and writes. */
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
    const struct streamer_world *world = step->world;
    address &= step_mask(step->streamer) & ~UINT64_C(3);
    *out = 0;
    return (world->read32 && world->read32(world->closure, space, address, out)) ||
           unmapped(step, space, address);
}

bool step_write(struct step *step, uint32_t space, uint64_t address, uint32_t value)
{
    const struct streamer_world *world = step->world;
    address &= step_mask(step->streamer) & ~UINT64_C(3);
    return (world->write32 && world->write32(world->closure, space, address, value)) ||
           unmapped(step, space, address);
}

uint32_t step_space(const struct step *step, enum cs_operand ggtt)
{
    return step_operand(step, ggtt) ? STREAMER_GGTT : step->streamer->ppgtt;
}

static void report_access(const struct step *step, bool write, uint32_t address, uint32_t value,
                          bool denied)
{
    const struct streamer_world *world = step->world;
    if (world->accessed)
        world->accessed(world->closure, write, address, value, denied);
}

uint32_t step_read_register(struct step *step, uint32_t address)
{
    const struct streamer_world *world = step->world;
    uint32_t value;
    if (!streamer_read(step->streamer, world, address, &value))
        return world->mmio_read ? world->mmio_read(world->closure, address) : 0;
    report_access(step, false, address, value, false);
    return value;
}

void step_write_register(struct step *step, uint32_t address, uint32_t value)
{
    const struct streamer_world *world = step->world;
    if (!step->place.privileged &&
        !(world->may_write_register && world->may_write_register(world->closure, address))) {
        step->streamer->illegal_writes++;
        report_access(step, true, address, value, true);
    } else if (streamer_write(step->streamer, address, value)) {
        report_access(step, true, address, value, false);
    } else if (world->mmio_write) {
        world->mmio_write(world->closure, address, value);
    }
}

bool step_busy(const struct step *step)
{
    return step->world->busy && step->world->busy(step->world->closure);
}
