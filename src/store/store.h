/* SPDX-License-Identifier: MIT */
#ifndef TALLY_STORE_STORE_H
#define TALLY_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>
#include <tally/recording.h>

#include "recording/source.h"

/*
 * Stores: recordings in one SQLite file (docs/store.md). Errors are negative errnos with a message:
 * -EBADMSG: not a store, or damaged; -ENOENT, -EACCES and others of opening a file; -EBUSY: another
 * process writes; -ENOSPC, -EIO; -ENOTSUP: this build has no SQLite.
 */

/* Returns why this build has no stores, or NULL if it has. */
const char *store_missing(void);

struct store;

enum store_mode {
    STORE_READ,   /* nothing can be changed */
    STORE_WRITE,  /* an existing store */
    STORE_CREATE, /* created if there is none */
};

int store_open(const char *path, enum store_mode mode, struct store **out,
               struct tally_error *error);
void store_close(struct store *store);

/* ---- adding and removing --------------------------------------------------------------------- */

/* What has become of a file. */
struct store_added {
    const char *path;
    int64_t id;               /* in the store; 0: not added, because of `error` */
    bool is_new;              /* false: the store had the recording already */
    const char *imported;     /* the program whose output it is; NULL: it is a recording */
    uint64_t reports;         /* in the recording; samples of another program */
    uint64_t size_bytes;      /* of the recording */
    uint64_t stored_bytes;    /* of its reports in the store */
    struct tally_error error; /* code 0, or why it was not added */
    /* Code 0, or why the recording was added without values, or without those after some report. */
    struct tally_error incomplete;
};

struct store_add_options {
    const char *metrics; /* as in struct tally_pipeline_options */
    const char *set;
    const struct tally_recording_options *recording;
    const char *date; /* "YYYY-MM-DDTHH:MM:SSZ"; NULL: when the file was modified */
    unsigned threads; /* 0: as many as processors are available */
};

/* Called for each file, in the order of the files. */
typedef void store_added_function(void *closure, const struct store_added *added);

/*
 * Adds recordings, each in a transaction: after an error, or if the process ends, the store has
 * whole recordings only. A file that cannot be read does not end it. Returns 0, or an error of the
 * store.
 */
int store_add(struct store *store, const char *const *paths, size_t count,
              const struct store_add_options *options, store_added_function *on_added,
              void *closure, struct tally_error *error);

/* Removes a recording. Returns -ENOENT if there is none with this id. */
int store_remove(struct store *store, int64_t id, struct tally_error *error);

/* Parses a date of --date: "2026-11-27", with a time "T18:30" or "T18:30:05", "Z" or not. Returns
 * false if it is none. */
#define STORE_DATE_BYTES 24
bool store_parse_date(const char *text, char date[STORE_DATE_BYTES]);

/* Gets when a regular file was modified. Returns false if it is none. */
bool store_file_date(const char *path, char date[STORE_DATE_BYTES]);

/* ---- recordings as inputs -------------------------------------------------------------------- */

/* Opens "DB#ID", a recording of a store, byte for byte: for source_set_opener(). A file with this
 * name has precedence. Also fails for the path of a store, which is no recording. */
int store_open_input(const char *path, struct virtual_file *out, struct tally_error *error);

/* Gets the date of the recording "DB#ID", empty if the store does not have it. Returns 1; 0 if the
 * path is none of a store; or a negative errno. */
int store_input_date(const char *path, char date[STORE_DATE_BYTES], struct tally_error *error);

/* ---- queries --------------------------------------------------------------------------------- */

enum store_type { STORE_NULL, STORE_INTEGER, STORE_REAL, STORE_TEXT, STORE_BLOB };

/* A value of a row, valid during the callback. */
struct store_value {
    enum store_type type;
    int64_t integer;
    double real;
    const char *text;    /* NUL-terminated */
    const uint8_t *blob; /* may be NULL if `size` is 0 */
    size_t size;         /* of text or blob, in bytes */
};

struct store_query {
    /* Called once before the first row with the names of the columns. Both return 0, or another
     * value to stop. */
    int (*begin)(void *closure, const char *const *names, size_t count);
    int (*row)(void *closure, const struct store_value *values, size_t count);
    void *closure;
};

/* Runs one statement that reads. Anything else is refused: -EPERM; -EINVAL: wrong SQL. Returns 0,
 * an error, or the value with which a callback has stopped. */
int store_query(struct store *store, const char *sql, const struct store_query *query,
                struct tally_error *error);

#endif
