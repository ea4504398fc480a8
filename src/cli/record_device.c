/* SPDX-License-Identifier: MIT */
/* Selects the GPU to record, real or emulated, and lists devices and their metric sets. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <tally/chipset.h>
#include <tally/metrics.h>

#include "base/bits.h"
#include "cli/list.h"
#include "cli/model.h"
#include "cli/record.h"
#include "cli/trace.h"

/* ---- the list -------------------------------------------------------------------------------- */

struct device_list {
    struct output *output;
    bool models; /* an emulated GPU was printed */
    bool real;   /* a real GPU was printed */
};

static void put_device(void *closure, const struct tally_capture_device *device)
{
    struct device_list *list = closure;
    struct output *output = list->output;
    if (device->modelled) {
        if (!list->models && !list->real)
            output_text(output, "(no GPU in this machine)\n");
        list->models = true;
        output_printf(output, "%-22s %-14s emulated\n", device->name, device->title);
        return;
    }
    list->real = true;
    if (device->title)
        output_printf(output, "%-22s %-14s %04x:%04x", device->name, device->title,
                      (unsigned)device->vendor_id, (unsigned)device->device_id);
    if (device->problem)
        output_printf(output, "  (%s)", device->problem);
    output_text(output, "\n");
}

int list_devices(const struct arguments *arguments)
{
    int code = EXIT_DONE;
    (void)arguments; /* -o is the recording's file, not the list's */
    struct device_list list = {0};
    list.output = open_output(&(struct arguments){0}, &code);
    if (!list.output)
        return code;
    tally_capture_list(put_device, &list);
    return close_output(list.output, code);
}

int list_sets_of(const struct arguments *arguments, const struct tally_capture *capture)
{
    struct tally_error error = {0};
    struct listing listing = {.arguments = arguments, .sink = &sink_table};
    const char *chipset = tally_capture_info(capture)->device.chipset;
    const struct tally_metric_set *const *sets;
    int code = EXIT_DONE;
    struct tally_catalog *catalog = tally_catalog_new(arguments->values[OPTION_METRICS]);
    if (!catalog)
        return report_memory();
    ptrdiff_t count = tally_catalog_sets(catalog, chipset, &sets, &error);
    if (count < 0)
        code = report_error(&error);
    else if (count == 0) {
        warn("no metric sets for %s in the search path; see tally doctor", chipset);
        code = EXIT_FAILED;
    } else if ((listing.output = open_output(&(struct arguments){0}, &code))) {
        begin_list(&listing, &set_list);
        for (ptrdiff_t i = 0; i < count; i++)
            put_set(&listing, sets[i]);
        code = close_output(listing.output, code);
    }
    tally_catalog_free(catalog);
    return code;
}

/* ---- selection ------------------------------------------------------------------------------- */

static int open_real(const struct arguments *arguments, const char *path,
                     struct tally_capture **out)
{
    const struct tally_capture_device_options options = {
        .size = sizeof options,
        .allow_mmio = arguments->values[OPTION_ALLOW_MMIO] != NULL,
        .force = arguments->values[OPTION_FORCE] != NULL,
    };
    struct tally_error error = {0};
    if (tally_capture_open(path, &options, out, &error) == 0)
        return EXIT_DONE;
    warn("%s; see tally record -d list", error.message);
    return EXIT_NO_DEVICE;
}

static void count_note(void *closure, unsigned line, const char *message)
{
    (void)line;
    (void)message;
    ++*(unsigned *)closure;
}

