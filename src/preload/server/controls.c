/* SPDX-License-Identifier: MIT */
/* Virtual files that do something when they are written, and refuse what the kernel refuses:
 * sysctls, the values of engines in sysfs, and debugfs. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/whole.h"
#include "preload/server/places.h"
#include "preload/server/server.h"
#include "preload/server/trace_files.h"

#define ENGINE CARD "/engine/*"

#define MAX_TEXT 64 /* of a number */

/* Milliseconds that the kernel's longest sleep has, as 32 bits; two of its ticks, in ns. */
#define MAX_MS      4294967292u
#define MAX_SPIN_NS 8000000u

/* What is written. */
enum control {
    PARANOID,    /* sysctls */
    SAMPLE_RATE, /* these are parsed in decimal, with spaces around */
    STORED,      /* a number without effect, which the file shows */
    HEARTBEAT,   /* of an engine */
    TIMESLICE,
    PREEMPTION,
    HANGCHECK,   /* flags, Y or N */
    RESET_LEVEL, /* numbers */
    WEDGED,
    DROP_CACHES,
    NOA_DELAY,
    CLEAR, /* everything: clears the error state */
    CAPTURE,
    NOTHING,   /* it takes no byte */
    LIMIT_MIN, /* limits of the frequency, in MHz */
    LIMIT_MAX,
    LIMIT_BOOST,
    AWAKE, /* while it is open, the GPU is awake */
    REFUSED,
    TRACE,    /* of tracefs: trace_files.c */
    TIMELINE, /* software.c */
};

static const struct row {
    const char *path; /* a pattern */
    uint8_t control;  /* enum control */
    uint64_t max;
} rows[] = {
    {SYSCTL "/perf_stream_paranoid", PARANOID, 0},
    {SYSCTL "/oa_max_sample_rate", SAMPLE_RATE, 0},
    {ENGINE "/heartbeat_interval_ms", HEARTBEAT, MAX_MS - 1},
    {ENGINE "/preempt_timeout_ms", PREEMPTION, MAX_MS},
    {ENGINE "/stop_timeout_ms", STORED, MAX_MS},
    {ENGINE "/timeslice_duration_ms", TIMESLICE, MAX_MS},
    {ENGINE "/max_busywait_duration_ns", STORED, MAX_SPIN_NS},
    {CARD "/gt_min_freq_mhz", LIMIT_MIN, UINT64_MAX},
    {CARD "/gt_max_freq_mhz", LIMIT_MAX, UINT64_MAX},
    {CARD "/gt_boost_freq_mhz", LIMIT_BOOST, UINT64_MAX},
    {CARD "/gt/gt0/rps_min_freq_mhz", LIMIT_MIN, UINT64_MAX},
    {CARD "/gt/gt0/rps_max_freq_mhz", LIMIT_MAX, UINT64_MAX},
    {CARD "/gt/gt0/rps_boost_freq_mhz", LIMIT_BOOST, UINT64_MAX},
    {DEBUG "/i915_forcewake_user", AWAKE, 0},
    {DEBUG "/gt/forcewake_user", AWAKE, 0},
    {DEBUG "/i915_wedged", WEDGED, UINT64_MAX},
    {DEBUG "/gt/reset", WEDGED, UINT64_MAX},
    {DEBUG "/i915_gem_drop_caches", DROP_CACHES, UINT64_MAX},
    {DEBUG "/i915_perf_noa_delay", NOA_DELAY, UINT64_MAX},
    {DEBUG "/i915_params/reset", RESET_LEVEL, UINT32_MAX},
    {DEBUG "/i915_params/enable_hangcheck", HANGCHECK, 0},
    {DEBUG "/i915_params/error_capture", CAPTURE, 0},
    {DEBUG "/i915_params/mmio_debug", STORED, INT_MAX},
    {DEBUG "/i915_params/request_timeout_ms", STORED, UINT32_MAX},
    {DEBUG "/i915_error_state", NOTHING, 0},
    {CARD "/error", CLEAR, 0},
    {SW_SYNC, TIMELINE, 0},
    {TRACING "/*", TRACE, 0},
    {TRACING "/*/*", TRACE, 0},
    {TRACING "/*/*/*", TRACE, 0},
    {TRACING "/*/*/*/*", TRACE, 0},
    {DEBUG "/*", REFUSED, 0},
    {DEBUG "/*/*", REFUSED, 0},
};

/* Of i915_gem_drop_caches. */
#define DROP_MEMORY       0x23u /* unbound, bound and all objects: discards those not needed */
#define DROP_ACTIVE       0x48u /* or idle: waits for all requests */
#define DROP_RESET_ACTIVE 0x80u /* ends those that still run after a time, recovers a lost GPU */

#define ACTIVE_NS 200000000u /* the kernel's I915_IDLE_ENGINES_TIMEOUT */

/* ---- parsing --------------------------------------------------------------------------------- */

