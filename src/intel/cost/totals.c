/* SPDX-License-Identifier: MIT */
/* The EU array, the samplers and the memory interface, and how long everything takes. */
#include "intel/cost/job.h"

static const struct {
    uint8_t active, stalled;
} thread_clocks[STAGES] = {
    [JOB_VS] = {COST_VS_ACTIVE, COST_VS_STALLED}, [JOB_HS] = {COST_HS_ACTIVE, COST_HS_STALLED},
    [JOB_DS] = {COST_DS_ACTIVE, COST_DS_STALLED}, [JOB_GS] = {COST_GS_ACTIVE, COST_GS_STALLED},
    [JOB_PS] = {COST_PS_ACTIVE, COST_PS_STALLED}, [JOB_CS] = {COST_CS_ACTIVE, COST_CS_STALLED},
};

/* Clocks of threads, summed over them. */
struct thread_time {
    uint64_t active[STAGES], stalled[STAGES], all_active, all_stalled, threads;
};

static struct thread_time time_of_threads(const struct job *job)
{
    struct thread_time time = {.all_active = 0};
    for (unsigned i = 0; i < STAGES; i++) {
        uint64_t threads = job->threads[i];
        time.active[i] = times(threads, number_of(job, (enum cost_number)thread_clocks[i].active));
        time.stalled[i] =
            times(threads, number_of(job, (enum cost_number)thread_clocks[i].stalled));
        time.all_active = plus(time.all_active, time.active[i]);
        time.all_stalled = plus(time.all_stalled, time.stalled[i]);
        time.threads = plus(time.threads, threads);
    }
    return time;
}

static uint64_t share(uint64_t value, uint64_t part, uint64_t whole)
{
    return whole ? (uint64_t)((uint128)value * part / whole) : 0;
}

/* An EU executes one of its threads at a time: it is active for as long as they are. It is stalled
 * while all that are loaded wait, at most in the rest of the clocks. */
static void count_eus(struct job *job, const struct thread_time *time, uint64_t clocks)
{
    uint64_t *units = job->out->units;
    uint64_t eu_clocks = times(clocks, job->machine->eus),
             active = min_u64(time->all_active, eu_clocks);
    uint64_t loaded = plus(time->all_active, time->all_stalled);
    uint64_t stalled = min_u64(time->all_stalled, eu_clocks - active);
    /* Dispatch headers of later threads are loaded while others run (document 000, A1). */
    uint64_t headers =
        times(min_u64(time->threads, job->machine->eus), number_of(job, COST_HEADER_CLOCKS));
    units[UNIT_EU_ACTIVE] = active - percent_of(active, number_of(job, COST_SEND_SERVICE));
    units[UNIT_EU_STALLED] = min_u64(plus(stalled, headers), eu_clocks - active);
    units[UNIT_EU_OCCUPANCY] = min_u64(loaded, times(eu_clocks, job->machine->eu_threads));
    for (unsigned i = 0; i < STAGES; i++) {
        unsigned unit = UNIT_VS_ACTIVE + STAGE_UNITS * i;
        units[unit] = share(active, time->active[i], time->all_active);
        units[unit + UNIT_VS_STALLED - UNIT_VS_ACTIVE] =
            share(stalled, time->stalled[i], time->all_stalled);
        units[unit + UNIT_VS_READY - UNIT_VS_ACTIVE] =
            min_u64(percent_of(time->stalled[i], number_of(job, COST_READY)), eu_clocks);
        units[unit + UNIT_VS_THREADS - UNIT_VS_ACTIVE] = job->threads[i];
    }
    for (unsigned i = 0; i < 3; i++)
        units[UNIT_EU_FPU0 + i] =
            percent_of(active, number_of(job, (enum cost_number)(COST_FPU0 + i)));
    for (unsigned i = 0; i < 5; i++)
        units[UNIT_EU_HYBRID + i] =
            percent_of(active, number_of(job, (enum cost_number)(COST_HYBRID + i)));
}

static void count_samplers(struct job *job)
{
    uint64_t clocks = parts(job->texels, number_of(job, COST_TEXELS_PER_CLOCK));
    uint64_t misses = percent_of(job->texels, number_of(job, COST_SAMPLER_MISSES));
    add_unit(job, UNIT_SAMPLER_TEXELS, times(job->texels, 4)); /* A28 is in 2x2 blocks */
    add_unit(job, UNIT_SAMPLER_MISSES, misses);
    add_unit(job, UNIT_SAMPLER_BUSY, clocks);
    add_unit(job, UNIT_SAMPLER_BOTTLENECK,
             percent_of(clocks, number_of(job, COST_SAMPLER_BOTTLENECK)));
    take_clocks(job, clocks);
    job->bytes_read = plus(job->bytes_read, times(misses, number_of(job, COST_READ_BYTES)));
}

/* The interface takes a read and a write per clock. */
static void count_interface(struct job *job)
{
    uint64_t reads = parts(job->bytes_read, number_of(job, COST_READ_BYTES));
    uint64_t writes = parts(job->bytes_written, number_of(job, COST_WRITE_BYTES));
    add_unit(job, UNIT_GTI_READS, reads);
    add_unit(job, UNIT_GTI_WRITES, writes);
    take_clocks(job, max_u64(reads, writes));
}

/* A stage that takes as long as everything else is its bottleneck. */
static void find_bottleneck(struct job *job, const struct thread_time *time, uint64_t clocks)
{
    static const struct {
        uint8_t stage, unit;
    } stages[] = {{JOB_VS, UNIT_VS_BOTTLENECK}, {JOB_GS, UNIT_GS_BOTTLENECK}};
    for (unsigned i = 0; i < 2; i++)
        if (2 * time->active[stages[i].stage] > time->all_active)
            add_unit(job, stages[i].unit,
                     min_u64(parts(time->active[stages[i].stage], job->machine->eus), clocks));
}

void count_totals(struct job *job)
{
    struct thread_time time = time_of_threads(job);
    uint64_t eus = job->machine->eus ? job->machine->eus : 1;
    uint64_t slots = eus * max_u64(job->machine->eu_threads, 1);
    count_samplers(job);
    count_interface(job);
    take_clocks(job, parts(time.all_active, eus));
    take_clocks(job, parts(plus(time.all_active, time.all_stalled), slots));
    uint64_t clocks = plus(job->clocks, number_of(job, COST_DRAW_CLOCKS));
    job->out->clocks = clocks;
    count_eus(job, &time, clocks);
    find_bottleneck(job, &time, clocks);
}
