/* SPDX-License-Identifier: MIT */
/* PERF_OPEN: each property right and wrong, missing, twice, unknown, in another order. */
#include "kinds.h"

#define SSEU DATA(offsetof(struct pairs, sseu))

enum {
    P_CONTEXT = 1,
    P_SAMPLE,
    P_SET,
    P_FORMAT,
    P_EXPONENT,
    P_HOLD,
    P_SSEU,
    P_POLL,
    P_CLASS,
    P_INSTANCE
};

/* A format of all platforms. */
#define FORMAT                                                                                     \
    {                                                                                              \
        P_FORMAT, I915_OA_FORMAT_C4_B8                                                             \
    }
#define SET                                                                                        \
    {                                                                                              \
        P_SET, SLOT(CONFIG)                                                                        \
    }
#define SAMPLE                                                                                     \
    {                                                                                              \
        P_SAMPLE, 1                                                                                \
    }
#define EXPONENT                                                                                   \
    {                                                                                              \
        P_EXPONENT, 16                                                                             \
    }
#define CONTEXT_                                                                                   \
    {                                                                                              \
        P_CONTEXT, SLOT(CONTEXT)                                                                   \
    }
#define DEFAULT                                                                                    \
    {                                                                                              \
        P_CONTEXT, 0                                                                               \
    }

#define OPEN(name, count, ...)                                                                     \
    CALL("open/" name, open_, WITH(.num_properties = count, .properties_ptr = DATA(0)),            \
         PAYLOAD(struct pairs, .pairs = {__VA_ARGS__}))
#define OPEN_USER(name, count, ...)                                                                \
    CALL("open/" name, open_, WITH(.num_properties = count, .properties_ptr = DATA(0)),            \
         PAYLOAD(struct pairs, .pairs = {__VA_ARGS__}), .as_user = true)
#define OPEN_FLAGS(name, flags_, count, ...)                                                       \
    CALL("open/" name, open_,                                                                      \
         WITH(.flags = flags_, .num_properties = count, .properties_ptr = DATA(0)),                \
         PAYLOAD(struct pairs, .pairs = {__VA_ARGS__}))
