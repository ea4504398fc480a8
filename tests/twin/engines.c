/* SPDX-License-Identifier: MIT */
/* Engine maps of contexts: lists, load balancing, bonds, parallel submission. */
#include "kinds.h"

/* ---- kinds and data -------------------------------------------------------------------------- */

typedef struct i915_engine_class_instance engine;
#define RENDER_ENGINE                                                                              \
    {                                                                                              \
        0, 0                                                                                       \
    }
#define COPY_ENGINE                                                                                \
    {                                                                                              \
        1, 0                                                                                       \
    }
#define VIDEO_ENGINE                                                                               \
    {                                                                                              \
        2, 0                                                                                       \
    }
#define ENHANCE_ENGINE                                                                             \
    {                                                                                              \
        3, 0                                                                                       \
    }
#define NO_ENGINE                                                                                  \
    {                                                                                              \
        UINT16_MAX, UINT16_MAX                                                                     \
    }

struct map {
    uint64_t extensions;
    engine engines[6];
    struct { /* struct i915_context_engines_load_balance with four siblings */
        struct i915_user_extension base;
        uint16_t engine_index, num_siblings;
        uint32_t flags;
        uint64_t mbz64;
        engine engines[4];
    } balance;
    struct { /* struct i915_context_engines_bond with two engines */
        struct i915_user_extension base;
        engine master;
        uint16_t virtual_index, num_bonds;
        uint64_t flags, mbz64[4];
        engine engines[2];
    } bond;
    struct { /* struct i915_context_engines_parallel_submit with four engines */
        struct i915_user_extension base;
        uint16_t engine_index, width, num_siblings, mbz16;
        uint64_t flags, mbz64[3];
        engine engines[4];
    } parallel;
};
#define BALANCE  DATA(offsetof(struct map, balance))
#define BOND     DATA(offsetof(struct map, bond))
#define PARALLEL DATA(offsetof(struct map, parallel))

/* A new context, a map of a number of engines, and the first use of the context. */
#define SET_MAP(title, count, ...)                                                                 \
    CALL(title, set,                                                                               \
         WITH(.ctx_id = SLOT(CONTEXT_MAP), .param = I915_CONTEXT_PARAM_ENGINES,                    \
              .size = 8 + 4 * (count), .value = DATA(0)),                                          \
         PAYLOAD(struct map, __VA_ARGS__))
#define TRY(title, count, ...)                                                                     \
    CALL("engines/" title "/context", create, WITH(0), .keep = CONTEXT_MAP),                       \
        SET_MAP("engines/" title, count, __VA_ARGS__),                                             \
        CALL("engines/" title "/used", get,                                                        \
             WITH(.ctx_id = SLOT(CONTEXT_MAP), .param = I915_CONTEXT_PARAM_RECOVERABLE))

