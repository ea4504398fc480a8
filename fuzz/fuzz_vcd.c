/* SPDX-License-Identifier: MIT */
/*
 * Reads the input as a value change dump. Checks for the first BITS_MAX bits that reading from
 * memory, reading in pieces and a simple reference reader agree, and that a written signal reads
 * the same.
 */
#include "fuzz.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include <tally/vcd.h>

#include "lengthen.h"
#include "wave/vcd_read.h"

enum { BITS_MAX = 6, WORD_MAX = 600, NAME_SIZE = 4096 };

/* ---- reference reader ---------------------------------------------------------------------- */

struct words {
    const char *at, *end;
};

/* Reads the next word; false at the end. */
static bool next_word(struct words *words, char to[WORD_MAX + 1])
{
    size_t size = 0;
    while (words->at < words->end && strchr(" \t\n\v\f\r", *words->at))
        words->at++;
    while (words->at < words->end && !strchr(" \t\n\v\f\r", *words->at) && size < WORD_MAX)
        to[size++] = *words->at++;
    to[size] = '\0';
    return size > 0;
}

static void skip_to(struct words *words, const char *last)
{
    char word[WORD_MAX + 1];
    while (next_word(words, word) && strcmp(word, last))
        continue;
}

/* Returns the digit of a bit, counted from the right, after extension to the left. */
static char digit_at(const char *digits, uint64_t bit)
{
    size_t size = strlen(digits);
    char first = digits[0];
    if (bit < size)
        return digits[size - 1 - bit];
    return first == '1' || first == 'h' || first == 'H' ? '0' : first;
}

struct reference {
    uint64_t *times, count, end, unknown;
    char kind; /* '0', '1', 'x', 'z'; 0 before the first change */
};

static void reference_change(struct reference *reference, char value)
{
    char kind = strchr("0lL", value) ? '0' : strchr("1hH", value) ? '1' : value | 32;
    if (kind != '0' && kind != '1' && kind != 'z')
        kind = 'x';
    reference->unknown += kind != reference->kind && (kind == 'x' || kind == 'z');
    reference->kind = kind;
    /* Store all changes with their values; several of the same time are merged at the end. */
    reference->times[2 * reference->count] = reference->end;
    reference->times[2 * reference->count++ + 1] = kind == '1';
}

/* Reads a bit of a valid dump. `times` must have space for `size` changes and their values. */
static void reference_read(const uint8_t *data, size_t size, const char *code, uint64_t bit,
                           struct reference *reference)
{
    struct words words = {(const char *)data, (const char *)data + size};
    char word[WORD_MAX + 1], value[WORD_MAX + 1];
    while (next_word(&words, word) && strcmp(word, "$enddefinitions"))
        skip_to(&words, "$end");
    skip_to(&words, "$end");
    while (next_word(&words, word)) {
        if (word[0] == '#') {
            reference->end = strtoull(word + 1, NULL, 10);
        } else if (!strcmp(word, "$dumpoff")) {
            reference_change(reference, 'x');
        } else if (word[0] == '$') {
            if (strcmp(word, "$dumpvars") && strcmp(word, "$dumpall") && strcmp(word, "$dumpon") &&
                strcmp(word, "$end"))
                skip_to(&words, "$end");
        } else if (strchr("bBrRs", word[0])) {
            memcpy(value, word, sizeof value);
            if (next_word(&words, word) && !strcmp(word, code))
                reference_change(reference, digit_at(value + 1, bit));
        } else if (!strcmp(word + 1, code)) {
            char digit[2] = {word[0], '\0'};
            reference_change(reference, digit_at(digit, bit));
        }
    }
    /* Keep the last value of each time if it differs from the value before. */
    uint64_t used = 0, level = 0;
    for (uint64_t i = 0; i < reference->count; i++) {
        uint64_t time = reference->times[2 * i], now = reference->times[2 * i + 1];
        if (i + 1 < reference->count && reference->times[2 * i + 2] == time)
            continue;
        if (now != level)
            reference->times[used++] = time;
        level = now;
    }
    reference->count = used;
}

/* ---- reading from memory and in pieces ----------------------------------------------------- */

struct pieces {
    const uint8_t *data;
    size_t size, at;
    uint64_t seed;
};

static ptrdiff_t read_piece(void *closure, void *to, size_t size)
{
    struct pieces *pieces = closure;
    size_t wanted = 1 + next_number(&pieces->seed) % 40, left = pieces->size - pieces->at;
    wanted = wanted < size ? wanted : size;
    wanted = wanted < left ? wanted : left;
    memcpy(to, pieces->data + pieces->at, wanted);
    pieces->at += wanted;
    return (ptrdiff_t)wanted;
}

