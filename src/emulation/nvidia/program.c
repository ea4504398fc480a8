/* SPDX-License-Identifier: MIT */
/* Binds a workload to an NVIDIA GPU: finds the signals that its units drive, and makes their waves.
 */
#include "emulation/nvidia/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "emulation/nvidia/shares.h"
#include "nvidia/pcounter/engine.h"
#include "nvidia/selectors.h"

/* ---- the signals of rows --------------------------------------------------------------------- */

struct finder {
    const struct nvidia_gpu *gpu;
    struct tally_signal *signals; /* those of the chipset */
    size_t count;
    struct nvidia_drive *drives;
    size_t drive_count;
};

#define GROUPS          4
#define INSTANCES_MAX   32
#define DRIVES_OF_A_ROW INSTANCES_MAX

static bool is_signal_of(const struct tally_signal *signal, const struct drive_row *row,
                         unsigned group)
{
    char name[32], raw[32];
    if (row->signal[0] == '/') {
        snprintf(raw, sizeof raw, "/%s/%02x", tally_domain_name(signal->domain), signal->index);
        return !strcmp(raw, row->signal);
    }
    if (signal->index != signal->group_first + row->element)
        return false;
    if (row->signal[0] == '@')
        return !strncmp(signal->note, "event ", 6) && !strcmp(signal->note + 6, row->signal + 1);
    if (!row->groups)
        return !strcmp(signal->name, row->signal);
    snprintf(name, sizeof name, "%s %u", row->signal, group);
    return !strcmp(signal->name, name);
}

/* Sets the conditions of a drive. Returns false if the chipset lacks a selector. */
static bool set_conditions(const struct finder *finder, const struct drive_row *row, unsigned group,
                           struct nvidia_drive *drive)
{
    for (size_t i = 0; i < ARRAY_COUNT(row->conditions) && row->conditions[i].selector; i++) {
        const struct drive_condition *condition = &row->conditions[i];
        const struct nvidia_selector *selector =
            nvidia_selector_find(finder->gpu->chipset, condition->selector);
        if (!selector)
            return false;
        uint32_t mask = condition->mask ? condition->mask : selector->mask;
        uint32_t value = condition->value;
        if (row->groups && i == 0) {
            mask = 0xffu << 8 * group;
            value <<= 8 * group;
        }
        drive->condition[drive->conditions].selector = (uint8_t)(selector - nvidia_selector_at(0));
        drive->condition[drive->conditions].mask = mask | selector->enable;
        drive->condition[drive->conditions++].value = value | selector->enable;
    }
    return true;
}

/* Adds the drives of a signal in all instances of its domain. */
static void add(struct finder *finder, const struct drive_row *row, unsigned group, unsigned domain,
                unsigned signal)
{
    const struct tally_pcounter *engine = finder->gpu->pcounter;
    struct nvidia_drive drive = {.row = row, .signal = (uint8_t)signal, .group = (uint8_t)group};
    if (!set_conditions(finder, row, group, &drive))
        return;
    for (unsigned i = 0; i < engine->domain_count; i++) {
        const struct domain *here = &engine->domains[i];
        unsigned kind = engine->features->sets ? here->kind : TALLY_SET_ONLY;
        if (TALLY_DOMAIN(kind, here->number) != domain)
            continue;
        drive.domain = (uint8_t)i;
        for (unsigned k = 0; k < drive.conditions; k++) {
            bool each = nvidia_selector_at(drive.condition[k].selector)->stride;
            drive.condition[k].unit = each && here->instance < NVIDIA_UNITS ? here->instance : 0;
        }
        finder->drives[finder->drive_count++] = drive;
    }
}

/* Adds a signal of a domain without published signals, "/PART0/0f". */
static void add_raw(struct finder *finder, const struct drive_row *row)
{
    char name[8] = "";
    const char *slash = strchr(row->signal + 1, '/');
    memcpy(name, row->signal + 1, (size_t)(slash - row->signal - 1));
    int domain = tally_domain_find(name);
    if (domain >= 0 && tally_chipset_has_domain(finder->gpu->chipset, (unsigned)domain))
        add(finder, row, 0, (unsigned)domain, (unsigned)strtoul(slash + 1, NULL, 16));
}

static void add_row(struct finder *finder, const struct drive_row *row)
{
    if (row->signal[0] == '/') {
        add_raw(finder, row);
        return;
    }
    for (unsigned group = 0; group < (row->groups ? GROUPS : 1); group++)
        for (size_t i = 0; i < finder->count; i++)
            if (is_signal_of(&finder->signals[i], row, group))
                add(finder, row, group, finder->signals[i].domain, finder->signals[i].index);
}

static int compare_drives(const void *a, const void *b)
{
    const struct nvidia_drive *x = a, *y = b;
    int order = x->domain != y->domain ? x->domain - y->domain : x->signal - y->signal;
    if (order)
        return order;
    return (x->row > y->row) - (x->row < y->row);
}

