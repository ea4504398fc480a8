/* SPDX-License-Identifier: MIT */
/* Loads metric-set files: <metrics> contains <set>s, which contain <counter>s and
 * <register_config>s, which contain <register>s. */
#include <errno.h>
#include <expat.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/minmax.h"
#include "metrics/set.h"
#include "metrics/signal_sets.h"

/* State of loading a file: the current set, whose arrays are copied when it ends. */
struct loader {
    XML_Parser parser;
    struct tally_metric_file *file;
    const char *name;
    struct tally_error *error;
    int result;
    int depth;
    bool in_set;

    struct tally_metric_set set;
    struct tally_counter *counters;
    size_t counter_count, counter_capacity;
    struct tally_register_config *configs;
    size_t config_count, config_capacity;
    struct tally_register_write *writes;
    size_t write_count, write_capacity;
};

/* An attribute that is copied to a text member of a struct. */
struct attribute {
    const char *name;
    size_t member;
    bool required;
};

#define IN(type, member) offsetof(struct type, member)

static const struct attribute set_attributes[] = {
    {"symbol_name", IN(tally_metric_set, symbol), true},
    {"name", IN(tally_metric_set, name), true},
    {"chipset", IN(tally_metric_set, chipset), true},
    {"hw_config_guid", IN(tally_metric_set, uuid), true},
    {"oa_format", IN(tally_metric_set, oa_format), false},
};

static const struct attribute counter_attributes[] = {
    {"symbol_name", IN(tally_counter, symbol), true},
    {"name", IN(tally_counter, name), true},
    {"description", IN(tally_counter, description), false},
    {"units", IN(tally_counter, units), true},
    {"semantic_type", IN(tally_counter, semantic), false},
    {"mdapi_group", IN(tally_counter, group), false},
    {"equation", IN(tally_counter, equation), true},
    {"max_equation", IN(tally_counter, max_equation), false},
    {"availability", IN(tally_counter, availability), false},
};

static void stop(struct loader *loader, int code)
{
    loader->result = code;
    XML_StopParser(loader->parser, XML_FALSE);
}

