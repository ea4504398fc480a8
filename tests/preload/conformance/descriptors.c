/* SPDX-License-Identifier: MIT */
/* Descriptors: copies, inheritance, other ways to the same file. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "continued.h"

static struct properties every_ms(const struct device *device)
{
    return sampling_every(device, 0, exponent_of(device, 1000000));
}

static void reads_chipset(int fd, const struct device *device)
{
    int chipset = 0;
    WORKS(getparam(fd, 4, &chipset));
    CHECK(chipset == device->chipset, "0x%x", (unsigned)chipset);
}

static void reads_report(int stream)
{
    static uint8_t bytes[1 << 16];
    ssize_t size = read(stream, bytes, sizeof bytes);
    CHECK(size > 0, "%s", strerror(errno));
}

/* After the last descriptor of a stream is closed, another stream can be opened soon. */
static void await_free(const struct device *device)
{
    struct properties p = every_ms(device);
    int stream = -1;
    for (unsigned i = 0; i < 500 && stream < 0; i++) {
        stream = try_open(device, 0, &p);
        CHECK(stream >= 0 || errno == EBUSY, "%s", strerror(errno));
        sleep_ns(stream < 0 ? 2000000 : 0);
    }
    CHECK(stream >= 0, "the stream still exists");
    close(stream);
}

/* ---- copies ---------------------------------------------------------------------------------- */

static void copies(struct device *device)
{
    int stream = open_stream(device, 0, every_ms(device));
    int all[] = {dup(stream), dup2(stream, 200), dup3(stream, 201, O_CLOEXEC),
                 fcntl(stream, F_DUPFD, 100), fcntl(stream, F_DUPFD_CLOEXEC, 150)};
    close(stream);
    for (size_t i = 0; i < COUNT(all); i++) {
        CHECK(all[i] >= 0, "copy %zu: %s", i, strerror(errno));
        reads_report(all[i]);
        REFUSE(device, 0, every_ms(device), EBUSY);
        WORKS(call(all[i], I915_PERF_IOCTL_DISABLE, NULL));
        WORKS(call(all[i], I915_PERF_IOCTL_ENABLE, NULL));
        close(all[i]);
    }
    await_free(device);
    int copy = dup(device->fd);
    struct object object = new_object(device, 4096, false);
    struct drm_gem_close close_it = {.handle = object.handle};
    close(device->fd);
    reads_chipset(copy, device);
    WORKS(call(copy, DRM_IOCTL_GEM_CLOSE, &close_it)); /* it is the same file */
    FAILS(getparam(device->fd, 4, &device->chipset), EBADF);
}

/* Another file may reuse the number of a closed device descriptor, and vice versa. */
static void reused_numbers(struct device *device)
{
    char text[8] = "";
    int chipset;
    for (unsigned i = 0; i < 20; i++) {
        int fd = open_card();
        reads_chipset(fd, device);
        close(fd);
        int ends[2];
        WORKS(pipe(ends));
        CHECK(ends[0] == fd, "descriptor %d, not %d", ends[0], fd);
        FAILS(getparam(ends[0], 4, &chipset), ENOTTY);
        WORKS(write(ends[1], "hello", 5));
        CHECK(read(ends[0], text, sizeof text) == 5 && !memcmp(text, "hello", 5), "%s", text);
        int card = open_card();
        CHECK(dup2(card, ends[0]) == ends[0], "%s", strerror(errno));
        reads_chipset(ends[0], device);
        CHECK(dup2(ends[1], card) == card, "%s", strerror(errno));
        FAILS(getparam(card, 4, &chipset), ENOTTY);
        close(ends[0]);
        close(ends[1]);
        close(card);
    }
}

/* ---- fork ------------------------------------------------------------------------------------ */

static int inherited;

static void read_inherited(struct device *device)
{
    reads_report(inherited);
    reads_chipset(device->fd, device);
    struct object object = new_object(device, 4096, true); /* in the parent's file */
    CHECK(object.handle > 1, "handle %u", object.handle);
}

