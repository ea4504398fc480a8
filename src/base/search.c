/* SPDX-License-Identifier: MIT */
/* Finds data files: metric sets, workloads. */
#include "base/search.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/installed.h"

struct search {
    void (*visit)(void *closure, const char *directory);
    void *closure;
    const char *kind;
};

/* Visits each directory of a colon-separated list; if `between` is not empty, with `between` and
 * the kind appended. */
static void visit_list(const struct search *search, const char *list, const char *between)
{
    while (list && *list) {
        size_t size = strcspn(list, ":");
        char *directory;
        if (size && asprintf(&directory, "%.*s%s%s", (int)size, list, between,
                             *between ? search->kind : "") >= 0) {
            search->visit(search->closure, directory);
            free(directory);
        }
        list += size + (list[size] == ':');
    }
}

/* Visits the data directories next to the program: of its source tree if it runs in the build
 * directory, or of its installation; then the directory of this build's prefix. */
static void visit_own(const struct search *search)
{
    static const char *const beside[] = {"/../data/", "/../share/tally/"};
    char program[4096], candidate[4200], directory[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    char *slash = n > 0 ? memrchr(program, '/', (size_t)n) : NULL;
    for (size_t i = 0; slash && i < ARRAY_COUNT(beside); i++) {
        *slash = '\0';
        snprintf(candidate, sizeof candidate, "%s%s%s", program, beside[i], search->kind);
        if (realpath(candidate, directory))
            search->visit(search->closure, directory);
    }
    snprintf(candidate, sizeof candidate, "%s/%s", installed_data, search->kind);
    search->visit(search->closure, candidate);
}

void search_data(const char *kind, const char *variable,
                 void (*visit)(void *closure, const char *directory), void *closure)
{
    const struct search search = {visit, closure, kind};
    const char *home = getenv("HOME");
    const char *data_home = getenv("XDG_DATA_HOME");
    const char *data_dirs = getenv("XDG_DATA_DIRS");
    visit_list(&search, getenv(variable), "");
    if (data_home && *data_home)
        visit_list(&search, data_home, "/tally/");
    else
        visit_list(&search, home, "/.local/share/tally/");
    visit_list(&search, data_dirs && *data_dirs ? data_dirs : "/usr/local/share:/usr/share",
               "/tally/");
    visit_own(&search);
}
