/* SPDX-License-Identifier: MIT */
/*
 * Finds the busiest report of a recording. A complete program that uses only public headers.
 *
 *     cc busiest.c -o busiest $(pkg-config --cflags --libs tally)
 *     ./busiest recording.i915-perf GpuBusy
 */
#include <stdio.h>

#include <tally/metrics.h>
#include <tally/recording.h>

struct busiest {
    uint64_t report;
    double value;
};

static void find_busiest(struct tally_program *program, size_t counter,
                         const struct tally_batch *batch, struct busiest *busiest)
{
    enum tally_data_type type = tally_program_set(program)->counters[counter].type;
    for (size_t start = 0; start + 1 < batch->count; start += TALLY_BLOCK) {
        size_t count = batch->count - 1 - start;
        if (count > TALLY_BLOCK)
            count = TALLY_BLOCK;
        tally_program_run(program, batch->reports + start, count);
        const union tally_value *values = tally_program_values(program, counter);
        for (size_t i = 0; i < count; i++) {
            double value = type == TALLY_DOUBLE ? values[i].f : (double)values[i].u;
            if (batch->states[start + i] != TALLY_STATE_OK || value <= busiest->value)
                continue;
            busiest->report = batch->first_index + start + i;
            busiest->value = value;
        }
    }
}

int main(int argc, char **argv)
{
    struct tally_error error = {0, ""};
    struct tally_recording *recording = NULL;
    struct tally_program *program = NULL;
    const struct tally_metric_set *set;
    struct tally_environment environment;
    struct busiest busiest = {0, 0};
    if (argc != 3)
        return 2;

    struct tally_catalog *catalog = tally_catalog_new(NULL);
    struct tally_batch *batch = tally_batch_new();
    int result = catalog && batch ? 0 : -1;
    if (!result)
        result = tally_recording_open(argv[1], NULL, &recording, &error);
    if (!result) {
        const struct tally_recording_info *info = tally_recording_info(recording);
        tally_environment_of(info, &environment);
        result = tally_catalog_find(catalog, info->device.chipset, info->recorded.set_uuid,
                                    info->recorded.set_name, &set, &error);
        if (!result)
            result = tally_program_new(set, &environment, info->layout, &program, &error);
    }
    ptrdiff_t counter = result ? -1 : tally_metric_set_counter(set, argv[2]);
    if (counter >= 0 && tally_program_state(program, (size_t)counter) == TALLY_COUNTER_OK) {
        while ((result = tally_recording_read(recording, batch, &error)) > 0)
            find_busiest(program, (size_t)counter, batch, &busiest);
        printf("report %llu: %s = %.2f %s\n", (unsigned long long)busiest.report, argv[2],
               busiest.value, set->counters[counter].units);
    }
    if (result < 0)
        fprintf(stderr, "%s\n", error.message);
    tally_program_free(program);
    tally_recording_close(recording);
    tally_batch_free(batch);
    tally_catalog_free(catalog);
    return result < 0 || counter < 0;
}
