/* SPDX-License-Identifier: MIT */
/* Dispatches MMIO accesses to the parts of the GPU, and delivers the resulting interrupts. */
#include <errno.h>

#include "intel/gpu/gpu.h"
#include "intel/registers.h"

/* ---- interrupts ------------------------------------------------------------------------------ */

void gpu_notify(struct tally_gpu *gpu)
{
    bool line = has_interrupt_tree(gpu) ? gt_interrupts_line(&gpu->interrupts.host[0])
                                        : gt_flat_line(&gpu->flat);
    if (line != gpu->line)
        gpu_pci_interrupt(gpu, 0, line);
    gpu->line = line;
    for (unsigned i = 1; i <= gpu->pci.state.functions; i++)
        if (gt_interrupts_line(&gpu->interrupts.host[i]) != (gpu->pci.levels >> i & 1))
            gpu_pci_interrupt(gpu, i, !(gpu->pci.levels >> i & 1));
    for (unsigned vector = 0; vector < 2; vector++) {
        uint32_t events = gpu->interrupts.guc.dw[vector].events;
        for (; gpu->events[vector] != events; gpu->events[vector]++)
            if (gpu->bus.scheduler)
                gpu->bus.scheduler(gpu->bus.context, vector);
    }
}

void gpu_raise_half_full(struct tally_gpu *gpu)
{
    if (has_interrupt_tree(gpu))
        gt_interrupts_message(&gpu->interrupts, GT_HALF_FULL_CLASS, GT_HALF_FULL_INSTANCE, 0,
                              GT_HALF_FULL_DATA);
    else
        gt_flat_raise_half_full(&gpu->flat);
    gpu_notify(gpu);
}

int tally_gpu_interrupt(struct tally_gpu *gpu, unsigned engine_class, unsigned instance,
                        unsigned function, uint16_t data)
{
    if (!has_interrupt_tree(gpu))
        return -EINVAL;
    int result = gt_interrupts_message(&gpu->interrupts, engine_class, instance, function, data);
    gpu_notify(gpu);
    return result;
}

int tally_gpu_interrupt_message(struct tally_gpu *gpu, uint32_t message)
{
    if (!has_interrupt_tree(gpu))
        return -EINVAL;
    int result = gt_interrupts_message32(&gpu->interrupts, message);
    gpu_notify(gpu);
    return result;
}

int tally_gpu_set_level(struct tally_gpu *gpu, unsigned bit, bool level)
{
    if (!has_interrupt_tree(gpu))
        return -EINVAL;
    int result = gt_interrupts_set_level(&gpu->interrupts.host[0], bit, level);
    gpu_notify(gpu);
    return result;
}

/* Returns the row of a register; NULL if the product does not have it. */
static const struct reg_row *row_at(const struct tally_gpu *gpu, uint32_t address,
                                    unsigned *element)
{
    const struct reg_row *row = reg_index_find(gpu->index, address, element);
    return row && gpu->missing && row->map == &gpu->missing->map ? NULL : row;
}

/* Returns the row of an interrupt register. The index has only the CPU's copy; the others have the
 * same rows. */
static const struct reg_row *copy_row(const struct tally_gpu *gpu, uint32_t address)
{
    unsigned element;
    const struct reg_row *row = row_at(gpu, address, &element);
    return row && row->part == INTEL_PART_INTERRUPTS ? row : NULL;
}

static uint32_t read_copy(struct tally_gpu *gpu, enum tally_gpu_agent agent,
                          struct gt_interrupt_copy *copy, uint32_t address)
{
    uint32_t value = has_interrupt_tree(gpu) ? gt_interrupts_read32(copy, address) : 0;
    gpu_count_access(gpu, agent, false, address, value,
                     (enum tally_gpu_access_outcome)reg_check_read(copy_row(gpu, address)));
    gpu_notify(gpu);
    return value;
}

static void write_copy(struct tally_gpu *gpu, enum tally_gpu_agent agent,
                       struct gt_interrupt_copy *copy, uint32_t address, uint32_t value)
{
    gpu_count_access(gpu, agent, true, address, value,
                     (enum tally_gpu_access_outcome)reg_check_write(copy_row(gpu, address), value));
    if (has_interrupt_tree(gpu))
        gt_interrupts_write32(copy, address, value);
    gpu_notify(gpu);
}

/* The scheduler is in the GT, which has no power in D3hot. */
uint32_t tally_gpu_scheduler_read32(struct tally_gpu *gpu, uint32_t address)
{
    if (!(gpu->powerless & GPU_IN_D3))
        return read_copy(gpu, TALLY_GPU_SCHEDULER, &gpu->interrupts.guc, address);
    gpu_count_access(gpu, TALLY_GPU_SCHEDULER, false, address, 0, TALLY_GPU_ASLEEP);
    return 0;
}

