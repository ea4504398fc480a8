/* SPDX-License-Identifier: MIT */
/* Finds metric sets: searches directories in order, files by chipset, and sets by UUID or symbol.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/search.h"
#include "metrics/set.h"
#include "metrics/signal_sets.h"

#define CHIPSETS_BYTES 640

struct catalog_file {
    char *path;
    char *chipset;                  /* of its first set; of a YAML file, its list of chipsets; empty
                                       if unknown */
    bool signals;                   /* a YAML file: sets of NVIDIA's chipsets */
    struct tally_metric_file *file; /* NULL: not loaded yet */
};

struct tally_catalog {
    char **directories;
    size_t directory_count, directory_capacity;
    struct catalog_file *files; /* in the order of the directories, sorted by name in each */
    size_t file_count, file_capacity;
    const struct tally_metric_set **listed; /* result of tally_catalog_sets() */
    struct tally_error fault; /* the first file or directory that cannot be read; code 0: none */
};

static int by_name(const void *x, const void *y)
{
    return strcmp(*(char *const *)x, *(char *const *)y);
}

static bool ends_with(const char *text, const char *end)
{
    size_t size = strlen(text), end_size = strlen(end);
    return size >= end_size && !strcmp(text + size - end_size, end);
}

/* Notes that a part of the catalog is missing, unless there is nothing to read. */
static void note_fault(struct tally_catalog *catalog, const struct tally_error *error)
{
    if (!catalog->fault.code && !is_absent(-error->code) && error->code != -EAGAIN) /* a FIFO */
        catalog->fault = *error;
}

static void note_memory(struct tally_catalog *catalog)
{
    struct tally_error error;
    fail_memory(&error, "a list of metric sets");
    note_fault(catalog, &error);
}

static void note_directory(struct tally_catalog *catalog, const char *directory, int code)
{
    struct tally_error error;
    fail(&error, -code, "%s: cannot read: %s", directory, strerror(code));
    note_fault(catalog, &error);
}

static void add_file(struct tally_catalog *catalog, const char *directory, const char *name)
{
    struct catalog_file *files =
        array_grow(catalog->files, &catalog->file_capacity, catalog->file_count, sizeof *files);
    char *path = NULL;
    if (files)
        catalog->files = files;
    if (!files || asprintf(&path, "%s/%s", directory, name) < 0) {
        note_memory(catalog);
        return;
    }
    files[catalog->file_count] = (struct catalog_file){.path = path, .signals = is_yaml_name(path)};
    struct catalog_file *file = &files[catalog->file_count++];
    char chipset[CHIPSETS_BYTES];
    struct tally_error error;
    int result = file->signals ? yaml_text_of(path, "chipsets", chipset, sizeof chipset, &error)
                               : sniff_chipset(path, chipset, sizeof chipset, &error);
    if (result < 0)
        note_fault(catalog, &error);
    file->chipset = strdup(chipset);
    if (!file->chipset)
        note_memory(catalog);
}

static void add_directory(struct tally_catalog *catalog, const char *directory)
{
    for (size_t i = 0; i < catalog->directory_count; i++)
        if (!strcmp(catalog->directories[i], directory))
            return;
    DIR *dir = opendir(directory);
    if (!dir) {
        note_directory(catalog, directory, errno);
        return;
    }
    char **names = NULL;
    size_t count = 0, capacity = 0;
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        char **grown;
        if (!entry) {
            if (errno)
                note_directory(catalog, directory, errno);
            break;
        }
        if (entry->d_name[0] == '.' ||
            (!ends_with(entry->d_name, ".xml") && !is_yaml_name(entry->d_name)))
            continue;
        if ((grown = array_grow(names, &capacity, count, sizeof *names)))
            names = grown;
        if (!grown || !(names[count] = strdup(entry->d_name))) {
            note_memory(catalog);
            break;
        }
        count++;
    }
    closedir(dir);
    if (count)
        qsort(names, count, sizeof *names, by_name);
    for (size_t i = 0; i < count; i++) {
        add_file(catalog, directory, names[i]);
        free(names[i]);
    }
    free(names);

    char **directories = array_grow(catalog->directories, &catalog->directory_capacity,
                                    catalog->directory_count, sizeof *directories);
    if (directories)
        catalog->directories = directories;
    if (directories && (directories[catalog->directory_count] = strdup(directory)))
        catalog->directory_count++;
    else
        note_memory(catalog);
}

static void visit_directory(void *closure, const char *directory)
{
    add_directory(closure, directory);
}

struct tally_catalog *tally_catalog_new(const char *directory)
{
    struct tally_catalog *catalog = calloc(1, sizeof *catalog);
    if (!catalog)
        return NULL;
    if (directory)
        add_directory(catalog, directory);
    search_data("metrics", "TALLY_METRICS_PATH", visit_directory, catalog);
    return catalog;
}

void tally_catalog_free(struct tally_catalog *catalog)
{
    if (!catalog)
        return;
    for (size_t i = 0; i < catalog->file_count; i++) {
        tally_metric_file_free(catalog->files[i].file);
        free(catalog->files[i].path);
        free(catalog->files[i].chipset);
    }
    for (size_t i = 0; i < catalog->directory_count; i++)
        free(catalog->directories[i]);
    free(catalog->directories);
    free(catalog->files);
    free(catalog->listed);
    free(catalog);
}

size_t tally_catalog_directories(const struct tally_catalog *catalog, const char *const **out)
{
    *out = (const char *const *)catalog->directories;
    return catalog->directory_count;
}

/* Returns the error of a catalog that is incomplete: the wanted set may be in what is missing. */
static int check(const struct tally_catalog *catalog, struct tally_error *error)
{
    if (catalog->fault.code && error)
        *error = catalog->fault;
    return catalog->fault.code;
}

