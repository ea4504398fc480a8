/* SPDX-License-Identifier: MIT */
/* The printed values of scripts, and the command `expect`, which compares them. */
#include "testbench/results.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/nearest.h"

int results_put(struct results *results, const char *text, size_t size)
{
    if (!results->capturing)
        return results->output(results->output_context, text, size);
    bool fits = results->size <= CAPTURE_BYTES && size <= CAPTURE_BYTES - results->size;
    if (fits)
        memcpy(results->text + results->size, text, size);
    results->size = fits ? results->size + size : CAPTURE_BYTES + 1;
    return 0;
}

/* ---- the line -------------------------------------------------------------------------------- */

static bool is_equal(uint64_t got, uint64_t expected)
{
    return got == expected;
}

static bool is_different(uint64_t got, uint64_t expected)
{
    return got != expected;
}

static bool is_less(uint64_t got, uint64_t expected)
{
    return got < expected;
}

static bool is_less_or_equal(uint64_t got, uint64_t expected)
{
    return got <= expected;
}

static bool is_greater(uint64_t got, uint64_t expected)
{
    return got > expected;
}

static bool is_greater_or_equal(uint64_t got, uint64_t expected)
{
    return got >= expected;
}

struct comparison_operator {
    const char *name;
    bool orders; /* for numbers only */
    bool (*holds)(uint64_t got, uint64_t expected);
};

static const struct comparison_operator operators[] = {
    {"=", false, is_equal},         {"!=", false, is_different}, {"<", true, is_less},
    {"<=", true, is_less_or_equal}, {">", true, is_greater},     {">=", true, is_greater_or_equal},
};

#define OPERATORS "= != < <= > >="

/* An `expect` line. */
struct comparison {
    struct words command;
    bool memory; /* the command is `mem` */
    uint64_t mask;
    const struct comparison_operator *relation;
    const struct word *values;
    unsigned value_count;
    char length[8];                         /* of the memory, as a word of `command` */
    char given[160], wanted[160], got[320]; /* for messages */
};

static bool is_operator(const struct word *word)
{
    for (size_t i = 0; i < word->size; i++)
        if (!strchr("=!<>", word->text[i]))
            return false;
    return word->size != 0;
}

static int find_operator(const struct words *words, unsigned *at, struct comparison *out,
                         struct tally_error *error)
{
    for (*at = 1; *at < words->count && !is_operator(&words->at[*at]);)
        ++*at;
    if (*at == words->count)
        return fail(error, -EINVAL,
                    "no operator, expected <command> [& <mask>] " OPERATORS " <value>");
    for (size_t i = 0; i < ARRAY_COUNT(operators); i++)
        if (word_is(&words->at[*at], operators[i].name))
            out->relation = &operators[i];
    if (!out->relation)
        return word_error(error, &words->at[*at], "an operator: " OPERATORS);
    if (*at == 1)
        return fail(error, -EINVAL, "no command before %s, expected an address, rd, peek, mem, ...",
                    out->relation->name);
    if (*at + 1 == words->count)
        return fail(error, -EINVAL, "no value after %s", out->relation->name);
    return 0;
}

/* Takes the mask from the end of the words before the operator. */
static int take_mask(const struct words *words, unsigned *end, uint64_t *mask,
                     struct tally_error *error)
{
    for (unsigned i = 1; i < *end; i++) {
        if (!word_is(&words->at[i], "&"))
            continue;
        if (i == 1 || i + 2 != *end)
            return fail(error, -EINVAL, "& is in the wrong place, expected <command> & <mask>");
        *end = i;
        return word_number(&words->at[i + 1], 1, UINT64_MAX, "a mask", mask, error);
    }
    *mask = UINT64_MAX;
    return 0;
}