/* Copies what is written, with an end. False: it is too long. */
static bool copy_text(const char *bytes, size_t size, char text[MAX_TEXT])
{
    if (size >= MAX_TEXT)
        return false;
    memcpy(text, bytes ? bytes : "", size);
    text[size] = '\0';
    return true;
}

int control_number(const char *text, int base, uint64_t max, uint64_t *out)
{
    char *end;
    errno = 0;
    if (!isdigit((unsigned char)text[*text == '+']))
        return -EINVAL;
    *out = strtoull(text, &end, base);
    if (*end == '\n')
        end++;
    return *end ? -EINVAL : errno == ERANGE ? -ERANGE : *out > max ? -EINVAL : 0;
}

/* Parses a sysctl's number; the driver checks its range. */
static int parse_sysctl(const char *text, uint32_t *out)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (end == text || (*end && !isspace((unsigned char)*end)) || strchr(text, '-') ||
        value > UINT32_MAX)
        return -EINVAL;
    *out = (uint32_t)value;
    return 0;
}

/* Parses a flag as the kernel's kstrtobool(). */
static int parse_flag(const char *text, bool *out)
{
    static const char *const words[2] = {"NnFf0", "YyTt1"};
    bool off = text[0] == 'o' || text[0] == 'O';
    for (unsigned i = 0; i < 2; i++)
        if (*text &&
            (off ? tolower((unsigned char)text[1]) == "fn"[i] : strchr(words[i], *text) != NULL))
            return *out = i, 0;
    return -EINVAL;
}

/* ---- files ----------------------------------------------------------------------------------- */

static void show(const char *path, const char *text)
{
    int fd = tree_open(path, O_WRONLY, 0);
    if (fd < 0)
        return;
    size_t done;
    if (write_whole(fd, text, strlen(text), &done) <
        0) /* it is a memory file system or a disk that is full */
        ftruncate(fd, 0);
    close(fd);
}

static void show_number(const char *path, uint64_t value)
{
    char text[MAX_TEXT];
    snprintf(text, sizeof text, "%" PRIu64 "\n", value);
    show(path, text);
}

int control_find(const struct server *server, const char *path, char real[PATH_MAX])
{
    char root[sizeof server->directory + sizeof EMULATE_ROOT + 1];
    struct stat about;
    size_t length = (size_t)snprintf(root, sizeof root, "%s/" EMULATE_ROOT, server->directory);
    if (!realpath(path, real) || strncmp(real, root, length) != 0 || stat(real, &about) < 0 ||
        S_ISDIR(about.st_mode))
        return -ENOENT;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (!fnmatch(rows[i].path, real + length, FNM_PATHNAME))
            return (int)i;
    return about.st_mode & 0222 ? -ENOENT : -EACCES;
}

void controls_update(struct server *server)
{
    struct i915_device *device = server->emulation->device;
    char path[PATH_MAX];
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        snprintf(path, sizeof path, "%s/" EMULATE_ROOT "%s", server->directory, rows[i].path);
        if (rows[i].control == WEDGED)
            show_number(path, i915_device_is_wedged(device));
        if (rows[i].control == NOA_DELAY)
            show_number(path, i915_device_noa_delay(device));
    }
    snprintf(path, sizeof path, "%s/" EMULATE_ROOT DEBUG "/name", server->directory);
    show(path, i915_device_has_name(device)
                   ? "i915 dev=0000:00:02.0 master=pci:0000:00:02.0 unique=0000:00:02.0\n"
                   : "i915 dev=0000:00:02.0 unique=0000:00:02.0\n");
}

/* ---- writing --------------------------------------------------------------------------------- */

static int write_sysctl(struct server *server, enum i915_sysctl which, const char *path,
                        const char *text)
{
    uint32_t value;
    int result = parse_sysctl(text, &value);
    if (result == 0)
        result = i915_sysctl_set(server->emulation->device, which, value);
    if (result == 0)
        show_number(path, value);
    return result;
}

static int write_flag(struct server *server, enum control control, const char *path,
                      const char *text)
{
    bool value;
    int result = parse_flag(text, &value);
    if (result == 0)
        show(path, value ? "Y\n" : "N\n");
    if (result == 0 && control == CAPTURE)
        i915_device_capture_errors(server->emulation->device, value);
    if (result == 0 && control == HANGCHECK)
        i915_device_detect_hangs(server->emulation->device, value);
    return result;
}

static int write_limit(struct server *server, enum i915_frequency which, uint64_t mhz)
{
    if (mhz > UINT32_MAX)
        return -ERANGE;
    int result = i915_frequency_set(server->emulation->device, which, (uint32_t)mhz);
    if (result == 0)
        tree_show_frequencies(server);
    return result;
}

/* Copies the name of the engine of a file engine/NAME/VALUE. */
static void engine_of(const char *path, char name[32])
{
    const char *end = strrchr(path, '/'), *start = end;
    while (start > path && start[-1] != '/')
        start--;
    snprintf(name, 32, "%.*s", (int)(end - start), start);
}

