/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a value change dump. Each bit that the listing names, up to a few, is read from
 * memory and in pieces, which must agree, and by a plain reader that knows words and nothing else.
 * What was read is written and read again.
 */
#include "fuzz.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include <tally/vcd.h>

#include "wave/vcd_read.h"

enum { BITS_MAX = 6, WORD_MAX = 600, NAME_ROOM = 4096 };

/* ---- a plain reader ------------------------------------------------------------------------ */

struct words {
    const char *at, *end;
};

/* The next word, terminated; false at the end. */
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

/* Digits as they stand for a place that is counted from the right, after extension. */
static char digit_at(const char *digits, uint64_t bit)
{
    size_t size = strlen(digits);
    char first = digits[0];
    if (bit < size)
        return digits[size - 1 - bit];
    return first == '1' || first == 'h' || first == 'H' ? '0' : first;
}

struct plain {
    uint64_t *times, count, end, unknown;
    char kind; /* '0', '1', 'x', 'z'; 0 before the first change */
};

static void plain_change(struct plain *plain, char value)
{
    char kind = strchr("0lL", value) ? '0' : strchr("1hH", value) ? '1' : value | 32;
    if (kind != '0' && kind != '1' && kind != 'z')
        kind = 'x';
    plain->unknown += kind != plain->kind && (kind == 'x' || kind == 'z');
    plain->kind = kind;
    /* All changes, with their values; what a time comes to is sorted out at the end. */
    plain->times[2 * plain->count] = plain->end;
    plain->times[2 * plain->count++ + 1] = kind == '1';
}

/* Of a dump without faults. Space for `size` changes. */
static void plain_read(const uint8_t *data, size_t size, const char *code, uint64_t bit,
                       struct plain *plain)
{
    struct words words = {(const char *)data, (const char *)data + size};
    char word[WORD_MAX + 1], value[WORD_MAX + 1];
    while (next_word(&words, word) && strcmp(word, "$enddefinitions"))
        skip_to(&words, "$end");
    skip_to(&words, "$end");
    while (next_word(&words, word)) {
        if (word[0] == '#') {
            plain->end = strtoull(word + 1, NULL, 10);
        } else if (!strcmp(word, "$dumpoff")) {
            plain_change(plain, 'x');
        } else if (word[0] == '$') {
            if (strcmp(word, "$dumpvars") && strcmp(word, "$dumpall") && strcmp(word, "$dumpon") &&
                strcmp(word, "$end"))
                skip_to(&words, "$end");
        } else if (strchr("bBrRs", word[0])) {
            memcpy(value, word, sizeof value);
            if (next_word(&words, word) && !strcmp(word, code))
                plain_change(plain, digit_at(value + 1, bit));
        } else if (!strcmp(word + 1, code)) {
            char digit[2] = {word[0], '\0'};
            plain_change(plain, digit_at(digit, bit));
        }
    }
    /* The last value of each time, where it differs from that of the time before. */
    uint64_t used = 0, level = 0;
    for (uint64_t i = 0; i < plain->count; i++) {
        uint64_t time = plain->times[2 * i], now = plain->times[2 * i + 1];
        if (i + 1 < plain->count && plain->times[2 * i + 2] == time)
            continue;
        if (now != level)
            plain->times[used++] = time;
        level = now;
    }
    plain->count = used;
}

/* ---- reading in two ways ------------------------------------------------------------------- */

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
    PROMISE(vcd_text_from_function(&text, "dump", read_piece, &pieces, WORD_MAX, &again) == 0);
    PROMISE(vcd_read_text(&text, name, &second) == result);
    vcd_text_fini(&text);
    PROMISE(result == error.code && !strcmp(error.message, again.message));
    PROMISE(result == 0 || result == -EBADMSG || result == -ENOENT || result == -EINVAL ||
            result == -ENOTUNIQ);
    PROMISE(second.count == out->count && second.end == out->end);
    PROMISE(second.unknown == out->unknown && second.timescale_fs == out->timescale_fs);
    for (size_t i = 0; i < out->count; i++) {
        PROMISE(second.times[i] == out->times[i]);
        PROMISE(out->times[i] <= out->end && (!i || out->times[i] > out->times[i - 1]));
    }
    tally_vcd_signal_fini(&second);
    return result;
}

