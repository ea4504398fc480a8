/* SPDX-License-Identifier: MIT */
/* The device of tally mmio: a modelled GPU, or a real one. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/minmax.h"
#include "base/ratio.h"
#include "card/card.h"
#include "cli/mmio.h"
#include "cli/model.h"
#include "cli/trace.h"
#include "cli/unknown.h"
#include "driver/domains.h"
#include "emulation/emulation.h"
#include "emulation/nvidia/driven.h"
#include "intel/registers.h"
#include "nvidia/pcounter/engine.h"
#include "vm/signals.h"

#define PCI "pci:"

#define INTEL_BYTES 0x200000u /* of the registers in BAR 0; the GTT follows */

/* ---- signals --------------------------------------------------------------------------------- */

static volatile sig_atomic_t stopped;

static void stop(int number)
{
    (void)number;
    stopped = 1;
}

bool mmio_is_stopped(void)
{
    return stopped;
}

/* The end is orderly: what was written is put back. */
static void catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction action = {.sa_handler = stop};
    stopped = 0;
    for (size_t i = 0; i < ARRAY_COUNT(numbers); i++)
        sigaction(numbers[i], &action, NULL);
}

/* ---- a modelled GPU of NVIDIA ---------------------------------------------------------------- */

struct mmio_model {
    struct driven_gpu driven;   /* the first member */
    struct vm_signals *signals; /* or NULL: a workload */
    bool wall;                  /* sleeps take real time */
};

static int model_sleep_ns(void *closure, uint64_t ns, bool interruptible)
{
    struct mmio_model *model = closure;
    struct timespec left = timespec_of_ns(ns);
    if (model->wall && nanosleep(&left, NULL) < 0 && interruptible)
        return -EINTR;
    driven_gpu_run(&model->driven, ns);
    return 0;
}

static void put_note(void *closure, const char *text)
{
    (void)closure;
    warn("mmio: %s", text);
}

static void ignore_note(void *closure, unsigned line, const char *message)
{
    (void)closure, (void)line, (void)message;
}

static const char *workload_of(const struct mmio *mmio)
{
    const char *name = mmio->arguments->values[OPTION_WORKLOAD];
    return name ? name : "triangle";
}

/* Lets a script or a workload drive the signals. */
static int drive_signals(struct mmio *mmio, struct mmio_model *model, struct tally_error *error)
{
    const char *signals = mmio->arguments->values[OPTION_SIGNALS];
    return signals ? vm_signals_new(signals, &model->driven, put_note, NULL, &model->signals, error)
                   : driven_gpu_load(&model->driven, workload_of(mmio), ignore_note, NULL, error);
}

static int open_nvidia_model(struct mmio *mmio, const struct tally_chipset *chipset, bool wall,
                             struct tally_error *error)
{
    struct mmio_model *model = calloc(1, sizeof *model);
    if (!model)
        return fail_memory(error, "a device");
    mmio->model = model;
    model->wall = wall;
    int result = driven_gpu_init(&model->driven, chipset, error);
    if (result == 0)
        result = drive_signals(mmio, model, error);
    if (result < 0)
        return result;
    if (mmio->trace)
        driven_gpu_trace(&model->driven, mmio->trace);
    mmio->bytes = NVIDIA_BAR0_BYTES;
    mmio->io = (struct driver_io){driven_gpu_read32, driven_gpu_write32, driven_gpu_now_ns,
                                  model_sleep_ns, model};
    return 0;
}

static void free_nvidia_model(struct mmio_model *model)
{
    if (!model)
        return;
    vm_signals_free(model->signals);
    driven_gpu_fini(&model->driven);
    free(model);
}

/* ---- modelled GPUs --------------------------------------------------------------------------- */

static int open_intel_model(struct mmio *mmio, const char *name, bool wall,
                            struct tally_error *error)
{
    struct emulation_settings settings = {
        .gpu.platform = name,
        .interface = &emulation_mmio,
        .workload = workload_of(mmio),
        .clock = wall ? EMULATION_WALL : EMULATION_FREE,
        .mmio = mmio->trace,
        .note = ignore_note,
    };
    int result = emulation_new(&settings, &mmio->emulation, error);
    mmio->bytes = INTEL_BYTES;
    mmio->io = (struct driver_io){emulation_read32, emulation_write32, emulation_gpu_ns,
                                  emulation_sleep_ns, mmio->emulation};
    return result;
}

static int fail_option(const struct mmio *mmio, enum option_id option, const char *expected)
{
    if (!mmio->arguments->values[option])
        return EXIT_DONE;
    return usage_error("mmio: --%s is for %s, and %s is not one", option_rows[option].name,
                       expected, mmio->device);
}

static int open_model(struct mmio *mmio, const char *name)
{
    const char *clock = mmio->arguments->values[OPTION_CLOCK];
    const struct tally_chipset *chipset = tally_chipset_find(name);
    struct tally_error error = {0};
    struct chip chip;
    bool is_free = clock ? !strcmp(clock, "free") : mmio->arguments->values[OPTION_TIME] != NULL;
    int result;
    if (clock && strcmp(clock, "wall") != 0 && strcmp(clock, "free") != 0)
        return usage_error("mmio: --clock \"%s\", expected wall or free", clock);
    int code = chipset ? EXIT_DONE : fail_option(mmio, OPTION_SIGNALS, "modelled GPUs of NVIDIA");
    if (mmio->arguments->values[OPTION_SIGNALS] && mmio->arguments->values[OPTION_WORKLOAD])
        code = usage_error("mmio: --signals with --workload, expected one of them");
    if (code == EXIT_DONE)
        code = open_trace("mmio", mmio->arguments, &mmio->trace);
    if (code != EXIT_DONE)
        return code;
    if (chipset) {
        chip = chip_of_chipset(chipset);
        result = open_nvidia_model(mmio, chipset, !is_free, &error);
    } else {
        if (check_model(mmio->device) != EXIT_DONE)
            return EXIT_USAGE;
        const struct intel_sku *sku = intel_sku_modelled(name, "GPU", &error);
        if (!sku || !chip_of_platform(intel_sku_platform(sku)->info.name, &chip))
            return usage_error("mmio: %s; of NVIDIA, a chipset such as sim:g92", error.message);
        result = open_intel_model(mmio, name, !is_free, &error);
    }
    if (result == 0)
        result = found_init(&mmio->found, &chip, &error);
    return result < 0 ? report_error(&error) : EXIT_DONE;
}

