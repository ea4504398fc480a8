/* SPDX-License-Identifier: MIT */
#include "sink/hive.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/error.h"
#include "sink/sink.h"

/* Of a value that is not known. */
#define NO_VALUE "__HIVE_DEFAULT_PARTITION__"

/* Characters that Hive escapes in the values of paths, besides control characters. */
#define ESCAPED "\"#%'*/:=?\\{[]^\x7f"

static void put_escaped(struct buffer *path, const char *value)
{
    for (; *value; value++) {
        if ((unsigned char)*value < ' ' || strchr(ESCAPED, *value))
            buffer_printf(path, "%%%02X", (unsigned char)*value);
        else
            buffer_char(path, *value);
    }
}

/* Creates the folder whose path has been written so far. */
static int make_folder(struct buffer *path, struct tally_error *error)
{
    size_t size = path->size;
    buffer_append(path, "", 1);
    if (path->broken)
        return fail_memory(error, "a path");
    int result = mkdir(path->bytes, 0777) < 0 && errno != EEXIST ? -errno : 0;
    if (result < 0)
        fail(error, result, "%s: cannot make this folder: %s", path->bytes, strerror(-result));
    path->size = size;
    return result;
}

static int put_folder(struct buffer *path, const char *key, const char *value,
                      struct tally_error *error)
{
    buffer_text(path, "/");
    buffer_text(path, key);
    buffer_text(path, "=");
    put_escaped(path, value && *value ? value : NO_VALUE);
    return make_folder(path, error);
}

/* Appends the name of the input: without its folders, and without the usual extension. */
static void put_name(struct buffer *path, const char *input, const char *extension)
{
    static const char usual[] = ".i915-perf";
    char text[NAME_MAX + 1];
    const char *slash = strrchr(input, '/'), *name = slash ? slash + 1 : input;
    name = strcmp(input, "-") != 0 ? name : "stdin";
    size_t size = strlen(name), of_usual = sizeof usual - 1;
    if (size > of_usual && !strcmp(name + size - of_usual, usual))
        size -= of_usual;
    snprintf(text, sizeof text, "%.*s", (int)(size < NAME_MAX ? size : NAME_MAX), name);
    buffer_text(path, "/");
    put_escaped(path, text);
    buffer_text(path, ".");
    buffer_text(path, extension);
}

int hive_path(const char *folder, const struct tally_pipeline *pipeline, const char *date,
              const char *extension, char **out, struct tally_error *error)
{
    const struct tally_recording_info *info =
        tally_recording_info(tally_pipeline_recording(pipeline));
    struct buffer path = {0};
    size_t size = strlen(folder);
    while (size > 1 && folder[size - 1] == '/')
        size--;
    buffer_append(&path, folder, size);
    int result = make_folder(&path, error);
    if (!result)
        result = put_folder(&path, "gpu", sink_device_name(info), error);
    if (!result)
        result = put_folder(&path, "set", tally_pipeline_set(pipeline)->symbol, error);
    if (!result)
        result = put_folder(&path, "date", date, error);
    put_name(&path, info->path, extension);
    buffer_append(&path, "", 1);
    if (!result && path.broken)
        result = fail_memory(error, "a path");
    if (result < 0)
        buffer_fini(&path);
    else
        *out = path.bytes;
    return result;
}
