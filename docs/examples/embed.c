/* SPDX-License-Identifier: MIT */
/*
 * A GPU in an emulator: the guest's accesses to registers and the GPU's to memory, and time in
 * slices. A driver in the guest turns on the OA unit of a Haswell; its reports appear in the
 * guest's memory.
 *
 *     cc embed.c -o embed $(pkg-config --cflags --libs tally)
 *     ./embed
 */
#include <stdio.h>
#include <string.h>

#include <tally/gpu.h>
#include <tally/workload.h>

#define BUFFER       0x1000000u /* where the guest's driver has mapped the OA buffer */
#define BUFFER_BYTES (16u << 20)

static unsigned char memory[BUFFER_BYTES];

/* The GPU writes to memory by its own addresses; here is one buffer, and nothing else is mapped. */
static bool write_memory(void *context, uint32_t space, uint64_t address, const void *data,
                         size_t bytes)
{
    (void)context;
    if (space != TALLY_GPU_GGTT || address < BUFFER || address + bytes > BUFFER + BUFFER_BYTES)
        return false;
    memcpy(memory + (address - BUFFER), data, bytes);
    return true;
}

/* What the driver in the guest does: its accesses reach the emulator one by one. */
static void guest_enables_reports(struct tally_gpu *gpu)
{
    tally_gpu_write32(gpu, 0x2368, BUFFER | 1);    /* OASTATUS2: head */
    tally_gpu_write32(gpu, 0x23b0, BUFFER);        /* OABUFFER */
    tally_gpu_write32(gpu, 0x2364, BUFFER | 0x38); /* OASTATUS1: tail, 16 MiB */
    tally_gpu_write32(gpu, 0x2360, 0x275);         /* OACONTROL: a report every 81.92 us */
}

int main(void)
{
    struct tally_gpu *gpu = NULL;
    struct tally_workload *workload = NULL;
    struct tally_workload_program *program = NULL;
    struct tally_gpu_config config;
    struct tally_gpu_bus bus;
    struct tally_workload_target target;
    struct tally_error error = {0, ""};
    memset(&config, 0, sizeof config);
    memset(&bus, 0, sizeof bus);
    memset(&target, 0, sizeof target);
    config.platform = target.platform = "hsw";
    config.always_awake = true;
    bus.write = write_memory;

    int result = tally_gpu_new(&config, &gpu, &error);
    if (result == 0)
        result =
            tally_workload_load("triangle", &workload, &error); /* what the GPU does meanwhile */
    if (result == 0)
        result = tally_workload_bind(workload, &target, NULL, NULL, &program, &error);
    if (result == 0)
        result = tally_gpu_set_workload(gpu, program);
    if (result == 0) {
        tally_gpu_set_bus(gpu, &bus);
        guest_enables_reports(gpu);
        for (int slice = 1; slice <= 5; slice++) {
            tally_gpu_run_ns(gpu, 1000000); /* as long as the guest's processor ran */
            uint32_t bytes = (tally_gpu_read32(gpu, 0x2364) & 0xffffffc0u) - BUFFER;
            uint32_t latest[4] = {0, 0, 0, 0};
            if (bytes > 0)
                memcpy(latest, memory + bytes - 256, sizeof latest);
            printf("%d ms: %2u reports, timestamp %u\n", slice, bytes / 256, latest[1]);
        }
    } else {
        fprintf(stderr, "%s\n", error.message);
    }
    tally_gpu_free(gpu);
    tally_workload_unbind(program);
    tally_workload_free(workload);
    return result != 0;
}
