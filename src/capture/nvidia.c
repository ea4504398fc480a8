/* SPDX-License-Identifier: MIT */
/* Recording NVIDIA GPUs: their counters are read by software, a sample at a time. */
#include "capture/nvidia.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <tally/pcounter.h>

#include "base/bits.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/minmax.h"
#include "capture/counts.h"
#include "capture/packets.h"
#include "capture/set.h"
#include "capture/wait.h"
#include "emulation/nvidia/faults.h"
#include "emulation/nvidia/record_memory.h"
#include "nvidia/gpu/registers.h"
#include "recording/device.h"

#define STREAM 1 /* the only descriptor */

/* With the free clock, the recording program reads after this time, as the kernel lets programs
 * read Intel's counters. */
#define READ_NS UINT64_C(5000000)

struct nvidia_machine {
    const struct tally_chipset *chipset;
    struct nvidia_emulation *emulation; /* or NULL: */
    struct card *card;                  /* a real one */
    struct driver_io io;
    struct perfmon_session *session;
    struct sampled *stream; /* that is open, one of these; or NULL */
    struct counts counts;
    struct packet_stream packets;
    struct record_memory memory; /* of packets */
    uint64_t read_ns;            /* time of the latest read, by the driver's clock */

    /* The domains of the plan, for the CHIPSET record. */
    struct tally_recorded_chipset recorded;
    struct tally_recorded_domain domains[TALLY_PCOUNTER_DOMAINS_TOTAL];
};

static struct nvidia_machine *of_gpu(const struct gpu *gpu)
{
    return gpu->machine->self;
}

/* ---- the calls of the machine ---------------------------------------------------------------- */

static uint64_t now_ns(void *self)
{
    const struct nvidia_machine *machine = self;
    return machine->emulation ? nvidia_emulation_now_ns(machine->emulation)
                              : driver_now_ns(&machine->io);
}

/* Returns when the next sample is due by the driver's clock: later, if the program is stalled. */
static uint64_t due_ns(const struct nvidia_machine *machine)
{
    uint64_t due = machine->stream->due_ns;
    return machine->emulation ? max_u64(due, nvidia_faults_stalled_ns(machine->emulation->faults))
                              : due;
}

/* From the driver's clock, which for an emulated GPU is that of the GPU. */
static uint64_t next_ns(void *self)
{
    const struct nvidia_machine *machine = self;
    if (!machine->stream || machine->stream->due_ns == UINT64_MAX)
        return UINT64_MAX;
    return due_ns(machine) + (machine->emulation ? machine->emulation->origin_ns : 0);
}

static uint64_t lag_ns(void *self)
{
    const struct nvidia_machine *machine = self;
    return machine->emulation ? nvidia_emulation_lag_ns(machine->emulation) : 0;
}

static void run_ns(void *self, uint64_t ns)
{
    nvidia_emulation_run_ns(((struct nvidia_machine *)self)->emulation, ns);
}

static bool is_free_clock(const struct nvidia_machine *machine)
{
    return machine->emulation && machine->emulation->clock == EMULATION_FREE;
}

/* Takes the samples that are due. Returns whether the program should read now. */
static bool has_records(void *self)
{
    struct nvidia_machine *machine = self;
    while (driver_now_ns(&machine->io) >= due_ns(machine))
        machine->stream->calls->act(machine->stream);
    if (is_free_clock(machine) && machine->stream->due_ns != UINT64_MAX &&
        driver_now_ns(&machine->io) - machine->read_ns < READ_NS)
        return false;
    return sampled_has_records(machine->stream);
}

static int nvidia_poll(void *self, int stream, int wake, uint64_t timeout_ns)
{
    static const struct waiting_calls calls = {now_ns, next_ns, lag_ns, run_ns};
    struct nvidia_machine *machine = self;
    bool waits = stream == STREAM && machine->stream;
    const struct waiting waiting = {&calls, machine, !is_free_clock(machine),
                                    waits ? has_records : NULL, machine};
    if (waits && machine->stream->due_ns == UINT64_MAX)
        timeout_ns = 0; /* ended */
    return device_wait(&waiting, wake, timeout_ns);
}

