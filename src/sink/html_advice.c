/* SPDX-License-Identifier: MIT */
/* What limits the GPU, in a page: the rules of data/advice/, as tally report --advise judges. */
#include <errno.h>
#include <inttypes.h>

#include "advice/advice.h"
#include "base/error.h"
#include "sink/html.h"
#include "sink/json.h"

static void put_buffer(struct output *header, const char *key, struct buffer *text)
{
    buffer_char(text, '\0');
    if (text->broken)
        fail_memory(&header->error, "advice");
    else if (text->size > 1)
        json_member(header, key, text->bytes);
}

static void put_judgment(struct output *header, const struct sink_context *context,
                         const struct advice_rules *rules, const struct page_group *group,
                         struct advice_verdict *verdict)
{
    char key[GROUP_TEXT_BYTES];
    if (advice_judge(rules, context->program, &group->group, group->statistics, verdict) < 0) {
        fail_memory(&header->error, "advice");
        return;
    }
    group_text(key, context->info, &group->group);
    output_printf(header, "\n{\"by\":\"%s\",\"key\":", group_by_name(group->group.by));
    json_text(header, key);
    output_printf(header, ",\"ns\":%" PRIu64, ticks_to_ns(context->info, group->group.ticks));
    if (verdict->rule) {
        json_member(header, "rule", verdict->rule->name);
        json_member(header, "limit", verdict->rule->limit);
        json_member(header, "says", verdict->rule->says);
        json_member(header, "when", verdict->rule->when);
        json_member(header, "source", verdict->rule->source);
    }
    put_buffer(header, "numbers", &verdict->numbers);
    put_buffer(header, "not_checked", &verdict->unchecked);
    output_text(header, "}");
}

void html_put_advice(struct output *header, const struct sink_context *context,
                     const struct page *page)
{
    struct advice_rules *rules;
    struct advice_verdict verdict = {0};
    struct tally_error error = {0};
    const char *separator = "";
    int result = advice_load(tally_device_name(&context->info->device), &rules, &error);
    if (result == -ENOENT) /* of NVIDIA's GPUs */
        return;
    if (result < 0) {
        json_member(header, "advice_error", error.message);
        return;
    }
    output_text(header, ",\"advice\":[");
    for (size_t i = 0; i + 1 < page->phases.count; i++) {
        const struct page_group *group = &page->phases.groups[i];
        if (group->group.key == TALLY_KEY_CHANGE || !group->group.deltas)
            continue; /* each of these deltas has parts of two phases */
        output_text(header, separator);
        put_judgment(header, context, rules, group, &verdict);
        separator = ",";
    }
    const struct page_group *total =
        page->groups.count ? &page->groups.groups[page->groups.count - 1] : NULL;
    if (total && total->group.deltas && !*separator) /* phases are judged one by one */
        put_judgment(header, context, rules, total, &verdict);
    output_text(header, "]");
    advice_verdict_fini(&verdict);
    advice_rules_free(rules);
}
