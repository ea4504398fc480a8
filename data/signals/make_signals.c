/* SPDX-License-Identifier: MIT */
/*
 * make_signals OUTPUT.c FILE.csv...: turns the signal tables (README.md here) into one C table for
 * src/nvidia/signals.c. Runs at build time; a malformed row ends the build with its file and line.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIELDS = 5,
    LINE_MAX_BYTES = 512,
    POOL_MAX = 65536,
    ROWS_MAX = 8192,
    FILES_MAX = 64,
    NAME_MAX_BYTES = 64,
    CHIP_MAX_BYTES = 7
};

static const char header[] = "domain,index,name,alias,note";

static char pool[POOL_MAX]; /* each text once, NUL after each; offset 0 is "" */
static size_t pool_size = 1;

struct row {
    unsigned name, note, alias; /* alias: 0, or place in aliases */
    unsigned domain, first, last;
};

static struct row rows[ROWS_MAX];
static size_t row_count;
static unsigned aliases[ROWS_MAX]; /* one an element of the rows that have any; 0: none */
static size_t alias_count = 1;

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

static unsigned intern(const char *text)
{
    size_t size = strlen(text) + 1, at = 0;
    while (at < pool_size && strcmp(pool + at, text) != 0)
        at += strlen(pool + at) + 1;
    if (at >= pool_size) {
        if (pool_size + size > POOL_MAX)
            stop("all texts together take more than %d bytes, the table's offsets hold no more",
                 POOL_MAX);
        at = pool_size;
        memcpy(pool + at, text, size);
        pool_size += size;
    }
    return (unsigned)at;
}

/* Cuts a line into its fields, in place; a field in quotes may hold commas and doubled quotes. */
static void split(char *line, char *fields[FIELDS])
{
    char *from = line, *to = line;
    for (unsigned i = 0; i < FIELDS; i++) {
        bool quoted = *from == '"';
        fields[i] = to;
        from += quoted;
        while (*from && (quoted || *from != ',')) {
            if (*from == '"') {
                if (!quoted)
                    stop("a quote within field %u, expected the whole field in quotes", i + 1);
                if (*++from != '"') {
                    quoted = false;
                    if (*from && *from != ',')
                        stop("\"%c\" after the quoted field %u, expected a comma", *from, i + 1);
                    continue;
                }
            }
            *to++ = *from++;
        }
        if (quoted)
            stop("field %u has no closing quote", i + 1);
        if (!*from && i + 1 < FIELDS)
            stop("%u fields, expected %d: %s", i + 1, FIELDS, header);
        if (*from && i + 1 == FIELDS)
            stop("more than %d fields, expected %s", FIELDS, header);
        from += *from == ','; /* read past it before its place is written over */
        *to++ = '\0';
    }
}

/* Two digits as the tables write them; -1 if they are not. */
static int hex_byte(const char *text)
{
    static const char digits[] = "0123456789abcdef";
    const char *high = text[0] ? strchr(digits, text[0]) : NULL;
    const char *low = high && text[1] ? strchr(digits, text[1]) : NULL;
    return low ? (int)(high - digits) * 16 + (int)(low - digits) : -1;
}

/* The codes of enum tally_domain_set: eight domains a set. */
static unsigned parse_domain(const char *text)
{
    static const char *const sets[] = {"", "GPC", "PART", "HUB"};
    for (unsigned set = 0; set < 4; set++) {
        size_t size = strlen(sets[set]);
        const char *digit = text + size;
        if (!strncmp(text, sets[set], size) && *digit >= '0' && *digit <= '7' && !digit[1])
            return set * 8 + (unsigned)(*digit - '0');
    }
    stop("domain \"%s\", expected 0 to 7, or GPC, PART or HUB and 0 to 7", text);
    return 0;
}

static void parse_index(const char *text, struct row *row)
{
    size_t size = strlen(text);
    int first = hex_byte(text), last = first;
    if (size == 5 && text[2] == '-')
        last = hex_byte(text + 3);
    else if (size != 2)
        first = -1;
    if (first < 0 || last < first || (size == 5 && last == first))
        stop("index \"%s\", expected 00 to ff, or a group as 26-3f", text);
    row->first = (unsigned)first;
    row->last = (unsigned)last;
}

/* "name" of a single signal; of a group "name_00-19", or "0=name 3=name". */
static void parse_alias(char *text, struct row *row)
{
    static const char expected[] = "expected a name; of a group name_00-19, one an element, or "
                                   "0=name 3=name";
    unsigned count = row->last - row->first + 1;
    if (!*text)
        return;
    if (alias_count + count > ROWS_MAX)
        stop("more than %d aliases", ROWS_MAX);
    row->alias = (unsigned)alias_count;
    alias_count += count;
    unsigned *slots = aliases + row->alias;
    size_t size = strlen(text);
    if (count == 1) {
        if (strpbrk(text, "= "))
            stop("alias \"%s\", %s", text, expected);
        slots[0] = intern(text);
    } else if (!strchr(text, '=')) {
        if (size < 6 || size >= NAME_MAX_BYTES || text[size - 3] != '-')
            stop("alias \"%s\", %s", text, expected);
        int first = hex_byte(text + size - 5), last = hex_byte(text + size - 2);
        if (first < 0 || last - first + 1 != (int)count)
            stop("alias \"%s\" for a group of %u, %s", text, count, expected);
        for (unsigned k = 0; k < count; k++) {
            char name[NAME_MAX_BYTES + 16];
            snprintf(name, sizeof name, "%.*s%02x", (int)size - 5, text, (unsigned)first + k);
            slots[k] = intern(name);
        }
    } else {
        for (char *item = strtok(text, " "); item; item = strtok(NULL, " ")) {
            char *end;
            unsigned long k = strtoul(item, &end, 10);
            if (end == item || *end != '=' || !end[1] || k >= count || slots[k])
                stop("alias \"%s\" for a group of %u, %s", item, count, expected);
            slots[k] = intern(end + 1);
        }
    }
}

