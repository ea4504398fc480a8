/* SPDX-License-Identifier: MIT */
#include "pipeline/survey.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"

#define CONTEXTS_MAX 1024 /* counted separately; a recording may have any number */

static int add_report(struct survey *survey, uint32_t context, uint8_t reason)
{
    survey->reasons[reason % SURVEY_REASONS]++;
    size_t i = survey->latest;
    bool same = survey->context_count && survey->contexts[i].context == context;
    for (i = same ? i : 0; i < survey->context_count; i++)
        if (survey->contexts[i].context == context)
            break;
    if (i == CONTEXTS_MAX) {
        survey->other_reports++;
        return 0;
    }
    if (i == survey->context_count) {
        struct survey_context *grown = array_grow(survey->contexts, &survey->context_capacity,
                                                  survey->context_count, sizeof *grown);
        if (!grown)
            return -ENOMEM;
        survey->contexts = grown;
        grown[survey->context_count++] = (struct survey_context){.context = context};
    }
    survey->contexts[i].reports++;
    survey->contexts[i].switches += !same;
    survey->latest = i;
    return 0;
}

static void copy_reports(struct survey *survey, const struct tally_batch *batch)
{
    if (!survey->layout || !batch->count || survey->layout->size_bytes > SURVEY_REPORT_BYTES)
        return;
    if (!survey->begun)
        memcpy(survey->first, batch->reports[0], survey->layout->size_bytes);
    memcpy(survey->last, batch->reports[batch->count - 1], survey->layout->size_bytes);
    survey->begun = true;
}

uint64_t survey_delta(const struct survey *survey, unsigned slot)
{
    uint64_t first[TALLY_SLOT_COUNT] = {0}, last[TALLY_SLOT_COUNT] = {0};
    if (!survey->begun)
        return 0;
    tally_report_unpack(survey->layout, survey->first, first);
    tally_report_unpack(survey->layout, survey->last, last);
    return last[slot] - first[slot];
}

int survey_add(struct survey *survey, const struct tally_batch *batch)
{
    /* Element 0 repeats the last report of the previous batch, except in the first batch. */
    for (size_t i = batch->first_index ? 1 : 0; i < batch->count; i++)
        if (add_report(survey, batch->contexts[i], batch->reasons[i]) < 0)
            return -ENOMEM;
    copy_reports(survey, batch);
    return 0;
}

void survey_fini(struct survey *survey)
{
    free(survey->contexts);
}