/* Gives `mem` the length of the expected dwords. */
static int complete_memory(struct comparison *out, struct tally_error *error)
{
    uint64_t length;
    struct words *command = &out->command;
    out->memory = word_is(&command->at[0], "mem");
    if (!out->memory || command->count < 2)
        return 0;
    if (command->count > 2) {
        int result = word_number(&command->at[2], 0, UINT64_MAX, "a length", &length, error);
        if (result == 0 && length != 4 * out->value_count)
            return word_error(error, &command->at[2], "the length of the expected dwords, %u",
                              4 * out->value_count);
        return result;
    }
    snprintf(out->length, sizeof out->length, "%u", 4 * out->value_count);
    command->at[command->count++] = (struct word){out->length, strlen(out->length)};
    return 0;
}

/* Copies words with blanks between them. */
static void join(const struct word *words, size_t count, char *text, size_t size)
{
    char word[64];
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? " " : "",
                                 word_text(&words[i], word, sizeof word));
}

static int parse(const struct words *words, struct comparison *out, struct tally_error *error)
{
    unsigned at, end;
    *out = (struct comparison){0};
    int result = find_operator(words, &at, out, error);
    if (result < 0)
        return result;
    end = at;
    if ((result = take_mask(words, &end, &out->mask, error)) < 0)
        return result;
    if (word_is_number(&words->at[1]) && end != 2)
        return word_error(error, &words->at[2], "& <mask> or an operator: " OPERATORS);
    if (word_is_number(&words->at[1]))
        out->command.at[out->command.count++] = (struct word){"rd", 2};
    for (unsigned i = 1; i < end; i++)
        out->command.at[out->command.count++] = words->at[i];
    out->values = &words->at[at + 1];
    out->value_count = words->count - at - 1;
    join(&words->at[1], at - 1, out->given, sizeof out->given);
    join(&words->at[at], words->count - at, out->wanted, sizeof out->wanted);
    return complete_memory(out, error);
}

/* ---- the value ------------------------------------------------------------------------------- */

static int compare_number(struct comparison *expected, uint64_t value, const char *text, bool *met,
                          struct tally_error *error)
{
    uint64_t wanted;
    int result = word_number(&expected->values[0], 0, UINT64_MAX, "a number", &wanted, error);
    *met = result == 0 && expected->relation->holds(value & expected->mask, wanted);
    if (expected->mask == UINT64_MAX)
        snprintf(expected->got, sizeof expected->got, "%s", text);
    else
        snprintf(expected->got, sizeof expected->got, "0x%" PRIx64 " (of %.100s)",
                 value & expected->mask, text);
    return result;
}

/* Compares memory, printed as lines of hexadecimal bytes, with dwords. */
static int compare_memory(struct comparison *expected, const char *text, bool *met,
                          struct tally_error *error)
{
    bool equal = true;
    size_t used = 0;
    unsigned count = 0, digits = 0;
    uint32_t bytes = 0;
    if (expected->relation->orders && expected->value_count > 1)
        return fail(error, -EINVAL, "%s with %u dwords, expected = or !=", expected->relation->name,
                    expected->value_count);
    for (const char *at = strstr(text, " = "); at; at = strstr(at, " = "))
        for (at += 3; *at && *at != '\n'; at++) {
            unsigned digit = (unsigned)(*at <= '9' ? *at - '0' : *at - 'a' + 10);
            bytes = bytes << 4 | digit;
            if (++digits < 8)
                continue;
            uint64_t wanted;
            uint32_t dword = __builtin_bswap32(bytes);
            int result =
                word_number(&expected->values[count], 0, UINT32_MAX, "a dword", &wanted, error);
            if (result < 0)
                return result;
            if (expected->value_count == 1)
                *met = expected->relation->holds(dword & expected->mask, wanted);
            equal &= (dword & expected->mask) == wanted;
            used += (size_t)snprintf(expected->got + used, sizeof expected->got - used,
                                     "%s0x%08" PRIx32, count ? " " : "", dword);
            count++, digits = 0;
        }
    if (expected->value_count > 1)
        *met = expected->relation->holds(equal, true);
    return 0;
}

