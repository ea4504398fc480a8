/* SPDX-License-Identifier: MIT */
/*
 * MMIO of a modelled GPU: nanoseconds per 32-bit access by the CPU, to registers of the OA unit, a
 * NOA register, a register that is replicated in every subslice, and an address without a register.
 */
#include <stdio.h>
#include <stdlib.h>

#include <tally/gpu.h>

#include "base/bits.h"
#include "bench.h"

#define ACCESSES 2000000u
#define RUNS     5

static const struct mmio_case {
    const char *platform, *name;
    uint32_t address;
} cases[] = {
    {"hsw", "OACONTROL", 0x2360},    {"hsw", "GDT_CHICKEN_BITS", 0x9840},
    {"hsw", "NOA_MUX", 0x2720c},     {"hsw", "no register", 0x23000},
    {"skl", "OACONTROL", 0x2b00},    {"skl", "OATAILPTR", 0x2b10},
    {"lkf", "OACONTROL", 0x2b00},    {"lkf", "EU_PERF_CNT_CTL0", 0xe458},
    {"lkf", "FORCEWAKE_GT", 0xa188}, {"tgl", "OAG_OATAILPTR", 0xdb04},
    {"tgl", "no register", 0xdbf0},
};

static double read_seconds(struct tally_gpu *gpu, uint32_t address, uint32_t *sum)
{
    double start = bench_now();
    for (unsigned i = 0; i < ACCESSES; i++)
        *sum += tally_gpu_read32(gpu, address);
    return bench_now() - start;
}

static double write_seconds(struct tally_gpu *gpu, uint32_t address)
{
    double start = bench_now();
    for (unsigned i = 0; i < ACCESSES; i++)
        tally_gpu_write32(gpu, address, 0);
    return bench_now() - start;
}

int main(void)
{
    uint32_t sum = 0;
    puts("MMIO                       ns/read  ns/write");
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        double reads[RUNS], writes[RUNS];
        struct tally_gpu_config config = {.platform = cases[i].platform, .always_awake = true};
        struct tally_error error;
        struct tally_gpu *gpu;
        if (tally_gpu_new(&config, &gpu, &error) < 0) {
            fprintf(stderr, "%s\n", error.message);
            return 1;
        }
        for (unsigned run = 0; run < RUNS; run++) {
            reads[run] = read_seconds(gpu, cases[i].address, &sum);
            writes[run] = write_seconds(gpu, cases[i].address);
        }
        printf("%s %05xh %-16s %7.1f %9.1f\n", cases[i].platform, cases[i].address, cases[i].name,
               bench_median(reads, RUNS) / ACCESSES * 1e9,
               bench_median(writes, RUNS) / ACCESSES * 1e9);
        tally_gpu_free(gpu);
    }
    return sum == 1; /* so that reads are not optimized away */
}
