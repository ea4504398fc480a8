/* SPDX-License-Identifier: MIT */
/* Errors for unknown names, with the nearest valid name. */
#include "cli/unknown.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tally/capture.h>
#include <tally/chipset.h>
#include <tally/platform.h>
#include <tally/report.h>

#include "base/nearest.h"
#include "cli/cli.h"
#include "intel/skus.h"

#define NAMES_MAX 128

/* nearest: may be NULL. list: the command that lists all. */
static int unknown_name(const char *kind, const char *name, const char *nearest, const char *list)
{
    if (nearest)
        return usage_error("unknown %s \"%s\", expected %s (see tally %s)", kind, name, nearest,
                           list);
    return usage_error("unknown %s \"%s\"; see tally %s", kind, name, list);
}

int unknown_command(const char *name)
{
    const char *names[NAMES_MAX];
    size_t count = 0;
    for (; count < command_count && count < NAMES_MAX; count++)
        names[count] = commands[count].name;
    return unknown_name("command", name, nearest_word(name, names, count), "help");
}

int unknown_platform(const char *name)
{
    const char *names[NAMES_MAX];
    size_t count = 0;
    for (; count < tally_platform_count() && count < NAMES_MAX; count++)
        names[count] = tally_platform_at(count)->name;
    return unknown_name("platform", name, nearest_word(name, names, count), "list platforms");
}

int unknown_sku(const char *name)
{
    struct tally_error error = {0};
    if (intel_sku_check(name, &error) == 0)
        return unknown_platform(name);
    return usage_error("%s; see tally list skus", error.message);
}

int unknown_chipset(const char *name)
{
    const char *names[NAMES_MAX];
    size_t count = 0;
    for (; count < tally_chipset_count() && count < NAMES_MAX; count++)
        names[count] = tally_chipset_at(count)->name;
    return unknown_name("chipset", name, nearest_word(name, names, count), "list chipsets");
}

int unknown_chip(const char *text)
{
    const char *names[2 * NAMES_MAX];
    char name[64];
    size_t count = 0;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
    for (size_t i = 0; i < tally_platform_count() && count < NAMES_MAX; i++)
        names[count++] = tally_platform_at(i)->name;
    for (size_t i = 0; i < tally_chipset_count() && count < 2 * NAMES_MAX; i++)
        names[count++] = tally_chipset_at(i)->name;
    return unknown_name("platform or chipset", name, nearest_word(name, names, count),
                        "list platforms, chipsets");
}

struct model_names {
    char texts[NAMES_MAX][32];
    const char *names[NAMES_MAX];
    size_t count;
};

static void take_model(void *closure, const struct tally_capture_device *device)
{
    struct model_names *list = closure;
    if (!device->modelled || list->count == NAMES_MAX)
        return;
    snprintf(list->texts[list->count], sizeof list->texts[0], "%s", device->name);
    list->names[list->count] = list->texts[list->count];
    list->count++;
}

int unknown_model(const char *device)
{
    struct model_names list = {.count = 0};
    tally_capture_list(take_model, &list);
    return unknown_name("device", device, nearest_word(device, list.names, list.count),
                        "record -d list");
}

int unknown_layout(const char *name)
{
    char texts[NAMES_MAX][48];
    const char *names[NAMES_MAX];
    size_t count = 0;
    for (; count < tally_layout_count() && count < NAMES_MAX; count++) {
        const struct tally_layout *layout = tally_layout_at(count);
        snprintf(texts[count], sizeof texts[count], "%s/%s", layout->family, layout->name);
        names[count] = texts[count];
    }
    return unknown_name("layout", name, nearest_word(name, names, count), "list layouts");
}

/* ---- files ----------------------------------------------------------------------------------- */

#define FILES_MAX 1024

/* Finds the file in the directory of `path` whose name is most like that of `path`. Returns false
 * if none is like it. */
static bool find_similar_file(const char *path, char *text, size_t size)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char directory[1024], *names[FILES_MAX];
    size_t count = 0;
    if (!slash)
        snprintf(directory, sizeof directory, ".");
    else
        snprintf(directory, sizeof directory, "%.*s", (int)(slash + 1 - path), path);
    DIR *dir = opendir(directory);
    for (const struct dirent *entry; dir && count < FILES_MAX && (entry = readdir(dir));)
        if (entry->d_name[0] != '.' && (names[count] = strdup(entry->d_name)))
            count++;
    if (dir)
        closedir(dir);
    const char *similar = similar_word(name, (const char *const *)names, count);
    if (similar)
        snprintf(text, size, "%s%s", slash ? directory : "", similar);
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    return similar != NULL;
}

int report_file_error(const struct tally_error *error, const char *path)
{
    char similar[1400];
    if (error->code != -ENOENT || access(path, F_OK) == 0 || strchr(error->message, '#') ||
        !find_similar_file(path, similar, sizeof similar))
        return report_error(error);
    warn("%s, expected %s", error->message, similar);
    return exit_code_of(error->code);
}