/* With a power request; half words: EUs are 8 of a subslice on all platforms that have them. */
#define OPEN_SSEU(name, ...)                                                                       \
    CALL("open/" name, open_, WITH(.num_properties = 4, .properties_ptr = DATA(0)),                \
         PAYLOAD(struct pairs, .pairs = {SAMPLE, SET, FORMAT, {P_SSEU, SSEU}},                     \
                 .sseu = {.slice_mask = SLOT(SLICES),                                              \
                          .subslice_mask = SLOT(SUBSLICES),                                        \
                          .min_eus_per_subslice = 8,                                               \
                          .max_eus_per_subslice = 8,                                               \
                          ##__VA_ARGS__}))

static const struct call calls[] = {
    /* clang-format off */
    CALL("open/add-set", add, WITH(.uuid = "01234567-0123-0123-0123-0123456789ab", .n_mux_regs = 1, .mux_regs_ptr = DATA(0)),
         .data = &(uint32_t[]){0x9888, 0}, .bytes = 8, .keep = CONFIG),
    OPEN("plain", 3, SAMPLE, SET, FORMAT),
    OPEN("other-order", 3, FORMAT, SET, SAMPLE),
    OPEN("periodic", 4, SAMPLE, SET, FORMAT, EXPONENT),
    OPEN_FLAGS("disabled", I915_PERF_FLAG_DISABLED, 4, SAMPLE, SET, FORMAT, EXPONENT),
    OPEN_FLAGS("all-flags", 7, 4, SAMPLE, SET, FORMAT, EXPONENT),
    OPEN_FLAGS("flag-8", 8, 4, SAMPLE, SET, FORMAT, EXPONENT),
    OPEN_FLAGS("flag-31", 1u << 31, 4, SAMPLE, SET, FORMAT, EXPONENT),
    OPEN_FLAGS("flag-8-no-properties", 8, 0, SAMPLE),
    OPEN("no-properties", 0, SAMPLE, SET, FORMAT),
    OPEN("8-properties", 8, SAMPLE, SET, FORMAT, SAMPLE, SAMPLE, SAMPLE, SAMPLE, SAMPLE),
    OPEN("9-properties", 9, SAMPLE, SET, FORMAT, SAMPLE, SAMPLE, SAMPLE, SAMPLE, SAMPLE, SAMPLE),
    OPEN("10-properties", 10, SAMPLE, SET, FORMAT, SAMPLE, SAMPLE, SAMPLE, SAMPLE, SAMPLE, SAMPLE, SAMPLE),
    OPEN("2^32-1-properties", UINT32_MAX, SAMPLE, SET, FORMAT),
    CALL("open/fault", open_, WITH(.num_properties = 3, .properties_ptr = BAD)),
    CALL("open/fault-9-properties", open_, WITH(.num_properties = 9, .properties_ptr = BAD)),
    CALL("open/value-fault", open_, WITH(.num_properties = 1, .properties_ptr = DATA(DATA_BYTES - 8))),
    {"open/no-struct", &open__kind, NULL},

    OPEN("without-sample", 2, SET, FORMAT),
    OPEN("without-set", 2, SAMPLE, FORMAT),
    OPEN("without-format", 2, SAMPLE, SET),
    OPEN("sample-only", 1, SAMPLE),
    OPEN("exponent-only", 1, EXPONENT),
    OPEN("sample-0", 3, {P_SAMPLE, 0}, SET, FORMAT),
    OPEN("sample-2", 3, {P_SAMPLE, 2}, SET, FORMAT),
    OPEN("sample-upper-half", 3, {P_SAMPLE, 1ull << 32}, SET, FORMAT),
    OPEN("sample-twice", 4, SAMPLE, {P_SAMPLE, 0}, SET, FORMAT),
    OPEN("property-0", 4, SAMPLE, SET, FORMAT, {0, 0}),
    OPEN("property-9", 4, SAMPLE, SET, FORMAT, {P_CLASS, 0}),
    OPEN("property-10", 4, SAMPLE, SET, FORMAT, {P_INSTANCE, 0}),
    OPEN("property-11", 4, SAMPLE, SET, FORMAT, {11, 0}),
    OPEN("property-huge", 4, SAMPLE, SET, FORMAT, {UINT64_MAX, 0}),
    OPEN("property-upper-half", 3, {1ull << 32 | P_SAMPLE, 1}, SET, FORMAT),
    OPEN("wrong-then-unknown", 2, {P_SET, 0}, {99, 0}),

    OPEN("set-0", 3, SAMPLE, {P_SET, 0}, FORMAT),
    OPEN("set-1", 3, SAMPLE, {P_SET, 1}, FORMAT),
    OPEN("set-unknown", 3, SAMPLE, {P_SET, 9999}, FORMAT),
    OPEN("set-huge", 3, SAMPLE, {P_SET, UINT64_MAX}, FORMAT),
    OPEN("set-upper-half", 3, SAMPLE, {P_SET, 1ull << 32 | 2}, FORMAT),
    OPEN("set-2^31", 3, SAMPLE, {P_SET, 1ull << 31}, FORMAT),
    OPEN("set-2^32", 3, SAMPLE, {P_SET, 1ull << 32}, FORMAT),
    OPEN("set-twice", 4, SAMPLE, {P_SET, 9999}, SET, FORMAT),
    OPEN("set-twice-wrong-last", 4, SAMPLE, SET, {P_SET, 9999}, FORMAT),

    OPEN("format-0", 3, SAMPLE, SET, {P_FORMAT, 0}),
    OPEN("format-1", 3, SAMPLE, SET, {P_FORMAT, 1}),
    OPEN("format-2", 3, SAMPLE, SET, {P_FORMAT, 2}),
    OPEN("format-3", 3, SAMPLE, SET, {P_FORMAT, 3}),
    OPEN("format-4", 3, SAMPLE, SET, {P_FORMAT, 4}),
    OPEN("format-5", 3, SAMPLE, SET, {P_FORMAT, 5}),
    OPEN("format-6", 3, SAMPLE, SET, {P_FORMAT, 6}),
    OPEN("format-7", 3, SAMPLE, SET, {P_FORMAT, 7}),
    OPEN("format-8", 3, SAMPLE, SET, {P_FORMAT, 8}),
    OPEN("format-9", 3, SAMPLE, SET, {P_FORMAT, 9}),
    OPEN("format-10", 3, SAMPLE, SET, {P_FORMAT, 10}),
    OPEN("format-11", 3, SAMPLE, SET, {P_FORMAT, 11}),
    OPEN("format-12", 3, SAMPLE, SET, {P_FORMAT, 12}),
    OPEN("format-13", 3, SAMPLE, SET, {P_FORMAT, 13}),
    OPEN("format-64", 3, SAMPLE, SET, {P_FORMAT, 64}),
    OPEN("format-upper-half", 3, SAMPLE, SET, {P_FORMAT, 1ull << 32 | 7}),

    OPEN("exponent-0", 4, SAMPLE, SET, FORMAT, {P_EXPONENT, 0}),
    OPEN("exponent-31", 4, SAMPLE, SET, FORMAT, {P_EXPONENT, 31}),
    OPEN("exponent-32", 4, SAMPLE, SET, FORMAT, {P_EXPONENT, 32}),
    OPEN("exponent-huge", 4, SAMPLE, SET, FORMAT, {P_EXPONENT, UINT64_MAX}),
    OPEN("exponent-upper-half", 4, SAMPLE, SET, FORMAT, {P_EXPONENT, 1ull << 32}),
    OPEN("exponent-twice", 5, SAMPLE, SET, FORMAT, EXPONENT, {P_EXPONENT, 31}),

    OPEN("poll-0", 4, SAMPLE, SET, FORMAT, {P_POLL, 0}),
    OPEN("poll-99999", 4, SAMPLE, SET, FORMAT, {P_POLL, 99999}),
    OPEN("poll-100000", 4, SAMPLE, SET, FORMAT, {P_POLL, 100000}),
    OPEN("poll-huge", 4, SAMPLE, SET, FORMAT, {P_POLL, INT64_MAX}),

    OPEN("context", 4, SAMPLE, SET, FORMAT, CONTEXT_),
    OPEN("default-context", 4, SAMPLE, SET, FORMAT, DEFAULT),
    OPEN("unknown-context", 4, SAMPLE, SET, FORMAT, {P_CONTEXT, 999}),
    OPEN("context-upper-half", 4, SAMPLE, SET, FORMAT, {P_CONTEXT, 1ull << 32}),
    OPEN("unknown-context-and-set", 3, SAMPLE, {P_SET, 9999}, {P_CONTEXT, 999}),
    OPEN("context-without-sample", 3, SET, FORMAT, CONTEXT_),
    OPEN("context-without-sample-format", 2, SET, CONTEXT_),
    OPEN("hold", 5, SAMPLE, SET, FORMAT, CONTEXT_, {P_HOLD, 1}),
    OPEN("hold-0", 4, SAMPLE, SET, FORMAT, {P_HOLD, 0}),
    OPEN("hold-without-context", 4, SAMPLE, SET, FORMAT, {P_HOLD, 1}),
    OPEN("hold-unknown-context", 5, SAMPLE, SET, FORMAT, {P_CONTEXT, 999}, {P_HOLD, 1}),
    OPEN("hold-2", 5, SAMPLE, SET, FORMAT, CONTEXT_, {P_HOLD, 2}),

    OPEN_SSEU("sseu/all", .flags = 0),
    OPEN_SSEU("sseu/flags", .flags = 1),
    OPEN_SSEU("sseu/reserved", .rsvd = 1),
    OPEN_SSEU("sseu/copy-engine", .engine = {1, 0}),
    OPEN_SSEU("sseu/instance-1", .engine = {0, 1}),
    OPEN_SSEU("sseu/more-slices", .slice_mask = 0x80),
    OPEN_SSEU("sseu/half", .subslice_mask = SLOT(HALF_SUBSLICES)),
    OPEN_SSEU("sseu/one", .subslice_mask = 1),
    OPEN_SSEU("sseu/min-above-max", .min_eus_per_subslice = 9),
    OPEN_SSEU("sseu/fewer-eus", .min_eus_per_subslice = 4, .max_eus_per_subslice = 4),
    OPEN_SSEU("sseu/huge-mask", .slice_mask = 1ull << 32 | 1),
    OPEN("sseu/zeros", 4, SAMPLE, SET, FORMAT, {P_SSEU, SSEU}),
    OPEN("sseu/fault", 4, SAMPLE, SET, FORMAT, {P_SSEU, BAD}),
    OPEN("sseu/fault-then-unknown", 2, {P_SSEU, BAD}, {99, 0}),

    OPEN_USER("as-user/plain", 3, SAMPLE, SET, FORMAT),
    OPEN_USER("as-user/context", 4, SAMPLE, SET, FORMAT, CONTEXT_),
    OPEN_USER("as-user/context-without-sample", 3, SET, FORMAT, CONTEXT_),
    OPEN_USER("as-user/context-hold", 5, SAMPLE, SET, FORMAT, CONTEXT_, {P_HOLD, 1}),
    OPEN_USER("as-user/context-without-sample-hold", 4, SET, FORMAT, CONTEXT_, {P_HOLD, 1}),
    OPEN_USER("as-user/exponent-0", 5, SAMPLE, SET, FORMAT, CONTEXT_, {P_EXPONENT, 0}),
    OPEN_USER("as-user/exponent-6", 5, SAMPLE, SET, FORMAT, CONTEXT_, {P_EXPONENT, 6}),
    OPEN_USER("as-user/exponent-7", 5, SAMPLE, SET, FORMAT, CONTEXT_, {P_EXPONENT, 7}),
    OPEN_USER("as-user/exponent-16", 5, SAMPLE, SET, FORMAT, CONTEXT_, EXPONENT),
    OPEN_USER("as-user/unknown-context", 4, SAMPLE, SET, FORMAT, {P_CONTEXT, 999}),
    OPEN_USER("as-user/without-set", 2, SAMPLE, FORMAT),
    OPEN_USER("as-user/hold-without-context", 4, SAMPLE, SET, FORMAT, {P_HOLD, 1}),
    OPEN_USER("as-user/wrong-property", 1, {99, 0}),
    CALL("open/render", open_, WITH(.num_properties = 3, .properties_ptr = DATA(0)),
         PAYLOAD(struct pairs, .pairs = {SAMPLE, SET, FORMAT}), .fd = RENDER),

    /* One stream at a time: what is checked before that, and after. */
    OPEN_FLAGS("first", I915_PERF_FLAG_DISABLED, 3, SAMPLE, SET, FORMAT),
    CALL("open/kept", open_, WITH(.flags = I915_PERF_FLAG_FD_NONBLOCK, .num_properties = 4, .properties_ptr = DATA(0)),
         PAYLOAD(struct pairs, .pairs = {SAMPLE, SET, FORMAT, EXPONENT}), .keep = STREAM),
    OPEN("busy/plain", 3, SAMPLE, SET, FORMAT),
    OPEN("busy/without-sample", 2, SET, FORMAT),
    OPEN("busy/without-format", 2, SAMPLE, SET),
    OPEN("busy/unknown-set", 3, SAMPLE, {P_SET, 9999}, FORMAT),
    OPEN("busy/unknown-context", 4, SAMPLE, SET, FORMAT, {P_CONTEXT, 999}),
    OPEN("busy/unknown-property", 4, SAMPLE, SET, FORMAT, {99, 0}),
    OPEN_USER("busy/as-user", 3, SAMPLE, SET, FORMAT),
    /* clang-format on */
};

GROUP(opening_group, calls);
