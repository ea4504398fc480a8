/* SPDX-License-Identifier: MIT */
#ifndef TESTS_TESTING_H
#define TESTS_TESTING_H

/* cmocka requires these four headers before its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
/* base/error.h has a function of the same name. */
#undef fail
#undef fail_msg
#define fail_msg(...)                                                                              \
    (print_error("ERROR: " __VA_ARGS__), print_error("\n"), _fail(__FILE__, __LINE__))

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tally/version.h>

/* In a sanitized build, undefined behaviour ends the program, so that no test ignores it. */
const char *__ubsan_default_options(void);
__attribute__((weak, used, visibility("default"))) const char *__ubsan_default_options(void)
{
    return "halt_on_error=1:print_stacktrace=1";
}

/* TALLY_TESTS=test_cases* runs only the tests whose name matches. */
__attribute__((weak, constructor)) void filter_tests(void);
__attribute__((weak, constructor)) void filter_tests(void)
{
    if (getenv("TALLY_TESTS"))
        cmocka_set_test_filter(getenv("TALLY_TESTS"));
}

/* Returns the share of their cases that long tests run, in percent: $TALLY_TEST_PERCENT, or 100.
 * Sanitized and emulated runs use fewer than 100, `make test-long` uses more. */
static inline unsigned long test_percent(void)
{
    static unsigned long percent;
    if (!percent) {
        const char *text = getenv("TALLY_TEST_PERCENT");
        percent = text ? strtoul(text, NULL, 10) : 100;
        percent = percent ? percent : 1;
    }
    return percent;
}

/* Returns how many of `count` random cases a test runs: that share, but at least 8 if there are as
 * many. Bounds on what the cases do are scaled by it as well. */
static inline unsigned random_cases(unsigned count)
{
    unsigned long cases = count * test_percent() / 100, min = count < 8 ? count : 8;
    return (unsigned)(cases < min ? min : cases);
}

/* Returns whether a test runs case i of a long exhaustive series: each of them, or, below 100
 * percent, each fifteenth at least. */
static inline bool is_sampled(uint64_t i)
{
    unsigned long stride = 100 / test_percent();
    return stride < 2 || i % (stride < 15 ? stride : 15) == 0;
}

/* ---- tables of rows ------------------------------------------------------------------------ */

/*
 * A test of a table checks every row and prints the line of each that fails; ROWS_DONE() at its end
 * fails the test if there was one, so that one bad row does not hide the next.
 */
__attribute__((weak)) unsigned rows_failed; /* one for all files of a program */
__attribute__((weak)) unsigned long rows_passed;

static inline bool row_passed(void)
{
    rows_passed++;
    return true;
}

__attribute__((format(printf, 3, 4))) static inline bool row_failed(const char *file, unsigned line,
                                                                    const char *format, ...)
{
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (++rows_failed <= 20)
        print_error("%s:%u: %s\n", file, line, message);
    return false;
}

/* Checks the row at a line of this file; prints the message if the condition is false. Returns the
 * condition. */
#define ROW(line, condition, ...)                                                                  \
    ((condition) ? row_passed() : row_failed(__FILE__, (line), __VA_ARGS__))

#define ROWS_DONE()                                                                                \
    do {                                                                                           \
        unsigned failed_here = rows_failed;                                                        \
        rows_failed = 0;                                                                           \
        if (failed_here) {                                                                         \
            print_error("%u checks of rows failed\n", failed_here);                                \
            _fail(__FILE__, __LINE__);                                                             \
        }                                                                                          \
    } while (0)

/* Returns whether one text contains another; if no text is expected, whether the first is empty. */
static inline bool mentions(const char *text, const char *part)
{
    return part ? strstr(text, part) != NULL : !*text;
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- random numbers, the same in every run ------------------------------------------------- */

struct random {
    uint64_t state;
};

static inline struct random random_start(uint64_t seed)
{
    return (struct random){seed};
}

/* splitmix64 */
static inline uint64_t random_next(struct random *rng)
{
    uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline uint64_t random_below(struct random *rng, uint64_t limit)
{
    return random_next(rng) % limit;
}

/* Returns a number of any magnitude, with 0 to 64 random bits. */
static inline uint64_t random_magnitude(struct random *rng)
{
    unsigned bits = (unsigned)random_below(rng, 65);
    return bits ? random_next(rng) >> (64 - bits) : 0;
}

static inline void random_bytes(struct random *rng, void *to, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)to)[i] = (uint8_t)random_next(rng);
}

