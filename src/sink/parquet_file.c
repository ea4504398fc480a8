/* SPDX-License-Identifier: MIT */
#include "sink/parquet_file.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tally/version.h>

#include "base/error.h"
#include "base/minmax.h"
#include "sink/thrift.h"

/* Numbers of the format. */
enum { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };
enum { PLAIN = 0, RLE = 3, DELTA_BINARY_PACKED = 5, RLE_DICTIONARY = 8 };
enum { PHYSICAL_BOOLEAN = 0, PHYSICAL_INT64 = 2, PHYSICAL_DOUBLE = 5, PHYSICAL_BYTE_ARRAY = 6 };
enum { CONVERTED_UTF8 = 0, CONVERTED_UINT_64 = 14, NO_CONVERSION = -1 };
enum { UNCOMPRESSED = 0, REQUIRED = 0, OPTIONAL = 1 };

static const char magic[] = "PAR1";

static const struct {
    int physical, converted;
} types[] = {
    [PARQUET_UINT64] = {PHYSICAL_INT64, CONVERTED_UINT_64},
    [PARQUET_DOUBLE] = {PHYSICAL_DOUBLE, NO_CONVERSION},
    [PARQUET_TEXT] = {PHYSICAL_BYTE_ARRAY, CONVERTED_UTF8},
    [PARQUET_BOOLEAN] = {PHYSICAL_BOOLEAN, NO_CONVERSION},
};

/* The values of all columns of a group have at most this many bytes. DuckDB's groups have 122,880
 * rows, too. */
#define GROUP_BYTES ((size_t)32 << 20)
#define ROWS_MAX    122880
#define ROWS_MIN    2048

/* ---- columns --------------------------------------------------------------------------------- */

static void keep_name(void *name)
{
    (void)name; /* its column frees it */
}

void parquet_fini(struct parquet_file *file)
{
    tdestroy(file->names, keep_name);
    for (size_t i = 0; i < file->column_count; i++) {
        free(file->columns[i].name);
        free(file->columns[i].values);
        free(file->columns[i].levels);
    }
    free(file->columns);
    buffer_fini(&file->entries);
    buffer_fini(&file->metadata);
    buffer_fini(&file->page);
    buffer_fini(&file->smallest);
    dictionary_fini(&file->dictionary);
    *file = (struct parquet_file){0};
}

static int compare_names(const void *a, const void *b)
{
    return strcasecmp(a, b);
}

/* Returns a name that no column has. DuckDB does not distinguish small and capital letters. */
static char *make_name(struct parquet_file *file, const char *name)
{
    struct buffer text = {0};
    buffer_text(&text, name);
    for (;;) {
        buffer_append(&text, "", 1);
        if (text.broken)
            break;
        if (!tfind(text.bytes, &file->names, compare_names)) {
            if (tsearch(text.bytes, &file->names, compare_names))
                return text.bytes;
            break;
        }
        text.bytes[text.size - 1] = '_';
    }
    buffer_fini(&text);
    return NULL;
}

size_t parquet_add(struct parquet_file *file, struct parquet_column column, const char *name)
{
    struct parquet_column *grown =
        array_grow(file->columns, &file->capacity, file->column_count, sizeof *grown);
    if (grown) {
        file->columns = grown;
        column.name = make_name(file, name);
        grown[file->column_count] = column;
    }
    file->broken |= !grown || !column.name;
    return grown ? file->column_count++ : 0;
}

static void fail_file(const struct parquet_file *file, struct output *output)
{
    if (file->broken && !output->error.code)
        fail_memory(&output->error, "a row group");
}

static void put(struct parquet_file *file, struct output *output, const void *bytes, size_t size)
{
    output_append(output, bytes, size);
    file->position += size;
}

void parquet_begin(struct parquet_file *file, struct output *output)
{
    size_t row_bytes = file->column_count * (sizeof(uint64_t) + sizeof(uint32_t));
    file->rows_max = min_size(ROWS_MAX, max_size(ROWS_MIN, GROUP_BYTES / (row_bytes + 1)));
    file->rows_max -= file->rows_max % ROWS_MIN;
    for (size_t i = 0; i < file->column_count; i++) {
        struct parquet_column *column = &file->columns[i];
        column->values = malloc(file->rows_max * sizeof *column->values);
        column->levels = column->optional ? malloc(file->rows_max * sizeof *column->levels) : NULL;
        file->broken |= !column->values || (column->optional && !column->levels);
    }
    file->broken |= !dictionary_init(&file->dictionary, file->rows_max);
    fail_file(file, output);
    put(file, output, magic, 4);
}

/* ---- statistics ------------------------------------------------------------------------------ */

