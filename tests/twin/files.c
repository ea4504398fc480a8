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

#define PARANOID SYSCTL "perf_stream_paranoid"
#define RATE     SYSCTL "oa_max_sample_rate"

static const struct call calls[] = {
    /* clang-format off */
    READ_FILE("dev", CARD_DIR "dev"), READ_FILE("uevent", CARD_DIR "uevent"),
    READ_FILE("render-dev", "/sys/class/drm/renderD128/dev"), READ_FILE("drm-version", "/sys/class/drm/version"),
    READ_FILE("gt_min", CARD_DIR "gt_min_freq_mhz"), READ_FILE("gt_max", CARD_DIR "gt_max_freq_mhz"),
    READ_FILE("gt_boost", CARD_DIR "gt_boost_freq_mhz"), READ_FILE("gt_cur", CARD_DIR "gt_cur_freq_mhz", .a = NUMBER),
    READ_FILE("gt_act", CARD_DIR "gt_act_freq_mhz", .a = NUMBER), READ_FILE("gt_RP0", CARD_DIR "gt_RP0_freq_mhz"),
    READ_FILE("gt_RP1", CARD_DIR "gt_RP1_freq_mhz"), READ_FILE("gt_RPn", CARD_DIR "gt_RPn_freq_mhz"),
    READ_FILE("rps_min", CARD_DIR "gt/gt0/rps_min_freq_mhz"), READ_FILE("rps_max", CARD_DIR "gt/gt0/rps_max_freq_mhz"),
    READ_FILE("rps_boost", CARD_DIR "gt/gt0/rps_boost_freq_mhz"), READ_FILE("rps_cur", CARD_DIR "gt/gt0/rps_cur_freq_mhz", .a = NUMBER),
    READ_FILE("rps_act", CARD_DIR "gt/gt0/rps_act_freq_mhz", .a = NUMBER), READ_FILE("rps_RP0", CARD_DIR "gt/gt0/rps_RP0_freq_mhz"),
    READ_FILE("rps_RP1", CARD_DIR "gt/gt0/rps_RP1_freq_mhz"), READ_FILE("rps_RPn", CARD_DIR "gt/gt0/rps_RPn_freq_mhz"),
    READ_FILE("gt_id", CARD_DIR "gt/gt0/id"), READ_FILE("punit_req", CARD_DIR "gt/gt0/punit_req_freq_mhz", .a = NUMBER),
    READ_FILE("throttle", CARD_DIR "gt/gt0/throttle_reason_status"),
    READ_FILE("rc6_enable", CARD_DIR "power/rc6_enable"), READ_FILE("rc6_residency", CARD_DIR "power/rc6_residency_ms", .a = NUMBER),
    READ_FILE("rc6p_residency", CARD_DIR "power/rc6p_residency_ms"), READ_FILE("media_rc6", CARD_DIR "power/media_rc6_residency_ms"),
    READ_FILE("gt_rc6_enable", CARD_DIR "gt/gt0/rc6_enable"), READ_FILE("gt_rc6_residency", CARD_DIR "gt/gt0/rc6_residency_ms", .a = NUMBER),
    READ_FILE("no-such-metric", CARD_DIR "metrics/01234567-0123-0123-0123-0123456789ab/id"),
    READ_FILE("vendor", CARD_DIR "device/vendor"), READ_FILE("device", CARD_DIR "device/device"),
    READ_FILE("revision", CARD_DIR "device/revision"), READ_FILE("class", CARD_DIR "device/class"),
    READ_FILE("pci-vendor", PCI "vendor"), READ_FILE("pci-device", PCI "device"),
    READ_FILE("subsystem_vendor", PCI "subsystem_vendor", .a = NUMBER),
    READ_FILE("engine-rcs0-name", CARD_DIR "engine/rcs0/name"), READ_FILE("engine-rcs0-class", CARD_DIR "engine/rcs0/class"),
    READ_FILE("engine-rcs0-instance", CARD_DIR "engine/rcs0/instance"), READ_FILE("engine-rcs0-mmio", CARD_DIR "engine/rcs0/mmio_base"),
    READ_FILE("engine-rcs0-capabilities", CARD_DIR "engine/rcs0/capabilities"),
    READ_FILE("engine-bcs0-name", CARD_DIR "engine/bcs0/name"), READ_FILE("engine-bcs0-class", CARD_DIR "engine/bcs0/class"),
    READ_FILE("engine-bcs0-mmio", CARD_DIR "engine/bcs0/mmio_base"),
    READ_FILE("engine-vcs0-class", CARD_DIR "engine/vcs0/class"), READ_FILE("engine-vcs0-capabilities", CARD_DIR "engine/vcs0/capabilities"),
    READ_FILE("engine-vcs0-known", CARD_DIR "engine/vcs0/known_capabilities"), READ_FILE("engine-vcs1-name", CARD_DIR "engine/vcs1/name"),
    READ_FILE("engine-vecs0-class", CARD_DIR "engine/vecs0/class"), READ_FILE("engine-rcs1", CARD_DIR "engine/rcs1/name"),
    READ_FILE("engine-heartbeat", CARD_DIR "engine/rcs0/heartbeat_interval_ms"),
    READ_FILE("engine-preempt", CARD_DIR "engine/rcs0/preempt_timeout_ms"),
    READ_FILE("engine-timeslice", CARD_DIR "engine/rcs0/timeslice_duration_ms"),
    READ_FILE("events-type", EVENTS "type", .a = NUMBER), READ_FILE("events-cpumask", EVENTS "cpumask"),
    READ_FILE("events-format", EVENTS "format/i915_eventid"),
    READ_FILE("events-actual", EVENTS "events/actual-frequency"), READ_FILE("events-requested", EVENTS "events/requested-frequency"),
    READ_FILE("events-interrupts", EVENTS "events/interrupts"), READ_FILE("events-rc6", EVENTS "events/rc6-residency"),
    READ_FILE("events-rc6-unit", EVENTS "events/rc6-residency.unit"), READ_FILE("events-awake", EVENTS "events/software-gt-awake-time"),
    READ_FILE("events-rcs0-busy", EVENTS "events/rcs0-busy"), READ_FILE("events-rcs0-sema", EVENTS "events/rcs0-sema"),
    READ_FILE("events-rcs0-unit", EVENTS "events/rcs0-busy.unit"), READ_FILE("events-bcs0-wait", EVENTS "events/bcs0-wait"),
    READ_FILE("events-vcs0-busy", EVENTS "events/vcs0-busy"), READ_FILE("events-vcs1-busy", EVENTS "events/vcs1-busy"),
    READ_FILE("events-vecs0-busy", EVENTS "events/vecs0-busy"),

    WRITE_FILE("gt_min-0", CARD_DIR "gt_min_freq_mhz", "0\n"), WRITE_FILE("gt_min-text", CARD_DIR "gt_min_freq_mhz", "abc"),
    WRITE_FILE("gt_min-huge", CARD_DIR "gt_min_freq_mhz", "99999\n"), WRITE_FILE("gt_max-0", CARD_DIR "gt_max_freq_mhz", "0\n"),
    WRITE_FILE("gt_boost-1", CARD_DIR "gt_boost_freq_mhz", "1\n"), WRITE_FILE("gt_cur", CARD_DIR "gt_cur_freq_mhz", "300\n"),
    WRITE_FILE("gt_RP0", CARD_DIR "gt_RP0_freq_mhz", "300\n"),
    READ_FILE("gt_min-after", CARD_DIR "gt_min_freq_mhz"), READ_FILE("gt_max-after", CARD_DIR "gt_max_freq_mhz"),
    WRITE_FILE("gt_min-410", CARD_DIR "gt_min_freq_mhz", "410\n"), READ_FILE("gt_min-is-410", CARD_DIR "gt_min_freq_mhz"),
    READ_FILE("rps_min-is-410", CARD_DIR "gt/gt0/rps_min_freq_mhz"), READ_FILE("default-min", CARD_DIR "gt/gt0/.defaults/rps_min_freq_mhz"),
    WRITE_FILE("gt_max-380", CARD_DIR "gt_max_freq_mhz", "380\n"), WRITE_FILE("rps_max-hex", CARD_DIR "gt/gt0/rps_max_freq_mhz", "0x271"),
    READ_FILE("gt_max-is-625", CARD_DIR "gt_max_freq_mhz"), READ_FILE("rps_max-is-625", CARD_DIR "gt/gt0/rps_max_freq_mhz"),
    READ_FILE("default-max", CARD_DIR "gt/gt0/.defaults/rps_max_freq_mhz"), READ_FILE("rps_boost-is-max", CARD_DIR "gt/gt0/rps_boost_freq_mhz"),
    WRITE_FILE("gt_min-700", CARD_DIR "gt_min_freq_mhz", "700\n"), WRITE_FILE("gt_boost-700", CARD_DIR "gt_boost_freq_mhz", "700"),
    READ_FILE("rps_boost-is-700", CARD_DIR "gt/gt0/rps_boost_freq_mhz"), WRITE_FILE("gt_max-empty", CARD_DIR "gt_max_freq_mhz", ""),
    WRITE_FILE("gt_max-unit", CARD_DIR "gt_max_freq_mhz", "700 MHz"), WRITE_FILE("gt_max-negative", CARD_DIR "gt_max_freq_mhz", "-700"),
    WRITE_FILE("gt_max-32-bits", CARD_DIR "gt_max_freq_mhz", "4294967296"), WRITE_FILE("gt_max-all-bits", CARD_DIR "gt_max_freq_mhz", "4294967295"),
    WRITE_FILE("gt_boost-empty", CARD_DIR "gt_boost_freq_mhz", ""), WRITE_FILE("gt_max-949", CARD_DIR "gt_max_freq_mhz", "949"),
    WRITE_FILE("gt_min-351", CARD_DIR "gt_min_freq_mhz", "351"), READ_FILE("gt_min-is-351", CARD_DIR "gt_min_freq_mhz"),
    READ_FILE("gt_max-is-949", CARD_DIR "gt_max_freq_mhz"),
    {"file/gt_min-as-user", &write_kind, .path = CARD_DIR "gt_min_freq_mhz", .text = "0", .as_user = true},

    ADD("file/add-set", "01234567-0123-0123-0123-0123456789ae", .keep = CONFIG),
    READ_FILE("metric", CARD_DIR "metrics/01234567-0123-0123-0123-0123456789ae/id"),
    WRITE_FILE("metric-write", CARD_DIR "metrics/01234567-0123-0123-0123-0123456789ae/id", "5\n"),

    READ_FILE("paranoid", PARANOID), READ_FILE("rate", RATE),
    {"file/paranoid-as-user", &write_kind, .path = PARANOID, .text = "0", .as_user = true},
    {"file/rate-as-user", &write_kind, .path = RATE, .text = "0", .as_user = true},
    WRITE_FILE("paranoid-2", PARANOID, "2\n"), WRITE_FILE("paranoid-negative", PARANOID, "-1"),
    WRITE_FILE("paranoid-text", PARANOID, "abc"), WRITE_FILE("paranoid-0-text", PARANOID, "0abc"),
    WRITE_FILE("rate-negative", RATE, "-1"), WRITE_FILE("rate-huge", RATE, "100000000\n"), WRITE_FILE("rate-text", RATE, "x"),
    READ_FILE("paranoid-kept", PARANOID), READ_FILE("rate-kept", RATE),
    OPEN_USER("paranoid-1/open", 16),
    ADD("paranoid-1/add", "01234567-0123-0123-0123-0123456789af", .as_user = true),
    WRITE_FILE("paranoid-0", PARANOID, "0\n"), READ_FILE("paranoid-is-0", PARANOID),
    OPEN_USER("paranoid-0/open", 16),
    OPEN_USER("paranoid-0/open-fast", 0),
    OPEN_USER("paranoid-0/open-6", 6), OPEN_USER("paranoid-0/open-7", 7),
    ADD("paranoid-0/add", "01234567-0123-0123-0123-0123456789af", .as_user = true),
    READ_FILE("metric-of-user", CARD_DIR "metrics/01234567-0123-0123-0123-0123456789af/id"),
    CALL("paranoid-0/remove", remove_, SLOT(CONFIG), .as_user = true),
    ADD("file/add-set-again", "01234567-0123-0123-0123-0123456789ae", .keep = CONFIG),
    WRITE_FILE("rate-0", RATE, "0\n"), READ_FILE("rate-is-0", RATE),
    OPEN_USER("rate-0/open-16", 16), OPEN_USER("rate-0/open-31", 31), OPEN_USER("rate-0/open-22", 22), OPEN_USER("rate-0/open-23", 23),
    WRITE_FILE("rate-6000000", RATE, "6000000\n"), READ_FILE("rate-is-6000000", RATE),
    OPEN_USER("rate-high/open-0", 0), OPEN_USER("rate-high/open-1", 1),
    WRITE_FILE("rate-6000001", RATE, "6000001\n"), WRITE_FILE("rate-6250000", RATE, "6250000\n"), WRITE_FILE("rate-6250001", RATE, "6250001\n"),
    WRITE_FILE("rate-9600000", RATE, "9600000\n"), WRITE_FILE("rate-9600001", RATE, "9600001\n"),
    OPEN_USER("rate-high/open-2", 2),
    WRITE_FILE("rate-back", RATE, "100000\n"), WRITE_FILE("paranoid-back", PARANOID, "1\n"),
    READ_FILE("rate-is-back", RATE), READ_FILE("paranoid-is-back", PARANOID),
    CALL("file/remove-set", remove_, SLOT(CONFIG)),
    READ_FILE("metric-removed", CARD_DIR "metrics/01234567-0123-0123-0123-0123456789ae/id"),
    /* clang-format on */
};

GROUP(files_group, calls);