static int64_t nvidia_read(void *self, int fd, void *to, size_t bytes)
{
    struct nvidia_machine *machine = self;
    if (fd != STREAM || !machine->stream)
        return -EBADF;
    machine->read_ns = driver_now_ns(&machine->io);
    return sampled_read(machine->stream, to, bytes);
}

static void close_stream(struct nvidia_machine *machine)
{
    sampled_stop(machine->stream);
    machine->stream = NULL;
    if (machine->emulation)
        record_memory_free(machine->emulation, &machine->memory);
}

static int nvidia_close(void *self, int fd)
{
    struct nvidia_machine *machine = self;
    if (fd != STREAM || !machine->stream)
        return -EBADF;
    close_stream(machine);
    return 0;
}

static void nvidia_free(void *self)
{
    struct nvidia_machine *machine = self;
    perfmon_session_free(machine->session);
    nvidia_emulation_free(machine->emulation);
    card_close(machine->card, NULL); /* counts of dropped writes had flags */
    free(machine);
}

static const struct device_calls nvidia_calls = {
    .poll = nvidia_poll,
    .read = nvidia_read,
    .close = nvidia_close,
    .now_ns = now_ns,
    .free = nvidia_free,
};

int nvidia_device_new(const struct nvidia_emulation_settings *settings, struct device *out,
                      struct tally_error *error)
{
    struct nvidia_machine *machine = calloc(1, sizeof *machine);
    if (!machine)
        return fail_memory(error, "a device");
    machine->chipset = settings->chipset;
    int result = nvidia_emulation_new(settings, &machine->emulation, error);
    if (result < 0) {
        free(machine);
        return result;
    }
    machine->io = nvidia_emulation_io(machine->emulation);
    *out = (struct device){&nvidia_calls, machine};
    return 0;
}

const struct tally_workload *nvidia_device_workload(const struct device *machine)
{
    return ((const struct nvidia_machine *)machine->self)->emulation->driven.workload;
}

int nvidia_device_of_card(struct card *card, struct device *out, struct tally_error *error)
{
    const struct card_info *info = card_info(card);
    struct nvidia_machine *machine = info->chipset ? calloc(1, sizeof *machine) : NULL;
    if (!machine) {
        int result = info->chipset
                         ? fail_memory(error, "a device")
                         : fail(error, -ENODEV, "pci:%s: unknown chipset, BOOT_0 is 0x%08x",
                                info->entry.address, (unsigned)info->boot0);
        card_close(card, NULL);
        return result;
    }
    *machine = (struct nvidia_machine){.chipset = info->chipset, .card = card, .io = card_io(card)};
    *out = (struct device){&nvidia_calls, machine};
    return 0;
}

/* ---- the driver ------------------------------------------------------------------------------ */

static uint64_t read_time(const struct gpu *gpu)
{
    return perfmon_session_time_ns(of_gpu(gpu)->session);
}

static int correlate(const struct gpu *gpu, uint64_t *cpu_ns, uint64_t *gpu_ticks)
{
    return gpu_correlate_by(gpu, read_time, cpu_ns, gpu_ticks);
}

/* Describes the domains that the plan counts. */
static int measure(struct nvidia_machine *machine, const struct perfmon_plan *plan,
                   struct tally_error *error)
{
    const struct counts_source source = counts_of_session(machine->session, &machine->io);
    machine->recorded.domains = machine->domains;
    return counts_describe(&source, plan, machine->domains, &machine->recorded.domain_count, error);
}

static int open_counts(struct nvidia_machine *machine, const struct counting *counting,
                       uint64_t period_ns, struct tally_error *error)
{
    const struct counts_source source = counts_of_session(machine->session, &machine->io);
    int result = measure(machine, counting->plan, error);
    machine->stream = &machine->counts.stream;
    return result < 0 ? result
                      : counts_start(&machine->counts, &source, counting, period_ns, error);
}

