/* SPDX-License-Identifier: MIT */
/* The names of time series: gpu_<group>_<name>_<unit>, as OpenMetrics and Prometheus have them. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "serve/device.h"

#define WORDS_MAX 32

struct words {
    char text[2 * SERVE_NAME_MAX];
    const char *words[WORDS_MAX];
    size_t count, used;
};

/* Splits a name at characters that are not letters or digits, and before capitals that follow small
 * letters or precede them: "EuFpuBothActive" is eu fpu both active. */
static void add_words(struct words *to, const char *name)
{
    bool within = false;
    for (const char *at = name; *at && to->used + 2 < sizeof to->text; at++) {
        bool upper = isupper((unsigned char)*at);
        bool begins =
            upper && within && (!isupper((unsigned char)at[-1]) || islower((unsigned char)at[1]));
        if (within && (begins || !isalnum((unsigned char)*at)))
            to->text[to->used++] = '\0';
        if (!isalnum((unsigned char)*at)) {
            within = false;
            continue;
        }
        if (!within || begins) {
            if (to->count == WORDS_MAX)
                break;
            to->words[to->count++] = to->text + to->used;
        }
        to->text[to->used++] = (char)tolower((unsigned char)*at);
        within = true;
    }
    to->text[to->used++] = '\0';
}

/* Joins words: not one that repeats the word before it, and without _ after a single letter, which
 * would look like a unit. */
static void join(char *to, size_t size, const struct words *words)
{
    const char *last = "";
    size_t used = 0;
    for (size_t i = 0; i < words->count && used < size; i++) {
        if (!strcmp(words->words[i], last))
            continue;
        bool separate = used && last[1];
        used +=
            (size_t)snprintf(to + used, size - used, "%s%s", separate ? "_" : "", words->words[i]);
        last = words->words[i];
    }
}

void series_name(struct serve_counter *counter, const char *semantic)
{
    static const struct {
        const char *units, *suffix;
        double scale;
        bool is_total;
    } rows[] = {
        {"percent", "ratio", 0.01, false}, {"hz", "hertz", 1, false},
        {"ns", "seconds", 1e-9, true},     {"us", "seconds", 1e-6, true},
        {"ms", "seconds", 1e-3, true},     {"s", "seconds", 1, true},
        {"number", "", 1, true},
    };
    struct words words = {0};
    const char *suffix = counter->units;
    counter->scale = 1;
    counter->is_total = true;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        if (strcmp(counter->units, rows[i].units) != 0)
            continue;
        suffix = rows[i].suffix;
        counter->scale = rows[i].scale;
        counter->is_total = rows[i].is_total;
    }
    if (!strcmp(semantic, "ratio"))
        counter->is_total = false;
    add_words(&words, "gpu");
    add_words(&words, counter->group);
    add_words(&words, counter->symbol);
    add_words(&words, suffix);
    join(counter->series, sizeof counter->series - sizeof "_total", &words);
}
