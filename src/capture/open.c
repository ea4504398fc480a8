/* SPDX-License-Identifier: MIT */
/* Lists and opens devices: GPUs of this machine, and modelled ones. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/error.h"
#include "base/options.h"
#include "capture/capture.h"
#include "capture/cards.h"
#include "capture/emulated.h"
#include "capture/nouveau.h"
#include "capture/nvidia.h"
#include "capture/real.h"
#include "capture/registers.h"
#include "card/sysfs.h"
#include "intel/platforms.h"
#include "intel/skus.h"
#include "recording/pcounter_layouts.h"

#define MODEL            "sim:"
#define DEFAULT_WORKLOAD "triangle"

/* ---- listing --------------------------------------------------------------------------------- */

struct visitor {
    tally_capture_visit *visit;
    void *closure;
};

/* Opens a node by its driver. */
static int open_by_driver(struct device *machine, const char *path, struct gpu *gpu,
                          struct tally_error *error)
{
    return nouveau_is_driver(machine, path) ? nouveau_gpu_open(machine, path, gpu, error)
                                            : gpu_open(machine, path, gpu, error);
}

/* Checks whether this process may record a GPU; nouveau has refused it when it was opened. */
static int check_permission(const struct gpu *gpu, struct tally_error *error)
{
    return gpu->chipset ? 0 : gpu_permitted(gpu->machine, error);
}

static void visit_node(void *closure, const char *path)
{
    const struct visitor *visitor = closure;
    struct tally_error error = {0};
    struct tally_capture_device found = {.name = path};
    struct device machine;
    struct gpu gpu = {.fd = -1};
    int result = real_device_new("", &machine, &error);
    if (result == 0 && (result = open_by_driver(&machine, path, &gpu, &error)) == 0) {
        found.title = tally_device_title(&gpu.device);
        found.device_id = gpu.device.id;
        found.vendor_id = gpu.device.nvidia ? CARD_VENDOR_NVIDIA : CARD_VENDOR_INTEL;
        result = check_permission(&gpu, &error);
    }
    if (result < 0)
        found.problem = error.message;
    visitor->visit(visitor->closure, &found);
    gpu_close(&gpu);
    device_free(&machine);
}

/* Whether a chipset has a model: it has the engine, and is a PCI device. */
static bool is_modelled(const struct tally_chipset *chipset)
{
    return chipset->presence != TALLY_ABSENT && nvidia_pci_id(chipset);
}

size_t tally_capture_list(tally_capture_visit *visit, void *closure)
{
    struct visitor visitor = {visit, closure};
    int nodes = real_device_nodes("", visit_node, &visitor);
    for (size_t i = 0; emulation_platform(i, false); i++) {
        const struct tally_platform *platform = tally_platform_find(emulation_platform(i, false));
        char name[32];
        snprintf(name, sizeof name, MODEL "%s", platform->name);
        visit(closure, &(struct tally_capture_device){
                           .name = name, .title = platform->title, .modelled = true});
    }
    for (size_t i = 0; tally_chipset_at(i); i++) {
        const struct tally_chipset *chipset = tally_chipset_at(i);
        char name[32];
        snprintf(name, sizeof name, MODEL "%s", chipset->name);
        if (is_modelled(chipset))
            visit(closure, &(struct tally_capture_device){
                               .name = name, .title = chipset->title, .modelled = true});
    }
    return nodes > 0 ? (size_t)nodes : 0;
}

/* ---- real GPUs ------------------------------------------------------------------------------- */

static int set_name(struct tally_capture *capture, const char *name, struct tally_error *error)
{
    free(capture->name);
    capture->name = strdup(name);
    return capture->name ? 0 : fail_memory(error, "a device");
}

static int open_node(struct tally_capture *capture, const char *path, struct tally_error *error)
{
    int result = set_name(capture, path, error);
    return result < 0 ? result
                      : open_by_driver(&capture->machine, capture->name, &capture->gpu, error);
}

/* Searches for the first GPU that this process may record; `error` explains why the last one tried
 * cannot be. */
struct search {
    struct tally_capture *capture;
    bool found;
    int result;
    struct tally_error error;
};

static void try_node(void *closure, const char *path)
{
    struct search *search = closure;
    struct tally_capture *capture = search->capture;
    if (search->found)
        return;
    search->result = open_node(capture, path, &search->error);
    if (search->result == 0)
        search->result = check_permission(&capture->gpu, &search->error);
    search->found = search->result == 0;
    if (!search->found)
        gpu_close(&capture->gpu);
}