static void across_fork(struct device *device)
{
    int go[2];
    char byte = 0;
    struct object object = new_object(device, 4096, true);
    CHECK(object.handle == 1, "handle %u", object.handle);
    inherited = open_stream(device, 0, every_ms(device));
    in_child(device, false, read_inherited);
    reads_report(inherited);
    WORKS(pipe(go));
    pid_t child = fork();
    if (child == 0) { /* the only process that has the stream */
        CHECK(read(go[0], &byte, 1) == 1, "%s", strerror(errno));
        reads_report(inherited);
        _exit(EXIT_SUCCESS);
    }
    close(inherited);
    REFUSE(device, 0, every_ms(device), EBUSY);
    WORKS(write(go[1], &byte, 1));
    int status;
    waitpid(child, &status, 0);
    CHECK(status == 0, "the child ended with 0x%x", (unsigned)status);
    await_free(device);
}

/* libc does not know the child, so handlers of pthread_atfork() do not run. */
static void across_raw_fork(struct device *device)
{
    int status, stream = open_stream(device, 0, every_ms(device));
    reads_chipset(device->fd, device);
    long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) {
        reads_chipset(device->fd, device);
        reads_report(stream);
        _exit(EXIT_SUCCESS);
    }
    WORKS(waitpid((pid_t)child, &status, 0));
    CHECK(status == 0, "the child ended with 0x%x", (unsigned)status);
    reads_chipset(device->fd, device);
    close(stream);
}

/* ---- exec ------------------------------------------------------------------------------------ */

static int execute(const char *name, int fd)
{
    char number[16], program[] = "/proc/self/exe";
    snprintf(number, sizeof number, "%d", fd);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        execl(program, "client", "continue", name, number, (char *)NULL);
        _exit(127);
    }
    int status;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void across_exec(struct device *device)
{
    struct properties p = every_ms(device);
    int stream = (int)WORKS(try_open(device, 0, &p));
    CHECK(execute("across-exec", stream) == EXIT_SUCCESS, "a stream is not inherited");
    reads_report(stream);
    WORKS(fcntl(stream, F_SETFD, FD_CLOEXEC));
    CHECK(execute("not-across-exec", stream) == EXIT_SUCCESS, "a stream with CLOEXEC is inherited");
    close(stream);
    stream = open_stream(device, 0, p);
    CHECK(fcntl(stream, F_GETFD) & FD_CLOEXEC, "CLOEXEC is not set");
    CHECK(!(fcntl(stream, F_GETFL) & O_NONBLOCK), "the stream does not block");
    close(stream);
    stream = open_stream(device, I915_PERF_FLAG_FD_NONBLOCK, p);
    CHECK(fcntl(stream, F_GETFL) & O_NONBLOCK, "the stream blocks");
    close(stream);
}

int continue_subtest(const char *name, int fd)
{
    if (!strcmp(name, "across-exec")) {
        reads_report(fd);
        return EXIT_SUCCESS;
    }
    return fcntl(fd, F_GETFD) < 0 && errno == EBADF ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* ---- sockets --------------------------------------------------------------------------------- */

static void send_descriptor(int socket, int fd)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof fd)];
    } control = {.header = {CMSG_LEN(sizeof fd), SOL_SOCKET, SCM_RIGHTS}};
    char byte = 0;
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
    WORKS(sendmsg(socket, &message, 0));
}

/* by: recvmsg(), recvm'm'sg(), or 's': by syscall() */
static int receive_descriptor(int socket, char by)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {{0}};
    char byte;
    int fd;
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    struct mmsghdr messages = {message, 0};
    if (by == 'm')
        WORKS(recvmmsg(socket, &messages, 1, 0, NULL));
    else if (by == 's')
        WORKS(syscall(SYS_recvmsg, socket, &message, 0));
    else
        WORKS(recvmsg(socket, &message, 0));
    memcpy(&fd, CMSG_DATA(&control.header), sizeof fd);
    return fd;
}

