/* SPDX-License-Identifier: MIT */
/*
 * The virtual files, as a directory tree on disk: /dev/dri, and the device's files in sysfs, procfs
 * and debugfs (IGT-2.2, IGT-2.3 and IGT-4). Links are relative, so that they stay in the tree.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <tally/platform.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/whole.h"
#include "intel/platforms.h"
#include "preload/server/engine_files.h"
#include "preload/server/node.h"
#include "preload/server/pci_files.h"
#include "preload/server/places.h"
#include "preload/server/trace_files.h"

#define PATH_SIZE  512
#define VALUE_SIZE 32

/* ---- the table ------------------------------------------------------------------------------- */

#define TEXT_OF(number) #number
#define DIGITS(number)  TEXT_OF(number)

/* The property of the device that a file shows. */
enum property {
    PLAIN,
    PARANOID,
    SAMPLE_RATE,
    FREQUENCIES,     /* all of them, in debugfs */
    FREQUENCY_EVENT, /* as PLAIN, but only if there is an event of the actual frequency */
    ACTUAL,          /* frequency */
    FREQUENCY,       /* plus an enum i915_frequency */
};

#define MHZ(which) FREQUENCY + I915_##which, "%" PRIu32 "\n"

#define RO       0444
#define RW       0644
#define OWNER_RO 0400
#define OWNER_RW 0600
#define WW       0666 /* under --root, by any user */

/* The files that the kernel's power management gives to each device. */
#define POWER(device, enabled, status)                                                             \
    {device "/power/async", RW, PLAIN, "disabled\n"},                                              \
        {device "/power/autosuspend_delay_ms", RW, PLAIN, ""},                                     \
        {device "/power/control", RW, PLAIN, "auto\n"},                                            \
        {device "/power/runtime_active_kids", RO, PLAIN, "0\n"},                                   \
        {device "/power/runtime_active_time", RO, PLAIN, "0\n"},                                   \
        {device "/power/runtime_enabled", RO, PLAIN, enabled "\n"},                                \
        {device "/power/runtime_status", RO, PLAIN, status "\n"},                                  \
        {device "/power/runtime_suspended_time", RO, PLAIN, "0\n"},                                \
    {                                                                                              \
        device "/power/runtime_usage", RO, PLAIN, "0\n"                                            \
    }

