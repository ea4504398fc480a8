/* SPDX-License-Identifier: MIT */
/* Many names for one file, and functions that search directories. */
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "client.h"

#define CARD_BY_PATH "/dev/dri/by-path/pci-0000:00:02.0-card"

/* ---- names of the nodes ---------------------------------------------------------------------- */

static bool works(int fd)
{
    int value;
    bool good = fd >= 0 && getparam(fd, 4, &value) == 0;
    if (fd >= 0)
        close(fd);
    return good;
}

static void check_node(int at, const char *name, unsigned minor)
{
    struct stat about;
    struct statx more;
    CHECK(works(openat(at, name, O_RDWR | O_CLOEXEC)), "%s cannot be opened", name);
    WORKS(fstatat(at, name, &about, 0));
    WORKS(statx(at, name, 0, STATX_ALL, &more));
    CHECK(S_ISCHR(about.st_mode) && about.st_rdev == makedev(226, minor), "%s: mode 0%o, %u:%u",
          name, (unsigned)about.st_mode, major(about.st_rdev), minor(about.st_rdev));
    CHECK(S_ISCHR(more.stx_mode) && more.stx_rdev_major == 226 && more.stx_rdev_minor == minor,
          "%s: %u:%u", name, more.stx_rdev_major, more.stx_rdev_minor);
}