static void check_clocks(const struct tally_vcd_signal *signal, uint64_t step)
{
    uint64_t *edges;
    size_t count;
    PROMISE(tally_vcd_clocks(signal, step, &edges, &count) == 0);
    PROMISE(count <= signal->count && (signal->count - count) % 2 == 0);
    for (size_t i = 1; i < count; i++)
        PROMISE(edges[i] > edges[i - 1]);
    if (step == 1)
        PROMISE(count == signal->count &&
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
    PROMISE(file && tally_vcd_writer_new(file, "1 ns", &writer, NULL) == 0);
    PROMISE(tally_vcd_writer_add(writer, "a", 1, &id) == 0);
    PROMISE(tally_vcd_writer_begin(writer) == 0);
    for (size_t i = 0; i < signal->count; i++) {
        PROMISE(tally_vcd_writer_time(writer, signal->times[i]) == 0);
        PROMISE(tally_vcd_writer_value(writer, id, ~i & 1) == 0);
    }
    PROMISE(tally_vcd_writer_finish(writer, signal->end) == 0);
    tally_vcd_writer_free(writer);
    fclose(file);
    struct tally_vcd_signal again;
    PROMISE(read_both((const uint8_t *)bytes, size, "a", &again) == 0);
    PROMISE(again.count == signal->count && again.end == signal->end);
    for (size_t i = 0; i < again.count; i++)
        PROMISE(again.times[i] == signal->times[i]);
    tally_vcd_signal_fini(&again);
    free(bytes);
}

/* ---- the bits of a dump -------------------------------------------------------------------- */

struct bits {
    size_t count;
    struct bit {
        char name[NAME_ROOM], code[WORD_MAX + 1];
        uint64_t place;
    } bits[BITS_MAX];
};

static int note_bit(void *closure, const struct tally_vcd_variable *variable)
{
    struct bits *bits = closure;
    PROMISE(variable->name && variable->code[0]);
    PROMISE(strlen(variable->type) < 32 && strlen(variable->code) <= WORD_MAX);
    uint64_t distance = (uint64_t)(variable->msb > variable->lsb ? variable->msb - variable->lsb
                                                                 : variable->lsb - variable->msb);
    PROMISE(distance + 1 == variable->width || !variable->width);
    if (bits->count == BITS_MAX || !variable->width || strlen(variable->name) > NAME_ROOM - 32)
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
    PROMISE(listed == error.code && (listed == 0 || listed == -EBADMSG));
    int result = read_both(data, size, "no such signal", &signal);
    PROMISE(listed ? result == listed : result != -EINVAL);
    tally_vcd_signal_fini(&signal);
    for (size_t i = 0; i < bits.count; i++) {
        const struct bit *bit = &bits.bits[i];
        result = read_both(data, size, bit->name, &signal);
        PROMISE(!listed || (result == listed && !signal.count));
        if (!result) {
            struct plain plain = {.times = malloc(2 * (size + 1) * sizeof *plain.times)};
            PROMISE(plain.times != NULL);
            plain_read(data, size, bit->code, bit->place, &plain);
            PROMISE(plain.end == signal.end && plain.unknown == signal.unknown);
            PROMISE(plain.count == signal.count);
            for (size_t t = 0; t < signal.count; t++)
                PROMISE(plain.times[t] == signal.times[t]);
            free(plain.times);
        }
        check_clocks(&signal, 1);
        check_clocks(&signal, 1 + hash_bytes(data, size) % 20);
        check_written(&signal);
        tally_vcd_signal_fini(&signal);
    }
    return 0;
}
