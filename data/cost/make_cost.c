/* SPDX-License-Identifier: MIT */
/*
 * make_cost OUTPUT.c FILE.yaml...: turns the numbers of the cost model into C tables for
 * src/intel/cost/. Runs at build time, before there is a YAML reader: each number must be a line of
 * the form of docs/cost-model.md, which a test compares with what the reader reads. A number that
 * is missing or unknown ends the build.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *symbol, *name;
} numbers[] = {
#define NUMBER(symbol, name, ...) {#symbol, name},
#include "intel/cost/numbers.def"
};

#define NUMBERS (sizeof numbers / sizeof numbers[0])

/* The graphics versions, times ten, of the platforms that a file is for. */
static const struct {
    const char *file;
    int first, last;
} files[] = {
    {"gen6.yaml", 60, 60},    {"gen7.yaml", 70, 70},  {"gen7.5.yaml", 75, 75},
    {"gen8.yaml", 80, 80},    {"gen9.yaml", 90, 100}, {"gen11.yaml", 110, 110},
    {"gen12.yaml", 120, 120},
};

static _Noreturn void stop(const char *file, unsigned line, const char *problem, const char *word)
{
    fprintf(stderr, "%s:%u: %s %s\n", file, line, problem, word);
    exit(1);
}

static void begin(FILE *out, const char *path)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (!strcmp(files[i].file, name)) {
            fprintf(out, "    {%d, %d, {{\n", files[i].first, files[i].last);
            return;
        }
    stop(path, 0, "no versions for file", name);
}

static void convert(FILE *out, const char *path)
{
    char text[300], name[64];
    unsigned long value;
    unsigned given[NUMBERS] = {0};
    FILE *in = fopen(path, "r");
    if (!in)
        stop(path, 0, "cannot open", path);
    begin(out, path);
    for (unsigned line = 1; fgets(text, sizeof text, in); line++) {
        if (sscanf(text, " - {number: %63[^,], value: %lu, source:", name, &value) != 2)
            continue;
        size_t i = 0;
        while (i < NUMBERS && strcmp(numbers[i].name, name) != 0)
            i++;
        if (i == NUMBERS || given[i]++)
            stop(path, line, i == NUMBERS ? "unknown number" : "second value of", name);
        fprintf(out, "        [COST_%s] = %lu,\n", numbers[i].symbol, value);
    }
    for (size_t i = 0; i < NUMBERS; i++)
        if (!given[i])
            stop(path, 0, "missing number", numbers[i].name);
    fprintf(out, "    }}},\n");
    fclose(in);
}

int main(int argc, char **argv)
{
    FILE *out = argc > 2 ? fopen(argv[1], "w") : NULL;
    if (!out) {
        fprintf(stderr, "usage: make_cost OUTPUT.c FILE.yaml...\n");
        return 1;
    }
    fprintf(out, "/* Made from data/cost/ by make_cost. */\n"
                 "#include \"base/bits.h\"\n"
                 "#include \"intel/cost/table.h\"\n\n"
                 "const struct cost_builtin cost_builtins[] = {\n");
    for (int i = 2; i < argc; i++)
        convert(out, argv[i]);
    fprintf(out, "};\n\n"
                 "const size_t cost_builtin_count = ARRAY_COUNT(cost_builtins);\n");
    return fclose(out) ? 1 : 0;
}