static int open_real(struct tally_capture *capture, const char *path, struct tally_error *error)
{
    struct search search = {.capture = capture};
    int result = real_device_new("", &capture->machine, error);
    if (result < 0)
        return result;
    capture->info.modelled = real_device_is_modelled();
    if (path)
        return open_node(capture, path, error);
    if (!real_device_nodes("", try_node, &search))
        return fail(error, -ENODEV, "no GPU in this machine");
    return search.found ? 0 : fail(error, search.result, "%s", search.error.message);
}

/* ---- modelled GPUs --------------------------------------------------------------------------- */

static char *copy_text(const char *text, int *result, struct tally_error *error)
{
    char *copy = text ? strdup(text) : NULL;
    if (text && !copy)
        *result = fail_memory(error, "a device");
    return copy;
}

static int open_emulated(struct tally_capture *capture, const struct emulated_settings *settings,
                         struct tally_error *error)
{
    int result = emulated_device_new(settings, &capture->machine, error);
    if (result < 0)
        return result;
    capture->emulation = emulated_device(&capture->machine);
    capture->played = capture->emulation->workload;
    return gpu_open(&capture->machine, EMULATED_NODE, &capture->gpu, error);
}

static int open_registers(struct tally_capture *capture, const struct emulation_settings *settings,
                          struct tally_error *error)
{
    int result = registers_device_new(settings, &capture->machine, error);
    if (result < 0)
        return result;
    capture->emulation = registers_emulation(&capture->machine);
    capture->played = capture->emulation->workload;
    registers_gpu_open(&capture->machine, capture->name, &capture->gpu);
    return 0;
}

static int open_nvidia(struct tally_capture *capture, const struct tally_chipset *chipset,
                       const struct tally_capture_device_options *options,
                       struct tally_error *error)
{
    const struct nvidia_emulation_settings settings = {
        .chipset = chipset,
        .workload = capture->workload,
        .clock = options->clock == TALLY_CAPTURE_FREE ? EMULATION_FREE : EMULATION_WALL,
        .mmio = options->mmio,
        .note = options->note,
        .closure = options->closure,
        .faults = capture->faults,
    };
    if (options->driver != TALLY_CAPTURE_DRIVER_DEFAULT || options->fuses)
        return fail(error, -EINVAL,
                    "driver and fuses are for modelled GPUs of Intel, and %s is not "
                    "one",
                    capture->name);
    int result = nvidia_device_new(&settings, &capture->machine, error);
    if (result < 0)
        return result;
    capture->played = nvidia_device_workload(&capture->machine);
    return nvidia_gpu_open(&capture->machine, capture->name, &capture->gpu, error);
}

/* Whether the driver of a modelled GPU is mmio: by choice, or because the kernel has none. */
static bool uses_registers(const char *name, enum tally_capture_driver driver)
{
    struct tally_error unknown = {0};
    const struct intel_sku *sku = intel_sku_modelled(name + strlen(MODEL), "GPU", &unknown);
    bool by_choice = driver == TALLY_CAPTURE_DRIVER_MMIO;
    bool in_kernel = sku && intel_has_perf(intel_sku_platform(sku));
    return sku && (by_choice || (driver == TALLY_CAPTURE_DRIVER_DEFAULT && !in_kernel));
}

static int open_model(struct tally_capture *capture, const char *name,
                      const struct tally_capture_device_options *options, struct tally_error *error)
{
    int result = set_name(capture, name, error);
    if (options->clock != TALLY_CAPTURE_WALL && options->clock != TALLY_CAPTURE_FREE)
        return fail(error, -EINVAL, "clock %d, expected TALLY_CAPTURE_WALL or TALLY_CAPTURE_FREE",
                    (int)options->clock);
    if (options->driver > TALLY_CAPTURE_DRIVER_MMIO)
        return fail(error, -EINVAL, "driver %d, expected one of enum tally_capture_driver",
                    (int)options->driver);
    capture->workload =
        copy_text(options->workload ? options->workload : DEFAULT_WORKLOAD, &result, error);
    capture->faults_name = copy_text(options->faults, &result, error);
    capture->fuses = copy_text(options->fuses, &result, error);
    if (result == 0 && options->faults)
        result = faults_load(options->faults, &capture->faults, error);
    if (result < 0)
        return result;
    struct emulated_settings settings = {
        .device = {
            .gpu.platform = name + strlen(MODEL),
            .workload = capture->workload,
            .clock = options->clock == TALLY_CAPTURE_FREE ? EMULATION_FREE : EMULATION_WALL,
            .faults = capture->faults,
            .mmio = options->mmio,
            .note = options->note,
            .closure = options->closure,
        }};
    if (options->fuses && !tally_chipset_find(settings.device.gpu.platform)) {
        result = intel_fuses_parse(options->fuses, &settings.device.gpu, error);
        if (result < 0)
            return result;
    }
    const struct tally_chipset *chipset = tally_chipset_find(settings.device.gpu.platform);
    if (chipset)
        result = open_nvidia(capture, chipset, options, error);
    else if (uses_registers(name, options->driver))
        result = open_registers(capture, &settings.device, error);
    else
        result = open_emulated(capture, &settings, error);
    capture->gpu.path = capture->name; /* for messages */
    capture->info.modelled = true;
    capture->info.workload = capture->workload;
    capture->info.faults = capture->faults_name;
    capture->info.fuses = capture->fuses;
    capture->info.clock = options->clock;
    return result;
}

