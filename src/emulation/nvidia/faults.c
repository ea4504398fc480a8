/* SPDX-License-Identifier: MIT */
#include "emulation/nvidia/faults.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/minmax.h"
#include "emulation/faults/script.h"
#include "nvidia/pcounter/engine.h"

struct nvidia_faults {
    const struct faults_script *script;
    struct nvidia_emulation *emulation;
    uint64_t *done; /* times that each fault has happened */
    bool begun;
    uint64_t origin_ns, stalled_ns;
};

/* Returns the GPU's time at which a fault happens next; UINT64_MAX: never. */
static uint64_t due_ns(const struct nvidia_faults *faults, size_t i)
{
    if (!faults->begun || faults->script->faults[i].trigger != ON_TIME)
        return UINT64_MAX;
    uint64_t when = fault_when(faults->script, i, faults->done[i]);
    return when < UINT64_MAX - faults->origin_ns ? faults->origin_ns + when : UINT64_MAX;
}

static uint64_t next_ns(void *closure)
{
    const struct nvidia_faults *faults = closure;
    uint64_t next = UINT64_MAX;
    for (size_t i = 0; i < faults->script->count; i++)
        next = min_u64(next, due_ns(faults, i));
    return next;
}

static bool is_domain(const struct tally_pcounter *engine, unsigned number, int domain)
{
    const struct domain *here = &engine->domains[number];
    unsigned kind = engine->features->sets ? here->kind : TALLY_SET_ONLY;
    return TALLY_DOMAIN(kind, here->number) == (unsigned)domain;
}

/* A domain hangs until the GPU is reset, as after a VM fault of record mode (PC-D29). */
static void wedge(const struct nvidia_faults *faults, int domain)
{
    struct tally_pcounter *engine = faults->emulation->driven.gpu->pcounter;
    for (unsigned i = 0; i < engine->domain_count; i++)
        if (is_domain(engine, i, domain))
            engine->domains[i].hung = true;
}

static void start(struct nvidia_faults *faults, const struct fault *fault, uint64_t now)
{
    switch ((enum fault_kind)fault->kind) {
    case FAULT_SWAP:
        nvidia_trigger(faults->emulation->driven.gpu);
        break;
    case FAULT_WEDGE:
        wedge(faults, fault->domain);
        break;
    case FAULT_STALL:
        faults->stalled_ns = max_u64(faults->stalled_ns, now + fault->duration_ns);
        break;
    default:
        break;
    }
}

static void act(void *closure)
{
    struct nvidia_faults *faults = closure;
    uint64_t now = faults->emulation->driven.gpu->ns;
    for (size_t i = 0; i < faults->script->count; i++)
        while (due_ns(faults, i) <= now) {
            start(faults, &faults->script->faults[i], now);
            faults->done[i]++;
        }
}

static int check(const struct nvidia_faults *faults, struct tally_error *error)
{
    const struct tally_chipset *chipset = faults->emulation->driven.gpu->chipset;
    const struct pcounter_features *features = faults->emulation->driven.gpu->pcounter->features;
    for (size_t i = 0; i < faults->script->count; i++) {
        const struct fault *fault = &faults->script->faults[i];
        if (fault->kind != FAULT_DISK_FULL && !fault_is_nvidia(fault->kind))
            return fail(error, -EINVAL, "%s:%u: %s is a fault of Intel's GPUs, and %s is not one",
                        faults->script->file, fault->line, faults_kind_name(fault->kind),
                        chipset->title);
        if (fault->kind == FAULT_SWAP && (!features->quad || features->sets))
            return fail(error, -EINVAL, "%s:%u: %s has no trigger that swaps the counters",
                        faults->script->file, fault->line, chipset->title);
        if (fault->kind == FAULT_WEDGE &&
            !tally_chipset_has_domain(chipset, (unsigned)fault->domain))
            return fail(error, -EINVAL, "%s:%u: %s has no domain %s", faults->script->file,
                        fault->line, chipset->title, tally_domain_name((unsigned)fault->domain));
    }
    return 0;
}

int nvidia_faults_bind(const struct faults_script *script, struct nvidia_emulation *emulation,
                       struct nvidia_faults **out, struct tally_error *error)
{
    struct nvidia_faults *faults = calloc(1, sizeof *faults);
    if (!faults)
        return fail_memory(error, "faults");
    *faults = (struct nvidia_faults){.script = script, .emulation = emulation};
    faults->done = calloc(script->count + 1, sizeof *faults->done);
    int result = faults->done ? check(faults, error) : fail_memory(error, "faults");
    if (result < 0) {
        free(faults->done);
        free(faults);
        return result;
    }
    emulation->driven.next_ns = next_ns;
    emulation->driven.act = act;
    emulation->driven.act_closure = faults;
    *out = faults;
    return 0;
}

void nvidia_faults_free(struct nvidia_faults *faults)
{
    if (!faults)
        return;
    faults->emulation->driven.act = NULL;
    free(faults->done);
    free(faults);
}

void nvidia_faults_begin(struct nvidia_faults *faults)
{
    if (!faults || faults->begun)
        return;
    faults->begun = true;
    faults->origin_ns = faults->emulation->driven.gpu->ns;
}

uint64_t nvidia_faults_stalled_ns(const struct nvidia_faults *faults)
{
    return faults ? faults->stalled_ns : 0;
}