static void parse_row(char *line, size_t first_row)
{
    char *fields[FIELDS];
    struct row row = {0};
    if (row_count == ROWS_MAX)
        stop("more than %d rows", ROWS_MAX);
    split(line, fields);
    row.domain = parse_domain(fields[0]);
    parse_index(fields[1], &row);
    if (!*fields[2])
        stop("no name, expected one as published, or ???");
    row.name = intern(fields[2]);
    parse_alias(fields[3], &row);
    row.note = intern(fields[4]);
    if (row_count > first_row) {
        const struct row *before = &rows[row_count - 1];
        if (row.domain < before->domain ||
            (row.domain == before->domain && row.first < before->first))
            stop("domain %s, index %s is out of order, expected rows by domain, then by index",
                 fields[0], fields[1]);
    }
    rows[row_count++] = row;
}

/* "nv10_nv15" of ".../nv10_nv15.csv". */
static const char *chips_of(const char *path)
{
    return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}

static void check_name(const char *path)
{
    const char *name = chips_of(path);
    for (;;) {
        size_t size = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789");
        if (!size || size > CHIP_MAX_BYTES || (name[size] != '_' && strcmp(name + size, ".csv")))
            stop("expected a file name of chipsets with _ between them, such as nv10_nv15.csv");
        if (name[size] == '.')
            return;
        name += size + 1;
    }
}

static void read_file(const char *path)
{
    char line[LINE_MAX_BYTES];
    bool headed = false;
    size_t first_row = row_count;
    FILE *file = fopen(path, "rb");
    file_name = path;
    line_number = 0;
    if (!file)
        stop("%s", strerror(errno));
    check_name(path);
    while (fgets(line, sizeof line, file)) {
        size_t size = strlen(line);
        line_number++;
        if (!size || line[size - 1] != '\n')
            stop("line is cut off, has a zero byte or more than %d bytes, expected a newline at "
                 "its end",
                 LINE_MAX_BYTES - 2);
        line[--size] = '\0';
        for (size_t i = 0; i < size; i++)
            if (line[i] < ' ' || line[i] > '~')
                stop("byte %02x at column %zu, expected printable ASCII", line[i] & 0xff, i + 1);
        if (line[0] == '#')
            continue;
        if (!headed && strcmp(line, header) != 0)
            stop("\"%s\", expected the header %s", line, header);
        if (headed)
            parse_row(line, first_row);
        headed = true;
    }
    if (ferror(file))
        stop("%s", strerror(errno));
    fclose(file);
    if (row_count == first_row)
        stop("no rows, expected some after the header %s", header);
}

/* One line a chipset that the file's name lists. */
static void write_chips(FILE *out, const char *path, size_t first, size_t count)
{
    for (const char *name = chips_of(path); *name != '.'; name += *name == '_') {
        size_t size = strcspn(name, "_.");
        fprintf(out, "    {\"%.*s\", %zu, %zu},\n", (int)size, name, first, count);
        name += size;
    }
}

static void write_table(FILE *out, int count, char **paths, const size_t *first)
{
    fputs("/* Made by data/signals/make_signals.c of the tables beside it. */\n"
          "#include \"nvidia/signals.h\"\n\nconst struct signal_table signal_tables[] = {\n",
          out);
    for (int i = 0; i < count; i++)
        write_chips(out, paths[i], first[i], first[i + 1] - first[i]);
    fputs("    {\"\", 0, 0},\n};\n\nconst struct signal_row signal_rows[] = {\n", out);
    for (size_t i = 0; i < row_count; i++)
        fprintf(out, "    {%u, %u, %u, %u, 0x%02x, 0x%02x},\n", rows[i].name, rows[i].note,
                rows[i].alias, rows[i].domain, rows[i].first, rows[i].last);
    fputs("};\n\nconst uint16_t signal_aliases[] = {", out);
    for (size_t i = 0; i < alias_count; i++)
        fprintf(out, "%s%u,", i % 16 ? " " : "\n    ", aliases[i]);
    /* Numbers: a literal would be longer than compilers must accept. */
    fputs("\n};\n\nconst char signal_texts[] = {", out);
    for (size_t i = 0; i < pool_size; i++)
        fprintf(out, "%s%d,", i % 16 ? " " : "\n    ", pool[i]);
    fputs("\n};\n", out);
}

int main(int argc, char **argv)
{
    static size_t first[FILES_MAX + 1];
    int count = argc - 2;
    if (count < 1 || count > FILES_MAX) {
        fprintf(stderr, "usage: make_signals OUTPUT.c FILE.csv... (at most %d)\n", FILES_MAX);
        return 2;
    }
    for (int i = 0; i < count; i++) {
        read_file(argv[2 + i]);
        first[i + 1] = row_count;
    }
    FILE *out = fopen(argv[1], "w");
    if (out)
        write_table(out, count, argv + 2, first);
    if (!out || ferror(out) || fclose(out)) {
        perror(argv[1]);
        return 1;
    }
    return 0;
}
