/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_PARQUET_FILE_H
#define TALLY_SINK_PARQUET_FILE_H

#include "sink/output.h"
#include "sink/parquet_encode.h"

/*
 * Writes Parquet files: rows in groups of a limited number, a column chunk of each column in a
 * group, a page in a chunk. Nothing is compressed; each chunk has the smallest of the encodings
 * that fit. The caller stores the values of rows in the columns, and ends groups that are full.
 */
enum parquet_type { PARQUET_UINT64, PARQUET_DOUBLE, PARQUET_TEXT, PARQUET_BOOLEAN };

#define PARQUET_TEXT_BYTES 256

/* Returns the text that a value of a column of texts stands for; `buffer` may be used for it. */
typedef const char *parquet_text_function(const void *closure, uint64_t value,
                                          char buffer[PARQUET_TEXT_BYTES]);

struct parquet_column {
    char *name;
    enum parquet_type type;
    bool optional;
    parquet_text_function *text;
    const void *closure; /* of `text` */
    uint64_t *values;    /* of the rows of the group that have one; doubles as their bits */
    size_t count;        /* of values */
    uint32_t *levels;    /* optional columns: 1 of a row with a value, 0 without */
};

struct parquet_file {
    struct parquet_column *columns;
    size_t column_count, capacity;
    size_t rows_max; /* of a group */
    size_t rows;     /* of the group so far */
    uint64_t total_rows, groups;
    uint64_t position;     /* bytes written so far */
    struct buffer entries; /* of the groups in the footer */
    struct buffer metadata;
    size_t metadata_count;
    struct buffer page, smallest;
    struct dictionary dictionary;
    void *names; /* of the columns, a tree */
    bool broken; /* out of memory */
};

void parquet_fini(struct parquet_file *file);

/* Adds a column. Another name is chosen if there is a column with this name, in any case of
 * letters. Returns its index. */
size_t parquet_add(struct parquet_file *file, struct parquet_column column, const char *name);

/* Begins the file, after all columns have been added. */
void parquet_begin(struct parquet_file *file, struct output *output);

/* Store the value of the next row of a column, or that it has none. */
static inline void parquet_put(struct parquet_column *column, size_t row, uint64_t value)
{
    column->values[column->count++] = value;
    if (column->optional)
        column->levels[row] = 1;
}

static inline void parquet_skip(struct parquet_column *column, size_t row)
{
    column->levels[row] = 0;
}

/* Writes the rows so far as a group. */
void parquet_end_group(struct parquet_file *file, struct output *output);

/* Adds a text to the metadata of the file. */
void parquet_describe(struct parquet_file *file, const char *key, const char *value);

/* Writes the last group and the footer. */
void parquet_end(struct parquet_file *file, struct output *output);

#endif
