/* SPDX-License-Identifier: MIT */
#include "pipeline/survey.h"

#include <errno.h>
#include <stdlib.h>

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

int survey_add(struct survey *survey, const struct tally_batch *batch)
{
    /* Element 0 repeats the last report of the previous batch, except in the first batch. */
    for (size_t i = batch->first_index ? 1 : 0; i < batch->count; i++)
        if (add_report(survey, batch->contexts[i], batch->reasons[i]) < 0)
            return -ENOMEM;
    return 0;
}

void survey_fini(struct survey *survey)
{
    free(survey->contexts);
}
