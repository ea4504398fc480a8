/* SPDX-License-Identifier: MIT */
#ifndef TESTS_TWIN_TWIN_H
#define TESTS_TWIN_TWIN_H

/*
 * The twin test's client: a table of calls of the i915 interface, with right and wrong arguments.
 * It makes each call and prints one line: `name: result errno field=value ...`. Two runs, one on
 * the emulated driver and one on Linux's own, are compared line by line (compare.py). The client
 * uses libc and the kernel's interface only.
 *
 * A row gives the argument of an ioctl as a struct, and optionally data that the struct points to.
 * Values that are known only while the program runs are written as SLOT(name), which stands for a
 * result that an earlier row kept, and as DATA(offset), the address of the row's data. Addresses,
 * descriptors and times are not printed.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <drm.h>
#include <i915_drm.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- values of earlier calls ----------------------------------------------------------------- */

enum slot {
    NO_SLOT,
    CARD, /* descriptors */
    RENDER,
    STREAM,
    FENCE,
    PAGE, /* objects */
    LARGE,
    TARGET,
    BATCH,
    LOOP,
    TILED,
    PURGED,
    OTHER,
    USER_PAGES,
    CONTEXT, /* contexts, address spaces */
    CONTEXT_MAP,
    CONTEXT_2,
    VM,
    VM_2,
    SYNCOBJ,
    CONFIG, /* metric-set configurations */
    CONFIG_2,
    NAME, /* of GEM_FLINK, GET_MAGIC */
    MAGIC,
    LENGTH, /* of the latest query, and near it */
    LENGTH_LESS,
    LENGTH_MORE,
    EUS, /* of a subslice */
    SLICES,
    SUBSLICES,
    HALF_SUBSLICES,
    CLASS_OFF, /* an engine that the platform lacks */
    FILE_2,    /* another file of the card */
    STUCK,     /* objects: batches that spin, and that end at once */
    SHORT,
    HUNG, /* contexts */
    WAITING,
    EVENT, /* of perf_event_open() */
    EVENT_2,
    SLOTS
};

extern uint32_t slots[SLOTS];

#define SLOT(name)   (0x51070000u | (name))
#define DATA(offset) (0x5107da7a00000000ull | (offset))
#define BAD          0x1000ull /* an address that is never mapped */

/* ---- rows ------------------------------------------------------------------------------------ */

enum how {
    PLAIN,
    HEX,
    HIDDEN,     /* differs from run to run: only whether it is 0 */
    DESCRIPTOR, /* closed after printing unless it is kept */
};

/* A field of an ioctl's struct that is printed after the call. */
struct field {
    const char *name;
    uint16_t offset, bytes;
    enum how how;
};

/* An ioctl, or another kind of call. */
struct call;
struct kind {
    unsigned long request;
    size_t size;
    struct field fields[8];
    uint8_t kept;                          /* field that .keep stores, from 1; 0: the result */
    enum how result;                       /* of positive results */
    void (*make)(const struct call *call); /* if it is no ioctl: makes the call and prints */
    void (*show)(const struct call *call, const void *args, const uint8_t *data);
};

struct call {
    const char *name;
    const struct kind *kind;
    const void *args; /* the struct; NULL: the address BAD */
    const void *data; /* what it points to */
    size_t bytes;
    uint16_t words, from;  /* 32-bit words of the data that are printed, from an offset */
    unsigned long request; /* instead of the kind's */
    enum slot keep, fd;    /* fd: instead of CARD */
    bool as_user;          /* as an ordinary user, in a child process */
    const char *path, *text;
    long a, b;
};

struct calls {
    const struct call *calls;
    size_t count;
};

#define GROUP(name, rows) const struct calls name = {rows, COUNT(rows)}
extern const struct calls device_group, params_group, query_group, gem_group, mapping_group,
    context_group, engines_group, exec_group, configs_group, opening_group, stream_group,
    files_group, directories_group, debugfs_group, events_group, hangs_group, sweep_group;

#define WITH(...) __VA_ARGS__
#define CALL(name, kind, fields, ...)                                                              \
    {                                                                                              \
        name, &kind##_kind, &(kind){fields}, ##__VA_ARGS__                                         \
    }
#define PAYLOAD(type, ...) .data = &(type){__VA_ARGS__}, .bytes = sizeof(type)
#define FIELD_AS(type, member, how)                                                                \
    {                                                                                              \
#member, offsetof(type, member), sizeof(((type *)0)->member), how                          \
    }
#define FIELD(type, member) FIELD_AS(type, member, PLAIN)

/* ---- making calls and printing --------------------------------------------------------------- */

/* Copy a row's struct or data with its slots and addresses. */
void fill(void *to, const void *from, size_t bytes);

/* The memory of the row's data: DATA(0). Pages after it are not mapped. */
#define DATA_BYTES 16384
uint8_t *data_memory(void);

/* Print the start of a line with the result of a call and errno, fields, and its end. */
void print_result(const struct call *call, long result, enum how how);
void print_field(const char *name, uint64_t value, enum how how);
void print_text(const char *name, const char *text);
void print_words(const void *data, size_t count);
void print_end(void);

/* Makes a call that has a line of its own: `suffix` is appended to the row's name. */
long make_ioctl(const struct call *call, const char *suffix);

/* The generation: 7, or 8 for all later ones. */
bool is_gen7(void);

#endif
