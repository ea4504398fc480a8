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

static bool in_tree(const char *name, char out[TREE_PATH_SIZE])
{
    int length = snprintf(out, TREE_PATH_SIZE, "%s/" EMULATE_ROOT "%s", directory, name);
    return length > 0 && length < TREE_PATH_SIZE;
}

void path_of_minor(unsigned minor, char out[TREE_PATH_SIZE])
{
    in_tree(minor < 128 ? "/dev/dri/card0" : "/dev/dri/renderD128", out);
}

/* Quick check: returns false only if an absolute name is real. */
static bool is_near(const char *name)
{
    name += strspn(name, "/");
    return !strncmp(name, "dev", 3) || !strncmp(name, "proc", 4) || !strncmp(name, "sys", 3);
}

bool path_tree_part(const char *real, char out[TREE_PATH_SIZE])
{
    return *directory && is_near(real) && in_tree(real, out);
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

/* ---- the table ------------------------------------------------------------------------------- */

#define A_LINK 1 /* link inside the tree */
#define DEBUG  "/sys/kernel/debug"
#define TRACE  "/sys/kernel/tracing"

static const struct {
    const char *name;
    uint8_t kind;   /* enum path_kind */
    uint8_t detail; /* minor; enum emulate_content; A_LINK or 0 */
} rows[] = {
    {"/dev/dri/card0", PATH_DEVICE, 0},
    {"/dev/dri/renderD128", PATH_DEVICE, 128},
    {"/dev/dri/by-path/pci-0000:00:02.0-card", PATH_LINK, 0},
    {"/dev/dri/by-path/pci-0000:00:02.0-render", PATH_LINK, 128},
    {"/dev/char/226:0", PATH_LINK, 0},
    {"/dev/char/226:128", PATH_LINK, 128},
    {"/dev/dri", PATH_VIRTUAL, 0},
    {"/dev/cpu_dma_latency", PATH_VIRTUAL, 0},
    {"/proc/modules", PATH_CONTENT, EMULATE_MODULES},
    {"/proc/sys/dev/i915", PATH_VIRTUAL, 0},
    {"/sys/bus/event_source/devices/i915", PATH_VIRTUAL, A_LINK},
    {"/sys/bus/pci/devices/0000:00:02.0", PATH_VIRTUAL, A_LINK},
    {"/sys/bus/pci/drivers/i915", PATH_VIRTUAL, 0},
    {"/sys/bus/pci/drivers/nouveau", PATH_VIRTUAL, 0},
    {"/sys/class/drm", PATH_VIRTUAL, 0},
    {"/sys/class/vtconsole", PATH_VIRTUAL, 0}, /* written by IGT GPU Tools */
    {"/sys/dev/char/226:", PATH_VIRTUAL, A_LINK},
    {"/sys/devices/i915", PATH_VIRTUAL, 0},
    {"/sys/devices/pci0000:00/0000:00:02.0", PATH_VIRTUAL, 0},
    {DEBUG, PATH_VIRTUAL, 0},
    {TRACE, PATH_VIRTUAL, 0},
    {"/sys/module/i915", PATH_VIRTUAL, 0},
    {"/sys/module/nouveau", PATH_VIRTUAL, 0},
};

static bool starts(const char *name, const char *with)
{
    size_t length = strlen(with);
    return !strncmp(name, with, length) &&
           (!name[length] || name[length] == '/' || with[length - 1] == ':');
}

static bool ends(const char *name, const char *with)
{
    size_t length = strlen(name), tail = strlen(with);
    return length >= tail && !strcmp(name + length - tail, with);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Whether a name is known to be a directory and not a link: there are no links to directories below
 * /dev/dri. */
static bool is_directory(const char *name)
{
    if (starts(name, "/dev/dri"))
        return true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].kind == PATH_VIRTUAL && rows[i].detail != A_LINK && !strcmp(name, rows[i].name))
            return true;
    return false;
}

/* Removes empty components and "."; removes ".." unless the kernel must resolve it because of links
 * in the tree. Returns false if the name is too long. *left: length of the part that ".." reached
 * outside the tree; 0: none. */
