/* SPDX-License-Identifier: MIT */
/* The command `save` of both languages. */
#include "testbench/save.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/minmax.h"

static void note_replaced(const struct save *save, const char *path)
{
    char text[256];
    struct stat old;
    if (!save->note || stat(path, &old) != 0 || !S_ISREG(old.st_mode) || !old.st_size)
        return;
    snprintf(text, sizeof text, "save: replaces %.200s", path);
    save->note(save->note_context, text);
}

int save_to_file(const struct save *save, const struct word *name, struct tally_error *error)
{
    char path[4096];
    if (!save->files)
        return fail(error, -EINVAL, "writing files is not allowed here");
    if (name->size >= sizeof path)
        return fail(error, -EINVAL, "the file name is too long");
    note_replaced(save, word_text(name, path, sizeof path));
    FILE *file = fopen(path, "wbe");
    if (!file)
        return fail(error, -errno, "%s: %s", path, strerror(errno));
    bool written = true;
    for (uint64_t done = 0; written && done < save->length;) {
        uint8_t bytes[MEMORY_PAGE];
        uint64_t at = (save->address + done) & save->last;
        size_t count =
            (size_t)min_u64(min_u64(save->length - done, sizeof bytes) - 1, save->last - at) + 1;
        memory_read(save->memory, at, bytes, count);
        written = fwrite(bytes, 1, count, file) == count;
        done += count;
    }
    int code = written ? 0 : errno;
    if (fclose(file) != 0 && !code)
        code = errno;
    return code ? fail(error, -code, "%s: %s", path, strerror(code)) : 0;
}
