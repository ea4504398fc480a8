/* SPDX-License-Identifier: MIT */
/* The stream that the rows of opening.c left open: its ioctls, read and poll; other system calls
 * on it and on the device. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "kinds.h"

/* ---- kinds ----------------------------------------------------------------------------------- */

static int descriptor(const struct call *call)
{
    return (int)slots[call->fd ? call->fd : STREAM];
}

/* An ioctl whose argument is a value: a, and in the upper half b; or the value of a slot: keep. */
static void value_ioctl(const struct call *call)
{
    unsigned long value = (unsigned long)call->a | (unsigned long)call->b << 32;
    if (call->keep)
        value |= slots[call->keep];
    errno = 0;
    print_result(call, ioctl(descriptor(call), call->request, value), PLAIN);
    print_end();
}
const struct kind value_kind = {.make = value_ioctl};

/* Prints which records a read returned, and whether they are whole. */
static void print_records(const uint8_t *bytes, size_t size)
{
    unsigned types = 0, length = 0;
    size_t at = 0;
    bool whole = true;
    while (at < size && whole) {
        struct drm_i915_perf_record_header header;
        whole = size - at >= sizeof header;
        if (!whole)
            break;
        memcpy(&header, bytes + at, sizeof header);
        whole = header.size >= sizeof header && header.size <= size - at && !header.pad;
        types |= header.type < 31 ? 1u << header.type : 1u << 31;
        if (header.type == DRM_I915_PERF_RECORD_SAMPLE)
            length = header.size;
        at += header.size;
    }
    print_field("types", types, HEX);
    print_field("sample-size", length, PLAIN);
    print_field("whole", whole && at == size, PLAIN);
}

/* read() of at most a bytes; the buffer ends b bytes before unmapped memory if b is not 0. */
static void make_read(const struct call *call)
{
    uint8_t *to = call->text ? (uint8_t *)(uintptr_t)BAD : data_memory();
    if (call->b)
        to = data_memory() + DATA_BYTES - call->b;
    errno = 0;
    ssize_t got = read(descriptor(call), to, (size_t)call->a);
    print_result(call, got, HIDDEN);
    if (got > 0)
        print_records(to, (size_t)got);
    print_end();
}
static const struct kind read_kind = {.make = make_read};

/* poll() with a timeout of a ms, for events b. */
static void make_poll(const struct call *call)
{
    struct pollfd item = {.fd = descriptor(call), .events = (short)call->b};
    errno = 0;
    int result;
    do
        result = poll(&item, 1, (int)call->a);
    while (result < 0 && errno == EINTR);
    print_result(call, result, PLAIN);
    print_field("events", (uint16_t)item.revents, HEX);
    print_end();
}
const struct kind poll_kind = {.make = make_poll};

enum other { WRITE, SEEK, PREAD, MAP, SET_BLOCKING, SET_NONBLOCK, FLAGS, SLEEP_20_MS, CLOSE, DUP };

/* Another system call: a. */
static void make_other(const struct call *call)
{
    int fd = descriptor(call), flags = fcntl(fd, F_GETFL);
    long result = 0;
    void *at;
    errno = 0;
    switch ((enum other)call->a) {
    case WRITE:
        result = write(fd, "12345678", 8);
        break;
    case SEEK:
        result = lseek(fd, 8, SEEK_SET);
        break;
    case PREAD:
        result = pread(fd, data_memory(), 64, 0);
        break;
    case MAP:
        at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
        result = at == MAP_FAILED ? -1 : 0;
        break;
    case SET_BLOCKING:
        result = fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
        break;
    case SET_NONBLOCK:
        result = fcntl(fd, F_SETFL, flags | O_NONBLOCK);
        break;
    case FLAGS:
        result = (flags & (O_ACCMODE | O_NONBLOCK)) | (fcntl(fd, F_GETFD) & FD_CLOEXEC) << 16;
        break;
    case SLEEP_20_MS:
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        break;
    case CLOSE:
        result = close(fd);
        break;
    case DUP:
        result = dup(fd);
        if (result >= 0)
            result = close((int)result);
        break;
    }
    print_result(call, result, call->a == FLAGS ? HEX : PLAIN);
    print_end();
}
static const struct kind other_kind = {.make = make_other};

