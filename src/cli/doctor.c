/* SPDX-License-Identifier: MIT */
/* tally doctor: what this machine has, and what that allows. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tally/metrics.h>

#include "cli/cli.h"

#if defined(TALLY_LIBDRM)
#include <i915_drm.h>
#include <xf86drm.h>
#endif

static void put_check(struct output *output, bool good, const char *what, const char *detail)
{
    output_style(output, good ? "32" : "33");
    output_text(output, good ? "  yes  " : "  no   ");
    output_style(output, "0");
    output_printf(output, "%-34s %s\n", what, detail);
}

static bool read_line(const char *path, char *line, size_t size)
{
    FILE *file = fopen(path, "re");
    bool read = file && fgets(line, (int)size, file);
    if (file)
        fclose(file);
    if (read)
        line[strcspn(line, "\n")] = '\0';
    return read;
}

#if defined(TALLY_LIBDRM)
static int get_parameter(int fd, int parameter)
{
    int value = 0;
    struct drm_i915_getparam get = {.param = parameter, .value = &value};
    return drmIoctl(fd, DRM_IOCTL_I915_GETPARAM, &get) ? -1 : value;
}

static bool check_i915(struct output *output, int fd)
{
    char text[160];
    struct tally_device device;
    int id = get_parameter(fd, I915_PARAM_CHIPSET_ID);
    bool known = id > 0 && !tally_device_find((uint32_t)id, &device);
    snprintf(text, sizeof text, "PCI 8086:%04x, %s", id, known ? device.platform->title : "?");
    put_check(output, known, "    platform known", text);
#ifdef I915_PARAM_PERF_REVISION
    int revision = get_parameter(fd, I915_PARAM_PERF_REVISION);
    snprintf(text, sizeof text, "perf revision %d", revision < 0 ? 1 : revision);
    put_check(output, true, "    i915 perf", text);
#endif
    return known;
}
#endif

static bool check_node(struct output *output, const char *name)
{
    char path[300], text[160];
    snprintf(path, sizeof path, "/dev/dri/%s", name);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        snprintf(text, sizeof text, "cannot open: %s", strerror(errno));
        put_check(output, false, path, text);
        return false;
    }
    bool usable = false;
#if defined(TALLY_LIBDRM)
    drmVersionPtr version = drmGetVersion(fd);
    bool i915 = version && !strcmp(version->name, "i915");
    snprintf(text, sizeof text, "driver %s", version ? version->name : "?");
    put_check(output, true, path, text);
    drmFreeVersion(version);
    usable = i915 && check_i915(output, fd);
#else
    put_check(output, true, path, "can be opened (built without libdrm: driver not asked)");
#endif
    close(fd);
    return usable;
}

static bool check_devices(struct output *output)
{
    bool usable = false, any = false;
    DIR *dir = opendir("/dev/dri");
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (strncmp(entry->d_name, "renderD", 7) != 0)
            continue;
        any = true;
        usable |= check_node(output, entry->d_name);
    }
    if (dir)
        closedir(dir);
    if (!any)
        put_check(output, false, "/dev/dri/renderD*", "no GPU device on this machine");
    return usable;
}

static bool check_permission(struct output *output)
{
    char line[64] = "", text[160];
    bool present = read_line("/proc/sys/dev/i915/perf_stream_paranoid", line, sizeof line);
    bool allowed = present && (geteuid() == 0 || !strcmp(line, "0"));
    if (!present)
        snprintf(text, sizeof text, "no i915 driver here");
    else
        snprintf(text, sizeof text, "perf_stream_paranoid is %s%s", line,
                 allowed ? "" : "; system-wide counters need root or CAP_PERFMON");
    put_check(output, allowed, "system-wide counters", text);
    if (read_line("/proc/sys/dev/i915/oa_max_sample_rate", line, sizeof line)) {
        snprintf(text, sizeof text, "%.40s reports a second without privilege", line);
        put_check(output, true, "sample rate", text);
    }
    return allowed;
}

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
    struct output *output = open_output(arguments, &code);
    if (!output)
        return code;
    output_printf(output, "tally %s\n", tally_version());
    output_text(output, "\nDevices\n");
    bool usable = check_devices(output);
    output_text(output, "\nPermissions\n");
    bool allowed = check_permission(output);
    output_text(output, "\nMetrics\n");
    check_metrics(output, arguments->values[OPTION_METRICS]);
    output_text(output, "\nProgram\n");
    put_check(output, strcmp(tally_simd(), "portable") != 0, "vector path", tally_simd());
#if defined(TALLY_LIBDRM)
    put_check(output, true, "libdrm", "asks devices which driver they have");
#else
    put_check(output, false, "libdrm", "not built in");
#endif
    output_printf(output, "\n%s\n",
                  usable && allowed ? "The counters of this machine's GPU can be read."
                                    : "No GPU counters to read here; recordings can be.");
    return close_output(output, usable && allowed ? EXIT_DONE : EXIT_NO_DEVICE);
}
