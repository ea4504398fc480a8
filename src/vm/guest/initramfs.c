/* SPDX-License-Identifier: MIT */
#include "vm/guest/initramfs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/search.h"
#include "vm/guest/elf.h"
#include "vm/guest/files.h"
#include "vm/guest/modules.h"
#include "vm/guest/root.h"
#include "vm/guest/unpack.h"

#define GUEST_BUSYBOX  "/usr/lib/tally/busybox"
#define GUEST_SETTINGS "/etc/tally/settings"
#define GUEST_COMMAND  "/etc/tally/command"
#define GUEST_MODULES  "/lib/modules"
#define FILE_MAX       (64u << 20)

/* What the init script needs of every kernel: the ports and the host's directory. */
static const char *const always[] = {"virtio_pci", "virtio_console", "9pnet_virtio", "9p"};

/* ---- busybox and the script ------------------------------------------------------------------ */

static int add_busybox(struct root *root, struct tally_error *error)
{
    static const char *const places[] = {"/usr/bin/busybox", "/bin/busybox",
                                         "/usr/local/bin/busybox"};
    struct elf_needs needs;
    struct buffer file = {0};
    size_t i = 0;
    while (i < ARRAY_COUNT(places) && access(places[i], X_OK) < 0)
        i++;
    if (i == ARRAY_COUNT(places))
        return fail(error, -ENOENT,
                    "busybox not found, expected the package busybox-static (make deps-vm)");
    int result = buffer_load(&file, places[i], FILE_MAX, error);
    if (result == 0)
        result = elf_read(places[i], file.bytes, file.size, &needs, error);
    if (result == 0 && (needs.interpreter || needs.count))
        result = fail(error, -ENOENT,
                      "%s needs shared libraries, expected that of the package busybox-static "
                      "(make deps-vm)",
                      places[i]);
    if (result == 0) {
        root_file(root, GUEST_BUSYBOX, 0755, file.bytes, file.size);
        root_link(root, "/usr/bin/sh", GUEST_BUSYBOX);
        root_link(root, "/usr/bin/env", GUEST_BUSYBOX);
    }
    buffer_fini(&file);
    return result;
}

struct script {
    char path[PATH_MAX];
    bool found;
};

static void visit(void *closure, const char *directory)
{
    struct script *script = closure;
    if (script->found)
        return;
    int size = snprintf(script->path, sizeof script->path, "%s/init", directory);
    script->found = size > 0 && (size_t)size < sizeof script->path && !access(script->path, R_OK);
}

static int add_script(struct root *root, struct tally_error *error)
{
    struct script script = {.found = false};
    struct buffer file = {0};
    search_data("vm", "TALLY_VM_PATH", visit, &script);
    if (!script.found)
        return fail(error, -ENOENT,
                    "%s: not found, expected it in $TALLY_VM_PATH, next to the program or "
                    "installed",
                    script.path);
    int result = buffer_load(&file, script.path, FILE_MAX, error);
    if (result == 0)
        root_file(root, "/init", 0755, file.bytes, file.size);
    buffer_fini(&file);
    return result;
}

/* ---- modules --------------------------------------------------------------------------------- */

static int add_module(struct root *root, const char *directory, const struct module *module,
                      struct tally_error *error)
{
    char from[PATH_MAX], to[PATH_MAX];
    struct buffer file = {0}, unpacked = {0};
    int from_size =
        snprintf(from, sizeof from, "%s/%.*s", directory, (int)module->path_size, module->path);
    int to_size = snprintf(to, sizeof to, GUEST_MODULES "/%.*s", (int)module_unpacked_size(module),
                           module->path);
    if (from_size < 0 || from_size >= PATH_MAX || to_size < 0 || to_size >= PATH_MAX)
        return fail(error, -ENAMETOOLONG, "%.100s/%.100s: the path is too long", directory,
                    module->path);
    int result = buffer_load(&file, from, FILE_MAX, error);
    bool is_packed = result == 0 && unpack_is_packed(file.bytes, file.size);
    if (is_packed)
        result = unpack(from, file.bytes, file.size, &unpacked, error);
    const struct buffer *contents = is_packed ? &unpacked : &file;
    if (result == 0)
        root_file(root, to, 0644, contents->bytes, contents->size);
    buffer_fini(&file);
    buffer_fini(&unpacked);
    return result;
}

static int select_modules(struct modules *modules, const char *const *names, size_t count,
                          struct tally_error *error)
{
    int result = 0;
    for (size_t i = 0; result == 0 && i < count; i++)
        result = modules_select(modules, names[i], error);
    return result;
}

/* Adds the modules that are needed, and a modules.dep for modprobe: in /lib/modules itself, because
 * the release of a kernel is not always known here. The init script links it. */
static int add_modules(struct root *root, const struct initramfs_settings *settings,
                       struct tally_error *error)
{
    struct modules *modules;
    struct buffer list = {0};
    int result = modules_open(settings->modules, &modules, error);
    if (result < 0)
        return result;
    result = select_modules(modules, always, ARRAY_COUNT(always), error);
    if (result == 0)
        result = select_modules(modules, settings->drivers, settings->driver_count, error);
    const struct module *module;
    for (size_t i = 0; result == 0 && (module = modules_selected(modules, i)); i++)
        result = add_module(root, settings->modules, module, error);
    modules_write(modules, &list);
    root_file(root, GUEST_MODULES "/modules.dep", 0644, list.bytes, list.size);
    buffer_fini(&list);
    modules_free(modules);
    return result;
}

/* ---- what changes from run to run ------------------------------------------------------------ */

