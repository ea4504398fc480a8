/* SPDX-License-Identifier: MIT */
/*
 * Lines of marks and of --control: the first byte says which, and how the rest is cut into pieces.
 * Checks that the pieces do not matter, and that what is understood reads the same again.
 */
#include "fuzz.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/minmax.h"
#include "capture/mark_lines.h"
#include "lengthen.h"

struct seen {
    uint64_t lines, hash;
};

static void take(void *closure, const struct mark_line *line)
{
    static const char *const words[] = {"mark",    "begin",    "end",  "frame", "enable",
                                        "disable", "snapshot", "stop", "ping"};
    struct seen *seen = closure;
    struct mark_line again;
    char text[TALLY_MARK_NAME_MAX + 64], time[32] = "";
    CHECK(strlen(line->name) <= TALLY_MARK_NAME_MAX && !strchr(line->name, '\n'));
    if (line->cpu_ns)
        snprintf(time, sizeof time, "@%" PRIu64 " ", line->cpu_ns);
    snprintf(text, sizeof text, "%s%s %s", time, words[line->word], line->name);
    CHECK(mark_line_parse(text, true, &again) && again.word == line->word &&
          again.cpu_ns == line->cpu_ns);
    seen->lines++;
    seen->hash = seen->hash * UINT64_C(0x100000001b3) ^
                 hash_bytes((const uint8_t *)line->name, strlen(line->name)) ^ line->cpu_ns ^
                 (uint64_t)line->word;
}

static struct seen read_lines(const uint8_t *data, size_t size, size_t piece, bool control,
                              uint64_t *wrong)
{
    static struct mark_lines lines;
    struct seen seen = {0, 0};
    memset(&lines, 0, sizeof lines);
    lines.control = control;
    lines.take = take;
    lines.closure = &seen;
    for (size_t at = 0; at < size; at += piece)
        mark_lines_take(&lines, (const char *)data + at, min_size(piece, size - at));
    mark_lines_end(&lines);
    CHECK((lines.wrong != 0) >= (*lines.first != 0));
    *wrong = lines.wrong;
    return seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t wrong[2];
    if (!size)
        return 0;
    bool control = data[0] & 1;
    struct seen whole = read_lines(data + 1, size - 1, size, control, &wrong[0]);
    struct seen cut = read_lines(data + 1, size - 1, 1 + data[0] / 2, control, &wrong[1]);
    CHECK(whole.lines == cut.lines && whole.hash == cut.hash && wrong[0] == wrong[1]);
    return 0;
}