/* ---- real GPUs ------------------------------------------------------------------------------- */

/* Finds the registers of the chipset or platform. */
static int know_card(struct mmio *mmio, const struct card_info *info, struct tally_error *error)
{
    struct chip chip;
    bool known = info->chipset && info->chipset->presence != TALLY_ABSENT;
    mmio->error_words = info->entry.vendor == CARD_VENDOR_NVIDIA && (!known || info->chipset->gpcs);
    if (known)
        chip = chip_of_chipset(info->chipset);
    else if (!info->platform || !chip_of_platform(info->platform->info.name, &chip)) {
        warn("mmio: %s is %04x:%04x, whose registers are not known: only addresses can "
             "be given",
             mmio->device, info->entry.vendor, info->entry.device);
        return 0;
    }
    return found_init(&mmio->found, &chip, error);
}

static int open_card(struct mmio *mmio, const char *name, bool permanent)
{
    static const enum option_id for_models[] = {OPTION_WORKLOAD, OPTION_SIGNALS, OPTION_CLOCK,
                                                OPTION_TRACE};
    const char *const *values = mmio->arguments->values;
    struct tally_error error = {0};
    struct card_settings settings = {.name = name,
                                     .writable = values[OPTION_ALLOW_MMIO] != NULL,
                                     .force = values[OPTION_FORCE] != NULL,
                                     .wake = values[OPTION_WAKE] != NULL,
                                     .permanent = permanent};
    int code = EXIT_DONE;
    for (size_t i = 0; i < ARRAY_COUNT(for_models) && code == EXIT_DONE; i++)
        code = fail_option(mmio, for_models[i], "modelled GPUs");
    if (code != EXIT_DONE)
        return code;
    if (settings.writable)
        catch_signals();
    int result = card_open(&settings, &mmio->card, &error);
    if (result == 0) {
        mmio->bytes = card_info(mmio->card)->bytes;
        mmio->io = card_io(mmio->card);
        result = know_card(mmio, card_info(mmio->card), &error);
    }
    if (result == -EINVAL)
        return usage_error("mmio: %s", error.message);
    return result < 0 ? report_error(&error) : EXIT_DONE;
}

/* ---- opening --------------------------------------------------------------------------------- */

static int open_device(struct mmio *mmio, bool permanent)
{
    if (is_model(mmio->device))
        return open_model(mmio, mmio->device + strlen(MODEL_PREFIX));
    if (!strncmp(mmio->device, PCI, strlen(PCI)))
        return open_card(mmio, mmio->device + strlen(PCI), permanent);
    if (tally_chipset_find(mmio->device) || tally_sku_find(mmio->device))
        return usage_error("mmio: device \"%s\", expected " MODEL_PREFIX "%s", mmio->device,
                           mmio->device);
    return usage_error(
        "mmio: device \"%s\", expected a modelled GPU such as sim:skl or sim:g92, or "
        "a PCI address such as pci:0000:01:00.0 (tally doctor)",
        mmio->device);
}

int mmio_open(const struct arguments *arguments, bool permanent, struct mmio *mmio)
{
    *mmio = (struct mmio){
        .arguments = arguments, .device = arguments->operands[1], .permanent = permanent};
    int code = open_device(mmio, permanent);
    const struct chip *chip = &mmio->found.chip;
    mmio->title = chip->title ? chip->title : mmio->device;
    mmio->error_words |= chip->chipset && chip->chipset->gpcs;
    if (code != EXIT_DONE)
        mmio_close(mmio, code);
    else
        catch_signals();
    return code;
}

int mmio_close(struct mmio *mmio, int code)
{
    struct tally_error error = {0};
    /* A card keeps its domains awake until the registers are put back, the requests last. */
    for (size_t i = 0; i < WAKE_DOMAINS && (!mmio->card || mmio->permanent); i++)
        if (mmio->woken >> i & 1)
            wake_domain_request(&wake_domains[i], &mmio->io, false);
    if (card_close(mmio->card, &error) < 0 && code == EXIT_DONE)
        code = report_error(&error);
    emulation_free(mmio->emulation);
    free_nvidia_model(mmio->model);
    found_fini(&mmio->found);
    return close_trace(mmio->arguments, mmio->trace, code);
}

void mmio_wake(struct mmio *mmio, uint32_t address)
{
    const struct intel_platform *platform = mmio->found.chip.platform;
    uint32_t domains =
        platform && mmio->arguments->values[OPTION_WAKE] ? wake_domains_at(platform, address) : 0;
    if (!domains || (domains & mmio->woken))
        return;
    unsigned first = (unsigned)__builtin_ctz(domains);
    wake_domain_request(&wake_domains[first], &mmio->io, true);
    mmio->woken |= 1u << first;
}
