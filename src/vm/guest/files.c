/* SPDX-License-Identifier: MIT */
#include "vm/guest/files.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/error.h"
#include "vm/guest/elf.h"
#include "vm/guest/library_cache.h"

#define LOADER_CACHE "/etc/ld.so.cache"
#define FILE_MAX     (1u << 30)
#define DEPTH_MAX    64 /* of directories, and of libraries that need each other */

/* Where the dynamic loader looks last, after its cache. */
static const char default_directories[] = "/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib64:"
                                          "/usr/lib64:/lib:/usr/lib";

struct copy {
    struct root *root;
    struct buffer cache; /* ld.so.cache */
    void *directories;   /* those whose contents are added: a search tree of paths */
    struct tally_error *error;
};

/* What the loader knows about the file that needs a library. */
struct origin {
    const char *directory;    /* $ORIGIN */
    const char *program_path; /* DT_RPATH of the program, or NULL */
    const struct elf_needs *needs;
};

/* How a file was reached. */
enum reached {
    BY_NAME,      /* it is to run or to be loaded, and must be able to */
    IN_DIRECTORY, /* it may be data for another machine */
};

static int add_path(struct copy *copy, const char *path, const char *program_path,
                    enum reached reached, unsigned depth);

/* ---- programs -------------------------------------------------------------------------------- */

static bool is_program(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

int files_find_program(const char *name, char path[PATH_MAX], struct tally_error *error)
{
    const char *list = getenv("PATH");
    if (strchr(name, '/')) {
        if (strlen(name) >= PATH_MAX || !is_program(name))
            return fail(error, -ENOENT, "%.150s: not a program", name);
        strcpy(path, name);
        return 0;
    }
    for (list = list ? list : "/usr/bin"; *list; list += strspn(list, ":")) {
        size_t size = strcspn(list, ":");
        int used = snprintf(path, PATH_MAX, "%.*s/%s", (int)size, list, name);
        if (used > 0 && used < PATH_MAX && is_program(path))
            return 0;
        list += size;
    }
    return fail(error, -ENOENT, "%.150s: not found in $PATH", name);
}

/* ---- libraries ------------------------------------------------------------------------------- */

static bool is_library(const char *path)
{
    uint8_t header[offsetof(Elf64_Ehdr, e_version)];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, header, sizeof header);
    close(fd);
    /* The loader skips libraries for another processor. */
    return n == sizeof header && elf_is(header, sizeof header) && header[EI_CLASS] == ELFCLASS64 &&
           load_le16(header + offsetof(Elf64_Ehdr, e_machine)) == EM_X86_64;
}

/* Copies a directory of a list, with $ORIGIN replaced. Returns false if it is too long. */
static bool expand(const char *directory, size_t size, const char *origin, char out[PATH_MAX])
{
    static const char *const names[] = {"$ORIGIN", "${ORIGIN}"};
    size_t used = 0;
    while (size) {
        const char *text = directory;
        size_t text_size = 1, taken = 1;
        for (size_t i = 0; i < ARRAY_COUNT(names); i++)
            if (size >= strlen(names[i]) && !memcmp(directory, names[i], strlen(names[i]))) {
                text = origin;
                text_size = strlen(origin);
                taken = strlen(names[i]);
            }
        if (used + text_size >= PATH_MAX)
            return false;
        memcpy(out + used, text, text_size);
        used += text_size;
        directory += taken;
        size -= taken;
    }
    out[used] = '\0';
    return used > 0;
}

static bool find_in_list(const char *list, const char *origin, const char *name,
                         char path[PATH_MAX])
{
    char directory[PATH_MAX];
    while (list && *list) {
        size_t size = strcspn(list, ":");
        if (expand(list, size, origin, directory) &&
            snprintf(path, PATH_MAX, "%s/%s", directory, name) < PATH_MAX && is_library(path))
            return true;
        list += size + (list[size] == ':');
    }
    return false;
}

/* Searches in the order of ld.so(8). LD_LIBRARY_PATH is not used: the guest does not have it. */
static int find_library(const struct copy *copy, const struct origin *origin, const char *name,
                        char path[PATH_MAX])
{
    const struct elf_needs *needs = origin->needs;
    if (strchr(name, '/'))
        return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX && is_library(path) ? 0 : -ENOENT;
    if (!needs->runpath && (find_in_list(needs->rpath, origin->directory, name, path) ||
                            find_in_list(origin->program_path, origin->directory, name, path)))
        return 0;
    if (find_in_list(needs->runpath, origin->directory, name, path))
        return 0;
    const char *cached = library_cache_find(copy->cache.bytes, copy->cache.size, name);
    if (cached && snprintf(path, PATH_MAX, "%s", cached) < PATH_MAX && is_library(path))
        return 0;
    return find_in_list(default_directories, "", name, path) ? 0 : -ENOENT;
}

static int add_libraries(struct copy *copy, const char *path, const struct elf_needs *needs,
                         const char *program_path, unsigned depth)
{
    char library[PATH_MAX], directory[PATH_MAX];
    snprintf(directory, sizeof directory, "%s", path);
    *strrchr(directory, '/') = '\0';
    struct origin origin = {directory, program_path, needs};
    int result = needs->interpreter ? add_path(copy, needs->interpreter, NULL, BY_NAME, depth) : 0;
    for (size_t i = 0; result == 0 && i < needs->count; i++) {
        if (find_library(copy, &origin, needs->needed[i], library) < 0)
            return fail(copy->error, -ENOENT, "%.120s needs %.80s, which this machine lacks", path,
                        needs->needed[i]);
        result =
            add_path(copy, library, program_path ? program_path : needs->rpath, BY_NAME, depth);
    }
    return result;
}