static const struct file {
    const char *path;
    uint16_t mode;
    uint8_t property; /* enum property */
    const char *text;
} files[] = {
    {"/dev/dri/card0", WW, PLAIN, ""},
    {"/dev/dri/renderD128", WW, PLAIN, ""},
    {"/dev/cpu_dma_latency", WW, PLAIN, ""},
    {"/proc/sys/kernel/ftrace_enabled", RW, PLAIN, "1\n"},
    {CARD "/dev", RO, PLAIN, "226:0\n"},
    {CARD "/uevent", RW, PLAIN, "MAJOR=226\nMINOR=0\nDEVNAME=dri/card0\nDEVTYPE=drm_minor\n"},
    {CARD "/gt_min_freq_mhz", RW, MHZ(MIN)},
    {CARD "/gt_max_freq_mhz", RW, MHZ(MAX)},
    {CARD "/gt_boost_freq_mhz", RW, MHZ(BOOST)},
    {CARD "/gt_cur_freq_mhz", RO, MHZ(REQUESTED)},
    {CARD "/gt_act_freq_mhz", RO, ACTUAL, "%" PRIu32 "\n"},
    {CARD "/gt_RP0_freq_mhz", RO, MHZ(RP0)},
    {CARD "/gt_RP1_freq_mhz", RO, MHZ(RP1)},
    {CARD "/gt_RPn_freq_mhz", RO, MHZ(RPN)},
    {CARD "/power/rc6_enable", RO, PLAIN, "1\n"},
    {CARD "/power/rc6_residency_ms", RO, PLAIN, "0\n"},
    {CARD "/gt/gt0/id", RO, PLAIN, "0\n"},
    {CARD "/gt/gt0/rps_min_freq_mhz", RW, MHZ(MIN)},
    {CARD "/gt/gt0/rps_max_freq_mhz", RW, MHZ(MAX)},
    {CARD "/gt/gt0/rps_boost_freq_mhz", RW, MHZ(BOOST)},
    {CARD "/gt/gt0/rps_cur_freq_mhz", RO, MHZ(REQUESTED)},
    {CARD "/gt/gt0/rps_act_freq_mhz", RO, ACTUAL, "%" PRIu32 "\n"},
    {CARD "/gt/gt0/rps_RP0_freq_mhz", RO, MHZ(RP0)},
    {CARD "/gt/gt0/rps_RP1_freq_mhz", RO, MHZ(RP1)},
    {CARD "/gt/gt0/rps_RPn_freq_mhz", RO, MHZ(RPN)},
    {CARD "/gt/gt0/punit_req_freq_mhz", RO, MHZ(REQUESTED)},
    {CARD "/gt/gt0/rc6_enable", RO, PLAIN, "1\n"},
    {CARD "/gt/gt0/rc6_residency_ms", RO, PLAIN, "0\n"},
    {RENDER "/dev", RO, PLAIN, "226:128\n"},
    {RENDER "/uevent", RW, PLAIN,
     "MAJOR=226\nMINOR=128\nDEVNAME=dri/renderD128\nDEVTYPE=drm_minor\n"},
    {EVENTS "/type", RO, PLAIN, DIGITS(EMULATE_EVENT_TYPE) "\n"},
    {EVENTS "/cpumask", RO, PLAIN, "0\n"},
    {EVENTS "/format/i915_eventid", RO, PLAIN, "config:0-20\n"},
    {EVENTS "/events/actual-frequency", RO, FREQUENCY_EVENT, "config=0x100000\n"},
    {EVENTS "/events/actual-frequency.unit", RO, FREQUENCY_EVENT, "M\n"},
    {EVENTS "/events/requested-frequency", RO, PLAIN, "config=0x100001\n"},
    {EVENTS "/events/requested-frequency.unit", RO, PLAIN, "M\n"},
    {EVENTS "/events/interrupts", RO, PLAIN, "config=0x100002\n"},
    {EVENTS "/events/rc6-residency", RO, PLAIN, "config=0x100003\n"},
    {EVENTS "/events/rc6-residency.unit", RO, PLAIN, "ns\n"},
    {EVENTS "/events/software-gt-awake-time", RO, PLAIN, "config=0x100004\n"},
    {EVENTS "/events/software-gt-awake-time.unit", RO, PLAIN, "ns\n"},
    {EVENTS "/perf_event_mux_interval_ms", RW, PLAIN, "4\n"},
    {EVENTS "/uevent", RW, PLAIN, ""},
    {CARD "/gt/gt0/.defaults/rps_max_freq_mhz", RO, MHZ(DEFAULT_MAX)},
    {CARD "/gt/gt0/.defaults/rps_min_freq_mhz", RO, MHZ(DEFAULT_MIN)},
    POWER(CARD, "disabled", "unsupported"),
    POWER(RENDER, "disabled", "unsupported"),
    POWER(EVENTS, "disabled", "unsupported"),
    POWER(PCI, "enabled", "active"),
    {PCI "/enable", RW, PLAIN, "1\n"},
    {PCI "/boot_vga", RO, PLAIN, "1\n"},
    {PCI "/broken_parity_status", RW, PLAIN, "0\n"},
    {PCI "/d3cold_allowed", RW, PLAIN, "1\n"},
    {PCI "/msi_bus", RW, PLAIN, "1\n"},
    {PCI "/numa_node", RW, PLAIN, "-1\n"},
    {PCI "/power_state", RO, PLAIN, "D0\n"},
    {"/sys/class/drm/version", RO, PLAIN, "drm 1.1.0 20060810\n"},
    {"/sys/module/i915/initstate", RO, PLAIN, "live\n"},
    {"/sys/module/nouveau/initstate", RO, PLAIN, "live\n"},
    {DEBUG "/name", RO, PLAIN, "i915 dev=0000:00:02.0 unique=0000:00:02.0\n"},
    {DEBUG "/i915_forcewake_user", OWNER_RO, PLAIN, ""},
    {DEBUG "/gt/forcewake_user", RO, PLAIN, ""},
    {DEBUG "/i915_wedged", RW, PLAIN, "0\n"},
    {DEBUG "/gt/reset", RW, PLAIN, "0\n"},
    {DEBUG "/i915_gem_drop_caches", RW, PLAIN, "0x000003ff\n"},
    {DEBUG "/i915_perf_noa_delay", RW, PLAIN, "500000\n"},
    {DEBUG "/i915_error_state", RW, PLAIN, ""},
    {DEBUG "/i915_swizzle_info", RO, PLAIN,
     "bit6 swizzle for X-tiling = none\nbit6 swizzle for Y-tiling = none\n"},
    {DEBUG "/i915_params/reset", OWNER_RW, PLAIN, "3\n"},
    {DEBUG "/i915_params/enable_hangcheck", OWNER_RW, PLAIN, "Y\n"},
    {DEBUG "/i915_params/error_capture", OWNER_RW, PLAIN, "Y\n"},
    {DEBUG "/i915_params/mmio_debug", OWNER_RW, PLAIN, "0\n"},
    {DEBUG "/i915_params/request_timeout_ms", OWNER_RW, PLAIN, "20000\n"},
    {DEBUG "/i915_params/enable_guc", OWNER_RO, PLAIN, "0\n"},
    {DEBUG "/i915_frequency_info", RO, FREQUENCIES, ""},
    {DEBUG "/gt/frequency", RO, FREQUENCIES, ""},
    {SW_SYNC, RW, PLAIN, ""},
    {CARD "/error", OWNER_RW, PLAIN, "No error state collected\n"},
    {SYSCTL "/perf_stream_paranoid", RW, PARANOID, "%" PRIu32 "\n"},
    {SYSCTL "/oa_max_sample_rate", RW, SAMPLE_RATE, "%" PRIu32 "\n"},
};

