/* SPDX-License-Identifier: MIT */
/* Ranges of the nodes of an equation: intervals, and bounds in clocks, EUs and threads. */
#include "metrics/ranges.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "driver/perfmon/expression.h"
#include "intel/platforms.h"

#define U64_LIMIT 0x1p64

/* Maximum power of a unit; a bound with a higher one is dropped. */
#define POWER_MAX 60

static struct range any_value(enum tally_data_type type)
{
    bool integer = type == TALLY_UINT64;
    return (struct range){
        .low = integer ? 0 : -DBL_MAX,
        .high = integer ? U64_LIMIT : DBL_MAX,
        .scale = INFINITY,
        .integer = integer,
    };
}

static struct range integer_range(double low, double high)
{
    return (struct range){.low = low, .high = high, .scale = INFINITY, .integer = true};
}

static struct range constant(double value)
{
    bool integer = value == floor(value);
    return (struct range){
        .low = value, .high = value, .scale = value, .exact = true, .integer = integer};
}

static void drop_bound(struct range *range)
{
    range->scale = INFINITY;
    range->exact = false;
    memset(range->powers, 0, sizeof range->powers);
}

static void copy_bound(struct range *range, const struct range *from)
{
    range->scale = from->scale;
    range->loose = from->loose;
    memcpy(range->powers, from->powers, sizeof range->powers);
}

static bool same_powers(const struct range *a, const struct range *b)
{
    return !memcmp(a->powers, b->powers, sizeof a->powers);
}

/*
 * Returns whether the bound of `a` is at most that of `b`. All units are at least 1, except that
 * the number of clocks is 0 if no time passed; so the powers of the clocks must be equal.
 */
static bool bound_covered(const struct range *a, const struct range *b)
{
    for (unsigned unit = 0; unit < UNIT_COUNT; unit++)
        if (a->powers[unit] > b->powers[unit])
            return false;
    return a->scale <= b->scale && a->powers[UNIT_CLOCKS] == b->powers[UNIT_CLOCKS];
}

/* Sets the bound of a sum (`sum`) or of a maximum. */
static void bound_join(struct range *out, const struct range *a, const struct range *b, bool sum)
{
    if (a->scale == 0 || b->scale == 0) {
        copy_bound(out, a->scale == 0 ? b : a);
    } else if (isinf(a->scale) || isinf(b->scale)) {
        drop_bound(out);
    } else {
        out->loose = a->loose || b->loose || !same_powers(a, b);
        out->scale = sum ? a->scale + b->scale : fmax(a->scale, b->scale);
        for (unsigned unit = 0; unit < UNIT_COUNT; unit++)
            out->powers[unit] =
                a->powers[unit] > b->powers[unit] ? a->powers[unit] : b->powers[unit];
        out->exact = sum && a->exact && b->exact && same_powers(a, b);
    }
}

/* Sets the bound of a product (sign 1) or of a quotient (sign -1). */
static void bound_scale(struct range *out, const struct range *a, const struct range *b, int sign)
{
    copy_bound(out, a);
    out->scale = sign > 0 ? a->scale * b->scale : a->scale / b->scale;
    out->loose = a->loose || b->loose;
    out->exact = a->exact && b->exact;
    for (unsigned unit = 0; unit < UNIT_COUNT; unit++) {
        out->powers[unit] += sign * b->powers[unit];
        if (abs(out->powers[unit]) > POWER_MAX)
            out->scale = INFINITY;
    }
    if (!isfinite(out->scale))
        drop_bound(out);
}

/* Sets the bound of a minimum: the lower one of the two. */
static void bound_meet(struct range *out, const struct range *a, const struct range *b)
{
    unsigned a_units = 0, b_units = 0;
    for (unsigned unit = 0; unit < UNIT_COUNT; unit++) {
        a_units += a->powers[unit] > 0;
        b_units += b->powers[unit] > 0;
    }
    bool tighter = !isinf(b->scale) && (bound_covered(b, a) || b_units < a_units);
    copy_bound(out, isinf(a->scale) || tighter ? b : a);
}

static struct range convert(const struct range *range, enum tally_data_type from,
                            enum tally_data_type to)
{
    struct range out = *range;
    out.wraps = false;
    out.divisor = DIVISOR_NONE;
    if (from == to || to == TALLY_DOUBLE)
        return out;
    if (range->low <= -1) /* negative values wrap */
        return any_value(TALLY_UINT64);
    out.low = floor(fmax(range->low, 0));
    out.high = floor(fmin(fmax(range->high, 0), U64_LIMIT));
    out.exact = range->exact && range->integer;
    out.integer = true;
    return out;
}