static int find_drives(struct nvidia_program *program, const struct nvidia_gpu *gpu,
                       struct tally_error *error)
{
    struct finder finder = {.gpu = gpu};
    size_t count = tally_signal_count(gpu->chipset);
    finder.signals = calloc(count + 1, sizeof *finder.signals);
    finder.drives = calloc(drive_row_count * DRIVES_OF_A_ROW, sizeof *finder.drives);
    program->drives = finder.drives;
    program->playing = calloc(drive_row_count * DRIVES_OF_A_ROW, sizeof *program->playing);
    if (!finder.signals || !finder.drives || !program->playing) {
        free(finder.signals);
        return fail_memory(error, "a workload's signals");
    }
    for (size_t i = 0; i < count; i++) {
        tally_signal_at(gpu->chipset, i, &finder.signals[finder.count]);
        finder.count += !finder.signals[finder.count].trailer;
    }
    for (size_t i = 0; i < drive_row_count; i++)
        if (drive_row_is_of(&drive_rows[i], gpu->chipset))
            add_row(&finder, &drive_rows[i]);
    program->drive_count = finder.drive_count;
    qsort(program->drives, program->drive_count, sizeof *program->drives, compare_drives);
    free(finder.signals);
    return 0;
}

/* ---- the waves of a phase -------------------------------------------------------------------- */

/* The waves of a phase: one for each drive, and one that it may be the inverse of; and patterns. */
static size_t phase_bytes(const struct nvidia_program *program)
{
    return program->drive_count *
           (2 * sizeof(struct tally_wave) + PATTERN_WORDS * sizeof(uint64_t));
}

static void make_phase(struct nvidia_program *program, const struct nvidia_gpu *gpu, size_t number,
                       char *memory)
{
    struct nvidia_phase *phase = &program->phases[number];
    size_t count = program->drive_count;
    struct tally_wave *waves = (struct tally_wave *)(void *)memory;
    uint64_t *patterns = (uint64_t *)(void *)(waves + 2 * count);
    phase->duration_ns = program->workload->phases[number].duration_ns;
    phase->waves = waves;
    for (size_t i = 0; i < count; i++)
        make_wave(&(struct shares){program->workload, number, gpu}, &program->drives[i], &waves[i],
                  &waves[count + i], patterns + PATTERN_WORDS * i);
}

/* ---- the program ----------------------------------------------------------------------------- */

static bool drives_any(const struct nvidia_program *program, const struct activity *activity)
{
    for (size_t i = 0; i < program->drive_count; i++)
        if (drive_uses(program->drives[i].row, activity->unit))
            return true;
    return false;
}

static void report_left_out(const struct nvidia_program *program, const struct nvidia_gpu *gpu,
                            tally_workload_found *note, void *closure)
{
    bool reported[UNITS] = {false};
    char message[120];
    for (size_t i = 0; i < program->workload->phase_count; i++) {
        const struct phase *phase = &program->workload->phases[i];
        for (size_t k = 0; k < phase->activity_count; k++) {
            const struct activity *activity = &phase->activities[k];
            if (reported[activity->unit] || drives_any(program, activity))
                continue;
            reported[activity->unit] = true;
            snprintf(message, sizeof message, "%s: drives no signal of %s; ignored",
                     unit_info(activity->unit)->name, gpu->chipset->title);
            note(closure, activity->line, message);
        }
    }
}

int nvidia_program_new(const struct tally_workload *workload, const struct nvidia_gpu *gpu,
                       tally_workload_found *note, void *closure, struct nvidia_program **out,
                       struct tally_error *error)
{
    struct nvidia_program *program = calloc(1, sizeof *program);
    if (!program)
        return fail_memory(error, "a workload's program");
    program->workload = workload;
    program->phase_count = workload->phase_count;
    program->phases = calloc(workload->phase_count, sizeof *program->phases);
    int result = program->phases ? find_drives(program, gpu, error)
                                 : fail_memory(error, "a workload's program");
    size_t bytes = result == 0 ? phase_bytes(program) : 0;
    if (result == 0 && !(program->memory = calloc(workload->phase_count, bytes + 1)))
        result = fail_memory(error, "a workload's waves");
    if (result < 0) {
        nvidia_program_free(program);
        return result;
    }
    for (size_t i = 0; i < workload->phase_count; i++) {
        make_phase(program, gpu, i, (char *)program->memory + i * bytes);
        program->duration_ns += program->phases[i].duration_ns;
    }
    if (note)
        report_left_out(program, gpu, note, closure);
    *out = program;
    return 0;
}

void nvidia_program_free(struct nvidia_program *program)
{
    if (!program)
        return;
    free(program->memory);
    free(program->phases);
    free(program->drives);
    free(program->playing);
    free(program);
}
