/* SPDX-License-Identifier: MIT */
#include "vm/guest/kernel_config.h"

#include <stdio.h>
#include <string.h>

#include "base/bits.h"

#define FILE_MAX (16u << 20)

/* What a guest needs. Without the first ones it does not print why it ends. */
static const struct row {
    const char *name;
    bool module;        /* may be a module */
    const char *driver; /* needed for this driver of the GPU only; NULL: always */
} rows[] = {
    {"PRINTK", false, NULL},
    {"SERIAL_8250_CONSOLE", false, NULL},
    {"BLK_DEV_INITRD", false, NULL},
    {"BINFMT_ELF", false, NULL},
    {"BINFMT_SCRIPT", false, NULL},
    {"PROC_FS", false, NULL},
    {"SYSFS", false, NULL},
    {"DEVTMPFS", false, NULL},
    {"UNIX98_PTYS", false, NULL},
    {"VIRTIO_PCI", true, NULL},
    {"VIRTIO_CONSOLE", true, NULL},
    {"NET_9P_VIRTIO", true, NULL},
    {"9P_FS", true, NULL},
    {"PCI_MSI", false, "i915"},
    {"X86_PAT", false, "i915"},
    {"DRM_I915", true, "i915"},
    {"DRM_NOUVEAU", true, "nouveau"},
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

void kernel_config_missing(const char *text, size_t size, const char *driver, struct buffer *out)
{
    const char *separator = "";
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const char *of = rows[i].driver;
        if ((of && (!driver || strcmp(of, driver))) || is_set(text, size, &rows[i]))
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

bool kernel_config_lacks(const struct kernel *kernel, const char *driver, char *remark, size_t size)
{
    char path[PATH_MAX];
    struct buffer text = {0}, missing = {0};
    if (load(kernel, path, &text))
        kernel_config_missing(text.bytes, text.size, driver, &missing);
    bool lacks = missing.size > 0 && !missing.broken;
    if (lacks)
        snprintf(remark, size, "%s: the guest needs %.*s", path, (int)missing.size, missing.bytes);
    buffer_fini(&text);
    buffer_fini(&missing);
    return lacks;
}
