/* SPDX-License-Identifier: MIT */
/* Recording by nouveau's perfmon: a plan's setups become PERFDOM objects, which are sampled. */
#include "capture/nouveau.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <tally/pcounter.h>

#include "base/bits.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/ratio.h"
#include "capture/counts.h"
#include "capture/nvif.h"
#include "capture/set.h"
#include "capture/wait.h"
#include "driver/nouveau/nouveau.h"
#include "recording/device.h"

#define STREAM  1 /* the only descriptor */
#define PERFMON 1 /* numbers of objects */
#define PERFDOM 2 /* of the first setup */
#define INPUTS  4 /* of a counter */
#define SOURCES 8 /* of an input */

#define SOURCE_ENABLE (UINT32_C(1) << 31)

struct nouveau_machine {
    struct device below; /* that makes the system calls */
    const char *path;
    struct nvif nvif;
    const struct tally_chipset *chipset;
    struct driver_io io; /* its clock and sleep */
    struct nvif_domains domains;

    /* The PERFDOM objects of a plan: one for each setup whose domain exists. */
    const struct perfmon_plan *plan; /* or NULL */
    bool *made;                      /* by setup */
    unsigned pass;
    uint64_t start_ns; /* of the present sample */
    struct perfmon_count *values, *clocks;

    struct counts counts;
    bool is_open;
    struct tally_recorded_chipset recorded;
    struct tally_recorded_domain recorded_domains[TALLY_PCOUNTER_DOMAINS_TOTAL];
};

static struct nouveau_machine *of_gpu(const struct gpu *gpu)
{
    return gpu->machine->self;
}

/* Explains why the kernel refuses a call. */
static int refused(const struct nouveau_machine *machine, const char *what, int result,
                   struct tally_error *error)
{
    return fail(error, result, "%s: nouveau cannot %s: %s", machine->path, what, strerror(-result));
}

/* ---- time ------------------------------------------------------------------------------------ */

static uint64_t clock_now_ns(void *closure)
{
    (void)closure;
    return clock_ns(CLOCK_MONOTONIC);
}

static int clock_sleep_ns(void *closure, uint64_t ns, bool interruptible)
{
    struct timespec left = timespec_of_ns(ns);
    (void)closure;
    while (nanosleep(&left, &left) < 0 && errno == EINTR && !interruptible)
        ;
    return 0;
}

static uint64_t time_ns(void *self)
{
    const struct nouveau_machine *machine = self;
    struct nv_device_time_v0 args = {0};
    int result = nvif_call(&machine->nvif, 0, NV_DEVICE_V0_TIME, &args, sizeof args);
    return result < 0 ? 0 : args.time;
}

/* ---- setups as objects ----------------------------------------------------------------------- */

static const struct nvif_domain *find_domain(const struct nouveau_machine *machine, unsigned domain,
                                             unsigned instance)
{
    for (size_t i = 0; i < machine->domains.count; i++)
        if (machine->domains.rows[i].domain == domain &&
            machine->domains.rows[i].instance == instance)
            return &machine->domains.rows[i];
    return NULL;
}

static bool has_domain(void *self, unsigned domain, unsigned instance)
{
    return find_domain(self, domain, instance) != NULL;
}

static bool is_listed(const struct nvif_domain *domain, uint8_t signal)
{
    return domain->listed[signal / 8] >> signal % 8 & 1;
}

/* Returns whether a truth table depends on an input. */
static bool depends_on(uint32_t table, unsigned input)
{
    bool depends = false;
    for (unsigned row = 0; row < 1u << INPUTS; row++)
        depends |= (table >> row & 1) != (table >> (row ^ 1u << input) & 1);
    return depends;
}

/* Returns the truth table in which an input is 0. */
static uint32_t without(uint32_t table, unsigned input)
{
    uint32_t result = 0;
    for (unsigned row = 0; row < 1u << INPUTS; row++)
        result |= (table >> (row & ~(1u << input)) & 1) << row;
    return result;
}

/* Returns whether a counter mode uses the signals of a slot as the bits of a number: those of
 * START, and with six bits of EVENT, too (PC-B.1). */
