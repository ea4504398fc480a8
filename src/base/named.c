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
    int error; /* 0, or a negative errno */
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
    if (!dir && !is_absent(errno))
        lister->error = -errno;
    while (dir && !lister->error) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (!entry) {
            lister->error = -errno;
            break;
        }
        if (entry->d_name[0] == '.' || !ends_with(entry->d_name, ENDING) ||
            has(lister, entry->d_name))
            continue;
        char **grown =
            array_grow(lister->paths, &lister->capacity, lister->count, sizeof *lister->paths);
        if (grown)
            lister->paths = grown;
        if (!grown || asprintf(&grown[lister->count], "%s/%s", directory, entry->d_name) < 0)
            lister->error = -ENOMEM;
        else
            lister->count++;
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
        if (!lister.error)
            visit(closure, lister.paths[i]);
        free(lister.paths[i]);
    }
    free(lister.paths);
    return lister.error ? lister.error : (int)lister.count;
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
    int result; /* 0, or a negative errno */
    struct tally_error *error;
};

static void find_in(void *closure, const char *directory)
{
    struct finder *finder = closure;
    char *path;
    if (finder->path || finder->result)
        return;
    if (asprintf(&path, "%s/%s" ENDING, directory, finder->name) < 0) {
        finder->result = fail_memory(finder->error, "a path");
        return;
    }
    FILE *file = fopen(path, "rb");
    if (file) {
        fclose(file);
        finder->path = path;
        return;
    }
    if (!is_absent(errno))
        finder->result = fail(finder->error, -errno, "cannot open %s: %s", path, strerror(errno));
    free(path);
}

int named_find(const struct named_files *files, const char *name, char **path,
               struct tally_error *error)
{
    struct finder finder = {.name = name, .error = error};
    bool is_path = strchr(name, '/') || ends_with(name, ENDING);
    if (is_path)
        finder.path = strdup(name);
    else
        search_data(files->directory, files->variable, find_in, &finder);
    *path = finder.path;
    if (is_path && !finder.path)
        return fail_memory(error, "a path");
    if (!finder.path && !finder.result)
        return fail_unknown(files, name, error);
    return finder.result;
}