static int open_packets(struct nvidia_machine *machine, const struct counting *counting,
                        struct tally_error *error)
{
    struct perfmon_memory memory;
    int result = record_memory_new(machine->emulation, (uint32_t)counting->options.memory_bytes,
                                   &machine->memory, &memory, error);
    machine->stream = &machine->packets.stream;
    return result < 0 ? result
                      : packets_start(&machine->packets, machine->session, &machine->io, counting,
                                      &memory, machine->domains[0].hz, error);
}

static int open_stream(const struct gpu *gpu, const struct set_in_driver *added, unsigned exponent,
                       struct tally_error *error)
{
    struct nvidia_machine *machine = of_gpu(gpu);
    const struct counting *counting = added->set->counting;
    (void)exponent;
    int result = counting->packets ? open_packets(machine, counting, error)
                                   : open_counts(machine, counting, gpu->period_ns, error);
    if (result == 0) {
        if (machine->emulation)
            nvidia_faults_begin(machine->emulation->faults);
        return STREAM;
    }
    fail_in(error, "%s", gpu->path);
    close_stream(machine);
    return result;
}

/* The period of packets is a number of clocks, of which the domain's frequency has to be known. */
static int prepare_packets(struct gpu *gpu, struct counting *counting, struct tally_error *error)
{
    struct nvidia_machine *machine = of_gpu(gpu);
    if (!machine->emulation)
        return fail(error, -ENODEV,
                    "%s: record mode writes packets to memory, which only a kernel driver can give "
                    "the card, expected a modelled GPU (docs/real-cards.md)",
                    gpu->path);
    int result = measure(machine, counting->plan, error);
    if (result == 0 && (!machine->recorded.domain_count || !machine->domains[0].hz))
        result = fail(error, -EIO, "the clock of domain %s is not known",
                      tally_domain_name(counting->clocks[0].domain));
    if (result < 0)
        return fail_in(error, "%s", gpu->path);
    gpu->period_ns = 0;
    if (counting->options.stop)
        return 0;
    counting->periodic = packet_period(machine->domains[0].hz, counting->options.period_ns);
    gpu->period_ns = packet_period_ns(machine->domains[0].hz, counting->periodic);
    return 0;
}

static void end_stream(const struct gpu *gpu)
{
    struct sampled *stream = of_gpu(gpu)->stream;
    stream->calls->end(stream);
}

static const struct gpu_driver gpu_perfmon = {.name = "perfmon",
                                              .all_layouts = true,
                                              .correlate = correlate,
                                              .prepare_packets = prepare_packets,
                                              .open_stream = open_stream,
                                              .end_stream = end_stream};

int nvidia_gpu_open(struct device *device, const char *name, struct gpu *gpu,
                    struct tally_error *error)
{
    struct nvidia_machine *machine = device->self;
    *gpu = (struct gpu){.machine = device, .driver = &gpu_perfmon, .path = name, .fd = -1};
    uint32_t boot0 = driver_read32(&machine->io, PMC_BOOT_0);
    uint16_t pci_id =
        machine->card ? card_info(machine->card)->entry.device : nvidia_pci_id(machine->chipset);
    machine->recorded = (struct tally_recorded_chipset){.boot0 = boot0, .device_id = pci_id};
    gpu->device = device_of_chipset(machine->chipset, pci_id);
    gpu->chipset = &machine->recorded;
    gpu->info = (struct tally_device_info){
        .timestamp_hz = NS_PER_SECOND,
        .device_id = pci_id,
        .revision = REG_GET(PMC_BOOT_0, STEPPING, boot0),
    };
    int result = perfmon_session_new(machine->chipset, &machine->io,
                                     PERFMON_ENABLE | PERFMON_TOLERATE, &machine->session, error);
    return result < 0 ? fail_in(error, "%s", name) : 0;
}