static int set_time(struct server *server, enum control control, const char *path, uint32_t ms)
{
    struct i915_device *device = server->emulation->device;
    char name[32];
    int result = 0;
    engine_of(path, name);
    if (control == HEARTBEAT)
        result = i915_engine_set_heartbeat(device, name, ms);
    else if (control == TIMESLICE)
        i915_engine_set_timeslice(device, name, ms);
    else
        i915_engine_set_preemption(device, name, ms);
    if (result == 0)
        show_number(path, ms);
    return result;
}

static void drop_caches(struct i915_device *device, uint64_t value)
{
    if (value & DROP_RESET_ACTIVE) {
        struct i915_wait running = i915_wait_for_running(device);
        if (!i915_wait_over(device, &running))
            i915_device_wedge(device);
        i915_device_recover(device);
    }
    if (value & DROP_MEMORY)
        i915_device_purge(device);
}

static int write_number(struct server *server, const struct row *row, const char *path,
                        const char *text)
{
    struct i915_device *device = server->emulation->device;
    uint64_t value;
    int result = control_number(text, 0, row->max, &value);
    if (result < 0)
        return result;
    switch ((enum control)row->control) {
    case RESET_LEVEL:
        i915_device_set_reset(
            device, value > I915_RESET_ENGINES ? I915_RESET_ENGINES : (enum i915_reset_level)value);
        show_number(path, value);
        break;
    case WEDGED:
        i915_device_reset(device, value);
        break;
    case DROP_CACHES:
        drop_caches(device, value);
        break;
    case NOA_DELAY:
        return i915_device_set_noa_delay(device, value);
    case HEARTBEAT:
    case TIMESLICE:
    case PREEMPTION:
        return set_time(server, (enum control)row->control, path, (uint32_t)value);
    case LIMIT_MIN:
        return write_limit(server, I915_MIN, value);
    case LIMIT_MAX:
        return write_limit(server, I915_MAX, value);
    case LIMIT_BOOST:
        return write_limit(server, I915_BOOST, value);
    default:
        show_number(path, value);
        break;
    }
    return 0;
}

/* Returns the name of a file below TRACING, from its path in the tree. */
static const char *trace_name(const char *path)
{
    return strstr(path, TRACING) + sizeof TRACING - 1;
}

bool control_is_timeline(unsigned control)
{
    return rows[control].control == TIMELINE;
}

bool control_is_readable(unsigned control)
{
    return rows[control].control != TIMELINE && rows[control].control != AWAKE;
}

void control_opened(struct server *server, unsigned control, const char *path, bool truncates)
{
    if (rows[control].control == TRACE && truncates)
        trace_files_truncated(server, trace_name(path));
    if (rows[control].control == AWAKE)
        i915_wake_get(server->emulation->device);
}

void control_closed(struct server *server, unsigned control)
{
    if (rows[control].control == AWAKE)
        i915_wake_put(server->emulation->device);
}

void control_read(struct server *server, unsigned control, const char *path)
{
    if (rows[control].control == TRACE)
        trace_files_update(server, trace_name(path));
}

bool control_waits(const struct server *server, unsigned control, const char *bytes, size_t size,
                   uint64_t since_ns, struct i915_wait *wait)
{
    struct i915_device *device = server->emulation->device;
    char text[MAX_TEXT];
    uint64_t value;
    if (rows[control].control != DROP_CACHES || !copy_text(bytes, size, text) ||
        control_number(text, 0, rows[control].max, &value) < 0)
        return false;
    if (value & DROP_RESET_ACTIVE) {
        *wait = i915_wait_for_running(device);
        if (!i915_fences_done(device, &wait->fences)) {
            wait->until_ns = since_ns + ACTIVE_NS;
            return !i915_wait_over(device, wait);
        }
    }
    *wait = i915_wait_for_all(device);
    return value & DROP_ACTIVE && !i915_wait_over(device, wait);
}

int64_t control_write(struct server *server, unsigned control, const char *path, const char *bytes,
                      size_t size)
{
    const struct row *row = &rows[control];
    char text[MAX_TEXT];
    int result = -EINVAL;
    if (row->control == CLEAR)
        i915_device_clear_error(server->emulation->device);
    if (row->control == CLEAR || row->control == NOTHING)
        return row->control == CLEAR ? (int)size : 0;
    if (row->control == TRACE)
        return trace_files_write(server, trace_name(path), bytes, size);
    if (!size && strncmp(row->path, DEBUG, sizeof DEBUG - 1) != 0)
        return 0;
    if (!copy_text(bytes, size, text))
        return -EINVAL;
    switch ((enum control)row->control) {
    case PARANOID:
        result = write_sysctl(server, I915_PARANOID, path, text);
        break;
    case SAMPLE_RATE:
        result = write_sysctl(server, I915_MAX_SAMPLE_RATE, path, text);
        break;
    case HANGCHECK:
    case CAPTURE:
        result = write_flag(server, (enum control)row->control, path, text);
        break;
    case AWAKE:
    case REFUSED:
    case TRACE:
    case TIMELINE:
        break;
    default:
        result = write_number(server, row, path, text);
        break;
    }
    return result < 0 ? result : (int)size;
}
