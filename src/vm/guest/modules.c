/* SPDX-License-Identifier: MIT */
#include "vm/guest/modules.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define FILE_MAX  (64u << 20)
#define DEPTH_MAX 64 /* of modules that need each other */

enum progress { NOT_SELECTED, IN_PROGRESS, SELECTED };

/* A line of modules.dep: "PATH: PATH PATH...". */
struct line {
    struct module module;
    const char *needs;
    size_t needs_size;
    enum progress progress;
};

struct modules {
    char *path; /* for messages */
    struct buffer dependencies, builtin;
    struct line *lines;
    size_t count, capacity;
    size_t *selected; /* indices of lines */
    size_t selected_count;
};

/* ---- names ----------------------------------------------------------------------------------- */

/* A part of a text. */
struct part {
    const char *at;
    size_t size;
};

/* Returns the name of the module in a file: what is between the last slash and ".ko". */
static struct part name_of(struct part path)
{
    const char *slash = memrchr(path.at, '/', path.size);
    struct part name = path;
    if (slash)
        name = (struct part){slash + 1, path.size - (size_t)(slash + 1 - path.at)};
    const char *suffix = name.size ? memmem(name.at, name.size, ".ko", 3) : NULL;
    if (suffix)
        name.size = (size_t)(suffix - name.at);
    return name;
}

static bool is_same_name(struct part a, struct part b)
{
    if (a.size != b.size)
        return false;
    for (size_t i = 0; i < a.size; i++)
        if ((a.at[i] == '-' ? '_' : a.at[i]) != (b.at[i] == '-' ? '_' : b.at[i]))
            return false;
    return true;
}

/* Takes the next word of a line, which spaces separate; an empty one at its end. */
static struct part next_word(struct part *line)
{
    while (line->size && (*line->at == ' ' || *line->at == '\t'))
        line->at++, line->size--;
    struct part word = {line->at, 0};
    while (word.size < line->size && line->at[word.size] != ' ' && line->at[word.size] != '\t')
        word.size++;
    line->at += word.size;
    line->size -= word.size;
    return word;
}

/* Takes the next line of a text; false at its end. */
static bool next_line(struct part *text, struct part *line)
{
    if (!text->size)
        return false;
    const char *end = memchr(text->at, '\n', text->size);
    line->at = text->at;
    line->size = end ? (size_t)(end - text->at) : text->size;
    size_t taken = line->size + (end ? 1 : 0);
    text->at += taken;
    text->size -= taken;
    return true;
}

/* ---- parsing --------------------------------------------------------------------------------- */

static int add_line(struct modules *modules, struct part line, unsigned number,
                    struct tally_error *error)
{
    const char *colon = memchr(line.at, ':', line.size);
    if (!line.size)
        return 0;
    size_t size = colon ? (size_t)(colon - line.at) : 0;
    if (!size || memchr(line.at, ' ', size) || memchr(line.at, '\t', size))
        return fail(error, -EBADMSG, "%s:%u: expected a module, a colon and what it needs",
                    modules->path, number);
    struct line *lines =
        array_grow(modules->lines, &modules->capacity, modules->count, sizeof *lines);
    if (!lines)
        return fail_memory(error, "a list of kernel modules");
    modules->lines = lines;
    lines[modules->count++] =
        (struct line){{line.at, size}, colon + 1, line.size - size - 1, NOT_SELECTED};
    return 0;
}

static int parse(struct modules *modules, struct tally_error *error)
{
    struct part text = {modules->dependencies.bytes, modules->dependencies.size}, line;
    int result = 0;
    for (unsigned number = 1; result == 0 && next_line(&text, &line); number++)
        result = add_line(modules, line, number, error);
    if (result < 0)
        return result;
    modules->selected = calloc(modules->count ? modules->count : 1, sizeof *modules->selected);
    return modules->selected ? 0 : fail_memory(error, "a list of kernel modules");
}

int modules_parse(const char *path, const char *dependencies, size_t dependencies_size,
                  const char *builtin, size_t builtin_size, struct modules **out,
                  struct tally_error *error)
{
    struct modules *modules = calloc(1, sizeof *modules);
    if (!modules)
        return fail_memory(error, "a list of kernel modules");
    modules->path = strdup(path);
    buffer_append(&modules->dependencies, dependencies, dependencies_size);
    buffer_append(&modules->builtin, builtin, builtin_size);
    int result = !modules->path || modules->dependencies.broken || modules->builtin.broken
                     ? fail_memory(error, "a list of kernel modules")
                     : parse(modules, error);
    if (result < 0)
        modules_free(modules);
    else
        *out = modules;
    return result;
}