/* The lowest and the highest value of a chunk, as they are in pages, without a text's size. */
struct extremes {
    struct buffer min, max;
};

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void find_texts(const struct parquet_column *column, const struct dictionary *dictionary,
                       struct extremes *extremes)
{
    char space[PARQUET_TEXT_BYTES];
    for (size_t i = 0; i < dictionary->count; i++) {
        const char *text = column->text(column->closure, dictionary->values[i], space);
        /* strcmp() compares unsigned bytes, as UTF-8 is ordered. */
        buffer_append(&extremes->min, "", !i);
        buffer_append(&extremes->max, "", !i);
        if (extremes->min.broken || extremes->max.broken)
            return;
        if (!i || strcmp(text, extremes->min.bytes) < 0) {
            extremes->min.size = 0;
            buffer_append(&extremes->min, text, strlen(text) + 1);
        }
        if (!i || strcmp(text, extremes->max.bytes) > 0) {
            extremes->max.size = 0;
            buffer_append(&extremes->max, text, strlen(text) + 1);
        }
    }
    extremes->min.size -= extremes->min.size > 0;
    extremes->max.size -= extremes->max.size > 0;
}

static void find_numbers(const struct parquet_column *column, struct extremes *extremes)
{
    bool is_double = column->type == PARQUET_DOUBLE;
    uint64_t min = column->values[0], max = min;
    for (size_t i = 1; i < column->count; i++) {
        uint64_t value = column->values[i];
        if (is_double ? double_of(value) < double_of(min) : value < min)
            min = value;
        if (is_double ? double_of(value) > double_of(max) : value > max)
            max = value;
    }
    /* Zeros of both signs are equal here; the format wants the wider range. */
    if (is_double && double_of(min) == 0)
        min = UINT64_C(1) << 63;
    if (is_double && double_of(max) == 0)
        max = 0;
    parquet_put_words(&extremes->min, &min, 1);
    parquet_put_words(&extremes->max, &max, 1);
    if (column->type == PARQUET_BOOLEAN)
        extremes->min.size = extremes->max.size = 1;
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* How the values of a chunk are written. */
struct chunk {
    int encoding;
    uint64_t dictionary_at, data_at; /* positions in the file */
    size_t size;                     /* of all pages with their headers */
};

static void put_page(struct parquet_file *file, struct output *output, int type, int encoding,
                     size_t count, const struct buffer *page)
{
    struct buffer head = {0};
    struct thrift thrift = {.to = &head};
    thrift_begin(&thrift);
    thrift_i32(&thrift, 1, type);
    thrift_i32(&thrift, 2, (int32_t)page->size);
    thrift_i32(&thrift, 3, (int32_t)page->size);
    thrift_begin_field(&thrift, type == PAGE_DATA ? 5 : 7);
    thrift_i32(&thrift, 1, (int32_t)count);
    thrift_i32(&thrift, 2, encoding);
    if (type == PAGE_DATA) {
        thrift_i32(&thrift, 3, RLE); /* definition levels */
        thrift_i32(&thrift, 4, RLE); /* repetition levels: none */
    }
    thrift_end(&thrift);
    thrift_end(&thrift);
    put(file, output, head.bytes, head.size);
    put(file, output, page->bytes, page->size);
    file->broken |= head.broken || page->broken;
    buffer_fini(&head);
}

static void put_dictionary(struct buffer *to, const struct parquet_column *column,
                           const struct dictionary *dictionary)
{
    char space[PARQUET_TEXT_BYTES];
    if (column->type != PARQUET_TEXT) {
        parquet_put_words(to, dictionary->values, dictionary->count);
        return;
    }
    for (size_t i = 0; i < dictionary->count; i++) {
        const char *text = column->text(column->closure, dictionary->values[i], space);
        uint32_t size = (uint32_t)strlen(text);
        for (unsigned b = 0; b < 4; b++)
            buffer_char(to, (char)(size >> 8 * b));
        buffer_append(to, text, size);
    }
}

static void put_levels(struct buffer *to, const struct parquet_column *column, size_t rows)
{
    if (!column->optional)
        return;
    size_t start = to->size;
    buffer_append(to, "\0\0\0", 4);
    parquet_put_runs(to, column->levels, rows, 1);
    for (unsigned b = 0; !to->broken && b < 4; b++)
        to->bytes[start + b] = (char)((to->size - start - 4) >> 8 * b);
}

static void put_indices(struct buffer *to, const struct dictionary *dictionary, size_t count)
{
    unsigned bits = dictionary_bits(dictionary);
    buffer_char(to, (char)bits);
    parquet_put_runs(to, dictionary->indices, count, bits);
}

static void put_values(struct buffer *to, const struct parquet_file *file,
                       const struct parquet_column *column, int encoding)
{
    if (encoding == RLE_DICTIONARY)
        put_indices(to, &file->dictionary, column->count);
    else if (encoding == DELTA_BINARY_PACKED)
        parquet_put_deltas(to, column->values, column->count);
    else if (column->type == PARQUET_BOOLEAN)
        parquet_put_booleans(to, column->values, column->count);
    else
        parquet_put_words(to, column->values, column->count);
}

/* Takes the encoding whose pages are smallest, and leaves the data page of numbers in `smallest`,
 * without levels. */
static int choose(struct parquet_file *file, const struct parquet_column *column)
{
    const struct dictionary *dictionary = &file->dictionary;
    size_t plain = column->count * sizeof *column->values, of_dictionary;
    int encoding = PLAIN;
    file->smallest.size = 0;
    if (column->type == PARQUET_BOOLEAN) {
        put_values(&file->smallest, file, column, PLAIN);
        return PLAIN;
    }
    if (column->type == PARQUET_TEXT) {
        dictionary_build(&file->dictionary, column->values, column->count, column->count);
        put_values(&file->smallest, file, column, RLE_DICTIONARY);
        return RLE_DICTIONARY;
    }
    if (column->type == PARQUET_UINT64 && parquet_fits_deltas(column->values, column->count)) {
        put_values(&file->smallest, file, column, DELTA_BINARY_PACKED);
        encoding = DELTA_BINARY_PACKED;
    }
    size_t best = encoding == PLAIN ? plain : file->smallest.size;
    if (dictionary_build(&file->dictionary, column->values, column->count,
                         best / sizeof *dictionary->values)) {
        file->page.size = 0;
        put_values(&file->page, file, column, RLE_DICTIONARY);
        of_dictionary = file->page.size + dictionary->count * sizeof *dictionary->values;
        if (of_dictionary < best) {
            struct buffer swapped = file->smallest;
            file->smallest = file->page;
            file->page = swapped;
            return RLE_DICTIONARY;
        }
    }
    if (encoding == PLAIN || best >= plain) {
        file->smallest.size = 0;
        put_values(&file->smallest, file, column, PLAIN);
        return PLAIN;
    }
    return encoding;
}

static struct chunk put_chunk(struct parquet_file *file, struct output *output,
                              const struct parquet_column *column)
{
    uint64_t start = file->position;
    struct chunk chunk = {.encoding = choose(file, column)};
    if (chunk.encoding == RLE_DICTIONARY) {
        chunk.dictionary_at = file->position;
        file->page.size = 0;
        put_dictionary(&file->page, column, &file->dictionary);
        put_page(file, output, PAGE_DICTIONARY, PLAIN, file->dictionary.count, &file->page);
    }
    chunk.data_at = file->position;
    file->page.size = 0;
    put_levels(&file->page, column, file->rows);
    buffer_append(&file->page, file->smallest.bytes, file->smallest.size);
    file->page.broken |= file->smallest.broken;
    put_page(file, output, PAGE_DATA, chunk.encoding, file->rows, &file->page);
    chunk.size = (size_t)(file->position - start);
    return chunk;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static void add_statistics(struct thrift *thrift, const struct parquet_file *file,
                           const struct parquet_column *column)
{
    struct extremes extremes = {0};
    if (column->count && column->type == PARQUET_TEXT)
        find_texts(column, &file->dictionary, &extremes);
    else if (column->count)
        find_numbers(column, &extremes);
    thrift_begin_field(thrift, 12);
    thrift_i64(thrift, 3, (int64_t)(file->rows - column->count));
    if (column->count) {
        thrift_binary(thrift, 5, extremes.max.bytes, extremes.max.size);
        thrift_binary(thrift, 6, extremes.min.bytes, extremes.min.size);
    }
    thrift_end(thrift);
    thrift->to->broken |= extremes.min.broken || extremes.max.broken;
    buffer_fini(&extremes.min);
    buffer_fini(&extremes.max);
}

static void add_chunk(struct thrift *thrift, const struct parquet_file *file,
                      const struct parquet_column *column, const struct chunk *chunk)
{
    bool has_dictionary = chunk->encoding == RLE_DICTIONARY;
    thrift_begin(thrift);
    thrift_i64(thrift, 2, 0); /* the metadata are only here */
    thrift_begin_field(thrift, 3);
    thrift_i32(thrift, 1, types[column->type].physical);
    thrift_list(thrift, 2, THRIFT_I32, has_dictionary ? 3 : 2);
    if (has_dictionary)
        thrift_element_i32(thrift, PLAIN); /* of the dictionary */
    thrift_element_i32(thrift, RLE);       /* of the levels */
    thrift_element_i32(thrift, chunk->encoding);
    thrift_list(thrift, 3, THRIFT_BINARY, 1);
    thrift_element_text(thrift, column->name);
    thrift_i32(thrift, 4, UNCOMPRESSED);
    thrift_i64(thrift, 5, (int64_t)file->rows);
    thrift_i64(thrift, 6, (int64_t)chunk->size);
    thrift_i64(thrift, 7, (int64_t)chunk->size);
    thrift_i64(thrift, 9, (int64_t)chunk->data_at);
    if (has_dictionary)
        thrift_i64(thrift, 11, (int64_t)chunk->dictionary_at);
    add_statistics(thrift, file, column);
    thrift_end(thrift);
    thrift_end(thrift);
}

void parquet_end_group(struct parquet_file *file, struct output *output)
{
    struct thrift thrift = {.to = &file->entries};
    uint64_t start = file->position;
    if (!file->rows || file->broken)
        return;
    thrift_begin(&thrift);
    thrift_list(&thrift, 1, THRIFT_STRUCT, file->column_count);
    for (size_t i = 0; i < file->column_count; i++) {
        struct chunk chunk = put_chunk(file, output, &file->columns[i]);
        add_chunk(&thrift, file, &file->columns[i], &chunk);
        file->columns[i].count = 0;
    }
    thrift_i64(&thrift, 2, (int64_t)(file->position - start));
    thrift_i64(&thrift, 3, (int64_t)file->rows);
    thrift_i64(&thrift, 5, (int64_t)start);
    thrift_i64(&thrift, 6, (int64_t)(file->position - start));
    thrift_end(&thrift);
    file->broken |= file->entries.broken;
    fail_file(file, output);
    file->total_rows += file->rows;
    file->rows = 0;
    file->groups++;
}

/* ---- the footer ------------------------------------------------------------------------------ */

void parquet_describe(struct parquet_file *file, const char *key, const char *value)
{
    struct thrift thrift = {.to = &file->metadata};
    thrift_begin(&thrift);
    thrift_text(&thrift, 1, key);
    thrift_text(&thrift, 2, value);
    thrift_end(&thrift);
    file->metadata_count++;
}

static void add_schema(struct thrift *thrift, const struct parquet_file *file)
{
    thrift_list(thrift, 2, THRIFT_STRUCT, file->column_count + 1);
    thrift_begin(thrift);
    thrift_text(thrift, 4, "tally");
    thrift_i32(thrift, 5, (int32_t)file->column_count);
    thrift_end(thrift);
    for (size_t i = 0; i < file->column_count; i++) {
        const struct parquet_column *column = &file->columns[i];
        int converted = types[column->type].converted;
        thrift_begin(thrift);
        thrift_i32(thrift, 1, types[column->type].physical);
        thrift_i32(thrift, 3, column->optional ? OPTIONAL : REQUIRED);
        thrift_text(thrift, 4, column->name);
        if (converted != NO_CONVERSION) {
            thrift_i32(thrift, 6, converted);
            thrift_begin_field(thrift, 10); /* the same as a logical type */
            thrift_begin_field(thrift, converted == CONVERTED_UTF8 ? 1 : 10);
            if (converted == CONVERTED_UINT_64) {
                thrift_byte(thrift, 1, 64);
                thrift_bool(thrift, 2, false); /* not signed */
            }
            thrift_end(thrift);
            thrift_end(thrift);
        }
        thrift_end(thrift);
    }
}

/* Statistics are in the order of the types. */
static void add_orders(struct thrift *thrift, size_t count)
{
    thrift_list(thrift, 7, THRIFT_STRUCT, count);
    for (size_t i = 0; i < count; i++) {
        thrift_begin(thrift);
        thrift_begin_field(thrift, 1);
        thrift_end(thrift);
        thrift_end(thrift);
    }
}

void parquet_end(struct parquet_file *file, struct output *output)
{
    char creator[64];
    struct buffer footer = {0};
    struct thrift thrift = {.to = &footer};
    parquet_end_group(file, output);
    thrift_begin(&thrift);
    thrift_i32(&thrift, 1, 2); /* version */
    add_schema(&thrift, file);
    thrift_i64(&thrift, 3, (int64_t)file->total_rows);
    thrift_list(&thrift, 4, THRIFT_STRUCT, (size_t)file->groups);
    buffer_append(&footer, file->entries.bytes, file->entries.size);
    thrift_list(&thrift, 5, THRIFT_STRUCT, file->metadata_count);
    buffer_append(&footer, file->metadata.bytes, file->metadata.size);
    snprintf(creator, sizeof creator, "tally version %s", tally_version());
    thrift_text(&thrift, 6, creator);
    add_orders(&thrift, file->column_count);
    thrift_end(&thrift);
    file->broken |= footer.broken || file->metadata.broken || footer.size > INT32_MAX;
    uint32_t size = (uint32_t)footer.size;
    for (unsigned b = 0; b < 4; b++)
        buffer_char(&footer, (char)(size >> 8 * b));
    buffer_text(&footer, magic);
    fail_file(file, output);
    put(file, output, footer.bytes, footer.size);
    buffer_fini(&footer);
}