void tally_gpu_scheduler_write32(struct tally_gpu *gpu, uint32_t address, uint32_t value)
{
    if (!(gpu->powerless & GPU_IN_D3))
        write_copy(gpu, TALLY_GPU_SCHEDULER, &gpu->interrupts.guc, address, value);
    else
        gpu_count_access(gpu, TALLY_GPU_SCHEDULER, true, address, value, TALLY_GPU_ASLEEP);
}

/* Whether the memory space of a function is enabled; only existing functions have one. */
static bool is_function_decoded(const struct tally_gpu *gpu, unsigned function)
{
    const struct gt_pci_state *state = &gpu->pci.state;
    return function == 0 ? state->memory : state->function_memory && function <= state->functions;
}

uint32_t tally_gpu_function_read32(struct tally_gpu *gpu, unsigned function, uint32_t address)
{
    if (is_function_decoded(gpu, function))
        return read_copy(gpu, TALLY_GPU_FUNCTION, &gpu->interrupts.host[function], address);
    gpu_count_access(gpu, TALLY_GPU_FUNCTION, false, address, UINT32_MAX, TALLY_GPU_NOT_DECODED);
    return UINT32_MAX;
}

void tally_gpu_function_write32(struct tally_gpu *gpu, unsigned function, uint32_t address,
                                uint32_t value)
{
    if (is_function_decoded(gpu, function))
        write_copy(gpu, TALLY_GPU_FUNCTION, &gpu->interrupts.host[function], address, value);
    else
        gpu_count_access(gpu, TALLY_GPU_FUNCTION, true, address, value, TALLY_GPU_NOT_DECODED);
}

/* ---- the NOA network ------------------------------------------------------------------------- */

void gpu_drive_clock(struct tally_gpu *gpu)
{
    const struct tally_workload_program *program = gpu->cursor.program;
    unsigned bits = gpu->oa->variant->noa_clock & ~(program ? program->noa_driven : 0u);
    struct tally_wave clock = tally_wave_constant(true);
    for (unsigned bit = 0; bits >> bit; bit++)
        if (bits >> bit & 1)
            tally_oa_drive_noa(gpu->oa, bit, &clock);
}

/* ---- routes ---------------------------------------------------------------------------------- */

static bool any_awake(const struct gt_forcewake *wake, uint32_t domains)
{
    for (unsigned i = 0; i < GT_DOMAINS; i++)
        if ((domains & GT_DOMAIN_BIT(i)) && gt_forcewake_awake(wake, (enum gt_domain)i))
            return true;
    return false;
}

/* Requests of a frequency can be written while the GT sleeps, as RING_TAIL and the submission ports
 * (OA-4.3); up to Gen7.5 also the masks of their interrupts, since writes wake the GT there. */
static bool is_shadowed(const struct tally_gpu *gpu, const struct gpu_engine *engine,
                        uint32_t address)
{
    if (address == GEN6_RPNSWREQ || address == GEN6_RC_VIDEO_FREQ)
        return true;
    if (address == GEN6_RP_INTERRUPT_LIMITS || address == GEN6_PMINTRMSK)
        return !has_execlists(gpu);
    uint32_t offset = engine ? address - engine->streamer.engine->map.base : UINT32_MAX;
    return offset == RING_TAIL - RENDER_RING_BASE || offset == RING_ELSP - RENDER_RING_BASE;
}

/* Before Gen11: the registers of an engine in its own well need its domain, others of render's and
 * media's wells that of the well, and the rest any. On Gen9 the render engine's last registers,
 * 2700h to 27FFh, are not in its well. */
static struct gt_route route_plainly(struct tally_gpu *gpu, enum gt_agent agent, uint32_t address,
                                     bool write)
{
    struct gt_route route = {.outcome = GT_REACHED, .instances = UINT32_MAX};
    const struct gpu_engine *engine = gpu_engine_at(gpu, address);
    enum gt_well well = gt_well_at(gpu->platform->revision, address);
    bool owns = engine && engine->well == well;
    uint32_t domains = owns ? gpu_engine_domains(gpu, engine) : gt_well_domains(well);
    if (well != GT_WELL_NONE && !any_awake(&gpu->wake, domains) &&
        !gt_forcewake_owns(&gpu->wake, address) && !(write && is_shadowed(gpu, engine, address)))
        route.outcome = GT_ASLEEP;
    else
        gt_steer(&gpu->steering, agent, address, write, &route);
    return route;
}

