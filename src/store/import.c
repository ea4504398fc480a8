/* SPDX-License-Identifier: MIT */
#include "store/import.h"

#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/minmax.h"

/* More are an error, so that a hostile file does not fill the memory. */
#define NAMES_MAX 262144

static const struct import_format *const formats[] = {&import_intel_gpu_top, &import_dcgmi_dmon,
                                                      &import_dcgm_exporter};

const struct import_format *import_detect(const char *head, size_t size)
{
    char text[IMPORT_HEAD_BYTES + 1];
    size = min_size(size, IMPORT_HEAD_BYTES);
    if (memchr(head, '\0', size)) /* not a text */
        return NULL;
    memcpy(text, head, size);
    text[size] = '\0';
    for (size_t i = 0; i < ARRAY_COUNT(formats); i++)
        if (formats[i]->begins(text))
            return formats[i];
    return NULL;
}

/* ---- names ----------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct import_name *)a)->name, ((const struct import_name *)b)->name);
}

static void keep(void *name)
{
    (void)name; /* the list frees it */
}

static void free_names(struct import_names *names)
{
    tdestroy(names->tree, keep);
    for (size_t i = 0; i < names->count; i++) {
        free(names->list[i]->name);
        free(names->list[i]->units);
        free(names->list[i]->description);
        free(names->list[i]);
    }
    free(names->list);
}

struct import_name *import_name(struct import_names *names, const char *name,
                                struct tally_error *error)
{
    union {
        const char *constant;
        char *name;
    } wanted = {name};
    struct import_name **found =
        tfind(&(struct import_name){.name = wanted.name}, &names->tree, compare_names);
    if (found)
        return *found;
    if (names->count == NAMES_MAX) {
        fail(error, -EBADMSG, "more than %d names of counters or clients", NAMES_MAX);
        return NULL;
    }
    struct import_name **grown =
        array_grow(names->list, &names->capacity, names->count, sizeof *grown);
    struct import_name *added = calloc(1, sizeof *added);
    names->list = grown ? grown : names->list;
    if (!grown || !added || !(added->name = strdup(name)) ||
        !tsearch(added, &names->tree, compare_names)) {
        if (added)
            free(added->name);
        free(added);
        fail_memory(error, "the names of counters");
        return NULL;
    }
    added->index = (uint32_t)names->count;
    names->list[names->count++] = added;
    return added;
}

/* ---- samples --------------------------------------------------------------------------------- */

bool import_number(const char *text, struct import_value *out, bool *defined)
{
    char *end;
    *out = (struct import_value){0};
    *defined = true;
    if (!*text || strspn(text, "+-.0123456789eEnaifNAIF") != strlen(text))
        return false;
    errno = 0;
    long long integer = strtoll(text, &end, 10);
    if (!*end && !errno) {
        out->is_integer = true;
        out->integer = integer;
        out->real = (double)integer;
        return true;
    }
    out->real = strtod(text, &end);
    *defined = isfinite(out->real);
    return !*end;
}

int import_add(struct import *import, const struct import_value *value, struct tally_error *error)
{
    struct import_value *grown =
        array_grow(import->values, &import->value_capacity, import->value_count, sizeof *grown);
    if (!grown)
        return fail_memory(error, "the values of a sample");
    import->values = grown;
    grown[import->value_count++] = *value;
    return 0;
}

static int compare_values(const void *a, const void *b)
{
    const struct import_value *x = a, *y = b;
    if (x->counter != y->counter)
        return x->counter < y->counter ? -1 : 1;
    return x->source < y->source ? -1 : x->source > y->source;
}

int import_end_sample(struct import *import, int64_t start_ns, int64_t duration_ns,
                      struct tally_error *error)
{
    struct import_value *values = import->values;
    size_t count = 0;
    if (import->value_count)
        qsort(values, import->value_count, sizeof *values, compare_values);
    for (size_t i = 0; i < import->value_count; i++)
        if (!count || compare_values(&values[count - 1], &values[i]) != 0)
            values[count++] = values[i];
    const struct import_sample sample = {import->samples, start_ns, duration_ns, values, count};
    import->value_count = 0;
    import->samples++;
    return import->put(import->closure, import, &sample, error);
}

/* ---- reading --------------------------------------------------------------------------------- */

int import_init(struct import *import, const struct import_format *format,
                struct tally_error *error)
{
    *import = (struct import){.format = format, .state = calloc(1, format->state_bytes)};
    return import->state ? 0 : fail_memory(error, "an import");
}

void import_fini(struct import *import)
{
    free_names(&import->counters);
    free_names(&import->sources);
    free(import->values);
    free(import->state);
    *import = (struct import){0};
}

int import_take(struct import *import, const char *bytes, size_t size, struct tally_error *error)
{
    return import->format->take(import, bytes, size, error);
}

int import_end(struct import *import, bool *complete, struct tally_error *error)
{
    *complete = true;
    int result = import->format->end(import, complete, error);
    if (!result && !import->samples)
        result = fail(error, -EBADMSG, "no complete sample of %s", import->format->name);
    return result;
}