static int open_model(const struct arguments *arguments, const char *command, const char *name,
                      FILE **mmio, unsigned *uncounted, struct tally_capture **out)
{
    const char *clock = arguments->values[OPTION_CLOCK];
    const char *driver = arguments->values[OPTION_DRIVER];
    struct tally_error error = {0};
    bool timed_only = arguments->values[OPTION_TIME] && !arguments->operand_count;
    if (clock && strcmp(clock, "wall") != 0 && strcmp(clock, "free") != 0)
        return usage_error("%s: --clock \"%s\", expected wall or free", command, clock);
    if (driver && strcmp(driver, "i915") != 0 && strcmp(driver, "mmio") != 0)
        return usage_error("%s: --driver \"%s\", expected i915 or mmio", command, driver);
    if (tally_chipset_find(name + strlen(MODEL_PREFIX)) &&
        (driver || arguments->values[OPTION_FUSES]))
        return usage_error("%s: --driver and --fuses are for emulated GPUs of Intel, and %s is not "
                           "one",
                           command, name);
    int code = open_trace(command, arguments, mmio);
    if (code != EXIT_DONE)
        return code;
    bool is_free = clock ? !strcmp(clock, "free") : timed_only;
    struct tally_capture_device_options options = {
        .size = sizeof options,
        .workload = arguments->values[OPTION_WORKLOAD],
        .faults = arguments->values[OPTION_FAULT],
        .fuses = arguments->values[OPTION_FUSES],
        .clock = is_free ? TALLY_CAPTURE_FREE : TALLY_CAPTURE_WALL,
        .note = count_note,
        .closure = uncounted,
        .mmio = *mmio,
        .driver = !driver                   ? TALLY_CAPTURE_DRIVER_DEFAULT
                  : !strcmp(driver, "mmio") ? TALLY_CAPTURE_DRIVER_MMIO
                                            : TALLY_CAPTURE_DRIVER_I915,
    };
    if (tally_capture_open(name, &options, out, &error) < 0)
        return report_error(&error);
    return EXIT_DONE;
}

void warn_uncounted(const struct arguments *arguments, const struct tally_capture *capture,
                    unsigned uncounted)
{
    const struct tally_capture_info *info = tally_capture_info(capture);
    if (uncounted && info->device.platform && !arguments->values[OPTION_QUIET])
        warn("workload %s: %u activities have no counter on %s; see tally lint --platform %s",
             info->workload, uncounted, tally_device_title(&info->device),
             tally_device_name(&info->device));
}

/* Opens the first GPU of this machine. A model never takes its place unless -d names one. */
static int open_any(const char *command, struct tally_capture **out)
{
    struct tally_error error = {0};
    if (tally_capture_open(NULL, NULL, out, &error) == 0)
        return EXIT_DONE;
    warn("%s: %s, expected a GPU that can be recorded; -d sim:hsw records a modelled one (see "
         "tally record -d list, tally doctor)",
         command, error.message);
    return EXIT_NO_DEVICE;
}

int pick_device(const struct arguments *arguments, const char *command, const char *name,
                FILE **mmio, unsigned *uncounted, struct tally_capture **out)
{
    bool model_wanted = arguments->values[OPTION_WORKLOAD] || arguments->values[OPTION_CLOCK] ||
                        arguments->values[OPTION_FAULT] || arguments->values[OPTION_TRACE] ||
                        arguments->values[OPTION_DRIVER] || arguments->values[OPTION_FUSES];
    *uncounted = 0;
    if (!name && !model_wanted)
        return open_any(command, out);
    if (!name)
        return usage_error("%s: --workload, --clock, --driver, --fault, --fuses and --trace need a "
                           "modelled GPU, expected -d sim:hsw or another of tally record -d list",
                           command);
    if (is_model(name)) {
        int code = check_model(name);
        return code == EXIT_DONE ? open_model(arguments, command, name, mmio, uncounted, out)
                                 : code;
    }
    if (tally_chipset_find(name) || (!strchr(name, ':') && tally_sku_find(name)))
        return usage_error("%s: device \"%s\", expected " MODEL_PREFIX
                           "%s (see tally record -d list)",
                           command, name, name);
    if (!strchr(name, '/') && strncmp(name, "pci:", 4) != 0)
        return usage_error("%s: device \"%s\", expected sim:hsw, a path such as "
                           "/dev/dri/renderD128, or list",
                           command, name);
    if (model_wanted)
        return usage_error(
            "%s: --workload, --clock, --driver, --fault, --fuses and --trace need an emulated GPU, "
            "not %s, expected -d sim:hsw or another of tally record -d list",
            command, name);
    return open_real(arguments, name, out);
}
