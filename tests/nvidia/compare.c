/* SPDX-License-Identifier: MIT */
/* The engine against the reference, on random programs. */
#include "nvidia/compare.h"

#include <stdlib.h>
#include <string.h>

#include "nvidia/programs.h"
#include "nvidia/reference.h"
#include "testbench/pct.h"

static int put_file(void *context, const char *text, size_t size)
{
    return fwrite(text, 1, size, context) == size ? 0 : -1;
}

int engine_run(const char *script, size_t size, FILE *out)
{
    struct tally_error error = {0};
    struct pct *pct;
    int line = 0, result = pct_new(put_file, out, &pct, &error);
    while (size && result == 0) {
        const char *newline = memchr(script, '\n', size);
        size_t length = newline ? (size_t)(newline - script) : size;
        line++;
        result = pct_line(pct, script, length, &error);
        script += length + (newline != NULL);
        size -= length + (newline != NULL);
    }
    if (result)
        fprintf(stderr, "line %d: %s\n", line, error.message);
    pct_free(pct);
    return result ? line : 0;
}

static void tell_difference(uint64_t seed, const char *script, const char *engine,
                            const char *reference)
{
    size_t line = 1;
    while (*engine && *engine == *reference) {
        line += *engine == '\n';
        engine++, reference++;
    }
    while (line > 1 && engine[-1] != '\n')
        engine--, reference--;
    fprintf(stderr, "program %llu: line %zu of the output\n  engine:    %.*s\n  reference: %.*s\n",
            (unsigned long long)seed, line, (int)strcspn(engine, "\n"), engine,
            (int)strcspn(reference, "\n"), reference);
    (void)script;
}

int compare_program(uint64_t seed)
{
    char *script = NULL, *texts[2] = {NULL, NULL};
    size_t size = 0, sizes[2];
    FILE *file = open_memstream(&script, &size);
    program_write(seed, file);
    fclose(file);
    int different = 0;
    for (int i = 0; i < 2; i++) {
        file = open_memstream(&texts[i], &sizes[i]);
        different |= i ? reference_run(script, size, file) : engine_run(script, size, file);
        fclose(file);
    }
    if (different || strcmp(texts[0], texts[1]) != 0) {
        tell_difference(seed, script, texts[0], texts[1]);
        different = 1;
    }
    free(script), free(texts[0]), free(texts[1]);
    return different;
}
