/* SPDX-License-Identifier: MIT */
/* Files of the driver in sysfs and procfs: contents, modes, writing, and what the sysctls change.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kinds.h"

#define CARD_DIR "/sys/class/drm/card0/"
#define SYSCTL   "/proc/sys/dev/i915/"
#define EVENTS   "/sys/bus/event_source/devices/i915/"
#define PCI      "/sys/bus/pci/devices/0000:00:02.0/"

/* ---- kinds ----------------------------------------------------------------------------------- */

/* Reads a file: a says how its contents are printed. */
static void read_file(const struct call *call)
{
    char text[512] = "";
    struct stat about = {0};
    errno = 0;
    int fd = open(call->path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    int code = errno;
    if (fd >= 0) {
        fstat(fd, &about);
        close(fd);
    }
    errno = code;
    print_result(call, got < 0 ? -1 : 0, PLAIN);
    if (got >= 0) {
        print_field("mode", about.st_mode & 0777, HEX);
        text[got] = '\0';
        if (call->a == LINE)
            text[strcspn(text, "\n")] = '\0';
        if (call->a == TEXT || call->a == LINE)
            print_text("text", text);
        if (call->a == NUMBER)
            print_field("number",
                        got > 1 && isdigit((unsigned char)text[0]) && text[got - 1] == '\n', PLAIN);
    }
    print_end();
}
const struct kind file_kind = {.make = read_file};

/* Writes a text to a file. */
static void write_file(const struct call *call)
{
    errno = 0;
    int fd = open(call->path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    ssize_t done = fd < 0 ? -1 : write(fd, call->text, strlen(call->text));
    int code = errno;
    if (fd >= 0)
        close(fd);
    errno = code;
    print_result(call, done, PLAIN);
    print_end();
}
const struct kind write_kind = {.make = write_file};

#define OPEN_USER(name, exponent)                                                                  \
    CALL(name, open_, WITH(.num_properties = 4, .properties_ptr = DATA(0)),                        \
         PAYLOAD(struct pairs,                                                                     \
                 .pairs = {{2, 1}, {3, SLOT(CONFIG)}, {4, I915_OA_FORMAT_C4_B8}, {5, exponent}}),  \
         .as_user = true)
#define ADD(title, uuid_, ...)                                                                     \
    CALL(title, add, WITH(.uuid = uuid_, .n_mux_regs = 1, .mux_regs_ptr = DATA(0)),                \
         .data = &(uint32_t[]){0x9888, 0}, .bytes = 8, ##__VA_ARGS__)

#define READ(name, path_)                                                                          \
    {                                                                                              \
        "file/" name, &file_kind, .path = path_                                                    \
    }
#define READ_NUMBER(name, path_)                                                                   \
    {                                                                                              \
        "file/" name, &file_kind, .path = path_, .a = NUMBER                                       \
    }
#define WRITE(name, path_, ...)                                                                    \
    {                                                                                              \
        "file/write/" name, &write_kind, .path = path_, .text = __VA_ARGS__                        \
    }
#define PARANOID SYSCTL "perf_stream_paranoid"
#define RATE     SYSCTL "oa_max_sample_rate"

static const struct call calls[] = {
    /* clang-format off */
    READ("dev", CARD_DIR "dev"), READ("uevent", CARD_DIR "uevent"),
    READ("render-dev", "/sys/class/drm/renderD128/dev"), READ("drm-version", "/sys/class/drm/version"),
    READ("gt_min", CARD_DIR "gt_min_freq_mhz"), READ("gt_max", CARD_DIR "gt_max_freq_mhz"),
    READ("gt_boost", CARD_DIR "gt_boost_freq_mhz"), READ_NUMBER("gt_cur", CARD_DIR "gt_cur_freq_mhz"),
    READ_NUMBER("gt_act", CARD_DIR "gt_act_freq_mhz"), READ("gt_RP0", CARD_DIR "gt_RP0_freq_mhz"),
    READ("gt_RP1", CARD_DIR "gt_RP1_freq_mhz"), READ("gt_RPn", CARD_DIR "gt_RPn_freq_mhz"),
    READ("rps_min", CARD_DIR "gt/gt0/rps_min_freq_mhz"), READ("rps_max", CARD_DIR "gt/gt0/rps_max_freq_mhz"),
    READ("rps_boost", CARD_DIR "gt/gt0/rps_boost_freq_mhz"), READ_NUMBER("rps_cur", CARD_DIR "gt/gt0/rps_cur_freq_mhz"),
    READ_NUMBER("rps_act", CARD_DIR "gt/gt0/rps_act_freq_mhz"), READ("rps_RP0", CARD_DIR "gt/gt0/rps_RP0_freq_mhz"),
    READ("rps_RP1", CARD_DIR "gt/gt0/rps_RP1_freq_mhz"), READ("rps_RPn", CARD_DIR "gt/gt0/rps_RPn_freq_mhz"),
    READ("gt_id", CARD_DIR "gt/gt0/id"), READ_NUMBER("punit_req", CARD_DIR "gt/gt0/punit_req_freq_mhz"),
    READ("throttle", CARD_DIR "gt/gt0/throttle_reason_status"),
    READ("rc6_enable", CARD_DIR "power/rc6_enable"), READ_NUMBER("rc6_residency", CARD_DIR "power/rc6_residency_ms"),
    READ("rc6p_residency", CARD_DIR "power/rc6p_residency_ms"), READ("media_rc6", CARD_DIR "power/media_rc6_residency_ms"),
    READ("gt_rc6_enable", CARD_DIR "gt/gt0/rc6_enable"), READ_NUMBER("gt_rc6_residency", CARD_DIR "gt/gt0/rc6_residency_ms"),
    READ("no-such-metric", CARD_DIR "metrics/01234567-0123-0123-0123-0123456789ab/id"),
    READ("vendor", CARD_DIR "device/vendor"), READ("device", CARD_DIR "device/device"),
    READ("revision", CARD_DIR "device/revision"), READ("class", CARD_DIR "device/class"),
    READ("pci-vendor", PCI "vendor"), READ("pci-device", PCI "device"),
    READ_NUMBER("subsystem_vendor", PCI "subsystem_vendor"),
    READ("engine-rcs0-name", CARD_DIR "engine/rcs0/name"), READ("engine-rcs0-class", CARD_DIR "engine/rcs0/class"),
    READ("engine-rcs0-instance", CARD_DIR "engine/rcs0/instance"), READ("engine-rcs0-mmio", CARD_DIR "engine/rcs0/mmio_base"),
    READ("engine-rcs0-capabilities", CARD_DIR "engine/rcs0/capabilities"),
    READ("engine-bcs0-name", CARD_DIR "engine/bcs0/name"), READ("engine-bcs0-class", CARD_DIR "engine/bcs0/class"),
    READ("engine-bcs0-mmio", CARD_DIR "engine/bcs0/mmio_base"),
    READ("engine-vcs0-class", CARD_DIR "engine/vcs0/class"), READ("engine-vcs0-capabilities", CARD_DIR "engine/vcs0/capabilities"),
    READ("engine-vcs0-known", CARD_DIR "engine/vcs0/known_capabilities"), READ("engine-vcs1-name", CARD_DIR "engine/vcs1/name"),
    READ("engine-vecs0-class", CARD_DIR "engine/vecs0/class"), READ("engine-rcs1", CARD_DIR "engine/rcs1/name"),
    READ("engine-heartbeat", CARD_DIR "engine/rcs0/heartbeat_interval_ms"),
    READ("engine-preempt", CARD_DIR "engine/rcs0/preempt_timeout_ms"),
    READ("engine-timeslice", CARD_DIR "engine/rcs0/timeslice_duration_ms"),
    READ_NUMBER("events-type", EVENTS "type"), READ("events-cpumask", EVENTS "cpumask"),
    READ("events-format", EVENTS "format/i915_eventid"),
    READ("events-actual", EVENTS "events/actual-frequency"), READ("events-requested", EVENTS "events/requested-frequency"),
    READ("events-interrupts", EVENTS "events/interrupts"), READ("events-rc6", EVENTS "events/rc6-residency"),
    READ("events-rc6-unit", EVENTS "events/rc6-residency.unit"), READ("events-awake", EVENTS "events/software-gt-awake-time"),
    READ("events-rcs0-busy", EVENTS "events/rcs0-busy"), READ("events-rcs0-sema", EVENTS "events/rcs0-sema"),
    READ("events-rcs0-unit", EVENTS "events/rcs0-busy.unit"), READ("events-bcs0-wait", EVENTS "events/bcs0-wait"),
    READ("events-vcs0-busy", EVENTS "events/vcs0-busy"), READ("events-vcs1-busy", EVENTS "events/vcs1-busy"),
    READ("events-vecs0-busy", EVENTS "events/vecs0-busy"),

    WRITE("gt_min-0", CARD_DIR "gt_min_freq_mhz", "0\n"), WRITE("gt_min-text", CARD_DIR "gt_min_freq_mhz", "abc"),
    WRITE("gt_min-huge", CARD_DIR "gt_min_freq_mhz", "99999\n"), WRITE("gt_max-0", CARD_DIR "gt_max_freq_mhz", "0\n"),
    WRITE("gt_boost-1", CARD_DIR "gt_boost_freq_mhz", "1\n"), WRITE("gt_cur", CARD_DIR "gt_cur_freq_mhz", "300\n"),
    WRITE("gt_RP0", CARD_DIR "gt_RP0_freq_mhz", "300\n"),
    READ("gt_min-after", CARD_DIR "gt_min_freq_mhz"), READ("gt_max-after", CARD_DIR "gt_max_freq_mhz"),
    {"file/gt_min-as-user", &write_kind, .path = CARD_DIR "gt_min_freq_mhz", .text = "0", .as_user = true},

    ADD("file/add-set", "01234567-0123-0123-0123-0123456789ae", .keep = CONFIG),
    READ("metric", CARD_DIR "metrics/01234567-0123-0123-0123-0123456789ae/id"),
    WRITE("metric-write", CARD_DIR "metrics/01234567-0123-0123-0123-0123456789ae/id", "5\n"),

    READ("paranoid", PARANOID), READ("rate", RATE),
    {"file/paranoid-as-user", &write_kind, .path = PARANOID, .text = "0", .as_user = true},
    {"file/rate-as-user", &write_kind, .path = RATE, .text = "0", .as_user = true},
    WRITE("paranoid-2", PARANOID, "2\n"), WRITE("paranoid-negative", PARANOID, "-1"),
    WRITE("paranoid-text", PARANOID, "abc"), WRITE("paranoid-0-text", PARANOID, "0abc"),
    WRITE("rate-negative", RATE, "-1"), WRITE("rate-huge", RATE, "100000000\n"), WRITE("rate-text", RATE, "x"),
    READ("paranoid-kept", PARANOID), READ("rate-kept", RATE),
    OPEN_USER("paranoid-1/open", 16),
    ADD("paranoid-1/add", "01234567-0123-0123-0123-0123456789af", .as_user = true),
    WRITE("paranoid-0", PARANOID, "0\n"), READ("paranoid-is-0", PARANOID),
    OPEN_USER("paranoid-0/open", 16),
    OPEN_USER("paranoid-0/open-fast", 0),
    OPEN_USER("paranoid-0/open-6", 6), OPEN_USER("paranoid-0/open-7", 7),
    ADD("paranoid-0/add", "01234567-0123-0123-0123-0123456789af", .as_user = true),
    READ("metric-of-user", CARD_DIR "metrics/01234567-0123-0123-0123-0123456789af/id"),
    CALL("paranoid-0/remove", remove_, SLOT(CONFIG), .as_user = true),
    ADD("file/add-set-again", "01234567-0123-0123-0123-0123456789ae", .keep = CONFIG),
    WRITE("rate-0", RATE, "0\n"), READ("rate-is-0", RATE),
    OPEN_USER("rate-0/open-16", 16), OPEN_USER("rate-0/open-31", 31), OPEN_USER("rate-0/open-22", 22), OPEN_USER("rate-0/open-23", 23),
    WRITE("rate-6000000", RATE, "6000000\n"), READ("rate-is-6000000", RATE),
    OPEN_USER("rate-high/open-0", 0), OPEN_USER("rate-high/open-1", 1),
    WRITE("rate-6000001", RATE, "6000001\n"), WRITE("rate-6250000", RATE, "6250000\n"), WRITE("rate-6250001", RATE, "6250001\n"),
    WRITE("rate-9600000", RATE, "9600000\n"), WRITE("rate-9600001", RATE, "9600001\n"),
    OPEN_USER("rate-high/open-2", 2),
    WRITE("rate-back", RATE, "100000\n"), WRITE("paranoid-back", PARANOID, "1\n"),
    READ("rate-is-back", RATE), READ("paranoid-is-back", PARANOID),
    CALL("file/remove-set", remove_, SLOT(CONFIG)),
    READ("metric-removed", CARD_DIR "metrics/01234567-0123-0123-0123-0123456789ae/id"),
    /* clang-format on */
};

GROUP(files_group, calls);
