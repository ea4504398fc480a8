/* SPDX-License-Identifier: MIT */
/*
 * exec and spawn: adds the variables of the preloaded library to the environment of executed
 * programs, because the caller may have replaced it. Works in a child of vfork(): allocates only on
 * the stack.
 */
#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/client/client.h"
#include "preload/program.h"

extern char **environ;

/* ---- variables ------------------------------------------------------------------------------- */

#define PRELOAD   "LD_PRELOAD"
#define MAX_ADDED 5 /* variables */

static char library[1024];             /* with EMULATE_ALSO */
static char server[160], log_file[32]; /* "NAME=value", or "" */

__attribute__((constructor)) static void find_variables(void)
{
    Dl_info about;
    const char *directory = getenv(EMULATE_ENVIRONMENT);
    if (!directory || !dladdr(library, &about) ||
        strlen(about.dli_fname) + sizeof EMULATE_ALSO > sizeof library)
        return;
    strcpy(stpcpy(library, about.dli_fname), EMULATE_ALSO);
    snprintf(server, sizeof server, EMULATE_ENVIRONMENT "=%s", directory);
    if (getenv(EMULATE_LOG))
        snprintf(log_file, sizeof log_file, EMULATE_LOG "=1");
}

static const char *value_of(char *const list[], const char *name)
{
    size_t length = strlen(name);
    for (; list && *list; list++)
        if (!strncmp(*list, name, length) && (*list)[length] == '=')
            return *list + length + 1;
    return NULL;
}

static size_t count_of(char *const list[])
{
    size_t count = 0;
    while (list && list[count])
        count++;
    return count;
}

/* ---- completing an environment --------------------------------------------------------------- */

static bool is_complete(char *const given[])
{
    const char *preload = value_of(given, PRELOAD);
    return !*library ||
           (preload && strstr(preload, library) && value_of(given, EMULATE_ENVIRONMENT));
}

/* Returns the size of the memory that completed() needs. */
static size_t completed_size(char *const given[])
{
    const char *preload = value_of(given, PRELOAD);
    size_t text = sizeof PRELOAD + 2 + strlen(library) + (preload ? strlen(preload) : 0);
    return is_complete(given) ? 1 : (count_of(given) + MAX_ADDED + 1) * sizeof *given + text;
}

/* Returns the environment with the missing variables added, built in `memory`. If it already names
 * a server, only LD_PRELOAD is completed. */
static char *const *completed(char *const given[], void *memory)
{
    if (is_complete(given))
        return given;
    char **list = memory;
    size_t count = count_of(given), used = 0;
    const char *preload = value_of(given, PRELOAD);
    for (size_t i = 0; i < count; i++)
        if (strncmp(given[i], PRELOAD "=", sizeof PRELOAD) != 0)
            list[used++] = given[i];
    char *text = (char *)(list + count + MAX_ADDED + 1);
    bool preloads = preload && strstr(preload, library);
    list[used++] = text;
    text = stpcpy(stpcpy(text, PRELOAD "="), preloads ? preload : library);
    if (preload && *preload && !preloads)
        stpcpy(stpcpy(text, ":"), preload);
    if (!value_of(given, EMULATE_ENVIRONMENT)) {
        list[used++] = server;
        if (*log_file && !value_of(given, EMULATE_LOG))
            list[used++] = log_file;
        if (ids_variable() && !value_of(given, EMULATE_IDS))
            list[used++] = (char *)ids_variable();
        if (time_variable() && !value_of(given, EMULATE_CLOCK))
            list[used++] = (char *)time_variable();
    }
    list[used] = NULL;
    return list;
}

#define COMPLETED(given) completed(given, alloca(completed_size(given)))

/* ---- the server ------------------------------------------------------------------------------ */

/* Makes a name absolute. The result is "" if that is too long. */
static void make_absolute(const char *name, char out[PATH_MAX])
{
    char place[PATH_MAX] = "";
    if (*name != '/' && !NEXT(getcwd)(place, sizeof place))
        *place = '\0';
    if (snprintf(out, PATH_MAX, "%s%s%s", place, *name == '/' ? "" : "/", name) >= PATH_MAX)
        *out = '\0';
}

/* Notifies the server of a program that is executed, or started in a new process: there are events
 * that perf_event_open() enables then, and programs that do not load the library. */
static void executes(const char *name, bool searches, bool starts)
{
    char found[PATH_MAX], path[PATH_MAX];
    int saved = errno;
    lease_end();
    if (*library) {
        make_absolute(
            searches && program_find(value_of(environ, "PATH"), name, found) ? found : name, path);
        channel_executes(path, starts);
    }
    errno = saved;
}

/* ---- the functions --------------------------------------------------------------------------- */

EXPORT int execve(const char *name, char *const arguments[], char *const variables[])
{
    executes(name, false, false);
    return NEXT(execve)(name, arguments, COMPLETED(variables));
}

EXPORT int execv(const char *name, char *const arguments[])
{
    executes(name, false, false);
    return NEXT(execve)(name, arguments, COMPLETED(environ));
}

EXPORT int execvpe(const char *name, char *const arguments[], char *const variables[])
{
    executes(name, true, false);
    return NEXT(execvpe)(name, arguments, COMPLETED(variables));
}

EXPORT int execvp(const char *name, char *const arguments[])
{
    executes(name, true, false);
    return NEXT(execvpe)(name, arguments, COMPLETED(environ));
}

EXPORT int fexecve(int fd, char *const arguments[], char *const variables[])
{
    char path[TREE_PATH_SIZE];
    executes(path_of_descriptor(fd, path) ? path : "/", false, false);
    return NEXT(fexecve)(fd, arguments, COMPLETED(variables));
}

/* Count the arguments before NULL; copy them and the NULL. */
static size_t count_rest(const char *first, va_list *rest)
{
    size_t count = 0;
    for (const char *at = first; at; at = va_arg(*rest, const char *))
        count++;
    return count;
}

static void collect(const char **out, const char *first, va_list *rest)
{
    for (const char *at = first; at; at = va_arg(*rest, const char *))
        *out++ = at;
    *out = NULL;
}

/* The execl functions: libc's versions call its internal execve() instead of ours. */
#define EXECL(function, execute, searches, variables)                                              \
    EXPORT int function(const char *name, const char *first, ...)                                  \
    {                                                                                              \
        va_list rest;                                                                              \
        va_start(rest, first);                                                                     \
        const char **arguments = alloca((count_rest(first, &rest) + 1) * sizeof *arguments);       \
        va_end(rest);                                                                              \
        va_start(rest, first);                                                                     \
        collect(arguments, first, &rest);                                                          \
        char *const *given = variables;                                                            \
        va_end(rest);                                                                              \
        executes(name, searches, false);                                                           \
        return NEXT(execute)(name, (char *const *)arguments, COMPLETED(given));                    \
    }

EXECL(execl, execve, false, environ)
EXECL(execlp, execvpe, true, environ)
EXECL(execle, execve, false, va_arg(rest, char **))

#define SPAWN(function, searches)                                                                  \
    EXPORT int function(pid_t *out, const char *name, const posix_spawn_file_actions_t *actions,   \
                        const posix_spawnattr_t *attributes, char *const arguments[],              \
                        char *const variables[])                                                   \
    {                                                                                              \
        executes(name, searches, true);                                                            \
        return NEXT(function)(out, name, actions, attributes, arguments, COMPLETED(variables));    \
    }

SPAWN(posix_spawn, false)
SPAWN(posix_spawnp, true)
