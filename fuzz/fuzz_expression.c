/* SPDX-License-Identifier: MIT */
/*
 * Parses the input as an expression over PCOUNTER's signals. If it is valid and its signals exist
 * on a chipset, which its size selects, plans it, and checks that the counter's registers select
 * the same function.
 */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include "base/bits.h"
#include "driver/perfmon/perfmon.h"
#include "lengthen.h"
#include "nvidia/pcounter/registers.h"

/* A function that counts like a plan's SRC and OP registers in counter mode SIMPLE. */
static struct perfmon_function function_of(const struct perfmon_setup *setup, unsigned slot)
{
    struct perfmon_function function = {.logic = {.count = EXPRESSION_LEAVES}};
    store_le32(function.logic.signals, setup->sources[slot]);
    function.logic.table = (uint16_t)REG_GET(PCOUNTER_OP, LOGIC, setup->operations[slot]);
    function.logic.delayed[0] = REG_GET(PCOUNTER_OP, ARG0_DELAY, setup->operations[slot]);
    function.logic.delayed[1] = REG_GET(PCOUNTER_OP, ARG1_DELAY, setup->operations[slot]);
    perfmon_logic_reduce(&function.logic);
    return function;
}

static void check_plan(const struct tally_chipset *chipset, const char *text)
{
    const struct perfmon_request request = {text, ANY_DOMAIN, ALL_INSTANCES, PERFMON_ANY_MODE, NULL,
                                            0,    0};
    struct perfmon_plan *plan;
    struct tally_error error = {0};
    int result = perfmon_plan_new(chipset, &request, 1, 0, &plan, &error);
    CHECK(result == error.code);
    if (result) {
        CHECK(*error.message);
        for (const char *at = error.message; *at; at++)
            CHECK(*at >= ' ' && *at <= '~');
        return;
    }
    CHECK(plan->passes == 1 && plan->minimal && plan->placements[0].tap_count > 0);
    const struct perfmon_function *function = &plan->placements[0].function;
    const struct perfmon_tap *tap = &plan->taps[plan->placements[0].first_tap];
    if (!function->bit_count) {
        struct perfmon_function back = function_of(&plan->setups[tap->setup], tap->slot);
        struct perfmon_key a = perfmon_function_key(function), b = perfmon_function_key(&back);
        CHECK(!memcmp(&a, &b, sizeof a));
    }
    perfmon_plan_free(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const chipsets[] = {"nv10", "nv34", "nv40", "g92", "gf100"};
    struct expression expression;
    struct tally_error error = {0};
    char *text = malloc(size + 1);
    CHECK(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    int result = expression_parse(text, &expression, &error);
    CHECK(result == error.code);
    CHECK(result == 0 || result == -EBADMSG);
    CHECK(expression.name_count <= EXPRESSION_NAMES);
    check_plan(tally_chipset_find(chipsets[size % ARRAY_COUNT(chipsets)]), text);
    free(text);
    return 0;
}
