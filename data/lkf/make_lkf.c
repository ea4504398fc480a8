/* SPDX-License-Identifier: MIT */
/*
 * make_lkf OUTPUT.c FILE.csv...: turns the tables of Lakefield (README.md here) and of PCI
 * (../pci/README.md) into C tables for src/intel/gt/. Runs at build time; a malformed row ends the
 * build with its file and line.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 256, COLUMNS_MAX = 14 };

/* What a column holds, and so how it becomes C. */
enum kind {
    HEX,    /* digits without 0x */
    NUMBER, /* decimal */
    TEXT,   /* may be empty */
    NAME,   /* must not be empty */
    SYMBOL, /* a C name */
    CHOICE, /* one of `words`, an enumerator with the prefix */
    SET     /* some of `words`, separated by spaces: arguments of the macro `prefix` */
};

struct column {
    const char *name;
    enum kind kind;
    const char *prefix, *words; /* of CHOICE and SET; words with a space before and behind each */
};

struct table {
    const char *file;
    const char *header; /* that declares them */
    const char *type, *name, *count;
    struct column columns[COLUMNS_MAX]; /* ended by a NULL name */
};

static const struct table tables[] = {
    {"mmio-ranges.csv",
     "intel/gt/routing.h",
     "struct gt_range",
     "gt_ranges",
     "gt_range_count",
     {{"first", HEX, NULL, NULL},
      {"last", HEX, NULL, NULL},
      {"section", TEXT, NULL, NULL},
      {"unit", NAME, NULL, NULL},
      {"wake", CHOICE, "GT_WAKE_", " NONE AON GTI RENDER MEDIA0 MEDIA2 "},
      {"group", CHOICE, "GT_GROUP_", " NONE SLICE SUBSLICE L3BANK "},
      {"count", NUMBER, NULL, NULL},
      {"note", TEXT, NULL, NULL}}},
    {"registers.csv",
     "intel/gt/pci.h",
     "struct gt_pci_register",
     "gt_pci_registers",
     "gt_pci_register_count",
     {{"on", SET, "PCI_ON", " SNB BDW VLV CHV SKL ICL LKF DG1 "},
      {"device", CHOICE, "GT_PCI_", " HOST GRAPHICS VIRTUAL "},
      {"offset", HEX, NULL, NULL},
      {"bytes", NUMBER, NULL, NULL},
      {"symbol", SYMBOL, NULL, NULL},
      {"reset", HEX, NULL, NULL},
      {"firmware", HEX, NULL, NULL},
      {"writable", HEX, NULL, NULL},
      {"clears", HEX, NULL, NULL},
      {"keeps", HEX, NULL, NULL},
      {"behaviour", CHOICE, "GT_PCI_",
       " FIXED STORAGE DEVICE_ID REVISION WRITE_ONCE SUBSYSTEM_ID SUBSYSTEM_COPY COMMAND STATUS "
       "GTTMMADR GMADR IOBAR MSAC GGC BDSM DPR DEVEN GGC_MIRROR BDSM_MIRROR DEVEN_MIRROR VTDBAR "
       "VTDBAR_UPPER "
       "MSI_CONTROL MSI_ADDRESS MSI_UPPER MSI_DATA MSI_MASK MSI_PENDING DEVICE_CONTROL AF_CONTROL "
       "PM_CONTROL SWSMI SWSCI PASID_CONTROL ATS_CONTROL PRI_CONTROL PRI_STATUS VF_CONTROL "
       "VF_COUNT VF_OFFSET VF_STRIDE VF_PAGE_SIZE VF_GTTMMADR VF_GTTMMADR_UPPER "},
      {"name", NAME, NULL, NULL},
      {"note", NAME, NULL, NULL}}},
};

static const char *file_name;
static unsigned line_number;

/* Says what is wrong at the current line, and ends the build. */
static void stop(const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "%s:%u: ", file_name, line_number);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

static void put_number(FILE *out, const char *text, int base, const char *column)
{
    static const char digits[] = "0123456789abcdef";
    size_t size = strlen(text);
    if (!size || size > 16 || strspn(text, digits) != size ||
        (base == 10 && strspn(text, "0123456789") != size))
        stop("%s \"%s\", expected %s", column, text,
             base == 10 ? "a number" : "up to 16 hexadecimal digits in lower case");
    if (base == 16)
        fprintf(out, "0x%s", text);
    else
        fprintf(out, "%llu", strtoull(text, NULL, 10)); /* without leading zeros */
}

static void put_choice(FILE *out, const char *text, const struct column *column)
{
    char word[LINE_MAX_BYTES + 2];
    snprintf(word, sizeof word, " %s ", text);
    if (!*text || strchr(text, ' ') || !strstr(column->words, word))
        stop("%s \"%s\", expected one of%s", column->name, text, column->words);
    fprintf(out, "%s%s", column->prefix, text);
}