static const char *const directories[] = {CARD "/metrics", "/sys/class/vtconsole"};

static const struct {
    const char *path, *to;
} links[] = {
    {CARD "/device", "../../../0000:00:02.0"},
    {RENDER "/device", "../../../0000:00:02.0"},
    {"/dev/dri/by-path/pci-0000:00:02.0-card", "../card0"},
    {"/dev/dri/by-path/pci-0000:00:02.0-render", "../renderD128"},
    {"/dev/char/226:0", "../dri/card0"},
    {"/dev/char/226:128", "../dri/renderD128"},
    {"/sys/kernel/debug/tracing", "../tracing"},
    {"/sys/class/drm/card0", "../../devices/pci0000:00/0000:00:02.0/drm/card0"},
    {"/sys/class/drm/renderD128", "../../devices/pci0000:00/0000:00:02.0/drm/renderD128"},
    {"/sys/dev/char/226:0", "../../devices/pci0000:00/0000:00:02.0/drm/card0"},
    {"/sys/dev/char/226:128", "../../devices/pci0000:00/0000:00:02.0/drm/renderD128"},
    {"/sys/bus/pci/drivers/i915/module", "../../../../module/i915"},
    {"/sys/bus/pci/drivers/nouveau/module", "../../../../module/nouveau"},
    {"/sys/bus/pci/devices/0000:00:02.0", "../../../devices/pci0000:00/0000:00:02.0"},
    {PCI "/driver", "../../../bus/pci/drivers/i915"},
    {PCI "/driver", "../../../bus/pci/drivers/nouveau"},
    {"/sys/bus/pci/drivers/i915/0000:00:02.0", "../../../../devices/pci0000:00/0000:00:02.0"},
    {"/sys/bus/pci/drivers/nouveau/0000:00:02.0", "../../../../devices/pci0000:00/0000:00:02.0"},
    {PCI "/subsystem", "../../../bus/pci"},
    {CARD "/subsystem", "../../../../../class/drm"},
    {RENDER "/subsystem", "../../../../../class/drm"},
    {EVENTS "/subsystem", "../../bus/event_source"},
    {"/sys/bus/event_source/devices/i915", "../../../devices/i915"},
    {"/sys/kernel/debug/dri/128", "0"},
};

/* What only i915 has, besides names with its own. */
static const char *const i915_places[] = {EVENTS,          SYSCTL,
                                          DEBUG,           CARD "/gt",
                                          CARD "/metrics", CARD "/power/rc6",
                                          CARD "/error",   SW_SYNC,
                                          TRACING,         "/sys/kernel/debug/tracing"};

