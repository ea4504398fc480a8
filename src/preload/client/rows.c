/* SPDX-License-Identifier: MIT */
/* The table of virtual files. */
#include <string.h>

#include "preload/client/client.h"

#define DEBUG "/sys/kernel/debug"
#define TRACE "/sys/kernel/tracing"

const struct tree_row tree_rows[] = {
    {"/dev/dri/card0", PATH_DEVICE, 0},
    {"/dev/dri/renderD128", PATH_DEVICE, 128},
    {"/dev/dri/by-path/pci-0000:00:02.0-card", PATH_LINK, 0},
    {"/dev/dri/by-path/pci-0000:00:02.0-render", PATH_LINK, 128},
    {"/dev/char/226:0", PATH_LINK, 0},
    {"/dev/char/226:128", PATH_LINK, 128},
    {"/dev/dri", PATH_VIRTUAL, 0},
    {"/dev/cpu_dma_latency", PATH_VIRTUAL, 0},
    {"/proc/modules", PATH_CONTENT, EMULATE_MODULES},
    {"/proc/sys/dev/i915", PATH_VIRTUAL, 0},
    {"/proc/sys/kernel/ftrace_enabled", PATH_VIRTUAL, 0}, /* trace-cmd writes it */
    {"/sys/bus/event_source/devices/i915", PATH_VIRTUAL, TREE_A_LINK},
    {"/sys/bus/pci/devices/0000:00:02.0", PATH_VIRTUAL, TREE_A_LINK},
    {"/sys/bus/pci/drivers/i915", PATH_VIRTUAL, 0},
    {"/sys/bus/pci/drivers/nouveau", PATH_VIRTUAL, 0},
    {"/sys/class/drm", PATH_VIRTUAL, 0},
    {"/sys/class/vtconsole", PATH_VIRTUAL, 0}, /* written by IGT GPU Tools */
    {"/sys/dev/char/226:", PATH_VIRTUAL, TREE_A_LINK},
    {"/sys/devices/i915", PATH_VIRTUAL, 0},
    {"/sys/devices/pci0000:00/0000:00:02.0", PATH_VIRTUAL, 0},
    {DEBUG, PATH_VIRTUAL, 0},
    {TRACE, PATH_VIRTUAL, 0},
    {"/sys/module/i915", PATH_VIRTUAL, 0},
    {"/sys/module/nouveau", PATH_VIRTUAL, 0},
    {NULL, PATH_REAL, 0},
};

static bool starts(const char *name, const char *with)
{
    size_t length = strlen(with);
    return !strncmp(name, with, length) &&
           (!name[length] || name[length] == '/' || with[length - 1] == ':');
}

static bool ends(const char *name, const char *with)
{
    size_t length = strlen(name), tail = strlen(with);
    return length >= tail && !strcmp(name + length - tail, with);
}

enum path_kind rows_find(const char *name, struct path *out)
{
    for (const struct tree_row *row = tree_rows; row->name; row++) {
        if (!starts(name, row->name) || !path_in_tree(name, out->real))
            continue;
        bool exact = !strcmp(name, row->name);
        if (row->kind == PATH_DEVICE || row->kind == PATH_LINK) {
            out->minor = row->detail;
            return exact ? (enum path_kind)row->kind : PATH_VIRTUAL;
        }
        out->content = (enum emulate_content)row->detail;
        out->root_only = starts(name, DEBUG) || starts(name, TRACE) || ends(name, "/error") ||
                         ends(name, "/resource0");
        out->root_writes = starts(name, "/proc/sys") || starts(name, "/sys");
        if (row->kind == PATH_CONTENT)
            return exact ? PATH_CONTENT : PATH_REAL;
        out->served = !strcmp(name, DEBUG "/sync/sw_sync") ||
                      (starts(name, DEBUG) && ends(name, "forcewake_user"));
        if (starts(name, DEBUG "/dri")) {
            out->content = EMULATE_DEBUG;
            return PATH_CONTENT;
        }
        if (starts(name, TRACE)) {
            out->content = EMULATE_TRACE;
            out->served = ends(name, "/trace_pipe") || ends(name, "/trace_pipe_raw");
            return PATH_CONTENT;
        }
        if (ends(name, "/rc6_residency_ms")) {
            out->content = EMULATE_RESIDENCY;
            return PATH_CONTENT;
        }
        if (ends(name, "/error")) {
            out->content = EMULATE_ERROR;
            return PATH_CONTENT;
        }
        if (ends(name, "_act_freq_mhz")) {
            out->content = EMULATE_FREQUENCY;
            return PATH_CONTENT;
        }
        return PATH_VIRTUAL;
    }
    return PATH_REAL;
}
