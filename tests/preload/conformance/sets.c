/* SPDX-License-Identifier: MIT */
/*
 * The sets that IGT's test uses: TestOa, programmed as in PERF-3.6, and a Haswell set with the id
 * of RenderBasic, whose B counters only start. Of the NOA multiplexers only the switch is
 * programmed; the other registers are not documented, and the events of TestOa do not need them.
 */
#include "sets.h"

#include "client.h"

/* ---- values ---------------------------------------------------------------------------------- */

#define EVENTS       8
#define START_EVENTS 0xf0800000u /* start at once; B counters count events */
#define START        0x00800000u

/* CECn_0, CECn_1. The first three compare nothing; Gen11 also masks their inputs. */
#define COMPARE_NOTHING 3
static const struct {
    uint32_t compare, mask;
} events[EVENTS] = {
    {0x00000004, 0x0000}, {0x00000003, 0x0000}, {0x00000007, 0x0000}, {0x00100002, 0xfff7},
    {0x00100002, 0xffcf}, {0x00100082, 0xffef}, {0x001000c2, 0xffe7}, {0x00100001, 0xffe7},
};

/* The addresses: OASTARTTRIG1, OAREPORTTRIG1, CEC0_0 and its mirror; 0: not written. */
struct recipe {
    const char *uuid;
    struct pair network;
    uint32_t start, start_value, report, events, mirror, first_masks;
    struct pair more, flex; /* none: {0, 0} */
};

// clang-format off
static const struct recipe recipes[PLATFORMS] = {
    [HSW] = {"a490e9d2-55b3-4db0-8dab-53011032c5f3", {0x9840, 0x80},
             0x2710, START, 0, 0, 0, 0, {0, 0}, {0, 0}},
    [BDW] = {"d6de6f55-e526-4f79-a6a6-d7315c09044e", {0x9840, 0x80},
             0x2710, START_EVENTS, 0x2740, 0x2770, 0, 0, {0x2744, 0x00800000}, {0, 0}},
    [CHV] = {"4a534b07-cba3-414d-8d60-874830e883aa", {0x9840, 0x80},
             0x2710, START_EVENTS, 0x2740, 0x2770, 0, 0, {0, 0}, {0, 0}},
    [SKL] = {"c5384091-ce4c-406c-ab4d-4c530f71c7ae", {0x9840, 0x80},
             0x2710, START_EVENTS, 0x2740, 0x2770, 0, 0, {0, 0}, {0, 0}},
    [ICL] = {"e617cfd5-6cc5-4143-8994-cd36cebb921f", {0x0d04, 0x200},
             0x2710, START_EVENTS, 0x2740, 0x2770, 0, 0xffff, {0, 0}, {0xe65c, 0xffffffff}},
    [LKF] = {"82b6b321-f93e-445a-a285-f30391ef1dc5", {0x0d04, 0x200},
             0x2710, START_EVENTS, 0x2740, 0x2770, 0, 0xffff, {0, 0}, {0xe65c, 0xffffffff}},
    [TGL] = {"6607f034-d053-40d1-8215-67c07f3041bb", {0x0d04, 0x200},
             0xd900, START_EVENTS, 0xd920, 0xd940, 0xdc00, 0xffff, {0xdc40, 0x00ff0000},
             {0xe65c, 0xffffffff}},
};
// clang-format on

/* ---- the lists ------------------------------------------------------------------------------- */

/* Both start triggers, a report trigger, the events, their mirror, and one more register. */
#define MOST (4 + 1 + 2 * 2 * EVENTS + 1)

static uint32_t add(struct pair *list, uint32_t count, uint32_t address, uint32_t value)
{
    if (address)
        list[count++] = (struct pair){address, value};
    return count;
}

static uint32_t add_events(struct pair *list, uint32_t count, uint32_t base, uint32_t first_masks)
{
    for (uint32_t i = 0; base && i < EVENTS; i++) {
        uint32_t mask = i < COMPARE_NOTHING ? first_masks : events[i].mask;
        count = add(list, count, base + 8 * i, events[i].compare);
        count = add(list, count, base + 8 * i + 4, mask);
    }
    return count;
}

static struct pairs boolean_of(const struct recipe *recipe)
{
    static struct pair list[MOST];
    uint32_t count = 0;
    for (uint32_t trigger = 0; trigger < 2; trigger++) {
        count = add(list, count, recipe->start + 16 * trigger, 0);
        count = add(list, count, recipe->start + 16 * trigger + 4, recipe->start_value);
    }
    count = add(list, count, recipe->report, 0);
    count = add_events(list, count, recipe->events, recipe->first_masks);
    count = add_events(list, count, recipe->mirror, recipe->first_masks);
    count = add(list, count, recipe->more.address, recipe->more.value);
    return (struct pairs){list, count};
}

struct test_set test_set_of(enum platform platform)
{
    const struct recipe *recipe = &recipes[platform];
    return (struct test_set){
        .uuid = recipe->uuid,
        .mux = {&recipe->network, 1},
        .boolean = boolean_of(recipe),
        .flex = {&recipe->flex, recipe->flex.address != 0},
    };
}
