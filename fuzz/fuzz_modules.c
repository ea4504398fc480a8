/* SPDX-License-Identifier: MIT */
/*
 * Reads the input as modules.dep, and what follows a line "--" as modules.builtin. Checks that each
 * module is selected once and after what it needs: the list that is written reads as the same list.
 */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include "lengthen.h"
#include "vm/guest/modules.h"

static size_t count_selected(const struct modules *modules)
{
    size_t count = 0;
    while (modules_selected(modules, count))
        count++;
    return count;
}

/* Selects the module of each line by its name; returns how many could be. */
static unsigned select_all(struct modules *modules, const char *text, size_t size)
{
    unsigned done = 0;
    for (const char *line = text; line < text + size;) {
        size_t left = size - (size_t)(line - text);
        const char *end = memchr(line, '\n', left), *colon = memchr(line, ':', left);
        const char *slash = colon ? memrchr(line, '/', (size_t)(colon - line)) : NULL;
        const char *name = slash ? slash + 1 : line;
        const char *suffix = colon ? memmem(name, (size_t)(colon - name), ".ko", 3) : NULL;
        char copy[256];
        struct tally_error error = {0};
        if (suffix && (!end || suffix < end)) {
            snprintf(copy, sizeof copy, "%.*s", (int)(suffix - name), name);
            int result = modules_select(modules, copy, &error);
            CHECK(result == error.code);
            CHECK(result == 0 || result == -ENOENT || result == -EBADMSG);
            done += result == 0;
        }
        line = end ? end + 1 : text + size;
    }
    return done;
}

/* Whether "NAME.ko" is the end of a path, with '-' and '_' the same. */
static bool is_name(const char *path, size_t path_size, const char *name, size_t name_size)
{
    const char *end = path + path_size - name_size;
    if (path_size < name_size || (path_size > name_size && end[-1] != '/'))
        return false;
    for (size_t i = 0; i < name_size; i++)
        if ((end[i] == '-' ? '_' : end[i]) != (name[i] == '-' ? '_' : name[i]))
            return false;
    return true;
}

/* Whether what the line number `line` of the list needs is in the lines before. */
static bool is_ordered(const struct buffer *list, size_t line)
{
    const char *at = list->bytes, *end = at + list->size;
    for (size_t i = 0; i < line; i++)
        at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
    const char *word = (const char *)memchr(at, ':', (size_t)(end - at)) + 1;
    while (*word == ' ') {
        size_t size = 1;
        while (word[size] != ' ' && word[size] != '\n')
            size++;
        const char *slash = memrchr(word + 1, '/', size - 1), *name = slash ? slash + 1 : word + 1;
        size_t name_size = (size_t)(word + size - name);
        bool found = false;
        for (const char *before = list->bytes; before < at && !found;) {
            const char *colon = memchr(before, ':', (size_t)(end - before));
            found = is_name(before, (size_t)(colon - before), name, name_size);
            before = (const char *)memchr(before, '\n', (size_t)(end - before)) + 1;
        }
        if (!found)
            return false;
        word += size;
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct modules *modules, *again;
    struct tally_error error = {0};
    struct buffer written = {0};
    const char *text = (const char *)data;
    const char *split = size ? memmem(text, size, "\n--\n", 4) : NULL;
    size_t first = split ? (size_t)(split - text) : size;
    const char *builtin = split ? split + 4 : text + size;
    int result = modules_parse("list", text, first, builtin, size - (size_t)(builtin - text),
                               &modules, &error);
    CHECK(result == error.code && (result == 0 || result == -EBADMSG));
    if (result < 0)
        return 0;
    select_all(modules, text, first);
    modules_write(modules, &written);
    size_t count = count_selected(modules);
    for (size_t i = 0; i < count; i++) {
        const struct module *module = modules_selected(modules, i);
        CHECK(module_unpacked_size(module) <= module->path_size);
        CHECK(is_ordered(&written, i));
        for (size_t k = 0; k < i; k++)
            CHECK(modules_selected(modules, k)->path != module->path);
    }
    CHECK(modules_parse("again", written.bytes, written.size, NULL, 0, &again, &error) == 0);
    modules_free(again);
    buffer_fini(&written);
    modules_free(modules);
    return 0;
}
