/* SPDX-License-Identifier: MIT */
/*
 * Puts the tree of virtual files over the machine's. Where the machine has the directory, the
 * tree's is mounted on it. Where a name is missing, the directory above is replaced by one in a
 * temporary file system that has all of its entries, and the missing ones. Nothing outside the
 * mount namespace changes.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/client/client.h"
#include "preload/namespace/namespace.h"

#define STAGE    "stage"
#define PROC     "/proc" /* cannot be replaced: it shows each process itself, and new ones */
#define MAX_PATH 1024

struct mounts {
    const char *directory; /* the server's */
    unsigned staged;       /* number of directories that were replaced */
    char *what;            /* the file that caused an error */
};

static int fail_at(const struct mounts *mounts, const char *path)
{
    int code = errno;
    snprintf(mounts->what, 120, "%.119s", path);
    return -code;
}

static bool has_whole(const char *path)
{
    for (const struct tree_row *row = tree_rows; row->name; row++)
        if (row->kind == PATH_VIRTUAL && row->detail != TREE_A_LINK && !strcmp(row->name, path))
            return true;
    return false;
}

/* How an entry of the tree gets to its place. */
enum way { MERGED, COVERED, ADDED };

static void place_of(const struct mounts *mounts, const char *path, char out[MAX_PATH])
{
    snprintf(out, MAX_PATH, "%s/" EMULATE_ROOT "%s", mounts->directory, path);
}

static enum way way_of(const struct mounts *mounts, const char *path)
{
    char place[MAX_PATH];
    struct stat virtual, real;
    place_of(mounts, path, place);
    if (lstat(path, &real) < 0 || lstat(place, &virtual) < 0 || S_ISLNK(virtual.st_mode) ||
        S_ISDIR(virtual.st_mode) != S_ISDIR(real.st_mode))
        return ADDED;
    return S_ISDIR(virtual.st_mode) && !has_whole(path) ? MERGED : COVERED;
}

/* Makes an entry of a directory that is replaced: a link, or a file or directory that another one
 * is mounted on. */
static int stage_entry(const struct mounts *mounts, const char *from, const char *to)
{
    char target[PATH_MAX];
    struct stat about;
    if (lstat(from, &about) < 0)
        return errno == ENOENT ? 0 : fail_at(mounts, from);
    if (S_ISLNK(about.st_mode)) {
        ssize_t length = readlink(from, target, sizeof target - 1);
        target[length > 0 ? length : 0] = '\0';
        return length < 0 || symlink(target, to) < 0 ? fail_at(mounts, from) : 0;
    }
    int fd = S_ISDIR(about.st_mode) ? -1 : open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (S_ISDIR(about.st_mode) ? mkdir(to, 0700) < 0 : fd < 0)
        return fail_at(mounts, to);
    if (fd >= 0)
        close(fd);
    return mount(from, to, NULL, MS_BIND | MS_REC, NULL) < 0 ? fail_at(mounts, from) : 0;
}

/* Calls a function with the names of a directory's entries, until it returns an errno. */
static int each_entry(struct mounts *mounts, const char *directory, const char *path,
                      int (*visit)(struct mounts *mounts, const char *path, void *closure),
                      void *closure)
{
    char entry_path[MAX_PATH];
    int result = 0;
    DIR *entries = opendir(directory);
    if (!entries)
        return fail_at(mounts, directory);
    for (const struct dirent *entry; result == 0 && (entry = readdir(entries));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        snprintf(entry_path, sizeof entry_path, "%s/%s", path, entry->d_name);
        result = visit(mounts, entry_path, closure);
    }
    closedir(entries);
    return result;
}

static int cover(struct mounts *mounts, const char *path);

/* Merges and covers; counts the entries that are to be added. */
static int visit_tree(struct mounts *mounts, const char *path, void *added)
{
    char place[MAX_PATH];
    switch (way_of(mounts, path)) {
    case MERGED:
        return cover(mounts, path);
    case COVERED:
        place_of(mounts, path, place);
        return mount(place, path, NULL, MS_BIND | MS_REC, NULL) < 0 ? fail_at(mounts, path) : 0;
    default:
        ++*(unsigned *)added;
        return 0;
    }
}

static const char *base_of(const char *path)
{
    return strrchr(path, '/') + 1;
}

/* Puts the machine's entries into a staged directory, except those that the tree replaces. */
static int visit_real(struct mounts *mounts, const char *path, void *stage)
{
    char place[MAX_PATH], to[MAX_PATH];
    place_of(mounts, path, place);
    if (faccessat(AT_FDCWD, place, F_OK, AT_SYMLINK_NOFOLLOW) == 0 && way_of(mounts, path) == ADDED)
        return 0;
    snprintf(to, sizeof to, "%s/%s", (const char *)stage, base_of(path));
    return stage_entry(mounts, path, to);
}

static int visit_added(struct mounts *mounts, const char *path, void *stage)
{
    char place[MAX_PATH], to[MAX_PATH];
    if (way_of(mounts, path) != ADDED)
        return 0;
    place_of(mounts, path, place);
    snprintf(to, sizeof to, "%s/%s", (const char *)stage, base_of(path));
    return stage_entry(mounts, place, to);
}

static int cover(struct mounts *mounts, const char *path)
{
    char place[MAX_PATH], stage[MAX_PATH];
    struct stat about;
    unsigned added = 0;
    place_of(mounts, path, place);
    int result = each_entry(mounts, place, path, visit_tree, &added);
    if (result < 0 || !added || !strcmp(path, PROC))
        return result;
    snprintf(stage, sizeof stage, "%s/" STAGE "/%u", mounts->directory, mounts->staged++);
    if (mkdir(stage, 0755) < 0 || stat(path, &about) < 0 || chmod(stage, about.st_mode & 0777) < 0)
        return fail_at(mounts, stage);
    result = each_entry(mounts, path, path, visit_real, stage);
    if (result == 0)
        result = each_entry(mounts, place, path, visit_added, stage);
    if (result == 0 && mount(stage, path, NULL, MS_BIND | MS_REC, NULL) < 0)
        result = fail_at(mounts, path);
    return result;
}

int mounts_make(const char *directory, char what[static 120])
{
    static const char *const tops[] = {"/dev", "/sys", PROC};
    struct mounts mounts = {.directory = directory, .what = what};
    char stage[MAX_PATH];
    mode_t mask = umask(0);
    snprintf(stage, sizeof stage, "%s/" STAGE, directory);
    int result = 0;
    if ((mkdir(stage, 0755) < 0 && errno != EEXIST) ||
        mount("tally", stage, "tmpfs", MS_NOSUID, "mode=755") < 0)
        result = fail_at(&mounts, stage);
    for (size_t i = 0; result == 0 && i < sizeof tops / sizeof *tops; i++)
        result = cover(&mounts, tops[i]);
    umask(mask);
    return result;
}
