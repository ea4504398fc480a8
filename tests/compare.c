/* SPDX-License-Identifier: MIT */
/* Models against their references, on random programs, and against written answers. */
#include "compare.h"

#include <stdlib.h>
#include <string.h>

#include "testbench/script.h"

static int put_file(void *context, const char *text, size_t size)
{
    return fwrite(text, 1, size, context) == size ? 0 : -1;
}

static void put_expected(void *context, const struct script_expectation *expectation)
{
    fprintf(context, "expect %s\n", expectation->met ? "met" : "failed");
}

static int run(const char *text, size_t size, FILE *out, struct tally_error *error)
{
    struct script_options options = {.output = put_file,
                                     .output_context = out,
                                     .expected = put_expected,
                                     .expected_context = out};
    struct script *script;
    int line = 0, result = script_new(&options, &script, error);
    while (size && result == 0) {
        const char *newline = memchr(text, '\n', size);
        size_t length = newline ? (size_t)(newline - text) : size;
        line++;
        result = script_line(script, text, length, error);
        text += length + (newline != NULL);
        size -= length + (newline != NULL);
    }
    script_free(script);
    return result ? line : 0;
}

int engine_run(const char *text, size_t size, FILE *out)
{
    struct tally_error error = {0};
    int line = run(text, size, out, &error);
    if (line)
        fprintf(stderr, "line %d: %s\n", line, error.message);
    return line;
}

int engine_try(const char *text, size_t size, FILE *out)
{
    struct tally_error error = {0};
    return run(text, size, out, &error);
}

static void tell_difference(const char *what, const char *engine, const char *expected)
{
    size_t line = 1, back = 0;
    while (*engine && *engine == *expected) {
        line += *engine == '\n';
        back = *engine == '\n' ? 0 : back + 1;
        engine++, expected++;
    }
    engine -= back, expected -= back;
    fprintf(stderr, "%s: line %zu of the output\n  model:    %.*s\n  expected: %.*s\n", what, line,
            (int)strcspn(engine, "\n"), engine, (int)strcspn(expected, "\n"), expected);
}

int compare_program(const struct comparison *comparison, uint64_t seed)
{
    char *script = NULL, *texts[2] = {NULL, NULL}, what[64];
    size_t size = 0, sizes[2];
    FILE *file = open_memstream(&script, &size);
    comparison->write(seed, file);
    fclose(file);
    int different = 0;
    for (int i = 0; i < 2; i++) {
        file = open_memstream(&texts[i], &sizes[i]);
        different |= i ? comparison->reference(script, size, file) : engine_run(script, size, file);
        fclose(file);
    }
    if (different || strcmp(texts[0], texts[1]) != 0) {
        snprintf(what, sizeof what, "%s program %llu", comparison->name, (unsigned long long)seed);
        tell_difference(what, texts[0], texts[1]);
        different = 1;
    }
    free(script), free(texts[0]), free(texts[1]);
    return different;
}

static char *read_whole(const char *source, const char *name, const char *suffix, size_t *size)
{
    char path[1024], *text = NULL;
    snprintf(path, sizeof path, "%s/data/scripts/%s%s", source, name, suffix);
    FILE *file = fopen(path, "rb"), *copy = open_memstream(&text, size);
    for (int byte; file && (byte = getc(file)) != EOF;)
        putc(byte, copy);
    fclose(copy);
    if (file)
        fclose(file);
    return text;
}

int compare_example(const char *source, const char *name)
{
    size_t size, expected_size, printed_size;
    char *script = read_whole(source, name, "", &size), *printed = NULL;
    char *expected = read_whole(source, name, ".out", &expected_size);
    FILE *out = open_memstream(&printed, &printed_size);
    int different = engine_run(script, size, out);
    fclose(out);
    if (!expected_size || strcmp(printed, expected) != 0) {
        tell_difference(name, printed, expected);
        different = 1;
    }
    free(script), free(expected), free(printed);
    return different;
}