static void across_socket(struct device *device)
{
    int ends[2], status;
    WORKS(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    pid_t child = fork();
    if (child == 0) {
        int fd = receive_descriptor(ends[1], 'r');
        reads_chipset(fd, device);
        _exit(EXIT_SUCCESS);
    }
    int card = open_card();
    send_descriptor(ends[0], card);
    close(card);
    waitpid(child, &status, 0);
    CHECK(status == 0, "the child ended with 0x%x", (unsigned)status);
}

/* Gives a number, at which a regular file was open until now, to a copy of the device's descriptor.
 */
static int reuse(int card, int socket, int number, char by)
{
    struct stat about;
    int file = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
    WORKS(dup2(file, number));
    close(file);
    WORKS(fstat(number, &about)); /* now the library knows it */
    FAILS(ioctl(number, DRM_IOCTL_I915_GETPARAM, &about), ENOTTY);
    close(number);
    switch (by) {
    case 'f':
        return fcntl(card, F_DUPFD, number);
    case '2':
        return dup2(card, number);
    case '3':
        return (int)syscall(SYS_dup3, card, number, 0);
    case 'F':
        return (int)syscall(SYS_fcntl, card, F_DUPFD_CLOEXEC, number);
    default: { /* messages give the lowest number */
        int lowest = open("/dev/null", O_RDONLY | O_CLOEXEC);
        FAILS(ioctl(lowest, DRM_IOCTL_I915_GETPARAM, &about), ENOTTY);
        close(lowest);
        send_descriptor(socket, card);
        return -1;
    }
    }
}

static void numbers_of_files(struct device *device)
{
    static const char ways[] = "f23Frms";
    int ends[2], card = open_card();
    WORKS(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    for (const char *way = ways; *way; way++) {
        int fd = reuse(card, ends[0], 300, *way);
        if (fd < 0)
            fd = receive_descriptor(ends[1], *way);
        reads_chipset(fd, device);
        close(fd);
    }
    close(ends[0]);
    close(ends[1]);
    close(card);
}

/* ---- other names ----------------------------------------------------------------------------- */

static void links(struct device *device)
{
    char name[64], text[64] = "";
    snprintf(name, sizeof name, "/proc/self/fd/%d", device->fd);
    ssize_t size = readlink(name, text, sizeof text - 1);
    CHECK(size > 0 && !strcmp(text, "/dev/dri/card0"), "%s", text);
    memset(text, 0, sizeof text);
    int stream = open_stream(device, 0, every_ms(device));
    snprintf(name, sizeof name, "/proc/self/fd/%d", stream);
    size = readlink(name, text, sizeof text - 1);
    CHECK(size > 0 && !strcmp(text, "anon_inode:[i915_perf]"), "%s", text);
    close(stream);
}

/* /proc/self/fd/N opens the same device, but another file. */
static void reopened(struct device *device)
{
    char name[64];
    struct stat first, second;
    struct object object = new_object(device, 4096, false);
    const char *const forms[] = {"/proc/self/fd/%d", "/dev/fd/%d"};
    for (size_t i = 0; i < COUNT(forms) + 1; i++) {
        if (i == COUNT(forms))
            snprintf(name, sizeof name, "/proc/%d/fd/%d", (int)getpid(), device->fd);
        else
            snprintf(name, sizeof name, i ? "/dev/fd/%d" : "/proc/self/fd/%d", device->fd);
        int fd = open(name, O_RDWR | O_CLOEXEC);
        CHECK(fd >= 0, "%s: %s", name, strerror(errno));
        reads_chipset(fd, device);
        struct drm_gem_close args = {.handle = object.handle};
        FAILS(call(fd, DRM_IOCTL_GEM_CLOSE, &args), EINVAL);
        WORKS(fstat(device->fd, &first));
        WORKS(fstat(fd, &second));
        CHECK(first.st_ino == second.st_ino && first.st_rdev == second.st_rdev, "another device");
        close(fd);
    }
    free_object(device, &object);
}

/* fstat() and stat() agree (IGT-4, trap 1). */
static void device_numbers(struct device *device)
{
    static const struct {
        const char *path;
        unsigned minor;
    } nodes[] = {{"/dev/dri/card0", 0}, {"/dev/dri/renderD128", 128}};
    (void)device;
    for (size_t i = 0; i < COUNT(nodes); i++) {
        struct stat by_name, by_fd;
        int fd = open(nodes[i].path, O_RDWR | O_CLOEXEC);
        CHECK(fd >= 0, "%s: %s", nodes[i].path, strerror(errno));
        WORKS(stat(nodes[i].path, &by_name));
        WORKS(fstat(fd, &by_fd));
        CHECK(S_ISCHR(by_fd.st_mode) && S_ISCHR(by_name.st_mode), "mode 0%o",
              (unsigned)by_fd.st_mode);
        CHECK(by_fd.st_rdev == makedev(226, nodes[i].minor), "device %u:%u", major(by_fd.st_rdev),
              minor(by_fd.st_rdev));
        CHECK(by_fd.st_ino == by_name.st_ino && by_fd.st_dev == by_name.st_dev &&
                  by_fd.st_rdev == by_name.st_rdev,
              "two inodes");
        close(fd);
    }
}

/* Streams and buffers are files of the kernel without a type, of which only buffers have a size. */
static void anonymous(struct device *device)
{
    struct object object = new_object(device, 3 * 4096, false);
    struct drm_prime_handle args = {.handle = object.handle, .flags = DRM_CLOEXEC};
    WORKS(call(device->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args));
    const struct {
        int fd;
        off_t size;
    } rows[] = {{open_stream(device, 0, every_ms(device)), 0}, {args.fd, 3 * 4096}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct stat about;
        struct statx more;
        WORKS(fstat(rows[i].fd, &about));
        CHECK(about.st_mode == 0600 && about.st_size == rows[i].size, "mode 0%o, %lld bytes",
              (unsigned)about.st_mode, (long long)about.st_size);
        WORKS(statx(rows[i].fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &more));
        CHECK(more.stx_mode == 0600 && more.stx_size == (uint64_t)rows[i].size,
              "mode 0%o, %llu bytes", more.stx_mode, (unsigned long long)more.stx_size);
        close(rows[i].fd);
    }
    free_object(device, &object);
}

/* Calls that streams and devices do not support. */
static void other_calls(struct device *device)
{
    uint8_t bytes[16] = {0};
    int stream = open_stream(device, 0, every_ms(device));
    FAILS(write(stream, bytes, sizeof bytes), EBADF);
    FAILS(pread(stream, bytes, sizeof bytes, 0), ESPIPE);
    FAILS(lseek(stream, 0, SEEK_SET), ESPIPE);
    FAILS(call(stream, 0x6903, NULL), EINVAL);
    FAILS(call(device->fd, 0x6900, NULL), ENOTTY);
    FAILS(call(device->fd, 0x40046480, bytes), EINVAL);
    reads_report(stream);
    close(stream);
}

/* readv() reads a stream into several buffers; similar calls fail. */
static void vectors(struct device *device)
{
    static uint8_t bytes[3][4096];
    struct iovec parts[] = {{bytes[0], 1}, {bytes[1], 4096}, {bytes[2], 4096}};
    int stream = open_stream(device, 0, every_ms(device));
    struct pollfd entry = {.fd = stream, .events = POLLIN};
    CHECK(poll(&entry, 1, 1000) == 1, "%s", strerror(errno));
    FAILS(readv(stream, parts, 1), ENOSPC); /* as read() of one byte */
    ssize_t got = WORKS(readv(stream, parts + 1, 2));
    const struct drm_i915_perf_record_header *header = (const void *)bytes[1];
    CHECK(got >= 64 && header->type == DRM_I915_PERF_RECORD_SAMPLE, "%zd bytes, type %u", got,
          header->type);
    FAILS(preadv(stream, parts, 3, 0), ESPIPE);
    FAILS(writev(stream, parts, 3), EBADF);
    FAILS(writev(device->fd, parts, 3), EINVAL);
    close(stream);
}

/* Calls that the kernel implements for all files. */
static void general_calls(struct device *device)
{
    int yes = 1, no = 0;
    uint8_t bytes[64];
    WORKS(ioctl(device->fd, FIOCLEX));
    CHECK(fcntl(device->fd, F_GETFD) & FD_CLOEXEC, "FIOCLEX has no effect");
    WORKS(ioctl(device->fd, FIONCLEX));
    CHECK(!(fcntl(device->fd, F_GETFD) & FD_CLOEXEC), "FIONCLEX has no effect");
    WORKS(ioctl(device->fd, FIONBIO, &yes));
    FAILS(read(device->fd, bytes, sizeof bytes), EAGAIN);
    WORKS(ioctl(device->fd, FIONBIO, &no));
    FAILS(read(device->fd, bytes, sizeof bytes), EINVAL);
}

/* A child of vfork() shares its parent's memory, but not its descriptors. */
static void across_vfork(struct device *device)
{
    int value, status, null = (int)WORKS(open("/dev/null", O_RDONLY));
    volatile int fd = device->fd;
    pid_t child = vfork();
    if (child == 0) {
        char byte;
        dup2(null, fd);
        _exit(read(fd, &byte, 1) == 0 ? 0 : 1);
    }
    WORKS(waitpid(child, &status, 0));
    CHECK(status == 0, "status %d", status);
    WORKS(getparam(device->fd, 4, &value));
    close(null);
}

/* Processors cannot forbid reading what may be written, and the kernel accesses a program's memory
 * as they do. */
static void write_only_arguments(struct device *device)
{
    const size_t size = 4096;
    int *page = mmap(NULL, 2 * size, PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED, "%s", strerror(errno));
    struct drm_i915_getparam *param = (void *)(page + 16);
    *param = (struct drm_i915_getparam){.param = I915_PARAM_CHIPSET_ID, .value = page};
    WORKS(call(device->fd, DRM_IOCTL_I915_GETPARAM, param));
    WORKS(mprotect(page, size, PROT_READ));
    CHECK(*page == device->chipset, "0x%x", (unsigned)*page);
    FAILS(ioctl(device->fd, DRM_IOCTL_I915_GETPARAM, param), EFAULT); /* cannot be written */
    WORKS(mprotect(page, size, PROT_NONE));
    FAILS(ioctl(device->fd, DRM_IOCTL_I915_GETPARAM, param), EFAULT);
    WORKS(munmap(page, 2 * size));
}

static const struct subtest rows[] = {
    {"copies", ALL, 0, NULL,
     "dup(), dup2(), dup3(), fcntl(): a copy is the same file, which exists until the last copy is "
     "closed",
     copies, true, false},
    {"reused-numbers", ALL, 0, NULL,
     "the same descriptor number is used in turn by the device and by the program", reused_numbers,
     false, false},
    {"across-fork", ALL, 0, NULL,
     "device and stream also belong to the child, and outlive the parent's", across_fork, true,
     false},
    {"across-raw-fork", ALL, 0, NULL,
     "a child that a system call has made reads device and stream into its own memory",
     across_raw_fork, false, false},
    {"across-exec", ALL, 0, NULL,
     "a stream without CLOEXEC is inherited by the next program, one with it is not; the flags are "
     "those requested",
     across_exec, true, false},
    {"across-socket", ALL, 0, NULL,
     "a device descriptor that was sent to another process works there", across_socket, false,
     false},
    {"links", ALL, 0, NULL, "/proc/self/fd links to /dev/dri/card0 and anon_inode:[i915_perf]",
     links, true, false},
    {"reopened", ALL, 0, NULL,
     "opening /proc/self/fd/N, /proc/PID/fd/N and /dev/fd/N gives a new file of the same device",
     reopened, false, false},
    {"device-numbers", ALL, 0, NULL,
     "fstat() and stat() agree that the nodes are character devices 226:0 and 226:128",
     device_numbers, false, false},
    {"anonymous", ALL, 0, NULL,
     "fstat() of a stream and of a dma-buf: a file without a type; the dma-buf has its size",
     anonymous, true, false},
    {"other-calls", ALL, 0, NULL,
     "write() to a stream: EBADF; pread() and lseek(): ESPIPE; other kinds of calls: EINVAL, "
     "ENOTTY",
     other_calls, true, false},
    {"vectors", ALL, 0, NULL,
     "readv() reads streams; preadv(): ESPIPE; writev() behaves as write()", vectors, true, false},
    {"general-calls", ALL, 0, NULL, "FIOCLEX, FIONCLEX and FIONBIO act on the descriptor itself",
     general_calls, false, false},
    {"across-vfork", ALL, 0, NULL,
     "changes of a vfork() child to the device's descriptor number do not affect the parent",
     across_vfork, false, false},
    {"numbers-of-files", ALL, 0, NULL,
     "a number that was a regular file's becomes the device's by fcntl(), dup2(), recvmsg(), "
     "recvmmsg() and by syscall()",
     numbers_of_files, false, false},
    {"write-only-arguments", ALL, 0, NULL,
     "the struct of a call lies in memory that may only be written; EFAULT if it may only be read "
     "although the call writes it, or neither",
     write_only_arguments, false, false},
};
GROUP(descriptors_group, rows);
