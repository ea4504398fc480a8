/* SPDX-License-Identifier: MIT */
/* What the targets of imports share: reads a file whole and in pieces, and checks that the pieces
 * do not matter, and what every sample has. */
#ifndef TALLY_FUZZ_IMPORT_H
#define TALLY_FUZZ_IMPORT_H

#include "fuzz.h"

#include <math.h>
#include <string.h>

#include "base/minmax.h"
#include "store/import.h"

struct seen {
    uint64_t samples, values, hash;
    int result;
    bool complete;
    struct tally_error error;
};

static void mix(struct seen *seen, const void *bytes, size_t size)
{
    seen->hash = seen->hash * UINT64_C(0x100000001b3) ^ hash_bytes(bytes, size);
}

static void mix_name(struct seen *seen, const char *name)
{
    mix(seen, name, strlen(name));
}

static int put(void *closure, const struct import *import, const struct import_sample *sample,
               struct tally_error *error)
{
    struct seen *seen = closure;
    (void)error;
    CHECK(sample->number == seen->samples);
    CHECK(sample->start_ns >= IMPORT_UNKNOWN && sample->duration_ns >= IMPORT_UNKNOWN);
    seen->samples++;
    for (size_t i = 0; i < sample->count; i++) {
        const struct import_value *value = &sample->values[i], *before = value - 1;
        CHECK(value->counter < import->counters.count && value->source < import->sources.count);
        CHECK(isfinite(value->real));
        CHECK(!i || before->counter < value->counter ||
              (before->counter == value->counter && before->source < value->source));
        mix_name(seen, import->counters.list[value->counter]->name);
        mix_name(seen, import->sources.list[value->source]->name);
        mix(seen, &value->real, sizeof value->real);
        seen->values++;
    }
    mix(seen, &sample->start_ns, sizeof sample->start_ns);
    mix(seen, &sample->duration_ns, sizeof sample->duration_ns);
    return 0;
}

static struct seen read_pieces(const struct import_format *format, const uint8_t *data, size_t size,
                               size_t piece)
{
    struct seen seen = {0};
    struct import import;
    CHECK(!import_init(&import, format, &seen.error));
    import.put = put;
    import.closure = &seen;
    for (size_t at = 0; !seen.result && at < size; at += piece)
        seen.result =
            import_take(&import, (const char *)data + at, min_size(piece, size - at), &seen.error);
    if (!seen.result)
        seen.result = import_end(&import, &seen.complete, &seen.error);
    CHECK(!seen.result || (seen.result == seen.error.code && *seen.error.message));
    CHECK(strlen(import.device) < sizeof import.device);
    for (size_t i = 0; i < import.counters.count; i++)
        CHECK(import.counters.list[i]->index == i);
    import_fini(&import);
    return seen;
}

static void check_import(const struct import_format *format, const uint8_t *data, size_t size,
                         size_t piece)
{
    struct seen whole = read_pieces(format, data, size, size + 1);
    struct seen cut = read_pieces(format, data, size, piece);
    CHECK(whole.samples == cut.samples && whole.values == cut.values && whole.hash == cut.hash);
    CHECK(whole.result == cut.result && whole.complete == cut.complete);
    CHECK(!whole.result || !strcmp(whole.error.message, cut.error.message));
}

#endif