static void put_set(FILE *out, const char *text, const struct column *column)
{
    char copy[LINE_MAX_BYTES];
    snprintf(copy, sizeof copy, "%s", text);
    const char *between = "";
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "), between = " | ") {
        char padded[LINE_MAX_BYTES + 2];
        snprintf(padded, sizeof padded, " %s ", word);
        if (!strstr(column->words, padded))
            stop("%s \"%s\", expected some of%s", column->name, word, column->words);
        fprintf(out, "%s%s(%s)", between, column->prefix, word);
    }
    if (!*between)
        stop("no %s", column->name);
}

static void put_symbol(FILE *out, const char *text, const char *column)
{
    static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char rest[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    if (!*text || !strchr(first, *text) || strspn(text, rest) != strlen(text))
        stop("%s \"%s\", expected a C name in capital letters", column, text);
    fprintf(out, "\"%s\"", text);
}

static void put_cell(FILE *out, const char *text, const struct column *column)
{
    switch (column->kind) {
    case HEX:
        put_number(out, text, 16, column->name);
        break;
    case NUMBER:
        put_number(out, text, 10, column->name);
        break;
    case CHOICE:
        put_choice(out, text, column);
        break;
    case NAME:
        if (!*text)
            stop("no %s", column->name);
        fprintf(out, "\"%s\"", text);
        break;
    case SYMBOL:
        put_symbol(out, text, column->name);
        break;
    case SET:
        put_set(out, text, column);
        break;
    case TEXT:
        fprintf(out, "\"%s\"", text);
    }
}

/* Splits a line at its commas, in place. Writes a row of C. */
static void put_row(FILE *out, char *line, const struct table *table)
{
    fputs("    {", out);
    for (const struct column *column = table->columns; column->name; column++) {
        bool last = !column[1].name;
        char *comma = strchr(line, ',');
        if (last == (comma != NULL))
            stop("%s fields than the header has", last ? "more" : "fewer");
        if (comma)
            *comma = '\0';
        put_cell(out, line, column);
        fputs(last ? "},\n" : ", ", out);
        if (comma)
            line = comma + 1;
    }
}

static void check_header(const char *line, const struct table *table)
{
    char expected[LINE_MAX_BYTES] = "";
    for (const struct column *column = table->columns; column->name; column++) {
        strcat(expected, column->name);
        if (column[1].name)
            strcat(expected, ",");
    }
    if (strcmp(line, expected) != 0)
        stop("\"%s\", expected the header %s", line, expected);
}

static const struct table *table_of(const char *path)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (!strcmp(name, tables[i].file))
            return &tables[i];
    stop("expected mmio-ranges.csv or registers.csv");
    return NULL;
}

static void make_table(FILE *out, const char *path)
{
    char line[LINE_MAX_BYTES];
    unsigned rows = 0;
    bool headed = false;
    FILE *file = fopen(path, "rb");
    file_name = path;
    line_number = 0;
    if (!file)
        stop("%s", strerror(errno));
    const struct table *table = table_of(path);
    fprintf(out, "\n#include \"%s\"\n\nconst %s %s[] = {\n", table->header, table->type,
            table->name);
    while (fgets(line, sizeof line, file)) {
        size_t size = strlen(line);
        line_number++;
        if (!size || line[size - 1] != '\n')
            stop("line is cut off, has a zero byte or more than %d bytes", LINE_MAX_BYTES - 2);
        line[--size] = '\0';
        for (size_t i = 0; i < size; i++)
            if (line[i] < ' ' || line[i] > '~' || strchr("\"\\?", line[i]))
                stop("byte %02x at column %zu, expected printable ASCII without \" \\ ?",
                     line[i] & 0xff, i + 1);
        if (line[0] == '#')
            continue;
        if (headed)
            put_row(out, line, table);
        else
            check_header(line, table);
        rows += headed;
        headed = true;
    }
    if (ferror(file))
        stop("%s", strerror(errno));
    fclose(file);
    if (!rows)
        stop("no rows, expected some after the header");
    fprintf(out, "};\n\nconst size_t %s = %u;\n", table->count, rows);
}

static FILE *open_output(const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        exit(1);
    }
    return file;
}

static void close_output(FILE *file, const char *path)
{
    bool failed = ferror(file);
    if (fclose(file) || failed) {
        perror(path);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    static const char made[] = "/* Made by data/lkf/make_lkf.c from the tables beside it. */\n";
    if (argc < 3) {
        fprintf(stderr, "usage: make_lkf OUTPUT.c FILE.csv...\n");
        return 2;
    }
    FILE *out = open_output(argv[1]);
    fputs(made, out);
    for (int i = 2; i < argc; i++)
        make_table(out, argv[i]);
    close_output(out, argv[1]);
    return 0;
}
