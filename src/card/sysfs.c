/* SPDX-License-Identifier: MIT */
/* The GPUs of this machine, from sysfs. */
#include "card/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"

#define DEVICES    "/sys/bus/pci/devices"
#define PATH_BYTES 512

#define CLASS_SHIFT   16 /* the base class of the class code's 24 bits */
#define CLASS_DISPLAY 0x03u

bool card_parse_address(const char *text, struct card_address *out)
{
    unsigned domain = 0, bus, device, function;
    int used = 0;
    bool ok = (sscanf(text, "%8x:%2x:%2x.%1x%n", &domain, &bus, &device, &function, &used) == 4 &&
               !text[used]);
    if (!ok) {
        domain = 0;
        used = 0;
        ok = sscanf(text, "%2x:%2x.%1x%n", &bus, &device, &function, &used) == 3 && !text[used];
    }
    if (!ok || strpbrk(text, " \t+-xX") || device > 31 || function > 7)
        return false;
    *out = (struct card_address){domain, (uint8_t)bus, (uint8_t)device, (uint8_t)function};
    return true;
}

static void format_address(const struct card_address *where, char text[CARD_ADDRESS_BYTES])
{
    snprintf(text, CARD_ADDRESS_BYTES, "%04" PRIx32 ":%02x:%02x.%x", where->domain, where->bus,
             where->device, where->function);
}

/* ---- small files ----------------------------------------------------------------------------- */

static void attribute_path(char path[PATH_BYTES], const char *root, const char *address,
                           const char *name)
{
    snprintf(path, PATH_BYTES, "%s" DEVICES "/%s/%s", root, address, name);
}

int card_get_attribute(const char *root, const char *address, const char *name, char *text,
                       size_t size)
{
    char path[PATH_BYTES];
    attribute_path(path, root, address, name);
    text[0] = '\0';
    return text_load(path, text, size);
}

int card_set_attribute(const char *root, const char *address, const char *name, const char *text)
{
    char path[PATH_BYTES];
    attribute_path(path, root, address, name);
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t size = (ssize_t)strlen(text);
    int result = write(fd, text, (size_t)size) == size ? 0 : errno ? -errno : -EIO;
    close(fd);
    return result;
}

static uint32_t number(const char *root, const char *address, const char *name)
{
    char text[32];
    return card_get_attribute(root, address, name, text, sizeof text) < 0
               ? 0
               : (uint32_t)strtoul(text, NULL, 16);
}

/* ---- a device -------------------------------------------------------------------------------- */

static void find_driver(const char *root, struct card_entry *entry)
{
    char path[PATH_BYTES], target[PATH_BYTES];
    attribute_path(path, root, entry->address, "driver");
    ssize_t size = readlink(path, target, sizeof target - 1);
    if (size <= 0)
        return;
    target[size] = '\0';
    const char *slash = strrchr(target, '/');
    snprintf(entry->driver, sizeof entry->driver, "%.31s", slash ? slash + 1 : target);
}

/* The first line of `resource` is BAR 0: first and last address, and flags. */
static void find_bar(const char *root, struct card_entry *entry)
{
    char text[64];
    uint64_t first = 0, last = 0;
    if (card_get_attribute(root, entry->address, "resource", text, sizeof text) == 0 &&
        sscanf(text, "%" SCNx64 " %" SCNx64, &first, &last) == 2 && last > first)
        entry->bar_bytes = last - first + 1;
}

static int try_open(const char *root, const struct card_entry *entry, int flags)
{
    char path[PATH_BYTES];
    attribute_path(path, root, entry->address, "resource0");
    int fd = open(path, flags | O_CLOEXEC);
    if (fd < 0)
        return errno;
    close(fd);
    return 0;
}

int card_describe(const char *root, const struct card_address *where, struct card_entry *out,
                  struct tally_error *error)
{
    char path[PATH_BYTES];
    *out = (struct card_entry){.where = *where};
    format_address(where, out->address);
    attribute_path(path, root, out->address, "vendor");
    if (access(path, F_OK) < 0)
        return fail(error, -ENODEV, "pci:%s: no such PCI device; tally doctor lists GPUs",
                    out->address);
    out->vendor = (uint16_t)number(root, out->address, "vendor");
    out->device = (uint16_t)number(root, out->address, "device");
    out->class_code = number(root, out->address, "class");
    card_get_attribute(root, out->address, "power_state", out->power_state,
                       sizeof out->power_state);
    find_driver(root, out);
    find_bar(root, out);
    out->readable = try_open(root, out, O_RDONLY);
    out->writable = try_open(root, out, O_RDWR);
    return 0;
}

bool card_is_gpu(const struct card_entry *entry)
{
    return entry->class_code >> CLASS_SHIFT == CLASS_DISPLAY &&
           (entry->vendor == CARD_VENDOR_INTEL || entry->vendor == CARD_VENDOR_NVIDIA);
}

bool card_sleeps(const struct card_entry *entry)
{
    return !strcmp(entry->power_state, "D3hot") || !strcmp(entry->power_state, "D3cold");
}

int card_lock(const char *root, const char *address)
{
    char path[PATH_BYTES];
    attribute_path(path, root, address, "config");
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    int result = -errno;
    close(fd);
    return result;
}

size_t card_list(const char *root, void (*visit)(void *closure, const struct card_entry *entry),
                 void *closure)
{
    char path[PATH_BYTES];
    struct dirent **entries;
    size_t found = 0;
    snprintf(path, sizeof path, "%s" DEVICES, root);
    int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        struct card_address where;
        struct card_entry entry;
        if (card_parse_address(entries[i]->d_name, &where) &&
            card_describe(root, &where, &entry, NULL) == 0 && card_is_gpu(&entry)) {
            visit(closure, &entry);
            found++;
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return found;
}

/* ---- the kernel ------------------------------------------------------------------------------ */

static bool is_strict(const char *root, bool *unknown)
{
    char path[PATH_BYTES], line[512];
    struct utsname name;
    bool strict = false;
    *unknown = uname(&name) < 0;
    snprintf(path, sizeof path, "%s/boot/config-%s", root, name.release);
    FILE *file = *unknown ? NULL : fopen(path, "re");
    *unknown = !file;
    while (file && fgets(line, sizeof line, file))
        strict |= !strcmp(line, "CONFIG_IO_STRICT_DEVMEM=y\n");
    if (file)
        fclose(file);
    return strict;
}

struct card_kernel card_kernel(const char *root)
{
    struct card_kernel kernel = {0};
    char path[PATH_BYTES], text[4096];
    snprintf(path, sizeof path, "%s/sys/kernel/security/lockdown", root);
    if (text_load(path, text, sizeof text) == 0)
        kernel.lockdown = strchr(text, '[') && !strstr(text, "[none]");
    kernel.strict = is_strict(root, &kernel.strict_unknown);
    snprintf(path, sizeof path, "%s/proc/cmdline", root);
    if (text_load(path, text, sizeof text) == 0 && strstr(text, "iomem=relaxed"))
        kernel.strict = kernel.strict_unknown = false;
    return kernel;
}