/* Whether a file, or a link with its target, belongs to the driver of the device. */
static bool is_of_driver(const struct server *server, const char *path, const char *target)
{
    const struct node_driver *driver = node_of(server);
    const struct node_driver *other = driver == &node_i915 ? &node_nouveau : &node_i915;
    if (strstr(path, other->name) || strstr(target, other->name))
        return false;
    for (size_t i = 0; i < ARRAY_COUNT(i915_places) && driver != &node_i915; i++)
        if (!strncmp(path, i915_places[i], strlen(i915_places[i])))
            return false;
    return true;
}

/* ---- making files ---------------------------------------------------------------------------- */

static void place(const struct server *server, const char *path, char out[PATH_SIZE])
{
    snprintf(out, PATH_SIZE, "%s/" EMULATE_ROOT "%s", server->directory, path);
}

/* Makes the directories above a path that are missing, from the last one that exists on. */
static int make_directories(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash || slash == path)
        return 0;
    *slash = '\0';
    int result = mkdir(path, 0755) < 0 && errno != EEXIST ? -errno : 0;
    if (result == -ENOENT && (result = make_directories(path)) == 0)
        result = mkdir(path, 0755) < 0 && errno != EEXIST ? -errno : 0;
    *slash = '/';
    return result;
}

/* The program can replace a file by a link, or by a FIFO, whose opening would block. */
int tree_open(const char *path, int flags, mode_t mode)
{
    struct stat about;
    int fd = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode), code = 0;
    if (fd < 0)
        return -1;
    if (fstat(fd, &about) < 0)
        code = errno;
    else if (!S_ISREG(about.st_mode))
        code = EEXIST;
    else if ((flags & O_ACCMODE) != O_RDONLY && ftruncate(fd, 0) < 0)
        code = errno;
    if (!code)
        return fd;
    close(fd);
    errno = code;
    return -1;
}

/* Writes a file, also a read-only one: programs may have it open, and read it again. */
static int write_file(const char *path, const char *text, size_t size, mode_t mode)
{
    char name[32];
    int fd = tree_open(path, O_WRONLY | O_CREAT, mode), file = -1;
    if (fd < 0 && errno == EACCES && (file = tree_open(path, O_RDONLY, 0)) >= 0) {
        fchmod(file, mode | S_IWUSR);
        snprintf(name, sizeof name, "/proc/self/fd/%d", file);
        fd = open(name, O_WRONLY | O_TRUNC | O_CLOEXEC);
        fchmod(file, mode);
    }
    int result = fd < 0 ? -errno : 0;
    size_t done;
    if (result == 0)
        result = write_whole(fd, text, size, &done);
    if (file >= 0)
        close(file);
    if (fd >= 0)
        close(fd);
    return result;
}

int tree_add(const struct server *server, const char *name, const void *bytes, size_t size,
             mode_t mode)
{
    char path[PATH_SIZE];
    place(server, name, path);
    int result = make_directories(path);
    return result < 0 ? result : write_file(path, bytes, size, mode);
}

int tree_replace(const struct server *server, const char *name, const void *bytes, size_t size,
                 mode_t mode)
{
    char path[PATH_SIZE], new[PATH_SIZE];
    place(server, name, path);
    snprintf(new, sizeof new, "%s/new", server->directory);
    int result = write_file(new, bytes, size, mode);
    if (result == 0 && rename(new, path) < 0)
        result = -errno;
    if (result < 0)
        unlink(new);
    return result;
}

int tree_directory_mode(const struct server *server, const char *name, mode_t mode)
{
    char path[PATH_SIZE];
    place(server, name, path);
    return chmod(path, mode) < 0 ? -errno : 0;
}

static uint32_t property_of(const struct server *server, enum property property)
{
    struct i915_device *device = server->emulation->device;
    switch (property) {
    case ACTUAL:
        return i915_frequency_actual(device);
    case PARANOID:
        return i915_sysctl_get(device, I915_PARANOID);
    case SAMPLE_RATE:
        return i915_sysctl_get(device, I915_MAX_SAMPLE_RATE);
    default:
        return i915_frequency_get(device, (enum i915_frequency)(property - FREQUENCY));
    }
}