static bool is_number(const struct perfmon_setup *setup, unsigned slot)
{
    enum perfmon_mode mode = (enum perfmon_mode)(setup->counter_mode + 1);
    bool six = mode == PERFMON_EVENT_B6 || mode == PERFMON_EXTRA_B6_EVENT_B2;
    return mode != PERFMON_SIMPLE && (slot == SLOT_START || (six && slot == SLOT_EVENT));
}

static int not_listed(const struct nouveau_machine *machine, const struct perfmon_setup *setup,
                      uint8_t signal, struct tally_error *error)
{
    if (signal == perfmon_zero_signal(machine->chipset, setup->domain))
        return fail(error, -EINVAL,
                    "%s: nouveau does not list a signal that is always 0, which sums of other than "
                    "2 or 4 signals need",
                    machine->path);
    return fail(error, -EINVAL,
                "%s: nouveau does not list signal 0x%02x of domain %s, and counts those that it "
                "lists only",
                machine->path, signal, tally_domain_name(setup->domain));
}

/* Sets the signals and the operation of a counter. The driver takes 16 bits of the operation, and
 * listed signals only; 0 stands for none, so that an input that is always 0, or on which the
 * operation does not depend, is left out. */
static int set_counter(const struct nouveau_machine *machine, const struct perfmon_setup *setup,
                       unsigned slot, const struct nvif_domain *domain,
                       struct nvif_perfdom_v0 *args, struct tally_error *error)
{
    uint32_t table = setup->operations[slot];
    int zero = perfmon_zero_signal(machine->chipset, setup->domain);
    bool number = is_number(setup, slot);
    if (table > UINT16_MAX)
        return fail(error, -EINVAL,
                    "%s: nouveau's interface has no rise(), fall() and last(), which need delayed "
                    "signals",
                    machine->path);
    for (unsigned input = 0; input < INPUTS; input++) {
        uint8_t signal = (uint8_t)(setup->sources[slot] >> (8 * input));
        if (!number && signal == zero)
            table = without(table, input);
        if (!signal || (!number && !depends_on(table, input)))
            continue;
        if (!is_listed(domain, signal))
            return not_listed(machine, setup, signal, error);
        args->ctr[slot].signal[input] = signal;
    }
    args->ctr[slot].logic_op = (uint16_t)table;
    return 0;
}

/* Adds a source to each signal of a domain that has it. Returns the mask of the bits that the
 * driver then sets in its register. */
static uint32_t add_source(const struct nouveau_machine *machine, const struct nvif_domain *domain,
                           struct nvif_perfdom_v0 *args, const struct nouveau_source *source,
                           uint32_t value)
{
    struct nvif_perfmon_query_source_v0 found;
    uint32_t bits = 0;
    for (unsigned i = 0; i < SLOTS * INPUTS; i++) {
        uint8_t signal = args->ctr[i / INPUTS].signal[i % INPUTS];
        uint64_t *sources = args->ctr[i / INPUTS].source[i % INPUTS];
        if (!signal ||
            nvif_find_source(&machine->nvif, PERFMON, domain, signal, source->name, &found) < 0)
            continue;
        uint64_t chosen = found.source | (uint64_t)(value >> source->shift & found.mask) << 32;
        unsigned k = 0;
        while (k < SOURCES && sources[k] && sources[k] != chosen)
            k++;
        if (k == SOURCES)
            continue;
        sources[k] = chosen;
        bits |= found.mask << source->shift | (source->enable ? SOURCE_ENABLE : 0);
    }
    return bits;
}

/* Adds the sources of a pass, whose registers the driver writes; set[i]: the bits of setting i. */
static void add_sources(const struct nouveau_machine *machine, const struct perfmon_plan *plan,
                        unsigned pass, const struct nvif_domain *domain,
                        struct nvif_perfdom_v0 *args, uint32_t *set)
{
    const struct nouveau_source *source;
    for (size_t i = 0; i < plan->setting_count; i++) {
        const struct perfmon_setting *setting = &plan->settings[i];
        for (size_t k = 0;
             setting->pass == pass && (source = nouveau_source_at(setting->address, k)) != NULL;
             k++)
            if (source->mask << source->shift & setting->mask)
                set[i] |= add_source(machine, domain, args, source, setting->value);
    }
}