static void names_of_nodes(struct device *device)
{
    static const struct {
        const char *directory, *name; /* NULL: the name is absolute */
        unsigned minor;
    } names[] = {
        {NULL, "/dev/dri//card0", 0},      {NULL, "//dev//dri/renderD128", 128},
        {NULL, "/dev/./dri/./card0", 0},   {NULL, "/dev/dri/../dri/card0", 0},
        {NULL, CARD_BY_PATH, 0},           {NULL, "/dev/dri/by-path/pci-0000:00:02.0-render", 128},
        {NULL, "/dev/char/226:0", 0},      {"/dev/dri", "card0", 0},
        {"/dev/dri", "./renderD128", 128}, {"/dev/dri/by-path", "../card0", 0},
        {"/dev", "dri/card0", 0},
    };
    char start[4096];
    (void)device;
    CHECK(getcwd(start, sizeof start), "%s", strerror(errno));
    for (size_t i = 0; i < COUNT(names); i++) {
        int at = AT_FDCWD;
        if (names[i].directory)
            at = (int)WORKS(open(names[i].directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        check_node(at, names[i].name, names[i].minor);
        if (!names[i].directory)
            continue;
        WORKS(fchdir(at));
        close(at);
        check_node(AT_FDCWD, names[i].name, names[i].minor);
        WORKS(chdir(start));
    }
    FAILS(open("/dev/dri/card0", O_RDONLY | O_DIRECTORY), ENOTDIR);
    FAILS(open("/dev/dri/card0", O_RDWR | O_CREAT | O_EXCL, 0600), EEXIST);
    CHECK(works(creat("/dev/dri/card0", 0600)), "creat()");
    FILE *file = fopen("/dev/dri/card0", "r+");
    CHECK(file && works(dup(fileno(file))), "fopen()");
    fclose(file);
}

static void links_to_nodes(struct device *device)
{
    char text[64] = "", path[4096];
    struct stat about;
    (void)device;
    WORKS(lstat(CARD_BY_PATH, &about));
    CHECK(S_ISLNK(about.st_mode), "mode 0%o", (unsigned)about.st_mode);
    WORKS(readlink(CARD_BY_PATH, text, sizeof text - 1));
    CHECK(!strcmp(text, "../card0"), "%s", text);
    FAILS(open(CARD_BY_PATH, O_RDWR | O_NOFOLLOW), ELOOP);
    CHECK(realpath(CARD_BY_PATH, path) && !strcmp(path, "/dev/dri/card0"), "%s", path);
}

/* ---- directories ----------------------------------------------------------------------------- */

static void working_directory(struct device *device)
{
    static const char card[] = "/sys/devices/pci0000:00/0000:00:02.0/drm/card0";
    char text[64], path[4096], start[4096];
    (void)device;
    CHECK(getcwd(start, sizeof start), "%s", strerror(errno));
    WORKS(chdir("/sys/class/drm/card0"));
    CHECK(getcwd(path, sizeof path) && !strcmp(path, card), "it is %s", path);
    CHECK(read_text("device/vendor", text, sizeof text) > 0 && !strcmp(text, "0x8086\n"), "%s",
          strerror(errno));
    memset(path, 0, sizeof path);
    WORKS(readlink("/proc/self/cwd", path, sizeof path - 1));
    CHECK(!strcmp(path, card), "it is %s", path);
    CHECK(realpath("device", path) && !strcmp(path, "/sys/devices/pci0000:00/0000:00:02.0"), "%s",
          path);
    WORKS(chdir("/dev/dri"));
    WORKS(chdir(".."));
    CHECK(getcwd(path, sizeof path) && !strcmp(path, "/dev"), "it is %s", path);
    WORKS(access("null", R_OK)); /* the machine's file */
    WORKS(chdir(start));
    int fd = (int)WORKS(open("/dev/dri/../zero", O_RDONLY));
    CHECK(read(fd, text, 1) == 1 && !*text, "%s", strerror(errno));
    close(fd);
}

static unsigned nodes_found;

static int visit(const char *name, const struct stat *about, int kind, struct FTW *where)
{
    bool node = !strcmp(name, "/dev/dri/card0") || !strcmp(name, "/dev/dri/renderD128");
    (void)kind;
    CHECK(!strncmp(name, "/dev/dri", 8), "%s", name);
    CHECK(node == S_ISCHR(about->st_mode), "%s: mode 0%o", name, (unsigned)about->st_mode);
    CHECK(!node || !strncmp(name + where->base, name + 9, 5), "%s from %d", name, where->base);
    nodes_found += node;
    return 0;
}

static void check_glob(const char *pattern, size_t count)
{
    glob_t found;
    int result = glob(pattern, 0, NULL, &found);
    CHECK(result == 0 && found.gl_pathc == count, "%s: %d, %zu", pattern, result, found.gl_pathc);
    for (size_t i = 0; i < count; i++)
        WORKS(access(found.gl_pathv[i], R_OK));
    globfree(&found);
}

static void searches(struct device *device)
{
    struct statvfs system;
    (void)device;
    check_glob("/dev/dri/*", 3);
    check_glob("/sys/class/drm/card*/device/vendor", 1);
    check_glob("/proc/self/com[m]", 1);
    nodes_found = 0;
    WORKS(nftw("/dev/dri", visit, 8, FTW_PHYS));
    CHECK(nodes_found == 2, "%u nodes", nodes_found);
    unsigned found = 0;
    DIR *directory = opendir("/dev/dri");
    CHECK(directory, "%s", strerror(errno));
    for (struct dirent *entry; (entry = readdir(directory));)
        found += entry->d_type == DT_CHR;
    closedir(directory);
    CHECK(found == 2, "%u nodes", found);
    WORKS(statvfs("/dev/dri/card0", &system));
    int watch = (int)WORKS(inotify_init());
    WORKS(inotify_add_watch(watch, "/dev/dri", IN_CREATE));
    close(watch);
    WORKS(eaccess("/dev/dri/card0", R_OK | W_OK));
    FILE *file = freopen("/sys/class/drm/version", "r", fopen("/dev/null", "r"));
    CHECK(file && fgetc(file) == 'd', "freopen()");
    fclose(file);
}

/* ---- listings -------------------------------------------------------------------------------- */

static const char *wanted;

static int is_wanted(const struct dirent *entry)
{
    return !strcmp(entry->d_name, wanted);
}

/* Returns how often a directory lists the name; with fdopendir(), and again after rewinddir(). */
static unsigned count_entries(const char *name)
{
    unsigned found[2] = {0};
    DIR *directory = fdopendir((int)WORKS(open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
    CHECK(directory, "%s: %s", name, strerror(errno));
    for (unsigned i = 0; i < 2; i++) {
        errno = 0;
        for (struct dirent *entry; (entry = readdir(directory));)
            found[i] += (unsigned)is_wanted(entry);
        CHECK(!errno && !readdir(directory), "%s: %s", name, strerror(errno));
        rewinddir(directory);
    }
    CHECK(found[0] == found[1], "%s: %u, then %u", name, found[0], found[1]);
    closedir(directory);
    return found[0];
}

static void free_list(struct dirent **list, int count)
{
    for (int i = 0; i < count; i++)
        free(list[i]);
    free(list);
}

static void check_scandir(const char *name)
{
    struct dirent **list;
    const char *base = strrchr(name, '/') + 1;
    char above[64];
    snprintf(above, sizeof above, "%.*s", (int)(base - name), name);
    int count = (int)WORKS(scandir(name, &list, is_wanted, alphasort));
    CHECK(count == 1 && is_wanted(list[0]), "%s: %d of %s", name, count, wanted);
    free_list(list, count);
    int fd = (int)WORKS(open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    count = (int)WORKS(scandirat(fd, base, &list, NULL, alphasort));
    unsigned found = 0;
    for (int i = 0; i < count; i++) {
        found += (unsigned)is_wanted(list[i]);
        CHECK(!i || strcmp(list[i - 1]->d_name, list[i]->d_name) < 0, "%s: %s twice", name,
              list[i]->d_name);
    }
    CHECK(found == 1, "%s: %u of %s", name, found, wanted);
    free_list(list, count);
    close(fd);
}

/* Real directories have the virtual entries, and the real ones, once. */
static void listings(struct device *device)
{
    static const char *const names[][2] = {
        {"/dev", "null"},
        {"/dev", "dri"},
        {"/dev/char", "226:0"},
        {"/sys/bus/event_source/devices", "i915"},
        {"/sys/bus/event_source/devices", "software"},
        {"/sys/bus/pci/devices", "0000:00:02.0"},
        {"/sys/bus/pci/drivers", "i915"},
        {"/sys/class", "drm"},
        {"/sys/dev/char", "226:128"},
        {"/sys/devices", "i915"},
        {"/sys/devices/pci0000:00", "0000:00:02.0"},
        {"/sys/kernel", "debug"},
        {"/sys/module", "i915"},
    };
    char path[128];
    struct stat about, through;
    (void)device;
    for (size_t i = 0; i < COUNT(names); i++) {
        wanted = names[i][1];
        unsigned found = count_entries(names[i][0]);
        CHECK(found == 1, "%s has %u %s", names[i][0], found, wanted);
        check_scandir(names[i][0]);
        snprintf(path, sizeof path, "%s/%c*", names[i][0], *wanted);
        glob_t matches;
        found = 0;
        CHECK(glob(path, 0, NULL, &matches) == 0, "%s", path);
        for (size_t n = 0; n < matches.gl_pathc; n++)
            found += !strcmp(strrchr(matches.gl_pathv[n], '/') + 1, wanted);
        globfree(&matches);
        CHECK(found == 1, "%s: %u of %s", path, found, wanted);
        int fd = (int)WORKS(open(names[i][0], O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        snprintf(path, sizeof path, "%s/%s", names[i][0], wanted);
        WORKS(fstatat(fd, wanted, &about, AT_SYMLINK_NOFOLLOW));
        WORKS(lstat(path, &through));
        CHECK(about.st_ino == through.st_ino, "%s is two files", path);
        close(fd);
    }
}

static void file_systems(struct device *device)
{
    static const struct {
        const char *name;
        long type;
    } types[] = {
        {"/sys/class/drm", SYSFS_MAGIC},          {"/sys/devices/i915/type", SYSFS_MAGIC},
        {"/sys/kernel/debug", DEBUGFS_MAGIC},     {"/sys/kernel/debug/dri/128/name", DEBUGFS_MAGIC},
        {"/proc/sys/dev/i915", PROC_SUPER_MAGIC}, {"/dev/dri/card0", TMPFS_MAGIC},
    };
    struct statfs about;
    for (size_t i = 0; i < COUNT(types); i++) {
        WORKS(statfs(types[i].name, &about));
        CHECK(about.f_type == types[i].type, "%s: 0x%lx", types[i].name, (long)about.f_type);
        int fd = (int)WORKS(open(types[i].name, O_RDONLY | O_CLOEXEC));
        WORKS(fstatfs(fd, &about));
        CHECK(about.f_type == types[i].type, "%s: 0x%lx", types[i].name, (long)about.f_type);
        close(fd);
    }
    WORKS(fstatfs(device->fd, &about));
    CHECK(about.f_type == TMPFS_MAGIC, "0x%lx", (long)about.f_type);
}

/* A slash at the end of a link leads to its directory. */
static void links_with_slash(struct device *device)
{
    static const char *const names[] = {"/sys/class/drm/card0", "/sys/bus/pci/devices/0000:00:02.0",
                                        "/sys/bus/event_source/devices/i915"};
    char name[64], text[256];
    struct stat about;
    (void)device;
    for (size_t i = 0; i < COUNT(names); i++) {
        WORKS(lstat(names[i], &about));
        CHECK(S_ISLNK(about.st_mode), "%s: mode 0%o", names[i], (unsigned)about.st_mode);
        snprintf(name, sizeof name, "%s/", names[i]);
        WORKS(lstat(name, &about));
        CHECK(S_ISDIR(about.st_mode), "%s: mode 0%o", name, (unsigned)about.st_mode);
        FAILS(readlink(name, text, sizeof text), EINVAL);
    }
    memset(text, 0, sizeof text);
    WORKS(readlink(names[2], text, sizeof text - 1));
    CHECK(!strcmp(text, "../../../devices/i915"), "%s", text);
}

/* ---- changing -------------------------------------------------------------------------------- */

static void changes_are_denied(struct device *device)
{
    (void)device;
    FAILS(unlink("/dev/dri/card0"), EACCES);
    FAILS(chmod("/dev/dri/card0", 0600), EPERM);
    FAILS(mkdir("/dev/dri/more", 0700), EACCES);
    FAILS(truncate("/sys/class/drm/version", 0), EACCES);
    FAILS(access("/proc/sys/dev/i915/perf_stream_paranoid", W_OK), EACCES);
    char own[64]; /* other files can be changed */
    snprintf(own, sizeof own, "../../tmp/tally-test-%d", (int)getpid());
    WORKS(chdir("/dev/dri"));
    WORKS(mkdir(own, 0700));
    WORKS(rmdir(own));
}

static void changes(struct device *device)
{
    in_child(device, true, changes_are_denied);
    WORKS(mkdir("/dev/dri/more", 0700));
    WORKS(rmdir("/dev/dri/more"));
    WORKS(access("/proc/sys/dev/i915/perf_stream_paranoid", W_OK));
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#else
#define SANITIZED false
#endif

/* NULL and empty names: the kernel returns an error, or uses the descriptor itself. libc's headers
 * declare the names nonnull, which UBSan would check here. */
__attribute__((no_sanitize("nonnull-attribute"))) static void no_names(struct device *device)
{
    const char *volatile none = NULL;
    struct stat about;
    struct statx more;
    char text[16];
    if (SANITIZED)
        skip("sanitizers read names themselves");
    FAILS(open(none, O_RDONLY), EFAULT);
    FAILS(stat(none, &about), EFAULT);
    FAILS(access(none, R_OK), EFAULT);
    FAILS(chdir(none), EFAULT);
    FAILS(readlink(none, text, sizeof text), EFAULT);
    FAILS(unlink(none), EFAULT);
    FAILS(open("", O_RDONLY), ENOENT);
    WORKS(fstatat(device->fd, "", &about, AT_EMPTY_PATH));
    CHECK(S_ISCHR(about.st_mode), "mode 0%o", (unsigned)about.st_mode);
    WORKS(fstatat(device->fd, none, &about, AT_EMPTY_PATH)); /* since Linux 6.11 */
    WORKS(statx(device->fd, none, AT_EMPTY_PATH, STATX_ALL, &more));
    CHECK(S_ISCHR(more.stx_mode), "mode 0%o", more.stx_mode);
}

static const struct subtest rows[] = {
    {"names-of-nodes", ALL, 0, NULL,
     "the nodes can be opened by other names: with //, . and .., relative to directories and the "
     "working directory, by path, by number, and by stdio",
     names_of_nodes, false, false},
    {"links-to-nodes", ALL, 0, NULL,
     "by-path entries are links, for calls that do not follow links", links_to_nodes, false, false},
    {"working-directory", ALL, 0, NULL,
     "chdir() enters and leaves the device's directories; getcwd() and realpath() return the right "
     "names",
     working_directory, false, false},
    {"searches", ALL, 0, NULL,
     "glob(), nftw() and readdir() find the nodes; statvfs(), inotify, eaccess() and freopen() "
     "accept their paths",
     searches, false, false},
    {"listings", ALL, 0, NULL,
     "real directories list the virtual entries once, by readdir(), scandir(), scandirat() and "
     "glob(), also after rewinddir()",
     listings, false, false},
    {"file-systems", ALL, 0, NULL,
     "statfs() and fstatfs() return the type of sysfs, debugfs, procfs and tmpfs", file_systems,
     false, false},
    {"links-with-slash", ALL, 0, NULL,
     "with a slash at the end of a link, lstat() follows it and readlink() gives EINVAL",
     links_with_slash, false, false},
    {"no-names", ALL, 0, NULL, "NULL and empty names give EFAULT, ENOENT, or the descriptor itself",
     no_names, false, false},
    {"changes", ALL, 0, NULL, "without root nothing can be changed, created or removed", changes,
     false, false},
};
GROUP(names_group, rows);
