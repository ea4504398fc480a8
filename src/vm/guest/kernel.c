/* SPDX-License-Identifier: MIT */
#include "vm/guest/kernel.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/error.h"
#include "vm/guest/bzimage.h"
#include "vm/guest/elf.h"
#include "vm/guest/unpack.h"

#define IMAGE_MAX    (256u << 20)
#define IMAGE_PREFIX "vmlinuz-"

/* The note by which a kernel states that it can be started without its boot code (source: Xen's
 * public elfnote.h, XEN_ELFNOTE_PHYS32_ENTRY). */
#define PVH_OWNER "Xen"
#define PVH_ENTRY 18

/* ---- places ---------------------------------------------------------------------------------- */

/* Roots that may have boot/vmlinuz-RELEASE and lib/modules/RELEASE. */
struct roots {
    char unpacked[PATH_MAX / 2]; /* by make deps-vm */
    const char *list[2];
};

static void find_roots(struct roots *roots)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && *cache)
        snprintf(roots->unpacked, sizeof roots->unpacked, "%s/tally/vm", cache);
    else
        snprintf(roots->unpacked, sizeof roots->unpacked, "%s/.cache/tally/vm", home ? home : "");
    roots->list[0] = roots->unpacked;
    roots->list[1] = "";
}

static bool has_modules(const char *directory)
{
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/modules.dep", directory);
    return access(path, R_OK) == 0;
}

/* Sets the directory of modules if ROOT/lib/modules/RELEASE has them. */
static bool take_modules(struct kernel *kernel, const char *root, const char *release)
{
    char directory[PATH_MAX];
    int size = snprintf(directory, sizeof directory, "%s/lib/modules/%s", root, release);
    if (!*release || size < 0 || (size_t)size >= sizeof directory || !has_modules(directory))
        return false;
    strcpy(kernel->modules, directory);
    return true;
}

/* Finds the newest kernel below a root that has modules. */
static bool newest_in(const char *root, struct kernel *kernel)
{
    char directory[PATH_MAX], best[256] = "";
    snprintf(directory, sizeof directory, "%s/boot", root);
    DIR *entries = opendir(directory);
    if (!entries)
        return false;
    for (struct dirent *entry; (entry = readdir(entries));) {
        char path[PATH_MAX + 300];
        const char *release = entry->d_name + strlen(IMAGE_PREFIX);
        if (strncmp(entry->d_name, IMAGE_PREFIX, strlen(IMAGE_PREFIX)) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        if ((!*best || strverscmp(release, best) > 0) && access(path, R_OK) == 0 &&
            take_modules(kernel, root, release))
            snprintf(best, sizeof best, "%s", release);
    }
    closedir(entries);
    if (!*best || !take_modules(kernel, root, best))
        return false;
    int size =
        snprintf(kernel->path, sizeof kernel->path, "%s/%s%s", directory, IMAGE_PREFIX, best);
    return size > 0 && (size_t)size < sizeof kernel->path;
}

static int find_newest(struct kernel *kernel, struct tally_error *error)
{
    struct roots roots;
    find_roots(&roots);
    for (size_t i = 0; i < ARRAY_COUNT(roots.list); i++)
        if (newest_in(roots.list[i], kernel))
            return 0;
    return fail(error, -ENOENT,
                "no kernel with modules in %.100s or /boot, expected the package "
                "linux-image-amd64 there (make deps-vm), or --kernel",
                roots.unpacked);
}

/* ---- the image ------------------------------------------------------------------------------- */

/* Replaces a packed image by the kernel in it, if QEMU can start that. Otherwise the image is kept,
 * and kernel->why has the reason, if there is one that can be removed. */
static void unpack_image(struct kernel *kernel, const struct bzimage *packed)
{
    struct buffer image = {0};
    /* The unpacked size follows as four bytes, except that gzip has it in its own format. */
    size_t size = packed->payload_size > 4 ? packed->payload_size - 4 : 0;
    kernel->is_packed = true;
    if (packed->payload && packed->payload[0] == 0x1f)
        size = packed->payload_size;
    if (packed->payload && unpack_is_packed(packed->payload, size) &&
        unpack(kernel->path, packed->payload, size, &image, &kernel->why) == 0 &&
        elf_has_note(image.bytes, image.size, PVH_OWNER, PVH_ENTRY)) {
        buffer_fini(&kernel->image);
        kernel->image = image;
        kernel->is_packed = false;
        return;
    }
    buffer_fini(&image);
}

static int load_image(struct kernel *kernel, struct tally_error *error)
{
    struct bzimage packed;
    int result = buffer_load(&kernel->image, kernel->path, IMAGE_MAX, error);
    if (result < 0 || elf_is(kernel->image.bytes, kernel->image.size))
        return result;
    result = bzimage_read(kernel->path, kernel->image.bytes, kernel->image.size, &packed, error);
    if (result < 0)
        return result;
    if (packed.release)
        snprintf(kernel->release, sizeof kernel->release, "%.*s", (int)packed.release_size,
                 packed.release);
    unpack_image(kernel, &packed);
    return 0;
}

/* ---- the modules ----------------------------------------------------------------------------- */

static int given_modules(struct kernel *kernel, const char *modules, struct tally_error *error)
{
    if (strlen(modules) < sizeof kernel->modules && has_modules(modules))
        strcpy(kernel->modules, modules);
    else if (!take_modules(kernel, modules, kernel->release))
        return fail(error, -ENOENT,
                    "%s: neither modules.dep nor lib/modules/%s/modules.dep is in it, expected "
                    "what depmod writes",
                    modules, *kernel->release ? kernel->release : "RELEASE");
    return 0;
}

/* Finds the modules of a kernel that was given without them. */
static void search_modules(struct kernel *kernel)
{
    struct roots roots;
    char beside[PATH_MAX];
    snprintf(beside, sizeof beside, "%s", kernel->path);
    char *slash = strrchr(beside, '/');
    if (slash)
        snprintf(slash, sizeof beside - (size_t)(slash - beside), "/..");
    else
        strcpy(beside, "..");
    if (take_modules(kernel, beside, kernel->release))
        return;
    find_roots(&roots);
    for (size_t i = 0; i < ARRAY_COUNT(roots.list); i++)
        if (take_modules(kernel, roots.list[i], kernel->release))
            return;
}

int kernel_find(const char *image, const char *modules, struct kernel *kernel,
                struct tally_error *error)
{
    int result = 0;
    *kernel = (struct kernel){0};
    if (image && snprintf(kernel->path, sizeof kernel->path, "%s", image) >= PATH_MAX)
        return fail(error, -ENAMETOOLONG, "--kernel: the path is too long");
    if (!image)
        result = find_newest(kernel, error);
    if (result == 0)
        result = load_image(kernel, error);
    if (result == 0 && modules)
        result = given_modules(kernel, modules, error);
    else if (result == 0 && image)
        search_modules(kernel);
    return result;
}

void kernel_fini(struct kernel *kernel)
{
    buffer_fini(&kernel->image);
}