/* The lines of the kernel's file that do not show registers. */
static size_t frequencies_text(const struct server *server, char *text, size_t size)
{
    uint32_t mhz[I915_FREQUENCIES];
    for (unsigned i = 0; i < I915_FREQUENCIES; i++)
        mhz[i] = i915_frequency_get(server->emulation->device, (enum i915_frequency)i);
    return (size_t)snprintf(
        text, size,
        "Video Turbo Mode: %s\nHW control enabled: yes\nSW control enabled: no\n"
        "Lowest (RPN) frequency: %uMHz\nNominal (RP1) frequency: %uMHz\n"
        "Max non-overclocked (RP0) frequency: %uMHz\n"
        "Max overclocked frequency: %uMHz\nCurrent freq: %u MHz\n"
        "Actual freq: %u MHz\nIdle freq: %u MHz\nMin freq: %u MHz\n"
        "Boost freq: %u MHz\nMax freq: %u MHz\n",
        intel_platform_of(server->emulation->platform)->media_turbo ? "yes" : "no", mhz[I915_RPN],
        mhz[I915_RP1], mhz[I915_RP0], mhz[I915_RP0], mhz[I915_REQUESTED],
        property_of(server, ACTUAL), mhz[I915_RPN], mhz[I915_MIN], mhz[I915_BOOST], mhz[I915_MAX]);
}

/* The file's format has at most one number. */
static size_t file_text(const struct server *server, const struct file *file, char *text,
                        size_t size)
{
    if (file->property == FREQUENCIES)
        return frequencies_text(server, text, size);
    if (file->property == PLAIN || file->property == FREQUENCY_EVENT)
        return (size_t)snprintf(text, size, "%s", file->text);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    return (size_t)snprintf(text, size, file->text,
                            property_of(server, (enum property)file->property));
#pragma GCC diagnostic pop
}

static int make_file(const struct server *server, const struct file *file, const char *path)
{
    char text[512];
    size_t size = file_text(server, file, text, sizeof text);
    return write_file(path, text, size, file->mode);
}

void tree_show_frequencies(struct server *server)
{
    char path[PATH_SIZE];
    for (size_t i = 0; i < ARRAY_COUNT(files); i++) {
        unsigned property = files[i].property;
        if (property < FREQUENCY && property != FREQUENCIES && property != ACTUAL)
            continue;
        place(server, files[i].path, path);
        make_file(server, &files[i], path);
    }
}

/* In a namespace of root's, nodes are nodes, which listings show. */
static void make_nodes(const struct server *server)
{
    static const char *const names[] = {"/dev/dri/card0", "/dev/dri/renderD128"};
    char path[PATH_SIZE];
    for (unsigned i = 0; i < ARRAY_COUNT(names) && geteuid() == 0; i++) {
        place(server, names[i], path);
        if (unlink(path) == 0 && mknod(path, S_IFCHR | WW, makedev(226, i * 128)) < 0)
            write_file(path, "", 0, WW);
    }
}

/* Makes the files of an engine and of its counters. */
static int make_engine(const struct server *server, const struct i915_engine_name *engine)
{
    static const char *const samples[] = {
        [I915_SAMPLE_BUSY] = "busy", [I915_SAMPLE_WAIT] = "wait", [I915_SAMPLE_SEMA] = "sema"};
    char path[PATH_SIZE], name[PATH_SIZE / 2], text[32];
    int result = 0;
    for (unsigned i = 0; i < ARRAY_COUNT(samples) && result == 0; i++) {
        snprintf(name, sizeof name, EVENTS "/events/%s-%s", engine->name, samples[i]);
        place(server, name, path);
        int size = snprintf(text, sizeof text, "config=0x%" PRIx32 "\n", event_config(engine, i));
        result = write_file(path, text, (size_t)size, RO);
        strcat(path, ".unit");
        if (result == 0)
            result = write_file(path, "ns\n", 3, RO);
    }
    struct engine_file file;
    for (size_t i = 0; result == 0 && engine_file_at(engine, i, &file); i++) {
        snprintf(name, sizeof name, CARD "/engine/%s/%s", engine->name, file.name);
        place(server, name, path);
        if ((result = make_directories(path)) == 0)
            result = write_file(path, file.text, file.size, file.is_writable ? RW : RO);
    }
    return result;
}

static int make_engines(const struct server *server)
{
    struct i915_engine_name engine;
    int result = 0;
    for (size_t i = 0; server->emulation->device && result == 0 &&
                       i915_engine_at(server->emulation->device, i, &engine);
         i++)
        result = make_engine(server, &engine);
    return result;
}

/* Makes the files of the PCI device, as the kernel shows them to the user that the program starts
 * as. `path` is for messages. */
