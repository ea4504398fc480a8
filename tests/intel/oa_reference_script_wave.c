/* SPDX-License-Identifier: MIT */
/* Waveforms in .oat scripts (OAT-3). */
#include "oa_reference.h"

#include <stdlib.h>
#include <string.h>

struct oa_reference_list {
    struct oa_reference_list *next;
    uint32_t values[];
};

void oa_reference_free_lists(struct oa_reference_script *in)
{
    for (struct oa_reference_list *list = in->lists, *next; list; list = next) {
        next = list->next;
        free(list);
    }
}

/* <v>,<v>,... which is taken apart in place. */
static bool parse_seq(struct oa_reference_script *in, char *text, uint64_t most,
                      struct oa_reference_wave *wave)
{
    size_t commas = 0;
    for (const char *c = text; *c; c++)
        commas += *c == ',';
    struct oa_reference_list *list =
        malloc(sizeof(struct oa_reference_list) + (commas + 1) * sizeof(uint32_t));
    if (!list)
        return false;
    list->next = in->lists;
    in->lists = list;
    for (size_t i = 0; i <= commas; i++) {
        uint64_t value;
        char *comma = strchr(text, ',');
        if (comma)
            *comma = '\0';
        if (!oa_reference_number(text, &value) || value > most)
            return false;
        list->values[i] = (uint32_t)value;
        text += strlen(text) + 1;
    }
    wave->kind = OA_WAVE_SEQ;
    wave->values = list->values;
    wave->count = commas + 1;
    return true;
}

/* The bit waveforms but const; the words from i on must be no more than that. */
static bool parse_bits(const struct oa_reference_script *in, unsigned i,
                       struct oa_reference_wave *wave)
{
    const char *kind = in->words[i];
    if (!strcmp(kind, "pattern") || !strcmp(kind, "once")) {
        if (in->count != i + 2)
            return false;
        wave->kind = kind[0] == 'p' ? OA_WAVE_PATTERN : OA_WAVE_ONCE;
        wave->bits = in->words[i + 1];
        wave->count = strlen(wave->bits);
        return strspn(wave->bits, "01") == wave->count;
    }
    if (!strcmp(kind, "every")) {
        wave->kind = OA_WAVE_EVERY;
        return in->count == i + 3 && oa_reference_argument(in, i + 1, UINT64_MAX, &wave->p) &&
               wave->p && oa_reference_argument(in, i + 2, wave->p - 1, &wave->q);
    }
    wave->kind = strcmp(kind, "scatter") ? OA_WAVE_PRNG : OA_WAVE_SCATTER;
    return (!strcmp(kind, "prng") || !strcmp(kind, "scatter")) && in->count == i + 3 &&
           oa_reference_argument(in, i + 1, UINT64_MAX, &wave->p) &&
           oa_reference_argument(in, i + 2, 256, &wave->q);
}

bool oa_reference_parse_wave(struct oa_reference_script *in, unsigned i, uint64_t most,
                             struct oa_reference_wave *wave)
{
    *wave = (struct oa_reference_wave){.value = 1};
    if (i >= in->count)
        return false;
    const char *kind = in->words[i];
    if (!strcmp(kind, "const")) {
        wave->kind = OA_WAVE_CONST;
        return in->count == i + 2 &&
               oa_reference_argument(in, i + 1, most ? most : 1, &wave->value);
    }
    if (most && !strcmp(kind, "times"))
        return i + 2 < in->count && oa_reference_argument(in, i + 1, most, &wave->value) &&
               parse_bits(in, i + 2, wave);
    if (most && !strcmp(kind, "seq"))
        return in->count == i + 2 && parse_seq(in, in->words[i + 1], most, wave);
    if (most && !strcmp(kind, "uni")) {
        wave->kind = OA_WAVE_UNI;
        return in->count == i + 3 && oa_reference_argument(in, i + 1, UINT64_MAX, &wave->p) &&
               oa_reference_argument(in, i + 2, most, &wave->value);
    }
    return parse_bits(in, i, wave);
}

void oa_reference_assign(const struct oa_reference *ref, struct oa_reference_wave *inputs,
                         unsigned count, unsigned stride, struct oa_reference_wave wave)
{
    bool seeded =
        wave.kind == OA_WAVE_PRNG || wave.kind == OA_WAVE_SCATTER || wave.kind == OA_WAVE_UNI;
    wave.start = ref->n;
    for (unsigned j = 0; j < count; j++) {
        inputs[j * stride] = wave;
        if (seeded)
            inputs[j * stride].p += j;
    }
}