/* ---- scripts --------------------------------------------------------------------------------- */

/* Adds the interpreter of a script: the first word after "#!". If that is env, also its program. */
static int add_interpreter(struct copy *copy, const struct buffer *script, unsigned depth)
{
    char line[256], program[PATH_MAX], *rest = NULL;
    size_t size = script->size < sizeof line ? script->size : sizeof line - 1;
    memcpy(line, script->bytes, size);
    line[size] = '\0';
    line[strcspn(line, "\n")] = '\0';
    const char *interpreter = strtok_r(line + 2, " \t", &rest);
    const char *argument = interpreter ? strtok_r(NULL, " \t", &rest) : NULL;
    if (!interpreter)
        return 0;
    int result = add_path(copy, interpreter, NULL, BY_NAME, depth);
    const char *slash = strrchr(interpreter, '/');
    if (result < 0 || !slash || strcmp(slash, "/env") != 0 || !argument || *argument == '-')
        return result;
    result = files_find_program(argument, program, copy->error);
    return result == 0 ? add_path(copy, program, NULL, BY_NAME, depth) : result;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* A file to add, and how it was reached. */
struct found {
    const char *path, *program_path;
    unsigned mode;
    enum reached reached;
};

/* Adds what the file at `path` needs. */
static int add_needs(struct copy *copy, const struct found *found, const struct buffer *file,
                     unsigned depth)
{
    struct elf_needs needs;
    struct tally_error ignored, *error = found->reached == BY_NAME ? copy->error : &ignored;
    if (found->mode & 0111 && file->size > 2 && !memcmp(file->bytes, "#!", 2))
        return add_interpreter(copy, file, depth);
    if (!elf_is(file->bytes, file->size))
        return 0;
    int result = elf_read(found->path, file->bytes, file->size, &needs, error);
    if (result < 0)
        return found->reached == BY_NAME ? result : 0;
    return add_libraries(copy, found->path, &needs, found->program_path, depth);
}

static int add_regular(struct copy *copy, const struct found *found, unsigned depth)
{
    struct buffer file = {0};
    int result = buffer_load(&file, found->path, FILE_MAX, copy->error);
    if (result == 0 && file.size > FILE_MAX)
        result = fail(copy->error, -EFBIG, "%.150s: larger than 1 GB", found->path);
    if (result == 0)
        root_file(copy->root, found->path, found->mode, file.bytes, file.size);
    if (result == 0)
        result = add_needs(copy, found, &file, depth);
    buffer_fini(&file);
    return result;
}

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Remembers a directory. Returns false if it has been added: links can lead to it again. */
static bool is_new_directory(struct copy *copy, const char *path)
{
    char *name = tfind(path, &copy->directories, compare) ? NULL : strdup(path);
    if (name && tsearch(name, &copy->directories, compare))
        return true;
    free(name);
    return false;
}

static int add_directory(struct copy *copy, const char *path, unsigned depth)
{
    int result = 0;
    if (!is_new_directory(copy, path))
        return 0;
    DIR *entries = opendir(path);
    if (!entries)
        return fail(copy->error, -errno, "cannot open %.150s: %s", path, strerror(errno));
    for (struct dirent *entry; result == 0 && (entry = readdir(entries));) {
        char name[PATH_MAX];
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        if (snprintf(name, sizeof name, "%s/%s", path, entry->d_name) >= PATH_MAX)
            result = fail(copy->error, -ENAMETOOLONG, "%.150s: the path is too long", path);
        else
            result = add_path(copy, name, NULL, IN_DIRECTORY, depth);
        if (result == -ENOENT && access(name, F_OK) < 0)
            result = 0; /* a dangling link, which is in the tree */
    }
    closedir(entries);
    return result;
}

/* Adds a file of any kind. Sockets, pipes and devices are left out. */
static int add_path(struct copy *copy, const char *path, const char *program_path,
                    enum reached reached, unsigned depth)
{
    char resolved[PATH_MAX];
    struct stat status;
    if (depth == DEPTH_MAX)
        return fail(copy->error, -ELOOP, "%.150s: more than %d levels deep", path, DEPTH_MAX);
    int result = root_way(copy->root, path, resolved, copy->error);
    if (result < 0)
        return result;
    if (stat(resolved, &status) < 0)
        return fail(copy->error, -errno, "cannot open %.150s: %s", path, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return add_directory(copy, resolved, depth + 1);
    if (!S_ISREG(status.st_mode) || root_has(copy->root, resolved))
        return 0;
    struct found found = {resolved, program_path, status.st_mode & 0777, reached};
    return add_regular(copy, &found, depth + 1);
}

int files_add(struct root *root, const char *path, struct tally_error *error)
{
    struct copy copy = {.root = root, .error = error};
    struct tally_error unreadable;
    /* Without a cache, the loader uses its directories. The guest's loader needs it as well. */
    if (access(LOADER_CACHE, R_OK) == 0)
        buffer_load(&copy.cache, LOADER_CACHE, FILE_MAX, &unreadable);
    root_file(root, LOADER_CACHE, 0644, copy.cache.bytes, copy.cache.size);
    int result = add_path(&copy, path, NULL, BY_NAME, 0);
    buffer_fini(&copy.cache);
    tdestroy(copy.directories, free);
    return result;
}
