/* SPDX-License-Identifier: MIT */
/* Reads the input as the state file of a card: what is accepted has a card and only known kinds of
 * changes. */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include "card/state.h"
#include "lengthen.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct state state = {.path = "input", .fd = -1};
    struct tally_error error = {0};
    struct card_address where;
    int result = state_parse(&state, (const char *)data, size, &error);
    CHECK(result == error.code && (result == 0 || result == -EBADMSG));
    if (result == 0) {
        CHECK(card_parse_address(state.card, &where));
        CHECK(strlen(state.boot) < sizeof state.boot);
    }
    for (size_t i = 0; i < state.count; i++) {
        const struct state_entry *entry = &state.entries[i];
        CHECK(entry->kind < STATE_KINDS);
        CHECK(entry->address % 4 == 0);
        CHECK(strlen(entry->text) < sizeof entry->text);
    }
    state_close(&state);
    return 0;
}
