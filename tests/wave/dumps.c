/* SPDX-License-Identifier: MIT */
#include "wave/dumps.h"

#include <inttypes.h>

struct pieces {
    const char *bytes;
    size_t size, at, piece;
};

static ptrdiff_t read_piece(void *closure, void *to, size_t size)
{
    struct pieces *pieces = closure;
    size_t left = pieces->size - pieces->at;
    size = size < pieces->piece ? size : pieces->piece;
    size = size < left ? size : left;
    memcpy(to, pieces->bytes + pieces->at, size);
    pieces->at += size;
    return (ptrdiff_t)size;
}

struct dump dump_read(const char *bytes, size_t size, const char *name, size_t piece, size_t limit)
{
    struct dump dump = {0};
    struct vcd_text text;
    struct pieces pieces = {bytes, size, 0, piece};
    /* A copy of exactly the dump's size, so that a sanitizer detects a read past the end. */
    char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    if (piece)
        assert_int_equal(
            vcd_text_from_function(&text, "dump", read_piece, &pieces, limit, &dump.error), 0);
    else
        vcd_text_from_memory(&text, "dump", copy, size, limit, &dump.error);
    dump.result = vcd_read_text(&text, name, &dump.signal);
    vcd_text_fini(&text);
    free(copy);
    return dump;
}

void dump_fini(struct dump *dump)
{
    tally_vcd_signal_fini(&dump->signal);
}

void dump_toggles(const struct tally_vcd_signal *signal, char to[512])
{
    size_t used = 0;
    to[0] = '\0';
    for (size_t i = 0; i < signal->count && used < 480; i++)
        used += (size_t)sprintf(to + used, "%s%" PRIu64, i ? " " : "", signal->times[i]);
}

void dump_text(const struct tally_vcd_signal *signal, char to[640])
{
    char toggles[512];
    dump_toggles(signal, toggles);
    snprintf(to, 640, "%s, end %" PRIu64 ", x %" PRIu64, toggles, signal->end, signal->unknown);
}

struct dump dump_read_all(unsigned line, const char *bytes, size_t size, const char *name)
{
    static const size_t pieces[] = {1, 2, 3, 7, 4096};
    struct dump first = dump_read(bytes, size, name, 0, 0);
    for (size_t i = 0; i < COUNT(pieces); i++) {
        struct dump again = dump_read(bytes, size, name, pieces[i], 0);
        bool same = again.result == first.result && again.signal.count == first.signal.count &&
                    again.signal.end == first.signal.end &&
                    again.signal.unknown == first.signal.unknown &&
                    again.signal.timescale_fs == first.signal.timescale_fs &&
                    !strcmp(again.error.message, first.error.message) &&
                    (!first.signal.count || !memcmp(again.signal.times, first.signal.times,
                                                    first.signal.count * sizeof(uint64_t)));
        ROW(line, same, "in pieces of %zu bytes: %d, \"%s\"; from memory: %d, \"%s\"", pieces[i],
            again.result, again.error.message, first.result, first.error.message);
        dump_fini(&again);
    }
    return first;
}

static char directory[64];

static void remove_files(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", directory);
    if (system(command) != 0)
        perror(directory);
}

const char *test_path(const char *name)
{
    static char path[128];
    if (!directory[0]) {
        strcpy(directory, "/tmp/tally-wave-XXXXXX");
        assert_non_null(mkdtemp(directory));
        atexit(remove_files);
    }
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}