static int make_pci(const struct server *server, char path[PATH_SIZE])
{
    char name[64];
    struct pci_file file;
    bool root = server->settings->as_root || geteuid() == 0;
    int result = 0;
    for (size_t i = 0;
         result == 0 && pci_file_at(server->emulation, node_of(server)->name, i, root, &file);
         i++) {
        snprintf(name, sizeof name, PCI "/%s", file.name);
        place(server, name, path);
        if ((result = make_directories(path)) == 0)
            result = write_file(path, file.bytes, file.size,
                                file.is_private    ? 0600
                                : file.is_writable ? RW
                                                   : RO);
        if (result == 0 && file.length > file.size && truncate(path, (off_t)file.length) < 0)
            result = -errno;
    }
    return result;
}

int tree_make(struct server *server, struct tally_error *error)
{
    char path[PATH_SIZE];
    int result = 0;
    mode_t mask = umask(0);
    for (size_t i = 0; i < ARRAY_COUNT(files) && result == 0; i++) {
        if (!is_of_driver(server, files[i].path, "") ||
            (files[i].property == FREQUENCY_EVENT && !event_has_actual_frequency(server)))
            continue;
        place(server, files[i].path, path);
        if ((result = make_directories(path)) == 0)
            result = make_file(server, &files[i], path);
    }
    if (result == 0)
        result = make_engines(server);
    if (result == 0)
        result = make_pci(server, path);
    if (result == 0 && server->emulation->device)
        result = trace_files_make(server);
    for (size_t i = 0; i < ARRAY_COUNT(directories) && result == 0; i++) {
        if (!is_of_driver(server, directories[i], ""))
            continue;
        place(server, directories[i], path);
        strcat(path, "/");
        result = make_directories(path);
    }
    for (size_t i = 0; i < ARRAY_COUNT(links) && result == 0; i++) {
        if (!is_of_driver(server, links[i].path, links[i].to))
            continue;
        place(server, links[i].path, path);
        if ((result = make_directories(path)) == 0 && symlink(links[i].to, path) < 0)
            result = -errno;
    }
    if (result == 0 && server->settings->by_namespace) {
        make_nodes(server);
        tree_update(server, EMULATE_MODULES, NULL);
    }
    umask(mask);
    return result < 0 ? fail(error, result, "%s: %s", path, strerror(-result)) : 0;
}

/* ---- sysctls --------------------------------------------------------------------------------- */

/* Sets a sysctl of the driver from its file, which programs write. If the value is invalid, writes
 * the driver's value to the file. */
static void read_sysctl(struct server *server, const char *name, enum i915_sysctl which)
{
    char path[PATH_SIZE], text[VALUE_SIZE];
    struct i915_device *device = server->emulation->device;
    place(server, name, path);
    int fd = tree_open(path, O_RDONLY, 0);
    if (fd < 0)
        return;
    ssize_t got = read(fd, text, sizeof text - 1);
    close(fd);
    if (got <= 0)
        return;
    text[got] = '\0';
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    bool number = end > text && (!*end || isspace((unsigned char)*end)) && value <= UINT32_MAX;
    if (number && i915_sysctl_get(device, which) == value)
        return;
    if (!number || i915_sysctl_set(device, which, (uint32_t)value) < 0) {
        int length = snprintf(text, sizeof text, "%" PRIu32 "\n", i915_sysctl_get(device, which));
        write_file(path, text, (size_t)length, 0644);
    }
}

/* An ordinary user owns the files, but may not change sysctls. */
void tree_read_sysctls(struct server *server)
{
    if (!server->settings->as_root && geteuid() != 0)
        return;
    read_sysctl(server, SYSCTL "/perf_stream_paranoid", I915_PARANOID);
    read_sysctl(server, SYSCTL "/oa_max_sample_rate", I915_MAX_SAMPLE_RATE);
}

/* ---- metrics --------------------------------------------------------------------------------- */

static bool is_listed(const struct i915_metric *list, size_t count,
                      const struct i915_metric *metric)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(list[i].uuid, metric->uuid) && list[i].id == metric->id)
            return true;
    return false;
}

static void metric_path(const struct server *server, const struct i915_metric *metric,
                        const char *file, char out[PATH_SIZE])
{
    char path[PATH_SIZE / 2];
    snprintf(path, sizeof path, CARD "/metrics/%s%s", metric->uuid, file);
    place(server, path, out);
}

