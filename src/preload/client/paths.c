/* SPDX-License-Identifier: MIT */
/* Decides which files are virtual: everything below some directories, and a few single files. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/client/client.h"

/* ---- the tree -------------------------------------------------------------------------------- */

static char directory[108]; /* sizeof sockaddr_un.sun_path */

const char *tree_directory(void)
{
    return *directory ? directory : NULL;
}

/* Set when relative names may be virtual in the working directory. Never cleared, because a child
 * of vfork() that changes its directory shares this memory. */
static bool been_near;

bool path_in_tree(const char *name, char out[TREE_PATH_SIZE])
{
    int length = snprintf(out, TREE_PATH_SIZE, "%s/" EMULATE_ROOT "%s", directory, name);
    return length > 0 && length < TREE_PATH_SIZE;
}

void path_of_minor(unsigned minor, char out[TREE_PATH_SIZE])
{
    path_in_tree(minor < 128 ? "/dev/dri/card0" : "/dev/dri/renderD128", out);
}

/* Quick check: returns false only if an absolute name is real. */
static bool is_near(const char *name)
{
    name += strspn(name, "/");
    return !strncmp(name, "dev", 3) || !strncmp(name, "proc", 4) || !strncmp(name, "sys", 3);
}

bool path_tree_part(const char *real, char out[TREE_PATH_SIZE])
{
    return *directory && is_near(real) && path_in_tree(real, out);
}

const char *path_outside(const char *path)
{
    size_t length = strlen(directory), root = sizeof EMULATE_ROOT - 1;
    if (!length || strncmp(path, directory, length) || path[length] != '/' ||
        strncmp(path + length + 1, EMULATE_ROOT, root))
        return NULL;
    path += length + 1 + root;
    return *path == '/' ? path : !*path ? "/" : NULL;
}

/* Gets the path of a directory from the kernel. */
static bool find_place(int at, char out[TREE_PATH_SIZE])
{
    char link[64];
    if (at == AT_FDCWD)
        return syscall(SYS_getcwd, out, (size_t)TREE_PATH_SIZE) > 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", at);
    ssize_t length = NEXT(readlink)(link, out, TREE_PATH_SIZE - 1);
    out[length > 0 ? length : 0] = '\0';
    return *out == '/';
}

bool path_of_descriptor(int fd, char out[TREE_PATH_SIZE])
{
    int saved = errno;
    bool found = find_place(fd, out);
    errno = saved;
    return found;
}