static int read_both(const uint8_t *data, size_t size, const char *name,
                     struct tally_vcd_signal *out)
{
    struct vcd_text text;
    struct tally_error error = {0}, again = {0};
    struct tally_vcd_signal second;
    struct pieces pieces = {data, size, 0, hash_bytes(data, size)};
    vcd_text_from_memory(&text, "dump", data, size, WORD_MAX, &error);
    int result = vcd_read_text(&text, name, out);
    CHECK(vcd_text_from_function(&text, "dump", read_piece, &pieces, WORD_MAX, &again) == 0);
    CHECK(vcd_read_text(&text, name, &second) == result);
    vcd_text_fini(&text);
    CHECK(result == error.code && !strcmp(error.message, again.message));
    CHECK(result == 0 || result == -EBADMSG || result == -ENOENT || result == -EINVAL ||
          result == -ENOTUNIQ);
    CHECK(second.count == out->count && second.end == out->end);
    CHECK(second.unknown == out->unknown && second.timescale_fs == out->timescale_fs);
    for (size_t i = 0; i < out->count; i++) {
        CHECK(second.times[i] == out->times[i]);
        CHECK(out->times[i] <= out->end && (!i || out->times[i] > out->times[i - 1]));
    }
    tally_vcd_signal_fini(&second);
    return result;
}

static void check_clocks(const struct tally_vcd_signal *signal, uint64_t step)
{
    uint64_t *edges;
    size_t count;
    CHECK(tally_vcd_clocks(signal, step, &edges, &count) == 0);
    CHECK(count <= signal->count && (signal->count - count) % 2 == 0);
    for (size_t i = 1; i < count; i++)
        CHECK(edges[i] > edges[i - 1]);
    if (step == 1)
        CHECK(count == signal->count &&
              (!count || !memcmp(edges, signal->times, count * sizeof *edges)));
    free(edges);
}

static void check_written(const struct tally_vcd_signal *signal)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&bytes, &size);
    struct tally_vcd_writer *writer;
    unsigned id;
    CHECK(file && tally_vcd_writer_new(file, "1 ns", &writer, NULL) == 0);
    CHECK(tally_vcd_writer_add(writer, "a", 1, &id) == 0);
    CHECK(tally_vcd_writer_begin(writer) == 0);
    for (size_t i = 0; i < signal->count; i++) {
        CHECK(tally_vcd_writer_time(writer, signal->times[i]) == 0);
        CHECK(tally_vcd_writer_value(writer, id, ~i & 1) == 0);
    }
    CHECK(tally_vcd_writer_finish(writer, signal->end) == 0);
    tally_vcd_writer_free(writer);
    fclose(file);
    struct tally_vcd_signal again;
    CHECK(read_both((const uint8_t *)bytes, size, "a", &again) == 0);
    CHECK(again.count == signal->count && again.end == signal->end);
    for (size_t i = 0; i < again.count; i++)
        CHECK(again.times[i] == signal->times[i]);
    tally_vcd_signal_fini(&again);
    free(bytes);
}

/* ---- the bits of a dump -------------------------------------------------------------------- */

struct bits {
    size_t count;
    struct bit {
        char name[NAME_SIZE], code[WORD_MAX + 1];
        uint64_t place;
    } bits[BITS_MAX];
};

static int note_bit(void *closure, const struct tally_vcd_variable *variable)
{
    struct bits *bits = closure;
    CHECK(variable->name && variable->code[0]);
    CHECK(strlen(variable->type) < 32 && strlen(variable->code) <= WORD_MAX);
    uint64_t distance = (uint64_t)(variable->msb > variable->lsb ? variable->msb - variable->lsb
                                                                 : variable->lsb - variable->msb);
    CHECK(distance + 1 == variable->width || !variable->width);
    if (bits->count == BITS_MAX || !variable->width || strlen(variable->name) > NAME_SIZE - 32)
        return 0;
    struct bit *bit = &bits->bits[bits->count++];
    strcpy(bit->code, variable->code);
    bit->place = variable->width > 1 ? distance / (bits->count % 3 + 1) : 0;
    int64_t index = variable->msb >= variable->lsb ? variable->lsb + (int64_t)bit->place
                                                   : variable->lsb - (int64_t)bit->place;
    snprintf(bit->name, sizeof bit->name, variable->width > 1 ? "%s[%" PRId64 "]" : "%s",
             variable->name, index);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct bits bits;
    struct vcd_text text;
    struct tally_error error = {0};
    struct tally_vcd_signal signal;
    bits.count = 0;
    vcd_text_from_memory(&text, "dump", data, size, WORD_MAX, &error);
    int listed = vcd_list_text(&text, note_bit, &bits);
    CHECK(listed == error.code && (listed == 0 || listed == -EBADMSG));
    int result = read_both(data, size, "no such signal", &signal);
    CHECK(listed ? result == listed : result != -EINVAL);
    tally_vcd_signal_fini(&signal);
    for (size_t i = 0; i < bits.count; i++) {
        const struct bit *bit = &bits.bits[i];
        result = read_both(data, size, bit->name, &signal);
        CHECK(!listed || (result == listed && !signal.count));
        if (!result) {
            struct reference reference = {.times =
                                              malloc(2 * (size + 1) * sizeof *reference.times)};
            CHECK(reference.times != NULL);
            reference_read(data, size, bit->code, bit->place, &reference);
            CHECK(reference.end == signal.end && reference.unknown == signal.unknown);
            CHECK(reference.count == signal.count);
            for (size_t t = 0; t < signal.count; t++)
                CHECK(reference.times[t] == signal.times[t]);
            free(reference.times);
        }
        check_clocks(&signal, 1);
        check_clocks(&signal, 1 + hash_bytes(data, size) % 20);
        check_written(&signal);
        tally_vcd_signal_fini(&signal);
    }
    return 0;
}