#define REOPEN(name, flags_, count, ...)                                                           \
    CALL(name, open_, WITH(.flags = flags_, .num_properties = count, .properties_ptr = DATA(0)),   \
         PAYLOAD(struct pairs, .pairs = {__VA_ARGS__}), .keep = STREAM)
#define SAMPLE                                                                                     \
    {                                                                                              \
        1, 1                                                                                       \
    }
#define SET                                                                                        \
    {                                                                                              \
        3, SLOT(CONFIG)                                                                            \
    }
#define FORMAT                                                                                     \
    {                                                                                              \
        4, I915_OA_FORMAT_C4_B8                                                                    \
    }
#define EXPONENT                                                                                   \
    {                                                                                              \
        5, 16                                                                                      \
    }
#define ENABLE  &value_kind, .request = I915_PERF_IOCTL_ENABLE
#define DISABLE &value_kind, .request = I915_PERF_IOCTL_DISABLE
#define CONFIG_ &value_kind, .request = I915_PERF_IOCTL_CONFIG

static const struct call calls[] = {
    /* clang-format off */
    {"stream/flags", &other_kind, .a = FLAGS},
    {"stream/enable-enabled", ENABLE},
    {"stream/poll", &poll_kind, .a = 5000, .b = POLLIN},
    {"stream/poll-out", &poll_kind, .a = 0, .b = POLLOUT},
    {"stream/read-0", &read_kind, .a = 0},
    {"stream/poll-after-0", &poll_kind, .a = 0, .b = POLLIN},
    {"stream/read-7", &read_kind, .a = 7},
    {"stream/read-8", &read_kind, .a = 8},
    {"stream/read-71", &read_kind, .a = 71},
    {"stream/poll-after-71", &poll_kind, .a = 0, .b = POLLIN},
    {"stream/read-fault", &read_kind, .a = 4096, .text = ""},
    {"stream/read-fault-small", &read_kind, .a = 7, .text = ""},
    {"stream/poll-again", &poll_kind, .a = 5000, .b = POLLIN},
    {"stream/read-half-fault", &read_kind, .a = 4096, .b = 40},
    {"stream/poll-after-half-fault", &poll_kind, .a = 5000, .b = POLLIN},
    {"stream/read", &read_kind, .a = 16384},
    {"stream/poll-later", &poll_kind, .a = 5000, .b = POLLIN},
    {"stream/read-72", &read_kind, .a = 72},
    {"stream/dup", &other_kind, .a = DUP},
    {"stream/write", &other_kind, .a = WRITE},
    {"stream/seek", &other_kind, .a = SEEK},
    {"stream/pread", &other_kind, .a = PREAD},
    {"stream/map", &other_kind, .a = MAP},
    {"stream/ioctl-unknown", &value_kind, .request = _IO('i', 3)},
    {"stream/ioctl-type", &value_kind, .request = _IO('d', 0)},
    {"stream/ioctl-size", &value_kind, .request = _IOW('i', 0, int)},
    CALL("stream/getparam", getparam, WITH(I915_PARAM_CHIPSET_ID, (int *)DATA(0)), .fd = STREAM),

    CALL("stream/add-set", add, WITH(.uuid = "01234567-0123-0123-0123-0123456789ad", .n_mux_regs = 1, .mux_regs_ptr = DATA(0)),
         .data = &(uint32_t[]){0x9888, 0x11}, .bytes = 8, .keep = CONFIG_2),
    {"stream/config-same", CONFIG_, .keep = CONFIG},
    {"stream/config-second", CONFIG_, .keep = CONFIG_2},
    {"stream/config-second-again", CONFIG_, .keep = CONFIG_2},
    {"stream/config-back", CONFIG_, .keep = CONFIG},
    {"stream/config-0", CONFIG_, .a = 0},
    {"stream/config-1", CONFIG_, .a = 1},
    {"stream/config-unknown", CONFIG_, .a = 9999},
    {"stream/config-negative", CONFIG_, .a = -1},
    {"stream/config-upper-half", CONFIG_, .keep = CONFIG, .b = 1},
    CALL("stream/remove-second", remove_, SLOT(CONFIG_2)),
    {"stream/config-removed", CONFIG_, .keep = CONFIG_2},
    CALL("stream/remove-used", remove_, SLOT(CONFIG)),
    {"stream/config-used-and-removed", CONFIG_, .keep = CONFIG},
    {"stream/poll-removed", &poll_kind, .a = 5000, .b = POLLIN},
    {"stream/read-removed", &read_kind, .a = 16384},

    {"stream/poll-before-disable", &poll_kind, .a = 5000, .b = POLLIN},
    {"stream/disable", DISABLE},
    {"stream/disable-again", DISABLE, .a = 5},
    {"stream/read-disabled", &read_kind, .a = 4096},
    {"stream/read-disabled-0", &read_kind, .a = 0},
    {"stream/poll-disabled", &poll_kind, .a = 0, .b = POLLIN},
    {"stream/enable", ENABLE},
    {"stream/poll-enabled", &poll_kind, .a = 5000, .b = POLLIN},
    {"stream/set-blocking", &other_kind, .a = SET_BLOCKING},
    {"stream/read-blocking", &read_kind, .a = 16384},
    {"stream/read-blocking-7", &read_kind, .a = 7},
    {"stream/read-blocking-0", &read_kind, .a = 0},
    {"stream/disable-last", DISABLE},
    {"stream/read-blocking-disabled", &read_kind, .a = 4096},
    {"stream/close", &other_kind, .a = CLOSE},
    {"stream/read-closed", &read_kind, .a = 4096},
    {"stream/enable-closed", ENABLE},

    CALL("stream/add-set-again", add, WITH(.uuid = "01234567-0123-0123-0123-0123456789ab", .n_mux_regs = 1, .mux_regs_ptr = DATA(0)),
         .data = &(uint32_t[]){0x9888, 0}, .bytes = 8, .keep = CONFIG),
    REOPEN("untimed/open", I915_PERF_FLAG_FD_CLOEXEC, 3, SAMPLE, SET, FORMAT),
    {"untimed/flags", &other_kind, .a = FLAGS},
    {"untimed/read", &read_kind, .a = 4096},
    {"untimed/set-nonblock", &other_kind, .a = SET_NONBLOCK},
    {"untimed/read-nonblock", &read_kind, .a = 4096},
    {"untimed/poll", &poll_kind, .a = 0, .b = POLLIN},
    {"untimed/close", &other_kind, .a = CLOSE},
    REOPEN("disabled/open", I915_PERF_FLAG_DISABLED | I915_PERF_FLAG_FD_NONBLOCK, 4, SAMPLE, SET, FORMAT, EXPONENT),
    {"disabled/flags", &other_kind, .a = FLAGS},
    {"disabled/sleep", &other_kind, .a = SLEEP_20_MS},
    {"disabled/read", &read_kind, .a = 4096},
    {"disabled/poll", &poll_kind, .a = 0, .b = POLLIN},
    {"disabled/config", CONFIG_, .keep = CONFIG},
    {"disabled/enable", ENABLE},
    {"disabled/poll-enabled", &poll_kind, .a = 5000, .b = POLLIN},
    {"disabled/read-enabled", &read_kind, .a = 16384},
    {"disabled/close", &other_kind, .a = CLOSE},
    REOPEN("in-context/open", I915_PERF_FLAG_FD_NONBLOCK, 3, SET, FORMAT, {1, SLOT(CONTEXT)}),
    CALL("in-context/remove-set", remove_, SLOT(CONFIG)),

    {"card/set-nonblock", &other_kind, .a = SET_NONBLOCK, .fd = CARD},
    {"card/read", &read_kind, .a = 64, .fd = CARD},
    {"card/poll", &poll_kind, .a = 0, .b = POLLIN | POLLOUT, .fd = CARD},
    {"card/write", &other_kind, .a = WRITE, .fd = CARD},
    {"card/seek", &other_kind, .a = SEEK, .fd = CARD},
    {"card/pread", &other_kind, .a = PREAD, .fd = CARD},
    {"card/map-offset-0", &other_kind, .a = MAP, .fd = CARD},
    {"card/perf-enable", ENABLE, .fd = CARD},
    {"card/set-blocking", &other_kind, .a = SET_BLOCKING, .fd = CARD},
    /* clang-format on */
};

GROUP(stream_group, calls);