/* Returns the interval of a monotonic operation, given its values at the ends of its operands'
 * intervals. */
static struct range hull(double a, double b, double c, double d)
{
    return (struct range){
        .low = fmin(fmin(a, b), fmin(c, d)),
        .high = fmax(fmax(a, b), fmax(c, d)),
    };
}

static struct range multiply(const struct range *a, const struct range *b)
{
    struct range out = hull(a->low * b->low, a->low * b->high, a->high * b->low, a->high * b->high);
    out.integer = a->integer && b->integer;
    if (a->low >= 0 && b->low >= 0)
        bound_scale(&out, a, b, 1);
    else
        drop_bound(&out);
    out.clocks = (a->clocks && (b->clocks || b->low > 0)) || (b->clocks && a->low > 0);
    return out;
}

static void divide_bound(struct range *out, const struct range *a, const struct range *b)
{
    if (b->low < 0) {
        drop_bound(out);
    } else if (b->exact && b->scale > 0) {
        bound_scale(out, a, b, -1);
    } else if (b->integer || b->low > 0) { /* an integer is at least 1, or the result is 0 */
        copy_bound(out, a);
        out->scale /= fmax(b->low, b->integer ? 1 : 0);
        out->loose = true;
    } else {
        drop_bound(out);
    }
}

static struct range divide(const struct range *a, const struct range *b, enum tally_data_type type)
{
    struct range out = {0};
    if (b->low > 0 || b->high < 0) {
        out = hull(a->low / b->low, a->low / b->high, a->high / b->low, a->high / b->high);
        out.divisor = DIVISOR_NEVER;
    } else {
        bool one_sided = a->low >= 0 && b->low >= 0;
        out.high = one_sided && b->integer ? a->high : DBL_MAX;
        out.low = one_sided ? 0 : -DBL_MAX;
        out.divisor = b->high <= 0 && b->low >= 0 ? DIVISOR_ZERO
                      : b->clocks                 ? DIVISOR_CLOCKS
                                                  : DIVISOR_MAYBE;
    }
    divide_bound(&out, a, b);
    out.clocks = a->clocks && out.divisor == DIVISOR_NEVER;
    if (type == TALLY_UINT64) {
        out.low = floor(out.low);
        out.exact = false;
        out.integer = true;
    }
    return out;
}

static struct range subtract(const struct range *a, const struct range *b,
                             enum tally_data_type type)
{
    struct range out = {
        .low = a->low - b->high, .high = a->high - b->low, .integer = a->integer && b->integer};
    bool ordered = a->exact && bound_covered(b, a);
    if (b->low >= 0)
        copy_bound(&out, a);
    else
        drop_bound(&out);
    if (ordered && b->exact && same_powers(a, b)) {
        out.scale = a->scale - b->scale;
        out.exact = true;
    }
    if (ordered)
        out.low = fmax(out.low, 0);
    if (type == TALLY_UINT64 && out.low < 0) {
        /* The bound ignores the wrap-around, which lint reports separately. */
        out.wraps = true;
        out.low = 0;
        out.high = U64_LIMIT;
    }
    return out;
}

static struct range shift(enum op op, const struct range *a, const struct range *b)
{
    if (b->low != b->high) {
        struct range out = integer_range(0, op == OP_SHR ? a->high : U64_LIMIT);
        if (op == OP_SHR)
            copy_bound(&out, a);
        return out;
    }
    if (b->low >= 64)
        return constant(0);
    struct range factor = constant(exp2(op == OP_SHL ? b->low : -b->low));
    struct range out = multiply(a, &factor);
    out.low = floor(out.low);
    out.exact = out.exact && op == OP_SHL;
    out.integer = true;
    out.clocks = false;
    return out;
}