void path_moved(void)
{
    char place[TREE_PATH_SIZE];
    int saved = errno;
    if (*directory && find_place(AT_FDCWD, place) &&
        (path_outside(place) || is_near(place) || !strcmp(place, "/")))
        __atomic_store_n(&been_near, true, __ATOMIC_RELAXED);
    errno = saved;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Whether a name is known to be a directory and not a link: there are no links to directories below
 * /dev/dri. */
static bool is_directory(const char *name)
{
    if (!strcmp(name, "/dev/dri") || !strncmp(name, "/dev/dri/", 9))
        return true;
    for (const struct tree_row *row = tree_rows; row->name; row++)
        if (row->kind == PATH_VIRTUAL && row->detail != TREE_A_LINK && !strcmp(name, row->name))
            return true;
    return false;
}

/* Replaces a directory of the machine by the one above it. Returns false if it is none. */
static bool go_up(char directory_name[TREE_PATH_SIZE], size_t *used)
{
    char above[TREE_PATH_SIZE + 4], real[TREE_PATH_SIZE];
    struct path path;
    int saved = errno;
    bool found = false;
    snprintf(above, sizeof above, "%s/..", *used ? directory_name : "");
    if (rows_find(directory_name, &path) == PATH_REAL) {
        int fd = (int)syscall(SYS_openat, AT_FDCWD, above, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
        found = fd >= 0 && find_place(fd, real);
        if (fd >= 0)
            syscall(SYS_close, fd);
    }
    if (found) {
        strcpy(directory_name, strcmp(real, "/") ? real : "");
        *used = strlen(directory_name);
    }
    errno = saved;
    return found;
}

/* Returns the next component of a name, and moves the name behind it; NULL: there is none. */
static const char *next_word(const char **name, size_t *length)
{
    const char *word = *name + strspn(*name, "/");
    *length = strcspn(word, "/");
    *name = word + *length;
    return *length ? word : NULL;
}

static bool is_up(const char *word, size_t length)
{
    return length == 2 && word[0] == '.' && word[1] == '.';
}

/* Removes empty components, "." and ".."; not ".." that the kernel must resolve because of links in
 * the tree. Returns false if the name is too long. *left: length of the part that ".." reached
 * outside the tree; 0: none. */
static bool normalize(const char *name, char out[TREE_PATH_SIZE], size_t *left)
{
    size_t used = 0, length;
    for (const char *word; (word = next_word(&name, &length));) {
        if (length == 1 && *word == '.')
            continue;
        out[used] = '\0';
        if (is_up(word, length) && is_directory(out)) {
            used = (size_t)(strrchr(out, '/') - out);
            *left = used;
            continue;
        }
        if (is_up(word, length) && go_up(out, &used))
            continue;
        if (used + length + 2 > TREE_PATH_SIZE)
            return false;
        out[used++] = '/';
        memcpy(out + used, word, length);
        used += length;
    }
    out[used] = '\0';
    return true;
}

/* The components of the table's names, as a set of hashes. */
static uint64_t words;

static uint64_t hash_word(const char *word, size_t length)
{
    return 1ull << ((length * 7 + (unsigned char)word[0] + (unsigned char)word[length - 1]) % 64);
}

static void note_words(void)
{
    size_t length;
    for (const struct tree_row *row = tree_rows; row->name; row++)
        for (const char *at = row->name, *word; (word = next_word(&at, &length));)
            words |= hash_word(word, length);
}

/* Whether a name of the table has this component. */
static bool is_word(const char *wanted, size_t wanted_length)
{
    size_t length;
    if (!(words & hash_word(wanted, wanted_length)))
        return false;
    for (const struct tree_row *row = tree_rows; row->name; row++)
        for (const char *at = row->name, *word; (word = next_word(&at, &length));)
            if (length == wanted_length && !memcmp(word, wanted, length))
                return true;
    return false;
}

/* Whether a name relative to an unknown directory may be virtual: it has a component of the table,
 * or the file is handled specially. */
static bool may_be_virtual(const char *name)
{
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    size_t length;
    if (proc_may_have(base) || !strcmp(base, "rc6_residency_ms") || !strncmp(base, "226:", 4))
        return true;
    for (const char *word; (word = next_word(&name, &length));)
        if (is_word(word, length))
            return true;
    return false;
}

__attribute__((constructor)) static void find_directory(void)
{
    const char *name = getenv(EMULATE_ENVIRONMENT);
    struct stat about;
    if (name && strlen(name) + sizeof EMULATE_SOCKET < sizeof directory &&
        (NEXT(stat)(name, &about) < 0 || ids_trusts(about.st_uid)))
        strcpy(directory, name);
    note_words();
    path_moved();
}

/* Must be fast, because nearly all names are real. */
bool path_is_real(int at, const char *name)
{
    if (!*directory || !name || !*name)
        return true;
    if (*name == '/')
        return !is_near(name);
    return at == AT_FDCWD ? !__atomic_load_n(&been_near, __ATOMIC_RELAXED) &&
                                !(is_up(name, strcspn(name, "/")) && may_be_virtual(name))
                          : descriptor_is_real(at) && !may_be_virtual(name);
}

/* Returns the directory of a relative name, as the program sees it. */
static const char *find_start(int at, char place[TREE_PATH_SIZE])
{
    if (!find_place(at, place))
        return NULL;
    const char *outside = path_outside(place);
    return outside ? outside : place;
}

/* ---- descriptors' names ---------------------------------------------------------------------- */

/* Parses /proc/self/fd/N, /proc/PID/fd/N of this process, and /dev/fd/N. */
static bool names_descriptor(const char *name, int *fd)
{
    int used = 0;
    char *end;
    if (!strncmp(name, "/proc/self/fd/", 14))
        used = 14;
    else if (!strncmp(name, "/proc/thread-self/fd/", 21))
        used = 21;
    else if (!strncmp(name, "/dev/fd/", 8))
        used = 8;
    else if (!strncmp(name, "/proc/", 6) && isdigit((unsigned char)name[6]) &&
             strtol(name + 6, &end, 10) == (long)getpid() && !strncmp(end, "/fd/", 4))
        used = (int)(end + 4 - name);
    if (!used || !isdigit((unsigned char)name[used]))
        return false;
    *fd = (int)strtol(name + used, &end, 10);
    return !*end;
}

const char *path_link_text(const char *name)
{
    struct descriptor descriptor;
    int fd, saved = errno;
    bool ours =
        *directory && name && names_descriptor(name, &fd) && descriptor_is_ours(fd, &descriptor);
    errno = saved;
    return ours ? descriptor_link_text(descriptor.kind) : NULL;
}

const char *path_reopened(const char *name, char out[TREE_PATH_SIZE])
{
    int fd;
    if (!*directory || !name || !names_descriptor(name, &fd) || !descriptor_is_of_tree(fd) ||
        !path_of_descriptor(fd, out))
        return name;
    const char *outside = path_outside(out);
    return outside ? outside : name;
}

#define DEBUG_TRACING "/sys/kernel/debug/tracing"

/* ---- finding a path -------------------------------------------------------------------------- */

/* Whether the file named by the first `length` bytes exists on the machine; /sys may not be
 * mounted.
 */
static bool exists(const char *name, size_t length)
{
    char first[TREE_PATH_SIZE];
    snprintf(first, sizeof first, "%.*s", (int)length, name);
    return syscall(SYS_faccessat, AT_FDCWD, first, F_OK) == 0;
}

/* Whether a directory that the machine lacks is above one of the table: /sys/bus/pci without PCI.
 */
static bool is_missing_above(const char *name, struct path *out)
{
    size_t length = strlen(name);
    for (const struct tree_row *row = tree_rows; row->name; row++)
        if (!strncmp(row->name, name, length) && row->name[length] == '/')
            return !exists(name, length) && path_in_tree(name, out->real) &&
                   exists(out->real, strlen(out->real));
    return false;
}

static enum path_kind find_normalized(const char *name, struct path *out)
{
    struct descriptor descriptor;
    char traced[TREE_PATH_SIZE];
    int fd;
    if (!strncmp(name, DEBUG_TRACING, sizeof DEBUG_TRACING - 1) &&
        strchr("/", name[sizeof DEBUG_TRACING - 1])) { /* the kernel mounts the other there */
        snprintf(traced, sizeof traced, "/sys/kernel/tracing%s", name + sizeof DEBUG_TRACING - 1);
        name = traced;
    }
    if (names_descriptor(name, &fd)) {
        if (!descriptor_is_ours(fd, &descriptor) || descriptor.kind != DESCRIPTOR_DEVICE)
            return PATH_REAL;
        out->minor = descriptor.minor;
        path_of_minor(out->minor, out->real);
        return PATH_DESCRIPTOR;
    }
    enum path_kind kind = proc_find(name, &out->minor);
    if (kind == PATH_DESCRIPTOR)
        path_of_minor(out->minor, out->real);
    if (kind == PATH_FDINFO)
        strcpy(out->real, name);
    if (kind != PATH_REAL)
        return kind;
    if (proc_lists_mounts(name))
        return strcpy(out->real, name), PATH_MOUNTS;
    if (ids_simulated() && !strcmp(name, "/proc/self/status"))
        return strcpy(out->real, name), PATH_STATUS;
    kind = rows_find(name, out);
    if (kind != PATH_REAL)
        return kind;
    return is_missing_above(name, out) ? PATH_VIRTUAL : PATH_REAL;
}

__attribute__((noinline)) static enum path_kind find(int at, const char *name, struct path *out)
{
    char absolute[TREE_PATH_SIZE];
    const char *start;
    size_t left = 0;
    if (*name != '/') {
        char place[TREE_PATH_SIZE];
        if (!(start = find_start(at, place)))
            return PATH_REAL;
        int length = snprintf(out->real, sizeof out->real, "%s/%s", start, name);
        if (length < 0 || length >= (int)sizeof out->real)
            return PATH_REAL;
        name = out->real;
    }
    if (!normalize(name, absolute, &left))
        return PATH_REAL;
    enum path_kind kind = find_normalized(absolute, out);
    if (kind != PATH_REAL || !left)
        return kind;
    strcpy(out->real, absolute); /* ".." resolves to a file outside the tree */
    if (!exists(out->real, left) && !path_in_tree(absolute, out->real))
        return PATH_REAL;
    return PATH_VIRTUAL;
}

enum path_kind path_of(int at, const char *name, struct path *out)
{
    int saved = errno;
    out->kind = PATH_REAL;
    out->root_only = out->root_writes = out->served = false;
    if (!path_is_real(at, name))
        out->kind = find(at, name, out);
    errno = saved;
    return out->kind;
}

enum path_kind path_of_link(int at, const char *name, struct path *out)
{
    enum path_kind kind = path_of(at, name, out);
    if (kind == PATH_DESCRIPTOR)
        kind = PATH_REAL;
    if (kind == PATH_LINK)
        kind = PATH_VIRTUAL;
    /* With a slash at the end, or "/.", the kernel follows the link. */
    bool in_tree = kind == PATH_VIRTUAL || kind == PATH_CONTENT;
    size_t length = in_tree ? strlen(out->real) : 0, given = kind ? strlen(name) : 0;
    given -= given > 1 && name[given - 1] == '.';
    if (length && given && name[given - 1] == '/' && length + 1 < sizeof out->real)
        strcpy(out->real + length, "/");
    return out->kind = kind;
}

bool path_is_node(const struct path *path)
{
    return path->kind == PATH_DEVICE || path->kind == PATH_LINK || path->kind == PATH_DESCRIPTOR;
}
