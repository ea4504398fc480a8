/* SPDX-License-Identifier: MIT */
#include "vm/guest/root.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

#define LINKS_MAX 40 /* on the way to a file, as the kernel allows */

/* ---- paths ----------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

void root_fini(struct root *root)
{
    tdestroy(root->paths, free);
    buffer_fini(&root->cpio.bytes);
    *root = (struct root){0};
}

bool root_has(const struct root *root, const char *path)
{
    return tfind(path, &root->paths, compare) != NULL;
}

/* Remembers a path. Returns false if it is there, or out of memory. */
static bool remember(struct root *root, const char *path)
{
    if (root_has(root, path))
        return false;
    char *copy = strdup(path);
    if (!copy || !tsearch(copy, &root->paths, compare)) {
        free(copy);
        root->cpio.bytes.broken = true;
        return false;
    }
    return true;
}

/* Adds the directories above a path. */
static void add_parents(struct root *root, const char *path)
{
    char parent[PATH_MAX];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(parent, sizeof parent, "%.*s", (int)(slash - path), path);
        if (remember(root, parent))
            cpio_directory(&root->cpio, parent + 1, 0755);
    }
}

/* Whether an entry is to be added at `path`; its directories are then there. */
static bool begin(struct root *root, const char *path)
{
    if (root_has(root, path))
        return false;
    add_parents(root, path);
    return remember(root, path);
}

/* ---- entries --------------------------------------------------------------------------------- */

void root_directory(struct root *root, const char *path, unsigned mode)
{
    if (begin(root, path))
        cpio_directory(&root->cpio, path + 1, mode);
}

void root_file(struct root *root, const char *path, unsigned mode, const void *bytes, size_t size)
{
    if (begin(root, path))
        cpio_file(&root->cpio, path + 1, mode, bytes, size);
}

void root_link(struct root *root, const char *path, const char *target)
{
    if (begin(root, path))
        cpio_symlink(&root->cpio, path + 1, target);
}

void root_character_device(struct root *root, const char *path, unsigned mode, unsigned major,
                           unsigned minor)
{
    if (begin(root, path))
        cpio_character_device(&root->cpio, path + 1, mode, major, minor);
}

int root_end(struct root *root, struct tally_error *error)
{
    cpio_end(&root->cpio);
    return root->cpio.bytes.broken ? fail_memory(error, "the guest's files") : 0;
}

/* ---- the machine's links --------------------------------------------------------------------- */

/* The way that is left, and the part that is resolved: "" or an absolute path without links. */
struct way {
    char left[2 * PATH_MAX];
    char resolved[PATH_MAX];
    unsigned links;
};

/* Takes the next component of the way; false at its end. */
static bool next_component(struct way *way, char name[NAME_MAX + 1])
{
    char *at = way->left + strspn(way->left, "/");
    size_t size = strcspn(at, "/");
    if (!size)
        return false;
    snprintf(name, NAME_MAX + 1, "%.*s", (int)size, at);
    memmove(way->left, at + size, strlen(at + size) + 1);
    return true;
}

static int too_long(const char *path, struct tally_error *error)
{
    return fail(error, -ENAMETOOLONG, "%.150s: the path is too long", path);
}

/* Puts the target of a link in front of the way that is left. */
static int follow(struct way *way, const char *target, const char *path, struct tally_error *error)
{
    char rest[sizeof way->left];
    if (++way->links > LINKS_MAX)
        return fail(error, -ELOOP, "%.150s: %s", path, strerror(ELOOP));
    strcpy(rest, way->left);
    if (snprintf(way->left, sizeof way->left, "%s/%s", target, rest) >= (int)sizeof way->left)
        return too_long(path, error);
    if (*target == '/')
        *way->resolved = '\0';
    return 0;
}

/* Takes one more component of the way. */
static int step(struct root *root, struct way *way, const char *name, const char *path,
                struct tally_error *error)
{
    char next[PATH_MAX], target[PATH_MAX];
    struct stat status;
    if (!strcmp(name, "."))
        return 0;
    if (!strcmp(name, "..")) {
        char *slash = strrchr(way->resolved, '/');
        if (slash)
            *slash = '\0';
        return 0;
    }
    if (snprintf(next, sizeof next, "%s/%s", way->resolved, name) >= PATH_MAX)
        return too_long(path, error);
    if (lstat(next, &status) < 0)
        return fail(error, -errno, "cannot open %.150s: %s", path, strerror(errno));
    if (S_ISLNK(status.st_mode)) {
        ssize_t size = readlink(next, target, sizeof target - 1);
        if (size < 0)
            return fail(error, -errno, "cannot read the link %.150s: %s", next, strerror(errno));
        target[size] = '\0';
        root_link(root, next, target);
        return follow(way, target, path, error);
    }
    if (S_ISDIR(status.st_mode))
        root_directory(root, next, status.st_mode & 0777);
    strcpy(way->resolved, next);
    return 0;
}

int root_way(struct root *root, const char *path, char resolved[PATH_MAX],
             struct tally_error *error)
{
    struct way way = {.resolved = ""};
    char name[NAME_MAX + 1];
    if (*path != '/' && !getcwd(way.left, PATH_MAX))
        return fail(error, -errno, "the working directory: %s", strerror(errno));
    size_t size = strlen(way.left);
    if (strlen(path) >= PATH_MAX)
        return too_long(path, error);
    snprintf(way.left + size, sizeof way.left - size, "/%s", path);
    while (next_component(&way, name)) {
        int result = step(root, &way, name, path, error);
        if (result < 0)
            return result;
    }
    strcpy(resolved, *way.resolved ? way.resolved : "/");
    return 0;
}
