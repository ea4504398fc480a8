/* SPDX-License-Identifier: MIT */
/*
 * Interposed functions that list directories. After the last entry of a real directory follow those
 * of the directory of the same name in the tree, except those that the machine has too.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/client/client.h"

/* ---- directories with a part in the tree ----------------------------------------------------- */

/* A real directory that was listed to its end. */
struct listing {
    struct listing *next;
    const DIR *real;
    DIR *tree; /* NULL: nothing follows */
};

static struct listing *listings;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Returns the listing of a directory, or NULL. */
static struct listing *find_listing(const DIR *real)
{
    if (!__atomic_load_n(&listings, __ATOMIC_RELAXED))
        return NULL;
    pthread_mutex_lock(&lock);
    struct listing *found = listings;
    while (found && found->real != real)
        found = found->next;
    pthread_mutex_unlock(&lock);
    return found;
}

/* Ends the listing of a directory, which is closed or listed again. */
static void forget(const DIR *real)
{
    if (!find_listing(real))
        return;
    pthread_mutex_lock(&lock);
    struct listing **at = &listings;
    while (*at && (*at)->real != real)
        at = &(*at)->next;
    struct listing *found = *at;
    if (found)
        __atomic_store_n(at, found->next, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
    if (found && found->tree)
        NEXT(closedir)(found->tree);
    free(found);
}

/* Begins the tree's part of the listing of a directory. NULL: it has none. */
static struct listing *begin(DIR *real)
{
    char place[TREE_PATH_SIZE], part[TREE_PATH_SIZE];
    DIR *tree = NULL;
    if (path_of_descriptor(dirfd(real), place) && !path_outside(place) &&
        path_tree_part(place, part))
        tree = NEXT(opendir)(part);
    struct listing *listing = tree ? malloc(sizeof *listing) : NULL;
    if (!listing) {
        if (tree)
            NEXT(closedir)(tree);
        return NULL;
    }
    *listing = (struct listing){.real = real, .tree = tree};
    pthread_mutex_lock(&lock);
    listing->next = listings;
    __atomic_store_n(&listings, listing, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
    return listing;
}

/* Whether a real directory has an entry; also ".", "..". */
static bool has_entry(DIR *real, const char *name)
{
    struct stat about;
    return NEXT(fstatat)(dirfd(real), name, &about, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Whether a directory entry is a node of the device, which is a regular file in the tree. */
static bool lists_node(DIR *directory, const char *name, unsigned char type)
{
    char place[TREE_PATH_SIZE], node[TREE_PATH_SIZE];
    if (type != DT_REG || (strcmp(name, "card0") && strcmp(name, "renderD128")) ||
        !tree_directory() || !path_of_descriptor(dirfd(directory), place))
        return false;
    path_of_minor(name[0] == 'c' ? 0 : 128, node);
    *strrchr(node, '/') = '\0';
    return !strcmp(place, node);
}

/* libc's functions set errno only if they fail. */
#define READDIR(function, entry)                                                                   \
    static struct entry *function##_tree(DIR *real, struct listing *listing)                       \
    {                                                                                              \
        struct entry *next;                                                                        \
        int saved = errno;                                                                         \
        do                                                                                         \
            next = NEXT(function)(listing->tree);                                                  \
        while (next && has_entry(real, next->d_name));                                             \
        errno = saved;                                                                             \
        return next;                                                                               \
    }                                                                                              \
                                                                                                   \
    EXPORT struct entry *function(DIR *directory)                                                  \
    {                                                                                              \
        struct listing *listing = find_listing(directory);                                         \
        if (listing)                                                                               \
            return function##_tree(directory, listing);                                            \
        int saved = errno;                                                                         \
        errno = 0;                                                                                 \
        struct entry *next = NEXT(function)(directory);                                            \
        if (!next && errno)                                                                        \
            return NULL;                                                                           \
        if (next && lists_node(directory, next->d_name, next->d_type))                             \
            next->d_type = DT_CHR;                                                                 \
        listing = next || !tree_directory() ? NULL : begin(directory);                             \
        errno = saved;                                                                             \
        return listing ? function##_tree(directory, listing) : next;                               \
    }

READDIR(readdir, dirent)
READDIR(readdir64, dirent64)

EXPORT int closedir(DIR *directory)
{
    forget(directory);
    return NEXT(closedir)(directory);
}

EXPORT void rewinddir(DIR *directory)
{
    forget(directory);
    NEXT(rewinddir)(directory);
}

/* Positions in the tree's part are the end of the real one. */
EXPORT void seekdir(DIR *directory, long position)
{
    forget(directory);
    NEXT(seekdir)(directory, position);
}

/* ---- opening --------------------------------------------------------------------------------- */

EXPORT DIR *opendir(const char *name)
{
    struct path path;
    bool real = path_of(AT_FDCWD, name, &path) == PATH_REAL;
    if (!real && path.root_only && !ids_privileged()) {
        log_call(-EACCES, "opendir(\"%s\")", name);
        errno = EACCES;
        return NULL;
    }
    DIR *directory = NEXT(opendir)(real ? name : path.real);
    if (!real)
        log_call(directory ? 0 : -errno, "opendir(\"%s\")", name);
    return directory;
}

/* ---- scandir: libc's does not call our readdir() --------------------------------------------- */

struct list {
    void **entries;
    size_t count, capacity;
};

static void list_free(struct list *list)
{
    while (list->count)
        free(list->entries[--list->count]);
    free(list->entries);
}

/* Appends a copy of an entry. */
static bool list_add(struct list *list, const void *entry, size_t bytes)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 16;
        void **more = realloc(list->entries, capacity * sizeof *more);
        if (!more)
            return false;
        list->entries = more;
        list->capacity = capacity;
    }
    void *copy = malloc(bytes);
    if (!copy)
        return false;
    list->entries[list->count++] = memcpy(copy, entry, bytes);
    return true;
}

typedef int compare_fn(const void *, const void *);

/* Opens a directory like openat(), which may be one of the tree. */
static DIR *open_at(int at, const char *name)
{
    int fd = openat(at, name, O_RDONLY | O_NONBLOCK | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    if (fd >= 0 && !directory)
        close(fd);
    return directory;
}

#define SCANDIR(function, at, parameters, entry, read_entry)                                       \
    EXPORT int function parameters                                                                 \
    {                                                                                              \
        struct list found = {0};                                                                   \
        DIR *directory = open_at(at, name);                                                        \
        struct entry *next;                                                                        \
        if (!directory)                                                                            \
            return -1;                                                                             \
        int saved = errno;                                                                         \
        errno = 0;                                                                                 \
        while ((next = read_entry(directory))) {                                                   \
            if (filter && !filter(next))                                                           \
                continue;                                                                          \
            if (!list_add(&found, next, next->d_reclen)) {                                         \
                errno = ENOMEM;                                                                    \
                break;                                                                             \
            }                                                                                      \
            errno = 0; /* filter() may have set it */                                              \
        }                                                                                          \
        int wrong = errno;                                                                         \
        closedir(directory);                                                                       \
        errno = wrong ? wrong : saved;                                                             \
        if (wrong) {                                                                               \
            list_free(&found);                                                                     \
            return -1;                                                                             \
        }                                                                                          \
        if (compare && found.count)                                                                \
            qsort(found.entries, found.count, sizeof *found.entries, (compare_fn *)compare);       \
        *list = (struct entry **)found.entries;                                                    \
        return (int)found.count;                                                                   \
    }

#define SCANDIRS(entry, read_entry, plain, relative)                                               \
    SCANDIR(plain, AT_FDCWD,                                                                       \
            (const char *name, struct entry ***list, int (*filter)(const struct entry *),          \
             int (*compare)(const struct entry **, const struct entry **)),                        \
            entry, read_entry)                                                                     \
    SCANDIR(relative, at,                                                                          \
            (int at, const char *name, struct entry ***list, int (*filter)(const struct entry *),  \
             int (*compare)(const struct entry **, const struct entry **)),                        \
            entry, read_entry)

SCANDIRS(dirent, readdir, scandir, scandirat)
SCANDIRS(dirent64, readdir64, scandir64, scandirat64)