static void show_metric(const struct server *server, const struct i915_metric *metric)
{
    char path[PATH_SIZE], text[VALUE_SIZE];
    metric_path(server, metric, "/id", path);
    int length = snprintf(text, sizeof text, "%" PRIu64 "\n", metric->id);
    if (make_directories(path) == 0)
        write_file(path, text, (size_t)length, 0444);
}

static void hide_metric(const struct server *server, const struct i915_metric *metric)
{
    char path[PATH_SIZE];
    metric_path(server, metric, "/id", path);
    unlink(path);
    metric_path(server, metric, "", path);
    rmdir(path);
}

void tree_update_metrics(struct server *server)
{
    size_t count = i915_metrics_list(server->emulation->device, NULL, 0);
    struct i915_metric *now = calloc(count ? count : 1, sizeof *now);
    if (!now)
        return;
    count = i915_metrics_list(server->emulation->device, now, count);
    for (size_t i = 0; i < server->metric_count; i++)
        if (!is_listed(now, count, &server->metrics[i]))
            hide_metric(server, &server->metrics[i]);
    for (size_t i = 0; i < count; i++)
        if (!is_listed(server->metrics, server->metric_count, &now[i]))
            show_metric(server, &now[i]);
    free(server->metrics);
    server->metrics = now;
    server->metric_count = count;
}

/* ---- changing contents ----------------------------------------------------------------------- */

/* Writes the host's modules, and the driver with one reference per descriptor. */
static void update_modules(struct server *server)
{
    const struct node_driver *driver = node_of(server);
    char path[PATH_SIZE], bytes[4096];
    struct buffer text = {0};
    unsigned references = 0;
    for (const struct descriptor *d = server->descriptors; d; d = d->next)
        references += d->of == OF_DEVICE || d->of == OF_STREAM;
    buffer_printf(&text, "%s %u %u - Live 0x0000000000000000\n", driver->name, driver->module_bytes,
                  references);
    FILE *real = fopen("/proc/modules", "re");
    while (real && fgets(bytes, sizeof bytes, real))
        if (strncmp(bytes, driver->name, strlen(driver->name)) != 0 ||
            bytes[strlen(driver->name)] != ' ')
            buffer_text(&text, bytes);
    if (real)
        fclose(real);
    place(server, "/proc/modules", path);
    if (!text.broken && make_directories(path) == 0)
        /* In a namespace it is mounted, and so is not replaced. */
        write_file(path, text.bytes, text.size, server->settings->by_namespace ? RW : RO);
    buffer_fini(&text);
}

static void update_residency(struct server *server)
{
    static const char *const names[] = {CARD "/power/rc6_residency_ms",
                                        CARD "/gt/gt0/rc6_residency_ms"};
    char path[PATH_SIZE], text[VALUE_SIZE];
    int length = snprintf(text, sizeof text, "%" PRIu64 "\n",
                          tally_gpu_rc6_ns(server->emulation->gpu) / 1000000);
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        place(server, names[i], path);
        write_file(path, text, (size_t)length, RO);
    }
}

/* Writes the state at the latest hang. */
static void update_error(struct server *server)
{
    static const char *const names[] = {CARD "/error", DEBUG "/i915_error_state"};
    static const char none[] = "No error state collected\n";
    char path[PATH_SIZE];
    size_t size;
    const char *text = i915_device_error(server->emulation->device, &size);
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        place(server, names[i], path);
        write_file(path, size ? text : none, size ? size : sizeof none - 1, OWNER_RW);
    }
}

/* Rewrites a file of tracefs, by its path in the tree or the name that programs see. */
static void tree_update_traced(struct server *server, const char *path)
{
    const char *name = path ? strstr(path, TRACING) : NULL;
    if (name)
        trace_files_update(server, name + sizeof TRACING - 1);
}

void tree_update(struct server *server, enum emulate_content content, const char *path)
{
    if (content == EMULATE_MODULES)
        update_modules(server);
    else if (!server->emulation->device)
        return;
    else if (content == EMULATE_RESIDENCY)
        update_residency(server);
    else if (content == EMULATE_FREQUENCY)
        tree_show_frequencies(server);
    else if (content == EMULATE_ERROR)
        update_error(server);
    else if (content == EMULATE_TRACE)
        tree_update_traced(server, path);
    else {
        update_error(server);
        controls_update(server);
    }
}
