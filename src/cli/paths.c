/* SPDX-License-Identifier: MIT */
#include "cli/paths.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "cli/cli.h"
#include "cli/unknown.h"

static bool append(struct paths *paths, const char *directory, const char *name)
{
    char **grown = array_grow(paths->list, &paths->capacity, paths->count, sizeof *grown);
    struct buffer path = {0};
    if (!grown)
        return false;
    paths->list = grown;
    if (directory)
        buffer_printf(&path, "%s%s", directory,
                      *directory && directory[strlen(directory) - 1] == '/' ? "" : "/");
    buffer_append(&path, name, strlen(name) + 1);
    if (path.broken) {
        buffer_fini(&path);
        return false;
    }
    grown[paths->count++] = path.bytes;
    return true;
}

static bool is_wanted(const char *name)
{
    size_t length = strlen(name);
    return *name != '.' && (length < 4 || strcmp(name + length - 4, ".old") != 0);
}

static int compare_names(const void *x, const void *y)
{
    return strcmp(*(char *const *)x, *(char *const *)y);
}

static int add_directory(struct paths *paths, const char *path)
{
    size_t first = paths->count;
    DIR *directory = opendir(path);
    bool done = true;
    if (!directory) {
        struct tally_error error = {.code = -errno};
        snprintf(error.message, sizeof error.message, "%s: %s", path, strerror(errno));
        return report_error(&error);
    }
    for (const struct dirent *entry; done && (entry = readdir(directory));) {
        struct stat status;
        if (is_wanted(entry->d_name) && !fstatat(dirfd(directory), entry->d_name, &status, 0) &&
            S_ISREG(status.st_mode))
            done = append(paths, path, entry->d_name);
    }
    closedir(directory);
    if (!done)
        return report_memory();
    if (paths->count == first)
        return usage_error("%s: no recordings in this directory, expected some", path);
    qsort(paths->list + first, paths->count - first, sizeof *paths->list, compare_names);
    return EXIT_DONE;
}

int paths_add(struct paths *paths, const char *path)
{
    struct stat status;
    if (!stat(path, &status) && S_ISDIR(status.st_mode))
        return add_directory(paths, path);
    return append(paths, NULL, path) ? EXIT_DONE : report_memory();
}

void paths_fini(struct paths *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        free(paths->list[i]);
    free(paths->list);
    *paths = (struct paths){0};
}

int paths_error(const struct paths *lists, size_t count, const struct tally_error *error)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < lists[i].count; k++)
            if (access(lists[i].list[k], F_OK) < 0)
                return report_file_error(error, lists[i].list[k]);
    return report_error(error);
}