static struct gt_route route_to(struct tally_gpu *gpu, enum gt_agent agent, uint32_t address,
                                bool write)
{
    if (!has_steering(gpu))
        return route_plainly(gpu, agent, address, write);
    return write ? gt_routing_write(&gpu->routing, &gpu->wake, agent, address)
                 : gt_routing_read(&gpu->routing, &gpu->wake, agent, address);
}

static bool is_reached(const struct gt_route *route)
{
    return route->outcome == GT_REACHED || route->outcome == GT_ELSEWHERE;
}

/* ---- the parts ------------------------------------------------------------------------------- */

static void *context_of(struct tally_gpu *gpu, const struct reg_row *row)
{
    if (row->part >= INTEL_PART_STREAMERS) {
        gpu->used |= 1u << (row->part - INTEL_PART_STREAMERS);
        return &gpu->engines[row->part - INTEL_PART_STREAMERS].streamer;
    }
    switch ((enum intel_part)row->part) {
    case INTEL_PART_OA:
        return gpu->oa;
    case INTEL_PART_NOA:
        return &gpu->noa;
    case INTEL_PART_GPU:
        return gpu;
    case INTEL_PART_INTERRUPTS:
        return &gpu->interrupts.host[0];
    case INTEL_PART_FLAT:
        return &gpu->flat;
    case INTEL_PART_FORCEWAKE:
        return &gpu->wake;
    case INTEL_PART_ROUTING:
        return &gpu->routing;
    case INTEL_PART_UNITS:
        return &gpu->units;
    case INTEL_PART_FUSES:
        return &gpu->fuses;
    case INTEL_PART_HOST:
        return &gpu->host;
    case INTEL_PART_STEERING:
        return &gpu->steering;
    case INTEL_PART_SIDEBAND:
        return &gpu->sideband;
    case INTEL_PART_STREAMERS:
        break;
    }
    return NULL;
}

static struct reg_request request_to(const struct tally_gpu *gpu, const struct gt_route *route,
                                     uint32_t address)
{
    struct reg_request request = {
        .address = address, .instances = route->instances, .instance = route->instance};
    request.row = row_at(gpu, address, &request.element);
    return request;
}

/* Returns the outcome of an access that does not reach a register. */
static enum tally_gpu_access_outcome outcome_of_route(const struct gt_route *route, bool write)
{
    switch (route->outcome) {
    case GT_ASLEEP:
        return TALLY_GPU_ASLEEP;
    case GT_FUSED_OFF:
        return TALLY_GPU_FUSED_OFF;
    case GT_MCHBAR:
    case GT_HYPERVISOR:
        return write ? TALLY_GPU_READ_ONLY : TALLY_GPU_DONE;
    default:
        return TALLY_GPU_UNKNOWN_REGISTER;
    }
}

static enum tally_gpu_agent public_agent(enum gt_agent agent)
{
    return agent == GT_AGENT_CS ? TALLY_GPU_STREAMER : TALLY_GPU_CPU;
}

/* Reads a range that routing handles without registers. */
static uint32_t read_range(const struct tally_gpu *gpu, const struct gt_route *route,
                           uint32_t address)
{
    uint64_t value;
    if (route->outcome == GT_MCHBAR)
        return gt_routing_read_mchbar(&gpu->routing, address, 4, &value) == 0 ? (uint32_t)value : 0;
    if (route->outcome == GT_HYPERVISOR)
        return gt_routing_read_hypervisor(&gpu->routing, address);
    return 0;
}

uint32_t gpu_read32(struct tally_gpu *gpu, enum gt_agent agent, uint32_t address)
{
    struct gt_route route = route_to(gpu, agent, address, false);
    if (!is_reached(&route)) {
        uint32_t value = read_range(gpu, &route, address);
        gpu_count_access(gpu, public_agent(agent), false, address, value,
                         outcome_of_route(&route, false));
        return value;
    }
    struct reg_request request = request_to(gpu, &route, address);
    enum reg_access_outcome outcome = reg_check_read(request.row);
    uint32_t value =
        outcome == REG_DONE ? request.row->handler.read(context_of(gpu, request.row), &request) : 0;
    if (request.row && request.row->part == INTEL_PART_INTERRUPTS) /* a read can lock a DW */
        gpu_notify(gpu);
    gpu_count_access(gpu, public_agent(agent), false, address, value,
                     (enum tally_gpu_access_outcome)outcome);
    return value;
}