static int make_perfdom(struct nouveau_machine *machine, const struct perfmon_plan *plan, size_t i,
                        uint32_t *set, struct tally_error *error)
{
    const struct perfmon_setup *setup = &plan->setups[i];
    const struct nvif_domain *domain = find_domain(machine, setup->domain, setup->instance);
    struct nvif_perfdom_v0 args = {.mode = setup->counter_mode};
    int result = 0;
    if (!domain)
        return 0;
    args.domain = domain->id;
    for (unsigned slot = 0; slot < SLOTS && result == 0; slot++)
        if (setup->slots >> slot & 1 || is_number(setup, slot))
            result = set_counter(machine, setup, slot, domain, &args, error);
    if (result < 0)
        return result;
    add_sources(machine, plan, setup->pass, domain, &args, set);
    result = nvif_new(&machine->nvif, PERFMON, PERFDOM + i, NVIF_CLASS_PERFDOM, &args, sizeof args);
    if (result < 0)
        return refused(machine, "count in a domain", result, error);
    machine->made[i] = true;
    return 0;
}

static void forget_plan(struct nouveau_machine *machine)
{
    for (size_t i = 0; machine->plan && i < machine->plan->setup_count; i++)
        if (machine->made[i])
            nvif_delete(&machine->nvif, PERFDOM + i);
    free(machine->made);
    free(machine->values);
    free(machine->clocks);
    machine->made = NULL;
    machine->values = machine->clocks = NULL;
    machine->plan = NULL;
}

/* Checks that a request has a domain, and a setting a signal that uses it. */
static int check_plan(const struct nouveau_machine *machine, const struct perfmon_plan *plan,
                      const uint32_t *set, struct tally_error *error)
{
    for (size_t i = 0; i < plan->placement_count; i++) {
        const struct perfmon_placement *placement = &plan->placements[i];
        bool exists = false;
        for (size_t k = 0; k < placement->tap_count; k++)
            exists |= machine->made[plan->taps[placement->first_tap + k].setup];
        if (!exists)
            return fail(error, -EINVAL, "%s: nouveau does not list domain %s", machine->path,
                        tally_domain_name(placement->domain));
    }
    for (size_t i = 0; i < plan->setting_count; i++)
        if (plan->settings[i].mask & ~set[i])
            return fail(error, -EINVAL,
                        "%s: nouveau's interface does not set register 0x%06x, which selects what "
                        "is counted",
                        machine->path, (unsigned)plan->settings[i].address);
    return 0;
}

