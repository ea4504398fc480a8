/* SPDX-License-Identifier: MIT */
/* The files that clients read (IGT-2.2, IGT-2.3 and IGT-4). */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client.h"

#define PCI_SLOT "0000:00:02.0"

/* ---- files that recorders use ---------------------------------------------------------------- */

static void identity(struct device *device)
{
    char text[64], expected[64];
    snprintf(expected, sizeof expected, "0x%04x\n", (unsigned)device->chipset);
    CHECK(read_text("/sys/class/drm/renderD128/device/vendor", text, sizeof text) > 0, "%s",
          strerror(errno));
    CHECK(!strcmp(text, "0x8086\n"), "vendor %s", text);
    CHECK(read_text("/sys/class/drm/renderD128/device/device", text, sizeof text) > 0, "%s",
          strerror(errno));
    CHECK(!strcmp(text, expected), "device %s", text);
    CHECK(read_text("/sys/bus/pci/devices/" PCI_SLOT "/device", text, sizeof text) > 0 &&
              !strcmp(text, expected),
          "device %s", text);
}

/* The device links of the render node and of one card have the same text. */
static void device_links(struct device *device)
{
    char render[256] = "", card[256] = "", path[64];
    int directory = open("/sys/dev/char/226:128", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    (void)device;
    CHECK(directory >= 0, "%s", strerror(errno));
    CHECK(readlinkat(directory, "device", render, sizeof render - 1) > 0, "%s", strerror(errno));
    close(directory);
    unsigned found = 0;
    for (unsigned i = 0; i < 64; i++) {
        snprintf(path, sizeof path, "/sys/dev/char/226:%u", i);
        directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (directory < 0)
            continue;
        CHECK(readlinkat(directory, "device", card, sizeof card - 1) > 0, "%s", strerror(errno));
        found += !strcmp(card, render);
        close(directory);
    }
    CHECK(found == 1, "%u cards have the render node's device", found);
}

/* Reads a number again from a file that is open. */
static unsigned long reread(int fd)
{
    char text[32];
    ssize_t got = WORKS(pread(fd, text, sizeof text - 1, 0));
    text[got] = '\0';
    return strtoul(text, NULL, 10);
}

/* Without a workload the driver requests the highest frequency that the limits allow. */
static void check_limit(unsigned long max)
{
    char text[32];
    int size = snprintf(text, sizeof text, "%lu", max - 100);
    int limit = open(CARD_DIRECTORY "/gt_max_freq_mhz", O_WRONLY | O_CLOEXEC),
        current = open(CARD_DIRECTORY "/gt_cur_freq_mhz", O_RDONLY | O_CLOEXEC);
    CHECK(current >= 0, "%s", strerror(errno));
    CHECK(reread(current) == max, "%lu MHz", reread(current));
    if (limit < 0)
        return; /* not privileged */
    WORKS(write(limit, text, (size_t)size));
    unsigned long now = reread(current);
    CHECK(now < max && now == read_number(CARD_DIRECTORY "/gt_cur_freq_mhz"), "%lu MHz", now);
    size = snprintf(text, sizeof text, "%lu", max);
    WORKS(write(limit, text, (size_t)size));
    close(limit);
    close(current);
}

/* A file that is read and written by one descriptor. */
static void read_and_written(struct device *device)
{
    static const char name[] = CARD_DIRECTORY "/engine/rcs0/heartbeat_interval_ms";
    char text[32] = "";
    int fd = open(name, O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        CHECK(errno == EACCES, "%s", strerror(errno)); /* not privileged */
        return;
    }
    CHECK(read(fd, text, sizeof text) == 5 && !memcmp(text, "2500\n", 5), "%s", text);
    CHECK(read(fd, text, sizeof text) == 0, "%s", text);
    CHECK(pread(fd, text, 2, 1) == 2 && !memcmp(text, "50", 2), "%s", text);
    CHECK(lseek(fd, 0, SEEK_CUR) == 5, "%ld", (long)lseek(fd, 0, SEEK_CUR));
    FAILS(pread(fd, text, 2, -1), EINVAL);
    FAILS(pwrite(fd, "1", 1, -1), EINVAL);
    CHECK(pwrite(fd, "90", 2, 0) == 2, "%s", strerror(errno));
    CHECK(read_number(name) == 90, "%lu", read_number(name));
    WORKS(lseek(fd, 0, SEEK_SET));
    CHECK(write(fd, "700", 3) == 3, "%s", strerror(errno));
    CHECK(read(fd, text, sizeof text) == 1 && *text == '\n', "%s", text); /* from the position */
    CHECK(pread(fd, text, sizeof text, 0) == 4 && !memcmp(text, "700\n", 4), "%s", text);
    FAILS(write(fd, "junk", 4), EINVAL);
    if (device->platform < SKL) /* it has no preemption, to end what runs */
        FAILS(pwrite(fd, "0", 1, 0), ENODEV);
    CHECK(pwrite(fd, "2500", 4, 0) == 4, "%s", strerror(errno));
    close(fd);
    /* Opened again by its descriptor. */
    int first = open(name, O_RDONLY | O_CLOEXEC);
    char again[32];
    snprintf(again, sizeof again, "/proc/self/fd/%d", first);
    fd = open(again, O_RDWR | O_CLOEXEC);
    CHECK(fd >= 0 && write(fd, "800", 3) == 3, "%s", strerror(errno));
    CHECK(read_number(name) == 800, "%lu", read_number(name));
    CHECK(pwrite(fd, "2500", 4, 0) == 4, "%s", strerror(errno));
    FAILS(open(again, O_RDWR | O_NOFOLLOW), ELOOP);
    close(first);
    FILE *file = fdopen(fd, "w");
    CHECK(file && fputs("850", file) >= 0 && fclose(file) == 0, "%s", strerror(errno));
    CHECK(read_number(name) == 850, "%lu", read_number(name));
    FAILS(fcntl(fd, F_GETFD), EBADF);
    fd = open(name, O_WRONLY | O_CLOEXEC);
    CHECK(pwrite(fd, "2500", 4, 0) == 4, "%s", strerror(errno));
    close(fd);
    fd = open(name, O_WRONLY | O_CLOEXEC);
    FAILS(pread(fd, text, sizeof text, 0), EBADF);
    close(fd);
}

static void frequencies(struct device *device)
{
    static const char *const names[][2] = {{"gt/gt0/rps_min_freq_mhz", "gt_min_freq_mhz"},
                                           {"gt/gt0/rps_max_freq_mhz", "gt_max_freq_mhz"},
                                           {"gt/gt0/rps_RP0_freq_mhz", "gt_RP0_freq_mhz"}};
    unsigned long values[COUNT(names)];
    char path[128];
    (void)device;
    int card = open(CARD_DIRECTORY, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CHECK(card >= 0 && faccessat(card, "gt", F_OK, 0) == 0, "%s", strerror(errno));
    for (size_t i = 0; i < COUNT(names); i++) {
        snprintf(path, sizeof path, CARD_DIRECTORY "/%s", names[i][0]);
        values[i] = read_number(path);
        snprintf(path, sizeof path, CARD_DIRECTORY "/%s", names[i][1]);
        CHECK(read_number(path) == values[i], "%s differs", names[i][1]);
        CHECK(faccessat(card, names[i][0], R_OK, 0) == 0, "%s: %s", names[i][0], strerror(errno));
    }
    CHECK(values[0] && values[0] < values[1] && values[1] <= values[2], "%lu, %lu, %lu MHz",
          values[0], values[1], values[2]);
    close(card);
    check_limit(values[1]);
}

/* Directories have d_type DT_DIR (IGT-4, trap 4). */
static unsigned count_directories(DIR *directory, const char *prefix)
{
    struct dirent *entry;
    unsigned count = 0;
    while ((entry = readdir(directory)))
        if (entry->d_name[0] != '.' && !strncmp(entry->d_name, prefix, strlen(prefix))) {
            CHECK(entry->d_type == DT_DIR, "%s has type %u", entry->d_name, entry->d_type);
            count++;
        }
    return count;
}

static void metrics_directory(struct device *device)
{
    char text[32];
    int card = open(CARD_DIRECTORY, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int metrics = openat(card, "metrics", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = metrics >= 0 ? fdopendir(metrics) : NULL;
    CHECK(directory, "%s", strerror(errno));
    CHECK(count_directories(directory, "") >= 1, "no set");
    rewinddir(directory);
    struct dirent *entry;
    bool found = false;
    while ((entry = readdir(directory))) { /* "." and ".." have no id */
        char name[300];
        snprintf(name, sizeof name, "%s/id", entry->d_name);
        int fd = openat(metrics, name, O_RDONLY | O_CLOEXEC);
        CHECK((fd >= 0) == (entry->d_name[0] != '.'), "%s", name);
        if (fd < 0)
            continue;
        ssize_t size = read(fd, text, sizeof text - 1);
        CHECK(size > 1 && text[size - 1] == '\n', "%s: %zd bytes", name, size);
        found = found || strtoull(text, NULL, 10) == device->set;
        struct stat about;
        CHECK(fstat(fd, &about) == 0 && (about.st_mode & 0777) == 0444, "mode 0%o",
              (unsigned)about.st_mode);
        close(fd);
    }
    CHECK(found, "set %llu is missing", (unsigned long long)device->set);
    closedir(directory);
    close(card);
    directory = opendir("/sys/dev/char/226:128/device/drm");
    CHECK(directory && count_directories(directory, "card") == 1, "expected one card");
    closedir(directory);
}

/* ---- files that test harnesses use ----------------------------------------------------------- */

/* debugfs is mounted (IGT-4, trap 3). */
static void debugfs(struct device *device)
{
    struct stat here, above, name;
    char text[128];
    (void)device;
    WORKS(stat("/sys/kernel/debug/.", &here));
    WORKS(stat("/sys/kernel/debug/..", &above));
    CHECK(here.st_dev != above.st_dev, "debugfs is not mounted");
    int directory = open("/sys/kernel/debug/dri/0", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    WORKS(stat("/sys/kernel/debug/dri/0/name", &name));
    CHECK(read_text("/sys/kernel/debug/dri/0/name", text, sizeof text) > 0 &&
              !strncmp(text, "i915 ", 5),
          "%s", text);
    /* Each off, and back on: without resets the GPU would be lost at the first hang. */
    static const char *const written[][2] = {{"i915_params/reset", "0"},
                                             {"i915_params/reset", "3"},
                                             {"i915_params/enable_hangcheck", "0"},
                                             {"i915_params/enable_hangcheck", "1"}};
    for (size_t i = 0; i < COUNT(written); i++) {
        int fd = openat(directory, written[i][0], O_WRONLY | O_CLOEXEC);
        CHECK(fd >= 0 && write(fd, written[i][1], 1) == 1, "%s: %s", written[i][0],
              strerror(errno));
        close(fd);
    }
    CHECK(read_number("/sys/kernel/debug/dri/0/i915_params/reset") == 3, "not 3");
    close(directory);
}

static void latency(struct device *device)
{
    uint32_t zero = 0;
    (void)device;
    int fd = open("/dev/cpu_dma_latency", O_RDWR | O_CLOEXEC);
    CHECK(fd >= 0, "%s", strerror(errno));
    CHECK(write(fd, &zero, sizeof zero) == sizeof zero, "%s", strerror(errno));
    close(fd);
}

static void modules(struct device *device)
{
    char text[64];
    (void)device;
    CHECK(read_text("/sys/module/i915/initstate", text, sizeof text) > 0 && !strcmp(text, "live\n"),
          "%s", text);
    WORKS(call(device->fd, DRM_IOCTL_I915_GEM_THROTTLE, NULL));
    CHECK(access("/sys/dev/char/226:0/engine", F_OK) < 0 || errno == 0, "engines");
}

/* Opening a file by any name gives its current contents (IGT-4, trap 6). */
static unsigned long by_directory(const char *directory, const char *name)
{
    char text[32] = "";
    int at = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int fd = openat(at, name, O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0 && read(fd, text, sizeof text - 1) > 0, "%s/%s: %s", directory, name,
          strerror(errno));
    close(fd);
    close(at);
    return strtoul(text, NULL, 10);
}

static void residency_by_all_names(struct device *device)
{
    (void)device;
    unsigned long values[4];
    sleep_ns(30000000);
    values[0] = read_number(CARD_DIRECTORY "/power/rc6_residency_ms");
    sleep_ns(30000000);
    values[1] = by_directory(CARD_DIRECTORY, "gt/gt0/rc6_residency_ms");
    sleep_ns(30000000);
    values[2] = by_directory(CARD_DIRECTORY "/gt/gt0", "rc6_residency_ms");
    sleep_ns(30000000);
    FILE *file = fopen("/sys/class/drm/card0/power/rc6_residency_ms", "r");
    CHECK(file && fscanf(file, "%lu", &values[3]) == 1, "%s", strerror(errno));
    fclose(file);
    for (unsigned i = 1; i < 4; i++)
        CHECK(values[i] > values[i - 1], "%lu ms after %lu", values[i], values[i - 1]);
}

/* ---- sysctls --------------------------------------------------------------------------------- */

static void writes_are_denied(struct device *device)
{
    (void)device;
    CHECK(!fopen("/proc/sys/dev/i915/perf_stream_paranoid", "w") && errno == EACCES, "%s",
          strerror(errno));
    FAILS(open("/proc/sys/dev/i915/oa_max_sample_rate", O_RDWR), EACCES);
    CHECK(sysctl_read("perf_stream_paranoid") == 1, "the value changed");
}

/* Values that are out of range are rejected or have no effect. */
static void sysctls(struct device *device)
{
    static const char *const bad[] = {"2", "-1", "hello", "99999999999999999999"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        FILE *file = fopen("/proc/sys/dev/i915/perf_stream_paranoid", "w");
        CHECK(file, "%s", strerror(errno));
        fputs(bad[i], file);
        fclose(file);
        struct properties p = sampling_every(device, 0, exponent_of(device, 1000000));
        close(open_stream(device, 0, p));
        CHECK(sysctl_read("perf_stream_paranoid") == 1, "%s became %lu", bad[i],
              sysctl_read("perf_stream_paranoid"));
    }
    in_child(device, true, writes_are_denied);
}

/* ---- other files ----------------------------------------------------------------------------- */

static void others(struct device *device)
{
    char text[64], own[64], name[] = "/tmp/tally-test-XXXXXX";
    (void)device;
    FAILS(open("/dev/dri/card1", O_RDWR), ENOENT);
    FAILS(open("/sys/class/drm/card0/nothing", O_RDONLY), ENOENT);
    CHECK(read_text("/proc/self/comm", text, sizeof text) > 0 && strlen(text) > 1, "%s", text);
    snprintf(own, sizeof own, "/proc/%d/comm", (int)getpid());
    CHECK(read_text(own, own, sizeof own) > 0 && !strcmp(text, own), "%s and %s", text, own);
    int fd = mkstemp(name);
    CHECK(fd >= 0, "%s", strerror(errno));
    CHECK(write(fd, "tally", 5) == 5 && lseek(fd, 0, SEEK_SET) == 0, "%s", strerror(errno));
    CHECK(read(fd, text, sizeof text) == 5 && !memcmp(text, "tally", 5), "%s", strerror(errno));
    struct stat about;
    CHECK(fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size == 5, "its size");
    close(fd);
    unlink(name);
}

/* ---- error state ----------------------------------------------------------------------------- */

static const char *read_error(void)
{
    static char text[1 << 20];
    WORKS(read_text(CARD_DIRECTORY "/error", text, sizeof text));
    return text;
}

static void write_text(const char *path, const char *text)
{
    int fd = (int)WORKS(open(path, O_WRONLY | O_CLOEXEC));
    WORKS(write(fd, text, strlen(text)));
    close(fd);
}

/* Decodes a dword of ASCII85 and advances *at. */
static uint32_t decode(const char **at)
{
    uint32_t value = 0;
    if (**at == 'z')
        return ++*at, 0;
    for (unsigned i = 0; i < 5; i++)
        value = value * 85 + (uint32_t)(*(*at)++ - '!');
    return value;
}

/* Runs a batch that ends in a jump to itself until the engine is reset. */
static void hang(const struct device *device, uint32_t mark)
{
    struct batch batch;
    batch_begin(&batch, device);
    batch_emit(&batch, mark);
    batch_emit(&batch, 0x31u << 23 | 1u << 8 | (device->platform == HSW ? 0 : 1));
    batch_address(&batch, &batch.object, 0, false);
    batch_run(&batch, new_context(device), 0, true);
}

void hang_engine(uint32_t number)
{
    struct device device;
    find_device(&device);
    hang(&device, 1u << 22 | number); /* an MI_NOOP that writes its number to a register */
}

/* The state at the first hang is kept until something is written to the file. */
static void error_state(struct device *device)
{
    static const char none[] = "No error state collected\n";
    static const uint32_t marks[] = {1u << 22 | 0x12345, 1u << 22 | 0x23456};
    const char *parameter = "/sys/kernel/debug/dri/0/i915_params/error_capture";
    const char *at;
    char by[64], context[64];
    snprintf(by, sizeof by, ", in i915_conformanc [%d]\n", (int)getpid());
    snprintf(context, sizeof context, "\n  Active context: i915_conformanc[%d] prio 0, guilty ",
             (int)getpid());
    write_text(CARD_DIRECTORY "/error", "1");
    CHECK(!strcmp(read_error(), none), "%s", read_error());
    for (size_t i = 0; i < COUNT(marks); i++) {
        hang(device, marks[i]);
        CHECK(!strncmp(read_error(), "GPU HANG: ecode ", 16), "%s", read_error());
        CHECK((at = strstr(read_error(), by)) && at < strchr(read_error(), '\n'), "%s",
              read_error());
        CHECK(strstr(read_error(), context), "%s", read_error());
        CHECK(strstr(read_error(), "\nrcs0 command stream:\n"), "%s", read_error());
        CHECK(strstr(read_error(), "\nrcs0 --- ringbuffer = 0x"), "%s", read_error());
        CHECK((at = strstr(read_error(), "\nrcs0 --- batch = 0x")) && (at = strchr(at, '~')), "%s",
              read_error());
        at++;
        uint32_t first = decode(&at), second = decode(&at);
        CHECK(first == marks[0] && second >> 23 == 0x31, "batch 0x%08x 0x%08x", first, second);
    }
    write_text(CARD_DIRECTORY "/error", "1");
    write_text(parameter, "N");
    hang(device, marks[0]);
    CHECK(!strcmp(read_error(), none), "%s", read_error());
    write_text(parameter, "Y");
}

static const struct subtest rows[] = {
    {"identity", ALL, 0, NULL, "vendor and device in sysfs match the chipset of GETPARAM", identity,
     false, false},
    {"device-links", ALL, 0, NULL, "exactly one card has the same device link as the render node",
     device_links, false, false},
    {"frequencies", ALL, 0, NULL,
     "lowest, highest and RP0 frequency can be read by the old and the new names; a new limit "
     "shows "
     "in files that are open",
     frequencies, false, false},
    {"read-and-written", ALL, 0, NULL,
     "a file of an engine that is open for reading and writing: position, pread(), pwrite()",
     read_and_written, false, false},
    {"metrics-directory", ALL, 0, NULL,
     "each set is a directory, also by its d_type, with a read-only file id that holds a number; "
     "the "
     "device has one card",
     metrics_directory, false, false},
    {"debugfs", ALL, 0, NULL, "debugfs is mounted, names the driver, and accepts its parameters",
     debugfs, false, false},
    {"latency", ALL, 0, NULL, "/dev/cpu_dma_latency accepts four bytes", latency, false, false},
    {"modules", ALL, 0, NULL, "the module's state is live; THROTTLE works", modules, false, false},
    {"residency-by-all-names", ALL, 0, NULL,
     "rc6_residency_ms is current by an absolute path, relative to a directory, and by stdio",
     residency_by_all_names, false, true},
    {"sysctls", ALL, 0, NULL,
     "values that are not numbers or out of range change nothing; without root they cannot be "
     "written",
     sysctls, false, false},
    {"error-state", ALL, 0, NULL,
     "card0/error has the registers and the batch of the first hang, until it is written; "
     "error_capture=N keeps none",
     error_state, false, false},
    {"others", ALL, 0, NULL, "other devices are absent, and other files are the program's own",
     others, false, false},
};
GROUP(files_group, rows);
