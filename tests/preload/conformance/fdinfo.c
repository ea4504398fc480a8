/* SPDX-License-Identifier: MIT */
/* What /proc shows of descriptors of the device: which they are, and what their client has used. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

#define RENDER_BUSY 0 /* config of the event */

/* ---- reading --------------------------------------------------------------------------------- */

static void read_fdinfo(int pid, int fd, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", pid, fd);
    WORKS(read_text(path, text, size));
}

/* Returns what follows "key:\t" in a line, or NULL. */
static const char *value_of(const char *text, const char *key)
{
    char start[64];
    snprintf(start, sizeof start, "\n%s:\t", key);
    const char *line = strstr(text, start);
    return line ? line + strlen(start) : NULL;
}

/* Returns a number; a size in bytes. */
static unsigned long long number_of(const char *text, const char *key)
{
    char *end;
    const char *value = value_of(text, key);
    CHECK(value, "no %s in:\n%s", key, text);
    unsigned long long number = strtoull(value, &end, 10);
    CHECK(end > value, "%s is %s", key, value);
    return number << (!strncmp(end, " KiB", 4) ? 10 : !strncmp(end, " MiB", 4) ? 20 : 0);
}

static unsigned long long read_number_of(int fd, const char *key)
{
    char text[4096];
    read_fdinfo(getpid(), fd, text, sizeof text);
    return number_of(text, key);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Checks a descriptor of a process, also by names relative to its directories. */
static void check_descriptor(int pid, int fd, unsigned long long client)
{
    char text[4096] = "", path[64], name[16];
    struct stat about;
    snprintf(name, sizeof name, "%d", fd);
    snprintf(path, sizeof path, "/proc/%d/fd", pid);
    int directory = (int)WORKS(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    WORKS(fstatat(directory, name, &about, 0));
    CHECK(S_ISCHR(about.st_mode) && about.st_rdev == makedev(226, 0), "mode 0%o",
          (unsigned)about.st_mode);
    WORKS(fstatat(directory, name, &about, AT_SYMLINK_NOFOLLOW));
    CHECK(S_ISLNK(about.st_mode), "mode 0%o", (unsigned)about.st_mode);
    WORKS(readlinkat(directory, name, text, sizeof text - 1));
    CHECK(!strcmp(text, "/dev/dri/card0"), "%s", text);
    close(directory);
    snprintf(path, sizeof path, "/proc/%d/fdinfo", pid);
    directory = (int)WORKS(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    int file = (int)WORKS(openat(directory, name, O_RDONLY | O_CLOEXEC));
    ssize_t got = WORKS(read(file, text, sizeof text - 1));
    text[got] = '\0';
    close(file);
    close(directory);
    CHECK(!strncmp(text, "pos:\t", 5) && value_of(text, "flags"), "%s", text);
    CHECK(value_of(text, "drm-driver") && !strncmp(value_of(text, "drm-driver"), "i915\n", 5), "%s",
          text);
    CHECK(value_of(text, "drm-pdev") && !strncmp(value_of(text, "drm-pdev"), "0000:00:02.0\n", 13),
          "%s", text);
    CHECK(number_of(text, "drm-client-id") == client, "expected client %llu:\n%s", client, text);
}

static void names(struct device *device)
{
    int pipes[2], other = open_card(), copy = (int)WORKS(dup(device->fd)), status;
    unsigned long long client = read_number_of(device->fd, "drm-client-id"),
                       second = read_number_of(other, "drm-client-id");
    char text[4096];
    CHECK(client && second && client != second, "clients %llu and %llu", client, second);
    check_descriptor(getpid(), device->fd, client);
    check_descriptor(getpid(), copy, client);
    check_descriptor(getpid(), other, second);
    WORKS(pipe(pipes));
    read_fdinfo(getpid(), pipes[0], text, sizeof text);
    CHECK(!strstr(text, "drm-"), "a pipe:\n%s", text);
    pid_t child = fork();
    if (child == 0) {
        close(device->fd); /* the child has the descriptor by another number only */
        close(other);
        WORKS(write(pipes[1], "", 1));
        pause();
    }
    CHECK(read(pipes[0], text, 1) == 1, "%s", strerror(errno));
    check_descriptor(child, copy, client);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
}

/* ---- time ------------------------------------------------------------------------------------ */

/* Runs a batch that writes reports. */
static void work(const struct device *device, uint32_t context)
{
    struct object object = new_object(device, 1 << 20, true);
    struct batch batch;
    batch_begin(&batch, device);
    for (unsigned i = 0; i < 16; i++)
        emit_timestamp(&batch, &object, 64 * i);
    batch_run(&batch, context, 0, true);
    free_object(device, &object);
}

/* Time of contexts stays when they are destroyed, and is that of the engine. */
static void engine_time(struct device *device)
{
    uint64_t busy[2][2];
    int other = open_card(), event = open_gpu_event(RENDER_BUSY);
    unsigned long long before = read_number_of(device->fd, "drm-engine-render");
    WORKS(read(event, busy[0], sizeof busy[0]));
    for (unsigned i = 0; i < 8; i++) {
        uint32_t context = new_context(device);
        work(device, context);
        work(device, 0);
        free_context(device, context);
    }
    sleep_ns(1000000);
    WORKS(read(event, busy[1], sizeof busy[1]));
    unsigned long long used = read_number_of(device->fd, "drm-engine-render") - before,
                       expected = busy[1][0] - busy[0][0];
    /* The hardware counts each of the 16 times that a context runs in ticks of up to 84 ns. */
    CHECK(used && used <= expected + 16 * 84 && used > expected / 2, "%llu of %llu ns", used,
          expected);
    CHECK(!read_number_of(device->fd, "drm-engine-copy"), "the copy engine was not used");
    CHECK(!read_number_of(other, "drm-engine-render"), "another client has used it");
}

static void no_engine_time(struct device *device)
{
    char text[4096];
    read_fdinfo(getpid(), device->fd, text, sizeof text);
    CHECK(!strstr(text, "drm-engine-"), "%s", text);
}

/* Runs a batch that the engine's reset ends, and checks that its time is added while it runs. */
static void check_running(struct device *device, uint32_t context)
{
    struct batch batch;
    uint64_t at[4], start = wall_ns(), before = read_number_of(device->fd, "drm-engine-render");
    batch_begin(&batch, device);
    /* MI_BATCH_BUFFER_START of itself */
    batch_emit(&batch, 0x31u << 23 | 1u << 8 | 1);
    batch_address(&batch, &batch.object, 0, false);
    batch_run(&batch, context, 0, false);
    for (unsigned i = 0; i < COUNT(at); i++) {
        sleep_ns(20000000);
        at[i] = read_number_of(device->fd, "drm-engine-render");
        uint64_t passed = wall_ns() - start;
        CHECK(at[i] <= before + passed + 1000000, "%llu ns of %llu",
              (unsigned long long)(at[i] - before), (unsigned long long)passed);
        CHECK(!i || at[i] >= at[i - 1] + 10000000, "%llu ns, then %llu",
              (unsigned long long)at[i - 1], (unsigned long long)at[i]);
    }
}

static void running_time(struct device *device)
{
    uint32_t context = new_context(device);
    check_running(device, context);
    sleep_ns(1000000000); /* until it was reset */
    check_running(device, context);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void memory(struct device *device)
{
    int fd = device->fd;
    unsigned long long total = read_number_of(fd, "drm-total-system0"),
                       resident = read_number_of(fd, "drm-resident-system0");
    struct object object = new_object(device, 3 << 20, false);
    CHECK(read_number_of(fd, "drm-total-system0") == total + (3 << 20), "total");
    CHECK(read_number_of(fd, "drm-resident-system0") == resident, "resident before use");
    set_domain(device, &object);
    CHECK(read_number_of(fd, "drm-resident-system0") == resident + (3 << 20), "resident");
    CHECK(!read_number_of(fd, "drm-active-system0"), "active");
    CHECK(!read_number_of(fd, "drm-purgeable-system0"), "purgeable");
    struct drm_i915_gem_madvise advice = {object.handle, I915_MADV_DONTNEED, 0};
    WORKS(call(fd, DRM_IOCTL_I915_GEM_MADVISE, &advice));
    CHECK(read_number_of(fd, "drm-purgeable-system0") == 3 << 20, "purgeable");
    CHECK(!read_number_of(fd, "drm-shared-system0"), "shared");
    free_object(device, &object);
    CHECK(read_number_of(fd, "drm-total-system0") == total, "total in the end");
}

static const struct subtest rows[] = {
    {"fdinfo-names", ALL, 5, NULL,
     "fd/ and fdinfo/ of any process in /proc show the device, and its client's id", names, false,
     false},
    {"fdinfo-time", GEN8_UP, 5, NULL,
     "drm-engine- lines are the time of the client's contexts, also of those that are gone",
     engine_time, false, false},
    {"fdinfo-running", GEN8_UP, 5, NULL, "they include the context that runs", running_time, false,
     false},
    {"fdinfo-haswell", BIT(HSW), 5, NULL, "before Gen8 there are no drm-engine- lines",
     no_engine_time, false, false},
    {"fdinfo-memory", ALL, 7, NULL, "drm-...-system0 lines are sizes of the client's objects",
     memory, false, false},
};
GROUP(fdinfo_group, rows);
