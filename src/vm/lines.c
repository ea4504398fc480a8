/* SPDX-License-Identifier: MIT */
#include "vm/lines.h"

bool vm_line_add(struct vm_line *line, char character)
{
    bool ends = character == '\n';
    if (ends) {
        line->text[line->used] = '\0';
        line->used = 0;
    } else if (line->used < sizeof line->text - 1) {
        line->text[line->used++] = character;
    }
    return ends;
}