static bool normalize(const char *name, char out[TREE_PATH_SIZE], size_t *left)
{
    size_t used = 0, length;
    for (; *name; name += length) {
        name += strspn(name, "/");
        length = strcspn(name, "/");
        if (!length || (length == 1 && *name == '.'))
            continue;
        out[used] = '\0';
        if (length == 2 && name[0] == '.' && name[1] == '.' && is_directory(out)) {
            used = (size_t)(strrchr(out, '/') - out);
            *left = used;
            continue;
        }
        if (used + length + 2 > TREE_PATH_SIZE)
            return false;
        out[used++] = '/';
        memcpy(out + used, name, length);
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
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (const char *word = rows[i].name + 1, *end; *word; word = *end ? end + 1 : end) {
            end = word + strcspn(word, "/");
            words |= hash_word(word, (size_t)(end - word));
        }
}

/* Whether a name of the table has this component. */
static bool is_word(const char *word)
{
    size_t length = strlen(word);
    if (!length || !(words & hash_word(word, length)))
        return false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (const char *at = rows[i].name; (at = strstr(at, word)); at += length)
            if (at[-1] == '/' && (!at[length] || at[length] == '/'))
                return true;
    return false;
}

/* Whether a name relative to an unknown directory may be virtual: its last component is one of the
 * table, or the file is handled specially. */
static bool may_be_virtual(const char *name)
{
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    return is_word(base) || proc_may_have(base) || !strcmp(base, "rc6_residency_ms") ||
           !strncmp(base, "226:", 4);
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
    return at == AT_FDCWD ? !__atomic_load_n(&been_near, __ATOMIC_RELAXED)
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
    static const char *const texts[DESCRIPTOR_TIMER + 1] = {
        [DESCRIPTOR_STREAM] = "anon_inode:[i915_perf]",
        [DESCRIPTOR_EVENT] = "anon_inode:[perf_event]",
        [DESCRIPTOR_FENCE] = "anon_inode:sync_file",
        [DESCRIPTOR_SYNCOBJ] = "anon_inode:syncobj_file",
        [DESCRIPTOR_BUFFER] = "/dmabuf:",
        [DESCRIPTOR_TIMER] = "anon_inode:[timerfd]"};
    struct descriptor descriptor;
    int fd, saved = errno;
    bool ours =
        *directory && name && names_descriptor(name, &fd) && descriptor_is_ours(fd, &descriptor);
    errno = saved;
    return ours ? texts[descriptor.kind] : NULL;
}

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
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strncmp(rows[i].name, name, length) && rows[i].name[length] == '/')
            return !exists(name, length) && in_tree(name, out->real) &&
                   exists(out->real, strlen(out->real));
    return false;
}

static enum path_kind find_normalized(const char *name, struct path *out)
{
    struct descriptor descriptor;
    char traced[TREE_PATH_SIZE];
    int fd;
    if (starts(name, DEBUG "/tracing")) { /* the kernel mounts the other there */
        snprintf(traced, sizeof traced, TRACE "%s", name + sizeof DEBUG "/tracing" - 1);
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
    if (ids_simulated() && !strcmp(name, "/proc/self/status"))
        return strcpy(out->real, name), PATH_STATUS;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!starts(name, rows[i].name) || !in_tree(name, out->real))
            continue;
        bool exact = !strcmp(name, rows[i].name);
        if (rows[i].kind == PATH_DEVICE || rows[i].kind == PATH_LINK) {
            out->minor = rows[i].detail;
            return exact ? (enum path_kind)rows[i].kind : PATH_VIRTUAL;
        }
        out->content = (enum emulate_content)rows[i].detail;
        out->root_only = starts(name, DEBUG) || starts(name, TRACE) || ends(name, "/error") ||
                         ends(name, "/resource0");
        out->root_writes = starts(name, "/proc/sys") || starts(name, "/sys");
        if (rows[i].kind == PATH_CONTENT)
            return exact ? PATH_CONTENT : PATH_REAL;
        if (starts(name, DEBUG "/dri")) {
            out->content = EMULATE_DEBUG;
            return PATH_CONTENT;
        }
        if (ends(name, "/rc6_residency_ms")) {
            out->content = EMULATE_RESIDENCY;
            return PATH_CONTENT;
        }
        if (ends(name, "/error")) {
            out->content = EMULATE_ERROR;
            return PATH_CONTENT;
        }
        if (ends(name, "_act_freq_mhz")) {
            out->content = EMULATE_FREQUENCY;
            return PATH_CONTENT;
        }
        return PATH_VIRTUAL;
    }
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
    if (!exists(out->real, left) && !in_tree(absolute, out->real))
        return PATH_REAL;
    return PATH_VIRTUAL;
}

enum path_kind path_of(int at, const char *name, struct path *out)
{
    int saved = errno;
    out->kind = PATH_REAL;
    out->root_only = out->root_writes = false;
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
    /* With a slash at the end, the kernel follows the link. */
    size_t length = kind == PATH_VIRTUAL ? strlen(out->real) : 0, given = kind ? strlen(name) : 0;
    if (length && given && name[given - 1] == '/' && length + 1 < sizeof out->real)
        strcpy(out->real + length, "/");
    return out->kind = kind;
}

bool path_is_node(const struct path *path)
{
    return path->kind == PATH_DEVICE || path->kind == PATH_LINK || path->kind == PATH_DESCRIPTOR;
}