static int load(struct catalog_file *file, struct tally_error *error)
{
    return file->file ? 0 : tally_metric_file_load(file->path, &file->file, error);
}

/* How a file's chipset matches a requested one, in ascending order of preference. */
enum match { MATCH_NONE, MATCH_PLATFORM, MATCH_CHIPSET };

/* Compares chipsets. The file "SKL" matches SKLGT2 by its platform. */
static enum match match_chipset(const struct catalog_file *file, const char *chipset)
{
    const char *file_chipset = file->chipset ? file->chipset : "";
    size_t size = strlen(file_chipset);
    if (file->signals)
        return chipsets_include(file_chipset, chipset) ? MATCH_CHIPSET : MATCH_NONE;
    if (!strcasecmp(file_chipset, chipset))
        return MATCH_CHIPSET;
    bool platform = size >= 3 && !strncasecmp(file_chipset, chipset, size) &&
                    !strncasecmp(chipset + size, "GT", 2);
    return platform ? MATCH_PLATFORM : MATCH_NONE;
}

/* Returns whether a set of a file that matches a chipset is for it: the sets of a YAML file are for
 * different chipsets. */
static bool is_set_for(const struct catalog_file *file, const struct tally_metric_set *set,
                       const char *chipset)
{
    return !file->signals || !chipset || !strcasecmp(set->chipset, chipset);
}

static const struct tally_metric_set *find_in(const struct catalog_file *file, const char *chipset,
                                              const char *uuid, const char *symbol)
{
    for (size_t i = 0; i < file->file->set_count; i++) {
        const struct tally_metric_set *set = &file->file->sets[i];
        if (!is_set_for(file, set, chipset))
            continue;
        if (uuid ? !strcasecmp(set->uuid, uuid) : !strcmp(set->symbol, symbol))
            return set;
    }
    return NULL;
}

/* Finds the symbol of a set for the chipset that is most like an unknown one. Returns NULL if none
 * is like it. */
static const char *nearest_set(struct tally_catalog *catalog, const char *chipset,
                               const char *symbol)
{
    struct tally_error error = {0};
    const struct tally_metric_set *const *sets;
    ptrdiff_t count = tally_catalog_sets(catalog, chipset, &sets, &error);
    const char **names = count > 0 ? calloc((size_t)count, sizeof *names) : NULL;
    for (ptrdiff_t i = 0; names && i < count; i++)
        names[i] = sets[i]->symbol;
    const char *nearest = names ? similar_word(symbol, names, (size_t)count) : NULL;
    free(names);
    return nearest;
}

static void describe_search(const struct tally_catalog *catalog, struct buffer *to)
{
    for (size_t i = 0; i < catalog->directory_count; i++)
        buffer_printf(to, "%s%s", i ? ", " : "", catalog->directories[i]);
    buffer_char(to, '\0');
}

int tally_catalog_find(struct tally_catalog *catalog, const char *chipset, const char *uuid,
                       const char *symbol, const struct tally_metric_set **out,
                       struct tally_error *error)
{
    int complete = check(catalog, error);
    if (complete < 0)
        return complete;
    if (uuid && !*uuid)
        uuid = NULL;
    if (symbol && !*symbol)
        symbol = NULL;
    for (int by_uuid = uuid != NULL; by_uuid >= 0; by_uuid--) {
        for (int match = MATCH_CHIPSET; match > MATCH_NONE && (by_uuid || symbol); match--) {
            for (size_t i = 0; i < catalog->file_count; i++) {
                struct catalog_file *file = &catalog->files[i];
                if ((int)match_chipset(file, chipset) != match)
                    continue;
                int result = load(file, error);
                if (result < 0)
                    return result;
                *out = find_in(file, chipset, by_uuid ? uuid : NULL, symbol);
                if (*out)
                    return 0;
            }
        }
    }
    struct buffer searched = {0};
    const char *nearest = symbol ? nearest_set(catalog, chipset, symbol) : NULL;
    describe_search(catalog, &searched);
    fail(error, -ENOENT, "unknown metric set %s%s%s for %s, expected %s%sone in %s",
         symbol ? symbol : "", symbol && uuid ? " or " : "", uuid ? uuid : "", chipset,
         nearest ? nearest : "", nearest ? " or another " : "",
         searched.broken ? "the search path" : searched.bytes);
    buffer_fini(&searched);
    return -ENOENT;
}

ptrdiff_t tally_catalog_sets(struct tally_catalog *catalog, const char *chipset,
                             const struct tally_metric_set *const **out, struct tally_error *error)
{
    size_t count = 0, capacity = 0;
    int complete = check(catalog, error);
    if (complete < 0)
        return complete;
    free(catalog->listed);
    catalog->listed = NULL;
    for (size_t i = 0; i < catalog->file_count; i++) {
        struct catalog_file *file = &catalog->files[i];
        const char *name = file->chipset ? file->chipset : "";
        bool matches = !chipset || match_chipset(file, chipset) ||
                       (!file->signals && !strncasecmp(name, chipset, strlen(chipset)));
        if (!matches || !*name) /* no chipset: not a metric-set file */
            continue;
        int result = load(file, error);
        if (result < 0)
            return result;
        for (size_t s = 0; s < file->file->set_count; s++) {
            if (!is_set_for(file, &file->file->sets[s], chipset))
                continue;
            const struct tally_metric_set **listed =
                array_grow(catalog->listed, &capacity, count, sizeof *listed);
            if (!listed)
                return fail_memory(error, "a list of metric sets");
            catalog->listed = listed;
            listed[count++] = &file->file->sets[s];
        }
    }
    *out = catalog->listed;
    return (ptrdiff_t)count;
}
