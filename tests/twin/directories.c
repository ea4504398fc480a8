/* SPDX-License-Identifier: MIT */
/* Directories of the driver in sysfs: what they contain, and files of theirs that files.c does not
 * read. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kinds.h"

#define CARD_DIR   "/sys/class/drm/card0/"
#define RENDER_DIR "/sys/class/drm/renderD128/"
#define EVENTS     "/sys/bus/event_source/devices/i915/"

static int is_entry(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* Prints the names in a directory, sorted by bytes. */
static void list(const struct call *call)
{
    struct dirent **entries = NULL;
    char text[2048] = "";
    errno = 0;
    int count = scandir(call->path, &entries, is_entry, alphasort);
    print_result(call, count, PLAIN);
    for (int i = 0; i < count; i++) {
        strncat(text, entries[i]->d_name, sizeof text - strlen(text) - 2);
        strcat(text, i + 1 < count ? " " : "");
        free(entries[i]);
    }
    free(entries);
    if (count >= 0)
        print_text("names", text);
    print_end();
}
static const struct kind list_kind = {.make = list};

#define LIST(name, path_)                                                                          \
    {                                                                                              \
        "directory/" name, &list_kind, .path = path_                                               \
    }

/* The directory of an engine, and its values with their initial ones. */
#define ENGINE(name)                                                                               \
    LIST("engine/" name, CARD_DIR "engine/" name),                                                 \
        LIST("engine/" name "/defaults", CARD_DIR "engine/" name "/.defaults"),                    \
        READ_FILE("engine/" name "/instance", CARD_DIR "engine/" name "/instance"),                \
        READ_FILE("engine/" name "/mmio_base", CARD_DIR "engine/" name "/mmio_base"),              \
        READ_FILE("engine/" name "/capabilities", CARD_DIR "engine/" name "/capabilities"),        \
        READ_FILE("engine/" name "/known", CARD_DIR "engine/" name "/known_capabilities"),         \
        VALUE(name, "heartbeat_interval_ms"), VALUE(name, "max_busywait_duration_ns"),             \
        VALUE(name, "preempt_timeout_ms"), VALUE(name, "stop_timeout_ms"),                         \
        VALUE(name, "timeslice_duration_ms")
#define VALUE(name, file)                                                                          \
    READ_FILE("engine/" name "/" file, CARD_DIR "engine/" name "/" file),                          \
        READ_FILE("engine/" name "/default-" file, CARD_DIR "engine/" name "/.defaults/" file)

/* Values that a parameter of an engine takes, and refuses; written back at the end. */
#define WRITTEN(file, back)                                                                        \
    WRITE_FILE(file "/text", CARD_DIR "engine/bcs0/" file, "abc"),                                 \
        WRITE_FILE(file "/empty", CARD_DIR "engine/bcs0/" file, ""),                               \
        WRITE_FILE(file "/negative", CARD_DIR "engine/bcs0/" file, "-1"),                          \
        WRITE_FILE(file "/huge", CARD_DIR "engine/bcs0/" file, "99999999999999999999"),            \
        WRITE_FILE(file "/unit", CARD_DIR "engine/bcs0/" file, "10 ms"),                           \
        WRITE_FILE(file "/hex", CARD_DIR "engine/bcs0/" file, "0x20\n"),                           \
        READ_FILE(file "/is-hex", CARD_DIR "engine/bcs0/" file),                                   \
        WRITE_FILE(file "/back", CARD_DIR "engine/bcs0/" file, back),                              \
        READ_FILE(file "/is-back", CARD_DIR "engine/bcs0/" file)

static const struct call calls[] = {
    /* clang-format off */
    LIST("card", "/sys/class/drm/card0"), LIST("render", "/sys/class/drm/renderD128"),
    LIST("gt", CARD_DIR "gt"), LIST("gt0", CARD_DIR "gt/gt0"), LIST("engine", CARD_DIR "engine"),
    LIST("power", CARD_DIR "power"), LIST("metrics", CARD_DIR "metrics"), LIST("device-drm", CARD_DIR "device/drm"),
    LIST("events-device", EVENTS), LIST("events", EVENTS "events"), LIST("format", EVENTS "format"),
    LIST("gt1", CARD_DIR "gt/gt1"), LIST("dri", "/dev/dri"),

    READ_FILE("error", CARD_DIR "error", .a = LINE),
    READ_FILE("render-uevent", RENDER_DIR "uevent"),
    READ_FILE("gt-uevent", CARD_DIR "gt/gt0/uevent"),
    READ_FILE("power-control", CARD_DIR "power/control"), READ_FILE("runtime-status", CARD_DIR "power/runtime_status"),
    READ_FILE("device-runtime-status", CARD_DIR "device/power/runtime_status"),
    READ_FILE("device-enable", CARD_DIR "device/enable"), READ_FILE("device-boot-vga", CARD_DIR "device/boot_vga"),
    READ_FILE("events-uevent", EVENTS "uevent"), READ_FILE("events-mux", EVENTS "perf_event_mux_interval_ms"),
    READ_FILE("events-vecs0-sema", EVENTS "events/vecs0-sema"), READ_FILE("events-vecs0-wait-unit", EVENTS "events/vecs0-wait.unit"),
    READ_FILE("events-requested-unit", EVENTS "events/requested-frequency.unit"),
    READ_FILE("events-interrupts-unit", EVENTS "events/interrupts.unit"), READ_FILE("events-awake-unit", EVENTS "events/software-gt-awake-time.unit"),
    READ_FILE("module-state", "/sys/module/i915/initstate"),
    ENGINE("rcs0"), ENGINE("bcs0"), ENGINE("vcs0"), ENGINE("vcs1"), ENGINE("vecs0"),

    WRITTEN("heartbeat_interval_ms", "2500\n"), WRITTEN("max_busywait_duration_ns", "8000\n"), WRITTEN("stop_timeout_ms", "100\n"),
    WRITTEN("timeslice_duration_ms", "1\n"), WRITTEN("preempt_timeout_ms", "640\n"),
    WRITE_FILE("engine-name", CARD_DIR "engine/bcs0/name", "x"), WRITE_FILE("engine-default", CARD_DIR "engine/bcs0/.defaults/stop_timeout_ms", "1"),
    {"file/heartbeat-as-user", &write_kind, .path = CARD_DIR "engine/bcs0/heartbeat_interval_ms", .text = "1", .as_user = true},
    {"file/error-as-user", &file_kind, .path = CARD_DIR "error", .as_user = true},
    WRITE_FILE("error", CARD_DIR "error", "1"), READ_FILE("error-after", CARD_DIR "error", .a = LINE),
    /* clang-format on */
};

GROUP(directories_group, calls);