int modules_open(const char *directory, struct modules **out, struct tally_error *error)
{
    char path[4200], builtin_path[4200];
    struct buffer dependencies = {0}, builtin = {0};
    snprintf(path, sizeof path, "%s/modules.dep", directory);
    snprintf(builtin_path, sizeof builtin_path, "%s/modules.builtin", directory);
    int result = buffer_load(&dependencies, path, FILE_MAX, error);
    if (result == -ENOENT)
        fail(error, -ENOENT, "cannot open %s, expected the list that depmod writes", path);
    if (result == 0)
        result = buffer_load(&builtin, builtin_path, FILE_MAX, error);
    if (result == 0)
        result = modules_parse(path, dependencies.bytes, dependencies.size, builtin.bytes,
                               builtin.size, out, error);
    buffer_fini(&dependencies);
    buffer_fini(&builtin);
    return result;
}

void modules_free(struct modules *modules)
{
    if (!modules)
        return;
    buffer_fini(&modules->dependencies);
    buffer_fini(&modules->builtin);
    free(modules->lines);
    free(modules->selected);
    free(modules->path);
    free(modules);
}

/* ---- selecting ------------------------------------------------------------------------------- */

static bool is_builtin(const struct modules *modules, struct part name)
{
    struct part text = {modules->builtin.bytes, modules->builtin.size}, line;
    while (next_line(&text, &line))
        if (line.size && is_same_name(name_of(line), name))
            return true;
    return false;
}

static struct line *find_name(const struct modules *modules, struct part name)
{
    for (size_t i = 0; i < modules->count; i++) {
        const struct module *module = &modules->lines[i].module;
        if (is_same_name(name_of((struct part){module->path, module->path_size}), name))
            return &modules->lines[i];
    }
    return NULL;
}

/* Selects a line after what it needs. */
static int select_line(struct modules *modules, struct line *line, unsigned depth,
                       struct tally_error *error)
{
    struct part needs = {line->needs, line->needs_size}, path;
    if (line->progress == SELECTED)
        return 0;
    if (line->progress == IN_PROGRESS || depth > DEPTH_MAX)
        return fail(error, -EBADMSG, "%s: %.*s %s", modules->path, (int)line->module.path_size,
                    line->module.path,
                    depth > DEPTH_MAX ? "is needed through too many others" : "needs itself");
    line->progress = IN_PROGRESS;
    while ((path = next_word(&needs)).size) {
        struct line *needed = find_name(modules, name_of(path));
        if (!needed)
            return fail(error, -EBADMSG, "%s: %.*s is needed but not listed", modules->path,
                        (int)path.size, path.at);
        int result = select_line(modules, needed, depth + 1, error);
        if (result < 0)
            return result;
    }
    line->progress = SELECTED;
    modules->selected[modules->selected_count++] = (size_t)(line - modules->lines);
    return 0;
}

int modules_select(struct modules *modules, const char *name, struct tally_error *error)
{
    struct part wanted = {name, strlen(name)};
    struct line *line = find_name(modules, wanted);
    if (line)
        return select_line(modules, line, 0, error);
    if (is_builtin(modules, wanted))
        return 0;
    return fail(error, -ENOENT, "%s: the kernel has no module %s", modules->path, name);
}

const struct module *modules_selected(const struct modules *modules, size_t i)
{
    return i < modules->selected_count ? &modules->lines[modules->selected[i]].module : NULL;
}

size_t module_unpacked_size(const struct module *module)
{
    struct part path = {module->path, module->path_size}, name = name_of(path);
    size_t size = (size_t)(name.at + name.size - path.at);
    return size < path.size ? size + strlen(".ko") : size;
}

static void write_path(struct buffer *out, const struct module *module)
{
    buffer_append(out, module->path, module_unpacked_size(module));
}

void modules_write(const struct modules *modules, struct buffer *out)
{
    for (size_t i = 0; i < modules->selected_count; i++) {
        const struct line *line = &modules->lines[modules->selected[i]];
        struct part needs = {line->needs, line->needs_size}, path;
        write_path(out, &line->module);
        buffer_char(out, ':');
        while ((path = next_word(&needs)).size) {
            buffer_char(out, ' ');
            write_path(out, &find_name(modules, name_of(path))->module);
        }
        buffer_char(out, '\n');
    }
}

const char *modules_builtin(const struct modules *modules, size_t *size)
{
    *size = modules->builtin.size;
    return modules->builtin.bytes;
}