static struct range apply(enum op op, const struct range *a, const struct range *b,
                          enum tally_data_type type)
{
    struct range out = integer_range(0, 1);
    switch (op) {
    case OP_UADD:
    case OP_FADD:
        out.low = a->low + b->low;
        out.high = a->high + b->high;
        out.integer = a->integer && b->integer;
        bound_join(&out, a, b, true);
        return out;
    case OP_USUB:
    case OP_FSUB:
        return subtract(a, b, type);
    case OP_UMUL:
    case OP_FMUL:
        return multiply(a, b);
    case OP_UDIV:
    case OP_FDIV:
    case OP_RATIO:
        return divide(a, b, type);
    case OP_FMAX:
        out.low = fmax(a->low, b->low);
        out.high = fmax(a->high, b->high);
        out.integer = a->integer && b->integer;
        bound_join(&out, a, b, false);
        return out;
    case OP_UMIN:
        out.low = fmin(a->low, b->low);
        out.high = fmin(a->high, b->high);
        out.integer = a->integer && b->integer;
        bound_meet(&out, a, b);
        return out;
    case OP_AND:
        out.high = fmin(a->high, b->high);
        bound_meet(&out, a, b);
        return out;
    case OP_SHL:
    case OP_SHR:
        return shift(op, a, b);
    default: /* comparisons */
        out.scale = 1;
        return out;
    }
}

/* Limits an interval to the finite values of a type. */
static struct range clamp(struct range range, enum tally_data_type type)
{
    double min = type == TALLY_UINT64 ? 0 : -DBL_MAX;
    double max = type == TALLY_UINT64 ? U64_LIMIT : DBL_MAX;
    range.low = fmin(fmax(range.low, min), max);
    range.high = fmin(fmax(range.high, min), max);
    return range;
}

static struct range in_units(struct range range, double scale, enum range_unit unit)
{
    range.scale = scale;
    range.powers[unit] = 1;
    return range;
}

static struct range thread_count(const struct range_model *model)
{
    if (model->platform)
        return constant(model->platform->eu_threads);
    struct range out = in_units(integer_range(1, UINT8_MAX), 1, UNIT_THREADS);
    out.exact = true;
    return out;
}

/* Returns the range of a variable. Those of the table are at least 1 on every GPU. */
static struct range variable_range(const struct range_model *model, const char *name)
{
    static const struct {
        const char *name;
        enum range_unit unit; /* UNIT_COUNT: none */
    } counts[] = {
        {"$EuCoresTotalCount", UNIT_EUS},
        {"$VectorEngineTotalCount", UNIT_EUS},
        {"$EuSlicesTotalCount", UNIT_SLICES},
        {"$EuSubslicesTotalCount", UNIT_SUBSLICES},
        {"$XeCoreTotalCount", UNIT_SUBSLICES},
        {"$EuThreadsCount", UNIT_THREADS},
        {"$VectorEngineThreadsCount", UNIT_THREADS},
        {"$GpuTimestampFrequency", UNIT_COUNT},
        {"$GpuMaxFrequency", UNIT_COUNT},
    };
    for (size_t i = 0; i < ARRAY_COUNT(counts); i++) {
        if (strcmp(counts[i].name, name) != 0)
            continue;
        if (counts[i].unit == UNIT_THREADS)
            return thread_count(model);
        struct range out = integer_range(1, UINT32_MAX);
        if (counts[i].unit == UNIT_COUNT)
            return out;
        out.exact = true;
        return in_units(out, 1, counts[i].unit);
    }
    if (!strncmp(name, "$GtSlice", 8) || !strcmp(name, "$QueryMode")) {
        struct range out = integer_range(0, 1);
        out.scale = 1;
        return out;
    }
    return any_value(TALLY_UINT64);
}

/* Maximum increment of an A counter per clock (OA-2.13): 1, the number of EUs, depends on the FLEX
 * registers, or unknown. */
enum a_kind { A_ONE, A_EUS, A_FLEX, A_OTHER };

static enum a_kind a_kind_of(const struct tally_platform *platform, unsigned index)
{
    static const struct {
        enum intel_aggregates aggregates;
        uint8_t first, last;
        enum a_kind kind;
    } kinds[] = {
        {AGGREGATES_SNB, 0, 16, A_EUS},
        {AGGREGATES_SNB, 26, 28, A_ONE}, /* busy, clipper, strips and fans */
        {AGGREGATES_IVB, 0, 31, A_EUS},
        {AGGREGATES_IVB, 41, 43, A_ONE},    /* busy, bottlenecks */
        {AGGREGATES_FLEXIBLE, 0, 6, A_ONE}, /* busy, threads dispatched */
        {AGGREGATES_FLEXIBLE, 7, 20, A_FLEX},
        {AGGREGATES_FIXED, 0, 6, A_ONE},
        {AGGREGATES_FIXED, 7, 20, A_EUS},
    };
    const struct intel_platform *row = platform ? intel_platform_of(platform) : NULL;
    for (size_t i = 0; row && i < ARRAY_COUNT(kinds); i++)
        if (row->aggregates == kinds[i].aggregates && index >= kinds[i].first &&
            index <= kinds[i].last)
            return kinds[i].kind;
    return A_OTHER;
}