void gpu_write32(struct tally_gpu *gpu, enum gt_agent agent, uint32_t address, uint32_t value)
{
    struct gt_route route = route_to(gpu, agent, address, true);
    if (!is_reached(&route)) {
        gpu_count_access(gpu, public_agent(agent), true, address, value,
                         outcome_of_route(&route, true));
        return;
    }
    struct reg_request request = request_to(gpu, &route, address);
    gpu_count_access(gpu, public_agent(agent), true, address, value,
                     (enum tally_gpu_access_outcome)reg_check_write(request.row, value));
    if (request.row && (request.row->reg->access & REG_WRITE)) {
        const struct gpu_engine *engine = gpu_engine_at(gpu, address);
        if (engine) /* which the write may stop */
            gpu_loop_leave(gpu, engine);
        request.row->handler.write(context_of(gpu, request.row), &request, value);
    }
    if (address == GEN8_OACTXCONTROL)
        gpu->context_lost = false;
    if (request.row && request.row->part == INTEL_PART_NOA) {
        gating_update(gpu);
        rc6_update(gpu);
    }
    if (request.row && request.row->part == INTEL_PART_SIDEBAND)
        rps_update(gpu);
    power_update(gpu);
    gpu_notify(gpu);
}

void gpu_write_inside(struct tally_gpu *gpu, uint32_t address, uint32_t value)
{
    struct reg_request request = {.address = address, .instances = UINT32_MAX};
    request.row = row_at(gpu, address, &request.element);
    if (!request.row || !(request.row->reg->access & REG_WRITE) ||
        (has_steering(gpu) &&
         gt_routing_write(&gpu->routing, &gpu->wake, GT_AGENT_CS, address).outcome == GT_FUSED_OFF))
        return;
    request.row->handler.write(context_of(gpu, request.row), &request, value);
    if (address == GEN8_OACTXCONTROL)
        gpu->context_lost = false;
}

void gpu_count_own_access(struct tally_gpu *gpu, bool write, uint32_t address, uint32_t value,
                          bool denied)
{
    unsigned element;
    const struct reg_row *row = row_at(gpu, address, &element);
    enum reg_access_outcome checked = write ? reg_check_write(row, value) : reg_check_read(row);
    enum tally_gpu_access_outcome outcome =
        denied ? TALLY_GPU_DENIED : (enum tally_gpu_access_outcome)checked;
    gpu_count_access(gpu, TALLY_GPU_STREAMER, write, address, value, outcome);
    gpu_loop_note_access(gpu, write, outcome);
}

/* ---- the CPU --------------------------------------------------------------------------------- */

uint32_t gpu_cpu_read32(struct tally_gpu *gpu, uint32_t address)
{
    return gpu_read32(gpu, GT_AGENT_HOST, address);
}

void gpu_cpu_write32(struct tally_gpu *gpu, uint32_t address, uint32_t value)
{
    gpu_write32(gpu, GT_AGENT_HOST, address, value);
}

uint32_t tally_gpu_read32(struct tally_gpu *gpu, uint32_t address)
{
    if (gpu->pci.state.memory)
        return gpu_cpu_read32(gpu, address);
    gpu_count_access(gpu, TALLY_GPU_CPU, false, address, UINT32_MAX, TALLY_GPU_NOT_DECODED);
    return UINT32_MAX;
}

void tally_gpu_write32(struct tally_gpu *gpu, uint32_t address, uint32_t value)
{
    if (gpu->pci.state.memory)
        gpu_cpu_write32(gpu, address, value);
    else
        gpu_count_access(gpu, TALLY_GPU_CPU, true, address, value, TALLY_GPU_NOT_DECODED);
}

int tally_gpu_read(struct tally_gpu *gpu, uint32_t address, unsigned bytes, uint64_t *out)
{
    if (has_steering(gpu) && GT_IS_MCHBAR(address) && gpu->pci.state.memory) {
        int result = gt_routing_read_mchbar(&gpu->routing, address, bytes, out);
        if (result == 0)
            gpu_count_access(gpu, TALLY_GPU_CPU, false, address, (uint32_t)*out, TALLY_GPU_DONE);
        return result;
    }
    if ((bytes != 2 && bytes != 4 && bytes != 8) || address % bytes)
        return -EINVAL;
    uint64_t value = tally_gpu_read32(gpu, address & ~3u);
    if (bytes == 2)
        value = value >> (address & 2) * 8 & 0xffff;
    else if (bytes == 8)
        value |= (uint64_t)tally_gpu_read32(gpu, address + 4) << 32;
    *out = value;
    return 0;
}

const char *tally_gpu_outcome(const struct tally_gpu *gpu, uint32_t address, bool write)
{
    struct gt_route route = route_to((struct tally_gpu *)gpu, GT_AGENT_HOST, address, write);
    unsigned element;
    if (!gpu->pci.state.memory)
        return tally_gpu_access_outcome_name(TALLY_GPU_NOT_DECODED);
    if (is_reached(&route) && !row_at(gpu, address, &element))
        return gt_outcome_name(GT_UNIMPLEMENTED);
    return gt_outcome_name(is_reached(&route) ? GT_REACHED : route.outcome);
}