__attribute__((format(printf, 2, 3))) static void stop_at(struct loader *loader, const char *format,
                                                          ...)
{
    char message[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    stop(loader, fail(loader->error, -EBADMSG, "%s:%lu: %s", loader->name,
                      (unsigned long)XML_GetCurrentLineNumber(loader->parser), message));
}

static void stop_memory(struct loader *loader)
{
    stop(loader, fail_memory(loader->error, "a metric set"));
}

static const char *find_attribute(const char **attributes, const char *name)
{
    for (; attributes[0]; attributes += 2)
        if (!strcmp(attributes[0], name))
            return attributes[1];
    return NULL;
}

static bool copy_attributes(struct loader *loader, const char *element, const char **attributes,
                            const struct attribute *wanted, size_t count, void *to)
{
    for (size_t i = 0; i < count; i++) {
        const char *text = find_attribute(attributes, wanted[i].name);
        if (!text && wanted[i].required) {
            stop_at(loader, "<%s> without the attribute %s", element, wanted[i].name);
            return false;
        }
        text = arena_text(&loader->file->arena, text ? text : "");
        if (!text) {
            stop_memory(loader);
            return false;
        }
        memcpy((char *)to + wanted[i].member, &text, sizeof text);
    }
    return true;
}

static void start_set(struct loader *loader, const char **attributes)
{
    if (loader->in_set) {
        stop_at(loader, "<set> inside a <set>");
        return;
    }
    loader->set = (struct tally_metric_set){
        .file = loader->file->path, .line = (unsigned)XML_GetCurrentLineNumber(loader->parser)};
    loader->counter_count = loader->config_count = 0;
    loader->in_set = true;
    copy_attributes(loader, "set", attributes, set_attributes, ARRAY_COUNT(set_attributes),
                    &loader->set);
}

static void start_counter(struct loader *loader, const char **attributes)
{
    struct tally_counter counter = {.formula = "",
                                    .line = (unsigned)XML_GetCurrentLineNumber(loader->parser)};
    if (!copy_attributes(loader, "counter", attributes, counter_attributes,
                         ARRAY_COUNT(counter_attributes), &counter))
        return;
    const char *type = find_attribute(attributes, "data_type");
    if (type && (!strcmp(type, "float") || !strcmp(type, "double"))) {
        counter.type = TALLY_DOUBLE;
    } else if (type && strcmp(type, "uint64") && strcmp(type, "uint32") && strcmp(type, "bool32")) {
        stop_at(loader, "data_type \"%.40s\", expected uint64 or float", type);
        return;
    }
    struct tally_counter *counters = array_grow(loader->counters, &loader->counter_capacity,
                                                loader->counter_count, sizeof *counters);
    if (!counters) {
        stop_memory(loader);
        return;
    }
    loader->counters = counters;
    counters[loader->counter_count++] = counter;
}

static void start_config(struct loader *loader, const char **attributes)
{
    const char *type = find_attribute(attributes, "type");
    const char *availability = find_attribute(attributes, "availability");
    const char *priority = find_attribute(attributes, "priority");
    struct tally_register_config *configs = array_grow(loader->configs, &loader->config_capacity,
                                                       loader->config_count, sizeof *configs);
    if (!configs) {
        stop_memory(loader);
        return;
    }
    loader->configs = configs;
    struct tally_register_config *config = &configs[loader->config_count++];
    *config = (struct tally_register_config){
        .type = arena_text(&loader->file->arena, type ? type : ""),
        .availability = arena_text(&loader->file->arena, availability ? availability : ""),
        .priority = priority ? (unsigned)strtoul(priority, NULL, 0) : 0,
    };
    loader->write_count = 0;
    if (!config->type || !config->availability)
        stop_memory(loader);
}

static bool parse_u32(const char *text, uint32_t *out)
{
    char *end;
    errno = 0;
    unsigned long long value = text ? strtoull(text, &end, 0) : UINT64_MAX;
    if (!text || errno || end == text || *end || value > UINT32_MAX)
        return false;
    *out = (uint32_t)value;
    return true;
}

static void start_register(struct loader *loader, const char **attributes)
{
    unsigned line = (unsigned)XML_GetCurrentLineNumber(loader->parser);
    struct tally_register_write write = {.line = line};
    if (!parse_u32(find_attribute(attributes, "address"), &write.address) ||
        !parse_u32(find_attribute(attributes, "value"), &write.value)) {
        stop_at(loader, "<register>: expected an address and a value of 32 bits");
        return;
    }
    struct tally_register_write *writes =
        array_grow(loader->writes, &loader->write_capacity, loader->write_count, sizeof *writes);
    if (!writes) {
        stop_memory(loader);
        return;
    }
    loader->writes = writes;
    writes[loader->write_count++] = write;
}

static void start_element(void *closure, const char *element, const char **attributes)
{
    struct loader *loader = closure;
    if (loader->result)
        return;
    if (!loader->depth++) {
        if (strcmp(element, "metrics") != 0)
            stop_at(loader, "root element <%.40s>, expected <metrics>", element);
    } else if (!strcmp(element, "set")) {
        start_set(loader, attributes);
    } else if (!loader->in_set) {
        return; /* unknown element outside of the sets */
    } else if (!strcmp(element, "counter")) {
        start_counter(loader, attributes);
    } else if (!strcmp(element, "register_config")) {
        start_config(loader, attributes);
    } else if (!strcmp(element, "register") && loader->config_count) {
        start_register(loader, attributes);
    }
}

static void end_config(struct loader *loader)
{
    struct tally_register_config *config = &loader->configs[loader->config_count - 1];
    config->write_count = loader->write_count;
    config->writes = arena_copy(&loader->file->arena, loader->writes,
                                loader->write_count * sizeof *loader->writes);
    if (!config->writes)
        stop_memory(loader);
}

static void end_set(struct loader *loader)
{
    struct tally_metric_file *file = loader->file;
    struct tally_metric_set *sets =
        array_grow(file->sets, &file->set_capacity, file->set_count, sizeof *sets);
    if (sets)
        file->sets = sets;
    struct tally_metric_set *set = &loader->set;
    set->counter_count = loader->counter_count;
    set->config_count = loader->config_count;
    set->counters = arena_copy(&file->arena, loader->counters,
                               loader->counter_count * sizeof *loader->counters);
    set->configs =
        arena_copy(&file->arena, loader->configs, loader->config_count * sizeof *loader->configs);
    if (!sets || !set->counters || !set->configs) {
        stop_memory(loader);
        return;
    }
    sets[file->set_count++] = *set;
    loader->in_set = false;
}

static void end_element(void *closure, const char *element)
{
    struct loader *loader = closure;
    if (loader->result)
        return;
    loader->depth--;
    if (!strcmp(element, "set") && loader->in_set)
        end_set(loader);
    else if (!strcmp(element, "register_config") && loader->in_set && loader->config_count)
        end_config(loader);
}

/* Rejects files that declare entities, which metric sets do not need and which could expand to huge
 * texts. */
static void entity_declaration(void *closure, const char *name, int is_parameter, const char *value,
                               int value_length, const char *base, const char *system_id,
                               const char *public_id, const char *notation_name)
{
    (void)is_parameter, (void)value, (void)value_length, (void)base;
    (void)system_id, (void)public_id, (void)notation_name;
    stop_at(closure, "entity \"%.40s\" declared, expected none", name);
}

static int load(struct loader *loader, int (*feed)(struct loader *loader, void *from), void *from,
                struct tally_metric_file **out)
{
    loader->parser = XML_ParserCreate(NULL);
    loader->file = calloc(1, sizeof *loader->file);
    int result = 0;
    if (!loader->parser || !loader->file) {
        result = fail_memory(loader->error, "a metric-set file");
    } else if (!(loader->file->path = arena_text(&loader->file->arena, loader->name))) {
        result = fail_memory(loader->error, "a path");
    } else {
        XML_SetUserData(loader->parser, loader);
        XML_SetElementHandler(loader->parser, start_element, end_element);
        XML_SetEntityDeclHandler(loader->parser, entity_declaration);
        result = feed(loader, from);
        if (loader->result)
            result = loader->result;
        else if (!result && XML_GetErrorCode(loader->parser) != XML_ERROR_NONE)
            result = fail(loader->error, -EBADMSG, "%s:%lu: %s", loader->name,
                          (unsigned long)XML_GetCurrentLineNumber(loader->parser),
                          XML_ErrorString(XML_GetErrorCode(loader->parser)));
    }
    if (loader->parser)
        XML_ParserFree(loader->parser);
    free(loader->counters);
    free(loader->configs);
    free(loader->writes);
    if (result < 0)
        tally_metric_file_free(loader->file);
    else
        *out = loader->file;
    return result;
}

static int feed_file(struct loader *loader, void *from)
{
    int fd = *(int *)from;
    for (;;) {
        void *space = XML_GetBuffer(loader->parser, 64 * 1024);
        if (!space)
            return fail_memory(loader->error, "a metric-set file");
        ssize_t n = read(fd, space, 64 * 1024);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail(loader->error, -errno, "%s: cannot read: %s", loader->name,
                        strerror(errno));
        if (XML_ParseBuffer(loader->parser, (int)n, n == 0) != XML_STATUS_OK || n == 0)
            return 0;
    }
}

struct memory {
    const char *bytes;
    size_t size;
};

static int feed_memory(struct loader *loader, void *from)
{
    const struct memory *memory = from;
    size_t done = 0;
    do {
        size_t size = min_size(memory->size - done, 1u << 20);
        if (XML_Parse(loader->parser, memory->bytes + done, (int)size,
                      done + size == memory->size) != XML_STATUS_OK)
            break;
        done += size;
    } while (done < memory->size);
    return 0;
}

/* Loads a YAML file; `bytes` NULL: the file `name`. */
static int load_yaml(const char *name, const void *bytes, size_t size,
                     struct tally_metric_file **out, struct tally_error *error)
{
    const struct yaml_source source = {name, bytes, size};
    struct tally_metric_file *file = calloc(1, sizeof *file);
    int result = file && (file->path = arena_text(&file->arena, name))
                     ? signal_sets_read(&source, file, NULL, NULL, error)
                     : fail_memory(error, "a metric-set file");
    if (result < 0)
        tally_metric_file_free(file);
    else
        *out = file;
    return result;
}

int tally_metric_file_load(const char *path, struct tally_metric_file **out,
                           struct tally_error *error)
{
    if (is_yaml_name(path))
        return load_yaml(path, NULL, 0, out, error);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail(error, -errno, "%s: cannot open: %s", path, strerror(errno));
    struct loader loader = {.name = path, .error = error};
    int result = load(&loader, feed_file, &fd, out);
    close(fd);
    return result;
}

/* ---- sniffing ------------------------------------------------------------------------------ */

struct sniffer {
    XML_Parser parser;
    char *chipset;
    size_t size;
};

static void sniff_element(void *closure, const char *element, const char **attributes)
{
    struct sniffer *sniffer = closure;
    if (strcmp(element, "set") != 0)
        return;
    const char *chipset = find_attribute(attributes, "chipset");
    if (chipset && strlen(chipset) < sniffer->size)
        strcpy(sniffer->chipset, chipset);
    XML_StopParser(sniffer->parser, XML_FALSE);
}

int sniff_chipset(const char *path, char *chipset, size_t size, struct tally_error *error)
{
    char bytes[4096];
    struct sniffer sniffer = {XML_ParserCreate(NULL), chipset, size};
    *chipset = '\0';
    if (!sniffer.parser)
        return fail_memory(error, "an XML parser");
    int result = 0, fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        result = fail(error, -errno, "%s: cannot open: %s", path, strerror(errno));
    XML_SetUserData(sniffer.parser, &sniffer);
    XML_SetStartElementHandler(sniffer.parser, sniff_element);
    for (bool more = result == 0; more;) {
        /* including the end, since the parser may defer incomplete tokens until then */
        ssize_t n = read(fd, bytes, sizeof bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            result = fail(error, -errno, "%s: %s", path, strerror(errno));
        more = n >= 0 && XML_Parse(sniffer.parser, bytes, (int)n, n == 0) == XML_STATUS_OK && n;
    }
    if (fd >= 0)
        close(fd);
    XML_ParserFree(sniffer.parser);
    return result;
}

int tally_metric_file_load_memory(const void *bytes, size_t size, const char *name,
                                  struct tally_metric_file **out, struct tally_error *error)
{
    if (is_yaml_name(name))
        return load_yaml(name, bytes ? bytes : "", size, out, error);
    struct loader loader = {.name = name, .error = error};
    struct memory memory = {bytes, size};
    return load(&loader, feed_memory, &memory, out);
}

void tally_metric_file_free(struct tally_metric_file *file)
{
    if (!file)
        return;
    arena_fini(&file->arena);
    free(file->sets);
    free(file);
}

size_t tally_metric_file_sets(const struct tally_metric_file *file,
                              const struct tally_metric_set **out)
{
    *out = file->sets;
    return file->set_count;
}
