/* SPDX-License-Identifier: MIT */
#include "vm/guest/kernel_config.h"

#include <stdio.h>
#include <string.h>

#include "base/bits.h"

#define FILE_MAX (16u << 20)

/* What a guest needs. Without the first ones it does not print why it ends. */
static const struct row {
    const char *name;
    bool module; /* may be a module */
    bool gpu;    /* needed with a GPU only */
} rows[] = {
    {"PRINTK", false, false},         {"SERIAL_8250_CONSOLE", false, false},
    {"BLK_DEV_INITRD", false, false}, {"BINFMT_ELF", false, false},
    {"BINFMT_SCRIPT", false, false},  {"PROC_FS", false, false},
    {"SYSFS", false, false},          {"DEVTMPFS", false, false},
    {"UNIX98_PTYS", false, false},    {"VIRTIO_PCI", true, false},
    {"VIRTIO_CONSOLE", true, false},  {"NET_9P_VIRTIO", true, false},
    {"9P_FS", true, false},           {"PCI_MSI", false, true},
    {"X86_PAT", false, true},         {"DRM_I915", true, true},
};

/* Whether a line "CONFIG_NAME=y" (or =m) is in the text. */
static bool is_set(const char *text, size_t size, const struct row *row)
{
    char line[64];
    size_t length = (size_t)snprintf(line, sizeof line, "CONFIG_%s=", row->name);
    const char *end = text + size;
    while (text < end && (text = memmem(text, (size_t)(end - text), line, length))) {
        const char *value = text + length;
        if (value < end && (*value == 'y' || (row->module && *value == 'm')))
            return true;
        text = value;
    }
    return false;
}

void kernel_config_missing(const char *text, size_t size, bool gpu, struct buffer *out)
{
    const char *separator = "";
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        if ((rows[i].gpu && !gpu) || is_set(text, size, &rows[i]))
            continue;
        buffer_printf(out, "%sCONFIG_%s%s", separator, rows[i].name, rows[i].module ? "" : "=y");
        separator = ", ";
    }
}

/* Loads the configuration of a kernel. */
static bool load(const struct kernel *kernel, char path[PATH_MAX], struct buffer *text)
{
    const char *slash = strrchr(kernel->path, '/');
    int directory = slash ? (int)(slash - kernel->path) : 1;
    const char *from = slash ? kernel->path : ".";
    const struct {
        const char *name, *release;
    } places[] = {{"config-", kernel->release}, {".config", ""}, {"../../../.config", ""}};
    for (size_t i = *kernel->release ? 0 : 1; i < ARRAY_COUNT(places); i++) {
        struct tally_error error;
        int size = snprintf(path, PATH_MAX, "%.*s/%s%s", directory, from, places[i].name,
                            places[i].release);
        if (size > 0 && size < PATH_MAX && buffer_load(text, path, FILE_MAX, &error) == 0)
            return true;
        buffer_fini(text);
    }
    return false;
}

bool kernel_config_lacks(const struct kernel *kernel, bool gpu, char *remark, size_t size)
{
    char path[PATH_MAX];
    struct buffer text = {0}, missing = {0};
    if (load(kernel, path, &text))
        kernel_config_missing(text.bytes, text.size, gpu, &missing);
    bool lacks = missing.size > 0 && !missing.broken;
    if (lacks)
        snprintf(remark, size, "%s: the guest needs %.*s", path, (int)missing.size, missing.bytes);
    buffer_fini(&text);
    buffer_fini(&missing);
    return lacks;
}
