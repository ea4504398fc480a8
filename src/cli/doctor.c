/* SPDX-License-Identifier: MIT */
/* tally doctor: checks devices, permissions and metric sets. */
#include "cli/doctor.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tally/metrics.h>

#include "capture/gpu.h"
#include "capture/real.h"

void put_check(struct output *output, bool good, const char *what, const char *detail)
{
    output_style(output, good ? "32" : "33");
    output_text(output, good ? "  yes  " : "  no   ");
    output_style(output, "0");
    output_printf(output, "%-34s %s\n", what, detail);
}

/* ---- devices --------------------------------------------------------------------------------- */

struct device_check {
    struct output *output;
    struct device *machine;
    bool usable; /* at least one GPU can be opened */
};

static void check_node(void *closure, const char *path)
{
    struct device_check *check = closure;
    struct tally_error error = {0};
    struct gpu gpu;
    char text[160];
    bool usable = gpu_open(check->machine, path, &gpu, &error) == 0;
    if (usable)
        snprintf(text, sizeof text, "i915, %s (PCI 8086:%04x), perf revision %u",
                 tally_sku_of_device(gpu.device.id)->title, (unsigned)gpu.device.id,
                 gpu.perf_revision);
    put_check(check->output, usable, path, usable ? text : error.message);
    check->usable = check->usable || usable;
    gpu_close(&gpu);
}

static bool check_devices(struct output *output, struct device *machine)
{
    struct device_check check = {output, machine, false};
    if (!real_device_nodes("", check_node, &check))
        put_check(output, false, "/dev/dri/renderD*", "no GPU device on this machine");
    return check.usable;
}

/* ---- permissions ----------------------------------------------------------------------------- */

#define SYSCTL "/proc/sys/dev/i915/"

static bool check_permission(struct output *output, struct device *machine)
{
    struct tally_error error = {0};
    uint64_t paranoid, rate;
    char text[160];
    if (device_number(machine, SYSCTL "perf_stream_paranoid", &paranoid) < 0) {
        put_check(output, false, "system-wide counters", "i915 is not loaded");
        return false;
    }
    bool allowed = gpu_permitted(machine, &error) == 0;
    snprintf(text, sizeof text, "perf_stream_paranoid is %" PRIu64, paranoid);
    put_check(output, allowed, "system-wide counters", allowed ? text : error.message);
    if (device_number(machine, SYSCTL "oa_max_sample_rate", &rate) == 0) {
        snprintf(text, sizeof text, "%" PRIu64 " reports per second without privileges", rate);
        put_check(output, true, "sample rate", text);
    }
    return allowed;
}

/* ---- metrics --------------------------------------------------------------------------------- */

static void check_metrics(struct output *output, const char *directory)
{
    struct tally_error error = {0};
    const char *const *directories;
    const struct tally_metric_set *const *sets;
    struct tally_catalog *catalog = tally_catalog_new(directory);
    if (!catalog)
        return;
    size_t count = tally_catalog_directories(catalog, &directories);
    for (size_t i = 0; i < count; i++)
        put_check(output, true, "metric sets in", directories[i]);
    ptrdiff_t found = tally_catalog_sets(catalog, NULL, &sets, &error);
    char text[300];
    if (found < 0)
        snprintf(text, sizeof text, "%s", error.message);
    else
        snprintf(text, sizeof text, "%td", found);
    put_check(output, found > 0, "metric sets found", text);
    tally_catalog_free(catalog);
}

int command_doctor(const struct arguments *arguments)
{
    int code = EXIT_DONE;
    struct tally_error error = {0};
    struct device machine;
    if (arguments->values[OPTION_RESTORE])
        return restore_cards(arguments);
    if (arguments->values[OPTION_FORCE])
        return usage_error("doctor: --force is for --restore");
    struct output *output = open_output(arguments, &code);
    if (!output)
        return code;
    if (real_device_new("", &machine, &error) < 0)
        return close_output(output, report_error(&error));
    output_printf(output, "tally %s\n", tally_version());
    output_text(output, "\nDevices\n");
    bool usable = check_devices(output, &machine);
    output_text(output, "\nCards (docs/real-cards.md)\n");
    check_cards(output);
    output_text(output, "\nPermissions\n");
    bool allowed = check_permission(output, &machine);
    output_text(output, "\nMetrics\n");
    check_metrics(output, arguments->values[OPTION_METRICS]);
    output_text(output, "\nProgram\n");
    put_check(output, strcmp(tally_simd(), "portable") != 0, "vector path", tally_simd());
    output_printf(output, "\n%s\n",
                  usable && allowed ? "The counters of this machine's GPU can be read."
                  : usable ? "You are not permitted to read the counters of this machine's GPU."
                           : "This machine has no GPU counters; only recordings can be read.");
    device_free(&machine);
    return close_output(output, usable && allowed ? EXIT_DONE : EXIT_NO_DEVICE);
}