/* Returns ones in the low `width` bits, without the product's helper. */
static inline uint64_t ones(unsigned width)
{
    return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

/* ---- vector paths -------------------------------------------------------------------------- */

static const char *const simd_paths[] = {"portable", "avx2", "avx512"};

/* Selects a vector path. Prints a message and returns false if this processor lacks it. */
static inline bool simd_use(const char *path)
{
    static unsigned told;
    setenv("TALLY_SIMD", path, 1);
    if (!strcmp(tally_simd(), path))
        return true;
    unsigned bit = 1u << (path[0] == 'a' ? path[3] == '2' : 2);
    if (!(told & bit))
        print_message("vector path %s left out: this processor lacks it\n", path);
    told |= bit;
    return false;
}

static inline void simd_best(void)
{
    unsetenv("TALLY_SIMD");
}

/* ---- code that might crash ----------------------------------------------------------------- */

/*
 * Runs code in a separate process without its messages. Returns whether it finished, so that a
 * sanitizer's abort fails one row and not the program.
 */
static inline bool survives(void (*code)(void *closure), void *closure)
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, STDERR_FILENO);
        code(closure);
        _exit(0);
    }
    if (child > 0)
        waitpid(child, &status, 0);
    return status == 0;
}

/* ---- files --------------------------------------------------------------------------------- */

/* Returns the source directory, which contains data/. */
static inline const char *source_directory(void)
{
    const char *source = getenv("TALLY_SOURCE");
    return source ? source : ".";
}

/* Writes a path in the documents' folder. Returns false if it does not exist on this machine. */
static inline bool shared_path(char *path, size_t size, const char *name)
{
    const char *shared = getenv("TALLY_SHARED");
    if (shared)
        snprintf(path, size, "%s/%s", shared, name);
    else
        snprintf(path, size, "%s/../shared/%s", source_directory(), name);
    return access(path, R_OK) == 0;
}

/* Skips the test, with a message, if the documents' folder lacks `name`. */
#define NEEDS_SHARED(path, name)                                                                   \
    do {                                                                                           \
        if (!shared_path(path, sizeof path, name)) {                                               \
            print_message("skipped: %s is not here (set TALLY_SHARED)\n", path);                   \
            skip();                                                                                \
        }                                                                                          \
    } while (0)

struct paths {
    char (*paths)[512];
    size_t count;
};

static inline int compare_paths(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Lists the files of a directory with this ending, sorted by name. Free `paths` with free(). */
static inline struct paths list_files(const char *directory, const char *ending)
{
    struct paths list = {calloc(256, sizeof *list.paths), 0};
    DIR *dir = opendir(directory);
    assert_non_null(list.paths);
    for (struct dirent *entry; dir && list.count < 256 && (entry = readdir(dir));) {
        size_t size = strlen(entry->d_name), end = strlen(ending);
        if (size >= end && !strcmp(entry->d_name + size - end, ending))
            snprintf(list.paths[list.count++], sizeof *list.paths, "%.255s/%.255s", directory,
                     entry->d_name);
    }
    if (dir)
        closedir(dir);
    if (list.count)
        qsort(list.paths, list.count, sizeof *list.paths, compare_paths);
    return list;
}

/* Reads a file and adds a null byte. Free the result with free(). */
static inline char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s: cannot be read", path);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    size_t size = (size_t)ftell(file);
    char *text = calloc(1, size + 1);
    rewind(file);
    assert_int_equal(fread(text, 1, size, file), size);
    fclose(file);
    return text;
}

/* ---- tables in documents ------------------------------------------------------------------- */

#define TABLE_BEGIN "<!-- the table is written by the test: TALLY_REWRITE=1 -->\n"
#define TABLE_END   "<!-- end of the table -->\n"

/* Checks that a document contains this table; with TALLY_REWRITE writes it. */
static inline void check_document(const char *document, const char *table)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", source_directory(), document);
    char *text = read_text(path);
    char *begin = strstr(text, TABLE_BEGIN), *end = strstr(text, TABLE_END);
    assert_true(begin && end && begin < end);
    begin += strlen(TABLE_BEGIN);
    bool same = (size_t)(end - begin) == strlen(table) && !strncmp(begin, table, strlen(table));
    if (!same && getenv("TALLY_REWRITE")) {
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        fprintf(file, "%.*s%s%s", (int)(begin - text), text, table, end);
        fclose(file);
        same = true;
    }
    free(text);
    if (!same)
        fail_msg("%s differs from the test's table; TALLY_REWRITE=1 writes it", path);
}

#endif