/*
 * Returns the range of an A counter. The occupancy event pulses once for every 8 threads loaded
 * (OA-2.12, OA-E15). If no FLEX register is known, an equation that uses the number of threads per
 * EU (per_thread) is assumed to count this event.
 */
static struct range a_range(const struct range_model *model, struct range range, unsigned index,
                            bool per_thread)
{
    enum a_kind kind = a_kind_of(model->platform, index);
    uint16_t event = RANGE_FLEX_UNKNOWN;
    double share = 1;
    range = in_units(range, 1, UNIT_CLOCKS);
    if (kind == A_ONE)
        return range;
    if (kind == A_FLEX)
        event = model->flex[index - RANGE_FLEX_FIRST];
    range.loose = kind == A_OTHER || (kind == A_FLEX && event == RANGE_FLEX_UNKNOWN);
    if (event != RANGE_FLEX_UNKNOWN) {
        uint32_t fine = field32(event, 11, 8), coarse = field32(event, 7, 4);
        per_thread = field32(event, 3, 0) == 8;
        if (fine >= 7 && fine <= 10) /* one EU of each row of four */
            share /= 4;
        if (coarse == 7 || coarse == 8) /* one row of two */
            share /= 2;
    }
    range = in_units(range, share, UNIT_EUS);
    if (per_thread) {
        struct range threads = thread_count(model), pulses = range, eighth = constant(0.125);
        bound_scale(&pulses, &range, &threads, 1);
        bound_scale(&range, &pulses, &eighth, 1);
        range.exact = false;
    }
    return range;
}

static unsigned read_width(const struct range_model *model, const struct node *node)
{
    unsigned width = 0;
    const struct tally_layout *layout;
    for (size_t i = 0; model->platform && (layout = tally_layout_at(i)); i++) {
        int slot = strcmp(layout->family, model->platform->layout_family) != 0
                       ? -1
                       : read_slot(layout, node);
        unsigned here = slot < 0 ? 0 : tally_layout_width(layout, (unsigned)slot);
        width = max_u32(here, width);
    }
    return width ? width : 64;
}

/* Returns the most that a signal's counter adds in a clock: a number of up to six bits. */
static double signal_step(const struct range_model *model, uint32_t index)
{
    struct expression expression;
    if (index >= model->set->signal_count)
        return 0;
    if (expression_parse(model->set->signals[index].expression, &expression, NULL) < 0 ||
        !expression.bit_count)
        return 1;
    return (double)low_bits(expression.bit_count);
}

static struct range read_range(const struct range_model *model, const struct node *node,
                               bool per_thread)
{
    struct range out = integer_range(0, (double)low_bits(read_width(model, node)));
    bool is_clock =
        model->clock && model->clock->source == node->source && model->clock->index == node->index;
    if (node->source == SOURCE_GPU_TIME) {
        out.clocks = true;
        return out;
    }
    if (model->set->signal_count && (node->source == SOURCE_A || node->source == SOURCE_CLOCKS)) {
        /* A counter adds 0 or 1 a clock, or a number of up to 6 bits. */
        out = in_units(out, node->source == SOURCE_A ? signal_step(model, node->index) : 1,
                       UNIT_CLOCKS);
        out.exact = out.clocks = node->source == SOURCE_CLOCKS;
        return out;
    }
    if (node->source == SOURCE_A && !is_clock)
        return a_range(model, out, node->index, per_thread);
    out = in_units(out, 1, UNIT_CLOCKS); /* B, C and PERFCNT add 0 or 1 (OA-2.7) */
    out.exact = out.clocks = is_clock || node->source == SOURCE_GPU_CLOCK;
    return out;
}

static bool uses_threads(const struct equation *equation)
{
    for (size_t i = 0; i < equation->count; i++)
        if (equation->nodes[i].op == OP_VARIABLE && strstr(equation->nodes[i].variable, "Threads"))
            return true;
    return false;
}

