/* SPDX-License-Identifier: MIT */
#include "base/yaml.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"

#define BYTES_MAX (1u << 20)

static const cyaml_config_t configuration = {
    .log_fn = NULL,
    .mem_fn = cyaml_mem,
    .log_level = CYAML_LOG_ERROR,
    .flags = CYAML_CFG_IGNORE_UNKNOWN_KEYS,
};

/* ---- mistakes -------------------------------------------------------------------------------- */

unsigned yaml_line(const struct yaml *yaml, const char *key)
{
    struct tree_step steps[YAML_DEPTH];
    size_t depth = 0;
    for (; depth < YAML_DEPTH && yaml->kind->lists[depth]; depth++)
        steps[depth] = (struct tree_step){yaml->kind->lists[depth], yaml->place[depth]};
    return tree_line(&yaml->tree, steps, depth, key);
}

void yaml_mistake(struct yaml *yaml, const char *key, const char *format, ...)
{
    char message[240];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    findings_add(&yaml->findings, yaml_line(yaml, key), message);
}

bool yaml_expect(struct yaml *yaml, const char *key, const char *text, const char *expected)
{
    if (expected)
        yaml_mistake(yaml, key, "%s \"%s\": expected %s", key, text, expected);
    return !expected;
}

struct first_mistake {
    unsigned line;
    char message[240];
};

static void keep_first(void *closure, unsigned line, const char *message)
{
    struct first_mistake *first = closure;
    if (first->line)
        return;
    first->line = line;
    snprintf(first->message, sizeof first->message, "%s", message);
}

static int report(struct findings *findings, const char *name, findings_visit *found, void *closure,
                  struct tally_error *error)
{
    struct first_mistake first = {0};
    if (findings->broken)
        return fail_memory(error, "a list of mistakes");
    size_t count = findings_report(findings, found ? found : keep_first, found ? closure : &first);
    if (count && !found)
        return fail(error, -EBADMSG, "%s:%u: %s", name, first.line, first.message);
    return (int)count;
}

/* ---- reading --------------------------------------------------------------------------------- */

static int fill(struct yaml *yaml, const struct yaml_source *source, void *out,
                struct tally_error *error)
{
    const struct yaml_kind *kind = yaml->kind;
    cyaml_data_t *raw = NULL;
    if (!tree_check(&yaml->tree, kind->schema, kind->what, findings_add, &yaml->findings))
        return 0;
    cyaml_err_t result =
        cyaml_load_data(source->bytes, source->size, &configuration, kind->schema, &raw, NULL);
    if (result == CYAML_ERR_OOM)
        return fail_memory(error, kind->what);
    if (result != CYAML_OK)
        return fail(error, -EBADMSG, "%s: %s", source->name, cyaml_strerror(result));
    bool done = kind->read(yaml, raw, out);
    cyaml_free(&configuration, kind->schema, raw, 0);
    return done ? 0 : fail_memory(error, kind->what);
}

static int read_bytes(const struct yaml_kind *kind, const struct yaml_source *source, void *out,
                      findings_visit *found, void *closure, struct tally_error *error)
{
    struct yaml yaml = {.kind = kind, .place = {-1, -1}};
    if (source->size > BYTES_MAX)
        return fail(error, -EBADMSG, "%s: %zu bytes, expected at most %u", source->name,
                    source->size, BYTES_MAX);
    if (kind->no_aliases) {
        unsigned line = tree_alias(source->bytes, source->size);
        if (line)
            return fail(error, -EBADMSG, "%s:%u: an alias, expected none", source->name, line);
    }
    int result =
        tree_init(&yaml.tree, source->bytes, source->size, source->name, kind->what, error);
    if (result)
        return result;
    result = fill(&yaml, source, out, error);
    tree_fini(&yaml.tree);
    if (result == 0)
        result = report(&yaml.findings, source->name, found, closure, error);
    findings_fini(&yaml.findings);
    return result;
}

char *yaml_path(const struct yaml_source *source, const char *path)
{
    const char *slash = strrchr(source->name, '/');
    struct buffer text = {0};
    if (slash && *path != '/')
        buffer_append(&text, source->name, (size_t)(slash - source->name) + 1);
    buffer_append(&text, path, strlen(path) + 1);
    if (text.broken)
        buffer_fini(&text);
    return text.bytes;
}

int yaml_read(const struct yaml_kind *kind, const struct yaml_source *source, void *out,
              findings_visit *found, void *closure, struct tally_error *error)
{
    struct buffer file = {0};
    if (source->bytes)
        return read_bytes(kind, source, out, found, closure, error);
    int result = buffer_load(&file, source->name, BYTES_MAX, error);
    struct yaml_source loaded = {source->name, file.size ? file.bytes : "", file.size};
    if (result == 0)
        result = read_bytes(kind, &loaded, out, found, closure, error);
    buffer_fini(&file);
    return result;
}

bool yaml_has(const char *path, const char *key, const char *not_key)
{
    struct buffer file = {0};
    struct tree tree;
    struct tally_error error;
    bool has = buffer_load(&file, path, BYTES_MAX, &error) == 0 && file.size &&
               file.size <= BYTES_MAX &&
               tree_init(&tree, file.bytes, file.size, path, "", &error) == 0;
    if (has) {
        has = tree_has(&tree, key) && !tree_has(&tree, not_key);
        tree_fini(&tree);
    }
    buffer_fini(&file);
    return has;
}

int yaml_text_of(const char *path, const char *key, char *text, size_t size,
                 struct tally_error *error)
{
    struct buffer file = {0};
    *text = '\0';
    int result = buffer_load(&file, path, BYTES_MAX, error);
    if (result == 0 && file.size && file.size <= BYTES_MAX)
        tree_sniff(file.bytes, file.size, key, text, size);
    buffer_fini(&file);
    return result;
}
