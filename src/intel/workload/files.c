/* SPDX-License-Identifier: MIT */
/* Workloads by name, by path, from memory; the ones of the search path. */
#include "intel/workload/files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/search.h"
#include "intel/workload/workload.h"

#define ENDING ".yaml"

static bool ends_with(const char *text, const char *end)
{
    size_t size = strlen(text), end_size = strlen(end);
    return size > end_size && !strcmp(text + size - end_size, end);
}

/* ---- one file -------------------------------------------------------------------------------- */

int tally_workload_load_memory(const void *bytes, size_t size, const char *name,
                               struct tally_workload **out, struct tally_error *error)
{
    return workload_read(yaml_in(bytes, size, name), out, NULL, NULL, error);
}

int tally_workload_lint_memory(const void *bytes, size_t size, const char *name,
                               tally_workload_found *found, void *closure,
                               struct tally_error *error)
{
    return workload_read(yaml_in(bytes, size, name), NULL, found, closure, error);
}

int tally_workload_lint(const char *path, tally_workload_found *found, void *closure,
                        struct tally_error *error)
{
    return workload_read((struct yaml_source){.name = path}, NULL, found, closure, error);
}

static int load_path(const char *path, struct tally_workload **out, struct tally_error *error)
{
    return workload_read((struct yaml_source){.name = path}, out, NULL, NULL, error);
}

/* ---- the search path ------------------------------------------------------------------------- */

struct finder {
    const char *name;
    char *path; /* the first one that can be opened */
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

int tally_workload_load(const char *name, struct tally_workload **out, struct tally_error *error)
{
    if (strchr(name, '/') || ends_with(name, ENDING))
        return load_path(name, out, error);
    struct finder finder = {.name = name};
    search_data("workloads", "TALLY_WORKLOADS_PATH", find_in, &finder);
    if (finder.broken)
        return fail_memory(error, "a path");
    if (!finder.path)
        return fail(error, -ENOENT, "no workload \"%s\"; see tally list workloads", name);
    int result = load_path(finder.path, out, error);
    free(finder.path);
    return result;
}

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

int tally_workload_list(void (*visit)(void *closure, const char *path), void *closure)
{
    struct lister lister = {0};
    search_data("workloads", "TALLY_WORKLOADS_PATH", list_in, &lister);
    for (size_t i = 0; i < lister.count; i++) {
        if (!lister.broken)
            visit(closure, lister.paths[i]);
        free(lister.paths[i]);
    }
    free(lister.paths);
    return lister.broken ? -ENOMEM : (int)lister.count;
}

void tally_workload_describe(const struct tally_workload *workload, struct tally_workload_info *out)
{
    *out = (struct tally_workload_info){.name = workload->name,
                                        .description = workload->description,
                                        .file = workload->file,
                                        .seed = workload->seed,
                                        .phases = workload->phase_count};
    for (size_t i = 0; i < workload->phase_count; i++)
        out->duration_ns += workload->phases[i].duration_ns;
}