/* ---- real cards of NVIDIA -------------------------------------------------------------------- */

static bool is_of_models(const struct tally_capture_device_options *options)
{
    return options->workload || options->faults || options->clock || options->mmio ||
           options->driver || options->fuses;
}

static int fail_models_only(const char *device, struct tally_error *error)
{
    return fail(error, -EINVAL,
                "workload, clock, faults, mmio, driver and fuses are for modelled GPUs, and %s is "
                "not",
                device);
}

static int open_card(struct tally_capture *capture, const char *device,
                     const struct tally_capture_device_options *options, struct tally_error *error)
{
    struct card *card = NULL;
    if (is_of_models(options))
        return fail_models_only(device, error);
    int result = set_name(capture, device, error);
    if (result == 0)
        result = capture_open_card(device, options->allow_mmio, options->force, &card, error);
    if (result == 0)
        result = nvidia_device_of_card(card, &capture->machine, error);
    return result < 0 ? result
                      : nvidia_gpu_open(&capture->machine, capture->name, &capture->gpu, error);
}

/* ---- opening --------------------------------------------------------------------------------- */

static bool is_model(const char *device)
{
    return device && !strncmp(device, MODEL, strlen(MODEL));
}

static int open_device(struct tally_capture *capture, const char *device,
                       const struct tally_capture_device_options *options,
                       struct tally_error *error)
{
    if (is_model(device))
        return open_model(capture, device, options, error);
    if (capture_is_card(device))
        return open_card(capture, device, options, error);
    if (device && !strchr(device, '/'))
        return fail(error, -EINVAL,
                    "device \"%s\", expected a model such as sim:hsw or a path such as "
                    "/dev/dri/renderD128",
                    device);
    if (is_of_models(options))
        return fail_models_only(device ? device : "the first real GPU", error);
    return open_real(capture, device, error);
}

int tally_capture_open(const char *device, const struct tally_capture_device_options *options,
                       struct tally_capture **out, struct tally_error *error)
{
    struct tally_capture_device_options known;
    int result = options_copy(&known, sizeof known, options, "tally_capture_device_options", error);
    if (result < 0)
        return result;
    struct tally_capture *capture = calloc(1, sizeof *capture);
    if (!capture)
        return fail_memory(error, "a device");
    capture->gpu.fd = -1;
    capture->wake = -1;
    capture->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    result = capture->stop_fd < 0 ? fail(error, -errno, "eventfd: %s", strerror(errno))
                                  : open_device(capture, device, &known, error);
    if (result < 0) {
        tally_capture_close(capture);
        return result;
    }
    const struct gpu *gpu = &capture->gpu;
    capture->info.name = capture->name;
    capture->info.driver = gpu->driver->name;
    capture->info.device = gpu->device;
    capture->info.topology = gpu->topology;
    capture->info.recorded = gpu->info;
    capture->info.layout = gpu->chipset
                               ? &pcounter_layouts[0]
                               : tally_layout_for_kernel(gpu->device.platform, gpu->info.oa_format);
    *out = capture;
    return 0;
}

struct tally_gpu_mmio_stats tally_capture_mmio_stats(const struct tally_capture *capture)
{
    return capture->emulation ? tally_gpu_mmio_stats(capture->emulation->gpu)
                              : (struct tally_gpu_mmio_stats){0};
}

void tally_capture_close(struct tally_capture *capture)
{
    if (!capture)
        return;
    tally_capture_finish(capture, NULL);
    gpu_close(&capture->gpu);
    device_free(&capture->machine);
    faults_script_free(capture->faults);
    if (capture->stop_fd >= 0)
        close(capture->stop_fd);
    free(capture->name);
    free(capture->workload);
    free(capture->fuses);
    free(capture->faults_name);
    free(capture);
}