const struct range *range_equation(struct range_model *model, const struct equation *equation)
{
    bool per_thread = uses_threads(equation);
    for (size_t i = 0; i < equation->count; i++) {
        const struct node *node = &equation->nodes[i];
        struct range *out = &model->nodes[i];
        switch ((enum op)node->op) {
        case OP_NUMBER_U:
            *out = constant((double)node->number.u);
            break;
        case OP_NUMBER_F:
            *out = constant(node->number.f);
            break;
        case OP_READ:
            *out = read_range(model, node, per_thread);
            break;
        case OP_VARIABLE:
            *out = variable_range(model, node->variable);
            break;
        case OP_COUNTER:
            *out = model->counters[node->index];
            break;
        default: {
            enum op op = (enum op)node->op;
            enum tally_data_type left = equation->nodes[node->left].type;
            enum tally_data_type right = equation->nodes[node->right].type;
            enum tally_data_type type = op_operand_type(op, left, right);
            struct range a = convert(&model->nodes[node->left], left, type);
            struct range b = convert(&model->nodes[node->right], right, type);
            struct range result = clamp(apply(op, &a, &b, type), type);
            *out = convert(&result, type, op_result_type(op));
            out->wraps = result.wraps;
            out->divisor = result.divisor;
        }
        }
    }
    return model->nodes;
}

/* One FLEX register selects the events of two counters (OA-2.12). */
static void read_flex(struct range_model *model, const struct tally_register_write *write)
{
    static const uint16_t addresses[RANGE_FLEX_COUNT / 2] = {0xe458, 0xe558, 0xe658, 0xe758,
                                                             0xe45c, 0xe55c, 0xe65c};
    for (unsigned i = 0; i < ARRAY_COUNT(addresses); i++) {
        if (addresses[i] != write->address)
            continue;
        model->flex[2 * i] = (uint16_t)field32(write->value, 11, 0);
        model->flex[2 * i + 1] = (uint16_t)field32(write->value, 23, 12);
    }
}

static void find_flex(struct range_model *model)
{
    const struct tally_register_config *only = NULL;
    for (unsigned i = 0; i < RANGE_FLEX_COUNT; i++)
        model->flex[i] = RANGE_FLEX_UNKNOWN;
    for (size_t i = 0; i < model->set->config_count; i++) {
        if (strcmp(model->set->configs[i].type, "FLEX") != 0)
            continue;
        if (only) /* several configs: the GPU determines which one is written */
            return;
        only = &model->set->configs[i];
    }
    for (size_t i = 0; only && i < only->write_count; i++)
        read_flex(model, &only->writes[i]);
}

int range_model_init(struct range_model *model, const struct tally_metric_set *set,
                     const struct tally_platform *platform,
                     const struct counter_equations *equations, const uint32_t *order)
{
    *model = (struct range_model){.set = set, .platform = platform};
    model->counters = calloc(set->counter_count + 1, sizeof *model->counters);
    model->nodes = calloc(EQUATION_NODES_MAX, sizeof *model->nodes);
    if (!model->counters || !model->nodes)
        return -ENOMEM;
    find_flex(model);
    ptrdiff_t clocks = tally_metric_set_counter(set, "GpuCoreClocks");
    if (clocks >= 0 && equations[clocks].value.count == 1 &&
        equations[clocks].value.nodes[0].op == OP_READ)
        model->clock = &equations[clocks].value.nodes[0];
    for (size_t i = 0; i < set->counter_count; i++) {
        const struct tally_counter *counter = &set->counters[order[i]];
        const struct equation *equation = &equations[order[i]].value;
        struct range *out = &model->counters[order[i]];
        *out = any_value(counter->type);
        if (equation->count) {
            range_equation(model, equation);
            *out = convert(&model->nodes[equation->count - 1],
                           (enum tally_data_type)equation->nodes[equation->count - 1].type,
                           counter->type);
        }
        if (!strcmp(counter->symbol, "GpuCoreClocks") || !strcmp(counter->symbol, "GpuTime"))
            out->clocks = true;
    }
    return 0;
}

void range_model_fini(struct range_model *model)
{
    free(model->counters);
    free(model->nodes);
    *model = (struct range_model){0};
}

char *range_bound_text(const struct range *range, char *text, size_t size)
{
    static const char *const names[UNIT_COUNT] = {"clocks", "EUs", "threads", "slices",
                                                  "subslices"};
    size_t used = (size_t)snprintf(text, size, "%.4g", range->scale);
    for (unsigned unit = 0; unit < UNIT_COUNT; unit++) {
        int power = range->powers[unit];
        if (!power || used >= size)
            continue;
        used += (size_t)snprintf(text + used, size - used, " %c %s", power > 0 ? 'x' : '/',
                                 names[unit]);
        if (abs(power) > 1 && used < size)
            used += (size_t)snprintf(text + used, size - used, "^%d", abs(power));
    }
    return text;
}