/* Appends a word that a shell reads as `text`. */
static void quote(struct buffer *out, const char *text)
{
    buffer_char(out, '\'');
    for (; *text; text++) {
        if (*text == '\'')
            buffer_text(out, "'\\'");
        buffer_char(out, *text);
    }
    buffer_char(out, '\'');
}

static void set_list(struct buffer *out, const char *name, const char *const *words, size_t count)
{
    struct buffer list = {0};
    for (size_t i = 0; i < count; i++)
        buffer_printf(&list, "%s%s", i ? " " : "", words[i]);
    buffer_char(&list, '\0');
    buffer_printf(out, "%s=", name);
    quote(out, list.broken ? "" : list.bytes);
    buffer_char(out, '\n');
    out->broken |= list.broken;
    buffer_fini(&list);
}

/* Returns where a directory of this machine is mounted: at its own path, unless that would hide the
 * guest's system. */
static const char *place_of(const char *directory, char first[PATH_MAX])
{
    static const char own[] = " bin dev etc init lib lib64 proc run sbin sys usr ";
    size_t size = strcspn(directory + 1, "/");
    snprintf(first, PATH_MAX, " %.*s ", (int)size, directory + 1);
    return !size || strstr(own, first) ? "/host" : directory;
}

static void add_settings(struct root *root, const struct initramfs_settings *settings)
{
    struct buffer text = {0};
    const char *terminal = getenv("TERM");
    char directory[PATH_MAX];
    bool has_modules = *settings->modules != '\0';
    set_list(&text, "modules", always, has_modules ? ARRAY_COUNT(always) : 0);
    set_list(&text, "drivers", settings->drivers, has_modules ? settings->driver_count : 0);
    buffer_printf(&text, "driver_row=%s\n", settings->driver_row ? settings->driver_row : "");
    buffer_text(&text, "directory=");
    quote(&text, place_of(settings->directory, directory));
    buffer_printf(&text, "\nconsole=%s\nrows=%u\ncolumns=%u\n", settings->console ? "yes" : "",
                  settings->rows, settings->columns);
    buffer_text(&text, "export TERM=");
    quote(&text, terminal ? terminal : "dumb");
    buffer_char(&text, '\n');
    root_file(root, GUEST_SETTINGS, 0644, text.bytes, text.size);
    root->cpio.bytes.broken |= text.broken;
    buffer_fini(&text);
}

/* Finds the program of the command. A name that is not a program of this machine may be one of
 * busybox's: *found is false. sh always is, because the machine's own may lack line editing. */
static int find_command(const char *name, char program[PATH_MAX], bool *found,
                        struct tally_error *error)
{
    struct tally_error unknown;
    int result = 0;
    *found = true;
    if (strchr(name, '/'))
        result = files_find_program(name, program, error);
    else if (!strcmp(name, "sh") || files_find_program(name, program, &unknown) < 0)
        *found = false;
    return result;
}

/* Adds the command and the script that executes it. */
static int add_command(struct root *root, const struct initramfs_settings *settings,
                       struct tally_error *error)
{
    char program[PATH_MAX];
    struct buffer text = {0};
    bool found;
    int result = find_command(settings->command[0], program, &found, error);
    if (result == 0 && found)
        result = files_add(root, program, error);
    if (result < 0)
        return result;
    buffer_text(&text, "exec");
    for (size_t i = 0; settings->command[i]; i++) {
        buffer_char(&text, ' ');
        quote(&text, i || !found ? settings->command[i] : program);
    }
    buffer_char(&text, '\n');
    root_file(root, GUEST_COMMAND, 0644, text.bytes, text.size);
    root->cpio.bytes.broken |= text.broken;
    buffer_fini(&text);
    return 0;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* The directories of a system whose /bin and /lib are in /usr. */
static void add_skeleton(struct root *root)
{
    static const char *const merged[] = {"bin", "sbin", "lib", "lib64"};
    static const char *const mounts[] = {"/proc", "/sys", "/dev", "/run", "/root"};
    for (size_t i = 0; i < ARRAY_COUNT(merged); i++) {
        char path[32], target[32];
        snprintf(path, sizeof path, "/%s", merged[i]);
        snprintf(target, sizeof target, "/usr/%s", merged[i]);
        root_directory(root, target, 0755);
        root_link(root, path, target + 1);
    }
    for (size_t i = 0; i < ARRAY_COUNT(mounts); i++)
        root_directory(root, mounts[i], 0755);
    root_directory(root, "/tmp", 01777);
    root_character_device(root, "/dev/console", 0600, 5, 1);
    root_character_device(root, "/dev/null", 0666, 1, 3);
}

static int fill(struct root *root, const struct initramfs_settings *settings,
                struct tally_error *error)
{
    add_skeleton(root);
    int result = add_busybox(root, error);
    if (result == 0)
        result = add_script(root, error);
    if (result == 0 && *settings->modules)
        result = add_modules(root, settings, error);
    if (result == 0)
        result = add_command(root, settings, error);
    for (size_t i = 0; result == 0 && i < settings->file_count; i++) {
        char program[PATH_MAX];
        bool is_path = strchr(settings->files[i], '/') || !access(settings->files[i], F_OK);
        if (!is_path)
            result = files_find_program(settings->files[i], program, error);
        if (result == 0)
            result = files_add(root, is_path ? settings->files[i] : program, error);
    }
    if (result == 0)
        add_settings(root, settings);
    return result == 0 ? root_end(root, error) : result;
}

int initramfs_make(const struct initramfs_settings *settings, struct buffer *out,
                   struct tally_error *error)
{
    struct root root = {0};
    int result = fill(&root, settings, error);
    if (result == 0) {
        *out = root.cpio.bytes;
        root.cpio.bytes = (struct buffer){0};
    }
    root_fini(&root);
    return result;
}