static int use_plan(struct nouveau_machine *machine, const struct perfmon_plan *plan,
                    struct tally_error *error)
{
    if (machine->plan == plan)
        return 0;
    forget_plan(machine);
    uint32_t *set = calloc(plan->setting_count + 1, sizeof *set);
    machine->made = calloc(plan->setup_count + 1, sizeof *machine->made);
    machine->values = calloc(plan->placement_count + 1, sizeof *machine->values);
    machine->clocks = calloc(plan->clock_count + 1, sizeof *machine->clocks);
    int result = set && machine->made && machine->values && machine->clocks
                     ? 0
                     : fail_memory(error, "a plan");
    machine->plan = result == 0 ? plan : NULL;
    for (size_t i = 0; i < plan->setup_count && result == 0; i++)
        result = make_perfdom(machine, plan, i, set, error);
    if (result == 0)
        result = check_plan(machine, plan, set, error);
    free(set);
    if (result < 0)
        forget_plan(machine);
    return result;
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Calls a method of all objects of the pass, or of the first one. */
static int call_pass(const struct nouveau_machine *machine, uint8_t method, bool all,
                     const char *what, struct tally_error *error)
{
    for (size_t i = 0; i < machine->plan->setup_count; i++) {
        if (!machine->made[i] || machine->plan->setups[i].pass != machine->pass)
            continue;
        int result = nvif_call(&machine->nvif, PERFDOM + i, method, NULL, 0);
        if (result < 0)
            return refused(machine, what, result, error);
        if (!all)
            return 0;
    }
    return 0;
}

/* Programs a pass. What was counted before the first sample is dropped: with Linux's driver it
 * includes what the counters held before. */
static int start_pass(void *self, const struct perfmon_plan *plan, unsigned pass,
                      struct tally_error *error)
{
    struct nouveau_machine *machine = self;
    int result = use_plan(machine, plan, error);
    machine->pass = pass;
    if (result == 0)
        result = call_pass(machine, NVIF_PERFDOM_V0_INIT, true, "program a domain", error);
    if (result == 0)
        result = call_pass(machine, NVIF_PERFDOM_V0_SAMPLE, false, "sample", error);
    machine->start_ns = time_ns(machine);
    return result;
}

static void add(struct perfmon_count *to, uint32_t value)
{
    to->value += value;
    if (value == UINT32_MAX)
        to->flags |= PERFMON_SATURATED;
}

/* Adds the counts of a setup to those of its requests and clocks. */
static void add_counts(struct nouveau_machine *machine, size_t setup,
                       const struct nvif_perfdom_read_v0 *read, uint32_t flags)
{
    const struct perfmon_plan *plan = machine->plan;
    const struct perfmon_setup *from = &plan->setups[setup];
    for (size_t i = 0; i < plan->placement_count; i++)
        for (size_t k = 0; k < plan->placements[i].tap_count; k++) {
            const struct perfmon_tap *tap = &plan->taps[plan->placements[i].first_tap + k];
            if (tap->setup != setup)
                continue;
            add(&machine->values[i], read->ctr[tap->slot]);
            machine->values[i].flags |= flags;
        }
    for (size_t i = 0; i < plan->clock_count; i++) {
        const struct perfmon_clock *clock = &plan->clocks[i];
        if (clock->pass != from->pass || clock->domain != from->domain ||
            (clock->instance != ALL_INSTANCES && clock->instance != from->instance))
            continue;
        add(&machine->clocks[i], read->clk);
        machine->clocks[i].flags |= flags;
    }
}

static int read_pass(struct nouveau_machine *machine, struct tally_error *error)
{
    const struct perfmon_plan *plan = machine->plan;
    memset(machine->values, 0, plan->placement_count * sizeof *machine->values);
    memset(machine->clocks, 0, plan->clock_count * sizeof *machine->clocks);
    for (size_t i = 0; i < plan->setup_count; i++) {
        struct nvif_perfdom_read_v0 read = {0};
        if (!machine->made[i] || plan->setups[i].pass != machine->pass)
            continue;
        int result =
            nvif_call(&machine->nvif, PERFDOM + i, NVIF_PERFDOM_V0_READ, &read, sizeof read);
        if (result < 0 && result != -EAGAIN)
            return refused(machine, "read a domain", result, error);
        if (result < 0)
            read = (struct nvif_perfdom_read_v0){0};
        add_counts(machine, i, &read, result < 0 ? PERFMON_STUCK : 0);
    }
    return 0;
}

static int take_sample(void *self, struct perfmon_sample *sample, struct tally_error *error)
{
    struct nouveau_machine *machine = self;
    int result = call_pass(machine, NVIF_PERFDOM_V0_SAMPLE, false, "sample", error);
    uint64_t now = time_ns(machine);
    if (result == 0)
        result = read_pass(machine, error);
    *sample = (struct perfmon_sample){.pass = machine->pass,
                                      .start_ns = machine->start_ns,
                                      .end_ns = now,
                                      .counts = machine->values,
                                      .clocks = machine->clocks};
    machine->start_ns = now;
    return result;
}

static void stop_counting(void *self)
{
    forget_plan(self);
}

static struct counts_source source_of(struct nouveau_machine *machine)
{
    static const struct counts_calls calls = {start_pass, take_sample, stop_counting, time_ns,
                                              has_domain};
    return (struct counts_source){&calls, machine, &machine->io};
}

/* ---- the calls of the machine ---------------------------------------------------------------- */

static uint64_t now_ns(void *self)
{
    return clock_now_ns(self);
}

static uint64_t next_ns(void *self)
{
    const struct nouveau_machine *machine = self;
    return machine->is_open ? machine->counts.stream.due_ns : UINT64_MAX;
}

static bool has_records(void *self)
{
    struct sampled *stream = &((struct nouveau_machine *)self)->counts.stream;
    while (clock_ns(CLOCK_MONOTONIC) >= stream->due_ns)
        stream->calls->act(stream);
    return sampled_has_records(stream);
}

static int nouveau_poll(void *self, int stream, int wake, uint64_t timeout_ns)
{
    static const struct waiting_calls calls = {now_ns, next_ns, NULL, NULL};
    struct nouveau_machine *machine = self;
    bool waits = stream == STREAM && machine->is_open;
    const struct waiting waiting = {&calls, machine, true, waits ? has_records : NULL, machine};
    if (waits && machine->counts.stream.due_ns == UINT64_MAX)
        timeout_ns = 0; /* ended */
    return device_wait(&waiting, wake, timeout_ns);
}

static int64_t nouveau_read(void *self, int fd, void *to, size_t bytes)
{
    struct nouveau_machine *machine = self;
    return fd == STREAM && machine->is_open ? sampled_read(&machine->counts.stream, to, bytes)
                                            : -EBADF;
}

static void close_stream(struct nouveau_machine *machine)
{
    sampled_stop(&machine->counts.stream);
    forget_plan(machine);
    machine->is_open = false;
}

static int nouveau_close(void *self, int fd)
{
    struct nouveau_machine *machine = self;
    if (fd != STREAM || !machine->is_open)
        return -EBADF;
    close_stream(machine);
    return 0;
}

static void nouveau_free(void *self)
{
    struct nouveau_machine *machine = self;
    struct device below = machine->below;
    below.calls->close(below.self, machine->nvif.fd); /* deletes its objects */
    free(machine);
    device_free(&below);
}

static const struct device_calls nouveau_calls = {
    .poll = nouveau_poll,
    .read = nouveau_read,
    .close = nouveau_close,
    .now_ns = now_ns,
    .free = nouveau_free,
};

/* ---- the driver ------------------------------------------------------------------------------ */

static uint64_t read_time(const struct gpu *gpu)
{
    return time_ns(of_gpu(gpu));
}

static int correlate(const struct gpu *gpu, uint64_t *cpu_ns, uint64_t *gpu_ticks)
{
    return gpu_correlate_by(gpu, read_time, cpu_ns, gpu_ticks);
}

static int open_stream(const struct gpu *gpu, const struct set_in_driver *added, unsigned exponent,
                       struct tally_error *error)
{
    struct nouveau_machine *machine = of_gpu(gpu);
    const struct counting *counting = added->set->counting;
    const struct counts_source source = source_of(machine);
    (void)exponent;
    int result = counts_describe(&source, counting->plan, machine->recorded_domains,
                                 &machine->recorded.domain_count, error);
    if (result == 0)
        result = counts_start(&machine->counts, &source, counting, gpu->period_ns, error);
    machine->is_open = result == 0;
    if (result < 0)
        close_stream(machine);
    return result < 0 ? result : STREAM;
}

static int try_counting(const struct gpu *gpu, const struct counting *counting,
                        struct tally_error *error)
{
    struct nouveau_machine *machine = of_gpu(gpu);
    int result = use_plan(machine, counting->plan, error);
    forget_plan(machine);
    return result;
}

static void end_stream(const struct gpu *gpu)
{
    struct sampled *stream = &of_gpu(gpu)->counts.stream;
    stream->calls->end(stream);
}

static const struct gpu_driver gpu_nouveau = {.name = "nouveau",
                                              .in_kernel = true,
                                              .all_layouts = true,
                                              .correlate = correlate,
                                              .try_counting = try_counting,
                                              .open_stream = open_stream,
                                              .end_stream = end_stream};

/* ---- opening --------------------------------------------------------------------------------- */

bool nouveau_is_driver(const struct device *machine, const char *path)
{
    char name[16] = "";
    struct drm_version version = {.name_len = sizeof name - 1, .name = name};
    int fd = machine->calls->open(machine->self, path);
    if (fd < 0)
        return false;
    int result = device_ioctl(machine, fd, DRM_IOCTL_VERSION, &version);
    machine->calls->close(machine->self, fd);
    return result == 0 && !strcmp(name, "nouveau");
}

static int find_chipset(struct nouveau_machine *machine, struct tally_error *error)
{
    uint64_t id = 0;
    int result = nvif_parameter(&machine->nvif, NOUVEAU_GETPARAM_CHIPSET_ID, &id);
    if (result < 0)
        return refused(machine, "name its chipset", result, error);
    for (size_t i = 0; tally_chipset_at(i); i++)
        if (tally_chipset_at(i)->id == id && tally_chipset_at(i)->presence != TALLY_ABSENT)
            machine->chipset = tally_chipset_at(i);
    if (machine->chipset)
        return 0;
    return fail(error, -ENODEV, "%s: unknown chipset 0x%llx, expected one of tally list chipsets",
                machine->path, (unsigned long long)id);
}

/* Makes the perfmon, and tries whether a program may count with it: from Linux 5.15 on it may list
 * signals, and no more. */
static int make_perfmon(struct nouveau_machine *machine, struct tally_error *error)
{
    const struct nvif *nvif = &machine->nvif;
    struct nvif_perfdom_v0 nothing = {0};
    int result = nvif_new(nvif, 0, PERFMON, NVIF_CLASS_PERFMON, NULL, 0);
    if (result == -EBUSY)
        return fail(error, result, "%s: another program has nouveau's performance counters",
                    machine->path);
    if (result < 0)
        return fail(error, -ENODEV,
                    "%s: this kernel's nouveau has no performance counters for %s: %s",
                    machine->path, machine->chipset->title, strerror(-result));
    result = nvif_list(nvif, PERFMON, &machine->domains);
    if (result < 0)
        return refused(machine, "list its signals", result, error);
    if (!machine->domains.count)
        return fail(error, -ENODEV, "%s: nouveau lists no domain of %s", machine->path,
                    machine->chipset->title);
    nothing.domain = machine->domains.rows[0].id;
    result = nvif_new(nvif, PERFMON, PERFDOM, NVIF_CLASS_PERFDOM, &nothing, sizeof nothing);
    if (result < 0)
        return fail(error, -ENODEV,
                    "%s: this kernel's nouveau lists performance counters and lets no program "
                    "count with them, as from Linux 5.15 on (docs/nouveau-driver.md): %s",
                    machine->path, strerror(-result));
    return nvif_delete(nvif, PERFDOM);
}

static int open_node(struct nouveau_machine *machine, struct tally_error *error)
{
    const struct device *below = &machine->below;
    machine->nvif = (struct nvif){below, below->calls->open(below->self, machine->path)};
    if (machine->nvif.fd < 0)
        return fail(error, machine->nvif.fd, "%s: %s", machine->path, strerror(-machine->nvif.fd));
    int result = find_chipset(machine, error);
    return result < 0 ? result : make_perfmon(machine, error);
}

/* Describes the GPU. The boot register is not known to clients, but for its stepping. */
static void describe(struct nouveau_machine *machine, struct gpu *gpu)
{
    struct nv_device_info_v0 info = {0};
    uint64_t pci_id = 0;
    if (nvif_call(&machine->nvif, 0, NV_DEVICE_V0_INFO, &info, sizeof info) < 0)
        info.revision = 0;
    if (nvif_parameter(&machine->nvif, NOUVEAU_GETPARAM_PCI_DEVICE, &pci_id) < 0)
        pci_id = 0;
    machine->recorded = (struct tally_recorded_chipset){.device_id = (uint16_t)pci_id,
                                                        .domains = machine->recorded_domains};
    gpu->device = device_of_chipset(machine->chipset, (uint16_t)pci_id);
    gpu->chipset = &machine->recorded;
    gpu->info = (struct tally_device_info){
        .timestamp_hz = NS_PER_SECOND, .device_id = (uint16_t)pci_id, .revision = info.revision};
}

int nouveau_gpu_open(struct device *machine, const char *path, struct gpu *gpu,
                     struct tally_error *error)
{
    struct nouveau_machine *nouveau = calloc(1, sizeof *nouveau);
    if (!nouveau)
        return fail_memory(error, "a device");
    *nouveau = (struct nouveau_machine){.below = *machine, .path = path};
    nouveau->io = (struct driver_io){NULL, NULL, clock_now_ns, clock_sleep_ns, nouveau};
    int result = open_node(nouveau, error);
    if (result < 0) {
        if (nouveau->nvif.fd >= 0)
            machine->calls->close(machine->self, nouveau->nvif.fd);
        free(nouveau);
        return result;
    }
    *machine = (struct device){&nouveau_calls, nouveau};
    *gpu = (struct gpu){.machine = machine, .driver = &gpu_nouveau, .path = path, .fd = -1};
    describe(nouveau, gpu);
    return 0;
}