#define BALANCED(index, count, ...)                                                                \
    .extensions = BALANCE, .engines = {NO_ENGINE, COPY_ENGINE},                                    \
    .balance = {.base.name = I915_CONTEXT_ENGINES_EXT_LOAD_BALANCE,                                \
                .engine_index = index,                                                             \
                .num_siblings = count,                                                             \
                ##__VA_ARGS__}
#define BONDED(...)                                                                                \
    .extensions = BOND, .engines = {RENDER_ENGINE, COPY_ENGINE, NO_ENGINE},                        \
    .bond = {.base.name = I915_CONTEXT_ENGINES_EXT_BOND, ##__VA_ARGS__}
#define PARALLEL_OF(...)                                                                           \
    .extensions = PARALLEL, .engines = {NO_ENGINE, COPY_ENGINE},                                   \
    .parallel = {.base.name = I915_CONTEXT_ENGINES_EXT_PARALLEL_SUBMIT, ##__VA_ARGS__}

static const struct call calls[] = {
    /* clang-format off */
    TRY("empty", 0, 0),
    TRY("one", 1, .engines = {RENDER_ENGINE}),
    TRY("both", 2, .engines = {RENDER_ENGINE, COPY_ENGINE}),
    TRY("four", 4, .engines = {RENDER_ENGINE, COPY_ENGINE, VIDEO_ENGINE, ENHANCE_ENGINE}),
    TRY("twice", 2, .engines = {RENDER_ENGINE, RENDER_ENGINE}),
    TRY("gap", 2, .engines = {NO_ENGINE, RENDER_ENGINE}),
    TRY("half-gap", 2, .engines = {{UINT16_MAX, 0}, RENDER_ENGINE}),
    TRY("virtual", 1, .engines = {{UINT16_MAX, UINT16_MAX - 1}}),
    TRY("unknown-class", 1, .engines = {{9, 0}}),
    TRY("unknown-instance", 1, .engines = {{0, 1}}),
    TRY("far-instance", 1, .engines = {{0, 300}}),
    TRY("compute", 1, .engines = {{4, 0}}),
    TRY("64", 64, 0),
    TRY("65", 65, 0),
    CALL("engines/again/context", create, WITH(0), .keep = CONTEXT_MAP),
    SET_MAP("engines/again/first", 1, .engines = {RENDER_ENGINE}),
    SET_MAP("engines/again", 1, .engines = {RENDER_ENGINE}),
    CALL("engines/retry/context", create, WITH(0), .keep = CONTEXT_MAP),
    SET_MAP("engines/retry/wrong", 1, .engines = {{9, 0}}),
    SET_MAP("engines/retry", 1, .engines = {RENDER_ENGINE}),
    CALL("engines/size/context", create, WITH(0), .keep = CONTEXT_MAP),
    CALL("engines/size/0", set, WITH(.ctx_id = SLOT(CONTEXT_MAP), .param = I915_CONTEXT_PARAM_ENGINES, .size = 0, .value = DATA(0))),
    CALL("engines/size/7", set, WITH(.ctx_id = SLOT(CONTEXT_MAP), .param = I915_CONTEXT_PARAM_ENGINES, .size = 7, .value = DATA(0))),
    CALL("engines/size/10", set, WITH(.ctx_id = SLOT(CONTEXT_MAP), .param = I915_CONTEXT_PARAM_ENGINES, .size = 10, .value = DATA(0))),
    CALL("engines/size/fault", set, WITH(.ctx_id = SLOT(CONTEXT_MAP), .param = I915_CONTEXT_PARAM_ENGINES, .size = 12, .value = BAD)),
    CALL("engines/size/fault-of-header", set, WITH(.ctx_id = SLOT(CONTEXT_MAP), .param = I915_CONTEXT_PARAM_ENGINES, .size = 8, .value = BAD)),
    TRY("extension-fault", 1, .extensions = BAD, .engines = {RENDER_ENGINE}),
    TRY("extension-3", 1, .extensions = BALANCE, .engines = {RENDER_ENGINE}, .balance.base.name = 3),
    TRY("extension-flags", 2, BALANCED(0, 1, .base.flags = 1, .engines = {RENDER_ENGINE})),

    TRY("balance/none", 2, BALANCED(0, 0)),
    TRY("balance/one", 2, BALANCED(0, 1, .engines = {RENDER_ENGINE})),
    TRY("balance/same", 2, BALANCED(0, 2, .engines = {COPY_ENGINE, COPY_ENGINE})),
    TRY("balance/classes", 2, BALANCED(0, 2, .engines = {RENDER_ENGINE, COPY_ENGINE})),
    TRY("balance/video", 2, BALANCED(0, 2, .engines = {{2, 0}, {2, 1}})),
    TRY("balance/occupied", 2, BALANCED(1, 1, .engines = {COPY_ENGINE})),
    TRY("balance/index", 2, BALANCED(2, 1, .engines = {COPY_ENGINE})),
    TRY("balance/flags", 2, BALANCED(0, 1, .flags = 1, .engines = {COPY_ENGINE})),
    TRY("balance/reserved", 2, BALANCED(0, 1, .mbz64 = 1, .engines = {COPY_ENGINE})),
    TRY("balance/unknown", 2, BALANCED(0, 1, .engines = {{9, 0}})),
    TRY("balance/no-engine", 2, BALANCED(0, 1, .engines = {NO_ENGINE})),
    TRY("balance/twice", 2, BALANCED(0, 1, .base.next_extension = BALANCE, .engines = {COPY_ENGINE})),

    TRY("bond/physical", 3, BONDED(.master = RENDER_ENGINE, .virtual_index = 1, .num_bonds = 1, .engines = {COPY_ENGINE})),
    TRY("bond/index", 3, BONDED(.master = RENDER_ENGINE, .virtual_index = 3)),
    TRY("bond/no-engine", 3, BONDED(.master = RENDER_ENGINE, .virtual_index = 2)),
    TRY("bond/flags", 3, BONDED(.master = RENDER_ENGINE, .virtual_index = 1, .flags = 1)),
    TRY("bond/reserved", 3, BONDED(.master = RENDER_ENGINE, .virtual_index = 1, .mbz64[3] = 1)),
    TRY("bond/unknown-master", 3, BONDED(.master = {9, 0}, .virtual_index = 1)),
    TRY("bond/unknown", 3, BONDED(.master = RENDER_ENGINE, .virtual_index = 1, .num_bonds = 1, .engines = {{9, 0}})),

    TRY("parallel/zeros", 2, PARALLEL_OF(0)),
    TRY("parallel/copy", 2, PARALLEL_OF(.width = 2, .num_siblings = 1, .engines = {COPY_ENGINE, COPY_ENGINE})),
    TRY("parallel/render", 2, PARALLEL_OF(.width = 2, .num_siblings = 1, .engines = {RENDER_ENGINE, RENDER_ENGINE})),
    TRY("parallel/video", 2, PARALLEL_OF(.width = 2, .num_siblings = 1, .engines = {{2, 0}, {2, 1}})),
    TRY("parallel/narrow", 2, PARALLEL_OF(.width = 1, .num_siblings = 1, .engines = {COPY_ENGINE})),
    TRY("parallel/siblings", 2, PARALLEL_OF(.width = 2, .num_siblings = 2)),
    TRY("parallel/index", 2, PARALLEL_OF(.engine_index = 2, .width = 2, .num_siblings = 1)),
    TRY("parallel/occupied", 2, PARALLEL_OF(.engine_index = 1, .width = 2, .num_siblings = 1)),
    TRY("parallel/flags", 2, PARALLEL_OF(.width = 2, .num_siblings = 1, .flags = 1)),
    TRY("parallel/unknown", 2, PARALLEL_OF(.width = 2, .num_siblings = 1, .engines = {{9, 0}})),
    CALL("engines/of-used", set, WITH(.ctx_id = SLOT(CONTEXT_2), .param = I915_CONTEXT_PARAM_ENGINES, .size = 8, .value = DATA(0))),
    CALL("engines/get", get, WITH(.ctx_id = SLOT(CONTEXT_MAP), .param = I915_CONTEXT_PARAM_ENGINES)),
    /* clang-format on */
};

GROUP(engines_group, calls);