/* Checks that the expected words are some that the command can print. */
static int check_name(const struct results *results, const char *wanted, struct tally_error *error)
{
    for (size_t i = 0; i < results->name_count; i++)
        if (!strcmp(wanted, results->names[i]))
            return 0;
    const char *nearest = nearest_word(wanted, results->names, results->name_count);
    return results->name_count ? fail(error, -EINVAL, "'%s', expected %s", wanted,
                                      nearest ? nearest : results->names[0])
                               : 0;
}

/* Compares the one value of a line: a number, a number with its unit, or words. */
static int compare_value(const struct results *results, struct comparison *expected,
                         const char *text, size_t size, bool *met, struct tally_error *error)
{
    struct words words;
    struct tally_error none;
    char value[320], wanted[160];
    uint64_t number;
    int result = words_split(text, size, &words, error);
    if (result < 0)
        return result;
    join(words.at, words.count, value, sizeof value);
    snprintf(expected->got, sizeof expected->got, "%s", value);
    bool numeric = words.count && words.count <= 2 &&
                   word_number(&words.at[0], 0, UINT64_MAX, "", &number, &none) == 0;
    if (numeric && (expected->value_count == 1 ||
                    (expected->value_count == 2 && words.count == 2 &&
                     words.at[1].size == expected->values[1].size &&
                     !memcmp(words.at[1].text, expected->values[1].text, words.at[1].size))))
        return compare_number(expected, number, value, met, error);
    if (numeric)
        return word_error(error, &expected->values[1], "the end of the line, or the unit of %s",
                          value);
    if (expected->relation->orders || expected->mask != UINT64_MAX)
        return fail(error, -EINVAL, "'%s' is not a number, expected = or != without a mask", value);
    join(expected->values, expected->value_count, wanted, sizeof wanted);
    *met = expected->relation->holds(!strcmp(value, wanted), true);
    return check_name(results, wanted, error);
}

static int compare(struct results *results, struct comparison *expected, bool *met,
                   struct tally_error *error)
{
    if (results->size > CAPTURE_BYTES)
        return fail(error, -EINVAL, "'%s' prints too much", expected->given);
    results->text[results->size] = '\0';
    const char *equals = strstr(results->text, " = ");
    if (!equals)
        return word_error(error, &expected->command.at[0],
                          "a command that prints a value (rd, peek, mem, ...)");
    if (expected->memory)
        return compare_memory(expected, results->text, met, error);
    const char *newline = strchr(equals, '\n');
    if (newline && newline[1])
        return fail(error, -EINVAL, "'%s' prints several values, expected one", expected->given);
    equals += 3;
    return compare_value(results, expected, equals, strlen(equals), met, error);
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Copies the comment of a line without the blanks around it. */
static void copy_comment(const char *line, size_t size, char *text, size_t text_size)
{
    const char *start = memchr(line, '#', size), *end = line + size;
    text[0] = '\0';
    if (!start)
        return;
    while (start < end && strchr("# \t", *start) && *start)
        start++;
    while (end > start && strchr(" \t\r\n", end[-1]) && end[-1])
        end--;
    struct word comment = {start, (size_t)(end - start)};
    word_text(&comment, text, text_size);
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = ' ';
}

int results_expect(struct results *results, const struct words *words, const char *line,
                   size_t size, results_command *run, void *language, struct tally_error *error)
{
    struct comparison expected;
    bool met = false;
    int result = parse(words, &expected, error);
    if (result == 0) {
        results->capturing = true;
        results->size = 0;
        results->name_count = 0;
        results->text[0] = '\0';
        result = run(language, &expected.command, error);
        results->capturing = false;
    }
    if (result == 0)
        result = compare(results, &expected, &met, error);
    if (result < 0) {
        fail_in(error, "expect");
        return result;
    }
    char comment[200];
    copy_comment(line, size, comment, sizeof comment);
    if (results->expected)
        results->expected(results->expected_context,
                          &(struct script_expectation){.met = met,
                                                       .description = comment,
                                                       .command = expected.given,
                                                       .expected = expected.wanted,
                                                       .got = expected.got});
    return 0;
}
