/* SPDX-License-Identifier: MIT */
#include "base/named.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/expected.h"
#include "base/search.h"

#define ENDING ".yaml"

static bool ends_with(const char *text, const char *end)
{
    size_t size = strlen(text), end_size = strlen(end);
    return size > end_size && !strcmp(text + size - end_size, end);
}

/* ---- list ------------------------------------------------------------------------------------ */

struct lister {
    char **paths;
    size_t count, capacity;
    bool broken;
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int by_base_name(const void *x, const void *y)
{
    return strcmp(base_name(*(char *const *)x), base_name(*(char *const *)y));
}

static bool has(const struct lister *lister, const char *name)
{
    for (size_t i = 0; i < lister->count; i++)
        if (!strcmp(base_name(lister->paths[i]), name))
            return true;
    return false;
}

static void list_in(void *closure, const char *directory)
{
    struct lister *lister = closure;
    size_t first = lister->count;
    DIR *dir = opendir(directory);
    for (struct dirent *entry; dir && !lister->broken && (entry = readdir(dir));) {
        if (entry->d_name[0] == '.' || !ends_with(entry->d_name, ENDING) ||
            has(lister, entry->d_name))
            continue;
        char **grown =
            array_grow(lister->paths, &lister->capacity, lister->count, sizeof *lister->paths);
        lister->broken = !grown;
        if (!grown)
            break;
        lister->paths = grown;
        lister->broken = asprintf(&grown[lister->count], "%s/%s", directory, entry->d_name) < 0;
        lister->count += !lister->broken;
    }
    if (dir)
        closedir(dir);
    if (lister->count > first)
        qsort(lister->paths + first, lister->count - first, sizeof *lister->paths, by_base_name);
}

int named_list(const struct named_files *files, void (*visit)(void *closure, const char *path),
               void *closure)
{
    struct lister lister = {0};
    search_data(files->directory, files->variable, list_in, &lister);
    for (size_t i = 0; i < lister.count; i++) {
        if (!lister.broken)
            visit(closure, lister.paths[i]);
        free(lister.paths[i]);
    }
    free(lister.paths);
    return lister.broken ? -ENOMEM : (int)lister.count;
}

/* ---- find ------------------------------------------------------------------------------------ */

#define NAMES_MAX 64

struct names {
    char *names[NAMES_MAX];
    size_t count;
};

static void add_name(void *closure, const char *path)
{
    struct names *all = closure;
    const char *name = base_name(path);
    char *copy = all->count < NAMES_MAX ? strndup(name, strlen(name) - strlen(ENDING)) : NULL;
    if (copy)
        all->names[all->count++] = copy;
}

static int fail_unknown(const struct named_files *files, const char *name,
                        struct tally_error *error)
{
    struct names all = {0};
    char place[64], expected[EXPECTED_BYTES];
    named_list(files, add_name, &all);
    snprintf(place, sizeof place, "tally list %s", files->directory);
    fail(error, -ENOENT, "unknown %s \"%s\"%s", files->what, name,
         expected_word(expected, name, (const char *const *)all.names, all.count, place));
    for (size_t i = 0; i < all.count; i++)
        free(all.names[i]);
    return -ENOENT;
}

struct finder {
    const char *name;
    char *path; /* first file that can be opened */
    bool broken;
};

static void find_in(void *closure, const char *directory)
{
    struct finder *finder = closure;
    char *path;
    if (finder->path || finder->broken)
        return;
    if (asprintf(&path, "%s/%s" ENDING, directory, finder->name) < 0) {
        finder->broken = true;
        return;
    }
    FILE *file = fopen(path, "rb");
    if (file) {
        fclose(file);
        finder->path = path;
    } else {
        free(path);
    }
}

int named_find(const struct named_files *files, const char *name, char **path,
               struct tally_error *error)
{
    struct finder finder = {.name = name};
    bool is_path = strchr(name, '/') || ends_with(name, ENDING);
    if (is_path)
        finder.path = strdup(name);
    else
        search_data(files->directory, files->variable, find_in, &finder);
    *path = finder.path;
    if (finder.broken || (is_path && !finder.path))
        return fail_memory(error, "a path");
    if (!finder.path)
        return fail_unknown(files, name, error);
    return 0;
}
